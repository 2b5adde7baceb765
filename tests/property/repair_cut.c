/* SPDX-License-Identifier: MIT */
/*
 * repair_cut.c - a recording that perf made, as file, stream, directory, compressed, and of the other byte
 * order, cut off at every byte and repaired: no record that was complete before the cut is lost, none is
 * changed, and none is added; the result has no damage. A cut before the end of the attrs is an error.
 * Usually all cuts of the first KiB and each 13th behind it are tried, which is every place in a word of 8
 * bytes; PERFDATA_TEST_EFFORT=full: all.
 */
#define _GNU_SOURCE
#include "cmocka_all.h"
#include "encode/container/stdio_sink.h"
#include "../../fuzz/image_sink.h"
#include "seeded.h"
#include <errno.h>
#include <fcntl.h>
#include <perfdata/ops/repair.h>
#include <perfdata/perfdata.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The records of a recording */

enum { MOST = 1024 };

struct records {
    struct {
        uint64_t hash;
        uint64_t end; /* of the record, or of the compressed one that it is in */
    } at[MOST];
    size_t n;
};

static uint64_t hash_of(const struct pd_record *rec)
{
    uint64_t h = 0xcbf29ce484222325;
    for (size_t i = 0; i < rec->size; i++)
        h = (h ^ rec->raw[i]) * 0x100000001b3;
    return h;
}

/* Compression and what the container puts between records is of the form, not of the content. */
static bool counts(const struct pd_record *rec)
{
    return rec->type != PD_RECORD_COMPRESSED && rec->type != PD_RECORD_COMPRESSED2;
}

static enum pd_code list(struct pd_reader *r, struct records *l)
{
    struct pd_record rec = {0};
    uint64_t end = 0;
    enum pd_code code;
    l->n = 0;
    while ((code = pd_reader_next(r, &rec, NULL)) == PD_OK) {
        if (rec.depth == 0)
            end = rec.offset + rec.size + rec.payload_size;
        if (!counts(&rec))
            continue;
        assert_true(l->n < MOST);
        l->at[l->n].hash = hash_of(&rec);
        l->at[l->n++].end = end;
    }
    return code;
}

/* ---- Repair, and what must be there */

static struct records whole, repaired;
static size_t n_repaired; /* cuts of which something was made */

static void judge(struct pd_reader *r, size_t cut)
{
    size_t complete = 0;
    assert_int_equal(list(r, &repaired), PD_END);
    assert_int_equal(pd_reader_n_findings(r), 0);
    assert_false(pd_reader_info(r)->truncated);
    while (complete < whole.n && whole.at[complete].end <= cut)
        complete++;
    if (repaired.n < complete || repaired.n > whole.n)
        fail_msg("cut at %zu: %zu records, %zu were complete", cut, repaired.n, complete);
    for (size_t i = 0; i < repaired.n; i++)
        if (repaired.at[i].hash != whole.at[i].hash)
            fail_msg("cut at %zu: record %zu is another", cut, i);
    n_repaired++;
}

static bool opens(const struct image *im, size_t cut, struct pd_reader **r)
{
    struct pd_error error;
    const enum pd_code code = pd_reader_open_memory(r, im->b, cut, NULL, &error);
    return code == PD_OK;
}

/* The cut that is tried behind this one. */
static size_t next_cut(size_t cut)
{
    return cut < 1024 || full_effort() ? cut + 1 : cut + 13;
}

/* `least` bytes tell of the events. */
static void cut_everywhere(const struct image *im, size_t least)
{
    static struct image out;
    const struct pd_sink sink = image_sink(&out);
    struct pd_reader *r;
    assert_true(opens(im, im->n, &r));
    assert_int_equal(list(r, &whole), PD_END);
    pd_reader_close(r);
    assert_true(whole.n > 100);
    n_repaired = 0;
    size_t n_whole_attrs = 0;
    for (size_t cut = 0; cut <= im->n; cut = next_cut(cut)) {
        n_whole_attrs += cut >= least;
        struct pd_repair_stats stats;
        struct pd_error error;
        out.n = 0;
        const bool opened = opens(im, cut, &r);
        const enum pd_code code = opened ? pd_repair(r, &sink, NULL, &stats, &error) : PD_ETRUNC;
        if (opened)
            pd_reader_close(r);
        if (code && cut < least)
            continue;
        if (code)
            fail_msg("cut at %zu: it cannot be repaired: %d, %s", cut, code, error.field ? error.field : "");
        assert_true(opens(&out, out.n, &r));
        judge(r, cut);
        pd_reader_close(r);
    }
    assert_true(n_whole_attrs > 0 && n_repaired >= n_whole_attrs);
}

/* ---- The recording in each form */

static struct image original, changed;

static void load(void)
{
    const char *source = getenv("PERFDATA_SOURCE");
    char path[4096];
    snprintf(path, sizeof path, "%s/corpus/two-events.data", source ? source : ".");
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    const size_t most = (size_t)1 << 17;
    original.n = 0;
    original.n = fread(image_room(&original, most), 1, most, f);
    assert_true(original.n > 10000 && original.n < most);
    fclose(f);
}

static void convert(struct pd_convert_options how)
{
    how.size = sizeof how;
    const struct pd_sink sink = image_sink(&changed);
    struct pd_convert_stats stats;
    struct pd_reader *r;
    changed.n = 0;
    how.size = sizeof how;
    assert_true(opens(&original, original.n, &r));
    assert_int_equal(pd_convert(r, &sink, &how, &stats, NULL), PD_OK);
    pd_reader_close(r);
}

