/* SPDX-License-Identifier: MIT */
/* given.c - parts of an index that is open, and the records that a block gives. */
#include "opened.h"
#include "src/schema/fail.h"

/* ---- Bytes of the index */

/* *got bytes at *p, at least n. The error has no offset: that would be one in the recording. */
static inline enum pd_code view(struct pd_index *x, uint64_t at, size_t n, const uint8_t **p, size_t *got,
                                struct pd_error *error)
{
    if (pi_input_sees(&x->in, at, n, p, got))
        return PD_OK;
    const enum pd_code code = pi_input_at(&x->in, at, n, p, got, error);
    if (code && error)
        error->offset = PD_NOWHERE;
    return code || *got >= n ? code : pi_fail(error, PD_ETRUNC, PD_NOWHERE, "index", at + *got, at + n);
}

enum pd_code pi_index_read(struct pd_index *x, uint64_t at, void *part, size_t size, struct pd_error *error)
{
    const uint8_t *p;
    size_t got;
    const enum pd_code code = view(x, at, size, &p, &got, error);
    if (!code)
        pi_index_load(part, size, p);
    return code;
}

/* ---- The records that a block gives */

void pi_given_begin(struct pi_given_walk *w, const struct pi_index_block *block)
{
    *w = (struct pi_given_walk){.at = block->given + pi_index_numbers(block),
                                .end = block->given + block->given_size};
}

/* What a block may hold, in the order of the file. */
static const char *find_fault(const struct pi_given_walk *w, const struct pi_index_block *block,
                              const struct pi_index_given *head, uint32_t type)
{
    if (head->number < w->number || head->number >= block->records)
        return "number of a record";
    if (head->offset < w->offset || head->offset >= block->to - block->from)
        return "offset of a record";
    if (head->inside > 1 || (head->inside && (head->inner < w->inner || head->inner >= block->inflated)))
        return "place of a record inside a compressed one";
    if (head->inside ? pi_is_wrapper_type(type) : !pi_index_may_hold(type))
        return "type of a record";
    return NULL;
}

enum pd_code pi_given_next(struct pd_index *x, struct pi_given_walk *w, const struct pi_index_block *block,
                           struct pi_spared *given, struct pd_error *error)
{
    const enum pd_order order = pd_reader_info(x->reader)->order;
    struct pi_index_given head;
    const uint8_t *p;
    size_t got;
    if (w->at == w->end)
        return PD_END;
    if (w->end - w->at < sizeof head + sizeof(struct pi_record_header))
        return pi_fail(error, PD_ESHORT, PD_NOWHERE, "index: record", w->end - w->at, sizeof head);
    enum pd_code code = view(x, w->at, sizeof head + sizeof(struct pi_record_header), &p, &got, error);
    if (code)
        return code;
    pi_index_load(&head, sizeof head, p);
    const uint32_t type = pi_load32(p + sizeof head, order);
    const uint16_t size = pi_load16(p + sizeof head + 6, order);
    if (size < sizeof(struct pi_record_header) || size > w->end - w->at - sizeof head)
        return pi_fail(error, PD_ESIZE, PD_NOWHERE, "index: size of a record", size, 8);
    const char *fault = find_fault(w, block, &head, type);
    if (fault)
        return pi_fail(error, PD_EVALUE, PD_NOWHERE, fault, head.number, 0);
    if (got < sizeof head + size && (code = view(x, w->at, sizeof head + size, &p, &got, error)))
        return code;
    *given = (struct pi_spared){p + sizeof head, head.offset, head.inner, head.number, head.inside};
    w->at += sizeof head + size;
    w->number = head.number + 1;
    w->offset = head.offset;
    w->inner = head.inside ? head.inner : w->inner;
    return PD_OK;
}
