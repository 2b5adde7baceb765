/* SPDX-License-Identifier: MIT */
/* gen_format_man.c - prints docs/man/perfdata.5: docs/FORMAT.md as a manual page, line by line. */
#include "gen.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "'\\\" t\n"
                           ".\\\" SPDX-License-Identifier: MIT\n"
                           ".\\\" Generated from src/schema/ by `perfdata_gen format-man`; do not edit.\n"
                           ".TH PERFDATA 5 \"\" \"perfdata\" \"File Formats\"\n"
                           ".SH NAME\n"
                           "perfdata \\- the format of Linux perf's recordings, perf.data\n"
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

static size_t count_cells(const char *row)
{
    size_t n = 0;
    for (const char *s = row + 1; *s; s = cell_end(s) + 1) {
        n++;
        if (cell_end(s)[0] == '\0' || cell_end(s)[1] == '\0')
            break;
    }
    return n;
}

static void put_row(FILE *out, const char *row, size_t cells)
{
    const char *s = row + 1;
    for (size_t i = 0; i < cells; i++) {
        const char *end = cell_end(s), *first = s;
        while (*first == ' ')
            first++;
        const char *last = end;
        while (last > first && last[-1] == ' ')
            last--;
        const bool block = i + 1 == cells;
        fputs(i ? "\t" : "", out);
        fputs(block ? "T{\n\\&" : *first == '.' || *first == '\'' ? "\\&" : "", out);
        put_text(out, first, (size_t)(last - first));
        fputs(block ? "\nT}" : "", out);
        s = *end ? end + 1 : end;
    }
    fputc('\n', out);
}

/* Prints the first row of a table, which determines the number of columns. */
static void begin_table(FILE *out, const char *row)
{
    const size_t cells = count_cells(row);
    fputs(".TS\ntab(\t);\n", out);
    for (int line = 0; line < 2; line++)
        for (size_t i = 0; i < cells; i++)
            fprintf(out, "%s%s%s", line ? "l" : "lb", i + 1 < cells ? "" : "x",
                    i + 1 < cells ? " "
                    : line        ? ".\n"
                                  : "\n");
    put_row(out, row, cells);
}

static void put_line(FILE *out, const char *line, bool *in_table)
{
    const size_t n = strlen(line);
    const bool row = *line == '|';
    if (*in_table && !row)
        fputs(".TE\n", out);
    if (row && !*in_table)
        begin_table(out, line);
    else if (row && strncmp(line, "| --", 4) != 0)
        put_row(out, line, count_cells(line));
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
        put_line(out, line, &in_table);
    }
    fputs(in_table ? ".TE\n" : "", out);
    fputs(tail, out);
    free(text);
    return rc;
}
