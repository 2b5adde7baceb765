/* SPDX-License-Identifier: MIT */
/* reader.c - one record after the other. */
#include "src/support/limits.h"
#include "src/container/dir.h"
#include "src/container/file.h"
#include "ahead.h"
#include "sample_run.h"
#include "src/codec/carried.h"
#include "src/codec/parts.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/codec/record_role.h"
#include "src/support/memory.h"
#include "src/support/wire.h"

enum pd_code pd_reader_rewind(struct pd_reader *r, struct pd_error *error)
{
    if (!r->in.seekable)
        return pi_fail(error, PD_EUNSUP, r->at, "input that cannot seek", 0, 0);
    r->index = r->first_index;
    r->old_features = false;
    return pi_dir_enter(r, 0, error);
}

void pi_reader_number_from(struct pd_reader *r, uint64_t first)
{
    r->index = r->first_index = first;
}

/*
 * Nothing more comes of the data, but of a file on a pipe, what is behind it: PD_END, or PD_AGAIN. What keeps
 * it from being read is a finding.
 */
static enum pd_code go_behind(struct pd_reader *r)
{
    const bool cut = r->in.at_end && pi_input_size(&r->in) < r->info.data_end;
    struct pd_error what;
    if (r->no_tail || (!cut && (r->copies_rest || r->info.unfinished)))
        return PD_END;
    const enum pd_code code = pi_file_tail(r, &what);
    if (code == PD_AGAIN)
        return code;
    r->no_tail = code != PD_OK;
    if (code)
        pi_finding(r, NULL, code, what.offset, what.field, what.found, what.expected);
    return PD_END;
}

/* Reading cannot continue. */
static enum pd_code stop(struct pd_reader *r, enum pd_code code)
{
    if (code == PD_AGAIN) /* it can, later */
        return code;
    r->stopped = true;
    go_behind(r);
    return code;
}

/* The input ends in a payload, of which `left` more bytes are available. */
static enum pd_code payload_ends(struct pd_reader *r, uint64_t left, struct pd_error *error)
{
    if (error) {
        *error = r->payload;
        error->found = r->payload.expected - r->payload_left + left;
    }
    return stop(r, PD_ETRUNC);
}

/* Reads the rest of a payload if it is to be judged. */
static enum pd_code probe_payload(struct pd_reader *r, struct pd_error *error)
{
    const uint8_t *bytes;
    size_t n = 1;
    enum pd_code code = PD_OK;
    while (!code && r->probe.collecting && n)
        code = pd_reader_payload(r, &bytes, &n, error);
    return code;
}

/* Skips the rest of a payload. */
static enum pd_code skip_payload(struct pd_reader *r, struct pd_error *error)
{
    const enum pd_code failed = probe_payload(r, error);
    if (failed)
        return failed;
    const uint64_t there = r->end - r->at, n = r->payload_left < there ? r->payload_left : there;
    const uint8_t *p;
    size_t got = 1;
    enum pd_code code;
    if (r->payload_left == 0)
        return PD_OK;
    /* A stream ends at its last byte, whatever its header says: it must be read to the end. */
    if (n && !r->src->seekable && (code = pi_input_at(r->src, r->at + n - 1, 1, &p, &got, error)))
        return stop(r, code);
    if (got == 0)
        return payload_ends(r, pi_input_size(r->src) - r->at, error);
    if (r->payload_left > there)
        return payload_ends(r, there, error);
    r->at += r->payload_left;
    r->payload_left = 0;
    return PD_OK;
}

bool pi_is_stray(enum pd_order order, const uint8_t *p, size_t n)
{
    uint8_t type[4];
    const size_t known = n < 4 ? n : 4;
    //@ loop assigns i;
    for (size_t i = 0; n >= 8 && i < n; i++)
        if ((p[i] < ' ' || p[i] > '~') && p[i] != '\n' && p[i] != '\r' && p[i] != '\t')
            return false;
    //@ loop assigns i, type[0 .. 3];
    for (size_t i = 0; n < 8 && i < pd_set_record_type.n; i++) {
        pi_store32(type, (uint32_t)pd_set_record_type.names[i].value, order);
        if (memcmp(type, p, known) == 0)
            return false;
    }
    return n != 0;
}

/*
 * Captured pipes may end in bytes that are not a record: the console's text, or single bytes. `code` is the
 * result of framing them; PD_END for stray ones. Any two bytes of text are a size, so framing has looked at
 * all that are left.
 */
static enum pd_code find_stray(struct pd_reader *r, enum pd_code code, const uint8_t *p, size_t n)
{
    if (r->info.container != PD_CONTAINER_PIPE || !pi_is_stray(r->info.order, p, n))
        return code;
    r->info.stray = n;
    return PD_END;
}

