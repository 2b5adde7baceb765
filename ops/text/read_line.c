/* SPDX-License-Identifier: MIT */
/*
 * read_line.c - records from the lines that `perfdata decode` prints, straight from their text. Of the 25,000
 * instructions that the line of a plain sample takes by way of libjansson and the tables, 800 are left.
 */
#include "parse_json.h"
#include "parser.h"
#include "src/codec/variant.h"
#include "src/reflect/straight.h"
#include "src/schema/schema.h"
#include "src/support/limits.h"
#include <string.h>

/* The text that is still to be read. */
struct line {
    struct pd_parser *p;
    const char *at, *end;
};

/*@ predicate is_line(struct line *t) = \valid(t) && \base_addr(t->at) == \base_addr(t->end) &&
  @     0 <= t->end - t->at <= 65536 && \valid_read(t->at + (0 .. t->end - t->at - 1)) &&
  @     \separated(t, t->at + (0 .. t->end - t->at - 1));
  @ predicate is_parsed(struct line *t) = is_line(t) && \valid(t->p) &&
  @     \separated(t, t->p, t->at + (0 .. t->end - t->at - 1));
  @*/

/* ---- Characters. */

/*@ requires is_line(t) && \valid_read(text + (0 .. n - 1)) && 0 < n <= 4096;
  @ assigns t->at;
  @ ensures is_line(t) && t->end == \old(t->end);
  @ ensures \result ==> t->at == \old(t->at) + n;
  @ ensures !\result ==> t->at == \old(t->at);
  @*/
__attribute__((always_inline)) static inline bool take_exactly(struct line *t, const char *text, size_t n)
{
    if ((size_t)(t->end - t->at) < n || memcmp(t->at, text, n) != 0)
        return false;
    t->at += n;
    return true;
}
#define TAKE(t_, literal_) take_exactly(t_, literal_, sizeof(literal_) - 1)

/*@ requires is_line(t);
  @ assigns t->at;
  @ ensures is_line(t) && t->end == \old(t->end);
  @ ensures \result ==> t->at == \old(t->at) + 1;
  @ ensures !\result ==> t->at == \old(t->at);
  @*/
static inline bool take_char(struct line *t, char c)
{
    if (t->at == t->end || *t->at != c)
        return false;
    t->at++;
    return true;
}

/* `key` is ,"name": of n bytes, whose comma is a brace where it begins an object: *first. */
/*@ requires is_line(t) && \valid(first) && \valid_read(key + (0 .. n - 1)) && 1 < n <= 4096;
  @ requires \separated(t, first);
  @ assigns t->at, *first;
  @ ensures is_line(t) && t->end == \old(t->end) && 0 <= t->at - \old(t->at);
  @*/
__attribute__((always_inline)) static inline bool take_key(struct line *t, char *first, const char *key,
                                                           size_t n)
{
    if (!take_char(t, *first))
        return false;
    *first = ',';
    return take_exactly(t, key + 1, n - 1);
}

/* The same for a key that may be missing: then nothing is read. */
/*@ requires is_line(t) && \valid(first) && \valid_read(key + (0 .. n - 1)) && 1 < n <= 4096;
  @ requires \separated(t, first);
  @ assigns t->at, *first;
  @ ensures is_line(t) && t->end == \old(t->end) && 0 <= t->at - \old(t->at);
  @ ensures !\result ==> t->at == \old(t->at);
  @*/
static inline bool has_key(struct line *t, char *first, const char *key, size_t n)
{
    const struct line before = *t;
    char c = *first;
    if (take_key(t, &c, key, n)) {
        *first = c;
        return true;
    }
    t->at = before.at;
    return false;
}

/*@ requires is_line(t);
  @ assigns t->at;
  @ ensures is_line(t) && t->end == \old(t->end) && 0 <= t->at - \old(t->at);
  @*/
