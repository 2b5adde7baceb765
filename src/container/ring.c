/* SPDX-License-Identifier: MIT */
/* ring.c - records of the ring buffer of an event. */
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include "src/support/wrap.h"
#include <perfdata/session/ring.h>
#include <unistd.h>

/* In the first page of the mapping, by the kernel's ABI. */
enum { DATA_HEAD = 1024, DATA_TAIL = 1032, DATA_OFFSET = 1040, DATA_SIZE = 1048, CONTROL_BYTES = 1056 };

struct pd_ring {
    const struct pd_allocator *allocator;
    const struct pd_attr_table *table;
    struct pd_ring_memory memory;
    uint64_t at;   /* position of the next record */
    uint64_t head; /* the last that was seen */
    uint64_t index;
    uint8_t joined[UINT16_MAX]; /* a record that wraps around */
};

enum pd_code pd_ring_memory_of(struct pd_ring_memory *memory, void *map, size_t n, struct pd_error *error)
{
    uint8_t *const page = map;
    uint64_t place[2], end;
    *memory = (struct pd_ring_memory){0};
    if (n < CONTROL_BYTES)
        return pi_fail(error, PD_ERANGE, PD_NOWHERE, "control page", CONTROL_BYTES, n);
    memcpy(place, page + DATA_OFFSET, sizeof place);
    if (place[0] == 0) {
        place[0] = (uint64_t)sysconf(_SC_PAGESIZE);
        place[1] = n > place[0] ? n - place[0] : 0;
    }
    if (__builtin_add_overflow(place[0], place[1], &end) || end > n || place[0] < CONTROL_BYTES)
        return pi_fail(error, PD_ERANGE, PD_NOWHERE, "ring", place[0], n);
    *memory = (struct pd_ring_memory){page + place[0], (size_t)place[1],
                                      (const uint64_t *)(const void *)(page + DATA_HEAD),
                                      (uint64_t *)(void *)(page + DATA_TAIL)};
    return PD_OK;
}

enum pd_code pd_ring_open(struct pd_ring **ring, const struct pd_ring_memory *memory,
                          const struct pd_attr_table *table, const struct pd_allocator *allocator,
                          struct pd_error *error)
{
    *ring = NULL;
    if (memory->data == NULL || memory->size == 0 || memory->head == NULL || memory->tail == NULL)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "memory of the ring", memory->size, 0);
    struct pd_ring *r = *ring = pi_resize(allocator, NULL, sizeof *r);
    if (r == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "ring", 0, sizeof *r);
    r->allocator = allocator;
    r->table = table;
    r->memory = *memory;
    r->index = 0;
    r->at = r->head = __atomic_load_n(memory->tail, __ATOMIC_RELAXED);
    return PD_OK;
}

/* What was read may be written over. */
static void give_back(struct pd_ring *r)
{
    __atomic_store_n(r->memory.tail, r->at, __ATOMIC_RELEASE);
}

void pd_ring_close(struct pd_ring *ring)
{
    if (ring == NULL)
        return;
    give_back(ring);
    pi_release(ring->allocator, ring);
}

/* The next n bytes, which are in the ring, as consecutive ones; n is at most 65,535. */
static const uint8_t *join(struct pd_ring *r, size_t n)
{
    const uint8_t *const data = r->memory.data;
    const size_t begin = (size_t)(r->at % r->memory.size), left = r->memory.size - begin;
    if (n <= left)
        return data + begin;
    memcpy(r->joined, data + begin, left);
    memcpy(r->joined + left, data, n - left);
    return r->joined;
}

/* Frames the record at the position, behind which the ring has `left` bytes. */
static enum pd_code frame(struct pd_ring *r, uint64_t left, struct pd_record *rec, struct pd_error *error)
{
    const size_t most = left < UINT16_MAX ? (size_t)left : UINT16_MAX;
    struct pi_record_header h = {0};
    if (most >= sizeof h)
        memcpy(&h, join(r, sizeof h), sizeof h);
    const size_t n = h.size > sizeof h && h.size <= most ? h.size : most < sizeof h ? most : sizeof h;
    const enum pd_code code = pd_record_frame(PD_HOST_ORDER, join(r, n), n, rec, error);
    if (code == PD_ETRUNC && error)
        error->found = left;
    return code;
}

/* The difference of positions is right whatever both are. */
PI_WRAPS enum pd_code pd_ring_next(struct pd_ring *ring, struct pd_record *rec, struct pd_error *error)
{
    struct pd_ring *const r = ring;
    give_back(r);
    if (r->at == r->head)
        r->head = __atomic_load_n(r->memory.head, __ATOMIC_ACQUIRE);
    const uint64_t left = r->head - r->at;
    if (left == 0)
        return PD_AGAIN;
    rec->offset = r->at;
    rec->index = r->index;
    rec->depth = 0;
    rec->member = 0;
    rec->nr_cpus_avail = 0;
    rec->old_feature = rec->has_id = false;
    rec->variant = 0;
    const enum pd_code code =
        left > r->memory.size
            ? pi_fail(error, PD_ECOUNT, r->at, "bytes between data_tail and data_head", left, r->memory.size)
            : frame(r, left, rec, error);
    r->at = code ? r->head : r->at + rec->size;
    r->index += !code;
    if (!code && r->table)
        pd_attr_table_resolve(r->table, rec);
    return code;
}
