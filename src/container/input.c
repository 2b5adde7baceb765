/* SPDX-License-Identifier: MIT */
/* input.c - the sliding window over the input. */
#define _GNU_SOURCE
#include "input.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_DEFAULT ((size_t)256 << 10)
#define WINDOW_LEAST ((size_t)128 << 10) /* a record of 65,535 bytes always fits, with as much again */

static int64_t fd_pread(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct pi_input *in = user;
    const ssize_t got = pread(in->fd, buf, n, (off_t)offset);
    return got < 0 ? -errno : got;
}

static int64_t fd_read(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct pi_input *in = user;
    const ssize_t got = read(in->fd, buf, n);
    (void)offset;
    return got < 0 ? -errno : got;
}

enum pd_code pi_open_code(int e)
{
    const bool none = e == ENOENT || e == ENOTDIR || e == ELOOP || e == EISDIR || e == EINVAL || e == ENXIO;
    return none ? PD_EMISSING : PD_EIO;
}

static enum pd_code fail_open(struct pd_error *error, int e)
{
    return pi_fail(error, pi_open_code(e), PD_NOWHERE, NULL, (uint64_t)e, 0);
}

enum pd_code pi_input_fail(struct pi_input *in, uint64_t offset, const char *field, int e,
                           struct pd_error *error)
{
    struct pd_error what;
    pi_fail(&what, PD_EIO, offset, field, (uint64_t)e, 0);
    for (; in; in = in->parent)
        if (in->failure.code == PD_OK)
            in->failure = what;
    if (error)
        *error = what;
    return PD_EIO;
}

/* ---- Files that are open only while they are read */

/* Opening a FIFO would wait for a writer. */
static int open_regular(const char *path, struct stat *st)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int e = fd < 0                 ? errno
            : fstat(fd, st) < 0    ? errno
            : S_ISDIR(st->st_mode) ? EISDIR
            : S_ISREG(st->st_mode) ? 0
                                   : EINVAL;
    if (e && fd >= 0)
        close(fd);
    return e ? -e : fd;
}

static int64_t file_pread(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct pi_input *in = user;
    struct stat st = {0};
    const int fd = open_regular(in->path, &st);
    if (fd < 0)
        return fd;
    ssize_t got = -1;
    errno = ESTALE; /* another file has its name now */
    if ((uint64_t)st.st_dev == in->device && (uint64_t)st.st_ino == in->inode)
        got = pread(fd, buf, n, (off_t)offset);
    const int e = errno;
    close(fd);
    return got < 0 ? -e : got;
}

enum pd_code pi_input_open_file(struct pi_input *in, char *path, struct pd_error *error)
{
    struct stat st = {0};
    in->path = path;
    const int fd = open_regular(path, &st);
    if (fd < 0)
        return fail_open(error, -fd);
    close(fd);
    in->device = (uint64_t)st.st_dev;
    in->inode = (uint64_t)st.st_ino;
    in->source = (struct pd_source){file_pread, NULL, in, (uint64_t)st.st_size};
    return PD_OK;
}

/* ---- Opening */

enum pd_code pi_input_open_fd(struct pi_input *in, int fd, struct pd_error *error)
{
    struct stat st = {0};
    if (fstat(fd, &st) < 0)
        return pi_fail(error, PD_EIO, PD_NOWHERE, NULL, (uint64_t)errno, 0);
    if (S_ISDIR(st.st_mode))
        return fail_open(error, EISDIR);
    in->fd = fd;
    if (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)) {
        const off_t end = S_ISREG(st.st_mode) ? st.st_size : lseek(fd, 0, SEEK_END);
        in->source = (struct pd_source){fd_pread, NULL, in, (uint64_t)(end < 0 ? 0 : end)};
    } else {
        in->source = (struct pd_source){fd_read, NULL, in, PD_NOWHERE};
    }
    return PD_OK;
}

enum pd_code pi_input_open_path(struct pi_input *in, const char *path, struct pd_error *error)
{
    if (strcmp(path, "-") == 0)
        return pi_input_open_fd(in, STDIN_FILENO, error);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_open(error, errno);
    in->own_fd = true;
    return pi_input_open_fd(in, in->fd = fd, error);
}

void pi_input_open_memory(struct pi_input *in, const void *bytes, size_t n)
{
    static const uint8_t nothing;
    in->memory = in->seen = n ? bytes : &nothing;
    in->source.size = in->fill = n;
}

