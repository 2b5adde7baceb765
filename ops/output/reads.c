/* SPDX-License-Identifier: MIT */
/* reads.c - sums of counters in samples where others are left out. */
#include "reads.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include "src/support/wrap.h"

static bool reader_knows(const void *who, uint64_t id)
{
    return pd_reader_find_id(who, id) != UINT32_MAX;
}

void pi_reads_init(struct pi_reads *r, const struct pd_reader *reader, const struct pd_allocator *allocator)
{
    *r = (struct pi_reads){.allocator = allocator, .knows = reader_knows, .who = reader};
}

void pi_reads_free(struct pi_reads *r)
{
    pi_ids_free(&r->last);
}

/* A counter's value in the record, or its id, from the record's start. */
struct place {
    size_t value, id;
};

/* The counters of the sample, by place: n of them, each `step` behind the one before. */
static size_t find_counters(const struct pd_record *rec, struct place *first, size_t *step)
{
    const uint64_t format = rec->plan->shape.read_format;
    const size_t start = rec->plan->read, times = (format & PD_FORMAT_TOTAL_TIME_ENABLED ? 8u : 0u) +
                                                  (format & PD_FORMAT_TOTAL_TIME_RUNNING ? 8u : 0u);
    if (start == 0 || !(format & PD_FORMAT_ID)) /* their event is not known */
        return 0;
    *step = 16 + (format & PD_FORMAT_LOST ? 8 : 0);
    if (format & PD_FORMAT_GROUP) {
        *first = (struct place){start + 8 + times, start + 8 + times + 8};
        return rec->u.sample.read.values.n;
    }
    *first = (struct place){start, start + 8 + times};
    return 1;
}

/* Adds the counter's difference to the sum of the output. */
PI_WRAPS static bool add_counter(struct pi_reads *r, struct pi_ids *written, uint64_t id, uint64_t value,
                                 uint64_t *sum)
{
    uint64_t before = 0;
    *sum = 0;
    pi_ids_get(&r->last, id, &before);
    if (written) {
        pi_ids_get(written, id, sum);
        *sum += value - before;
        if (!pi_ids_set(written, id, *sum))
            return false;
    }
    return pi_ids_set(&r->last, id, value);
}

enum pd_code pi_reads_pass(struct pi_reads *r, struct pi_ids *written, struct pd_record *rec,
                           uint8_t room[UINT16_MAX + 1], const uint8_t **bytes, struct pd_error *error)
{
    const enum pd_order order = (enum pd_order)rec->plan->order;
    struct place at;
    size_t step;
    uint64_t sum;
    *bytes = rec->raw;
    if (pd_record_decode_framed(rec->plan, rec, NULL))
        return PD_OK;
    r->last.allocator = r->allocator;
    if (written)
        written->allocator = r->allocator;
    for (size_t n = find_counters(rec, &at, &step); n; n--, at.value += step, at.id += step) {
        const uint64_t id = pi_load64(rec->raw + at.id, order), value = pi_load64(rec->raw + at.value, order);
        if (!r->knows(r->who, id))
            continue;
        if (!add_counter(r, written, id, value, &sum))
            return pi_fail_record(error, PD_ENOMEM, rec, 0, "read", 0, r->last.size);
        if (written == NULL || sum == value)
            continue;
        if (*bytes == rec->raw)
            *bytes = memcpy(room, rec->raw, rec->size);
        pi_store64(room + at.value, sum, order);
    }
    return PD_OK;
}
