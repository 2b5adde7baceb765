/* SPDX-License-Identifier: MIT */
/* golden_tool_records.c - the records of perf itself and of simpleperf, which the schema's tables read. Those of
 * fixed size that golden_records.c has are not here. */
#include "golden.h"

#include "cmocka_all.h"
#include <string.h>

#define ID_ALL .flags = PD_ATTR_SAMPLE_ID_ALL
/* None of these records but two has a trailer, whatever the attr says. */
#define ALL_SIX .attr = {.sample_type = 0x102c6, ID_ALL}

#define Z4 "\0\0\0\0"
#define Z8 Z4 Z4
#define Z16 Z8 Z8
#define X16 "xxxxxxxxxxxxxxxx"
#define X64 X16 X16 X16 X16
#define X256 X64 X64 X64 X64

#define VEC(width_, type_, ...)                                                                               \
    {                                                                                                         \
        (type_[]){__VA_ARGS__}, sizeof((type_[]){__VA_ARGS__}) / sizeof(type_), width_, PD_FORM_STRUCT \
    }
#define WORDS16(...) VEC(2, uint16_t, __VA_ARGS__)
#define WORDS32(...) VEC(4, uint32_t, __VA_ARGS__)

/* ---- HEADER_ATTR. The first 64 bytes of an attr of `size`, the next 72 and the next 8. */
#define ATTR64_TEXT(size_)                                                                                     \
    " 00000000 " size_ " 0000000000000001 00000000000f4240 0000000000000167 0000000000000014"                  \
    " c0ec218620000000/0000000461843703 00000001 00000003 0102030405060708"
#define ATTR64                                                                                                 \
    .config = 1, .sample_period = 1000000, .sample_type = 0x167, .read_format = 0x14, .flags = 0x461843703,    \
    .wakeup_events = 1, .bp_type = 3, .config1 = 0x102030405060708
#define ATTR136_TEXT                                                                                           \
    " 1112131415161718 0000000000020009 00000000000000ff 00002000 ffffffff 0000000000ff0fff 00100000 007f"     \
    " a1a2 00000400 a0000000/00000005 2122232425262728 3132333435363738"
#define ATTR136                                                                                                \
    ATTR64, .config2 = 0x1112131415161718, .branch_sample_type = 0x20009, .sample_regs_user = 0xff,            \
            .sample_stack_user = 8192, .clockid = -1, .sample_regs_intr = 0xff0fff, .aux_watermark = 0x100000, \
            .sample_max_stack = 127, .reserved_2 = 0xa1a2, .aux_sample_size = 1024, .aux_action = 5,           \
            .sig_data = 0x2122232425262728, .config3 = 0x3132333435363738

/* ---- AUXTRACE_INFO of Intel PT: 9, 10, 14, 15, 16 words. */
#define PT9_TEXT                                                                                                 \
    " 00000006 00000000 0000000000000008 000000000000001f 000000002aaaaaab fffffff000000001"                     \
    " 0000000000000001 0000000000000400 0000000000000800 0000000000000002 0000000000000003"
#define PT10_TEXT PT9_TEXT " 0000000000000004"
#define PT14_TEXT PT10_TEXT " 0000000000000200 000000000003c000 0000000000000054 0000000000000005"
#define PT15_TEXT PT14_TEXT " 0000000000000006"
#define PT16_TEXT PT15_TEXT " 000000000000001c"
#define PT9                                                                                                      \
    .pmu_type = 8, .time_shift = 0x1f, .time_mult = 0x2aaaaaab, .time_zero = 0xfffffff000000001,                 \
    .cap_user_time_zero = 1, .tsc_bit = 0x400, .noretcomp_bit = 0x800, .have_sched_switch = 2, .snapshot_mode = 3
#define PT10 PT9, .has_per_cpu_mmaps = 1, .per_cpu_mmaps = 4
#define PT14 PT10, .has_mtc = 1, .mtc_bit = 0x200, .mtc_freq_bits = 0x3c000, .tsc_ctc_n = 0x54, .tsc_ctc_d = 5
#define PT15 PT14, .has_cyc = 1, .cyc_bit = 6
#define PT16 PT15, .has_ratio = 1, .max_nonturbo_ratio = 28
#define PT_INFO(...) .type = 70, .u.auxtrace_info = {.type = 1, .intel_pt = {__VA_ARGS__}}

#define ETM3 0x3030303030303030
#define ETM4 0x4040404040404040
#define ETE 0x5050505050505050
#define SPE_CPU 0x1010101010101010

