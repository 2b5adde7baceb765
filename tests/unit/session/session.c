/* SPDX-License-Identifier: MIT */
/*
 * session.c - the answers of a session after records made by hand: mappings that cover each other, fork, exec
 * and exit, kernel, modules, symbols and guests, names and kinds, cgroups and namespaces; its memory, with
 * little of it, and without. Checks R3, R10, R11.
 */
#include "cmocka_all.h"
#include "heap.h"
#include "src/session/mappings.h"
#include <perfdata/attr.h>
#include <perfdata/constants.h>
#include <perfdata/session/session.h>
#include <stdio.h>

static const struct pd_attr attr = {.type = PD_TYPE_SOFTWARE,
                                    .sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_CGROUP};

static enum pd_code feed_of(struct pd_session *s, const struct pd_attr *of, const struct pd_record *what,
                            struct pd_error *error)
{
    uint64_t bytes[512];
    struct pd_record rec = {0};
    struct pd_plan plan;
    size_t size;
    pd_plan_init(&plan, of, PD_LITTLE);
    assert_int_equal(pd_record_encode(&plan, what, bytes, sizeof bytes, &size, NULL), PD_OK);
    assert_int_equal(pd_record_frame(PD_LITTLE, bytes, size, &rec, NULL), PD_OK);
    rec.plan = &plan;
    rec.attr = of;
    return pd_session_record(s, &rec, error);
}

static enum pd_code feed_told(struct pd_session *s, const struct pd_record *what, struct pd_error *error)
{
    return feed_of(s, &attr, what, error);
}

static enum pd_code feed(struct pd_session *s, const struct pd_record *what)
{
    return feed_told(s, what, NULL);
}

static struct pd_str str(const char *text)
{
    return (struct pd_str){text, strlen(text), PD_AUTO};
}

static enum pd_code map(struct pd_session *s, unsigned misc, uint32_t pid, uint64_t addr, uint64_t len,
                        uint64_t pgoff, const char *file)
{
    const struct pd_record rec = {
        .type = PD_RECORD_MMAP2,
        .misc = (uint16_t)misc,
        .u.mmap2 = {.pid = pid, .tid = pid, .addr = addr, .len = len, .pgoff = pgoff, .filename = str(file)}};
    return feed(s, &rec);
}

static enum pd_code fork_task(struct pd_session *s, unsigned misc, uint32_t pid, uint32_t tid, uint32_t ppid,
                              uint32_t ptid)
{
    const struct pd_record rec = {.type = PD_RECORD_FORK,
                                  .misc = (uint16_t)misc,
                                  .u.fork = {.pid = pid, .tid = tid, .ppid = ppid, .ptid = ptid}};
    return feed(s, &rec);
}

static enum pd_code end_task(struct pd_session *s, uint32_t pid, uint32_t tid)
{
    const struct pd_record rec = {.type = PD_RECORD_EXIT, .u.exit = {.pid = pid, .tid = tid}};
    return feed(s, &rec);
}

static enum pd_code name_task(struct pd_session *s, unsigned misc, uint32_t pid, uint32_t tid,
                              const char *comm)
{
    const struct pd_record rec = {.type = PD_RECORD_COMM,
                                  .misc = (uint16_t)misc,
                                  .u.comm = {.pid = pid, .tid = tid, .comm = str(comm)}};
    return feed(s, &rec);
}

static enum pd_code symbol(struct pd_session *s, uint64_t addr, uint32_t len, unsigned flags,
                           const char *name)
{
    const struct pd_record rec = {
        .type = PD_RECORD_KSYMBOL,
        .u.ksymbol = {.addr = addr, .len = len, .flags = (uint16_t)flags, .name = str(name)}};
    return feed(s, &rec);
}

static struct pd_session *begin(const struct pd_session_options *options)
{
    struct pd_session *s = NULL;
    assert_int_equal(pd_session_new(&s, options, NULL), PD_OK);
    return s;
}

enum { K = PD_CPUMODE_KERNEL, U = PD_CPUMODE_USER, GK = PD_CPUMODE_GUEST_KERNEL, GU = PD_CPUMODE_GUEST_USER };

/* `want` NULL: there is no mapping. */
static void is_at(struct pd_session *s, unsigned mode, uint32_t pid, uint64_t at, const char *want,
                  uint64_t offset)
{
    const struct pd_mapping *m = pd_session_find_mapping(s, pid, at, mode);
    if (want == NULL) {
        assert_null(m);
        return;
    }
    assert_non_null(m);
    assert_string_equal(m->file, want);
    assert_int_equal(pd_mapping_offset(m, at), offset);
}

