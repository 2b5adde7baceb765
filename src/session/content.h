/* SPDX-License-Identifier: MIT */
/* content.h - what of a recording is content and what is its container: docs/HASH.md. */
#ifndef PERFDATA_CONTENT_H
#define PERFDATA_CONTENT_H

#include "src/codec/transport.h"
#include <perfdata/session/sorter.h>

/*
 * Members of a directory are read as `convert` puts them into one file: merged by time, unless there is only
 * one behind a `data` that has but what comes before the samples. This matters to records without a time
 * alone. *sorter stays NULL where they are not to be merged.
 */
enum pd_code pd_open_members(struct pd_reader *r, const struct pd_allocator *allocator, size_t memory,
                             const char *tmpdir, struct pd_sorter **sorter, struct pd_error *error);

#endif
