/* SPDX-License-Identifier: MIT */
/* find_data.c - finds the data of a file whose header has a wrong position of it. */
#include "repair.h"
#include "src/codec/parts.h"
#include "src/container/file.h"
#include "src/support/limits.h"
#include "src/support/wire.h"

#define MOST_ROOM (256 * PI_BYTES_file_section)

static bool in_file(const struct pd_reader *r, const struct pd_file_section *s)
{
    return s->offset <= r->info.file_size && s->size <= r->info.file_size - s->offset;
}

/* The start of the data as perf writes it: behind header, ids, attrs and event types. */
static uint64_t usual_start(const struct pd_reader *r)
{
    const struct pd_file_header *h = &r->info.header;
    const struct pd_file_section *parts[] = {&h->attrs, &h->event_types};
    uint64_t end = h->size;
    for (size_t i = 0; i < 2 + r->attrs.n; i++) {
        const struct pd_file_section *s = i < 2 ? parts[i] : &r->attrs.attr[i - 2]->ids_section;
        if (s->size && in_file(r, s) && s->offset + s->size > end)
            end = s->offset + s->size;
    }
    return end;
}

/*
 * As perf writes it: the features one behind the other. *last: the end of the last one. That all are empty
 * shows nothing: zeros behind one number look so.
 */
static bool is_tight_table(struct pd_reader *r, uint64_t at, uint64_t *last)
{
    const uint64_t bytes = pi_file_table_bytes(r), end = at + bytes;
    struct pd_file_section s;
    bool any = false;
    *last = 0;
    if (!pi_file_is_table(r, at))
        return false;
    for (; at < end; at += PI_BYTES_file_section, *last = s.offset + s.size) {
        uint8_t entry[PI_BYTES_file_section];
        if (pd_reader_read(r, at, entry, sizeof entry, NULL))
            return false;
        pi_file_section_take(entry, r->info.order, &s);
        if (*last && s.offset != *last)
            return false;
        any |= s.size != 0;
    }
    return any;
}

/* perf writes the table behind the data and the first feature behind the table, but for the room of features
 * that it has not got. */
PI_WRAPS static bool find_table(struct pd_reader *r, uint64_t *at, uint64_t *last)
{
    const uint64_t size = r->info.file_size, bytes = pi_file_table_bytes(r);
    if (size > PI_LIMIT_REPAIR_SEARCH && *at < size - PI_LIMIT_REPAIR_SEARCH)
        *at = size - PI_LIMIT_REPAIR_SEARCH;
    while (bytes <= size && *at <= size - bytes) {
        const uint8_t *p;
        size_t got, i = 0;
        if (pi_input_at(&r->in, *at, 8, &p, &got, NULL) || got < 8)
            return false;
        while (i + 8 <= got && pi_load64(p + i, r->info.order) - (*at + i + bytes) > MOST_ROOM)
            i++;
        *at += i;
        if (i + 8 <= got && is_tight_table(r, *at, last))
            return true;
        *at += i + 8 <= got;
    }
    return false;
}

/* A record of the data, or damage that ends where records follow. */
struct stretch {
    uint64_t end;
    bool damaged;
};

/*
 * True if a table cannot stand there: in a record, or before records that follow behind damage. Those in its
 * sections count if it has but one, as other numbers can look like one entry. *s moves on to that place.
 */
static bool is_in_records(struct pd_reader *r, struct stretch *s, uint64_t table, uint64_t last)
{
    const bool one = pi_file_table_bytes(r) == PI_BYTES_file_section;
    while (s->end <= table) {
        const uint64_t at = s->end;
        s->damaged = !pi_is_record(r, at, &s->end);
        if (s->damaged)
            s->end = pi_find_records(r, at + 1);
    }
    return !s->damaged || (s->end < r->end && (one || s->end >= last));
}

/* The end of data that begins at `start`. */
static uint64_t find_end(struct pd_reader *r, uint64_t start)
{
    const struct pd_file_info *info = &r->info;
    const struct pd_file_section *said = &info->header.data, moved = {start, said->size};
    const bool possible = said->size && in_file(r, &moved);
    uint64_t at = start, last;
    if (pi_file_table_bytes(r) == 0) /* only the header tells its end */
        return start == said->offset ? info->data_end : possible ? start + said->size : info->file_size;
    if (start == said->offset && in_file(r, said) &&
        info->file_size - (said->offset + said->size) < pi_file_table_bytes(r))
        return said->offset + said->size; /* the table is cut off: what looks like one is something else */
    if (in_file(r, said) && said->offset + said->size >= start &&
        pi_file_is_table(r, said->offset + said->size))
        return said->offset + said->size;
    if (possible && pi_file_is_table(r, start + said->size))
        return start + said->size;
    for (struct stretch s = {.end = start}; find_table(r, &at, &last); at = s.damaged ? at + 1 : s.end)
        if (!is_in_records(r, &s, at, last))
            return at;
    return start == said->offset ? info->data_end : possible ? start + said->size : info->file_size;
}

static uint64_t find_start(struct pd_reader *r)
{
    const uint64_t said = r->info.header.data.offset, usual = usual_start(r);
    if (!in_file(r, &r->info.header.attrs)) /* cut before the data */
        return r->info.data_offset;
    if (said > r->info.file_size || said < r->info.header.size) {
        r->headless = true;
        return usual;
    }
    const bool other = usual < said || (usual > said && !pi_are_records(r, said));
    return other && pi_are_records(r, usual) ? usual : said;
}

enum pd_code pi_find_data(struct pd_reader *r, struct pd_error *error)
{
    const struct pd_file_info *info = &r->info;
    if (r->mended || r->headless || info->container == PD_CONTAINER_PIPE || !r->in.seekable)
        return PD_OK;
    r->mended = true;
    r->said_end = info->data_end;
    enum pd_code code = pd_reader_rewind(r, error);
    if (code)
        return code;
    r->end = info->file_size;
    const uint64_t start = find_start(r), end = find_end(r, start);
    if (start != info->data_offset || end != info->data_end)
        code = pi_file_move_data(r, start, end, error);
    return code ? code : pd_reader_rewind(r, error);
}
