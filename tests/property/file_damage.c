/* SPDX-License-Identifier: MIT */
/*
 * file_damage.c - small recordings cut off anywhere, and with any single byte changed: each is read to its
 * end or to one clear error with its offset, is written again as it is, and never takes much memory.
 * Recordings of PERFDATA_CORPUS are written again, too, the malformed ones among them. Checks R2, R3, R5,
 * R12.
 *
 * Of larger recordings, where trying everything would take too long, a part is tried that depends on
 * PERFDATA_SEED; PERFDATA_ITERATIONS says how much.
 */
#define _GNU_SOURCE
#include "../../fuzz/image.h"
#include "cmocka_all.h"
#include "heap.h"
#include "seeded.h"
#include <dirent.h>
#include <perfdata/ops/rewrite.h>
#include <perfdata/writer.h>
#include <stdio.h>
#include <sys/stat.h>

/* ---- An allocator that counts */

/*
 * The most memory for an input of n bytes: what attrs, ids, features, findings and extents take, each of
 * which is at least 8 bytes in the file; a fixed part; the window; and, when something is compressed, what
 * libzstd wants for the largest window that it accepts.
 */
#define MOST(n_, windowed_, compressed_) \
    (48 * (n_) + 16384 + ((windowed_) ? (size_t)128 << 10 : 0) + ((compressed_) ? (size_t)130 << 20 : 0))

/* ---- One damaged recording */

struct trial {
    const char *name;
    const char *what; /* was done to it */
    uint64_t at;      /* where */
    const uint8_t *b;
    size_t n;
    bool windowed;    /* read through a window instead of from memory */
    uint64_t records; /* outcome: complete records, and what ended them */
    enum pd_code code;
    bool compressed;
    size_t written;
};

#define CHECK(t_, condition_)                                                                         \
    do {                                                                                              \
        if (!(condition_))                                                                            \
            fail_msg("%s does not hold for %s, %s %llu, PERFDATA_SEED=%llu", #condition_, (t_)->name, \
                     (t_)->what, (unsigned long long)(t_)->at, (unsigned long long)random_seed());    \
    } while (0)

static int64_t trial_read(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct trial *t = user;
    size_t got = offset < t->n ? t->n - (size_t)offset : 0;
    got = got < n ? got : n;
    if (got)
        memcpy(buf, t->b + offset, got);
    return (int64_t)got;
}

/* Must be the input's next bytes. */
static int trial_write(void *user, const void *bytes, size_t n)
{
    struct trial *t = user;
    CHECK(t, n <= t->n - t->written);
    CHECK(t, memcmp(bytes, t->b + t->written, n) == 0);
    t->written += n;
    return 0;
}

static void check_error(const struct trial *t, const struct pd_error *e, enum pd_code code)
{
    char text[300];
    CHECK(t, code != PD_OK && code != PD_END && code != PD_ENOMEM && code != PD_EIO);
    CHECK(t, e->code == code);
    CHECK(t, e->offset <= t->n);
    CHECK(t, e->field);
    CHECK(t, pd_error_text(e, text, sizeof text) < sizeof text);
}

static void check_finding(void *user, const struct pd_error *e)
{
    check_error(user, e, e->code);
}

static void check_rewrite(struct trial *t, struct pd_reader *r, bool reencode)
{
    const struct pd_sink sink = {.write = trial_write, .user = t};
    const struct pd_rewrite_options options = {
        .size = sizeof options, .reencode = reencode, .finding = check_finding, .user = t};
    struct pd_rewrite_stats stats;
    t->written = 0;
    CHECK(t, pd_rewrite(r, &sink, &options, &stats, NULL) == PD_OK);
    CHECK(t, t->written == t->n && stats.bytes == t->n);
    CHECK(t, stats.differing == 0);
}

static void check_records(struct trial *t, struct pd_reader *r)
{
    struct pd_record rec = {0};
    struct pd_error e = {0};
    enum pd_code code;
    t->records = 0;
    while ((code = pd_reader_next(r, &rec, &e)) == PD_OK || code == PD_EZSTD || code == PD_ELIMIT) {
        if (code) {
            check_error(t, &e, code);
            continue;
        }
        t->records++;
        t->compressed |= rec.type == PD_RECORD_COMPRESSED || rec.type == PD_RECORD_COMPRESSED2;
        CHECK(t, rec.depth || t->records <= t->n / 8);
        if ((code = pd_reader_decode(r, &rec, &e)))
            check_error(t, &e, code);
    }
    t->code = code;
    if (code != PD_END)
        check_error(t, &e, code);
}

