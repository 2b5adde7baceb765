/* SPDX-License-Identifier: MIT */
/* repair.c - what is intact of a damaged recording, as a recording without damage. */
#include "repair.h"
#include "codec_internal.h"
#include "filter.h"
#include "transcode.h"
#include "wire.h"
#include <perfdata/feature.h>

#define IN_A_ROW 3       /* records that make sense, for reading to go on there */
#define MOST_BUILD_ID 20 /* bytes */
#define MOST_LOOKED_AT \
    (UINT64_C(64) << 20) /* bytes of a feature that is decoded to see whether it is intact */

struct repair {
    struct pd_reader *r;
    const struct pd_repair_options *options;
    struct pd_repair_stats *stats;
    struct pd_error *error;
    struct pd_filter_options filter; /* allocator and members, for what filter.h shares */
    struct pd_filter_stats unused;
    struct pd_sections sections;
    struct pd_filter_out out;
    bool writing;
    struct pd_lost_range lost; /* the last range; told when another one begins */
    bool skip[256];            /* features that are left out */
    bool damaged;
    struct pd_moved *moved;
    size_t moved_cap;
    uint64_t passed, total;
    uint32_t tick;
};

/* ---- What is lost */

static void tell_lost(struct repair *p)
{
    if (p->lost.bytes == 0)
        return;
    p->stats->ranges++;
    p->stats->lost += p->lost.bytes;
    if (p->options->lost)
        p->options->lost(p->options->user, &p->lost);
    p->lost.bytes = 0;
}

static void lose(struct repair *p, uint64_t offset, uint64_t n, const struct pd_error *why)
{
    struct pd_lost_range *l = &p->lost;
    p->damaged = true;
    if (n == 0)
        return;
    if (l->bytes && l->member == p->r->member && offset >= l->offset && offset <= l->offset + l->bytes) {
        const uint64_t end = offset + n;
        l->bytes = end > l->offset + l->bytes ? end - l->offset : l->bytes;
        return;
    }
    tell_lost(p);
    *l = (struct pd_lost_range){.offset = offset, .bytes = n, .member = p->r->member, .why = *why};
}

/* ---- Does it make sense? */

/* A record that can be decoded and leaves nothing over; *next: the place behind it. */
static bool is_record(struct pd_reader *r, uint64_t at, uint64_t *next)
{
    const enum pd_order order = r->info.order;
    struct pd_record rec = {0};
    const uint8_t *p;
    size_t got;
    if (r->end - at < 8 || pd_input_at(r->src, at, 8, &p, &got, NULL) || got < 8)
        return false;
    const uint16_t size = pd_load16(p + 6, order);
    if (size < 8 || size > r->end - at || !pd_set_name(&pd_set_record_type, pd_load32(p, order)))
        return false;
    if (pd_input_at(r->src, at, size, &p, &got, NULL) || got < size ||
        pd_record_frame(order, p, got, &rec, NULL))
        return false;
    pd_attrs_resolve(&r->attrs, &rec);
    if (!rec.plan || (rec.type == PD_RECORD_SAMPLE && !rec.attr) ||
        pd_record_decode_framed(rec.plan, &rec, NULL))
        return false;
    const uint64_t payload = pd_payload_behind(&rec, order);
    if (payload > r->end - at - size)
        return false;
    *next = at + size + payload;
    return rec.type >= PD_RECORD_HEADER_ATTR || rec.rest.n == 0;
}

bool pd_are_in_a_row(struct pd_reader *r, uint64_t at, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (i && at == r->end)
            return true;
        if (!is_record(r, at, &at))
            return false;
    }
    return true;
}

bool pd_are_records(struct pd_reader *r, uint64_t at)
{
    return pd_are_in_a_row(r, at, IN_A_ROW);
}

uint64_t pd_find_records(struct pd_reader *r, uint64_t at)
{
    while (at < r->end && !pd_are_records(r, at))
        at++;
    return at < r->end ? at : r->end;
}

void pd_reader_go_on(struct pd_reader *r, uint64_t at)
{
    r->at = at;
    r->payload_left = 0;
    r->stopped = false;
    if (r->inflate.ctx)
        pd_inflate_break(&r->inflate);
}

