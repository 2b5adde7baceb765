/* SPDX-License-Identifier: MIT */
/*
 * tracepoint.c - format files of tracefs, and the raw bytes they describe.
 *
 * A format file comes from a file that anyone may have made. It is split into lines and at semicolons;
 * nothing is searched twice, and a number that does not fit makes its line invalid. The places that it names
 * are only used in raw bytes, where each is checked.
 */
#include "src/support/limits.h"
#include "src/schema/fail.h"
#include "src/reflect/emit.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include "src/support/text_scan.h"
#include <perfdata/session/tracepoint.h>

/*
 * An event has ten fields, or a hundred. The limit keeps the search for a name that was there before linear
 * in the size of the text.
 */

struct pd_tracepoints {
    const struct pd_allocator *allocator;
    struct pd_tracepoint **events; /* each in one block with its fields */
    size_t n, cap;
    struct pd_tracepoint **by_id, **by_name; /* n each, sorted, equal ones in the order of the file */
    size_t by_id_cap, by_name_cap;
    struct pd_tracepoint_field *scratch; /* of the event that is parsed */
    size_t scratch_n, scratch_cap;
    size_t left_out;
    enum pd_order order; /* of the raw bytes */
};

/* ---- Text */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static struct pi_slice trim(struct pi_slice p)
{
    while (p.len && is_space(p.ptr[p.len - 1]))
        p.len--;
    while (p.len && is_space(*p.ptr)) {
        p.ptr++;
        p.len--;
    }
    return p;
}

/* The text before the next `end`, which is removed, too. False: nothing is left. */
static bool take_to(struct pi_slice *rest, char end, struct pi_slice *out)
{
    if (rest->len == 0)
        return false;
    const char *at = memchr(rest->ptr, end, rest->len);
    out->ptr = rest->ptr;
    out->len = at ? (size_t)(at - rest->ptr) : rest->len;
    const size_t taken = out->len + (at != NULL);
    rest->ptr += taken;
    rest->len -= taken;
    return true;
}

static bool same(struct pi_slice p, const char *s)
{
    return p.len == strlen(s) && memcmp(p.ptr, s, p.len) == 0;
}

/* Removes `prefix`, and the space behind it. */
static bool take_prefix(struct pi_slice *p, const char *prefix)
{
    const size_t n = strlen(prefix);
    if (p->len < n || memcmp(p->ptr, prefix, n) != 0)
        return false;
    *p = trim((struct pi_slice){p->ptr + n, p->len - n});
    return true;
}

/* All of it is a decimal number of 32 bits. */
static bool to_number(struct pi_slice p, uint32_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < p.len; i++) {
        if (!is_digit(p.ptr[i]))
            return false;
        value = value * 10 + (unsigned)(p.ptr[i] - '0');
        if (value > UINT32_MAX)
            return false;
    }
    *out = (uint32_t)value;
    return p.len != 0;
}

static struct pd_str view(struct pi_slice p)
{
    return (struct pd_str){p.ptr, p.len, PD_AUTO};
}

/* ---- Types: of arrays only the type tells how wide an element is, when the line does not say how many there
 * are. */

static const struct scalar {
    const char *name; /* without "__" before it */
    uint8_t width;    /* 0: as a long */
    bool is_signed;
} scalars[] = {
    {"char", 1, false},   {"bool", 1, false},     {"s8", 1, true},        {"u8", 1, false},
    {"int8_t", 1, true},  {"uint8_t", 1, false},  {"short", 2, true},     {"s16", 2, true},
    {"u16", 2, false},    {"int16_t", 2, true},   {"uint16_t", 2, false}, {"be16", 2, false},
    {"le16", 2, false},   {"int", 4, true},       {"uint", 4, false},     {"s32", 4, true},
    {"u32", 4, false},    {"int32_t", 4, true},   {"uint32_t", 4, false}, {"be32", 4, false},
    {"le32", 4, false},   {"pid_t", 4, true},     {"uid_t", 4, false},    {"gid_t", 4, false},
    {"dev_t", 4, false},  {"gfp_t", 4, false},    {"s64", 8, true},       {"u64", 8, false},
    {"int64_t", 8, true}, {"uint64_t", 8, false}, {"be64", 8, false},     {"le64", 8, false},
    {"loff_t", 8, true},  {"sector_t", 8, false}, {"ktime_t", 8, true},   {"size_t", 0, false},
    {"ssize_t", 0, true},
};