/* A part goes on to where the next one can begin. */
static bool is_part_over(const struct pd_reader *r)
{
    return r->at >= r->info.data_end && !pi_inflate_is_open(&r->inflate);
}

/* Frames the record at the current position. */
static enum pd_code frame(struct pd_reader *r, struct pd_record *rec, struct pd_error *error)
{
    const uint64_t left = r->end - r->at, start = r->member ? 0 : r->info.data_offset;
    const uint8_t *p;
    size_t got;
    if (r->whole && is_part_over(r))
        return PD_END;
    enum pd_code code = pi_input_at(r->src, r->at, 8, &p, &got, error);
    if (!code && got >= 8 && pi_load16(p + 6, r->info.order) > got)
        code = pi_input_at(r->src, r->at, pi_load16(p + 6, r->info.order), &p, &got, error);
    if (code)
        return code;
    if (got > left)
        got = (size_t)left;
    if (got == 0 && left && r->end != PD_NOWHERE) { /* a stream may even end before its data */
        const uint64_t size = pi_input_size(r->src);
        return pi_fail(error, PD_ETRUNC, size < r->at ? size : r->at, "data", r->at - start, r->end - start);
    }
    if (got == 0)
        return PD_END;
    code = pd_record_frame(r->info.order, p, got, rec, error);
    return code ? find_stray(r, code, p, got) : PD_OK;
}

/* An attr that comes in a pipe stream: perf_event_attr, then its ids. */
static enum pd_code add_stream_attr(struct pd_reader *r, const struct pd_record *rec, struct pd_error *error)
{
    const uint8_t *p = rec->raw + 8;
    const size_t n = rec->size - 8u;
    if (n < 8)
        return PD_OK;
    if (rec->offset < r->attrs_end) {
        pi_attrs_pass(&r->attrs);
        return PD_OK;
    }
    size_t room;
    pi_attr_place(r->info.order, p, n, &room, NULL); /* decoding the record reports damage */
    enum pd_code code =
        pi_attrs_add(&r->attrs, r->info.order, p, room, p + room, (n - room) / 8, rec->offset + 8, error);
    if (code)
        return code; /* without memory now, it is added when it is read again */
    r->attrs.attr[r->attrs.n - 1]->in_stream = true;
    r->late_attrs |= r->begun;
    r->attrs_end = rec->offset + rec->size;
    return PD_OK;
}

/* Compressed data is lost. The next call reports it, since the caller first gets the record itself. */
static void lose(struct pd_reader *r, const struct pd_record *rec, size_t at, const char *field,
                 uint64_t found)
{
    pi_fail_record(&r->pending, PD_EZSTD, rec, at, field, found, 0);
}

/* The data skipped since the damage is reported when reading continues behind it. */
static void note_passed(struct pd_reader *r, const struct pd_record *rec)
{
    struct pi_inflate *z = &r->inflate;
    if (z->broken && z->passed == 1)
        pi_fail_record(&r->passed, PD_EZSTD, rec, 0, "COMPRESSED records passed over since the damage before",
                       0, 0);
    if (z->passed == 0 || z->broken)
        return;
    r->pending = r->passed;
    r->pending.found = z->passed;
    z->passed = 0;
}

/* Starts on the content of a COMPRESSED record. */
static enum pd_code enter(struct pd_reader *r, const struct pd_record *rec, struct pd_error *error)
{
    struct pi_inflate *z = &r->inflate;
    struct pd_bytes chunk;
    uint64_t said;
    if (!pi_compressed_chunk(rec, &r->attrs.none, &chunk, &said)) { /* the next one cannot be read without */
        if (!z->broken)
            lose(r, rec, 8, "data_size", said);
        else
            z->passed++;
        pi_inflate_break(z);
        note_passed(r, rec);
        return PD_OK;
    }
    const enum pd_code code = pi_ahead_chunk(r, rec, &chunk, error);
    if (code)
        return code;
    note_passed(r, rec);
    if (z->cut)
        lose(r, rec, 0, "record cut off by the start of another zstd frame", z->cut);
    r->inside = true;
    return PD_OK;
}

static enum pd_code tell_pending(struct pd_reader *r, struct pd_error *error)
{
    const enum pd_code code = r->pending.code;
    if (error)
        *error = r->pending;
    r->pending.code = PD_OK;
    return code;
}

/* Records of perf or simpleperf are few, and may have a feature. Only findings report damage there. */
static enum pd_code probe(struct pd_reader *r, const struct pd_record *rec, struct pd_error *error)
{
    const enum pd_code code =
        r->probe.on && rec->type >= PD_RECORD_HEADER_ATTR ? pi_probe_record(r, rec, error) : PD_OK;
    return code ? stop(r, code) : PD_OK;
}

