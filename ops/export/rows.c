/* SPDX-License-Identifier: MIT */
/* rows.c - see rows.h. */
#include "rows.h"
#include "formats/parquet.h"
#include "ops/filter/expression.h"
#include "src/reflect/emit.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/session/record_words.h"
#include <perfdata/session/fields.h>
#include <perfdata/session/sample.h>
#include <inttypes.h>
#include <stdio.h>

/* The columns that all tables have; behind them the parts of data_src, and what was asked for. */
enum { TIME, CPU, PID, TID, COMM, EVENT, PERIOD, IP, DSO, BUILD_ID, OFFSET, SYM, ADDR, WEIGHT, CHAIN, PARTS };

struct pi_rows {
    struct pd_export *all;
    struct pi_parquet *table;
    struct pi_parquet_column *columns;
    size_t n, first_field; /* columns, and the first that was asked for */
    bool *found;           /* by field that was asked for: a sample has it */
};

/* ---- Columns */

static size_t count_parts(void)
{
    size_t n = 0;
    for (size_t i = 0; i < pd_set_data_src.n; i++)
        n += !pi_is_reserved(pd_set_data_src.names[i].name);
    return n;
}

static void name_columns(struct pi_rows *rows)
{
    const struct pd_export *e = rows->all;
    const struct pi_parquet_column fixed[] = {
        [TIME] = {"time", PI_PARQUET_U64, NULL, NULL},
        [CPU] = {"cpu", PI_PARQUET_U32, NULL, NULL},
        [PID] = {"pid", PI_PARQUET_I32, NULL, NULL},
        [TID] = {"tid", PI_PARQUET_I32, NULL, NULL},
        [COMM] = {"comm", PI_PARQUET_TEXT, &e->comms, NULL},
        [EVENT] = {"event", PI_PARQUET_TEXT, &e->events, NULL},
        [PERIOD] = {"period", PI_PARQUET_U64, NULL, NULL},
        [IP] = {"ip", PI_PARQUET_U64, NULL, NULL},
        [DSO] = {"dso", PI_PARQUET_TEXT, &e->dsos, pi_dso_name},
        [BUILD_ID] = {"build_id", PI_PARQUET_TEXT, &e->dsos, pi_dso_build_id},
        [OFFSET] = {"offset", PI_PARQUET_U64, NULL, NULL},
        [SYM] = {"sym", PI_PARQUET_TEXT, &e->functions, NULL},
        [ADDR] = {"addr", PI_PARQUET_U64, NULL, NULL},
        [WEIGHT] = {"weight", PI_PARQUET_U64, NULL, NULL},
        [CHAIN] = {"callchain", PI_PARQUET_LIST, NULL, NULL},
    };
    memcpy(rows->columns, fixed, sizeof fixed);
    rows->n = PARTS;
    for (size_t i = 0; i < pd_set_data_src.n; i++)
        if (!pi_is_reserved(pd_set_data_src.names[i].name))
            rows->columns[rows->n++] =
                (struct pi_parquet_column){pd_set_data_src.names[i].name, PI_PARQUET_U32, NULL, NULL};
    rows->first_field = rows->n;
}

static const struct pd_tracepoints *tracepoints_of(const struct pd_export *e, struct pd_reader *reader)
{
    return e->options.tracepoints ? e->options.tracepoints(e->options.user, reader) : NULL;
}

static enum pi_parquet_kind kind_of(const struct pi_expression_place *place)
{
    if (place->field == NULL)
        return PI_PARQUET_U64;
    if (place->field->kind != PD_TRACEPOINT_NUMBER && place->field->kind != PD_TRACEPOINT_POINTER)
        return PI_PARQUET_TEXT;
    return place->field->is_signed ? PI_PARQUET_I64 : PI_PARQUET_U64;
}

/* The type of a field in the first event that has it. */
static enum pi_parquet_kind find_kind(const struct pi_rows *rows, struct pd_reader *reader, const char *field)
{
    for (size_t i = 0; reader && i < pd_reader_n_attrs(reader); i++) {
        const struct pi_expression_place place =
            pi_expression_find(field, &pd_reader_attr(reader, i)->attr, tracepoints_of(rows->all, reader));
        if (place.field || place.in_sample)
            return kind_of(&place);
    }
    return PI_PARQUET_U64;
}

/* PD_EARG: a name that stands for another column. */
static enum pd_code name_fields(struct pi_rows *rows, struct pd_reader *reader, struct pd_error *error)
{
    const struct pd_export_options *o = &rows->all->options;
    for (size_t i = 0; i < o->n_fields; i++) {
        for (size_t k = 0; k < rows->n; k++)
            if (strcmp(rows->columns[k].name, o->fields[i]) == 0)
                return pi_fail(error, PD_EARG, PD_NOWHERE, o->fields[i], i, 0);
        rows->columns[rows->n++] =
            (struct pi_parquet_column){o->fields[i], find_kind(rows, reader, o->fields[i]), NULL, NULL};
    }
    return PD_OK;
}

