/* SPDX-License-Identifier: MIT */
/* edits.c - changes records, attrs and features during a conversion; see edits.h. */
#include "edits.h"
#include "encode/codec/form.h"
#include "src/codec/carried.h"
#include "src/codec/interpret.h"
#include "src/container/reader/reader_internal.h"
#include "src/codec/offcpu_bits.h"
#include "src/codec/parts.h"
#include "src/support/memory.h"
#include "src/reflect/reflect.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/support/wrap.h"
#include <perfdata/reader.h>
#include <perfdata/session/event.h>

/* ---- Dropped items, and their reports */

static bool goes(const struct pi_edits *e, const struct pd_op *layout)
{
    return layout && (e->drop >> pi_identities_of(&e->touch.ids, layout)->kinds[0] & 1);
}

static void count_gone_feature(struct pi_edits *e, uint32_t feature)
{
    if (feature < 256)
        e->gone_features[feature / 8] |= (uint8_t)(1u << feature % 8);
}

void pi_edits_notes(const struct pi_edits *e, void (*note)(void *user, const struct pd_convert_note *note),
                    void *user)
{
    static const char why[] = "it was to be left out";
    pi_type_counts_note(&e->gone, false, why, note, user);
    pi_type_counts_note(&e->left, true, "some records stay as they are, since their fields are not known",
                        note, user);
    struct pd_convert_note n = {.what = PD_NOTED_FEATURE, .why = why};
    for (n.number = 0; n.number < 256; n.number++)
        if (e->gone_features[n.number / 8] >> n.number % 8 & 1)
            note(user, &n);
    n = (struct pd_convert_note){.what = PD_NOTED_BYTES, .count = e->stray, .why = why};
    if (e->stray)
        note(user, &n);
}

/* ---- Attrs */

static bool is_zero(const uint8_t *p, size_t n)
{
    while (n && p[n - 1] == 0)
        n--;
    return n == 0;
}

static void strip_attr(const struct pi_edits *e, struct pd_attr *attr)
{
    const uint64_t gone = attr->sample_type & e->strip;
    attr->sample_type &= ~gone;
    if (gone & PD_SAMPLE_BRANCH_STACK)
        attr->branch_sample_type = 0;
    if (gone & PD_SAMPLE_REGS_USER)
        attr->sample_regs_user = 0;
    if (gone & PD_SAMPLE_STACK_USER)
        attr->sample_stack_user = 0;
    if (gone & PD_SAMPLE_REGS_INTR)
        attr->sample_regs_intr = 0;
    if (gone & PD_SAMPLE_AUX)
        attr->aux_sample_size = 0;
    if (gone & PD_SAMPLE_CALLCHAIN)
        attr->sample_max_stack = 0;
    if (e->max_stack && attr->sample_type & PD_SAMPLE_CALLCHAIN && attr->size >= PD_ATTR_SIZE_VER5 &&
        (attr->sample_max_stack == 0 || attr->sample_max_stack > e->max_stack))
        attr->sample_max_stack = (uint16_t)(e->max_stack < UINT16_MAX ? e->max_stack : 0);
}

/*
 * PMUs of probes have addresses where others have numbers; such numbers are smaller than any address of the
 * kernel.
 */
static enum pd_code change_addrs(struct pi_edits *e, struct pd_attr *attr, struct pd_error *error)
{
    const uint64_t lowest = UINT64_C(0xffff800000000000);
    const bool breakpoint = attr->type == PD_TYPE_BREAKPOINT, other = attr->type > PD_TYPE_BREAKPOINT;
    enum pd_code code = PD_OK;
    if (breakpoint || (other && attr->config1 >= lowest))
        code = e->touch.number(e, PI_ID_ADDR, 8, &attr->bp_addr, error);
    if (!code && other && attr->config2 >= lowest)
        code = e->touch.number(e, PI_ID_ADDR, 8, &attr->config2, error);
    return code;
}

