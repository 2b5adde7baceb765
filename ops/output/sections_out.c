/* SPDX-License-Identifier: MIT */
/* sections_out.c - attrs, event types and features of a filtered recording. */
#include "output.h"
#include "src/support/memory.h"
#include "src/codec/codec_internal.h"
#include "src/support/wire.h"

/* Known fields stay what they were read as: those of the first version, or all that fit. */
static void mend_attr(struct pd_attr *attr, uint32_t room)
{
    if (attr->size && attr->size < PD_ATTR_SIZE_VER0)
        attr->size = PD_ATTR_SIZE_VER0;
    else if (attr->size > room)
        attr->size = room > PD_ATTR_SIZE_VER0 ? room : PD_ATTR_SIZE_VER0;
}

static enum pd_code copy_attrs(struct pd_sections *s)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < pd_reader_n_attrs(s->reader); i++) {
        const struct pd_event_attr *e = pd_reader_attr(s->reader, i);
        struct pd_attr attr = e->attr;
        if (s->mend_attrs)
            mend_attr(&attr, e->room);
        code = pd_writer_any_attr(s->writer, &attr, e->ids, e->n_ids, s->error);
    }
    return code;
}

enum pd_code pd_copy_event_types(struct pd_reader *reader, struct pd_writer *w,
                                 enum pd_code (*change)(void *user, struct pd_event_type *type), void *user,
                                 struct pd_error *error)
{
    const struct pd_file_info *info = pd_reader_info(reader);
    const struct pd_file_section *types = &info->header.event_types;
    const uint64_t size = reader->in.seekable ? info->file_size : info->data_offset;
    enum pd_code code = PD_OK;
    if (types->offset > size || types->size > size - types->offset)
        return PD_OK;
    for (uint64_t at = 0; !code && at + PD_BYTES_event_type <= types->size; at += PD_BYTES_event_type) {
        uint8_t bytes[PD_BYTES_event_type];
        struct pd_event_type type;
        if ((code = pd_reader_read(reader, types->offset + at, bytes, sizeof bytes, error)))
            break;
        pd_event_type_take(bytes, info->order, &type);
        if (change)
            code = change(user, &type);
        if (!code)
            code = pd_writer_event_type(w, &type, error);
    }
    return code;
}

enum pd_code pd_copy_section(struct pd_reader *reader, struct pd_file_section section, size_t most,
                             struct pd_writer *w,
                             enum pd_code (*change)(void *user, uint8_t *bytes, size_t n), void *user,
                             struct pd_error *error)
{
    uint8_t *piece = pd_resize(w->allocator, NULL, most);
    enum pd_code code = piece ? PD_OK : pd_fail(error, PD_ENOMEM, section.offset, "feature", 0, most);
    for (uint64_t at = 0; !code && at < section.size; at += most) {
        const size_t n = section.size - at < most ? (size_t)(section.size - at) : most;
        code = pd_reader_read(reader, section.offset + at, piece, n, error);
        if (!code && change)
            code = change(user, piece, n);
        if (!code)
            code = pd_writer_feature_bytes(w, piece, n, error);
    }
    pd_release(w->allocator, piece);
    return code;
}

/*
 * Damaged sections are among the reader's findings. What was a directory may be none any more. COMPRESSED is
 * the writer's own; perf stat writes one that names no compression, which stays.
 */
static bool is_kept(const struct pd_sections *s, const struct pd_feature_section *f)
{
    if (s->skip && f->feature < 256 && s->skip[f->feature])
        return false;
    if (f->feature == PD_FEAT_COMPRESSED)
        return f->intact && !s->own_zstd;
    return f->intact && (f->feature != PD_FEAT_DIR_FORMAT || s->keep_dir ||
                         pd_reader_info(s->reader)->container != PD_CONTAINER_DIRECTORY);
}

/* Is a feature of `like` taken? Not what tells of the records, nor how they are stored. */
static bool is_taken(const struct pd_sections *s, const struct pd_feature_section *f)
{
    const struct pd_feature_section *own = pd_reader_find_feature(s->reader, f->feature);
    switch (f->feature) {
    case PD_FEAT_COMPRESSED:
    case PD_FEAT_DIR_FORMAT:
    case PD_FEAT_SAMPLE_TIME:
    case PD_FEAT_AUXTRACE: return false;
    default: return f->intact && !(own && is_kept(s, own));
    }
}

/* Does the directory that is written need a DIR_FORMAT? */
static bool lacks_dir(const struct pd_sections *s)
{
    const struct pd_feature_section *own = pd_reader_find_feature(s->reader, PD_FEAT_DIR_FORMAT);
    return s->new_dir && s->keep_dir && !(own && is_kept(s, own));
}