enum pd_code pi_rows_open(struct pi_rows **out, struct pd_export *all, struct pd_reader *reader,
                          struct pd_error *error)
{
    const struct pd_export_options *o = &all->options;
    const size_t n = PARTS + count_parts() + o->n_fields;
    struct pi_rows *rows = pi_resize(o->allocator, NULL, sizeof *rows);
    *out = NULL;
    if (rows == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "rows", 0, sizeof *rows);
    *rows = (struct pi_rows){.all = all,
                             .columns = pi_array(o->allocator, NULL, n, sizeof *rows->columns),
                             .found = pi_array(o->allocator, NULL, o->n_fields, sizeof *rows->found)};
    enum pd_code code = PD_OK;
    if (rows->columns == NULL || rows->found == NULL) {
        code = pi_fail(error, PD_ENOMEM, PD_NOWHERE, "columns", 0, n * sizeof *rows->columns);
    } else {
        memset(rows->found, 0, o->n_fields * sizeof *rows->found);
        name_columns(rows);
        code = name_fields(rows, reader, error);
    }
    if (!code)
        code =
            pi_parquet_open(&rows->table, rows->columns, rows->n, o->sink,
                            o->memory ? o->memory : PI_LIMIT_EXPORT_MEMORY, o->workers, o->allocator, error);
    if (code)
        pi_rows_free(rows);
    else
        *out = rows;
    return code;
}

void pi_rows_free(struct pi_rows *rows)
{
    if (rows == NULL)
        return;
    const struct pd_allocator *allocator = rows->all->options.allocator;
    pi_parquet_free(rows->table);
    pi_release(allocator, rows->columns);
    pi_release(allocator, rows->found);
    pi_release(allocator, rows);
}

const char *pi_rows_unfound(const struct pi_rows *rows)
{
    const struct pd_export_options *o = &rows->all->options;
    for (size_t i = 0; i < o->n_fields; i++)
        if (!rows->found[i])
            return o->fields[i];
    return NULL;
}

enum pd_code pi_rows_end(struct pi_rows *rows, struct pd_error *error)
{
    return pi_parquet_end(rows->table, error);
}

/* ---- A row as bytes */

static char *put_place(const struct pi_rows *rows, char *to, const struct pi_row *row)
{
    const struct pi_export_place *p = &row->place;
    to = pi_parquet_item(to, IP, row->sample->ip);
    if (p->dso == 0)
        return to;
    to = pi_parquet_item(to, DSO, p->dso);
    if (pi_dso_has_build_id(rows->all->dsos.all[p->dso]))
        to = pi_parquet_item(to, BUILD_ID, p->dso);
    to = pi_parquet_item(to, OFFSET, p->offset);
    return p->has_function ? pi_parquet_item(to, SYM, p->function) : to;
}

static char *put_data_src(char *to, uint64_t word)
{
    size_t column = PARTS;
    for (size_t i = 0; i < pd_set_data_src.n; i++)
        if (!pi_is_reserved(pd_set_data_src.names[i].name))
            to = pi_parquet_item(to, column++, pd_bits_get(&pd_set_data_src.names[i], word));
    return to;
}

/* The words of the sample itself. */
static char *put_words(char *to, const struct pd_record *rec)
{
    const uint64_t type = rec->attr->sample_type;
    struct pd_weights weights;
    uint64_t time;
    if (pi_word_time(rec, &time))
        to = pi_parquet_item(to, TIME, time);
    if (type & PD_SAMPLE_ADDR)
        to = pi_parquet_item(to, ADDR, rec->u.sample.addr);
    if (pd_sample_weights(rec, &weights))
        to = pi_parquet_item(to, WEIGHT, weights.weight);
    if (type & PD_SAMPLE_DATA_SRC)
        to = put_data_src(to, rec->u.sample.data_src);
    return type & PD_SAMPLE_CALLCHAIN ? pi_parquet_item(to, CHAIN, 0) : to;
}

/* The columns that all tables have. */
static char *put_fixed(const struct pi_rows *rows, char *to, const struct pi_row *row)
{
    const struct pi_export_sample *s = row->sample;
    to = put_words(to, s->rec);
    if (s->cpu != UINT32_MAX)
        to = pi_parquet_item(to, CPU, s->cpu);
    if (row->has_comm) {
        to = pi_parquet_item(to, PID, s->pid);
        to = pi_parquet_item(to, TID, s->tid);
        to = pi_parquet_item(to, COMM, row->comm);
    }
    to = pi_parquet_item(to, EVENT, s->event);
    to = pi_parquet_item(to, PERIOD, row->period);
    return row->has_place ? put_place(rows, to, row) : to;
}

