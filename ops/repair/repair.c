/* SPDX-License-Identifier: MIT */
/* repair.c - writes the intact part of a damaged recording as a recording without damage. */
#include "repair.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/container/dir.h"
#include "src/container/file.h"
#include "ops/filter/filter.h"
#include "ops/output/progress.h"
#include "src/support/limits.h"
#include "src/schema/options.h"
#include "ops/convert/transcode.h"
#include "src/support/wire.h"
#include "headless.h"
#include <perfdata/feature.h>

#define MOST_BUILD_ID 20 /* bytes */

struct repair {
    struct pd_reader *r;
    const struct pd_repair_options *options;
    struct pd_repair_stats *stats;
    struct pd_error *error;
    struct pi_output out;
    bool writing;
    struct pd_lost_range *lost; /* ranges that are not told yet, in order: what is lost later may join them */
    size_t n_lost, lost_cap;
    enum pd_code failed;    /* memory ran out for these */
    bool skip[256];         /* features that are left out */
    bool skip_like[256];    /* that are not taken from `like` */
    uint32_t nr_cpus_avail; /* from NRCPUS in the output: other features depend on it */
    bool damaged;
    struct pi_file_parts parts; /* of a large record, as they are in the output */
    bool stray_parts; /* some parts are written without their last one: to a reader they would belong to the
                         next large record */
    uint8_t *payload; /* of the current record, if it was decoded */
    size_t payload_n;
    struct pi_attrs_count fit; /* of the records that are kept */
    enum pd_code decoded;      /* what decoding the current record gave */
    bool any_attr;             /* of a stream, is in the output */
    bool *attr_kept;           /* of the attrs of a stream, by index: whether its record is in the output */
    size_t n_attr_kept, attr_kept_cap;
    struct pi_progress progress;
};

/* ---- What is lost */

/* All but the last `keep` ranges. */
static void tell_lost(struct repair *p, size_t keep)
{
    if (p->n_lost <= keep)
        return;
    const size_t n = p->n_lost - keep;
    for (size_t i = 0; i < n; i++) {
        p->stats->ranges++;
        p->stats->lost += p->lost[i].bytes;
        if (p->options->lost)
            p->options->lost(p->options->user, &p->lost[i]);
    }
    memmove(p->lost, p->lost + n, keep * sizeof *p->lost);
    p->n_lost = keep;
}

static uint64_t end_of(const struct pd_lost_range *l)
{
    return l->offset + l->bytes;
}

static bool touches(const struct pd_lost_range *a, const struct pd_lost_range *b)
{
    return a->member == b->member && a->offset <= end_of(b) && b->offset <= end_of(a);
}

static void join(struct pd_lost_range *to, const struct pd_lost_range *other)
{
    const uint64_t end = end_of(to) > end_of(other) ? end_of(to) : end_of(other);
    to->offset = to->offset < other->offset ? to->offset : other->offset;
    to->bytes = end - to->offset;
}

static void insert_lost(struct repair *p, size_t at, const struct pd_lost_range *l)
{
    if (!pi_grow(p->options->allocator, (void **)&p->lost, p->n_lost, &p->lost_cap, sizeof *p->lost)) {
        p->failed = pi_fail(p->error, PD_ENOMEM, l->offset, "lost ranges", 0, p->n_lost + 1);
        return;
    }
    memmove(p->lost + at + 1, p->lost + at, (p->n_lost - at) * sizeof *p->lost);
    p->lost[at] = *l;
    p->n_lost++;
}

/*
 * A record that begins in the last COMPRESSED one, and is not complete there, is lost when the data ends:
 * after what stands behind that. Until another chunk follows, no range behind it is told.
 */
static bool may_lose_before(const struct repair *p)
{
    return pi_inflate_holds_begin(&p->r->inflate) && p->n_lost <= PI_LIMIT_REPAIR_LOST;
}

