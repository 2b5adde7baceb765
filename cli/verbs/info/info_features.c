/* SPDX-License-Identifier: MIT */
/*
 * info_features.c - `perfdata info -I`: the header and the features as perf 6.1 tells them with
 * `perf report --header-only -I`, those that it does not know as perf 7.3 does, the rest in the same manner.
 *
 * tests/oracle/perf_header.py holds every line against both.
 */
#include "info.h"
#include <inttypes.h>
#include <perfdata/constants.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Pieces of lines */

/* As in perf, except for control characters: a newline in a name does not start a line. */
static void put_bytes(struct info *info, const char *s, size_t n)
{
    pd_out_visible(&info->cli->out, s, n);
}

static void put_string(struct info *info, const struct pd_str *s)
{
    put_bytes(info, s->ptr, s->len);
}

/* "# KEY : TEXT"; `between` may have its own width and colon. */
static void line(struct info *info, const char *key, const char *between, const struct pd_str *text)
{
    cli_print(info->cli, "# %s%s", key, between);
    put_string(info, text);
    pd_out_str(&info->cli->out, "\n");
}

static void each_string(struct info *info, const char *key, struct pd_list l)
{
    struct pd_string s;
    while (pd_string_next(&l, &s))
        line(info, key, " : ", &s.text);
}

/* "a=1, b=2", and the end of the line. */
static void put_capabilities(struct info *info, struct pd_list l)
{
    struct pd_name_value c;
    const char *before = "";
    while (pd_name_value_next(&l, &c)) {
        pd_out_str(&info->cli->out, before);
        put_string(info, &c.name);
        pd_out_str(&info->cli->out, "=");
        put_string(info, &c.value);
        before = ", ";
    }
    pd_out_str(&info->cli->out, "\n");
}

static void capabilities(struct info *info, const char *pmu, size_t n, const struct pd_list *caps)
{
    pd_out_str(&info->cli->out, "# ");
    put_bytes(info, pmu, n);
    pd_out_str(&info->cli->out, " pmu capabilities: ");
    if (caps->n)
        put_capabilities(info, *caps);
    else
        pd_out_str(&info->cli->out, "not available\n");
}

/* ---- Events */

static bool begin_field(struct info *info, const char *name, uint64_t value)
{
    if (value)
        cli_print(info->cli, ", %s = ", name);
    return value != 0;
}

static void number(struct info *info, const char *name, uint64_t value)
{
    if (begin_field(info, name, value))
        cli_print(info->cli, "%" PRIu64, value);
}

static void hex(struct info *info, const char *name, uint64_t value)
{
    if (begin_field(info, name, value))
        cli_print(info->cli, "0x%" PRIx64, value);
}

/*
 * The names of the set bits, those of each of the `n` masks in turn; of bits in none of them perf is silent.
 */
static void flags(struct info *info, const char *name, const struct pd_set *set, uint64_t value,
                  const uint64_t *masks, size_t n)
{
    const char *before = "";
    if (!begin_field(info, name, value))
        return;
    for (size_t m = 0; m < n; m++)
        for (size_t i = 0; i < set->n; i++)
            if (value & masks[m] & set->names[i].value) {
                cli_print(info->cli, "%s%s", before, set->names[i].name);
                before = "|";
            }
}

static void bits(struct info *info, const struct pd_set *set, uint64_t word)
{
    for (size_t i = 0; i < set->n; i++)
        if (set->names[i].set != &pd_set_UNUSED)
            number(info, set->names[i].name, pd_bits_get(&set->names[i], word));
}

