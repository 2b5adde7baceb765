/* SPDX-License-Identifier: MIT */
/*
 * export.h - shared by the parts of the export: export.c (the samples of a recording), frames.c (the frames
 * of a sample), deferred.c (those that wait for the rest of their frames), and a writer for each format.
 *
 * The key of a stack is numbers in 7 bits a byte: that of the event, one for each of the keys asked for (a
 * name's is its number in `comms`), then for each frame, from the outermost on, 1 + the number of its file
 * and the offset, then 0. Rows (rows.h) have neither; the frames of their call chains are addresses.
 */
#ifndef PERFDATA_EXPORT_INTERNAL_H
#define PERFDATA_EXPORT_INTERNAL_H

#include "ops/filter/chosen.h"
#include "src/session/offcpu.h"
#include "src/support/idmap.h"
#include "src/support/texts.h"
#include "alike.h"
#include "stacks.h"
#include <perfdata/ops/export.h>
#include <perfdata/session/text.h>
#include <string.h>

/* How frames of a file are named: by offsets in it, by addresses, or by functions. */
#define PI_DSO_OFFSETS 'o'
#define PI_DSO_ADDRESSES 'a'
#define PI_DSO_FUNCTIONS 'f' /* by the number of the name in `functions` */

/* The parts of a text of `dsos`. The build id is as it is written, and empty if there is none. */
static inline struct pd_str pi_dso_name(const char *text)
{
    const char *name = strchr(text, ' ') + 1;
    return (struct pd_str){.ptr = name, .len = strlen(name)};
}

static inline bool pi_dso_has_build_id(const char *text)
{
    return *text != ' ' && text[1] != ' ';
}

static inline struct pd_str pi_dso_build_id(const char *text)
{
    const char *id = text + (*text != ' ');
    return (struct pd_str){.ptr = id, .len = (size_t)(strchr(id, ' ') - id)};
}

/* A file of pprof, or of branch profiles, where copies of it, at other paths, are counted with it. */
struct pi_profiled {
    uint64_t code, last_code; /* its first and last byte that is mapped as code; code UINT64_MAX: none */
    bool has_offsets;         /* what is counted are offsets in it; else addresses */
    uint32_t first, next;     /* numbers in `dsos`: the first path of its build id; the next one, 0: none */
    uint32_t last;            /* of these paths, known to the first */
};

struct pd_export {
    struct pd_export_options options;
    struct pd_export_stats stats;
    struct pi_texts comms, cgroups, events, functions;
    /* Names of events that are to be exported, with samples or not: two tell that there are several. */
    struct pi_texts declared;
    /* PI_DSO_…, the build id if the format writes it, a space, the name. Number 0: not mapped. */
    struct pi_texts dsos;
    bool *nanoseconds; /* by number in `events`: its periods are times */
    size_t cap_nanoseconds;
    struct pi_profiled *profiled; /* by number in `dsos`, of branch profiles and pprof */
    size_t cap_profiled;
    struct pi_texts ids; /* build ids of branch profiles */
    uint32_t *first_of;  /* by number in `ids`: that of its first path in `dsos` */
    size_t cap_first_of;
    uint32_t *twins; /* by number in `dsos`: that of the same file with PI_DSO_FUNCTIONS; 0: none yet */
    size_t cap_twins;
    struct pi_stacks stacks;
    struct pi_rows *rows;                          /* of PD_EXPORT_PARQUET; NULL: none yet */
    struct pd_allocator *allocator, own_allocator; /* for pd_out_grow(), whose argument is not const */
    bool broken;                                   /* an error has ended it */
};

/* Branch profiles have no frames. */
static inline bool pi_export_is_branches(const struct pd_export *e)
{
    return e->options.format >= PD_EXPORT_BOLT && e->options.format <= PD_EXPORT_AUTOFDO;
}

struct pi_exporting; /* the work on one recording */

/* ---- names.c */

/* The number of a text. PD_ENOMEM; PD_ELIMIT. */
enum pd_code pi_export_text(struct pi_texts *texts, const char *text, size_t n, uint32_t *number,
                            struct pd_error *error);

/* ---- profiled.c */

/*
 * Notes a mapping of a file of branch profiles. *number, that of its name in `dsos`, becomes that of the
 * first name with its build id.
 */
enum pd_code pi_export_profiled(struct pi_exporting *x, const struct pd_mapping *mapping, uint32_t *number);
/* Notes only which bytes of the file are code. */
enum pd_code pi_export_note_code(struct pi_exporting *x, const struct pd_mapping *mapping, uint32_t number);

/* ---- frames.c */

