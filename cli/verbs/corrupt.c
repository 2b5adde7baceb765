/* SPDX-License-Identifier: MIT */
/*
 * corrupt.c - `perfdata corrupt`: reproducible damage for testing readers. The input is any bytes; only
 * --unknown-record needs a recording. The order of the work: a record is inserted, bytes are set, bytes are
 * changed at random, the end is cut; offsets are those of the output.
 */
#define _GNU_SOURCE
#include "src/support/text_scan.h"
#include "cli/lib/cli.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <perfdata/constants.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK ((size_t)65536)
#define MOST_INSERTED 72 /* bytes of the unknown record, header included */

enum { KEY_TRUNCATE = CLI_LONG, KEY_UNKNOWN, KEY_SET, KEY_SEED };

static const struct cli_option options[] = {
    {NULL, 'E', "PROB", "changes each byte with this probability, 0 to 1, to another value"},
    {"truncate", KEY_TRUNCATE, "N", "keeps the first N bytes; -N: cuts N bytes from the end"},
    {"unknown-record", KEY_UNKNOWN, NULL,
     "inserts a record of a type that nobody knows somewhere among the records; sizes and offsets in a "
     "file's header and "
     "tables follow"},
    {"set", KEY_SET, "OFFSET=HEX", "sets the bytes from an offset on; may be given several times"},
    {"seed", KEY_SEED, "N", "another seed gives other damage; the same one (default 0) the same"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... -o OUTPUT [FILE]",
    .about = "Damages a copy of a recording, or of any file, and prints a line for each thing it did: where, "
             "what was\n"
             "there, what is there now. The lines go to standard output, or to standard error if that is "
             "where the\n"
             "copy goes.\n",
    .options = options,
    .common = CLI_IN | CLI_OUT | CLI_JSON,
    .examples =
        "  perfdata corrupt -E 0.001 --seed 7 -o bad.data x.data    about one byte in a thousand\n"
        "  perfdata corrupt --truncate -100 -o short.data x.data    without its last 100 bytes\n"
        "  perfdata corrupt --set 0x30=0000000000000000 -o y.data x.data   as if perf record had been "
        "killed\n"
        "  perfdata corrupt --unknown-record -o - x.data | reader   does it skip what it does not know?\n",
};

/* Bytes to set at a place of the output. */
struct patch {
    uint64_t at;
    uint8_t *bytes; /* n new ones, then room for the n old ones */
    size_t n, done;
    size_t order; /* as they were given */
    bool set;     /* from --set; else a consequence of an inserted record */
};

struct corrupt {
    struct cli *cli;
    struct cli_input in;
    struct cli_output out;
    /* what is asked for */
    uint64_t threshold; /* of 2^64: a random number below it changes the byte */
    bool all;           /* probability 1 */
    bool any, cut, from_end, unknown;
    uint64_t truncate, seed;
    struct patch *patches;
    size_t n_patches, cap_patches, first_patch; /* patches before first_patch are done */
    /* what is inserted */
    uint8_t inserted[MOST_INSERTED];
    size_t n_inserted;
    uint64_t insert_at, insert_before; /* in the input: offset and record */
    /* on the way */
    uint64_t noise; /* state of the generator for -E */
    uint64_t at;    /* bytes of the output so far */
    uint64_t keep;  /* bytes of the output at most */
    uint64_t read;  /* bytes of the input so far */
    bool failed;
};

/* ---- Reproducible random numbers (the generator known as splitmix64) */

static uint64_t random_next(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A generator for one purpose, so that one option does not change the effect of another. */
static uint64_t random_start(uint64_t seed, uint64_t purpose)
{
    uint64_t state = seed;
    return random_next(&state) ^ purpose * UINT64_C(0xd1342543de82ef95);
}

/* ---- Printing the changes */

static bool to_stderr(struct pd_out *out, size_t want)
{
    (void)want;
    fwrite(out->buf, 1, out->n, stderr);
    out->n = 0;
    return true;
}

static void put_bytes(struct pd_out *to, const char *before, const uint8_t *bytes, size_t n,
                      const char *behind)
{
    pd_out_str(to, before);
    pd_out_hex_bytes(to, bytes, n);
    pd_out_str(to, behind);
}

/*
 * One line: what happened to n bytes at an offset of the output. `old` NULL: there were none; `now` NULL:
 * there are none.
 */
static void report(struct corrupt *c, const char *what, uint64_t at, const uint8_t *old, const uint8_t *now,
                   size_t n, const char *note)
{
    char buf[512];
    struct pd_out err = {.buf = buf, .cap = sizeof buf, .more = to_stderr};
    const bool standard = c->out.fd >= 0 && cli_is_stdout(c->cli->output), json = c->cli->json;
    struct pd_out *to = standard ? &err : &c->cli->out;
    pd_out_str(to, json ? "{\"what\":\"" : "");
    pd_out_str(to, what);
    pd_out_str(to, json ? "\",\"offset\":\"" : " ");
    (json ? pd_out_dec : pd_out_hex)(to, at);
    pd_out_str(to, json ? "\"" : ":");
    if (old)
        put_bytes(to, json ? ",\"old\":\"" : " ", old, n, json ? "\"" : "");
    if (old && now && !json)
        pd_out_str(to, " ->");
    if (now)
        put_bytes(to, json ? ",\"new\":\"" : " ", now, n, json ? "\"" : "");
    if (note) {
        pd_out_str(to, json ? ",\"note\":\"" : old || now ? " (" : " ");
        pd_out_str(to, note);
        pd_out_str(to, json ? "\"" : old || now ? ")" : "");
    }
    pd_out_str(to, json ? "}\n" : "\n");
    if (standard)
        to_stderr(to, 0);
}

/* ---- Patches */

/* Takes n bytes for the output; they are copied. */
static bool add_patch(struct corrupt *c, bool set, uint64_t at, const uint8_t *bytes, size_t n)
{
    if (c->n_patches == c->cap_patches) {
        const size_t cap = c->cap_patches ? 2 * c->cap_patches : 16;
        struct patch *more = cli_reallocarray(c->patches, cap, sizeof *more);
        if (more == NULL)
            return cli_fail(c->cli, CLI_OUTPUT, "no memory"), false;
        c->patches = more;
        c->cap_patches = cap;
    }
    uint8_t *copy = cli_malloc(2 * n);
    if (copy == NULL)
        return cli_fail(c->cli, CLI_OUTPUT, "no memory"), false;
    memcpy(copy, bytes, n);
    c->patches[c->n_patches] =
        (struct patch){.at = at, .bytes = copy, .n = n, .order = c->n_patches, .set = set};
    c->n_patches++;
    return true;
}

/* By place, then as they were given. */
static int compare_patches(const void *a, const void *b)
{
    const struct patch *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Applies a patch to those of the n bytes at c->at that it covers; prints it at its last byte. */
static void apply_patch(struct corrupt *c, struct patch *p, uint8_t *bytes, size_t n)
{
    const uint64_t start = p->at + p->done;
    if (start < c->at || start >= c->at + n)
        return;
    const size_t at = (size_t)(start - c->at), room = n - at, left = p->n - p->done,
                 m = left < room ? left : room;
    memcpy(p->bytes + p->n + p->done, bytes + at, m);
    memcpy(bytes + at, p->bytes + p->done, m);
    p->done += m;
    if (p->done == p->n)
        report(c, p->set ? "set" : "adjusted", p->at, p->bytes + p->n, p->bytes, p->n, NULL);
}

/* Consequences of an inserted record come first, so that --set overrides them. */
static void apply_patches(struct corrupt *c, uint8_t *bytes, size_t n)
{
    for (int set = 0; set < 2; set++)
        for (size_t i = c->first_patch; i < c->n_patches && c->patches[i].at < c->at + n; i++)
            if (c->patches[i].set == set)
                apply_patch(c, &c->patches[i], bytes, n);
    while (c->first_patch < c->n_patches && c->patches[c->first_patch].done == c->patches[c->first_patch].n)
        c->first_patch++;
}

/* ---- The way of the bytes: input, patches, noise, end, output */

static void make_noise(struct corrupt *c, uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (random_next(&c->noise) >= c->threshold && !c->all)
            continue;
        const uint8_t old = bytes[i];
        bytes[i] = (uint8_t)(old ^ (1 + random_next(&c->noise) % 255));
        report(c, "changed", c->at + i, &old, &bytes[i], 1, NULL);
    }
}

/* Damages n bytes and writes them. False: the output is complete. */
static bool emit(struct corrupt *c, uint8_t *bytes, size_t n)
{
    if (n > c->keep - c->at)
        n = (size_t)(c->keep - c->at);
    apply_patches(c, bytes, n);
    if (c->threshold || c->all)
        make_noise(c, bytes, n);
    if (n && c->out.sink.write(c->out.sink.user, bytes, n)) {
        cli_output_commit(&c->out); /* which tells why it cannot */
        c->failed = true;
        return false;
    }
    c->at += n;
    return c->at < c->keep;
}

/* Written bytes become visible when a live input pauses. */
static void flush_on_pause(struct corrupt *c)
{
    struct pollfd ready = {.fd = c->in.fd, .events = POLLIN};
    if (!c->in.seekable && poll(&ready, 1, 0) == 0)
        cli_flush(c->cli);
}

/* Up to n bytes of the input; 0: its end, or an error, which is printed. */
static size_t read_some(struct corrupt *c, uint8_t *bytes, size_t n)
{
    ssize_t got;
    size_t fill = 0;
    flush_on_pause(c);
    do { /* the lines of -E and --set come by piece: those of a file must not depend on how it is read */
        got = c->in.seekable ? pread(c->in.fd, bytes + fill, n - fill, (off_t)(c->read + fill))
                             : read(c->in.fd, bytes, n);
        fill += got > 0 ? (size_t)got : 0;
    } while ((got < 0 && errno == EINTR) || (c->in.seekable && got > 0 && fill < n));
    if (got < 0) {
        cli_fail(c->cli, CLI_OUTPUT, "%s: offset %" PRIu64 ": %s", c->in.name, c->read, strerror(errno));
        c->failed = true;
    } else if (got == 0 && c->in.seekable && n && c->read + fill < (uint64_t)c->in.st.st_size) {
        cli_fail(c->cli, CLI_DAMAGED, "%s: offset %" PRIu64 ": the file was cut while it was read",
                 c->in.name, c->read);
        c->failed = true;
    }
    return got < 0 ? 0 : fill;
}

static bool insert(struct corrupt *c)
{
    uint8_t bytes[MOST_INSERTED];
    char note[64];
    snprintf(note, sizeof note, "before record %" PRIu64, c->insert_before);
    memcpy(bytes, c->inserted, c->n_inserted);
    report(c, "inserted", c->at, NULL, bytes, c->n_inserted, note);
    return emit(c, bytes, c->n_inserted);
}

static void copy(struct corrupt *c)
{
    static uint8_t bytes[CHUNK];
    bool more = c->keep != 0;
    while (more && !c->failed) {
        if (c->n_inserted && c->read == c->insert_at && !insert(c))
            break;
        const uint64_t left = c->n_inserted && c->read < c->insert_at ? c->insert_at - c->read : CHUNK;
        const size_t n = read_some(c, bytes, left < CHUNK ? (size_t)left : CHUNK);
        if (n == 0)
            break;
        if (c->n_inserted && c->read == c->insert_at)
            c->n_inserted = 0; /* it is in front of these */
        c->read += n;
        more = emit(c, bytes, n);
        cli_progress(c->cli, c->read, c->in.seekable ? (uint64_t)c->in.st.st_size : PD_NOWHERE);
    }
}

/* ---- An unknown record */

static void store(uint8_t *to, uint64_t value, unsigned width, enum pd_order order)
{
    for (unsigned i = 0; i < width; i++)
        to[order == PD_BIG ? width - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static uint64_t load(const uint8_t *from, unsigned width, enum pd_order order)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)from[order == PD_BIG ? width - 1 - i : i] << 8 * i;
    return value;
}

/* Of a type between those of perf and those of simpleperf, with up to 64 bytes of anything. */
static void make_record(struct corrupt *c, uint64_t *state, enum pd_order order)
{
    const uint64_t words = random_next(state) % 9;
    c->n_inserted = 8 + 8 * (size_t)words;
    store(c->inserted, 200 + random_next(state) % 32000, 4, order);
    store(c->inserted + 4, 0, 2, order);
    store(c->inserted + 6, c->n_inserted, 2, order);
    for (size_t i = 8; i < c->n_inserted; i += 8)
        store(c->inserted + i, random_next(state), 8, order);
}

/*
 * A place between two records, before the first or behind the last, all with equal probability; not inside a
 * COMPRESSED one.
 */
static bool choose_place(struct corrupt *c, uint64_t *state)
{
    struct pd_record rec = {0};
    struct pd_error error;
    uint64_t n = 0, end = pd_reader_info(c->in.reader)->data_offset;
    enum pd_code code;
    while ((code = pd_reader_next(c->in.reader, &rec, &error)) != PD_END) {
        if (code == PD_ENOMEM)
            return cli_error(c->cli, c->in.name, &error), false;
        if (code || rec.depth)
            continue;
        if (random_next(state) % ++n == 0) {
            c->insert_at = rec.offset;
            c->insert_before = rec.index;
        }
        end = rec.offset + rec.size + rec.payload_size;
    }
    if (end <= (uint64_t)c->in.st.st_size && random_next(state) % ++n == 0) {
        c->insert_at = end;
        c->insert_before = pd_reader_info(c->in.reader)->container == PD_CONTAINER_FILE ? rec.index + 1 : n;
    }
    return true;
}

/* The offset in the output of a byte of the input. */
static uint64_t moved(const struct corrupt *c, uint64_t offset)
{
    return offset >= c->insert_at ? offset + c->n_inserted : offset;
}

/* Adds the inserted size to the number of 8 bytes at an offset of the input. */
static bool adjust(struct corrupt *c, uint64_t at, uint64_t value)
{
    uint8_t bytes[8];
    store(bytes, value + c->n_inserted, 8, pd_reader_info(c->in.reader)->order);
    return add_patch(c, false, moved(c, at), bytes, sizeof bytes);
}

/* The same if it is the offset of something that moved. */
static bool adjust_offset(struct corrupt *c, uint64_t at, const struct pd_file_section *s)
{
    return s->size == 0 || s->offset < c->insert_at || adjust(c, at, s->offset);
}

/* The index of AUXTRACE records: pairs of an offset and a size, mostly behind their number. */
static bool adjust_auxtrace(struct corrupt *c, const struct pd_file_section *s)
{
    const enum pd_order order = pd_reader_info(c->in.reader)->order;
    uint8_t bytes[8];
    bool ok = true;
    for (uint64_t at = s->size % 16 ? 8 : 0; ok && at + 16 <= s->size; at += 16) {
        if (pd_reader_read(c->in.reader, s->offset + at, bytes, sizeof bytes, NULL))
            return true;
        const struct pd_file_section record = {load(bytes, 8, order), 1};
        ok = adjust_offset(c, s->offset + at, &record);
    }
    return ok;
}

static bool adjust_features(struct corrupt *c)
{
    const struct pd_file_info *info = pd_reader_info(c->in.reader);
    bool ok = true;
    for (size_t i = 0; ok && i < pd_reader_n_features(c->in.reader); i++) {
        const struct pd_feature_section *f = pd_reader_feature(c->in.reader, i);
        ok = adjust_offset(c, info->data_end + 16 * i, &f->section);
        if (ok && f->feature == PD_FEAT_AUXTRACE && f->intact)
            ok = adjust_auxtrace(c, &f->section);
    }
    return ok;
}

/* Adjusts the offsets in a file, so that nothing but the record is wrong. */
static bool adjust_file(struct corrupt *c)
{
    const struct pd_file_info *info = pd_reader_info(c->in.reader);
    const struct pd_file_header *h = &info->header;
    bool ok = adjust_offset(c, 24, &h->attrs) && adjust_offset(c, 56, &h->event_types);
    if (ok && h->data.size)
        ok = adjust(c, 48, h->data.size);
    for (size_t i = 0; ok && i < pd_reader_n_attrs(c->in.reader); i++) {
        const struct pd_event_attr *e = pd_reader_attr(c->in.reader, i);
        const uint64_t behind = e->ids_early ? e->attr.size : h->attr_size - 16;
        if (!e->in_stream)
            ok = adjust_offset(c, e->offset + behind, &e->ids_section);
    }
    return ok && adjust_features(c);
}

static bool plan_record(struct corrupt *c)
{
    uint64_t state = random_start(c->seed, 2);
    if (!cli_input_open(c->cli, &c->in, c->cli->inputs[0], CLI_SEEK | CLI_NO_FINDINGS))
        return false;
    const struct pd_file_info *info = pd_reader_info(c->in.reader);
    if (info->container == PD_CONTAINER_DIRECTORY)
        return cli_fail(c->cli, CLI_USAGE, "%s is a directory; name one of the files in it", c->in.name),
               false;
    if (!c->in.seekable)
        return cli_fail(c->cli, CLI_USAGE, "%s cannot be read twice", c->in.name), false;
    fstat(c->in.fd, &c->in.st); /* of what is read: the copy of a stream */
    if (info->file_size != PD_NOWHERE && (uint64_t)c->in.st.st_size < info->file_size)
        return cli_fail(c->cli, CLI_DAMAGED, "%s: the file was cut while it was read", c->in.name), false;
    if (!choose_place(c, &state))
        return false;
    make_record(c, &state, info->order);
    return info->container != PD_CONTAINER_FILE || adjust_file(c);
}

/* ---- Opening */

/* The input as bytes. A stream whose end must be known before it can be cut goes into a temporary file. */
static bool open_bytes(struct corrupt *c)
{
    struct stat st;
    if (!cli_input_open_bytes(c->cli, &c->in, c->cli->inputs[0]))
        return false;
    if (S_ISDIR(c->in.st.st_mode))
        return cli_fail(c->cli, CLI_USAGE, "%s is a directory; name one of the files in it", c->in.name),
               false;
    c->in.seekable = S_ISREG(c->in.st.st_mode);
    if (c->in.seekable || !c->from_end)
        return true;
    if (!cli_input_spool(&c->in))
        return false;
    if (fstat(c->in.fd, &st) == 0)
        c->in.st.st_size = st.st_size;
    return true;
}

/* ---- The verb */

static bool wrong(struct corrupt *c, const char *option, const char *why)
{
    cli_fail(c->cli, CLI_USAGE, "%s: \"%s\" %s", option, c->cli->arg, why);
    return false;
}

static bool take_probability(struct corrupt *c)
{
    char *end;
    const double p = strtod(c->cli->arg, &end);
    if (end == c->cli->arg || *end || !(p >= 0 && p <= 1))
        return wrong(c, "-E", "is no probability from 0 to 1");
    c->all = p >= 1;
    c->threshold = c->all ? 0 : (uint64_t)ldexp(p, 64);
    return true;
}

static bool take_truncate(struct corrupt *c)
{
    c->from_end = *c->cli->arg == '-';
    c->cut = true;
    return cli_number(c->cli->arg + c->from_end, &c->truncate) ||
           wrong(c, "--truncate", "is no number of bytes");
}

static bool take_set(struct corrupt *c)
{
    static const char what[] = "is not OFFSET=HEX, with two digits a byte";
    const char *equals = strchr(c->cli->arg, '=');
    const size_t n = equals ? strlen(equals + 1) : 0;
    uint64_t at;
    if (n == 0 || n % 2 || strspn(equals + 1, "0123456789abcdefABCDEF") != n)
        return wrong(c, "--set", what);
    char *offset = cli_strndup(c->cli->arg, (size_t)(equals - c->cli->arg));
    uint8_t *bytes = cli_malloc(n / 2);
    bool ok = offset && bytes;
    if (!ok)
        cli_fail(c->cli, CLI_OUTPUT, "no memory");
    else if (!cli_number(offset, &at) || at > INT64_MAX)
        ok = wrong(c, "--set", what);
    for (size_t i = 0; ok && i < n / 2; i++)
        bytes[i] = (uint8_t)(pi_digit(equals[1 + 2 * i]) * 16 + pi_digit(equals[2 + 2 * i]));
    ok = ok && add_patch(c, true, at, bytes, n / 2);
    free(offset);
    free(bytes);
    return ok;
}

static bool take_option(struct corrupt *c, int key)
{
    if (key != KEY_SEED)
        c->any = true;
    switch (key) {
    case 'E': return take_probability(c);
    case KEY_TRUNCATE: return take_truncate(c);
    case KEY_UNKNOWN: return c->unknown = true;
    case KEY_SET: return take_set(c);
    case KEY_SEED: return cli_number(c->cli->arg, &c->seed) || wrong(c, "--seed", "is no number");
    default: return false;
    }
}

/* How many bytes of the output are kept. */
static void decide_end(struct corrupt *c)
{
    const uint64_t size = (uint64_t)c->in.st.st_size + c->n_inserted;
    c->keep = UINT64_MAX;
    if (c->from_end)
        c->keep = c->truncate < size ? size - c->truncate : 0;
    else if (c->cut)
        c->keep = c->truncate;
}

static void tell_end(struct corrupt *c, uint64_t inserted)
{
    char note[64] = "the rest is cut";
    const uint64_t size = (uint64_t)c->in.st.st_size + inserted;
    if (!c->cut)
        return;
    if (c->in.seekable)
        snprintf(note, sizeof note, "%" PRIu64 " bytes are cut", size - c->at);
    if (c->at < c->keep || (c->in.seekable && size == c->at))
        snprintf(note, sizeof note, "nothing is cut: there are no more bytes");
    report(c, "truncated", c->at, NULL, NULL, 0, note);
}

/* True if the output has all places to be set. */
static bool all_set(struct corrupt *c)
{
    for (size_t i = 0; i < c->n_patches; i++) {
        const struct patch *p = &c->patches[i];
        if (p->done == p->n || !p->set)
            continue;
        cli_fail(c->cli, CLI_USAGE, "--set 0x%" PRIx64 ": the output has only %" PRIu64 " bytes", p->at,
                 c->at);
        return false;
    }
    return true;
}

static void write_output(struct corrupt *c)
{
    const uint64_t inserted = c->n_inserted;
    decide_end(c);
    c->noise = random_start(c->seed, 1);
    if (c->n_patches)
        qsort(c->patches, c->n_patches, sizeof *c->patches, compare_patches);
    copy(c);
    cli_progress_end(c->cli);
    if (!c->failed && all_set(c)) {
        tell_end(c, inserted);
        cli_output_commit(&c->out);
    }
}

static int corrupt_input(struct corrupt *c)
{
    struct cli *cli = c->cli;
    if (!c->any)
        return cli_fail(cli, CLI_USAGE, "what damage? -E, --truncate, --unknown-record or --set");
    if (cli->output == NULL)
        return cli_fail(cli, CLI_USAGE, "where to? -o FILE, or -o - for standard output");
    if ((c->unknown ? plan_record(c) : open_bytes(c)) && cli_output_open(cli, &c->out, &c->in, 1, 0))
        write_output(c);
    cli_output_discard(&c->out);
    cli_input_close(&c->in);
    return cli->status;
}

int cmd_corrupt(struct cli *cli, int argc, char **argv)
{
    struct corrupt c = {.cli = cli, .in = {.fd = -1}};
    int key;
    bool ok = true;
    cli->spec = &spec;
    while (ok && (key = cli_next_option(cli, argc, argv)) != CLI_END)
        ok = take_option(&c, key);
    if (ok)
        corrupt_input(&c);
    for (size_t i = 0; i < c.n_patches; i++)
        free(c.patches[i].bytes);
    free(c.patches);
    return cli->status;
}
