/* SPDX-License-Identifier: MIT */
/*
 * names.c - the sets of names. Expected values come from the kernel's header and, for names it does not have,
 * from lists written here by hand; never from the tables themselves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <perfdata/constants.h>
#include <perfdata/session/fields.h>

/* ---- The kernel's header has the same numbers. */

#define SAME(ours_, kernels_) _Static_assert((uint64_t)(ours_) == (uint64_t)(kernels_), #ours_)
#define SAME_RECORD(name_) SAME(PD_RECORD_##name_, PERF_RECORD_##name_)
#define SAME_SAMPLE(name_) SAME(PD_SAMPLE_##name_, PERF_SAMPLE_##name_)
#define SAME_BRANCH(name_) SAME(PD_BRANCH_SAMPLE_##name_, PERF_SAMPLE_BRANCH_##name_)
#define SAME_FORMAT(name_) SAME(PD_FORMAT_##name_, PERF_FORMAT_##name_)
#define SAME_TYPE(name_) SAME(PD_TYPE_##name_, PERF_TYPE_##name_)
#define SAME_HW(name_) SAME(PD_HW_##name_, PERF_COUNT_HW_##name_)
#define SAME_SW(name_) SAME(PD_SW_##name_, PERF_COUNT_SW_##name_)
#define SAME_CACHE(name_) SAME(PD_CACHE_##name_, PERF_COUNT_HW_CACHE_##name_)
#define SAME_MISC(name_) SAME(PD_MISC_##name_, PERF_RECORD_MISC_##name_)
#define SAME_CPUMODE(name_) SAME(PD_CPUMODE_##name_, PERF_RECORD_MISC_##name_)
#define SAME_CONTEXT(name_) SAME(PD_CONTEXT_##name_, PERF_CONTEXT_##name_)
#define SAME_BR(name_) SAME(PD_BR_##name_, PERF_BR_##name_)
#define SAME_TXN(name_) SAME(PD_TXN_##name_, PERF_TXN_##name_)
#define SAME_MEM(name_) SAME(PD_MEM_##name_, PERF_MEM_##name_)
#define SAME_MAP(name_) SAME(PD_MAP_##name_, MAP_##name_)
#define SAME_CLOCK(name_) SAME(PD_CLOCK_##name_, CLOCK_##name_)

SAME_RECORD(MMAP);
SAME_RECORD(LOST);
SAME_RECORD(COMM);
SAME_RECORD(EXIT);
SAME_RECORD(THROTTLE);
SAME_RECORD(UNTHROTTLE);
SAME_RECORD(FORK);
SAME_RECORD(READ);
SAME_RECORD(SAMPLE);
SAME_RECORD(MMAP2);
SAME_RECORD(AUX);
SAME_RECORD(ITRACE_START);
SAME_RECORD(LOST_SAMPLES);
SAME_RECORD(SWITCH);
SAME_RECORD(SWITCH_CPU_WIDE);
SAME_RECORD(NAMESPACES);
SAME_RECORD(KSYMBOL);
SAME_RECORD(BPF_EVENT);
SAME_RECORD(CGROUP);
SAME_RECORD(TEXT_POKE);
SAME_RECORD(AUX_OUTPUT_HW_ID);

SAME_SAMPLE(IP);
SAME_SAMPLE(TID);
SAME_SAMPLE(TIME);
SAME_SAMPLE(ADDR);
SAME_SAMPLE(READ);
SAME_SAMPLE(CALLCHAIN);
SAME_SAMPLE(ID);
SAME_SAMPLE(CPU);
SAME_SAMPLE(PERIOD);
SAME_SAMPLE(STREAM_ID);
SAME_SAMPLE(RAW);
SAME_SAMPLE(BRANCH_STACK);
SAME_SAMPLE(REGS_USER);
SAME_SAMPLE(STACK_USER);
SAME_SAMPLE(WEIGHT);
SAME_SAMPLE(DATA_SRC);
SAME_SAMPLE(IDENTIFIER);
SAME_SAMPLE(TRANSACTION);
SAME_SAMPLE(REGS_INTR);
SAME_SAMPLE(PHYS_ADDR);
SAME_SAMPLE(AUX);
SAME_SAMPLE(CGROUP);
SAME_SAMPLE(DATA_PAGE_SIZE);
SAME_SAMPLE(CODE_PAGE_SIZE);
SAME_SAMPLE(WEIGHT_STRUCT);

SAME_BRANCH(USER);
SAME_BRANCH(KERNEL);
SAME_BRANCH(HV);
SAME_BRANCH(ANY);
SAME_BRANCH(ANY_CALL);
SAME_BRANCH(ANY_RETURN);
SAME_BRANCH(IND_CALL);
SAME_BRANCH(ABORT_TX);
SAME_BRANCH(IN_TX);
SAME_BRANCH(NO_TX);
SAME_BRANCH(COND);
SAME_BRANCH(CALL_STACK);
SAME_BRANCH(IND_JUMP);
SAME_BRANCH(CALL);
SAME_BRANCH(NO_FLAGS);
SAME_BRANCH(NO_CYCLES);
SAME_BRANCH(TYPE_SAVE);
SAME_BRANCH(HW_INDEX);
SAME_BRANCH(PRIV_SAVE);

SAME_FORMAT(TOTAL_TIME_ENABLED);
SAME_FORMAT(TOTAL_TIME_RUNNING);
SAME_FORMAT(ID);
SAME_FORMAT(GROUP);
SAME_FORMAT(LOST);

SAME_TYPE(HARDWARE);
SAME_TYPE(SOFTWARE);
SAME_TYPE(TRACEPOINT);
SAME_TYPE(HW_CACHE);
SAME_TYPE(RAW);
SAME_TYPE(BREAKPOINT);

SAME(PD_ATTR_SIZE_VER0, PERF_ATTR_SIZE_VER0);
SAME(PD_ATTR_SIZE_VER1, PERF_ATTR_SIZE_VER1);
SAME(PD_ATTR_SIZE_VER2, PERF_ATTR_SIZE_VER2);
SAME(PD_ATTR_SIZE_VER3, PERF_ATTR_SIZE_VER3);
SAME(PD_ATTR_SIZE_VER4, PERF_ATTR_SIZE_VER4);
SAME(PD_ATTR_SIZE_VER5, PERF_ATTR_SIZE_VER5);
SAME(PD_ATTR_SIZE_VER6, PERF_ATTR_SIZE_VER6);
SAME(PD_ATTR_SIZE_VER7, PERF_ATTR_SIZE_VER7);

SAME_HW(CPU_CYCLES);
SAME_HW(INSTRUCTIONS);
SAME_HW(CACHE_REFERENCES);
SAME_HW(CACHE_MISSES);
SAME_HW(BRANCH_INSTRUCTIONS);
SAME_HW(BRANCH_MISSES);
SAME_HW(BUS_CYCLES);
SAME_HW(STALLED_CYCLES_FRONTEND);
SAME_HW(STALLED_CYCLES_BACKEND);
SAME_HW(REF_CPU_CYCLES);
SAME(PD_HW_CONFIG_EVENT, PERF_HW_EVENT_MASK);
SAME(PD_HW_CONFIG_PMU_TYPE_SHIFT, PERF_PMU_TYPE_SHIFT);
SAME(PD_CACHE_CONFIG_PMU_TYPE_SHIFT, PERF_PMU_TYPE_SHIFT);

SAME_SW(CPU_CLOCK);
SAME_SW(TASK_CLOCK);
SAME_SW(PAGE_FAULTS);
SAME_SW(CONTEXT_SWITCHES);
SAME_SW(CPU_MIGRATIONS);
SAME_SW(PAGE_FAULTS_MIN);
SAME_SW(PAGE_FAULTS_MAJ);
SAME_SW(ALIGNMENT_FAULTS);
SAME_SW(EMULATION_FAULTS);
SAME_SW(DUMMY);
SAME_SW(BPF_OUTPUT);
SAME_SW(CGROUP_SWITCHES);

