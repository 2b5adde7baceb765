# SPDX-License-Identifier: MIT
# Generated from src/schema/records.def by `perfdata_gen python`; do not edit.
"""A class for each type of record, for the parts of records, attrs and features: what fields they have.

A field that a record lacks is None. Names that are keywords, or that every record or dict has, end in
`_`: `record.size` is that of the record, `record.size_` a field.
"""

from __future__ import annotations

from ._base import Part, Record


class FileSection(Part):
    """The place of a part of the file."""

    LAYOUT = "file_section"
    #: absolute, in bytes
    offset: int | None
    #: bytes
    size: int | None


class FileHeader(Part):
    """Start of a file; 72 bytes in very old files, which have no adds_features."""

    LAYOUT = "file_header"
    PARTS = {
        "attrs": "FileSection",
        "data": "FileSection",
        "event_types": "FileSection",
    }
    #: PERFILE2 as a number of the writer's byte order
    magic: int | None
    #: bytes of this header; 16 marks a pipe stream
    size: int | None
    #: bytes of an entry of attrs: perf_event_attr and a file_section
    attr_size: int | None
    #: attr entries, each followed by the place of its ids
    attrs: FileSection | None
    #: the records; size 0 while the recording runs
    data: FileSection | None
    #: event_type entries of old files
    event_types: FileSection | None
    #: a bit for each feature section, in the writer's long words
    adds_features: bytes | None


class EventType(Part):
    """Name of an event in files of perf 2.6.3x to 3.9."""

    LAYOUT = "event_type"
    #: attr.config of the event
    event_id: int | None
    #: NUL padded
    name: bytes | None


class Attr(Part):
    """Perf_event_attr: how an event was opened; fields past attr.size are absent and read as 0."""

    LAYOUT = "attr"
    #: kind of event, or number of a dynamic PMU
    type: int | None
    #: bytes of this structure in its writer's version; 0 means 64
    size: int | None
    #: which event of the type
    config: int | None
    #: events per sample
    sample_period: int | None
    #: samples per second, with flag freq
    sample_freq: int | None
    #: fields of a sample
    sample_type: int | None
    #: layout of READ values
    read_format: int | None
    #: flag word, logical bit numbers
    flags: int | None
    #: samples per wakeup
    wakeup_events: int | None
    #: bytes per wakeup, with flag watermark
    wakeup_watermark: int | None
    #: breakpoint: accesses that hit
    bp_type: int | None
    #: breakpoint: address
    bp_addr: int | None
    #: address of a name in the recording process
    kprobe_func: int | None
    #: address of a path in the recording process
    uprobe_path: int | None
    #: PMU specific
    config1: int | None
    #: breakpoint: length
    bp_len: int | None
    #: kprobe without a name: address
    kprobe_addr: int | None
    #: offset from the probed symbol or in the file
    probe_offset: int | None
    #: PMU specific
    config2: int | None
    #: branches to record, and their fields
    branch_sample_type: int | None
    #: mask of user registers
    sample_regs_user: int | None
    #: bytes of user stack
    sample_stack_user: int | None
    #: clock of the times, with flag use_clockid
    clockid: int | None
    #: mask of registers at the interrupt
    sample_regs_intr: int | None
    #: bytes of AUX data per wakeup
    aux_watermark: int | None
    #: longest call chain; 0 means the system's limit
    sample_max_stack: int | None
    #: reserved
    reserved_2: int | None
    #: bytes of AUX data per sample
    aux_sample_size: int | None
    #: pause and resume of the AUX area
    aux_action: int | None
    #: passed to the signal handler, with flag sigtrap
    sig_data: int | None
    #: PMU specific
    config3: int | None
    #: PMU specific
    config4: int | None
    #: bytes behind the known fields, from newer writers
    tail: bytes | None


class SampleId(Part):
    """Trailer of all kernel records but SAMPLE, when the attr has sample_id_all."""

    LAYOUT = "sample_id"
    #: process
    pid: int | None
    #: thread
    tid: int | None
    #: nanoseconds
    time: int | None
    #: event id
    id: int | None
    #: id of the child event
    stream_id: int | None
    #: cpu
    cpu: int | None
    #: reserved
    res: int | None
    #: event id, last word of the record
    identifier: int | None


class ReadValue(Part):
    """One counter of a group."""

    LAYOUT = "read_value"
    #: count
    value: int | None
    #: event id
    id: int | None
    #: samples lost
    lost: int | None


class ReadValues(Part):
    """Counter values as read() gives them, laid out by attr.read_format."""

    LAYOUT = "read_values"
    PARTS = {
        "values": "ReadValue",
    }
    #: counters in the group
    nr: int | None
    #: count
    value: int | None
    #: nanoseconds enabled
    time_enabled: int | None
    #: nanoseconds counting
    time_running: int | None
    #: event id
    id: int | None
    #: samples lost
    lost: int | None
    #: the counters, leader first
    values_: list[ReadValue] | None


class Callchain(Part):
    """Call chain."""

    LAYOUT = "callchain"
    #: entries, markers included
    nr: int | None
    #: leaf first; PERF_CONTEXT_* markers tell the space of the entries behind them
    ips: list[int] | None


class RawData(Part):
    """Bytes of the event's own, never swapped."""

    LAYOUT = "raw_data"
    #: bytes that follow, padding included
    size: int | None
    #: a tracepoint's fields, or the PMU's data
    data: bytes | None


class TracepointCommon(Part):
    """Start of a tracepoint's raw bytes, whatever the event."""

    LAYOUT = "tracepoint_common"
    #: number of the event, as in attr.config
    common_type: int | None
    #: state of interrupts and preemption
    common_flags: int | None
    #: depth of disabled preemption
    common_preempt_count: int | None
    #: thread
    common_pid: int | None


class BranchEntry(Part):
    """One branch."""

    LAYOUT = "branch_entry"
    #: address of the branch
    from_: int | None
    #: target
    to: int | None
    #: prediction, cycles, type and privilege
    flags: int | None


class BranchStack(Part):
    """Branches taken, newest first."""

    LAYOUT = "branch_stack"
    PARTS = {
        "entries": "BranchEntry",
    }
    #: branches
    nr: int | None
    #: index of the newest in the hardware's buffer, -1 unknown
    hw_idx: int | None
    #: the branches
    entries: list[BranchEntry] | None
    #: event counts packed in one word a branch
    counters: list[int] | None


class SimdRegs(Part):
    """SIMD registers, with their number and width; the attr determines which."""

    LAYOUT = "simd_regs"
    #: vector registers
    nr_vectors: int | None
    #: u64s of each
    vector_qwords: int | None
    #: predicate registers
    nr_pred: int | None
    #: u64s of each
    pred_qwords: int | None
    #: register by register, the lowest u64 of each first
    vectors: list[int] | None
    #: likewise
    preds: list[int] | None


class RegsUser(Part):
    """User registers."""

    LAYOUT = "regs_user"
    PARTS = {
        "simd": "SimdRegs",
    }
    #: register set; NONE: no registers follow
    abi: int | None
    #: in ascending bit order of attr.sample_regs_user
    regs: list[int] | None
    #: SIMD registers
    simd: SimdRegs | None


class RegsIntr(Part):
    """Registers at the interrupt."""

    LAYOUT = "regs_intr"
    PARTS = {
        "simd": "SimdRegs",
    }
    #: register set; NONE: no registers follow
    abi: int | None
    #: in ascending bit order of attr.sample_regs_intr
    regs: list[int] | None
    #: SIMD registers
    simd: SimdRegs | None


class StackUser(Part):
    """Copy of the user stack."""

    LAYOUT = "stack_user"
    #: bytes that follow
    size: int | None
    #: from the stack pointer up; only dyn_size bytes are meaningful
    data: bytes | None
    #: bytes really copied; present when size is not 0
    dyn_size: int | None


class AuxData(Part):
    """Snapshot of the AUX area."""

    LAYOUT = "aux_data"
    #: bytes that follow
    size: int | None
    #: the PMU's trace data
    data: bytes | None


class NamespaceEntry(Part):
    """A namespace."""

    LAYOUT = "namespace_entry"
    #: device of its file
    dev: int | None
    #: inode of its file
    inode: int | None


class Mmap(Record):
    """A mapping, executable unless misc has MMAP_DATA."""

    LAYOUT = "mmap"
    TYPE = 1
    #: process; -1 for the kernel's own
    pid: int | None
    #: thread
    tid: int | None
    #: start
    addr: int | None
    #: bytes
    len: int | None
    #: offset in the file, in bytes
    pgoff: int | None
    #: file, or a name in brackets or behind //
    filename: str | None


class Lost(Record):
    """Records lost because the buffer was full."""

    LAYOUT = "lost"
    TYPE = 2
    #: event id
    id: int | None
    #: records
    lost: int | None


class Comm(Record):
    """A task's name changed."""

    LAYOUT = "comm"
    TYPE = 3
    #: process
    pid: int | None
    #: thread
    tid: int | None
    #: name, 15 bytes at most from the kernel
    comm: str | None


class Exit(Record):
    """A task ended."""

    LAYOUT = "exit"
    TYPE = 4
    #: process
    pid: int | None
    #: parent's process
    ppid: int | None
    #: thread
    tid: int | None
    #: parent's thread
    ptid: int | None
    #: nanoseconds
    time: int | None


class Throttle(Record):
    """Sampling paused, the rate was too high."""

    LAYOUT = "throttle"
    TYPE = 5
    #: nanoseconds
    time: int | None
    #: event id
    id: int | None
    #: id of the child event
    stream_id: int | None


