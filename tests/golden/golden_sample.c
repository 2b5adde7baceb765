/* SPDX-License-Identifier: MIT */
/*
 * golden_sample.c - SAMPLE records: every field alone, all of them together, and each form of a field. Checks
 * R1, R5, R6.
 */
#include "golden.h"

#include "alike.h"
#include "cmocka_all.h"
#include "guard.h"
#include <stdio.h>
#include <string.h>

/* clang-format off */
#define HW_INDEX 0x20000
#define COUNTERS 0x80000
#define SAMPLE(...) .rec = {.type = 9, .misc = 0x4002, .u.sample = {__VA_ARGS__}}
#define SAMPLE_VARIANT(variant_, ...) \
    .rec = {.type = 9, .misc = 0x4002, .variant = (variant_), .u.sample = {__VA_ARGS__}}
#define HEAD "00000009 4002 "
#define W1 "1112131415161718"
#define W2 "2122232425262728"
#define W3 "3132333435363738"
#define N1 0x1112131415161718
#define N2 0x2122232425262728
#define N3 0x3132333435363738

/* A field of one word: a case is a line. */
#define WORD(name_, bit_, field_) \
    {name_ " alone", .attr = {.sample_type = (bit_)}, .text = HEAD "0010 " W1, SAMPLE(.field_ = N1)}

/* Branch flags: the layouts of a big-endian and of a little-endian compiler. */
#define FLAGS_213 "a000d00000000000/00000000000000d5"      /* mispred, in_tx, cycles 13 */
#define FLAGS_RESERVED "00000000000000d5/000001aa00000000" /* reserved 213 */
#define FLAGS_MANY "512344a6c0000001/800000036641234a"     /* see branch_flags() below */

static struct golden cases[] = {
    WORD("IP", 0x1, ip),
    {"TID alone", .attr = {.sample_type = 0x2}, .text = HEAD "0010 01020304 05060708",
     SAMPLE(.pid = 0x1020304, .tid = 0x5060708)},
    WORD("TIME", 0x4, time),
    WORD("ADDR", 0x8, addr),
    {"READ alone", .attr = {.sample_type = 0x10}, .text = HEAD "0010 " W1, SAMPLE(.read = {.value = N1})},
    {"CALLCHAIN alone", .attr = {.sample_type = 0x20}, .text = HEAD "0018 0000000000000001 " W1,
     SAMPLE(.callchain = {1, WORDS(N1)})},
    WORD("ID", 0x40, id),
    {"CPU alone", .attr = {.sample_type = 0x80}, .text = HEAD "0010 01020304 05060708",
     SAMPLE(.cpu = 0x1020304, .res = 0x5060708)},
    WORD("PERIOD", 0x100, period),
    WORD("STREAM_ID", 0x200, stream_id),
    {"RAW alone", .attr = {.sample_type = 0x400}, .text = HEAD "0018 0000000c =0102030405060708090a0b0c",
     SAMPLE(.raw = {12, RAW("\1\2\3\4\5\6\7\10\11\12\13\14")})},
    {"BRANCH_STACK alone", .attr = {.sample_type = 0x800},
     .text = HEAD "0028 0000000000000001 " W1 " " W2 " " FLAGS_213,
     SAMPLE(.branch_stack = {.nr = 1,
                             .entries = LIST_OF(pd_branch_entry, {.from = N1, .to = N2, .flags = 213})})},
    {"REGS_USER alone",
     .attr = {.sample_type = 0x1000, .sample_regs_user = 0x8100000000000001, .sample_regs_intr = 0x7},
     .text = HEAD "0028 0000000000000002 " W1 " " W2 " " W3,
     SAMPLE(.regs_user = {.abi = 2, .regs = WORDS(N1, N2, N3)})},
    {"STACK_USER alone", .attr = {.sample_type = 0x2000}, .text = HEAD "0020 0000000000000008"
             " =a1a2a3a4a5a6a7a8 0000000000000003",
     SAMPLE(.stack_user = {8, RAW("\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8"), 3})},
    WORD("WEIGHT", 0x4000, weight),
    WORD("DATA_SRC", 0x8000, data_src),
    WORD("IDENTIFIER", 0x10000, identifier),
    WORD("TRANSACTION", 0x20000, transaction),
    {"REGS_INTR alone",
     .attr = {.sample_type = 0x40000, .sample_regs_user = 0x7, .sample_regs_intr = 0x300000},
     .text = HEAD "0020 0000000000000002 " W1 " " W2, SAMPLE(.regs_intr = {.abi = 2, .regs = WORDS(N1, N2)})},
    WORD("PHYS_ADDR", 0x80000, phys_addr),
    {"AUX alone", .attr = {.sample_type = 0x100000}, .text = HEAD "0020 0000000000000010 =0102030405060708"
             " =1112131415161718",
     SAMPLE(.aux = {16, RAW("\1\2\3\4\5\6\7\10\x11\x12\x13\x14\x15\x16\x17\x18")})},
    WORD("CGROUP", 0x200000, cgroup),
    WORD("DATA_PAGE_SIZE", 0x400000, data_page_size),
    WORD("CODE_PAGE_SIZE", 0x800000, code_page_size),
    {"WEIGHT_STRUCT alone: var1, var2, var3 in one word", .attr = {.sample_type = 0x1000000},
     .text = HEAD "0010 0003000200000001", SAMPLE(.weight_struct = 0x0003000200000001)},
    {"no field", .text = HEAD "0008", SAMPLE(.ip = 0)},
    {"no field, sample_id_all set: samples have no trailer",
     .attr = {.sample_type = 0x4, .flags = PD_ATTR_SAMPLE_ID_ALL},
     .text = HEAD "0010 " W1, SAMPLE(.time = N1)},