SAME_CACHE(L1D);
SAME_CACHE(L1I);
SAME_CACHE(LL);
SAME_CACHE(DTLB);
SAME_CACHE(ITLB);
SAME_CACHE(BPU);
SAME_CACHE(NODE);
SAME_CACHE(OP_READ);
SAME_CACHE(OP_WRITE);
SAME_CACHE(OP_PREFETCH);
SAME_CACHE(RESULT_ACCESS);
SAME_CACHE(RESULT_MISS);

SAME(PD_MISC_CPUMODE, PERF_RECORD_MISC_CPUMODE_MASK);
SAME(PD_CPUMODE_UNKNOWN, PERF_RECORD_MISC_CPUMODE_UNKNOWN);
SAME_CPUMODE(KERNEL);
SAME_CPUMODE(USER);
SAME_CPUMODE(HYPERVISOR);
SAME_CPUMODE(GUEST_KERNEL);
SAME_CPUMODE(GUEST_USER);
SAME_MISC(PROC_MAP_PARSE_TIMEOUT);
SAME_MISC(MMAP_DATA);
SAME_MISC(COMM_EXEC);
SAME_MISC(FORK_EXEC);
SAME_MISC(SWITCH_OUT);
SAME_MISC(EXACT_IP);
SAME_MISC(SWITCH_OUT_PREEMPT);
SAME_MISC(MMAP_BUILD_ID);
SAME(PD_MISC_BUILD_ID_SIZE, PERF_RECORD_MISC_EXT_RESERVED);
SAME(PD_MISC_LOST_SAMPLES_BPF, PERF_RECORD_MISC_EXT_RESERVED);

SAME_CONTEXT(HV);
SAME_CONTEXT(KERNEL);
SAME_CONTEXT(USER);
SAME_CONTEXT(GUEST);
SAME_CONTEXT(GUEST_KERNEL);
SAME_CONTEXT(GUEST_USER);
SAME_CONTEXT(MAX);

SAME_BR(UNKNOWN);
SAME_BR(COND);
SAME_BR(UNCOND);
SAME_BR(IND);
SAME_BR(CALL);
SAME_BR(IND_CALL);
SAME_BR(RET);
SAME_BR(SYSCALL);
SAME_BR(SYSRET);
SAME_BR(COND_CALL);
SAME_BR(COND_RET);
SAME_BR(ERET);
SAME_BR(IRQ);
SAME_BR(SERROR);
SAME_BR(NO_TX);
SAME_BR(EXTEND_ABI);
SAME_BR(SPEC_NA);
SAME_BR(SPEC_WRONG_PATH);
SAME_BR(NON_SPEC_CORRECT_PATH);
SAME_BR(SPEC_CORRECT_PATH);
SAME_BR(NEW_FAULT_ALGN);
SAME_BR(NEW_FAULT_DATA);
SAME_BR(NEW_FAULT_INST);
SAME_BR(NEW_ARCH_1);
SAME_BR(NEW_ARCH_2);
SAME_BR(NEW_ARCH_3);
SAME_BR(NEW_ARCH_4);
SAME_BR(NEW_ARCH_5);
SAME_BR(PRIV_UNKNOWN);
SAME_BR(PRIV_USER);
SAME_BR(PRIV_KERNEL);
SAME_BR(PRIV_HV);

SAME(PD_REGS_NONE, PERF_SAMPLE_REGS_ABI_NONE);
SAME(PD_REGS_ABI_32, PERF_SAMPLE_REGS_ABI_32);
SAME(PD_REGS_ABI_64, PERF_SAMPLE_REGS_ABI_64);
SAME(PD_REGS_ABI_32_SIMD, PERF_SAMPLE_REGS_ABI_32 | PD_REGS_SIMD);
SAME(PD_REGS_ABI_64_SIMD, PERF_SAMPLE_REGS_ABI_64 | PD_REGS_SIMD);

SAME_TXN(ELISION);
SAME_TXN(TRANSACTION);
SAME_TXN(SYNC);
SAME_TXN(ASYNC);
SAME_TXN(RETRY);
SAME_TXN(CONFLICT);
SAME_TXN(CAPACITY_WRITE);
SAME_TXN(CAPACITY_READ);
SAME(PD_TXN_ABORT_CODE, PERF_TXN_ABORT_MASK);
SAME(PD_TXN_ABORT_CODE_SHIFT, PERF_TXN_ABORT_SHIFT);

SAME_MEM(OP_NA);
SAME_MEM(OP_LOAD);
SAME_MEM(OP_STORE);
SAME_MEM(OP_PFETCH);
SAME_MEM(OP_EXEC);
SAME_MEM(LVL_NA);
SAME_MEM(LVL_HIT);
SAME_MEM(LVL_MISS);
SAME_MEM(LVL_L1);
SAME_MEM(LVL_LFB);
SAME_MEM(LVL_L2);
SAME_MEM(LVL_L3);
SAME_MEM(LVL_LOC_RAM);
SAME_MEM(LVL_REM_RAM1);
SAME_MEM(LVL_REM_RAM2);
SAME_MEM(LVL_REM_CCE1);
SAME_MEM(LVL_REM_CCE2);
SAME_MEM(LVL_IO);
SAME_MEM(LVL_UNC);
SAME_MEM(LVLNUM_L1);
SAME_MEM(LVLNUM_L2);
SAME_MEM(LVLNUM_L3);
SAME_MEM(LVLNUM_L4);
SAME_MEM(LVLNUM_CXL);
SAME_MEM(LVLNUM_IO);
SAME_MEM(LVLNUM_ANY_CACHE);
SAME_MEM(LVLNUM_LFB);
SAME_MEM(LVLNUM_RAM);
SAME_MEM(LVLNUM_PMEM);
SAME_MEM(LVLNUM_NA);
SAME_MEM(SNOOP_NA);
SAME_MEM(SNOOP_NONE);
SAME_MEM(SNOOP_HIT);
SAME_MEM(SNOOP_MISS);
SAME_MEM(SNOOP_HITM);
SAME_MEM(SNOOPX_FWD);
SAME_MEM(SNOOPX_PEER);
SAME_MEM(LOCK_NA);
SAME_MEM(LOCK_LOCKED);
SAME_MEM(TLB_NA);
SAME_MEM(TLB_HIT);
SAME_MEM(TLB_MISS);
SAME_MEM(TLB_L1);
SAME_MEM(TLB_L2);
SAME_MEM(TLB_WK);
SAME_MEM(TLB_OS);
SAME_MEM(BLK_NA);
SAME_MEM(BLK_DATA);
SAME_MEM(BLK_ADDR);
SAME_MEM(HOPS_0);
SAME_MEM(HOPS_1);
SAME_MEM(HOPS_2);
SAME_MEM(HOPS_3);
SAME(PD_DATA_SRC_MEM_OP_SHIFT, PERF_MEM_OP_SHIFT);
SAME(PD_DATA_SRC_MEM_LVL_SHIFT, PERF_MEM_LVL_SHIFT);
SAME(PD_DATA_SRC_MEM_SNOOP_SHIFT, PERF_MEM_SNOOP_SHIFT);
SAME(PD_DATA_SRC_MEM_LOCK_SHIFT, PERF_MEM_LOCK_SHIFT);
SAME(PD_DATA_SRC_MEM_DTLB_SHIFT, PERF_MEM_TLB_SHIFT);
SAME(PD_DATA_SRC_MEM_LVL_NUM_SHIFT, PERF_MEM_LVLNUM_SHIFT);
SAME(PD_DATA_SRC_MEM_REMOTE, UINT64_C(1) << PERF_MEM_REMOTE_SHIFT);
SAME(PD_DATA_SRC_MEM_SNOOPX_SHIFT, PERF_MEM_SNOOPX_SHIFT);
SAME(PD_DATA_SRC_MEM_BLK_SHIFT, PERF_MEM_BLK_SHIFT);
SAME(PD_DATA_SRC_MEM_HOPS_SHIFT, PERF_MEM_HOPS_SHIFT);

