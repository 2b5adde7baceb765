/* SPDX-License-Identifier: MIT */
/* gen_format_man.c - prints docs/man/perfdata.5: docs/FORMAT.md as a manual page, line by line. */
#include "gen.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = ".\\\" SPDX-License-Identifier: MIT\n"
                           ".\\\" Generated from src/schema/ by `perfdata_gen format-man`; do not edit.\n"
                           ".TH PERFDATA 5 \"\" \"perfdata\" \"File Formats\"\n"
                           ".SH NAME\n"
                           "perfdata \\- the format of Linux perf's recordings, perf.data\n"
                           ".ad l\n"
                           ".SH DESCRIPTION\n";
static const char tail[] = ".SH \"SEE ALSO\"\n"
                           ".BR perfdata (1),\n"
                           ".BR perfdata (3),\n"
                           ".BR perf_event_open (2),\n"
                           ".BR perf\\-record (1)\n";

/* The length of "[text](target)" at s; *text is that of the text. 0: it is not a link. */
static size_t link_at(const char *s, size_t *text)
{
    const char *close = *s == '[' ? strchr(s, ']') : NULL;
    const char *end = close && close[1] == '(' && close[2] == '#' ? strchr(close, ')') : NULL;
    *text = close ? (size_t)(close - s) - 1 : 0;
    return end ? (size_t)(end - s) + 1 : 0;
}

/* Prints Markdown text without its marks, and escapes characters that are special to roff. */
static void put_text(FILE *out, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t text;
        const size_t link = link_at(s + i, &text);
        if (link && i + link <= n) {
            put_text(out, s + i + 1, text);
            i += link - 1;
        } else if (s[i] == '\\' && s[i + 1] == '|') {
            continue;
        } else if (s[i] == '\\' || s[i] == '-') {
            fputs(s[i] == '-' ? "\\-" : "\\e", out);
        } else if (s[i] != '`' &&
                   !(s[i] == '*' && (i == 0 || i + 1 == n || s[i - 1] != ' ' || s[i + 1] != ' '))) {
            fputc(s[i], out);
        }
    }
}

/* The next cell of a row: up to the next bar that is not escaped. */
static const char *cell_end(const char *s)
{
    while (*s && !(*s == '|' && s[-1] != '\\'))
        s++;
    return s;
}

#define MOST_CELLS 8

struct cell {
    const char *text;
    size_t n;
};

static size_t take_cells(const char *row, struct cell cells[MOST_CELLS])
{
    size_t n = 0;
    for (const char *s = row + 1, *end; *s && n < MOST_CELLS; s = *end ? end + 1 : end) {
        end = cell_end(s);
        const char *first = s + strspn(s, " "), *last = end;
        if (*end == '\0')
            break; /* behind the last bar */
        while (last > first && last[-1] == ' ')
            last--;
        cells[n++] = (struct cell){first, last > first ? (size_t)(last - first) : 0};
    }
    return n;
}

/*
 * A row as a paragraph: tables of six columns do not fit on 80. The tag is the first cell, of a table of
 * fields the offset; then come the others, "when" with its word, and the last one behind a colon.
 */
static void put_row(FILE *out, const char *row, const struct cell *heads, size_t n_heads)
{
    struct cell cells[MOST_CELLS];
    const size_t n = take_cells(row, cells);
    const bool fields = n_heads && heads[0].n == 6 && memcmp(heads[0].text, "offset", 6) == 0;
    fprintf(out, ".TP %d\n", fields ? 5 : 8);
    fputs("\\&", out);
    put_text(out, cells[0].text, cells[0].n);
    fputs("\n\\&", out);
    bool any = false;
    for (size_t i = 1; i + 1 < n; i++) {
        const bool when = i < n_heads && heads[i].n == 4 && memcmp(heads[i].text, "when", 4) == 0;
        const bool name = fields && heads[i].n == 4 && memcmp(heads[i].text, "name", 4) == 0;
        if (cells[i].n == 0)
            continue;
        fputs(any ? ", " : "", out);
        fputs(when ? "when " : name ? "\\fB" : "", out);
        put_text(out, cells[i].text, cells[i].n);
        fputs(name ? "\\fR" : "", out);
        any = true;
    }
    fputs(any && cells[n - 1].n ? ": " : "", out);
    if (n > 1)
        put_text(out, cells[n - 1].text, cells[n - 1].n);
    fputc('\n', out);
}

/* `heads` are the cells of the first row of the table that the line may be in; their text stays. */
static void put_line(FILE *out, const char *line, bool *in_table, struct cell *heads, size_t *n_heads)
{
    const size_t n = strlen(line);
    const bool row = *line == '|';
    if (row && !*in_table)
        *n_heads = take_cells(line, heads);
    else if (row && strncmp(line, "| --", 4) != 0)
        put_row(out, line, heads, *n_heads);
    *in_table = row;
    if (row)
        return;
    if (strncmp(line, "## ", 3) == 0 || strncmp(line, "### ", 4) == 0) {
        const size_t marks = line[2] == '#' ? 4 : 3;
        fputs(marks == 3 ? ".SH \"" : ".SS \"", out);
        put_text(out, line + marks, n - marks);
        fputs("\"\n", out);
    } else if (strncmp(line, "* ", 2) == 0) {
        fputs(".IP \\(bu 2\n", out);
        put_text(out, line + 2, n - 2);
        fputc('\n', out);
    } else if (n == 0) {
        fputs(".PP\n", out);
    } else if (*line != '#') {
        fputs(*line == '.' || *line == '\'' ? "\\&" : "", out);
        put_text(out, line, n);
        fputc('\n', out);
    }
}

int gen_format_man(FILE *out)
{
    char *text = NULL, *next;
    size_t n;
    struct cell heads[MOST_CELLS];
    size_t n_heads = 0;
    bool in_table = false;
    FILE *memory = open_memstream(&text, &n);
    if (memory == NULL)
        return 1;
    const int rc = gen_format_doc(memory);
    fclose(memory);
    fputs(head, out);
    /* Its first lines are the title and a note on how it is made. */
    char *line = rc ? NULL : strstr(text, "What is written here");
    if (line == NULL)
        line = text;
    for (; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        put_line(out, line, &in_table, heads, &n_heads);
    }
    fputs(tail, out);
    free(text);
    return rc;
}