/* Fields that are 0 are left out. */
static void put_attr(struct info *info, const struct pd_attr *a)
{
    static const uint64_t all = UINT64_MAX;
    static const uint64_t sample_order[] = {
        (PD_SAMPLE_PHYS_ADDR - 1) & ~(PD_SAMPLE_DATA_SRC | PD_SAMPLE_WEIGHT | PD_SAMPLE_TRANSACTION),
        PD_SAMPLE_DATA_SRC,
        PD_SAMPLE_WEIGHT,
        ~(uint64_t)(PD_SAMPLE_PHYS_ADDR - 1),
    };
    number(info, "type", a->type);
    number(info, "size", a->size);
    hex(info, "config", a->config);
    number(info, "{ sample_period, sample_freq }", a->sample_period);
    flags(info, "sample_type", &pd_set_sample_type, a->sample_type, sample_order,
          sizeof sample_order / sizeof *sample_order);
    flags(info, "read_format", &pd_set_read_format, a->read_format, &all, 1);
    bits(info, &pd_set_attr_flags, a->flags);
    number(info, "{ wakeup_events, wakeup_watermark }", a->wakeup_events);
    number(info, "bp_type", a->bp_type);
    hex(info, "{ bp_addr, config1 }", a->bp_addr);
    hex(info, "{ bp_len, config2 }", a->bp_len);
    flags(info, "branch_sample_type", &pd_set_branch_sample_type, a->branch_sample_type, &all, 1);
    hex(info, "sample_regs_user", a->sample_regs_user);
    number(info, "sample_stack_user", a->sample_stack_user);
    if (begin_field(info, "clockid", a->clockid != 0))
        cli_print(info->cli, "%" PRId32, a->clockid);
    hex(info, "sample_regs_intr", a->sample_regs_intr);
    number(info, "aux_watermark", a->aux_watermark);
    number(info, "sample_max_stack", a->sample_max_stack);
    number(info, "aux_sample_size", a->aux_sample_size);
    number(info, "sig_data", a->sig_data);
    bits(info, &pd_set_aux_action, a->aux_action);
}

static void show_event_desc(struct info *info, const struct pd_feature *f)
{
    struct pd_list l = f->u.event_desc.events;
    struct pd_event_desc e;
    while (pd_event_desc_next(&l, &e)) {
        pd_out_str(&info->cli->out, "# event : name = ");
        put_string(info, &e.name);
        pd_out_str(&info->cli->out, ", ");
        for (size_t i = 0; i < e.ids.n; i++)
            cli_print(info->cli, "%s%" PRIu64, i ? ", " : ", id = { ", pd_vec_at(&e.ids, i));
        if (e.ids.n)
            pd_out_str(&info->cli->out, " }");
        put_attr(info, &e.attr);
        pd_out_str(&info->cli->out, "\n");
    }
}

/* Groups of one event are none. */
static void show_group_desc(struct info *info, const struct pd_feature *f)
{
    struct pd_list l = f->u.group_desc.groups;
    struct pd_group_desc g;
    const size_t n = pd_reader_n_attrs(info->in->reader);
    size_t next = 0; /* groups do not overlap */
    while (pd_group_desc_next(&l, &g)) {
        if (g.nr_members < 2 || g.leader_idx < next || g.leader_idx >= n || g.nr_members > n - g.leader_idx)
            continue;
        next = g.leader_idx + g.nr_members;
        pd_out_str(&info->cli->out, "# group: ");
        if (g.name.len != strlen("{anon_group}") || memcmp(g.name.ptr, "{anon_group}", g.name.len) != 0)
            put_string(info, &g.name);
        for (uint32_t i = 0; i < g.nr_members; i++) {
            char name[256];
            cli_event_name(info->in, g.leader_idx + i, name, sizeof name);
            pd_out_str(&info->cli->out, i ? "," : "{");
            put_bytes(info, name, strlen(name));
        }
        pd_out_str(&info->cli->out, "}\n");
    }
}

/* ---- The machine */

static void show_nrcpus(struct info *info, const struct pd_feature *f)
{
    cli_print(info->cli, "# nrcpus online : %" PRIu32 "\n# nrcpus avail : %" PRIu32 "\n",
              f->u.nrcpus.nr_cpus_online, f->u.nrcpus.nr_cpus_avail);
}

static void show_total_mem(struct info *info, const struct pd_feature *f)
{
    cli_print(info->cli, "# total memory : %" PRIu64 " kB\n", f->u.total_mem.total_mem);
}

