/* SPDX-License-Identifier: MIT */
/*
 * perfdata/reader.h - reads a perf.data file or stream record by record through a sliding window: memory does
 * not grow with the input, nothing is allocated per record.
 *
 *     struct pd_reader *r;
 *     if (pd_reader_open(&r, "perf.data", NULL, &error) == PD_OK) {
 *         struct pd_record rec = {0};
 *         while (pd_reader_next(r, &rec, &error) == PD_OK)
 *             if (pd_reader_decode(r, &rec, &error) == PD_OK) …
 *         pd_reader_close(r);
 *     }
 *
 * A reader may move between threads but serves one at a time; readers are independent of each other. Several
 * threads share one file by parts: pd_reader_open_part().
 */
#ifndef PERFDATA_READER_H
#define PERFDATA_READER_H

#include <perfdata/attr.h>
#include <perfdata/codec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A source of bytes other than a path, descriptor or memory. */
struct pd_source {
    /*
     * Reads up to n bytes at `offset` into buf; returns how many, 0 at the end, or a negative errno. A source
     * that cannot seek is only called with the offset where the last read ended.
     */
    int64_t (*read_at)(void *user, uint64_t offset, void *buf, size_t n);
    void (*close)(void *user); /* may be NULL; called once, also when opening fails */
    void *user;
    uint64_t size; /* in bytes; PD_NOWHERE: cannot seek, size unknown */
};

struct pd_reader_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc; must outlive the reader */
    size_t window;                        /* bytes read at a time; 0: 256 KiB; never below 128 KiB */
    bool keep_compressed;                 /* do not look into COMPRESSED records */
    uint64_t max_held;    /* most bytes kept of a file that comes through a pipe: those before its data, and
                             those behind it; 0: 256 MiB each */
    uint64_t max_inflate; /* most decompressed bytes of one COMPRESSED record; 0: 256 MiB. They are made in
                             pieces: memory does not grow with them */
    uint64_t max_window;  /* most memory for the window of a zstd frame, in bytes, rounded down to a power of
                             two; 0: 128 MiB, which zstd's highest level needs */
    bool probe; /* findings also report features, tracing data and records carrying them that cannot be
                   decoded: sections at opening, records when they are read. A feature of more than 256 MiB is
                   not decoded */
    bool live;  /* a source that returns -EAGAIN, and a descriptor that does not block, has no bytes now:
                   PD_AGAIN. Without this, descriptors are waited for, and -EAGAIN of a source is PD_EIO */
    /*
     * Threads that decompress records of a file ahead of the reader; NULL: none. Must outlive the reader. The
     * source is read in the caller's thread alone, but the allocator is called in all. Takes up to 3 MiB for
     * each thread, and the windows of zstd frames.
     */
    const struct pd_workers *workers;
};

enum pd_container { PD_CONTAINER_FILE, PD_CONTAINER_PIPE, PD_CONTAINER_DIRECTORY };

/* The parts of a file, for pd_reader_extents(). */
enum pd_extent_kind {
    PD_EXTENT_HEADER,      /* the file header, to its own size */
    PD_EXTENT_IDS,         /* ids of attr `index` */
    PD_EXTENT_ATTRS,       /* the attr entries */
    PD_EXTENT_EVENT_TYPES, /* legacy names */
    PD_EXTENT_DATA,        /* the records */
    PD_EXTENT_TABLE,       /* the feature table */
    PD_EXTENT_FEATURE,     /* section of feature `index` */
    PD_EXTENT_GAP,         /* bytes that belong to nothing: between parts, or behind the last */
    PD_EXTENT_OVERLAP,     /* the rest of a part that begins inside an earlier one */
};

struct pd_extent {
    enum pd_extent_kind kind;
    uint32_t index;
    uint64_t offset;
    uint64_t size;
};

/* The content of the file header, and facts found about it. */
struct pd_file_info {
    enum pd_container container;
    enum pd_order order;
    unsigned version;               /* 2, or 1 for PERFFILE */
    struct pd_file_header header;   /* as stored; pipe: magic and size only */
    uint64_t file_size;             /* PD_NOWHERE when not known */
    uint64_t data_offset, data_end; /* where the records are; end PD_NOWHERE when not known */
    unsigned feature_word; /* bytes of the feature bitmap's words: 8, or 4 in files of 32-bit big-endian
                              machines */
    uint8_t features[32];  /* logical bits: feature n is bit n % 8 of byte n / 8 */
    bool unfinished;       /* data size 0 though records follow: they run to the end of the file */
    bool truncated;        /* the file ends before the parts that its header announces */
    uint64_t stray;        /* bytes behind a pipe stream's last record that are not a record; known at the
                              end */
};

