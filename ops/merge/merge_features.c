/* SPDX-License-Identifier: MIT */
/* merge_features.c - makes one set of features from those of several recordings. */
#include "merge.h"
#include "encode/codec/carried_head.h"
#include "src/schema/fail.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include <perfdata/session/compare.h>
#include <xxhash.h>

#define OTHER_KEPT "differs, that of the first input which has it is kept"
#define OTHER_CPUS "is for another number of cpus than NRCPUS, which another input has, and is left out"

static const struct pd_feature *feature_of(const struct pi_merging *m, size_t i, uint32_t id)
{
    return pd_metadata_feature(m->in[i].meta, id);
}

static bool same_bytes(const struct pd_feature *a, const struct pd_feature *b)
{
    return a->raw.n == b->raw.n && (a->raw.n == 0 || memcmp(a->raw.ptr, b->raw.ptr, a->raw.n) == 0);
}

/* ---- Machines */

/* A feature which shows that the inputs are of different machines; UINT32_MAX: none. */
static uint32_t differing_machine(const struct pi_merging *m, size_t a, size_t b)
{
    static const uint32_t telling[] = {PD_FEAT_HOSTNAME, PD_FEAT_OSRELEASE, PD_FEAT_ARCH,
                                       PD_FEAT_CPUID,    PD_FEAT_NRCPUS,    0};
    for (const uint32_t *id = telling; *id; id++) {
        const struct pd_feature *x = feature_of(m, a, *id), *y = feature_of(m, b, *id);
        if (x && y && !pd_feature_equal(x, y, NULL))
            return *id;
    }
    return UINT32_MAX;
}

void pi_merge_machines(struct pi_merging *m)
{
    const enum pd_merge_pids pids = m->options->pids;
    uint32_t machines = 0;
    for (size_t i = 0; i < m->n; i++) {
        size_t k = pids == PD_MERGE_PIDS_KEEP ? 0 : pids == PD_MERGE_PIDS_MOVE ? i : 0;
        while (pids == PD_MERGE_PIDS_AUTO && k < i &&
               !(m->in[k].machine == k && differing_machine(m, k, i) == UINT32_MAX))
            k++;
        m->in[i].machine = k;
        m->in[i].pid_step = k == i ? PD_MERGE_PID_STEP * machines++ : m->in[k].pid_step;
        if (k == i && i)
            pi_merge_note(m, i, pids == PD_MERGE_PIDS_AUTO ? differing_machine(m, 0, i) : UINT32_MAX,
                          "counts as another machine: its pids are moved, times are taken as they are, "
                          "kernel symbols are "
                          "those of one machine only");
    }
}

/* ---- Bytes of a new feature */

struct made {
    struct pi_merging *m;
    enum pd_code code;
};

static void append_bytes(struct made *f, const void *bytes, size_t n)
{
    if (!f->code)
        f->code = pd_writer_feature_bytes(f->m->out.writer, bytes, n, f->m->error);
}

static void put32(struct made *f, uint32_t value)
{
    uint8_t bytes[4];
    pi_store32(bytes, value, f->m->order);
    append_bytes(f, bytes, sizeof bytes);
}

static void put64(struct made *f, uint64_t value)
{
    uint8_t bytes[8];
    pi_store64(bytes, value, f->m->order);
    append_bytes(f, bytes, sizeof bytes);
}

static void put_zeros(struct made *f, size_t n)
{
    static const uint8_t zeros[512];
    for (; n; n -= n < sizeof zeros ? n : sizeof zeros)
        append_bytes(f, zeros, n < sizeof zeros ? n : sizeof zeros);
}

/* Appends a string as perf writes it, in a multiple of 64 bytes. */
static void put_string(struct made *f, const char *s, size_t n)
{
    const size_t slot = (n + 64) & ~(size_t)63;
    put32(f, (uint32_t)slot);
    append_bytes(f, s, n);
    put_zeros(f, slot - n);
}

/* ---- Features that follow the events */