/* Bytes of the COMPRESSED record at an offset; 0: that cannot be read. */
static uint64_t chunk_bytes(struct pd_reader *r, uint64_t offset)
{
    const uint8_t *p;
    size_t got;
    if (offset >= r->end || pd_input_at(r->src, offset, 8, &p, &got, NULL) || got < 8)
        return 0;
    const uint64_t size = pd_load16(p + 6, r->info.order);
    return size < r->end - offset ? size : r->end - offset;
}

/* The data makes no sense from here on. */
static void pass_over(struct repair *p, uint64_t from, uint64_t search, const struct pd_error *why)
{
    struct pd_reader *r = p->r;
    const uint64_t to = p->options->keep_tail ? pd_find_records(r, search) : r->end;
    lose(p, from, to - from, why);
    if (to < r->end)
        pd_reader_go_on(r, to);
    else
        r->stopped = true;
    r->payload_left = 0;
}

/* A record that is not what it should be is left out alone if another one follows, else nothing behind it
 * makes sense. */
static void leave_out(struct repair *p, const struct pd_record *rec, const struct pd_error *why)
{
    const uint64_t end = rec->offset + rec->size + rec->payload_size;
    uint64_t next = end;
    if (p->options->keep_tail && !rec->depth) /* it may have swallowed others */
        pass_over(p, rec->offset, rec->offset + 8, why);
    else if (rec->depth || end == p->r->end || is_record(p->r, end, &next))
        lose(p, rec->offset, rec->depth ? chunk_bytes(p->r, rec->offset) : end - rec->offset, why);
    else
        pass_over(p, rec->offset, rec->offset + 8, why);
}

/* The bytes of a record may have moved meanwhile. */
static enum pd_code fetch(struct repair *p, struct pd_record *rec)
{
    const uint8_t *bytes;
    size_t got;
    const enum pd_code code = pd_input_at(p->r->src, rec->offset, rec->size, &bytes, &got, p->error);
    rec->raw = bytes;
    return code || got >= rec->size ? code
                                    : pd_fail_record(p->error, PD_EIO, rec, 0, "record", got, rec->size);
}

/* Is the feature that the record carries intact? */
static bool has_good_feature(struct repair *p, const struct pd_record *rec, struct pd_error *why)
{
    struct pd_feature f;
    struct pd_bytes data;
    uint64_t id;
    if (!pd_record_feature(rec, p->r->info.order, &id, &data) || id > 255 || data.n == 0)
        return true;
    if (!pd_feature_decode(p->r->info.order, (uint32_t)id, p->r->nr_cpus_avail, data.ptr, data.n, &f, why))
        return true;
    why->offset += rec->offset + (uint64_t)(data.ptr - rec->raw);
    return false;
}

/* Did a wrong size swallow the records that follow? What is left over would be the first. */
static bool swallows(struct repair *p, const struct pd_record *rec)
{
    return p->options->keep_tail && !rec->depth && rec->rest.n >= 8 && rec->type < PD_RECORD_HEADER_ATTR &&
           rec->layout && pd_are_records(p->r, rec->offset + rec->size - rec->rest.n);
}

/* Could a later kernel or perf have such records? Their types follow the known ones. */
static bool may_come(uint32_t type)
{
    return type < PD_RECORD_HEADER_ATTR || (type > PD_RECORD_SCHEDSTAT_DOMAIN && type < 128) ||
           (type > PD_RECORD_SIMPLEPERF_DEBUG && type < PD_RECORD_SIMPLEPERF_DEBUG + 32);
}

/* The kernel or perf that wrote the recording may have been newer. */
static bool is_unknown(const struct pd_record *rec)
{
    return !rec->old_feature && !pd_set_name(&pd_set_record_type, rec->type);
}

/* Nothing of an unknown type is kept, unless records follow it: it may be the first of what is not one. */
static bool is_lone(struct repair *p, const struct pd_record *rec)
{
    uint64_t end = rec->offset + rec->size;
    if (!is_unknown(rec))
        return false;
    return !may_come(rec->type) || (!rec->depth && end != p->r->end && !is_record(p->r, end, &end));
}

/*
 * A MMAP2 that says it has a build id which is too long has none: perf would stop there. Linux 6.18 writes
 * such, and so may damage.
 */
