/* SPDX-License-Identifier: MIT */
/* aux_index.c - the AUXTRACE index: pairs of a record's offset and size. perf puts their number before them,
 * simpleperf does not. */
#include "aux_index.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include <stdlib.h>

enum pd_code pi_aux_index_note(struct pi_aux_index *x, const struct pd_writer *w, const struct pd_record *rec,
                               struct pd_error *error)
{
    if (rec->type != PD_RECORD_AUXTRACE || rec->old_feature)
        return PD_OK;
    if (!pi_grow(w->allocator, (void **)&x->places, x->n, &x->cap, sizeof *x->places))
        return pi_fail_record(error, PD_ENOMEM, rec, 0, "AUXTRACE index", 0,
                              (x->n + 1) * 2 * sizeof *x->places);
    const uint64_t end = pd_writer_data_offset(w) + pd_writer_data_size(w);
    x->places[x->n++] = (struct pi_aux_place){rec->offset, end - rec->size, rec->size};
    return PD_OK;
}

static int by_old_place(const void *a, const void *b)
{
    const struct pi_aux_place *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static uint64_t new_place(const struct pi_aux_index *x, uint64_t offset)
{
    const struct pi_aux_place key = {.from = offset};
    const struct pi_aux_place *found = x->n ? bsearch(&key, x->places, x->n, sizeof key, by_old_place) : NULL;
    return found ? found->to : offset;
}

static enum pd_code put64(struct pd_writer *w, uint64_t value, struct pd_error *error)
{
    uint8_t bytes[8];
    pi_store64(bytes, value, w->options.order);
    return pd_writer_feature_bytes(w, bytes, sizeof bytes, error);
}

static enum pd_code put_place(struct pd_writer *w, uint64_t offset, uint64_t size, struct pd_error *error)
{
    const enum pd_code code = put64(w, offset, error);
    return code ? code : put64(w, size, error);
}

/* Moves a count, a pair, or bytes behind the last pair, which have no meaning. */
static enum pd_code move_entry(const struct pi_aux_index *x, struct pd_writer *w, const uint8_t *bytes,
                               size_t n, enum pd_order order, struct pd_error *error)
{
    switch (n) {
    case 8: return put64(w, pi_load64(bytes, order), error);
    case 16: return put_place(w, new_place(x, pi_load64(bytes, order)), pi_load64(bytes + 8, order), error);
    default: return pd_writer_feature_bytes(w, bytes, n, error);
    }
}

enum pd_code pi_aux_index_move(const struct pi_aux_index *x, struct pd_writer *w, struct pd_reader *reader,
                               const struct pd_file_section *section, struct pd_error *error)
{
    const enum pd_order order = pd_reader_info(reader)->order;
    const bool counted = section->size % 16 == 8;
    enum pd_code code = PD_OK;
    uint8_t bytes[16];
    size_t n;
    for (uint64_t at = 0; !code && at < section->size; at += n) {
        const uint64_t left = section->size - at;
        n = counted && at == 0 ? 8 : left < sizeof bytes ? (size_t)left : sizeof bytes;
        code = pd_reader_read(reader, section->offset + at, bytes, n, error);
        if (!code)
            code = move_entry(x, w, bytes, n, order, error);
    }
    return code;
}

enum pd_code pi_aux_index_make(const struct pi_aux_index *x, struct pd_writer *w, struct pd_error *error)
{
    enum pd_code code = put64(w, x->n, error);
    for (size_t i = 0; !code && i < x->n; i++)
        code = put_place(w, x->places[i].to, x->places[i].size, error);
    return code;
}

void pi_aux_index_free(struct pi_aux_index *x, const struct pd_allocator *allocator)
{
    pi_release(allocator, x->places);
    *x = (struct pi_aux_index){0};
}
