/* SPDX-License-Identifier: MIT */
/*
 * hash.c - the hash of a recording's content, docs/HASH.md. One pass: each attr, instance of a feature and
 * record is hashed by itself, then these hashes are combined in ways that no conversion disturbs:
 *
 *  - attrs in their order, each distinct one once: a file may have them in its section and again as records;
 *  - the instances of a feature as a sum: they may be in a section, records, or both;
 *  - records with a time in order of time: 16 bytes of each wait for the end of the next round (timed.h). If
 *    that is too early for a later record, all is read again, and waits to the end, in memory or temporary
 *    files;
 *  - records without a time in the order in which they stand, apart from the others.
 */
#include "batches.h"
#include "canonical.h"
#include "timed.h"
#include "ops/output/payload.h"
#include "ops/output/progress.h"
#include "src/codec/carried.h"
#include "src/codec/record_role.h"
#include "src/schema/fail.h"
#include "src/session/content.h"
#include "src/session/record_words.h"
#include "src/container/feature_probe.h"
#include "src/container/reader/sample_run.h"
#include "src/support/idmap.h"
#include "src/support/limits.h"
#include "src/schema/options.h"
#include "src/session/offcpu.h"
#include "src/session/order/order_queue.h"
#include "src/support/text_scan.h"
#include "src/support/wire.h"
#include "src/support/wrap.h"
#include <perfdata/session/sorter.h>
#include <perfdata/session/tasks.h>

#define PIECE ((size_t)65536)
#define OTHER 256 /* features of higher numbers, which only records can have, together */

/* The state of a feature: the sum of its instances' hashes. */
struct feature {
    uint64_t count; /* 0: there is none */
    uint64_t high, low;
};

/* Bytes beside those of a feature that waits: the same on each machine, as the hash depends on the limit. */
#define HELD_COSTS 16

/* A CPU_TOPOLOGY, whose layout depends on an NRCPUS that may come later. */
struct held {
    uint8_t *bytes;
    size_t n;
    uint64_t offset; /* in the file */
};

struct pi_hashing {
    const struct pd_allocator *allocator;
    const struct pd_hash_options *options;
    struct pd_reader *r;
    struct pd_sorter *sorter; /* NULL: the order of the file */
    struct pd_error *error;
    struct pi_offcpu_names names;
    enum pd_code failed;   /* PD_OK, or the error that ended reading */
    struct pi_canon item;  /* the attr, feature or record at hand */
    struct pi_canon chain; /* the hashes of records without a time, then of all in one */
    bool quick;            /* the order of time is followed as records come */
    struct pi_timed order; /* the hashes of records with one, if quick */
    struct pi_queue queue; /* the same, if not */
    uint64_t told;         /* findings */
    uint64_t told_before;  /* by the reading that was too quick */
    struct pd_hash *attrs;
    size_t n_attrs, cap_attrs;
    struct pi_idmap attr_ids;           /* from 32 bits of an attr's hash to its place */
    struct feature features[OTHER + 1]; /* by number */
    struct held *held;
    size_t n_held, cap_held, held_bytes;
    uint32_t nr_cpus;
    uint64_t timed, untimed; /* records */
    struct pi_progress progress;
    struct pi_batches *batches; /* of records that threads hash; NULL: this one does */
};

static enum pd_code no_memory(const struct pi_hashing *h, uint64_t n)
{
    return pi_fail(h->error, PD_ENOMEM, PD_NOWHERE, "hash", 0, n);
}

/* Reports damage; a failure is kept, and ends add_records() and add_sections(). */
static void finding(struct pi_hashing *h, const struct pd_error *what)
{
    if (pd_is_failure(what->code)) {
        *h->error = *what;
        h->failed = what->code;
    } else if (h->told++ >= h->told_before && h->options->finding) {
        h->options->finding(h->options->user, what);
    }
}

char *pd_hash_text(const struct pd_hash *hash, char text[PD_HASH_TEXT])
{
    pi_put_hex_bytes(text, hash->bytes, sizeof hash->bytes);
    text[2 * sizeof hash->bytes] = '\0';
    return text;
}

/* ---- Attrs */