/* An event: its attr, ids and plan. Valid until the reader is closed. */
struct pd_event_attr {
    struct pd_attr attr;
    struct pd_plan plan;
    const uint64_t *ids; /* host order */
    size_t n_ids;
    uint64_t offset;                    /* of the attr in the file or stream */
    bool in_stream;                     /* came as a HEADER_ATTR record */
    uint32_t room;                      /* bytes of the attr in its entry, tail included */
    struct pd_file_section ids_section; /* as stored; file mode */
    bool ids_early; /* ids_section was found behind attr.size bytes, not at the end of the entry */
};

/* A feature section. */
struct pd_feature_section {
    uint16_t feature; /* PD_FEAT_* or unknown */
    bool
        intact; /* lies within the file, which is as large as all features before it together with this one */
    struct pd_file_section section;
};

/* A file of a directory recording that holds records: `data`, `data.0`, … */
struct pd_member {
    const char *name; /* in the directory */
    uint64_t size;    /* bytes */
    unsigned mode;    /* permission bits of the file */
    bool unreadable;  /* a finding says why */
};

struct pd_reader;

/*
 * Opens a recording. Damage that leaves something readable is not an error here but a finding
 * (pd_reader_finding()). The reader copies `source`, but does not own its fd or memory, which must outlive
 * the reader. A path of "-" is standard input; a directory is a recording made with --threads or --kcore,
 * whose records are those of `data` and then those of `data.N` by number. Without a `data` it is PD_EMISSING,
 * or PD_EIO, with the error of opening `data`; files that are missing between others, or are not files, are
 * findings, and have no records.
 */
PD_API enum pd_code pd_reader_open(struct pd_reader **reader, const char *path,
                                   const struct pd_reader_options *options, struct pd_error *error);
PD_API enum pd_code pd_reader_open_fd(struct pd_reader **reader, int fd,
                                      const struct pd_reader_options *options, struct pd_error *error);
PD_API enum pd_code pd_reader_open_memory(struct pd_reader **reader, const void *bytes, size_t n,
                                          const struct pd_reader_options *options, struct pd_error *error);
PD_API enum pd_code pd_reader_open_source(struct pd_reader **reader, const struct pd_source *source,
                                          const struct pd_reader_options *options, struct pd_error *error);
PD_API void pd_reader_close(struct pd_reader *reader);

PD_API const struct pd_file_info *pd_reader_info(const struct pd_reader *reader);

/* Attrs in file order. In a pipe stream more may come with the records. */
PD_API size_t pd_reader_n_attrs(const struct pd_reader *reader);
PD_API const struct pd_event_attr *pd_reader_attr(const struct pd_reader *reader, size_t i);
/* The attr that an event id belongs to; UINT32_MAX: none. */
PD_API uint32_t pd_reader_find_id(const struct pd_reader *reader, uint64_t id);

/*
 * The event_types section of old files: names of events. PD_EUNSUP when the input cannot seek; PD_EARG: there
 * is no such i.
 */
PD_API size_t pd_reader_n_event_types(const struct pd_reader *reader);
PD_API enum pd_code pd_reader_event_type(struct pd_reader *reader, size_t i, struct pd_event_type *out,
                                         struct pd_error *error);

/* Feature sections, in order of their number. */
PD_API size_t pd_reader_n_features(const struct pd_reader *reader);
PD_API const struct pd_feature_section *pd_reader_feature(const struct pd_reader *reader, size_t i);
/* The section of feature `number`; NULL when the file has none. */
PD_API const struct pd_feature_section *pd_reader_find_feature(const struct pd_reader *reader,
                                                               uint16_t number);

/*
 * The whole file as consecutive parts without overlap, from offset 0 to its end. If the input cannot seek,
 * the parts behind the data, and its features, are known after the last record.
 */
PD_API const struct pd_extent *pd_reader_extents(const struct pd_reader *reader, size_t *n);

/*
 * The files of a directory recording, `data` first; other recordings have none. rec->member is an index of
 * them.
 */
PD_API size_t pd_reader_n_members(const struct pd_reader *reader);
PD_API const struct pd_member *pd_reader_member(const struct pd_reader *reader, size_t i);
/*
 * A reader of the records of one member, with the attrs of `reader`, which must live longer. Several may be
 * used side by side, in one thread. A member that was unreadable when `reader` was opened has no records.
 */
PD_API enum pd_code pd_reader_open_member(struct pd_reader **member, const struct pd_reader *reader, size_t i,
                                          const struct pd_reader_options *options, struct pd_error *error);

/* Errors and notes about header, attrs, ids and features. */
PD_API size_t pd_reader_n_findings(const struct pd_reader *reader);
PD_API const struct pd_error *pd_reader_finding(const struct pd_reader *reader, size_t i);