struct element {
    uint8_t width; /* 0: not known */
    bool is_signed, is_char, is_pointer, is_record, is_hex;
};

static const struct scalar *find_scalar(struct pi_slice word)
{
    if (word.len > 2 && memcmp(word.ptr, "__", 2) == 0)
        word = (struct pi_slice){word.ptr + 2, word.len - 2};
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (same(word, scalars[i].name))
            return &scalars[i];
    return NULL;
}

/* The words of a type; what is none of these (const, __user) does not matter. */
struct words {
    const struct scalar *scalar; /* the first: "short int" is a short */
    unsigned longs;
    bool is_unsigned, is_signed, is_record, is_pointer;
};

static void take_word(struct words *w, struct pi_slice word)
{
    if (same(word, "unsigned"))
        w->is_unsigned = true;
    else if (same(word, "signed"))
        w->is_signed = true;
    else if (same(word, "long"))
        w->longs++;
    else if (same(word, "struct") || same(word, "union"))
        w->is_record = true;
    else if (w->scalar == NULL)
        w->scalar = find_scalar(word);
}

static struct words split_type(struct pi_slice type)
{
    struct words w = {0};
    for (size_t i = 0; i < type.len;) {
        const size_t from = i;
        while (i < type.len && is_word(type.ptr[i]))
            i++;
        if (i > from)
            take_word(&w, (struct pi_slice){type.ptr + from, i - from});
        else
            w.is_pointer |= type.ptr[i++] == '*';
    }
    return w;
}

static struct element element_of(struct pi_slice type, uint8_t long_size)
{
    const struct words w = split_type(type);
    struct element e = {.is_pointer = w.is_pointer, .is_record = w.is_record};
    if (w.is_pointer) {
        e.width = long_size;
        e.is_record = false;
        e.is_hex = true;
    } else if (w.is_record) {
        return e;
    } else if (w.longs) {
        e.width = w.longs == 1 ? long_size : 8;
        e.is_signed = !w.is_unsigned;
        e.is_hex = w.longs == 1 && w.is_unsigned;
    } else if (w.scalar) {
        e.width = w.scalar->width ? w.scalar->width : long_size;
        e.is_signed = (w.scalar->is_signed && !w.is_unsigned) || w.is_signed;
        e.is_char = w.scalar == scalars && !w.is_unsigned && !w.is_signed;
    } else if (w.is_unsigned || w.is_signed) {
        e.width = 4;
        e.is_signed = w.is_signed;
    }
    return e;
}

/* ---- Field lines */

static bool is_width(uint64_t n)
{
    return n == 1 || n == 2 || n == 4 || n == 8;
}

/* The text in brackets behind the name. */
struct dimensions {
    bool any, several;
    uint32_t length; /* of one dimension; 0: empty, or a name of C */
};

static bool take_dimensions(struct pi_slice *decl, struct dimensions *d)
{
    *d = (struct dimensions){0};
    while (decl->len && decl->ptr[decl->len - 1] == ']') {
        size_t at = decl->len - 1;
        while (at && decl->ptr[at] != '[')
            at--;
        if (decl->ptr[at] != '[')
            return false;
        d->several = d->any;
        d->any = true;
        if (!to_number(trim((struct pi_slice){decl->ptr + at + 1, decl->len - at - 2}), &d->length))
            d->length = 0;
        decl->len = at;
        *decl = trim(*decl);
    }
    return true;
}

