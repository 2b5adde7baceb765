/* SPDX-License-Identifier: MIT */
/* out.c - the buffer that text goes to, and the forms of single values. */
#include "emit.h"
#include "src/support/wrap.h"
#include <stdio.h>
#include "reflect.h"
#include "command_text.h"
#include <perfdata/names.h>
#include <stdlib.h>

#define D0(t_) t_ "0" t_ "1" t_ "2" t_ "3" t_ "4" t_ "5" t_ "6" t_ "7" t_ "8" t_ "9"
#define X0(t_) D0(t_) t_ "a" t_ "b" t_ "c" t_ "d" t_ "e" t_ "f"
const char pi_hex_pairs[513] = X0("0") X0("1") X0("2") X0("3") X0("4") X0("5") X0("6") X0("7") X0("8") X0("9")
    X0("a") X0("b") X0("c") X0("d") X0("e") X0("f");

static size_t room(const struct pd_out *out)
{
    return out->cap - out->n;
}

void pi_out_slow(struct pd_out *out, const void *bytes, size_t n)
{
    const char *p = bytes;
    while (n > room(out)) {
        const size_t k = room(out);
        if (k)
            memcpy(out->buf + out->n, p, k);
        out->n += k;
        p += k;
        n -= k;
        /* After a loss all further text is dropped, so that the text is cut at its end and has no holes. */
        if (out->lost || !out->more || !out->more(out, n) || room(out) == 0) {
            out->lost += n;
            out->cap = out->n;
            return;
        }
    }
    memcpy(out->buf + out->n, p, n);
    out->n += n;
}

bool pd_out_grow(struct pd_out *out, size_t want)
{
    const struct pd_allocator *a = out->user;
    const size_t least = out->n + want, twice = 2 * out->cap;
    const size_t size = least > twice ? least + 256 : twice;
    if (size <= out->cap)
        return false;
    char *buf = a ? a->resize(a->user, out->buf, size) : realloc(out->buf, size);
    if (!buf)
        return false;
    out->buf = buf;
    out->cap = size;
    return true;
}

void pd_out_bytes(struct pd_out *out, const void *bytes, size_t n)
{
    pi_emit(out, bytes, n);
}

void pd_out_str(struct pd_out *out, const char *s)
{
    pi_emit_str(out, s);
}

void pd_out_dec(struct pd_out *out, uint64_t value)
{
    pi_emit_dec(out, value);
}

__attribute__((noinline)) static char *put_many_columns(char *p, uint64_t value, unsigned width, char fill)
{
    char *const end = pi_put_dec(p, value);
    const size_t n = (size_t)(end - p);
    if (n >= width)
        return end;
    memmove(p + (width - n), p, n);
    memset(p, fill, width - n);
    return p + width;
}

char *pi_put_columns(char *p, uint64_t value, unsigned width, char fill)
{
    const uint64_t fills = (uint8_t)fill * UINT64_C(0x0101010101010101);
    unsigned n, zeros;
    if (value >= 100000000 || width > 16)
        return put_many_columns(p, value, width, fill);
    memcpy(p, &fills, 8); /* there need be no loop */
    memcpy(p + 8, &fills, 8);
    if (value < 10000) {
        const uint32_t digits = pi_four_digits((uint32_t)value);
        zeros = pi_zeros_of_four(digits);
        n = 4 - zeros;
        return pi_put_four(p + (n < width ? width - n : 0), digits, zeros);
    }
    const uint64_t digits = pi_dec_digits((uint32_t)value);
    zeros = (unsigned)__builtin_ctzll(digits) / 8;
    n = 8 - zeros;
    p += n < width ? width - n : 0;
    pi_store64((uint8_t *)p, (digits | PI_ZEROS) >> 8 * zeros, PD_LITTLE);
    return p + n;
}

void pd_out_sdec(struct pd_out *out, int64_t value)
{
    pi_emit_sdec(out, (uint64_t)value);
}

