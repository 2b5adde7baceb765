/* SPDX-License-Identifier: MIT */
/* random_values.c - random valid values through the schema's tables. */
#include "random_values.h"
#include "src/codec/interpret.h"
#include "src/codec/variant.h"
#include "src/schema/schema.h"
#include "src/schema/passes/when.h"
#include "src/schema/passes/walk.h"
#include "src/support/wire.h"
#include <perfdata/session/fields.h>
#include <perfdata/feature.h>
#include <perfdata/session/compare.h>
#include <string.h>

/* What is being made. */
struct maker {
    struct pi_rng *rng;
    struct pi_arena *arena;
    struct pd_shape shape;
    size_t at;    /* bytes of the record so far, to keep items aligned */
    size_t room;  /* bytes that items of variable size may still take; 0 also when nothing of the kind may
                     follow */
    bool full;    /* no bytes may follow the known fields */
    bool plain;   /* nothing odd in slots of strings */
    bool no_text; /* the lowest byte of the next number may be no character */
    bool named;   /* and the next string has room: a number alone is taken for one */
    bool failed;  /* the arena is used up */
    size_t most;  /* of `room` at the start of a record */
};

static void *take(struct maker *m, size_t n)
{
    struct pi_arena *a = m->arena;
    const size_t skip = (8 - (uintptr_t)a->ptr % 8) % 8;
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

static uint64_t random_number(struct pi_rng *rng, unsigned bits)
{
    switch (pi_rng_below(rng, 8)) {
    case 0: return 0;
    case 1: return 1;
    case 2: return all_ones(bits);
    case 3: return all_ones(bits) >> 1;
    case 4: return pi_rng_below(rng, 256) & all_ones(bits);
    case 5: return pi_rng_next(rng) & all_ones(bits) >> pi_rng_below(rng, bits);
    default: return pi_rng_next(rng) & all_ones(bits);
    }
}

/*
 * Bytes of a number in memory: a varint, and what is derived from a field, have no width of their own in the
 * stream.
 */
static unsigned number_width(const struct pd_op *op)
{
    return op->kind == PI_OP_VARINT || op->kind == PI_OP_LOW || op->kind == PI_OP_LESS ||
                   op->kind == PI_OP_OTHER
               ? 8
               : pi_scalar_width(op);
}

static uint64_t random_of_set(struct pi_rng *rng, const struct pd_set *set, unsigned bits);

/* One of the values that have a name. */
static uint64_t random_named(struct pi_rng *rng, const struct pd_set *set)
{
    const uint64_t seed = pi_rng_next(rng);
    uint64_t value = set->names[0].value, most = 0;
    for (size_t i = 0; i < set->n; i++) {
        const uint64_t score = pi_rng_score(seed, set->names[i].name);
        if (score >= most) {
            most = score;
            value = set->names[i].value;
        }
    }
    return value;
}

static uint64_t random_flags(struct pi_rng *rng, const struct pd_set *set)
{
    const uint64_t density = 1 + pi_rng_below(rng, 4), seed = pi_rng_next(rng);
    uint64_t value = 0;
    for (size_t i = 0; i < set->n; i++)
        if (pi_rng_score(seed, set->names[i].name) % 5 < density)
            value |= set->names[i].value;
    return value;
}

static uint64_t random_word(struct pi_rng *rng, const struct pd_set *set)
{
    const uint64_t seed = pi_rng_next(rng);
    uint64_t word = 0;
    for (size_t i = 0; i < set->n; i++) {
        const struct pd_name *f = &set->names[i];
        struct pi_rng own = pi_rng_named(seed, f->name);
        if (pi_rng_one_in(&own, pi_is_reserved(f->name) ? 16 : 2))
            word = pd_bits_put(f, word, random_of_set(&own, f->set, f->width));
    }
    return word;
}

static uint64_t random_of_set(struct pi_rng *rng, const struct pd_set *set, unsigned bits)
{
    uint64_t value;
    switch (set->kind) {
    case PD_SET_ENUM:
        if (set->n == 0 || pi_rng_one_in(rng, 16))
            return random_number(rng, bits);
        value = random_named(rng, set);
        break;
    case PD_SET_FLAGS: value = random_flags(rng, set); break;
    case PD_SET_BITS: value = random_word(rng, set); break;
    default: return random_number(rng, bits);
    }
    return value & all_ones(bits);
}

/* Numbers for a value and all that is in it. */
static struct pi_rng draw(struct pi_rng *rng)
{
    return (struct pi_rng){pi_rng_next(rng)};
}

uint64_t pi_random_value(struct pi_rng *rng, const struct pd_set *set, unsigned width)
{
    struct pi_rng own = draw(rng);
    return random_of_set(&own, set, 8 * width);
}

/* ---- Room. */

/* Bytes of a layout when all that is optional in it is there and all of variable size is empty. */
static size_t fixed_bytes(const struct maker *m, const struct pd_op *head)
{
    size_t n = 0;
    for (const struct pd_op *op = pi_present(head, &m->shape, NULL); op->kind != PI_OP_END;
         op = pi_present(op + 1, &m->shape, NULL)) {
        switch (op->kind) {
        case PI_OP_SUB:
        case PI_OP_SIZED:
        case PI_OP_ATTR: n += fixed_bytes(m, op->sub()); break;
        case PI_OP_ARR:
        case PI_OP_STRN:
        case PI_OP_STRMAX: n += (size_t)op->arg; break;
        case PI_OP_MESSAGE:
        case PI_OP_STRV:
        case PI_OP_VARINT: n += 10; break;
        case PI_OP_STR64: n += 4; break;
        case PI_OP_CSTR: n += op->ref ? strlen(op->ref) + 1 : 1; break;
        case PI_OP_OPT64: break;
        default: n += pi_scalar_width(op); break;
        }
    }
    return n;
}

static size_t element_room(const struct maker *m, const struct pd_op *head);

/* Bytes that an element of a list of varying elements may take. */
static size_t element_bytes(const struct maker *m, const struct pd_op *head)
{
    return fixed_bytes(m, head) + element_room(m, head);
}

/* Bytes that what varies in such an element may take: enough for a few of each. */
static size_t element_room(const struct maker *m, const struct pd_op *head)
{
    size_t n = 0;
    for (const struct pd_op *op = pi_present(head, &m->shape, NULL); op->kind != PI_OP_END;
         op = pi_present(op + 1, &m->shape, NULL)) {
        switch (op->kind) {
        case PI_OP_SUB:
        case PI_OP_SIZED: n += element_room(m, op->sub()); break;
        case PI_OP_MESSAGE: n += element_bytes(m, op->sub()); break;
        case PI_OP_ITEMS:
        case PI_OP_ITEMSR: n += 3 * element_bytes(m, op->sub()); break;
        case PI_OP_ATTR: break;
        default:
            n += pi_scalar_width(op) || op->kind == PI_OP_VARINT || op->kind >= PI_OP_GIVEN ? 0 : 144;
            break;
        }
    }
    return n;
}

/* ---- Counts. */

/* The next line at or behind `op` that the field `of` counts, tests or otherwise decides; NULL: none. */
static const struct pd_op *next_user(const struct pd_op *op, const struct pd_op *of)
{
    for (; op->kind != PI_OP_END; op++)
        if (op->count_width && op->count_offset == of->offset)
            return op;
    return NULL;
}

/* Bytes that one more of what `op`, a member of `v`, counts takes, and those taken when there is any. */
static void count_cost(const struct maker *m, const struct pd_op *op, const void *v, size_t *each,
                       size_t *once)
{
    const uint16_t member = op->offset;
    *each = *once = 0;
    if (!next_user(
            op + 1,
            op)) /* most scalars count nothing, which is soon found out without asking what is present */
        return;
    for (op = pi_present(op + 1, &m->shape, NULL); op->kind != PI_OP_END;
         op = pi_present(op + 1, &m->shape, NULL)) {
        if (op->count_width == 0 || op->count_offset != member)
            continue;
        switch (op->kind) {
        case PI_OP_VEC16:
        case PI_OP_VEC32:
        case PI_OP_VEC64: *each += pi_vec_width(op); break;
        case PI_OP_GRID64: *each += 8 * (size_t)pi_value_of(v, (unsigned)op->arg, op->count_width); break;
        case PI_OP_BYTES: *each += 1; break;
        case PI_OP_SLOT: *each += 1, *once += 16; break;
        case PI_OP_LIST: *each += pi_layout_bytes(op->sub(), &m->shape); break;
        case PI_OP_ITEMS: *each += element_bytes(m, op->sub()); break;
        case PI_OP_OPT64: *once += 8; break;
        default: break;
        }
    }
}

/* True if elements of any size are counted, whose number then is small. */
static bool counts_items(const struct pd_op *op)
{
    const struct pd_op *user = op;
    while ((user = next_user(user + 1, op)))
        if (user->kind == PI_OP_ITEMS)
            return true;
    return false;
}

#define MOST_ITEMS 6

static size_t random_count(struct maker *m, size_t most)
{
    const uint64_t kind = pi_rng_below(m->rng, 64);
    if (kind == 0)
        return most;
    if (kind < 4)
        return pi_rng_size(m->rng, most + 1);
    return pi_rng_size(m->rng, (most < 20 ? most : 20) + 1);
}

/* A count that there is room for. Bytes mostly end at a multiple of 8, as the kernel's do. */
static uint64_t random_count_of(struct maker *m, const struct pd_op *op, size_t each, size_t once)
{
    const unsigned width = number_width(op);
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): what is counted takes room */
    size_t most = m->room > once ? (m->room - once) / each : 0;
    if (most > MOST_ITEMS && counts_items(op))
        most = MOST_ITEMS;
    if (most > all_ones(8 * width))
        most = (size_t)all_ones(8 * width);
    size_t n = random_count(m, most);
    const size_t over = (m->at + width + n) % 8;
    if (each == 1 && over && n + 8 - over <= most && !pi_rng_one_in(m->rng, 8))
        n += 8 - over;
    m->room -= n * each + (n ? once : 0);
    return n;
}

