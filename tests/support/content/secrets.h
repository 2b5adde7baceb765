/* SPDX-License-Identifier: MIT */
/*
 * secrets.h - the strings of a recording that `redact` must not leave in its output, taken from the recording
 * itself by what identity.def says of its fields, and docs/REDACT.md of these; not from what redact says that
 * it replaced.
 */
#ifndef PERFDATA_TESTS_SECRETS_H
#define PERFDATA_TESTS_SECRETS_H

#include "identified.h"
#include "ops/redact/redact.h"
#include "../recording.h"

#define SECRET_LEAST 12 /* bytes to be looked for among numbers: a shorter one may be two side by side */
#define SECRET_MOST 64  /* bytes of a payload */
#define SECRET_VALUES 8 /* different ones that no padding or counter has */

struct secret {
    uint8_t *ptr;
    size_t n;
    unsigned kind;
};

struct secrets {
    const struct pd_redact_options *how;
    const struct pd_redaction *redaction; /* for the paths that identify nobody */
    const struct pd_record *rec;          /* whose fields are taken; NULL: of a feature or an event type */
    struct secret *at, *kept;             /* kept: parts of what an option keeps */
    size_t n, cap, n_kept, cap_kept;
};

static inline void secrets_free(struct secrets *s)
{
    while (s->n)
        free(s->at[--s->n].ptr);
    while (s->n_kept)
        free(s->kept[--s->n_kept].ptr);
    free(s->at);
    free(s->kept);
}

/* ---- What is told by a kind of field */

#define SECRET_PATHS (PI_ID_BIT(PI_ID_PATH) | PI_ID_BIT(PI_ID_CGROUP) | PI_ID_BIT(PI_ID_CMDLINE))
#define SECRET_NAMES                                                                          \
    (SECRET_PATHS | PI_ID_BIT(PI_ID_HOST) | PI_ID_BIT(PI_ID_COMM) | PI_ID_BIT(PI_ID_SYMBOL) | \
     PI_ID_BIT(PI_ID_MACHINE) | PI_ID_BIT(PI_ID_CPUS))
#define SECRET_EVENTS (PI_ID_BIT(PI_ID_EVENT) | PI_ID_BIT(PI_ID_SYSTEM))
#define SECRET_TEXTS (PI_ID_BIT(PI_ID_LISTING) | PI_ID_BIT(PI_ID_PAGE))
#define SECRET_BYTES (PI_ID_BIT(PI_ID_PAYLOAD) | PI_ID_BIT(PI_ID_RAW) | PI_ID_BIT(PI_ID_OPAQUE))

/* The kinds that are secret with these options. */
static inline uint64_t secret_kinds(const struct pd_redact_options *how)
{
    uint64_t kinds = SECRET_NAMES | SECRET_TEXTS | SECRET_BYTES;
    if (how->events != PD_REDACT_KEEP)
        kinds |= SECRET_EVENTS | PI_ID_BIT(PI_ID_FORMAT);
    if (how->n_keep_paths == 0)
        kinds |= PI_ID_BIT(PI_ID_BUILD_ID);
    return kinds;
}

/*
 * What stays though its kind is secret, and why:
 *
 *   events of KEEP            their names and formats; of probes they are replaced (unit/redact)
 *   build ids with keep_paths those of kept paths stay beside them
 *   tags of 8 bytes           a counter may take their value
 *   the names of --keep and the parts of --keep-paths, wherever they stand
 *   paths that identify nobody, "swapper", and the words by which perf knows a kernel or a module
 *                             (docs/REDACT.md)
 *   what looks like a new name: it may be one
 *   lines that each format and page has, and zeros
 *   the raw data of off-cpu samples: its fields go by themselves
 *   the number of its tracepoint, in front of raw data
 *   payloads of few bytes or values, which others may have
 */

static inline bool secret_is(const uint8_t *p, size_t n, const char *text)
{
    return n == strlen(text) && memcmp(p, text, n) == 0;
}

static inline bool secret_begins(const uint8_t *p, size_t n, const char *text)
{
    return n >= strlen(text) && memcmp(p, text, strlen(text)) == 0;
}

static inline bool secret_is_public(const struct secrets *s, unsigned kind, const uint8_t *p, size_t n)
{
    return s->how->n_keep_paths && (kind == PI_ID_PATH || kind == PI_ID_CMDLINE) &&
           secret_begins(p, n, "/usr/");
}

/* A name without a key, or with one. */
static inline bool secret_looks_new(const uint8_t *p, size_t n)
{
    bool keyed = n == 15, counted = secret_begins(p, n, "name") && n > 4;
    for (size_t i = 0; i < n; i++) {
        keyed = keyed && ((p[i] >= 'a' && p[i] <= 'z') || (p[i] >= '2' && p[i] <= '7'));
        counted = counted && (i < 4 || (p[i] >= '0' && p[i] <= '9'));
    }
    return keyed || counted;
}

