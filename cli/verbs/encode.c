/* SPDX-License-Identifier: MIT */
/* encode.c - `perfdata encode`: a recording from lines of JSON. */
#define _GNU_SOURCE
#include "cli/lib/files/convert_dir.h"
#include "cli/lib/text/lines.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_ENDIAN = CLI_LONG };

static const struct cli_option options[] = {
    {"endian", KEY_ENDIAN, "little|big",
     "little or big, whatever the header line says; for a text without offsets"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... -o OUTPUT [FILE]",
    .about =
        "Makes a recording from lines of JSON: the same bytes again from what `perfdata decode` printed; or "
        "a\n"
        "new recording from a header line without offsets, attr lines, records and features, whose layout,\n"
        "sizes and counts are computed. The form: docs/TEXT.md. Reads standard input when there is no "
        "FILE.\n",
    .options = options,
    .common = CLI_STDIN | CLI_OUT,
    .examples = "  perfdata decode x.data | sed 's/\"cc1\"/\"CC1\"/' | perfdata encode -o y.data\n"
                "  perfdata encode --endian big -o fixture.data fixture.jsonl\n",
};

/* A directory inside the one that is made, whose mode is set when all is in it. */
struct inner {
    struct inner *next;
    mode_t mode;
    char path[];
};

struct encode {
    struct cli *cli;
    struct inner *inner;
    struct cli_input in;
    struct cli_output out;
    struct cli_directory dir;
    struct pd_sink member; /* of the directory, the file being written */
    struct text text;
};

/* ---- Output. */

static bool refused(struct text *t)
{
    const struct encode *e = t->user;
    t->status = e->cli->status; /* the message is printed */
    t->error[0] = 0;
    return false;
}

/* The text knows only at its first line what it makes. */
static bool open_file(struct encode *e)
{
    const bool patch = e->text.form == TEXT_SHORT && e->text.container == PD_CONTAINER_FILE;
    if (!cli_output_open(e->cli, &e->out, &e->in, 1, patch ? CLI_PATCH : 0))
        return refused(&e->text);
    e->text.sink = &e->out.sink;
    return true;
}

static bool open_directory(struct encode *e, mode_t mode)
{
    if (cli_is_stdout(e->cli->output)) {
        cli_fail(e->cli, CLI_USAGE, "this text is that of a directory, which needs -o DIRECTORY");
        return refused(&e->text);
    }
    if (!cli_directory_open(e->cli, &e->dir, &e->in, 1, &cli_recordings))
        return refused(&e->text);
    e->dir.mode = mode & 07777;
    return true;
}

static bool close_member(struct encode *e)
{
    if (e->text.sink == NULL)
        return true;
    e->text.sink = NULL;
    return cli_directory_close(&e->dir, &e->member) == 0;
}

static bool failed_at(struct encode *e, const char *name, int error)
{
    cli_fail(e->cli, CLI_OUTPUT, "%s: %s: %s", e->cli->output, name, strerror(error));
    return refused(&e->text);
}

static bool no_member(struct text *t)
{
    snprintf(t->error, sizeof t->error, "bytes before the first member line");
    t->status = CLI_DAMAGED;
    return false;
}

static int make_directory(struct encode *e, const char *name, mode_t mode)
{
    const char *base = e->dir.temporary;
    const size_t n = strlen(base) + strlen(name) + 2;
    struct inner *inner = cli_malloc(sizeof *inner + n);
    if (inner == NULL)
        return ENOMEM;
    *inner = (struct inner){e->inner, mode};
    snprintf(inner->path, n, "%s/%s", base, name);
    e->inner = inner;
    return cli_directory_mkdir(&e->dir, name);
}

static void set_modes(struct encode *e, bool made)
{
    for (struct inner *i = e->inner, *next; i; i = next) {
        next = i->next;
        if (made && chmod(i->path, i->mode) < 0)
            failed_at(e, i->path, errno);
        free(i);
    }
    e->inner = NULL;
}

/* `name` must not exist yet, and its parents must be directories of this text: a link could lead anywhere. */
static bool is_free(struct encode *e, const char *name)
{
    const char *base = e->dir.temporary;
    const size_t n = strlen(base) + 1, length = n + strlen(name);
    struct text *t = &e->text;
    struct stat st;
    char *path = cli_malloc(length + 1);
    if (path == NULL)
        return failed_at(e, name, ENOMEM);
    snprintf(path, length + 1, "%s/%s", base, name);
    const char *wrong = lstat(path, &st) == 0 ? "another line with this name was there before" : NULL;
    for (char *slash = path + n; !wrong && (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = 0;
        if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode))
            wrong = "a line of \"directory\" must come first for what it is in";
    }
    free(path);
    if (wrong) {
        snprintf(t->error, sizeof t->error, "\"%.200s\": %s", name, wrong);
        t->status = CLI_DAMAGED;
    }
    return wrong == NULL;
}

static bool open_entry(struct text *t, const char *name, mode_t mode, const char *target)
{
    struct encode *e = t->user;
    int error = 0;
    if (name == NULL)
        return t->directory ? no_member(t) : open_file(e);
    if (strcmp(name, ".") == 0)
        return open_directory(e, mode);
    if (!close_member(e))
        return refused(t);
    if (e->dir.cli == NULL)
        return no_member(t);
    if (!is_free(e, name))
        return false;
    if (target)
        error = cli_directory_link(&e->dir, name, target);
    else if (S_ISDIR(mode))
        error = make_directory(e, name, mode & 07777);
    else if (cli_directory_file(&e->dir, name, mode, &e->member))
        return refused(t);
    else
        t->sink = &e->member;
    return error == 0 || failed_at(e, name, error);
}

static bool commit(struct encode *e)
{
    if (e->dir.cli) {
        const bool closed = close_member(e);
        set_modes(e, closed);
        return closed && cli_directory_commit(&e->dir);
    }
    return e->text.sink == NULL || cli_output_commit(&e->out);
}

/* ---- The verb. */

static bool open_input(struct encode *e, const char *path)
{
    if (!cli_input_open_bytes(e->cli, &e->in, path))
        return false;
    if (S_ISDIR(e->in.st.st_mode))
        cli_fail(e->cli, cli_open_status(EISDIR), "%s: %s", e->in.name, strerror(EISDIR));
    return !S_ISDIR(e->in.st.st_mode);
}

static void encode_input(struct encode *e)
{
    if (text_lines(e->cli, &e->in, &e->text))
        commit(e);
    set_modes(e, false);
    text_close(&e->text); /* a writer that is not finished must not outlive its output */
    cli_output_discard(&e->out);
    cli_directory_discard(&e->dir);
}

static bool take_option(struct encode *e, int key)
{
    struct cli *cli = e->cli;
    if (key != KEY_ENDIAN)
        return false;
    const int order = cli_take_order(cli);
    if (order < 0)
        return false;
    e->text.endian = order;
    return true;
}

int cmd_encode(struct cli *cli, int argc, char **argv)
{
    struct encode e = {.cli = cli};
    int key;
    cli->spec = &spec;
    if (!text_open(&e.text))
        return cli_fail(cli, CLI_OUTPUT, "no memory");
    e.text.open = open_entry;
    e.text.user = &e;
    bool ok = true;
    while (ok && (key = cli_next_option(cli, argc, argv)) != CLI_END)
        ok = take_option(&e, key);
    if (cli->output == NULL)
        cli->output = "-";
    if (ok && open_input(&e, cli->inputs[0]))
        encode_input(&e);
    text_close(&e.text);
    cli_input_close(&e.in);
    return cli->status;
}