static void put_event(struct made *f, const struct pi_merged_event *e, size_t room)
{
    char name[256];
    uint8_t attr[PD_ATTR_SIZE];
    struct pd_attr known = e->attr; /* what stands behind it may have any size */
    known.tail = (struct pd_bytes){NULL, 0};
    const size_t n = pd_attr_bytes(&known);
    if (!f->code)
        f->code = pd_attr_encode(f->m->order, &known, attr, n, f->m->error);
    append_bytes(f, attr, n);
    append_bytes(f, e->attr.tail.ptr, e->attr.tail.n);
    put_zeros(f, room - n - e->attr.tail.n);
    put32(f, (uint32_t)e->n_ids);
    if (e->name == NULL)
        pd_event_format(e->attr.type, e->attr.config, e->attr.bp_addr, e->attr.bp_type, e->attr.bp_len, name,
                        sizeof name);
    put_string(f, e->name ? e->name : name, strlen(e->name ? e->name : name));
    for (size_t i = 0; i < e->n_ids; i++)
        put64(f, e->ids[i]);
}

static void put_event_desc(struct made *f)
{
    struct pi_merging *m = f->m;
    size_t room = 0;
    for (size_t i = 0; i < m->n_events; i++) {
        const size_t n = pd_attr_bytes(&m->events[i].attr);
        room = n > room ? n : room;
    }
    put32(f, (uint32_t)m->n_events);
    put32(f, (uint32_t)room);
    for (size_t i = 0; !f->code && i < m->n_events; i++)
        put_event(f, &m->events[i], room);
}

static void put_group_desc(struct made *f)
{
    struct pi_merging *m = f->m;
    uint32_t n = 0;
    for (size_t i = 0; i < m->n_units; i++)
        n += m->units[i].group.nr_members > 0;
    put32(f, n);
    for (size_t i = 0; i < m->n_units; i++) {
        const struct pi_merged_unit *u = &m->units[i];
        if (u->group.nr_members == 0)
            continue;
        put_string(f, u->group.name.ptr, u->group.name.len);
        put32(f, u->first);
        put32(f, u->n);
    }
}

/* ---- Features merged from all inputs */

/* Files with a build id in the output, by hashes of their names: each input may have any number of them. */
struct known_files {
    struct pi_ids by_name; /* from a hash to the number + 1 of the first such file */
    struct known_file {
        struct pd_build_id_entry entry;
        size_t input;
        size_t next; /* the number + 1 of the next file of the same hash; 0: none */
    } * files;
    size_t n, cap;
};

static uint64_t hash_file(const struct pi_merging *m, const struct pd_build_id_entry *e)
{
    const uint64_t seed = pi_keyed(&m->hash_key, e->misc & PD_MISC_CPUMODE);
    return e->file.filename.len ? XXH3_64bits_withSeed(e->file.filename.ptr, e->file.filename.len, seed)
                                : seed;
}

static bool same_file(const struct pd_build_id_entry *a, const struct pd_build_id_entry *b)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): see is_there() */
    return !((a->misc ^ b->misc) & PD_MISC_CPUMODE) && a->file.filename.len == b->file.filename.len &&
           (a->file.filename.len == 0 ||
            memcmp(a->file.filename.ptr, b->file.filename.ptr, a->file.filename.len) == 0);
}

static bool add_file(struct pi_merging *m, struct known_files *known, size_t i,
                     const struct pd_build_id_entry *e, uint64_t hash)
{
    uint64_t next = 0;
    pi_ids_get(&known->by_name, hash, &next);
    if (!pi_grow(m->allocator, (void **)&known->files, known->n, &known->cap, sizeof *known->files) ||
        !pi_ids_set(&known->by_name, hash, known->n + 1))
        return false;
    known->files[known->n++] = (struct known_file){.entry = *e, .input = i, .next = (size_t)next};
    return true;
}

/*
 * Finds out whether an earlier input has the file of input i; adds it if not. *other: with another build id.
 */
