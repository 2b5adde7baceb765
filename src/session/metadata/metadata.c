/* SPDX-License-Identifier: MIT */
/* metadata.c - collects the information that a recording has about itself. */
#include "metadata.h"
#include "src/codec/carried.h"
#include "src/schema/options.h"
#include "src/support/limits.h"
#include "src/support/memory.h"

static void close_feature(struct pd_metadata *m, struct pi_held_feature *h)
{
    pi_release(m->allocator, h->bytes);
    pi_release(m->allocator, h);
}

void pd_metadata_close(struct pd_metadata *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n_held; i++)
        close_feature(m, m->held[i]);
    for (size_t i = 0; i < m->n_records; i++)
        pi_release(m->allocator, m->records[i]);
    for (size_t i = 0; i < m->n_old; i++)
        pi_release(m->allocator, m->old_names[i].text);
    pi_meta_forget_names(m);
    pi_release(m->allocator, m->known);
    pd_large_parts_free(&m->split);
    pi_idmap_free(&m->mapped);
    pd_tracepoints_free(m->tracepoints);
    pi_release(m->allocator, m->held);
    pi_release(m->allocator, m->records);
    pi_release(m->allocator, m->findings);
    pi_release(m->allocator, m->old_names);
    pi_release(m->allocator, m);
}

enum pd_code pd_metadata_open(struct pd_metadata **metadata, struct pd_reader *r,
                              const struct pd_metadata_options *given, struct pd_error *error)
{
    struct pd_metadata_options o;
    enum pd_code code = PI_TAKE_OPTIONS(pd_metadata_options, &o, given, error);
    if (code)
        return code;
    struct pd_metadata *m = pi_resize(o.allocator, NULL, sizeof *m);
    if (!m)
        return pi_meta_no_memory(error, sizeof *m);
    *m = (struct pd_metadata){.allocator = o.allocator,
                              .split = {.allocator = o.allocator},
                              .mapped = {.allocator = o.allocator},
                              .by_text = {.allocator = o.allocator},
                              .key = pi_key_draw(),
                              .left = o.max_bytes ? o.max_bytes : PI_LIMIT_METADATA};
    if (r) {
        m->order = pd_reader_info(r)->order;
        code = pd_metadata_finish(m, r, error);
        pi_meta_tell_desc(m, r);
        if (!code)
            code = pi_meta_read_old_names(m, r, error);
    }
    if (code) {
        pd_metadata_close(m);
        m = NULL;
    }
    *metadata = m;
    return code;
}

static enum pd_code add_feature(struct pd_metadata *m, struct pd_reader *r, const struct pd_record *rec,
                                struct pd_error *error)
{
    struct pd_bytes data;
    uint64_t id;
    const enum pd_code code = pi_meta_add_feature(m, rec, error);
    if (!code && pi_record_feature(rec, m->order, &id, &data) && id == PD_FEAT_EVENT_DESC)
        pi_meta_tell_desc(m, r);
    return code;
}

static enum pd_code add(struct pd_metadata *m, struct pd_reader *r, const struct pd_record *rec,
                        struct pd_error *error)
{
    if (rec->type < PD_RECORD_HEADER_ATTR)
        return rec->type == PD_RECORD_MMAP2 && rec->misc & PD_MISC_MMAP_BUILD_ID
                   ? pi_meta_keep_mapping(m, rec, error)
                   : PD_OK;
    if (rec->old_feature)
        return add_feature(m, r, rec, error);
    switch (rec->type) {
    case PD_RECORD_HEADER_FEATURE: return add_feature(m, r, rec, error);
    case PD_RECORD_HEADER_TRACING_DATA:
        return pi_has_tracing_inside(rec) ? pi_meta_add_inner_tracing_data(m, rec, error)
                                          : pi_meta_add_tracing_data(m, r, rec, error);
    case PD_RECORD_SIMPLEPERF_TRACING_DATA: return pi_meta_add_inner_tracing_data(m, rec, error);
    case PD_RECORD_SIMPLEPERF_SPLIT:
    case PD_RECORD_SIMPLEPERF_SPLIT_END: return pi_meta_add_part(m, rec, error);
    case PD_RECORD_EVENT_UPDATE:
    case PD_RECORD_HEADER_BUILD_ID:
    case PD_RECORD_HEADER_EVENT_TYPE: return pi_meta_keep_record(m, rec, error);
    default: return PD_OK;
    }
}

enum pd_code pd_metadata_add(struct pd_metadata *m, struct pd_reader *r, const struct pd_record *rec,
                             struct pd_error *error)
{
    if (rec->type == PD_RECORD_EVENT_UPDATE)
        pi_meta_tell_update(r, rec);
    return pi_meta_noted(m, add(m, r, rec, error), error);
}
