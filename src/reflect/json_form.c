/* SPDX-License-Identifier: MIT */
/* json_form.c - see json_form.h. */
#define _GNU_SOURCE
#include "emit.h"
#include "json_form.h"
#include "reflect.h"
#include <perfdata/constants.h>

/* Kinds of numbers, as pd_out_json_value() has them, without the quotes, which are in the constant texts. */
enum { DEC32, SDEC32, DEC64, SDEC64, HEX64, OTHER };

enum {
    MORE = 64, /* bytes of a line behind its numbers, and those written beyond the end of a text */
    LONGEST = PI_JSON_HEAD + PI_NUMBER_ROOM +
              PI_JSON_NUMBERS * (sizeof((struct pi_json_number *)0)->before + PI_NUMBER_ROOM) + MORE
};

/* ---- Making a form */

static unsigned kind_of(const struct pd_op *op)
{
    const unsigned width = pi_scalar_width(op);
    if (op->kind == PI_OP_OPT64 || width < 4 || (op->set->kind == PD_SET_HEX && width == 4))
        return OTHER;
    switch (op->set->kind) {
    case PD_SET_DEC: return width == 8 ? DEC64 : DEC32;
    case PD_SET_SDEC: return width == 8 ? SDEC64 : SDEC32;
    case PD_SET_HEX: return HEX64;
    default: return OTHER;
    }
}

/* What is left of a line of zeros. */
struct rest {
    const char *p;
    size_t n;
};

/*
 * Takes the text up to the digits of the zero called `name`, and these; false: there is no such number, or
 * the text is longer than the room for it.
 */
static bool take_number(struct rest *rest, const char *name, unsigned kind, char *text, size_t room,
                        uint8_t *n)
{
    char key[64];
    const char *zero = kind == HEX64 ? "0x0" : "0";
    const bool quoted = kind >= DEC64;
    struct pd_out out = {.buf = key, .cap = sizeof key};
    PI_EMIT(&out, "\"");
    pi_emit_str(&out, name);
    pi_emit_str(&out, quoted ? "\":\"" : "\":");
    const size_t prefix = out.n;
    pi_emit_str(&out, zero);
    if (quoted)
        PI_EMIT(&out, "\"");
    const char *found = out.lost ? NULL : memmem(rest->p, rest->n, key, out.n);
    if (found == NULL || (size_t)(found - rest->p) + prefix > room)
        return false;
    *n = (uint8_t)((size_t)(found - rest->p) + prefix);
    memcpy(text, rest->p, *n);
    rest->n -= *n + strlen(zero);
    rest->p += *n + strlen(zero);
    return true;
}

/* The fields in a line of zeros whose offset has been taken. */
static bool take_fields(struct pi_json_form *form, const struct pd_record *rec, struct rest *rest)
{
    const struct pi_view view = pi_view_of(rec);
    size_t at = sizeof(struct pi_record_header);
    for (const struct pd_op *op = pi_visible(view.layout, &view.shape, &rec->u); op->kind != PI_OP_END;
         op = pi_visible(op + 1, &view.shape, &rec->u)) {
        const unsigned kind = kind_of(op);
        struct pi_json_number *number = &form->number[form->n_numbers];
        if (kind == OTHER || form->n_numbers++ == PI_JSON_NUMBERS ||
            !take_number(rest, op->name, kind, number->before, sizeof number->before, &number->n_before))
            return false;
        number->kind = (uint8_t)kind;
        number->at = (uint16_t)at;
        at += pi_scalar_width(op);
    }
    form->n_end = (uint8_t)rest->n;
    if (at != rec->size || rest->n > sizeof form->end)
        return false;
    memcpy(form->end, rest->p, rest->n);
    return true;
}

/* Of the bits of header.misc, those that samples have are the mode of the cpu, and this one. */
static uint16_t misc_of(unsigned head)
{
    return (uint16_t)((head & 7) | (head & 8 ? PD_MISC_EXACT_IP : 0));
}

