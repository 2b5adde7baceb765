/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/session.h - the meaning of records: their tasks, mappings, cgroups and namespaces. One
 * pass over the records in order of time.
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
 * Records may come from a file, a stream, a sorter or a ring buffer; the session needs nothing else. In a
 * file, records of several buffers are out of order: read it through a sorter.
 */
#ifndef PERFDATA_SESSION_SESSION_H
#define PERFDATA_SESSION_SESSION_H

#include <perfdata/reader.h>
#include <perfdata/session/mappings.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pd_session;

/* What a session follows. */
enum pd_session_parts {
    PD_SESSION_TASKS = 1,    /* names and processes of tasks */
    PD_SESSION_MAPPINGS = 2, /* mappings */
    PD_SESSION_ORIGINS = 4,  /* parents, cgroups and namespaces of tasks; paths of cgroups */
};

struct pd_session_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc; must outlive the session */
    /*
     * Limit of bytes for tasks, for mappings, and for all other data; beyond it a record is PD_ELIMIT. 0: 1
     * GiB each. Tables double when they are full, so up to twice as much may be allocated
     */
    uint64_t memory;
    /*
     * Number of processes whose mappings stay after their EXIT, for late samples, not counting those that
     * pd_session_find_mapping() finds some of since; 0: 1024.
     */
    uint32_t exited;
    /* Called once for each new mapping; its result is the mapping's tag. NULL: tags are 0. */
    uint32_t (*tag)(void *user, const struct pd_mapping *mapping);
    void *user;
    uint32_t parts; /* PD_SESSION_…: to save the time of what nobody asks for; 0: all */
};

/*
 * Options NULL: all are 0. PD_EARG, PD_ENOMEM.
 *
 * Memory grows with the mappings that exist, not with those that existed: about 150 bytes and the name for
 * each mapping, which the children of a process share with it, and 100 bytes for each tid in the records.
 * Names of tasks take memory until a multiple of those that tasks have now has come: then the others go.
 */
PD_EXPERIMENTAL enum pd_code pd_session_new(struct pd_session **session,
                                            const struct pd_session_options *options, struct pd_error *error);
/* NULL is allowed. */
PD_EXPERIMENTAL void pd_session_free(struct pd_session *session);

/*
 * Takes a framed record; may decode it. A record of an unknown event is ignored. PD_ENOMEM, PD_ELIMIT, or the
 * error of decoding the record: then the session is unchanged, and can go on.
 *
 * The rules are those of perf 6.1: a process has the mappings of the process that forked it, unless perf
 * synthesized the FORK; a mapping replaces the mappings that it covers; kernel, modules and KSYMBOLs are one
 * space for all, and each guest has a space of its own; a KSYMBOL that goes takes the mapping at its address
 * away, but not the kernel's. Unlike perf, an exec (COMM with PD_MISC_COMM_EXEC)
 * removes all mappings, as the kernel does.
 */
PD_EXPERIMENTAL enum pd_code pd_session_record(struct pd_session *session, struct pd_record *rec,
                                               struct pd_error *error);

/*
 * The mapping at an address of a process, in a mode (enum cpumode: misc & PD_MISC_CPUMODE of a sample, or of
 * pd_frames_next()); NULL: none. Valid until the next record.
 */
PD_EXPERIMENTAL const struct pd_mapping *pd_session_find_mapping(struct pd_session *session, uint32_t pid,
                                                                 uint64_t address, unsigned cpumode);

/* A task, according to the records so far. New fields may follow in a later version: never allocate one. */
struct pd_session_task {
    uint32_t pid; /* process; UINT32_MAX: not known */
    uint32_t tid;
    uint32_t ppid, ptid; /* the task that forked it; UINT32_MAX: not known */
    const char *comm;    /* "": never named, perf shows ":TID" */
    uint64_t cgroup;     /* id in its last sample that had one; 0: none */
    uint32_t
        n_namespaces; /* its own, or those of the task that forked it, by the kernel's numbers: net, uts, … */
    const struct pd_namespace_entry *namespaces;
};

/* NULL: no record so far names the task. Valid until the next call. */
PD_EXPERIMENTAL const struct pd_session_task *pd_session_find_task(struct pd_session *session, uint32_t tid);

/*
 * The path of a cgroup by its id, from its last CGROUP record; NULL: there was none. Valid until the next
 * record.
 */
PD_EXPERIMENTAL const char *pd_session_find_cgroup(const struct pd_session *session, uint64_t id);

#ifdef __cplusplus
}
#endif
#endif