    {"as seen: IP TID TIME CALLCHAIN ID PERIOD",
     .attr = {.sample_type = 0x167, .flags = PD_ATTR_SAMPLE_ID_ALL},
     .text = "00000009 0002 0048 00007efdb18bdb70 0000550f 0000550f 00000215abf79fbb 00000000000001a9"
             " 0000000000000001"
             " 0000000000000002 fffffffffffffe00 00007efdb18bdb70",
     .seen = "09000000 0200 4800 70db8bb1fd7e0000 0f5500000f550000 bb9ff7ab15020000 a901000000000000 "
             "0100000000000000 0200000000000000 00feffffffffffff 70db8bb1fd7e0000",
     .rec = {.type = 9, .misc = 2,
             .u.sample = {.ip = 0x7efdb18bdb70, .pid = 0x550f, .tid = 0x550f, .time = 0x215abf79fbb,
                          .id = 0x1a9, .period = 1,
                          .callchain = {.nr = 2, .ips = WORDS(0xfffffffffffffe00, 0x7efdb18bdb70)}}}},

    {"all fields together, WEIGHT_STRUCT",
     .attr = {.sample_type = 0x1ffbfff, .read_format = 0x1f, .branch_sample_type = HW_INDEX | COUNTERS,
              .sample_regs_user = 0x111, .sample_regs_intr = 0x8000000000000100},
     .text = HEAD "01b0"
             " 0101010101010101 0202020202020202 03030303 04040404 0505050505050505 0606060606060606"
             " 0707070707070707"
             " 0808080808080808 09090909 0a0a0a0a 0b0b0b0b0b0b0b0b"
             " 0000000000000002 0c0c0c0c0c0c0c0c 0d0d0d0d0d0d0d0d 0e0e0e0e0e0e0e0e 0f0f0f0f0f0f0f0f"
             " 1010101010101010"
             " 1111111111111111 1212121212121212 1313131313131313"
             " 0000000000000003 1414141414141414 1515151515151515 1616161616161616"
             " 0000000c =1718191a1b1c1d1e1f202122"
             " 0000000000000002 2323232323232323 2424242424242424 2525252525252525 " FLAGS_213
             " 2626262626262626 2727272727272727 " FLAGS_RESERVED " 2828282828282828 2929292929292929"
             " 0000000000000002 3030303030303030 3131313131313131 3232323232323232"
             " 0000000000000008 =3334353637383940 0000000000000005"
             " 4141414141414141 4242424242424242 4343434343434343"
             " 0000000000000001 4444444444444444 4545454545454545"
             " 4646464646464646 4747474747474747 4848484848484848 4949494949494949"
             " 0000000000000008 =5051525354555657",
     SAMPLE_VARIANT(
         PD_VARIANT_BRANCH_COUNTERS,
         .identifier = 0x101010101010101, .ip = 0x202020202020202, .pid = 0x3030303, .tid = 0x4040404,
         .time = 0x505050505050505, .addr = 0x606060606060606, .id = 0x707070707070707,
         .stream_id = 0x808080808080808, .cpu = 0x9090909, .res = 0xa0a0a0a, .period = 0xb0b0b0b0b0b0b0b,
         .read = {.nr = 2, .time_enabled = 0xc0c0c0c0c0c0c0c, .time_running = 0xd0d0d0d0d0d0d0d,
                  .values = LIST_OF(pd_read_value, {.value = 0xe0e0e0e0e0e0e0e, .id = 0xf0f0f0f0f0f0f0f,
                                                    .lost = 0x1010101010101010},
                                  {.value = 0x1111111111111111, .id = 0x1212121212121212,
                                   .lost = 0x1313131313131313})},
         .callchain = {3, WORDS(0x1414141414141414, 0x1515151515151515, 0x1616161616161616)},
         .raw = {12, RAW("\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x20\x21\x22")},
         .branch_stack = {.nr = 2, .hw_idx = 0x2323232323232323,
                          .entries = LIST_OF(pd_branch_entry, {.from = 0x2424242424242424,
                                                               .to = 0x2525252525252525, .flags = 213},
                                           {.from = 0x2626262626262626, .to = 0x2727272727272727,
                                            .flags = UINT64_C(213) << 33}),
                          .counters = WORDS(0x2828282828282828, 0x2929292929292929)},
         .regs_user = {.abi = 2, .regs = WORDS(0x3030303030303030, 0x3131313131313131, 0x3232323232323232)},
         .stack_user = {8, RAW("\x33\x34\x35\x36\x37\x38\x39\x40"), 5}, .weight_struct = 0x4141414141414141,
         .data_src = 0x4242424242424242, .transaction = 0x4343434343434343,
         .regs_intr = {.abi = 1, .regs = WORDS(0x4444444444444444, 0x4545454545454545)},
         .phys_addr = 0x4646464646464646, .cgroup = 0x4747474747474747, .data_page_size = 0x4848484848484848,
         .code_page_size = 0x4949494949494949, .aux = {8, RAW("\x50\x51\x52\x53\x54\x55\x56\x57")})},
    {"all fixed words, WEIGHT in place of WEIGHT_STRUCT, nothing variable",
     .attr = {.sample_type = 0xeac3cf},
     .text = HEAD "0088 0202020202020202 03030303 04040404 0505050505050505 0606060606060606 0707070707070707"
             " 0808080808080808 09090909 0a0a0a0a 0b0b0b0b0b0b0b0b 4141414141414141 4242424242424242"
             " 4343434343434343"
             " 4646464646464646 4747474747474747 4848484848484848 4949494949494949"
             " =ff*8",
     .rec = {.type = 9, .misc = 0x4002, .rest = RAW("\377\377\377\377\377\377\377\377"),
             .u.sample = {.ip = 0x202020202020202, .pid = 0x3030303, .tid = 0x4040404,
                          .time = 0x505050505050505,
                          .addr = 0x606060606060606, .id = 0x707070707070707, .stream_id = 0x808080808080808,
                          .cpu = 0x9090909, .res = 0xa0a0a0a, .period = 0xb0b0b0b0b0b0b0b,
                          .weight = 0x4141414141414141,
                          .data_src = 0x4242424242424242, .transaction = 0x4343434343434343,
                          .phys_addr = 0x4646464646464646, .cgroup = 0x4747474747474747,
                          .data_page_size = 0x4848484848484848, .code_page_size = 0x4949494949494949}}},

