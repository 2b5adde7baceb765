/* SPDX-License-Identifier: MIT */
/* golden_attr.c - perf_event_attr in all its sizes, its flag word and aux_action, in both byte orders. */
#include "golden.h"

#include "alike.h"
#include "cmocka_all.h"
#include "guard.h"
#include <perfdata/session/event.h>
#include <stdio.h>
#include <string.h>

/* The fields by offset; the digits of a token tell its width. attr_text() inserts the size at 4. */
/* clang-format off */
#define AT_8 " 0102030405060708 1112131415161718 0000000000000107 000000000000001d"
#define AT_40 " 0200ca1044000000/0000002208528040" /* bits 6, 17, 20, 22, 27, 33, 37, and precise_ip 1 */
#define AT_48 " 21222324 31323334 4142434445464748"
static const struct {
    size_t size; /* with this piece */
    const char *text;
} pieces[] = {
    {64, AT_8 AT_40 AT_48},
    {72, " 5152535455565758"},
    {80, " 00000000000a1b2c"},
    {96, " 6162636465666768 71727374 fffffffa"},
    {104, " 8182838485868788"},
    {112, " 91929394 a1a2 b1b2"},
    {120, " c1c2c3c4 a0000004/20000005"}, /* bits 0, 2 and 29: unused bits are converted one by one */
    {128, " d1d2d3d4d5d6d7d8"},
    {136, " e1e2e3e4e5e6e7e8"},
    {144, " f1f2f3f4f5f6f7f8"},
};
/* clang-format on */

static const struct pd_attr whole = {
    .type = 0xfedcba98,
    .config = 0x102030405060708,
    .sample_period = 0x1112131415161718,
    .sample_type = 0x107,
    .read_format = 0x1d,
    .flags = 0x2208528040,
    .wakeup_events = 0x21222324,
    .bp_type = 0x31323334,
    .bp_addr = 0x4142434445464748,
    .bp_len = 0x5152535455565758,
    .branch_sample_type = 0xa1b2c,
    .sample_regs_user = 0x6162636465666768,
    .sample_stack_user = 0x71727374,
    .clockid = -6,
    .sample_regs_intr = 0x8182838485868788,
    .aux_watermark = 0x91929394,
    .sample_max_stack = 0xa1a2,
    .reserved_2 = 0xb1b2,
    .aux_sample_size = 0xc1c2c3c4,
    .aux_action = 0x20000005,
    .sig_data = 0xd1d2d3d4d5d6d7d8,
    .config3 = 0xe1e2e3e4e5e6e7e8,
    .config4 = 0xf1f2f3f4f5f6f7f8,
};

/* The attr in `size` bytes: later fields are 0. */
static struct pd_attr cut_to(uint32_t size)
{
    struct pd_attr a = whole;
    a.size = size;
    a.bp_len = size < 72 ? 0 : a.bp_len;
    a.branch_sample_type = size < 80 ? 0 : a.branch_sample_type;
    a.sample_regs_user = size < 88 ? 0 : a.sample_regs_user;
    a.sample_stack_user = size < 92 ? 0 : a.sample_stack_user;
    a.clockid = size < 96 ? 0 : a.clockid;
    a.sample_regs_intr = size < 104 ? 0 : a.sample_regs_intr;
    a.aux_watermark = size < 108 ? 0 : a.aux_watermark;
    a.sample_max_stack = size < 110 ? 0 : a.sample_max_stack;
    a.reserved_2 = size < 112 ? 0 : a.reserved_2;
    a.aux_sample_size = size < 116 ? 0 : a.aux_sample_size;
    a.aux_action = size < 120 ? 0 : a.aux_action;
    a.sig_data = size < 128 ? 0 : a.sig_data;
    a.config3 = size < 136 ? 0 : a.config3;
    a.config4 = size < 144 ? 0 : a.config4;
    return a;
}

/* All 144 bytes with the given size in the size field. */
static void whole_bytes(uint32_t size, enum pd_order order, uint8_t bytes[144])
{
    char text[600];
    int n = snprintf(text, sizeof text, "fedcba98 %08x", size);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s", pieces[i].text);
    assert_int_equal(golden_bytes(text, order, bytes, 144), 144);
}

