/* SPDX-License-Identifier: MIT */
/* texts.h - numbers for texts, of which each different one is stored once. */
#ifndef PERFDATA_TEXTS_H
#define PERFDATA_TEXTS_H

#include "ids.h"

/* All zeros but the allocator: empty. */
struct pi_texts {
    const struct pd_allocator *allocator;
    char **all; /* each with a NUL behind it */
    size_t n, cap;
    uint64_t bytes; /* bytes that all of this takes, about */
    struct pi_ids places;
    struct pi_key key;
};

/* The number of a text of n bytes without a NUL, from 0 on. False: no memory. */
bool pi_texts_add(struct pi_texts *t, const char *text, size_t n, uint32_t *number);
void pi_texts_free(struct pi_texts *t);

#endif
