/* SPDX-License-Identifier: MIT */
/*
 * edit.c - `perfdata edit`: changes a recording without selecting: features, fields of samples, times, names
 * of tasks.
 */
#include "cli/lib/conversion.h"
#include "src/codec/transport.h"
#include <errno.h>
#include <inttypes.h>
#include <perfdata/constants.h>
#include <perfdata/feature.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { KEY_SET = CLI_LONG, KEY_DROP, KEY_STRIP, KEY_MAX_STACK, KEY_SHIFT, KEY_RENAME };

/* clang-format off */
static const struct cli_option options[] = {
    {"set-feature", KEY_SET, "NAME=VALUE", "give a feature this content, or =@FILE: the bytes of its "
                                           "section; repeatable"},
    {"drop-feature", KEY_DROP, "NAME", "leave a feature out; repeatable"},
    {"strip", KEY_STRIP, "FIELDS", "samples lose these fields, separated by commas"},
    {"max-stack", KEY_MAX_STACK, "N", "call chains keep their innermost N entries"},
    {"time-shift", KEY_SHIFT, "SECONDS", "all times move by this, +1.5 or -0.000001; up to nine decimals"},
    {"rename-comm", KEY_RENAME, "A=B", "tasks of the name A are called B; repeatable"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... -o OUTPUT [FILE]",
    .about = "Writes a recording again with some of what it says changed. All else that it says stays; its "
             "parts are\n"
             "laid out anew, in the input's container. To standard output it is a pipe stream.\n"
             "\n"
             "Features that are set by text:\n"
             "  hostname, osrelease, version, arch, cpudesc, cpuid   =TEXT\n"
             "  cmdline                                              =WORDS, split at blanks, \"...\" and "
             "'...' hold\n"
             "                                                       together\n"
             "  nrcpus                                               =AVAILABLE[,ONLINE]\n"
             "  total_mem                                            =KB, or with K, M, G or T behind it\n"
             "  sample_time                                          =FIRST,LAST in nanoseconds, or in "
             "seconds with a\n"
             "                                                       decimal point\n"
             "  clockid                                              =NANOSECONDS of resolution\n"
             "  e_machine                                            =NUMBER[,FLAGS]\n"
             "  cln_size, dir_format                                 =NUMBER\n"
             "  branch_stack, stat                                   without a value: they are empty\n"
             "All others, and these too, =@FILE: as perfdata extract --feature writes it.\n"
             "\n"
             "Fields that samples can lose: addr, read, callchain, period, raw, branch (or branch_stack), "
             "regs (both of\n"
             "regs_user and regs_intr), stack (stack_user), weight (and weight_struct), data_src, "
             "transaction, phys_addr,\n"
             "cgroup, data_page_size, code_page_size, aux. With aux go AUX data and all records about it.\n",
    .options = options,
    .common = CLI_IN | CLI_OUT,
    .examples = "  perfdata edit --set-feature hostname=build7 --drop-feature cmdline -o y.data x.data\n"
                "  perfdata edit --set-feature total_mem=8G -o - x.data | perf report -i -\n"
                "  perfdata edit --strip stack,regs --max-stack 32 -o small.data x.data\n"
                "  perfdata edit --time-shift 3600 --rename-comm java=server -o y.data x.data\n"
                "  perfdata edit --set-feature cpu_topology=@t.bin -o y.data x.data\n",
};
/* clang-format on */

/* An option of the command line, and the bytes of the section that it makes. */
struct item {
    uint32_t feature;
    bool drop;
    const char *value; /* NULL: none was given */
    uint8_t *bytes;
    size_t n;
};

struct edit {
    struct cli *cli;
    struct cli_conversion c;
    struct item *items;
    struct pd_feature_change *changes;
    size_t n_items;
    struct pd_edit_options edit;
    struct pd_name_change *renames;
};

/* ---- Options */

static const char *name_of(uint32_t feature, char number[16])
{
    const char *name = pd_feature_name(feature);
    snprintf(number, 16, "%" PRIu32, feature);
    return name ? name : number;
}

/* Prints why a value is refused; returns false. */
static bool wrong_value(struct edit *e, const struct item *item, const char *why)
{
    char number[16];
    cli_fail(e->cli, CLI_USAGE, "--set-feature %s=%s: %s", name_of(item->feature, number),
             item->value ? item->value : "", why);
    return false;
}

static bool cannot_read(struct edit *e, const struct item *item, int error)
{
    char number[16];
    cli_fail(e->cli, cli_open_status(error), "--set-feature %s=%s: %s", name_of(item->feature, number),
             item->value, strerror(error));
    return false;
}

static bool no_memory(struct edit *e)
{
    cli_fail(e->cli, CLI_OUTPUT, "%s", strerror(ENOMEM));
    return false;
}

static bool take_feature(struct edit *e, const char *option, const char *text, size_t n, uint32_t *feature)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), text);
    if (n && n < sizeof name && pd_feature_parse(name, feature))
        return true;
    return CLI_NOT_IN_SET(e->cli, option, text, n, &pd_set_feature);
}

