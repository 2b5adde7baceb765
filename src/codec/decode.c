/* SPDX-License-Identifier: MIT */
/*
 * decode.c - the straight-line decoder: the schema expanded once per byte order, and the choice of the
 * variant.
 */
#include "interpret.h"
#include "parts.h"
#include "usual.h"
#include "variant.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "cursor.h"

#define ORDER PD_LITTLE
#define FN(name_) name_##_le
#include "decode_layout.h"
#undef ORDER
#undef FN

#define ORDER PD_BIG
#define FN(name_) name_##_be
#include "decode_layout.h"
#undef ORDER
#undef FN

/* Decodes under one variant. The caller has seen to it that absent fields of rec->u are 0. */
static bool decode_variant(const struct pd_plan *plan, struct pd_record *rec, uint8_t variant)
{
    struct pd_shape shape = plan->shape;
    shape.misc = rec->misc;
    shape.variant = variant;
    rec->variant = variant;
    rec->has_id = pi_has_id(plan, rec->type, variant);
    return plan->order == PD_LITTLE ? decode_payload_le(plan, &shape, rec)
                                    : decode_payload_be(plan, &shape, rec);
}

static inline uint8_t variants_of_branches(const struct pd_plan *plan)
{
    if (!(plan->shape.sample_type & PD_SAMPLE_BRANCH_STACK))
        return 0;
    return PD_VARIANT_BRANCH_COUNTERS |
           (plan->shape.branch_sample_type & PD_BRANCH_SAMPLE_HW_INDEX ? PD_VARIANT_NO_HW_IDX : 0);
}

/* The variants that could explain this record, other than the usual one. */
static uint8_t other_variants(const struct pd_plan *plan, const struct pd_record *rec)
{
    switch (rec->type) {
    case PD_RECORD_SAMPLE: return variants_of_branches(plan);
    case PD_RECORD_MMAP2: return rec->misc & PD_MISC_MMAP_BUILD_ID ? 0 : PD_VARIANT_EARLY_MMAP2;
    case PD_RECORD_LOST_SAMPLES: return plan->id_all ? 0 : PD_VARIANT_SAMPLE_ID;
    case PD_RECORD_HEADER_BUILD_ID: /* sizes without sample_id are 4 more than a multiple of 8 */
        return plan->id_all && rec->size % 8 == 0 ? PD_VARIANT_SAMPLE_ID : 0;
    default: return 0;
    }
}

/* True if this may be an early MMAP2. */
static bool early_name(const struct pd_plan *plan, const struct pd_record *rec)
{
    const size_t trailer = plan->id_all ? plan->trailer : 0;
    return rec->size >= 72 + trailer && pi_prot_is_name(rec->raw + 64);
}

/* True if the decoded record ends exactly, and the variant is possible. */
static bool fits(const struct pd_record *rec)
{
    switch (rec->type) {
    case PD_RECORD_SAMPLE: return pi_variant_possible(rec) && rec->rest.n == 0;
    case PD_RECORD_MMAP2: return rec->u.mmap2.filename.size == pi_align8(rec->u.mmap2.filename.len + 1);
    case PD_RECORD_HEADER_BUILD_ID:
        return rec->u.header_build_id.file.filename.len < rec->u.header_build_id.file.filename.size;
    default: return rec->rest.n == 0;
    }
}

static void clear_payload(struct pd_record *rec)
{
    memset(&rec->u, 0, rec->layout ? rec->layout->offset : 0);
    memset(&rec->id, 0, sizeof rec->id);
    rec->rest = (struct pd_bytes){rec->raw + 8, 0};
}

/* Tries all other variants; the first that ends exactly wins. */
static bool decode_other(const struct pd_plan *plan, struct pd_record *rec, uint8_t usual, uint8_t others)
{
    for (uint8_t v = 1; v <= others; v++) {
        if (v & ~others)
            continue;
        clear_payload(rec);
        if (decode_variant(plan, rec, usual ^ v) && fits(rec))
            return true;
    }
    return false;
}

