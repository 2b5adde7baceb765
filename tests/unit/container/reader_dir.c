/* SPDX-License-Identifier: MIT */
/*
 * reader_dir.c - intact directory recordings, and those with files that are missing, empty, too many, or not
 * regular files: all readable records are read, and each problem is reported once, by name.
 */
#define _GNU_SOURCE
#include "fuzz/image.h"
#include "cmocka_all.h"
#include "heap.h"
#include <errno.h>
#include <fcntl.h>
#include <perfdata/perfdata.h>
#include <perfdata/session/sorter.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define NO_FORMAT UINT64_MAX

/* ---- A separate directory for each test */

static int setup(void **state)
{
    char *path = strdup("/tmp/perfdata-dir-XXXXXX");
    *state = path;
    return path && mkdtemp(path) ? 0 : -1;
}

static int teardown(void **state)
{
    char command[100];
    snprintf(command, sizeof command, "chmod -R u+rwx %s && rm -r %s", (char *)*state, (char *)*state);
    const int status = system(command);
    free(*state);
    return status;
}

static const char *in(const char *dir, const char *name)
{
    static char path[2][200];
    static unsigned i;
    i = !i;
    snprintf(path[i], sizeof path[i], "%s/%s", dir, name);
    return path[i];
}

static void put_file(const char *dir, const char *name, const struct image *im)
{
    const int fd = open(in(dir, name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, im->b, im->n), (ssize_t)im->n);
    close(fd);
}

static void add_sample(struct image *im, uint64_t ip)
{
    const size_t at = image_record(im, 9, 1);
    image_u64(im, ip);
    image_end(im, at);
}

/* `data`: an event, a sample of ip 1, and DIR_FORMAT with this version. */
static void put_data(const char *dir, uint64_t version)
{
    struct image im;
    image_start(&im, false, 104, 80);
    image_section(&im, IMAGE_ATTRS, im.n, 80);
    image_attr(&im, 64, 64, ST_IP, false);
    image_ids(&im, 0, 0);
    im.data = im.n;
    add_sample(&im, 1);
    image_section(&im, IMAGE_DATA, im.data, im.n - im.data);
    if (version != NO_FORMAT) {
        image_feature(&im, 24, 8);
        image_ids(&im, im.n + 16, 8);
        image_u64(&im, version);
    }
    put_file(dir, "data", &im);
    image_free(&im);
}

/* A file of one sample. */
static void put_member(const char *dir, const char *name, uint64_t ip)
{
    struct image im = {0};
    add_sample(&im, ip);
    put_file(dir, name, &im);
    image_free(&im);
}

/* ---- Expectations */

static struct pd_reader *open_dir(const char *dir)
{
    struct pd_reader *r = NULL;
    struct pd_error e = {0};
    char text[300] = "";
    if (pd_reader_open(&r, dir, NULL, &e))
        pd_error_text(&e, text, sizeof text);
    assert_string_equal(text, "");
    return r;
}

/* The instruction pointers of all samples, in order; 0 ends them. */
static void expect_samples(struct pd_reader *r, const uint64_t *want)
{
    struct pd_record rec = {0};
    while (pd_reader_next(r, &rec, NULL) == PD_OK) {
        assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
        assert_int_equal(rec.u.sample.ip, *want++);
        assert_int_equal(rec.attr_index, 0);
    }
    assert_int_equal(*want, 0);
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
}

#define SAMPLES(r_, ...) expect_samples(r_, (const uint64_t[]){__VA_ARGS__, 0})

static void expect_members(const struct pd_reader *r, const char *names)
{
    char text[200] = "";
    for (size_t i = 0; i < pd_reader_n_members(r); i++)
        sprintf(text + strlen(text), "%s%s", i ? " " : "", pd_reader_member(r, i)->name);
    assert_string_equal(text, names);
}

static void expect_finding(const struct pd_reader *r, size_t i, enum pd_code code, const char *field,
                           uint64_t found, uint64_t expected)
{
    const struct pd_error *e = pd_reader_finding(r, i);
    assert_non_null(e);
    assert_string_equal(e->field, field);
    assert_int_equal(e->code, code);
    assert_int_equal(e->offset, PD_NOWHERE);
    assert_int_equal(e->found, found);
    assert_int_equal(e->expected, expected);
}

/* ---- Intact */

