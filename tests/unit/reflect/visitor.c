/* SPDX-License-Identifier: MIT */
/*
 * visitor.c - pd_record_visit() calls the function for a record's type with its payload, or the function for
 * records without one.
 */
#include "cmocka_all.h"
#include "src/reflect/reflect.h"
#include <perfdata/visitor.h>

static struct {
    uint32_t type;
    const void *payload;
    unsigned calls, other, unknown;
} seen;

/* A separate function for each type, which must be called with that type. */
#define LAYOUT(name_, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_)                                                   \
    static void on_##name_(void *user, const struct pd_record *rec, const struct pd_##name_ *payload) \
    {                                                                                                 \
        assert_ptr_equal(user, &seen);                                                                \
        assert_int_equal(rec->type, PD_RECORD_##type_);                                               \
        seen.payload = payload;                                                                       \
        seen.calls++;                                                                                 \
    }
#define END(name_)
#include "src/schema/passes/each.h"
#undef RECORD

static void on_other(void *user, const struct pd_record *rec)
{
    (void)user, (void)rec;
    seen.other++;
}

static void on_unknown(void *user, const struct pd_record *rec)
{
    (void)user, (void)rec;
    seen.unknown++;
}

static const struct pd_visitor all = {
#define RECORD(name_, type_, misc_, trailer_, doc_) .name_ = on_##name_,
#include "src/schema/passes/each.h"
#undef RECORD
    .other = on_other,
    .unknown = on_unknown,
};

static const uint32_t types[] = {
#define RECORD(name_, type_, misc_, trailer_, doc_) PD_RECORD_##type_,
#include "src/schema/passes/each.h"
#undef RECORD
};
enum { N_TYPES = sizeof types / sizeof *types };

static void each_type_has_its_function(void **state)
{
    (void)state;
    assert_true(N_TYPES > 50);
    for (size_t i = 0; i < N_TYPES; i++) {
        struct pd_record rec = {.type = types[i], .decoded = true};
        memset(&seen, 0, sizeof seen);
        assert_true(pd_record_visit(&all, &seen, &rec));
        assert_true(seen.calls == 1 && seen.other == 0 && seen.unknown == 0);
        assert_ptr_equal(seen.payload, &rec.u);
    }
}

static void what_has_no_function_is_other(void **state)
{
    const struct pd_visitor others = {.other = on_other, .unknown = on_unknown}, none = {.other = NULL};
    (void)state;
    for (size_t i = 0; i < N_TYPES; i++) {
        struct pd_record rec = {.type = types[i], .decoded = true};
        memset(&seen, 0, sizeof seen);
        assert_true(pd_record_visit(&others, &seen, &rec));
        assert_true(seen.calls == 0 && seen.other == 1 && seen.unknown == 0);
        assert_false(pd_record_visit(&none, &seen, &rec));
        assert_true(seen.other == 1);
    }
}

static void what_is_not_decoded_is_unknown(void **state)
{
    const struct pd_record strange = {.type = 12345, .decoded = true},
                           raw = {.type = PD_RECORD_COMM, .raw = (const uint8_t *)""};
    (void)state;
    memset(&seen, 0, sizeof seen);
    assert_true(pd_record_visit(&all, &seen, &strange));
    assert_true(pd_record_visit(&all, &seen, &raw));
    assert_true(seen.calls == 0 && seen.other == 0 && seen.unknown == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_has_its_function),
        cmocka_unit_test(what_has_no_function_is_other),
        cmocka_unit_test(what_is_not_decoded_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