/* Each word and a space; perf puts a backslash before a quote. */
static void show_cmdline(struct info *info, const struct pd_feature *f)
{
    struct pd_list l = f->u.cmdline.args;
    struct pd_string word;
    pd_out_str(&info->cli->out, "# cmdline : ");
    while (pd_string_next(&l, &word)) {
        for (size_t i = 0, n; i < word.text.len; i += n) {
            const char *const s = word.text.ptr + i;
            const char *const quote = memchr(s, '\'', word.text.len - i);
            n = quote ? (size_t)(quote - s) + 1 : word.text.len - i;
            put_bytes(info, s, quote ? n - 1 : n);
            pd_out_str(&info->cli->out, quote ? "\\'" : "");
        }
        pd_out_str(&info->cli->out, " ");
    }
    pd_out_str(&info->cli->out, "\n");
}

static void show_cpu_topology(struct info *info, const struct pd_feature *f)
{
    const struct pd_feature_cpu_topology *t = &f->u.cpu_topology;
    each_string(info, "sibling sockets", t->sockets);
    each_string(info, "sibling dies   ", t->dies);
    each_string(info, "sibling threads", t->cores);
    for (size_t i = 0; i < t->cpus.n; i++) {
        struct pd_cpu_topology_cpu cpu;
        pd_cpu_topology_cpu_at(&t->cpus, i, &cpu);
        cli_print(info->cli, "# CPU %zu: Core ID %" PRId32, i, (int32_t)cpu.core_id);
        if (i < t->die_ids.n)
            cli_print(info->cli, ", Die ID %" PRId32, (int32_t)pd_vec_at(&t->die_ids, i));
        cli_print(info->cli, ", Socket ID %" PRId32 "\n", (int32_t)cpu.socket_id);
    }
    if (t->cpus.n == 0)
        pd_out_str(&info->cli->out, "# Core ID and Socket ID information is not available\n");
}

/* perf says -1 of a node without cpus. */
static void show_numa_topology(struct info *info, const struct pd_feature *f)
{
    static const struct pd_str none = {"-1", 2, 0};
    struct pd_list l = f->u.numa_topology.nodes;
    struct pd_numa_node n;
    while (pd_numa_node_next(&l, &n)) {
        cli_print(info->cli, "# node%" PRIu32 " meminfo  : total = %" PRIu64 " kB, free = %" PRIu64 " kB\n",
                  n.node, n.mem_total, n.mem_free);
        cli_print(info->cli, "# node%" PRIu32 " cpu list : ", n.node);
        put_string(info, n.cpus.len ? &n.cpus : &none);
        pd_out_str(&info->cli->out, "\n");
    }
}

static void show_pmu_mappings(struct info *info, const struct pd_feature *f)
{
    struct pd_list l = f->u.pmu_mappings.pmus;
    struct pd_pmu_mapping p;
    pd_out_str(&info->cli->out, l.n ? "# pmu mappings" : "# pmu mappings: not available");
    for (const char *before = ": "; pd_pmu_mapping_next(&l, &p); before = ", ") {
        pd_out_str(&info->cli->out, before);
        put_string(info, &p.name);
        cli_print(info->cli, " = %" PRIu32, p.type);
    }
    pd_out_str(&info->cli->out, "\n");
}

/* Padded with spaces in front, or behind where the width is negative. */
static void put_padded(struct info *info, const struct pd_str *s, int width)
{
    const int left = s->len < 64 ? (width < 0 ? -width : width) - (int)s->len : 0;
    cli_print(info->cli, "%*s", width > 0 && left > 0 ? left : 0, "");
    put_string(info, s);
    cli_print(info->cli, "%*s", width < 0 && left > 0 ? left : 0, "");
}

static void show_cache(struct info *info, const struct pd_feature *f)
{
    struct pd_list l = f->u.cache.caches;
    struct pd_cache_level c;
    pd_out_str(&info->cli->out, "# CPU cache info:\n");
    while (pd_cache_level_next(&l, &c)) {
        cli_print(info->cli, "#  L%" PRIu32 " ", c.level);
        put_padded(info, &c.type, -15);
        pd_out_str(&info->cli->out, " ");
        put_padded(info, &c.size, 8);
        pd_out_str(&info->cli->out, " [");
        put_string(info, &c.map);
        pd_out_str(&info->cli->out, "]\n");
    }
}