/* ---- SCHEDSTAT_DOMAIN: blocks of 8, 11 and 12 counters. */
#define BLOCK8_TEXT(x_) \
    " 000000" x_ "1 000000" x_ "2 000000" x_ "3 000000" x_ "4 000000" x_ "5 000000" x_ "6 000000" x_ "7 000000" x_ "8"
#define BLOCK8(x_)                                                                                           \
    {                                                                                                        \
        .count = (x_) + 1, .balanced = (x_) + 2, .failed = (x_) + 3, .imbalance = (x_) + 4, .gained = (x_) + 5, \
        .hot_gained = (x_) + 6, .nobusyq = (x_) + 7, .nobusyg = (x_) + 8                                     \
    }
#define BLOCK11_TEXT(x_) BLOCK8_TEXT(x_) " 000000" x_ "9 000000" x_ "a 000000" x_ "b"
#define BLOCK11(x_)                                                                                          \
    {                                                                                                        \
        .count = (x_) + 1, .balanced = (x_) + 2, .failed = (x_) + 3, .imbalance_load = (x_) + 4,             \
        .imbalance_util = (x_) + 5, .imbalance_task = (x_) + 6, .imbalance_misfit = (x_) + 7,                \
        .gained = (x_) + 8, .hot_gained = (x_) + 9, .nobusyq = (x_) + 10, .nobusyg = (x_) + 11               \
    }
#define ACTIVE_TEXT                                                                                          \
    " 00000041 00000042 00000043 00000051 00000052 00000053 00000061 00000062 00000063 00000071 00000072"    \
    " 00000073"
#define ACTIVE                                                                                               \
    {                                                                                                        \
        .alb_count = 0x41, .alb_failed = 0x42, .alb_pushed = 0x43, .sbe_count = 0x51, .sbe_balanced = 0x52,  \
        .sbe_pushed = 0x53, .sbf_count = 0x61, .sbf_balanced = 0x62, .sbf_pushed = 0x63,                     \
        .ttwu_wake_remote = 0x71, .ttwu_move_affine = 0x72, .ttwu_move_balance = 0x73                        \
    }

#define KALLSYMS_ID                                                                                          \
    {                                                                                                        \
        0x4a, 0x5a, 0x9b, 0x0a, 0xff, 0xb6, 0x6c, 0x43, 0x7a, 0xbc, 0xd4, 0x55, 0xd2, 0x73, 0x8a, 0xf8, 0x79, \
        0x98, 0x5f, 0xa9                                                                                     \
    }
#define KALLSYMS_ID_TEXT " =4a5a9b0affb66c437abcd455d2738af879985fa9"

/* clang-format off */
static struct golden cases[] = {
    {"HEADER_ATTR of 64 bytes, garbage in misc",
     ALL_SIX,
     .text = "00000040 102c 0058" ATTR64_TEXT("00000040") " 00000000000001a7 f1f2f3f4f5f6f7f8",
     .rec = {.type = 64, .misc = 0x102c,
             .u.header_attr = {{.size = 64, ATTR64}, WORDS(0x1a7, 0xf1f2f3f4f5f6f7f8)}}},
    {"HEADER_ATTR of size 0, which means 64",
     .text = "00000040 0000 0050" ATTR64_TEXT("00000000") " 00000000000001a7",
     .rec = {.type = 64, .u.header_attr = {{.size = 0, ATTR64}, WORDS(0x1a7)}}},
    {"HEADER_ATTR of 72 bytes, without ids",
     .text = "00000040 0000 0050" ATTR64_TEXT("00000048") " 1112131415161718",
     .rec = {.type = 64, .u.header_attr = {.attr = {.size = 72, ATTR64, .config2 = 0x1112131415161718}}}},
    {"HEADER_ATTR of 68 bytes: half a field is no field",
     .text = "00000040 0000 0054" ATTR64_TEXT("00000044") " =a1a2a3a4 00000000000001a7",
     .rec = {.type = 64,
             .u.header_attr = {{.size = 68, ATTR64, .tail = RAW("\xa1\xa2\xa3\xa4")}, WORDS(0x1a7)}}},
    {"HEADER_ATTR of 136 bytes",
     .text = "00000040 0000 0098" ATTR64_TEXT("00000088") ATTR136_TEXT " 00000000000001a7",
     .rec = {.type = 64, .u.header_attr = {{.size = 136, ATTR136}, WORDS(0x1a7)}}},
    {"HEADER_ATTR of 144 bytes, two ids",
     ALL_SIX,
     .text = "00000040 0000 00a8" ATTR64_TEXT("00000090") ATTR136_TEXT
             " 4142434445464748 00000000000001a7 00000000000001a8",
     .rec = {.type = 64,
             .u.header_attr = {{.size = 144, ATTR136, .config4 = 0x4142434445464748}, WORDS(0x1a7, 0x1a8)}}},
    {"HEADER_ATTR of 160 bytes, from a newer writer, and a tail that is no id",
     .text = "00000040 0000 00b3" ATTR64_TEXT("000000a0") ATTR136_TEXT
             " 4142434445464748 =0102030405060708090a0b0c0d0e0f10 00000000000001a7 =b1b2b3",
     .rec = {.type = 64, .rest = RAW("\xb1\xb2\xb3"),
             .u.header_attr = {{.size = 160, ATTR136, .config4 = 0x4142434445464748,
                                .tail = RAW("\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20")}, WORDS(0x1a7)}}},

