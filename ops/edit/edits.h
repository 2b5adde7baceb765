/* SPDX-License-Identifier: MIT */
/*
 * edits.h - changes of records, attrs and features that a conversion makes on the way
 * (pd_convert_options.edit and .redaction). What is dropped and which fields are touched follows from kinds
 * of fields, never from types of records.
 */
#ifndef PERFDATA_EDITS_H
#define PERFDATA_EDITS_H

#include "retouch.h"
#include "src/session/offcpu.h"
#include <perfdata/feature.h>
#include <perfdata/ops/convert.h>

#define PD_EDITS_TYPES 64

struct pd_edits {
    struct pd_retouch touch;
    const struct pd_allocator *allocator;
    uint64_t drop;                 /* kinds: records and features that are WHOLE of one go */
    uint64_t strip;                /* PD_SAMPLE_* that samples lose */
    uint32_t max_stack;            /* entries of a call chain, 0: all */
    bool strict;                   /* what is not understood must not pass */
    bool drop_unknown;             /* it goes; else it is an error */
    bool zero_payload;             /* behind AUXTRACE records */
    bool clean_chains;             /* user parts of call chains lose what is no address */
    const struct pd_attr *event;   /* of the record at hand; NULL: none */
    bool kernel;                   /* the record at hand is of the kernel's own */
    bool of_memory;                /* the path in it is of no file: offsets in it are addresses */
    bool opaque;                   /* set while a value is changed: it had something opaque */
    struct pd_offcpu_names offcpu; /* of the input; see pd_edits_watch() */
    struct pd_error passed; /* why the last record or feature passed or went unread; PD_OK: it did not */
    struct pd_plan *plans;  /* of the changed attrs, by number; NULL where `strip` is 0 */
    size_t n_plans;
    /* what went, by type of record and by feature */
    struct {
        uint32_t type;
        uint64_t n;
    } gone[PD_EDITS_TYPES];
    size_t n_gone;
    uint8_t gone_features[32];
    uint64_t stray;                           /* bytes that belong to nothing */
    const struct pd_convert_options *options; /* what the callbacks work with */
    struct pd_redaction *redaction;
    struct pd_attr attr; /* of pd_edits_attr() */
    uint8_t *bytes;      /* of pd_edits_feature() */
};

/*
 * What a conversion asks of a redaction. struct pd_redaction begins with a pointer to these, and nothing else
 * is known of it here: so that programs that redact nothing do not link what redactions need.
 */
struct pd_redaction_calls {
    /* Gives the edits its callbacks. */
    void (*apply)(struct pd_redaction *redaction, struct pd_edits *e);
    /*
     * Must addresses be noted before a recording is converted? A conversion between begin and end notes them
     * and changes nothing. PD_ENOMEM.
     */
    bool (*asks_survey)(const struct pd_redaction *redaction);
    void (*begin_survey)(struct pd_redaction *redaction);
    enum pd_code (*end_survey)(struct pd_redaction *redaction, struct pd_error *error);
};

static inline const struct pd_redaction_calls *pd_calls_of(const struct pd_redaction *redaction)
{
    return *(const struct pd_redaction_calls *const *)(const void *)redaction;
}

/* What the options ask for; *edits is NULL when that is nothing. PD_EARG, PD_ENOMEM. */
enum pd_code pd_edits_open(struct pd_edits **edits, const struct pd_convert_options *options,
                           struct pd_error *error);
void pd_edits_close(struct pd_edits *edits);

/* Takes what the recording says of its events: before its records (NULL), and with each. PD_ENOMEM. */
enum pd_code pd_edits_watch(struct pd_edits *e, struct pd_reader *r, const struct pd_record *rec,
                            struct pd_error *error);

/* An attr as it will be, until the next call; its tail may point to `tail`. */
enum pd_code pd_edits_attr(struct pd_edits *e, const struct pd_attr *attr, const struct pd_attr **out,
                           struct pd_error *error);
/* The name of an event type. */
enum pd_code pd_edits_event_type(struct pd_edits *e, struct pd_event_type *type, struct pd_error *error);

/*
 * The record, which belongs to the reader, as it will be, in `out`, with *n bytes; 0: it goes. It is changed
 * on the way. Damage that passes is told through `tell`.
 */
enum pd_code pd_edits_record(struct pd_edits *e, const struct pd_reader *r, struct pd_record *rec,
                             uint32_t nr_cpus_avail, uint8_t out[UINT16_MAX], size_t *n,
                             struct pd_error *error);

/* Will a feature that is there go? That of the others may still turn out when it is read. */
bool pd_edits_drops_feature(const struct pd_edits *e, uint32_t feature);
/* Notes that such a one was there. */
void pd_edits_miss_feature(struct pd_edits *e, uint32_t feature);
/* A section, and where it is in the file or PD_NOWHERE, for errors. */
struct pd_edits_section {
    enum pd_order order;
    uint32_t feature, nr_cpus_avail;
    uint64_t offset;
};
/* A section as it will be, until the next call; false in *there: it goes. */
enum pd_code pd_edits_feature(struct pd_edits *e, const struct pd_edits_section *section,
                              const uint8_t *bytes, size_t n, struct pd_bytes *out, bool *there,
                              struct pd_error *error);

/* Tells what went. */
void pd_edits_notes(const struct pd_edits *e, void (*note)(void *user, const struct pd_convert_note *note),
                    void *user);

#endif
