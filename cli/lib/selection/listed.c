/* SPDX-License-Identifier: MIT */
/* listed.c - names of a selection that no input has, with the nearest that there are. */
#include "cli/lib/cli.h"
#include "cli/lib/messages/nearest.h"
#include "selection.h"
#include "src/support/limits.h"
#include <stdlib.h>
#include <string.h>

struct cli_listed {
    enum pd_name_kind kind;
    const char *name;
    size_t n_missed; /* number of inputs without it */
    struct cli_nearest nearest;
};

static bool list_names(struct cli_selection *s, enum pd_name_kind kind, const char **names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct cli_listed listed = {.kind = kind, .name = names[i]};
        cli_nearest_start(&listed.nearest, names[i]);
        if (!CLI_ADD(s->cli, s->listed, s->n_listed, listed))
            return false;
    }
    return true;
}

static bool list_side(struct cli_selection *s, const struct cli_wanted *l)
{
    return list_names(s, PD_NAME_COMM, l->comms, l->n_comms) &&
           list_names(s, PD_NAME_DSO, l->dsos, l->n_dsos) &&
           list_names(s, PD_NAME_CGROUP, l->cgroups, l->n_cgroups);
}

bool cli_list_names(struct cli_selection *s)
{
    return s->n_looked_up++ || (list_side(s, &s->keep) && list_side(s, &s->drop));
}

void cli_selection_known(void *user, enum pd_name_kind kind, const char *name)
{
    struct cli_selection *s = user;
    for (size_t i = 0; i < s->n_listed && i < PI_LIMIT_NAMES_COMPARED; i++)
        if (s->listed[i].kind == kind)
            cli_nearest_try(&s->listed[i].nearest, name);
}

void cli_selection_unmatched(void *user, enum pd_name_kind kind, const char *name)
{
    struct cli_selection *s = user;
    for (size_t i = 0; i < s->n_listed; i++)
        if (s->listed[i].kind == kind && strcmp(s->listed[i].name, name) == 0)
            s->listed[i].n_missed++;
}

void cli_tell_unmatched(struct cli_selection *s)
{
    static const char *const kinds[] = {"task", "file", "cgroup"};
    for (size_t i = 0; i < s->n_listed; i++) {
        const struct cli_listed *l = &s->listed[i];
        if (l->n_missed >= s->n_looked_up && l->n_missed)
            cli_fail(s->cli, CLI_FINDINGS, "no %s is called \"%s\"%s", kinds[l->kind], l->name,
                     cli_nearest_text(&l->nearest));
    }
}

void cli_free_listed(struct cli_selection *s)
{
    free(s->listed);
}