static inline bool take_end(struct line *t, char first)
{
    return (first == ',' || take_char(t, '{')) && take_char(t, '}');
}

/* ---- Numbers. */

/*@ assigns \nothing; */
static inline uint64_t all_ones(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* A number of at most 20 digits that fits in 64 bits, without leading zeros. */
/*@ requires is_line(t) && \valid(value) && \separated(t, value, t->at + (0 .. t->end - t->at - 1));
  @ assigns t->at, *value;
  @ ensures is_line(t) && t->end == \old(t->end);
  @ ensures \result ==> 0 < t->at - \old(t->at) <= 20;
  @ ensures !\result ==> t->at == \old(t->at);
  @*/
static inline bool take_decimal(struct line *t, uint64_t *value)
{
    const char *p = t->at;
    const char *const end = t->end - p > 19 ? p + 19 : t->end;
    uint64_t v = 0;
    /*@ loop invariant \base_addr(p) == \base_addr(t->at) && 0 <= p - t->at && 0 <= end - p;
      @ loop assigns p, v;
      @ loop variant end - p;
      @*/
    for (; p < end && (uint8_t)(*p - '0') < 10; p++)
        v = v * 10 + (uint8_t)(*p - '0');
    if (p == t->at || (*t->at == '0' && p > t->at + 1))
        return false;
    if (p == t->at + 19 && p < t->end && (uint8_t)(*p - '0') < 10 &&
        (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint8_t)(*p++ - '0'), &v)))
        return false;
    t->at = p;
    *value = v;
    return true; /* a further digit fails where the caller reads what follows */
}

/* Values of hexadecimal digits as they are printed, 16 for other characters. */
#define NO 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16
static const uint8_t nibbles[256] = {NO, NO, NO, 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  16, 16, 16,
                                     16, 16, 16, NO, NO, 16, 10, 11, 12, 13, 14, 15, 16, 16, 16, 16,
                                     16, 16, 16, 16, 16, NO, NO, NO, NO, NO, NO, NO, NO, NO};
#undef NO

/*@ requires is_line(t) && \valid(value) && \separated(t, value, t->at + (0 .. t->end - t->at - 1));
  @ assigns t->at, *value;
  @ ensures is_line(t) && t->end == \old(t->end);
  @ ensures 0 <= t->at - \old(t->at) <= 16 && (\result <==> 0 < t->at - \old(t->at));
  @*/
static inline bool take_hex(struct line *t, uint64_t *value)
{
    const char *p = t->at;
    const char *const end = t->end - p > 16 ? p + 16 : t->end;
    uint64_t v = 0;
    uint8_t digit;
    /*@ loop invariant \base_addr(p) == \base_addr(t->at) && 0 <= p - t->at && 0 <= end - p;
      @ loop assigns p, v, digit;
      @ loop variant end - p;
      @*/
    for (; p < end && (digit = nibbles[(uint8_t)*p]) < 16; p++)
        v = v << 4 | digit;
    const bool some = p > t->at;
    t->at = p;
    *value = v;
    return some;
}

/* Text up to its quote, which is passed; NULL: it has escapes, or bytes that need a closer look. */
/*@ requires is_line(t) && \valid(n) && \separated(t, n, t->at + (0 .. t->end - t->at - 1));
  @ assigns t->at, *n, \result \from t->at;
  @ ensures is_line(t) && t->end == \old(t->end);
  @ ensures \result != \null ==> \result == \old(t->at) && t->at == \old(t->at) + *n + 1;
  @ ensures \result != \null ==> \valid_read(\result + (0 .. *n - 1));
  @ ensures \result == \null ==> t->at == \old(t->at);
  @*/
