/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/convert.h - a recording in another container, compressed or not, in another byte order, with
 * attrs of another size. docs/CONVERSIONS.md lists the data that conversions lose.
 */
#ifndef PERFDATA_OPS_CONVERT_H
#define PERFDATA_OPS_CONVERT_H

#include <perfdata/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pd_convert_to { PD_CONVERT_SAME, PD_CONVERT_FILE, PD_CONVERT_PIPE, PD_CONVERT_DIRECTORY };

enum pd_convert_zip {
    PD_ZIP_KEEP,        /* unchanged: compressed records are copied unless another option needs their
                           content */
    PD_ZIP_NONE,        /* no record is compressed */
    PD_ZIP_COMPRESSED,  /* compressed in COMPRESSED records, which perf since 5.2 reads */
    PD_ZIP_COMPRESSED2, /* in COMPRESSED2 records, since perf 6.16 */
};

enum pd_convert_order { PD_CONVERT_ORDER_SAME, PD_CONVERT_LITTLE, PD_CONVERT_BIG };

/*
 * A feature that is set or dropped, wherever the recording has it: in a section, in HEADER_FEATURE records,
 * in HEADER_BUILD_ID and HEADER_TRACING_DATA records. A feature that is set and missing is added.
 */
struct pd_feature_change {
    uint32_t feature; /* PD_FEAT_*, or another number below 256 */
    bool drop;        /* true: it is dropped; else it is set: */
    const void
        *bytes; /* the section in the byte order of the output, see pd_feature_encode(); it is not checked */
    size_t n;
};

/* Changes of records, attrs and features, besides whole features. All 0: none. */
struct pd_name_change {
    const char *from, *to;
};
struct pd_edit_options {
    size_t size;        /* sizeof this struct */
    uint64_t strip;     /* PD_SAMPLE_* that samples lose: not those of event, task, time or cpu, see
                           PD_EDIT_STRIPPABLE. Records with nothing else are dropped, too:
                           CALLCHAIN_DEFERRED with CALLCHAIN; AUX, AUXTRACE and records about them with
                           AUX */
    uint32_t max_stack; /* most entries kept of a call chain, the innermost; markers do not count. 0: all */
    int64_t time_shift; /* nanoseconds that are added to all times of the recording's clock; records without a
                           time, or with time 0, stay so. PD_ETIME: a time would be below 1 or not fit in 64
                           bits */
    const struct pd_name_change *renames; /* of tasks; all in one step, so that two can be exchanged */
    size_t n_renames;
    bool realtime; /* attrs say that times are of CLOCK_REALTIME, to which time_shift should bring them */
};

#define PD_EDIT_STRIPPABLE                                                                      \
    (PD_SAMPLE_ADDR | PD_SAMPLE_READ | PD_SAMPLE_CALLCHAIN | PD_SAMPLE_PERIOD | PD_SAMPLE_RAW | \
     PD_SAMPLE_BRANCH_STACK | PD_SAMPLE_REGS_USER | PD_SAMPLE_STACK_USER | PD_SAMPLE_WEIGHT |   \
     PD_SAMPLE_DATA_SRC | PD_SAMPLE_TRANSACTION | PD_SAMPLE_REGS_INTR | PD_SAMPLE_PHYS_ADDR |   \
     PD_SAMPLE_AUX | PD_SAMPLE_CGROUP | PD_SAMPLE_DATA_PAGE_SIZE | PD_SAMPLE_CODE_PAGE_SIZE |   \
     PD_SAMPLE_WEIGHT_STRUCT)

struct pd_redaction; /* see perfdata/ops/redact.h */

enum pd_convert_noted {
    PD_NOTED_RECORDS, /* of one type */
    PD_NOTED_FEATURE,
    PD_NOTED_BYTES,     /* that belong to no record */
    PD_NOTED_REGISTERS, /* bytes of so many samples, behind registers of an unknown abi */
    PD_NOTED_ATTRS,     /* unknown fields of so many attrs */
    PD_NOTED_FILES,     /* of the input's directory that hold no records (kcore_dir) and do not come along */
    PD_NOTED_OTHERS,    /* records of types beyond those that PD_NOTED_RECORDS tells, which are too many */
};

