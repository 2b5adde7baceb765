/* SPDX-License-Identifier: MIT */
/* merge.c - pd_merge(): several recordings, record by record in order of time, as one. */
#include "merge.h"
#include "encode/container/stdio_sink.h"
#include "ops/output/payload.h"
#include "src/schema/fail.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/schema/options.h"
#include "src/support/wire.h"
#include <errno.h>
#include <unistd.h>
#include <perfdata/session/sample.h>

static void tell_finding(struct pi_merging *m, size_t input, const struct pd_error *what)
{
    m->stats->damaged |= what->code != PD_EUNKNOWN;
    if (m->options->finding)
        m->options->finding(m->options->user, input, what);
}

/*
 * Reports a reading error. Damage that a copy has was reported when the copy was made, with its place in the
 * input.
 */
static void tell_read(struct pi_merging *m, size_t input, const struct pd_error *what)
{
    if (!m->in[input].temporary)
        tell_finding(m, input, what);
}

/*
 * Reports a damaged feature. The caller that opened the input may know of it already; in a copy, it has
 * another place.
 */
static void tell_feature(struct pi_merging *m, size_t input, const struct pd_error *what)
{
    struct pd_error lost = *what;
    if (m->in[input].temporary)
        lost.offset = PD_NOWHERE;
    if (!m->in[input].given->probe.on)
        tell_finding(m, input, &lost);
}

static enum pd_code fails(struct pi_merging *m, size_t input, enum pd_code code)
{
    m->failed = input;
    return code;
}

/* ---- Inputs: all as files of one byte order */

struct converting {
    struct pi_merging *m;
    size_t input;
};

static void on_finding(void *user, const struct pd_error *what)
{
    const struct converting *c = user;
    tell_finding(c->m, c->input, what);
}

static void on_convert_note(void *user, const struct pd_convert_note *note)
{
    const struct converting *c = user;
    if (note->what == PD_NOTED_FEATURE)
        pi_merge_note(c->m, c->input, note->number, note->why);
    else
        pi_merge_note(c->m, c->input, UINT32_MAX, note->why);
}

static enum pd_code temporary_failed(struct pi_merging *m)
{
    return pi_fail(m->error, PD_EOUT, PD_NOWHERE, "temporary file", (uint64_t)errno, 0);
}

static enum pd_code open_temporary(struct pi_merging *m, struct pi_merge_input *in)
{
    struct pi_spill spill;
    enum pd_code code = pi_spill_init(&spill, m->allocator, m->options->tmpdir, m->error);
    if (!code)
        code = pi_spill_begin(&spill, m->error);
    if (!code) {
        in->temporary = fdopen(spill.fd, "w+b");
        if (in->temporary)
            spill.fd = -1; /* owned by the stream now */
        else
            code = temporary_failed(m);
    }
    pi_spill_free(&spill);
    return code;
}

/* Converts an input into a temporary file, which then is the input. */
static enum pd_code convert_input(struct pi_merging *m, size_t i, struct pd_reader *from,
                                  const struct pd_edit_options *edit)
{
    struct pi_merge_input *in = &m->in[i];
    struct converting user = {m, i};
    const enum pd_convert_order order = edit                 ? PD_CONVERT_ORDER_SAME
                                        : m->order == PD_BIG ? PD_CONVERT_BIG
                                                             : PD_CONVERT_LITTLE;
    const struct pd_convert_options how = {.size = sizeof how,
                                           .allocator = m->allocator,
                                           .to = PD_CONVERT_FILE,
                                           .order = order,
                                           .finish = true,
                                           .edit = edit,
                                           .finding = on_finding,
                                           .note = on_convert_note,
                                           .user = &user};
    struct pd_convert_stats stats;
    const struct pd_reader_options options = {.size = sizeof options, .allocator = m->allocator};
    in->reader = NULL;
    in->temporary = NULL;
    enum pd_code code = open_temporary(m, in);
    if (code)
        return code;
    const struct pd_sink sink = pi_stdio_sink(in->temporary);
    code = pd_convert(from, &sink, &how, &stats, m->error);
    if (!code && fflush(in->temporary))
        code = temporary_failed(m);
    if (code == PD_EOUT)
        code = m->error->code = PD_ETEMP;
    if (!code)
        code = pd_reader_open_fd(&in->reader, fileno(in->temporary), &options, m->error);
    return code ? fails(m, i, code) : PD_OK;
}

