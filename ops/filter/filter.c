/* SPDX-License-Identifier: MIT */
/* filter.c - pd_filter(): chooses passes (filter_passes.c) or a live stream (filter_stream.c). */
#include "filter.h"
#include "src/schema/fail.h"
#include "src/container/reader/reader_internal.h"
#include "src/schema/options.h"
#include "src/session/record_words.h"
#include "src/support/wire.h"

static enum pd_code filter_all(struct pi_filtering *f)
{
    enum pd_code code = pi_offcpu_open(&f->names, f->reader, f->options->allocator, f->error);
    if (code)
        return code;
    if (!f->reader->in.seekable)
        return pi_filter_is_pipe(f) && !pi_filter_asks_order(f)
                   ? pi_filter_stream(f)
                   : pi_fail(f->error, PD_EUNSUP, 0, "filtering an input that cannot seek", 0, 0);
    code = pi_filter_asks_order(f) ? pi_filter_take_ordered(f) : PD_OK;
    if (!code)
        code = pi_filter_prepare(f);
    if (!code && f->ordered)
        code = pi_filter_find_ordered(f);
    if (!code)
        code = pi_filter_learn(f);
    f->last_pass = true;
    f->stats->damaged = false;
    return code ? code : pi_filter_write(f);
}

enum pd_code pd_filter(struct pd_reader *reader, const struct pd_sink *sink,
                       const struct pd_filter_options *options, struct pd_filter_stats *stats,
                       struct pd_error *error)
{
    struct pd_filter_options own;
    struct pd_filter_stats own_stats;
    struct pd_error own_error;
    struct pi_filtering f = {.reader = reader,
                             .unreadable = PD_NOWHERE,
                             .out = {.sink = sink},
                             .options = &own,
                             .asked = &own,
                             .given = options,
                             .stats = stats ? stats : &own_stats,
                             .error = error ? error : &own_error};
    *f.stats = (struct pd_filter_stats){0};
    enum pd_code code = PI_TAKE_OPTIONS(pd_filter_options, &own, options, error);
    if (code)
        return code;
    f.chains.allocator = f.options->allocator;
    pi_reads_init(&f.counters, reader, f.options->allocator);
    f.out.options = (struct pi_output_options){.allocator = own.allocator,
                                               .zip = own.zip,
                                               .level = own.level,
                                               .frame = own.frame,
                                               .members = {own.open_member, own.close_member, own.user}};
    f.progress = (struct pi_progress){
        .callback = own.progress, .user = own.user, .total = reader->in.seekable ? 0 : PD_NOWHERE};
    f.out.sections = (struct pi_sections){.reader = reader, .error = f.error};
    code = filter_all(&f);
    if (!code && f.tasks) {
        pi_criteria_tell_names(&f.keep, f.tasks, f.options);
        pi_criteria_tell_names(&f.drop, f.tasks, f.options);
    }
    f.stats->bytes = f.out.bytes;
    pi_output_close(&f.out);
    pi_offcpu_close(&f.names);
    pd_tasks_free(f.tasks);
    pi_ordered_free(f.ordered);
    pi_criteria_free(&f.keep);
    pi_criteria_free(&f.drop);
    pi_chains_free(&f.chains);
    pi_reads_free(&f.counters);
    pi_ids_free(&f.sums);
    pi_release(f.options->allocator, f.scan.parts);
    return code;
}

/* ---- The time from the first to the last sample */

static enum pd_code scan_times(struct pd_reader *reader, uint64_t *first, uint64_t *last,
                               struct pd_error *error)
{
    struct pd_record rec = {0};
    uint64_t time;
    enum pd_code code = pd_reader_rewind(reader, error);
    *first = *last = 0;
    while (!code && (code = pd_reader_next(reader, &rec, error)) == PD_OK) {
        if (rec.type != PD_RECORD_SAMPLE || !pi_known_time(&rec, &time))
            continue;
        *first = *first == 0 || time < *first ? time : *first;
        *last = time > *last ? time : *last;
    }
    if (pd_is_failure(code))
        return code;
    code = pd_reader_rewind(reader, error);
    return !code && *last == 0
               ? pi_fail(error, PD_EUNSUP, 0, "a share of the time, as samples have no time", 0, 0)
               : code;
}

enum pd_code pd_time_span(struct pd_reader *reader, uint64_t *first, uint64_t *last, struct pd_error *error)
{
    const struct pd_feature_section *f = pd_reader_find_feature(reader, PD_FEAT_SAMPLE_TIME);
    const enum pd_order order = pd_reader_info(reader)->order;
    uint8_t bytes[PI_SAMPLE_TIME_BYTES];
    if (f && f->intact && f->section.size >= sizeof bytes) {
        const enum pd_code code = pd_reader_read(reader, f->section.offset, bytes, sizeof bytes, error);
        if (code)
            return code;
        if (pi_take_sample_time(&(struct pd_bytes){bytes, sizeof bytes}, order, first, last))
            return PD_OK;
    }
    return scan_times(reader, first, last, error);
}
