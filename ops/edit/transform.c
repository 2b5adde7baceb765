/* SPDX-License-Identifier: MIT */
/* transform.c - passes a recording record by record through a callback, also live. */
#include "src/container/reader/reader_internal.h"
#include "src/schema/fail.h"
#include "encode/codec/form.h"
#include "src/codec/record_role.h"
#include "src/container/file.h"
#include "src/schema/options.h"
#include "ops/output/output.h"
#include "ops/output/payload.h"
#include "ops/output/progress.h"
#include "ops/output/reads.h"
#include "src/session/record_words.h"
#include "src/support/memory.h"
#include <perfdata/ops/transform.h>

struct pd_transform_run {
    struct pd_reader *reader;
    const struct pd_transform_options *options;
    struct pd_transform_stats *stats;
    struct pd_error *error;
    struct pi_output out;
    struct pi_progress progress;
    const struct pd_record *now; /* the callback's */
    bool over, dropped_aux;
    bool moved_samples;     /* some are gone, new, or at another time */
    uint64_t encoded[8192]; /* a record that was encoded: 65,535 bytes at most */
    struct pi_reads counters;
    struct pi_ids sums; /* of the counters, in the output */
    uint8_t room[UINT16_MAX + 1];
};

static void report(struct pd_transform_run *t, const struct pd_error *what)
{
    t->stats->damaged = true;
    if (t->options->finding)
        t->options->finding(t->options->user, what);
}

/* ---- Writing */

/* 0: it has none. */
static uint64_t time_of(const struct pd_record *rec)
{
    uint64_t time;
    return pi_known_time(rec, &time) ? time : 0;
}

static void note_time(struct pd_transform_run *t, const struct pd_record *rec)
{
    struct pd_transform_stats *s = t->stats;
    const uint64_t time = rec->type == PD_RECORD_SAMPLE ? time_of(rec) : 0;
    if (time == 0)
        return;
    s->first = s->first == 0 || time < s->first ? time : s->first;
    s->last = time > s->last ? time : s->last;
}

/* A sample with values of counters, which are those of the input; dropped: `written` is NULL. */
static enum pd_code pass_counters(struct pd_transform_run *t, struct pd_record *rec, struct pi_ids *written,
                                  const uint8_t **bytes)
{
    *bytes = rec->raw;
    return pi_has_reads(rec) ? pi_reads_pass(&t->counters, written, rec, t->room, bytes, t->error) : PD_OK;
}

static enum pd_code write_record(struct pd_transform_run *t, struct pd_record *rec)
{
    const uint8_t *bytes;
    note_time(t, rec);
    enum pd_code code = pass_counters(t, rec, &t->sums, &bytes);
    if (!code)
        code = pi_output_record(&t->out, rec, bytes);
    return code ? code : pi_output_note_aux(&t->out, rec);
}

/* Writes the content of `rec` as a record in place of `at`. */
static enum pd_code write_encoded(struct pd_transform_run *t, const struct pd_plan *plan,
                                  const struct pd_record *rec, const struct pd_record *at,
                                  struct pd_error *error)
{
    struct pd_record made = *rec;
    size_t size;
    enum pd_code code = pd_record_encode(plan, &made, t->encoded, sizeof t->encoded, &size, error);
    if (!code)
        code = pi_check_form(plan, &made, (const uint8_t *)t->encoded, size, error);
    if (code)
        return code;
    made.raw = (const uint8_t *)t->encoded;
    made.size = (uint16_t)size;
    made.plan = plan;
    made.member = at->member;
    made.depth = at->depth;
    t->moved_samples |= made.type == PD_RECORD_SAMPLE && (rec != at || time_of(&made) != time_of(at));
    return write_record(t, &made);
}

enum pd_code pd_transform_decode(struct pd_transform_run *t, struct pd_record *rec, struct pd_error *error)
{
    return pd_reader_decode(t->reader, rec, error);
}

enum pd_code pd_transform_add(struct pd_transform_run *t, const struct pd_record *rec, struct pd_error *error)
{
    const uint32_t attr = rec->attr_index;
    const struct pd_event_attr *event = attr == UINT32_MAX ? NULL : pd_reader_attr(t->reader, attr);
    const struct pd_plan *plan = attr == UINT32_MAX ? t->now->plan : event ? &event->plan : NULL;
    if (plan == NULL)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "attr_index", attr, pd_reader_n_attrs(t->reader));
    t->stats->added++;
    return write_encoded(t, plan, rec, t->now, error);
}

/* ---- The callback's records */

static enum pd_transform_verdict ask(struct pd_transform_run *t, struct pd_record *rec)
{
    t->now = rec;
    return t->options->record ? t->options->record(t->options->user, t, rec, t->error) : PD_TRANSFORM_KEEP;
}

