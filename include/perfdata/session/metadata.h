/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/metadata.h - data about the machine, the events and the recording, wherever it is stored:
 * in the feature sections of a file, in the HEADER_FEATURE, HEADER_TRACING_DATA, EVENT_UPDATE and
 * HEADER_BUILD_ID records of a stream, in a file's old event_types section.
 *
 *     struct pd_metadata *m;
 *     pd_metadata_open(&m, reader, NULL, &error);   // takes what the file has
 *     while (pd_reader_next(reader, &rec, &error) == PD_OK)
 *         pd_metadata_add(m, reader, &rec, &error); // takes what the stream says; most records say nothing
 *     const struct pd_feature *f = pd_metadata_feature(m, PD_FEAT_HOSTNAME);
 *     if (f)
 *         printf("%.*s\n", (int)f->u.hostname.text.len, f->u.hostname.text.ptr);
 *     pd_metadata_close(m);
 *
 * All results belong to the metadata and are valid until it is closed or given more records.
 */
#ifndef PERFDATA_SESSION_METADATA_H
#define PERFDATA_SESSION_METADATA_H

#include <perfdata/feature.h>
#include <perfdata/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pd_metadata;
struct pd_tracepoints;

struct pd_metadata_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc; must outlive the metadata */
    uint64_t max_bytes;                   /* for features, names of events and build ids; 0: 256 MiB */
};

/*
 * Reads the feature sections that are already known; NULL reader: none. Sections that are damaged, or exceed
 * max_bytes, are findings, not errors. Moves the reader's window (see pd_reader_read()); call it between
 * records.
 */
PD_EXPERIMENTAL enum pd_code pd_metadata_open(struct pd_metadata **metadata, struct pd_reader *reader,
                                              const struct pd_metadata_options *options,
                                              struct pd_error *error);
PD_EXPERIMENTAL void pd_metadata_close(struct pd_metadata *metadata);

/*
 * Takes the metadata in a record. Records without metadata cost next to nothing. The only kernel records with
 * metadata are MMAP2 with a build id, once for each file, so a program that does not need build ids need not
 * pass kernel records. The payload of HEADER_TRACING_DATA is read from the reader. Damage becomes a finding;
 * errors are PD_ENOMEM, and those of reading a payload.
 */
PD_EXPERIMENTAL enum pd_code pd_metadata_add(struct pd_metadata *metadata, struct pd_reader *reader,
                                             const struct pd_record *rec, struct pd_error *error);

/*
 * Reads the sections that have become known since, behind the data of a file that cannot seek. Call it after
 * the last record.
 */
PD_EXPERIMENTAL enum pd_code pd_metadata_finish(struct pd_metadata *metadata, struct pd_reader *reader,
                                                struct pd_error *error);

/*
 * Errors in features, with offsets in the input. If there are more than 65,535, the last is PD_ELIMIT and
 * stands for the rest.
 */
PD_EXPERIMENTAL size_t pd_metadata_n_findings(const struct pd_metadata *metadata);
PD_EXPERIMENTAL const struct pd_error *pd_metadata_finding(const struct pd_metadata *metadata, size_t i);

/*
 * The features in ascending order of their number. A damaged one has no layout and all its bytes in `rest`.
 */
PD_EXPERIMENTAL size_t pd_metadata_n_features(const struct pd_metadata *metadata);
PD_EXPERIMENTAL const struct pd_feature *pd_metadata_feature_at(const struct pd_metadata *metadata, size_t i);
/* The feature of that number; NULL: the recording has not had it so far. */
PD_EXPERIMENTAL const struct pd_feature *pd_metadata_feature(const struct pd_metadata *metadata, uint32_t id);

/* The text of HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC or CPUID; NULL: none. */
PD_EXPERIMENTAL const struct pd_str *pd_metadata_text(const struct pd_metadata *metadata, uint32_t id);
/* TOTAL_MEM in bytes; false: unknown, or too large for 64 bits. */
PD_EXPERIMENTAL bool pd_metadata_total_mem(const struct pd_metadata *metadata, uint64_t *bytes);

/*
 * The name of an event as the recording gives it: EVENT_UPDATE, then EVENT_DESC, then the tracing data
 * ("sched:sched_switch"), simpleperf's META_INFO or the event_types section; else NULL: then
 * pd_event_format() makes one from the attr. Also NULL if memory ran out, which pd_metadata_out_of_memory()
 * tells.
 */
PD_EXPERIMENTAL const char *pd_metadata_event_name(struct pd_metadata *metadata,
                                                   const struct pd_reader *reader, uint32_t attr);

/* The tracing data as formats, see perfdata/session/tracepoint.h; NULL: there is none, or not yet. */
PD_EXPERIMENTAL const struct pd_tracepoints *pd_metadata_tracepoints(struct pd_metadata *metadata);

/* True if memory ran out for a result that was NULL. Such a result may be missing in later calls, too. */
PD_EXPERIMENTAL bool pd_metadata_out_of_memory(const struct pd_metadata *metadata);

/* The PMU of that number (attr.type), from PMU_MAPPINGS; NULL: not known. */
PD_EXPERIMENTAL const struct pd_str *pd_metadata_pmu_name(const struct pd_metadata *metadata, uint32_t type,
                                                          struct pd_pmu_mapping *out);

/* The group of an attr, by its leader, from GROUP_DESC. False: it is in none. */
PD_EXPERIMENTAL bool pd_metadata_group(const struct pd_metadata *metadata, uint32_t attr,
                                       struct pd_group_desc *out);

/* The position of a cpu, from CPU_TOPOLOGY and NUMA_TOPOLOGY; -1: unknown. */
struct pd_cpu_place {
    int32_t socket, die, core, node;
};
PD_EXPERIMENTAL struct pd_cpu_place pd_metadata_cpu(const struct pd_metadata *metadata, uint32_t cpu);

/*
 * A list of cpus or nodes as the kernel writes it, "0-3,8,10-11": calls back for each range in turn, first <=
 * last. False: not such a list; the ranges before the error have been passed.
 */
PD_EXPERIMENTAL bool pd_cpu_list_each(const char *list, size_t n,
                                      void (*range)(void *user, uint32_t first, uint32_t last), void *user);
/* True if the cpu is in the list. */
PD_EXPERIMENTAL bool pd_cpu_list_has(const char *list, size_t n, uint32_t cpu);
/* The same of the set in a CPU_MAP or EVENT_UPDATE record. "Any cpu" entries are not reported. */
PD_EXPERIMENTAL void pd_cpu_map_each(const struct pd_cpu_map_data *map,
                                     void (*range)(void *user, uint32_t first, uint32_t last), void *user);

/*
 * Calls back for each build id, those of the BUILD_ID section before those of the stream, HEADER_BUILD_ID and
 * MMAP2 (whose file has only misc, build_id, size and filename); `id` are its n bytes: without a
 * stored size those up to the last that is not 0, in groups of 4.
 */
PD_EXPERIMENTAL void pd_metadata_each_build_id(const struct pd_metadata *metadata,
                                               void (*take)(void *user, const struct pd_build_id *file,
                                                            const uint8_t *id, size_t n),
                                               void *user);

/*
 * The build id of a file by its name: *n bytes, 20 at most, in `id`. False: none.
 */
PD_EXPERIMENTAL bool pd_metadata_build_id(const struct pd_metadata *metadata, const char *filename,
                                          uint8_t id[20], size_t *n);

#ifdef __cplusplus
}
#endif
#endif
