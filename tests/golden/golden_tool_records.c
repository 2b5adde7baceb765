/* SPDX-License-Identifier: MIT */
/*
 * golden_tool_records.c - the records of perf itself and of simpleperf that the schema's tables read, except
 * those of fixed size in golden_records.c.
 */
#include "golden.h"

#include "cmocka_all.h"
#include <string.h>

#define ID_ALL .flags = PD_ATTR_SAMPLE_ID_ALL
/* Only two of these records have a trailer, with any attr. */
#define ALL_SIX .attr = {.sample_type = 0x102c6, ID_ALL}

#define Z4 "\0\0\0\0"
#define Z8 Z4 Z4
#define Z16 Z8 Z8
#define X16 "xxxxxxxxxxxxxxxx"
#define X64 X16 X16 X16 X16
#define X256 X64 X64 X64 X64

#define WORDS16(...) VEC_OF(uint16_t, __VA_ARGS__)
#define WORDS32(...) VEC_OF(uint32_t, __VA_ARGS__)

/* ---- HEADER_ATTR. The first 64 bytes of an attr of `size`, the next 72 and the next 8. */
#define ATTR64_TEXT(size_)                                                                    \
    " 00000000 " size_ " 0000000000000001 00000000000f4240 0000000000000167 0000000000000014" \
    " c0ec218620000000/0000000461843703 00000001 00000003 0102030405060708"
#define ATTR64                                                                                              \
    .config = 1, .sample_period = 1000000, .sample_type = 0x167, .read_format = 0x14, .flags = 0x461843703, \
    .wakeup_events = 1, .bp_type = 3, .config1 = 0x102030405060708
#define ATTR136_TEXT                                                                                       \
    " 1112131415161718 0000000000020009 00000000000000ff 00002000 ffffffff 0000000000ff0fff 00100000 007f" \
    " a1a2 00000400 a0000000/00000005 2122232425262728 3132333435363738"
#define ATTR136                                                                                     \
    ATTR64, .config2 = 0x1112131415161718, .branch_sample_type = 0x20009, .sample_regs_user = 0xff, \
            .sample_stack_user = 8192, .clockid = -1, .sample_regs_intr = 0xff0fff,                 \
            .aux_watermark = 0x100000, .sample_max_stack = 127, .reserved_2 = 0xa1a2,               \
            .aux_sample_size = 1024, .aux_action = 5, .sig_data = 0x2122232425262728,               \
            .config3 = 0x3132333435363738

/* ---- AUXTRACE_INFO of Intel PT: 9, 10, 14, 15, 16 words. */
#define PT9_TEXT                                                                             \
    " 00000001 00000000 0000000000000008 000000000000001f 000000002aaaaaab fffffff000000001" \
    " 0000000000000001 0000000000000400 0000000000000800 0000000000000002 0000000000000003"
#define PT10_TEXT PT9_TEXT " 0000000000000004"
#define PT14_TEXT PT10_TEXT " 0000000000000200 000000000003c000 0000000000000054 0000000000000005"
#define PT15_TEXT PT14_TEXT " 0000000000000006"
#define PT16_TEXT PT15_TEXT " 000000000000001c"
#define PT9                                                                                      \
    .pmu_type = 8, .time_shift = 0x1f, .time_mult = 0x2aaaaaab, .time_zero = 0xfffffff000000001, \
    .cap_user_time_zero = 1, .tsc_bit = 0x400, .noretcomp_bit = 0x800, .have_sched_switch = 2,   \
    .snapshot_mode = 3
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
#define BLOCK8_TEXT(x_)                                                                              \
    " 000000" x_ "1 000000" x_ "2 000000" x_ "3 000000" x_ "4 000000" x_ "5 000000" x_ "6 000000" x_ \
    "7 000000" x_ "8"
#define BLOCK8(x_)                                                                           \
    {                                                                                        \
        .count = (x_) + 1, .balanced = (x_) + 2, .failed = (x_) + 3, .imbalance = (x_) + 4,  \
        .gained = (x_) + 5, .hot_gained = (x_) + 6, .nobusyq = (x_) + 7, .nobusyg = (x_) + 8 \
    }
#define BLOCK11_TEXT(x_) BLOCK8_TEXT(x_) " 000000" x_ "9 000000" x_ "a 000000" x_ "b"
#define BLOCK11(x_)                                                                              \
    {                                                                                            \
        .count = (x_) + 1, .balanced = (x_) + 2, .failed = (x_) + 3, .imbalance_load = (x_) + 4, \
        .imbalance_util = (x_) + 5, .imbalance_task = (x_) + 6, .imbalance_misfit = (x_) + 7,    \
        .gained = (x_) + 8, .hot_gained = (x_) + 9, .nobusyq = (x_) + 10, .nobusyg = (x_) + 11   \
    }
#define ACTIVE_TEXT                                                                                       \
    " 00000041 00000042 00000043 00000051 00000052 00000053 00000061 00000062 00000063 00000071 00000072" \
    " 00000073"
#define ACTIVE                                                                                              \
    {                                                                                                       \
        .alb_count = 0x41, .alb_failed = 0x42, .alb_pushed = 0x43, .sbe_count = 0x51, .sbe_balanced = 0x52, \
        .sbe_pushed = 0x53, .sbf_count = 0x61, .sbf_balanced = 0x62, .sbf_pushed = 0x63,                    \
        .ttwu_wake_remote = 0x71, .ttwu_move_affine = 0x72, .ttwu_move_balance = 0x73                       \
    }

#define KALLSYMS_ID                                                                                     \
    {                                                                                                   \
        0x4a, 0x5a, 0x9b, 0x0a, 0xff, 0xb6, 0x6c, 0x43, 0x7a, 0xbc, 0xd4, 0x55, 0xd2, 0x73, 0x8a, 0xf8, \
            0x79, 0x98, 0x5f, 0xa9                                                                      \
    }
#define KALLSYMS_ID_TEXT " =4a5a9b0affb66c437abcd455d2738af879985fa9"

/* clang-format off */
static struct golden cases[] = {
    {"HEADER_ATTR of 64 bytes, garbage in misc",
     ALL_SIX,
     .text = "00000040 102c 0058" ATTR64_TEXT("00000040") " 00000000000001a7 f1f2f3f4f5f6f7f8",
     .rec = {.type = 64, .misc = 0x102c,
             .u.header_attr = {.attr = {.size = 64, ATTR64}, .ids = WORDS_OF(0x1a7, 0xf1f2f3f4f5f6f7f8)}}},
    {"HEADER_ATTR of size 0, which means 64",
     .text = "00000040 0000 0050" ATTR64_TEXT("00000000") " 00000000000001a7",
     .rec = {.type = 64, .u.header_attr = {.attr = {.size = 0, ATTR64}, .ids = WORDS_OF(0x1a7)}}},
    {"HEADER_ATTR of 72 bytes, without ids",
     .text = "00000040 0000 0050" ATTR64_TEXT("00000048") " 1112131415161718",
     .rec = {.type = 64, .u.header_attr = {.attr = {.size = 72, ATTR64, .config2 = 0x1112131415161718}}}},
    {"HEADER_ATTR of 68 bytes: half a field is no field",
     .text = "00000040 0000 0054" ATTR64_TEXT("00000044") " =a1a2a3a4 00000000000001a7",
     .rec = {.type = 64,
             .u.header_attr = {.attr = {.size = 68, ATTR64, .tail = RAW("\xa1\xa2\xa3\xa4")},
                               .ids = WORDS_OF(0x1a7)}}},
    {"HEADER_ATTR of 136 bytes",
     .text = "00000040 0000 0098" ATTR64_TEXT("00000088") ATTR136_TEXT " 00000000000001a7",
     .rec = {.type = 64, .u.header_attr = {.attr = {.size = 136, ATTR136}, .ids = WORDS_OF(0x1a7)}}},
    {"HEADER_ATTR of 144 bytes, two ids",
     ALL_SIX,
     .text = "00000040 0000 00a8" ATTR64_TEXT("00000090") ATTR136_TEXT
             " 4142434445464748 00000000000001a7 00000000000001a8",
     .rec = {.type = 64,
             .u.header_attr = {.attr = {.size = 144, ATTR136, .config4 = 0x4142434445464748},
                               .ids = WORDS_OF(0x1a7, 0x1a8)}}},
    {"HEADER_ATTR of 160 bytes, from a newer writer, and a tail that is no id",
     .text = "00000040 0000 00b3" ATTR64_TEXT("000000a0") ATTR136_TEXT
             " 4142434445464748 =0102030405060708090a0b0c0d0e0f10 00000000000001a7 =b1b2b3",
     .rec = {.type = 64, .rest = RAW("\xb1\xb2\xb3"),
             .u.header_attr = {.attr = {.size = 160, ATTR136, .config4 = 0x4142434445464748,
                                .tail = RAW("\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20")},
                               .ids = WORDS_OF(0x1a7)}}},