class Unthrottle(Record):
    """Sampling goes on."""

    LAYOUT = "unthrottle"
    TYPE = 6
    #: nanoseconds
    time: int | None
    #: event id
    id: int | None
    #: id of the child event
    stream_id: int | None


class Fork(Record):
    """A new task."""

    LAYOUT = "fork"
    TYPE = 7
    #: process
    pid: int | None
    #: process of the forking task
    ppid: int | None
    #: thread
    tid: int | None
    #: thread of the forking task
    ptid: int | None
    #: nanoseconds
    time: int | None


class Read(Record):
    """Counter values of a task that exits."""

    LAYOUT = "read"
    TYPE = 8
    PARTS = {
        "values": "ReadValues",
    }
    #: process
    pid: int | None
    #: thread
    tid: int | None
    #: the counters
    values: ReadValues | None


class Sample(Record):
    """One overflow of a counter."""

    LAYOUT = "sample"
    TYPE = 9
    PARTS = {
        "read": "ReadValues",
        "callchain": "Callchain",
        "raw": "RawData",
        "branch_stack": "BranchStack",
        "regs_user": "RegsUser",
        "stack_user": "StackUser",
        "regs_intr": "RegsIntr",
        "aux": "AuxData",
    }
    #: event id
    identifier: int | None
    #: instruction pointer
    ip: int | None
    #: process
    pid: int | None
    #: thread
    tid: int | None
    #: nanoseconds
    time: int | None
    #: address of the data, or a value that the event defines
    addr: int | None
    #: event id
    id: int | None
    #: id of the child event
    stream_id: int | None
    #: cpu
    cpu: int | None
    #: reserved
    res: int | None
    #: events since the sample before
    period: int | None
    #: counter values
    read: ReadValues | None
    #: call chain
    callchain: Callchain | None
    #: bytes of the event's own
    raw_: RawData | None
    #: branches taken
    branch_stack: BranchStack | None
    #: user registers
    regs_user: RegsUser | None
    #: user stack
    stack_user: StackUser | None
    #: cost
    weight: int | None
    #: three costs
    weight_struct: int | None
    #: where the data came from
    data_src: int | None
    #: transaction abort details
    transaction: int | None
    #: registers at the interrupt
    regs_intr: RegsIntr | None
    #: physical address, 0 unknown
    phys_addr: int | None
    #: cgroup id, as in CGROUP records
    cgroup: int | None
    #: bytes, 0 unknown
    data_page_size: int | None
    #: bytes, 0 unknown
    code_page_size: int | None
    #: snapshot of the AUX area
    aux: AuxData | None


class Mmap2(Record):
    """A mapping, with the file's identity."""

    LAYOUT = "mmap2"
    TYPE = 10
    #: process; -1 for the kernel's own
    pid: int | None
    #: thread
    tid: int | None
    #: start
    addr: int | None
    #: bytes
    len: int | None
    #: offset in the file, in bytes
    pgoff: int | None
    #: meaningful bytes of build_id
    build_id_size: int | None
    #: reserved
    reserved_1: int | None
    #: reserved
    reserved_2: int | None
    #: build id, zero filled
    build_id: bytes | None
    #: device, major number
    maj: int | None
    #: device, minor number
    min: int | None
    #: inode
    ino: int | None
    #: generation of the inode
    ino_generation: int | None
    #: protection
    prot: int | None
    #: mmap flags
    flags: int | None
    #: file, or a name in brackets or behind //
    filename: str | None


class Aux(Record):
    """New data in the AUX area."""

    LAYOUT = "aux"
    TYPE = 11
    #: position in the AUX area
    aux_offset: int | None
    #: bytes
    aux_size: int | None
    #: loss of data, and its format
    flags: int | None


class ItraceStart(Record):
    """Instruction tracing of a task starts."""

    LAYOUT = "itrace_start"
    TYPE = 12
    #: process
    pid: int | None
    #: thread
    tid: int | None


class LostSamples(Record):
    """Samples the hardware or a filter dropped."""

    LAYOUT = "lost_samples"
    TYPE = 13
    #: samples
    lost: int | None


class ContextSwitch(Record):
    """Context switch of the task itself."""

    LAYOUT = "context_switch"
    TYPE = 14


class SwitchCpuWide(Record):
    """Context switch on the cpu."""

    LAYOUT = "switch_cpu_wide"
    TYPE = 15
    #: process switched to, or from
    next_prev_pid: int | None
    #: thread switched to, or from
    next_prev_tid: int | None


class Namespaces(Record):
    """A task's namespaces."""

    LAYOUT = "namespaces"
    TYPE = 16
    PARTS = {
        "namespaces": "NamespaceEntry",
    }
    #: process
    pid: int | None
    #: thread
    tid: int | None
    #: namespaces
    nr: int | None
    #: net, uts, ipc, pid, user, mnt, cgroup
    namespaces: list[NamespaceEntry] | None


class Ksymbol(Record):
    """A kernel symbol comes or goes."""

    LAYOUT = "ksymbol"
    TYPE = 17
    #: start
    addr: int | None
    #: bytes
    len: int | None
    #: what made it
    ksym_type: int | None
    #: comes or goes
    flags: int | None
    #: symbol
    name: str | None


class BpfEvent(Record):
    """A BPF program comes or goes."""

    LAYOUT = "bpf_event"
    TYPE = 18
    #: comes or goes
    type_: int | None
    #: none defined
    flags: int | None
    #: program's number
    id: int | None
    #: hash of the program
    tag: bytes | None


class Cgroup(Record):
    """A cgroup."""

    LAYOUT = "cgroup"
    TYPE = 19
    #: as in samples
    id: int | None
    #: below the cgroup file system's root
    path: str | None


class TextPoke(Record):
    """Kernel code changed."""

    LAYOUT = "text_poke"
    TYPE = 20
    #: where
    addr: int | None
    #: bytes before
    old_len: int | None
    #: bytes after
    new_len: int | None
    #: code before
    old_bytes: bytes | None
    #: code after
    new_bytes: bytes | None


class AuxOutputHwId(Record):
    """Hardware id of an event whose output is in the AUX area."""

    LAYOUT = "aux_output_hw_id"
    TYPE = 21
    #: PMU specific
    hw_id: int | None


class CallchainDeferred(Record):
    """User part of the call chains that end in this cookie."""

    LAYOUT = "callchain_deferred"
    TYPE = 22
    #: as behind the USER_DEFERRED marker
    cookie: int | None
    #: entries
    nr: int | None
    #: leaf first, no markers
    ips: list[int] | None


class HeaderTracingData(Record):
    """Tracing data of data_size bytes follows the record."""

    LAYOUT = "header_tracing_data"
    TYPE = 66
    #: bytes behind the record, padding included
    data_size: int | None


class FinishedRound(Record):
    """One pass over all ring buffers is complete."""

    LAYOUT = "finished_round"
    TYPE = 68


class Auxtrace(Record):
    """AUX data of `size` bytes follows the record."""

    LAYOUT = "auxtrace"
    TYPE = 71
    #: bytes behind the record
    size_: int | None
    #: position in the AUX area
    offset_: int | None
    #: orders buffers in time
    reference: int | None
    #: ring buffer
    idx: int | None
    #: thread
    tid: int | None
    #: cpu
    cpu: int | None
    #: reserved
    reserved: int | None


class Stat(Record):
    """Counter values of perf stat."""

    LAYOUT = "stat"
    TYPE = 76
    #: event id
    id: int | None
    #: index or number
    cpu: int | None
    #: index
    thread: int | None
    #: count
    val: int | None
    #: nanoseconds enabled
    ena: int | None
    #: nanoseconds counting
    run: int | None


class StatRound(Record):
    """End of an interval of perf stat."""

    LAYOUT = "stat_round"
    TYPE = 77
    #: interval or final
    type_: int | None
    #: nanoseconds since perf stat began
    time: int | None


class FinishedInit(Record):
    """The synthesized records are complete."""

    LAYOUT = "finished_init"
    TYPE = 82


class Compressed(Record):
    """A chunk of a zstd stream of records."""

    LAYOUT = "compressed"
    TYPE = 81
    #: not padded; the chunks of one file make one stream
    data: bytes | None


class Compressed2(Record):
    """A chunk of a zstd stream of records, padded to 8 bytes."""

    LAYOUT = "compressed2"
    TYPE = 83
    #: bytes of the chunk
    data_size: int | None
    #: the chunks of one file make one stream
    data: bytes | None


class Offcpu(Part):
    """Raw data of an off-cpu sample, by perf record --off-cpu since perf 6.15."""

    LAYOUT = "offcpu"
    #: process, as perf reads it; a BPF program of a little-endian machine writes the thread here
    pid: int | None
    #: thread, likewise; then the process is here
    tid: int | None
    #: nanoseconds that the task was off the cpu
    period: int | None
    #: entries, the marker included
    nr: int | None
    #: a marker, USER, and the user stack, leaf first
    ips: list[int] | None
    #: cgroup id; 0 if not requested
    cgroup: int | None
    #: up to the end of the sample's raw data, 4 bytes
    padding: bytes | None