static bool interpret_as(const struct pd_plan *plan, struct pd_record *rec, uint8_t variant)
{
    clear_payload(rec);
    rec->variant = variant;
    return pi_interpret_decode(plan, rec, &rec->u, NULL) == PD_OK && pi_variant_possible(rec);
}

/* True for samples with registers: some forms of these only the interpreter knows. */
static bool has_registers(const struct pd_plan *plan, const struct pd_record *rec)
{
    const uint64_t regs = PD_SAMPLE_REGS_USER | PD_SAMPLE_REGS_INTR;
    return rec->type == PD_RECORD_SAMPLE && plan->shape.sample_type & regs;
}

static bool decode_any(const struct pd_plan *plan, struct pd_record *rec)
{
    const uint8_t usual = pi_usual_variant(plan, rec->type);
    const uint8_t others = other_variants(plan, rec);
    if (others & PD_VARIANT_EARLY_MMAP2 && early_name(plan, rec) && decode_other(plan, rec, usual, others))
        return true;
    if (others & PD_VARIANT_EARLY_MMAP2) {
        clear_payload(rec);
        return decode_variant(plan, rec, usual);
    }
    /* The name would include a sample_id behind it as padding. */
    if (rec->type == PD_RECORD_HEADER_BUILD_ID && others && decode_other(plan, rec, usual, others))
        return true;
    const bool ok = decode_variant(plan, rec, usual);
    if ((ok && rec->rest.n == 0) || !others)
        return ok;
    if (!ok && has_registers(plan, rec) && interpret_as(plan, rec, usual) && rec->rest.n == 0)
        return true;
    if (decode_other(plan, rec, usual, others))
        return true;
    clear_payload(rec);
    return decode_variant(plan, rec, usual);
}

/*
 * A sample of one of the usual types, which ends where it should, into a record that held the same before.
 * The compiler drops the fields that WHEN leaves out: 5 ns in place of 20 for 56 bytes. False: the other
 * decoders must decide.
 */
__attribute__((flatten)) static bool decode_usual(const struct pd_plan *plan, struct pd_record *rec)
{
    struct pi_take c = {rec->raw + 8, rec->size - 8u};
    switch (plan->usual) {
#define USUAL(number_, sample_type_)                                                                  \
    case number_: {                                                                                   \
        const struct pd_shape shape = {.sample_type = sample_type_};                                  \
        if (!take_budget(&c, budget_sample(&shape)) || !decode_sample_le(&c, &shape, &rec->u.sample)) \
            return false;                                                                             \
        break;                                                                                        \
    }
        PI_EACH_USUAL(USUAL)
#undef USUAL
    default: return false;
    }
    rec->variant = 0;
    rec->has_id = false;
    rec->rest = (struct pd_bytes){c.p, 0};
    return c.slack == 0;
}

/* Of unused fields, the compiler keeps only what the sizes need. */
__attribute__((flatten)) bool pi_sample_fits(const struct pd_plan *plan, const uint8_t *raw, size_t size)
{
    struct pi_take c = {raw + 8, size - 8};
    struct pd_sample sample;
    if (plan->order != PD_LITTLE)
        return false;
    switch (plan->usual) {
#define USUAL(number_, sample_type_)                                                              \
    case number_: {                                                                               \
        const struct pd_shape shape = {.sample_type = sample_type_};                              \
        return take_budget(&c, budget_sample(&shape)) && decode_sample_le(&c, &shape, &sample) && \
               c.slack == 0;                                                                      \
    }
        PI_EACH_USUAL(USUAL)
#undef USUAL
    default: return false;
    }
}

/* As decode_any() does first: what ends exactly under the usual variant has no other. */
bool pi_unusual_fits(const struct pd_plan *plan, const uint8_t *raw, size_t size)
{
    struct pi_take c = {raw + 8, size - 8};
    struct pd_sample sample = {0};
    struct pd_shape shape = plan->shape;
    if (plan->usual || plan->order != PD_LITTLE || pi_layout_unknown(plan, PD_RECORD_SAMPLE))
        return false;
    shape.misc = pi_load16(raw + 4, PD_LITTLE);
    shape.variant = pi_usual_variant(plan, PD_RECORD_SAMPLE);
    return take_budget(&c, shape.variant ? budget_sample(&shape) : plan->budget) &&
           decode_sample_le(&c, &shape, &sample) && c.slack == 0;
}

