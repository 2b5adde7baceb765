/* SPDX-License-Identifier: MIT */
/*
 * redact.c - the changes that a redaction makes for each kind of field; schema/identity.def assigns the
 * kinds.
 */
#include "redact.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include "src/schema/options.h"
#include "src/support/text_scan.h"
#include "src/support/wire.h"
#include "src/support/wrap.h"
#include <stdio.h>

#define FIRST_TIME UINT64_C(1000000000000000) /* the first time of the output without a key */

/* ---- The options for a kind */

/* Kinds that an option decides; others are always redacted. */
static enum pd_redact_how how_of(const struct pd_redaction *r, unsigned kind)
{
    const struct pd_redact_options *o = &r->options;
    if (pi_identity_is_pid(kind))
        return o->pids;
    switch (kind) {
    case PI_ID_HOST: return o->hostname;
    case PI_ID_CMDLINE: return o->cmdline;
    case PI_ID_COMM: return o->comms;
    case PI_ID_PATH:
    case PI_ID_CGROUP:
    case PI_ID_SYMBOL:
    case PI_ID_INODE: return o->paths;
    case PI_ID_ADDR:
    case PI_ID_EXTENT:
    case PI_ID_OFFSET: return o->addrs;
    case PI_ID_TIME:
    case PI_ID_CLOCK:
    case PI_ID_WALL: return o->times;
    case PI_ID_BUILD_ID: return o->build_ids;
    case PI_ID_PAYLOAD:
    case PI_ID_RAW:
    case PI_ID_PAGE: return o->payloads;
    case PI_ID_LISTING: /* it lists addresses, too */
        return o->payloads == PD_REDACT_KEEP && o->addrs != PD_REDACT_KEEP ? PD_REDACT_HASH : o->payloads;
    case PI_ID_EVENT:
    case PI_ID_SYSTEM:
    case PI_ID_FORMAT: return o->events;
    case PI_ID_CPUS:
    case PI_ID_MACHINE: return o->machine;
    case PI_ID_ZERO:
    case PI_ID_WORD:
    case PI_ID_OPAQUE: return PD_REDACT_HASH;
    default: return PD_REDACT_KEEP;
    }
}

/*
 * True if fields of the kind must be seen. Kept events are, too, since those of probes have names of
 * functions.
 */
static bool is_touched(const struct pd_redaction *r, unsigned kind)
{
    const bool event = kind == PI_ID_EVENT || kind == PI_ID_SYSTEM || kind == PI_ID_FORMAT;
    return how_of(r, kind) != PD_REDACT_KEEP ||
           (event && (r->options.paths != PD_REDACT_KEEP || r->options.addrs != PD_REDACT_KEEP));
}

/* ---- Numbers */

/* True for numbers with a special meaning, which stay unchanged. */
static bool is_plain_number(enum pi_redact_space space, unsigned width, uint64_t value)
{
    const uint64_t ones = width < 8 ? (UINT64_C(1) << 8 * width) - 1 : UINT64_MAX;
    return value == 0 || (space == PI_SPACE_ADDR ? value >= PD_CONTEXT_MAX : value == ones);
}

/* True if a number may become this one: a pid stays a pid, an address stays in its half. */
static bool is_alike(enum pi_redact_space space, unsigned width, uint64_t a, uint64_t b)
{
    if (is_plain_number(space, width, b))
        return false;
    switch (space) {
    case PI_SPACE_PID: return width == 8 || a >> 31 == b >> 31;
    case PI_SPACE_ADDR: return a >> 63 == b >> 63;
    default: return true;
    }
}

static uint64_t new_number(struct pd_redaction *r, enum pi_redact_space space, unsigned width, uint64_t value)
{
    uint64_t now = value;
    if (!r->names.keyed)
        return (space == PI_SPACE_ADDR ? (value & UINT64_C(1) << 63) + (UINT64_C(1) << 62) : 0) +
               ++r->names.counts[space];
    do
        now = pi_names_permute(&r->names, space, 8 * width, now);
    while (!is_alike(space, width, value, now));
    return now;
}

