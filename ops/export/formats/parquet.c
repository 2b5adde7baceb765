/* SPDX-License-Identifier: MIT */
/* parquet.c - see parquet.h: rows, groups of them, and the footer. */
#include "parquet.h"
#include "parquet_chunk.h"
#include "src/schema/fail.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include "thrift.h"
#include <stddef.h>

/* ---- What the footer is made of: the numbers of parquet.thrift */

enum { REQUIRED = 0, OPTIONAL = 1, REPEATED = 2 };       /* FieldRepetitionType */
enum { UTF8 = 0, LIST = 3, UINT_32 = 13, UINT_64 = 14 }; /* ConvertedType */

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

struct row_group {
    struct pi_thrift_list columns;
    int64_t bytes, n_rows;
};
static const struct pi_thrift_field row_group_fields[] = {
    {1, PI_THRIFT_LIST, PI_THRIFT_STRUCT, offsetof(struct row_group, columns), NULL},
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

/* ---- The table */

struct group {
    struct pi_parquet_chunk *chunks; /* by column */
    size_t rows;
};

struct pi_parquet {
    struct pd_allocator *allocator, own_allocator; /* for pd_out_grow(), whose argument is not const */
    const struct pd_workers *workers;              /* NULL: none */
    const struct pi_parquet_column *kinds;
    size_t n;
    const struct pd_sink *sink;
    struct group groups[2];
    unsigned now;           /* the group that is filled; with workers, they encode the other */
    uint64_t memory, bytes; /* that it may take, and takes */
    uint64_t at;            /* bytes written */
    uint64_t n_rows;        /* in groups that are written */
    size_t n_groups;
    struct pd_out written; /* groups, for the footer */
    struct pd_out chunks;  /* of a group, or elements of the schema; likewise */
    struct pd_out footer;
};

static enum pd_code put_bytes(struct pi_parquet *p, const void *bytes, size_t n, struct pd_error *error)
{
    const int why = n ? p->sink->write(p->sink->user, bytes, n) : 0;
    p->at += n;
    return why ? pi_fail(error, PD_EOUT, PD_NOWHERE, "output", (uint64_t)why, 0) : PD_OK;
}

static bool open_group(struct pi_parquet *p, struct group *group)
{
    group->chunks = pi_array(p->allocator, NULL, p->n, sizeof *group->chunks);
    for (size_t i = 0; group->chunks && i < p->n; i++)
        pi_parquet_chunk_open(&group->chunks[i], &p->kinds[i], p->allocator);
    return group->chunks;
}

enum pd_code pi_parquet_open(struct pi_parquet **out, const struct pi_parquet_column *columns, size_t n,
                             const struct pd_sink *sink, uint64_t memory, const struct pd_workers *workers,
                             const struct pd_allocator *allocator, struct pd_error *error)
{
    struct pi_parquet *p = pi_resize(allocator, NULL, sizeof *p);
    *out = NULL;
    if (p == NULL)
        return pi_parquet_no_memory(error);
    *p = (struct pi_parquet){.workers = workers, .kinds = columns, .n = n, .sink = sink};
    /* Half also without workers, so that groups end at the same rows. */
    p->memory = memory / 2 < PI_LIMIT_PARQUET_GROUP ? memory / 2 : PI_LIMIT_PARQUET_GROUP;
    if (allocator) {
        p->own_allocator = *allocator;
        p->allocator = &p->own_allocator;
    }
    p->written = p->chunks = p->footer = (struct pd_out){.more = pd_out_grow, .user = p->allocator};
    const bool ok = open_group(p, &p->groups[0]) && (workers == NULL || open_group(p, &p->groups[1]));
    const enum pd_code code = ok ? put_bytes(p, "PAR1", 4, error) : pi_parquet_no_memory(error);
    if (code)
        pi_parquet_free(p);
    else
        *out = p;
    return code;
}

static void free_group(struct pi_parquet *p, struct group *group)
{
    for (size_t i = 0; group->chunks && i < p->n; i++) {
        if (p->workers)
            p->workers->wait(p->workers->user, &group->chunks[i].job);
        pi_parquet_chunk_free(&group->chunks[i]);
    }
    pi_release(p->allocator, group->chunks);
}

void pi_parquet_free(struct pi_parquet *p)
{
    if (p == NULL)
        return;
    free_group(p, &p->groups[0]);
    free_group(p, &p->groups[1]);
    pi_release(p->allocator, p->written.buf);
    pi_release(p->allocator, p->chunks.buf);
    pi_release(p->allocator, p->footer.buf);
    const struct pd_allocator allocator = p->own_allocator;
    pi_release(p->allocator ? &allocator : NULL, p);
}

/* ---- Groups */

/* Writes a group whose columns are encoded, or now, and empties it. */
static enum pd_code write_group(struct pi_parquet *p, struct group *group, struct pd_error *error)
{
    const uint64_t at = p->at;
    enum pd_code code = PD_OK;
    p->chunks.n = 0;
    for (size_t i = 0; !code && i < p->n; i++) {
        struct pi_parquet_chunk *c = &group->chunks[i];
        if (p->workers)
            p->workers->wait(p->workers->user, &c->job);
        else
            c->job.work(&c->job);
        if (c->error.code && error)
            *error = c->error;
        if (c->error.code)
            return c->error.code;
        pi_parquet_chunk_tell(c, p->at, &p->chunks);
        code = put_bytes(p, c->bytes.buf, c->bytes.n, error);
        pi_parquet_chunk_empty(c);
    }
    if (code)
        return code;
    const struct row_group all = {
        {p->n, p->chunks.n, p->chunks.buf, true}, (int64_t)(p->at - at), (int64_t)group->rows};
    pi_thrift_put(&p->written, row_group_fields, &all);
    p->n_groups++;
    p->n_rows += group->rows;
    group->rows = 0;
    return p->written.lost || p->chunks.lost ? pi_parquet_no_memory(error) : PD_OK;
}

/* Has the group encoded that is full. */
static bool start_group(struct pi_parquet *p, struct group *group)
{
    for (size_t i = 0; i < p->n; i++)
        if (!pi_parquet_chunk_fix(&group->chunks[i], group->rows))
            return false;
    for (size_t i = 0; p->workers && i < p->n; i++)
        p->workers->start(p->workers->user, &group->chunks[i].job);
    return true;
}

/* With workers the group before it is written, and filled again. */
static enum pd_code put_group(struct pi_parquet *p, struct pd_error *error)
{
    if (!start_group(p, &p->groups[p->now]))
        return pi_parquet_no_memory(error);
    if (p->workers)
        p->now = !p->now;
    p->bytes = 0;
    return p->workers && p->groups[p->now].rows == 0 ? PD_OK : write_group(p, &p->groups[p->now], error);
}

/* ---- Rows */

/* Notes that the row has a value. */
static bool note_there(struct pi_parquet_chunk *c, size_t row)
{
    if (row >= c->cap_there && !pi_parquet_chunk_reach(c, row + 1))
        return false;
    c->there[row] = 1;
    return true;
}

static bool add_value(struct pi_parquet_chunk *c, uint64_t value)
{
    if (!pi_grow(c->allocator, (void **)&c->values, c->n, &c->cap, sizeof *c->values))
        return false;
    c->values[c->n++] = value;
    return true;
}

/* The number of a text. */
static bool add_text(struct pi_parquet_chunk *c, const char *text, size_t n, uint64_t *number,
                     uint64_t *bytes)
{
    const uint64_t before = c->own.bytes;
    uint32_t its;
    if (!pi_texts_add(&c->own, text, n, &its))
        return false;
    *number = its;
    *bytes += c->own.bytes - before;
    return true;
}

static bool add_list(struct pi_parquet_chunk *c, const struct pi_parquet_list *list)
{
    bool ok = pi_grow(c->allocator, (void **)&c->lengths, c->n_lengths, &c->cap_lengths, sizeof *c->lengths);
    if (ok)
        c->lengths[c->n_lengths++] = (uint32_t)list->n;
    for (size_t i = 0; ok && i < list->n; i++) {
        uint64_t value;
        memcpy(&value, (const char *)list->first + i * list->stride, sizeof value);
        ok = add_value(c, value);
    }
    return ok;
}

enum pd_code pi_parquet_put(struct pi_parquet *p, const char *row, size_t n_row,
                            const struct pi_parquet_list *list, struct pd_error *error)
{
    struct group *group = &p->groups[p->now];
    uint64_t value, column, bytes = 0;
    bool ok = true;
    for (const char *at = row; ok && at < row + n_row;) {
        memcpy(&value, at, sizeof value);
        memcpy(&column, at + sizeof value, sizeof column);
        at += PI_PARQUET_ITEM;
        struct pi_parquet_chunk *c = &group->chunks[column];
        bytes += 1 + sizeof value;
        ok = note_there(c, group->rows);
        if (ok && c->column->kind == PI_PARQUET_LIST) {
            bytes += sizeof *c->lengths + list->n * sizeof value;
            ok = add_list(c, list);
            continue;
        }
        if (ok && c->column->kind == PI_PARQUET_TEXT && c->column->texts == NULL) {
            const size_t n = (size_t)value;
            ok = add_text(c, at, n, &value, &bytes);
            at += n;
        }
        ok = ok && add_value(c, value);
    }
    if (!ok)
        return pi_parquet_no_memory(error);
    p->bytes += bytes;
    group->rows++;
    return group->rows >= PI_LIMIT_PARQUET_ROWS || p->bytes >= p->memory ? put_group(p, error) : PD_OK;
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
        put_element(out, c->name,
                    (struct schema_element){pi_parquet_type(c->kind), OPTIONAL, none, UTF8, {0}, &text});
        return 1;
    case PI_PARQUET_LIST:
        put_element(out, c->name, (struct schema_element){none, OPTIONAL, 1, LIST, {0}, &list});
        put_element(out, "list", (struct schema_element){none, REPEATED, 1, none, {0}, NULL});
        put_element(out, "element",
                    (struct schema_element){pi_parquet_type(c->kind), REQUIRED, none, as, {0}, &number});
        return 3;
    default:
        put_element(out, c->name,
                    (struct schema_element){pi_parquet_type(c->kind), OPTIONAL, none, as, {0}, &number});
        return 1;
    }
}