/* A branch stack leaves hw_idx out only when it is empty. */
static bool must_be_empty(const struct maker *m, const struct pd_op *head)
{
    return head == pi_layout_branch_stack() && m->shape.variant & PD_VARIANT_NO_HW_IDX;
}

/* ---- Items of variable size. */

static void make_bytes(struct maker *m, struct pd_bytes *b, size_t n)
{
    uint8_t *p = take(m, n);
    for (size_t i = 0; p && i < n; i++)
        p[i] = (uint8_t)pi_rng_next(m->rng);
    *b = (struct pd_bytes){p, p ? n : 0};
    m->at += n;
}

/* An entry of a vector. Where the set names only special values, most are others. */
static uint64_t random_entry(struct maker *m, const struct pd_set *set, unsigned bits)
{
    return pi_rng_one_in(m->rng, 8) ? random_of_set(m->rng, set, bits) : random_number(m->rng, bits);
}

/*
 * In one of the three forms that a vector can have; a program's own may be of wider numbers than the
 * stream's.
 */
static void make_vec(struct maker *m, const struct pd_op *op, struct pd_vec *v, size_t n)
{
    const uint8_t form = (uint8_t)pi_rng_below(m->rng, 3);
    const unsigned bits = 8 * pi_vec_width(op);
    const bool wide = form == PD_FORM_STRUCT && bits < 64 && pi_rng_one_in(m->rng, 2);
    const unsigned width = wide ? 8 : bits / 8;
    uint8_t *p = take(m, width * n);
    for (size_t i = 0; p && i < n; i++)
        pi_store(p + width * i, random_entry(m, op->set, bits), width,
                 form == PD_FORM_STRUCT ? PD_HOST_ORDER : (enum pd_order)form);
    *v = (struct pd_vec){p, p ? n : 0, (uint8_t)width, form};
    m->at += bits / 8 * n;
}

