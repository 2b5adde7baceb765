/* SPDX-License-Identifier: MIT */
/* file.c - the file container: header, attrs, ids, feature bitmap and table, and the map of all parts. */
#include "file.h"
#include "reader/reader_internal.h"
#include "src/codec/parts.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/support/memory.h"
#include "src/support/wire.h"

/* Adds an error as a finding. */
static enum pd_code note(struct pd_reader *r, struct pd_error *error, const struct pd_error *what)
{
    if (pd_is_failure(what->code)) {
        if (error)
            *error = *what;
        return what->code;
    }
    enum pd_code code =
        pi_finding(r, error, what->code, what->offset, what->field, what->found, what->expected);
    return code;
}

/* Bit n is in byte n / 8 of little-endian words; in big-endian words the bytes are reversed. */
void pi_features_convert(const uint8_t from[32], uint8_t to[32], enum pd_order order, unsigned word)
{
    uint8_t out[32];
    for (unsigned i = 0; i < 32; i++)
        out[i] = from[order == PD_LITTLE ? i : i / word * word + word - 1 - i % word];
    memcpy(to, out, sizeof out);
}

/* Features of the bitmap that have no name. */
static unsigned count_unknown(const uint8_t features[32])
{
    unsigned count = 0;
    for (unsigned n = 0; n < 256; n++)
        count += pi_has_feature(features, n) && !pd_set_name(&pd_set_feature, n);
    return count;
}

/*
 * True if there are only TRACING_DATA and BUILD_ID, the features of perf before 3.2. The features that words
 * of 8 bytes would give instead are tiny.
 */
static bool is_old_set(const uint8_t features[32])
{
    uint8_t rest[32];
    memcpy(rest, features, sizeof rest);
    rest[0] &= (uint8_t) ~(1u << PD_FEAT_TRACING_DATA | 1u << PD_FEAT_BUILD_ID);
    for (size_t i = 0; i < sizeof rest; i++)
        if (rest[i])
            return false;
    return features[0] != 0;
}

#define TINY 16 /* bytes; E_MACHINE has 8, CLN_SIZE 4 */

/*
 * So many more features of one word size that nobody knows tell that it is the other one. With the host's
 * name, by which perf tells the word size, one is enough.
 */
#define CLEARLY 3

unsigned pi_feature_word(const uint8_t stored[32], const struct pd_file_section *sections, size_t n)
{
    uint8_t wide[32], narrow[32];
    bool tiny = n != 0;
    pi_features_convert(stored, wide, PD_BIG, 8);
    pi_features_convert(stored, narrow, PD_BIG, 4);
    for (size_t i = 0; i < n && i < 2; i++)
        tiny &= sections[i].size > 0 && sections[i].size <= TINY;
    if (is_old_set(narrow))
        return tiny ? 8 : 4;
    const bool by_name = pi_has_feature(narrow, PD_FEAT_HOSTNAME) && !pi_has_feature(wide, PD_FEAT_HOSTNAME);
    return count_unknown(narrow) + (by_name ? 1 : CLEARLY) <= count_unknown(wide) ? 4 : 8;
}

bool pi_features_store(const uint8_t features[32], enum pd_order order, unsigned word,
                       const struct pd_file_section *sections, size_t n, uint8_t stored[32])
{
    for (int i = 0; i < 2; i++, word = 12 - word) {
        pi_features_convert(features, stored, order, word);
        if (order == PD_LITTLE || pi_feature_word(stored, sections, n) == word)
            return true;
    }
    return false;
}

/* The n first sections of the table are known. */
static void read_bitmap(struct pd_file_info *info, const struct pd_file_section *sections, size_t n)
{
    const uint8_t *stored = info->header.adds_features;
    info->feature_word = info->order == PD_BIG ? pi_feature_word(stored, sections, n) : 8;
    pi_features_convert(stored, info->features, info->order, info->feature_word);
}

static bool is_v1_header_size(uint64_t n)
{
    return n == PI_BYTES_file_header_OLD || n == PI_BYTES_file_header;
}