static bool lacks_build_id(const struct pd_record *rec)
{
    return rec->type == PD_RECORD_MMAP2 && rec->layout && rec->misc & PD_MISC_MMAP_BUILD_ID &&
           rec->u.mmap2.build_id_size > MOST_BUILD_ID;
}

static enum pd_code judge(struct repair *p, struct pd_record *rec, bool *good)
{
    struct pd_error why;
    const uint64_t left = p->r->end - p->r->at;
    const enum pd_code code = pd_reader_decode(p->r, rec, &why);
    const bool orphan = pd_is_orphan(p->r, rec);
    *good = false;
    p->stats->orphans += orphan;
    if (orphan && !code)
        pd_fail_record(&why, PD_EUNKNOWN, rec, 0, "event id", 0, 0); /* as the reader has it */
    if (rec->payload_size > left) {
        pd_fail_record(&why, PD_ETRUNC, rec, 0, "payload", left, rec->payload_size);
        pass_over(p, rec->offset, rec->offset + 8, &why);
        return PD_OK;
    }
    if ((code && code != PD_EUNKNOWN) || orphan || !has_good_feature(p, rec, &why)) {
        leave_out(p, rec, &why);
    } else if (swallows(p, rec) || is_lone(p, rec)) {
        pd_fail_record(&why, PD_EVALUE, rec, 0, rec->layout ? "size" : "type",
                       rec->layout ? rec->size : rec->type, 0);
        rec->depth ? leave_out(p, rec, &why) : pass_over(p, rec->offset, rec->offset + 8, &why);
    } else if (p->options->drop_unknown && is_unknown(rec)) {
        pd_fail_record(&why, PD_EUNSUP, rec, 0, "a record of this type", rec->type, 0);
        lose(p, rec->offset, rec->depth ? chunk_bytes(p->r, rec->offset) : rec->size + rec->payload_size, &why);
    } else {
        *good = true;
        p->stats->unknown += is_unknown(rec);
        return rec->depth ? PD_OK : fetch(p, rec);
    }
    return PD_OK;
}

/* ---- What is kept */

static enum pd_code keep_payload(struct repair *p)
{
    const uint8_t *bytes;
    size_t n;
    enum pd_code code;
    do {
        if ((code = pd_reader_payload(p->r, &bytes, &n, p->error)) == PD_OK && n && p->writing)
            code = pd_filter_out_payload(&p->out, bytes, n);
    } while (!code && n);
    return code;
}

/* Where an AUXTRACE record is now. */
static enum pd_code note_place(struct repair *p, const struct pd_record *rec)
{
    struct pd_writer *w = p->sections.writer;
    const size_t n = p->sections.n_moved;
    if (rec->type != PD_RECORD_AUXTRACE || p->out.pipe || rec->member || !p->writing)
        return PD_OK;
    if (!pd_grow(p->options->allocator, (void **)&p->moved, n, &p->moved_cap, sizeof *p->moved))
        return pd_fail_record(p->error, PD_ENOMEM, rec, 0, "AUXTRACE index", 0, (n + 1) * sizeof *p->moved);
    p->moved[n] =
        (struct pd_moved){rec->offset, pd_writer_data_offset(w) + pd_writer_data_size(w) - rec->size};
    p->sections.n_moved = n + 1;
    return PD_OK;
}

/* Takes away the bit that says there is a build id: what stands there is device and inode. */
static enum pd_code mend(struct repair *p, const struct pd_record *rec)
{
    uint8_t bytes[UINT16_MAX];
    memcpy(bytes, rec->raw, rec->size);
    pd_store16(bytes + 4, (uint16_t)(rec->misc & ~PD_MISC_MMAP_BUILD_ID), p->r->info.order);
    p->stats->mended++;
    return p->writing ? pd_filter_out_record(&p->out, rec, bytes) : PD_OK;
}

static enum pd_code keep(struct repair *p, struct pd_record *rec)
{
    enum pd_code code = PD_OK;
    *(rec->type == PD_RECORD_SAMPLE ? &p->stats->samples : &p->stats->others) += 1;
    if (lacks_build_id(rec))
        code = mend(p, rec);
    else if (p->writing)
        code = pd_filter_out_record(&p->out, rec, rec->raw);
    if (!code)
        code = note_place(p, rec);
    return !code && rec->payload_size ? keep_payload(p) : code;
}

