/* SPDX-License-Identifier: MIT */
/*
 * redact_addrs.h - new addresses. First, the addresses in use and the maps around them are noted. Then
 * adjacent ranges move together, so that an address stays in its map, at the same place there, and addresses
 * keep their order. The gaps between are not kept, since distances from an object at a known place would
 * reveal the old address.
 */
#ifndef PERFDATA_REDACT_ADDRS_H
#define PERFDATA_REDACT_ADDRS_H

#include <perfdata/base.h>

/* Pages of 4 KiB from `start` to before `end`. */
struct pi_addr_block {
    uint64_t start, end;
    uint64_t now; /* the new begin of a block */
    bool telling; /* others know where it ends: it is cut behind its last address in use */
};

struct pi_addr_blocks {
    struct pi_addr_block *at;
    size_t n, cap;
};

struct pi_addrs {
    const struct pd_allocator *allocator;
    struct pi_addr_blocks noted;  /* maps and pages in use, with repetitions */
    struct pi_addr_blocks blocks; /* separate, sorted by address */
    bool from_zero;               /* a map begins at 0, which stays */
    uint64_t last;                /* the page noted last, + 1 */
};

void pi_addrs_close(struct pi_addrs *a);
/* Forgets what was noted and placed. */
void pi_addrs_clear(struct pi_addrs *a);

/* Notes an address, or `len` bytes from it on. False: no memory. */
bool pi_addrs_note(struct pi_addrs *a, uint64_t addr);
bool pi_addrs_note_extent(struct pi_addrs *a, uint64_t addr, uint64_t len, bool telling);

/* Places all blocks, one behind the other. False: no memory. */
bool pi_addrs_place(struct pi_addrs *a);

/* Finds the new address; false: it was not noted. */
bool pi_addrs_find(const struct pi_addrs *a, uint64_t addr, uint64_t *now);
/* The new size of a telling map that began at `addr` and now begins at `now`. */
uint64_t pi_addrs_extent(const struct pi_addrs *a, uint64_t addr, uint64_t len, uint64_t now);

#endif
