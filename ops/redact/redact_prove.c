/* SPDX-License-Identifier: MIT */
/* redact_prove.c - searches a recording for strings that must not be in it. */
#define _GNU_SOURCE
#include "src/schema/fail.h"
#include "src/codec/record_role.h"
#include "ops/output/payload.h"
#include "src/container/reader/reader_internal.h"
#include "src/support/memory.h"
#include <perfdata/feature.h>
#include <perfdata/ops/redact.h>

#define PIECE ((size_t)65536)

struct search {
    struct pd_reader *r;
    const struct pd_bytes *strings;
    size_t n, longest;
    uint8_t *window; /* a piece, with the end of the previous one before it */
    size_t held;
    bool *told; /* found in this record or section */
    void (*found)(void *user, const struct pd_leak *leak);
    void *user;
};

static void search_bytes(struct search *s, const uint8_t *p, size_t n, const struct pd_leak *where)
{
    for (size_t i = 0; i < s->n; i++) {
        const uint8_t *at = s->told[i] ? NULL : memmem(p, n, s->strings[i].ptr, s->strings[i].n);
        struct pd_leak leak = *where;
        if (at == NULL)
            continue;
        leak.string = i;
        if (leak.rec == NULL)
            leak.offset += (uint64_t)(at - p);
        s->told[i] = true;
        s->found(s->user, &leak);
    }
}

static void begin(struct search *s)
{
    memset(s->told, 0, s->n * sizeof *s->told);
    s->held = 0;
}

/*
 * Searches a piece of longer data: a string may begin in one piece and end in the next. `where` is the
 * piece's place.
 */
static void look_on(struct search *s, const uint8_t *p, size_t n, const struct pd_leak *where)
{
    while (n) {
        const size_t now = n < PIECE ? n : PIECE;
        struct pd_leak leak = *where;
        memcpy(s->window + s->held, p, now);
        if (leak.rec == NULL)
            leak.offset -= s->held;
        search_bytes(s, s->window, s->held + now, &leak);
        const size_t all = s->held + now, keep = s->longest - 1 < all ? s->longest - 1 : all;
        memmove(s->window, s->window + all - keep, keep);
        s->held = keep;
        p += now;
        n -= now;
    }
}

struct search_on {
    struct search *s;
    const struct pd_leak *where;
};

static enum pd_code look_at_piece(void *user, const uint8_t *bytes, size_t n)
{
    const struct search_on *on = user;
    look_on(on->s, bytes, n, on->where);
    return PD_OK;
}

static enum pd_code look_at_records(struct search *s, struct pd_error *error)
{
    struct pd_record rec = {0};
    enum pd_code code;
    while ((code = pd_reader_next(s->r, &rec, error)) == PD_OK) {
        const struct pd_leak where = {.rec = &rec, .offset = rec.offset};
        begin(s);
        if (!pi_is_wrapper(&rec)) /* the records inside follow; compressed bytes resemble random ones */
            search_bytes(s, rec.raw, rec.size, &where);
        struct search_on on = {s, &where};
        if (rec.payload_size && (code = pi_copy_payload(s->r, NULL, look_at_piece, &on, error)))
            break;
    }
    return code == PD_END ? PD_OK : code;
}

static const char *name_of(const struct pd_extent *e)
{
    static const char *const names[] = {
        [PD_EXTENT_HEADER] = "header",       [PD_EXTENT_IDS] = "ids",
        [PD_EXTENT_ATTRS] = "attrs",         [PD_EXTENT_EVENT_TYPES] = "event_types",
        [PD_EXTENT_TABLE] = "feature table", [PD_EXTENT_GAP] = "gap",
        [PD_EXTENT_OVERLAP] = "overlap"};
    const char *feature = e->kind == PD_EXTENT_FEATURE ? pd_feature_name(e->index) : NULL;
    return feature ? feature : e->kind == PD_EXTENT_FEATURE ? "feature" : names[e->kind];
}

static enum pd_code look_at_part(struct search *s, const struct pd_extent *e, struct pd_error *error)
{
    uint8_t *bytes = s->window + PIECE + s->longest;
    enum pd_code code = PD_OK;
    begin(s);
    for (uint64_t at = 0; !code && at < e->size; at += PIECE) {
        const size_t n = e->size - at < PIECE ? (size_t)(e->size - at) : PIECE;
        const struct pd_leak where = {.offset = e->offset + at, .section = name_of(e)};
        if ((code = pd_reader_read(s->r, e->offset + at, bytes, n, error)) == PD_OK)
            look_on(s, bytes, n, &where);
    }
    return code;
}

static enum pd_code look_at_parts(struct search *s, struct pd_error *error)
{
    size_t n;
    enum pd_code code = PD_OK;
    const struct pd_extent *e = pd_reader_extents(s->r, &n);
    for (size_t i = 0; !code && i < n; i++)
        if (e[i].kind != PD_EXTENT_DATA)
            code = look_at_part(s, &e[i], error);
    return code;
}

enum pd_code pd_redact_prove(struct pd_reader *reader, const struct pd_bytes *strings, size_t n,
                             void (*found)(void *user, const struct pd_leak *leak), void *user,
                             struct pd_error *error)
{
    struct search s = {.r = reader, .strings = strings, .n = n, .longest = 1, .found = found, .user = user};
    for (size_t i = 0; i < n; i++) {
        if (strings[i].n == 0)
            return pi_fail(error, PD_EARG, PD_NOWHERE, "empty string", i, 0);
        s.longest = strings[i].n > s.longest ? strings[i].n : s.longest;
    }
    if (!reader->in.seekable)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "reader", 0, 0);
    const struct pd_allocator *a = reader->allocator;
    s.window = pi_resize(a, NULL, 2 * PIECE + 2 * s.longest);
    s.told = pi_array(a, NULL, n, sizeof *s.told);
    enum pd_code code;
    if (s.window && s.told)
        code = look_at_parts(&s, error);
    else
        code = pi_fail(error, PD_ENOMEM, PD_NOWHERE, "window", 0, 2 * PIECE);
    if (!code)
        code = pd_reader_rewind(reader, error);
    if (!code)
        code = look_at_records(&s, error);
    pi_release(a, s.window);
    pi_release(a, s.told);
    return code;
}
