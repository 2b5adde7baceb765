/* SPDX-License-Identifier: MIT */
/*
 * repair_random.c - recordings of many kinds, made and real, damaged at random and repaired: the output has
 * no damage and nothing that perf would refuse, and no undamaged record is missing except reported ones. The
 * place where reading continues behind damage is a guess, which may take the rest of one record and a part of
 * the next for a record: one damage in a hundred may hide a record in this way. Undetectable losses are not
 * checked: data that zstd decompresses to other bytes, data that damage moves behind the end of a file's
 * data, and the end of AUX data. PERFDATA_TEST_EFFORT=full makes more damages of each;
 * PERFDATA_REPAIR_SAVE=FILE keeps an input that fails.
 */
#define _GNU_SOURCE
#include "cmocka_all.h"
#include "../../fuzz/image_sink.h"
#include "seeded.h"
#include <dirent.h>
#include <errno.h>
#include <perfdata/ops/gen.h>
#include <perfdata/ops/repair.h>
#include <perfdata/ops/rewrite.h>
#include <perfdata/perfdata.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST ((size_t)2 << 20)
#define MOST_REAL ((size_t)200 << 10) /* bytes of a real recording that is taken */

/* Damaged features may all be of the same bytes. */
static int append(void *user, const void *bytes, size_t n)
{
    const struct image *im = user;
    return n > 2 * MOST - im->n ? ENOSPC : image_append(user, bytes, n);
}

/* ---- Chance */

static uint64_t state;

static uint64_t chance(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return below ? (state >> 33) % below : 0;
}

/* ---- Readers: of memory, and through a window that moves */

static int64_t read_image(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct image *im = user;
    const uint64_t left = offset < im->n ? im->n - offset : 0;
    n = n < left ? n : (size_t)left;
    if (n)
        memcpy(buf, im->b + offset, n);
    return (int64_t)n;
}

static bool opens(struct image *im, bool window, struct pd_reader **r)
{
    const struct pd_source source = {read_image, NULL, im, im->n};
    const struct pd_reader_options small = {.size = sizeof small, .window = 1};
    return (window ? pd_reader_open_source(r, &source, &small, NULL)
                   : pd_reader_open_memory(r, im->b, im->n, NULL, NULL)) == PD_OK;
}

/* ---- What a recording has */

struct place {
    uint64_t begin,
        end;      /* of the record and what follows it; of compressed ones, of the chunks that it may be in */
    bool inside;  /* a compressed one */
    bool payload; /* of a size that nothing contradicts */
    uint64_t hash;
};

struct records {
    struct place *at;
    size_t n, cap;
    uint64_t data, data_end;
    bool pipe;
};