SAME(PD_AUX_FLAG_TRUNCATED, PERF_AUX_FLAG_TRUNCATED);
SAME(PD_AUX_FLAG_OVERWRITE, PERF_AUX_FLAG_OVERWRITE);
SAME(PD_AUX_FLAG_PARTIAL, PERF_AUX_FLAG_PARTIAL);
SAME(PD_AUX_FLAG_COLLISION, PERF_AUX_FLAG_COLLISION);
SAME(PD_AUX_FLAG_PMU_FORMAT, PERF_AUX_FLAG_PMU_FORMAT_TYPE_MASK);
SAME(PD_AUX_FORMAT_CORESIGHT << PD_AUX_FLAG_PMU_FORMAT_SHIFT, PERF_AUX_FLAG_CORESIGHT_FORMAT_CORESIGHT);
SAME(PD_AUX_FORMAT_CORESIGHT_RAW << PD_AUX_FLAG_PMU_FORMAT_SHIFT, PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW);

SAME(PD_KSYM_TYPE_UNKNOWN, PERF_RECORD_KSYMBOL_TYPE_UNKNOWN);
SAME(PD_KSYM_TYPE_BPF, PERF_RECORD_KSYMBOL_TYPE_BPF);
SAME(PD_KSYM_TYPE_OOL, PERF_RECORD_KSYMBOL_TYPE_OOL);
SAME(PD_KSYM_FLAG_UNREGISTER, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
SAME(PD_BPF_EVENT_UNKNOWN, PERF_BPF_EVENT_UNKNOWN);
SAME(PD_BPF_EVENT_PROG_LOAD, PERF_BPF_EVENT_PROG_LOAD);
SAME(PD_BPF_EVENT_PROG_UNLOAD, PERF_BPF_EVENT_PROG_UNLOAD);
SAME(PD_NAMESPACE_NET, NET_NS_INDEX);
SAME(PD_NAMESPACE_UTS, UTS_NS_INDEX);
SAME(PD_NAMESPACE_IPC, IPC_NS_INDEX);
SAME(PD_NAMESPACE_PID, PID_NS_INDEX);
SAME(PD_NAMESPACE_USER, USER_NS_INDEX);
SAME(PD_NAMESPACE_MNT, MNT_NS_INDEX);
SAME(PD_NAMESPACE_CGROUP, CGROUP_NS_INDEX);

SAME(PD_BP_EMPTY, HW_BREAKPOINT_EMPTY);
SAME(PD_BP_R, HW_BREAKPOINT_R);
SAME(PD_BP_W, HW_BREAKPOINT_W);
SAME(PD_BP_RW, HW_BREAKPOINT_RW);
SAME(PD_BP_X, HW_BREAKPOINT_X);
SAME(PD_PROT_READ, PROT_READ);
SAME(PD_PROT_WRITE, PROT_WRITE);
SAME(PD_PROT_EXEC, PROT_EXEC);
SAME_CLOCK(REALTIME);
SAME_CLOCK(MONOTONIC);
SAME_CLOCK(PROCESS_CPUTIME_ID);
SAME_CLOCK(THREAD_CPUTIME_ID);
SAME_CLOCK(MONOTONIC_RAW);
SAME_CLOCK(REALTIME_COARSE);
SAME_CLOCK(MONOTONIC_COARSE);
SAME_CLOCK(BOOTTIME);
SAME_CLOCK(REALTIME_ALARM);
SAME_CLOCK(BOOTTIME_ALARM);
SAME_CLOCK(TAI);

#ifdef __x86_64__ /* other machines have other numbers */
SAME_MAP(TYPE);
SAME_MAP(SHARED);
SAME_MAP(PRIVATE);
SAME_MAP(SHARED_VALIDATE);
SAME_MAP(FIXED);
SAME_MAP(ANONYMOUS);
SAME_MAP(GROWSDOWN);
SAME_MAP(DENYWRITE);
SAME_MAP(EXECUTABLE);
SAME_MAP(LOCKED);
SAME_MAP(NORESERVE);
SAME_MAP(POPULATE);
SAME_MAP(NONBLOCK);
SAME_MAP(STACK);
SAME_MAP(HUGETLB);
SAME_MAP(SYNC);
SAME_MAP(FIXED_NOREPLACE);
#endif

/* ---- Bitfields: what the compiler does with the kernel's structs. Numbering is that of a little-endian
 * machine. */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/* Counts a field of a struct from 0 down to all ones; what changes at `at` must be exactly our field's mask.
 */
#define CHECK_FIELD(struct_, at_, set_, name_, field_)                \
    do {                                                              \
        struct_ s_;                                                   \
        memset(&s_, 0, sizeof s_);                                    \
        s_.field_--;                                                  \
        check_word(&pd_set_##set_, name_, (const char *)&s_ + (at_)); \
    } while (0)

static void check_word(const struct pd_set *set, const char *name, const char *at)
{
    const struct pd_name *f = pd_set_field(set, name);
    uint64_t word;

    assert_non_null(f);
    memcpy(&word, at, sizeof word);
    if (word != f->value)
        fail_msg("%s.%s: the kernel has it at 0x%llx", set->id, name, (unsigned long long)word);
}

#define ATTR(field_) CHECK_FIELD(struct perf_event_attr, 40, attr_flags, #field_, field_)
#define BRANCH(field_) CHECK_FIELD(struct perf_branch_entry, 16, branch_flags, #field_, field_)
#define MEM(field_) CHECK_FIELD(union perf_mem_data_src, 0, data_src, #field_, field_)

static void bitfields_are_the_kernels(void **state)
{
    (void)state;
    ATTR(disabled);
    ATTR(inherit);
    ATTR(pinned);
    ATTR(exclusive);
    ATTR(exclude_user);
    ATTR(exclude_kernel);
    ATTR(exclude_hv);
    ATTR(exclude_idle);
    ATTR(mmap);
    ATTR(comm);
    ATTR(freq);
    ATTR(inherit_stat);
    ATTR(enable_on_exec);
    ATTR(task);
    ATTR(watermark);
    ATTR(precise_ip);
    ATTR(mmap_data);
    ATTR(sample_id_all);
    ATTR(exclude_host);
    ATTR(exclude_guest);
    ATTR(exclude_callchain_kernel);
    ATTR(exclude_callchain_user);
    ATTR(mmap2);
    ATTR(comm_exec);
    ATTR(use_clockid);
    ATTR(context_switch);
    ATTR(write_backward);
    ATTR(namespaces);
    ATTR(ksymbol);
    ATTR(bpf_event);
    ATTR(aux_output);
    ATTR(cgroup);
    ATTR(text_poke);
    ATTR(build_id);
    ATTR(inherit_thread);
    ATTR(remove_on_exec);
    ATTR(sigtrap);
    BRANCH(mispred);
    BRANCH(predicted);
    BRANCH(in_tx);
    BRANCH(abort);
    BRANCH(cycles);
    BRANCH(type);
    BRANCH(spec);
    BRANCH(new_type);
    BRANCH(priv);
    BRANCH(reserved);
    MEM(mem_op);
    MEM(mem_lvl);
    MEM(mem_snoop);
    MEM(mem_lock);
    MEM(mem_dtlb);
    MEM(mem_lvl_num);
    MEM(mem_remote);
    MEM(mem_snoopx);
    MEM(mem_blk);
    MEM(mem_hops);
}

#endif

/* ---- Names that the kernel's header does not have (or not yet), by hand. */

struct value {
    const struct pd_set *set;
    uint64_t value;
    const char *name;
};

/* The key of a field of a protobuf message, from its number and wire type: 0 a number, 2 bytes. */
#define KEY(number_, wire_) (8 * (number_) + (wire_))

static const struct value values[] = {
    {&pd_set_record_type, 22, "CALLCHAIN_DEFERRED"},
    {&pd_set_record_type, 64, "HEADER_ATTR"},
    {&pd_set_record_type, 65, "HEADER_EVENT_TYPE"},
    {&pd_set_record_type, 66, "HEADER_TRACING_DATA"},
    {&pd_set_record_type, 67, "HEADER_BUILD_ID"},
    {&pd_set_record_type, 68, "FINISHED_ROUND"},
    {&pd_set_record_type, 69, "ID_INDEX"},
    {&pd_set_record_type, 70, "AUXTRACE_INFO"},
    {&pd_set_record_type, 71, "AUXTRACE"},
    {&pd_set_record_type, 72, "AUXTRACE_ERROR"},
    {&pd_set_record_type, 73, "THREAD_MAP"},
    {&pd_set_record_type, 74, "CPU_MAP"},
    {&pd_set_record_type, 75, "STAT_CONFIG"},
    {&pd_set_record_type, 76, "STAT"},
    {&pd_set_record_type, 77, "STAT_ROUND"},
    {&pd_set_record_type, 78, "EVENT_UPDATE"},
    {&pd_set_record_type, 79, "TIME_CONV"},
    {&pd_set_record_type, 80, "HEADER_FEATURE"},
    {&pd_set_record_type, 81, "COMPRESSED"},
    {&pd_set_record_type, 82, "FINISHED_INIT"},
    {&pd_set_record_type, 83, "COMPRESSED2"},
    {&pd_set_record_type, 84, "BPF_METADATA"},
    {&pd_set_record_type, 85, "SCHEDSTAT_CPU"},
    {&pd_set_record_type, 86, "SCHEDSTAT_DOMAIN"},
    {&pd_set_record_type, 0x8001, "SIMPLEPERF_KERNEL_SYMBOL"},
    {&pd_set_record_type, 0x8002, "SIMPLEPERF_DSO"},
    {&pd_set_record_type, 0x8003, "SIMPLEPERF_SYMBOL"},
    {&pd_set_record_type, 0x8004, "SIMPLEPERF_SPLIT"},
    {&pd_set_record_type, 0x8005, "SIMPLEPERF_SPLIT_END"},
    {&pd_set_record_type, 0x8006, "SIMPLEPERF_EVENT_ID"},
    {&pd_set_record_type, 0x8007, "SIMPLEPERF_CALLCHAIN"},
    {&pd_set_record_type, 0x8008, "SIMPLEPERF_UNWINDING_RESULT"},
    {&pd_set_record_type, 0x8009, "SIMPLEPERF_TRACING_DATA"},
    {&pd_set_record_type, 0x800a, "SIMPLEPERF_DEBUG"},
    {&pd_set_attr_size, 136, "VER8"},
    {&pd_set_attr_size, 144, "VER9"},
    {&pd_set_branch_sample_type, 0x80000, "COUNTERS"},
    {&pd_set_precise_ip, 0, "ARBITRARY_SKID"},
    {&pd_set_precise_ip, 1, "CONSTANT_SKID"},
    {&pd_set_precise_ip, 2, "REQUESTED_ZERO_SKID"},
    {&pd_set_precise_ip, 3, "ZERO_SKID"},
    {&pd_set_callchain_context, 0xfffffffffffffd80, "USER_DEFERRED"},
    {&pd_set_mem_lvl_num, 5, "L2_MHB"},
    {&pd_set_mem_lvl_num, 6, "MSC"},
    {&pd_set_mem_lvl_num, 7, "L0"},
    {&pd_set_mem_lvl_num, 8, "UNC"},
    {&pd_set_mem_region, 0, "NA"},
    {&pd_set_mem_region, 1, "RSVD"},
    {&pd_set_mem_region, 2, "L_SHARE"},
    {&pd_set_mem_region, 3, "L_NON_SHARE"},
    {&pd_set_mem_region, 4, "O_IO"},
    {&pd_set_mem_region, 5, "O_SHARE"},
    {&pd_set_mem_region, 6, "O_NON_SHARE"},
    {&pd_set_mem_region, 7, "MMIO"},
    {&pd_set_mem_region, 8, "MEM0"},
    {&pd_set_mem_region, 9, "MEM1"},
    {&pd_set_mem_region, 10, "MEM2"},
    {&pd_set_mem_region, 11, "MEM3"},
    {&pd_set_mem_region, 12, "MEM4"},
    {&pd_set_mem_region, 13, "MEM5"},
    {&pd_set_mem_region, 14, "MEM6"},
    {&pd_set_mem_region, 15, "MEM7"},
    {&pd_set_simpleperf_binary_type, 0, "ELF_FILE"},
    {&pd_set_simpleperf_binary_type, 1, "KERNEL"},
    {&pd_set_simpleperf_binary_type, 2, "KERNEL_MODULE"},
    {&pd_set_simpleperf_unwind_key, KEY(1, 2), "FILE"},
    {&pd_set_simpleperf_unwind_file_key, KEY(1, 2), "PATH"},
    {&pd_set_simpleperf_unwind_file_key, KEY(2, 0), "SIZE"},
    {&pd_set_simpleperf_file_key, KEY(1, 2), "PATH"},
    {&pd_set_simpleperf_file_key, KEY(2, 0), "TYPE"},
    {&pd_set_simpleperf_file_key, KEY(3, 0), "MIN_VADDR"},
    {&pd_set_simpleperf_file_key, KEY(4, 2), "SYMBOL"},
    {&pd_set_simpleperf_file_key, KEY(5, 2), "DEX_FILE"},
    {&pd_set_simpleperf_file_key, KEY(6, 2), "ELF_FILE"},
    {&pd_set_simpleperf_file_key, KEY(7, 2), "KERNEL_MODULE"},
    {&pd_set_simpleperf_symbol_key, KEY(1, 0), "VADDR"},
    {&pd_set_simpleperf_symbol_key, KEY(2, 0), "LEN"},
    {&pd_set_simpleperf_symbol_key, KEY(3, 2), "NAME"},
    {&pd_set_simpleperf_dex_key, KEY(1, 0), "DEX_FILE_OFFSET"},
    {&pd_set_simpleperf_dex_key, KEY(1, 2), "PACKED_DEX_FILE_OFFSET"},
    {&pd_set_simpleperf_elf_key, KEY(1, 0), "FILE_OFFSET_OF_MIN_VADDR"},
    {&pd_set_simpleperf_module_key, KEY(1, 0), "MEMORY_OFFSET_OF_MIN_VADDR"},
    {&pd_set_simpleperf_branch_list_key, KEY(1, 2), "MAGIC"},
    {&pd_set_simpleperf_branch_list_key, KEY(2, 2), "ETM_DATA"},
    {&pd_set_simpleperf_branch_list_key, KEY(3, 2), "LBR_DATA"},
    {&pd_set_simpleperf_etm_binary_key, KEY(1, 2), "PATH"},
    {&pd_set_simpleperf_etm_binary_key, KEY(2, 2), "BUILD_ID"},
    {&pd_set_simpleperf_etm_binary_key, KEY(3, 2), "ADDRS"},
    {&pd_set_simpleperf_etm_binary_key, KEY(4, 0), "TYPE"},
    {&pd_set_simpleperf_etm_binary_key, KEY(5, 2), "KERNEL_INFO"},
    {&pd_set_simpleperf_etm_address_key, KEY(1, 0), "ADDR"},
    {&pd_set_simpleperf_etm_address_key, KEY(2, 2), "BRANCHES"},
    {&pd_set_simpleperf_etm_branch_key, KEY(1, 2), "BRANCH"},
    {&pd_set_simpleperf_etm_branch_key, KEY(2, 0), "BRANCH_SIZE"},
    {&pd_set_simpleperf_etm_branch_key, KEY(3, 0), "COUNT"},
    {&pd_set_simpleperf_kernel_info_key, KEY(1, 0), "KERNEL_START_ADDR"},
    {&pd_set_simpleperf_lbr_key, KEY(1, 2), "SAMPLES"},
    {&pd_set_simpleperf_lbr_key, KEY(2, 2), "BINARIES"},
    {&pd_set_simpleperf_lbr_sample_key, KEY(1, 0), "BINARY_ID"},
    {&pd_set_simpleperf_lbr_sample_key, KEY(2, 0), "VADDR_IN_FILE"},
    {&pd_set_simpleperf_lbr_sample_key, KEY(3, 2), "BRANCHES"},
    {&pd_set_simpleperf_lbr_branch_key, KEY(1, 0), "FROM_BINARY_ID"},
    {&pd_set_simpleperf_lbr_branch_key, KEY(2, 0), "TO_BINARY_ID"},
    {&pd_set_simpleperf_lbr_branch_key, KEY(3, 0), "FROM_VADDR_IN_FILE"},
    {&pd_set_simpleperf_lbr_branch_key, KEY(4, 0), "TO_VADDR_IN_FILE"},
    {&pd_set_simpleperf_lbr_binary_key, KEY(1, 2), "PATH"},
    {&pd_set_simpleperf_lbr_binary_key, KEY(2, 2), "BUILD_ID"},
    {&pd_set_auxtrace_type, 0, "UNKNOWN"},
    {&pd_set_auxtrace_type, 1, "INTEL_PT"},
    {&pd_set_auxtrace_type, 2, "INTEL_BTS"},
    {&pd_set_auxtrace_type, 3, "CS_ETM"},
    {&pd_set_auxtrace_type, 4, "ARM_SPE"},
    {&pd_set_auxtrace_type, 5, "S390_CPUMSF"},
    {&pd_set_auxtrace_type, 6, "HISI_PTT"},
    {&pd_set_auxtrace_type, 7, "VPA_DTL"},
    {&pd_set_auxtrace_error_type, 1, "ITRACE"},
    {&pd_set_cs_etm_magic, 0x3030303030303030, "ETMV3"},
    {&pd_set_cs_etm_magic, 0x4040404040404040, "ETMV4"},
    {&pd_set_cs_etm_magic, 0x5050505050505050, "ETE"},
    {&pd_set_arm_spe_magic, 0x1010101010101010, "CPU"},
    {&pd_set_cpu_map_type, 0, "CPUS"},
    {&pd_set_cpu_map_type, 1, "MASK"},
    {&pd_set_cpu_map_type, 2, "RANGE_CPUS"},
    {&pd_set_stat_config_tag, 0, "AGGR_MODE"},
    {&pd_set_stat_config_tag, 1, "INTERVAL"},
    {&pd_set_stat_config_tag, 2, "SCALE"},
    {&pd_set_stat_config_tag, 3, "AGGR_LEVEL"},
    {&pd_set_aggr_mode, 0, "NONE"},
    {&pd_set_aggr_mode, 1, "GLOBAL"},
    {&pd_set_aggr_mode, 2, "SOCKET"},
    {&pd_set_aggr_mode, 3, "DIE"},
    {&pd_set_aggr_mode, 4, "CLUSTER"},
    {&pd_set_aggr_mode, 5, "CACHE"},
    {&pd_set_aggr_mode, 6, "CORE"},
    {&pd_set_aggr_mode, 7, "THREAD"},
    {&pd_set_aggr_mode, 8, "UNSET"},
    {&pd_set_aggr_mode, 9, "NODE"},
    {&pd_set_stat_round_type, 0, "INTERVAL"},
    {&pd_set_stat_round_type, 1, "FINAL"},
    {&pd_set_event_update_type, 0, "UNIT"},
    {&pd_set_event_update_type, 1, "SCALE"},
    {&pd_set_event_update_type, 2, "NAME"},
    {&pd_set_event_update_type, 3, "CPUS"},
    {&pd_set_comp_type, 0, "NONE"},
    {&pd_set_comp_type, 1, "ZSTD"},
    {&pd_set_mmap_type, 8, "DROPPABLE"},
    {&pd_set_clockid, 10, "SGI_CYCLE"},
    {&pd_set_feature, 1, "TRACING_DATA"},
    {&pd_set_feature, 2, "BUILD_ID"},
    {&pd_set_feature, 3, "HOSTNAME"},
    {&pd_set_feature, 4, "OSRELEASE"},
    {&pd_set_feature, 5, "VERSION"},
    {&pd_set_feature, 6, "ARCH"},
    {&pd_set_feature, 7, "NRCPUS"},
    {&pd_set_feature, 8, "CPUDESC"},
    {&pd_set_feature, 9, "CPUID"},
    {&pd_set_feature, 10, "TOTAL_MEM"},
    {&pd_set_feature, 11, "CMDLINE"},
    {&pd_set_feature, 12, "EVENT_DESC"},
    {&pd_set_feature, 13, "CPU_TOPOLOGY"},
    {&pd_set_feature, 14, "NUMA_TOPOLOGY"},
    {&pd_set_feature, 15, "BRANCH_STACK"},
    {&pd_set_feature, 16, "PMU_MAPPINGS"},
    {&pd_set_feature, 17, "GROUP_DESC"},
    {&pd_set_feature, 18, "AUXTRACE"},
    {&pd_set_feature, 19, "STAT"},
    {&pd_set_feature, 20, "CACHE"},
    {&pd_set_feature, 21, "SAMPLE_TIME"},
    {&pd_set_feature, 22, "MEM_TOPOLOGY"},
    {&pd_set_feature, 23, "CLOCKID"},
    {&pd_set_feature, 24, "DIR_FORMAT"},
    {&pd_set_feature, 25, "BPF_PROG_INFO"},
    {&pd_set_feature, 26, "BPF_BTF"},
    {&pd_set_feature, 27, "COMPRESSED"},
    {&pd_set_feature, 28, "CPU_PMU_CAPS"},
    {&pd_set_feature, 29, "CLOCK_DATA"},
    {&pd_set_feature, 30, "HYBRID_TOPOLOGY"},
    {&pd_set_feature, 31, "PMU_CAPS"},
    {&pd_set_feature, 32, "CPU_DOMAIN_INFO"},
    {&pd_set_feature, 33, "E_MACHINE"},
    {&pd_set_feature, 34, "CLN_SIZE"},
    {&pd_set_feature, 128, "SIMPLEPERF_FILE"},
    {&pd_set_feature, 129, "SIMPLEPERF_META_INFO"},
    {&pd_set_feature, 130, "SIMPLEPERF_DEBUG_UNWIND"},
    {&pd_set_feature, 131, "SIMPLEPERF_DEBUG_UNWIND_FILE"},
    {&pd_set_feature, 132, "SIMPLEPERF_FILE2"},
    {&pd_set_feature, 133, "SIMPLEPERF_ETM_BRANCH_LIST"},
    {&pd_set_feature, 134, "SIMPLEPERF_INIT_MAP"},
    {&pd_set_bpf_arrays, 1, "JITED_INSNS"},
    {&pd_set_bpf_arrays, 2, "XLATED_INSNS"},
    {&pd_set_bpf_arrays, 4, "MAP_IDS"},
    {&pd_set_bpf_arrays, 8, "JITED_KSYMS"},
    {&pd_set_bpf_arrays, 16, "JITED_FUNC_LENS"},
    {&pd_set_bpf_arrays, 32, "FUNC_INFO"},
    {&pd_set_bpf_arrays, 64, "LINE_INFO"},
    {&pd_set_bpf_arrays, 128, "JITED_LINE_INFO"},
    {&pd_set_bpf_arrays, 256, "PROG_TAGS"},
    {&pd_set_simpleperf_file_type, 0, "KERNEL"},
    {&pd_set_simpleperf_file_type, 1, "KERNEL_MODULE"},
    {&pd_set_simpleperf_file_type, 2, "ELF_FILE"},
    {&pd_set_simpleperf_file_type, 3, "DEX_FILE"},
    {&pd_set_simpleperf_file_type, 4, "SYMBOL_MAP_FILE"},
    {&pd_set_simpleperf_file_type, 5, "UNKNOWN_FILE"},
    /* the postings of 2025 and 2026: bit 2 beside the kernel's two */
    {&pd_set_regs_abi, 4, "SIMD"},
    {&pd_set_regs_abi, 5, "ABI_32_SIMD"},
    {&pd_set_regs_abi, 6, "ABI_64_SIMD"},
    {&pd_set_simpleperf_chain_type, 0, "ORIGINAL_OFFLINE"},
    {&pd_set_simpleperf_chain_type, 1, "ORIGINAL_REMOTE"},
    {&pd_set_simpleperf_chain_type, 2, "JOINED_OFFLINE"},
    {&pd_set_simpleperf_chain_type, 3, "JOINED_REMOTE"},
};

static void values_have_their_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const struct value *v = &values[i];
        uint64_t back;
        assert_string_equal(pd_set_name(v->set, v->value), v->name);
        assert_true(pd_set_parse(v->set, v->name, strlen(v->name), &back));
        assert_int_equal(back, v->value);
    }
}

