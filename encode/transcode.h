/* SPDX-License-Identifier: MIT */
/*
 * transcode.h - records and sections from one byte order to the other. What has a layout in the schema is
 * decoded in one and encoded in the other; of what has none, the record header is converted, and it is
 * counted.
 */
#ifndef PERFDATA_TRANSCODE_H
#define PERFDATA_TRANSCODE_H

#include "file.h"
#include <perfdata/convert.h>

#define PD_LEFT_TYPES 32
#define PD_MOST_ATTR_SIZE 4096 /* the kernel takes no larger ones */

struct pd_transcode {
    enum pd_order from, to;
    bool reencode;      /* decode and encode although the order stays */
    uint32_t attr_size; /* new size of attrs; 0: as they are */
    const struct pd_allocator *allocator;
    /* what was left as it is */
    struct {
        uint32_t type;
        uint64_t n;
    } left[PD_LEFT_TYPES]; /* the last one for all other types */
    size_t n_left;
    uint8_t left_features[32];
    uint64_t unconverted;
    uint8_t bytes[UINT16_MAX];
};

/* The record in the new order: *bytes points into t->bytes, or is rec->raw where nothing changes. */
enum pd_code pd_transcode_record(struct pd_transcode *t, const struct pd_reader *r, struct pd_record *rec,
                                 const uint8_t **bytes, size_t *n, struct pd_error *error);

/*
 * A piece of a feature section, in place. Only the sections that the containers themselves are made of are
 * converted; of others it is noted that they are not. BUILD_ID must come in one piece, others in multiples of
 * 8 bytes but for the last.
 */
void pd_transcode_section(struct pd_transcode *t, uint16_t feature, uint8_t *bytes, size_t n);

/* An attr of another size, which is a valid one. PD_EVALUE names a field that would be lost. `tail` becomes
 * its tail. */
enum pd_code pd_transcode_attr_size(const struct pd_attr *attr, uint32_t size, struct pd_attr *out,
                                    uint8_t tail[PD_MOST_ATTR_SIZE], struct pd_error *error);

/* Calls note() for all that was left unconverted. */
void pd_transcode_notes(const struct pd_transcode *t,
                        void (*note)(void *user, const struct pd_convert_note *note), void *user);

/*
 * The whole file, or member of a directory, in its own layout, each part in the new order: the mirror of
 * pd_rewrite(). Twice gives the bytes it started with.
 */
enum pd_code pd_transcode_file(struct pd_transcode *t, struct pd_reader *r, const struct pd_sink *sink,
                               const struct pd_convert_options *options, struct pd_convert_stats *stats,
                               struct pd_error *error);

#endif