static void later_mappings_cover_earlier_ones(void **state)
{
    (void)state;
    struct pd_session *s = begin(NULL);
    map(s, U, 1, 0x1000, 0x3000, 0x500, "/a");
    map(s, U, 1, 0x2000, 0x1000, 0, "/b");
    is_at(s, U, 1, 0xfff, NULL, 0);
    is_at(s, U, 1, 0x1000, "/a", 0x500);
    is_at(s, U, 1, 0x1fff, "/a", 0x14ff);
    is_at(s, U, 1, 0x2000, "/b", 0);
    is_at(s, U, 1, 0x2fff, "/b", 0xfff);
    is_at(s, U, 1, 0x3000, "/a", 0x2500); /* the rest of /a stays */
    is_at(s, U, 1, 0x4000, NULL, 0);
    is_at(s, U, 2, 0x1000, NULL, 0);
    is_at(s, K, 1, 0x1000, NULL, 0);
    is_at(s, PD_CPUMODE_HYPERVISOR, 1, 0x1000, NULL, 0);
    map(s, U, 1, UINT64_MAX - 0xff, 0x1000, 0, "/end"); /* longer than there are addresses */
    is_at(s, U, 1, UINT64_MAX, "/end", 0xff);
    map(s, U, 1, 0x9000, 0, 0, "/none");
    is_at(s, U, 1, 0x9000, NULL, 0);
    pd_session_free(s);
}

static void a_child_has_its_parents_mappings(void **state)
{
    (void)state;
    struct pd_session *s = begin(NULL);
    map(s, U, 1, 0x1000, 0x1000, 0, "/a");
    fork_task(s, 0, 2, 2, 1, 1);
    fork_task(s, PD_MISC_FORK_EXEC, 3, 3, 1, 1); /* by perf: its own mappings follow */
    fork_task(s, 0, 1, 4, 1, 1);                 /* a thread */
    map(s, U, 1, 0x1000, 0x1000, 0, "/b");
    is_at(s, U, 1, 0x1000, "/b", 0);
    is_at(s, U, 2, 0x1000, "/a", 0);
    is_at(s, U, 3, 0x1000, NULL, 0);
    is_at(s, U, 4, 0x1000, NULL, 0); /* there is no such process */
    map(s, U, 2, 0x1000, 0x800, 0, "/c");
    is_at(s, U, 1, 0x1000, "/b", 0);
    is_at(s, U, 2, 0x1800, "/a", 0x800);
    fork_task(s, 0, 2, 2, 1, 1); /* the number is used again */
    is_at(s, U, 2, 0x1000, "/b", 0);
    pd_session_free(s);
}

static void exec_takes_mappings_away(void **state)
{
    (void)state;
    struct pd_session *s = begin(NULL);
    map(s, U, 1, 0x1000, 0x1000, 0, "/a");
    fork_task(s, 0, 2, 2, 1, 1);
    name_task(s, 0, 2, 2, "renamed");
    is_at(s, U, 2, 0x1000, "/a", 0);
    name_task(s, PD_MISC_COMM_EXEC, 2, 2, "other");
    is_at(s, U, 2, 0x1000, NULL, 0);
    is_at(s, U, 1, 0x1000, "/a", 0);
    pd_session_free(s);
}

static void the_ended_stay_for_a_while(void **state)
{
    (void)state;
    const struct pd_session_options options = {.size = sizeof options, .exited = 2};
    struct pd_session *s = begin(&options);
    for (uint32_t pid = 1; pid <= 4; pid++)
        map(s, U, pid, 0x1000, 0x1000, 0, "/a");
    end_task(s, 1, 9); /* a thread */
    end_task(s, 1, 1);
    end_task(s, 1, 1);
    end_task(s, 2, 2);
    map(s, U, 1, 0x5000, 0x1000, 0, "/late"); /* in use again */
    end_task(s, 3, 3);
    is_at(s, U, 3, 0x1000, "/a", 0); /* this one, too */
    is_at(s, U, 2, 0x9000, NULL, 0); /* but not this one */
    end_task(s, 4, 4);
    end_task(s, 5, 5); /* without mappings */
    map(s, U, 6, 0x1000, 0x1000, 0, "/a");
    end_task(s, 6, 6);
    is_at(s, U, 2, 0x1000, NULL, 0);
    for (uint32_t pid = 1; pid <= 6; pid++)
        is_at(s, U, pid, 0x1000, pid == 2 || pid == 5 ? NULL : "/a", 0);
    pd_session_free(s);
}