class BuildId(Part):
    """The file of a build id."""

    LAYOUT = "build_id"
    #: header.misc of the record
    misc: int | None
    #: process; -1 host kernel, 0 default guest kernel
    pid: int | None
    #: build id, zero filled
    build_id: bytes | None
    #: meaningful bytes of build_id
    size: int | None
    #: reserved
    reserved_1: int | None
    #: reserved
    reserved_2: int | None
    #: padding of the build id, at times left-over bytes
    build_id_pad: bytes | None
    #: file, or a name in brackets
    filename: str | None


class IdIndexEntry(Part):
    """One event on one ring buffer."""

    LAYOUT = "id_index_entry"
    #: event id
    id: int | None
    #: ring buffer, as in AUXTRACE
    idx: int | None
    #: cpu, -1 any
    cpu: int | None
    #: thread, -1 any
    tid: int | None


class IdIndexMachine(Part):
    """The guest of an event."""

    LAYOUT = "id_index_machine"
    #: process of the virtual machine, 0 for the host
    machine_pid: int | None
    #: cpu of the guest
    vcpu: int | None


class IntelPtInfo(Part):
    """Intel PT."""

    LAYOUT = "intel_pt_info"
    #: number of the PMU
    pmu_type: int | None
    #: TSC to perf time
    time_shift: int | None
    #: TSC to perf time
    time_mult: int | None
    #: TSC to perf time
    time_zero: int | None
    #: time_zero is valid
    cap_user_time_zero: int | None
    #: bit of config that asks for TSC packets
    tsc_bit: int | None
    #: bit of config that turns return compression off
    noretcomp_bit: int | None
    #: how context switches are recorded
    have_sched_switch: int | None
    #: only snapshots were taken
    snapshot_mode: int | None
    #: perf 4.2 and later
    has_per_cpu_mmaps: int | None
    #: a buffer for each cpu
    per_cpu_mmaps: int | None
    #: perf 4.3 and later
    has_mtc: int | None
    #: bit of config that asks for MTC packets
    mtc_bit: int | None
    #: bits of config with the MTC period
    mtc_freq_bits: int | None
    #: TSC to CTC, numerator
    tsc_ctc_n: int | None
    #: TSC to CTC, denominator
    tsc_ctc_d: int | None
    #: perf 4.3 and later
    has_cyc: int | None
    #: bit of config that asks for CYC packets
    cyc_bit: int | None
    #: perf 4.10 and later
    has_ratio: int | None
    #: of the processor's frequency
    max_nonturbo_ratio: int | None
    #: perf 4.10 and later
    has_filter: int | None
    #: bytes of the filter without its NUL
    filter_str_len: int | None
    #: address filter
    filter: str | None
    #: perf 5.18 and later
    has_event_trace: int | None
    #: event trace is possible
    cap_event_trace: int | None


class IntelBtsInfo(Part):
    """Intel BTS."""

    LAYOUT = "intel_bts_info"
    #: number of the PMU
    pmu_type: int | None
    #: TSC to perf time
    time_shift: int | None
    #: TSC to perf time
    time_mult: int | None
    #: TSC to perf time
    time_zero: int | None
    #: time_zero is valid
    cap_user_time_zero: int | None
    #: only snapshots were taken
    snapshot_mode: int | None


class CsEtmOldCpu(Part):
    """A cpu's trace unit, header version 0."""

    LAYOUT = "cs_etm_old_cpu"
    #: kind of trace unit
    magic: int | None
    #: cpu
    cpu: int | None
    #: ETMCR
    etmcr: int | None
    #: ETMTRACEIDR
    etmtraceidr: int | None
    #: ETMCCER
    etmccer: int | None
    #: ETMIDR
    etmidr: int | None
    #: TRCCONFIGR
    trcconfigr: int | None
    #: TRCTRACEIDR
    trctraceidr: int | None
    #: TRCIDR0
    trcidr0: int | None
    #: TRCIDR1
    trcidr1: int | None
    #: TRCIDR2
    trcidr2: int | None
    #: TRCIDR8
    trcidr8: int | None
    #: TRCAUTHSTATUS
    trcauthstatus: int | None


class CsEtmCpu(Part):
    """A cpu's trace unit, header version 1 and later."""

    LAYOUT = "cs_etm_cpu"
    #: kind of trace unit
    magic: int | None
    #: cpu
    cpu: int | None
    #: registers that follow
    nr_params: int | None
    #: ETMv3: ETMCR, ETMTRACEIDR, ETMCCER, ETMIDR; others: TRCCONFIGR, TRCTRACEIDR, TRCIDR0, 1, 2, 8,
    #: TRCAUTHSTATUS, for ETE TRCDEVARCH, then TS_SOURCE
    params: list[int] | None


class CsEtmInfo(Part):
    """Arm CoreSight."""

    LAYOUT = "cs_etm_info"
    PARTS = {
        "old_cpus": "CsEtmOldCpu",
        "cpus": "CsEtmCpu",
    }
    #: 0, 1 or 2
    header_version: int | None
    #: number of cpus, and number of the PMU
    cpus_and_pmu: int | None
    #: cpus
    nr_cpus: int | None
    #: only snapshots were taken
    snapshot: int | None
    #: the cpus
    old_cpus: list[CsEtmOldCpu] | None
    #: the cpus
    cpus: list[CsEtmCpu] | None


class ArmSpeCpu(Part):
    """A cpu of an Arm SPE recording."""

    LAYOUT = "arm_spe_cpu"
    #: start of the block
    magic: int | None
    #: cpu
    cpu: int | None
    #: words that follow
    nr_params: int | None
    #: MIDR, number of the PMU, minimal interval, event filter
    params: list[int] | None


class ArmSpeInfo(Part):
    """Arm SPE."""

    LAYOUT = "arm_spe_info"
    PARTS = {
        "cpus": "ArmSpeCpu",
    }
    #: version 2 and later
    has_header: int | None
    #: number of the PMU
    pmu_type: int | None
    #: a buffer for each cpu
    per_cpu_mmaps: int | None
    #: 2
    version: int | None
    #: words of this header
    header_size: int | None
    #: words of the header that are not known
    nr_more: int | None
    #: number of the PMU
    pmu: int | None
    #: cpus
    nr_cpus: int | None
    #: the rest of the header
    more: list[int] | None
    #: the cpus
    cpus: list[ArmSpeCpu] | None


class PmuTypeInfo(Part):
    """A PMU without further data."""

    LAYOUT = "pmu_type_info"
    #: number of the PMU
    pmu_type: int | None


class ThreadMapEntry(Part):
    """A thread."""

    LAYOUT = "thread_map_entry"
    #: thread, -1 for all
    pid: int | None
    #: name
    comm: str | None


class CpuMapCpus(Part):
    """A list of cpus."""

    LAYOUT = "cpu_map_cpus"
    #: cpus
    nr: int | None
    #: numbers; 65535 is any cpu
    cpu: list[int] | None


class CpuMapMask(Part):
    """A bitmap of cpus."""

    LAYOUT = "cpu_map_mask"
    #: words
    nr: int | None
    #: bytes of a word, 4 or 8
    long_size: int | None
    #: bit j of word i is cpu 32 * i + j
    mask32: list[int] | None
    #: padding
    pad: bytes | None
    #: bit j of word i is cpu 64 * i + j
    mask64: list[int] | None


class CpuMapRange(Part):
    """A range of cpus."""

    LAYOUT = "cpu_map_range"
    #: 1: any cpu too
    any_cpu: int | None
    #: padding
    pad: int | None
    #: first
    start_cpu: int | None
    #: last
    end_cpu: int | None


class CpuMapData(Part):
    """A set of cpus."""

    LAYOUT = "cpu_map_data"
    PARTS = {
        "cpus": "CpuMapCpus",
        "mask": "CpuMapMask",
        "range": "CpuMapRange",
    }
    #: form of the set
    type: int | None
    #: list
    cpus: CpuMapCpus | None
    #: bitmap
    mask: CpuMapMask | None
    #: first and last
    range: CpuMapRange | None


class StatConfigEntry(Part):
    """A setting."""

    LAYOUT = "stat_config_entry"
    #: which
    tag: int | None
    #: its value
    val: int | None


class BpfMetadataEntry(Part):
    """A variable of a BPF program."""

    LAYOUT = "bpf_metadata_entry"
    #: name
    key: str | None
    #: value
    value: str | None


class SchedstatBalance(Part):
    """Load balancing of one kind, to version 16."""

    LAYOUT = "schedstat_balance"
    #: calls
    count: int | None
    #: nothing to do
    balanced: int | None
    #: failures
    failed: int | None
    #: sum of imbalances
    imbalance: int | None
    #: tasks moved
    gained: int | None
    #: tasks moved although cache-hot
    hot_gained: int | None
    #: no busier queue
    nobusyq: int | None
    #: no busier group
    nobusyg: int | None


class SchedstatBalance17(Part):
    """Load balancing of one kind, version 17."""

    LAYOUT = "schedstat_balance_17"
    #: calls
    count: int | None
    #: nothing to do
    balanced: int | None
    #: failures
    failed: int | None
    #: sum of imbalances, load
    imbalance_load: int | None
    #: sum of imbalances, utilization
    imbalance_util: int | None
    #: sum of imbalances, tasks
    imbalance_task: int | None
    #: sum of imbalances, misfits
    imbalance_misfit: int | None
    #: tasks moved
    gained: int | None
    #: tasks moved although cache-hot
    hot_gained: int | None
    #: no busier queue
    nobusyq: int | None
    #: no busier group
    nobusyg: int | None


