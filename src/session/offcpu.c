/* SPDX-License-Identifier: MIT */
/* offcpu.c - see offcpu.h. */
#include "offcpu.h"
#include "src/codec/carried.h"

enum pd_code pi_offcpu_open(struct pi_offcpu_names *names, struct pd_reader *r,
                            const struct pd_allocator *allocator, struct pd_error *error)
{
    const struct pd_metadata_options how = {.size = sizeof how, .allocator = allocator};
    bool may = pd_reader_info(r)->container == PD_CONTAINER_PIPE;
    *names = (struct pi_offcpu_names){NULL};
    for (size_t i = 0; !may && i < pd_reader_n_attrs(r); i++)
        may = pd_reader_attr(r, i)->plan.offcpu != 0;
    return may ? pd_metadata_open(&names->meta, r, &how, error) : PD_OK;
}

void pi_offcpu_close(struct pi_offcpu_names *names)
{
    pd_metadata_close(names->meta);
    names->meta = NULL;
}

enum pd_code pi_offcpu_learn(const struct pi_offcpu_names *names, struct pd_reader *r,
                             const struct pd_record *rec, struct pd_error *error)
{
    struct pd_bytes data;
    uint64_t id;
    if (!names->meta || !rec->plan || (rec->type < PD_RECORD_HEADER_ATTR && !rec->old_feature))
        return PD_OK;
    const bool desc =
        pi_record_feature(rec, (enum pd_order)rec->plan->order, &id, &data) && id == PD_FEAT_EVENT_DESC;
    return desc || rec->type == PD_RECORD_EVENT_UPDATE ? pd_metadata_add(names->meta, r, rec, error) : PD_OK;
}