static void lose_of(struct repair *p, uint32_t member, uint64_t offset, uint64_t n,
                    const struct pd_error *why)
{
    const struct pd_lost_range l = {.offset = offset, .bytes = n, .member = member, .why = *why};
    p->damaged = true;
    if (n == 0)
        return;
    if (!may_lose_before(p))
        tell_lost(p, 1);
    size_t i = p->n_lost;
    while (i && p->lost[i - 1].member == member && p->lost[i - 1].offset > offset + n)
        i--;
    if (i == 0 || !touches(&p->lost[i - 1], &l)) {
        insert_lost(p, i, &l);
        return;
    }
    join(&p->lost[--i], &l);
    if (i && touches(&p->lost[i - 1], &p->lost[i])) { /* it was between two */
        join(&p->lost[i - 1], &p->lost[i]);
        p->n_lost--;
        memmove(p->lost + i, p->lost + i + 1, (p->n_lost - i) * sizeof *p->lost);
    }
}

static void lose(struct repair *p, uint64_t offset, uint64_t n, const struct pd_error *why)
{
    lose_of(p, p->r->member, offset, n, why);
}

/* What the header counts as data, and what was found of data and features does not reach. */
static void lose_behind_features(struct repair *p)
{
    const struct pd_reader *r = p->r;
    const struct pd_file_info *info = &r->info;
    uint64_t last = info->data_end + (r->n_features ? pi_file_table_bytes(r) : 0);
    struct pd_error why;
    for (size_t i = 0; i < r->n_features; i++) {
        const uint64_t end = pi_file_section_end(&r->features[i].section);
        if (r->features[i].intact && end > last)
            last = end;
    }
    if (!r->mended || r->said_end <= last)
        return;
    pi_fail(&why, PD_EVALUE, 48, "data.size", info->header.data.size, info->data_end - info->data_offset);
    lose_of(p, 0, last, r->said_end - last, &why);
}

/* ---- Checks of records */

/* Bytes of the COMPRESSED record at an offset; 0: it cannot be read. */
static uint64_t chunk_bytes(struct pd_reader *r, uint64_t offset)
{
    const uint8_t *p;
    size_t got;
    if (offset >= r->end || pi_input_at(r->src, offset, 8, &p, &got, NULL) || got < 8)
        return 0;
    const uint64_t size = pi_load16(p + 6, r->info.order);
    return size < r->end - offset ? size : r->end - offset;
}

/* What is passed over may have had the rest of a record that begins in a COMPRESSED one before it. */
static void lose_open(struct repair *p)
{
    struct pd_record rec = {.index = p->r->index, .member = p->r->member};
    struct pd_error why;
    if (pi_reader_tell_open(p->r, &rec, &why) != PD_END)
        lose(p, rec.offset, chunk_bytes(p->r, rec.offset), &why);
}

/* The data makes no sense from here on. */
static void pass_over(struct repair *p, uint64_t from, uint64_t search, const struct pd_error *why)
{
    struct pd_reader *r = p->r;
    const uint64_t to = p->options->keep_tail ? pi_find_records(r, search) : r->end;
    lose(p, from, to - from, why);
    lose_open(p);
    if (to < r->end)
        pi_reader_go_on(r, to);
    else
        pi_reader_stop(r);
}

/*
 * True if another record, or the end, follows a damaged one: it alone is lost then, and no COMPRESSED one, so
 * that the stream that they carry goes on. The next record may also begin inside it, at `search` or later.
 */
static bool is_followed(struct repair *p, uint64_t end, uint64_t search)
{
    uint64_t next = end;
    if (!pi_is_record(p->r, end, &next) && !pi_is_data_end(p->r, end))
        return false;
    return !p->options->keep_tail || pi_find_records(p->r, search) >= end;
}

/* Only a damaged record is left out if another one follows; else the data behind it makes no sense. */
static void leave_out(struct repair *p, const struct pd_record *rec, uint64_t search,
                      const struct pd_error *why)
{
    const uint64_t end = rec->offset + rec->size + rec->payload_size;
    if (rec->depth)
        lose(p, rec->offset, chunk_bytes(p->r, rec->offset), why);
    else if (is_followed(p, end, search))
        lose(p, rec->offset, end - rec->offset, why);
    else
        pass_over(p, rec->offset, search, why);
}

/* The bytes of a record may have moved meanwhile. */
static enum pd_code fetch(struct repair *p, struct pd_record *rec)
{
    const uint8_t *bytes;
    size_t got;
    const enum pd_code code = pi_input_at(p->r->src, rec->offset, rec->size, &bytes, &got, p->error);
    rec->raw = bytes;
    return code || got >= rec->size ? code
                                    : pi_fail_record(p->error, PD_EIO, rec, 0, "record", got, rec->size);
}

