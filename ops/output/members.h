/* SPDX-License-Identifier: MIT */
/* members.h - files of a directory that is being written. */
#ifndef PERFDATA_MEMBERS_H
#define PERFDATA_MEMBERS_H

#include "src/schema/fail.h"
#include <perfdata/writer.h>

/* The caller's functions, as in pd_convert_options. */
struct pi_members {
    int (*open)(void *user, const char *name, unsigned mode, struct pd_sink *sink);
    int (*close)(void *user, struct pd_sink *sink); /* may be NULL */
    void *user;
};

/* A file that is being written. */
struct pi_member_file {
    struct pd_sink sink;
    bool open; /* close() must be called */
};

static inline enum pd_code pi_member_open(const struct pi_members *m, const char *name, unsigned mode,
                                          struct pi_member_file *file, struct pd_error *error)
{
    const int e = m->open(m->user, name, mode, &file->sink);
    file->open = e == 0;
    return e ? pi_fail(error, PD_EOUT, PD_NOWHERE, "member of a directory", (uint64_t)e, 0) : PD_OK;
}

/* Closes the file if it is open. `code`: the earlier result, which `error` belongs to. */
static inline enum pd_code pi_member_close(const struct pi_members *m, struct pi_member_file *file,
                                           enum pd_code code, struct pd_error *error)
{
    const int e = file->open && m->close ? m->close(m->user, &file->sink) : 0;
    file->open = false;
    return code || !e ? code : pi_fail(error, PD_EOUT, PD_NOWHERE, "member of a directory", (uint64_t)e, 0);
}

#endif
