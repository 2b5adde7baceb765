/* SPDX-License-Identifier: MIT */
/*
 * convert_merge.c - the members of a directory as one stream: always the record with the least time. Each
 * member keeps its own order, so a record without a time stays behind the one it followed.
 */
#include "convert.h"
#include "codec_internal.h"
#include "memory.h"
#include <string.h>

struct source {
    struct pd_reader *r;
    struct pd_record rec;
    uint64_t time;
    size_t index;
    bool timed; /* a record with a time has come from it */
};

/* A heap: the source whose record comes next is heap[0]. */
struct merge {
    struct pd_conversion *c;
    struct source *sources;
    struct source **heap;
    size_t n, alive;
};

static bool comes_before(const struct source *a, const struct source *b)
{
    return a->time != b->time ? a->time < b->time : a->index < b->index;
}

static void sift_down(struct merge *m, size_t i)
{
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < m->alive; child++)
            if (comes_before(m->heap[child], m->heap[least]))
                least = child;
        if (least == i)
            return;
        struct source *s = m->heap[i];
        m->heap[i] = m->heap[least];
        m->heap[least] = s;
        i = least;
    }
}

/* The next record of a source. PD_END: there is none. */
static enum pd_code advance(struct merge *m, struct source *s)
{
    enum pd_code code;
    do {
        if ((code = pd_convert_next(m->c, s->r, &s->rec)))
            return code;
    } while (s->rec.depth == 0 && m->c->open &&
             (s->rec.type == PD_RECORD_COMPRESSED || s->rec.type == PD_RECORD_COMPRESSED2));
    const uint64_t time = pd_convert_time(&s->rec, m->c->t.from);
    s->timed |= time != 0;
    s->time = time ? time : s->time;
    return PD_OK;
}

/* FINISHED_ROUND says that nothing older follows, which only holds while no other member takes part. */
static bool is_void(const struct merge *m, const struct source *s)
{
    bool alone = m->alive == 1;
    for (size_t i = 0; i < m->n; i++)
        alone &= &m->sources[i] == s || !m->sources[i].timed;
    return s->rec.type == PD_RECORD_FINISHED_ROUND && !alone;
}

/* A member that cannot be opened is damage like any other. */
static void missing(struct pd_conversion *c, const struct pd_error *what)
{
    c->stats->findings++;
    if (c->options->finding)
        c->options->finding(c->options->user, what);
}

static enum pd_code open_sources(struct merge *m)
{
    const struct pd_reader_options options = {
        .size = sizeof options, .allocator = m->c->allocator, .window = 1};
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < m->n; i++) {
        struct source *s = &m->sources[i];
        struct pd_error what;
        s->index = i;
        code = pd_reader_open_member(&s->r, m->c->r, i, &options, &what);
        if (code && code != PD_ENOMEM) {
            what.field = m->c->r->members[i].name;
            missing(m->c, &what);
            code = PD_OK;
        } else if (code) {
            *m->c->error = what;
        } else if ((code = advance(m, s)) == PD_OK) {
            m->heap[m->alive++] = s;
        } else if (code == PD_END) {
            code = PD_OK;
        }
    }
    for (size_t i = m->alive; !code && i-- > 0;)
        sift_down(m, i);
    return code;
}

static enum pd_code put_all(struct merge *m)
{
    enum pd_code code = PD_OK;
    while (!code && m->alive) {
        struct source *s = m->heap[0];
        pd_convert_progress(m->c);
        if (!is_void(m, s))
            code = pd_convert_place(m->c, s->r, &s->rec);
        if (!code && (code = advance(m, s)) == PD_END) {
            m->heap[0] = m->heap[--m->alive];
            code = PD_OK;
        }
        sift_down(m, 0);
    }
    return code;
}

enum pd_code pd_convert_merge(struct pd_conversion *c)
{
    struct merge m = {.c = c, .n = pd_reader_n_members(c->r)};
    m.sources = pd_array(c->allocator, NULL, m.n, sizeof *m.sources);
    m.heap = pd_array(c->allocator, NULL, m.n, sizeof *m.heap);
    enum pd_code code = PD_OK;
    if (m.sources == NULL || m.heap == NULL) {
        code = pd_fail(c->error, PD_ENOMEM, PD_NOWHERE, "members", 0, m.n * sizeof *m.sources);
    } else {
        memset(m.sources, 0, m.n * sizeof *m.sources);
        if ((code = open_sources(&m)) == PD_OK)
            code = put_all(&m);
        for (size_t i = 0; i < m.n; i++)
            pd_reader_close(m.sources[i].r);
    }
    pd_release(c->allocator, m.sources);
    pd_release(c->allocator, m.heap);
    return code;
}