/* Byte order and version; false: not a perf.data. `got` bytes are available. */
static bool recognise(struct pd_file_info *info, const uint8_t *p, size_t got)
{
    if (got < 16)
        return false;
    info->version = 2;
    info->feature_word = 8;
    if (memcmp(p, "PERFILE2", 8) == 0)
        info->order = PD_LITTLE;
    else if (memcmp(p, "2ELIFREP", 8) == 0)
        info->order = PD_BIG;
    else if (memcmp(p, "PERFFILE", 8) == 0)
        info->version = 1;
    else
        return false;
    if (info->version == 1) { /* the magic was copied as bytes: the sizes tell the order */
        const bool little = pi_load64(p + 8, PD_LITTLE) == PI_PIPE_HEADER_BYTES ||
                            (got >= 24 && pi_is_v1_stride(pi_load64(p + 16, PD_LITTLE)));
        const bool big = pi_load64(p + 8, PD_BIG) == PI_PIPE_HEADER_BYTES ||
                         (got >= 24 && pi_is_v1_stride(pi_load64(p + 16, PD_BIG)));
        info->order = big && !little ? PD_BIG : PD_LITTLE;
        if (!big && !little && is_v1_header_size(pi_load64(p + 8, PD_BIG))) /* attrs of a size of their own */
            info->order = PD_BIG;
    }
    return true;
}

/* Reads `n` bytes at `offset` into `buf`; PD_ETRUNC names `field` when the file has fewer. */
static enum pd_code read_part(struct pd_reader *r, uint64_t offset, void *buf, size_t n, const char *field,
                              struct pd_error *error)
{
    for (size_t done = 0; done < n;) {
        const uint8_t *p;
        size_t got;
        const size_t want = n - done < 4096 ? n - done : 4096;
        enum pd_code code = pi_input_at(&r->in, offset + done, want, &p, &got, error);
        if (code)
            return code;
        if (got == 0)
            return pi_fail(error, PD_ETRUNC, offset, field, done, n);
        if (got > n - done)
            got = n - done;
        memcpy((uint8_t *)buf + done, p, got);
        done += got;
    }
    return PD_OK;
}

/*
 * True if [offset, offset + size) is inside the file. For an input of unknown size, reading the bytes will
 * tell.
 */
static bool inside(const struct pd_reader *r, const struct pd_file_section *s)
{
    const uint64_t size = r->info.file_size;
    return s->offset <= size && s->size <= size - s->offset;
}

/*
 * The position of the ids of an entry: behind the room for the attr, or, in some old files, directly behind
 * attr.size bytes. Where no ids are, their place says nothing: of a pipe, how large the file is is not known.
 */
static struct pd_file_section find_ids(const struct pd_reader *r, const uint8_t *entry, size_t room,
                                       bool *is_early)
{
    struct pd_file_section usual, early = {0};
    const uint32_t size = pi_load32(entry + 4, r->info.order);
    const size_t said = size ? size : PD_ATTR_SIZE_VER0;
    pi_file_section_take(entry + room, r->info.order, &usual);
    if ((usual.size == 0 || inside(r, &usual)) && usual.size % 8 == 0)
        return usual;
    if (said >= PD_ATTR_SIZE_VER0 && said < room)
        pi_file_section_take(entry + said, r->info.order, &early);
    *is_early = early.size && early.size % 8 == 0 && inside(r, &early);
    return *is_early ? early : usual;
}

