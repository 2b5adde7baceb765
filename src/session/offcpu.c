/* SPDX-License-Identifier: MIT */
/* offcpu.c - see offcpu.h. */
#include "offcpu.h"
#include "src/codec/carried.h"
#include <perfdata/session/event.h>

/* All but the name. */
static bool may_be_offcpu(const struct pd_attr *attr)
{
    return pd_event_is_offcpu(attr, PD_OFFCPU_EVENT);
}

enum pd_code pd_offcpu_open(struct pd_offcpu_names *names, struct pd_reader *r,
                            const struct pd_allocator *allocator, struct pd_error *error)
{
    const struct pd_metadata_options how = {.size = sizeof how, .allocator = allocator};
    bool may = pd_reader_info(r)->container == PD_CONTAINER_PIPE;
    *names = (struct pd_offcpu_names){NULL};
    for (size_t i = 0; !may && i < pd_reader_n_attrs(r); i++)
        may = may_be_offcpu(&pd_reader_attr(r, i)->attr);
    return may ? pd_metadata_open(&names->meta, r, &how, error) : PD_OK;
}

void pd_offcpu_close(struct pd_offcpu_names *names)
{
    pd_metadata_close(names->meta);
    names->meta = NULL;
}

enum pd_code pd_offcpu_learn(const struct pd_offcpu_names *names, struct pd_reader *r,
                             const struct pd_record *rec, struct pd_error *error)
{
    struct pd_bytes data;
    uint64_t id;
    if (!names->meta || !rec->plan || (rec->type < PD_RECORD_HEADER_ATTR && !rec->old_feature))
        return PD_OK;
    const bool desc =
        pd_record_feature(rec, (enum pd_order)rec->plan->order, &id, &data) && id == PD_FEAT_EVENT_DESC;
    return desc || rec->type == PD_RECORD_EVENT_UPDATE ? pd_metadata_add(names->meta, r, rec, error) : PD_OK;
}

bool pd_offcpu_is_event(const struct pd_offcpu_names *names, const struct pd_reader *r, uint32_t attr)
{
    return names->meta && attr < pd_reader_n_attrs(r) && may_be_offcpu(&pd_reader_attr(r, attr)->attr) &&
           pd_event_is_offcpu(&pd_reader_attr(r, attr)->attr, pd_metadata_event_name(names->meta, r, attr));
}

bool pd_offcpu_take_of_bpf(const struct pd_offcpu_names *names, const struct pd_reader *r,
                           const struct pd_record *rec, struct pd_offcpu *out)
{
    return names->meta && rec->type == PD_RECORD_SAMPLE && rec->decoded && rec->layout && rec->plan &&
           rec->attr_index != UINT32_MAX && pd_offcpu_is_event(names, r, rec->attr_index) &&
           pd_offcpu_decode(rec->plan, &rec->u.sample.raw, out);
}
