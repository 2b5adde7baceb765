/* SPDX-License-Identifier: MIT */
/* time_ranges.c - ranges of time as text, in perf's syntax and with its rounding. */
#include "filter.h"
#include "src/support/scale.h"
#include <string.h>

#define NANOSECONDS UINT64_C(1000000000)

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_spaces(const char *s)
{
    while (is_space(*s))
        s++;
    return s;
}

/* Reads decimal digits; false: too many for 64 bits. */
static bool take_number(const char **s, uint64_t *value)
{
    for (*value = 0; is_digit(**s); (*s)++)
        if (__builtin_mul_overflow(*value, UINT64_C(10), value) ||
            __builtin_add_overflow(*value, (uint64_t)(**s - '0'), value))
            return false;
    return true;
}

/* Units with the decimals that they may have. */
static const struct unit {
    const char *name;
    uint64_t factor;
    unsigned decimals;
} units[] = {{"", NANOSECONDS, 9}, {"s", NANOSECONDS, 9},      {"ms", 1000000, 6},          {"us", 1000, 3},
             {"ns", 1, 0},         {"m", 60 * NANOSECONDS, 9}, {"h", 3600 * NANOSECONDS, 9}};

static const struct unit *find_unit(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == n && memcmp(units[i].name, name, n) == 0)
            return &units[i];
    return NULL;
}

/* The digits behind a point, in billionths. */
static bool take_decimals(const char **s, const char *end, uint64_t *billionths, unsigned *decimals)
{
    const char *digits = *s;
    while (*s < end && is_digit(**s))
        ++*s;
    *decimals = (unsigned)(*s - digits);
    if (*s - digits > 9)
        return false;
    *billionths = 0;
    for (unsigned i = 0; i < 9; i++)
        *billionths = *billionths * 10 + (i < *decimals ? (uint64_t)(digits[i] - '0') : 0);
    return true;
}

bool pd_time_value(const char *s, size_t n, uint64_t *time)
{
    const char *end = s + n;
    uint64_t whole = 0, billionths = 0;
    unsigned decimals = 0;
    for (; s < end && is_digit(*s); s++)
        if (__builtin_mul_overflow(whole, UINT64_C(10), &whole) ||
            __builtin_add_overflow(whole, (uint64_t)(*s - '0'), &whole))
            return false;
    if (s < end && *s == '.' && (s++, !take_decimals(&s, end, &billionths, &decimals)))
        return false;
    const struct unit *unit = find_unit(s, (size_t)(end - s));
    if (unit == NULL || decimals > unit->decimals)
        return false;
    billionths = pi_scale(unit->factor, billionths, NANOSECONDS, NULL);
    return !__builtin_mul_overflow(whole, unit->factor, &whole) &&
           !__builtin_add_overflow(whole, billionths, time);
}

/* All of [s, end): a time, or behind a `+` the time since the first sample; nothing at all is 0. */
static bool parse_time(const char *s, const char *end, uint64_t first, uint64_t *time)
{
    if (s == end || *s != '+')
        return pd_time_value(s, (size_t)(end - s), time);
    return end - s > 1 && pd_time_value(s + 1, (size_t)(end - s) - 1, time) &&
           !__builtin_add_overflow(*time, first, time);
}

/* "START,STOP" at the start of *s, up to a space or the end. */
static bool parse_range(const char **s, uint64_t first, struct pd_time_range *range)
{
    const char *comma = *s, *end;
    while (*comma && *comma != ',' && !is_space(*comma))
        comma++;
    if (*comma != ',')
        return false;
    const char *stop = skip_spaces(comma + 1);
    for (end = stop; *end && *end != ',' && !is_space(*end);)
        end++;
    if (*end == ',' || !parse_time(*s, comma, first, &range->start) ||
        !parse_time(stop, end, first, &range->end))
        return false;
    *s = end;
    return range->end == 0 || range->end >= range->start;
}

