/* SPDX-License-Identifier: MIT */
/* text_scan.h - shared by names, events and registers: building a text and splitting one. */
#ifndef PERFDATA_WORDS_H
#define PERFDATA_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- Building: counts everything, keeps what fits. */

struct pd_text {
    char *buf;
    size_t cap; /* with the NUL; may be 0 */
    size_t len;
};

static inline void pd_text_bytes(struct pd_text *t, const char *s, size_t n)
{
    if (t->len + 1 < t->cap) {
        const size_t room = t->cap - 1 - t->len;
        memcpy(t->buf + t->len, s, n < room ? n : room);
    }
    t->len += n;
}

static inline void pd_text_str(struct pd_text *t, const char *s)
{
    pd_text_bytes(t, s, strlen(s));
}

/* In decimal, or in hexadecimal without 0x. */
static inline void pd_text_number(struct pd_text *t, uint64_t value, unsigned base)
{
    char digits[20];
    size_t i = sizeof digits;

    do {
        digits[--i] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    pd_text_bytes(t, digits + i, sizeof digits - i);
}

static inline void pd_text_hex(struct pd_text *t, uint64_t value)
{
    pd_text_bytes(t, "0x", 2);
    pd_text_number(t, value, 16);
}

/* Ends the text and returns its whole length. */
static inline size_t pd_text_close(struct pd_text *t)
{
    if (t->cap)
        t->buf[t->len < t->cap ? t->len : t->cap - 1] = '\0';
    return t->len;
}

/* ---- Cutting up. */

/* A part of the text that is parsed; ptr is NULL when nothing is left. */
struct pd_slice {
    const char *ptr;
    size_t len;
};

static inline char pd_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Compares without case, in no locale. */
static inline bool pd_slice_is(struct pd_slice p, const char *name)
{
    size_t i = 0;

    while (i < p.len && name[i] && pd_lower(name[i]) == pd_lower(p.ptr[i]))
        i++;
    return i == p.len && name[i] == '\0';
}

/* Cuts `prefix` off, compared without case. */
static inline bool pd_slice_skip(struct pd_slice *p, const char *prefix)
{
    const size_t n = strlen(prefix);

    if (p->len < n || !pd_slice_is((struct pd_slice){p->ptr, n}, prefix))
        return false;
    p->ptr += n;
    p->len -= n;
    return true;
}

/*
 * Cuts off the item before the next separator, or all when there is none. False when nothing was left: an
 * empty item, as between two separators or behind the last, is for the caller to refuse.
 */
static inline bool pd_slice_next(struct pd_slice *rest, char separator, struct pd_slice *item)
{
    if (!rest->ptr)
        return false;
    const char *end = rest->len ? memchr(rest->ptr, separator, rest->len) : NULL;
    *item = *rest;
    if (!end) {
        *rest = (struct pd_slice){NULL, 0};
        return true;
    }
    item->len = (size_t)(end - rest->ptr);
    rest->ptr = end + 1;
    rest->len -= item->len + 1;
    return true;
}

static inline unsigned pd_digit(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    c = pd_lower(c);
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

/* The digits of a number of at most `limit`, without sign or 0x. */
static inline bool pd_slice_digits(struct pd_slice p, unsigned base, uint64_t limit, uint64_t *value)
{
    uint64_t v = 0;

    for (size_t i = 0; i < p.len; i++) {
        const unsigned d = pd_digit(p.ptr[i]);
        if (d >= base || d > limit || v > (limit - d) / base)
            return false;
        v = v * base + d;
    }
    *value = v;
    return p.len > 0;
}

/* A decimal or 0x… number of at most `limit`. */
static inline bool pd_slice_number(struct pd_slice p, uint64_t limit, uint64_t *value)
{
    const bool hex = pd_slice_skip(&p, "0x");

    return pd_slice_digits(p, hex ? 16 : 10, limit, value);
}

#endif
