/* SPDX-License-Identifier: MIT */
/* gen_limits.c - prints the table of SECURITY.md, from src/support/limits.h. */
#include "gen.h"

#include "src/support/limits.h"
#include <stddef.h>

enum unit { BYTES, COUNT };

static const struct {
    unsigned value;
    enum unit unit;
    const char *bounds, *more, *change;
} rows[] = {
#define ROW(name_, value_, unit_, bounds_, more_, change_) {(value_), unit_, bounds_, more_, change_},
    PI_LIMITS(ROW)
#undef ROW
};

/* 65520 as 65,520. */
static void print_number(FILE *out, unsigned n)
{
    unsigned unit = 1;
    while (n / unit >= 1000)
        unit *= 1000;
    fprintf(out, "%u", n / unit);
    for (; unit > 1; unit /= 1000)
        fprintf(out, ",%03u", n % unit / (unit / 1000));
}

static void print_value(FILE *out, unsigned n, enum unit unit)
{
    static const char *const names[] = {"bytes", "KiB", "MiB", "GiB"};
    size_t i = 0;
    for (; unit == BYTES && n % 1024 == 0; n /= 1024)
        i++;
    print_number(out, n);
    if (unit == BYTES)
        fprintf(out, " %s", names[i]);
}

int gen_limits(FILE *out)
{
    fputs("| bounds | limit | what happens beyond it | where to change it |\n", out);
    fputs("| --- | ---: | --- | --- |\n", out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fprintf(out, "| %s | ", rows[i].bounds);
        print_value(out, rows[i].value, rows[i].unit);
        fprintf(out, " | %s | %s |\n", rows[i].more, rows[i].change);
    }
    return 0;
}
