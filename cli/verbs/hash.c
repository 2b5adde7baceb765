/* SPDX-License-Identifier: MIT */
/* hash.c - `perfdata hash`: the XXH3-128 of the content of recordings, and comparison with a list. */
#define _GNU_SOURCE
#include "src/support/limits.h"
#include "src/support/text_scan.h"
#include "cli/lib/cli.h"
#include <errno.h>
#include <inttypes.h>
#include <perfdata/constants.h>
#include <perfdata/feature.h>
#include <perfdata/ops/hash.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SECTIONS = CLI_LONG };

static const struct cli_option options[] = {
    {"sections", KEY_SECTIONS, NULL,
     "also of each part: attrs, every feature, records; with how many there are"},
    {"check", 'c', "FILE",
     "reads lines of hash and path, as hash prints them, and tells which recordings differ"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "[--sections] [FILE]...",
    .about =
        "Prints a hash (XXH3-128) of what each recording says: attrs with their ids, features, records in "
        "the order\n"
        "of time. It is the same whatever container, compression and byte order the recording is in;\n"
        "perfdata-hash(1) tells what counts. Exit status 1: a recording differs from its line in the list.\n",
    .options = options,
    .common = CLI_IN | CLI_JSON | CLI_OPERANDS,
    .examples = "  perfdata hash a.data b.data                 two lines: hash, two spaces, path\n"
                "  perfdata hash *.data > MANIFEST             to be checked later:\n"
                "  perfdata hash -c MANIFEST\n"
                "  perfdata hash --sections a.data b.data      where do they differ?\n",
};

struct hash {
    struct cli *cli;
    struct cli_input in;
    const char *list; /* -c */
    bool sections;
    size_t n_findings, checked;
    struct pd_hash_part *parts;
    size_t n_parts, cap_parts;
    struct cli_json json;
};

/* ---- Callbacks of the library */

static void on_finding(void *user, const struct pd_error *what)
{
    struct hash *h = user;
    cli_finding(&h->in, &h->n_findings, what);
}

static void on_part(void *user, const struct pd_hash_part *part)
{
    struct hash *h = user;
    if (h->n_parts < h->cap_parts)
        h->parts[h->n_parts++] = *part;
}

static void on_progress(void *user, uint64_t done, uint64_t total)
{
    cli_progress(((struct hash *)user)->cli, done, total);
}

/* Hashes one recording. False: the reason is printed. */
static bool hash_file(struct hash *h, const char *path, struct pd_hash *hash)
{
    const struct pd_hash_options o = {
        .size = sizeof o, .part = on_part, .finding = on_finding, .progress = on_progress, .user = h};
    struct pd_error error;
    h->n_findings = h->n_parts = 0;
    if (!cli_input_open(h->cli, &h->in, path, 0))
        return false;
    const enum pd_code code = pd_hash_recording(h->in.reader, &o, hash, &error);
    cli_progress_end(h->cli);
    cli_tell_findings(&h->in); /* of other members, and of what stands behind the data */
    if (h->n_findings > PI_LIMIT_FINDINGS_TOLD)
        cli_say(h->cli, "%s: %zu places could not be read", h->in.name, h->n_findings);
    if (code)
        cli_input_error(&h->in, &error);
    cli_input_close(&h->in);
    return code == PD_OK;
}

/* ---- Printing */

/* A path on a line of its own: as sha256sum, a line with an escaped path begins with a backslash. */
static bool needs_escape(const char *path)
{
    return strpbrk(path, "\\\n\r") != NULL;
}

static void put_path(struct cli *cli, const char *path)
{
    for (; *path; path++) {
        const char *escaped = *path == '\\' ? "\\\\" : *path == '\n' ? "\\n" : *path == '\r' ? "\\r" : NULL;
        if (escaped)
            pd_out_str(&cli->out, escaped);
        else
            pd_out_bytes(&cli->out, path, 1);
    }
}

static const char *part_name(const struct pd_hash_part *part, char buf[32])
{
    if (part->kind != PD_HASH_FEATURE)
        return part->kind == PD_HASH_ATTRS ? "attrs" : "records";
    const char *name =
        part->feature < 256 ? pd_feature_name((uint32_t)part->feature) : "features from number 256 on";
    if (name == NULL)
        snprintf(buf, 32, "feature %" PRIu64, part->feature);
    return name ? name : buf;
}

static void print_text(struct hash *h, const char *path, const struct pd_hash *hash)
{
    char text[PD_HASH_TEXT], name[32];
    for (size_t i = 0; i < h->n_parts && h->sections; i++) {
        const struct pd_hash_part *p = &h->parts[i];
        cli_print(h->cli, "  %s  %s %" PRIu64 "\n", pd_hash_text(&p->hash, text), part_name(p, name),
                  p->count);
    }
    cli_print(h->cli, "%s%s  ", needs_escape(path) ? "\\" : "", pd_hash_text(hash, text));
    put_path(h->cli, path);
    pd_out_str(&h->cli->out, "\n");
}

static void print_json_sections(struct hash *h)
{
    struct cli_json *j = &h->json;
    char text[PD_HASH_TEXT], name[32];
    cli_json_open(j, "sections", '[');
    for (size_t i = 0; i < h->n_parts; i++) {
        const struct pd_hash_part *p = &h->parts[i];
        cli_json_open(j, NULL, '{');
        cli_json_str(j, "section", part_name(p, name));
        cli_json_dec(j, "count", p->count);
        cli_json_str(j, "hash", pd_hash_text(&p->hash, text));
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

/* One object a line. `want`: the hash of the list, or NULL. */
static void print_json(struct hash *h, const char *path, const struct pd_hash *hash,
                       const struct pd_hash *want)
{
    struct cli_json *j = &h->json;
    char text[PD_HASH_TEXT];
    *j = (struct cli_json){.out = &h->cli->out};
    cli_json_open(j, NULL, '{');
    cli_json_str(j, "file", path);
    cli_json_str(j, "hash", pd_hash_text(hash, text));
    if (want) {
        cli_json_str(j, "expected", pd_hash_text(want, text));
        cli_json_bool(j, "ok", memcmp(hash, want, sizeof *want) == 0);
    }
    if (h->sections)
        print_json_sections(h);
    cli_json_close(j, '}');
    pd_out_str(j->out, "\n");
}

static void print_file(struct hash *h, const char *path)
{
    struct pd_hash hash;
    if (!hash_file(h, path, &hash))
        return;
    if (h->cli->json)
        print_json(h, path, &hash, NULL);
    else
        print_text(h, path, &hash);
}

/* ---- Checking a list */

/* Undoes the escapes of put_path(), in place. */
static bool unescape(char *path)
{
    char *to = path;
    for (; *path; path++) {
        if (*path != '\\') {
            *to++ = *path;
            continue;
        }
        path++;
        if (*path != '\\' && *path != 'n' && *path != 'r')
            return false;
        *to++ = (char)(*path == 'n' ? '\n' : *path == 'r' ? '\r' : '\\');
    }
    *to = '\0';
    return true;
}

/* "HASH  PATH" or "HASH *PATH"; the path is left in `line`. NULL: no such line. */
static char *take_line(char *line, struct pd_hash *want)
{
    const bool escaped = *line == '\\';
    line += escaped;
    for (size_t i = 0; i < sizeof want->bytes; i++, line += 2) {
        const unsigned high = pi_digit(line[0]), low = high > 15 ? 16 : pi_digit(line[1]);
        if (low > 15)
            return NULL;
        want->bytes[i] = (uint8_t)(high * 16 + low);
    }
    if (line[0] != ' ' || (line[1] != ' ' && line[1] != '*') || line[2] == '\0')
        return NULL;
    return !escaped || unescape(line + 2) ? line + 2 : NULL;
}

static void check_file(struct hash *h, const char *path, const struct pd_hash *want)
{
    struct pd_hash hash;
    h->checked++;
    if (!hash_file(h, path, &hash))
        return;
    const bool ok = memcmp(&hash, want, sizeof hash) == 0;
    if (!ok)
        cli_raise(h->cli, CLI_FINDINGS);
    if (h->cli->json) {
        print_json(h, path, &hash, want);
    } else if (!ok || !h->cli->quiet) {
        put_path(h->cli, path);
        cli_print(h->cli, ": %s\n", ok ? "OK" : "FAILED");
    }
}

/* Lines that begin with a space are those of --sections, and a # begins a comment. */
static void check_line(struct hash *h, char *line, size_t number)
{
    struct pd_hash want;
    line[strcspn(line, "\n")] = '\0';
    if (*line == ' ' || *line == '#' || *line == '\0')
        return;
    const char *path = take_line(line, &want);
    if (path)
        check_file(h, path, &want);
    else
        cli_fail(h->cli, CLI_USAGE, "%s: line %zu is not \"HASH  PATH\" with 32 hexadecimal digits", h->list,
                 number);
}

static int check_list(struct hash *h)
{
    const bool is_input = strcmp(h->list, "-") == 0;
    FILE *file = is_input ? stdin : fopen(h->list, "re");
    char *line = NULL;
    size_t cap = 0;
    if (file == NULL)
        return cli_fail(h->cli, cli_open_status(errno), "%s: %s", h->list, strerror(errno));
    for (size_t i = 1; !h->cli->out_error && getline(&line, &cap, file) >= 0; i++)
        check_line(h, line, i);
    if (!h->cli->out_error && !feof(file))
        cli_fail(h->cli, cli_open_status(errno), "%s: %s", h->list, strerror(errno));
    else if (h->checked == 0 && h->cli->status == 0)
        cli_fail(h->cli, CLI_USAGE, "%s: there is no line \"HASH  PATH\" in it", h->list);
    free(line);
    if (!is_input)
        fclose(file);
    return h->cli->status;
}

/* ---- The verb */

static int hash_inputs(struct hash *h)
{
    struct cli *cli = h->cli;
    const bool others = cli->n_inputs > 1 || strcmp(cli->inputs[0], "perf.data") != 0;
    if (h->list && others)
        return cli_fail(cli, CLI_USAGE,
                        "--check takes the recordings from its list, not from the command line");
    if (h->list)
        return check_list(h);
    for (size_t i = 0; i < cli->n_inputs && !cli->out_error; i++)
        print_file(h, cli->inputs[i]);
    return cli->status;
}

int cmd_hash(struct cli *cli, int argc, char **argv)
{
    struct pd_hash_part parts[259]; /* attrs, 256 features, all others, records */
    struct hash h = {.cli = cli, .parts = parts, .cap_parts = sizeof parts / sizeof *parts};
    int key;
    cli->spec = &spec;
    while ((key = cli_next_option(cli, argc, argv)) != CLI_END) {
        if (key == KEY_SECTIONS)
            h.sections = true;
        else if (key == 'c')
            h.list = cli->arg;
        else
            return cli->status;
    }
    return hash_inputs(&h);
}
