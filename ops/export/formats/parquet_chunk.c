/* SPDX-License-Identifier: MIT */
/* parquet_chunk.c - see parquet_chunk.h. */
#include "parquet_chunk.h"
#include "encode/container/deflate.h"
#include "src/schema/fail.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "thrift.h"
#include <stddef.h>
#include <zstd.h>

#define LEVEL 3 /* of zstd */

/* ---- What the footer says of it, and the heads of pages: the numbers of parquet.thrift */

enum { INT32 = 1, INT64 = 2, BYTE_ARRAY = 6 };               /* Type */
enum { PLAIN = 0, RLE = 3, RLE_DICTIONARY = 8 };             /* Encoding */
enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2, CODEC_ZSTD = 6 }; /* PageType; CompressionCodec */

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

int64_t pi_parquet_type(enum pi_parquet_kind kind)
{
    return kind == PI_PARQUET_TEXT ? BYTE_ARRAY : pi_parquet_width(kind) == 4 ? INT32 : INT64;
}

enum pd_code pi_parquet_no_memory(struct pd_error *error)
{
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "rows", 0, 0);
}

/* ---- Values */

bool pi_parquet_chunk_reach(struct pi_parquet_chunk *c, size_t rows)
{
    size_t cap = c->cap_there ? c->cap_there : 1024;
    while (cap < rows)
        cap *= 2;
    uint8_t *there = pi_resize(c->allocator, c->there, cap);
    if (there == NULL)
        return false;
    memset(there + c->cap_there, 0, cap - c->cap_there);
    c->there = there;
    c->cap_there = cap;
    return true;
}

bool pi_parquet_chunk_fix(struct pi_parquet_chunk *c, size_t rows)
{
    const struct pi_texts *texts = c->column->texts ? c->column->texts : &c->own;
    c->rows = rows;
    for (; c->n_texts < texts->n; c->n_texts++) {
        if (!pi_grow(c->allocator, (void **)&c->texts, c->n_texts, &c->cap_texts, sizeof *c->texts))
            return false;
        c->texts[c->n_texts] = texts->all[c->n_texts];
    }
    return true;
}

void pi_parquet_chunk_empty(struct pi_parquet_chunk *c)
{
    c->n = c->n_lengths = c->bytes.n = 0;
    if (c->there)
        memset(c->there, 0, c->cap_there);
    if (c->own.n) {
        pi_texts_free(&c->own);
        c->own = (struct pi_texts){.allocator = c->allocator};
        c->n_texts = 0;
    }
}

/* ---- Pages */

struct encoder {
    struct pi_parquet_chunk *chunk;
    struct pd_out page, packed;
    struct ZSTD_CCtx_s *zstd;
};

/* Appends a page and its head. */
static enum pd_code put_page(struct encoder *e, struct page *page)
{
    struct pi_parquet_chunk *c = e->chunk;
    const size_t bound = ZSTD_compressBound(e->page.n);
    if (e->page.n > INT32_MAX) /* names that are \xNN throughout */
        return pi_fail(&c->error, PD_ELIMIT, PD_NOWHERE, "bytes of a page", e->page.n, INT32_MAX);
    if (e->page.lost || (e->packed.cap < bound && !pd_out_grow(&e->packed, bound)))
        return pi_parquet_no_memory(&c->error);
    const size_t n = ZSTD_compressCCtx(e->zstd, e->packed.buf, e->packed.cap, e->page.n ? e->page.buf : "",
                                       e->page.n, LEVEL);
    if (ZSTD_isError(n))
        return pi_parquet_no_memory(&c->error);
    page->uncompressed = (int64_t)e->page.n;
    page->compressed = (int64_t)n;
    const size_t at = c->bytes.n;
    pi_thrift_put(&c->bytes, page_fields, page);
    c->uncompressed += page->uncompressed + (int64_t)(c->bytes.n - at);
    pd_out_bytes(&c->bytes, e->packed.buf, n);
    e->page.n = 0;
    return c->bytes.lost ? pi_parquet_no_memory(&c->error) : PD_OK;
}

static enum pd_code put_dictionary(struct encoder *e, const struct pi_parquet_values *v,
                                   const struct pi_parquet_dictionary *d)
{
    const struct dictionary_page head = {(int64_t)d->n, PLAIN};
    struct page page = {.type = DICTIONARY_PAGE, .dictionary = &head};
    e->chunk->dictionary_at = (int64_t)e->chunk->bytes.n;
    pi_parquet_put_plain(&e->page, v, d->entries, d->n, &e->chunk->range);
    return put_page(e, &page);
}

/* The levels of lists: of each number, and of each list that is empty or missing. */
static bool put_list_levels(struct encoder *e)
{
    struct pi_parquet_chunk *c = e->chunk;
    uint8_t *levels = pi_array(c->allocator, NULL, c->n + c->rows, 2);
    if (levels == NULL)
        return false;
    uint8_t *repeated = levels + c->n + c->rows;
    size_t all = 0, list = 0;
    for (size_t row = 0; row < c->rows; row++) {
        const bool there = row < c->cap_there && c->there[row];
        const size_t length = there ? c->lengths[list++] : 0;
        for (size_t i = 0; i < length || i == 0; i++, all++) {
            levels[all] = there ? 1 + (length > 0) : 0;
            repeated[all] = i > 0;
        }
    }
    pi_parquet_put_levels(&e->page, repeated, all, 1);
    pi_parquet_put_levels(&e->page, levels, all, 2);
    pi_release(c->allocator, levels);
    c->levels = (int64_t)all;
    return true;
}

