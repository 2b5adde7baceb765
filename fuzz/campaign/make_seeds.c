/* SPDX-License-Identifier: MIT */
/*
 * make_seeds.c - writes the fuzzer's first inputs: make_seeds DIRECTORY [RECORDING...], where DIRECTORY holds
 * a directory for each harness but text and symbols. The files are those of image.h; recordings are cut down
 * to their first records, each of which is an input of fuzz_record as well. Random choices have a fixed seed:
 * the same call gives the same bytes.
 */
#include "fuzz/harness.h"
#include "fuzz/image.h"
#include "ops/gen/random_values.h"
#include "tests/support/archive.h"
#include "tests/support/recording.h"
#include "src/support/wire.h"
#include <perfdata/ops/convert.h>
#include <perfdata/ops/gen.h>
#include <stdio.h>
#include <zstd.h>

#define FEW 12           /* records of a type per recording */
#define DATA_MOST 6000   /* bytes of data kept of a recording */
#define RECORD_MOST 1200 /* bytes of a record that is a seed of its own */

static const char *directory;

static void save(const char *group, const char *name, const void *bytes, size_t n)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s", directory, group, name);
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(bytes, 1, n, f) != n || fclose(f)) {
        perror(path);
        exit(1);
    }
}

static void save_behind(const char *group, const char *name, const void *front, size_t n,
                        const struct image *im)
{
    struct image all = {0};
    image_bytes(&all, front, n);
    image_bytes(&all, im->b, im->n);
    save(group, name, all.b, all.n);
    image_free(&all);
}

static struct image as_stream(const struct image *im)
{
    const struct pd_convert_options options = {.size = sizeof options, .to = PD_CONVERT_PIPE};
    struct image stream = {0};
    const struct pd_sink sink = image_sink(&stream);
    struct pd_reader *r;
    CHECK(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL) == PD_OK);
    CHECK(pd_convert(r, &sink, &options, NULL, NULL) == PD_OK);
    pd_reader_close(r);
    return stream;
}

/* What the options of fuzz_pipeline do, each in a seed or two: to, zip, order; comms, times, every. */
static const uint8_t pipelines[][12] = {
    {2, 0, 0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0},     {8, 0, 0x20, 0, 20, 0, 0, 0, 0x22, 0, 0, 0},
    {0x41, 0, 0x01, 8, 13, 0, 0, 0, 1, 0, 0, 0}, {0x20, 0, 0x40, 1, 0, 0, 0, 0, 8, 0, 0, 0},
    {0x10, 17, 0, 0, 0, 0, 5, 5, 0x21, 0, 0, 0}, {4, 0, 0x10, 0, 1, 0, 0, 0, 0x12, 0, 0, 0},
};

/* Of fuzz_export: each format, with keys. */
static const uint8_t exports[][4] = {{0, 1}, {1, 7}, {2, 7},  {3, 31},   {4, 0},
                                     {5, 0}, {6, 0}, {0, 63}, {8, 64, 1}};

/* Of fuzz_ops: each operation, of one recording and of it twice. */
static void save_operations(const char *name, const struct image *im, unsigned turn)
{
    struct image in = {0};
    const uint8_t options[8] = {(uint8_t)(turn % 9), (uint8_t)(turn / 9 * 5), 100, 3, 2,
                                (uint8_t)(turn % 32)};
    image_bytes(&in, im->b, im->n);
    if (turn % 3 == 1)
        image_bytes(&in, im->b, im->n);
    uint8_t front[16] = {0};
    memcpy(front, options, sizeof options);
    pi_store32(front + 8, (uint32_t)im->n, PD_LITTLE);
    save_behind("ops", name, front, sizeof front, &in);
    image_free(&in);
}

/* Each operation of a directory but gen; the last makes one of a file. */
static void save_directories(const char *name, const struct image *im)
{
    static const char *const names[] = {"sort",    "merge", "split", "redact", "repair",
                                        "compare", "edit",  NULL,    "filter", "directory"};
    struct image archive;
    CHECK(archive_recording(im, &archive) == PD_OK);
    for (uint8_t i = 0; i < sizeof names / sizeof *names; i++) {
        const uint8_t front[16] = {i};
        char own[100];
        if (!names[i])
            continue;
        snprintf(own, sizeof own, "%s-%s", names[i], name);
        save_behind("ops", own, front, sizeof front, i == 9 ? im : &archive);
    }
    image_free(&archive);
}

