/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/large_record.h - records of more than 65535 bytes, as simpleperf writes them: its records
 * (type 32769 and up) have sizes of 32 bits, and in a file the large ones are cut into SIMPLEPERF_SPLIT
 * records that a SIMPLEPERF_SPLIT_END ends.
 *
 *     struct pd_large_parts parts = {0};
 *     while (pd_reader_next(reader, &rec, &error) == PD_OK)
 *         if (pd_large_parts_add(&parts, order, &rec, &large, &error) == PD_OK && large.type)
 *             … // large.u.simpleperf_tracing_data
 *     pd_large_parts_free(&parts);
 */
#ifndef PERFDATA_SESSION_LARGE_RECORD_H
#define PERFDATA_SESSION_LARGE_RECORD_H

#include <perfdata/session/fields.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A joined record. Points into the data it was made from. */
struct pd_large_record {
    uint32_t type;              /* 0: none, or not yet */
    uint32_t size;              /* bytes with the header; for encoding, 0: computed */
    struct pd_bytes raw;        /* all of it, header included; n may differ from size in damaged recordings */
    const struct pd_op *layout; /* NULL: unknown or damaged, all bytes behind the header are in `rest` */
    struct pd_bytes rest;       /* bytes behind the known fields */
    union pd_payload u;
};

/* The parts so far. Begins as all 0 (allocator NULL: malloc). */
struct pd_large_parts {
    const struct pd_allocator *allocator;
    uint8_t *bytes;
    size_t n, cap;
    uint64_t max_bytes; /* most bytes that are kept; 0: 256 MiB */
};
PD_EXPERIMENTAL void pd_large_parts_free(struct pd_large_parts *parts);

/*
 * Takes a SIMPLEPERF_SPLIT or SIMPLEPERF_SPLIT_END record; any other record only clears large->type.
 * After SPLIT_END *large is the whole, valid until the next call. Errors: PD_ENOMEM; PD_ELIMIT: too much; and
 * those of decoding, with large->type, size, raw and rest set.
 */
PD_EXPERIMENTAL enum pd_code pd_large_parts_add(struct pd_large_parts *parts, enum pd_order order,
                                                const struct pd_record *rec, struct pd_large_record *large,
                                                struct pd_error *error);

/* Decodes a whole record of 32-bit size from its n bytes. PD_ESHORT, PD_ESIZE, or the error of a field. */
PD_EXPERIMENTAL enum pd_code pd_large_record_decode(enum pd_order order, const void *bytes, size_t n,
                                                    struct pd_large_record *large, struct pd_error *error);
/* The reverse; as pd_record_encode(). */
PD_EXPERIMENTAL enum pd_code pd_large_record_encode(enum pd_order order, const struct pd_large_record *large,
                                                    void *out, size_t cap, size_t *size,
                                                    struct pd_error *error);

/*
 * Calls back with the records that represent one record of n bytes: the record itself if it has up to 65535
 * bytes, else SPLIT records and SPLIT_END. `piece` is valid during the call; a result other than 0 ends the
 * loop and is returned.
 */
PD_EXPERIMENTAL int pd_large_record_cut(enum pd_order order, const void *bytes, size_t n,
                                        int (*piece)(void *user, const void *record, size_t size),
                                        void *user);

/* Its fields, then `rest`, when there is any. */
PD_EXPERIMENTAL void pd_fields_of_large_record(struct pd_fields *it, const struct pd_large_record *large);

#ifdef __cplusplus
}
#endif
#endif
