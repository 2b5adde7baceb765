/* SPDX-License-Identifier: MIT */
/* json_plain.c - JSON without anything unusual. */
#include "json_plain.h"
#include "src/support/limits.h"
#include <stdint.h>

#define MOST_DIGITS 18 /* fit 64 bits */

struct plain {
    const char *p, *end;
};

static json_t *take_value(struct plain *s, unsigned depth);

static int skip(struct plain *s, char c)
{
    if (s->p == s->end || *s->p != c)
        return 0;
    s->p++;
    return 1;
}

/* Behind the opening quote; the closing one is passed. */
static const char *take_text(struct plain *s, size_t *n)
{
    const char *start = s->p;
    while (s->p < s->end && *s->p != '"') {
        const unsigned char c = (unsigned char)*s->p;
        if (c < ' ' || c >= 0x7f || c == '\\')
            return NULL;
        s->p++;
    }
    *n = (size_t)(s->p - start);
    return skip(s, '"') ? start : NULL;
}

static json_t *take_number(struct plain *s)
{
    const int negative = skip(s, '-');
    const char *start = s->p;
    json_int_t value = 0;
    while (s->p < s->end && *s->p >= '0' && *s->p <= '9' && s->p - start < MOST_DIGITS)
        value = value * 10 + (*s->p++ - '0');
    if (s->p == start || s->p == s->end || (*start == '0' && (negative || s->p - start > 1)))
        return NULL;
    return json_integer(negative ? -value : value); /* the caller checks what may follow a number */
}

static json_t *take_object(struct plain *s, unsigned depth)
{
    json_t *object = json_object();
    size_t members = 0, n;
    if (skip(s, '}'))
        return object;
    do {
        const char *key = skip(s, '"') ? take_text(s, &n) : NULL;
        json_t *value = key && skip(s, ':') ? take_value(s, depth) : NULL;
        if (json_object_setn_new_nocheck(object, key ? key : "", key ? n : 0, value)) {
            json_decref(object);
            return NULL;
        }
        members++;
    } while (skip(s, ','));
    if (skip(s, '}') && json_object_size(object) == members)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *take_array(struct plain *s, unsigned depth)
{
    json_t *array = json_array();
    if (skip(s, ']'))
        return array;
    do {
        if (json_array_append_new(array, take_value(s, depth))) { /* also of NULL */
            json_decref(array);
            return NULL;
        }
    } while (skip(s, ','));
    if (skip(s, ']'))
        return array;
    json_decref(array);
    return NULL;
}

static json_t *take_value(struct plain *s, unsigned depth)
{
    size_t n;
    if (depth == PI_LIMIT_PLAIN_DEPTH)
        return NULL;
    if (skip(s, '"')) {
        const char *text = take_text(s, &n);
        return text ? json_stringn_nocheck(text, n) : NULL;
    }
    if (skip(s, '{'))
        return take_object(s, depth + 1);
    return skip(s, '[') ? take_array(s, depth + 1) : take_number(s);
}

json_t *json_plain(const char *text, size_t n)
{
    struct plain s = {text, text + n};
    json_t *object = n && *text == '{' ? take_value(&s, 0) : NULL;
    if (s.p == s.end)
        return object;
    json_decref(object);
    return NULL;
}
