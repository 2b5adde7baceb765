/* SPDX-License-Identifier: MIT */
/*
 * convert.h - the internals of pd_convert(): convert.c decides and makes files and directories,
 * convert_stream.c streams that stay streams. Both use convert_records.c and convert_sections.c (attrs and
 * features); these use convert_change.c (changes of features). All of them use convert_common.c. A file that
 * keeps its layout goes through pd_rewrite_as() instead.
 */
#ifndef PERFDATA_CONVERT_INTERNAL_H
#define PERFDATA_CONVERT_INTERNAL_H

#include "ops/output/output.h"
#include "src/codec/record_role.h"
#include "transcode.h"
#include "encode/container/writer.h"

/* A feature that came as records, or is set by a change, in the output's byte order. */
struct pd_collected {
    uint8_t *bytes;
    size_t n, cap;
    bool there;
};

struct pd_conversion {
    struct pd_reader *r;
    const struct pd_convert_options *options;
    const struct pd_allocator *allocator;
    struct pd_convert_stats *stats;
    struct pd_error *error;
    enum pd_container from, to;
    struct pd_transcode t;
    bool open;       /* decompress COMPRESSED records: their content is compressed again, or written plain */
    bool compressed; /* the input has such records */
    bool merge;      /* members of a directory are merged by time */
    uint32_t zip;    /* type of the records that carry the output's compressed records; 0: none */
    int level;
    struct pd_members members;
    struct pd_sink sink;
    struct pd_sections out; /* of a directory its `data` */
    struct pd_writer *rest; /* data.0 of a directory that is made of one stream */
    bool rest_begun, first_done;
    struct pd_sorter *sorter; /* gives the records of a directory's members as one stream */
    bool untold;              /* it reported damage, which the reader must still number */
    uint8_t *held;            /* a record and its payload, of an input that cannot seek */
    size_t held_n, held_cap;
    uint8_t tail[PD_LIMIT_ATTR_CHANGED]; /* of an attr that is made larger */
    struct pd_attrs_watch watch;         /* of a stream that becomes a file */
    struct pd_collected collected[256];
    uint64_t collected_bytes;
    const struct pd_feature_change *change[256]; /* NULL: the feature stays */
    bool changed[256];                           /* in a stream: it has been written */
    struct pd_progress progress;                 /* of bytes read; what keeps its layout, of bytes written */
};

/* Reports damage that is skipped; a failure is returned unchanged. */
enum pd_code pd_convert_damage(struct pd_conversion *c, const struct pd_error *what);
void pd_convert_note(const struct pd_conversion *c, uint16_t feature, const char *why);
/* Callbacks of the parts below, for which the conversion is `user`. */
void pd_convert_finding(void *user, const struct pd_error *what);
void pd_convert_dropped(void *user, uint16_t feature, const char *why);

/* ---- Records (convert_records.c) */

static inline bool pd_convert_is_chunk(const struct pd_record *rec)
{
    return pd_role_of(rec) == PD_ROLE_WRAPPER;
}

static inline bool pd_convert_is_compressed(const struct pd_record *rec)
{
    return rec->depth == 0 && pd_convert_is_chunk(rec);
}

/* The next record of a reader, over what is damaged and reported. PD_END: no more, or none that can be read.
 */
enum pd_code pd_convert_next(struct pd_conversion *c, struct pd_reader *r, struct pd_record *rec);
/*
 * Is what follows the record all there? Of an input that cannot seek it is held until that is known, which
 * moves rec->raw; behind pd_convert_max_held() bytes it is taken for granted. The function that finds it
 * missing, the reader's or this one, reports it.
 */
enum pd_code pd_convert_whole(struct pd_conversion *c, struct pd_reader *r, struct pd_record *rec,
                              bool *whole);
/* Writes a record and its payload, from the reader it came from. */
enum pd_code pd_convert_put(struct pd_conversion *c, struct pd_reader *r, struct pd_record *rec,
                            struct pd_writer *w);

/* Sections: determines their sources. */
void pd_convert_feed(struct pd_conversion *c);
/* Takes a record of a stream that becomes part of a section; *taken: it did. */
enum pd_code pd_convert_collect(struct pd_conversion *c, struct pd_record *rec, bool *taken);
/* Appends to a feature that is collected. */
enum pd_code pd_convert_add(struct pd_conversion *c, uint16_t feature, const void *bytes, size_t n);
/* Entries that the feature table will have, with those left empty in the input. */
unsigned pd_convert_table(const struct pd_conversion *c);
/* Was the feature there, whether or not it is to be left out? */
bool pd_convert_had(const struct pd_conversion *c, uint16_t feature);
/* Most bytes of features that are held. */
uint64_t pd_convert_max_held(const struct pd_conversion *c);
/* Bytes of the words of the output's feature bitmap, as far as is known by now. */
unsigned pd_convert_feature_word(struct pd_conversion *c);
/* True if the section is present and intact. */
const struct pd_feature_section *pd_convert_section(const struct pd_conversion *c, uint16_t feature);

/*
 * Changes of features: sorts them by feature; and, knowing the way the conversion takes, refuses what cannot
 * be.
 */
enum pd_code pd_convert_take_changes(struct pd_conversion *c);
enum pd_code pd_convert_check_changes(struct pd_conversion *c);
/* Checks that a compressed record still has the COMPRESSED feature that it needs. */
enum pd_code pd_convert_check_chunk(struct pd_conversion *c, const struct pd_record *rec);
/* The number of the feature that a record brings, or a part of it; UINT64_MAX: none. */
uint64_t pd_convert_feature_of(const struct pd_conversion *c, const struct pd_record *rec);
/*
 * A record of CPU_TOPOLOGY, whose layout follows from the number of cpus, must not stay when a change sets
 * another one.
 */
enum pd_code pd_convert_check_topology(struct pd_conversion *c, const struct pd_record *rec);
/* The change of the feature in a record; NULL: it stays. */
const struct pd_feature_change *pd_convert_change_of(struct pd_conversion *c, const struct pd_record *rec);
/* Writes the replacement of such a record, if any. */
enum pd_code pd_convert_put_change(struct pd_conversion *c, const struct pd_feature_change *change,
                                   const struct pd_record *rec, struct pd_writer *w);
/*
 * In a stream: writes what is set and was not there yet; `own`: what has records of its own (build ids,
 * tracing data).
 */
enum pd_code pd_convert_put_due(struct pd_conversion *c, bool own, struct pd_writer *w);

/* A stream as a stream: c->r's to `sink`, with the header of a pipe if it has one. */
enum pd_code pd_convert_stream(struct pd_conversion *c, struct pd_reader *r, const struct pd_sink *sink);

/* Bytes that tracing data has without the padding behind it. */
size_t pd_tracing_bytes(const uint8_t *p, size_t n);

#endif
