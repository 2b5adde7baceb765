/* SPDX-License-Identifier: MIT */
/* metadata.c - collects the information that a recording has about itself. */
#include "metadata.h"
#include "src/codec/carried.h"
#include "src/schema/options.h"
#include "src/support/limits.h"
#include "src/support/memory.h"

static void close_feature(struct pd_metadata *m, struct pd_held *h)
{
    pd_release(m->allocator, h->bytes);
    pd_release(m->allocator, h);
}

void pd_metadata_close(struct pd_metadata *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n_held; i++)
        close_feature(m, m->held[i]);
    for (size_t i = 0; i < m->n_records; i++)
        pd_release(m->allocator, m->records[i]);
    for (size_t i = 0; i < m->n_old; i++)
        pd_release(m->allocator, m->old_names[i].text);
    pd_meta_forget_names(m);
    pd_release(m->allocator, m->known);
    pd_large_parts_free(&m->split);
    pd_idmap_free(&m->mapped);
    pd_tracepoints_free(m->tracepoints);
    pd_release(m->allocator, m->held);
    pd_release(m->allocator, m->records);
    pd_release(m->allocator, m->findings);
    pd_release(m->allocator, m->old_names);
    pd_release(m->allocator, m);
}

enum pd_code pd_metadata_open(struct pd_metadata **metadata, struct pd_reader *r,
                              const struct pd_metadata_options *given, struct pd_error *error)
{
    struct pd_metadata_options o;
    enum pd_code code = PD_TAKE_OPTIONS(pd_metadata_options, &o, given, error);
    if (code)
        return code;
    struct pd_metadata *m = pd_resize(o.allocator, NULL, sizeof *m);
    if (!m)
        return pd_meta_no_memory(error, sizeof *m);
    *m = (struct pd_metadata){.allocator = o.allocator,
                              .split = {.allocator = o.allocator},
                              .mapped = {.allocator = o.allocator},
                              .by_text = {.allocator = o.allocator},
                              .key = pd_key_draw(),
                              .left = o.max_bytes ? o.max_bytes : PD_LIMIT_METADATA};
    if (r) {
        m->order = pd_reader_info(r)->order;
        code = pd_metadata_finish(m, r, error);
        pd_meta_tell_desc(m, r);
        if (!code)
            code = pd_meta_read_old_names(m, r, error);
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
    const enum pd_code code = pd_meta_add_feature(m, rec, error);
    if (!code && pd_record_feature(rec, m->order, &id, &data) && id == PD_FEAT_EVENT_DESC)
        pd_meta_tell_desc(m, r);
    return code;
}

static enum pd_code add(struct pd_metadata *m, struct pd_reader *r, const struct pd_record *rec,
                        struct pd_error *error)
{
    if (rec->type < PD_RECORD_HEADER_ATTR)
        return rec->type == PD_RECORD_MMAP2 && rec->misc & PD_MISC_MMAP_BUILD_ID
                   ? pd_meta_keep_mapping(m, rec, error)
                   : PD_OK;
    if (rec->old_feature)
        return add_feature(m, r, rec, error);
    switch (rec->type) {
    case PD_RECORD_HEADER_FEATURE: return add_feature(m, r, rec, error);
    case PD_RECORD_HEADER_TRACING_DATA:
        return rec->size > 16 ? pd_meta_add_inner_tracing_data(m, rec, error)
                              : pd_meta_add_tracing_data(m, r, rec, error);
    case PD_RECORD_SIMPLEPERF_TRACING_DATA: return pd_meta_add_inner_tracing_data(m, rec, error);
    case PD_RECORD_SIMPLEPERF_SPLIT:
    case PD_RECORD_SIMPLEPERF_SPLIT_END: return pd_meta_add_part(m, rec, error);
    case PD_RECORD_EVENT_UPDATE:
    case PD_RECORD_HEADER_BUILD_ID:
    case PD_RECORD_HEADER_EVENT_TYPE: return pd_meta_keep_record(m, rec, error);
    default: return PD_OK;
    }
}

enum pd_code pd_metadata_add(struct pd_metadata *m, struct pd_reader *r, const struct pd_record *rec,
                             struct pd_error *error)
{
    if (rec->type == PD_RECORD_EVENT_UPDATE)
        pd_meta_tell_update(r, rec);
    return pd_meta_noted(m, add(m, r, rec, error), error);
}
