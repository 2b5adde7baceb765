/* SPDX-License-Identifier: MIT */
/*
 * redact_kinds.c - what the table of docs/REDACT.md says of each kind of field, held against random
 * recordings of every type of record and feature: each field of the output beside the same one of the input,
 * when all is kept, hashed with a key and without, or dropped, and when each option says something else.
 */
#define _GNU_SOURCE /* memmem() */
#include "cmocka_all.h"
#include "content/identified.h"
#include "fuzz/image_sink.h"
#include "seeded.h"
#include <perfdata/ops/convert.h>
#include <perfdata/ops/gen.h>
#include <perfdata/ops/redact.h>
#include <perfdata/perfdata.h>

/* ---- The values of a recording, by their field */

struct value {
    enum pi_identity kind;
    const struct pd_op *op, *layout;
    size_t place; /* among all, so that sorting by field keeps the order */
    bool text;
    uint64_t number;
    unsigned width;
    uint8_t *ptr; /* NULL: a number */
    size_t n;
};

struct values {
    struct value *at;
    size_t n, cap;
};

static struct value *more(struct values *all, enum pi_identity kind, const struct pd_field *f,
                          const struct pd_op *layout)
{
    if (all->n == all->cap) {
        all->cap = 2 * all->cap + 1024;
        all->at = realloc(all->at, all->cap * sizeof *all->at);
        assert_non_null(all->at);
    }
    struct value *const v = &all->at[all->n];
    *v = (struct value){.kind = kind, .op = f->op, .layout = layout, .place = all->n++, .width = f->width};
    return v;
}

/* An identified_take. */
static void take(void *user, enum pi_identity kind, const struct pd_field *f, const struct pd_op *layout)
{
    struct pd_bytes b = {NULL, 0};
    switch (f->kind) {
    case PD_FIELD_NUMBER: more(user, kind, f, layout)->number = f->value; return;
    case PD_FIELD_VECTOR:
        for (size_t i = 0; i < f->n; i++)
            more(user, kind, f, layout)->number = pd_vec_at(f->u.vec, i);
        return;
    case PD_FIELD_STRING: b = (struct pd_bytes){(const uint8_t *)f->u.str->ptr, f->u.str->len}; break;
    case PD_FIELD_BYTES: b = *f->u.bytes; break;
    case PD_FIELD_ARRAY:
        b = (struct pd_bytes){f->u.array, f->n};
        if (kind == PI_ID_SYMBOL || kind == PI_ID_EVENT)
            b.n = strnlen((const char *)b.ptr, b.n);
        break;
    default: return;
    }
    struct value *const v = more(user, kind, f, layout);
    v->text = f->kind == PD_FIELD_STRING || kind == PI_ID_SYMBOL || kind == PI_ID_EVENT;
    v->ptr = malloc(b.n + 1);
    v->n = b.n;
    assert_non_null(v->ptr);
    if (b.n)
        memcpy(v->ptr, b.ptr, b.n);
}

static int by_field(const void *va, const void *vb)
{
    const struct value *a = va, *b = vb;
    if (a->layout != b->layout)
        return (uintptr_t)a->layout < (uintptr_t)b->layout ? -1 : 1;
    if (a->op != b->op)
        return (uintptr_t)a->op < (uintptr_t)b->op ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static void read_values(struct values *all, const struct image *im)
{
    struct pi_identities ids;
    struct pd_record rec = {0};
    struct pd_reader *r;
    *all = (struct values){NULL, 0, 0};
    assert_true(pi_identities_open(&ids, NULL));
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    const struct identified id = {&ids, take, all};
    identified_head(&id, r);
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        identified_record(&id, r, &rec);
    pd_reader_close(r);
    pi_identities_close(&ids);
    if (all->n)
        qsort(all->at, all->n, sizeof *all->at, by_field);
}

static void free_values(struct values *all)
{
    while (all->n)
        free(all->at[--all->n].ptr);
    free(all->at);
}

/* ---- What becomes of a value */

static bool is(const struct value *v, const char *text)
{
    return v->n == strlen(text) && memcmp(v->ptr, text, v->n) == 0;
}

static bool same(const struct value *a, const struct value *b)
{
    return a->number == b->number && a->n == b->n && (a->n == 0 || memcmp(a->ptr, b->ptr, a->n) == 0);
}

static bool is_zeros(const struct value *v)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->ptr[i])
            return false;
    return v->number == 0;
}