/* The set bits as ranges, "0-7,32"; returns their number. */
static uint64_t put_bitmap(struct info *info, const struct pd_memory_node *n, bool print)
{
    uint64_t set = 0, first = 0, count = n->bits < n->bitmap.n * 64u ? n->bits : n->bitmap.n * 64u;
    bool open = false;
    const char *before = "";
    for (uint64_t i = 0; i <= count; i++) {
        const bool on = i < count && pd_vec_at(&n->bitmap, (size_t)(i / 64)) >> i % 64 & 1;
        set += on;
        if (on && !open)
            first = i;
        if (open && !on && print) {
            cli_print(info->cli, "%s%" PRIu64, before, first);
            if (i - first > 1)
                cli_print(info->cli, "-%" PRIu64, i - 1);
            before = ",";
        }
        open = on;
    }
    return set;
}

static void show_mem_topology(struct info *info, const struct pd_feature *f)
{
    const struct pd_feature_mem_topology *m = &f->u.mem_topology;
    struct pd_list l = m->nodes;
    struct pd_memory_node n;
    cli_print(info->cli, "# memory nodes (nr %" PRIu64 ", block size 0x%" PRIx64 "):\n", m->nr,
              m->block_size_bytes);
    while (pd_memory_node_next(&l, &n)) {
        uint64_t size = put_bitmap(info, &n, false) * m->block_size_bytes;
        const char *unit = "BKMG";
        for (; size / 1024 > 1 && unit[1]; unit++)
            size /= 1024;
        cli_print(info->cli, "#  %3" PRIu64 " [%" PRIu64 "%c]: ", n.node, size, *unit);
        put_bitmap(info, &n, true);
        pd_out_str(&info->cli->out, "\n");
    }
}

static void show_cpu_pmu_caps(struct info *info, const struct pd_feature *f)
{
    capabilities(info, "cpu", 3, &f->u.cpu_pmu_caps.caps);
}

static void show_hybrid_topology(struct info *info, const struct pd_feature *f)
{
    struct pd_list l = f->u.hybrid_topology.pmus;
    struct pd_hybrid_pmu p;
    pd_out_str(&info->cli->out, "# hybrid cpu system:\n");
    while (pd_hybrid_pmu_next(&l, &p)) {
        pd_out_str(&info->cli->out, "# ");
        put_string(info, &p.pmu_name);
        pd_out_str(&info->cli->out, " cpu list : ");
        put_string(info, &p.cpus);
        pd_out_str(&info->cli->out, "\n");
    }
}

static void show_pmu_caps(struct info *info, const struct pd_feature *f)
{
    struct pd_list l = f->u.pmu_caps.pmus;
    struct pd_pmu_caps p;
    while (pd_pmu_caps_next(&l, &p))
        capabilities(info, p.pmu_name.ptr, p.pmu_name.len, &p.caps);
}

static void show_domain(struct info *info, uint32_t version, const struct pd_cpu_domain *d)
{
    cli_print(info->cli, "# Domain\t\t: %" PRIu32 "\n", d->domain);
    if (version >= 17)
        line(info, "Domain name", "      : ", &d->dname);
    line(info, "Domain cpu map", "   : ", &d->cpumask);
    line(info, "Domain cpu list", "  : ", &d->cpulist);
}

static void show_cpu_domain_info(struct info *info, const struct pd_feature *f)
{
    const struct pd_feature_cpu_domain_info *i = &f->u.cpu_domain_info;
    struct pd_list cpus = i->cpus;
    struct pd_cpu_domains c;
    struct pd_cpu_domain d;
    cli_print(info->cli, "# schedstat version\t: %" PRIu32 "\n", i->schedstat_version);
    cli_print(info->cli, "# Maximum sched domains\t: %" PRIu32 "\n", i->max_sched_domains);
    while (pd_cpu_domains_next(&cpus, &c)) {
        cli_print(info->cli, "# cpu\t\t: %" PRIu32 "\n# nr_domains\t: %" PRIu32 "\n", c.cpu, c.nr_domains);
        while (pd_cpu_domain_next(&c.domains, &d))
            show_domain(info, i->schedstat_version, &d);
    }
}

