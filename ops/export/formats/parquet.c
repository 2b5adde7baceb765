/* SPDX-License-Identifier: MIT */
/* parquet.c - see parquet.h: rows, groups of them, and the footer. */
#include "parquet.h"
#include "encode/container/deflate.h"
#include "parquet_pages.h"
#include "src/schema/fail.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include "thrift.h"
#include <stddef.h>
#include <zstd.h>

#define LEVEL 3 /* of zstd */

/* ---- What the footer and the heads of pages are made of: the numbers of parquet.thrift */

enum { INT32 = 1, INT64 = 2, BYTE_ARRAY = 6 };               /* Type */
enum { REQUIRED = 0, OPTIONAL = 1, REPEATED = 2 };           /* FieldRepetitionType */
enum { UTF8 = 0, LIST = 3, UINT_32 = 13, UINT_64 = 14 };     /* ConvertedType */
enum { PLAIN = 0, RLE = 3, RLE_DICTIONARY = 8 };             /* Encoding */
enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2, CODEC_ZSTD = 6 }; /* PageType; CompressionCodec */

struct nothing {
    char none;
};
static const struct pi_thrift_field nothing_fields[] = {{0}};
static const struct nothing nothing;

struct integer_type {
    int64_t bits, is_signed;
};
static const struct pi_thrift_field integer_type_fields[] = {
    {1, PI_THRIFT_I8, 0, offsetof(struct integer_type, bits), NULL},
    {2, PI_THRIFT_BOOL, 0, offsetof(struct integer_type, is_signed), NULL},
    {0}};

struct logical_type {
    const struct nothing *string, *list;
    const struct integer_type *integer;
};
static const struct pi_thrift_field logical_type_fields[] = {
    {1, PI_THRIFT_STRUCT, 0, offsetof(struct logical_type, string), nothing_fields},
    {3, PI_THRIFT_STRUCT, 0, offsetof(struct logical_type, list), nothing_fields},
    {10, PI_THRIFT_STRUCT, 0, offsetof(struct logical_type, integer), integer_type_fields},
    {0}};

struct schema_element {
    int64_t type, repetition, n_children, converted;
    struct pd_str name;
    const struct logical_type *logical;
};
static const struct pi_thrift_field schema_element_fields[] = {
    {1, PI_THRIFT_I32, 0, offsetof(struct schema_element, type), NULL},
    {3, PI_THRIFT_I32, 0, offsetof(struct schema_element, repetition), NULL},
    {4, PI_THRIFT_BINARY, 0, offsetof(struct schema_element, name), NULL},
    {5, PI_THRIFT_I32, 0, offsetof(struct schema_element, n_children), NULL},
    {6, PI_THRIFT_I32, 0, offsetof(struct schema_element, converted), NULL},
    {10, PI_THRIFT_STRUCT, 0, offsetof(struct schema_element, logical), logical_type_fields},
    {0}};

struct statistics {
    int64_t n_missing;
    struct pd_str greatest, least;
};
static const struct pi_thrift_field statistics_fields[] = {
    {3, PI_THRIFT_I64, 0, offsetof(struct statistics, n_missing), NULL},
    {5, PI_THRIFT_BINARY, 0, offsetof(struct statistics, greatest), NULL},
    {6, PI_THRIFT_BINARY, 0, offsetof(struct statistics, least), NULL},
    {0}};

struct column_metadata {
    int64_t type, codec, n, uncompressed, compressed, data_at, dictionary_at;
    struct pi_thrift_list encodings, path;
    const struct statistics *statistics;
};
static const struct pi_thrift_field column_metadata_fields[] = {
    {1, PI_THRIFT_I32, 0, offsetof(struct column_metadata, type), NULL},
    {2, PI_THRIFT_LIST, PI_THRIFT_I32, offsetof(struct column_metadata, encodings), NULL},
    {3, PI_THRIFT_LIST, PI_THRIFT_BINARY, offsetof(struct column_metadata, path), NULL},
    {4, PI_THRIFT_I32, 0, offsetof(struct column_metadata, codec), NULL},
    {5, PI_THRIFT_I64, 0, offsetof(struct column_metadata, n), NULL},
    {6, PI_THRIFT_I64, 0, offsetof(struct column_metadata, uncompressed), NULL},
    {7, PI_THRIFT_I64, 0, offsetof(struct column_metadata, compressed), NULL},
    {9, PI_THRIFT_I64, 0, offsetof(struct column_metadata, data_at), NULL},
    {11, PI_THRIFT_I64, 0, offsetof(struct column_metadata, dictionary_at), NULL},
    {12, PI_THRIFT_STRUCT, 0, offsetof(struct column_metadata, statistics), statistics_fields},
    {0}};