/*
 * Makes a file of a stream, whose attrs and features are among the records, and of an input of the other byte
 * order.
 */
static enum pd_code normalize(struct pi_merging *m, size_t i)
{
    struct pi_merge_input *in = &m->in[i];
    const struct pd_file_info *info = pd_reader_info(in->given);
    in->reader = in->given;
    if (!in->given->in.seekable)
        return fails(m, i, pi_fail(m->error, PD_EUNSUP, 0, "merging an input that cannot seek", 0, 0));
    if (info->container != PD_CONTAINER_PIPE && info->order == m->order)
        return pd_reader_rewind(in->reader, m->error);
    if (info->order != m->order)
        pi_merge_note(m, i, UINT32_MAX,
                      "is of the other byte order: it is converted to that of the first input");
    return convert_input(m, i, in->given, NULL);
}

/* ---- Wall clock */

static enum pd_code open_metadata(struct pi_merging *m, size_t i)
{
    const struct pd_metadata_options options = {.size = sizeof options, .allocator = m->allocator};
    const enum pd_code code = pd_metadata_open(&m->in[i].meta, m->in[i].reader, &options, m->error);
    if (code)
        m->failed = i;
    return code;
}

static bool is_realtime(const struct pd_reader *r)
{
    bool all = true;
    for (size_t a = 0; a < pd_reader_n_attrs(r); a++) {
        const struct pd_attr *attr = &pd_reader_attr(r, a)->attr;
        all &= attr->flags & PD_ATTR_USE_CLOCKID && attr->clockid == 0;
    }
    return all;
}

/* The time to add to those of an input. False: it is not known. */
static bool find_wall_clock(const struct pi_merging *m, size_t i, int64_t *shift)
{
    const struct pd_feature *f = pd_metadata_feature(m->in[i].meta, PD_FEAT_CLOCK_DATA);
    const struct pd_event_attr *e = pd_reader_attr(m->in[i].reader, 0);
    *shift = 0;
    if (is_realtime(m->in[i].reader))
        return true;
    if (f == NULL || f->layout == NULL || e == NULL || !(e->attr.flags & PD_ATTR_USE_CLOCKID) ||
        (uint32_t)e->attr.clockid != f->u.clock_data.clockid)
        return false;
    *shift = (int64_t)pd_time_to_wall(&f->u.clock_data, 0);
    return true;
}

/* Makes a file of an input, with its times on the wall clock. */
static enum pd_code put_on_wall_clock(struct pi_merging *m, size_t i)
{
    struct pi_merge_input *in = &m->in[i];
    struct pd_edit_options edit = {.size = sizeof edit, .realtime = true};
    if (!find_wall_clock(m, i, &edit.time_shift))
        return fails(m, i,
                     pi_fail(m->error, PD_EUNSUP, PD_NOWHERE,
                             "its wall clock is not known (no CLOCK_DATA of its clock: perf record -k CLOCK)",
                             0, 0));
    if (is_realtime(in->reader))
        return PD_OK;
    struct pd_reader *before = in->reader;
    FILE *temporary = in->temporary;
    pd_metadata_close(in->meta);
    in->meta = NULL;
    const enum pd_code code = convert_input(m, i, before, &edit);
    if (temporary) {
        pd_reader_close(before);
        fclose(temporary);
    }
    return code ? code : open_metadata(m, i);
}

static enum pd_code check_clock(struct pi_merging *m, size_t i)
{
    const struct pd_event_attr *a = pd_reader_attr(m->in[0].reader, 0),
                               *b = pd_reader_attr(m->in[i].reader, 0);
    if (a == NULL || b == NULL)
        return PD_OK;
    const bool own = a->attr.flags & PD_ATTR_USE_CLOCKID, other = b->attr.flags & PD_ATTR_USE_CLOCKID;
    if (own == other && (!own || a->attr.clockid == b->attr.clockid))
        return PD_OK;
    if (m->options->any_clock)
        pi_merge_note(m, i, UINT32_MAX,
                      "its times are of another clock (attr.clockid), they are taken as they are");
    if (m->options->any_clock)
        return PD_OK;
    return fails(m, i,
                 pi_fail(m->error, PD_EUNSUP, PD_NOWHERE,
                         "its times are of another clock than those of the first input (attr.clockid)", 0,
                         0));
}

