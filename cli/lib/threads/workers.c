/* SPDX-License-Identifier: MIT */
/* workers.c - see workers.h. */
#include "workers.h"
#include <pthread.h>
#include <stdlib.h>

enum { IDLE, QUEUED, RUNNING, DONE };

struct cli_team {
    struct pd_workers workers;
    pthread_mutex_t lock; /* guards the following fields, and `next` and `state` of all jobs */
    pthread_cond_t work, done;
    struct pd_job *first, **end;
    unsigned idle, n_threads;
    bool stop;
    pthread_t threads[PI_LIMIT_THREADS];
};

/* With the lock, which it releases while it works. */
static void run_job(struct cli_team *team, struct pd_job **link)
{
    struct pd_job *job = *link;
    *link = job->next;
    if (team->end == &job->next)
        team->end = link;
    job->state = RUNNING;
    pthread_mutex_unlock(&team->lock);
    job->work(job);
    pthread_mutex_lock(&team->lock);
    job->state = DONE;
    pthread_cond_broadcast(&team->done);
}

static void *help(void *user)
{
    struct cli_team *team = user;
    pthread_mutex_lock(&team->lock);
    while (!team->stop)
        if (team->first) {
            run_job(team, &team->first);
        } else {
            team->idle++;
            pthread_cond_wait(&team->work, &team->lock);
            team->idle--;
        }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

static void start(void *user, struct pd_job *job)
{
    struct cli_team *team = user;
    pthread_mutex_lock(&team->lock);
    job->next = NULL;
    job->state = QUEUED;
    *team->end = job;
    team->end = &job->next;
    if (team->idle)
        pthread_cond_signal(&team->work);
    else if (team->n_threads < team->workers.n &&
             pthread_create(&team->threads[team->n_threads], NULL, help, team) == 0)
        team->n_threads++;
    pthread_mutex_unlock(&team->lock);
}

/* Where the queue has the job. */
static struct pd_job **find(struct cli_team *team, const struct pd_job *job)
{
    struct pd_job **link = &team->first;
    while (*link != job)
        link = &(*link)->next;
    return link;
}

static void wait_for(void *user, struct pd_job *job)
{
    struct cli_team *team = user;
    pthread_mutex_lock(&team->lock);
    while (job->state == QUEUED || job->state == RUNNING)
        if (job->state == QUEUED)
            run_job(team, find(team, job));
        else if (team->first)
            run_job(team, &team->first);
        else
            pthread_cond_wait(&team->done, &team->lock);
    job->state = IDLE;
    pthread_mutex_unlock(&team->lock);
}

const struct pd_workers *cli_workers(struct cli *cli)
{
    const unsigned threads = cli->threads < PI_LIMIT_THREADS ? cli->threads : PI_LIMIT_THREADS;
    struct cli_team *team = cli->team;
    if (team || threads < 2)
        return team ? &team->workers : NULL;
    if ((team = cli->team = calloc(1, sizeof *team)) == NULL)
        return NULL;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->work, NULL);
    pthread_cond_init(&team->done, NULL);
    team->end = &team->first;
    team->workers = (struct pd_workers){threads - 1, start, wait_for, team};
    return &team->workers;
}

void cli_workers_end(struct cli *cli)
{
    struct cli_team *team = cli->team;
    if (team == NULL)
        return;
    pthread_mutex_lock(&team->lock);
    team->stop = true;
    pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
    for (unsigned i = 0; i < team->n_threads; i++)
        pthread_join(team->threads[i], NULL);
    pthread_cond_destroy(&team->work);
    pthread_cond_destroy(&team->done);
    pthread_mutex_destroy(&team->lock);
    free(team);
    cli->team = NULL;
}
