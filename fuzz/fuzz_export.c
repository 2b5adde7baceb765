/* SPDX-License-Identifier: MIT */
/*
 * fuzz_export.c - a recording exported to a format that the input chooses. Whatever its names are, a folded
 * line is frames, a space and a number, JSON is JSON, and protocol buffers and the footer of a table are
 * nested as they say; no two profiles have one name; the bytes are the same when stacks do not fit into
 * memory, a table has a row for each sample, and a recording added twice has twice the stacks' sums. However
 * far the reader looks ahead, folded stacks are the same. Checks R1, R10, R12.
 *
 * Input: four bytes of options (format; keys, whether samples are counted, whether functions are known, and
 * whether the kernel's branches count; whether a table has more columns; the window), then the recording.
 */
#include "harness.h"
#include "mutator.h"
#include "tests/support/recording.h"
#include <perfdata/ops/export.h>

#define FILE_AT 4
#define MOST 60000
#define FORMATS (PD_EXPORT_PARQUET + 1)

struct trial {
    struct heap heap;
    struct pd_allocator allocator;
    size_t size;   /* of the recording */
    size_t window; /* of its reader; 0: it has all of it */
    bool failed;   /* to read it: a finding */
    uint64_t sum;  /* of the weights, where the format is folded; rows of a table */
};

static void on_finding(void *user, const struct pd_error *error)
{
    struct trial *t = user;
    char text[400];
    CHECK(error->code != PD_OK && error->field && pd_error_text(error, text, sizeof text) < sizeof text);
    t->failed = true;
}

/* ---- What was written */

static void check_visible(const struct image *im)
{
    for (size_t i = 0; i < im->n; i++)
        CHECK(im->b[i] == '\n' || im->b[i] == '\t' || im->b[i] >= 0x20);
    CHECK(im->n == 0 || im->b[im->n - 1] == '\n');
}

/* Each line ends in a space and a number. */
static uint64_t check_folded(const struct image *im)
{
    uint64_t sum = 0;
    for (size_t i = 0, start = 0; i < im->n; i++) {
        uint64_t number = 0, scale = 1;
        size_t at = i;
        if (im->b[i] != '\n')
            continue;
        for (; at > start && im->b[at - 1] >= '0' && im->b[at - 1] <= '9'; at--) {
            number += (uint64_t)(im->b[at - 1] - '0') * scale;
            scale *= 10;
        }
        CHECK(at < i && at > start && im->b[at - 1] == ' ');
        sum = number > UINT64_MAX - sum ? UINT64_MAX : sum + number;
        start = i + 1;
    }
    return sum;
}

/* Texts end, brackets match. */
static void check_json(const struct image *im)
{
    char open[64];
    size_t depth = 0;
    bool text = false;
    for (size_t i = 0; i < im->n; i++) {
        const char c = (char)im->b[i];
        if (text && c == '\\') {
            CHECK(++i < im->n && strchr("\"\\/bfnrtu", im->b[i]));
        } else if (c == '"') {
            text = !text;
        } else if (!text && (c == '{' || c == '[')) {
            CHECK(depth < sizeof open);
            open[depth++] = c;
        } else if (!text && (c == '}' || c == ']')) {
            CHECK(depth > 0 && open[--depth] == (c == '}' ? '{' : '['));
        }
    }
    CHECK(!text && depth == 0 && im->n > 0);
}

static uint64_t take_varint(const uint8_t *b, size_t n, size_t *at)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        CHECK(*at < n);
        const uint8_t byte = b[(*at)++];
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        if (byte < 0x80)
            return value;
    }
    abort(); /* more than ten bytes */
    return 0;
}

/* Fields of a profile are numbers or bytes, of known numbers. */
static void check_fields(const uint8_t *b, size_t n)
{
    for (size_t at = 0; at < n;) {
        const uint64_t key = take_varint(b, n, &at);
        CHECK(key >> 3 >= 1 && key >> 3 <= 14 && ((key & 7) == 2 || (key & 7) == 0));
        const uint64_t value = take_varint(b, n, &at);
        if ((key & 7) == 2) {
            CHECK(value <= n - at);
            at += (size_t)value;
        }
    }
}

/* Blocks of gzip that are not compressed. */
static void check_pprof(const struct image *im)
{
    struct image all = {0};
    size_t at = 10;
    bool last = false;
    CHECK(im->n > 18 && memcmp(im->b, "\x1f\x8b\x08", 3) == 0);
    while (!last) {
        CHECK(im->n - at >= 5 && im->b[at] <= 1);
        last = im->b[at];
        const size_t n = im->b[at + 1] | (size_t)im->b[at + 2] << 8;
        CHECK(n <= im->n - at - 5);
        image_bytes(&all, im->b + at + 5, n);
        at += 5 + n;
    }
    CHECK(im->n - at == 8);
    check_fields(all.b, all.n);
    image_free(&all);
}

