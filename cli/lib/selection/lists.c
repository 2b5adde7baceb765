/* SPDX-License-Identifier: MIT */
/* lists.c - arrays that grow by one element at a time. */
#include "selection.h"
#include "cli/lib/cli.h"

bool cli_no_list(struct cli *cli)
{
    cli_fail(cli, CLI_OUTPUT, "no memory for the lists");
    return false;
}

bool cli_grow_list(struct cli *cli, void **array, size_t n, size_t size)
{
    if (*array && (n & (n - 1)))
        return true;
    void *p = cli_reallocarray(*array, n ? 2 * n : 1, size);
    if (p == NULL)
        return cli_no_list(cli);
    *array = p;
    return true;
}