class SchedstatActive(Part):
    """Other balancing of a domain."""

    LAYOUT = "schedstat_active"
    #: active balancing: calls
    alb_count: int | None
    #: active balancing: failures
    alb_failed: int | None
    #: active balancing: tasks moved
    alb_pushed: int | None
    #: balancing on exec: calls
    sbe_count: int | None
    #: balancing on exec: nothing to do
    sbe_balanced: int | None
    #: balancing on exec: tasks moved
    sbe_pushed: int | None
    #: balancing on fork: calls
    sbf_count: int | None
    #: balancing on fork: nothing to do
    sbf_balanced: int | None
    #: balancing on fork: tasks moved
    sbf_pushed: int | None
    #: woken on another cpu
    ttwu_wake_remote: int | None
    #: moved to the waking cpu, cache-warm
    ttwu_move_affine: int | None
    #: moved to the waking cpu to balance
    ttwu_move_balance: int | None


class SchedstatDomain15(Part):
    """Counters of version 15."""

    LAYOUT = "schedstat_domain_15"
    PARTS = {
        "idle": "SchedstatBalance",
        "busy": "SchedstatBalance",
        "newidle": "SchedstatBalance",
        "active": "SchedstatActive",
    }
    #: when idle
    idle: SchedstatBalance | None
    #: when busy
    busy: SchedstatBalance | None
    #: when about to be idle
    newidle: SchedstatBalance | None
    #: other balancing
    active: SchedstatActive | None


class SchedstatDomain16(Part):
    """Counters of version 16."""

    LAYOUT = "schedstat_domain_16"
    PARTS = {
        "busy": "SchedstatBalance",
        "idle": "SchedstatBalance",
        "newidle": "SchedstatBalance",
        "active": "SchedstatActive",
    }
    #: when busy
    busy: SchedstatBalance | None
    #: when idle
    idle: SchedstatBalance | None
    #: when about to be idle
    newidle: SchedstatBalance | None
    #: other balancing
    active: SchedstatActive | None


class SchedstatDomain17(Part):
    """Counters of version 17."""

    LAYOUT = "schedstat_domain_17"
    PARTS = {
        "busy": "SchedstatBalance17",
        "idle": "SchedstatBalance17",
        "newidle": "SchedstatBalance17",
        "active": "SchedstatActive",
    }
    #: when busy
    busy: SchedstatBalance17 | None
    #: when idle
    idle: SchedstatBalance17 | None
    #: when about to be idle
    newidle: SchedstatBalance17 | None
    #: other balancing
    active: SchedstatActive | None


class EventIdEntry(Part):
    """Which attr an event id belongs to."""

    LAYOUT = "event_id_entry"
    #: attr, counted from 0
    attr_index: int | None
    #: event id
    event_id: int | None


class HeaderAttr(Record):
    """An attr and the ids of its events."""

    LAYOUT = "header_attr"
    TYPE = 64
    PARTS = {
        "attr": "Attr",
    }
    #: how the events were opened
    attr: Attr | None
    #: event ids
    ids: list[int] | None


class HeaderEventType(Record):
    """Name of an event, to perf 3.9."""

    LAYOUT = "header_event_type"
    TYPE = 65
    #: attr.config of the event
    event_id: int | None
    #: without NUL when it fills its slot
    name: str | None


class HeaderBuildId(Record):
    """Build id of a file; perf inject of 6.16 and later adds a sample_id."""

    LAYOUT = "header_build_id"
    TYPE = 67
    PARTS = {
        "file": "BuildId",
    }
    #: the file
    file: BuildId | None


class IdIndex(Record):
    """Event ids and their ring buffers."""

    LAYOUT = "id_index"
    TYPE = 69
    PARTS = {
        "entries": "IdIndexEntry",
        "machines": "IdIndexMachine",
    }
    #: entries
    nr: int | None
    #: the ids
    entries: list[IdIndexEntry] | None
    #: recordings of guests
    has_machines: int | None
    #: guests of the same entries
    machines: list[IdIndexMachine] | None


class AuxtraceInfo(Record):
    """How AUX data is to be decoded."""

    LAYOUT = "auxtrace_info"
    TYPE = 70
    PARTS = {
        "intel_pt": "IntelPtInfo",
        "intel_bts": "IntelBtsInfo",
        "cs_etm": "CsEtmInfo",
        "arm_spe": "ArmSpeInfo",
        "hisi_ptt": "PmuTypeInfo",
        "vpa_dtl": "PmuTypeInfo",
    }
    #: kind of AUX data
    type_: int | None
    #: reserved
    reserved: int | None
    #: Intel PT
    intel_pt: IntelPtInfo | None
    #: Intel BTS
    intel_bts: IntelBtsInfo | None
    #: Arm CoreSight
    cs_etm: CsEtmInfo | None
    #: Arm SPE
    arm_spe: ArmSpeInfo | None
    #: HiSilicon PCIe tracer
    hisi_ptt: PmuTypeInfo | None
    #: powerpc dispatch trace log
    vpa_dtl: PmuTypeInfo | None
    #: further words
    priv: list[int] | None


class AuxtraceError(Record):
    """Decoding AUX data failed."""

    LAYOUT = "auxtrace_error"
    TYPE = 72
    #: what was decoded
    type_: int | None
    #: error number of the decoder
    code: int | None
    #: cpu
    cpu: int | None
    #: process
    pid: int | None
    #: thread
    tid: int | None
    #: form of this record: 0, 1 or 2
    fmt: int | None
    #: instruction pointer
    ip: int | None
    #: message
    text_: str | None
    #: nanoseconds
    time: int | None
    #: message
    msg: str | None
    #: absent in some records that say 2
    has_machine: int | None
    #: process of the virtual machine, 0 for the host
    machine_pid: int | None
    #: cpu of the guest
    vcpu: int | None


class ThreadMap(Record):
    """Threads that perf stat counts."""

    LAYOUT = "thread_map"
    TYPE = 73
    PARTS = {
        "entries": "ThreadMapEntry",
    }
    #: threads
    nr: int | None
    #: the threads
    entries: list[ThreadMapEntry] | None


class CpuMap(Record):
    """Cpus that perf counts on."""

    LAYOUT = "cpu_map"
    TYPE = 74
    PARTS = {
        "map": "CpuMapData",
    }
    #: the cpus
    map: CpuMapData | None


class StatConfig(Record):
    """Settings of perf stat."""

    LAYOUT = "stat_config"
    TYPE = 75
    PARTS = {
        "entries": "StatConfigEntry",
    }
    #: settings
    nr: int | None
    #: the settings
    entries: list[StatConfigEntry] | None


class EventUpdate(Record):
    """More about an event."""

    LAYOUT = "event_update"
    TYPE = 78
    PARTS = {
        "cpus": "CpuMapData",
    }
    #: what
    type_: int | None
    #: event id
    id: int | None
    #: unit of the counts
    unit: str | None
    #: factor of the counts
    scale: int | None
    #: name of the event
    name: str | None
    #: cpus of the event
    cpus: CpuMapData | None


class TimeConv(Record):
    """TSC to perf time."""

    LAYOUT = "time_conv"
    TYPE = 79
    #: bits
    time_shift: int | None
    #: factor
    time_mult: int | None
    #: nanoseconds at TSC 0
    time_zero: int | None
    #: perf 5.10 and later
    has_cycles: int | None
    #: cycles at time_zero of a short counter
    time_cycles: int | None
    #: bits of a short counter
    time_mask: int | None
    #: time_zero is valid
    cap_user_time_zero: int | None
    #: the counter is short
    cap_user_time_short: int | None
    #: reserved
    reserved: bytes | None


class HeaderFeature(Record):
    """A feature section in a pipe; without data it marks the end of the features."""

    LAYOUT = "header_feature"
    TYPE = 80
    #: number of the feature; in the mark of the end, the writer's number of features
    feat_id: int | None
    #: as in the section of a file
    data: bytes | None


class BpfMetadata(Record):
    """Variables of a BPF program."""

    LAYOUT = "bpf_metadata"
    TYPE = 84
    PARTS = {
        "entries": "BpfMetadataEntry",
    }
    #: program
    prog_name: str | None
    #: variables
    nr_entries: int | None
    #: the variables
    entries: list[BpfMetadataEntry] | None


class SchedstatCpu(Record):
    """Scheduler statistics of a cpu."""

    LAYOUT = "schedstat_cpu"
    TYPE = 85
    #: jiffies
    timestamp: int | None
    #: cpu
    cpu: int | None
    #: of /proc/schedstat: 15, 16 or 17
    version: int | None
    #: padding
    pad: bytes | None
    #: calls of sched_yield
    yld_count: int | None
    #: unused
    array_exp: int | None
    #: calls of schedule
    sched_count: int | None
    #: calls of schedule after which the cpu was idle
    sched_goidle: int | None
    #: wake-ups
    ttwu_count: int | None
    #: wake-ups on this cpu
    ttwu_local: int | None
    #: nanoseconds running
    rq_cpu_time: int | None
    #: nanoseconds waiting
    run_delay: int | None
    #: time slices
    pcount: int | None


class SchedstatDomain(Record):
    """Scheduler statistics of a domain."""

    LAYOUT = "schedstat_domain"
    TYPE = 86
    PARTS = {
        "v15": "SchedstatDomain15",
        "v16": "SchedstatDomain16",
        "v17": "SchedstatDomain17",
    }
    #: jiffies
    timestamp: int | None
    #: cpu
    cpu: int | None
    #: of /proc/schedstat: 15, 16 or 17
    version: int | None
    #: number of the domain
    domain: int | None
    #: counters
    v15: SchedstatDomain15 | None
    #: counters
    v16: SchedstatDomain16 | None
    #: counters
    v17: SchedstatDomain17 | None