static enum pd_code open_trial(struct trial *t, const struct pd_allocator *allocator, struct pd_reader **r,
                               struct pd_error *e)
{
    const struct pd_reader_options options = {
        .size = sizeof options, .allocator = allocator, .window = 1, .max_inflate = 1 << 20};
    const struct pd_source source = {trial_read, NULL, t, t->n};
    return t->windowed ? pd_reader_open_source(r, &source, &options, e)
                       : pd_reader_open_memory(r, t->b, t->n, &options, e);
}

static size_t highest_peak; /* bytes, of what was read from memory and not compressed */

static void run_trial(struct trial *t)
{
    struct heap heap = {0};
    const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
    struct pd_reader *r = NULL;
    struct pd_error e = {0};
    t->compressed = false;
    t->records = 0;
    const enum pd_code code = t->code = open_trial(t, &allocator, &r, &e);
    if (code) {
        check_error(t, &e, code);
        CHECK(t, r == NULL);
    } else {
        check_records(t, r);
        check_rewrite(t, r, false);
        check_rewrite(t, r, true);
    }
    pd_reader_close(r);
    CHECK(t, heap.blocks == 0);
    CHECK(t, heap.peak <= MOST(t->n, t->windowed, t->compressed));
    if (!t->compressed && !t->windowed && heap.peak > highest_peak)
        highest_peak = heap.peak;
}

/* ---- All that can happen to one recording */

struct recording {
    const char *name;
    uint8_t *b;
    size_t n;
    uint64_t step; /* one place in so many is tried */
};

/* Where the complete records of the whole recording end. */
static size_t record_ends(const struct recording *rec, size_t **ends, size_t *data)
{
    struct pd_reader *r;
    struct pd_record record = {0};
    size_t n = 0;
    *ends = calloc(rec->n / 8 + 1, sizeof **ends);
    assert_non_null(*ends);
    assert_int_equal(pd_reader_open_memory(&r, rec->b, rec->n, NULL, NULL), PD_OK);
    *data = (size_t)pd_reader_info(r)->data_offset;
    while (pd_reader_next(r, &record, NULL) == PD_OK)
        (*ends)[n++] = (size_t)record.offset + record.size;
    pd_reader_close(r);
    return n;
}

/* Cut off at n: the records before are all there, and nothing is made up. */
static void every_length(const struct recording *rec, struct pi_rng *rng)
{
    size_t *ends, data, complete = 0;
    const size_t n = record_ends(rec, &ends, &data);
    for (size_t at = 0; at <= rec->n; at++) {
        while (complete < n && ends[complete] <= at)
            complete++;
        if (at > data && at < rec->n && !pi_rng_one_in(rng, rec->step))
            continue;
        uint8_t *b = malloc(at); /* of exactly this size, for the sanitizers */
        assert_true(b || at == 0);
        if (at)
            memcpy(b, rec->b, at);
        struct trial t = {.name = rec->name,
                          .what = "cut off at",
                          .at = at,
                          .b = b,
                          .n = at,
                          .windowed = pi_rng_one_in(rng, 16)};
        run_trial(&t);
        if (at >= data)
            CHECK(&t, t.records == complete);
        else
            CHECK(&t, t.records == 0);
        free(b);
    }
    free(ends);
}

static void every_byte(const struct recording *rec, struct pi_rng *rng)
{
    uint8_t *b = malloc(rec->n);
    assert_non_null(b);
    memcpy(b, rec->b, rec->n);
    for (size_t at = 0; at < rec->n; at++) {
        const uint8_t values[] = {b[at] ^ (uint8_t)(1u << pi_rng_below(rng, 8)), 0, 0xff};
        const uint8_t was = b[at];
        if (at >= 512 && !pi_rng_one_in(rng, rec->step))
            continue;
        for (size_t i = 0; i < sizeof values; i++) {
            struct trial t = {.name = rec->name,
                              .what = i == 0   ? "one bit changed at"
                                      : i == 1 ? "0 at"
                                               : "0xff at",
                              .at = at,
                              .b = b,
                              .n = rec->n,
                              .windowed = pi_rng_one_in(rng, 16)};
            b[at] = values[i];
            run_trial(&t);
            b[at] = was;
        }
    }
    free(b);
}

