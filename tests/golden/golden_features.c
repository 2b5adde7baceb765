/* SPDX-License-Identifier: MIT */
/* golden_features.c - feature sections whose bytes were derived by hand, in every form. Checks R1, R5. */
#include "golden.h"

#include "cmocka_all.h"
#include "guard.h"
#include <string.h>

#define Z4 "\0\0\0\0"
#define Z8 Z4 Z4
#define Z16 Z8 Z8
#define X16 "xxxxxxxxxxxxxxxx"
#define X64 X16 X16 X16 X16

#define FEATURE(id_, ...)         \
    {                             \
        .id = id_, .u.__VA_ARGS__ \
    }

/* ---- EVENT_DESC: the first 64 bytes of an attr of `size`. */
#define ATTR_TEXT(type_, size_)                                                                \
    " " type_ " " size_ " 0000000000000001 00000000000f4240 0000000000000167 0000000000000014" \
    " c0ec218620000000/0000000461843703 00000001 00000003 0102030405060708"
#define ATTR_FIELDS                                                                                         \
    .config = 1, .sample_period = 1000000, .sample_type = 0x167, .read_format = 0x14, .flags = 0x461843703, \
    .wakeup_events = 1, .bp_type = 3, .config1 = 0x102030405060708
/* The next 48 bytes in an attr of 112 bytes, here with their values. */
#define ATTR112_TEXT                                                                                        \
    " 1112131415161718 0000000000020009 00000000000000ff 00002000 ffffffff 0000000000ff0fff 00100000 007f " \
    "a1a2"
#define ATTR112_FIELDS                                                                                   \
    ATTR_FIELDS, .config2 = 0x1112131415161718, .branch_sample_type = 0x20009, .sample_regs_user = 0xff, \
                 .sample_stack_user = 8192, .clockid = -1, .sample_regs_intr = 0xff0fff,                 \
                 .aux_watermark = 0x100000, .sample_max_stack = 127, .reserved_2 = 0xa1a2

/* ---- Build ids */
#define ID_TEXT " =4a5a9b0affb66c437abcd455d2738af879985fa9"
#define ID_BYTES                                                                                        \
    {                                                                                                   \
        0x4a, 0x5a, 0x9b, 0x0a, 0xff, 0xb6, 0x6c, 0x43, 0x7a, 0xbc, 0xd4, 0x55, 0xd2, 0x73, 0x8a, 0xf8, \
            0x79, 0x98, 0x5f, 0xa9                                                                      \
    }

/* ---- TRACING_DATA: all in bytes, since its numbers do not have the order of the file. */
#define TRACING_HEAD "=170844 'tracing' "
#define TRACING_LITTLE                                                                                       \
    " =00 =08 =00100000 'header_page' =00 =0300000000000000 'abc' 'header_event' =00 =0200000000000000 'de'" \
    " =01000000 =0400000000000000 'ftr1' =02000000 'sched' =00 =02000000 =0300000000000000 'ev1'"            \
    " =0000000000000000 'irq' =00 =00000000 =05000000 'ksyms' =02000000 '%d'"
#define TRACING_BIG                                                                                          \
    " =01 =04 =00001000 'header_page' =00 =0000000000000003 'abc' 'header_event' =00 =0000000000000002 'de'" \
    " =00000001 =0000000000000004 'ftr1' =00000002 'sched' =00 =00000002 =0000000000000003 'ev1'"            \
    " =0000000000000000 'irq' =00 =00000000 =00000005 'ksyms' =00000002 '%d'"
#define TRACING(bigendian_, long_size_, version_)                                                           \
    .magic = {0x17, 0x08, 0x44}, .name = {'t', 'r', 'a', 'c', 'i', 'n', 'g'}, .version = TEXT_OF(version_), \
    .bigendian = bigendian_, .long_size = long_size_, .page_size = 4096,                                    \
    .header_page_name = TEXT_OF("header_page"), .header_page_size = 3, .header_page = RAW("abc"),           \
    .header_event_name = TEXT_OF("header_event"), .header_event_size = 2, .header_event = RAW("de"),        \
    .nr_ftrace = 1, .ftrace = LIST_IN(pd_format_file, {.size = 4, .text = RAW("ftr1")}), .nr_systems = 2,   \
    .systems = LIST_IN(                                                                                     \
        pd_event_system,                                                                                    \
        {TEXT_OF("sched"), 2, LIST_IN(pd_format_file, {.size = 3, .text = RAW("ev1")}, {.size = 0})},       \
        {.name = TEXT_OF("irq")}),                                                                          \
    .kallsyms_size = 5, .kallsyms = RAW("ksyms"), .printk_size = 2, .printk = RAW("%d")

/* ---- BPF_PROG_INFO: the first 40 bytes of a program's description, and those up to 228. */
#define INFO40_TEXT " 00000001 00000061 =59f4a931744dcdc6 00000011 00000012 0000000000000013 0000000000000014"
#define INFO40                                                                                              \
    .type = 1, .id = 0x61, .tag = {0x59, 0xf4, 0xa9, 0x31, 0x74, 0x4d, 0xcd, 0xc6}, .jited_prog_len = 0x11, \
    .xlated_prog_len = 0x12, .jited_prog_insns = 0x13, .xlated_prog_insns = 0x14
#define INFO228_TEXT                                                                                      \
    INFO40_TEXT " 0102030405060708 00000021 00000022 0000000000000023 'tinyprog' =00*8 00000024"          \
                " 80000000/00000001 0000000000000025 0000000000000026 00000027 00000028 0000000000000029" \
                " 000000000000002a 0000002b 0000002c 000000000000002d 0000002e 0000002f 0000000000000030" \
                " 0000000000000031 00000032 00000033 00000034 00000035 0000000000000036 0000000000000037" \
                " 0000000000000038 0000000000000039 0000003a 0000003b 0000003c"