class SimpleperfKernelSymbol(Record):
    """Text of /proc/kallsyms."""

    LAYOUT = "simpleperf_kernel_symbol"
    TYPE = 32769
    #: bytes, padding not included
    size_: int | None
    #: text
    kallsyms: bytes | None


class SimpleperfDso(Record):
    """A binary."""

    LAYOUT = "simpleperf_dso"
    TYPE = 32770
    #: kind
    dso_type: int | None
    #: number, as in SYMBOL
    dso_id: int | None
    #: old writers
    is_old: int | None
    #: lowest address of its code
    min_vaddr: int | None
    #: path
    name: str | None


class SimpleperfSymbol(Record):
    """A symbol."""

    LAYOUT = "simpleperf_symbol"
    TYPE = 32771
    #: start
    addr: int | None
    #: bytes
    len: int | None
    #: number of the DSO
    dso_id: int | None
    #: symbol
    name: str | None


class SimpleperfSplit(Record):
    """Part of a record of more than 65535 bytes."""

    LAYOUT = "simpleperf_split"
    TYPE = 32772
    #: the parts in a row are the record with its header
    data: bytes | None


class SimpleperfSplitEnd(Record):
    """The record in parts is complete."""

    LAYOUT = "simpleperf_split_end"
    TYPE = 32773


class SimpleperfEventId(Record):
    """Attrs of event ids."""

    LAYOUT = "simpleperf_event_id"
    TYPE = 32774
    PARTS = {
        "entries": "EventIdEntry",
    }
    #: entries
    count: int | None
    #: the ids
    entries: list[EventIdEntry] | None


class SimpleperfCallchain(Record):
    """A call chain that simpleperf unwound."""

    LAYOUT = "simpleperf_callchain"
    TYPE = 32775
    #: process
    pid: int | None
    #: thread
    tid: int | None
    #: how it was made
    chain_type: int | None
    #: nanoseconds, of the sample it belongs to
    time: int | None
    #: entries
    nr: int | None
    #: addresses, leaf first
    ips: list[int] | None
    #: stack pointers
    sps: list[int] | None


class SimpleperfUnwindingResult(Record):
    """The result of an unwinding."""

    LAYOUT = "simpleperf_unwinding_result"
    TYPE = 32776
    #: nanoseconds, of the sample it belongs to
    time: int | None
    #: nanoseconds it took
    used_time: int | None
    #: 0 without an error
    error_code: int | None
    #: where it stopped
    error_addr: int | None
    #: start of the copied stack
    stack_start: int | None
    #: its end
    stack_end: int | None
    #: newer writers
    has_regs: int | None
    #: register set
    abi: int | None
    #: which registers
    reg_mask: int | None
    #: their number
    nr_regs: int | None
    #: registers, whatever abi says
    regs: list[int] | None
    #: bytes of stack
    stack_size: int | None
    #: stack
    stack: bytes | None
    #: bytes really copied
    dyn_size: int | None
    #: newer writers
    has_chain: int | None
    #: entries
    nr: int | None
    #: addresses, leaf first
    ips: list[int] | None
    #: stack pointers
    sps: list[int] | None


class SimpleperfTracingData(Record):
    """Tracing data inside the record."""

    LAYOUT = "simpleperf_tracing_data"
    TYPE = 32777
    #: bytes, padding not included
    size_: int | None
    #: as in the section TRACING_DATA
    data: bytes | None


class SimpleperfDebug(Record):
    """Text for who debugs simpleperf."""

    LAYOUT = "simpleperf_debug"
    TYPE = 32778
    #: nanoseconds
    time: int | None
    #: text
    text_: str | None


class FormatFile(Part):
    """A text of tracefs."""

    LAYOUT = "format_file"
    #: bytes
    size: int | None
    #: text
    text: bytes | None


class EventSystem(Part):
    """The events of a subsystem."""

    LAYOUT = "event_system"
    PARTS = {
        "events": "FormatFile",
    }
    #: subsystem
    name: str | None
    #: events
    nr_events: int | None
    #: a format file for each
    events: list[FormatFile] | None


class BuildIdEntry(Part):
    """A build id record; its type is 0, 2 or 67."""

    LAYOUT = "build_id_entry"
    PARTS = {
        "file": "BuildId",
    }
    #: 0 from perf, 2 from quipper, 67 from simpleperf
    type: int | None
    #: form of the entry, and cpu mode of the file
    misc: int | None
    #: bytes of this entry
    size: int | None
    #: the file
    file: BuildId | None


class String(Part):
    """A string."""

    LAYOUT = "string"
    #: text
    text: str | None


class EventDesc(Part):
    """An event."""

    LAYOUT = "event_desc"
    PARTS = {
        "attr": "Attr",
    }
    #: bytes of the attr
    attr_size: int | None
    #: how the event was opened
    attr: Attr | None
    #: ids
    nr_ids: int | None
    #: name
    name: str | None
    #: ids, the same as in the attrs section
    ids: list[int] | None


class CpuTopologyCpu(Part):
    """Where a cpu is."""

    LAYOUT = "cpu_topology_cpu"
    #: core
    core_id: int | None
    #: socket
    socket_id: int | None


class NumaNode(Part):
    """A NUMA node."""

    LAYOUT = "numa_node"
    #: number
    node: int | None
    #: kB
    mem_total: int | None
    #: kB
    mem_free: int | None
    #: list of cpus
    cpus: str | None


class PmuMapping(Part):
    """A PMU."""

    LAYOUT = "pmu_mapping"
    #: number, as in attr.type
    type: int | None
    #: name
    name: str | None


class GroupDesc(Part):
    """A group of events."""

    LAYOUT = "group_desc"
    #: name; {anon_group} when it has none
    name: str | None
    #: attr of the leader, counted from 0
    leader_idx: int | None
    #: events, the leader included
    nr_members: int | None


class AuxtraceIndexEntry(Part):
    """Where an AUXTRACE record is."""

    LAYOUT = "auxtrace_index_entry"
    #: of the record, in bytes
    file_offset: int | None
    #: bytes of the record's header
    sz: int | None


class CacheLevel(Part):
    """A cache."""

    LAYOUT = "cache_level"
    #: level
    level: int | None
    #: bytes of a line
    line_size: int | None
    #: sets
    sets: int | None
    #: ways
    ways: int | None
    #: Data, Instruction or Unified
    type: str | None
    #: size as sysfs writes it
    size: str | None
    #: list of cpus
    map: str | None


class MemoryNode(Part):
    """Memory blocks of a node."""

    LAYOUT = "memory_node"
    #: number
    node: int | None
    #: bits of the bitmap
    size: int | None
    #: the same
    bits: int | None
    #: words of the bitmap
    words: int | None
    #: blocks the node has
    bitmap: list[int] | None


class BpfProgInfo(Part):
    """The kernel's description of a program; pointers are offsets in the data."""

    LAYOUT = "bpf_prog_info"
    #: program type
    type: int | None
    #: program
    id: int | None
    #: hash of the program
    tag: bytes | None
    #: bytes of machine code
    jited_prog_len: int | None
    #: bytes of BPF code
    xlated_prog_len: int | None
    #: where the machine code is
    jited_prog_insns: int | None
    #: where the BPF code is
    xlated_prog_insns: int | None
    #: nanoseconds
    load_time: int | None
    #: user
    created_by_uid: int | None
    #: maps
    nr_map_ids: int | None
    #: where the ids of maps are
    map_ids: int | None
    #: name, NUL padded
    name: bytes | None
    #: network device
    ifindex: int | None
    #: flags
    bits: int | None
    #: network namespace
    netns_dev: int | None
    #: network namespace
    netns_ino: int | None
    #: functions
    nr_jited_ksyms: int | None
    #: functions
    nr_jited_func_lens: int | None
    #: where the addresses of functions are
    jited_ksyms: int | None
    #: where the lengths of functions are
    jited_func_lens: int | None
    #: type data
    btf_id: int | None
    #: bytes of an entry
    func_info_rec_size: int | None
    #: where the types of functions are
    func_info: int | None
    #: entries
    nr_func_info: int | None
    #: entries
    nr_line_info: int | None
    #: where the lines of BPF code are
    line_info: int | None
    #: where the lines of machine code are
    jited_line_info: int | None
    #: entries
    nr_jited_line_info: int | None
    #: bytes of an entry
    line_info_rec_size: int | None
    #: bytes of an entry
    jited_line_info_rec_size: int | None
    #: tags
    nr_prog_tags: int | None
    #: where the tags are
    prog_tags: int | None
    #: nanoseconds run
    run_time_ns: int | None
    #: runs
    run_cnt: int | None
    #: runs left out, for recursion
    recursion_misses: int | None
    #: instructions verified
    verified_insns: int | None
    #: what it is attached to
    attach_btf_obj_id: int | None
    #: what it is attached to
    attach_btf_id: int | None
    #: bytes behind the known fields
    tail: bytes | None


class BpfProg(Part):
    """A BPF program."""

    LAYOUT = "bpf_prog"
    PARTS = {
        "info": "BpfProgInfo",
    }
    #: bytes of info
    info_len: int | None
    #: bytes of data
    data_len: int | None
    #: arrays that data has
    arrays: int | None
    #: description
    info: BpfProgInfo | None
    #: arrays in the recording's byte order, each padded to 8 bytes
    data: bytes | None


