/* SPDX-License-Identifier: MIT */
/*
 * decode.c - `perfdata decode`: a whole recording as lines of JSON, in the order of its bytes. Each line is
 * tried before it is printed, or its sample encoded: if `encode` would not make the same bytes, the bytes are
 * printed instead.
 */
#define _GNU_SOURCE
#include "cli/lib/threads/crew.h"
#include "cli/lib/text/text.h"
#include "src/container/feature_probe.h"
#include "src/reflect/command_text.h"
#include "src/reflect/json_form.h"
#include "src/session/offcpu.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <perfdata/constants.h>
#include <perfdata/session/event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_FEATURE ((uint64_t)PI_LIMIT_TEXT_LINE) /* bytes of a feature that is shown decoded */
#define FORMED_EVENTS 256                           /* events, of which each has 4 KiB */
#define FORMED_BYTES ((size_t)64 << 10)             /* of lines that are written together */

enum { KEY_SHORT = CLI_LONG };

static const struct cli_option options[] = {
    {"short", KEY_SHORT, NULL, "without offsets, counts and sizes: to be edited; encode computes them"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... [FILE]",
    .about = "Prints the whole recording as lines of JSON, from which `perfdata encode` makes the same bytes "
             "again:\n"
             "header, attrs, ids, records and features in the order of the file, and as hexadecimal digits "
             "all that\n"
             "belongs to none of these or is damaged. Takes any file at all. Compressed records stay as they "
             "are;\n"
             "perfdata convert --decompress shows what is in them.\n",
    .options = options,
    .common = CLI_IN | CLI_OUT,
    .examples =
        "  perfdata decode x.data | perfdata encode -o same.data\n"
        "  perfdata decode --short x.data | sed 's/\"cc1\"/\"compiler\"/' | perfdata encode -o y.data\n"
        "  perfdata decode x.data | jq -c 'select(.record.type == \"COMM\").record.comm'\n",
};

/* The bytes that a line makes. */
struct made {
    uint8_t *bytes;
    size_t n, cap;
};

/*
 * The forms of samples' lines, by attr (NULL: not known yet), while the text's attrs are those that they were
 * tried with. Other threads read them.
 */
struct forms {
    struct pi_json_form *of[FORMED_EVENTS];
    uint64_t changes;     /* text.changes */
    struct pd_out formed; /* lines that are not written yet */
};

struct decode {
    struct cli *cli;
    struct cli_input in;
    struct cli_output out;
    struct pd_reader *r; /* whose bytes are read: in.reader, or that of a member */
    struct text text;
    struct made made;
    struct pd_sink sink; /* of text */
    struct pd_out line;
    uint64_t records;
    bool brief;        /* --short; `text` follows the exact lines all the same */
    struct text check; /* --short: checks the printed lines as encode will; it writes nothing */
    uint64_t refused;  /* lines that it refuses, which are not printed */
    char why[640];     /* the first one is refused */
    bool bare; /* in a file of a directory that is not of the recording: its bytes are printed in any case */
    uint64_t left_out;     /* bytes that --short has no lines for */
    bool failed;           /* the work is finished */
    struct cli_crew *crew; /* with -j */
    struct forms forms;
    struct pi_offcpu_names offcpu;
};

/* ---- Lines. */

static int make_bytes(void *user, const void *bytes, size_t n)
{
    struct made *m = user;
    if (n > m->cap - m->n) {
        const size_t cap = 2 * m->cap + n;
        uint8_t *p = cli_realloc(m->bytes, cap);
        if (p == NULL)
            return ENOMEM;
        m->bytes = p;
        m->cap = cap;
    }
    memcpy(m->bytes + m->n, bytes, n);
    m->n += n;
    return 0;
}

/* Lines grow to the limit of `encode`, and no further. */
static bool more_line(struct pd_out *out, size_t want)
{
    if (out->cap >= PI_LIMIT_TEXT_LINE || want > PI_LIMIT_TEXT_LINE)
        return false;
    size_t cap = 2 * out->cap + want;
    cap = cap < PI_LIMIT_TEXT_LINE ? cap : PI_LIMIT_TEXT_LINE;
    char *p = cli_realloc(out->buf, cap);
    if (p == NULL)
        return false;
    out->buf = p;
    out->cap = cap;
    return true;
}

static struct pd_out *begin_line(struct decode *d, const char *start)
{
    d->line.n = 0;
    d->line.lost = 0;
    pd_out_str(&d->line, start);
    return &d->line;
}

static int drop_bytes(void *user, const void *bytes, size_t n)
{
    (void)user, (void)bytes, (void)n;
    return 0;
}

static int drop_patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    (void)offset;
    return drop_bytes(user, bytes, n);
}

static void refuse(struct decode *d)
{
    if (d->refused++ == 0)
        memcpy(d->why, d->check.error, sizeof d->why);
}

static inline void write_formed(struct decode *d)
{
    struct pd_out *formed = &d->forms.formed;
    if (formed->n == 0)
        return;
    if (d->out.sink.write(d->out.sink.user, formed->buf, formed->n))
        d->failed = true;
    formed->n = 0;
}