static enum pd_code read_event(struct pd_reader *r, const uint8_t *entry, size_t room, uint64_t offset,
                               struct pd_error *error)
{
    bool early = false;
    struct pd_file_section ids = find_ids(r, entry, room, &early);
    struct pd_error what;
    enum pd_code code = PD_OK;
    uint8_t *bytes = NULL;
    size_t n = 0, said;
    if (ids.size && !inside(r, &ids)) {
        code = pi_finding(r, error, PD_ERANGE, offset, "ids", pi_file_section_end(&ids), r->info.file_size);
    } else if (ids.size >
               r->info.file_size - r->ids_bytes) { /* many attrs with the same ids would multiply them */
        code = pi_finding(r, error, PD_ELIMIT, offset, "ids of all attrs", r->ids_bytes + ids.size,
                          r->info.file_size);
    } else if (ids.size) {
        n = (size_t)ids.size / 8;
        r->ids_bytes += ids.size;
        bytes = pi_resize(r->allocator, NULL, (size_t)ids.size);
        if (bytes == NULL)
            return pi_fail(error, PD_ENOMEM, offset, "ids", 0, ids.size);
        if (ids.size % 8)
            code = pi_finding(r, error, PD_EVALUE, offset, "ids.size", ids.size, ids.size / 8 * 8);
        if (!code && read_part(r, ids.offset, bytes, n * 8, "ids", &what)) {
            code = note(r, error, &what);
            n = 0;
        }
    }
    if (!code && pi_attr_place(r->info.order, entry, room, &said, &what))
        code = pi_finding(r, error, what.code, offset, what.field, what.found, what.expected);
    if (!code)
        code = pi_attrs_add(&r->attrs, r->info.order, entry, room, bytes, n, offset, error);
    if (!code) {
        r->attrs.attr[r->attrs.n - 1]->ids_section = ids;
        r->attrs.attr[r->attrs.n - 1]->ids_early = early;
    }
    pi_release(r->allocator, bytes);
    return code;
}

#define ENTRIES_AT_ONCE ((uint64_t)64 << 10) /* bytes; no entry is larger */

/*
 * Many entries at a time: their ids are elsewhere, and reading both alternately would move the window twice
 * for each. If damage prevents that, the entries before it are read.
 */
static enum pd_code read_entries(struct pd_reader *r, struct pd_error *error)
{
    const uint64_t stride = r->info.header.attr_size, n = r->info.header.attrs.size / stride;
    uint64_t most = n < ENTRIES_AT_ONCE / stride ? n : ENTRIES_AT_ONCE / stride;
    struct pd_error what;
    enum pd_code code = PD_OK;
    uint8_t *entries = pi_resize(r->allocator, NULL, (size_t)(most * stride));
    if (entries == NULL)
        return pi_fail(error, PD_ENOMEM, 16, "attr", 0, stride);
    for (uint64_t i = 0; !code && i < n;) {
        const uint64_t offset = r->info.header.attrs.offset + i * stride, now = most < n - i ? most : n - i;
        if (read_part(r, offset, entries, (size_t)(now * stride), "attrs", &what) == PD_OK) {
            for (uint64_t k = 0; !code && k < now; k++)
                code = read_event(r, entries + k * stride, (size_t)stride - PI_BYTES_file_section,
                                  offset + k * stride, error);
            i += now;
        } else if (now == 1) {
            code = note(r, error, &what);
            break;
        } else {
            most = 1;
        }
    }
    pi_release(r->allocator, entries);
    return code;
}

static enum pd_code read_attrs_and_ids(struct pd_reader *r, struct pd_error *error)
{
    const struct pd_file_header *h = &r->info.header;
    const uint64_t stride = h->attr_size;
    if (stride < PI_BYTES_file_section + 8 || stride > ENTRIES_AT_ONCE)
        return pi_finding(r, error, PD_EVALUE, 16, "attr_size", stride, PD_ATTR_SIZE + PI_BYTES_file_section);
    if (!inside(r, &h->attrs))
        return pi_finding(r, error, PD_ERANGE, 24, "attrs", pi_file_section_end(&h->attrs),
                          r->info.file_size);
    enum pd_code code = PD_OK;
    if (h->attrs.size % stride)
        code = pi_finding(r, error, PD_EVALUE, 32, "attrs.size, in entries of attr_size", h->attrs.size,
                          h->attrs.size / stride * stride);
    if (code || h->attrs.size < stride)
        return code;
    return read_entries(r, error);
}

static enum pd_code read_attrs(struct pd_reader *r, struct pd_error *error)
{
    const size_t before = r->n_findings;
    const enum pd_code code = read_attrs_and_ids(r, error);
    r->bad_attrs = r->n_findings > before;
    return code;
}

