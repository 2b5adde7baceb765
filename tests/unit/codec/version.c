/* SPDX-License-Identifier: MIT */
/* version.c - the version of headers and library is one. */
#include "cmocka_all.h"
#include <perfdata/version.h>
#include <stdio.h>

#if PD_VERSION < PD_VERSION_NUMBER(0, 1, 0)
#error "the preprocessor compares versions"
#endif

static void test_version(void **state)
{
    char text[32];
    (void)state;
    snprintf(text, sizeof text, "%d.%d.%d", PD_VERSION_MAJOR, PD_VERSION_MINOR, PD_VERSION_PATCH);
    assert_string_equal(PD_VERSION_STRING, text);
    assert_string_equal(pd_version_string(), text);
    assert_int_equal(pd_version(), PD_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_version)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
