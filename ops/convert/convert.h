/* SPDX-License-Identifier: MIT */
/*
 * convert.h - the internals of pd_convert(): convert.c decides and makes files and directories,
 * convert_stream.c streams that stay streams. Both use convert_records.c and convert_sections.c (attrs and
 * features); these use convert_change.c (changes of features). All of them use convert_common.c. A file that
 * keeps its layout goes through pi_rewrite_as() instead.
 */
#ifndef PERFDATA_CONVERT_INTERNAL_H
#define PERFDATA_CONVERT_INTERNAL_H

#include "ops/output/output.h"
#include "src/codec/record_role.h"
#include "src/session/offcpu.h"
#include "transcode.h"
#include "encode/container/writer.h"

/* A feature that came as records, or is set by a change, in the output's byte order. */
struct pi_collected {
    uint8_t *bytes;
    size_t n, cap;
    bool there;
};

struct pi_conversion {
    struct pd_reader *r;
    const struct pd_convert_options *options;
    const struct pd_allocator *allocator;
    struct pd_convert_stats *stats;
    struct pd_error *error;
    enum pd_container from, to;
    struct pi_transcode t;
    struct pi_offcpu_names names;
    bool open;       /* decompress COMPRESSED records: their content is compressed again, or written plain */
    bool compressed; /* the input has such records */
    bool merge;      /* members of a directory are merged by time */
    bool joins;      /* `data` has compressed records, and stands before the other member */
    uint32_t zip;    /* type of the records that carry the output's compressed records; 0: none */
    int level;
    struct pi_members members;
    struct pd_sink sink;
    struct pi_sections out; /* of a directory: its `data` */
    struct pd_writer *rest; /* data.0 of a directory that is made of one stream */
    bool rest_begun, first_done;
    bool split, split_inside; /* the end of a large record is to come; compressed records came before it */
    struct pd_sorter *sorter; /* gives the records of a directory's members as one stream */
    uint64_t member_index;    /* of the next member's first record */
    uint8_t *held;            /* a record and its payload, of an input that cannot seek */
    size_t held_n, held_cap;
    uint8_t tail[PI_LIMIT_ATTR_CHANGED]; /* of an attr that is enlarged */
    struct pi_attrs_watch watch;         /* of a stream that becomes a file */
    struct pi_collected collected[256];
    uint64_t collected_bytes;
    const struct pd_feature_change *change[256]; /* NULL: the feature stays */
    bool changed[256];                           /* in a stream: it has been written */
    struct pi_progress progress;                 /* of bytes read; if the layout stays, of bytes written */
};

/* Reports damage that is skipped; a failure is returned unchanged. */
enum pd_code pi_convert_damage(struct pi_conversion *c, const struct pd_error *what);
void pi_convert_note(const struct pi_conversion *c, uint16_t feature, const char *why);
/* Callbacks of the parts below; `user` is the conversion. */
void pi_convert_finding(void *user, const struct pd_error *what);
void pi_convert_dropped(void *user, uint16_t feature, const char *why);

/* ---- Records (convert_records.c) */

static inline bool pi_convert_is_chunk(const struct pd_record *rec)
{
    return pi_role_of(rec) == PI_ROLE_WRAPPER;
}

static inline bool pi_convert_is_compressed(const struct pd_record *rec)
{
    return rec->depth == 0 && pi_convert_is_chunk(rec);
}

/* The next record of a reader; damage is reported and skipped. PD_END: no readable record is left. */
enum pd_code pi_convert_next(struct pi_conversion *c, struct pd_reader *r, struct pd_record *rec);
/*
 * *whole: the payload of the record is complete. If the input cannot seek, the payload is held until that is
 * known, which moves rec->raw; beyond pi_convert_max_held() bytes it is taken for complete. If it is cut, the
 * reader or this function reports it.
 */
enum pd_code pi_convert_whole(struct pi_conversion *c, struct pd_reader *r, struct pd_record *rec,
                              bool *whole);
/* Writes a record and its payload, from the reader it came from. */
enum pd_code pi_convert_put(struct pi_conversion *c, struct pd_reader *r, struct pd_record *rec,
                            struct pd_writer *w);

/* Sections: determines their sources. */
void pi_convert_feed(struct pi_conversion *c);
/* Takes a record of a stream that becomes part of a section; *taken: it did. */
enum pd_code pi_convert_collect(struct pi_conversion *c, struct pd_record *rec, bool *taken);
/* Appends to a feature that is collected. */
enum pd_code pi_convert_add(struct pi_conversion *c, uint16_t feature, const void *bytes, size_t n);
/* The number of entries that fit between the input's feature table and its first section. */
unsigned pi_convert_gap(const struct pi_conversion *c);
/* True if the input had the feature, even if it is to be left out. */
bool pi_convert_had(const struct pi_conversion *c, uint16_t feature);
/* The limit of bytes of features that are held. */
uint64_t pi_convert_max_held(const struct pi_conversion *c);
/* Bytes of the words of the output's feature bitmap, as far as known now. */
unsigned pi_convert_feature_word(struct pi_conversion *c);
/* True if the section is present and intact. */
const struct pd_feature_section *pi_convert_section(const struct pi_conversion *c, uint16_t feature);

/* Changes of features: sorts them by feature, and refuses those that the chosen way cannot make. */
enum pd_code pi_convert_take_changes(struct pi_conversion *c);
enum pd_code pi_convert_check_changes(struct pi_conversion *c);
/* Checks that a compressed record still has the COMPRESSED feature that it needs. */
enum pd_code pi_convert_check_chunk(struct pi_conversion *c, const struct pd_record *rec);
/* The number of the feature that a record carries, all or a part of it; UINT64_MAX: none. */
uint64_t pi_convert_feature_of(const struct pi_conversion *c, const struct pd_record *rec);
/*
 * Refuses to keep a record of CPU_TOPOLOGY, whose layout follows from the number of cpus, if a change sets
 * another number.
 */
enum pd_code pi_convert_check_topology(struct pi_conversion *c, const struct pd_record *rec);
/* The change of the feature in a record; NULL: it stays. */
const struct pd_feature_change *pi_convert_change_of(struct pi_conversion *c, const struct pd_record *rec);
/* Writes the replacement of such a record, if any. */
enum pd_code pi_convert_put_change(struct pi_conversion *c, const struct pd_feature_change *change,
                                   const struct pd_record *rec, struct pd_writer *w);
/*
 * In a stream: writes the set features that have not come yet; `own`: those with records of their own (build
 * ids, tracing data). Before the first attr of a stream of Google's perf 3.3 some have to wait, and are
 * refused if this is the `last` call.
 */
enum pd_code pi_convert_put_due(struct pi_conversion *c, bool own, bool last, struct pd_writer *w);

/* Converts a stream to a stream: from c->r to `sink`, with the header of a pipe if it has one. */
enum pd_code pi_convert_stream(struct pi_conversion *c, struct pd_reader *r, const struct pd_sink *sink);

/* The files of a directory that hold no records: copied, or noted. */
enum pd_code pi_convert_files(struct pi_conversion *c);

/* Bytes of tracing data without the padding behind it. */
size_t pi_tracing_bytes(const uint8_t *p, size_t n);

#endif