static enum pd_code add_feature(struct pd_reader *r, uint16_t n, const uint8_t *entry, struct pd_error *error)
{
    if (!pi_grow(r->allocator, (void **)&r->features, r->n_features, &r->features_cap, sizeof *r->features))
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "features", 0, sizeof *r->features);
    struct pd_feature_section *f = &r->features[r->n_features++];
    f->feature = n;
    pi_file_section_take(entry, r->info.order, &f->section);
    const char *name = pd_set_name(&pd_set_feature, n);
    f->intact = false;
    if (!inside(r, &f->section))
        return pi_finding(r, error, PD_ERANGE, f->section.offset, name ? name : "feature",
                          pi_file_section_end(&f->section), r->info.file_size);
    if (f->section.size >
        r->info.file_size - r->feature_bytes) /* many entries of the same bytes would multiply them */
        return pi_finding(r, error, PD_ELIMIT, f->section.offset, "features of the file, all together",
                          r->feature_bytes + f->section.size, r->info.file_size);
    r->feature_bytes += f->section.size;
    f->intact = true;
    return PD_OK;
}

/* Now that the table is known; the bitmap has as many features however it is read. */
static void read_bitmap_again(struct pd_reader *r)
{
    const size_t entries = (size_t)(pi_file_table_bytes(r) / PI_BYTES_file_section),
                 most = entries < 2 ? entries : 2;
    struct pd_file_section sections[2];
    size_t n = 0;
    uint8_t entry[PI_BYTES_file_section];
    while (n < most && read_part(r, r->info.data_end + n * sizeof entry, entry, sizeof entry, "feature table",
                                 NULL) == PD_OK)
        pi_file_section_take(entry, r->info.order, &sections[n++]);
    read_bitmap(&r->info, sections, n == most ? n : 0);
}

static enum pd_code read_table(struct pd_reader *r, struct pd_error *error)
{
    struct pd_error what;
    uint64_t offset = r->info.data_end;
    r->feature_bytes = 0;
    if (r->info.order == PD_BIG)
        read_bitmap_again(r);
    for (unsigned n = 0; n < 256; n++) {
        uint8_t entry[PI_BYTES_file_section];
        if (!pi_has_feature(r->info.features, n))
            continue;
        enum pd_code code = read_part(r, offset, entry, sizeof entry, "feature table", &what);
        if (code) {
            r->info.truncated = true;
            return note(r, error, &what);
        }
        if ((code = add_feature(r, (uint16_t)n, entry, error)))
            return code;
        offset += sizeof entry;
    }
    return PD_OK;
}

uint64_t pi_file_table_bytes(const struct pd_reader *r)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < 256; i++)
        n += pi_has_feature(r->info.features, i);
    return n * PI_BYTES_file_section;
}

/*
 * With data size 0, a finished file without records has its table where the data would be, each entry
 * pointing behind the table; the records of an unfinished one cannot be taken for that.
 */
bool pi_file_is_table(struct pd_reader *r, uint64_t offset)
{
    const uint64_t bytes = pi_file_table_bytes(r), end = offset + bytes;
    for (; offset < end; offset += PI_BYTES_file_section) {
        uint8_t entry[PI_BYTES_file_section];
        struct pd_file_section s;
        if (read_part(r, offset, entry, sizeof entry, "feature table", NULL))
            return false;
        pi_file_section_take(entry, r->info.order, &s);
        if (!inside(r, &s) || s.offset < end)
            return false;
    }
    return bytes != 0;
}

static bool has_any_feature(const struct pd_file_info *info)
{
    static const uint8_t none[32];
    return memcmp(info->features, none, sizeof none) != 0;
}

/* The file ends before its data does. */
static enum pd_code cut_data(struct pd_reader *r, struct pd_error *error)
{
    struct pd_file_info *info = &r->info;
    info->truncated = true;
    info->data_end = info->file_size;
    if (info->data_offset > info->file_size)
        info->data_offset = info->file_size;
    return pi_finding(r, error, PD_ERANGE, 40, "data", pi_file_section_end(&info->header.data),
                      info->file_size);
}

