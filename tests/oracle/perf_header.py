#!/usr/bin/env python3
"""`perfdata info -I --header-only` and `perf report --header-only -I`, line by line; then `perf evlist -v`
and `perf buildid-list` against `perfdata info --json`.

The files: recordings made here (file, stat, pipe, directory where perf makes one), files made below with
features that this machine lacks (CPU_DOMAIN_INFO, hybrid PMUs, named groups, functions of BPF programs,
…), those that come with the source, and PERFDATA_CORPUS.

perf 6.1 judges. Where perf 7.3 writes a line in another way, or there is no line of ours like perf's:
  - events: 7.3 prints type and config also when they are 0, each with its name, which depends on the machine
    it runs on
  - missing features: 7.3 names three more, CPU_DOMAIN_INFO, E_MACHINE, CLN_SIZE; we name them where the file
    has one of them
  - 7.3 has a line for each empty list of BPF programs and types, as we have; 6.1 has none
  - 7.3 remarks on files of AMD machines that they use ibs_op// for precise events
  - features that neither knows (35 and above, and simpleperf's) have lines here, and none in perf
  - a pipe is read by perf as of now, "captured on"; it has no line of ours, as the same input gives the same
    output
  - PMU_MAPPINGS without an entry: perf prints the PMUs of the machine it runs on, we print that there are
    none
  - a section that is empty or damaged: perf leaves all behind it unread and prints "(null)" and 0; so such
    files, and those that are not finished, whose sections do not exist, are not compared
  - CPU_TOPOLOGY whose strings have another padding than perf's: perf reckons with its own and finds no cores
  - control characters and marks of direction in names, which perf writes as they are, are \\xNN, so that no
    name makes lines of its own
  - names of events in simpleperf's SIMPLEPERF_META_INFO: perf makes up its own
"""

import os
import re
import struct
import subprocess
import sys

import oracle

AMD = "# AMD systems uses ibs_op// PMU"
NEWER = " CPU_DOMAIN_INFO E_MACHINE CLN_SIZE"
# Files of the corpus that are not compared.
FOREIGN_TYPES = {
    "platform2-sommelier__perf.data.piped.powerpc": "features under other types' numbers, which perf misreads"
}
NO_CORES = "# Core ID and Socket ID information is not available"
UNKNOWN_TO_PERF = re.compile(r"# (simpleperf |SIMPLEPERF_|feature \d+ : )")


# ----------------------------------------------------------------------------------------------------
# Lines
# ----------------------------------------------------------------------------------------------------


def event_line(line):
    """An event in 7.3's form, converted to 6.1's."""
    line = re.sub(r", type = (\d+)(?: \([^()]*\))?, size", r", type = \1, size", line)
    line = line.replace(", type = 0, size", ", size")
    line = re.sub(r", config = (0x[0-9a-f]+|0) \((?:[^()]|\([^()]*\))*\)(?=, |$)", r", config = \1", line)
    return re.sub(r", config = 0(?=, |$)", "", line)


EMPTY_LISTS = ("# bpf_prog_info empty", "# btf info empty")


def perf_lines(text, perf):
    text = re.sub(
        r"\n(?!#|\n|$)", r"\\x0a", text
    )  # perf prints several lines for a command of several lines, and we none
    for line in text.split("\n"):
        if line.startswith("# cmdline : "):
            line = line.replace("\t", "\\x09")
        if perf.newest:
            if line.startswith(AMD):
                continue
            if line.startswith("# event : "):
                line = event_line(line)
        yield line


def our_lines(text):
    return [line for line in text.split("\n") if not UNKNOWN_TO_PERF.match(line)]


