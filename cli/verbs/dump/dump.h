/* SPDX-License-Identifier: MIT */
/* dump.h - `perfdata dump` (dump.c) and its lines of chosen fields, -F (dump_fields.c, dump_words.c). */
#ifndef PERFDATA_CLI_DUMP_H
#define PERFDATA_CLI_DUMP_H

#include "cli/lib/files/indexed.h"
#include "cli/lib/files/ordered.h"
#include "cli/lib/threads/crew.h"
#include "src/session/counts.h"
#include <perfdata/ops/filter.h>
#include <perfdata/session/large_record.h>
#include <perfdata/session/tracepoint.h>

struct dump {
    struct cli *cli;
    struct cli_input in;
    const char *time, *fields; /* options */
    uint64_t limit, offset;
    bool hex;
    struct pd_time_range *times;
    size_t n_times;
    enum pd_arch arch; /* of the registers */
    bool arch_asked;
    uint32_t member;             /* of a directory, of the last record printed */
    struct cli_crew *crew;       /* with -j */
    uint64_t ready;              /* and which of the first 64 events have been made ready for it */
    uint64_t left_out;           /* samples that could not be decoded */
    struct pd_large_parts split; /* simpleperf's record in parts */
    /* of -F */
    uint64_t chosen;   /* a bit for each line of the table of fields */
    uint64_t implied;  /* of these, the usual ones: they go where no event has them */
    size_t name_width; /* of the longest event name */
    struct dump_name { /* for each attr */
        size_t n;
        char *text;
    } * names;
    size_t n_names;
    bool checked;               /* the events have the fields */
    struct dump_lines *lines;   /* of the thread that reads */
    struct pd_tasks *tasks;     /* for comm */
    struct pd_session *session; /* for cgroup: the paths */
    bool counting;              /* samples may have READ */
    struct pi_counts counts;    /* of these */
    struct cli_ordered ordered; /* for dso: records in perf's order */
    /*
     * Last, and separate: it changes with each record, so data in its cache line would move from core to
     * core.
     */
    _Alignas(CLI_APART) struct pd_clock clock;
};

/* Takes the argument of -F; false: wrong, the message is printed. */
bool dump_fields_parse(struct dump *d);
/* True if it needs the file twice, as the names of tasks do. */
bool dump_fields_seek(const struct dump *d);
/* After the input is open: checks that the events have the fields, and collects names. False: the message is
 * printed. */
bool dump_fields_start(struct dump *d);
/* Call it for each record, printed or not, with its place in perf's order for dump_fields_print(). */
static inline void dump_fields_stamp(struct dump *d, const struct pd_record *rec, struct pd_moment *when)
{
    if (d->tasks)
        pd_clock_stamp(&d->clock, rec, when);
}
/*
 * Call it in the reading thread, for each sample to be printed, before any thread prints it. False: no event
 * has a field, which is printed; for a stream, whose events come with its records. */
bool dump_fields_learn(struct dump *d, const struct pd_record *rec);
static inline bool dump_fields_ready(struct dump *d, const struct pd_record *rec)
{
    return (d->checked && rec->attr_index < d->n_names) || dump_fields_learn(d, rec);
}
/* The number of bytes that a printing thread needs, all zero at first. */
extern const size_t dump_lines_size;
/* A sample with READ is one of each of its counters, as perf has it. */
static inline bool dump_has_counters(const struct pd_record *rec)
{
    return rec->type == PD_RECORD_SAMPLE && rec->attr && (rec->attr->sample_type & PD_SAMPLE_READ);
}
/* For such a sample, decoded or not: these are printed if it is `shown`, and have counted in any case. */
void dump_fields_count(struct dump *d, struct pd_record *rec, const struct pd_moment *when, bool shown);
/* Prints a decoded SAMPLE. */
void dump_fields_print(const struct dump *d, struct dump_lines *lines, const struct pd_record *rec,
                       const struct pd_moment *when, struct pd_out *out);
void dump_fields_free(struct dump *d);

/* The format of the raw bytes of a tracepoint's sample; NULL: it has none, or it is not known. */
const struct pd_tracepoint *dump_tracepoint_of(const struct dump *d, const struct pd_record *rec);

/* ---- dump_words.c: of decoded samples, as perf script -F data_src,brstack */

void dump_put_data_src(const struct pd_record *rec, struct pd_out *out);
void dump_put_branches(const struct pd_sample *s, struct pd_out *out);

#endif