static enum pd_code add_attr(struct pi_hashing *h, const struct pd_attr *attr, const struct pd_vec *ids)
{
    pi_canon_attr(&h->item, attr);
    pi_canon_vec(&h->item, ids);
    const struct pd_hash hash = pi_canon_end(&h->item);
    const uint32_t key = pi_load32(hash.bytes, PD_LITTLE), at = pi_idmap_get(&h->attr_ids, key);
    if (at != PI_IDMAP_NONE && memcmp(&h->attrs[at], &hash, sizeof hash) == 0)
        return PD_OK;
    if (!pi_grow(h->allocator, (void **)&h->attrs, h->n_attrs, &h->cap_attrs, sizeof *h->attrs) ||
        (at == PI_IDMAP_NONE && !pi_idmap_add(&h->attr_ids, key, (uint32_t)h->n_attrs)))
        return no_memory(h, sizeof hash);
    h->attrs[h->n_attrs++] = hash;
    return PD_OK;
}

/* Those of the file's section, or those that a stream has brought so far. */
static enum pd_code add_attrs(struct pi_hashing *h, size_t from)
{
    enum pd_code code = PD_OK;
    for (size_t i = from; !code && i < pd_reader_n_attrs(h->r); i++) {
        const struct pd_event_attr *e = pd_reader_attr(h->r, i);
        const struct pd_vec ids = {e->ids, e->n_ids, 8, PD_FORM_STRUCT};
        code = add_attr(h, &e->attr, &ids);
    }
    return code;
}

/* ---- Features */

/* Adds the instance in h->item: its hash as a number of 128 bits. */
PI_WRAPS static void add_instance(struct pi_hashing *h, uint64_t number)
{
    if (number >= OTHER)
        pi_canon_number(&h->item, number, 8);
    const struct pd_hash hash = pi_canon_end(&h->item);
    struct feature *f = &h->features[number < OTHER ? number : OTHER];
    const uint64_t low = pi_load64(hash.bytes + 8, PD_BIG);
    f->low += low;
    f->high += pi_load64(hash.bytes, PD_BIG) + (f->low < low);
    f->count++;
}

static void add_build_ids(struct pi_hashing *h, const struct pd_feature *f)
{
    struct pd_list l = f->u.build_id.entries;
    struct pd_build_id_entry e;
    while (pd_build_id_entry_next(&l, &e)) {
        pi_canon_build_id(&h->item, &e.file, e.misc, f->variant);
        add_instance(h, PD_FEAT_BUILD_ID);
    }
    if (f->rest.n) {
        pi_canon_bytes(&h->item, f->rest.ptr, f->rest.n);
        add_instance(h, PD_FEAT_BUILD_ID);
    }
}

static enum pd_code hash_feature(struct pi_hashing *h, uint32_t number, uint64_t offset, const void *bytes,
                                 size_t n)
{
    struct pd_feature f;
    struct pd_error what;
    if (pi_probe_feature(pd_reader_info(h->r)->order, number, h->nr_cpus, (struct pd_bytes){bytes, n}, offset,
                         false, &f, &what))
        finding(h, &what);
    if (number == PD_FEAT_NRCPUS && f.layout)
        h->nr_cpus = f.u.nrcpus.nr_cpus_avail;
    if (number == PD_FEAT_BUILD_ID && f.layout) {
        add_build_ids(h, &f);
        return PD_OK;
    }
    const enum pd_code code = pi_canon_feature(&h->item, &f, pd_reader_info(h->r)->order, h->error);
    add_instance(h, number);
    return code;
}

/* Keeps a CPU_TOPOLOGY until the end. */
static enum pd_code hold(struct pi_hashing *h, uint64_t offset, const void *bytes, size_t n)
{
    uint8_t *copy = pi_resize(h->allocator, NULL, n);
    if (copy == NULL || !pi_grow(h->allocator, (void **)&h->held, h->n_held, &h->cap_held, sizeof *h->held)) {
        pi_release(h->allocator, copy);
        return no_memory(h, n);
    }
    memcpy(copy, bytes, n);
    h->held[h->n_held++] = (struct held){copy, n, offset};
    h->held_bytes += n + HELD_COSTS;
    return PD_OK;
}

