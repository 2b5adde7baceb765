/* SPDX-License-Identifier: MIT */
/*
 * reader_state.c - the information of a reader about its recording and its position, without reading records.
 */
#include "src/codec/offcpu_bits.h"
#include "src/codec/parts.h"
#include "src/schema/fail.h"
#include "reader_internal.h"
#include "src/support/memory.h"
#include "src/support/wire.h"

enum pd_code pd_reader_failure(const struct pd_reader *r, struct pd_error *error)
{
    if (error)
        *error = r->in.failure;
    return r->in.failure.code;
}

const struct pd_file_info *pd_reader_info(const struct pd_reader *r)
{
    return &r->info;
}

size_t pd_reader_n_attrs(const struct pd_reader *r)
{
    return r->attrs.n;
}

const struct pd_event_attr *pd_reader_attr(const struct pd_reader *r, size_t i)
{
    return i < r->attrs.n ? r->attrs.attr[i] : NULL;
}

uint32_t pd_reader_find_id(const struct pd_reader *r, uint64_t id)
{
    return pi_attrs_find(&r->attrs, id);
}

void pi_reader_name_offcpu(struct pd_reader *r, uint32_t attr, bool is, bool updated)
{
    uint8_t *bits = attr < r->attrs.n ? &r->attrs.attr[attr]->plan.offcpu : NULL;
    if (bits && *bits && (updated || !(*bits & PI_OFFCPU_UPDATED)))
        *bits = (uint8_t)(PI_OFFCPU_ATTR | PI_OFFCPU_NAMED | (is ? PI_OFFCPU_IS : 0) |
                          (updated ? PI_OFFCPU_UPDATED : 0));
}

size_t pd_reader_n_event_types(const struct pd_reader *r)
{
    for (size_t i = 0; i < r->n_extents; i++)
        if (r->extents[i].kind == PD_EXTENT_EVENT_TYPES)
            return (size_t)(r->extents[i].size / PI_BYTES_event_type);
    return 0;
}

enum pd_code pd_reader_event_type(struct pd_reader *r, size_t i, struct pd_event_type *out,
                                  struct pd_error *error)
{
    uint8_t bytes[PI_BYTES_event_type];
    const uint64_t offset = r->info.header.event_types.offset + i * sizeof bytes;
    if (i >= pd_reader_n_event_types(r))
        return pi_fail(error, PD_EARG, PD_NOWHERE, "event type", i, pd_reader_n_event_types(r));
    enum pd_code code = pd_reader_read(r, offset, bytes, sizeof bytes, error);
    if (!code)
        pi_event_type_take(bytes, r->info.order, out);
    return code;
}

size_t pd_reader_n_features(const struct pd_reader *r)
{
    return r->n_features;
}

const struct pd_feature_section *pd_reader_feature(const struct pd_reader *r, size_t i)
{
    return i < r->n_features ? &r->features[i] : NULL;
}

const struct pd_feature_section *pd_reader_find_feature(const struct pd_reader *r, uint16_t number)
{
    for (size_t i = 0; i < r->n_features; i++)
        if (r->features[i].feature == number)
            return &r->features[i];
    return NULL;
}

const struct pd_extent *pd_reader_extents(const struct pd_reader *r, size_t *n)
{
    *n = r->n_extents;
    return r->extents;
}

size_t pd_reader_n_findings(const struct pd_reader *r)
{
    return r->n_findings;
}

const struct pd_error *pd_reader_finding(const struct pd_reader *r, size_t i)
{
    return i < r->n_findings ? &r->findings[i] : NULL;
}

uint64_t pd_reader_offset(const struct pd_reader *r)
{
    return r->at;
}

enum pd_code pd_reader_read(struct pd_reader *r, uint64_t offset, void *buf, size_t n, struct pd_error *error)
{
    uint8_t *out = buf;
    while (n) {
        const uint8_t *p;
        size_t got;
        enum pd_code code = pi_input_at(&r->in, offset, n < 65536 ? n : 65536, &p, &got, error);
        if (code)
            return code;
        if (got == 0)
            return pi_fail(error, PD_ETRUNC, offset, "section", 0, n);
        got = got < n ? got : n;
        memcpy(out, p, got);
        out += got, offset += got, n -= got;
    }
    return PD_OK;
}

void pi_reader_move(struct pd_reader *r, uint64_t at)
{
    if (r->info.container == PD_CONTAINER_PIPE)
        pi_attrs_seek(&r->attrs, at);
    pi_input_no_next(r->src);
    if (r->skips)
        pi_skips_move(r->skips, at);
    r->at = at;
    r->payload_left = 0;
    r->inside = r->nested = r->stopped = false;
    r->pending.code = PD_OK;
}

void pi_reader_go_on(struct pd_reader *r, uint64_t at)
{
    pi_reader_move(r, at);
    if (r->inflate.buf)
        pi_inflate_break(&r->inflate);
}

void pi_reader_copy_rest(struct pd_reader *r)
{
    r->copies_rest = true;
}

void pi_reader_stop(struct pd_reader *r)
{
    pi_reader_move(r, r->at);
    r->stopped = true;
}

enum pd_code pd_reader_decode(const struct pd_reader *r, struct pd_record *rec, struct pd_error *error)
{
    (void)r;
    if (rec->old_feature) {
        rec->layout = NULL;
        rec->rest = (struct pd_bytes){rec->raw + 8, rec->size - 8u};
        rec->has_id = false;
        rec->filled_as = 0;
        rec->decoded = true;
        return PD_OK;
    }
    return pi_attrs_decode(rec, error);
}

enum pd_code pi_finding(struct pd_reader *r, struct pd_error *error, enum pd_code code, uint64_t offset,
                        const char *field, uint64_t found, uint64_t expected)
{
    if (!pi_grow(r->allocator, (void **)&r->findings, r->n_findings, &r->findings_cap, sizeof *r->findings))
        return pi_fail(error, PD_ENOMEM, offset, "findings", 0, sizeof *r->findings);
    pi_fail(&r->findings[r->n_findings++], code, offset, field, found, expected);
    return PD_OK;
}
