/* SPDX-License-Identifier: MIT */
/* content.h - separates the content of a recording from its container: docs/HASH.md. */
#ifndef PERFDATA_CONTENT_H
#define PERFDATA_CONTENT_H

#include "src/codec/transport.h"
#include <perfdata/session/sorter.h>

/*
 * Members of a directory are read as `convert` puts them into one file: merged by time, unless there is only
 * one behind a `data` that has only records before the samples. This only matters for records without a time.
 * *sorter stays NULL if they are not to be merged.
 */
enum pd_code pi_open_members(struct pd_reader *r, const struct pd_allocator *allocator, size_t memory,
                             const char *tmpdir, struct pd_sorter **sorter, struct pd_error *error);

#endif
