/* SPDX-License-Identifier: MIT */
/*
 * merge_state.c - side-band that several inputs have: copies of records already written, and an input's
 * records of the tasks that existed when its recording was started.
 *
 * Such records have no time: perf record reads them from /proc, while it already records, before its first
 * sample. Between its first time and its first sample, other inputs may have told more of a task than these
 * records do. So an input's records of a process wait until the input's first sample, or until any record
 * with a time tells something of the process, or its own record with a time tells something of a child of the
 * process; they must come before that record. Waiting records are left out if they were written for another
 * input and still hold; but none of a task is left out if there is another FORK of it: without the COMM
 * behind it, the task has its parent's name.
 */
#include "ops/compare/canonical.h"
#include "src/schema/fail.h"
#include "src/session/tasks/task_questions.h"
#include "src/support/keyed.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include "merge.h"

#define WRITTEN UINT32_MAX /* in place of an input */

/* ---- How often a record came from each input, and how often it was written */

struct seen_slot {
    struct pd_hash hash;
    uint32_t input, count; /* count 0: free */
};

struct seen_set {
    struct seen_slot *slots;
    size_t size, n;
    struct pi_key key;
};

/* A record that waits. */
struct held {
    struct pd_hash hash;
    size_t at;           /* in the bytes */
    uint32_t size, next; /* the next of the same process, its number + 1; 0: none */
    uint32_t input, pid, attr;
    uint32_t task; /* whose FORK makes what it tells anew: the thread, or of a map its process */
    bool stale;    /* when it came, other inputs had told something with a time of the same task or map. Never
                   set for a FORK: it names nothing, and pieces have a FORK alone, for the task's parent */
    bool birth;    /* a FORK */
    bool done;
};

struct pi_merge_state {
    struct pi_canon canon;
    struct seen_set timed, untimed; /* records of one time; records without a time */
    uint64_t time;
    size_t most; /* limit of entries in a set */
    bool full;
    struct pd_tasks *tasks; /* who told the last of them in records with a time */
    struct held *held;
    size_t n_held, held_cap, n_waiting;
    struct pi_ids
        chains;     /* from input << 32 | pid to first << 32 | last waiting record, by their numbers + 1 */
    uint8_t *bytes; /* of waiting records */
    size_t n_bytes, bytes_cap, most_bytes;
};

static struct seen_slot *seen_at(const struct seen_set *s, const struct pd_hash *hash, uint32_t input)
{
    uint64_t h[2];
    memcpy(h, hash->bytes, sizeof h);
    size_t i = (size_t)pi_keyed(&s->key, pi_keyed(&s->key, h[0] ^ input) ^ h[1]) & (s->size - 1);
    while (s->slots[i].count &&
           (s->slots[i].input != input || memcmp(&s->slots[i].hash, hash, sizeof *hash) != 0))
        i = (i + 1) & (s->size - 1);
    return &s->slots[i];
}

static bool grow_seen(struct seen_set *s, const struct pd_allocator *allocator)
{
    struct seen_set next = {
        .size = s->size ? 2 * s->size : 256, .n = s->n, .key = s->size ? s->key : pi_key_draw()};
    next.slots = pi_array(allocator, NULL, next.size, sizeof *next.slots);
    if (next.slots == NULL)
        return false;
    memset(next.slots, 0, next.size * sizeof *next.slots);
    for (size_t i = 0; i < s->size; i++)
        if (s->slots[i].count)
            *seen_at(&next, &s->slots[i].hash, s->slots[i].input) = s->slots[i];
    pi_release(allocator, s->slots);
    *s = next;
    return true;
}

/* Returns how often a record came from an input, after adding 1 if `add`. */
static uint32_t count_seen(struct seen_set *s, const struct pd_hash *hash, uint32_t input, bool add)
{
    if (s->size == 0)
        return 0;
    struct seen_slot *slot = seen_at(s, hash, input);
    if (add && slot->count++ == 0) {
        slot->hash = *hash;
        slot->input = input;
        s->n++;
    }
    return slot->count;
}

static void clear_seen(struct seen_set *s)
{
    if (s->n)
        memset(s->slots, 0, s->size * sizeof *s->slots);
    s->n = 0;
}

/*
 * Records of a state are copies of each other whatever event they came with: inputs with different events
 * have other ids in their sample_id, or other fields. Of other records, the sample_id tells what they are
 * about.
 */
