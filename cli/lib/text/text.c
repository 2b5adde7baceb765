/* SPDX-License-Identifier: MIT */
/* text.c - the text form of a recording: from a line to bytes. */
#include "text.h"
#include "json_plain.h"
#include "ops/text/parse_json.h"
#include "src/codec/plan.h"
#include "src/codec/record_role.h"
#include "src/codec/usual.h"
#include "src/container/dir.h"
#include <inttypes.h>
#include <jansson.h>
#include <perfdata/constants.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Errors. */

__attribute__((format(printf, 3, 4))) static bool fail(struct text *t, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(t->error, sizeof t->error, format, args);
    va_end(args);
    t->status = status;
    return false;
}

/* The library's error for a value that cannot be encoded or written. */
static bool fail_code(struct text *t, const char *key, const struct pd_error *error)
{
    char text[400];
    struct pd_error what = *error;
    if (error->code == PD_EOUT && t->status)
        return false;                             /* who wrote has told */
    what.offset = what.record_index = PD_NOWHERE; /* it is in this line */
    pd_error_text(&what, text, sizeof text);
    return fail(t, error->code == PD_EOUT || error->code == PD_ENOMEM ? CLI_OUTPUT : CLI_DAMAGED, "%s: %s",
                key, text);
}

/* The parser's error; `key` is that of the line, "" if the path begins with it. */
static bool fail_parse(struct text *t, const char *key, enum pd_code code)
{
    const struct pd_parse_error *e = pd_parser_error(t->parser);
    const char *dot = *key && e->path[0] && e->path[0] != '[' ? "." : "";
    if (code == PD_ENOMEM)
        return fail(t, CLI_OUTPUT, "%s: no memory", key);
    return fail(t, CLI_DAMAGED, "%s%s%s: %s found, expected: %s", key, dot, e->path, e->found, e->expected);
}

/* The first bytes of a text: what a message shows of it, and one more. */
struct start {
    char text[101];
    size_t n;
};

static int take_start(const char *text, size_t n, void *user)
{
    struct start *s = user;
    const size_t room = sizeof s->text - s->n;
    memcpy(s->text + s->n, text, n < room ? n : room);
    s->n += n < room ? n : room;
    return s->n == sizeof s->text ? -1 : 0; /* that is enough */
}

/* An unexpected value, or another item in its place. */
static bool wrong(struct text *t, const char *key, const json_t *found, const char *expected)
{
    struct start s = {.n = 0};
    if (found)
        json_dump_callback(found, take_start, &s, JSON_ENCODE_ANY | JSON_COMPACT);
    size_t shown = s.n < sizeof s.text ? s.n : sizeof s.text - 1;
    while (shown < s.n && (s.text[shown] & 0xc0) == 0x80) /* not in the middle of a character */
        shown--;
    return fail(t, CLI_DAMAGED, "%s: %.*s%s found, expected: %s", key, s.n ? (int)shown : 7,
                s.n ? s.text : "nothing", shown < s.n ? "…" : "", expected);
}

/* ---- Bytes. */

static bool open_output(struct text *t)
{
    return t->sink || (t->open && t->open(t, NULL, 0, NULL));
}

static bool put_bytes(struct text *t, const void *bytes, size_t n)
{
    if (!open_output(t))
        return false;
    if (n && t->sink->write(t->sink->user, bytes, n))
        return fail(t, CLI_OUTPUT, "writing failed");
    t->at += n;
    return true;
}

static bool put_struct(struct text *t, const char *layout, const void *value, size_t most)
{
    uint8_t bytes[256];
    struct pd_error error;
    size_t n;
    if (pi_struct_encode(layout, t->order, value, bytes, sizeof bytes, &n, &error))
        return fail_code(t, layout, &error);
    return put_bytes(t, bytes, n < most ? n : most);
}

/* ---- Keys. */

/* A line may have only these keys. */
static bool only(struct text *t, const json_t *line, const char *const *known)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)line, key, value)
    {
        bool is_known = strcmp(key, "offset") == 0;
        for (size_t i = 0; known[i]; i++)
            is_known |= strcmp(known[i], key) == 0;
        if (!is_known)
            return fail(t, CLI_DAMAGED, "\"%s\" is no key of a line of \"%s\"", key, known[0]);
    }
    return true;
}
#define ONLY(t_, line_, ...) only(t_, line_, (const char *const[]){__VA_ARGS__, NULL})

/* A number; if it is missing, *value stays. `in` names the object of the key, "" for the line. */
static bool number_in(struct text *t, const char *in, const json_t *line, const char *key, unsigned width,
                      uint64_t *value)
{
    const json_t *json = json_object_get(line, key);
    const enum pd_code code = json ? pi_number_from(t->parser, key, json, &pd_set_DEC, width, value) : PD_OK;
    return code == PD_OK || fail_parse(t, in, code);
}

static bool number(struct text *t, const json_t *line, const char *key, unsigned width, uint64_t *value)
{
    return number_in(t, "", line, key, width, value);
}

/* A given offset must be the current one. */
static bool check_offset(struct text *t, const char *key, uint64_t offset)
{
    if (offset == PD_NOWHERE || offset == t->at)
        return true;
    return fail(t, CLI_DAMAGED,
                "%s: %" PRIu64 " found, expected: %" PRIu64 ", where the lines before it end (or no offset)",
                key, offset, t->at);
}

