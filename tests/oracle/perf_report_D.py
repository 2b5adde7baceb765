#!/usr/bin/env python3
"""Recordings made here, as `perf report -D` prints them and as `perfdata dump --json` decodes them.

Each record of perfdata is written the way perf would print it, and the lines are compared: offset, size,
type, cpu and time, and every value perf prints of it. Records are matched by offset, so none may be missing
on either side.

Who judges: the system's perf for its own recordings, the newest perf (perf-latest, where there is one) for
its own, which the system's refuses for their larger attrs, and both for files made by hand in both byte
orders.

What must be known to read perf's text (perf 6.1.187 and 7.3.4):
  - the line of a record begins with the cpu and the time only if some attr samples them, with "-1 -1" if the
    first attr has no sample_id_all, and with 0 0 for perf's own records; a cpu that the record's own event
    does not sample is 4294967295, such a time 18446744073709551615, such a pid -1
  - a period that is not sampled is the attr's sample_period, even if that is a frequency
  - offsets of a pipe count from its first record, 16 bytes into the stream; offset 0 is printed as 0, not 0x0
  - the records inside a COMPRESSED record all have its offset, in order of time; the COMPRESSED record is not
    printed
  - records come in order of time, not of the file; file names and comms are printed as they are, spaces
    included
  - of a THROTTLE, a FINISHED_ROUND and the like only the name is printed, of a trailer only cpu and time
  - the size of a user stack is its dyn_size, its offset that of the size word in the record
  - a sample of a group prints its "thread" and "dso" lines once a member
  - user registers are printed by the names of the reading machine
Where the two perfs differ (6.1 judges its own recordings, so each is expected in its own words):
  - 6.1 (on x86) prints 0 for the third part of WEIGHT_STRUCT
  - 6.1 does not print the speculation of a branch
  - 7.3 names the markers in call chains, 6.1 prints only their numbers
  - 6.1 writes the modifiers of an event whose attr does not say exclude_guest behind its name in READ
    ("x:HG")
  - 7.3 prints attr and feature behind HEADER_ATTR and HEADER_FEATURE; of the features, those of a line or two
    are compared
  - 6.1 writes «Muliplier» in TIME_CONV
Known defects of both, taken into account below:
  - READ of a group is printed as if it were a single value
  - with HW_INDEX in branch_sample_type they expect hw_idx even behind nr 0, where the kernel does not write
    it (so the files for perf are made with it)
  - 6.1 does not swap the cpus of EVENT_UPDATE in big-endian files, and dies of them
  - of big-endian pipes they do not swap the events' fields, so of these only files are compared here
  - a cpu that is not below NRCPUS, of the file or else of the reading machine, is printed as 0
  - big-endian files: prot and flags of MMAP2 and the attr's sample_regs_intr are not swapped
"""

import collections
import os
import re
import struct
import sys

import handmade
import oracle
import second_decoder_names as names_of
from oracle import bare, page_size, s32, text_of