static size_t slashes(const struct value *v)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++)
        n += v->ptr[i] == '/';
    return n;
}

/* A number that means that there is none. */
static bool is_none(const struct value *v)
{
    const unsigned bits = 8 * v->width;
    return v->number == 0 || v->number == UINT64_MAX || (bits < 64 && v->number == (UINT64_C(1) << bits) - 1);
}

/* Paths that identify nobody, of those that a recording made at random has. */
static bool is_known(const struct value *v)
{
    return v->n == 0 || is(v, "/") || is(v, "//anon") || is(v, "/dev/zero") || is(v, "/anon_hugepage");
}

/* Those that may do, too; "." and slashes stay. */
static bool is_plain(const struct value *v)
{
    size_t n = 0;
    while (n < v->n && (v->ptr[n] == '.' || v->ptr[n] == '/'))
        n++;
    return n == v->n || is_known(v) || *v->ptr == '[' || is(v, "vmlinux") || is(v, "swapper");
}

/* The bytes of a build id, in steps of 8 as far as it is not zeros; behind it are zeros. */
static bool is_hashed_id(const struct value *was, const struct value *is)
{
    size_t n = was->n;
    while (n && was->ptr[n - 1] == 0)
        n--;
    n = (n + 7) / 8 * 8;
    bool right = was->n == is->n && (n == 0 || memcmp(was->ptr, is->ptr, was->n) != 0);
    for (size_t i = n; right && i < is->n; i++)
        right = is->ptr[i] == 0;
    return right;
}

/* The options, by kind. */
enum option {
    PIDS,
    ADDRS,
    TIMES,
    HOSTNAME,
    CMDLINE,
    PATHS,
    COMMS,
    BUILD_IDS,
    PAYLOADS,
    EVENTS,
    MACHINE,
    N_OPTIONS
};

struct choice {
    enum pd_redact_how how[N_OPTIONS];
    bool keyed;
};

static enum option option_of(enum pi_identity kind)
{
    switch (kind) {
    case PI_ID_HOST: return HOSTNAME;
    case PI_ID_CMDLINE: return CMDLINE;
    case PI_ID_COMM: return COMMS;
    case PI_ID_PATH:
    case PI_ID_CGROUP:
    case PI_ID_SYMBOL:
    case PI_ID_INODE: return PATHS;
    case PI_ID_ADDR:
    case PI_ID_EXTENT:
    case PI_ID_OFFSET: return ADDRS;
    case PI_ID_TIME:
    case PI_ID_CLOCK:
    case PI_ID_WALL: return TIMES;
    case PI_ID_BUILD_ID: return BUILD_IDS;
    case PI_ID_PAYLOAD:
    case PI_ID_RAW:
    case PI_ID_LISTING:
    case PI_ID_PAGE: return PAYLOADS;
    case PI_ID_EVENT:
    case PI_ID_SYSTEM:
    case PI_ID_FORMAT: return EVENTS;
    case PI_ID_MACHINE:
    case PI_ID_CPUS: return MACHINE;
    default: return pi_identity_is_pid(kind) ? PIDS : N_OPTIONS;
    }
}