static void expect_attr(const struct pd_attr *want, const struct pd_attr *got)
{
    const char *field = alike_layout(pi_layout_attr(), want, got, ALIKE_VALUES);
    if (field)
        fail_msg("attr of size %u: %s differs", want->size, field);
}

/* Checks that the bytes in both orders are that attr: decoded, encoded, and transcoded. */
static void check_attr(const uint8_t *bytes[2], size_t n, const struct pd_attr *want)
{
    for (unsigned order = 0; order < 2; order++) {
        struct pd_attr a;
        struct pd_error e;
        uint8_t *p = guard_copy(0, bytes[order], n);
        assert_int_equal(pd_attr_decode((enum pd_order)order, p, n, &a, &e), PD_OK);
        expect_attr(want, &a);
        if (a.tail.n)
            assert_ptr_equal(a.tail.ptr, p + n - a.tail.n);
        for (unsigned to = 0; to < 2; to++) {
            uint8_t *out = guard_room(1, n);
            assert_int_equal(pd_attr_encode((enum pd_order)to, &a, out, n, &e), PD_OK);
            assert_memory_equal(out, bytes[to], n);
            assert_int_equal(pd_attr_encode((enum pd_order)to, want, guard_room(1, n), n, &e), PD_OK);
            assert_memory_equal(out, bytes[to], n);
        }
    }
}

static void check_text(const char *text, const struct pd_attr *want)
{
    uint8_t little[300], big[300];
    const size_t n = golden_bytes(text, PD_LITTLE, little, sizeof little);
    assert_int_equal(golden_bytes(text, PD_BIG, big, sizeof big), n);
    check_attr((const uint8_t *[]){little, big}, n, want);
}

/* The ten sizes, and those between them that end with a field. */
static void sizes(void **state)
{
    static const uint32_t all[] = {64, 72, 80, 88, 92, 96, 104, 108, 110, 112, 116, 120, 128, 136, 144};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct pd_attr want = cut_to(all[i]);
        uint8_t bytes[2][144];
        whole_bytes(all[i], PD_LITTLE, bytes[PD_LITTLE]);
        whole_bytes(all[i], PD_BIG, bytes[PD_BIG]);
        assert_int_equal(pd_attr_bytes(&want), all[i]);
        check_attr((const uint8_t *[]){bytes[0], bytes[1]}, all[i], &want);
    }
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_true(i == 0 || pieces[i].size > pieces[i - 1].size);
    assert_int_equal(PD_ATTR_SIZE, 144);
}

/* Size 0 means 64 and stays 0. */
static void size_0(void **state)
{
    struct pd_attr want = cut_to(64);
    uint8_t bytes[2][144];
    (void)state;
    want.size = 0;
    whole_bytes(0, PD_LITTLE, bytes[PD_LITTLE]);
    whole_bytes(0, PD_BIG, bytes[PD_BIG]);
    assert_int_equal(pd_attr_bytes(&want), 64);
    check_attr((const uint8_t *[]){bytes[0], bytes[1]}, 64, &want);
    /* Entry room of 80 bytes: the bytes behind the 64 are not a field. */
    uint8_t room[2][80];
    for (unsigned o = 0; o < 2; o++) {
        memcpy(room[o], bytes[o], 64);
        memset(room[o] + 64, 0xee, 16);
    }
    want.tail = (struct pd_bytes){room[0] + 64, 16};
    assert_int_equal(pd_attr_bytes(&want), 80);
    check_attr((const uint8_t *[]){room[0], room[1]}, 80, &want);
}

/* Bytes behind the known fields, and room in the entry behind attr.size, are kept. */
static void tails(void **state)
{
    static const struct {
        uint32_t size;
        size_t n;
    } forms[] = {{152, 152}, {160, 160}, {160, 176}, {144, 160},
                 {64, 72},   {96, 144},  {112, 113}, {UINT32_MAX, 200}};
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const size_t known = forms[i].size < 144 ? forms[i].size : 144;
        uint8_t bytes[2][300];
        struct pd_attr want = cut_to(forms[i].size);
        for (unsigned o = 0; o < 2; o++) {
            whole_bytes(forms[i].size, (enum pd_order)o, bytes[o]);
            for (size_t k = known; k < forms[i].n; k++)
                bytes[o][k] = (uint8_t)(3 * k + 1);
        }
        want.tail = (struct pd_bytes){bytes[0] + known, forms[i].n - known};
        assert_int_equal(pd_attr_bytes(&want), forms[i].n);
        check_attr((const uint8_t *[]){bytes[0], bytes[1]}, forms[i].n, &want);
    }
}