    {"CALLCHAIN empty", .attr = {.sample_type = 0x20}, .text = HEAD "0010 0000000000000000", SAMPLE(.ip = 0)},
    {"CALLCHAIN with every marker",
     .attr = {.sample_type = 0x20},
     .text = HEAD "0060 000000000000000a ffffffffffffffe0 0000000000000001 ffffffffffffff80 ffffffff81000000"
             " fffffffffffffe00 0000000000401000 fffffffffffff800 fffffffffffff780 fffffffffffff600"
             " fffffffffffff001",
     SAMPLE(.callchain = {10, WORDS(PD_CONTEXT_HV, 1, PD_CONTEXT_KERNEL, 0xffffffff81000000, PD_CONTEXT_USER,
                                    0x401000, PD_CONTEXT_GUEST, PD_CONTEXT_GUEST_KERNEL,
                                    PD_CONTEXT_GUEST_USER, PD_CONTEXT_MAX)})},
    {"CALLCHAIN that ends in USER_DEFERRED and a cookie",
     .attr = {.sample_type = 0x20},
     .text = HEAD "0030 0000000000000004 ffffffffffffff80 ffffffff81000000 fffffffffffffd80 " W1,
     SAMPLE(.callchain = {4, WORDS(PD_CONTEXT_KERNEL, 0xffffffff81000000, PD_CONTEXT_USER_DEFERRED, N1)})},