struct column_chunk {
    int64_t at;
    const struct column_metadata *metadata;
};
static const struct pi_thrift_field column_chunk_fields[] = {
    {2, PI_THRIFT_I64, 0, offsetof(struct column_chunk, at), NULL},
    {3, PI_THRIFT_STRUCT, 0, offsetof(struct column_chunk, metadata), column_metadata_fields},
    {0}};

struct row_group {
    struct pi_thrift_list columns;
    int64_t bytes, n_rows;
};
static const struct pi_thrift_field row_group_fields[] = {
    {1, PI_THRIFT_LIST, PI_THRIFT_STRUCT, offsetof(struct row_group, columns), column_chunk_fields},
    {2, PI_THRIFT_I64, 0, offsetof(struct row_group, bytes), NULL},
    {3, PI_THRIFT_I64, 0, offsetof(struct row_group, n_rows), NULL},
    {0}};

struct column_order {
    const struct nothing *by_type;
};
static const struct pi_thrift_field column_order_fields[] = {
    {1, PI_THRIFT_STRUCT, 0, offsetof(struct column_order, by_type), nothing_fields}, {0}};

struct file_metadata {
    int64_t version, n_rows;
    struct pi_thrift_list schema, groups, orders;
    struct pd_str created_by;
};
static const struct pi_thrift_field file_metadata_fields[] = {
    {1, PI_THRIFT_I32, 0, offsetof(struct file_metadata, version), NULL},
    {2, PI_THRIFT_LIST, PI_THRIFT_STRUCT, offsetof(struct file_metadata, schema), schema_element_fields},
    {3, PI_THRIFT_I64, 0, offsetof(struct file_metadata, n_rows), NULL},
    {4, PI_THRIFT_LIST, PI_THRIFT_STRUCT, offsetof(struct file_metadata, groups), row_group_fields},
    {6, PI_THRIFT_BINARY, 0, offsetof(struct file_metadata, created_by), NULL},
    {7, PI_THRIFT_LIST, PI_THRIFT_STRUCT, offsetof(struct file_metadata, orders), column_order_fields},
    {0}};

struct data_page {
    int64_t n, encoding, levels, repetitions; /* the last two: how levels are encoded */
};
static const struct pi_thrift_field data_page_fields[] = {
    {1, PI_THRIFT_I32, 0, offsetof(struct data_page, n), NULL},
    {2, PI_THRIFT_I32, 0, offsetof(struct data_page, encoding), NULL},
    {3, PI_THRIFT_I32, 0, offsetof(struct data_page, levels), NULL},
    {4, PI_THRIFT_I32, 0, offsetof(struct data_page, repetitions), NULL},
    {0}};

struct dictionary_page {
    int64_t n, encoding;
};
static const struct pi_thrift_field dictionary_page_fields[] = {
    {1, PI_THRIFT_I32, 0, offsetof(struct dictionary_page, n), NULL},
    {2, PI_THRIFT_I32, 0, offsetof(struct dictionary_page, encoding), NULL},
    {0}};

struct page {
    int64_t type, uncompressed, compressed;
    const struct data_page *data;
    const struct dictionary_page *dictionary;
};
static const struct pi_thrift_field page_fields[] = {
    {1, PI_THRIFT_I32, 0, offsetof(struct page, type), NULL},
    {2, PI_THRIFT_I32, 0, offsetof(struct page, uncompressed), NULL},
    {3, PI_THRIFT_I32, 0, offsetof(struct page, compressed), NULL},
    {5, PI_THRIFT_STRUCT, 0, offsetof(struct page, data), data_page_fields},
    {7, PI_THRIFT_STRUCT, 0, offsetof(struct page, dictionary), dictionary_page_fields},
    {0}};

/* ---- The table */

/* A column of the group of rows that is being filled. */
struct column {
    uint64_t *values; /* those that are there */
    size_t n, cap;
    uint8_t *there; /* by row: 1 if it has a value; the rows behind have none */
    size_t cap_there;
    uint32_t *lengths; /* of lists, in order */
    size_t n_lengths, cap_lengths;
    struct pi_texts own; /* TEXT without texts of others */
};