/*
 * True if an unknown abi is as a kernel would write it: of a 32-bit or a 64-bit task, and without bits far
 * up. A register, a counter or an index of a branch at its place seldom is.
 */
static bool is_likely(uint64_t abi)
{
    return abi >> 16 == 0 && ((abi & 3) == PD_REGS_ABI_32 || (abi & 3) == PD_REGS_ABI_64);
}

/* The forms that the branch stack before the registers may have, as differences from the usual one. */
static const uint8_t branch_forms[] = {0, PD_VARIANT_NO_HW_IDX, PD_VARIANT_BRANCH_COUNTERS,
                                       PD_VARIANT_NO_HW_IDX | PD_VARIANT_BRANCH_COUNTERS};

/* With registers of an unknown abi, no end tells which form the branch stack has: a likely abi does. */
static bool decode_unknown_regs(const struct pd_plan *plan, struct pd_record *rec)
{
    static const uint8_t unknown[] = {PD_VARIANT_UNKNOWN_USER_REGS, PD_VARIANT_UNKNOWN_INTR_REGS};
    const uint8_t usual = pi_usual_variant(plan, rec->type), others = variants_of_branches(plan);
    uint8_t found = usual;
    for (size_t i = 0; i < 2 * sizeof branch_forms; i++) {
        const uint8_t form = branch_forms[i / 2], variant = usual ^ form ^ unknown[i % 2];
        if (form & ~others || !interpret_as(plan, rec, variant))
            continue;
        if (is_likely(pi_variant_abi(rec)))
            return true;
        found = form ? found : variant;
    }
    return found != usual && interpret_as(plan, rec, found);
}

/*
 * A sample with what only its registers' abi tells of. It is not known as filled_as, as the next of its event
 * may be without.
 */
static bool decode_unusual_regs(const struct pd_plan *plan, struct pd_record *rec)
{
    const uint8_t usual = pi_usual_variant(plan, rec->type), others = variants_of_branches(plan);
    for (size_t i = 0; i < sizeof branch_forms; i++)
        if (!(branch_forms[i] & ~others) && interpret_as(plan, rec, usual ^ branch_forms[i]) &&
            rec->rest.n == 0)
            return true;
    return decode_unknown_regs(plan, rec) || interpret_as(plan, rec, usual);
}

/*
 * A record that the straight-line decoder could not decode: the tables know more layouts, or else the wrong
 * field.
 */
__attribute__((noinline)) static enum pd_code decode_by_tables(const struct pd_plan *plan,
                                                               struct pd_record *rec, struct pd_error *error)
{
    if (has_registers(plan, rec))
        rec->decoded = decode_unusual_regs(plan, rec);
    return rec->decoded ? PD_OK : pi_interpret_decode(plan, rec, NULL, error);
}

__attribute__((noinline)) static enum pd_code decode_framed(const struct pd_plan *plan, struct pd_record *rec,
                                                            bool filled, struct pd_error *error)
{
    const bool sample = rec->type == PD_RECORD_SAMPLE;
    if (pi_layout_unknown(plan, rec->type))
        return pi_fail_record(error, PD_EUNKNOWN, rec, 0, "sample_type", plan->shape.sample_type, 0);
    if (!filled) {
        rec->layout = pi_layout_of(rec->type);
        clear_payload(rec);
    }
    rec->plan = plan;
    rec->decoded = decode_any(plan, rec);
    rec->filled_as =
        sample && rec->decoded && rec->variant == pi_usual_variant(plan, rec->type) ? plan->key : 0;
    return rec->decoded ? PD_OK : decode_by_tables(plan, rec, error);
}

