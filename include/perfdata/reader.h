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

/* Where bytes come from when it is not a path, descriptor or memory. */
struct pd_source {
    /*
     * Reads up to n bytes at `offset` into buf; returns how many, 0 at the end, or a negative errno. A source
     * that cannot seek is only asked for the offset where the last read ended.
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
    uint64_t max_held;    /* most bytes kept of a file that comes through a pipe: what is before its data,
                             and what is behind it; 0: 256 MiB each */
    uint64_t max_inflate; /* most bytes that one COMPRESSED record may make; 0: 256 MiB. They are made in
                             pieces: memory does not grow with them */
    uint64_t max_window;  /* most bytes of memory that a zstd frame may want for its window, rounded down to
                             a power of two; 0: 128 MiB, which zstd's highest level needs */
    bool probe; /* findings also tell of what cannot be decoded in features, in tracing data, and in the
                    records that carry them: sections when it opens, records when they come. A
                    feature of more than 256 MiB is not looked into */
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

/* What the file header says, and what was found about it. */
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
    bool truncated;        /* the file ends before what its header announces */
    uint64_t stray;        /* bytes behind a pipe stream's last record that are no record; known at the end */
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
};

struct pd_reader;

/*
 * Opens a recording. Damage that leaves something readable is not an error here but a finding
 * (pd_reader_findings()). The reader takes what it needs of `source` but, for fd and memory, does not own
 * them: they must outlive it. A path of "-" is standard input; a directory is a recording made with --threads
 * or --kcore, whose records are those of `data` and then those of `data.N` by number. Without a `data` it is
 * PD_EMISSING, or PD_EIO, with what opening `data` gave; files that are missing between others, or are no
 * files, are findings, and have no records.
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
/* The attr an event id belongs to; UINT32_MAX when none does. */
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
 * The whole file as consecutive parts without overlap, from offset 0 to its end. When the input cannot seek,
 * what stands behind the data is there after the last record, as are its features.
 */
PD_API const struct pd_extent *pd_reader_extents(const struct pd_reader *reader, size_t *n);

/* The files of a directory recording, `data` first; of any other one, none. rec->member counts in them. */
PD_API size_t pd_reader_n_members(const struct pd_reader *reader);
PD_API const struct pd_member *pd_reader_member(const struct pd_reader *reader, size_t i);
/*
 * A reader of one member's records alone, for the attrs of `reader`, which must live longer. Several may be
 * used side by side, in one thread. A member that was found unreadable when `reader` was opened is one
 * without records.
 */
PD_API enum pd_code pd_reader_open_member(struct pd_reader **member, const struct pd_reader *reader, size_t i,
                                          const struct pd_reader_options *options, struct pd_error *error);

/* What is wrong or noteworthy about header, attrs, ids and features. */
PD_API size_t pd_reader_n_findings(const struct pd_reader *reader);
PD_API const struct pd_error *pd_reader_finding(const struct pd_reader *reader, size_t i);

/*
 * The next record, framed and with its attr, plan, offset and index, not yet decoded. rec->raw is valid until
 * the next call. PD_END: no more. PD_ESIZE, PD_ETRUNC, PD_ESHORT (fewer than 8 bytes are left): the data is
 * damaged here; the reader stands at the damage (pd_reader_offset()) and goes no further: the next call gives
 * PD_END or, in a directory, the first record of the next file. PD_EZSTD, PD_ELIMIT: a COMPRESSED record is
 * damaged or makes too much; what it holds is lost, as is all that is compressed up to the start of the next
 * zstd frame, of which one more PD_EZSTD tells; the reader goes on behind it.
 *
 * The records inside COMPRESSED ones follow it, with rec->depth 1 and the offset of the COMPRESSED record.
 * Into a COMPRESSED one inside another nobody looks: PD_EZSTD says so, then it is given as it is.
 */
PD_API enum pd_code pd_reader_next(struct pd_reader *reader, struct pd_record *rec, struct pd_error *error);

/*
 * Decodes what pd_reader_next() gave. PD_EUNKNOWN: the record's event is not known, so its layout is not
 * either.
 */
PD_API enum pd_code pd_reader_decode(const struct pd_reader *reader, struct pd_record *rec,
                                     struct pd_error *error);

/*
 * Is a record what it says, though it can be decoded? The record is as pd_reader_decode() left it. PD_OK:
 * nothing speaks against it. PD_EUNKNOWN: no attr has its event id (`found`), so perf stops there. PD_EVALUE:
 * a record of this type (`found`) cannot stand in this container. Its size (`found`) takes in: PD_EINSIDE:
 * records that follow it; PD_ECOUNT: of a record of perf itself what is none of its fields; `expected` is
 * where that begins in it. What `perfdata check` notes, and pd_repair() leaves out.
 */
PD_API enum pd_code pd_reader_judge(const struct pd_reader *reader, const struct pd_record *rec,
                                    struct pd_error *why);

/*
 * Both in one, for those who look at every record: for samples of the usual types this is less than half of
 * the work of the two. The result is that of pd_reader_next(). When decoding fails rec->decoded is false, and
 * *error says why.
 */
PD_API enum pd_code pd_reader_next_decoded(struct pd_reader *reader, struct pd_record *rec,
                                           struct pd_error *error);

/*
 * The bytes behind the last record (rec->payload_size in all), a piece at a time, valid until the next call;
 * *n is 0 after the last. What is not asked for is skipped by pd_reader_next(). PD_ETRUNC: the input ends
 * before them.
 */
PD_API enum pd_code pd_reader_payload(struct pd_reader *reader, const uint8_t **bytes, size_t *n,
                                      struct pd_error *error);

/*
 * PD_OK; or why reading the input failed, or a file of the directory: the first such error, which *error (may
 * be NULL) receives. From then on reading is not tried again. Whoever makes something of a recording asks
 * this at the end: what was made is not whole.
 */
PD_API enum pd_code pd_reader_failure(const struct pd_reader *reader, struct pd_error *error);

/* Back to the first record; PD_EUNSUP when the input cannot seek. */
PD_API enum pd_code pd_reader_rewind(struct pd_reader *reader, struct pd_error *error);

/*
 * Goes on with the record at `offset`, of a file or of `data` in a directory: one that pd_record.offset told,
 * or the end of the data. Its index will be `index`. Of a pipe stream, records before it must have been read:
 * they hold the attrs. In compressed data, what is inside is lost up to the start of the next zstd frame.
 * PD_EUNSUP: the input cannot seek; PD_EARG: the data is elsewhere.
 */
PD_API enum pd_code pd_reader_seek(struct pd_reader *reader, uint64_t offset, uint64_t index,
                                   struct pd_error *error);

/* Where the next record starts. */
PD_API uint64_t pd_reader_offset(const struct pd_reader *reader);

/*
 * Reads n bytes at `offset` of the file, whatever part it is; PD_ETRUNC when there are not that many. Moves
 * the window: the last record's raw bytes, and all views into them, are no longer valid.
 */
PD_API enum pd_code pd_reader_read(struct pd_reader *reader, uint64_t offset, void *buf, size_t n,
                                   struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