/* The position of the records, and whether the file is as long as its header says. */
static enum pd_code place_data(struct pd_reader *r, struct pd_error *error)
{
    struct pd_file_info *info = &r->info;
    const struct pd_file_section *data = &info->header.data;
    info->data_offset = data->offset;
    info->data_end = pi_file_section_end(data);
    if (r->in.seekable && info->data_end > info->file_size)
        return cut_data(r, error);
    if (!r->in.seekable) {
        info->unfinished = data->size == 0;
        info->data_end = data->size ? info->data_end : PD_NOWHERE;
        return PD_OK;
    }
    /* The file has at most records: nothing that a finished recording has behind its data. */
    const bool open_end = info->file_size >= data->offset && data->offset >= info->header.size;
    if (data->size == 0 && open_end && info->header.attrs.offset <= data->offset &&
        !pi_file_is_table(r, data->offset) && (info->file_size > data->offset || has_any_feature(info))) {
        info->unfinished = true;
        info->data_end = info->file_size;
    }
    return PD_OK;
}

/*
 * Attrs behind the data come too late for its records. Sections that overlap are damaged, even if what is
 * behind them cannot be seen yet.
 */
static enum pd_code expect_attrs_first(const struct pd_file_header *h, struct pd_error *error)
{
    const uint64_t begin = h->attrs.offset, end = pi_file_section_end(&h->attrs);
    const uint64_t data_end = pi_file_section_end(&h->data);
    if (h->data.offset < h->size)
        return pi_fail(error, PD_EVALUE, 40, "data.offset", h->data.offset, h->size);
    if (end <= h->data.offset)
        return PD_OK;
    if (h->attrs.size && (begin < data_end || end == UINT64_MAX))
        return pi_fail(error, PD_EVALUE, 24, "start of a section inside another one", begin, data_end);
    return pi_fail(error, PD_EUNSUP, 24,
                   "attrs that do not stand before the data, in an input that cannot seek", 0, 0);
}

/*
 * A file that cannot seek: all bytes before the data are kept, so that ids and attrs can be read in any
 * order.
 */
static enum pd_code read_stream_head(struct pd_reader *r, struct pd_error *error)
{
    const struct pd_file_header *h = &r->info.header;
    enum pd_code code;
    if ((code = expect_attrs_first(h, error)) ||
        (code = pi_input_pin(&r->in, 0, h->data.offset, r->max_held, error)) || (code = place_data(r, error)))
        return code;
    r->info.file_size =
        r->in.pins[0].n; /* as far as can be looked at now; the input may have ended before the data */
    code = read_attrs(r, error);
    r->info.file_size = PD_NOWHERE;
    return code;
}

/* The header of a regular file: 72, 104 or more bytes, of which the first 104 are known. */
static enum pd_code read_header(struct pd_reader *r, struct pd_error *error)
{
    uint8_t bytes[PI_BYTES_file_header] = {0};
    const uint64_t size = r->info.header.size;
    size_t known = size < sizeof bytes ? (size_t)size : sizeof bytes;
    enum pd_code code;
    if (size < PI_BYTES_file_header_OLD)
        return pi_fail(error, PD_EVALUE, 8, "header size", size, PI_BYTES_file_header);
    if (r->in.seekable && size > r->info.file_size)
        return pi_fail(error, PD_ETRUNC, 0, "header", r->info.file_size, size);
    if ((code = read_part(r, 0, bytes, known, "header", error)))
        return code;
    pi_file_header_take(bytes, r->info.order, &r->info.header);
    read_bitmap(&r->info, NULL, 0);
    if (!r->in.seekable)
        return read_stream_head(r, error);
    if ((code = place_data(r, error)) || (code = read_attrs(r, error)))
        return code;
    return r->info.unfinished || r->info.truncated ? PD_OK : read_table(r, error);
}

