/* SPDX-License-Identifier: MIT */
/* event.c - events as fields of an attr, as perf's names and taken apart. */
#include <perfdata/constants.h>
#include <perfdata/session/event.h>

#include "src/codec/interpret.h"
#include "src/codec/offcpu_bits.h"
#include "src/schema/schema.h"
#include "src/support/text_scan.h"

/* ---- Names. The first of each number is the one that is written, the others are aliases. */

struct name {
    uint8_t number;
    const char *name;
};

static const struct name hardware_names[] = {
    {PD_HW_CPU_CYCLES, "cycles"},
    {PD_HW_CPU_CYCLES, "cpu-cycles"},
    {PD_HW_INSTRUCTIONS, "instructions"},
    {PD_HW_CACHE_REFERENCES, "cache-references"},
    {PD_HW_CACHE_MISSES, "cache-misses"},
    {PD_HW_BRANCH_INSTRUCTIONS, "branches"},
    {PD_HW_BRANCH_INSTRUCTIONS, "branch-instructions"},
    {PD_HW_BRANCH_MISSES, "branch-misses"},
    {PD_HW_BUS_CYCLES, "bus-cycles"},
    {PD_HW_STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend"},
    {PD_HW_STALLED_CYCLES_FRONTEND, "idle-cycles-frontend"},
    {PD_HW_STALLED_CYCLES_BACKEND, "stalled-cycles-backend"},
    {PD_HW_STALLED_CYCLES_BACKEND, "idle-cycles-backend"},
    {PD_HW_REF_CPU_CYCLES, "ref-cycles"},
    {0, NULL},
};

static const struct name software_names[] = {
    {PD_SW_CPU_CLOCK, "cpu-clock"},
    {PD_SW_TASK_CLOCK, "task-clock"},
    {PD_SW_PAGE_FAULTS, "page-faults"},
    {PD_SW_PAGE_FAULTS, "faults"},
    {PD_SW_CONTEXT_SWITCHES, "context-switches"},
    {PD_SW_CONTEXT_SWITCHES, "cs"},
    {PD_SW_CPU_MIGRATIONS, "cpu-migrations"},
    {PD_SW_CPU_MIGRATIONS, "migrations"},
    {PD_SW_PAGE_FAULTS_MIN, "minor-faults"},
    {PD_SW_PAGE_FAULTS_MAJ, "major-faults"},
    {PD_SW_ALIGNMENT_FAULTS, "alignment-faults"},
    {PD_SW_EMULATION_FAULTS, "emulation-faults"},
    {PD_SW_DUMMY, "dummy"},
    {PD_SW_BPF_OUTPUT, "bpf-output"},
    {PD_SW_CGROUP_SWITCHES, "cgroup-switches"},
    {0, NULL},
};

static const struct name cache_names[] = {
    {PD_CACHE_L1D, "L1-dcache"},
    {PD_CACHE_L1D, "l1-d"},
    {PD_CACHE_L1D, "l1d"},
    {PD_CACHE_L1D, "L1-data"},
    {PD_CACHE_L1I, "L1-icache"},
    {PD_CACHE_L1I, "l1-i"},
    {PD_CACHE_L1I, "l1i"},
    {PD_CACHE_L1I, "L1-instruction"},
    {PD_CACHE_LL, "LLC"},
    {PD_CACHE_LL, "L2"},
    {PD_CACHE_DTLB, "dTLB"},
    {PD_CACHE_DTLB, "d-tlb"},
    {PD_CACHE_DTLB, "Data-TLB"},
    {PD_CACHE_ITLB, "iTLB"},
    {PD_CACHE_ITLB, "i-tlb"},
    {PD_CACHE_ITLB, "Instruction-TLB"},
    {PD_CACHE_BPU, "branch"},
    {PD_CACHE_BPU, "branches"},
    {PD_CACHE_BPU, "bpu"},
    {PD_CACHE_BPU, "btb"},
    {PD_CACHE_BPU, "bpc"},
    {PD_CACHE_NODE, "node"},
    {0, NULL},
};

/* The singular stands before "-misses". */
static const struct name op_names[] = {
    {PD_CACHE_OP_READ, "load"},
    {PD_CACHE_OP_READ, "read"},
    {PD_CACHE_OP_WRITE, "store"},
    {PD_CACHE_OP_WRITE, "write"},
    {PD_CACHE_OP_PREFETCH, "prefetch"},
    {PD_CACHE_OP_PREFETCH, "speculative-read"},
    {PD_CACHE_OP_PREFETCH, "speculative-load"},
    {0, NULL},
};

/* The plural stands alone. */
static const struct name ops_names[] = {
    {PD_CACHE_OP_READ, "loads"},
    {PD_CACHE_OP_WRITE, "stores"},
    {PD_CACHE_OP_PREFETCH, "prefetches"},
    {0, NULL},
};

static const struct name result_names[] = {
    {PD_CACHE_RESULT_ACCESS, "refs"},
    {PD_CACHE_RESULT_ACCESS, "Reference"},
    {PD_CACHE_RESULT_ACCESS, "ops"},
    {PD_CACHE_RESULT_ACCESS, "access"},
    {PD_CACHE_RESULT_MISS, "misses"},
    {PD_CACHE_RESULT_MISS, "miss"},
    {0, NULL},
};

static const char *name_of(const struct name *names, uint64_t number)
{
    for (; names->name; names++) {
        if (names->number == number)
            return names->name;
    }
    return NULL;
}

static const struct name *find_name(const struct name *names, struct pi_slice text)
{
    for (; names->name; names++) {
        if (pi_slice_is(text, names->name))
            return names;
    }
    return NULL;
}

/* ---- Taken apart and put together. */

void pd_event_classify(const struct pd_event *e, struct pd_typed_event *out)
{
    struct pd_typed_event t = {.config1 = e->bp_addr, .config2 = e->bp_len, .bp_type = e->bp_type};

    switch (e->type) {
    case PD_TYPE_HARDWARE:
        t.kind = PD_EVENT_HARDWARE;
        t.u.hardware.id = (uint32_t)e->config;
        t.u.hardware.pmu_type = (uint32_t)(e->config >> PD_HW_CONFIG_PMU_TYPE_SHIFT);
        break;
    case PD_TYPE_SOFTWARE:
        t.kind = PD_EVENT_SOFTWARE;
        t.u.software.id = e->config;
        break;
    case PD_TYPE_TRACEPOINT:
        t.kind = PD_EVENT_TRACEPOINT;
        t.u.tracepoint.id = e->config;
        break;
    case PD_TYPE_HW_CACHE:
        t.kind = PD_EVENT_CACHE;
        t.u.cache.id = (uint8_t)e->config;
        t.u.cache.op = (uint8_t)(e->config >> PD_CACHE_CONFIG_OP_SHIFT);
        t.u.cache.result = (uint8_t)(e->config >> PD_CACHE_CONFIG_RESULT_SHIFT);
        t.u.cache.reserved = (uint8_t)(e->config >> PD_CACHE_CONFIG_RESERVED_SHIFT);
        t.u.cache.pmu_type = (uint32_t)(e->config >> PD_CACHE_CONFIG_PMU_TYPE_SHIFT);
        break;
    case PD_TYPE_RAW:
        t.kind = PD_EVENT_RAW;
        t.u.raw.config = e->config;
        break;
    case PD_TYPE_BREAKPOINT:
        t = (struct pd_typed_event){.kind = PD_EVENT_BREAKPOINT};
        t.u.breakpoint.addr = e->bp_addr;
        t.u.breakpoint.len = e->bp_len;
        t.u.breakpoint.access = e->bp_type;
        t.u.breakpoint.config = e->config;
        break;
    default:
        t.kind = PD_EVENT_PMU;
        t.u.pmu.type = e->type;
        t.u.pmu.config = e->config;
        break;
    }
    *out = t;
}

static uint64_t cache_config(const struct pd_typed_event *t)
{
    return t->u.cache.id | (uint64_t)t->u.cache.op << PD_CACHE_CONFIG_OP_SHIFT |
           (uint64_t)t->u.cache.result << PD_CACHE_CONFIG_RESULT_SHIFT |
           (uint64_t)t->u.cache.reserved << PD_CACHE_CONFIG_RESERVED_SHIFT |
           (uint64_t)t->u.cache.pmu_type << PD_CACHE_CONFIG_PMU_TYPE_SHIFT;
}

void pd_event_build(const struct pd_typed_event *t, struct pd_event *out)
{
    struct pd_event e = {.bp_addr = t->config1, .bp_type = t->bp_type, .bp_len = t->config2};

    switch (t->kind) {
    case PD_EVENT_HARDWARE:
        e.type = PD_TYPE_HARDWARE;
        e.config = t->u.hardware.id | (uint64_t)t->u.hardware.pmu_type << PD_HW_CONFIG_PMU_TYPE_SHIFT;
        break;
    case PD_EVENT_SOFTWARE:
        e.type = PD_TYPE_SOFTWARE;
        e.config = t->u.software.id;
        break;
    case PD_EVENT_TRACEPOINT:
        e.type = PD_TYPE_TRACEPOINT;
        e.config = t->u.tracepoint.id;
        break;
    case PD_EVENT_CACHE:
        e.type = PD_TYPE_HW_CACHE;
        e.config = cache_config(t);
        break;
    case PD_EVENT_RAW:
        e.type = PD_TYPE_RAW;
        e.config = t->u.raw.config;
        break;
    case PD_EVENT_BREAKPOINT:
        e.type = PD_TYPE_BREAKPOINT;
        e.config = t->u.breakpoint.config;
        e.bp_addr = t->u.breakpoint.addr;
        e.bp_type = t->u.breakpoint.access;
        e.bp_len = t->u.breakpoint.len;
        break;
    case PD_EVENT_PMU:
        e.type = t->u.pmu.type;
        e.config = t->u.pmu.config;
        break;
    }
    *out = e;
}

/* ---- Written. Each function is false, and has written nothing, when its form cannot hold the event. */

/* "NAME" or "pmuTYPE/NAME/"; the name is made of up to three parts, the others are NULL. */
static bool put_generic(struct pi_text *t, uint32_t pmu_type, const char *const parts[3])
{
    if (!parts[0])
        return false;
    if (pmu_type) {
        pi_text_str(t, "pmu");
        pi_text_number(t, pmu_type, 10);
        pi_text_str(t, "/");
    }
    for (int i = 0; i < 3 && parts[i]; i++) {
        pi_text_str(t, i ? "-" : "");
        pi_text_str(t, parts[i]);
    }
    if (pmu_type)
        pi_text_str(t, "/");
    return true;
}

static bool put_cache(struct pi_text *t, const struct pd_typed_event *e)
{
    const bool access = e->u.cache.result == PD_CACHE_RESULT_ACCESS;
    const char *const parts[] = {
        name_of(cache_names, e->u.cache.id),
        name_of(access ? ops_names : op_names, e->u.cache.op),
        access ? NULL : name_of(result_names, e->u.cache.result),
    };

    if (!parts[1] || (!access && !parts[2]) || e->u.cache.reserved)
        return false;
    return put_generic(t, e->u.cache.pmu_type, parts);
}

static uint64_t default_bp_len(uint64_t access)
{
    return access == PD_BP_X ? 8 : 4;
}

static bool put_breakpoint(struct pi_text *t, const struct pd_typed_event *e)
{
    const uint32_t access = e->u.breakpoint.access;

    if (e->u.breakpoint.config || access == 0 || access & ~(PD_BP_R | PD_BP_W | PD_BP_X))
        return false;
    pi_text_str(t, "mem:");
    pi_text_hex(t, e->u.breakpoint.addr);
    if (e->u.breakpoint.len != default_bp_len(access)) {
        pi_text_str(t, "/");
        pi_text_number(t, e->u.breakpoint.len, 10);
    }
    pi_text_str(t, ":");
    pi_text_str(t, access & PD_BP_R ? "r" : "");
    pi_text_str(t, access & PD_BP_W ? "w" : "");
    pi_text_str(t, access & PD_BP_X ? "x" : "");
    return true;
}

static void put_term(struct pi_text *t, const char *name, uint64_t value)
{
    if (value) {
        pi_text_str(t, name);
        pi_text_hex(t, value);
    }
}

/* The form that can hold everything. */
static void put_pmu(struct pi_text *t, const struct pd_event *e)
{
    pi_text_str(t, "pmu");
    pi_text_number(t, e->type, 10);
    pi_text_str(t, "/config=");
    pi_text_hex(t, e->config);
    put_term(t, ",config1=", e->bp_addr);
    put_term(t, ",config2=", e->bp_len);
    put_term(t, ",bp_type=", e->bp_type);
    pi_text_str(t, "/");
}

static bool put_name(struct pi_text *t, uint32_t pmu_type, const char *name)
{
    const char *const parts[] = {name, NULL, NULL};

    return put_generic(t, pmu_type, parts);
}

static bool put_short(struct pi_text *t, const struct pd_typed_event *e)
{
    if (e->config1 || e->config2 || e->bp_type)
        return false;
    switch (e->kind) {
    case PD_EVENT_HARDWARE:
        return put_name(t, e->u.hardware.pmu_type, name_of(hardware_names, e->u.hardware.id));
    case PD_EVENT_SOFTWARE: return put_name(t, 0, name_of(software_names, e->u.software.id));
    case PD_EVENT_TRACEPOINT:
        pi_text_str(t, "tracepoint:");
        pi_text_number(t, e->u.tracepoint.id, 10);
        return true;
    case PD_EVENT_CACHE: return put_cache(t, e);
    case PD_EVENT_RAW:
        pi_text_str(t, "r");
        pi_text_number(t, e->u.raw.config, 16);
        return true;
    case PD_EVENT_BREAKPOINT: return put_breakpoint(t, e);
    case PD_EVENT_PMU: break;
    }
    return false;
}

size_t pd_event_format(uint32_t type, uint64_t config, uint64_t bp_addr, uint32_t bp_type, uint64_t bp_len,
                       char *buf, size_t cap)
{
    const struct pd_event event = {type, config, bp_addr, bp_type, bp_len};
    struct pi_text t = {buf, cap, 0};
    struct pd_typed_event typed;

    pd_event_classify(&event, &typed);
    if (!put_short(&t, &typed))
        put_pmu(&t, &event);
    return pi_text_close(&t);
}

/* ---- Read. */

/* Cuts off a name of `names` that ends at a '-' or at the end of the text. */
static const struct name *skip_name(struct pi_slice *text, const struct name *names)
{
    for (; names->name; names++) {
        struct pi_slice rest = *text;
        if (!pi_slice_skip(&rest, names->name) || (rest.len && rest.ptr[0] != '-'))
            continue;
        *text = rest;
        return names;
    }
    return NULL;
}

/* CACHE, CACHE-OP, CACHE-RESULT or CACHE-OP-RESULT; what is left out is a read or an access. */
static bool parse_cache(struct pi_slice text, struct pd_typed_event *out)
{
    const struct name *id = skip_name(&text, cache_names);
    const struct name *op = NULL, *result = NULL;

    if (!id)
        return false;
    while (pi_slice_skip(&text, "-")) {
        const struct name *n;
        if (!op && !result && ((n = skip_name(&text, op_names)) || (n = skip_name(&text, ops_names))))
            op = n;
        else if (!result && (n = skip_name(&text, result_names)))
            result = n;
        else
            return false;
    }
    *out = (struct pd_typed_event){.kind = PD_EVENT_CACHE};
    out->u.cache.id = id->number;
    out->u.cache.op = op ? op->number : PD_CACHE_OP_READ;
    out->u.cache.result = result ? result->number : PD_CACHE_RESULT_ACCESS;
    return true;
}

/* A generic event that may belong to a PMU of its own. */
static bool parse_generic(struct pi_slice text, uint32_t pmu_type, struct pd_typed_event *out)
{
    const struct name *n = find_name(hardware_names, text);

    if (n) {
        *out = (struct pd_typed_event){.kind = PD_EVENT_HARDWARE};
        out->u.hardware.id = n->number;
        out->u.hardware.pmu_type = pmu_type;
        return true;
    }
    if (!parse_cache(text, out))
        return false;
    out->u.cache.pmu_type = pmu_type;
    return true;
}

static bool parse_software(struct pi_slice text, struct pd_typed_event *out)
{
    const struct name *n = find_name(software_names, text);

    if (!n)
        return false;
    *out = (struct pd_typed_event){.kind = PD_EVENT_SOFTWARE};
    out->u.software.id = n->number;
    return true;
}

/* Some of "rwx", each letter once. */
static bool parse_access(struct pi_slice text, uint32_t *access)
{
    *access = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        const uint32_t bit = c == 'r' ? PD_BP_R : c == 'w' ? PD_BP_W : c == 'x' ? PD_BP_X : 0;
        if (bit == 0 || *access & bit)
            return false;
        *access |= bit;
    }
    return text.len > 0;
}