/* Takes the name from the end of a declaration. */
static bool take_name(struct pi_slice *decl, struct pi_slice *name)
{
    size_t at = decl->len;
    while (at && is_word(decl->ptr[at - 1]))
        at--;
    *name = (struct pi_slice){decl->ptr + at, decl->len - at};
    decl->len = at;
    *decl = trim(*decl);
    return name->len && !is_digit(*name->ptr) && decl->len;
}

static void set_fixed(struct pd_tracepoint_field *f, const struct element *e, const struct dimensions *d)
{
    const bool counted = d->length && !d->several;
    const uint64_t width = !d->any ? f->size : counted ? f->size / d->length : e->width;
    const bool fits =
        is_width(width) && !e->is_record && (counted ? f->size % d->length : f->size % width) == 0;
    f->is_array = d->any;
    if (!fits)
        return;
    f->width = (uint8_t)width;
    if (!d->any)
        f->kind = e->is_pointer ? PD_TRACEPOINT_POINTER : PD_TRACEPOINT_NUMBER;
    else
        f->kind = e->is_char && width == 1 && !d->several ? PD_TRACEPOINT_STRING : PD_TRACEPOINT_ARRAY;
    f->length = d->any ? (uint32_t)(f->size / width) : 0;
}

static void set_elsewhere(struct pd_tracepoint_field *f, const struct element *e, bool relative)
{
    if (f->size != 4)
        return;
    f->place = relative ? PD_TRACEPOINT_REL_LOC : PD_TRACEPOINT_DATA_LOC;
    f->is_array = true;
    f->width = e->width;
    if (e->width)
        f->kind = e->is_char ? PD_TRACEPOINT_STRING : PD_TRACEPOINT_ARRAY;
}

/* The type and what follows from it; offset and size are set. */
static bool set_type(struct pd_tracepoint_field *f, struct pi_slice decl, uint8_t long_size, bool sign_known)
{
    struct dimensions d;
    struct pi_slice name;
    if (!take_dimensions(&decl, &d) || !take_name(&decl, &name))
        return false;
    f->name = view(name);
    f->type = view(decl);
    f->kind = PD_TRACEPOINT_BYTES;
    const bool data_loc = take_prefix(&decl, "__data_loc "),
               relative = !data_loc && take_prefix(&decl, "__rel_loc ");
    const struct element e = element_of(decl, long_size);
    if (data_loc || relative)
        set_elsewhere(f, &e, relative);
    else
        set_fixed(f, &e, &d);
    f->is_hex = f->width && e.is_hex;
    if (!sign_known)
        f->is_signed = e.is_signed;
    return true;
}

/* The text behind "field:", up to the end of the line. */
static bool parse_field(struct pi_slice line, uint8_t long_size, struct pd_tracepoint_field *f)
{
    struct pi_slice decl, part;
    bool has_offset = false, has_size = false, has_sign = false;
    uint32_t sign = 0;
    *f = (struct pd_tracepoint_field){0};
    if (!take_to(&line, ';', &decl))
        return false;
    while (take_to(&line, ';', &part)) {
        part = trim(part);
        if (take_prefix(&part, "offset:"))
            has_offset = to_number(part, &f->offset);
        else if (take_prefix(&part, "size:"))
            has_size = to_number(part, &f->size);
        else if (take_prefix(&part, "signed:"))
            has_sign = to_number(part, &sign);
    }
    f->is_signed = sign != 0;
    return has_offset && has_size && set_type(f, trim(decl), long_size, has_sign);
}

/* ---- Format files */

struct format {
    struct pi_slice name;
    uint32_t id, n_bad;
    bool has_name, has_id;
    bool has_fields, past_common; /* an empty line ends the common fields */
};

static bool is_named(const struct pd_tracepoint_field *f, const char *name, size_t len)
{
    return f->name.len == len && memcmp(f->name.ptr, name, len) == 0;
}

