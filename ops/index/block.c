/* SPDX-License-Identifier: MIT */
/*
 * block.c - the records of a block that an index keeps copies of: what an operation on some of the time needs
 * of all of it. What follows tasks needs the earliest sample of each pid and tid (pd_tasks_mention()); what
 * follows the order of records, the last one in time before each end of a round (pd_clock); what looks for
 * the first and last times, those of the block.
 */
#include "block.h"
#include "src/codec/record_role.h"
#include "src/schema/fail.h"
#include "src/session/record_words.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include <stdlib.h>

/* ---- Output */

static enum pd_code no_memory(const struct pi_building *b, size_t n)
{
    return pi_fail(b->error, PD_ENOMEM, PD_NOWHERE, "index", 0, n);
}

enum pd_code pi_index_emit(struct pi_building *b, const void *bytes, size_t n)
{
    const int failed = b->sink ? b->sink->write(b->sink->user, bytes, n) : 0;
    if (failed)
        return pi_fail(b->error, PD_EOUT, b->at, NULL, (uint64_t)failed, 0);
    XXH3_64bits_update(b->hash, bytes, n);
    b->at += n;
    return PD_OK;
}

void pi_building_free(struct pi_building *b)
{
    const struct pd_allocator *a = b->options->allocator;
    pi_release(a, b->blocks);
    pi_release(a, b->waiting);
    pi_release(a, b->held_bytes);
    pi_release(a, b->samples);
    pi_release(a, b->moments);
    pi_ids_free(&b->pairs);
    pi_release(a, b);
}

/* ---- Copies */

/* Room for n more bytes. */
static bool make_room(struct pi_building *b, size_t n)
{
    const size_t cap = 2 * b->cap_held + n;
    if (n <= b->cap_held - b->held)
        return true;
    uint8_t *more = pi_resize(b->options->allocator, b->held_bytes, cap);
    if (more == NULL)
        return false;
    b->held_bytes = more;
    b->cap_held = cap;
    return true;
}

/* Of a record that is too much, the block is not in the index. */
static enum pd_code give(struct pi_building *b, const struct pi_index_given *head, const uint8_t *raw,
                         uint16_t size)
{
    b->open = b->open && b->held + size <= PI_LIMIT_INDEX_HELD;
    if (!b->open)
        return PD_OK;
    if (!pi_grow(b->options->allocator, (void **)&b->waiting, b->n_waiting, &b->cap_waiting,
                 sizeof *b->waiting) ||
        !make_room(b, size))
        return no_memory(b, b->held + size);
    memcpy(b->held_bytes + b->held, raw, size);
    b->waiting[b->n_waiting++] = (struct pi_index_copy){*head, b->held, size};
    b->held += size;
    return PD_OK;
}

static struct pi_index_given head_of(const struct pi_building *b, const struct pd_record *rec)
{
    return (struct pi_index_given){.offset = rec->offset - b->now.from,
                                   .inner = rec->depth ? rec->inner_offset - b->position : 0,
                                   .number = rec->index - b->index,
                                   .inside = rec->depth != 0};
}

/* ---- What is left out */

/* The numbers of a type. NULL: they are of too many. */
static struct pi_index_type *numbers_of(struct pi_building *b, uint32_t type)
{
    for (size_t i = 0; i < PI_INDEX_TYPES; i++) {
        struct pi_index_type *t = &b->types[i];
        if (t->type == 0)
            t->type = type;
        if (t->type == type)
            return t;
    }
    return NULL;
}

/* A record with a time is left out. */
static void leave_out(struct pi_building *b, struct pi_index_type *numbers, const struct pd_record *rec)
{
    const bool sample = rec->type == PD_RECORD_SAMPLE;
    *(sample ? &b->now.samples : &b->now.others) += 1;
    b->now.inside += rec->depth ? rec->size : 0;
    numbers->records++;
    numbers->bytes += rec->size;
    if (sample)
        b->samples[rec->attr_index]++;
}

/* It is given after all. */
static void take_back(struct pi_building *b, const struct pi_extreme *e)
{
    const bool sample = e->numbers->type == PD_RECORD_SAMPLE;
    *(sample ? &b->now.samples : &b->now.others) -= 1;
    b->now.inside -= e->head.inside ? e->size : 0;
    e->numbers->records--;
    e->numbers->bytes -= e->size;
    if (sample)
        b->samples[e->event]--;
}

/*
 * True if it may be left out: a sample, or what goes with one. It has a time, and a task if its event has
 * tasks.
 */