static bool wrong(struct edit *e, const char *option, const char *what)
{
    cli_fail(e->cli, CLI_USAGE, "%s: \"%s\": %s", option, e->cli->arg, what);
    return false;
}

/* Fields of samples as perf calls them; the others have the names of the schema. */
static const struct {
    const char *name;
    uint64_t fields;
} short_names[] = {
    {"branch", PD_SAMPLE_BRANCH_STACK},
    {"regs", PD_SAMPLE_REGS_USER | PD_SAMPLE_REGS_INTR},
    {"stack", PD_SAMPLE_STACK_USER},
    {"weight", PD_SAMPLE_WEIGHT | PD_SAMPLE_WEIGHT_STRUCT},
};
#define SHORT_NAMES (sizeof short_names / sizeof *short_names)

static uint64_t fields_of(const char *name, size_t n)
{
    for (size_t i = 0; i < SHORT_NAMES; i++)
        if (strlen(short_names[i].name) == n && strncmp(short_names[i].name, name, n) == 0)
            return short_names[i].fields;
    for (size_t i = 0; i < pd_set_sample_type.n; i++)
        if (strlen(pd_set_sample_type.names[i].name) == n &&
            strncasecmp(pd_set_sample_type.names[i].name, name, n) == 0)
            return pd_set_sample_type.names[i].value & PD_EDIT_STRIPPABLE;
    return 0;
}

/* Prints which fields there are; false. */
static bool no_field(struct edit *e, const char *name, size_t n)
{
    const char *all[SHORT_NAMES + 64];
    size_t count = 0;
    for (size_t i = 0; i < SHORT_NAMES; i++)
        all[count++] = short_names[i].name;
    for (size_t i = 0; i < pd_set_sample_type.n && count < sizeof all / sizeof *all; i++)
        if (pd_set_sample_type.names[i].value & PD_EDIT_STRIPPABLE)
            all[count++] = pd_set_sample_type.names[i].name;
    return cli_no_word(e->cli, "--strip", name, n, all, count, sizeof *all);
}

static bool take_strip(struct edit *e)
{
    for (const char *p = e->cli->arg;; p++) {
        const size_t n = strcspn(p, ",");
        const uint64_t fields = fields_of(p, n);
        if (fields == 0)
            return no_field(e, p, n);
        e->edit.strip |= fields;
        p += n;
        if (*p == 0)
            return true;
    }
}

static bool take_max_stack(struct edit *e)
{
    uint64_t n;
    if (!cli_number(e->cli->arg, &n) || n < 1 || n > 65535)
        return wrong(e, "--max-stack", "a number from 1 to 65535 is needed; --strip callchain takes all");
    e->edit.max_stack = (uint32_t)n;
    return true;
}

static bool take_shift(struct edit *e)
{
    const char *text = e->cli->arg;
    const bool minus = *text == '-';
    uint64_t time;
    text += *text == '-' || *text == '+';
    if (*text == '.' || !cli_time(text, &time) || time > INT64_MAX)
        return wrong(e, "--time-shift", "a time is needed, as +1.5, -3600 or +200ms");
    e->edit.time_shift = minus ? -(int64_t)time : (int64_t)time;
    return true;
}