/* ---- Strings. */

/* Text: mostly of printable characters, at times of any bytes but NUL. */
static void make_text(struct maker *m, char *p, size_t n)
{
    const bool plain = !pi_rng_one_in(m->rng, 8) || m->shape.variant || m->plain;
    for (size_t i = 0; i < n; i++)
        p[i] = (char)(plain ? '!' + pi_rng_below(m->rng, 94) : 1 + pi_rng_below(m->rng, 255));
}

/*
 * A text of `len` bytes in a slot that the encoder makes, or when `odd` in one of `size` bytes that is what
 * no careful writer makes: without NUL, or with left-over bytes behind it.
 */
static void make_slot(struct maker *m, struct pd_str *s, size_t len, size_t size, bool odd)
{
    char *p = take(m, odd ? size : len);
    if (!p)
        return;
    make_text(m, p, len);
    for (size_t i = len; odd && i < size; i++)
        p[i] = (char)(i > len ? pi_rng_next(m->rng) : 0);
    *s = (struct pd_str){p, len, odd ? size : PD_AUTO};
}

static bool is_odd(struct maker *m)
{
    return pi_rng_one_in(m->rng, 8) && !m->shape.variant && !m->plain;
}

/* Behind the string there is nothing more, but for a sample_id that makes it end at a multiple of 8. */
static void make_str(struct maker *m, struct pd_str *s)
{
    const size_t most = m->room > 16 ? m->room - 16 : 0;
    const size_t len =
        pi_rng_one_in(m->rng, 64) ? random_count(m, most) : pi_rng_size(m->rng, (most < 48 ? most : 48) + 1);
    const bool odd = is_odd(m);
    size_t pad = odd ? pi_rng_size(m->rng, 17) : 0;
    if (m->named && len + pad == 0)
        pad = 8;
    m->named = false;
    const size_t end = pi_align8(m->at + len + 1);
    m->room = 0;
    if (m->shape.variant & PD_VARIANT_SAMPLE_ID) {
        make_slot(m, s, len, end - m->at, true);
        m->at = end;
    } else if (m->shape.variant & PD_VARIANT_NO_PID && pi_rng_one_in(m->rng, 2)) {
        *s = PD_STR("[kernel.kallsyms]"); /* what shows that there are no pids */
    } else {
        make_slot(m, s, len, len + pad, odd);
        m->at += odd ? len + pad : pi_align8(len + 1);
    }
}

static size_t random_length(struct maker *m, size_t most)
{
    return most < 48 || pi_rng_one_in(m->rng, 32) ? random_count(m, most) : pi_rng_size(m->rng, 49);
}

/* A string that its NUL ends. */
static void make_cstr(struct maker *m, const struct pd_op *op, struct pd_str *s)
{
    static const char *const versions[] = {"0.5", "0.6", "0.10", "0.59", "1.0"};
    const char *fixed = op->ref;
    for (const struct pd_op *user = op; user->kind != PI_OP_END; user++)
        if (user->kind == PI_OP_SINCE && user->count_offset == op->offset)
            fixed = versions[pi_rng_below(m->rng, sizeof versions / sizeof *versions)];
    if (fixed) {
        *s = (struct pd_str){fixed, strlen(fixed), PD_AUTO};
        m->at += s->len + 1;
        return;
    }
    const size_t len = random_length(m, m->room);
    make_slot(m, s, len, len + 1, is_odd(m));
    m->room -= len;
    m->at += len + 1;
}

