/* SPDX-License-Identifier: MIT */
/*
 * lines.c - see lines.h. Lines are read in batches, which go round in a ring: filled, their usual records
 * encoded in any thread, taken in order. With one thread there is one batch, and nothing is encoded ahead.
 */
#define _GNU_SOURCE
#include "lines.h"
#include "cli/lib/threads/workers.h"
#include "src/support/limits.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes that a batch has room for at first, and those of its records. */
#define BATCH ((size_t)256 << 10)
#define MADE (BATCH + UINT16_MAX)
#define RUNS 256

/* Consecutive lines of records that follow each other: bytes of the batch, and of `made`. */
struct run {
    size_t from, to, at, size;
    uint64_t offset; /* in the recording */
    uint64_t lines;
};

struct batch {
    struct pd_job job;
    bool started;     /* and not waited for */
    uint64_t changes; /* of the text when it was started; 0: it never was */
    const struct text *text;
    struct pd_parser *parser;
    char *bytes; /* `n`, of which those before `end` are whole lines */
    size_t n, end, cap, taken;
    uint8_t *made;
    size_t n_runs;
    struct run runs[RUNS];
    struct pd_record rec;
};

struct lines {
    struct cli *cli;
    struct cli_input *in;
    struct text *text;
    const struct pd_workers *workers; /* NULL: one thread */
    uint64_t number;                  /* of the line */
    uint64_t bytes_read;
    int error; /* errno of reading, which is told behind the lines before */
    bool eof;
    uint64_t first, behind; /* the oldest batch, and the one behind the newest */
    size_t n_batches;
    struct batch *batches;
};

static struct batch *nth(struct lines *l, uint64_t i)
{
    return &l->batches[i % l->n_batches];
}

/* ---- In any thread */

/* The run that the record goes on with, or a new one; NULL: there are too many. */
static struct run *run_of(struct batch *b, struct run *last, size_t at, size_t made)
{
    if (last && last->to == at && last->offset + last->size == b->rec.offset)
        return last;
    if (b->n_runs == RUNS)
        return NULL;
    b->runs[b->n_runs] = (struct run){.from = at, .at = made, .offset = b->rec.offset};
    return &b->runs[b->n_runs++];
}

static size_t length_of(const struct batch *b, size_t at)
{
    const char *newline = memchr(b->bytes + at, '\n', b->end - at);
    return newline ? (size_t)(newline - b->bytes) - at : b->end - at;
}

static void encode_batch(struct pd_job *job)
{
    struct batch *b = (struct batch *)job;
    struct run *run = NULL;
    size_t made = 0, size;
    b->n_runs = 0;
    for (size_t at = 0, next; at < b->end && MADE - made >= UINT16_MAX; at = next) {
        const size_t n = length_of(b, at);
        next = at + n < b->end ? at + n + 1 : b->end;
        if (!text_make_record(b->text, b->parser, b->bytes + at, n, &b->rec, b->made + made, &size))
            continue;
        if ((run = run_of(b, run, at, made)) == NULL)
            return;
        run->to = next;
        run->size += size;
        run->lines++;
        made += size;
    }
}

/* ---- Jobs */

static void settle(struct lines *l, struct batch *b)
{
    if (b->started && l->workers)
        l->workers->wait(l->workers->user, &b->job);
    b->started = false;
}

/* No thread uses the text any more. */
static void settle_all(struct lines *l)
{
    for (uint64_t i = l->first; l->workers && i < l->behind; i++)
        settle(l, nth(l, i));
}

/* Starts batches that were not, or while the text was another one. */
static void start_all(struct lines *l)
{
    for (uint64_t i = l->first; l->workers && text_makes_records(l->text) && i < l->behind; i++) {
        struct batch *b = nth(l, i);
        if (b->changes == l->text->changes)
            continue;
        settle(l, b);
        b->changes = l->text->changes;
        b->started = true;
        l->workers->start(l->workers->user, &b->job);
    }
}

/* ---- Reading */

static bool is_ready(const struct lines *l)
{
    struct pollfd ready = {.fd = l->in->fd, .events = POLLIN};
    return poll(&ready, 1, 0) != 0;
}

static bool resize(struct batch *b, size_t cap)
{
    char *p = cli_realloc(b->bytes, cap);
    if (p == NULL)
        return false;
    b->bytes = p;
    b->cap = cap;
    return true;
}

/* Reads once. False: the input has ended or failed. */
static bool read_bytes(struct lines *l, struct batch *b)
{
    const ssize_t got = read(l->in->fd, b->bytes + b->n, b->cap - b->n);
    if (got < 0 && errno == EINTR)
        return true;
    if (got <= 0) {
        l->error = got < 0 ? errno : 0;
        l->eof = true;
        return false;
    }
    b->n += (size_t)got;
    l->bytes_read += (uint64_t)got;
    cli_progress(l->cli, l->bytes_read,
                 S_ISREG(l->in->st.st_mode) ? (uint64_t)l->in->st.st_size : PD_NOWHERE);
    return true;
}

/* Takes over the line that the batch before has only in part; it may be the same batch. */
static bool take_rest(struct batch *b, struct batch *before)
{
    const size_t n = before->n - before->end;
    if (b->cap < n && !resize(b, before->cap))
        return false;
    memmove(b->bytes, before->bytes + before->end, n);
    if (b != before && before->cap > BATCH && !resize(before, BATCH))
        return false;
    b->n = n;
    b->end = b->taken = b->n_runs = 0;
    b->changes = 0;
    return true;
}

/*
 * Reads whole lines, one at least: what is there, or with several threads as much as there is room for. A
 * line that is too long ends it.
 */