static inline bool secret_is_plain(const struct secrets *s, const uint8_t *p, size_t n)
{
    const struct pd_bytes text = {p, n};
    return n == 0 || secret_is(p, n, ".") || secret_is(p, n, "..") || secret_is(p, n, "vmlinux") ||
           secret_begins(p, n, "swapper") || pi_redact_is_plain_path(s->redaction, &text);
}

/* ---- Taking them */

static inline void secrets_add(struct secret **list, size_t *n, size_t *cap, unsigned kind, const uint8_t *p,
                               size_t size)
{
    if (*n == *cap) {
        *cap = 2 * *cap + 64;
        *list = realloc(*list, *cap * sizeof **list);
        CHECK(*list);
    }
    uint8_t *const copy = malloc(size ? size : 1);
    CHECK(copy);
    memcpy(copy, p, size);
    (*list)[(*n)++] = (struct secret){copy, size, kind};
}

static inline bool secrets_has(const struct secret *list, size_t n, const uint8_t *p, size_t size)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].n == size && memcmp(list[i].ptr, p, size) == 0)
            return true;
    return false;
}

static inline void secret_part(struct secrets *s, unsigned kind, bool kept, const uint8_t *p, size_t n)
{
    if (kept && !secrets_has(s->kept, s->n_kept, p, n))
        secrets_add(&s->kept, &s->n_kept, &s->cap_kept, kind, p, n);
    else if (!kept && !secret_is_plain(s, p, n) && !secret_looks_new(p, n) && !secrets_has(s->at, s->n, p, n))
        secrets_add(&s->at, &s->n, &s->cap, kind, p, n);
}

typedef void secret_piece(struct secrets *s, unsigned kind, bool flag, const uint8_t *p, size_t n);

/* A component of a path, without what stays of it: "vmlinux-" in front, " (deleted)" or ".ko.xz" behind. */
static inline void secret_component(struct secrets *s, unsigned kind, bool flag, const uint8_t *p, size_t n,
                                    secret_piece *take)
{
    static const char *const ends[] = {" (deleted)", ".gz", ".xz", ".zst", ".ko"};
    take(s, kind, flag, p, n);
    if (secret_begins(p, n, "vmlinux-"))
        p += strlen("vmlinux-"), n -= strlen("vmlinux-");
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (n > strlen(ends[i]) && memcmp(p + n - strlen(ends[i]), ends[i], strlen(ends[i])) == 0)
            n -= strlen(ends[i]);
    take(s, kind, flag, p, n);
}

/* A name, and of a path its components and what is in brackets. */
static inline void secret_name(struct secrets *s, unsigned kind, bool flag, const uint8_t *p, size_t n,
                               secret_piece *take)
{
    const uint8_t *const end = p + n, *close = n && *p == '[' ? memchr(p, ']', n) : NULL;
    if (secret_is_plain(s, p, n))
        return;
    take(s, kind, flag, p, n);
    if (!(SECRET_PATHS >> kind & 1))
        return;
    if (close && secret_is_plain(s, p, (size_t)(close + 1 - p)))
        return;
    if (close) {
        take(s, kind, flag, p + 1, (size_t)(close - p - 1));
        take(s, kind, flag, close + 1, (size_t)(end - close - 1));
        return;
    }
    for (const uint8_t *slash; p < end; p = slash + 1) {
        slash = memchr(p, '/', (size_t)(end - p));
        slash = slash ? slash : end;
        secret_component(s, kind, flag, p, (size_t)(slash - p), take);
    }
}

/* The lines of a text, but for those that each has. */
static inline void secret_lines(struct secrets *s, unsigned kind, const uint8_t *p, size_t n)
{
    static const char *const usual[] = {"name: ", "ID: ", "format:", "print fmt: \"\""};
    const uint8_t *const end = p + n;
    for (const uint8_t *stop; p < end; p = stop + 1) {
        stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        const size_t of = (size_t)(stop - p);
        bool kept = kind != PI_ID_LISTING && secret_begins(p, of, "\tfield:") && of < 80;
        for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
            kept = kept || (kind != PI_ID_LISTING && secret_begins(p, of, usual[i]));
        if (!kept && of >= SECRET_LEAST)
            secret_part(s, kind, false, p, of);
    }
}

static inline bool secret_is_rich(const uint8_t *p, size_t n)
{
    bool seen[256] = {false};
    unsigned values = 0;
    for (size_t i = 0; i < n; i++) {
        values += !seen[p[i]];
        seen[p[i]] = true;
    }
    return n >= SECRET_LEAST && values >= SECRET_VALUES;
}