/* ---- Texts, both ways. */

static const struct {
    const struct pd_set *set;
    uint64_t value;
    const char *text;
} texts[] = {
    {&pd_set_DEC, 0, "0"},
    {&pd_set_DEC, UINT64_MAX, "18446744073709551615"},
    {&pd_set_SDEC, UINT64_MAX, "-1"},
    {&pd_set_SDEC, UINT64_C(1) << 63, "-9223372036854775808"},
    {&pd_set_SDEC, INT64_MAX, "9223372036854775807"},
    {&pd_set_HEX, 0, "0x0"},
    {&pd_set_HEX, UINT64_MAX, "0xffffffffffffffff"},
    {&pd_set_FLAG, 1, "1"},
    {&pd_set_TIME, 1234567890123, "1234567890123"},
    {&pd_set_SIZE, 4096, "4096"},
    {&pd_set_branch_type, 1, "COND"},
    {&pd_set_record_type, 9, "SAMPLE"},
    {&pd_set_record_type, 63, "63"},
    {&pd_set_attr_type, 8, "8"},
    {&pd_set_clockid, 0xfffffffe, "4294967294"},
    {&pd_set_callchain_context, (uint64_t)-128, "KERNEL"},
    {&pd_set_callchain_context, (uint64_t)-127, "0xffffffffffffff81"},
    {&pd_set_sample_type, 0, "0"},
    {&pd_set_sample_type, 0x80000003, "IP|TID|0x80000000"},
    {&pd_set_sample_type, UINT64_C(1) << 63, "0x8000000000000000"},
    {&pd_set_read_format, 31, "TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING|ID|GROUP|LOST"},
    {&pd_set_bp_type, 0, "0"},
    {&pd_set_bp_type, 3, "R|W"},
    {&pd_set_bp_type, 4, "X"},
    {&pd_set_cs_etm_cpus, UINT64_C(8) << 32 | 4, "nr_cpus=4|pmu_type=8"},
    {&pd_set_bpf_prog_bits, 1, "gpl_compatible"},
    {&pd_set_bpf_prog_bits, 5, "gpl_compatible|unused=0x2"},
    {&pd_set_misc_sample, 0x4002, "cpumode=USER|exact_ip"},
    {&pd_set_misc_mmap2, 0x7001, "cpumode=KERNEL|proc_map_parse_timeout|mmap_data|mmap_build_id"},
    {&pd_set_misc_mmap, 0x3002, "cpumode=USER|proc_map_parse_timeout|mmap_data"},
    {&pd_set_misc_comm, 0x2002, "cpumode=USER|comm_exec"},
    {&pd_set_misc_fork, 0x2002, "cpumode=USER|fork_exec"},
    {&pd_set_misc_lost_samples, 0x8002, "cpumode=USER|lost_samples_bpf"},
    {&pd_set_misc_build_id, 0x8002, "cpumode=USER|build_id_size"},
    {&pd_set_misc_switch, 0x6000, "switch_out|switch_out_preempt"},
    {&pd_set_misc_switch, 0x2002, "cpumode=USER|switch_out"},
    {&pd_set_misc_none, 0x102c, "cpumode=GUEST_KERNEL|0x1028"},
    {&pd_set_misc_cpumode, 7, "cpumode=7"},
    {&pd_set_attr_flags, 0, "0"},
    /* The flag word of a real recording. */
    {&pd_set_attr_flags, 0x00141703,
     "disabled|inherit|mmap|comm|freq|enable_on_exec|sample_id_all|exclude_guest"},
    {&pd_set_attr_flags, 0x8000000000018000, "precise_ip=ZERO_SKID|reserved_1=0x800000"},
    {&pd_set_aux_action, 0x80000006, "aux_pause|aux_resume|reserved=0x10000000"},
    {&pd_set_branch_flags, 213, "mispred|in_tx|cycles=13"},
    {&pd_set_branch_flags, 0x1000d1, "mispred|cycles=13|type=COND"},
    {&pd_set_branch_flags, UINT64_C(213) << 33, "reserved=0xd5"},
    {&pd_set_branch_flags, 0x9ff00000, "type=EXTEND_ABI|spec=SPEC_CORRECT_PATH|new_type=ARCH_5|priv=KERNEL"},
    {&pd_set_data_src, 0x68100142, "mem_op=LOAD|mem_lvl=HIT+L1|mem_snoop=NONE|mem_dtlb=HIT+L1+L2"},
    {&pd_set_data_src, UINT64_C(1) << 37 | UINT64_C(11) << 33 | UINT64_C(2) << 43 | UINT64_C(7) << 46,
     "mem_lvl_num=ANY_CACHE|mem_remote|mem_hops=HOPS_1|mem_region=MMIO"},
    {&pd_set_transaction, 0x100, "reserved=0x1"},
    {&pd_set_data_src, UINT64_C(1) << 51, "reserved=0x1"},
    {&pd_set_transaction, 0x12345678000000a2, "transaction|conflict|capacity_read|abort_code=0x12345678"},
    {&pd_set_weight_struct, 0x000300020000000a, "var1_dw=10|var2_w=2|var3_w=3"},
    {&pd_set_mmap_flags, 0x1802, "type=PRIVATE|denywrite|executable"},
    {&pd_set_mmap_flags, 0x04000022, "type=PRIVATE|anonymous|0x4000000"},
    {&pd_set_aux_flags, 0x101, "truncated|pmu_format=CORESIGHT_RAW"},
    {&pd_set_hw_id_coresight, 0x0100000000001234, "trace_id=0x34|sink_id=0x12|minor_version=1"},
    {&pd_set_hw_id_coresight, UINT64_C(3) << 60, "major_version=3"},
    {&pd_set_hw_id_coresight, UINT64_C(1) << 40, "reserved=0x1"},
    {&pd_set_hardware_config, UINT64_C(4) << 32 | 1, "event=INSTRUCTIONS|pmu_type=4"},
    {&pd_set_cache_config, 0x10103, "id=DTLB|op=WRITE|result=MISS"},
};

