/* SPDX-License-Identifier: MIT */
/* task_names.c - names of tasks as numbers: each different one is stored once. */
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

static void fill_table(struct pd_tasks *t)
{
    memset(t->table, 0, t->table_size * sizeof *t->table);
    for (uint32_t i = 1; i < t->n_comms; i++) {
        const char *name = t->text + t->comms[i];
        t->table[name_slot(t, name, strlen(name))] = i;
    }
}

static bool grow_table(struct pd_tasks *t)
{
    const size_t size = t->table_size ? t->table_size * 2 : 64;
    uint32_t *table = pi_array(t->allocator, NULL, size, sizeof *table);
    if (table == NULL)
        return false;
    pi_release(t->allocator, t->table);
    t->table = table;
    t->table_size = size;
    fill_table(t);
    return true;
}

/* What a name is charged besides its bytes. */
#define BYTES_BESIDE_NAME (sizeof(size_t) + 2 * sizeof(uint32_t))

/* Appends a name, without looking whether it is there. */
static bool append_name(struct pd_tasks *t, const char *s, size_t n)
{
    if (!pi_tasks_afford(t, n + 1 + BYTES_BESIDE_NAME))
        return false;
    while (t->text_cap - t->text_n <= n) {
        const size_t more = t->text_cap ? t->text_cap * 2 : 256;
        char *p = pi_resize(t->allocator, t->text, more);
        if (p == NULL)
            return false;
        t->text = p;
        t->text_cap = more;
    }
    if (!pi_grow(t->allocator, (void **)&t->comms, t->n_comms, &t->comms_cap, sizeof *t->comms) ||
        !pi_grow(t->allocator, (void **)&t->came, t->n_comms, &t->came_cap, sizeof *t->came))
        return false;
    t->came[t->n_comms] = false;
    t->comms[t->n_comms++] = t->text_n;
    if (n)
        memcpy(t->text + t->text_n, s, n);
    t->text[t->text_n + n] = 0;
    t->text_n += n + 1;
    return true;
}

bool pi_tasks_number_name(struct pd_tasks *t, const char *s, size_t n, uint32_t *comm)
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

/* ---- Names that no task has any more */

/* True if names have come that take as much memory as those kept by the last sweep, and the tasks. */
static bool is_sweep_due(const struct pd_tasks *t)
{
    return t->learns && !t->keeps && t->n_entries == 0 && t->n_changes == 0 &&
           t->text_n > (64 << 10) + 2 * t->text_swept + 16 * t->tids.n;
}

static void mark_names(const struct pd_tasks *t, uint32_t *number)
{
    memset(number, 0, t->n_comms * sizeof *number);
    number[PI_SWAPPER] = 1;
    for (size_t i = 0; i < t->tids.n; i++)
        number[t->tasks[i].comm] = number[t->tasks[i].before.comm] = 1;
}

/* Moves the marked names together; `number` gets what each is from now on. */
static void move_names(struct pd_tasks *t, uint32_t *number)
{
    const size_t n = t->n_comms;
    t->n_comms = t->text_n = 1; /* the empty one */
    number[PD_COMM_NONE] = PD_COMM_NONE;
    for (size_t i = 1; i < n; i++) {
        const char *name = t->text + t->comms[i];
        const size_t size = strlen(name) + 1;
        if (number[i] == 0) {
            t->left += size + BYTES_BESIDE_NAME;
            continue;
        }
        memmove(t->text + t->text_n, name, size);
        number[i] = (uint32_t)t->n_comms;
        t->came[t->n_comms] = t->came[i];
        t->comms[t->n_comms++] = t->text_n;
        t->text_n += size;
    }
}

void pi_tasks_sweep_names(struct pd_tasks *t)
{
    uint32_t *number = is_sweep_due(t) ? pi_array(t->allocator, NULL, t->n_comms, sizeof *number) : NULL;
    if (number == NULL) /* without memory it is tried again later */
        return;
    mark_names(t, number);
    move_names(t, number);
    for (size_t i = 0; i < t->tids.n; i++) {
        t->tasks[i].comm = number[t->tasks[i].comm];
        t->tasks[i].before.comm = number[t->tasks[i].before.comm];
    }
    fill_table(t);
    t->text_swept = t->text_n;
    pi_release(t->allocator, number);
}

bool pi_tasks_init_names(struct pd_tasks *t)
{
    uint32_t swapper;
    t->key = pi_key_draw();
    return append_name(t, "", 0) && pi_tasks_number_name(t, "swapper", 7, &swapper);
}

void pi_tasks_learn_names(struct pd_tasks *t)
{
    t->learns = true;
}

void pi_tasks_keep_names(struct pd_tasks *t)
{
    t->keeps = true;
}

enum pd_code pi_tasks_add_name(struct pd_tasks *t, const char *name, struct pd_error *error)
{
    uint32_t comm;
    return pi_tasks_number_name(t, name, strlen(name), &comm) ? PD_OK
                                                              : pi_tasks_no_memory(error, strlen(name));
}

void pi_tasks_name_came(struct pd_tasks *t, uint32_t comm)
{
    if (comm < t->n_comms)
        t->came[comm] = true;
}

bool pi_tasks_has_name(const struct pd_tasks *t, uint32_t comm)
{
    return comm == PI_SWAPPER || (comm < t->n_comms && t->came[comm]);
}

size_t pd_tasks_n_comms(const struct pd_tasks *t)
{
    return t->n_comms;
}

const char *pd_tasks_comm(const struct pd_tasks *t, uint32_t comm)
{
    return t->text + t->comms[comm < t->n_comms ? comm : PD_COMM_NONE];
}
