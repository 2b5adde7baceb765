/* SPDX-License-Identifier: MIT */
/* cmp.c - `perfdata cmp`: the differences between two recordings, by record and field. */
#include "cmp.h"
#include "src/support/limits.h"
#include <inttypes.h>
#include <perfdata/constants.h>
#include <perfdata/feature.h>
#include <perfdata/ops/difference.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SHOWN ((size_t)64) /* bytes of a value */

enum { KEY_IGNORE = CLI_LONG, KEY_LIMIT };

static const struct cli_option options[] = {
    {"ignore", KEY_IGNORE, "WHAT,…",
     "do not compare: offset (the order of sections, bytes between them, padding), order (of\n"
     "records), container (file, pipe or directory, compression, byte order, sizes of attrs)"},
    {"limit", KEY_LIMIT, "N", "stop after N differences"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "[--ignore WHAT,…] FILE FILE",
    .about =
        "Prints what two recordings say differently: container, attrs, features, build ids, and records "
        "with\n"
        "number, type, offset, field and both values. Records that only one of them has are told as such,\n"
        "and the next ones are compared all the same. Exit status 0: there is no difference; 1: there are.\n",
    .options = options,
    .common = CLI_IN | CLI_JSON | CLI_OPERANDS | CLI_COLOR,
    .examples = "  perfdata cmp a.data b.data                                   all of it\n"
                "  perfdata cmp --ignore container a.data b.data                whatever they are stored in\n"
                "  perfdata cmp --ignore offset,order,container a.data b.data   what they say, in any order\n"
                "  perfdata cmp --json a.data b.data | jq -r .field | sort | uniq -c\n",
};

/* ---- The subject of a difference */

static void put_place(struct cmp *c, const struct pd_difference *what)
{
    struct pd_out *out = &c->cli->out;
    const struct pd_record *a = what->record[0], *b = what->record[1], *rec = a ? a : b;
    const char *type = pd_set_name(&pd_set_record_type, rec->type);
    pd_out_str(out, "record ");
    pd_out_dec(out, rec->index);
    if (a && b && b->index != a->index) {
        pd_out_str(out, " | ");
        pd_out_dec(out, b->index);
    }
    if (type)
        cli_print(c->cli, " %s at ", type);
    else
        cli_print(c->cli, " of type %" PRIu32 " at ", rec->type);
    pd_out_hex(out, rec->offset);
    if (a && b && b->offset != a->offset) {
        pd_out_str(out, " | ");
        pd_out_hex(out, b->offset);
    }
}

static void put_subject(struct cmp *c, const struct pd_difference *what)
{
    struct pd_out *out = &c->cli->out;
    switch (what->kind) {
    case PD_DIFFERENCE_CONTAINER: pd_out_str(out, "container"); break;
    case PD_DIFFERENCE_ATTR: cli_print(c->cli, "attr %" PRIu64, what->number); break;
    case PD_DIFFERENCE_FEATURE:
        pd_out_str(out, "feature ");
        if (pd_feature_name((uint32_t)what->number))
            pd_out_str(out, pd_feature_name((uint32_t)what->number));
        else
            pd_out_dec(out, what->number);
        break;
    case PD_DIFFERENCE_BUILD_ID:
        pd_out_str(out, "build id of ");
        pd_out_plain(out, what->name, strlen(what->name));
        break;
    case PD_DIFFERENCE_RECORD: put_place(c, what); break;
    }
}

/* ---- Values */

static void put_hex(struct pd_out *out, const uint8_t *bytes, size_t n)
{
    pd_out_hex_bytes(out, bytes, n < MOST_SHOWN ? n : MOST_SHOWN);
    if (n > MOST_SHOWN)
        pd_out_str(out, "…");
}

static void put_value(struct cmp *c, const struct pd_field *f)
{
    struct pd_out *out = &c->cli->out;
    if (f == NULL) {
        pd_out_str(out, "none");
        return;
    }
    switch (f->kind) {
    case PD_FIELD_NUMBER: pd_out_value(out, f->set, f->value); break;
    case PD_FIELD_STRING: pd_out_json_text(out, f->u.str->ptr, f->u.str->len); break;
    case PD_FIELD_ARRAY: put_hex(out, f->u.array, f->n); break;
    case PD_FIELD_BYTES:
        cli_print(c->cli, "%zu byte%s ", f->n, f->n == 1 ? "" : "s");
        put_hex(out, f->u.bytes->ptr, f->n);
        break;
    case PD_FIELD_VECTOR:
    case PD_FIELD_LIST: cli_print(c->cli, "%zu element%s", f->n, f->n == 1 ? "" : "s"); break;
    case PD_FIELD_PART: pd_out_str(out, "there"); break;
    }
}

static void put_colored(struct cmp *c, unsigned color, const struct pd_field *f)
{
    cli_color(c->cli, color);
    put_value(c, f);
    cli_color(c->cli, 0);
}

static void put_json_value(struct pd_out *out, const struct pd_field *f)
{
    if (f == NULL) {
        pd_out_str(out, "null");
        return;
    }
    switch (f->kind) {
    case PD_FIELD_NUMBER: pd_out_json_value(out, f->set, f->value, f->width); return;
    case PD_FIELD_STRING: pd_out_json_text(out, f->u.str->ptr, f->u.str->len); return;
    case PD_FIELD_VECTOR:
    case PD_FIELD_LIST:
        pd_out_str(out, "{\"elements\":");
        pd_out_dec(out, f->n);
        pd_out_str(out, "}");
        return;
    case PD_FIELD_PART: pd_out_str(out, "{}"); return;
    default: break;
    }
    pd_out_str(out, "\"");
    pd_out_hex_bytes(out, f->kind == PD_FIELD_ARRAY ? f->u.array : f->u.bytes->ptr, f->n);
    pd_out_str(out, "\"");
}

/* ---- Lines */

/* "SUBJECT: FIELD: VALUE | VALUE", or "SUBJECT: only in FILE". */
static void print_text(struct cmp *c, const struct pd_difference *what)
{
    struct cli *cli = c->cli;
    struct pd_out *out = &cli->out;
    put_subject(c, what);
    pd_out_str(out, ": ");
    if (what->path == NULL) {
        cmp_put_only(c, what->there[0] ? 0 : 1);
    } else {
        cli_color(cli, BOLD);
        pd_out_str(out, what->path);
        cli_color(cli, 0);
        pd_out_str(out, ": ");
        put_colored(c, RED, what->field[0]);
        pd_out_str(out, " | ");
        put_colored(c, GREEN, what->field[1]);
    }
    pd_out_str(out, "\n");
}

static void json_side(struct cmp *c, struct cli_json *j, const char *key, const struct pd_difference *what,
                      int s)
{
    const struct pd_record *rec = what->record[s];
    cli_json_open(j, key, '{');
    if (rec) {
        cli_json_count(j, "record", rec->index);
        cli_json_dec(j, "offset", rec->offset);
    }
    if (what->path) {
        cli_json_key(j, "value");
        put_json_value(&c->cli->out, what->field[s]);
    }
    cli_json_close(j, '}');
}

static void print_json(struct cmp *c, const struct pd_difference *what)
{
    static const char *const kinds[] = {"", "container", "attr", "feature", "build_id", "record"};
    const struct pd_record *rec = what->record[0] ? what->record[0] : what->record[1];
    struct cli_json j = {.out = &c->cli->out};
    cli_json_open(&j, NULL, '{');
    cli_json_str(&j, "kind", kinds[what->kind]);
    if (rec) {
        cli_json_key(&j, "type");
        pd_out_json_value(j.out, &pd_set_record_type, rec->type, 4);
    } else if (what->kind == PD_DIFFERENCE_ATTR) {
        cli_json_count(&j, "attr", what->number);
    } else if (what->kind == PD_DIFFERENCE_FEATURE) {
        cli_json_count(&j, "feature", what->number);
        cli_json_str(&j, "name", pd_feature_name((uint32_t)what->number));
    } else if (what->kind == PD_DIFFERENCE_BUILD_ID) {
        cli_json_key(&j, "file");
        pd_out_json_text(j.out, what->name, strlen(what->name));
    }
    if (what->path)
        cli_json_str(&j, "field", what->path);
    if (what->there[0])
        json_side(c, &j, "a", what, 0);
    if (what->there[1])
        json_side(c, &j, "b", what, 1);
    cli_json_close(&j, '}');
    pd_out_str(j.out, "\n");
}

/* ---- Callbacks of the library */

static bool on_difference(void *user, const struct pd_difference *what)
{
    struct cmp *c = user;
    if (c->cli->json)
        print_json(c, what);
    else
        print_text(c, what);
    return cmp_count(c);
}

static void on_finding(void *user, int side, const struct pd_error *what)
{
    struct cmp *c = user;
    cli_finding(&c->in[side], &c->n_findings, what);
}

static void on_progress(void *user, uint64_t done, uint64_t total)
{
    cli_progress(((struct cmp *)user)->cli, done, total);
}

/* ---- The verb */

static void compare(struct cmp *c)
{
    const struct pd_differences_options o = {.size = sizeof o,
                                             .ignore = c->ignore,
                                             .difference = on_difference,
                                             .finding = on_finding,
                                             .progress = on_progress,
                                             .user = c};
    struct pd_error error;
    uint64_t n;
    const enum pd_code code = pd_differences(c->in[0].reader, c->in[1].reader, &o, &n, &error);
    if (!code && c->n < c->limit)
        cmp_other_files(c);
    cli_progress_end(c->cli);
    for (int s = 0; s < 2; s++)
        cli_tell_findings(&c->in[s]);
    if (c->n_findings > PI_LIMIT_FINDINGS_TOLD)
        cli_say(c->cli, "%zu places could not be read", c->n_findings);
    if (code)
        cli_error(c->cli, c->in[0].name, &error);
    else if (c->n >= c->limit)
        cli_say(c->cli, "stopped after %" PRIu64 " differences; there may be more", c->n);
    else if (c->cli->verbose)
        cli_say(c->cli, "%" PRIu64 " differences", c->n);
}

static bool take_ignore(struct cmp *c, const char *list)
{
    static const struct {
        const char *name;
        unsigned bit;
    } words[] = {
        {"offset", PD_IGNORE_OFFSET}, {"order", PD_IGNORE_ORDER}, {"container", PD_IGNORE_CONTAINER}};
    for (const char *p = list; *p;) {
        const size_t n = strcspn(p, ",");
        const int i = CLI_FIND_WORD(c->cli, "--ignore", p, n, words);
        if (i < 0)
            return false;
        c->ignore |= words[i].bit;
        p += n + (p[n] == ',');
    }
    return true;
}

static bool take_limit(struct cmp *c, const char *text)
{
    if (cli_count(text, &c->limit) && c->limit)
        return true;
    cli_fail(c->cli, CLI_USAGE, "--limit: \"%s\" is no number of differences", text);
    return false;
}

int cmd_cmp(struct cli *cli, int argc, char **argv)
{
    struct cmp *c = cli_calloc(1, sizeof *c);
    int key;
    cli->spec = &spec;
    if (c == NULL)
        return cli_fail(cli, CLI_OUTPUT, "no memory");
    c->cli = cli;
    c->limit = UINT64_MAX;
    while ((key = cli_next_option(cli, argc, argv)) != CLI_END)
        if (key == CLI_STOP || !(key == KEY_IGNORE ? take_ignore(c, cli->arg) : take_limit(c, cli->arg))) {
            free(c);
            return cli->status;
        }
    if (cli->n_inputs != 2)
        cli_fail(cli, CLI_USAGE, "two recordings are compared, here is %zu; see perfdata cmp --help",
                 cli->n_inputs);
    else if (cli_input_open(cli, &c->in[0], cli->inputs[0], 0)) {
        if (cli_input_open(cli, &c->in[1], cli->inputs[1], 0)) {
            compare(c);
            cli_input_close(&c->in[1]);
        }
        cli_input_close(&c->in[0]);
    }
    free(c);
    return cli->status;
}