    {"HEADER_EVENT_TYPE, name of eight bytes without NUL",
     ALL_SIX,
     .text = "00000041 0000 0018 0102030405060708 'cpu-cycl'",
     .rec = {.type = 65,
             .u.header_event_type = {.event_id = 0x102030405060708, .name = SLOT_OF("cpu-cycl", 8)}}},
    {"HEADER_EVENT_TYPE, name with NUL",
     .text = "00000041 0000 0020 0000000000000001 'instructions' =00*4",
     .rec = {.type = 65, .u.header_event_type = {.event_id = 1, .name = SLOT_OF("instructions" Z4, 12)}}},
    {"HEADER_EVENT_TYPE, name of 64 bytes, and a tail",
     .text = "00000041 0000 0053 0000000000000001 =78*64 =010203",
     .rec = {.type = 65, .rest = RAW("\1\2\3"),
             .u.header_event_type = {.event_id = 1, .name = SLOT_OF(X64, 64)}}},
    {"HEADER_EVENT_TYPE, slot of 64 bytes",
     .text = "00000041 0000 0050 0000000000000001 'faults' =00*58",
     .rec = {.type = 65, .u.header_event_type = {.event_id = 1, .name = TEXT_OF("faults")}}},

    {"HEADER_TRACING_DATA of old simpleperf, the blob inside",
     .text = "00000042 0000 004c 00000003 =170844 =00*61",
     .rec = {.type = 66, .rest = RAW("\x17\x08\x44\0" Z4 Z8 Z16 Z16 Z16),
             .u.header_tracing_data = {.data_size = 3}}},

    {"HEADER_BUILD_ID as seen, by perf inject, trailer TID TIME ID",
     .attr = {.sample_type = 0x46, ID_ALL},
     .text = "00000043 8001 0050 ffffffff" KALLSYMS_ID_TEXT " 14 00 0000 '[kernel.kallsyms]' =000000"
             " 0000550f 0000550f 00000215abf3f72f 00000000000001a9",
     .seen = "43000000 0180 5000 ffffffff 4a5a9b0affb66c437abcd455d2738af879985fa9 14 00 0000"
             " 5b6b65726e656c2e6b616c6c73796d735d000000 0f5500000f550000 2ff7f3ab15020000 a901000000000000",
     .rec = {.type = 67, .misc = 0x8001, .variant = PD_VARIANT_SAMPLE_ID,
             ID(.pid = 0x550f, .tid = 0x550f, .time = 0x215abf3f72f, .id = 0x1a9),
             .u.header_build_id.file = {.misc = 0x8001, .pid = UINT32_MAX, .build_id = KALLSYMS_ID,
                                        .size = 20, .filename = SLOT_OF("[kernel.kallsyms]\0\0\0", 17)}}},
    {"HEADER_BUILD_ID by perf inject, sample_id_all clear",
     .attr = {.sample_type = 0x46},
     .text = "00000043 8002 0030 00000f55" KALLSYMS_ID_TEXT " 10 a1 b1b2 '/lib/a.so' =000000",
     .rec = {.type = 67, .misc = 0x8002,
             .u.header_build_id.file = {.misc = 0x8002, .pid = 0xf55, .build_id = KALLSYMS_ID, .size = 16,
                                        .reserved_1 = 0xa1, .reserved_2 = 0xb1b2,
                                        .filename = SLOT_OF("/lib/a.so\0\0\0", 9)}}},
    {"HEADER_BUILD_ID with size, name padded to 8",
     .attr = {.sample_type = 0x46, ID_ALL},
     .text = "00000043 8002 0034 00000f55" KALLSYMS_ID_TEXT " 14 00 0000 '/bin/cat' =00*8",
     .rec = {.type = 67, .misc = 0x8002,
             .u.header_build_id.file = {.misc = 0x8002, .pid = 0xf55, .build_id = KALLSYMS_ID, .size = 20,
                                        .filename = TEXT_OF("/bin/cat")}}},
    {"HEADER_BUILD_ID without size, name padded to 64",
     .attr = {.sample_type = 0x46, ID_ALL},
     .text = "00000043 0001 0064 ffffffff" KALLSYMS_ID_TEXT " =00000000 '[kernel.kallsyms]' =00*47",
     .rec = {.type = 67, .misc = 1,
             .u.header_build_id.file = {.misc = 1, .pid = UINT32_MAX, .build_id = KALLSYMS_ID,
                                        .filename = SLOT_OF("[kernel.kallsyms]" Z16 Z16 Z8 Z4 "\0\0\0",
                                                            17)}}},
    {"HEADER_BUILD_ID without size, left-overs in the padding of the id",
     .text = "00000043 0002 002c 00000000" KALLSYMS_ID_TEXT " =a1a2a3a4 '[vdso]' =0000",
     .rec = {.type = 67, .misc = 2,
             .u.header_build_id.file = {.misc = 2, .build_id = KALLSYMS_ID,
                                        .build_id_pad = {0xa1, 0xa2, 0xa3, 0xa4},
                                        .filename = TEXT_OF("[vdso]")}}},

    {"ID_INDEX, the head as seen",
     ALL_SIX,
     .text = "00000045 0000 0030 0000000000000001 00000000000001a6 0000000000000000 0000000000000000"
             " 000000000000550f",
     .seen = "45000000 0000 3000 0100000000000000 a601000000000000 0000000000000000 0000000000000000"
             " 0f55000000000000",
     .rec = {.type = 69,
             .u.id_index = {.nr = 1, .entries = LIST_IN(pd_id_index_entry, {.id = 0x1a6, .tid = 0x550f})}}},
    {"ID_INDEX, two entries, every field different",
     .text = "00000045 0000 0050 0000000000000002 0102030405060708 1112131415161718 ffffffffffffffff"
             " 2122232425262728 3132333435363738 4142434445464748 5152535455565758 ffffffffffffffff",
     .rec = {.type = 69,
             .u.id_index = {.nr = 2,
                            .entries = LIST_IN(pd_id_index_entry,
                                {.id = 0x102030405060708, .idx = 0x1112131415161718, .cpu = UINT64_MAX,
                                 .tid = 0x2122232425262728},
                                {.id = 0x3132333435363738, .idx = 0x4142434445464748,
                                 .cpu = 0x5152535455565758, .tid = UINT64_MAX})}}},
    {"ID_INDEX, machines behind all entries",
     ALL_SIX,
     .text = "00000045 0000 0070 0000000000000002 0000000000000001 0000000000000002 0000000000000003"
             " 0000000000000004 0000000000000005 0000000000000006 0000000000000007 0000000000000008"
             " 0000000000000009 000000000000000a 000000000000000b 000000000000000c",
     .rec = {.type = 69,
             .u.id_index = {.nr = 2,
                            .entries = LIST_IN(pd_id_index_entry, {.id = 1, .idx = 2, .cpu = 3, .tid = 4},
                                               {.id = 5, .idx = 6, .cpu = 7, .tid = 8}),
                            .has_machines = 1,
                            .machines = LIST_IN(pd_id_index_machine, {.machine_pid = 9, .vcpu = 10},
                                                {.machine_pid = 11, .vcpu = 12})}}},
    {"ID_INDEX, machines and a tail",
     .text = "00000045 0000 0043 0000000000000001 0000000000000001 0000000000000002 0000000000000003"
             " 0000000000000004 0000000000000009 000000000000000a =010203",
     .rec = {.type = 69, .rest = RAW("\1\2\3"),
             .u.id_index = {.nr = 1, .entries = LIST_IN(pd_id_index_entry, {.id = 1, .idx = 2, .cpu = 3,
                                                                            .tid = 4}), .has_machines = 1,
                            .machines = LIST_IN(pd_id_index_machine, {.machine_pid = 9, .vcpu = 10})}}},
    {"ID_INDEX without entries",
     .text = "00000045 0000 0010 0000000000000000",
     .rec = {.type = 69}},

