/* SPDX-License-Identifier: MIT */
/*
 * record_probe.c - see record_probe.h. Probing does not move the reader, but changes the visible bytes of its
 * input.
 */
#include "record_probe.h"
#include "src/codec/carried.h"
#include "src/codec/record_role.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/support/wire.h"

#define IN_A_ROW 3 /* number of plausible records required for reading to continue there */
#define HEADER sizeof(struct pi_record_header)

/* ---- Where records begin */

/*
 * How much is asked of a record: that it is one of those known today and its fields take all of it, or only
 * what is asked of those that are kept.
 */
enum claim { PLAUSIBLE, POSSIBLE };

bool pi_may_come(uint32_t type)
{
    return type < PD_RECORD_HEADER_ATTR || (type > PD_RECORD_SCHEDSTAT_DOMAIN && type < 128) ||
           (type > PD_RECORD_SIMPLEPERF_DEBUG && type < PD_RECORD_SIMPLEPERF_DEBUG + 32);
}

/* True if it is a record of perf's own with bits of misc that none of its type has. */
static bool has_odd_misc(const struct pd_record *rec)
{
    const struct pd_op *head = rec->type < PD_RECORD_HEADER_ATTR ? NULL : pi_layout_of(rec->type);
    return head && head->set == &pd_set_misc_none && rec->misc & ~PD_MISC_CPUMODE;
}

/* Decodes it as far as its layout is known. */
static bool is_sound(const struct pd_reader *r, struct pd_record *rec, enum claim claim)
{
    pi_attrs_resolve(&r->attrs, rec);
    if (!rec->plan || (rec->type == PD_RECORD_SAMPLE && !rec->attr))
        return claim == POSSIBLE;
    const enum pd_code code = pd_record_decode_framed(rec->plan, rec, NULL);
    if (claim == POSSIBLE)
        return code == PD_OK || code == PD_EUNKNOWN;
    return code == PD_OK && (rec->type < PD_RECORD_HEADER_ATTR ? rec->rest.n == 0 : !has_odd_misc(rec));
}

/* The record that begins at p, with at most n bytes; *whole: its size and that of the payload behind it. */
static bool makes_claim(const struct pd_reader *r, const uint8_t *p, uint64_t n, enum claim claim,
                        uint64_t *whole)
{
    const enum pd_order order = r->info.order;
    struct pd_record rec = {0};
    if (n < HEADER || pi_load16(p + 6, order) > n || pd_record_frame(order, p, (size_t)n, &rec, NULL))
        return false;
    if (!pd_set_name(&pd_set_record_type, rec.type) && !(claim == POSSIBLE && pi_may_come(rec.type)))
        return false;
    if (!is_sound(r, &rec, claim))
        return false;
    const uint64_t behind = pi_payload_behind(&rec, order);
    *whole = rec.size + (behind < UINT64_MAX / 2 ? behind : UINT64_MAX / 2); /* beyond any file is beyond */
    return true;
}

static bool is_record_at(const struct pd_reader *r, const uint8_t *p, uint64_t n, uint64_t *whole)
{
    return makes_claim(r, p, n, PLAUSIBLE, whole);
}

/* The same of what stands in the input. */
static bool stands_at(struct pd_reader *r, uint64_t at, enum claim claim, uint64_t *next)
{
    const uint8_t *p;
    uint64_t whole;
    size_t got;
    if (at > r->end || r->end - at < HEADER || pi_input_at(r->src, at, HEADER, &p, &got, NULL) ||
        got < HEADER)
        return false;
    const uint16_t size = pi_load16(p + 6, r->info.order);
    if (size > r->end - at || pi_input_at(r->src, at, size, &p, &got, NULL) || got < size ||
        !makes_claim(r, p, size, claim, &whole) || whole > r->end - at)
        return false;
    *next = at + whole;
    return true;
}

bool pi_is_record(struct pd_reader *r, uint64_t at, uint64_t *next)
{
    return stands_at(r, at, PLAUSIBLE, next);
}

