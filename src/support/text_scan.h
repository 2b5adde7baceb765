/* SPDX-License-Identifier: MIT */
/* text_scan.h - shared by names, events and registers: building a text and splitting one. */
#ifndef PERFDATA_WORDS_H
#define PERFDATA_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- Building: counts everything, keeps what fits. */

struct pi_text {
    char *buf;
    size_t cap; /* with the NUL; may be 0 */
    size_t len;
};

static inline void pi_text_bytes(struct pi_text *t, const char *s, size_t n)
{
    if (t->len + 1 < t->cap) {
        const size_t room = t->cap - 1 - t->len;
        memcpy(t->buf + t->len, s, n < room ? n : room);
    }
    t->len += n;
}

static inline void pi_text_str(struct pi_text *t, const char *s)
{
    pi_text_bytes(t, s, strlen(s));
}

/* In decimal, or in hexadecimal without 0x. */
static inline void pi_text_number(struct pi_text *t, uint64_t value, unsigned base)
{
    char digits[20];
    size_t i = sizeof digits;

    do {
        digits[--i] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    pi_text_bytes(t, digits + i, sizeof digits - i);
}

static inline void pi_text_hex(struct pi_text *t, uint64_t value)
{
    pi_text_bytes(t, "0x", 2);
    pi_text_number(t, value, 16);
}

/* Two hexadecimal digits for each of n bytes, no NUL. */
static inline void pi_put_hex_bytes(char *to, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        to[2 * i] = digits[bytes[i] >> 4];
        to[2 * i + 1] = digits[bytes[i] & 15];
    }
}

/* Ends the text and returns its whole length. */
static inline size_t pi_text_close(struct pi_text *t)
{
    if (t->cap)
        t->buf[t->len < t->cap ? t->len : t->cap - 1] = '\0';
    return t->len;
}

/* ---- Cutting up. */

/* A part of the text that is parsed; ptr is NULL when nothing is left. */
struct pi_slice {
    const char *ptr;
    size_t len;
};

static inline char pi_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Compares without case, in no locale. */
static inline bool pi_slice_is(struct pi_slice p, const char *name)
{
    size_t i = 0;

    while (i < p.len && name[i] && pi_lower(name[i]) == pi_lower(p.ptr[i]))
        i++;
    return i == p.len && name[i] == '\0';
}

/* Cuts `prefix` off, compared without case. */
static inline bool pi_slice_skip(struct pi_slice *p, const char *prefix)
{
    const size_t n = strlen(prefix);

    if (p->len < n || !pi_slice_is((struct pi_slice){p->ptr, n}, prefix))
        return false;
    p->ptr += n;
    p->len -= n;
    return true;
}

/*
 * Cuts off the item before the next separator, or all when there is none. False when nothing was left: an
 * empty item, as between two separators or behind the last, is for the caller to refuse.
 */
static inline bool pi_slice_next(struct pi_slice *rest, char separator, struct pi_slice *item)
{
    if (!rest->ptr)
        return false;
    const char *end = rest->len ? memchr(rest->ptr, separator, rest->len) : NULL;
    *item = *rest;
    if (!end) {
        *rest = (struct pi_slice){NULL, 0};
        return true;
    }
    item->len = (size_t)(end - rest->ptr);
    rest->ptr = end + 1;
    rest->len -= item->len + 1;
    return true;
}

/* The value of a hexadecimal digit, which is no capital; 16: it is none. */
static inline unsigned pi_lower_digit(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

/* The same, also of capitals. */
static inline unsigned pi_digit(char c)
{
    const unsigned digit = pi_lower_digit(c);
    return digit == 16 && c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : digit;
}

/* The digits of a number of at most `limit`, without sign or 0x. */
static inline bool pi_slice_digits(struct pi_slice p, unsigned base, uint64_t limit, uint64_t *value)
{
    uint64_t v = 0;

    for (size_t i = 0; i < p.len; i++) {
        const unsigned d = pi_digit(p.ptr[i]);
        if (d >= base || d > limit || v > (limit - d) / base)
            return false;
        v = v * base + d;
    }
    *value = v;
    return p.len > 0;
}

/* A decimal or 0x… number of at most `limit`. */
static inline bool pi_slice_number(struct pi_slice p, uint64_t limit, uint64_t *value)
{
    const bool hex = pi_slice_skip(&p, "0x");

    return pi_slice_digits(p, hex ? 16 : 10, limit, value);
}

#endif