/* A feature's bytes, which are gone afterwards. */
static enum pd_code add_feature(struct pi_hashing *h, uint64_t number, uint64_t offset, const void *bytes,
                                size_t n)
{
    if (pi_is_of_container(number) || (n == 0 && !pi_may_be_empty(number)))
        return PD_OK;
    if (number == PD_FEAT_CPU_TOPOLOGY && n + h->held_bytes <= PI_LIMIT_HASH_HELD)
        return hold(h, offset, bytes, n);
    if (number < OTHER)
        return hash_feature(h, (uint32_t)number, offset, bytes, n);
    pi_canon_bytes(&h->item, bytes, n); /* nobody knows it */
    add_instance(h, number);
    return PD_OK;
}

static enum pd_code add_held(struct pi_hashing *h)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < h->n_held; i++)
        code = hash_feature(h, PD_FEAT_CPU_TOPOLOGY, h->held[i].offset, h->held[i].bytes, h->held[i].n);
    return code;
}

/*
 * Tracing data is opaque, and a stream pads it with zeros: those at its end do not count. *zeros are those
 * that may be at the end.
 */
static void add_tracing_piece(struct pi_hashing *h, const uint8_t *bytes, size_t n, uint64_t *zeros)
{
    static const uint8_t none[256];
    size_t end = n;
    while (end && bytes[end - 1] == 0)
        end--;
    for (uint64_t left = end ? *zeros : 0; left; left -= left < sizeof none ? left : sizeof none)
        pi_canon_bytes(&h->item, none, left < sizeof none ? (size_t)left : sizeof none);
    pi_canon_bytes(&h->item, bytes, end);
    *zeros = end ? n - end : *zeros + n;
}

static enum pd_code add_tracing_section(struct pi_hashing *h, const struct pd_file_section *s)
{
    uint8_t *piece = pi_resize(h->allocator, NULL, PIECE);
    struct pd_error what;
    enum pd_code code = PD_OK;
    uint64_t zeros = 0;
    if (piece == NULL)
        return no_memory(h, PIECE);
    for (uint64_t at = 0; !code && at < s->size; at += PIECE) {
        const size_t n = s->size - at < PIECE ? (size_t)(s->size - at) : PIECE;
        if ((code = pd_reader_read(h->r, s->offset + at, piece, n, &what)) == PD_OK)
            add_tracing_piece(h, piece, n, &zeros);
    }
    pi_release(h->allocator, piece);
    if (code)
        finding(h, &what);
    add_instance(h, PD_FEAT_TRACING_DATA);
    return PD_OK;
}

static enum pd_code add_whole_section(struct pi_hashing *h, const struct pd_feature_section *f)
{
    const struct pd_file_section *s = &f->section;
    const uint64_t most = h->options->max_feature ? h->options->max_feature : PI_LIMIT_HASHED;
    struct pd_error what = {0};
    if (s->size > most) {
        pi_fail(&what, PD_ELIMIT, s->offset, "section", s->size, most);
        what.section = pd_feature_name(f->feature);
        finding(h, &what);
        return PD_OK;
    }
    uint8_t *bytes = pi_resize(h->allocator, NULL, (size_t)s->size);
    if (bytes == NULL)
        return no_memory(h, s->size);
    enum pd_code code = pd_reader_read(h->r, s->offset, bytes, (size_t)s->size, &what);
    if (code)
        finding(h, &what);
    code = code ? h->failed : add_feature(h, f->feature, s->offset, bytes, (size_t)s->size);
    pi_release(h->allocator, bytes);
    return code;
}

/* The sections; of a file that cannot seek they are known after its records. */
static enum pd_code add_sections(struct pi_hashing *h)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < pd_reader_n_features(h->r); i++) {
        const struct pd_feature_section *f = pd_reader_feature(h->r, i);
        if (!f->intact || pi_is_of_container(f->feature))
            continue;
        if (f->feature == PD_FEAT_TRACING_DATA && f->section.size)
            code = add_tracing_section(h, &f->section);
        else
            code = add_whole_section(h, f);
    }
    return code ? code : h->failed;
}

/* ---- Records that bring attrs and features, and those of the container */

