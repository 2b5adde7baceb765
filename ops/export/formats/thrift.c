/* SPDX-License-Identifier: MIT */
/* thrift.c - see thrift.h. */
#include "thrift.h"

static void put_byte(struct pd_out *out, unsigned byte)
{
    const uint8_t b = (uint8_t)byte;
    pd_out_bytes(out, &b, 1);
}

static void put_varint(struct pd_out *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put_byte(out, (unsigned)(value & 0x7f) | 0x80);
    put_byte(out, (unsigned)value);
}

/* Small numbers of both signs are small: 0, -1, 1, -2, … */
PI_WRAPS static uint64_t zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static void put_text(struct pd_out *out, const struct pd_str *text)
{
    put_varint(out, text->len);
    pd_out_bytes(out, text->ptr, text->len);
}

static void put_value(struct pd_out *out, unsigned kind, const struct pi_thrift_field *of, const void *value)
{
    switch (kind) {
    case PI_THRIFT_I8: put_byte(out, (unsigned)(*(const int64_t *)value & 0xff)); break;
    case PI_THRIFT_BINARY: put_text(out, value); break;
    case PI_THRIFT_STRUCT: pi_thrift_put(out, of, value); break;
    default: put_varint(out, zigzag(*(const int64_t *)value));
    }
}

static void put_list(struct pd_out *out, const struct pi_thrift_field *f, const struct pi_thrift_list *list)
{
    put_byte(out, (unsigned)(list->n < 15 ? list->n << 4 : 0xf0) | f->element);
    if (list->n >= 15)
        put_varint(out, list->n);
    if (list->are_written)
        pd_out_bytes(out, list->all, list->width);
    for (size_t i = 0; !list->are_written && i < list->n; i++)
        put_value(out, f->element, f->of, (const char *)list->all + i * list->width);
}

static bool is_there(const struct pi_thrift_field *f, const void *member)
{
    switch (f->kind) {
    case PI_THRIFT_BINARY: return ((const struct pd_str *)member)->ptr;
    case PI_THRIFT_LIST: return ((const struct pi_thrift_list *)member)->all;
    case PI_THRIFT_STRUCT: return *(const void *const *)member;
    default: return *(const int64_t *)member != PI_THRIFT_NONE;
    }
}

/* The type of a field, which of a boolean is its value. */
static unsigned type_of(const struct pi_thrift_field *f, const void *member)
{
    return f->kind != PI_THRIFT_BOOL ? f->kind : *(const int64_t *)member ? 1 : 2;
}

void pi_thrift_put(struct pd_out *out, const struct pi_thrift_field *fields, const void *value)
{
    unsigned last = 0;
    for (const struct pi_thrift_field *f = fields; f->id; f++) {
        const void *member = (const char *)value + f->at;
        if (!is_there(f, member))
            continue;
        put_byte(out, (f->id - last) << 4 | type_of(f, member));
        last = f->id;
        if (f->kind == PI_THRIFT_LIST)
            put_list(out, f, member);
        else if (f->kind == PI_THRIFT_STRUCT)
            pi_thrift_put(out, f->of, *(const void *const *)member);
        else if (f->kind != PI_THRIFT_BOOL)
            put_value(out, f->kind, f->of, member);
    }
    put_byte(out, 0);
}