/* False: no memory. */
static bool add_field(struct pd_tracepoints *t, struct format *format, struct pi_slice line,
                      uint8_t long_size)
{
    struct pd_tracepoint_field f;
    bool good = t->scratch_n < PI_LIMIT_FORMAT_FIELDS && parse_field(line, long_size, &f);
    for (size_t i = 0; good && i < t->scratch_n; i++)
        good = !is_named(&t->scratch[i], f.name.ptr, f.name.len);
    format->has_fields = true;
    format->n_bad += !good && format->n_bad < UINT32_MAX;
    if (!good)
        return true;
    f.is_common = !format->past_common && f.name.len > 7 && memcmp(f.name.ptr, "common_", 7) == 0;
    if (!pi_grow(t->allocator, (void **)&t->scratch, t->scratch_n, &t->scratch_cap, sizeof f))
        return false;
    t->scratch[t->scratch_n++] = f;
    return true;
}

/* "field:", or as in Linux 2.6.30 "field special:". */
static bool take_field(struct pi_slice *line)
{
    return take_prefix(line, "field:") || take_prefix(line, "field special:");
}

/* Into t->scratch. False: no memory. */
static bool parse_format(struct pd_tracepoints *t, struct pi_slice text, uint8_t long_size,
                         struct format *format)
{
    struct pi_slice line;
    *format = (struct format){0};
    t->scratch_n = 0;
    while (take_to(&text, '\n', &line)) {
        line = trim(line);
        if (take_prefix(&line, "print fmt:"))
            break;
        if (line.len == 0)
            format->past_common = format->has_fields;
        else if (!format->has_name && take_prefix(&line, "name:"))
            format->has_name = (format->name = line).len != 0;
        else if (!format->has_id && take_prefix(&line, "ID:"))
            format->has_id = to_number(line, &format->id);
        else if (take_field(&line) && !add_field(t, format, line, long_size))
            return false;
    }
    return true;
}

/* ---- The events */

static enum pd_code no_memory(struct pd_error *error, uint64_t bytes)
{
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "tracepoints", 0, bytes);
}

/* Appends the parsed event to the events. */
static enum pd_code append_event(struct pd_tracepoints *t, struct pd_str system, const struct format *format,
                                 struct pd_error *error)
{
    const size_t n_fields = t->scratch_n, bytes = n_fields * sizeof *t->scratch;
    if (t->n >= UINT32_MAX)
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "tracepoints", t->n + 1, UINT32_MAX);
    struct pd_tracepoint *e = pi_resize(t->allocator, NULL, sizeof *e + bytes);
    if (e == NULL || !pi_grow(t->allocator, (void **)&t->events, t->n, &t->cap, sizeof *t->events)) {
        pi_release(t->allocator, e);
        return no_memory(error, sizeof *e + bytes);
    }
    struct pd_tracepoint_field *fields = (struct pd_tracepoint_field *)(void *)(e + 1);
    if (n_fields)
        memcpy(fields, t->scratch, bytes);
    *e = (struct pd_tracepoint){.system = system,
                                .name = view(format->name),
                                .id = format->id,
                                .index = (uint32_t)t->n,
                                .n_fields = (uint32_t)n_fields,
                                .n_bad = format->n_bad,
                                .order = (uint8_t)t->order,
                                .fields = fields};
    t->events[t->n++] = e;
    return PD_OK;
}

static int compare_text(const struct pd_str *a, const char *b, size_t b_len)
{
    const size_t n = a->len < b_len ? a->len : b_len;
    const int order = n ? memcmp(a->ptr, b, n) : 0;
    return order ? order : (a->len > b_len) - (a->len < b_len);
}

