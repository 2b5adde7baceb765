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
    /* an attr and the ids of its events */
    void (*header_attr)(void *user, const struct pd_record *rec, const struct pd_header_attr *payload);
    /* name of an event, to perf 3.9 */
    void (*header_event_type)(void *user, const struct pd_record *rec, const struct pd_header_event_type *payload);
    /* build id of a file; perf inject of 6.16 and later adds a sample_id */
    void (*header_build_id)(void *user, const struct pd_record *rec, const struct pd_header_build_id *payload);
    /* event ids and their ring buffers */
    void (*id_index)(void *user, const struct pd_record *rec, const struct pd_id_index *payload);
    /* how AUX data is to be decoded */
    void (*auxtrace_info)(void *user, const struct pd_record *rec, const struct pd_auxtrace_info *payload);
    /* decoding AUX data failed */
    void (*auxtrace_error)(void *user, const struct pd_record *rec, const struct pd_auxtrace_error *payload);
    /* threads that perf stat counts */
    void (*thread_map)(void *user, const struct pd_record *rec, const struct pd_thread_map *payload);
    /* cpus that perf counts on */
    void (*cpu_map)(void *user, const struct pd_record *rec, const struct pd_cpu_map *payload);
    /* settings of perf stat */
    void (*stat_config)(void *user, const struct pd_record *rec, const struct pd_stat_config *payload);
    /* more about an event */
    void (*event_update)(void *user, const struct pd_record *rec, const struct pd_event_update *payload);
    /* TSC to perf time */
    void (*time_conv)(void *user, const struct pd_record *rec, const struct pd_time_conv *payload);
    /* a feature section in a pipe; without data it marks the end of the features */
    void (*header_feature)(void *user, const struct pd_record *rec, const struct pd_header_feature *payload);
    /* variables of a BPF program */
    void (*bpf_metadata)(void *user, const struct pd_record *rec, const struct pd_bpf_metadata *payload);
    /* scheduler statistics of a cpu */
    void (*schedstat_cpu)(void *user, const struct pd_record *rec, const struct pd_schedstat_cpu *payload);
    /* scheduler statistics of a domain */
    void (*schedstat_domain)(void *user, const struct pd_record *rec, const struct pd_schedstat_domain *payload);
    /* text of /proc/kallsyms */
    void (*simpleperf_kernel_symbol)(void *user, const struct pd_record *rec, const struct pd_simpleperf_kernel_symbol *payload);
    /* a binary */
    void (*simpleperf_dso)(void *user, const struct pd_record *rec, const struct pd_simpleperf_dso *payload);
    /* a symbol */
    void (*simpleperf_symbol)(void *user, const struct pd_record *rec, const struct pd_simpleperf_symbol *payload);
    /* part of a record of more than 65535 bytes */
    void (*simpleperf_split)(void *user, const struct pd_record *rec, const struct pd_simpleperf_split *payload);
    /* the record in parts is complete */
    void (*simpleperf_split_end)(void *user, const struct pd_record *rec, const struct pd_simpleperf_split_end *payload);
    /* attrs of event ids */
    void (*simpleperf_event_id)(void *user, const struct pd_record *rec, const struct pd_simpleperf_event_id *payload);
    /* a call chain that simpleperf unwound */
    void (*simpleperf_callchain)(void *user, const struct pd_record *rec, const struct pd_simpleperf_callchain *payload);
    /* the result of an unwinding */
    void (*simpleperf_unwinding_result)(void *user, const struct pd_record *rec, const struct pd_simpleperf_unwinding_result *payload);
    /* tracing data inside the record */
    void (*simpleperf_tracing_data)(void *user, const struct pd_record *rec, const struct pd_simpleperf_tracing_data *payload);
    /* text for who debugs simpleperf */
    void (*simpleperf_debug)(void *user, const struct pd_record *rec, const struct pd_simpleperf_debug *payload);
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