bool pi_is_data_end(struct pd_reader *r, uint64_t at)
{
    const uint64_t left = r->end - at;
    const uint8_t *p;
    size_t got;
    if (at >= r->end)
        return true;
    if (r->info.container != PD_CONTAINER_PIPE || pi_input_at(r->src, at, HEADER, &p, &got, NULL))
        return false;
    if (got >= HEADER) { /* text, if what would be its size is more than is left */
        const uint16_t size = pi_load16(p + 6, r->info.order);
        if (pi_input_at(r->src, at, size, &p, &got, NULL) || got >= size)
            return false;
    }
    got = got < left ? got : (size_t)left;
    return got == 0 || pi_is_stray(r->info.order, p, got);
}

bool pi_goes_on(struct pd_reader *r, uint64_t at)
{
    uint64_t next;
    for (unsigned i = 0; i < IN_A_ROW; i++, at = next) {
        if (pi_is_record(r, at, &next) || pi_is_data_end(r, at))
            return true;
        if (!stands_at(r, at, POSSIBLE, &next))
            return false;
    }
    return true;
}

bool pi_are_in_a_row(struct pd_reader *r, uint64_t at, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (!pi_is_record(r, at, &at))
            return i && pi_is_data_end(r, at);
    }
    return true;
}

bool pi_are_records(struct pd_reader *r, uint64_t at)
{
    return pi_are_in_a_row(r, at, IN_A_ROW);
}

/* ---- Whether a record is plausible */

bool pi_is_orphan(const struct pd_reader *r, const struct pd_record *rec)
{
    const struct pd_event_attr *first = pd_reader_attr(r, 0);
    const bool has_id = rec->type == PD_RECORD_SAMPLE || (first && first->attr.flags & PD_ATTR_SAMPLE_ID_ALL);
    return rec->type < PD_RECORD_HEADER_ATTR && rec->attr == NULL && has_id && r->attrs.seen > 1;
}

/* True if the last present field takes all remaining bytes, so that a wrong size leaves nothing over. */
static bool is_open_ended(const struct pd_op *layout)
{
    for (const struct pd_op *op = layout; op && op->kind != PI_OP_END; op++)
        if (op->kind == PI_OP_STR || op->kind == PI_OP_REST || op->kind == PI_OP_VECR64 ||
            op->kind == PI_OP_ITEMSR)
            return true;
    return false;
}

/* True if the n bytes are records and nothing else. */
static bool are_only_records(const struct pd_reader *r, const uint8_t *p, size_t n)
{
    uint64_t whole = 0;
    for (; n && is_record_at(r, p, n, &whole) && whole <= n; n -= (size_t)whole)
        p += whole;
    return n == 0;
}

/*
 * A search for a row of records inside a record: `all` of its bytes are visible; it begins at `from` and
 * advances by `step`.
 */
struct search {
    const uint8_t *bytes;
    size_t n, all, from, step;
    bool beyond, ends; /* how the row may end: behind the end of the record, exactly at it */
};

/* True if a row that reaches this place, at the end of the record or behind it, is complete. */
static bool is_complete(const struct pd_reader *r, const struct search *s, uint64_t at)
{
    uint64_t whole;
    if (at == s->n)
        return s->ends;
    return s->beyond && at <= s->all && (at == s->all || is_record_at(r, s->bytes + at, s->all - at, &whole));
}

/* The start of the first such row; 0: none. Goes from the end to the begin, to look at each place once. */
static size_t find_row(const struct pd_reader *r, const struct search *s)
{
    uint8_t begins[UINT16_MAX / 8 + 1];
    size_t first = 0;
    if (s->n < s->from + HEADER)
        return 0;
    memset(begins, 0, s->n / 8 + 1);
    for (size_t left = (s->n - HEADER - s->from) / s->step + 1; left; left--) {
        const size_t at = s->from + (left - 1) * s->step;
        uint64_t whole;
        if (!is_record_at(r, s->bytes + at, s->all - at, &whole))
            continue;
        const uint64_t next = at + whole;
        if (next < s->n ? !(begins[next / 8] >> next % 8 & 1) : !is_complete(r, s, next))
            continue;
        begins[at / 8] |= (uint8_t)(1 << at % 8);
        first = at;
    }
    return first;
}

