/* SPDX-License-Identifier: MIT */
/*
 * perfdata/codec.h - single records in memory: decoding and encoding, given the attr of the event they belong
 * to. No file is needed: these functions also read the ring buffer of perf_event_open.
 *
 *     struct pd_plan plan;
 *     pd_plan_init(&plan, &attr, PD_HOST_ORDER);
 *     struct pd_record rec = {0};
 *     if (pd_record_decode(&plan, bytes, n, &rec, &error) == PD_OK && rec.type == PD_RECORD_SAMPLE)
 *         printf("%llx\n", (unsigned long long)rec.u.sample.ip);
 */
#ifndef PERFDATA_CODEC_H
#define PERFDATA_CODEC_H

#include <perfdata/base.h>
#include <perfdata/error.h>
#ifndef PD_SCHEMA_NO_STRUCTS
#include <perfdata/records.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Variants of a record's layout that the attr does not determine, but its size or an abi of registers does.
 */
enum pd_variant {
    PD_VARIANT_NO_HW_IDX = 1,       /* an empty branch stack without hw_idx, though the attr asks for it */
    PD_VARIANT_BRANCH_COUNTERS = 2, /* branch counters behind the branches */
    PD_VARIANT_EARLY_MMAP2 = 4,     /* MMAP2 without prot and flags, as in Linux 3.12-rc and RHEL 7.0 */
    PD_VARIANT_SAMPLE_ID = 8,       /* a sample_id in a record that usually has none: LOST_SAMPLES of an attr
                                       without sample_id_all, HEADER_BUILD_ID by perf inject */
    PD_VARIANT_NO_PID = 16,         /* build ids without pid, as before perf 2.6.35 */
    PD_VARIANT_UNKNOWN_USER_REGS =
        32, /* the abi of regs_user has unknown bits: the bytes behind it are `rest` */
    PD_VARIANT_UNKNOWN_INTR_REGS = 64, /* the abi of regs_intr has unknown bits, likewise */
};

struct pd_op; /* a line of the schema; see perfdata/session/fields.h */

#ifndef PD_SCHEMA_NO_STRUCTS

/* The bits that decide which fields are present. Part of the plan; not for direct use. */
struct pd_shape {
    uint64_t sample_type;
    uint64_t branch_sample_type;
    uint32_t read_format;
    uint16_t misc;
    uint8_t variant;
    uint8_t n_regs[2]; /* registers of sample_regs_user and sample_regs_intr */
    uint32_t given;    /* header.misc, or the value that a part passes on to the parts in it */
};

/*
 * How the records of one event are laid out, computed once from its attr. Plain memory without ownership:
 * copy or drop it freely.
 */
struct pd_plan {
    struct pd_shape shape;
    uint8_t order;     /* enum pd_order of the stream */
    bool id_all;       /* attr flag sample_id_all */
    bool unknown;      /* sample_type, or read_format if it matters, has bits with an unknown layout */
    bool unknown_read; /* the same for READ records */
    uint8_t usual;  /* private: which of the usual sample types, in little-endian streams of its own path; 0:
                       none */
    uint8_t offcpu; /* private: bits about off-cpu samples, see pd_offcpu_of() in perfdata/session/event.h */
    uint64_t key;   /* private: never 0, equal for equal fields of samples */
    uint16_t trailer; /* bytes of the sample_id */
    uint16_t budget;  /* bytes of a sample's scalars */
    /* Offsets from the record's first byte, 0 when absent. In the trailer: from its end. */
    uint16_t ip, pid, time, addr, id, cpu, period, read;
    uint16_t trailer_pid, trailer_time, trailer_id, trailer_cpu;
};

/*
 * Computes the plan of an attr for a stream of the given order. NULL attr: records without trailer, samples
 * without fields.
 */
PD_API void pd_plan_init(struct pd_plan *plan, const struct pd_attr *attr, enum pd_order order);

/*
 * A record: its header, its bytes, and the decoded payload. `raw` and all views of the payload point into the
 * bytes given to the decoder. Set it to 0 before its first use; one record serves for a whole recording.
 */
