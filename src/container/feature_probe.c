/* SPDX-License-Identifier: MIT */
/* feature_probe.c - finds damage in features, in tracing data, and in the records that carry them. */
#include "src/codec/carried.h"
#include "src/codec/record_role.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "reader/reader_internal.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/support/wire.h"

enum pd_code pi_probe_feature(enum pd_order order, uint32_t id, uint32_t nr_cpus_avail, struct pd_bytes data,
                              uint64_t offset, bool inside, struct pd_feature *f, struct pd_error *why)
{
    const enum pd_code code = pd_feature_decode(order, id, nr_cpus_avail, data.ptr, data.n, f, why);
    if (code)
        why->offset =
            inside || offset == PD_NOWHERE || why->offset == PD_NOWHERE ? offset : offset + why->offset;
    return code;
}

enum pd_code pi_record_tracing_data(const struct pd_record *rec, enum pd_order order, struct pd_bytes *data,
                                    struct pd_error *why)
{
    const size_t begin = 12; /* behind the header and a size of 4 bytes */
    const bool inner = rec->type == PD_RECORD_SIMPLEPERF_TRACING_DATA || pi_has_tracing_inside(rec);
    *data = (struct pd_bytes){NULL, 0};
    if (!inner || rec->old_feature || rec->size < begin)
        return PD_OK;
    const uint32_t n = pi_load32(rec->raw + 8, order);
    const size_t room = rec->size - begin;
    *data = (struct pd_bytes){rec->raw + begin, n < room ? n : room};
    return n > room ? pi_fail_record(why, PD_ESHORT, rec, begin, "data", room, n) : PD_OK;
}

enum pd_code pi_probe_carried(enum pd_order order, uint32_t nr_cpus_avail, const struct pd_record *rec,
                              struct pd_error *why)
{
    struct pd_bytes data;
    struct pd_feature f;
    uint64_t id = PD_FEAT_TRACING_DATA;
    if (!pi_record_feature(rec, order, &id, &data)) {
        const enum pd_code code = pi_record_tracing_data(rec, order, &data, why);
        if (code || !data.n)
            return code;
    }
    return id > 255 ? PD_OK
                    : pi_probe_feature(order, (uint32_t)id, nr_cpus_avail, data,
                                       rec->offset + (uint64_t)(data.ptr - rec->raw) * !rec->depth,
                                       rec->depth != 0, &f, why);
}

bool pi_carries_more(const struct pd_record *rec)
{
    switch (rec->type) {
    case PD_RECORD_HEADER_FEATURE:
    case PD_RECORD_SIMPLEPERF_TRACING_DATA:
    case PD_RECORD_SIMPLEPERF_SPLIT:
    case PD_RECORD_SIMPLEPERF_SPLIT_END: return true;
    case PD_RECORD_HEADER_TRACING_DATA: return pi_has_tracing_inside(rec);
    default: return false;
    }
}

static enum pd_code note(struct pd_reader *r, const struct pd_error *what, struct pd_error *error)
{
    struct pi_probe *p = &r->probe;
    struct pd_error more;
    if (p->noted == PI_LIMIT_FINDINGS)
        return PD_OK;
    if (++p->noted == PI_LIMIT_FINDINGS) {
        pi_fail(&more, PD_ELIMIT, what->offset, "findings", PI_LIMIT_FINDINGS, PI_LIMIT_FINDINGS - 1);
        what = &more;
    }
    const enum pd_code code =
        pi_finding(r, error, what->code, what->offset, what->field, what->found, what->expected);
    if (!code) {
        r->findings[r->n_findings - 1] = *what;
        r->findings[r->n_findings - 1].member = r->member;
    }
    return code;
}

/* Running out of memory, or a failing input, does not mean damage of the recording. */
static enum pd_code settle(struct pd_reader *r, enum pd_code code, const struct pd_error *what,
                           struct pd_error *error)
{
    if (!pd_is_failure(code))
        return code ? note(r, what, error) : PD_OK;
    if (error)
        *error = *what;
    return code;
}

/* ---- Sections */

uint32_t pi_nr_cpus_avail(struct pd_reader *r)
{
    const struct pd_feature_section *s = pd_reader_find_feature(r, PD_FEAT_NRCPUS);
    const bool known =
        r->in.seekable ||
        r->info.file_size != PD_NOWHERE; /* of a stream, sections are kept when its data has ended */
    uint8_t bytes[4];
    const bool there = s && s->intact && s->section.size >= sizeof bytes && known &&
                       pd_reader_read(r, s->section.offset, bytes, sizeof bytes, NULL) == PD_OK;
    uint32_t cpus = 0;
    if (there)
        pi_note_nrcpus(r->info.order, PD_FEAT_NRCPUS, &(struct pd_bytes){bytes, sizeof bytes}, &cpus);
    return cpus;
}

static enum pd_code probe_section(struct pd_reader *r, const struct pd_feature_section *s, uint32_t cpus,
                                  struct pd_error *error)
{
    const size_t n = (size_t)s->section.size;
    struct pd_error what;
    struct pd_feature f;
    if (!s->intact || n == 0 || s->section.size > PI_LIMIT_PROVEN || !pi_layout_of_feature(s->feature))
        return PD_OK;
    uint8_t *bytes = pi_resize(r->allocator, NULL, n);
    if (bytes == NULL)
        return pi_fail(error, PD_ENOMEM, s->section.offset, "feature", 0, n);
    enum pd_code code = pd_reader_read(r, s->section.offset, bytes, n, &what);
    if (!code)
        code = pi_probe_feature(r->info.order, s->feature, cpus, (struct pd_bytes){bytes, n},
                                s->section.offset, false, &f, &what);
    pi_release(r->allocator, bytes);
    return settle(r, code, &what, error);
}