static void write_line(struct decode *d)
{
    write_formed(d);
    if (d->brief) {
        if (!text_line(&d->check, d->line.buf, d->line.n)) {
            refuse(d);
            return;
        }
        d->check.line++;
    }
    const struct pd_sink *out = &d->out.sink;
    const bool room = d->line.n < d->line.cap;
    if (room)
        d->line.buf[d->line.n++] = '\n';
    if (d->line.lost || out->write(out->user, d->line.buf, d->line.n) ||
        (!room && out->write(out->user, "\n", 1)))
        d->failed = true;
}

static void put_offset(struct pd_out *out, uint64_t offset)
{
    pd_out_str(out, ",\"offset\":\"");
    pd_out_dec(out, offset);
    pd_out_str(out, "\"}");
}

/* The end of a line that may have its offset. */
static void put_end(struct decode *d, uint64_t offset)
{
    if (d->brief)
        pd_out_str(&d->line, "}");
    else
        put_offset(&d->line, offset);
}

/* True if the line makes these bytes. False: the state is as before. */
static bool accept_line(struct decode *d, const void *bytes, size_t n)
{
    struct text *t = &d->text;
    const struct text before = *t;
    d->made.n = 0;
    if (!d->line.lost && text_line(t, d->line.buf, d->line.n) && d->made.n == n &&
        (n == 0 || memcmp(d->made.bytes, bytes, n) == 0))
        return true;
    d->failed |= cli_no_memory(d->cli); /* else it would be taken for damage */
    t->form = before.form;
    t->has_header = before.has_header;
    t->any = before.any;
    t->at = before.at;
    if (t->n_attrs != before.n_attrs) /* which other threads may read */
        t->n_attrs = before.n_attrs;
    t->nr_cpus_avail = before.nr_cpus_avail;
    return false;
}

/* Prints the line if it makes these bytes. False: it is not printed, and all is as before. */
static bool try_line(struct decode *d, const void *bytes, size_t n)
{
    if (!accept_line(d, bytes, n))
        return false;
    write_line(d);
    return true;
}

/* The same with a line that --short does not have. */
static bool try_exact(struct decode *d, const void *bytes, size_t n)
{
    return d->brief ? accept_line(d, bytes, n) : try_line(d, bytes, n);
}

/* Bytes as they are, in pieces. */
static void put_pieces(struct decode *d, const char *start, const uint8_t *bytes, size_t n)
{
    for (size_t done = 0; done < n && !d->failed;) {
        const size_t piece = n - done < TEXT_PIECE ? n - done : TEXT_PIECE;
        struct pd_out *out = begin_line(d, start);
        pd_out_hex_bytes(out, bytes + done, piece);
        pd_out_str(out, "\"");
        put_end(d, d->text.at);
        d->text.at += piece;
        d->text.any = true;
        write_line(d);
        done += piece;
    }
}

static bool is_zero(const uint8_t *bytes, size_t n)
{
    while (n && bytes[n - 1] == 0)
        n--;
    return n == 0;
}

static void put_raw(struct decode *d, const void *bytes, size_t n)
{
    if (d->brief && !d->bare) {
        d->left_out += is_zero(bytes, n) ? 0 : n; /* unused room of the feature table is not reported */
        d->text.at += n;
        d->text.any = true;
        return;
    }
    put_pieces(d, "{\"raw\":\"", bytes, n);
}

/* ---- Parts that are copied. */

static void report(struct decode *d, const struct pd_error *error)
{
    cli_error(d->cli, d->in.name, error);
}

/* Reads at most n bytes; *got are there before the end. */
static bool read_some(struct decode *d, uint64_t offset, uint8_t *buf, size_t n, size_t *got)
{
    struct pd_error error;
    const enum pd_code code = pd_reader_read(d->r, offset, buf, n, &error);
    *got = n;
    if (code == PD_ETRUNC && error.offset >= offset && error.offset - offset < n) {
        *got = (size_t)(error.offset - offset);
        return true;
    }
    if (code == PD_OK)
        return true;
    report(d, &error);
    d->failed = true;
    return false;
}

/* Raw bytes from the current offset to `end`, or to the end of the input. */
static void copy_to(struct decode *d, uint64_t end)
{
    uint8_t *buf = cli_malloc(TEXT_PIECE);
    size_t got = 1;
    while (buf && !d->failed && d->text.at < end && got) {
        const uint64_t left = end - d->text.at;
        if (read_some(d, d->text.at, buf, left < TEXT_PIECE ? (size_t)left : TEXT_PIECE, &got))
            put_raw(d, buf, got);
    }
    d->failed |= buf == NULL;
    free(buf);
}

/* All of a small part in memory, to be freed; NULL: that is not possible. */
static uint8_t *read_part(struct decode *d, uint64_t offset, size_t n)
{
    uint8_t *bytes = cli_malloc(n + 1);
    struct pd_error error;
    if (bytes && pd_reader_read(d->r, offset, bytes, n, &error) == PD_OK)
        return bytes;
    free(bytes);
    return NULL;
}

/* ---- The header, attrs and ids. */

static void put_struct(struct pd_out *out, const char *layout, const void *value)
{
    struct pd_fields it;
    pd_fields_of_struct(&it, layout, value);
    pd_fields_json(&it, out);
}

static void put_ids(struct pd_out *out, const uint64_t *ids, size_t n)
{
    pd_out_str(out, "[");
    for (size_t i = 0; i < n; i++) {
        pd_out_str(out, i ? ",\"" : "\"");
        pd_out_dec(out, ids[i]);
        pd_out_str(out, "\"");
    }
    pd_out_str(out, "]");
}

