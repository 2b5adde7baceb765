/* SPDX-License-Identifier: MIT */
/*
 * write_yardstick.c - the possible speed of verbs that read a recording twice and write it once, by a program
 * that does nothing else than go from header to header in both readings, and write in the second one.
 *
 *     bench_write_yardstick FILE OUTPUT              as it is, the window at once (redact)
 *     bench_write_yardstick FILE OUTPUT copy         each record through a buffer (merge)
 *     bench_write_yardstick FILE OUTPUT order        the same, by time (sort)
 *     bench_write_yardstick FILE DIRECTORY order-pid   by time, each through its process's buffer (split)
 *     bench_write_yardstick FILE OUTPUT drop PID,… [again]   the window without their samples (filter)
 *     bench_write_yardstick FILE OUTPUT keep PID,… [again]   the window without the samples of others
 *
 * `again`: one reading more, as for names of tasks, which are known only behind the last record. By time: the
 * samples of two rounds as perf orders them; all other records stay behind the one before. Processes and
 * times: of samples that have TID and TIME, as the first event says; a file is named by the pid modulo 1024.
 */
#define _GNU_SOURCE
#include "yardstick.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PIECES 1024
#define FINISHED_ROUND 68
#define RING ((size_t)2 << 20)
#define WAITING ((size_t)64 << 10) /* records */

struct piece {
    int fd;
    size_t n;
    uint8_t *bytes;
    uint64_t rounds; /* whose ends it has */
};

static struct piece pieces[PIECES];
static uint64_t rounds;       /* that have ended */
static uint8_t end_of_all[8]; /* the bytes of an end */
static uint8_t window[WINDOW];
static const char *output;
static size_t pid_at, time_at; /* in a sample */
static bool chosen[1 << 22];   /* by pid; Linux has no larger ones */
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

static void append(struct piece *p, const uint8_t *record, size_t size)
{
    if (size > WINDOW - p->n) {
        write_all(p->fd, p->bytes, p->n);
        p->n = 0;
    }
    memcpy(p->bytes + p->n, record, size);
    p->n += size;
}

/* Those that have come since something was written to it. */
static void append_ends(struct piece *p)
{
    for (; p->rounds < rounds; p->rounds++)
        append(p, end_of_all, sizeof end_of_all);
}

/* The end of a round goes to all pieces: perf sorts each by itself. */
static void put_record(const uint8_t *record, const struct header *h, int by_pid)
{
    uint32_t pid = 0;
    if (by_pid && h->type == FINISHED_ROUND) {
        memcpy(end_of_all, record, sizeof end_of_all);
        rounds++;
        return;
    }
    if (h->type == 9 && h->size >= pid_at + sizeof pid)
        memcpy(&pid, record + pid_at, sizeof pid);
    struct piece *const p = piece_of(pid, by_pid);
    append_ends(p);
    append(p, record, h->size);
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
        if (h.type != 9 || chosen[pid % (sizeof chosen / sizeof *chosen)] == keeps)
            continue;
        memmove(to, run, (size_t)(p - run));
        to += p - run;
        run = p + h.size;
    }
    memmove(to, run, (size_t)(end - run));
    write_all(out, window, (size_t)(to + (end - run) - window));
}

/* How the data is gone through: READ, or the window, each record, or what is chosen is written, too. */
enum way { READ, WINDOWS, RECORDS, CHOSEN };

static void pass(int fd, uint64_t at, uint64_t left, enum way way, int out)
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
            if (way == RECORDS)
                put_record(p, &h, 0);
        }
        if (p == window)
            break;
        if (way == WINDOWS)
            write_all(out, window, (size_t)(p - window));
        kept = (size_t)(end - p);
        left -= (uint64_t)(p - window);
        at += (uint64_t)(p - window);
        if (way == CHOSEN)
            put_chosen(out, p);
        memmove(window, p, kept);
    }
}

/* ---- By time */

struct waiting {
    uint64_t time;
    const uint8_t *record;
};

static struct waiting lists[2][WAITING], *waiting = lists[0], *spare = lists[1];
static size_t n_waiting;

