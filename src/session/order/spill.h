/* SPDX-License-Identifier: MIT */
/*
 * spill.h - runs: records that wait, in temporary files without a name, written from first to last and read
 * back the same way. Closing a run frees its space on disk.
 */
#ifndef PERFDATA_SPILL_H
#define PERFDATA_SPILL_H

#include <perfdata/reader.h>

struct pi_chunk;

/* A record that waits, with the reader's information about it; takes pi_waiting_bytes(size). */
struct pi_waiting {
    uint64_t time;
    uint64_t offset, index, inner_offset;
    const struct pd_plan *plan;
    const struct pd_attr *attr;
    struct pi_chunk *chunk; /* the memory it is in; meaningless in runs */
    uint32_t attr_index;
    uint16_t size; /* bytes of raw */
    uint8_t depth;
    uint8_t raw[];
};

/* A multiple of 8. */
static inline size_t pi_waiting_bytes(size_t size)
{
    return (offsetof(struct pi_waiting, raw) + size + 7) & ~(size_t)7;
}

/* A finished run, being read. */
struct pi_run {
    int fd;
    unsigned level;   /* 0: written from memory; n + 1: merged from runs of level n */
    uint64_t at, end; /* the part that is not in the buffer yet, as offsets in the file */
    uint8_t *buf;     /* from the first reading on */
    size_t first, fill;
};

/* Writes runs, one at a time. */
struct pi_spill {
    const struct pd_allocator *allocator;
    char *dir;
    char *path;   /* "DIR/perfdata-XXXXXX" */
    uint8_t *buf; /* from the first writing on */
    size_t fill;
    int fd;        /* of the run being written, or -1 */
    uint64_t size; /* bytes given to it */
};

/* `dir` is copied; NULL: $TMPDIR, or else /tmp. To be freed also after PD_ENOMEM. */
enum pd_code pi_spill_init(struct pi_spill *s, const struct pd_allocator *allocator, const char *dir,
                           struct pd_error *error);
void pi_spill_free(struct pi_spill *s);

/* Starts a run. PD_ENOMEM; PD_ETEMP: no file can be made in the directory. */
enum pd_code pi_spill_begin(struct pi_spill *s, struct pd_error *error);
/* Appends a record. PD_EOUT. */
enum pd_code pi_spill_put(struct pi_spill *s, const struct pi_waiting *w, struct pd_error *error);
/* Makes *run of the written records; the caller must close it. PD_EOUT. */
enum pd_code pi_spill_end(struct pi_spill *s, struct pi_run *run, struct pd_error *error);

/* The first record, valid until pi_run_skip(); *w is NULL at the end. PD_ENOMEM, PD_ETEMP. */
enum pd_code pi_run_head(struct pi_run *run, const struct pd_allocator *allocator,
                         const struct pi_waiting **w, struct pd_error *error);
/* Skips the record that pi_run_head() gave. */
void pi_run_skip(struct pi_run *run);
void pi_run_close(struct pi_run *run, const struct pd_allocator *allocator);

#endif
