/* SPDX-License-Identifier: MIT */
/*
 * json_plain.c - texts that the reader of plain JSON accepts read the same with jansson; it refuses all that
 * jansson refuses.
 */
#include "cli/lib/text/json_plain.c"
#include "cmocka_all.h"
#include "seeded.h"
#include <string.h>

static const char *const plain[] = {
    "{}",
    "{\"a\":1}",
    "{\"a\":-12,\"b\":[],\"c\":[1,\"2\",{}],\"d\":{\"e\":\"\"}}",
    "{\"n\":999999999999999999}",
    /* clang takes strings without parentheses for two elements */
    ("{\"record\":{\"type\":\"SAMPLE\",\"size\":56,\"offset\":\"112864\",\"sample\":{\"ip\":"
     "\"0x55020015a000\",\"ips\":[\"0x1\",\"0x2\"]}}}"),
};

static const char *const unusual[] = {
    "",
    "{",
    "[1]",
    "1",
    "{\"a\":1,\"a\":2}",
    "{\"a\":1}x",
    "{\"a\":1} ",
    " {}",
    "{\"a\" :1}",
    "{\"a\":1.5}",
    "{\"a\":1e3}",
    "{\"a\":01}",
    "{\"a\":-0}",
    "{\"a\":-}",
    "{\"a\":9223372036854775807}",
    "{\"a\":99999999999999999999}",
    "{\"a\":true}",
    "{\"a\":\"\\n\"}",
    "{\"a\":\"\xc3\xa4\"}",
    "{\"a\":\"\x01\"}",
    "{\"a\":[1,]}",
    "{\"a\":1,}",
    "{\"a\"}",
    "{a:1}",
    "{\"a\":\"}",
};

static void same(const char *text, size_t n, bool must)
{
    json_error_t error;
    json_t *a = json_plain(text, n), *b = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
    if (must)
        assert_non_null(a);
    if (a) { /* if it is refused, jansson decides */
        assert_non_null(b);
        assert_true(json_equal(a, b));
    }
    json_decref(a);
    json_decref(b);
}

static void given(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        same(plain[i], strlen(plain[i]), true);
    for (size_t i = 0; i < sizeof unusual / sizeof *unusual; i++)
        assert_null(json_plain(unusual[i], strlen(unusual[i])));
    same("{\"a\":\"b\0c\"}", 11, false);
}

static void deep(void **state)
{
    char text[200];
    (void)state;
    memset(text, '[', 100);
    memcpy(text, "{\"a\":", 5);
    memset(text + 100, ']', 95);
    text[195] = '}';
    assert_null(json_plain(text, 196));
}

/* Every text with one or two bytes changed. */
static void mutated(void **state)
{
    static const char bytes[] = "{}[]\",:-0123456789.eE \\u\n\x7f\x80tfn";
    struct pi_rng r = {random_seed()};
    (void)state;
    for (uint64_t i = 0; i < random_iterations(30000); i++) {
        char text[256];
        const char *from = plain[pi_rng_below(&r, sizeof plain / sizeof *plain)];
        size_t n = strlen(from);
        memcpy(text, from, n);
        for (uint64_t k = 1 + pi_rng_below(&r, 2); k; k--)
            text[pi_rng_below(&r, n)] = bytes[pi_rng_below(&r, sizeof bytes - 1)];
        if (pi_rng_one_in(&r, 4))
            n = (size_t)pi_rng_below(&r, n);
        same(text, n, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(given), cmocka_unit_test(deep),
                                       cmocka_unit_test(mutated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