    {"AUXTRACE_INFO of an unknown type",
     ALL_SIX,
     .text = "00000046 0000 0023 00000063 a1a2a3a4 0102030405060708 1112131415161718 =010203",
     .rec = {.type = 70, .rest = RAW("\1\2\3"),
             .u.auxtrace_info = {.type = 0x63, .reserved = 0xa1a2a3a4,
                                 .priv = WORDS_OF(0x102030405060708, 0x1112131415161718)}}},
    {"AUXTRACE_INFO of type 0",
     .text = "00000046 0000 0010 00000000 00000000",
     .rec = {.type = 70}},
    {"AUXTRACE_INFO S390_CPUMSF",
     .text = "00000046 0000 0018 00000005 00000000 0102030405060708",
     .rec = {.type = 70, .u.auxtrace_info = {.type = 5, .priv = WORDS_OF(0x102030405060708)}}},
    {"AUXTRACE_INFO INTEL_PT, 9 words",
     .text = "00000046 0000 0058" PT9_TEXT,
     .rec = {PT_INFO(PT9)}},
    {"AUXTRACE_INFO INTEL_PT, 10 words",
     ALL_SIX,
     .text = "00000046 0000 0060" PT10_TEXT,
     .rec = {PT_INFO(PT10)}},
    {"AUXTRACE_INFO INTEL_PT, 13 words: three are too few for MTC",
     .text = "00000046 0000 0078" PT10_TEXT " 0102030405060708 1112131415161718 2122232425262728",
     .rec = {.type = 70,
             .u.auxtrace_info = {.type = 1, .intel_pt = {PT10},
                                 .priv = WORDS_OF(0x102030405060708, 0x1112131415161718,
                                                  0x2122232425262728)}}},
    {"AUXTRACE_INFO INTEL_PT, 14 words",
     .text = "00000046 0000 0080" PT14_TEXT,
     .rec = {PT_INFO(PT14)}},
    {"AUXTRACE_INFO INTEL_PT, 15 words",
     .text = "00000046 0000 0088" PT15_TEXT,
     .rec = {PT_INFO(PT15)}},
    {"AUXTRACE_INFO INTEL_PT, 16 words",
     .text = "00000046 0000 0090" PT16_TEXT,
     .rec = {PT_INFO(PT16)}},
    {"AUXTRACE_INFO INTEL_PT, 17 words",
     .text = "00000046 0000 0098" PT16_TEXT " 0000000000000000",
     .rec = {PT_INFO(PT16, .has_filter = 1)}},
    {"AUXTRACE_INFO INTEL_PT, 18 words",
     .text = "00000046 0000 00a0" PT16_TEXT " 0000000000000000 0000000000000007",
     .rec = {PT_INFO(PT16, .has_filter = 1, .has_event_trace = 1, .cap_event_trace = 7)}},
    {"AUXTRACE_INFO INTEL_PT with a filter",
     .text = "00000046 0000 00b0" PT16_TEXT " 000000000000000d 'filter main @' =000000 0000000000000001",
     .rec = {PT_INFO(PT16, .has_filter = 1, .filter_str_len = 13, .filter = TEXT_OF("filter main @"),
                     .has_event_trace = 1, .cap_event_trace = 1)}},
    {"AUXTRACE_INFO INTEL_PT with a filter of 16 bytes, left-overs behind it, no event trace",
     .text = "00000046 0000 00b0" PT16_TEXT " 0000000000000010 'tracestop main @' =00a1a2a3a4a5a6a7",
     .rec = {PT_INFO(PT16, .has_filter = 1, .filter_str_len = 16,
                     .filter = SLOT_OF("tracestop main @\0\xa1\xa2\xa3\xa4\xa5\xa6\xa7", 16))}},
    {"AUXTRACE_INFO INTEL_PT, 19 words",
     .text = "00000046 0000 00a8" PT16_TEXT " 0000000000000000 0000000000000007 0102030405060708",
     .rec = {.type = 70,
             .u.auxtrace_info = {.type = 1,
                                 .intel_pt = {PT16, .has_filter = 1, .has_event_trace = 1,
                                              .cap_event_trace = 7},
                                 .priv = WORDS_OF(0x102030405060708)}}},
    {"AUXTRACE_INFO INTEL_BTS",
     .text = "00000046 0000 0040 00000002 00000000 0102030405060708 1112131415161718 2122232425262728"
             " 3132333435363738 4142434445464748 5152535455565758",
     .rec = {.type = 70,
             .u.auxtrace_info = {.type = 2,
                                 .intel_bts = {.pmu_type = 0x102030405060708,
                                               .time_shift = 0x1112131415161718,
                                               .time_mult = 0x2122232425262728,
                                               .time_zero = 0x3132333435363738,
                                               .cap_user_time_zero = 0x4142434445464748,
                                               .snapshot_mode = 0x5152535455565758}}}},
    {"AUXTRACE_INFO CS_ETM, version 0, an ETMv3 and an ETMv4",
     .text = "00000046 0000 00a0 00000003 00000000 0000000000000000 0000000800000002 0000000000000001"
             " 3030303030303030 0000000000000000 0000000000000011 0000000000000012 0000000000000013"
             " 0000000000000014 4040404040404040 0000000000000001 0000000000000021 0000000000000022"
             " 0000000000000023 0000000000000024 0000000000000025 0000000000000026 0000000000000027",
     .rec = {.type = 70,
             .u.auxtrace_info = {.type = 3,
                 .cs_etm = {.header_version = 0, .cpus_and_pmu = 0x800000002, .nr_cpus = 2, .snapshot = 1,
                            .old_cpus = LIST_IN(pd_cs_etm_old_cpu,
                                {.magic = ETM3, .cpu = 0, .etmcr = 0x11, .etmtraceidr = 0x12, .etmccer = 0x13,
                                 .etmidr = 0x14},
                                {.magic = ETM4, .cpu = 1, .trcconfigr = 0x21, .trctraceidr = 0x22,
                                 .trcidr0 = 0x23, .trcidr1 = 0x24, .trcidr2 = 0x25, .trcidr8 = 0x26,
                                 .trcauthstatus = 0x27})}}}},
    {"AUXTRACE_INFO CS_ETM, version 1, an ETMv3, an ETMv4 with TS_SOURCE and an ETE",
     .text = "00000046 0000 0118 00000003 00000000 0000000000000001 0000000900000003 0000000000000000"
             " 3030303030303030 0000000000000000 0000000000000004 0000000000000011 0000000000000012"
             " 0000000000000013 0000000000000014"
             " 4040404040404040 0000000000000001 0000000000000008 0000000000000021 0000000000000022"
             " 0000000000000023 0000000000000024 0000000000000025 0000000000000026 0000000000000027"
             " 0000000000000028"
             " 5050505050505050 0000000000000002 0000000000000009 0000000000000031 0000000000000032"
             " 0000000000000033 0000000000000034 0000000000000035 0000000000000036 0000000000000037"
             " 0000000000000038 0000000000000039",
     .rec = {.type = 70,
             .u.auxtrace_info = {.type = 3,
                 .cs_etm = {.header_version = 1, .cpus_and_pmu = 0x900000003, .nr_cpus = 3,
                            .cpus = LIST_IN(pd_cs_etm_cpu,
                                {ETM3, 0, 4, WORDS_OF(0x11, 0x12, 0x13, 0x14)},
                                {ETM4, 1, 8, WORDS_OF(0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28)},
                                {ETE, 2, 9,
                                 WORDS_OF(0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39)})}}}},
    {"AUXTRACE_INFO CS_ETM, version 2, without cpus",
     .text = "00000046 0000 0028 00000003 00000000 0000000000000002 0000000900000000 0000000000000001",
     .rec = {.type = 70,
             .u.auxtrace_info = {.type = 3, .cs_etm = {.header_version = 2, .cpus_and_pmu = 0x900000000,
                                                       .snapshot = 1}}}},
    {"AUXTRACE_INFO CS_ETM, version 2, an ETE",
     .text = "00000046 0000 0080 00000003 00000000 0000000000000002 0000000900000001 0000000000000000"
             " 5050505050505050 0000000000000007 0000000000000008 0000000000000031 0000000000000032"
             " 0000000000000033 0000000000000034 0000000000000035 0000000000000036 0000000000000037"
             " 0000000000000038",
     .rec = {.type = 70,
             .u.auxtrace_info = {.type = 3,
                 .cs_etm = {.header_version = 2, .cpus_and_pmu = 0x900000001, .nr_cpus = 1,
                            .cpus = LIST_IN(pd_cs_etm_cpu,
                                {ETE, 7, 8, WORDS_OF(0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38)})}}}},
    {"AUXTRACE_INFO ARM_SPE, version 1",
     .text = "00000046 0000 0020 00000004 00000000 0000000000000007 0000000000000001",
     .rec = {.type = 70, .u.auxtrace_info = {.type = 4, .arm_spe = {.pmu_type = 7, .per_cpu_mmaps = 1}}}},
    {"AUXTRACE_INFO ARM_SPE, version 2, cpus with three and four words",
     .text = "00000046 0000 0098 00000004 00000000 0000000000000002 0000000000000004 0000000000000007"
             " 0000000000000002"
             " 1010101010101010 0000000000000000 0000000000000003 00000000410fd4f0 0000000000000008"
             " 0000000000000100"
             " 1010101010101010 0000000000000001 0000000000000004 00000000410fd4f1 0000000000000009"
             " 0000000000000200 0102030405060708",
     .rec = {.type = 70,
             .u.auxtrace_info = {.type = 4,
                 .arm_spe = {.has_header = 1, .version = 2, .header_size = 4, .pmu = 7, .nr_cpus = 2,
                             .cpus = LIST_IN(pd_arm_spe_cpu,
                                 {.magic = SPE_CPU, .cpu = 0, .nr_params = 3,
                                  .params = WORDS_OF(0x410fd4f0, 8, 0x100)},
                                 {.magic = SPE_CPU, .cpu = 1, .nr_params = 4,
                                  .params = WORDS_OF(0x410fd4f1, 9, 0x200, 0x102030405060708)})}}}},
    {"AUXTRACE_INFO ARM_SPE, a header of six words and a cpu",
     .text = "00000046 0000 0060 00000004 00000000 0000000000000003 0000000000000006 0000000000000007"
             " 0000000000000001 0102030405060708 1112131415161718"
             " 1010101010101010 0000000000000005 0000000000000001 00000000410fd4f0",
     .rec = {.type = 70,
             .u.auxtrace_info = {.type = 4,
                 .arm_spe = {.has_header = 1, .version = 3, .header_size = 6, .nr_more = 2, .pmu = 7,
                             .nr_cpus = 1, .more = WORDS_OF(0x102030405060708, 0x1112131415161718),
                             .cpus = LIST_IN(pd_arm_spe_cpu, {.magic = SPE_CPU, .cpu = 5, .nr_params = 1,
                                                              .params = WORDS_OF(0x410fd4f0)})}}}},
    {"AUXTRACE_INFO HISI_PTT",
     .text = "00000046 0000 0018 00000006 00000000 0102030405060708",
     .rec = {.type = 70, .u.auxtrace_info = {.type = 6, .hisi_ptt.pmu_type = 0x102030405060708}}},
    {"AUXTRACE_INFO VPA_DTL",
     .text = "00000046 0000 0018 00000007 00000000 0102030405060708",
     .rec = {.type = 70, .u.auxtrace_info = {.type = 7, .vpa_dtl.pmu_type = 0x102030405060708}}},