/*
 * For any size and any number of bytes, the same bytes come back; those of a field that the size cuts are in
 * the tail.
 */
static void any_size(void **state)
{
    static const uint32_t ends[] = {72, 80, 88, 92, 96, 104, 108, 110, 112, 116, 120, 128, 136, 144};
    (void)state;
    for (unsigned order = 0; order < 2; order++)
        for (uint32_t size = 0; size < 200; size++)
            for (size_t n = 8; n < 200; n++) {
                uint8_t bytes[200];
                struct pd_attr a;
                memset(bytes + 144, 0xdd, sizeof bytes - 144);
                whole_bytes(size, (enum pd_order)order, bytes);
                assert_int_equal(pd_attr_decode((enum pd_order)order, guard_copy(0, bytes, n), n, &a, NULL),
                                 PD_OK);
                size_t known = 64; /* the end of a field */
                for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
                    known = ends[i] <= size ? ends[i] : known;
                assert_int_equal(a.tail.n, n > known ? n - known : 0);
                uint8_t *out = guard_room(1, n);
                assert_int_equal(pd_attr_encode((enum pd_order)order, &a, out, n, NULL), PD_OK);
                assert_memory_equal(out, bytes, n);
            }
}

static void fields_by_other_names(void **state)
{
    struct pd_attr a = {.sample_freq = 1, .wakeup_watermark = 2, .config1 = 3, .config2 = 4};
    (void)state;
    assert_int_equal(a.sample_period, 1);
    assert_int_equal(a.wakeup_events, 2);
    assert_int_equal(a.bp_addr, 3);
    assert_int_equal(a.kprobe_func, 3);
    assert_int_equal(a.uprobe_path, 3);
    assert_int_equal(a.bp_len, 4);
    assert_int_equal(a.kprobe_addr, 4);
    assert_int_equal(a.probe_offset, 4);
    a.clockid = -6;
    assert_true(a.clockid < 0);
}

static void check_flags(uint64_t big, uint64_t little, uint64_t flags)
{
    char text[300];
    const struct pd_attr want = {.type = 1, .size = 64, .flags = flags};
    snprintf(text, sizeof text, "00000001 00000040 =00*32 %016llx/%016llx =00*16", (unsigned long long)big,
             (unsigned long long)little);
    check_text(text, &want);
}

/* Little-endian streams have bit i at 1 << i, big-endian ones at 1 << (63 - i). */
static void every_flag(void **state)
{
    static const uint64_t by_bit[40] = {
        PD_ATTR_DISABLED,
        PD_ATTR_INHERIT,
        PD_ATTR_PINNED,
        PD_ATTR_EXCLUSIVE,
        PD_ATTR_EXCLUDE_USER,
        PD_ATTR_EXCLUDE_KERNEL,
        PD_ATTR_EXCLUDE_HV,
        PD_ATTR_EXCLUDE_IDLE,
        PD_ATTR_MMAP,
        PD_ATTR_COMM,
        PD_ATTR_FREQ,
        PD_ATTR_INHERIT_STAT,
        PD_ATTR_ENABLE_ON_EXEC,
        PD_ATTR_TASK,
        PD_ATTR_WATERMARK,
        0,
        0,
        PD_ATTR_MMAP_DATA,
        PD_ATTR_SAMPLE_ID_ALL,
        PD_ATTR_EXCLUDE_HOST,
        PD_ATTR_EXCLUDE_GUEST,
        PD_ATTR_EXCLUDE_CALLCHAIN_KERNEL,
        PD_ATTR_EXCLUDE_CALLCHAIN_USER,
        PD_ATTR_MMAP2,
        PD_ATTR_COMM_EXEC,
        PD_ATTR_USE_CLOCKID,
        PD_ATTR_CONTEXT_SWITCH,
        PD_ATTR_WRITE_BACKWARD,
        PD_ATTR_NAMESPACES,
        PD_ATTR_KSYMBOL,
        PD_ATTR_BPF_EVENT,
        PD_ATTR_AUX_OUTPUT,
        PD_ATTR_CGROUP,
        PD_ATTR_TEXT_POKE,
        PD_ATTR_BUILD_ID,
        PD_ATTR_INHERIT_THREAD,
        PD_ATTR_REMOVE_ON_EXEC,
        PD_ATTR_SIGTRAP,
        PD_ATTR_DEFER_CALLCHAIN,
        PD_ATTR_DEFER_OUTPUT,
    };
    (void)state;
    for (unsigned i = 0; i < 40; i++) {
        const struct pd_attr a = {.flags = UINT64_C(1) << i};
        if (i == 15 || i == 16)
            continue;
        assert_int_equal(by_bit[i], UINT64_C(1) << i);
        check_flags(UINT64_C(1) << (63 - i), UINT64_C(1) << i, by_bit[i]);
        assert_int_equal(pd_attr_flag(&a, by_bit[i]), 1);
        assert_int_equal(pd_attr_flag(&a, by_bit[(i + 1) % 15]), 0);
    }
}

