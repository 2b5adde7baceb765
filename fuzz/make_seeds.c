/* SPDX-License-Identifier: MIT */
/*
 * make_seeds.c - writes the fuzzer's first inputs: make_seeds DIRECTORY [RECORDING...], where DIRECTORY holds file/, record/,
 * attr/ and feature/. The files are those of image.h; recordings are cut down to their first records, each of which is an input of
 * fuzz_record as well. The same call gives the same bytes.
 */
#include "image.h"
#include "random_values.h"
#include "wire.h"
#include <perfdata/reader.h>
#include <stdio.h>

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

static void save_image(const char *name, struct image *im)
{
    save("file", name, im->b, im->n);
    image_free(im);
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
    }
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
    static uint8_t memory[PD_RANDOM_ARENA], bytes[FEATURE_MOST];
    const uint32_t nr_cpus = 4;
    for (uint64_t seed = id; seed < id + 1000; seed++) {
        struct pd_rng rng = {seed};
        struct pd_arena arena = {memory, sizeof memory};
        struct pd_feature f;
        struct image im = {0};
        char name[80];
        size_t n;
        if (!pd_random_feature(&rng, &arena, id, nr_cpus, &f) ||
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
    const uint64_t words[] = {a->sample_type, a->branch_sample_type, a->read_format, a->sample_regs_user,
                              a->sample_regs_intr, a->flags};
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
    save_attrs();
    save_features();
    save_image_records(false);
    save_image_records(true);
    for (int i = 2; i < argc; i++)
        save_recording(argv[i]);
    return 0;
}