struct pi_export_frame {
    uint64_t offset;
    uint32_t dso; /* number in `dsos` */
};

/* What is at an address. */
struct pi_export_place {
    uint64_t offset;
    uint32_t dso;
    bool has_function;
    uint32_t function; /* number in `functions` */
};

/* A frame of a call chain. */
union pi_chain_frame {
    struct {
        uint8_t n, bytes[15];
    } key;       /* what it puts into the key of a stack */
    uint64_t ip; /* of a row */
};

struct pi_export_frames {
    union pi_chain_frame *all; /* leaf first */
    size_t n, cap;
};

struct pi_frame_place;  /* a frame that was looked up */
struct pi_frame_what;   /* what it is */
struct pi_stack_place;  /* a stack that was added */
struct pi_comm_place;   /* a name that was looked up */
struct pi_branch_place; /* a branch that was counted */
struct pi_branch_sums;  /* where it was */

/* Where the mapping of an address begins and ends. */
struct pi_frame_range {
    uint64_t first, last, who; /* who 0: empty */
    const struct pd_mapping *mapping;
};
#define PI_FRAME_RANGES 4

/* What the stack of a sample is made of. */
struct pi_export_sample {
    uint32_t pid, tid, cpu, event;
    uint32_t process; /* whose memory the frames are in */
    uint64_t weight;
    const struct pd_record *rec;
    uint64_t ip;
    bool has_ip;
    struct pd_vec ips; /* n 0: the address alone is the stack */
};

/* To be called before the other functions. */
enum pd_code pi_export_make_places(struct pi_exporting *x);
/* The frame of an address. */
struct pi_export_frame pi_export_find(struct pi_exporting *x, uint32_t pid, uint64_t ip, unsigned cpumode);
/* The same, with its function. What fails is kept in x->failed. */
struct pi_export_place pi_export_find_function(struct pi_exporting *x, uint32_t pid, uint64_t ip,
                                               unsigned cpumode);
/* Appends the frames of a call chain in the memory of a process. */
enum pd_code pi_export_chain(struct pi_exporting *x, uint32_t pid, const struct pd_vec *ips);
/* Appends one frame. */
enum pd_code pi_export_frame(struct pi_exporting *x, uint32_t pid, uint64_t ip, unsigned cpumode);

/* Makes the key of the head and the frames, with room for the longest one, which *key NULL does not have. */
enum pd_code pi_export_make_key(struct pi_exporting *x, uint8_t **key, size_t *n);
/* Adds the frames and the head to the stacks, or the row to the rows. *at as of pi_stacks_add(). */
enum pd_code pi_export_put(struct pi_exporting *x, const struct pi_export_sample *sample,
                           struct pi_stack **at);

/* ---- processes.c */

struct pi_export_process;

/* All zeros but the allocator: empty. */
struct pi_export_processes {
    struct pi_idmap pids; /* to places in `all` */
    struct pi_export_process *all;
    size_t n, cap;
    uint64_t numbers; /* that were given */
    uint64_t changes; /* of the mappings of all */
    uint64_t kernel;  /* its number; 0: none since the last change */
    struct {
        uint64_t number; /* 0: none since the last change */
        uint32_t pid;
    } last; /* that was asked for */
};

void pi_export_processes_free(struct pi_export_processes *p, const struct pd_allocator *allocator);
/* Notes which tasks' names and frames must be looked up again after a record that is no sample. */
void pi_export_note_change(struct pi_exporting *x, struct pd_record *rec);
uint64_t pi_export_find_number(struct pi_exporting *x, uint32_t pid);

/* ---- deferred.c: samples whose call chains end in a cookie */

struct pi_unjoined {
    uint64_t cookie;
    uint32_t tid, n_head;
    unsigned cpumode;
    struct pi_export_sample sample;
    union pi_chain_frame *frames; /* leaf first, then `n_head` bytes of the key or row; NULL: joined */
    size_t n_frames;
};

struct pi_unjoined_list {
    struct pi_unjoined *all; /* oldest first, from `first` on */
    size_t first, n, cap;
    uint64_t bytes;
};

/* Keeps the frames and the head of the key of a sample until its cookie comes. */
enum pd_code pi_export_defer(struct pi_exporting *x, const struct pi_export_sample *sample, uint64_t cookie);
/* Joins the user's part with the samples that wait for it. */
enum pd_code pi_export_join(struct pi_exporting *x, struct pd_record *rec);
/* Adds those for which none came. */
enum pd_code pi_export_unjoined(struct pi_exporting *x);

/* ---- export.c */

