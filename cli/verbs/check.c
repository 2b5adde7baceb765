/* SPDX-License-Identifier: MIT */
/*
 * check.c - `perfdata check`: has every record, attr and section decoded and encoded again; the library
 * compares the result with the bytes it read. If the input can seek, the whole output is compared once more
 * with the file, which is read independently.
 */
#include "cli/lib/cli.h"
#include "cli/lib/threads/parts.h"
#include "src/container/reader/skim.h"
#include "src/schema/schema.h"
#include <errno.h>
#include <inttypes.h>
#include <perfdata/constants.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WINDOW ((size_t)256 << 10)
#define STOP (-1) /* the sink's result after it has printed why it cannot continue */

enum { KEY_STRICT = CLI_LONG };

static const struct cli_option options[] = {
    {"strict", KEY_STRICT, NULL, "notes count as findings: exit status 1"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... [FILE]...",
    .about =
        "Validates the structure of recordings and proves the round trip: every record, attr and section is\n"
        "decoded, encoded again and compared with the bytes of the file. Lists each finding with its "
        "offset.\n"
        "\n"
        "Exit status: 0 all is intact and equal, 1 something came out different, 3 a record, header or "
        "section\n"
        "is truncated or impossible. A recording that was not finished, bytes behind its end, strings "
        "without a\n"
        "NUL, attrs of zeros, records of missing events, out of place or grown over others, and unknown\n"
        "record types, features or bits are notes: they do not count, except with --strict, as 1.\n",
    .options = options,
    .common = CLI_IN | CLI_JSON | CLI_OPERANDS,
    .examples = "  perfdata check x.data            prove it\n"
                "  perfdata check -q *.data         only what is wrong, and the exit status\n"
                "  perfdata check --strict --json x.data\n",
};

enum kind { NOTE, DIFFERENCE, DAMAGE };
static const char *const kind_names[] = {"note", "difference", "damage"};

/* Notes of one kind about records are counted, and printed once. */
struct counted {
    uint64_t n, offset;
    uint32_t type;
};

/* Records that can be decoded but are implausible, by the result of pd_reader_judge(). */
enum { N_ODD = 3 };
static const struct {
    enum pd_code code, other;
    const char *name;
} odd_kinds[N_ODD] = {
    {PD_EUNKNOWN, PD_EUNKNOWN, "unknown-ids"},
    {PD_EVALUE, PD_EVALUE, "out-of-place"},
    {PD_EINSIDE, PD_ECOUNT, "swallowed-records"},
};

struct odd {
    uint64_t n;
    struct pd_error first;
};

struct check {
    struct cli *cli;
    struct cli_input in;
    const char *name; /* of the file, or of the member of a directory */
    struct cli_json *json;
    bool strict;
    uint64_t found[3]; /* by kind */
    int status;        /* of this file */
    struct counted unknown_event, unknown_type, unknown_regs, unended, large;
    uint64_t unknown_abi; /* of the first of unknown_regs */
    struct odd odd[N_ODD];
    const char *unended_field, *unended_of; /* the first: a string, and the record or feature it is in */
    uint32_t nr_cpus_avail;                 /* from NRCPUS; 0: unknown */
    struct pd_rewrite_stats stats;          /* of all members */
    struct cli_proven proven;               /* records without a message */
    bool part; /* proven by any thread: findings are printed by one thread, which repeats the part
                */
    /* the sink that compares */
    uint8_t *window;
    size_t fill;
    uint64_t base, at;
};

static void find(struct check *c, enum kind kind, const char *code, uint64_t offset, const char *text)
{
    static const int status_of[] = {CLI_OK, CLI_FINDINGS, CLI_DAMAGED};
    const int status = kind == NOTE && c->strict ? CLI_FINDINGS : status_of[kind];
    c->found[kind]++;
    if (c->part)
        return;
    if (status > c->status)
        c->status = status;
    cli_raise(c->cli, status);
    if (c->json) {
        cli_json_open(c->json, NULL, '{');
        cli_json_str(c->json, "kind", kind_names[kind]);
        if (c->name != c->in.name)
            cli_json_str(c->json, "member", c->name);
        cli_json_str(c->json, "code", code);
        if (offset != PD_NOWHERE)
            cli_json_count(c->json, "offset", offset);
        cli_json_str(c->json, "text", text);
        cli_json_close(c->json, '}');
    } else if (kind != NOTE || !c->cli->quiet || status) {
        cli_progress_end(c->cli);
        pd_out_plain(&c->cli->out, c->name, strlen(c->name));
        cli_print(c->cli, ": %s: ", kind_names[kind]);
        pd_out_visible(&c->cli->out, text, strlen(text));
        pd_out_str(&c->cli->out, "\n");
    }
}

__attribute__((format(printf, 5, 6))) static void find_at(struct check *c, enum kind kind, const char *code,
                                                          uint64_t offset, const char *format, ...)
{
    char text[512];
    va_list args;
    int n = snprintf(text, sizeof text, "at offset %" PRIu64 " (0x%" PRIx64 "): ", offset, offset);
    va_start(args, format);
    vsnprintf(text + n, sizeof text - (size_t)n, format, args);
    va_end(args);
    find(c, kind, code, offset, text);
}

static void find_error(struct check *c, const struct pd_error *error)
{
    char text[512];
    const enum kind kind = error->code == PD_EDIFFERENT ? DIFFERENCE : DAMAGE;
    if (!c->part && cli_told(&c->in, error))
        return;
    pd_error_text(error, text, sizeof text);
    find(c, kind, pd_code_name(error->code), error->offset, text);
    if (!c->part && pd_is_failure(error->code))
        cli_raise(c->cli, CLI_OUTPUT);
}

static void count(struct counted *k, uint64_t offset, uint32_t type)
{
    if (k->n++ == 0) {
        k->offset = offset;
        k->type = type;
    }
}

/* ---- Comparing */

/* The part of the file that a byte belongs to, for messages. */
static const char *part_of(const struct check *c, uint64_t offset)
{
    static const char *const names[] = {
        [PD_EXTENT_HEADER] = "the header",
        [PD_EXTENT_IDS] = "the ids",
        [PD_EXTENT_ATTRS] = "the attrs",
        [PD_EXTENT_EVENT_TYPES] = "the event types",
        [PD_EXTENT_DATA] = "the data",
        [PD_EXTENT_TABLE] = "the feature table",
        [PD_EXTENT_FEATURE] = "a feature section",
        [PD_EXTENT_GAP] = "bytes between the sections",
        [PD_EXTENT_OVERLAP] = "overlapping sections",
    };
    size_t n;
    const struct pd_extent *e = pd_reader_extents(c->in.reader, &n);
    for (size_t i = 0; i < n; i++)
        if (offset >= e[i].offset && offset - e[i].offset < e[i].size &&
            (size_t)e[i].kind < sizeof names / sizeof *names)
            return names[e[i].kind];
    return "the file";
}

/* Makes the file's bytes at c->at visible; returns how many, 0 at the end of the file. */
static size_t view_bytes(struct check *c, const uint8_t **p, int *error)
{
    if (c->at - c->base >= c->fill) {
        const uint64_t end =
            pd_reader_info(c->in.reader)->data_end; /* another thread does the data behind the part */
        const size_t n = end > c->at && end - c->at < WINDOW ? (size_t)(end - c->at) : WINDOW;
        ssize_t got;
        while ((got = pread(c->in.fd, c->window, n, (off_t)c->at)) < 0 && errno == EINTR)
            ;
        *error = got < 0 ? errno : 0;
        c->base = c->at;
        c->fill = got > 0 ? (size_t)got : 0;
    }
    *p = c->window + (c->at - c->base);
    return c->fill - (size_t)(c->at - c->base);
}

static void find_difference(struct check *c, const uint8_t *ours, const uint8_t *theirs, size_t n)
{
    size_t first = 0, differing = 0;
    for (size_t i = n; i > 0; i--)
        if (ours[i - 1] != theirs[i - 1])
            first = i - 1, differing++;
    find_at(c, DIFFERENCE, "round-trip", c->at + first,
            "in %s: the round trip gives 0x%02x, the file has 0x%02x (%zu of %zu bytes differ)",
            part_of(c, c->at + first), ours[first], theirs[first], differing, n);
}

/* What several threads have proven is not written again. */
static void pass_over_proven(struct check *c)
{
    if (c->at == c->proven.begin)
        c->at = c->proven.end;
}

/* The sink: a piece of the output of decoding and encoding. */
static int compare(void *user, const void *bytes, size_t n)
{
    struct check *c = user;
    const uint8_t *ours = bytes;
    int error = 0;
    if (!c->part)
        cli_progress(c->cli, c->at, pd_reader_info(c->in.reader)->file_size);
    pass_over_proven(c);
    while (n) {
        const uint8_t *theirs;
        size_t now = view_bytes(c, &theirs, &error);
        if (error) {
            const struct pd_error what = {
                .code = PD_EIO, .offset = c->at, .record_index = PD_NOWHERE, .found = (uint64_t)error};
            find_error(c, &what);
            return STOP;
        }
        if (now == 0 && c->at < pd_reader_info(c->in.reader)->file_size) {
            find_at(c, DAMAGE, "input", c->at, "the file was cut while it was read");
            return STOP;
        }
        if (now == 0) {
            find_at(c, DIFFERENCE, "round-trip", c->at,
                    "the file ends here, the round trip gives %zu bytes more", n);
            return STOP;
        }
        now = now < n ? now : n;
        if (memcmp(ours, theirs, now) != 0 && c->found[DIFFERENCE] == 0) /* else the library has told where */
            find_difference(c, ours, theirs, now);
        c->at += now;
        ours += now;
        n -= now;
    }
    return 0;
}

/* Records that pd_rewrite() could not decode, or encoded differently. */
static void take_finding(void *user, const struct pd_error *error)
{
    struct check *c = user;
    if (error->code == PD_EUNKNOWN)
        count(&c->unknown_event, error->offset, error->record_type);
    else
        find_error(c, error);
}

/* ---- What is odd */

static void take_note(void *user, const struct cli_note *note)
{
    find_at(user, NOTE, note->kind, note->offset, "%s", note->text);
}

/* The first in the file is told: in a pipe sections come behind the records. */
static void note_unended(struct check *c, const char *field, const char *of, uint64_t offset)
{
    if (c->unended.n++ && offset >= c->unended.offset)
        return;
    c->unended.offset = offset;
    c->unended_field = field;
    c->unended_of = of;
}

/* Strings that fill their bytes without a NUL; `base` is at `offset` of the file. */
static void find_unended(struct check *c, struct pd_fields *it, const char *of, const uint8_t *base,
                         uint64_t offset)
{
    struct pd_field f;
    while (pd_fields_next(it, &f)) {
        struct pd_fields inner;
        if (f.unended)
            note_unended(c, f.name, of, offset + (uint64_t)((const uint8_t *)f.u.str->ptr - base));
        if (f.kind == PD_FIELD_PART) {
            pd_fields_enter(&inner, it, &f);
            find_unended(c, &inner, of, base, offset);
        }
        for (size_t i = 0; f.kind == PD_FIELD_LIST && pd_fields_element(&inner, it, &f, i); i++)
            find_unended(c, &inner, of, base, offset);
    }
}

static void look_into_feature(struct check *c, const struct pd_feature *f, uint64_t offset)
{
    struct pd_fields it;
    if (f->id == PD_FEAT_NRCPUS)
        c->nr_cpus_avail = f->u.nrcpus.nr_cpus_avail;
    pd_fields_of_feature(&it, f);
    find_unended(c, &it, pd_feature_name(f->id), f->raw.ptr, offset);
}

static void look_into_section(void *user, uint32_t feature, uint64_t offset, const void *bytes, size_t n)
{
    struct check *c = user;
    const enum pd_order order = (enum pd_order)pd_reader_info(c->in.reader)->order;
    struct pd_feature f;
    if (pd_feature_decode(order, feature, c->nr_cpus_avail, bytes, n, &f, NULL) == PD_OK && f.layout)
        look_into_feature(c, &f, offset);
}

static void look_into_sections(struct check *c)
{
    for (size_t i = 0; i < pd_reader_n_features(c->in.reader); i++) {
        const struct pd_feature_section *s = pd_reader_feature(c->in.reader, i);
        const size_t n = (size_t)s->section.size;
        uint8_t *bytes = n && s->section.size <= PI_LIMIT_PROVEN ? cli_malloc(n) : NULL;
        if (bytes && pd_reader_read(c->in.reader, s->section.offset, bytes, n, NULL) == PD_OK)
            look_into_section(c, s->feature, s->section.offset, bytes, n);
        free(bytes);
    }
}

static void look_for_oddity(struct check *c, const struct pd_record *rec)
{
    struct pd_error why;
    const enum pd_code code = pd_reader_judge(c->in.reader, rec, &why);
    for (size_t i = 0; code && i < N_ODD; i++)
        if ((odd_kinds[i].code == code || odd_kinds[i].other == code) && c->odd[i].n++ == 0)
            c->odd[i].first = why;
}

/* Registers of an unknown abi: the bytes behind it were kept. */
static void look_at_registers(struct check *c, const struct pd_record *rec)
{
    const struct pd_sample *s = &rec->u.sample;
    if (!(rec->variant & (PD_VARIANT_UNKNOWN_USER_REGS | PD_VARIANT_UNKNOWN_INTR_REGS)))
        return;
    if (c->unknown_regs.n == 0)
        c->unknown_abi = rec->variant & PD_VARIANT_UNKNOWN_USER_REGS ? s->regs_user.abi : s->regs_intr.abi;
    count(&c->unknown_regs, rec->offset, rec->type);
}

__attribute__((always_inline)) static inline void look_into_record(struct check *c, struct pd_record *rec)
{
    struct pd_fields it;
    struct pd_feature f;
    const bool sample = rec->type == PD_RECORD_SAMPLE;
    const char *name = sample ? NULL : pd_set_name(&pd_set_record_type, rec->type);
    const enum pd_code code = pd_reader_decode(c->in.reader, rec, NULL);
    if (name == NULL && !sample)
        count(&c->unknown_type, rec->offset, rec->type);
    if (!code && sample)
        look_at_registers(c, rec);
    if (!code)
        look_for_oddity(c, rec);
    if (name == NULL || code)
        return;
    pd_fields_of_record(&it, rec);
    find_unended(c, &it, name, rec->raw, rec->offset);
    if (pd_feature_of_record(rec, &f))
        look_into_feature(c, &f, rec->offset + (uint64_t)(f.raw.ptr - rec->raw));
    if (rec->type == PD_RECORD_HEADER_TRACING_DATA && rec->payload_size > PI_LIMIT_PROVEN)
        count(&c->large, rec->offset + rec->size, PD_FEAT_TRACING_DATA);
}

static void look_at_proven(void *user, struct pd_record *rec)
{
    look_into_record(user, rec);
}

/* The remaining records of the reader; returns the reason of the end. */
static enum pd_code look_into_records(struct check *c, struct pd_error *error)
{
    struct pd_record rec = {0};
    struct pi_skim skim = {0}; /* it stops at samples that are odd */
    enum pd_code code = PD_OK;
    while (!code) {
        pi_reader_skim(c->in.reader, &skim);
        if ((code = pd_reader_next(c->in.reader, &rec, error)) == PD_OK)
            look_into_record(c, &rec);
    }
    return code;
}

static void odd_text(const struct pd_error *e, char *text, size_t cap)
{
    if (e->code == PD_EUNKNOWN)
        snprintf(text, cap, "no event has its id, %" PRIu64, e->found);
    else if (e->code == PD_ECOUNT)
        snprintf(text, cap, "its size, %" PRIu64 ", is more than the %" PRIu64 " bytes of its fields",
                 e->found, e->expected);
    else if (e->code == PD_EINSIDE)
        snprintf(text, cap,
                 "its size, %" PRIu64 ", takes in records that follow it, from its byte %" PRIu64 " on",
                 e->found, e->expected);
    else
        snprintf(text, cap, "none of this type can stand here");
}

static void tell_oddities(struct check *c)
{
    for (size_t i = 0; i < N_ODD; i++) {
        const struct pd_error *e = &c->odd[i].first;
        const char *type = pd_set_name(&pd_set_record_type, e->record_type);
        char text[128], more[64] = "";
        odd_text(e, text, sizeof text);
        if (c->odd[i].n > 1)
            snprintf(more, sizeof more, "; nor are %" PRIu64 " others what they say", c->odd[i].n - 1);
        if (c->odd[i].n)
            find_at(c, NOTE, odd_kinds[i].name, e->offset,
                    "record %" PRIu64 " of type %" PRIu32 " (%s): %s%s", e->record_index, e->record_type,
                    type ? type : "unknown", text, more);
    }
}

/* Reads it all once more; prove() does the same for what cannot be read again. */
static void look_into_file(struct check *c)
{
    struct pd_error error;
    enum pd_code code = pd_reader_rewind(c->in.reader, &error);
    if (!code)
        look_into_sections(c);
    if (!code && c->proven.records)
        code = pd_reader_seek(c->in.reader, c->proven.end, c->proven.records, &error);
    if (!code)
        code = look_into_records(c, &error);
    if (code == PD_ENOMEM) /* other errors were found before */
        cli_input_error(&c->in, &error);
}

/* Features that were only compared. */
static void find_large(struct check *c)
{
    for (size_t i = 0; i < pd_reader_n_features(c->in.reader); i++) {
        const struct pd_feature_section *s = pd_reader_feature(c->in.reader, i);
        if (s->section.size > PI_LIMIT_PROVEN && pi_layout_of_feature(s->feature))
            count(&c->large, s->section.offset, s->feature);
    }
    if (c->large.n)
        find_at(c, NOTE, "large-features", c->large.offset,
                "features that have more than %d bytes, and are not decoded: %" PRIu64 ", the first is %s",
                PI_LIMIT_PROVEN, c->large.n, pd_feature_name(c->large.type));
}

/* Intact data that can be written again, but is unusual. */
static void find_odd(struct check *c)
{
    if (c->in.seekable)
        look_into_file(c);
    find_large(c);
    tell_oddities(c);
    if (c->unended.n)
        find_at(c, NOTE, "unended-strings", c->unended.offset, "%s of %s has no NUL at its end%s",
                c->unended_field, c->unended_of, c->unended.n > 1 ? ", as others" : "");
    if (c->unknown_type.n)
        find_at(c, NOTE, "unknown-records", c->unknown_type.offset,
                "%" PRIu64 " records of unknown types, kept as bytes, the first of type %" PRIu32,
                c->unknown_type.n, c->unknown_type.type);
    if (c->unknown_regs.n)
        find_at(c, NOTE, "unknown-registers", c->unknown_regs.offset,
                "%" PRIu64 " samples with registers of an unknown abi, kept as bytes from there on, the "
                "first of abi 0x%" PRIx64,
                c->unknown_regs.n, c->unknown_abi);
    if (c->unknown_event.n)
        find_at(c, NOTE, "unknown-events", c->unknown_event.offset,
                "%" PRIu64 " records of unknown events or with unknown fields, kept as bytes",
                c->unknown_event.n);
}

static void add_stats(struct pd_rewrite_stats *sum, const struct pd_rewrite_stats *stats)
{
    sum->records += stats->records;
    sum->decoded += stats->decoded;
    sum->raw += stats->raw;
    sum->sections += stats->sections;
    sum->bad_sections += stats->bad_sections;
    sum->undecodable += stats->undecodable;
    sum->bytes += stats->bytes;
}

/* One file; of a directory recording the one with this number. */
static void prove(struct check *c, size_t member)
{
    const struct pd_rewrite_options how = {.size = sizeof how,
                                           .reencode = true,
                                           .finding = take_finding,
                                           .user = c,
                                           .member = member,
                                           .from = c->proven.records ? c->proven.end : 0,
                                           .index = c->proven.records,
                                           .record = c->in.seekable ? NULL : look_at_proven,
                                           .section = c->in.seekable ? NULL : look_into_section};
    const struct pd_sink sink = {compare, NULL, c};
    struct pd_rewrite_stats stats;
    struct pd_error error;
    const enum pd_code code = pd_rewrite(c->in.reader, c->in.seekable ? &sink : NULL, &how, &stats, &error);
    const uint64_t size = c->part ? pd_reader_offset(c->in.reader) : pd_reader_info(c->in.reader)->file_size;
    if (!c->part)
        cli_progress_end(c->cli);
    pass_over_proven(c);
    add_stats(&c->stats, &stats);
    if (code == PD_EOUT && (int)error.found == STOP)
        return;
    if (code)
        find_error(c, &error);
    else if (c->in.seekable && c->at != size)
        find_at(c, DIFFERENCE, "round-trip", c->at,
                "the round trip ends here, the file has %" PRIu64 " bytes more",
                c->at < size
                    ? size - c->at
                    : 0); /* a part that ends in damage: it is read, but its findings are not shown */
}

/* ---- Several threads: they prove the records before the first one with a message. */

static bool is_silent(const struct check *c)
{
    return !c->found[NOTE] && !c->found[DIFFERENCE] && !c->found[DAMAGE] && !c->unknown_event.n &&
           !c->unknown_type.n && !c->unknown_regs.n && !c->unended.n && !c->odd[0].n && !c->odd[1].n &&
           !c->odd[2].n;
}

static bool prove_part(void *user, void *memory, struct pd_reader *part, struct pd_rewrite_stats *stats)
{
    const struct check *whole = user;
    struct check c = {.cli = whole->cli,
                      .in = {.reader = part, .fd = whole->in.fd, .seekable = true},
                      .part = true,
                      .window = memory,
                      .at = pd_reader_offset(part)};
    struct pd_error error;
    prove(&c, 0);
    *stats = c.stats;
    return is_silent(&c) && pd_reader_rewind(part, &error) == PD_OK &&
           look_into_records(&c, &error) == PD_END && is_silent(&c);
}

static void take_part(void *user, const struct pd_rewrite_stats *stats)
{
    struct check *c = user;
    add_stats(&c->stats, stats);
}

/* True if the data is one part of the map, not reduced by overlapping parts. */
static bool has_data(const struct check *c)
{
    size_t n, i = 0;
    const struct pd_extent *e = pd_reader_extents(c->in.reader, &n);
    while (i < n && e[i].kind != PD_EXTENT_DATA)
        i++;
    return i < n;
}

static void prove_in_parts(struct check *c)
{
    const struct cli_parts_job job = {prove_part, take_part, c, WINDOW};
    if (c->in.seekable && has_data(c))
        c->proven = cli_parts_run(c->cli, c->in.reader, &job);
}

/* ---- A file */

static void check_open_file(struct check *c)
{
    const size_t members = pd_reader_n_members(c->in.reader);
    for (size_t i = 0; i < pd_reader_n_findings(c->in.reader); i++)
        find_error(c, pd_reader_finding(c->in.reader, i));
    const size_t told = pd_reader_n_findings(c->in.reader);
    prove_in_parts(c);
    for (size_t i = 0; i < (members ? members : 1); i++) {
        if (members)
            c->name = pd_reader_member(c->in.reader, i)->name;
        prove(c, i);
    }
    c->name = c->in.name;
    for (size_t i = told; i < pd_reader_n_findings(c->in.reader); i++) /* of a stream's end */
        find_error(c, pd_reader_finding(c->in.reader, i));
    find_odd(c);
    cli_file_notes(&c->in, take_note, c);
}

static void summary_text(struct check *c)
{
    struct cli *cli = c->cli;
    if (cli->quiet)
        return;
    pd_out_plain(&cli->out, c->in.name, strlen(c->in.name));
    cli_print(cli, ": %s: %" PRIu64 " records decoded, encoded and compared, %" PRIu64 " raw",
              c->found[DAMAGE]       ? "damaged"
              : c->found[DIFFERENCE] ? "different"
                                     : "ok",
              c->stats.decoded, c->stats.raw);
    if (c->stats.undecodable)
        cli_print(cli, ", %" PRIu64 " impossible", c->stats.undecodable);
    if (c->stats.sections || c->stats.bad_sections)
        cli_print(cli, "; %" PRIu64 " features", c->stats.sections);
    if (c->stats.bad_sections)
        cli_print(cli, ", %" PRIu64 " impossible", c->stats.bad_sections);
    cli_print(cli, "; %" PRIu64 " bytes", c->stats.bytes);
    for (int kind = DAMAGE; kind >= NOTE; kind--)
        if (c->found[kind])
            cli_print(cli, ", %" PRIu64 " %s%s", c->found[kind], kind_names[kind],
                      c->found[kind] == 1 || kind == DAMAGE ? "" : "s");
    pd_out_str(&cli->out, "\n");
}

static void summary_json(struct check *c)
{
    struct cli_json *j = c->json;
    cli_json_close(j, ']');
    cli_json_bool(j, "ok", c->found[DAMAGE] == 0 && c->found[DIFFERENCE] == 0);
    cli_json_count(j, "status", (uint64_t)c->status);
    cli_json_count(j, "records", c->stats.records);
    cli_json_count(j, "decoded", c->stats.decoded);
    cli_json_count(j, "raw", c->stats.raw);
    cli_json_count(j, "impossible", c->stats.undecodable);
    cli_json_count(j, "features", c->stats.sections);
    cli_json_count(j, "impossible_features", c->stats.bad_sections);
    cli_json_count(j, "bytes", c->stats.bytes);
    cli_json_close(j, '}');
    pd_out_str(j->out, "\n");
}

static void check_file(struct cli *cli, const char *path, bool strict)
{
    struct cli_json json = {.out = &cli->out};
    struct check c = {
        .cli = cli, .strict = strict, .json = cli->json ? &json : NULL, .window = cli_malloc(WINDOW)};
    if (c.window == NULL) {
        cli_fail(cli, CLI_OUTPUT, "no memory");
        return;
    }
    if (cli_input_open(cli, &c.in, path, CLI_NO_FINDINGS)) {
        c.name = c.in.name;
        if (c.json) {
            cli_json_open(c.json, NULL, '{');
            cli_json_str(c.json, "file", c.in.name);
            cli_json_open(c.json, "findings", '[');
        }
        check_open_file(&c);
        if (c.json)
            summary_json(&c);
        else
            summary_text(&c);
        cli_input_close(&c.in);
    }
    free(c.window);
}

int cmd_check(struct cli *cli, int argc, char **argv)
{
    bool strict = false;
    int key;
    cli->spec = &spec;
    while ((key = cli_next_option(cli, argc, argv)) != CLI_END) {
        if (key != KEY_STRICT)
            return cli->status;
        strict = true;
    }
    for (size_t i = 0; i < cli->n_inputs && !cli->out_error; i++)
        check_file(cli, cli->inputs[i], strict);
    return cli->status;
}
