/* SPDX-License-Identifier: MIT */
/* lists.c - arrays that grow by one element at a time. */
#include "selection.h"
#include "cli/lib/cli.h"
#include <stdlib.h>

bool cli_no_list(struct cli *cli)
{
    cli_fail(cli, CLI_OUTPUT, "no memory for the lists");
    return false;
}

bool cli_grow_list(struct cli *cli, void **array, size_t n, size_t size)
{
    if (*array && n && (n & (n - 1)))
        return true;
    void *p = cli_reallocarray(*array, n ? 2 * n : 1, size);
    if (p == NULL)
        return cli_no_list(cli);
    *array = p;
    return true;
}

char *cli_own_text(struct cli_selection *s, const char *text)
{
    char *copy = cli_strdup(text);
    if (copy == NULL || !CLI_ADD(s->cli, s->owned, s->n_owned, copy)) {
        free(copy);
        cli_no_list(s->cli);
        return NULL;
    }
    return copy;
}