static const char *take_quoted(struct line *t, size_t *n)
{
    const char *const from = t->at;
    /*@ loop invariant \base_addr(p) == \base_addr(from) && 0 <= p - from && 0 <= t->end - p;
      @ loop assigns p;
      @ loop variant t->end - p;
      @*/
    for (const char *p = from; p < t->end; p++) {
        const uint8_t c = (uint8_t)*p;
        if (c == '"') {
            *n = (size_t)(p - from);
            t->at = p + 1;
            return from;
        }
        if (c < ' ' || c == '\\' || c >= 0x7f)
            return NULL;
    }
    return NULL;
}

/* The value of a text; those seen before are remembered. */
/*@ requires is_parsed(t) && \valid(value);
  @ requires apart: \separated(value, t, t->p, t->at + (0 .. t->end - t->at - 1));
  @ assigns t->at, t->p->words[0 .. PI_PARSER_WORDS - 1], *value;
  @ ensures is_parsed(t) && t->end == \old(t->end) && t->p == \old(t->p) && 0 <= t->at - \old(t->at);
  @*/
static bool take_word(struct line *t, const struct pd_set *set, uint64_t *value)
{
    size_t n;
    const char *text = take_quoted(t, &n);
    if (text == NULL || n == 0)
        return false;
    struct pi_parser_word *w = &t->p->words[(n + (uint8_t)text[0] + (uint8_t)text[n - 1]) % PI_PARSER_WORDS];
    //@ assert n <= PI_PARSER_WORD ==> \valid_read((const uint8_t *)w->text + (0 .. n - 1));
    const bool fits = n <= sizeof w->text;
    if (fits && w->set == set && w->n == n && memcmp(w->text, text, n) == 0) {
        *value = w->value;
        return true;
    }
    if (text[0] == '-' || !pd_set_parse(set, text, n, value))
        return false;
    if (fits) {
        *w = (struct pi_parser_word){.set = set, .n = n, .value = *value};
        memcpy(w->text, text, n);
    }
    return true;
}

/* A number without quotes. */
/*@ requires is_line(t) && \valid(value) && \separated(t, value, t->at + (0 .. t->end - t->at - 1));
  @ requires width \in {1, 2, 4, 8};
  @ assigns t->at, *value;
  @ ensures is_line(t) && t->end == \old(t->end) && 0 <= t->at - \old(t->at);
  @ ensures \result ==> 0 < t->at - \old(t->at);
  @*/
static inline bool take_bare(struct line *t, unsigned width, bool is_signed, uint64_t *value)
{
    const bool negative = is_signed && take_char(t, '-');
    if (!take_decimal(t, value) || *value > all_ones(8 * width - negative) + negative ||
        (negative && *value == 0))
        return false;
    if (negative)
        *value = ~*value + 1;
    return true;
}

/* The number of a field; the kind of its set and its width are constants. */
/*@ requires is_parsed(t) && \valid_read(set) && \valid(value) && width \in {1, 2, 4, 8};
  @ requires apart: \separated(value, t, t->p, t->at + (0 .. t->end - t->at - 1));
  @ assigns t->at, t->p->words[0 .. PI_PARSER_WORDS - 1], *value;
  @ ensures is_parsed(t) && t->end == \old(t->end) && t->p == \old(t->p) && 0 <= t->at - \old(t->at);
  @ ensures \result ==> 0 < t->at - \old(t->at);
  @*/
__attribute__((always_inline)) static inline bool take_number(struct line *t, unsigned kind,
                                                              const struct pd_set *set, unsigned width,
                                                              bool is_signed, uint64_t *value)
{
    if (!take_char(t, '"'))
        return width <= 4 && take_bare(t, width, is_signed, value);
    if (kind != PD_SET_DEC && kind != PD_SET_SDEC && TAKE(t, "0x"))
        return take_hex(t, value) && take_char(t, '"') && *value <= all_ones(8 * width) &&
               *value <= all_ones(set->bits);
    if (width > 4 && (kind == PD_SET_DEC || kind == PD_SET_SDEC)) {
        const bool negative = is_signed && t->at < t->end && *t->at == '-';
        return take_bare(t, width, is_signed, value) && take_char(t, '"') &&
               (negative || *value <= (is_signed ? INT64_MAX : all_ones(set->bits)));
    }
    return kind >= PD_SET_ENUM && take_word(t, set, value) && *value <= all_ones(8 * width);
}

