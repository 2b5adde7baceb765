/* SPDX-License-Identifier: MIT */
/* redact_text.c - new names, paths and events for a redaction. */
#define _GNU_SOURCE
#include "redact.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static bool is(const struct pd_bytes *b, const char *text)
{
    return b->n == strlen(text) && memcmp(b->ptr, text, b->n) == 0;
}

static bool begins(const struct pd_bytes *b, const char *text)
{
    return b->n >= strlen(text) && memcmp(b->ptr, text, strlen(text)) == 0;
}

static bool ends(const struct pd_bytes *b, const char *text)
{
    return b->n > strlen(text) && memcmp(b->ptr + b->n - strlen(text), text, strlen(text)) == 0;
}

static bool digits(const struct pd_bytes *b, size_t from, size_t behind)
{
    bool all = b->n > from + behind;
    for (size_t i = from; all && i < b->n - behind; i++)
        all = b->ptr[i] >= '0' && b->ptr[i] <= '9';
    return all;
}

static enum pd_code add(struct pd_redaction *r, const void *bytes, size_t n, struct pd_error *error)
{
    if (r->text_cap - r->text_n < n) {
        const size_t cap = 2 * (r->text_n + n) + 256;
        char *more = pi_resize(r->allocator, r->text, cap);
        if (more == NULL)
            return pi_redact_no_memory(error);
        r->text = more;
        r->text_cap = cap;
    }
    if (n)
        memcpy(r->text + r->text_n, bytes, n);
    r->text_n += n;
    return PD_OK;
}

static struct pd_bytes replacement(const struct pi_replaced *e)
{
    return (struct pd_bytes){e->bytes + e->n, e->n_new};
}

/* ---- Names: at most 15 characters, as a task's name has */

static void make_name(struct pd_redaction *r, const struct pd_bytes *text, char name[24])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    uint8_t hash[15];
    if (!r->names.keyed) {
        snprintf(name, 24, "name%llu", (unsigned long long)++r->names.counts[PI_SPACE_NAME]);
        return;
    }
    pi_names_hash(&r->names, PI_SPACE_NAME, text->ptr, text->n, hash, sizeof hash);
    for (size_t i = 0; i < sizeof hash; i++)
        name[i] = letters[hash[i] & 31];
    name[sizeof hash] = 0;
}

static bool is_plain_name(const struct pd_bytes *text)
{
    return text->n == 0 || is(text, "swapper") || (begins(text, "swapper/") && digits(text, 8, 0));
}

enum pd_code pi_redact_keep(struct pd_redaction *r, const struct pd_bytes *name, struct pd_error *error)
{
    if (pi_names_find(&r->names, PI_SPACE_NAME, name->ptr, name->n))
        return PD_OK;
    return pi_names_add(&r->names, PI_SPACE_NAME, name->ptr, name->n, name->ptr, name->n)
               ? PD_OK
               : pi_redact_no_memory(error);
}

/* True if the name is kept; then no other name may be replaced by it. */
static bool is_kept(const struct pd_redaction *r, const char *name)
{
    const struct pi_replaced *e = pi_names_find(&r->names, PI_SPACE_NAME, name, strlen(name));
    return e && e->n == e->n_new && memcmp(e->bytes, e->bytes + e->n, e->n) == 0;
}

enum pd_code pi_redact_name(struct pd_redaction *r, struct pd_bytes *text, struct pd_error *error)
{
    char name[24];
    if (is_plain_name(text))
        return PD_OK;
    const struct pi_replaced *e = pi_names_find(&r->names, PI_SPACE_NAME, text->ptr, text->n);
    if (e == NULL) {
        do
            make_name(r, text, name);
        while (!r->names.keyed && is_kept(r, name));
        e = pi_names_add(&r->names, PI_SPACE_NAME, text->ptr, text->n, name, strlen(name));
    }
    if (e == NULL)
        return pi_redact_no_memory(error);
    *text = replacement(e);
    return PD_OK;
}

/* A version, as "0.6", or the text at the start of simpleperf's lists of branches. */
bool pi_redact_is_word(const struct pd_bytes *text)
{
    const uint8_t *dot = text->n && text->n <= 5 ? memchr(text->ptr, '.', text->n) : NULL;
    const size_t whole = dot ? (size_t)(dot - text->ptr) : 0;
    return is(text, "simpleperf:EtmBranchList") ||
           (dot && digits(text, whole + 1, 0) && digits(text, 0, text->n - whole));
}

