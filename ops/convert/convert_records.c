/* SPDX-License-Identifier: MIT */
/*
 * convert_records.c - records of a conversion: reads them one by one, holds them with their payload, and
 * writes them.
 */
#include "convert.h"
#include "encode/codec/carried_head.h"
#include "ops/output/payload.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include <perfdata/session/sorter.h>
#include <string.h>

/*
 * True for a COMPRESSED record inside another one: nobody decompresses it, and records that are compressed
 * again could not be read behind it.
 */
static bool is_nested(const struct pd_record *rec)
{
    return rec->depth && pi_convert_is_chunk(rec);
}

static enum pd_code read_next(struct pi_conversion *c, struct pd_reader *r, struct pd_record *rec,
                              struct pd_error *what)
{
    return c->sorter ? pd_sorter_next(c->sorter, rec, what) : pi_reader_next_here(r, rec, what);
}

/* True for damage after which reading continues: in the next chunk, or in the next member of a directory. */
static bool is_passed(const struct pi_conversion *c, const struct pd_error *what)
{
    return pi_reader_goes_on(what->code) || (c->sorter && !pd_is_failure(what->code));
}

/* Checks a record inside a COMPRESSED one that is copied. */
static enum pd_code check_inside(struct pi_conversion *c, struct pd_reader *r, struct pd_record *rec)
{
    const uint8_t *bytes;
    size_t n;
    struct pi_transcode *t = &c->t;
    if (pi_convert_change_of(c, rec))
        return pi_fail_record(c->error, PD_EARG, rec, 0, "it is inside a compressed record",
                              pi_convert_feature_of(c, rec), 0);
    return t->from == t->to ? pi_transcode_record(t, r, rec, &bytes, &n, c->error) : PD_OK;
}

enum pd_code pi_convert_next(struct pi_conversion *c, struct pd_reader *r, struct pd_record *rec)
{
    struct pd_error what;
    for (;;) {
        enum pd_code code = read_next(c, r, rec, &what);
        if (code == PD_OK && c->from == PD_CONTAINER_PIPE && c->to != PD_CONTAINER_PIPE &&
            (code = pi_attrs_watch(&c->watch, &r->attrs, rec, c->error)))
            return code;
        if (code == PD_OK && (code = pi_offcpu_learn(&c->names, r, rec, c->error)))
            return code;
        if (code == PD_OK && c->open && is_nested(rec))
            continue; /* the reader has reported it */
        if (code == PD_OK && rec->depth && !c->open) {
            if ((code = check_inside(c, r, rec)))
                return code;
            continue;
        }
        if (code == PD_OK)
            return pi_convert_is_compressed(rec) ? pi_convert_check_chunk(c, rec) : PD_OK;
        if (code == PD_END)
            return code;
        const bool passed = is_passed(c, &what);
        if (passed)
            pi_convert_finding(c, &what);
        else
            code = pi_convert_damage(c, &what);
        if (!passed)
            return code ? code : PD_END;
    }
}

/* The destination of a payload. */
struct putting {
    struct pi_conversion *c;
    struct pd_writer *w;
};

/* Writes a piece of a payload, or as many zeros. */
static enum pd_code put_piece(void *user, const uint8_t *bytes, size_t n)
{
    static const uint8_t zeros[4096];
    const struct putting *p = user;
    struct pi_conversion *c = p->c;
    enum pd_code code = PD_OK;
    if (c->t.edits == NULL || !c->t.edits->zero_payload)
        return pd_writer_raw(p->w, bytes, n, c->error);
    for (; !code && n; n -= n < sizeof zeros ? n : sizeof zeros)
        code = pd_writer_raw(p->w, zeros, n < sizeof zeros ? n : sizeof zeros, c->error);
    return code;
}

static enum pd_code put_payload(struct pi_conversion *c, struct pd_reader *r, const struct pd_record *rec,
                                struct pd_writer *w)
{
    struct putting p = {c, w};
    struct pd_error what = {.code = PD_OK};
    const size_t n = c->held_n;
    enum pd_code code = PD_OK;
    c->held_n = 0;
    if (n)
        code = put_piece(&p, c->held + rec->size, n - rec->size);
    if (!code)
        code = pi_copy_payload(r, c->sorter, put_piece, &p, &what);
    return what.code ? pi_convert_damage(c, &what)
                     : code; /* the available part has been written, as in the input */
}

static enum pd_code hold(struct pi_conversion *c, const uint8_t *bytes, size_t n)
{
    size_t cap = c->held_cap ? c->held_cap : 65536;
    while (cap - c->held_n < n)
        cap *= 2;
    uint8_t *more = cap != c->held_cap ? pi_resize(c->allocator, c->held, cap) : c->held;
    if (more == NULL)
        return pi_fail(c->error, PD_ENOMEM, PD_NOWHERE, "payload", 0, cap);
    c->held = more;
    c->held_cap = cap;
    if (n)
        memcpy(c->held + c->held_n, bytes, n);
    c->held_n += n;
    return PD_OK;
}

/* Holds a piece, up to the size that is enough. */
static enum pd_code hold_piece(void *user, const uint8_t *bytes, size_t n)
{
    struct pi_conversion *c = user;
    const enum pd_code code = hold(c, bytes, n);
    return !code && c->held_n >= pi_convert_max_held(c) ? PD_END : code;
}

