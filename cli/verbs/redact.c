/* SPDX-License-Identifier: MIT */
/* redact.c - `perfdata redact`: a recording without the data that identifies its owner. */
#define _GNU_SOURCE
#include "src/support/limits.h"
#include "cli/lib/conversion.h"
#include <errno.h>
#include <inttypes.h>
#include <perfdata/ops/redact.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    KEY_HOW = CLI_LONG,
    KEY_FILE = CLI_LONG + 32,
    KEY_MAP,
    KEY_PROVE,
    KEY_KEEP,
    KEY_KEEP_PATHS,
    KEY_UNKNOWN
};

/* The options that take keep, drop or hash: KEY_HOW and the place in this table. */
static const size_t hows[] = {
    offsetof(struct pd_redact_options, hostname), offsetof(struct pd_redact_options, cmdline),
    offsetof(struct pd_redact_options, paths),    offsetof(struct pd_redact_options, comms),
    offsetof(struct pd_redact_options, pids),     offsetof(struct pd_redact_options, addrs),
    offsetof(struct pd_redact_options, times),    offsetof(struct pd_redact_options, build_ids),
    offsetof(struct pd_redact_options, payloads), offsetof(struct pd_redact_options, events),
    offsetof(struct pd_redact_options, machine),
};
#define ADDRS 5 /* its place */
#define N_HOWS (sizeof hows / sizeof *hows)

