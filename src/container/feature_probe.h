/* SPDX-License-Identifier: MIT */
/*
 * feature_probe.h - finds damage in features, in tracing data, and in the records that carry them: one
 * judgement for verbs that copy them, for verbs that leave them out, and for `check`.
 */
#ifndef PERFDATA_FEATURE_PROBE_H
#define PERFDATA_FEATURE_PROBE_H

#include <perfdata/feature.h>
#include <perfdata/session/large_record.h>

struct pd_reader;

/*
 * The parts of a large record are in one file of a directory. Behind one without an end no other may come in
 * another file: where the files become one, it would begin with those parts.
 */
struct pi_file_parts {
    struct pd_large_parts parts;
    uint32_t member; /* the file that they are of */
    bool open;       /* it has parts without an end, which another reader has read */
};

/* On to a file: true if the one with the last parts has left a large record open. */
bool pi_parts_enter(struct pi_file_parts *p, uint32_t member);

/* The state of a reader with `probe` between records. */
struct pi_probe {
    bool on;
    uint64_t next; /* the index of the first record that was not judged yet: after a rewind they come again */
    size_t noted;  /* findings that were made here */
    bool collecting;      /* tracing data behind a record, while it is skipped or read */
    uint64_t payload, at; /* where that begins, and how far it has come */
    uint8_t *bytes;
    size_t n, cap;
    struct pi_file_parts split;  /* a large record whose parts are coming */
    bool split_any;              /* some part has come: */
    struct pd_error split_first; /* what to tell of the first one, behind a file that left one open */
};

/* Another reader has read that file of a directory: NULL, or its damage that only those before tell. */
const struct pd_error *pi_probe_take_parts(struct pi_probe *p, const struct pi_probe *of, uint32_t member);

/*
 * Decodes the feature with these bytes, which begin at `offset` (PD_NOWHERE: that is not known). The error
 * has an offset in the file; data inside a COMPRESSED record has the offset of that record.
 */
enum pd_code pi_probe_feature(enum pd_order order, uint32_t id, uint32_t nr_cpus_avail, struct pd_bytes data,
                              uint64_t offset, bool inside, struct pd_feature *f, struct pd_error *why);

/* The number of cpus, which other features need, from the sections of a file; 0: not known. */
uint32_t pi_nr_cpus_avail(struct pd_reader *r);

/*
 * The bytes of tracing data inside the record, as written by old simpleperf; PD_ESHORT: its size says more
 * than the record has, which *data is.
 */
enum pd_code pi_record_tracing_data(const struct pd_record *rec, enum pd_order order, struct pd_bytes *data,
                                    struct pd_error *why);

/*
 * Checks the feature or tracing data inside a record, but not the data behind it, nor a part of a large
 * record.
 */
enum pd_code pi_probe_carried(enum pd_order order, uint32_t nr_cpus_avail, const struct pd_record *rec,
                              struct pd_error *why);

/* Takes a part of a large record, a SPLIT or SPLIT_END, and judges all of it when it is the last. */
enum pd_code pi_probe_part(struct pd_large_parts *parts, enum pd_order order, const struct pd_record *rec,
                           struct pd_error *why);

/* True if its content may span several records, or exceed its own layout. */
bool pi_carries_more(const struct pd_record *rec);

/*
 * Judge the sections of a file; a framed record that perf or simpleperf wrote, of type HEADER_ATTR and up; n
 * bytes of what stands behind it, from offset `at` on. What is damaged becomes a finding of the reader.
 * Errors: PD_ENOMEM, PD_EIO.
 */
enum pd_code pi_probe_sections(struct pd_reader *r, struct pd_error *error);
enum pd_code pi_probe_record(struct pd_reader *r, const struct pd_record *rec, struct pd_error *error);
enum pd_code pi_probe_payload(struct pd_reader *r, uint64_t at, const uint8_t *bytes, size_t n,
                              struct pd_error *error);
void pi_probe_free(struct pd_reader *r);

#endif