/* The tracing data behind a record, which is kept until that is written or left out. */
static enum pd_code probe_payload(struct repair *p, const struct pd_record *rec, struct pd_error *why)
{
    struct pd_feature f;
    if (rec->type != PD_RECORD_HEADER_TRACING_DATA || rec->payload_size == 0 ||
        rec->payload_size > PI_LIMIT_PROVEN)
        return PD_OK;
    const enum pd_code code =
        pi_reader_hold_payload(p->r, p->options->allocator, &p->payload, &p->payload_n, why);
    const struct pd_bytes data = {p->payload, p->payload_n};
    return code ? code
                : pi_probe_feature(p->r->info.order, PD_FEAT_TRACING_DATA, 0, data, rec->offset + rec->size,
                                   false, &f, why);
}

static void drop_payload(struct repair *p)
{
    pi_release(p->options->allocator, p->payload);
    p->payload = NULL;
    p->payload_n = 0;
}

/* True if the feature or the tracing data in the record, or behind it, is damaged. */
static enum pd_code probe_feature(struct repair *p, const struct pd_record *rec, struct pd_error *why)
{
    const enum pd_code code = pi_probe_carried(p->r->info.order, p->r->nr_cpus_avail, rec, why);
    return code ? code : probe_payload(p, rec, why);
}

/* The kernel or perf that wrote the recording may have been newer. */
static bool is_unknown(const struct pd_record *rec)
{
    return !rec->old_feature && !pd_set_name(&pd_set_record_type, rec->type);
}

/* A record of an unknown type is kept only if records follow it: else it may not be a record. */
static bool is_lone(struct repair *p, const struct pd_record *rec)
{
    return is_unknown(rec) &&
           (!pi_may_come(rec->type) || (!rec->depth && !pi_goes_on(p->r, rec->offset + rec->size)));
}

/*
 * A MMAP2 with too long a build id has none: perf would stop there. Linux 6.18 writes such records, and
 * damage can make them.
 */
static bool lacks_build_id(const struct pd_record *rec)
{
    return rec->type == PD_RECORD_MMAP2 && rec->layout && rec->misc & PD_MISC_MMAP_BUILD_ID &&
           rec->u.mmap2.build_id_size > MOST_BUILD_ID;
}

static bool is_lost(const struct repair *p, size_t event)
{
    return event >= p->n_attr_kept || !p->attr_kept[event];
}

/*
 * True if it is of an event of a stream whose attr is lost. A reader that has read the stream before may
 * still know it.
 */
static bool lacks_attr(const struct repair *p, const struct pd_record *rec, size_t *event)
{
    const struct pi_attrs *attrs = &p->r->attrs;
    uint64_t id;
    if (p->r->info.container != PD_CONTAINER_PIPE)
        return false;
    for (size_t i = 0; pi_named_event(rec, i, &id); i++)
        if ((*event = pi_attrs_find(attrs, id)) < attrs->seen && is_lost(p, *event))
            return true;
    return pi_is_of_event(p->r, rec, event) && is_lost(p, *event);
}

/* pd_reader_judge() of a record as part of the output. */
static enum pd_code judge_kept(const struct repair *p, const struct pd_record *rec, struct pd_error *why)
{
    size_t event;
    if (lacks_attr(p, rec, &event))
        return pi_fail_record(why, PD_EUNKNOWN, rec, 0, "event, whose attr is lost", event, 0);
    return pd_reader_judge(p->r, rec, why);
}

/*
 * A part of a large record: true if it fits those that were kept. The last one is left out if others are
 * lost. Parts that were written stay, so no last one and no further parts follow them.
 */
static enum pd_code judge_part(struct repair *p, const struct pd_record *rec, struct pd_error *why)
{
    enum pd_code code = PD_OK;
    if (!pi_is_part(rec))
        return PD_OK;
    p->stray_parts |= pi_parts_enter(&p->parts, rec->member);
    if (p->stray_parts)
        return pi_fail_record(why, PD_EVALUE, rec, 0,
                              "part of a large record behind one of which parts are lost", rec->type, 0);
    const bool any = p->parts.parts.n != 0;
    if ((code = pi_probe_part(&p->parts.parts, p->r->info.order, rec, why)) && !pd_is_failure(code)) {
        const struct pd_error what = *why;
        pi_fail_record(why, code, rec, 0, "large record, of which this is the last part", what.found,
                       what.expected);
        p->stray_parts = any;
    }
    return code;
}