static enum pd_code is_there(struct pi_merging *m, struct known_files *known, size_t i,
                             const struct pd_build_id_entry *e, bool *there, bool *other)
{
    const uint64_t hash = hash_file(m, e);
    uint64_t k = 0;
    pi_ids_get(&known->by_name, hash, &k);
    /* NOLINTBEGIN(clang-analyzer-core.NullDereference): by_name only has numbers of files */
    while (k && !same_file(&known->files[k - 1].entry, e))
        k = known->files[k - 1].next;
    *there = k && known->files[k - 1].input < i;
    *other |= *there &&
              memcmp(known->files[k - 1].entry.file.build_id, e->file.build_id, sizeof e->file.build_id) != 0;
    /* NOLINTEND(clang-analyzer-core.NullDereference) */
    return k || add_file(m, known, i, e, hash) ? PD_OK
                                               : pi_merge_no_memory(m, 2 * known->cap * sizeof *known->files);
}

/* Adds a pid to an entry without one, since the other entries have one. */
static void put_with_pid(struct made *made, size_t i, const uint8_t *at, const struct pd_build_id_entry *e)
{
    const enum pd_order order = made->m->order;
    uint8_t head[PI_BUILD_ID_HEAD];
    if (e->size > UINT16_MAX - 4) {
        pi_merge_note(made->m, i, PD_FEAT_BUILD_ID, "has a name that is too long for an entry with a pid");
        return;
    }
    pi_put_build_id_head(order, pi_load32(at, order), e->misc, e->size + 4u, head);
    append_bytes(made, head, sizeof head);
    append_bytes(made, at + 8, e->size - 8u);
}

/* Writes the build ids of input i that earlier inputs do not have. */
static void put_build_ids_of(struct made *made, struct known_files *known, size_t i)
{
    struct pi_merging *m = made->m;
    const struct pd_feature *f = feature_of(m, i, PD_FEAT_BUILD_ID);
    struct pd_list l = f ? f->u.build_id.entries : (struct pd_list){0};
    struct pd_build_id_entry e;
    bool there = false, other = false;
    const uint8_t *at = f ? f->raw.ptr : NULL;
    for (; !made->code && f && f->layout && pd_build_id_entry_next(&l, &e); at += e.size) {
        made->code = is_there(m, known, i, &e, &there, &other);
        if (!there && f->variant & PD_VARIANT_NO_PID)
            put_with_pid(made, i, at, &e);
        else if (!there)
            append_bytes(made, at, e.size);
    }
    if (other)
        pi_merge_note(m, i, PD_FEAT_BUILD_ID,
                      "names other build ids for some files, those of the earlier input are kept");
}

static void put_build_ids(struct made *made)
{
    struct known_files known = {.by_name.allocator = made->m->allocator};
    for (size_t i = 0; !made->code && i < made->m->n; i++)
        put_build_ids_of(made, &known, i);
    pi_ids_free(&known.by_name);
    pi_release(made->m->allocator, known.files);
}

static void put_sample_time(struct made *made)
{
    const struct pi_merging *m = made->m;
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < m->n; i++) {
        const struct pd_feature *f = feature_of(m, i, PD_FEAT_SAMPLE_TIME);
        if (f == NULL || f->layout == NULL || f->u.sample_time.last == 0)
            continue;
        first = f->u.sample_time.first < first ? f->u.sample_time.first : first;
        last = f->u.sample_time.last > last ? f->u.sample_time.last : last;
    }
    put64(made, first == UINT64_MAX ? 0 : first);
    put64(made, last);
}

/* What stands behind the parts that a section counts. */
static struct pd_bytes behind_parts(const struct pd_feature *f)
{
    return f->layout ? f->rest : (struct pd_bytes){NULL, 0};
}

/* True if the section has a count, and no input before this one has the same. */
static bool counts_anew(const struct pi_merging *m, size_t i, uint32_t id)
{
    const struct pd_feature *f = feature_of(m, i, id);
    bool anew = f && f->raw.n >= 4;
    for (size_t k = 0; anew && k < i; k++)
        anew = !feature_of(m, k, id) || !same_bytes(feature_of(m, k, id), f);
    return anew;
}