static bool exact_only(struct text *t, const char *key)
{
    if (t->form == TEXT_EXACT)
        return true;
    if (t->form == TEXT_SHORT)
        return fail(t, CLI_DAMAGED,
                    "%s: only a text whose header line has offsets and sizes has such lines; "
                    "this one leaves the layout to be computed",
                    key);
    return fail(t, CLI_DAMAGED, "%s: a header line must come first", key);
}

static bool need_header(struct text *t, const char *key)
{
    if (t->bare)
        return fail(t, CLI_DAMAGED, "%s: expected only in the files \"data\" and \"data.N\" of a directory",
                    key);
    return t->form != TEXT_UNKNOWN || fail(t, CLI_DAMAGED, "%s: a header line must come first", key);
}

/* A payload that was announced must have come. */
static bool no_payload_due(struct text *t, const char *key)
{
    return t->form != TEXT_SHORT || t->payload_due == 0 ||
           fail(t, CLI_DAMAGED,
                "%s: the record of line %" PRIu64 " says that %" PRIu64
                " more bytes of \"payload\" come before it",
                key, t->payload_line, t->payload_due);
}

/* ---- The header. */

static bool word(struct text *t, json_t *object, const char *key, const char *const *words, int usual,
                 int *which)
{
    const json_t *json = json_object_get(object, key);
    const char *text = json_string_value(json);
    char path[32], expected[32];
    *which = usual;
    if (json == NULL && usual >= 0)
        return true;
    for (int i = 0; text && words[i]; i++)
        if (strcmp(text, words[i]) == 0) {
            *which = i;
            json_object_del(object, key);
            return true;
        }
    snprintf(path, sizeof path, "header.%s", key);
    snprintf(expected, sizeof expected, "\"%s\" or \"%s\"", words[0], words[1]);
    return wrong(t, path, json, expected);
}

static bool exact_header(struct text *t, const json_t *fields)
{
    struct pd_file_header header;
    const enum pd_code code = pi_struct_from(t->parser, "file_header", fields, &header);
    if (code)
        return fail_parse(t, "header", code);
    if (t->endian >= 0 && t->endian != (int)t->order)
        return fail(t, CLI_USAGE,
                    "--endian: this text is of the other byte order, offset by offset; "
                    "perfdata convert --endian turns a recording");
    t->form = TEXT_EXACT;
    return put_struct(t, "file_header", &header,
                      t->container == PD_CONTAINER_PIPE ? 16 : (size_t)header.size);
}

static bool short_header(struct text *t, json_t *fields)
{
    struct pd_writer_options options = {.size = sizeof options, .max_features = 32, .keep_ids = true};
    struct pd_error error;
    uint64_t version = 2, attr_size = 0;
    const char *key;
    json_t *value;
    const bool has_attr_size = json_object_get(fields, "attr_size");
    if (!number_in(t, "header", fields, "version", 1, &version) ||
        !number_in(t, "header", fields, "attr_size", 4, &attr_size))
        return false;
    json_object_del(fields, "version");
    json_object_del(fields, "attr_size");
    json_object_foreach(fields, key, value) return fail(
        t, CLI_DAMAGED,
        "header.%s: no key of a header without size; expected: container, order, version, attr_size", key);
    if (version != 1 && version != 2)
        return fail(t, CLI_DAMAGED, "header.version: %" PRIu64 " found, expected: 1 or 2", version);
    if (has_attr_size && (attr_size < PD_ATTR_SIZE_VER0 || attr_size > PI_LIMIT_ATTR))
        return fail(t, CLI_DAMAGED, "header.attr_size: %" PRIu64 " found, expected: %d to %d", attr_size,
                    PD_ATTR_SIZE_VER0, PI_LIMIT_ATTR);
    t->room = attr_size;
    if (t->directory && t->container != PD_CONTAINER_FILE)
        return fail(t, CLI_DAMAGED, "header.container: \"pipe\" found, expected: \"file\" in a directory");
    t->form = TEXT_SHORT;
    t->turned = t->endian >= 0 && t->endian != (int)t->order;
    if (t->turned)
        t->order = (enum pd_order)t->endian;
    options.order = t->order;
    options.container = t->container;
    options.version = (unsigned)version;
    options.attr_size = (uint32_t)attr_size;
    if (t->container == PD_CONTAINER_PIPE)
        options.max_features = 0;
    if (!open_output(t))
        return false;
    return pd_writer_open(&t->writer, t->sink, &options, &error) == PD_OK || fail_code(t, "header", &error);
}

static bool take_header(struct text *t, json_t *line)
{
    static const char *const containers[] = {"file", "pipe", NULL}, *const orders[] = {"little", "big", NULL};
    json_t *fields = json_copy(json_object_get(line, "header"));
    int container = 0, order = PD_HOST_ORDER;
    bool ok = ONLY(t, line, "header");
    if (ok && (t->any || t->has_header))
        ok = fail(t, CLI_DAMAGED, "header: it must be the first line%s, and the only one of its kind",
                  t->directory ? " of data" : "");
    if (ok && t->directory && !t->in_data)
        ok = fail(t, CLI_DAMAGED,
                  "header: expected only behind {\"member\":\"data\"}, the file of a directory that has one");
    if (ok && !json_is_object(fields))
        ok = wrong(t, "header", json_object_get(line, "header"), "an object");
    ok = ok && word(t, fields, "container", containers, 0, &container) &&
         word(t, fields, "order", orders, json_object_get(fields, "size") ? -1 : PD_LITTLE, &order);
    if (ok) {
        t->container = container ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE;
        t->order = (enum pd_order)order;
        ok = json_object_get(fields, "size") ? exact_header(t, fields) : short_header(t, fields);
        pd_plan_init(&t->none, NULL, t->order);
        t->changes++;
        t->has_header = true;
    }
    json_decref(fields);
    return ok;
}

