/* SPDX-License-Identifier: MIT */
/* spool.c - a recording that is written to a temporary file first, and from there in another form. */
#include "cli.h"
#include <errno.h>
#include <unistd.h>

static int spool_write(void *user, const void *bytes, size_t n)
{
    return fwrite(bytes, 1, n, user) == n ? 0 : errno ? errno : EIO;
}

static int spool_patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    if (fseeko(user, (off_t)offset, SEEK_SET) || spool_write(user, bytes, n) || fseeko(user, 0, SEEK_END))
        return errno ? errno : EIO;
    return 0;
}

static enum pd_code failed(struct pd_error *error)
{
    *error = (struct pd_error){.code = PD_EOUT,
                               .offset = PD_NOWHERE,
                               .record_index = PD_NOWHERE,
                               .field = "temporary file",
                               .found = (uint64_t)errno};
    return PD_EOUT;
}

enum pd_code cli_spool_open(struct cli_spool *spool, struct pd_error *error)
{
    const int fd = cli_temporary();
    spool->file = fd < 0 ? NULL : fdopen(fd, "w+b");
    spool->sink = (struct pd_sink){.write = spool_write, .patch = spool_patch, .user = spool->file};
    if (spool->file)
        return PD_OK;
    failed(error);
    if (fd >= 0)
        close(fd);
    return PD_EOUT;
}

static enum pd_code convert(const struct cli_spool *spool, const struct pd_convert_options *how,
                            const struct pd_sink *sink, struct pd_error *error)
{
    struct pd_convert_stats stats;
    struct pd_reader *r;
    if (fflush(spool->file))
        return failed(error);
    enum pd_code code = pd_reader_open_fd(&r, fileno(spool->file), NULL, error);
    if (code)
        return code;
    code = pd_convert(r, sink, how, &stats, error);
    pd_reader_close(r);
    return code;
}

enum pd_code cli_spool_convert(struct cli_spool *spool, enum pd_code code,
                               const struct pd_convert_options *how, const struct pd_sink *sink,
                               struct pd_error *error)
{
    if (code == PD_EOUT)
        error->field = "temporary file";
    if (!code)
        code = convert(spool, how, sink, error);
    fclose(spool->file);
    return code;
}
