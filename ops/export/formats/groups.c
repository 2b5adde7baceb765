/* SPDX-License-Identifier: MIT */
/* groups.c - see groups.h. */
#include "groups.h"
#include "src/support/memory.h"

void pi_export_groups_open(struct pi_export_groups *g, struct pd_export *all, const struct pd_sink *sink)
{
    *g = (struct pi_export_groups){.all = all};
    pi_export_table_open(&g->table, all);
    pi_text_out_open(&g->text, sink);
}

void pi_export_groups_close(struct pi_export_groups *g)
{
    pi_export_table_close(&g->table);
    pi_release(g->all->options.allocator, g->head);
    pi_release(g->all->options.allocator, g->weights);
}

static enum pd_code out_of_memory(struct pd_error *error)
{
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "profile", 0, 0);
}

static enum pd_code begin_group(struct pi_export_groups *g, const uint8_t *key, size_t n, uint64_t event,
                                struct pd_error *error)
{
    if (g->n)
        g->end(g);
    uint8_t *head = pi_resize(g->all->options.allocator, g->head, n);
    if (head == NULL)
        return out_of_memory(error);
    memcpy(head, key, n);
    g->head = head;
    g->n_head = n;
    g->event = event;
    g->total = 0;
    g->n_weights = 0;
    g->begin(g);
    g->n++;
    return PD_OK;
}

static enum pd_code add_weight(struct pi_export_groups *g, uint64_t weight, struct pd_error *error)
{
    const uint64_t bytes = (g->n_weights + UINT64_C(1)) * sizeof *g->weights;
    if (bytes > PI_LIMIT_EXPORT_NAMES)
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "stacks of a thread", bytes, PI_LIMIT_EXPORT_NAMES);
    if (!pi_grow(g->all->options.allocator, (void **)&g->weights, g->n_weights, &g->cap_weights,
                 sizeof *g->weights))
        return out_of_memory(error);
    g->weights[g->n_weights++] = weight;
    g->total = pi_stacks_sum(g->total, weight);
    return PD_OK;
}

static enum pd_code take_stack(void *user, const uint8_t *key, size_t n, uint64_t sum, struct pd_error *error)
{
    struct pi_export_groups *g = user;
    const uint8_t *at = key;
    const uint64_t event = pi_take_number(&at);
    enum pd_code code = PD_OK;
    (void)n;
    pi_export_put_head(g->all, NULL, &at, NULL);
    const size_t head = (size_t)(at - key);
    if (g->n == 0 || head != g->n_head || memcmp(key, g->head, head) != 0)
        code = begin_group(g, key, head, event, error);
    if (!code)
        code = g->stack(g, at, error);
    if (!code)
        code = add_weight(g, sum, error);
    if (!code)
        code = g->no_memory ? out_of_memory(error) : pi_text_out_code(&g->text, error);
    return code;
}

enum pd_code pi_export_groups_each(struct pi_export_groups *g, struct pd_error *error)
{
    const enum pd_code code = pi_stacks_each(&g->all->stacks, take_stack, g, error);
    if (!code && g->n)
        g->end(g);
    return !code && g->no_memory ? out_of_memory(error) : code;
}

/* Text whose length is not known before, as a JSON string. */
static void put_json(struct pi_export_groups *g, struct pd_out *text)
{
    g->no_memory |= text->lost != 0;
    pi_export_put_json(&g->text.out, text);
    pi_release(g->all->options.allocator, text->buf);
}

static struct pd_out new_text(struct pi_export_groups *g)
{
    return (struct pd_out){.more = pd_out_grow, .user = g->all->allocator};
}

void pi_export_put_group(struct pi_export_groups *g)
{
    struct pd_out text = new_text(g);
    const uint8_t *at = g->head;
    const char *event = g->all->events.all[pi_take_number(&at)];
    const bool several = pi_export_has_several(g->all);
    if (several || g->all->options.keys == 0)
        pi_export_put_name(&text, event, false);
    if (several && g->all->options.keys)
        pd_out_str(&text, ": ");
    pi_export_put_head(g->all, &text, &at, " ");
    put_json(g, &text);
}

void pi_export_put_frame_json(struct pi_export_groups *g, uint32_t number)
{
    struct pd_out text = new_text(g);
    const struct pi_export_frame *frame = &g->table.frames[number];
    pi_export_put_frame(g->all, &text, frame->dso, frame->offset, false);
    put_json(g, &text);
}

void pi_export_put_numbers(struct pd_out *out, const uint64_t *numbers, size_t n)
{
    pd_out_str(out, "[");
    for (size_t i = 0; i < n; i++) {
        if (i)
            pd_out_str(out, ",");
        pd_out_dec(out, numbers[i]);
    }
    pd_out_str(out, "]");
}