/* ADDRESS[/LENGTH][:ACCESS] */
static bool parse_breakpoint(struct pi_slice text, struct pd_typed_event *out)
{
    struct pi_slice place, addr;
    uint32_t access = PD_BP_R | PD_BP_W;
    uint64_t len;

    *out = (struct pd_typed_event){.kind = PD_EVENT_BREAKPOINT};
    pi_slice_next(&text, ':', &place);
    if (text.ptr && !parse_access(text, &access))
        return false;
    pi_slice_next(&place, '/', &addr);
    len = default_bp_len(access);
    if (place.ptr && !pi_slice_number(place, UINT64_MAX, &len))
        return false;
    out->u.breakpoint.len = len;
    out->u.breakpoint.access = access;
    return pi_slice_number(addr, UINT64_MAX, &out->u.breakpoint.addr);
}

/* One "name=value". The value of bp_type is 32 bits wide. */
static bool parse_term(struct pi_slice term, unsigned *seen, struct pd_event *e)
{
    static const char *const names[] = {"config", "config1", "config2", "bp_type"};
    struct pi_slice name;
    uint64_t value;

    pi_slice_next(&term, '=', &name);
    for (unsigned i = 0; i < 4; i++) {
        if (!pi_slice_is(name, names[i]))
            continue;
        if (!term.ptr || *seen & 1u << i || !pi_slice_number(term, i == 3 ? UINT32_MAX : UINT64_MAX, &value))
            return false;
        *seen |= 1u << i;
        switch (i) {
        case 0: e->config = value; break;
        case 1: e->bp_addr = value; break;
        case 2: e->bp_len = value; break;
        default: e->bp_type = (uint32_t)value; break;
        }
        return true;
    }
    return false;
}

