/* SPDX-License-Identifier: MIT */
/*
 * reader_decode.c - pd_reader_next_decoded(): framing and decoding in one function for each usual sample
 * type, chosen when the reader comes to records that may have it. As two calls, which know neither the type
 * nor that the window holds the whole record, they take 126 instructions for a plain sample and 140 for one
 * with a call chain, while a decoder by hand needs 47 and 58. Here they take 64 and 85. The instructions
 * above 47 are for the description of the record: its position, its event, its rest.
 */
#include "src/codec/usual.h"
#include "sample_run.h"
#include "src/codec/cursor.h"

#define ORDER PD_LITTLE
#define FN(name_) name_##_le
#define DECODE_PARTS /* no whole records */
#include "src/codec/decode_layout.h"
#undef ORDER
#undef FN

__attribute__((noinline)) enum pd_code pi_next_decoded_any(struct pd_reader *r, struct pd_record *rec,
                                                           struct pd_error *error)
{
    enum pd_code code;
    if (pi_reader_next_quick(r, rec)) /* of the kernel, and its event is known */
        pd_record_decode_framed(rec->plan, rec, error);
    else if ((code = pd_reader_next(r, rec, error)))
        return code;
    else
        pd_reader_decode(r, rec, error);
    return PD_OK;
}

/*
 * Takes a sample of this sample type, of the only event or one that is found at once, that is in the window
 * and ends exactly; into a record that had the same type before. False: nothing was taken, and the other
 * functions must decide.
 */
__attribute__((always_inline)) static inline bool take_usual(struct pd_reader *r, struct pd_record *rec,
                                                             bool one, uint8_t number, uint64_t sample_type)
{
    const struct pd_shape shape = {.sample_type = sample_type};
    const bool variable = (sample_type & (PD_SAMPLE_CALLCHAIN | PD_SAMPLE_RAW)) != 0;
    const uint8_t *const p = r->src->next;
    const size_t left = (size_t)(r->src->stop - p),
                 least = sizeof(struct pi_record_header) + budget_sample(&shape);
    struct pi_record_header h;
    uint32_t index = 0;
    if (left < least)
        return false;
    memcpy(&h, p, sizeof h);
    if (h.type != PD_RECORD_SAMPLE || (variable ? h.size < least : h.size != least) || h.size > left)
        return false;
    const struct pd_event_attr *event = r->attrs.attr[0];
    if (!one && ((event = pi_attrs_quick(&r->attrs, p, h.type, h.size, &index)) == NULL ||
                 event->plan.usual != number))
        return false;
    if (rec->filled_as != event->plan.key)
        return false;
    memcpy(rec, &h, sizeof h);
    rec->variant = rec->depth = 0;
    rec->has_id = rec->old_feature = false;
    rec->decoded = true;
    rec->raw = p;
    rec->plan = &event->plan;
    rec->attr = &event->attr;
    rec->attr_index = index;
    rec->offset = r->at;
    rec->index = r->index;
    const uint32_t cpus = r->nr_cpus_avail,
                   member = r->member; /* before they are stored, so that the compiler makes one move */
    rec->nr_cpus_avail = cpus;
    rec->member = member;
    rec->payload_size = 0;
    struct pi_take c = {p + sizeof h, h.size - least};
    if (!decode_sample_le(&c, &shape, &rec->u.sample) || c.slack)
        return false;
    rec->rest = (struct pd_bytes){c.p, 0};
    r->src->next = c.p;
    r->at += h.size;
    r->index++;
    return true;
}

#define USUAL(number_, sample_type_)                                                                         \
    __attribute__((flatten)) static enum pd_code one_##number_(struct pd_reader *r, struct pd_record *rec,   \
                                                               struct pd_error *error)                       \
    {                                                                                                        \
        return take_usual(r, rec, true, number_, sample_type_) ? PD_OK : pi_next_decoded_any(r, rec, error); \
    }                                                                                                        \
    __attribute__((flatten)) static enum pd_code of_##number_(struct pd_reader *r, struct pd_record *rec,    \
                                                              struct pd_error *error)                        \
    {                                                                                                        \
        return take_usual(r, rec, false, number_, sample_type_) ? PD_OK                                      \
                                                                : pi_next_decoded_any(r, rec, error);        \
    }
PI_EACH_USUAL(USUAL)
#undef USUAL

pi_next_decoded *const pi_next_decoded_usual[PI_N_USUAL + 1][2] = {{pi_next_decoded_any, pi_next_decoded_any},
#define USUAL(number_, sample_type_) [number_] = {one_##number_, of_##number_},
                                                                   PI_EACH_USUAL(USUAL)
#undef USUAL
};

enum pd_code pd_reader_next_decoded(struct pd_reader *r, struct pd_record *rec, struct pd_error *error)
{
    return r->next_decoded(r, rec, error);
}