/* A ring that is mapped twice, so that no record is cut at its end. */
static uint8_t *make_ring(void)
{
    const int fd = memfd_create("ring", 0);
    uint8_t *ring = mmap(NULL, 2 * RING, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fd < 0 || ftruncate(fd, (off_t)RING) || ring == MAP_FAILED)
        exit(2);
    for (size_t i = 0; i < 2; i++)
        if (mmap(ring + i * RING, RING, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
            exit(2);
    return ring;
}

/* Where an ascending stretch ends. */
static size_t stretch_end(const struct waiting *w, size_t at, size_t n)
{
    for (at++; at < n && w[at].time >= w[at - 1].time;)
        at++;
    return at;
}

/* Merges neighbouring stretches of what waits, until there is one. */
static void sort_waiting(void)
{
    for (size_t merged = 0; merged < n_waiting;) {
        merged = 0;
        for (size_t from = 0, to = 0; from < n_waiting; from = to) {
            const size_t middle = stretch_end(waiting, from, n_waiting);
            size_t a = from, b = middle;
            to = middle < n_waiting ? stretch_end(waiting, middle, n_waiting) : middle;
            for (size_t i = from; i < to; i++)
                spare[i] = b == to || (a < middle && waiting[a].time <= waiting[b].time) ? waiting[a++]
                                                                                         : waiting[b++];
            merged = from == 0 ? to : merged;
        }
        struct waiting *swap = waiting;
        waiting = spare;
        spare = swap;
    }
}

/* Writes what is not newer than that. */
static void put_waiting(uint64_t limit, int by_pid)
{
    struct header h;
    size_t n = 0;
    sort_waiting();
    for (; n < n_waiting && waiting[n].time <= limit; n++) {
        memcpy(&h, waiting[n].record, sizeof h);
        put_record(waiting[n].record, &h, by_pid);
    }
    n_waiting -= n;
    memmove(waiting, waiting + n, n_waiting * sizeof *waiting);
}

static void pass_in_order(int fd, uint64_t at, uint64_t left, int by_pid)
{
    uint8_t *const ring = make_ring();
    uint64_t got = 0, taken = 0, time = 0, newest = 0, limit = 0;
    struct header h;
    while (taken < left) {
        const uint64_t want = left - got < WINDOW ? left - got : WINDOW;
        const ssize_t n = pread(fd, ring + got % RING, (size_t)want, (off_t)(at + got));
        got += n > 0 ? (uint64_t)n : 0;
        for (; got - taken >= sizeof h; taken += h.size) {
            const uint8_t *const p = ring + taken % RING;
            memcpy(&h, p, sizeof h);
            if (h.size < sizeof h || h.size > got - taken)
                break;
            if (h.type == 9 && h.size >= time_at + sizeof time)
                memcpy(&time, p + time_at, sizeof time);
            if (h.type == FINISHED_ROUND) {
                put_waiting(limit, by_pid);
                limit = newest;
            }
            newest = time > newest ? time : newest;
            if (n_waiting == WAITING)
                exit(3);
            waiting[n_waiting++] = (struct waiting){time, p};
        }
        if (n <= 0)
            break;
    }
    put_waiting(UINT64_MAX, by_pid);
}

int main(int argc, char **argv)
{
    struct recording r;
    const char *how = argc > 3 ? argv[3] : "";
    const enum way way = argc == 3 ? WINDOWS : argc >= 5 ? CHOSEN : RECORDS;
    for (const char *p = argc >= 5 ? argv[4] : NULL; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        chosen[(size_t)atol(p) % (sizeof chosen / sizeof *chosen)] = true;
    keeps = strcmp(how, "keep") == 0;
    if (!open_recording(argc >= 3 && argc <= 6 ? argv[1] : NULL, &r))
        return 2;
    pid_at = 8 + (r.sample_type & 65536 ? 8u : 0) + (r.sample_type & 1 ? 8u : 0);
    time_at = pid_at + (r.sample_type & 2 ? 8u : 0);
    output = argv[2];
    const int out = way != RECORDS ? create(output) : -1;
    pass(r.fd, r.at, r.size, READ, -1);
    if (argc == 6)
        pass(r.fd, r.at, r.size, READ, -1);
    if (strncmp(how, "order", 5) == 0)
        pass_in_order(r.fd, r.at, r.size, strcmp(how, "order-pid") == 0);
    else
        pass(r.fd, r.at, r.size, way, out);
    for (size_t i = 0; i < PIECES; i++) {
        if (pieces[i].bytes)
            append_ends(&pieces[i]);
        write_all(pieces[i].fd, pieces[i].bytes, pieces[i].n);
    }
    return 0;
}