/* True if each entry has room for its attr. Else there is room for the largest. */
static bool has_room(const struct decode *d, uint64_t entry)
{
    bool has = entry >= 16 + PD_ATTR_SIZE_VER0;
    for (size_t i = 0; i < pd_reader_n_attrs(d->in.reader); i++)
        has &= pd_attr_bytes(&pd_reader_attr(d->in.reader, i)->attr) + 16 <= entry;
    return has;
}

/* The header line of --short, and all attrs, since records need them. */
static void put_short_header(struct decode *d, const struct pd_file_info *info)
{
    const bool pipe = info->container == PD_CONTAINER_PIPE;
    struct pd_out *out = begin_line(d, "{\"header\":{\"container\":\"");
    pd_out_str(out, pipe ? "pipe\",\"order\":\"" : "file\",\"order\":\"");
    pd_out_str(out, info->order == PD_BIG ? "big\"" : "little\"");
    if (info->version == 1)
        pd_out_str(out, ",\"version\":1");
    if (!pipe && pd_reader_n_attrs(d->in.reader) && has_room(d, info->header.attr_size)) {
        pd_out_str(out, ",\"attr_size\":");
        pd_out_dec(out, info->header.attr_size - 16);
    }
    pd_out_str(out, "}}");
    write_line(d);
    for (size_t i = 0; i < pd_reader_n_attrs(d->in.reader); i++) {
        const struct pd_event_attr *event = pd_reader_attr(d->in.reader, i);
        if (event->in_stream)
            continue;
        out = begin_line(d, "{\"attr\":");
        pd_attr_json(&event->attr, out);
        pd_out_str(out, ",\"ids\":");
        put_ids(out, event->ids, event->n_ids);
        pd_out_str(out, "}");
        write_line(d);
    }
}

static void decode_header(struct decode *d, const struct pd_extent *e)
{
    const struct pd_file_info *info = pd_reader_info(d->r);
    const bool pipe = info->container == PD_CONTAINER_PIPE;
    const size_t most = pipe ? 16 : 104, n = e->size < most ? (size_t)e->size : most;
    struct pd_out *out = begin_line(d, pipe ? "{\"header\":{\"container\":\"pipe\",\"order\":\""
                                            : "{\"header\":{\"container\":\"file\",\"order\":\"");
    uint8_t *bytes = read_part(d, 0, n);
    pd_out_str(out, info->order == PD_BIG ? "big\"," : "little\",");
    const size_t at = out->n; /* the brace that opens the fields */
    put_struct(out, "file_header", &info->header);
    if (out->n > at) { /* else there was no memory for it */
        memmove(out->buf + at, out->buf + at + 1, out->n - at - 1);
        out->n--;
    }
    pd_out_str(out, "}");
    if (bytes && try_exact(d, bytes, n) && d->brief)
        put_short_header(d, info);
    free(bytes);
}

static void put_attr(struct pd_out *out, const struct pd_event_attr *event, size_t i)
{
    pd_attr_json(&event->attr, out);
    pd_out_str(out, ",\"of\":");
    pd_out_dec(out, i);
    pd_out_str(out, ",\"room\":");
    pd_out_dec(out, event->room);
    pd_out_str(out, ",\"ids_section\":");
    put_struct(out, "file_section", &event->ids_section);
    put_offset(out, event->offset);
}

static void decode_attrs(struct decode *d, const struct pd_extent *e)
{
    const uint64_t entry = pd_reader_info(d->r)->header.attr_size;
    for (size_t i = 0; i < pd_reader_n_attrs(d->in.reader) && !d->failed; i++) {
        const struct pd_event_attr *event = pd_reader_attr(d->in.reader, i);
        if (event->in_stream || event->offset != d->text.at || entry > e->offset + e->size - event->offset ||
            entry > PI_LIMIT_TEXT_LINE)
            return;
        uint8_t *bytes = read_part(d, event->offset, (size_t)entry);
        if (bytes) {
            put_attr(begin_line(d, "{\"attr\":"), event, i);
            if (!try_exact(d, bytes, (size_t)entry))
                put_raw(d, bytes, (size_t)entry);
        }
        free(bytes);
    }
}

#define IDS_A_LINE 4096

static void decode_ids(struct decode *d, const struct pd_extent *e)
{
    const struct pd_event_attr *event = pd_reader_attr(d->in.reader, e->index);
    const uint64_t first = (e->offset - event->ids_section.offset) / 8, n = event->n_ids;
    for (uint64_t i = first, step; i < n && (i - first) * 8 < e->size && !d->failed; i += step) {
        const uint64_t left = e->size / 8 - (i - first);
        step = left < IDS_A_LINE ? left : IDS_A_LINE;
        if (step == 0 || step > n - i)
            return;
        struct pd_out *out = begin_line(d, "{\"ids\":");
        put_ids(out, event->ids + i, (size_t)step);
        pd_out_str(out, ",\"of\":");
        pd_out_dec(out, e->index);
        const uint64_t at = d->text.at;
        put_offset(out, at);
        uint8_t *bytes = read_part(d, at, (size_t)step * 8);
        if (bytes && !try_exact(d, bytes, (size_t)step * 8))
            put_raw(d, bytes, (size_t)step * 8);
        free(bytes);
        if (d->text.at == at)
            return;
    }
}