static enum pd_code check_time(struct pi_merging *m, size_t i)
{
    struct pd_reader *r = m->in[i].reader;
    bool timed = pd_reader_n_attrs(r) == 0;
    for (size_t a = 0; a < pd_reader_n_attrs(r); a++)
        timed |= pd_reader_attr(r, a)->plan.time != 0;
    for (size_t a = 0; a < pd_reader_n_attrs(r); a++)
        timed &= pd_reader_attr(r, a)->plan.id_all;
    if (timed || m->options->append || m->n == 1)
        return PD_OK;
    return fails(
        m, i,
        pi_fail(m->error, PD_EUNSUP, PD_NOWHERE,
                "its records have no time (no sample_id_all, or TIME is not sampled); appending needs none",
                0, 0));
}

static enum pd_code open_input(struct pi_merging *m, size_t i)
{
    enum pd_code code = normalize(m, i);
    if (!code)
        code = open_metadata(m, i);
    if (!code)
        code = m->options->wall_clock ? put_on_wall_clock(m, i) : check_clock(m, i);
    if (!code)
        code = check_time(m, i);
    if (code)
        return code;
    for (size_t k = 0; k < pd_metadata_n_findings(m->in[i].meta); k++)
        tell_feature(m, i, pd_metadata_finding(m->in[i].meta, k));
    pi_progress_expect(&m->progress, pi_record_bytes(m->in[i].reader), 1);
    return PD_OK;
}

/* Reads the input once, to find out how far its records are out of order. */
static enum pd_code open_sorter(struct pi_merging *m, size_t i)
{
    const size_t memory = m->options->memory ? m->options->memory : PI_LIMIT_MERGE_MEMORY;
    struct pi_merge_input *in = &m->in[i];
    struct pd_sorter_stats stats;
    const struct pd_sorter_options how = {.size = sizeof how,
                                          .allocator = m->allocator,
                                          .kind = m->options->append ? PD_SORT_FILE : PD_SORT_STRICT,
                                          .memory = memory / m->n ? memory / m->n : 1,
                                          .tmpdir = m->options->tmpdir};
    enum pd_code code = pd_reader_rewind(in->reader, m->error);
    if (!code)
        code = pd_sorter_open(&in->sorter, in->reader, &how, m->error);
    if (code)
        return fails(m, i, code);
    pd_sorter_get_stats(in->sorter, &stats);
    in->first = in->key = stats.first;
    in->early = true;
    return PD_OK;
}

/* ---- The next input */

/* What an input has before its first time comes before what others have at that time: those may be pieces. */
static bool comes_before(const struct pi_merging *m, uint32_t a, uint32_t b)
{
    const struct pi_merge_input *x = &m->in[a], *y = &m->in[b];
    if (!m->options->append && x->key != y->key)
        return x->key < y->key;
    return !m->options->append && x->early != y->early ? x->early : a < b;
}

static void sift(struct pi_merging *m, size_t at)
{
    const uint32_t moved = m->heap[at];
    for (size_t child; (child = 2 * at + 1) < m->n_heap; at = child) {
        if (child + 1 < m->n_heap && comes_before(m, m->heap[child + 1], m->heap[child]))
            child++;
        if (!comes_before(m, m->heap[child], moved))
            break;
        m->heap[at] = m->heap[child];
    }
    m->heap[at] = moved;
}

/* True if the record is merged. The sorter reports records whose payload is cut. */
static bool is_taken(const struct pi_merge_input *in)
{
    const struct pd_record *rec = &in->rec;
    if (pi_role_of(rec) == PI_ROLE_WRAPPER)
        return false; /* the records inside follow */
    const uint64_t end =
        rec->member ? pd_reader_member(in->reader, rec->member)->size : pd_reader_info(in->reader)->data_end;
    return rec->payload_size == 0 || rec->payload_size <= end - rec->offset - rec->size;
}

/* The next record of an input, if it is a sample that is merged as it is; else NULL. */
static const struct pi_ready *next_whole(struct pi_merge_input *in)
{
    if (in->n_taken < in->n_ready)
        return &in->ready[in->n_taken++];
    pi_sorter_pass_ready(in->sorter, in->ready, in->n_taken);
    in->n_ready = in->rewritten ? 0 : pi_sorter_ready(in->sorter, in->ready, PI_READY);
    in->n_taken = in->n_ready != 0;
    return in->n_ready ? in->ready : NULL;
}