static void words_become_texts_and_back(void **state)
{
    char text[256];
    uint64_t back;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const size_t n = pd_set_format(texts[i].set, texts[i].value, text, sizeof text);
        assert_string_equal(text, texts[i].text);
        assert_int_equal(n, strlen(text));
        assert_true(pd_set_parse(texts[i].set, texts[i].text, n, &back));
        assert_int_equal(back, texts[i].value);
    }
}

static const struct {
    const struct pd_set *set;
    const char *text;
    uint64_t value;
} other_spellings[] = {
    {&pd_set_sample_type, "tid|Ip", 3},
    {&pd_set_sample_type, "IP|IP", 1},
    {&pd_set_sample_type, "1|2|0x4", 7},
    {&pd_set_bp_type, "EMPTY", 0},
    {&pd_set_bp_type, "rw", 3},
    {&pd_set_branch_type, "0xf", 15},
    {&pd_set_branch_flags, "Cycles=0x10|PREDICTED=1|mispred=0", 0x102},
    {&pd_set_branch_flags, "0x2|cycles=1", 0x12},
    {&pd_set_data_src, "mem_lvl=hit+0x8|0x2", 0x142},
    {&pd_set_SDEC, "0xffffffffffffffff", UINT64_MAX},
    {&pd_set_HEX, "255", 255},
    {&pd_set_DEC, "0XfF", 255},
};