static void decode_event_types(struct decode *d, const struct pd_extent *e)
{
    struct pd_event_type type;
    struct pd_error error;
    const uint64_t first = (e->offset - pd_reader_info(d->r)->header.event_types.offset) / 72;
    for (uint64_t i = 0; i < e->size / 72 && !d->failed; i++) {
        uint8_t *bytes = read_part(d, d->text.at, 72);
        if (bytes == NULL || pd_reader_event_type(d->r, (size_t)(first + i), &type, &error)) {
            free(bytes);
            return;
        }
        struct pd_out *out = begin_line(d, "{\"event_type\":");
        put_struct(out, "event_type", &type);
        put_end(d, d->text.at);
        if (!try_line(d, bytes, 72))
            put_raw(d, bytes, 72);
        free(bytes);
    }
}

/* ---- The feature table and features. */

static void put_feature(struct decode *d, const struct pd_feature *f, bool plain)
{
    struct pd_out *out = begin_line(d, "{\"feature\":");
    const char *name = pd_feature_name(f->id);
    if (name)
        pd_out_json_text(out, name, strlen(name));
    else
        pd_out_dec(out, f->id);
    if (f->variant) {
        pd_out_str(out, ",\"variant\":");
        pd_out_dec(out, f->variant);
    }
    if (f->nr_cpus_avail && f->id == PD_FEAT_CPU_TOPOLOGY && f->nr_cpus_avail != d->text.nr_cpus_avail) {
        pd_out_str(out, ",\"nr_cpus_avail\":");
        pd_out_dec(out, f->nr_cpus_avail);
    }
    pd_out_str(out, ",\"content\":");
    if (plain)
        pi_feature_json_plain(f, out);
    else
        pd_feature_json(f, out);
    put_end(d, d->text.at);
}

/* Sections without bytes are only in the table. */
static void put_empty_features(struct decode *d)
{
    for (size_t i = 0; i < pd_reader_n_features(d->in.reader); i++) {
        const struct pd_feature_section *s = pd_reader_feature(d->in.reader, i);
        if (s->section.size)
            continue;
        put_feature(d, &(struct pd_feature){.id = s->feature}, true);
        write_line(d);
    }
}

#define SECTIONS_A_LINE 256

static void decode_table(struct decode *d, const struct pd_extent *e)
{
    const size_t n = (size_t)(e->size / 16 < SECTIONS_A_LINE ? e->size / 16 : SECTIONS_A_LINE);
    uint8_t *bytes = read_part(d, e->offset, n * 16);
    struct pd_out *out = begin_line(d, "{\"table\":[");
    for (size_t i = 0; i < n && i < pd_reader_n_features(d->in.reader); i++) {
        if (i)
            pd_out_str(out, ",");
        put_struct(out, "file_section", &pd_reader_feature(d->in.reader, i)->section);
    }
    pd_out_str(out, "]");
    put_offset(out, d->text.at);
    if (bytes && try_exact(d, bytes, n * 16) && d->brief)
        put_empty_features(d);
    free(bytes);
}

static void decode_feature(struct decode *d, const struct pd_extent *e)
{
    struct pd_feature f;
    struct pd_error error;
    const uint32_t cpus = e->index == PD_FEAT_CPU_TOPOLOGY ? pi_nr_cpus_avail(d->in.reader) : 0;
    uint8_t *bytes = e->size < MOST_FEATURE ? read_part(d, e->offset, (size_t)e->size) : NULL;
    if (bytes == NULL)
        return;
    if (pd_feature_decode(d->text.order, e->index, cpus, bytes, (size_t)e->size, &f, &error)) {
        error.offset = error.offset == PD_NOWHERE ? e->offset : error.offset + e->offset;
        report(d, &error);
    } else if (d->brief && f.id == PD_FEAT_AUXTRACE) {
        cli_say(d->cli, "%s: the feature AUXTRACE, offsets in this file, is left out", d->in.name);
        d->text.at += e->size;
    } else if (f.layout || e->size <= TEXT_PIECE) {
        put_feature(d, &f, d->brief);
        if (!try_line(d, bytes, (size_t)e->size) && d->brief) {
            put_feature(d, &f, false);
            try_line(d, bytes, (size_t)e->size);
        }
    }
    free(bytes);
}

/* ---- Records. */

/* True if the text so far has all data of this attr that its records need. */
static bool is_known(const struct decode *d, uint32_t i, const struct pd_attr *attr)
{
    const struct pd_attr *a = i < d->text.n_attrs && d->text.attrs[i].known ? &d->text.attrs[i].attr : NULL;
    return a && a->sample_type == attr->sample_type && a->read_format == attr->read_format &&
           a->flags == attr->flags && a->branch_sample_type == attr->branch_sample_type &&
           a->sample_regs_user == attr->sample_regs_user && a->sample_regs_intr == attr->sample_regs_intr;
}

static void need_attr(struct decode *d, const struct pd_record *rec)
{
    if (rec->attr == NULL || rec->attr_index == UINT32_MAX || is_known(d, rec->attr_index, rec->attr))
        return;
    struct pd_out *out = begin_line(d, "{\"known_attr\":");
    pd_attr_json(rec->attr, out);
    pd_out_str(out, ",\"of\":");
    pd_out_dec(out, rec->attr_index);
    pd_out_str(out, "}");
    try_exact(d, NULL, 0);
}

