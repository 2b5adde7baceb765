/* SPDX-License-Identifier: MIT */
/* any_record.h - for tests of straight-line code: random attrs and layouts, and text from a small buffer. */
#ifndef PERFDATA_TESTS_ANY_RECORD_H
#define PERFDATA_TESTS_ANY_RECORD_H

#include "seeded.h"
#include "src/schema/schema.h"
#include <perfdata/attr.h>
#include <perfdata/session/text.h>

/* Any of them; one more in the schema leaves most choices what they were. */
static inline const struct pd_op *random_layout(struct pi_rng *r)
{
    const uint64_t seed = pi_rng_next(r);
    const struct pd_op *layout = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < pi_n_layouts; i++) {
        const uint64_t score = pi_rng_score(seed, pi_layouts[i]()->name);
        if (!layout || score > most) {
            most = score;
            layout = pi_layouts[i]();
        }
    }
    return layout;
}

static inline struct pd_attr random_attr(struct pi_rng *r)
{
    struct pd_attr attr = {.size = PD_ATTR_SIZE, .read_format = pi_rng_below(r, 32)};
    for (unsigned bit = 0; bit < 25; bit++)
        attr.sample_type |= (uint64_t)pi_rng_one_in(r, 3) << bit;
    attr.flags = pi_rng_one_in(r, 2) ? PD_ATTR_SAMPLE_ID_ALL : 0;
    attr.branch_sample_type = pi_rng_next(r) & 0xfffff;
    attr.sample_regs_user = pi_rng_next(r) & pi_rng_next(r);
    attr.sample_regs_intr = pi_rng_next(r) & pi_rng_next(r);
    return attr;
}

/* Text that is collected from a buffer of a few bytes. */
struct collected {
    struct pd_out all;
    char small[64];
};

static inline bool collect(struct pd_out *out, size_t want)
{
    struct collected *c = out->user;
    (void)want;
    pd_out_bytes(&c->all, out->buf, out->n);
    out->n = 0;
    return true;
}

#endif