static void texts_may_be_spelt_otherwise(void **state)
{
    uint64_t value;

    (void)state;
    for (size_t i = 0; i < sizeof other_spellings / sizeof *other_spellings; i++) {
        const char *text = other_spellings[i].text;
        if (!pd_set_parse(other_spellings[i].set, text, strlen(text), &value))
            fail_msg("%s: refused", text);
        assert_int_equal(value, other_spellings[i].value);
    }
}

static const struct {
    const struct pd_set *set;
    const char *text;
} malformed[] = {
    {&pd_set_DEC, ""},
    {&pd_set_DEC, " 1"},
    {&pd_set_DEC, "1 "},
    {&pd_set_DEC, "-1"},
    {&pd_set_DEC, "+1"},
    {&pd_set_DEC, "0x"},
    {&pd_set_DEC, "12a"},
    {&pd_set_DEC, "0x12g"},
    {&pd_set_DEC, "18446744073709551616"},
    {&pd_set_DEC, "0x10000000000000000"},
    {&pd_set_DEC, "99999999999999999999999999"},
    {&pd_set_FLAG, "2"},
    {&pd_set_SDEC, "-"},
    {&pd_set_SDEC, "--1"},
    {&pd_set_SDEC, "-0x1"},
    {&pd_set_SDEC, "-9223372036854775809"},
    {&pd_set_SDEC, "9223372036854775808"},
    {&pd_set_branch_type, "16"},
    {&pd_set_branch_type, "CON"},
    {&pd_set_branch_type, "CONDX"},
    {&pd_set_branch_type, "COND|IND"},
    {&pd_set_record_type, "4294967296"},
    {&pd_set_sample_type, "IP|"},
    {&pd_set_sample_type, "|IP"},
    {&pd_set_sample_type, "IP||TID"},
    {&pd_set_sample_type, "IP+TID"},
    {&pd_set_sample_type, "IP TID"},
    {&pd_set_sample_type, "IP=1"},
    {&pd_set_bp_type, "0x100000000"},
    {&pd_set_misc_sample, "0x10000"},
    {&pd_set_branch_flags, "cycles"},
    {&pd_set_branch_flags, "cycles="},
    {&pd_set_branch_flags, "cycles=65536"},
    {&pd_set_branch_flags, "cycles=1=2"},
    {&pd_set_branch_flags, "mispred=2"},
    {&pd_set_branch_flags, "mispred|mispred"},
    {&pd_set_branch_flags, "mispred|0x1"},
    {&pd_set_branch_flags, "0x10|cycles=2"},
    {&pd_set_branch_flags, "type=16"},
    {&pd_set_branch_flags, "type=NONSENSE"},
    {&pd_set_branch_flags, "nonsense"},
    {&pd_set_branch_flags, "nonsense=1"},
    {&pd_set_branch_flags, "=1"},
    {&pd_set_branch_flags, "|"},
    {&pd_set_branch_flags, "1=1"},
    {&pd_set_data_src, "mem_lvl=HIT|L1"},
    {&pd_set_data_src, "mem_lvl=HIT+"},
};