static int by_id(const void *pa, const void *pb)
{
    const struct pd_tracepoint *a = *(struct pd_tracepoint *const *)pa,
                               *b = *(struct pd_tracepoint *const *)pb;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static int by_name(const void *pa, const void *pb)
{
    const struct pd_tracepoint *a = *(struct pd_tracepoint *const *)pa,
                               *b = *(struct pd_tracepoint *const *)pb;
    int order = compare_text(&a->system, b->system.ptr, b->system.len);
    if (order == 0)
        order = compare_text(&a->name, b->name.ptr, b->name.len);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

typedef int compare_events(const void *, const void *);

static enum pd_code sort_events(const struct pd_tracepoints *t, struct pd_tracepoint ***sorted, size_t *cap,
                                compare_events *compare, struct pd_error *error)
{
    if (t->n == 0)
        return PD_OK;
    *sorted = pi_array(t->allocator, NULL, t->n, sizeof **sorted);
    if (*sorted == NULL)
        return no_memory(error, t->n * sizeof **sorted);
    *cap = t->n;
    memcpy(*sorted, t->events, t->n * sizeof **sorted);
    qsort(*sorted, t->n, sizeof **sorted, compare);
    return PD_OK;
}

/* Puts the last event into its place among the n before it; there is room. */
static void insert_event(struct pd_tracepoint **sorted, size_t n, struct pd_tracepoint *e,
                         compare_events *compare)
{
    size_t at = n;
    while (at && compare(&sorted[at - 1], &e) > 0) {
        sorted[at] = sorted[at - 1];
        at--;
    }
    sorted[at] = e;
}

static enum pd_code add_file(struct pd_tracepoints *t, struct pd_str system, const struct pd_bytes *text,
                             uint8_t long_size, struct pd_error *error)
{
    struct format format;
    if (!parse_format(t, (struct pi_slice){(const char *)text->ptr, text->n}, long_size, &format))
        return no_memory(error, sizeof *t->scratch);
    if (format.has_name && format.has_id)
        return append_event(t, system, &format, error);
    t->left_out++;
    return PD_OK;
}

static enum pd_code add_files(struct pd_tracepoints *t, struct pd_str system, struct pd_list files,
                              uint8_t long_size, struct pd_error *error)
{
    struct pd_format_file file;
    enum pd_code code = PD_OK;
    while (code == PD_OK && pd_format_file_next(&files, &file))
        code = add_file(t, system, &file.text, long_size, error);
    return code;
}

static uint8_t sane_long(unsigned long_size)
{
    return long_size == 4 ? 4 : 8;
}

static enum pd_code add_all(struct pd_tracepoints *t, const struct pd_feature_tracing_data *data,
                            struct pd_error *error)
{
    static const char ftrace[] = "ftrace";
    struct pd_list systems = data->systems;
    struct pd_event_system system;
    const uint8_t long_size = sane_long(data->long_size);
    enum pd_code code =
        add_files(t, (struct pd_str){ftrace, sizeof ftrace - 1, PD_AUTO}, data->ftrace, long_size, error);
    while (code == PD_OK && pd_event_system_next(&systems, &system))
        code = add_files(t, system.name, system.events, long_size, error);
    if (code == PD_OK)
        code = sort_events(t, &t->by_id, &t->by_id_cap, by_id, error);
    if (code == PD_OK)
        code = sort_events(t, &t->by_name, &t->by_name_cap, by_name, error);
    return code;
}

static void drop_scratch(struct pd_tracepoints *t)
{
    pi_release(t->allocator, t->scratch);
    t->scratch = NULL;
    t->scratch_cap = t->scratch_n = 0;
}

enum pd_code pd_tracepoints_new(struct pd_tracepoints **out, const struct pd_feature_tracing_data *data,
                                const struct pd_allocator *allocator, struct pd_error *error)
{
    struct pd_tracepoints *t = pi_resize(allocator, NULL, sizeof *t);
    *out = NULL;
    if (t == NULL)
        return no_memory(error, sizeof *t);
    *t = (struct pd_tracepoints){.allocator = allocator, .order = PD_HOST_ORDER};
    if (data)
        t->order = data->bigendian ? PD_BIG : PD_LITTLE;
    const enum pd_code code = data ? add_all(t, data, error) : PD_OK;
    drop_scratch(t);
    if (code)
        pd_tracepoints_free(t);
    else
        *out = t;
    return code;
}

void pd_tracepoints_free(struct pd_tracepoints *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; i < t->n; i++)
        pi_release(t->allocator, t->events[i]);
    pi_release(t->allocator, t->events);
    pi_release(t->allocator, t->by_id);
    pi_release(t->allocator, t->by_name);
    pi_release(t->allocator, t->scratch);
    pi_release(t->allocator, t);
}

/*
 * Room for one more in both orders, before it is appended, so that running out of memory leaves nothing half
 * done. /
 */
static bool make_room(struct pd_tracepoints *t)
{
    return pi_grow(t->allocator, (void **)&t->by_id, t->n, &t->by_id_cap, sizeof *t->by_id) &&
           pi_grow(t->allocator, (void **)&t->by_name, t->n, &t->by_name_cap, sizeof *t->by_name);
}

static enum pd_code add_one(struct pd_tracepoints *t, struct pd_str system, struct pi_slice text,
                            uint8_t long_size, struct pd_error *error)
{
    struct format format;
    const size_t n = t->n;
    if (!parse_format(t, text, long_size, &format) || !make_room(t))
        return no_memory(error, 2 * n * sizeof *t->events);
    if (!format.has_name || !format.has_id)
        return pi_fail(error, PD_EVALUE, PD_NOWHERE, format.has_name ? "ID" : "name", 0, 0);
    const enum pd_code code = append_event(t, system, &format, error);
    if (code == PD_OK) {
        insert_event(t->by_id, n, t->events[n], by_id);
        insert_event(t->by_name, n, t->events[n], by_name);
    }
    return code;
}

enum pd_code pd_tracepoints_add(struct pd_tracepoints *t, const char *system, const char *text, size_t n,
                                unsigned long_size, struct pd_error *error)
{
    const struct pd_str name = {system, strlen(system), PD_AUTO};
    const enum pd_code code = add_one(t, name, (struct pi_slice){text, n}, sane_long(long_size), error);
    drop_scratch(t);
    return code;
}

size_t pd_tracepoints_n(const struct pd_tracepoints *t)
{
    return t->n;
}

const struct pd_tracepoint *pd_tracepoints_at(const struct pd_tracepoints *t, size_t i)
{
    return i < t->n ? t->events[i] : NULL;
}

size_t pd_tracepoints_left_out(const struct pd_tracepoints *t)
{
    return t->left_out;
}

const struct pd_tracepoint *pd_tracepoints_by_id(const struct pd_tracepoints *t, uint64_t id)
{
    size_t low = 0, high = t->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->by_id[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->n && t->by_id[low]->id == id ? t->by_id[low] : NULL;
}

const struct pd_tracepoint *pd_tracepoints_by_name(const struct pd_tracepoints *t, const char *name,
                                                   size_t len)
{
    const char *colon = len ? memchr(name, ':', len) : NULL;
    if (colon == NULL)
        return NULL;
    const size_t system_len = (size_t)(colon - name), event_len = len - system_len - 1;
    size_t low = 0, high = t->n;
    const struct pd_tracepoint *found = NULL;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct pd_tracepoint *e = t->by_name[middle];
        int order = compare_text(&e->system, name, system_len);
        if (order == 0)
            order = compare_text(&e->name, colon + 1, event_len);
        if (order == 0)
            found = e; /* others with this name before it are found after it */
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return found;
}

const struct pd_tracepoint_field *pd_tracepoint_find(const struct pd_tracepoint *e, const char *name,
                                                     size_t len)
{
    for (size_t i = 0; i < e->n_fields; i++)
        if (is_named(&e->fields[i], name, len))
            return &e->fields[i];
    return NULL;
}
