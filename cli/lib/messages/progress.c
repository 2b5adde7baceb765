/* SPDX-License-Identifier: MIT */
/* progress.c - the progress of a long run, on a terminal. */
#define _GNU_SOURCE
#include "progress.h"
#include <string.h>
#include <time.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRESS_BYTES 32768 /* smaller steps do not read the clock */

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* The number of columns that fit on a line. */
static int columns(void)
{
    struct winsize w;
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 1;
    return (known ? w.ws_col : 80) - 1;
}

/* Spaces blank the line, since some terminals know nothing else. */
static void draw(struct cli_progress *p, uint64_t done, uint64_t total, uint64_t ms)
{
    const double rate = (double)done * 1000 / (double)ms, mib = 1 << 20;
    const int width = columns();
    char bar[21] = "....................", line[160];
    int n;
    if (total == PD_NOWHERE || total == 0 || done > total) {
        n = snprintf(line, sizeof line, "%.1f MiB, %.1f MiB/s", (double)done / mib, rate / mib);
    } else {
        memset(bar, '#', (size_t)((double)done / (double)total * 20));
        n = snprintf(line, sizeof line, "[%s] %.1f of %.1f MiB, %.1f MiB/s, %.0f s left", bar,
                     (double)done / mib, (double)total / mib, rate / mib, (double)(total - done) / rate);
    }
    const char *text = n > width && *line == '[' ? line + sizeof "[] " - 1 + sizeof bar - 1 : line;
    n -= (int)(text - line);
    n = n < width ? n : width;
    fprintf(stderr, "\r%.*s%*s", n, text, p->shown > n ? p->shown - n : 0, "");
    p->shown = n;
}

/* A pipe may lead to a pager, which uses the terminal alone. */
static bool feeds_pager(const struct cli *cli)
{
    struct stat st;
    return !cli->output && fstat(STDOUT_FILENO, &st) == 0 && S_ISFIFO(st.st_mode);
}

void cli_progress(struct cli *cli, uint64_t done, uint64_t total)
{
    struct cli_progress *p = &cli->progress;
    if (p->off || (p->started && done >= p->last && done - p->last < PROGRESS_BYTES))
        return;
    p->last = done;
    const uint64_t now = now_ms();
    if (p->started == 0) {
        p->started = now;
        p->next = now + 1000;
        p->off = cli->quiet || !isatty(STDERR_FILENO) || feeds_pager(cli);
    }
    if (p->off || now < p->next)
        return;
    draw(p, done, total, now - p->started);
    p->next = now + 200;
}

void cli_progress_end(struct cli *cli)
{
    if (cli->progress.shown)
        fprintf(stderr, "\r%*s\r", cli->progress.shown, "");
    cli->progress = (struct cli_progress){0};
}