/* ---- Attrs. */

/* Attr number i is from now on this one. */
static bool learn_attr(struct text *t, size_t i, const struct pd_attr *attr, uint64_t id)
{
    if (i >= PI_LIMIT_TEXT_ATTRS)
        return fail(t, CLI_DAMAGED, "more than %d attrs", PI_LIMIT_TEXT_ATTRS);
    if (i >= t->cap) {
        const size_t cap = i + 1 > 2 * t->cap ? i + 1 : 2 * t->cap;
        struct text_attr *p = cli_realloc(t->attrs, cap * sizeof *p);
        if (p == NULL)
            return fail(t, CLI_OUTPUT, "no memory");
        memset(p + t->cap, 0, (cap - t->cap) * sizeof *p);
        t->attrs = p;
        t->cap = cap;
    }
    struct text_attr *a = &t->attrs[i];
    *a = (struct text_attr){.attr = *attr, .id = id, .known = true};
    a->attr.tail = (struct pd_bytes){NULL, 0};
    pd_plan_init(&a->plan, attr, t->order);
    if (i >= t->n_attrs)
        t->n_attrs = i + 1;
    t->changes++;
    return true;
}

/* An entry of the attrs section. */
struct entry {
    uint64_t room; /* bytes of the attr */
    struct pd_file_section ids;
};

static bool take_entry_parts(struct text *t, const json_t *line, struct entry *e)
{
    const json_t *json = json_object_get(line, "ids_section");
    *e = (struct entry){.room = 0};
    if (!number(t, line, "room", 4, &e->room))
        return false;
    if (e->room > PI_LIMIT_TEXT_LINE)
        return fail(t, CLI_DAMAGED, "room: %" PRIu64 " found, expected: at most %d", e->room,
                    PI_LIMIT_TEXT_LINE);
    const enum pd_code code = json ? pi_struct_from(t->parser, "file_section", json, &e->ids) : PD_OK;
    return code == PD_OK || fail_parse(t, "ids_section", code);
}

/* The bytes of its entry: the attr, and the position of its ids. */
static bool exact_attr(struct text *t, const struct entry *e, const struct pd_attr *attr)
{
    struct pd_error error;
    const size_t room = e->room ? (size_t)e->room : pd_attr_bytes(attr);
    uint8_t *bytes = cli_malloc(room + 1);
    if (bytes == NULL)
        return fail(t, CLI_OUTPUT, "no memory");
    bool ok = pd_attr_encode(t->order, attr, bytes, room, &error) == PD_OK || fail_code(t, "attr", &error);
    ok = ok && put_bytes(t, bytes, room) && put_struct(t, "file_section", &e->ids, SIZE_MAX);
    free(bytes);
    return ok;
}

static bool take_id_array(struct text *t, const json_t *json, uint64_t **ids, size_t *n)
{
    *n = json_array_size(json);
    if (!json_is_array(json))
        return wrong(t, "ids", json, "an array of event ids");
    *ids = cli_malloc((*n + 1) * sizeof **ids);
    if (*ids == NULL)
        return fail(t, CLI_OUTPUT, "no memory");
    for (size_t i = 0; i < *n; i++) {
        char path[32];
        snprintf(path, sizeof path, "ids[%zu]", i);
        const enum pd_code code =
            pi_number_from(t->parser, path, json_array_get(json, i), &pd_set_DEC, 8, &(*ids)[i]);
        if (code)
            return fail_parse(t, "", code);
    }
    return true;
}

/* An attr that asks for ids but gives none (NULL) is given its number, counted from 1. */
static bool short_attr(struct text *t, const struct pd_attr *attr, const uint64_t *ids, size_t n)
{
    const uint64_t own = t->n_attrs + 1;
    struct pd_error error;
    if (t->room && pd_attr_bytes(attr) > t->room)
        return fail(t, CLI_DAMAGED,
                    "attr: %zu bytes found, expected: at most %" PRIu64 ", the header's attr_size",
                    pd_attr_bytes(attr), t->room);
    if (!ids && attr->sample_type & (PD_SAMPLE_ID | PD_SAMPLE_IDENTIFIER))
        ids = &own, n = 1;
    if (pd_writer_attr(t->writer, attr, ids, n, &error))
        return fail_code(t, "attr", &error);
    return learn_attr(t, t->n_attrs, attr, ids && n ? ids[0] : 0);
}

/* The attr is taken last, because its tail is in the parser's memory. */
static bool take_attr(struct text *t, json_t *line)
{
    struct pd_attr attr;
    struct entry entry = {.room = 0};
    uint64_t of = t->n_attrs, *ids = NULL;
    size_t n = 0;
    if (!need_header(t, "attr") || !no_payload_due(t, "attr") || !number(t, line, "of", 4, &of))
        return false;
    const bool is_short = t->form == TEXT_SHORT;
    if (is_short && of != t->n_attrs)
        return fail(t, CLI_DAMAGED,
                    "of: %" PRIu64 " found, expected: %zu, for so many attr lines came before", of,
                    t->n_attrs);
    const json_t *json = json_object_get(line, "ids");
    bool ok = is_short
                  ? ONLY(t, line, "attr", "ids", "of") && (!json || take_id_array(t, json, &ids, &n))
                  : ONLY(t, line, "attr", "room", "ids_section", "of") && take_entry_parts(t, line, &entry);
    const enum pd_code code = ok ? pi_attr_from(t->parser, json_object_get(line, "attr"), &attr) : PD_OK;
    if (code)
        ok = fail_parse(t, "attr", code);
    else if (ok && is_short)
        ok = short_attr(t, &attr, ids, n);
    else if (ok)
        ok = learn_attr(t, (size_t)of, &attr, 0) && exact_attr(t, &entry, &attr);
    free(ids);
    return ok;
}

