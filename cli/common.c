/* SPDX-License-Identifier: MIT */
/* common.c - what verbs share: messages, numbers, times, event names, progress, input files, JSON. */
#define _GNU_SOURCE
#include "cli.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <perfdata/constants.h>
#include <perfdata/event.h>
#include <perfdata/filter.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- Messages */

void cli_raise(struct cli *cli, int status)
{
    if (status > cli->status)
        cli->status = status;
}

__attribute__((format(printf, 2, 0))) static void talk(struct cli *cli, const char *format, va_list args)
{
    cli_progress_end(cli);
    if (cli->terminal)
        cli_flush(cli); /* so that results and talk come in their order */
    char text[4096], plain[4 * sizeof text];
    size_t n = 0;
    vsnprintf(text, sizeof text, format, args);
    for (const char *p = text; *p; p++) /* a name may have anything in it: nothing of it is an order to the terminal */
        n += (size_t)snprintf(plain + n, sizeof plain - n, (unsigned char)*p < ' ' || *p == 0x7f ? "\\x%02x" : "%c", (unsigned char)*p);
    plain[n] = 0;
    fprintf(stderr, "perfdata%s%s: %s\n", cli->verb ? " " : "", cli->verb ? cli->verb : "", plain);
}

int cli_fail(struct cli *cli, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    talk(cli, format, args);
    va_end(args);
    cli_raise(cli, status);
    return cli->status;
}

void cli_say(struct cli *cli, const char *format, ...)
{
    va_list args;
    if (cli->quiet)
        return;
    va_start(args, format);
    talk(cli, format, args);
    va_end(args);
}

int cli_status_of(const struct pd_error *error)
{
    switch (error->code) {
    case PD_OK:
    case PD_END: return CLI_OK;
    case PD_EUNKNOWN: return CLI_OK; /* a note */
    case PD_EARG: return CLI_USAGE;
    case PD_EOUT:
    case PD_ENOMEM: return CLI_OUTPUT;
    default: return CLI_DAMAGED;
    }
}

int cli_error(struct cli *cli, const char *name, const struct pd_error *error)
{
    char text[512];
    const int status = cli_status_of(error);
    if (error->code == PD_EOUT && error->found == EPIPE) {
        cli_raise(cli, status); /* quietly: who reads has enough */
        return cli->status;
    }
    pd_error_text(error, text, sizeof text);
    return cli_fail(cli, status, "%s: %s", name, text);
}

bool cli_time_span(struct cli_input *in, uint64_t *first, uint64_t *last)
{
    struct pd_error error;
    const enum pd_code code = pd_time_span(in->reader, first, last, &error);
    if (code == PD_EUNSUP) /* there is no time, which is no damage */
        cli_fail(in->cli, CLI_USAGE, "%s: %s", in->name, error.field);
    else if (code)
        cli_error(in->cli, in->name, &error);
    return code == PD_OK;
}

/* ---- Numbers */

bool cli_number(const char *text, uint64_t *value)
{
    char *end;
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    if (*digits == 0 || strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789") != strlen(digits))
        return false;
    errno = 0;
    const unsigned long long n = strtoull(digits, &end, hex ? 16 : 10);
    *value = n;
    return errno == 0;
}

bool cli_size(const char *text, uint64_t *value)
{
    static const char units[] = "KMGT";
    const size_t n = strlen(text);
    const char *unit = n ? strchr(units, text[n - 1]) : NULL;
    char digits[32];
    if (n == 0 || n >= sizeof digits)
        return false;
    memcpy(digits, text, n + 1);
    if (unit)
        digits[n - 1] = 0;
    if (!cli_number(digits, value) || *value == 0)
        return false;
    for (const char *u = units; unit && u <= unit; u++)
        if (__builtin_mul_overflow(*value, UINT64_C(1024), value))
            return false;
    return true;
}

/* ---- Compression */

/* Is the word an option of the verb, or a common one, whose argument is the next word? */
static bool takes_next_word(const struct cli *cli, const char *word)
{
    const char letter = word[0] == '-' && word[1] != '-' && word[1] && word[2] == 0 ? word[1] : 0;
    if (letter && strchr("ioj", letter))
        return true;
    for (const struct cli_option *o = cli->spec->options; o->key; o++)
        if (o->arg && (o->key == letter || (o->name && strncmp(word, "--", 2) == 0 && strcmp(word + 2, o->name) == 0)))
            return true;
    return false;
}

bool cli_take_level(struct cli *cli, int argc, char **argv, int *level)
{
    static const char name[] = "--compression-level=";
    bool wrong = false;
    *level = 0;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const bool is_long = strncmp(argv[i], name, sizeof name - 1) == 0;
        char *digits = argv[i] + (is_long ? (int)sizeof name - 1 : 2);
        uint64_t n;
        if (takes_next_word(cli, argv[i])) {
            i++;
        } else if ((is_long || strncmp(argv[i], "-z", 2) == 0) && cli_number(digits, &n)) {
            wrong |= n == 0 || n > CLI_MOST_LEVEL;
            *level = wrong ? 0 : (int)n;
            digits[is_long ? -1 : 0] = 0;
        }
    }
    if (!wrong)
        return true;
    cli_fail(cli, CLI_USAGE, "-z: there are levels 1 to %d", CLI_MOST_LEVEL);
    return false;
}