/* clang-format off */
static const struct cli_option options[] = {
    {"hostname", KEY_HOW + 0, "HOW", "name of the machine"},
    {"cmdline", KEY_HOW + 1, "HOW", "command line of perf"},
    {"paths", KEY_HOW + 2, "HOW", "names of files, cgroups and symbols; inodes"},
    {"comms", KEY_HOW + 3, "HOW", "names of tasks"},
    {"pids", KEY_HOW + 4, "HOW", "processes and threads (default keep)"},
    {"addrs", KEY_HOW + 5, "HOW", "addresses (default keep); hash, also called shift, moves whole mappings"},
    {"times", KEY_HOW + 6, "HOW", "times (default keep)"},
    {"build-ids", KEY_HOW + 7, "HOW", "build ids, tags of BPF programs"},
    {"payloads", KEY_HOW + 8, "HOW", "raw data, registers, stacks, AUX data, code"},
    {"events", KEY_HOW + 9, "HOW", "names of events (default keep, but those of probes)"},
    {"machine", KEY_HOW + 10, "HOW", "kernel release, model of the cpu and the like (default keep)"},
    {"key", KEY_FILE, "FILE", "names follow from these bytes, 16 or more: in every file the same"},
    {"map", KEY_MAP, "FILE", "write what was replaced by what: ORIGINAL, REPLACEMENT, KIND"},
    {"prove", KEY_PROVE, "LIST", "fail if a string is in the output: A,B,… or @FILE, one a line"},
    {"keep", KEY_KEEP, "LIST", "names that stay, of tasks, in paths, in command lines: A,B,… or @FILE, one a "
                               "line"},
    {"keep-paths", KEY_KEEP_PATHS, "LIST", "paths that stay, with their build ids: '/usr/lib/*',… or "
                                           "file://PATH, one a line"},
    {"unknown", KEY_UNKNOWN, "drop", "leave out what is not understood, which else is refused"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... -o OUTPUT [FILE]",
    .about = "Writes a recording again without what tells whose it is, in the input's container; to standard "
             "output it is\n"
             "a pipe stream. HOW is\n"
             "  keep   it stays\n"
             "  drop   it goes: strings are empty, numbers 0, what is nothing else is left out\n"
             "  hash   another takes its place, for the same always the same, for two never the same: "
             "numbered in order of\n"
             "         appearance, or with --key a keyed hash. Of paths, each component. Payloads become "
             "zeros.\n"
             "Host name, command line, paths, comms, build ids and payloads are hashed unless told "
             "otherwise. Names that\n"
             "identify nothing stay: [kernel.kallsyms]_text, [vdso], //anon, swapper.\n",
    .options = options,
    .common = CLI_IN | CLI_OUT,
    .examples = "  perfdata redact -o share.data x.data\n"
                "  perfdata redact --map names.tsv --prove \"$(hostname),$USER\" -o share.data x.data\n"
                "  perfdata redact --key secret.key --pids hash --times hash -o share.data x.data\n"
                "  perfdata redact --cmdline keep --payloads drop -o - x.data | perf report -i -\n",
};
/* clang-format on */

/* Strings of an option, which lie in its text. */
struct list {
    char *text;
    struct pd_bytes *strings;
    size_t n;
};

struct redact {
    struct cli *cli;
    struct cli_conversion c;
    struct pd_redact_options options;
    struct pd_redaction *redaction;
    const char *map, *key_name;
    struct cli_output map_out;
    bool map_placed;
    uint8_t key[PI_LIMIT_REDACT_KEY];
    struct list proved, kept, public;
    size_t n_leaks;
};

static bool no_memory(struct redact *r)
{
    cli_fail(r->cli, CLI_OUTPUT, "%s", strerror(ENOMEM));
    return false;
}

/* ---- Options */

static bool take_how(struct redact *r, int key)
{
    static const char *const names[] = {
        [PD_REDACT_KEEP] = "keep", [PD_REDACT_DROP] = "drop", [PD_REDACT_HASH] = "hash"};
    enum { SHIFT = PD_REDACT_HASH + 1 };
    static const char *const of_addrs[] = {
        [PD_REDACT_KEEP] = "keep", [PD_REDACT_DROP] = "drop", [PD_REDACT_HASH] = "hash", [SHIFT] = "shift"};
    enum pd_redact_how *how = (void *)((char *)&r->options + hows[key - KEY_HOW]);
    char option[32];
    snprintf(option, sizeof option, "--%s", options[key - KEY_HOW].name);
    const bool addrs = key == KEY_HOW + ADDRS;
    const int i = addrs ? CLI_FIND_WORD(r->cli, option, r->cli->arg, strlen(r->cli->arg), of_addrs)
                        : CLI_FIND_WORD(r->cli, option, r->cli->arg, strlen(r->cli->arg), names);
    if (i >= 0)
        *how = i == SHIFT ? PD_REDACT_HASH : (enum pd_redact_how)i; /* which moves each mapping as a whole */
    return i >= 0;
}

static bool cannot_read(struct redact *r, const char *option, int error)
{
    cli_fail(r->cli, cli_open_status(error), "%s %s: %s", option, r->cli->arg, strerror(error));
    return false;
}

static bool cannot(struct redact *r, const char *option, const char *name, const char *why)
{
    cli_fail(r->cli, CLI_USAGE, "%s %s: %s", option, name, why);
    return false;
}

static bool take_key(struct redact *r)
{
    FILE *file = cli_open_named(r->cli, r->cli->arg);
    if (file == NULL)
        return cannot_read(r, "--key", errno);
    r->options.key_n = fread(r->key, 1, sizeof r->key, file);
    int error = ferror(file) ? errno : 0;
    const bool more = !error && getc(file) != EOF;
    if (!error && ferror(file))
        error = errno;
    fclose(file);
    if (error)
        return cannot_read(r, "--key", error);
    char most[64];
    snprintf(most, sizeof most, "a key has %d bytes at most", PI_LIMIT_REDACT_KEY);
    if (r->options.key_n < 16 || more)
        return cannot(r, "--key", r->cli->arg, more ? most : "a key has 16 bytes at least");
    r->options.key = r->key;
    return true;
}

/* A file's text; NULL with errno set. */
static char *read_text(struct cli *cli, const char *name)
{
    FILE *file = cli_open_named(cli, name);
    char *text = NULL;
    size_t cap = 0;
    if (file == NULL)
        return NULL;
    const ssize_t n = getdelim(&text, &cap, '\0', file);
    const int error = n < 0 && !feof(file) ? errno : 0;
    fclose(file);
    if (n < 0 && !error && text)
        *text = 0;
    if (error) {
        free(text);
        errno = error;
    }
    return error ? NULL : text;
}

static bool take_list(struct redact *r, const char *option, struct list *l)
{
    static const char file[] = "file://";
    const char *name = r->cli->arg;
    const size_t mark = *name == '@' ? 1 : strncmp(name, file, sizeof file - 1) == 0 ? sizeof file - 1 : 0;
    const bool is_file = mark || (l != &r->public && access(name, F_OK) == 0);
    free(l->text);
    l->text = is_file ? read_text(r->cli, name + mark) : cli_strdup(name);
    if (is_file && !mark)
        cli_say(r->cli, "%s %s: this is a file: its lines are taken", option, name);
    if (l->text == NULL)
        return cannot_read(r, option, errno);
    free(l->strings);
    l->n = 0;
    if ((l->strings = cli_calloc(strlen(l->text) + 1, sizeof *l->strings)) == NULL)
        return no_memory(r);
    for (char *p = l->text; *p;) {
        const size_t n = strcspn(p, is_file ? "\r\n" : ",");
        if (n)
            l->strings[l->n++] = (struct pd_bytes){(uint8_t *)p, n};
        p += n + (p[n] != 0);
    }
    return l->n ? true : cannot(r, option, r->cli->arg, "there is no string in it");
}

static bool take_option(struct redact *r, int key)
{
    if (key >= KEY_HOW && key < KEY_HOW + (int)N_HOWS)
        return take_how(r, key);
    switch (key) {
    case KEY_FILE: return take_key(r);
    case KEY_MAP: r->map = r->cli->arg; return true;
    case KEY_PROVE: return take_list(r, "--prove", &r->proved);
    case KEY_KEEP: return take_list(r, "--keep", &r->kept);
    case KEY_KEEP_PATHS: return take_list(r, "--keep-paths", &r->public);
    case KEY_UNKNOWN:
        r->options.drop_unknown = strcmp(r->cli->arg, "drop") == 0;
        return r->options.drop_unknown ? true : cannot(r, "--unknown", r->cli->arg, "only drop is possible");
    default: return false;
    }
}

/* ---- The map */

static void write_map(struct cli_output *out, const char *text, size_t n)
{
    out->sink.write(out->sink.user, text, n);
}

/* One line, whatever the name is. */
static void put_escaped(struct cli_output *out, const char *text, size_t n)
{
    for (size_t k; n; text += k, n -= k) {
        char plain[4 * 1024];
        struct pd_out line = {.buf = plain, .cap = sizeof plain};
        k = n < sizeof plain / 4 ? n : sizeof plain / 4;
        pd_out_plain(&line, text, k);
        write_map(out, plain, line.n);
    }
}

static void put_line(void *user, const struct pd_redacted *what)
{
    struct cli_output *out = user;
    put_escaped(out, what->original, what->n);
    write_map(out, "\t", 1);
    put_escaped(out, what->replacement, strlen(what->replacement));
    write_map(out, "\t", 1);
    write_map(out, what->kind, strlen(what->kind));
    write_map(out, "\n", 1);
}

/* Opened before the work, so that a failure to write is known early; only its owner may read it. */
static bool open_map(struct redact *r)
{
    const char *output = r->cli->output;
    if (r->map == NULL)
        return true;
    const char *why = cli_outputs_collide(r->map, output);
    if (why)
        return cannot(r, "--map", r->map, why);
    r->cli->output = r->map;
    const bool ok = cli_output_open(r->cli, &r->map_out, &r->c.in, 1, CLI_TEXT);
    r->cli->output = output;
    r->map_out.mode = 0600;
    return ok;
}

/* Just before the output replaces its target: there is no output without its map. */
static bool place_map(void *user)
{
    struct redact *r = user;
    if (r->map == NULL)
        return true;
    pd_redaction_map(r->redaction, put_line, &r->map_out);
    return r->map_placed = cli_output_commit(&r->map_out);
}

/* ---- The proof */

static void on_leak(void *user, const struct pd_leak *leak)
{
    struct redact *r = user;
    const struct pd_bytes *s = &r->proved.strings[leak->string];
    const char *type = leak->rec ? pd_set_name(&pd_set_record_type, leak->rec->type) : NULL;
    if (r->n_leaks++ >= PI_LIMIT_LEAKS_TOLD)
        return;
    if (leak->rec)
        cli_fail(r->cli, CLI_FINDINGS,
                 "--prove: \"%.*s\" is in record %" PRIu64 " of type %" PRIu32 " (%s) at offset %" PRIu64
                 "%s",
                 (int)s->n, (const char *)s->ptr, leak->rec->index, leak->rec->type, type ? type : "unknown",
                 leak->offset, leak->rec->depth ? ", compressed" : "");
    else
        cli_fail(r->cli, CLI_FINDINGS, "--prove: \"%.*s\" is at offset %" PRIu64 ", %s", (int)s->n,
                 (const char *)s->ptr, leak->offset, leak->section);
}

static bool prove(void *user, struct pd_reader *reader)
{
    struct redact *r = user;
    struct pd_error error;
    if (pd_redact_prove(reader, r->proved.strings, r->proved.n, on_leak, r, &error)) {
        char text[512];
        pd_error_text(&error, text, sizeof text);
        cli_fail(r->cli, CLI_OUTPUT, "--prove: the output cannot be read: %s", text);
        return false;
    }
    if (r->n_leaks) {
        cli_fail(r->cli, CLI_FINDINGS, "--prove: %zu places have what they must not; nothing is written",
                 r->n_leaks);
        return false;
    }
    cli_say(r->cli, "--prove: none of the %zu strings is in the output", r->proved.n);
    return true;
}

/* ---- The verb */

static bool tell_error(void *user, const struct pd_error *error)
{
    struct redact *r = user;
    char text[512];
    if (error->code != PD_EOPAQUE)
        return false;
    pd_error_text(error, text, sizeof text);
    cli_fail(r->cli, CLI_USAGE, "%s: %s; --unknown=drop leaves out what is not understood", r->c.in.name,
             text);
    return true;
}

static void redact(struct redact *r)
{
    struct pd_error error;
    r->options.size = sizeof r->options;
    r->options.keep = r->kept.strings;
    r->options.n_keep = r->kept.n;
    r->options.keep_paths = r->public.strings;
    r->options.n_keep_paths = r->public.n;
    if (pd_redaction_open(&r->redaction, &r->options, &error)) {
        cli_error(r->cli, r->c.in.name, &error);
        return;
    }
    r->c.cli = r->cli;
    r->c.alone = true;
    r->c.error = tell_error;
    r->c.look = r->proved.n ? prove : NULL;
    r->c.user = r;
    r->c.options.redaction = r->redaction;
    if (!open_map(r))
        return;
    r->c.ready = place_map;
    cli_convert(&r->c);
    if (r->map_placed && r->cli->status == CLI_OUTPUT && !r->cli->force)
        unlink(r->map); /* of an output that is not there */
}

static void redact_input(struct redact *r)
{
    struct cli *cli = r->cli;
    if (cli->output == NULL)
        cli_fail(cli, CLI_USAGE, "where to? -o FILE, or -o - for standard output");
    else if (cli_input_open(cli, &r->c.in, cli->inputs[0],
                            r->options.addrs == PD_REDACT_HASH ? CLI_SEEK : 0)) {
        redact(r);
        cli_output_discard(&r->map_out);
        pd_redaction_close(r->redaction);
        cli_input_close(&r->c.in);
    }
}

int cmd_redact(struct cli *cli, int argc, char **argv)
{
    struct redact *r = cli_calloc(1, sizeof *r);
    int key;
    bool ok = r != NULL;
    cli->spec = &spec;
    if (!ok)
        return cli_fail(cli, CLI_OUTPUT, "%s", strerror(ENOMEM));
    r->cli = cli;
    while (ok && (key = cli_next_option(cli, argc, argv)) != CLI_END)
        ok = take_option(r, key);
    if (ok)
        redact_input(r);
    free(r->proved.text);
    free(r->proved.strings);
    free(r->kept.text);
    free(r->kept.strings);
    free(r->public.text);
    free(r->public.strings);
    explicit_bzero(r->key, sizeof r->key);
    free(r);
    return cli->status;
}