class BpfBtf(Part):
    """Type data of BPF programs."""

    LAYOUT = "bpf_btf"
    #: as in bpf_prog_info
    id: int | None
    #: bytes
    data_size: int | None
    #: type data of the writer's byte order
    data: bytes | None


class NameValue(Part):
    """A capability."""

    LAYOUT = "name_value"
    #: name
    name: str | None
    #: value
    value: str | None


class HybridPmu(Part):
    """Cpus of a PMU."""

    LAYOUT = "hybrid_pmu"
    #: PMU
    pmu_name: str | None
    #: list of cpus
    cpus: str | None


class PmuCaps(Part):
    """Capabilities of a PMU."""

    LAYOUT = "pmu_caps"
    PARTS = {
        "caps": "NameValue",
    }
    #: capabilities
    nr_caps: int | None
    #: the capabilities
    caps: list[NameValue] | None
    #: PMU
    pmu_name: str | None


class CpuDomain(Part):
    """A scheduler domain."""

    LAYOUT = "cpu_domain"
    #: version of /proc/schedstat
    schedstat_version: int | None
    #: number
    domain: int | None
    #: name
    dname: str | None
    #: cpus as a mask in hexadecimal
    cpumask: str | None
    #: cpus as a list
    cpulist: str | None


class CpuDomains(Part):
    """The scheduler domains of a cpu."""

    LAYOUT = "cpu_domains"
    PARTS = {
        "domains": "CpuDomain",
    }
    #: cpu
    cpu: int | None
    #: domains
    nr_domains: int | None
    #: the domains
    domains: list[CpuDomain] | None


class SimpleperfFileSymbol(Part):
    """A symbol."""

    LAYOUT = "simpleperf_file_symbol"
    #: start
    vaddr: int | None
    #: bytes
    len: int | None
    #: symbol
    name: str | None


class SimpleperfFile(Part):
    """A file and its symbols."""

    LAYOUT = "simpleperf_file"
    PARTS = {
        "symbols": "SimpleperfFileSymbol",
    }
    #: path
    path: str | None
    #: kind
    type: int | None
    #: lowest address of its code
    min_vaddr: int | None
    #: symbols
    symbol_count: int | None
    #: the symbols
    symbols: list[SimpleperfFileSymbol] | None
    #: parts
    nr_dex_offsets: int | None
    #: offsets of the parts in the file
    dex_offsets: list[int] | None
    #: newer writers
    has_file_offset: int | None
    #: offset in the file
    file_offset_of_min_vaddr: int | None
    #: newer writers
    has_memory_offset: int | None
    #: offset in memory
    memory_offset_of_min_vaddr: int | None
    #: bytes behind the known fields
    tail: bytes | None


class SimpleperfFileEntry(Part):
    """A file with its size."""

    LAYOUT = "simpleperf_file_entry"
    PARTS = {
        "file": "SimpleperfFile",
    }
    #: bytes of the file's description
    size: int | None
    #: the file
    file: SimpleperfFile | None


class MetaInfo(Part):
    """A key and its value."""

    LAYOUT = "meta_info"
    #: key
    key: str | None
    #: value
    value: str | None


class Varint(Part):
    """One of several numbers."""

    LAYOUT = "varint"
    #: number
    value: int | None


class SimpleperfUnwindFileField(Part):
    """A field of DebugUnwindFeature.File."""

    LAYOUT = "simpleperf_unwind_file_field"
    #: the field: 8 * its number + wire type
    key: int | None
    #: how the value of a field without a name is stored; 8: it has one
    wire_type: int | None
    #: path
    path: str | None
    #: bytes of it in DEBUG_UNWIND_FILE
    size: int | None
    #: number
    value: int | None
    #: number
    value64: int | None
    #: bytes
    data_size: int | None
    #: text, bytes or a message
    data: bytes | None
    #: number
    value32: int | None


class SimpleperfUnwindField(Part):
    """A field of DebugUnwindFeature."""

    LAYOUT = "simpleperf_unwind_field"
    PARTS = {
        "file": "SimpleperfUnwindFileField",
    }
    #: the field: 8 * its number + wire type
    key: int | None
    #: how the value of a field without a name is stored; 8: it has one
    wire_type: int | None
    #: a file
    file: list[SimpleperfUnwindFileField] | None
    #: number
    value: int | None
    #: number
    value64: int | None
    #: bytes
    data_size: int | None
    #: text, bytes or a message
    data: bytes | None
    #: number
    value32: int | None


class SimpleperfSymbolField(Part):
    """A field of FileFeature.Symbol."""

    LAYOUT = "simpleperf_symbol_field"
    #: the field: 8 * its number + wire type
    key: int | None
    #: how the value of a field without a name is stored; 8: it has one
    wire_type: int | None
    #: start
    vaddr: int | None
    #: bytes
    len: int | None
    #: symbol
    name: str | None
    #: number
    value: int | None
    #: number
    value64: int | None
    #: bytes
    data_size: int | None
    #: text, bytes or a message
    data: bytes | None
    #: number
    value32: int | None


class SimpleperfDexField(Part):
    """A field of FileFeature.DexFile."""

    LAYOUT = "simpleperf_dex_field"
    PARTS = {
        "dex_file_offsets": "Varint",
    }
    #: the field: 8 * its number + wire type
    key: int | None
    #: how the value of a field without a name is stored; 8: it has one
    wire_type: int | None
    #: offset of a part in the file
    dex_file_offset: int | None
    #: the same, packed
    dex_file_offsets: list[Varint] | None
    #: number
    value: int | None
    #: number
    value64: int | None
    #: bytes
    data_size: int | None
    #: text, bytes or a message
    data: bytes | None
    #: number
    value32: int | None


class SimpleperfElfField(Part):
    """A field of FileFeature.ElfFile."""

    LAYOUT = "simpleperf_elf_field"
    #: the field: 8 * its number + wire type
    key: int | None
    #: how the value of a field without a name is stored; 8: it has one
    wire_type: int | None
    #: offset in the file
    file_offset_of_min_vaddr: int | None
    #: number
    value: int | None
    #: number
    value64: int | None
    #: bytes
    data_size: int | None
    #: text, bytes or a message
    data: bytes | None
    #: number
    value32: int | None


class SimpleperfModuleField(Part):
    """A field of FileFeature.KernelModule."""

    LAYOUT = "simpleperf_module_field"
    #: the field: 8 * its number + wire type
    key: int | None
    #: how the value of a field without a name is stored; 8: it has one
    wire_type: int | None
    #: offset in memory
    memory_offset_of_min_vaddr: int | None
    #: number
    value: int | None
    #: number
    value64: int | None
    #: bytes
    data_size: int | None
    #: text, bytes or a message
    data: bytes | None
    #: number
    value32: int | None


class SimpleperfFileField(Part):
    """A field of FileFeature."""

    LAYOUT = "simpleperf_file_field"
    PARTS = {
        "symbol": "SimpleperfSymbolField",
        "dex_file": "SimpleperfDexField",
        "elf_file": "SimpleperfElfField",
        "kernel_module": "SimpleperfModuleField",
    }
    #: the field: 8 * its number + wire type
    key: int | None
    #: how the value of a field without a name is stored; 8: it has one
    wire_type: int | None
    #: path
    path: str | None
    #: kind
    type: int | None
    #: lowest address of its code
    min_vaddr: int | None
    #: a symbol
    symbol: list[SimpleperfSymbolField] | None
    #: of a DEX file
    dex_file: list[SimpleperfDexField] | None
    #: of an ELF file
    elf_file: list[SimpleperfElfField] | None
    #: of a kernel module
    kernel_module: list[SimpleperfModuleField] | None
    #: number
    value: int | None
    #: number
    value64: int | None
    #: bytes
    data_size: int | None
    #: text, bytes or a message
    data: bytes | None
    #: number
    value32: int | None


class SimpleperfFileMessage(Part):
    """FileFeature: a file and its symbols."""

    LAYOUT = "simpleperf_file_message"
    PARTS = {
        "fields": "SimpleperfFileField",
    }
    #: its fields
    fields: list[SimpleperfFileField] | None


class SimpleperfFile2(Part):
    """A file and its symbols."""

    LAYOUT = "simpleperf_file2"
    PARTS = {
        "message": "SimpleperfFileMessage",
    }
    #: bytes of the message
    size: int | None
    #: the file
    message: SimpleperfFileMessage | None


class SimpleperfEtmBranchField(Part):
    """A field of ETMBinary.Address.Branch."""

    LAYOUT = "simpleperf_etm_branch_field"
    #: the field: 8 * its number + wire type
    key: int | None
    #: how the value of a field without a name is stored; 8: it has one
    wire_type: int | None
    #: bytes
    branch_bytes: int | None
    #: a bit for each branch, the lowest first: 1 taken
    branch: bytes | None
    #: bits
    branch_size: int | None
    #: number of times
    count: int | None
    #: number
    value: int | None
    #: number
    value64: int | None
    #: bytes
    data_size: int | None
    #: text, bytes or a message
    data: bytes | None
    #: number
    value32: int | None


class SimpleperfEtmAddressField(Part):
    """A field of ETMBinary.Address."""

    LAYOUT = "simpleperf_etm_address_field"
    PARTS = {
        "branches": "SimpleperfEtmBranchField",
    }
    #: the field: 8 * its number + wire type
    key: int | None
    #: how the value of a field without a name is stored; 8: it has one
    wire_type: int | None
    #: address before the first branch
    addr: int | None
    #: branches from there
    branches: list[SimpleperfEtmBranchField] | None
    #: number
    value: int | None
    #: number
    value64: int | None
    #: bytes
    data_size: int | None
    #: text, bytes or a message
    data: bytes | None
    #: number
    value32: int | None