    {"AUXTRACE_ERROR, format 0",
     ALL_SIX,
     .text = "00000048 0000 0038 00000001 00000005 00000003 00000f55 00000f56 00000000 1112131415161718"
             " 'no memory' =00*7",
     .rec = {.type = 72,
             .u.auxtrace_error = {.type = 1, .code = 5, .cpu = 3, .pid = 0xf55, .tid = 0xf56, .fmt = 0,
                                  .ip = 0x1112131415161718, .text = TEXT_OF("no memory")}}},
    {"AUXTRACE_ERROR, format 1, cut behind the message",
     .text = "00000048 0000 0040 00000001 00000005 ffffffff 00000f55 00000f56 00000001 1112131415161718"
             " 2122232425262728 'lost sync' =00*7",
     .rec = {.type = 72,
             .u.auxtrace_error = {.type = 1, .code = 5, .cpu = UINT32_MAX, .pid = 0xf55, .tid = 0xf56,
                                  .fmt = 1, .ip = 0x1112131415161718, .time = 0x2122232425262728,
                                  .msg = SLOT_OF("lost sync\0\0\0\0\0\0\0", 9)}}},
    {"AUXTRACE_ERROR, format 1, whole",
     .text = "00000048 0000 0070 00000001 00000005 00000003 00000f55 00000f56 00000001 1112131415161718"
             " 2122232425262728 'lost sync' =00*55",
     .rec = {.type = 72,
             .u.auxtrace_error = {.type = 1, .code = 5, .cpu = 3, .pid = 0xf55, .tid = 0xf56, .fmt = 1,
                                  .ip = 0x1112131415161718, .time = 0x2122232425262728,
                                  .msg = TEXT_OF("lost sync")}}},
    {"AUXTRACE_ERROR, format 1, a message without NUL and a tail",
     .text = "00000048 0000 0078 00000001 00000005 00000003 00000f55 00000f56 00000001 1112131415161718"
             " 2122232425262728 =78*64 =0102030405060708",
     .rec = {.type = 72, .rest = RAW("\1\2\3\4\5\6\7\10"),
             .u.auxtrace_error = {.type = 1, .code = 5, .cpu = 3, .pid = 0xf55, .tid = 0xf56, .fmt = 1,
                                  .ip = 0x1112131415161718, .time = 0x2122232425262728,
                                  .msg = SLOT_OF(X64, 64)}}},
    {"AUXTRACE_ERROR, format 2",
     ALL_SIX,
     .text = "00000048 0000 0078 00000001 00000005 00000003 00000f55 00000f56 00000002 1112131415161718"
             " 2122232425262728 'lost sync' =00*55 00000abc 00000007",
     .rec = {.type = 72,
             .u.auxtrace_error = {.type = 1, .code = 5, .cpu = 3, .pid = 0xf55, .tid = 0xf56, .fmt = 2,
                                  .ip = 0x1112131415161718, .time = 0x2122232425262728,
                                  .msg = TEXT_OF("lost sync"),
                                  .has_machine = 1, .machine_pid = 0xabc, .vcpu = 7}}},
    {"AUXTRACE_ERROR, format 2 cut short",
     .text = "00000048 0000 0040 00000001 00000005 00000003 00000f55 00000f56 00000002 1112131415161718"
             " 2122232425262728 'lost sync' =00*7",
     .rec = {.type = 72,
             .u.auxtrace_error = {.type = 1, .code = 5, .cpu = 3, .pid = 0xf55, .tid = 0xf56, .fmt = 2,
                                  .ip = 0x1112131415161718, .time = 0x2122232425262728,
                                  .msg = SLOT_OF("lost sync\0\0\0\0\0\0\0", 9)}}},