    {"RAW of 4 bytes, as the kernel writes it when there is nothing",
     .attr = {.sample_type = 0x400}, .text = HEAD "0010 00000004"
             " =00000000", SAMPLE(.raw = {4, RAW("\0\0\0\0")})},
    {"RAW of an odd size, then PERIOD before it and DATA_SRC behind it",
     .attr = {.sample_type = 0x8500},
     .text = HEAD "0021 " W1 " 00000005 =a1a2a3a4a5 " W2,
     SAMPLE(.period = N1, .raw = {5, RAW("\xa1\xa2\xa3\xa4\xa5")}, .data_src = N2)},
    {"RAW of no bytes", .attr = {.sample_type = 0x400}, .text = HEAD "000c 00000000", SAMPLE(.ip = 0)},

    {"BRANCH_STACK with hw_idx",
     .attr = {.sample_type = 0x900, .branch_sample_type = HW_INDEX},
     .text = HEAD "0050 " W3 " 0000000000000002 ffffffffffffffff " W1 " " W2 " " FLAGS_MANY " " W2 ""
             " " W1 " " FLAGS_RESERVED,
     SAMPLE(.period = N3, .branch_stack = {.nr = 2, .hw_idx = UINT64_MAX,
                                           .entries = LIST_OF(pd_branch_entry, {N1, N2, 0x800000036641234a},
                                                            {N2, N1, 0x1aa00000000})})},
    {"BRANCH_STACK, nr 0, with hw_idx",
     .attr = {.sample_type = 0x800, .branch_sample_type = HW_INDEX},
     .text = HEAD "0018 0000000000000000 " W1, SAMPLE(.branch_stack = {.hw_idx = N1})},
    {"BRANCH_STACK, nr 0, without hw_idx",
     .attr = {.sample_type = 0x800, .branch_sample_type = HW_INDEX},
     .text = HEAD "0010 0000000000000000", SAMPLE_VARIANT(PD_VARIANT_NO_HW_IDX, .ip = 0)},
    {"BRANCH_STACK, nr 0, without hw_idx, other fields around it",
     .attr = {.sample_type = 0x280801, .branch_sample_type = HW_INDEX},
     .text = HEAD "0028 " W1 " 0000000000000000 " W2 " " W3,
     SAMPLE_VARIANT(PD_VARIANT_NO_HW_IDX, .ip = N1, .phys_addr = N2, .cgroup = N3)},
    {"BRANCH_STACK, nr 0, without hw_idx, though the attr asks for it and for counters",
     .attr = {.sample_type = 0x1800, .sample_regs_user = 1, .branch_sample_type = HW_INDEX | COUNTERS},
     .text = HEAD "0020 0000000000000000 0000000000000002 " W1,
     SAMPLE_VARIANT(PD_VARIANT_NO_HW_IDX | PD_VARIANT_BRANCH_COUNTERS,
                    .regs_user = {.abi = 2, .regs = WORDS(N1)})},
    {"BRANCH_STACK, nr 0, the attr not asking for hw_idx",
     .attr = {.sample_type = 0x800, .branch_sample_type = 0xffff}, .text = HEAD "0010 0000000000000000",
     SAMPLE(.ip = 0)},
    {"BRANCH_STACK with counters",
     .attr = {.sample_type = 0x800, .branch_sample_type = COUNTERS},
     .text = HEAD "0050 0000000000000002 " W1 " " W2 " " FLAGS_213 " " W2 " " W1 " " FLAGS_MANY " " W3 ""
             " 0102030405060708",
     SAMPLE_VARIANT(PD_VARIANT_BRANCH_COUNTERS,
                    .branch_stack = {.nr = 2,
                                     .entries = LIST_OF(pd_branch_entry, {N1, N2, 213},
                                                        {N2, N1, 0x800000036641234a}),
                                     .counters = WORDS(N3, 0x102030405060708)})},
    {"BRANCH_STACK with counters that another attr of the group asked for",
     .attr = {.sample_type = 0x4800, .branch_sample_type = HW_INDEX},
     .text = HEAD "0040 0000000000000001 " W3 " " W1 " " W2 " " FLAGS_213 " " W2 " " W1,
     SAMPLE_VARIANT(PD_VARIANT_BRANCH_COUNTERS,
                    .branch_stack = {.nr = 1, .hw_idx = N3,
                                     .entries = LIST_OF(pd_branch_entry, {N1, N2, 213}),
                                     .counters = WORDS(N2)},
                    .weight = N1)},
    {"BRANCH_STACK without the counters that the attr asks for",
     .attr = {.sample_type = 0x4800, .branch_sample_type = COUNTERS},
     .text = HEAD "0030 0000000000000001 " W1 " " W2 " " FLAGS_213 " " W3,
     SAMPLE(.branch_stack = {.nr = 1, .entries = LIST_OF(pd_branch_entry, {N1, N2, 213})}, .weight = N3)},
    {"BRANCH_STACK, a tail that nothing explains",
     .attr = {.sample_type = 0x800},
     .text = HEAD "0038 0000000000000001 " W1 " " W2 " " FLAGS_213 " =f1f2f3f4f5f6f7f8 =e1e2e3e4e5e6e7e8",
     .rec = {.type = 9, .misc = 0x4002,
             .rest = RAW("\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8"),
             .u.sample = {.branch_stack = {.nr = 1, .entries = LIST_OF(pd_branch_entry, {N1, N2, 213})}}}},