/* To fill it would take as much memory. */
static void memory_is_limited_by_default(void **state)
{
    struct pi_mappings m;
    (void)state;
    assert_true(pi_mappings_init(&m, NULL, &(struct pi_mappings_options){0}));
    assert_int_equal(m.options.memory, 1 << 30);
    pi_mappings_free(&m);
}

/* So many by default: with one more, the one that ended first is forgotten. */
static void so_many_ended_stay(void **state)
{
    (void)state;
    for (uint32_t n = 1024; n <= 1025; n++) {
        struct pd_session *s = begin(NULL);
        for (uint32_t pid = 1; pid <= n; pid++) {
            map(s, U, pid, 0x1000, 0x1000, 0, "/a");
            end_task(s, pid, pid);
        }
        is_at(s, U, 1, 0x1000, n == 1024 ? "/a" : NULL, 0);
        is_at(s, U, 2, 0x1000, "/a", 0);
        pd_session_free(s);
    }
}

static void the_kernel_is_one_for_all(void **state)
{
    (void)state;
    struct pd_session *s = begin(NULL);
    map(s, K, UINT32_MAX, 0xffff0000, 0x1000, 0xffff0000, "[kernel.kallsyms]_text");
    map(s, K, UINT32_MAX, 0xffffa000, 0x1000, 0, "/lib/modules/6.1/kernel/fs/a-b.ko.xz");
    is_at(s, K, 7, 0xffff0010, "[kernel.kallsyms]_text", 0xffff0010);
    is_at(s, K, 8, 0xffffa010, "/lib/modules/6.1/kernel/fs/a-b.ko.xz", 0x10);
    is_at(s, U, 7, 0xffff0010, NULL, 0);
    symbol(s, 0xffffc000, 0x100, 0, "bpf_prog_1");
    symbol(s, 0xffffa000, 0x100, 0, "where a module is");
    is_at(s, K, 7, 0xffffc0ff, "bpf_prog_1", 0xffffc0ff);
    is_at(s, K, 7, 0xffffa010, "/lib/modules/6.1/kernel/fs/a-b.ko.xz", 0x10);
    symbol(s, 0xffffc000, 0x100, PD_KSYM_FLAG_UNREGISTER, "bpf_prog_1");
    is_at(s, K, 7, 0xffffc000, NULL, 0);
    symbol(s, 0xffffa010, 8, PD_KSYM_FLAG_UNREGISTER, "in a module: perf forgets the module");
    is_at(s, K, 7, 0xffffa000, NULL, 0);
    is_at(s, K, 7, 0xffffafff, NULL, 0);
    symbol(s, 0xffff0000, 0x100, PD_KSYM_FLAG_UNREGISTER, "never the kernel itself");
    is_at(s, K, 7, 0xffff0000, "[kernel.kallsyms]_text", 0xffff0000);
    map(s, K, UINT32_MAX, 0, 0, 0, "[kernel.kallsyms]_text"); /* without a size: all addresses */
    is_at(s, K, 7, 0x1234, "[kernel.kallsyms]_text", 0x1234);
    pd_session_free(s);
}

static void guests_are_apart(void **state)
{
    (void)state;
    struct pd_session *s = begin(NULL);
    map(s, GK, 0, 0x1000, 0x1000, 0, "[guest.kernel.kallsyms]_text");
    map(s, GK, 5, 0x1000, 0x1000, 0, "[guest.kernel.kallsyms.5]_text");
    map(s, GU, 5, 0x1000, 0x1000, 0, "/guest");
    map(s, U, 5, 0x1000, 0x1000, 0, "/qemu");
    is_at(s, GK, 5, 0x1000, "[guest.kernel.kallsyms.5]_text", 0x1000);
    is_at(s, GK, 6, 0x1000, "[guest.kernel.kallsyms]_text", 0x1000); /* perf's default guest */
    is_at(s, GU, 5, 0x1000, "/guest", 0);
    is_at(s, U, 5, 0x1000, "/qemu", 0);
    is_at(s, GU, 6, 0x1000, NULL, 0);
    is_at(s, K, 5, 0x1000, NULL, 0);
    pd_session_free(s);
}