static enum pd_code hash_number(struct pd_redaction *r, enum pi_redact_space space, unsigned width,
                                uint64_t *value, struct pd_error *error)
{
    /* A pid is the same in 32 and in 64 bits. */
    if (is_plain_number(space, width, *value))
        return PD_OK;
    if (space == PI_SPACE_PID && *value <= UINT32_MAX)
        width = 4;
    const struct pi_replaced *e = pi_names_find(&r->names, space, value, sizeof *value);
    if (e == NULL) {
        const uint64_t now = new_number(r, space, width, *value);
        e = pi_names_add(&r->names, space, value, sizeof *value, &now, sizeof now);
    }
    if (e == NULL)
        return pi_redact_no_memory(error);
    memcpy(value, e->bytes + e->n, sizeof *value);
    return PD_OK;
}

/* Moves all times by the same; a time outside of the recording may wrap around at 2^64. */
PI_WRAPS static void hash_time(struct pd_redaction *r, enum pi_identity kind, uint64_t *value)
{
    if (kind == PI_ID_WALL || (kind == PI_ID_TIME && *value == 0)) {
        *value = 0;
        return;
    }
    if (!r->shift_known)
        r->shift = r->names.keyed ? pi_names_shift(&r->names) : FIRST_TIME - *value;
    r->shift_known = true;
    *value += r->shift;
}

/* ---- Addresses */

static bool is_of_kernel(const struct pi_edits *e, uint64_t addr)
{
    return e->kernel || addr >> 63;
}

/*
 * An offset in a map without a file is an address: of memory, or of the symbol that identifies the kernel's
 * map.
 */
static bool is_address(const struct pi_edits *e, enum pi_identity kind, uint64_t value)
{
    return kind == PI_ID_ADDR || (kind == PI_ID_OFFSET && (e->of_memory || is_of_kernel(e, value)));
}

/*
 * True if others may know where a map ends: maps of the kernel end at the end of all addresses or where
 * modules begin, and maps of programs may extend into that half. A size of 32 bits is that of a function.
 */
static bool is_telling(const struct pi_edits *e, unsigned width, uint64_t len)
{
    const uint64_t addr = e->redaction->at;
    return width == 8 && (is_of_kernel(e, addr) || len > (UINT64_C(1) << 63) - addr);
}

static enum pd_code survey_number(struct pi_edits *e, enum pi_identity kind, unsigned width, uint64_t value,
                                  struct pd_error *error)
{
    struct pd_redaction *r = e->redaction;
    bool ok = true;
    if (how_of(r, PI_ID_ADDR) != PD_REDACT_HASH)
        return PD_OK;
    if (kind == PI_ID_ADDR)
        r->at = value;
    if (is_address(e, kind, value) && !is_plain_number(PI_SPACE_ADDR, width, value))
        ok = pi_addrs_note(&r->addrs, value);
    else if (kind == PI_ID_EXTENT)
        ok = pi_addrs_note_extent(&r->addrs, r->at, value, is_telling(e, width, value));
    return ok ? PD_OK : pi_redact_no_memory(error);
}

/* An address that the survey has not noted goes anywhere in its half, except where others are. */
static enum pd_code hash_addr(struct pd_redaction *r, unsigned width, uint64_t *value, struct pd_error *error)
{
    r->at = r->at_now = *value;
    if (is_plain_number(PI_SPACE_ADDR, width, *value))
        return PD_OK;
    enum pd_code code = PD_OK;
    if (!pi_addrs_find(&r->addrs, *value, &r->at_now))
        code = hash_number(r, PI_SPACE_ADDR, width, &r->at_now, error);
    *value = r->at_now;
    return code;
}

static enum pd_code hash_place(struct pi_edits *e, enum pi_identity kind, unsigned width, uint64_t *value,
                               struct pd_error *error)
{
    struct pd_redaction *r = e->redaction;
    if (is_address(e, kind, *value))
        return hash_addr(r, width, value, error);
    if (kind == PI_ID_EXTENT && is_telling(e, width, *value))
        *value = pi_addrs_extent(&r->addrs, r->at, *value, r->at_now);
    return PD_OK;
}

static void drop_number(struct pi_edits *e, enum pi_identity kind, unsigned width, uint64_t *value)
{
    const bool marker = kind == PI_ID_ADDR && is_plain_number(PI_SPACE_ADDR, 8, *value);
    if (kind == PI_ID_ADDR)
        e->redaction->at = *value;
    if (!marker && (kind != PI_ID_EXTENT || is_telling(e, width, *value)))
        *value = 0;
}