static struct pd_hash hash_of(struct pi_merge_state *st, const struct pd_record *rec,
                              const struct pi_merged_record *out, bool decoded)
{
    const bool of_state = decoded && pi_traits_of(rec->type)->copies == PI_COPIES_STATE;
    const size_t header = of_state ? sizeof(struct pi_record_header) : 0,
                 trailer = of_state ? out->trailer : 0;
    if (of_state) {
        pi_canon_number(&st->canon, rec->type, 4);
        pi_canon_number(&st->canon, rec->misc, 2);
    }
    pi_canon_bytes(&st->canon, out->bytes + header, out->n - header - trailer);
    return pi_canon_end(&st->canon);
}

/* Finds out whether the record was written for another input, and counts it. */
static enum pd_code find_duplicate(struct pi_merging *m, uint32_t input, const struct pd_hash *hash,
                                   uint64_t time, bool *found)
{
    struct pi_merge_state *st = m->state;
    struct seen_set *set = time ? &st->timed : &st->untimed;
    if (time && time != st->time) {
        clear_seen(&st->timed);
        st->time = time;
    }
    if (set->n >= st->most) {
        if (!st->full)
            pi_merge_note(m, input, UINT32_MAX,
                          "too many records of one time: duplicates among them are no longer left out");
        st->full = true;
        return PD_OK;
    }
    if (set->n + 2 > set->size / 2 && !grow_seen(set, m->allocator))
        return pi_fail(m->error, PD_ENOMEM, PD_NOWHERE, "merge", 0, 2 * set->size * sizeof *set->slots);
    *found = count_seen(set, hash, input, true) <= count_seen(set, hash, WRITTEN, false);
    if (!*found)
        count_seen(set, hash, WRITTEN, true);
    return PD_OK;
}

/* ---- Which records */

/*
 * True for records of existing tasks and maps, of which pieces of a recording have copies; they are not
 * events by themselves.
 */
static bool is_state(const struct pd_record *rec)
{
    const unsigned copies = pi_traits_of(rec->type)->copies;
    return copies == PI_COPIES_STATE || copies == PI_COPIES_ONCE;
}

/* What a decoded record tells of a task; false: nothing, or it is the kernel's own map. */
static bool find_told(struct pd_record *rec, struct pi_told *told)
{
    return pi_tells_of(rec) != PI_TELLS_NOTHING && !pi_told_of(rec, told, NULL) && !told->of_kernel;
}

static struct pi_task_source source_of(const struct pi_merging *m, uint32_t input, bool duplicate)
{
    return (struct pi_task_source){(uint32_t)m->in[input].machine, input, duplicate};
}

/* ---- Waiting records */

static enum pd_code no_memory(struct pi_merging *m, size_t n)
{
    return pi_fail(m->error, PD_ENOMEM, PD_NOWHERE, "merge", 0, n);
}

static uint64_t chain_key(uint32_t input, uint32_t pid)
{
    return (uint64_t)input << 32 | pid;
}

/* The first waiting record of an input's process, its number + 1; 0: none. */
static uint32_t first_of(const struct pi_merge_state *st, uint32_t input, uint32_t pid)
{
    uint64_t chain;
    return pi_ids_get(&st->chains, chain_key(input, pid), &chain) ? (uint32_t)(chain >> 32) : 0;
}

static bool make_room(struct pi_merging *m, size_t n)
{
    struct pi_merge_state *st = m->state;
    if (st->n_bytes + n <= st->bytes_cap)
        return true;
    const size_t cap = 2 * st->bytes_cap > 65536 + n ? 2 * st->bytes_cap : 65536 + n;
    uint8_t *bytes = pi_resize(m->allocator, st->bytes, cap);
    if (bytes == NULL)
        return false;
    st->bytes = bytes;
    st->bytes_cap = cap;
    return true;
}

static enum pd_code hold(struct pi_merging *m, uint32_t input, const struct pi_merged_record *out,
                         const struct pd_hash *hash, const struct pi_told *told)
{
    const size_t n = out->n;
    struct pi_merge_state *st = m->state;
    const struct pi_task_source source = source_of(m, input, false);
    uint64_t chain = 0;
    if (!make_room(m, n) ||
        !pi_grow(m->allocator, (void **)&st->held, st->n_held, &st->held_cap, sizeof *st->held))
        return no_memory(m, n);
    const uint32_t number = (uint32_t)st->n_held + 1;
    const bool birth = told->tells == PI_TELLS_BIRTH;
    pi_ids_get(&st->chains, chain_key(input, told->pid), &chain);
    if (!pi_ids_set(&st->chains, chain_key(input, told->pid), (chain ? chain >> 32 : number) << 32 | number))
        return no_memory(m, n);
    if (chain)
        st->held[(uint32_t)chain - 1].next = number;
    st->held[st->n_held++] =
        (struct held){.hash = *hash,
                      .at = st->n_bytes,
                      .size = (uint32_t)n,
                      .input = input,
                      .pid = told->pid,
                      .attr = m->in[input].rec.attr_index,
                      .task = told->tells == PI_TELLS_MAP ? told->pid : told->tid,
                      .birth = birth,
                      .stale = !birth && pi_tasks_told_by_others(st->tasks, &source, told)};
    memcpy(st->bytes + st->n_bytes, out->bytes, n);
    st->n_bytes += n;
    st->n_waiting++;
    m->in[input].n_waiting++;
    return PD_OK;
}