struct pi_parquet {
    const struct pd_allocator *allocator;
    struct pd_allocator own_allocator; /* for pd_out_grow(), whose argument is not const */
    const struct pi_parquet_column *kinds;
    struct column *columns;
    size_t n;
    const struct pd_sink *sink;
    uint64_t memory, bytes; /* that the group may take, and takes */
    uint64_t at;            /* bytes written */
    uint64_t n_rows;        /* in groups that are written */
    size_t rows;            /* in the group */
    size_t n_groups;
    struct pd_out page, packed, groups; /* groups: those written, for the footer */
    struct pd_out chunks;               /* of the group */
    struct ZSTD_CCtx_s *zstd;
    bool failed; /* no memory */
};

static void open_out(struct pi_parquet *p, struct pd_out *out)
{
    *out = (struct pd_out){.more = pd_out_grow, .user = p->allocator ? &p->own_allocator : NULL};
}

static enum pd_code fail_memory(struct pd_error *error)
{
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "rows", 0, 0);
}

static enum pd_code put_bytes(struct pi_parquet *p, const void *bytes, size_t n, struct pd_error *error)
{
    const int why = n ? p->sink->write(p->sink->user, bytes, n) : 0;
    p->at += n;
    return why ? pi_fail(error, PD_EOUT, PD_NOWHERE, "output", (uint64_t)why, 0) : PD_OK;
}

enum pd_code pi_parquet_open(struct pi_parquet **out, const struct pi_parquet_column *columns, size_t n,
                             const struct pd_sink *sink, uint64_t memory,
                             const struct pd_allocator *allocator, struct pd_error *error)
{
    struct pi_parquet *p = pi_resize(allocator, NULL, sizeof *p);
    *out = NULL;
    if (p == NULL)
        return fail_memory(error);
    *p = (struct pi_parquet){.allocator = allocator, .kinds = columns, .n = n, .sink = sink};
    p->memory = memory < PI_LIMIT_PARQUET_GROUP ? memory : PI_LIMIT_PARQUET_GROUP;
    if (allocator)
        p->own_allocator = *allocator;
    open_out(p, &p->page);
    open_out(p, &p->packed);
    open_out(p, &p->groups);
    open_out(p, &p->chunks);
    p->zstd = pi_deflate_context(allocator);
    p->columns = pi_array(allocator, NULL, n, sizeof *p->columns);
    if (p->columns)
        memset(p->columns, 0, n * sizeof *p->columns);
    const enum pd_code code = p->columns && p->zstd ? put_bytes(p, "PAR1", 4, error) : fail_memory(error);
    if (code)
        pi_parquet_free(p);
    else
        *out = p;
    return code;
}

void pi_parquet_free(struct pi_parquet *p)
{
    if (p == NULL)
        return;
    for (size_t i = 0; p->columns && i < p->n; i++) {
        pi_release(p->allocator, p->columns[i].values);
        pi_release(p->allocator, p->columns[i].there);
        pi_release(p->allocator, p->columns[i].lengths);
        pi_texts_free(&p->columns[i].own);
    }
    pi_release(p->allocator, p->columns);
    pi_release(p->allocator, p->page.buf);
    pi_release(p->allocator, p->packed.buf);
    pi_release(p->allocator, p->groups.buf);
    pi_release(p->allocator, p->chunks.buf);
    ZSTD_freeCCtx(p->zstd);
    pi_release(p->allocator, p);
}

/* ---- Rows */

__attribute__((noinline)) static bool enlarge_there(const struct pi_parquet *p, struct column *c, size_t rows)
{
    size_t cap = c->cap_there ? c->cap_there : 1024;
    while (cap < rows)
        cap *= 2;
    uint8_t *there = pi_resize(p->allocator, c->there, cap);
    if (there == NULL)
        return false;
    memset(there + c->cap_there, 0, cap - c->cap_there);
    c->there = there;
    c->cap_there = cap;
    return true;
}

/* Notes that the row has a value. */
static inline bool note_there(const struct pi_parquet *p, struct column *c)
{
    if (p->rows >= c->cap_there && !enlarge_there(p, c, p->rows + 1))
        return false;
    c->there[p->rows] = 1;
    return true;
}