void pd_out_hex(struct pd_out *out, uint64_t value)
{
    pi_emit_hex(out, value);
}

/*
 * A word of which only the first field is set, as cpumode in header.misc: a quarter of the work of
 * emit_names().
 */
static bool emit_first(struct pd_out *out, const struct pd_set *set, uint64_t value)
{
    const struct pd_name *first = set->names;
    if (set->kind != PD_SET_BITS || value & ~first->value || first->set->kind != PD_SET_ENUM)
        return false;
    const char *name = pd_set_name(first->set, value >> first->lo);
    if (name == NULL)
        return false;
    pi_emit_str(out, first->name);
    pi_emit_char(out, '=');
    pi_emit_str(out, name);
    return true;
}

/* The names of a word, or nothing when they are too long for the space here, which none of the schema's are.
 */
static bool emit_names(struct pd_out *out, const struct pd_set *set, uint64_t value)
{
    char text[1024];
    const size_t n = pd_set_format(set, value, text, sizeof text);
    if (n >= sizeof text)
        return false;
    pi_emit(out, text, n);
    return true;
}

static void emit_double(struct pd_out *out, uint64_t bits)
{
    char text[32];
    double value;
    memcpy(&value, &bits, sizeof value);
    snprintf(text, sizeof text, "%.17g", value);
    pi_emit_str(out, text);
}

void pd_out_value(struct pd_out *out, const struct pd_set *set, uint64_t value)
{
    const char *name;
    switch (set->kind) {
    case PD_SET_DEC: pi_emit_dec(out, value); break;
    case PD_SET_SDEC: pi_emit_sdec(out, value); break;
    case PD_SET_HEX:
        if (set == &pd_set_F64)
            emit_double(out, value);
        else
            pi_emit_hex(out, value);
        break;
    case PD_SET_ENUM:
        if ((name = pd_set_name(set, value)))
            pi_emit_str(out, name);
        else if (set->bits > 32)
            pi_emit_hex(out, value);
        else if (value > UINT32_MAX)
            pi_emit_sdec(out, value); /* of a signed field */
        else
            pi_emit_dec(out, value);
        break;
    default:
        if (value == 0)
            pi_emit_char(out, '0');
        else if (!emit_first(out, set, value) && !emit_names(out, set, value))
            pi_emit_hex(out, value);
        break;
    }
}

typedef uint8_t sixteen __attribute__((vector_size(16)));

/* By its address: how such a vector is passed depends on the machine. */
static void make_hex_digits(sixteen *nibbles)
{
    *nibbles = *nibbles + '0' + ((sixteen)(*nibbles > 9) & ('a' - '0' - 10));
}

/* The digits of sixteen bytes. */
static void put_hex_sixteen(char *digits, const uint8_t *bytes)
{
    sixteen v;
    memcpy(&v, bytes, sizeof v);
    sixteen high = v >> 4, low = v & 15;
    make_hex_digits(&high);
    make_hex_digits(&low);
    const sixteen front =
        __builtin_shufflevector(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const sixteen back =
        __builtin_shufflevector(high, low, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    memcpy(digits, &front, sizeof front);
    memcpy(digits + sizeof front, &back, sizeof back);
}

/* Two digits for each of k bytes. */
static void put_hex_bytes(char *digits, const uint8_t *p, size_t k)
{
    size_t i = 0;
    for (; k - i >= 16; i += 16)
        put_hex_sixteen(digits + 2 * i, p + i);
    for (; k - i >= 4; i += 4)
        pi_store64((uint8_t *)digits + 2 * i, pi_hex_digits(pi_load32(p + i, PD_BIG)), PD_BIG);
    for (; i < k; i++)
        memcpy(digits + 2 * i, pi_hex_pairs + 2 * p[i], 2);
}

void pd_out_hex_bytes(struct pd_out *out, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    if (n && n <= (out->cap - out->n) / 2) {
        put_hex_bytes(out->buf + out->n, p, n);
        out->n += 2 * n;
        return;
    }
    while (n) {
        char digits[256];
        const size_t k = n < sizeof digits / 2 ? n : sizeof digits / 2;
        put_hex_bytes(digits, p, k);
        pi_emit(out, digits, 2 * k);
        p += k;
        n -= k;
    }
}

/* ---- Text. */

/* Bytes of the UTF-8 character at p, which has n bytes and begins with one above 0x7f; 0: it is none. */
static size_t utf8_length(const uint8_t *p, size_t n)
{
    const uint8_t lead = p[0];
    const size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead < 0xc2 || lead > 0xf4 || length > n)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    /* Not the long form of a character, not a surrogate, not beyond the last character. */
    if ((lead == 0xe0 && p[1] < 0xa0) || (lead == 0xed && p[1] > 0x9f) || (lead == 0xf0 && p[1] < 0x90) ||
        (lead == 0xf4 && p[1] > 0x8f))
        return 0;
    return length;
}

static bool is_utf8(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        const size_t length = p[i] < 0x80 ? 1 : utf8_length(p + i, n - i);
        if (length == 0)
            return false;
        i += length;
    }
    return true;
}