/* Callback of the retouch, for attrs in records and features too. */
static enum pd_code change_attr(void *user, struct pd_attr *attr, struct pd_error *error)
{
    struct pi_edits *e = user;
    enum pd_code code;
    strip_attr(e, attr);
    if (e->options->edit && e->options->edit->realtime) {
        attr->flags |= PD_ATTR_USE_CLOCKID;
        attr->clockid = 0;
    }
    if (!e->strict)
        return PD_OK;
    attr->sig_data = 0;
    attr->reserved_2 = 0;
    if (e->touch.touched & PI_ID_BIT(PI_ID_ADDR) && (code = change_addrs(e, attr, error)))
        return code;
    if (is_zero(attr->tail.ptr, attr->tail.n))
        return PD_OK;
    /* Bytes beyond the size have no meaning; those within it are unknown fields. */
    const size_t fields = attr->size > PD_ATTR_SIZE ? attr->size - PD_ATTR_SIZE : 0;
    if (fields && !is_zero(attr->tail.ptr, fields < attr->tail.n ? fields : attr->tail.n) && !e->drop_unknown)
        return pi_fail(error, PD_EOPAQUE, PD_NOWHERE, "attr.tail", attr->size, PD_ATTR_SIZE);
    uint8_t *zeros = pi_retouch_memory(&e->touch, attr->tail.n);
    if (zeros == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "attr.tail", 0, attr->tail.n);
    memset(zeros, 0, attr->tail.n);
    attr->tail.ptr = zeros;
    return PD_OK;
}

enum pd_code pi_edits_attr(struct pi_edits *e, const struct pd_attr *attr, const struct pd_attr **out,
                           struct pd_error *error)
{
    e->attr = *attr;
    e->touch.used = 0;
    *out = &e->attr;
    return change_attr(e, &e->attr, error);
}

enum pd_code pi_edits_event_type(struct pi_edits *e, struct pd_event_type *type, struct pd_error *error)
{
    static const struct pd_shape shape;
    return pi_retouch_value(&e->touch, pi_layout_event_type(), &shape, type, false, error);
}

/* The attr that tells a record's layout: of no known event, that of the first one; UINT32_MAX: none. */
static uint32_t attr_of(const struct pd_reader *r, const struct pd_record *rec)
{
    const struct pd_event_attr *first = pd_reader_n_attrs(r) ? pd_reader_attr(r, 0) : NULL;
    return rec->attr_index == UINT32_MAX && first && rec->plan == &first->plan ? 0 : rec->attr_index;
}

/* The plan of the changed attr that tells a record's layout. */
static const struct pd_plan *plan_of(struct pi_edits *e, const struct pd_reader *r,
                                     const struct pd_record *rec)
{
    const uint32_t index = attr_of(r, rec);
    if (!e->strip || index == UINT32_MAX)
        return rec->plan;
    for (; e->n_plans <= index; e->n_plans++) {
        const struct pd_event_attr *event = pd_reader_attr(r, e->n_plans);
        struct pd_attr attr = event->attr;
        struct pd_plan *more = pi_array(e->allocator, e->plans, e->n_plans + 1, sizeof *more);
        if (more == NULL)
            return NULL;
        e->plans = more;
        strip_attr(e, &attr);
        pd_plan_init(&e->plans[e->n_plans], &attr, (enum pd_order)event->plan.order);
    }
    return &e->plans[index];
}

/* ---- Records */

static enum pd_code refuse(const struct pd_record *rec, enum pd_code code, const char *field,
                           struct pd_error *error)
{
    return pi_fail_record(error, code, rec, 8, field, rec->type, 0);
}

/* The bytes behind the known fields: padding is dropped, anything else is unknown. */
static enum pd_code clean_rest(struct pi_edits *e, const struct pd_record *rec, struct pd_bytes *rest,
                               bool *drop, struct pd_error *error)
{
    static const uint8_t zeros[8];
    if (is_zero(rest->ptr, rest->n))
        return PD_OK;
    if (rest->n >= sizeof zeros) {
        *drop = e->drop_unknown;
        return *drop ? PD_OK : refuse(rec, PD_EOPAQUE, "rest", error);
    }
    rest->ptr = zeros;
    return PD_OK;
}

/* Markers are not counted, as in perf; a marker without entries behind it is dropped, too. */
static size_t cut_chain(const struct pd_vec *ips, uint32_t most)
{
    size_t i = 0;
    for (uint32_t n = 0; i < ips->n; i++) {
        const bool marker = pd_vec_at(ips, i) >= PD_CONTEXT_MAX;
        if (!marker && n++ == most)
            break;
    }
    if (i < ips->n)
        while (i && pd_vec_at(ips, i - 1) >= PD_CONTEXT_MAX)
            i--;
    return i;
}