/*
 * Writes a count and parts; perf takes each part only once, by its number. Of what stands behind them, that
 * of the first input which has something there.
 */
static void put_counted(struct made *made, uint32_t id)
{
    const struct pi_merging *m = made->m;
    struct pd_bytes rest = {NULL, 0};
    uint32_t count = 0;
    bool any = false;
    for (size_t i = 0; i < m->n; i++) {
        if (!counts_anew(m, i, id))
            continue;
        any = true;
        count += pi_load32(feature_of(m, i, id)->raw.ptr, m->order);
    }
    if (!any)
        return; /* an empty section remains empty */
    put32(made, count);
    for (size_t i = 0; i < m->n; i++) {
        if (!counts_anew(m, i, id))
            continue;
        const struct pd_feature *f = feature_of(m, i, id);
        const struct pd_bytes behind = behind_parts(f);
        append_bytes(made, f->raw.ptr + 4, f->raw.n - 4 - behind.n);
        if (rest.n == 0)
            rest = behind;
        else if (behind.n && (behind.n != rest.n || memcmp(behind.ptr, rest.ptr, rest.n) != 0))
            pi_merge_note(m, i, id, OTHER_KEPT);
    }
    append_bytes(made, rest.ptr, rest.n);
}

/* ---- Choice of features */

static uint32_t cpus_of(const struct pi_merging *m, size_t i)
{
    const struct pd_feature *f = i < m->n ? feature_of(m, i, PD_FEAT_NRCPUS) : NULL;
    return f && f->layout ? f->u.nrcpus.nr_cpus_avail : 0;
}

/* Only with as many cpus as the output's NRCPUS tells can CPU_TOPOLOGY be read. */
static bool fits(const struct pi_merging *m, size_t i, uint32_t id)
{
    size_t teller = 0;
    while (teller < m->n && !feature_of(m, teller, PD_FEAT_NRCPUS))
        teller++;
    return id != PD_FEAT_CPU_TOPOLOGY || cpus_of(m, i) == cpus_of(m, teller);
}

static bool first_with(const struct pi_merging *m, uint32_t id, size_t *first)
{
    for (*first = 0; *first < m->n; ++*first)
        if (feature_of(m, *first, id) && fits(m, *first, id))
            return true;
    return false;
}

static void note_unfit(const struct pi_merging *m)
{
    for (size_t i = 0; i < m->n; i++)
        if (feature_of(m, i, PD_FEAT_CPU_TOPOLOGY) && !fits(m, i, PD_FEAT_CPU_TOPOLOGY))
            pi_merge_note(m, i, PD_FEAT_CPU_TOPOLOGY, OTHER_CPUS);
}

/* Keeps the feature of the first input that has it. */
static enum pd_code keep_first(struct pi_merging *m, uint32_t id, size_t first)
{
    const struct pd_feature *f = feature_of(m, first, id);
    bool same = true;
    for (size_t i = first + 1; i < m->n; i++) {
        const struct pd_feature *g = feature_of(m, i, id);
        if (g == NULL || !fits(m, i, id) || same_bytes(f, g))
            continue;
        same = false;
        if (id != PD_FEAT_TRACING_DATA)
            pi_merge_note(m, i, id, OTHER_KEPT);
    }
    if (id == PD_FEAT_TRACING_DATA && !same && f->layout)
        return pi_merge_put_tracing(m, first);
    enum pd_code code = pd_writer_feature(m->out.writer, (uint16_t)id, m->error);
    return code ? code : pd_writer_feature_bytes(m->out.writer, f->raw.ptr, f->raw.n, m->error);
}

/* An entry of a list: a size in 32 bits, and as many bytes. */
static struct pd_bytes entry_at(const struct pd_feature *f, size_t at, enum pd_order order)
{
    const uint64_t size = 4 + (uint64_t)pi_load32(f->raw.ptr + at, order), left = f->raw.n - at;
    return (struct pd_bytes){f->raw.ptr + at, (size_t)(size < left ? size : left)};
}