/* A string behind its size. */
static void make_str64(struct maker *m, const struct pd_op *op, struct pd_str *s)
{
    const size_t len = m->room > 64 ? random_length(m, m->room - 64) : 0;
    const bool odd = m->room < 64 || is_odd(m);
    const size_t size = odd ? len + (m->room < 64 ? 0 : pi_rng_size(m->rng, 64)) : pi_slot_of(op, len);
    make_slot(m, s, len, size, odd);
    m->room -= size;
    m->at += 4 + size;
}

/* A string behind its size, of protobuf, which has no NUL. */
static void make_strv(struct maker *m, struct pd_str *s)
{
    const size_t len = random_length(m, m->room / 2);
    const size_t size = is_odd(m) ? len + (size_t)pi_rng_below(m->rng, 17) : len;
    make_slot(m, s, len, size, size > len);
    m->room -= size < m->room ? size : m->room;
    m->at += 10 + size;
}

/* A string in a slot of one size, which it may fill. */
static void make_strn(struct maker *m, const struct pd_op *op, struct pd_str *s)
{
    const size_t size = (size_t)op->arg;
    const size_t len = pi_rng_one_in(m->rng, 8) ? size : pi_rng_size(m->rng, (size < 48 ? size : 48) + 1);
    make_slot(m, s, len, size, is_odd(m));
    m->at += size;
}

/* A string of n bytes, or of fewer with something left over behind it. */
static void make_counted_str(struct maker *m, const struct pd_op *op, struct pd_str *s, size_t n)
{
    const size_t size = n ? pi_slot_of(op, n) : 0;
    const bool odd = n == 0 || is_odd(m);
    make_slot(m, s, odd && n ? pi_rng_size(m->rng, n) : n, size, odd);
    m->at += size;
}

/* ---- Parts and lists. */

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
    *l = (struct pd_list){
        .ptr = p, .n = n, .stride = layout->offset, .form = PD_FORM_STRUCT, .when = UINT32_MAX};
}

/* Elements of any size: each has the same room, which has been set aside. */
static void make_items(struct maker *m, const struct pd_op *op, struct pd_list *l, size_t n)
{
    const struct pd_op *layout = op->sub();
    const size_t room = m->room, size = layout->offset;
    uint8_t *p = take(m, n * size);
    if (!p)
        return;
    memset(p, 0, n * size);
    for (size_t i = 0; i < n && !m->failed; i++) {
        m->room = element_room(m, layout);
        make_layout(m, layout, p + i * size);
    }
    m->room = room;
    *l = (struct pd_list){
        .ptr = p, .n = n, .stride = (uint32_t)size, .form = PD_FORM_STRUCT, .when = UINT32_MAX};
}

/* As many as one likes. */
static void make_itemsr(struct maker *m, const struct pd_op *op, struct pd_list *l)
{
    const size_t most = m->room / element_bytes(m, op->sub());
    make_items(m, op, l, pi_rng_size(m->rng, (most < MOST_ITEMS ? most : MOST_ITEMS) + 1));
    m->room = 0;
}

/* Fields past this size do not exist. */
static void clear_past(const struct pd_op *head, void *v, size_t size)
{
    const struct pd_shape shape = {0};
    size_t at = 0;
    for (const struct pd_op *op = pi_present(head, &shape, v); op->kind != PI_OP_END;
         op = pi_present(op + 1, &shape, v)) {
        const size_t width = op->kind == PI_OP_ARR ? (size_t)op->arg : pi_scalar_width(op);
        if (width && at >= size)
            memset((uint8_t *)v + op->offset, 0, width);
        at += width;
    }
}

/* A size of which perf_event_attr has been at a time, or a larger one. */
static uint32_t random_attr_size(struct pi_rng *rng)
{
    if (pi_rng_one_in(rng, 16))
        return (uint32_t)(PD_ATTR_SIZE + 8 * (1 + pi_rng_below(rng, 8)));
    return (uint32_t)random_named(rng, &pd_set_attr_size);
}

static void make_attr(struct maker *m, struct pd_attr *attr, uint32_t size)
{
    const size_t room = m->room;
    m->room = 0;
    make_layout(m, pi_layout_attr(), attr);
    attr->size = size;
    if (size > PD_ATTR_SIZE)
        make_bytes(m, &attr->tail, size - PD_ATTR_SIZE);
    m->room = room > attr->tail.n ? room - attr->tail.n : 0;
    clear_past(pi_layout_attr(), attr, size);
    /* Two ways of writing the same field exclude each other. */
    if (attr->sample_type & PD_SAMPLE_WEIGHT)
        attr->sample_type &= ~PD_SAMPLE_WEIGHT_STRUCT;
}

/* The size up to one of the fields, which is the first that an older writer did not know. */
static size_t random_cut(struct maker *m, const struct pd_op *head)
{
    const uint64_t seed = pi_rng_next(m->rng);
    size_t at = 0;
    for (const struct pd_op *op = head + 1; op->kind != PI_OP_REST; op++) {
        if (at && pi_rng_score(seed, op->name) % 32 == 0)
            break;
        at += op->kind == PI_OP_ARR ? (size_t)op->arg : pi_scalar_width(op);
    }
    return at;
}

