/* SPDX-License-Identifier: MIT */
/* extract.c - `perfdata extract`: parts of a recording as they are stored. */
#define _GNU_SOURCE /* tdestroy() */
#include "hits.h"
#include "src/support/text_scan.h"
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <perfdata/constants.h>
#include <perfdata/session/metadata.h>
#include <string.h>

enum { KEY_AUXTRACE = CLI_LONG, KEY_TRACING_DATA, KEY_FEATURE, KEY_BUILD_IDS, KEY_WITH_HITS };

static const struct cli_option options[] = {
    {"auxtrace", KEY_AUXTRACE, "[=CPU]",
     "the AUX data, of all buffers in the order of the file, or with =CPU of that cpu alone"},
    {"tracing-data", KEY_TRACING_DATA, NULL, "the formats of tracepoints, as trace-cmd and perf store them"},
    {"feature", KEY_FEATURE, "NAME",
     "the section of a feature, by its name (hostname, cmdline, …) or number"},
    {"build-ids", KEY_BUILD_IDS, NULL,
     "a line for each file with a build id, those of MMAP2 records too: the id and the file's name"},
    {"with-hits", KEY_WITH_HITS, NULL, "with --build-ids: only files that samples are in"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "--auxtrace[=CPU]|--tracing-data|--feature NAME|--build-ids [-o FILE] [FILE]",
    .about = "Writes one part of a recording as it is stored, wherever that is: a section of a file, or "
             "records of a\n"
             "stream. Exit status 1: the recording has no such part.\n",
    .options = options,
    .common = CLI_IN | CLI_OUT,
    .examples =
        "  perfdata extract --build-ids x.data                     like perf buildid-list\n"
        "  perfdata extract --build-ids --with-hits x.data         only of files that samples are in\n"
        "  perfdata extract --feature cmdline x.data | xxd\n"
        "  perfdata extract --tracing-data -o formats.dat x.data\n"
        "  perfdata extract --auxtrace=0 -o pt.bin x.data          Intel PT packets of cpu 0\n",
};

struct extract {
    struct cli *cli;
    struct cli_input in;
    struct cli_output out;
    int what; /* one of the keys; 0: none yet */
    uint32_t feature;
    uint64_t cpu; /* UINT64_MAX: all */
    bool found, with_hits;
    struct hits hits;
    void *listed; /* tree of lines: build ids of the section, of records, or of both */
};

static bool write_bytes(struct extract *x, const void *bytes, size_t n)
{
    return n == 0 || x->out.sink.write(x->out.sink.user, bytes, n) == 0;
}

/* ---- AUX data */

static bool put_payload(struct extract *x)
{
    struct pd_error error;
    const uint8_t *bytes;
    size_t n;
    do {
        if (pd_reader_payload(x->in.reader, &bytes, &n, &error)) {
            cli_input_error(&x->in, &error);
            return true; /* what is there has been written */
        }
    } while (write_bytes(x, bytes, n) && n);
    return n == 0;
}

static void extract_auxtrace(struct extract *x)
{
    struct pd_record rec = {0};
    while (cli_next_record(&x->in, &rec)) {
        if (rec.type != PD_RECORD_AUXTRACE || !cli_decode(&x->in, &rec))
            continue;
        if (x->cpu != UINT64_MAX && rec.u.auxtrace.cpu != x->cpu)
            continue;
        x->found = true;
        if (!put_payload(x))
            return;
    }
}

/* ---- Features */

/* Streams have it among their records, files in a section; a file may have both. */
static void read_metadata(struct extract *x, struct pd_metadata *m)
{
    struct pd_record rec = {0};
    struct pd_error error;
    const bool in_section =
        x->what == KEY_FEATURE && pd_reader_find_feature(x->in.reader, (uint16_t)x->feature);
    while (!in_section && cli_next_record(&x->in, &rec))
        if (pd_metadata_add(m, x->in.reader, &rec, &error)) {
            cli_input_error(&x->in, &error);
            return;
        }
    if (pd_metadata_finish(m, x->in.reader, &error))
        cli_input_error(&x->in, &error);
}

/* A stream pads the blob to 8 bytes. */
static size_t without_padding(const struct pd_feature *f)
{
    if (!f->layout || f->id != PD_FEAT_TRACING_DATA || f->rest.n > 7)
        return f->raw.n;
    for (size_t i = 0; i < f->rest.n; i++)
        if (f->rest.ptr[i])
            return f->raw.n;
    return f->raw.n - f->rest.n;
}

static void extract_feature(struct extract *x, struct pd_metadata *m)
{
    const struct pd_feature *f = pd_metadata_feature(m, x->feature);
    x->found = f != NULL;
    if (f)
        write_bytes(x, f->raw.ptr, without_padding(f));
}

struct line {
    size_t n;
    const char *text;
    char own[];
};

static int compare_lines(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    const int diff = memcmp(x->text, y->text, x->n < y->n ? x->n : y->n);
    return diff ? diff : (x->n > y->n) - (x->n < y->n);
}

/* Repeated lines are not written. */
static bool put_once(struct extract *x, const char *hex, size_t n_hex, const struct pd_str *name)
{
    const size_t most = n_hex + 4 * name->len + 2;
    struct line *l = cli_malloc(sizeof *l + most);
    struct line **node = NULL;
    if (l) {
        struct pd_out out = {.buf = l->own, .cap = most};
        pd_out_bytes(&out, hex, n_hex);
        pd_out_str(&out, " ");
        pd_out_visible(&out, name->ptr, name->len);
        pd_out_str(&out, "\n");
        *l = (struct line){out.n, l->own};
        node = tsearch(l, &x->listed, compare_lines);
    }
    if (node == NULL)
        cli_fail(x->cli, CLI_OUTPUT, "no memory");
    if (node && *node == l)
        return write_bytes(x, l->text, l->n);
    free(l);
    return node != NULL;
}

static void put_build_id(void *user, const struct pd_build_id *b, const uint8_t *id, size_t n)
{
    struct extract *x = user;
    if (x->with_hits && !hits_file(&x->hits, b))
        return;
    if (!(b->misc & PD_MISC_BUILD_ID_SIZE))
        n = sizeof b->build_id; /* as in perf, where a missing value means all */
    char hex[2 * sizeof b->build_id];
    pi_put_hex_bytes(hex, id, n);
    x->found = true;
    put_once(x, hex, 2 * n, &b->filename);
}

static void extract_metadata(struct extract *x)
{
    const struct pd_metadata_options how = {.size = sizeof how, .allocator = &cli_allocator};
    struct pd_metadata *m;
    struct pd_error error;
    if (pd_metadata_open(&m, x->in.reader, &how, &error)) {
        cli_input_error(&x->in, &error);
        return;
    }
    read_metadata(x, m);
    if (x->what == KEY_BUILD_IDS)
        pd_metadata_each_build_id(m, put_build_id, x), tdestroy(x->listed, free);
    else
        extract_feature(x, m);
    for (size_t i = 0; i < pd_metadata_n_findings(m); i++)
        cli_input_error(&x->in, pd_metadata_finding(m, i));
    pd_metadata_close(m);
}

/* ---- The verb */

static bool take_option(struct extract *x, int key)
{
    struct cli *cli = x->cli;
    if (key < CLI_LONG)
        return false;
    if (key == KEY_WITH_HITS) {
        x->with_hits = true;
        return true;
    }
    if (x->what && x->what != key) {
        cli_fail(cli, CLI_USAGE, "one part at a time, please");
        return false;
    }
    x->what = key;
    if (key == KEY_AUXTRACE && cli->arg && *cli->arg && !cli_number(cli->arg, &x->cpu)) {
        cli_fail(cli, CLI_USAGE, "--auxtrace: \"%s\" is no cpu", cli->arg);
        return false;
    }
    if (key == KEY_TRACING_DATA)
        x->feature = PD_FEAT_TRACING_DATA;
    if (key == KEY_FEATURE && !pd_feature_parse(cli->arg, &x->feature))
        return CLI_NOT_IN_SET(cli, "--feature", cli->arg, strlen(cli->arg), &pd_set_feature);
    return true;
}

static const char *name_of(const struct extract *x, char *buf, size_t cap)
{
    switch (x->what) {
    case KEY_AUXTRACE: return "AUX data";
    case KEY_BUILD_IDS: return x->with_hits ? "build ids of files that samples are in" : "build ids";
    default:
        snprintf(buf, cap, "feature %s",
                 pd_feature_name(x->feature) ? pd_feature_name(x->feature) : "of this number");
        return buf;
    }
}

/* Then the records are read again. Samples of AUX area traces are not there yet, so perf takes all files. */
static bool find_files(struct extract *x)
{
    struct pd_error error;
    if (pd_reader_find_feature(x->in.reader, PD_FEAT_AUXTRACE)) {
        cli_say(x->cli, "%s: has AUX area traces, whose samples may be in any file", x->in.name);
        x->with_hits = false;
        return true;
    }
    if (!cli_learn_stream(&x->in) || !find_hits(&x->in, &x->hits))
        return false;
    if (!pd_reader_rewind(x->in.reader, &error))
        return true;
    cli_input_error(&x->in, &error);
    return false;
}

static int extract_input(struct extract *x)
{
    struct cli *cli = x->cli;
    char name[64];
    if (!cli_input_open(cli, &x->in, cli->inputs[0], x->with_hits ? CLI_SEEK : 0))
        return cli->status;
    if (cli_output_open(cli, &x->out, &x->in, 1, x->what == KEY_BUILD_IDS ? CLI_TEXT : 0)) {
        if (x->what == KEY_AUXTRACE)
            extract_auxtrace(x);
        else if (!x->with_hits || find_files(x))
            extract_metadata(x);
        cli_progress_end(cli);
        if (x->found)
            cli_output_commit(&x->out);
        else
            cli_fail(cli, CLI_FINDINGS, "%s: has no %s", x->in.name, name_of(x, name, sizeof name));
        cli_output_discard(&x->out);
    }
    free_hits(&x->hits);
    cli_input_close(&x->in);
    return cli->status;
}

int cmd_extract(struct cli *cli, int argc, char **argv)
{
    struct extract x = {.cli = cli, .cpu = UINT64_MAX};
    int key;
    cli->spec = &spec;
    while ((key = cli_next_option(cli, argc, argv)) != CLI_END)
        if (!take_option(&x, key))
            return cli->status;
    if (x.what == 0)
        return cli_fail(cli, CLI_USAGE, "which part? --auxtrace, --tracing-data, --feature or --build-ids");
    if (x.with_hits && x.what != KEY_BUILD_IDS)
        return cli_fail(cli, CLI_USAGE, "--with-hits goes with --build-ids");
    if (cli->output == NULL)
        cli->output = "-";
    return extract_input(&x);
}