/*
 * The next record, framed and with its attr, plan, offset and index, not yet decoded. rec->raw is valid until
 * the next call. PD_END: no more. PD_EIO: reading failed, now or before (pd_reader_failure()); bytes that
 * were read before are given as records first, and what may follow is not known, so that a record at the end
 * is not PD_ETRUNC. PD_ESIZE, PD_ETRUNC, PD_ESHORT (fewer than 8 bytes are left): the data is
 * damaged here; the reader stops at the damage (pd_reader_offset()): the next call gives PD_END or, in a
 * directory, the first record of the next file. The features behind the data are known then, also of a file
 * that cannot seek, which is read to its end first; with `live`, PD_AGAIN comes until they are there.
 * PD_EZSTD, PD_ELIMIT: a COMPRESSED record is damaged or decompresses to too many bytes; its content is lost,
 * and so is all compressed data up to the start of the next zstd frame, which one more PD_EZSTD reports; the
 * reader continues behind it.
 *
 * The records inside COMPRESSED ones follow it, with rec->depth 1 and the offset of the COMPRESSED record.
 * A COMPRESSED record inside another is not decompressed: PD_EZSTD says so, then the record is given as it
 * is. A HEADER_ATTR inside one is PD_EZSTD and not given, as records before it may need it.
 *
 * PD_AGAIN, with `live`: the next record is not there yet. Nothing is lost: call again when there is more. A
 * descriptor is waited for while it is opened; a source that returns -EAGAIN then is not opened (PD_AGAIN).
 */
PD_API enum pd_code pd_reader_next(struct pd_reader *reader, struct pd_record *rec, struct pd_error *error);

/*
 * Decodes the record that pd_reader_next() gave. PD_EUNKNOWN: the record's event, and so its layout, is not
 * known. After the caller wrote into rec->u, pd_record_changed() comes before the next record: else that one
 * shows what was written where it has no field of its own.
 */
PD_API enum pd_code pd_reader_decode(const struct pd_reader *reader, struct pd_record *rec,
                                     struct pd_error *error);

/*
 * Checks whether a record that can be decoded is plausible. The record is as pd_reader_decode() left it.
 * PD_OK: it is. PD_EUNKNOWN: no attr has its event id (`found`), so perf stops there. PD_EVALUE: a record of
 * this type (`found`) cannot occur in this container. PD_EINSIDE: its size (`found`) includes records that
 * follow it; PD_ECOUNT: the size of a record of perf itself includes bytes beyond its fields; `expected` is
 * where these begin in it. `perfdata check` notes such records, and pd_repair() leaves them out.
 */
PD_API enum pd_code pd_reader_judge(const struct pd_reader *reader, const struct pd_record *rec,
                                    struct pd_error *why);

/*
 * Both in one call, for programs that decode every record: for samples of the usual types this takes less
 * than half the time of two calls. The result is that of pd_reader_next(). If decoding fails, rec->decoded is
 * false, and *error has the reason. After the caller wrote into rec->u, pd_record_changed() comes first.
 */
PD_API enum pd_code pd_reader_next_decoded(struct pd_reader *reader, struct pd_record *rec,
                                           struct pd_error *error);

/*
 * The bytes behind the last record (rec->payload_size in all), a piece at a time, valid until the next call;
 * *n is 0 after the last. pd_reader_next() skips pieces that were not read. PD_ETRUNC: the input ends before
 * them. PD_AGAIN: as from pd_reader_next().
 */
PD_API enum pd_code pd_reader_payload(struct pd_reader *reader, const uint8_t **bytes, size_t *n,
                                      struct pd_error *error);

/*
 * PD_OK; or the first error of reading the input or a file of the directory, which *error (may be NULL)
 * receives. After it, reading is not tried again. Call this at the end when you make something from a
 * recording: after an error the result is not complete.
 */
PD_API enum pd_code pd_reader_failure(const struct pd_reader *reader, struct pd_error *error);

/* Back to the first record; PD_EUNSUP when the input cannot seek. */
PD_API enum pd_code pd_reader_rewind(struct pd_reader *reader, struct pd_error *error);

/*
 * Continues with the record at `offset`, of a file or of `data` in a directory: an offset from
 * pd_record.offset, or the end of the data. Its index will be `index`. Of a pipe stream, records before it
 * must have been read: they hold the attrs. In compressed data, records are lost up to the start of the next
 * zstd frame. PD_EUNSUP: the input cannot seek; PD_EARG: the data is elsewhere.
 */
PD_API enum pd_code pd_reader_seek(struct pd_reader *reader, uint64_t offset, uint64_t index,
                                   struct pd_error *error);

/* Where the next record starts. */
PD_API uint64_t pd_reader_offset(const struct pd_reader *reader);

/*
 * Reads n bytes at `offset` of the file, in any part; PD_ETRUNC: the file has fewer. Moves the window: the
 * last record's raw bytes, and all views into them, are no longer valid.
 */
PD_API enum pd_code pd_reader_read(struct pd_reader *reader, uint64_t offset, void *buf, size_t n,
                                   struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