enum pd_code pd_record_decode_framed(const struct pd_plan *plan, struct pd_record *rec,
                                     struct pd_error *error)
{
    /* Fields that the shape leaves out are still 0 from the record before, when that had the same shape. */
    const bool filled = rec->type == PD_RECORD_SAMPLE && rec->filled_as == plan->key;
    if (!filled || plan->order != PD_LITTLE || !decode_usual(plan, rec))
        return decode_framed(plan, rec, filled, error);
    rec->plan = plan;
    rec->decoded = true;
    return PD_OK;
}

enum pd_code pd_record_decode(const struct pd_plan *plan, const void *bytes, size_t n, struct pd_record *rec,
                              struct pd_error *error)
{
    enum pd_code code = pd_record_frame(plan->order, bytes, n, rec, error);
    return code ? code : pd_record_decode_framed(plan, rec, error);
}

enum pd_code pd_record_frame(enum pd_order order, const void *bytes, size_t n, struct pd_record *rec,
                             struct pd_error *error)
{
    const uint8_t *p = bytes;
    rec->type = 0, rec->misc = 0, rec->size = 0, rec->raw = p, rec->payload_size = 0;
    rec->decoded = false;
    if (n < 8)
        return pi_fail_record(error, PD_ESHORT, rec, 0, "header", n, 8);
    rec->type = pi_load32(p, order);
    rec->misc = pi_load16(p + 4, order);
    rec->size = pi_load16(p + 6, order);
    if (rec->size < 8)
        return pi_fail_record(error, PD_ESIZE, rec, 6, "size", rec->size, 8);
    if (rec->size > n)
        return pi_fail_record(error, PD_ETRUNC, rec, 6, "size", n, rec->size);
    return PD_OK;
}

/* Accessors of list elements: pd_branch_entry_at() and so on. */
#define ELEMENT_AT(name_)                                                           \
    void pd_##name_##_at(const struct pd_list *l, size_t i, struct pd_##name_ *out) \
    {                                                                               \
        const uint8_t *p = (const uint8_t *)l->ptr + i * l->stride;                 \
        const struct pd_shape shape = {.read_format = l->when};                     \
        struct pi_take c = {p, 0};                                                  \
        memset(out, 0, sizeof *out);                                                \
        if (l->form == PD_FORM_STRUCT)                                              \
            memcpy(out, p, sizeof *out);                                            \
        else if (l->form == PD_FORM_LITTLE)                                         \
            decode_##name_##_le(&c, &shape, out);                                   \
        else                                                                        \
            decode_##name_##_be(&c, &shape, out);                                   \
    }
ELEMENT_AT(read_value)
ELEMENT_AT(branch_entry)
ELEMENT_AT(namespace_entry)

void pi_branch_entries_at(const struct pd_list *l, size_t i, size_t n, struct pd_branch_entry *out)
{
    const uint8_t *p = (const uint8_t *)l->ptr + i * l->stride;
    const struct pd_shape shape = {.read_format = l->when};
    if (l->form != PD_FORM_LITTLE) {
        for (size_t k = 0; k < n; k++)
            pd_branch_entry_at(l, i + k, &out[k]);
        return;
    }
    for (size_t k = 0; k < n; k++, p += l->stride) {
        struct pi_take c = {p, 0};
        decode_branch_entry_le(&c, &shape, &out[k]);
    }
}

/* Whole parts with fixed fields, for files and attrs: `bytes` holds all of it. */
#define TAKE_PART(name_)                                                                      \
    void pi_##name_##_take(const uint8_t *bytes, enum pd_order order, struct pd_##name_ *out) \
    {                                                                                         \
        const struct pd_shape shape = {0};                                                    \
        struct pi_take c = {bytes, 0};                                                        \
        if (order == PD_LITTLE)                                                               \
            decode_##name_##_le(&c, &shape, out);                                             \
        else                                                                                  \
            decode_##name_##_be(&c, &shape, out);                                             \
    }
TAKE_PART(attr)
TAKE_PART(file_section)
TAKE_PART(file_header)
TAKE_PART(event_type)
TAKE_PART(tracepoint_common)
