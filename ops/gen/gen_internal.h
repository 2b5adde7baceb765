/* SPDX-License-Identifier: MIT */
/*
 * gen_internal.h - the parts of a generator: gen.c (events, what follows what), gen_put.c (records to the
 * writer), gen_features.c, gen_random.c (random records), gen_text.c (description of a workload),
 * gen_workload.c (a workload's records), gen_sample.c (the fields of samples), gen_trace.c (tracepoints).
 */
#ifndef PERFDATA_GEN_INTERNAL_H
#define PERFDATA_GEN_INTERNAL_H

#include "src/support/limits.h"
#include "src/support/memory.h"
#include "random_values.h"
#include <assert.h>
#include <perfdata/ops/gen.h>

#define PI_GEN_FIRST_ID 1000
#define PI_GEN_PAGE 4096
/* Addresses: the kernel, behind it BPF programs, and user programs, far enough from each other. */
#define PI_GEN_KERNEL_TEXT UINT64_C(0xffffffff81000000)
#define PI_GEN_KERNEL_LENGTH UINT64_C(0x3f000000)
#define PI_GEN_USER_TEXT UINT64_C(0x550000000000)
#define PI_GEN_USER_STEP UINT64_C(0x200000000)

/* ---- A parsed description (gen_text.c) */

#define PI_GEN_PERCENT 1000u /* shares are in thousandths of a percent */
#define PI_GEN_WHOLE (100 * PI_GEN_PERCENT)
enum {
    PI_GEN_PROCESSES = PI_LIMIT_GEN_PROCESSES + 1,                /* the idle task */
    PI_GEN_FUNCTIONS = PI_LIMIT_GEN_FUNCTIONS + PI_GEN_PROCESSES, /* each process may need one more */
    PI_GEN_DSOS = PI_LIMIT_GEN_FILES
};
static_assert(PI_GEN_DSOS <= 64, "a process has a bit for each");

enum pi_gen_space { PI_GEN_USER, PI_GEN_KERNEL, PI_GEN_BPF };

struct pi_gen_dso {
    char path[PI_LIMIT_GEN_PATH + 1];
    enum pi_gen_space space;
    uint64_t length; /* of the mapping, whole pages */
};

struct pi_gen_function {
    char name[PI_LIMIT_GEN_FUNCTION + 1];
    uint64_t start,
        end; /* offsets in the DSO; the ip of a sample is below `end`, or is `start` if both are equal */
    uint32_t share; /* of its process' samples */
    int16_t caller; /* function; -1: none */
    uint8_t dso, process;
};

struct pi_gen_process {
    char name[16];
    uint32_t threads, copies;
    uint64_t life;  /* samples until it exits; 0: to the end */
    uint32_t share; /* of all samples */
    bool has_share;
    uint32_t used; /* sum of its functions' shares */
    uint64_t dsos; /* which ones it maps */
    uint8_t dso;   /* its program */
};

struct pi_gen_event_text {
    char name[PI_LIMIT_GEN_EVENT + 1];
    uint64_t period, freq; /* one of them, or both 0 */
    uint32_t share;        /* of all samples; 0: an equal part of the rest */
    uint64_t line;         /* of the description, from 1 */
};

struct pi_gen_text {
    struct pi_gen_dso dsos[PI_GEN_DSOS];
    struct pi_gen_process processes[PI_GEN_PROCESSES];
    struct pi_gen_function functions[PI_GEN_FUNCTIONS];
    struct pi_gen_event_text events[PD_GEN_MOST_EVENTS];
    unsigned n_dsos, n_processes, n_functions, n_events;
    unsigned cpus;
    uint64_t rate;     /* samples a second */
    uint32_t lost;     /* share of samples that are lost */
    uint64_t throttle; /* samples from one THROTTLE to the next; 0: never */
    bool switches;     /* SWITCH_CPU_WIDE records */
    uint64_t sample;   /* sample_type besides the usual */
};

/* Parses a description; `text` ends with NUL. PD_EVALUE: `found` is the line. */
enum pd_code pi_gen_parse(struct pi_gen_text *t, const char *text, struct pd_error *error);

/* ---- The generator */

struct pi_gen_event {
    struct pd_attr attr;
    struct pd_plan plan;
    char name[PI_LIMIT_GEN_EVENT + 1];
    uint32_t share;
    uint64_t period; /* usual period of a sample */
    uint64_t count;  /* of the counter so far */
};

/*
 * Records that wait, so that those of each cpu can be written one after another, as they are read from ring
 * buffers.
 */
enum { PI_GEN_WINDOW = 1024, PI_GEN_WINDOW_BYTES = 512 * 1024 };
struct pi_gen_slot {
    uint32_t at;
    uint16_t size, cpu;
};
struct pi_gen_window {
    bool on;
    size_t n, used;
    struct pi_gen_slot slots[PI_GEN_WINDOW];
    uint8_t *bytes, *spare; /* PI_GEN_WINDOW_BYTES each; `spare` is for what is left over */
};

struct pi_gen_workload; /* gen_workload.c */

