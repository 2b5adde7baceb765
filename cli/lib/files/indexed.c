/* SPDX-License-Identifier: MIT */
/* indexed.c - the index beside a recording. */
#define _GNU_SOURCE
#include "indexed.h"
#include "cli/lib/memory.h"
#include "cli/lib/messages/messages.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An index that is open, and its file. */
struct cli_index {
    struct pd_index *index;
    int fd;
};

static int64_t read_at(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct cli_index *x = user;
    const ssize_t got = pread(x->fd, buf, n, (off_t)offset);
    return got < 0 ? -errno : got;
}

static void close_file(void *user)
{
    const struct cli_index *x = user;
    if (x->fd >= 0)
        close(x->fd);
}

static bool fail(struct pd_error *why, enum pd_code code, int e)
{
    *why = (struct pd_error){
        .code = code, .offset = PD_NOWHERE, .record_index = PD_NOWHERE, .found = (uint64_t)e};
    return false;
}

bool cli_index_open(struct cli_input *in, const char *path, struct pd_error *why)
{
    struct stat st;
    struct cli_index *x = cli_calloc(1, sizeof *x);
    if (x == NULL)
        return fail(why, PD_ENOMEM, 0);
    x->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (x->fd < 0 || fstat(x->fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        const int e = x->fd < 0 ? errno : S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
        close_file(x);
        free(x);
        return fail(why, e == ENOENT ? PD_EMISSING : PD_EIO, e);
    }
    const struct pd_index_options how = {.size = sizeof how, .allocator = &cli_allocator};
    const struct pd_source source = {read_at, close_file, x, (uint64_t)st.st_size};
    if (pd_index_open(&x->index, in->reader, &source, &how, why)) {
        free(x);
        return false;
    }
    in->index = x;
    in->close_index = cli_index_close;
    return true;
}

struct pd_index *cli_index_of(const struct cli_input *in)
{
    return in->index ? in->index->index : NULL;
}

/* All is read instead. */
static void tell_why(struct cli_input *in, const struct pd_error *why)
{
    char text[512];
    if (why->code == PD_EDIFFERENT)
        snprintf(text, sizeof text, "it was made with another %s", why->field);
    else if (why->code == PD_EUNSUP)
        snprintf(text, sizeof text, "it does not serve %s", why->field);
    else if (why->code == PD_EIO)
        snprintf(text, sizeof text, "%s", strerror((int)why->found));
    else
        pd_error_text(why, text, sizeof text);
    cli_say(in->cli, "%s" CLI_INDEX_SUFFIX ": the index is not used, and all is read: %s", in->name, text);
}

bool cli_index_find(struct cli_input *in)
{
    char path[4096];
    struct pd_error why;
    if (in->index || in->index_asked)
        return in->index != NULL;
    in->index_asked = true;
    if (!in->seekable || !S_ISREG(in->st.st_mode) || in->fd == STDIN_FILENO ||
        snprintf(path, sizeof path, "%s" CLI_INDEX_SUFFIX, in->name) >= (int)sizeof path)
        return false;
    if (cli_index_open(in, path, &why))
        return true;
    if (why.code != PD_EMISSING)
        tell_why(in, &why);
    return false;
}

bool cli_index_select(struct cli_input *in, const struct pd_time_range *times, size_t n)
{
    struct pd_error why, error;
    if (!cli_index_find(in) || pd_index_select(in->index->index, times, n, &why) == PD_OK)
        return true;
    tell_why(in, &why);
    cli_index_close(in);
    if (pd_reader_rewind(in->reader, &error) == PD_OK)
        return true;
    cli_input_error(in, &error);
    return false;
}

bool cli_index_select_kept(struct cli_input *in, const struct pd_filter_lists *keep)
{
    return keep->n_times == 0 || cli_index_select(in, keep->times, keep->n_times);
}

void cli_index_close(struct cli_input *in)
{
    struct cli_index *x = in->index;
    in->index = NULL;
    if (x == NULL)
        return;
    pd_index_close(x->index);
    free(x);
}
