/* SPDX-License-Identifier: MIT */
/* print.c - records and attrs as text for people; expected texts were derived by hand from the bytes. */
#include "observed.h"
#include "src/reflect/command_text.h"
#include <inttypes.h>
#include <perfdata/session/text.h>

static void check_with(const struct pd_record *rec, const struct pd_print_options *options,
                       const char *expected)
{
    char buf[4096];
    struct pd_out out = {.buf = buf, .cap = sizeof buf - 1};
    pd_record_print(rec, options, &out, NULL);
    assert_int_equal(out.lost, 0);
    buf[out.n] = '\0';
    assert_string_equal(buf, expected);
}

static void check(uint64_t sample_type, uint64_t offset, const char *hex, const char *expected)
{
    struct observed o;
    observe(&o, sample_type, hex);
    o.rec.offset = offset;
    check_with(&o.rec, NULL, expected);
}

static void test_sample(void **state)
{
    (void)state;
    check(OBSERVED_SAMPLE_TYPE, 0x1c8, OBSERVED_SAMPLE,
          "0x1c8 [0x48]: SAMPLE cpumode=USER\n"
          "  ip: 0x7efdb18bdb70\n"
          "  pid: 21775\n"
          "  tid: 21775\n"
          "  time: 2292102700987\n"
          "  id: 425\n"
          "  period: 1\n"
          "  callchain:\n"
          "    nr: 2\n"
          "    ips:\n"
          "      USER\n"
          "      0x7efdb18bdb70\n");
}

static void test_mmap2(void **state)
{
    (void)state;
    check(OBSERVED_SAMPLE_TYPE, 0, OBSERVED_MMAP2,
          "0x0 [0x70]: MMAP2 cpumode=USER|mmap_build_id\n"
          "  pid: 21775\n"
          "  tid: 21775\n"
          "  addr: 0x56349b715000\n"
          "  len: 0x16000\n"
          "  pgoff: 0x4000\n"
          "  build_id_size: 20\n"
          "  reserved_1: 0\n"
          "  reserved_2: 0\n"
          "  build_id: 15dfff3239aa7c3b16a71e6b2e3b6e4009dab998\n"
          "  prot: READ|EXEC\n"
          "  flags: type=PRIVATE\n"
          "  filename: /usr/bin/ls\n"
          "  sample_id:\n"
          "    pid: 21775\n"
          "    tid: 21775\n"
          "    time: 2292102453359\n"
          "    id: 423\n");
}

static void test_exit(void **state)
{
    (void)state;
    check(OBSERVED_SAMPLE_TYPE, 0, OBSERVED_EXIT,
          "0x0 [0x38]: EXIT\n"
          "  pid: 21775\n"
          "  ppid: 21774\n"
          "  tid: 21775\n"
          "  ptid: 21774\n"
          "  time: 2292246188476\n"
          "  sample_id:\n"
          "    pid: 21775\n"
          "    tid: 21775\n"
          "    time: 2292246187785\n"
          "    id: 423\n");
}

/* No name can disturb a terminal, and left-over bytes are shown. */
static void test_string(void **state)
{
    (void)state;
    check(0, 0, "03000000 0000 2000 01000000 02000000 611b5b5cc3a4ff7fc285 00 000000000a",
          "0x0 [0x20]: COMM\n"
          "  pid: 1\n"
          "  tid: 2\n"
          "  comm: a\\x1b[\\\\\xc3\xa4\\xff\\x7f\\xc2\\x85\n"
          "  comm_pad: 00000000000a\n"
          "  sample_id:\n");
}

static void test_unknown(void **state)
{
    (void)state;
    struct observed o;
    check(PD_SAMPLE_TID, 16, "20000000 0300 1800 4142434420000001 0f550000 10550000",
          "0x10 [0x18]: type 32 0x3\n"
          "  rest: 8 bytes\n"
          "    0000: 41 42 43 44 20 00 00 01                          ABCD ...\n"
          "  sample_id:\n"
          "    pid: 21775\n"
          "    tid: 21776\n");
    observe(&o, 0, "20000000 0000 0900 41");
    o.rec.decoded = false;
    o.rec.depth = 1;
    o.rec.inner_offset = 0x20;
    check_with(&o.rec, NULL,
               "0x0+0x20 [0x9]: type 32\n"
               "  raw: 1 byte\n"
               "    0000: 41                                               A\n");
}

