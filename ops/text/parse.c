/* SPDX-License-Identifier: MIT */
/*
 * parse.c - records, attrs and features from JSON, by way of the schema's tables: the mirror of
 * src/reflect/json.c. Each line of a layout, in order, takes its key out of the object, and a key that no
 * line has taken is an error.
 */
#include "src/codec/carried.h"
#include "src/codec/interpret.h"
#include "src/codec/variant.h"
#include "src/schema/fail.h"
#include "src/schema/passes/follow.h"
#include "src/schema/schema.h"
#include "src/support/memory.h"
#include "src/reflect/reflect.h"
#include "src/support/text_scan.h"
#include "src/support/wire.h"
#include "parse_json.h"
#include "parser.h"
#include <jansson.h>
#include <perfdata/ops/parse.h>
#include <perfdata/session/large_record.h>
#include <stdarg.h>
#include <stdio.h>

/* The position in the JSON: from the inner to the outer. */
struct path {
    const struct path *outer;
    const char *name; /* NULL: an element */
    size_t index;
};

/* An object whose keys are taken. */
struct object {
    struct pd_parser *p;
    struct pd_shape *shape;
    const struct path *path;
    const json_t *json; /* NULL: not given, all is 0 */
    size_t taken;
};

/* ---- Errors. */

static size_t put_path(const struct path *path, char *buf, size_t cap)
{
    const size_t n = path->outer ? put_path(path->outer, buf, cap) : 0;
    int more;
    if (path->name == NULL && path->outer == NULL)
        return 0;
    if (n >= cap)
        return n;
    if (path->name)
        more = snprintf(buf + n, cap - n, "%s%s", n ? "." : "", path->name);
    else
        more = snprintf(buf + n, cap - n, "[%zu]", path->index);
    return n + (size_t)(more > 0 ? more : 0);
}

/* The start of a text, and how long all of it is. */
struct start {
    char *buf;
    size_t n, cap;
};

static int take_start(const char *text, size_t n, void *user)
{
    struct start *s = user;
    const size_t room = s->n < s->cap ? s->cap - s->n : 0;
    memcpy(s->buf + (room ? s->n : 0), text, n < room ? n : room);
    s->n += n;
    return 0;
}