static bool take_rename(struct edit *e)
{
    char *from = cli_strdup(e->cli->arg);
    char *equals = from ? strchr(from, '=') : NULL;
    struct pd_name_change *more = cli_realloc(e->renames, (e->edit.n_renames + 1) * sizeof *more);
    if (more)
        e->edit.renames = e->renames = more;
    if (from == NULL || more == NULL || equals == NULL || equals == from) {
        const bool memory = from == NULL || more == NULL;
        free(from);
        return memory ? no_memory(e) : wrong(e, "--rename-comm", "OLD=NEW is needed");
    }
    *equals = 0;
    e->renames[e->edit.n_renames++] = (struct pd_name_change){from, equals + 1};
    return strlen(equals + 1) <= 15 ? true
                                    : wrong(e, "--rename-comm", "names of tasks have 15 bytes at most");
}

static bool take_option(struct edit *e, int key)
{
    const char *text = e->cli->arg;
    struct item item = {.drop = key == KEY_DROP};
    switch (key) {
    case KEY_STRIP: return take_strip(e);
    case KEY_MAX_STACK: return take_max_stack(e);
    case KEY_SHIFT: return take_shift(e);
    case KEY_RENAME: return take_rename(e);
    case KEY_SET:
    case KEY_DROP: break;
    default: return false;
    }
    const char *equals = item.drop ? NULL : strchr(text, '=');
    item.value = equals ? equals + 1 : NULL;
    if (!take_feature(e, item.drop ? "--drop-feature" : "--set-feature", text,
                      equals ? (size_t)(equals - text) : strlen(text), &item.feature))
        return false;
    struct item *more = cli_realloc(e->items, (e->n_items + 1) * sizeof *more);
    if (more == NULL)
        return no_memory(e);
    e->items = more;
    e->items[e->n_items++] = item;
    return true;
}

/* ---- Values as text: each fills f->u, or says what it wants */

static const char *number32(const char *text, uint32_t *value)
{
    uint64_t n;
    if (!cli_number(text, &n) || n > UINT32_MAX)
        return "a number is needed";
    *value = (uint32_t)n;
    return NULL;
}

/* "A" or "A,B", of which the second is then left as it is. */
static const char *numbers32(const char *text, uint32_t *first, uint32_t *second)
{
    const char *comma = strchr(text, ',');
    char head[32];
    if (comma == NULL)
        return number32(text, first);
    const size_t n = (size_t)(comma - text);
    if (n >= sizeof head)
        return "numbers are needed";
    memcpy(head, text, n);
    head[n] = 0;
    const char *why = number32(head, first);
    return why ? why : number32(comma + 1, second);
}

static const char *cpus(const char *text, struct pd_feature *f)
{
    struct pd_feature_nrcpus *u = &f->u.nrcpus;
    u->nr_cpus_online = UINT32_MAX;
    if (numbers32(text, &u->nr_cpus_avail, &u->nr_cpus_online))
        return "AVAILABLE,ONLINE is needed, or one number for both";
    if (u->nr_cpus_online == UINT32_MAX)
        u->nr_cpus_online = u->nr_cpus_avail;
    return u->nr_cpus_online <= u->nr_cpus_avail ? NULL : "more cpus are on than there are";
}

static const char *kilobytes(const char *text, struct pd_feature *f)
{
    static const char units[] = "KMGT";
    static const char why[] = "a number of kB is needed, or one with K, M, G or T behind it";
    char digits[32];
    const size_t n = strlen(text);
    const char *unit = n ? strchr(units, text[n - 1]) : NULL;
    uint64_t value;
    if (n == 0 || n >= sizeof digits)
        return why;
    memcpy(digits, text, n + 1);
    if (unit)
        digits[n - 1] = 0;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units) : 0;
    if (!cli_number(digits, &value) || value > UINT64_MAX >> shift)
        return why;
    f->u.total_mem.total_mem = value << shift;
    return NULL;
}

/* n characters: nanoseconds, or a time with a point or a unit. */
static bool take_time(const char *text, size_t n, uint64_t *time)
{
    char digits[48];
    if (n == 0 || n >= sizeof digits || *text == '.')
        return false;
    memcpy(digits, text, n);
    digits[n] = 0;
    return cli_number(digits, time) || cli_time(digits, time);
}

static const char *times(const char *text, struct pd_feature *f)
{
    struct pd_feature_sample_time *u = &f->u.sample_time;
    const char *comma = strchr(text, ',');
    if (comma == NULL || !take_time(text, (size_t)(comma - text), &u->first) ||
        !take_time(comma + 1, strlen(comma + 1), &u->last))
        return "FIRST,LAST is needed, in nanoseconds, or with a decimal point or unit";
    return u->first <= u->last ? NULL : "the last time is before the first";
}