/* A record of an unknown event can still have a trailer: that of the event whose plan it was given. */
static void find_layout(struct decode *d, struct pd_record *rec)
{
    for (size_t i = 0; rec->has_id && rec->attr_index == UINT32_MAX && i < pd_reader_n_attrs(d->in.reader);
         i++) {
        const struct pd_event_attr *event = pd_reader_attr(d->in.reader, i);
        if (&event->plan == rec->plan) {
            rec->attr = &event->attr;
            rec->attr_index = (uint32_t)i;
        }
    }
}

static void learn(struct decode *d, const struct pd_record *rec)
{
    struct pd_error error;
    if (rec->type < PD_RECORD_HEADER_ATTR && !rec->old_feature)
        return;
    if (pi_offcpu_learn(&d->offcpu, d->r, rec, &error)) {
        report(d, &error);
        d->failed = true;
    }
}

static void put_record(const struct pd_record *rec, unsigned flags, struct pd_out *out)
{
    struct pd_offcpu offcpu;
    pd_out_bytes(out, "{\"record\":", 10);
    if (rec->decoded && pd_offcpu_of(rec, &offcpu))
        pd_record_json_offcpu(rec, flags, &offcpu, out);
    else
        pd_record_json(rec, flags, out);
    pd_out_bytes(out, "}", 1);
}

static void put_record_line(const struct pd_record *rec, unsigned flags, struct pd_out *out)
{
    put_record(rec, flags, out);
    pd_out_bytes(out, "\n", 1);
}

/* Prints the record if its line makes its bytes. */
static bool try_record(struct decode *d, const struct pd_record *rec, unsigned flags)
{
    put_record(rec, flags | PD_JSON_ATTR, begin_line(d, ""));
    d->made.n = 0;
    if (!d->brief && !d->line.lost &&
        text_sample(&d->text, rec)) { /* reading the line would be five times the work */
        write_line(d);
        return true;
    }
    return try_line(d, rec->raw, rec->size);
}

static void decode_record(struct decode *d, struct pd_record *rec)
{
    const unsigned flags = d->brief ? 0 : PD_JSON_OFFSET;
    struct pd_error error;
    const enum pd_code code = pd_reader_decode(d->r, rec, &error);
    if (code && code != PD_EUNKNOWN)
        report(d, &error);
    find_layout(d, rec);
    learn(d, rec);
    need_attr(d, rec);
    /*
     * without an attr a short text means the first, so that a record of none that could have one is its bytes
     */
    const bool shown = !d->brief || rec->attr_index != UINT32_MAX || rec->type >= PD_RECORD_HEADER_ATTR;
    if (shown && ((d->brief && try_record(d, rec, PD_JSON_PLAIN)) || try_record(d, rec, flags)))
        return;
    rec->decoded = false; /* then as its bytes */
    if (!try_record(d, rec, flags))
        put_raw(d, rec->raw, rec->size);
}

/* ---- Samples of numbers alone. */

static void drop_forms(struct decode *d)
{
    for (size_t i = 0; i < FORMED_EVENTS; i++) {
        free(d->forms.of[i]);
        d->forms.of[i] = NULL;
    }
    d->forms.changes = d->text.changes;
}

/* True if it is not known whether the record has a form. */
static bool may_have_form(const struct decode *d, const struct pd_record *rec)
{
    return rec->type == PD_RECORD_SAMPLE && rec->attr_index < FORMED_EVENTS && !d->brief &&
           (d->forms.of[rec->attr_index] == NULL || d->forms.changes != d->text.changes);
}

/*
 * After its line was printed, while no other thread prints. It counts if the record's bytes are those of its
 * line, which encoding shows, and if its line is the same in this way.
 */
static void find_form(struct decode *d, const struct pd_record *rec)
{
    struct pd_out *out = &d->line;
    if (d->forms.changes != d->text.changes)
        drop_forms(d);
    struct pi_json_form *form = cli_calloc(1, sizeof *form);
    d->forms.of[rec->attr_index] = form;
    if (form == NULL || !text_would_sample(&d->text, rec) || !pi_json_form_of(form, rec, put_record_line))
        return;
    put_record_line(rec, PD_JSON_OFFSET | PD_JSON_ATTR, begin_line(d, ""));
    const size_t n = out->n;
    if (!pi_json_form_put(form, rec, out) || out->n != 2 * n || memcmp(out->buf, out->buf + n, n) != 0)
        form->size = 0;
}

static bool put_formed(const struct decode *d, const struct pd_record *rec, struct pd_out *out)
{
    const struct pi_json_form *form = rec->attr_index < FORMED_EVENTS ? d->forms.of[rec->attr_index] : NULL;
    return form && form->size == rec->size && d->forms.changes == d->text.changes &&
           pi_json_form_put(form, rec, out);
}

/* False: it is printed in no such way. */
static bool decode_formed(struct decode *d, const struct pd_record *rec)
{
    if (!put_formed(d, rec, &d->forms.formed))
        return false;
    text_pass(&d->text, rec->offset + rec->size);
    if (d->forms.formed.n >= FORMED_BYTES)
        write_formed(d);
    return true;
}