#define INFO228                                                                                              \
    INFO40, .load_time = 0x102030405060708, .created_by_uid = 0x21, .nr_map_ids = 0x22, .map_ids = 0x23,     \
            .name = {'t', 'i', 'n', 'y', 'p', 'r', 'o', 'g'}, .ifindex = 0x24, .bits = 1, .netns_dev = 0x25, \
            .netns_ino = 0x26, .nr_jited_ksyms = 0x27, .nr_jited_func_lens = 0x28, .jited_ksyms = 0x29,      \
            .jited_func_lens = 0x2a, .btf_id = 0x2b, .func_info_rec_size = 0x2c, .func_info = 0x2d,          \
            .nr_func_info = 0x2e, .nr_line_info = 0x2f, .line_info = 0x30, .jited_line_info = 0x31,          \
            .nr_jited_line_info = 0x32, .line_info_rec_size = 0x33, .jited_line_info_rec_size = 0x34,        \
            .nr_prog_tags = 0x35, .prog_tags = 0x36, .run_time_ns = 0x37, .run_cnt = 0x38,                   \
            .recursion_misses = 0x39, .verified_insns = 0x3a, .attach_btf_obj_id = 0x3b,                     \
            .attach_btf_id = 0x3c

/* ---- CPU_TOPOLOGY */
#define TOPOLOGY1_TEXT "00000001 00000040 '0-1' =00*61 00000002 00000040 '0' =00*63 00000040 '1' =00*63"
#define TOPOLOGY1                                                                            \
    .nr_sockets = 1, .sockets = LIST_IN(pd_string, {.text = TEXT_OF("0-1")}), .nr_cores = 2, \
    .cores = LIST_IN(pd_string, {.text = TEXT_OF("0")}, {.text = TEXT_OF("1")})
#define TOPOLOGY2_TEXT TOPOLOGY1_TEXT " 00000007 ffffffff 00000108 00000009"
#define TOPOLOGY2                                                                            \
    TOPOLOGY1, .nr_cpus_avail = 2, .has_cpus = 1,                                            \
               .cpus = LIST_IN(pd_cpu_topology_cpu, {.core_id = 7, .socket_id = UINT32_MAX}, \
                               {.core_id = 0x108, .socket_id = 9})

/* clang-format off */
static struct golden_feature cases[] = {
    /* Strings: the size of their slot is kept. */
    {"HOSTNAME padded to 64",
     .text = "00000040 'vm' =00*62",
     .f = FEATURE(3, hostname = {.text = TEXT_OF("vm")})},
    {"HOSTNAME of 63 bytes",
     .text = "00000040 =78*63 =00",
     .f = FEATURE(3, hostname = {.text = SLOT_OF(X16 X16 X16 "xxxxxxxxxxxxxxx\0", 63)})},
    {"HOSTNAME of 64 bytes needs 128",
     .text = "00000080 =78*64 =00*64",
     .f = FEATURE(3, hostname = {.text = TEXT_OF(X64)})},
    {"HOSTNAME padded to 8",
     .text = "00000008 'vm' =00*6",
     .f = FEATURE(3, hostname = {.text = SLOT_OF("vm\0\0\0\0\0\0", 2)})},
    {"HOSTNAME without padding",
     .text = "00000003 'vm' =00",
     .f = FEATURE(3, hostname = {.text = SLOT_OF("vm\0", 2)})},
    {"HOSTNAME without NUL",
     .text = "00000002 'vm'",
     .f = FEATURE(3, hostname = {.text = SLOT_OF("vm", 2)})},
    {"HOSTNAME in a slot of no bytes",
     .text = "00000000",
     .f = FEATURE(3, hostname = {.text = SLOT_OF("", 0)})},
    {"HOSTNAME, empty, padded to 64",
     .text = "00000040 =00*64",
     .f = FEATURE(3, hostname = {.text = TEXT_OF("")})},
    {"HOSTNAME, left-overs behind the NUL and behind the slot",
     .text = "00000008 'vm' =00 'xyz' =0001 =020304",
     .f = {.id = 3, .u.hostname = {.text = SLOT_OF("vm\0xyz\0\1", 2)}, .rest = RAW("\2\3\4")}},
    {"OSRELEASE",
     .text = "00000040 '6.18.44' =00*57",
     .f = FEATURE(4, osrelease = {.text = TEXT_OF("6.18.44")})},
    {"VERSION",
     .text = "00000040 '7.3.4' =00*59",
     .f = FEATURE(5, version = {.text = TEXT_OF("7.3.4")})},
    {"ARCH",
     .text = "00000040 'x86_64' =00*58",
     .f = FEATURE(6, arch = {.text = TEXT_OF("x86_64")})},
    {"CPUDESC",
     .text = "00000040 'A CPU @ 2.0GHz' =00*50",
     .f = FEATURE(8, cpudesc = {.text = TEXT_OF("A CPU @ 2.0GHz")})},
    {"CPUID",
     .text = "00000040 'GenuineIntel,6,143,8' =00*44",
     .f = FEATURE(9, cpuid = {.text = TEXT_OF("GenuineIntel,6,143,8")})},

    {"TRACING_DATA 0.6, little-endian inside",
     .text = TRACING_HEAD "'0.6' =00" TRACING_LITTLE " =0300000000000000 '1 a'",
     .f = FEATURE(1, tracing_data = {TRACING(0, 8, "0.6"), .has_cmdlines = 1, .cmdlines_size = 3,
                                     .cmdlines = RAW("1 a")})},
    {"TRACING_DATA 0.6, big-endian inside",
     .text = TRACING_HEAD "'0.6' =00" TRACING_BIG " =0000000000000003 '1 a'",
     .f = FEATURE(1, tracing_data = {TRACING(1, 4, "0.6"), .has_cmdlines = 1, .cmdlines_size = 3,
                                     .cmdlines = RAW("1 a")})},
    {"TRACING_DATA 0.5, little-endian inside",
     .text = TRACING_HEAD "'0.5' =00" TRACING_LITTLE,
     .f = FEATURE(1, tracing_data = {TRACING(0, 8, "0.5")})},
    {"TRACING_DATA 0.5, big-endian inside, padded as in a pipe",
     .text = TRACING_HEAD "'0.5' =00" TRACING_BIG " =000000",
     .f = {.id = 1, .u.tracing_data = {TRACING(1, 4, "0.5")}, .rest = RAW("\0\0\0")}},
    {"TRACING_DATA 9.0, whose version is at least 0.6",
     .text = TRACING_HEAD "'9.0' =00" TRACING_LITTLE " =0300000000000000 '1 a'",
     .f = FEATURE(1, tracing_data = {TRACING(0, 8, "9.0"), .has_cmdlines = 1, .cmdlines_size = 3,
                                     .cmdlines = RAW("1 a")})},