/* A value for a message: at most so many bytes, dots behind what is cut. */
static void put_found(const json_t *json, char *buf, size_t cap)
{
    const char *kinds[] = {[JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array"};
    struct start start = {.buf = buf, .cap = cap};
    if (json == NULL) {
        snprintf(buf, cap, "nothing");
    } else if (json_is_object(json) || json_is_array(json)) {
        snprintf(buf, cap, "%s", kinds[json_typeof(json)]);
    } else if (json_dump_callback(json, take_start, &start, JSON_ENCODE_ANY | JSON_ENSURE_ASCII)) {
        snprintf(buf, cap, "a value");
    } else if (start.n < cap) {
        buf[start.n] = 0;
    } else {
        memcpy(buf + cap - 4, "...", 4);
    }
}

__attribute__((format(printf, 4, 5))) static bool wrong(struct pd_parser *p, const struct path *path,
                                                        const json_t *found, const char *expected, ...)
{
    va_list args;
    p->error = (struct pd_parse_error){0};
    put_path(path, p->error.path, sizeof p->error.path);
    put_found(found, p->error.found, sizeof p->error.found);
    va_start(args, expected);
    vsnprintf(p->error.expected, sizeof p->error.expected, expected, args);
    va_end(args);
    return false;
}

/* ---- Results. */

static enum pd_code result(const struct pd_parser *p, bool ok)
{
    return ok ? PD_OK : p->no_memory ? PD_ENOMEM : PD_EVALUE;
}

/* ---- Numbers. */

static uint64_t all_ones(unsigned width)
{
    return width >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;
}

/* True if the sign-extended number fits in this many bytes. */
static bool fits_signed(int64_t value, unsigned width)
{
    return width >= 8 || value >= -(INT64_C(1) << (8 * width - 1));
}

static bool number_wrong(struct pd_parser *p, const struct path *path, const json_t *json,
                         const struct pd_set *set, unsigned width)
{
    static const char *const kinds[] = {
        [PD_SET_DEC] = "a number", [PD_SET_SDEC] = "a number", [PD_SET_HEX] = "a number",
        [PD_SET_ENUM] = "a name",  [PD_SET_FLAGS] = "names",   [PD_SET_BITS] = "NAME=VALUE|…"};
    if (set->kind == PD_SET_DEC || set->kind == PD_SET_SDEC || set->kind == PD_SET_HEX)
        return wrong(p, path, json, "a number of %u bits", 8 * width);
    return wrong(p, path, json, "%s of the set %s, or a number of %u bits", kinds[set->kind], set->id,
                 8 * width);
}

/* A number, its text or a name, as a value of `width` bytes; `sign`: it may be negative. */
static bool take_number(struct pd_parser *p, const struct path *path, const json_t *json,
                        const struct pd_set *set, unsigned width, bool sign, uint64_t *out)
{
    uint64_t value = 0;
    bool negative = false, ok = false;
    if (json_is_integer(json)) {
        value = (uint64_t)json_integer_value(json);
        negative = json_integer_value(json) < 0;
        ok = true;
    } else if (json_is_string(json)) {
        const char *text = json_string_value(json);
        const size_t n = json_string_length(json);
        negative = n && text[0] == '-';
        ok = pd_set_parse(negative ? &pd_set_SDEC : set, text, n, &value);
    } else if (json_is_real(json) && set == &pd_set_F64) {
        const double real = json_real_value(json);
        memcpy(&value, &real, sizeof value);
        ok = true;
    }
    if (!ok || (negative ? !sign || !fits_signed((int64_t)value, width) : value > all_ones(width)))
        return number_wrong(p, path, json, set, width);
    *out = value & all_ones(width);
    return true;
}

/* ---- Bytes and text. */

/* Two hexadecimal digits a byte: *n bytes at *bytes, behind room for `before` others. */
static bool take_hex(struct pd_parser *p, const struct path *path, const json_t *json, size_t before,
                     uint8_t **bytes, size_t *n)
{
    const char *text = json_string_value(json);
    const size_t digits = text ? json_string_length(json) : 1;
    if (digits % 2)
        return wrong(p, path, json, "bytes, as a string of pairs of hexadecimal digits");
    if ((*bytes = pi_parser_take(p, before + digits / 2)) == NULL)
        return false;
    *n = digits / 2;
    for (size_t i = 0; i < *n; i++) {
        const unsigned high = pi_digit(text[2 * i]), low = pi_digit(text[2 * i + 1]);
        if (high > 15 || low > 15)
            return wrong(p, path, json, "bytes, as a string of pairs of hexadecimal digits");
        (*bytes)[before + i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bool take_bytes(struct pd_parser *p, const struct path *path, const json_t *json, struct pd_bytes *b)
{
    uint8_t *bytes;
    *b = (struct pd_bytes){NULL, 0};
    if (json == NULL)
        return true;
    if (!take_hex(p, path, json, 0, &bytes, &b->n))
        return false;
    b->ptr = bytes;
    return true;
}

/* Text, or {"hex":"…"} where it is not UTF-8. */
static bool take_text(struct pd_parser *p, const struct path *path, const json_t *json, struct pd_str *s)
{
    const json_t *hex = json_object_get(json, "hex");
    const struct path inner = {path, "hex", 0};
    uint8_t *bytes;
    if (json == NULL) {
        *s = (struct pd_str){"", 0, PD_AUTO};
    } else if (json_is_string(json)) {
        *s = (struct pd_str){json_string_value(json), json_string_length(json), PD_AUTO};
    } else if (hex && json_object_size(json) == 1) {
        if (!take_hex(p, &inner, hex, 0, &bytes, &s->len))
            return false;
        s->ptr = (const char *)bytes;
        s->size = PD_AUTO;
    } else {
        return wrong(p, path, json, "text, or {\"hex\":\"…\"}");
    }
    return !s->len || !memchr(s->ptr, 0, s->len) || wrong(p, path, json, "text without a NUL");
}

/* ---- The keys of an object. */

static const json_t *take_key(struct object *o, const char *name)
{
    const json_t *value = json_object_get(o->json, name);
    o->taken += value != NULL;
    return value;
}

static bool has_key(const struct object *o, const char *name)
{
    return json_object_get(o->json, name) != NULL;
}

/* A field by its name or one of the other names that follow it in the schema. */
static const json_t *take_field(struct object *o, const struct pd_op *op, const char **name)
{
    const json_t *value = take_key(o, *name = op->name);
    for (op++; !value && op->kind == PI_OP_ALIAS; op++)
        value = take_key(o, *name = op->name);
    return value;
}

static bool is_object(const struct object *o)
{
    return o->json == NULL || json_is_object(o->json) || wrong(o->p, o->path, o->json, "an object");
}

static bool is_field_of(const struct pd_op *head, const struct pd_shape *shape, const void *v,
                        const char *key)
{
    const size_t n = strlen(key);
    for (const struct pd_op *op = pi_visible(head, shape, v); op->kind != PI_OP_END;
         op = pi_visible(op + 1, shape, v))
        if ((op->kind != PI_OP_OPT64 || pi_count(op, shape, v)) &&
            (strcmp(op->name, key) == 0 ||
             (n > 4 && strcmp(key + n - 4, "_pad") == 0 && strncmp(op->name, key, n - 4) == 0)))
            return true;
    return false;
}

/* All keys have been taken. `head` is NULL when they were not those of a layout. */
static bool all_taken(const struct object *o, const struct pd_op *head, const void *v,
                      const char *const *known)
{
    const char *key;
    json_t *value;
    if (o->json == NULL || o->taken == json_object_size(o->json))
        return true;
    json_object_foreach((json_t *)(uintptr_t)o->json, key, value)
    {
        bool is_known = head && is_field_of(head, o->shape, v, key);
        for (size_t i = 0; known && known[i]; i++)
            is_known |= strcmp(known[i], key) == 0;
        if (!is_known) {
            const struct path path = {o->path, key, 0};
            return wrong(o->p, &path, value, "no such key here");
        }
    }
    return wrong(o->p, o->path, o->json,
                 "each value once, under one of its names, and no padding of numbers");
}

/* ---- Values that are not given but follow from others. */

static uint64_t count_given(const void *user, const struct pd_op *op)
{
    const struct object *o = user;
    const json_t *value = json_object_get(o->json, op->name);
    if (op->kind == PI_OP_BYTES)
        return json_string_length(value) / 2;
    return op->kind == PI_OP_SLOT ? json_string_length(value) : json_array_size(value);
}

static bool is_given(const void *user, const struct pd_op *op)
{
    return op->name && has_key(user, op->name);
}

static struct pi_given given_in(const struct object *o)
{
    return (struct pi_given){count_given, is_given, o};
}

/* A number that is not given: its elements may be. */
static uint64_t count_of(const struct object *o, const struct pd_op *of)
{
    const struct pi_given given = given_in(o);
    return o->json ? pi_follow_count(&given, of) : 0;
}

/* The size of the attrs in a list of them, when nothing says it. */
static uint64_t passed_attr_size(const struct object *o, const struct pd_op *op)
{
    const json_t *first = NULL;
    for (const struct pd_op *user = op + 1; user->kind != PI_OP_END && !first; user++)
        if (user->kind == PI_OP_ITEMS)
            first = json_array_get(json_object_get(o->json, user->name), 0);
    const json_t *size = json_object_get(json_object_get(first, "attr"), "size");
    return size && json_is_integer(size) ? (uint64_t)json_integer_value(size) : PD_ATTR_SIZE_VER7;
}

static bool flag_given(const struct object *o, const struct pd_op *flag)
{
    const struct pi_given given = given_in(o);
    return pi_follow_flag(&given, flag);
}

/* Members that are not in the stream. */
static void set_derived(const struct object *o, const struct pd_op *op, void *v)
{
    uint8_t *member = (uint8_t *)v + op->offset;
    const uint64_t count = op->count_width ? pi_count(op, o->shape, v) : 0;
    switch (op->kind) {
    case PI_OP_GIVEN: *(uint32_t *)(void *)member = o->shape->given; break;
    case PI_OP_ROOM:
    case PI_OP_TEXT:
    case PI_OP_ODD64: *member = flag_given(o, op); break;
    case PI_OP_ROOMN: *member = count && flag_given(o, op); break;
    case PI_OP_SINCE: *member = pi_is_since(op, v); break;
    case PI_OP_PASS: o->shape->given = (uint32_t)count; break;
    case PI_OP_LITTLE:
    case PI_OP_ORDER: break;
    default: *(uint64_t *)(void *)member = pi_derived(op, v); break;
    }
}

/* ---- Fields. */

static bool take_layout(struct object *o, const struct pd_op *head, void *v);

static bool take_part(const struct object *o, const struct path *path, const json_t *json,
                      const struct pd_op *head, void *v)
{
    struct object inner = {o->p, o->shape, path, json, 0};
    return is_object(&inner) && take_layout(&inner, head, v) && all_taken(&inner, head, v, NULL);
}

static bool take_scalar(struct object *o, const struct pd_op *op, void *v)
{
    const char *name;
    const json_t *json = take_field(o, op, &name);
    const struct path path = {o->path, name, 0};
    const bool sign = op->kind == PI_OP_S32 || op->set->kind == PD_SET_SDEC;
    const unsigned width = op->kind == PI_OP_VARINT ? 8 : pi_scalar_width(op);
    uint64_t value = 0;
    if (json == NULL) {
        value = pi_follow_is_attr_size(op) ? passed_attr_size(o, op) : count_of(o, op);
        if (value > all_ones(width))
            return wrong(o->p, &path, NULL, "so many that their number has more than %u bits", 8 * width);
    } else if (!take_number(o->p, &path, json, op->set, width, sign, &value)) {
        return false;
    }
    pi_scalar_set(op, v, value);
    return true;
}

static bool take_array(struct object *o, const struct pd_op *op, void *member)
{
    const struct path path = {o->path, op->name, 0};
    const json_t *json = take_key(o, op->name);
    struct pd_bytes b;
    if (!take_bytes(o->p, &path, json, &b))
        return false;
    if (json && b.n != op->arg)
        return wrong(o->p, &path, json, "%zu bytes", (size_t)op->arg);
    if (b.n)
        memcpy(member, b.ptr, b.n);
    else if (json == NULL && op->ref)
        memcpy(member, op->ref, (size_t)op->arg);
    return true;
}

/* The bytes of the slot behind the text: all must then be together. */
static bool take_pad(const struct object *o, const struct path *path, const json_t *json, struct pd_str *s)
{
    uint8_t *bytes;
    size_t n;
    if (!take_hex(o->p, path, json, s->len, &bytes, &n))
        return false;
    if (s->len)
        memcpy(bytes, s->ptr, s->len);
    *s = (struct pd_str){(const char *)bytes, s->len, s->len + n};
    return true;
}

static bool take_str(struct object *o, const struct pd_op *op, const void *v, struct pd_str *s)
{
    char name[64];
    const struct path path = {o->path, op->name, 0}, pad_path = {o->path, name, 0};
    const json_t *json = take_key(o, op->name);
    snprintf(name, sizeof name, "%s_pad", op->name);
    const json_t *pad = take_key(o, name);
    if (!take_text(o->p, &path, json, s))
        return false;
    if (json == NULL && op->kind == PI_OP_CSTR && op->ref)
        *s = (struct pd_str){op->ref, strlen(op->ref), PD_AUTO};
    if (pad)
        return take_pad(o, &pad_path, pad, s);
    if (op->kind == PI_OP_SLOT && pi_count(op, o->shape, v) == 0 && s->len == 0)
        s->size = 0;
    return true;
}

static bool take_vec(struct object *o, const struct pd_op *op, struct pd_vec *v)
{
    const struct path path = {o->path, op->name, 0};
    const json_t *json = take_key(o, op->name);
    const size_t n = json_array_size(json);
    if (json && !json_is_array(json))
        return wrong(o->p, &path, json, "an array of numbers");
    uint64_t *values = pi_parser_take(o->p, n * sizeof *values);
    for (size_t i = 0; values && i < n; i++) {
        const struct path element = {&path, NULL, i};
        if (!take_number(o->p, &element, json_array_get(json, i), op->set, pi_vec_width(op),
                         op->set->kind == PD_SET_SDEC, &values[i]))
            return false;
    }
    *v = PD_VEC64(values, n);
    return values != NULL;
}

/* An array of the layout's C struct. */
static bool take_list(struct object *o, const struct pd_op *op, struct pd_list *l)
{
    const struct path path = {o->path, op->name, 0};
    const json_t *json = take_key(o, op->name);
    const size_t n = json_array_size(json), size = op->sub()->offset;
    if (json && !json_is_array(json))
        return wrong(o->p, &path, json, "an array of objects");
    uint8_t *elements = n < SIZE_MAX / size ? pi_parser_take(o->p, n * size) : NULL;
    for (size_t i = 0; elements && i < n; i++) {
        const struct path element = {&path, NULL, i};
        if (!take_part(o, &element, json_array_get(json, i), op->sub(), elements + i * size))
            return false;
    }
    *l = (struct pd_list){
        .ptr = elements, .n = n, .stride = (uint32_t)size, .form = PD_FORM_STRUCT, .when = UINT32_MAX};
    return elements != NULL;
}

/* ---- Parts of stated size. */

static bool take_attr(const struct object *o, const struct path *path, const json_t *json, uint32_t size,
                      struct pd_attr *attr)
{
    if (!take_part(o, path, json, pi_layout_attr(), attr))
        return false;
    if (!json_object_get(json, "size"))
        attr->size = size ? size : pi_follow_attr_size(attr);
    return true;
}

/* Its size, when not given, is what it takes. */
static bool measure_part(const struct object *o, const struct path *path, const struct pd_op *op, void *v)
{
    const struct pd_bytes none = {NULL, 0};
    const struct pd_op count = {.kind = op->count_width == 2   ? PI_OP_U16
                                        : op->count_width == 4 ? PI_OP_U32
                                                               : PI_OP_U64,
                                .offset = op->count_offset};
    size_t n = 0;
    if (pi_interpret_put_section(op->sub(), o->shape, PD_HOST_ORDER, (uint8_t *)v + op->offset, &none, NULL,
                                 0, &n, NULL) ||
        n + op->arg > all_ones(op->count_width))
        return wrong(o->p, path, json_object_get(o->json, op->name), "what can be encoded in %u bits of size",
                     8 * op->count_width);
    pi_scalar_set(&count, v, n + op->arg);
    return true;
}

static bool take_sized(struct object *o, const struct pd_op *op, void *v)
{
    const struct path path = {o->path, op->name, 0};
    const json_t *json = take_key(o, op->name);
    void *member = (uint8_t *)v + op->offset;
    if (op->sub() == pi_layout_attr())
        return take_attr(o, &path, json, (uint32_t)pi_count(op, o->shape, v), member);
    return take_part(o, &path, json, op->sub(), member) &&
           (has_key(o, op->ref) || measure_part(o, &path, op, v));
}

/* ---- Layouts. */

static bool take_field_of(struct object *o, const struct pd_op *op, void *v)
{
    const struct path path = {o->path, op->name, 0};
    void *member = (uint8_t *)v + op->offset;
    switch (op->kind) {
    case PI_OP_ARR: return take_array(o, op, member);
    case PI_OP_STR:
    case PI_OP_CSTR:
    case PI_OP_STR64:
    case PI_OP_STRV:
    case PI_OP_STRN:
    case PI_OP_STRMAX:
    case PI_OP_SLOT: return take_str(o, op, v, member);
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_VECR64:
    case PI_OP_GRID64:
    case PI_OP_REGS: return take_vec(o, op, member);
    case PI_OP_REST:
    case PI_OP_BYTES: return take_bytes(o->p, &path, take_key(o, op->name), member);
    case PI_OP_LIST:
    case PI_OP_ITEMS:
    case PI_OP_ITEMSR:
    case PI_OP_MESSAGE: return take_list(o, op, member);
    case PI_OP_SIZED: return take_sized(o, op, v);
    case PI_OP_ATTR: return take_attr(o, &path, take_key(o, op->name), 0, member);
    case PI_OP_SUB: return take_part(o, &path, take_key(o, op->name), op->sub(), member);
    case PI_OP_OPT64: return pi_count(op, o->shape, v) == 0 || take_scalar(o, op, v);
    default: break;
    }
    if (op->kind < PI_OP_GIVEN)
        return take_scalar(o, op, v);
    set_derived(o, op, v);
    return true;
}

static bool take_layout(struct object *o, const struct pd_op *head, void *v)
{
    const uint32_t given = o->shape->given;
    memset(v, 0, head->offset);
    for (const struct pd_op *op = pi_present(head, o->shape, v); op->kind != PI_OP_END;
         op = pi_present(op + 1, o->shape, v))
        if (!take_field_of(o, op, v))
            return false;
    o->shape->given = given;
    return true;
}

/* ---- Features. */

static bool feature_of(struct object *o, struct pd_feature *f)
{
    const struct path rest_path = {o->path, "rest", 0};
    const json_t *rest = take_key(o, "rest");
    f->layout = pi_layout_of_feature(f->id);
    f->raw = (struct pd_bytes){(const uint8_t *)"",
                               0}; /* so that the encoder does not take {} for one to be filled in */
    memset(&f->u, 0, sizeof f->u);
    if (!is_object(o) || !take_bytes(o->p, &rest_path, rest, &f->rest))
        return false;
    if (json_object_size(o->json) == o->taken) {
        f->layout = NULL;
        return true;
    }
    if (f->id == PD_FEAT_CPU_TOPOLOGY && f->nr_cpus_avail == 0)
        f->nr_cpus_avail = (uint32_t)json_array_size(json_object_get(o->json, "cpus"));
    o->shape->given = f->nr_cpus_avail;
    return (!f->layout || take_layout(o, f->layout, &f->u)) &&
           all_taken(o, f->layout, &f->u, (const char *[]){"rest", NULL});
}

static bool take_feature(struct pd_parser *p, const struct path *path, const json_t *json,
                         struct pd_feature *f)
{
    struct pd_shape shape = {.given = f->nr_cpus_avail, .variant = f->variant};
    struct object o = {p, &shape, path, json, 0};
    return feature_of(&o, f);
}

/* The bytes of a feature that a record shows decoded as well. */
static bool feature_bytes(struct pd_parser *p, const struct path *path, const json_t *json,
                          const struct pd_plan *plan, const struct pd_feature *f, struct pd_bytes *b)
{
    struct pd_error error;
    char text[200];
    size_t n = 0;
    uint8_t *bytes = NULL;
    enum pd_code code = pd_feature_encode((enum pd_order)plan->order, f, NULL, 0, &n, &error);
    if (!code && (bytes = pi_parser_take(p, n)) == NULL)
        return false;
    if (!code)
        code = pd_feature_encode((enum pd_order)plan->order, f, bytes, n, &n, &error);
    *b = (struct pd_bytes){bytes, n};
    if (code == PD_OK)
        return true;
    pd_error_text(&error, text, sizeof text);
    return wrong(p, path, json, "what can be encoded: %.100s", text);
}

/* "feature" in a record: makes the bytes, or must agree with those that are given. */
static bool take_inner_feature(struct object *o, const struct pd_plan *plan, const json_t *json, uint32_t id,
                               const struct pd_record *rec, bool given, struct pd_bytes *b)
{
    const struct path path = {o->path, "feature", 0};
    struct pd_feature f = {.id = id, .nr_cpus_avail = rec->nr_cpus_avail};
    struct pd_bytes bytes;
    for (uint8_t variant = 0;;
         variant = PD_VARIANT_NO_PID) { /* the record does not tell which build ids have no pid */
        f.variant = variant;
        const bool ok =
            take_feature(o->p, &path, json, &f) && feature_bytes(o->p, &path, json, plan, &f, &bytes);
        if (ok && (!given || (bytes.n == b->n && (b->n == 0 || memcmp(bytes.ptr, b->ptr, b->n) == 0))))
            break;
        if (id == PD_FEAT_BUILD_ID && given && variant == 0)
            continue;
        return ok ? wrong(o->p, &path, json, "the same as in the record's bytes, which are given as well")
                  : false;
    }
    *b = bytes;
    return true;
}

/* ---- Records. */

static bool take_small(struct object *o, const char *name, const struct pd_set *set, unsigned width,
                       uint64_t *value)
{
    const struct path path = {o->path, name, 0};
    const json_t *json = take_key(o, name);
    return json == NULL || take_number(o->p, &path, json, set, width, false, value);
}

/* The type of the newer records that hold features is that of an old one, too. */
static bool is_old_feature(const struct object *o, uint64_t type)
{
    return has_key(o, "feature") &&
           (type != PD_RECORD_HEADER_FEATURE || (has_key(o, "rest") && !has_key(o, "header_feature")));
}

static bool take_header(struct object *o, struct pd_record *rec)
{
    const struct path type_path = {o->path, "type", 0};
    uint64_t type = 0, misc = 0, size = 0, attr = UINT32_MAX, inner = 0;
    rec->offset = PD_NOWHERE;
    if (!has_key(o, "type"))
        return wrong(o->p, &type_path, NULL, "the type of the record");
    if (!take_small(o, "type", &pd_set_record_type, 4, &type))
        return false;
    const struct pd_op *layout = pi_layout_of((uint32_t)type);
    rec->old_feature = is_old_feature(o, type);
    rec->layout = rec->old_feature ? NULL : layout;
    if (!take_small(o, "misc", rec->layout ? layout->set : &pd_set_DEC, 2, &misc) ||
        !take_small(o, "size", &pd_set_DEC, 2, &size) ||
        !take_small(o, "offset", &pd_set_DEC, 8, &rec->offset) ||
        !take_small(o, "inner_offset", &pd_set_DEC, 8, &inner) ||
        !take_small(o, "attr", &pd_set_DEC, 4, &attr))
        return false;
    rec->type = (uint32_t)type;
    rec->misc = (uint16_t)misc;
    rec->size = (uint16_t)size;
    rec->attr_index = (uint32_t)attr;
    return true;
}

/* A record whose bytes are given, from 8 on. */
static bool take_raw(struct object *o, const struct pd_plan *plan, const json_t *json, struct pd_record *rec)
{
    const struct path path = {o->path, "raw", 0}, size_path = {o->path, "size", 0};
    uint8_t *bytes;
    size_t n;
    if (!take_hex(o->p, &path, json, 8, &bytes, &n))
        return false;
    if (n > UINT16_MAX - 8)
        return wrong(o->p, &path, json, "at most %d bytes", UINT16_MAX - 8);
    if (rec->size && rec->size != n + 8)
        return wrong(o->p, &size_path, json_object_get(o->json, "size"), "%zu, for so many bytes are given",
                     n + 8);
    rec->size = (uint16_t)(n + 8);
    pi_store(bytes, rec->type, 4, (enum pd_order)plan->order);
    pi_store(bytes + 4, rec->misc, 2, (enum pd_order)plan->order);
    pi_store(bytes + 6, rec->size, 2, (enum pd_order)plan->order);
    rec->raw = bytes;
    return true;
}

static bool take_record_feature(struct object *o, const struct pd_plan *plan, struct pd_record *rec)
{
    const json_t *json = take_key(o, "feature");
    if (json == NULL)
        return true;
    if (rec->old_feature)
        return take_inner_feature(o, plan, json, rec->type - PI_OLD_FEATURE, rec, has_key(o, "rest"),
                                  &rec->rest);
    struct pd_header_feature *h = &rec->u.header_feature;
    const bool given = json_object_get(json_object_get(o->json, "header_feature"), "data") != NULL;
    return take_inner_feature(o, plan, json, h->feat_id < 256 ? (uint32_t)h->feat_id : UINT32_MAX, rec, given,
                              &h->data);
}

/* The payload as bytes, which are `given` as well or are to be made. */
static bool offcpu_bytes(struct pd_parser *p, const struct pd_offcpu *offcpu, enum pd_order order,
                         struct pd_bytes *b)
{
    static const struct pd_shape shape;
    static const struct pd_bytes none;
    size_t n = 0;
    if (pi_interpret_put_section(pi_layout_offcpu(), &shape, order, offcpu, &none, NULL, 0, &n, NULL))
        return false;
    uint8_t *bytes = pi_parser_take(p, n);
    *b = (struct pd_bytes){bytes, n};
    return bytes && pi_interpret_put_section(pi_layout_offcpu(), &shape, order, offcpu, &none, bytes, n, &n,
                                             NULL) == PD_OK;
}

/*
 * "offcpu" of a sample: makes its raw data, or must agree with what is given, in either byte order. The
 * kernel pads raw data and its size to 8 bytes.
 */
static bool take_offcpu(struct object *o, const struct pd_plan *plan, struct pd_raw_data *raw)
{
    static const uint8_t zeros[4];
    const struct path path = {o->path, "offcpu", 0};
    const json_t *json = take_key(o, "offcpu");
    const json_t *around = json_object_get(json_object_get(o->json, "sample"), "raw");
    const json_t *data = json_object_get(around, "data");
    const enum pd_order order = (enum pd_order)plan->order;
    struct pd_offcpu offcpu;
    struct pd_bytes bytes = {NULL, 0};
    if (json == NULL)
        return true;
    if (!take_part(o, &path, json, pi_layout_offcpu(), &offcpu))
        return false;
    if (!data && !json_object_get(json, "padding"))
        offcpu.padding = (struct pd_bytes){zeros, sizeof zeros};
    for (int i = 0; i < 2; i++) {
        const enum pd_order tried = i == 0 ? order : order == PD_LITTLE ? PD_BIG : PD_LITTLE;
        if (!offcpu_bytes(o->p, &offcpu, tried, &bytes))
            return wrong(o->p, &path, json, "what can be encoded: as many entries as nr says");
        if (!data || (bytes.n == raw->data.n && memcmp(bytes.ptr, raw->data.ptr, bytes.n) == 0))
            break;
        if (i)
            return wrong(o->p, &path, json, "the same as in the raw data, which is given as well");
    }
    raw->data = bytes;
    if (!json_object_get(around, "size"))
        raw->size = (uint32_t)bytes.n;
    return true;
}

static bool take_values(struct object *o, const struct pd_plan *plan, struct pd_record *rec)
{
    const struct path rest_path = {o->path, "rest", 0}, id_path = {o->path, "sample_id", 0};
    const struct path path = {o->path, rec->layout ? rec->layout->name : NULL, 0};
    if (rec->layout && !take_part(o, &path, take_key(o, rec->layout->name), rec->layout, &rec->u))
        return false;
    if (!take_bytes(o->p, &rest_path, take_key(o, "rest"), &rec->rest) ||
        !take_record_feature(o, plan, rec) ||
        (rec->type == PD_RECORD_SAMPLE && plan->shape.sample_type & PD_SAMPLE_RAW &&
         !take_offcpu(o, plan, &rec->u.sample.raw)))
        return false;
    rec->has_id = pi_has_id(plan, rec->type, rec->variant);
    return !rec->has_id || take_part(o, &id_path, take_key(o, "sample_id"), pi_layout_sample_id(), &rec->id);
}

static bool record_of(struct object *o, const struct pd_plan *plan, struct pd_record *rec)
{
    static const char *const header[] = {"type",         "misc", "size",    "offset",
                                         "inner_offset", "attr", "variant", NULL};
    uint64_t variant;
    if (!is_object(o) || !take_header(o, rec))
        return false;
    variant = pi_usual_variant(plan, rec->type);
    if (!take_small(o, "variant", &pd_set_DEC, 1, &variant))
        return false;
    rec->variant = (uint8_t)variant;
    o->shape->misc = rec->misc;
    o->shape->given = rec->misc;
    o->shape->variant = rec->variant;
    const json_t *raw = take_key(o, "raw");
    if (!(raw ? take_raw(o, plan, raw, rec) : take_values(o, plan, rec)))
        return false;
    const char *known[16] = {"raw"};
    size_t n = 1;
    for (size_t i = 0; header[i]; i++)
        known[n++] = header[i];
    if (!raw && rec->layout)
        known[n++] = rec->layout->name;
    if (!raw && rec->has_id)
        known[n++] = "sample_id";
    if (!raw)
        known[n++] = "rest", known[n++] = "feature", known[n++] = "offcpu";
    return all_taken(o, NULL, NULL, known);
}

/* ---- What programs call. */

enum pd_code pd_parser_open(struct pd_parser **parser, const struct pd_allocator *allocator,
                            struct pd_error *error)
{
    struct pd_parser *p = pi_resize(allocator, NULL, sizeof *p);
    *parser = p;
    if (p == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "parser", 0, sizeof *p);
    *p = (struct pd_parser){.allocator = allocator};
    return PD_OK;
}

void pd_parser_close(struct pd_parser *p)
{
    if (p == NULL)
        return;
    pi_parser_release(p);
    json_decref(p->text);
    pi_release(p->allocator, p);
}

const struct pd_parse_error *pd_parser_error(const struct pd_parser *p)
{
    return &p->error;
}

static const struct path top = {NULL, NULL, 0};

enum pd_code pi_record_from(struct pd_parser *p, const struct pd_plan *plan, const struct json_t *json,
                            struct pd_record *rec)
{
    struct pd_shape shape = plan->shape;
    struct object o = {p, &shape, &top, json, 0};
    const uint32_t nr_cpus_avail = rec->nr_cpus_avail;
    memset(rec, 0, sizeof *rec);
    rec->nr_cpus_avail = nr_cpus_avail;
    rec->plan = plan;
    pi_parser_start(p);
    return result(p, record_of(&o, plan, rec));
}

enum pd_code pi_attr_from(struct pd_parser *p, const struct json_t *json, struct pd_attr *attr)
{
    struct pd_shape shape = {0};
    const struct object o = {p, &shape, &top, NULL, 0};
    pi_parser_start(p);
    return result(p, take_attr(&o, &top, json, 0, attr));
}

enum pd_code pi_feature_from(struct pd_parser *p, const struct json_t *json, struct pd_feature *f)
{
    pi_parser_start(p);
    return result(p, take_feature(p, &top, json, f));
}

static const struct pd_op *find_layout(const char *name)
{
    for (size_t i = 0; i < pi_n_layouts; i++)
        if (strcmp(pi_layouts[i]()->name, name) == 0)
            return pi_layouts[i]();
    return NULL;
}

enum pd_code pi_struct_from(struct pd_parser *p, const char *layout, const struct json_t *json, void *out)
{
    const struct pd_op *head = find_layout(layout);
    struct pd_shape shape = {0};
    const struct object o = {p, &shape, &top, NULL, 0};
    pi_parser_start(p);
    return head ? result(p, take_part(&o, &top, json, head, out)) : PD_EARG;
}

enum pd_code pi_struct_encode(const char *layout, enum pd_order order, const void *value, void *out,
                              size_t cap, size_t *size, struct pd_error *error)
{
    const struct pd_op *head = find_layout(layout);
    const struct pd_shape shape = {0};
    const struct pd_bytes none = {NULL, 0};
    if (head == NULL)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "layout", 0, 0);
    return pi_interpret_put_section(head, &shape, order, value, &none, out, cap, size, error);
}

enum pd_code pi_number_from(struct pd_parser *p, const char *name, const struct json_t *json,
                            const struct pd_set *set, unsigned width, uint64_t *value)
{
    const struct path path = {NULL, name, 0};
    pi_parser_start(p);
    return result(p, take_number(p, &path, json, set, width, set->kind == PD_SET_SDEC, value));
}

enum pd_code pi_bytes_from(struct pd_parser *p, const char *name, const struct json_t *json,
                           struct pd_bytes *bytes)
{
    const struct path path = {NULL, name, 0};
    pi_parser_start(p);
    return result(p, take_bytes(p, &path, json, bytes));
}

/* The text as JSON, until the parser is used again. */
static const json_t *load(struct pd_parser *p, const char *text, size_t n)
{
    json_error_t error;
    json_decref(p->text);
    pi_parser_start(p);
    p->text = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
    if (p->text == NULL)
        wrong(p, &top, NULL, "JSON: %.120s", error.text);
    return p->text;
}

enum pd_code pd_record_parse(struct pd_parser *p, const struct pd_plan *plan, const char *text, size_t n,
                             struct pd_record *rec)
{
    const json_t *json = load(p, text, n);
    return json ? pi_record_from(p, plan, json, rec) : PD_EVALUE;
}

enum pd_code pd_attr_parse(struct pd_parser *p, const char *text, size_t n, struct pd_attr *attr)
{
    const json_t *json = load(p, text, n);
    return json ? pi_attr_from(p, json, attr) : PD_EVALUE;
}

enum pd_code pd_feature_parse_json(struct pd_parser *p, const char *text, size_t n, struct pd_feature *f)
{
    const json_t *json = load(p, text, n);
    return json ? pi_feature_from(p, json, f) : PD_EVALUE;
}
