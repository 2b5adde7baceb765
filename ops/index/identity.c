/* SPDX-License-Identifier: MIT */
/* identity.c - hashes of a recording's bytes, which tell it from another one without reading all of it. */
#define XXH_STATIC_LINKING_ONLY /* for XXH3_state_t, on the stack */
#include "format.h"
#include "src/container/reader/reader_internal.h"
#include <xxhash.h>

#define PIECE ((size_t)65536)

/* Reads no more than that: places are far from each other. */
static enum pd_code add_bytes(struct pd_reader *r, uint64_t from, uint64_t to, XXH3_state_t *hash,
                              struct pd_error *error)
{
    const uint64_t enough = r->in.enough;
    const uint8_t *p;
    size_t got;
    enum pd_code code = PD_OK;
    r->in.enough = to;
    while (!code && from < to) {
        code = pi_input_at(&r->in, from, to - from < PIECE ? (size_t)(to - from) : PIECE, &p, &got, error);
        if (!code && got == 0)
            code = pi_fail(error, PD_ETRUNC, from, "recording", from, to);
        got = code ? 0 : got < to - from ? got : (size_t)(to - from);
        if (got)
            XXH3_64bits_update(hash, p, got);
        from += got;
    }
    r->in.enough = enough;
    return code;
}

enum pd_code pi_index_hash(struct pd_reader *r, uint64_t from, uint64_t to, uint64_t *hash,
                           struct pd_error *error)
{
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    const enum pd_code code = add_bytes(r, from, to, &state, error);
    *hash = XXH3_64bits_digest(&state);
    return code;
}

static enum pd_code hash_around(struct pd_reader *r, struct pi_index_header *h, struct pd_error *error)
{
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    enum pd_code code = add_bytes(r, 0, h->data_offset, &state, error);
    if (!code)
        code = add_bytes(r, h->data_end, h->file_size, &state, error);
    h->around = XXH3_64bits_digest(&state);
    return code;
}

/* All of the data, if it is no larger than the places together. */
static enum pd_code hash_places(struct pd_reader *r, struct pi_index_header *h, struct pd_error *error)
{
    const uint64_t n = h->data_end - h->data_offset, all = PI_INDEX_PLACES * PI_INDEX_PLACE;
    if (n <= all)
        return pi_index_hash(r, h->data_offset, h->data_end, &h->places, error);
    const uint64_t step = (n - PI_INDEX_PLACE) / (PI_INDEX_PLACES - 1);
    enum pd_code code = PD_OK;
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    for (uint64_t i = 0; !code && i < PI_INDEX_PLACES; i++) {
        const uint64_t at = h->data_offset + i * step;
        code = add_bytes(r, at, at + PI_INDEX_PLACE, &state, error);
    }
    h->places = XXH3_64bits_digest(&state);
    return code;
}

enum pd_code pi_index_identify(struct pd_reader *r, struct pi_index_header *h, struct pd_error *error)
{
    const struct pd_file_info *info = pd_reader_info(r);
    h->file_size = info->file_size;
    h->data_offset = info->data_offset;
    h->data_end = info->data_end;
    const enum pd_code code = hash_around(r, h, error);
    return code ? code : hash_places(r, h, error);
}