static bool add_value(struct pi_parquet *p, struct column *c, uint64_t value)
{
    if (!pi_grow(p->allocator, (void **)&c->values, c->n, &c->cap, sizeof *c->values))
        return false;
    c->values[c->n++] = value;
    p->bytes += sizeof value;
    return true;
}

void pi_parquet_number(struct pi_parquet *p, size_t column, uint64_t value)
{
    struct column *c = &p->columns[column];
    p->bytes++;
    if (!note_there(p, c) || !add_value(p, c, value))
        p->failed = true;
}

void pi_parquet_text(struct pi_parquet *p, size_t column, const char *text, size_t n)
{
    struct column *c = &p->columns[column];
    const uint64_t before = c->own.bytes;
    uint32_t number;
    c->own.allocator = p->allocator;
    if (!pi_texts_add(&c->own, text, n, &number)) {
        p->failed = true;
        return;
    }
    p->bytes += c->own.bytes - before;
    pi_parquet_number(p, column, number);
}

void pi_parquet_list(struct pi_parquet *p, size_t column, const void *first, size_t n, size_t stride)
{
    struct column *c = &p->columns[column];
    p->bytes += 1 + sizeof *c->lengths;
    if (!note_there(p, c) ||
        !pi_grow(p->allocator, (void **)&c->lengths, c->n_lengths, &c->cap_lengths, sizeof *c->lengths)) {
        p->failed = true;
        return;
    }
    c->lengths[c->n_lengths++] = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        uint64_t value;
        memcpy(&value, (const char *)first + i * stride, sizeof value);
        p->failed |= !add_value(p, c, value);
    }
}

/* ---- Pages */

/* Writes a page and its head. */
static enum pd_code put_page(struct pi_parquet *p, struct page *page, struct column_metadata *m,
                             struct pd_error *error)
{
    const uint64_t at = p->at;
    const size_t bound = ZSTD_compressBound(p->page.n);
    p->packed.n = 0;
    if (p->page.n > INT32_MAX) /* names that are \xNN throughout */
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "bytes of a page", p->page.n, INT32_MAX);
    if (p->page.lost || (p->packed.cap < bound && !pd_out_grow(&p->packed, bound)))
        return fail_memory(error);
    const size_t n = ZSTD_compressCCtx(p->zstd, p->packed.buf, p->packed.cap, p->page.n ? p->page.buf : "",
                                       p->page.n, LEVEL);
    if (ZSTD_isError(n))
        return fail_memory(error);
    page->uncompressed = (int64_t)p->page.n;
    page->compressed = (int64_t)n;
    p->page.n = 0;
    pi_thrift_put(&p->page, page_fields, page);
    enum pd_code code = p->page.lost ? fail_memory(error) : put_bytes(p, p->page.buf, p->page.n, error);
    if (!code)
        code = put_bytes(p, p->packed.buf, n, error);
    m->uncompressed += page->uncompressed + (int64_t)p->page.n;
    m->compressed += (int64_t)(p->at - at);
    p->page.n = 0;
    return code;
}

static enum pd_code put_dictionary(struct pi_parquet *p, const struct pi_parquet_values *v,
                                   const struct pi_parquet_dictionary *d, struct column_metadata *m,
                                   struct pi_parquet_range *range, struct pd_error *error)
{
    const struct dictionary_page head = {(int64_t)d->n, PLAIN};
    struct page page = {.type = DICTIONARY_PAGE, .dictionary = &head};
    m->dictionary_at = (int64_t)p->at;
    pi_parquet_put_plain(&p->page, v, d->entries, d->n, range);
    return put_page(p, &page, m, error);
}

/* The levels of lists: of each number, and of each list that is empty or missing. *n: how many. */
static bool put_list_levels(struct pi_parquet *p, const struct column *c, size_t *n)
{
    uint8_t *levels = pi_array(p->allocator, NULL, c->n + p->rows, 2);
    if (levels == NULL)
        return false;
    uint8_t *repeated = levels + c->n + p->rows;
    size_t all = 0, list = 0;
    for (size_t row = 0; row < p->rows; row++) {
        const bool there = row < c->cap_there && c->there[row];
        const size_t length = there ? c->lengths[list++] : 0;
        for (size_t i = 0; i < length || i == 0; i++, all++) {
            levels[all] = there ? 1 + (length > 0) : 0;
            repeated[all] = i > 0;
        }
    }
    pi_parquet_put_levels(&p->page, repeated, all, 1);
    pi_parquet_put_levels(&p->page, levels, all, 2);
    pi_release(p->allocator, levels);
    *n = all;
    return true;
}

