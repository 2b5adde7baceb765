/* SPDX-License-Identifier: MIT */
/* build.c - pd_index_build(): reads all records of a recording, and writes its index block by block. */
#include "block.h"
#include "src/container/reader/reader_internal.h"
#include "src/schema/options.h"
#include "src/support/memory.h"

#define LAST_FRAME 4 /* blocks that are read with it at most */

/* ---- Blocks */

/*
 * *between: reading can begin at r->at, which is between records outside of compressed ones, and between zstd
 * frames. The bytes of a frame's end may not have been looked at yet.
 */
static enum pd_code find_between(struct pi_building *b, bool *between)
{
    struct pd_reader *r = b->reader;
    struct pi_inflate *z = &r->inflate;
    const uint8_t *p;
    size_t got;
    enum pd_code code = PD_OK;
    if (r->inside && z->start == z->end)
        code = pi_inflate_at(z, 1, &p, &got, b->error);
    *between = r->payload_left == 0 && z->in_at == z->in_n && !z->full && !pi_inflate_is_open(z);
    return code;
}

/* Records of perf itself that a reader must see are in no block. */
static bool belongs(const struct pd_record *rec)
{
    return rec->depth || pi_index_may_hold(rec->type);
}

/* Blocks begin and end where reading can begin. */
static enum pd_code place(struct pi_building *b, const struct pd_record *rec, bool between)
{
    enum pd_code code = PD_OK;
    if (belongs(rec)) {
        if (!b->open && between)
            pi_block_begin(b, rec->offset, rec->index, b->reader->inflate.position);
        return PD_OK;
    }
    if (b->open && between)
        code = pi_block_end(b, rec->offset, rec->index);
    b->open = false;
    return code;
}

/* ---- Records */

static enum pd_code take(struct pi_building *b, struct pd_record *rec)
{
    struct pd_moment when;
    pi_clock_stamp_here(&b->clock, rec, &when);
    const bool wrapper = pi_is_wrapper(rec) && !rec->depth;
    b->compressed |= wrapper;
    return wrapper ? pi_block_wrapper(b, rec) : pi_block_record(b, rec, &when);
}

/* Damage ends it. A record of unknown layout is none. */
static enum pd_code next(struct pi_building *b, struct pd_record *rec)
{
    enum pd_code code = pd_reader_next_decoded(b->reader, rec, b->error);
    if (!code && !rec->decoded)
        code = pd_reader_decode(b->reader, rec, b->error);
    return code == PD_EUNKNOWN ? PD_OK : code;
}

/* The last zstd frame need not end: nothing follows it. But it is not that of all records. */
static bool is_last_frame(const struct pi_building *b)
{
    return b->bytes / LAST_FRAME <= b->header.least && b->reader->inflate.start == b->reader->inflate.end;
}

static enum pd_code read_all(struct pi_building *b)
{
    struct pd_reader *r = b->reader;
    struct pd_record rec = {0};
    bool between = false;
    enum pd_code code = pd_reader_rewind(r, b->error);
    while (!code && (code = find_between(b, &between)) == PD_OK) {
        if (b->open && between && b->bytes >= b->header.least)
            code = pi_block_end(b, r->at, r->index);
        if (!code)
            code = next(b, &rec);
        if (!code)
            code = place(b, &rec, between);
        if (!code)
            code = take(b, &rec);
        pi_progress_record(&b->progress, &rec);
    }
    b->header.records = r->index;
    if (code == PD_END)
        code = b->open && (between || is_last_frame(b)) ? pi_block_end(b, r->at, r->index) : PD_OK;
    return code;
}

/* ---- The index */

static enum pd_code refuse(const struct pi_building *b)
{
    const struct pd_file_info *info = pd_reader_info(b->reader);
    bool timed = false;
    for (size_t i = 0; i < pd_reader_n_attrs(b->reader); i++)
        timed |= pd_reader_attr(b->reader, i)->plan.time != 0;
    const char *why = !b->reader->in.seekable                     ? "an index of an input that cannot seek"
                      : info->container == PD_CONTAINER_PIPE      ? "an index of a pipe stream"
                      : info->container == PD_CONTAINER_DIRECTORY ? "an index of a directory"
                      : !timed                                    ? "an index of samples without a time"
                                                                  : NULL;
    if (why)
        return pi_fail(b->error, PD_EUNSUP, 0, why, 0, 0);
    return info->data_end > info->file_size
               ? pi_fail(b->error, PD_ETRUNC, info->file_size, "data", info->file_size, info->data_end)
               : PD_OK;
}

