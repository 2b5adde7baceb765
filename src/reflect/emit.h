/* SPDX-License-Identifier: MIT */
/* emit.h - writing text fast: numbers and bytes straight into a pd_out's buffer where there is room. */
#ifndef PERFDATA_EMIT_H
#define PERFDATA_EMIT_H

#include "src/support/wire.h"
#include <perfdata/session/text.h>
#include <string.h>

/*
 * The number of bytes at the start of a text that pd_out_visible() and pd_out_plain() write as they are:
 * ASCII without control characters and backslashes.
 */
size_t pi_plain_length(const char *text, size_t n);

/* Writes text that does not fit: makes room, or drops it. */
void pi_out_slow(struct pd_out *out, const void *bytes, size_t n);

static inline void pi_emit(struct pd_out *out, const void *bytes, size_t n)
{
    if (n > out->cap - out->n) {
        pi_out_slow(out, bytes, n);
        return;
    }
    if (n)
        memcpy(out->buf + out->n, bytes, n);
    out->n += n;
}

static inline void pi_emit_char(struct pd_out *out, char c)
{
    if (out->n < out->cap)
        out->buf[out->n++] = c;
    else
        pi_out_slow(out, &c, 1);
}

#define PI_EMIT(out_, literal_) pi_emit(out_, literal_, sizeof(literal_) - 1)

static inline void pi_emit_str(struct pd_out *out, const char *s)
{
    pi_emit(out, s, strlen(s));
}

/* All two-digit hexadecimal numbers. */
extern const char pi_hex_pairs[513];

/* The room for the longest number, including bytes written beyond its end before that is known. */
enum { PI_NUMBER_ROOM = 24 };

/*
 * The eight digits of a number below 10^8, each in a byte, the first in the lowest: by halves, four, pairs
 * and ones, all at once. A third of the work of dividing by 100 again and again.
 */
static inline uint64_t pi_dec_digits(uint32_t value)
{
    const uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    const uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f); /* / 100 below 10,000 */
    const uint64_t pairs = hundreds | (fours - 100 * hundreds) << 16;
    const uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0x000f000f000f000f); /* / 10 below 100 */
    return tens | (pairs - 10 * tens) << 8;
}

#define PI_ZEROS UINT64_C(0x3030303030303030)

/* Without leading zeros, of a number below 10^8. */
static inline char *pi_put_small(char *p, uint32_t value)
{
    const uint64_t digits = pi_dec_digits(value);
    const unsigned zeros = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;
    pi_store64((uint8_t *)p, (digits | PI_ZEROS) >> 8 * zeros, PD_LITTLE);
    return p + 8 - zeros;
}

/* The same for four, below 10,000. */
static inline uint32_t pi_four_digits(uint32_t value)
{
    const uint32_t hundreds = value * 10486 >> 20, pairs = hundreds | (value - 100 * hundreds) << 16;
    const uint32_t tens = (pairs * 103 >> 10) & 0x000f000fu;
    return tens | (pairs - 10 * tens) << 8;
}

static inline unsigned pi_zeros_of_four(uint32_t digits)
{
    return (unsigned)__builtin_ctz(digits | 1u << 24) / 8;
}

static inline char *pi_put_four(char *p, uint32_t digits, unsigned zeros)
{
    pi_store32((uint8_t *)p, (digits | (uint32_t)PI_ZEROS) >> 8 * zeros, PD_LITTLE);
    return p + 4 - zeros;
}

static inline char *pi_put_eight(char *p, uint32_t value)
{
    pi_store64((uint8_t *)p, pi_dec_digits(value) | PI_ZEROS, PD_LITTLE);
    return p + 8;
}

/* In decimal, at p, where PI_NUMBER_ROOM bytes are; returns its end. */
static inline char *pi_put_dec(char *p, uint64_t value)
{
    const uint32_t e8 = 100000000;
    if (value < 10000) {
        const uint32_t digits = pi_four_digits((uint32_t)value);
        return pi_put_four(p, digits, pi_zeros_of_four(digits));
    }
    if (value < e8)
        return pi_put_small(p, (uint32_t)value);
    const uint64_t high = value / e8;
    p = high < e8 ? pi_put_small(p, (uint32_t)high)
                  : pi_put_eight(pi_put_small(p, (uint32_t)(high / e8)), (uint32_t)(high % e8));
    return pi_put_eight(p, (uint32_t)(value % e8));
}

static inline char *pi_put_sdec(char *p, uint64_t value)
{
    const bool negative = value >> 63;
    *p = '-';
    return pi_put_dec(p + negative, negative ? ~value + 1 : value);
}

/*
 * Eight digits from 32 bits, all at once: each nibble goes to a byte of its own, those above 9 become
 * letters.
 */
static inline uint64_t pi_hex_digits(uint64_t value)
{
    value = (value << 16 | value) & UINT64_C(0x0000ffff0000ffff);
    value = (value << 8 | value) & UINT64_C(0x00ff00ff00ff00ff);
    value = (value << 4 | value) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    const uint64_t letters = (value + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
    return value + UINT64_C(0x3030303030303030) + letters * ('a' - '0' - 10);
}

/* 0x… without leading zeros. */
static inline char *pi_put_hex(char *p, uint64_t value)
{
    const unsigned n = value ? (unsigned)(67 - __builtin_clzll(value)) / 4 : 1;
    value <<= 64 - 4 * n;
    memcpy(p, "0x", 2);
    pi_store64((uint8_t *)p + 2, pi_hex_digits(value >> 32), PD_BIG);
    pi_store64((uint8_t *)p + 10, pi_hex_digits(value & UINT32_MAX), PD_BIG);
    return p + 2 + n;
}

/* Straight into the buffer, or where there is little room, by way of another. */
#define PI_EMIT_NUMBER(out_, put_, value_)                                             \
    do {                                                                               \
        char digits_[PI_NUMBER_ROOM];                                                  \
        if ((out_)->cap - (out_)->n >= PI_NUMBER_ROOM)                                 \
            (out_)->n = (size_t)(put_((out_)->buf + (out_)->n, value_) - (out_)->buf); \
        else                                                                           \
            pi_emit(out_, digits_, (size_t)(put_(digits_, value_) - digits_));         \
    } while (0)

static inline void pi_emit_dec(struct pd_out *out, uint64_t value)
{
    PI_EMIT_NUMBER(out, pi_put_dec, value);
}

static inline void pi_emit_sdec(struct pd_out *out, uint64_t value)
{
    PI_EMIT_NUMBER(out, pi_put_sdec, value);
}

static inline void pi_emit_hex(struct pd_out *out, uint64_t value)
{
    PI_EMIT_NUMBER(out, pi_put_hex, value);
}

#endif