class SimpleperfKernelInfoField(Part):
    """A field of ETMBinary.KernelBinaryInfo."""

    LAYOUT = "simpleperf_kernel_info_field"
    #: the field: 8 * its number + wire type
    key: int | None
    #: how the value of a field without a name is stored; 8: it has one
    wire_type: int | None
    #: where the kernel was; 0: addresses are those of vmlinux
    kernel_start_addr: int | None
    #: number
    value: int | None
    #: number
    value64: int | None
    #: bytes
    data_size: int | None
    #: text, bytes or a message
    data: bytes | None
    #: number
    value32: int | None


class SimpleperfEtmBinaryField(Part):
    """A field of ETMBinary."""

    LAYOUT = "simpleperf_etm_binary_field"
    PARTS = {
        "addrs": "SimpleperfEtmAddressField",
        "kernel_info": "SimpleperfKernelInfoField",
    }
    #: the field: 8 * its number + wire type
    key: int | None
    #: how the value of a field without a name is stored; 8: it has one
    wire_type: int | None
    #: path
    path: str | None
    #: build id in hexadecimal
    build_id: str | None
    #: branches from an address on
    addrs: list[SimpleperfEtmAddressField] | None
    #: kind
    type: int | None
    #: of a kernel
    kernel_info: list[SimpleperfKernelInfoField] | None
    #: number
    value: int | None
    #: number
    value64: int | None
    #: bytes
    data_size: int | None
    #: text, bytes or a message
    data: bytes | None
    #: number
    value32: int | None


class SimpleperfLbrBranchField(Part):
    """A field of LBRData.Sample.Branch."""

    LAYOUT = "simpleperf_lbr_branch_field"
    #: the field: 8 * its number + wire type
    key: int | None
    #: how the value of a field without a name is stored; 8: it has one
    wire_type: int | None
    #: binary, from 1
    from_binary_id: int | None
    #: binary, from 1
    to_binary_id: int | None
    #: address
    from_vaddr_in_file: int | None
    #: address
    to_vaddr_in_file: int | None
    #: number
    value: int | None
    #: number
    value64: int | None
    #: bytes
    data_size: int | None
    #: text, bytes or a message
    data: bytes | None
    #: number
    value32: int | None


class SimpleperfLbrSampleField(Part):
    """A field of LBRData.Sample."""

    LAYOUT = "simpleperf_lbr_sample_field"
    PARTS = {
        "branches": "SimpleperfLbrBranchField",
    }
    #: the field: 8 * its number + wire type
    key: int | None
    #: how the value of a field without a name is stored; 8: it has one
    wire_type: int | None
    #: binary, from 1
    binary_id: int | None
    #: address
    vaddr_in_file: int | None
    #: a branch
    branches: list[SimpleperfLbrBranchField] | None
    #: number
    value: int | None
    #: number
    value64: int | None
    #: bytes
    data_size: int | None
    #: text, bytes or a message
    data: bytes | None
    #: number
    value32: int | None


class SimpleperfLbrBinaryField(Part):
    """A field of LBRData.Binary."""

    LAYOUT = "simpleperf_lbr_binary_field"
    #: the field: 8 * its number + wire type
    key: int | None
    #: how the value of a field without a name is stored; 8: it has one
    wire_type: int | None
    #: path
    path: str | None
    #: build id in hexadecimal
    build_id: str | None
    #: number
    value: int | None
    #: number
    value64: int | None
    #: bytes
    data_size: int | None
    #: text, bytes or a message
    data: bytes | None
    #: number
    value32: int | None


class SimpleperfLbrField(Part):
    """A field of LBRData."""

    LAYOUT = "simpleperf_lbr_field"
    PARTS = {
        "samples": "SimpleperfLbrSampleField",
        "binaries": "SimpleperfLbrBinaryField",
    }
    #: the field: 8 * its number + wire type
    key: int | None
    #: how the value of a field without a name is stored; 8: it has one
    wire_type: int | None
    #: a sample
    samples: list[SimpleperfLbrSampleField] | None
    #: a binary
    binaries: list[SimpleperfLbrBinaryField] | None
    #: number
    value: int | None
    #: number
    value64: int | None
    #: bytes
    data_size: int | None
    #: text, bytes or a message
    data: bytes | None
    #: number
    value32: int | None


class SimpleperfBranchListField(Part):
    """A field of BranchList."""

    LAYOUT = "simpleperf_branch_list_field"
    PARTS = {
        "etm_data": "SimpleperfEtmBinaryField",
        "lbr_data": "SimpleperfLbrField",
    }
    #: the field: 8 * its number + wire type
    key: int | None
    #: how the value of a field without a name is stored; 8: it has one
    wire_type: int | None
    #: simpleperf:EtmBranchList
    magic: str | None
    #: a binary
    etm_data: list[SimpleperfEtmBinaryField] | None
    #: from branch stacks
    lbr_data: list[SimpleperfLbrField] | None
    #: number
    value: int | None
    #: number
    value64: int | None
    #: bytes
    data_size: int | None
    #: text, bytes or a message
    data: bytes | None
    #: number
    value32: int | None


class FeatureTracingData(Part):
    """Formats of tracepoints, and the kernel's symbols; its numbers have their own byte order."""

    LAYOUT = "feature_tracing_data"
    FEATURE = 1
    PARTS = {
        "ftrace": "FormatFile",
        "systems": "EventSystem",
    }
    #: 17 08 44
    magic: bytes | None
    #: tracing
    name: bytes | None
    #: 0.5 or 0.6
    version: str | None
    #: byte order of what follows: 0 little, 1 big
    bigendian: int | None
    #: bytes of a long
    long_size: int | None
    #: bytes of a page
    page_size: int | None
    #: header_page
    header_page_name: str | None
    #: bytes
    header_page_size: int | None
    #: format of a page of the ring buffer
    header_page: bytes | None
    #: header_event
    header_event_name: str | None
    #: bytes
    header_event_size: int | None
    #: format of a record's header in the ring buffer
    header_event: bytes | None
    #: formats of ftrace
    nr_ftrace: int | None
    #: formats of ftrace's own events
    ftrace: list[FormatFile] | None
    #: subsystems
    nr_systems: int | None
    #: the events by subsystem
    systems: list[EventSystem] | None
    #: bytes
    kallsyms_size: int | None
    #: the kernel's symbols
    kallsyms: bytes | None
    #: bytes
    printk_size: int | None
    #: format strings of trace_printk
    printk: bytes | None
    #: version 0.6
    has_cmdlines: int | None
    #: bytes
    cmdlines_size: int | None
    #: pids and names of tasks
    cmdlines: bytes | None


class FeatureBuildId(Part):
    """Build ids of the files that samples hit."""

    LAYOUT = "feature_build_id"
    FEATURE = 2
    PARTS = {
        "entries": "BuildIdEntry",
    }
    #: the files
    entries: list[BuildIdEntry] | None


class FeatureHostname(Part):
    """Host name."""

    LAYOUT = "feature_hostname"
    FEATURE = 3
    #: host name
    text: str | None


class FeatureOsrelease(Part):
    """Kernel release."""

    LAYOUT = "feature_osrelease"
    FEATURE = 4
    #: kernel release
    text: str | None


class FeatureVersion(Part):
    """Version of perf."""

    LAYOUT = "feature_version"
    FEATURE = 5
    #: version of perf
    text: str | None


class FeatureArch(Part):
    """Machine name of uname."""

    LAYOUT = "feature_arch"
    FEATURE = 6
    #: x86_64, aarch64, …
    text: str | None


class FeatureNrcpus(Part):
    """Number of cpus."""

    LAYOUT = "feature_nrcpus"
    FEATURE = 7
    #: cpus available
    nr_cpus_avail: int | None
    #: cpus online
    nr_cpus_online: int | None


class FeatureCpudesc(Part):
    """Model of the cpu."""

    LAYOUT = "feature_cpudesc"
    FEATURE = 8
    #: model of the cpu
    text: str | None


class FeatureCpuid(Part):
    """Id of the cpu."""

    LAYOUT = "feature_cpuid"
    FEATURE = 9
    #: on x86 vendor,family,model,stepping
    text: str | None


class FeatureTotalMem(Part):
    """Memory."""

    LAYOUT = "feature_total_mem"
    FEATURE = 10
    #: kB
    total_mem: int | None


class FeatureCmdline(Part):
    """Command line of perf."""

    LAYOUT = "feature_cmdline"
    FEATURE = 11
    PARTS = {
        "args": "String",
    }
    #: words
    nr: int | None
    #: the words; the first is the path of perf
    args: list[String] | None


class FeatureEventDesc(Part):
    """Attrs, names and ids of the events."""

    LAYOUT = "feature_event_desc"
    FEATURE = 12
    PARTS = {
        "events": "EventDesc",
    }
    #: events
    nr_events: int | None
    #: bytes of each attr
    attr_size: int | None
    #: the events, as in the attrs section
    events: list[EventDesc] | None


