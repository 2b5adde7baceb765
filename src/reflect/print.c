/* SPDX-License-Identifier: MIT */
/* print.c - records and attrs as text for people, by way of reflection. */
#include "emit.h"
#include "src/schema/options.h"
#include "src/schema/schema.h"
#include "reflect.h"
#include "straight.h"
#include <perfdata/feature.h>
#include <perfdata/session/event.h>
#include <perfdata/session/text.h>

struct printer {
    struct pd_out *out;
    unsigned indent;
    enum pd_arch arch;
    size_t max_bytes;
    bool skip_zero; /* leave fields that are 0 out */
};

static inline enum pd_code make_printer(struct printer *p, const struct pd_print_options *options,
                                        unsigned indent, struct pd_out *out, struct pd_error *error)
{
    struct pd_print_options o;
    const enum pd_code code = PI_TAKE_OPTIONS(pd_print_options, &o, options, error);
    *p = (struct printer){out, indent, o.arch, o.max_bytes ? o.max_bytes : 64, false};
    return code;
}

static void begin_line(const struct printer *p)
{
    for (unsigned i = 0; i < p->indent; i++)
        pi_emit_char(p->out, ' ');
}

/* "name:", with the value's other names, since only the event tells which one applies. */
static void begin_field(const struct printer *p, const struct pd_field *f)
{
    begin_line(p);
    pi_emit_str(p->out, f->name);
    for (const struct pd_op *op = f->op + 1; op->kind == PI_OP_ALIAS; op++) {
        pi_emit_char(p->out, '/');
        pi_emit_str(p->out, op->name);
    }
    pi_emit_char(p->out, ':');
}

/* ---- Bytes. */

static void print_dump_line(const struct printer *p, const uint8_t *bytes, size_t at, size_t n)
{
    begin_line(p);
    for (unsigned shift = 16; shift;) {
        shift -= 8;
        pi_emit(p->out, pi_hex_pairs + 2 * (at >> shift & 0xff), 2);
    }
    pi_emit_char(p->out, ':');
    for (size_t i = 0; i < 16; i++) {
        pi_emit_char(p->out, ' ');
        pi_emit(p->out, i < n ? pi_hex_pairs + 2 * bytes[i] : "  ", 2);
    }
    PI_EMIT(p->out, "  ");
    for (size_t i = 0; i < n; i++)
        pi_emit_char(p->out, bytes[i] >= ' ' && bytes[i] < 0x7f ? (char)bytes[i] : '.');
    pi_emit_char(p->out, '\n');
}

/* The rest of a line that names bytes, and the bytes below it. */
static void print_dump(const struct printer *p, const uint8_t *bytes, size_t n)
{
    const struct printer inner = {p->out, p->indent + 2, p->arch, p->max_bytes, false};
    const size_t shown = n < p->max_bytes ? n : p->max_bytes;
    pi_emit_char(p->out, ' ');
    pi_emit_dec(p->out, n);
    pi_emit_str(p->out, n == 1 ? " byte\n" : " bytes\n");
    for (size_t at = 0; at < shown; at += 16)
        print_dump_line(&inner, bytes + at, at, shown - at < 16 ? shown - at : 16);
    if (shown < n) {
        begin_line(&inner);
        pi_emit_dec(p->out, n - shown);
        PI_EMIT(p->out, " more\n");
    }
}

static void print_text(const struct printer *p, const char *name, const struct pd_op *op,
                       const struct pd_str *s)
{
    pi_emit_char(p->out, ' ');
    pd_out_plain(p->out, s->ptr, s->len);
    pi_emit_char(p->out, '\n');
    if (pi_str_is_plain(op, s))
        return;
    begin_line(p);
    pi_emit_str(p->out, name);
    PI_EMIT(p->out, "_pad: ");
    if (s->ptr)
        pd_out_hex_bytes(p->out, s->ptr + s->len, s->size - s->len);
    pi_emit_char(p->out, '\n');
}

/* ---- Vectors and lists. */

/* "AX: ", or the number of the register where its name is not known; takes its bit off the mask. */
static void print_register(const struct printer *p, uint64_t *mask, uint64_t abi)
{
    const unsigned bit = (unsigned)__builtin_ctzll(*mask);
    const char *name = pd_reg_name_of_abi(p->arch, abi, bit);
    if (name) {
        pi_emit_str(p->out, name);
    } else {
        PI_EMIT(p->out, "reg");
        pi_emit_dec(p->out, bit);
    }
    PI_EMIT(p->out, ": ");
    *mask &= *mask - 1;
}

