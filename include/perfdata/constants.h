/* SPDX-License-Identifier: MIT */
/*
 * perfdata/constants.h - every constant of the format and the set of names it belongs to.
 *
 * Generated from src/schema/names.def by `perfdata_gen constants`; do not edit.
 *
 * Values of enumerations are enumerators, or macros where they do not fit an int. Masks of flag words
 * and of sub-fields of packed words are macros as wide as the word; sub-fields of several bits have a
 * _SHIFT too. Bits are numbered as in a little-endian stream.
 */
#ifndef PERFDATA_CONSTANTS_H
#define PERFDATA_CONSTANTS_H

#include <perfdata/names.h>

#ifdef __cplusplus
extern "C" {
#endif

/* DEC: a number in decimal. */
PD_API extern const struct pd_set pd_set_DEC;

/* SDEC: a signed number in decimal, sign-extended to 64 bits. */
PD_API extern const struct pd_set pd_set_SDEC;

/* HEX: a number in hexadecimal. */
PD_API extern const struct pd_set pd_set_HEX;

/* UNUSED: bits without a meaning yet, each a field of its own: big-endian streams mirror them one by one. */
PD_API extern const struct pd_set pd_set_UNUSED;

/* FLAG: one bit; as a sub-field it is written as its bare name. */
PD_API extern const struct pd_set pd_set_FLAG;

/* TIME: nanoseconds. */
PD_API extern const struct pd_set pd_set_TIME;

/* F64: a floating point number, IEEE 754, as its bits. */
PD_API extern const struct pd_set pd_set_F64;

/* SIZE: bytes. */
PD_API extern const struct pd_set pd_set_SIZE;

/* record_type: perf_event_header.type. */
enum {
    PD_RECORD_MMAP = 1, /* a mapping, first form */
    PD_RECORD_LOST = 2, /* records lost for want of room */
    PD_RECORD_COMM = 3, /* a new task name */
    PD_RECORD_EXIT = 4, /* a task ended */
    PD_RECORD_THROTTLE = 5, /* an event sampled too often and pauses */
    PD_RECORD_UNTHROTTLE = 6, /* the event is sampled again */
    PD_RECORD_FORK = 7, /* a task began */
    PD_RECORD_READ = 8, /* counter values of a task that ended */
    PD_RECORD_SAMPLE = 9, /* one overflow of a counter */
    PD_RECORD_MMAP2 = 10, /* a mapping, with inode or build id */
    PD_RECORD_AUX = 11, /* new data in the AUX area */
    PD_RECORD_ITRACE_START = 12, /* instruction trace starts */
    PD_RECORD_LOST_SAMPLES = 13, /* samples lost */
    PD_RECORD_SWITCH = 14, /* context switch of a task */
    PD_RECORD_SWITCH_CPU_WIDE = 15, /* context switch of a cpu */
    PD_RECORD_NAMESPACES = 16, /* namespaces of a task */
    PD_RECORD_KSYMBOL = 17, /* a kernel symbol appeared or went */
    PD_RECORD_BPF_EVENT = 18, /* a BPF program was loaded or unloaded */
    PD_RECORD_CGROUP = 19, /* name of a cgroup */
    PD_RECORD_TEXT_POKE = 20, /* kernel code was patched */
    PD_RECORD_AUX_OUTPUT_HW_ID = 21, /* hardware id in AUX output */
    PD_RECORD_CALLCHAIN_DEFERRED = 22, /* user call chain of earlier samples */
    PD_RECORD_HEADER_ATTR = 64, /* one attr and its ids (pipe) */
    PD_RECORD_HEADER_EVENT_TYPE = 65, /* name of an event (old pipe) */
    PD_RECORD_HEADER_TRACING_DATA = 66, /* tracing data follows (pipe) */
    PD_RECORD_HEADER_BUILD_ID = 67, /* build id of a file */
    PD_RECORD_FINISHED_ROUND = 68, /* end of a pass over all buffers */
    PD_RECORD_ID_INDEX = 69, /* cpu and thread of event ids */
    PD_RECORD_AUXTRACE_INFO = 70, /* how the AUX area was set up */
    PD_RECORD_AUXTRACE = 71, /* AUX data follows */
    PD_RECORD_AUXTRACE_ERROR = 72, /* error in decoding AUX data */
    PD_RECORD_THREAD_MAP = 73, /* threads measured */
    PD_RECORD_CPU_MAP = 74, /* cpus measured */
    PD_RECORD_STAT_CONFIG = 75, /* settings of perf stat */
    PD_RECORD_STAT = 76, /* one count of perf stat */
    PD_RECORD_STAT_ROUND = 77, /* end of a round of perf stat */
    PD_RECORD_EVENT_UPDATE = 78, /* unit, scale, name or cpus of an event */
    PD_RECORD_TIME_CONV = 79, /* conversion of the cycle counter to time */
    PD_RECORD_HEADER_FEATURE = 80, /* a feature section (pipe) */
    PD_RECORD_COMPRESSED = 81, /* compressed records */
    PD_RECORD_FINISHED_INIT = 82, /* end of the synthesized records */
    PD_RECORD_COMPRESSED2 = 83, /* compressed records, size aligned */
    PD_RECORD_BPF_METADATA = 84, /* metadata of a BPF program */
    PD_RECORD_SCHEDSTAT_CPU = 85, /* scheduler statistics of a cpu */
    PD_RECORD_SCHEDSTAT_DOMAIN = 86, /* scheduler statistics of a domain */
    PD_RECORD_SIMPLEPERF_KERNEL_SYMBOL = 32769, /* kallsyms text */
    PD_RECORD_SIMPLEPERF_DSO = 32770, /* a binary */
    PD_RECORD_SIMPLEPERF_SYMBOL = 32771, /* a symbol */
    PD_RECORD_SIMPLEPERF_SPLIT = 32772, /* part of a large record */
    PD_RECORD_SIMPLEPERF_SPLIT_END = 32773, /* end of a large record */
    PD_RECORD_SIMPLEPERF_EVENT_ID = 32774, /* attrs of event ids */
    PD_RECORD_SIMPLEPERF_CALLCHAIN = 32775, /* call chain unwound by simpleperf */
    PD_RECORD_SIMPLEPERF_UNWINDING_RESULT = 32776, /* how an unwinding went */
    PD_RECORD_SIMPLEPERF_TRACING_DATA = 32777, /* tracing data */
    PD_RECORD_SIMPLEPERF_DEBUG = 32778, /* debug text */
};
PD_API extern const struct pd_set pd_set_record_type;

/* cpumode: low three bits of misc: where the cpu was. */
enum {
    PD_CPUMODE_UNKNOWN = 0, /* not known */
    PD_CPUMODE_KERNEL = 1, /* host kernel */
    PD_CPUMODE_USER = 2, /* host user */
    PD_CPUMODE_HYPERVISOR = 3, /* hypervisor */
    PD_CPUMODE_GUEST_KERNEL = 4, /* guest kernel */
    PD_CPUMODE_GUEST_USER = 5, /* guest user */
};
PD_API extern const struct pd_set pd_set_cpumode;

/* misc_none: misc of records that use none of its bits. */
#define PD_MISC_CPUMODE                  0x7u /* where the cpu was */
#define PD_MISC_CPUMODE_SHIFT            0
PD_API extern const struct pd_set pd_set_misc_none;

/* misc_cpumode: misc of TEXT_POKE and CALLCHAIN_DEFERRED. */
PD_API extern const struct pd_set pd_set_misc_cpumode;

/* misc_mmap: misc of MMAP. */
#define PD_MISC_PROC_MAP_PARSE_TIMEOUT   0x1000u /* perf did not read all maps in time */
#define PD_MISC_MMAP_DATA                0x2000u /* the mapping is not executable */
PD_API extern const struct pd_set pd_set_misc_mmap;

/* misc_mmap2: misc of MMAP2. */
#define PD_MISC_MMAP_BUILD_ID            0x4000u /* build id in place of maj, min, ino */
PD_API extern const struct pd_set pd_set_misc_mmap2;

/* misc_comm: misc of COMM. */
#define PD_MISC_COMM_EXEC                0x2000u /* the name changed by exec */
PD_API extern const struct pd_set pd_set_misc_comm;

/* misc_fork: misc of FORK. */
#define PD_MISC_FORK_EXEC                0x2000u /* synthesized by perf */
PD_API extern const struct pd_set pd_set_misc_fork;

/* misc_switch: misc of SWITCH and SWITCH_CPU_WIDE. */
#define PD_MISC_SWITCH_OUT               0x2000u /* switched out, not in */
#define PD_MISC_SWITCH_OUT_PREEMPT       0x4000u /* switched out while runnable */
PD_API extern const struct pd_set pd_set_misc_switch;

/* misc_sample: misc of SAMPLE. */
#define PD_MISC_EXACT_IP                 0x4000u /* ip is exact */
PD_API extern const struct pd_set pd_set_misc_sample;

/* misc_lost_samples: misc of LOST_SAMPLES. */
#define PD_MISC_LOST_SAMPLES_BPF         0x8000u /* dropped by a BPF filter */
PD_API extern const struct pd_set pd_set_misc_lost_samples;

/* misc_build_id: misc of HEADER_BUILD_ID. */
#define PD_MISC_BUILD_ID_SIZE            0x8000u /* the size of the build id is stored */
PD_API extern const struct pd_set pd_set_misc_build_id;

/* attr_type: perf_event_attr.type; larger numbers are PMUs of the running kernel. */
enum {
    PD_TYPE_HARDWARE = 0, /* generic hardware event */
    PD_TYPE_SOFTWARE = 1, /* software event */
    PD_TYPE_TRACEPOINT = 2, /* tracepoint */
    PD_TYPE_HW_CACHE = 3, /* generic cache event */
    PD_TYPE_RAW = 4, /* raw event of the cpu */
    PD_TYPE_BREAKPOINT = 5, /* hardware breakpoint */
};
PD_API extern const struct pd_set pd_set_attr_type;

/* attr_size: perf_event_attr.size of each published version. */
enum {
    PD_ATTR_SIZE_VER0 = 64, /* 2.6.31 */
    PD_ATTR_SIZE_VER1 = 72, /* config2 */
    PD_ATTR_SIZE_VER2 = 80, /* branch_sample_type */
    PD_ATTR_SIZE_VER3 = 96, /* sample_regs_user, sample_stack_user */
    PD_ATTR_SIZE_VER4 = 104, /* sample_regs_intr */
    PD_ATTR_SIZE_VER5 = 112, /* aux_watermark */
    PD_ATTR_SIZE_VER6 = 120, /* aux_sample_size */
    PD_ATTR_SIZE_VER7 = 128, /* sig_data */
    PD_ATTR_SIZE_VER8 = 136, /* config3 */
    PD_ATTR_SIZE_VER9 = 144, /* config4 */
};
PD_API extern const struct pd_set pd_set_attr_size;

/* hardware_id: config of a HARDWARE event, low half. */
enum {
    PD_HW_CPU_CYCLES = 0, /* cycles */
    PD_HW_INSTRUCTIONS = 1, /* instructions retired */
    PD_HW_CACHE_REFERENCES = 2, /* last-level cache accesses */
    PD_HW_CACHE_MISSES = 3, /* last-level cache misses */
    PD_HW_BRANCH_INSTRUCTIONS = 4, /* branches retired */
    PD_HW_BRANCH_MISSES = 5, /* branches mispredicted */
    PD_HW_BUS_CYCLES = 6, /* bus cycles */
    PD_HW_STALLED_CYCLES_FRONTEND = 7, /* cycles stalled in issue */
    PD_HW_STALLED_CYCLES_BACKEND = 8, /* cycles stalled in retirement */
    PD_HW_REF_CPU_CYCLES = 9, /* cycles at the nominal frequency */
};
PD_API extern const struct pd_set pd_set_hardware_id;

/* hardware_config: config of a HARDWARE event. */
#define PD_HW_CONFIG_EVENT               0xffffffffull /* the event */
#define PD_HW_CONFIG_EVENT_SHIFT         0
#define PD_HW_CONFIG_PMU_TYPE            0xffffffff00000000ull /* type of the PMU; 0: the default */
#define PD_HW_CONFIG_PMU_TYPE_SHIFT      32
PD_API extern const struct pd_set pd_set_hardware_config;

/* software_id: config of a SOFTWARE event. */
enum {
    PD_SW_CPU_CLOCK = 0, /* timer of the cpu */
    PD_SW_TASK_CLOCK = 1, /* timer of the task */
    PD_SW_PAGE_FAULTS = 2, /* page faults */
    PD_SW_CONTEXT_SWITCHES = 3, /* context switches */
    PD_SW_CPU_MIGRATIONS = 4, /* migrations to another cpu */
    PD_SW_PAGE_FAULTS_MIN = 5, /* page faults without I/O */
    PD_SW_PAGE_FAULTS_MAJ = 6, /* page faults with I/O */
    PD_SW_ALIGNMENT_FAULTS = 7, /* alignment faults */
    PD_SW_EMULATION_FAULTS = 8, /* emulated instructions */
    PD_SW_DUMMY = 9, /* counts nothing */
    PD_SW_BPF_OUTPUT = 10, /* output of BPF programs */
    PD_SW_CGROUP_SWITCHES = 11, /* switches to another cgroup */
};
PD_API extern const struct pd_set pd_set_software_id;

/* cache_id: which cache. */
enum {
    PD_CACHE_L1D = 0, /* level 1 data */
    PD_CACHE_L1I = 1, /* level 1 instructions */
    PD_CACHE_LL = 2, /* last level */
    PD_CACHE_DTLB = 3, /* data TLB */
    PD_CACHE_ITLB = 4, /* instruction TLB */
    PD_CACHE_BPU = 5, /* branch prediction */
    PD_CACHE_NODE = 6, /* memory of the node */
};
PD_API extern const struct pd_set pd_set_cache_id;

/* cache_op: operation on the cache. */
enum {
    PD_CACHE_OP_READ = 0, /* load */
    PD_CACHE_OP_WRITE = 1, /* store */
    PD_CACHE_OP_PREFETCH = 2, /* prefetch */
};
PD_API extern const struct pd_set pd_set_cache_op;

/* cache_result: how that went. */
enum {
    PD_CACHE_RESULT_ACCESS = 0, /* any */
    PD_CACHE_RESULT_MISS = 1, /* miss */
};
PD_API extern const struct pd_set pd_set_cache_result;

/* cache_config: config of a HW_CACHE event. */
#define PD_CACHE_CONFIG_ID               0xffull /* which cache */
#define PD_CACHE_CONFIG_ID_SHIFT         0
#define PD_CACHE_CONFIG_OP               0xff00ull /* what was done */
#define PD_CACHE_CONFIG_OP_SHIFT         8
#define PD_CACHE_CONFIG_RESULT           0xff0000ull /* how that went */
#define PD_CACHE_CONFIG_RESULT_SHIFT     16
#define PD_CACHE_CONFIG_RESERVED         0xff000000ull /* unused */
#define PD_CACHE_CONFIG_RESERVED_SHIFT   24
#define PD_CACHE_CONFIG_PMU_TYPE         0xffffffff00000000ull /* type of the PMU; 0: the default */
#define PD_CACHE_CONFIG_PMU_TYPE_SHIFT   32
PD_API extern const struct pd_set pd_set_cache_config;

/* sample_type: perf_event_attr.sample_type: the fields of a sample. */
#define PD_SAMPLE_IP                     0x1ull /* instruction pointer */
#define PD_SAMPLE_TID                    0x2ull /* pid and tid */
#define PD_SAMPLE_TIME                   0x4ull /* time */
#define PD_SAMPLE_ADDR                   0x8ull /* address */
#define PD_SAMPLE_READ                   0x10ull /* counter values, laid out by read_format */
#define PD_SAMPLE_CALLCHAIN              0x20ull /* call chain */
#define PD_SAMPLE_ID                     0x40ull /* event id */
#define PD_SAMPLE_CPU                    0x80ull /* cpu */
#define PD_SAMPLE_PERIOD                 0x100ull /* period */
#define PD_SAMPLE_STREAM_ID              0x200ull /* id of the child event */
#define PD_SAMPLE_RAW                    0x400ull /* raw bytes of a tracepoint or PMU */
#define PD_SAMPLE_BRANCH_STACK           0x800ull /* branches taken */
#define PD_SAMPLE_REGS_USER              0x1000ull /* user registers */
#define PD_SAMPLE_STACK_USER             0x2000ull /* copy of the user stack */
#define PD_SAMPLE_WEIGHT                 0x4000ull /* cost, one number */
#define PD_SAMPLE_DATA_SRC               0x8000ull /* where the data came from */
#define PD_SAMPLE_IDENTIFIER             0x10000ull /* event id, always first */
#define PD_SAMPLE_TRANSACTION            0x20000ull /* transaction abort details */
#define PD_SAMPLE_REGS_INTR              0x40000ull /* registers at the interrupt */
#define PD_SAMPLE_PHYS_ADDR              0x80000ull /* physical address */
#define PD_SAMPLE_AUX                    0x100000ull /* snapshot of the AUX area */
#define PD_SAMPLE_CGROUP                 0x200000ull /* cgroup id */
#define PD_SAMPLE_DATA_PAGE_SIZE         0x400000ull /* size of the page of addr */
#define PD_SAMPLE_CODE_PAGE_SIZE         0x800000ull /* size of the page of ip */
#define PD_SAMPLE_WEIGHT_STRUCT          0x1000000ull /* cost, three numbers */
PD_API extern const struct pd_set pd_set_sample_type;

/* branch_sample_type: branch_sample_type of an attr: which branches. */
#define PD_BRANCH_SAMPLE_USER            0x1ull /* user mode */
#define PD_BRANCH_SAMPLE_KERNEL          0x2ull /* kernel mode */
#define PD_BRANCH_SAMPLE_HV              0x4ull /* hypervisor mode */
#define PD_BRANCH_SAMPLE_ANY             0x8ull /* every branch */
#define PD_BRANCH_SAMPLE_ANY_CALL        0x10ull /* every call */
#define PD_BRANCH_SAMPLE_ANY_RETURN      0x20ull /* every return */
#define PD_BRANCH_SAMPLE_IND_CALL        0x40ull /* indirect calls */
#define PD_BRANCH_SAMPLE_ABORT_TX        0x80ull /* transaction aborts */
#define PD_BRANCH_SAMPLE_IN_TX           0x100ull /* in a transaction */
#define PD_BRANCH_SAMPLE_NO_TX           0x200ull /* not in a transaction */
#define PD_BRANCH_SAMPLE_COND            0x400ull /* conditional branches */
#define PD_BRANCH_SAMPLE_CALL_STACK      0x800ull /* call stack mode */
#define PD_BRANCH_SAMPLE_IND_JUMP        0x1000ull /* indirect jumps */
#define PD_BRANCH_SAMPLE_CALL            0x2000ull /* direct calls */
#define PD_BRANCH_SAMPLE_NO_FLAGS        0x4000ull /* leave the flags out */
#define PD_BRANCH_SAMPLE_NO_CYCLES       0x8000ull /* leave the cycles out */
#define PD_BRANCH_SAMPLE_TYPE_SAVE       0x10000ull /* with the type of branch */
#define PD_BRANCH_SAMPLE_HW_INDEX        0x20000ull /* with the hardware index */
#define PD_BRANCH_SAMPLE_PRIV_SAVE       0x40000ull /* with the privilege level */
#define PD_BRANCH_SAMPLE_COUNTERS        0x80000ull /* with counter values */
PD_API extern const struct pd_set pd_set_branch_sample_type;

/* read_format: perf_event_attr.read_format: layout of counter values. */
#define PD_FORMAT_TOTAL_TIME_ENABLED     0x1ull /* time enabled */
#define PD_FORMAT_TOTAL_TIME_RUNNING     0x2ull /* time running */
#define PD_FORMAT_ID                     0x4ull /* id of each value */
#define PD_FORMAT_GROUP                  0x8ull /* all values of the group */
#define PD_FORMAT_LOST                   0x10ull /* number of lost samples of each value */
PD_API extern const struct pd_set pd_set_read_format;

/* precise_ip: how far the ip may be from the instruction that caused the event. */
enum {
    PD_PRECISE_IP_ARBITRARY_SKID = 0, /* any distance */
    PD_PRECISE_IP_CONSTANT_SKID = 1, /* always the same distance */
    PD_PRECISE_IP_REQUESTED_ZERO_SKID = 2, /* none if possible */
    PD_PRECISE_IP_ZERO_SKID = 3, /* none */
};
PD_API extern const struct pd_set pd_set_precise_ip;

/* attr_flags: flag word of perf_event_attr; mirrored in big-endian streams. */
#define PD_ATTR_DISABLED                 0x1ull /* starts disabled */
#define PD_ATTR_INHERIT                  0x2ull /* children are counted too */
#define PD_ATTR_PINNED                   0x4ull /* always on the PMU */
#define PD_ATTR_EXCLUSIVE                0x8ull /* alone on the PMU */
#define PD_ATTR_EXCLUDE_USER             0x10ull /* not in user mode */
#define PD_ATTR_EXCLUDE_KERNEL           0x20ull /* not in the kernel */
#define PD_ATTR_EXCLUDE_HV               0x40ull /* not in the hypervisor */
#define PD_ATTR_EXCLUDE_IDLE             0x80ull /* not when idle */
#define PD_ATTR_MMAP                     0x100ull /* MMAP records */
#define PD_ATTR_COMM                     0x200ull /* COMM records */
#define PD_ATTR_FREQ                     0x400ull /* sample_freq in place of sample_period */
#define PD_ATTR_INHERIT_STAT             0x800ull /* READ record at the end of each task */
#define PD_ATTR_ENABLE_ON_EXEC           0x1000ull /* exec enables it */
#define PD_ATTR_TASK                     0x2000ull /* FORK and EXIT records */
#define PD_ATTR_WATERMARK                0x4000ull /* wakeup_watermark in place of wakeup_events */
#define PD_ATTR_PRECISE_IP               0x18000ull /* limit of skid */
#define PD_ATTR_PRECISE_IP_SHIFT         15
#define PD_ATTR_MMAP_DATA                0x20000ull /* records of mappings that are not executable */
#define PD_ATTR_SAMPLE_ID_ALL            0x40000ull /* id trailer on every record */
#define PD_ATTR_EXCLUDE_HOST             0x80000ull /* not in the host */
#define PD_ATTR_EXCLUDE_GUEST            0x100000ull /* not in guests */
#define PD_ATTR_EXCLUDE_CALLCHAIN_KERNEL 0x200000ull /* no kernel part of call chains */
#define PD_ATTR_EXCLUDE_CALLCHAIN_USER   0x400000ull /* no user part of call chains */
#define PD_ATTR_MMAP2                    0x800000ull /* MMAP2 in place of MMAP records */
#define PD_ATTR_COMM_EXEC                0x1000000ull /* COMM records tell exec */
#define PD_ATTR_USE_CLOCKID              0x2000000ull /* clockid is valid */
#define PD_ATTR_CONTEXT_SWITCH           0x4000000ull /* SWITCH records */
#define PD_ATTR_WRITE_BACKWARD           0x8000000ull /* the buffer is written from its end */
#define PD_ATTR_NAMESPACES               0x10000000ull /* NAMESPACES records */
#define PD_ATTR_KSYMBOL                  0x20000000ull /* KSYMBOL records */
#define PD_ATTR_BPF_EVENT                0x40000000ull /* BPF_EVENT records */
#define PD_ATTR_AUX_OUTPUT               0x80000000ull /* output goes to the AUX area */
#define PD_ATTR_CGROUP                   0x100000000ull /* CGROUP records */
#define PD_ATTR_TEXT_POKE                0x200000000ull /* TEXT_POKE records */
#define PD_ATTR_BUILD_ID                 0x400000000ull /* build ids in MMAP2 records */
#define PD_ATTR_INHERIT_THREAD           0x800000000ull /* only threads inherit */
#define PD_ATTR_REMOVE_ON_EXEC           0x1000000000ull /* exec removes it */
#define PD_ATTR_SIGTRAP                  0x2000000000ull /* SIGTRAP at each overflow */
#define PD_ATTR_DEFER_CALLCHAIN          0x4000000000ull /* user call chains may come later */
#define PD_ATTR_DEFER_OUTPUT             0x8000000000ull /* CALLCHAIN_DEFERRED records */
#define PD_ATTR_RESERVED_1               0xffffff0000000000ull /* unused */
#define PD_ATTR_RESERVED_1_SHIFT         40
PD_API extern const struct pd_set pd_set_attr_flags;

/* aux_action: perf_event_attr.aux_action; mirrored in big-endian streams. */
#define PD_AUX_ACTION_AUX_START_PAUSED   0x1u /* the AUX area starts paused */
#define PD_AUX_ACTION_AUX_PAUSE          0x2u /* an overflow pauses it */
#define PD_AUX_ACTION_AUX_RESUME         0x4u /* an overflow resumes it */
#define PD_AUX_ACTION_RESERVED           0xfffffff8u /* unused */
#define PD_AUX_ACTION_RESERVED_SHIFT     3
PD_API extern const struct pd_set pd_set_aux_action;

/* bp_type: perf_event_attr.bp_type: what the breakpoint watches. */
#define PD_BP_EMPTY                      0x0u /* nothing */
#define PD_BP_R                          0x1u /* reads */
#define PD_BP_W                          0x2u /* writes */
#define PD_BP_X                          0x4u /* execution */
#define PD_BP_RW                         0x3u /* reads and writes */
PD_API extern const struct pd_set pd_set_bp_type;

/* clockid: a clock of clock_gettime(). */
enum {
    PD_CLOCK_REALTIME = 0, /* wall clock */
    PD_CLOCK_MONOTONIC = 1, /* time since some start */
    PD_CLOCK_PROCESS_CPUTIME_ID = 2, /* cpu time of the process */
    PD_CLOCK_THREAD_CPUTIME_ID = 3, /* cpu time of the thread */
    PD_CLOCK_MONOTONIC_RAW = 4, /* never adjusted */
    PD_CLOCK_REALTIME_COARSE = 5, /* wall clock, coarse */
    PD_CLOCK_MONOTONIC_COARSE = 6, /* time since some start, coarse */
    PD_CLOCK_BOOTTIME = 7, /* time since boot, sleep included */
    PD_CLOCK_REALTIME_ALARM = 8, /* wall clock that wakes the machine */
    PD_CLOCK_BOOTTIME_ALARM = 9, /* boot clock that wakes the machine */
    PD_CLOCK_SGI_CYCLE = 10, /* removed */
    PD_CLOCK_TAI = 11, /* international atomic time */
};
PD_API extern const struct pd_set pd_set_clockid;

/* callchain_context: call chain entries that are markers, not addresses. */
#define PD_CONTEXT_HV                    0xffffffffffffffe0ull /* hypervisor */
#define PD_CONTEXT_KERNEL                0xffffffffffffff80ull /* kernel */
#define PD_CONTEXT_USER                  0xfffffffffffffe00ull /* user */
#define PD_CONTEXT_USER_DEFERRED         0xfffffffffffffd80ull /* the user part comes later */
#define PD_CONTEXT_GUEST                 0xfffffffffffff800ull /* guest */
#define PD_CONTEXT_GUEST_KERNEL          0xfffffffffffff780ull /* guest kernel */
#define PD_CONTEXT_GUEST_USER            0xfffffffffffff600ull /* guest user */
#define PD_CONTEXT_MAX                   0xfffffffffffff001ull /* smallest marker */
PD_API extern const struct pd_set pd_set_callchain_context;

/* branch_type: type of a branch. */
enum {
    PD_BR_UNKNOWN = 0, /* not known */
    PD_BR_COND = 1, /* conditional */
    PD_BR_UNCOND = 2, /* unconditional */
    PD_BR_IND = 3, /* indirect */
    PD_BR_CALL = 4, /* call */
    PD_BR_IND_CALL = 5, /* indirect call */
    PD_BR_RET = 6, /* return */
    PD_BR_SYSCALL = 7, /* system call */
    PD_BR_SYSRET = 8, /* return from a system call */
    PD_BR_COND_CALL = 9, /* conditional call */
    PD_BR_COND_RET = 10, /* conditional return */
    PD_BR_ERET = 11, /* return from an exception */
    PD_BR_IRQ = 12, /* interrupt */
    PD_BR_SERROR = 13, /* system error */
    PD_BR_NO_TX = 14, /* not in a transaction */
    PD_BR_EXTEND_ABI = 15, /* see new_type */
};
PD_API extern const struct pd_set pd_set_branch_type;

/* branch_new_type: type of a branch whose type is EXTEND_ABI. */
enum {
    PD_BR_NEW_FAULT_ALGN = 0, /* alignment fault */
    PD_BR_NEW_FAULT_DATA = 1, /* data fault */
    PD_BR_NEW_FAULT_INST = 2, /* instruction fault */
    PD_BR_NEW_ARCH_1 = 3, /* arm64: FIQ */
    PD_BR_NEW_ARCH_2 = 4, /* arm64: debug halt */
    PD_BR_NEW_ARCH_3 = 5, /* arm64: debug exit */
    PD_BR_NEW_ARCH_4 = 6, /* arm64: debug instruction */
    PD_BR_NEW_ARCH_5 = 7, /* arm64: debug data */
};
PD_API extern const struct pd_set pd_set_branch_new_type;

/* branch_spec: speculation of a branch. */
enum {
    PD_BR_SPEC_NA = 0, /* not available */
    PD_BR_SPEC_WRONG_PATH = 1, /* speculative, wrong path */
    PD_BR_NON_SPEC_CORRECT_PATH = 2, /* not speculative */
    PD_BR_SPEC_CORRECT_PATH = 3, /* speculative, right path */
};
PD_API extern const struct pd_set pd_set_branch_spec;

/* branch_priv: privilege level of a branch. */
enum {
    PD_BR_PRIV_UNKNOWN = 0, /* not known */
    PD_BR_PRIV_USER = 1, /* user */
    PD_BR_PRIV_KERNEL = 2, /* kernel */
    PD_BR_PRIV_HV = 3, /* hypervisor */
};
PD_API extern const struct pd_set pd_set_branch_priv;

/* branch_flags: third word of a branch stack entry; mirrored in big-endian streams. */
#define PD_BRANCH_MISPRED                0x1ull /* target mispredicted */
#define PD_BRANCH_PREDICTED              0x2ull /* target predicted */
#define PD_BRANCH_IN_TX                  0x4ull /* in a transaction */
#define PD_BRANCH_ABORT                  0x8ull /* transaction abort */
#define PD_BRANCH_CYCLES                 0xffff0ull /* cycles since the last branch */
#define PD_BRANCH_CYCLES_SHIFT           4
#define PD_BRANCH_TYPE                   0xf00000ull /* type */
#define PD_BRANCH_TYPE_SHIFT             20
#define PD_BRANCH_SPEC                   0x3000000ull /* speculation */
#define PD_BRANCH_SPEC_SHIFT             24
#define PD_BRANCH_NEW_TYPE               0x3c000000ull /* type when type is EXTEND_ABI */
#define PD_BRANCH_NEW_TYPE_SHIFT         26
#define PD_BRANCH_PRIV                   0x1c0000000ull /* privilege level */
#define PD_BRANCH_PRIV_SHIFT             30
#define PD_BRANCH_RESERVED               0xfffffffe00000000ull /* unused */
#define PD_BRANCH_RESERVED_SHIFT         33
PD_API extern const struct pd_set pd_set_branch_flags;

/* regs_abi: abi of sampled registers: bit 0 of a 32-bit task, bit 1 of a 64-bit one, bit 2 with SIMD registers. */
enum {
    PD_REGS_NONE = 0, /* no registers */
    PD_REGS_ABI_32 = 1, /* 32-bit task */
    PD_REGS_ABI_64 = 2, /* 64-bit task */
    PD_REGS_SIMD = 4, /* SIMD registers follow, and some bits of the mask stand for other registers */
    PD_REGS_ABI_32_SIMD = 5, /* 32-bit task, with SIMD */
    PD_REGS_ABI_64_SIMD = 6, /* 64-bit task, with SIMD */
};
PD_API extern const struct pd_set pd_set_regs_abi;

/* weight_struct: cost as three numbers. */
#define PD_WEIGHT_VAR1_DW                0xffffffffull /* x86: latency */
#define PD_WEIGHT_VAR1_DW_SHIFT          0
#define PD_WEIGHT_VAR2_W                 0xffff00000000ull /* x86: instruction latency */
#define PD_WEIGHT_VAR2_W_SHIFT           32
#define PD_WEIGHT_VAR3_W                 0xffff000000000000ull /* x86: retire latency */
#define PD_WEIGHT_VAR3_W_SHIFT           48
PD_API extern const struct pd_set pd_set_weight_struct;

/* mem_op: kind of access. */
#define PD_MEM_OP_NA                     0x1u /* not available */
#define PD_MEM_OP_LOAD                   0x2u /* load */
#define PD_MEM_OP_STORE                  0x4u /* store */
#define PD_MEM_OP_PFETCH                 0x8u /* prefetch */
#define PD_MEM_OP_EXEC                   0x10u /* code */
PD_API extern const struct pd_set pd_set_mem_op;

/* mem_lvl: level of the memory hierarchy, old form. */
#define PD_MEM_LVL_NA                    0x1u /* not available */
#define PD_MEM_LVL_HIT                   0x2u /* hit */
#define PD_MEM_LVL_MISS                  0x4u /* miss */
#define PD_MEM_LVL_L1                    0x8u /* L1 */
#define PD_MEM_LVL_LFB                   0x10u /* line fill buffer */
#define PD_MEM_LVL_L2                    0x20u /* L2 */
#define PD_MEM_LVL_L3                    0x40u /* L3 */
#define PD_MEM_LVL_LOC_RAM               0x80u /* local memory */
#define PD_MEM_LVL_REM_RAM1              0x100u /* remote memory, 1 hop */
#define PD_MEM_LVL_REM_RAM2              0x200u /* remote memory, 2 hops */
#define PD_MEM_LVL_REM_CCE1              0x400u /* remote cache, 1 hop */
#define PD_MEM_LVL_REM_CCE2              0x800u /* remote cache, 2 hops */
#define PD_MEM_LVL_IO                    0x1000u /* I/O memory */
#define PD_MEM_LVL_UNC                   0x2000u /* uncached memory */
PD_API extern const struct pd_set pd_set_mem_lvl;

/* mem_snoop: snoop. */
#define PD_MEM_SNOOP_NA                  0x1u /* not available */
#define PD_MEM_SNOOP_NONE                0x2u /* none */
#define PD_MEM_SNOOP_HIT                 0x4u /* hit */
#define PD_MEM_SNOOP_MISS                0x8u /* miss */
#define PD_MEM_SNOOP_HITM                0x10u /* hit, modified */
PD_API extern const struct pd_set pd_set_mem_snoop;

/* mem_lock: lock. */
#define PD_MEM_LOCK_NA                   0x1u /* not available */
#define PD_MEM_LOCK_LOCKED               0x2u /* locked access */
PD_API extern const struct pd_set pd_set_mem_lock;

/* mem_dtlb: data TLB. */
#define PD_MEM_TLB_NA                    0x1u /* not available */
#define PD_MEM_TLB_HIT                   0x2u /* hit */
#define PD_MEM_TLB_MISS                  0x4u /* miss */
#define PD_MEM_TLB_L1                    0x8u /* L1 */
#define PD_MEM_TLB_L2                    0x10u /* L2 */
#define PD_MEM_TLB_WK                    0x20u /* hardware walker */
#define PD_MEM_TLB_OS                    0x40u /* fault handler */
PD_API extern const struct pd_set pd_set_mem_dtlb;

/* mem_lvl_num: level of the memory hierarchy, new form. */
enum {
    PD_MEM_LVLNUM_L1 = 1, /* L1 */
    PD_MEM_LVLNUM_L2 = 2, /* L2 */
    PD_MEM_LVLNUM_L3 = 3, /* L3 */
    PD_MEM_LVLNUM_L4 = 4, /* L4 */
    PD_MEM_LVLNUM_L2_MHB = 5, /* L2 miss handling buffer */
    PD_MEM_LVLNUM_MSC = 6, /* memory-side cache */
    PD_MEM_LVLNUM_L0 = 7, /* L0 */
    PD_MEM_LVLNUM_UNC = 8, /* uncached */
    PD_MEM_LVLNUM_CXL = 9, /* CXL */
    PD_MEM_LVLNUM_IO = 10, /* I/O */
    PD_MEM_LVLNUM_ANY_CACHE = 11, /* some cache */
    PD_MEM_LVLNUM_LFB = 12, /* line fill buffer, L1 miss handling buffer */
    PD_MEM_LVLNUM_RAM = 13, /* memory */
    PD_MEM_LVLNUM_PMEM = 14, /* persistent memory */
    PD_MEM_LVLNUM_NA = 15, /* not available */
};
PD_API extern const struct pd_set pd_set_mem_lvl_num;

/* mem_snoopx: snoop, more. */
#define PD_MEM_SNOOPX_FWD                0x1u /* forwarded */
#define PD_MEM_SNOOPX_PEER               0x2u /* from a peer */
PD_API extern const struct pd_set pd_set_mem_snoopx;

/* mem_blk: why the access was blocked. */
#define PD_MEM_BLK_NA                    0x1u /* not available */
#define PD_MEM_BLK_DATA                  0x2u /* data could not be forwarded */
#define PD_MEM_BLK_ADDR                  0x4u /* address conflict */
PD_API extern const struct pd_set pd_set_mem_blk;

/* mem_hops: distance. */
enum {
    PD_MEM_HOPS_0 = 1, /* other core, same node */
    PD_MEM_HOPS_1 = 2, /* other node, same socket */
    PD_MEM_HOPS_2 = 3, /* other socket, same board */
    PD_MEM_HOPS_3 = 4, /* other board */
};
PD_API extern const struct pd_set pd_set_mem_hops;

/* mem_region: region of memory. */
enum {
    PD_MEM_REGION_NA = 0, /* not available */
    PD_MEM_REGION_RSVD = 1, /* reserved */
    PD_MEM_REGION_L_SHARE = 2, /* local, shared */
    PD_MEM_REGION_L_NON_SHARE = 3, /* local, not shared */
    PD_MEM_REGION_O_IO = 4, /* other, I/O */
    PD_MEM_REGION_O_SHARE = 5, /* other, shared */
    PD_MEM_REGION_O_NON_SHARE = 6, /* other, not shared */
    PD_MEM_REGION_MMIO = 7, /* memory-mapped I/O */
    PD_MEM_REGION_MEM0 = 8, /* memory region 0 */
    PD_MEM_REGION_MEM1 = 9, /* memory region 1 */
    PD_MEM_REGION_MEM2 = 10, /* memory region 2 */
    PD_MEM_REGION_MEM3 = 11, /* memory region 3 */
    PD_MEM_REGION_MEM4 = 12, /* memory region 4 */
    PD_MEM_REGION_MEM5 = 13, /* memory region 5 */
    PD_MEM_REGION_MEM6 = 14, /* memory region 6 */
    PD_MEM_REGION_MEM7 = 15, /* memory region 7 */
};
PD_API extern const struct pd_set pd_set_mem_region;

/* data_src: where the data of an access came from. */
#define PD_DATA_SRC_MEM_OP               0x1full /* kind of access */
#define PD_DATA_SRC_MEM_OP_SHIFT         0
#define PD_DATA_SRC_MEM_LVL              0x7ffe0ull /* level, old form */
#define PD_DATA_SRC_MEM_LVL_SHIFT        5
#define PD_DATA_SRC_MEM_SNOOP            0xf80000ull /* snoop */
#define PD_DATA_SRC_MEM_SNOOP_SHIFT      19
#define PD_DATA_SRC_MEM_LOCK             0x3000000ull /* lock */
#define PD_DATA_SRC_MEM_LOCK_SHIFT       24
#define PD_DATA_SRC_MEM_DTLB             0x1fc000000ull /* data TLB */
#define PD_DATA_SRC_MEM_DTLB_SHIFT       26
#define PD_DATA_SRC_MEM_LVL_NUM          0x1e00000000ull /* level, new form */
#define PD_DATA_SRC_MEM_LVL_NUM_SHIFT    33
#define PD_DATA_SRC_MEM_REMOTE           0x2000000000ull /* remote */
#define PD_DATA_SRC_MEM_SNOOPX           0xc000000000ull /* snoop, more */
#define PD_DATA_SRC_MEM_SNOOPX_SHIFT     38
#define PD_DATA_SRC_MEM_BLK              0x70000000000ull /* why blocked */
#define PD_DATA_SRC_MEM_BLK_SHIFT        40
#define PD_DATA_SRC_MEM_HOPS             0x380000000000ull /* distance */
#define PD_DATA_SRC_MEM_HOPS_SHIFT       43
#define PD_DATA_SRC_MEM_REGION           0x7c00000000000ull /* region of memory */
#define PD_DATA_SRC_MEM_REGION_SHIFT     46
#define PD_DATA_SRC_RESERVED             0xfff8000000000000ull /* unused */
#define PD_DATA_SRC_RESERVED_SHIFT       51
PD_API extern const struct pd_set pd_set_data_src;

/* transaction: why a transaction aborted. */
#define PD_TXN_ELISION                   0x1ull /* lock elision */
#define PD_TXN_TRANSACTION               0x2ull /* transaction */
#define PD_TXN_SYNC                      0x4ull /* caused by the instruction */
#define PD_TXN_ASYNC                     0x8ull /* not caused by the instruction */
#define PD_TXN_RETRY                     0x10ull /* may be retried */
#define PD_TXN_CONFLICT                  0x20ull /* conflict */
#define PD_TXN_CAPACITY_WRITE            0x40ull /* too much written */
#define PD_TXN_CAPACITY_READ             0x80ull /* too much read */
#define PD_TXN_RESERVED                  0xffffff00ull /* unused */
#define PD_TXN_RESERVED_SHIFT            8
#define PD_TXN_ABORT_CODE                0xffffffff00000000ull /* code given by the program */
#define PD_TXN_ABORT_CODE_SHIFT          32
PD_API extern const struct pd_set pd_set_transaction;

/* prot: protection of a mapping. */
#define PD_PROT_READ                     0x1u /* readable */
#define PD_PROT_WRITE                    0x2u /* writable */
#define PD_PROT_EXEC                     0x4u /* executable */
PD_API extern const struct pd_set pd_set_prot;

/* mmap_type: low four bits of the flags of a mapping. */
enum {
    PD_MAP_SHARED = 1, /* shared */
    PD_MAP_PRIVATE = 2, /* private */
    PD_MAP_SHARED_VALIDATE = 3, /* shared, flags checked */
    PD_MAP_DROPPABLE = 8, /* may be dropped */
};
PD_API extern const struct pd_set pd_set_mmap_type;

/* mmap_flags: flags of a mapping, by the numbers of x86 and most others. */
#define PD_MAP_TYPE                      0xfu /* kind of sharing */
#define PD_MAP_TYPE_SHIFT                0
#define PD_MAP_FIXED                     0x10u /* at this address */
#define PD_MAP_ANONYMOUS                 0x20u /* no file */
#define PD_MAP_GROWSDOWN                 0x100u /* grows down */
#define PD_MAP_DENYWRITE                 0x800u /* file may not be written */
#define PD_MAP_EXECUTABLE                0x1000u /* executable */
#define PD_MAP_LOCKED                    0x2000u /* locked */
#define PD_MAP_NORESERVE                 0x4000u /* no swap reserved */
#define PD_MAP_POPULATE                  0x8000u /* populated */
#define PD_MAP_NONBLOCK                  0x10000u /* populated without waiting */
#define PD_MAP_STACK                     0x20000u /* a stack */
#define PD_MAP_HUGETLB                   0x40000u /* huge pages */
#define PD_MAP_SYNC                      0x80000u /* synchronous page faults */
#define PD_MAP_FIXED_NOREPLACE           0x100000u /* at this address if it is free */
PD_API extern const struct pd_set pd_set_mmap_flags;

/* aux_pmu_format: format of AUX data, by PMU. */
enum {
    PD_AUX_FORMAT_CORESIGHT = 0, /* the default; CoreSight frames */
    PD_AUX_FORMAT_CORESIGHT_RAW = 1, /* CoreSight, raw */
};
PD_API extern const struct pd_set pd_set_aux_pmu_format;

/* aux_flags: flags of AUX. */
#define PD_AUX_FLAG_TRUNCATED            0x1ull /* cut for want of room */
#define PD_AUX_FLAG_OVERWRITE            0x2ull /* snapshot of a buffer that is overwritten */
#define PD_AUX_FLAG_PARTIAL              0x4ull /* has gaps */
#define PD_AUX_FLAG_COLLISION            0x8ull /* collided with another sample */
#define PD_AUX_FLAG_PMU_FORMAT           0xff00ull /* format of the data */
#define PD_AUX_FLAG_PMU_FORMAT_SHIFT     8
PD_API extern const struct pd_set pd_set_aux_flags;

/* hw_id_coresight: hw_id of AUX_OUTPUT_HW_ID by CoreSight. */
#define PD_HW_ID_CORESIGHT_TRACE_ID      0xffull /* trace id */
#define PD_HW_ID_CORESIGHT_TRACE_ID_SHIFT 0
#define PD_HW_ID_CORESIGHT_SINK_ID       0xffffffff00ull /* sink id */
#define PD_HW_ID_CORESIGHT_SINK_ID_SHIFT 8
#define PD_HW_ID_CORESIGHT_RESERVED      0xffff0000000000ull /* unused */
#define PD_HW_ID_CORESIGHT_RESERVED_SHIFT 40
#define PD_HW_ID_CORESIGHT_MINOR_VERSION 0xf00000000000000ull /* minor version */
#define PD_HW_ID_CORESIGHT_MINOR_VERSION_SHIFT 56
#define PD_HW_ID_CORESIGHT_MAJOR_VERSION 0xf000000000000000ull /* major version */
#define PD_HW_ID_CORESIGHT_MAJOR_VERSION_SHIFT 60
PD_API extern const struct pd_set pd_set_hw_id_coresight;

/* namespace: index in the list of NAMESPACES. */
enum {
    PD_NAMESPACE_NET = 0, /* network */
    PD_NAMESPACE_UTS = 1, /* host name */
    PD_NAMESPACE_IPC = 2, /* System V IPC */
    PD_NAMESPACE_PID = 3, /* process ids */
    PD_NAMESPACE_USER = 4, /* user ids */
    PD_NAMESPACE_MNT = 5, /* mounts */
    PD_NAMESPACE_CGROUP = 6, /* cgroup root */
};
PD_API extern const struct pd_set pd_set_namespace;

/* ksym_type: kind of a kernel symbol. */
enum {
    PD_KSYM_TYPE_UNKNOWN = 0, /* not known */
    PD_KSYM_TYPE_BPF = 1, /* BPF program */
    PD_KSYM_TYPE_OOL = 2, /* out-of-line code of probes and tracers */
};
PD_API extern const struct pd_set pd_set_ksym_type;

/* ksym_flags: flags of KSYMBOL. */
#define PD_KSYM_FLAG_UNREGISTER          0x1u /* the symbol went */
PD_API extern const struct pd_set pd_set_ksym_flags;

/* bpf_event_type: what happened to a BPF program. */
enum {
    PD_BPF_EVENT_UNKNOWN = 0, /* not known */
    PD_BPF_EVENT_PROG_LOAD = 1, /* loaded */
    PD_BPF_EVENT_PROG_UNLOAD = 2, /* unloaded */
};
PD_API extern const struct pd_set pd_set_bpf_event_type;

/* auxtrace_type: kind of AUX data. */
enum {
    PD_AUXTRACE_UNKNOWN = 0, /* not known */
    PD_AUXTRACE_INTEL_PT = 1, /* Intel PT */
    PD_AUXTRACE_INTEL_BTS = 2, /* Intel BTS */
    PD_AUXTRACE_CS_ETM = 3, /* Arm CoreSight */
    PD_AUXTRACE_ARM_SPE = 4, /* Arm SPE */
    PD_AUXTRACE_S390_CPUMSF = 5, /* s390 sampling facility */
    PD_AUXTRACE_HISI_PTT = 6, /* HiSilicon PCIe tracer */
    PD_AUXTRACE_VPA_DTL = 7, /* powerpc dispatch trace log */
};
PD_API extern const struct pd_set pd_set_auxtrace_type;

/* auxtrace_error_type: kind of AUXTRACE_ERROR. */
enum {
    PD_AUXTRACE_ERROR_ITRACE = 1, /* instruction trace */
};
PD_API extern const struct pd_set pd_set_auxtrace_error_type;

/* cs_etm_magic: first word of the block of a cpu in AUXTRACE_INFO of CS_ETM. */
#define PD_CS_ETM_MAGIC_ETMV3            0x3030303030303030ull /* ETMv3 or PTM */
#define PD_CS_ETM_MAGIC_ETMV4            0x4040404040404040ull /* ETMv4 */
#define PD_CS_ETM_MAGIC_ETE              0x5050505050505050ull /* ETE */
PD_API extern const struct pd_set pd_set_cs_etm_magic;

/* cs_etm_cpus: second word of AUXTRACE_INFO of CS_ETM. */
#define PD_CS_ETM_CPUS_NR_CPUS           0xffffffffull /* cpus */
#define PD_CS_ETM_CPUS_NR_CPUS_SHIFT     0
#define PD_CS_ETM_CPUS_PMU_TYPE          0xffffffff00000000ull /* number of the PMU */
#define PD_CS_ETM_CPUS_PMU_TYPE_SHIFT    32
PD_API extern const struct pd_set pd_set_cs_etm_cpus;

/* arm_spe_magic: first word of the block of a cpu in AUXTRACE_INFO of ARM_SPE. */
#define PD_ARM_SPE_MAGIC_CPU             0x1010101010101010ull /* a cpu */
PD_API extern const struct pd_set pd_set_arm_spe_magic;

/* cpu_map_type: form of a set of cpus. */
enum {
    PD_CPU_MAP_CPUS = 0, /* list */
    PD_CPU_MAP_MASK = 1, /* bitmap */
    PD_CPU_MAP_RANGE_CPUS = 2, /* first and last */
};
PD_API extern const struct pd_set pd_set_cpu_map_type;

/* stat_config_tag: setting in STAT_CONFIG. */
enum {
    PD_STAT_CONFIG_AGGR_MODE = 0, /* what is added up */
    PD_STAT_CONFIG_INTERVAL = 1, /* milliseconds between rounds */
    PD_STAT_CONFIG_SCALE = 2, /* counts are scaled */
    PD_STAT_CONFIG_AGGR_LEVEL = 3, /* cache level to add up by */
};
PD_API extern const struct pd_set pd_set_stat_config_tag;

/* aggr_mode: what perf stat adds up; numbers of perf 6.9 and later. */
enum {
    PD_AGGR_NONE = 0, /* nothing */
    PD_AGGR_GLOBAL = 1, /* everything */
    PD_AGGR_SOCKET = 2, /* by socket */
    PD_AGGR_DIE = 3, /* by die */
    PD_AGGR_CLUSTER = 4, /* by cluster */
    PD_AGGR_CACHE = 5, /* by cache */
    PD_AGGR_CORE = 6, /* by core */
    PD_AGGR_THREAD = 7, /* by thread */
    PD_AGGR_UNSET = 8, /* not set */
    PD_AGGR_NODE = 9, /* by NUMA node */
};
PD_API extern const struct pd_set pd_set_aggr_mode;

/* stat_round_type: type of STAT_ROUND. */
enum {
    PD_STAT_ROUND_INTERVAL = 0, /* one interval */
    PD_STAT_ROUND_FINAL = 1, /* the end */
};
PD_API extern const struct pd_set pd_set_stat_round_type;

/* event_update_type: what EVENT_UPDATE gives. */
enum {
    PD_EVENT_UPDATE_UNIT = 0, /* unit */
    PD_EVENT_UPDATE_SCALE = 1, /* scale */
    PD_EVENT_UPDATE_NAME = 2, /* name */
    PD_EVENT_UPDATE_CPUS = 3, /* set of cpus */
};
PD_API extern const struct pd_set pd_set_event_update_type;

/* comp_type: way of compression. */
enum {
    PD_COMP_NONE = 0, /* none */
    PD_COMP_ZSTD = 1, /* zstd */
};
PD_API extern const struct pd_set pd_set_comp_type;

/* feature: bit number of a feature section. */
enum {
    PD_FEAT_TRACING_DATA = 1, /* format files of tracepoints */
    PD_FEAT_BUILD_ID = 2, /* build ids of the files hit */
    PD_FEAT_HOSTNAME = 3, /* host name */
    PD_FEAT_OSRELEASE = 4, /* kernel release */
    PD_FEAT_VERSION = 5, /* version of perf */
    PD_FEAT_ARCH = 6, /* machine name of uname */
    PD_FEAT_NRCPUS = 7, /* number of cpus */
    PD_FEAT_CPUDESC = 8, /* model of the cpu */
    PD_FEAT_CPUID = 9, /* id of the cpu */
    PD_FEAT_TOTAL_MEM = 10, /* memory in kB */
    PD_FEAT_CMDLINE = 11, /* command line of perf */
    PD_FEAT_EVENT_DESC = 12, /* attrs, names and ids of events */
    PD_FEAT_CPU_TOPOLOGY = 13, /* sockets, dies, cores */
    PD_FEAT_NUMA_TOPOLOGY = 14, /* NUMA nodes */
    PD_FEAT_BRANCH_STACK = 15, /* samples have branch stacks */
    PD_FEAT_PMU_MAPPINGS = 16, /* numbers and names of PMUs */
    PD_FEAT_GROUP_DESC = 17, /* groups of events */
    PD_FEAT_AUXTRACE = 18, /* index of the AUXTRACE records */
    PD_FEAT_STAT = 19, /* made by perf stat */
    PD_FEAT_CACHE = 20, /* caches */
    PD_FEAT_SAMPLE_TIME = 21, /* first and last time */
    PD_FEAT_MEM_TOPOLOGY = 22, /* memory blocks of nodes */
    PD_FEAT_CLOCKID = 23, /* resolution of the clock */
    PD_FEAT_DIR_FORMAT = 24, /* version of the directory format */
    PD_FEAT_BPF_PROG_INFO = 25, /* BPF programs */
    PD_FEAT_BPF_BTF = 26, /* BPF type data */
    PD_FEAT_COMPRESSED = 27, /* how records are compressed */
    PD_FEAT_CPU_PMU_CAPS = 28, /* capabilities of the cpu PMU */
    PD_FEAT_CLOCK_DATA = 29, /* wall clock and clock at the same moment */
    PD_FEAT_HYBRID_TOPOLOGY = 30, /* cpus of each PMU */
    PD_FEAT_PMU_CAPS = 31, /* capabilities of each PMU */
    PD_FEAT_CPU_DOMAIN_INFO = 32, /* scheduler domains */
    PD_FEAT_E_MACHINE = 33, /* ELF machine number */
    PD_FEAT_CLN_SIZE = 34, /* cache line size */
    PD_FEAT_SIMPLEPERF_FILE = 128, /* files and symbols */
    PD_FEAT_SIMPLEPERF_META_INFO = 129, /* keys and values */
    PD_FEAT_SIMPLEPERF_DEBUG_UNWIND = 130, /* files kept for unwinding */
    PD_FEAT_SIMPLEPERF_DEBUG_UNWIND_FILE = 131, /* bytes of those files */
    PD_FEAT_SIMPLEPERF_FILE2 = 132, /* files and symbols, protobuf */
    PD_FEAT_SIMPLEPERF_ETM_BRANCH_LIST = 133, /* branches from ETM data */
    PD_FEAT_SIMPLEPERF_INIT_MAP = 134, /* initial mappings */
};
PD_API extern const struct pd_set pd_set_feature;

/* bpf_arrays: arrays stored with a BPF program. */
#define PD_BPIL_JITED_INSNS              0x1ull /* machine code */
#define PD_BPIL_XLATED_INSNS             0x2ull /* BPF code */
#define PD_BPIL_MAP_IDS                  0x4ull /* ids of maps */
#define PD_BPIL_JITED_KSYMS              0x8ull /* addresses of functions */
#define PD_BPIL_JITED_FUNC_LENS          0x10ull /* lengths of functions */
#define PD_BPIL_FUNC_INFO                0x20ull /* types of functions */
#define PD_BPIL_LINE_INFO                0x40ull /* lines of BPF code */
#define PD_BPIL_JITED_LINE_INFO          0x80ull /* lines of machine code */
#define PD_BPIL_PROG_TAGS                0x100ull /* tags of functions */
PD_API extern const struct pd_set pd_set_bpf_arrays;

/* bpf_prog_bits: flags of bpf_prog_info; mirrored in big-endian streams. */
#define PD_BPF_PROG_GPL_COMPATIBLE       0x1u /* licence allows GPL-only helpers */
#define PD_BPF_PROG_UNUSED               0xfffffffeu /* no meaning yet */
#define PD_BPF_PROG_UNUSED_SHIFT         1
PD_API extern const struct pd_set pd_set_bpf_prog_bits;

/* simpleperf_file_type: kind of a file or dso. */
enum {
    PD_SIMPLEPERF_FILE_KERNEL = 0, /* kernel */
    PD_SIMPLEPERF_FILE_KERNEL_MODULE = 1, /* kernel module */
    PD_SIMPLEPERF_FILE_ELF_FILE = 2, /* ELF file */
    PD_SIMPLEPERF_FILE_DEX_FILE = 3, /* DEX file */
    PD_SIMPLEPERF_FILE_SYMBOL_MAP_FILE = 4, /* symbol map of a JIT */
    PD_SIMPLEPERF_FILE_UNKNOWN_FILE = 5, /* not known */
};
PD_API extern const struct pd_set pd_set_simpleperf_file_type;

/* simpleperf_unwind_key: fields of DebugUnwindFeature, as keys. */
enum {
    PD_SIMPLEPERF_UNWIND_FILE = 10, /* a file */
};
PD_API extern const struct pd_set pd_set_simpleperf_unwind_key;

/* simpleperf_unwind_file_key: fields of DebugUnwindFeature.File, as keys. */
enum {
    PD_SIMPLEPERF_UNWIND_FILE_PATH = 10, /* path */
    PD_SIMPLEPERF_UNWIND_FILE_SIZE = 16, /* bytes */
};
PD_API extern const struct pd_set pd_set_simpleperf_unwind_file_key;

/* simpleperf_file_key: fields of FileFeature, as keys. */
enum {
    PD_SIMPLEPERF_FILE_FEATURE_PATH = 10, /* path */
    PD_SIMPLEPERF_FILE_FEATURE_TYPE = 16, /* kind */
    PD_SIMPLEPERF_FILE_FEATURE_MIN_VADDR = 24, /* lowest address of its code */
    PD_SIMPLEPERF_FILE_FEATURE_SYMBOL = 34, /* a symbol */
    PD_SIMPLEPERF_FILE_FEATURE_DEX_FILE = 42, /* what only a DEX file has */
    PD_SIMPLEPERF_FILE_FEATURE_ELF_FILE = 50, /* what only an ELF file has */
    PD_SIMPLEPERF_FILE_FEATURE_KERNEL_MODULE = 58, /* what only a kernel module has */
};
PD_API extern const struct pd_set pd_set_simpleperf_file_key;

/* simpleperf_symbol_key: fields of FileFeature.Symbol, as keys. */
enum {
    PD_SIMPLEPERF_SYMBOL_VADDR = 8, /* start */
    PD_SIMPLEPERF_SYMBOL_LEN = 16, /* bytes */
    PD_SIMPLEPERF_SYMBOL_NAME = 26, /* symbol */
};
PD_API extern const struct pd_set pd_set_simpleperf_symbol_key;

/* simpleperf_dex_key: fields of FileFeature.DexFile, as keys. */
enum {
    PD_SIMPLEPERF_DEX_DEX_FILE_OFFSET = 8, /* one offset */
    PD_SIMPLEPERF_DEX_PACKED_DEX_FILE_OFFSET = 10, /* offsets together */
};
PD_API extern const struct pd_set pd_set_simpleperf_dex_key;

/* simpleperf_elf_key: fields of FileFeature.ElfFile, as keys. */
enum {
    PD_SIMPLEPERF_ELF_FILE_OFFSET_OF_MIN_VADDR = 8, /* offset in the file */
};
PD_API extern const struct pd_set pd_set_simpleperf_elf_key;

/* simpleperf_module_key: fields of FileFeature.KernelModule, as keys. */
enum {
    PD_SIMPLEPERF_MODULE_MEMORY_OFFSET_OF_MIN_VADDR = 8, /* offset in memory */
};
PD_API extern const struct pd_set pd_set_simpleperf_module_key;

/* simpleperf_branch_list_key: fields of BranchList, as keys; ETMBranchList has only the first two. */
enum {
    PD_SIMPLEPERF_BRANCH_LIST_MAGIC = 10, /* simpleperf:EtmBranchList */
    PD_SIMPLEPERF_BRANCH_LIST_ETM_DATA = 18, /* a binary; `binaries` in ETMBranchList */
    PD_SIMPLEPERF_BRANCH_LIST_LBR_DATA = 26, /* branches from branch stacks */
};
PD_API extern const struct pd_set pd_set_simpleperf_branch_list_key;

/* simpleperf_etm_binary_key: fields of ETMBinary, as keys. */
enum {
    PD_SIMPLEPERF_ETM_BINARY_PATH = 10, /* path */
    PD_SIMPLEPERF_ETM_BINARY_BUILD_ID = 18, /* build id */
    PD_SIMPLEPERF_ETM_BINARY_ADDRS = 26, /* branches from an address on */
    PD_SIMPLEPERF_ETM_BINARY_TYPE = 32, /* kind */
    PD_SIMPLEPERF_ETM_BINARY_KERNEL_INFO = 42, /* what only a kernel has */
};
PD_API extern const struct pd_set pd_set_simpleperf_etm_binary_key;

/* simpleperf_binary_type: kind of a binary; not the numbers of simpleperf_file_type. */
enum {
    PD_SIMPLEPERF_BINARY_ELF_FILE = 0, /* ELF file */
    PD_SIMPLEPERF_BINARY_KERNEL = 1, /* kernel */
    PD_SIMPLEPERF_BINARY_KERNEL_MODULE = 2, /* kernel module */
};
PD_API extern const struct pd_set pd_set_simpleperf_binary_type;

/* simpleperf_etm_address_key: fields of ETMBinary.Address, as keys. */
enum {
    PD_SIMPLEPERF_ETM_ADDRESS_ADDR = 8, /* address before the first branch */
    PD_SIMPLEPERF_ETM_ADDRESS_BRANCHES = 18, /* branches from there */
};
PD_API extern const struct pd_set pd_set_simpleperf_etm_address_key;

/* simpleperf_etm_branch_key: fields of ETMBinary.Address.Branch, as keys. */
enum {
    PD_SIMPLEPERF_ETM_BRANCH_BRANCH = 10, /* a bit for each branch */
    PD_SIMPLEPERF_ETM_BRANCH_BRANCH_SIZE = 16, /* bits */
    PD_SIMPLEPERF_ETM_BRANCH_COUNT = 24, /* how often */
};
PD_API extern const struct pd_set pd_set_simpleperf_etm_branch_key;

/* simpleperf_kernel_info_key: fields of ETMBinary.KernelBinaryInfo, as keys. */
enum {
    PD_SIMPLEPERF_KERNEL_INFO_KERNEL_START_ADDR = 8, /* where the kernel was */
};
PD_API extern const struct pd_set pd_set_simpleperf_kernel_info_key;

/* simpleperf_lbr_key: fields of LBRData, as keys. */
enum {
    PD_SIMPLEPERF_LBR_SAMPLES = 10, /* a sample */
    PD_SIMPLEPERF_LBR_BINARIES = 18, /* a binary */
};
PD_API extern const struct pd_set pd_set_simpleperf_lbr_key;

/* simpleperf_lbr_sample_key: fields of LBRData.Sample, as keys. */
enum {
    PD_SIMPLEPERF_LBR_SAMPLE_BINARY_ID = 8, /* binary */
    PD_SIMPLEPERF_LBR_SAMPLE_VADDR_IN_FILE = 16, /* address */
    PD_SIMPLEPERF_LBR_SAMPLE_BRANCHES = 26, /* a branch */
};
PD_API extern const struct pd_set pd_set_simpleperf_lbr_sample_key;

/* simpleperf_lbr_branch_key: fields of LBRData.Sample.Branch, as keys. */
enum {
    PD_SIMPLEPERF_LBR_BRANCH_FROM_BINARY_ID = 8, /* binary it left */
    PD_SIMPLEPERF_LBR_BRANCH_TO_BINARY_ID = 16, /* binary it went to */
    PD_SIMPLEPERF_LBR_BRANCH_FROM_VADDR_IN_FILE = 24, /* address it left */
    PD_SIMPLEPERF_LBR_BRANCH_TO_VADDR_IN_FILE = 32, /* address it went to */
};
PD_API extern const struct pd_set pd_set_simpleperf_lbr_branch_key;

/* simpleperf_lbr_binary_key: fields of LBRData.Binary, as keys. */
enum {
    PD_SIMPLEPERF_LBR_BINARY_PATH = 10, /* path */
    PD_SIMPLEPERF_LBR_BINARY_BUILD_ID = 18, /* build id */
};
PD_API extern const struct pd_set pd_set_simpleperf_lbr_binary_key;

/* simpleperf_chain_type: how a call chain was made. */
enum {
    PD_SIMPLEPERF_CHAIN_ORIGINAL_OFFLINE = 0, /* from a copy of the stack */
    PD_SIMPLEPERF_CHAIN_ORIGINAL_REMOTE = 1, /* from the memory of the process */
    PD_SIMPLEPERF_CHAIN_JOINED_OFFLINE = 2, /* from a copy of the stack, joined */
    PD_SIMPLEPERF_CHAIN_JOINED_REMOTE = 3, /* from the memory of the process, joined */
};
PD_API extern const struct pd_set pd_set_simpleperf_chain_type;

/* All sets, in the order above. */
PD_API extern const struct pd_set *const pd_sets[];
PD_API extern const size_t pd_n_sets;

#ifdef __cplusplus
}
#endif
#endif