static void save_whole(const char *name, const struct image *im)
{
    static unsigned turn; /* pieces of each size, and each pipeline, come round */
    const uint8_t pieces[8] = {(uint8_t)(turn % 7), 1, 2, 3};
    save("file", name, im->b, im->n);
    save_behind("stream", name, pieces, sizeof pieces, im);
    save_behind("pipeline", name, pipelines[turn % 6], sizeof pipelines[0], im);
    save_behind("export", name, exports[turn % 9], sizeof exports[0], im);
    save_operations(name, im, turn);
    turn++;
}

static void save_image(const char *name, struct image *im)
{
    char stream_name[300];
    save_whole(name, im);
    if (im->n > IMAGE_FEATURES && im->b[7] != 'E') { /* streams have no version 1 */
        struct image stream = as_stream(im);
        snprintf(stream_name, sizeof stream_name, "%s-stream", name);
        save_whole(stream_name, &stream);
        image_free(&stream);
    }
    image_free(im);
}

/* A recording of some random records of types that are common. */
static void save_random(bool big, bool compressed)
{
    struct image im = {0};
    const struct pd_sink sink = image_sink(&im);
    const struct pd_gen_options options = {.size = sizeof options,
                                           .order = big ? PD_BIG : PD_LITTLE,
                                           .seed = 1,
                                           .count = 24,
                                           .sample_type = PD_SAMPLE_IDENTIFIER | PD_SAMPLE_IP |
                                                          PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_CPU |
                                                          PD_SAMPLE_CALLCHAIN | PD_SAMPLE_READ,
                                           .depth = 3,
                                           .compression = compressed ? PD_RECORD_COMPRESSED : 0};
    char name[40];
    struct pd_gen *g;
    CHECK(pd_gen_open(&g, &sink, &options, NULL) == PD_OK && pd_gen_run(g, NULL) == PD_OK);
    pd_gen_close(g);
    if (big == compressed)
        save_directories(big ? "directory-z-be" : "directory-le", &im);
    snprintf(name, sizeof name, "random%s-%s", compressed ? "-z" : "", big ? "be" : "le");
    save_image(name, &im);
}

static void save_files(void)
{
    struct image im;
    for (int big = 0; big < 2; big++) {
        image_recording(&im, big);
        save_image(big ? "recording-be" : "recording-le", &im);
        image_unfinished(&im, big);
        save_image(big ? "unfinished-be" : "unfinished-le", &im);
        image_v1(&im, big);
        save_image(big ? "v1-be" : "v1-le", &im);
        save_random(big, false);
        save_random(big, true);
    }
}

/* ---- What COMPRESSED records hold: the records of an image, in one frame or two. */

static void save_compressed(bool big, bool second, bool cut)
{
    const uint8_t front[6] = {(uint8_t)(big | second << 1), cut ? 1 : 4, 9};
    struct image plain = {.big = big}, z = {0};
    char name[40];
    image_comm(&plain, "one\0lef", 1, true, 11);
    image_mmap2(&plain, 2);
    const size_t half = plain.n;
    for (uint64_t i = 0; i < 20; i++)
        image_sample0(&plain, 11, 0x400000 + i, 3 + i);
    z.n = ZSTD_compress(image_room(&z, 1000), 1000, plain.b, cut ? half : plain.n, 1);
    if (cut)
        z.n += ZSTD_compress(z.b + z.n, 1000 - z.n, plain.b + half, plain.n - half, 19);
    snprintf(name, sizeof name, "%s%s-%s", second ? "second" : "first", cut ? "-cut" : "", big ? "be" : "le");
    save_behind("zstd", name, front, sizeof front, &z);
    image_free(&plain);
    image_free(&z);
}

/* ---- Tracing data with formats of every kind of field. */

#define FIELD(decl_, offset_, size_, signed_) \
    "\tfield:" decl_ ";\toffset:" #offset_ ";\tsize:" #size_ ";\tsigned:" #signed_ ";\n"
#define FORMAT(name_, id_)                                                                                  \
    "name: " name_ "\nID: " #id_ "\nformat:\n" FIELD("unsigned short common_type", 0, 2, 0)                 \
        FIELD("int common_pid", 4, 4, 1) "\n" FIELD("char comm[16]", 8, 16, 0) FIELD("s64 delta", 24, 8, 1) \
            FIELD("const void * ptr", 32, 8, 0) FIELD("__data_loc char[] text", 40, 4, 0)                   \
                FIELD("__rel_loc unsigned int[] rel", 44, 4, 0) FIELD("u8 ip[4]", 48, 4, 0)                 \
                    FIELD("struct timespec64 ts", 52, 8, 0)                                                 \
                        FIELD("char flexible[]", 60, 0, 0) "\nprint fmt: \"%d\", REC->delta\n"