enum pd_code pi_file_tail(struct pd_reader *r, struct pd_error *error)
{
    struct pd_file_info *info = &r->info;
    enum pd_code code = PD_OK;
    if (r->in.seekable || info->container != PD_CONTAINER_FILE || info->file_size != PD_NOWHERE)
        return PD_OK;
    if (!info->unfinished &&
        (code = pi_input_pin(&r->in, info->data_end, PD_NOWHERE - info->data_end, r->max_held, error)))
        return code;
    info->file_size = pi_input_size(&r->in);
    info->unfinished &= info->data_offset <= info->file_size;
    if (info->unfinished) { /* without records and features it lacks nothing, as in place_data() */
        info->data_end = info->file_size;
        info->unfinished = info->file_size > info->data_offset || has_any_feature(info);
    } else if (info->data_end > info->file_size)
        code = cut_data(r, error);
    else
        code = read_table(r, error);
    r->n_extents = 0;
    if (!code)
        code = pi_file_map(r, error);
    return code ? code : pi_probe_sections(r, error);
}

enum pd_code pi_file_open(struct pd_reader *r, struct pd_error *error)
{
    const uint8_t *p;
    size_t got;
    enum pd_code code = pi_input_at(&r->in, 0, 24, &p, &got, error);
    if (code)
        return code;
    if (!recognise(&r->info, p, got)) {
        const size_t n = got < 8 ? got : 8;
        if (got < 16 &&
            (n == 0 || !memcmp(p, "PERFILE2", n) || !memcmp(p, "2ELIFREP", n) || !memcmp(p, "PERFFILE", n)))
            return pi_fail(error, PD_ETRUNC, 0, "header", got, 16);
        uint8_t magic[8] = {0};
        memcpy(magic, p, n);
        return pi_fail(error, PD_EMAGIC, 0, "magic", pi_load64(magic, PD_LITTLE), PI_MAGIC2);
    }
    r->info.header.magic = pi_load64(p, r->info.order);
    r->info.header.size = pi_load64(p + 8, r->info.order);
    r->info.file_size = pi_input_size(&r->in);
    pi_attrs_init(&r->attrs, r->allocator, r->info.order);
    if (r->info.header.size == PI_PIPE_HEADER_BYTES) {
        r->info.container = PD_CONTAINER_PIPE;
        r->info.data_offset = PI_PIPE_HEADER_BYTES;
        r->info.data_end = r->info.file_size;
        return PD_OK;
    }
    return read_header(r, error);
}

enum pd_code pi_file_move_data(struct pd_reader *r, uint64_t offset, uint64_t end, struct pd_error *error)
{
    struct pd_file_info *info = &r->info;
    const struct pd_file_section *said = &info->header.data;
    const bool table = pi_file_is_table(r, end);
    enum pd_code code = PD_OK;
    if (said->offset != offset)
        code = pi_finding(r, error, PD_EVALUE, 40, "data.offset", said->offset, offset);
    if (!code && said->size != end - offset && (said->size || table))
        code = pi_finding(r, error, PD_EVALUE, 48, "data.size", said->size, end - offset);
    info->data_offset = offset;
    info->data_end = end;
    info->unfinished = !table && said->size == 0;
    info->truncated = !table && said->size && has_any_feature(info);
    r->n_features = 0;
    return code || !table ? code : read_table(r, error);
}

static enum pd_code add_extent(struct pd_reader *r, enum pd_extent_kind kind, uint32_t index, uint64_t offset,
                               uint64_t size, struct pd_error *error)
{
    if (size == 0 || offset >= r->info.file_size)
        return PD_OK;
    if (!pi_grow(r->allocator, (void **)&r->extents, r->n_extents, &r->extents_cap, sizeof *r->extents))
        return pi_fail(error, PD_ENOMEM, offset, "extents", 0, sizeof *r->extents);
    if (size > r->info.file_size - offset)
        size = r->info.file_size - offset;
    r->extents[r->n_extents++] = (struct pd_extent){kind, index, offset, size};
    return PD_OK;
}