/*
 * The character at p, which is one of UTF-8 above 0x7f, if it can change what a reader sees of others; else
 * 0. U+0080 to U+009F control a terminal, marks and overrides of direction (Bidi_Control of Unicode) put text
 * in another order, and U+2028 and U+2029 end lines.
 */
static unsigned unsafe_character(const uint8_t *p)
{
    /* A bit for each of U+2000 to U+203F and of U+2040 to U+207F: U+200E, U+200F, U+2028…; U+2066… */
    static const uint64_t unsafe[] = {UINT64_C(3) << 0x0e | UINT64_C(0x7f) << 0x28, UINT64_C(0xf) << 0x26};
    if (p[0] == 0xc2 && p[1] < 0xa0)
        return p[1];
    if (p[0] == 0xd8 && p[1] == 0x9c)
        return 0x61c;
    if (p[0] != 0xe2 || p[1] > 0x81)
        return 0;
    const unsigned second = p[1] & 1, third = p[2] & 0x3f;
    return unsafe[second] >> third & 1 ? 0x2000 + 0x40 * second + third : 0;
}

/* Bytes of the character at p; 0: it is none, or a control character, or an unsafe one. */
static size_t visible_length(const uint8_t *p, size_t n)
{
    if (*p < 0x80)
        return *p >= ' ' && *p != 0x7f;
    const size_t length = utf8_length(p, n);
    return length && unsafe_character(p) ? 0 : length;
}

/* True if none of 8 bytes is a control character, a backslash, or above 0x7e. */
PI_WRAPS static bool are_plain(uint64_t bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = 0x80 * ones;
    const uint64_t del = bytes ^ 0x7f * ones, backslash = bytes ^ '\\' * ones;
    const uint64_t low = (bytes - ' ' * ones) | (del - ones) | (backslash - ones);
    return ((bytes | low) & highs) == 0;
}

size_t pi_plain_length(const char *text, size_t n)
{
    const uint8_t *p = (const uint8_t *)text;
    uint64_t bytes;
    size_t i = 0;
    for (; n - i >= sizeof bytes; i += sizeof bytes) {
        memcpy(&bytes, p + i, sizeof bytes);
        if (!are_plain(bytes))
            break;
    }
    while (i < n && p[i] >= ' ' && p[i] < 0x7f && p[i] != '\\')
        i++;
    return i;
}

/* The text written for each backslash: "\\" or "\". */
static void emit_visible(struct pd_out *out, const char *text, size_t n, bool twice)
{
    const uint8_t *p = (const uint8_t *)text;
    for (size_t i = 0; i < n;) {
        const size_t plain = pi_plain_length(text + i, n - i);
        pi_emit(out, p + i, plain);
        if ((i += plain) == n)
            break;
        const size_t length = visible_length(p + i, n - i);
        if (length == 0) {
            PI_EMIT(out, "\\x");
            pi_emit(out, pi_hex_pairs + 2 * p[i], 2);
        } else {
            if (p[i] == '\\' && twice)
                pi_emit_char(out, '\\');
            pi_emit(out, p + i, length);
        }
        i += length ? length : 1;
    }
}