/* Below it all values of a set are written in hexadecimal. */
static uint64_t hex_below(const struct pd_set *set)
{
    uint64_t least = UINT64_MAX;
    if (set == &pd_set_F64 || (set->kind != PD_SET_HEX && (set->kind != PD_SET_ENUM || set->bits <= 32)))
        return 0;
    for (size_t i = 0; set->kind == PD_SET_ENUM && i < set->n; i++)
        least = set->names[i].value < least ? set->names[i].value : least;
    return least;
}

static void print_one(const struct printer *p, const struct pd_set *set, uint64_t value, uint64_t *mask,
                      uint64_t abi)
{
    begin_line(p);
    if (*mask)
        print_register(p, mask, abi);
    pd_out_value(p->out, set, value);
    pi_emit_char(p->out, '\n');
}

/*
 * `mask`: the registers of `abi` that the numbers are of; 0: they are not. Addresses of call chains go
 * straight into the buffer, which is a third of the work of print_one().
 */
static void print_numbers(const struct printer *p, const struct pd_set *set, const struct pd_vec *vec,
                          uint64_t mask, uint64_t abi)
{
    const struct printer inner = {p->out, p->indent + 2, p->arch, p->max_bytes, false};
    const uint64_t least = mask ? 0 : hex_below(set);
    struct pd_out *const out = p->out;
    pi_emit_char(out, '\n');
    for (size_t i = 0; i < vec->n; i++) {
        const uint64_t value = pd_vec_at(vec, i);
        if (value >= least || inner.indent > 8 || out->cap - out->n < 9 + PI_NUMBER_ROOM) {
            print_one(&inner, set, value, &mask, abi);
            continue;
        }
        char *line = out->buf + out->n;
        memset(line, ' ', 8);
        line = pi_put_hex(line + inner.indent, value);
        *line++ = '\n';
        out->n = (size_t)(line - out->buf);
    }
}

/* Elements of one size have only numbers, and few. */
static void print_line(const struct printer *p, struct pd_fields *it)
{
    struct pd_field f;
    const char *separator = " ";
    while (pd_fields_next(it, &f)) {
        pi_emit_str(p->out, separator);
        pi_emit_str(p->out, f.name);
        pi_emit_char(p->out, ' ');
        if (f.kind == PD_FIELD_NUMBER)
            pd_out_value(p->out, f.set, f.value);
        else if (f.kind == PD_FIELD_ARRAY)
            pd_out_hex_bytes(p->out, f.u.array, f.n);
        separator = ", ";
    }
    pi_emit_char(p->out, '\n');
}

static void print_fields(const struct printer *p, struct pd_fields *it);

/* An element takes a line, or when it may be large a line for each field. */
static void print_element(const struct printer *p, struct pd_fields *it, bool large)
{
    const struct printer inner = {p->out, p->indent + 2, p->arch, p->max_bytes, false};
    if (!large) {
        print_line(p, it);
        return;
    }
    pi_emit_char(p->out, '\n');
    print_fields(&inner, it);
}

static void print_list(const struct printer *p, const struct pd_fields *it, const struct pd_field *f)
{
    const struct printer inner = {p->out, p->indent + 2, p->arch, p->max_bytes, false};
    struct pd_fields element;
    pi_emit_char(p->out, '\n');
    for (size_t i = 0; pd_fields_element(&element, it, f, i); i++) {
        begin_line(&inner);
        pi_emit_dec(p->out, i);
        pi_emit_char(p->out, ':');
        print_element(&inner, &element, f->u.list->varying);
    }
}

/* ---- Fields. */

static void print_part(const struct printer *p, const struct pd_fields *it, const struct pd_field *f)
{
    const bool attr = f->op->sub() == pi_layout_attr();
    const struct printer inner = {p->out, p->indent + 2, p->arch, p->max_bytes, p->skip_zero || attr};
    struct pd_fields part;
    pi_emit_char(p->out, '\n');
    pd_fields_enter(&part, it, f);
    print_fields(&inner, &part);
}