    {"BUILD_ID, every form in a row",
     .text = "00000000 0001 0064 ffffffff" ID_TEXT " =00000000 '[kernel.kallsyms]' =00*47"
             " 00000000 8002 0034 00000f55" ID_TEXT " 14 a1 b1b2 '/bin/true' =00*7"
             " 00000002 0005 0034 00000000" ID_TEXT " =00000000 '/bin/sh' =00*9"
             " 00000043 0002 0064 ffffffff" ID_TEXT " =a1a2a3a4 '/system/lib.so' =00*50",
     .f = FEATURE(2, build_id = {.entries = LIST_IN(pd_build_id_entry,
         {.type = 0, .misc = 1, .size = 0x64, .file = {.misc = 1, .pid = UINT32_MAX, .build_id = ID_BYTES,
                       .filename = SLOT_OF("[kernel.kallsyms]" Z16 Z16 Z8 Z4 "\0\0\0", 17)}},
         {.type = 0, .misc = 0x8002, .size = 0x34,
          .file = {.misc = 0x8002, .pid = 0xf55, .build_id = ID_BYTES, .size = 20, .reserved_1 = 0xa1,
                            .reserved_2 = 0xb1b2, .filename = TEXT_OF("/bin/true")}},
         {.type = 2, .misc = 5, .size = 0x34,
          .file = {.misc = 5, .build_id = ID_BYTES, .filename = SLOT_OF("/bin/sh\0" Z8, 7)}},
         {.type = 67, .misc = 2, .size = 0x64, .file = {.misc = 2, .pid = UINT32_MAX, .build_id = ID_BYTES,
                                                        .build_id_pad = {0xa1, 0xa2, 0xa3, 0xa4},
                        .filename = SLOT_OF("/system/lib.so" Z16 Z16 Z16 "\0\0", 14)}})})},
    {"BUILD_ID of sizes that are no multiples of 4, a name without NUL, an entry without name",
     .text = "00000000 8002 0029 00000001" ID_TEXT " 10 00 0000 'a.out' 00000000 8002 0024 00000002" ID_TEXT
             " 08 00 0000",
     .f = FEATURE(2, build_id = {.entries = LIST_IN(pd_build_id_entry,
         {.type = 0, .misc = 0x8002, .size = 0x29, .file = {.misc = 0x8002, .pid = 1, .build_id = ID_BYTES,
                                                            .size = 16, .filename = SLOT_OF("a.out", 5)}},
         {.type = 0, .misc = 0x8002, .size = 0x24, .file = {.misc = 0x8002, .pid = 2, .build_id = ID_BYTES,
                                                            .size = 8, .filename = SLOT_OF("", 0)}})})},
    {"BUILD_ID without pid, as before perf 2.6.35",
     .text = "00000000 0001 0060" ID_TEXT " =00000000 '[kernel.kallsyms]' =00*47"
             " 00000000 0002 0028" ID_TEXT " =01020304 '/bin/ls' =00",
     .f = {.id = 2, .variant = PD_VARIANT_NO_PID,
           .u.build_id = {.entries = {.ptr = (struct pd_build_id_entry[]){
               {0, 1, 0x60, {.misc = 1, .build_id = ID_BYTES,
                             .filename = SLOT_OF("[kernel.kallsyms]" Z16 Z16 Z8 Z4 "\0\0\0", 17)}},
               {0, 2, 0x28, {.misc = 2, .build_id = ID_BYTES, .build_id_pad = {1, 2, 3, 4},
                             .filename = TEXT_OF("/bin/ls")}}},
               .n = 2, .stride = sizeof(struct pd_build_id_entry), .form = PD_FORM_STRUCT,
               .when = UINT32_MAX, .variant = PD_VARIANT_NO_PID}}}},

    {"NRCPUS: first those that there are, then those that are on",
     .text = "01020304 11121314",
     .f = FEATURE(7, nrcpus = {.nr_cpus_avail = 0x1020304, .nr_cpus_online = 0x11121314})},
    {"NRCPUS from a newer writer",
     .text = "00000008 00000004 =0102030405",
     .f = {.id = 7, .u.nrcpus = {.nr_cpus_avail = 8, .nr_cpus_online = 4}, .rest = RAW("\1\2\3\4\5")}},
    {"TOTAL_MEM",
     .text = "0102030405060708",
     .f = FEATURE(10, total_mem = {.total_mem = 0x102030405060708})},
    {"CMDLINE",
     .text = "00000003 00000040 '/usr/bin/perf' =00*51 00000008 'record' =0000 00000000",
     .f = FEATURE(11, cmdline = {.nr = 3, .args = LIST_IN(pd_string, {.text = TEXT_OF("/usr/bin/perf")},
                                                          {.text = SLOT_OF("record\0\0", 6)},
                                            {.text = SLOT_OF("", 0)})})},
    {"CMDLINE without words",
     .text = "00000000",
     .f = FEATURE(11, cmdline = {.nr = 0})},