def ours_of(path, report):
    run = subprocess.run(
        [oracle.PERFDATA, "info", "-I", "--header-only", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    if run.returncode not in (0, 3) or (run.returncode == 0 and run.stderr):
        report.differ(
            path.name,
            "perfdata info -I",
            f"exit {run.returncode}: {run.stderr.decode(errors='replace')[:300]}",
        )
    return run.stdout.decode("utf-8", "surrogateescape")


def theirs_of(perf, path, stdin=False):
    """None if this perf does not read the file."""
    with open(path if stdin else os.devnull, "rb") as file:
        run = perf.run("report", "--header-only", "-I", "-i", "-" if stdin else str(path), stdin=file)
    text = run.stdout.decode("utf-8", "surrogateescape")
    if (
        run.returncode or not text or " : (null)\n" in text
    ):  # 6.1 shows files that it does not understand, but empty
        return None
    return text


def newer_missing(line):
    return line.replace(NEWER, "") if line.startswith("# missing features: ") else line


def compare_lines(perf, path, report, ours, theirs):
    where = f"{path.name} by {perf.name}"
    ours, theirs = our_lines(ours), list(perf_lines(theirs, perf))
    if not perf.newest:
        ours = [line for line in ours if line not in EMPTY_LISTS]
    if perf.newest:  # 7.3 always names its three, we only beside one of them: then all agree
        ours, theirs = [newer_missing(line) for line in ours], [newer_missing(line) for line in theirs]
    if NO_CORES in theirs and NO_CORES not in ours and any(one.startswith("# CPU ") for one in ours):
        report.note("CPU_TOPOLOGY with another padding of strings: perf finds no cores")
        theirs.remove(NO_CORES)
        ours = [line for line in ours if not re.match(r"# CPU \d+: Core ID", line)]
    for number, (mine, perfs) in enumerate(zip(ours, theirs), 1):
        if mine.startswith("# pmu mappings: not available") and perfs.startswith("# pmu mappings: "):
            report.note("PMU_MAPPINGS without an entry: perf prints those of this machine")
            continue
        key = re.sub(r"\d+", "N", re.split(r" *[:=(]", perfs)[0])[:24] or "(end)"
        report.counts[
            "line of " + ("a CPU" if key.startswith("# CPU N") else key.strip("# ") or "the frame")
        ] += 1
        if not report.same("lines", where, f"line {number}", mine, perfs):
            return
    report.same("files", where, "number of lines", len(ours), len(theirs))


def compare_header(perf, path, report, stdin=False):
    theirs = theirs_of(perf, path, stdin)
    if theirs is None:
        report.note(f"files that {perf.name} does not read")
        return
    ours = ours_of(path, report)
    if stdin:
        ours, theirs = (re.sub(r"# captured on .*\n", "", text) for text in (ours, theirs))
    compare_lines(perf, path, report, ours, theirs)


# ----------------------------------------------------------------------------------------------------
# perf evlist -v
# ----------------------------------------------------------------------------------------------------

PRECISE_IP = {"ARBITRARY_SKID": 0, "CONSTANT_SKID": 1, "REQUESTED_ZERO_SKID": 2, "ZERO_SKID": 3}
TYPES = {"HARDWARE": 0, "SOFTWARE": 1, "TRACEPOINT": 2, "HW_CACHE": 3, "RAW": 4, "BREAKPOINT": 5}
CLOCKS = {"REALTIME": 0, "MONOTONIC": 1, "MONOTONIC_RAW": 4, "BOOTTIME": 7, "TAI": 11}
# perf's names for fields with another name, or none, in our JSON
PERF_FIELDS = {
    "{ sample_period, sample_freq }": "sample_period",
    "{ wakeup_events, wakeup_watermark }": "wakeup_events",
    "{ bp_addr, config1 }": "bp_addr",
    "{ bp_len, config2 }": "bp_len",
}
LATE_FIELDS = {
    "sample_regs_user",
    "sample_stack_user",
    "clockid",
    "sample_regs_intr",
    "aux_watermark",
    "sample_max_stack",
    "aux_sample_size",
    "aux_action",
    "sig_data",
}
SETS = {"sample_type", "read_format", "branch_sample_type"}


def value_of(name, value):
    if name in SETS:
        names = frozenset(str(value).split("|"))
        return names - {"0x0", "0", "TRANSACTION"}  # perf has no name for it
    if isinstance(value, str):
        value = TYPES.get(value, CLOCKS.get(value, value))
    return (
        int(value, 0) if isinstance(value, str) and re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", value) else value
    )


def attr_of_json(attr):
    result = {}
    for name, value in attr.items():
        if name in ("flags", "aux_action"):
            for word in [] if value in ("0x0", 0) else str(value).split("|"):
                flag, _, number = word.partition("=")
                result[flag] = PRECISE_IP[number] if number else 1
        elif name not in ("config3", "config4", "tail", "reserved_2"):  # perf does not print them
            result[name] = value_of(name, value)
    return {name: value for name, value in result.items() if value}


def attr_of_evlist(text):
    result = {}
    for name, value in re.findall(r"(\{[^}]*\}|\w+): (\S+?)(?: \((?:[^()]|\([^()]*\))*\))?(?:, |$)", text):
        result[PERF_FIELDS.get(name, name)] = value_of(PERF_FIELDS.get(name, name), value)
    return {name: value for name, value in result.items() if value}


def line_of_simpleperf(info, event):
    """The name in SIMPLEPERF_META_INFO, which perf does not know; None without."""
    for entry in info["features"].get("simpleperf_meta_info", {}).get("entries", []):
        for line in entry["value"].split("\n") if entry["key"] == "event_type_info" else []:
            name, kind, config = line.split(",")
            if int(kind) == value_of("type", event["attr"]["type"]) and int(config) == int(
                event["attr"]["config"], 0
            ):
                return name
    return None


def compare_events(perf, path, report):
    run = perf.run("evlist", "-v", "-i", str(path))
    lines = [
        line
        for line in run.stdout.decode("utf-8", "surrogateescape").split("\n")
        if re.search(r": (type|size): ", line)
    ]
    if run.returncode or not lines:
        return
    info = oracle.info(path)
    events, pipe = info["events"], info["container"] == "pipe"
    where = f"{path.name} by {perf.name} evlist"
    if not report.same("events", where, "events", len(events), len(lines)):
        return
    for event, line in zip(events, lines):
        name, rest = re.match(r"(.*?): ((?:type|size): .*)$", line).groups()
        if name.startswith("unknown "):
            report.note(
                "events that perf evlist calls unknown, as it does not find their PMU or format on this "
                "machine"
            )
        elif line_of_simpleperf(info, event):
            report.same(
                "event names", where, "simpleperf's name", event["name"], line_of_simpleperf(info, event)
            )
        else:
            report.same("event names", where, "name", oracle.bare(event["name"]), oracle.bare(name))
        ours, theirs = attr_of_json(event["attr"]), attr_of_evlist(rest)
        beyond = {field for field in theirs if pipe and field in LATE_FIELDS and field not in event["attr"]}
        if beyond:
            report.note("attrs of a pipe: perf takes the ids behind a small attr for its newer fields")
        for field in sorted((set(ours) | set(theirs)) - beyond):
            report.same("attr fields", where, f"{name}: {field}", ours.get(field), theirs.get(field))


# ----------------------------------------------------------------------------------------------------
# perf buildid-list
# ----------------------------------------------------------------------------------------------------


def compare_build_ids(perf, path, report):
    features = oracle.info(path)["features"]
    entries = features.get("build_id", {}).get("entries", [])
    if not entries or any(one.get("type") for one in entries):  # quipper's and simpleperf's: perf drops them
        return
    run = perf.run("buildid-list", "-i", str(path))
    theirs = {}
    for line in run.stdout.decode("utf-8", "surrogateescape").split("\n"):
        found = re.match(r"([0-9a-f]{8,40}) (.*)$", line)
        if found:
            theirs.setdefault(found.group(2), found.group(1))
    if run.returncode or not theirs:
        return
    ours = {}
    for one in entries:
        build_id = one["file"]["build_id"] + one["file"].get("build_id_pad", "")
        ours.setdefault(one["file"]["filename"], build_id)
    for name in sorted(set(ours) & set(theirs)):
        report.same(
            "build ids", f"{path.name} by {perf.name}", name, ours[name][: len(theirs[name])], theirs[name]
        )
    missing = [name for name in theirs if name not in ours and not name.startswith("[")]
    report.same(
        "build ids", f"{path.name} by {perf.name}", "files that perf has and we have not", [], missing
    )


# ----------------------------------------------------------------------------------------------------
# Files put together here
# ----------------------------------------------------------------------------------------------------


def u32(*values):
    return struct.pack(f"<{len(values)}I", *values)


def u64(*values):
    return struct.pack(f"<{len(values)}Q", *values)


def text64(text):
    """A string as perf writes it."""
    data = text.encode() + b"\0"
    data += bytes(-len(data) % 64)
    return u32(len(data)) + data


def attr(
    size=128,
    type_=1,
    config=0,
    period=1000,
    sample_type=0x10007,
    read_format=0,
    flags=1 << 18,
    wakeup=0,
    bp_type=0,
    bp_addr=0,
    bp_len=0,
    branch=0,
    regs=0,
    stack=0,
    clock=0,
    regs_intr=0,
    aux=0,
    depth=0,
    aux_size=0,
    aux_action=0,
    sig=0,
):
    data = struct.pack(
        "<IIQQQQQIIQQQQIiQIHHIIQQQ",
        type_,
        size,
        config,
        period,
        sample_type,
        read_format,
        flags,
        wakeup,
        bp_type,
        bp_addr,
        bp_len,
        branch,
        regs,
        stack,
        clock,
        regs_intr,
        aux,
        depth,
        0,
        aux_size,
        aux_action,
        sig,
        0,
        0,
    )
    return data[:size]


def event_desc(*events):
    """(attr, ids, name) of each; attrs of one size."""
    return u32(len(events), len(events[0][0])) + b"".join(
        one + u32(len(ids)) + text64(name) + u64(*ids) for one, ids, name in events
    )


def make(features, attrs=1):
    """A file with these sections, some events, and one empty record."""
    ids, table = b"", b""
    for index in range(attrs):
        table += attr(config=index) + u64(104 + 8 * index, 8)
        ids += u64(index + 1)
    begin = 104 + len(ids)
    data = begin + len(table)
    bits = [sum(1 << number % 64 for number in features if number // 64 == word) for word in range(4)]
    result = (
        b"PERFILE2"
        + u64(104, 144, begin, len(table), data, 8, 0, 0, *bits)
        + ids
        + table
        + u32(68)
        + b"\0\0\x08\0"
    )
    at, sections = data + 8 + 16 * len(features), b""
    for number in sorted(features):
        sections += u64(at, len(features[number]))
        at += len(features[number])
    return result + sections + b"".join(features[number] for number in sorted(features))


def bpf_program(number, functions, name=b"name", types=0):
    """A program with so many functions; with types its functions have names in them."""
    arrays = [
        u64(*range(0xFFFF8000, 0xFFFF8000 + functions)),
        u32(*range(10, 10 + functions)),
        b"".join(bytes([16 + one] * 8) for one in range(functions)),
        b"".join(u32(8 * one, 3 + 2 * (one % 2)) for one in range(functions)) if types else b"",
    ]
    places, data = [], b""
    for one in arrays:
        places.append(len(data))
        data += one + bytes(-len(one) % 8)
    info = bytearray(232)
    struct.pack_into("<II8s", info, 0, 6, number, bytes(range(8)))
    struct.pack_into("<16s", info, 64, name)
    struct.pack_into("<IIQQ", info, 104, functions, functions, places[0], places[1])
    struct.pack_into("<IIQI", info, 128, types, 8, places[3], functions if types else 0)
    struct.pack_into("<IQ", info, 180, functions, places[2])
    return u32(len(info), len(data)) + u64(0x118 | (0x20 if types else 0)) + bytes(info) + data


def bpf_types():
    """int, its function type, main_fn, an array, sub_fn."""
    strings = b"\0main_fn\0sub_fn\0int\0"
    types = u32(16, 1 << 24, 4, 32) + u32(0, 13 << 24 | 1, 1, 0, 1) + u32(1, 12 << 24, 2)
    types += u32(0, 3 << 24, 0, 1, 1, 4) + u32(9, 12 << 24, 2)
    return (
        struct.pack("<HBBIIIII", 0xEB9F, 1, 0, 24, 0, len(types), len(types), len(strings)) + types + strings
    )


def topology(dies):
    cpus = u32(0, 0, 1, 0, 0xFFFFFFFF, 0xFFFFFFFF, 3, 2)
    data = u32(1) + text64("0-3") + u32(2) + text64("0,2") + text64("1,3") + cpus
    return data + (u32(1) + text64("0-3") + u32(0, 1, 2, 0xFFFFFFFF) if dies else b"")


def domains(version):
    def one(number, name, mask, cpus):
        return u32(number) + (text64(name) if version >= 17 else b"") + text64(mask) + text64(cpus)

    return (
        u32(version, 2, 0, 1)
        + one(0, "MC", "ff", "0-7")
        + u32(1, 2)
        + one(0, "SMT", "3", "0-1")
        + one(1, "MC", "ff", "0-7")
        + u32(2, 0)
    )


ALL_BITS = {
    "type_": 255,
    "config": 0x1234,
    "sample_type": (1 << 25) - 1,
    "read_format": 31,
    "flags": (1 << 38) - 1,
    "wakeup": 7,
    "bp_type": 3,
    "bp_addr": 0x1000,
    "bp_len": 4,
    "branch": (1 << 19) - 1,
    "regs": 0xFF,
    "stack": 8192,
    "clock": -4,
    "regs_intr": 1,
    "aux": 3,
    "depth": 5,
    "aux_size": 6,
    "sig": 9,
}
NEW_BITS = dict(ALL_BITS, flags=(1 << 40) - 1, branch=(1 << 20) - 1, aux_action=7)
CPUS = {7: u32(4, 3)}
NAMED = {12: event_desc(*((attr(config=n), [n + 1], f"event-{n}") for n in range(7)))}

# name: (features, events). "7.3:" only the newest perf.
HANDMADE = {
    "strings": (
        {
            3: text64("host"),
            4: text64("6.1 ü"),
            5: text64(""),
            6: text64("riscv64"),
            8: text64("x" * 200),
            9: text64("a\\b,'c'"),
        },
        1,
    ),
    "cmdline": (
        {11: u32(5) + text64("/a b") + text64("it's 'q'") + text64("") + text64('x"y\\z') + text64("'")},
        1,
    ),
    "no words": ({11: u32(0)}, 1),
    "attrs": (
        {
            12: event_desc(
                (attr(**ALL_BITS), [1, 2], "all"),
                (attr(period=0, sample_type=0, flags=0), [], ""),
                (attr(type_=0), [(1 << 64) - 1], "a b,c"),
            )
        },
        3,
    ),
    "attrs of 64": ({12: event_desc((attr(64, **ALL_BITS), [1], "old"))}, 1),
    "7.3: attrs of 144": ({12: event_desc((attr(144, **NEW_BITS), [1], "new"))}, 1),
    "topology": (dict(CPUS) | {13: topology(False)}, 1),
    "topology with dies": (dict(CPUS) | {13: topology(True)}, 1),
    "first topology": (dict(CPUS) | {13: u32(1) + text64("0-3") + u32(1) + text64("0")}, 1),
    "nodes": (
        {14: u32(2, 0) + u64(100, 50) + text64("0-3") + u32(7) + u64(1 << 40, 1 << 63) + text64("")},
        1,
    ),
    "flags": ({15: b"", 19: b"", 18: u64(0)}, 1),
    "mappings": ({16: u32(2, 4) + text64("cpu") + u32(0xFFFFFFFE) + text64("x y")}, 1),
    "no mappings": ({16: u32(0)}, 1),
    "groups": (
        dict(NAMED)
        | {
            17: u32(3)
            + text64("named")
            + u32(0, 2)
            + text64("{anon_group}")
            + u32(2, 3)
            + text64("one")
            + u32(5, 1)
        },
        7,
    ),
    "caches": (
        {
            20: u32(1, 2, 1, 64, 64, 8)
            + text64("Data")
            + text64("48K")
            + text64("0")
            + u32(12, 64, 64, 8)
            + text64("Instruction or something")
            + text64("1234567890K")
            + text64("0-7")
        },
        1,
    ),
    "times": ({21: u64(5 * 10**9 + 999, 10**18)}, 1),
    "times backwards": ({21: u64(10**9, 5)}, 1),
    "memory": (
        {22: u64(1, 0x8000000, 3, 0, 64, 64, 0xFF00FF, 5, 1, 1, 1, 123, 130, 130, 0, (1 << 64) - 1, 3)},
        1,
    ),
    "small memory": ({22: u64(1, 1000, 1, 0, 64, 64, 0xFF)}, 1),
    "large memory": ({22: u64(1, 1 << 40, 1, 0, 64, 64, (1 << 64) - 1)}, 1),
    "odd memory": ({22: u64(1, 1536, 1, 0, 64, 64, 1)}, 1),
    "clock": ({23: u64(4), 29: u32(1, 7) + u64(1700000000123456789, 5123456789)}, 1),
    "unnamed clock": ({23: u64(1 << 63), 29: u32(1, 3) + u64(0, 0)}, 1),
    "program": ({25: u32(2) + bpf_program(7, 1) + bpf_program(8, 1, b"")}, 1),
    "programs": (
        {
            25: u32(2) + bpf_program(7, 3) + bpf_program(8, 2, types=9) + bpf_program(9, 1, types=9),
            26: u32(1, 9, len(bpf_types())) + bpf_types(),
        },
        1,
    ),
    "no program": ({25: u32(0), 26: u32(0)}, 1),
    "program of unknown types": (
        {25: u32(1) + bpf_program(7, 1, types=9), 26: u32(1, 8, len(bpf_types())) + bpf_types()},
        1,
    ),
    "compression": ({27: u32(0, 1, 22, 5, 8192)}, 1),
    "unknown compression": ({27: u32(0, 9, 3, 5, 8192)}, 1),
    "capabilities": ({28: u32(2) + text64("a") + text64("1") + text64("pmu_name") + text64("x y")}, 1),
    "no capabilities": ({28: u32(0)}, 1),
    "hybrid": (
        {
            30: u32(2) + text64("cpu_core") + text64("0-3") + text64("cpu_atom") + text64("4-7"),
            31: u32(2, 2)
            + text64("a")
            + text64("1")
            + text64("b")
            + text64("2")
            + text64("cpu_core")
            + u32(1)
            + text64("a")
            + text64("1")
            + text64("cpu_atom"),
        },
        1,
    ),
    "7.3: domains": (dict(CPUS) | {32: domains(15)}, 1),
    "7.3: named domains": (dict(CPUS) | {32: domains(17)}, 1),
    "7.3: machine": ({33: u32(40, 0x5000400), 34: u32(64)}, 1),
    "unknown features": ({3: text64("host"), 35: b"abc", 40: b"", 129: b"a\0b\0", 200: bytes(9)}, 1),
}


def handmade(recordings):
    for name, (features, attrs) in HANDMADE.items():
        path = recordings.dir / f"handmade {name}.data"
        path.write_bytes(make(features, attrs))
        os.utime(path, (1577840523, 1577840523))
        yield name, path


# ----------------------------------------------------------------------------------------------------
# All
# ----------------------------------------------------------------------------------------------------

RECORDINGS = [
    "callchain",
    "tracepoints",
    "dwarf",
    "group-times",
    "memory",
    "monotonic",
    "bpf",
    "compressed",
    "build-ids",
]
NEWEST = ["callchain", "tracepoints", "group-times", "compressed"]


def unfinished(path):
    data = path.read_bytes()[:56]
    return data[8:16] not in (struct.pack("<Q", 16), struct.pack(">Q", 16)) and data[48:56] == bytes(8)


def compare_handmade(perf, recordings, report):
    for name, path in handmade(recordings):
        if name.startswith("7.3: ") and not perf.newest:
            continue
        compare_header(perf, path, report)
        if theirs_of(perf, path) is None:
            report.differ(name, perf.name, "does not read it")


def directory(perf, recordings, report):
    """A recording of several files; None where this perf does not make one."""
    path = recordings.dir / f"{perf.name}-threads.data"
    run = perf.run(
        "record",
        "-q",
        "-B",
        "--threads",
        "-e",
        "cpu-clock",
        "-o",
        str(path),
        "--",
        *oracle.SH,
        oracle.BUSY,
        timeout=60,
    )
    if run.returncode or not (path / "data").exists():
        report.skip(f"{perf.name} record --threads: {run.stderr.decode(errors='replace').strip()[:200]}")
        return None
    return path


def compare_made(perf, recordings, report):
    paths = [path for _, path in recordings.make_all(perf, NEWEST if perf.newest else RECORDINGS, report)]
    paths += [recordings.stat(perf), recordings.pipe(perf)]
    several = directory(perf, recordings, report)
    for path in paths + ([several] if several else []):
        compare_header(perf, path, report)
        compare_events(perf, path, report)
        compare_build_ids(perf, path, report)
    compare_header(perf, paths[-1], report, stdin=True)


def compare_corpus(perf, report):
    for path in oracle.corpus():
        if path.parent.name == "malformed":
            continue
        if unfinished(path):
            report.note("unfinished files: perf reads sections that do not exist")
        elif path.name in FOREIGN_TYPES:
            report.note(FOREIGN_TYPES[path.name])
        else:
            compare_header(perf, path, report)
            compare_events(perf, path, report)
            compare_build_ids(perf, path, report)


def main():
    report = oracle.Report()
    perf = oracle.system_perf()
    latest = oracle.latest_perf(report)
    recordings = oracle.Recordings()
    for judge in [perf] + ([latest] if latest else []):
        compare_handmade(judge, recordings, report)
        compare_made(judge, recordings, report)
        compare_corpus(judge, report)
    report.need(MINIMUM | ((CORPUS if oracle.FULL else FOURTH) if os.environ.get("PERFDATA_CORPUS") else {}))
    return report.finish()


MINIMUM = {
    "lines": 800,
    "files": 40,
    "events": 8,
    "event names": 10,
    "attr fields": 100,
    "line of event": 20,
    "line of missing features": 40,
    "line of CPU cache info": 3,
}
FOURTH = {"lines": 1500, "files": 55, "event names": 30, "attr fields": 400, "build ids": 40}  # of the corpus
CORPUS = {"lines": 3000, "files": 120, "event names": 150, "attr fields": 1500, "build ids": 200}

if __name__ == "__main__":
    try:
        sys.exit(main())
    except oracle.Bad as error:
        oracle.fail(str(error))
