/* SPDX-License-Identifier: MIT */
/*
 * write_yardstick.c - the possible speed of verbs that read a recording twice and write it once, by a program
 * that does nothing else than go from header to header in both readings, and write in the second one.
 *
 *     bench_write_yardstick FILE OUTPUT                 as it is, the window at once (redact)
 *     bench_write_yardstick FILE OUTPUT copy            each record through a buffer (merge)
 *     bench_write_yardstick FILE OUTPUT order           the same, by time (sort)
 *     bench_write_yardstick FILE DIRECTORY order-pid    by time, each through its process's buffer (split)
 *     bench_write_yardstick FILE OUTPUT drop PID,…      the window without their samples (filter)
 *     bench_write_yardstick FILE OUTPUT keep PID,…      the window without the samples of others
 *     bench_write_yardstick FILE OUTPUT drop-comm NAME  the same of threads while they have the name; it is
 *     bench_write_yardstick FILE OUTPUT keep-comm NAME  known only behind the last record, and so are the
 *                                                       threads that are needed: three readings
 *
 * By time: the samples of two rounds as perf orders them; all other records stay behind the one before. Of
 * several events, that of a sample is looked up by its id, which comes first (IDENTIFIER), since it tells
 * where tid and time are. A thread has its last name since the record that gave it, and before, that of its
 * parent. A piece is named by the pid modulo 1024, when it is complete, and has what stands before and
 * behind the data, too.
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
#define EVENTS 4096                /* by their ids */
#define TASKS ((size_t)1 << 22)    /* Linux has no larger numbers */
#define SAMPLES ((size_t)1 << 26)

struct piece {
    int fd;
    size_t n;
    uint8_t *bytes;
    uint64_t rounds; /* whose ends it has */
};

/* Where fields of an event's samples are. */
struct event {
    uint64_t id;
    uint32_t pid_at, time_at;
};

struct thread {
    uint64_t from;    /* when it got its name */
    bool before, now; /* whether that is the chosen one */
    bool needed;
};

static struct piece pieces[PIECES];
static uint64_t rounds;       /* that have ended */
static uint8_t end_of_all[8]; /* the bytes of an end */
static uint8_t window[WINDOW];
static const char *output;
static struct event events[EVENTS];
static bool several;       /* events; else all samples are like events[0] */
static bool chosen[TASKS]; /* by pid */
static struct thread threads[TASKS];
static const char *name;
static bool remembered[SAMPLES]; /* whether it is one of the chosen */
static size_t n_samples;
static size_t sample_id_time; /* from the end of a record of no sample */
static bool keeps;
static uint8_t edges[2][WINDOW]; /* of the file: before the data, and behind it */
static size_t n_edges[2];

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

static void append(struct piece *p, const uint8_t *record, size_t size)
{
    if (size > WINDOW - p->n) {
        write_all(p->fd, p->bytes, p->n);
        p->n = 0;
    }
    memcpy(p->bytes + p->n, record, size);
    p->n += size;
}

static void name_piece(const struct piece *p, int by_pid, const char *suffix, char path[4096])
{
    snprintf(path, 4096, by_pid ? "%s/%u%s" : "%s", output, (unsigned)(p - pieces), suffix);
}

static struct piece *piece_of(uint32_t pid, int by_pid)
{
    struct piece *p = &pieces[by_pid ? pid % PIECES : 0];
    char path[4096];
    if (p->bytes)
        return p;
    name_piece(p, by_pid, "~", path);
    p->fd = create(path);
    p->bytes = malloc(WINDOW);
    if (p->bytes == NULL)
        exit(2);
    append(p, edges[0], n_edges[0]);
    return p;
}

/* Those that have come since something was written to it. */
static void append_ends(struct piece *p)
{
    for (; p->rounds < rounds; p->rounds++)
        append(p, end_of_all, sizeof end_of_all);
}

/* Samples of these recordings are whole. */
static inline const struct event *event_of(const uint8_t *p)
{
    uint64_t id;
    if (!several)
        return &events[0];
    memcpy(&id, p + 8, sizeof id);
    const struct event *e = &events[id % EVENTS];
    if (e->id != id)
        exit(4);
    return e;
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
    if (by_pid && h->type == 9)
        memcpy(&pid, record + event_of(record)->pid_at, sizeof pid);
    struct piece *const p = piece_of(pid, by_pid);
    append_ends(p);
    append(p, record, h->size);
}

/* ---- What is chosen */

static void note_name(const uint8_t *p, const struct header *h)
{
    uint32_t tid, parent;
    if (h->type == 3) { /* COMM: pid, tid, name, sample_id */
        memcpy(&tid, p + 12, sizeof tid);
        struct thread *t = &threads[tid % TASKS];
        t->before = t->now;
        t->now = strcmp((const char *)p + 16, name) == 0;
        memcpy(&t->from, p + h->size - sample_id_time, sizeof t->from);
    } else if (h->type == 7) { /* FORK: pid, ppid, tid, ptid, time */
        memcpy(&tid, p + 16, sizeof tid);
        memcpy(&parent, p + 20, sizeof parent);
        threads[tid % TASKS].now = threads[parent % TASKS].now;
    }
}

