/* SPDX-License-Identifier: MIT */
/*
 * groups.h - stacks that have the same event and the same head, which follow each other: a profile of
 * speedscope, a thread of the Firefox Profiler.
 */
#ifndef PERFDATA_EXPORT_GROUPS_H
#define PERFDATA_EXPORT_GROUPS_H

#include "ops/export/labels.h"
#include "text_out.h"

struct pi_export_groups {
    struct pd_export *all;
    struct pi_export_table table; /* of all groups */
    struct pi_text_out text;
    bool no_memory;
    size_t n; /* groups begun */
    /* of the group: */
    uint64_t event;
    uint8_t *head; /* the part of the key that is the same */
    size_t n_head;
    uint64_t total; /* of the weights */
    uint64_t *weights;
    size_t n_weights, cap_weights;
    /* The format's. begin() and end() write what surrounds the stacks of a group. */
    void (*begin)(struct pi_export_groups *g);
    enum pd_code (*stack)(struct pi_export_groups *g, const uint8_t *frames, struct pd_error *error);
    void (*end)(struct pi_export_groups *g);
};

void pi_export_groups_open(struct pi_export_groups *g, struct pd_export *all, const struct pd_sink *sink);
void pi_export_groups_close(struct pi_export_groups *g);
/* Goes through all stacks. */
enum pd_code pi_export_groups_each(struct pi_export_groups *g, struct pd_error *error);
/* The name of the group as a JSON string: the event, and what stands before the frames. */
void pi_export_put_group(struct pi_export_groups *g);
/* A frame of the table as a JSON string. */
void pi_export_put_frame_json(struct pi_export_groups *g, uint32_t number);
/* "[1,2]", without what cannot be a number in JSON's readers: above 2^53 it is rounded by them. */
void pi_export_put_numbers(struct pd_out *out, const uint64_t *numbers, size_t n);

#endif