/* Where the data of a file begins, or the last attr of a stream ends. */
static size_t end_of_attrs(const struct image *im)
{
    struct pd_record rec = {0};
    struct pd_reader *r;
    size_t end = 0;
    assert_true(opens(im, im->n, &r));
    if (pd_reader_info(r)->container != PD_CONTAINER_PIPE)
        end = (size_t)pd_reader_info(r)->data_offset;
    else
        while (pd_reader_next(r, &rec, NULL) == PD_OK)
            if (rec.type == PD_RECORD_HEADER_ATTR)
                end = (size_t)(rec.offset + rec.size);
    pd_reader_close(r);
    return end;
}

static void files(void **state)
{
    (void)state;
    cut_everywhere(&original, end_of_attrs(&original));
}

static void converted(struct pd_convert_options how)
{
    how.size = sizeof how;
    convert(how);
    cut_everywhere(&changed, end_of_attrs(&changed));
}

static void streams(void **state)
{
    (void)state;
    converted((struct pd_convert_options){.to = PD_CONVERT_PIPE});
}

static void big_endian_files(void **state)
{
    (void)state;
    converted((struct pd_convert_options){.order = PD_CONVERT_BIG});
}

static void compressed_files(void **state)
{
    (void)state;
    converted((struct pd_convert_options){.zip = PD_ZIP_COMPRESSED, .level = 3});
}

static void compressed_streams(void **state)
{
    (void)state;
    converted((struct pd_convert_options){.to = PD_CONVERT_PIPE, .zip = PD_ZIP_COMPRESSED2, .level = 1});
}

/* ---- Directories, of which one file is cut */

static char directory[2][64]; /* the input's and the output's */
static FILE *members[2];

static int open_member(void *user, const char *name, unsigned mode, struct pd_sink *sink)
{
    char path[256];
    FILE **f = &members[members[0] != NULL];
    (void)mode;
    snprintf(path, sizeof path, "%s/%s", (const char *)user, name);
    *f = fopen(path, "w+b");
    *sink = pi_stdio_sink(*f);
    return *f ? 0 : errno;
}

static int close_member(void *user, struct pd_sink *sink)
{
    (void)user;
    for (int i = 0; i < 2; i++)
        if (members[i] == sink->user)
            members[i] = NULL;
    return fclose(sink->user) ? errno : 0;
}

static void remove_directories(void)
{
    for (int i = 0; i < 2; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/data", directory[i]);
        unlink(path);
        snprintf(path, sizeof path, "%s/data.0", directory[i]);
        unlink(path);
        assert_int_equal(rmdir(directory[i]), 0);
    }
}

static void repair_directory(size_t cut)
{
    const struct pd_repair_options how = {
        .size = sizeof how, .open_member = open_member, .close_member = close_member, .user = directory[1]};
    struct pd_repair_stats stats;
    struct pd_reader *r;
    assert_int_equal(pd_reader_open(&r, directory[0], NULL, NULL), PD_OK);
    assert_int_equal(pd_repair(r, NULL, &how, &stats, NULL), PD_OK);
    pd_reader_close(r);
    assert_int_equal(pd_reader_open(&r, directory[1], NULL, NULL), PD_OK);
    judge(r, cut);
    pd_reader_close(r);
}

/* The file with the records, from its end to its start. */
static void directories(void **state)
{
    const char *tmp = getenv("TMPDIR");
    struct pd_convert_stats stats;
    struct pd_reader *r;
    char path[256];
    struct stat st = {0};
    (void)state;
    for (int i = 0; i < 2; i++) {
        snprintf(directory[i], sizeof directory[i], "%.40s/perfdata-XXXXXX", tmp && *tmp ? tmp : "/tmp");
        assert_non_null(mkdtemp(directory[i]));
    }
    const struct pd_convert_options how = {.size = sizeof how,
                                           .to = PD_CONVERT_DIRECTORY,
                                           .open_member = open_member,
                                           .close_member = close_member,
                                           .user = directory[0]};
    assert_true(opens(&original, original.n, &r));
    assert_int_equal(pd_convert(r, NULL, &how, &stats, NULL), PD_OK);
    pd_reader_close(r);
    assert_int_equal(pd_reader_open(&r, directory[0], NULL, NULL), PD_OK);
    assert_int_equal(list(r, &whole), PD_END);
    pd_reader_close(r);
    assert_true(whole.n > 100);
    snprintf(path, sizeof path, "%s/data.0", directory[0]);
    assert_int_equal(stat(path, &st), 0);
    n_repaired = 0;
    size_t n_cuts = 0;
    const off_t step = full_effort() ? 1 : 13;
    for (off_t cut = st.st_size; cut > 0; cut -= step) {
        n_cuts++;
        assert_int_equal(truncate(path, cut), 0);
        repair_directory((size_t)cut);
    }
    assert_int_equal(n_repaired, n_cuts);
    remove_directories();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),
        cmocka_unit_test(streams),
        cmocka_unit_test(big_endian_files),
        cmocka_unit_test(compressed_files),
        cmocka_unit_test(compressed_streams),
        cmocka_unit_test(directories),
    };
    load();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