static enum pd_code hold_payload(struct pi_conversion *c, struct pd_reader *r, struct pd_record *rec,
                                 bool *whole)
{
    struct pd_error what = {.code = PD_OK};
    enum pd_code code = hold_piece(c, rec->raw, rec->size);
    if (!code)
        code = pi_copy_payload(r, NULL, hold_piece, c, &what);
    rec->raw = c->held;
    *whole = what.code == PD_OK;
    if (*whole)
        return code == PD_END ? PD_OK : code;
    c->held_n = 0;
    return pi_convert_damage(c, &what);
}

enum pd_code pi_convert_whole(struct pi_conversion *c, struct pd_reader *r, struct pd_record *rec,
                              bool *whole)
{
    const uint64_t end = rec->member ? c->r->members[rec->member].size : r->info.data_end;
    c->held_n = 0;
    *whole = !r->in.seekable || rec->payload_size == 0 || rec->payload_size <= end - rec->offset - rec->size;
    return r->in.seekable || rec->payload_size == 0 ? PD_OK : hold_payload(c, r, rec, whole);
}

/* Refuses more than may be held, which hold_all() reports. */
static enum pd_code hold_tracing(void *user, const uint8_t *bytes, size_t n)
{
    struct pi_conversion *c = user;
    const uint64_t most = pi_convert_max_held(c);
    return n <= most && c->held_n <= most - n ? hold(c, bytes, n) : PD_ELIMIT;
}

/* Holds all of the payload, c->held_n bytes with the record; 0: the input ends before it. */
static enum pd_code hold_all(struct pi_conversion *c, struct pd_reader *r, const struct pd_record *rec)
{
    struct pd_error what = {.code = PD_OK};
    enum pd_code code = c->held_n ? PD_OK : hold(c, rec->raw, rec->size);
    if (!code)
        code = pi_copy_payload(r, c->sorter, hold_tracing, c, &what);
    if (code == PD_ELIMIT && what.code == PD_OK)
        return pi_fail_record(c->error, PD_ELIMIT, rec, 0, "tracing data", rec->payload_size,
                              pi_convert_max_held(c));
    if (what.code == PD_OK)
        return code;
    c->held_n = 0;
    return pi_convert_damage(c, &what);
}

/* Writes tracing data behind its record, edited as a whole; the record gets the new size. */
static enum pd_code put_edited_tracing(struct pi_conversion *c, struct pd_reader *r,
                                       const struct pd_record *rec, struct pd_writer *w)
{
    static const uint8_t zeros[8];
    const uint16_t size = rec->size;
    struct pd_bytes out;
    bool there;
    enum pd_code code = hold_all(c, r, rec);
    const size_t all = c->held_n;
    c->held_n = 0;
    if (code || all == 0)
        return code;
    const struct pi_edits_section section = {c->t.from, PD_FEAT_TRACING_DATA, 0,
                                             rec->offset + (rec->depth ? 0 : size)};
    code = pi_edits_feature(c->t.edits, &section, c->held + size,
                            pi_tracing_bytes(c->held + size, all - size), &out, &there, c->error);
    if (code || !there)
        return code;
    const size_t pad = pi_align8(out.n) - out.n;
    pi_store32(c->t.bytes + 8, (uint32_t)(out.n + pad), c->t.to);
    code = pd_writer_raw(w, c->t.bytes, size, c->error);
    if (!code)
        code = pd_writer_raw(w, out.ptr, out.n, c->error);
    c->stats->records++;
    return code ? code : pd_writer_raw(w, zeros, pad, c->error);
}

/* In a file, the type of its own that a feature has in streams of perf 3.3 is another record's. */
static enum pd_code put_old_feature(struct pi_conversion *c, const struct pd_record *rec,
                                    const uint8_t *bytes, size_t n, struct pd_writer *w)
{
    uint8_t *p = c->t.other;
    n -= PI_CARRIED_HEAD_OLD;
    if (n > PI_CARRIED_MOST)
        return pi_fail(c->error, PD_ELIMIT, rec->offset, "size of a feature's record", n, PI_CARRIED_MOST);
    const size_t head = pi_put_carried_head(c->t.to, rec->type - PI_OLD_FEATURE, false, n, p);
    memcpy(p + head, bytes + PI_CARRIED_HEAD_OLD, n);
    c->stats->records++;
    return pd_writer_raw(w, p, head + n, c->error);
}

enum pd_code pi_convert_put(struct pi_conversion *c, struct pd_reader *r, struct pd_record *rec,
                            struct pd_writer *w)
{
    const uint8_t *bytes;
    size_t n = 0;
    if (w->plain && !pi_is_early(rec))
        w->plain = false;
    const struct pd_feature_change *change = pi_convert_change_of(c, rec);
    if (change)
        return pi_convert_put_change(c, change, rec, w);
    enum pd_code code = pi_convert_check_topology(c, rec);
    if (!code)
        code = pi_transcode_record(&c->t, r, rec, &bytes, &n, c->error);
    if (code || n == 0)
        return code;
    if (rec->old_feature && c->to != PD_CONTAINER_PIPE)
        return put_old_feature(c, rec, bytes, n, w);
    if (c->t.edits && rec->payload_size && rec->type == PD_RECORD_HEADER_TRACING_DATA)
        return put_edited_tracing(c, r, rec, w);
    code = pd_writer_raw(w, bytes, n, c->error);
    if (!code && w == c->out.writer)
        code = pi_aux_index_note(&c->out.aux, w, rec, c->error);
    c->stats->records++;
    return code || !rec->payload_size ? code : put_payload(c, r, rec, w);
}
