/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/transform.h - passes the records of a recording to a callback that keeps, drops, changes or
 * adds records. Header, attrs, ids, features, container, byte order and compression are kept.
 *
 *     static enum pd_transform_verdict halve(void *user, struct pd_transform_run *t, struct pd_record *rec,
 *                                            struct pd_error *error)
 *     {
 *         if (rec->type != PD_RECORD_SAMPLE)
 *             return PD_TRANSFORM_KEEP;
 *         if (pd_transform_decode(t, rec, error))
 *             return PD_TRANSFORM_FAIL;
 *         rec->u.sample.period /= 2;
 *         return PD_TRANSFORM_ENCODE;
 *     }
 *     …
 *     struct pd_transform_options options = {.size = sizeof options, .record = halve};
 *     pd_transform(reader, &sink, &options, NULL, &error);
 */
#ifndef PERFDATA_OPS_TRANSFORM_H
#define PERFDATA_OPS_TRANSFORM_H

#include <perfdata/ops/convert.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pd_transform_run;

/* What to do with a record. */
enum pd_transform_verdict {
    PD_TRANSFORM_KEEP,   /* its bytes are copied */
    PD_TRANSFORM_DROP,   /* it is dropped with its payload; values of counters (READ) in the samples that
                            follow are less what it counted, so that each keeps its own difference */
    PD_TRANSFORM_ENCODE, /* it was decoded, and its current values are written; its payload is copied */
    PD_TRANSFORM_STOP,   /* it is dropped, and so are all that follow; the output is complete */
    PD_TRANSFORM_FAIL,   /* the run ends for the reason in *error */
};

struct pd_transform_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc */
    /*
     * Called for each record as pd_reader_next() frames it, in the order of the input, except for COMPRESSED
     * ones, whose content comes instead. In a stream, this includes records of the container (HEADER_ATTR,
     * FINISHED_ROUND, …), which must be kept. Views of the record are valid until the callback returns. NULL:
     * all records stay.
     */
    enum pd_transform_verdict (*record)(void *user, struct pd_transform_run *transform, struct pd_record *rec,
                                        struct pd_error *error);
    /* Called for each damage that loses records; may be NULL. */
    void (*finding)(void *user, const struct pd_error *error);
    /* Called at times with the work done and to do, in bytes; may be NULL. */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
    enum pd_convert_zip zip; /* KEEP: compressed records are compressed again, in records of the same type */
    int level;               /* of zstd; 0: that of the input, or 1 */
    /* For a directory as output, as in pd_filter_options: without them the output is a file. */
    int (*open_member)(void *user, const char *name, unsigned mode, struct pd_sink *sink);
    int (*close_member)(void *user, struct pd_sink *sink);
    uint64_t frame; /* least bytes in a zstd frame, as in pd_writer_options */
};

struct pd_transform_stats {
    uint64_t records; /* of the input */
    uint64_t kept, dropped, encoded, added;
    uint64_t first, last; /* time of the samples written; 0 without any */
    bool damaged;         /* damage lost records */
};

/*
 * Passes the records once, also of a stream that cannot seek; other inputs must be new or rewound. The
 * features are those of the input, except SAMPLE_TIME, which is that of the samples written unless all are
 * there at their times, COMPRESSED, and the index of AUX data. The sink must be able to patch unless the
 * input is a stream. An ENCODE without changes writes the same bytes. PD_EARG: ENCODE of a record that is not
 * decoded; the errors of encoding; PD_EOUT; stats may be NULL.
 */
PD_EXPERIMENTAL enum pd_code pd_transform(struct pd_reader *reader, const struct pd_sink *sink,
                                          const struct pd_transform_options *options,
                                          struct pd_transform_stats *stats, struct pd_error *error);

/* For the callback: decodes its record, as pd_reader_decode(). */
PD_EXPERIMENTAL enum pd_code pd_transform_decode(struct pd_transform_run *transform, struct pd_record *rec,
                                                 struct pd_error *error);
/*
 * For the callback: writes a record before its own, encoded for the event attr_index, or, if that is
 * UINT32_MAX, for the event of its own record. `rec` needs type, misc, u, and id if the event's records have
 * one. PD_EARG: there is no such event.
 */
PD_EXPERIMENTAL enum pd_code pd_transform_add(struct pd_transform_run *transform, const struct pd_record *rec,
                                              struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