static void kinds_and_names(void **state)
{
    static const struct {
        unsigned misc;
        const char *file;
        enum pd_mapping_kind kind;
        const char *dso;
    } cases[] = {
        {U, "/bin/true", PD_MAPPING_FILE, "/bin/true"},
        {U, "[vdso]", PD_MAPPING_VDSO, "[vdso]"},
        {U, "//anon", PD_MAPPING_JIT, "/tmp/perf-77.map"},
        {U | PD_MISC_MMAP_DATA, "//anon", PD_MAPPING_ANON, "/tmp/perf-77.map"},
        {U | PD_MISC_MMAP_DATA, "[heap]", PD_MAPPING_ANON, "/tmp/perf-77.map"},
        {U | PD_MISC_MMAP_DATA, "[stack]", PD_MAPPING_ANON, "/tmp/perf-77.map"},
        {U, "/tmp/jitted-77-12.so", PD_MAPPING_JIT, "/tmp/jitted-77-12.so"},
        {U, "[heap", PD_MAPPING_FILE, "[heap"},
        {K, "[kernel.kallsyms]_stext", PD_MAPPING_KERNEL, "[kernel.kallsyms]"},
        {K, "/lib/modules/x/snd-pcm.ko.zst", PD_MAPPING_MODULE, "[snd_pcm]"},
        {K, "[bpf]", PD_MAPPING_MODULE, "[bpf]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pd_session *s = begin(NULL);
        char dso[64], cut[5];
        map(s, cases[i].misc, 77, 0x1000, 0x1000, 0, cases[i].file);
        const struct pd_mapping *m = pd_session_find_mapping(s, 77, 0x1000, cases[i].misc & PD_MISC_CPUMODE);
        assert_non_null(m);
        assert_int_equal(m->kind, cases[i].kind);
        assert_int_equal(pd_mapping_dso(m, dso, sizeof dso), strlen(cases[i].dso));
        assert_string_equal(dso, cases[i].dso);
        assert_int_equal(pd_mapping_dso(m, cut, sizeof cut), strlen(cases[i].dso));
        assert_int_equal(strlen(cut), strlen(cases[i].dso) < 4 ? strlen(cases[i].dso) : 4);
        pd_session_free(s);
    }
}

static void what_a_record_says_of_a_file(void **state)
{
    (void)state;
    struct pd_session *s = begin(NULL);
    struct pd_record rec = {.type = PD_RECORD_MMAP2,
                            .misc = U,
                            .u.mmap2 = {.pid = 1,
                                        .addr = 0x1000,
                                        .len = 0x1000,
                                        .maj = 8,
                                        .min = 1,
                                        .ino = 12,
                                        .ino_generation = 13,
                                        .prot = PD_PROT_READ | PD_PROT_EXEC,
                                        .flags = PD_MAP_PRIVATE,
                                        .filename = str("/a")}};
    feed(s, &rec);
    const struct pd_mapping *m = pd_session_find_mapping(s, 1, 0x1000, U);
    assert_int_equal(m->maj, 8);
    assert_int_equal(m->min, 1);
    assert_int_equal(m->ino, 12);
    assert_int_equal(m->ino_generation, 13);
    assert_int_equal(m->prot, PD_PROT_READ | PD_PROT_EXEC);
    assert_int_equal(m->flags, PD_MAP_PRIVATE);
    assert_int_equal(m->build_id_size, 0);
    rec.misc |= PD_MISC_MMAP_BUILD_ID;
    rec.u.mmap2 = (struct pd_mmap2){.pid = 1,
                                    .addr = 0x1000,
                                    .len = 0x1000,
                                    .build_id_size = 20,
                                    .build_id = {1, 2, [19] = 20},
                                    .filename = str("/a")};
    feed(s, &rec);
    m = pd_session_find_mapping(s, 1, 0x1000, U);
    assert_int_equal(m->build_id_size, 20);
    assert_memory_equal(m->build_id, rec.u.mmap2.build_id, 20);
    pd_session_free(s);
}

static void frames_have_the_mode_of_their_marker(void **state)
{
    const uint64_t ips[] = {0x10, PD_CONTEXT_KERNEL,       0x20, PD_CONTEXT_USER,
                            0x30, PD_CONTEXT_GUEST_KERNEL, 0x40, PD_CONTEXT_GUEST_USER,
                            0x50, PD_CONTEXT_HV,           0x60, PD_CONTEXT_USER_DEFERRED,
                            99};
    const unsigned modes[] = {U, K, U, GK, GU, PD_CPUMODE_HYPERVISOR};
    const struct pd_vec all = PD_VEC64(ips, sizeof ips / sizeof *ips);
    struct pd_frames f;
    unsigned mode;
    uint64_t ip;
    (void)state;
    pd_frames_begin(&f, &all);
    for (unsigned i = 0; i < 6; i++) {
        assert_true(pd_frames_next(&f, &ip, &mode));
        assert_int_equal(ip, 0x10 * (i + 1));
        assert_int_equal(mode, modes[i]);
    }
    assert_false(pd_frames_next(&f, &ip, &mode)); /* the cookie is not a frame */
}

/* perf's add_callchain_ip() resets the cursor: "corrupted. Discard all". */
static void an_unknown_marker_discards_the_chain(void **state)
{
    const uint64_t odd[] = {PD_CONTEXT_USER, 0x10, UINT64_MAX, 0x20};
    const uint64_t cookie[] = {PD_CONTEXT_USER, 0x10, PD_CONTEXT_USER_DEFERRED, UINT64_MAX};
    const struct pd_vec all = PD_VEC64(odd, 4), least = PD_VEC64(odd + 2, 1), deferred = PD_VEC64(cookie, 4);
    struct pd_frames f;
    unsigned mode;
    uint64_t ip;
    (void)state;
    pd_frames_begin(&f, &all);
    assert_false(pd_frames_next(&f, &ip, &mode));
    assert_false(pd_frames_next(&f, &ip, &mode));
    pd_frames_begin(&f, &least);
    assert_false(pd_frames_next(&f, &ip, &mode));
    pd_frames_begin(&f, &deferred); /* a cookie is any number */
    assert_true(pd_frames_next(&f, &ip, &mode));
    assert_false(pd_frames_next(&f, &ip, &mode));
}

static void tasks_cgroups_and_namespaces(void **state)
{
    static const struct pd_namespace_entry spaces[] = {{4, 11}, {4, 12}};
    const struct pd_record namespaces = {
        .type = PD_RECORD_NAMESPACES,
        .u.namespaces = {.pid = 1, .tid = 1, .nr = 2, .namespaces = PD_LIST(spaces, 2)}};
    const struct pd_record cgroup = {.type = PD_RECORD_CGROUP, .u.cgroup = {.id = 900, .path = str("/a/b")}};
    const struct pd_record again = {.type = PD_RECORD_CGROUP, .u.cgroup = {.id = 900, .path = str("/c")}};
    const struct pd_record sample = {.type = PD_RECORD_SAMPLE,
                                     .u.sample = {.pid = 1, .tid = 1, .cgroup = 900}};
    struct pd_session *s = begin(NULL);
    const struct pd_session_task *t;
    (void)state;
    assert_null(pd_session_find_task(s, 1));
    assert_string_equal(pd_session_find_task(s, 0)->comm, "swapper");
    assert_null(pd_session_find_cgroup(s, 900));
    name_task(s, 0, 1, 1, "one");
    feed(s, &namespaces);
    is_at(s, K, 0, UINT64_C(1) << 32 | 1, NULL, 0); /* its bytes, as those of a symbol */
    feed(s, &cgroup);
    feed(s, &sample);
    fork_task(s, 0, 2, 3, 1, 1);
    name_task(s, 0, 1, 1, "more than fifteen bytes");
    t = pd_session_find_task(s, 1);
    assert_string_equal(t->comm, "more than fifteen bytes");
    assert_int_equal(t->pid, 1);
    assert_int_equal(t->ppid, UINT32_MAX);
    t = pd_session_find_task(s, 3);
    assert_string_equal(t->comm, "one"); /* its parent's name at that time */
    assert_int_equal(t->pid, 2);
    assert_int_equal(t->tid, 3);
    assert_int_equal(t->ppid, 1);
    assert_int_equal(t->ptid, 1);
    assert_int_equal(t->cgroup, 900);
    assert_int_equal(t->n_namespaces, 2);
    assert_int_equal(t->namespaces[1].inode, 12);
    assert_string_equal(pd_session_find_cgroup(s, 900), "/a/b");
    feed(s, &again);
    assert_string_equal(pd_session_find_cgroup(s, 900), "/c");
    fork_task(s, 0, 2, 3, 8, 8); /* the tid is another task now */
    t = pd_session_find_task(s, 3);
    assert_string_equal(t->comm, "");
    assert_int_equal(t->n_namespaces, 0);
    assert_int_equal(t->cgroup, 0);
    pd_session_free(s);
}

static uint32_t tag(void *user, const struct pd_mapping *m)
{
    unsigned *calls = user;
    return ++*calls * 100 + m->file_len;
}

static void each_mapping_is_tagged_once(void **state)
{
    unsigned calls = 0;
    const struct pd_session_options options = {.size = sizeof options, .tag = tag, .user = &calls};
    struct pd_session *s = begin(&options);
    (void)state;
    map(s, U, 1, 0x1000, 0x3000, 0, "/a");
    map(s, U, 1, 0x2000, 0x1000, 0, "/bcd");
    fork_task(s, 0, 2, 2, 1, 1);
    assert_int_equal(pd_session_find_mapping(s, 2, 0x3000, U)->tag, 102);
    assert_int_equal(pd_session_find_mapping(s, 1, 0x2000, U)->tag, 204);
    assert_int_equal(calls, 2);
    pd_session_free(s);
}

/* Current mappings take the same memory; earlier ones are freed. */
static void memory_is_of_what_is_mapped(void **state)
{
    struct heap heap = {0};
    const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
    const struct pd_session_options options = {.size = sizeof options, .allocator = &allocator, .exited = 4};
    struct pd_session *s = begin(&options);
    char name[40];
    size_t bytes = 0;
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        const uint32_t pid = 2 + i % 50;
        snprintf(name, sizeof name, "/a/file/of/some/length/%u", i);
        fork_task(s, 0, pid, pid, 1, 1);
        map(s, U, pid, 0x1000 * (1 + i % 7), 0x1800, 0, name);
        name_task(s, PD_MISC_COMM_EXEC, pid, pid, "x");
        map(s, U, pid, 0x1000 * (1 + i % 7), 0x1800, 0, name);
        symbol(s, 0xffff0000 + 16 * (i % 10), 8, i / 10 % 2 ? PD_KSYM_FLAG_UNREGISTER : 0, name);
        end_task(s, pid, pid);
        if (i == 4000)
            bytes = heap.bytes;
        assert_true(i < 4000 || heap.bytes < bytes + 4096);
    }
    pd_session_free(s);
    assert_int_equal(heap.blocks, 0);
}