/* In lines of TEXT_PIECE, whatever the sizes of the input's pieces. */
static bool decode_payload(struct decode *d)
{
    static const char start[] = "{\"payload\":\"";
    struct pd_error error = {0};
    const uint8_t *bytes;
    size_t n = 1;
    enum pd_code code = PD_OK;
    d->made.n = 0;
    while (n && !d->failed && (code = pd_reader_payload(d->r, &bytes, &n, &error)) == PD_OK)
        for (size_t done = 0; done < n && !d->failed;) {
            const size_t room = TEXT_PIECE - d->made.n, more = n - done < room ? n - done : room;
            d->failed |= make_bytes(&d->made, bytes + done, more) != 0;
            done += more;
            if (d->made.n < TEXT_PIECE)
                continue;
            put_pieces(d, start, d->made.bytes, TEXT_PIECE);
            d->made.n = 0;
        }
    if (d->made.n && !d->failed)
        put_pieces(d, start, d->made.bytes, d->made.n);
    if (code)
        report(d, &error);
    return code == PD_OK;
}

/* ---- With -j: samples of events that the text has told of, and the ends of rounds, by any thread. */

static bool work(void *user, void *memory, struct pd_record *rec, const struct pd_moment *when,
                 struct pd_out *out)
{
    const struct decode *d = user;
    (void)memory;
    (void)when;
    const bool may = rec->type == PD_RECORD_SAMPLE || rec->type == PD_RECORD_FINISHED_ROUND;
    if (put_formed(d, rec, out))
        return true;
    if (!may || pd_reader_decode(d->r, rec, NULL) || !text_would_sample(&d->text, rec))
        return false;
    put_record_line(rec, PD_JSON_OFFSET | PD_JSON_ATTR, out);
    return true;
}

static void own(void *user, struct pd_record *rec, const struct pd_moment *when)
{
    struct decode *d = user;
    (void)when;
    text_pass(&d->text, rec->offset);
    if (!d->failed)
        decode_record(d, rec);
}

static bool write_lines(void *user, const char *text, size_t n)
{
    const struct decode *d = user;
    return !d->failed && d->out.sink.write(d->out.sink.user, text, n) == 0;
}

/*
 * Attrs that come with the records change what follows; without offsets, lines are tried one after the other.
 */
static struct cli_crew *start_crew(struct decode *d)
{
    const struct cli_crew_job job = {
        .work = work, .own = own, .write = write_lines, .anywhere = true, .user = d};
    const bool may =
        !d->brief && d->text.form == TEXT_EXACT && pd_reader_info(d->r)->container != PD_CONTAINER_PIPE;
    return may ? cli_crew_new(d->cli->threads, &job) : NULL;
}

/* Everything before the offset has been printed, or is going to be. */
static void finish(struct decode *d, uint64_t at)
{
    d->failed |= !cli_crew_finish(d->crew);
    if (d->crew)
        text_pass(&d->text, at);
}

/*
 * True if other threads can print the record: not if the text must describe its event first. Ends of rounds
 * are frequent.
 */
static bool may_give(const struct decode *d, const struct pd_record *rec)
{
    if (rec->type == PD_RECORD_FINISHED_ROUND && !rec->payload_size && !rec->old_feature)
        return d->crew != NULL;
    return d->crew && !may_have_form(d, rec) && rec->type < PD_RECORD_HEADER_ATTR && rec->attr &&
           rec->attr_index != UINT32_MAX && is_known(d, rec->attr_index, rec->attr);
}

/* All records; from the first damage on, the bytes. */
static void decode_records(struct decode *d, uint64_t end)
{
    struct pd_record rec = {0};
    struct pd_error error;
    enum pd_code code;
    uint64_t at = d->text.at; /* of the text, when all that was given is printed */
    size_t more;
    d->crew = start_crew(d);
    while (!d->failed && (code = pd_reader_next(d->r, &rec, &error)) != PD_END) {
        if (code)
            finish(d, at), report(d, &error);
        if (code || rec.offset != at)
            break;
        cli_progress(d->cli, rec.offset, pd_reader_info(d->r)->data_end);
        if (may_give(d, &rec)) {
            if (!cli_crew_give(d->crew, &rec, NULL))
                break;
            cli_crew_give_following(d->crew, d->r, &rec, UINT64_MAX, &more);
            at += rec.size + more;
            continue;
        }
        if (!d->crew && decode_formed(d, &rec)) {
            at = d->text.at;
            continue;
        }
        finish(d, at);
        decode_record(d, &rec);
        if (may_have_form(d, &rec))
            find_form(d, &rec);
        const bool whole = !rec.payload_size || decode_payload(d);
        at = d->text.at;
        if (!whole)
            break;
    }
    if (d->crew && !d->failed)
        finish(d, at);
    cli_crew_free(d->crew);
    d->crew = NULL;
    write_formed(d);
    drop_forms(d);
    copy_to(d, end);
}

/* ---- The whole file. */

/* In a directory the reader of the file would go on with the records of the others. */
static void decode_data(struct decode *d, uint64_t end)
{
    const struct pd_reader_options how = {.size = sizeof how, .keep_compressed = true};
    struct pd_reader *file = d->r;
    struct pd_error error;
    if (!d->text.directory) {
        decode_records(d, end);
        return;
    }
    if (pd_reader_open_member(&d->r, file, 0, &how, &error) == PD_OK) {
        decode_records(d, end);
        pd_reader_close(d->r);
    } else {
        report(d, &error);
    }
    d->r = file;
}