    {"THREAD_MAP as seen",
     ALL_SIX,
     .text = "00000049 0000 0028 0000000000000001 000000000000550f =00*16",
     .seen = "49000000 0000 2800 0100000000000000 0f55000000000000 0000000000000000 0000000000000000",
     .rec = {.type = 73,
             .u.thread_map = {.nr = 1, .entries = LIST_IN(pd_thread_map_entry,
                                                          {.pid = 0x550f, .comm = TEXT_OF("")})}}},
    {"THREAD_MAP, three threads, a comm without NUL, a tail",
     .text = "00000049 0000 0060 0000000000000003 ffffffffffffffff 'perf' =00 'left-overs' =00"
             " 0000000000000f55"
             " 'sixteen bytes ok' 0000000000000f56 'ls' =00*14 =0102030405060708",
     .rec = {.type = 73, .rest = RAW("\1\2\3\4\5\6\7\10"),
             .u.thread_map = {.nr = 3, .entries = LIST_IN(pd_thread_map_entry,
                                 {.pid = UINT64_MAX, .comm = SLOT_OF("perf\0left-overs\0", 4)},
                                 {.pid = 0xf55, .comm = SLOT_OF("sixteen bytes ok", 16)},
                                 {.pid = 0xf56, .comm = TEXT_OF("ls")})}}},
    {"THREAD_MAP without threads",
     .text = "00000049 0000 0010 0000000000000000",
     .rec = {.type = 73}},

    {"CPU_MAP CPUS as seen, any cpu",
     ALL_SIX,
     .text = "0000004a 0000 0010 0000 0001 ffff =0000",
     .seen = "4a000000 0000 1000 0000 0100 ffff 0000",
     .rec = {.type = 74, .rest = RAW("\0\0"), .u.cpu_map.map = {.type = 0, .cpus = {1, WORDS16(0xffff)}}}},
    {"CPU_MAP CPUS of 20 bytes",
     .text = "0000004a 0000 0014 0000 0002 0102 0304 =00000000",
     .rec = {.type = 74, .rest = RAW(Z4), .u.cpu_map.map = {.type = 0, .cpus = {2, WORDS16(0x102, 0x304)}}}},
    {"CPU_MAP CPUS, none",
     .text = "0000004a 0000 0010 0000 0000 =01020304",
     .rec = {.type = 74, .rest = RAW("\1\2\3\4")}},
    {"CPU_MAP MASK of 32 bits",
     .text = "0000004a 0000 0018 0001 0002 0004 80000001 01020304 =0000",
     .rec = {.type = 74, .rest = RAW("\0\0"),
             .u.cpu_map.map = {.type = 1, .mask = {.nr = 2, .long_size = 4,
                                                   .mask32 = WORDS32(0x80000001, 0x1020304)}}}},
    {"CPU_MAP MASK of 32 bits, the last word behind the count",
     .text = "0000004a 0000 0018 0001 0001 0004 00000001 =01000000 =0000",
     .rec = {.type = 74, .rest = RAW("\1\0\0\0\0\0"),
             .u.cpu_map.map = {.type = 1, .mask = {.nr = 1, .long_size = 4, .mask32 = WORDS32(1)}}}},
    {"CPU_MAP MASK of 64 bits, one word",
     .text = "0000004a 0000 0020 0001 0001 0008 =00000000 00000000000000ff =00*6",
     .rec = {.type = 74, .rest = RAW("\0\0\0\0\0\0"),
             .u.cpu_map.map = {.type = 1, .mask = {.nr = 1, .long_size = 8, .mask64 = WORDS_OF(0xff)}}}},
    {"CPU_MAP MASK of 64 bits, six words, bytes in the padding",
     ALL_SIX,
     .text = "0000004a 0000 0048 0001 0006 0008 =a1a2a3a4 0102030405060708 1112131415161718 2122232425262728"
             " 3132333435363738 4142434445464748 8000000000000001 =010203040506",
     .rec = {.type = 74, .rest = RAW("\1\2\3\4\5\6"),
             .u.cpu_map.map = {.type = 1,
                 .mask = {.nr = 6, .long_size = 8, .pad = {0xa1, 0xa2, 0xa3, 0xa4},
                          .mask64 = WORDS_OF(0x102030405060708, 0x1112131415161718, 0x2122232425262728,
                                          0x3132333435363738, 0x4142434445464748, 0x8000000000000001)}}}},
    {"CPU_MAP MASK of 16 bits, which there are not",
     .text = "0000004a 0000 0010 0001 0001 0002 =0102",
     .rec = {.type = 74, .rest = RAW("\1\2"),
             .u.cpu_map.map = {.type = 1, .mask = {.nr = 1, .long_size = 2}}}},
    {"CPU_MAP RANGE as seen",
     ALL_SIX,
     .text = "0000004a 0000 0010 0002 00 00 0000 0001",
     .seen = "4a000000 0000 1000 0200 00 00 0000 0100",
     .rec = {.type = 74, .u.cpu_map.map = {.type = 2, .range = {.start_cpu = 0, .end_cpu = 1}}}},
    {"CPU_MAP RANGE, every field different",
     .text = "0000004a 0000 0018 0002 01 a1 0203 0405 =0102030405060708",
     .rec = {.type = 74, .rest = RAW("\1\2\3\4\5\6\7\10"),
             .u.cpu_map.map = {.type = 2,
                               .range = {.any_cpu = 1, .pad = 0xa1, .start_cpu = 0x203, .end_cpu = 0x405}}}},
    {"CPU_MAP of an unknown type",
     .text = "0000004a 0000 0010 0003 =010203040506",
     .rec = {.type = 74, .rest = RAW("\1\2\3\4\5\6"), .u.cpu_map.map.type = 3}},

    {"STAT_CONFIG as seen",
     ALL_SIX,
     .text = "0000004b 0000 0050 0000000000000004 0000000000000000 0000000000000001 0000000000000001"
             " 0000000000000000 0000000000000002 0000000000000001 0000000000000003 0000000000000005",
     .seen = "4b000000 0000 5000 0400000000000000 0000000000000000 0100000000000000 0100000000000000 "
             "0000000000000000 0200000000000000 0100000000000000 0300000000000000 0500000000000000",
     .rec = {.type = 75,
             .u.stat_config = {.nr = 4, .entries = LIST_IN(pd_stat_config_entry, {.tag = 0, .val = 1},
                                                           {.tag = 1, .val = 0}, {.tag = 2, .val = 1},
                                                           {.tag = 3, .val = 5})}}},
    {"STAT_CONFIG, an unknown setting and a tail",
     .text = "0000004b 0000 0028 0000000000000001 0102030405060708 1112131415161718 =0102030405060708",
     .rec = {.type = 75, .rest = RAW("\1\2\3\4\5\6\7\10"),
             .u.stat_config = {.nr = 1,
                               .entries = LIST_IN(pd_stat_config_entry,
                                                  {.tag = 0x102030405060708, .val = 0x1112131415161718})}}},

    {"STAT with a tail",
     .text = "0000004c 0000 0033 0102030405060708 11121314 21222324 3132333435363738 4142434445464748"
             " 5152535455565758 =010203",
     .rec = {.type = 76, .rest = RAW("\1\2\3"),
             .u.stat = {.id = 0x102030405060708, .cpu = 0x11121314, .thread = 0x21222324,
                        .val = 0x3132333435363738, .ena = 0x4142434445464748, .run = 0x5152535455565758}}},
    {"STAT_ROUND of an interval",
     .text = "0000004d 0000 0018 0000000000000000 0102030405060708",
     .rec = {.type = 77, .u.stat_round = {.type = 0, .time = 0x102030405060708}}},

