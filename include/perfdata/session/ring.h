/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/ring.h - records as they happen: from the ring buffers of perf_event_open, whose records
 * belong to the events of a table.
 *
 *     pd_attr_table_new(&table, PD_HOST_ORDER, NULL, &error);
 *     pd_attr_table_add(table, &attr, &id, 1, &error); // id: PERF_EVENT_IOC_ID
 *     pd_ring_memory_of(&memory, map, mapped, &error); // map: mmap() of the descriptor
 *     pd_ring_open(&ring, &memory, table, NULL, &error);
 *     while ((code = pd_ring_next(ring, &rec, &error)) != PD_AGAIN)
 *         if (!code && pd_attr_table_decode(table, &rec, &error) == PD_OK) …
 *     // poll(), and again
 */
#ifndef PERFDATA_SESSION_RING_H
#define PERFDATA_SESSION_RING_H

#include <perfdata/attr.h>
#include <perfdata/codec.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Events and their ids, which tell the event of a record as a reader does: by its event id, whose place in
 * samples and sample_ids the first event tells. With several events all need sample_type PD_SAMPLE_IDENTIFIER
 * (or the same place of the ID), and PD_ATTR_SAMPLE_ID_ALL.
 */
struct pd_attr_table;

/* allocator NULL: malloc. PD_ENOMEM. */
PD_EXPERIMENTAL enum pd_code pd_attr_table_new(struct pd_attr_table **table, enum pd_order order,
                                               const struct pd_allocator *allocator, struct pd_error *error);
/* NULL is allowed. */
PD_EXPERIMENTAL void pd_attr_table_free(struct pd_attr_table *table);

/*
 * Adds an event, whose number is how many were added before, and its ids in host order; both are copied. The
 * first event to claim an id keeps it. PD_ENOMEM.
 */
PD_EXPERIMENTAL enum pd_code pd_attr_table_add(struct pd_attr_table *table, const struct pd_attr *attr,
                                               const uint64_t *ids, size_t n_ids, struct pd_error *error);
/* Adds an id to event number `attr`, such as that of another cpu. PD_EARG: there is no such event. PD_ENOMEM.
 */
PD_EXPERIMENTAL enum pd_code pd_attr_table_add_id(struct pd_attr_table *table, uint32_t attr, uint64_t id,
                                                  struct pd_error *error);

/*
 * Sets attr, plan and attr_index of a framed record. If its event is not known, attr_index is UINT32_MAX, and
 * plan is NULL unless all events have the same layout. What it sets is valid as long as the table.
 */
PD_EXPERIMENTAL void pd_attr_table_resolve(const struct pd_attr_table *table, struct pd_record *rec);
/* The same, and decodes the record. PD_EUNKNOWN: its event, and so its layout, is not known. */
PD_EXPERIMENTAL enum pd_code pd_attr_table_decode(const struct pd_attr_table *table, struct pd_record *rec,
                                                  struct pd_error *error);

/* Where a ring buffer is. Positions count all bytes ever written, or read. */
struct pd_ring_memory {
    const void *data;
    size_t size;
    const uint64_t *head; /* the end of what was written; loaded with acquire order */
    uint64_t *tail;       /* the end of what was read; stored with release order */
};

/*
 * The ring of an mmap() of `n` bytes, readable and writable: by data_head, data_tail, data_offset and
 * data_size of its first page, and behind that page if it has no data_offset, as before Linux 4.1. PD_ERANGE:
 * the ring is not inside the mapping.
 */
PD_EXPERIMENTAL enum pd_code pd_ring_memory_of(struct pd_ring_memory *memory, void *map, size_t n,
                                               struct pd_error *error);

struct pd_ring;

/*
 * Reads a ring from its tail on, forwards; not one that the kernel overwrites. The memory and the table,
 * which may be NULL and may get more events, must live longer. A ring takes 64 KiB, of allocator (NULL:
 * malloc). PD_ENOMEM; PD_EARG: the memory is NULL or has no bytes.
 */
PD_EXPERIMENTAL enum pd_code pd_ring_open(struct pd_ring **ring, const struct pd_ring_memory *memory,
                                          const struct pd_attr_table *table,
                                          const struct pd_allocator *allocator, struct pd_error *error);
/* Gives the last record back to the kernel, like another pd_ring_next(), and frees the ring. NULL is allowed.
 */
PD_EXPERIMENTAL void pd_ring_close(struct pd_ring *ring);

/*
 * The next record, framed, and resolved by the table. Its offset is its position in all that was ever
 * written, its index is counted from 0. rec->raw is in the ring, or, for a record that wraps around, in a
 * copy; until the next call, which gives its bytes back to the kernel. PD_AGAIN: there is none now; call
 * again later.
 *
 * PD_ECOUNT: head is further from tail than the ring is large. PD_ESHORT, PD_ESIZE, PD_ETRUNC: there is no
 * record. After these, all that is in the ring is passed over, and reading goes on with what is written
 * later.
 */
PD_EXPERIMENTAL enum pd_code pd_ring_next(struct pd_ring *ring, struct pd_record *rec,
                                          struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