class FeatureCpuTopology(Part):
    """Sockets, dies and cores."""

    LAYOUT = "feature_cpu_topology"
    FEATURE = 13
    PARTS = {
        "sockets": "String",
        "cores": "String",
        "cpus": "CpuTopologyCpu",
        "dies": "String",
    }
    #: cpus available, from NRCPUS; 0 when not known
    nr_cpus_avail: int | None
    #: lists
    nr_sockets: int | None
    #: lists of the cpus of each socket
    sockets: list[String] | None
    #: lists
    nr_cores: int | None
    #: lists of the cpus of each core
    cores: list[String] | None
    #: perf 3.19 and later
    has_cpus: int | None
    #: core and socket of each cpu
    cpus: list[CpuTopologyCpu] | None
    #: perf 5.3 and later, on machines with dies
    has_dies: int | None
    #: lists
    nr_dies: int | None
    #: lists of the cpus of each die
    dies: list[String] | None
    #: die of each cpu
    die_ids: list[int] | None


class FeatureNumaTopology(Part):
    """NUMA nodes."""

    LAYOUT = "feature_numa_topology"
    FEATURE = 14
    PARTS = {
        "nodes": "NumaNode",
    }
    #: nodes
    nr: int | None
    #: the nodes
    nodes: list[NumaNode] | None


class FeatureBranchStack(Part):
    """Samples have branch stacks; the section is empty."""

    LAYOUT = "feature_branch_stack"
    FEATURE = 15


class FeaturePmuMappings(Part):
    """Numbers and names of PMUs."""

    LAYOUT = "feature_pmu_mappings"
    FEATURE = 16
    PARTS = {
        "pmus": "PmuMapping",
        "uncounted": "PmuMapping",
    }
    #: PMUs; some writers left it 0
    nr: int | None
    #: the PMUs
    pmus: list[PmuMapping] | None
    #: the PMUs, in streams of perf before 4.14
    uncounted: list[PmuMapping] | None


class FeatureGroupDesc(Part):
    """Groups of events."""

    LAYOUT = "feature_group_desc"
    FEATURE = 17
    PARTS = {
        "groups": "GroupDesc",
    }
    #: groups
    nr_groups: int | None
    #: the groups
    groups: list[GroupDesc] | None


class FeatureAuxtrace(Part):
    """Index of the AUXTRACE records."""

    LAYOUT = "feature_auxtrace"
    FEATURE = 18
    PARTS = {
        "entries": "AuxtraceIndexEntry",
        "all_entries": "AuxtraceIndexEntry",
    }
    #: simpleperf leaves the count out
    has_nr: int | None
    #: entries
    nr: int | None
    #: the records
    entries: list[AuxtraceIndexEntry] | None
    #: the records
    all_entries: list[AuxtraceIndexEntry] | None


class FeatureStat(Part):
    """Made by perf stat record; the section is empty."""

    LAYOUT = "feature_stat"
    FEATURE = 19


class FeatureCache(Part):
    """Caches."""

    LAYOUT = "feature_cache"
    FEATURE = 20
    PARTS = {
        "caches": "CacheLevel",
    }
    #: 1
    version: int | None
    #: caches
    nr: int | None
    #: the caches
    caches: list[CacheLevel] | None


class FeatureSampleTime(Part):
    """Times of the first and the last sample."""

    LAYOUT = "feature_sample_time"
    FEATURE = 21
    #: nanoseconds
    first: int | None
    #: nanoseconds
    last: int | None


class FeatureMemTopology(Part):
    """Memory blocks of the nodes."""

    LAYOUT = "feature_mem_topology"
    FEATURE = 22
    PARTS = {
        "nodes": "MemoryNode",
    }
    #: 1
    version: int | None
    #: bytes of a block
    block_size_bytes: int | None
    #: nodes
    nr: int | None
    #: the nodes
    nodes: list[MemoryNode] | None


class FeatureClockid(Part):
    """Resolution of the clock."""

    LAYOUT = "feature_clockid"
    FEATURE = 23
    #: nanoseconds
    resolution: int | None


class FeatureDirFormat(Part):
    """Version of the directory format."""

    LAYOUT = "feature_dir_format"
    FEATURE = 24
    #: 0: only `data` has records; 1: `data.N` too
    version: int | None


class FeatureBpfProgInfo(Part):
    """BPF programs."""

    LAYOUT = "feature_bpf_prog_info"
    FEATURE = 25
    PARTS = {
        "programs": "BpfProg",
    }
    #: programs
    count: int | None
    #: the programs
    programs: list[BpfProg] | None


class FeatureBpfBtf(Part):
    """Type data of BPF programs."""

    LAYOUT = "feature_bpf_btf"
    FEATURE = 26
    PARTS = {
        "entries": "BpfBtf",
    }
    #: entries
    count: int | None
    #: the type data
    entries: list[BpfBtf] | None


class FeatureCompressed(Part):
    """How records are compressed."""

    LAYOUT = "feature_compressed"
    FEATURE = 27
    #: 0
    version: int | None
    #: way of compression
    type: int | None
    #: level
    level: int | None
    #: achieved, rounded
    ratio: int | None
    #: bytes of a ring buffer
    mmap_len: int | None


class FeatureCpuPmuCaps(Part):
    """Capabilities of the cpu PMU."""

    LAYOUT = "feature_cpu_pmu_caps"
    FEATURE = 28
    PARTS = {
        "caps": "NameValue",
    }
    #: capabilities
    nr: int | None
    #: the capabilities
    caps: list[NameValue] | None


class FeatureClockData(Part):
    """Wall clock and the recording's clock at the same moment."""

    LAYOUT = "feature_clock_data"
    FEATURE = 29
    #: 1
    version: int | None
    #: the recording's clock
    clockid: int | None
    #: nanoseconds since 1970
    wall_clock_ns: int | None
    #: nanoseconds of the recording's clock
    clockid_time_ns: int | None


class FeatureHybridTopology(Part):
    """Cpus of each PMU."""

    LAYOUT = "feature_hybrid_topology"
    FEATURE = 30
    PARTS = {
        "pmus": "HybridPmu",
    }
    #: PMUs
    nr: int | None
    #: the PMUs
    pmus: list[HybridPmu] | None


class FeaturePmuCaps(Part):
    """Capabilities of each PMU."""

    LAYOUT = "feature_pmu_caps"
    FEATURE = 31
    PARTS = {
        "pmus": "PmuCaps",
    }
    #: PMUs
    nr_pmus: int | None
    #: the PMUs
    pmus: list[PmuCaps] | None


class FeatureCpuDomainInfo(Part):
    """Scheduler domains."""

    LAYOUT = "feature_cpu_domain_info"
    FEATURE = 32
    PARTS = {
        "cpus": "CpuDomains",
    }
    #: version of /proc/schedstat
    schedstat_version: int | None
    #: highest number of a domain + 1
    max_sched_domains: int | None
    #: the cpus; their number is not stored
    cpus: list[CpuDomains] | None


class FeatureEMachine(Part):
    """ELF machine of the recorded program."""

    LAYOUT = "feature_e_machine"
    FEATURE = 33
    #: number of the machine
    e_machine: int | None
    #: flags
    e_flags: int | None


class FeatureClnSize(Part):
    """Cache line size."""

    LAYOUT = "feature_cln_size"
    FEATURE = 34
    #: bytes
    cln_size: int | None


class FeatureSimpleperfFile(Part):
    """Files and their symbols."""

    LAYOUT = "feature_simpleperf_file"
    FEATURE = 128
    PARTS = {
        "files": "SimpleperfFileEntry",
    }
    #: the files
    files: list[SimpleperfFileEntry] | None


class FeatureSimpleperfMetaInfo(Part):
    """Keys and values."""

    LAYOUT = "feature_simpleperf_meta_info"
    FEATURE = 129
    PARTS = {
        "entries": "MetaInfo",
    }
    #: the keys and values
    entries: list[MetaInfo] | None


class FeatureSimpleperfDebugUnwind(Part):
    """Files kept for unwinding, as protobuf."""

    LAYOUT = "feature_simpleperf_debug_unwind"
    FEATURE = 130
    PARTS = {
        "fields": "SimpleperfUnwindField",
    }
    #: the fields of DebugUnwindFeature
    fields: list[SimpleperfUnwindField] | None


class FeatureSimpleperfDebugUnwindFile(Part):
    """Bytes of the files kept for unwinding."""

    LAYOUT = "feature_simpleperf_debug_unwind_file"
    FEATURE = 131
    #: the files, one after another
    data: bytes | None


class FeatureSimpleperfFile2(Part):
    """Files and their symbols, as protobuf."""

    LAYOUT = "feature_simpleperf_file2"
    FEATURE = 132
    PARTS = {
        "files": "SimpleperfFile2",
    }
    #: the files
    files: list[SimpleperfFile2] | None


class FeatureSimpleperfEtmBranchList(Part):
    """Branches from ETM data, as protobuf."""

    LAYOUT = "feature_simpleperf_etm_branch_list"
    FEATURE = 133
    PARTS = {
        "fields": "SimpleperfBranchListField",
    }
    #: the fields of BranchList
    fields: list[SimpleperfBranchListField] | None


class FeatureSimpleperfInitMap(Part):
    """Records of the state at the start."""

    LAYOUT = "feature_simpleperf_init_map"
    FEATURE = 134
    #: MMAP, MMAP2 and COMM records
    data: bytes | None


RECORDS = {c.TYPE: c for c in list(globals().values()) if hasattr(c, "TYPE") and c.TYPE}
FEATURES = {c.FEATURE: c for c in list(globals().values()) if hasattr(c, "FEATURE")}
