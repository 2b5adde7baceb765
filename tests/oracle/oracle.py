"""Shared by the oracle tests: the environment, the recordings they make, and `perfdata dump --json` as plain
numbers.

The names below were written from the format's documentation, not from the project's schema: they also test
that perfdata writes the bits of a word under their right names. A name that is not here is an error, never
ignored.

Not executable, so that it is not a test itself.
"""

import atexit
import collections
import concurrent.futures
import contextlib
import fcntl
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading

SKIP = 77
HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ.get("PERFDATA_SOURCE") or HERE.parent.parent)
PERFDATA = os.environ.get("PERFDATA") or "perfdata"
U32, U64 = (1 << 32) - 1, (1 << 64) - 1


FULL = os.environ.get("PERFDATA_TEST_EFFORT") == "full"


def seed():
    """The seed of random data: always the same, with full effort another one each time."""
    number = int(os.environ.get("PERFDATA_SEED") or (random.randrange(1 << 32) if FULL else 1))
    print(f"PERFDATA_SEED={number}", flush=True)
    return number


class Bad(Exception):
    """A program printed something wrong."""


# ----------------------------------------------------------------------------------------------------
# Reporting
# ----------------------------------------------------------------------------------------------------


class Report:
    """Counts what was compared, and shows the first differences."""

    LIMIT = 20

    def __init__(self):
        self.counts = collections.Counter()
        self.differences = 0
        self.skipped = []
        self.noted = collections.Counter()

    def same(self, kind, where, field, ours, theirs):
        self.counts[kind] += 1
        if ours != theirs:
            self.differ(where, field, f"ours {show(ours)}, theirs {show(theirs)}")
            return False
        return True

    def differ(self, where, field, text):
        self.differences += 1
        if self.differences <= self.LIMIT:
            print(f"DIFFERENT: {where}: {field}: {text}", flush=True)

    def skip(self, text):
        print(f"SKIPPED: {text}", flush=True)
        self.skipped.append(text)

    def note(self, text):
        """A known difference of perf's own, counted."""
        self.noted[text] += 1

    def add(self, other):
        self.counts += other.counts
        self.noted += other.noted
        self.differences += other.differences
        self.skipped += other.skipped

    def need(self, minimum):
        """An empty comparison is a failure: of each kind at least so many values must have been compared."""
        for kind, count in minimum.items():
            if self.counts[kind] < count:
                self.differ(
                    "all files", kind, f"only {self.counts[kind]} values compared, {count} expected at least"
                )

    def finish(self):
        for kind, count in sorted(self.counts.items()):
            print(f"compared {count:9} {kind}")
        for text, count in sorted(self.noted.items()):
            print(f"noted    {count:9} {text}")
        for text in self.skipped:
            print(f"SKIPPED: {text}")
        if self.differences:
            print(f"FAILED: {self.differences} differences")
            return 1
        print(f"OK: {sum(self.counts.values())} values compared")
        return 0


def show(value):
    text = hex(value) if isinstance(value, int) and value > 4096 else repr(value)
    return text if len(text) < 160 else text[:150] + "…"


def fail(text):
    print(f"FAILED: {text}", flush=True)
    sys.exit(1)


def skip(text):
    print(f"SKIPPED: {text}", flush=True)
    sys.exit(SKIP)


# ----------------------------------------------------------------------------------------------------
# Names
# ----------------------------------------------------------------------------------------------------


def flags(names, first=0):
    return {name: (bit, 1, None) for bit, name in enumerate(names.split(), first) if name != "-"}


def enum(names, first=0):
    return {name: value for value, name in enumerate(names.split(), first) if name != "-"}


RECORD_TYPES = (
    enum(
        """
    MMAP LOST COMM EXIT THROTTLE UNTHROTTLE FORK READ SAMPLE MMAP2 AUX ITRACE_START LOST_SAMPLES SWITCH
    SWITCH_CPU_WIDE NAMESPACES KSYMBOL BPF_EVENT CGROUP TEXT_POKE AUX_OUTPUT_HW_ID CALLCHAIN_DEFERRED""",
        1,
    )
    | enum(
        """
    HEADER_ATTR HEADER_EVENT_TYPE HEADER_TRACING_DATA HEADER_BUILD_ID FINISHED_ROUND ID_INDEX AUXTRACE_INFO
    AUXTRACE AUXTRACE_ERROR THREAD_MAP CPU_MAP STAT_CONFIG STAT STAT_ROUND EVENT_UPDATE TIME_CONV
    HEADER_FEATURE COMPRESSED FINISHED_INIT COMPRESSED2 BPF_METADATA SCHEDSTAT_CPU SCHEDSTAT_DOMAIN""",
        64,
    )
    | enum(
        """
    SIMPLEPERF_KERNEL_SYMBOL SIMPLEPERF_DSO SIMPLEPERF_SYMBOL SIMPLEPERF_SPLIT SIMPLEPERF_SPLIT_END
    SIMPLEPERF_EVENT_ID SIMPLEPERF_CALLCHAIN SIMPLEPERF_UNWINDING_RESULT SIMPLEPERF_TRACING_DATA
    SIMPLEPERF_DEBUG""",
        32769,
    )
)
TYPE_NAMES = {number: name for name, number in RECORD_TYPES.items()}