/* ---- Paths: component by component */

bool pi_redact_is_plain_path(const struct pd_redaction *r, const struct pd_bytes *path)
{
    static const char *const plain[] = {"/",
                                        "//anon",
                                        "//toolong",
                                        "//enomem",
                                        "/anon_hugepage",
                                        "/dev/zero",
                                        "[vdso]",
                                        "[vdso32]",
                                        "[vdsox32]",
                                        "[vsyscall]",
                                        "[vectors]",
                                        "[sigpage]",
                                        "[vvar]",
                                        "[vvar_vclock]",
                                        "[heap]",
                                        "[stack]",
                                        "[anon]",
                                        "[uprobes]",
                                        "[unknown]",
                                        "[kernel]",
                                        "[kernel.vmlinux]",
                                        "[kernel.kallsyms]",
                                        "[kernel.kallsyms]_text",
                                        "[kernel.kallsyms]_stext",
                                        "[guest.kernel]",
                                        "[guest.kernel.kallsyms]",
                                        "[guest.kernel.kallsyms]_text",
                                        "[guest.kernel.kallsyms]_stext"};
    static const char deleted[] = " (deleted)";
    struct pd_bytes p = *path;
    if (ends(&p, deleted))
        p.n -= strlen(deleted);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (is(&p, plain[i]))
            return true;
    if (r->options.pids != PD_REDACT_KEEP)
        return p.n == 0;
    return p.n == 0 || (begins(&p, "[stack:") && ends(&p, "]") && digits(&p, 7, 1)) ||
           (begins(&p, "[guest.kernel.kallsyms.") && ends(&p, "]") && digits(&p, 23, 1));
}

static enum pd_code add_name(struct pd_redaction *r, const void *p, size_t n, struct pd_error *error)
{
    struct pd_bytes name = {p, n};
    const enum pd_code code = pi_redact_name(r, &name, error);
    return code ? code : add(r, name.ptr, name.n, error);
}

/*
 * The part of a component that stays visible: that its file was deleted, or that it is a module of the
 * kernel.
 */
static size_t ending(const struct pd_bytes *c)
{
    static const char *const endings[] = {" (deleted)", ".gz", ".xz", ".zst", ".ko"};
    struct pd_bytes left = *c;
    bool module = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (!ends(&left, endings[i]))
            continue;
        left.n -= strlen(endings[i]);
        module |= i == 4;
    }
    if (module)
        return c->n - left.n;
    return ends(c, endings[0]) ? strlen(endings[0]) : 0;
}

/* The module in "snd-pcm.ko" is called snd_pcm elsewhere. */
static enum pd_code add_stem(struct pd_redaction *r, const uint8_t *p, size_t n, bool module,
                             struct pd_error *error)
{
    char name[64];
    if (!module || n > sizeof name)
        return add_name(r, p, n, error);
    for (size_t i = 0; i < n; i++)
        name[i] = p[i] == '-' ? '_' : (char)p[i];
    return add_name(r, name, n, error);
}

static enum pd_code add_component(struct pd_redaction *r, const struct pd_bytes *c, struct pd_error *error)
{
    if (c->n == 0 || is(c, ".") || is(c, "..") || is(c, "vmlinux"))
        return add(r, c->ptr, c->n, error);
    const size_t tail = ending(c),
                 head = begins(c, "vmlinux-") ? strlen("vmlinux-") : 0; /* perf recognises the kernel by it */
    const bool is_module = tail && memmem(c->ptr + c->n - tail, tail, ".ko", 3);
    enum pd_code code = add(r, "vmlinux-", head, error);
    if (!code && head < c->n - tail)
        code = add_stem(r, c->ptr + head, c->n - tail - head, is_module, error);
    return code ? code : add(r, c->ptr + c->n - tail, tail, error);
}

/* The module in "[ext4]" is that of the file "ext4.ko". */
static enum pd_code add_bracket(struct pd_redaction *r, const struct pd_bytes *path, const uint8_t *close,
                                struct pd_error *error)
{
    const struct pd_bytes head = {path->ptr, (size_t)(close + 1 - path->ptr)};
    enum pd_code code = PD_OK;
    if (pi_redact_is_plain_path(r, &head))
        code = add(r, head.ptr, head.n, error);
    else if (!(code = add(r, "[", 1, error)) && !(code = add_name(r, head.ptr + 1, head.n - 2, error)))
        code = add(r, "]", 1, error);
    return code ? code : add_name(r, close + 1, path->n - head.n, error);
}