/* Something that the output cannot hold, or that was left as it is. */
struct pd_convert_note {
    enum pd_convert_noted what;
    bool left;       /* it was copied: in its old byte order, or without the edits */
    uint32_t number; /* of the feature, type of the records */
    uint64_t count;  /* of records, attrs, bytes or files */
    const char *why; /* static text */
};

struct pd_convert_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc */
    enum pd_convert_to to;
    enum pd_convert_zip zip;
    int level; /* of zstd; 0: that of the input, or 1 */
    enum pd_convert_order order;
    uint32_t attr_size; /* of all attrs: a multiple of 8 from 64 to 4096; 0: as they are */
    bool reencode;      /* decode and encode every record, even if its bytes could be copied */
    bool finish;        /* finish an unfinished file, even if nothing else changes */
    uint64_t max_held;  /* most bytes of features kept in memory; 0: 256 MiB */
    /*
     * Output is a directory: open_member() begins the file `name` and fills its sink, which must be able to
     * patch if the name is "data"; close_member() ends it. Both return 0 or an errno. Up to two are open at a
     * time. Other outputs go to the sink given to pd_convert().
     */
    int (*open_member)(void *user, const char *name, unsigned mode, struct pd_sink *sink);
    int (*close_member)(void *user, struct pd_sink *sink);
    /*
     * Each may be NULL: damage of the input, which is skipped; data that was dropped; progress in bytes read.
     */
    void (*finding)(void *user, const struct pd_error *error);
    void (*note)(void *user, const struct pd_convert_note *note);
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
    /*
     * Of two changes of the same feature the later one counts. Any change gives a file a new layout. PD_EARG
     * with the reason as `field` and the feature as `found`: the records need the feature as it is
     * (COMPRESSED where some are compressed, DIR_FORMAT of a directory, AUXTRACE where there are any), or the
     * output cannot hold it. For an input that cannot seek, this may be detected only after part of the
     * output was written.
     */
    const struct pd_feature_change *changes;
    size_t n_changes;
    /*
     * Changes of records, attrs and features; a file gets a new layout, and compressed records are
     * decompressed and compressed again. Only one of `edit` and `redaction` may be set, and not with `order`,
     * `attr_size` or `reencode`: PD_EARG.
     */
    const struct pd_edit_options *edit; /* NULL: nothing */
    struct pd_redaction *redaction;     /* NULL: none */
    /*
     * From a directory to a directory: regular files that hold no records come along, too. open_member() is
     * given their path there, such as "kcore_dir/kallsyms"; it makes the folder. Else they are noted.
     */
    bool files;
    uint64_t frame; /* least bytes in a zstd frame, as in pd_writer_options */
};

struct pd_convert_stats {
    uint64_t records;     /* written; records inside compressed ones count if these were decompressed */
    uint64_t unconverted; /* records, attrs and feature sections with content in its old byte order */
    uint64_t findings;    /* damaged places */
    bool copied;          /* there was nothing to change: the output equals the input byte for byte */
};

/* The container of an output with such an option `to`. */
PD_EXPERIMENTAL enum pd_container pd_convert_container(const struct pd_reader *reader, enum pd_convert_to to);

/*
 * Writes the recording as the options say. A sink for a FILE must be able to patch; for a DIRECTORY it is not
 * used. An input that cannot seek must not have been read from yet; as a DIRECTORY it must be able to seek.
 * PD_EOUT: a sink failed. PD_EVALUE with a field's name: the requested attr size would lose it. PD_EARG: see
 * `changes`.
 */
PD_EXPERIMENTAL enum pd_code pd_convert(struct pd_reader *reader, const struct pd_sink *sink,
                                        const struct pd_convert_options *options,
                                        struct pd_convert_stats *stats, struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