    {"REGS_USER with SIMD: two vectors of two u64s, one predicate of one",
     .attr = {.sample_type = 0x5000, .sample_regs_user = 0x10001000000},
     .text = HEAD "0058 0000000000000006 " W1 " " W2 " 0002 0002 0001 0001 " W3 " " W1 " " W2 " " W3 " " W1
             " " W2,
     SAMPLE(.regs_user = {.abi = 6, .regs = WORDS(N1, N2),
                         .simd = {.nr_vectors = 2, .vector_qwords = 2, .nr_pred = 1, .pred_qwords = 1,
                                  .vectors = WORDS(N3, N1, N2, N3), .preds = WORDS(N1)}}, .weight = N2)},
    {"REGS_USER with SIMD, no predicates, abi of a 32-bit task",
     .attr = {.sample_type = 0x1000, .sample_regs_user = 0x1},
     .text = HEAD "0040 0000000000000005 " W1 " 0001 0004 0000 0000 " W1 " " W2 " " W3 " " W1,
     SAMPLE(.regs_user = {.abi = 5, .regs = WORDS(N1),
                         .simd = {.nr_vectors = 1, .vector_qwords = 4, .vectors = WORDS(N1, N2, N3, N1)}})},
    {"REGS_USER with SIMD, predicates only, whose number of u64s a vector is there too",
     .attr = {.sample_type = 0x1000, .sample_regs_user = 0x1},
     .text = HEAD "0038 0000000000000006 " W1 " 0000 0008 0003 0001 " W1 " " W2 " " W3,
     SAMPLE(.regs_user = {.abi = 6, .regs = WORDS(N1),
                         .simd = {.vector_qwords = 8, .nr_pred = 3, .pred_qwords = 1,
                                  .preds = WORDS(N1, N2, N3)}})},
    {"REGS_USER without, REGS_INTR with SIMD, and no mask",
     .attr = {.sample_type = 0xc1000, .sample_regs_user = 0x3},
     .text = HEAD "0048 0000000000000002 " W1 " " W2 " 0000000000000004 0001 0002 0000 0001 " W3 " " W1
             " " W2,
     SAMPLE(.regs_user = {.abi = 2, .regs = WORDS(N1, N2)},
            .regs_intr = {.abi = 4, .simd = {.nr_vectors = 1, .vector_qwords = 2, .pred_qwords = 1,
                                             .vectors = WORDS(N3, N1)}}, .phys_addr = N2)},
    {"REGS_INTR with registers, and SIMD behind them",
     .attr = {.sample_type = 0x40000, .sample_regs_intr = 0x3},
     .text = HEAD "0038 0000000000000006 " W1 " " W2 " 0001 0002 0000 0000 " W3 " " W1,
     SAMPLE(.regs_intr = {.abi = 6, .regs = WORDS(N1, N2),
                         .simd = {.nr_vectors = 1, .vector_qwords = 2, .vectors = WORDS(N3, N1)}})},
    {"REGS_USER of an abi that is not known: from there on bytes",
     .attr = {.sample_type = 0xc7008, .sample_regs_user = 0x3, .sample_regs_intr = 1},
     .text = HEAD "0028 " W1 " 000000000000000a =0102030405060708 =1112131415161718",
     .rec = {.type = 9, .misc = 0x4002, .variant = PD_VARIANT_UNKNOWN_USER_REGS,
             .rest = RAW("\1\2\3\4\5\6\7\10\x11\x12\x13\x14\x15\x16\x17\x18"),
             .u.sample = {.addr = N1, .regs_user = {.abi = 10}}}},
    {"REGS_INTR of an abi that is not known, and nothing behind it",
     .attr = {.sample_type = 0xc1000, .sample_regs_user = 1, .sample_regs_intr = 1},
     .text = HEAD "0020 0000000000000002 " W1 " 8000000000000002",
     SAMPLE_VARIANT(PD_VARIANT_UNKNOWN_INTR_REGS, .regs_user = {.abi = 2, .regs = WORDS(N1)},
                    .regs_intr = {.abi = 0x8000000000000002})},