/* Puts the levels, which tell where values are missing. */
static bool put_levels(struct pi_parquet *p, enum pi_parquet_kind kind, struct column *c, size_t *n)
{
    if (kind == PI_PARQUET_LIST)
        return put_list_levels(p, c, n);
    if (c->cap_there < p->rows && !enlarge_there(p, c, p->rows))
        return false;
    pi_parquet_put_levels(&p->page, c->there, p->rows, 1);
    *n = p->rows;
    return true;
}

/* Writes the pages of a column. */
static enum pd_code put_pages(struct pi_parquet *p, size_t i, struct column_metadata *m,
                              struct pi_parquet_range *range, struct pd_error *error)
{
    struct column *c = &p->columns[i];
    const struct pi_parquet_column *kind = &p->kinds[i];
    const struct pi_parquet_values values = {kind, kind->texts ? kind->texts : &c->own, c->values, c->n,
                                             p->allocator};
    struct pi_parquet_dictionary d = {0};
    bool useful = false;
    size_t n = 0;
    enum pd_code code = pi_parquet_find_entries(&d, &values, &useful) ? PD_OK : fail_memory(error);
    useful &= d.n > 0;
    if (!code && useful)
        code = put_dictionary(p, &values, &d, m, range, error);
    m->data_at = (int64_t)p->at;
    if (!code && !put_levels(p, kind->kind, c, &n))
        code = fail_memory(error);
    if (!code && useful)
        pi_parquet_put_indices(&p->page, &d, c->n);
    else if (!code)
        pi_parquet_put_plain(&p->page, &values, c->values, c->n, range);
    const struct data_page head = {(int64_t)n, useful ? RLE_DICTIONARY : PLAIN, RLE, RLE};
    struct page page = {.type = DATA_PAGE, .data = &head};
    m->n = (int64_t)n;
    if (!code)
        code = put_page(p, &page, m, error);
    pi_parquet_free_entries(&d, p->allocator);
    return code;
}

/* ---- Groups */

static int64_t type_of(enum pi_parquet_kind kind)
{
    return kind == PI_PARQUET_TEXT ? BYTE_ARRAY : pi_parquet_width(kind) == 4 ? INT32 : INT64;
}

/* Writes a column of the group, and appends to p->chunks what the footer says about it. */
static enum pd_code put_chunk(struct pi_parquet *p, size_t i, struct pd_error *error)
{
    static const int64_t encodings[] = {PLAIN, RLE, RLE_DICTIONARY};
    const struct pi_parquet_column *kind = &p->kinds[i];
    const struct pd_str path[] = {
        {.ptr = kind->name, .len = strlen(kind->name)}, {"list", 4, 0}, {"element", 7, 0}};
    struct pi_parquet_range range = {0};
    struct column_metadata m = {.type = type_of(kind->kind),
                                .codec = CODEC_ZSTD,
                                .dictionary_at = PI_THRIFT_NONE,
                                .encodings = {3, sizeof *encodings, encodings, false},
                                .path = {kind->kind == PI_PARQUET_LIST ? 3 : 1, sizeof *path, path, false}};
    const struct column_chunk chunk = {(int64_t)p->at, &m};
    const enum pd_code code = put_pages(p, i, &m, &range, error);
    struct statistics statistics = {.n_missing = m.n - (int64_t)p->columns[i].n};
    if (range.known) {
        statistics.least = (struct pd_str){.ptr = range.least, .len = range.n_least};
        statistics.greatest = (struct pd_str){.ptr = range.greatest, .len = range.n_greatest};
    }
    m.statistics = &statistics;
    pi_thrift_put(&p->chunks, column_chunk_fields, &chunk);
    return code;
}

static void empty_columns(struct pi_parquet *p)
{
    for (size_t i = 0; i < p->n; i++) {
        struct column *c = &p->columns[i];
        c->n = c->n_lengths = 0;
        if (c->there)
            memset(c->there, 0, c->cap_there);
        if (c->own.n) {
            pi_texts_free(&c->own);
            c->own = (struct pi_texts){.allocator = p->allocator};
        }
    }
    p->rows = 0;
    p->bytes = 0;
}