    {"EVENT_DESC, attrs smaller than the room for them",
     .text = "00000002 00000070"
             ATTR_TEXT("00000000", "00000040") " =00*48 00000002 00000040 'cycles' =00*58"
             " 0102030405060708 1112131415161718"
             ATTR_TEXT("00000001", "00000070") ATTR112_TEXT " 00000000 00000005 'dummy'",
     .f = FEATURE(12, event_desc = {.nr_events = 2, .attr_size = 112, .events = LIST_IN(pd_event_desc,
         {.attr_size = 112, .attr = {.type = 0, .size = 64, ATTR_FIELDS}, .nr_ids = 2,
          .name = TEXT_OF("cycles"), .ids = WORDS_OF(0x102030405060708, 0x1112131415161718)},
         {.attr_size = 112, .attr = {.type = 1, .size = 112, ATTR112_FIELDS}, .nr_ids = 0,
          .name = SLOT_OF("dummy", 5), .ids = {.n = 0}})})},
    {"EVENT_DESC, attrs of 64 bytes",
     .text = "00000001 00000040" ATTR_TEXT("00000000", "00000040")
             " 00000001 00000008 'cycles' =0000 00000000000001a7",
     .f = FEATURE(12, event_desc = {.nr_events = 1, .attr_size = 64, .events = LIST_IN(pd_event_desc,
         {.attr_size = 64, .attr = {.size = 64, ATTR_FIELDS}, .nr_ids = 1, .name = SLOT_OF("cycles\0\0", 6),
          .ids = WORDS_OF(0x1a7)})})},
    {"EVENT_DESC, room for 68 bytes, attr.size says more",
     .text = "00000001 00000044" ATTR_TEXT("00000000", "00000070") " =a1a2a3a4 00000000 00000000",
     .f = FEATURE(12, event_desc = {.nr_events = 1, .attr_size = 68, .events = LIST_IN(pd_event_desc,
         {.attr_size = 68, .attr = {.size = 112, ATTR_FIELDS, .tail = RAW("\xa1\xa2\xa3\xa4")}, .nr_ids = 0,
          .name = SLOT_OF("", 0), .ids = {.n = 0}})})},
    {"EVENT_DESC without events",
     .text = "00000000 00000090",
     .f = FEATURE(12, event_desc = {.attr_size = 144})},

    {"CPU_TOPOLOGY, version 1",
     .text = TOPOLOGY1_TEXT,
     .f = {.id = 13, .nr_cpus_avail = 2, .u.cpu_topology = {TOPOLOGY1, .nr_cpus_avail = 2}}},
    {"CPU_TOPOLOGY, version 1, NRCPUS not known",
     .text = TOPOLOGY1_TEXT,
     .f = FEATURE(13, cpu_topology = {TOPOLOGY1})},
    {"CPU_TOPOLOGY, version 2",
     .text = TOPOLOGY2_TEXT,
     .f = {.id = 13, .nr_cpus_avail = 2, .u.cpu_topology = {TOPOLOGY2}}},
    {"CPU_TOPOLOGY, version 2, NRCPUS not known",
     .text = TOPOLOGY1_TEXT " =01020304",
     .f = {.id = 13, .u.cpu_topology = {TOPOLOGY1}, .rest = RAW("\1\2\3\4")}},
    {"CPU_TOPOLOGY, fewer cpus than NRCPUS says",
     .text = TOPOLOGY1_TEXT " =0102030405060708",
     .f = {.id = 13, .nr_cpus_avail = 2, .u.cpu_topology = {TOPOLOGY1, .nr_cpus_avail = 2},
           .rest = RAW("\1\2\3\4\5\6\7\10")}},
    {"CPU_TOPOLOGY, version 3",
     .text = TOPOLOGY2_TEXT " 00000002 00000040 '0' =00*63 00000008 '1' =00*7 00000003 ffffffff",
     .f = {.id = 13, .nr_cpus_avail = 2,
           .u.cpu_topology = {TOPOLOGY2, .has_dies = 1, .nr_dies = 2,
                              .dies = LIST_IN(pd_string, {.text = TEXT_OF("0")},
                                              {.text = SLOT_OF("1\0\0\0\0\0\0\0", 1)}),
                              .die_ids = VEC_OF(uint32_t, 3, UINT32_MAX)}}},
    {"CPU_TOPOLOGY, strings of other padding",
     .text = "00000001 00000004 '0-1' =00 00000001 00000001 '0' 00000007 ffffffff 00000108 00000009",
     .f = {.id = 13, .nr_cpus_avail = 2,
           .u.cpu_topology = {.nr_cpus_avail = 2, .nr_sockets = 1,
                              .sockets = LIST_IN(pd_string, {.text = SLOT_OF("0-1\0", 3)}), .nr_cores = 1,
                              .cores = LIST_IN(pd_string, {.text = SLOT_OF("0", 1)}), .has_cpus = 1,
                              .cpus = LIST_IN(pd_cpu_topology_cpu, {.core_id = 7, .socket_id = UINT32_MAX},
                                              {.core_id = 0x108, .socket_id = 9})}}},