/* What stays unless another option, which is not to keep either, has to do with it. */
static bool is_kept(const struct choice *c, const struct value *was, const struct value *is)
{
    const bool names = c->how[PATHS] == PD_REDACT_KEEP, addrs = c->how[ADDRS] == PD_REDACT_KEEP;
    switch (was->kind) {
    case PI_ID_EVENT: return same(was, is) || (!(names && addrs) && memchr(was->ptr, ':', was->n));
    case PI_ID_SYSTEM:
    case PI_ID_FORMAT: return same(was, is) || !names;
    case PI_ID_ADDR: return same(was, is) || (is->number == 0 && c->how[PAYLOADS] != PD_REDACT_KEEP);
    case PI_ID_RAW: return same(was, is) || was->n == is->n; /* of an off-cpu sample */
    case PI_ID_LISTING: return addrs ? same(was, is) : is->n == 0;
    case PI_ID_PATH: return same(was, is) || c->how[PIDS] != PD_REDACT_KEEP;
    default: return same(was, is);
    }
}

static bool is_hashed(const struct value *was, const struct value *is)
{
    switch (was->kind) {
    case PI_ID_PATH: return is_plain(was) || (!same(was, is) && is->n && slashes(was) == slashes(is));
    case PI_ID_CGROUP:
    case PI_ID_CMDLINE: return is_plain(was) || (!same(was, is) && is->n);
    case PI_ID_HOST:
    case PI_ID_COMM:
    case PI_ID_SYMBOL:
    case PI_ID_EVENT:
    case PI_ID_SYSTEM:
    case PI_ID_MACHINE: return was->n ? is_plain(was) || (!same(was, is) && is->n) : is->n == 0;
    case PI_ID_PROCESS:
    case PI_ID_THREAD:
    case PI_ID_PARENT_PROCESS:
    case PI_ID_PARENT_THREAD:
    case PI_ID_PID:
    case PI_ID_GUEST:
    case PI_ID_INODE: return is_none(was) ? same(was, is) : !is_none(is);
    case PI_ID_ADDR:
        return was->number == 0 || was->number >= PD_CONTEXT_MAX ? same(was, is) : is->number != 0;
    case PI_ID_TIME: return (was->number == 0) == (is->number == 0);
    case PI_ID_WALL: return is->number == 0;
    case PI_ID_BUILD_ID: return was->text ? was->n == is->n || is->n : is_hashed_id(was, is);
    case PI_ID_PAYLOAD: return is_zeros(is) && was->n == is->n;
    case PI_ID_CPUS:
    case PI_ID_LISTING: return is->n == 0;
    default: return true;
    }
}

static bool is_dropped(const struct value *was, const struct value *is_now)
{
    switch (was->kind) {
    case PI_ID_PATH: return (is_plain(was) && same(was, is_now)) || (!is_known(was) && is(is_now, "//anon"));
    case PI_ID_CGROUP: return is(is_now, "/");
    case PI_ID_HOST:
    case PI_ID_CMDLINE:
    case PI_ID_COMM:
    case PI_ID_SYMBOL:
    case PI_ID_EVENT:
    case PI_ID_MACHINE:
    case PI_ID_CPUS:
    case PI_ID_LISTING: return is_now->n == 0;
    case PI_ID_PROCESS:
    case PI_ID_THREAD:
    case PI_ID_PARENT_PROCESS:
    case PI_ID_PARENT_THREAD:
    case PI_ID_PID:
    case PI_ID_GUEST:
    case PI_ID_INODE:
    case PI_ID_TIME:
    case PI_ID_CLOCK:
    case PI_ID_WALL: return is_now->number == 0;
    case PI_ID_ADDR: return was->number >= PD_CONTEXT_MAX ? same(was, is_now) : is_now->number == 0;
    case PI_ID_BUILD_ID:
    case PI_ID_PAYLOAD: return is_zeros(is_now);
    default: return true;
    }
}

/* ---- The same field of both */