static bool asks_survey(const struct pd_redaction *r)
{
    return r->options.addrs == PD_REDACT_HASH && !r->surveys;
}

static void begin_survey(struct pd_redaction *r)
{
    pi_addrs_clear(&r->addrs);
    r->surveys = true;
}

static enum pd_code end_survey(struct pd_redaction *r, struct pd_error *error)
{
    r->surveys = false;
    return pi_addrs_place(&r->addrs) ? PD_OK : pi_redact_no_memory(error);
}

static enum pd_code number(void *user, enum pi_identity kind, unsigned width, uint64_t *value,
                           struct pd_error *error)
{
    struct pi_edits *e = user;
    struct pd_redaction *r = e->redaction;
    if (kind == PI_ID_OPAQUE)
        e->opaque = true;
    if (r->surveys)
        return survey_number(e, kind, width, *value, error);
    if (how_of(r, kind) == PD_REDACT_DROP)
        drop_number(e, kind, width, value);
    if (how_of(r, kind) != PD_REDACT_HASH)
        return PD_OK;
    if (pi_identity_is_pid(kind))
        return hash_number(r, PI_SPACE_PID, width, value, error);
    switch (kind) {
    case PI_ID_INODE: return hash_number(r, PI_SPACE_INODE, width, value, error);
    case PI_ID_ADDR:
    case PI_ID_EXTENT:
    case PI_ID_OFFSET: return hash_place(e, kind, width, value, error);
    case PI_ID_TIME:
    case PI_ID_CLOCK:
    case PI_ID_WALL: hash_time(r, kind, value); return PD_OK;
    case PI_ID_OPAQUE: return PD_OK;
    default: *value = 0; return PD_OK;
    }
}

/* ---- Build ids */

/* Ids shorter than their room end in zeros; the new one has the same length, in steps of 8 bytes. */
static enum pd_code hash_id(struct pd_redaction *r, struct pd_bytes *b, struct pd_error *error)
{
    uint8_t now[32] = {0};
    size_t n = b->n < sizeof now ? b->n : sizeof now;
    while (n && b->ptr[n - 1] == 0)
        n--;
    n = (n + 7) & ~(size_t)7;
    n = n < b->n ? n : b->n;
    if (n == 0)
        return PD_OK;
    const struct pi_replaced *e = pi_names_find(&r->names, PI_SPACE_BUILD_ID, b->ptr, b->n);
    if (e == NULL) {
        if (r->names.keyed)
            pi_names_hash(&r->names, PI_SPACE_BUILD_ID, b->ptr, b->n, now, n);
        else
            pi_store64(now, ++r->names.counts[PI_SPACE_BUILD_ID], PD_BIG);
        e = pi_names_add(&r->names, PI_SPACE_BUILD_ID, b->ptr, b->n, now, b->n);
    }
    if (e == NULL)
        return pi_redact_no_memory(error);
    *b = (struct pd_bytes){e->bytes + e->n, e->n_new};
    return PD_OK;
}

/*
 * An id that simpleperf writes as text gets the replacement of the same bytes elsewhere; the shortest length
 * that keeps two ids apart is 8.
 */
static enum pd_code hash_text_id(struct pi_edits *e, struct pd_bytes *text, struct pd_error *error)
{
    uint8_t id[20] = {0};
    const size_t n = text->n;
    bool is_id = n % 2 == 0 && n / 2 >= 8 && n / 2 <= sizeof id;
    for (size_t i = 0; is_id && i < n; i++) {
        const unsigned digit = pi_lower_digit((char)text->ptr[i]);
        is_id = digit < 16;
        id[i / 2] |= (uint8_t)(is_id ? digit << (i % 2 ? 0 : 4) : 0);
    }
    if (!is_id)
        return pi_redact_name(e->redaction, text, error);
    struct pd_bytes b = {id, sizeof id};
    const enum pd_code code = hash_id(e->redaction, &b, error);
    char *now = code ? NULL : pi_retouch_memory(&e->touch, n);
    if (code || now == NULL)
        return code ? code : pi_redact_no_memory(error);
    pi_put_hex_bytes(now, b.ptr, n / 2);
    *text = (struct pd_bytes){(const uint8_t *)now, n};
    return PD_OK;
}

/* ---- Strings */