static enum pd_code judge(struct repair *p, struct pd_record *rec, bool *good)
{
    struct pd_error why;
    const uint64_t left = p->r->end - p->r->at;
    const enum pd_code code = pd_reader_decode(p->r, rec, &why);
    const bool bad = code && code != PD_EUNKNOWN;
    const enum pd_code odd = bad ? PD_OK : judge_kept(p, rec, &why);
    enum pd_code carried;
    uint64_t search = rec->offset + 8;
    size_t inside;
    *good = false;
    p->decoded = code;
    p->stats->orphans += odd == PD_EUNKNOWN;
    if (odd == PD_EINSIDE || odd == PD_ECOUNT) /* something else begins in it */
        search = rec->offset + why.expected;
    if (rec->payload_size > left) {
        pi_fail_record(&why, PD_ETRUNC, rec, 0, "payload", left, rec->payload_size);
        pass_over(p, rec->offset, rec->offset + 8, &why);
    } else if (pd_is_failure(carried = bad || odd ? PD_OK : probe_feature(p, rec, &why))) {
        *p->error = why;
        return carried;
    } else if (bad || odd || carried) {
        leave_out(p, rec, search, &why);
    } else if ((inside = pi_find_inside(p->r, rec))) {
        pi_fail_record(&why, PD_EINSIDE, rec, 6, "size", rec->size, inside);
        pass_over(p, rec->offset, rec->offset + inside, &why);
    } else if (is_lone(p, rec)) {
        pi_fail_record(&why, PD_EVALUE, rec, 0, "type", rec->type, 0);
        rec->depth ? leave_out(p, rec, search, &why) : pass_over(p, rec->offset, search, &why);
    } else if (p->options->drop_unknown && is_unknown(rec)) {
        pi_fail_record(&why, PD_EUNSUP, rec, 0, "a record of this type", rec->type, 0);
        lose(p, rec->offset, rec->depth ? chunk_bytes(p->r, rec->offset) : rec->size + rec->payload_size,
             &why);
    } else if ((carried = judge_part(p, rec, &why))) {
        if (pd_is_failure(carried))
            *p->error = why;
        lose(p, rec->offset, rec->depth ? chunk_bytes(p->r, rec->offset) : rec->size, &why);
        return pd_is_failure(carried) ? carried : PD_OK;
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
    const enum pd_code code =
        p->payload_n && p->writing ? pi_output_payload(&p->out, p->payload, p->payload_n) : PD_OK;
    return code ? code : pi_output_copy_payload(p->writing ? &p->out : NULL, p->r, NULL, p->error);
}

/* The attr in a record of a stream is in the output. */
static enum pd_code note_attr(struct repair *p, const struct pd_record *rec)
{
    size_t i = pd_reader_n_attrs(p->r);
    if (rec->type != PD_RECORD_HEADER_ATTR || p->r->info.container != PD_CONTAINER_PIPE)
        return PD_OK;
    while (i && pd_reader_attr(p->r, i - 1)->offset != rec->offset + 8)
        i--;
    for (; p->n_attr_kept < i; p->n_attr_kept++) {
        if (!pi_grow(p->options->allocator, (void **)&p->attr_kept, p->n_attr_kept, &p->attr_kept_cap,
                     sizeof *p->attr_kept))
            return pi_fail_record(p->error, PD_ENOMEM, rec, 0, "attrs", 0, i);
        p->attr_kept[p->n_attr_kept] = false;
    }
    if (i)
        p->any_attr = p->attr_kept[i - 1] = true;
    return PD_OK;
}

/* Clears the bit of the build id: its place then has device and inode. */
static enum pd_code mend(struct repair *p, const struct pd_record *rec)
{
    uint8_t bytes[UINT16_MAX];
    memcpy(bytes, rec->raw, rec->size);
    pi_store16(bytes + 4, (uint16_t)(rec->misc & ~PD_MISC_MMAP_BUILD_ID), p->r->info.order);
    p->stats->mended++;
    return p->writing ? pi_output_record(&p->out, rec, bytes) : PD_OK;
}

static enum pd_code keep(struct repair *p, struct pd_record *rec)
{
    enum pd_code code = PD_OK;
    *(rec->type == PD_RECORD_SAMPLE ? &p->stats->samples : &p->stats->others) += 1;
    pi_attrs_count(&p->fit, p->r, rec, p->decoded);
    if (lacks_build_id(rec))
        code = mend(p, rec);
    else if (p->writing)
        code = pi_output_record(&p->out, rec, rec->raw);
    if (!code)
        code = p->writing ? pi_output_note_aux(&p->out, rec) : PD_OK;
    if (!code)
        code = note_attr(p, rec);
    return !code && rec->payload_size ? keep_payload(p) : code;
}

/* ---- All records */

/* A COMPRESSED record: those inside it follow, unless what came before it is missing. */
static enum pd_code open_wrapper(struct repair *p, const struct pd_record *rec)
{
    struct pd_error why;
    tell_lost(p, 1);
    if (p->r->inflate.broken) {
        pi_fail_record(&why, PD_EZSTD, rec, 0, "compressed records behind damage", 0, 0);
        lose(p, rec->offset, rec->size, &why);
    }
    return p->writing ? pi_output_wrapper(&p->out, rec) : PD_OK;
}

static enum pd_code take(struct repair *p, struct pd_record *rec)
{
    bool good;
    pi_progress_record(&p->progress, rec);
    if (pi_role_of(rec) == PI_ROLE_WRAPPER)
        return open_wrapper(p, rec);
    enum pd_code code = judge(p, rec, &good);
    if (!code && good)
        code = keep(p, rec);
    drop_payload(p);
    return code;
}

static enum pd_code damage(struct repair *p, const struct pd_error *what)
{
    struct pd_reader *r = p->r;
    const bool inside = pi_reader_goes_on(what->code) ||
                        (what->code == PD_ETRUNC && r->stopped && r->at + r->info.stray >= r->end);
    if (pd_is_failure(what->code)) {
        *p->error = *what;
        return what->code;
    }
    if (pi_reader_tells_passed(r, what)) /* open_wrapper() lost each of these by itself */
        return PD_OK;
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
    const uint64_t first = pi_find_records(r, r->at);
    if (r->mended)
        pi_fail(&why, PD_EVALUE, 40, "data.offset", r->info.header.data.offset, first);
    else
        pi_fail(&why, PD_EMAGIC, r->at, "header", 0, 0);
    if (first > r->at)
        lose(p, r->at, first - r->at, &why);
    pi_reader_go_on(r, first);
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
        code = code ? code : p->failed;
    }
    lose_behind_features(p);
    tell_lost(p, 0);
    return code ? code : p->failed;
}