static void more_than_it_may_take(void **state)
{
    const struct pd_session_options options = {.size = sizeof options, .memory = 20000};
    struct pd_session *s = begin(&options);
    unsigned i = 0;
    (void)state;
    for (; i < 1000 && map(s, U, 1, 0x1000 * (1 + i), 0x1000, 0, "/a") == PD_OK; i++)
        ;
    assert_in_range(i, 20, 200);
    assert_int_equal(map(s, U, 1, 0x1000 * (1 + i), 0x1000, 0, "/a"), PD_ELIMIT);
    is_at(s, U, 1, 0x1000 * i, "/a", 0);
    is_at(s, U, 1, 0x1000 * (1 + i), NULL, 0);
    for (i = 0; i < 10000; i++)
        if (name_task(s, 0, i, i, "x") != PD_OK)
            break;
    assert_in_range(i, 20, 1000);
    assert_int_equal(name_task(s, 0, i, i, "x"), PD_ELIMIT);
    pd_session_free(s);
}

/* A record of a stream that makes memory grow, without mappings in it. */
static enum pd_code feed_flood(struct pd_session *s, unsigned flood, uint32_t i)
{
    static const struct pd_namespace_entry spaces[7] = {{4, 11}};
    const struct pd_record namespaces = {
        .type = PD_RECORD_NAMESPACES,
        .u.namespaces = {.pid = i, .tid = i, .nr = 7, .namespaces = PD_LIST(spaces, 7)}};
    const struct pd_record cgroup = {.type = PD_RECORD_CGROUP, .u.cgroup = {.id = i, .path = str("/a/b")}};
    switch (flood) {
    case 0: return fork_task(s, 0, i + 2, i + 2, 1, 1);
    case 1: return fork_task(s, 0, i + 2, i + 2, i + 1, i + 1);
    case 2: return symbol(s, 0xffff0000 + 2 * i, 1, PD_KSYM_FLAG_UNREGISTER, "hole");
    case 3: return symbol(s, 0x10000 + 2 * i, 1, 0, "symbol");
    case 4: return map(s, U, i, 0x1000, 1, 0, "/a");
    case 5: return map(s, U, 1, 2 * i, 1, 0, "/a");
    case 6: return name_task(s, 0, i, i, "x");
    case 7: return feed(s, &namespaces);
    default: return feed(s, &cgroup);
    }
}

