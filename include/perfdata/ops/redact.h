/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/redact.h - recordings that can be shown to others: names, ids and payloads are replaced or
 * left out on the way through pd_convert(). What tells whose recording it is: docs/REDACT.md.
 *
 *     struct pd_redaction *redaction;
 *     if (pd_redaction_open(&redaction, NULL, &error) == PD_OK) {
 *         const struct pd_convert_options options = {.size = sizeof options, .redaction = redaction};
 *         code = pd_convert(reader, &sink, &options, &stats, &error);
 *         pd_redaction_map(redaction, print, NULL);
 *         pd_redaction_close(redaction);
 *     }
 *
 * The conversion refuses with PD_EOPAQUE what it does not understand, unless drop_unknown; `field` and
 * `section` name it.
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
    PD_REDACT_DROP, /* goes: strings are empty, numbers 0, records and features that are nothing else are left
                       out */
    PD_REDACT_HASH, /* another one takes its place, always the same, and never the same for two */
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
    enum pd_redact_how times;     /* HASH: all moved by the same */
    enum pd_redact_how build_ids; /* and tags of BPF programs */
    enum pd_redact_how payloads;  /* raw data, registers, stacks, AUX data, code; HASH: as many zero bytes */
    enum pd_redact_how
        events; /* names of events. KEEP: but those of probes, which are names of functions, count as paths */
    enum pd_redact_how machine; /* release of the kernel, model of the cpu, and the like */
    bool drop_unknown; /* records, features and bytes that are not understood are left out, else they are an
                          error */
    const void *key;   /* the names and numbers of HASH follow from it, in every recording the same; only read
                          by   pd_redaction_open(). NULL: they are numbered in order of appearance */
    size_t key_n;      /* at least 16 bytes */
    const struct pd_bytes *keep; /* names that stay wherever they are: tasks, components of paths, words; only
                                    read by pd_redaction_open() */
    size_t n_keep;
};

/*
 * What was replaced by what, so far. Memory grows with the number of different names and, where they are
 * hashed, pids, inodes and pages of addresses; not with the recording. It may serve several conversions, one
 * after another, which then agree, but not on addresses, which follow from those of each recording; the map
 * has those of the last.
 */
struct pd_redaction;

/* options NULL: the usual. PD_EARG: a key of fewer than 16 bytes, or libsodium cannot be used. PD_ENOMEM. */
PD_EXPERIMENTAL enum pd_code pd_redaction_open(struct pd_redaction **redaction,
                                               const struct pd_redact_options *options,
                                               struct pd_error *error);
PD_EXPERIMENTAL void pd_redaction_close(struct pd_redaction *redaction);

/* What was replaced. Names have their bytes, numbers and build ids are texts. */
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
    const char
        *section; /* what it is in when it is in no record: "header", "attrs", "gap", name of a feature */
};

/*
 * Searches a recording for strings: in header, sections, gaps and records, those that are compressed after
 * they are opened, and in what follows records. Calls `found` for each string once for each record or section
 * that has it. Damage is an error: then nothing is proved. The reader must be new or rewound and able to
 * seek.
 */
PD_EXPERIMENTAL enum pd_code pd_redact_prove(struct pd_reader *reader, const struct pd_bytes *strings,
                                             size_t n, void (*found)(void *user, const struct pd_leak *leak),
                                             void *user, struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