/* Reads the next record of an input; *more is false at its end. */
static enum pd_code advance(struct pi_merging *m, uint32_t i, bool *more)
{
    struct pi_merge_input *in = &m->in[i];
    if ((in->whole = next_whole(in))) {
        in->key = in->whole->time > in->key ? in->whole->time : in->key;
        in->early = false;
        *more = true;
        return PD_OK;
    }
    struct pd_error what;
    enum pd_code code;
    while ((code = pd_sorter_next(in->sorter, &in->rec, &what)) != PD_END) {
        if (pd_is_failure(code)) {
            *m->error = what;
            return fails(m, i, code);
        }
        if (code)
            tell_read(m, i, &what);
        else if (is_taken(in))
            break;
        else
            pi_progress_record(&m->progress, &in->rec);
    }
    *more = code != PD_END;
    const uint64_t time = *more ? pi_merge_time(&in->rec) : 0;
    in->key = time > in->key ? time : in->key;
    in->early = in->early && time == 0;
    return PD_OK;
}

static enum pd_code fill_heap(struct pi_merging *m)
{
    m->heap = pi_array(m->allocator, NULL, m->n, sizeof *m->heap);
    if (m->heap == NULL)
        return pi_fail(m->error, PD_ENOMEM, PD_NOWHERE, "merge", 0, m->n * sizeof *m->heap);
    for (uint32_t i = 0; i < m->n; i++) {
        bool more;
        const enum pd_code code = advance(m, i, &more);
        if (code)
            return code;
        if (more)
            m->heap[m->n_heap++] = i;
    }
    for (size_t i = m->n_heap / 2; i > 0; i--)
        sift(m, i - 1);
    return PD_OK;
}

/* ---- Writing */

static enum pd_code put_piece(void *user, const uint8_t *bytes, size_t n)
{
    struct pi_merging *m = user;
    return pd_writer_raw(m->out.writer, bytes, n, m->error);
}

/* Readers cannot tell two kinds of AUX data in one recording apart. */
static enum pd_code check_aux(struct pi_merging *m, uint32_t i, const uint8_t *bytes, size_t n)
{
    if (m->aux_info.ptr)
        return fails(m, i,
                     pi_fail(m->error, PD_EUNSUP, PD_NOWHERE,
                             "its AUX data is of another recording than that of an earlier input", 0, 0));
    uint8_t *copy = pi_resize(m->allocator, NULL, n);
    if (copy == NULL)
        return pi_fail(m->error, PD_ENOMEM, PD_NOWHERE, "AUXTRACE_INFO", 0, n);
    memcpy(copy, bytes, n);
    m->aux_info = (struct pd_bytes){copy, n};
    return PD_OK;
}

static enum pd_code take_record(struct pi_merging *m, uint32_t i, const struct pi_merged_record *out,
                                bool decoded)
{
    struct pi_merge_input *in = &m->in[i];
    const struct pd_record *rec = &in->rec;
    bool done = false;
    enum pd_code code = PD_OK;
    if (m->n > 1 && pi_is_part(rec))
        return pi_merge_part(m, i, rec);
    if (m->n > 1)
        code = pi_merge_state_record(m, i, out, pi_merge_time(rec), decoded, &done);
    if (code || done)
        return code;
    if (rec->type == PD_RECORD_AUXTRACE_INFO && m->n > 1)
        code = check_aux(m, i, out->bytes, out->n);
    if (!code)
        code = pi_merge_write_record(m, i, rec, out->bytes, out->n);
    if (!code)
        code = pi_aux_index_note(&m->out.aux, m->out.writer, rec, m->error);
    return !code && rec->payload_size ? pi_copy_payload(in->reader, in->sorter, put_piece, m, m->error)
                                      : code;
}

/* As put_record(), of a sample that needs no more. */
static enum pd_code put_whole(struct pi_merging *m, uint32_t i, const struct pi_ready *whole)
{
    pi_progress_one(&m->progress, whole->inside ? 0 : whole->size);
    const enum pd_code code = m->n > 1 ? pi_merge_state_sample(m, i) : PD_OK;
    return code ? code : pi_merge_write_sample(m, whole->time, whole->raw, whole->size);
}