static bool take_zip(struct cli *cli, enum pd_convert_zip *zip, enum pd_convert_zip wanted)
{
    if (*zip != PD_ZIP_KEEP && (*zip == PD_ZIP_NONE) != (wanted == PD_ZIP_NONE)) {
        cli_fail(cli, CLI_USAGE, "compressed and --decompress exclude each other");
        return false;
    }
    *zip = wanted > *zip ? wanted : *zip; /* -z --compressed2, in any order */
    return true;
}

bool cli_take_compression(struct cli *cli, int key, enum pd_convert_zip *zip)
{
    switch (key) {
    case 'z': return take_zip(cli, zip, PD_ZIP_COMPRESSED);
    case CLI_COMPRESSED2: return take_zip(cli, zip, PD_ZIP_COMPRESSED2);
    case CLI_DECOMPRESS: return take_zip(cli, zip, PD_ZIP_NONE);
    default: return false;
    }
}

bool cli_take_memory(struct cli *cli, size_t *memory)
{
    uint64_t bytes;
    if (!cli_size(cli->arg, &bytes) || bytes > SIZE_MAX) {
        cli_fail(cli, CLI_USAGE, "--memory: \"%s\" is no number of bytes like 500K, 64M or 2G", cli->arg);
        return false;
    }
    *memory = (size_t)bytes;
    return true;
}

/* ---- Events */

/* The name that the attr alone gives. */
static size_t attr_name(const struct pd_attr *attr, char *buf, size_t cap)
{
    size_t n =
        pd_event_format(attr->type, attr->config, attr->bp_addr, attr->bp_type, attr->bp_len, buf, cap);
    char modifiers[16], *m = modifiers;
    const bool user = !pd_attr_flag(attr, PD_ATTR_EXCLUDE_USER),
               kernel = !pd_attr_flag(attr, PD_ATTR_EXCLUDE_KERNEL),
               hv = !pd_attr_flag(attr, PD_ATTR_EXCLUDE_HV);
    if (attr->type == PD_TYPE_TRACEPOINT)
        return n;
    if (n == 0 || n >= cap || buf[n - 1] != '/')
        *m++ = ':';
    const char *const first = m;
    if (!user || !kernel || !hv) {
        *m = 'k', m += kernel;
        *m = 'u', m += user;
        *m = 'h', m += hv;
    }
    for (unsigned i = 0; i < pd_attr_flag(attr, PD_ATTR_PRECISE_IP); i++)
        *m++ = 'p';
    if (pd_attr_flag(attr, PD_ATTR_EXCLUDE_HOST))
        *m++ = 'G';
    if (m == first)
        return n;
    *m = 0;
    for (m = modifiers; *m; m++, n++)
        if (n + 1 < cap)
            buf[n] = *m, buf[n + 1] = 0;
    return n;
}

size_t cli_event_name(struct cli_input *in, uint32_t attr, char *buf, size_t cap)
{
    const char *said = in->meta ? pd_metadata_event_name(in->meta, in->reader, attr) : NULL;
    if (said) {
        const size_t n = strlen(said), room = cap ? cap - 1 : 0;
        memcpy(buf, said, n < room ? n : room);
        if (cap)
            buf[n < room ? n : room] = 0;
        return n;
    }
    return attr_name(&pd_reader_attr(in->reader, attr)->attr, buf, cap);
}