/* ---- Bytes and texts. */

/*@ requires is_line(t) && \valid(bytes + (0 .. n - 1));
  @ requires apart: \separated(t, bytes + (0 .. n - 1), t->at + (0 .. t->end - t->at - 1));
  @ assigns t->at, bytes[0 .. n - 1];
  @ ensures is_line(t) && t->end == \old(t->end) && 0 <= t->at - \old(t->at) <= 2 * n;
  @ ensures \result ==> t->at == \old(t->at) + 2 * n;
  @*/
static bool take_digits(struct line *t, uint8_t *bytes, size_t n)
{
    if ((size_t)(t->end - t->at) / 2 < n)
        return false;
    /*@ loop invariant 0 <= i <= n && t->at == \at(t->at, Pre) + 2 * i;
      @ loop assigns i, t->at, bytes[0 .. n - 1];
      @ loop variant n - i;
      @*/
    for (size_t i = 0; i < n; i++, t->at += 2) {
        const unsigned high = nibbles[(uint8_t)t->at[0]], low = nibbles[(uint8_t)t->at[1]];
        if ((high | low) > 15)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/*@ requires is_line(t) && \valid(bytes + (0 .. n - 1)) && n <= 65536;
  @ requires apart: \separated(t, bytes + (0 .. n - 1), t->at + (0 .. t->end - t->at - 1));
  @ assigns t->at, bytes[0 .. n - 1];
  @ ensures is_line(t) && t->end == \old(t->end) && 0 <= t->at - \old(t->at);
  @*/
static bool take_array(struct line *t, uint8_t *bytes, size_t n)
{
    return take_char(t, '"') && take_digits(t, bytes, n) && take_char(t, '"');
}

/*@ requires is_parsed(t) && \valid(b) && \separated(b, t, t->p, t->at + (0 .. t->end - t->at - 1));
  @ ensures is_line(t) && t->end == \old(t->end) && 0 <= t->at - \old(t->at);
  @*/
static bool take_bytes(struct line *t, struct pd_bytes *b)
{
    const char *quote = take_char(t, '"') ? memchr(t->at, '"', (size_t)(t->end - t->at)) : NULL;
    const size_t n = quote ? (size_t)(quote - t->at) / 2 : 0;
    uint8_t *bytes = quote ? pi_parser_take(t->p, n) : NULL;
    *b = (struct pd_bytes){bytes, n};
    return bytes && take_digits(t, bytes, n) && take_char(t, '"');
}

/*@ requires is_line(t) && \valid(s) && \separated(t, s, t->at + (0 .. t->end - t->at - 1));
  @ assigns t->at, *s;
  @ ensures is_line(t) && t->end == \old(t->end) && 0 <= t->at - \old(t->at);
  @*/
static bool take_string(struct line *t, struct pd_str *s)
{
    size_t n = 0;
    const char *text = take_char(t, '"') ? take_quoted(t, &n) : NULL;
    *s = (struct pd_str){text, n, PD_AUTO};
    return text != NULL;
}

/* ---- Arrays. */

/* Room for all that could follow in a line of PI_LIMIT_QUICK_LINE; only the filled part is kept. */
static void *begin_items(struct line *t, size_t least, size_t size)
{
    const size_t most = (size_t)(t->end - t->at) / least + 1;
    return pi_parser_take(t->p, most * size);
}

static void keep_items(struct line *t, const void *end)
{
    const size_t unused = (size_t)(t->p->at - (const uint8_t *)end) & ~(size_t)7;
    t->p->at -= unused;
    t->p->left += unused;
}

__attribute__((always_inline)) static inline bool
take_vec(struct line *t, unsigned kind, const struct pd_set *set, bool is_signed, struct pd_vec *v)
{
    uint64_t *values = take_char(t, '[') ? begin_items(t, 2, sizeof *values) : NULL;
    size_t n = 0;
    if (values == NULL)
        return false;
    if (!take_char(t, ']')) {
        do {
            if (!take_number(t, kind, set, 8, is_signed, &values[n++]))
                return false;
        } while (take_char(t, ','));
        if (!take_char(t, ']'))
            return false;
    }
    keep_items(t, values + n);
    *v = PD_VEC64(values, n);
    return true;
}

/* A list of structs, which grows as its items are read. */
static bool open_list(struct line *t, size_t size, struct pd_list *l)
{
    void *items = take_char(t, '[') ? begin_items(t, 3, size) : NULL;
    *l = (struct pd_list){.ptr = items, .stride = (uint32_t)size, .form = PD_FORM_STRUCT, .when = UINT32_MAX};
    return items != NULL;
}

static inline bool more_items(const struct line *t, const struct pd_list *l)
{
    return t->at < t->end && *t->at == (l->n ? ',' : '{');
}

static void *next_item(struct line *t, struct pd_list *l)
{
    void *item = (uint8_t *)(uintptr_t)l->ptr + l->n * l->stride;
    t->at += l->n++ != 0;
    memset(item, 0, l->stride);
    return item;
}

static bool close_list(struct line *t, const struct pd_list *l)
{
    keep_items(t, (const uint8_t *)l->ptr + l->n * l->stride);
    return take_char(t, ']');
}

/* ---- Layouts and records. */

#include "read_layout.h"

/* What stands before the payload. */
static bool take_header(struct line *t, struct pd_record *rec)
{
    uint64_t type, misc, size, attr;
    if (!TAKE(t, "{\"record\":{\"type\":\"") || !take_word(t, &pd_set_record_type, &type))
        return false;
    rec->type = (uint32_t)type;
    rec->layout = pi_layout_of(rec->type);
    if (rec->layout == NULL || !TAKE(t, ",\"misc\":") ||
        !take_number(t, PD_SET_BITS, rec->layout->set, 2, false, &misc) || !TAKE(t, ",\"size\":") ||
        !take_bare(t, 2, false, &size) || !TAKE(t, ",\"offset\":\"") || !take_decimal(t, &rec->offset) ||
        !take_char(t, '"'))
        return false;
    attr = UINT32_MAX;
    if (TAKE(t, ",\"attr\":") && !take_bare(t, 4, false, &attr))
        return false;
    rec->misc = (uint16_t)misc;
    rec->size = (uint16_t)size;
    rec->attr_index = (uint32_t)attr;
    return true;
}

bool pi_record_from_line(struct pd_parser *p, const char *text, size_t n,
                         const struct pd_plan *(*plan_of)(const void *user, uint32_t attr), const void *user,
                         struct pd_record *rec)
{
    struct line line = {p, text, text + n}, *const t = &line;
    memset(rec, 0, offsetof(struct pd_record, u));
    if (n > PI_LIMIT_QUICK_LINE || !take_header(t, rec) ||
        (rec->plan = plan_of(user, rec->attr_index)) == NULL)
        return false;
    const struct pd_plan *plan = rec->plan;
    struct pd_shape shape = plan->shape;
    char first = ',';
    rec->variant = pi_usual_variant(plan, rec->type);
    rec->has_id = pi_has_id(plan, rec->type, rec->variant);
    shape.misc = rec->misc;
    shape.given = rec->misc;
    shape.variant = rec->variant;
    pi_parser_start(p);
    return take_payload(t, &shape, rec) &&
           (!rec->has_id ||
            (take_key(t, &first, ",\"sample_id\":", 13) && take_sample_id(t, &shape, &rec->id))) &&
           TAKE(t, "}}") && t->at == t->end;
}
