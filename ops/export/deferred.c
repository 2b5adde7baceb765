/* SPDX-License-Identifier: MIT */
/*
 * deferred.c - call chains whose user part comes in a later record of the same thread, matched by a cookie at
 * the end of the sample's own chain. Few wait at a time: a thread writes that record on its way back to user
 * mode.
 */
#include "export.h"
#include "src/support/limits.h"
#include "src/schema/fail.h"

/* What a sample has besides its frames. */
static struct pd_str head_of(const struct pi_exporting *x)
{
    return x->all->rows ? (struct pd_str){.ptr = x->row.buf, .len = x->row.n}
                        : (struct pd_str){.ptr = (const char *)x->head, .len = x->n_head};
}

static void restore_head(struct pi_exporting *x, const void *head, size_t n)
{
    if (x->all->rows) {
        x->row.n = 0;
        pd_out_bytes(&x->row, head, n);
        return;
    }
    memcpy(x->head, head, n);
    x->n_head = n;
}

static size_t bytes_of(const struct pi_unjoined *u)
{
    return u->n_frames * sizeof *u->frames + u->n_head + sizeof *u;
}

/* Adds the sample with the frames that are in x->frames, or, where there are none, its address. */
static enum pd_code add_joined(struct pi_exporting *x, struct pi_unjoined *u)
{
    const struct pi_export_sample *s = &u->sample;
    struct pi_stack *at;
    enum pd_code code = PD_OK;
    if (x->frames.n == 0 && s->has_ip)
        code = pi_export_frame(x, s->process, s->ip, u->cpumode);
    restore_head(x, u->frames + u->n_frames, u->n_head);
    x->unjoined.bytes -= bytes_of(u);
    pi_release(x->allocator, u->frames);
    u->frames = NULL;
    return code ? code : pi_export_put(x, s, &at);
}

static enum pd_code copy_frames(struct pi_exporting *x, const union pi_chain_frame *from, size_t n)
{
    struct pi_export_frames *f = &x->frames;
    f->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (!pi_grow(x->allocator, (void **)&f->all, f->n, &f->cap, sizeof *f->all))
            return pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "frames", 0, 2 * f->cap * sizeof *f->all);
        f->all[f->n++] = from[i];
    }
    return PD_OK;
}

/* Adds the oldest sample without its user part. */
static enum pd_code put_oldest(struct pi_exporting *x)
{
    struct pi_unjoined_list *l = &x->unjoined;
    struct pi_unjoined *u = &l->all[l->first++];
    if (u->frames == NULL)
        return PD_OK;
    x->all->stats.unjoined++;
    const enum pd_code code = copy_frames(x, u->frames, u->n_frames);
    return code ? code : add_joined(x, u);
}

enum pd_code pi_export_unjoined(struct pi_exporting *x)
{
    enum pd_code code = PD_OK;
    while (!code && x->unjoined.first < x->unjoined.n)
        code = put_oldest(x);
    return code;
}

/* Moves the samples that still wait to the start of the array. */
static void close_gaps(struct pi_unjoined_list *l)
{
    size_t n = 0;
    for (size_t i = l->first; i < l->n; i++)
        if (l->all[i].frames)
            l->all[n++] = l->all[i];
    l->first = 0;
    l->n = n;
}

enum pd_code pi_export_defer(struct pi_exporting *x, const struct pi_export_sample *sample, uint64_t cookie)
{
    struct pi_unjoined_list *l = &x->unjoined;
    struct pi_unjoined u = {.cookie = cookie, .tid = sample->tid, .sample = *sample, .n_frames = x->frames.n};
    const size_t n = x->frames.n * sizeof *u.frames;
    const struct pd_str head = head_of(x);
    enum pd_code code = PD_OK;
    u.cpumode = sample->rec->misc & PD_MISC_CPUMODE;
    u.sample.rec = NULL;
    u.n_head = (uint32_t)head.len;
    u.frames = pi_resize(x->allocator, NULL, n + head.len);
    if (u.frames == NULL)
        return pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "frames", 0, n + head.len);
    if (n)
        memcpy(u.frames, x->frames.all, n);
    memcpy(u.frames + u.n_frames, head.ptr, head.len);
    if (l->n == l->cap || l->n >= PI_LIMIT_EXPORT_DEFERRED)
        close_gaps(l);
    while (
        !code && l->n &&
        (l->n - l->first >= PI_LIMIT_EXPORT_DEFERRED || l->bytes + bytes_of(&u) > PI_LIMIT_EXPORT_WAITING) &&
        l->first < l->n)
        code = put_oldest(x);
    if (!code && l->n >= PI_LIMIT_EXPORT_DEFERRED)
        close_gaps(l);
    if (!code && !pi_grow(x->allocator, (void **)&l->all, l->n, &l->cap, sizeof *l->all))
        code = pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "frames", 0, 2 * l->cap * sizeof *l->all);
    if (code) {
        pi_release(x->allocator, u.frames);
        return code;
    }
    l->bytes += bytes_of(&u);
    l->all[l->n++] = u;
    return PD_OK;
}

enum pd_code pi_export_join(struct pi_exporting *x, struct pd_record *rec)
{
    const uint64_t cookie = rec->u.callchain_deferred.cookie;
    struct pi_unjoined_list *l = &x->unjoined;
    uint32_t pid = UINT32_MAX, tid = UINT32_MAX;
    enum pd_code code = PD_OK;
    const struct pd_vec *ips = &rec->u.callchain_deferred.ips;
    pd_record_task(rec, &pid, &tid);
    if (x->all->options.format == PD_EXPORT_SYMBOLS)
        return pi_export_addresses(x, pid, ips);
    for (size_t i = l->first; !code && i < l->n; i++) {
        struct pi_unjoined *u = &l->all[i];
        if (u->frames == NULL || u->cookie != cookie || u->tid != tid)
            continue;
        code = copy_frames(x, u->frames, u->n_frames);
        if (!code)
            code = pi_export_chain(x, u->sample.process, ips);
        if (!code)
            code = add_joined(x, u);
    }
    if (l->first < l->n && l->all[l->first].frames == NULL)
        close_gaps(l);
    return code;
}