    {"NUMA_TOPOLOGY",
     .text = "00000002 00000001 0102030405060708 1112131415161718 00000040 '0-3' =00*61"
             " 00000002 2122232425262728 3132333435363738 00000040 =00*64",
     .f = FEATURE(14, numa_topology = {.nr = 2, .nodes = LIST_IN(pd_numa_node,
         {.node = 1, .mem_total = 0x102030405060708, .mem_free = 0x1112131415161718, .cpus = TEXT_OF("0-3")},
         {.node = 2, .mem_total = 0x2122232425262728, .mem_free = 0x3132333435363738,
          .cpus = TEXT_OF("")})})},
    {"BRANCH_STACK",
     .text = "",
     .f = {.id = 15}},
    {"BRANCH_STACK with something in it",
     .text = "=010203",
     .f = {.id = 15, .rest = RAW("\1\2\3")}},
    {"PMU_MAPPINGS",
     .text = "00000002 00000004 00000040 'cpu' =00*61 00000001 00000040 'software' =00*56",
     .f = FEATURE(16, pmu_mappings = {.nr = 2,
                                      .pmus = LIST_IN(pd_pmu_mapping, {.type = 4, .name = TEXT_OF("cpu")},
                                                      {.type = 1, .name = TEXT_OF("software")})})},
    {"PMU_MAPPINGS, count 0 though there are some",
     .text = "00000000 00000001 00000004 'cpu' =00",
     .f = FEATURE(16, pmu_mappings = {.uncounted = LIST_IN(pd_pmu_mapping,
                                                           {.type = 1, .name = SLOT_OF("cpu\0", 3)})})},
    {"PMU_MAPPINGS without any", .text = "00000000", .f = FEATURE(16, pmu_mappings = {.nr = 0})},
    {"GROUP_DESC",
     .text = "00000002 00000040 '{anon_group}' =00*52 00000001 00000002 00000002 'g' =00 00000003 00000004",
     .f = FEATURE(17, group_desc = {.nr_groups = 2,
                                    .groups = LIST_IN(pd_group_desc,
         {.name = TEXT_OF("{anon_group}"), .leader_idx = 1, .nr_members = 2},
         {.name = SLOT_OF("g\0", 1), .leader_idx = 3, .nr_members = 4})})},
    {"AUXTRACE with a count",
     .text = "0000000000000002 0102030405060708 0000000000000030 1112131415161718 0000000000000031",
     .f = FEATURE(18, auxtrace = {.has_nr = 1, .nr = 2, .entries = LIST_IN(pd_auxtrace_index_entry,
         {.file_offset = 0x102030405060708, .sz = 48}, {.file_offset = 0x1112131415161718, .sz = 49})})},
    {"AUXTRACE without a count, and stray bytes",
     .text = "0102030405060708 0000000000000030 =78*7",
     .f = {.id = 18, .rest = RAW("xxxxxxx"), .u.auxtrace = {
         .all_entries = LIST_IN(pd_auxtrace_index_entry, {.file_offset = 0x102030405060708, .sz = 48})}}},
    {"AUXTRACE with a count of 0",
     .text = "0000000000000000",
     .f = FEATURE(18, auxtrace = {.has_nr = 1})},
    {"AUXTRACE without a count",
     .text = "0102030405060708 0000000000000030 1112131415161718 0000000000000031",
     .f = FEATURE(18, auxtrace = {.all_entries = LIST_IN(pd_auxtrace_index_entry,
         {.file_offset = 0x102030405060708, .sz = 48}, {.file_offset = 0x1112131415161718, .sz = 49})})},
    {"STAT",
     .text = "",
     .f = {.id = 19}},
    {"CACHE",
     .text = "00000001 00000001 00000002 00000040 00000400 00000010 00000040 'Unified' =00*57 00000040"
             " '1024K'"
             " =00*59 00000008 '0-3' =00*5",
     .f = FEATURE(20, cache = {.version = 1, .nr = 1, .caches = LIST_IN(pd_cache_level,
         {.level = 2, .line_size = 64, .sets = 1024, .ways = 16, .type = TEXT_OF("Unified"),
          .size = TEXT_OF("1024K"), .map = SLOT_OF("0-3\0\0\0\0\0", 3)})})},
    {"SAMPLE_TIME",
     .text = "0102030405060708 1112131415161718",
     .f = FEATURE(21, sample_time = {.first = 0x102030405060708, .last = 0x1112131415161718})},
    {"MEM_TOPOLOGY, bitmaps of 64, 65 and no bits",
     .text = "0000000000000001 0000000008000000 0000000000000003"
             " 0000000000000005 0000000000000040 0000000000000040 0102030405060708"
             " 0000000000000006 0000000000000041 0000000000000041 1112131415161718 0000000000000001"
             " 0000000000000007 0000000000000000 0000000000000000",
     .f = FEATURE(22, mem_topology = {.version = 1, .block_size_bytes = 0x8000000, .nr = 3,
                                      .nodes = LIST_IN(pd_memory_node,
         {.node = 5, .size = 64, .bits = 64, .words = 1, .bitmap = WORDS_OF(0x102030405060708)},
         {.node = 6, .size = 65, .bits = 65, .words = 2, .bitmap = WORDS_OF(0x1112131415161718, 1)},
         {.node = 7, .size = 0, .bits = 0, .words = 0, .bitmap = {.n = 0}})})},
    {"CLOCKID",
     .text = "0102030405060708",
     .f = FEATURE(23, clockid = {.resolution = 0x102030405060708})},
    {"DIR_FORMAT",
     .text = "0000000000000001",
     .f = FEATURE(24, dir_format = {.version = 1})},

