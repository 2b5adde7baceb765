/* SPDX-License-Identifier: MIT */
/*
 * byte_changes.c - the recordings of corpus/conformance with single bits changed: pd_differences() sees the
 * change wherever a value is, and where it need not see the place of what is there, pd_hash_recording() is of
 * the same opinion. PERFDATA_SEED chooses the bits, PERFDATA_ITERATIONS says how many for each recording.
 */
#include "cmocka_all.h"
#include "seeded.h"
#include "src/support/wire.h"
#include <dirent.h>
#include <perfdata/ops/difference.h>
#include <perfdata/ops/hash.h>
#include <perfdata/perfdata.h>
#include <stdio.h>

struct recording {
    const char *name;
    uint8_t *bytes;
    size_t n;
};

/* The name of a recording's file, its bytes to be freed. */
static struct recording load(const char *directory, const char *name)
{
    char path[4096 + 256];
    struct recording rec = {.name = name};
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    rec.n = (size_t)ftell(f);
    rewind(f);
    rec.bytes = malloc(rec.n);
    assert_non_null(rec.bytes);
    assert_int_equal(fread(rec.bytes, 1, rec.n, f), rec.n);
    fclose(f);
    return rec;
}

/* ---- What both say of two recordings */

struct opinion {
    bool damaged; /* something cannot be read */
    bool differ;
};

static void on_finding(void *user, int side, const struct pd_error *what)
{
    struct opinion *o = user;
    (void)side;
    o->damaged |= what->code != PD_EUNKNOWN;
}

static void on_damage(void *user, const struct pd_error *what)
{
    on_finding(user, 0, what);
}

static bool open_both(struct pd_reader *r[2], const struct recording *a, const struct recording *b)
{
    const struct pd_reader_options how = {.size = sizeof how, .probe = true};
    assert_int_equal(pd_reader_open_memory(&r[0], a->bytes, a->n, &how, NULL), PD_OK);
    if (pd_reader_open_memory(&r[1], b->bytes, b->n, &how, NULL) == PD_OK)
        return true;
    pd_reader_close(r[0]);
    return false;
}

static void close_both(struct pd_reader *r[2], struct opinion *o)
{
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < pd_reader_n_findings(r[i]); k++)
            on_damage(o, pd_reader_finding(r[i], k));
        pd_reader_close(r[i]);
    }
}

static struct opinion compare(const struct recording *a, const struct recording *b, unsigned ignore)
{
    struct opinion o = {.damaged = true};
    struct pd_reader *r[2];
    uint64_t n;
    if (!open_both(r, a, b))
        return o;
    o.damaged = false;
    const struct pd_differences_options how = {
        .size = sizeof how, .ignore = ignore, .finding = on_finding, .user = &o};
    assert_int_equal(pd_differences(r[0], r[1], &how, &n, NULL), PD_OK);
    o.differ = n != 0;
    close_both(r, &o);
    return o;
}

static struct opinion hash(const struct recording *a, const struct recording *b)
{
    struct opinion o = {.damaged = true};
    struct pd_reader *r[2];
    struct pd_hash h[2];
    if (!open_both(r, a, b))
        return o;
    o.damaged = false;
    const struct pd_hash_options how = {.size = sizeof how, .finding = on_damage, .user = &o};
    for (int i = 0; i < 2; i++)
        assert_int_equal(pd_hash_recording(r[i], &how, &h[i], NULL), PD_OK);
    close_both(r, &o);
    o.differ = memcmp(&h[0], &h[1], sizeof h[0]) != 0;
    return o;
}

/*
 * Of a feature that is there twice pd_differences() compares one, and of numbers above 255 none; bytes of
 * frames may change that what is inflated does not depend on.
 */
static const char *const ambiguous[] = {"container-pipe.", "container-zstd", "trap-zstd",
                                        "record-header-tracing-data.", "trap-tracing-data-inside."};

static bool is_ambiguous(const char *name)
{
    for (size_t i = 0; i < sizeof ambiguous / sizeof *ambiguous; i++)
        if (strncmp(name, ambiguous[i], strlen(ambiguous[i])) == 0)
            return true;
    return false;
}

/* True if it is the type of an entry of build ids, which tools choose at will. */
static bool is_entry_type(const struct recording *rec, const struct pd_file_section *s, enum pd_order order,
                          size_t at)
{
    size_t entry = (size_t)s->offset;
    while (entry + 8 <= s->offset + s->size && at >= entry + 4 && pi_load16(rec->bytes + entry + 6, order))
        entry += pi_load16(rec->bytes + entry + 6, order);
    return at >= entry && at < entry + 4 && at < s->offset + s->size;
}

