/* SPDX-License-Identifier: MIT */
/* open.c - pd_index_open(): reads an index, which may be anything, and compares it with its recording. */
#include "opened.h"
#include "src/schema/fail.h"
#include "src/schema/options.h"
#include "src/support/limits.h"
#include "src/support/memory.h"

/* ---- Checks */

static enum pd_code fail_value(struct pd_error *error, const char *field, uint64_t found, uint64_t expected)
{
    return pi_fail(error, PD_EVALUE, PD_NOWHERE, field, found, expected);
}

static enum pd_code check_header(const struct pd_index *x, struct pd_error *error)
{
    const struct pi_index_header *h = &x->header;
    const uint64_t entry = sizeof(struct pi_index_block);
    if (h->magic != PI_INDEX_MAGIC)
        return pi_fail(error, PD_EMAGIC, PD_NOWHERE, "index", h->magic, PI_INDEX_MAGIC);
    if (h->version != PI_INDEX_VERSION)
        return pi_fail(error, PD_EUNSUP, PD_NOWHERE, "another version of its layout", h->version,
                       PI_INDEX_VERSION);
    if (h->size != x->in.source.size)
        return pi_fail(error, PD_ETRUNC, PD_NOWHERE, "index", x->in.source.size, h->size);
    if (h->blocks > PI_LIMIT_INDEX_BLOCKS)
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "blocks", h->blocks, PI_LIMIT_INDEX_BLOCKS);
    if (h->least == 0)
        return fail_value(error, "index: least size of a block", 0, 1);
    if (h->table < sizeof *h || h->table > h->size || h->size - h->table != h->blocks * entry)
        return fail_value(error, "index: offset of the table", h->table, h->size);
    return PD_OK;
}

static enum pd_code check_sum(struct pd_index *x, struct pd_error *error)
{
    struct pi_index_header h = x->header;
    uint8_t bytes[sizeof h];
    const uint8_t *p;
    size_t got;
    XXH3_state_t hash;
    enum pd_code code = PD_OK;
    XXH3_64bits_reset(&hash);
    for (uint64_t at = sizeof h; !code && at < h.size; at += got) {
        code = pi_input_at(&x->in, at, 1, &p, &got, error);
        if (!code && got == 0)
            code = pi_fail(error, PD_ETRUNC, PD_NOWHERE, "index", at, h.size);
        if (!code)
            XXH3_64bits_update(&hash, p, got);
    }
    h.checksum = 0;
    pi_index_store(&h, sizeof h, bytes);
    XXH3_64bits_update(&hash, bytes, sizeof bytes);
    const uint64_t sum = XXH3_64bits_digest(&hash);
    return code || sum == x->header.checksum ? code
                                             : fail_value(error, "index: checksum", x->header.checksum, sum);
}

static enum pd_code check_recording(struct pd_index *x, struct pd_error *error)
{
    struct pi_index_header now = x->header;
    const struct pd_file_info *info = pd_reader_info(x->reader);
    if (info->container != PD_CONTAINER_FILE || !x->reader->in.seekable)
        return pi_fail(error, PD_EDIFFERENT, PD_NOWHERE, "container", info->container, PD_CONTAINER_FILE);
    if (info->file_size != now.file_size)
        return pi_fail(error, PD_EDIFFERENT, PD_NOWHERE, "size", info->file_size, now.file_size);
    if (info->data_offset != now.data_offset || info->data_end != now.data_end ||
        info->data_end > now.file_size)
        return pi_fail(error, PD_EDIFFERENT, PD_NOWHERE, "place of the data", info->data_end, now.data_end);
    const enum pd_code code = pi_index_identify(x->reader, &now, error);
    if (code)
        return code;
    if (now.around != x->header.around)
        return pi_fail(error, PD_EDIFFERENT, PD_NOWHERE, "header or feature", now.around, x->header.around);
    return now.places == x->header.places
               ? PD_OK
               : pi_fail(error, PD_EDIFFERENT, PD_NOWHERE, "record", now.places, x->header.places);
}

/* Sums of all blocks fit in 64 bits. */
static bool add_sums(struct pi_index_block *all, const struct pi_index_block *b)
{
    return !__builtin_add_overflow(all->inflated, b->inflated, &all->inflated) &&
           !__builtin_add_overflow(all->records, b->records, &all->records) &&
           !__builtin_add_overflow(all->inside, b->inside, &all->inside);
}

/* Blocks, and what they give, stand one behind the other. `all`: of those before. */
static enum pd_code check_block(const struct pd_index *x, struct pi_index_block *all,
                                const struct pi_index_block *b, struct pd_error *error)
{
    const struct pi_index_header *h = &x->header;
    if (b->from < all->to || b->to <= b->from || b->to > h->data_end)
        return fail_value(error, "index: place of a block", b->from, all->to);
    if (b->given != all->given || b->given_size > h->table - b->given)
        return fail_value(error, "index: place of records", b->given, all->given);
    if (b->events > pd_reader_n_attrs(x->reader) || b->types > PI_INDEX_TYPES ||
        pi_index_numbers(b) > b->given_size)
        return pi_fail(error, PD_ECOUNT, PD_NOWHERE, "index: events", b->events,
                       pd_reader_n_attrs(x->reader));
    if (b->first == 0 || b->first > b->last)
        return fail_value(error, "index: least time of a block", b->first, b->last);
    if (b->samples > b->records || b->others > b->records - b->samples || !add_sums(all, b) ||
        all->records > h->records)
        return fail_value(error, "index: sums of a block", b->records, h->records);
    all->to = b->to;
    all->given = b->given + b->given_size;
    return PD_OK;
}