struct pd_record {
    uint32_t type; /* PD_RECORD_* or unknown */
    uint16_t misc;
    uint16_t size;      /* bytes with the header; for encoding, 0: computed, else it must agree */
    uint8_t variant;    /* enum pd_variant */
    bool has_id;        /* `id` is present */
    bool decoded;       /* payload, id and rest are valid; else only type, misc, size and raw */
    bool old_feature;   /* a feature section under a type of its own, as Google's perf 3.3 wrote them into
                           pipes:   the feature is type - 66, the layout that of no record type */
    uint8_t depth;      /* 1: from inside a COMPRESSED record, whose offset is `offset` */
    const uint8_t *raw; /* `size` bytes */
    const struct pd_plan *plan;
    const struct pd_attr *attr; /* of the event it belongs to; NULL: not known */
    uint32_t attr_index;        /* position of the attr in the file; UINT32_MAX: not known */
    uint64_t offset;            /* of the record in the file or stream */
    uint64_t index;             /* counted from 0 */
    uint32_t nr_cpus_avail;     /* from the stream's NRCPUS before this record; 0: there was none */
    uint32_t member;            /* of a directory recording: the number of its file, 0 for `data` */
    uint64_t inner_offset;      /* depth 1: position in the decompressed stream */
    uint64_t
        payload_size; /* bytes that follow the record outside of its size: AUXTRACE, HEADER_TRACING_DATA */
    struct pd_bytes rest; /* bytes behind the known fields and before the sample_id */
    struct pd_sample_id id;
    uint64_t filled_as; /* private: u holds a sample of a plan with this key, and all its absent fields are 0;
                           0: it does not */
    const struct pd_op *layout; /* of the decoded payload; NULL for unknown types: all in `rest` */
    /*
     * The payload, by layout: u.sample, u.mmap2, … Fields that the record does not have are 0 after decoding,
     * those of a sample because they were 0 before. So CALL pd_record_changed() AFTER WRITING INTO `u` and
     * before the next record is decoded into it: else that record shows the written value in a field that it
     * does not have, and encoding it for an event with the field would write that value.
     */
    union pd_payload u;
};

/*
 * Call this after writing into `u`, also through a pointer to the sample in it: the next decoding into the
 * record then fills all of `u`.
 */
static inline void pd_record_changed(struct pd_record *rec)
{
    rec->filled_as = 0;
}

/*
 * Reads the 8 bytes of a record header. `n` is the number of available bytes. Fills type, misc, size and raw
 * and clears the rest. PD_ESHORT: fewer than 8 bytes; PD_ESIZE: size below 8; PD_ETRUNC: the record is longer
 * than n.
 */
PD_API enum pd_code pd_record_frame(enum pd_order order, const void *bytes, size_t n, struct pd_record *rec,
                                    struct pd_error *error);

/*
 * Decodes one record at `bytes`, of which n are readable, by the plan of the event it belongs to. On success
 * rec->u, rec->id and rec->rest are valid as long as the bytes are. On error, which names the field, type,
 * misc, size and raw are valid as far as pd_record_frame() read them. PD_EUNKNOWN: a sample of an attr with
 * unknown sample_type bits. After the caller wrote into rec->u, pd_record_changed() comes first.
 */
PD_API enum pd_code pd_record_decode(const struct pd_plan *plan, const void *bytes, size_t n,
                                     struct pd_record *rec, struct pd_error *error);

/* The same for a record that pd_record_frame() or a reader has already framed. */
PD_API enum pd_code pd_record_decode_framed(const struct pd_plan *plan, struct pd_record *rec,
                                            struct pd_error *error);

/*
 * Encodes rec's header, payload, rest and id for the plan's event and byte order, which may differ from those
 * it was decoded with. type and misc are taken as they are; size may be 0. rec->layout may be NULL: then it
 * follows from type. Counts that do not match their elements, values that do not fit and records over 65535
 * bytes are refused with the field's name; PD_ESPACE: cap is too small. Fields that the event does not have
 * are ignored. *size receives the record's size, also with PD_ESPACE. `out` may not overlap what rec's views
 * point to.
 */
PD_API enum pd_code pd_record_encode(const struct pd_plan *plan, const struct pd_record *rec, void *out,
                                     size_t cap, size_t *size, struct pd_error *error);

/* The size that pd_record_encode() would give, with the same checks. */
PD_API enum pd_code pd_record_size(const struct pd_plan *plan, const struct pd_record *rec, size_t *size,
                                   struct pd_error *error);

/*
 * READ values, single or group, as a sequence: the number of counters, and counter `i` (which must be below
 * that). Values that the read_format leaves out are 0.
 */
PD_API size_t pd_read_values_n(const struct pd_plan *plan, const struct pd_read_values *values);
PD_API void pd_read_values_get(const struct pd_plan *plan, const struct pd_read_values *values, size_t i,
                               struct pd_read_value *out);

#endif /* PD_SCHEMA_NO_STRUCTS */

#ifdef __cplusplus
}
#endif
#endif
