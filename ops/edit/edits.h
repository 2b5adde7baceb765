/* SPDX-License-Identifier: MIT */
/*
 * edits.h - changes of records, attrs and features that a conversion makes on the way
 * (pd_convert_options.edit and .redaction). Kinds of fields decide which fields are dropped or
 * changed; only call chains are known by the two records that have them.
 */
#ifndef PERFDATA_EDITS_H
#define PERFDATA_EDITS_H

#include "retouch.h"
#include "ops/output/type_counts.h"
#include <perfdata/feature.h>
#include <perfdata/ops/convert.h>

struct pi_edits {
    struct pi_retouch touch;
    const struct pd_allocator *allocator;
    uint64_t drop;      /* kinds: records and features of which the whole is such a kind are dropped */
    uint64_t strip;     /* PD_SAMPLE_* that samples lose */
    uint32_t max_stack; /* entries of a call chain, 0: all */
    bool strict;        /* unknown data must not pass */
    bool drop_unknown;  /* unknown data is dropped; else it is an error */
    bool zero_payload;  /* behind AUXTRACE records */
    bool clean_chains;  /* user parts of call chains lose words that are not addresses */
    const struct pd_attr *event; /* of the record at hand; NULL: none */
    bool kernel;                 /* the current record is of the kernel itself */
    bool of_memory;              /* the path in it is not that of a file: offsets in it are addresses */
    bool opaque;                 /* set while a value is changed: it had something opaque */
    bool parts_gone;             /* parts of a large record before this one were dropped */
    struct pd_error passed; /* why the last record or feature passed or was dropped without decoding; PD_OK:
                               it was decoded */
    struct pd_plan *plans;  /* of the changed attrs, by number; NULL where `strip` is 0 */
    size_t n_plans;
    struct pi_type_counts gone; /* dropped records */
    struct pi_type_counts left; /* those that passed as they are, since their fields are not known */
    uint8_t gone_features[32];
    uint64_t stray;                           /* bytes that belong to nothing */
    const struct pd_convert_options *options; /* the argument of the callbacks */
    struct pd_redaction *redaction;
    struct pi_untouched *untouched; /* by event: fields of samples that may stay as they are (untouched.c) */
    size_t n_untouched, untouched_cap;
    uint8_t *run;        /* of pi_edits_pass() */
    struct pd_attr attr; /* of pi_edits_attr() */
    uint8_t *bytes;      /* of pi_edits_feature() */
};

/*
 * The functions of a redaction for a conversion. struct pd_redaction begins with a pointer to these, and
 * nothing else of it is used here, so that programs that redact nothing do not link the libraries of
 * redactions.
 */
struct pi_redaction_calls {
    /* Gives the edits its callbacks. */
    void (*apply)(struct pd_redaction *redaction, struct pi_edits *e);
    /*
     * Tells whether addresses must be noted before a recording is converted. A conversion between begin and
     * end notes them and changes nothing. PD_ENOMEM.
     */
    bool (*asks_survey)(const struct pd_redaction *redaction);
    void (*begin_survey)(struct pd_redaction *redaction);
    enum pd_code (*end_survey)(struct pd_redaction *redaction, struct pd_error *error);
};

static inline const struct pi_redaction_calls *pi_calls_of(const struct pd_redaction *redaction)
{
    return *(const struct pi_redaction_calls *const *)(const void *)redaction;
}

/* The edits of the options; *edits is NULL if there are none. PD_EARG, PD_ENOMEM. */
enum pd_code pi_edits_open(struct pi_edits **edits, const struct pd_convert_options *options,
                           struct pd_error *error);
void pi_edits_close(struct pi_edits *edits);

/* An attr as it will be, until the next call; its tail may point to `tail`. */
enum pd_code pi_edits_attr(struct pi_edits *e, const struct pd_attr *attr, const struct pd_attr **out,
                           struct pd_error *error);
/* The name of an event type. */
enum pd_code pi_edits_event_type(struct pi_edits *e, struct pd_event_type *type, struct pd_error *error);

/*
 * The changed record in `out`, with *n bytes; 0: it is dropped. `rec`, which belongs to the reader, is
 * changed, too. Damage that passes is reported through `tell`.
 */
enum pd_code pi_edits_record(struct pi_edits *e, const struct pd_reader *r, struct pd_record *rec,
                             uint32_t nr_cpus_avail, uint8_t out[UINT16_MAX], size_t *n,
                             struct pd_error *error);

/*
 * Of the words of a call chain, one after the other: true if it is in a user's part, and is no address that a
 * program gets without asking for more. *user: the words so far end in such a part.
 */
static inline bool pi_is_no_address(uint64_t ip, bool *user)
{
    const bool marker = ip >= PD_CONTEXT_MAX, none = *user & !marker & (ip >> 48 != 0);
    *user = marker ? (ip == PD_CONTEXT_USER) | (ip == PD_CONTEXT_GUEST_USER) : *user;
    return none;
}

/*
 * Passes the samples at the reader's position that pi_edits_record() would give unchanged but for raw data,
 * as far as that is seen at once. *n: how many; returns their bytes, at *bytes, which stay until the next
 * call or read.
 */
size_t pi_edits_pass(struct pi_edits *e, struct pd_reader *r, const uint8_t **bytes, uint64_t *n);

/* True if a feature will certainly be dropped. Others may still be dropped when they are read. */
bool pi_edits_drops_feature(const struct pi_edits *e, uint32_t feature);
/* Notes that such a feature existed. */
void pi_edits_miss_feature(struct pi_edits *e, uint32_t feature);
/* A section, and its offset in the file or PD_NOWHERE, for errors. */
struct pi_edits_section {
    enum pd_order order;
    uint32_t feature, nr_cpus_avail;
    uint64_t offset;
};
/* The changed section, valid until the next call; false in *there: it is dropped. */
enum pd_code pi_edits_feature(struct pi_edits *e, const struct pi_edits_section *section,
                              const uint8_t *bytes, size_t n, struct pd_bytes *out, bool *there,
                              struct pd_error *error);

/* Reports what was dropped. */
void pi_edits_notes(const struct pi_edits *e, void (*note)(void *user, const struct pd_convert_note *note),
                    void *user);

#endif
