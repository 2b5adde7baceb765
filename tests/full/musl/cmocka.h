/* SPDX-License-Identifier: MIT */
/*
 * cmocka.h - as much of cmocka as the tests use, for musl: Debian's cmocka is compiled for glibc. A test that
 * fails ends the program.
 */
#ifndef PERFDATA_TESTS_MUSL_CMOCKA_H
#define PERFDATA_TESTS_MUSL_CMOCKA_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*test_func)(void **state);
    int (*setup_func)(void **state);
    int (*teardown_func)(void **state);
    void *initial_state;
};

#define cmocka_unit_test(f_)           \
    {                                  \
        .name = #f_, .test_func = (f_) \
    }
#define cmocka_unit_test_setup_teardown(f_, up_, down_)                               \
    {                                                                                 \
        .name = #f_, .test_func = (f_), .setup_func = (up_), .teardown_func = (down_) \
    }

__attribute__((weak)) jmp_buf musl_skip; /* one for all files of a program */

static inline int _cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t n,
                                          int (*setup)(void **), int (*teardown)(void **))
{
    static size_t i, skipped; /* kept over the jump */
    void *group_state = NULL;
    if (setup && setup(&group_state))
        return 1;
    for (i = 0; i < n; i++) {
        void *state = tests[i].initial_state ? tests[i].initial_state : group_state;
        printf("%s: %s\n", group, tests[i].name);
        fflush(stdout);
        if (tests[i].setup_func && tests[i].setup_func(&state))
            return 1;
        if (setjmp(musl_skip))
            skipped++;
        else
            tests[i].test_func(&state);
        if (tests[i].teardown_func && tests[i].teardown_func(&state))
            return 1;
    }
    printf("%zu tests, %zu skipped\n", n, skipped);
    return teardown ? teardown(&group_state) : 0;
}

#define cmocka_run_group_tests_name(name_, tests_, setup_, teardown_) \
    _cmocka_run_group_tests(name_, tests_, sizeof(tests_) / sizeof *(tests_), setup_, teardown_)
#define cmocka_run_group_tests(tests_, setup_, teardown_) \
    cmocka_run_group_tests_name(#tests_, tests_, setup_, teardown_)

#define print_message printf
#define print_error(...) fprintf(stderr, __VA_ARGS__)
#define skip() longjmp(musl_skip, 1)

#define fail_msg(...)                                  \
    do {                                               \
        printf("%s:%d: FAILED: ", __FILE__, __LINE__); \
        printf(__VA_ARGS__);                           \
        printf("\n");                                  \
        fflush(stdout);                                \
        _Exit(1);                                      \
    } while (0)
#define fail() fail_msg("failed")

/* As cmocka does, both sides become one kind of number. */
#define musl_number(x_) ((unsigned long long)(uintmax_t)(x_))
#define musl_compare(a_, relation_, b_)                                              \
    do {                                                                             \
        const unsigned long long left_ = musl_number(a_), right_ = musl_number(b_);  \
        if (!(left_ relation_ right_))                                               \
            fail_msg("%s %s %s: %#llx, %#llx", #a_, #relation_, #b_, left_, right_); \
    } while (0)
#define assert_int_equal(a_, b_) musl_compare(a_, ==, b_)
#define assert_int_not_equal(a_, b_) musl_compare(a_, !=, b_)
#define assert_ptr_equal(a_, b_) musl_compare((uintptr_t)(a_), ==, (uintptr_t)(b_))
#define assert_in_range(a_, least_, most_) \
    do {                                   \
        musl_compare(a_, >=, least_);      \
        musl_compare(a_, <=, most_);       \
    } while (0)
#define musl_require(condition_, ...) \
    do {                              \
        if (!(condition_))            \
            fail_msg(__VA_ARGS__);    \
    } while (0)
#define assert_true(c_) musl_require(c_, "%s", #c_)
#define assert_false(c_) musl_require(!(c_), "not %s", #c_)
#define assert_null(p_) musl_require((p_) == NULL, "%s is not NULL", #p_)
#define assert_non_null(p_) musl_require((p_) != NULL, "%s is NULL", #p_)
#define assert_string_equal(a_, b_) musl_require(strcmp(a_, b_) == 0, "%s: \"%s\", \"%s\"", #a_, a_, b_)
#define assert_string_not_equal(a_, b_) musl_require(strcmp(a_, b_) != 0, "%s: \"%s\"", #a_, a_)
#define assert_memory_equal(a_, b_, n_) musl_require(memcmp(a_, b_, n_) == 0, "bytes of %s and %s", #a_, #b_)
#define assert_memory_not_equal(a_, b_, n_) musl_require(memcmp(a_, b_, n_) != 0, "bytes of %s", #a_)

#endif