/* An attr that comes behind the records that need it, or is in raw bytes. */
static bool take_known_attr(struct text *t, json_t *line)
{
    struct pd_attr attr;
    uint64_t of = t->n_attrs;
    if (!exact_only(t, "known_attr") || !ONLY(t, line, "known_attr", "of") || !number(t, line, "of", 4, &of))
        return false;
    const enum pd_code code = pi_attr_from(t->parser, json_object_get(line, "known_attr"), &attr);
    return code ? fail_parse(t, "known_attr", code) : learn_attr(t, (size_t)of, &attr, 0);
}

static bool take_ids(struct text *t, json_t *line)
{
    uint64_t *ids = NULL;
    size_t n = 0;
    bool ok = exact_only(t, "ids") && ONLY(t, line, "ids", "of") &&
              take_id_array(t, json_object_get(line, "ids"), &ids, &n);
    for (size_t i = 0; ok && i < n; i++) {
        uint8_t id[8];
        for (size_t b = 0; b < 8; b++)
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): take_id_array() made n of them */
            id[t->order == PD_BIG ? 7 - b : b] = (uint8_t)(ids[i] >> 8 * b);
        ok = put_bytes(t, id, sizeof id);
    }
    free(ids);
    return ok;
}

static bool take_event_type(struct text *t, json_t *line)
{
    struct pd_event_type type;
    struct pd_error error;
    if (!need_header(t, "event_type") || !no_payload_due(t, "event_type") || !ONLY(t, line, "event_type"))
        return false;
    const enum pd_code code =
        pi_struct_from(t->parser, "event_type", json_object_get(line, "event_type"), &type);
    if (code)
        return fail_parse(t, "event_type", code);
    if (t->form == TEXT_EXACT)
        return put_struct(t, "event_type", &type, SIZE_MAX);
    return pd_writer_event_type(t->writer, &type, &error) == PD_OK || fail_code(t, "event_type", &error);
}

/* ---- Records. */

/* The attr that a record line names; else the first, in a text that is short, or none. */
static bool find_attr(struct text *t, const json_t *json, uint64_t *index)
{
    const bool is_short = t->form == TEXT_SHORT;
    const json_t *type_json = json_object_get(json, "type");
    uint64_t type;
    if (is_short && json_object_get(json, "offset"))
        return fail(t, CLI_DAMAGED,
                    "record.offset: expected only below a header line with offsets and sizes");
    if (is_short && t->n_attrs == 0 && type_json &&
        pi_number_from(t->parser, "type", type_json, &pd_set_record_type, 4, &type) == PD_OK &&
        type < PD_RECORD_HEADER_ATTR)
        return fail(t, CLI_DAMAGED,
                    "record: there is no attr line before it, which says how its event was opened");
    *index = is_short && t->n_attrs ? 0 : UINT32_MAX;
    if (!number(t, json, "attr", 4, index))
        return false;
    if (*index != UINT32_MAX && (*index >= t->n_attrs || !t->attrs[*index].known))
        return fail(t, CLI_DAMAGED,
                    "record.attr: %" PRIu64
                    " found, expected: the number of an attr line before it (there are %zu)",
                    *index, t->n_attrs);
    return true;
}

/* A sample of an attr with ids has one of them, or it belongs to no event. */
static void set_id(const struct text *t, const json_t *json, struct pd_record *rec)
{
    const json_t *sample = json_object_get(json, "sample"), *trailer = json_object_get(json, "sample_id");
    const uint64_t id = t->attrs[rec->attr_index].id;
    if (rec->type == PD_RECORD_SAMPLE) {
        if (!json_object_get(sample, "id"))
            rec->u.sample.id = id;
        if (!json_object_get(sample, "identifier"))
            rec->u.sample.identifier = id;
    } else if (rec->has_id) {
        if (!json_object_get(trailer, "id"))
            rec->id.id = id;
        if (!json_object_get(trailer, "identifier"))
            rec->id.identifier = id;
    }
}

/* Records with a number of bytes that follow on separate lines. */
static const struct payload {
    uint32_t type;
    const char *layout, *key;
} payloads[] = {
    {PD_RECORD_AUXTRACE, "auxtrace", "size"},
    {PD_RECORD_HEADER_TRACING_DATA, "header_tracing_data", "data_size"},
};

/* simpleperf's tracing data is inside the record. */
static const struct payload *payload_of(const struct pd_record *rec)
{
    const bool inside = rec->type == PD_RECORD_HEADER_TRACING_DATA && rec->rest.n > 4;
    for (size_t i = 0; !rec->raw && !rec->old_feature && !inside && i < sizeof payloads / sizeof *payloads;
         i++)
        if (payloads[i].type == rec->type)
            return &payloads[i];
    return NULL;
}