static void numbers_names_and_others(void **state)
{
    const char *dir = *state;
    static const struct image nothing = {.b = (uint8_t *)(uintptr_t) ""};
    put_data(dir, 1);
    put_member(dir, "data.10", 12);
    put_member(dir, "data.2", 4);
    put_member(dir, "data.0", 2);
    put_member(dir, "data.1", 3);
    for (unsigned i = 3; i < 10; i++) {
        char name[16];
        snprintf(name, sizeof name, "data.%u", i);
        put_member(dir, name, 2 + i);
    }
    put_file(dir, "data.4", &nothing);
    put_member(dir, "data.old", 13); /* like perf, any file data.* */
    put_member(dir, "data.", 14);
    put_member(dir, "metadata.0", 99);
    put_member(dir, "data0", 99);
    assert_int_equal(mkdir(in(dir, "data.d"), 0700), 0); /* its name is not one of perf's */
    assert_int_equal(mkdir(in(dir, "kcore_dir"), 0700), 0);
    put_member(dir, "kcore_dir/kcore", 99);
    struct pd_reader *r = open_dir(dir);
    assert_int_equal(pd_reader_info(r)->container, PD_CONTAINER_DIRECTORY);
    assert_int_equal(pd_reader_n_findings(r), 0);
    expect_members(
        r,
        "data data.0 data.1 data.2 data.3 data.4 data.5 data.6 data.7 data.8 data.9 data.10 data. data.old");
    for (int i = 0; i < 2; i++) {
        SAMPLES(r, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 14, 13);
        assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
    }
    pd_reader_close(r);
}

static void offsets_and_members(void **state)
{
    const char *dir = *state;
    struct pd_record rec = {0};
    put_data(dir, 1);
    put_member(dir, "data.0", 2);
    struct pd_reader *r = open_dir(dir), *m;
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_int_equal(rec.member, i);
        assert_int_equal(rec.index, i);
        assert_int_equal(rec.offset, i ? 0 : 184);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pd_reader_open_member(&m, r, i, NULL, NULL), PD_OK);
        SAMPLES(m, i + 1);
        pd_reader_close(m);
    }
    struct pd_error e;
    assert_int_equal(pd_reader_open_member(&m, r, 2, NULL, &e), PD_EARG);
    assert_null(m);
    pd_reader_close(r);
}

static void kcore_alone(void **state)
{
    const char *dir = *state;
    for (int there = 0; there < 2; there++) {
        if (there)
            assert_int_equal(mkdir(in(dir, "kcore_dir"), 0700), 0);
        put_data(dir, 0);
        struct pd_reader *r = open_dir(dir);
        assert_int_equal(pd_reader_info(r)->container, PD_CONTAINER_DIRECTORY);
        assert_int_equal(pd_reader_n_findings(r), 0);
        expect_members(r, "data");
        SAMPLES(r, 1);
        pd_reader_close(r);
    }
}

/* ---- DIR_FORMAT */

static void versions(void **state)
{
    const char *dir = *state;
    static const uint64_t all[] = {0, 1, 2, UINT64_C(1) << 63, NO_FORMAT};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        for (int others = 0; others < 2; others++) {
            unlink(in(dir, "data.0"));
            put_data(dir, all[i]);
            if (others)
                put_member(dir, "data.0", 2);
            struct pd_reader *r = open_dir(dir);
            size_t n = 0;
            /* With 0 perf would not read them, so they must not exist. */
            if ((all[i] == 0 && others) || (all[i] > 1 && all[i] != NO_FORMAT))
                expect_finding(r, n++, PD_EVALUE, "DIR_FORMAT version", all[i], 1);
            if (all[i] && all[i] != NO_FORMAT && !others)
                expect_finding(r, n++, PD_ECOUNT, "data.N files", 0, 1);
            assert_int_equal(pd_reader_n_findings(r), n);
            assert_int_equal(pd_reader_n_members(r), 1 + others);
            if (others)
                SAMPLES(r, 1, 2);
            else
                SAMPLES(r, 1);
            pd_reader_close(r);
        }
    }
}

/* ---- Missing files, and wrong kinds of files */

static void expect_no_data(const char *dir, int error)
{
    struct pd_reader *r = NULL;
    struct pd_error e;
    assert_int_equal(pd_reader_open(&r, dir, NULL, &e), PD_EMISSING);
    assert_null(r);
    assert_int_equal(e.code, PD_EMISSING);
    assert_int_equal(e.found, error);
    assert_int_equal(e.offset, PD_NOWHERE);
    assert_string_equal(e.field, "the file \"data\" of this directory");
    assert_int_equal(pd_reader_open(&r, dir, NULL, NULL), PD_EMISSING);
}

