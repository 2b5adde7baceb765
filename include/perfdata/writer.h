/* SPDX-License-Identifier: MIT */
/*
 * perfdata/writer.h - writes perf.data files and pipe streams.
 */
#ifndef PERFDATA_WRITER_H
#define PERFDATA_WRITER_H

#include <perfdata/feature.h>
#include <perfdata/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where bytes go to. */
struct pd_sink {
    /* Appends n bytes; returns 0 or an errno. */
    int (*write)(void *user, const void *bytes, size_t n);
    /* Replaces n bytes written before; returns 0 or an errno. NULL: cannot. */
    int (*patch)(void *user, uint64_t offset, const void *bytes, size_t n);
    void *user;
};

/*
 * A sink that writes the regular file `path`, which is created (mode 0600) or emptied; its `user` belongs to
 * the library. allocator NULL: malloc. PD_EOUT with `found`, an errno: it cannot be opened.
 */
PD_API enum pd_code pd_sink_open(struct pd_sink *sink, const char *path, const struct pd_allocator *allocator,
                                 struct pd_error *error);
/* Writes the buffered bytes and closes the file. PD_EOUT: that failed. A sink of zeros is allowed. */
PD_API enum pd_code pd_sink_close(struct pd_sink *sink, struct pd_error *error);

struct pd_writer_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc; must outlive the writer */
    enum pd_order order;
    unsigned max_features;       /* reserved entries of the feature table, for features that are given behind
                                    the records, 256 at most; 0: 64. Features that are given before the
                                    records, and that of `compression`, get additional entries */
    uint32_t attr_size;          /* bytes for each perf_event_attr; 0: the largest attr's */
    unsigned feature_word;       /* 4 or 8, see pd_file_info; 0: 8 */
    enum pd_container container; /* FILE, PIPE, or DIRECTORY: a data.N file of one, which has only records */
    unsigned version;            /* 1: PERFFILE, if the size of the attrs occurs in it; else 2 */
    uint32_t compression; /* 0, or the record type that carries compressed records: PD_RECORD_COMPRESSED
                             or PD_RECORD_COMPRESSED2 */
    int level;            /* of compression; 0: 1, as perf's */
    uint64_t max_held;    /* most bytes of features that wait to be written; 0: 256 MiB */
    /*
     * Called for each feature that is left out because the container cannot hold it; may be NULL. `why` is
     * static text.
     */
    void (*dropped)(void *user, uint16_t feature, const char *why);
    void *user;          /* for dropped() */
    bool no_feature_end; /* PIPE: no mark behind the features. The mark is perf's number of features, and perf
                            warns about, or refuses, that of another version; no version complains if the mark
                            is missing */
    bool keep_ids;       /* attrs get no ids but those that are given, and the ids of records are not checked:
                            what is read may be of another event than it was written for */
    /*
     * Compressed records: a zstd frame ends with the first record that brings it to this many bytes before
     * compression, and the next begins another, so that reading can begin there. 0: PD_WRITER_FRAME;
     * UINT64_MAX: one frame holds all records, as perf writes it.
     */
    uint64_t frame;
    /*
     * Threads that compress; NULL: none. Must outlive the writer. The allocator is called in all, the sink in
     * the caller's alone. Several frames of up to 2 MiB are compressed at the same time, longer ones beside
     * the caller's work. Takes 5 MiB for each thread, with the highest levels 27 MiB.
     */
    const struct pd_workers *workers;
};
#define PD_WRITER_FRAME 0x40000ull /* 256 KiB, see pd_writer_options */

struct pd_writer;

/*
 * Starts a recording on a sink, which must outlive the writer. Then: attrs, event types, features and
 * records, and pd_writer_finish().
 *
 * FILE: header, counts, sizes and offsets are computed; the sink must be able to patch, since the header is
 * completed last. Features come behind the records; those given before the first record are kept in memory
 * until the records are written, and no record may follow a feature that was given after a record. Attrs
 * given after the first record are written at the end, where only a reader that can seek finds them before
 * the records.
 *
 * PIPE: attrs, event types and features become records. Those given before the first record are written in
 * the order of perf: attrs, event types, features by number and the mark that ends them (unless
 * `no_feature_end`), tracing data, build ids. Later ones are written where they are given. A pipe stream has
 * no room for the features AUXTRACE and DIR_FORMAT, for empty ones except BRANCH_STACK and STAT, and for
 * those of more than 65,519 bytes.
 *
 * All records are compressed except types 64 to 69, 71, and 80 to 83; the COMPRESSED feature is added, and
 * replaces a given one.
 */
PD_API enum pd_code pd_writer_open(struct pd_writer **writer, const struct pd_sink *sink,
                                   const struct pd_writer_options *options, struct pd_error *error);
