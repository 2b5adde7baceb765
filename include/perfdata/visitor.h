/* SPDX-License-Identifier: MIT */
/*
 * perfdata/visitor.h - a callback for each type of record.
 *
 * Generated from src/schema/records.def by `perfdata_gen visitor`; do not edit.
 */
#ifndef PERFDATA_VISITOR_H
#define PERFDATA_VISITOR_H

#include <perfdata/codec.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Callbacks for the records that one cares for; the others are NULL. `user` is what the visit was
 * given.
 */
struct pd_visitor {
    /* a mapping, executable unless misc has MMAP_DATA */
    void (*mmap)(void *user, const struct pd_record *rec, const struct pd_mmap *payload);
    /* records lost because the buffer was full */
    void (*lost)(void *user, const struct pd_record *rec, const struct pd_lost *payload);
    /* a task's name changed */
    void (*comm)(void *user, const struct pd_record *rec, const struct pd_comm *payload);
    /* a task ended */
    void (*exit)(void *user, const struct pd_record *rec, const struct pd_exit *payload);
    /* sampling paused, the rate was too high */
    void (*throttle)(void *user, const struct pd_record *rec, const struct pd_throttle *payload);
    /* sampling goes on */
    void (*unthrottle)(void *user, const struct pd_record *rec, const struct pd_unthrottle *payload);
    /* a new task */
    void (*fork)(void *user, const struct pd_record *rec, const struct pd_fork *payload);
    /* counter values of a task that exits */
    void (*read)(void *user, const struct pd_record *rec, const struct pd_read *payload);
    /* one overflow of a counter */
    void (*sample)(void *user, const struct pd_record *rec, const struct pd_sample *payload);
    /* a mapping, with the file's identity */
    void (*mmap2)(void *user, const struct pd_record *rec, const struct pd_mmap2 *payload);
    /* new data in the AUX area */
    void (*aux)(void *user, const struct pd_record *rec, const struct pd_aux *payload);
    /* instruction tracing of a task starts */
    void (*itrace_start)(void *user, const struct pd_record *rec, const struct pd_itrace_start *payload);
    /* samples the hardware or a filter dropped */
    void (*lost_samples)(void *user, const struct pd_record *rec, const struct pd_lost_samples *payload);
    /* context switch of the task itself */
    void (*context_switch)(void *user, const struct pd_record *rec, const struct pd_context_switch *payload);
    /* context switch on the cpu */
    void (*switch_cpu_wide)(void *user, const struct pd_record *rec, const struct pd_switch_cpu_wide *payload);
    /* a task's namespaces */
    void (*namespaces)(void *user, const struct pd_record *rec, const struct pd_namespaces *payload);
    /* a kernel symbol comes or goes */
    void (*ksymbol)(void *user, const struct pd_record *rec, const struct pd_ksymbol *payload);
    /* a BPF program comes or goes */
    void (*bpf_event)(void *user, const struct pd_record *rec, const struct pd_bpf_event *payload);
    /* a cgroup */
    void (*cgroup)(void *user, const struct pd_record *rec, const struct pd_cgroup *payload);
    /* kernel code changed */
    void (*text_poke)(void *user, const struct pd_record *rec, const struct pd_text_poke *payload);
    /* hardware id of an event whose output is in the AUX area */
    void (*aux_output_hw_id)(void *user, const struct pd_record *rec, const struct pd_aux_output_hw_id *payload);
    /* user part of the call chains that end in this cookie */
    void (*callchain_deferred)(void *user, const struct pd_record *rec, const struct pd_callchain_deferred *payload);
    /* tracing data of data_size bytes follows the record */
    void (*header_tracing_data)(void *user, const struct pd_record *rec, const struct pd_header_tracing_data *payload);
    /* one pass over all ring buffers is complete */
    void (*finished_round)(void *user, const struct pd_record *rec, const struct pd_finished_round *payload);
    /* AUX data of `size` bytes follows the record */
    void (*auxtrace)(void *user, const struct pd_record *rec, const struct pd_auxtrace *payload);
    /* counter values of perf stat */
    void (*stat)(void *user, const struct pd_record *rec, const struct pd_stat *payload);
    /* end of an interval of perf stat */
    void (*stat_round)(void *user, const struct pd_record *rec, const struct pd_stat_round *payload);
    /* the synthesized records are complete */
    void (*finished_init)(void *user, const struct pd_record *rec, const struct pd_finished_init *payload);
    /* a chunk of a zstd stream of records */
    void (*compressed)(void *user, const struct pd_record *rec, const struct pd_compressed *payload);
    /* a chunk of a zstd stream of records, padded to 8 bytes */
    void (*compressed2)(void *user, const struct pd_record *rec, const struct pd_compressed2 *payload);
    /* Records of unknown types, and those that are not decoded. */
    void (*unknown)(void *user, const struct pd_record *rec);
    /* Records whose own callback is NULL. */
    void (*other)(void *user, const struct pd_record *rec);
};

/*
 * Calls the callback for a decoded or user-made record with its payload, which is in rec->u. False:
 * there was none to call.
 */
PD_API bool pd_record_visit(const struct pd_visitor *visitor, void *user,
                            const struct pd_record *rec);

#ifdef __cplusplus
}
#endif
#endif