/* Two bits whose value is not reversed. */
static void precise_ip(void **state)
{
    (void)state;
    for (uint64_t v = 0; v < 4; v++) {
        const struct pd_attr a = {.flags = v << 15 | PD_ATTR_WATERMARK};
        check_flags(v << 47 | UINT64_C(1) << 49, v << 15 | 1 << 14,
                    v << PD_ATTR_PRECISE_IP_SHIFT | PD_ATTR_WATERMARK);
        assert_int_equal(pd_attr_flag(&a, PD_ATTR_PRECISE_IP), v);
        assert_int_equal(PD_ATTR_PRECISE_IP, 3 << 15);
    }
}

/* Reserved bits are kept, in either order and converted to the other and back. */
static void reserved_flags(void **state)
{
    (void)state;
    for (unsigned order = 0; order < 2; order++)
        for (unsigned bit = 0; bit < 64; bit++) {
            uint8_t bytes[64] = {0}, there[64], back[64];
            struct pd_attr a;
            bytes[40 + bit / 8] = (uint8_t)(1 << bit % 8);
            assert_int_equal(pd_attr_decode((enum pd_order)order, bytes, 64, &a, NULL), PD_OK);
            assert_int_equal(__builtin_popcountll(a.flags), 1);
            assert_int_equal(pd_attr_encode((enum pd_order) !order, &a, there, 64, NULL), PD_OK);
            assert_int_equal(pd_attr_decode((enum pd_order) !order, there, 64, &a, NULL), PD_OK);
            assert_int_equal(pd_attr_encode((enum pd_order)order, &a, back, 64, NULL), PD_OK);
            assert_memory_equal(back, bytes, 64);
        }
}

/* Flag words of real files: by perf 7.3 on x86-64, and on a big-endian powerpc64. */
static void flags_seen(void **state)
{
    static const uint8_t x86[] = {0x03, 0x37, 0x84, 0x61, 0x04, 0, 0, 0},
                         ppc[] = {0xc0, 0xe8, 0x28, 0, 0, 0, 0, 0};
    uint8_t bytes[64] = {0};
    struct pd_attr a;
    (void)state;
    memcpy(bytes + 40, x86, 8);
    assert_int_equal(pd_attr_decode(PD_LITTLE, bytes, 64, &a, NULL), PD_OK);
    assert_int_equal(a.flags, PD_ATTR_DISABLED | PD_ATTR_INHERIT | PD_ATTR_MMAP | PD_ATTR_COMM |
                                  PD_ATTR_FREQ | PD_ATTR_ENABLE_ON_EXEC | PD_ATTR_TASK |
                                  PD_ATTR_SAMPLE_ID_ALL | PD_ATTR_MMAP2 | PD_ATTR_COMM_EXEC |
                                  PD_ATTR_KSYMBOL | PD_ATTR_BPF_EVENT | PD_ATTR_BUILD_ID);
    check_flags(0xc0ec218620000000, 0x461843703, a.flags);

    memcpy(bytes + 40, ppc, 8);
    assert_int_equal(pd_attr_decode(PD_BIG, bytes, 64, &a, NULL), PD_OK);
    assert_int_equal(a.flags, PD_ATTR_DISABLED | PD_ATTR_INHERIT | PD_ATTR_MMAP | PD_ATTR_COMM |
                                  PD_ATTR_FREQ | PD_ATTR_ENABLE_ON_EXEC | PD_ATTR_SAMPLE_ID_ALL |
                                  PD_ATTR_EXCLUDE_GUEST);
    check_flags(0xc0e8280000000000, 0x141703, a.flags);
}

