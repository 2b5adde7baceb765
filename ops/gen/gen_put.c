/* SPDX-License-Identifier: MIT */
/*
 * gen_put.c - passes a generator's records to the writer: their events and tasks, their bytes, and the order
 * of their cpus.
 */
#include "gen_internal.h"
#include "src/schema/schema.h"
#include <string.h>

#define PROGRESS_EVERY 4096

void pi_gen_identify(struct pd_gen *g, struct pd_record *rec, unsigned event, const struct pi_gen_task *task)
{
    const uint64_t id = pi_gen_id(g, event, task->cpu);
    rec->attr_index = event;
    rec->plan = &g->events[event].plan;
    rec->layout = pi_layout_of(rec->type);
    rec->id = (struct pd_sample_id){.pid = task->pid,
                                    .tid = task->tid,
                                    .time = g->clock,
                                    .id = id,
                                    .stream_id = id,
                                    .cpu = task->cpu,
                                    .identifier = id};
    if (rec->type != PD_RECORD_SAMPLE)
        return;
    struct pd_sample *s = &rec->u.sample;
    s->identifier = s->id = s->stream_id = id;
    s->pid = task->pid;
    s->tid = task->tid;
    s->time = g->last_sample = g->clock;
    s->cpu = task->cpu;
    if (g->first_sample == 0)
        g->first_sample = g->clock;
}

static enum pd_code write_bytes(struct pd_gen *g, const uint8_t *bytes, size_t n, struct pd_error *error)
{
    return pd_writer_raw(g->now, bytes, n, error);
}

static void count(struct pd_gen *g, size_t bytes)
{
    g->records++;
    g->bytes += bytes;
    if (g->options.progress && g->records % PROGRESS_EVERY == 0)
        g->options.progress(g->options.user, g->records, g->bytes);
}

/* Into `out`, UINT16_MAX bytes. */
static enum pd_code encode(struct pd_gen *g, const struct pd_record *rec, uint8_t *out, size_t *size,
                           struct pd_error *error)
{
    static const struct pd_plan none[] = {{.order = PD_LITTLE}, {.order = PD_BIG}};
    const struct pd_plan *plan =
        rec->attr_index == UINT32_MAX ? &none[g->options.order] : &g->events[rec->attr_index].plan;
    return pd_record_encode(plan, rec, out, UINT16_MAX, size, error);
}

enum pd_code pi_gen_put(struct pd_gen *g, const struct pd_record *rec, uint32_t cpu, struct pd_error *error)
{
    struct pi_gen_window *w = &g->window;
    size_t size;
    enum pd_code code = PD_OK;
    if (!w->on) {
        if ((code = encode(g, rec, g->record, &size, error)))
            return code;
        count(g, size);
        return write_bytes(g, g->record, size, error);
    }
    if (w->n == PI_GEN_WINDOW || PI_GEN_WINDOW_BYTES - w->used < UINT16_MAX)
        code = pi_gen_round(g, false, error);
    if (code || (code = encode(g, rec, w->bytes + w->used, &size, error)))
        return code;
    count(g, size);
    w->slots[w->n++] = (struct pi_gen_slot){(uint32_t)w->used, (uint16_t)size, (uint16_t)cpu};
    w->used += size;
    return PD_OK;
}

enum pd_code pi_gen_payload(struct pd_gen *g, const void *bytes, size_t n, struct pd_error *error)
{
    g->bytes += n;
    return write_bytes(g, bytes, n, error);
}

enum pd_code pi_gen_tool(struct pd_gen *g, uint32_t type, struct pd_error *error)
{
    const struct pd_record rec = {.type = type, .attr_index = UINT32_MAX};
    size_t size;
    enum pd_code code = encode(g, &rec, g->record, &size, error);
    if (code)
        return code;
    count(g, size);
    return write_bytes(g, g->record, size, error);
}

/*
 * The end of the part of a cpu's buffer that is read in this round: mostly all of it, but the last records
 * may be left to the next. perf shows a round when the next has ended, so that no record comes too late.
 */
static size_t read_to(struct pd_gen *g, bool last)
{
    const size_t n = g->window.n;
    return last || n < 16 || pi_rng_one_in(&g->rng, 2) ? n : n - 1 - (size_t)pi_rng_below(&g->rng, n / 8);
}

static void keep(struct pi_gen_window *w, const struct pi_gen_slot *slot, size_t *n, size_t *used)
{
    memcpy(w->spare + *used, w->bytes + slot->at, slot->size);
    w->slots[*n] = (struct pi_gen_slot){(uint32_t)*used, slot->size, slot->cpu};
    *used += slot->size;
    ++*n;
}

/* Records of one cpu after those of another; records left over keep their order, since they are in front. */
enum pd_code pi_gen_round(struct pd_gen *g, bool last, struct pd_error *error)
{
    static const uint16_t done = UINT16_MAX;
    struct pi_gen_window *w = &g->window;
    enum pd_code code = PD_OK;
    size_t left = 0, used = 0;
    for (uint32_t cpu = 0; !code && cpu < g->cpus; cpu++) {
        const size_t to = read_to(g, last);
        for (size_t i = 0; !code && i < to; i++) {
            if (w->slots[i].cpu != cpu)
                continue;
            code = write_bytes(g, w->bytes + w->slots[i].at, w->slots[i].size, error);
            w->slots[i].cpu = done;
        }
    }
    for (size_t i = 0; i < w->n; i++)
        if (w->slots[i].cpu != done)
            keep(w, &(struct pi_gen_slot){w->slots[i].at, w->slots[i].size, w->slots[i].cpu}, &left, &used);
    uint8_t *swap = w->bytes;
    w->bytes = w->spare;
    w->spare = swap;
    w->n = left;
    w->used = used;
    return code ? code : pi_gen_tool(g, PD_RECORD_FINISHED_ROUND, error);
}

bool pi_gen_enough(const struct pd_gen *g, uint64_t more)
{
    const struct pd_gen_options *o = &g->options;
    return (o->count && g->records + more >= o->count) || (o->bytes && g->bytes + 8 * more >= o->bytes);
}