static enum pd_code drop_string(const struct pd_redaction *r, enum pi_identity kind, struct pd_bytes *text)
{
    if (kind == PI_ID_PATH && !pi_redact_is_plain_path(r, text))
        *text = (struct pd_bytes){(const uint8_t *)"//anon", 6};
    else if (kind == PI_ID_CGROUP)
        *text = (struct pd_bytes){(const uint8_t *)"/", 1};
    else if (kind != PI_ID_PATH)
        *text = (struct pd_bytes){text->ptr, 0};
    return PD_OK;
}

static enum pd_code system_name(struct pd_redaction *r, struct pd_bytes *text, struct pd_error *error)
{
    r->system_known = how_of(r, PI_ID_SYSTEM) == PD_REDACT_KEEP &&
                      (r->options.paths == PD_REDACT_KEEP || pi_redact_is_system(text->ptr, text->n));
    return r->system_known ? PD_OK : pi_redact_name(r, text, error);
}

static enum pd_code string(void *user, enum pi_identity kind, struct pd_bytes *text, size_t most,
                           struct pd_error *error)
{
    struct pi_edits *e = user;
    struct pd_redaction *r = e->redaction;
    const enum pd_redact_how how = how_of(r, kind);
    enum pd_code code = PD_OK;
    if (r->surveys && kind != PI_ID_WORD)
        return PD_OK;
    if ((kind == PI_ID_PATH || kind == PI_ID_CMDLINE) && pi_redact_is_public(r, text))
        return PD_OK;
    switch (kind) {
    case PI_ID_WORD: e->opaque |= !pi_redact_is_word(text); break;
    case PI_ID_BUILD_ID:
        if (r->public_file)
            return PD_OK;
        code = how == PD_REDACT_DROP ? drop_string(r, kind, text) : hash_text_id(e, text, error);
        break;
    case PI_ID_SYSTEM: code = system_name(r, text, error); break;
    case PI_ID_CPUS: /* a name here ends the reading of perf 6.1, an empty list does not */
    case PI_ID_LISTING: text->n = 0; break;
    case PI_ID_EVENT:
        code = how == PD_REDACT_KEEP   ? pi_redact_event(r, text, error)
               : how == PD_REDACT_DROP ? drop_string(r, kind, text)
                                       : pi_redact_name(r, text, error);
        break;
    case PI_ID_CMDLINE: /* its words are options, names and paths */
    case PI_ID_CGROUP:
    case PI_ID_PATH:
        code = how == PD_REDACT_DROP ? drop_string(r, kind, text) : pi_redact_path(r, text, error);
        break;
    default:
        code = how == PD_REDACT_DROP ? drop_string(r, kind, text) : pi_redact_name(r, text, error);
        break;
    }
    return code || text->n <= most ? code : pi_fail(error, PD_ELIMIT, PD_NOWHERE, NULL, text->n, most);
}

/* ---- Bytes */

static enum pd_code zeros(struct pi_edits *e, struct pd_bytes *b, struct pd_error *error)
{
    static const uint8_t none[UINT16_MAX];
    const uint8_t *p = none;
    if (b->n > sizeof none) {
        uint8_t *more = pi_retouch_memory(&e->touch, b->n);
        if (more == NULL)
            return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "payload", 0, b->n);
        memset(more, 0, b->n);
        p = more;
    }
    b->ptr = p;
    return PD_OK;
}

/*
 * The number of the tracepoint stays; its event tells it as well. perf 6.1 crashes on samples of an unknown
 * tracepoint.
 */
static enum pd_code raw_data(struct pi_edits *e, struct pd_bytes *b, struct pd_error *error)
{
    const uint8_t *was = b->ptr;
    const uint64_t number = e->event && e->event->type == PD_TYPE_TRACEPOINT ? e->event->config : UINT64_MAX;
    if (b->n < 2 || (pi_load16(was, PD_LITTLE) != number && pi_load16(was, PD_BIG) != number))
        return zeros(e, b, error);
    uint8_t *now = pi_retouch_memory(&e->touch, b->n);
    if (now == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "payload", 0, b->n);
    memset(now, 0, b->n);
    memcpy(now, was, 2);
    b->ptr = now;
    return PD_OK;
}

static bool is_zero(const struct pd_bytes *b)
{
    size_t n = b->n;
    while (n && b->ptr[n - 1] == 0)
        n--;
    return n == 0;
}