/* A part whose size is known when it is made. The size of an attr was there before. */
static void make_sized(struct maker *m, const struct pd_op *op, void *v, void *member)
{
    const struct pd_bytes none = {NULL, 0};
    const struct pd_op *layout = op->sub();
    const size_t given = (size_t)pi_count(op, &m->shape, v), least = element_room(m, layout), room = m->room;
    size_t n = 0;
    if (layout == pi_layout_attr()) {
        make_attr(m, member, (uint32_t)given);
        return;
    }
    m->room = least < room ? least : room;
    const size_t after = room - m->room;
    const bool cut = layout == pi_layout_bpf_prog_info() && pi_rng_one_in(m->rng, 2);
    if (cut)
        m->room = 0;
    make_layout(m, layout, member);
    m->room = after;
    if (m->failed)
        return;
    if (cut)
        clear_past(layout, member, n = random_cut(m, layout));
    else
        m->failed = pi_interpret_put_section(layout, &m->shape, PD_HOST_ORDER, member, &none, NULL, 0, &n,
                                             NULL) != PD_OK;
    const struct pd_op size = {.kind = op->count_width == 2 ? PI_OP_U16 : PI_OP_U32,
                               .offset = op->count_offset};
    pi_scalar_set(&size, v, n + op->arg);
}

/* ---- Numbers that decide something. */

/* A mask whose bits count something. */
static uint64_t random_mask(struct maker *m)
{
    uint64_t mask = pi_rng_one_in(m->rng, 4) ? pi_rng_next(m->rng) : 0;
    for (uint64_t n = pi_rng_below(m->rng, 6); n; n--)
        mask |= UINT64_C(1) << pi_rng_below(m->rng, 64);
    const size_t cost = 8 * (size_t)__builtin_popcountll(mask);
    if (cost > m->room)
        return 0;
    m->room -= cost;
    return mask;
}

/* Bits that take a few whole words. */
static uint64_t random_bits(struct maker *m, uint64_t unit)
{
    const size_t words = random_count(m, m->room / 8);
    m->room -= 8 * words;
    return words ? words * unit - pi_rng_below(m->rng, unit) : 0;
}

/* A number in whose lower bits is a small count. */
static uint64_t random_low(struct maker *m, const struct pd_op *low, const void *v)
{
    size_t each, once;
    count_cost(m, low, v, &each, &once);
    return (random_number(m->rng, 64) & ~low->arg) + random_count_of(m, low, each, once);
}

/* Of a protobuf field, which may have a name. */
static uint64_t random_key(struct maker *m)
{
    const uint64_t number = pi_rng_one_in(m->rng, 16) ? random_number(m->rng, 61) : pi_rng_below(m->rng, 20);
    return (number ? number : 1) << 3 | pi_rng_below(m->rng, PI_WIRE_TYPE_LAST + 1);
}

/*
 * Where other lines depend on the number, it is mostly one that makes a difference. False: any number will
 * do.
 */
static bool special_value(struct maker *m, const struct pd_op *head, const struct pd_op *op, const void *v,
                          uint64_t *value)
{
    const struct pd_op *user = op;
    const uint64_t seed = pi_rng_next(m->rng);
    uint64_t most = 0, score;
    size_t each, once;
    bool must = false, tested = false;
    while ((user = next_user(user + 1, op))) {
        switch (user->kind) {
        case PI_OP_ORDER: *value = pi_rng_below(m->rng, 2); return true;
        case PI_OP_ONES: *value = random_mask(m); return true;
        case PI_OP_UNITS: *value = random_bits(m, user->arg); return true;
        case PI_OP_LOW: *value = random_low(m, user, v); return true;
        case PI_OP_LESS:
            count_cost(m, user, v, &each, &once);
            *value = user->arg + random_count_of(m, user, each, once);
            return true;
        case PI_OP_OTHER:
            *value = random_key(m);
            must = true;
            break;
        case PI_OP_PASS:
            if (head != pi_layout_feature_event_desc())
                break;
            *value = random_attr_size(m->rng);
            return true;
        case PI_OP_IS:
        case PI_OP_FROM:
            tested = true;
            if ((score = pi_rng_score(seed, user->name)) < most)
                break;
            most = score;
            *value = user->arg;
            break;
        default: break;
        }
    }
    return must || (tested && !pi_rng_one_in(m->rng, 8));
}

/* True if it is the number of rows of a grid. With few rows, any number of columns has room for some. */
static bool counts_rows(const struct pd_op *op)
{
    const uint16_t member = op->offset;
    for (op++; op->kind != PI_OP_END; op++)
        if (op->kind == PI_OP_GRID64 && op->arg == member)
            return true;
    return false;
}

/* True for the abi of a sample's registers; *unknown: it must be an unknown one. */
static bool abi_is_unknown(const struct maker *m, const struct pd_op *head, const struct pd_op *op,
                           bool *unknown)
{
    const bool user = head == pi_layout_regs_user(), intr = head == pi_layout_regs_intr();
    *unknown = m->shape.variant & (user ? PD_VARIANT_UNKNOWN_USER_REGS : PD_VARIANT_UNKNOWN_INTR_REGS);
    return (user || intr) && op->set == &pd_set_regs_abi;
}

