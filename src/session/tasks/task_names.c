/* SPDX-License-Identifier: MIT */
/* task_names.c - names of tasks as numbers: each different one is stored once. */
#include "src/schema/fail.h"
#include "task_engine.h"
#include <xxhash.h>

static size_t name_slot(const struct pd_tasks *t, const char *s, size_t n)
{
    size_t i = (size_t)XXH3_64bits_withSeed(s, n, t->key.before) & (t->table_size - 1);
    for (; t->table[i]; i = (i + 1) & (t->table_size - 1)) {
        const char *name = t->text + t->comms[t->table[i]];
        if (strlen(name) == n && memcmp(name, s, n) == 0)
            break;
    }
    return i;
}

static bool grow_table(struct pd_tasks *t)
{
    const size_t size = t->table_size ? t->table_size * 2 : 64;
    uint32_t *table = pd_array(t->allocator, NULL, size, sizeof *table);
    if (table == NULL)
        return false;
    pd_release(t->allocator, t->table);
    memset(table, 0, size * sizeof *table);
    t->table = table;
    t->table_size = size;
    for (uint32_t i = 1; i < t->n_comms; i++) {
        const char *name = t->text + t->comms[i];
        t->table[name_slot(t, name, strlen(name))] = i;
    }
    return true;
}

/* Appends a name, without looking whether it is there. */
static bool append_name(struct pd_tasks *t, const char *s, size_t n)
{
    if (!pd_tasks_afford(t, n + 1 + sizeof *t->comms + 2 * sizeof *t->table))
        return false;
    while (t->text_cap - t->text_n <= n) {
        const size_t more = t->text_cap ? t->text_cap * 2 : 256;
        char *p = pd_resize(t->allocator, t->text, more);
        if (p == NULL)
            return false;
        t->text = p;
        t->text_cap = more;
    }
    if (!pd_grow(t->allocator, (void **)&t->comms, t->n_comms, &t->comms_cap, sizeof *t->comms) ||
        !pd_grow(t->allocator, (void **)&t->came, t->n_comms, &t->came_cap, sizeof *t->came))
        return false;
    t->came[t->n_comms] = false;
    t->comms[t->n_comms++] = t->text_n;
    if (n)
        memcpy(t->text + t->text_n, s, n);
    t->text[t->text_n + n] = 0;
    t->text_n += n + 1;
    return true;
}

bool pd_tasks_number_name(struct pd_tasks *t, const char *s, size_t n, uint32_t *comm)
{
    const bool learns = !t->flowing || t->learns;
    if (learns && t->n_comms >= t->table_size / 2 && !grow_table(t))
        return false;
    const size_t slot = name_slot(t, s, n);
    if (t->table[slot] == 0 && !learns) {
        *comm = (uint32_t)t->n_comms;
        return true;
    }
    if (t->table[slot] == 0) {
        if (t->n_comms == UINT32_MAX || !append_name(t, s, n))
            return false;
        t->table[slot] = (uint32_t)(t->n_comms - 1);
    }
    *comm = t->table[slot];
    return true;
}

bool pd_tasks_init_names(struct pd_tasks *t)
{
    uint32_t swapper;
    t->key = pd_key_draw();
    return append_name(t, "", 0) && pd_tasks_number_name(t, "swapper", 7, &swapper);
}

void pd_tasks_learn_names(struct pd_tasks *t)
{
    t->learns = true;
}

enum pd_code pd_tasks_add_name(struct pd_tasks *t, const char *name, struct pd_error *error)
{
    uint32_t comm;
    return pd_tasks_number_name(t, name, strlen(name), &comm)
               ? PD_OK
               : pd_fail(error, PD_ENOMEM, PD_NOWHERE, "tasks", 0, t->text_cap * 2);
}

void pd_tasks_name_came(struct pd_tasks *t, uint32_t comm)
{
    if (comm < t->n_comms)
        t->came[comm] = true;
}

bool pd_tasks_has_name(const struct pd_tasks *t, uint32_t comm)
{
    return comm == PD_SWAPPER || (comm < t->n_comms && t->came[comm]);
}

size_t pd_tasks_n_comms(const struct pd_tasks *t)
{
    return t->n_comms;
}

const char *pd_tasks_comm(const struct pd_tasks *t, uint32_t comm)
{
    return t->text + t->comms[comm < t->n_comms ? comm : PD_COMM_NONE];
}
