/* SPDX-License-Identifier: MIT */
/* random.c - random valid values through the schema's tables. */
#include "random_values.h"
#include "codec_internal.h"
#include "walk.h"
#include "wire.h"
#include <perfdata/compare.h>
#include <string.h>

/* What is being made. */
struct maker {
    struct pd_rng *rng;
    struct pd_arena *arena;
    struct pd_shape shape;
    size_t at;   /* bytes of the record so far, to keep items aligned */
    size_t room; /* bytes that items of variable size may still take */
    bool failed; /* the arena is used up */
};

static void *take(struct maker *m, size_t n)
{
    struct pd_arena *a = m->arena;
    const size_t skip = -(uintptr_t)a->ptr & 7;
    if (a->left < skip || a->left - skip < n) {
        m->failed = true;
        return NULL;
    }
    void *p = a->ptr + skip;
    a->ptr += skip + n;
    a->left -= skip + n;
    return p;
}

/* ---- Numbers. */

static uint64_t all_ones(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t random_number(struct pd_rng *rng, unsigned bits)
{
    switch (pd_rng_below(rng, 8)) {
    case 0: return 0;
    case 1: return 1;
    case 2: return all_ones(bits);
    case 3: return all_ones(bits) >> 1;
    case 4: return pd_rng_below(rng, 256) & all_ones(bits);
    case 5: return pd_rng_next(rng) & all_ones(bits) >> pd_rng_below(rng, bits);
    default: return pd_rng_next(rng) & all_ones(bits);
    }
}

static bool is_reserved(const char *name)
{
    return strncmp(name, "reserved", 8) == 0 || strcmp(name, "res") == 0;
}

static uint64_t random_of_set(struct pd_rng *rng, const struct pd_set *set, unsigned bits);

static uint64_t random_flags(struct pd_rng *rng, const struct pd_set *set)
{
    const uint64_t density = 1 + pd_rng_below(rng, 4);
    uint64_t value = 0;
    for (size_t i = 0; i < set->n; i++)
        if (pd_rng_below(rng, 5) < density)
            value |= set->names[i].value;
    return value;
}

static uint64_t random_word(struct pd_rng *rng, const struct pd_set *set)
{
    uint64_t word = 0;
    for (size_t i = 0; i < set->n; i++) {
        const struct pd_name *f = &set->names[i];
        if (pd_rng_one_in(rng, is_reserved(f->name) ? 16 : 2))
            word = pd_bits_put(f, word, random_of_set(rng, f->set, f->width));
    }
    return word;
}

static uint64_t random_of_set(struct pd_rng *rng, const struct pd_set *set, unsigned bits)
{
    uint64_t value;
    switch (set->kind) {
    case PD_SET_ENUM:
        if (set->n == 0 || pd_rng_one_in(rng, 16))
            return random_number(rng, bits);
        value = set->names[pd_rng_below(rng, set->n)].value;
        break;
    case PD_SET_FLAGS: value = random_flags(rng, set); break;
    case PD_SET_BITS: value = random_word(rng, set); break;
    default: return random_number(rng, bits);
    }
    return value & all_ones(bits);
}

uint64_t pd_random_value(struct pd_rng *rng, const struct pd_set *set, unsigned width)
{
    return random_of_set(rng, set, 8 * width);
}

/* ---- Counts. */

/* Most scalars count nothing, which is soon found out without asking what is present. */
static bool is_count(const struct pd_op *op)
{
    const uint16_t member = op->offset;
    while ((++op)->kind != PD_OP_END)
        if (op->count_width && op->count_offset == member)
            return true;
    return false;
}

/* Bytes that one more of what `op` counts takes, and those taken when there is any. */
static void count_cost(const struct maker *m, const struct pd_op *op, size_t *each, size_t *once)
{
    const uint16_t member = op->offset;
    *each = *once = 0;
    if (!is_count(op))
        return;
    for (op = pd_present(op + 1, &m->shape, NULL); op->kind != PD_OP_END; op = pd_present(op + 1, &m->shape, NULL)) {
        if (op->count_width == 0 || op->count_offset != member)
            continue;
        switch (op->kind) {
        case PD_OP_VEC64: *each += 8; break;
        case PD_OP_BYTES: *each += 1; break;
        case PD_OP_LIST: *each += pd_layout_bytes(op->sub(), &m->shape); break;
        case PD_OP_OPT64: *once += 8; break;
        default: break;
        }
    }
}

static size_t random_count(struct maker *m, size_t most)
{
    const uint64_t kind = pd_rng_below(m->rng, 64);
    if (kind == 0)
        return most;
    if (kind < 4)
        return pd_rng_below(m->rng, most + 1);
    return pd_rng_below(m->rng, (most < 20 ? most : 20) + 1);
}

/* A count that there is room for. Bytes mostly end at a multiple of 8, as the kernel's do. */
static uint64_t random_count_of(struct maker *m, const struct pd_op *op, size_t each, size_t once)
{
    const unsigned width = pd_scalar_width(op);
    size_t most = m->room > once ? (m->room - once) / each : 0;
    if (most > all_ones(8 * width))
        most = (size_t)all_ones(8 * width);
    size_t n = random_count(m, most);
    const size_t over = (m->at + width + n) % 8;
    if (each == 1 && over && n + 8 - over <= most && !pd_rng_one_in(m->rng, 8))
        n += 8 - over;
    m->room -= n * each + (n ? once : 0);
    return n;
}

/* A branch stack leaves hw_idx out only when it is empty. */
static bool must_be_empty(const struct maker *m, const struct pd_op *head)
{
    return head == pd_layout_branch_stack() && m->shape.variant & PD_VARIANT_NO_HW_IDX;
}

/* ---- Items of variable size. */

static void make_bytes(struct maker *m, struct pd_bytes *b, size_t n)
{
    uint8_t *p = take(m, n);
    for (size_t i = 0; p && i < n; i++)
        p[i] = (uint8_t)pd_rng_next(m->rng);
    *b = (struct pd_bytes){p, p ? n : 0};
    m->at += n;
}

/* An entry of a vector. Where the set names only special values, most are others. */
static uint64_t random_entry(struct maker *m, const struct pd_set *set)
{
    return pd_rng_one_in(m->rng, 8) ? random_of_set(m->rng, set, 64) : random_number(m->rng, 64);
}

/* In one of the three forms that a vector can have. */
static void make_vec(struct maker *m, const struct pd_op *op, struct pd_vec *v, size_t n)
{
    const uint8_t form = (uint8_t)pd_rng_below(m->rng, 3);
    uint8_t *p = take(m, 8 * n);
    for (size_t i = 0; p && i < n; i++)
        pd_store64(p + 8 * i, random_entry(m, op->set),
                   form == PD_FORM_STRUCT ? PD_HOST_ORDER : (enum pd_order)form);
    *v = (struct pd_vec){p, p ? n : 0, 8, form};
    m->at += 8 * n;
}

/* Text: mostly of printable characters, at times of any bytes but NUL. */
static void make_text(struct maker *m, char *p, size_t n)
{
    const bool plain = !pd_rng_one_in(m->rng, 8) || m->shape.variant;
    for (size_t i = 0; i < n; i++)
        p[i] = (char)(plain ? '!' + pd_rng_below(m->rng, 94) : 1 + pd_rng_below(m->rng, 255));
}

/* The slot is at times what no careful writer makes: without NUL, or with left-over bytes behind it. */
static void make_str(struct maker *m, struct pd_str *s)
{
    const size_t most = m->room > 16 ? m->room - 16 : 0;
    const size_t len =
        pd_rng_one_in(m->rng, 64) ? random_count(m, most) : pd_rng_below(m->rng, (most < 48 ? most : 48) + 1);
    const bool odd = pd_rng_one_in(m->rng, 8) && !m->shape.variant;
    const size_t pad = odd ? pd_rng_below(m->rng, 17) : 0;
    char *p = take(m, len + pad);
    if (!p)
        return;
    make_text(m, p, len);
    for (size_t i = 0; i < pad; i++)
        p[len + i] = (char)(i ? pd_rng_next(m->rng) : 0);
    *s = (struct pd_str){p, len, odd ? len + pad : PD_AUTO};
    m->at += odd ? len + pad : pd_align8(len + 1);
    m->room = 0;
}

static void make_layout(struct maker *m, const struct pd_op *head, void *v);

static void make_list(struct maker *m, const struct pd_op *op, struct pd_list *l, size_t n)
{
    const struct pd_op *layout = op->sub();
    uint8_t *p = take(m, n * layout->offset);
    if (!p)
        return;
    memset(p, 0, n * layout->offset);
    for (size_t i = 0; i < n; i++)
        make_layout(m, layout, p + i * layout->offset);
    *l = (struct pd_list){.ptr = p, .n = n, .stride = layout->offset, .form = PD_FORM_STRUCT, .when = UINT32_MAX};
}

/* ---- Fields. */

static void make_scalar(struct maker *m, const struct pd_op *head, const struct pd_op *op, void *v)
{
    size_t each, once;
    uint64_t value = pd_random_value(m->rng, op->set, pd_scalar_width(op));
    count_cost(m, op, &each, &once);
    if (each)
        value = must_be_empty(m, head) ? 0 : random_count_of(m, op, each, once);
    else if (is_reserved(op->name) && !pd_rng_one_in(m->rng, 16))
        value = 0;
    pd_scalar_set(op, v, value);
    m->at += pd_scalar_width(op);
}

static void make_field(struct maker *m, const struct pd_op *head, const struct pd_op *op, void *v)
{
    void *member = (uint8_t *)v + op->offset;
    const size_t n = op->count_width ? (size_t)pd_count(op, &m->shape, v) : 0;
    struct pd_bytes bytes;
    switch (op->kind) {
    case PD_OP_ARR:
        for (uint64_t i = 0; i < op->arg; i++)
            ((uint8_t *)member)[i] = (uint8_t)pd_rng_next(m->rng);
        m->at += (size_t)op->arg;
        break;
    case PD_OP_STR: make_str(m, member); break;
    case PD_OP_BYTES: make_bytes(m, member, n); break;
    case PD_OP_REST:
        make_bytes(m, &bytes, 8 * random_count(m, m->room / 8));
        *(struct pd_bytes *)member = bytes;
        m->room = 0;
        break;
    case PD_OP_VEC64:
    case PD_OP_REGS: make_vec(m, op, member, n); break;
    case PD_OP_VECR64:
        make_vec(m, op, member, random_count(m, m->room / 8));
        m->room = 0;
        break;
    case PD_OP_LIST: make_list(m, op, member, n); break;
    case PD_OP_SUB: make_layout(m, op->sub(), member); break;
    case PD_OP_OPT64:
        pd_scalar_set(op, v, n ? pd_rng_below(m->rng, n + 1) : 0);
        m->at += n ? 8 : 0;
        break;
    default: make_scalar(m, head, op, v); break;
    }
}

static void make_layout(struct maker *m, const struct pd_op *head, void *v)
{
    for (const struct pd_op *op = pd_present(head, &m->shape, v); op->kind != PD_OP_END && !m->failed;
         op = pd_present(op + 1, &m->shape, v))
        make_field(m, head, op, v);
}

/* ---- Attrs. */

/* Fields past the attr's size do not exist. */
static void clear_past_size(struct pd_attr *attr)
{
    const struct pd_shape shape = {0};
    const struct pd_op *op = pd_present(pd_layout_attr(), &shape, attr);
    for (uint32_t at = 0; op->kind != PD_OP_END; op = pd_present(op + 1, &shape, attr)) {
        if (pd_scalar_width(op) && at >= attr->size)
            pd_scalar_set(op, attr, 0);
        at += pd_scalar_width(op);
    }
}

bool pd_random_attr(struct pd_rng *rng, struct pd_arena *arena, struct pd_attr *attr)
{
    struct maker m = {.rng = rng, .arena = arena};
    memset(attr, 0, sizeof *attr);
    make_layout(&m, pd_layout_attr(), attr);
    attr->size = (uint32_t)pd_set_attr_size.names[pd_rng_below(rng, pd_set_attr_size.n)].value;
    if (pd_rng_one_in(rng, 16))
        make_bytes(&m, &attr->tail, 8 * (1 + pd_rng_below(rng, 8)));
    if (attr->tail.n)
        attr->size = (uint32_t)(PD_ATTR_SIZE + attr->tail.n);
    clear_past_size(attr);
    /* Two ways of writing the same field exclude each other. */
    if (attr->sample_type & PD_SAMPLE_WEIGHT)
        attr->sample_type &= ~PD_SAMPLE_WEIGHT_STRUCT;
    return !m.failed;
}

/* ---- Records. */

/* Another variant than the usual one, as the type allows it. */
static uint8_t random_variant(const struct pd_plan *plan, uint32_t type, uint16_t misc, struct pd_rng *rng)
{
    const uint8_t usual = pd_usual_variant(plan, type);
    switch (type) {
    case PD_RECORD_SAMPLE:
        if (!(plan->shape.sample_type & PD_SAMPLE_BRANCH_STACK))
            return usual;
        if (plan->shape.branch_sample_type & PD_BRANCH_SAMPLE_HW_INDEX && pd_rng_one_in(rng, 2))
            return usual | PD_VARIANT_NO_HW_IDX;
        return usual ^ PD_VARIANT_BRANCH_COUNTERS;
    case PD_RECORD_MMAP2: return misc & PD_MISC_MMAP_BUILD_ID ? usual : PD_VARIANT_EARLY_MMAP2;
    case PD_RECORD_LOST_SAMPLES: return plan->id_all ? usual : PD_VARIANT_SAMPLE_ID;
    default: return usual;
    }
}

/* Bytes behind the known fields: what a newer writer would add, or the padding to a multiple of 8. */
static void make_rest(struct maker *m, struct pd_record *rec, bool more)
{
    const size_t pad = -m->at & 7;
    const bool unknown = rec->layout == NULL;
    if (unknown)
        make_bytes(m, &rec->rest, 8 * random_count(m, m->room / 8));
    else if (more && m->room >= 64)
        make_bytes(m, &rec->rest, 8 * (1 + pd_rng_below(m->rng, 4)));
    else if (pad && m->room >= pad && rec->type != PD_RECORD_SAMPLE && !pd_rng_one_in(m->rng, 8))
        make_bytes(m, &rec->rest, pad);
}

/* Makes the record anew. `odd`: with what is not usual, if the type has anything of the kind. */
static bool make_record(struct maker *m, const struct pd_plan *plan, struct pd_record *rec, bool odd)
{
    const uint32_t type = rec->type;
    const struct pd_op *layout = pd_layout_of(type);
    *rec = (struct pd_record){
        .type = type, .plan = plan, .attr_index = UINT32_MAX, .layout = layout, .decoded = true};
    rec->misc = (uint16_t)pd_random_value(m->rng, layout ? layout->set : &pd_set_HEX, 2);
    rec->variant = odd ? random_variant(plan, type, rec->misc, m->rng) : pd_usual_variant(plan, type);
    rec->has_id = pd_has_id(plan, rec);
    m->shape = plan->shape;
    m->shape.misc = rec->misc;
    m->shape.variant = rec->variant;
    const size_t fixed = 8 + (layout ? pd_layout_bytes(layout, &m->shape) : 0) +
                         (rec->has_id ? plan->trailer : 0u) +
                         8u * (size_t)(plan->shape.n_regs[0] + plan->shape.n_regs[1]);
    m->at = 8;
    m->room = UINT16_MAX - fixed;
    if (layout)
        make_layout(m, layout, &rec->u);
    make_rest(m, rec, odd && rec->variant == pd_usual_variant(plan, type) && pd_rng_one_in(m->rng, 4));
    if (rec->has_id)
        make_layout(m, pd_layout_sample_id(), &rec->id);
    return !m->failed;
}

/* Some records of unusual form cannot be told from others: then decoding would not give them back. */
static bool is_told_apart(struct maker *m, const struct pd_record *rec)
{
    struct pd_record back = {0};
    size_t n;
    struct pd_arena rest = *m->arena;
    if (rest.left < UINT16_MAX || pd_record_encode(rec->plan, rec, rest.ptr, rest.left, &n, NULL) ||
        pd_record_decode(rec->plan, rest.ptr, n, &back, NULL))
        return false;
    return back.variant == rec->variant && pd_record_equal(rec, &back, NULL);
}

bool pd_random_record(const struct pd_plan *plan, uint32_t type, struct pd_rng *rng, struct pd_arena *arena,
                      struct pd_record *rec)
{
    const struct pd_arena before = *arena;
    const bool odd = pd_rng_one_in(rng, 8);
    struct maker m = {.rng = rng, .arena = arena};
    rec->type = type;
    if (!make_record(&m, plan, rec, odd))
        return false;
    if ((odd || rec->rest.n) && !is_told_apart(&m, rec)) {
        *arena = before;
        if (!make_record(&m, plan, rec, false))
            return false;
        /* Even the padding that aligns the size may be taken for something else. */
        if (rec->layout && rec->rest.n && !is_told_apart(&m, rec))
            rec->rest = (struct pd_bytes){NULL, 0};
    }
    return true;
}
