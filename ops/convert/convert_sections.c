/* SPDX-License-Identifier: MIT */
/* convert_sections.c - attrs, event types and features: sections of a file, records of a stream. */
#include "convert.h"
#include "ops/output/payload.h"
#include "src/codec/carried.h"
#include "src/codec/parts.h"
#include "src/schema/fail.h"
#include "src/session/content.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include <string.h>

/* ---- Attrs and event types */

static enum pd_code change_attr(void *user, const struct pd_event_attr *from, struct pd_attr *attr)
{
    struct pi_conversion *c = user;
    const struct pd_attr *edited = &from->attr;
    enum pd_code code = c->t.edits ? pi_edits_attr(c->t.edits, &from->attr, &edited, c->error) : PD_OK;
    *attr = *edited;
    if (!code && c->options->attr_size)
        code = pi_transcode_attr_size(&from->attr, c->options->attr_size, attr, c->tail, c->error);
    if (code)
        c->error->offset = from->offset;
    return code;
}

static enum pd_code change_type(void *user, struct pd_event_type *type)
{
    const struct pi_conversion *c = user;
    return c->t.edits ? pi_edits_event_type(c->t.edits, type, c->error) : PD_OK;
}

/* ---- Records of a stream that become sections */

/* The content of a COMPRESSED feature that was collected. */
static enum pi_said said_compression(const struct pi_conversion *c, int *level)
{
    const struct pi_collected *f = &c->collected[PD_FEAT_COMPRESSED];
    return pi_said_compression(f->bytes, f->n, c->t.to, level);
}

static enum pd_code collect_feature(struct pi_conversion *c, uint64_t feature, const uint8_t *bytes, size_t n,
                                    bool *taken)
{
    if (feature > 255 || c->collected[feature].there)
        return PD_OK; /* remains a record */
    *taken = true;
    enum pd_code code = pi_convert_add(c, (uint16_t)feature, bytes, n);
    if (!code)
        code = pi_transcode_section(&c->t, (uint16_t)feature, c->collected[feature].bytes, n, c->error);
    int level = 0;
    if (feature == PD_FEAT_COMPRESSED && c->level == 0 && said_compression(c, &level) == PI_SAID_ZSTD)
        c->level = level;
    return code;
}

/* A file needs no mark of the end of the features. */
static enum pd_code collect_carried(struct pi_conversion *c, const struct pd_record *rec, bool *taken)
{
    struct pd_bytes data;
    uint64_t feature;
    if (!pi_record_feature(rec, c->t.from, &feature, &data))
        return PD_OK;
    *taken = pi_is_feature_mark(rec, feature, &data);
    return *taken ? PD_OK : collect_feature(c, feature, data.ptr, data.n, taken);
}

/*
 * Records of a section have no type. In a stream, a record whose size is a multiple of 8 bytes was padded
 * with zeros: perf makes names whose record is 4 bytes longer than a multiple of 8, which a stream cannot
 * have.
 */
static enum pd_code collect_build_id(struct pi_conversion *c, struct pd_record *rec, bool *taken)
{
    struct pi_collected *f = &c->collected[PD_FEAT_BUILD_ID];
    static const uint8_t zeros[4];
    const size_t name = 36; /* its offset */
    uint16_t size = rec->size;
    *taken = true;
    if (size % 8 == 0 && size >= name + 8 && memcmp(rec->raw + size - 4, zeros, 4) == 0 &&
        rec->raw[size - 5] == 0)
        size = (uint16_t)(size - 4);
    const size_t at = f->n;
    enum pd_code code = pi_convert_add(c, PD_FEAT_BUILD_ID, rec->raw, size);
    if (code)
        return code;
    pi_store32(f->bytes + at, 0, c->t.from);
    pi_store16(f->bytes + at + 6, size, c->t.from);
    return pi_transcode_section(&c->t, PD_FEAT_BUILD_ID, f->bytes + at, size, c->error);
}

static enum pd_code collect_piece(void *user, const uint8_t *bytes, size_t n)
{
    return pi_convert_add(user, PD_FEAT_TRACING_DATA, bytes, n);
}

static enum pd_code collect_payload(struct pi_conversion *c)
{
    struct pd_error what = {.code = PD_OK};
    const enum pd_code code = pi_copy_payload(c->r, NULL, collect_piece, c, &what);
    if (what.code == PD_OK)
        return code;
    c->collected[PD_FEAT_TRACING_DATA].n = 0;
    return pi_convert_damage(c, &what);
}

