/* SPDX-License-Identifier: MIT */
/*
 * redact_addrs.c - of recordings with maps of the kernel, of modules and of programs, a redaction of
 * addresses leaves none of the kernel's, nor a size from which one follows; and each sample stays in its map,
 * at its place there.
 */
#include "cmocka_all.h"
#include "../../fuzz/image_sink.h"
#include "seeded.h"
#include <perfdata/ops/convert.h>
#include <perfdata/ops/redact.h>
#include <perfdata/perfdata.h>
#include <string.h>

#define MOST 400
#define MODULES UINT64_C(0xffffffffc0000000)
#define LOWEST UINT64_C(0xffff800000000000)

/* ---- The recordings */

struct map {
    uint32_t pid;
    uint64_t addr, len, pgoff;
    bool kernel, program; /* program: its pgoff is of a file */
};

struct sample {
    uint32_t pid;
    uint64_t ip, chain[2], addr;
};

struct recording {
    struct map maps[64];
    struct sample samples[200];
    size_t n_maps, n_samples;
    uint64_t secrets[MOST]; /* addresses of the kernel */
    size_t n_secrets;
};

static uint64_t below(struct pi_rng *s, uint64_t most)
{
    return pi_rng_below(s, most);
}

static void add_map(struct recording *r, uint32_t pid, uint64_t addr, uint64_t len, uint64_t pgoff,
                    bool kernel, bool program)
{
    r->maps[r->n_maps++] = (struct map){pid, addr, len, pgoff, kernel, program};
}

/*
 * The kernel ends at the begin of modules, at the end of all, or where its data ends; or its begin is hidden.
 */
static void add_kernel(struct recording *r, struct pi_rng *s)
{
    const uint64_t text = UINT64_C(0xffffffff81000000) + (below(s, 400) << 21);
    uint64_t module = MODULES + (1 + below(s, 1024)) * 4096;
    const uint64_t ends[] = {module, UINT64_MAX, text + 0x2a00000, MODULES};
    const size_t n = (size_t)below(s, 12), shape = (size_t)below(s, 5);
    const uint64_t begin = shape == 4 ? 0 : text, end = shape == 4 ? module : ends[shape];
    add_map(r, UINT32_MAX, begin, end - begin, shape == 4 ? 0 : text + 0x198, true, false);
    for (size_t i = 0; i < n; i++) {
        const uint64_t len = (1 + below(s, 60)) * 4096;
        add_map(r, UINT32_MAX, module, i + 1 == n && below(s, 2) ? UINT64_MAX - module : len, 0, true, true);
        module += len + below(s, 3) * 8192;
    }
    r->samples[0] = (struct sample){1, text + below(s, 0x1000000), {text + 8, text + 0x1f00000}, 0};
    r->n_samples = 1;
}

static void add_programs(struct recording *r, struct pi_rng *s)
{
    for (uint32_t pid = 1; pid < 4; pid++) {
        uint64_t at = UINT64_C(0x7f0000000000) + (below(s, 1 << 20) << 12);
        add_map(r, pid, 0x400000, 0x8000, 0, false, true);
        for (int i = 0; i < 6; i++) {
            const uint64_t len = (1 + below(s, 300)) * 4096;
            const bool program = below(s, 3) != 0;
            add_map(r, pid, at, len, program ? below(s, 100) * 4096 : at, false, program);
            at += len + below(s, 2) * (below(s, 1 << 16) << 12);
        }
    }
}

static void add_samples(struct recording *r, struct pi_rng *s)
{
    for (size_t i = 0; i < 100; i++) {
        const struct map *m = &r->maps[below(s, r->n_maps)];
        const uint64_t most = m->kernel && m->len > 0x1000000 ? 0x1000000 : m->len;
        const uint64_t from = m->addr ? m->addr : r->samples[0].ip & ~UINT64_C(0xffffff);
        struct sample *x = &r->samples[r->n_samples++];
        x->pid = m->pid == UINT32_MAX ? 1 + (uint32_t)below(s, 3) : m->pid;
        x->ip = from + below(s, most);
        x->chain[0] = x->ip;
        x->chain[1] = from + below(s, most);
        x->addr = below(s, 2) ? UINT64_C(0xffff888000000000) + below(s, UINT64_C(1) << 36) : 0;
    }
}

static void keep_secret(struct recording *r, uint64_t addr)
{
    if (addr >= LOWEST && addr < (uint64_t)-4095)
        r->secrets[r->n_secrets++] = addr;
}