static void make_scalar(struct maker *m, const struct pd_op *head, const struct pd_op *op, void *v)
{
    size_t each, once;
    uint64_t value = pi_random_value(m->rng, op->set, number_width(op)), special = value;
    bool unknown;
    count_cost(m, op, v, &each, &once);
    if (each)
        value = must_be_empty(m, head) ? 0 : random_count_of(m, op, each, once);
    else if (special_value(m, head, op, v, &special))
        value = special;
    else if (counts_rows(op))
        value = random_count(m, 64);
    else if (abi_is_unknown(m, head, op, &unknown))
        value = unknown ? value | UINT64_C(8) << pi_rng_below(m->rng, 61) : value & PI_REGS_ABI_BITS;
    else if (pi_is_reserved(op->name) && !pi_rng_one_in(m->rng, 16))
        value = 0;
    if (m->no_text)
        value &= ~UINT64_C(0xff);
    m->no_text = false;
    pi_scalar_set(op, v, value);
    m->at += number_width(op);
}

/* ---- Members that are not in the stream. */

/* Where there is said to be no room, nothing more follows. */
static void make_room(struct maker *m, uint8_t *member, uint64_t count, uint64_t each)
{
    const bool there = count <= m->room / 2 / each && !pi_rng_one_in(m->rng, 4);
    *member = there && count;
    if (there)
        m->room -= 2 * (size_t)(count * each);
    else if (count)
        m->room = 0;
}

static void make_derived(struct maker *m, const struct pd_op *op, void *v)
{
    void *member = (uint8_t *)v + op->offset;
    const uint64_t count = op->count_width ? pi_count(op, &m->shape, v) : 0;
    switch (op->kind) {
    case PI_OP_GIVEN: *(uint32_t *)member = m->shape.given; break;
    case PI_OP_PASS: m->shape.given = (uint32_t)count; break;
    case PI_OP_ROOM: make_room(m, member, 1, op->arg); break;
    case PI_OP_ROOMN: make_room(m, member, count, op->arg); break;
    case PI_OP_ODD64:
        *(uint8_t *)member = (uint8_t)pi_rng_below(m->rng, 2);
        m->full = true;
        break;
    case PI_OP_TEXT:
        *(uint8_t *)member = 0;
        m->no_text = m->named = true;
        break;
    case PI_OP_SINCE: *(uint8_t *)member = pi_is_since(op, v); break;
    case PI_OP_LITTLE:
    case PI_OP_ORDER: break;
    default: *(uint64_t *)member = pi_derived(op, v); break;
    }
}

/* ---- Fields. */

static void make_rest_of(struct maker *m, const struct pd_op *op, void *member)
{
    const size_t n = random_count(m, m->room / 8);
    if (op->kind == PI_OP_REST)
        make_bytes(m, member, 8 * n);
    else
        make_vec(m, op, member, n);
    m->room = 0;
}

static void make_array(struct maker *m, const struct pd_op *op, uint8_t *member)
{
    for (uint64_t i = 0; i < op->arg; i++)
        member[i] = op->ref ? (uint8_t)op->ref[i] : (uint8_t)pi_rng_next(m->rng);
    m->at += (size_t)op->arg;
}

static void make_field(struct maker *m, const struct pd_op *head, const struct pd_op *op, void *v)
{
    void *member = (uint8_t *)v + op->offset;
    const size_t n = op->count_width ? (size_t)pi_count(op, &m->shape, v) : 0;
    switch (op->kind) {
    case PI_OP_ARR: make_array(m, op, member); break;
    case PI_OP_STR: make_str(m, member); break;
    case PI_OP_CSTR: make_cstr(m, op, member); break;
    case PI_OP_STR64: make_str64(m, op, member); break;
    case PI_OP_STRV: make_strv(m, member); break;
    case PI_OP_STRN:
    case PI_OP_STRMAX: make_strn(m, op, member); break;
    case PI_OP_SLOT: make_counted_str(m, op, member, n); break;
    case PI_OP_BYTES: make_bytes(m, member, n); break;
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_GRID64:
    case PI_OP_REGS: make_vec(m, op, member, n); break;
    case PI_OP_REST:
    case PI_OP_VECR64: make_rest_of(m, op, member); break;
    case PI_OP_LIST: make_list(m, op, member, n); break;
    case PI_OP_ITEMS: make_items(m, op, member, n); break;
    case PI_OP_MESSAGE:
    case PI_OP_ITEMSR: make_itemsr(m, op, member); break;
    case PI_OP_SUB: make_layout(m, op->sub(), member); break;
    case PI_OP_SIZED: make_sized(m, op, v, member); break;
    case PI_OP_ATTR: make_attr(m, member, random_attr_size(m->rng)); break;
    case PI_OP_OPT64:
        pi_scalar_set(op, v, n ? pi_rng_below(m->rng, n + 1) : 0);
        m->at += n ? 8 : 0;
        break;
    default:
        if (op->kind >= PI_OP_GIVEN)
            make_derived(m, op, v);
        else
            make_scalar(m, head, op, v);
        break;
    }
}

