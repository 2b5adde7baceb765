/* SPDX-License-Identifier: MIT */
/* hits.c - finds the files that the addresses of samples are in. */
#define _GNU_SOURCE /* tdestroy() */
#include "hits.h"
#include "cli/lib/files/ordered.h"
#include <limits.h>
#include <perfdata/session/event.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool add_name(struct cli_input *in, struct hits *hits, const char *name)
{
    if (tfind(name, &hits->names, compare_names))
        return true;
    char *copy = cli_strdup(name);
    if (copy && tsearch(copy, &hits->names, compare_names))
        return true;
    free(copy);
    cli_fail(in->cli, CLI_OUTPUT, "no memory for the names of files");
    return false;
}

static bool add_sample(struct cli_input *in, struct pd_session *session, struct pd_record *rec,
                       struct hits *hits)
{
    struct pd_offcpu offcpu;
    struct pd_error error;
    char dso[UINT16_MAX + 1];
    if (pd_reader_decode(in->reader, rec, &error)) {
        cli_input_error(in, &error);
        return true;
    }
    if (pd_offcpu_of(rec, &offcpu)) {
        pd_offcpu_apply(&offcpu, &rec->u.sample);
        pd_record_changed(rec);
    }
    const struct pd_mapping *m =
        pd_session_find_mapping(session, rec->u.sample.pid, rec->u.sample.ip, rec->misc & PD_MISC_CPUMODE);
    if (m == NULL)
        return true;
    hits->kernel |= m->kind == PD_MAPPING_KERNEL;
    pd_mapping_dso(m, dso, sizeof dso);
    return add_name(in, hits, m->file) && add_name(in, hits, dso);
}

bool find_hits(struct cli_input *in, struct hits *hits)
{
    struct cli_ordered records;
    struct pd_record rec = {0};
    bool ok = cli_ordered_open(&records, in, PD_SORT_CAUSAL, PD_SESSION_MAPPINGS);
    while (ok && cli_ordered_next(&records, &rec))
        if (rec.type == PD_RECORD_SAMPLE && rec.plan)
            ok = add_sample(in, records.session, &rec, hits);
    ok = ok && !records.failed;
    cli_ordered_close(&records);
    return ok;
}

/* perf takes all of the kernel that is no module for its image, as /boot/vmlinux. */
static bool is_kernel_image(const struct pd_build_id *b, const char *name)
{
    return (b->misc & PD_MISC_CPUMODE) == PD_CPUMODE_KERNEL && *name != '[' && !strstr(name, ".ko");
}

bool hits_file(const struct hits *hits, const struct pd_build_id *b)
{
    const struct pd_str *name = &b->filename;
    char *text = cli_malloc(name->len + 1);
    if (text == NULL)
        return true;
    memcpy(text, name->ptr, name->len);
    text[name->len] = 0;
    const bool hit = tfind(text, &hits->names, compare_names) || (hits->kernel && is_kernel_image(b, text));
    free(text);
    return hit;
}

void free_hits(struct hits *hits)
{
    tdestroy(hits->names, free);
}