static void shorten(const struct pi_edits *e, struct pd_record *rec)
{
    if (rec->type == PD_RECORD_SAMPLE) {
        struct pd_callchain *chain = &rec->u.sample.callchain;
        if (e->strip & PD_SAMPLE_BRANCH_STACK)
            rec->variant &= (uint8_t) ~(PD_VARIANT_NO_HW_IDX | PD_VARIANT_BRANCH_COUNTERS);
        if (e->max_stack && rec->plan->shape.sample_type & PD_SAMPLE_CALLCHAIN)
            chain->nr = chain->ips.n = cut_chain(&chain->ips, e->max_stack);
    } else if (rec->type == PD_RECORD_CALLCHAIN_DEFERRED && e->max_stack) {
        struct pd_callchain_deferred *chain = &rec->u.callchain_deferred;
        chain->nr = chain->ips.n = cut_chain(&chain->ips, e->max_stack);
    }
}

/*
 * The kernel follows frame pointers without knowing whether there are any, so a user part may have words of
 * the stack: pieces of text. Such words become 0.
 */
static enum pd_code clean_ips(struct pi_edits *e, struct pd_vec *ips, bool user, struct pd_error *error)
{
    uint64_t *now = NULL;
    for (size_t i = 0; i < ips->n; i++) {
        if (!pi_is_no_address(pd_vec_at(ips, i), &user))
            continue;
        if (now == NULL) {
            if ((now = pi_retouch_memory(&e->touch, ips->n * sizeof *now)) == NULL)
                return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "ips", 0, ips->n * sizeof *now);
            pd_vec_copy(ips, 0, ips->n, now);
        }
        now[i] = 0;
    }
    if (now)
        *ips = PD_VEC64(now, ips->n);
    return PD_OK;
}

static enum pd_code clean_chain(struct pi_edits *e, struct pd_record *rec, struct pd_error *error)
{
    if (rec->type == PD_RECORD_SAMPLE && rec->plan->shape.sample_type & PD_SAMPLE_CALLCHAIN)
        return clean_ips(e, &rec->u.sample.callchain.ips, false, error);
    if (rec->type == PD_RECORD_CALLCHAIN_DEFERRED)
        return clean_ips(e, &rec->u.callchain_deferred.ips, true, error);
    return PD_OK;
}

/* True if the record maps no file: its name is in brackets or behind two slashes, as "//anon". */
static bool is_of_memory(const struct pi_edits *e, const struct pi_view *view, const void *value)
{
    const struct pi_identity_layout *layout = pi_identities_of(&e->touch.ids, view->layout);
    if (!(layout->mask & PI_ID_BIT(PI_ID_OFFSET)))
        return false;
    for (size_t i = 1; view->layout[i].kind != PI_OP_END; i++) {
        const struct pd_str *s = (const void *)((const uint8_t *)value + view->layout[i].offset);
        if (layout->kinds[i] == PI_ID_PATH)
            return s->len == 0 || *s->ptr == '[' || (s->len > 1 && memcmp(s->ptr, "//", 2) == 0);
    }
    return false;
}

/* True if there are bytes behind registers of an unknown abi, which may have fields to be dropped. */
static bool hides_stripped(const struct pi_edits *e, const struct pd_record *rec)
{
    const uint64_t before = PD_SAMPLE_IDENTIFIER | PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME |
                            PD_SAMPLE_ADDR | PD_SAMPLE_ID | PD_SAMPLE_STREAM_ID | PD_SAMPLE_CPU |
                            PD_SAMPLE_PERIOD | PD_SAMPLE_READ | PD_SAMPLE_CALLCHAIN | PD_SAMPLE_RAW |
                            PD_SAMPLE_BRANCH_STACK;
    return rec->type == PD_RECORD_SAMPLE && rec->variant & PI_VARIANT_UNKNOWN_REGS &&
           e->strip & rec->plan->shape.sample_type & ~before;
}

/* Without chains the entry behind the marker stays, which is the sample's ip. */
static uint32_t stack_of_offcpu(const struct pi_edits *e)
{
    return e->strip & PD_SAMPLE_CALLCHAIN ? 1 : e->max_stack;
}