static enum pd_code put_group(struct pi_parquet *p, struct pd_error *error)
{
    const uint64_t at = p->at;
    enum pd_code code = PD_OK;
    p->chunks.n = 0;
    for (size_t i = 0; !code && i < p->n; i++)
        code = put_chunk(p, i, error);
    if (code)
        return code;
    const struct row_group group = {
        {p->n, p->chunks.n, p->chunks.buf, true}, (int64_t)(p->at - at), (int64_t)p->rows};
    pi_thrift_put(&p->groups, row_group_fields, &group);
    p->n_groups++;
    p->n_rows += p->rows;
    empty_columns(p);
    return p->groups.lost || p->chunks.lost ? fail_memory(error) : PD_OK;
}

enum pd_code pi_parquet_end_row(struct pi_parquet *p, struct pd_error *error)
{
    if (p->failed)
        return fail_memory(error);
    p->rows++;
    return p->rows >= PI_LIMIT_PARQUET_ROWS || p->bytes >= p->memory ? put_group(p, error) : PD_OK;
}

/* ---- The footer */

static void put_element(struct pd_out *out, const char *name, struct schema_element e)
{
    e.name = (struct pd_str){.ptr = name, .len = strlen(name)};
    pi_thrift_put(out, schema_element_fields, &e);
}

/* Appends the elements of a column to the schema; returns how many. */
static size_t put_column(struct pd_out *out, const struct pi_parquet_column *c)
{
    const bool is_signed = c->kind == PI_PARQUET_I64 || c->kind == PI_PARQUET_I32;
    const unsigned width = pi_parquet_width(c->kind);
    const struct integer_type integer = {width * 8, is_signed};
    const struct logical_type number = {.integer = &integer}, text = {.string = &nothing},
                              list = {.list = &nothing};
    const int64_t none = PI_THRIFT_NONE, as = is_signed ? none : width == 4 ? UINT_32 : UINT_64;
    switch (c->kind) {
    case PI_PARQUET_TEXT:
        put_element(out, c->name, (struct schema_element){BYTE_ARRAY, OPTIONAL, none, UTF8, {0}, &text});
        return 1;
    case PI_PARQUET_LIST:
        put_element(out, c->name, (struct schema_element){none, OPTIONAL, 1, LIST, {0}, &list});
        put_element(out, "list", (struct schema_element){none, REPEATED, 1, none, {0}, NULL});
        put_element(out, "element", (struct schema_element){INT64, REQUIRED, none, as, {0}, &number});
        return 3;
    default:
        put_element(out, c->name,
                    (struct schema_element){type_of(c->kind), OPTIONAL, none, as, {0}, &number});
        return 1;
    }
}

/* Puts the footer, and the number of its bytes. */
static enum pd_code put_footer(struct pi_parquet *p, struct pd_error *error)
{
    const struct column_order order = {&nothing};
    struct pd_out orders;
    size_t elements = 1;
    uint8_t size[4];
    open_out(p, &orders);
    p->chunks.n = p->page.n = 0;
    put_element(
        &p->chunks, "schema",
        (struct schema_element){PI_THRIFT_NONE, PI_THRIFT_NONE, (int64_t)p->n, PI_THRIFT_NONE, {0}, NULL});
    for (size_t i = 0; i < p->n; i++) {
        elements += put_column(&p->chunks, &p->kinds[i]);
        pi_thrift_put(&orders, column_order_fields, &order);
    }
    const struct file_metadata m = {
        .version = 1,
        .n_rows = (int64_t)p->n_rows,
        .schema = {elements, p->chunks.n, p->chunks.buf, true},
        .groups = {p->n_groups, p->groups.n, p->n_groups ? p->groups.buf : "", true},
        .orders = {p->n, orders.n, orders.buf, true},
        .created_by = {"perfdata", 8, 0}};
    pi_thrift_put(&p->page, file_metadata_fields, &m);
    const bool lost = p->chunks.lost || orders.lost || p->page.lost;
    pi_release(p->allocator, orders.buf);
    if (lost)
        return fail_memory(error);
    pi_store32(size, (uint32_t)p->page.n, PD_LITTLE);
    enum pd_code code = put_bytes(p, p->page.buf, p->page.n, error);
    if (!code)
        code = put_bytes(p, size, sizeof size, error);
    return code ? code : put_bytes(p, "PAR1", 4, error);
}

enum pd_code pi_parquet_end(struct pi_parquet *p, struct pd_error *error)
{
    const enum pd_code code = p->rows ? put_group(p, error) : PD_OK;
    return code ? code : put_footer(p, error);
}