/* The numbers of samples by event: each event once, and together all. */
static enum pd_code check_events(struct pd_index *x, const struct pi_index_block *b, struct pd_error *error)
{
    struct pi_index_event event;
    uint64_t samples = 0, next = 0;
    enum pd_code code = PD_OK;
    for (uint64_t i = 0; !code && i < b->events; i++) {
        code = pi_index_read(x, b->given + i * sizeof event, &event, sizeof event, error);
        if (!code && (event.event < next || event.event >= pd_reader_n_attrs(x->reader)))
            code = fail_value(error, "index: event", event.event, pd_reader_n_attrs(x->reader));
        if (!code && event.samples > b->samples - samples)
            code = fail_value(error, "index: samples of an event", event.samples, b->samples);
        next = event.event + 1;
        samples += event.samples;
    }
    return code || samples == b->samples
               ? code
               : pi_fail(error, PD_ECOUNT, PD_NOWHERE, "index: samples", samples, b->samples);
}

/* Those of records by type. *all: their bytes in all blocks before, and in this one. */
static enum pd_code check_types(struct pd_index *x, const struct pi_index_block *b, uint64_t *all,
                                struct pd_error *error)
{
    const uint64_t at = b->given + b->events * sizeof(struct pi_index_event);
    struct pi_index_type type;
    uint64_t left = b->records;
    enum pd_code code = PD_OK;
    for (uint64_t i = 0; !code && i < b->types; i++) {
        code = pi_index_read(x, at + i * sizeof type, &type, sizeof type, error);
        if (!code &&
            (type.type > UINT32_MAX || type.records > left || __builtin_add_overflow(*all, type.bytes, all)))
            code = fail_value(error, "index: records of a type", type.records, left);
        left -= code ? 0 : type.records;
    }
    return code;
}

static enum pd_code check_given(struct pd_index *x, const struct pi_index_block *b, uint64_t *bytes,
                                struct pd_error *error)
{
    struct pi_given_walk walk;
    struct pi_spared given;
    enum pd_code code = check_events(x, b, error);
    if (!code)
        code = check_types(x, b, bytes, error);
    pi_given_begin(&walk, b);
    while (!code && (code = pi_given_next(x, &walk, b, &given, error)) == PD_OK)
        x->n_given++;
    return code == PD_END ? PD_OK : code;
}

/* ---- Opening */

static enum pd_code read_table(struct pd_index *x, struct pd_error *error)
{
    const struct pd_allocator *a = x->options.allocator;
    const size_t n = (size_t)x->header.blocks;
    struct pi_index_block all = {.to = x->header.data_offset, .given = sizeof x->header};
    enum pd_code code = PD_OK;
    x->blocks = pi_array(a, NULL, n, sizeof *x->blocks);
    x->left_out = pi_array(a, NULL, n, sizeof *x->left_out);
    x->stretches = pi_array(a, NULL, n, sizeof *x->stretches);
    if (x->blocks == NULL || x->left_out == NULL || x->stretches == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "index", 0, n * sizeof *x->blocks);
    for (size_t i = 0; !code && i < n; i++) {
        code = pi_index_read(x, x->header.table + i * sizeof *x->blocks, &x->blocks[i], sizeof *x->blocks,
                             error);
        if (!code)
            code = check_block(x, &all, &x->blocks[i], error);
    }
    if (!code && all.given != x->header.table)
        code = fail_value(error, "index: offset of the table", x->header.table, all.given);
    return code;
}

static enum pd_code open_index(struct pd_index *x, struct pd_error *error)
{
    uint64_t bytes = 0;
    enum pd_code code = pi_input_start(&x->in, 0, error);
    if (!code && !x->in.seekable)
        code = pi_fail(error, PD_EUNSUP, PD_NOWHERE, "an index that cannot seek", 0, 0);
    if (!code)
        code = pi_index_read(x, 0, &x->header, sizeof x->header, error);
    if (!code)
        code = check_header(x, error);
    if (!code)
        code = check_recording(x, error);
    if (!code)
        code = check_sum(x, error);
    if (!code)
        code = read_table(x, error);
    for (size_t i = 0; !code && i < x->header.blocks; i++)
        code = check_given(x, &x->blocks[i], &bytes, error);
    return code ? code : pd_index_select_all(x, error);
}

enum pd_code pd_index_open(struct pd_index **index, struct pd_reader *reader, const struct pd_source *source,
                           const struct pd_index_options *options, struct pd_error *error)
{
    struct pd_index_options own;
    enum pd_code code = PI_TAKE_OPTIONS(pd_index_options, &own, options, error);
    struct pd_index *x = code ? NULL : pi_resize(own.allocator, NULL, sizeof *x);
    *index = NULL;
    if (x == NULL) {
        if (source->close)
            source->close(source->user);
        return code ? code : pi_fail(error, PD_ENOMEM, PD_NOWHERE, "index", 0, sizeof *x);
    }
    *x = (struct pd_index){.options = own, .reader = reader};
    x->in = (struct pi_input){.allocator = own.allocator, .source = *source};
    code = open_index(x, error);
    if (code)
        pd_index_close(x);
    else
        *index = x;
    return code;
}

void pd_index_close(struct pd_index *x)
{
    if (x == NULL)
        return;
    pi_reader_skip(x->reader, NULL);
    pi_input_close(&x->in);
    pi_release(x->options.allocator, x->blocks);
    pi_release(x->options.allocator, x->left_out);
    pi_release(x->options.allocator, x->stretches);
    pi_release(x->options.allocator, x);
}