/* Names of memory that is of no file. */
static struct pd_str memory_name(const struct map *m)
{
    static const struct pd_str names[] = {PD_STR("//anon"), PD_STR(""), PD_STR("[heap]"), PD_STR("//other")};
    return names[m->addr >> 12 & 3];
}

static void write_map(struct pd_writer *w, const struct map *m)
{
    const bool said = m->kernel && (m->addr == 0 || m->addr >> 12 & 1); /* or it is known by its address */
    struct pd_record rec = {.type = PD_RECORD_MMAP, .misc = said ? PD_CPUMODE_KERNEL : PD_CPUMODE_USER};
    rec.u.mmap =
        (struct pd_mmap){.pid = m->pid, .tid = m->pid, .addr = m->addr, .len = m->len, .pgoff = m->pgoff};
    rec.u.mmap.filename = m->program  ? PD_STR("/lib/some.so")
                          : m->kernel ? PD_STR("[kernel.kallsyms]_text")
                                      : memory_name(m);
    assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
}

static void write_sample(struct pd_writer *w, const struct sample *x)
{
    uint64_t ips[] = {x->ip >> 63 ? PD_CONTEXT_KERNEL : PD_CONTEXT_USER, x->chain[0], x->chain[1]};
    struct pd_record rec = {.type = PD_RECORD_SAMPLE,
                            .misc = x->ip >> 63 ? PD_CPUMODE_KERNEL : PD_CPUMODE_USER};
    rec.u.sample = (struct pd_sample){.ip = x->ip, .pid = x->pid, .tid = x->pid, .time = 1, .addr = x->addr};
    rec.u.sample.callchain.nr = 3;
    rec.u.sample.callchain.ips = PD_VEC64(ips, 3);
    assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
}

