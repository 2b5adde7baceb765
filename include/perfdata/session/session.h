/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/session.h - what records mean: which task, mapping, cgroup and namespaces they speak of.
 * One pass, fed with the records in the order in which they happened.
 *
 *     struct pd_sorter_options how = {.size = sizeof how, .kind = PD_SORT_TIME};
 *     pd_sorter_open(&sorter, reader, &how, &error);
 *     pd_session_new(&session, NULL, &error);
 *     while (pd_sorter_next(sorter, &rec, &error) == PD_OK) {
 *         pd_session_record(session, &rec, &error);
 *         if (rec.type == PD_RECORD_SAMPLE && pd_reader_decode(reader, &rec, &error) == PD_OK &&
 *             (map = pd_session_find_mapping(session, rec.u.sample.pid, rec.u.sample.ip,
 *                                       rec.misc & PD_MISC_CPUMODE)) != NULL)
 *             printf("%s+%#" PRIx64 "\n", map->file, pd_mapping_offset(map, rec.u.sample.ip));
 *     }
 *
 * Records may come from a file, a stream, a sorter or a ring buffer; the session asks nothing but the
 * records. In a file, those of several buffers are out of order: read it through a sorter.
 */
#ifndef PERFDATA_SESSION_SESSION_H
#define PERFDATA_SESSION_SESSION_H

#include <perfdata/reader.h>
#include <perfdata/session/mappings.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pd_session;

struct pd_session_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc; must outlive the session */
    /* Bytes that tasks may take, mappings, and all else; beyond it a record is PD_ELIMIT. 0: 1 GiB each */
    uint64_t memory;
    /* Processes whose mappings stay after their EXIT, for samples that come late; 0: 1024. */
    uint32_t exited;
    /* Called once for each mapping that comes; what it returns is the mapping's tag. NULL: tags are 0. */
    uint32_t (*tag)(void *user, const struct pd_mapping *mapping);
    void *user;
};

/*
 * Options NULL: as if all were 0. PD_EARG, PD_ENOMEM.
 *
 * Memory grows with what is mapped, not with what was: some 150 bytes and the name for each mapping, which
 * the children of a process share with it, and 100 bytes for each tid that was ever spoken of.
 */
PD_EXPERIMENTAL enum pd_code pd_session_new(struct pd_session **session,
                                            const struct pd_session_options *options, struct pd_error *error);
/* NULL is fine. */
PD_EXPERIMENTAL void pd_session_free(struct pd_session *session);

/*
 * Takes what a framed record says; may decode it. One whose event is not known says nothing. PD_ENOMEM,
 * PD_ELIMIT, or the error of decoding it: then the session is as before, and can go on.
 *
 * The rules are perf's (6.1): a process has the mappings of the one that forked it, unless perf synthesized
 * the FORK; a mapping takes the place of what it covers; kernel, modules and KSYMBOLs are one space for all,
 * and each guest has its own. Unlike perf, an exec (COMM with PD_MISC_COMM_EXEC) takes all mappings away, as
 * the kernel does.
 */
PD_EXPERIMENTAL enum pd_code pd_session_record(struct pd_session *session, struct pd_record *rec,
                                               struct pd_error *error);

/*
 * What is mapped at an address for a process, in a mode (enum cpumode: misc & PD_MISC_CPUMODE of a sample, or
 * of pd_frames_next()); NULL: nothing. Valid until the next record.
 */
PD_EXPERIMENTAL const struct pd_mapping *pd_session_find_mapping(struct pd_session *session, uint32_t pid,
                                                                 uint64_t address, unsigned cpumode);

/* A task, by the records so far. New fields may follow in a later version: never allocate one. */
struct pd_session_task {
    uint32_t pid; /* process; UINT32_MAX: not known */
    uint32_t tid;
    uint32_t ppid, ptid;   /* who forked it; UINT32_MAX: not known */
    const char *comm;      /* "": never named, perf shows ":TID" */
    uint64_t cgroup;       /* id in its last sample that had one; 0: none had */
    uint32_t n_namespaces; /* its own, or those of who forked it, by the kernel's numbers: net, uts, … */
    const struct pd_namespace_entry *namespaces;
};

/* NULL: no record has spoken of it. Valid until the next call. */
PD_EXPERIMENTAL const struct pd_session_task *pd_session_find_task(struct pd_session *session, uint32_t tid);

/* The path of a cgroup by its id, as CGROUP told it last; NULL: it did not. Valid until the next record. */
PD_EXPERIMENTAL const char *pd_session_find_cgroup(const struct pd_session *session, uint64_t id);

#ifdef __cplusplus
}
#endif
#endif