CPUMODE = enum("UNKNOWN KERNEL USER HYPERVISOR GUEST_KERNEL GUEST_USER")
# misc: one dictionary a record type, because bits 13 and 14 mean something else in each
MISC = {name: {"cpumode": (0, 3, CPUMODE)} for name in RECORD_TYPES}
MISC["MMAP"] |= flags("proc_map_parse_timeout mmap_data", 12)
MISC["MMAP2"] |= flags("proc_map_parse_timeout mmap_data mmap_build_id", 12)
MISC["COMM"] |= flags("comm_exec", 13)
MISC["FORK"] |= flags("fork_exec", 13)
MISC["SWITCH"] |= flags("switch_out switch_out_preempt", 13)
MISC["SWITCH_CPU_WIDE"] |= flags("switch_out switch_out_preempt", 13)
MISC["SAMPLE"] |= flags("exact_ip", 14)
MISC["LOST_SAMPLES"] |= flags("lost_samples_bpf", 15)
MISC["HEADER_BUILD_ID"] |= flags("build_id_size", 15)

PRECISE_IP = enum("ARBITRARY_SKID CONSTANT_SKID REQUESTED_ZERO_SKID ZERO_SKID")
ATTR_FLAGS = (
    flags(
        """
    disabled inherit pinned exclusive exclude_user exclude_kernel exclude_hv exclude_idle mmap comm freq
    inherit_stat enable_on_exec task watermark"""
    )
    | {"precise_ip": (15, 2, PRECISE_IP)}
    | flags(
        """
    mmap_data sample_id_all exclude_host exclude_guest exclude_callchain_kernel exclude_callchain_user mmap2
    comm_exec use_clockid context_switch write_backward namespaces ksymbol bpf_event aux_output cgroup
    text_poke build_id inherit_thread remove_on_exec sigtrap defer_callchain defer_output""",
        17,
    )
    | {"reserved_1": (40, 24, None)}
)
AUX_ACTION = flags("aux_start_paused aux_pause aux_resume") | {"reserved": (3, 29, None)}

BRANCH_TYPE = enum(
    """
    UNKNOWN COND UNCOND IND CALL IND_CALL RET SYSCALL SYSRET COND_CALL COND_RET ERET IRQ SERROR NO_TX
    EXTEND_ABI"""
)
BRANCH_FLAGS = flags("mispred predicted in_tx abort") | {
    "cycles": (4, 16, None),
    "type": (20, 4, BRANCH_TYPE),
    "spec": (24, 2, enum("SPEC_NA SPEC_WRONG_PATH NON_SPEC_CORRECT_PATH SPEC_CORRECT_PATH")),
    "new_type": (26, 4, enum("FAULT_ALGN FAULT_DATA FAULT_INST ARCH_1 ARCH_2 ARCH_3 ARCH_4 ARCH_5")),
    "priv": (30, 3, enum("UNKNOWN USER KERNEL HV")),
    "reserved": (33, 31, None),
}

WEIGHT_STRUCT = {"var1_dw": (0, 32, None), "var2_w": (32, 16, None), "var3_w": (48, 16, None)}


def masks(names):
    return {name: 1 << bit for bit, name in enumerate(names.split())}