/* TYPE/TERM,TERM/ or TYPE/NAME/ */
static bool parse_pmu(struct pi_slice text, struct pd_event *out)
{
    struct pi_slice type, terms, term;
    struct pd_typed_event typed;
    unsigned seen = 0;
    uint64_t number;

    pi_slice_next(&text, '/', &type);
    if (!pi_slice_digits(type, 10, UINT32_MAX, &number) || !pi_slice_next(&text, '/', &terms) || !text.ptr ||
        text.len)
        return false;
    if (parse_generic(terms, (uint32_t)number, &typed)) {
        pd_event_build(&typed, out);
        return true;
    }
    *out = (struct pd_event){.type = (uint32_t)number};
    while (pi_slice_next(&terms, ',', &term)) {
        if (!parse_term(term, &seen, out))
            return false;
    }
    return true;
}

static bool parse_short(struct pi_slice text, struct pd_typed_event *out)
{
    if (parse_generic(text, 0, out) || parse_software(text, out))
        return true;
    *out = (struct pd_typed_event){.kind = PD_EVENT_TRACEPOINT};
    if (pi_slice_skip(&text, "tracepoint:"))
        return pi_slice_digits(text, 10, UINT64_MAX, &out->u.tracepoint.id);
    if (pi_slice_skip(&text, "mem:"))
        return parse_breakpoint(text, out);
    *out = (struct pd_typed_event){.kind = PD_EVENT_RAW};
    if (!pi_slice_skip(&text, "r"))
        return false;
    pi_slice_skip(&text, "0x");
    return pi_slice_digits(text, 16, UINT64_MAX, &out->u.raw.config);
}