/* True if a waiting record was already written for another input, and still holds. */
static bool is_there(struct pi_merge_state *st, const struct held *h, bool stale_holds)
{
    return count_seen(&st->untimed, &h->hash, h->input, false) <
               count_seen(&st->untimed, &h->hash, WRITTEN, false) &&
           (stale_holds || !h->stale);
}

/* The tasks that a FORK among them makes anew: all that is told of these must be written. */
static enum pd_code find_reborn(struct pi_merging *m, uint32_t first, bool stale_holds, struct pi_ids *reborn)
{
    struct pi_merge_state *st = m->state;
    for (uint32_t k = first; k; k = st->held[k - 1].next) {
        const struct held *h = &st->held[k - 1];
        if (h->birth && !is_there(st, h, stale_holds) && !pi_ids_set(reborn, h->task, 0))
            return no_memory(m, 0);
    }
    return PD_OK;
}

/* Ends the waiting of an input's process: its records are written, or left out as duplicates. */
static enum pd_code release(struct pi_merging *m, uint32_t first, bool stale_holds)
{
    struct pi_merge_state *st = m->state;
    struct pi_ids reborn = {.allocator = m->allocator};
    enum pd_code code = find_reborn(m, first, stale_holds, &reborn);
    for (uint32_t k = first; !code && k; k = st->held[k - 1].next) {
        struct held *h = &st->held[k - 1];
        const bool write = pi_ids_get(&reborn, h->task, NULL) || !is_there(st, h, stale_holds);
        bool duplicate;
        h->done = true;
        st->n_waiting--;
        m->in[h->input].n_waiting--;
        code = find_duplicate(m, h->input, &h->hash, 0, &duplicate);
        m->stats->duplicates += !write;
        if (!code && write)
            code = pi_merge_write(m, h->input, h->attr, st->bytes + h->at, h->size);
    }
    pi_ids_free(&reborn);
    if (!pi_ids_set(&st->chains, chain_key(st->held[first - 1].input, st->held[first - 1].pid), 0))
        return no_memory(m, 0); /* it has a place */
    if (st->n_waiting == 0)
        st->n_held = st->n_bytes = 0;
    return code;
}

/*
 * Ends the waiting of all processes of an input; UINT32_MAX: of all inputs. Only searches if records of the
 * input wait, since every sample calls this.
 */
static enum pd_code release_all(struct pi_merging *m, uint32_t input, bool stale_holds)
{
    struct pi_merge_state *st = m->state;
    const size_t *left = input == UINT32_MAX ? &st->n_waiting : &m->in[input].n_waiting;
    enum pd_code code = PD_OK;
    for (uint32_t k = 1; !code && *left; k++)
        if (!st->held[k - 1].done && (input == UINT32_MAX || st->held[k - 1].input == input))
            code = release(m, k, stale_holds);
    return code;
}

/*
 * Called before a record with a time tells something of a process. Its waiting records are older. If the
 * record is another input's, or a duplicate (so that both inputs are pieces of one recording), waiting copies
 * are nothing new. A duplicate is not written, so that those of other inputs can go on waiting.
 */
static enum pd_code overtake(struct pi_merging *m, uint32_t input, uint32_t pid, bool duplicate)
{
    struct pi_merge_state *st = m->state;
    enum pd_code code = PD_OK;
    for (uint32_t i = 0; !code && st->n_waiting && i < m->n; i++) {
        const bool concerns = i == input || (!duplicate && m->in[i].machine == m->in[input].machine);
        const uint32_t first = concerns ? first_of(st, i, pid) : 0;
        if (first)
            code = release(m, first, i != input || duplicate);
    }
    return code;
}

/* ---- From outside */

