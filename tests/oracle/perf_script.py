#!/usr/bin/env python3
"""Recordings made here, as `perf script -F …` prints them and as `perfdata dump --json` decodes them.

Samples are compared one by one, in order of time: comm, pid, tid, cpu, misc, time, period, event, addr, ip,
call chain, data_src, weight, ins_lat, phys_addr, page sizes, registers, and the fields of tracepoints; then
the side-band records that --show-*-events prints.

What must be known to read perf's text (perf 6.1.187 and 7.3.4):
  - fields are asked for in several runs, because a comm may look like anything that follows it: comm comes
    alone
  - samples come in order of time, equal times in order of the file; without --ns times lack their last three
    digits
  - with a symbol asked for nor printed, user addresses of call chains are printed as addresses in their file,
    kernel ones as they are: of the former only the last 12 bits are compared (as mappings begin at pages)
  - the markers of call chains are not printed; with `--call-graph dwarf` user frames are unwound from the
    stack, so only the kernel's part is compared; inlined frames are left out with --no-inline
  - a chain with an entry among the last 4095 numbers that is no marker (left by code without frame pointers)
    is dropped
  - of a group (`{a,b}:S`) each member that has counted since its last sample is a sample of its own, its
    period the difference of its counts
  - a field that no sample of an event has makes perf stop, so each recording is asked for what it has
  - page sizes are printed as 4K, the weight as a number, an ABI 0 as no registers
  - misc is printed as the cpumode's letter (K U H G g); perf shows the comm as of the sample's time
Where the two perfs differ (6.1 judges its own recordings):
  - a task that samples still name after its EXIT is ":TID" to 7.3; 6.1 knows it until its tid is used again
"""

import re
import sys

import oracle
import second_decoder_names
from oracle import bare, page_size, s32, text_of

CPUMODE = {1: "K", 2: "U", 3: "H", 4: "G", 5: "g"}
NEWEST = ["callchain", "tracepoints", "group-times", "memory", "mixed"]
MARKERS = [oracle.CONTEXT[name] for name in ("HV", "KERNEL", "USER")]
CALLCHAINS = {"callchain", "mixed", "compressed"}


class Sample:
    """One sample as perf script makes it: a record, or one member of its group."""

    def __init__(self, record, event, period):
        self.record, self.event, self.period = record, event, period
        self.f = record.fields


def samples_of(records, info, names):
    """The samples in order of time. `names`: of the events, in the order of their attrs."""
    owner = {}
    for index, event in enumerate(info["events"]):
        for one in event["ids"]:
            owner[int(one)] = index
    events = names + ["dummy"] * (len(info["events"]) - len(names))
    result, before = [], {}
    for record in sorted((one for one in records if one.type == 9), key=lambda one: one.time):
        members = record.fields.get("read", {}).get("values")
        if members is None:
            result.append(Sample(record, events[record.attr], record.fields.get("period")))
        for member in members or []:
            period = member["value"] - before.get(member["id"], 0)
            before[member["id"]] = member["value"]
            if period:
                result.append(Sample(record, events[owner[member["id"]]], period))
    return result


class Comms:
    """
    Names of tasks as of a time, from COMM and FORK in order of time. perf 6.1 knows a task until its tid is
    used again, 7.3 forgets it at its EXIT.
    """

    def __init__(self, records, forget):
        types = (3, 4, 7) if forget else (3, 7)
        self.events = sorted(
            (one for one in records if one.type in types and one.time is not None), key=lambda one: one.time
        )
        self.next, self.comm = 0, {0: "swapper"}

    def at(self, time, tid):
        while self.next < len(self.events) and self.events[self.next].time <= time:
            record = self.events[self.next]
            f = record.fields
            if record.type == 3:
                self.comm[f["tid"]] = text_of(f["comm"])
            elif record.type == 4:
                self.comm.pop(f["tid"], None)
            elif f["ptid"] in self.comm:
                self.comm[f["tid"]] = self.comm[f["ptid"]]
            else:
                self.comm.pop(f["tid"], None)
            self.next += 1
        return self.comm.get(tid, f":{s32(tid)}")


def seconds(time):
    return f"{time // 10**9}.{time % 10**9:09}"


def script(perf, path, fields, *more):
    run = perf.run("script", "-i", str(path), "--ns", "-F", fields, "--no-inline", *perf.no_symbols, *more)
    text = run.stdout.decode("utf-8", "surrogateescape")
    if run.returncode or not text:
        raise oracle.Bad(
            f"{path.name}: {perf.name} script -F {fields}: exit {run.returncode}, {len(text)} bytes: "
            f"{run.stderr.decode(errors='replace').strip()[:300]}"
        )
    return text


