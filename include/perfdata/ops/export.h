/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/export.h - the stacks of samples, added up, in formats of other tools.
 *
 *     struct pd_export_options options = {.size = sizeof options, .format = PD_EXPORT_FOLDED,
 *                                         .keys = PD_EXPORT_COMM};
 *     pd_export_new(&export, &options, &error);
 *     pd_export_add(export, reader, NULL, &error); // once for each recording
 *     pd_export_write(export, &sink, &error);
 *     pd_export_free(export);
 *
 * A recording is read through a sorter, once for the records and once to know their order. Memory grows with
 * what a session holds, and with the names of tasks, files and events; different stacks take `memory` bytes,
 * and wait, sorted, in temporary files beyond that. Samples and branches that come again are known in tables
 * that grow to 8 MiB (samples) or 18 MiB (branches).
 */
#ifndef PERFDATA_OPS_EXPORT_H
#define PERFDATA_OPS_EXPORT_H

#include <perfdata/ops/filter.h>
#include <perfdata/ops/symbol.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pd_export;

enum pd_export_format {
    /*
     * A line for each stack: the keys asked for, the frames from the outermost on, all with `;` between, a
     * space, and the sum in decimal. A frame is FILE+0xOFFSET, with perf's name for the file and the offset
     * of pd_mapping_offset(), or [unknown]+0xADDRESS where nothing is mapped. If there are several events,
     * with samples or not, but for PD_SW_DUMMY, the name of the event comes first. In a name, a `;` becomes
     * `:`, and control characters and bytes that are not UTF-8 become \xNN.
     */
    PD_EXPORT_FOLDED,
    /*
     * The protocol buffer of pprof (profile.proto), in gzip without compression. A sample has a value for
     * each event, and the keys as labels. A file is a mapping of its code with its build id; the mapping's
     * start minus its offset, plus the offset in the file, is the address.
     */
    PD_EXPORT_PPROF,
    /* speedscope's JSON: a sampled profile for each event and each combination of `keys`. */
    PD_EXPORT_SPEEDSCOPE,
    /*
     * The Firefox Profiler's processed profile, version 48: a thread for each event and each combination of
     * `keys`. Times are 0, 1, 2 and so on.
     */
    PD_EXPORT_FIREFOX,
    /*
     * Counts of branches, for perf2bolt -pa (pre-aggregated) since LLVM 20. "T FROM TO END COUNT": a branch,
     * and the address up to which instructions ran from its target; FROM is 0 if the branch comes from
     * another file. "B FROM TO COUNT MISPREDICTED": branches whose END is not known, and the wrong
     * predictions of all branches.
     *
     * As in the next two formats, each file of the recording has a member of its own, "BUILDID.bolt" and so
     * on, and the member "index" has a line for each, with tabs between: the member's name, the build id,
     * whether the member's numbers are "addresses" (if `segments` knows the file, for the kernel, and for
     * memory without a file) or "offsets", and the path. Files with the same build id are one, with the path
     * that was mapped first; `segments` is asked for each path until it knows one. Unless `kernel` is set,
     * branches from or into the kernel are left out before ranges are made; in the next two formats they end
     * ranges, and the kernel alone is left out. With `kernel`, it has the recorded addresses.
     */
    PD_EXPORT_BOLT,
    /*
     * For llvm-profgen --unsymbolized-profile: ranges and branches in the file, by addresses or offsets less
     * those of where its code begins; a branch from another file comes from address 1.
     */
    PD_EXPORT_PROFGEN,
    /*
     * For create_llvm_prof --profiler=text: ranges, addresses of samples, and branches, as offsets, also if
     * `segments` knows the file.
     */
    PD_EXPORT_AUTOFDO,
    /*
     * The functions that `symbol` finds at the addresses in use. The first line is "perfdata-symbols 1". Each
     * file has a line: "file", its build id or "-", its name; then a line for each address, in order: the
     * offset in the file, the offset in the function, the function's name, and the names of functions that
     * are inlined there, the outermost first. Tabs are between, numbers are hexadecimal. In names, control
     * characters and bytes that are not UTF-8 are \xNN, and a backslash is two.
     */
    PD_EXPORT_SYMBOLS,
    /*
     * A table (Parquet), one row a sample in perf's order, PD_SORT_TIME (a sample whose deferred call chain
     * comes later has its row there), written to `sink` as the samples come. Its columns are the same for all
     * recordings; what a sample does not have is NULL:
     *
     * - time, cpu, pid, tid, comm, event, period: the last is the event's where it samples none
     * - ip, dso, build_id, offset, sym: the address, the file mapped there, what `symbol` finds
     * - addr, weight, callchain: the last are addresses, the innermost first
     * - mem_op, mem_lvl, …: the parts of data_src, as numbers
     *
     * then those of `fields`. Numbers are unsigned, but for pid, tid, and signed fields of tracepoints. In
     * texts, control characters and bytes that are not UTF-8 are \xNN. Each group of at most 122,880 rows, or
     * of half of `memory`, has the least and the greatest value of each column. A sample of a group whose
     * counters are read is one row, with the period of its own event.
     */
    PD_EXPORT_PARQUET,
};