/* The payload behind a record. A truncated one is hashed as far as it goes. */
static void take_payload(struct pi_hashing *h, pi_take_piece *take, void *user)
{
    struct pd_error what;
    if (pi_copy_payload(h->r, h->sorter, take, user, &what))
        finding(h, &what);
}

struct tracing {
    struct pi_hashing *h;
    uint64_t zeros;
};

static enum pd_code take_tracing(void *user, const uint8_t *bytes, size_t n)
{
    struct tracing *t = user;
    add_tracing_piece(t->h, bytes, n, &t->zeros);
    return PD_OK;
}

/* Reports its damage. */
static bool decode(struct pi_hashing *h, struct pd_record *rec)
{
    struct pd_error what;
    const enum pd_code code = pd_reader_decode(h->r, rec, &what);
    if (code && code != PD_EUNKNOWN)
        finding(h, &what);
    return code == PD_OK;
}

/* Behind the record, or, of old simpleperf, in it. */
static void add_tracing_record(struct pi_hashing *h, struct pd_record *rec)
{
    struct tracing t = {.h = h};
    struct pd_bytes inner;
    if (!decode(h, rec) || !rec->layout || rec->u.header_tracing_data.data_size == 0)
        return;
    pi_record_tracing_data(rec, pd_reader_info(h->r)->order, &inner,
                           NULL); /* cut data counts as far as it goes */
    add_tracing_piece(h, inner.ptr, inner.n, &t.zeros);
    take_payload(h, take_tracing, &t);
    add_instance(h, PD_FEAT_TRACING_DATA);
}

static enum pd_code add_feature_record(struct pi_hashing *h, struct pd_record *rec)
{
    struct pd_bytes data;
    uint64_t number;
    if (!pi_record_feature(rec, pd_reader_info(h->r)->order, &number, &data)) {
        decode(h, rec);
        return PD_OK;
    }
    return add_feature(h, number, rec->depth ? PD_NOWHERE : rec->offset + (uint64_t)(data.ptr - rec->raw),
                       data.ptr, data.n);
}

static void add_build_id_record(struct pi_hashing *h, struct pd_record *rec)
{
    if (!decode(h, rec))
        pi_canon_record(&h->item, rec);
    else
        pi_canon_build_id(&h->item, &rec->u.header_build_id.file, rec->misc, rec->variant);
    add_instance(h, PD_FEAT_BUILD_ID);
}

/* Of a stream the reader has taken it, and all such records of it are added together. */
static enum pd_code add_attr_record(struct pi_hashing *h, struct pd_record *rec)
{
    if (!decode(h, rec) || pd_reader_info(h->r)->container == PD_CONTAINER_PIPE)
        return PD_OK;
    return add_attr(h, &rec->u.header_attr.attr, &rec->u.header_attr.ids);
}

/* Behind a record that carries no content. */
static void end_round(struct pi_hashing *h, uint32_t type)
{
    if (h->quick && type == PD_RECORD_FINISHED_ROUND)
        pi_timed_round(&h->order);
}

static enum pd_code add_transport(struct pi_hashing *h, struct pd_record *rec)
{
    switch (rec->type) {
    case PD_RECORD_HEADER_ATTR: return add_attr_record(h, rec);
    case PD_RECORD_HEADER_FEATURE: return add_feature_record(h, rec);
    case PD_RECORD_HEADER_TRACING_DATA: add_tracing_record(h, rec); break;
    case PD_RECORD_HEADER_BUILD_ID: add_build_id_record(h, rec); break;
    default: decode(h, rec); break; /* only to report damage; the content of a COMPRESSED one follows it */
    }
    end_round(h, rec->type);
    return PD_OK;
}

/* ---- Records */

static enum pd_code add_piece(void *user, const uint8_t *bytes, size_t n)
{
    struct pi_hashing *h = user;
    pi_canon_bytes(&h->item, bytes, n);
    return PD_OK;
}

