/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/complete.h - counts and sizes that follow from what they count, so that a program that
 * makes records and features need not say the same twice. pd_writer_record() and pd_writer_put_feature() do
 * this where the field is 0; these functions are for other uses.
 *
 *     struct pd_record rec = {.type = PD_RECORD_SAMPLE, .u.sample.callchain.ips = PD_VEC64(ips, 3)};
 *     if (pd_record_complete(&plan, &rec, &error) == PD_OK) … // rec.u.sample.callchain.nr is 3
 */
#ifndef PERFDATA_COMPLETE_H
#define PERFDATA_COMPLETE_H

#include <perfdata/feature.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Sets all counts and sizes in the payload, also those that are not 0, and rec->size, which
 * pd_record_encode() then needs no more. In the elements of lists that the program made (PD_LIST()), it sets
 * those that are 0: these structs must be writable. Also set, where they are 0: flags that say whether fields
 * follow, constants such as magic bytes, the abi of registers (that of 64 bits), and the size of an attr with
 * fields behind byte 64. Memory is neither taken nor kept. Errors are those of pd_record_size().
 */
PD_EXPERIMENTAL enum pd_code pd_record_complete(const struct pd_plan *plan, struct pd_record *rec,
                                                struct pd_error *error);

/*
 * The same for a feature, id and u set; nr_cpus_avail of CPU_TOPOLOGY becomes the number of its cpus if it is
 * 0. *size, which may be NULL, receives the bytes that it takes. Errors are those of pd_feature_encode().
 */
PD_EXPERIMENTAL enum pd_code pd_feature_complete(struct pd_feature *f, size_t *size, struct pd_error *error);

/* Writes the 8 bytes at the start of the raw bytes of a tracepoint sample: the reverse of pd_raw_common(). */
PD_EXPERIMENTAL void pd_raw_common_put(const struct pd_plan *plan, const struct pd_tracepoint_common *common,
                                       void *out);

#ifdef __cplusplus
}
#endif
#endif