/* Information in a record of a stream about later records. */
static bool learn_record(struct text *t, const struct pd_record *rec)
{
    struct pd_feature f;
    if (rec->raw)
        return true;
    if (rec->type == PD_RECORD_HEADER_ATTR && !rec->old_feature) {
        const struct pd_header_attr *h = &rec->u.header_attr;
        return learn_attr(t, t->n_attrs, &h->attr, h->ids.n ? pd_vec_at(&h->ids, 0) : 0);
    }
    if (rec->type == PD_RECORD_HEADER_FEATURE && rec->u.header_feature.feat_id == PD_FEAT_NRCPUS &&
        pd_feature_decode(t->order, PD_FEAT_NRCPUS, 0, rec->u.header_feature.data.ptr,
                          rec->u.header_feature.data.n, &f, NULL) == PD_OK &&
        f.layout)
        t->nr_cpus_avail = f.u.nrcpus.nr_cpus_avail;
    return true;
}

/*
 * The attr may be one that the writer does not know: from a record of a stream, or from another file of a
 * directory.
 */
static bool short_record(struct text *t, const json_t *json, struct pd_record *rec)
{
    static uint8_t bytes[UINT16_MAX];
    const uint8_t *from = rec->raw ? rec->raw : bytes;
    struct pd_error error;
    size_t n = rec->size;
    t->payload_due = 0;
    if (t->turned && pi_holds_records(rec->type)) /* bytes, which nobody turns */
        return fail(t, CLI_USAGE,
                    "--endian: this record holds others, in the byte order of the header; "
                    "perfdata convert --endian turns a recording");
    if (!rec->raw && rec->attr_index != UINT32_MAX)
        set_id(t, json, rec);
    if (!rec->raw && pd_record_encode(rec->plan, rec, bytes, sizeof bytes, &n, &error))
        return fail_code(t, "record", &error);
    if (pd_writer_raw(t->writer, from, n, &error))
        return fail_code(t, "record", &error);
    t->payload_line = t->line;
    if (payload_of(rec))
        t->payload_due =
            rec->type == PD_RECORD_AUXTRACE ? rec->u.auxtrace.size : rec->u.header_tracing_data.data_size;
    return t->container != PD_CONTAINER_PIPE || learn_record(t, rec);
}

static bool exact_record(struct text *t, const struct pd_record *rec)
{
    static uint8_t bytes[UINT16_MAX];
    struct pd_error error;
    size_t n;
    if (rec->raw)
        return put_bytes(t, rec->raw, rec->size);
    if (pd_record_encode(rec->plan, rec, bytes, sizeof bytes, &n, &error))
        return fail_code(t, "record", &error);
    return put_bytes(t, bytes, n) && learn_record(t, rec);
}

/* True if the number of bytes behind it is left out. */
static const struct payload *without_size(const json_t *json, const struct pd_record *rec)
{
    const struct payload *p = payload_of(rec);
    return p && !json_object_get(json_object_get(json, p->layout), p->key) ? p : NULL;
}

static bool take_record(struct text *t, json_t *line)
{
    const json_t *json = json_object_get(line, "record");
    struct pd_record rec = {.nr_cpus_avail = t->nr_cpus_avail};
    uint64_t attr = UINT32_MAX;
    if (!need_header(t, "record") || !no_payload_due(t, "record") || !ONLY(t, line, "record") ||
        !find_attr(t, json, &attr))
        return false;
    const struct pd_plan *plan = attr == UINT32_MAX ? &t->none : &t->attrs[attr].plan;
    const enum pd_code code = pi_record_from(t->parser, plan, json, &rec);
    if (code)
        return fail_parse(t, "record", code);
    rec.attr_index = (uint32_t)attr;
    const struct payload *p = without_size(json, &rec);
    if (p && t->form == TEXT_EXACT)
        return fail(t, CLI_DAMAGED, "record.%s.%s: nothing found, expected: the bytes of payload that follow",
                    p->layout, p->key);
    if (p) {
        t->waiting = json_incref(line);
        t->waiting_for = p;
        return true;
    }
    if (t->form == TEXT_SHORT)
        return short_record(t, json, &rec);
    return check_offset(t, "record.offset", rec.offset) && exact_record(t, &rec);
}

/*
 * The attr for encoding the line of a sample, or of the end of a round, if the text would use the same as the
 * reader; else NULL.
 */
static const struct pd_plan *plan_of(const struct text *t, const struct pd_record *rec)
{
    const struct text_attr *a = rec->attr_index < t->n_attrs ? &t->attrs[rec->attr_index] : NULL;
    if (rec->type == PD_RECORD_FINISHED_ROUND && rec->attr_index == UINT32_MAX && rec->size == 8)
        return &t->none;
    return rec->type == PD_RECORD_SAMPLE && a && a->known && pi_plans_are_alike(&a->plan, rec->plan)
               ? &a->plan
               : NULL;
}

/* Encodes it into bytes, as its line would. */
static bool make_sample(const struct text *t, const struct pd_record *rec, uint8_t bytes[UINT16_MAX],
                        size_t *n)
{
    const struct pd_plan *plan = rec->decoded ? plan_of(t, rec) : NULL;
    return plan && pd_record_encode(plan, rec, bytes, UINT16_MAX, n, NULL) == PD_OK && *n == rec->size &&
           memcmp(bytes, rec->raw, *n) == 0;
}

void text_pass(struct text *t, uint64_t offset)
{
    t->any = true;
    t->at = offset;
}

/*
 * Of the usual types, a sample whose fields end at its size has no byte that is not in one of them: encoding
 * would give the same, at a fifteenth of the time that its line takes.
 */