/* Passes over a value of Thrift's compact protocol. */
static void pass_value(const uint8_t *b, size_t n, size_t *at, unsigned kind, unsigned depth);

/* Passes over a structure; its field `wanted`, a number, goes to *found. */
static void pass_struct(const uint8_t *b, size_t n, size_t *at, unsigned depth, unsigned wanted,
                        uint64_t *found)
{
    unsigned field = 0;
    CHECK(depth < 12);
    for (;;) {
        CHECK(*at < n);
        const unsigned head = b[(*at)++];
        if (head == 0)
            return;
        CHECK(head >> 4);
        field += head >> 4;
        const size_t before = *at;
        pass_value(b, n, at, head & 15, depth);
        size_t again = before;
        if (found && field == wanted)
            *found = take_varint(b, n, &again) / 2;
    }
}

static void pass_value(const uint8_t *b, size_t n, size_t *at, unsigned kind, unsigned depth)
{
    if (kind == 4 || kind == 5 || kind == 6) {
        take_varint(b, n, at);
    } else if (kind == 3 || kind == 8) {
        const uint64_t size = kind == 3 ? 1 : take_varint(b, n, at);
        CHECK(size <= n - *at);
        *at += (size_t)size;
    } else if (kind == 9) {
        CHECK(*at < n);
        const unsigned head = b[(*at)++];
        for (uint64_t i = head >> 4 == 15 ? take_varint(b, n, at) : head >> 4; i > 0; i--)
            pass_value(b, n, at, head & 15, depth);
    } else if (kind == 12) {
        pass_struct(b, n, at, depth + 1, 0, NULL);
    } else {
        CHECK(kind == 1 || kind == 2);
    }
}

/* The footer ends where it says. Returns the number of rows. */
static uint64_t check_parquet(const struct image *im)
{
    uint64_t rows = UINT64_MAX;
    CHECK(im->n > 12 && memcmp(im->b, "PAR1", 4) == 0 && memcmp(im->b + im->n - 4, "PAR1", 4) == 0);
    const uint8_t *size = im->b + im->n - 8;
    const size_t footer = size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
    CHECK(footer <= im->n - 12);
    size_t at = im->n - 8 - footer;
    pass_struct(im->b, im->n - 8, &at, 0, 3, &rows);
    CHECK(at == im->n - 8);
    return rows;
}

static void check_output(struct trial *t, enum pd_export_format format, const struct image *out)
{
    switch (format) {
    case PD_EXPORT_FOLDED:
        check_visible(out);
        t->sum = check_folded(out);
        break;
    case PD_EXPORT_PPROF: check_pprof(out); break;
    case PD_EXPORT_PARQUET: t->sum = check_parquet(out); break;
    case PD_EXPORT_SPEEDSCOPE:
    case PD_EXPORT_FIREFOX: check_json(out); break;
    default: check_visible(out);
    }
}

/* ---- Exports */

/* All members one behind the other, with their names. */
static int open_member(void *user, const char *name, unsigned mode, struct pd_sink *sink)
{
    struct image *out = user;
    (void)mode;
    CHECK(*name && !strchr(name, '/') && *name != '.');
    image_bytes(out, name, strlen(name));
    image_bytes(out, "\n", 1);
    *sink = image_sink(out);
    return 0;
}

static int close_member(void *user, struct pd_sink *sink)
{
    (void)user;
    (void)sink;
    return 0;
}

/* Three of four addresses have a function, some with others inlined, and names that formats must escape. */
static bool find_symbol(void *user, const char *file, const char *build_id, uint64_t offset,
                        struct pd_symbol *symbol)
{
    static const char *const names[] = {"main", "a;b\n", "\"\\", "\xff\xfe", "", "operator ", "\x7f\t"};
    (void)user;
    CHECK(file && strlen(build_id) <= 40); /* "": a mapping without a name */
    *symbol = (struct pd_symbol){.name = names[offset % 7],
                                 .offset = offset & 15,
                                 .inlined = names,
                                 .n_inlined = (unsigned)(offset / 7 % 3)};
    return offset % 4;
}

struct both {
    struct trial *trial;
    struct image *out, names; /* names of members, each with a NUL behind it */
};