static uint64_t hash_of(const struct pd_record *rec)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < rec->size; i++)
        h = (h ^ rec->raw[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* Compression is of the form; a MMAP2 with an impossible build id is mended. */
static bool counts(struct pd_reader *r, struct pd_record *rec)
{
    struct pd_feature f;
    if (rec->type == PD_RECORD_COMPRESSED || rec->type == PD_RECORD_COMPRESSED2)
        return false;
    if (pd_reader_decode(r, rec, NULL))
        return true;
    if (rec->type == PD_RECORD_MMAP2 && rec->misc & PD_MISC_MMAP_BUILD_ID && rec->u.mmap2.build_id_size > 20)
        return false;
    return !(rec->type == PD_RECORD_HEADER_FEATURE && pd_feature_of_record(rec, &f) &&
             f.id == PD_FEAT_COMPRESSED);
}

static enum pd_code list(struct pd_reader *r, struct records *l)
{
    struct pd_record rec = {0};
    uint64_t before = 0, chunk = 0, end = 0;
    enum pd_code code;
    l->n = 0;
    while ((code = pd_reader_next(r, &rec, NULL)) == PD_OK) {
        if (rec.depth == 0) {
            before = chunk;
            chunk = rec.offset;
            end = rec.offset + rec.size + rec.payload_size;
        }
        if (!counts(r, &rec))
            continue;
        if (l->n == l->cap) {
            l->cap = 2 * l->cap + 1024;
            l->at = realloc(l->at, l->cap * sizeof *l->at);
            assert_non_null(l->at);
        }
        l->at[l->n++] = (struct place){rec.depth ? before : chunk, end, rec.depth != 0, rec.payload_size != 0,
                                       hash_of(&rec)};
    }
    l->data = pd_reader_info(r)->data_offset;
    l->pipe = pd_reader_info(r)->container == PD_CONTAINER_PIPE;
    l->data_end = end > l->data ? end : l->data;
    return code;
}

/* ---- Damage */

/* Bytes [begin, end) of the original are others or gone; all behind is moved. */
struct damage {
    uint64_t begin, end;
    int64_t moved;
};

static struct image original, damaged, repaired;

static void change_bytes(struct damage *d, size_t n, uint64_t at)
{
    n = n < damaged.n - at ? n : (size_t)(damaged.n - at);
    for (size_t i = 0; i < n; i++)
        damaged.b[at + i] = (uint8_t)(chance(4) ? chance(256) : damaged.b[at + i] ^ 1u << chance(8));
    *d = (struct damage){at, at + n, 0};
}

static void cut_off(struct damage *d, uint64_t at)
{
    *d = (struct damage){at, damaged.n, 0};
    damaged.n = (size_t)at;
}

/* A run of bytes: random, zeros, or a copy of what stands elsewhere, which looks like records. */
static void insert_run(struct damage *d, uint64_t at)
{
    const size_t n = 1 + (size_t)chance(chance(2) ? 16 : 2000), from = (size_t)chance(original.n);
    const unsigned kind = (unsigned)chance(3);
    memmove(damaged.b + at + n, damaged.b + at, damaged.n - (size_t)at);
    for (size_t i = 0; i < n; i++)
        damaged.b[at + i] = kind == 0   ? (uint8_t)chance(256)
                            : kind == 1 ? 0
                                        : original.b[(from + i) % original.n];
    damaged.n += n;
    *d = (struct damage){at, at, (int64_t)n};
}

static void remove_run(struct damage *d, uint64_t at)
{
    size_t n = 1 + (size_t)chance(chance(2) ? 16 : 2000);
    n = n < damaged.n - at ? n : (size_t)(damaged.n - at);
    memmove(damaged.b + at, damaged.b + at + n, damaged.n - (size_t)at - n);
    damaged.n -= n;
    *d = (struct damage){at, at + n, -(int64_t)n};
}

/* Two thirds of it is among the records. */
static void damage_at_random(struct damage *d, const struct records *whole)
{
    const uint64_t all = chance(3) ? whole->data_end - whole->data : 0;
    const uint64_t at = all ? whole->data + chance(chance(8)    ? all
                                                   : all < 1000 ? all
                                                                : 1000)
                            : chance(original.n);
    memcpy(damaged.b, original.b, original.n);
    damaged.n = original.n;
    switch (chance(8)) {
    case 0:
    case 1:
    case 2: change_bytes(d, 1, at); break;
    case 3: change_bytes(d, 2, at); break;
    case 4: change_bytes(d, 20, at); break;
    case 5: cut_off(d, at); break;
    case 6: insert_run(d, at); break;
    default: remove_run(d, at); break;
    }
}

/* ---- Repair, and what must be there */

static struct records whole, kept;
static struct pd_lost_range lost[4096];
static size_t n_lost;
static const char *name;
static uint64_t seed;

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...)
{
    const char *save = getenv("PERFDATA_REPAIR_SAVE");
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    FILE *f = save ? fopen(save, "wb") : NULL;
    if (f) {
        fwrite(damaged.b, 1, damaged.n, f);
        fclose(f);
    }
    fail_msg("%s, damage %llu: %s", name, (unsigned long long)seed, text);
}

static void on_lost(void *user, const struct pd_lost_range *range)
{
    (void)user;
    if (range->bytes == 0 || range->offset > damaged.n || range->bytes > damaged.n - range->offset)
        complain("a lost range of %llu bytes at %llu", (unsigned long long)range->bytes,
                 (unsigned long long)range->offset);
    assert_true(n_lost < sizeof lost / sizeof *lost);
    lost[n_lost++] = *range;
}

static void on_finding(void *user, const struct pd_error *error)
{
    char text[256];
    (void)user;
    pd_error_text(error, text, sizeof text);
    if (error->code != PD_EUNKNOWN)
        complain("check finds damage: %s", text);
}

static void judge_findings(struct pd_reader *r)
{
    char text[256];
    for (size_t i = 0; i < pd_reader_n_findings(r); i++) {
        pd_error_text(pd_reader_finding(r, i), text, sizeof text);
        complain("the result has a finding: %s", text);
    }
}

/* Nothing that check would tell. */
static void judge_output(bool window)
{
    const struct pd_rewrite_options how = {.size = sizeof how, .reencode = true, .finding = on_finding};
    struct pd_record rec = {0};
    struct pd_reader *r;
    struct pd_error why;
    enum pd_code code;
    if (!opens(&repaired, window, &r))
        complain("the result cannot be opened");
    judge_findings(r);
    if (pd_reader_info(r)->truncated)
        complain("the result is truncated");
    if ((code = pd_rewrite(r, NULL, &how, NULL, &why)))
        complain("the round trip fails: %d", code);
    judge_findings(r);
    assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
    while ((code = pd_reader_next(r, &rec, &why)) == PD_OK)
        if (pd_reader_decode(r, &rec, NULL) == PD_OK && (code = pd_reader_judge(r, &rec, &why)))
            break;
    if (code != PD_END) {
        char text[256];
        pd_error_text(&why, text, sizeof text);
        complain("a record is not what it says: %s", text);
    }
    assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
    list(r, &kept);
    pd_reader_close(r);
}

/*
 * True if the record of the original is neither damaged nor reported as lost. Records that were pushed behind
 * the end of the data, by the file's header, no longer belong to the data.
 */
static bool must_be_there(const struct place *p, const struct damage *d)
{
    if (p->begin < d->end ? p->end > d->begin : p->begin < d->begin && p->end > d->begin)
        return false;
    const int64_t by = p->begin >= d->end ? d->moved : 0;
    const uint64_t begin = p->begin + (uint64_t)by, end = p->end + (uint64_t)by;
    if (!whole.pipe && end > whole.data_end)
        return false;
    if (p->inside &&
        p->end > d->begin) /* what is unpacked may be made of what was damaged, without a word from zstd */
        return false;
    for (size_t i = 0; i < n_lost; i++)
        if (begin < lost[i].offset + lost[i].bytes && end > lost[i].offset)
            return false;
    return true;
}

/* Of what stands behind a damaged record with AUX or tracing data, nobody knows where that data ends. */
static bool is_judged(const struct damage *d)
{
    for (size_t i = 0; i < whole.n; i++)
        if (whole.at[i].payload && d->begin < whole.at[i].end && d->end >= whole.at[i].begin)
            return false;
    return d->begin >= whole.data && d->begin < whole.data_end;
}

static unsigned n_repaired, n_hidden; /* damages that were repaired, and those that hide a record */

static void judge_losses(const struct damage *d)
{
    size_t k = 0;
    for (size_t i = 0; is_judged(d) && i < whole.n; i++) {
        if (!must_be_there(&whole.at[i], d))
            continue;
        while (k < kept.n && kept.at[k].hash != whole.at[i].hash)
            k++;
        if (k == kept.n) {
            n_hidden++;
            return;
        }
        k++;
    }
}

static void damage_and_repair(void)
{
    const struct pd_sink sink = {append, image_patch, &repaired};
    const bool window = chance(2);
    struct pd_repair_options how = {
        .size = sizeof how, .keep_tail = chance(3) != 0, .drop_unknown = chance(4) == 0, .lost = on_lost};
    struct pd_repair_stats stats;
    struct pd_error error;
    struct pd_reader *r;
    struct damage d;
    damage_at_random(&d, &whole);
    repaired.n = n_lost = 0;
    if (!opens(&damaged, window, &r))
        return;
    const enum pd_code code = pd_repair(r, &sink, &how, &stats, &error);
    pd_reader_close(r);
    if (code) /* without attrs, or with wrong ones */
        return;
    judge_output(chance(2));
    judge_losses(&d);
    n_repaired++;
}

static void judge_repairs(const char *of, unsigned n)
{
    struct pd_reader *r;
    name = of;
    assert_true(opens(&original, false, &r));
    list(r, &whole);
    pd_reader_close(r);
    n = full_effort() ? 8 * n : hurried() ? n / 4 : n;
    for (seed = 0; seed < n; seed++) {
        state = seed * UINT64_C(0x9e3779b97f4a7c15) + original.n;
        chance(2);
        damage_and_repair();
    }
}

/* At the end of each test. */
static void judge_hidden(unsigned least)
{
    if (n_hidden * 100 > n_repaired)
        fail_msg("%u of %u damages hide a record that is not told to be lost", n_hidden, n_repaired);
    assert_true(n_repaired >= (hurried() ? least / 4 : least));
    n_hidden = n_repaired = 0;
}

/* ---- Recordings that are made */

static void make(const char *of, struct pd_gen_options how, unsigned n)
{
    const struct pd_sink sink = {append, image_patch, &original};
    struct pd_gen *gen;
    original.n = 0;
    how.size = sizeof how;
    assert_int_equal(pd_gen_open(&gen, &sink, &how, NULL), PD_OK);
    assert_int_equal(pd_gen_run(gen, NULL), PD_OK);
    pd_gen_close(gen);
    judge_repairs(of, n);
}

static void workloads(void **s)
{
    const char *server = pd_gen_preset("server");
    (void)s;
    make("file", (struct pd_gen_options){.workload = server, .count = 700}, 200);
    make("big-endian file", (struct pd_gen_options){.workload = server, .count = 700, .order = PD_BIG}, 200);
    make("stream", (struct pd_gen_options){.workload = server, .count = 700, .container = PD_CONTAINER_PIPE},
         200);
    make("big-endian stream",
         (struct pd_gen_options){
             .workload = server, .count = 700, .order = PD_BIG, .container = PD_CONTAINER_PIPE},
         200);
    make("file of one event", (struct pd_gen_options){.seed = 5, .count = 700, .events = 1}, 100);
    judge_hidden(600);
}

static void compressed(void **s)
{
    struct pd_gen_options how = {
        .workload = pd_gen_preset("server"), .count = 3000, .compression = PD_RECORD_COMPRESSED, .level = 1};
    (void)s;
    make("compressed file", how, 150);
    how.container = PD_CONTAINER_PIPE;
    how.compression = PD_RECORD_COMPRESSED2;
    make("compressed stream", how, 150);
    judge_hidden(200);
}

static void tracing(void **s)
{
    struct pd_gen_options how = {.workload = pd_gen_preset("tracing"), .count = 500};
    (void)s;
    make("tracing file", how, 100);
    how.container = PD_CONTAINER_PIPE;
    make("tracing stream", how, 100);
    judge_hidden(120);
}

static void random_records(void **s)
{
    (void)s;
    for (unsigned i = 0; i < 6; i++) {
        struct pd_gen_options how = {.seed = i + 1,
                                     .count = 200,
                                     .bytes = 300000,
                                     .features = PD_GEN_FEATURES_ALL,
                                     .any = i & 1,
                                     .events = 1 + i % 4,
                                     .order = i & 2 ? PD_BIG : PD_LITTLE};
        make("random file", how, 40);
        how.container = PD_CONTAINER_PIPE;
        make("random stream", how, 40);
    }
    judge_hidden(300);
}

/* ---- Those of the repository */

static bool load(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    original.n = fread(original.b, 1, MOST_REAL + 1, f);
    fclose(f);
    return original.n && original.n <= MOST_REAL;
}

/* True if there is nothing to report before the damage. */
static bool is_sound(void)
{
    const struct pd_rewrite_options how = {.size = sizeof how, .reencode = true};
    struct pd_rewrite_stats stats;
    struct pd_reader *r;
    if (!opens(&original, false, &r))
        return false;
    bool sound = pd_reader_n_findings(r) == 0 && pd_rewrite(r, NULL, &how, &stats, NULL) == PD_OK;
    sound = sound && stats.undecodable + stats.bad_sections + stats.differing == 0 &&
            pd_reader_n_findings(r) == 0;
    pd_reader_close(r);
    return sound;
}

static unsigned judge_all_of(const char *directory, unsigned n)
{
    struct dirent **entries;
    char path[4096];
    unsigned taken = 0;
    const char *source = getenv("PERFDATA_SOURCE");
    snprintf(path, sizeof path, "%s/%s", source ? source : ".", directory);
    const int found = scandir(path, &entries, NULL, alphasort);
    assert_true(found > 0);
    for (int i = 0; i < found; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", source ? source : ".", directory, entries[i]->d_name);
        if (entries[i]->d_type == DT_REG && strstr(entries[i]->d_name, ".data") && load(path) && is_sound()) {
            judge_repairs(entries[i]->d_name, n);
            taken++;
        }
        free(entries[i]);
    }
    free(entries);
    return taken;
}

static void recordings(void **s)
{
    (void)s;
    assert_true(judge_all_of("corpus", 200) >= 2);
    assert_true(judge_all_of("corpus/conformance", 10) >= 100);
    judge_hidden(1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workloads),      cmocka_unit_test(compressed), cmocka_unit_test(tracing),
        cmocka_unit_test(random_records), cmocka_unit_test(recordings),
    };
    struct image *images[] = {&original, &damaged, &repaired};
    for (size_t i = 0; i < 3; i++) {
        image_room(images[i], 2 * MOST);
        images[i]->n = 0;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < 3; i++)
        image_free(images[i]);
    free(whole.at);
    free(kept.at);
    return failed;
}