static void damage(struct recording *rec)
{
    struct pi_rng rng = {random_seed()};
    every_length(rec, &rng);
    every_byte(rec, &rng);
}

static void damage_image(const char *name, struct image *im)
{
    struct recording rec = {name, im->b, im->n, 1};
    damage(&rec);
    image_free(im);
}

static void hand_made_recordings(void **state)
{
    struct image im;
    (void)state;
    print_message("PERFDATA_SEED=%llu\n", (unsigned long long)random_seed());
    for (int big = 0; big < 2; big++) {
        image_recording(&im, big);
        damage_image(big ? "recording, big-endian" : "recording, little-endian", &im);
        image_unfinished(&im, big);
        damage_image(big ? "unfinished, big-endian" : "unfinished, little-endian", &im);
        image_v1(&im, big);
        damage_image(big ? "PERFFILE, big-endian" : "PERFFILE, little-endian", &im);
    }
    print_message("most memory: %zu bytes\n", highest_peak);
}

static bool load(const char *path, struct recording *rec)
{
    struct stat st = {0};
    FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    if (f == NULL)
        return false;
    *rec = (struct recording){.name = path, .n = (size_t)st.st_size, .b = malloc((size_t)st.st_size + 1)};
    assert_non_null(rec->b);
    assert_int_equal(fread(rec->b, 1, rec->n, f), rec->n);
    fclose(f);
    return true;
}

/* Files of a directory, in order of name; returns how many there were. */
static unsigned each_file(const char *directory, bool (*wanted)(const char *name),
                          void (*f)(struct recording *rec))
{
    struct dirent **entries;
    unsigned done = 0;
    const int n = scandir(directory, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[4096];
        struct recording rec;
        snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);
        if (wanted(entries[i]->d_name) && load(path, &rec)) {
            f(&rec);
            free(rec.b);
            done++;
        }
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return done;
}

static bool is_data(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ".data") == 0;
}

/* About as many tries of each kind as PERFDATA_ITERATIONS says, from all over the recording. */
static void damage_some(struct recording *rec)
{
    rec->step = 1 + rec->n / random_iterations(hurried() ? 20 : 80);
    damage(rec);
}

static void own_recordings(void **state)
{
    char path[4096];
    const char *source = getenv("PERFDATA_SOURCE");
    (void)state;
    if (!source) {
        print_message("skipped: PERFDATA_SOURCE is not set\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/corpus", source);
    const unsigned n = each_file(path, is_data, damage_some);
    print_message("PERFDATA_SEED=%llu, %u recordings\n", (unsigned long long)random_seed(), n);
    assert_true(n > 0);
}

/* ---- Real recordings as they are */

static unsigned opened;

static bool is_any(const char *name)
{
    return name[0] != '.';
}

static void as_it_is(struct recording *rec)
{
    for (int windowed = 0; windowed < 2; windowed++) {
        struct trial t = {.name = rec->name,
                          .what = "unchanged, windowed",
                          .at = (uint64_t)windowed,
                          .b = rec->b,
                          .n = rec->n,
                          .windowed = windowed};
        run_trial(&t);
        opened += t.records != 0 && windowed;
    }
}

static const char *shared_corpus(void)
{
    const char *corpus = getenv("PERFDATA_CORPUS");
    if (!corpus || !*corpus) {
        print_message("skipped: PERFDATA_CORPUS is not set\n");
        skip();
    }
    return corpus;
}

static void recordings_of_others(void **state)
{
    (void)state;
    opened = 0;
    const unsigned n = each_file(shared_corpus(), is_any, as_it_is);
    print_message("%u files, %u of them recordings with records\n", n, opened);
    assert_true(opened > 0);
}

static void malformed_recordings(void **state)
{
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s/malformed", shared_corpus());
    const unsigned n = each_file(path, is_any, as_it_is);
    if (n == 0) {
        print_message("skipped: there are none\n");
        skip();
    }
    print_message("%u files\n", n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hand_made_recordings),
        cmocka_unit_test(own_recordings),
        cmocka_unit_test(recordings_of_others),
        cmocka_unit_test(malformed_recordings),
    };
    return cmocka_run_group_tests_name("file_damage", tests, NULL, NULL);
}