static void add_text(struct image *im, const char *text)
{
    image_u64(im, strlen(text));
    image_bytes(im, text, strlen(text));
}

static void save_tracing(bool big)
{
    struct image im = {.big = big};
    *image_room(&im, 1) = big;
    *image_room(&im, 1) = 80;
    image_pattern(&im, 80);
    image_set(&im, 42, 7u << 16 | 60, 4); /* where text is: 7 bytes at 60 */
    image_set(&im, 46, 8u << 16 | 8, 4);
    image_bytes(&im, "\x17\x08\x44tracing0.6", 14);
    *image_room(&im, 1) = big;
    *image_room(&im, 1) = 8;
    image_u32(&im, 4096);
    image_bytes(&im, "header_page", 12);
    add_text(&im, FIELD("u64 timestamp", 0, 8, 0));
    image_bytes(&im, "header_event", 13);
    add_text(&im, "# compressed entry header\n");
    image_u32(&im, 1);
    add_text(&im, FORMAT("function", 1));
    image_u32(&im, 2);
    image_bytes(&im, "sched", 6);
    image_u32(&im, 2);
    add_text(&im, FORMAT("sched_switch", 317));
    add_text(&im, FORMAT("sched_wakeup", 318));
    image_bytes(&im, "irq", 4);
    image_u32(&im, 1);
    add_text(&im, FORMAT("irq_entry", 40));
    image_u32(&im, 21);
    image_bytes(&im, "ffff0000 T start_all\n", 21);
    image_u32(&im, 0);
    add_text(&im, "1 init\n");
    save("tracing", big ? "be" : "le", im.b, im.n);
    image_free(&im);
}

/* ---- Calls of the writer. */

static void save_calls(unsigned options)
{
    struct pi_rng rng = {options};
    struct image im = {0};
    char name[40];
    *image_room(&im, 1) = (uint8_t)(options >> 8);
    *image_room(&im, 1) = (uint8_t)options;
    for (unsigned i = 0; i < 24; i++) {
        const uint8_t what = i < 2 ? 0 : i < 4 || i > 20 ? 1 : (uint8_t)(2 + pi_rng_below(&rng, 250));
        *image_room(&im, 1) = what;
        image_u32(&im, (uint32_t)pi_rng_next(&rng));
    }
    snprintf(name, sizeof name, "calls-%04x", options);
    save("build", name, im.b, im.n);
    image_free(&im);
}

static void save_others(void)
{
    static const unsigned options[] = {0x0000, 0x0f01, 0x0002, 0x0043, 0x0020, 0x0031, 0x0022, 0x0073};
    for (unsigned i = 0; i < 8; i++) {
        save_compressed(i & 1, i & 2, i & 4);
        save_calls(options[i]);
    }
    save_tracing(false);
    save_tracing(true);
}

static void save_attrs(void)
{
    for (unsigned size = 64; size <= 152; size += 8) {
        for (int big = 0; big < 2; big++) {
            struct image im = {.big = big};
            char name[40];
            image_pattern(&im, 1 + size);
            im.b[0] = (uint8_t)big;
            image_set(&im, 5, size, 4);
            snprintf(name, sizeof name, "%u-%s", size, big ? "be" : "le");
            save("attr", name, im.b, im.n);
            image_free(&im);
        }
    }
}

#define FEATURE_MOST 500 /* bytes of a feature section that is a seed */

/* The first section made at random that is neither large nor, where there are others, small. */
static void save_feature(uint32_t id, enum pd_order order)
{
    static uint8_t memory[PI_RANDOM_ARENA], bytes[FEATURE_MOST];
    const uint32_t nr_cpus = 4;
    for (uint64_t seed = id; seed < id + 1000; seed++) {
        struct pi_rng rng = {seed};
        struct pi_arena arena = {memory, sizeof memory};
        struct pd_feature f;
        struct image im = {0};
        char name[80];
        size_t n;
        if (!pi_random_feature(&rng, &arena, id, nr_cpus, &f) ||
            pd_feature_encode(order, &f, bytes, sizeof bytes, &n, NULL) || n < (seed < id + 900 ? 60 : 1))
            continue;
        *image_room(&im, 1) = order == PD_BIG;
        *image_room(&im, 1) = (uint8_t)id;
        *image_room(&im, 1) = (uint8_t)nr_cpus;
        image_bytes(&im, bytes, n);
        snprintf(name, sizeof name, "%s-%s", pd_feature_name(id), order == PD_BIG ? "be" : "le");
        save("feature", name, im.b, im.n);
        image_free(&im);
        return;
    }
}

