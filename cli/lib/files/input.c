/* SPDX-License-Identifier: MIT */
/* input.c - recordings that are read: opening them, their records, and their damage. */
#define _GNU_SOURCE
#include "input.h"
#include "src/schema/fail.h"
#include "src/support/limits.h"
#include "cli/lib/memory.h"
#include "cli/lib/messages/messages.h"
#include "cli/lib/print.h"
#include "cli/lib/threads/workers.h"
#include "cli/lib/messages/progress.h"
#include "temporary.h"
#include <errno.h>
#include <fcntl.h>
#include <perfdata/constants.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Opening */

/* Room for n more bytes of the begin of a stream. */
static bool make_room(struct cli_input *in, size_t n)
{
    const size_t cap = n <= in->begin_cap - in->n_begin ? in->begin_cap : 2 * in->begin_cap + n;
    uint8_t *p = cap == in->begin_cap ? in->begin : cli_realloc(in->begin, cap);
    if (p == NULL)
        return false;
    in->begin = p;
    in->begin_cap = cap;
    return true;
}

/* read() of a stream, which Ctrl-C may end. */
static ssize_t read_stream(const struct cli_input *in, void *buf, size_t n)
{
    return in->stops && !cli_wait_input(in->fd) ? 0 : read(in->fd, buf, n);
}

/*
 * A stream: the bytes that were read to recognise it, then the rest. Output is flushed whenever the input
 * pauses.
 */
static int64_t stream_read(void *user, uint64_t offset, void *buf, size_t n)
{
    struct cli_input *in = user;
    struct pollfd ready = {.fd = in->fd, .events = POLLIN};
    const size_t n_begin = in->begin ? in->n_begin : in->n_head;
    if (offset < n_begin) {
        const size_t left = n_begin - (size_t)offset;
        n = n < left ? n : left;
        memcpy(buf, (in->begin ? in->begin : in->head) + offset, n);
        return (int64_t)n;
    }
    if (poll(&ready, 1, 0) == 0)
        cli_flush(in->cli);
    if (in->keeping && !make_room(in, n))
        return -ENOMEM;
    const ssize_t got = read_stream(in, buf, n);
    if (got > 0 && in->keeping) {
        memcpy(in->begin + in->n_begin, buf, (size_t)got);
        in->n_begin += (size_t)got;
    }
    return got < 0 ? -errno : got;
}