/* Tracing data is behind the record; old simpleperf has it inside, padded to 64 bytes. */
static enum pd_code collect_tracing_data(struct pi_conversion *c, struct pd_record *rec, bool *taken)
{
    struct pi_collected *f = &c->collected[PD_FEAT_TRACING_DATA];
    if (f->there || pd_reader_decode(c->r, rec, NULL) || rec->layout == NULL)
        return PD_OK;
    const struct pd_bytes *rest = &rec->rest;
    const uint64_t size = rec->u.header_tracing_data.data_size;
    *taken = true;
    enum pd_code code = !pi_has_tracing_inside(rec) ? collect_payload(c)
                                                    : pi_convert_add(c, PD_FEAT_TRACING_DATA, rest->ptr,
                                                                     size < rest->n ? (size_t)size : rest->n);
    f->there = f->n || size == 0; /* cut data is left out */
    if (f->n)
        f->n = pi_tracing_bytes(f->bytes, f->n);
    return code;
}

/* An event type. The record has its name only up to a multiple of 8 bytes. */
static enum pd_code collect_type(struct pi_conversion *c, const struct pd_record *rec, bool *taken)
{
    uint8_t bytes[PI_BYTES_event_type] = {0};
    struct pd_event_type type;
    if (rec->size < 16 || rec->size > 8 + sizeof bytes || c->out.writer->stage != PI_STAGE_ATTRS)
        return PD_OK;
    memcpy(bytes, rec->raw + 8, rec->size - 8u);
    pi_event_type_take(bytes, c->t.from, &type);
    *taken = true;
    const enum pd_code code = change_type(c, &type);
    return code ? code : pd_writer_event_type(c->out.writer, &type, c->error);
}

static enum pd_code collect(struct pi_conversion *c, struct pd_record *rec, bool *taken)
{
    if ((*taken = pi_convert_change_of(c, rec) != NULL))
        return PD_OK;
    if (rec->old_feature)
        return collect_carried(c, rec, taken);
    switch (rec->type) {
    case PD_RECORD_HEADER_ATTR: *taken = rec->size >= 16; return pi_sections_attrs(&c->out);
    case PD_RECORD_HEADER_EVENT_TYPE: return collect_type(c, rec, taken);
    case PD_RECORD_HEADER_TRACING_DATA: return collect_tracing_data(c, rec, taken);
    case PD_RECORD_HEADER_BUILD_ID: return collect_build_id(c, rec, taken);
    case PD_RECORD_HEADER_FEATURE: return collect_carried(c, rec, taken);
    default: return PD_OK;
    }
}

/* Damage of data that goes into a section is reported here; of records, where they are written. */
enum pd_code pi_convert_collect(struct pi_conversion *c, struct pd_record *rec, bool *taken)
{
    struct pd_error what = {.code = PD_OK};
    if (rec->depth || (rec->type < PD_RECORD_HEADER_ATTR && !rec->old_feature))
        return PD_OK;
    pi_transcode_look(&c->t, rec);
    const bool bad = pd_reader_decode(c->r, rec, &what) != PD_OK;
    const enum pd_code code = collect(c, rec, taken);
    return code || !bad || !*taken ? code : pi_convert_damage(c, &what);
}

/* ---- Features of the output */

bool pi_convert_had(const struct pi_conversion *c, uint16_t feature)
{
    if (c->change[feature])
        return !c->change[feature]->drop;
    return c->collected[feature].there || pi_convert_section(c, feature);
}

/*
 * True if the COMPRESSED feature names zstd. perf stat writes the feature without compression; then it names
 * none.
 */
static bool says_zstd(const struct pi_conversion *c)
{
    int level;
    return c->collected[PD_FEAT_COMPRESSED].there ? said_compression(c, &level) != PI_SAID_PLAIN
                                                  : c->compressed;
}

static bool has_feature(void *user, uint16_t feature)
{
    const struct pi_conversion *c = user;
    if (!pi_convert_had(c, feature))
        return false;
    if (c->t.edits && !c->change[feature] && pi_edits_drops_feature(c->t.edits, feature)) {
        pi_edits_miss_feature(c->t.edits, feature);
        return false;
    }
    return feature != PD_FEAT_COMPRESSED || (!c->zip && !(c->open && says_zstd(c)));
}

unsigned pi_convert_gap(const struct pi_conversion *c)
{
    const uint64_t end = c->r->info.data_end + pd_reader_n_features(c->r) * PI_BYTES_file_section;
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < pd_reader_n_features(c->r); i++) {
        const struct pd_feature_section *f = pd_reader_feature(c->r, i);
        if (f->intact && f->section.offset < first)
            first = f->section.offset;
    }
    if (c->from == PD_CONTAINER_PIPE || first < end || first == UINT64_MAX ||
        first - end > 64 * PI_BYTES_file_section)
        return 0;
    return (unsigned)((first - end) / PI_BYTES_file_section);
}

/* ---- The feature bitmap */