/* What is not examined, or whose size padding is a part of: true. operations.h checks the other numbers. */
static bool is_right(const struct choice *c, const struct value *was, const struct value *is)
{
    const enum option o = option_of(was->kind);
    if (was->kind == PI_ID_ZERO)
        return is_zeros(is);
    if (o == N_OPTIONS)
        return true;
    return c->how[o] == PD_REDACT_KEEP   ? is_kept(c, was, is)
           : c->how[o] == PD_REDACT_HASH ? is_hashed(was, is)
                                         : is_dropped(was, is);
}

/* Of a field: how many values of one field begin there. */
static size_t same_field(const struct values *all, size_t at)
{
    size_t n = 0;
    while (at + n < all->n && all->at[at + n].op == all->at[at].op &&
           all->at[at + n].layout == all->at[at].layout)
        n++;
    return n;
}

static void show(const char *what, const struct value *v)
{
    print_error("%s: %llu, \"%.*s\"\n", what, (unsigned long long)v->number, (int)v->n, (const char *)v->ptr);
}

/* Pids that were replaced, in fields of any width: each always by the same, and no two by one. */
struct pairs {
    uint64_t (*at)[2];
    size_t n, cap;
};

static void add_pair(struct pairs *p, const struct value *was, const struct value *is)
{
    if (p->n == p->cap) {
        p->cap = 2 * p->cap + 1024;
        p->at = realloc(p->at, p->cap * sizeof *p->at);
        assert_non_null(p->at);
    }
    p->at[p->n][0] = was->number;
    p->at[p->n++][1] = is->number;
}

static int by_first(const void *va, const void *vb)
{
    const uint64_t *a = va, *b = vb;
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : a[1] < b[1] ? -1 : a[1] > b[1];
}

static void check_pairs(struct pairs *p)
{
    for (unsigned back = 0; back < 2; back++) {
        if (p->n)
            qsort(p->at, p->n, sizeof *p->at, by_first);
        for (size_t i = 1; i < p->n; i++)
            if (p->at[i][0] == p->at[i - 1][0])
                assert_int_equal(p->at[i][1], p->at[i - 1][1]);
        for (size_t i = 0; i < p->n; i++) {
            const uint64_t was = p->at[i][0];
            p->at[i][0] = p->at[i][1];
            p->at[i][1] = was;
        }
    }
    free(p->at);
}

/* Only breakpoints have an address there; others have a number. */
static bool is_no_addr(const struct value *v)
{
    return v->kind == PI_ID_ADDR && strcmp(v->op->name, "bp_addr") == 0;
}

/* Where records or lists go as a whole, nothing is known of which is which. */
static size_t compare(const struct choice *c, const struct values *was, const struct values *is, bool *seen)
{
    struct pairs pairs = {NULL, 0, 0};
    size_t k = 0, compared = 0;
    for (size_t i = 0, n; i < was->n; i += n) {
        n = same_field(was, i);
        while (k < is->n && (is->at[k].layout != was->at[i].layout || is->at[k].op != was->at[i].op) &&
               by_field(&is->at[k], &was->at[i]) < 0)
            k++;
        if (is_no_addr(&was->at[i]) || k == is->n || is->at[k].layout != was->at[i].layout ||
            is->at[k].op != was->at[i].op || same_field(is, k) != n)
            continue;
        for (size_t j = 0; j < n; j++, compared++) {
            const struct value *const a = &was->at[i + j], *const b = &is->at[k + j];
            seen[a->kind] = true;
            if (pi_identity_is_pid(a->kind) && c->how[PIDS] == PD_REDACT_HASH && !is_none(a))
                add_pair(&pairs, a, b);
            if (is_right(c, a, b))
                continue;
            show("was", a);
            show("is", b);
            fail_msg("%s.%s of kind %d", a->layout ? a->layout->name : "", a->op->name, (int)a->kind);
        }
    }
    check_pairs(&pairs);
    return compared;
}

/* ---- Recordings */