def lines_of(text):
    return [
        line
        for line in text.split("\n")
        if line.strip() and not re.match(r"^'\w+' not valid for .* Ignoring\.$", line)
    ]


class File:
    def __init__(self, perf, path, name, report):
        self.perf, self.path, self.report = perf, path, report
        self.where = f"{path.name} by {perf.name}"
        self.records, status = second_decoder_names.dump(path)
        if status:
            report.differ(self.where, "perfdata dump", f"exit {status}")
        self.names = (
            oracle.RECORDINGS[name][2] if name in oracle.RECORDINGS else ["cpu-clock", "sched:sched_wakeup"]
        )
        self.info = oracle.info(path)
        self.samples = samples_of(self.records, self.info, self.names)
        self.name = name

    def same(self, kind, index, field, ours, theirs):
        sample = self.samples[index]
        self.report.same(
            kind, f"{self.where}: sample {index}, offset {sample.record.offset:#x}", field, ours, theirs
        )

    def has(self, field):
        return bool(self.samples) and all(field in sample.f for sample in self.samples)

    def rows(self, lines, what):
        if self.report.same(
            "sample counts", self.where, f"samples printed with {what}", len(self.samples), len(lines)
        ):
            return list(zip(range(len(lines)), self.samples, lines))
        return []

    def heads(self):
        """pid, tid, cpu, time, period, event, addr, ip … in one line."""
        fields, pattern = [], r"^"
        f = self.samples[0].f
        for field, text in (
            ("pid", r" *(?P<pid>-?\d+)/"),
            ("tid", r"(?P<tid>-?\d+) +"),
            ("cpu", r"\[(?P<cpu>\d+)\] +"),
            ("misc", r"(?P<misc>[A-Za-z]*) +"),
            ("time", r"(?P<time>\d+\.\d{9}): +"),
            ("period", r"(?P<period>\d+) +"),
            ("event", r"(?P<event>\S+): +"),
            ("addr", r"(?P<addr>[0-9a-f]+) +"),
            ("data_src", r"(?P<data_src>[0-9a-f]+) \|OP .*?(?:BLK +N/A|BLK +\S+) +"),
            ("weight", r"(?P<weight>\d+) +"),
            ("ins_lat", r"(?P<ins_lat>\d+) +"),
            ("ip", r"(?P<ip>[0-9a-f]+) *"),
            ("phys_addr", r"(?P<phys_addr>[0-9a-f]+) *"),
            ("data_page_size", r"(?P<data_page_size>\S+) *"),
            ("code_page_size", r"(?P<code_page_size>\S+) *"),
        ):
            present = {
                "misc": True,
                "event": True,
                "ip": "ip" in f,
                "ins_lat": "weight_struct" in f,
                "weight": "weight" in f or "weight_struct" in f,
            }.get(field, self.has(field))
            if present:
                fields.append(field)
                pattern += text
        lines = lines_of(script(self.perf, self.path, ",".join(fields), "-G"))
        for index, sample, line in self.rows(lines, ",".join(fields)):
            found = re.match(pattern + "$", line)
            if not found:
                self.report.differ(
                    self.where, f"sample {index}", f"cannot be read: {line!r} with {pattern!r}"
                )
                return
            f = sample.f
            ours = {
                "pid": str(s32(f.get("pid", 0))),
                "tid": str(s32(f.get("tid", 0))),
                "cpu": f"{f.get('cpu', 0):03}",
                "time": seconds(f["time"]),
                "period": str(sample.period),
                "misc": CPUMODE.get(sample.record.misc & 7, ""),
                "event": bare(sample.event),
                "addr": f"{f.get('addr', 0):x}",
                "ip": f"{f.get('ip', 0):x}",
                "data_src": f"{f.get('data_src', 0):x}",
                "weight": str(f.get("weight", f.get("weight_struct", {}).get("var1_dw"))),
                "ins_lat": str(f.get("weight_struct", {}).get("var2_w")),
                "phys_addr": f"{f.get('phys_addr', 0):x}",
                "data_page_size": page_size(f.get("data_page_size", 0)),
                "code_page_size": page_size(f.get("code_page_size", 0)),
            }
            for field, text in found.groupdict().items():
                self.same(field, index, field, ours[field], bare(text) if field == "event" else text)

    def comms(self):
        comms = Comms(self.records, self.perf.newest)
        lines = lines_of(script(self.perf, self.path, "comm,time", "-G"))
        for index, sample, line in self.rows(lines, "comm"):
            comm, time = line.rsplit(None, 1)
            ours = comms.at(sample.f["time"], sample.f["tid"])
            self.same("comm", index, "comm", ours.rstrip(), comm.strip())
            self.same("time", index, "time", seconds(sample.f["time"]) + ":", time)

    def callchains(self):
        """Blocks of an empty-line-terminated list of addresses behind a line with the time."""
        text = script(self.perf, self.path, "time,event,ip")
        index = -1
        chains = []
        for line in text.split("\n"):
            if re.match(r"^ *\d+\.\d{9}: ", line):
                head = line.split()
                chains.append((head[0], head[2:]))
            elif line.strip():
                chains[-1][1].append(line.split()[0])
        for index, sample, (time, ips) in self.rows(chains, "call chains"):
            self.same("time", index, "time", seconds(sample.f["time"]) + ":", time)
            if "callchain" not in sample.f:
                self.same("ip", index, "ip", [f"{sample.f['ip']:x}"], ips)
                continue
            mode, ours = None, []
            for ip in sample.f["callchain"]["ips"]:
                if ip >= oracle.CONTEXT["MAX"]:
                    mode = ip
                else:
                    ours.append((mode, ip))
            if any(ip >= oracle.CONTEXT["MAX"] and ip not in MARKERS for ip in sample.f["callchain"]["ips"]):
                ours = []  # perf drops the chain
                self.report.note(
                    "call chain with an entry that is no marker but looks like one: dropped by perf"
                )
            if self.name == "dwarf":
                ours = [one for one in ours if one[0] == oracle.CONTEXT["KERNEL"]]
                ips = ips[: len(ours)]
            self.same("callchain lengths", index, "entries", len(ours), len(ips))
            for (mode, ip), printed in zip(ours, ips):
                value = int(printed, 16)
                if mode == oracle.CONTEXT["KERNEL"] or value > 1 << 63:
                    self.same("callchain addresses", index, "kernel address", ip, value)
                else:
                    self.same(
                        "callchain addresses", index, "user address, last bits", ip & 4095, value & 4095
                    )

    def registers(self, field, part, mask_name):
        mask = self.info["events"][0]["attr"][mask_name]
        mask = int(mask, 0) if isinstance(mask, str) else mask
        lines = script(self.perf, self.path, f"time,event,{field}", "-G").split("\n")
        for index, sample, line in self.rows([one for one in lines if one.strip()], field):
            regs = sample.f[part]
            found = re.findall(r"([A-Z0-9]+):0x([0-9a-f]+)", line)
            abi = re.search(r" ABI:(\d+)", line)
            self.same(field, index, "abi", regs["abi"], int(abi.group(1)) if abi else 0)
            names = oracle.register_names(mask) if regs["abi"] else []
            self.same(field, index, "names", names, [name for name, _ in found])
            for name, ours, (_, theirs) in zip(names, regs["regs"], found):
                self.same(field, index, name, ours, int(theirs, 16))

    def tracepoints(self):
        """The fields that perf makes of the raw data, against the data taken apart by tracefs's
        description."""
        formats = {name: read_format(name) for name in self.names}
        lines = lines_of(script(self.perf, self.path, "time,event,trace", "-G"))
        for index, sample, line in self.rows(lines, "trace"):
            time, event, text = re.match(r"^ *(\d+\.\d{9}): +(\S+): ?(.*)$", line).groups()
            self.same("time", index, "time", seconds(sample.f["time"]), time)
            raw = sample.f["raw"]
            self.same("raw", index, "size of the raw data", raw["size"], len(raw["data"]))
            fields, trace = formats[sample.event], sample.record.trace
            names = {name for name in fields if not name.startswith("common_")}
            self.same("trace", index, "fields", names - (trace or {}).keys(), set())
            for name, printed in trace_fields(text):
                if name not in fields:
                    continue
                self.same("trace", index, name, *shown(trace[name], printed, fields[name]))
                offset, size, signed, is_text = fields[name]
                data = raw["data"][offset : offset + size]
                if is_text:
                    ours = text_of(data)
                    self.same("raw text", index, name, ours, printed)
                elif re.fullmatch(r"-?\d+", printed):
                    self.same(
                        "raw numbers",
                        index,
                        name,
                        int.from_bytes(data, sys.byteorder, signed=signed),
                        int(printed),
                    )

    def side_band(self):
        """The records that perf script can show besides samples: their types and times, in order."""
        text = script(
            self.perf,
            self.path,
            "time,event",
            "--show-task-events",
            "--show-mmap-events",
            "--show-switch-events",
            "--show-lost-events",
            "--show-namespace-events",
            "--show-bpf-events",
            "--show-cgroup-events",
            "-G",
        )
        theirs = re.findall(r"^ *(\d+\.\d{9}): (?: *)PERF_RECORD_([A-Z_0-9]+)", text, re.M)
        shown = {
            "MMAP",
            "MMAP2",
            "COMM",
            "FORK",
            "EXIT",
            "LOST",
            "SWITCH",
            "SWITCH_CPU_WIDE",
            "NAMESPACES",
            "KSYMBOL",
            "BPF_EVENT",
            "CGROUP",
        }
        ours = sorted(
            (one for one in self.records if one.name in shown and one.time is not None),
            key=lambda one: one.time,
        )
        for a, b in zip([(seconds(one.time), one.name) for one in ours], theirs):
            self.report.same("side-band", self.where, "time and type", a, b)
        self.report.same("side-band", self.where, "records", len(ours), len(theirs))


