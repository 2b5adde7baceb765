/* SPDX-License-Identifier: MIT */
/*
 * untouched.c - samples that the edits leave as they are, but for raw data at their end, found without
 * decoding them. Of an event whose samples have only numbers, a call chain and raw data, the tables of the
 * schema tell where these are; the size and the number of entries tell that nothing else is there. What may
 * change in such a sample are reserved bytes, which become 0, words in its chain that are no addresses, and
 * its raw data, which is changed here. All others are left to pi_edits_record().
 */
#include "edits.h"
#include "src/container/reader/sample_run.h"
#include "src/schema/passes/walk.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/support/wire.h"

enum { ZEROS = 4, RAW_SIZE = 4, RUN = 128 << 10 };

struct pi_untouched {
    bool known, suits, clean; /* clean: words of the chain are looked at */
    bool raw, changes_raw;    /* there is raw data, behind all others; it changes */
    uint16_t size;            /* bytes but for the entries of the chain and the raw data */
    uint16_t chain;           /* place of the number of entries; 0: there is no chain */
    uint8_t n_zeros;
    struct {
        uint16_t end;
        uint8_t width;
    } zeros[ZEROS]; /* numbers that become 0 */
};

/* A field of samples: a number at k->size, or the call chain or raw data there. False: it is another one. */
static bool take_field(const struct pi_edits *e, const struct pd_op *head, const struct pd_op *op,
                       struct pi_untouched *k)
{
    const unsigned kind = pi_retouch_kind(&e->touch, head, op), width = pi_scalar_width(op);
    if (k->raw)
        return false;
    if (op->kind == PI_OP_SUB && op->offset == offsetof(struct pd_sample, raw)) {
        k->raw = true;
        k->changes_raw = kind != PI_ID_NONE;
        k->size += RAW_SIZE;
        return true;
    }
    if (op->kind == PI_OP_SUB && op->offset == offsetof(struct pd_sample, callchain) && !k->chain) {
        k->chain = k->size;
        k->size += 8;
        return kind == PI_ID_NONE;
    }
    const bool becomes_zero = kind == PI_ID_ZERO && width && !k->chain && k->n_zeros < ZEROS;
    k->size += (uint16_t)width;
    if (becomes_zero) {
        k->zeros[k->n_zeros].end = k->size;
        k->zeros[k->n_zeros++].width = (uint8_t)width;
    }
    return width && op->kind != PI_OP_OPT64 && (kind == PI_ID_NONE || becomes_zero);
}

static struct pi_untouched find_fields(const struct pi_edits *e, const struct pd_plan *plan)
{
    const struct pd_op *head = pi_layout_of(PD_RECORD_SAMPLE);
    struct pi_untouched k = {.known = true, .size = sizeof(struct pi_record_header)};
    k.suits = !(e->drop >> pi_identities_of(&e->touch.ids, head)->kinds[0] & 1) &&
              !(e->strip & plan->shape.sample_type) && plan->order == PD_HOST_ORDER && !plan->offcpu;
    for (const struct pd_op *op = head + 1; k.suits && op->kind != PI_OP_END; op++)
        k.suits = !pi_is_field_test(op);
    for (const struct pd_op *op = pi_present(head, &plan->shape, NULL); k.suits && op->kind != PI_OP_END;
         op = pi_present(op + 1, &plan->shape, NULL))
        k.suits = take_field(e, head, op, &k);
    k.suits &= !(k.chain && e->max_stack);
    k.clean = k.chain && e->clean_chains;
    return k;
}

/* NULL: there are too many events, or there is no memory. */
static const struct pi_untouched *fields_of(struct pi_edits *e, uint32_t event, const struct pd_plan *plan)
{
    while (event < PI_LIMIT_UNTOUCHED && e->n_untouched <= event) {
        if (!pi_grow(e->allocator, (void **)&e->untouched, e->n_untouched, &e->untouched_cap,
                     sizeof *e->untouched))
            return NULL;
        e->untouched[e->n_untouched++] = (struct pi_untouched){.known = false};
    }
    if (event >= e->n_untouched)
        return NULL;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where there are events, there is their memory */
    if (!e->untouched[event].known)
        e->untouched[event] = find_fields(e, plan);
    return &e->untouched[event];
}

