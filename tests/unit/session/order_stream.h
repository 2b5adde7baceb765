/* SPDX-License-Identifier: MIT */
/*
 * order_stream.h - streams made by hand, for tests of the order of records. They are in the byte order of
 * this machine: others do not go the short ways, which are tested, too. There are two events: 1 samples TIME
 * and IDENTIFIER, 2 only IDENTIFIER; both have sample_id_all unless the stream is made without.
 */
#ifndef PERFDATA_TESTS_ORDER_STREAM_H
#define PERFDATA_TESTS_ORDER_STREAM_H

#include "cmocka_all.h"
#include <perfdata/constants.h>
#include <perfdata/session/sorter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stream {
    uint8_t *bytes;
    size_t n, cap;
};

static bool with_tasks;    /* both events sample TID as well, as nearly all do */
static bool with_counters; /* event 1 samples READ as well */

static inline void put_bytes(struct stream *s, const void *bytes, size_t n)
{
    while (s->n + n > s->cap) {
        s->cap = s->cap ? s->cap * 2 : 4096;
        s->bytes = realloc(s->bytes, s->cap);
        assert_non_null(s->bytes);
    }
    if (n)
        memcpy(s->bytes + s->n, bytes, n);
    s->n += n;
}

/* Of n bytes; 0 may have more than eight. */
static inline void put_number(struct stream *s, uint64_t value, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const size_t low = PD_HOST_ORDER == PD_LITTLE ? i : n - 1 - i;
        put_bytes(s, &(uint8_t){(uint8_t)(low < 8 ? value >> 8 * low : 0)}, 1);
    }
}

static inline void put_magic(struct stream *s)
{
    put_number(s, UINT64_C(0x32454c4946524550), 8); /* "PERFILE2" */
}

/* Bits of a C bitfield begin at the other end of a big-endian word. */
static inline void put_flags(struct stream *s, uint64_t flags)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < 64; i++)
        word |= (flags >> i & 1) << (PD_HOST_ORDER == PD_LITTLE ? i : 63 - i);
    put_number(s, word, 8);
}

static inline void put_header(struct stream *s, uint32_t type, size_t size)
{
    put_number(s, type, 4);
    put_number(s, 0, 2);
    put_number(s, size, 2);
}

/* A perf_event_attr of 64 bytes. */
static inline void put_attr(struct stream *s, uint64_t sample_type, uint64_t flags)
{
    put_number(s, 1, 4);
    put_number(s, 64, 4);
    put_number(s, 0, 8);
    put_number(s, 1, 8);
    put_number(s, sample_type, 8);
    put_number(s, 0, 8);
    put_flags(s, flags);
    put_number(s, 0, 16);
}

static inline uint64_t counters(void)
{
    return with_counters ? PD_SAMPLE_READ : 0;
}

/* A pipe stream with its two attrs, which are records 0 and 1. */
static inline void put_pipe(struct stream *s)
{
    const uint64_t fields = PD_SAMPLE_IDENTIFIER | (with_tasks ? PD_SAMPLE_TID : 0);
    put_magic(s);
    put_number(s, 16, 8);
    for (uint64_t id = 1; id <= 2; id++) {
        put_header(s, PD_RECORD_HEADER_ATTR, 8 + 64 + 8);
        put_attr(s, fields | (id == 1 ? PD_SAMPLE_TIME | counters() : 0), PD_ATTR_SAMPLE_ID_ALL);
        put_number(s, id, 8);
    }
}

/* A file of event 1 alone around `data`, its records. */
static inline void put_file(struct stream *s, uint64_t flags, const struct stream *data)
{
    const uint64_t attrs = 104, ids = attrs + 80, start = ids + 8;
    put_magic(s);
    put_number(s, 104, 8);
    put_number(s, 80, 8);
    put_number(s, attrs, 8);
    put_number(s, 80, 8);
    put_number(s, start, 8);
    put_number(s, data->n, 8);
    put_number(s, 0, 16 + 32);
    put_attr(s, PD_SAMPLE_IDENTIFIER | (with_tasks ? PD_SAMPLE_TID : 0) | PD_SAMPLE_TIME | counters(), flags);
    put_number(s, ids, 8);
    put_number(s, 8, 8);
    put_number(s, 1, 8);
    put_bytes(s, data->bytes, data->n);
}

static inline size_t task_bytes(void)
{
    return with_tasks ? 8 : 0;
}

static inline void put_sample(struct stream *s, uint64_t time)
{
    put_header(s, PD_RECORD_SAMPLE, 24 + task_bytes() + (with_counters ? 8 : 0));
    put_number(s, 1, 8);
    put_number(s, 7, task_bytes());
    put_number(s, time, 8);
    put_number(s, time, with_counters ? 8 : 0);
}

/* Of event 2, which has no time. */
static inline void put_untimed(struct stream *s)
{
    put_header(s, PD_RECORD_SAMPLE, 16 + task_bytes());
    put_number(s, 2, 8);
    put_number(s, 7, task_bytes());
}

static inline void put_comm(struct stream *s, uint64_t time)
{
    put_header(s, PD_RECORD_COMM, 40 + task_bytes());
    put_number(s, 7, 4);
    put_number(s, 7, 4);
    put_bytes(s, "a\0\0\0\0\0\0\0", 8);
    put_number(s, 7, task_bytes());
    put_number(s, time, 8);
    put_number(s, 1, 8);
}

static inline void put_round(struct stream *s)
{
    put_header(s, PD_RECORD_FINISHED_ROUND, 8);
}

/* Records by a text: S and C with a time, U a sample without one, R the end of a round, I FINISHED_INIT. */
static inline void put_text(struct stream *s, const char *text)
{
    while (*text) {
        char *end;
        const char what = *text++;
        const uint64_t time = strtoull(text, &end, 10);
        text = end;
        switch (what) {
        case 'S': put_sample(s, time); break;
        case 'C': put_comm(s, time); break;
        case 'U': put_untimed(s); break;
        case 'R': put_round(s); break;
        case 'I': put_header(s, PD_RECORD_FINISHED_INIT, 8); break;
        case ' ': break;
        default: fail_msg("bad text at %s", text - 1);
        }
    }
}

static inline void drop(struct stream *s)
{
    free(s->bytes);
    *s = (struct stream){0};
}

static inline uint64_t word_at(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* The record in the notation of put_text(), with a space before it; empty for attrs. */
static inline size_t name_record(const struct pd_record *rec, char *out, size_t cap)
{
    switch (rec->type) {
    case PD_RECORD_HEADER_ATTR: return 0;
    case PD_RECORD_FINISHED_ROUND: return (size_t)snprintf(out, cap, " R");
    case PD_RECORD_FINISHED_INIT: return (size_t)snprintf(out, cap, " I");
    case PD_RECORD_COMM:
        return (size_t)snprintf(out, cap, " C%llu", (unsigned long long)word_at(rec->raw + 24));
    case PD_RECORD_SAMPLE:
        if (rec->size == 16)
            return (size_t)snprintf(out, cap, " U");
        return (size_t)snprintf(out, cap, " S%llu", (unsigned long long)word_at(rec->raw + 16));
    default: return (size_t)snprintf(out, cap, " %u", rec->type);
    }
}

/* A source that cannot seek. */
struct pipe_end {
    const struct stream *stream;
};

static inline int64_t pipe_read(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct stream *s = ((const struct pipe_end *)user)->stream;
    const size_t left = offset < s->n ? s->n - (size_t)offset : 0;
    const size_t got = n < left ? n : left;
    if (got)
        memcpy(buf, s->bytes + offset, got);
    return (int64_t)got;
}

#endif