static enum pd_code copy_payload(struct pd_transform_run *t, const struct pd_record *rec, enum pd_code code)
{
    return !code && rec->payload_size ? pi_output_copy_payload(&t->out, t->reader, NULL, t->error) : code;
}

static enum pd_code drop_record(struct pd_transform_run *t, struct pd_record *rec)
{
    const uint8_t *bytes;
    const enum pd_code code = pass_counters(t, rec, NULL, &bytes);
    t->stats->dropped++;
    t->dropped_aux |= rec->type == PD_RECORD_AUXTRACE;
    t->moved_samples |= rec->type == PD_RECORD_SAMPLE;
    if (code)
        return code;
    return rec->payload_size ? pi_output_copy_payload(NULL, t->reader, NULL, t->error) : PD_OK;
}

static enum pd_code encode_record(struct pd_transform_run *t, struct pd_record *rec)
{
    if (!rec->decoded)
        return pi_fail_record(t->error, PD_EARG, rec, 0, "record that is not decoded", 0, 0);
    t->stats->encoded++;
    pd_record_changed(rec);
    return copy_payload(t, rec, write_encoded(t, rec->plan, rec, rec, t->error));
}

static enum pd_code transform_record(struct pd_transform_run *t, struct pd_record *rec)
{
    if (pi_payload_is_cut(t->reader, rec)) /* the reader reports it */
        return PD_OK;
    t->stats->records++;
    switch (ask(t, rec)) {
    case PD_TRANSFORM_KEEP: t->stats->kept++; return copy_payload(t, rec, write_record(t, rec));
    case PD_TRANSFORM_ENCODE: return encode_record(t, rec);
    case PD_TRANSFORM_DROP: return drop_record(t, rec);
    case PD_TRANSFORM_STOP: t->over = true; return PD_OK;
    default:
        return t->error->code ? t->error->code : pi_fail(t->error, PD_EARG, rec->offset, "verdict", 0, 0);
    }
}

/* The records end where they are truncated or the reader stops: in a directory, those of the file. */
static enum pd_code take_damage(struct pd_transform_run *t, const struct pd_error *what)
{
    if (pd_is_failure(what->code)) {
        *t->error = *what;
        return what->code;
    }
    report(t, what);
    t->over = pi_reader_ends_at(t->reader, what->code);
    return PD_OK;
}

static enum pd_code transform_all(struct pd_transform_run *t)
{
    struct pd_record rec = {0};
    struct pd_error what = {.code = PD_OK};
    enum pd_code code = pi_output_begin(&t->out), next = PD_OK;
    while (!code && !t->over && (next = pd_reader_next(t->reader, &rec, &what)) != PD_END) {
        if (next)
            code = take_damage(t, &what);
        else if (pi_role_of(&rec) == PI_ROLE_WRAPPER)
            code = pi_output_wrapper(&t->out, &rec);
        else
            code = transform_record(t, &rec);
        pi_progress_record(&t->progress, &rec);
    }
    t->out.sections.first = t->stats->first;
    t->out.sections.last = t->stats->last;
    t->out.sections.keep_time = !t->moved_samples && !t->over && !t->stats->damaged;
    t->out.sections.made_aux = t->dropped_aux && t->out.sections.aux.n;
    t->out.sections.no_aux = t->dropped_aux && !t->out.sections.aux.n;
    return code ? code : pi_output_end(&t->out);
}

enum pd_code pd_transform(struct pd_reader *reader, const struct pd_sink *sink,
                          const struct pd_transform_options *options, struct pd_transform_stats *stats,
                          struct pd_error *error)
{
    struct pd_transform_options own;
    struct pd_transform_stats own_stats;
    struct pd_error own_error;
    enum pd_code code = PI_TAKE_OPTIONS(pd_transform_options, &own, options, error);
    if (code)
        return code;
    struct pd_transform_run *t = pi_resize(own.allocator, NULL, sizeof *t);
    if (t == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "transform", 0, sizeof *t);
    *t = (struct pd_transform_run){.reader = reader,
                                   .options = &own,
                                   .stats = stats ? stats : &own_stats,
                                   .error = error ? error : &own_error};
    *t->stats = (struct pd_transform_stats){0};
    *t->error = (struct pd_error){0};
    t->out = (struct pi_output){.sections = {.reader = reader, .error = t->error},
                                .sink = sink,
                                .options = {.allocator = own.allocator,
                                            .zip = own.zip,
                                            .level = own.level,
                                            .frame = own.frame,
                                            .members = {own.open_member, own.close_member, own.user}}};
    pi_reads_init(&t->counters, reader, own.allocator);
    t->progress = (struct pi_progress){.callback = own.progress, .user = own.user};
    pi_progress_expect(&t->progress, pi_record_bytes(reader), 1);
    code = transform_all(t);
    pi_output_close(&t->out);
    pi_reads_free(&t->counters);
    pi_ids_free(&t->sums);
    pi_release(own.allocator, t);
    return code;
}
