/* SPDX-License-Identifier: MIT */
/* sections_out.c - attrs, event types and features of an output. */
#include "sections_out.h"
#include "src/codec/parts.h"
#include "src/schema/fail.h"
#include "src/container/feature_probe.h"
#include "src/container/file.h"
#include "src/support/memory.h"
#include "src/support/wire.h"

/* ---- Attrs and event types */

enum pd_code pi_sections_attrs(struct pi_sections *s)
{
    enum pd_code code = PD_OK;
    while (!code && s->writer->attrs.n < pd_reader_n_attrs(s->reader)) {
        const struct pd_event_attr *e = pd_reader_attr(s->reader, s->writer->attrs.n);
        struct pd_attr attr = e->attr;
        if (s->change_attr)
            code = s->change_attr(s->user, e, &attr);
        if (!code)
            code = pi_writer_any_attr(s->writer, &attr, e->ids, e->n_ids, s->error);
    }
    return code;
}

static enum pd_code copy_type(struct pi_sections *s, uint64_t offset)
{
    uint8_t bytes[PI_BYTES_event_type];
    struct pd_event_type type;
    enum pd_code code = pd_reader_read(s->reader, offset, bytes, sizeof bytes, s->error);
    if (code)
        return code;
    pi_event_type_take(bytes, pd_reader_info(s->reader)->order, &type);
    if (s->change_type)
        code = s->change_type(s->user, &type);
    return code ? code : pd_writer_event_type(s->writer, &type, s->error);
}

/* Copies event types, even inside another section, where pd_reader_n_event_types() ignores them. */
static enum pd_code copy_types(struct pi_sections *s)
{
    const struct pd_file_info *info = pd_reader_info(s->reader);
    const struct pd_file_section *types = &info->header.event_types;
    enum pd_code code = PD_OK;
    if (pi_file_section_end(types) > (s->reader->in.seekable ? info->file_size : info->data_offset))
        return PD_OK;
    for (uint64_t at = 0; !code && at + PI_BYTES_event_type <= types->size; at += PI_BYTES_event_type)
        code = copy_type(s, types->offset + at);
    return code;
}

enum pd_code pi_sections_begin(struct pi_sections *s, const struct pd_sink *sink,
                               const struct pd_writer_options *options)
{
    enum pd_code code = pd_writer_open(&s->writer, sink, options, s->error);
    if (code)
        return code;
    s->writer->plain = true;
    code = pi_sections_attrs(s);
    return code ? code : copy_types(s);
}

/* ---- Choice of features */

/* The source of a feature of the output. Without has_feature(), features are written in this order. */
enum source { NOWHERE, OWN, MADE, LIKE };

static const struct pd_feature_section *section_of(struct pd_reader *reader, uint16_t feature)
{
    const struct pd_feature_section *f = pd_reader_find_feature(reader, feature);
    return f && f->intact ? f : NULL; /* damaged sections are among the reader's findings */
}

/* perf stat writes a COMPRESSED feature that names no compression; it stays. */
static inline bool has(const struct pi_sections *s, uint16_t feature)
{
    if (s->has_feature)
        return s->has_feature(s->user, feature);
    return pi_has_feature(s->reader->info.features, feature) && section_of(s->reader, feature) &&
           !(s->skip && s->skip[feature]) && !(feature == PD_FEAT_COMPRESSED && s->own_zstd);
}

/* A directory may become a file, and a file a directory. */
static enum source source_of_dir_format(const struct pi_sections *s, bool there)
{
    const bool from_dir = pd_reader_info(s->reader)->container == PD_CONTAINER_DIRECTORY;
    if (s->dir)
        return there && from_dir ? OWN : there || s->new_dir ? MADE : NOWHERE;
    return there && !from_dir ? OWN : NOWHERE;
}