/* Reads the first bytes of a stream. 0, or an errno. */
static int read_head(struct cli_input *in)
{
    ssize_t got = 1;
    while (in->n_head < sizeof in->head && got != 0) {
        got = read(in->fd, in->head + in->n_head, sizeof in->head - in->n_head);
        if (got < 0 && errno != EINTR)
            return errno;
        in->n_head += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

/* Anything else is not copied: the reader will refuse it, and it may have no end. */
static bool is_recording(const struct cli_input *in)
{
    static const char *const magics[] = {"PERFILE2", "2ELIFREP", "PERFFILE"};
    bool known = false;
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        known |= in->n_head == sizeof in->head && memcmp(in->head, magics[i], 8) == 0;
    return known;
}

/* A pipe stream's header is its magic and size, which is the header's. */
static bool is_pipe_stream(const struct cli_input *in)
{
    static const uint8_t little[8] = {16}, big[8] = {[7] = 16};
    return memcmp(in->head + 8, little, 8) == 0 || memcmp(in->head + 8, big, 8) == 0;
}

bool cli_input_spool(struct cli_input *in)
{
    const int fd = cli_temporary();
    char buf[65536];
    ssize_t got = 0;
    int error = fd < 0 ? errno : cli_write_all(fd, in->head, in->n_head);
    while (!error && ((got = read_stream(in, buf, sizeof buf)) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0)
            error = cli_write_all(fd, buf, (size_t)got);
    if (error)
        cli_fail(in->cli, CLI_OUTPUT, "%s: a temporary file in %s: %s", in->name, cli_temporary_dir(),
                 strerror(error));
    else if (got < 0)
        cli_fail(in->cli, cli_open_status(errno), "%s: %s", in->name, strerror(errno));
    if (in->fd != STDIN_FILENO)
        close(in->fd);
    in->fd = fd;
    in->seekable = true;
    return !error && got == 0;
}

/* ---- Errors in it */

/* A record that the end of an interrupted stream cut, or just its header. */
static bool is_cut_by_interrupt(const struct cli_input *in, const struct pd_error *error)
{
    return in->stops && cli_interrupted() &&
           (error->code == PD_ETRUNC || (error->code == PD_ESHORT && error->record_type == 0));
}

int cli_input_error(struct cli_input *in, const struct pd_error *error)
{
    if (is_cut_by_interrupt(in, error)) {
        cli_say(in->cli, "%s: the interruption cut the last record", in->name);
        return in->cli->status;
    }
    if (cli_told(in, error)) {
        cli_raise(in->cli, cli_status_of(error));
        return in->cli->status;
    }
    const struct pd_member *m =
        error->offset == PD_NOWHERE ? NULL : pd_reader_member(in->reader, error->member);
    const size_t n = strlen(in->name);
    char name[4096];
    if (m == NULL || snprintf(name, sizeof name, "%s%s%s", in->name, n && in->name[n - 1] == '/' ? "" : "/",
                              m->name) >= (int)sizeof name)
        return cli_error(in->cli, in->name, error);
    return cli_error(in->cli, name, error);
}

/* In a stream there may be more of them at its end. In a directory they are those of `data`. */
void cli_tell_findings(struct cli_input *in)
{
    for (; in->n_told < pd_reader_n_findings(in->reader); in->n_told++)
        cli_input_error(in, pd_reader_finding(in->reader, in->n_told));
    for (; in->meta && in->n_meta_told < pd_metadata_n_findings(in->meta); in->n_meta_told++) {
        const struct pd_error *e = pd_metadata_finding(in->meta, in->n_meta_told);
        char text[512];
        if (e->code == PD_ELIMIT) { /* too much to hold, but not damaged; the reader reports damage */
            pd_error_text(e, text, sizeof text);
            cli_say(in->cli, "%s: %s", in->name, text);
        }
    }
}

static bool open_failed(struct cli_input *in, int error)
{
    cli_fail(in->cli, cli_open_status(error), "%s: %s", in->name, strerror(error));
    cli_input_close(in);
    return false;
}

enum pd_code cli_input_start(struct cli_input *in, const char *path, const struct pd_reader_options *how,
                             unsigned flags, struct pd_error *error)
{
    if (S_ISDIR(in->st.st_mode))
        return pd_reader_open(&in->reader, path, how, error);
    if (in->seekable)
        return pd_reader_open_fd(&in->reader, in->fd, how, error);
    if (flags & CLI_BEGIN) {
        if (!make_room(in, sizeof in->head)) {
            *error = (struct pd_error){.code = PD_ENOMEM, .offset = PD_NOWHERE, .record_index = PD_NOWHERE};
            return PD_ENOMEM;
        }
        memcpy(in->begin, in->head, in->n_head);
        in->n_begin = in->n_head;
    }
    in->keeping = flags & CLI_BEGIN;
    const struct pd_source source = {stream_read, NULL, in, PD_NOWHERE};
    const enum pd_code code = pd_reader_open_source(&in->reader, &source, how, error);
    in->keeping = false;
    return code;
}

bool cli_input_open_bytes(struct cli *cli, struct cli_input *in, const char *path)
{
    const bool standard = strcmp(path, "-") == 0;
    *in = (struct cli_input){.name = standard ? "standard input" : path, .cli = cli, .fd = -1};
    in->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (in->fd < 0 || fstat(in->fd, &in->st) < 0)
        return open_failed(in, errno);
    in->seekable = S_ISREG(in->st.st_mode) || S_ISBLK(in->st.st_mode);
    return true;
}

bool cli_input_open_file(struct cli *cli, struct cli_input *in, const char *path, unsigned flags)
{
    if (!cli_input_open_bytes(cli, in, path))
        return false;
    in->stops = (flags & CLI_STOPS) && !in->seekable && !S_ISDIR(in->st.st_mode);
    if (in->stops)
        cli_end_on_interrupt();
    if (!(flags & CLI_SEEK) || in->seekable || S_ISDIR(in->st.st_mode))
        return true;
    const int failed = read_head(in);
    if (failed)
        return open_failed(in, failed);
    const bool flows = (flags & CLI_FLOW) && is_pipe_stream(in);
    if (!is_recording(in) || flows || cli_input_spool(in))
        return true;
    cli_input_close(in);
    return false;
}

bool cli_input_open(struct cli *cli, struct cli_input *in, const char *path, unsigned flags)
{
    const struct pd_reader_options options = {.size = sizeof options,
                                              .probe = true,
                                              .workers =
                                                  cli->n_inputs <= PI_LIMIT_AHEAD ? cli_workers(cli) : NULL};
    const struct pd_metadata_options how = {.size = sizeof how, .allocator = &cli_allocator};
    struct pd_error error;
    if (!cli_input_open_file(cli, in, path, flags))
        return false;
    if (cli_input_start(in, path, &options, flags, &error)) {
        if (error.code == PD_EMISSING) /* a directory without `data` */
            cli_fail(cli, CLI_USAGE, "%s: %s: %s", in->name, error.field ? error.field : "opening it",
                     strerror((int)error.found));
        else if (error.code == PD_EIO && error.found == EBADF) /* standard input, closed */
            cli_fail(cli, CLI_USAGE, "%s: %s", in->name, strerror(EBADF));
        else if (cli_is_unsupported(&error)) /* it may be intact, but comes from a pipe */
            cli_fail(cli, CLI_USAGE, "%s: %s; save it as a file first", in->name, error.field);
        else
            cli_error(cli, in->name, &error);
        cli_input_close(in);
        return false;
    }
    cli_watch(in);
    if ((flags & CLI_META) && pd_metadata_open(&in->meta, in->reader, &how, &error))
        cli_error(cli, in->name, &error);
    if (!(flags & CLI_NO_FINDINGS))
        cli_tell_findings(in);
    return true;
}

void cli_finding(struct cli_input *in, size_t *n, const struct pd_error *error)
{
    if ((*n)++ < PI_LIMIT_FINDINGS_TOLD)
        cli_input_error(in, error);
    else
        cli_raise(in->cli, cli_status_of(error));
}

void cli_learn(struct cli_input *in, const struct pd_record *rec)
{
    struct pd_error error;
    if (in->meta && pd_metadata_add(in->meta, in->reader, rec, &error))
        cli_input_error(in, &error);
}

/* A failure may have happened while reading a mere hint, and so not been reported. */
void cli_tell_failure(struct cli_input *in)
{
    struct pd_error error;
    if (in->reader && in->cli && in->cli->status < CLI_OUTPUT && pd_reader_failure(in->reader, &error))
        cli_input_error(in, &error);
}

void cli_watch(struct cli_input *in)
{
    in->next = in->cli->reading;
    in->cli->reading = in;
}

static void forget_input(struct cli_input *in)
{
    for (struct cli_input **p = &in->cli->reading; *p; p = &(*p)->next)
        if (*p == in) {
            *p = in->next;
            return;
        }
}

void cli_input_close(struct cli_input *in)
{
    cli_tell_failure(in);
    if (in->cli)
        forget_input(in);
    pd_metadata_close(in->meta);
    if (in->index)
        in->close_index(in);
    pd_reader_close(in->reader);
    free(in->told_once);
    free(in->begin);
    in->begin = NULL;
    in->n_begin = in->begin_cap = 0;
    in->told_once = NULL;
    in->cap_told = in->n_told_once = 0;
    in->meta = NULL;
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    in->reader = NULL;
    in->fd = -1;
}

/* True if it is open or only damaged. */
static bool open_one(struct cli *cli, struct cli_input *in, const char *path, unsigned flags)
{
    const int before = cli->status;
    cli->status = CLI_OK;
    const bool usable = cli_input_open(cli, in, path, flags) || cli->status == CLI_DAMAGED;
    cli_raise(cli, before);
    return usable;
}

struct cli_input *cli_inputs_open(struct cli *cli, unsigned flags)
{
    struct cli_input *in = cli_calloc(cli->n_inputs, sizeof *in);
    size_t n_open = 0;
    bool ok = in != NULL;
    if (in == NULL)
        cli_fail(cli, CLI_OUTPUT, "no memory for %zu inputs", cli->n_inputs);
    for (size_t i = 0; ok && i < cli->n_inputs; i++) {
        ok = open_one(cli, &in[i], cli->inputs[i], flags);
        n_open += in[i].reader != NULL;
    }
    if (ok && n_open)
        return in;
    cli_inputs_close(cli, in);
    return NULL;
}

void cli_inputs_close(struct cli *cli, struct cli_input *in)
{
    for (size_t i = 0; in && i < cli->n_inputs; i++) {
        if (in[i].reader)
            cli_tell_findings(&in[i]);
        cli_input_close(&in[i]);
    }
    free(in);
}

/* ---- Records */

static void settle(const struct cli_input *in)
{
    if (in->settle)
        in->settle(in->settle_user);
}

static void damaged(struct cli_input *in, const struct pd_error *error)
{
    settle(in);
    cli_input_error(in, error);
    if (in->n_damage < PI_LIMIT_DAMAGE_LISTED)
        in->damage[in->n_damage] = *error;
    in->n_damage++;
}

/* Learning reads the payload behind the record, which may move the window. */
static void keep_bytes(struct cli_input *in, struct pd_record *rec)
{
    if (rec->type != PD_RECORD_HEADER_TRACING_DATA || rec->payload_size == 0 || rec->size > sizeof in->kept)
        return;
    memcpy(in->kept, rec->raw, rec->size);
    rec->raw = in->kept;
    if (rec->decoded)
        pd_reader_decode(in->reader, rec, NULL); /* its views are of these bytes */
}

/* Common work for each record; false: it was the last. */
static inline bool go_on(struct cli_input *in, struct pd_record *rec, enum pd_code code)
{
    if (code == PD_OK) {
        if (!in->cli->progress.off)
            cli_progress(in->cli, rec->offset, pd_reader_info(in->reader)->data_end);
        if (in->meta && rec->type >= PD_RECORD_HEADER_ATTR &&
            rec->type != PD_RECORD_FINISHED_ROUND) { /* it says nothing */
            settle(in);
            keep_bytes(in, rec);
            cli_learn(in, rec);
        }
    } else {
        settle(in);
        cli_tell_findings(in);
    }
    return code == PD_OK;
}

bool cli_next_record(struct cli_input *in, struct pd_record *rec)
{
    struct pd_error error;
    enum pd_code code;
    while ((code = pd_reader_next(in->reader, rec, &error)) != PD_OK && code != PD_END)
        damaged(in, &error); /* the next record may be intact again; else the end comes next */
    return go_on(in, rec, code);
}

bool cli_next_try_as(struct cli_input *in, struct pd_record *rec, enum pd_code code, struct pd_error *error)
{
    for (; code != PD_OK && code != PD_END; code = pd_reader_next_decoded(in->reader, rec, error))
        damaged(in, error);
    return go_on(in, rec, code);
}

bool cli_next_decoded_as(struct cli_input *in, struct pd_record *rec, enum pd_code code,
                         struct pd_error *error)
{
    const bool more = cli_next_try_as(in, rec, code, error);
    if (more && !rec->decoded && error->code != PD_EUNKNOWN)
        damaged(in, error);
    return more;
}

bool cli_decode_now(struct cli_input *in, struct pd_record *rec)
{
    struct pd_error error;
    const enum pd_code code = pd_reader_decode(in->reader, rec, &error);
    if (code && code != PD_EUNKNOWN)
        damaged(in, &error);
    return code == PD_OK && rec->layout;
}

static bool has_unnamed(const struct cli_input *in)
{
    for (uint32_t i = 0; i < pd_reader_n_attrs(in->reader); i++)
        if (pd_reader_attr(in->reader, i)->attr.type == PD_TYPE_TRACEPOINT &&
            !pd_metadata_event_name(in->meta, in->reader, i))
            return true;
    return false;
}

static bool learn_all(struct cli_input *in)
{
    struct pd_record rec = {0};
    struct pd_error error;
    enum pd_code code;
    while ((code = pd_reader_next(in->reader, &rec, &error)) == PD_OK || pi_reader_goes_on(code))
        if (code == PD_OK)
            cli_learn(in, &rec);
    if (!pd_is_failure(code)) /* damage is reported later */
        return true;
    cli_input_error(in, &error);
    return false;
}

bool cli_learn_stream(struct cli_input *in)
{
    return pd_reader_info(in->reader)->container != PD_CONTAINER_PIPE || learn_all(in);
}

bool cli_learn_names(struct cli_input *in)
{
    struct pd_error error;
    if (!in->meta || !in->seekable || pd_reader_info(in->reader)->container == PD_CONTAINER_PIPE ||
        !has_unnamed(in))
        return true;
    if (!learn_all(in))
        return false;
    const enum pd_code code = pd_reader_rewind(in->reader, &error);
    if (code)
        cli_input_error(in, &error);
    return code == PD_OK;
}