static void show_e_machine(struct info *info, const struct pd_feature *f)
{
    cli_print(info->cli, "# e_machine : %" PRIu32 "\n#   e_flags : %" PRIu32 "\n", f->u.e_machine.e_machine,
              f->u.e_machine.e_flags);
}

static void show_cln_size(struct info *info, const struct pd_feature *f)
{
    cli_print(info->cli, "# cacheline size: %" PRIu32 "\n", f->u.cln_size.cln_size);
}

/* ---- The recording */

static void show_sample_time(struct info *info, const struct pd_feature *f)
{
    const uint64_t a = f->u.sample_time.first, b = f->u.sample_time.last;
    cli_print(info->cli, "# time of first sample : %" PRIu64 ".%06" PRIu64 "\n", a / 1000000000,
              a % 1000000000 / 1000);
    cli_print(info->cli, "# time of last sample : %" PRIu64 ".%06" PRIu64 "\n", b / 1000000000,
              b % 1000000000 / 1000);
    cli_print(info->cli, "# sample duration : %10.3f ms\n", (double)(b - a) / 1e6);
}

static void show_clockid(struct info *info, const struct pd_feature *f)
{
    cli_print(info->cli, "# clockid frequency: %" PRIu64 " MHz\n", f->u.clockid.resolution * 1000);
}

/* The clocks that perf has names for. */
static const char *clock_name(uint32_t clockid)
{
    switch (clockid) {
    case PD_CLOCK_REALTIME: return "realtime";
    case PD_CLOCK_MONOTONIC: return "monotonic";
    case PD_CLOCK_MONOTONIC_RAW: return "monotonic_raw";
    case PD_CLOCK_BOOTTIME: return "boottime";
    case PD_CLOCK_TAI: return "tai";
    default: return "(not found)";
    }
}

static void show_clock_data(struct info *info, const struct pd_feature *f)
{
    const struct pd_feature_clock_data *c = &f->u.clock_data;
    const uint64_t wall = c->wall_clock_ns / 1000000000, us = c->wall_clock_ns % 1000000000 / 1000;
    const time_t seconds = (time_t)wall;
    struct tm tm;
    char date[64];
    if (localtime_r(&seconds, &tm) == NULL || strftime(date, sizeof date, "%F %T", &tm) == 0)
        strcpy(date, "<error>");
    cli_print(info->cli, "# clockid: %s (%" PRIu32 ")\n", clock_name(c->clockid), c->clockid);
    cli_print(info->cli, "# reference time: %s.%06" PRIu64, date, us);
    cli_print(info->cli, " = %" PRIu64 ".%06" PRIu64 " (TOD) = %" PRIu64 ".%09" PRIu64 " (%s)\n", wall, us,
              c->clockid_time_ns / 1000000000, c->clockid_time_ns % 1000000000, clock_name(c->clockid));
}

static void show_dir_format(struct info *info, const struct pd_feature *f)
{
    cli_print(info->cli, "# directory data version : %" PRIu64 "\n", f->u.dir_format.version);
}

static void show_compressed(struct info *info, const struct pd_feature *f)
{
    const struct pd_feature_compressed *c = &f->u.compressed;
    cli_print(info->cli, "# compressed : %s, level = %" PRIu32 ", ratio = %" PRIu32 "\n",
              c->type == PD_COMP_ZSTD ? "Zstd" : "Unknown", c->level, c->ratio);
}

/* ---- simpleperf's, which perf does not know */

static void put_path(struct info *info, const char *key, const struct pd_str *path)
{
    pd_out_str(&info->cli->out, key);
    pd_out_plain(&info->cli->out, path->ptr, path->len);
}