static enum pd_code bytes(void *user, enum pi_identity kind, struct pd_bytes *b, struct pd_error *error)
{
    struct pi_edits *e = user;
    struct pd_redaction *r = e->redaction;
    if (r->surveys && kind != PI_ID_OPAQUE)
        return PD_OK;
    switch (kind) {
    case PI_ID_OPAQUE: e->opaque |= !is_zero(b); return PD_OK;
    case PI_ID_FORMAT: return r->system_known ? PD_OK : pi_redact_format(r, b, error);
    case PI_ID_PAGE: return pi_redact_page(r, b, error);
    case PI_ID_LISTING: b->n = 0; return PD_OK;
    case PI_ID_BUILD_ID:
        if (r->public_file)
            return PD_OK;
        if (how_of(r, kind) == PD_REDACT_HASH)
            return hash_id(r, b, error);
        return zeros(e, b, error);
    case PI_ID_RAW: return raw_data(e, b, error);
    default: return zeros(e, b, error);
    }
}

/* ---- The redaction */

static void file(void *user, const struct pd_bytes *path)
{
    struct pd_redaction *r = ((struct pi_edits *)user)->redaction;
    r->public_file = pi_redact_is_public(r, path);
}

static void apply(struct pd_redaction *r, struct pi_edits *e)
{
    static const uint64_t payloads =
        PD_SAMPLE_RAW | PD_SAMPLE_REGS_USER | PD_SAMPLE_STACK_USER | PD_SAMPLE_REGS_INTR | PD_SAMPLE_AUX;
    e->touch.number = number;
    e->touch.string = string;
    e->touch.bytes = bytes;
    e->touch.file = r->n_public ? file : NULL;
    e->touch.clean = true;
    e->strict = true;
    e->drop_unknown = r->options.drop_unknown;
    for (unsigned kind = PI_ID_ZERO; kind < PI_N_IDENTITIES; kind++) {
        if (is_touched(r, kind))
            e->touch.touched |= PI_ID_BIT(kind);
        if (how_of(r, kind) == PD_REDACT_DROP)
            e->drop |= PI_ID_BIT(kind);
    }
    e->zero_payload = r->options.payloads == PD_REDACT_HASH;
    e->clean_chains = r->options.payloads != PD_REDACT_KEEP && r->options.addrs == PD_REDACT_KEEP;
    if (r->options.payloads == PD_REDACT_DROP) {
        e->strip = payloads;
        e->drop |= PI_ID_BIT(PI_ID_AUX);
    }
    r->system_known = r->options.events == PD_REDACT_KEEP;
}

static const struct pi_redaction_calls calls = {apply, asks_survey, begin_survey, end_survey};

static void settle(enum pd_redact_how *how, enum pd_redact_how usual)
{
    *how = *how == PD_REDACT_USUAL ? usual : *how;
}

static enum pd_code keep_paths(struct pd_redaction *r, const struct pd_redact_options *o,
                               struct pd_error *error)
{
    r->public = o->n_keep_paths ? pi_array(r->allocator, NULL, o->n_keep_paths, sizeof *r->public) : NULL;
    if (o->n_keep_paths && r->public == NULL)
        return pi_redact_no_memory(error);
    for (; r->n_public < o->n_keep_paths; r->n_public++) {
        const struct pd_bytes *path = &o->keep_paths[r->n_public];
        char *copy = r->public[r->n_public] = pi_resize(r->allocator, NULL, path->n + 1);
        if (copy == NULL)
            return pi_redact_no_memory(error);
        memcpy(copy, path->ptr, path->n);
        copy[path->n] = 0;
    }
    return PD_OK;
}