static unsigned head_of(uint16_t misc)
{
    const unsigned head = (misc & 7) | (misc & PD_MISC_EXACT_IP ? 8 : 0);
    return misc_of(head) == misc ? head : PI_JSON_HEADS;
}

static bool take_line(struct pi_json_form *form, struct pd_record *zero, unsigned head, pi_json_line *line)
{
    char text[LONGEST];
    struct pd_out out = {.buf = text, .cap = sizeof text};
    zero->misc = misc_of(head);
    line(zero, PD_JSON_OFFSET | PD_JSON_ATTR, &out);
    struct rest rest = {text, out.n};
    if (out.lost || !take_number(&rest, "offset", DEC64, form->head[head], PI_JSON_HEAD, &form->n_head[head]))
        return false;
    form->n_numbers = 0;
    return take_fields(form, zero, &rest);
}

bool pi_json_form_of(struct pi_json_form *form, const struct pd_record *rec, pi_json_line *line)
{
    struct pd_record zero = *rec;
    memset(form, 0, sizeof *form);
    if (rec->type != PD_RECORD_SAMPLE || !rec->decoded || !rec->plan || rec->plan->offcpu || rec->variant ||
        rec->depth || rec->old_feature || rec->rest.n)
        return false;
    memset(&zero.u.sample, 0, sizeof zero.u.sample);
    zero.offset = 0;
    for (unsigned head = 0; head < PI_JSON_HEADS; head++)
        if (!take_line(form, &zero, head, line))
            return false;
    form->plan = rec->plan;
    form->size = rec->size;
    return true;
}

/* ---- Filling it in */

__attribute__((always_inline)) static inline char *put_number(char *p, const struct pi_json_number *number,
                                                              const uint8_t *raw, enum pd_order order)
{
    memcpy(p, number->before, sizeof number->before);
    p += number->n_before;
    raw += number->at;
    switch (number->kind) {
    case DEC32: return pi_put_dec(p, pi_load32(raw, order));
    case SDEC32: return pi_put_sdec(p, (uint64_t)(int64_t)(int32_t)pi_load32(raw, order));
    case DEC64: return pi_put_dec(p, pi_load64(raw, order));
    case SDEC64: return pi_put_sdec(p, pi_load64(raw, order));
    default: return pi_put_hex(p, pi_load64(raw, order));
    }
}

__attribute__((always_inline)) static inline char *put_numbers(char *p, const struct pi_json_form *form,
                                                               const uint8_t *raw, enum pd_order order)
{
    for (unsigned i = 0; i < form->n_numbers; i++)
        p = put_number(p, &form->number[i], raw, order);
    return p;
}

bool pi_json_form_put(const struct pi_json_form *form, const struct pd_record *rec, struct pd_out *out)
{
    const unsigned head = head_of(rec->misc);
    if (rec->size != form->size || rec->plan != form->plan || rec->type != PD_RECORD_SAMPLE || rec->depth ||
        rec->old_feature || head == PI_JSON_HEADS)
        return false;
    if (out->cap - out->n < LONGEST &&
        (!out->more || !out->more(out, LONGEST) || out->cap - out->n < LONGEST))
        return false;
    char *p = out->buf + out->n;
    memcpy(p, form->head[head], PI_JSON_HEAD);
    p = pi_put_dec(p + form->n_head[head], rec->offset);
    p = rec->plan->order == PD_HOST_ORDER ? put_numbers(p, form, rec->raw, PD_HOST_ORDER)
        : PD_HOST_ORDER == PD_LITTLE      ? put_numbers(p, form, rec->raw, PD_BIG)
                                          : put_numbers(p, form, rec->raw, PD_LITTLE);
    memcpy(p, form->end, sizeof form->end);
    out->n = (size_t)(p + form->n_end - out->buf);
    return true;
}
