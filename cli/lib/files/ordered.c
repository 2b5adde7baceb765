/* SPDX-License-Identifier: MIT */
/* ordered.c - the records of an input in the order of time. */
#include "ordered.h"
#include "cli/lib/memory.h"
#include "src/schema/fail.h"

bool cli_ordered_open(struct cli_ordered *o, struct cli_input *in, enum pd_sort_kind kind, uint32_t parts)
{
    const struct pd_sorter_options order = {.size = sizeof order, .allocator = &cli_allocator, .kind = kind};
    const struct pd_session_options how = {.size = sizeof how, .allocator = &cli_allocator, .parts = parts};
    struct pd_error error;
    *o = (struct cli_ordered){.in = in};
    o->failed = pd_session_new(&o->session, &how, &error) || pd_reader_rewind(in->reader, &error) ||
                pd_sorter_open(&o->sorter, in->reader, &order, &error);
    if (o->failed)
        cli_input_error(in, &error);
    return !o->failed;
}

bool cli_ordered_next(struct cli_ordered *o, struct pd_record *rec)
{
    struct pd_error error;
    enum pd_code code;
    while (!o->failed && (code = pd_sorter_next(o->sorter, rec, &error)) != PD_END) {
        if (!code)
            code = pd_session_record(o->session, rec, &error);
        if (!code)
            return true;
        cli_input_error(o->in, &error);
        o->failed = pi_ends_pass(code);
    }
    return false;
}

void cli_ordered_close(struct cli_ordered *o)
{
    pd_sorter_close(o->sorter);
    pd_session_free(o->session);
    o->sorter = NULL;
    o->session = NULL;
}