/* Puts the footer, and the number of its bytes. */
static enum pd_code put_footer(struct pi_parquet *p, struct pd_error *error)
{
    const struct column_order order = {&nothing};
    struct pd_out orders = {.more = pd_out_grow, .user = p->allocator};
    size_t elements = 1;
    uint8_t size[4];
    p->chunks.n = p->footer.n = 0;
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
        .groups = {p->n_groups, p->written.n, p->n_groups ? p->written.buf : "", true},
        .orders = {p->n, orders.n, orders.buf, true},
        .created_by = {"perfdata", 8, 0}};
    pi_thrift_put(&p->footer, file_metadata_fields, &m);
    const bool lost = p->chunks.lost || orders.lost || p->footer.lost;
    pi_release(p->allocator, orders.buf);
    if (lost)
        return pi_parquet_no_memory(error);
    pi_store32(size, (uint32_t)p->footer.n, PD_LITTLE);
    enum pd_code code = put_bytes(p, p->footer.buf, p->footer.n, error);
    if (!code)
        code = put_bytes(p, size, sizeof size, error);
    return code ? code : put_bytes(p, "PAR1", 4, error);
}

enum pd_code pi_parquet_end(struct pi_parquet *p, struct pd_error *error)
{
    enum pd_code code = p->groups[p->now].rows ? put_group(p, error) : PD_OK;
    if (!code && p->groups[!p->now].rows)
        code = write_group(p, &p->groups[!p->now], error);
    return code ? code : put_footer(p, error);
}
