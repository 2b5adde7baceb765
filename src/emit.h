/* SPDX-License-Identifier: MIT */
/* emit.h - writing text fast: numbers and bytes straight into a pd_out's buffer where there is room. */
#ifndef PERFDATA_EMIT_H
#define PERFDATA_EMIT_H

#include <perfdata/text.h>
#include <string.h>

/* Writes what does not fit: asks for room, or drops. */
void pd_out_slow(struct pd_out *out, const void *bytes, size_t n);

static inline void pd_emit(struct pd_out *out, const void *bytes, size_t n)
{
    if (n > out->cap - out->n) {
        pd_out_slow(out, bytes, n);
        return;
    }
    if (n)
        memcpy(out->buf + out->n, bytes, n);
    out->n += n;
}

static inline void pd_emit_char(struct pd_out *out, char c)
{
    if (out->n < out->cap)
        out->buf[out->n++] = c;
    else
        pd_out_slow(out, &c, 1);
}

#define PD_EMIT(out_, literal_) pd_emit(out_, literal_, sizeof(literal_) - 1)

static inline void pd_emit_str(struct pd_out *out, const char *s)
{
    pd_emit(out, s, strlen(s));
}

/* All two-digit numbers, decimal and hexadecimal. */
extern const char pd_decimal_pairs[201];
extern const char pd_hex_pairs[513];

/* A number can take 20 characters: it is made at the end of them and then moved to its place. */
enum { PD_NUMBER_ROOM = 20 };

static inline void pd_emit_dec(struct pd_out *out, uint64_t value)
{
    char digits[PD_NUMBER_ROOM];
    char *p = digits + sizeof digits;
    while (value >= 100) {
        p -= 2;
        memcpy(p, pd_decimal_pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        p -= 2;
        memcpy(p, pd_decimal_pairs + 2 * value, 2);
    } else {
        *--p = (char)('0' + value);
    }
    pd_emit(out, p, (size_t)(digits + sizeof digits - p));
}

static inline void pd_emit_sdec(struct pd_out *out, uint64_t value)
{
    const bool negative = value >> 63;
    if (negative)
        pd_emit_char(out, '-');
    pd_emit_dec(out, negative ? ~value + 1 : value);
}

/* 0x… without leading zeros. */
static inline void pd_emit_hex(struct pd_out *out, uint64_t value)
{
    char digits[18] = "0x";
    const unsigned n = value ? (unsigned)(67 - __builtin_clzll(value)) / 4 : 1;
    value <<= 64 - 4 * n;
    for (unsigned i = 0; i < n; i += 2) {
        memcpy(digits + 2 + i, pd_hex_pairs + 2 * (value >> 56), 2);
        value <<= 8;
    }
    pd_emit(out, digits, 2 + n);
}

#endif