/* ---- All records */

/* A COMPRESSED record: those inside it follow, unless what came before it is missing. */
static enum pd_code open_wrapper(struct repair *p, const struct pd_record *rec)
{
    struct pd_error why;
    if (p->r->inflate.broken) {
        pd_fail_record(&why, PD_EZSTD, rec, 0, "compressed records behind damage", 0, 0);
        lose(p, rec->offset, rec->size, &why);
    }
    return p->writing ? pd_filter_out_wrapper(&p->out, rec) : PD_OK;
}

static enum pd_code take(struct repair *p, struct pd_record *rec)
{
    bool good;
    p->passed += rec->depth ? 0 : rec->size + rec->payload_size;
    if (p->options->progress && (++p->tick & 255) == 0)
        p->options->progress(p->options->user, p->passed < p->total ? p->passed : p->total, p->total);
    if (pd_filter_role(rec) == PD_ROLE_WRAPPER)
        return open_wrapper(p, rec);
    const enum pd_code code = judge(p, rec, &good);
    return code || !good ? code : keep(p, rec);
}

static enum pd_code damage(struct repair *p, const struct pd_error *what)
{
    struct pd_reader *r = p->r;
    const bool inside = what->code == PD_EZSTD || what->code == PD_ELIMIT ||
                        (what->code == PD_ETRUNC && r->stopped && r->at >= r->end);
    if (what->code == PD_EIO || what->code == PD_ENOMEM) {
        *p->error = *what;
        return what->code;
    }
    if (inside)
        lose(p, what->offset, chunk_bytes(r, what->offset), what);
    else
        pass_over(p, r->at, r->at + 1, what);
    return PD_OK;
}

/* In a file without its header, or with a wrong one, the records are yet to be found. */
static void find_first(struct repair *p)
{
    struct pd_reader *r = p->r;
    struct pd_error why;
    if (!r->headless)
        return;
    const uint64_t first = pd_find_records(r, r->at);
    if (r->mended)
        pd_fail(&why, PD_EVALUE, 40, "data.offset", r->info.header.data.offset, first);
    else
        pd_fail(&why, PD_EMAGIC, r->at, "header", 0, 0);
    if (first > r->at)
        lose(p, r->at, first - r->at, &why);
    r->at = first;
}

static enum pd_code all_records(struct repair *p)
{
    struct pd_record rec = {0};
    struct pd_error what;
    enum pd_code code = pd_reader_rewind(p->r, p->error);
    if (!code)
        find_first(p);
    while (!code) {
        const enum pd_code next = pd_reader_next(p->r, &rec, &what);
        if (next == PD_END)
            break;
        code = next ? damage(p, &what) : take(p, &rec);
    }
    tell_lost(p);
    return code;
}

/* ---- Features */

static void leave_feature_out(struct repair *p, uint16_t feature, const struct pd_error *why)
{
    p->skip[feature & 255] = true;
    p->stats->features++;
    if (p->options->feature)
        p->options->feature(p->options->user, feature, why);
}

static enum pd_code look_at_feature(struct repair *p, const struct pd_feature_section *f)
{
    struct pd_feature decoded;
    struct pd_error why;
    const size_t n = (size_t)f->section.size;
    if (f->section.size == 0 || f->section.size > MOST_LOOKED_AT || !pd_layout_of_feature(f->feature))
        return PD_OK;
    uint8_t *bytes = pd_resize(p->options->allocator, NULL, n);
    if (bytes == NULL)
        return pd_fail(p->error, PD_ENOMEM, f->section.offset, "feature", 0, n);
    const enum pd_code code = pd_reader_read(p->r, f->section.offset, bytes, n, p->error);
    if (!code &&
        pd_feature_decode(p->r->info.order, f->feature, pd_nr_cpus_avail(p->r), bytes, n, &decoded, &why)) {
        why.offset += f->section.offset;
        leave_feature_out(p, f->feature, &why);
    }
    pd_release(p->options->allocator, bytes);
    return code;
}