    {"HEADER_EVENT_TYPE, name of eight bytes without NUL",
     ALL_SIX,
     .text = "00000041 0000 0018 0102030405060708 'cpu-cycl'",
     .rec = {.type = 65, .u.header_event_type = {0x102030405060708, SLOT_OF("cpu-cycl", 8)}}},
    {"HEADER_EVENT_TYPE, name with NUL",
     .text = "00000041 0000 0020 0000000000000001 'instructions' =00*4",
     .rec = {.type = 65, .u.header_event_type = {1, SLOT_OF("instructions" Z4, 12)}}},
    {"HEADER_EVENT_TYPE, name of 64 bytes, and a tail",
     .text = "00000041 0000 0053 0000000000000001 =78*64 =010203",
     .rec = {.type = 65, .rest = RAW("\1\2\3"), .u.header_event_type = {1, SLOT_OF(X64, 64)}}},
    {"HEADER_EVENT_TYPE, slot of 64 bytes",
     .text = "00000041 0000 0050 0000000000000001 'faults' =00*58",
     .rec = {.type = 65, .u.header_event_type = {1, PD_STR("faults")}}},

    {"HEADER_TRACING_DATA of old simpleperf, the blob inside",
     .text = "00000042 0000 004c 00000003 =170844 =00*61",
     .rec = {.type = 66, .rest = RAW("\x17\x08\x44\0" Z4 Z8 Z16 Z16 Z16), .u.header_tracing_data = {3}}},

    {"HEADER_BUILD_ID as seen, by perf inject, trailer TID TIME ID",
     .attr = {.sample_type = 0x46, ID_ALL},
     .text = "00000043 8001 0050 ffffffff" KALLSYMS_ID_TEXT " 14 00 0000 '[kernel.kallsyms]' =000000"
             " 0000550f 0000550f 00000215abf3f72f 00000000000001a9",
     .seen = "43000000 0180 5000 ffffffff 4a5a9b0affb66c437abcd455d2738af879985fa9 14 00 0000"
             " 5b6b65726e656c2e6b616c6c73796d735d000000 0f5500000f550000 2ff7f3ab15020000 a901000000000000",
     .rec = {.type = 67, .misc = 0x8001, .variant = PD_VARIANT_SAMPLE_ID,
             ID(.pid = 0x550f, .tid = 0x550f, .time = 0x215abf3f72f, .id = 0x1a9),
             .u.header_build_id.file = {.misc = 0x8001, .pid = UINT32_MAX, .build_id = KALLSYMS_ID, .size = 20,
                                        .filename = SLOT_OF("[kernel.kallsyms]\0\0", 17)}}},
    {"HEADER_BUILD_ID by perf inject, sample_id_all clear",
     .attr = {.sample_type = 0x46},
     .text = "00000043 8002 0030 00000f55" KALLSYMS_ID_TEXT " 10 a1 b1b2 '/lib/a.so' =000000",
     .rec = {.type = 67, .misc = 0x8002,
             .u.header_build_id.file = {.misc = 0x8002, .pid = 0xf55, .build_id = KALLSYMS_ID, .size = 16,
                                        .reserved_1 = 0xa1, .reserved_2 = 0xb1b2,
                                        .filename = SLOT_OF("/lib/a.so\0\0", 9)}}},
    {"HEADER_BUILD_ID with size, name padded to 8",
     .attr = {.sample_type = 0x46, ID_ALL},
     .text = "00000043 8002 0034 00000f55" KALLSYMS_ID_TEXT " 14 00 0000 '/bin/cat' =00*8",
     .rec = {.type = 67, .misc = 0x8002,
             .u.header_build_id.file = {.misc = 0x8002, .pid = 0xf55, .build_id = KALLSYMS_ID, .size = 20,
                                        .filename = PD_STR("/bin/cat")}}},
    {"HEADER_BUILD_ID without size, name padded to 64",
     .attr = {.sample_type = 0x46, ID_ALL},
     .text = "00000043 0001 0064 ffffffff" KALLSYMS_ID_TEXT " =00000000 '[kernel.kallsyms]' =00*47",
     .rec = {.type = 67, .misc = 1,
             .u.header_build_id.file = {.misc = 1, .pid = UINT32_MAX, .build_id = KALLSYMS_ID,
                                        .filename = SLOT_OF("[kernel.kallsyms]" Z16 Z16 Z8 Z4 "\0\0", 17)}}},
    {"HEADER_BUILD_ID without size, left-overs in the padding of the id",
     .text = "00000043 0002 002c 00000000" KALLSYMS_ID_TEXT " =a1a2a3a4 '[vdso]' =0000",
     .rec = {.type = 67, .misc = 2,
             .u.header_build_id.file = {.misc = 2, .build_id = KALLSYMS_ID, .build_id_pad = {0xa1, 0xa2, 0xa3, 0xa4},
                                        .filename = PD_STR("[vdso]")}}},