    {"BPF_PROG_INFO without programs",
     .text = "00000000",
     .f = FEATURE(25, bpf_prog_info = {.count = 0})},
    {"BPF_PROG_INFO, a program as of Linux 7.3",
     .text = "00000001 000000e8 00000008 0000000000000003" INFO228_TEXT " =00000000 =0102030405060708",
     .f = FEATURE(25, bpf_prog_info = {.count = 1, .programs = LIST_IN(pd_bpf_prog,
         {.info_len = 232, .data_len = 8, .arrays = 3, .info = {INFO228, .tail = RAW(Z4)},
          .data = RAW("\1\2\3\4\5\6\7\10")})})},
    {"BPF_PROG_INFO, descriptions shorter and longer",
     .text = "00000004 00000028 00000003 0000000000000001" INFO40_TEXT " =010203"
             " 000000f0 00000000 0000000000000000" INFO228_TEXT " =0102030405060708090a0b0c"
             " 0000002b 00000000 0000000000000000" INFO40_TEXT " =a1a2a3"
             " 00000000 00000000 0000000000000000",
     .f = FEATURE(25, bpf_prog_info = {.count = 4, .programs = LIST_IN(pd_bpf_prog,
         {.info_len = 40, .data_len = 3, .arrays = 1, .info = {INFO40}, .data = RAW("\1\2\3")},
         {.info_len = 240, .data_len = 0, .arrays = 0,
          .info = {INFO228, .tail = RAW("\1\2\3\4\5\6\7\10\11\12\13\14")}, .data = {.n = 0}},
         {.info_len = 43, .data_len = 0, .arrays = 0, .info = {INFO40, .tail = RAW("\xa1\xa2\xa3")},
          .data = {.n = 0}},
         {.info_len = 0})})},
    {"BPF_BTF",
     .text = "00000002 00000011 00000003 =010203 00000012 00000000",
     .f = FEATURE(26, bpf_btf = {.count = 2, .entries = LIST_IN(pd_bpf_btf,
         {.id = 0x11, .data_size = 3, .data = RAW("\1\2\3")}, {.id = 0x12})})},
    {"COMPRESSED",
     .text = "01020304 00000001 00000003 00000007 00081000",
     .f = FEATURE(27, compressed = {.version = 0x1020304, .type = 1, .level = 3, .ratio = 7,
                                    .mmap_len = 0x81000})},
    {"CPU_PMU_CAPS",
     .text = "00000002 00000040 'branches' =00*56 00000040 '32' =00*62 00000000 00000001 'x'",
     .f = FEATURE(28, cpu_pmu_caps = {.nr = 2, .caps = LIST_IN(pd_name_value,
         {.name = TEXT_OF("branches"), .value = TEXT_OF("32")},
         {.name = SLOT_OF("", 0), .value = SLOT_OF("x", 1)})})},
    {"CLOCK_DATA",
     .text = "00000001 00000004 0102030405060708 1112131415161718",
     .f = FEATURE(29, clock_data = {.version = 1, .clockid = 4, .wall_clock_ns = 0x102030405060708,
                                    .clockid_time_ns = 0x1112131415161718})},
    {"HYBRID_TOPOLOGY",
     .text = "00000001 00000040 'cpu_core' =00*56 00000040 '0-15' =00*60",
     .f = FEATURE(30, hybrid_topology = {.nr = 1, .pmus = LIST_IN(pd_hybrid_pmu,
         {.pmu_name = TEXT_OF("cpu_core"), .cpus = TEXT_OF("0-15")})})},
    {"PMU_CAPS",
     .text = "00000002 00000001 00000040 'max_precise' =00*53 00000040 '3' =00*63 00000040 'cpu' =00*61"
             " 00000000 00000008 'cpu_atom'",
     .f = FEATURE(31, pmu_caps = {.nr_pmus = 2, .pmus = LIST_IN(pd_pmu_caps,
         {.nr_caps = 1,
          .caps = LIST_IN(pd_name_value, {.name = TEXT_OF("max_precise"), .value = TEXT_OF("3")}),
          .pmu_name = TEXT_OF("cpu")},
         {.nr_caps = 0, .caps = {.n = 0}, .pmu_name = SLOT_OF("cpu_atom", 8)})})},
    {"CPU_DOMAIN_INFO, version 16",
     .text = "00000010 00000002 00000000 00000002 00000000 00000008 '3' =00*7 00000008 '0-1' =00*5"
             " 00000001 00000008 'f' =00*7 00000008 '0-3' =00*5 00000001 00000000",
     .f = FEATURE(32, cpu_domain_info = {.schedstat_version = 16, .max_sched_domains = 2,
                                         .cpus = LIST_IN(pd_cpu_domains,
         {.cpu = 0, .nr_domains = 2, .domains = LIST_IN(pd_cpu_domain,
                        {.schedstat_version = 16, .domain = 0, .dname = {.len = 0},
                         .cpumask = SLOT_OF("3\0\0\0\0\0\0\0", 1), .cpulist = SLOT_OF("0-1\0\0\0\0\0", 3)},
                        {.schedstat_version = 16, .domain = 1, .dname = {.len = 0},
                         .cpumask = SLOT_OF("f\0\0\0\0\0\0\0", 1), .cpulist = SLOT_OF("0-3\0\0\0\0\0", 3)})},
         {.cpu = 1})})},
    {"CPU_DOMAIN_INFO, version 17",
     .text = "00000011 00000001 00000007 00000001 00000002 00000040 'SMT' =00*61 00000040 '3' =00*63 00000040"
             " '0-1'"
             " =00*61",
     .f = FEATURE(32, cpu_domain_info = {.schedstat_version = 17, .max_sched_domains = 1,
                                         .cpus = LIST_IN(pd_cpu_domains,
         {.cpu = 7, .nr_domains = 1,
          .domains = LIST_IN(pd_cpu_domain, {.schedstat_version = 17, .domain = 2, .dname = TEXT_OF("SMT"),
                                             .cpumask = TEXT_OF("3"), .cpulist = TEXT_OF("0-1")})})})},
    {"CPU_DOMAIN_INFO without cpus",
     .text = "00000011 00000001",
     .f = FEATURE(32, cpu_domain_info = {.schedstat_version = 17, .max_sched_domains = 1, .cpus = {.n = 0}})},
    {"E_MACHINE",
     .text = "0000003e 01020304",
     .f = FEATURE(33, e_machine = {.e_machine = 62, .e_flags = 0x1020304})},
    {"CLN_SIZE",
     .text = "00000040",
     .f = FEATURE(34, cln_size = {.cln_size = 64})},
    {"unknown feature 35",
     .text = "=0102030405",
     .f = {.id = 35, .rest = RAW("\1\2\3\4\5")}},
    {"unknown feature 255",
     .text = "=01",
     .f = {.id = 255, .rest = RAW("\1")}},

