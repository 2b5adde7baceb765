/* SPDX-License-Identifier: MIT */
/* merge_common.c - shared by all parts of a merge: notes and errors. */
#include "merge.h"
#include "src/schema/fail.h"

void pi_merge_note(const struct pi_merging *m, size_t input, uint32_t feature, const char *text)
{
    pi_merge_note_event(m, input, feature, text, NULL);
}

void pi_merge_note_event(const struct pi_merging *m, size_t input, uint32_t feature, const char *text,
                         const char *name)
{
    const struct pd_merge_note note = {input, feature, text, name};
    if (m->options->note)
        m->options->note(m->options->user, &note);
}

enum pd_code pi_merge_no_memory(struct pi_merging *m, size_t n)
{
    return pi_fail(m->error, PD_ENOMEM, PD_NOWHERE, "events", 0, n);
}
