/* SPDX-License-Identifier: MIT */
/*
 * transport.h - which records and features serve the container rather than tell what was recorded:
 * docs/HASH.md.
 */
#ifndef PERFDATA_TRANSPORT_H
#define PERFDATA_TRANSPORT_H

#include "src/schema/roles.h"
#include <perfdata/constants.h>
#include <stdbool.h>
#include <stdint.h>

/* Records that bring attrs and features, or serve the order and the compression of others. */
static inline bool pd_is_transport(uint32_t type)
{
    return type >= PD_RECORD_HEADER_ATTR && pd_tool_traits(type)->serves != PD_SERVES_CONTENT;
}

/* Features that tell of the container rather than of what was recorded. */
static inline bool pd_is_of_container(uint64_t feature)
{
    return feature == PD_FEAT_AUXTRACE || feature == PD_FEAT_DIR_FORMAT || feature == PD_FEAT_COMPRESSED;
}

/*
 * perf takes these for present though there is nothing in them; any other empty feature says nothing, and an
 * empty HEADER_FEATURE record of another one marks the end of a stream's features.
 */
static inline bool pd_may_be_empty(uint64_t feature)
{
    return feature == PD_FEAT_BRANCH_STACK || feature == PD_FEAT_STAT;
}

#endif
