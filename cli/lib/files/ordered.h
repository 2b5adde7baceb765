/* SPDX-License-Identifier: MIT */
/* ordered.h - the records of an input in the order of time, and what they mean so far. */
#ifndef PERFDATA_CLI_ORDERED_H
#define PERFDATA_CLI_ORDERED_H

#include "input.h"
#include <perfdata/session/session.h>
#include <perfdata/session/sorter.h>

struct cli_ordered {
    struct cli_input *in;
    struct pd_sorter *sorter;
    struct pd_session *session;
    bool failed; /* before the end */
};

/* `parts`: PD_SESSION_…; the input can seek. False: the message is printed. To be closed in any case. */
bool cli_ordered_open(struct cli_ordered *o, struct cli_input *in, enum pd_sort_kind kind, uint32_t parts);
/* The next record, which the session has seen; damage is reported. False: there are no more, or `failed`. */
bool cli_ordered_next(struct cli_ordered *o, struct pd_record *rec);
void cli_ordered_close(struct cli_ordered *o);

#endif