static enum pd_code put_record(struct pi_merging *m, uint32_t i)
{
    struct pi_merge_input *in = &m->in[i];
    if (in->whole)
        return put_whole(m, i, in->whole);
    struct pd_error what;
    pi_progress_record(&m->progress, &in->rec);
    const enum pd_code readable = pd_reader_decode(in->reader, &in->rec, &what);
    if (readable && readable != PD_EUNKNOWN)
        tell_read(m, i, &what);
    const struct pi_merged_record out = pi_merge_record(m, in, &in->rec, &what);
    if (out.bytes)
        return take_record(m, i, &out, !readable);
    m->stats->lost++;
    m->stats->damaged = true;
    if (in->temporary)
        what.offset = PD_NOWHERE;
    tell_finding(m, i, &what);
    return PD_OK;
}

static enum pd_code merge_records(struct pi_merging *m)
{
    enum pd_code code = fill_heap(m);
    while (!code && m->n_heap) {
        const uint32_t i = m->heap[0];
        bool more = false;
        if ((code = put_record(m, i)) || (code = advance(m, i, &more)))
            break;
        if (!more) {
            m->heap[0] = m->heap[--m->n_heap];
            code = pi_merge_state_end(m, i);
        }
        if (m->n_heap)
            sift(m, 0);
    }
    return code ? code : pi_merge_open_parts(m);
}

/* ---- The output */

static void on_dropped(void *user, uint16_t feature, const char *why)
{
    pi_merge_note(user, 0, feature, why);
}

static bool any_aux(const struct pi_merging *m)
{
    for (size_t i = 0; i < m->n; i++)
        if (pd_reader_find_feature(m->in[i].reader, PD_FEAT_AUXTRACE))
            return true;
    return false;
}

/* The output's compression and its level: those of the first input, unless the options say otherwise. */
static uint32_t compression(const struct pi_merging *m, int *level)
{
    const struct pd_feature *f = pd_metadata_feature(m->in[0].meta, PD_FEAT_COMPRESSED);
    int said = 0;
    const bool zstd = f && pi_said_compression(f->raw.ptr, f->raw.n, m->order, &said) == PI_SAID_ZSTD;
    const bool keeps = m->options->zip == PD_ZIP_KEEP;
    *level = keeps && !m->options->level ? said : m->options->level;
    return pi_zip_type(m->options->zip, zstd);
}

static enum pd_code open_writer(struct pi_merging *m, const struct pd_sink *sink)
{
    const bool pipe = m->options->to == PD_CONVERT_PIPE;
    struct pd_writer_options how = {.size = sizeof how,
                                    .allocator = m->allocator,
                                    .order = m->order,
                                    .max_features = any_aux(m) && !pipe,
                                    .feature_word = pd_reader_info(m->in[0].reader)->feature_word,
                                    .container = pipe ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE,
                                    .version = 2,
                                    .frame = m->options->frame,
                                    .workers = m->in[0].reader->workers,
                                    .dropped = on_dropped,
                                    .user = m};
    how.compression = compression(m, &how.level);
    pi_merge_feed(m);
    m->out.made_aux = how.max_features;
    enum pd_code code = pd_writer_open(&m->out.writer, sink, &how, m->error);
    if (!code)
        m->out.writer->plain = true;
    return code;
}

static enum pd_code put_event_type(struct pi_merging *m, struct pi_ids *there,
                                   const struct pd_event_type *type)
{
    if (pi_ids_get(there, type->event_id, NULL))
        return PD_OK;
    if (!pi_ids_set(there, type->event_id, 0))
        return pi_merge_no_memory(m, sizeof(struct pi_ids_slot));
    return pd_writer_event_type(m->out.writer, type, m->error);
}

/* Writes the names of old files' events; those of the same number once. */
static enum pd_code put_event_types(struct pi_merging *m)
{
    struct pi_ids there = {.allocator = m->allocator};
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < m->n; i++) {
        struct pd_event_type type;
        for (size_t k = 0; !code && k < pd_reader_n_event_types(m->in[i].reader); k++) {
            if (pd_reader_event_type(m->in[i].reader, k, &type, m->error))
                break;
            code = put_event_type(m, &there, &type);
        }
    }
    pi_ids_free(&there);
    return code;
}