static void no_data(void **state)
{
    const char *dir = *state;
    expect_no_data(dir, ENOENT);
    put_member(dir, "data.0", 1);
    expect_no_data(dir, ENOENT);
    assert_int_equal(symlink("nowhere", in(dir, "data")), 0);
    expect_no_data(dir, ENOENT);
    unlink(in(dir, "data"));
    assert_int_equal(mkfifo(in(dir, "data"), 0600), 0); /* must not wait for a writer */
    expect_no_data(dir, EINVAL);
    unlink(in(dir, "data"));
    assert_int_equal(mkdir(in(dir, "data"), 0700), 0);
    expect_no_data(dir, EISDIR);
}

static void gaps_in_the_numbers(void **state)
{
    const char *dir = *state;
    put_data(dir, 1);
    put_member(dir, "data.1", 2);
    put_member(dir, "data.2", 3);
    put_member(dir, "data.5", 4);
    put_member(dir, "data.999999999", 5);
    put_member(dir, "data.9999999999999999999999", 6); /* no number of perf's */
    struct pd_reader *r = open_dir(dir);
    assert_int_equal(pd_reader_n_findings(r), 3);
    expect_finding(r, 0, PD_EVALUE, "number of the next data.N file", 1, 0);
    expect_finding(r, 1, PD_EVALUE, "number of the next data.N file", 5, 3);
    expect_finding(r, 2, PD_EVALUE, "number of the next data.N file", 999999999, 6);
    SAMPLES(r, 1, 2, 3, 4, 5, 6);
    pd_reader_close(r);
}

static void members_that_are_no_files(void **state)
{
    const char *dir = *state;
    static const int errors[] = {ENOENT, EISDIR, EINVAL, ELOOP};
    for (size_t i = 0; i < 4; i++) {
        struct pd_reader *r, *m;
        put_data(dir, 1);
        put_member(dir, "data.0", 2);
        put_member(dir, "data.2", 4);
        if (i == 0)
            assert_int_equal(symlink("nowhere", in(dir, "data.1")), 0);
        else if (i == 1)
            assert_int_equal(mkdir(in(dir, "data.1"), 0700), 0);
        else if (i == 2)
            assert_int_equal(mkfifo(in(dir, "data.1"), 0600), 0);
        else
            assert_int_equal(symlink("data.1", in(dir, "data.1")), 0);
        r = open_dir(dir);
        expect_members(r, "data data.0 data.1 data.2");
        for (int k = 0; k < 3; k++) { /* reported once, however often it is read */
            assert_int_equal(pd_reader_n_findings(r), 1);
            expect_finding(r, 0, PD_EMISSING, "data.1", (uint64_t)errors[i], 0);
            SAMPLES(r, 1, 2, 4);
            assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
        }
        assert_int_equal(pd_reader_open_member(&m, r, 2, NULL, NULL), PD_OK); /* reported; it is empty */
        assert_int_equal(pd_reader_next(m, &(struct pd_record){0}, NULL), PD_END);
        pd_reader_close(m);
        pd_reader_close(r);
        assert_int_equal(remove(in(dir, "data.1")), 0);
    }
}

static void links_to_files(void **state)
{
    const char *dir = *state;
    put_data(dir, 1);
    put_member(dir, "elsewhere", 2);
    assert_int_equal(symlink("elsewhere", in(dir, "data.0")), 0);
    assert_int_equal(rename(in(dir, "data"), in(dir, "real")), 0);
    assert_int_equal(symlink("real", in(dir, "data")), 0);
    struct pd_reader *r = open_dir(dir);
    assert_int_equal(pd_reader_n_findings(r), 0);
    SAMPLES(r, 1, 2);
    pd_reader_close(r);
}

/* The system's refusal does not tell the content: nothing is read. */
static void expect_refused(const char *dir, const char *field, int why)
{
    struct pd_reader *r = NULL;
    struct pd_error e;
    assert_int_equal(pd_reader_open(&r, dir, NULL, &e), PD_EIO);
    assert_null(r);
    assert_true(pd_is_failure(e.code));
    assert_string_equal(e.field, field);
    assert_int_equal(e.found, why);
}

/* A file that fails when its records are read. */
static void refused_meanwhile(void **state)
{
    const char *dir = *state;
    struct pd_record rec = {0};
    struct pd_error e, first;
    struct pd_reader *r;
    put_data(dir, 1);
    put_member(dir, "data.0", 2);
    put_member(dir, "data.1", 3);
    r = open_dir(dir);
    assert_int_equal(pd_reader_failure(r, NULL), PD_OK);
    const int before = open(dir, O_RDONLY);
    struct rlimit all, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
    none = all;
    none.rlim_cur = (rlim_t)before; /* no descriptor is left */
    close(before);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(pd_reader_next(r, &rec, &e), PD_OK);
    assert_int_equal(pd_reader_next(r, &rec, &e), PD_EIO);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &all), 0);
    assert_int_equal(e.found, EMFILE);
    assert_string_equal(e.field, "data.0");
    assert_int_equal(e.member, 1);
    assert_int_equal(pd_reader_next(r, &rec, &e),
                     PD_END); /* no records of the others: that would not be the recording */
    assert_int_equal(pd_reader_failure(r, &first), PD_EIO);
    assert_int_equal(first.found, EMFILE);
    pd_reader_close(r);
}