void pi_input_share(struct pi_input *in, const struct pi_input *of)
{
    if (of->memory) {
        pi_input_open_memory(in, of->memory, (size_t)of->source.size);
    } else {
        in->source = of->source;
        in->source.close = NULL;
    }
}

enum pd_code pi_input_start(struct pi_input *in, size_t window, struct pd_error *error)
{
    in->seekable = in->source.size != PD_NOWHERE;
    if (in->memory)
        return PD_OK;
    in->cap = window == 0 ? WINDOW_DEFAULT : window < WINDOW_LEAST ? WINDOW_LEAST : window;
    in->seen = in->buf = pi_resize(in->allocator, NULL, in->cap);
    return in->buf ? PD_OK : pi_fail(error, PD_ENOMEM, PD_NOWHERE, "window", 0, in->cap);
}

bool pi_input_widen(struct pi_input *in, size_t n)
{
    if (in->memory || n <= in->cap)
        return true;
    uint8_t *buf = pi_resize(in->allocator, in->buf, n);
    if (buf == NULL)
        return false;
    pi_input_no_next(in);
    in->seen = in->buf = buf;
    in->cap = n;
    return true;
}

void pi_input_close(struct pi_input *in)
{
    if (in->source.close)
        in->source.close(in->source.user);
    if (in->own_fd)
        close(in->fd);
    for (unsigned i = 0; i < in->n_pins; i++)
        pi_release(in->allocator, in->pins[i].bytes);
    pi_release(in->allocator, in->growing.bytes);
    pi_release(in->allocator, in->buf);
    pi_release(in->allocator, in->path);
}

uint64_t pi_input_size(const struct pi_input *in)
{
    if (in->at_end && !in->seekable)
        return in->base + in->fill;
    return in->source.size;
}

/* Moves the needed part of the buffer to the front. */
static enum pd_code slide(struct pi_input *in, uint64_t offset, struct pd_error *error)
{
    pi_input_no_next(in);
    if (offset >= in->base && offset - in->base <= in->fill) {
        const size_t gone = (size_t)(offset - in->base);
        memmove(in->buf, in->buf + gone, in->fill - gone);
        in->fill -= gone;
        in->base = offset;
        return PD_OK;
    }
    if (!in->seekable)
        return pi_fail(error, PD_EUNSUP, offset, "input that cannot seek", in->base, offset);
    in->base = offset;
    in->fill = 0;
    in->at_end = false;
    return PD_OK;
}

/* The number of bytes to read at once to make n bytes visible. */
static size_t ahead(const struct pi_input *in, size_t n)
{
    const size_t room = in->cap - in->fill, least = n - in->fill;
    const uint64_t at = in->base + in->fill, most = in->enough == 0   ? room
                                                    : in->enough > at ? in->enough - at
                                                                      : 0;
    return most >= room ? room : most > least ? (size_t)most : least;
}