DATA_SRC = {
    "mem_op": (0, 5, masks("NA LOAD STORE PFETCH EXEC")),
    "mem_lvl": (5, 14, masks("NA HIT MISS L1 LFB L2 L3 LOC_RAM REM_RAM1 REM_RAM2 REM_CCE1 REM_CCE2 IO UNC")),
    "mem_snoop": (19, 5, masks("NA NONE HIT MISS HITM")),
    "mem_lock": (24, 2, masks("NA LOCKED")),
    "mem_dtlb": (26, 7, masks("NA HIT MISS L1 L2 WK OS")),
    "mem_lvl_num": (33, 4, enum("L1 L2 L3 L4 L2_MHB MSC L0 UNC CXL IO ANY_CACHE LFB RAM PMEM NA", 1)),
    "mem_remote": (37, 1, None),
    "mem_snoopx": (38, 2, masks("FWD PEER")),
    "mem_blk": (40, 3, masks("NA DATA ADDR")),
    "mem_hops": (43, 3, enum("HOPS_0 HOPS_1 HOPS_2 HOPS_3", 1)),
    "mem_region": (
        46,
        5,
        enum(
            """
        NA RSVD L_SHARE L_NON_SHARE O_IO O_SHARE O_NON_SHARE MMIO MEM0 MEM1 MEM2 MEM3 MEM4 MEM5 MEM6 MEM7"""
        ),
    ),
    "reserved": (51, 13, None),
}
TRANSACTION = flags("elision transaction sync async retry conflict capacity_write capacity_read") | {
    "reserved": (8, 24, None),
    "abort_code": (32, 32, None),
}
MMAP_FLAGS = {"type": (0, 4, {"SHARED": 1, "PRIVATE": 2, "SHARED_VALIDATE": 3, "DROPPABLE": 8})} | flags(
    "fixed anonymous - - growsdown - - denywrite executable locked noreserve populate nonblock stack "
    "hugetlb sync "
    "fixed_noreplace",
    4,
)
AUX_FLAGS = flags("truncated overwrite partial collision") | {
    "pmu_format": (8, 8, enum("CORESIGHT CORESIGHT_RAW"))
}
CONTEXT = {
    "HV": -32,
    "KERNEL": -128,
    "USER": -512,
    "USER_DEFERRED": -640,
    "GUEST": -2048,
    "GUEST_KERNEL": -2176,
    "GUEST_USER": -2560,
    "MAX": -4095,
}
CONTEXT = {name: value & U64 for name, value in CONTEXT.items()}
REGS_ABI = enum("NONE ABI_32 ABI_64") | {"SIMD": 4, "ABI_32_SIMD": 5, "ABI_64_SIMD": 6}
SAMPLE_TYPE = flags(
    """
    IP TID TIME ADDR READ CALLCHAIN ID CPU PERIOD STREAM_ID RAW BRANCH_STACK REGS_USER STACK_USER WEIGHT
    DATA_SRC IDENTIFIER TRANSACTION REGS_INTR PHYS_ADDR AUX CGROUP DATA_PAGE_SIZE CODE_PAGE_SIZE
    WEIGHT_STRUCT"""
)
READ_FORMAT = flags("TOTAL_TIME_ENABLED TOTAL_TIME_RUNNING ID GROUP LOST")
BRANCH_SAMPLE_TYPE = flags(
    """
    USER KERNEL HV ANY ANY_CALL ANY_RETURN IND_CALL ABORT_TX IN_TX NO_TX COND CALL_STACK IND_JUMP CALL
    NO_FLAGS NO_CYCLES TYPE_SAVE HW_INDEX PRIV_SAVE COUNTERS"""
)
CLOCKID = enum(
    "REALTIME MONOTONIC PROCESS_CPUTIME_ID THREAD_CPUTIME_ID MONOTONIC_RAW REALTIME_COARSE "
    "MONOTONIC_COARSE BOOTTIME REALTIME_ALARM BOOTTIME_ALARM SGI_CYCLE TAI"
)
ATTR_SIZES = {f"VER{i}": size for i, size in enumerate((64, 72, 80, 96, 104, 112, 120, 128, 136, 144))}


class Word:
    """A word of named bits, as text "name|name=value|name=A+B", or an enumeration (a dictionary)."""

    def __init__(self, layout, split=False):
        self.layout, self.is_split = layout, split

    def parse(self, text):
        value = 0
        for item in text.split("|"):
            name, equals, word = item.partition("=")
            if not equals and re.fullmatch(r"0x[0-9a-f]+|\d+", name):
                value |= int(name, 0)
                continue
            if name not in self.layout:
                raise Bad(f"no such name: {item!r} in {text!r}")
            low, width, names = self.layout[name]
            part = 0 if equals else 1
            if not equals and width != 1:
                raise Bad(f"{item!r} in {text!r} has no value")
            for one in word.split("+") if equals else []:
                part |= names[one] if names and one in names else int(one, 0)
            if part >> width:
                raise Bad(f"{item!r} in {text!r} does not fit its {width} bits")
            value |= part << low
        return value

    def split(self, value):
        return {name: value >> low & ((1 << width) - 1) for name, (low, width, _) in self.layout.items()}


