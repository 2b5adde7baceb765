/* SPDX-License-Identifier: MIT */
/*
 * redact.h - the inside of a redaction: redact.c decides by kind of field, redact_text.c makes names, paths
 * and events.
 */
#ifndef PERFDATA_REDACT_INTERNAL_H
#define PERFDATA_REDACT_INTERNAL_H

#include "ops/edit/edits.h"
#include "redact_addrs.h"
#include "redact_names.h"
#include <perfdata/ops/redact.h>

struct pd_redaction {
    const struct pd_redaction_calls *calls; /* stands first: pd_calls_of() */
    struct pd_redact_options options;       /* none is USUAL, the key is in `names` */
    const struct pd_allocator *allocator;
    struct pd_names names;
    struct pd_addrs addrs;
    bool surveys;        /* addresses are noted, nothing is changed */
    uint64_t at, at_now; /* the last address, and what became of it */
    uint64_t shift;      /* of times */
    bool shift_known;
    bool system_known; /* the tracepoints at hand are the kernel's */
    char *text;        /* of the value at hand, that grows */
    size_t text_n, text_cap;
};

/* A name that stays; PD_ENOMEM. */
enum pd_code pd_redact_keep(struct pd_redaction *r, const struct pd_bytes *name, struct pd_error *error);

/* Each replaces *text; its bytes are the redaction's and stay, those of events until the next. PD_ENOMEM. */
enum pd_code pd_redact_name(struct pd_redaction *r, struct pd_bytes *text, struct pd_error *error);
enum pd_code pd_redact_path(struct pd_redaction *r, struct pd_bytes *text, struct pd_error *error);
/* The name of an event: "cycles:u" stays, so does "sched:sched_switch"; "probe_app:main" does not. */
enum pd_code pd_redact_event(struct pd_redaction *r, struct pd_bytes *text, struct pd_error *error);
/*
 * The text of tracefs that tells the fields of an event: its name is replaced, and only the common fields
 * stay.
 */
enum pd_code pd_redact_format(struct pd_redaction *r, struct pd_bytes *text, struct pd_error *error);
/* The same of a page of the ring buffer; perf does not take an empty one. */
enum pd_code pd_redact_page(struct pd_redaction *r, struct pd_bytes *text, struct pd_error *error);
/* Does the kernel itself have tracepoints of that subsystem? */
bool pd_redact_is_system(const void *name, size_t n);
/* Is it one of the few words that the format has in such places? */
bool pd_redact_is_word(const struct pd_bytes *text);
/* Names that say nothing of anybody. */
bool pd_redact_is_plain_path(const struct pd_redaction *r, const struct pd_bytes *path);

#endif