static unsigned count_features(const struct pd_sections *s)
{
    unsigned n = lacks_dir(s);
    for (size_t i = 0; i < pd_reader_n_features(s->reader); i++)
        n += is_kept(s, pd_reader_feature(s->reader, i));
    for (size_t i = 0; s->like && i < pd_reader_n_features(s->like); i++)
        n += is_taken(s, pd_reader_feature(s->like, i));
    return n;
}

enum pd_code pd_sections_begin(struct pd_sections *s, const struct pd_sink *sink,
                               const struct pd_allocator *allocator, uint32_t zip, int level, bool keep_dir)
{
    const struct pd_file_info *info = pd_reader_info(s->reader);
    const struct pd_event_attr *first = pd_reader_attr(s->reader, 0);
    struct pd_writer_options options = {.size = sizeof options,
                                        .allocator = allocator,
                                        .order = info->order,
                                        .feature_word = info->feature_word};
    int old_level;
    enum pd_code code = pd_reader_said_zstd(s->reader, &s->own_zstd, &old_level, s->error);
    if (code)
        return code;
    s->own_zstd |= zip != 0;
    s->keep_dir = keep_dir;
    options.version = info->version;
    options.compression = zip;
    options.level = level;
    options.attr_size = first ? first->room : 0;
    options.max_features = count_features(s);
    code = pd_writer_open(&s->writer, sink, &options, s->error);
    if (!code)
        code = copy_attrs(s);
    return code ? code : pd_copy_event_types(s->reader, s->writer, NULL, NULL, s->error);
}

static enum pd_code copy(struct pd_sections *s, struct pd_reader *reader,
                         const struct pd_file_section *section)
{
    return pd_copy_section(reader, *section, PD_COPY_PIECE, s->writer, NULL, NULL, s->error);
}

void pd_put_sample_time(uint8_t times[16], uint64_t first, uint64_t last, enum pd_order order)
{
    if (pd_load64(times, order) == 0 && pd_load64(times + 8, order) == 0)
        return; /* perf did not look at the samples; that stays so */
    pd_store64(times, first, order);
    pd_store64(times + 8, last, order);
}

static enum pd_code write_sample_time(struct pd_sections *s, const struct pd_file_section *section)
{
    const enum pd_order order = pd_reader_info(s->reader)->order;
    uint8_t times[16];
    if (section->size < sizeof times || s->keep_time)
        return copy(s, s->reader, section);
    enum pd_code code = pd_reader_read(s->reader, section->offset, times, sizeof times, s->error);
    if (code)
        return code;
    pd_put_sample_time(times, s->first, s->last, order);
    code = pd_writer_feature_bytes(s->writer, times, sizeof times, s->error);
    const struct pd_file_section rest = {section->offset + sizeof times, section->size - sizeof times};
    return code ? code : copy(s, s->reader, &rest);
}

static enum pd_code write_aux_index(struct pd_sections *s, const struct pd_file_section *section)
{
    const struct pd_aux_index none = {0};
    if (!s->no_aux)
        return pd_aux_index_move(&s->aux, s->writer, s->reader, section, s->error);
    return section->size % 16 == 8 ? pd_aux_index_make(&none, s->writer, s->error) : PD_OK;
}

static enum pd_code write_feature(struct pd_sections *s, const struct pd_feature_section *f)
{
    enum pd_code code = pd_writer_feature(s->writer, f->feature, s->error);
    if (code)
        return code;
    switch (f->feature) {
    case PD_FEAT_SAMPLE_TIME: return write_sample_time(s, &f->section);
    case PD_FEAT_AUXTRACE: return write_aux_index(s, &f->section);
    default: return copy(s, s->reader, &f->section);
    }
}

/* What the input does not have. */
static enum pd_code write_others(struct pd_sections *s)
{
    const bool dir = lacks_dir(s);
    uint8_t version[8];
    enum pd_code code = PD_OK;
    pd_store64(version, 1, pd_reader_info(s->reader)->order);
    if (dir && (code = pd_writer_feature(s->writer, PD_FEAT_DIR_FORMAT, s->error)) == PD_OK)
        code = pd_writer_feature_bytes(s->writer, version, sizeof version, s->error);
    for (size_t i = 0; !code && s->like && i < pd_reader_n_features(s->like); i++) {
        const struct pd_feature_section *f = pd_reader_feature(s->like, i);
        if (is_taken(s, f) && (code = pd_writer_feature(s->writer, f->feature, s->error)) == PD_OK)
            code = copy(s, s->like, &f->section);
    }
    return code;
}

enum pd_code pd_sections_end(struct pd_sections *s)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < pd_reader_n_features(s->reader); i++) {
        const struct pd_feature_section *f = pd_reader_feature(s->reader, i);
        if (is_kept(s, f))
            code = write_feature(s, f);
    }
    if (!code)
        code = write_others(s);
    return code ? code : pd_writer_finish(s->writer, s->error);
}

void pd_sections_close(struct pd_sections *s)
{
    if (s->writer)
        pd_aux_index_free(&s->aux, s->writer->allocator);
    pd_writer_close(s->writer);
}