static void show_simpleperf_file(struct info *info, const struct pd_feature *f)
{
    struct pd_list l = f->u.simpleperf_file.files;
    struct pd_simpleperf_file_entry e;
    while (pd_simpleperf_file_entry_next(&l, &e)) {
        put_path(info, "# simpleperf file : ", &e.file.path);
        cli_print(info->cli, ", %" PRIu32 " symbols from 0x%" PRIx64 "\n", e.file.symbol_count,
                  e.file.min_vaddr);
    }
}

/* The last of repeated fields counts, as in any protobuf message. */
static void show_simpleperf_file2(struct info *info, const struct pd_feature *f)
{
    struct pd_list l = f->u.simpleperf_file2.files;
    struct pd_simpleperf_file2 file;
    while (pd_simpleperf_file2_next(&l, &file)) {
        struct pd_str path = PD_STR("");
        uint64_t symbols = 0, min_vaddr = 0;
        struct pd_simpleperf_file_field field;
        while (pd_simpleperf_file_field_next(&file.message.fields, &field)) {
            symbols += field.key == PD_SIMPLEPERF_FILE_FEATURE_SYMBOL;
            path = field.key == PD_SIMPLEPERF_FILE_FEATURE_PATH ? field.path : path;
            min_vaddr = field.key == PD_SIMPLEPERF_FILE_FEATURE_MIN_VADDR ? field.min_vaddr : min_vaddr;
        }
        put_path(info, "# simpleperf file : ", &path);
        cli_print(info->cli, ", %" PRIu64 " symbols from 0x%" PRIx64 "\n", symbols, min_vaddr);
    }
}

static void show_simpleperf_debug_unwind(struct info *info, const struct pd_feature *f)
{
    struct pd_list l = f->u.simpleperf_debug_unwind.fields;
    struct pd_simpleperf_unwind_field file;
    while (pd_simpleperf_unwind_field_next(&l, &file)) {
        struct pd_str path = PD_STR("");
        uint64_t size = 0;
        struct pd_simpleperf_unwind_file_field field;
        if (file.key != PD_SIMPLEPERF_UNWIND_FILE)
            continue;
        while (pd_simpleperf_unwind_file_field_next(&file.file, &field)) {
            path = field.key == PD_SIMPLEPERF_UNWIND_FILE_PATH ? field.path : path;
            size = field.key == PD_SIMPLEPERF_UNWIND_FILE_SIZE ? field.size : size;
        }
        put_path(info, "# simpleperf file for unwinding : ", &path);
        cli_print(info->cli, ", %" PRIu64 " bytes\n", size);
    }
}

static void show_etm_binary(struct info *info, struct pd_list l)
{
    struct pd_str path = PD_STR("");
    uint64_t addrs = 0;
    struct pd_simpleperf_etm_binary_field field;
    while (pd_simpleperf_etm_binary_field_next(&l, &field)) {
        addrs += field.key == PD_SIMPLEPERF_ETM_BINARY_ADDRS;
        path = field.key == PD_SIMPLEPERF_ETM_BINARY_PATH ? field.path : path;
    }
    put_path(info, "# simpleperf branches of : ", &path);
    cli_print(info->cli, ", from %" PRIu64 " addresses\n", addrs);
}

static void show_lbr_data(struct info *info, struct pd_list l)
{
    uint64_t samples = 0, binaries = 0;
    struct pd_simpleperf_lbr_field field;
    while (pd_simpleperf_lbr_field_next(&l, &field)) {
        samples += field.key == PD_SIMPLEPERF_LBR_SAMPLES;
        binaries += field.key == PD_SIMPLEPERF_LBR_BINARIES;
    }
    cli_print(info->cli, "# simpleperf branch stacks : %" PRIu64 " samples in %" PRIu64 " binaries\n",
              samples, binaries);
}

static void show_simpleperf_branch_list(struct info *info, const struct pd_feature *f)
{
    struct pd_list l = f->u.simpleperf_etm_branch_list.fields;
    struct pd_simpleperf_branch_list_field field;
    while (pd_simpleperf_branch_list_field_next(&l, &field)) {
        if (field.key == PD_SIMPLEPERF_BRANCH_LIST_ETM_DATA)
            show_etm_binary(info, field.etm_data);
        else if (field.key == PD_SIMPLEPERF_BRANCH_LIST_LBR_DATA)
            show_lbr_data(info, field.lbr_data);
    }
}

