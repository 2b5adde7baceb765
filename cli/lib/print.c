/* SPDX-License-Identifier: MIT */
/* print.c - standard output: buffered, coloured on a terminal. */
#define _GNU_SOURCE
#include "print.h"
#include "memory.h"
#include "cli/lib/messages/progress.h"
#include "cli/lib/files/sink.h"
#include "cli/lib/files/temporary.h"
#include <stdarg.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)256 << 10)
#define LARGE_BYTES ((size_t)16 << 10)

/* The position of the next byte in its line, for its colour. */
enum { BRUSH_START, BRUSH_INDENT, BRUSH_HEADING, BRUSH_KEY, BRUSH_PLAIN };

/* The brush behind a byte; *before is the text to be written before it. */
static unsigned stroke(enum cli_paint paint, unsigned brush, char c, const char **before)
{
    const bool begins = brush == BRUSH_START || brush == BRUSH_INDENT,
               painted = brush == BRUSH_HEADING || brush == BRUSH_KEY;
    *before = "";
    if (c == '\n') {
        *before = painted ? "\033[0m" : "";
        return BRUSH_START;
    }
    if (begins && c == ' ')
        return BRUSH_INDENT;
    if (begins) {
        const bool heading = brush == BRUSH_START && paint == CLI_PAINT_HEADINGS;
        *before = heading ? "\033[1m" : "\033[36m";
        return heading ? BRUSH_HEADING : BRUSH_KEY;
    }
    if (brush == BRUSH_KEY && (c == ' ' || c == ':')) {
        *before = "\033[0m";
        return BRUSH_PLAIN;
    }
    return brush;
}

static int write_painted(struct cli *cli, const char *text, size_t n)
{
    char buf[4096];
    size_t used = 0;
    int error = 0;
    for (size_t i = 0; i < n && !error; i++) {
        const char *before;
        cli->brush = stroke(cli->paint, cli->brush, text[i], &before);
        used += (size_t)snprintf(buf + used, sizeof buf - used, "%s%c", before, text[i]);
        if (used > sizeof buf - 32 || i + 1 == n) {
            error = cli_write_all(STDOUT_FILENO, buf, used);
            used = 0;
        }
    }
    return error;
}

static void make_larger(struct pd_out *out, size_t n)
{
    char *more = cli_realloc(out->buf, n);
    if (more) {
        out->buf = more;
        out->cap = n;
    }
}

static bool out_more(struct pd_out *out, size_t want)
{
    struct cli *cli = out->user;
    if (cli->terminal && cli->progress.shown)
        cli_progress_end(cli);
    if (cli->out_error == 0 && cli->color && cli->paint)
        cli->out_error = write_painted(cli, out->buf, out->n);
    else if (cli->out_error == 0)
        cli->out_error = cli_write_all(STDOUT_FILENO, out->buf, out->n);
    out->n = 0;
    if (cli->out_error == 0 && want > out->cap) /* in one piece, as names have no limit */
        make_larger(out, want);
    return cli->out_error == 0;
}

void cli_out_init(struct cli *cli)
{
    cli->out =
        (struct pd_out){.buf = cli_malloc(BUFFER_BYTES), .cap = BUFFER_BYTES, .more = out_more, .user = cli};
    if (cli->out.buf == NULL)
        cli->out.cap = 0;
    cli->terminal = isatty(STDOUT_FILENO) == 1;
}

__attribute__((format(printf, 2, 0))) static void print_args(struct pd_out *out, const char *format,
                                                             va_list args)
{
    char text[512];
    int n = vsnprintf(text, sizeof text, format, args);
    if (n >= (int)sizeof text)
        n = (int)sizeof text - 1;
    pd_out_bytes(out, text, n > 0 ? (size_t)n : 0);
}

void cli_print_to(struct pd_out *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_args(out, format, args);
    va_end(args);
}

void cli_print(struct cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_args(&cli->out, format, args);
    va_end(args);
}

bool cli_print_much(struct cli *cli, const char *text, size_t n)
{
    if (n < LARGE_BYTES || cli->color || cli->out.lost) {
        pd_out_bytes(&cli->out, text, n);
        return cli->out_error == 0;
    }
    out_more(&cli->out, 0);
    if (cli->out_error == 0)
        cli->out_error = cli_write_all(STDOUT_FILENO, text, n);
    return cli->out_error == 0;
}

void cli_color(struct cli *cli, unsigned color)
{
    if (cli->color)
        cli_print(cli, "\033[%um", color);
}

void cli_flush_text(struct cli *cli)
{
    if (cli->out.n)
        out_more(&cli->out, 0);
}

void cli_flush(struct cli *cli)
{
    cli_flush_text(cli);
    if (cli->recording)
        cli_output_flush(cli->recording);
}