/* True if all inputs that have the feature have the same bytes. */
static bool is_same_everywhere(const struct pi_merging *m, uint32_t id)
{
    const struct pd_feature *first = NULL;
    for (size_t i = 0; i < m->n; i++) {
        const struct pd_feature *f = feature_of(m, i, id);
        if (first && f && !same_bytes(first, f))
            return false;
        first = f ? f : first;
    }
    return true;
}

/* The entries of a list of all inputs, each once. Bytes behind them would be taken for the next input's. */
static void put_entries(struct made *made, uint32_t id)
{
    const struct pi_merging *m = made->m;
    struct pi_ids known = {.allocator = m->allocator}; /* from hashes of entries to the first one */
    for (size_t i = 0; !made->code && i < m->n; i++) {
        const struct pd_feature *f = feature_of(m, i, id);
        size_t at = 0;
        while (!made->code && f && f->raw.n - at >= 4) {
            const struct pd_bytes e = entry_at(f, at, m->order);
            const uint64_t hash = XXH3_64bits_withSeed(e.ptr, e.n, pi_keyed(&m->hash_key, id));
            const bool whole = e.n - 4 == pi_load32(e.ptr, m->order);
            uint64_t same = 0;
            at += e.n;
            if (whole && pi_ids_get(&known, hash, &same) &&
                memcmp((const void *)(uintptr_t)same, e.ptr, e.n) == 0)
                continue;
            append_bytes(made, e.ptr, e.n);
            if (!made->code && whole && !same && !pi_ids_set(&known, hash, (uintptr_t)e.ptr))
                made->code = pi_merge_no_memory(made->m, known.size * sizeof *known.slots);
        }
        if (f && at != f->raw.n)
            pi_merge_note(m, i, id, "has bytes behind its entries, which are left out");
    }
    pi_ids_free(&known);
}

static enum pd_code put_feature(void *user, uint16_t id)
{
    struct pi_merging *m = user;
    struct made made = {m, PD_OK};
    size_t first;
    void (*make)(struct made *) = id == PD_FEAT_EVENT_DESC    ? put_event_desc
                                  : id == PD_FEAT_GROUP_DESC  ? put_group_desc
                                  : id == PD_FEAT_BUILD_ID    ? put_build_ids
                                  : id == PD_FEAT_SAMPLE_TIME ? put_sample_time
                                                              : NULL;
    const bool counted = id == PD_FEAT_BPF_PROG_INFO || id == PD_FEAT_BPF_BTF;
    const bool listed =
        (id == PD_FEAT_SIMPLEPERF_FILE || id == PD_FEAT_SIMPLEPERF_FILE2) && !is_same_everywhere(m, id);
    if (make == NULL && !counted && !listed)
        return first_with(m, id, &first) ? keep_first(m, id, first) : PD_OK;
    made.code = pd_writer_feature(m->out.writer, id, m->error);
    if (counted)
        put_counted(&made, id);
    else if (listed)
        put_entries(&made, id);
    else
        make(&made);
    return made.code;
}

/* The writer makes COMPRESSED; the one of perf stat, which names no compression, stays. */
static bool has_feature(void *user, uint16_t id)
{
    const struct pi_merging *m = user;
    size_t first;
    int level;
    if (!first_with(m, id, &first) || id == PD_FEAT_DIR_FORMAT || id == PD_FEAT_AUXTRACE)
        return false;
    const struct pd_feature *f = feature_of(m, first, id);
    if (m->options->wall_clock && id == PD_FEAT_CLOCK_DATA) /* of another clock, it would be wrong now */
        return f->layout && f->u.clock_data.clockid == 0;
    return id != PD_FEAT_COMPRESSED ||
           (!m->out.writer->deflate.ctx &&
            pi_said_compression(f->raw.ptr, f->raw.n, m->order, &level) == PI_SAID_PLAIN);
}

void pi_merge_feed(struct pi_merging *m)
{
    note_unfit(m);
    m->out = (struct pi_sections){.reader = m->in[0].reader,
                                  .error = m->error,
                                  .has_feature = has_feature,
                                  .put_feature = put_feature,
                                  .user = m};
}