/*
 * Whatever comes: each part stays below the limit, but for the room in arrays, which double; the old one is
 * there until it was copied.
 */
static void memory_has_a_limit(void **state)
{
    enum { LIMIT = 500000 };
    (void)state;
    for (unsigned k = 0; k < 9 * 3; k++) {
        struct heap heap = {0};
        const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
        const struct pd_session_options options = {
            .size = sizeof options, .allocator = &allocator, .memory = LIMIT, .parts = 1u << k % 3};
        struct pd_session *s = begin(&options);
        bool refused = false;
        map(s, K, UINT32_MAX, 0xffff0000, 1 << 24, 0, "/lib/modules/a.ko");
        for (uint32_t i = 0; i < 40000; i++) {
            const enum pd_code code = feed_flood(s, k / 3, i);
            assert_true(code == PD_OK || code == PD_ELIMIT);
            refused |= code != PD_OK;
        }
        if (heap.peak > 3 * LIMIT)
            fail_msg("flood %u, part %u: %zu bytes", k / 3, 1u << k % 3, heap.peak);
        assert_true(refused || heap.bytes < LIMIT);
        pd_session_free(s);
    }
}

/*
 * Tables double when they are full, so that what is allocated is at most twice the limit, also where that is
 * reached when a table has just doubled.
 */
