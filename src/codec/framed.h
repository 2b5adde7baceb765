/* SPDX-License-Identifier: MIT */
/* framed.h - keeps a framed record, whose bytes are copied, for another thread. */
#ifndef PERFDATA_FRAMED_H
#define PERFDATA_FRAMED_H

#include <perfdata/codec.h>

/* A record without what decoding it makes. */
struct pi_framed {
    const struct pd_plan *plan;
    const struct pd_attr *attr;
    uint64_t offset, index, inner_offset, payload_size;
    uint32_t at; /* begin of its bytes, where they are copied to */
    uint32_t type, attr_index, nr_cpus_avail, member;
    uint16_t misc, size;
    uint8_t depth;
    bool old_feature;
};

static inline struct pi_framed pi_frame_keep(const struct pd_record *rec, size_t at)
{
    return (struct pi_framed){.plan = rec->plan,
                              .attr = rec->attr,
                              .offset = rec->offset,
                              .index = rec->index,
                              .inner_offset = rec->inner_offset,
                              .payload_size = rec->payload_size,
                              .at = (uint32_t)at,
                              .type = rec->type,
                              .attr_index = rec->attr_index,
                              .nr_cpus_avail = rec->nr_cpus_avail,
                              .member = rec->member,
                              .misc = rec->misc,
                              .size = rec->size,
                              .depth = rec->depth,
                              .old_feature = rec->old_feature};
}

/* The record again, not decoded, from the copied bytes. */
static inline void pi_frame_revive(const struct pi_framed *f, const uint8_t *bytes, struct pd_record *rec)
{
    rec->type = f->type, rec->misc = f->misc, rec->size = f->size;
    rec->raw = bytes + f->at;
    rec->plan = f->plan, rec->attr = f->attr, rec->attr_index = f->attr_index;
    rec->offset = f->offset, rec->index = f->index, rec->inner_offset = f->inner_offset;
    rec->payload_size = f->payload_size;
    rec->nr_cpus_avail = f->nr_cpus_avail;
    rec->member = f->member, rec->depth = f->depth, rec->old_feature = f->old_feature;
    rec->variant = 0;
    rec->has_id = rec->decoded = false;
}

#endif