/* ---- Features */

/* By the NRCPUS that the output has. */
static uint32_t cpus_of_output(const struct repair *p)
{
    const bool own = pd_reader_find_feature(p->r, PD_FEAT_NRCPUS) && !p->skip[PD_FEAT_NRCPUS];
    struct pd_reader *r = own ? p->r : p->options->like;
    return r ? pi_nr_cpus_avail(r) : 0;
}

static void leave_feature_out(struct repair *p, uint16_t feature, const struct pd_error *why)
{
    p->skip[feature & 255] = true;
    p->nr_cpus_avail = cpus_of_output(p);
    p->stats->features++;
    if (p->options->feature)
        p->options->feature(p->options->user, feature, why);
}

/* *damaged: the section of the input, or of the recording that is like it, cannot be decoded. */
static enum pd_code probe_section(struct repair *p, struct pd_reader *r, const struct pd_feature_section *f,
                                  uint32_t nr_cpus_avail, bool *damaged, struct pd_error *why)
{
    struct pd_feature decoded;
    const size_t n = (size_t)f->section.size;
    *damaged = false;
    if (f->section.size == 0 || f->section.size > PI_LIMIT_PROVEN || !pi_layout_of_feature(f->feature))
        return PD_OK;
    uint8_t *bytes = pi_resize(p->options->allocator, NULL, n);
    if (bytes == NULL)
        return pi_fail(p->error, PD_ENOMEM, f->section.offset, "feature", 0, n);
    const enum pd_code code = pd_reader_read(r, f->section.offset, bytes, n, p->error);
    *damaged =
        !code && pi_probe_feature(r->info.order, f->feature, nr_cpus_avail, (struct pd_bytes){bytes, n},
                                  f->section.offset, false, &decoded, why);
    pi_release(p->options->allocator, bytes);
    return code;
}