    {"EVENT_UPDATE UNIT as seen, 16 bytes more than it needs",
     ALL_SIX,
     .text = "0000004e 0000 0030 0000000000000000 00000000000001a6 'msec' =00*20",
     .seen = "4e000000 0000 3000 0000000000000000 a601000000000000 6d73656300000000 0000000000000000"
             " 0000000000000000",
     .rec = {.type = 78, .rest = RAW(Z16 "\0\0\0"),
             .u.event_update = {.type = 0, .id = 0x1a6, .unit = TEXT_OF("msec")}}},
    {"EVENT_UPDATE UNIT of perf before 6.0, left-overs",
     .text = "0000004e 0000 0020 0000000000000000 0102030405060708 'msec' =00a1a2a3",
     .rec = {.type = 78, .rest = RAW("\xa1\xa2\xa3"),
             .u.event_update = {.type = 0, .id = 0x102030405060708, .unit = TEXT_OF("msec")}}},
    {"EVENT_UPDATE SCALE as seen, 1e-6",
     ALL_SIX,
     .text = "0000004e 0000 0030 0000000000000001 0000000000000361 3eb0c6f7a0b5ed8d =00*16",
     .seen = "4e000000 0000 3000 0100000000000000 6103000000000000 8dedb5a0f7c6b03e 0000000000000000"
             " 0000000000000000",
     .rec = {.type = 78, .rest = RAW(Z16),
             .u.event_update = {.type = 1, .id = 0x361, .scale = 0x3eb0c6f7a0b5ed8d}}},
    {"EVENT_UPDATE SCALE of 32 bytes",
     .text = "0000004e 0000 0020 0000000000000001 0000000000000361 3ff0000000000000",
     .rec = {.type = 78, .u.event_update = {.type = 1, .id = 0x361, .scale = 0x3ff0000000000000}}},
    {"EVENT_UPDATE NAME",
     .text = "0000004e 0000 0038 0000000000000002 0000000000000361 'task-clock' =00*22",
     .rec = {.type = 78, .rest = RAW(Z16 "\0\0\0\0\0"),
             .u.event_update = {.type = 2, .id = 0x361, .name = TEXT_OF("task-clock")}}},
    {"EVENT_UPDATE NAME, empty",
     .text = "0000004e 0000 0020 0000000000000002 0000000000000361 =00*8",
     .rec = {.type = 78, .rest = RAW("\0\0\0\0\0\0\0"),
             .u.event_update = {.type = 2, .id = 0x361, .name = TEXT_OF("")}}},
    {"EVENT_UPDATE CPUS as seen, a range",
     ALL_SIX,
     .text = "0000004e 0000 0020 0000000000000003 0000000000000361 0002 00 00 0000 0001",
     .seen = "4e000000 0000 2000 0300000000000000 6103000000000000 0200 00 00 0000 0100",
     .rec = {.type = 78,
             .u.event_update = {.type = 3, .id = 0x361,
                                .cpus = {.type = 2, .range = {.start_cpu = 0, .end_cpu = 1}}}}},
    {"EVENT_UPDATE CPUS, a list",
     .text = "0000004e 0000 0020 0000000000000003 0000000000000361 0000 0002 0001 0102",
     .rec = {.type = 78,
             .u.event_update = {.type = 3, .id = 0x361,
                                .cpus = {.type = 0, .cpus = {2, WORDS16(1, 0x102)}}}}},
    {"EVENT_UPDATE CPUS, a mask of 32 bits",
     .text = "0000004e 0000 0028 0000000000000003 0000000000000361 0001 0001 0004 01020304 =00*6",
     .rec = {.type = 78, .rest = RAW("\0\0\0\0\0\0"),
             .u.event_update = {.type = 3, .id = 0x361,
                                .cpus = {.type = 1,
                                         .mask = {.nr = 1, .long_size = 4, .mask32 = WORDS32(0x1020304)}}}}},
    {"EVENT_UPDATE CPUS, a mask of 64 bits",
     .text = "0000004e 0000 0030 0000000000000003 0000000000000361 0001 0001 0008 =00000000 0102030405060708"
             " =00*6",
     .rec = {.type = 78, .rest = RAW("\0\0\0\0\0\0"),
             .u.event_update = {.type = 3, .id = 0x361,
                                .cpus = {.type = 1,
                                         .mask = {.nr = 1, .long_size = 8,
                                                  .mask64 = WORDS_OF(0x102030405060708)}}}}},
    {"EVENT_UPDATE of an unknown type",
     .text = "0000004e 0000 0020 0000000000000004 0000000000000361 =0102030405060708",
     .rec = {.type = 78, .rest = RAW("\1\2\3\4\5\6\7\10"), .u.event_update = {.type = 4, .id = 0x361}}},

    {"TIME_CONV of 32 bytes",
     ALL_SIX,
     .text = "0000004f 0000 0020 0102030405060708 1112131415161718 2122232425262728",
     .rec = {.type = 79, .u.time_conv = {.time_shift = 0x102030405060708, .time_mult = 0x1112131415161718,
                             .time_zero = 0x2122232425262728}}},
    {"TIME_CONV of 56 bytes",
     ALL_SIX,
     .text = "0000004f 0000 0038 0102030405060708 1112131415161718 2122232425262728 3132333435363738"
             " 4142434445464748 01 02 =a1a2a3a4a5a6",
     .rec = {.type = 79,
             .u.time_conv = {.time_shift = 0x102030405060708, .time_mult = 0x1112131415161718,
                             .time_zero = 0x2122232425262728, .has_cycles = 1,
                             .time_cycles = 0x3132333435363738, .time_mask = 0x4142434445464748,
                             .cap_user_time_zero = 1, .cap_user_time_short = 2,
                             .reserved = {0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6}}}},
    {"TIME_CONV between the two",
     .text = "0000004f 0000 0030 0102030405060708 1112131415161718 2122232425262728"
             " =0102030405060708090a0b0c0d0e0f10",
     .rec = {.type = 79, .rest = RAW("\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20"),
             .u.time_conv = {.time_shift = 0x102030405060708, .time_mult = 0x1112131415161718,
                             .time_zero = 0x2122232425262728}}},

    {"HEADER_FEATURE, an odd number of bytes",
     ALL_SIX,
     .text = "00000050 0000 0017 0000000000000007 =01020304050607",
     .rec = {.type = 80, .u.header_feature = {.feat_id = 7, .data = RAW("\1\2\3\4\5\6\7")}}},
    {"HEADER_FEATURE, the mark behind the last",
     .text = "00000050 0000 0010 0000000000000023",
     .rec = {.type = 80, .u.header_feature = {.feat_id = 35}}},

    {"COMPRESSED2 without data",
     .text = "00000053 0000 0010 0000000000000000",
     .rec = {.type = 83}},

    {"BPF_METADATA, two entries, trailer TID CPU",
     .attr = {.sample_type = 0x82, ID_ALL},
     .text = "00000054 0000 04a0 'bpf_prog' =00*504 0000000000000002"
             " 'bpf_metadata_a' =00*50 'one' =00*253 =78*64 =78*256 00000000 00000000 00000000 00000000",
     .rec = {.type = 84, .has_id = true,
             .u.bpf_metadata = {.prog_name = TEXT_OF("bpf_prog"), .nr_entries = 2,
                                .entries = LIST_IN(pd_bpf_metadata_entry, {.key = TEXT_OF("bpf_metadata_a"),
                                                                           .value = TEXT_OF("one")},
                                        {.key = SLOT_OF(X64, 64), .value = SLOT_OF(X256, 256)})}}},
    {"BPF_METADATA without entries, left-overs behind the name, no trailer",
     .text = "00000054 0000 0213 'x' =00 =78*510 0000000000000000 =010203",
     .rec = {.type = 84, .rest = RAW("\1\2\3"),
             .u.bpf_metadata = {.prog_name = SLOT_OF("x\0" X256 X64 X64 X64 X16 X16 X16 "xxxxxxxxxxxxxx", 1),
                                .nr_entries = 0, .entries = {.n = 0}}}},