/* Puts the levels, which tell where values are missing. */
static bool put_levels(struct encoder *e)
{
    struct pi_parquet_chunk *c = e->chunk;
    if (c->column->kind == PI_PARQUET_LIST)
        return put_list_levels(e);
    if (c->cap_there < c->rows && !pi_parquet_chunk_reach(c, c->rows))
        return false;
    pi_parquet_put_levels(&e->page, c->there, c->rows, 1);
    c->levels = (int64_t)c->rows;
    return true;
}

static enum pd_code put_pages(struct encoder *e, struct pi_parquet_dictionary *d)
{
    struct pi_parquet_chunk *c = e->chunk;
    const struct pi_parquet_values values = {c->column, c->texts, c->values, c->n, c->allocator};
    bool useful = false;
    enum pd_code code =
        pi_parquet_find_entries(d, &values, &useful) ? PD_OK : pi_parquet_no_memory(&c->error);
    useful &= d->n > 0;
    if (!code && useful)
        code = put_dictionary(e, &values, d);
    c->data_at = (int64_t)c->bytes.n;
    if (!code && !put_levels(e))
        code = pi_parquet_no_memory(&c->error);
    if (code)
        return code;
    if (useful)
        pi_parquet_put_indices(&e->page, d, c->n);
    else
        pi_parquet_put_plain(&e->page, &values, c->values, c->n, &c->range);
    const struct data_page head = {c->levels, useful ? RLE_DICTIONARY : PLAIN, RLE, RLE};
    struct page page = {.type = DATA_PAGE, .data = &head};
    return put_page(e, &page);
}

static void encode(struct pd_job *job)
{
    struct pi_parquet_chunk *c = (struct pi_parquet_chunk *)job;
    struct encoder e = {.chunk = c, .zstd = pi_deflate_context(c->allocator)};
    struct pi_parquet_dictionary d = {0};
    e.page = e.packed = (struct pd_out){.more = pd_out_grow, .user = c->allocator};
    c->error.code = PD_OK;
    c->range.known = false;
    c->uncompressed = 0;
    c->dictionary_at = PI_THRIFT_NONE;
    if (e.zstd)
        put_pages(&e, &d);
    else
        pi_parquet_no_memory(&c->error);
    pi_parquet_free_entries(&d, c->allocator);
    pi_release(c->allocator, e.page.buf);
    pi_release(c->allocator, e.packed.buf);
    ZSTD_freeCCtx(e.zstd);
}

void pi_parquet_chunk_open(struct pi_parquet_chunk *c, const struct pi_parquet_column *column,
                           struct pd_allocator *allocator)
{
    *c = (struct pi_parquet_chunk){.job.work = encode, .column = column, .allocator = allocator};
    c->own.allocator = allocator;
    c->bytes = (struct pd_out){.more = pd_out_grow, .user = allocator};
}

void pi_parquet_chunk_free(struct pi_parquet_chunk *c)
{
    pi_release(c->allocator, c->values);
    pi_release(c->allocator, c->there);
    pi_release(c->allocator, c->lengths);
    pi_release(c->allocator, c->texts);
    pi_release(c->allocator, c->bytes.buf);
    pi_texts_free(&c->own);
}

/* ---- The footer */

void pi_parquet_chunk_tell(const struct pi_parquet_chunk *c, uint64_t at, struct pd_out *footer)
{
    static const int64_t encodings[] = {PLAIN, RLE, RLE_DICTIONARY};
    const char *name = c->column->name;
    const struct pd_str path[] = {{.ptr = name, .len = strlen(name)}, {"list", 4, 0}, {"element", 7, 0}};
    const bool is_list = c->column->kind == PI_PARQUET_LIST;
    const struct pi_parquet_range *range = &c->range;
    struct statistics statistics = {.n_missing = c->levels - (int64_t)c->n};
    if (range->known) {
        statistics.least = (struct pd_str){.ptr = range->least, .len = range->n_least};
        statistics.greatest = (struct pd_str){.ptr = range->greatest, .len = range->n_greatest};
    }
    struct column_metadata m = {.type = pi_parquet_type(c->column->kind),
                                .codec = CODEC_ZSTD,
                                .n = c->levels,
                                .uncompressed = c->uncompressed,
                                .compressed = (int64_t)c->bytes.n,
                                .data_at = (int64_t)at + c->data_at,
                                .dictionary_at = PI_THRIFT_NONE,
                                .encodings = {3, sizeof *encodings, encodings, false},
                                .path = {is_list ? 3 : 1, sizeof *path, path, false},
                                .statistics = &statistics};
    if (c->dictionary_at != PI_THRIFT_NONE)
        m.dictionary_at = (int64_t)at + c->dictionary_at;
    const struct column_chunk chunk = {(int64_t)at, &m};
    pi_thrift_put(footer, column_chunk_fields, &chunk);
}