    {"REGS_USER of an abi that is not known behind an empty branch stack without hw_idx",
     .attr = {.sample_type = 0x3800, .sample_regs_user = 3, .branch_sample_type = HW_INDEX},
     .text = HEAD "0028 0000000000000000 000000000000000a =1112131415161718 =0102030405060708",
     .rec = {.type = 9, .misc = 0x4002, .variant = PD_VARIANT_UNKNOWN_USER_REGS | PD_VARIANT_NO_HW_IDX,
             .rest = RAW("\x11\x12\x13\x14\x15\x16\x17\x18\1\2\3\4\5\6\7\10"),
             .u.sample = {.regs_user = {.abi = 10}}}},
    {"the same with hw_idx",
     .attr = {.sample_type = 0x3800, .sample_regs_user = 3, .branch_sample_type = HW_INDEX},
     .text = HEAD "0028 0000000000000000 ffffffffffffffff 000000000000000a =0102030405060708",
     .rec = {.type = 9, .misc = 0x4002, .variant = PD_VARIANT_UNKNOWN_USER_REGS,
             .rest = RAW("\1\2\3\4\5\6\7\10"),
             .u.sample = {.branch_stack = {.hw_idx = UINT64_MAX}, .regs_user = {.abi = 10}}}},
    {"REGS_INTR of an abi that is not known behind an empty branch stack without hw_idx",
     .attr = {.sample_type = 0x40800, .sample_regs_intr = 1, .branch_sample_type = HW_INDEX},
     .text = HEAD "0020 0000000000000000 0000000000000011 =0102030405060708",
     .rec = {.type = 9, .misc = 0x4002, .variant = PD_VARIANT_UNKNOWN_INTR_REGS | PD_VARIANT_NO_HW_IDX,
             .rest = RAW("\1\2\3\4\5\6\7\10"), .u.sample = {.regs_intr = {.abi = 17}}}},
    {"REGS_USER of an abi that is not known behind counters that the attr does not ask for",
     .attr = {.sample_type = 0x1800, .sample_regs_user = 1},
     .text = HEAD "0040 0000000000000001 " W1 " " W2 " 0000000000000000 0000000000000100 000000000000000a"
             " =0102030405060708",
     .rec = {.type = 9, .misc = 0x4002, .variant = PD_VARIANT_UNKNOWN_USER_REGS | PD_VARIANT_BRANCH_COUNTERS,
             .rest = RAW("\1\2\3\4\5\6\7\10"),
             .u.sample = {.branch_stack = {.nr = 1, .entries = LIST_OF(pd_branch_entry, {N1, N2, 0}),
                                         .counters = WORDS(0x100)},
                        .regs_user = {.abi = 10}}}},

