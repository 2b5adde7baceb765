/* SPDX-License-Identifier: MIT */
/* writer_names.c - names of events: the feature EVENT_DESC. */
#include "src/schema/fail.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "writer.h"

enum pd_code pd_writer_event_name(struct pd_writer *w, size_t i, const char *name, struct pd_error *error)
{
    const size_t n = strlen(name) + 1;
    if (i >= w->attrs.n)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "event", i, w->attrs.n);
    if (w->stage != PI_STAGE_ATTRS || w->options.container == PD_CONTAINER_DIRECTORY)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "event name after the first record", 0, 0);
    while (w->n_names <= i) {
        if (!pi_grow(w->allocator, (void **)&w->names, w->n_names, &w->names_cap, sizeof *w->names))
            return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "event name", 0, n);
        w->names[w->n_names++] = NULL;
    }
    char *copy = pi_resize(w->allocator, w->names[i], n);
    if (copy == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "event name", 0, n);
    memcpy(copy, name, n);
    w->names[i] = copy;
    return PD_OK;
}

void pi_writer_free_names(struct pd_writer *w)
{
    for (size_t i = 0; i < w->n_names; i++)
        pi_release(w->allocator, w->names[i]);
    pi_release(w->allocator, w->names);
}

/* All attrs are as large as the largest: smaller ones end in zeros. */
static enum pd_code describe_event(const struct pd_writer *w, size_t i, uint32_t attr_size,
                                   struct pd_event_desc *d, struct pd_error *error)
{
    static const uint8_t zeros[PI_LIMIT_ATTR];
    const struct pd_event_attr *e = w->attrs.attr[i];
    if (i >= w->n_names || w->names[i] == NULL)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "event without a name", i, w->attrs.n);
    *d = (struct pd_event_desc){.attr_size = attr_size,
                                .attr = e->attr,
                                .nr_ids = (uint32_t)e->n_ids,
                                .name = PD_STR(w->names[i]),
                                .ids = PD_VEC64(e->ids, e->n_ids)};
    if (attr_size > PD_ATTR_SIZE && e->attr.tail.n == 0)
        d->attr.tail = (struct pd_bytes){zeros, attr_size - PD_ATTR_SIZE};
    return PD_OK;
}

enum pd_code pi_writer_describe(const struct pd_writer *w, struct pd_feature *f,
                                struct pd_event_desc **events, struct pd_error *error)
{
    const size_t n = w->attrs.n;
    enum pd_code code = PD_OK;
    *f = (struct pd_feature){.id = PD_FEAT_EVENT_DESC};
    *events = pi_array(w->allocator, NULL, n, sizeof **events);
    if (*events == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "event names", 0, n * sizeof **events);
    for (size_t i = 0; !code && i < n; i++)
        code = describe_event(w, i, w->options.attr_size, &(*events)[i], error);
    f->u.event_desc.attr_size = w->options.attr_size;
    f->u.event_desc.events = PD_LIST(*events, n);
    return code;
}