static void malformed_texts_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        uint64_t value = 12345;
        if (pd_set_parse(malformed[i].set, malformed[i].text, strlen(malformed[i].text), &value))
            fail_msg("%s: understood \"%s\"", malformed[i].set->id, malformed[i].text);
        assert_int_equal(value, 12345);
    }
    uint64_t value;
    assert_false(pd_set_parse(&pd_set_branch_type, "COND\0", 5, &value));
    assert_false(pd_set_parse(&pd_set_DEC, "1\0", 2, &value));
}

/* ---- Every set. */

static uint64_t word_mask(const struct pd_set *set)
{
    return set->bits == 64 ? UINT64_MAX : (UINT64_C(1) << set->bits) - 1;
}

/* The text of the value reads back as the value, and is cut cleanly at any size of the buffer. */
static void check_value(const struct pd_set *set, uint64_t value)
{
    char text[1024], shorter[1024];
    const size_t n = pd_set_format(set, value, text, sizeof text);
    uint64_t back = ~value;

    assert_true(n > 0 && n < sizeof text);
    assert_int_equal(strlen(text), n);
    if (!pd_set_parse(set, text, n, &back) || back != value)
        fail_msg("%s: 0x%llx: \"%s\" read back as 0x%llx", set->id, (unsigned long long)value, text,
                 (unsigned long long)back);
    for (size_t cap = 0; cap <= n; cap += cap < 4 ? 1 : n / 3) {
        memset(shorter, '#', sizeof shorter);
        assert_int_equal(pd_set_format(set, value, shorter, cap), n);
        if (cap) {
            assert_memory_equal(shorter, text, cap - 1);
            assert_int_equal(shorter[cap - 1], '\0');
        }
        assert_int_equal(shorter[cap], '#');
    }
}

static void every_value_comes_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < pd_n_sets; i++) {
        const struct pd_set *set = pd_sets[i];
        for (size_t j = 0; j < set->n; j++)
            check_value(set, set->names[j].value);
        for (unsigned bit = 0; bit < set->bits; bit++) {
            check_value(set, UINT64_C(1) << bit);
            check_value(set, word_mask(set) & ~(UINT64_C(1) << bit));
        }
        check_value(set, 0);
        check_value(set, word_mask(set));
        for (uint64_t small = 0; small < 256 && small <= word_mask(set); small++)
            check_value(set, small);
    }
}