/*
 * Behind damage, bytes of one record and of the next can look like a record. If two rows meet, the longer one
 * is right: returns the start of a row that begins inside the first record; else the place itself.
 */
static uint64_t refine(struct pd_reader *r, uint64_t at)
{
    struct search s = {.from = HEADER, .step = 1, .beyond = true, .ends = true};
    uint64_t next;
    size_t inside = 0;
    do {
        at += inside;
        if (pi_input_at(r->src, at, 2 * UINT16_MAX, &s.bytes, &s.all, NULL) || s.all < HEADER)
            return at;
        s.all = s.all < r->end - at ? s.all : (size_t)(r->end - at);
        s.n = pi_load16(s.bytes + 6, r->info.order);
        inside = is_record_at(r, s.bytes, s.all, &next) && next == s.n ? find_row(r, &s) : 0;
    } while (inside);
    return at;
}

uint64_t pi_find_records(struct pd_reader *r, uint64_t at)
{
    while (at < r->end && !pi_are_records(r, at))
        at++;
    return at < r->end ? refine(r, at) : r->end;
}

/*
 * The place in the record where another one begins, which a wrong size made part of it; 0: none. If the size
 * is wrong, the swallowed records end where the record ends, or else the bytes behind it make no sense.
 */
static size_t find_swallowed(const struct pd_reader *r, const struct pd_record *rec)
{
    const size_t behind = rec->size - rec->rest.n;
    const struct search s = {rec->raw, rec->size, rec->size, 2 * HEADER, 4, .ends = true};
    if (rec->layout == NULL || pi_holds_records(rec->type))
        return 0;
    if (rec->rest.n >= HEADER && are_only_records(r, rec->raw + behind, rec->rest.n))
        return behind;
    return rec->type != PD_RECORD_SAMPLE && is_open_ended(rec->layout) ? find_row(r, &s) : 0;
}

size_t pi_find_inside(struct pd_reader *r, const struct pd_record *rec)
{
    const uint64_t end = rec->offset + rec->size, left = r->end - rec->offset;
    struct search s = {.n = rec->size, .from = HEADER, .step = 1, .beyond = true};
    if (rec->depth || rec->payload_size || pi_goes_on(r, end))
        return 0;
    if (rec->layout && rec->rest.n >= HEADER && pi_are_records(r, end - rec->rest.n))
        return rec->size - rec->rest.n;
    if (pi_input_at(r->src, rec->offset, (size_t)rec->size + UINT16_MAX, &s.bytes, &s.all, NULL))
        return 0;
    s.all = s.all < left ? s.all : (size_t)left;
    return s.all > s.n ? find_row(r, &s) : 0;
}