/* The machine's name, from the ARCH feature: a string behind its length. Empty: unknown. */
static void machine(struct pi_conversion *c, char name[64])
{
    const struct pi_collected *held = &c->collected[PD_FEAT_ARCH];
    const struct pd_feature_section *f = pi_convert_section(c, PD_FEAT_ARCH);
    uint8_t bytes[4 + 63] = {0};
    size_t n = held->there ? held->n : f ? (size_t)f->section.size : 0;
    n = n < sizeof bytes ? n : sizeof bytes;
    if (held->there && n)
        memcpy(bytes, held->bytes, n);
    else if (n && (!c->r->in.seekable || pd_reader_read(c->r, f->section.offset, bytes, n, NULL)))
        n = 0;
    memset(name, 0, 64);
    if (n > 4)
        memcpy(name, bytes + 4, n - 4);
}

/*
 * The words are the longs of the recording machine. A little-endian file does not show their size, and a
 * stream has none; then the machine's name decides: all machines of 64 bits have 64 in their name, with two
 * exceptions.
 */
unsigned pi_convert_feature_word(struct pi_conversion *c)
{
    char name[64];
    if (c->from != PD_CONTAINER_PIPE && c->t.from == PD_BIG)
        return c->r->info.feature_word;
    machine(c, name);
    return *name && !strstr(name, "64") && strcmp(name, "s390x") != 0 && strcmp(name, "alpha") != 0 ? 4 : 8;
}

/* ---- Writing features */

struct turning {
    struct pi_conversion *c;
    uint16_t feature;
};

static enum pd_code turn_section(void *user, uint8_t *bytes, size_t n)
{
    const struct turning *t = user;
    return pi_transcode_section(&t->c->t, t->feature, bytes, n, t->c->error);
}

/* Only a whole section can be converted. */
static enum pd_code copy_section(struct pi_conversion *c, uint16_t feature, const struct pd_file_section *s)
{
    const bool whole = c->t.from != c->t.to && s->size <= pi_convert_max_held(c);
    struct turning t = {c, feature};
    if (!whole)
        pi_transcode_leave_section(&c->t, feature);
    return pi_copy_section(c->r, *s, whole ? (size_t)s->size : PI_COPY_PIECE, c->out.writer,
                           whole ? turn_section : NULL, &t, c->error);
}

/* Writes a feature after all edits; an edit may drop it. */
static enum pd_code put_edited(struct pi_conversion *c, uint16_t feature)
{
    const struct pd_feature_section *f = pi_convert_section(c, feature);
    const struct pi_collected *held = &c->collected[feature];
    const uint64_t n = held->there ? held->n : f->section.size,
                   offset = held->there ? PD_NOWHERE : f->section.offset;
    struct pd_bytes out;
    bool there = false;
    if (n > pi_convert_max_held(c))
        return pi_fail(c->error, PD_ELIMIT, offset, pd_feature_name(feature), n, pi_convert_max_held(c));
    uint8_t *bytes = held->there ? held->bytes : pi_resize(c->allocator, NULL, (size_t)n);
    enum pd_code code = bytes || n == 0 ? PD_OK : pi_fail(c->error, PD_ENOMEM, offset, "feature", 0, n);
    if (!code && !held->there)
        code = pd_reader_read(c->r, offset, bytes, (size_t)n, c->error);
    if (!code) {
        const struct pi_edits_section section = {c->t.to, feature, c->t.nr_cpus_avail, offset};
        code = pi_edits_feature(c->t.edits, &section, bytes, (size_t)n, &out, &there, c->error);
    }
    if (!code && c->t.edits->passed.code)
        c->t.finding(c->t.user, &c->t.edits->passed);
    if (!code && there)
        code = pd_writer_feature(c->out.writer, feature, c->error);
    if (!code && there)
        code = pd_writer_feature_bytes(c->out.writer, out.ptr, out.n, c->error);
    if (!held->there)
        pi_release(c->allocator, bytes);
    return code;
}

static enum pd_code put_feature(void *user, uint16_t feature)
{
    struct pi_conversion *c = user;
    const struct pi_collected *held = &c->collected[feature];
    if (c->t.edits && !c->change[feature])
        return put_edited(c, feature);
    const enum pd_code code = pd_writer_feature(c->out.writer, feature, c->error);
    if (code)
        return code;
    if (held->there)
        return pd_writer_feature_bytes(c->out.writer, held->bytes, held->n, c->error);
    return copy_section(c, feature, &pi_convert_section(c, feature)->section);
}

void pi_convert_feed(struct pi_conversion *c)
{
    const bool dir = c->to == PD_CONTAINER_DIRECTORY;
    c->out = (struct pi_sections){.reader = c->r,
                                  .error = c->error,
                                  .made_aux = c->from != c->to && c->to != PD_CONTAINER_PIPE,
                                  .dir = dir,
                                  .new_dir = c->from != PD_CONTAINER_DIRECTORY,
                                  .change_attr = change_attr,
                                  .change_type = change_type,
                                  .has_feature = has_feature,
                                  .put_feature = put_feature,
                                  .user = c};
}