static enum pd_code look_at_feature(struct repair *p, const struct pd_feature_section *f)
{
    struct pd_error why;
    bool damaged;
    const enum pd_code code = probe_section(p, p->r, f, p->nr_cpus_avail, &damaged, &why);
    if (damaged)
        leave_feature_out(p, f->feature, &why);
    return code;
}

/* What is damaged in the recording that is like the input is not taken from it. */
static enum pd_code look_at_like(struct repair *p)
{
    struct pd_reader *r = p->options->like;
    const uint32_t nr_cpus_avail = r ? pi_nr_cpus_avail(r) : 0;
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && r && i < pd_reader_n_features(r); i++) {
        const struct pd_feature_section *f = pd_reader_feature(r, i);
        struct pd_error why;
        if (f->intact)
            code = probe_section(p, r, f, nr_cpus_avail, &p->skip_like[f->feature & 255], &why);
    }
    return code;
}

/* Why a section is damaged: it ends behind the file, or the reader found too many bytes in all sections. */
static void explain_section(struct repair *p, const struct pd_feature_section *f, struct pd_error *why)
{
    pi_fail(why, PD_ERANGE, f->section.offset, "section", pi_file_section_end(&f->section),
            p->r->info.file_size);
    for (size_t i = 0; i < pd_reader_n_findings(p->r); i++) {
        const struct pd_error *e = pd_reader_finding(p->r, i);
        if (e->code == PD_ELIMIT && e->offset == f->section.offset)
            *why = *e;
    }
}

/* DIR_FORMAT must match the directory: perf reads the other files only with 1, and then requires one. */
static void judge_dir_format(struct repair *p)
{
    uint64_t version;
    const struct pd_feature_section *f = pi_dir_version(p->r, &version);
    const bool others = pd_reader_n_members(p->r) > 1;
    struct pd_error why;
    if (p->r->info.container != PD_CONTAINER_DIRECTORY || f == NULL || p->skip[PD_FEAT_DIR_FORMAT] ||
        version == others)
        return;
    pi_fail(&why, PD_EVALUE, f->section.offset, "DIR_FORMAT version", version, others);
    leave_feature_out(p, PD_FEAT_DIR_FORMAT, &why);
}

static enum pd_code look_at_features(struct repair *p)
{
    enum pd_code code = PD_OK;
    p->nr_cpus_avail = cpus_of_output(p);
    for (size_t i = 0; !code && i < pd_reader_n_features(p->r); i++) {
        const struct pd_feature_section *f = pd_reader_feature(p->r, i);
        struct pd_error why;
        /* There is none, and with it the bitmap of what is left may be taken for another. */
        if (f->feature == 0 && pd_reader_n_findings(p->r)) {
            pi_fail(&why, PD_EVALUE, f->section.offset, "feature", 0, 1);
            leave_feature_out(p, f->feature, &why);
            continue;
        }
        if (f->intact) {
            code = look_at_feature(p, f);
            continue;
        }
        explain_section(p, f, &why);
        leave_feature_out(p, f->feature, &why);
    }
    judge_dir_format(p);
    return code;
}

/* ---- All of it */

/*
 * An attr of impossible size gets the size it was read with: known fields stay those of the first version, or
 * all that fit.
 */
static enum pd_code mend_attr(void *user, const struct pd_event_attr *from, struct pd_attr *attr)
{
    (void)user;
    if (attr->size && attr->size < PD_ATTR_SIZE_VER0)
        attr->size = PD_ATTR_SIZE_VER0;
    else if (attr->size > from->room)
        attr->size = from->room > PD_ATTR_SIZE_VER0 ? from->room : PD_ATTR_SIZE_VER0;
    return PD_OK;
}