enum pd_code pi_probe_sections(struct pd_reader *r, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    if (!r->probe.on || r->n_features == 0)
        return PD_OK;
    const uint32_t cpus = pi_nr_cpus_avail(r);
    for (size_t i = 0; !code && i < r->n_features; i++)
        code = probe_section(r, &r->features[i], cpus, error);
    return code;
}

/* ---- Records */

enum pd_code pi_probe_part(struct pd_large_parts *parts, enum pd_order order, const struct pd_record *rec,
                           struct pd_error *what)
{
    struct pd_large_record large;
    struct pd_feature f;
    enum pd_code code = pd_large_parts_add(parts, order, rec, &large, what);
    if (!code && large.type == PD_RECORD_SIMPLEPERF_TRACING_DATA && large.layout) {
        const struct pd_bytes *data = &large.u.simpleperf_tracing_data.data;
        code = pi_probe_feature(order, PD_FEAT_TRACING_DATA, 0, *data, rec->offset, true, &f, what);
    }
    if (code)
        what->offset = rec->offset;
    return code;
}

bool pi_parts_enter(struct pi_file_parts *p, uint32_t member)
{
    const bool open = member > p->member && (p->open || p->parts.n);
    if (member != p->member) {
        p->parts.n = 0;
        p->open = false;
        p->member = member;
    }
    return open;
}

static enum pd_code probe_part(struct pd_reader *r, const struct pd_record *rec, struct pd_error *what)
{
    struct pi_probe *p = &r->probe;
    const bool open = pi_parts_enter(&p->split, rec->member);
    struct pd_error behind;
    pi_fail_record(&behind, PD_EVALUE, rec, 0,
                   "part of a large record behind one of another file without an end", rec->type, 0);
    if (!p->split_any)
        p->split_first = behind;
    p->split_any = true;
    p->split.open = false;
    const enum pd_code code = pi_probe_part(&p->split.parts, r->info.order, rec, what);
    if (!code && open)
        *what = behind;
    return !code && open ? PD_EVALUE : code;
}

const struct pd_error *pi_probe_take_parts(struct pi_probe *p, const struct pi_probe *of, uint32_t member)
{
    if (!of->split_any && member > p->split.member)
        return NULL;
    const bool open = pi_parts_enter(&p->split, member);
    p->split.parts.n = 0;
    p->split.open = of->split.parts.n != 0;
    return open ? &of->split_first : NULL;
}

static enum pd_code probe(struct pd_reader *r, const struct pd_record *rec, struct pd_error *what)
{
    struct pd_record copy = *rec;
    enum pd_code code;
    if (pi_is_part(rec))
        return probe_part(r, rec, what);
    code = rec->plan || rec->old_feature ? pd_reader_decode(r, &copy, what) : PD_OK;
    if (code == PD_EUNKNOWN)
        return PD_OK;
    return code ? code : pi_probe_carried(r->info.order, r->nr_cpus_avail, rec, what);
}

/* Tracing data comes behind the record; it is judged when it is complete. */
static void collect(struct pd_reader *r, const struct pd_record *rec)
{
    struct pi_probe *p = &r->probe;
    p->collecting = rec->type == PD_RECORD_HEADER_TRACING_DATA && rec->payload_size &&
                    rec->payload_size <= PI_LIMIT_PROVEN;
    p->payload = p->at = rec->offset + rec->size;
    p->n = 0;
}

enum pd_code pi_probe_record(struct pd_reader *r, const struct pd_record *rec, struct pd_error *error)
{
    struct pi_probe *p = &r->probe;
    struct pd_error what;
    p->collecting = false;
    if (rec->index < p->next)
        return PD_OK;
    p->next = rec->index + 1;
    if (rec->type == PD_RECORD_FINISHED_ROUND)
        return PD_OK;
    collect(r, rec);
    const enum pd_code code = probe(r, rec, &what);
    return settle(r, code, &what, error);
}

/* ---- Data behind a record */

static enum pd_code append(struct pd_reader *r, const uint8_t *bytes, size_t n, struct pd_error *error)
{
    struct pi_probe *p = &r->probe;
    if (n > p->cap - p->n) {
        const size_t cap = p->cap > n ? 2 * p->cap : p->n + n;
        uint8_t *more = pi_resize(r->allocator, p->bytes, cap);
        if (more == NULL)
            return pi_fail(error, PD_ENOMEM, p->at, "payload", 0, cap);
        p->bytes = more;
        p->cap = cap;
    }
    memcpy(p->bytes + p->n, bytes, n);
    p->n += n;
    p->at += n;
    return PD_OK;
}

static void drop(struct pd_reader *r)
{
    pi_release(r->allocator, r->probe.bytes);
    r->probe.bytes = NULL;
    r->probe.n = r->probe.cap = 0;
    r->probe.collecting = false;
}

enum pd_code pi_probe_payload(struct pd_reader *r, uint64_t at, const uint8_t *bytes, size_t n,
                              struct pd_error *error)
{
    struct pi_probe *p = &r->probe;
    struct pd_error what;
    struct pd_feature f;
    enum pd_code code = PD_OK;
    if (!p->collecting)
        return PD_OK;
    if (at != p->at) /* the reader went on elsewhere */
        drop(r);
    else if (!(code = append(r, bytes, n, error)) && r->payload_left == 0) {
        const struct pd_bytes data = {p->bytes, p->n};
        code = pi_probe_feature(r->info.order, PD_FEAT_TRACING_DATA, 0, data, p->payload, false, &f, &what);
        code = settle(r, code, &what, error);
        drop(r);
    }
    return code;
}

void pi_probe_free(struct pd_reader *r)
{
    drop(r);
    pd_large_parts_free(&r->probe.split.parts);
}