    /* simpleperf writes little-endian files only; the layouts have both orders all the same. */
    {"simpleperf FILE, every kind",
     .text = "0000002b 'a.so' =00 00000002 0102030405060708 00000001 1112131415161718 00000005 'f' =00"
             " 2122232425262728"
             " 00000015 'b.so' =00 00000002 0102030405060708 00000000"
             " 0000002a 'c.dex' =00 00000003 0000000000000000 00000000 00000002 3132333435363738"
             " 4142434445464748"
             " 0000001d 'm.ko' =00 00000001 0000000000001000 00000000 5152535455565758"
             " 00000015 'k' =00 00000000 ffffffff81000000 00000000 =010203",
     .f = FEATURE(128, simpleperf_file = {.files = LIST_IN(pd_simpleperf_file_entry,
         {.size = 43,
          .file = {.path = TEXT_OF("a.so"), .type = 2, .min_vaddr = 0x102030405060708, .symbol_count = 1,
               .symbols = LIST_IN(pd_simpleperf_file_symbol,
                                  {.vaddr = 0x1112131415161718, .len = 5, .name = TEXT_OF("f")}),
               .has_file_offset = 1, .file_offset_of_min_vaddr = 0x2122232425262728}},
         {.size = 21, .file = {.path = TEXT_OF("b.so"), .type = 2, .min_vaddr = 0x102030405060708}},
         {.size = 42, .file = {.path = TEXT_OF("c.dex"), .type = 3, .nr_dex_offsets = 2,
               .dex_offsets = WORDS_OF(0x3132333435363738, 0x4142434445464748)}},
         {.size = 29, .file = {.path = TEXT_OF("m.ko"), .type = 1, .min_vaddr = 4096, .has_memory_offset = 1,
               .memory_offset_of_min_vaddr = 0x5152535455565758}},
         {.size = 21,
          .file = {.path = TEXT_OF("k"), .min_vaddr = 0xffffffff81000000, .tail = RAW("\1\2\3")}})})},
    {"simpleperf META_INFO",
     .text = "'simpleperf_version' =00 '1.build.7' =00 'clockid' =00 'monotonic' =00 =0000",
     .f = FEATURE(129, simpleperf_meta_info = {.entries = LIST_IN(pd_meta_info,
         {.key = TEXT_OF("simpleperf_version"), .value = TEXT_OF("1.build.7")},
         {.key = TEXT_OF("clockid"), .value = TEXT_OF("monotonic")},
         {.key = TEXT_OF(""), .value = TEXT_OF("")})})},
    /*
     * Key 0a: field 1, file, a message of 7 bytes: 0a field 1, path, of 2 bytes; 10 field 2, size, 0x2c + (2
     * << 7). Key 18: field 3, a number, which no version is known to have: ten bytes of seven bits, 64 in
     * all. Then a file whose fields come in the other order, and a path that says it is a number: it is none
     * of ours. */
    {"simpleperf DEBUG_UNWIND",
     .text = "=0a07 =0a02 '/d' =10ac02 =18ffffffffffffffffff01 =0a06 =1000 =0a00 =0807",
     .f = FEATURE(130, simpleperf_debug_unwind = {.fields = LIST_IN(pd_simpleperf_unwind_field,
         {.key = PD_SIMPLEPERF_UNWIND_FILE, .wire_type = 8,
          .file = LIST_IN(pd_simpleperf_unwind_file_field,
              {.key = 10, .wire_type = 8, .path = TEXT_OF("/d")}, {.key = 16, .wire_type = 8, .size = 300})},
         {.key = 24, .value = UINT64_MAX},
         {.key = 10, .wire_type = 8,
          .file = LIST_IN(pd_simpleperf_unwind_file_field, {.key = 16, .wire_type = 8},
              {.key = 10, .wire_type = 8, .path = TEXT_OF("")}, {.key = 8, .value = 7})})})},
    {"simpleperf DEBUG_UNWIND_FILE",
     .text = "=7f454c46 'whatever'",
     .f = FEATURE(131, simpleperf_debug_unwind_file = {.data = RAW("\177ELFwhatever")})},
    /*
     * Three messages, each behind a u32 of the file's byte order. The first, 25 bytes: 0a path; 10 type; 18
     * min_vaddr 0x80 0x20 = 0 + (0x20 << 7) = 4096; 22 symbol of 7 bytes: 08 vaddr 16, 10 len 5, 1a name; 32
     * elf_file of 3 bytes: 08. The second has nothing. The third, 2 + 4 + 7 + 2 + 9 + 5 = 29 bytes, is a DEX
     * file: its offsets once alone (2a 02: 08) and twice packed (2a 05: 0a 03: ac 02 = 300 and 07); a kernel
     * module's part (3a) that is empty; and what is not known: field 9 as a u64 (49), field 2 as a u32 (15),
     * which is no `type`. */
    {"simpleperf FILE2",
     .text = "00000019 =0a04 'a.so' =1002 =188020 =2207081010051a0166 =3203088020 00000000 "
             "00000022 =1003 =2a020809 =2a050a03ac0207 =3a00 =3a03088020 =490807060504030201 =1504030201",
     .f = FEATURE(132, simpleperf_file2 = {.files = LIST_IN(pd_simpleperf_file2,
         {.size = 25, .message = {.fields = LIST_IN(pd_simpleperf_file_field,
             {.key = PD_SIMPLEPERF_FILE_FEATURE_PATH, .wire_type = 8, .path = TEXT_OF("a.so")},
             {.key = 16, .wire_type = 8, .type = PD_SIMPLEPERF_FILE_ELF_FILE},
             {.key = 24, .wire_type = 8, .min_vaddr = 4096},
             {.key = 34, .wire_type = 8, .symbol = LIST_IN(pd_simpleperf_symbol_field,
                 {.key = 8, .wire_type = 8, .vaddr = 16}, {.key = 16, .wire_type = 8, .len = 5},
                 {.key = 26, .wire_type = 8, .name = TEXT_OF("f")})},
             {.key = 50, .wire_type = 8, .elf_file = LIST_IN(pd_simpleperf_elf_field,
                 {.key = 8, .wire_type = 8, .file_offset_of_min_vaddr = 4096})})}},
         {.size = 0},
         {.size = 34, .message = {.fields = LIST_IN(pd_simpleperf_file_field,
             {.key = 16, .wire_type = 8, .type = PD_SIMPLEPERF_FILE_DEX_FILE},
             {.key = 42, .wire_type = 8, .dex_file = LIST_IN(pd_simpleperf_dex_field,
                 {.key = 8, .wire_type = 8, .dex_file_offset = 9})},
             {.key = 42, .wire_type = 8, .dex_file = LIST_IN(pd_simpleperf_dex_field,
                 {.key = 10, .wire_type = 8,
                  .dex_file_offsets = LIST_IN(pd_varint, {.value = 300}, {.value = 7})})},
             {.key = 58, .wire_type = 8},
             {.key = 58, .wire_type = 8, .kernel_module = LIST_IN(pd_simpleperf_module_field,
                 {.key = 8, .wire_type = 8, .memory_offset_of_min_vaddr = 4096})},
             {.key = 73, .wire_type = 1, .value64 = 0x102030405060708},
             {.key = 21, .wire_type = 5, .value32 = 0x1020304})}})})},
    /*
     * 0a magic. 12 a binary of 4 + 4 + 16 + 2 + 2 + 5 = 33 bytes: 0a path, 12 build_id; 1a addrs of 3 + 11 =
     * 14: 08 addr 4096, 12 branches of 4 + 2 + 3 = 9: 0a branch of 2 bytes, 10 branch_size 11, 18 count 0x2c
     * + (2 << 7) = 300; an empty 1a; 20 type 1; 2a kernel_info of 3: 08 4096. 1a LBR data of 16 + 5 = 21: 0a
     * a sample of 2 + 2 + 10 = 14: 08 binary 1, 10 address 16, 1a a branch of 8: 08 1, 10 2, 18 3, 20 4; 12 a
     * binary of 3: 0a path. Then an empty binary, and 32, field 6, of bytes.
     */
    {"simpleperf ETM_BRANCH_LIST",
     .text = "=0a18 'simpleperf:EtmBranchList' "
             "=1221 =0a02 '/x' =1202 'ab' =1a0e =088020 =1209 =0a02 =a505 =100b =18ac02 =1a00 =2001 =2a03"
             " =088020 "
             "=1a15 =0a0e =0801 =1010 =1a08 =0801 =1002 =1803 =2004 =1203 =0a01 'y' "
             "=1200 =3202 =abcd",
     .f = FEATURE(133, simpleperf_etm_branch_list = {.fields = LIST_IN(pd_simpleperf_branch_list_field,
         {.key = PD_SIMPLEPERF_BRANCH_LIST_MAGIC, .wire_type = 8,
          .magic = TEXT_OF("simpleperf:EtmBranchList")},
         {.key = 18, .wire_type = 8, .etm_data = LIST_IN(pd_simpleperf_etm_binary_field,
             {.key = 10, .wire_type = 8, .path = TEXT_OF("/x")},
             {.key = 18, .wire_type = 8, .build_id = TEXT_OF("ab")},
             {.key = 26, .wire_type = 8, .addrs = LIST_IN(pd_simpleperf_etm_address_field,
                 {.key = 8, .wire_type = 8, .addr = 4096},
                 {.key = 18, .wire_type = 8, .branches = LIST_IN(pd_simpleperf_etm_branch_field,
                     {.key = 10, .wire_type = 8, .branch_bytes = 2, .branch = RAW("\xa5\5")},
                     {.key = 16, .wire_type = 8, .branch_size = 11},
                     {.key = 24, .wire_type = 8, .count = 300})})},
             {.key = 26, .wire_type = 8},
             {.key = 32, .wire_type = 8, .type = PD_SIMPLEPERF_BINARY_KERNEL},
             {.key = 42, .wire_type = 8, .kernel_info = LIST_IN(pd_simpleperf_kernel_info_field,
                 {.key = 8, .wire_type = 8, .kernel_start_addr = 4096})})},
         {.key = 26, .wire_type = 8, .lbr_data = LIST_IN(pd_simpleperf_lbr_field,
             {.key = 10, .wire_type = 8, .samples = LIST_IN(pd_simpleperf_lbr_sample_field,
                 {.key = 8, .wire_type = 8, .binary_id = 1}, {.key = 16, .wire_type = 8, .vaddr_in_file = 16},
                 {.key = 26, .wire_type = 8, .branches = LIST_IN(pd_simpleperf_lbr_branch_field,
                     {.key = 8, .wire_type = 8, .from_binary_id = 1},
                     {.key = 16, .wire_type = 8, .to_binary_id = 2},
                     {.key = 24, .wire_type = 8, .from_vaddr_in_file = 3},
                     {.key = 32, .wire_type = 8, .to_vaddr_in_file = 4})})},
             {.key = 18, .wire_type = 8, .binaries = LIST_IN(pd_simpleperf_lbr_binary_field,
                 {.key = 10, .wire_type = 8, .path = TEXT_OF("y")})})},
         {.key = 18, .wire_type = 8},
         {.key = 50, .wire_type = 2, .data_size = 2, .data = RAW("\xab\xcd")})})},
    {"simpleperf INIT_MAP",
     .text = "=0300000002001800 =0102030405060708 =6c73000000000000",
     .f = FEATURE(134,
                  simpleperf_init_map = {.data = RAW("\3\0\0\0\2\0\x18\0\1\2\3\4\5\6\7\10ls\0\0\0\0\0\0")})},
};
/* clang-format on */

