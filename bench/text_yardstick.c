/* SPDX-License-Identifier: MIT */
/*
 * text_yardstick.c - the possible speed of `dump -F comm,pid,tid,cpu,time,event`, for a program written by
 * hand for these columns alone: it reads the recording twice, once for the names of tasks, of which it takes
 * the last one at any time, and knows only one event, "cycles".
 *
 *     bench_text_yardstick FILE
 *
 * The sample types: IP|TID|TIME|CPU|PERIOD and any fields behind these, little-endian.
 */
#include "yardstick.h"
#include <stdio.h>
#include <stdlib.h>

#define TASKS 65536
#define NAME 16
#define ROOM 64 /* for the columns of a task */

struct sample {
    uint64_t ip;
    uint32_t pid, tid;
    uint64_t time;
    uint32_t cpu, res;
};

struct task {
    uint32_t pid, tid;
    size_t n; /* 0: not printed yet */
    char text[ROOM];
};

static struct task tasks[TASKS];
static char names[TASKS][NAME];
static char out[WINDOW + 4096];
static size_t n_out;

static void flush(void)
{
    if (n_out && write(STDOUT_FILENO, out, n_out) != (ssize_t)n_out)
        exit(2);
    n_out = 0;
}

static void name_task(const uint8_t *record, size_t size)
{
    uint32_t tid;
    memcpy(&tid, record + 12, sizeof tid);
    memcpy(names[tid % TASKS], record + 16, size - 16 < NAME - 1 ? size - 16 : NAME - 1);
}

static char *put_pair(char *p, uint32_t value)
{
    memcpy(p, pairs[value], 2);
    return p + 2;
}

static void print(const uint8_t *body)
{
    static uint64_t second = UINT64_MAX;
    static char seconds[32];
    static size_t n_seconds;
    struct sample s;
    memcpy(&s, body, sizeof s);
    struct task *t = &tasks[s.tid % TASKS];
    if (t->n == 0 || t->tid != s.tid || t->pid != s.pid) {
        t->tid = s.tid, t->pid = s.pid;
        t->n = (size_t)snprintf(t->text, sizeof t->text, "%16s %5d/%-5d ", names[s.tid % TASKS], (int)s.pid,
                                (int)s.tid);
    }
    if (second != s.time / 1000000000) {
        second = s.time / 1000000000;
        n_seconds = (size_t)snprintf(seconds, sizeof seconds, "%5llu.", (unsigned long long)second);
    }
    char *p = out + n_out;
    memcpy(p, t->text, sizeof t->text);
    p += t->n;
    *p++ = '[';
    *p = (char)('0' + s.cpu / 100 % 10);
    p = put_pair(p + 1, s.cpu % 100);
    memcpy(p, "] ", 2);
    memcpy(p + 2, seconds, sizeof seconds);
    const uint32_t micro = (uint32_t)(s.time - second * 1000000000) / 1000;
    p = put_pair(put_pair(put_pair(p + 2 + n_seconds, micro / 10000), micro / 100 % 100), micro % 100);
    memcpy(p, ": cycles: \n", 11);
    n_out = (size_t)(p + 11 - out);
    if (n_out > WINDOW)
        flush();
}

static void take_sample(const uint8_t *p, const struct header *h)
{
    if (h->type == 9 && h->size >= sizeof *h + sizeof(struct sample))
        print(p + sizeof *h);
}

static void take_name(const uint8_t *p, const struct header *h)
{
    if (h->type == 3 && h->size >= 24)
        name_task(p, h->size);
}

int main(int argc, char **argv)
{
    enum {
        WANTED = 1 | 2 | 4 | 128 | 256,
        BEFORE = 8 | 16 | 64 | 512 | 65536
    }; /* fields that would be before or between these */
    struct recording r;
    if (!open_recording(argc == 2 ? argv[1] : NULL, &r))
        return 2;
    if ((r.sample_type & WANTED) != WANTED || r.sample_type & BEFORE) {
        fprintf(stderr, "bench_text_yardstick: not for sample_type 0x%llx\n",
                (unsigned long long)r.sample_type);
        return 1;
    }
    make_pairs();
    for (int prints = 0; prints < 2; prints++) {
        if (lseek(r.fd, (off_t)r.at, SEEK_SET) < 0)
            return 2;
        each_record(r.fd, r.size, prints ? take_sample : take_name);
    }
    flush();
    return 0;
}
