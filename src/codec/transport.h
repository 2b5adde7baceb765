/* SPDX-License-Identifier: MIT */
/* transport.h - the records and features that serve the container rather than the content: docs/HASH.md. */
#ifndef PERFDATA_TRANSPORT_H
#define PERFDATA_TRANSPORT_H

#include "src/schema/roles.h"
#include <perfdata/constants.h>
#include <stdbool.h>
#include <stdint.h>

/* Records that bring attrs and features, or serve the order and the compression of others. */
static inline bool pi_is_transport(uint32_t type)
{
    return type >= PD_RECORD_HEADER_ATTR && pi_tool_traits(type)->serves != PI_SERVES_CONTENT;
}

/* Features that describe the container rather than the content. */
static inline bool pi_is_of_container(uint64_t feature)
{
    return feature == PD_FEAT_AUXTRACE || feature == PD_FEAT_DIR_FORMAT || feature == PD_FEAT_COMPRESSED;
}

/*
 * perf takes these as present though they are empty; any other empty feature has no meaning, and an empty
 * HEADER_FEATURE record of another one marks the end of a stream's features.
 */
static inline bool pi_may_be_empty(uint64_t feature)
{
    return feature == PD_FEAT_BRANCH_STACK || feature == PD_FEAT_STAT;
}

/* Features that a stream has in records of their own types, instead of HEADER_FEATURE. */
static inline bool pi_has_own_record(uint64_t feature)
{
    return feature == PD_FEAT_TRACING_DATA || feature == PD_FEAT_BUILD_ID;
}

#endif