    {"SCHEDSTAT_CPU",
     ALL_SIX,
     .text = "00000055 0000 0048 0102030405060708 00000011 0010 =a1a2 00000021 00000022 00000023 00000024"
             " 00000025 00000026 3132333435363738 4142434445464748 5152535455565758",
     .rec = {.type = 85,
             .u.schedstat_cpu = {.timestamp = 0x102030405060708, .cpu = 0x11, .version = 16,
                                 .pad = {0xa1, 0xa2}, .yld_count = 0x21, .array_exp = 0x22,
                                 .sched_count = 0x23, .sched_goidle = 0x24,
                                 .ttwu_count = 0x25, .ttwu_local = 0x26, .rq_cpu_time = 0x3132333435363738,
                                 .run_delay = 0x4142434445464748, .pcount = 0x5152535455565758}}},
    {"SCHEDSTAT_DOMAIN, version 15",
     ALL_SIX,
     .text = "00000056 0000 00d0 0102030405060708 00000011 000f 0203" BLOCK8_TEXT("1") BLOCK8_TEXT("2")
             BLOCK8_TEXT("3") ACTIVE_TEXT " =00*40",
     .rec = {.type = 86, .rest = RAW(Z16 Z16 Z8),
             .u.schedstat_domain = {.timestamp = 0x102030405060708, .cpu = 0x11, .version = 15,
                                    .domain = 0x203, .v15 = {.idle = BLOCK8(0x10), .busy = BLOCK8(0x20),
                                                             .newidle = BLOCK8(0x30), .active = ACTIVE}}}},
    {"SCHEDSTAT_DOMAIN, version 16",
     .text = "00000056 0000 00d0 0102030405060708 00000011 0010 0203" BLOCK8_TEXT("1") BLOCK8_TEXT("2")
             BLOCK8_TEXT("3") ACTIVE_TEXT " =00*40",
     .rec = {.type = 86, .rest = RAW(Z16 Z16 Z8),
             .u.schedstat_domain = {.timestamp = 0x102030405060708, .cpu = 0x11, .version = 16,
                                    .domain = 0x203, .v16 = {.busy = BLOCK8(0x10), .idle = BLOCK8(0x20),
                                                             .newidle = BLOCK8(0x30), .active = ACTIVE}}}},
    {"SCHEDSTAT_DOMAIN, version 17",
     .text = "00000056 0000 00d0 0102030405060708 00000011 0011 0203" BLOCK11_TEXT("1") BLOCK11_TEXT("2")
             BLOCK11_TEXT("3") ACTIVE_TEXT " =00*4",
     .rec = {.type = 86, .rest = RAW(Z4),
             .u.schedstat_domain = {.timestamp = 0x102030405060708, .cpu = 0x11, .version = 17,
                                    .domain = 0x203, .v17 = {.busy = BLOCK11(0x10), .idle = BLOCK11(0x20),
                                                             .newidle = BLOCK11(0x30), .active = ACTIVE}}}},
    {"SCHEDSTAT_DOMAIN of an unknown version",
     .text = "00000056 0000 0020 0102030405060708 00000011 0012 0203 =0102030405060708",
     .rec = {.type = 86, .rest = RAW("\1\2\3\4\5\6\7\10"),
             .u.schedstat_domain = {.timestamp = 0x102030405060708, .cpu = 0x11, .version = 18,
                                    .domain = 0x203}}},

    /* simpleperf writes little-endian files only; the layouts have both orders all the same. */
    {"simpleperf KERNEL_SYMBOL",
     ALL_SIX,
     .text = "00008001 0000 0014 00000003 'abc' =00*5",
     .rec = {.type = 32769, .rest = RAW("\0\0\0\0\0"),
             .u.simpleperf_kernel_symbol = {.size = 3, .kallsyms = RAW("abc")}}},
    {"simpleperf KERNEL_SYMBOL without text",
     .text = "00008001 0000 000c 00000000",
     .rec = {.type = 32769}},
    {"simpleperf DSO",
     ALL_SIX,
     .text = "00008002 0000 0030 0000000000000002 0102030405060708 1112131415161718 '/system/lib.so' =0000",
     .rec = {.type = 32770,
             .u.simpleperf_dso = {.dso_type = 2, .dso_id = 0x102030405060708, .min_vaddr = 0x1112131415161718,
                                  .name = SLOT_OF("/system/lib.so\0\0", 14)}}},
    {"simpleperf DSO of old writers",
     .text = "00008002 0000 0028 0000000000000002 0102030405060708 '/system/lib.so' =0000",
     .rec = {.type = 32770,
             .u.simpleperf_dso = {.dso_type = 2, .dso_id = 0x102030405060708, .is_old = 1,
                                  .name = SLOT_OF("/system/lib.so\0\0", 14)}}},
    {"simpleperf DSO of old writers, whose name has 8 bytes with its padding",
     .text = "00008002 0000 0020 0000000000000002 0102030405060708 '/a.so' =000000",
     .rec = {.type = 32770,
             .u.simpleperf_dso = {.dso_type = 2, .dso_id = 0x102030405060708, .is_old = 1,
                                  .name = SLOT_OF("/a.so\0\0\0", 5)}}},
    {"simpleperf SYMBOL",
     ALL_SIX,
     .text = "00008003 0000 0028 0102030405060708 1112131415161718 2122232425262728 'main' =00*4",
     .rec = {.type = 32771,
             .u.simpleperf_symbol = {.addr = 0x102030405060708, .len = 0x1112131415161718,
                                     .dso_id = 0x2122232425262728, .name = TEXT_OF("main")}}},
    {"simpleperf SPLIT, the head of a record of 137740 bytes",
     ALL_SIX,
     .text = "00008004 0000 0013 =09800000 =02000c1a =010203",
     .rec = {.type = 32772, .u.simpleperf_split = {.data = RAW("\x09\x80\0\0\2\0\x0c\x1a\1\2\3")}}},
    {"simpleperf SPLIT_END",
     ALL_SIX,
     .text = "00008005 0000 0008",
     .rec = {.type = 32773}},
    {"simpleperf EVENT_ID",
     ALL_SIX,
     .text = "00008006 0000 0030 0000000000000002 0000000000000000 0102030405060708 0000000000000001"
             " 1112131415161718",
     .rec = {.type = 32774,
             .u.simpleperf_event_id = {.count = 2,
                                       .entries = LIST_IN(pd_event_id_entry,
                                                          {.attr_index = 0, .event_id = 0x102030405060708},
                                                          {.attr_index = 1,
                                                           .event_id = 0x1112131415161718})}}},
    {"simpleperf CALLCHAIN",
     ALL_SIX,
     .text = "00008007 0000 0048 00000f55 00000f56 0000000000000003 0102030405060708 0000000000000002"
             " 1112131415161718 2122232425262728 3132333435363738 4142434445464748",
     .rec = {.type = 32775,
             .u.simpleperf_callchain = {.pid = 0xf55, .tid = 0xf56, .chain_type = 3,
                                        .time = 0x102030405060708, .nr = 2,
                                        .ips = WORDS_OF(0x1112131415161718, 0x2122232425262728),
                                        .sps = WORDS_OF(0x3132333435363738, 0x4142434445464748)}}},
    {"simpleperf UNWINDING_RESULT of old writers",
     .text = "00008008 0000 0038 0102030405060708 1112131415161718 2122232425262728 3132333435363738"
             " 4142434445464748 5152535455565758",
     .rec = {.type = 32776,
             .u.simpleperf_unwinding_result = {.time = 0x102030405060708, .used_time = 0x1112131415161718,
                                               .error_code = 0x2122232425262728,
                                               .error_addr = 0x3132333435363738,
                                               .stack_start = 0x4142434445464748,
                                               .stack_end = 0x5152535455565758}}},
    {"simpleperf UNWINDING_RESULT with too little behind for registers",
     .text = "00008008 0000 0048 0102030405060708 1112131415161718 2122232425262728 3132333435363738"
             " 4142434445464748 5152535455565758 =0102030405060708 =090a0b0c0d0e0f10",
     .rec = {.type = 32776, .rest = RAW("\1\2\3\4\5\6\7\x8\x9\xa\xb\xc\xd\xe\xf\x10"),
             .u.simpleperf_unwinding_result = {.time = 0x102030405060708, .used_time = 0x1112131415161718,
                                               .error_code = 0x2122232425262728,
                                               .error_addr = 0x3132333435363738,
                                               .stack_start = 0x4142434445464748,
                                               .stack_end = 0x5152535455565758}}},
    {"simpleperf UNWINDING_RESULT with registers, stack and chain",
     ALL_SIX,
     .text = "00008008 0000 0088 0000000000000001 0000000000000002 0000000000000003 0000000000000004"
             " 0000000000000005 0000000000000006"
             " 0000000000000002 0000000080000001 0102030405060708 1112131415161718 0000000000000008"
             " =a1a2a3a4a5a6a7a8 0000000000000007"
             " 0000000000000001 2122232425262728 3132333435363738",
     .rec = {.type = 32776,
             .u.simpleperf_unwinding_result = {.time = 1, .used_time = 2, .error_code = 3, .error_addr = 4,
                 .stack_start = 5, .stack_end = 6, .has_regs = 1, .abi = 2, .reg_mask = 0x80000001,
                 .nr_regs = 2, .regs = WORDS_OF(0x102030405060708, 0x1112131415161718), .stack_size = 8,
                 .stack = RAW("\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8"), .dyn_size = 7, .has_chain = 1, .nr = 1,
                 .ips = WORDS_OF(0x2122232425262728), .sps = WORDS_OF(0x3132333435363738)}}},
    {"simpleperf UNWINDING_RESULT, registers though abi is 0, no stack, no chain",
     .text = "00008008 0000 0058 0000000000000001 0000000000000002 0000000000000003 0000000000000004"
             " 0000000000000005 0000000000000006"
             " 0000000000000000 0000000000000010 0102030405060708 0000000000000000",
     .rec = {.type = 32776,
             .u.simpleperf_unwinding_result = {.time = 1, .used_time = 2, .error_code = 3, .error_addr = 4,
                 .stack_start = 5, .stack_end = 6, .has_regs = 1, .reg_mask = 16, .nr_regs = 1,
                 .regs = WORDS_OF(0x102030405060708)}}},
    {"simpleperf UNWINDING_RESULT, no registers, no stack, no chain: the least that has registers",
     .text = "00008008 0000 0050 0000000000000001 0000000000000002 0000000000000003 0000000000000004"
             " 0000000000000005 0000000000000006"
             " 0000000000000000 0000000000000000 0000000000000000",
     .rec = {.type = 32776,
             .u.simpleperf_unwinding_result = {.time = 1, .used_time = 2, .error_code = 3, .error_addr = 4,
                 .stack_start = 5, .stack_end = 6, .has_regs = 1}}},
    {"simpleperf UNWINDING_RESULT, no registers, an empty chain",
     .text = "00008008 0000 0058 0000000000000001 0000000000000002 0000000000000003 0000000000000004"
             " 0000000000000005 0000000000000006"
             " 0000000000000000 0000000000000000 0000000000000000 0000000000000000",
     .rec = {.type = 32776,
             .u.simpleperf_unwinding_result = {.time = 1, .used_time = 2, .error_code = 3, .error_addr = 4,
                 .stack_start = 5, .stack_end = 6, .has_regs = 1, .has_chain = 1}}},
    {"simpleperf TRACING_DATA, padded to 64",
     ALL_SIX,
     .text = "00008009 0000 004c 00000005 =0102030405 =00*59",
     .rec = {.type = 32777, .rest = RAW(Z16 Z16 Z16 Z8 "\0\0\0"),
             .u.simpleperf_tracing_data = {.size = 5, .data = RAW("\1\2\3\4\5")}}},
    {"simpleperf DEBUG",
     ALL_SIX,
     .text = "0000800a 0000 0018 0102030405060708 'why not' =00",
     .rec = {.type = 32778, .u.simpleperf_debug = {.time = 0x102030405060708, .text = TEXT_OF("why not")}}},
};
/* clang-format on */

