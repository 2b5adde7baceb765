/* SPDX-License-Identifier: MIT */
/*
 * digest.h - one number for all results of a reader: two ways to read the same recording must give the same.
 */
#ifndef PERFDATA_TEST_DIGEST_H
#define PERFDATA_TEST_DIGEST_H

#include "src/container/reader/reader_internal.h"
#include "src/container/input.h"
#include <perfdata/reader.h>
#include <perfdata/session/part.h>
#include <xxhash.h>

struct digest {
    uint64_t hash;
    uint64_t records, decoded;
    enum pd_code code; /* that ended it */
    struct pd_error error;
};

/* The same of any pieces of the same bytes. */
static inline void digest_bytes(struct digest *d, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < n; i++)
        d->hash = (d->hash ^ p[i]) * UINT64_C(0x100000001b3);
}

static inline void digest_number(struct digest *d, uint64_t v)
{
    d->hash = (d->hash ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    d->hash ^= d->hash >> 32;
}

static inline enum pd_code digest_payload(struct digest *d, struct pd_reader *r)
{
    const uint8_t *p;
    size_t n;
    enum pd_code code;
    while ((code = pd_reader_payload(r, &p, &n, &d->error)) == PD_OK && n)
        digest_bytes(d, p, n);
    return code;
}

static inline void digest_record(struct digest *d, struct pd_reader *r, struct pd_record *rec)
{
    struct pd_error error = {0};
    digest_number(d, rec->offset);
    digest_number(d, rec->index);
    digest_number(d, rec->attr_index);
    digest_number(d, rec->payload_size);
    d->hash = XXH3_64bits_withSeed(rec->raw, rec->size, d->hash);
    digest_number(d, pd_reader_decode(r, rec, &error));
    digest_number(d, error.record_offset);
    if (rec->decoded &&
        rec->type == PD_RECORD_SAMPLE) /* the first two of what fields there may be, and what was left */
        digest_number(d, rec->u.sample.ip + rec->u.sample.id + rec->u.sample.time + rec->u.sample.period +
                             rec->rest.n + rec->variant);
    d->records++;
    d->decoded += rec->decoded;
}

static inline void digest_rest(struct digest *d, struct pd_reader *r, bool slowly)
{
    struct pd_record rec = {0};
    for (;;) {
        if (slowly) {
            pi_input_no_next(r->src);
            rec = (struct pd_record){0};
        }
        d->code = pd_reader_next(r, &rec, &d->error);
        digest_number(d, d->code);
        if (d->code == PD_EZSTD || d->code == PD_ELIMIT)
            continue;
        if (d->code)
            break;
        digest_record(d, r, &rec);
        if (rec.payload_size && (d->code = digest_payload(d, r)))
            break;
    }
}

/*
 * From the reader's position to the end; slowly: each record by itself, without the fast paths for runs of
 * similar records.
 */
static inline struct digest digest_all(struct pd_reader *r, bool slowly)
{
    struct digest d = {0};
    digest_rest(&d, r, slowly);
    return d;
}

/* A part, unless it has a message: then the digest stays. */
static inline bool digest_part(struct digest *d, struct pd_reader *part)
{
    const struct digest before = *d;
    struct pd_record rec = {0};
    enum pd_code code;
    while ((code = pd_reader_next(part, &rec, &d->error)) == PD_OK) {
        digest_number(d, code);
        rec.index += before.records;
        digest_record(d, part, &rec);
        if (rec.payload_size && digest_payload(d, part))
            break;
    }
    if (code == PD_END)
        return true;
    *d = before;
    return false;
}

/* All records of a new reader, by parts of so many bytes as far as these are certain; *certain: to where. */
static inline struct digest digest_parts(struct pd_reader *r, uint64_t bytes, uint64_t *certain)
{
    const struct pd_file_info *info = pd_reader_info(r);
    struct digest d = {0};
    struct pd_reader *part;
    *certain = info->data_offset;
    if (pd_reader_open_part(&part, r, NULL, NULL) == PD_OK) {
        for (uint64_t from = info->data_offset, to; from < info->data_end; from = to) {
            to = info->data_end - from < bytes ? info->data_end : from + bytes;
            if (pd_reader_take_part(part, from, to, NULL) == PD_OK &&
                pd_reader_info(part)->data_offset == *certain && digest_part(&d, part))
                *certain = pd_reader_offset(part);
            else if (*certain < to)
                break;
        }
        pd_reader_close(part);
        if (d.records && pd_reader_seek(r, *certain, d.records, &d.error))
            return d;
    }
    digest_rest(&d, r, false);
    return d;
}

static inline struct digest digest_reader(struct pd_reader *r)
{
    return digest_all(r, false);
}

#endif
