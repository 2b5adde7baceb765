/* SPDX-License-Identifier: MIT */
/* type_counts.h - records that a conversion leaves out, or as they are, by type. */
#ifndef PERFDATA_TYPE_COUNTS_H
#define PERFDATA_TYPE_COUNTS_H

#include "src/support/limits.h"
#include <perfdata/ops/convert.h>

struct pi_type_counts {
    size_t n;
    struct {
        uint32_t type;
        uint64_t n;
    } of[PI_LIMIT_TYPES_NOTED];
    uint64_t others; /* of further types */
};

static inline void pi_type_count(struct pi_type_counts *c, uint32_t type)
{
    size_t i = 0;
    while (i < c->n && c->of[i].type != type)
        i++;
    if (i == PI_LIMIT_TYPES_NOTED) {
        c->others++;
        return;
    }
    c->n += i == c->n;
    c->of[i].type = type;
    c->of[i].n++;
}

/* Gives a note of each type, and one of all others. */
static inline void pi_type_counts_note(const struct pi_type_counts *c, bool left, const char *why,
                                       void (*note)(void *user, const struct pd_convert_note *note),
                                       void *user)
{
    struct pd_convert_note n = {.what = PD_NOTED_RECORDS, .left = left, .why = why};
    for (size_t i = 0; i < c->n; i++) {
        n.number = c->of[i].type;
        n.count = c->of[i].n;
        note(user, &n);
    }
    n = (struct pd_convert_note){.what = PD_NOTED_OTHERS, .left = left, .count = c->others, .why = why};
    if (n.count)
        note(user, &n);
}

#endif