# Fields that may be written by name: (record or part, field); None for the record: any.
WORDS = {
    ("sample", "data_src"): Word(DATA_SRC),
    ("sample", "transaction"): Word(TRANSACTION),
    ("sample", "weight_struct"): Word(WEIGHT_STRUCT, split=True),
    ("entries", "flags"): Word(BRANCH_FLAGS, split=True),
    ("callchain", "ips"): CONTEXT,
    ("callchain_deferred", "ips"): CONTEXT,
    ("offcpu", "ips"): CONTEXT,
    ("regs_user", "abi"): REGS_ABI,
    ("regs_intr", "abi"): REGS_ABI,
    ("mmap2", "prot"): Word(flags("READ WRITE EXEC")),
    ("mmap2", "flags"): Word(MMAP_FLAGS),
    ("aux", "flags"): Word(AUX_FLAGS),
    ("ksymbol", "ksym_type"): enum("UNKNOWN BPF OOL"),
    ("ksymbol", "flags"): Word(flags("UNREGISTER")),
    ("bpf_event", "type"): enum("UNKNOWN PROG_LOAD PROG_UNLOAD"),
    ("stat_round", "type"): enum("INTERVAL FINAL"),
    ("attr", "type"): enum("HARDWARE SOFTWARE TRACEPOINT HW_CACHE RAW BREAKPOINT"),
    ("attr", "size"): ATTR_SIZES,
    ("attr", "sample_type"): Word(SAMPLE_TYPE),
    ("attr", "read_format"): Word(READ_FORMAT),
    ("attr", "branch_sample_type"): Word(BRANCH_SAMPLE_TYPE),
    ("attr", "flags"): Word(ATTR_FLAGS, split=True),
    ("attr", "aux_action"): Word(AUX_ACTION, split=True),
    ("attr", "bp_type"): {
        "EMPTY": 0,
        "R": 1,
        "W": 2,
        "RW": 3,
        "X": 4,
        "R|X": 5,
        "W|X": 6,
        "R|W": 3,
        "R|W|X": 7,
    },
    ("attr", "clockid"): CLOCKID,
}

# Strings of bytes: every other JSON string is a number or a name.
BYTES = {"raw", "rest", "data", "build_id", "tag", "old_bytes", "new_bytes", "tail", "pad", "padding"}
TEXTS = {"filename", "comm", "name", "path", "msg"}


def number(part, field, value):
    """A number of perfdata's JSON, given as number, string of digits or names."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise Bad(f"{part}.{field}: {value!r} is not a number")
    if isinstance(value, int):
        return value & U32
    if re.fullmatch(r"-?\d+|0x[0-9a-f]+", value):
        return int(value, 0) & U64
    word = WORDS.get((part, field))
    if isinstance(word, dict) and value in word:
        return word[value]
    if isinstance(word, Word):
        return word.parse(value)
    raise Bad(f"{part}.{field}: {value!r} is not a number nor a known name")


def slot(value, pad):
    """The bytes of a string slot from its JSON form."""
    text = bytes.fromhex(value["hex"]) if isinstance(value, dict) else value.encode()
    if pad is not None:
        return text + bytes.fromhex(pad)
    return text + bytes(8 - len(text) % 8)


def plain(part, value):
    """An object of perfdata's JSON with integers for numbers and names, bytes for bytes and string slots."""
    result = {}
    for field, item in value.items():
        if field.endswith("_pad") and field[:-4] in TEXTS:
            continue
        if field in TEXTS:
            result[field] = slot(item, value.get(field + "_pad"))
        elif field in BYTES and isinstance(item, str):
            result[field] = bytes.fromhex(item)
        elif isinstance(item, dict):
            result[field] = plain(field, item)
        elif isinstance(item, list):
            result[field] = [
                plain(field, one) if isinstance(one, dict) else number(part, field, one) for one in item
            ]
        else:
            result[field] = number(part, field, item)
            word = WORDS.get((part, field))
            if isinstance(word, Word) and word.is_split:
                result[field] = word.split(result[field])
    return result


