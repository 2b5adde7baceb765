/* SPDX-License-Identifier: MIT */
/* convert_files.c - files of a directory recording that hold no records, such as kcore_dir. */
#include "convert.h"
#include "src/container/dir.h"
#include "src/schema/fail.h"
#include <errno.h>
#include <unistd.h>

static int copy_bytes(int fd, const struct pd_sink *sink, int *read_error)
{
    uint8_t buf[32768];
    int e = 0;
    while (!e) {
        const ssize_t n = read(fd, buf, sizeof buf);
        if (n == 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return *read_error = errno;
        if (n > 0)
            e = sink->write(sink->user, buf, (size_t)n);
    }
    return e;
}

static enum pd_code copy_file(void *user, const char *name, unsigned mode, int fd, struct pd_error *error)
{
    const struct pi_conversion *c = user;
    struct pi_member_file file;
    int read_error = 0;
    enum pd_code code = pi_member_open(&c->members, name, mode, &file, error);
    const int e = code ? 0 : copy_bytes(fd, &file.sink, &read_error);
    if (read_error)
        code = pi_fail(error, PD_EIO, PD_NOWHERE, "a file of this directory", (uint64_t)e, 0);
    else if (e)
        code = pi_fail(error, PD_EOUT, PD_NOWHERE, "member of a directory", (uint64_t)e, 0);
    return pi_member_close(&c->members, &file, code, error);
}

enum pd_code pi_convert_files(struct pi_conversion *c)
{
    const bool to = c->to == PD_CONTAINER_DIRECTORY, copied = to && c->options->files;
    struct pd_convert_note note = {.what = PD_NOTED_FILES};
    const enum pd_code code = pi_dir_each_file(c->r, copied ? copy_file : NULL, c, &note.count, c->error);
    note.why = !to      ? "only a directory can hold them"
               : copied ? "they are no regular files"
                        : "not asked for";
    if (!code && note.count && c->options->note)
        c->options->note(c->options->user, &note);
    return code;
}
