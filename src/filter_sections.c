/* SPDX-License-Identifier: MIT */
/* filter_sections.c - attrs, event types and features of a filtered recording. */
#include "filter.h"
#include "codec_internal.h"
#include "wire.h"

#define PIECE 65536

static enum pd_code copy_attrs(struct pd_sections *s)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < pd_reader_n_attrs(s->reader); i++) {
        const struct pd_event_attr *e = pd_reader_attr(s->reader, i);
        code = pd_writer_any_attr(s->writer, &e->attr, e->ids, e->n_ids, s->error);
    }
    return code;
}

static enum pd_code copy_types(struct pd_sections *s)
{
    const struct pd_file_info *info = pd_reader_info(s->reader);
    const struct pd_file_section *types = &info->header.event_types;
    enum pd_code code = PD_OK;
    if (types->offset > info->file_size || types->size > info->file_size - types->offset)
        return PD_OK;
    for (uint64_t at = 0; !code && at + PD_BYTES_event_type <= types->size; at += PD_BYTES_event_type) {
        uint8_t bytes[PD_BYTES_event_type];
        struct pd_event_type type;
        if ((code = pd_reader_read(s->reader, types->offset + at, bytes, sizeof bytes, s->error)))
            break;
        pd_event_type_take(bytes, info->order, &type);
        code = pd_writer_event_type(s->writer, &type, s->error);
    }
    return code;
}

bool pd_sections_zstd(struct pd_sections *s, int *level)
{
    const struct pd_feature_section *f = pd_reader_find_feature(s->reader, PD_FEAT_COMPRESSED);
    const enum pd_order order = pd_reader_info(s->reader)->order;
    uint8_t bytes[12]; /* version, type, level */
    if (f == NULL || !f->intact || f->section.size < sizeof bytes ||
        pd_reader_read(s->reader, f->section.offset, bytes, sizeof bytes, NULL) ||
        pd_load32(bytes + 4, order) == 0)
        return false;
    *level = (int)(pd_load32(bytes + 8, order) & 31);
    return true;
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

enum pd_code pd_sections_begin(struct pd_sections *s, const struct pd_sink *sink, uint32_t zip, int level,
                               bool keep_dir)
{
    const struct pd_file_info *info = pd_reader_info(s->reader);
    const struct pd_event_attr *first = pd_reader_attr(s->reader, 0);
    struct pd_writer_options options = {.size = sizeof options,
                                        .allocator = s->options->allocator,
                                        .order = info->order,
                                        .feature_word = info->feature_word};
    int old_level;
    s->keep_dir = keep_dir;
    s->own_zstd = zip || pd_sections_zstd(s, &old_level);
    options.version = info->version;
    options.compression = zip;
    options.level = level;
    options.attr_size = first ? first->room : 0;
    options.max_features = count_features(s);
    enum pd_code code = pd_writer_open(&s->writer, sink, &options, s->error);
    if (!code)
        code = copy_attrs(s);
    return code ? code : copy_types(s);
}

/* Copies `size` bytes of a recording into the current feature. */
static enum pd_code copy_from(struct pd_sections *s, struct pd_reader *reader, uint64_t offset, uint64_t size)
{
    uint8_t *piece = pd_resize(s->options->allocator, NULL, PIECE);
    enum pd_code code = piece ? PD_OK : pd_fail(s->error, PD_ENOMEM, offset, "feature", 0, PIECE);
    while (!code && size) {
        const size_t n = size < PIECE ? (size_t)size : PIECE;
        code = pd_reader_read(reader, offset, piece, n, s->error);
        if (!code)
            code = pd_writer_feature_bytes(s->writer, piece, n, s->error);
        offset += n;
        size -= n;
    }
    pd_release(s->options->allocator, piece);
    return code;
}

static enum pd_code copy(struct pd_sections *s, uint64_t offset, uint64_t size)
{
    return copy_from(s, s->reader, offset, size);
}

void pd_put_sample_time(uint8_t times[16], const struct pd_filter_stats *stats, enum pd_order order)
{
    if (pd_load64(times, order) == 0 && pd_load64(times + 8, order) == 0)
        return; /* perf did not look at the samples; that stays so */
    pd_store64(times, stats->first, order);
    pd_store64(times + 8, stats->last, order);
}

static enum pd_code write_sample_time(struct pd_sections *s, const struct pd_file_section *section)
{
    const enum pd_order order = pd_reader_info(s->reader)->order;
    uint8_t times[16];
    if (section->size < sizeof times || s->keep_time)
        return copy(s, section->offset, section->size);
    enum pd_code code = pd_reader_read(s->reader, section->offset, times, sizeof times, s->error);
    if (code)
        return code;
    pd_put_sample_time(times, s->stats, order);
    code = pd_writer_feature_bytes(s->writer, times, sizeof times, s->error);
    return code ? code : copy(s, section->offset + sizeof times, section->size - sizeof times);
}

static int by_old_place(const void *a, const void *b)
{
    const struct pd_moved *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Where the record at an offset is now; an offset of no record stays. */
static uint64_t new_place(const struct pd_sections *s, uint64_t offset)
{
    const struct pd_moved key = {offset, 0};
    const struct pd_moved *found =
        s->n_moved ? bsearch(&key, s->moved, s->n_moved, sizeof key, by_old_place) : NULL;
    return found ? found->to : offset;
}

/* Pairs of an AUXTRACE record's offset and size; perf puts their number before them, simpleperf does not. */
static enum pd_code write_aux_index(struct pd_sections *s, const struct pd_file_section *section)
{
    const enum pd_order order = pd_reader_info(s->reader)->order;
    const uint64_t pairs = section->size / 16;
    uint64_t at = section->offset;
    uint8_t bytes[16] = {0};
    enum pd_code code = PD_OK;
    if (section->size % 16 == 8) {
        if (!s->no_aux)
            code = pd_reader_read(s->reader, at, bytes, 8, s->error);
        if (!code)
            code = pd_writer_feature_bytes(s->writer, bytes, 8, s->error);
        at += 8;
    }
    if (s->no_aux)
        return code;
    for (uint64_t i = 0; !code && i < pairs; i++, at += 16) {
        if ((code = pd_reader_read(s->reader, at, bytes, sizeof bytes, s->error)))
            break;
        pd_store64(bytes, new_place(s, pd_load64(bytes, order)), order);
        code = pd_writer_feature_bytes(s->writer, bytes, sizeof bytes, s->error);
    }
    return code ? code : copy(s, at, section->offset + section->size - at);
}

static enum pd_code write_feature(struct pd_sections *s, const struct pd_feature_section *f)
{
    enum pd_code code = pd_writer_feature(s->writer, f->feature, s->error);
    if (code)
        return code;
    switch (f->feature) {
    case PD_FEAT_SAMPLE_TIME: return write_sample_time(s, &f->section);
    case PD_FEAT_AUXTRACE: return write_aux_index(s, &f->section);
    default: return copy(s, f->section.offset, f->section.size);
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
            code = copy_from(s, s->like, f->section.offset, f->section.size);
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