static void aux_action(void **state)
{
    static const struct {
        uint32_t big, little;
        uint64_t value;
    } words[] = {
        {0x80000000, 1, PD_AUX_ACTION_AUX_START_PAUSED},
        {0x40000000, 2, PD_AUX_ACTION_AUX_PAUSE},
        {0x20000000, 4, PD_AUX_ACTION_AUX_RESUME},
        {0xe0000000, 7, 7},
        {0x10000000, 8, 8}, /* unused bits, too, are converted one by one */
        {0x00000001, 0x80000000, 0x80000000},
        {0xffffffff, 0xffffffff, 0xffffffff},
    };
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[300];
        const struct pd_attr want = {.type = 1, .size = 120, .aux_action = (uint32_t)words[i].value};
        snprintf(text, sizeof text, "00000001 00000078 =00*108 %08x/%08x", words[i].big, words[i].little);
        check_text(text, &want);
    }
}

/* ---- Refusals */

static void too_short(void **state)
{
    struct pd_attr a;
    struct pd_error e;
    uint8_t bytes[144];
    (void)state;
    whole_bytes(144, PD_LITTLE, bytes);
    for (size_t n = 0; n < 8; n++) {
        assert_int_equal(pd_attr_decode(PD_LITTLE, guard_copy(0, bytes, n), n, &a, &e), PD_ESHORT);
        assert_string_equal(e.field, "attr");
        assert_int_equal(e.found, n);
        assert_int_equal(e.expected, 8);
    }
}

static void would_be_lost(void **state)
{
    (void)state;
    for (unsigned order = 0; order < 2; order++) {
        struct pd_error e = {0};
        struct pd_attr a = cut_to(128);
        uint8_t *out = guard_room(0, 136);
        a.config3 = 1; /* behind attr.size */
        assert_int_equal(pd_attr_encode((enum pd_order)order, &a, out, 128, &e), PD_EVALUE);
        assert_non_null(e.field);
        a.size = 136;
        assert_int_equal(pd_attr_encode((enum pd_order)order, &a, out, 136, &e), PD_OK);
        assert_int_equal(pd_attr_encode((enum pd_order)order, &a, out, 135, &e),
                         order == PD_LITTLE ? PD_OK : PD_EVALUE);
        assert_int_equal(pd_attr_encode((enum pd_order)order, &a, out, 137, &e), PD_ECOUNT);
        assert_int_equal(pd_attr_encode((enum pd_order)order, &a, out, 7, &e), PD_ECOUNT);
        assert_int_equal(pd_attr_encode((enum pd_order)order, &a, out, 0, &e), PD_ECOUNT);
        assert_string_equal(e.field, "attr.size");
        assert_int_equal(e.found, 0);
        assert_int_equal(e.expected, 136);
    }
}

/* A tail is behind all known fields: with fewer bytes it would overlap them. */
static void tail_in_too_few_bytes(void **state)
{
    struct pd_error e = {0};
    struct pd_attr a = {.size = 144, .tail = RAW("\1\2\3\4\5\6\7\10")};
    (void)state;
    assert_int_equal(pd_attr_encode(PD_LITTLE, &a, guard_room(0, 152), 152, &e), PD_OK);
    assert_int_equal(pd_attr_encode(PD_LITTLE, &a, guard_room(0, 148), 148, &e), PD_ECOUNT);
    assert_int_equal(pd_attr_encode(PD_LITTLE, &a, guard_room(0, 153), 153, &e), PD_ECOUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(size_0),
        cmocka_unit_test(tails),
        cmocka_unit_test(any_size),
        cmocka_unit_test(fields_by_other_names),
        cmocka_unit_test(every_flag),
        cmocka_unit_test(precise_ip),
        cmocka_unit_test(reserved_flags),
        cmocka_unit_test(flags_seen),
        cmocka_unit_test(aux_action),
        cmocka_unit_test(too_short),
        cmocka_unit_test(would_be_lost),
        cmocka_unit_test(tail_in_too_few_bytes),
    };
    return cmocka_run_group_tests_name("attr", tests, NULL, NULL);
}
