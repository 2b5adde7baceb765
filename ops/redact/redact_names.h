/* SPDX-License-Identifier: MIT */
/* redact_names.h - the replacements of a redaction: one table for names and numbers. */
#ifndef PERFDATA_REDACT_NAMES_H
#define PERFDATA_REDACT_NAMES_H

#include "src/support/keyed.h"
#include <perfdata/base.h>
#include <perfdata/error.h>

enum pi_redact_space {
    PI_SPACE_NAME,
    PI_SPACE_PATH,
    PI_SPACE_PID,
    PI_SPACE_INODE,
    PI_SPACE_ADDR,
    PI_SPACE_BUILD_ID,
    PI_SPACE_TEXT, /* texts that are only stored */
    PI_N_SPACES
};

#define PI_KEY_BYTES 32

struct pi_replaced {
    uint8_t *bytes; /* the original, then the replacement and a NUL; numbers are u64 */
    uint32_t n, n_new;
    uint64_t hash;
    uint8_t space;
};

struct pi_redact_names {
    const struct pd_allocator *allocator;
    struct pi_replaced *entries; /* in order of appearance */
    size_t n, cap;
    uint32_t *slots; /* number of the entry + 1; a power of two */
    size_t n_slots;
    struct pi_key places; /* of the slots */
    uint8_t **chunks;     /* memory of the bytes */
    size_t n_chunks, chunks_cap, left;
    uint64_t counts[PI_N_SPACES];
    bool keyed;
    uint8_t key[PI_KEY_BYTES];
};

void pi_names_close(struct pi_redact_names *names);

/* The entry; NULL: there is none. */
const struct pi_replaced *pi_names_find(const struct pi_redact_names *names, enum pi_redact_space space,
                                        const void *bytes, size_t n);
/* Adds a missing one. NULL: no memory. */
const struct pi_replaced *pi_names_add(struct pi_redact_names *names, enum pi_redact_space space,
                                       const void *bytes, size_t n, const void *replacement, size_t n_new);

/* Bytes derived from the key and the original. */
void pi_names_hash(const struct pi_redact_names *names, enum pi_redact_space space, const void *bytes,
                   size_t n, uint8_t *out, size_t out_n);
/* A one-to-one mapping of numbers of 32 or 64 bits to themselves, derived from the key. */
uint64_t pi_names_permute(const struct pi_redact_names *names, enum pi_redact_space space, unsigned bits,
                          uint64_t value);
/* The shift of all times, derived from the key. */
uint64_t pi_names_shift(const struct pi_redact_names *names);
/* Derives the key from any bytes. False: the library cannot be used. */
bool pi_names_take_key(struct pi_redact_names *names, const void *bytes, size_t n);

#endif
