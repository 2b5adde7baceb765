/* SPDX-License-Identifier: MIT */
/* content.c - the records of a recording in an order that does not depend on the container. */
#include "content.h"
#include "src/codec/record_role.h"
#include <perfdata/session/tasks.h>
#include <string.h>

/*
 * The first record of a directory's `data` may have a time, the others are what perf synthesizes before it
 * samples?
 */
static bool is_prelude(struct pd_reader *data)
{
    struct pd_record rec = {0};
    struct pd_error what;
    enum pd_code code;
    uint64_t time;
    bool first = true;
    while ((code = pd_reader_next(data, &rec, &what)) != PD_END) {
        if (pd_is_failure(code))
            return true;
        if (code || pi_is_wrapper(&rec))
            continue;
        if (!first && pd_record_time(&rec, &time) && time)
            return false;
        first = false;
    }
    return true;
}

enum pd_code pi_open_members(struct pd_reader *r, const struct pd_allocator *allocator, size_t memory,
                             const char *tmpdir, struct pd_sorter **sorter, struct pd_error *error)
{
    const struct pd_sorter_options how = {
        .size = sizeof how, .allocator = allocator, .kind = PD_SORT_TIME, .memory = memory, .tmpdir = tmpdir};
    const struct pd_reader_options options = {.size = sizeof options, .allocator = allocator};
    const size_t n = pd_reader_n_members(r);
    struct pd_reader *data;
    bool merge = n > 2;
    if (n == 2 && pd_reader_open_member(&data, r, 0, &options, NULL) == PD_OK) {
        merge = !is_prelude(data);
        pd_reader_close(data);
    }
    return merge ? pd_sorter_open(sorter, r, &how, error) : PD_OK;
}
