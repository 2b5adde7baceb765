/* SPDX-License-Identifier: MIT */
/*
 * transcode.h - converts records, sections and whole files from one byte order to the other. Parts with a
 * layout in the schema are decoded in one and encoded in the other; of other records, only the header is
 * converted, and they are counted.
 */
#ifndef PERFDATA_TRANSCODE_H
#define PERFDATA_TRANSCODE_H

#include "ops/edit/edits.h"
#include "ops/output/progress.h"
#include "src/container/reader/reader_internal.h"
#include "src/support/limits.h"
#include <perfdata/ops/convert.h>
#include <perfdata/ops/rewrite.h>

struct pi_transcode {
    enum pd_order from, to;
    bool reencode;          /* decode and encode even if the order stays */
    bool opens;             /* what is inside COMPRESSED records would change */
    struct pi_edits *edits; /* changes of the values, which keep the order; NULL: none */
    uint32_t attr_size;     /* new size of attrs; 0: unchanged */
    const struct pd_allocator *allocator;
    unsigned feature_word;  /* bytes of the words of a big-endian output's feature bitmap */
    uint64_t max_held;      /* the largest section that is held */
    uint32_t nr_cpus_avail; /* from the last NRCPUS; 0: unknown */
    /* Called for each record that contradicts its own layout; may be NULL. */
    void (*finding)(void *user, const struct pd_error *what);
    void *user;
    struct pi_progress *progress; /* of pi_rewrite_as(); may be NULL */
    /* parts left unconverted */
    struct pi_type_counts left;
    uint8_t left_features[32];
    uint64_t left_registers; /* samples with bytes behind registers of an unknown abi */
    uint64_t left_attrs;     /* attrs with unknown fields */
    uint64_t unconverted;
    uint8_t bytes[UINT16_MAX], other[UINT16_MAX];
};

/*
 * The record in the new order: *bytes points into t->bytes, or is rec->raw if nothing changes. It is decoded
 * in any case, so that damage is reported. *n is 0 if an edit drops it.
 */
enum pd_code pi_transcode_record(struct pi_transcode *t, const struct pd_reader *r, struct pd_record *rec,
                                 const uint8_t **bytes, size_t *n, struct pd_error *error);

/*
 * Converts a whole feature section in place. A section without a known layout is noted as left. PD_ENOMEM: no
 * memory for another n bytes.
 */
enum pd_code pi_transcode_section(struct pi_transcode *t, uint16_t feature, uint8_t *bytes, size_t n,
                                  struct pd_error *error);
/* Reports damage in the feature of a stream's record, if it has one. */
void pi_transcode_look(struct pi_transcode *t, const struct pd_record *rec);
/* Leaves and notes a section, or a part of one, that is too large to be held. */
void pi_transcode_leave_section(struct pi_transcode *t, uint16_t feature);

/* Gives an attr another valid size. PD_EVALUE names a field that would be lost. `tail` becomes its tail. */
enum pd_code pi_transcode_attr_size(const struct pd_attr *attr, uint32_t size, struct pd_attr *out,
                                    uint8_t tail[PI_LIMIT_ATTR_CHANGED], struct pd_error *error);

/* Counts an attr whose fields are not all known. */
void pi_transcode_look_at_attr(struct pi_transcode *t, const struct pd_attr *attr);
/* Calls note() for everything left unconverted. */
void pi_transcode_notes(const struct pi_transcode *t,
                        void (*note)(void *user, const struct pd_convert_note *note), void *user);

/*
 * As pd_rewrite(), with each part and record converted by t: in its byte order and with its findings. Two
 * conversions give the original bytes.
 */
enum pd_code pi_rewrite_as(struct pd_reader *reader, const struct pd_sink *sink,
                           const struct pd_rewrite_options *options, struct pi_transcode *t,
                           struct pd_rewrite_stats *stats, struct pd_error *error);

#endif