/* CPU_TOPOLOGY can only be read with as many cpus as NRCPUS tells, which may be that of the input. */
static bool fits_like(const struct pi_sections *s, uint16_t feature)
{
    if (s->skip_like && s->skip_like[feature & 255])
        return false;
    return feature != PD_FEAT_CPU_TOPOLOGY || !has(s, PD_FEAT_NRCPUS) ||
           pi_nr_cpus_avail(s->reader) == pi_nr_cpus_avail(s->like);
}

/* From another recording, features about the records and their storage are not taken. */
static inline enum source source_of(const struct pi_sections *s, uint16_t feature)
{
    const bool there = has(s, feature);
    switch (feature) {
    case PD_FEAT_DIR_FORMAT: return source_of_dir_format(s, there);
    case PD_FEAT_AUXTRACE:
        if (s->made_aux)
            return s->aux.n ? MADE : NOWHERE;
        break;
    case PD_FEAT_COMPRESSED:
    case PD_FEAT_SAMPLE_TIME: break;
    default:
        if (!there && s->like && section_of(s->like, feature) && fits_like(s, feature))
            return LIKE;
    }
    return there ? OWN : NOWHERE;
}

/* The input has no features of this number and above. */
static unsigned end_of_numbers(const struct pi_sections *s)
{
    const size_t n = pd_reader_n_features(s->reader);
    const unsigned last = n ? pd_reader_feature(s->reader, n - 1)->feature : 0;
    if (s->has_feature || s->like)
        return 256;
    return (last > PD_FEAT_DIR_FORMAT ? last : PD_FEAT_DIR_FORMAT) + 1;
}

/* The number of features that the writer does not have yet. */
static unsigned count_left(const struct pi_sections *s)
{
    const unsigned end = end_of_numbers(s);
    unsigned n = 0;
    for (unsigned i = 0; i < end; i++)
        n += source_of(s, (uint16_t)i) != NOWHERE && !pi_writer_has_feature(s->writer, (uint16_t)i);
    return n;
}

/* ---- Content of features */

enum pd_code pi_copy_section(struct pd_reader *reader, struct pd_file_section section, size_t most,
                             struct pd_writer *w,
                             enum pd_code (*change)(void *user, uint8_t *bytes, size_t n), void *user,
                             struct pd_error *error)
{
    uint8_t *piece = pi_resize(w->allocator, NULL, most);
    enum pd_code code = piece ? PD_OK : pi_fail(error, PD_ENOMEM, section.offset, "feature", 0, most);
    for (uint64_t at = 0; !code && at < section.size; at += most) {
        const size_t n = section.size - at < most ? (size_t)(section.size - at) : most;
        code = pd_reader_read(reader, section.offset + at, piece, n, error);
        if (!code && change)
            code = change(user, piece, n);
        if (!code)
            code = pd_writer_feature_bytes(w, piece, n, error);
    }
    pi_release(w->allocator, piece);
    return code;
}

static enum pd_code copy(struct pi_sections *s, struct pd_reader *reader, struct pd_file_section section)
{
    return pi_copy_section(reader, section, PI_COPY_PIECE, s->writer, NULL, NULL, s->error);
}

bool pi_take_sample_time(const struct pd_bytes *feature, enum pd_order order, uint64_t *first, uint64_t *last)
{
    struct pd_feature f;
    if (pd_feature_decode(order, PD_FEAT_SAMPLE_TIME, 0, feature->ptr, feature->n, &f, NULL) || !f.layout)
        return false;
    *first = f.u.sample_time.first;
    *last = f.u.sample_time.last;
    return *first || *last;
}

void pi_put_sample_time(uint8_t times[PI_SAMPLE_TIME_BYTES], uint64_t first, uint64_t last,
                        enum pd_order order)
{
    struct pd_feature f = {.id = PD_FEAT_SAMPLE_TIME, .u.sample_time = {first, last}};
    uint64_t was[2];
    size_t n;
    if (pi_take_sample_time(&(struct pd_bytes){times, PI_SAMPLE_TIME_BYTES}, order, &was[0], &was[1]))
        pd_feature_encode(order, &f, times, PI_SAMPLE_TIME_BYTES, &n, NULL);
}