/* ---- Progress */

#define PROGRESS_BYTES 32768 /* the clock is not asked for less */

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* How many columns may be written without a new line. */
static int columns(void)
{
    struct winsize w;
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 1;
    return (known ? w.ws_col : 80) - 1;
}

/* The line is blanked with spaces: there are terminals that know no more. */
static void draw(struct cli_progress *p, uint64_t done, uint64_t total, uint64_t ms)
{
    const double rate = (double)done * 1000 / (double)ms, mib = 1 << 20;
    const int width = columns();
    char bar[21] = "....................", line[160];
    int n;
    if (total == PD_NOWHERE || total == 0 || done > total) {
        n = snprintf(line, sizeof line, "%.1f MiB, %.1f MiB/s", (double)done / mib, rate / mib);
    } else {
        memset(bar, '#', (size_t)((double)done / (double)total * 20));
        n = snprintf(line, sizeof line, "[%s] %.1f of %.1f MiB, %.1f MiB/s, %.0f s left", bar, (double)done / mib,
                     (double)total / mib, rate / mib, (double)(total - done) / rate);
    }
    const char *text = n > width && *line == '[' ? line + sizeof "[] " - 1 + sizeof bar - 1 : line;
    n -= (int)(text - line);
    n = n < width ? n : width;
    fprintf(stderr, "\r%.*s%*s", n, text, p->shown > n ? p->shown - n : 0, "");
    p->shown = n;
}

/* Who reads the text through a pipe may be a pager, which has the terminal to itself. */
static bool feeds_pager(const struct cli *cli)
{
    struct stat st;
    return !cli->output && fstat(STDOUT_FILENO, &st) == 0 && S_ISFIFO(st.st_mode);
}

void cli_progress(struct cli *cli, uint64_t done, uint64_t total)
{
    struct cli_progress *p = &cli->progress;
    if (p->off || (p->started && done >= p->last && done - p->last < PROGRESS_BYTES))
        return;
    p->last = done;
    const uint64_t now = now_ms();
    if (p->started == 0) {
        p->started = now;
        p->next = now + 1000;
        p->off = cli->quiet || !isatty(STDERR_FILENO) || feeds_pager(cli);
    }
    if (p->off || now < p->next)
        return;
    draw(p, done, total, now - p->started);
    p->next = now + 200;
}

void cli_progress_end(struct cli *cli)
{
    if (cli->progress.shown)
        fprintf(stderr, "\r%*s\r", cli->progress.shown, "");
    cli->progress = (struct cli_progress){0};
}

/* ---- Input */

/* A stream: what was read of it to recognise it, then the rest. Output is flushed whenever the input pauses.
 */
static int64_t stream_read(void *user, uint64_t offset, void *buf, size_t n)
{
    struct cli_input *in = user;
    struct pollfd ready = {.fd = in->fd, .events = POLLIN};
    if (offset < in->n_head) {
        const size_t left = in->n_head - (size_t)offset;
        n = n < left ? n : left;
        memcpy(buf, in->head + offset, n);
        return (int64_t)n;
    }
    if (poll(&ready, 1, 0) == 0)
        cli_flush(in->cli);
    const ssize_t got = read(in->fd, buf, n);
    return got < 0 ? -errno : got;
}