static bool may_go(const struct pd_record *rec, uint32_t *pid, uint32_t *tid, uint64_t *time)
{
    const enum pi_role role = pi_role_of(rec);
    if ((role != PI_ROLE_SAMPLE && role != PI_ROLE_WITH_TASK) || rec->plan == NULL ||
        (role == PI_ROLE_SAMPLE && rec->attr == NULL) || rec->plan->offcpu || rec->layout == NULL ||
        !pi_known_time(rec, time))
        return false;
    *pid = *tid = 0;
    return (role == PI_ROLE_SAMPLE && rec->plan->pid == 0) ||
           (pi_word_task(rec, pid, tid) && *pid != UINT32_MAX);
}

/* *earliest: no sample of this pid and tid came before this moment. */
static enum pd_code note_task(struct pi_building *b, uint32_t pid, uint32_t tid, const struct pd_moment *when,
                              bool *earliest)
{
    const uint64_t pair = (uint64_t)pid << 32 | tid;
    uint64_t number = 0;
    const bool known = pi_ids_get(&b->pairs, pair, &number);
    *earliest = !known || pd_moment_before(when, &b->moments[number]);
    if (!*earliest)
        return PD_OK;
    if (known) {
        b->moments[number] = *when;
        return PD_OK;
    }
    if (b->n_moments == PI_LIMIT_INDEX_TASKS)
        return pi_fail(b->error, PD_ELIMIT, PD_NOWHERE, "tasks", b->n_moments + 1, PI_LIMIT_INDEX_TASKS);
    if (!pi_grow(b->options->allocator, (void **)&b->moments, b->n_moments, &b->cap_moments,
                 sizeof *b->moments) ||
        !pi_ids_set(&b->pairs, pair, b->n_moments))
        return no_memory(b, b->cap_moments * sizeof *b->moments);
    b->moments[b->n_moments++] = *when;
    return PD_OK;
}

static void note_extreme(struct pi_extreme *e, struct pi_index_type *numbers, const struct pd_record *rec,
                         const struct pi_index_given *head, uint64_t time, bool given)
{
    e->set = true;
    e->given = given;
    e->time = time;
    e->numbers = numbers;
    e->event = rec->attr_index;
    e->size = rec->size;
    e->head = *head;
    memcpy(e->raw, rec->raw, rec->size);
}

static void note_times(struct pi_building *b, struct pi_index_type *numbers, const struct pd_record *rec,
                       const struct pi_index_given *head, uint64_t time, bool given)
{
    const bool sample = rec->type == PD_RECORD_SAMPLE;
    struct pi_extreme *first = &b->extreme[sample ? PI_FIRST_SAMPLE : PI_FIRST_OTHER],
                      *last = &b->extreme[sample ? PI_LAST_SAMPLE : PI_LAST_OTHER],
                      *round = &b->extreme[PI_LAST_OF_ROUND];
    if (!first->set || time < first->time)
        note_extreme(first, numbers, rec, head, time, given);
    if (!last->set || time > last->time)
        note_extreme(last, numbers, rec, head, time, given);
    if (!round->set || time > round->time)
        note_extreme(round, numbers, rec, head, time, given);
    if (b->now.first == 0 || time < b->now.first)
        b->now.first = time;
    if (time > b->now.last)
        b->now.last = time;
}

static enum pd_code give_extreme(struct pi_building *b, struct pi_extreme *e)
{
    if (!e->set || e->given)
        return PD_OK;
    take_back(b, e);
    for (size_t i = 0; i < PI_EXTREMES; i++)
        b->extreme[i].given |= b->extreme[i].head.number == e->head.number;
    return give(b, &e->head, e->raw, e->size);
}

static enum pd_code end_round(struct pi_building *b)
{
    const enum pd_code code = give_extreme(b, &b->extreme[PI_LAST_OF_ROUND]);
    b->extreme[PI_LAST_OF_ROUND].set = false;
    return code;
}

enum pd_code pi_block_record(struct pi_building *b, const struct pd_record *rec, const struct pd_moment *when)
{
    uint32_t pid, tid;
    uint64_t time;
    bool needed = false;
    const bool may = may_go(rec, &pid, &tid, &time), sample = rec->type == PD_RECORD_SAMPLE;
    enum pd_code code = may && sample && rec->plan->pid ? note_task(b, pid, tid, when, &needed) : PD_OK;
    if (!code && b->open && rec->type == PD_RECORD_FINISHED_ROUND)
        code = end_round(b);
    if (code || !b->open)
        return code;
    const struct pi_index_given head = head_of(b, rec);
    struct pi_index_type *numbers = may ? numbers_of(b, rec->type) : NULL;
    b->bytes += rec->size;
    if (numbers)
        note_times(b, numbers, rec, &head, time, needed);
    if (numbers == NULL || needed)
        return give(b, &head, rec->raw, rec->size);
    leave_out(b, numbers, rec);
    return PD_OK;
}

/* ---- COMPRESSED records */

