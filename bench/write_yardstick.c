/* SPDX-License-Identifier: MIT */
/*
 * write_yardstick.c - the possible speed of verbs that read a recording twice and write it once, by a
 * program that does nothing else than go from header to header in both readings, and write in the second one.
 *
 *     bench_write_yardstick FILE OUTPUT            as it is, the window at once (redact)
 *     bench_write_yardstick FILE OUTPUT copy       each record through a buffer (sort, merge)
 *     bench_write_yardstick FILE DIRECTORY pid     each record through the buffer of its process (split)
 *     bench_write_yardstick FILE OUTPUT drop PID   the window without its samples (filter --exclude-pid)
 *     bench_write_yardstick FILE OUTPUT keep PID   the window without the samples of others (filter --pid)
 *
 * It puts nothing in order. Processes: of samples that have TID, as the first event says; a file is named by
 * the pid modulo 1024.
 */
#include "yardstick.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define PIECES 1024

struct piece {
    int fd;
    size_t n;
    uint8_t *bytes;
};

static struct piece pieces[PIECES];
static uint8_t window[WINDOW];
static const char *output;
static size_t pid_at; /* in a sample */
static uint32_t chosen;
static bool keeps;

static void write_all(int fd, const uint8_t *bytes, size_t n)
{
    if (n && write(fd, bytes, n) != (ssize_t)n)
        exit(2);
}

static int create(const char *path)
{
    const int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (fd < 0)
        exit(2);
    return fd;
}

static struct piece *piece_of(uint32_t pid, int by_pid)
{
    struct piece *p = &pieces[by_pid ? pid % PIECES : 0];
    char path[4096];
    if (p->bytes)
        return p;
    snprintf(path, sizeof path, by_pid ? "%s/%u" : "%s", output, (unsigned)(p - pieces));
    p->fd = create(path);
    p->bytes = malloc(WINDOW);
    if (p->bytes == NULL)
        exit(2);
    return p;
}

static void put_record(const uint8_t *record, const struct header *h, int by_pid)
{
    uint32_t pid = 0;
    if (h->type == 9 && h->size >= pid_at + sizeof pid)
        memcpy(&pid, record + pid_at, sizeof pid);
    struct piece *p = piece_of(pid, by_pid);
    if (h->size > WINDOW - p->n) {
        write_all(p->fd, p->bytes, p->n);
        p->n = 0;
    }
    memcpy(p->bytes + p->n, record, h->size);
    p->n += h->size;
}

/* Writes the window without these samples; the runs of others are moved to the front. */
static void put_chosen(int out, const uint8_t *end)
{
    uint8_t *to = window;
    const uint8_t *run = window;
    struct header h;
    for (const uint8_t *p = window; p < end; p += h.size) {
        uint32_t pid = 0;
        memcpy(&h, p, sizeof h);
        if (h.type == 9 && h.size >= pid_at + sizeof pid)
            memcpy(&pid, p + pid_at, sizeof pid);
        if (h.type != 9 || (pid == chosen) == keeps)
            continue;
        memmove(to, run, (size_t)(p - run));
        to += p - run;
        run = p + h.size;
    }
    memmove(to, run, (size_t)(end - run));
    write_all(out, window, (size_t)(to + (end - run) - window));
}

/*
 * Goes through the data; `way`: 0 only reads, 1 writes the window, 2 each record, 3 each to its process, 4
 * what is chosen of the window.
 */
static void pass(int fd, uint64_t at, uint64_t left, int way, int out)
{
    size_t kept = 0;
    while (left) {
        const uint64_t want = left - kept < WINDOW - kept ? left - kept : WINDOW - kept;
        const ssize_t got = pread(fd, window + kept, (size_t)want, (off_t)(at + kept));
        const uint8_t *p = window, *const end = window + kept + (got > 0 ? got : 0);
        struct header h;
        for (; (size_t)(end - p) >= sizeof h; p += h.size) {
            memcpy(&h, p, sizeof h);
            if (h.size < sizeof h || h.size > end - p)
                break;
            if (way == 2 || way == 3)
                put_record(p, &h, way == 3);
        }
        if (p == window)
            break;
        if (way == 1)
            write_all(out, window, (size_t)(p - window));
        kept = (size_t)(end - p);
        left -= (uint64_t)(p - window);
        at += (uint64_t)(p - window);
        if (way == 4)
            put_chosen(out, p);
        memmove(window, p, kept);
    }
}

int main(int argc, char **argv)
{
    struct recording r;
    const int way = argc == 3 ? 1 : argc == 5 ? 4 : argc == 4 && strcmp(argv[3], "pid") == 0 ? 3 : 2;
    chosen = argc == 5 ? (uint32_t)atol(argv[4]) : 0;
    keeps = argc == 5 && strcmp(argv[3], "keep") == 0;
    if (!open_recording(argc >= 3 && argc <= 5 ? argv[1] : NULL, &r))
        return 2;
    pid_at = 8 + (r.sample_type & 65536 ? 8u : 0) + (r.sample_type & 1 ? 8u : 0);
    output = argv[2];
    const int out = way == 1 || way == 4 ? create(output) : -1;
    pass(r.fd, r.at, r.size, 0, -1);
    pass(r.fd, r.at, r.size, way, out);
    for (size_t i = 0; i < PIECES; i++)
        write_all(pieces[i].fd, pieces[i].bytes, pieces[i].n);
    return 0;
}