static void decode_part(struct decode *d, const struct pd_extent *e)
{
    const uint64_t end = e->size < PD_NOWHERE - e->offset ? e->offset + e->size : PD_NOWHERE;
    if (!d->text.has_header && e->kind != PD_EXTENT_HEADER) {
        copy_to(d, end); /* a header that is not understood to the last byte */
        return;
    }
    switch (e->kind) {
    case PD_EXTENT_HEADER: decode_header(d, e); break;
    case PD_EXTENT_IDS: decode_ids(d, e); break;
    case PD_EXTENT_ATTRS: decode_attrs(d, e); break;
    case PD_EXTENT_EVENT_TYPES: decode_event_types(d, e); break;
    case PD_EXTENT_TABLE: decode_table(d, e); break;
    case PD_EXTENT_FEATURE: decode_feature(d, e); break;
    case PD_EXTENT_DATA: decode_data(d, end); break;
    default: break;
    }
    copy_to(d, end); /* what is left of the part */
}

/* At the end of a stream's data, the map of the file is rebuilt; its parts that have passed are skipped. */
static void decode_parts(struct decode *d)
{
    size_t n;
    const struct pd_extent *all = pd_reader_extents(d->r, &n);
    for (size_t i = 0; i < n && !d->failed;) {
        struct pd_extent e = all[i++];
        const uint64_t done = e.offset < d->text.at ? d->text.at - e.offset : 0;
        if (done >= e.size)
            continue;
        if (done)
            e = (struct pd_extent){PD_EXTENT_OVERLAP, e.index, e.offset + done, e.size - done};
        decode_part(d, &e);
        if (e.kind == PD_EXTENT_DATA) {
            all = pd_reader_extents(d->r, &n);
            i = 0;
        }
    }
    cli_tell_findings(&d->in);
}

/* ---- Files that are not recordings, and other files of a directory. */

static void copy_fd(struct decode *d, int fd)
{
    uint8_t *buf = cli_malloc(TEXT_PIECE);
    ssize_t got = 1;
    while (buf && !d->failed && got) {
        got = read(fd, buf, TEXT_PIECE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            cli_fail(d->cli, cli_part_status(errno), "%s: %s", d->in.name, strerror(errno));
            break;
        }
        put_raw(d, buf, (size_t)got);
    }
    free(buf);
}

static void put_entry(struct decode *d, const char *kind, const char *name, mode_t mode, const char *target)
{
    struct pd_out *out = begin_line(d, "{\"");
    char octal[8];
    pd_out_str(out, kind);
    pd_out_str(out, "\":");
    pd_out_json_text(out, name, strlen(name));
    if (target) {
        pd_out_str(out, ",\"to\":");
        pd_out_json_text(out, target, strlen(target));
    } else {
        snprintf(octal, sizeof octal, "%04o", (unsigned)(mode & 07777));
        pd_out_str(out, ",\"mode\":\"");
        pd_out_str(out, octal);
        pd_out_str(out, "\"");
    }
    pd_out_str(out, "}");
    if (!try_line(d, NULL, 0)) {
        cli_fail(d->cli, CLI_DAMAGED, "%s: %s: %s", d->in.name, name, d->text.error);
        d->failed = true;
    }
}

static char *join(const char *dir, const char *name)
{
    return dir ? cli_format("%s/%s", dir, name) : cli_strdup(name);
}

static void copy_file(struct decode *d, const char *path, const char *name, mode_t mode)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        cli_fail(d->cli, cli_part_status(errno), "%s: %s", path, strerror(errno));
        return;
    }
    put_entry(d, "member", name, mode, NULL);
    d->bare = true;
    copy_fd(d, fd);
    d->bare = false;
    close(fd);
}

static void copy_link(struct decode *d, const char *path, const char *name)
{
    char target[4096];
    const ssize_t n = readlink(path, target, sizeof target - 1);
    if (n < 0) {
        cli_fail(d->cli, cli_part_status(errno), "%s: %s", path, strerror(errno));
        return;
    }
    target[n] = 0;
    put_entry(d, "link", name, 0, target);
}

static bool is_member(const struct decode *d, const char *name)
{
    for (size_t i = 0; d->in.reader && i < pd_reader_n_members(d->in.reader); i++)
        if (strcmp(pd_reader_member(d->in.reader, i)->name, name) == 0)
            return true;
    return false;
}

static void copy_tree(struct decode *d, const char *dir, const char *below, int depth);

static void copy_entry(struct decode *d, const char *path, const char *name, int depth)
{
    struct stat st;
    if (lstat(path, &st) < 0) {
        cli_fail(d->cli, cli_part_status(errno), "%s: %s", path, strerror(errno));
    } else if (S_ISREG(st.st_mode)) {
        copy_file(d, path, name, st.st_mode);
    } else if (S_ISLNK(st.st_mode)) {
        copy_link(d, path, name);
    } else if (S_ISDIR(st.st_mode) && depth < PI_LIMIT_DECODE_DEPTH) {
        put_entry(d, "directory", name, st.st_mode, NULL);
        copy_tree(d, path, name, depth + 1);
    } else {
        cli_say(d->cli, "%s is not printed", path);
    }
}

