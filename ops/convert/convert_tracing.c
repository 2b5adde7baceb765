/* SPDX-License-Identifier: MIT */
/*
 * convert_tracing.c - the length of tracing data: in a stream it is padded, and only its content tells by how
 * much.
 */
#include "convert.h"
#include "src/support/wire.h"

/* The rest of the data; `ok` is false once it ended too early. */
struct cursor {
    const uint8_t *p;
    size_t n;
    enum pd_order order;
    bool ok;
};

static void skip(struct cursor *c, uint64_t n)
{
    c->ok = c->ok && n <= c->n;
    if (!c->ok)
        return;
    c->p += n;
    c->n -= (size_t)n;
}

static void expect(struct cursor *c, const char *bytes, size_t n)
{
    c->ok = c->ok && n <= c->n && memcmp(c->p, bytes, n) == 0;
    skip(c, n);
}

static uint64_t number(struct cursor *c, unsigned width)
{
    const uint8_t *p = c->p;
    skip(c, width);
    return c->ok ? pi_load(p, width, c->order) : 0;
}

static const char *text(struct cursor *c)
{
    const uint8_t *p = c->p;
    const uint8_t *end = c->ok && c->n ? memchr(p, 0, c->n) : NULL;
    c->ok = end != NULL;
    if (c->ok)
        skip(c, (size_t)(end - p) + 1);
    return c->ok ? (const char *)p : "";
}

/* Skips `count` blocks, each behind its size. */
static void blocks(struct cursor *c, uint64_t count)
{
    for (uint64_t i = 0; c->ok && i < count; i++)
        skip(c, number(c, 8));
}

static void formats(struct cursor *c)
{
    expect(c, "header_page", 12);
    blocks(c, 1);
    expect(c, "header_event", 13);
    blocks(c, 1);
    blocks(c, number(c, 4));
    const uint64_t systems = number(c, 4);
    for (uint64_t i = 0; c->ok && i < systems; i++) {
        text(c);
        blocks(c, number(c, 4));
    }
}

size_t pi_tracing_bytes(const uint8_t *p, size_t n)
{
    struct cursor c = {p, n, PD_LITTLE, true};
    expect(&c, "\x17\x08\x44tracing", 10);
    const char *version = text(&c);
    const bool cmdlines = strcmp(version, "0.6") >= 0;
    c.order = number(&c, 1) ? PD_BIG : PD_LITTLE;
    number(&c, 1); /* bytes of a long */
    number(&c, 4); /* bytes of a page */
    formats(&c);
    skip(&c, number(&c, 4)); /* kallsyms */
    skip(&c, number(&c, 4)); /* printk formats */
    if (cmdlines)
        skip(&c, number(&c, 8));
    bool zero = c.ok && c.n < 8;
    for (size_t i = 0; zero && i < c.n; i++)
        zero = c.p[i] == 0;
    return zero ? n - c.n : n;
}