/*
 * The raw data of an off-cpu sample is a task and a call chain, to be treated as these are elsewhere. Unknown
 * bytes are dropped: `offcpu` is from before the raw data was changed.
 */
static enum pd_code change_offcpu(struct pi_edits *e, struct pd_raw_data *raw, struct pd_offcpu *offcpu,
                                  struct pd_error *error)
{
    static const struct pd_shape shape;
    static const struct pd_bytes none;
    const enum pd_order order = (enum pd_order)offcpu->ips.form;
    size_t n = raw->data.n;
    enum pd_code code = pi_retouch_value(&e->touch, pi_layout_offcpu(), &shape, offcpu, true, error);
    if (!code && e->clean_chains)
        code = clean_ips(e, &offcpu->ips, true, error);
    if (code)
        return code;
    if (stack_of_offcpu(e))
        offcpu->nr = offcpu->ips.n = cut_chain(&offcpu->ips, stack_of_offcpu(e));
    uint8_t *bytes = pi_retouch_memory(&e->touch, n);
    if (bytes == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "offcpu", 0, n);
    code = pi_interpret_put_section(pi_layout_offcpu(), &shape, order, offcpu, &none, bytes, n, &n, error);
    *raw = (struct pd_raw_data){(uint32_t)n, {bytes, n}};
    return code;
}

/* A redaction also takes what only may be one: data of the right form, of an event that has no name yet. */
static bool is_offcpu(const struct pi_edits *e, const struct pd_record *rec, struct pd_offcpu *offcpu)
{
    if (!rec->plan || !rec->plan->offcpu || !rec->decoded || e->strip & PD_SAMPLE_RAW ||
        !(e->strict || e->max_stack || e->strip & PD_SAMPLE_CALLCHAIN))
        return false;
    return pd_offcpu_of(rec, offcpu) || (e->strict && rec->layout && rec->type == PD_RECORD_SAMPLE &&
                                         !(rec->plan->offcpu & PI_OFFCPU_NAMED) &&
                                         pd_offcpu_decode(rec->plan, &rec->u.sample.raw, offcpu));
}

static enum pd_code change_record(struct pi_edits *e, struct pd_record *rec, bool *drop,
                                  struct pd_error *error)
{
    const struct pi_view view = pi_view_of(rec);
    struct pd_offcpu offcpu;
    const bool has_offcpu = is_offcpu(e, rec, &offcpu);
    const unsigned mode = rec->misc & PD_MISC_CPUMODE;
    enum pd_code code = PD_OK;
    e->opaque = false;
    e->event = rec->attr;
    e->kernel = mode == PD_CPUMODE_KERNEL || mode == PD_CPUMODE_GUEST_KERNEL;
    e->of_memory = is_of_memory(e, &view, &rec->u);
    if (e->strict)
        code = clean_rest(e, rec, &rec->rest, drop, error);
    if (!code)
        code = pi_retouch_value(&e->touch, view.layout, &view.shape, &rec->u, false, error);
    if (!code && view.has_id)
        code = pi_retouch_value(&e->touch, pi_layout_sample_id(), &view.shape, &rec->id, true, error);
    if (!code && has_offcpu)
        code = change_offcpu(e, &rec->u.sample.raw, &offcpu, error);
    if (!code && e->clean_chains)
        code = clean_chain(e, rec, error);
    if (code && error->record_index == PD_NOWHERE) {
        error->offset = rec->offset;
        error->record_index = rec->index;
        error->record_type = rec->type;
    }
    if (!code && hides_stripped(e, rec) && !(*drop = e->drop_unknown))
        code = refuse(rec, PD_EOPAQUE, "rest", error);
    if (!code && e->opaque && !(*drop = e->drop_unknown))
        code = refuse(rec, PD_EOPAQUE, view.layout->name, error);
    return code;
}

/* True for the first record of a stream of Google's perf 3.3, by whose form a reader knows such a stream. */
static bool tells_form(const struct pi_edits *e, const struct pd_record *rec, uint64_t id)
{
    const bool stream = e->options->to == PD_CONVERT_SAME || e->options->to == PD_CONVERT_PIPE;
    return stream && rec->old_feature && rec->index == 0 && id == PD_FEAT_HOSTNAME;
}