static bool is_chosen(const uint8_t *p)
{
    const struct event *const e = event_of(p);
    uint32_t task[2];
    uint64_t time;
    memcpy(task, p + e->pid_at, sizeof task);
    if (name == NULL)
        return chosen[task[0] % TASKS] == keeps;
    struct thread *t = &threads[task[1] % TASKS];
    memcpy(&time, p + e->time_at, sizeof time);
    const bool is = (time >= t->from ? t->now : t->before) == keeps;
    t->needed |= is;
    return is;
}

/* Writes the window without the other samples; the runs of these are moved to the front. */
static void put_chosen(int out, const uint8_t *end)
{
    uint8_t *to = window;
    const uint8_t *run = window;
    struct header h;
    for (const uint8_t *p = window; p < end; p += h.size) {
        memcpy(&h, p, sizeof h);
        if (h.type != 9 || (name ? remembered[n_samples++ % SAMPLES] : is_chosen(p)))
            continue;
        memmove(to, run, (size_t)(p - run));
        to += p - run;
        run = p + h.size;
    }
    memmove(to, run, (size_t)(end - run));
    write_all(out, window, (size_t)(to + (end - run) - window));
}

/*
 * How the data is gone through: READ, NAMES are noted, or for whom they are, NEEDED; or the window, each
 * record, or what is chosen is written, too.
 */
enum way { READ, NAMES, NEEDED, WINDOWS, RECORDS, CHOSEN };

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
            else if (way == NAMES && h.type != 9)
                note_name(p, &h);
            else if (way == NEEDED && h.type == 9)
                remembered[n_samples++ % SAMPLES] = is_chosen(p);
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
            if (h.type == 9)
                memcpy(&time, p + event_of(p)->time_at, sizeof time);
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

/* ---- The file */

static struct event event_like(uint64_t id, uint64_t sample_type)
{
    const uint32_t pid_at = 8 + (sample_type & 65536 ? 8u : 0) + (sample_type & 1 ? 8u : 0);
    return (struct event){id, pid_at, pid_at + (sample_type & 2 ? 8u : 0)};
}

/* By their ids. */
static void read_events(int fd)
{
    uint64_t head[5], ids[2], id, sample_type;
    if (pread(fd, head, sizeof head, 0) != sizeof head)
        exit(2);
    several = head[4] > head[2];
    for (uint64_t at = head[3]; several && at < head[3] + head[4]; at += head[2]) {
        if (pread(fd, &sample_type, 8, (off_t)at + 24) != 8 ||
            pread(fd, ids, sizeof ids, (off_t)(at + head[2] - sizeof ids)) != sizeof ids)
            exit(2);
        for (; ids[1] && pread(fd, &id, sizeof id, (off_t)ids[0]) == sizeof id; ids[0] += 8, ids[1] -= 8)
            events[id % EVENTS] = event_like(id, sample_type);
    }
}

/* What stands before the data and behind it, which each piece has, too. */
static void read_edges(const struct recording *r)
{
    const ssize_t before = pread(r->fd, edges[0], r->at < WINDOW ? (size_t)r->at : WINDOW, 0);
    const ssize_t behind = pread(r->fd, edges[1], WINDOW, (off_t)(r->at + r->size));
    n_edges[0] = before > 0 ? (size_t)before : 0;
    n_edges[1] = behind > 0 ? (size_t)behind : 0;
}

static void end_pieces(int by_pid)
{
    char from[4096], to[4096];
    for (struct piece *p = pieces; p < pieces + PIECES; p++) {
        if (p->bytes == NULL)
            continue;
        append_ends(p);
        append(p, edges[1], n_edges[1]);
        write_all(p->fd, p->bytes, p->n);
        name_piece(p, by_pid, "~", from);
        name_piece(p, by_pid, "", to);
        if (close(p->fd) || rename(from, to))
            exit(2);
    }
}

/* The recording with or without what is chosen. */
static void filter(const struct recording *r, const char *how, const char *what)
{
    const int out = create(output);
    keeps = strncmp(how, "keep", 4) == 0;
    name = strstr(how, "-comm") ? what : NULL;
    for (const char *p = name ? NULL : what; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        chosen[(size_t)atol(p) % TASKS] = true;
    pass(r->fd, r->at, r->size, name ? NAMES : READ, -1);
    if (name)
        pass(r->fd, r->at, r->size, NEEDED, -1);
    n_samples = 0;
    pass(r->fd, r->at, r->size, CHOSEN, out);
}

int main(int argc, char **argv)
{
    struct recording r;
    const char *how = argc > 3 ? argv[3] : "";
    const int by_pid = strcmp(how, "order-pid") == 0;
    if (!open_recording(argc >= 3 && argc <= 5 ? argv[1] : NULL, &r))
        return 2;
    events[0] = event_like(0, r.sample_type);
    sample_id_time = 8;
    for (uint64_t rest = r.sample_type & (64 | 512 | 128 | 65536); rest; rest &= rest - 1)
        sample_id_time += 8; /* ID, STREAM_ID, CPU and IDENTIFIER follow it */
    read_events(r.fd);
    read_edges(&r);
    output = argv[2];
    if (argc == 5) {
        filter(&r, how, argv[4]);
        return 0;
    }
    pass(r.fd, r.at, r.size, READ, -1);
    if (strncmp(how, "order", 5) == 0)
        pass_in_order(r.fd, r.at, r.size, by_pid);
    else
        pass(r.fd, r.at, r.size, argc == 3 ? WINDOWS : RECORDS, argc == 3 ? create(output) : -1);
    end_pieces(by_pid);
    return 0;
}