/* A record with a time waits to be sorted; one without comes at its position. */
static inline enum pd_code put_in_order(struct pi_hashing *h, uint64_t time, const struct pd_hash *hash)
{
    if (!pi_is_time(time)) {
        h->untimed++;
        pi_canon_bytes(&h->chain, hash->bytes, sizeof hash->bytes);
        return PD_OK;
    }
    h->timed++;
    if (h->quick)
        return pi_timed_push(&h->order, time, hash, h->error);
    const struct pd_record waiting = {.raw = hash->bytes, .size = sizeof hash->bytes};
    return pi_queue_push(&h->queue, &waiting, time, h->error);
}

static enum pd_code add_record(struct pi_hashing *h, struct pd_record *rec)
{
    if (rec->old_feature)
        return add_feature_record(h, rec);
    if (pi_is_transport(rec->type))
        return add_transport(h, rec);
    decode(h, rec);
    pi_canon_record(&h->item, rec);
    if (rec->payload_size)
        take_payload(h, add_piece, h);
    const struct pd_hash hash = pi_canon_end(&h->item);
    uint64_t time;
    return put_in_order(h, pd_record_time(rec, &time) ? time : 0, &hash);
}

/* ---- Records that other threads hash */

static void report_damage(struct pi_hashing *h)
{
    struct pd_record rec = {0};
    pi_batches_record(h->batches, &rec);
    decode(h, &rec);
}

/* Takes the oldest result. */
static enum pd_code take_hashed(struct pi_hashing *h, bool *more)
{
    const struct pi_hashed *hashed = pi_batches_take(h->batches);
    *more = hashed != NULL;
    enum pd_code code = PD_OK;
    if (hashed && hashed->damaged)
        report_damage(h);
    if (hashed && pi_is_transport(hashed->type))
        end_round(h, hashed->type);
    else if (hashed)
        code = put_in_order(h, hashed->time, &hashed->hash);
    return code ? code : h->failed;
}

/* Takes all results, so that what comes now is behind them. */
static enum pd_code settle(struct pi_hashing *h)
{
    bool more = true;
    enum pd_code code = PD_OK;
    while (!code && more && !h->order.lost)
        code = take_hashed(h, &more);
    return code;
}

static enum pd_code give_record(struct pi_hashing *h, const struct pd_record *rec)
{
    bool more;
    enum pd_code code = PD_OK;
    while (!code && !h->order.lost && !pi_batches_have_room(h->batches))
        code = take_hashed(h, &more);
    if (code || h->order.lost)
        return code;
    pi_progress_record(&h->progress, rec);
    pi_batches_give(h->batches, rec);
    return PD_OK;
}

/* Others change what decoding depends on, or have a payload, which must be read now. */
static bool is_alone(const struct pd_record *rec)
{
    const bool changes = rec->type >= PD_RECORD_HEADER_ATTR && rec->type != PD_RECORD_FINISHED_ROUND;
    return (!changes || pi_is_wrapper(rec)) && !rec->old_feature && rec->payload_size == 0;
}

/* Behind reading: gives a record to a thread; *waits: it was. What is not given comes behind all that was. */
__attribute__((noinline)) static enum pd_code share_record(struct pi_hashing *h, enum pd_code code,
                                                           const struct pd_record *rec, bool *waits)
{
    *waits = code == PD_OK && is_alone(rec);
    return *waits ? give_record(h, rec) : settle(h);
}

static enum pd_code take_record(struct pi_hashing *h, struct pd_record *rec)
{
    pi_progress_record(&h->progress, rec);
    const enum pd_code code = pi_offcpu_learn(&h->names, h->r, rec, h->error);
    return code ? code : add_record(h, rec);
}

/* Samples that come next, as far as few steps do. */
static enum pd_code add_samples(struct pi_hashing *h)
{
    struct pd_reader *r = h->r;
    const uint8_t *stop, *const start = pi_reader_sees(r, &stop), *p = start;
    struct pi_samples run = pi_samples_of(r);
    enum pd_code code = PD_OK;
    uint64_t n = 0, time;
    while (!code && !h->order.lost && pi_samples_next(p, (size_t)(stop - p), &run, &time) &&
           pi_canon_sample(&h->item, run.plan, p, run.size)) {
        const struct pd_hash hash = pi_canon_end(&h->item);
        code = put_in_order(h, time, &hash);
        p += run.size;
        n++;
    }
    pi_progress_passed(&h->progress, r, (uint64_t)(p - start));
    pi_reader_passed(r, p, n);
    return code;
}