struct pd_gen {
    struct pd_gen_options options;
    const struct pd_allocator *allocator;
    struct pi_rng rng;
    struct pd_writer *writer, *member, *now; /* `now` is where records go to */
    struct pi_gen_event *events;             /* PD_GEN_MOST_EVENTS */
    unsigned n_events, cpus;
    uint32_t nr_cpus_avail; /* as the recording says */
    struct pd_gen_weight *weights;
    uint64_t total_weight;
    bool split;                         /* a part of a split record was made last, and its end not yet */
    uint64_t clock, first_time;         /* nanoseconds */
    uint64_t first_sample, last_sample; /* times; 0: none yet */
    uint64_t records, bytes;
    uint8_t *arena;  /* PI_RANDOM_ARENA */
    uint8_t *record; /* UINT16_MAX, being encoded */
    struct pi_gen_window window;
    struct pi_gen_text *text;
    struct pi_gen_workload *work;
    /* data that the fields of the current sample point to */
    struct pi_gen_fields {
        uint64_t chain[PD_GEN_MOST_DEPTH + 8];
        struct pd_branch_entry branches[32];
        struct pd_read_value values[PD_GEN_MOST_EVENTS];
        uint64_t regs[64];
        uint8_t raw[1024], stack[8192], aux[256];
    } fields;
};

/* A task on a cpu. */
struct pi_gen_task {
    uint32_t pid, tid, cpu;
};

/* The id of an event on a cpu: each has one, as perf record opens them. */
static inline uint64_t pi_gen_id(const struct pd_gen *g, unsigned event, uint32_t cpu)
{
    return PI_GEN_FIRST_ID + (uint64_t)event * g->cpus + cpu;
}

/* A percentage of the time; `share` in thousandths of a percent. */
static inline bool pi_gen_chance(struct pd_gen *g, uint64_t share)
{
    return pi_rng_below(&g->rng, PI_GEN_WHOLE) < share;
}

/* Memory of the arena, from its front; earlier values become invalid. */
static inline struct pi_arena pi_gen_arena(struct pd_gen *g)
{
    return (struct pi_arena){g->arena, PI_RANDOM_ARENA};
}

/* Sets event, ids, task and time of a record: in its trailer, and in a sample. */
void pi_gen_identify(struct pd_gen *g, struct pd_record *rec, unsigned event, const struct pi_gen_task *task);
/* Encodes it and appends it, through the window if that is on. */
enum pd_code pi_gen_put(struct pd_gen *g, const struct pd_record *rec, uint32_t cpu, struct pd_error *error);
/* Appends bytes behind the last record, outside of its size. */
enum pd_code pi_gen_payload(struct pd_gen *g, const void *bytes, size_t n, struct pd_error *error);
/* A record without trailer, written at once. */
enum pd_code pi_gen_tool(struct pd_gen *g, uint32_t type, struct pd_error *error);
/* The end of a round: waiting records are written, except a few if this is not the last. */
enum pd_code pi_gen_round(struct pd_gen *g, bool last, struct pd_error *error);
/* True if enough records or bytes are made. `more`: the number that follows in any case. */
bool pi_gen_enough(const struct pd_gen *g, uint64_t more);

enum pd_code pi_gen_put_features(struct pd_gen *g, struct pd_error *error);
enum pd_code pi_gen_put_last_features(struct pd_gen *g, struct pd_error *error);

/* Random records: the events, and all the records. */
void pi_gen_random_events(struct pd_gen *g);
enum pd_code pi_gen_random_weights(struct pd_gen *g, struct pd_error *error);
enum pd_code pi_gen_random_run(struct pd_gen *g, struct pd_error *error);

/* A workload: the same. */
enum pd_code pi_gen_workload_open(struct pd_gen *g, struct pd_error *error);
enum pd_code pi_gen_workload_run(struct pd_gen *g, struct pd_error *error);
/* True if it names callers of functions, but no event samples what would show them. */
bool pi_gen_hides_callers(const struct pd_gen *g);

/* ---- Samples (gen_sample.c) */

/* Other values of an attr that the fields of its sample_type need. */
void pi_gen_complete_attr(struct pd_attr *attr);

/* The place of a sample in the program. */
struct pi_gen_place {
    const uint64_t *chain; /* the call chain with its markers, leaf behind the first */
    size_t n;
    uint64_t ip;
    bool kernel;
};

/* All fields except those of pi_gen_identify(); their data is in g->fields, until the next sample. */
void pi_gen_fill_sample(struct pd_gen *g, struct pd_record *rec, unsigned event,
                        const struct pi_gen_task *task, const struct pi_gen_place *place);
/* READ values of the event's layout, for samples and READ records. */
void pi_gen_fill_read(struct pd_gen *g, unsigned event, uint32_t cpu, struct pd_read_values *v);
/* A random call chain in user or kernel space, of 1 to `most` addresses, into g->fields.chain. */
struct pi_gen_place pi_gen_random_place(struct pd_gen *g, size_t most);

/* ---- Tracepoints (gen_trace.c) */

/* Fills the raw bytes of a tracepoint sample; returns their number, so that 4 + n is a multiple of 8. */
size_t pi_gen_trace_raw(struct pd_gen *g, unsigned event, const struct pi_gen_task *task, uint8_t *out,
                        size_t cap);
/* The feature TRACING_DATA, encoded into `out`; 0: there is no tracepoint among the events. */
size_t pi_gen_trace_data(struct pd_gen *g, uint8_t *out, size_t cap);

#endif