/* A text of as many zeros. */
static enum pd_code empty_text(struct pi_edits *e, enum pd_order order, struct pd_bytes *data,
                               struct pd_error *error)
{
    uint8_t *text = pi_resize(e->allocator, e->bytes, data->n);
    if (text == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "feature", 0, data->n);
    e->bytes = text;
    memset(text, 0, data->n);
    pi_store32(text, (uint32_t)(data->n - 4), order);
    data->ptr = text;
    return PD_OK;
}

/* The feature in a record of a stream; the mark behind the last one has none. */
static enum pd_code feature_record(struct pi_edits *e, const struct pd_record *rec, uint64_t id,
                                   const struct pd_bytes *data, uint32_t cpus, uint8_t *out, size_t *n,
                                   struct pd_error *error)
{
    const size_t head = (size_t)(data->ptr - rec->raw);
    const enum pd_order order = (enum pd_order)rec->plan->order;
    const struct pi_edits_section section = {order, id < 256 ? (uint32_t)id : 256, cpus,
                                             rec->offset + (rec->depth ? 0 : head)};
    struct pd_bytes now = *data;
    bool there = true;
    enum pd_code code = PD_OK;
    if (data->n || id <= 255) /* a mark has the number of features, and nothing to hide */
        code = pi_edits_feature(e, &section, data->ptr, data->n, &now, &there, error);
    if (!code && !there && tells_form(e, rec, id)) {
        now = *data;
        there = true;
        code = empty_text(e, order, &now, error);
    }
    if (!code && now.n > UINT16_MAX - head)
        code = refuse(rec, PD_ELIMIT, "feature", error);
    if (code && error->record_index == PD_NOWHERE) {
        error->record_index = rec->index;
        error->record_type = rec->type;
    }
    *n = 0;
    if (code || !there)
        return code;
    memcpy(out, rec->raw, head);
    if (now.n)
        memcpy(out + head, now.ptr, now.n);
    *n = head + now.n;
    pi_store16(out + 6, (uint16_t)*n, order);
    return PD_OK;
}

/* True for a sample that has fields to be dropped, or, if nobody knows its event, may have some. */
static bool is_to_lose(const struct pi_edits *e, const struct pd_reader *r, const struct pd_record *rec)
{
    uint64_t fields = rec->attr ? rec->attr->sample_type : 0;
    for (size_t i = 0; rec->attr == NULL && i < pd_reader_n_attrs(r); i++)
        fields |= pd_reader_attr(r, i)->attr.sample_type;
    return rec->type == PD_RECORD_SAMPLE && fields & e->strip;
}

/*
 * Data that cannot be decoded passes unchanged, or must not pass: a sample whose fields are not found would
 * be read as one that has lost them.
 */
static enum pd_code unknown_record(struct pi_edits *e, const struct pd_reader *r, const struct pd_record *rec,
                                   const struct pd_error *why, uint8_t *out, size_t *n,
                                   struct pd_error *error)
{
    *n = 0;
    e->passed = *why;
    if (is_to_lose(e, r, rec)) {
        pi_type_count(&e->gone, rec->type);
        return why->code == PD_EUNKNOWN && !e->drop_unknown ? refuse(rec, PD_EOPAQUE, why->field, error)
                                                            : PD_OK;
    }
    if (e->strict && !e->drop_unknown) {
        if (why->code == PD_OK || why->code == PD_EUNKNOWN)
            return refuse(rec, PD_EOPAQUE, "type", error);
        *error = *why;
        return why->code;
    }
    if (e->strict) {
        pi_type_count(&e->gone, rec->type);
        return PD_OK;
    }
    if (why->code == PD_OK || why->code == PD_EUNKNOWN) /* else it is damaged, and told as that */
        pi_type_count(&e->left, rec->type);
    memcpy(out, rec->raw, rec->size);
    *n = rec->size;
    return PD_OK;
}

/*
 * A record that can be decoded but that no perf wrote (pd_reader_judge()), with its reason in *why: where
 * damage moved the place of records, its numbers may be what was text.
 */
