/* SPDX-License-Identifier: MIT */
/* text_out.h - a pd_out whose bytes go to a sink. */
#ifndef PERFDATA_TEXT_OUT_H
#define PERFDATA_TEXT_OUT_H

#include "src/schema/fail.h"
#include <perfdata/session/text.h>
#include <perfdata/writer.h>

struct pi_text_out {
    struct pd_out out;
    const struct pd_sink *sink;
    int failed; /* errno */
    char buf[16384];
};

static inline bool pi_text_out_flush(struct pd_out *out, size_t want)
{
    struct pi_text_out *t = out->user;
    (void)want;
    if (!t->failed && out->n)
        t->failed = t->sink->write(t->sink->user, out->buf, out->n);
    out->n = 0;
    return !t->failed;
}

/* It must stay where it is. */
static inline void pi_text_out_open(struct pi_text_out *t, const struct pd_sink *sink)
{
    t->out = (struct pd_out){.buf = t->buf, .cap = sizeof t->buf, .more = pi_text_out_flush, .user = t};
    t->sink = sink;
    t->failed = 0;
}

/* PD_EOUT if the sink has failed. */
static inline enum pd_code pi_text_out_code(const struct pi_text_out *t, struct pd_error *error)
{
    return t->failed ? pi_fail(error, PD_EOUT, PD_NOWHERE, "output", (uint64_t)t->failed, 0) : PD_OK;
}

/* Writes the rest. */
static inline enum pd_code pi_text_out_end(struct pi_text_out *t, struct pd_error *error)
{
    pi_text_out_flush(&t->out, 0);
    return pi_text_out_code(t, error);
}

#endif