/*
 * The next record inside a COMPRESSED one; PD_END: there is none, or its rest is in the next COMPRESSED one.
 */
static enum pd_code next_inside(struct pd_reader *r, struct pd_record *rec, struct pd_error *error)
{
    const uint8_t *p;
    size_t got;
    rec->offset = r->inflate.offset;
    rec->index = r->index;
    rec->depth = 1;
    rec->member = r->member;
    rec->old_feature = false;
    rec->payload_size = 0;
    rec->inner_offset = r->inflate.position;
    enum pd_code code = pi_inflate_at(&r->inflate, 8, &p, &got, error);
    if (!code && got >= 8 && pi_load16(p + 6, r->info.order) > got)
        code = pi_inflate_at(&r->inflate, pi_load16(p + 6, r->info.order), &p, &got, error);
    if (code) {
        r->inside = false;
        return code;
    }
    if (got < 8 || pi_load16(p + 6, r->info.order) > got)
        return PD_END;
    if (pd_record_frame(r->info.order, p, got, rec, error)) {
        pi_inflate_break(&r->inflate);
        r->inside = false;
        return pi_fail_record(error, PD_EZSTD, rec, 6, "size", rec->size, 8);
    }
    if (rec->type == PD_RECORD_HEADER_ATTR) { /* it would tell of samples too late, and is left out */
        pi_inflate_take(&r->inflate, rec->size);
        r->index++;
        return pi_fail_record(error, PD_EZSTD, rec, 0, "HEADER_ATTR inside COMPRESSED", 1, 0);
    }
    if (pi_is_wrapper(rec) && !r->nested) { /* after an error, it is given without being decompressed */
        r->nested = true;
        return pi_fail_record(error, PD_EZSTD, rec, 0, "COMPRESSED inside COMPRESSED", 1, 0);
    }
    r->nested = false;
    r->begun |= pi_attrs_concern(rec);
    pi_attrs_resolve(&r->attrs, rec);
    pi_inflate_take(&r->inflate, rec->size);
    r->index++;
    return probe(r, rec, error);
}

enum pd_code pi_reader_tell_open(const struct pd_reader *r, struct pd_record *rec, struct pd_error *error)
{
    const struct pi_inflate *z = &r->inflate;
    const size_t left = z->end - z->start;
    if (!pi_inflate_holds_begin(z))
        return PD_END;
    const uint8_t *p = z->buf + z->start;
    rec->offset = z->offset;
    rec->type = left < 4 ? PD_RECORD_COMPRESSED : pi_load32(p, r->info.order);
    return pi_fail_record(error, PD_ETRUNC, rec, 0, "record inside COMPRESSED", left,
                          left < 8 ? 8 : pi_load16(p + 6, r->info.order));
}

/* The end of the data; part of a record may be left over from the last COMPRESSED one. */
static enum pd_code at_end(struct pd_reader *r, struct pd_record *rec, struct pd_error *error)
{
    const enum pd_code code = r->member ? PD_OK : pi_file_tail(r, error);
    r->stopped = code != PD_AGAIN;
    return code ? code : pi_reader_tell_open(r, rec, error);
}

/*
 * Google's perf 3.3 wrote feature sections into pipes under types 69 to 80, before the first attr. The first
 * one, the host name, is told from an ID_INDEX by being a string of the length it says.
 */
static void note_old_feature(struct pd_reader *r, struct pd_record *rec)
{
    const bool first = r->info.container == PD_CONTAINER_PIPE && r->attrs.seen == 0 && r->index == 0;
    if (first && rec->type == PD_RECORD_ID_INDEX && rec->size > 12)
        r->old_features = pi_load32(rec->raw + 8, r->info.order) == rec->size - 12u;
    rec->old_feature = pi_reader_in_old_features(r) && rec->type >= PI_OLD_FEATURE &&
                       pi_is_old_feature(rec->type - PI_OLD_FEATURE);
}

/* The layout of other features depends on it. */
static void note_cpus(struct pd_reader *r, struct pd_record *rec)
{
    struct pd_bytes data;
    uint64_t id;
    if ((rec->old_feature || rec->type == PD_RECORD_HEADER_FEATURE) &&
        pi_record_feature(rec, r->info.order, &id, &data))
        pi_note_nrcpus(r->info.order, id, &data, &r->nr_cpus_avail);
    rec->nr_cpus_avail = r->nr_cpus_avail;
}