static enum pd_code add_path(struct pd_redaction *r, const struct pd_bytes *path, struct pd_error *error)
{
    const uint8_t *p = path->ptr, *end = p + path->n;
    const uint8_t *close = *p == '[' ? memchr(p, ']', path->n) : NULL;
    if (close)
        return add_bracket(r, path, close, error);
    for (;;) {
        const uint8_t *slash = memchr(p, '/', (size_t)(end - p));
        const struct pd_bytes c = {p, (size_t)((slash ? slash : end) - p)};
        enum pd_code code = add_component(r, &c, error);
        if (!code && slash)
            code = add(r, "/", 1, error);
        if (code || !slash)
            return code;
        p = slash + 1;
    }
}

enum pd_code pi_redact_path(struct pd_redaction *r, struct pd_bytes *text, struct pd_error *error)
{
    if (pi_redact_is_plain_path(r, text))
        return PD_OK;
    if (*text->ptr != '[' && memchr(text->ptr, '/', text->n) == NULL && ending(text) == 0 && !is(text, ".") &&
        !is(text, ".."))
        return pi_redact_name(r, text, error);
    const struct pi_replaced *e = pi_names_find(&r->names, PI_SPACE_PATH, text->ptr, text->n);
    if (e == NULL) {
        r->text_n = 0;
        const enum pd_code code = add_path(r, text, error);
        if (code)
            return code;
        e = pi_names_add(&r->names, PI_SPACE_PATH, text->ptr, text->n, r->text, r->text_n);
    }
    if (e == NULL)
        return pi_redact_no_memory(error);
    *text = replacement(e);
    return PD_OK;
}

bool pi_redact_is_public(const struct pd_redaction *r, const struct pd_bytes *path)
{
    char text[PATH_MAX + 16]; /* " (deleted)" behind it */
    if (r->n_public == 0 || path->n >= sizeof text || path->n == 0 || memchr(path->ptr, 0, path->n))
        return false;
    memcpy(text, path->ptr, path->n);
    text[path->n] = 0;
    for (size_t i = 0; i < r->n_public; i++)
        if (strcmp(r->public[i], text) == 0 || fnmatch(r->public[i], text, 0) == 0)
            return true;
    return false;
}

/* ---- Events */

/* True if the name is one of the words, which are separated by blanks. */
static bool is_in(const char *words, const void *name, size_t n)
{
    for (const char *p = words; (p = strchr(p, ' ')) && p[1]; p++)
        if (strcspn(p + 1, " ") == n && memcmp(p + 1, name, n) == 0)
            return n != 0;
    return false;
}

bool pi_redact_is_system(const void *name, size_t n)
{
    static const char systems[] =
        " alarmtimer amd_cpu asoc avc balloon bcache binder block bpf_test_run bpf_trace bridge btrfs "
        "capability cfg80211 cgroup cifs"
        " clk cma compaction context_tracking cpufreq cpuhp cpuidle cros_ec csd damon dax dev devfreq "
        "devlink dma dma_fence drm"
        " dma_buf erofs error_report exceptions ext2 ext3 ext4 f2fs fib fib6 filelock filemap fs_dax fscache "
        "ftrace fuse gfs2 gpio"
        " gpu_scheduler habanalabs handshake hda hda_controller hda_intel huge_memory hugetlbfs hwmon hyperv "
        "i2c i915 initcall"
        " intel_avs intel_iommu intel_ish interconnect io_uring iocost iomap iommu iova ipi ipv6 irq "
        "irq_matrix irq_vectors"
        " iwlwifi iwlwifi_data iwlwifi_io iwlwifi_msg iwlwifi_ucode jbd2 kcsan kmem ksm kvm kvmmmu kyber "
        "libata lock locking"
        " mac80211 mce mdio mei memcg migrate mlx5 mm_khugepaged mmap mmap_lock mmc module mptcp msr napi "
        "neigh net netfs"
        " netlink nfs nfs4 nfsd nilfs2 nmi notifier nvme nvme_sock objagg ocfs2 oom opal osnoise "
        "page_isolation page_pool"
        " pagemap percpu power powerpc preemptirq printk pwm qdisc qla quota ras raw_syscalls rcu regmap "
        "regulator resctrl"
        " reset rpcgss rpcrdma rpm rseq rtc rv rwmmio sched sched_ext scsi sctp sd_event signal siox skb "
        "smbus sock sof"
        " sof_intel spi spmi sunrpc swiotlb sync_trace syscalls target task tcp tegra_apb_dma thermal "
        "thermal_power_allocator"
        " thp timer timer_migration timestamp tipc tlb tls ucsi udp ufs usb v4l2 vb2 virtio_gpu vmalloc "
        "vmscan vsock vsyscall"
        " wbt watchdog workqueue writeback x86_fpu xdp xen xfs xhci-hcd zonefs zswap ";
    return is_in(systems, name, n);
}

