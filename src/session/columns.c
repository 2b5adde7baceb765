/* SPDX-License-Identifier: MIT */
/* columns.c - numbers of samples as columns. */
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/support/memory.h"
#include <perfdata/constants.h>
#include <perfdata/session/columns.h>
#include <perfdata/session/fields.h>
#include <string.h>

/* Where the numbers of a column come from. */
enum source {
    IN_SAMPLE, /* a member of struct pd_sample, at `offset` */
    OF_EVENT,  /* the number of the attr */
    BY_PATH,   /* by reflection */
};

struct column {
    enum source source;
    uint8_t width;
    uint16_t offset;
    bool is_signed;
    bool present; /* IN_SAMPLE: samples of the plan with `key` have it */
    const char *path;
};

struct pd_columns {
    const struct pd_allocator *allocator;
    uint64_t key;    /* of the plan that `present` of the columns is about; 0: none */
    uint8_t variant; /* and of the sample */
    size_t n;
    struct column column[];
};

/* Finds the field in a sample that has everything. READ values are of one counter or of a group. */
static bool find_announced(const char *path, uint64_t read_format, struct pd_field *f)
{
    const struct pd_attr attr = {.sample_type = PD_SAMPLE_WEIGHT_STRUCT * 2 - 1,
                                 .read_format = read_format,
                                 .branch_sample_type = PD_BRANCH_SAMPLE_HW_INDEX | PD_BRANCH_SAMPLE_COUNTERS,
                                 .sample_regs_user = 1,
                                 .sample_regs_intr = 1};
    struct pd_fields it;
    char head[64];
    pd_fields_of_type(&it, &attr, PD_RECORD_SAMPLE, 0);
    if (pd_fields_find(&it, path, f))
        return f->kind == PD_FIELD_NUMBER;
    /* FIELD[NUMBER]: an element of a vector, which is empty here. */
    const char *bracket = strrchr(path, '[');
    const size_t n = bracket ? (size_t)(bracket - path) : sizeof head,
                 digits = bracket ? strspn(bracket + 1, "0123456789") : 0;
    if (n >= sizeof head || digits == 0 || strcmp(bracket + 1 + digits, "]") != 0)
        return false;
    memcpy(head, path, n);
    head[n] = 0;
    pd_fields_of_type(&it, &attr, PD_RECORD_SAMPLE, 0);
    return pd_fields_find(&it, head, f) && f->kind == PD_FIELD_VECTOR;
}

static bool find_column(struct column *c)
{
    static const char own[] = "sample.";
    const struct pd_record none = {.type = PD_RECORD_SAMPLE};
    const char *name = strncmp(c->path, own, sizeof own - 1) == 0 ? c->path + sizeof own - 1 : c->path;
    struct pd_field f;
    uint64_t value;
    *c = (struct column){.source = BY_PATH, .width = 8, .path = c->path};
    if (strcmp(name, "event") == 0) {
        c->source = OF_EVENT;
        c->width = 4;
        return true;
    }
    if (pd_record_get(&none, c->path, &value))
        return true; /* of the header */
    const uint64_t times = PD_FORMAT_TOTAL_TIME_ENABLED | PD_FORMAT_TOTAL_TIME_RUNNING,
                   each = PD_FORMAT_ID | PD_FORMAT_LOST;
    if (!find_announced(c->path, times | each, &f) &&
        !find_announced(c->path, times | each | PD_FORMAT_GROUP, &f))
        return false;
    c->is_signed = f.set->kind == PD_SET_SDEC;
    if (!strpbrk(name, ".[") && f.op->kind != PI_OP_OPT64) {
        c->source = IN_SAMPLE;
        c->width = f.width;
        c->offset = f.op->offset;
    }
    return true;
}

enum pd_code pd_columns_new(struct pd_columns **columns, const char *const *paths, size_t n,
                            const struct pd_allocator *allocator, struct pd_error *error)
{
    size_t bytes = sizeof **columns + n * sizeof(struct column);
    *columns = NULL;
    for (size_t i = 0; i < n; i++)
        bytes += strlen(paths[i]) + 1;
    struct pd_columns *c = pi_resize(allocator, NULL, bytes);
    if (c == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "columns", 0, bytes);
    char *text = (char *)&c->column[n];
    *c = (struct pd_columns){.allocator = allocator, .n = n};
    for (size_t i = 0; i < n; i++) {
        const size_t size = strlen(paths[i]) + 1;
        c->column[i].path = memcpy(text, paths[i], size);
        text += size;
        if (!find_column(&c->column[i])) {
            pd_columns_free(c);
            return pi_fail(error, PD_EARG, PD_NOWHERE, "path of a column", i, 0);
        }
    }
    *columns = c;
    return PD_OK;
}

void pd_columns_free(struct pd_columns *columns)
{
    if (columns)
        pi_release(columns->allocator, columns);
}

unsigned pd_columns_width(const struct pd_columns *columns, size_t i)
{
    return columns->column[i].width;
}

bool pd_columns_signed(const struct pd_columns *columns, size_t i)
{
    return columns->column[i].is_signed;
}

/* Notes which columns samples of the record's event have: once for consecutive samples of one plan. */
static void find_present(struct pd_columns *c, const struct pd_record *rec)
{
    c->key = rec->plan->key;
    c->variant = rec->variant;
    for (size_t i = 0; i < c->n; i++) {
        uint64_t value;
        c->column[i].present =
            c->column[i].source == IN_SAMPLE && pd_record_get(rec, c->column[i].path, &value);
    }
}

static void store(void *values, size_t row, unsigned width, uint64_t value)
{
    if (width == 4)
        ((uint32_t *)values)[row] = (uint32_t)value;
    else
        ((uint64_t *)values)[row] = value;
}

/* The rare sources: true if the sample has the number. */
static bool store_other(const struct column *column, const struct pd_record *rec, void *values, size_t row)
{
    uint64_t value = rec->attr_index;
    bool present = value != UINT32_MAX;
    if (column->source == BY_PATH && !(present = pd_record_get(rec, column->path, &value)))
        value = 0;
    store(values, row, column->width, value);
    return present;
}

static void store_row(struct pd_columns *c, const struct pd_record *rec, void *const *values,
                      uint8_t *const *present, size_t row)
{
    const uint8_t *sample = (const uint8_t *)&rec->u.sample;
    if (present && (c->key != rec->plan->key || c->variant != rec->variant))
        find_present(c, rec);
    for (size_t i = 0; i < c->n; i++) {
        const struct column *column = &c->column[i];
        bool there = column->present;
        if (column->source != IN_SAMPLE)
            there = store_other(column, rec, values[i], row);
        else if (column->width == 4)
            memcpy((uint32_t *)values[i] + row, sample + column->offset, 4);
        else
            memcpy((uint64_t *)values[i] + row, sample + column->offset, 8);
        if (present && present[i])
            present[i][row] = there;
    }
}

enum pd_code pd_columns_read(struct pd_columns *columns, struct pd_reader *reader, void *const *values,
                             uint8_t *const *present, size_t rows, size_t *n, struct pd_error *error)
{
    struct pd_record rec = {0};
    struct pd_error why;
    enum pd_code code = PD_OK;
    *n = 0;
    while (*n < rows && (code = pd_reader_next_decoded(reader, &rec, &why)) == PD_OK) {
        if (rec.type != PD_RECORD_SAMPLE)
            continue;
        if (!rec.decoded) {
            code = why.code;
            break;
        }
        store_row(columns, &rec, values, present, (*n)++);
    }
    if (code == PD_END && *n)
        return PD_OK;
    if (code && error)
        *error = why;
    return code;
}