static void observe_sample(struct observed *o, const char *hex)
{
    o->attr.size = 144;
    pd_plan_init(&o->plan, &o->attr, PD_LITTLE);
    o->n = from_hex(hex, o->bytes, sizeof o->bytes);
    assert_int_equal(pd_record_decode(&o->plan, o->bytes, o->n, &o->rec, NULL), PD_OK);
    o->rec.attr = &o->attr;
}

/* Bits 7, 8 and 31 of the mask: SP and IP of x86, and one without a register there. */
static void test_registers(void **state)
{
    (void)state;
    struct observed o = {
        .attr = {.sample_type = PD_SAMPLE_REGS_USER, .sample_regs_user = 0x180 | 1ull << 31}};
    const struct pd_print_options x86 = {.size = sizeof x86, .arch = PD_ARCH_X86};
    observe_sample(&o,
                   "09000000 0000 2800 0200000000000000 1000000000000000 2000000000000000 3000000000000000");
    check_with(&o.rec, &x86,
               "0x0 [0x28]: SAMPLE\n"
               "  regs_user:\n"
               "    abi: ABI_64\n"
               "    regs:\n"
               "      SP: 0x10\n"
               "      IP: 0x20\n"
               "      reg31: 0x30\n");
    o.rec.attr = NULL;
    check_with(&o.rec, &x86,
               "0x0 [0x28]: SAMPLE\n"
               "  regs_user:\n"
               "    abi: ABI_64\n"
               "    regs:\n"
               "      0x10\n"
               "      0x20\n"
               "      0x30\n");
}

static void test_branches_and_raw(void **state)
{
    (void)state;
    struct observed o = {.attr = {.sample_type = PD_SAMPLE_RAW | PD_SAMPLE_BRANCH_STACK}};
    const struct pd_print_options few = {.size = sizeof few, .max_bytes = 16};
    observe_sample(&o, "09000000 0000 4000 14000000 000102030405060708090a0b0c0d0e0f 30313233"
                       "0100000000000000 1000000000000000 2000000000000000 d500000000000000");
    check_with(&o.rec, &few,
               "0x0 [0x40]: SAMPLE\n"
               "  raw:\n"
               "    size: 20\n"
               "    data: 20 bytes\n"
               "      0000: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f  ................\n"
               "      4 more\n"
               "  branch_stack:\n"
               "    nr: 1\n"
               "    entries:\n"
               "      0: from 0x10, to 0x20, flags mispred|in_tx|cycles=13\n");
}

static void test_attr(void **state)
{
    (void)state;
    const struct pd_attr attr = {.size = 136,
                                 .type = PD_TYPE_SOFTWARE,
                                 .config = PD_SW_PAGE_FAULTS,
                                 .sample_period = 1,
                                 .sample_type = PD_SAMPLE_IP | PD_SAMPLE_TIME,
                                 .flags = PD_ATTR_INHERIT | PD_ATTR_MMAP2};
    char buf[1024];
    struct pd_out out = {.buf = buf, .cap = sizeof buf - 1};
    pd_attr_print(&attr, NULL, &out, NULL);
    buf[out.n] = '\0';
    assert_string_equal(buf, "attr: page-faults\n"
                             "  type: SOFTWARE\n"
                             "  size: 136\n"
                             "  config: 0x2\n"
                             "  sample_period/sample_freq: 1\n"
                             "  sample_type: IP|TIME\n"
                             "  flags: inherit|mmap2\n");
    /* Bytes of newer fields are shown. */
    const struct pd_attr newer = {.size = PD_ATTR_SIZE + 4, .tail = {(const uint8_t *)"\x01\0ab", 4}};
    out.n = 0;
    pd_attr_print(&newer, NULL, &out, NULL);
    buf[out.n] = '\0';
    assert_non_null(strstr(buf, "  tail: 4 bytes\n"
                                "    0000: 01 00 61 62                                      ..ab\n"));
}