/* True if the bytes begin like the tracing data that old simpleperf has inside its record. */
static bool has_tracing_data(const struct pd_record *rec)
{
    static const uint8_t magic[] = {23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g'};
    return rec->size >= 12 + sizeof magic && memcmp(rec->raw + 12, magic, sizeof magic) == 0;
}

/* True if a file cannot have such a record: attrs are in its header, tracing data in a section. */
static bool is_out_of_place(const struct pd_reader *r, const struct pd_record *rec)
{
    const bool pipe = r->info.container == PD_CONTAINER_PIPE;
    if (rec->type == PD_RECORD_HEADER_TRACING_DATA && (!pipe || pi_has_tracing_inside(rec)))
        return !has_tracing_data(rec);
    return rec->type == PD_RECORD_HEADER_ATTR && !pipe;
}

/*
 * True if the record is too long: a record of perf's own ends with its fields and zeros, so that other bytes
 * belong to something else.
 */
static bool is_too_long(const struct pd_record *rec)
{
    bool zeros = true;
    const bool open_ended = rec->type < PD_RECORD_FINISHED_ROUND || rec->type == PD_RECORD_SCHEDSTAT_CPU ||
                            rec->type == PD_RECORD_SCHEDSTAT_DOMAIN ||
                            rec->type >= PD_RECORD_SIMPLEPERF_KERNEL_SYMBOL;
    if (open_ended || !rec->decoded || !rec->layout)
        return false;
    for (size_t i = 0; i < rec->rest.n; i++)
        zeros &= rec->rest.ptr[i] == 0;
    return !zeros && rec->rest.n >= 8;
}

bool pi_named_event(const struct pd_record *rec, size_t nth, uint64_t *id)
{
    struct pd_id_index_entry entry;
    if (rec->type < PD_RECORD_HEADER_ATTR || !rec->decoded)
        return false;
    if (rec->type != PD_RECORD_ID_INDEX || !rec->layout)
        return nth == 0 && pi_told_event(rec, id);
    if (nth >= rec->u.id_index.entries.n)
        return false;
    pd_id_index_entry_at(&rec->u.id_index.entries, nth, &entry);
    *id = entry.id;
    return true;
}

bool pi_is_of_event(const struct pd_reader *r, const struct pd_record *rec, size_t *index)
{
    if (rec->type >= PD_RECORD_HEADER_ATTR)
        *index = rec->plan && rec->plan->id_all ? 0 : SIZE_MAX;
    else
        *index = rec->attr_index;
    return *index < r->attrs.seen;
}

/*
 * True if a record may name an event that is not there: of a single one are all, whatever their id. Only
 * events that come before it count.
 */
static bool may_be_of_none(const struct pi_attrs *a)
{
    return a->seen > 1 && a->first_with_id && a->first_with_id <= a->seen;
}

/*
 * True if a record of perf's own names an event that does not exist, or comes later; perf stops at it. Those
 * of an ID_INDEX it looks for even where there is one event, which has all other records
 * (evlist__id2evsel() in tools/perf/util/evlist.c).
 */
static bool is_of_no_event(const struct pd_reader *r, const struct pd_record *rec, uint64_t *id)
{
    for (size_t i = 0; pi_named_event(rec, i, id); i++)
        if (pi_attrs_find(&r->attrs, *id) >= r->attrs.seen &&
            (rec->type == PD_RECORD_ID_INDEX || may_be_of_none(&r->attrs)))
            return true;
    return false;
}

/* True if the record claims a layout that no perf has. */
static bool is_of_no_kind(const struct pd_record *rec)
{
    return rec->decoded && rec->type >= PD_RECORD_HEADER_ATTR && pi_tool_has_beyond(rec->type, &rec->u);
}

enum pd_code pd_reader_judge(const struct pd_reader *r, const struct pd_record *rec, struct pd_error *why)
{
    uint64_t id;
    if (rec->old_feature)
        return PD_OK;
    if (pi_is_orphan(r, rec))
        return pi_fail_record(why, PD_EUNKNOWN, rec, 0, "event id", pi_attrs_id_of(&r->attrs, rec), 0);
    if (is_out_of_place(r, rec) || is_of_no_kind(rec))
        return pi_fail_record(why, PD_EVALUE, rec, 0, "type", rec->type, 0);
    if (rec->type == PD_RECORD_SAMPLE && rec->rest.n == 0)
        return PD_OK;
    const size_t end = rec->decoded ? find_swallowed(r, rec) : 0;
    if (end)
        return pi_fail_record(why, PD_EINSIDE, rec, 6, "size", rec->size, end);
    if (is_too_long(rec))
        return pi_fail_record(why, PD_ECOUNT, rec, 6, "size, of what its fields take", rec->size,
                              rec->size - rec->rest.n);
    return is_of_no_event(r, rec, &id) ? pi_fail_record(why, PD_EUNKNOWN, rec, 0, "event id", id, 0) : PD_OK;
}