static enum pd_code look_at_features(struct repair *p)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < pd_reader_n_features(p->r); i++) {
        const struct pd_feature_section *f = pd_reader_feature(p->r, i);
        struct pd_error why;
        if (f->intact) {
            code = look_at_feature(p, f);
            continue;
        }
        pd_fail(&why, PD_ERANGE, f->section.offset, "section", f->section.size, p->r->info.file_size);
        leave_feature_out(p, f->feature, &why);
    }
    return code;
}

/* ---- All of it */

static enum pd_code begin(struct repair *p, const struct pd_sink *sink)
{
    p->filter = (struct pd_filter_options){.size = sizeof p->filter,
                                           .allocator = p->options->allocator,
                                           .open_member = p->options->open_member,
                                           .close_member = p->options->close_member,
                                           .user = p->options->user};
    p->sections =
        (struct pd_sections){.reader = p->r, .options = &p->filter, .stats = &p->unused, .skip = p->skip};
    p->sections.like = p->options->like;
    p->sections.new_dir = true;
    p->sections.keep_time = true; /* what is lost had a time, too */
    p->sections.error = p->error;
    p->out = (struct pd_filter_out){.sections = &p->sections, .sink = sink};
    return p->writing ? pd_filter_out_begin(&p->out) : PD_OK;
}

/* perf finds AUXTRACE records by itself; an index with wrong places would mislead it. */
static void drop_index(struct repair *p)
{
    struct pd_error why;
    const struct pd_feature_section *f = pd_reader_find_feature(p->r, PD_FEAT_AUXTRACE);
    if (!p->damaged || !f || p->skip[PD_FEAT_AUXTRACE])
        return;
    pd_fail(&why, PD_EVALUE, f->section.offset, "index of records, some of which are lost", 0, 0);
    leave_feature_out(p, PD_FEAT_AUXTRACE, &why);
}

/* Without attrs no sample can be read, nor with those of something else. */
static enum pd_code need_attrs(struct repair *p)
{
    const size_t n = pd_reader_n_attrs(p->r);
    struct pd_attrs_fit fit;
    if (pd_reader_info(p->r)->container != PD_CONTAINER_PIPE && n == 0)
        return pd_fail(p->error, PD_EVALUE, PD_NOWHERE, "attrs", 0, 1);
    const enum pd_code code = pd_attrs_judge(p->r, &fit, p->error);
    return code || fit.fits ? code : pd_fail(p->error, PD_EVALUE, PD_NOWHERE, "attrs", n, n);
}

static enum pd_code run(struct repair *p, const struct pd_sink *sink)
{
    const struct pd_file_info *info = pd_reader_info(p->r);
    if (!p->r->in.seekable)
        return pd_fail(p->error, PD_EUNSUP, 0, "repairing an input that cannot seek", 0, 0);
    enum pd_code code = need_attrs(p);
    if (code)
        return code;
    p->total = info->data_end - info->data_offset;
    for (size_t i = 1; i < pd_reader_n_members(p->r); i++)
        p->total += pd_reader_member(p->r, i)->size;
    code = look_at_features(p);
    if (!code)
        code = begin(p, sink);
    if (!code)
        code = all_records(p);
    if (!code && pd_reader_n_attrs(p->r) == 0)
        code = pd_fail(p->error, PD_EVALUE, PD_NOWHERE, "attrs", 0, 1);
    drop_index(p);
    p->sections.moved = p->moved;
    return !code && p->writing ? pd_filter_out_end(&p->out) : code;
}

enum pd_code pd_repair(struct pd_reader *reader, const struct pd_sink *sink,
                       const struct pd_repair_options *options, struct pd_repair_stats *stats,
                       struct pd_error *error)
{
    static const struct pd_repair_options usual = {.size = sizeof usual};
    struct pd_repair_stats own_stats;
    struct pd_error own_error;
    struct repair p = {.r = reader,
                       .options = options ? options : &usual,
                       .stats = stats ? stats : &own_stats,
                       .error = error ? error : &own_error};
    p.writing = sink || p.options->open_member;
    *p.stats = (struct pd_repair_stats){0};
    const enum pd_code code = run(&p, sink);
    if (p.writing && p.sections.reader)
        pd_filter_out_close(&p.out);
    pd_release(p.options->allocator, p.moved);
    return code;
}