static void save_features(void)
{
    for (uint32_t id = 0; id < 256; id++) {
        if (!pd_feature_name(id))
            continue;
        save_feature(id, PD_LITTLE);
        save_feature(id, PD_BIG);
    }
}

static void save_record(const char *name, const struct pd_record *rec, enum pd_order order)
{
    static const struct pd_attr none;
    const struct pd_attr *a = rec->attr ? rec->attr : &none;
    const uint64_t words[] = {a->sample_type,      a->branch_sample_type, a->read_format,
                              a->sample_regs_user, a->sample_regs_intr,   a->flags};
    struct image im = {0};
    *image_room(&im, 1) = order == PD_BIG;
    for (size_t i = 0; i < 6; i++)
        image_u64(&im, words[i]);
    image_bytes(&im, rec->raw, rec->size);
    save("record", name, im.b, im.n);
    image_free(&im);
}

/* One record of each type that a recording holds. */
static void save_records(const char *stem, struct pd_reader *r)
{
    struct pd_record rec = {0};
    bool seen[128] = {false};
    while (pd_reader_next(r, &rec, NULL) == PD_OK) {
        char name[300];
        if (rec.type >= 128 || seen[rec.type] || rec.size > RECORD_MOST)
            continue;
        seen[rec.type] = true;
        snprintf(name, sizeof name, "%s-%u", stem, rec.type);
        save_record(name, &rec, pd_reader_info(r)->order);
    }
}

/* Header, ids and attrs as they are; of the data the first records of each type; no features. */
static void save_cut(const char *stem, struct pd_reader *r)
{
    const struct pd_file_info *info = pd_reader_info(r);
    struct image im = {.big = info->order == PD_BIG};
    struct pd_record rec = {0};
    unsigned seen[128] = {0};
    if (info->container != PD_CONTAINER_FILE || info->data_offset > 20000)
        return;
    if (pd_reader_read(r, 0, image_room(&im, (size_t)info->data_offset), (size_t)info->data_offset, NULL))
        exit(1);
    while (pd_reader_next(r, &rec, NULL) == PD_OK && im.n < info->data_offset + DATA_MOST)
        if (rec.type < 128 && seen[rec.type]++ < FEW && rec.depth == 0 && rec.payload_size == 0)
            image_bytes(&im, rec.raw, rec.size);
    image_section(&im, IMAGE_DATA, info->data_offset, im.n - info->data_offset);
    if (info->header.size >= 104)
        memset(im.b + IMAGE_FEATURES, 0, 32);
    save_image(stem, &im);
}

static void save_recording(const char *path)
{
    struct pd_reader *r;
    struct pd_error error;
    char stem[200], text[300];
    const char *slash = strrchr(path, '/');
    snprintf(stem, sizeof stem, "%s", slash ? slash + 1 : path);
    if (pd_reader_open(&r, path, NULL, &error)) {
        pd_error_text(&error, text, sizeof text);
        fprintf(stderr, "%s: %s\n", path, text);
        exit(1);
    }
    save_cut(stem, r);
    if (pd_reader_rewind(r, NULL))
        exit(1);
    save_records(stem, r);
    pd_reader_close(r);
}

static void save_image_records(bool big)
{
    struct image im;
    struct pd_reader *r;
    image_recording(&im, big);
    if (pd_reader_open_memory(&r, im.b, im.n, NULL, NULL))
        exit(1);
    save_records(big ? "be" : "le", r);
    pd_reader_close(r);
    image_free(&im);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "make_seeds DIRECTORY [RECORDING...]\n");
        return 2;
    }
    directory = argv[1];
    save_files();
    save_others();
    save_attrs();
    save_features();
    save_image_records(false);
    save_image_records(true);
    for (int i = 2; i < argc; i++)
        save_recording(argv[i]);
    return 0;
}
