/* SPDX-License-Identifier: MIT */
/*
 * golden_records.c - the records of the kernel except SAMPLE, perf's own with a layout, and unknown ones.
 * Checks R1, R5, R6.
 */
#include "golden.h"

#include "cmocka_all.h"
#include "src/schema/schema.h"
#include <stdio.h>
#include <string.h>

#define ID_ALL .flags = PD_ATTR_SAMPLE_ID_ALL
/* the sample_type bits of trailers: TID 2, TIME 4, ID 0x40, CPU 0x80, STREAM_ID 0x200, IDENTIFIER 0x10000 */
#define ALL_SIX .attr = {.sample_type = 0x102c6, ID_ALL}
#define SIX_TEXT                                                                              \
    " 00000f55 00000f57 000000021bf3592a 00000000000001a7 00000000000001b8 00000003 0badcafe" \
    " 00000000000001c9"
#define SIX                                                                                        \
    ID(.pid = 0xf55, .tid = 0xf57, .time = 0x21bf3592a, .id = 0x1a7, .stream_id = 0x1b8, .cpu = 3, \
       .res = 0xbadcafe, .identifier = 0x1c9)

#define X16 "\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11"
#define X64 X16 X16 X16 X16
#define X256 X64 X64 X64 X64

/* clang-format off */
static struct golden cases[] = {
    {"MMAP without trailer",
     .attr = {.sample_type = 0x102c6},
     .text = "00000001 2002 0038 ffffffff 00000f56 1122334455667788 0000000000021000 0000000000003000"
             " '/lib/ld.so.1' =00*4",
     .rec = {.type = 1, .misc = 0x2002,
             .u.mmap = {.pid = UINT32_MAX, .tid = 0xf56, .addr = 0x1122334455667788, .len = 0x21000,
                        .pgoff = 0x3000, .filename = PD_STR("/lib/ld.so.1")}}},
    {"MMAP with left-overs behind the NUL, all six fields",
     ALL_SIX,
     .text = "00000001 1001 0068 0a0b0c0d 0e0f1011 ffffffff81000000 0000000000000fff 8000000000000001"
             " 'vdso' =00 'left-over-x' " SIX_TEXT,
     .rec = {.type = 1, .misc = 0x1001, SIX,
             .u.mmap = {.pid = 0xa0b0c0d, .tid = 0xe0f1011, .addr = 0xffffffff81000000, .len = 0xfff,
                        .pgoff = 0x8000000000000001, .filename = SLOT_OF("vdso\0left-over-x", 4)}}},
    {"MMAP whose name has more padding than it needs",
     .attr = {.sample_type = 0x2, ID_ALL},
     .text = "00000001 0002 0048 00000001 00000002 0000000000000003 0000000000000004 0000000000000005"
             " '/abc' =00*20"
             " 00000f55 00000f57",
     .rec = {.type = 1, .misc = 2, ID(.pid = 0xf55, .tid = 0xf57),
             .u.mmap = {.pid = 1, .tid = 2, .addr = 3, .len = 4, .pgoff = 5,
                        .filename = SLOT_OF("/abc\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 4)}}},
    {"MMAP whose name has no NUL",
     .text = "00000001 0000 002b 00000001 00000002 0000000000000003 0000000000000004 0000000000000005 'abc'",
     .rec = {.type = 1,
             .u.mmap = {.pid = 1, .tid = 2, .addr = 3, .len = 4, .pgoff = 5, .filename = SLOT_OF("abc", 3)}}},
    {"MMAP without a name",
     .text = "00000001 0000 0028 00000001 00000002 0000000000000003 0000000000000004 0000000000000005",
     .rec = {.type = 1,
             .u.mmap = {.pid = 1, .tid = 2, .addr = 3, .len = 4, .pgoff = 5, .filename = {"", 0, 0}}}},

    {"LOST as seen, trailer TID TIME ID CPU",
     .attr = {.sample_type = 0xc6, ID_ALL},
     .text = "00000002 0000 0038 0000000000000361 0000000000000022 00005ab9 00005ab9 0000045acaa547ac"
             " 0000000000000361"
             " 00000000 00000000",
     .seen = "02000000 0000 3800 6103000000000000 2200000000000000 b95a0000b95a0000 ac47a5ca5a040000"
             " 6103000000000000 "
             "0000000000000000",
     .rec = {.type = 2, ID(.pid = 0x5ab9, .tid = 0x5ab9, .time = 0x45acaa547ac, .id = 0x361),
             .u.lost = {.id = 0x361, .lost = 0x22}}},
    {"LOST, all six fields",
     ALL_SIX,
     .text = "00000002 0000 0048 f1f2f3f4f5f6f7f8 0102030405060708" SIX_TEXT,
     .rec = {.type = 2, SIX, .u.lost = {.id = 0xf1f2f3f4f5f6f7f8, .lost = 0x102030405060708}}},
    {"LOST with a newer field before the trailer",
     .attr = {.sample_type = 0x80, ID_ALL},
     .text = "00000002 0000 0028 0000000000000001 0000000000000002 =0102030405060708 00000007 00000000",
     .rec = {.type = 2, .rest = RAW("\1\2\3\4\5\6\7\10"), ID(.cpu = 7), .u.lost = {.id = 1, .lost = 2}}},

    {"COMM as seen, trailer TID TIME ID",
     .attr = {.sample_type = 0x167, ID_ALL},
     .text = "00000003 2000 0030 0000550f 0000550f 'ls' =00*6 0000550f 0000550f 00000215abf35941"
             " 00000000000001a7",
     .seen = "03000000 0020 3000 0f550000 0f550000 6c73000000000000 0f5500000f550000 4159f3ab15020000"
             " a701000000000000",
     .rec = {.type = 3, .misc = 0x2000, ID(.pid = 0x550f, .tid = 0x550f, .time = 0x215abf35941, .id = 0x1a7),
             .u.comm = {.pid = 0x550f, .tid = 0x550f, .comm = PD_STR("ls")}}},
    {"COMM with left-overs behind the NUL",
     .attr = {.sample_type = 0x4, ID_ALL},
     .text = "00000003 0000 0028 00000abc 00000abd 'sh' =00 'rum' =00ff 'gdb-x' =0000aa 0000000000000000",
     .rec = {.type = 3, .has_id = true,
             .u.comm = {.pid = 0xabc, .tid = 0xabd, .comm = SLOT_OF("sh\0rum\0\377gdb-x\0\0\252", 2)}}},
    {"COMM of fifteen bytes",
     .text = "00000003 0000 0020 00000abc 00000abd 'kworker/u256:11' =00",
     .rec = {.type = 3, .u.comm = {.pid = 0xabc, .tid = 0xabd, .comm = PD_STR("kworker/u256:11")}}},
    {"COMM whose name fills eight bytes needs eight more",
     .text = "00000003 0000 0020 00000abc 00000abd 'perfdata' =00*8",
     .rec = {.type = 3, .u.comm = {.pid = 0xabc, .tid = 0xabd, .comm = PD_STR("perfdata")}}},

    {"EXIT as seen, trailer TID TIME ID",
     .attr = {.sample_type = 0x167, ID_ALL},
     .text = "00000004 0000 0038 0000550f 0000550e 0000550f 0000550e 00000215b48511bc 0000550f 0000550f"
             " 00000215b4850f09 00000000000001a7",
     .seen = "04000000 0000 3800 0f550000 0e550000 0f550000 0e550000 bc1185b415020000 0f5500000f550000 "
             "090f85b415020000 a701000000000000",
     .rec = {.type = 4, ID(.pid = 0x550f, .tid = 0x550f, .time = 0x215b4850f09, .id = 0x1a7),
             .u.exit = {.pid = 0x550f, .ppid = 0x550e, .tid = 0x550f, .ptid = 0x550e,
                        .time = 0x215b48511bc}}},
    {"EXIT, every field different, trailer STREAM_ID",
     .attr = {.sample_type = 0x200, ID_ALL},
     .text = "00000004 0000 0028 01020304 05060708 090a0b0c 0d0e0f10 1112131415161718 2122232425262728",
     .rec = {.type = 4, ID(.stream_id = 0x2122232425262728),
             .u.exit = {.pid = 0x1020304, .ppid = 0x5060708, .tid = 0x90a0b0c, .ptid = 0xd0e0f10,
                        .time = 0x1112131415161718}}},

    {"THROTTLE as seen, trailer TID TIME CPU IDENTIFIER",
     .attr = {.sample_type = 0x10086, ID_ALL},
     .text = "00000005 0000 0040 00000229b2757625 000000000000021e 000000000000021e 00000f55 00000f56"
             " 00000229b2757000"
             " 00000001 00000000 000000000000021e",
     .rec = {.type = 5, ID(.pid = 0xf55, .tid = 0xf56, .time = 0x229b2757000, .cpu = 1, .identifier = 0x21e),
             .u.throttle = {.time = 0x229b2757625, .id = 0x21e, .stream_id = 0x21e}}},
    {"THROTTLE, every field different",
     .text = "00000005 0000 0020 0102030405060708 1112131415161718 2122232425262728",
     .rec = {.type = 5,
             .u.throttle = {.time = 0x102030405060708, .id = 0x1112131415161718,
                            .stream_id = 0x2122232425262728}}},
    {"UNTHROTTLE, every field different, trailer ID CPU",
     .attr = {.sample_type = 0xc0, ID_ALL},
     .text = "00000006 0000 0030 0102030405060708 1112131415161718 2122232425262728 3132333435363738"
             " 41424344 51525354",
     .rec = {.type = 6, ID(.id = 0x3132333435363738, .cpu = 0x41424344, .res = 0x51525354),
             .u.unthrottle = {.time = 0x102030405060708, .id = 0x1112131415161718,
                              .stream_id = 0x2122232425262728}}},

    {"FORK, every field different, all six fields",
     ALL_SIX,
     .text = "00000007 2000 0050 01020304 05060708 090a0b0c 0d0e0f10 1112131415161718" SIX_TEXT,
     .rec = {.type = 7, .misc = 0x2000, SIX,
             .u.fork = {.pid = 0x1020304, .ppid = 0x5060708, .tid = 0x90a0b0c, .ptid = 0xd0e0f10,
                        .time = 0x1112131415161718}}},

    {"READ as seen, read_format 0x17, trailer TID TIME",
     .attr = {.sample_type = 0x6, .read_format = 0x17, ID_ALL},
     .text = "00000008 0000 0048 00005956 00005956 00000000000fff2f 000000000010a0cb 00000000000fe8ed"
             " 0000000000000342"
             " 0000000000000000 00005956 00005956 0000045130317842",
     .seen = "08000000 0000 4800 56590000 56590000 2fff0f0000000000 cba0100000000000 ede80f0000000000"
             " 4203000000000000 "
             "0000000000000000 5659000056590000 4278313051040000",
     .rec = {.type = 8, ID(.pid = 0x5956, .tid = 0x5956, .time = 0x45130317842),
             .u.read = {.pid = 0x5956, .tid = 0x5956,
                        .values = {.value = 0xfff2f, .time_enabled = 0x10a0cb, .time_running = 0xfe8ed,
                                   .id = 0x342}}}},

    {"MMAP2 with build id as seen, trailer TID TIME ID",
     .attr = {.sample_type = 0x167, ID_ALL},
     .text = "0000000a 4002 0070 0000550f 0000550f 000056349b715000 0000000000016000 0000000000004000 14"
             " 00 0000"
             " =15dfff3239aa7c3b16a71e6b2e3b6e4009dab998 00000005 00000002 '/usr/bin/ls' =00*5 0000550f"
             " 0000550f"
             " 00000215abf3d86f 00000000000001a7",
     .seen = "0a000000 0240 7000 0f550000 0f550000 0050719b34560000 0060010000000000 0040000000000000"
             " 14000000 "
             "15dfff3239aa7c3b16a71e6b2e3b6e4009dab998 05000000 02000000 2f7573722f62696e2f6c730000000000 "
             "0f5500000f550000 6fd8f3ab15020000 a701000000000000",
     .rec = {.type = 10, .misc = 0x4002, ID(.pid = 0x550f, .tid = 0x550f, .time = 0x215abf3d86f, .id = 0x1a7),
             .u.mmap2 = {.pid = 0x550f, .tid = 0x550f, .addr = 0x56349b715000, .len = 0x16000,
                         .pgoff = 0x4000, .build_id_size = 20,
                         .build_id = {0x15, 0xdf, 0xff, 0x32, 0x39, 0xaa, 0x7c, 0x3b, 0x16, 0xa7,
                                      0x1e, 0x6b, 0x2e, 0x3b, 0x6e, 0x40, 0x09, 0xda, 0xb9, 0x98},
                         .prot = 5, .flags = 2, .filename = PD_STR("/usr/bin/ls")}}},
    {"MMAP2 with a short build id and reserved bytes in use",
     .text = "0000000a 6001 0050 01020304 05060708 1112131415161718 2122232425262728 3132333435363738 08"
             " a1 b1b2"
             " =0102030405060708 =00*12 00000007 61626364 '[vdso]' =0000",
     .rec = {.type = 10, .misc = 0x6001,
             .u.mmap2 = {.pid = 0x1020304, .tid = 0x5060708, .addr = 0x1112131415161718,
                         .len = 0x2122232425262728, .pgoff = 0x3132333435363738, .build_id_size = 8,
                         .reserved_1 = 0xa1, .reserved_2 = 0xb1b2,
                         .build_id = {1, 2, 3, 4, 5, 6, 7, 8}, .prot = 7, .flags = 0x61626364,
                         .filename = PD_STR("[vdso]")}}},
    {"MMAP2 with inode, all six fields",
     ALL_SIX,
     .text = "0000000a 0002 0080 01020304 05060708 1112131415161718 2122232425262728 3132333435363738"
             " 41424344 45464748"
             " 5152535455565758 6162636465666768 00000005 00100802 '/a/b' =00*4" SIX_TEXT,
     .rec = {.type = 10, .misc = 2, SIX,
             .u.mmap2 = {.pid = 0x1020304, .tid = 0x5060708, .addr = 0x1112131415161718,
                         .len = 0x2122232425262728, .pgoff = 0x3132333435363738, .maj = 0x41424344,
                         .min = 0x45464748, .ino = 0x5152535455565758, .ino_generation = 0x6162636465666768,
                         .prot = 5, .flags = 0x100802, .filename = PD_STR("/a/b")}}},
    {"MMAP2 with inode and left-overs behind the NUL",
     .attr = {.sample_type = 0x10004, ID_ALL},
     .text = "0000000a 0002 0068 00000001 00000001 0000000000000002 0000000000000003 0000000000000004"
             " 00000005 00000006"
             " 0000000000000007 0000000000000008 00000003 00000012 '//anon' =00ff 'leftover' 0000000000000000"
             " 00000000000001c9",
     .rec = {.type = 10, .misc = 2, ID(.identifier = 0x1c9),
             .u.mmap2 = {.pid = 1, .tid = 1, .addr = 2, .len = 3, .pgoff = 4, .maj = 5, .min = 6, .ino = 7,
                         .ino_generation = 8, .prot = 3, .flags = 0x12,
                         .filename = SLOT_OF("//anon\0\377leftover", 6)}}},
    {"early MMAP2, without prot and flags",
     .attr = {.sample_type = 0x6, ID_ALL},
     .text = "0000000a 0002 0060 01020304 05060708 1112131415161718 2122232425262728 3132333435363738"
             " 41424344 45464748"
             " 5152535455565758 6162636465666768 '/bin/true-or-so' =00 00000f55 00000f57 0000000000001234",
     .rec = {.type = 10, .misc = 2, .variant = PD_VARIANT_EARLY_MMAP2,
             ID(.pid = 0xf55, .tid = 0xf57, .time = 0x1234),
             .u.mmap2 = {.pid = 0x1020304, .tid = 0x5060708, .addr = 0x1112131415161718,
                         .len = 0x2122232425262728, .pgoff = 0x3132333435363738, .maj = 0x41424344,
                         .min = 0x45464748, .ino = 0x5152535455565758,
                         .ino_generation = 0x6162636465666768, .filename = PD_STR("/bin/true-or-so")}}},
    {"early MMAP2 with the shortest name",
     .text = "0000000a 0001 0048 00000001 00000002 0000000000000003 0000000000000004 0000000000000005"
             " 00000006 00000007"
             " 0000000000000008 0000000000000009 '[vdso]' =0000",
     .rec = {.type = 10, .misc = 1, .variant = PD_VARIANT_EARLY_MMAP2,
             .u.mmap2 = {.pid = 1, .tid = 2, .addr = 3, .len = 4, .pgoff = 5, .maj = 6, .min = 7, .ino = 8,
                         .ino_generation = 9, .filename = PD_STR("[vdso]")}}},

    {"AUX, trailer TIME IDENTIFIER",
     .attr = {.sample_type = 0x10004, ID_ALL},
     .text = "0000000b 0000 0030 0102030405060708 1112131415161718 2122232425262728 3132333435363738"
             " 4142434445464748",
     .rec = {.type = 11, ID(.time = 0x3132333435363738, .identifier = 0x4142434445464748),
             .u.aux = {.aux_offset = 0x102030405060708, .aux_size = 0x1112131415161718,
                       .flags = 0x2122232425262728}}},
    {"ITRACE_START, all six fields",
     ALL_SIX,
     .text = "0000000c 0000 0040 01020304 05060708" SIX_TEXT,
     .rec = {.type = 12, SIX, .u.itrace_start = {.pid = 0x1020304, .tid = 0x5060708}}},

    {"LOST_SAMPLES as perf writes it, sample_id_all set",
     .attr = {.sample_type = 0xc6, ID_ALL},
     .text = "0000000d 0000 0030 0000000000000022 00000000 00000000 0000000000000000 0000000000000361"
             " 00000000 00000000",
     .seen = "0d000000 0000 3000 2200000000000000 0000000000000000 0000000000000000 6103000000000000"
             " 0000000000000000",
     .rec = {.type = 13, ID(.id = 0x361), .u.lost_samples = {.lost = 0x22}}},
    {"LOST_SAMPLES with a sample_id though sample_id_all is clear",
     .attr = {.sample_type = 0xc6},
     .text = "0000000d 8000 0030 0000000000000022 00000000 00000000 0000000000000000 0000000000000361"
             " 00000005 00000000",
     .rec = {.type = 13, .misc = 0x8000, .variant = PD_VARIANT_SAMPLE_ID, ID(.id = 0x361, .cpu = 5),
             .u.lost_samples = {.lost = 0x22}}},
    {"LOST_SAMPLES without a sample_id, sample_id_all clear",
     .attr = {.sample_type = 0xc6},
     .text = "0000000d 0000 0010 0102030405060708",
     .rec = {.type = 13, .u.lost_samples = {.lost = 0x102030405060708}}},
    {"LOST_SAMPLES with a tail that is no sample_id, sample_id_all clear",
     .attr = {.sample_type = 0xc6},
     .text = "0000000d 0000 0018 0102030405060708 =1112131415161718",
     .rec = {.type = 13, .rest = RAW("\x11\x12\x13\x14\x15\x16\x17\x18"),
             .u.lost_samples = {.lost = 0x102030405060708}}},

    {"SWITCH as seen, trailer TID TIME",
     .attr = {.sample_type = 0x6, ID_ALL},
     .text = "0000000e 6000 0018 00005899 00005899 00000447187bb300",
     .seen = "0e000000 0060 1800 9958000099580000 00b37b1847040000",
     .rec = {.type = 14, .misc = 0x6000, ID(.pid = 0x5899, .tid = 0x5899, .time = 0x447187bb300)}},
    {"SWITCH without trailer",
     .attr = {.sample_type = 0x6},
     .text = "0000000e 0000 0008",
     .rec = {.type = 14}},
    {"SWITCH with a tail",
     .attr = {.sample_type = 0x6},
     .text = "0000000e 2000 000b =010203",
     .rec = {.type = 14, .misc = 0x2000, .rest = RAW("\1\2\3")}},
    {"SWITCH_CPU_WIDE as seen, trailer TID TIME CPU IDENTIFIER",
     .attr = {.sample_type = 0x10086, ID_ALL},
     .text = "0000000f 6000 0030 0000000f 0000000f 0000594c 0000594c 00000450e98e0635 00000000 00000000"
             " 0000000000000339",
     .seen = "0f000000 0060 3000 0f000000 0f000000 4c5900004c590000 35068ee950040000 0000000000000000"
             " 3903000000000000",
     .rec = {.type = 15, .misc = 0x6000,
             ID(.pid = 0x594c, .tid = 0x594c, .time = 0x450e98e0635, .identifier = 0x339),
             .u.switch_cpu_wide = {.next_prev_pid = 0xf, .next_prev_tid = 0xf}}},
    {"SWITCH_CPU_WIDE, both fields different",
     .text = "0000000f 0000 0010 01020304 05060708",
     .rec = {.type = 15, .u.switch_cpu_wide = {.next_prev_pid = 0x1020304, .next_prev_tid = 0x5060708}}},

    {"NAMESPACES, the first three entries as seen, trailer TID TIME",
     .attr = {.sample_type = 0x6, ID_ALL},
     .text = "00000010 0000 0058 00005899 0000589a 0000000000000003 0000000000000004 00000000effffff9"
             " 0000000000000005"
             " 00000000effffffe 0000000000000006 00000000efffffff 00005899 00005899 0000000000000001",
     .rec = {.type = 16, ID(.pid = 0x5899, .tid = 0x5899, .time = 1),
             .u.namespaces = {.pid = 0x5899, .tid = 0x589a, .nr = 3,
                              .namespaces = LIST_OF(pd_namespace_entry, {.dev = 4, .inode = 0xeffffff9},
                                                  {.dev = 5, .inode = 0xeffffffe},
                                                  {.dev = 6, .inode = 0xefffffff})}}},
    {"NAMESPACES without entries, all six fields",
     ALL_SIX,
     .text = "00000010 0000 0048 00000001 00000002 0000000000000000" SIX_TEXT,
     .rec = {.type = 16, SIX, .u.namespaces = {.pid = 1, .tid = 2}}},
    {"NAMESPACES with a tail",
     .text = "00000010 0000 0030 00000001 00000002 0000000000000001 0000000000000003 0000000000000004 =ff*8",
     .rec = {.type = 16, .rest = RAW("\377\377\377\377\377\377\377\377"),
             .u.namespaces = {.pid = 1, .tid = 2, .nr = 1,
                              .namespaces = LIST_OF(pd_namespace_entry, {.dev = 3, .inode = 4})}}},

    {"KSYMBOL as seen, zero trailer",
     .attr = {.sample_type = 0x10086, ID_ALL},
     .text = "00000011 0000 0060 ffffffffc002205c 00000014 0001 0000 'bpf_prog_53fa9c13744dcdc6_tinyprog'"
             " =00*6"
             " 00000000 00000000 0000000000000000 00000000 00000000 0000000000000000",
     .seen = "11000000 0000 6000 5c2002c0ffffffff 14000000 0100 0000 "
             "6270665f70726f675f353366613963313337343464636463365f74696e7970726f6700 0000000000 "
             "0000000000000000 0000000000000000 0000000000000000 0000000000000000",
     .rec = {.type = 17, .has_id = true,
             .u.ksymbol = {.addr = 0xffffffffc002205c, .len = 0x14, .ksym_type = 1, .flags = 0,
                           .name = PD_STR("bpf_prog_53fa9c13744dcdc6_tinyprog")}}},
    {"KSYMBOL, every field different",
     .text = "00000011 0000 0020 0102030405060708 11121314 2122 3132 'ftrace' =0000",
     .rec = {.type = 17,
             .u.ksymbol = {.addr = 0x102030405060708, .len = 0x11121314, .ksym_type = 0x2122, .flags = 0x3132,
                           .name = PD_STR("ftrace")}}},

    {"BPF_EVENT as seen, zero trailer",
     .attr = {.sample_type = 0x10086, ID_ALL},
     .text = "00000012 0000 0038 0001 0000 00000061 =59f4a931744dcdc6 00000000 00000000 0000000000000000"
             " 00000000 00000000"
             " 0000000000000000",
     .seen = "12000000 0000 3800 0100 0000 61000000 59f4a931744dcdc6 0000000000000000 0000000000000000 "
             "0000000000000000 0000000000000000",
     .rec = {.type = 18, .has_id = true,
             .u.bpf_event = {.type = 1, .flags = 0, .id = 0x61,
                             .tag = {0x59, 0xf4, 0xa9, 0x31, 0x74, 0x4d, 0xcd, 0xc6}}}},
    {"BPF_EVENT, every field different, all six fields",
     ALL_SIX,
     .text = "00000012 0000 0048 0102 1112 21222324 =3132333435363738" SIX_TEXT,
     .rec = {.type = 18, SIX,
             .u.bpf_event = {.type = 0x102, .flags = 0x1112, .id = 0x21222324,
                             .tag = {0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38}}}},

    {"CGROUP as seen, zero trailer",
     .attr = {.sample_type = 0x6, ID_ALL},
     .text = "00000013 0000 0028 0000000000000001 '/' =00*7 00000000 00000000 0000000000000000",
     .seen = "13000000 0000 2800 0100000000000000 2f00000000000000 0000000000000000 0000000000000000",
     .rec = {.type = 19, .has_id = true, .u.cgroup = {.id = 1, .path = PD_STR("/")}}},
    {"CGROUP, all six fields",
     ALL_SIX,
     .text = "00000013 0000 0050 0102030405060708 '/user.slice/x.y' =00" SIX_TEXT,
     .rec = {.type = 19, SIX, .u.cgroup = {.id = 0x102030405060708, .path = PD_STR("/user.slice/x.y")}}},

    {"TEXT_POKE with padding, all six fields",
     ALL_SIX,
     .text = "00000014 0001 0050 ffffffff81234567 0005 0005 =0f1f440000 =e8fbffffff =0000" SIX_TEXT,
     .rec = {.type = 20, .misc = 1, SIX, .rest = RAW("\0\0"),
             .u.text_poke = {.addr = 0xffffffff81234567, .old_len = 5, .new_len = 5,
                             .old_bytes = RAW("\x0f\x1f\x44\0\0"),
                             .new_bytes = RAW("\xe8\xfb\xff\xff\xff")}}},
    {"TEXT_POKE, lengths different, left-overs in the padding",
     .text = "00000014 0001 0120 0102030405060708 0102 0003 =11*258 =a1a2a3 =01020304050607",
     .rec = {.type = 20, .misc = 1, .rest = RAW("\1\2\3\4\5\6\7"),
             .u.text_poke = {.addr = 0x102030405060708, .old_len = 0x102, .new_len = 3,
                             .old_bytes = {(const uint8_t *)X256 "\x11\x11", 0x102},
                             .new_bytes = RAW("\xa1\xa2\xa3")}}},
    {"TEXT_POKE, old bytes only",
     .text = "00000014 0001 0018 0102030405060708 0003 0000 =a1a2a3 =99",
     .rec = {.type = 20, .misc = 1, .rest = RAW("\x99"),
             .u.text_poke = {.addr = 0x102030405060708, .old_len = 3, .old_bytes = RAW("\xa1\xa2\xa3")}}},
    {"TEXT_POKE, new bytes only",
     .text = "00000014 0001 0018 0102030405060708 0000 0004 =b1b2b3b4",
     .rec = {.type = 20, .misc = 1,
             .u.text_poke = {.addr = 0x102030405060708, .new_len = 4, .new_bytes = RAW("\xb1\xb2\xb3\xb4")}}},

    {"AUX_OUTPUT_HW_ID, trailer CPU STREAM_ID",
     .attr = {.sample_type = 0x280, ID_ALL},
     .text = "00000015 0000 0020 0102030405060708 1112131415161718 21222324 31323334",
     .rec = {.type = 21, ID(.stream_id = 0x1112131415161718, .cpu = 0x21222324, .res = 0x31323334),
             .u.aux_output_hw_id = {.hw_id = 0x102030405060708}}},

    {"CALLCHAIN_DEFERRED, all six fields",
     ALL_SIX,
     .text = "00000016 0002 0058 0102030405060708 0000000000000002 1112131415161718"
             " 2122232425262728" SIX_TEXT,
     .rec = {.type = 22, .misc = 2, SIX,
             .u.callchain_deferred = {.cookie = 0x102030405060708, .nr = 2,
                                      .ips = WORDS(0x1112131415161718, 0x2122232425262728)}}},
    {"CALLCHAIN_DEFERRED without entries",
     .attr = {.sample_type = 0x40, ID_ALL},
     .text = "00000016 0002 0020 0102030405060708 0000000000000000 00000000000001a7",
     .rec = {.type = 22, .misc = 2, ID(.id = 0x1a7), .u.callchain_deferred = {.cookie = 0x102030405060708}}},

    {"unknown type 62 with trailer",
     ALL_SIX,
     .text = "0000003e abcd 0040 =0102030405060708" SIX_TEXT,
     .rec = {.type = 62, .misc = 0xabcd, SIX, .rest = RAW("\1\2\3\4\5\6\7\10")}},
    {"unknown type 63 without trailer",
     .attr = {.sample_type = 0x102c6},
     .text = "0000003f ffff 000d =0102030405",
     .rec = {.type = 63, .misc = 0xffff, .rest = RAW("\1\2\3\4\5")}},
    {"unknown type 87: no trailer, sample_id_all set",
     ALL_SIX,
     .text = "00000057 0000 0010 =0102030405060708",
     .rec = {.type = 87, .rest = RAW("\1\2\3\4\5\6\7\10")}},
    {"unknown type 0xfffffffe, nothing in it",
     ALL_SIX,
     .text = "fffffffe 0000 0008",
     .rec = {.type = 0xfffffffe}},

    /* perf's own records; none has a trailer, with any attr. */
    {"HEADER_TRACING_DATA of 12 bytes",
     ALL_SIX,
     .text = "00000042 0000 000c 01020304",
     .rec = {.type = 66, .u.header_tracing_data = {.data_size = 0x1020304}}},
    {"HEADER_TRACING_DATA of 16 bytes",
     .text = "00000042 0000 0010 01020304 =a1a2a3a4",
     .rec = {.type = 66, .rest = RAW("\xa1\xa2\xa3\xa4"), .u.header_tracing_data = {.data_size = 0x1020304}}},
    {"FINISHED_ROUND as seen",
     ALL_SIX,
     .text = "00000044 0000 0008",
     .seen = "44000000 0000 0800",
     .rec = {.type = 68}},
    {"AUXTRACE",
     ALL_SIX,
     .text = "00000047 0000 0030 0102030405060708 1112131415161718 2122232425262728 31323334 41424344"
             " ffffffff 51525354",
     .rec = {.type = 71,
             .u.auxtrace = {.size = 0x102030405060708, .offset = 0x1112131415161718,
                            .reference = 0x2122232425262728, .idx = 0x31323334, .tid = 0x41424344,
                            .cpu = UINT32_MAX, .reserved = 0x51525354}}},
    {"STAT as seen",
     ALL_SIX,
     .text = "0000004c 0000 0030 00000000000001ee ffffffff 00000000 00000000000f7a9c 00000000000f7a9c"
             " 00000000000f7a9c",
     .seen = "4c000000 0000 3000 ee01000000000000 ffffffff 00000000 9c7a0f0000000000 9c7a0f0000000000"
             " 9c7a0f0000000000",
     .rec = {.type = 76,
             .u.stat = {.id = 0x1ee, .cpu = UINT32_MAX, .val = 0xf7a9c, .ena = 0xf7a9c, .run = 0xf7a9c}}},
    {"STAT, every field different",
     .text = "0000004c 0000 0030 0102030405060708 11121314 21222324 3132333435363738 4142434445464748"
             " 5152535455565758",
     .rec = {.type = 76,
             .u.stat = {.id = 0x102030405060708, .cpu = 0x11121314, .thread = 0x21222324,
                        .val = 0x3132333435363738, .ena = 0x4142434445464748, .run = 0x5152535455565758}}},
    {"STAT_ROUND as seen",
     ALL_SIX,
     .text = "0000004d 0000 0018 0000000000000001 000000000017abab",
     .seen = "4d000000 0000 1800 0100000000000000 abab170000000000",
     .rec = {.type = 77, .u.stat_round = {.type = 1, .time = 0x17abab}}},
    {"COMPRESSED, with garbage in misc",
     ALL_SIX,
     .text = "00000051 dcb8 000d =28b52ffd20",
     .rec = {.type = 81, .misc = 0xdcb8, .u.compressed = {.data = RAW("\x28\xb5\x2f\xfd\x20")}}},
    {"COMPRESSED2",
     ALL_SIX,
     .text = "00000053 0000 0018 0000000000000005 =28b52ffd20 =000001",
     .rec = {.type = 83, .rest = RAW("\0\0\1"),
             .u.compressed2 = {.data_size = 5, .data = RAW("\x28\xb5\x2f\xfd\x20")}}},
    {"FINISHED_INIT as seen",
     ALL_SIX,
     .text = "00000052 0000 0008",
     .seen = "52000000 0000 0800",
     .rec = {.type = 82}},
};
/* clang-format on */

/* ---- All 64 trailers: their fields follow from six bits; other fields of samples do not matter. */

static const struct {
    uint64_t bit;
    const char *text;
} trailer_fields[] = {
    {PD_SAMPLE_TID, " 00000f55 00000f57"}, {PD_SAMPLE_TIME, " 000000021bf3592a"},
    {PD_SAMPLE_ID, " 00000000000001a7"},   {PD_SAMPLE_STREAM_ID, " 00000000000001b8"},
    {PD_SAMPLE_CPU, " 00000003 0badcafe"}, {PD_SAMPLE_IDENTIFIER, " 00000000000001c9"},
};

static void drop_absent(struct pd_sample_id *id, uint64_t sample_type)
{
    if (!(sample_type & PD_SAMPLE_TID))
        id->pid = id->tid = 0;
    if (!(sample_type & PD_SAMPLE_TIME))
        id->time = 0;
    if (!(sample_type & PD_SAMPLE_ID))
        id->id = 0;
    if (!(sample_type & PD_SAMPLE_STREAM_ID))
        id->stream_id = 0;
    if (!(sample_type & PD_SAMPLE_CPU))
        id->cpu = id->res = 0;
    if (!(sample_type & PD_SAMPLE_IDENTIFIER))
        id->identifier = 0;
}

/* `others`: bits of sample_type that do not affect the trailer. */
static void check_trailers(uint64_t others)
{
    for (unsigned set = 0; set < 64; set++) {
        char fields[200] = "", text[300];
        struct golden g = {.name = text,
                           .attr = {.sample_type = others, ID_ALL},
                           .text = text,
                           .rec = {.type = PD_RECORD_ITRACE_START,
                                   SIX,
                                   .u.itrace_start = {.pid = 0x1020304, .tid = 0x5060708}}};
        for (size_t i = 0; i < 6; i++) {
            if (!(set >> i & 1))
                continue;
            g.attr.sample_type |= trailer_fields[i].bit;
            strcat(fields, trailer_fields[i].text);
        }
        drop_absent(&g.rec.id, g.attr.sample_type);
        snprintf(text, sizeof text, "0000000c 0000 %04x 01020304 05060708%s",
                 16 + 8 * (unsigned)__builtin_popcount(set), fields);
        golden_check(&g);
    }
}

static void trailers(void **state)
{
    (void)state;
    check_trailers(0);
    check_trailers(PD_SAMPLE_IP | PD_SAMPLE_ADDR | PD_SAMPLE_PERIOD | PD_SAMPLE_READ | PD_SAMPLE_RAW |
                   PD_SAMPLE_AUX);
}

/* ---- Types without a layout: those below 64 have a trailer. */

static void unknown_types(void **state)
{
    (void)state;
    for (uint32_t type = 0; type < 130; type++) {
        char text[200];
        struct golden g = {.name = text,
                           .attr = {.sample_type = 0x4, ID_ALL},
                           .text = text,
                           .rec = {.type = type, .misc = 0x1234, .rest = RAW("\1\2\3")}};
        assert_true(type == 0 || type > 22 || pi_layout_of(type));
        if (pi_layout_of(type))
            continue;
        if (type < 64)
            g.rec.has_id = true, g.rec.id.time = 0x1112131415161718;
        snprintf(text, sizeof text, "%08x 1234 %04x =010203%s", type, type < 64 ? 19u : 11u,
                 type < 64 ? ""
                             " 1112131415161718"
                           : "");
        golden_check(&g);
    }
}

/* ---- READ records: every read_format. The bytes behind pid and tid have the layout of samples. */

static void read_formats(void **state)
{
    (void)state;
    for (unsigned rf = 0; rf < 32; rf++) {
        char text[400], values[300];
        struct golden g = {.name = text,
                           .attr = {.sample_type = 0x4, .read_format = rf, ID_ALL},
                           .text = text,
                           .rec = {.type = PD_RECORD_READ,
                                   ID(.time = 0x4142434445464748),
                                   .u.read = {.pid = 0x1020304, .tid = 0x5060708}}};
        const size_t words = golden_read_values(rf, 2, values, &g.rec.u.read.values);
        snprintf(text, sizeof text, "00000008 0000 %04zx 01020304 05060708%s 4142434445464748",
                 24 + 8 * words, values);
        golden_check(&g);
    }
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(trailers),
        cmocka_unit_test(unknown_types),
        cmocka_unit_test(read_formats),
    };
    return golden_run("records", cases, sizeof cases / sizeof *cases, others, sizeof others / sizeof *others);
}