def read_format(event):
    """{field: (offset, size, signed, is a text)} of a tracepoint's fixed fields."""
    system, name = event.split(":")
    for root in ("/sys/kernel/tracing", "/sys/kernel/debug/tracing"):
        try:
            with open(f"{root}/events/{system}/{name}/format", encoding="ascii") as file:
                text = file.read()
            break
        except OSError:
            continue
    else:
        raise oracle.Bad(f"tracefs does not describe {event}")
    fields = {}
    for declaration, offset, size, signed in re.findall(
        r"field:([^;]+);\s*offset:(\d+);\s*size:(\d+);\s*signed:(\d)", text
    ):
        if "__data_loc" in declaration or "__rel_loc" in declaration:
            continue
        field = re.sub(r"\[.*", "", declaration).split()[-1].lstrip("*")
        if "[" not in declaration or declaration.startswith("char"):
            fields[field] = (int(offset), int(size), signed == "1", "[" in declaration)
    return fields


def shown(ours, printed, layout):
    """A field of `dump --json` and as perf prints it, in forms that can be compared."""
    _, size, signed, is_text = layout
    if is_text or not re.fullmatch(r"-?\d+", printed):
        return str(ours) if is_text else None, printed if is_text else None  # other words are names of values
    value = int(ours, 0) if isinstance(ours, str) else ours
    return value, int.from_bytes((int(printed) % (1 << 8 * size)).to_bytes(size, "big"), "big", signed=signed)


