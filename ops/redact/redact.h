/* SPDX-License-Identifier: MIT */
/*
 * redact.h - the internals of a redaction: redact.c decides by kind of field, redact_text.c makes names,
 * paths and events.
 */
#ifndef PERFDATA_REDACT_INTERNAL_H
#define PERFDATA_REDACT_INTERNAL_H

#include "ops/edit/edits.h"
#include "redact_addrs.h"
#include "redact_names.h"
#include "src/schema/fail.h"
#include <perfdata/ops/redact.h>

struct pd_redaction {
    const struct pi_redaction_calls *calls; /* must be first: pi_calls_of() */
    struct pd_redact_options options;       /* USUAL is resolved; the key is in `names` */
    const struct pd_allocator *allocator;
    struct pi_redact_names names;
    struct pi_addrs addrs;
    bool surveys;        /* addresses are noted, and nothing is changed */
    uint64_t at, at_now; /* the last address, and its new value */
    uint64_t shift;      /* of times */
    bool shift_known;
    bool system_known; /* the current tracepoints are the kernel's */
    char **public;     /* patterns of paths that stay */
    size_t n_public;
    bool public_file; /* the path beside the build id at hand is one of them */
    char *text;       /* memory for the current value, which grows */
    size_t text_n, text_cap;
};

/* Keeps a name unchanged. PD_ENOMEM. */
enum pd_code pi_redact_keep(struct pd_redaction *r, const struct pd_bytes *name, struct pd_error *error);

/*
 * Each replaces *text; the redaction owns the new bytes. They stay valid, those of events until the next
 * call. PD_ENOMEM.
 */
enum pd_code pi_redact_name(struct pd_redaction *r, struct pd_bytes *text, struct pd_error *error);
enum pd_code pi_redact_path(struct pd_redaction *r, struct pd_bytes *text, struct pd_error *error);
/* Replaces the name of an event: "cycles:u" and "sched:sched_switch" stay, "probe_app:main" does not. */
enum pd_code pi_redact_event(struct pd_redaction *r, struct pd_bytes *text, struct pd_error *error);
/*
 * Replaces the name in the text of tracefs that describes an event; of its fields, only the common ones stay.
 */
enum pd_code pi_redact_format(struct pd_redaction *r, struct pd_bytes *text, struct pd_error *error);
/* The same for the text about pages of the ring buffer, which perf requires to be non-empty. */
enum pd_code pi_redact_page(struct pd_redaction *r, struct pd_bytes *text, struct pd_error *error);
/* True if the kernel itself has tracepoints of that subsystem. */
bool pi_redact_is_system(const void *name, size_t n);
/* True for one of the few words that the format has in such places. */
bool pi_redact_is_word(const struct pd_bytes *text);
/* True for paths that the options keep. */
bool pi_redact_is_public(const struct pd_redaction *r, const struct pd_bytes *path);
/* True for paths that identify nobody. */
bool pi_redact_is_plain_path(const struct pd_redaction *r, const struct pd_bytes *path);

static inline enum pd_code pi_redact_no_memory(struct pd_error *error)
{
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "names", 0, 1);
}

#endif
