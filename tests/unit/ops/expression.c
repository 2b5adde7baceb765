/* SPDX-License-Identifier: MIT */
/*
 * expression.c - expressions over fields: which of three samples meets each, by the rules that expression.h
 * states and arithmetic by hand; what is wrong with those that are refused, and where.
 */
#include "cmocka_all.h"
#include "fuzz/image_sink.h"
#include <perfdata/ops/expression.h>
#include <string.h>

enum { WEIGHT_STRUCT = 1 << 24, ST = ST_IDENTIFIER | ST_IP | ST_PERIOD };

#define LINE(decl_, offset_, size_, signed_) \
    "\tfield:" decl_ ";\toffset:" #offset_ ";\tsize:" #size_ ";\tsigned:" #signed_ ";\n"
static const char format[] = "name: mine\nID: 317\nformat:\n" /**/
    LINE("unsigned short common_type", 0, 2, 0)               /**/
    LINE("unsigned char common_flags", 2, 1, 0)               /**/
    LINE("int common_pid", 4, 4, 1)                           /**/
    "\n"                                                      /**/
    LINE("char comm[8]", 8, 8, 0)                             /**/
    LINE("int pid", 16, 4, 1)                                 /**/
    LINE("__u16 pair[2]", 20, 4, 0)                           /**/
    LINE("u64 big", 24, 8, 0)                                 /**/
    LINE("const void * ptr", 32, 8, 0)                        /**/
    "\nprint fmt: \"%s\", REC->comm\n";

static size_t begin(struct image *im, uint64_t id, uint64_t ip, uint64_t period)
{
    const size_t at = image_record(im, 9, 2);
    image_u64(im, id);
    image_u64(im, ip);
    image_u64(im, period);
    return at;
}

/* t of a tracepoint, w with three weights, u of an event that is not there. */
static struct image recording(void)
{
    struct image im;
    image_start(&im, PD_HOST_ORDER == PD_BIG, 104, 128 + 16); /* as the format, which is of this machine */
    image_u64(&im, 1);
    image_u64(&im, 2);
    image_section(&im, IMAGE_ATTRS, im.n, (size_t)2 * (128 + 16));
    const size_t tracepoint = image_attr(&im, 128, 128, ST | ST_RAW, true);
    image_set(&im, tracepoint, 2, 4);
    image_set(&im, tracepoint + 8, 317, 8);
    image_ids(&im, 104, 8);
    image_attr(&im, 128, 128, ST | WEIGHT_STRUCT, true);
    image_ids(&im, 112, 8);
    const size_t data = im.n;
    size_t at = begin(&im, 1, 0x1000, 10);
    image_u32(&im, 44);
    image_u64(&im, 317);
    image_bytes(&im, "bash\0\0\0", 8);
    image_u32(&im, (uint32_t)-5);
    image_u32(&im, 0x10001);
    image_u64(&im, UINT64_C(0xfffffffffffffff0));
    image_u64(&im, 0x7f00);
    image_u32(&im, 0);
    image_end(&im, at);
    at = begin(&im, 2, 0x2000, 20);
    image_u64(&im, UINT64_C(7) | UINT64_C(8) << 32 | UINT64_C(9) << 48);
    image_end(&im, at);
    at = begin(&im, 3, 0x1000, 10);
    image_end(&im, at);
    image_section(&im, IMAGE_DATA, data, im.n - data);
    return im;
}

static struct pd_tracepoints *formats(void)
{
    struct pd_tracepoints *t;
    assert_int_equal(pd_tracepoints_new(&t, NULL, NULL, NULL), PD_OK);
    assert_int_equal(pd_tracepoints_add(t, "own", format, strlen(format), 8, NULL), PD_OK);
    return t;
}

/* The recording, and what its samples' fields are looked up in. */
struct subject {
    struct image im;
    struct pd_tracepoints *t;
    struct pd_reader *r;
};

static struct subject open_subject(void)
{
    struct subject s = {.im = recording(), .t = formats()};
    assert_int_equal(pd_reader_open_memory(&s.r, s.im.b, s.im.n, NULL, NULL), PD_OK);
    return s;
}

static void close_subject(struct subject *s)
{
    pd_reader_close(s->r);
    pd_tracepoints_free(s->t);
    image_free(&s->im);
}

static struct pd_expression *compiled(const char *text)
{
    struct pd_expression_error wrong;
    struct pd_expression *x;
    if (pd_expression_new(&x, text, NULL, &wrong))
        fail_msg("%s: %s", text, wrong.what);
    return x;
}

/* The letters of the samples that meet it. */
static void find_met(struct pd_expression *x, struct pd_reader *r, const struct pd_tracepoints *t, char *met)
{
    struct pd_record rec = {0};
    assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
    for (const char *letter = "twu"; *letter; letter++) {
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        if (pd_expression_meets(x, t, &rec))
            *met++ = *letter;
    }
    *met = 0;
}