bool text_sample(struct text *t, const struct pd_record *rec)
{
    uint8_t bytes[UINT16_MAX];
    size_t n;
    if (t->form != TEXT_EXACT || t->at != rec->offset)
        return false;
    const struct pd_plan *plan = rec->decoded && rec->variant == 0 ? plan_of(t, rec) : NULL;
    if (!(plan && pi_sample_fits(plan, rec->raw, rec->size)) && !make_sample(t, rec, bytes, &n))
        return false;
    text_pass(t, t->at + rec->size);
    return true;
}

bool text_would_sample(const struct text *t, const struct pd_record *rec)
{
    uint8_t bytes[UINT16_MAX];
    size_t n;
    return make_sample(t, rec, bytes, &n);
}

/* Payload of a record that waits for its size. */
static bool keep_payload(struct text *t, const struct pd_bytes *b)
{
    if (b->n > PI_LIMIT_TEXT_PAYLOAD - t->n_payload)
        return fail(t, CLI_DAMAGED,
                    "payload: more than %d bytes behind a record without size, which must be given then",
                    PI_LIMIT_TEXT_PAYLOAD);
    uint8_t *p = cli_realloc(t->payload, t->n_payload + b->n + 1);
    if (p == NULL)
        return fail(t, CLI_OUTPUT, "no memory");
    t->payload = p;
    memcpy(p + t->n_payload, b->ptr, b->n);
    t->n_payload += b->n;
    return true;
}

/* Its payload ends: the record is written, with its size, and the payload behind it. */
static bool release_waiting(struct text *t)
{
    json_t *line = t->waiting, *json = json_object_get(line, "record");
    const struct payload *p = t->waiting_for;
    struct pd_error error;
    if (line == NULL)
        return true;
    t->waiting = NULL;
    if (!json_object_get(json, p->layout))
        json_object_set_new(json, p->layout, json_object());
    bool ok = json_object_set_new(json_object_get(json, p->layout), p->key,
                                  json_integer((json_int_t)t->n_payload)) == 0 ||
              fail(t, CLI_OUTPUT, "no memory");
    ok = ok && take_record(t, line);
    if (ok && pd_writer_raw(t->writer, t->payload, t->n_payload, &error))
        ok = fail_code(t, "payload", &error);
    t->payload_due = 0;
    t->n_payload = 0;
    json_decref(line);
    return ok;
}

static bool take_payload(struct text *t, json_t *line)
{
    struct pd_bytes b;
    struct pd_error error;
    if (!need_header(t, "payload") || !ONLY(t, line, "payload"))
        return false;
    const enum pd_code code = pi_bytes_from(t->parser, "payload", json_object_get(line, "payload"), &b);
    if (code)
        return fail_parse(t, "", code);
    if (t->form == TEXT_EXACT)
        return put_bytes(t, b.ptr, b.n);
    if (t->waiting)
        return keep_payload(t, &b);
    if (b.n > t->payload_due)
        return fail(t, CLI_DAMAGED,
                    "payload: %zu bytes found, expected: at most the %" PRIu64
                    " that the record before it announced",
                    b.n, t->payload_due);
    t->payload_due -= b.n;
    return pd_writer_raw(t->writer, b.ptr, b.n, &error) == PD_OK || fail_code(t, "payload", &error);
}

/* ---- The feature table and features. */

static bool take_table(struct text *t, json_t *line)
{
    const json_t *table = json_object_get(line, "table");
    if (!exact_only(t, "table") || !ONLY(t, line, "table"))
        return false;
    if (!json_is_array(table))
        return wrong(t, "table", table, "an array of {\"offset\":…,\"size\":…}");
    for (size_t i = 0; i < json_array_size(table); i++) {
        struct pd_file_section section;
        const enum pd_code code =
            pi_struct_from(t->parser, "file_section", json_array_get(table, i), &section);
        if (code)
            return fail_parse(t, "table", code);
        if (!put_struct(t, "file_section", &section, SIZE_MAX))
            return false;
    }
    return true;
}

static bool take_feature_id(struct text *t, const json_t *json, uint32_t *id)
{
    const char *text = json_string_value(json);
    if (json_is_integer(json) && json_integer_value(json) >= 0 && json_integer_value(json) < 256)
        *id = (uint32_t)json_integer_value(json);
    else if (!text || !pd_feature_parse(text, id) || *id > 255)
        return wrong(t, "feature", json, "the name of a feature, or a number below 256");
    return true;
}

static bool put_feature(struct text *t, const struct pd_feature *f)
{
    struct pd_error error;
    size_t n = 0;
    if (t->form == TEXT_SHORT)
        return pd_writer_put_feature(t->writer, f, &error) == PD_OK || fail_code(t, "content", &error);
    if (pd_feature_encode(t->order, f, NULL, 0, &n, &error))
        return fail_code(t, "content", &error);
    uint8_t *bytes = cli_malloc(n + 1);
    if (bytes == NULL)
        return fail(t, CLI_OUTPUT, "no memory");
    bool ok =
        pd_feature_encode(t->order, f, bytes, n, &n, &error) == PD_OK || fail_code(t, "content", &error);
    ok = ok && put_bytes(t, bytes, n);
    free(bytes);
    return ok;
}