    {"ID_INDEX, the head as seen",
     ALL_SIX,
     .text = "00000045 0000 0030 0000000000000001 00000000000001a6 0000000000000000 0000000000000000"
             " 000000000000550f",
     .seen = "45000000 0000 3000 0100000000000000 a601000000000000 0000000000000000 0000000000000000"
             " 0f55000000000000",
     .rec = {.type = 69,
             .u.id_index = {.nr = 1, .entries = LIST_OF(pd_id_index_entry, {.id = 0x1a6, .tid = 0x550f})}}},
    {"ID_INDEX, two entries, every field different",
     .text = "00000045 0000 0050 0000000000000002 0102030405060708 1112131415161718 ffffffffffffffff"
             " 2122232425262728 3132333435363738 4142434445464748 5152535455565758 ffffffffffffffff",
     .rec = {.type = 69,
             .u.id_index = {.nr = 2,
                            .entries = LIST_OF(pd_id_index_entry,
                                {0x102030405060708, 0x1112131415161718, UINT64_MAX, 0x2122232425262728},
                                {0x3132333435363738, 0x4142434445464748, 0x5152535455565758, UINT64_MAX})}}},
    {"ID_INDEX, machines behind all entries",
     ALL_SIX,
     .text = "00000045 0000 0070 0000000000000002 0000000000000001 0000000000000002 0000000000000003"
             " 0000000000000004 0000000000000005 0000000000000006 0000000000000007 0000000000000008"
             " 0000000000000009 000000000000000a 000000000000000b 000000000000000c",
     .rec = {.type = 69,
             .u.id_index = {.nr = 2, .entries = LIST_OF(pd_id_index_entry, {1, 2, 3, 4}, {5, 6, 7, 8}),
                            .has_machines = 1, .machines = LIST_OF(pd_id_index_machine, {9, 10}, {11, 12})}}},
    {"ID_INDEX, machines and a tail",
     .text = "00000045 0000 0043 0000000000000001 0000000000000001 0000000000000002 0000000000000003"
             " 0000000000000004 0000000000000009 000000000000000a =010203",
     .rec = {.type = 69, .rest = RAW("\1\2\3"),
             .u.id_index = {.nr = 1, .entries = LIST_OF(pd_id_index_entry, {1, 2, 3, 4}), .has_machines = 1,
                            .machines = LIST_OF(pd_id_index_machine, {9, 10})}}},
    {"ID_INDEX without entries",
     .text = "00000045 0000 0010 0000000000000000",
     .rec = {.type = 69}},

    {"AUXTRACE_INFO of an unknown type",
     ALL_SIX,
     .text = "00000046 0000 0023 00000063 a1a2a3a4 0102030405060708 1112131415161718 =010203",
     .rec = {.type = 70, .rest = RAW("\1\2\3"),
             .u.auxtrace_info = {.type = 0x63, .reserved = 0xa1a2a3a4,
                                 .priv = WORDS(0x102030405060708, 0x1112131415161718)}}},
    {"AUXTRACE_INFO of type 0",
     .text = "00000046 0000 0010 00000000 00000000",
     .rec = {.type = 70}},
    {"AUXTRACE_INFO S390_CPUMSF",
     .text = "00000046 0000 0018 00000005 00000000 0102030405060708",
     .rec = {.type = 70, .u.auxtrace_info = {.type = 5, .priv = WORDS(0x102030405060708)}}},
    {"AUXTRACE_INFO INTEL_PT, 9 words",
     .text = "00000046 0000 0058" "" " 00000001" " 00000000 0000000000000008 000000000000001f 000000002aaaaaab"
             " fffffff000000001 0000000000000001 0000000000000400 0000000000000800 0000000000000002 0000000000000003",
     .rec = {PT_INFO(PT9)}},
