/* SPDX-License-Identifier: MIT */
/*
 * perfdata/feature.h - feature sections in memory: what a file says about the machine, the events and itself.
 * The same bytes are in a section of a file and in a HEADER_FEATURE record of a pipe.
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

#ifdef __cplusplus
extern "C" {
#endif

struct pd_feature {
    uint32_t id;                /* PD_FEAT_*, or unknown */
    uint8_t variant;            /* enum pd_variant: NO_PID, for BUILD_ID */
    uint32_t nr_cpus_avail;     /* as given; 0 when not known */
    struct pd_bytes raw;        /* the bytes that were decoded */
    const struct pd_op *layout; /* NULL: unknown or empty, all in `rest` */
    struct pd_bytes rest;       /* bytes behind the known fields */
    union pd_feature_payload u; /* u.hostname, u.cmdline, …; by id */
};

/*
 * Decodes the n bytes of a feature. nr_cpus_avail is what the recording's NRCPUS says, 0 when that is not
 * known; without it the later parts of CPU_TOPOLOGY are left in `rest`. An unknown feature, and a section
 * without bytes where there should be some ("not recorded"), is not an error: layout is NULL. Errors name the
 * field and its offset from the section's begin; f->id and f->raw are valid all the same. PD_ELIMIT: more
 * than 4 GiB.
 */
PD_API enum pd_code pd_feature_decode(enum pd_order order, uint32_t id, uint32_t nr_cpus_avail,
                                      const void *bytes, size_t n, struct pd_feature *f,
                                      struct pd_error *error);

/*
 * Encodes a feature that was decoded, or made by a program: id and u set, the rest 0, layout may be NULL then
 * if `rest` is empty. Counts must agree with what they count. PD_ESPACE: cap is too small; *size receives the
 * size, also then. out may be NULL, to learn the size. PD_EUNKNOWN: nothing is known of the feature but it
 * has no `rest` either.
 */
PD_API enum pd_code pd_feature_encode(enum pd_order order, const struct pd_feature *f, void *out, size_t cap,
                                      size_t *size, struct pd_error *error);

/*
 * Decodes the feature inside a HEADER_FEATURE record that is decoded itself, or in a record of Google's perf
 * 3.3. False: it is no such record, its feature is not known or damaged, or it is the mark behind the last.
 */
PD_API bool pd_feature_of_record(const struct pd_record *rec, struct pd_feature *f);

/* The name of a feature in lower case, as in the schema ("numa_topology"); NULL: unknown. */
PD_API const char *pd_feature_name(uint32_t id);

#ifdef __cplusplus
}
#endif
#endif