/* Permissions do not count for root, who runs this as another user. */
static void without_permission(void **state)
{
    const char *dir = *state;
    const uid_t me = geteuid();
    put_data(dir, 1);
    put_member(dir, "data.0", 2);
    put_member(dir, "data.1", 3);
    assert_int_equal(chmod(dir, 0755), 0);
    assert_int_equal(chmod(in(dir, "data"), 0644), 0);
    assert_int_equal(chmod(in(dir, "data.1"), 0644), 0);
    assert_int_equal(chmod(in(dir, "data.0"), 0), 0);
    assert_int_equal(me == 0 ? seteuid(65534) : 0, 0);
    expect_refused(dir, "a data.N file of this directory", EACCES);
    assert_int_equal(me == 0 ? seteuid(me) : 0, 0);

    assert_int_equal(chmod(dir, 0711), 0); /* its files can be opened, but not listed */
    assert_int_equal(me == 0 ? seteuid(65534) : chmod(dir, 0300), 0);
    expect_refused(dir, "list of the directory", EACCES);
    assert_int_equal(me == 0 ? seteuid(me) : chmod(dir, 0755), 0);

    assert_int_equal(chmod(in(dir, "data"), 0), 0);
    assert_int_equal(me == 0 ? seteuid(65534) : 0, 0);
    expect_refused(dir, "the file \"data\" of this directory", EACCES);
    assert_int_equal(me == 0 ? seteuid(me) : 0, 0);
}

/* A file that disappears or shrinks after the recording was opened. */
static void changed_meanwhile(void **state)
{
    const char *dir = *state;
    struct pd_record rec = {0};
    struct pd_error e;
    put_data(dir, 1);
    put_member(dir, "data.0", 2);
    put_member(dir, "data.1", 3);
    struct pd_reader *r = open_dir(dir), *m;
    unlink(in(dir, "data.0"));
    assert_int_equal(pd_reader_open_member(&m, r, 1, NULL, &e), PD_EMISSING);
    assert_null(m);
    assert_string_equal(e.field, "data.0");
    assert_int_equal(e.found, ENOENT);
    for (int i = 0; i < 3; i++) {
        SAMPLES(r, 1, 3);
        assert_int_equal(pd_reader_n_findings(r), 1);
        expect_finding(r, 0, PD_EMISSING, "data.0", ENOENT, 0);
        assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
    }
    assert_int_equal(truncate(in(dir, "data.1"), 0), 0);
    assert_int_equal(pd_reader_next(r, &rec, &e), PD_OK);
    assert_int_equal(pd_reader_next(r, &rec, &e), PD_ETRUNC);
    assert_string_equal(e.field, "data");
    assert_int_equal(e.found, 0);
    assert_int_equal(e.expected, 16);
    assert_int_equal(pd_reader_next(r, &rec, &e), PD_END);
    pd_reader_close(r);
}

/* Damage in one file is reported, and the next call continues with the next file. */
static void damage_in_one_file(void **state)
{
    const char *dir = *state;
    for (size_t cut = 1; cut < 16; cut++) {
        struct pd_record rec = {0};
        struct pd_error e;
        put_data(dir, 1);
        put_member(dir, "data.0", 2);
        put_member(dir, "data.1", 3);
        assert_int_equal(truncate(in(dir, "data.0"), (off_t)cut), 0);
        struct pd_reader *r = open_dir(dir);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_int_equal(pd_reader_next(r, &rec, &e), cut < 8 ? PD_ESHORT : PD_ETRUNC);
        assert_int_equal(e.offset, 0);
        assert_int_equal(e.found, cut);
        assert_int_equal(pd_reader_offset(r), 0);
        SAMPLES(r, 3);
        pd_reader_close(r);
    }
}