static void make(struct image *out, struct pi_rng *r)
{
    const struct pd_sink sink = image_sink(out);
    static struct pd_gen_weight weights[256];
    struct pd_gen_options o = {.size = sizeof o,
                               .seed = pi_rng_next(r),
                               .count = 400,
                               .container = pi_rng_one_in(r, 2) ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE,
                               .order = pi_rng_one_in(r, 2) ? PD_BIG : PD_LITTLE,
                               .weights = weights,
                               .any = true,
                               .features = PD_GEN_FEATURES_ALL};
    struct pd_gen *gen;
    for (uint32_t type = 1; type < 32790; type++)
        if (pi_layout_of(type) && !pi_is_wrapper_type(type))
            weights[o.n_weights++] = (struct pd_gen_weight){type, 1};
    out->n = 0;
    assert_int_equal(pd_gen_open(&gen, &sink, &o, NULL), PD_OK);
    assert_int_equal(pd_gen_run(gen, NULL), PD_OK);
    pd_gen_close(gen);
}

static void redact(const struct image *in, struct image *out, const struct choice *c)
{
    static const char key[] = "sixteen bytes at least";
    const struct pd_redact_options o = {.size = sizeof o,
                                        .pids = c->how[PIDS],
                                        .addrs = c->how[ADDRS],
                                        .times = c->how[TIMES],
                                        .drop_unknown = true,
                                        .hostname = c->how[HOSTNAME],
                                        .cmdline = c->how[CMDLINE],
                                        .paths = c->how[PATHS],
                                        .comms = c->how[COMMS],
                                        .build_ids = c->how[BUILD_IDS],
                                        .payloads = c->how[PAYLOADS],
                                        .events = c->how[EVENTS],
                                        .machine = c->how[MACHINE],
                                        .key = c->keyed ? key : NULL,
                                        .key_n = c->keyed ? sizeof key : 0};
    const struct pd_sink sink = image_sink(out);
    struct pd_convert_options options = {.size = sizeof options};
    struct pd_reader *r;
    out->n = 0;
    assert_int_equal(pd_redaction_open(&options.redaction, &o, NULL), PD_OK);
    assert_int_equal(pd_reader_open_memory(&r, in->b, in->n, NULL, NULL), PD_OK);
    assert_int_equal(pd_convert(r, &sink, &options, NULL, NULL), PD_OK);
    pd_reader_close(r);
    pd_redaction_close(options.redaction);
}

/* A subsystem of tracepoints that is not the kernel's own, in some of them. */
static void rename_system(struct image *im)
{
    for (uint8_t *p; (p = memmem(im->b, im->n, "sched", 5)) != NULL;)
        memcpy(p, "my_pr", 5);
}

/* How all is redacted; USUAL: each kind in its own way, or, every other time, only one unlike the others. */
static struct choice choose(enum pd_redact_how how, struct pi_rng *r, uint64_t i)
{
    static const enum pd_redact_how ways[] = {PD_REDACT_KEEP, PD_REDACT_HASH, PD_REDACT_DROP};
    const bool mixed = how == PD_REDACT_USUAL;
    struct choice c = {.keyed = pi_rng_one_in(r, 2)};
    for (size_t k = 0; k < N_OPTIONS; k++)
        c.how[k] = mixed ? ways[i % 2 ? pi_rng_below(r, 3) : i / 2 % 3] : how;
    if (mixed && i % 2 == 0)
        c.how[i / 6 % N_OPTIONS] = ways[(i / 2 + 1 + pi_rng_below(r, 2)) % 3];
    return c;
}

