/* SPDX-License-Identifier: MIT */
/* nearest.c - distances of words: letters to insert, drop, replace or exchange with the next; and choices. */
#include "nearest.h"
#include "messages.h"
#include "cli/lib/print.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 63 /* letters that are looked at */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static char lower_case(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool differ(char a, char b)
{
    return lower_case(a) != lower_case(b);
}

static size_t measure(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            row[j] = least(least(row[j - 1], above[j]) + 1, above[j - 1] + differ(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

void cli_nearest_start(struct cli_nearest *n, const char *word)
{
    const size_t size = strnlen(word, LONGEST), third = (size + 2) / 3;
    *n = (struct cli_nearest){.word = word, .distance = (third < 3 ? third : 3) + 1};
}

void cli_nearest_try(struct cli_nearest *n, const char *candidate)
{
    const size_t a = strnlen(n->word, LONGEST + 1), b = strnlen(candidate, LONGEST + 1);
    if (a > LONGEST || b > LONGEST)
        return;
    const size_t distance = measure(n->word, a, candidate, b);
    const bool same = distance == n->distance && *n->best && strcmp(candidate, n->best) < 0;
    if (distance >= n->distance && !same) /* of several the first, whatever the order they come in */
        return;
    n->distance = distance;
    memcpy(n->best, candidate, b + 1);
}

const char *cli_nearest_text(const struct cli_nearest *n)
{
    static char text[96];
    if (!*n->best)
        return "";
    snprintf(text, sizeof text, "; did you mean \"%s\"?", n->best);
    return text;
}

/* ---- Choices */

static const char *name_at(const void *table, size_t i, size_t stride)
{
    return *(const char *const *)(const void *)((const char *)table + i * stride);
}

bool cli_no_word(struct cli *cli, const char *option, const char *word, size_t n, const void *table,
                 size_t size, size_t stride)
{
    char all[1536], given[LONGEST + 1];
    struct pd_out out = {.buf = all, .cap = sizeof all - 1};
    struct cli_nearest nearest;
    snprintf(given, sizeof given, "%.*s", (int)(n < LONGEST ? n : LONGEST), word);
    cli_nearest_start(&nearest, given);
    for (size_t i = 0; i < size; i++) {
        const char *name = name_at(table, i, stride);
        if (name == NULL)
            continue;
        pd_out_str(&out, out.n ? ", " : "");
        pd_out_str(&out, name);
        cli_nearest_try(&nearest, name);
    }
    all[out.n < sizeof all ? out.n : sizeof all - 1] = 0;
    cli_fail(cli, CLI_USAGE, "%s: there is no \"%s\", but %s%s", option, given, all,
             cli_nearest_text(&nearest));
    return false;
}

int cli_find_word(struct cli *cli, const char *option, const char *word, size_t n, const void *table,
                  size_t size, size_t stride)
{
    for (size_t i = 0; i < size; i++) {
        const char *name = name_at(table, i, stride);
        if (name && strlen(name) == n && memcmp(name, word, n) == 0)
            return (int)i;
    }
    cli_no_word(cli, option, word, n, table, size, stride);
    return -1;
}