static enum pd_code add_records(struct pi_hashing *h)
{
    const bool alone = h->quick && !h->sorter && !h->batches;
    struct pd_record rec = {0};
    struct pd_error what;
    enum pd_code code;
    for (;;) {
        if (alone && h->r->begun && (!h->r->inside || pi_reader_is_inside(h->r)) &&
            ((code = add_samples(h)) || h->order.lost))
            return code;
        code = h->sorter ? pd_sorter_next(h->sorter, &rec, &what) : pd_reader_next(h->r, &rec, &what);
        bool waits = false;
        enum pd_code given;
        if (h->batches && ((given = share_record(h, code, &rec, &waits)) || h->order.lost))
            return given;
        if (code == PD_END)
            return PD_OK;
        if (code)
            finding(h, &what);
        if (h->failed)
            return h->failed;
        if (code || waits)
            continue;
        if ((code = take_record(h, &rec)) || (code = h->failed) || h->order.lost)
            return code;
    }
}

/* ---- The parts together */

static void tell_part(struct pi_hashing *h, enum pd_hash_kind kind, uint64_t feature, uint64_t count,
                      struct pd_hash hash)
{
    const struct pd_hash_part part = {kind, feature, count, hash};
    pi_canon_number(&h->chain, (uint64_t)kind, 4);
    pi_canon_number(&h->chain, feature, 8);
    pi_canon_number(&h->chain, count, 8);
    pi_canon_bytes(&h->chain, hash.bytes, sizeof hash.bytes);
    if (h->options->part)
        h->options->part(h->options->user, &part);
}

static struct pd_hash sum_of(const struct feature *f)
{
    struct pd_hash hash;
    pi_store64(hash.bytes, f->high, PD_BIG);
    pi_store64(hash.bytes + 8, f->low, PD_BIG);
    return hash;
}

/* Those that waited, in h->chain, which is empty. */
static enum pd_code end_waiting(struct pi_hashing *h, struct pd_hash *hash)
{
    const struct pi_waiting *w;
    enum pd_code code = pi_queue_flush(&h->queue, UINT64_MAX, h->error);
    while (!code && (code = pi_queue_next(&h->queue, &w, h->error)) == PD_OK && w)
        pi_canon_bytes(&h->chain, w->raw, sizeof hash->bytes);
    *hash = pi_canon_end(&h->chain);
    return code;
}

/* Both chains: how many records each has and its hash. Uses h->chain up, which has the untimed ones. */
static enum pd_code end_records(struct pi_hashing *h, struct pd_hash *hash)
{
    const struct pd_hash untimed = pi_canon_end(&h->chain);
    struct pd_hash timed;
    enum pd_code code = PD_OK;
    if (h->quick)
        timed = pi_timed_end(&h->order);
    else
        code = end_waiting(h, &timed);
    pi_canon_number(&h->item, h->timed, 8);
    pi_canon_bytes(&h->item, timed.bytes, sizeof timed.bytes);
    pi_canon_number(&h->item, h->untimed, 8);
    pi_canon_bytes(&h->item, untimed.bytes, sizeof untimed.bytes);
    *hash = pi_canon_end(&h->item);
    return code;
}

static struct pd_hash end_attrs(struct pi_hashing *h)
{
    for (size_t i = 0; i < h->n_attrs; i++)
        pi_canon_bytes(&h->item, h->attrs[i].bytes, sizeof h->attrs[i].bytes);
    return pi_canon_end(&h->item);
}

static enum pd_code end(struct pi_hashing *h, struct pd_hash *hash)
{
    struct pd_hash records;
    const enum pd_code code = end_records(h, &records);
    if (code)
        return code;
    tell_part(h, PD_HASH_ATTRS, 0, h->n_attrs, end_attrs(h));
    for (size_t i = 0; i <= OTHER; i++)
        if (h->features[i].count)
            tell_part(h, PD_HASH_FEATURE, i, h->features[i].count, sum_of(&h->features[i]));
    tell_part(h, PD_HASH_RECORDS, 0, h->timed + h->untimed, records);
    *hash = pi_canon_end(&h->chain);
    return PD_OK;
}