static void show_simpleperf_meta_info(struct info *info, const struct pd_feature *f)
{
    struct pd_list l = f->u.simpleperf_meta_info.entries;
    struct pd_meta_info m;
    while (pd_meta_info_next(&l, &m)) {
        pd_out_str(&info->cli->out, "# simpleperf ");
        pd_out_plain(&info->cli->out, m.key.ptr, m.key.len);
        pd_out_str(&info->cli->out, " : ");
        pd_out_plain(&info->cli->out, m.value.ptr, m.value.len);
        pd_out_str(&info->cli->out, "\n");
    }
}

/* ---- The table */

static const struct shown {
    uint16_t feature;
    const char *key;  /* of a string */
    const char *flag; /* the line of a feature that only has to be there */
    void (*show)(struct info *info, const struct pd_feature *f);
} table[] = {
    {.feature = PD_FEAT_TRACING_DATA}, /* perf is silent on these two */
    {.feature = PD_FEAT_BUILD_ID},
    {PD_FEAT_HOSTNAME, .key = "hostname"},
    {PD_FEAT_OSRELEASE, .key = "os release"},
    {PD_FEAT_VERSION, .key = "perf version"},
    {PD_FEAT_ARCH, .key = "arch"},
    {PD_FEAT_NRCPUS, .show = show_nrcpus},
    {PD_FEAT_CPUDESC, .key = "cpudesc"},
    {PD_FEAT_CPUID, .key = "cpuid"},
    {PD_FEAT_TOTAL_MEM, .show = show_total_mem},
    {PD_FEAT_CMDLINE, .show = show_cmdline},
    {PD_FEAT_EVENT_DESC, .show = show_event_desc},
    {PD_FEAT_CPU_TOPOLOGY, .show = show_cpu_topology},
    {PD_FEAT_NUMA_TOPOLOGY, .show = show_numa_topology},
    {PD_FEAT_BRANCH_STACK, .flag = "contains samples with branch stack"},
    {PD_FEAT_PMU_MAPPINGS, .show = show_pmu_mappings},
    {PD_FEAT_GROUP_DESC, .show = show_group_desc},
    {PD_FEAT_AUXTRACE, .flag = "contains AUX area data (e.g. instruction trace)"},
    {PD_FEAT_STAT, .flag = "contains stat data"},
    {PD_FEAT_CACHE, .show = show_cache},
    {PD_FEAT_SAMPLE_TIME, .show = show_sample_time},
    {PD_FEAT_MEM_TOPOLOGY, .show = show_mem_topology},
    {PD_FEAT_CLOCKID, .show = show_clockid},
    {PD_FEAT_DIR_FORMAT, .show = show_dir_format},
    {PD_FEAT_BPF_PROG_INFO, .show = info_bpf_programs},
    {PD_FEAT_BPF_BTF, .show = info_bpf_types},
    {PD_FEAT_COMPRESSED, .show = show_compressed},
    {PD_FEAT_CPU_PMU_CAPS, .show = show_cpu_pmu_caps},
    {PD_FEAT_CLOCK_DATA, .show = show_clock_data},
    {PD_FEAT_HYBRID_TOPOLOGY, .show = show_hybrid_topology},
    {PD_FEAT_PMU_CAPS, .show = show_pmu_caps},
    {PD_FEAT_CPU_DOMAIN_INFO, .show = show_cpu_domain_info},
    {PD_FEAT_E_MACHINE, .show = show_e_machine},
    {PD_FEAT_CLN_SIZE, .show = show_cln_size},
    {PD_FEAT_SIMPLEPERF_FILE, .show = show_simpleperf_file},
    {PD_FEAT_SIMPLEPERF_META_INFO, .show = show_simpleperf_meta_info},
    {PD_FEAT_SIMPLEPERF_DEBUG_UNWIND, .show = show_simpleperf_debug_unwind},
    {PD_FEAT_SIMPLEPERF_FILE2, .show = show_simpleperf_file2},
    {PD_FEAT_SIMPLEPERF_ETM_BRANCH_LIST, .show = show_simpleperf_branch_list},
};