/* ---- Fields that were asked for */

/* Where the fields are in the event of a record; NULL: no memory. */
static const struct pi_expression_place *places_of(struct pi_exporting *x, const struct pd_record *rec)
{
    const struct pd_export_options *o = &x->all->options;
    const size_t end = (rec->attr_index + (size_t)1) * o->n_fields;
    if (end > x->n_field_places) {
        struct pi_expression_place *more = pi_array(x->allocator, x->field_places, end, sizeof *more);
        if (more == NULL)
            return NULL;
        memset(more + x->n_field_places, 0, (end - x->n_field_places) * sizeof *more);
        x->field_places = more;
        x->n_field_places = end;
    }
    struct pi_expression_place *places = x->field_places + end - o->n_fields;
    for (size_t i = 0; i < o->n_fields && !places[i].known; i++)
        places[i] = pi_expression_find(o->fields[i], rec->attr, tracepoints_of(x->all, x->chosen.reader));
    return places;
}

static void put_number(struct pd_out *row, size_t column, uint64_t value)
{
    char item[PI_PARQUET_ITEM];
    pi_parquet_item(item, column, value);
    pi_emit(row, item, sizeof item);
}

static void put_text(struct pd_out *row, size_t column, const void *text, size_t n)
{
    put_number(row, column, n);
    pi_emit(row, text, n);
}

/* A number in a column of texts is decimal; a text in a column of numbers is left out. */
static void put_number_as(struct pd_out *row, size_t column, enum pi_parquet_kind kind, uint64_t number)
{
    char digits[24];
    if (kind == PI_PARQUET_TEXT)
        put_text(row, column, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number));
    else
        put_number(row, column, number);
}

/* Text up to its NUL; other bytes are hexadecimal digits. */
static void put_raw_text(struct pd_out *row, size_t column, const struct pd_tracepoint_data *data)
{
    if (data->field->kind == PD_TRACEPOINT_STRING) {
        put_text(row, column, data->text.ptr, data->text.len);
        return;
    }
    put_number(row, column, 2 * data->bytes.n);
    pd_out_hex_bytes(row, data->bytes.ptr, data->bytes.n);
}

static void put_raw(struct pd_out *row, size_t column, enum pi_parquet_kind kind,
                    const struct pi_expression_place *place, const struct pd_record *rec)
{
    const struct pd_bytes *raw = &rec->u.sample.raw.data;
    struct pd_tracepoint_data data;
    if (!pd_tracepoint_value(place->field, place->order, raw->ptr, raw->n, &data))
        return;
    if (kind_of(place) != PI_PARQUET_TEXT)
        put_number_as(row, column, kind, data.number);
    else if (kind == PI_PARQUET_TEXT)
        put_raw_text(row, column, &data);
}

static bool put_fields(struct pi_exporting *x, const struct pd_record *rec)
{
    struct pi_rows *rows = x->all->rows;
    const struct pi_expression_place *places = x->all->options.n_fields ? places_of(x, rec) : NULL;
    uint64_t value;
    for (size_t i = 0; places && i < x->all->options.n_fields; i++) {
        const size_t column = rows->first_field + i, before = x->row.n;
        if (places[i].field)
            put_raw(&x->row, column, rows->columns[column].kind, &places[i], rec);
        else if (places[i].in_sample &&
                 pd_record_get(rec, pi_expression_path(x->all->options.fields[i], rec->attr), &value))
            put_number_as(&x->row, column, rows->columns[column].kind, value);
        rows->found[i] |= x->row.n > before;
    }
    return places || !x->all->options.n_fields;
}

/* ---- Rows */

enum pd_code pi_rows_make(struct pi_exporting *x, const struct pi_row *row)
{
    const struct pi_rows *rows = x->all->rows;
    const size_t most = rows->first_field * PI_PARQUET_ITEM;
    struct pd_out *out = &x->row;
    out->n = 0;
    if (out->cap >= most || pd_out_grow(out, most)) {
        out->n = (size_t)(put_fixed(rows, out->buf, row) - out->buf);
        if (put_fields(x, row->sample->rec) && out->lost == 0)
            return PD_OK;
    }
    return pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "row", 0, out->n);
}

enum pd_code pi_rows_put(struct pi_rows *rows, const struct pd_out *row, const struct pi_export_frames *chain,
                         struct pd_error *error)
{
    const struct pi_parquet_list list = {chain->n ? &chain->all->ip : NULL, chain->n, sizeof *chain->all};
    return pi_parquet_put(rows->table, row->buf, row->n, &list, error);
}