static bool take_feature(struct text *t, json_t *line)
{
    struct pd_feature f = {0};
    uint64_t variant = 0, cpus = t->nr_cpus_avail;
    if (!need_header(t, "feature") || !no_payload_due(t, "feature") ||
        !ONLY(t, line, "feature", "content", "variant", "nr_cpus_avail") ||
        !take_feature_id(t, json_object_get(line, "feature"), &f.id) ||
        !number(t, line, "variant", 1, &variant) || !number(t, line, "nr_cpus_avail", 4, &cpus))
        return false;
    f.variant = (uint8_t)variant;
    f.nr_cpus_avail = (uint32_t)cpus;
    const enum pd_code code = pi_feature_from(t->parser, json_object_get(line, "content"), &f);
    if (code)
        return fail_parse(t, "content", code);
    if (f.id == PD_FEAT_NRCPUS && f.layout)
        t->nr_cpus_avail = f.u.nrcpus.nr_cpus_avail;
    t->dir_format |= f.id == PD_FEAT_DIR_FORMAT;
    if (t->form == TEXT_SHORT && t->given[f.id])
        return wrong(t, "feature", json_object_get(line, "feature"), "each feature once");
    t->given[f.id] = put_feature(t, &f);
    return t->given[f.id];
}

/* ---- Bytes as they are. */

/* A file that is not a recording has no header line. */
static bool take_raw(struct text *t, json_t *line)
{
    struct pd_bytes b;
    if ((t->form == TEXT_SHORT && !t->bare && !exact_only(t, "raw")) || !ONLY(t, line, "raw"))
        return false;
    const enum pd_code code = pi_bytes_from(t->parser, "raw", json_object_get(line, "raw"), &b);
    if (code)
        return fail_parse(t, "", code);
    return put_bytes(t, b.ptr, b.n);
}

/* ---- Directories. */

bool text_mode(const char *text, mode_t *mode)
{
    char *end;
    const unsigned long n = text && *text >= '0' && *text <= '7' ? strtoul(text, &end, 8) : 010000;
    *mode = (mode_t)n;
    return n <= 07777 && *end == 0;
}

/* A path below the directory: no part of it leads outside. */
static bool is_inside(const char *name, size_t n)
{
    if (n == 0 || memchr(name, 0, n) || name[n - 1] == '/')
        return false;
    for (const char *part = name; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL) {
        const size_t len = strcspn(part, "/");
        if (len == 0 || (len == 1 && part[0] == '.') || (len == 2 && part[0] == '.' && part[1] == '.'))
            return false;
    }
    return true;
}

/* Text of a file's name, which need not be UTF-8, in memory of the parser's or of the line. */
static bool file_name(struct text *t, const json_t *line, const char *key, char *buf, size_t cap, size_t *n)
{
    const json_t *json = json_object_get(line, key), *hex = json_object_get(json, "hex");
    struct pd_bytes b = {(const uint8_t *)json_string_value(json), json_string_length(json)};
    const enum pd_code code = hex ? pi_bytes_from(t->parser, key, hex, &b) : PD_OK;
    if (code)
        return fail_parse(t, "", code);
    if (b.ptr == NULL || b.n == 0 || b.n >= cap)
        return wrong(t, key, json, "the name of a file");
    memcpy(buf, b.ptr, b.n);
    buf[b.n] = 0;
    *n = b.n;
    return true;
}

/* Completes what a writer has written; a directory says so in its `data`. */
static bool finish_writer(struct text *t)
{
    const struct pd_feature directory = {.id = PD_FEAT_DIR_FORMAT, .u.dir_format.version = 1};
    struct pd_error error;
    if (t->writer == NULL)
        return true;
    if (t->directory && !t->dir_format && pd_writer_put_feature(t->writer, &directory, &error))
        return fail_code(t, "the end", &error);
    t->dir_format = true;
    if (pd_writer_finish(t->writer, &error))
        return fail_code(t, "the end", &error);
    pd_writer_close(t->writer);
    t->writer = NULL;
    return true;
}

/* `data.N` */
static bool has_records(const char *kind, const char *name)
{
    return strcmp(kind, "member") == 0 && pi_dir_is_member(name) && name[5] &&
           name[5 + strspn(name + 5, "0123456789")] == 0;
}

/* {"directory":".",…} begins the text of a directory; then its files, directories and links. */
static bool take_entry(struct text *t, const json_t *line, const char *kind)
{
    char name[4096] = "", target[4096];
    const json_t *mode_json = json_object_get(line, "mode");
    size_t n = 0, n_target = 0;
    const bool link = strcmp(kind, "link") == 0, directory = strcmp(kind, "directory") == 0;
    mode_t mode = directory ? 0700 : 0600;
    if (!no_payload_due(t, kind) || !finish_writer(t)) /* the following lines are of another file, or of
                                                          none */
        return false;
    if (!ONLY(t, line, kind, link ? "to" : "mode") || !file_name(t, line, kind, name, sizeof name, &n) ||
        (link && !file_name(t, line, "to", target, sizeof target, &n_target)))
        return false;
    if (mode_json && !text_mode(json_string_value(mode_json), &mode))
        return wrong(t, "mode", mode_json, "octal digits, like \"0600\"");
    const bool top = directory && strcmp(name, ".") == 0;
    if (top ? t->any || t->directory : !t->directory)
        return fail(t, CLI_DAMAGED,
                    top ? "directory: \".\" is the first line or none"
                        : "%s: expected only behind a line {\"directory\":\".\"}",
                    kind);
    if (!top && !is_inside(name, n))
        return fail(t, CLI_DAMAGED, "%s: \"%.100s\" found, expected: a path inside the directory", kind,
                    name);
    t->directory = true;
    t->in_data = !link && !directory && strcmp(name, "data") == 0;
    t->has_member |= !link && !directory;
    t->bare = t->form == TEXT_SHORT && !has_records(kind, name);
    if (directory)
        mode |= S_IFDIR;
    if (t->open && !t->open(t, name, mode, link ? target : NULL))
        return false;
    t->at = 0;
    return true;
}