static const struct shown *find_shown(uint32_t feature)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].feature == feature)
            return &table[i];
    return NULL;
}

/* The name or number, the size, and the reason why there is no more. */
static void show_size(struct info *info, const struct pd_feature *f, const char *why)
{
    const char *const name = pd_set_name(&pd_set_feature, f->id);
    if (name)
        cli_print(info->cli, "# %s", name);
    else
        cli_print(info->cli, "# feature %" PRIu32, f->id);
    cli_print(info->cli, " : %zu bytes%s\n", f->raw.n, why);
}

static void show_feature(struct info *info, const struct pd_feature *f)
{
    const struct shown *const s = find_shown(f->id);
    const struct pd_str *const text = pd_metadata_text(info->in->meta, f->id);
    if (s && s->flag)
        cli_print(info->cli, "# %s\n", s->flag);
    else if (s && s->key && text)
        line(info, s->key, " : ", text);
    else if (s && s->show && f->layout)
        s->show(info, f);
    else if (f->layout == NULL && f->raw.n && pd_feature_name(f->id))
        show_size(info, f, ", damaged");
    else if (s == NULL || s->key || s->show)
        show_size(info, f, "");
}

/* ---- The header */

static void show_captured(struct info *info)
{
    struct stat st = info->in->st;
    struct tm tm;
    char path[4096], date[64];
    if (S_ISDIR(st.st_mode)) {
        const int n = snprintf(path, sizeof path, "%s/data", info->in->name);
        if (n < 0 || (size_t)n >= sizeof path || stat(path, &st) != 0)
            return;
    }
    if (!S_ISREG(st.st_mode) || localtime_r(&st.st_mtime, &tm) == NULL)
        return; /* a stream has no time of its own */
    if (strftime(date, sizeof date, "%a %b %e %T %Y", &tm))
        cli_print(info->cli, "# captured on    : %s\n", date);
}

static void show_header(struct info *info)
{
    const struct pd_file_info *const f = pd_reader_info(info->in->reader);
    const struct pd_file_section *const data = &f->header.data;
    pd_out_str(&info->cli->out, "# ========\n");
    show_captured(info);
    cli_print(info->cli, "# header version : %u\n", f->version - 1);
    cli_print(info->cli,
              "# data offset    : %" PRIu64 "\n# data size      : %" PRIu64 "\n# feat offset    : %" PRIu64
              "\n",
              data->offset, data->size, data->offset + data->size);
}

/* perf 6.1 names missing ones up to PMU_CAPS; newer ones are told where the file has one of them. */
static void show_missing(struct info *info)
{
    const uint16_t newest = PD_FEAT_CLN_SIZE;
    uint16_t last = PD_FEAT_PMU_CAPS;
    for (uint16_t id = PD_FEAT_CPU_DOMAIN_INFO; id <= newest; id++)
        if (pd_reader_find_feature(info->in->reader, id))
            last = newest;
    pd_out_str(&info->cli->out, "# missing features: ");
    for (uint16_t id = PD_FEAT_TRACING_DATA; id <= last; id++)
        if (pd_reader_find_feature(info->in->reader, id) == NULL)
            cli_print(info->cli, "%s ", pd_set_name(&pd_set_feature, id));
    pd_out_str(&info->cli->out, "\n");
}

/* In a stream perf prints the features as they come, behind the header. */
void info_show(struct info *info)
{
    const bool stream = pd_reader_info(info->in->reader)->container == PD_CONTAINER_PIPE;
    static const char end[] = "# ========\n#\n";
    show_header(info);
    if (stream)
        pd_out_str(&info->cli->out, end);
    for (size_t i = 0; i < pd_metadata_n_features(info->in->meta); i++)
        show_feature(info, pd_metadata_feature_at(info->in->meta, i));
    if (stream)
        return;
    show_missing(info);
    pd_out_str(&info->cli->out, end);
}