/*
 * A stack that is added when two others were made, so that its memory has been fetched by then: when the next
 * one is made its entry is there, which tells where the key is.
 */
struct pi_export_later {
    bool waits;
    uint8_t *key;
    size_t n;
    uint64_t hash, weight;
    struct pi_alike_awaited awaited;
};
#define PI_EXPORT_LATER 3 /* with the one that is being made */

struct pi_exporting {
    struct pd_export *all;
    struct pi_chosen chosen;
    struct pd_filter_options select;
    struct pd_filter_lists keep, drop; /* of select, for the events; cleared there, as counters have events */
    struct pi_offcpu_names offcpu;
    struct pd_error *error;
    const struct pd_allocator *allocator;
    enum pd_code failed; /* in a callback of the session */
    struct pi_export_processes processes;
    struct {
        uint64_t at; /* the address of its symbol */
        uint32_t dso;
    } kernel; /* that was told last */
    struct pi_frame_place *frame_places;
    struct pi_frame_what *frame_whats; /* of each place */
    struct pi_frame_range ranges[PI_FRAME_RANGES];
    unsigned next_range; /* to be replaced */
    struct pi_stack_place *stack_places;
    struct pi_comm_place *comm_places;
    struct pi_changes changes;
    struct pi_taker taker; /* takes samples before they are put in order */
    struct pi_alike alike; /* with this, of stacks and addresses */
    /* Of branch profiles: a power of two of places; how many others took since the last enlargement. */
    struct pi_branch_place *branch_places;
    struct pi_branch_sums *branch_sums; /* of each place */
    size_t n_branch_places, n_pushed;
    uint64_t branch_numbers;        /* of processes: the largest that branches do not use */
    struct pd_record branch_record; /* that is taken */
    struct pi_stack *counted[5];    /* for the branch */
    size_t n_counted;
    uint64_t comm_generation; /* changes with each record that may change a name */
    uint32_t *events; /* by number of the attr: number in pd_export.events + 1; 0: not asked for yet */
    size_t n_events;
    char *text; /* a name of an event or file */
    size_t text_cap;
    struct pi_export_frames frames; /* of the sample */
    uint8_t head[32];               /* its key's */
    size_t n_head;
    uint8_t *key;
    struct pi_export_later later[PI_EXPORT_LATER]; /* in turn */
    unsigned turn;                                 /* the one that is made next */
    struct pd_out row;                             /* or its row */
    struct pi_expression_place *field_places;      /* by attr and field that rows have */
    size_t n_field_places;
    struct pi_unjoined_list unjoined;
};

/*
 * The number of a process, never 0; another one when a record may have changed its mappings. What fails is
 * kept in x->failed.
 */
static inline uint64_t pi_export_number(struct pi_exporting *x, uint32_t pid)
{
    return x->processes.last.number && x->processes.last.pid == pid ? x->processes.last.number
                                                                    : pi_export_find_number(x, pid);
}

/* True if samples of the event are to be exported. */
static inline bool pi_export_wants(const struct pi_exporting *x, uint32_t attr)
{
    return attr != UINT32_MAX && (!x->keep.events || pi_chosen_lists(&x->keep, attr)) &&
           !pi_chosen_lists(&x->drop, attr);
}

/* ---- Keys */

static inline size_t pi_put_number(uint8_t *to, uint64_t value)
{
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        to[n++] = (uint8_t)(value | 0x80);
    to[n++] = (uint8_t)value;
    return n;
}

static inline uint64_t pi_take_number(const uint8_t **at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}

/* ---- The formats: each writes all stacks */

enum pd_code pi_export_folded(struct pd_export *all, const struct pd_sink *sink, struct pd_error *error);
enum pd_code pi_export_pprof(struct pd_export *all, const struct pd_sink *sink, struct pd_error *error);
enum pd_code pi_export_speedscope(struct pd_export *all, const struct pd_sink *sink, struct pd_error *error);
enum pd_code pi_export_firefox(struct pd_export *all, const struct pd_sink *sink, struct pd_error *error);
/* ---- symbols.c: addresses without their stacks, in order of files and offsets */

/* Counts the addresses of a call chain. */
enum pd_code pi_export_addresses(struct pi_exporting *x, uint32_t pid, const struct pd_vec *ips);
enum pd_code pi_export_address(struct pi_exporting *x, uint32_t pid, uint64_t ip, unsigned cpumode);
enum pd_code pi_export_symbols(struct pd_export *all, const struct pd_sink *sink, struct pd_error *error);
/* Branch profiles, each in a file of its own. */
enum pd_code pi_export_profiles(struct pd_export *all, struct pd_error *error);

#endif