static bool parse_ranges(const char *s, uint64_t first, struct pd_time_range *ranges, size_t *n)
{
    for (s = skip_spaces(s), *n = 0; *s || *n == 0; s = skip_spaces(s)) {
        if (!parse_range(&s, first, &ranges[*n]))
            return false;
        if (*n && ranges[*n - 1].end >= ranges[*n].start)
            return false;
        ++*n;
    }
    return true;
}

/* "12.5%" as a fraction: correctly rounded, whatever the locale, since both numbers below are exact. */
static bool parse_percent(const char **s, double *fraction)
{
    uint64_t digits = 0, scale = 1;
    bool any = false, point = false;
    for (*s = skip_spaces(*s); is_digit(**s) || (**s == '.' && !point); ++*s) {
        if (**s == '.') {
            point = true;
            continue;
        }
        if (digits > UINT64_C(100000000000000) || scale > UINT64_C(100000000000000))
            return false;
        digits = digits * 10 + (uint64_t)(**s - '0');
        scale *= point ? 10 : 1;
        any = true;
    }
    if (!any || **s != '%')
        return false;
    ++*s;
    *fraction = (double)digits / (double)scale / 100.0;
    return true;
}

/* Half is rounded up; x is not negative. From 2^53 on all numbers are whole. */
static double rounded(double x)
{
    if (x >= 0x1p53)
        return x;
    const double whole = (double)(uint64_t)x;
    return x - whole >= 0.5 ? whole + 1 : whole;
}

/* perf adds in floating point, so with times since 1970 the result is a multiple of 256 ns. */
static uint64_t add_part(uint64_t first, double nanoseconds)
{
    const double sum = (double)first + nanoseconds;
    return sum >= 0x1p64 ? UINT64_MAX : (uint64_t)sum;
}

static bool set_part(double from, double to, uint64_t first, uint64_t last, struct pd_time_range *range)
{
    const double total = (double)(last - first);
    if (from < 0 || from > 1 || to < 0 || to > 1)
        return false;
    range->start = add_part(first, rounded(from * total));
    range->end = add_part(first, rounded(to * total));
    if (range->end > range->start && range->end != last)
        range->end--;
    return true;
}

/* One of "10%/2" and "0%-10%"; `separator` tells which. */
static bool parse_part(const char **s, char separator, uint64_t first, uint64_t last,
                       struct pd_time_range *range)
{
    double a, b;
    uint64_t i;
    if (!parse_percent(s, &a) || *(*s)++ != separator)
        return false;
    if (separator == '-')
        return parse_percent(s, &b) && set_part(a, b, first, last, range);
    if (!is_digit(**s) || !take_number(s, &i) || i == 0 || i > INT32_MAX || a <= 0)
        return false;
    return set_part(a * (double)(i - 1), a * (double)i, first, last, range);
}

static bool parse_relative(const char *s, uint64_t first, uint64_t last, struct pd_time_range *ranges,
                           size_t *n)
{
    const char separator = strchr(s, '/') ? '/' : '-';
    double part;
    *n = 0;
    if (strchr(s, separator) == NULL) {
        *n = 1;
        return parse_percent(&s, &part) && *s == 0 && part > 0 && set_part(0, part, first, last, ranges);
    }
    do {
        if (!parse_part(&s, separator, first, last, &ranges[*n]))
            return false;
        ++*n;
    } while (*s == ',' && *++s);
    return *s == 0;
}

size_t pd_time_count(const char *text)
{
    size_t n = 1;
    for (; *text; text++)
        n += *text == ',';
    return n;
}

bool pd_time_is_relative(const char *text)
{
    return strpbrk(text, "%+") != NULL;
}

bool pd_time_parse(const char *text, uint64_t first, uint64_t last, struct pd_time_range *ranges, size_t *n)
{
    if (strchr(text, '%'))
        return first <= last && parse_relative(text, first, last, ranges, n);
    return parse_ranges(text, first, ranges, n);
}

bool pd_time_match(const struct pd_time_range *ranges, size_t n, uint64_t time)
{
    return pi_time_in(ranges, n, time);
}