/* A descriptor that does not block, as a shell may leave standard input: it has bytes or ends later. */
static bool waited(const struct pi_input *in)
{
    struct pollfd p = {.fd = in->fd, .events = POLLIN};
    if (in->source.read_at != fd_read || (in->live && in->begun))
        return false;
    return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

static enum pd_code fill(struct pi_input *in, size_t n, struct pd_error *error)
{
    if (in->failure.code && in->fill < n && !in->at_end) {
        if (error)
            *error = in->failure;
        return in->failure.code;
    }
    while (in->fill < n && !in->at_end) {
        const size_t most = ahead(in, n);
        const int64_t got =
            in->source.read_at(in->source.user, in->base + in->fill, in->buf + in->fill, most);
        if (got == -EINTR || (got == -EAGAIN && waited(in)))
            continue;
        if (got == -EAGAIN && in->live)
            return pi_fail(error, PD_AGAIN, in->base + in->fill, NULL, 0, 0);
        if (got < 0)
            return pi_input_fail(in, in->base + in->fill, NULL, (int)-got, error);
        if ((uint64_t)got > most) /* a source that wrote beyond its buffer */
            return pi_input_fail(in, in->base + in->fill, NULL, EOVERFLOW, error);
        in->fill += (size_t)got;
        in->at_end = got == 0;
    }
    return PD_OK;
}

/* An input that cannot seek reaches a later offset by reading the bytes between. */
static enum pd_code skip_to(struct pi_input *in, uint64_t offset, struct pd_error *error)
{
    while (!in->seekable && offset > in->base + in->fill && !in->at_end) {
        pi_input_no_next(in);
        in->base += in->fill;
        in->fill = 0;
        enum pd_code code = fill(in, 1, error);
        if (code)
            return code;
    }
    return PD_OK;
}

static void at_memory(struct pi_input *in, uint64_t offset, const uint8_t **p, size_t *got)
{
    const uint64_t start = offset < in->source.size ? offset : in->source.size;
    *p = in->memory + start;
    *got = (size_t)(in->source.size - start);
}

static bool at_pin(const struct pi_input *in, uint64_t offset, const uint8_t **p, size_t *got)
{
    for (unsigned i = 0; i <= in->n_pins; i++) {
        const struct pi_pin *pin = i < in->n_pins ? &in->pins[i] : &in->growing;
        if (offset >= pin->offset && offset - pin->offset < pin->n) {
            *p = pin->bytes + (offset - pin->offset);
            *got = pin->n - (size_t)(offset - pin->offset);
            return true;
        }
    }
    return false;
}

enum pd_code pi_input_at(struct pi_input *in, uint64_t offset, size_t n, const uint8_t **p, size_t *got,
                         struct pd_error *error)
{
    enum pd_code code;
    if (in->memory) {
        at_memory(in, offset, p, got);
        return PD_OK;
    }
    if (!in->seekable && at_pin(in, offset, p, got))
        return PD_OK;
    if (in->seekable && offset >= in->source.size) {
        *p = in->buf, *got = 0;
        return PD_OK;
    }
    if (offset < in->base || offset - in->base > in->fill || in->fill - (size_t)(offset - in->base) < n) {
        if ((code = skip_to(in, offset, error)))
            return code;
        if (in->at_end && offset > in->base + in->fill && !in->seekable) {
            *p = in->buf, *got = 0;
            return PD_OK;
        }
        if ((code = slide(in, offset, error)) || (code = fill(in, n, error)))
            return code;
    }
    *p = in->buf + (offset - in->base);
    *got = in->fill - (size_t)(offset - in->base);
    return PD_OK;
}

/* Reads on from the end of the pin until it has n bytes or the input ends. */
static enum pd_code extend_pin(struct pi_input *in, struct pi_pin *pin, uint64_t n, struct pd_error *error)
{
    size_t cap = 65536;
    while (cap < pin->n)
        cap *= 2;
    cap = pin->bytes ? cap : 0;
    while (pin->n < n) {
        const uint8_t *p;
        size_t got;
        enum pd_code code = pi_input_at(in, pin->offset + pin->n, 1, &p, &got, error);
        if (code || got == 0)
            return code;
        if (got > n - pin->n)
            got = (size_t)(n - pin->n);
        if (cap < pin->n + got) {
            while (cap < pin->n + got)
                cap = cap ? cap * 2 : 65536;
            uint8_t *more = pi_resize(in->allocator, pin->bytes, cap);
            if (more == NULL)
                return pi_fail(error, PD_ENOMEM, pin->offset, "input that cannot seek", 0, cap);
            pin->bytes = more;
        }
        memcpy(pin->bytes + pin->n, p, got);
        pin->n += got;
    }
    return PD_OK;
}

enum pd_code pi_input_pin(struct pi_input *in, uint64_t offset, uint64_t n, uint64_t limit,
                          struct pd_error *error)
{
    struct pi_pin pin = in->growing.bytes ? in->growing : (struct pi_pin){.offset = offset};
    in->growing = (struct pi_pin){0};
    enum pd_code code = extend_pin(in, &pin, n < limit ? n : limit, error);
    /* Exceeding the limit only counts if the input really has the bytes. */
    const uint8_t *p;
    size_t got = 0;
    if (!code && pin.n == limit && n > limit)
        code = pi_input_at(in, offset + limit, 1, &p, &got, error);
    if (code == PD_AGAIN && pin.bytes) { /* what is there cannot be read twice */
        in->growing = pin;
        return code;
    }
    if (!code && got)
        code = pi_fail(error, PD_ELIMIT, offset, "bytes to keep of an input that cannot seek", n, limit);
    if (code || in->n_pins == sizeof in->pins / sizeof *in->pins)
        pi_release(in->allocator, pin.bytes);
    else
        in->pins[in->n_pins++] = pin;
    return code;
}