static inline void secret_bytes(struct secrets *s, unsigned kind, const uint8_t *p, size_t n)
{
    const size_t skip = kind == PI_ID_RAW ? 2 : 0;
    if (kind == PI_ID_RAW && s->rec && s->rec->plan && s->rec->plan->offcpu)
        return;
    while (kind == PI_ID_BUILD_ID && n && p[n - 1] == 0)
        n--;
    if (n <= skip)
        return;
    n = n - skip < SECRET_MOST ? n - skip : SECRET_MOST;
    if (secret_is_rich(p + skip, n))
        secret_part(s, kind, false, p + skip, n);
}

/* The bytes of a field that may have a text. */
static inline bool secret_field(const struct pd_field *f, unsigned kind, struct pd_bytes *bytes)
{
    const bool text = kind == PI_ID_SYMBOL || kind == PI_ID_EVENT;
    if (f->kind == PD_FIELD_STRING)
        *bytes = (struct pd_bytes){(const uint8_t *)f->u.str->ptr, f->u.str->len};
    else if (f->kind == PD_FIELD_BYTES)
        *bytes = *f->u.bytes;
    else if (f->kind == PD_FIELD_ARRAY)
        *bytes = (struct pd_bytes){f->u.array, text ? strnlen((const char *)f->u.array, f->n) : f->n};
    else
        return false;
    return bytes->n != 0;
}

/* An identified_take. */
static inline void secrets_take(void *user, enum pi_identity kind, const struct pd_field *f,
                                const struct pd_op *layout)
{
    struct secrets *s = user;
    struct pd_bytes b;
    (void)layout;
    if (!(secret_kinds(s->how) >> kind & 1) || !secret_field(f, kind, &b))
        return;
    if (SECRET_BYTES >> kind & 1 || (kind == PI_ID_BUILD_ID && f->kind != PD_FIELD_STRING))
        secret_bytes(s, kind, b.ptr, b.n);
    else if (SECRET_TEXTS >> kind & 1 || kind == PI_ID_FORMAT)
        secret_lines(s, kind, b.ptr, b.n);
    else
        secret_name(s, kind, secret_is_public(s, kind, b.ptr, b.n), b.ptr, b.n, secret_part);
}

/* What is kept is no secret anywhere. */
static inline void secrets_settle(struct secrets *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        bool kept = secrets_has(s->kept, s->n_kept, s->at[i].ptr, s->at[i].n);
        for (size_t k = 0; k < s->how->n_keep; k++)
            kept = kept || (s->how->keep[k].n == s->at[i].n &&
                            memcmp(s->how->keep[k].ptr, s->at[i].ptr, s->at[i].n) == 0);
        if (kept)
            free(s->at[i].ptr);
        else
            s->at[n++] = s->at[i];
    }
    s->n = n;
}

/* ---- Looking for them */

static inline void secret_must_not(struct secrets *s, unsigned kind, bool public, const uint8_t *p, size_t n)
{
    const bool told = !public && !secret_is_plain(s, p, n) && secrets_has(s->at, s->n, p, n);
    if (told)
        fprintf(stderr, "kind %u has %.*s\n", kind, (int)n, (const char *)p);
    CHECK(!told);
}

/* Of a recording that is redacted: all that its secret fields have, and what stands behind strings. */
struct secrets_left {
    struct secrets *s;
    struct image all;
};

/* An identified_take: no name or part of a path is a secret. */
static inline void secrets_look(void *user, enum pi_identity kind, const struct pd_field *f,
                                const struct pd_op *layout)
{
    struct secrets_left *left = user;
    struct secrets *const s = left->s;
    struct pd_bytes b;
    (void)layout;
    if (!(secret_kinds(s->how) >> kind & 1) || !secret_field(f, kind, &b) ||
        secret_is_public(s, kind, b.ptr, b.n) || secret_is_plain(s, b.ptr, b.n))
        return;
    if (f->kind == PD_FIELD_STRING && f->u.str->size != PD_AUTO && f->u.str->size > b.n)
        b.n = f->u.str->size;
    if (f->kind == PD_FIELD_ARRAY)
        b.n = f->n;
    image_bytes(&left->all, b.ptr, b.n);
    image_bytes(&left->all, "", 1);
    if (f->kind == PD_FIELD_STRING && (SECRET_NAMES | SECRET_EVENTS | PI_ID_BIT(PI_ID_BUILD_ID)) >> kind & 1)
        secret_name(s, kind, false, b.ptr, f->u.str->len, secret_must_not);
}

/* No longer one is part of anything. */
static inline void secrets_search(const struct secrets *s, const struct image *all)
{
    bool left = false;
    for (size_t i = 0; i < s->n; i++) {
        const struct secret *const one = &s->at[i];
        if (one->n < SECRET_LEAST || all->n == 0 || !memmem(all->b, all->n, one->ptr, one->n))
            continue;
        fprintf(stderr, "kind %u is left: %.*s\n", one->kind, (int)one->n, (const char *)one->ptr);
        left = true;
    }
    CHECK(!left);
}

#endif
