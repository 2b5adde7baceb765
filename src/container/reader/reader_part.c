/* SPDX-License-Identifier: MIT */
/*
 * reader_part.c - a file in parts that several threads read at the same time, and continuing at a known
 * record.
 */
#define _GNU_SOURCE
#include "src/schema/fail.h"
#include "src/container/dir.h"
#include "src/container/record_probe.h"
#include "src/support/wire.h"
#include <perfdata/session/part.h>
#include <string.h>

#define IN_A_ROW 16 /* number of plausible records: the payload of a sample may also look like some */
#define MOST_SEARCHED ((uint64_t)UINT16_MAX + 1) /* bytes: no record is longer */

/* The magic of a zstd frame stands at `at`: where its record begins; UINT64_MAX: this is none. */
static uint64_t frame_start(struct pd_reader *r, uint64_t at)
{
    static const struct {
        uint32_t type, head;
    } forms[] = {{PD_RECORD_COMPRESSED, 8}, {PD_RECORD_COMPRESSED2, 16}};
    const uint64_t room = at - r->whole->info.data_offset;
    const uint8_t *p;
    size_t got;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (room >= forms[i].head && !pi_input_at(r->src, at - forms[i].head, 4, &p, &got, NULL) &&
            got >= 4 && pi_load32(p, r->info.order) == forms[i].type &&
            pi_are_in_a_row(r, at - forms[i].head, IN_A_ROW))
            return at - forms[i].head;
    return UINT64_MAX;
}

/* The first zstd frame that begins in [from, to), from where compressed records can be read. */
static uint64_t guess_frame(struct pd_reader *r, uint64_t from, uint64_t to)
{
    const uint8_t *p, *found;
    size_t got;
    for (uint64_t at = from; at < to; at++) {
        if (pi_input_at(r->src, at, 4, &p, &got, NULL) || got < 4)
            return to;
        found = memmem(p, got, PI_ZSTD_MAGIC, 4);
        at += found ? (uint64_t)(found - p) : got - 4;
        const uint64_t start = found ? frame_start(r, at) : UINT64_MAX;
        if (start >= from && start < to)
            return start;
    }
    return to;
}

/* The start of the first record of [from, to), judged by the bytes; `to`: unknown. */
static uint64_t guess_record(struct pd_reader *r, uint64_t from, uint64_t to)
{
    const uint64_t begin = r->whole->info.data_offset,
                   most = to - from < MOST_SEARCHED ? to : from + MOST_SEARCHED;
    for (uint64_t at = begin + (from - begin + 7) / 8 * 8; at < most;
         at += 8) /* as long as all sizes are multiples of it */
        if (pi_are_in_a_row(r, at, IN_A_ROW))
            return at;
    return to;
}

/* The records of such a file cannot be read from the middle of a frame. */
static bool is_compressed(const struct pd_reader *r)
{
    return !r->keep_compressed && pd_reader_find_feature(r->whole, PD_FEAT_COMPRESSED);
}

enum pd_code pd_reader_open_part(struct pd_reader **part, const struct pd_reader *reader,
                                 const struct pd_reader_options *options, struct pd_error *error)
{
    *part = NULL;
    if (!reader->in.seekable || reader->info.container != PD_CONTAINER_FILE)
        return pi_fail(error, PD_EUNSUP, PD_NOWHERE, "parts of a stream or directory", 0, 0);
    struct pd_reader *r;
    enum pd_code code = pi_reader_new(&r, options, error);
    if (code)
        return code;
    pi_input_share(&r->in, &reader->in);
    code = pi_input_start(&r->in, r->window, error);
    if (code) {
        pd_reader_close(r);
        return code;
    }
    r->whole = reader;
    r->info = reader->info;
    r->attrs = reader->attrs;
    r->borrowed = true;
    r->end = reader->info.data_end;
    *part = r;
    return pd_reader_take_part(r, r->end, r->end, error);
}

enum pd_code pd_reader_take_part(struct pd_reader *r, uint64_t from, uint64_t to, struct pd_error *error)
{
    if (r->whole == NULL)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "reader, which is none of a part", 0, 0);
    const uint64_t begin = r->whole->info.data_offset;
    to = to < r->end ? to : r->end;
    if (from < begin || from > to)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "from", from, from < begin ? begin : to);
    r->src = &r->in;
    r->in.enough = r->info.data_end = to;
    r->info.data_offset = from == begin      ? from
                          : is_compressed(r) ? guess_frame(r, from, to)
                                             : guess_record(r, from, to);
    r->index = 0;
    return pi_dir_enter(r, 0, error);
}

enum pd_code pd_reader_seek(struct pd_reader *r, uint64_t offset, uint64_t index, struct pd_error *error)
{
    const struct pd_file_info *info = &r->info;
    if (!r->in.seekable)
        return pi_fail(error, PD_EUNSUP, offset, "input that cannot seek", 0, 0);
    if (offset < info->data_offset)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "offset", offset, info->data_offset);
    if (offset > info->data_end)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "offset", offset, info->data_end);
    const enum pd_code code = pi_dir_enter(r, 0, error);
    pi_reader_move(r, offset);
    r->index = index;
    return code;
}
