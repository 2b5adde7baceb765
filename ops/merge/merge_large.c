/* SPDX-License-Identifier: MIT */
/*
 * merge_large.c - large records, whose parts of one input must not be taken for those of another one: they
 * wait until the end has come. Then they are written together, unless another input had the same record.
 */
#include "merge.h"
#include "src/schema/fail.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include <string.h>

static enum pd_code hold_part(struct pi_merging *m, struct pi_merge_parts *parts, const struct pd_record *rec)
{
    if (parts->n > (size_t)PI_LIMIT_LARGE_RECORD - rec->size)
        return pi_fail_record(m->error, PD_ELIMIT, rec, 0, "record in parts", parts->n + rec->size,
                              PI_LIMIT_LARGE_RECORD);
    if (parts->cap - parts->n < rec->size) {
        const size_t cap = 2 * (parts->n + rec->size);
        uint8_t *bytes = pi_resize(m->allocator, parts->bytes, cap);
        if (bytes == NULL)
            return pi_fail_record(m->error, PD_ENOMEM, rec, 0, "record in parts", 0, cap);
        parts->bytes = bytes;
        parts->cap = cap;
    }
    memcpy(parts->bytes + parts->n, rec->raw, rec->size);
    parts->n += rec->size;
    return PD_OK;
}

/* True if one has the parts of the other, and perhaps more. */
static bool goes_on(const struct pi_merge_parts *a, const struct pi_merge_parts *begin)
{
    return begin->n <= a->n && memcmp(a->bytes, begin->bytes, begin->n) == 0;
}

/* Writes the parts, or leaves them out if another input had the same. */
static enum pd_code put_parts(struct pi_merging *m, uint32_t input, bool again)
{
    struct pi_merge_parts *parts = &m->in[input].parts;
    const size_t n = parts->n;
    enum pd_code code = n && !again ? pi_merge_state_bytes(m, input, parts->bytes, n, &again) : PD_OK;
    parts->n = parts->begun = 0;
    for (size_t at = 0, size; !code && at < n; at += size) {
        size = pi_load16(parts->bytes + at + 6, m->order);
        if (again)
            m->stats->duplicates++;
        else
            code = pi_merge_write(m, input, UINT32_MAX, parts->bytes + at, size);
    }
    return code;
}

/* Others have the begin of a record that is whole here: what split leaves in the pieces before its end. */
static void note_begun(struct pi_merging *m, uint32_t input)
{
    const struct pi_merge_parts *whole = &m->in[input].parts;
    for (uint32_t i = 0; i < m->n; i++) {
        struct pi_merge_parts *parts = &m->in[i].parts;
        if (i != input && parts->n && goes_on(whole, parts))
            parts->begun = parts->n;
    }
}

/* True if the parts without an end are in another input, with others behind them. */
static bool is_begin(const struct pi_merging *m, uint32_t input)
{
    const struct pi_merge_parts *parts = &m->in[input].parts;
    bool begins = parts->n && parts->begun == parts->n;
    for (uint32_t i = 0; !begins && parts->n && i < m->n; i++)
        begins = m->in[i].parts.n > parts->n && goes_on(&m->in[i].parts, parts);
    return begins;
}

enum pd_code pi_merge_part(struct pi_merging *m, uint32_t input, const struct pd_record *rec)
{
    const enum pd_code code = hold_part(m, &m->in[input].parts, rec);
    if (code || rec->type != PD_RECORD_SIMPLEPERF_SPLIT_END)
        return code;
    note_begun(m, input);
    return put_parts(m, input, false);
}

enum pd_code pi_merge_open_parts(struct pi_merging *m)
{
    enum pd_code code = PD_OK;
    for (uint32_t i = 0; !code && i < m->n; i++) /* the longest is the begin of none, so it stays */
        code = is_begin(m, i) ? put_parts(m, i, true) : PD_OK;
    for (uint32_t i = 0; !code && i < m->n; i++)
        code = put_parts(m, i, false);
    return code;
}