class Record:
    """A record as `perfdata dump --json` shows it: fields, rest and sample_id with plain numbers."""

    KEYS = {
        "type",
        "misc",
        "size",
        "offset",
        "inner_offset",
        "attr",
        "variant",
        "rest",
        "raw",
        "sample_id",
        "payload_size",
    }
    __slots__ = (
        "type",
        "name",
        "misc",
        "size",
        "offset",
        "attr",
        "variant",
        "inner",
        "rest",
        "raw",
        "id",
        "fields",
        "payload",
        "payload_size",
    )

    def __init__(self, value):
        kind = value["type"]
        if isinstance(kind, str):
            if kind not in RECORD_TYPES:
                raise Bad(f"unknown record type {kind!r}")
            self.type, self.name = RECORD_TYPES[kind], kind
        else:
            self.type, self.name = kind, str(kind)
            if kind in TYPE_NAMES:
                raise Bad(f"record type {kind} should be written {TYPE_NAMES[kind]}")
        misc = value["misc"]
        self.misc = misc if isinstance(misc, int) else Word(MISC[self.name]).parse(misc)
        self.size = value["size"]
        self.offset = int(value["offset"])
        self.attr = value.get("attr")
        self.variant = value.get("variant", 0)
        self.inner = int(value["inner_offset"]) if "inner_offset" in value else None
        self.rest = bytes.fromhex(value.get("rest", ""))
        self.raw = bytes.fromhex(value["raw"]) if "raw" in value else None
        self.id = plain("sample_id", value["sample_id"]) if "sample_id" in value else {}
        self.payload_size = int(value.get("payload_size", 0))
        payloads = [key for key in value if key not in self.KEYS]
        if len(payloads) > 1:
            raise Bad(f"several payloads: {payloads}")
        self.payload = payloads[0] if payloads else None
        self.fields = plain(self.payload, value[self.payload]) if payloads else {}

    @property
    def time(self):
        """The time in the sample or the trailer; None: neither has one."""
        return self.fields.get("time") if self.type == 9 else self.id.get("time")


def only_once(pairs):
    """A JSON object as a dictionary."""
    result = dict(pairs)
    if len(result) != len(pairs):
        raise Bad(f"JSON with the same key twice: {[key for key, _ in pairs]}")
    return result


def parse(line):
    return json.loads(line, object_pairs_hook=only_once)