/* Reads the first bytes of a stream; an error is met again by the reader. */
static void read_head(struct cli_input *in)
{
    ssize_t got = 1;
    while (in->n_head < sizeof in->head && got != 0) {
        got = read(in->fd, in->head + in->n_head, sizeof in->head - in->n_head);
        if (got < 0 && errno != EINTR)
            return;
        in->n_head += got > 0 ? (size_t)got : 0;
    }
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

/* Copies a stream to a temporary file, which takes its place. False: that failed, which is printed. */
static bool spool(struct cli_input *in)
{
    const int fd = cli_temporary();
    char buf[65536];
    ssize_t got = 0;
    int error = fd < 0 ? errno : cli_write_all(fd, in->head, in->n_head);
    while (!error && ((got = read(in->fd, buf, sizeof buf)) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0)
            error = cli_write_all(fd, buf, (size_t)got);
    if (error)
        cli_fail(in->cli, CLI_OUTPUT, "%s: a temporary file in %s: %s", in->name, cli_temporary_dir(), strerror(error));
    else if (got < 0)
        cli_fail(in->cli, CLI_USAGE, "%s: %s", in->name, strerror(errno));
    if (in->fd != STDIN_FILENO)
        close(in->fd);
    in->fd = fd;
    in->seekable = true;
    return !error && got == 0;
}

/* ---- Which file of a directory is an error in? An error does not tell. */

#define MOST_PLACES 1024
#define NOT_KNOWN UINT32_MAX

struct cli_place {
    struct pd_error error;
    uint32_t member;
    bool told;
};

static int error_in(struct cli_input *in, uint32_t member, const struct pd_error *error)
{
    const struct pd_member *m = error->offset == PD_NOWHERE ? NULL : pd_reader_member(in->reader, member);
    const size_t n = strlen(in->name);
    char name[4096];
    if (m == NULL || snprintf(name, sizeof name, "%s%s%s", in->name, n && in->name[n - 1] == '/' ? "" : "/", m->name) >=
                         (int)sizeof name)
        return cli_error(in->cli, in->name, error);
    return cli_error(in->cli, name, error);
}

static void note_place(struct cli_input *in, uint32_t member, const struct pd_error *error)
{
    if (error->code != PD_EUNKNOWN && in->n_places < MOST_PLACES)
        in->places[in->n_places++] = (struct cli_place){*error, member, false};
}

/* Reads all files for what is damaged in them. */
static void find_places(struct cli_input *in)
{
    const size_t n = pd_reader_n_members(in->reader);
    in->searched = true;
    in->places = cli_calloc(MOST_PLACES, sizeof *in->places);
    for (uint32_t i = 0; in->places && i < n; i++) {
        struct pd_record rec = {0};
        struct pd_error error;
        struct pd_reader *r;
        enum pd_code code;
        if (pd_reader_open_member(&r, in->reader, i, NULL, &error))
            continue;
        while ((code = pd_reader_next(r, &rec, &error)) != PD_END && in->n_places < MOST_PLACES)
            if (code || pd_reader_decode(r, &rec, &error))
                note_place(in, i, &error);
        pd_reader_close(r);
    }
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The number of a record depends on who counts. */
static bool same_error(const struct pd_error *a, const struct pd_error *b)
{
    return a->code == b->code && a->offset == b->offset && a->record_type == b->record_type &&
           a->record_offset == b->record_offset && a->found == b->found && a->expected == b->expected &&
           same_text(a->field, b->field);
}

/* Equal errors are those of one file after the other. */
static uint32_t member_of(struct cli_input *in, const struct pd_error *error)
{
    uint32_t member = NOT_KNOWN, near = NOT_KNOWN;
    for (size_t i = 0; i < in->n_places; i++) {
        struct cli_place *p = &in->places[i];
        if (!p->told && same_error(&p->error, error)) {
            p->told = true;
            return p->member;
        }
        if (same_error(&p->error, error) && member == NOT_KNOWN)
            member = p->member;
        if (p->error.offset == error->offset && p->error.record_type == error->record_type)
            near = near == NOT_KNOWN || near == p->member ? p->member : NOT_KNOWN - 1;
    }
    if (member == NOT_KNOWN)
        member = near;
    /* Outside of records it is in the header, or in a section: only `data` has such. */
    return member == NOT_KNOWN && error->record_index == PD_NOWHERE ? 0 : member;
}

int cli_input_error(struct cli_input *in, const struct pd_error *error)
{
    if (error->offset == PD_NOWHERE || pd_reader_n_members(in->reader) == 0)
        return cli_error(in->cli, in->name, error);
    if (pd_reader_n_members(in->reader) == 1)
        return error_in(in, 0, error);
    if (!in->searched)
        find_places(in);
    return error_in(in, member_of(in, error), error);
}

/* In a stream there may be more of them at its end. In a directory they are those of `data`. */
void cli_tell_findings(struct cli_input *in)
{
    for (; in->n_told < pd_reader_n_findings(in->reader); in->n_told++)
        error_in(in, 0, pd_reader_finding(in->reader, in->n_told));
    for (; in->meta && in->n_meta_told < pd_metadata_n_findings(in->meta); in->n_meta_told++) {
        const struct pd_error *e = pd_metadata_finding(in->meta, in->n_meta_told);
        char text[512];
        if (e->code != PD_ELIMIT) {
            cli_input_error(in, e);
        } else { /* too much to hold, but nothing is wrong with it */
            pd_error_text(e, text, sizeof text);
            cli_say(in->cli, "%s: %s", in->name, text);
        }
    }
}

static bool open_failed(struct cli *cli, struct cli_input *in, int status, int error)
{
    cli_fail(cli, status, "%s: %s", in->name, strerror(error));
    cli_input_close(in);
    return false;
}

static enum pd_code start_reader(struct cli_input *in, const char *path, struct pd_error *error)
{
    if (S_ISDIR(in->st.st_mode))
        return pd_reader_open(&in->reader, path, NULL, error);
    if (in->seekable)
        return pd_reader_open_fd(&in->reader, in->fd, NULL, error);
    const struct pd_source source = {stream_read, NULL, in, PD_NOWHERE};
    return pd_reader_open_source(&in->reader, &source, NULL, error);
}

bool cli_input_open(struct cli *cli, struct cli_input *in, const char *path, unsigned flags)
{
    const bool standard = strcmp(path, "-") == 0;
    const struct pd_metadata_options how = {.size = sizeof how, .allocator = &cli_allocator};
    struct pd_error error;
    *in = (struct cli_input){.name = standard ? "standard input" : path, .cli = cli, .fd = -1};
    in->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (in->fd < 0 || fstat(in->fd, &in->st) < 0)
        return open_failed(cli, in, CLI_USAGE, errno);
    in->seekable = S_ISREG(in->st.st_mode) || S_ISBLK(in->st.st_mode);
    if ((flags & CLI_SEEK) && !in->seekable && !S_ISDIR(in->st.st_mode)) {
        read_head(in);
        const bool flows = (flags & CLI_FLOW) && is_pipe_stream(in);
        if (is_recording(in) && !flows && !spool(in)) {
            cli_input_close(in);
            return false;
        }
    }
    if (start_reader(in, path, &error)) {
        if (error.code == PD_EIO && error.offset == PD_NOWHERE) /* a directory whose `data` cannot be opened */
            cli_fail(cli, CLI_USAGE, "%s: %s: %s", in->name, error.field ? error.field : "opening it",
                     strerror((int)error.found));
        else if (error.code == PD_EIO && error.offset == 0) /* nothing can be read at all */
            cli_fail(cli, CLI_USAGE, "%s: %s", in->name, strerror((int)error.found));
        else
            cli_error(cli, in->name, &error);
        cli_input_close(in);
        return false;
    }
    if ((flags & CLI_META) && pd_metadata_open(&in->meta, in->reader, &how, &error))
        cli_error(cli, in->name, &error);
    if (!(flags & CLI_NO_FINDINGS))
        cli_tell_findings(in);
    return true;
}

void cli_finding(struct cli_input *in, size_t *n, const struct pd_error *error)
{
    if ((*n)++ < CLI_MOST_FINDINGS)
        cli_input_error(in, error);
    else
        cli_raise(in->cli, cli_status_of(error));
}

void cli_learn(struct cli_input *in, const struct pd_record *rec)
{
    struct pd_error error;
    if (in->meta && pd_metadata_add(in->meta, in->reader, rec, &error))
        error_in(in, rec->member, &error);
}

void cli_input_close(struct cli_input *in)
{
    pd_metadata_close(in->meta);
    pd_reader_close(in->reader);
    free(in->places);
    in->meta = NULL;
    in->places = NULL;
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    in->reader = NULL;
    in->fd = -1;
}

/* ---- Records */

static void settle(const struct cli_input *in)
{
    if (in->settle)
        in->settle(in->settle_user);
}

static void damaged(struct cli_input *in, const struct pd_record *rec, const struct pd_error *error)
{
    settle(in);
    error_in(in, rec->member, error);
    if (in->n_damage < CLI_MOST_DAMAGE)
        in->damage[in->n_damage] = *error;
    in->n_damage++;
}

/* Learning reads what follows the record, for which the window may move on. */
static void keep_bytes(struct cli_input *in, struct pd_record *rec)
{
    if (rec->type != PD_RECORD_HEADER_TRACING_DATA || rec->payload_size == 0 || rec->size > sizeof in->kept)
        return;
    memcpy(in->kept, rec->raw, rec->size);
    rec->raw = in->kept;
    if (rec->decoded)
        pd_reader_decode(in->reader, rec, NULL); /* its views are of these bytes */
}

/* What is to be done with each record; false: it is the end. */
static inline bool go_on(struct cli_input *in, struct pd_record *rec, enum pd_code code)
{
    if (code == PD_OK) {
        if (!in->cli->progress.off)
            cli_progress(in->cli, rec->offset, pd_reader_info(in->reader)->data_end);
        if (in->meta && rec->type >= PD_RECORD_HEADER_ATTR && rec->type != PD_RECORD_FINISHED_ROUND) { /* it says nothing */
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
        damaged(in, rec, &error); /* the next record may be intact again; else the end comes next */
    return go_on(in, rec, code);
}

bool cli_next_try_as(struct cli_input *in, struct pd_record *rec, enum pd_code code, struct pd_error *error)
{
    for (; code != PD_OK && code != PD_END; code = pd_reader_next_decoded(in->reader, rec, error))
        damaged(in, rec, error);
    return go_on(in, rec, code);
}

bool cli_next_decoded_as(struct cli_input *in, struct pd_record *rec, enum pd_code code, struct pd_error *error)
{
    const bool more = cli_next_try_as(in, rec, code, error);
    if (more && !rec->decoded && error->code != PD_EUNKNOWN)
        damaged(in, rec, error);
    return more;
}

bool cli_decode_now(struct cli_input *in, struct pd_record *rec)
{
    struct pd_error error;
    const enum pd_code code = pd_reader_decode(in->reader, rec, &error);
    if (code && code != PD_EUNKNOWN)
        damaged(in, rec, &error);
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
    while ((code = pd_reader_next(in->reader, &rec, &error)) == PD_OK || code == PD_EZSTD || code == PD_ELIMIT)
        if (code == PD_OK)
            cli_learn(in, &rec);
    if (code != PD_EIO && code != PD_ENOMEM) /* damage is reported later */
        return true;
    cli_error(in->cli, in->name, &error);
    return false;
}

bool cli_learn_stream(struct cli_input *in)
{
    return pd_reader_info(in->reader)->container != PD_CONTAINER_PIPE || learn_all(in);
}

bool cli_learn_names(struct cli_input *in)
{
    struct pd_error error;
    if (!in->meta || !in->seekable || pd_reader_info(in->reader)->container == PD_CONTAINER_PIPE || !has_unnamed(in))
        return true;
    if (!learn_all(in))
        return false;
    const enum pd_code code = pd_reader_rewind(in->reader, &error);
    if (code)
        cli_error(in->cli, in->name, &error);
    return code == PD_OK;
}

enum pd_arch cli_arch(const struct cli_input *in)
{
    const struct pd_str *arch = in->meta ? pd_metadata_text(in->meta, PD_FEAT_ARCH) : NULL;
    char name[64];
    if (!arch)
        return PD_ARCH_UNKNOWN;
    snprintf(name, sizeof name, "%.*s", arch->len < sizeof name ? (int)arch->len : (int)sizeof name - 1, arch->ptr);
    return pd_arch_from_name(name);
}

/* ---- Notes */

struct notes {
    void (*take)(void *user, const struct cli_note *note);
    void *user;
};

__attribute__((format(printf, 4, 5))) static void take_note(const struct notes *n, const char *kind,
                                                            uint64_t offset, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const struct cli_note note = {kind, offset, text};
    n->take(n->user, &note);
}

/* The bits of a word that have no name. */
static uint64_t unknown_bits(const struct pd_set *set, uint64_t word)
{
    for (size_t i = 0; i < set->n; i++)
        word &= ~set->names[i].value;
    return word;
}

static void attr_notes(const struct notes *n, const struct pd_event_attr *event, size_t i)
{
    const struct pd_attr *a = &event->attr;
    const struct {
        const char *field;
        uint64_t bits;
    } words[] = {
        {"sample_type", unknown_bits(&pd_set_sample_type, a->sample_type)},
        {"read_format", unknown_bits(&pd_set_read_format, a->read_format)},
        {"branch_sample_type", unknown_bits(&pd_set_branch_sample_type, a->branch_sample_type)},
        {"flags", a->flags & PD_ATTR_RESERVED_1},
    };
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (words[w].bits)
            take_note(n, "unknown-bits", event->offset, "attr %zu has unknown bits 0x%" PRIx64 " in %s", i,
                      words[w].bits, words[w].field);
    if (!a->size && !a->type && !a->config && !a->sample_type && !a->flags)
        take_note(n, "zero-attr", event->offset, "attr %zu is all zeros, which does not tell what its samples have", i);
}

static void trailing_note(const struct notes *n, const struct cli_input *in)
{
    size_t extents;
    const struct pd_extent *e = pd_reader_extents(in->reader, &extents);
    if (extents && e[extents - 1].kind == PD_EXTENT_GAP)
        take_note(n, "trailing-bytes", e[extents - 1].offset, "%" PRIu64 " bytes follow the last section",
                  e[extents - 1].size);
}

void cli_file_notes(const struct cli_input *in, void (*take)(void *user, const struct cli_note *note),
                    void *user)
{
    const struct notes n = {take, user};
    const struct pd_file_info *info = pd_reader_info(in->reader);
    if (info->unfinished)
        take_note(&n, "unfinished", 40,
                  "the recording was not finished: data size 0, its records run to the end of the file");
    for (size_t i = 0; i < pd_reader_n_attrs(in->reader); i++)
        attr_notes(&n, pd_reader_attr(in->reader, i), i);
    for (size_t i = 0; i < pd_reader_n_features(in->reader); i++) {
        const struct pd_feature_section *f = pd_reader_feature(in->reader, i);
        if (pd_set_name(&pd_set_feature, f->feature) == NULL)
            take_note(&n, "unknown-feature", f->section.offset,
                      "feature %u, of %" PRIu64 " bytes, is not known", f->feature, f->section.size);
    }
    if (info->container == PD_CONTAINER_PIPE && info->stray)
        take_note(&n, "trailing-bytes", pd_reader_offset(in->reader), "%" PRIu64 " bytes follow the last record",
                  info->stray);
    if (!info->truncated && info->container != PD_CONTAINER_PIPE)
        trailing_note(&n, in);
}

/* ---- JSON */

static void begin_value(struct cli_json *j, const char *key)
{
    if (j->comma)
        pd_out_str(j->out, ",");
    j->comma = true;
    if (key) {
        pd_out_json_text(j->out, key, strlen(key));
        pd_out_str(j->out, ":");
    }
}

void cli_json_open(struct cli_json *j, const char *key, char bracket)
{
    begin_value(j, key);
    pd_out_bytes(j->out, &bracket, 1);
    j->comma = false;
}

void cli_json_close(struct cli_json *j, char bracket)
{
    pd_out_bytes(j->out, &bracket, 1);
    j->comma = true;
}

void cli_json_key(struct cli_json *j, const char *key)
{
    begin_value(j, key);
}

void cli_json_count(struct cli_json *j, const char *key, uint64_t n)
{
    begin_value(j, key);
    pd_out_dec(j->out, n);
}

void cli_json_bool(struct cli_json *j, const char *key, bool b)
{
    begin_value(j, key);
    pd_out_str(j->out, b ? "true" : "false");
}

void cli_json_str(struct cli_json *j, const char *key, const char *s)
{
    begin_value(j, key);
    if (s)
        pd_out_json_text(j->out, s, strlen(s));
    else
        pd_out_str(j->out, "null");
}

void cli_json_dec(struct cli_json *j, const char *key, uint64_t value)
{
    begin_value(j, key);
    pd_out_str(j->out, "\"");
    pd_out_dec(j->out, value);
    pd_out_str(j->out, "\"");
}

void cli_json_hex(struct cli_json *j, const char *key, uint64_t value)
{
    begin_value(j, key);
    pd_out_str(j->out, "\"");
    pd_out_hex(j->out, value);
    pd_out_str(j->out, "\"");
}