static enum pd_code next_outside(struct pd_reader *r, struct pd_record *rec, struct pd_error *error)
{
    enum pd_code code = skip_payload(r, error);
    if (code)
        return code;
    rec->offset = r->at;
    rec->index = r->index;
    rec->depth = 0;
    rec->member = r->member;
    code = frame(r, rec, error);
    if (code && code != PD_AGAIN && r->inflate.passed) { /* first what was lost before this place */
        r->pending = r->passed;
        r->pending.found = r->inflate.passed;
        r->inflate.passed = 0;
        return tell_pending(r, error);
    }
    if (code)
        return code == PD_END ? at_end(r, rec, error) : stop(r, code);
    if (r->whole && pi_carries_more(rec)) /* it, or others, mean what a record of another part says */
        return stop(
            r, pi_fail_record(error, PD_EUNSUP, rec, 0, "type, which depends on other parts", rec->type, 0));
    note_old_feature(r, rec);
    note_cpus(r, rec);
    if (rec->type == PD_RECORD_HEADER_ATTR && r->info.container == PD_CONTAINER_PIPE &&
        (code = add_stream_attr(r, rec, error)))
        return stop(r, code);
    r->begun |= pi_attrs_concern(rec);
    pi_attrs_resolve(&r->attrs, rec);
    r->at += rec->size;
    r->index++;
    rec->payload_size = r->payload_left = rec->old_feature ? 0 : pi_payload_behind(rec, r->info.order);
    if (rec->payload_size)
        pi_fail_record(&r->payload, PD_ETRUNC, rec, 0, "payload", 0, rec->payload_size);
    return probe(r, rec, error);
}

/* The function for the current event, if it has a usual sample type. */
static pi_next_decoded *next_decoded_of(const struct pd_reader *r)
{
    const bool here = PD_HOST_ORDER == PD_LITTLE && r->info.order == PD_LITTLE && r->attrs.seen;
    return r->usual[here ? r->attrs.attr[0]->plan.usual : 0][r->attrs.seen > 1];
}

/* Lets pi_reader_next_quick() continue behind the last record, to the end of the visible bytes. */
static void go_on_quick(struct pd_reader *r, const struct pd_record *rec)
{
    struct pi_input *in = r->src;
    const uint64_t to = pi_skips_limit(r->skips, r->whole ? r->info.data_end : r->end);
    const uint64_t skip = r->at - in->base;
    if (r->info.order != PD_HOST_ORDER || rec->type >= PD_RECORD_HEADER_ATTR || r->pending.code ||
        r->inside || r->stopped || r->payload_left || r->at < in->base || skip > in->fill || r->at > to)
        return;
    const uint64_t left = to - r->at;
    r->next_decoded = next_decoded_of(r);
    in->next = in->seen + skip;
    in->stop = in->next + (left < in->fill - skip ? (size_t)left : in->fill - skip);
}

/* ---- Looking ahead */

bool pi_reader_may_look(const struct pd_reader *r)
{
    return r->in.seekable && r->info.container == PD_CONTAINER_FILE && r->n_members <= 1 &&
           r->info.order == PD_HOST_ORDER && r->src == &r->in && !r->skips && !r->whole && !r->headless &&
           !r->stopped && !r->inside && !r->pending.code && !r->payload_left && r->at < r->end &&
           r->end != PD_NOWHERE;
}

bool pi_reader_look(struct pd_reader *r, size_t n, uint64_t *to)
{
    const size_t most = r->end - r->at < n ? (size_t)(r->end - r->at) : n;
    const uint8_t *p;
    size_t got;
    *to = r->at;
    if (!pi_input_widen(r->src, most) || pi_input_at(r->src, r->at, most, &p, &got, NULL) || got < most)
        return false;
    *to += most;
    return true;
}

void pi_reader_stand(struct pd_reader *r, uint64_t at, uint64_t index, uint64_t to)
{
    r->at = at;
    r->index = index;
    r->next_decoded = next_decoded_of(r);
    r->src->next = r->src->seen + (at - r->src->base);
    r->src->stop = r->src->seen + (to - r->src->base);
}

/* Sets the number of the member in an error. */
static enum pd_code say_member(const struct pd_reader *r, enum pd_code code, struct pd_error *error)
{
    if (code && code != PD_END && error)
        error->member = r->member;
    return code;
}

/* pi_reader_next_quick() of a record that was decompressed. */
static inline bool next_inside_quick(struct pd_reader *r, struct pd_record *rec)
{
    const uint8_t *stop, *const p = pi_reader_sees(r, &stop);
    if (!pi_reader_frame_quick(r, p, (size_t)(stop - p), rec))
        return false;
    rec->offset = r->inflate.offset;
    rec->inner_offset = r->inflate.position;
    rec->depth = 1;
    pi_reader_passed(r, p + rec->size, 1);
    return true;
}