    {"REGS_USER and REGS_INTR, abi 0: no registers though the masks are set",
     .attr = {.sample_type = 0x41000, .sample_regs_user = 0xff, .sample_regs_intr = 0xf},
     .text = HEAD "0018 0000000000000000 0000000000000000", SAMPLE(.ip = 0)},
    {"REGS_USER abi 0, REGS_INTR abi 1",
     .attr = {.sample_type = 0x41000, .sample_regs_user = 0xff, .sample_regs_intr = 0x3},
     .text = HEAD "0028 0000000000000000 0000000000000001 " W1 " " W2,
     SAMPLE(.regs_intr = {.abi = 1, .regs = WORDS(N1, N2)})},
    {"REGS_USER abi 1, REGS_INTR abi 0",
     .attr = {.sample_type = 0x41000, .sample_regs_user = 0x80000001, .sample_regs_intr = 0xf},
     .text = HEAD "0028 0000000000000001 " W1 " " W2 " 0000000000000000",
     SAMPLE(.regs_user = {.abi = 1, .regs = WORDS(N1, N2)})},
    {"REGS_USER with an abi nobody knows",
     .attr = {.sample_type = 0x1000, .sample_regs_user = 0x10},
     .text = HEAD "0018 8000000000000000 =0102030405060708",
     .rec = {.type = 9, .misc = 0x4002, .variant = PD_VARIANT_UNKNOWN_USER_REGS,
             .rest = RAW("\1\2\3\4\5\6\7\10"), .u.sample = {.regs_user = {.abi = 0x8000000000000000}}}},
    {"REGS_USER with an empty mask",
     .attr = {.sample_type = 0x1000, .sample_regs_intr = 0xff},
     .text = HEAD "0010 0000000000000002", SAMPLE(.regs_user = {.abi = 2})},

    {"STACK_USER of no bytes has no dyn_size",
     .attr = {.sample_type = 0x6000}, .text = HEAD "0018 0000000000000000 " W1, SAMPLE(.weight = N1)},
    {"STACK_USER of an odd size, dyn_size 0",
     .attr = {.sample_type = 0x2000}, .text = HEAD "001b 0000000000000003 =a1a2a3 0000000000000000",
     SAMPLE(.stack_user = {3, RAW("\xa1\xa2\xa3"), 0})},
    {"AUX of no bytes", .attr = {.sample_type = 0x100000}, .text = HEAD "0010 0000000000000000",
     SAMPLE(.ip = 0)},

    {"READ of a group without members",
     .attr = {.sample_type = 0x30, .read_format = 0x9},
     .text = HEAD "0020 0000000000000000 " W1 " 0000000000000000", SAMPLE(.read = {.time_enabled = N1})},
    {"a tail from a newer writer",
     .attr = {.sample_type = 0x1}, .text = HEAD "0015 " W1 " =0102030405",
     .rec = {.type = 9, .misc = 0x4002, .rest = RAW("\1\2\3\4\5"), .u.sample = {.ip = N1}}},
};
/* clang-format on */

/* All 32 forms of READ, with a field before and behind it. */
static void read_formats(void **state)
{
    (void)state;
    for (unsigned rf = 0; rf < 32; rf++)
        for (size_t n = 0; n <= 3; n++) {
            char text[400], values[300];
            struct golden g = {.name = text,
                               .attr = {.sample_type = 0x110 | 0x4000, .read_format = rf},
                               .text = text,
                               SAMPLE(.period = N1, .weight = N2)};
            const size_t words = golden_read_values(rf, n, values, &g.rec.u.sample.read);
            snprintf(text, sizeof text, HEAD "%04zx " W1 "%s " W2, 24 + 8 * words, values);
            golden_check(&g);
        }
}

/*
 * Each sub-field of the branch flags by itself: lowest bit in little-endian streams, width. In big-endian
 * ones it ends at 64 minus these; the bits of the value keep their order.
 */
static void branch_flags(void **state)
{
    static const struct {
        unsigned lo, width;
    } fields[] = {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 16}, {20, 4}, {24, 2}, {26, 4}, {30, 3}, {33, 31}};
    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        for (unsigned bit = 0; bit < fields[i].width; bit++) {
            const uint64_t little = UINT64_C(1) << (fields[i].lo + bit);
            const uint64_t big = UINT64_C(1) << (64 - fields[i].lo - fields[i].width + bit);
            char text[200];
            struct golden g = {
                .name = text,
                .attr = {.sample_type = 0x800},
                .text = text,
                SAMPLE(.branch_stack = {.nr = 1, .entries = LIST_OF(pd_branch_entry, {N1, N2, little})})};
            snprintf(text, sizeof text, HEAD "0028 0000000000000001 " W1 " " W2 " %016llx/%016llx",
                     (unsigned long long)big, (unsigned long long)little);
            golden_check(&g);
        }
    /* FLAGS_MANY is predicted, abort, cycles 0x1234, type 4, spec 2, new_type 9, priv 5, reserved 0x40000001.
     */
    const uint64_t many = PD_BRANCH_PREDICTED | PD_BRANCH_ABORT | UINT64_C(0x1234) << PD_BRANCH_CYCLES_SHIFT |
                          UINT64_C(4) << PD_BRANCH_TYPE_SHIFT | UINT64_C(2) << PD_BRANCH_SPEC_SHIFT |
                          UINT64_C(9) << PD_BRANCH_NEW_TYPE_SHIFT | UINT64_C(5) << PD_BRANCH_PRIV_SHIFT |
                          UINT64_C(0x40000001) << PD_BRANCH_RESERVED_SHIFT;
    assert_int_equal(many, 0x800000036641234a);
}