static enum pd_code odd_record(struct pi_edits *e, const struct pd_record *rec, struct pd_error *why,
                               size_t *n, struct pd_error *error)
{
    *n = 0;
    why->code = PD_EUNKNOWN;
    e->passed = *why;
    if (!e->drop_unknown)
        return refuse(rec, PD_EOPAQUE, why->field, error);
    pi_type_count(&e->gone, rec->type);
    return PD_OK;
}

/* True for the later parts and the end of a large record one of whose parts was dropped. */
static bool is_of_gone(struct pi_edits *e, const struct pd_record *rec, bool drop)
{
    const bool part = rec->type == PD_RECORD_SIMPLEPERF_SPLIT,
               end = rec->type == PD_RECORD_SIMPLEPERF_SPLIT_END;
    const bool gone = (part || end) && e->parts_gone;
    if (part || end)
        e->parts_gone = part && (drop || gone);
    return gone;
}

/*
 * True if the changed record is still of its event. Where events differ in their layout, the id is read at
 * the place of the first one, where for others it may be a number that changes.
 */
static bool keeps_event(const struct pi_edits *e, const struct pd_reader *r, const struct pd_record *rec,
                        const uint8_t *bytes, size_t n)
{
    struct pd_record now;
    if (e->strip || rec->type >= PD_RECORD_HEADER_ATTR || pi_attrs_uniform(&r->attrs) ||
        pd_record_frame((enum pd_order)rec->plan->order, bytes, n, &now, NULL))
        return true;
    pi_attrs_resolve(&r->attrs, &now);
    return now.attr_index == rec->attr_index;
}

/*
 * PD_EVALUE, PD_ECOUNT: a reader would not find in the record what it has now, such as a short name of a DSO
 * in big-endian order, which would be taken for an address.
 */
static enum pd_code encode_changed(struct pi_edits *e, const struct pd_reader *r, const struct pd_plan *plan,
                                   struct pd_record *rec, uint8_t *out, size_t *n, struct pd_error *error)
{
    shorten(e, rec);
    rec->size = 0;
    const enum pd_code code = pd_record_encode(plan, rec, out, UINT16_MAX, n, error);
    rec->size = pi_load16(rec->raw + 6, (enum pd_order)rec->plan->order);
    if (!code && !keeps_event(e, r, rec, out, *n))
        return pi_fail_record(error, PD_EUNSUP, rec, 0, "to change what is also the id of its event", 0, 0);
    return code ? code : pi_check_form(plan, rec, out, *n, error);
}

enum pd_code pi_edits_record(struct pi_edits *e, const struct pd_reader *r, struct pd_record *rec,
                             uint32_t nr_cpus_avail, uint8_t out[UINT16_MAX], size_t *n,
                             struct pd_error *error)
{
    struct pd_error what = {0};
    struct pd_bytes data;
    uint64_t id;
    bool drop = false;
    e->passed.code = PD_OK;
    if (pd_reader_decode(r, rec, &what))
        return unknown_record(e, r, rec, &what, out, n, error);
    const enum pd_code odd = e->strict ? pd_reader_judge(r, rec, &what) : PD_OK;
    if (odd && odd != PD_ECOUNT) /* bytes behind its fields, which are judged with these */
        return odd_record(e, rec, &what, n, error);
    if (pi_record_feature(rec, (enum pd_order)rec->plan->order, &id, &data))
        return feature_record(e, rec, id, &data, rec->nr_cpus_avail ? rec->nr_cpus_avail : nr_cpus_avail, out,
                              n, error);
    if (rec->layout == NULL) {
        what.code = PD_OK;
        return unknown_record(e, r, rec, &what, out, n, error);
    }
    *n = 0;
    enum pd_code code = goes(e, rec->layout) ? PD_OK : change_record(e, rec, &drop, error);
    if (code)
        return code;
    if (is_of_gone(e, rec, drop) || drop || goes(e, rec->layout)) {
        pi_type_count(&e->gone, rec->type);
        return PD_OK;
    }
    const struct pd_plan *plan = plan_of(e, r, rec);
    if (plan == NULL)
        return pi_fail_record(error, PD_ENOMEM, rec, 0, "plan", 0, sizeof *plan);
    code = encode_changed(e, r, plan, rec, out, n, &what);
    if (code != PD_EVALUE && code != PD_ECOUNT) {
        if (code)
            *error = what;
        return code;
    }
    what.code = PD_EUNKNOWN; /* as of another type: nobody would know which fields it has */
    return unknown_record(e, r, rec, &what, out, n, error);
}