/* Damage of what the records carry, or of the file, which the reader reports besides. */
static enum pd_code find_damage(const struct pi_building *b)
{
    for (size_t i = 0; i < pd_reader_n_findings(b->reader); i++) {
        const struct pd_error *e = pd_reader_finding(b->reader, i);
        if (e->code == PD_EUNKNOWN)
            continue;
        *b->error = *e;
        return e->code;
    }
    return PD_OK;
}

static enum pd_code write_table(struct pi_building *b)
{
    uint8_t bytes[sizeof(struct pi_index_block)];
    enum pd_code code = PD_OK;
    b->header.table = b->at;
    b->header.blocks = b->n;
    for (size_t i = 0; !code && i < b->n; i++) {
        pi_index_store(&b->blocks[i], sizeof bytes, bytes);
        code = pi_index_emit(b, bytes, sizeof bytes);
    }
    b->header.size = b->at;
    return code;
}

static enum pd_code write_header(struct pi_building *b)
{
    uint8_t bytes[sizeof(struct pi_index_header)];
    pi_index_store(&b->header, sizeof bytes, bytes);
    XXH3_64bits_update(b->hash, bytes, sizeof bytes);
    b->header.checksum = XXH3_64bits_digest(b->hash);
    pi_index_store(&b->header, sizeof bytes, bytes);
    const int failed = b->sink ? b->sink->patch(b->sink->user, 0, bytes, sizeof bytes) : 0;
    return failed ? pi_fail(b->error, PD_EOUT, 0, NULL, (uint64_t)failed, 0) : PD_OK;
}

static enum pd_code build(struct pi_building *b)
{
    static const uint8_t room[sizeof(struct pi_index_header)];
    enum pd_code code = refuse(b);
    if (!code)
        code = pi_blocks_start(b);
    if (!code)
        code = pi_index_identify(b->reader, &b->header, b->error);
    if (!code)
        code = pi_index_emit(b, room, sizeof room);
    XXH3_64bits_reset(b->hash); /* the header's room does not count */
    if (!code)
        code = read_all(b);
    if (!code)
        code = find_damage(b);
    b->stats->one_frame = !code && b->n == 0 && b->compressed;
    if (b->stats->one_frame)
        code = pi_fail(b->error, PD_EUNSUP, 0, "an index of records compressed as one zstd stream", 0, 0);
    for (size_t i = 0; !code && i < b->n; i++)
        code = pi_index_hash(b->reader, b->blocks[i].from, b->blocks[i].to, &b->blocks[i].content, b->error);
    if (!code)
        code = write_table(b);
    return code ? code : write_header(b);
}

static void prepare(struct pi_building *b)
{
    b->header = (struct pi_index_header){.magic = PI_INDEX_MAGIC,
                                         .version = PI_INDEX_VERSION,
                                         .least = b->options->block ? b->options->block : PI_INDEX_LEAST};
    b->pairs.allocator = b->options->allocator;
    b->progress = (struct pi_progress){.callback = b->options->progress, .user = b->options->user};
    pi_progress_expect(&b->progress, pi_record_bytes(b->reader), 1);
    pd_clock_init(&b->clock, pd_clock_is_timed(b->reader));
}

enum pd_code pi_index_make(struct pd_reader *reader, const struct pd_sink *sink,
                           const struct pd_index_options *options, struct pi_index_header *header,
                           struct pd_index_stats *stats, struct pd_error *error)
{
    struct pi_building *b = pi_zeros(options->allocator, sizeof *b);
    XXH3_state_t hash;
    if (b == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "index", 0, sizeof *b);
    b->reader = reader;
    b->sink = sink;
    b->options = options;
    b->stats = stats;
    b->error = error;
    b->hash = &hash;
    XXH3_64bits_reset(&hash);
    prepare(b);
    const enum pd_code code = build(b);
    *header = b->header;
    stats->blocks = b->header.blocks;
    stats->records = b->header.records;
    stats->block = b->header.least;
    stats->size = b->header.size;
    pi_building_free(b);
    return code;
}

enum pd_code pd_index_build(struct pd_reader *reader, const struct pd_sink *sink,
                            const struct pd_index_options *options, struct pd_index_stats *stats,
                            struct pd_error *error)
{
    struct pd_index_options own;
    struct pd_index_stats own_stats = {0};
    struct pd_error own_error;
    struct pi_index_header header;
    enum pd_code code = PI_TAKE_OPTIONS(pd_index_options, &own, options, error);
    if (!code && sink->patch == NULL)
        code = pi_fail(error, PD_EARG, PD_NOWHERE, "sink, which cannot patch", 0, 0);
    if (!code)
        code = pi_index_make(reader, sink, &own, &header, &own_stats, error ? error : &own_error);
    if (stats)
        *stats = own_stats;
    return code;
}