/* Unknown bits: a sample cannot be decoded, other records can. */
static void unknown_bits(void **state)
{
    uint8_t bytes[64];
    struct pd_plan plan;
    struct pd_error e = {0};
    struct pd_record rec = {0};
    size_t size = 0;
    (void)state;
    for (unsigned bit = 25; bit < 64; bit++) {
        const struct pd_attr attr = {.sample_type = UINT64_C(1) << bit | PD_SAMPLE_IP};
        const size_t n = golden_bytes(HEAD "0010 " W1, PD_LITTLE, bytes, sizeof bytes);
        pd_plan_init(&plan, &attr, PD_LITTLE);
        assert_int_equal(pd_record_decode(&plan, guard_copy(0, bytes, n), n, &rec, &e), PD_EUNKNOWN);
        assert_string_equal(e.field, "sample_type");
        assert_int_equal(e.found, attr.sample_type);
        assert_int_equal(rec.type, 9);
        assert_int_equal(rec.size, n);
        rec = (struct pd_record){.type = 9, .u.sample.ip = 1};
        assert_int_equal(pd_record_encode(&plan, &rec, bytes, sizeof bytes, &size, &e), PD_EUNKNOWN);

        const size_t m = golden_bytes("0000000e 0000 0008", PD_LITTLE, bytes, sizeof bytes);
        assert_int_equal(pd_record_decode(&plan, bytes, m, &rec, &e), PD_OK);
    }
    for (unsigned bit = 5; bit < 64; bit++) {
        const struct pd_attr attr = {.sample_type = PD_SAMPLE_READ, .read_format = UINT64_C(1) << bit};
        const size_t n = golden_bytes(HEAD "0010 " W1, PD_LITTLE, bytes, sizeof bytes);
        pd_plan_init(&plan, &attr, PD_LITTLE);
        assert_int_equal(pd_record_decode(&plan, bytes, n, &rec, &e), PD_EUNKNOWN);
    }
}

/* Decodes text with the plan into a record used before; the result must be that of a fresh record. */
static void check_reuse(const struct pd_plan *plan, const char *text, struct pd_record *used)
{
    struct pd_record fresh = {0};
    uint8_t bytes[GOLDEN_MAX];
    const size_t n = golden_bytes(text, (enum pd_order)plan->order, bytes, sizeof bytes);
    const enum pd_code code = pd_record_decode(plan, bytes, n, &fresh, NULL);
    assert_int_equal(pd_record_decode(plan, bytes, n, used, NULL), code);
    assert_int_equal(used->decoded, code == PD_OK);
    if (code == PD_OK)
        assert_null(alike_records(&fresh, used, ALIKE_VIEWS));
}

/* A record that is used again has no old values, whether its old content could be decoded or not. */
static void reuse(void **state)
{
    const size_t n = sizeof cases / sizeof *cases;
    struct pd_record used = {0};
    (void)state;
    for (size_t i = 0; i < n * n; i++) {
        struct pd_plan plan;
        pd_plan_init(&plan, &cases[i / n].attr, i & 1 ? PD_BIG : PD_LITTLE);
        used = (struct pd_record){0};
        check_reuse(&plan, cases[i / n].text, &used);
        check_reuse(&plan, cases[i % n].text, &used);
        check_reuse(&plan, cases[i / n].text, &used);
    }
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(read_formats),
        cmocka_unit_test(branch_flags),
        cmocka_unit_test(unknown_bits),
        cmocka_unit_test(reuse),
    };
    return golden_run("sample", cases, sizeof cases / sizeof *cases, others, sizeof others / sizeof *others);
}
