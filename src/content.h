/* SPDX-License-Identifier: MIT */
/* content.h - what of a recording is content and what is its container: docs/HASH.md. */
#ifndef PERFDATA_CONTENT_H
#define PERFDATA_CONTENT_H

#include <perfdata/constants.h>
#include <perfdata/order.h>

/* Records that bring attrs and features, or serve the order and the compression of others. */
static inline bool pd_is_transport(uint32_t type)
{
    return (type >= PD_RECORD_HEADER_ATTR && type <= PD_RECORD_ID_INDEX) ||
           (type >= PD_RECORD_HEADER_FEATURE && type <= PD_RECORD_COMPRESSED2);
}

/* Features that tell of the container rather than of what was recorded. */
static inline bool pd_is_of_container(uint64_t feature)
{
    return feature == PD_FEAT_AUXTRACE || feature == PD_FEAT_DIR_FORMAT || feature == PD_FEAT_COMPRESSED;
}

/*
 * perf takes these for present though there is nothing in them; any other empty feature says nothing, and an empty
 * HEADER_FEATURE record of another one marks the end of a stream's features.
 */
static inline bool pd_may_be_empty(uint64_t feature)
{
    return feature == PD_FEAT_BRANCH_STACK || feature == PD_FEAT_STAT;
}

/* Errors of a reader or sorter behind which there is nothing more. */
bool pd_is_final(const struct pd_error *what);

/*
 * Members of a directory are read as `convert` puts them into one file: merged by time, unless there is only one behind a
 * `data` that has but what comes before the samples. This matters to records without a time alone. *sorter stays NULL where
 * they are not to be merged.
 */
enum pd_code pd_open_members(struct pd_reader *r, const struct pd_allocator *allocator, size_t memory, const char *tmpdir,
                             struct pd_sorter **sorter, struct pd_error *error);

#endif
