/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/rewrite.h - writes an existing recording again, byte for byte: copied, or decoded and encoded.
 */
#ifndef PERFDATA_OPS_REWRITE_H
#define PERFDATA_OPS_REWRITE_H

#include <perfdata/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What pd_rewrite() met. */
struct pd_rewrite_stats {
    uint64_t records;      /* in the data section, those inside COMPRESSED ones included */
    uint64_t decoded;      /* records that went through decode and encode */
    uint64_t raw;          /* records of unknown layout, copied */
    uint64_t sections;     /* features, in sections and records, that went through decode and encode */
    uint64_t undecodable;  /* records whose bytes contradict their layout, copied */
    uint64_t bad_sections; /* the same of features */
    uint64_t
        differing;  /* records and parts that did not encode to the bytes they were decoded from: must be 0 */
    uint64_t bytes; /* written */
};

struct pd_rewrite_options {
    size_t size;   /* sizeof this struct */
    bool reencode; /* decode and encode every record, attr and section; else bytes are copied */
    /*
     * Called for each record or feature that is copied because it cannot be decoded, and each difference; may
     * be NULL.
     */
    void (*finding)(void *user, const struct pd_error *error);
    void *user;
    size_t member;  /* of a directory recording: which file; 0 is `data` */
    uint64_t from;  /* the data before this offset is skipped: neither checked nor written; 0: none */
    uint64_t index; /* of the record that begins there, as for pd_reader_seek() */
    /*
     * With `reencode`, for an input that can be read once only; both may be NULL. Called once for each record
     * when it has been proven, decoded if it can be, and for the bytes of each feature section, but for those
     * that are too large to be proven. What they are given is valid until they return.
     */
    void (*record)(void *user, struct pd_record *rec);
    void (*section)(void *user, uint32_t feature, uint64_t offset, const void *bytes, size_t n);
};

/*
 * Writes the reader's whole file again, part by part in its own layout: the output equals the input byte for
 * byte. Needs no patching. With `reencode`, all encoded bytes are also compared with the input; with a NULL
 * sink nothing else is done, which proves the round trip. An input that cannot seek must not have been read
 * from yet. PD_EOUT: the sink failed. Damaged data is copied to its end and reported through `finding`. For a
 * reader of pd_reader_open_part() only the records of that part are written.
 */
PD_EXPERIMENTAL enum pd_code pd_rewrite(struct pd_reader *reader, const struct pd_sink *sink,
                                        const struct pd_rewrite_options *options,
                                        struct pd_rewrite_stats *stats, struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
