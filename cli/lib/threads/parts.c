/* SPDX-License-Identifier: MIT */
/*
 * parts.c - see parts.h. Parts are begun in their order, and wait in a ring until those before them are
 * through.
 */
#include "parts.h"
#include "src/support/limits.h"
#include <perfdata/session/part.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef CLI_STRIPE                     /* a test has smaller ones */
#define CLI_STRIPE (UINT64_C(2) << 20) /* bytes; a second look at them finds them in the cache */
#endif
#define RING (2 * PI_LIMIT_THREADS)

struct slot {
    bool done, clean;
    uint64_t begin, end;
    struct pd_rewrite_stats stats;
};

/* The private data of a thread. */
struct place {
    struct pd_reader *part;
    void *memory;
};

struct parts {
    struct cli *cli;
    const struct pd_reader *reader;
    const struct cli_parts_job *job;
    uint64_t from, n;     /* of the first part; how many */
    pthread_mutex_t lock; /* guards the following fields, except the slots of parts in work */
    pthread_cond_t judged;
    uint64_t next, tail; /* parts before `next` are begun, those before `tail` judged */
    bool stop;
    struct cli_proven proven;
    struct slot ring[RING];
};

static uint64_t cut(const struct parts *p, uint64_t i)
{
    return i < p->n ? p->from + i * CLI_STRIPE : pd_reader_info(p->reader)->data_end;
}

static void run_part(const struct parts *p, uint64_t i, const struct place *place, struct slot *s)
{
    s->stats = (struct pd_rewrite_stats){0};
    s->clean = pd_reader_take_part(place->part, cut(p, i), cut(p, i + 1), NULL) == PD_OK &&
               p->job->work(p->job->user, place->memory, place->part, &s->stats);
    s->begin = pd_reader_info(place->part)->data_offset;
    s->end = pd_reader_offset(place->part);
}

/* Takes the finished parts, up to one that does not begin where the previous one ends. */
static void judge(struct parts *p)
{
    for (struct slot *s; (s = &p->ring[p->tail % RING])->done; p->tail++) {
        s->done = false;
        if (!p->stop && s->clean && s->begin == p->proven.end) {
            p->proven.end = s->end;
            p->proven.records += s->stats.records;
            p->job->take(p->job->user, &s->stats);
        } else if (p->proven.end < cut(p, p->tail + 1)) { /* else AUX data of the part before covers it */
            p->stop = true;
        }
    }
    pthread_cond_broadcast(&p->judged);
}

/* With the lock. */
static void run_next(struct parts *p, const struct place *place)
{
    const uint64_t i = p->next++;
    struct slot *s = &p->ring[i % RING];
    pthread_mutex_unlock(&p->lock);
    run_part(p, i, place, s);
    pthread_mutex_lock(&p->lock);
    s->done = true;
    judge(p);
}

static void run_all(struct parts *p, const struct place *place, bool shows)
{
    pthread_mutex_lock(&p->lock);
    while (!p->stop && p->next < p->n) {
        if (p->next - p->tail < RING)
            run_next(p, place);
        else
            pthread_cond_wait(&p->judged, &p->lock);
        if (shows)
            cli_progress(p->cli, p->proven.end, pd_reader_info(p->reader)->file_size);
    }
    pthread_mutex_unlock(&p->lock);
}

/* If memory is missing for it, the others do all work. */
static void run_thread(struct parts *p, bool shows)
{
    struct place place = {.memory = malloc(p->job->memory)};
    if (place.memory && pd_reader_open_part(&place.part, p->reader, NULL, NULL) == PD_OK)
        run_all(p, &place, shows);
    pd_reader_close(place.part);
    free(place.memory);
}

static void *help(void *user)
{
    run_thread(user, false);
    return NULL;
}

struct cli_proven cli_parts_run(struct cli *cli, const struct pd_reader *reader,
                                const struct cli_parts_job *job)
{
    const struct pd_file_info *info = pd_reader_info(reader);
    const unsigned most = cli->threads < PI_LIMIT_THREADS ? cli->threads : PI_LIMIT_THREADS;
    struct parts p = {.cli = cli, .reader = reader, .job = job, .from = info->data_offset};
    pthread_t threads[PI_LIMIT_THREADS];
    unsigned n = 0;
    p.proven.begin = p.proven.end = info->data_offset;
    if (info->container != PD_CONTAINER_FILE || info->file_size == PD_NOWHERE)
        return p.proven;
    p.n = (info->data_end - info->data_offset) / CLI_STRIPE;
    if (most < 2 || p.n < 2)
        return p.proven;
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.judged, NULL);
    while (n + 1 < most && n + 1 < p.n && pthread_create(&threads[n], NULL, help, &p) == 0)
        n++;
    if (n)
        run_thread(&p, true);
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&p.judged);
    pthread_mutex_destroy(&p.lock);
    return p.proven;
}