enum pd_code pi_merge_state_open(struct pi_merging *m)
{
    const size_t memory = m->options->memory ? m->options->memory : PI_LIMIT_MERGE_MEMORY;
    m->state = pi_resize(m->allocator, NULL, sizeof *m->state);
    if (m->state == NULL)
        return no_memory(m, sizeof *m->state);
    *m->state =
        (struct pi_merge_state){.most = memory / (4 * sizeof(struct seen_slot)), .most_bytes = memory / 4};
    m->state->chains.allocator = m->allocator;
    if (m->state->most < 65536)
        m->state->most = 65536;
    const enum pd_code code = pi_tasks_ask(&m->state->tasks, PI_TASKS_TELLERS, m->allocator, m->error);
    if (code)
        return code;
    pd_tasks_limit(m->state->tasks, m->state->most * PI_TASK_TELLER_BYTES);
    return pi_canon_init(&m->state->canon, m->allocator, m->error);
}

void pi_merge_state_close(struct pi_merging *m)
{
    if (m->state == NULL)
        return;
    pi_canon_free(&m->state->canon);
    pi_release(m->allocator, m->state->timed.slots);
    pi_release(m->allocator, m->state->untimed.slots);
    pd_tasks_free(m->state->tasks);
    pi_ids_free(&m->state->chains);
    pi_release(m->allocator, m->state->held);
    pi_release(m->allocator, m->state->bytes);
    pi_release(m->allocator, m->state);
}

/* Takes a record with a time: notes what it tells of a task. */
static enum pd_code take_timed(struct pi_merging *m, uint32_t input, bool duplicate)
{
    struct pd_record *rec = &m->in[input].rec;
    struct pi_told told;
    if (!find_told(rec, &told))
        return PD_OK;
    enum pd_code code = overtake(m, input, told.pid, duplicate);
    const bool born = !code && told.tells == PI_TELLS_BIRTH && told.has_parent;
    const uint32_t parent = born ? first_of(m->state, input, told.ppid) : 0;
    if (parent) /* its name and maps are those of its parent, as this input knows them */
        code = release(m, parent, duplicate);
    pi_tasks_from(m->state->tasks, source_of(m, input, duplicate));
    return code ? code : pd_tasks_record(m->state->tasks, rec, NULL, m->error);
}

/* True if another input has had a record with a time. Otherwise no record needs to wait. */
static bool others_began(const struct pi_merging *m, uint32_t input)
{
    return m->n_began > m->in[input].began;
}

static void begin(struct pi_merging *m, uint32_t input, bool timed)
{
    struct pi_merge_input *in = &m->in[input];
    m->n_began += !in->began && timed;
    in->began |= timed;
}

enum pd_code pi_merge_state_sample(struct pi_merging *m, uint32_t input)
{
    m->in[input].sampled = true;
    begin(m, input, true);
    return m->in[input].n_waiting ? release_all(m, input, false) : PD_OK;
}

/* True for what comes only once the recording has begun, behind the state that perf writes first. */
static bool is_running(const struct pd_record *rec)
{
    return rec->type == PD_RECORD_SAMPLE || rec->type == PD_RECORD_AUX || rec->type == PD_RECORD_ITRACE_START;
}

enum pd_code pi_merge_state_record(struct pi_merging *m, uint32_t input, const struct pi_merged_record *out,
                                   uint64_t time, bool decoded, bool *done)
{
    struct pi_merge_state *st = m->state;
    struct pi_merge_input *in = &m->in[input];
    enum pd_code code = PD_OK;
    struct pi_told told;
    *done = false;
    if (is_running(&in->rec)) {
        in->sampled = true;
        code = release_all(m, input, false);
    }
    begin(m, input, time != 0);
    if (code || !is_state(&in->rec))
        return code;
    const struct pd_hash hash = hash_of(st, &in->rec, out, decoded);
    if (decoded && time == 0 && !in->sampled && others_began(m, input) && find_told(&in->rec, &told)) {
        *done = true;
        if (st->n_bytes + out->n > st->most_bytes || st->untimed.n + st->n_waiting >= st->most)
            code = release_all(m, UINT32_MAX, true);
        return code ? code : hold(m, input, out, &hash, &told);
    }
    code = find_duplicate(m, input, &hash, time, done);
    m->stats->duplicates += *done;
    return code || !decoded || time == 0 ? code : take_timed(m, input, *done);
}

enum pd_code pi_merge_state_bytes(struct pi_merging *m, uint32_t input, const uint8_t *bytes, size_t n,
                                  bool *done)
{
    pi_canon_bytes(&m->state->canon, bytes, n);
    const struct pd_hash hash = pi_canon_end(&m->state->canon);
    *done = false;
    return find_duplicate(m, input, &hash, 0, done);
}

enum pd_code pi_merge_state_end(struct pi_merging *m, uint32_t input)
{
    return release_all(m, input, false);
}