/* Separate from the quick one, so that the quick one need not save the registers used here. */
__attribute__((noinline)) static enum pd_code next_any(struct pd_reader *r, struct pd_record *rec,
                                                       struct pd_error *error)
{
    enum pd_code code;
    if (pi_reader_is_inside(r) && next_inside_quick(r, rec))
        return PD_OK;
    pi_input_no_next(r->src);
    if (r->pending.code)
        return tell_pending(r, error);
    if (r->inside && (code = next_inside(r, rec, error)) != PD_END)
        return code;
    r->inside = false;
    if (r->stopped)
        return go_behind(r);
    if (r->skips && (code = pi_reader_next_given(r, rec, error)) != PD_END) /* other parts may follow */
        return !code && pi_carries_more(rec) ? probe(r, rec, error) : code;
    code = next_outside(r, rec, error);
    if (!code)
        go_on_quick(r, rec);
    /* A COMPRESSED record whose own layout is wrong is still a record; decoding it tells. */
    if (!code && pi_is_wrapper(rec) && !r->keep_compressed && enter(r, rec, error) == PD_ENOMEM)
        return PD_ENOMEM;
    return code;
}

bool pi_reader_next_near(struct pd_reader *r, struct pd_record *rec)
{
    if (pi_reader_next_quick(r, rec))
        return true;
    const uint8_t *p = r->src->next;
    const size_t left = (size_t)(r->src->stop - p);
    if (left < sizeof(struct pi_record_header) || pd_record_frame(r->info.order, p, left, rec, NULL) ||
        pi_carries_more(rec) || pi_is_wrapper(rec) || rec->type == PD_RECORD_HEADER_ATTR ||
        pi_payload_behind(rec, r->info.order))
        return false;
    const bool is = next_any(r, rec, NULL) == PD_OK;
    r->src->next = is ? p + rec->size : p;
    r->src->stop = p + left;
    return is;
}

enum pd_code pi_reader_next_here(struct pd_reader *r, struct pd_record *rec, struct pd_error *error)
{
    return pi_reader_next_quick(r, rec) ? PD_OK : say_member(r, next_any(r, rec, error), error);
}

/* The same, across the files of a directory. */
__attribute__((noinline)) static enum pd_code next_of_all(struct pd_reader *r, struct pd_record *rec,
                                                          struct pd_error *error)
{
    enum pd_code code;
    while ((code = next_any(r, rec, error)) == PD_END && r->member + 1 < r->n_members && !r->in.failure.code)
        if ((code = pi_dir_enter(r, r->member + 1, error)))
            break;
    return say_member(r, code, error);
}

enum pd_code pd_reader_next(struct pd_reader *r, struct pd_record *rec, struct pd_error *error)
{
    return pi_reader_next_quick(r, rec) ? PD_OK : next_of_all(r, rec, error);
}

enum pd_code pd_reader_payload(struct pd_reader *r, const uint8_t **bytes, size_t *n, struct pd_error *error)
{
    enum pd_code code;
    *n = 0;
    if (r->payload_left == 0)
        return PD_OK;
    if ((code = pi_input_at(r->src, r->at, 1, bytes, n, error)))
        return say_member(r, stop(r, code), error);
    if (*n > r->end - r->at)
        *n = (size_t)(r->end - r->at);
    if (*n > r->payload_left)
        *n = (size_t)r->payload_left;
    if (*n == 0)
        return say_member(r, payload_ends(r, 0, error), error);
    r->at += *n;
    r->payload_left -= *n;
    return r->probe.collecting && (code = pi_probe_payload(r, r->at - *n, *bytes, *n, error)) ? stop(r, code)
                                                                                              : PD_OK;
}

enum pd_code pi_reader_hold_payload(struct pd_reader *r, const struct pd_allocator *a, uint8_t **bytes,
                                    size_t *n, struct pd_error *error)
{
    const uint8_t *piece;
    size_t now, cap = 0;
    enum pd_code code;
    *bytes = NULL;
    *n = 0;
    while ((code = pd_reader_payload(r, &piece, &now, error)) == PD_OK && now) {
        if (now > cap - *n) {
            cap = cap > now ? 2 * cap : *n + now;
            uint8_t *p = pi_resize(a, *bytes, cap);
            if (p == NULL)
                return pi_fail(error, PD_ENOMEM, r->at, "payload", 0, cap);
            *bytes = p;
        }
        memcpy(*bytes + *n, piece, now);
        *n += now;
    }
    return code;
}