/* A PT_LOAD program header. */
struct pd_export_segment {
    uint64_t offset, size; /* of its bytes in the file */
    uint64_t vaddr;
    bool executable;
};

/* Keys that stand before the frames of a stack, in this order: bits. */
enum pd_export_keys {
    PD_EXPORT_COMM = 1, /* the name of the task at the time of the sample; ":TID" if it has none */
    PD_EXPORT_PID = 2,  /* "pid 7"; -1: the sample has none */
    PD_EXPORT_TID = 4,  /* "tid 7" */
    PD_EXPORT_CPU = 8,  /* "cpu 7" */
    PD_EXPORT_CGROUP =
        16, /* the path of the sample's cgroup; "cgroup ID" if no record names it, "" without */
};

struct pd_export_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc; must outlive the export */
    enum pd_export_format format;
    uint32_t keys; /* PD_EXPORT_… */
    bool count;    /* a sample counts 1; else its period, or its event's where that samples none */
    bool kernel;   /* also write branches of the kernel, for branch profiles */
    /*
     * Bytes for stacks; 0: 64 MiB. With less than 16 KiB there are few stacks in each temporary file. A merge
     * takes 128 KiB for each of these, 60 at most.
     */
    size_t memory;
    const char *tmpdir; /* for temporary files; copied; NULL: $TMPDIR, or else /tmp */
    /*
     * Writes the name of an event of the recording that is being added, as snprintf() would; NULL: names are
     * made from attrs.
     */
    size_t (*event_name)(void *user, struct pd_reader *reader, uint32_t attr, char *buf, size_t cap);
    /*
     * For mappings without a build id: writes that of the file, and returns its size, at most 20 bytes, or 0.
     * NULL: they have none.
     */
    size_t (*build_id)(void *user, struct pd_reader *reader, const char *file, uint8_t id[20]);
    /*
     * For branch profiles: writes the segments of a file, with room for `cap`, and returns their number; 0:
     * not known. build_id has hexadecimal digits, or is "". NULL: no file is known, and offsets count.
     */
    size_t (*segments)(void *user, const char *file, const char *build_id, struct pd_export_segment *segments,
                       size_t cap);
    /*
     * Finds the function of a frame, and those that are inlined there; NULL: frames stay offsets. Not for
     * branch profiles.
     */
    pd_symbol_finder *symbol;
    /* For branch profiles, as in pd_convert_options. */
    int (*open_member)(void *user, const char *name, unsigned mode, struct pd_sink *sink);
    int (*close_member)(void *user, struct pd_sink *sink);
    /* Called for each damaged record, which is left out; may be NULL. */
    void (*finding)(void *user, const struct pd_error *error);
    /* Called now and then with the work done and to do of one recording, in bytes; may be NULL. */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
    /* PD_EXPORT_PARQUET: where it goes; must outlive the export. */
    const struct pd_sink *sink;
    /*
     * More columns of PD_EXPORT_PARQUET: fields of tracepoints, or of samples, by the names that expressions
     * have (pd_expression_new()). The texts must outlive the export. A column has numbers if the field is one
     * in the first event of the first recording that has it, else texts: of other fields than strings, the
     * bytes in hexadecimal. Values of the other kind are decimal in a column of texts, NULL in one of
     * numbers.
     */
    const char *const *fields;
    size_t n_fields;
    /* The formats of a recording's tracepoints; NULL: none, or not known. */
    const struct pd_tracepoints *(*tracepoints)(void *user, struct pd_reader *reader);
    /*
     * Where a kernel whose functions `symbol` is asked for was: the address of the symbol behind its name in
     * the recording (PERF_RECORD_MMAP of perf: "_text" or "_stext"). With address space randomization each
     * boot has another. `file` and `build_id` are as for `symbol`. Called before `symbol`, at least once for
     * each place; may be NULL.
     */
    void (*kernel_place)(void *user, const char *file, const char *build_id, const char *name,
                         uint64_t address);
    /*
     * PD_EXPORT_PARQUET: threads that encode a group of rows while the next is filled; NULL: none. Must
     * outlive the export. The allocator is called in all, the rest in the caller's alone.
     */
    const struct pd_workers *workers;
};