static enum pd_code hash_parts(struct pi_hashing *h, struct pd_hash *hash)
{
    const size_t memory = h->options->memory ? h->options->memory : PI_LIMIT_SORT_MEMORY;
    const bool stream = pd_reader_info(h->r)->container == PD_CONTAINER_PIPE;
    enum pd_code code = h->quick
                            ? pi_timed_init(&h->order, h->allocator, memory, h->error)
                            : pi_queue_init(&h->queue, h->allocator, memory, h->options->tmpdir, h->error);
    if (!code)
        code = pi_offcpu_open(&h->names, h->r, h->allocator, h->error);
    if (!code)
        code = pi_canon_init(&h->item, h->allocator, h->error);
    if (!code)
        code = pi_canon_init(&h->chain, h->allocator, h->error);
    if (!code && h->r->workers && !stream) /* the events of a stream may change */
        code = pi_batches_open(&h->batches, h->r->workers, h->allocator, h->error);
    if (!code && !stream)
        code = add_attrs(h, 0);
    if (!code)
        code =
            pi_open_members(h->r, h->allocator, h->options->memory, h->options->tmpdir, &h->sorter, h->error);
    if (!code)
        code = add_records(h);
    if (h->order.lost)
        return PD_OK;
    pd_sorter_close(h->sorter); /* from here on the reader may be used again */
    h->sorter = NULL;
    if (!code && stream)
        code = add_attrs(h, 0);
    if (!code)
        code = add_sections(h);
    if (!code)
        code = add_held(h);
    return code ? code : end(h, hash);
}

static void clean_up(struct pi_hashing *h)
{
    for (size_t i = 0; i < h->n_held; i++)
        pi_release(h->allocator, h->held[i].bytes);
    pi_release(h->allocator, h->held);
    pi_release(h->allocator, h->attrs);
    pi_idmap_free(&h->attr_ids);
    pi_offcpu_close(&h->names);
    pi_batches_close(h->batches);
    if (h->quick)
        pi_timed_free(&h->order);
    else
        pi_queue_free(&h->queue);
    pi_canon_free(&h->item);
    pi_canon_free(&h->chain);
}

/*
 * One reading in order of time as the records come, or, if an earlier one was too quick and told so many
 * findings, one that sorts all.
 */
static enum pd_code hash_once(struct pd_reader *reader, const struct pd_hash_options *options,
                              struct pi_hashing *h, uint64_t told_before, struct pd_hash *hash,
                              struct pd_error *error)
{
    const bool again = h->order.lost, members = pd_reader_n_members(reader) > 1;
    *h =
        (struct pi_hashing){.allocator = options->allocator, .options = options, .r = reader, .error = error};
    h->quick = !again && !members && reader->in.seekable;
    h->told_before = told_before;
    h->attr_ids.allocator = options->allocator;
    h->progress = (struct pi_progress){.callback = options->progress, .user = options->user};
    pi_progress_expect(&h->progress, pi_record_bytes(reader), 1);
    const enum pd_code code = hash_parts(h, hash);
    clean_up(h);
    return code;
}

enum pd_code pd_hash_recording(struct pd_reader *reader, const struct pd_hash_options *given,
                               struct pd_hash *hash, struct pd_error *error)
{
    struct pd_hash_options options;
    struct pd_error own_error;
    *hash = (struct pd_hash){{0}};
    enum pd_code code = PI_TAKE_OPTIONS(pd_hash_options, &options, given, error);
    if (code)
        return code;
    struct pi_hashing *h = pi_resize(options.allocator, NULL, sizeof *h);
    if (h == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "hash", 0, sizeof *h);
    h->order.lost = false;
    code = hash_once(reader, &options, h, 0, hash, error ? error : &own_error);
    if (h->order.lost) {
        const uint64_t told = h->told;
        code = pd_reader_rewind(reader, error);
        if (!code)
            code = hash_once(reader, &options, h, told, hash, error ? error : &own_error);
    }
    pi_release(options.allocator, h);
    return code;
}
