/* SPDX-License-Identifier: MIT */
/*
 * mappings.c - the mappings of processes and kernels, by perf's rules. Names of maps, and inheritance from a
 * parent, follow perf 6.1 (machine__process_mmap2_event, thread__fork, machine__process_ksymbol).
 */
#include "mappings.h"
#include "call_chain.h"
#include "src/schema/fail.h"
#include "src/codec/record_role.h"
#include "src/support/limits.h"
#include <stdio.h>

/* A mapping, followed by its name, and the number of address ranges that refer to it. */
struct pi_own_mapping {
    struct pd_mapping is; /* first: what is handed out */
    uint32_t refs;
    size_t bytes;
    char name[];
};

/* ---- Kinds and names */

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Memory: perf looks for its symbols in a file that the process wrote. */
static bool is_memory(const struct pd_mapping *m)
{
    static const char *const names[] = {"//anon", "/dev/zero", "/anon_hugepage", "[stack", "/SYSV"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (begins(m->file, names[i]))
            return true;
    return strcmp(m->file, "[heap]") == 0 || m->flags & PD_MAP_HUGETLB;
}

static bool is_vdso(const char *name)
{
    static const char *const names[] = {"[vdso]", "[vdso32]", "[vdsox32]", "[vsyscall]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* perf inject --jit writes each function of a jitdump file into a separate one. */
static bool is_jitted(const char *path)
{
    const char *base = base_of(path);
    const size_t n = strlen(base);
    return begins(base, "jitted-") && n > 3 && strcmp(base + n - 3, ".so") == 0;
}

static enum pd_mapping_kind kind_of_user(const struct pd_mapping *m, bool executable)
{
    if (is_memory(m))
        return executable ? PD_MAPPING_JIT : PD_MAPPING_ANON;
    if (is_vdso(m->file))
        return PD_MAPPING_VDSO;
    return is_jitted(m->file) ? PD_MAPPING_JIT : PD_MAPPING_FILE;
}

static enum pd_mapping_kind kind_of_kernel(const struct pd_mapping *m)
{
    return begins(m->file, "[kernel.kallsyms]") || begins(m->file, "[guest.kernel.kallsyms")
               ? PD_MAPPING_KERNEL
               : PD_MAPPING_MODULE;
}

/* perf shows a module by its name in brackets, in which - is _, as in the kernel. */
static size_t name_module(const char *path, char *buf, size_t cap)
{
    const char *base = base_of(path), *end = strstr(base, ".ko");
    const int n = !end ? 0 : end - base < PI_LIMIT_MODULE_NAME ? (int)(end - base) : PI_LIMIT_MODULE_NAME;
    const int len = end ? snprintf(buf, cap, "[%.*s]", n, base) : snprintf(buf, cap, "%s", path);
    for (char *p = buf; end && cap && *p; p++)
        *p = *p == '-' ? '_' : *p;
    return (size_t)len;
}

size_t pd_mapping_dso(const struct pd_mapping *m, char *buf, size_t cap)
{
    const char *bracket = strchr(m->file, ']'); /* behind it is the symbol that tells where the kernel is */
    switch (m->kind) {
    case PD_MAPPING_KERNEL:
        return (size_t)snprintf(buf, cap, "%.*s", bracket ? (int)(bracket + 1 - m->file) : 0, m->file);
    case PD_MAPPING_MODULE: return name_module(m->file, buf, cap);
    default:
        return (size_t)(is_memory(m) ? snprintf(buf, cap, "/tmp/perf-%d.map", (int)m->pid)
                                     : snprintf(buf, cap, "%s", m->file));
    }
}

size_t pd_mapping_short_name(const struct pd_mapping *m, char *buf, size_t cap)
{
    char dso[UINT16_MAX + 1];
    int tid;
    pd_mapping_dso(m, dso, sizeof dso);
    if (sscanf(dso, "/tmp/perf-%d", &tid) == 1) /* as perf reads it */
        return (size_t)snprintf(buf, cap, "[JIT] tid %d", tid);
    size_t n = strlen(dso);
    while (n > 1 && dso[n - 1] == '/')
        dso[--n] = 0;
    return (size_t)snprintf(buf, cap, "%s", n > 1 ? base_of(dso) : dso);
}

/* True if it has no file, or one that does not determine its bytes. */
static bool is_by_address(const struct pd_mapping *m)
{
    return m->kind == PD_MAPPING_KERNEL || m->kind == PD_MAPPING_SYMBOL ||
           (m->kind != PD_MAPPING_FILE && is_memory(m));
}

PI_WRAPS uint64_t pd_mapping_offset(const struct pd_mapping *m, uint64_t address)
{
    return is_by_address(m) ? address : address - m->start + m->pgoff;
}

bool pi_frames_marker(uint64_t marker, unsigned *cpumode)
{
    switch (marker) {
    case PD_CONTEXT_HV: *cpumode = PD_CPUMODE_HYPERVISOR; return true;
    case PD_CONTEXT_KERNEL: *cpumode = PD_CPUMODE_KERNEL; return true;
    case PD_CONTEXT_USER:
    case PD_CONTEXT_USER_DEFERRED: *cpumode = PD_CPUMODE_USER; return true;
    case PD_CONTEXT_GUEST_KERNEL: *cpumode = PD_CPUMODE_GUEST_KERNEL; return true;
    case PD_CONTEXT_GUEST_USER: *cpumode = PD_CPUMODE_GUEST_USER; return true;
    default: return false;
    }
}

bool pi_frames_are_known(const struct pd_vec *ips)
{
    unsigned cpumode;
    for (size_t i = 0; i < ips->n; i++) {
        const uint64_t ip = pi_ip_at(ips, i);
        if (ip == PD_CONTEXT_USER_DEFERRED) /* a cookie follows */
            return true;
        if (ip >= PD_CONTEXT_MAX && !pi_frames_marker(ip, &cpumode))
            return false;
    }
    return true;
}

bool pd_frames_next(struct pd_frames *f, uint64_t *ip, unsigned *cpumode)
{
    return pi_frames_next(f, ip, cpumode);
}

/* ---- Mappings */

static void count_ranges(void *user, uint32_t number, int by)
{
    struct pi_mappings *m = user;
    struct pi_own_mapping *own = m->all[number];
    own->refs = by > 0 ? own->refs + 1 : own->refs - 1;
    if (own->refs)
        return;
    m->bytes -= own->bytes;
    m->all[number] = NULL;
    pi_release(m->allocator, own);
    m->unused[m->n_unused++] = number;
}

/* A number for a mapping; UINT32_MAX: no memory. */
static uint32_t take_number(struct pi_mappings *m)
{
    if (m->n_unused)
        return m->unused[--m->n_unused];
    if (m->n_all == UINT32_MAX ||
        !pi_grow(m->allocator, (void **)&m->all, m->n_all, &m->all_cap, sizeof *m->all) ||
        !pi_grow(m->allocator, (void **)&m->unused, m->n_all, &m->unused_cap, sizeof *m->unused))
        return UINT32_MAX;
    return (uint32_t)m->n_all++;
}

static size_t bytes_of_space(const struct pi_mappings *m)
{
    return sizeof *m->spaces + 4 * sizeof *m->pids->slots;
}

/* The current memory, and that of one more mapping. */
static uint64_t bytes_with(const struct pi_mappings *m, size_t more)
{
    return m->bytes + more + m->n_all * (sizeof *m->all + sizeof *m->unused) +
           m->n_spaces * bytes_of_space(m) + m->spans.n * sizeof *m->spans.items;
}

static enum pd_code no_memory(struct pd_error *error, const struct pi_mappings *m)
{
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "mappings", 0, m->bytes);
}

/* Checks the limit before memory is taken. */
static enum pd_code afford(const struct pi_mappings *m, size_t bytes, struct pd_error *error)
{
    return bytes_with(m, bytes) <= m->options.memory
               ? PD_OK
               : pi_fail(error, PD_ELIMIT, PD_NOWHERE, "memory for mappings", bytes_with(m, bytes),
                         m->options.memory);
}

/* Makes a mapping with one reference, its maker's. */
static enum pd_code make_mapping(struct pi_mappings *m, const struct pd_mapping *what,
                                 const struct pd_str *name, struct pi_own_mapping **out,
                                 struct pd_error *error)
{
    const size_t bytes = sizeof **out + name->len + 1;
    const enum pd_code code = afford(m, bytes, error);
    if (code)
        return code;
    struct pi_own_mapping *own = pi_resize(m->allocator, NULL, bytes);
    const uint32_t number = own ? take_number(m) : UINT32_MAX;
    if (number == UINT32_MAX) {
        pi_release(m->allocator, own);
        return no_memory(error, m);
    }
    *own = (struct pi_own_mapping){.is = *what, .refs = 1, .bytes = bytes};
    if (name->len)
        memcpy(own->name, name->ptr, name->len);
    own->name[name->len] = 0;
    own->is.file = own->name;
    own->is.file_len = (uint32_t)name->len;
    own->is.number = number;
    m->all[number] = own;
    m->bytes += bytes;
    *out = own;
    return PD_OK;
}

/* Puts it into a space. */
static enum pd_code place_mapping(struct pi_mappings *m, uint32_t space, struct pi_own_mapping *own,
                                  uint64_t last, struct pd_error *error)
{
    if (m->options.tag)
        own->is.tag = m->options.tag(m->options.user, &own->is);
    pi_spans_put(&m->spans, &m->spaces[space].root, own->is.start, last, own->is.number);
    count_ranges(m, own->is.number, -1);
    return m->spans.failed ? no_memory(error, m) : PD_OK;
}

/* ---- Spaces */

static void unlink_ended(struct pi_mappings *m, uint32_t i)
{
    struct pi_space *s = &m->spaces[i];
    if (!s->ended)
        return;
    *(s->older ? &m->spaces[s->older].newer : &m->oldest) = s->newer;
    *(s->newer ? &m->spaces[s->newer].older : &m->newest) = s->older;
    s->ended = false;
    m->n_ended--;
}

static void empty_space(struct pi_mappings *m, uint32_t i)
{
    pi_spans_drop(&m->spans, m->spaces[i].root);
    m->spaces[i].root = 0;
}

/* The mappings of a process stay for a while, for late records. */
static void end_process(struct pi_mappings *m, uint32_t pid)
{
    const uint32_t i = pi_idmap_get(&m->pids[PI_SPACE_PROCESS], pid);
    if (i == PI_IDMAP_NONE || m->spaces[i].ended)
        return;
    m->spaces[i].ended = true;
    m->spaces[i].older = m->newest;
    m->spaces[i].newer = 0;
    *(m->newest ? &m->spaces[m->newest].newer : &m->oldest) = i;
    m->newest = i;
    if (++m->n_ended > m->options.exited) {
        const uint32_t gone = m->oldest;
        unlink_ended(m, gone);
        empty_space(m, gone);
    }
}

/* The space of a pid, made if there is none; if its process had ended, the space is in use again. */
static bool use_space(struct pi_mappings *m, enum pi_space_of kind, uint32_t pid, uint32_t *space)
{
    *space = pi_idmap_get(&m->pids[kind], pid);
    if (*space != PI_IDMAP_NONE) {
        unlink_ended(m, *space);
        return true;
    }
    *space = (uint32_t)m->n_spaces;
    if (m->n_spaces == UINT32_MAX ||
        !pi_grow(m->allocator, (void **)&m->spaces, m->n_spaces, &m->spaces_cap, sizeof *m->spaces) ||
        !pi_idmap_add(&m->pids[kind], pid, *space))
        return false;
    m->spaces[m->n_spaces++] = (struct pi_space){0};
    return true;
}

/* The owner of the addresses of a mode; false: none. The host's kernel has space 0. */
static bool space_of_mode(unsigned cpumode, enum pi_space_of *kind, bool *host_kernel)
{
    *host_kernel = cpumode == PD_CPUMODE_KERNEL;
    *kind = cpumode == PD_CPUMODE_GUEST_KERNEL ? PI_SPACE_GUEST_KERNEL
            : cpumode == PD_CPUMODE_GUEST_USER ? PI_SPACE_GUEST_PROCESS
                                               : PI_SPACE_PROCESS;
    return cpumode == PD_CPUMODE_USER || cpumode == PD_CPUMODE_KERNEL || cpumode == PD_CPUMODE_GUEST_KERNEL ||
           cpumode == PD_CPUMODE_GUEST_USER;
}

/* ---- Records */

/* A damaged record may have a name that no NUL ends. */
static struct pd_str text_of(const struct pd_str *s)
{
    return (struct pd_str){s->ptr, s->len < UINT16_MAX ? s->len : UINT16_MAX, 0};
}

/* The last address; the kernel's mapping may begin at 0 without a size, and then covers all addresses. */
static uint64_t last_of(uint64_t first, uint64_t n)
{
    uint64_t last;
    if (n == 0)
        return first ? first - 1 : UINT64_MAX;
    return __builtin_add_overflow(first, n - 1, &last) ? UINT64_MAX : last;
}

bool pi_mmap2_of(const struct pd_record *rec, struct pd_mmap2 *out)
{
    const struct pd_mmap *m = &rec->u.mmap;
    if (rec->type == PD_RECORD_MMAP2)
        *out = rec->u.mmap2;
    else if (rec->type == PD_RECORD_MMAP)
        *out = (struct pd_mmap2){.pid = m->pid,
                                 .tid = m->tid,
                                 .addr = m->addr,
                                 .len = m->len,
                                 .pgoff = m->pgoff,
                                 .filename = m->filename};
    else
        return false;
    return true;
}

static struct pd_mapping mapping_of(const struct pd_mmap2 *r)
{
    struct pd_mapping m = {.pid = r->pid,
                           .start = r->addr,
                           .size = r->len,
                           .pgoff = r->pgoff,
                           .maj = r->maj,
                           .min = r->min,
                           .prot = r->prot,
                           .flags = r->flags,
                           .ino = r->ino,
                           .ino_generation = r->ino_generation};
    m.build_id_size = r->build_id_size < sizeof m.build_id ? r->build_id_size : sizeof m.build_id;
    memcpy(m.build_id, r->build_id, m.build_id_size);
    return m;
}

static enum pd_code take_map(struct pi_mappings *m, const struct pd_record *rec, struct pd_error *error)
{
    struct pd_mmap2 map;
    enum pi_space_of kind;
    bool host_kernel;
    uint32_t space = 0;
    struct pi_own_mapping *own;
    const bool is_kernel = pi_in_kernel(rec);
    if (!pi_mmap2_of(rec, &map) || (!is_kernel && map.len == 0))
        return PD_OK;
    space_of_mode(rec->misc & PD_MISC_CPUMODE, &kind, &host_kernel); /* of no known mode: the process's */
    const struct pd_str name = text_of(&map.filename);
    const struct pd_mapping what = mapping_of(&map);
    enum pd_code code = make_mapping(m, &what, &name, &own, error);
    if (code)
        return code;
    own->is.kind =
        is_kernel ? kind_of_kernel(&own->is) : kind_of_user(&own->is, !(rec->misc & PD_MISC_MMAP_DATA));
    if (!host_kernel && !use_space(m, kind, map.pid, &space)) {
        count_ranges(m, own->is.number, -1);
        return no_memory(error, m);
    }
    return place_mapping(m, space, own, last_of(map.addr, map.len), error);
}

/*
 * A new process has the mappings of its parent. If perf synthesized the record, all mappings of the process
 * follow instead.
 */
static enum pd_code take_fork(struct pi_mappings *m, const struct pd_record *rec, struct pd_error *error)
{
    uint32_t space, parent, pid, ppid, tid;
    if (!pi_told_task(rec, &pid, &tid) || !pi_told_parent(rec, &ppid, &tid) || pid == ppid)
        return PD_OK;
    const enum pd_code code = afford(m, 2 * bytes_of_space(m), error);
    if (code)
        return code;
    if (!use_space(m, PI_SPACE_PROCESS, ppid, &parent) || !use_space(m, PI_SPACE_PROCESS, pid, &space))
        return no_memory(error, m);
    const uint32_t copy =
        rec->misc & PD_MISC_FORK_EXEC ? 0 : pi_spans_copy(&m->spans, m->spaces[parent].root);
    empty_space(m, space);
    m->spaces[space].root = copy;
    return PD_OK;
}

/*
 * Code that the kernel made later; outside of mappings, perf treats it as a separate mapping. When the code
 * goes, so does the whole mapping at its address, also a module's.
 */
static enum pd_code take_symbol(struct pi_mappings *m, const struct pd_ksymbol *k, struct pd_error *error)
{
    const uint64_t last = last_of(k->addr, k->len);
    const struct pd_mapping what = {
        .kind = PD_MAPPING_SYMBOL, .pid = UINT32_MAX, .start = k->addr, .size = k->len};
    const struct pd_str name = text_of(&k->name);
    const bool goes = k->flags & PD_KSYM_FLAG_UNREGISTER;
    struct pi_own_mapping *own;
    if (k->len == 0)
        return PD_OK;
    const struct pd_mapping *there = pi_mappings_find(m, UINT32_MAX, k->addr, PD_CPUMODE_KERNEL);
    if (goes && there && there->kind != PD_MAPPING_KERNEL)
        pi_spans_take(&m->spans, &m->spaces[0].root, k->addr);
    if (goes || there)
        return m->spans.failed ? no_memory(error, m) : PD_OK;
    const enum pd_code code = make_mapping(m, &what, &name, &own, error);
    return code ? code : place_mapping(m, 0, own, last, error);
}

/* The process now runs another program. */
static void take_exec(struct pi_mappings *m, const struct pd_record *rec)
{
    uint32_t pid, tid, i;
    if (rec->misc & PD_MISC_COMM_EXEC && pi_told_task(rec, &pid, &tid) &&
        (i = pi_idmap_get(&m->pids[PI_SPACE_PROCESS], pid)) != PI_IDMAP_NONE)
        empty_space(m, i);
}

static void take_exit(struct pi_mappings *m, const struct pd_record *rec)
{
    uint32_t pid, tid;
    if (pi_told_task(rec, &pid, &tid) && pid == tid)
        end_process(m, pid);
}

enum pd_code pi_mappings_record(struct pi_mappings *m, struct pd_record *rec, struct pd_error *error)
{
    const enum pi_tells tells = pi_tells_of(rec);
    const bool is_symbol = rec->type == PD_RECORD_KSYMBOL;
    if (tells == PI_TELLS_TASK || (tells == PI_TELLS_NOTHING && !is_symbol))
        return PD_OK;
    const enum pd_code code = pd_record_decode_framed(rec->plan, rec, error);
    if (code)
        return code;
    switch (tells) {
    case PI_TELLS_MAP: return take_map(m, rec, error);
    case PI_TELLS_BIRTH: return take_fork(m, rec, error);
    case PI_TELLS_NAME: take_exec(m, rec); return PD_OK;
    case PI_TELLS_END: take_exit(m, rec); return PD_OK;
    default: return take_symbol(m, &rec->u.ksymbol, error);
    }
}

const struct pd_mapping *pi_mappings_find_range(struct pi_mappings *m, uint32_t pid, uint64_t address,
                                                unsigned cpumode, uint64_t *first, uint64_t *last)
{
    enum pi_space_of kind;
    bool host_kernel;
    uint32_t space = 0;
    if (!space_of_mode(cpumode, &kind, &host_kernel))
        return NULL;
    if (!host_kernel)
        space = pi_idmap_get(&m->pids[kind], pid);
    if (space == PI_IDMAP_NONE && kind == PI_SPACE_GUEST_KERNEL) /* of perf's default guest */
        space = pi_idmap_get(&m->pids[kind], 0);
    const struct pi_span *found =
        space == PI_IDMAP_NONE ? NULL : pi_spans_find(&m->spans, m->spaces[space].root, address);
    if (found == NULL)
        return NULL;
    unlink_ended(m, space); /* callers remember answers, so these must not depend on who ends later */
    *first = found->first;
    *last = found->last;
    return &m->all[found->value]->is;
}

const struct pd_mapping *pi_mappings_find(struct pi_mappings *m, uint32_t pid, uint64_t address,
                                          unsigned cpumode)
{
    uint64_t first, last;
    return pi_mappings_find_range(m, pid, address, cpumode, &first, &last);
}

/* ---- Life */

bool pi_mappings_init(struct pi_mappings *m, const struct pd_allocator *allocator,
                      const struct pi_mappings_options *options)
{
    *m = (struct pi_mappings){.allocator = allocator, .options = *options};
    if (m->options.memory == 0)
        m->options.memory = PI_LIMIT_SESSION;
    if (m->options.exited == 0)
        m->options.exited = PI_LIMIT_ENDED;
    for (size_t i = 0; i < PI_SPACE_KINDS; i++)
        m->pids[i].allocator = allocator;
    pi_spans_init(&m->spans, allocator);
    m->spans.count = count_ranges;
    m->spans.user = m;
    if (!pi_grow(allocator, (void **)&m->spaces, 0, &m->spaces_cap, sizeof *m->spaces))
        return false;
    m->spaces[m->n_spaces++] = (struct pi_space){0};
    return true;
}

void pi_mappings_free(struct pi_mappings *m)
{
    pi_spans_free(&m->spans);
    for (size_t i = 0; i < PI_SPACE_KINDS; i++)
        pi_idmap_free(&m->pids[i]);
    for (size_t i = 0; i < m->n_all; i++)
        pi_release(m->allocator, m->all[i]);
    pi_release(m->allocator, m->all);
    pi_release(m->allocator, m->unused);
    pi_release(m->allocator, m->spaces);
    *m = (struct pi_mappings){.allocator = m->allocator};
}