/* The entries of a directory, by name; without the members of the recording. */
static void copy_tree(struct decode *d, const char *dir, const char *below, int depth)
{
    struct dirent **entries = NULL;
    const int n = scandir(dir, &entries, NULL, alphasort);
    if (n < 0)
        cli_fail(d->cli, cli_part_status(errno), "%s: %s", dir, strerror(errno));
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        const bool skip =
            strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || (below == NULL && is_member(d, name));
        char *path = skip || d->failed ? NULL : join(dir, name), *inner = path ? join(below, name) : NULL;
        if (inner)
            copy_entry(d, path, inner, depth);
        free(path);
        free(inner);
        free(entries[i]);
    }
    free(entries);
}

/* ---- Directories. */

static void decode_member(struct decode *d, size_t i)
{
    const struct pd_reader_options how = {.size = sizeof how, .keep_compressed = true};
    const struct pd_member *m = pd_reader_member(d->in.reader, i);
    struct pd_error error;
    put_entry(d, "member", m->name, m->mode, NULL);
    if (i == 0) {
        decode_parts(d);
        return;
    }
    if (pd_reader_open_member(&d->r, d->in.reader, i, &how, &error))
        report(d, &error);
    else if (d->text.has_header)
        decode_records(d, m->size);
    else
        copy_to(d, m->size);
    if (d->r != d->in.reader)
        pd_reader_close(d->r);
    d->r = d->in.reader;
}

static void decode_directory(struct decode *d, const char *path)
{
    put_entry(d, "directory", ".", d->in.st.st_mode, NULL);
    for (size_t i = 0; d->r && i < pd_reader_n_members(d->r) && !d->failed; i++)
        decode_member(d, i);
    copy_tree(d, path, NULL, 0);
}

/* ---- The verb. */

/* Only bytes: not a recording, or one whose header cannot be read. */
static void decode_bytes(struct decode *d, const char *path)
{
    if (S_ISDIR(d->in.st.st_mode)) {
        decode_directory(d, path);
        return;
    }
    if (d->in.seekable)
        lseek(d->in.fd, 0, SEEK_SET);
    else
        put_raw(d, d->in.begin, d->in.n_begin);
    copy_fd(d, d->in.fd);
    if (d->text.at == 0 && !d->brief)
        write_line((begin_line(d, "{\"raw\":\"\"}"), d));
}

static void decode_all(struct decode *d, const char *path)
{
    struct pd_error error;
    const struct pd_reader_options how = {.size = sizeof how, .keep_compressed = true, .probe = true};
    const enum pd_code code = cli_input_start(&d->in, path, &how, CLI_BEGIN, &error);
    d->r = d->in.reader;
    if (pd_is_failure(code)) {
        report(d, &error);
        d->failed = true;
        return;
    }
    if (code) {
        report(d, &error);
        decode_bytes(d, path);
        return;
    }
    cli_watch(&d->in);
    cli_tell_findings(&d->in);
    if (pi_offcpu_open(&d->offcpu, d->r, &cli_allocator, &error)) {
        report(d, &error);
        d->failed = true;
    } else if (S_ISDIR(d->in.st.st_mode)) {
        decode_directory(d, path);
    } else {
        decode_parts(d);
    }
    pi_offcpu_close(&d->offcpu);
}

/* Some damage has no short text: the rest is printed, with a message. */
static void end_check(struct decode *d)
{
    const bool whole = text_finish(&d->check);
    if (!whole)
        refuse(d);
    if (d->refused)
        cli_fail(d->cli, CLI_DAMAGED,
                 "%s: the short form cannot express all of it, perfdata decode without --short does: "
                 "%" PRIu64 " lines are left out%s, the first because of %s",
                 d->in.name, d->refused - !whole, whole ? "" : ", and encode refuses the text", d->why);
}

static void decode_input(struct decode *d, const char *path)
{
    static const struct pd_sink nowhere = {drop_bytes, drop_patch, NULL};
    if (!cli_input_open_file(d->cli, &d->in, path, CLI_SEEK | CLI_FLOW) ||
        !cli_output_open(d->cli, &d->out, &d->in, 1, CLI_TEXT))
        return;
    d->sink = (struct pd_sink){make_bytes, NULL, &d->made};
    d->text.sink = &d->sink;
    d->check.sink = &nowhere;
    d->check.line = 1;
    decode_all(d, path);
    cli_progress_end(d->cli);
    if (d->brief)
        end_check(d);
    if (d->left_out)
        cli_say(d->cli, "%s: %" PRIu64 " bytes that belong to nothing, or are damaged, are left out",
                d->in.name, d->left_out);
    if (!d->failed || d->out.error)
        cli_output_commit(&d->out);
    cli_output_discard(&d->out);
}

int cmd_decode(struct cli *cli, int argc, char **argv)
{
    struct decode d = {.cli = cli, .line = {.more = more_line}, .forms.formed.more = pd_out_grow};
    cli->spec = &spec;
    int key;
    while ((key = cli_next_option(cli, argc, argv)) == KEY_SHORT)
        d.brief = true;
    if (key != CLI_END)
        return cli->status;
    if (cli->output == NULL)
        cli->output = "-";
    if (text_open(&d.text) && text_open(&d.check))
        decode_input(&d, cli->inputs[0]);
    else
        cli_fail(cli, CLI_OUTPUT, "no memory");
    text_close(&d.text);
    text_close(&d.check);
    cli_input_close(&d.in);
    free(d.line.buf);
    free(d.forms.formed.buf);
    free(d.made.bytes);
    return cli->status;
}