/*
 * The same with a sink from pd_sink_open(), which pd_writer_finish() or pd_writer_close() closes.
 *
 *     struct pd_writer *w;
 *     struct pd_attr attr = {.type = PD_TYPE_SOFTWARE, .size = PD_ATTR_SIZE_VER7,
 *                            .sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID};
 *     struct pd_record sample = {.type = PD_RECORD_SAMPLE, .u.sample = {.ip = 0x401000, .pid = 7, .tid = 7}};
 *     if (!pd_writer_create(&w, "new.data", NULL, &error) && !pd_writer_attr(w, &attr, NULL, 0, &error) &&
 *         !pd_writer_record(w, &sample, &error) && !pd_writer_finish(w, &error)) …
 */
PD_API enum pd_code pd_writer_create(struct pd_writer **writer, const char *path,
                                     const struct pd_writer_options *options, struct pd_error *error);
/*
 * Adds an event and its ids (host order; copied). The attr's tail is copied too. Its size is 0, or at
 * least 64 and at most that of its fields and the tail; PD_ECOUNT: it is not. A size of 0 with fields
 * behind byte 64 becomes one that they fit in, that of perf 6.1 or more. An attr with ID or IDENTIFIER in
 * its sample_type and no ids gets one: its number, counted from 1, or the next one that no event has
 * (unless `keep_ids`).
 */
PD_API enum pd_code pd_writer_attr(struct pd_writer *writer, const struct pd_attr *attr, const uint64_t *ids,
                                   size_t n_ids, struct pd_error *error);
/*
 * Names the event of attr number i, which was given; before the first record (copied). The writer then makes
 * the feature EVENT_DESC, which the program may not give itself. If one event is named, all that are given
 * before the first record must be: that record is refused otherwise. PD_EARG: there is no such attr, a record
 * was written, or the container is a DIRECTORY.
 */
PD_API enum pd_code pd_writer_event_name(struct pd_writer *writer, size_t i, const char *name,
                                         struct pd_error *error);
PD_API enum pd_code pd_writer_event_type(struct pd_writer *writer, const struct pd_event_type *type,
                                         struct pd_error *error);

/*
 * Encodes a record for attr number rec->attr_index (UINT32_MAX: none) and appends it. Counts and sizes
 * that are 0 are computed, as by pd_record_complete(), without a change of *rec. Refuses a record that
 * cannot be encoded, with the field's name, without writing anything; also a field that is not 0 but
 * absent in such a record (PD_EVALUE), such as `cpu` if sample_type has no CPU. An error counts records
 * from the first that was given here, from 0.
 *
 * A reader tells the event by the id in the record. If there are several events, a record with id 0, which
 * a reader takes for one of the first event, gets the first id of its own event. PD_EVALUE, with
 * `attr_index` as the field and the event that a reader finds as `found`: the record has the id of that
 * other event, or the layout has no id. PD_EVALUE, with `identifier` or `id` as the field: no event has the
 * id. `keep_ids` turns these checks off. PD_EVALUE, with `variant` as the field: a reader takes the bytes for
 * another form, `found`, than rec->variant says.
 */
PD_API enum pd_code pd_writer_record(struct pd_writer *writer, const struct pd_record *rec,
                                     struct pd_error *error);
/* Appends bytes to the data as they are: whole records, or the payload behind one, a piece at a time. */
PD_API enum pd_code pd_writer_raw(struct pd_writer *writer, const void *bytes, size_t n,
                                  struct pd_error *error);

/* Starts the section of a feature; pd_writer_feature_bytes() then appends to it. */
PD_API enum pd_code pd_writer_feature(struct pd_writer *writer, uint16_t feature, struct pd_error *error);
PD_API enum pd_code pd_writer_feature_bytes(struct pd_writer *writer, const void *bytes, size_t n,
                                            struct pd_error *error);

/*
 * A whole feature: id and u set by the program, the rest 0; or one that was decoded. Counts and sizes that
 * are 0 are computed, as by pd_feature_complete(), without a change of *f or its elements. Refuses a
 * feature that cannot be encoded, with the feature as error->section and the field as error->path.
 */
PD_API enum pd_code pd_writer_put_feature(struct pd_writer *writer, const struct pd_feature *f,
                                          struct pd_error *error);

/* Completes the file. The writer can then only be closed. */
PD_API enum pd_code pd_writer_finish(struct pd_writer *writer, struct pd_error *error);
/*
 * Frees the writer; a file that was not finished has data size 0, like an interrupted recording. NULL is
 * allowed.
 */
PD_API void pd_writer_close(struct pd_writer *writer);

/*
 * Bytes of data written so far, and the offset of the data. With compression, records that wait to be
 * compressed are not counted until a record that is not compressed is written, and if workers compress, until
 * an AUXTRACE record is.
 */
PD_API uint64_t pd_writer_data_size(const struct pd_writer *writer);
PD_API uint64_t pd_writer_data_offset(const struct pd_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
