/* SPDX-License-Identifier: MIT */
/* metadata.h - the kept metadata of a recording, for the files that fill it and those that answer from it. */
#ifndef PERFDATA_METADATA_INTERNAL_H
#define PERFDATA_METADATA_INTERNAL_H

#include "src/schema/fail.h"
#include "src/support/idmap.h"
#include <perfdata/session/large_record.h>
#include <perfdata/session/metadata.h>
#include <perfdata/session/tracepoint.h>

/* A feature with its bytes. Each is allocated separately, so that pointers given to callers stay valid. */
struct pi_held_feature {
    struct pd_feature feature;
    uint64_t offset; /* of its first byte, in the input */
    uint8_t *bytes;
};

/* The name that EVENT_UPDATE gives an event id, or the file that HEADER_BUILD_ID names. */
struct pi_held_record {
    struct pd_record rec;
    uint8_t bytes[];
};

/* The sources of an event's name, best first. */
enum pi_name_source { PI_NAME_FROM_UPDATE, PI_NAME_FROM_DESC, PI_NAME_FROM_LINES, PI_NAME_FROM_OLD };

/* A name for a number: of an event id, of an attr's place, or of an attr's type and config. */
struct pi_known_name {
    enum pi_name_source source;
    uint64_t number, type;
    size_t order; /* of several names, the one with the lowest counts */
    const char *text;
    size_t len;
    const char *made; /* its text, once it was asked for */
};

struct pd_metadata {
    const struct pd_allocator *allocator;
    enum pd_order order;
    struct pi_key key; /* of the hashes below */
    /* held.c */
    uint64_t left; /* bytes that may still be kept */
    struct pi_held_record **records;
    size_t n_records, cap_records;
    bool full; /* a record was not kept, which has been noted */
    struct pd_error *findings;
    size_t n_findings, cap_findings;
    bool out_of_memory; /* while adding a finding, a name or the tracepoints */
    /* features.c */
    struct pi_held_feature **held;
    size_t n_held, cap_held;
    bool told_cpus;              /* the finding that NRCPUS comes too often has been added */
    unsigned topologies;         /* how often CPU_TOPOLOGY was decoded again */
    struct pd_large_parts split; /* a large record whose parts have not all come */
    /* event_names.c */
    const char **names; /* of attrs, made on demand; "": there is none */
    size_t n_names;
    char **texts; /* the texts of `names`, each once, even if many attrs have it */
    size_t n_texts, cap_texts;
    struct pi_idmap by_text;     /* from their hashes; texts of the same hash have the numbers behind it */
    struct pi_known_name *known; /* sorted, made at the first question for a name */
    size_t n_known, cap_known;
    bool indexed;
    struct pi_old_name {
        uint64_t id;
        char *text;
    } * old_names; /* of the event_types section */
    size_t n_old, cap_old;
    struct pd_tracepoints *tracepoints;
    bool parsed; /* parsing the tracepoints was tried */
    /* build_ids.c */
    struct pi_idmap mapped; /* from hashes of mapped files with build ids to numbers of `records` */
};

static inline enum pd_code pi_meta_no_memory(struct pd_error *error, uint64_t bytes)
{
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "metadata", 0, bytes);
}

/* ---- held.c */

/* Adds a finding. */
void pi_meta_note(struct pd_metadata *m, const struct pd_error *error);
/* Turns a finding that could not be added into an error. */
enum pd_code pi_meta_noted(const struct pd_metadata *m, enum pd_code code, struct pd_error *error);
/* True if so many bytes may be kept; if not, notes that. */
bool pi_meta_charge(struct pd_metadata *m, uint64_t offset, uint64_t n);
/* Keeps a decoded record; notes one beyond the limit. */
enum pd_code pi_meta_keep_record(struct pd_metadata *m, const struct pd_record *rec, struct pd_error *error);
/* Called after a new source of names: names of events must be made again. */
void pi_meta_forget_names(struct pd_metadata *m);

/* ---- features.c */

enum pd_code pi_meta_add_feature(struct pd_metadata *m, const struct pd_record *rec, struct pd_error *error);
enum pd_code pi_meta_add_tracing_data(struct pd_metadata *m, struct pd_reader *r, const struct pd_record *rec,
                                      struct pd_error *error);
enum pd_code pi_meta_add_inner_tracing_data(struct pd_metadata *m, const struct pd_record *rec,
                                            struct pd_error *error);
enum pd_code pi_meta_add_part(struct pd_metadata *m, const struct pd_record *rec, struct pd_error *error);
/* A feature if it could be decoded; else NULL. */
const struct pd_feature *pi_meta_decoded(const struct pd_metadata *m, uint32_t id);

/* ---- event_names.c */

/* Takes the names of the event_types section. */
enum pd_code pi_meta_read_old_names(struct pd_metadata *m, struct pd_reader *r, struct pd_error *error);
/* Tells the reader which events are off-cpu ones, by EVENT_DESC and by a record. */
void pi_meta_tell_desc(const struct pd_metadata *m, struct pd_reader *r);
void pi_meta_tell_update(struct pd_reader *r, const struct pd_record *rec);

/* ---- build_ids.c */

/* Keeps a mapping with a build id, once for each file. */
enum pd_code pi_meta_keep_mapping(struct pd_metadata *m, const struct pd_record *rec, struct pd_error *error);

#endif