/* A section without bytes: nothing was recorded; nothing is read, and nothing is written. */
static void empty_sections(void **state)
{
    (void)state;
    for (uint32_t id = 0; id < 256; id++) {
        for (enum pd_order o = PD_LITTLE; o <= PD_BIG; o++) {
            struct pd_feature f;
            size_t size = 1;
            memset(&f, 0xee, sizeof f);
            assert_int_equal(pd_feature_decode(o, id, 4, guard_room(0, 0), 0, &f, NULL), PD_OK);
            assert_int_equal(f.id, id);
            assert_null(f.layout);
            assert_int_equal(f.raw.n, 0);
            assert_int_equal(f.rest.n, 0);
            assert_int_equal(pd_feature_encode(o, &f, guard_room(1, 0), 0, &size, NULL), PD_OK);
            assert_int_equal(size, 0);
        }
    }
}

/* The elements of a list through the accessors, in any order and one after another. */
static void elements(void **state)
{
    static const char text[] = TOPOLOGY2_TEXT;
    (void)state;
    for (enum pd_order o = PD_LITTLE; o <= PD_BIG; o++) {
        uint8_t bytes[GOLDEN_MAX];
        struct pd_feature f;
        struct pd_string s;
        struct pd_cpu_topology_cpu cpu;
        const size_t n = golden_bytes(text, o, bytes, sizeof bytes);
        assert_int_equal(pd_feature_decode(o, PD_FEAT_CPU_TOPOLOGY, 2, bytes, n, &f, NULL), PD_OK);
        struct pd_list l = f.u.cpu_topology.cores;
        assert_true(pd_string_next(&l, &s));
        assert_true(s.text.len == 1 && s.text.ptr[0] == '0' && s.text.size == 64);
        assert_true(pd_string_next(&l, &s));
        assert_true(s.text.len == 1 && s.text.ptr[0] == '1');
        assert_false(pd_string_next(&l, &s));
        pd_cpu_topology_cpu_at(&f.u.cpu_topology.cpus, 1, &cpu);
        assert_true(cpu.core_id == 0x108 && cpu.socket_id == 9);
        pd_cpu_topology_cpu_at(&f.u.cpu_topology.cpus, 0, &cpu);
        assert_true(cpu.core_id == 7 && cpu.socket_id == UINT32_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(empty_sections),
        cmocka_unit_test(elements),
    };
    return golden_run_features("features", cases, sizeof cases / sizeof *cases, others,
                               sizeof others / sizeof *others);
}