HEAD = re.compile(
    r"^((?:-?\d+ )*)(0|0x[0-9a-f]+) \[(0x[0-9a-f]+)\]: PERF_RECORD_([A-Z_0-9]+?)"
    r"((?:UNKNOWN)?)((?![A-Z_0-9]).*)?$"
)
START = re.compile(r"^(0|0x[0-9a-f]+)@.* \[(0x[0-9a-f]+)\]: event: (\d+)$")
# perf's names of types that differ from the format's
PERF_NAMES = {
    "HEADER_ATTR": "ATTR",
    "HEADER_EVENT_TYPE": "EVENT_TYPE",
    "HEADER_TRACING_DATA": "TRACING_DATA",
    "HEADER_BUILD_ID": "BUILD_ID",
    "HEADER_FEATURE": "FEATURE",
}
CONTEXT_NAMES = {value: name for name, value in oracle.CONTEXT.items() if name != "MAX"}
BRANCH_SPEC = ["", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH", "SPEC_CORRECT_PATH"]
BRANCH_TYPE = (
    "",
    "COND",
    "UNCOND",
    "IND",
    "CALL",
    "IND_CALL",
    "RET",
    "SYSCALL",
    "SYSRET",
    "COND_CALL",
    "COND_RET",
    "ERET",
    "IRQ",
    "SERROR",
    "NO_TX",
)


class Block:
    """What perf prints of one record."""

    def __init__(self, match, raw):
        self.prefix = match.group(1).split()
        self.offset, self.size = int(match.group(2), 0), int(match.group(3), 16)
        self.name = match.group(4)
        self.lines = [match.group(6) or ""]
        self.raw = raw  # (offset, size, type) of the line before the bytes


def read_blocks(text):
    """Blocks, and the statistics at the end: {title: {name of a type: count}}."""
    blocks, stats, raw, section = [], {}, None, None
    for line in text.split("\n"):
        found = re.match(r"^(\S.*) stats:$", line)
        if found:
            section = stats.setdefault(found.group(1), {})
            continue
        if section is not None:
            found = re.match(r"^ *([A-Z_0-9]+) events: +(\d+)( +\( *[0-9.]+%\))?$", line)
            if found:
                section[found.group(1)] = int(found.group(2))
            elif line:
                raise oracle.Bad(f"perf report -D: a line among the statistics: {line!r}")
            continue
        if not blocks and line.startswith(("#", "WARNING: No sample_id_all support")):
            continue
        start = START.match(line)
        if start:
            raw = (int(start.group(1), 0), int(start.group(2), 16), int(start.group(3)))
            continue
        if line.startswith(".  0") or line == "." or line.startswith(". ... raw event: size "):
            continue
        head = HEAD.match(line)
        if head:
            blocks.append(Block(head, raw))
        elif blocks:
            blocks[-1].lines.append(line)
        elif line:
            raise oracle.Bad(f"perf report -D: a line before the first record: {line!r}")
    for block in blocks:
        while block.lines and not block.lines[-1]:
            block.lines.pop()
    return blocks, stats


def hexa(value):
    return f"{value:#x}" if value else "0"


class Printer:
    """Prints records of perfdata as perf does. Each method returns the lines behind the record's name."""

    def __init__(self, perf, events, big):
        self.newest, self.events, self.big = perf.newest, events, big
        self.attrs_at = []  # in a pipe: where the attrs come
        self.cpus = 1 << 31  # larger numbers are printed as 0

    def prefix(self, record):
        known = [event for event, at in zip(self.events, self.attrs_at) if at < record.offset]
        if not self.attrs_at:
            known = self.events
        combined = 0
        for event in known:
            combined |= event["sample_type"]
        id_all = bool(known) and known[0]["flags"]["sample_id_all"]
        if record.type != 9 and not id_all:
            return ["-1", "-1"]
        values = record.fields if record.type == 9 else record.id
        if record.type >= 64:
            values = {"cpu": 0, "time": 0}
        result = []
        if combined & handmade.CPU:
            cpu = values.get("cpu", oracle.U32)
            result.append(str(0 if self.cpus <= cpu < oracle.U32 else cpu))
        if combined & handmade.TIME:
            result.append(str(values.get("time", oracle.U64)))
        return result

    def lines(self, record):
        method = getattr(self, record.name.lower(), None)
        return method(record.fields if record.tool is None else record.tool, record) if method else None

    # -- kernel records; each also returns how many values it shows

    def mmap(self, f, r):
        return [
            f" {s32(f['pid'])}/{s32(f['tid'])}: [{hexa(f['addr'])}({hexa(f['len'])}) @ {hexa(f['pgoff'])}]: "
            f"{'r' if r.misc & 0x2000 else 'x'} {text_of(f['filename'])}"
        ]

    def mmap2(self, f, r):
        prot, flags = f["prot"], f["flags"]
        if self.big:  # perf does not swap them
            prot, flags = (struct.unpack("<I", struct.pack(">I", word))[0] for word in (prot, flags))
        if r.misc & 0x4000:
            identity = f" <{f['build_id'][:f['build_id_size']].hex()}>"
        else:
            identity = f" {f['maj']:02x}:{f['min']:02x} {f['ino']} {f['ino_generation']}"
        return [
            f" {s32(f['pid'])}/{s32(f['tid'])}: [{hexa(f['addr'])}({hexa(f['len'])}) @ {hexa(f['pgoff'])}"
            f"{identity}]: "
            f"{'r' if prot & 1 else '-'}{'w' if prot & 2 else '-'}{'x' if prot & 4 else '-'}"
            f"{'s' if flags & 1 else 'p'} {text_of(f['filename'])}"
        ]

    def lost(self, f, r):
        return [f": id:{f['id']}: lost:{f['lost']}"]

    def lost_samples(self, f, r):
        event = r.id.get("identifier", r.id.get("id", oracle.U64))
        bpf = "-BPF" if r.misc & 0x8000 and self.newest else ""
        return [f": id:{event}: lost{bpf} samples :{f['lost']}"]

    def comm(self, f, r):
        return [f"{' exec' if r.misc & 0x2000 else ''}: {text_of(f['comm'])}:{s32(f['pid'])}/{s32(f['tid'])}"]

    def fork(self, f, r):
        return [f"({s32(f['pid'])}:{s32(f['tid'])}):({s32(f['ppid'])}:{s32(f['ptid'])})"]

    exit = fork

    def throttle(self, f, r):
        return [": unhandled!"]

    unthrottle = finished_init = throttle

    def finished_round(self, f, r):
        return [""]

    def aux(self, f, r):
        names = "".join(letter for bit, letter in ((1, "T"), (2, "O"), (4, "P")) if f["flags"] & bit)
        return [
            f" offset: {hexa(f['aux_offset'])} size: {hexa(f['aux_size'])} flags: {hexa(f['flags'])}"
            f" [{names}]"
        ]

    def itrace_start(self, f, r):
        return [f" pid: {f['pid']} tid: {f['tid']}"]

    def switch(self, f, r):
        return [
            " OUT preempt"
            if r.misc & 0x6000 == 0x6000
            else " OUT        "
            if r.misc & 0x2000
            else " IN         "
        ]

    def switch_cpu_wide(self, f, r):
        return [
            f"{self.switch(f, r)[0]}  {'next' if r.misc & 0x2000 else 'prev'} pid/tid: "
            f"{s32(f['next_prev_pid']):5}/{s32(f['next_prev_tid']):<5}"
        ]

    def namespaces(self, f, r):
        names = ["net", "uts", "ipc", "pid", "user", "mnt", "cgroup"]
        words = [f"{i}/{names[i]}: {n['dev']}/{hexa(n['inode'])}" for i, n in enumerate(f["namespaces"])]
        first = [f" {s32(f['pid'])}/{s32(f['tid'])} - nr_namespaces: {f['nr']}"]
        return first + ["\t\t[" + ", ".join(words[:4]) + ", ", "\t\t " + ", ".join(words[4:]) + "]"]

    def ksymbol(self, f, r):
        return [
            f" addr {f['addr']:x} len {f['len']} type {f['ksym_type']} flags {f['flags']:#x}"
            f" name {text_of(f['name'])}"
        ]

    def bpf_event(self, f, r):
        return [f" type {f['type']}, flags {f['flags']}, id {f['id']}"]

    def cgroup(self, f, r):
        return [f" cgroup: {f['id']} {text_of(f['path'])}"]

    def text_poke(self, f, r):
        lines = [f" {f['addr']:x}  old len {f['old_len']} new len {f['new_len']}"]
        return lines + [
            f"            {name} bytes: {code.hex(' ')}"
            for name, code in (("Old", f["old_bytes"]), ("New", f["new_bytes"]))
        ]

    def aux_output_hw_id(self, f, r):
        return [f" hw_id: {hexa(f['hw_id'])}"]

    def callchain_deferred(self, f, r):
        return [
            f"(IP, {r.misc:#x}): {r.id.get('pid', -1)}/{r.id.get('tid', -1)}: {hexa(f['cookie'])}",
            ": unhandled!",
        ]

    def read(self, f, r):
        values, event = f["values"], self.events[r.attr]
        name = event["name"]
        if not self.newest and not event["flags"]["exclude_guest"]:
            name += ":HG"
        if "nr" in values:  # the defect: first comes nr, and what follows the times is taken as id and lost
            words = [word for one in values["values"] for word in one.values()] + [0, 0]
            values = dict(values, value=values["nr"], id=words[0], lost=words[1])
        lines = [f": {s32(f['pid'])} {s32(f['tid'])} {name} {values['value']}"]
        for label, key in (
            ("time enabled", "time_enabled"),
            ("time running", "time_running"),
            ("id", "id"),
            ("lost", "lost"),
        ):
            if key in values:
                lines.append(f"... {label:13}: {values[key]}")
        return lines

    # -- perf's records

    def stat(self, f, r):
        return [
            "",
            f"... id {f['id']}, cpu {s32(f['cpu'])}, thread {s32(f['thread'])}",
            f"... value {f['val']}, enabled {f['ena']}, running {f['run']}",
            ": unhandled!",
        ]

    def stat_round(self, f, r):
        return ["", f"... time {f['time']}, type {'FINAL' if f['type'] else 'INTERVAL'}", ": unhandled!"]

    def header_tracing_data(self, f, r):
        return [""]

    # -- perf's records of which perfdata's JSON is taken as it is

    def header_build_id(self, f, r):
        return [""]

    def auxtrace_error(self, f, r):
        return [": unhandled!"]

    def id_index(self, f, r):
        lines = [f" nr: {number(f['nr'])}"]
        machines = f.get("machines", [None] * len(f["entries"]))
        for one, machine in zip(f["entries"], machines):
            lines.append(
                f" ... id: {number(one['id'])}  idx: {number(one['idx'])}  cpu: {signed(one['cpu'])}  "
                f"tid: {signed(one['tid'])}"
            )
            if machine and number(machine["machine_pid"]):
                lines[
                    -1
                ] += f"  machine_pid: {number(machine['machine_pid'])}  vcpu: {number(machine['vcpu'])}"
        return lines

    def thread_map(self, f, r):
        threads = [str(s32(number(one["pid"]) & oracle.U32)) for one in f["entries"]]
        return [
            f" nr: {len(threads)} thread{'s' if len(threads) > 1 else ''}: {', '.join(threads)}",
            ": unhandled!",
        ]

    def cpu_map(self, f, r):
        return [": " + cpu_list(f["map"]), ": unhandled!"]

    def stat_config(self, f, r):
        values = {names_of.number("entries", "tag", one["tag"]): number(one["val"]) for one in f["entries"]}
        return [
            "",
            f"... aggr_mode {s32(values.get(0, 0) & oracle.U32)}",
            f"... scale     {values.get(2, 0)}",
            f"... interval  {values.get(1, 0)}",
            ": unhandled!",
        ]

    def event_update(self, f, r):
        lines = ["", f"... id:    {number(f['id'])}"]
        for name in ("unit", "name"):
            if name in f:
                text = f[name]["hex"] if isinstance(f[name], dict) else f[name].encode().hex()
                lines.append(f"... {name}:  {text_of(bytes.fromhex(text))}")
        if "scale" in f:
            bits = f["scale"]
            value = (
                float(bits)
                if not str(bits).startswith("0x")
                else struct.unpack("<d", struct.pack("<Q", number(bits)))[0]
            )
            lines.append(f"... scale: {value:f}")
        if "cpus" in f:
            lines.append("... " + cpu_list(f["cpus"]))
        return lines

    def time_conv(self, f, r):
        lines = [
            "",
            f"... Time Shift      {number(f['time_shift'])}",
            f"... Time {'Multiplier' if self.newest else 'Muliplier '} {number(f['time_mult'])}",
            f"... Time Zero       {number(f['time_zero'])}",
        ]
        if "time_mask" in f:
            lines += [
                f"... Time Cycles     {number(f['time_cycles'])}",
                f"... Time Mask       {hexa(number(f['time_mask']))}",
                f"... Cap Time Zero   {f['cap_user_time_zero']}",
                f"... Cap Time Short  {f['cap_user_time_short']}",
            ]
        return lines + [": unhandled!"]

    def header_attr(self, f, r):
        return ["", None] if self.newest else [""]  # 7.3: the attr, which evlist tells too

    def header_feature(self, f, r):
        feature = r.feature
        if not self.newest or not f.get("data"):
            return [""]
        bit, text = names_of.number("header_feature", "feat_id", f["feat_id"]), None
        labels = {3: "hostname", 4: "os release", 5: "perf version", 6: "arch", 8: "cpudesc", 9: "cpuid"}
        if bit in labels:
            text = f"# {labels[bit]} : {feature['text']}"
        elif bit == 7:
            text = (
                f"# nrcpus online : {feature['nr_cpus_online']}\n# nrcpus avail : {feature['nr_cpus_avail']}"
            )
        elif bit == 10:
            text = f"# total memory : {feature['total_mem']} kB"
        elif bit == 16:
            text = "# pmu mappings: " + ", ".join(f"{one['name']} = {one['type']}" for one in feature["pmus"])
        elif bit == 33:
            text = f"# e_machine : {feature['e_machine']}\n#   e_flags : {number(feature['e_flags'])}"
        elif bit == 34:
            text = f"# cacheline size: {feature['cln_size']}"
        return (", " + text).split("\n") if text else ["", None]

    # -- samples

    def sample(self, f, r):
        event = self.events[r.attr]
        lines = [
            f"(IP, {r.misc:#x}): {s32(f.get('pid', oracle.U32))}/{s32(f.get('tid', oracle.U32))}: "
            f"{hexa(f.get('ip', 0))} period: {f.get('period', event['sample_period'])} "
            f"addr: {hexa(f.get('addr', 0))}"
        ]
        if "callchain" in f:
            lines.append(f"... FP chain: nr:{f['callchain']['nr']}")
            for i, ip in enumerate(f["callchain"]["ips"]):
                name = f" (PERF_CONTEXT_{CONTEXT_NAMES[ip]})" if self.newest and ip in CONTEXT_NAMES else ""
                lines.append(f"..... {i:2}: {ip:016x}{name}")
        if "branch_stack" in f:
            lines += self.branches(f["branch_stack"], event)
        lines += self.regs("user", f.get("regs_user"), event["sample_regs_user"])
        lines += self.regs("intr", f.get("regs_intr"), event["sample_regs_intr"])
        if "stack_user" in f:
            lines.append(self.stack(f["stack_user"], r))
        if "weight_struct" in f:
            part = f["weight_struct"]
            third = part["var3_w"] if self.newest else 0
            lines.append(f"... weight: {part['var1_dw']},{part['var2_w']:#x},{third:#x}")
        elif "weight" in f:
            lines.append(f"... weight: {f['weight']}")
        if "data_src" in f:
            lines.append(f" . data_src: {f['data_src']:#x}")
        if "phys_addr" in f:
            lines.append(f" .. phys_addr: {f['phys_addr']:#x}")
        if "data_page_size" in f:
            lines.append(f" .. data page size: {page_size(f['data_page_size'])}")
        if "code_page_size" in f:
            lines.append(f" .. code page size: {page_size(f['code_page_size'])}")
        if "transaction" in f:
            lines.append(f"... transaction: {f['transaction']:x}")
        if "read" in f:
            lines += self.values(f["read"])
        return lines

    def branches(self, stack, event):
        if event["branch_sample_type"] & 1 << 11:
            lines = [f"... branch callstack: nr:{stack['nr'] + 1 if stack['nr'] else 0}"]
            for i, entry in enumerate(stack["entries"]):
                if i == 0:
                    lines.append(f"..... {i:2}: {entry['to']:016x}")
                lines.append(f"..... {i + 1:2}: {entry['from']:016x}")
            return lines
        lines = [f"... branch stack: nr:{stack['nr']}"]
        for i, entry in enumerate(stack["entries"]):
            b = entry["flags"]
            marks = "".join(
                letter if b[name] else " "
                for letter, name in (("M", "mispred"), ("P", "predicted"), ("A", "abort"), ("T", "in_tx"))
            )
            kind = (
                BRANCH_TYPE[b["type"]]
                if b["type"] < 15
                else [
                    "FAULT_ALGN",
                    "FAULT_DATA",
                    "FAULT_INST",
                    "ARCH_1",
                    "ARCH_2",
                    "ARCH_3",
                    "ARCH_4",
                    "ARCH_5",
                ][b["new_type"]]
            )
            spec = BRANCH_SPEC[b["spec"]] if self.newest else ""
            lines.append(
                f"..... {i:2}: {entry['from']:016x} -> {entry['to']:016x} {b['cycles']} cycles {marks} "
                f"{b['reserved']:x} {kind} {spec}"
            )
        return lines

    def regs(self, kind, regs, mask):
        if not regs or not regs["abi"]:
            return []
        if self.big and kind == "intr":
            mask = int.from_bytes(mask.to_bytes(8, "little"), "big")
        lines = [f"... {kind} regs: mask {mask:#x} ABI {'64-bit' if regs['abi'] == 2 else '32-bit'}"]
        names = oracle.register_names(mask)
        return lines + [f".... {name:5} 0x{value:016x}" for name, value in zip(names, regs["regs"])]

    def stack(self, stack, record):
        return f"... ustack: size {stack.get('dyn_size', 0)}, offset {self.stack_offset(record):#x}"

    def stack_offset(self, record):
        """Where the stack's size is, counted from the record's first byte, from the fields before it."""
        f, at = record.fields, 8
        at += 8 * sum(
            key in f
            for key in ("identifier", "ip", "pid", "time", "addr", "id", "stream_id", "cpu", "period")
        )
        if "read" in f:
            read = f["read"]
            at += 8 * sum(
                key in read for key in ("nr", "value", "time_enabled", "time_running", "id", "lost")
            )
            at += 8 * sum(len(one) for one in read.get("values", []))
        if "callchain" in f:
            at += 8 + 8 * f["callchain"]["nr"]
        if "raw" in f:
            at += 4 + f["raw"]["size"]
        if "branch_stack" in f:
            at += 8 + 8 * ("hw_idx" in f["branch_stack"]) + 24 * f["branch_stack"]["nr"]
        if "regs_user" in f:
            at += 8 + 8 * len(f["regs_user"]["regs"])
        return at

    def values(self, read):
        lines = ["... sample_read:"]
        for label, key in (("enabled", "time_enabled"), ("running", "time_running")):
            if key in read:
                lines.append(f"...... time {label} {read[key]:016x}")
        if "nr" in read:
            lines.append(f".... group nr {read['nr']}")
        for one in read.get("values", [read]):
            lost = f", lost {one['lost']}" if "lost" in one else ""
            lines.append(f"..... id {one.get('id', 0):016x}, value {one['value']:016x}{lost}")
        return lines


def number(value):
    return int(value, 0) if isinstance(value, str) else value


def signed(value):
    value = number(value) & oracle.U64
    return value - (1 << 64) if value >> 63 else value


def cpu_list(cpus):
    """A set of cpus as perf prints it: 0-3,7; -1 is any."""
    numbers = []
    if "range" in cpus:
        numbers = [-1] * cpus["range"]["any_cpu"] + list(
            range(cpus["range"]["start_cpu"], cpus["range"]["end_cpu"] + 1)
        )
    elif "cpus" in cpus:
        numbers = [-1 if cpu == 0xFFFF else cpu for cpu in cpus["cpus"]["cpu"]]
    elif "mask" in cpus:
        size = 8 * cpus["mask"]["long_size"]
        words = [number(word) for word in cpus["mask"][f"mask{size}"]]
        numbers = [i * size + bit for i, word in enumerate(words) for bit in range(size) if word >> bit & 1]
    runs = []
    for cpu in numbers:
        if runs and runs[-1][1] + 1 == cpu and runs[-1][0] >= 0:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def events_of(info):
    events = []
    for event in info["events"]:
        attr = oracle.plain("attr", event["attr"])
        defaults = {
            "sample_type": 0,
            "read_format": 0,
            "branch_sample_type": 0,
            "sample_regs_user": 0,
            "sample_regs_intr": 0,
            "sample_period": 0,
        }
        events.append(dict(defaults, **attr, name=event["name"], ids=[int(one) for one in event["ids"]]))
    return events


def value_count(lines):
    return sum(len(re.findall(r"[^\s,:()\[\]/@]+", line)) for line in lines)


def compare_file(perf, path, report, names=None, big=False, pipe=False):
    where = f"{path.name} by {perf.name}"
    run = perf.run("report", "-D", *perf.no_symbols, "-i", str(path))
    text = run.stdout.decode("utf-8", "surrogateescape")
    blocks, stats = read_blocks(text)
    if run.returncode or not blocks:
        report.differ(
            where,
            "perf report -D",
            f"exit {run.returncode}, {len(blocks)} records: "
            f"{run.stderr.decode(errors='replace').strip()[:300]}",
        )
        return
    records, status = names_of.dump(path)
    if status:
        report.differ(where, "perfdata dump", f"exit {status}")
    events = events_of(oracle.info(path))
    for event, name in zip(events, names or []):
        if name.count(":") == 1 and "/" not in name or names is handmade.NAMES:
            event["name"] = name  # a tracepoint's attr has only a number, and perf cuts names to the config
        report.same("event names", where, "name of an event", bare(event["name"]), bare(name))
    compare_attrs(perf, path, events, big, report)
    printer = Printer(perf, events, big)
    base = 0
    if pipe:
        base = 16
        printer.cpus = os.cpu_count()  # the pipes here have no feature NRCPUS
        printer.attrs_at = [record.offset for record in records if record.type == 64]

    ours = {}
    for record in records:
        if record.raw is not None:
            report.differ(
                where, f"offset {record.offset:#x}", f"perfdata could not decode this {record.name}"
            )
        if record.type not in (81, 83):
            ours.setdefault(record.offset - base, []).append(record)
    theirs = {}
    for block in blocks:
        theirs.setdefault(block.offset, []).append(block)
    report.same(
        "files",
        where,
        "offsets that only one side has",
        sorted(ours.keys() - theirs),
        sorted(theirs.keys() - ours),
    )
    report.counts["offsets"] += len(ours)
    for offset, mine in ours.items():
        found = theirs.get(offset, [])
        report.same("record counts", where, f"records at {offset:#x}", len(mine), len(found))
        if len(mine) > 1:  # inside a COMPRESSED record: perf has sorted them
            mine = sorted(mine, key=lambda record: record.time or 0)
        for record, block in zip(mine, found):
            compare_record(f"{where}: {offset:#x}", printer, record, block, report)
    compare_statistics(where, records, printer.events, stats, report)


def compare_statistics(where, records, events, stats, report):
    """perf's own counts of records by type, and of samples by event."""
    counts = collections.Counter(PERF_NAMES.get(record.name, record.name) for record in records)
    aggregated = stats.pop("Aggregated", {})
    aggregated.pop("TOTAL", None)
    for name, count in aggregated.items():
        report.same("statistics", where, f"{name} events", counts.get(name, 0), count)
    samples, before = collections.Counter(), {}
    for record in records:
        if record.type != 9:
            continue
        members = record.fields.get("read", {}).get("values")
        if members is None:
            samples[bare(events[record.attr]["name"])] += 1
        for member in (
            members or []
        ):  # perf makes a sample of every member that has counted since its last one
            if member["value"] != before.get(member["id"], 0):
                samples[bare(next(event["name"] for event in events if member["id"] in event["ids"]))] += 1
            before[member["id"]] = member["value"]
    for name, counted in stats.items():
        report.same(
            "statistics", where, f"samples of {name}", samples.get(bare(name), 0), counted.get("SAMPLE", 0)
        )


# perf's names of attr fields that have another name in perfdata
ATTR_NAMES = {
    "{ sample_period, sample_freq }": "sample_period",
    "{ wakeup_events, wakeup_watermark }": "wakeup_events",
    "{ bp_addr, config1 }": "bp_addr",
    "{ bp_len, config2 }": "bp_len",
}
# Fields that perf 6.1 and 7.3 do not print, and those of which they print a wrong number in big-endian files.
ATTR_UNPRINTED = {"reserved_2", "tail", "name", "ids", "config3", "config4"}
ATTR_UNSWAPPED = {"clockid", "sample_regs_intr", "precise_ip", "sig_data"}


def compare_attrs(perf, path, events, big, report):
    """The attrs as `perf evlist -v` prints them: the fields that are not 0."""
    where = f"{path.name} by {perf.name} evlist"
    run = perf.run("evlist", "-v", "-i", str(path))
    lines = [line for line in run.stdout.decode(errors="replace").split("\n") if " size: " in line]
    report.same("attrs", where, "number of attrs", len(events), len(lines))
    for index, (event, line) in enumerate(zip(events, lines)):
        ours = {}
        for name, value in event.items():
            if isinstance(value, dict):
                # not printed: the parts of aux_action
                ours.update({flag: bit for flag, bit in value.items() if name == "flags"})
            elif name not in ATTR_UNPRINTED:
                ours[name] = value
        ours = {name: value for name, value in ours.items() if value}
        ours["sample_type"] &= ~handmade.TRANSACTION  # which perf does not print
        theirs = {}
        line = re.sub(r" \([A-Za-z_0-9:,./ -]*\)", "", line[re.search(r"\b(type|size): \d", line).start() :])
        for name, value in re.findall(r"({[^}]*}|[a-z_0-9]+): ([^,]+)", line):
            name = ATTR_NAMES.get(name, name)
            if name in ("sample_type", "read_format", "branch_sample_type"):
                table = {
                    "sample_type": oracle.SAMPLE_TYPE,
                    "read_format": oracle.READ_FORMAT,
                    "branch_sample_type": oracle.BRANCH_SAMPLE_TYPE,
                }[name]
                theirs[name] = oracle.Word(table).parse(value.strip())
            else:
                theirs[name] = int(value, 0)
        for name in sorted(ours.keys() | theirs.keys()):
            if not (big and name in ATTR_UNSWAPPED):
                report.same(
                    "attr fields", f"{where}: attr {index}", name, ours.get(name, 0), theirs.get(name, 0)
                )


def compare_record(where, printer, record, block, report):
    name = PERF_NAMES.get(record.name, record.name)
    report.same("types", where, "type", name, block.name)
    report.same("sizes", where, "size", record.size, block.size)
    if block.raw:
        report.same(
            "sizes", where, "size and type before the bytes", (record.size, record.type), block.raw[1:]
        )
    report.same("cpu and time", where, "cpu and time", printer.prefix(record), block.prefix)
    lines = printer.lines(record)
    if lines is None:
        report.differ(
            where, record.name, f"perfdata has fields here that this test does not compare: {record.fields}"
        )
        return
    if None in lines:
        report.note(f"{record.name}: perf prints fields that are not compared here")
        return
    theirs = [line.rstrip() for line in block.lines]
    if record.type == 9:
        theirs = thread_lines(where, record, theirs, report)
    mine = [line.rstrip() for line in lines]
    while mine and not mine[-1]:
        mine.pop()
    while theirs and not theirs[-1]:
        theirs.pop()
    if mine == theirs:
        report.counts[record.name + " lines"] += len(mine)
        report.counts[record.name + " values"] += value_count(mine)
        return
    for i in range(max(len(mine), len(theirs))):
        report.same(
            record.name + " lines",
            where,
            f"line {i}",
            mine[i] if i < len(mine) else None,
            theirs[i] if i < len(theirs) else None,
        )


def thread_lines(where, record, lines, report):
    """Takes off the lines with thread and dso at the end, which are perf's own findings, but for the tid."""
    rest = [line for line in lines if not re.match(r"^ \.\.\. thread: |^ \.\.\.\.\.\. dso: ", line)]
    threads = [line for line in lines if line.startswith(" ... thread: ")]
    for line in threads[:1]:
        report.same(
            "threads",
            where,
            "tid of the thread",
            s32(record.fields.get("tid", oracle.U32)),
            int(line.rsplit(":", 1)[1]),
        )
    if not threads and "ip" in record.fields:
        report.note("SAMPLE without a thread line")
    return rest


def main():
    report = oracle.Report()
    perf = oracle.system_perf()
    latest = oracle.latest_perf(report)
    recordings = oracle.Recordings()
    for judge in [perf] + ([latest] if latest else []):
        names = oracle.NEWEST if judge.newest else list(oracle.RECORDINGS)
        for name, path in recordings.make_all(judge, names, report):
            compare_file(judge, path, report, oracle.RECORDINGS[name][2])
        compare_file(judge, recordings.pipe(judge), report, ["cpu-clock", "sched:sched_wakeup"], pipe=True)
        if not judge.newest:  # 7.3 refuses its own recordings of perf stat
            compare_file(judge, recordings.stat(judge), report)
    for order, big in (("<", False), (">", True)):
        for pipe in (False, True):
            for word in (8, 4):
                path = recordings.dir / f"hand-{'be' if big else 'le'}-{word}{'-pipe' if pipe else ''}.data"
                path.write_bytes(handmade.make(order, word, pipe, for_perf=True))
                if not big:
                    compare_file(perf, path, report, handmade.NAMES, big, pipe)
                if latest and not (big and pipe):
                    compare_file(latest, path, report, handmade.NAMES, big, pipe)
    seed = oracle.seed()
    for order, big in (("<", False), (">", True)):
        path = recordings.dir / f"hand-{'be' if big else 'le'}-tools.data"
        path.write_bytes(handmade.make_perf_tools(order, seed))
        for judge in [perf] * (not big) + (
            [latest] if latest else []
        ):  # 6.1 dies of the cpus of EVENT_UPDATE
            compare_file(judge, path, report, None, big)
    report.need(MINIMUM | (NEWEST if latest else {}))
    return report.finish()


# Of each kind at least so many values; the files made by hand alone have some of most.
MINIMUM = {
    "SAMPLE values": 100000,
    "MMAP values": 100,
    "MMAP2 values": 10000,
    "COMM values": 1000,
    "FORK values": 500,
    "EXIT values": 200,
    "LOST values": 20,
    "LOST_SAMPLES values": 20,
    "THROTTLE lines": 10,
    "UNTHROTTLE lines": 10,
    "READ values": 50,
    "SWITCH lines": 20,
    "SWITCH_CPU_WIDE values": 1000,
    "NAMESPACES values": 100,
    "KSYMBOL values": 50,
    "BPF_EVENT values": 30,
    "CGROUP values": 20,
    "TEXT_POKE values": 50,
    "AUX values": 50,
    "AUX_OUTPUT_HW_ID values": 10,
    "ITRACE_START values": 20,
    "STAT values": 50,
    "STAT_ROUND values": 5,
    "ID_INDEX values": 200,
    "THREAD_MAP values": 50,
    "CPU_MAP values": 30,
    "STAT_CONFIG values": 20,
    "EVENT_UPDATE values": 200,
    "TIME_CONV values": 30,
    "AUXTRACE_ERROR lines": 3,
    "attr fields": 300,
    "event names": 20,
    "cpu and time": 10000,
    "offsets": 10000,
    "statistics": 100,
    "threads": 5000,
}
NEWEST = {"HEADER_FEATURE values": 10}  # printed by perf-latest alone


if __name__ == "__main__":
    try:
        sys.exit(main())
    except oracle.Bad as error:
        oracle.fail(str(error))