static void samples_meet_them(void **state)
{
    (void)state;
    static const struct {
        const char *text, *met;
    } cases[] = {
        {"comm == bash", "t"},
        {"comm == 'bas'", ""},
        {"comm != bash", ""}, /* a sample without it meets neither */
        {"comm != \"bas\"", "t"},
        {"!(comm == bash)", "w"}, /* what cannot be decoded meets nothing */
        {"comm ~ 'b?s*'", "t"},
        {"comm ~ x*", ""},
        {"pid == -5", "t"},
        {"pid != -5", ""},
        {"pid == 5", ""},
        {"pid == 4294967291", ""}, /* its sign is there in 64 bits */
        {"pid < 0", "t"},
        {"pid < -0", "t"},
        {"pid < -4", "t"},
        {"pid < -5", ""},
        {"pid <= -5", "t"},
        {"pid > -6", "t"},
        {"pid >= -4", ""},
        {"pid > 0", ""},
        {"pid & 4", ""}, /* …11111011 */
        {"pid & 8", "t"},
        {"pid & -8", "t"},
        {"big > -1", "t"},
        {"big == -16", ""},
        {"big >= 0xfffffffffffffff0", "t"},
        {"big > 0xFFFFFFFFFFFFFFF0", ""},
        {"big < 0", ""},
        {"ptr == 0x7f00", "t"},
        {"weight == 7", "w"},
        {"weight & 3", "w"},
        {"period >= 10 && period < 20", "t"},
        {"period == 10 || period == 20", "tw"},
        {"period == 0xa", "t"},
        {"period == 012", "t"},
        {"period = 10", "t"},
        {"ip == 0x1000 || ip == 0x2000 && period == 10", "t"}, /* && binds more */
        {"(ip == 0x1000 || ip == 0x2000) && period == 20", "w"},
        {"!!(period > 10)", "w"},
    };
    struct subject s = open_subject();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pd_expression *x = compiled(cases[i].text);
        struct pd_expression_error wrong;
        char met[4];
        find_met(x, s.r, s.t, met);
        if (strcmp(met, cases[i].met) != 0)
            fail_msg("%s: %s, not %s", cases[i].text, met, cases[i].met);
        if (!pd_expression_check(x, s.r, s.t, &wrong))
            fail_msg("%s: %s", cases[i].text, wrong.what);
        find_met(x, s.r, s.t, met); /* the check has forgotten the fields */
        assert_string_equal(met, cases[i].met);
        pd_expression_free(x);
    }
    close_subject(&s);
}

/* Of kinds that do not go together; such a test is false, too. */
static void fields_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *text, *what, *about;
    } cases[] = {
        {"comm < a", "a text has only ==, != and ~", "a"},
        {"pair == 1", "this field is neither a number nor a text", "pair"},
        {"ip ~ 4*", "~ is for texts", "ip"},
        {"pid ~ 4*", "~ is for texts", "pid"},
        {"period == ten", "this is no number of 64 bits", "ten"},
        {"period == 18446744073709551616", "this is no number of 64 bits", "18446744073709551616"},
        {"period == 0x", "this is no number of 64 bits", "0x"},
        {"period == 09", "this is no number of 64 bits", "09"},
        {"period == '10'", "this is no number of 64 bits", "'10'"},
        {"nothing == 1", "no event has this field", "nothing"},
        {"zaZA09_.[]==1", "no event has this field", "zaZA09_.[]"}, /* the first and last of each range */
    };
    struct subject s = open_subject();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pd_expression *x = compiled(cases[i].text);
        struct pd_expression_error wrong;
        char met[4];
        assert_false(pd_expression_check(x, s.r, s.t, &wrong));
        assert_string_equal(wrong.what, cases[i].what);
        assert_int_equal(wrong.n, strlen(cases[i].about));
        assert_memory_equal(cases[i].text + wrong.at, cases[i].about, wrong.n);
        find_met(x, s.r, s.t, met);
        assert_string_equal(met, "");
        pd_expression_free(x);
    }
    /* Without formats, raw data has no fields. */
    struct pd_expression *x = compiled("comm == bash");
    struct pd_expression_error wrong;
    char met[4];
    assert_false(pd_expression_check(x, s.r, NULL, &wrong));
    assert_string_equal(wrong.what, "no event has this field");
    find_met(x, s.r, NULL, met);
    assert_string_equal(met, "");
    pd_expression_free(x);
    close_subject(&s);
}

static void mistakes_are_located(void **state)
{
    (void)state;
    static const struct {
        const char *text, *what;
        size_t at, n;
    } cases[] = {
        {"", "a field is missing", 0, 0},
        {"== 5", "a field is missing", 0, 1},
        {"5x == 5", "a field is missing", 0, 2},
        {"ip == 1 && ", "a field is missing", 11, 0},
        {"period", "==, !=, <, <=, >, >=, & or ~ is missing", 6, 0},
        {"period 5", "==, !=, <, <=, >, >=, & or ~ is missing", 7, 1},
        {"period && 5", "==, !=, <, <=, >, >=, & or ~ is missing", 7, 1},
        {"period ==", "a value is missing", 9, 0},
        {"period == )", "a value is missing", 10, 1},
        {"comm == \"bash", "the quote has no end", 8, 5},
        {"(period == 5", "&&, || or ) is missing", 12, 0},
        {"(period == 5 !", "&&, || or ) is missing", 13, 1},
        {"period == 5 )", "&&, || or the end is missing", 12, 1},
    };
    struct pd_expression_error wrong;
    struct pd_expression *x;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(pd_expression_new(&x, cases[i].text, NULL, &wrong), PD_EARG);
        assert_string_equal(wrong.what, cases[i].what);
        assert_int_equal(wrong.at, cases[i].at);
        assert_int_equal(wrong.n, cases[i].n);
    }
    char text[4098];
    memset(text, ' ', sizeof text);
    memcpy(text, "ip==1", 5);
    text[4096] = 0;
    pd_expression_free(compiled(text));
    text[4096] = ' ', text[4097] = 0;
    assert_int_equal(pd_expression_new(&x, text, NULL, &wrong), PD_ELIMIT);
    memset(text, '!', 4096);
    strcpy(text + 100, "ip==1");
    pd_expression_free(compiled(text));
    memset(text, '!', 4096);
    strcpy(text + 101, "ip==1");
    assert_int_equal(pd_expression_new(&x, text, NULL, &wrong), PD_ELIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_meet_them),
        cmocka_unit_test(fields_are_checked),
        cmocka_unit_test(mistakes_are_located),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