static void print_field(const struct printer *p, const struct pd_fields *it, const struct pd_field *f)
{
    begin_field(p, f);
    switch (f->kind) {
    case PD_FIELD_NUMBER:
        pi_emit_char(p->out, ' ');
        pd_out_value(p->out, f->set, f->value);
        pi_emit_char(p->out, '\n');
        break;
    case PD_FIELD_ARRAY:
        pi_emit_char(p->out, ' ');
        pd_out_hex_bytes(p->out, f->u.array, f->n);
        pi_emit_char(p->out, '\n');
        break;
    case PD_FIELD_STRING: print_text(p, f->name, f->op, f->u.str); break;
    case PD_FIELD_VECTOR: print_numbers(p, f->set, f->u.vec, f->registers, f->abi); break;
    case PD_FIELD_BYTES: print_dump(p, f->u.bytes->ptr, f->n); break;
    case PD_FIELD_LIST: print_list(p, it, f); break;
    case PD_FIELD_PART: print_part(p, it, f); break;
    }
}

static bool is_zero(const struct pd_field *f)
{
    return f->kind == PD_FIELD_NUMBER ? f->value == 0 : f->kind == PD_FIELD_BYTES && f->n == 0;
}

static void print_fields(const struct printer *p, struct pd_fields *it)
{
    struct pd_field f;
    while (pd_fields_next(it, &f)) {
        if (f.u.ptr && !(p->skip_zero && is_zero(&f)))
            print_field(p, it, &f);
    }
}

enum pd_code pd_fields_print(struct pd_fields *it, const struct pd_print_options *options, unsigned indent,
                             struct pd_out *out, struct pd_error *error)
{
    struct printer p;
    const enum pd_code code = make_printer(&p, options, indent, out, error);
    if (!code)
        print_fields(&p, it);
    return code;
}

enum pd_code pd_feature_print(const struct pd_feature *f, const struct pd_print_options *options,
                              unsigned indent, struct pd_out *out, struct pd_error *error)
{
    struct pd_fields it;
    pd_fields_of_feature(&it, f);
    return pd_fields_print(&it, options, indent, out, error);
}

/* ---- Records and attrs. */

#include "print_layout.h"

static void print_header(const struct pd_record *rec, const struct pi_view *view, struct pd_out *out)
{
    const char *type = pi_type_name(rec->type);
    pi_emit_hex(out, rec->offset);
    if (rec->depth) {
        pi_emit_char(out, '+');
        pi_emit_hex(out, rec->inner_offset);
    }
    PI_EMIT(out, " [");
    pi_emit_hex(out, rec->size);
    PI_EMIT(out, "]: ");
    if (type) {
        pi_emit_str(out, type);
    } else {
        PI_EMIT(out, "type ");
        pi_emit_dec(out, rec->type);
    }
    if (rec->misc) {
        pi_emit_char(out, ' ');
        pd_out_value(out, view->layout ? view->layout->set : &pd_set_HEX, rec->misc);
    }
    pi_emit_char(out, '\n');
}

enum pd_code pd_record_print(const struct pd_record *rec, const struct pd_print_options *options,
                             struct pd_out *out, struct pd_error *error)
{
    const struct pi_view view = pi_view_of(rec);
    struct printer p;
    struct pd_fields it;
    struct pd_feature feature;
    const enum pd_code code = make_printer(&p, options, 2, out, error);
    if (code)
        return code;
    print_header(rec, &view, out);
    if (view.open && pd_feature_of_record(rec, &feature)) {
        PI_EMIT(out, "  feature: ");
        pi_emit_str(out, pd_feature_name(feature.id));
        pi_emit_char(out, '\n');
        pd_feature_print(&feature, options, 4, out, error);
    } else if (view.open) {
        if (!print_straight(&p, rec, &view)) {
            pd_fields_of_record(&it, rec);
            print_fields(&p, &it);
        }
    } else {
        PI_EMIT(out, "  raw:");
        print_dump(&p, rec->raw + 8, rec->size > 8 ? rec->size - 8u : 0);
    }
    return PD_OK;
}

enum pd_code pd_attr_print(const struct pd_attr *attr, const struct pd_print_options *options,
                           struct pd_out *out, struct pd_error *error)
{
    struct printer p;
    struct pd_fields it;
    const enum pd_code code = make_printer(&p, options, 2, out, error);
    if (code)
        return code;
    char event[128]; /* longer than any name pd_event_format() makes */
    pd_event_format(attr->type, attr->config, attr->bp_addr, attr->bp_type, attr->bp_len, event,
                    sizeof event);
    PI_EMIT(out, "attr: ");
    pi_emit_str(out, event);
    pi_emit_char(out, '\n');
    p.skip_zero = true;
    pd_fields_of_attr(&it, attr);
    print_fields(&p, &it);
    return PD_OK;
}
