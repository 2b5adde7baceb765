/* SPDX-License-Identifier: MIT */
/* progress.h - progress of an operation: bytes of records passed, and their total in all passes. */
#ifndef PERFDATA_OPS_PROGRESS_H
#define PERFDATA_OPS_PROGRESS_H

#include "src/container/reader/sample_run.h"

struct pi_progress {
    void (*callback)(void *user, uint64_t done, uint64_t total); /* may be NULL */
    void *user;
    uint64_t done, total; /* total PD_NOWHERE: not known */
    uint64_t untold;      /* bytes since the last report of a record */
};

/* Bytes of the records of a recording; PD_NOWHERE for a stream that cannot seek. */
static inline uint64_t pi_record_bytes(const struct pd_reader *r)
{
    const struct pd_file_info *info = pd_reader_info(r);
    uint64_t n = info->data_end == PD_NOWHERE ? PD_NOWHERE : info->data_end - info->data_offset;
    for (size_t i = 1; i < pd_reader_n_members(r); i++)
        n += pd_reader_member(r, i)->size;
    return n;
}

/* Sets the total: so many bytes, read so many times. */
static inline void pi_progress_expect(struct pi_progress *p, uint64_t bytes, unsigned times)
{
    p->total = p->total == PD_NOWHERE || bytes == PD_NOWHERE ? PD_NOWHERE : p->total + bytes * times;
}

static inline void pi_progress_tell(const struct pi_progress *p)
{
    if (p->callback)
        p->callback(p->user, p->done < p->total ? p->done : p->total, p->total);
}

#define PI_PROGRESS_EVERY 16384 /* bytes */

/* Counts a record of so many bytes. Not each call reports. */
static inline void pi_progress_one(struct pi_progress *p, uint64_t n)
{
    p->done += n;
    p->untold += n;
    if (p->untold < PI_PROGRESS_EVERY)
        return;
    p->untold = 0;
    pi_progress_tell(p);
}

/* The same; records inside a COMPRESSED one count with that one. */
static inline void pi_progress_record(struct pi_progress *p, const struct pd_record *rec)
{
    pi_progress_one(p, rec->depth ? 0 : rec->size + rec->payload_size);
}

/* Counts bytes that were passed at once. */
static inline void pi_progress_bytes(struct pi_progress *p, uint64_t n)
{
    p->done += n;
    if (n)
        pi_progress_tell(p);
}

/* Counts bytes of records that the reader passes where they are; inside, as above. */
static inline void pi_progress_passed(struct pi_progress *p, const struct pd_reader *r, uint64_t n)
{
    pi_progress_bytes(p, pi_reader_is_inside(r) ? 0 : n);
}

#endif