def info(path, *options):
    run = subprocess.run(
        [PERFDATA, "info", "--json", *options, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    if run.returncode not in (0, 3):
        raise Bad(
            f"{path}: perfdata info --json: exit {run.returncode}: {run.stderr.decode(errors='replace')}"
        )
    return parse(run.stdout)


# ----------------------------------------------------------------------------------------------------
# What perf prints
# ----------------------------------------------------------------------------------------------------

# The registers of x86 by their bits; only these are compared with what perf prints on such a machine.
X86 = "AX BX CX DX SI DI BP SP IP FLAGS CS SS DS ES FS GS R8 R9 R10 R11 R12 R13 R14 R15".split()
X86 += [""] * 8 + [f"XMM{n // 2}" for n in range(32)]


def s32(value):
    return value - (1 << 32) if value >> 31 else value


def text_of(slot):
    return slot.split(b"\0")[0].decode("utf-8", "surrogateescape")


def page_size(value):
    if not value:
        return "N/A"
    suffix = 0
    while value >= 1024 and suffix < 6:
        value, suffix = value // 1024, suffix + 1
    return f"{value}{'BKMGTPE'[suffix]}"


def register_names(mask):
    return [X86[bit] for bit in range(64) if mask >> bit & 1]


def bare(name):
    """An event's name without terms and modifiers: they are written in several ways."""
    return re.sub(r"/.*|(?<=[a-z]):[A-Za-z]{1,3}$", "", name)


# ----------------------------------------------------------------------------------------------------
# perf, and the recordings
# ----------------------------------------------------------------------------------------------------


recorders = threading.Lock(), []


@contextlib.contextmanager
def recording():
    """As in tests/cli/frame_lib.sh: only this test records. See foreign_build_id()."""
    mutex, files = recorders
    with mutex:
        file = (
            open(os.path.join(os.environ.get("PERFDATA_BUILD") or "/tmp", "recording.lock"), "w")
            if not files
            else None
        )
        if file:
            fcntl.flock(file, fcntl.LOCK_EX)
        files.append(file)
    try:
        yield
    finally:
        with mutex:
            files.remove(None) if None in files else files.pop().close()


class Perf:
    """A perf, with a cache of build ids of its own: the user's is not touched, and other perfs do
    not disturb."""

    def __init__(self, command, name):
        self.cache = tempfile.mkdtemp(prefix="perfdata-oracle-cache-")
        atexit.register(shutil.rmtree, self.cache, True)
        self.command, self.name = [str(command), "--buildid-dir", self.cache], name
        self.no_symbols = ["--symfs", self.cache]  # an empty folder: symbols are not compared, and take time
        self.python = {}  # environment that scripts inside it need

    def run(self, *args, **more):
        with recording() if "record" in args[:2] else contextlib.nullcontext():
            return self.start(*args, **more)

    def start(self, *args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, add=None, **more):
        env = dict(
            os.environ,
            LC_ALL="C.UTF-8",
            PERF_CONFIG="/dev/null",
            PAGER="cat",
            DEBUGINFOD_URLS="",
            **(add or {}),
        )
        return subprocess.run(
            self.command + list(args), stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, env=env, **more
        )

    @property
    def newest(self):
        return self.name == "perf-latest"


def system_perf():
    """The system's perf; without it there is nothing to compare with, so the test is skipped."""
    found = shutil.which("perf")
    if not found:
        skip("there is no perf on this machine")
    perf = Perf(found, "perf")
    run = perf.run("--version")
    if run.returncode:
        skip(f"perf does not run: {run.stderr.decode(errors='replace').strip()}")
    print(f"perf: {run.stdout.decode().strip()}", flush=True)
    return perf


def latest_perf(report):
    """The newest perf, when the source tree has one beside it; else None, visibly."""
    script = SOURCE.parent / "shared" / "tools" / "perf-latest"
    if not FULL:
        print("perf-latest judges with full effort", flush=True)
        return None
    if not script.exists():
        report.skip("no perf-latest: the newest perf is not compared with")
        return None
    perf = Perf(script, "perf-latest")
    run = perf.run("--version")
    if run.returncode:
        report.skip(f"perf-latest exits with {run.returncode}: {run.stderr.decode(errors='replace').strip()}")
        return None
    print(f"perf-latest: {run.stdout.decode().strip()}", flush=True)
    cache = os.environ.get("XDG_CACHE_HOME") or str(pathlib.Path.home() / ".cache")
    home = pathlib.Path(os.environ.get("PERF_LATEST_ROOT") or cache + "/perf-latest") / "fs" / "usr"
    if any(home.glob("lib/python3.*/encodings")):  # its own Python: the system has another
        perf.python["PYTHONHOME"] = str(home)
    return perf


# A few busy processes with names and children; one name looks like the text that perf prints around it.
WORK = """
for i in 1 2; do
  head -c 2000000 /dev/zero | sha256sum >/dev/null
  seq 1 2000 | sort -rn | tail -1 >/dev/null
done
printf 'a b/3 [0]: x' >/proc/$$/comm
i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done
"""
BUSY = "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done"
# Threads that fault, and a mapped file whose name has spaces and letters beyond ASCII.
THREADS = """
import mmap, sys, threading
with open(sys.argv[1] + "/a b [0]: \\u00fc.bin", "wb+") as file:
    file.write(bytes(8192))
    file.flush()
    keep = mmap.mmap(file.fileno(), 8192, prot=mmap.PROT_READ | mmap.PROT_EXEC)
def work():
    for i in range(8):
        area = mmap.mmap(-1, 1 << 20)
        for at in range(0, 1 << 20, 8192):
            area[at] = 1
        sum(range(60000))
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
# Loads the smallest BPF program there is, so that the kernel writes KSYMBOL and BPF_EVENT.
BPF = """
import ctypes, os, platform, struct
libc = ctypes.CDLL(None, use_errno=True)
code = ctypes.create_string_buffer(struct.pack("=BBhi", 0xb7, 0, 0, 0) + struct.pack("=BBhi", 0x95, 0, 0, 0))
licence = ctypes.create_string_buffer(b"GPL")
attr = struct.pack("=IIQQIIQII16s", 1, 2, ctypes.addressof(code), ctypes.addressof(licence), 0, 0, 0, 0, 0,
                   b"oracle")
attr = ctypes.create_string_buffer(attr + bytes(128 - len(attr)), 128)
call = {"x86_64": 321, "aarch64": 280, "riscv64": 280, "ppc64le": 361, "s390x": 351}[platform.machine()]
fd = libc.syscall(call, 5, attr, 72)
if fd < 0:
    sys.exit(f"bpf: errno {ctypes.get_errno()}")
os.close(fd)
"""

SH, PY = ["sh", "-c"], [sys.executable, "-c"]

# name: (options of perf record, command, events in the order of -e). {dir} is the folder of the recordings.
RECORDINGS = {
    "callchain": ("-a -g -e cpu-clock -F 999", SH + [WORK], ["cpu-clock"]),
    "tracepoints": (
        "-a -e sched:sched_switch -e sched:sched_process_exec -e sched:sched_wakeup",
        SH + [WORK],
        ["sched:sched_switch", "sched:sched_process_exec", "sched:sched_wakeup"],
    ),
    "syscalls": ("-e raw_syscalls:sys_enter -c 5", SH + [WORK], ["raw_syscalls:sys_enter"]),
    "dwarf": ("--call-graph dwarf,2048 -e cpu-clock -F 499", SH + [WORK], ["cpu-clock"]),
    "group": ("-e {{cpu-clock,task-clock}}:S", SH + [BUSY], ["cpu-clock", "task-clock"]),
    "group-times": (
        "-e {{cpu-clock,task-clock,page-faults}}:S --running-time",
        SH + [BUSY],
        ["cpu-clock", "task-clock", "page-faults"],
    ),
    "memory": ("-d --phys-data -W -e cpu-clock", SH + [WORK], ["cpu-clock"]),
    "pages": ("-d --data-page-size --code-page-size -e page-faults -c 5", SH + [WORK], ["page-faults"]),
    "switch-cpu": ("--switch-events -a -e cpu-clock", SH + [WORK], ["cpu-clock"]),
    "switch-task": ("--switch-events -e cpu-clock", SH + [WORK], ["cpu-clock"]),
    "namespaces": (
        "--namespaces -e cpu-clock",
        ["unshare", "--net", "--uts", "--mount"] + SH + [WORK],
        ["cpu-clock"],
    ),
    "cgroups": ("--all-cgroups -a -e cpu-clock", SH + ["{mkcgroup}" + WORK + "{rmcgroup}"], ["cpu-clock"]),
    "mixed": (
        "-a -e cpu-clock/call-graph=fp/,page-faults/call-graph=no/ -e sched:sched_wakeup",
        SH + [WORK],
        ["cpu-clock", "page-faults", "sched:sched_wakeup"],
    ),
    "regs": ("--intr-regs --user-regs -e cpu-clock", SH + [WORK], ["cpu-clock"]),
    "regs-some": ("--intr-regs=ax,ip,sp --user-regs=ip,sp,bp -e cpu-clock -a", SH + [WORK], ["cpu-clock"]),
    "identifier": ("--sample-identifier -e cpu-clock", SH + [WORK], ["cpu-clock"]),
    "transaction": ("--transaction -W -d -e cpu-clock", SH + [WORK], ["cpu-clock"]),
    "monotonic": ("-k monotonic -e cpu-clock", SH + [WORK], ["cpu-clock"]),
    "threads": (
        "-s -T -P --sample-cpu -d -e cpu-clock,page-faults -F 2999",
        PY + [THREADS, "{dir}"],
        ["cpu-clock", "page-faults"],
    ),
    "raw": ("-R -e cpu-clock", SH + [WORK], ["cpu-clock"]),
    "throttle": ("-a -e sched:sched_stat_runtime -F 1000", ["sleep", "0.05"], ["sched:sched_stat_runtime"]),
    "lost": (
        "-m 1 -e raw_syscalls:sys_enter -c 1",
        ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=6000"],
        ["raw_syscalls:sys_enter"],
    ),
    "build-ids": ("--buildid-mmap -a -e cpu-clock", SH + [WORK], ["cpu-clock"]),
    "bpf": ("-a -e cpu-clock", PY + ["import sys" + BPF], ["cpu-clock"]),
    "compressed": ("-z -g -e cpu-clock", SH + [WORK], ["cpu-clock"]),
}
# Those that the newest perf makes too: attrs of 144 bytes, build ids in MMAP2, COMPRESSED2.
NEWEST = [
    "callchain",
    "tracepoints",
    "dwarf",
    "group-times",
    "memory",
    "switch-cpu",
    "mixed",
    "threads",
    "compressed",
]
# Recordings that the kernel or perf may refuse on some machines.
OPTIONAL = {"transaction", "throttle", "bpf", "cgroups", "namespaces"}


class Recordings:
    """Makes recordings in a folder that is removed at the end."""

    def __init__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="perfdata-oracle-"))
        atexit.register(shutil.rmtree, self.dir, True)

    def words(self, name, command):
        """The command with its {marks} replaced."""
        root = next(
            (mount.split()[1] for mount in open("/proc/mounts") if mount.split()[2] == "cgroup2"), None
        )
        group = f"{root}/perfdata-oracle-{os.getpid()}"
        marks = {"{dir}": str(self.dir), "{mkcgroup}": "", "{rmcgroup}": ""}
        if root:
            # Into a group of its own, and out again, because a group with tasks cannot be removed.
            marks["{mkcgroup}"] = (
                f"mkdir {group} && old=$(grep ^0:: /proc/$$/cgroup | cut -d: -f3) && "
                f"echo $$ >{group}/cgroup.procs\n"
            )
            marks["{rmcgroup}"] = f"\necho $$ >{root}$old/cgroup.procs; rmdir {group}\n"
        result = []
        for word in command:
            for mark, text in marks.items():
                word = word.replace(mark, text)
            result.append(word)
        return result

    def make(self, perf, name, report):
        """The path of a recording, or None if this machine cannot make it."""
        for _ in range(5):
            path = self.make_once(perf, name, report)
            if path is None or not foreign_build_id(path):
                return path
            print(
                f"{path.name}: made once more, because another recording on this machine left its mark",
                flush=True,
            )
        skip("other recordings that ask for build ids are running on this machine all the time")

    def make_once(self, perf, name, report):
        options, command, events = RECORDINGS[name]
        path = self.dir / f"{perf.name}-{name}.data"
        run = perf.run(
            "record",
            "-q",
            "-B",
            "-o",
            str(path),
            *options.replace("{{", "{").replace("}}", "}").split(),
            "--",
            *self.words(name, command),
            timeout=60,
        )
        if run.returncode or not path.exists() or path.stat().st_size <= 104:
            text = run.stderr.decode(errors="replace").strip().split("\n")
            if name in OPTIONAL:
                report.skip(f"{perf.name} record {options}: {' / '.join(text[:3])}")
                return None
            fail(f"{perf.name} record {options}: exit {run.returncode}: {' / '.join(text[:5])}")
        return path

    def make_all(self, perf, names, report):
        """(name, path) of those that could be made. Several at a time, because perf mostly waits."""
        together = [name for name in names if name != "build-ids"]  # see foreign_build_id()
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            paths = dict(zip(together, pool.map(lambda name: self.make(perf, name, report), together)))
        if "build-ids" in names:
            paths["build-ids"] = self.make(perf, "build-ids", report)
        return [(name, paths[name]) for name in names if paths[name]]

    def pipe(self, perf):
        """A pipe-mode recording."""
        path = self.dir / f"{perf.name}-pipe.data"
        with open(path, "wb") as file:
            run = perf.run(
                "record",
                "-q",
                "-B",
                "-o",
                "-",
                "-g",
                "-e",
                "cpu-clock",
                "-e",
                "sched:sched_wakeup",
                "--",
                *SH,
                WORK + "exec >/dev/null",
                stdout=file,
                timeout=60,
            )
        if run.returncode:
            fail(f"{perf.name} record -o -: exit {run.returncode}: {run.stderr.decode(errors='replace')}")
        return path

    def stat(self, perf):
        """A recording of perf stat."""
        path = self.dir / f"{perf.name}-stat.data"
        run = perf.run(
            "stat",
            "record",
            "-I",
            "20",
            "-e",
            "cpu-clock,page-faults",
            "-o",
            str(path),
            "--",
            *SH,
            WORK,
            timeout=60,
        )
        if run.returncode:
            fail(f"{perf.name} stat record: exit {run.returncode}: {run.stderr.decode(errors='replace')}")
        return path


def foreign_build_id(path):
    """
    True if an MMAP2 record has the misc bit of a build id, but the content of one without.

    Linux (seen with 6.18) writes such records into recordings that did not ask for build ids while another
    one on the same machine does: it sets the bit in a header that both share. The major device number is then
    taken for the size of the build id, and perf 6.1 dies if it is above 20 («assertion failed at
    util/build-id.c»).
    """
    data = path.read_bytes()
    at, size = struct.unpack("=40xQQ", data[:56])
    end = at + size
    while at + 48 <= end:
        kind, misc, length = struct.unpack("=IHH", data[at : at + 8])
        if kind == 10 and misc & 0x4000 and data[at + 40] > 20:
            return True
        at += max(length, 8)
    return False


def corpus():
    """
    The recordings that come with the source, except those of conformance.py, and of PERFDATA_CORPUS, if it is
    set: usually each fourth of those below 600 kB.
    """
    found = []
    for folder in (SOURCE / "corpus", os.environ.get("PERFDATA_CORPUS")):
        if folder and os.path.isdir(folder):
            for path in sorted(pathlib.Path(folder).rglob("*")):
                if path.is_file() and path.read_bytes()[:8] in (b"PERFILE2", b"2ELIFREP", b"PERFFILE"):
                    if "conformance" not in path.parts:
                        found.append(path)
    own = [path for path in found if SOURCE in path.parents]
    others = [path for path in found if path not in own]
    return found if FULL else own + [path for path in others if path.stat().st_size < 600000][::4]