static void tables_have_a_limit(void **state)
{
    (void)state;
    for (uint64_t limit = 20000; limit < 400000; limit += 10000) {
        struct heap heap = {0};
        const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
        const struct pd_session_options options = {
            .size = sizeof options, .allocator = &allocator, .memory = limit, .parts = PD_SESSION_ORIGINS};
        struct pd_session *s = begin(&options);
        const size_t before = heap.bytes;
        uint32_t i = 2;
        while (fork_task(s, 0, i, i, 1, 1) == PD_OK)
            i++;
        assert_in_range(heap.bytes - before, limit / 2, 2 * limit);
        pd_session_free(s);
    }
}

/* Tasks that are known go on. */
static void more_tasks_than_it_may_take(void **state)
{
    const struct pd_session_options options = {.size = sizeof options, .memory = 20000};
    struct pd_session *s = begin(&options);
    struct pd_error error;
    (void)state;
    name_task(s, 0, 1, 1, "before");
    for (uint32_t i = 2; i < 1000; i++)
        name_task(s, 0, i, i, "x");
    struct pd_record rec = {.type = PD_RECORD_COMM, .u.comm = {.pid = 5000, .tid = 5000, .comm = str("x")}};
    assert_int_equal(feed_told(s, &rec, &error), PD_ELIMIT);
    assert_int_equal(error.expected, options.memory);
    assert_in_range(error.found, options.memory + 1, options.memory + 200);
    assert_int_equal(name_task(s, 0, 1, 1, "x"), PD_OK);
    assert_string_equal(pd_session_find_task(s, 1)->comm, "x");
    pd_session_free(s);
}

/* Samples of an event that does not tell the cgroup, or whose it is, change no task's. */
static void cgroup_of_other_events(void **state)
{
    static const struct pd_attr others[] = {
        {.type = PD_TYPE_SOFTWARE, .sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID},
        {.type = PD_TYPE_SOFTWARE, .sample_type = PD_SAMPLE_IP | PD_SAMPLE_CGROUP}};
    const struct pd_record of_one = {.type = PD_RECORD_SAMPLE,
                                     .u.sample = {.pid = 1, .tid = 1, .cgroup = 900}};
    const struct pd_record of_idle = {.type = PD_RECORD_SAMPLE, .u.sample = {.cgroup = 800}};
    struct pd_session *s = begin(NULL);
    (void)state;
    assert_int_equal(feed(s, &of_one), PD_OK);
    assert_int_equal(feed(s, &of_idle), PD_OK);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const struct pd_record without = {.type = PD_RECORD_SAMPLE,
                                          .u.sample = {.pid = 1, .tid = 1, .cgroup = 700}};
        assert_int_equal(feed_of(s, &others[i], &without, NULL), PD_OK);
        assert_int_equal(pd_session_find_task(s, 1)->cgroup, 900);
        assert_int_equal(pd_session_find_task(s, 0)->cgroup, 800);
    }
    pd_session_free(s);
}