/* ---- The elements of lists through their accessors, in any order and one after another. */

static const struct pd_record *decode(const char *name, enum pd_order order)
{
    static uint8_t bytes[GOLDEN_MAX];
    static struct pd_plan plan;
    static struct pd_record rec;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, name) != 0)
            continue;
        const size_t n = golden_bytes(cases[i].text, order, bytes, sizeof bytes);
        pd_plan_init(&plan, &cases[i].attr, order);
        memset(&rec, 0, sizeof rec);
        assert_int_equal(pd_record_decode(&plan, bytes, n, &rec, NULL), PD_OK);
        return &rec;
    }
    fail_msg("no case is called %s", name);
    return NULL;
}

static void elements_of_one_size(void **state)
{
    (void)state;
    for (enum pd_order o = PD_LITTLE; o <= PD_BIG; o++) {
        struct pd_id_index_entry entry;
        struct pd_id_index_machine machine;
        struct pd_stat_config_entry setting;
        struct pd_event_id_entry id;
        const struct pd_id_index *index = &decode("ID_INDEX, machines behind all entries", o)->u.id_index;
        pd_id_index_entry_at(&index->entries, 1, &entry);
        assert_true(entry.id == 5 && entry.idx == 6 && entry.cpu == 7 && entry.tid == 8);
        pd_id_index_entry_at(&index->entries, 0, &entry);
        assert_true(entry.id == 1 && entry.idx == 2 && entry.cpu == 3 && entry.tid == 4);
        pd_id_index_machine_at(&index->machines, 1, &machine);
        assert_true(machine.machine_pid == 11 && machine.vcpu == 12);
        struct pd_list left = index->machines;
        assert_true(pd_id_index_machine_next(&left, &machine));
        assert_true(machine.machine_pid == 9 && machine.vcpu == 10);
        assert_true(pd_id_index_machine_next(&left, &machine));
        assert_true(machine.machine_pid == 11 && machine.vcpu == 12);
        assert_false(pd_id_index_machine_next(&left, &machine));
        pd_stat_config_entry_at(&decode("STAT_CONFIG as seen", o)->u.stat_config.entries, 3, &setting);
        assert_true(setting.tag == 3 && setting.val == 5);
        pd_event_id_entry_at(&decode("simpleperf EVENT_ID", o)->u.simpleperf_event_id.entries, 1, &id);
        assert_true(id.attr_index == 1 && id.event_id == 0x1112131415161718);
    }
}

static void elements_of_any_size(void **state)
{
    (void)state;
    for (enum pd_order o = PD_LITTLE; o <= PD_BIG; o++) {
        struct pd_cs_etm_cpu cpu;
        struct pd_list left =
            decode("AUXTRACE_INFO CS_ETM, version 1, an ETMv3, an ETMv4 with TS_SOURCE and an ETE", o)
                ->u.auxtrace_info.cs_etm.cpus;
        assert_int_equal(left.n, 3);
        for (uint64_t i = 0; i < 3; i++) {
            assert_true(pd_cs_etm_cpu_next(&left, &cpu));
            assert_int_equal(cpu.cpu, i);
            assert_int_equal(cpu.params.n, i == 0 ? 4 : 7 + i);
            assert_int_equal(pd_vec_at(&cpu.params, 3), 0x14 + 16 * i);
        }
        assert_int_equal(left.n, 0);
        assert_false(pd_cs_etm_cpu_next(&left, &cpu));
    }
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(elements_of_one_size),
        cmocka_unit_test(elements_of_any_size),
    };
    return golden_run("tool_records", cases, sizeof cases / sizeof *cases, others,
                      sizeof others / sizeof *others);
}