static uint64_t random_word(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void random_words_come_back(void **state)
{
    const char *given = getenv("PERFDATA_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : 20240607;

    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t i = 0; i < pd_n_sets; i++) {
        for (int round = 0; round < 500; round++) {
            /* And-ing gives words with few bits, as real ones have. */
            uint64_t word = random_word(&seed);
            for (int thin = round % 4; thin > 0; thin--)
                word &= random_word(&seed);
            check_value(pd_sets[i], word & word_mask(pd_sets[i]));
        }
    }
}

/* Random mutations of good texts never crash, and an accepted one is a word of the set. */
static void random_texts_are_survived(void **state)
{
    static const char letters[] = "|+=0x-19aIP\0 ";
    uint64_t seed = 7, value;
    char text[1024];

    (void)state;
    for (size_t i = 0; i < pd_n_sets; i++) {
        for (int round = 0; round < 500; round++) {
            const size_t n =
                pd_set_format(pd_sets[i], random_word(&seed) & word_mask(pd_sets[i]), text, sizeof text);
            for (uint64_t edits = random_word(&seed) % 3 + 1; edits > 0; edits--)
                text[random_word(&seed) % n] = letters[random_word(&seed) % (sizeof letters - 1)];
            if (pd_set_parse(pd_sets[i], text, (size_t)(random_word(&seed) % (n + 1)), &value))
                check_value(pd_sets[i], value);
        }
    }
}

static bool same_letters(const char *a, const char *b)
{
    while (*a && (*a | 0x20) == (*b | 0x20)) {
        a++;
        b++;
    }
    return *a == *b;
}

static void sets_are_well_formed(void **state)
{
    (void)state;
    assert_true(pd_n_sets > 60);
    for (size_t i = 0; i < pd_n_sets; i++) {
        const struct pd_set *set = pd_sets[i];
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(set->id, pd_sets[j]->id);
        assert_true(set->bits >= 1 && set->bits <= 64);
        assert_true(set->doc && *set->doc);
        for (size_t j = 0; j < set->n; j++) {
            const struct pd_name *n = &set->names[j];
            for (size_t k = 0; k < j; k++)
                assert_false(same_letters(n->name, set->names[k].name));
            assert_true(*n->doc);
            assert_int_equal(n->value & ~word_mask(set), 0);
            if (set->kind == PD_SET_BITS) {
                assert_true(n->width >= 1 && n->lo + n->width <= set->bits);
                assert_true(n->set->kind != PD_SET_BITS && n->set->bits >= (n->set->n ? n->width : 1));
            } else {
                assert_null(n->set);
            }
        }
    }
}

static void mirrored_words_are_covered(void **state)
{
    static const struct pd_set *const sets[] = {&pd_set_attr_flags,   &pd_set_aux_action,
                                                &pd_set_branch_flags, &pd_set_data_src,
                                                &pd_set_transaction,  &pd_set_weight_struct};

    (void)state;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        uint64_t sum = 0;
        for (size_t j = 0; j < sets[i]->n; j++) {
            assert_int_equal(sum & sets[i]->names[j].value, 0);
            sum |= sets[i]->names[j].value;
        }
        assert_int_equal(sum, word_mask(sets[i]));
    }
}

static void fields_are_found_and_read(void **state)
{
    const struct pd_name *f = pd_set_field(&pd_set_branch_flags, "CYCLES");

    (void)state;
    assert_non_null(f);
    assert_string_equal(f->name, "cycles");
    assert_int_equal(f->value, PD_BRANCH_CYCLES);
    assert_int_equal(f->lo, PD_BRANCH_CYCLES_SHIFT);
    assert_int_equal(pd_bits_get(f, 213), 13);
    assert_null(pd_set_field(&pd_set_branch_flags, "cycle"));
    assert_null(pd_set_field(&pd_set_branch_flags, ""));
    assert_null(pd_set_field(&pd_set_sample_type, "IP"));
}

static void names_are_of_exact_values(void **state)
{
    (void)state;
    assert_string_equal(pd_set_name(&pd_set_bp_type, 3), "RW");
    assert_string_equal(pd_set_name(&pd_set_bp_type, 0), "EMPTY");
    assert_null(pd_set_name(&pd_set_sample_type, 3));
    assert_null(pd_set_name(&pd_set_sample_type, 0));
    assert_null(pd_set_name(&pd_set_record_type, 0));
    assert_null(pd_set_name(&pd_set_branch_flags, 1));
    assert_null(pd_set_name(&pd_set_DEC, 1));
    assert_null(pd_set_name(&pd_set_auxtrace_error_type, 0));
}

/* Sets whose values have several names at once by the kernel's and perf's headers, and those with one. */
static const struct pd_set *const of_bits[] = {&pd_set_sample_type, &pd_set_branch_sample_type,
                                               &pd_set_read_format, &pd_set_bp_type,
                                               &pd_set_mem_op,      &pd_set_mem_lvl,
                                               &pd_set_mem_snoop,   &pd_set_mem_lock,
                                               &pd_set_mem_dtlb,    &pd_set_mem_snoopx,
                                               &pd_set_mem_blk,     &pd_set_prot,
                                               &pd_set_ksym_flags,  &pd_set_bpf_arrays};
static const struct pd_set *const of_numbers[] = {&pd_set_record_type,
                                                  &pd_set_cpumode,
                                                  &pd_set_attr_type,
                                                  &pd_set_attr_size,
                                                  &pd_set_hardware_id,
                                                  &pd_set_software_id,
                                                  &pd_set_cache_id,
                                                  &pd_set_cache_op,
                                                  &pd_set_cache_result,
                                                  &pd_set_precise_ip,
                                                  &pd_set_clockid,
                                                  &pd_set_callchain_context,
                                                  &pd_set_branch_type,
                                                  &pd_set_branch_new_type,
                                                  &pd_set_branch_spec,
                                                  &pd_set_branch_priv,
                                                  &pd_set_regs_abi,
                                                  &pd_set_mem_lvl_num,
                                                  &pd_set_mem_hops,
                                                  &pd_set_mem_region,
                                                  &pd_set_mmap_type,
                                                  &pd_set_aux_pmu_format,
                                                  &pd_set_namespace,
                                                  &pd_set_ksym_type,
                                                  &pd_set_bpf_event_type,
                                                  &pd_set_auxtrace_type,
                                                  &pd_set_auxtrace_error_type,
                                                  &pd_set_cs_etm_magic,
                                                  &pd_set_arm_spe_magic,
                                                  &pd_set_cpu_map_type,
                                                  &pd_set_stat_config_tag,
                                                  &pd_set_aggr_mode,
                                                  &pd_set_stat_round_type,
                                                  &pd_set_event_update_type,
                                                  &pd_set_comp_type,
                                                  &pd_set_feature,
                                                  &pd_set_simpleperf_file_type,
                                                  &pd_set_simpleperf_unwind_key,
                                                  &pd_set_simpleperf_unwind_file_key,
                                                  &pd_set_simpleperf_file_key,
                                                  &pd_set_simpleperf_symbol_key,
                                                  &pd_set_simpleperf_dex_key,
                                                  &pd_set_simpleperf_elf_key,
                                                  &pd_set_simpleperf_module_key,
                                                  &pd_set_simpleperf_branch_list_key,
                                                  &pd_set_simpleperf_etm_binary_key,
                                                  &pd_set_simpleperf_binary_type,
                                                  &pd_set_simpleperf_etm_address_key,
                                                  &pd_set_simpleperf_etm_branch_key,
                                                  &pd_set_simpleperf_kernel_info_key,
                                                  &pd_set_simpleperf_lbr_key,
                                                  &pd_set_simpleperf_lbr_sample_key,
                                                  &pd_set_simpleperf_lbr_branch_key,
                                                  &pd_set_simpleperf_lbr_binary_key,
                                                  &pd_set_simpleperf_chain_type};

static void sets_are_of_bits_or_of_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof of_bits / sizeof *of_bits; i++)
        assert_int_equal(of_bits[i]->kind, PD_SET_FLAGS);
    for (size_t i = 0; i < sizeof of_numbers / sizeof *of_numbers; i++)
        assert_int_equal(of_numbers[i]->kind, PD_SET_ENUM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        cmocka_unit_test(bitfields_are_the_kernels),
#endif
        cmocka_unit_test(values_have_their_names),
        cmocka_unit_test(words_become_texts_and_back),
        cmocka_unit_test(texts_may_be_spelt_otherwise),
        cmocka_unit_test(malformed_texts_are_refused),
        cmocka_unit_test(every_value_comes_back),
        cmocka_unit_test(random_words_come_back),
        cmocka_unit_test(random_texts_are_survived),
        cmocka_unit_test(sets_are_well_formed),
        cmocka_unit_test(mirrored_words_are_covered),
        cmocka_unit_test(fields_are_found_and_read),
        cmocka_unit_test(names_are_of_exact_values),
        cmocka_unit_test(sets_are_of_bits_or_of_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
