/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/transform.h - a recording record by record through a callback that keeps, drops, changes or
 * adds them. Header, attrs, ids, features, container, byte order and compression go along.
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

/* What becomes of a record. */
enum pd_transform_verdict {
    PD_TRANSFORM_KEEP,   /* its bytes are copied */
    PD_TRANSFORM_DROP,   /* it goes, with what follows it (its payload) */
    PD_TRANSFORM_ENCODE, /* it was decoded, and what it holds now is written; its payload is copied */
    PD_TRANSFORM_STOP,   /* it goes, and so do all that follow; the output is complete */
    PD_TRANSFORM_FAIL,   /* *error says why: the run ends */
};

struct pd_transform_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc */
    /*
     * Called for each record as pd_reader_next() frames it, in the order of the input, but for COMPRESSED
     * ones, whose content comes instead. Of a stream, what describes the container (HEADER_ATTR,
     * FINISHED_ROUND, …) comes, too, and is to be kept. Views of the record are valid until the callback
     * returns. NULL: all stay.
     */
    enum pd_transform_verdict (*record)(void *user, struct pd_transform_run *transform, struct pd_record *rec,
                                        struct pd_error *error);
    /* Called for each damage behind which records are lost; may be NULL. */
    void (*finding)(void *user, const struct pd_error *error);
    /* Called now and then with the work done and to do, in bytes; may be NULL. */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
    enum pd_convert_zip zip; /* KEEP: what was compressed is so again, in records of the same type */
    int level;               /* of zstd; 0: that of the input, or 1 */
    /* For a directory as output, as in pd_filter_options: without them it makes a file. */
    int (*open_member)(void *user, const char *name, unsigned mode, struct pd_sink *sink);
    int (*close_member)(void *user, struct pd_sink *sink);
};

struct pd_transform_stats {
    uint64_t records; /* of the input */
    uint64_t kept, dropped, encoded, added;
    uint64_t first, last; /* time of the samples written; 0 without */
    bool damaged;         /* records were lost at a damage */
};

/*
 * Passes the records once, also of a stream that cannot seek; other inputs must be new or rewound. Features
 * are those of the input but SAMPLE_TIME, which is that of the samples written, COMPRESSED, and the index of
 * AUX data. The sink must be able to patch unless the input is a stream. An ENCODE that changes nothing
 * writes the same bytes. PD_EARG: ENCODE of a record that is not decoded; the errors of encoding; PD_EOUT;
 * stats may be NULL.
 */
PD_EXPERIMENTAL enum pd_code pd_transform(struct pd_reader *reader, const struct pd_sink *sink,
                                          const struct pd_transform_options *options,
                                          struct pd_transform_stats *stats, struct pd_error *error);

/* For the callback: decodes its record, as pd_reader_decode(). */
PD_EXPERIMENTAL enum pd_code pd_transform_decode(struct pd_transform_run *transform, struct pd_record *rec,
                                                 struct pd_error *error);
/*
 * For the callback: writes a record in front of its own, encoded for the event attr_index, or for that of its
 * own record if that is UINT32_MAX. `rec` needs type, misc, u, and id where the event's records have one.
 */
PD_EXPERIMENTAL enum pd_code pd_transform_add(struct pd_transform_run *transform, const struct pd_record *rec,
                                              struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