struct pd_export_stats {
    uint64_t samples;    /* read */
    uint64_t exported;   /* of these, with at least one frame or key */
    uint64_t stacks;     /* different ones; until they are written, those that spilled may count twice */
    uint64_t spilled;    /* bytes written to temporary files */
    uint64_t cut;        /* samples whose stack was too long, of which the innermost 64 KiB were taken */
    uint64_t unknown;    /* samples of events that the recording does not describe, which are left out */
    uint64_t unjoined;   /* samples whose deferred call chain never came: the kernel's part alone was taken */
    const char *unfound; /* one of `fields` that no sample has had; NULL: none */
    uint64_t branched;   /* of the exported, with a branch stack that is not empty; of branch profiles */
};

/* PD_EARG: the format or a key is unknown, or a struct of another library. PD_ENOMEM. */
PD_EXPERIMENTAL enum pd_code pd_export_new(struct pd_export **export_,
                                           const struct pd_export_options *options, struct pd_error *error);
/* NULL is allowed. */
PD_EXPERIMENTAL void pd_export_free(struct pd_export *export_);

/*
 * Adds the selected samples of a recording, from its beginning if it can seek. `select` has options of
 * pd_filter(), of which keep, drop, all_user, all_kernel, with_children and predicate are used; NULL: all
 * samples. Call chains whose user part is in a later record are joined with it; off-cpu samples have the
 * stacks in their raw data. A sample without a call chain has one frame, its address.
 *
 * Damage goes to `finding` and does not end the work. PD_ELIMIT: too many names or mappings; failures
 * (pd_is_failure()). After an error the export can only be freed.
 */
PD_EXPERIMENTAL enum pd_code pd_export_add(struct pd_export *export_, struct pd_reader *reader,
                                           const struct pd_filter_options *select, struct pd_error *error);

/*
 * Writes what was added, in one order whatever the allocator and `memory`. Branch profiles go to files of
 * open_member, and Parquet to the options' sink: for these, `sink` may be NULL. PD_EOUT: the sink failed.
 */
PD_EXPERIMENTAL enum pd_code pd_export_write(struct pd_export *export_, const struct pd_sink *sink,
                                             struct pd_error *error);

PD_EXPERIMENTAL void pd_export_get_stats(const struct pd_export *export_, struct pd_export_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