bool pd_event_parse(const char *text, size_t len, struct pd_event *out)
{
    const struct pi_slice all = {text, len};
    struct pi_slice rest = all;
    struct pd_typed_event typed;
    struct pd_event event;

    if (pi_slice_skip(&rest, "pmu")) {
        if (!parse_pmu(rest, &event))
            return false;
    } else {
        if (!parse_short(all, &typed))
            return false;
        pd_event_build(&typed, &event);
    }
    *out = event;
    return true;
}

/* ---- Off-cpu samples. */

bool pd_event_is_offcpu(const struct pd_attr *attr, const char *name)
{
    return pi_offcpu_may_be(attr) && name && strcmp(name, PD_OFFCPU_EVENT) == 0;
}

static bool decode_offcpu(enum pd_order order, const struct pd_bytes *raw, struct pd_offcpu *out)
{
    const struct pd_shape shape = {0};
    struct pd_bytes rest;
    return pi_interpret_section(pi_layout_offcpu(), &shape, order, raw->ptr, raw->n, out, &rest, NULL) ==
               PD_OK &&
           out->padding.n < 8;
}

bool pd_offcpu_decode(const struct pd_plan *plan, const struct pd_raw_data *raw, struct pd_offcpu *out)
{
    const enum pd_order order = (enum pd_order)plan->order, other = order == PD_LITTLE ? PD_BIG : PD_LITTLE;
    return raw->data.n && (decode_offcpu(order, &raw->data, out) || decode_offcpu(other, &raw->data, out));
}