static int open_of_both(void *user, const char *name, unsigned mode, struct pd_sink *sink)
{
    struct both *both = user;
    for (size_t at = 0; at < both->names.n; at += strlen((const char *)both->names.b + at) + 1)
        CHECK(strcmp((const char *)both->names.b + at, name) != 0);
    image_bytes(&both->names, name, strlen(name) + 1);
    return open_member(both->out, name, mode, sink);
}

static void find_of_both(void *user, const struct pd_error *error)
{
    const struct both *both = user;
    on_finding(both->trial, error);
}

static enum pd_code export_times(struct trial *t, const uint8_t *bytes, unsigned times,
                                 const struct pd_export_options *how, struct image *out,
                                 struct pd_export_stats *stats)
{
    struct both both = {t, out, {0}};
    struct pd_export_options options = *how;
    struct pd_export *export;
    struct pd_error error;
    enum pd_code code = PD_OK;
    *out = (struct image){0};
    const struct pd_sink sink = image_sink(out);
    options.sink = &sink;
    options.open_member = open_of_both;
    options.close_member = close_member;
    options.finding = find_of_both;
    options.user = &both;
    CHECK(pd_export_new(&export, &options, &error) == PD_OK);
    for (unsigned i = 0; !code && i < times; i++) {
        const struct pd_reader_options reading = {.size = sizeof reading,
                                                  .allocator = &t->allocator,
                                                  .max_inflate = INFLATE_MOST,
                                                  .window = t->window};
        struct pd_reader *r;
        CHECK(pd_reader_open_memory(&r, bytes, t->size, &reading, NULL) == PD_OK);
        code = pd_export_add(export, r, NULL, &error);
        pd_reader_close(r);
    }
    if (!code)
        code = pd_export_write(export, &sink, &error);
    if (code)
        CHECK(error.code == code && error.field && code != PD_ENOMEM && code != PD_EOUT);
    pd_export_get_stats(export, stats);
    image_free(&both.names);
    CHECK(stats->exported <= stats->samples && (code || stats->branched <= stats->exported));
    CHECK(code || how->format != PD_EXPORT_PARQUET || check_parquet(out) == stats->exported);
    pd_export_free(export);
    CHECK(t->heap.blocks == 0 && t->heap.bytes == 0);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trial t = {.allocator = {heap_resize, heap_release, &t.heap}};
    if (size < FILE_AT || size > MOST)
        return 0;
    const uint8_t *bytes = data + FILE_AT;
    t.size = size - FILE_AT;
    struct pd_export_options options = {.size = sizeof options,
                                        .allocator = &t.allocator,
                                        .format = (enum pd_export_format)(data[0] % FORMATS),
                                        .keys = data[1] & 31,
                                        .count = data[1] & 32,
                                        .kernel = data[1] & 128};
    static const char *const fields[] = {"prev_comm", "phys_addr", "read.value", "callchain.ips[1]"};
    if (data[2] & 1 && options.format == PD_EXPORT_PARQUET) {
        options.fields = fields;
        options.n_fields = 4;
    }
    if (data[1] & 64 || options.format == PD_EXPORT_SYMBOLS)
        options.symbol = find_symbol;
    struct pd_export_stats stats;
    struct image once, again;
    struct pd_reader *r;
    if (pd_reader_open_memory(&r, bytes, t.size, NULL, NULL))
        return 0;
    pd_reader_close(r);
    if (export_times(&t, bytes, 1, &options, &once, &stats) == PD_OK) {
        check_output(&t, options.format, &once);
        const uint64_t sum = t.sum;
        if (export_times(&t, bytes, 2, &options, &again, &stats) == PD_OK) {
            check_output(&t, options.format, &again);
            CHECK(t.sum == (sum > UINT64_MAX / 2 ? UINT64_MAX : 2 * sum) || sum > UINT64_MAX / 4);
        }
        image_free(&again);
        if (options.format == PD_EXPORT_FOLDED) {
            t.window = (size_t)16 << data[3] % 12;
            CHECK(export_times(&t, bytes, 1, &options, &again, &stats) == PD_OK);
            CHECK(again.n == once.n && (once.n == 0 || memcmp(again.b, once.b, once.n) == 0));
            image_free(&again);
            t.window = 0;
        }
        options.memory = 1; /* each new stack goes to a file of its own */
        if (stats.stacks < 40) {
            CHECK(export_times(&t, bytes, 1, &options, &again, &stats) == PD_OK);
            CHECK(options.format == PD_EXPORT_PARQUET ||
                  (again.n == once.n && (once.n == 0 || memcmp(again.b, once.b, once.n) == 0)));
            image_free(&again);
        }
    }
    image_free(&once);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    return mutate_file_behind(FILE_AT, data, size, max, seed);
}
