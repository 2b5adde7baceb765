/* SPDX-License-Identifier: MIT */
/*
 * redact_addrs.h - where addresses go. Those in use and the maps around them are noted first; then what is
 * together moves together, so that an address stays in its map, at its place there, and in the order of
 * addresses. What lies between is not kept, as distances from what stands at a known place would tell where
 * it was.
 */
#ifndef PERFDATA_REDACT_ADDRS_H
#define PERFDATA_REDACT_ADDRS_H

#include <perfdata/base.h>

/* Pages of 4 KiB from `start` to before `end`. */
struct pd_addr_block {
    uint64_t start, end;
    uint64_t now; /* where a block begins now */
    bool telling; /* where it ends is known to others: it ends behind what is in use of it */
};

struct pd_addr_blocks {
    struct pd_addr_block *at;
    size_t n, cap;
};

struct pd_addrs {
    const struct pd_allocator *allocator;
    struct pd_addr_blocks noted;  /* maps and pages in use, the same ones several times */
    struct pd_addr_blocks blocks; /* apart from each other, by address */
    bool from_zero;               /* a map begins at 0, which stays */
    uint64_t last;                /* page that was noted last, + 1 */
};

void pd_addrs_close(struct pd_addrs *a);
/* Forgets what was noted and placed. */
void pd_addrs_clear(struct pd_addrs *a);

/* Notes an address, and `len` bytes from it on. False: no memory. */
bool pd_addrs_note(struct pd_addrs *a, uint64_t addr);
bool pd_addrs_note_extent(struct pd_addrs *a, uint64_t addr, uint64_t len, bool telling);

/* Gives each block its place, one behind the other. False: no memory. */
bool pd_addrs_place(struct pd_addrs *a);

/* Where the address is now; false: it was not noted. */
bool pd_addrs_find(const struct pd_addrs *a, uint64_t addr, uint64_t *now);
/* How many bytes a map has now that begins at `addr` and now at `now`, and ends where others may know. */
uint64_t pd_addrs_extent(const struct pd_addrs *a, uint64_t addr, uint64_t len, uint64_t now);

#endif
