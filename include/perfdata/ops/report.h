/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/report.h - where a recording's events were counted: sums by task, file, cpu, cgroup or time.
 *
 *     const enum pd_report_key keys[] = {PD_KEY_COMM, PD_KEY_DSO};
 *     struct pd_report_options options = {.size = sizeof options, .keys = keys, .n_keys = 2};
 *     struct pd_report *report;
 *     if (pd_report_new(&report, reader, &options, &error) == PD_OK) {
 *         for (size_t e = 0; e < pd_report_n_events(report); e++)
 *             for (size_t i = 0; i < pd_report_get_event(report, e)->n_rows; i++) {
 *                 const struct pd_report_row *row = &pd_report_get_event(report, e)->rows[i];
 *                 printf("%s %s %" PRIu64 "\n", pd_report_text(report, PD_KEY_COMM, row->values[0]),
 *                        pd_report_text(report, PD_KEY_DSO, row->values[1]), row->period);
 *             }
 *         pd_report_free(report);
 *     }
 *
 * One pass in the order in which perf processes the records; memory grows with different rows.
 */
#ifndef PERFDATA_OPS_REPORT_H
#define PERFDATA_OPS_REPORT_H

#include <perfdata/ops/filter.h>
#include <perfdata/ops/symbol.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What rows are summed by. */
enum pd_report_key {
    PD_KEY_COMM,   /* name of the task at the time; text */
    PD_KEY_DSO,    /* short name of the file that the address is mapped from, as perf report has it; text */
    PD_KEY_PID,    /* process; UINT32_MAX: none */
    PD_KEY_TID,    /* thread; UINT32_MAX: none */
    PD_KEY_CPU,    /* UINT32_MAX: none */
    PD_KEY_EVENT,  /* number of the attr */
    PD_KEY_CGROUP, /* path of the cgroup; text; "N/A": none */
    PD_KEY_TIME,   /* number of the slice, from 0 on; UINT64_MAX: no time, or outside */
    PD_KEY_SYM,    /* the function that the address is in, as `symbol` tells it; "[unknown]"; text */
};
#define PD_REPORT_MOST_KEYS 8

struct pd_report_options {
    size_t size;                    /* sizeof this struct */
    const enum pd_report_key *keys; /* each at most once */
    size_t n_keys;                  /* up to PD_REPORT_MOST_KEYS; 0: COMM and DSO */
    uint64_t slices, first, last;   /* for PD_KEY_TIME: so many equal parts of this time */
    /* Lists, modes, with_children, predicate and allocator; NULL: all. */
    const struct pd_filter_options *selection;
    uint64_t memory; /* limit of bytes for rows and names: PD_ELIMIT; 0: 1 GiB */
    /* For PD_KEY_SYM, not NULL. What is inlined counts for the function around it. */
    pd_symbol_finder *symbol;
    /*
     * Writes the build id of a file, and returns its size, at most 20 bytes, or 0: for mappings that have
     * none; NULL: these have none.
     */
    size_t (*build_id)(void *user, struct pd_reader *reader, const char *file, uint8_t id[20]);
    /* Called for damage, behind which what is intact is counted; may be NULL. */
    void (*finding)(void *user, const struct pd_error *error);
    /* Called now and then with the work done and to do, in bytes; may be NULL. */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
};

struct pd_report_row {
    uint64_t values[PD_REPORT_MOST_KEYS]; /* by the keys asked for: a number, or for pd_report_text() */
    uint64_t samples;
    uint64_t period; /* sum of the samples' periods; where the event samples none, of its own (of 0: 1) */
};

/*
 * An event that was counted; the members of a sampled group (READ with PD_FORMAT_GROUP) count with their own
 * differences. Never allocate one: fields may follow.
 */
struct pd_report_event {
    uint32_t attr_index; /* UINT32_MAX: samples of unknown events */
    uint64_t samples, period;
    size_t n_rows;
    const struct pd_report_row *rows; /* the greatest period first, then by the keys */
};

struct pd_report;

/*
 * Reads a recording from its start (a stream: from where it is) to its end. PD_EARG: wrong options;
 * PD_ELIMIT; failures of reading. Damage is no error here.
 */
PD_EXPERIMENTAL enum pd_code pd_report_new(struct pd_report **report, struct pd_reader *reader,
                                           const struct pd_report_options *options, struct pd_error *error);
/* NULL is fine. */
PD_EXPERIMENTAL void pd_report_free(struct pd_report *report);

/* In the order of attrs; unknown events last. Valid as long as the report. */
PD_EXPERIMENTAL size_t pd_report_n_events(const struct pd_report *report);
PD_EXPERIMENTAL const struct pd_report_event *pd_report_get_event(const struct pd_report *report, size_t i);
/* The text of a value of COMM, DSO, SYM or CGROUP, with a NUL; NULL: it has none. */
PD_EXPERIMENTAL const char *pd_report_text(const struct pd_report *report, enum pd_report_key key,
                                           uint64_t value);
/* True if the records ended at damage, or some could not be read. */
PD_EXPERIMENTAL bool pd_report_is_damaged(const struct pd_report *report);

#ifdef __cplusplus
}
#endif
#endif