static enum pd_code add_parts(struct pd_reader *r, struct pd_error *error)
{
    const struct pd_file_info *info = &r->info;
    const struct pd_file_header *h = &info->header;
    enum pd_code code = add_extent(r, PD_EXTENT_HEADER, 0, 0, h->size, error);
    for (size_t i = 0; !code && i < r->attrs.n; i++) {
        const struct pd_file_section *ids = &r->attrs.attr[i]->ids_section;
        if (r->attrs.attr[i]->n_ids)
            code = add_extent(r, PD_EXTENT_IDS, (uint32_t)i, ids->offset, r->attrs.attr[i]->n_ids * 8, error);
    }
    if (!code && r->attrs.n)
        code = add_extent(r, PD_EXTENT_ATTRS, 0, h->attrs.offset, r->attrs.n * h->attr_size, error);
    /* In a stream, the parts behind the start of the data are known only at its end. */
    const uint64_t known = info->file_size == PD_NOWHERE ? info->data_offset : info->file_size;
    if (!code && pi_file_section_end(&h->event_types) <= known)
        code = add_extent(r, PD_EXTENT_EVENT_TYPES, 0, h->event_types.offset,
                          h->event_types.size / PI_BYTES_event_type * PI_BYTES_event_type, error);
    if (!code)
        code = add_extent(r, PD_EXTENT_DATA, 0, info->data_offset, info->data_end - info->data_offset, error);
    if (!code)
        code =
            add_extent(r, PD_EXTENT_TABLE, 0, info->data_end, r->n_features * PI_BYTES_file_section, error);
    for (size_t i = 0; !code && i < r->n_features; i++)
        if (r->features[i].intact)
            code = add_extent(r, PD_EXTENT_FEATURE, r->features[i].feature, r->features[i].section.offset,
                              r->features[i].section.size, error);
    return code;
}

static int by_offset(const void *a, const void *b)
{
    const struct pd_extent *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind) ?: (x->index > y->index) - (x->index < y->index);
}

/* Parts that are completely inside others become empty. */
static void drop_empty(struct pd_reader *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_extents; i++)
        if (r->extents[i].size)
            r->extents[n++] = r->extents[i];
    r->n_extents = n;
}

/*
 * Reports a part that begins inside another one, unless that was reported when the stream began and less of
 * the map was known. Both maps go through the parts by offset, so *told follows the earlier findings.
 */
static enum pd_code find_overlap(struct pd_reader *r, uint64_t offset, uint64_t at, size_t *told,
                                 struct pd_error *error)
{
    while (*told < r->overlaps_end && r->findings[*told].offset < offset)
        ++*told;
    if (*told < r->overlaps_end && r->findings[*told].offset == offset) {
        ++*told;
        return PD_OK;
    }
    return pi_finding(r, error, PD_EVALUE, offset, "start of a section inside another one", offset, at);
}

/*
 * The parts in the order of the file, with gaps between them, and overlapping ones reduced to their uncovered
 * end.
 */
enum pd_code pi_file_map(struct pd_reader *r, struct pd_error *error)
{
    enum pd_code code = add_parts(r, error);
    const size_t n = r->n_extents, before = r->n_findings;
    uint64_t at = 0;
    size_t told = r->overlaps;
    if (code)
        return code;
    if (n)
        qsort(r->extents, n, sizeof *r->extents, by_offset);
    for (size_t i = 0; !code && i < n; i++) {
        struct pd_extent *e = &r->extents[i];
        const uint64_t end = e->offset + e->size;
        if (e->offset > at) {
            const uint64_t gap = e->offset - at;
            code = add_extent(r, PD_EXTENT_GAP, 0, at, gap, error);
        } else if (e->offset < at) {
            code = find_overlap(r, e->offset, at, &told, error);
            e->kind = PD_EXTENT_OVERLAP;
            e->size = end > at ? end - at : 0;
            e->offset = at;
        }
        at = end > at ? end : at;
    }
    if (!code && r->info.file_size != PD_NOWHERE)
        code = add_extent(r, PD_EXTENT_GAP, 0, at, r->info.file_size - at, error);
    r->overlaps = before;
    r->overlaps_end = r->n_findings;
    drop_empty(r);
    if (r->n_extents)
        qsort(r->extents, r->n_extents, sizeof *r->extents, by_offset);
    return code;
}