static enum pd_code merge_parts(struct pi_merging *m, const struct pd_sink *sink)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < m->n; i++)
        code = open_input(m, i);
    if (code)
        return code;
    pi_merge_machines(m);
    if ((code = pi_merge_events(m)) || (code = pi_merge_state_open(m)))
        return code;
    if (!pi_identities_open(&m->identities, m->allocator))
        return pi_merge_no_memory(m, 0);
    for (size_t i = 0; !code && i < m->n; i++)
        code = open_sorter(m, i);
    if (!code)
        code = open_writer(m, sink);
    if (!code)
        code = pi_merge_put_events(m);
    if (!code)
        code = put_event_types(m);
    if (!code)
        code = pi_sections_features(&m->out);
    if (!code)
        code = merge_records(m);
    return code ? code : pi_sections_end(&m->out); /* the AUXTRACE index is left */
}

static void clean_up(struct pi_merging *m)
{
    pi_sections_close(&m->out);
    pi_merge_state_close(m);
    for (size_t i = 0; i < m->n; i++) {
        struct pi_merge_input *in = &m->in[i];
        pd_sorter_close(in->sorter);
        pd_metadata_close(in->meta);
        if (in->reader != in->given)
            pd_reader_close(in->reader);
        if (in->temporary)
            fclose(in->temporary);
        pi_release(m->allocator, in->parts.bytes);
        pi_release(m->allocator, in->event);
        pi_release(m->allocator, in->own_id);
        pi_ids_free(&in->ids);
        pi_reads_free(&in->counters);
    }
    for (size_t i = 0; i < m->n_events; i++)
        pi_release(m->allocator, m->events[i].ids);
    pi_release(m->allocator, m->events);
    pi_release(m->allocator, m->units);
    pi_release(m->allocator, m->chains);
    pi_ids_free(&m->chain_of);
    pi_ids_free(&m->id_owner);
    pi_ids_free(&m->repeated);
    pi_ids_free(&m->sums);
    pi_identities_close(&m->identities);
    pi_release(m->allocator, (void *)(uintptr_t)m->aux_info.ptr);
    pi_release(m->allocator, m->heap);
    pi_release(m->allocator, m->in);
    pi_release(m->allocator, m);
}

static enum pd_code start(struct pi_merging *m, struct pd_reader *const *readers, const struct pd_sink *sink)
{
    m->in = pi_array(m->allocator, NULL, m->n, sizeof *m->in);
    if (m->in == NULL) {
        const size_t n = m->n;
        m->n = 0;
        return pi_fail(m->error, PD_ENOMEM, PD_NOWHERE, "merge", 0, n * sizeof *m->in);
    }
    for (size_t i = 0; i < m->n; i++)
        m->in[i] = (struct pi_merge_input){.given = readers[i], .ids.allocator = m->allocator};
    m->id_owner.allocator = m->chain_of.allocator = m->repeated.allocator = m->allocator;
    m->hash_key = pi_key_draw();
    m->order = pd_reader_info(readers[0])->order;
    pi_rounds_init(&m->rounds, m->order);
    return merge_parts(m, sink);
}

enum pd_code pd_merge(struct pd_reader *const *readers, size_t n, const struct pd_sink *sink,
                      const struct pd_merge_options *options, struct pd_merge_stats *stats, size_t *failed,
                      struct pd_error *error)
{
    struct pd_merge_options own;
    struct pd_merge_stats own_stats;
    struct pd_error own_error;
    enum pd_code code = PI_TAKE_OPTIONS(pd_merge_options, &own, options, error);
    if (code)
        return code;
    if (n == 0 || n > UINT32_MAX / 2 || own.to == PD_CONVERT_DIRECTORY)
        return pi_fail(error, PD_EARG, PD_NOWHERE, n ? "to" : "inputs", n, 1);
    struct pi_merging *m = pi_resize(own.allocator, NULL, sizeof *m);
    if (m == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "merge", 0, sizeof *m);
    *m = (struct pi_merging){.n = n, .failed = n, .options = &own, .allocator = own.allocator};
    m->progress = (struct pi_progress){.callback = own.progress, .user = own.user};
    m->stats = stats ? stats : &own_stats;
    m->error = error ? error : &own_error;
    *m->stats = (struct pd_merge_stats){0};
    code = start(m, readers, sink);
    if (failed)
        *failed = m->failed;
    clean_up(m);
    return code;
}