/* What is replaced is given back: a task's namespaces, a cgroup's path. */
static void replaced_again_and_again(void **state)
{
    static const struct pd_namespace_entry spaces[7] = {{4, 11}};
    static const char *const paths[] = {"/a", "/a/longer/path"};
    const struct pd_session_options options = {.size = sizeof options, .memory = 20000};
    const struct pd_record namespaces = {
        .type = PD_RECORD_NAMESPACES,
        .u.namespaces = {.pid = 1, .tid = 1, .nr = 7, .namespaces = PD_LIST(spaces, 7)}};
    struct pd_session *s = begin(&options);
    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        const struct pd_record cgroup = {.type = PD_RECORD_CGROUP,
                                         .u.cgroup = {.id = 900, .path = str(paths[i % 2])}};
        assert_int_equal(feed(s, &namespaces), PD_OK);
        assert_int_equal(feed(s, &cgroup), PD_OK);
    }
    pd_session_free(s);
}

/* Names that tasks had are forgotten, those they have are not. */
static void names_that_come_and_go(void **state)
{
    struct heap heap = {0};
    const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
    const struct pd_session_options options = {.size = sizeof options, .allocator = &allocator};
    struct pd_session *s = begin(&options);
    char name[40];
    size_t bytes = 0;
    (void)state;
    for (uint32_t i = 0; i < 60000; i++) {
        snprintf(name, sizeof name, "a name of some length %u", i);
        name_task(s, 0, 10 + i % 5, 10 + i % 5, i < 5 ? name : "often");
        name_task(s, 0, 2 + i % 8, 2 + i % 8, name);
        if (i == 20000)
            bytes = heap.bytes;
        assert_true(i < 20000 || heap.bytes <= bytes);
        if (i % 1000 == 999)
            assert_string_equal(pd_session_find_task(s, 2 + i % 8)->comm, name);
    }
    for (uint32_t i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "a name of some length %u", 59992 + i);
        assert_string_equal(pd_session_find_task(s, 2 + i)->comm, name);
    }
    assert_string_equal(pd_session_find_task(s, 10)->comm, "often");
    assert_string_equal(pd_session_find_task(s, 0)->comm, "swapper");
    pd_session_free(s);
    assert_int_equal(heap.blocks, 0);
}

static void without_memory(void **state)
{
    enum pd_code code = PD_ENOMEM;
    (void)state;
    for (size_t n = 1; code == PD_ENOMEM; n++) {
        struct heap heap = {.fail_at = n};
        const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
        const struct pd_session_options options = {.size = sizeof options, .allocator = &allocator};
        const struct pd_record cgroup = {.type = PD_RECORD_CGROUP, .u.cgroup = {.id = 9, .path = str("/a")}};
        struct pd_session *s = NULL;
        code = pd_session_new(&s, &options, NULL);
        if (!code)
            code = map(s, U, 1, 0x1000, 0x3000, 0, "/a");
        if (!code)
            code = map(s, U, 1, 0x2000, 0x1000, 0, "/b");
        if (!code)
            code = fork_task(s, 0, 2, 2, 1, 1);
        if (!code)
            code = feed(s, &cgroup);
        if (!code)
            code = name_task(s, PD_MISC_COMM_EXEC, 2, 2, "two");
        pd_session_free(s);
        assert_int_equal(heap.blocks, 0);
    }
    assert_int_equal(code, PD_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_mappings_cover_earlier_ones),
        cmocka_unit_test(a_child_has_its_parents_mappings),
        cmocka_unit_test(exec_takes_mappings_away),
        cmocka_unit_test(the_ended_stay_for_a_while),
        cmocka_unit_test(so_many_ended_stay),
        cmocka_unit_test(memory_is_limited_by_default),
        cmocka_unit_test(the_kernel_is_one_for_all),
        cmocka_unit_test(guests_are_apart),
        cmocka_unit_test(kinds_and_names),
        cmocka_unit_test(what_a_record_says_of_a_file),
        cmocka_unit_test(frames_have_the_mode_of_their_marker),
        cmocka_unit_test(an_unknown_marker_discards_the_chain),
        cmocka_unit_test(tasks_cgroups_and_namespaces),
        cmocka_unit_test(cgroup_of_other_events),
        cmocka_unit_test(each_mapping_is_tagged_once),
        cmocka_unit_test(memory_is_of_what_is_mapped),
        cmocka_unit_test(more_than_it_may_take),
        cmocka_unit_test(memory_has_a_limit),
        cmocka_unit_test(tables_have_a_limit),
        cmocka_unit_test(more_tasks_than_it_may_take),
        cmocka_unit_test(replaced_again_and_again),
        cmocka_unit_test(names_that_come_and_go),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