static enum pd_code begin(struct repair *p, const struct pd_sink *sink)
{
    const struct pd_repair_options *o = p->options;
    p->out = (struct pi_output){.sink = sink,
                                .options = {.allocator = o->allocator,
                                            .members = {o->open_member, o->close_member, o->user},
                                            .renumber = true}};
    p->out.sections = (struct pi_sections){.reader = p->r,
                                           .change_attr = mend_attr,
                                           .skip = p->skip,
                                           .like = o->like,
                                           .skip_like = p->skip_like,
                                           .new_dir = pd_reader_n_members(p->r) > 1,
                                           .keep_time = true, /* what is lost had a time, too */
                                           .error = p->error};
    return p->writing ? pi_output_begin(&p->out) : PD_OK;
}

/* perf finds AUXTRACE records by itself; an index with wrong places would mislead it. */
static void drop_index(struct repair *p)
{
    struct pd_error why;
    const struct pd_feature_section *f = pd_reader_find_feature(p->r, PD_FEAT_AUXTRACE);
    if (!p->damaged || !f || p->skip[PD_FEAT_AUXTRACE])
        return;
    pi_fail(&why, PD_EVALUE, f->section.offset, "index of records, some of which are lost", 0, 0);
    leave_feature_out(p, PD_FEAT_AUXTRACE, &why);
}

static enum pd_code refuse_attrs(struct repair *p, size_t n)
{
    return pi_fail(p->error, PD_EATTRS, PD_NOWHERE, "attrs", n, 0);
}

/* Without attrs, or with those of another recording, no sample can be read. */
static enum pd_code need_attrs(struct repair *p)
{
    struct pi_attrs_fit fit;
    if (pd_reader_info(p->r)->container != PD_CONTAINER_PIPE && pd_reader_n_attrs(p->r) == 0)
        return refuse_attrs(p, 0);
    const enum pd_code code = pi_attrs_judge(p->r, &fit, p->error);
    return code || fit.fits ? code : refuse_attrs(p, pd_reader_n_attrs(p->r));
}

/* need_attrs() did not look behind damage, and at what is left out: the same of the output. */
static enum pd_code need_attrs_kept(struct repair *p)
{
    const bool pipe = p->r->info.container == PD_CONTAINER_PIPE;
    if (pipe ? !p->any_attr : pd_reader_n_attrs(p->r) == 0)
        return refuse_attrs(p, 0);
    pi_attrs_conclude(&p->fit);
    return p->fit.fit.fits ? PD_OK : refuse_attrs(p, pd_reader_n_attrs(p->r));
}

static enum pd_code repair_parts(struct repair *p, const struct pd_sink *sink)
{
    if (!p->r->in.seekable)
        return pi_fail(p->error, PD_EUNSUP, 0, "repairing an input that cannot seek", 0, 0);
    enum pd_code code = need_attrs(p);
    if (code)
        return code;
    p->progress = (struct pi_progress){.callback = p->options->progress, .user = p->options->user};
    pi_progress_expect(&p->progress, pi_record_bytes(p->r), 1);
    code = look_at_features(p);
    if (!code)
        code = look_at_like(p);
    if (!code)
        code = begin(p, sink);
    if (!code)
        code = all_records(p);
    if (!code)
        code = need_attrs_kept(p);
    drop_index(p);
    return !code && p->writing ? pi_output_end(&p->out) : code;
}

enum pd_code pd_repair(struct pd_reader *reader, const struct pd_sink *sink,
                       const struct pd_repair_options *options, struct pd_repair_stats *stats,
                       struct pd_error *error)
{
    struct pd_repair_options own;
    struct pd_repair_stats own_stats;
    struct pd_error own_error;
    struct repair p = {.r = reader,
                       .options = &own,
                       .stats = stats ? stats : &own_stats,
                       .error = error ? error : &own_error};
    *p.stats = (struct pd_repair_stats){0};
    enum pd_code code = PI_TAKE_OPTIONS(pd_repair_options, &own, options, error);
    if (code)
        return code;
    p.writing = sink || own.open_member;
    p.parts.parts.allocator = own.allocator;
    code = repair_parts(&p, sink);
    pi_output_close(&p.out);
    pd_large_parts_free(&p.parts.parts);
    pi_release(p.options->allocator, p.attr_kept);
    pi_release(p.options->allocator, p.lost);
    return code;
}