def trace_fields(text):
    """(name, printed value) of "a=b c=d", "NR 3 (…)" and the words of sched_wakeup."""
    found = re.match(r"^NR (-?\d+) ", text)
    if found:
        return [("id", found.group(1))]
    found = re.match(r"^(.*):(\d+) \[(\d+)\] (?:<.*> )?CPU:(\d+)$", text)
    if found:
        return list(zip(("comm", "pid", "prio", "target_cpu"), found.groups()))
    found = re.match(r"^(.*):(\d+) \[(-?\d+)\] (\S+) ==> (.*):(\d+) \[(-?\d+)\]$", text)
    if found:
        return list(
            zip(
                ("prev_comm", "prev_pid", "prev_prio", "-", "next_comm", "next_pid", "next_prio"),
                found.groups(),
            )
        )
    return [(name, value) for name, value in re.findall(r"(\w+)=(.*?)(?= \w+=|$| ==>)", text)]


def compare(perf, path, name, report):
    file = File(perf, path, name, report)
    if not file.samples:
        report.differ(file.where, "samples", "there are none")
        return
    if name == "syscalls" or name == "tracepoints":
        file.tracepoints()
    file.heads()
    file.comms()
    if name in CALLCHAINS or name == "dwarf":
        file.callchains()
    if name.startswith("regs"):
        file.registers("iregs", "regs_intr", "sample_regs_intr")
        file.registers("uregs", "regs_user", "sample_regs_user")
    file.side_band()


def main():
    report = oracle.Report()
    perf = oracle.system_perf()
    latest = oracle.latest_perf(report)
    recordings = oracle.Recordings()
    for judge in [perf] + ([latest] if latest else []):
        names = NEWEST if judge.newest else list(oracle.RECORDINGS)
        for name, path in recordings.make_all(judge, names, report):
            compare(judge, path, name, report)
    report.need(MINIMUM)
    return report.finish()


MINIMUM = {
    "comm": 10000,
    "pid": 10000,
    "tid": 10000,
    "time": 10000,
    "cpu": 2000,
    "misc": 10000,
    "event": 10000,
    "period": 10000,
    "ip": 10000,
    "addr": 100,
    "data_src": 100,
    "weight": 50,
    "ins_lat": 50,
    "phys_addr": 50,
    "data_page_size": 20,
    "code_page_size": 20,
    "iregs": 500,
    "uregs": 500,
    "raw": 500,
    "trace": 2000,
    "raw numbers": 1000,
    "raw text": 100,
    "callchain addresses": 2000,
    "callchain lengths": 300,
    "side-band": 3000,
    "sample counts": 40,
}

if __name__ == "__main__":
    try:
        sys.exit(main())
    except oracle.Bad as error:
        oracle.fail(str(error))