static enum pd_code put_sample_time(struct pi_sections *s, struct pd_file_section section)
{
    uint8_t times[PI_SAMPLE_TIME_BYTES];
    if (section.size < sizeof times || s->keep_time)
        return copy(s, s->reader, section);
    enum pd_code code = pd_reader_read(s->reader, section.offset, times, sizeof times, s->error);
    if (code)
        return code;
    pi_put_sample_time(times, s->first, s->last, pd_reader_info(s->reader)->order);
    code = pd_writer_feature_bytes(s->writer, times, sizeof times, s->error);
    const struct pd_file_section rest = {section.offset + sizeof times, section.size - sizeof times};
    return code ? code : copy(s, s->reader, rest);
}

static enum pd_code move_aux_index(struct pi_sections *s, const struct pd_file_section *section)
{
    const struct pi_aux_index none = {0};
    if (!s->no_aux)
        return pi_aux_index_move(&s->aux, s->writer, s->reader, section, s->error);
    return section->size % 16 == 8 ? pi_aux_index_make(&none, s->writer, s->error) : PD_OK;
}

/* Makes a feature that follows from the container. */
static enum pd_code make_feature(struct pi_sections *s, uint16_t feature)
{
    uint8_t version[8];
    if (feature == PD_FEAT_AUXTRACE)
        return pi_aux_index_make(&s->aux, s->writer, s->error);
    pi_store64(version, 1, s->writer->options.order); /* DIR_FORMAT */
    return pd_writer_feature_bytes(s->writer, version, sizeof version, s->error);
}

static enum pd_code put_feature(struct pi_sections *s, uint16_t feature, enum source from)
{
    const bool index = feature == PD_FEAT_AUXTRACE && s->writer->options.container == PD_CONTAINER_FILE;
    if (from == OWN && s->put_feature && !index)
        return s->put_feature(s->user, feature);
    const enum pd_code code = pd_writer_feature(s->writer, feature, s->error);
    if (code || from == MADE)
        return code ? code : make_feature(s, feature);
    struct pd_reader *reader = from == LIKE ? s->like : s->reader;
    const struct pd_file_section *section = &section_of(reader, feature)->section;
    switch (feature) {
    case PD_FEAT_SAMPLE_TIME: return put_sample_time(s, *section);
    case PD_FEAT_AUXTRACE: return move_aux_index(s, section);
    default: return copy(s, reader, *section);
    }
}

enum pd_code pi_sections_features(struct pi_sections *s)
{
    const unsigned end = end_of_numbers(s);
    enum pd_code code = PD_OK;
    const enum source made = s->has_feature || s->new_dir ? MADE : OWN, most = s->like ? LIKE : made;
    for (enum source last = s->has_feature ? most : made; !code && last <= most; last++)
        for (uint16_t i = 0; !code && i < end; i++) {
            const enum source from = source_of(s, i);
            if (from != NOWHERE && from <= last && !pi_writer_has_feature(s->writer, i))
                code = put_feature(s, i, from);
        }
    return code;
}

/*
 * Room for the features that follow: only now it is known which these are, as some of the input may be lost,
 * and those about records are made. Without records nothing has begun, and features would wait for them.
 */
static enum pd_code reserve_table(struct pi_sections *s)
{
    const unsigned n = s->spare + count_left(s);
    s->writer->options.max_features = n < 256 ? n : 256;
    return s->writer->stage == PI_STAGE_ATTRS ? pd_writer_raw(s->writer, NULL, 0, s->error) : PD_OK;
}

enum pd_code pi_sections_end(struct pi_sections *s)
{
    enum pd_code code = s->writer->options.container == PD_CONTAINER_FILE ? reserve_table(s) : PD_OK;
    if (!code)
        code = pi_sections_features(s);
    return code ? code : pd_writer_finish(s->writer, s->error);
}

void pi_sections_close(struct pi_sections *s)
{
    if (s->writer)
        pi_aux_index_free(&s->aux, s->writer->allocator);
    pd_writer_close(s->writer);
}