static bool begins_with_marker(const struct pd_offcpu *offcpu)
{
    return offcpu->ips.n && pd_vec_at(&offcpu->ips, 0) >= PD_CONTEXT_MAX;
}

static bool decode_here(const struct pd_record *rec, struct pd_offcpu *out)
{
    struct pd_record copy = *rec;
    return pd_record_decode_framed(rec->plan, &copy, NULL) == PD_OK &&
           pd_offcpu_decode(rec->plan, &copy.u.sample.raw, out);
}

bool pd_offcpu_of(const struct pd_record *rec, struct pd_offcpu *out)
{
    const unsigned bits = rec->plan && rec->type == PD_RECORD_SAMPLE ? rec->plan->offcpu : 0;
    if (!(bits & PI_OFFCPU_ATTR) || (bits & PI_OFFCPU_NAMED && !(bits & PI_OFFCPU_IS)))
        return false;
    const bool found = !rec->decoded ? decode_here(rec, out)
                                     : rec->layout && pd_offcpu_decode(rec->plan, &rec->u.sample.raw, out);
    return found && (bits & PI_OFFCPU_IS || begins_with_marker(out));
}

void pd_offcpu_apply(const struct pd_offcpu *offcpu, struct pd_sample *sample)
{
    sample->pid = offcpu->pid;
    sample->tid = offcpu->tid;
    sample->period = offcpu->period;
    sample->ip = offcpu->ips.n > 1 ? pd_vec_at(&offcpu->ips, 1) : 0;
    sample->callchain = (struct pd_callchain){offcpu->nr, offcpu->ips};
    sample->cgroup = offcpu->cgroup;
}

unsigned pd_attr_flag(const struct pd_attr *attr, uint64_t mask)
{
    return (unsigned)((attr->flags & mask) / (mask & (~mask + 1)));
}