static bool fill(struct lines *l, struct batch *b)
{
    size_t searched = b->n;
    while (b->end == 0 || (l->workers && b->n < b->cap && is_ready(l))) {
        if (b->n == b->cap && !resize(b, 2 * b->cap))
            return false;
        if (!read_bytes(l, b)) {
            b->end = l->error ? b->end : b->n;
            break;
        }
        const char *newline = memrchr(b->bytes + searched, '\n', b->n - searched);
        if (newline)
            b->end = (size_t)(newline - b->bytes) + 1;
        else if (b->end == 0 && b->n > PI_LIMIT_TEXT_LINE)
            b->end = b->n;
        searched = b->n;
    }
    return true;
}

/*
 * Adds batches as long as there is something to be read, and waits for it only if there is none. Behind a
 * long line, which has enlarged its batch, no more are added before it is taken, so that only one is large.
 */
static bool add_batches(struct lines *l)
{
    while (!l->eof && l->behind - l->first < l->n_batches) {
        struct batch *b = nth(l, l->behind), *before = nth(l, l->behind + l->n_batches - 1);
        const bool none = l->behind == l->first, ready = is_ready(l);
        if (!none && (!ready || before->cap > BATCH))
            return true;
        if (!ready)
            cli_flush(l->cli);
        if (!take_rest(b, before) || !fill(l, b))
            return cli_fail(l->cli, CLI_OUTPUT, "no memory") == 0;
        l->behind += b->end != 0;
    }
    return true;
}

/* ---- Taking */

static bool is_blank(const char *line, size_t n)
{
    while (n && strchr(" \t\r", line[n - 1]) && line[n - 1])
        n--;
    return n == 0;
}

static bool tell_failure(const struct lines *l, bool at_end)
{
    const struct text *t = l->text;
    const int status = t->status ? t->status : CLI_DAMAGED;
    if (t->error[0] == 0)
        cli_raise(l->cli, status);
    else if (at_end)
        cli_fail(l->cli, status, "%s: %s", l->in->name, t->error);
    else
        cli_fail(l->cli, status, "%s: line %" PRIu64 ": %s", l->in->name, l->number, t->error);
    return false;
}

/* Any line, which may change what others mean. */
static bool take_line(struct lines *l, struct batch *b)
{
    const char *line = b->bytes + b->taken;
    const size_t n = length_of(b, b->taken);
    settle_all(l);
    l->text->line = ++l->number;
    if (n > PI_LIMIT_TEXT_LINE) {
        cli_fail(l->cli, CLI_DAMAGED,
                 "%s: line %" PRIu64 ": it is longer than %d bytes, the most that a line may have",
                 l->in->name, l->number, PI_LIMIT_TEXT_LINE);
        return false;
    }
    b->taken += b->taken + n < b->end ? n + 1 : n;
    return is_blank(line, n) || text_line(l->text, line, n) || tell_failure(l, false);
}

/* Writes the records of a run if the text is where it begins. *ok: false if that fails. */
static bool take_run(struct lines *l, struct batch *b, const struct run *run, bool *ok)
{
    if (run->from != b->taken || b->changes != l->text->changes || run->offset != l->text->at)
        return false;
    l->number += run->lines;
    b->taken = run->to;
    *ok = text_records(l->text, b->made + run->at, run->size) || tell_failure(l, false);
    return true;
}

static bool take_batch(struct lines *l, struct batch *b)
{
    bool ok = true;
    settle(l, b);
    for (size_t i = 0; ok && b->taken < b->end;) {
        while (i < b->n_runs && b->runs[i].from < b->taken)
            i++;
        if (i == b->n_runs || !take_run(l, b, &b->runs[i], &ok))
            ok = take_line(l, b);
    }
    return ok;
}

static bool take_all(struct lines *l)
{
    while (add_batches(l)) {
        if (l->first == l->behind) {
            if (l->error == 0)
                return text_finish(l->text) || tell_failure(l, true);
            cli_fail(l->cli, l->bytes_read ? cli_part_status(l->error) : cli_open_status(l->error), "%s: %s",
                     l->in->name, strerror(l->error));
            return false;
        }
        start_all(l);
        if (!take_batch(l, nth(l, l->first)))
            return false;
        l->first++;
    }
    return false;
}

/* ---- All */

static bool open_batch(const struct lines *l, struct batch *b)
{
    struct pd_error error;
    b->cap = l->workers ? BATCH : TEXT_PIECE;
    b->bytes = cli_malloc(b->cap);
    b->text = l->text;
    b->job.work = encode_batch;
    if (b->bytes == NULL || l->workers == NULL)
        return b->bytes;
    b->made = cli_malloc(MADE);
    return b->made && pd_parser_open(&b->parser, &cli_allocator, &error) == PD_OK;
}

static void close_batches(struct lines *l)
{
    settle_all(l);
    for (size_t i = 0; l->batches && i < l->n_batches; i++) {
        pd_parser_close(l->batches[i].parser);
        free(l->batches[i].bytes);
        free(l->batches[i].made);
    }
    free(l->batches);
}

bool text_lines(struct cli *cli, struct cli_input *in, struct text *t)
{
    struct lines l = {.cli = cli, .in = in, .text = t, .workers = cli_workers(cli)};
    l.n_batches = l.workers ? 2 * (l.workers->n + 1) : 1;
    l.batches = cli_calloc(l.n_batches, sizeof *l.batches);
    bool ok = l.batches;
    for (size_t i = 0; ok && i < l.n_batches; i++)
        ok = open_batch(&l, &l.batches[i]);
    if (!ok)
        cli_fail(cli, CLI_OUTPUT, "no memory");
    ok = ok && take_all(&l);
    close_batches(&l);
    return ok;
}