/* ---- Features */

void pi_edits_miss_feature(struct pi_edits *e, uint32_t feature)
{
    count_gone_feature(e, feature);
}

bool pi_edits_drops_feature(const struct pi_edits *e, uint32_t feature)
{
    const struct pd_op *layout = pi_layout_of_feature(feature);
    return layout ? goes(e, layout) : e->strict && e->drop_unknown;
}

static enum pd_code change_feature(struct pi_edits *e, enum pd_order order, struct pd_feature *f,
                                   struct pd_bytes *out, struct pd_error *error)
{
    const struct pd_shape shape = {.given = f->nr_cpus_avail, .variant = f->variant};
    size_t n;
    enum pd_code code = pi_retouch_value(&e->touch, f->layout, &shape, &f->u, false, error);
    if (!code)
        code = pd_feature_encode(order, f, NULL, 0, &n, error);
    if (code)
        return code;
    uint8_t *bytes = pi_resize(e->allocator, e->bytes, n);
    if (bytes == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "feature", 0, n);
    e->bytes = bytes;
    *out = (struct pd_bytes){bytes, n};
    return pd_feature_encode(order, f, bytes, n, &n, error);
}

/* A feature that is partly unknown. */
static enum pd_code unknown_feature(struct pi_edits *e, uint32_t feature, bool *there, struct pd_error *error)
{
    *there = !e->strict;
    if (error->code != PD_EOPAQUE)
        e->passed = *error;
    if (e->strict && !e->drop_unknown)
        return error->code;
    if (e->strict)
        count_gone_feature(e, feature);
    return PD_OK;
}

static enum pd_code edit_feature(struct pi_edits *e, const struct pi_edits_section *section,
                                 const uint8_t *bytes, size_t n, struct pd_bytes *out, bool *there,
                                 struct pd_error *error)
{
    const enum pd_order order = section->order;
    const uint32_t feature = section->feature;
    static const uint8_t zeros[8];
    struct pd_feature f;
    e->passed.code = PD_OK;
    *out = (struct pd_bytes){bytes, n};
    *there = !pi_edits_drops_feature(e, feature);
    if (!*there)
        count_gone_feature(e, feature);
    if (!*there || n == 0)
        return PD_OK;
    enum pd_code code = pd_feature_decode(order, feature, section->nr_cpus_avail, bytes, n, &f, error);
    if (!code && f.layout == NULL)
        code = pi_fail(error, PD_EOPAQUE, PD_NOWHERE, "feature", feature, 0);
    if (!code && e->strict && !is_zero(f.rest.ptr, f.rest.n)) {
        if (f.rest.n >= sizeof zeros)
            code = pi_fail(error, PD_EOPAQUE, PD_NOWHERE, "rest", feature, 0);
        f.rest.ptr = zeros;
    }
    if (code)
        return unknown_feature(e, feature, there, error);
    e->opaque = false;
    if ((code = change_feature(e, order, &f, out, error)))
        error->section = pd_feature_name(feature);
    if (!code && e->opaque) {
        pi_fail(error, PD_EOPAQUE, PD_NOWHERE, "content", feature, 0);
        error->section = pd_feature_name(feature);
        return unknown_feature(e, feature, there, error);
    }
    return code;
}

enum pd_code pi_edits_feature(struct pi_edits *e, const struct pi_edits_section *section,
                              const uint8_t *bytes, size_t n, struct pd_bytes *out, bool *there,
                              struct pd_error *error)
{
    const enum pd_code code = edit_feature(e, section, bytes, n, out, there, error);
    if (code)
        pi_error_move(error, section->offset);
    if (e->passed.code)
        pi_error_move(&e->passed, section->offset);
    return code;
}

/* ---- The edits of pd_edit_options */

/* A negative shift is added with wraparound. */
PI_WRAPS static enum pd_code move_time(void *user, enum pi_identity kind, unsigned width, uint64_t *value,
                                       struct pd_error *error)
{
    const struct pi_edits *e = user;
    const uint64_t shift = (uint64_t)e->options->edit->time_shift, time = *value;
    (void)width;
    if (kind == PI_ID_TIME && time == 0)
        return PD_OK;
    const bool before = e->options->edit->time_shift < 0 && time + shift >= time;
    const bool behind = e->options->edit->time_shift > 0 && time + shift < time;
    if (kind == PI_ID_TIME && (before || behind || time + shift == 0))
        return pi_fail(error, PD_ETIME, PD_NOWHERE, NULL, time, 0);
    *value = time + shift;
    return PD_OK;
}