static inline uint64_t word_at(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* True if all n entries stay. Nobody can predict these, so there is no branch. */
static inline bool is_clean(const uint8_t *p, size_t n)
{
    bool user = false, other = false;
    for (; n; n--, p += 8)
        other |= pi_is_no_address(word_at(p), &user);
    return !other;
}

/* The number that ends at p, and bytes before it that do not count. */
static inline uint64_t number_before(const uint8_t *p, unsigned width)
{
    const uint64_t word = word_at(p - 8);
    return PD_HOST_ORDER == PD_LITTLE ? word >> (64 - 8 * width) : word << (64 - 8 * width);
}

/* The bytes of the raw data; SIZE_MAX: the sample is to be decoded. */
static inline size_t raw_of(const struct pi_untouched *k, const uint8_t *sample, size_t size)
{
    if (size < k->size)
        return SIZE_MAX;
    const uint64_t n = k->chain ? word_at(sample + k->chain) : 0;
    const size_t more = size - k->size;
    if (n > more / 8)
        return SIZE_MAX;
    const size_t raw = more - 8 * (size_t)n;
    uint64_t other = k->raw ? pi_load32(sample + size - raw - RAW_SIZE, PD_HOST_ORDER) ^ raw : raw;
    for (size_t i = 0; i < k->n_zeros; i++)
        other |= number_before(sample + k->zeros[i].end, k->zeros[i].width);
    return other || (k->clean && !is_clean(sample + k->chain + 8, (size_t)n)) ? SIZE_MAX : raw;
}

/*
 * Copies a sample to e->run, behind the `used` bytes there, with its raw data changed where it does. False:
 * there is no room, or it is to be decoded.
 */
__attribute__((noinline)) static bool put_changed(struct pi_edits *e, const struct pd_attr *attr,
                                                  bool changes, const uint8_t *p, size_t size, size_t raw,
                                                  size_t used)
{
    struct pd_bytes data = {p + size - raw, raw};
    if (!e->run && !(e->run = pi_resize(e->allocator, NULL, RUN)))
        return false;
    e->touch.used = 0;
    e->event = attr;
    if (RUN - used < size || (changes && e->touch.bytes(e, PI_ID_RAW, &data, NULL)) || data.n != raw)
        return false;
    memcpy(e->run + used, p, size - raw);
    memcpy(e->run + used + size - raw, data.ptr, raw);
    return true;
}

size_t pi_edits_pass(struct pi_edits *e, struct pd_reader *r, const uint8_t **bytes, uint64_t *n)
{
    const uint8_t *stop, *const start = pi_reader_sees(r, &stop), *p = start;
    struct pi_samples run = pi_samples_of(r);
    const struct pi_untouched *k = NULL;
    bool copied = false; /* to e->run */
    uint64_t time, passed = 0;
    while (pi_samples_next(p, (size_t)(stop - p), &run, &time)) {
        k = run.index < e->n_untouched ? &e->untouched[run.index] : NULL;
        if (k == NULL || !k->known)
            k = fields_of(e, run.index, run.plan);
        const size_t raw = k == NULL || !k->suits ? SIZE_MAX : raw_of(k, p, run.size);
        if (raw == SIZE_MAX)
            break;
        if (k->changes_raw || copied) {
            if (!copied && passed) /* those before it are given first, from where they are */
                break;
            if (!put_changed(e, &r->attrs.attr[run.index]->attr, k->changes_raw, p, run.size, raw,
                             (size_t)(p - start)))
                break;
            copied = true;
        }
        p += run.size;
        passed++;
    }
    *bytes = copied ? e->run : start;
    *n = passed;
    pi_reader_passed(r, p, passed);
    return (size_t)(p - start);
}
