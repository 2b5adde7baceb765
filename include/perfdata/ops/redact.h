/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/redact.h - recordings that can be shown to others: pd_convert() replaces names, ids and
 * payloads or leaves them out. docs/REDACT.md lists the data concerned.
 *
 *     struct pd_redaction *redaction;
 *     if (pd_redaction_open(&redaction, NULL, &error) == PD_OK) {
 *         const struct pd_convert_options options = {.size = sizeof options, .redaction = redaction};
 *         code = pd_convert(reader, &sink, &options, &stats, &error);
 *         pd_redaction_map(redaction, print, NULL);
 *         pd_redaction_close(redaction);
 *     }
 *
 * The conversion refuses unknown data with PD_EOPAQUE, unless drop_unknown is set; `field` and `section` name
 * it.
 */
#ifndef PERFDATA_OPS_REDACT_H
#define PERFDATA_OPS_REDACT_H

#include <perfdata/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pd_redact_how {
    PD_REDACT_USUAL, /* HASH for host name, command line, paths, comms, build ids and payloads, KEEP for the
                        others */
    PD_REDACT_KEEP,  /* stays as it is */
    PD_REDACT_DROP,  /* removed: strings become empty, numbers 0, and records and features with nothing else
                        are left out */
    PD_REDACT_HASH,  /* replaced, one to one and always by the same value */
};

struct pd_redact_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc; must outlive the redaction */
    enum pd_redact_how hostname;
    enum pd_redact_how cmdline; /* of perf itself */
    enum pd_redact_how
        paths; /* names of files by their components, of cgroups and symbols; inodes and devices */
    enum pd_redact_how comms;
    enum pd_redact_how pids; /* and tids; 0 and -1 stay */
    enum pd_redact_how
        addrs; /* in samples, maps and symbols; HASH: each stays in its map, at its offset there. pd_convert()
                  then reads an input that can seek twice; of another, maps and samples part */
    enum pd_redact_how times;     /* HASH: all moved by the same amount */
    enum pd_redact_how build_ids; /* and tags of BPF programs */
    enum pd_redact_how payloads;  /* raw data, registers, stacks, AUX data, code; HASH: as many zero bytes */
    enum pd_redact_how events;  /* names of events. KEEP: names of probes, which contain function names, still
                                   count as  paths */
    enum pd_redact_how machine; /* release of the kernel, model of the cpu, and the like */
    bool drop_unknown;          /* leave out unknown records, features and bytes, which are else an error */
    const void *key; /* determines the names and numbers of HASH, the same in every recording; only read by
                        pd_redaction_open(). NULL: they are numbered in order of appearance */
    size_t key_n;    /* at least 16 bytes */
    const struct pd_bytes *keep; /* names that stay everywhere, as tasks, components of paths, or words; only
                                    read by pd_redaction_open() */
    size_t n_keep;
    /*
     * Paths that stay, with the build ids that stand beside them: equal to one of these, or fitting it as a
     * pattern of fnmatch() without flags, in which `*` includes slashes. Only read by pd_redaction_open().
     */
    const struct pd_bytes *keep_paths;
    size_t n_keep_paths;
};

/*
 * The replacements so far. Memory grows with the number of different names and, if hashed, pids, inodes and
 * pages of addresses; not with the recording. It may serve several conversions, one after another, which then
 * use the same replacements, except for addresses, which depend on each recording; the map has those of the
 * last.
 */
struct pd_redaction;

/* options NULL: the usual. PD_EARG: a key of fewer than 16 bytes, or libsodium cannot be used. PD_ENOMEM. */
PD_EXPERIMENTAL enum pd_code pd_redaction_open(struct pd_redaction **redaction,
                                               const struct pd_redact_options *options,
                                               struct pd_error *error);
PD_EXPERIMENTAL void pd_redaction_close(struct pd_redaction *redaction);

/* A replacement. Names have their bytes, numbers and build ids are texts. */
struct pd_redacted {
    const char *kind;     /* addresses are ranges, as "0x1000-0x2fff": "name" (comms, parts of paths, symbols,
                             words), "path", "pid", "inode", "addr", "build-id": static */
    const char *original; /* n bytes */
    size_t n;
    const char *replacement;
};

/* Calls `take` for each, in order of appearance. It must not use the redaction. */
PD_EXPERIMENTAL void pd_redaction_map(const struct pd_redaction *redaction,
                                      void (*take)(void *user, const struct pd_redacted *what), void *user);

/* ---- Proof */

/* A place where a string was found. */
struct pd_leak {
    size_t string;               /* which, counted from 0 */
    const struct pd_record *rec; /* the record it is in or behind; NULL: in none */
    uint64_t offset;             /* of the record or, in none, of the string, in the file */
    const char *section; /* the part that contains it if no record does: "header", "attrs", "gap", name of a
                            feature */
};

/*
 * Searches a recording for strings: in header, sections, gaps and records (compressed ones after
 * decompression), and in the data behind records. Calls `found` once for each string in each record or
 * section. Damage is an error, since then nothing is proved. The reader must be new or rewound and able to
 * seek.
 */
PD_EXPERIMENTAL enum pd_code pd_redact_prove(struct pd_reader *reader, const struct pd_bytes *strings,
                                             size_t n, void (*found)(void *user, const struct pd_leak *leak),
                                             void *user, struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