static bool is_of_feature(const struct recording *rec, const struct pd_feature_section *f,
                          const struct pd_file_info *info, size_t i, size_t at)
{
    const uint64_t place = info->data_end + i * sizeof f->section;
    return (f->feature == PD_FEAT_BUILD_ID && is_entry_type(rec, &f->section, info->order, at)) ||
           (f->section.size == 0 && at >= place && at < place + sizeof f->section.offset);
}

/* True if nothing is where the changed number says, so that it says nothing; or no reader looks at it. */
static bool says_nothing(const struct recording *rec, size_t at)
{
    struct pd_reader *r;
    bool nothing = false;
    assert_int_equal(pd_reader_open_memory(&r, rec->bytes, rec->n, NULL, NULL), PD_OK);
    const struct pd_file_info *info = pd_reader_info(r);
    if (info->container == PD_CONTAINER_PIPE)
        nothing = true; /* misc of records that bring attrs and features, and what is behind these */
    else if (at >= 56 && at < 64)
        nothing = info->header.event_types.size == 0;
    else if (at >= 72 && at < 104)
        nothing = info->unfinished; /* a file without data.size has no features */
    for (size_t i = 0; i < pd_reader_n_attrs(r); i++) {
        const struct pd_event_attr *e = pd_reader_attr(r, i);
        const uint64_t ids = e->offset + info->header.attr_size - 16;
        nothing |= e->n_ids == 0 && at >= ids && at < ids + 8;
    }
    for (size_t i = 0; i < pd_reader_n_features(r); i++)
        nothing |= is_of_feature(rec, pd_reader_feature(r, i), info, i, at);
    pd_reader_close(r);
    return nothing;
}

#define CHECK(condition_)                                                                                    \
    do {                                                                                                     \
        if (!(condition_))                                                                                   \
            fail_msg("%s does not hold for %s changed at %zu, PERFDATA_SEED=%llu", #condition_, whole->name, \
                     at, (unsigned long long)random_seed());                                                 \
    } while (0)

static void try(const struct recording *whole, const struct recording *changed, size_t at)
{
    const struct opinion strict = compare(whole, changed, 0);
    const struct opinion loose =
        compare(whole, changed, PD_IGNORE_OFFSET | PD_IGNORE_ORDER | PD_IGNORE_CONTAINER);
    const struct opinion hashed = hash(whole, changed);
    CHECK(strict.damaged || strict.differ || says_nothing(whole, at) || is_ambiguous(whole->name));
    CHECK(loose.damaged == hashed.damaged);
    CHECK(loose.damaged || loose.differ == hashed.differ || is_ambiguous(whole->name));
}

static void change_bits(const struct recording *whole)
{
    struct pi_rng rng = {random_seed()};
    struct recording changed = {whole->name, malloc(whole->n), whole->n};
    const uint64_t step = 1 + whole->n / random_iterations(hurried() ? 3 : 30);
    assert_non_null(changed.bytes);
    memcpy(changed.bytes, whole->bytes, whole->n);
    for (size_t at = 0; at < whole->n; at++) {
        if (!pi_rng_one_in(&rng, step))
            continue;
        changed.bytes[at] ^= (uint8_t)(1u << pi_rng_below(&rng, 8));
        try(whole, &changed, at);
        changed.bytes[at] = whole->bytes[at];
    }
    free(changed.bytes);
}

static int is_data(const struct dirent *entry)
{
    const size_t n = strlen(entry->d_name);
    return n > 5 && strcmp(entry->d_name + n - 5, ".data") == 0 && entry->d_type != DT_DIR;
}

static void conformance(void **state)
{
    const char *source = getenv("PERFDATA_SOURCE");
    char directory[4096];
    struct dirent **entries;
    (void)state;
    if (!source)
        skip();
    snprintf(directory, sizeof directory, "%s/corpus/conformance", source);
    const int n = scandir(directory, &entries, is_data, alphasort);
    assert_true(n > 100);
    for (int i = 0; i < n; i++) {
        struct recording whole = load(directory, entries[i]->d_name);
        change_bits(&whole);
        free(whole.bytes);
        free(entries[i]);
    }
    free(entries);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(conformance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