static const char *number64(const char *text, uint64_t *value)
{
    return cli_number(text, value) ? NULL : "a number is needed";
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* The next word of *s, put together at its own begin. False: a quote is not closed. */
static bool take_word(char **s, struct pd_string *word)
{
    char *from = *s, *to = *s, quote = 0;
    word->text = (struct pd_str){from, 0, PD_AUTO};
    for (; *from && (quote || !is_blank(*from)); from++)
        if (quote ? *from == quote : *from == '"' || *from == '\'')
            quote = quote ? 0 : *from;
        else
            *to++ = *from;
    word->text.len = (size_t)(to - word->text.ptr);
    *s = from;
    return quote == 0;
}

/* `buf` is a copy of the text, behind which there is room for a word for each two characters. */
static const char *words(char *buf, struct pd_string *list, struct pd_feature *f)
{
    uint32_t n = 0;
    for (;;) {
        while (is_blank(*buf))
            buf++;
        if (*buf == 0)
            break;
        if (!take_word(&buf, &list[n++]))
            return "a quote is not closed";
    }
    f->u.cmdline.nr = n;
    f->u.cmdline.args = PD_LIST(list, n);
    return NULL;
}

static const char *empty_value(const char *text)
{
    return *text ? "this feature is always empty: it is set without a value" : NULL;
}

static const char *by_text(const char *text, struct pd_feature *f, char *buf, struct pd_string *list)
{
    switch (f->id) {
    case PD_FEAT_HOSTNAME: return f->u.hostname.text = PD_STR(text), NULL;
    case PD_FEAT_OSRELEASE: return f->u.osrelease.text = PD_STR(text), NULL;
    case PD_FEAT_VERSION: return f->u.version.text = PD_STR(text), NULL;
    case PD_FEAT_ARCH: return f->u.arch.text = PD_STR(text), NULL;
    case PD_FEAT_CPUDESC: return f->u.cpudesc.text = PD_STR(text), NULL;
    case PD_FEAT_CPUID: return f->u.cpuid.text = PD_STR(text), NULL;
    case PD_FEAT_NRCPUS: return cpus(text, f);
    case PD_FEAT_TOTAL_MEM: return kilobytes(text, f);
    case PD_FEAT_CMDLINE: return words(buf, list, f);
    case PD_FEAT_BRANCH_STACK:
    case PD_FEAT_STAT: return empty_value(text);
    case PD_FEAT_SAMPLE_TIME: return times(text, f);
    case PD_FEAT_CLOCKID: return number64(text, &f->u.clockid.resolution);
    case PD_FEAT_DIR_FORMAT: return number64(text, &f->u.dir_format.version);
    case PD_FEAT_E_MACHINE: return numbers32(text, &f->u.e_machine.e_machine, &f->u.e_machine.e_flags);
    case PD_FEAT_CLN_SIZE: return number32(text, &f->u.cln_size.cln_size);
    default: return "this feature cannot be set by text; =@FILE takes the bytes of its section";
    }
}

static bool encode(struct edit *e, struct item *item, const struct pd_feature *f)
{
    const enum pd_order order = pd_reader_info(e->c.in.reader)->order;
    struct pd_error error;
    char text[256];
    enum pd_code code = pd_feature_encode(order, f, NULL, 0, &item->n, &error);
    if (code == PD_OK || code == PD_ESPACE) {
        if ((item->bytes = cli_malloc(item->n + 1)) == NULL)
            return no_memory(e);
        code = pd_feature_encode(order, f, item->bytes, item->n, &item->n, &error);
    }
    if (code == PD_OK)
        return true;
    pd_error_text(&error, text, sizeof text);
    return wrong_value(e, item, text);
}

static bool from_text(struct edit *e, struct item *item)
{
    struct pd_feature f = {.id = item->feature};
    const size_t n = item->value ? strlen(item->value) : 0;
    if (item->value == NULL && !pi_may_be_empty(item->feature))
        return wrong_value(e, item, "a value is needed: NAME=VALUE, or NAME=@FILE");
    char *buf = cli_malloc(n + 1);
    struct pd_string *list = cli_calloc(n / 2 + 1, sizeof *list);
    bool ok = buf && list;
    if (ok) {
        memcpy(buf, item->value ? item->value : "", n + 1);
        const char *why = by_text(item->value ? item->value : "", &f, buf, list);
        ok = why ? wrong_value(e, item, why) : encode(e, item, &f);
    } else {
        no_memory(e);
    }
    free(buf);
    free(list);
    return ok;
}

/* ---- Values from files */

static bool read_all(struct edit *e, struct item *item, FILE *file)
{
    size_t cap = 0, got = 1;
    while (got) {
        if (item->n == cap) {
            cap = cap ? cap * 2 : 65536;
            uint8_t *more = cli_realloc(item->bytes, cap);
            if (more == NULL)
                return no_memory(e);
            item->bytes = more;
        }
        got = fread(item->bytes + item->n, 1, cap - item->n, file);
        item->n += got;
        if (item->n > PI_LIMIT_EDIT_FEATURE) {
            char why[64];
            snprintf(why, sizeof why, "the file has more than %d MiB", PI_LIMIT_EDIT_FEATURE >> 20);
            return wrong_value(e, item, why);
        }
    }
    return ferror(file) ? cannot_read(e, item, errno) : true;
}

static bool from_file(struct edit *e, struct item *item)
{
    FILE *file = cli_open_named(e->cli, item->value + 1);
    if (file == NULL)
        return cannot_read(e, item, errno);
    const bool ok = read_all(e, item, file);
    fclose(file);
    return ok;
}

/* The number of cpus in the output, which the layout of CPU_TOPOLOGY depends on; 0: unknown. */
static uint32_t cpus_available(const struct edit *e)
{
    const enum pd_order order = pd_reader_info(e->c.in.reader)->order;
    const struct pd_feature *said = e->c.in.meta ? pd_metadata_feature(e->c.in.meta, PD_FEAT_NRCPUS) : NULL;
    uint64_t n = said && said->layout ? said->u.nrcpus.nr_cpus_avail : 0;
    struct pd_feature f;
    for (size_t i = 0; i < e->n_items; i++) {
        const struct item *item = &e->items[i];
        if (item->feature != PD_FEAT_NRCPUS)
            continue;
        const bool known =
            !item->drop &&
            pd_feature_decode(order, PD_FEAT_NRCPUS, 0, item->bytes, item->n, &f, NULL) == PD_OK && f.layout;
        n = known ? f.u.nrcpus.nr_cpus_avail : 0;
    }
    return (uint32_t)n;
}

/* Bytes from a file must be such a section; an unknown feature can have any bytes. */
static bool check_bytes(struct edit *e, const struct item *item, uint32_t cpus)
{
    struct pd_feature f;
    struct pd_error error;
    char text[256];
    if (pd_feature_decode(pd_reader_info(e->c.in.reader)->order, item->feature, cpus, item->bytes, item->n,
                          &f, &error) == PD_OK)
        return true;
    pd_error_text(&error, text, sizeof text);
    return wrong_value(e, item, text);
}

static const struct item *item_of(const struct edit *e, uint32_t feature)
{
    const struct item *found = NULL;
    for (size_t i = 0; i < e->n_items; i++)
        if (e->items[i].feature == feature)
            found = &e->items[i];
    return found;
}

/*
 * The layout of CPU_TOPOLOGY depends on the number of cpus: both must go together, or perf refuses the file.
 */
static bool check_topology(struct edit *e, uint32_t cpus)
{
    const struct item *topology = item_of(e, PD_FEAT_CPU_TOPOLOGY);
    const struct pd_feature *said =
        e->c.in.meta ? pd_metadata_feature(e->c.in.meta, PD_FEAT_CPU_TOPOLOGY) : NULL;
    struct pd_feature f;
    if (!item_of(e, PD_FEAT_NRCPUS) || (topology ? topology->drop : !said))
        return true;
    const struct pd_bytes raw = topology ? (struct pd_bytes){topology->bytes, topology->n} : said->raw;
    if (cpus &&
        pd_feature_decode(pd_reader_info(e->c.in.reader)->order, PD_FEAT_CPU_TOPOLOGY, cpus, raw.ptr, raw.n,
                          &f, NULL) == PD_OK &&
        f.rest.n == 0)
        return true;
    cli_fail(e->cli, CLI_USAGE,
             "%s: cpu_topology is for another number of cpus than nrcpus would say; drop or set it too",
             e->c.in.name);
    return false;
}

/* perf believes a file that says it is a directory. */
static bool check_dir_format(struct edit *e)
{
    const struct item *item = item_of(e, PD_FEAT_DIR_FORMAT);
    if (!item || item->drop || pd_reader_info(e->c.in.reader)->container != PD_CONTAINER_FILE)
        return true;
    cli_fail(e->cli, CLI_USAGE, "%s: dir_format can only be set in a directory", e->c.in.name);
    return false;
}

static bool make_changes(struct edit *e)
{
    if ((e->changes = cli_calloc(e->n_items + 1, sizeof *e->changes)) == NULL)
        return no_memory(e);
    for (size_t i = 0; i < e->n_items; i++) {
        struct item *item = &e->items[i];
        if (!item->drop && !(item->value && *item->value == '@' ? from_file(e, item) : from_text(e, item)))
            return false;
        e->changes[i] = (struct pd_feature_change){item->feature, item->drop, item->bytes, item->n};
    }
    const uint32_t available = cpus_available(e);
    for (size_t i = 0; i < e->n_items; i++)
        if (!e->items[i].drop && !check_bytes(e, &e->items[i], available))
            return false;
    return check_topology(e, available) && check_dir_format(e);
}

/* ---- The verb */

/* A change that cannot be made is PD_EARG. */
static bool tell_error(void *user, const struct pd_error *error)
{
    struct edit *e = user;
    char number[16];
    bool drop = false;
    if (error->code == PD_ETIME) {
        cli_fail(e->cli, CLI_USAGE,
                 "%s: --time-shift moves the time %" PRIu64 " ns (record at offset %" PRIu64 ") out of range",
                 e->c.in.name, error->found, error->offset);
        return true;
    }
    if (error->code == PD_EOPAQUE) {
        char text[512];
        pd_error_text(error, text, sizeof text);
        cli_fail(e->cli, CLI_USAGE, "%s: --strip: %s", e->c.in.name, text);
        return true;
    }
    if (error->code != PD_EARG)
        return false;
    for (size_t i = 0; i < e->n_items; i++)
        if (e->items[i].feature == error->found)
            drop = e->items[i].drop;
    cli_fail(e->cli, CLI_USAGE, "%s: %s %s: %s", e->c.in.name, drop ? "--drop-feature" : "--set-feature",
             name_of((uint32_t)error->found, number), error->field);
    return true;
}

static void edit_input(struct edit *e)
{
    struct cli *cli = e->cli;
    const char *path = cli->inputs[0];
    const struct pd_edit_options *o = &e->edit;
    if (e->n_items == 0 && !o->strip && !o->max_stack && !o->time_shift && !o->n_renames)
        cli_fail(cli, CLI_USAGE, "what is to change? perfdata edit --help lists what can");
    else if (cli->output == NULL)
        cli_fail(cli, CLI_USAGE, "where to? -o FILE, or -o - for standard output");
    else if (cli_input_open(cli, &e->c.in, path, CLI_META)) {
        if (make_changes(e)) {
            e->c.cli = cli;
            e->c.error = tell_error;
            e->c.user = e;
            e->c.options.changes = e->changes;
            e->c.options.n_changes = e->n_items;
            e->c.options.edit = o;
            cli_convert(&e->c);
        }
        cli_input_close(&e->c.in);
    }
}

int cmd_edit(struct cli *cli, int argc, char **argv)
{
    struct edit e = {.cli = cli, .edit.size = sizeof e.edit};
    int key;
    bool ok = true;
    cli->spec = &spec;
    while (ok && (key = cli_next_option(cli, argc, argv)) != CLI_END)
        ok = take_option(&e, key);
    if (ok)
        edit_input(&e);
    for (size_t i = 0; i < e.n_items; i++)
        free(e.items[i].bytes);
    free(e.items);
    free(e.changes);
    for (size_t i = 0; i < e.edit.n_renames; i++) /* from and to are one */
        free((void *)(uintptr_t)e.renames[i].from);
    free(e.renames);
    return cli->status;
}