static void make_layout(struct maker *m, const struct pd_op *head, void *v)
{
    const uint32_t given = m->shape.given;
    struct pi_rng *const outer = m->rng;
    const uint64_t seed = pi_rng_next(outer);
    for (const struct pd_op *op = pi_present(head, &m->shape, v); op->kind != PI_OP_END && !m->failed;
         op = pi_present(op + 1, &m->shape, v)) {
        struct pi_rng own = pi_rng_named(seed, op->name);
        m->rng = &own;
        make_field(m, head, op, v);
    }
    m->rng = outer;
    m->shape.given = given;
}

bool pi_random_attr(struct pi_rng *rng, struct pi_arena *arena, struct pd_attr *attr)
{
    struct pi_rng own = draw(rng);
    struct maker m = {.rng = &own, .arena = arena};
    memset(attr, 0, sizeof *attr);
    make_attr(&m, attr, random_attr_size(&own));
    return !m.failed;
}

/* ---- Records. */

/* Another variant than the usual one, as the type allows it. */
static uint8_t random_variant(const struct pd_plan *plan, uint32_t type, uint16_t misc, struct pi_rng *rng)
{
    const uint8_t usual = pi_usual_variant(plan, type);
    switch (type) {
    case PD_RECORD_SAMPLE:
        if (plan->shape.sample_type & PD_SAMPLE_REGS_USER && pi_rng_one_in(rng, 3))
            return usual | PD_VARIANT_UNKNOWN_USER_REGS;
        if (plan->shape.sample_type & PD_SAMPLE_REGS_INTR && pi_rng_one_in(rng, 3))
            return usual | PD_VARIANT_UNKNOWN_INTR_REGS;
        if (!(plan->shape.sample_type & PD_SAMPLE_BRANCH_STACK))
            return usual;
        if (plan->shape.branch_sample_type & PD_BRANCH_SAMPLE_HW_INDEX && pi_rng_one_in(rng, 2))
            return usual | PD_VARIANT_NO_HW_IDX;
        return usual ^ PD_VARIANT_BRANCH_COUNTERS;
    case PD_RECORD_MMAP2: return misc & PD_MISC_MMAP_BUILD_ID ? usual : PD_VARIANT_EARLY_MMAP2;
    case PD_RECORD_LOST_SAMPLES: return plan->id_all ? usual : PD_VARIANT_SAMPLE_ID;
    case PD_RECORD_HEADER_BUILD_ID: return plan->id_all ? PD_VARIANT_SAMPLE_ID : usual;
    default: return usual;
    }
}

/* Bytes behind the known fields: what a newer writer would add, or the padding to a multiple of 8. */
static void make_rest(struct maker *m, struct pd_record *rec, bool more)
{
    const size_t pad = (8 - m->at % 8) % 8;
    const bool unknown = rec->layout == NULL || rec->variant & PI_VARIANT_UNKNOWN_REGS;
    if (unknown)
        make_bytes(m, &rec->rest, 8 * random_count(m, m->room / 8));
    else if (more && m->room >= 64)
        make_bytes(m, &rec->rest, 8 * (1 + pi_rng_size(m->rng, 4)));
    else if (pad && m->room >= pad && rec->type != PD_RECORD_SAMPLE && !pi_rng_one_in(m->rng, 8))
        make_bytes(m, &rec->rest, pad);
}

/* Makes the record anew. `odd`: with what is not usual, if the type has anything of the kind. */
static bool make_record(struct maker *m, const struct pd_plan *plan, struct pd_record *rec, bool odd)
{
    const uint32_t type = rec->type;
    const struct pd_op *layout = pi_layout_of(type);
    *rec = (struct pd_record){
        .type = type, .plan = plan, .attr_index = UINT32_MAX, .layout = layout, .decoded = true};
    rec->misc = (uint16_t)pi_random_value(m->rng, layout ? layout->set : &pd_set_HEX, 2);
    rec->variant = odd ? random_variant(plan, type, rec->misc, m->rng) : pi_usual_variant(plan, type);
    rec->has_id = pi_has_id(plan, rec->type, rec->variant);
    m->shape = plan->shape;
    m->shape.misc = rec->misc;
    m->shape.given = rec->misc;
    m->shape.variant = rec->variant;
    m->full = false;
    const size_t fixed = 8 + (layout ? fixed_bytes(m, layout) : 0) + (rec->has_id ? plan->trailer : 0u) +
                         8u * (size_t)(plan->shape.n_regs[0] + plan->shape.n_regs[1]);
    m->at = 8;
    m->room = UINT16_MAX - fixed < m->most ? UINT16_MAX - fixed : m->most;
    if (layout)
        make_layout(m, layout, &rec->u);
    struct pi_rng *const outer = m->rng;
    struct pi_rng behind = draw(outer), id = draw(outer);
    m->rng = &behind;
    make_rest(m, rec, odd && rec->variant == pi_usual_variant(plan, type) && pi_rng_one_in(m->rng, 4));
    m->rng = &id;
    if (rec->has_id)
        make_layout(m, pi_layout_sample_id(), &rec->id);
    m->rng = outer;
    return !m->failed;
}

