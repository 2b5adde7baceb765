/* SPDX-License-Identifier: MIT */
/*
 * fuzz_file.c - a whole recording in memory: every record is decoded, the parts cover the file, writing it again, copied
 * or with everything encoded anew, gives the same bytes, records are the same without the short ways for those that follow
 * alike, and in parts, and all memory, of which there is never much, comes back. Checks R1, R2, R3, R5, R6, R10, R12.
 */
#include "digest.h"
#include "harness.h"
#include "mutator.h"
#include "recording.h"

static void check_extents(const struct pd_reader *r, size_t size)
{
    size_t n;
    uint64_t at = 0;
    const struct pd_extent *e = pd_reader_extents(r, &n);
    for (size_t i = 0; i < n; i++) {
        CHECK(e[i].offset == at && e[i].size <= size - at);
        at += e[i].size;
    }
    CHECK(at == size);
}

/* Everything that can be asked about the header and its tables. */
static void check_tables(const struct pd_reader *r, size_t size)
{
    const struct pd_file_info *info = pd_reader_info(r);
    CHECK(info->data_offset <= info->data_end && info->data_end <= size);
    CHECK(info->file_size == size);
    for (size_t i = 0; i < pd_reader_n_attrs(r); i++) {
        const struct pd_event_attr *a = pd_reader_attr(r, i);
        for (size_t k = 0; k < a->n_ids; k++)
            CHECK(pd_reader_find_id(r, a->ids[k]) <= i); /* the first that claims an id has it */
    }
    for (size_t i = 0; i < pd_reader_n_features(r); i++)
        CHECK(pd_reader_find_feature(r, pd_reader_feature(r, i)->feature) == pd_reader_feature(r, i));
    for (size_t i = 0; i < pd_reader_n_findings(r); i++)
        check_error(pd_reader_finding(r, i), pd_reader_finding(r, i)->code, SIZE_MAX); /* a section may be anywhere */
}

static void check_payload(struct pd_reader *r, const struct pd_record *rec)
{
    struct pd_error error;
    const uint8_t *p;
    uint64_t total = 0;
    size_t n;
    enum pd_code code;
    while ((code = pd_reader_payload(r, &p, &n, &error)) == PD_OK && n)
        total += n;
    CHECK(code == PD_ETRUNC || total == rec->payload_size);
}

/* The short ways for records that follow each other alike find what the long ones find, and parts what the whole does. */
static void check_short_ways(const uint8_t *data, size_t size, const struct pd_reader_options *options)
{
    enum { SHORT, SLOWLY, PARTS, WAYS };
    struct digest d[WAYS];
    uint64_t certain;
    for (int way = 0; way < WAYS; way++) {
        struct pd_reader *r;
        CHECK(pd_reader_open_memory(&r, data, size, options, NULL) == PD_OK);
        d[way] = way == PARTS ? digest_parts(r, size / 5 + 1, &certain) : digest_all(r, way == SLOWLY);
        pd_reader_close(r);
        CHECK(d[0].code == d[way].code && d[0].records == d[way].records && d[0].decoded == d[way].decoded &&
              d[0].hash == d[way].hash);
    }
}

/* Returns whether anything was compressed. */
static bool check_records(struct pd_reader *r, size_t size)
{
    struct pd_record rec = {0};
    struct pd_error error;
    enum pd_code code;
    uint64_t index = 0;
    bool compressed = false;
    for (; (code = pd_reader_next(r, &rec, &error)) != PD_END; index++) {
        if (code) {
            check_error(&error, code, size);
            if (code != PD_EZSTD && code != PD_ELIMIT)
                break;
            index--; /* that was no record */
            continue;
        }
        CHECK(rec.index == index && rec.offset < size && rec.size >= 8);
        compressed |= rec.type == PD_RECORD_COMPRESSED || rec.type == PD_RECORD_COMPRESSED2;
        if ((code = pd_reader_decode(r, &rec, &error)))
            check_error(&error, code, size);
        CHECK(rec.decoded == (code == PD_OK));
        if (rec.payload_size && rec.index % 2)
            check_payload(r, &rec);
    }
    CHECK(pd_reader_next(r, &rec, &error) == PD_END);
    return compressed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct heap heap = {0};
    const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
    const struct pd_reader_options options = {
        .size = sizeof options, .allocator = &allocator, .max_inflate = INFLATE_MOST};
    struct pd_reader *r = NULL;
    struct pd_error error = {0};
    const enum pd_code code = pd_reader_open_memory(&r, data, size, &options, &error);
    CHECK((r == NULL) == (code != PD_OK));
    if (code) {
        check_error(&error, code, size);
    } else {
        check_extents(r, size);
        check_tables(r, size);
        const bool compressed = check_records(r, size);
        check_rewrite(r, data, size, false);
        check_rewrite(r, data, size, true);
        check_short_ways(data, size, &options);
        CHECK(heap.peak <= 64 * size + ((size_t)1 << 20) + (compressed ? ZSTD_MOST : 0));
    }
    pd_reader_close(r);
    CHECK(heap.blocks == 0 && heap.bytes == 0);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutation m = {.data = data, .size = size, .max = max, .state = seed};
    return mutate_file(&m);
}