static void make(struct recording *r, struct image *out, uint64_t seed)
{
    const struct pd_attr attr = {.type = PD_TYPE_SOFTWARE,
                                 .size = PD_ATTR_SIZE_VER7,
                                 .sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME |
                                                PD_SAMPLE_ADDR | PD_SAMPLE_CALLCHAIN};
    const struct pd_sink sink = image_sink(out);
    struct pi_rng s = {.state = seed};
    struct pd_writer *w;
    memset(r, 0, sizeof *r);
    out->n = 0;
    add_kernel(r, &s);
    add_programs(r, &s);
    add_samples(r, &s);
    assert_int_equal(pd_writer_open(&w, &sink, NULL, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &attr, NULL, 0, NULL), PD_OK);
    for (size_t i = 0; i < 20; i++) /* some samples come before the maps they are in */
        write_sample(w, &r->samples[i]);
    for (size_t i = 0; i < r->n_maps; i++) {
        write_map(w, &r->maps[i]);
        keep_secret(r, r->maps[i].addr);
        keep_secret(r, r->maps[i].pgoff);
        if (r->maps[i].kernel)
            keep_secret(r, r->maps[i].addr + r->maps[i].len);
    }
    for (size_t i = 0; i < r->n_samples; i++) {
        if (i >= 20)
            write_sample(w, &r->samples[i]);
        keep_secret(r, r->samples[i].ip);
        keep_secret(r, r->samples[i].addr);
    }
    const struct pd_record symbol = {.type = PD_RECORD_KSYMBOL,
                                     .u.ksymbol = {.addr = MODULES + 0x3210, .len = 64, .name = PD_STR("p")}};
    assert_int_equal(pd_writer_record(w, &symbol, NULL), PD_OK);
    keep_secret(r, symbol.u.ksymbol.addr);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

static void redact(const struct image *in, struct image *out, enum pd_redact_how how, bool keyed)
{
    const struct pd_redact_options o = {
        .size = sizeof o, .addrs = how, .key = keyed ? "sixteen bytes at least" : NULL, .key_n = 16};
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

/* Maps and samples as they are in a recording, in its order. */
static void read_back(struct recording *r, const struct image *in)
{
    struct pd_record rec = {0};
    struct pd_reader *reader;
    memset(r, 0, sizeof *r);
    assert_int_equal(pd_reader_open_memory(&reader, in->b, in->n, NULL, NULL), PD_OK);
    while (pd_reader_next(reader, &rec, NULL) == PD_OK) {
        assert_int_equal(pd_reader_decode(reader, &rec, NULL), PD_OK);
        if (rec.type == PD_RECORD_MMAP) {
            const struct pd_mmap *m = &rec.u.mmap;
            add_map(r, m->pid, m->addr, m->len, m->pgoff, m->pid == UINT32_MAX, true);
        } else if (rec.type == PD_RECORD_SAMPLE) {
            struct sample *x = &r->samples[r->n_samples++];
            *x = (struct sample){.pid = rec.u.sample.pid, .ip = rec.u.sample.ip, .addr = rec.u.sample.addr};
            x->chain[0] = pd_vec_at(&rec.u.sample.callchain.ips, 1);
            x->chain[1] = pd_vec_at(&rec.u.sample.callchain.ips, 2);
        }
    }
    pd_reader_close(reader);
}

/* ---- What must hold */

/* The last one, so that modules are found in a kernel that ends behind them; -1: none. */
static int map_of(const struct recording *r, uint32_t pid, uint64_t addr)
{
    int found = -1;
    for (size_t i = 0; i < r->n_maps; i++) {
        const struct map *m = &r->maps[i];
        if ((m->kernel || m->pid == pid) && addr >= m->addr && addr - m->addr < m->len)
            found = (int)i;
    }
    return found;
}

static void must_stay(const struct recording *was, const struct recording *is, uint32_t pid, uint64_t before,
                      uint64_t now)
{
    const int map = map_of(was, pid, before);
    assert_int_equal(map_of(is, pid, now), map);
    if (map >= 0 && was->maps[map].addr &&
        !(was->maps[map].kernel && before - was->maps[map].addr > 0x2000000))
        assert_int_equal(now - is->maps[map].addr, before - was->maps[map].addr);
}

static void samples_stay(const struct recording *was, const struct recording *is)
{
    assert_int_equal(was->n_samples, is->n_samples);
    for (size_t i = 0; i < was->n_samples; i++) {
        const struct sample *a = &was->samples[i], *b = &is->samples[i];
        must_stay(was, is, a->pid, a->ip, b->ip);
        must_stay(was, is, a->pid, a->chain[0], b->chain[0]);
        must_stay(was, is, a->pid, a->chain[1], b->chain[1]);
        assert_int_equal(a->addr == 0, b->addr == 0);
    }
}

static void nothing_is_told(const struct recording *was, const struct recording *is, const struct image *out)
{
    for (size_t k = 0; k < was->n_secrets; k++)
        for (size_t i = 0; i + 8 <= out->n; i++)
            if (memcmp(out->b + i, &was->secrets[k], 8) == 0)
                fail_msg("0x%llx is at %zu", (unsigned long long)was->secrets[k], i);
    assert_int_equal(was->n_maps, is->n_maps);
    for (size_t i = 0; i < was->n_maps; i++) {
        const struct map *a = &was->maps[i], *b = &is->maps[i];
        for (size_t k = 0; a->kernel && a->addr && k < was->n_maps; k++) {
            assert_int_not_equal(UINT64_MAX - b->len, a->addr);
            assert_int_not_equal(UINT64_MAX - b->len + 1, a->addr);
            assert_int_not_equal(MODULES - b->len, a->addr);
            if (was->maps[k].kernel && k > i && i == 0)
                assert_int_not_equal(was->maps[k].addr - b->len, a->addr);
        }
    }
}

/* A map without a file has its own address as its place, which moves with it; a place in a file stays. */
static void places_stay(const struct recording *told, const struct recording *is)
{
    for (size_t i = 0; i < told->n_maps; i++) {
        const struct map *a = &told->maps[i], *b = &is->maps[i];
        if (!a->kernel && a->pgoff == a->addr)
            assert_int_equal(b->pgoff, b->addr);
        else if (!a->kernel)
            assert_int_equal(b->pgoff, a->pgoff);
    }
}

static struct recording was, is;
static struct image in, out;

static void addresses_are_gone_and_samples_stay_in_their_maps(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < random_iterations(hurried() ? 40 : 150); i++)
        for (int keyed = 0; keyed < 2; keyed++) {
            make(&was, &in, random_seed() + i);
            const struct recording told = was;
            read_back(&was, &in);
            redact(&in, &out, PD_REDACT_HASH, keyed);
            read_back(&is, &out);
            samples_stay(&was, &is);
            places_stay(&told, &is);
            nothing_is_told(&told, &is, &out);
            redact(&in, &out, PD_REDACT_DROP, keyed);
            read_back(&is, &out);
            for (size_t k = 0; k < is.n_maps; k++)
                assert_int_equal(is.maps[k].addr | (is.maps[k].kernel ? is.maps[k].len : 0), 0);
            nothing_is_told(&told, &is, &out);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_gone_and_samples_stay_in_their_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