/* Some records of unusual form cannot be told from others: then decoding would not give them back. */
static bool is_told_apart(struct maker *m, const struct pd_record *rec)
{
    struct pd_record back = {0};
    size_t n;
    struct pi_arena rest = *m->arena;
    if (rest.left < UINT16_MAX || pd_record_encode(rec->plan, rec, rest.ptr, rest.left, &n, NULL) ||
        pd_record_decode(rec->plan, rest.ptr, n, &back, NULL))
        return false;
    return back.variant == rec->variant && pd_record_equal(rec, &back, NULL);
}

/* True if the usual layout is, or may seem to be, another variant of the type. */
static bool is_doubtful(const struct pd_record *rec, bool odd)
{
    return odd || rec->rest.n || rec->type == PD_RECORD_HEADER_BUILD_ID;
}

bool pi_random_record(const struct pd_plan *plan, uint32_t type, struct pi_rng *rng, struct pi_arena *arena,
                      struct pd_record *rec)
{
    return pi_random_small_record(plan, type, UINT16_MAX, rng, arena, rec);
}

bool pi_random_small_record(const struct pd_plan *plan, uint32_t type, size_t most, struct pi_rng *rng,
                            struct pi_arena *arena, struct pd_record *rec)
{
    const struct pi_arena before = *arena;
    const struct pd_op *layout = pi_layout_of(type);
    struct pi_rng own = pi_rng_named(pi_rng_next(rng), layout ? layout->name : NULL);
    const bool odd = pi_rng_one_in(&own, 8);
    struct maker m = {.rng = &own, .arena = arena, .most = most};
    rec->type = type;
    if (!make_record(&m, plan, rec, odd))
        return false;
    if (is_doubtful(rec, odd) && !is_told_apart(&m, rec)) {
        *arena = before;
        m.plain = type == PD_RECORD_HEADER_BUILD_ID;
        if (!make_record(&m, plan, rec, false))
            return false;
        /* Even the padding that aligns the size may be taken for something else. */
        if (rec->layout && rec->rest.n && !is_told_apart(&m, rec))
            rec->rest = (struct pd_bytes){NULL, 0};
    }
    return true;
}

/* ---- Features. */

#define FEATURE_ROOM 20000

static bool make_feature(struct maker *m, struct pd_feature *f)
{
    m->shape.given = f->nr_cpus_avail;
    m->shape.variant = f->variant;
    m->full = false;
    m->room = FEATURE_ROOM;
    memset(&f->u, 0, sizeof f->u);
    f->rest = (struct pd_bytes){NULL, 0};
    if (f->layout)
        make_layout(m, f->layout, &f->u);
    if (!f->layout || (m->room && !m->full && pi_rng_one_in(m->rng, 8)))
        make_bytes(m, &f->rest, 1 + pi_rng_size(m->rng, 40));
    return !m->failed;
}

/* Nothing at all is read as "not recorded". */
static bool is_empty(const struct pd_feature *f)
{
    size_t n;
    return pd_feature_encode(PD_HOST_ORDER, f, NULL, 0, &n, NULL) == PD_OK && n == 0;
}

/* Build ids without pid are those in which the kernel's name shows that there is none. */
static bool lacks_pid(const struct maker *m, const struct pd_feature *f)
{
    struct pd_feature back;
    size_t n;
    const struct pi_arena rest = *m->arena;
    return pd_feature_encode(PD_HOST_ORDER, f, rest.ptr, rest.left, &n, NULL) == PD_OK &&
           pd_feature_decode(PD_HOST_ORDER, f->id, 0, rest.ptr, n, &back, NULL) == PD_OK &&
           back.variant == f->variant;
}

bool pi_random_feature(struct pi_rng *rng, struct pi_arena *arena, uint32_t id, uint32_t nr_cpus_avail,
                       struct pd_feature *f)
{
    const struct pi_arena before = *arena;
    const struct pd_op *layout = pi_layout_of_feature(id);
    struct pi_rng own = pi_rng_named(pi_rng_next(rng), layout ? layout->name : NULL);
    struct maker m = {.rng = &own, .arena = arena};
    *f = (struct pd_feature){.id = id, .nr_cpus_avail = nr_cpus_avail, .layout = layout};
    f->variant = id == PD_FEAT_BUILD_ID && pi_rng_one_in(&own, 4) ? PD_VARIANT_NO_PID : 0;
    if (!make_feature(&m, f))
        return false;
    if (f->variant && !lacks_pid(&m, f)) {
        *arena = before;
        f->variant = 0;
        if (!make_feature(&m, f))
            return false;
    }
    if (is_empty(f))
        f->layout = NULL;
    return true;
}

/* ---- Others. */

bool pi_random_parts(struct pi_rng *rng, struct pi_arena *arena, const struct pd_shape *shape,
                     const struct pd_op *layout, void *value)
{
    struct pi_rng own = draw(rng);
    struct maker m = {.rng = &own, .arena = arena, .shape = *shape, .room = FEATURE_ROOM};
    make_layout(&m, layout, value);
    return !m.failed;
}