/* True if all bytes are letters that perf writes behind an event, as in "cycles:ppu". */
static bool is_modifier(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] == 0 || strchr("ukhGHpPISDWebR", p[i]) == NULL)
            return false;
    return n != 0;
}

/* True for the rNNN of a raw event; a name of such letters alone is not one. */
static bool is_raw_event(const uint8_t *p, size_t n)
{
    bool number = false;
    for (size_t i = 1; i < n; i++) {
        const bool letter = p[i] >= 'a' && p[i] <= 'f';
        if (!letter && (p[i] < '0' || p[i] > '9'))
            return false;
        number |= !letter;
    }
    return n > 1 && *p == 'r' && number;
}

/*
 * True if the name is certainly an event, and not a subsystem of tracepoints that somebody made. Subsystems
 * have letters, digits, - and _, so a name with a dot or slash is none; other names must be events that perf
 * itself knows.
 */
static bool is_counted_event(const uint8_t *p, size_t n)
{
    static const char events[] = " cycles cpu-cycles ref-cycles bus-cycles instructions branches "
                                 "branch-instructions branch-misses cache-references"
                                 " cache-misses stalled-cycles-frontend stalled-cycles-backend "
                                 "idle-cycles-frontend idle-cycles-backend slots mem-loads"
                                 " mem-loads-aux mem-stores topdown-retiring topdown-bad-spec "
                                 "topdown-fe-bound topdown-be-bound cpu-clock task-clock"
                                 " page-faults faults minor-faults major-faults context-switches cs "
                                 "cpu-migrations migrations alignment-faults"
                                 " emulation-faults cgroup-switches bpf-output dummy duration_time user_time "
                                 "system_time L1-dcache L1-icache LLC dTLB"
                                 " iTLB branch node L1-dcache-loads L1-dcache-load-misses L1-dcache-stores "
                                 "L1-dcache-store-misses L1-dcache-prefetches"
                                 " L1-dcache-prefetch-misses L1-icache-loads L1-icache-load-misses "
                                 "L1-icache-prefetches L1-icache-prefetch-misses"
                                 " LLC-loads LLC-load-misses LLC-stores LLC-store-misses LLC-prefetches "
                                 "LLC-prefetch-misses dTLB-loads dTLB-load-misses"
                                 " dTLB-stores dTLB-store-misses dTLB-prefetches dTLB-prefetch-misses "
                                 "iTLB-loads iTLB-load-misses branch-loads"
                                 " branch-load-misses node-loads node-load-misses node-stores "
                                 "node-store-misses node-prefetches node-prefetch-misses ";
    return memchr(p, '.', n) || memchr(p, '/', n) || is_raw_event(p, n) || is_in(events, p, n);
}

enum pd_code pi_redact_event(struct pd_redaction *r, struct pd_bytes *text, struct pd_error *error)
{
    const uint8_t *end = text->ptr + text->n;
    const uint8_t *colon = text->n ? memchr(text->ptr, ':', text->n) : NULL;
    const size_t system = colon ? (size_t)(colon - text->ptr) : 0;
    if (begins(text, "mem:0x") && r->options.addrs != PD_REDACT_KEEP) /* a breakpoint's address */
        return pi_redact_name(r, text, error);
    if (colon == NULL || r->options.paths == PD_REDACT_KEEP || pi_redact_is_system(text->ptr, system) ||
        (is_modifier(colon + 1, (size_t)(end - colon - 1)) && is_counted_event(text->ptr, system)))
        return PD_OK;
    const uint8_t *second = memchr(colon + 1, ':', (size_t)(end - colon - 1));
    if (second && !is_modifier(second + 1, (size_t)(end - second - 1)))
        second = NULL;
    const uint8_t *stop = second ? second : end;
    r->text_n = 0;
    enum pd_code code = add_name(r, text->ptr, system, error);
    if (!code)
        code = add(r, ":", 1, error);
    if (!code)
        code = add_name(r, colon + 1, (size_t)(stop - colon - 1), error);
    if (!code)
        code = add(r, stop, (size_t)(end - stop), error);
    /* Stored as a name, so that its bytes stay valid while other names are made. */
    const struct pi_replaced *e = code ? NULL : pi_names_find(&r->names, PI_SPACE_PATH, text->ptr, text->n);
    if (!code && e == NULL)
        e = pi_names_add(&r->names, PI_SPACE_PATH, text->ptr, text->n, r->text, r->text_n);
    if (!code && e == NULL)
        code = pi_redact_no_memory(error);
    if (!code)
        *text = replacement(e);
    return code;
}