static enum pd_code rename_comm(void *user, enum pi_identity kind, struct pd_bytes *text, size_t most,
                                struct pd_error *error)
{
    const struct pi_edits *e = user;
    const struct pd_edit_options *o = e->options->edit;
    (void)kind;
    for (size_t i = 0; i < o->n_renames; i++) {
        const size_t n = strlen(o->renames[i].to);
        if (strlen(o->renames[i].from) != text->n || memcmp(o->renames[i].from, text->ptr, text->n) != 0)
            continue;
        if (n > most)
            return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "comm", n, most);
        *text = (struct pd_bytes){(const uint8_t *)o->renames[i].to, n};
        break;
    }
    return PD_OK;
}

/* Records of a field that samples lose are dropped, too. */
static void take_edit(struct pi_edits *e, const struct pd_edit_options *o)
{
    e->strip = o->strip;
    e->max_stack = o->max_stack;
    e->touch.number = move_time;
    e->touch.string = rename_comm;
    e->drop |= o->strip & PD_SAMPLE_CALLCHAIN ? PI_ID_BIT(PI_ID_CHAIN) : 0;
    e->drop |= o->strip & PD_SAMPLE_BRANCH_STACK ? PI_ID_BIT(PI_ID_BRANCHES) : 0;
    e->drop |= o->strip & PD_SAMPLE_AUX ? PI_ID_BIT(PI_ID_AUX) : 0;
    if (o->time_shift)
        e->touch.touched |= PI_ID_BIT(PI_ID_TIME) | PI_ID_BIT(PI_ID_CLOCK);
    if (o->n_renames)
        e->touch.touched |= PI_ID_BIT(PI_ID_COMM);
    if (o->strip || o->max_stack || o->realtime) /* lets the retouch reach attrs in features */
        e->touch.touched |= PI_ID_BIT(PI_ID_OPAQUE);
}

static enum pd_code leave_bytes(void *user, enum pi_identity kind, struct pd_bytes *bytes,
                                struct pd_error *error)
{
    (void)user, (void)kind, (void)bytes, (void)error;
    return PD_OK;
}

static bool is_asked(const struct pd_edit_options *o)
{
    return o && (o->strip || o->max_stack || o->time_shift || o->n_renames || o->realtime);
}

enum pd_code pi_edits_open(struct pi_edits **edits, const struct pd_convert_options *options,
                           struct pd_error *error)
{
    const bool other = options->order || options->attr_size || options->reencode;
    *edits = NULL;
    if (!options->redaction && !is_asked(options->edit))
        return PD_OK;
    if (options->edit && options->edit->strip & ~PD_EDIT_STRIPPABLE)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "strip", options->edit->strip, PD_EDIT_STRIPPABLE);
    if (other || (options->redaction && is_asked(options->edit)))
        return pi_fail(error, PD_EARG, PD_NOWHERE, "edit", 0, 0);
    struct pi_edits *e = pi_resize(options->allocator, NULL, sizeof *e);
    if (e == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "edit", 0, sizeof *e);
    *e = (struct pi_edits){
        .allocator = options->allocator, .options = options, .redaction = options->redaction};
    e->touch.allocator = options->allocator;
    e->touch.user = e;
    e->touch.attr = change_attr;
    e->touch.bytes = leave_bytes;
    if (options->redaction)
        pi_calls_of(options->redaction)->apply(options->redaction, e);
    else
        take_edit(e, options->edit);
    *edits = e;
    return pi_retouch_open(&e->touch, error);
}

void pi_edits_close(struct pi_edits *e)
{
    if (e == NULL)
        return;
    pi_retouch_close(&e->touch);
    pi_release(e->allocator, e->plans);
    pi_release(e->allocator, e->untouched);
    pi_release(e->allocator, e->run);
    pi_release(e->allocator, e->bytes);
    pi_release(e->allocator, e);
}
