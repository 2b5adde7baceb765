/* SPDX-License-Identifier: MIT */
/* merge_write.c - records of the output, with the rounds between them. */
#include "merge.h"

static enum pd_code put_round(void *user, const struct pd_record *round)
{
    struct pi_merging *m = user;
    return pd_writer_raw(m->out.writer, round->raw, round->size, m->error);
}

/*
 * Ends the rounds before a record. An appended input begins when all before it has been processed; inside,
 * its own rounds count.
 */
static enum pd_code end_rounds(struct pi_merging *m, uint32_t i, const struct pd_record *rec)
{
    struct pd_moment when;
    enum pd_code code = PD_OK;
    if (!m->options->append)
        return pi_rounds_before(&m->rounds, rec, put_round, m);
    if (m->last != i)
        code = pi_rounds_flush(&m->rounds, put_round, m);
    m->last = i;
    pd_clock_stamp(&m->rounds.clock, rec, &when);
    return code;
}

static bool knows_id(const void *who, uint64_t id)
{
    return pi_ids_get(&((const struct pi_merging *)who)->id_owner, id, NULL);
}

/* A sample with values of counters: they go on from those of other inputs with the same counters. */
static enum pd_code write_counters(struct pi_merging *m, uint32_t i, const struct pd_record *rec,
                                   const uint8_t *bytes, size_t n)
{
    struct pi_merge_input *in = &m->in[i];
    uint8_t room[UINT16_MAX + 1];
    struct pd_record out;
    enum pd_code code = pd_record_frame(m->order, bytes, n, &out, m->error);
    pd_record_changed(&out);
    in->counters.allocator = m->allocator;
    in->counters.knows = knows_id;
    in->counters.who = m;
    out.plan = rec->attr_index < pd_reader_n_attrs(in->reader) ? &m->events[in->event[rec->attr_index]].plan
                                                               : rec->plan;
    if (!code)
        code = pi_reads_pass(&in->counters, &m->sums, &out, room, &bytes, m->error);
    return code ? code : pd_writer_raw(m->out.writer, bytes, n, m->error);
}

static enum pd_code write_bytes(struct pi_merging *m, const uint8_t *bytes, size_t n)
{
    return pi_writer_is_direct(m->out.writer) ? pi_writer_emit(m->out.writer, bytes, n, m->error)
                                              : pd_writer_raw(m->out.writer, bytes, n, m->error);
}

enum pd_code pi_merge_write_sample(struct pi_merging *m, uint64_t time, const uint8_t *bytes, size_t n)
{
    pi_clock_follow(&m->rounds.clock, time); /* no round ends before it */
    m->out.writer->plain = false;
    m->stats->records++;
    m->stats->samples++;
    return write_bytes(m, bytes, n);
}

enum pd_code pi_merge_write_record(struct pi_merging *m, uint32_t i, const struct pd_record *rec,
                                   const uint8_t *bytes, size_t n)
{
    enum pd_code code = end_rounds(m, i, rec);
    if (rec->type == PD_RECORD_SAMPLE || pi_merge_time(rec))
        m->out.writer->plain = false;
    if (!code && pi_has_reads(rec))
        code = write_counters(m, i, rec, bytes, n);
    else if (!code)
        code = write_bytes(m, bytes, n);
    m->stats->records += rec->type != PD_RECORD_FINISHED_ROUND;
    m->stats->samples += rec->type == PD_RECORD_SAMPLE;
    return code;
}

enum pd_code pi_merge_write(struct pi_merging *m, uint32_t input, uint32_t attr, const uint8_t *bytes,
                            size_t n)
{
    struct pd_record rec;
    const enum pd_code code = pd_record_frame(m->order, bytes, n, &rec, m->error);
    const bool known = attr != UINT32_MAX; /* else it has no event, as in a file with damaged attrs */
    rec.attr_index = attr;
    rec.plan = known ? &m->events[m->in[input].event[attr]].plan : NULL;
    return code ? code : pi_merge_write_record(m, input, &rec, bytes, n);
}