static bool take_member(struct text *t, json_t *line)
{
    const struct pd_writer_options options = {
        .size = sizeof options, .container = PD_CONTAINER_DIRECTORY, .order = t->order};
    const bool is_short = t->form == TEXT_SHORT;
    struct pd_error error;
    if (!take_entry(t, line, "member"))
        return false;
    t->any = false;
    if (!is_short || t->bare)
        return true;
    return pd_writer_open(&t->writer, t->sink, &options, &error) == PD_OK || fail_code(t, "member", &error);
}

static bool take_directory(struct text *t, json_t *line)
{
    return take_entry(t, line, "directory");
}

static bool take_link(struct text *t, json_t *line)
{
    return take_entry(t, line, "link");
}

/* ---- Lines. */

static const struct pd_plan *plan_of_attr(const void *user, uint32_t attr)
{
    const struct text *t = user;
    if (attr == UINT32_MAX)
        return &t->none;
    return attr < t->n_attrs && t->attrs[attr].known ? &t->attrs[attr].plan : NULL;
}

bool text_makes_records(const struct text *t)
{
    return t->form == TEXT_EXACT;
}

/* A record as `decode` prints it. False: nothing has changed. */
static bool make_usual(const struct text *t, struct pd_parser *parser, const char *line, size_t n,
                       struct pd_record *rec, uint8_t bytes[UINT16_MAX], size_t *size)
{
    return text_makes_records(t) && pi_record_from_line(parser, line, n, plan_of_attr, t, rec) &&
           pd_record_encode(rec->plan, rec, bytes, UINT16_MAX, size, NULL) == PD_OK;
}

bool text_make_record(const struct text *t, struct pd_parser *parser, const char *line, size_t n,
                      struct pd_record *rec, uint8_t bytes[UINT16_MAX], size_t *size)
{
    return make_usual(t, parser, line, n, rec, bytes, size) && !pi_is_of_head(rec);
}

bool text_records(struct text *t, const uint8_t *bytes, size_t n)
{
    t->any = true;
    return put_bytes(t, bytes, n);
}

static const struct {
    const char *key;
    bool (*take)(struct text *t, json_t *line);
} kinds[] = {
    {"record", take_record}, {"payload", take_payload},
    {"raw", take_raw},       {"header", take_header},
    {"attr", take_attr},     {"known_attr", take_known_attr},
    {"ids", take_ids},       {"event_type", take_event_type},
    {"table", take_table},   {"feature", take_feature},
    {"member", take_member}, {"directory", take_directory},
    {"link", take_link},
};

static bool take_line(struct text *t, json_t *line)
{
    uint64_t offset = PD_NOWHERE;
    if (!json_is_object(line))
        return wrong(t, "the line", line, "a JSON object");
    if (!number(t, line, "offset", 8, &offset))
        return false;
    if (offset != PD_NOWHERE && t->form == TEXT_SHORT)
        return fail(t, CLI_DAMAGED, "offset: expected only below a header line with offsets and sizes");
    if (!check_offset(t, "offset", offset))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (json_object_get(line, kinds[i].key)) {
            const bool member = kinds[i].take == take_member;
            const bool ok = kinds[i].take(t, line);
            t->any |= !member;
            return ok;
        }
    return wrong(t, "the line", line,
                 "one of header, attr, ids, event_type, record, payload, table, feature or raw");
}

bool text_line(struct text *t, const char *line, size_t n)
{
    static struct pd_record usual;
    static uint8_t bytes[UINT16_MAX];
    json_error_t error;
    size_t size;
    t->error[0] = 0;
    t->status = 0;
    if (make_usual(t, t->parser, line, n, &usual, bytes, &size) && usual.offset == t->at)
        return text_records(t, bytes, size) && learn_record(t, &usual);
    json_t *json = json_plain(line, n);
    if (json == NULL)
        json = json_loadb(line, n, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL)
        return fail(t, CLI_DAMAGED, "at byte %d: no JSON: %.200s%s", error.position, error.text,
                    json_error_code(&error) == json_error_premature_end_of_input
                        ? "; an object takes one line, as jq -c . makes it"
                        : "");
    const bool ok = (json_object_get(json, "payload") || release_waiting(t)) && take_line(t, json);
    json_decref(json);
    return ok;
}

bool text_open(struct text *t)
{
    struct pd_error error;
    t->endian = -1;
    return pd_parser_open(&t->parser, &cli_allocator, &error) == PD_OK;
}

bool text_finish(struct text *t)
{
    if (!release_waiting(t) || !no_payload_due(t, "the end"))
        return false;
    if (t->form == TEXT_SHORT)
        return finish_writer(t);
    if (!t->any && !t->directory)
        return fail(t, CLI_DAMAGED, "there are no lines; expected: a header line");
    if (t->directory && !t->has_member) /* other files may be arbitrary bytes */
        return fail(t, CLI_DAMAGED, "the directory has no line {\"member\":\"data\"}, and no file at all");
    return true;
}

void text_close(struct text *t)
{
    pd_writer_close(t->writer);
    pd_parser_close(t->parser);
    json_decref(t->waiting);
    free(t->payload);
    free(t->attrs);
    *t = (struct text){0};
}