/* One of no data, which tells where records are compressed, and in which type. */
static enum pd_code give_empty(struct pi_building *b, const struct pd_record *rec, uint16_t size)
{
    uint8_t raw[16] = {0};
    const struct pi_index_given head = head_of(b, rec);
    const enum pd_order order = pd_reader_info(b->reader)->order;
    pi_store32(raw, rec->type, order);
    pi_store16(raw + 6, size, order);
    b->wrapper = rec->type;
    return give(b, &head, raw, size);
}

enum pd_code pi_block_wrapper(struct pi_building *b, const struct pd_record *rec)
{
    struct pi_index_type *numbers = b->open ? numbers_of(b, rec->type) : NULL;
    uint16_t given = 0;
    enum pd_code code = PD_OK;
    if (numbers == NULL) { /* its records are not left out without it */
        b->open = false;
        return PD_OK;
    }
    if (rec->type != b->wrapper)
        code = give_empty(b, rec, given = rec->type == PD_RECORD_COMPRESSED2 ? 16 : 8);
    numbers->records += given == 0;
    numbers->bytes += rec->size - given;
    return code;
}

/* ---- The block */

enum pd_code pi_blocks_start(struct pi_building *b)
{
    b->n_samples = pd_reader_n_attrs(b->reader);
    b->samples = pi_array(b->options->allocator, NULL, b->n_samples, sizeof *b->samples);
    return b->samples ? PD_OK : no_memory(b, b->n_samples * sizeof *b->samples);
}

void pi_block_begin(struct pi_building *b, uint64_t from, uint64_t index, uint64_t position)
{
    b->now = (struct pi_index_block){.from = from};
    b->open = true;
    b->index = index;
    b->position = position;
    b->bytes = 0;
    b->wrapper = 0;
    b->n_waiting = b->held = 0;
    memset(b->types, 0, sizeof b->types);
    for (size_t i = 0; i < PI_EXTREMES; i++)
        b->extreme[i].set = false;
    if (b->n_samples)
        memset(b->samples, 0, b->n_samples * sizeof *b->samples);
}

static int by_number(const void *a, const void *b)
{
    const struct pi_index_copy *x = a, *y = b;
    return (x->head.number > y->head.number) - (x->head.number < y->head.number);
}

static enum pd_code emit_part(struct pi_building *b, const void *part, size_t size)
{
    uint8_t bytes[sizeof(struct pi_index_given)];
    pi_index_store(part, size, bytes);
    return pi_index_emit(b, bytes, size);
}

static enum pd_code write_numbers(struct pi_building *b)
{
    enum pd_code code = PD_OK;
    for (uint64_t i = 0; !code && i < b->n_samples; i++) {
        const struct pi_index_event event = {i, b->samples[i]};
        if (event.samples) {
            code = emit_part(b, &event, sizeof event);
            b->now.events++;
        }
    }
    for (size_t i = 0; !code && i < PI_INDEX_TYPES; i++)
        if (b->types[i].bytes) {
            code = emit_part(b, &b->types[i], sizeof b->types[i]);
            b->now.types++;
        }
    return code;
}

static enum pd_code write_given(struct pi_building *b)
{
    enum pd_code code = PD_OK;
    qsort(b->waiting, b->n_waiting, sizeof *b->waiting, by_number);
    for (size_t i = 0; !code && i < b->n_waiting; i++) {
        const struct pi_index_copy *w = &b->waiting[i];
        code = emit_part(b, &w->head, sizeof w->head);
        if (!code)
            code = pi_index_emit(b, b->held_bytes + w->at, w->size);
    }
    return code;
}

static enum pd_code write_block(struct pi_building *b)
{
    if (b->n == PI_LIMIT_INDEX_BLOCKS)
        return pi_fail(b->error, PD_ELIMIT, b->now.from, "blocks", b->n + 1, PI_LIMIT_INDEX_BLOCKS);
    if (!pi_grow(b->options->allocator, (void **)&b->blocks, b->n, &b->cap, sizeof *b->blocks))
        return no_memory(b, 2 * b->cap * sizeof *b->blocks);
    b->now.given = b->at;
    enum pd_code code = write_numbers(b);
    if (!code && b->n_waiting)
        code = write_given(b);
    b->now.given_size = b->at - b->now.given;
    b->blocks[b->n++] = b->now;
    b->stats->left_out += b->now.samples + b->now.others;
    b->stats->given += b->n_waiting;
    return code;
}

enum pd_code pi_block_end(struct pi_building *b, uint64_t to, uint64_t index)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < PI_EXTREMES; i++)
        code = give_extreme(b, &b->extreme[i]);
    const bool whole = b->open;
    b->open = false;
    b->now.to = to;
    b->now.records = index - b->index;
    b->now.inflated = b->reader->inflate.position - b->position;
    return code || !whole || b->now.samples + b->now.others == 0 ? code : write_block(b);
}
