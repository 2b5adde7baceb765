/* SPDX-License-Identifier: MIT */
/* cmp_lines.c - shared by the lines of `perfdata cmp` about records and about other files. */
#include "cmp.h"
#include <string.h>

void cmp_put_only(struct cmp *c, int side)
{
    cli_color(c->cli, side ? GREEN : RED);
    pd_out_str(&c->cli->out, "only in ");
    cli_color(c->cli, 0);
    pd_out_plain(&c->cli->out, c->in[side].name, strlen(c->in[side].name));
}

bool cmp_count(struct cmp *c)
{
    cli_raise(c->cli, CLI_FINDINGS);
    return ++c->n < c->limit && !c->cli->out_error;
}