static void test_numbers(void **state)
{
    (void)state;
    char buf[256];
    struct pd_out out = {.buf = buf, .cap = sizeof buf - 1};
    const uint64_t edges[] = {0, 9, 10, 99, 100, 101, 12345, UINT64_MAX};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        pd_out_dec(&out, edges[i]);
        pd_out_str(&out, " ");
        pd_out_hex(&out, edges[i]);
        pd_out_str(&out, " ");
    }
    pd_out_sdec(&out, INT64_MIN);
    pd_out_value(&out, &pd_set_clockid, (uint64_t)-6);
    pd_out_value(&out, &pd_set_prot, 0);
    buf[out.n] = '\0';
    assert_string_equal(buf, "0 0x0 9 0x9 10 0xa 99 0x63 100 0x64 101 0x65 12345 0x3039 18446744073709551615 "
                             "0xffffffffffffffff -9223372036854775808-60");
}

static bool drop_text(struct pd_out *out, size_t want)
{
    struct pd_out *all = out->user;
    (void)want;
    pd_out_bytes(all, out->buf, out->n);
    out->n = 0;
    return true;
}

/* One number into a buffer with room, and into one of few bytes. */
static void same_number(void (*put)(struct pd_out *out, uint64_t value), const char *wanted, uint64_t value,
                        size_t few)
{
    char wide[64], narrow[32], all[64];
    const size_t n = strlen(wanted);
    struct pd_out one = {.buf = wide, .cap = sizeof wide}, sum = {.buf = all, .cap = sizeof all};
    struct pd_out two = {.buf = narrow, .cap = few, .more = drop_text, .user = &sum};
    put(&one, value);
    put(&two, value);
    drop_text(&two, 0);
    assert_int_equal(one.n, n);
    assert_memory_equal(wide, wanted, one.n);
    assert_int_equal(sum.n, n);
    assert_memory_equal(all, wanted, sum.n);
}

static void put_signed(struct pd_out *out, uint64_t value)
{
    pd_out_sdec(out, (int64_t)value);
}

static void same_numbers(uint64_t value)
{
    char dec[32], hex[32], sdec[32];
    snprintf(dec, sizeof dec, "%" PRIu64, value);
    snprintf(hex, sizeof hex, "0x%" PRIx64, value);
    snprintf(sdec, sizeof sdec, "%" PRId64, (int64_t)value);
    for (unsigned width = 0; width < 40; width++) {
        char wanted[64], text[80], *end = pi_put_columns(text, value, width, width % 2 ? '0' : ' ');
        const int n = width % 2 ? snprintf(wanted, sizeof wanted, "%0*" PRIu64, (int)width, value)
                                : snprintf(wanted, sizeof wanted, "%*" PRIu64, (int)width, value);
        assert_int_equal(end - text, n);
        assert_memory_equal(text, wanted, (size_t)n);
    }
    for (size_t few = 1; few < 32; few++) {
        same_number(pd_out_dec, dec, value, few);
        same_number(pd_out_hex, hex, value, few);
        same_number(put_signed, sdec, value, few);
    }
}

/* Every number of digits, with the smallest and largest number, as in printf. */
static void test_digits(void **state)
{
    (void)state;
    for (uint64_t power = 1;; power *= 10) {
        same_numbers(power - 1);
        same_numbers(power);
        same_numbers(power + power / 3);
        if (power > UINT64_MAX / 10)
            break;
    }
    for (uint64_t value = 0; value < 10000; value += 7)
        same_numbers(value);
    for (unsigned bit = 0; bit < 64; bit++) {
        same_numbers(UINT64_C(1) << bit);
        same_numbers((UINT64_C(1) << bit) - 1);
        same_numbers(UINT64_C(0x123456789abcdef0) >> bit);
        same_numbers(UINT64_C(0xfedcba9876543210) >> bit);
    }
}

/* Words are written as by pd_set_format(), also if only their first field is set. */
static void test_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < pd_n_sets; i++)
        for (uint64_t value = 1; pd_sets[i]->kind == PD_SET_BITS && value < 3000; value++) {
            char wanted[1024], text[1024];
            struct pd_out out = {.buf = text, .cap = sizeof text};
            const size_t n = pd_set_format(pd_sets[i], value, wanted, sizeof wanted);
            pd_out_value(&out, pd_sets[i], value);
            assert_int_equal(out.n, n);
            assert_memory_equal(text, wanted, n);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_mmap2),
        cmocka_unit_test(test_exit),
        cmocka_unit_test(test_string),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_branches_and_raw),
        cmocka_unit_test(test_attr),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests_name("print", tests, NULL, NULL);
}