/* True if the line is `form`, where each # stands for a number of up to seven digits. */
static bool has_form(const struct pd_bytes *line, const char *form)
{
    const uint8_t *p = line->ptr, *end = p + line->n;
    for (; *form; form++) {
        if (*form != '#') {
            if (p == end || *p++ != (uint8_t)*form)
                return false;
            continue;
        }
        unsigned n = 0;
        for (; n < 7 && p < end && *p >= '0' && *p <= '9'; p++)
            n++;
        if (n == 0)
            return false;
    }
    return p == end;
}

/* True for the whole line as the kernel writes it, so that no word of others stands anywhere in it. */
static bool is_common_field(const struct pd_bytes *line)
{
    static const char *const declarations[] = {"unsigned short common_type",
                                               "unsigned char common_flags",
                                               "unsigned char common_preempt_count",
                                               "int common_pid",
                                               " u64 timestamp",
                                               " local_t commit",
                                               " int overwrite",
                                               " char data"};
    static const char *const places[] = {";\toffset:#;\tsize:#;\tsigned:#;",
                                         ";\toffset:#;\tsize:#;"}; /* before Linux 2.6.33 */
    char form[80];
    for (size_t i = 0; i < sizeof declarations / sizeof *declarations; i++)
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            snprintf(form, sizeof form, "\tfield:%s%s", declarations[i], places[k]);
            if (has_form(line, form))
                return true;
        }
    return false;
}

static enum pd_code add_format_line(struct pd_redaction *r, const struct pd_bytes *line,
                                    struct pd_error *error)
{
    enum pd_code code = PD_OK;
    if (begins(line, "name: ")) {
        if ((code = add(r, "name: ", 6, error)) || (code = add_name(r, line->ptr + 6, line->n - 6, error)))
            return code;
        return add(r, "\n", 1, error);
    }
    if (!is(line, "format:") && !is_common_field(line) && !(begins(line, "ID: ") && digits(line, 4, 0)))
        return PD_OK;
    code = add(r, line->ptr, line->n, error);
    return code ? code : add(r, "\n", 1, error);
}

/* Keeps the lines that may stay, then appends `last`. */
static enum pd_code keep_lines(struct pd_redaction *r, struct pd_bytes *text, const char *last,
                               struct pd_error *error)
{
    const uint8_t *p = text->ptr, *end = p + text->n;
    enum pd_code code = PD_OK;
    r->text_n = 0;
    while (!code && p < end) {
        const uint8_t *stop = memchr(p, '\n', (size_t)(end - p));
        const struct pd_bytes line = {p, (size_t)((stop ? stop : end) - p)};
        code = add_format_line(r, &line, error);
        p = stop ? stop + 1 : end;
    }
    if (!code)
        code = add(r, last, strlen(last), error);
    *text = (struct pd_bytes){(const uint8_t *)r->text, r->text_n};
    return code;
}

enum pd_code pi_redact_format(struct pd_redaction *r, struct pd_bytes *text, struct pd_error *error)
{
    /*
     * As in the kernel's text for an event without fields of its own: one empty line ends the common fields,
     * another one the missing ones.
     */
    return keep_lines(r, text, "\n\nprint fmt: \"\"\n", error);
}

enum pd_code pi_redact_page(struct pd_redaction *r, struct pd_bytes *text, struct pd_error *error)
{
    const enum pd_code code = keep_lines(r, text, "\n", error);
    /* Both pages must be valid until the section is encoded. */
    const struct pi_replaced *e = code ? NULL : pi_names_find(&r->names, PI_SPACE_TEXT, r->text, r->text_n);
    if (!code && e == NULL)
        e = pi_names_add(&r->names, PI_SPACE_TEXT, r->text, r->text_n, "", 0);
    if (e == NULL)
        return code ? code : pi_redact_no_memory(error);
    *text = (struct pd_bytes){e->bytes, e->n};
    return PD_OK;
}