void pd_out_plain(struct pd_out *out, const char *text, size_t n)
{
    emit_visible(out, text, n, true);
}

void pd_out_visible(struct pd_out *out, const char *text, size_t n)
{
    emit_visible(out, text, n, false);
}

static void emit_escape(struct pd_out *out, unsigned c)
{
    if (c == '"' || c == '\\') {
        const char escape[] = {'\\', (char)c};
        pi_emit(out, escape, 2);
    } else {
        PI_EMIT(out, "\\u");
        pi_emit(out, pi_hex_pairs + 2 * (c >> 8), 2);
        pi_emit(out, pi_hex_pairs + 2 * (c & 0xff), 2);
    }
}

void pd_out_json_text(struct pd_out *out, const char *text, size_t n)
{
    const uint8_t *p = (const uint8_t *)text;
    if (!is_utf8(p, n)) {
        PI_EMIT(out, "{\"hex\":\"");
        pd_out_hex_bytes(out, p, n);
        PI_EMIT(out, "\"}");
        return;
    }
    pi_emit_char(out, '"');
    size_t from = 0;
    for (size_t i = 0; i < n; i++) {
        const bool plain = p[i] >= ' ' && p[i] != '"' && p[i] != '\\' && p[i] != 0x7f;
        const unsigned high = p[i] > 0xc1 ? unsafe_character(p + i) : 0;
        if (plain && !high)
            continue;
        pi_emit(out, p + from, i - from);
        emit_escape(out, high ? high : p[i]);
        i += high ? utf8_length(p + i, n - i) - 1 : 0;
        from = i + 1;
    }
    pi_emit(out, p + from, n - from);
    pi_emit_char(out, '"');
}

/* ---- JSON numbers: those of 64 bits are strings, because many readers keep only 53. */

static void json_dec(struct pd_out *out, uint64_t value, unsigned width, bool is_signed)
{
    if (width > 4)
        pi_emit_char(out, '"');
    if (is_signed)
        pi_emit_sdec(out, value);
    else
        pi_emit_dec(out, value);
    if (width > 4)
        pi_emit_char(out, '"');
}

static void json_hex(struct pd_out *out, uint64_t value, unsigned width)
{
    if (width <= 4) {
        pi_emit_dec(out, value);
        return;
    }
    pi_emit_char(out, '"');
    pi_emit_hex(out, value);
    pi_emit_char(out, '"');
}

static void json_enum(struct pd_out *out, const struct pd_set *set, uint64_t value, unsigned width)
{
    const char *name = pd_set_name(set, value);
    if (name) {
        pi_emit_char(out, '"');
        pi_emit_str(out, name);
        pi_emit_char(out, '"');
    } else if (width > 4) {
        json_hex(out, value, width);
    } else {
        json_dec(out, value, width, value > UINT32_MAX);
    }
}

/* Names only if all bits have one. */
static void json_word(struct pd_out *out, const struct pd_set *set, uint64_t value, unsigned width)
{
    if (value == 0 || value & ~pi_set_mask(set)) {
        json_hex(out, value, width);
        return;
    }
    pi_emit_char(out, '"');
    if (!emit_first(out, set, value) && !emit_names(out, set, value))
        pi_emit_hex(out, value);
    pi_emit_char(out, '"');
}

void pd_out_json_value(struct pd_out *out, const struct pd_set *set, uint64_t value, unsigned width)
{
    switch (set->kind) {
    case PD_SET_DEC: json_dec(out, value, width, false); break;
    case PD_SET_SDEC: json_dec(out, value, width, true); break;
    case PD_SET_HEX: json_hex(out, value, width); break;
    case PD_SET_ENUM: json_enum(out, set, value, width); break;
    default: json_word(out, set, value, width); break;
    }
}
