/* SPDX-License-Identifier: MIT */
/*
 * chosen.h - the samples of a recording that a selection wants, each between the same other records as in
 * the order in which perf processes them, with a session that knows what they mean: for operations that only
 * read.
 */
#ifndef PERFDATA_CHOSEN_H
#define PERFDATA_CHOSEN_H

#include "selector.h"
#include "ops/output/progress.h"
#include "src/session/counts.h"
#include "src/session/order/taker.h"

struct pi_chosen_options {
    const struct pd_filter_options *selection; /* must outlive it */
    uint32_t parts;                            /* PD_SESSION_… that the caller asks the session about */
    /* A tag of at most 30 bits for each new mapping; may be NULL. */
    uint32_t (*tag)(void *user, const struct pd_mapping *mapping);
    /* Called for each record that is no sample, after the session has taken it; may be NULL. */
    enum pd_code (*other)(void *user, struct pd_record *rec, struct pd_error *error);
    void *tag_user; /* of both */
    bool few;       /* the session need not find the process of a thread that only samples name */
    bool in_order;  /* also samples between which no other record lies are given in perf's order */
    /*
     * Takes samples before they are given; asked only if all are wanted and `few`. May be NULL; must outlive
     * this.
     */
    const struct pi_taker *taker;
    void (*finding)(void *user, const struct pd_error *error); /* damage; may be NULL */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
};

struct pi_chosen {
    struct pi_chosen_options options;
    struct pd_reader *reader;
    struct pd_sorter *sorter;
    struct pd_session *session;
    struct pi_selector selector;
    struct pi_progress progress;
    struct pi_counts counts; /* what samples count: those that are not wanted have counted, too */
    bool all;                /* the selection wants all samples */
    bool few;                /* samples need not go through the session */
    struct pi_taker taker;   /* options.taker, with what is counted here */
    uint64_t samples;        /* seen, chosen or not */
    bool damaged;
};

/* Rewinds the reader if it can seek. To be closed even after an error. */
enum pd_code pi_chosen_open(struct pi_chosen *c, struct pd_reader *reader,
                            const struct pi_chosen_options *options, struct pd_error *error);
void pi_chosen_close(struct pi_chosen *c);
/*
 * The next sample, decoded. PD_END: no more. Damage is reported, and what is intact follows; other codes are
 * failures.
 */
enum pd_code pi_chosen_next(struct pi_chosen *c, struct pd_record *rec, struct pd_error *error);
/* True if the events of the list have this one. */
static inline bool pi_chosen_lists(const struct pd_filter_lists *l, uint32_t attr)
{
    for (size_t i = 0; i < l->n_events; i++)
        if (l->events[i] == attr)
            return true;
    return false;
}

/* True if the caller's taker is asked. */
static inline bool pi_chosen_offers(const struct pi_chosen *c)
{
    return c->options.taker && c->all && c->few;
}

/* The caller's tag of the mapping. */
static inline uint32_t pi_chosen_tag(const struct pd_mapping *mapping)
{
    return mapping->tag >> 2;
}

#endif
