/* SPDX-License-Identifier: MIT */
/*
 * round_trip.c - encode(decode(x)) = x for all bytes of every layout of fixed size, in both byte orders, as a
 * theorem that the compiler's optimiser proves: a difference calls not_proved(), which nothing defines, so
 * that the program links only if every such call was found to be impossible. Words of bitfields are taken as
 * they are here; main() tries the mirrors with every bit.
 */
#include "src/support/wire.h"

#define pi_mirror_from_big(set_, word_) (word_)
#define pi_mirror_to_big(set_, word_) (word_)
#include "src/codec/decode.c"
#include "encode/codec/encode.c"
#undef pi_mirror_from_big
#undef pi_mirror_to_big

#include <stdio.h>

void not_proved(void);

/*
 * Layouts with an item of variable size are left out, but for a tail, which is empty then; and two with an
 * array of bytes, which the optimiser does not follow.
 */
#define LAYOUT(name_, doc_) enum { VARIES_##name_ = 0
#define RECORD(name_, type_, misc_, trailer_, doc_) LAYOUT(name_, doc_)
#define END(name_) \
    }              \
    ;
#define STR(f_, doc_) +1
#define ARR(f_, n_, doc_) +1
#define BYTES(f_, n_, doc_) +1
#define VEC64(f_, n_, set_, doc_) +1
#define VECR64(f_, set_, doc_) +1
#define GRID64(f_, rows_, columns_, set_, doc_) +1
#define REGS(f_, abi_, which_, doc_) +1
#define OPT64(f_, n_, set_, doc_) +1
#define LATE(f_, abi_, bit_, layout_, doc_) +1
#define LIST(f_, n_, layout_, doc_) +1
#define SUB(f_, layout_, doc_) +VARIES_##layout_
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef END

/* Are the scalars the same, at the same places? Compared in their width, which is how they were written. */
struct pair {
    const uint8_t *in, *out;
};

#define LAYOUT(name_, doc_)                                                   \
    static inline bool same_##name_(struct pair *c, const struct pd_shape *s) \
    {                                                                         \
        bool same = true;                                                     \
        (void)c, (void)s;
#define END(name_) \
    return same;   \
    }
#define SAME(load_, width_) same &= load_(c->in) == load_(c->out), c->in += (width_), c->out += (width_);
#define LOAD8(p_) (*(p_))
#define LOAD16(p_) pi_load16(p_, PD_HOST_ORDER)
#define LOAD32(p_) pi_load32(p_, PD_HOST_ORDER)
#define LOAD64(p_) pi_load64(p_, PD_HOST_ORDER)
#define U8(f_, set_, doc_) SAME(LOAD8, 1)
#define U16(f_, set_, doc_) SAME(LOAD16, 2)
#define U32(f_, set_, doc_) SAME(LOAD32, 4)
#define S32(f_, set_, doc_) SAME(LOAD32, 4)
#define B32(f_, set_, doc_) SAME(LOAD32, 4)
#define U64(f_, set_, doc_) SAME(LOAD64, 8)
#define B64(f_, set_, doc_) SAME(LOAD64, 8)
#define SUB(f_, layout_, doc_) same &= same_##layout_(c, s);
#define WHEN(src_, bit_) if (s->src_ & PI_MASK_##src_(bit_)) {
#define UNLESS(src_, bit_) if (!(s->src_ & PI_MASK_##src_(bit_))) {
#define DONE }
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END

#define ROUND_TRIP(name_, order_, case_, ...)                                  \
    void round_trip_##name_##_##order_##case_(const uint8_t *in)               \
    {                                                                          \
        const struct pd_shape s = {.given = 0, __VA_ARGS__};                   \
        if (VARIES_##name_)                                                    \
            return;                                                            \
        const size_t n = budget_##name_(&s);                                   \
        uint8_t out[PI_BYTES_##name_ + 8];                                     \
        struct pi_take take = {in, 0};                                         \
        struct pi_put put = {out};                                             \
        struct pd_##name_ v;                                                   \
        if (!decode_##name_##_##order_(&take, &s, &v) || take.p != in + n)     \
            not_proved();                                                      \
        encode_##name_##_##order_(&put, &s, &v);                               \
        struct pair pair = {in, out};                                          \
        if (put.p != out + n || !same_##name_(&pair, &s) || pair.in != in + n) \
            not_proved();                                                      \
    }
#define BOTH(name_, case_, ...) \
    ROUND_TRIP(name_, le, case_, __VA_ARGS__) ROUND_TRIP(name_, be, case_, __VA_ARGS__)
#define LAYOUT(name_, doc_) BOTH(name_, , .given = 0)
#define RECORD(name_, type_, misc_, trailer_, doc_) LAYOUT(name_, doc_)
#define END(name_)
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END

/* The two whose fields an attr chooses: each choice. */
#define READ_VALUE(case_, bits_) BOTH(read_value, case_, .read_format = (bits_))
READ_VALUE(_id, PD_FORMAT_ID)
READ_VALUE(_lost, PD_FORMAT_LOST)
READ_VALUE(_both, PD_FORMAT_ID | PD_FORMAT_LOST)
#define SAMPLE_ID(case_, bits_) BOTH(sample_id, _##case_, .sample_type = (bits_))
#define WITH_TID(case_, bits_) SAMPLE_ID(case_, bits_) SAMPLE_ID(case_##i, (bits_) | PD_SAMPLE_TID)
#define WITH_TIME(case_, bits_) WITH_TID(case_, bits_) WITH_TID(case_##t, (bits_) | PD_SAMPLE_TIME)
#define WITH_ID(case_, bits_) WITH_TIME(case_, bits_) WITH_TIME(case_##d, (bits_) | PD_SAMPLE_ID)
#define WITH_STREAM(case_, bits_) WITH_ID(case_, bits_) WITH_ID(case_##s, (bits_) | PD_SAMPLE_STREAM_ID)
#define WITH_CPU(case_, bits_) WITH_STREAM(case_, bits_) WITH_STREAM(case_##c, (bits_) | PD_SAMPLE_CPU)
WITH_CPU(x, 0)
WITH_CPU(y, PD_SAMPLE_IDENTIFIER)

/* Each bit of each word of bitfields goes to a place of its own and back, alone. */
static unsigned mirror_faults(const struct pd_set *set)
{
    unsigned faults = 0;
    uint64_t places = 0;
    for (unsigned bit = 0; bit < set->bits; bit++) {
        const uint64_t one = UINT64_C(1) << bit, place = pi_mirror_to_big(set, one);
        faults += place == 0 || (place & (place - 1)) != 0 || (places & place) != 0;
        faults += pi_mirror_from_big(set, place) != one;
        places |= place;
    }
    return faults;
}

static unsigned words, bad_words;

static void try_mirror(const struct pd_set *set)
{
    words++;
    bad_words += mirror_faults(set) != 0;
}

int main(void)
{
#define LAYOUT(name_, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_)
#define END(name_)
#define B32(f_, set_, doc_) try_mirror(&pd_set_##set_);
#define B64(f_, set_, doc_) try_mirror(&pd_set_##set_);
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
    unsigned fixed = 0;
#define LAYOUT(name_, doc_) fixed += !VARIES_##name_;
#define RECORD(name_, type_, misc_, trailer_, doc_) LAYOUT(name_, doc_)
#define END(name_)
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
    printf("round trip: %u layouts of fixed size in both byte orders, %u words of bitfields, %u wrong\n",
           fixed, words, bad_words);
    return bad_words != 0;
}
