/* SPDX-License-Identifier: MIT */
/*
 * perfdata/feature.h - feature sections in memory: what a file says about the machine, the events and itself. The same
 * bytes are in a section of a file and in a HEADER_FEATURE record of a pipe.
 *
 *     struct pd_feature f;
 *     if (pd_feature_decode(order, PD_FEAT_NRCPUS, 0, bytes, n, &f, &error) == PD_OK)
 *         printf("%u cpus\n", f.u.nrcpus.nr_cpus_online);
 *
 * Nothing here allocates. What a feature points to are the bytes that were decoded. Layouts: docs/FORMAT.md.
 */
#ifndef PERFDATA_FEATURE_H
#define PERFDATA_FEATURE_H

#include <perfdata/codec.h>
#include <perfdata/fields.h>
#include <perfdata/text.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pd_feature {
    uint32_t id;             /* PD_FEAT_*, or unknown */
    uint8_t variant;         /* enum pd_variant: NO_PID, for BUILD_ID */
    uint32_t nr_cpus_avail;  /* as given; 0 when not known */
    struct pd_bytes raw;     /* the bytes that were decoded */
    const struct pd_op *layout; /* NULL: unknown or empty, all in `rest` */
    struct pd_bytes rest;    /* bytes behind the known fields */
    union pd_feature_payload u; /* u.hostname, u.cmdline, …; by id */
};

/*
 * Decodes the n bytes of a feature. nr_cpus_avail is what the recording's NRCPUS says, 0 when that is not known; without
 * it the later parts of CPU_TOPOLOGY are left in `rest`. An unknown feature, and a section without bytes where there
 * should be some ("not recorded"), is not an error: layout is NULL. Errors name the field and its offset from the
 * section's begin; f->id and f->raw are valid all the same. PD_ELIMIT: more than 4 GiB.
 */
PD_API enum pd_code pd_feature_decode(enum pd_order order, uint32_t id, uint32_t nr_cpus_avail, const void *bytes, size_t n,
                                      struct pd_feature *f, struct pd_error *error);

/*
 * Encodes a feature that was decoded, or made by a program: id and u set, the rest 0, layout may be NULL then if `rest`
 * is empty. Counts must agree with what they count. PD_ESPACE: cap is too small; *size receives the size, also then. out
 * may be NULL, to learn the size. PD_EUNKNOWN: nothing is known of the feature but it has no `rest` either.
 */
PD_API enum pd_code pd_feature_encode(enum pd_order order, const struct pd_feature *f, void *out, size_t cap, size_t *size,
                                      struct pd_error *error);

/*
 * Decodes the feature inside a HEADER_FEATURE record that is decoded itself, or in a record of Google's perf 3.3. False:
 * it is no such record, its feature is not known or damaged, or it is the mark behind the last.
 */
PD_API bool pd_feature_of_record(const struct pd_record *rec, struct pd_feature *f);

/* The name of a feature in lower case, as in the schema ("numa_topology"); NULL: unknown. */
PD_API const char *pd_feature_name(uint32_t id);
/* The reverse, case does not count; PD_FEAT_* or a number. False: not understood. */
PD_API bool pd_feature_parse(const char *text, uint32_t *id);

/*
 * One of the arrays behind a BPF program, PD_BPIL_*: its bytes in `data` (numbers of `each` bytes in the recording's byte
 * order, or structures of that size). False: it is not there, or not inside the data.
 */
PD_API bool pd_bpf_prog_array(const struct pd_bpf_prog *prog, uint64_t array, struct pd_bytes *bytes, uint32_t *each);

/* Its fields, see perfdata/fields.h; then `rest`, when there is any. */
PD_API void pd_fields_of_feature(struct pd_fields *it, const struct pd_feature *f);

/* The fields as lines of text, as pd_fields_print(). */
PD_API void pd_feature_print(const struct pd_feature *f, const struct pd_print_options *options, unsigned indent,
                             struct pd_out *out);
/* {"field":…}: all fields, and "rest" when there is any. */
PD_API void pd_feature_json(const struct pd_feature *f, struct pd_out *out);
/* The same without the counts and sizes that follow from the rest. */
PD_API void pd_feature_json_plain(const struct pd_feature *f, struct pd_out *out);

/* Do both say the same? If not, *field (may be NULL) is the name of the first difference. */
PD_API bool pd_feature_equal(const struct pd_feature *a, const struct pd_feature *b, const char **field);

#ifdef __cplusplus
}
#endif
#endif