/* A sorter reads each file by itself; the same damage in two is two findings, however often it sorts. */
static void same_damage_in_two_files(void **state)
{
    const char *dir = *state;
    const struct pd_reader_options options = {.size = sizeof options, .probe = true};
    const struct pd_sorter_options by_time = {.size = sizeof by_time, .kind = PD_SORT_TIME};
    struct image im = {0};
    struct pd_reader *r;
    const size_t at = image_record(&im, PD_RECORD_HEADER_FEATURE, 0);
    image_u64(&im, PD_FEAT_HOSTNAME);
    image_u64(&im, 99); /* a text of 99 bytes in 4 */
    image_end(&im, at);
    put_data(dir, 1);
    put_file(dir, "data.0", &im);
    put_file(dir, "data.1", &im);
    assert_int_equal(pd_reader_open(&r, dir, &options, NULL), PD_OK);
    for (int i = 0; i < 2; i++) {
        struct pd_sorter *s;
        assert_int_equal(pd_sorter_open(&s, r, &by_time, NULL), PD_OK);
        pd_sorter_close(s);
        assert_int_equal(pd_reader_n_findings(r), 2);
        for (uint32_t k = 0; k < 2; k++) {
            assert_int_equal(pd_reader_finding(r, k)->code, PD_ECOUNT);
            assert_int_equal(pd_reader_finding(r, k)->found, 99);
            assert_int_equal(pd_reader_finding(r, k)->member, 1 + k);
        }
    }
    pd_reader_close(r);
    image_free(&im);
}

/* perf writes no such directory, but its meaning is clear. */
static void data_is_a_stream(void **state)
{
    const char *dir = *state;
    struct image im;
    image_start(&im, false, 16, 0);
    const size_t at = image_record(&im, 64, 0);
    image_attr(&im, 64, 64, ST_IP, false);
    image_end(&im, at);
    add_sample(&im, 1);
    put_file(dir, "data", &im);
    for (int others = 0; others < 2; others++) {
        struct pd_record rec = {0};
        if (others)
            put_member(dir, "data.0", 2);
        struct pd_reader *r = open_dir(dir);
        assert_int_equal(pd_reader_n_findings(r), others);
        if (others)
            expect_finding(r, 0, PD_EUNSUP, "data.N files beside a pipe stream", 0, 0);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_int_equal(rec.type, 64);
        SAMPLES(r, 1);
        pd_reader_close(r);
    }
    image_free(&im);
}

/* ---- Memory runs out at any allocation */

static enum pd_code read_all(const char *dir, const struct pd_allocator *allocator, bool members,
                             struct pd_error *e)
{
    const struct pd_reader_options options = {.size = sizeof options, .allocator = allocator};
    struct pd_reader *r = NULL, *m = NULL;
    struct pd_record rec = {0};
    enum pd_code code = pd_reader_open(&r, dir, &options, e);
    for (size_t i = 0; !code && members && i < pd_reader_n_members(r); i++) {
        code = pd_reader_open_member(&m, r, i, &options, e);
        assert_int_equal(code != PD_OK, m == NULL);
        pd_reader_close(m);
    }
    while (!code)
        code = pd_reader_next(r, &rec, e);
    pd_reader_close(r);
    return code;
}

static void out_of_memory(void **state)
{
    const char *dir = *state;
    put_data(dir, 2);
    put_member(dir, "data.0", 2);
    put_member(dir, "data.3", 3);
    assert_int_equal(mkdir(in(dir, "data.5"), 0700), 0);
    for (int members = 0; members < 2; members++) {
        struct heap heap = {0};
        const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
        assert_int_equal(read_all(dir, &allocator, members, NULL), PD_END);
        const size_t all = heap.calls;
        assert_true(all > 15);
        for (size_t n = 1; n <= all; n++) {
            struct pd_error e = {.code = PD_OK};
            heap = (struct heap){.fail_at = n};
            assert_int_equal(read_all(dir, &allocator, members, &e), PD_ENOMEM);
            assert_int_equal(e.code, PD_ENOMEM);
            assert_non_null(e.field);
            assert_int_equal(heap.blocks, 0);
            heap = (struct heap){.fail_at = n};
            assert_int_equal(read_all(dir, &allocator, members, NULL), PD_ENOMEM);
            assert_int_equal(heap.blocks, 0);
        }
    }
}

#define TEST(f_) cmocka_unit_test_setup_teardown(f_, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_names_and_others),
        TEST(offsets_and_members),
        TEST(kcore_alone),
        TEST(versions),
        TEST(no_data),
        TEST(gaps_in_the_numbers),
        TEST(members_that_are_no_files),
        TEST(links_to_files),
        TEST(refused_meanwhile),
        TEST(without_permission),
        TEST(changed_meanwhile),
        TEST(damage_in_one_file),
        TEST(same_damage_in_two_files),
        TEST(data_is_a_stream),
        TEST(out_of_memory),
    };
    return cmocka_run_group_tests_name("reader_dir", tests, NULL, NULL);
}
