/* SPDX-License-Identifier: MIT */
/*
 * perfdata/feature.h - feature sections in memory: data about the machine, the events and the recording.
 * The same bytes are in a section of a file and in a HEADER_FEATURE record of a pipe.
 *
 *     struct pd_feature f;
 *     if (pd_feature_decode(order, PD_FEAT_NRCPUS, 0, bytes, n, &f, &error) == PD_OK)
 *         printf("%u cpus\n", f.u.nrcpus.nr_cpus_online);
 *
 * Nothing here allocates. A feature points into the bytes that were decoded. Layouts: docs/FORMAT.md.
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
 * Decodes the n bytes of a feature. nr_cpus_avail is the value of the recording's NRCPUS, 0 if unknown;
 * without it the later parts of CPU_TOPOLOGY are left in `rest`. An unknown feature, or an empty section that
 * should have bytes ("not recorded"), is not an error: layout is NULL. Errors name the field and its offset
 * from the start of the section; f->id and f->raw are valid even then. PD_ELIMIT: more than 4 GiB.
 */
PD_API enum pd_code pd_feature_decode(enum pd_order order, uint32_t id, uint32_t nr_cpus_avail,
                                      const void *bytes, size_t n, struct pd_feature *f,
                                      struct pd_error *error);

/*
 * Encodes a feature that was decoded, or made by a program: id and u set, the other fields 0; layout may then
 * be NULL if `rest` is empty. Counts must match their elements. PD_ESPACE: cap is too small; *size receives
 * the size, also then. out may be NULL, to learn the size. PD_EUNKNOWN: the feature is unknown and has no
 * `rest`.
 */
PD_API enum pd_code pd_feature_encode(enum pd_order order, const struct pd_feature *f, void *out, size_t cap,
                                      size_t *size, struct pd_error *error);

/*
 * Decodes the feature inside a decoded HEADER_FEATURE record, or in a record of Google's perf 3.3. False: the
 * record is another one, its feature is unknown or damaged, or it is the mark behind the last feature.
 */
PD_API bool pd_feature_of_record(const struct pd_record *rec, struct pd_feature *f);

/* The name of a feature in lower case, as in the schema ("numa_topology"); NULL: unknown. */
PD_API const char *pd_feature_name(uint32_t id);

#ifdef __cplusplus
}
#endif
#endif