static void each(enum pd_redact_how how, uint64_t iterations)
{
    static const enum pi_identity kinds[] = {PI_ID_PATH,    PI_ID_CGROUP,  PI_ID_SYMBOL, PI_ID_PROCESS,
                                             PI_ID_ADDR,    PI_ID_TIME,    PI_ID_INODE,  PI_ID_EVENT,
                                             PI_ID_MACHINE, PI_ID_BUILD_ID};
    struct pi_rng r = {random_seed()};
    struct image in = {0}, out = {0};
    bool seen[PI_N_IDENTITIES] = {false};
    size_t compared = 0;
    for (uint64_t i = random_iterations(iterations); i; i--) {
        struct values was, is;
        print_message("PERFDATA_SEED=%llu PERFDATA_ITERATIONS=1\n", (unsigned long long)r.state);
        const struct choice c = choose(how, &r, i);
        make(&in, &r);
        if (!pi_rng_one_in(&r, 4))
            rename_system(&in);
        redact(&in, &out, &c);
        read_values(&was, &in);
        read_values(&is, &out);
        compared += compare(&c, &was, &is, seen);
        free_values(&was);
        free_values(&is);
    }
    image_free(&in);
    image_free(&out);
    assert_true(compared > 500);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (random_iterations(iterations) >= 12 && !seen[kinds[i]])
            fail_msg("no field of kind %d", (int)kinds[i]);
}

static void kept(void **state)
{
    (void)state;
    each(PD_REDACT_KEEP, 12);
}

static void hashed(void **state)
{
    (void)state;
    each(PD_REDACT_HASH, 24);
}

static void dropped(void **state)
{
    (void)state;
    each(PD_REDACT_DROP, 12);
}

static void mixed(void **state)
{
    (void)state;
    each(PD_REDACT_USUAL, 150);
}

/* ---- Short build ids */

enum { ID = 20, IDS = 255 + ID };

/* Of one byte each, and one of each length. */
static void make_ids(struct image *out, uint8_t ids[IDS][ID])
{
    const struct pd_attr attr = {.type = PD_TYPE_SOFTWARE, .size = PD_ATTR_SIZE_VER7};
    const struct pd_sink sink = image_sink(out);
    struct pd_record rec = {.type = PD_RECORD_MMAP2, .misc = PD_MISC_MMAP_BUILD_ID};
    struct pd_writer *w;
    assert_int_equal(pd_writer_open(&w, &sink, NULL, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &attr, NULL, 0, NULL), PD_OK);
    for (size_t i = 0; i < IDS; i++) {
        memset(ids[i], 0, ID);
        memset(ids[i], i < 255 ? (int)i + 1 : 77, i < 255 ? 1 : i - 254);
        rec.u.mmap2 = (struct pd_mmap2){.build_id_size = ID, .filename = PD_STR("/lib/some.so")};
        memcpy(rec.u.mmap2.build_id, ids[i], ID);
        assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
    }
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

/* However few bytes an id has, no other one gets the same; and of as many bytes it is in steps of 8. */
static void short_ids_stay_apart(void **state)
{
    static uint8_t ids[IDS][ID], now[IDS][ID];
    static const uint8_t zeros[ID];
    struct image in = {0}, out = {0};
    struct pd_record rec = {0};
    struct pd_reader *r;
    size_t n = 0;
    (void)state;
    struct choice hash = {.keyed = true, .how[BUILD_IDS] = PD_REDACT_HASH};
    make_ids(&in, ids);
    redact(&in, &out, &hash);
    assert_int_equal(pd_reader_open_memory(&r, out.b, out.n, NULL, NULL), PD_OK);
    for (; pd_reader_next_decoded(r, &rec, NULL) == PD_OK; n++) {
        const size_t length = n < 255 ? 1 : n - 254,
                     room = (length + 7) / 8 * 8 < ID ? (length + 7) / 8 * 8 : ID;
        assert_true(n < IDS && rec.type == PD_RECORD_MMAP2);
        memcpy(now[n], rec.u.mmap2.build_id, ID);
        assert_memory_equal(now[n] + room, zeros, ID - room);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(memcmp(now[i], now[n], ID) == 0, memcmp(ids[i], ids[n], ID) == 0);
    }
    assert_int_equal(n, IDS);
    pd_reader_close(r);
    image_free(&in);
    image_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kept), cmocka_unit_test(hashed),
                                       cmocka_unit_test(dropped), cmocka_unit_test(mixed),
                                       cmocka_unit_test(short_ids_stay_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