enum pd_code pd_redaction_open(struct pd_redaction **redaction, const struct pd_redact_options *options,
                               struct pd_error *error)
{
    struct pd_redact_options o;
    const enum pd_code code = PI_TAKE_OPTIONS(pd_redact_options, &o, options, error);
    if (code)
        return code;
    if (o.key && o.key_n < 16)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "key", o.key_n, 16);
    struct pd_redaction *r = pi_resize(o.allocator, NULL, sizeof *r);
    if (r == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "redaction", 0, sizeof *r);
    *r = (struct pd_redaction){.calls = &calls,
                               .allocator = o.allocator,
                               .names.allocator = o.allocator,
                               .addrs.allocator = o.allocator};
    if (o.key && !pi_names_take_key(&r->names, o.key, o.key_n)) {
        pi_release(o.allocator, r);
        return pi_fail(error, PD_EARG, PD_NOWHERE, "libsodium", 0, 0);
    }
    enum pd_code kept = keep_paths(r, &o, error);
    for (size_t i = 0; !kept && i < o.n_keep; i++)
        kept = pi_redact_keep(r, &o.keep[i], error);
    if (kept) {
        pd_redaction_close(r);
        return kept;
    }
    o.key = NULL;
    o.keep = o.keep_paths = NULL;
    settle(&o.hostname, PD_REDACT_HASH);
    settle(&o.cmdline, PD_REDACT_HASH);
    settle(&o.paths, PD_REDACT_HASH);
    settle(&o.comms, PD_REDACT_HASH);
    settle(&o.pids, PD_REDACT_KEEP);
    settle(&o.addrs, PD_REDACT_KEEP);
    settle(&o.times, PD_REDACT_KEEP);
    settle(&o.build_ids, PD_REDACT_HASH);
    settle(&o.payloads, PD_REDACT_HASH);
    settle(&o.events, PD_REDACT_KEEP);
    settle(&o.machine, PD_REDACT_KEEP);
    r->options = o;
    *redaction = r;
    return PD_OK;
}

void pd_redaction_close(struct pd_redaction *r)
{
    if (r == NULL)
        return;
    pi_names_close(&r->names);
    pi_addrs_close(&r->addrs);
    while (r->n_public)
        pi_release(r->allocator, r->public[--r->n_public]);
    pi_release(r->allocator, r->public);
    pi_release(r->allocator, r->text);
    pi_release(r->allocator, r);
}

/* ---- The map */

static void hex(const uint8_t *p, size_t n, char *text)
{
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", p[i]);
}

static void numeric(const struct pi_replaced *e, const char *format, char text[2][72])
{
    uint64_t value[2];
    memcpy(value, e->bytes, sizeof value);
    for (size_t i = 0; i < 2; i++)
        snprintf(text[i], 72, *format == 'x' ? "0x%llx" : "%llu", (unsigned long long)value[i]);
}

/* True if a name is replaced by itself. */
static bool is_same(const struct pi_replaced *e)
{
    return e->n == e->n_new && memcmp(e->bytes, e->bytes + e->n, e->n) == 0;
}

/* Gives a block of addresses that moved together, as "0x1000-0x3000". */
static void map_block(const struct pi_addr_block *b, void (*take)(void *user, const struct pd_redacted *what),
                      void *user)
{
    char text[2][72];
    struct pd_redacted what = {"addr", text[0], 0, text[1]};
    const uint64_t size = b->end - b->start;
    const unsigned long long pages[] = {b->start, b->start + size - 1, b->now, b->now + size - 1};
    for (size_t i = 0; i < 2; i++)
        snprintf(text[i], sizeof text[i], "0x%llx000-0x%llxfff", pages[2 * i], pages[2 * i + 1]);
    what.n = strlen(text[0]);
    take(user, &what);
}

void pd_redaction_map(const struct pd_redaction *r, void (*take)(void *user, const struct pd_redacted *what),
                      void *user)
{
    static const char *const kinds[] = {"name", "path", "pid", "inode", "addr", "build-id"};
    for (size_t i = 0; i < r->names.n; i++) {
        const struct pi_replaced *e = &r->names.entries[i];
        if (e->space == PI_SPACE_TEXT || (e->space == PI_SPACE_NAME && is_same(e)))
            continue;
        char text[2][72] = {"", ""};
        struct pd_redacted what = {kinds[e->space], text[0], 0, text[1]};
        if (e->space == PI_SPACE_BUILD_ID) {
            hex(e->bytes, e->n, text[0]);
            hex(e->bytes + e->n, e->n_new, text[1]);
        } else if (e->space >= PI_SPACE_PID) {
            numeric(e, e->space == PI_SPACE_ADDR ? "x" : "u", text);
        } else {
            what.original = (const char *)e->bytes;
            what.replacement = (const char *)e->bytes + e->n;
        }
        what.n = what.original == text[0] ? strlen(text[0]) : e->n;
        take(user, &what);
    }
    for (size_t i = 0; i < r->addrs.blocks.n; i++)
        map_block(&r->addrs.blocks.at[i], take, user);
}
