#!/usr/bin/env python3
"""The places of samples, by `perf script -F ip,dso` and by a session (perfdata/session/session.h).

examples/frames, which uses only the public headers, prints for each sample the task's name and, for
each frame, the file that is mapped there and the offset in it. perf 7.3 prints offsets (dsoff), 6.1 does not.

What must be known of perf (6.1.187 and 7.3.4):
  - samples come in order of time; inlined frames are left out with --no-inline, chains are cut at
    --max-stack
  - a chain with an entry among the last 4095 numbers that is no marker is dropped; here it ends there
  - of a sampled group each member is a sample; user stacks are unwound; branch records of call stacks
    take the place of the user's chain; AUX traces become samples. Such recordings are left out, and so are
    off-cpu samples, whose stack is in their raw data, and guests, which perf takes apart only when told to
  - the kernel is shown by the path of its vmlinux where this machine has one, modules by their path where a
    build id is known, the vdso by a copy in /tmp
  - the kernel has no offsets to compare
  - 6.1 prints in call chains, where no symbol is asked for, the offset in place of the address, but of the
    kernel and its modules
  - a task that samples still name after its EXIT is ":TID" to 7.3; 6.1 knows it until its tid is used again
Where a session is unlike perf, by its documentation:
  - exec removes mappings: perf keeps those that no new mapping covers
  - mappings of the kernel end at their size: perf 7.3 extends the kernel to the next module, and ignores
    one of all addresses (simpleperf's), and a module over the kernel; 6.1 accepts both
"""

import json
import os
import pathlib
import re
import subprocess
import sys

import oracle

FRAMES = pathlib.Path(os.environ.get("PERFDATA_BUILD", ".")) / "examples" / "frames"
HEAD = re.compile(r"^\s*(?P<comm>.*?)\s+(?P<pid>-?\d+)/(?P<tid>-?\d+)\s+(?P<time>\d+\.\d{9}):(?P<rest>.*)$")
FRAME = re.compile(r"^\s+([0-9a-f]+) \((.*?)(?:\+0x([0-9a-f]+))?\)$")
MODULE = re.compile(r"^/lib/modules/.*/([^/]*?)\.ko(\.[a-z0-9]+)?$")
KERNEL = "[kernel.kallsyms]"
# Processes that fork, load libraries and exec.
TREE = """
for i in 1 2 3 4; do
  (
    i=0; while [ $i -lt 9000 ]; do i=$((i+1)); done
    exec sh -c "seq 1 20000 | sort -rn | tail -n 1; ls /" >/dev/null
  ) &
done
wait
"""


def dso_of(name):
    """The name that a session gives a file of perf's."""
    module = MODULE.match(name)
    if module:
        return "[" + module.group(1).replace("-", "_") + "]"
    if name.startswith("/tmp/perf-vdso.so-"):
        return "[vdso]"
    return KERNEL if name.endswith("/vmlinux") or name == "[kernel.vmlinux]" else name


def frame_of(match):
    offset = match.group(3)
    return int(match.group(1), 16), dso_of(match.group(2)), int(offset, 16) if offset else None


def is_kernels(dso):
    return dso.startswith("[") and dso not in ("[vdso]", "[vsyscall]", "[unknown]")


def samples_of(text):
    """(comm, pid, tid, time, frames) of each. A frame: address, dso, offset, whether it is of a call chain"""
    found = []
    for line in text.splitlines():
        head = HEAD.match(line)
        if head:
            found.append((*(head.group(name) for name in ("comm", "pid", "tid", "time")), []))
        frame = FRAME.match(head.group("rest") if head else line)
        if frame and found:
            found[-1][4].append((*frame_of(frame), not head))
    return found


def left_out(path):
    """Why a recording is not compared; None: it is."""
    run = subprocess.run(
        [oracle.PERFDATA, "info", "--json", str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    if run.returncode not in (0, 1, 3) or not run.stdout:
        return "cannot be read"
    about = json.loads(run.stdout)
    for event in about.get("events", []):
        attr = event["attr"]
        types = attr["sample_type"].split("|")
        if "STACK_USER" in types and "CALLCHAIN" in types:
            return "user stacks"
        if "GROUP" in attr["read_format"]:
            return "a sampled group"
        if "CALL_STACK" in attr.get("branch_sample_type", ""):
            return "call stacks of branch records"
        if event["name"] == "offcpu-time":
            return "off-cpu"
    if "auxtrace" in about["features"]:
        return "AUX traces"
    modes = subprocess.run(
        [oracle.PERFDATA, "dump", "-q", "-F", "misc", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    return "guests" if re.search(rb"[Gg]", modes.stdout) else None


def ours(path):
    run = subprocess.run(
        [str(FRAMES), str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False
    )
    return samples_of(run.stdout.decode(errors="replace"))


def theirs(perf, path):
    fields = "comm,pid,tid,time,ip,dso" + (",dsoff" if perf.newest else "")
    run = perf.run(
        "script",
        "-f",
        "--ns",
        "--no-inline",
        "--max-stack",
        "65535",
        "-F",
        fields,
        "-i",
        str(path),
        timeout=300,
    )
    return samples_of(run.stdout.decode(errors="replace")) if run.returncode == 0 else None


def compare_frame(report, where, our, their, newest):
    ip, dso, offset, _ = our
    report.same("frames", where, "dso", dso, their[1])
    if not newest:
        as_offset = their[3] and offset is not None and not is_kernels(dso)
        report.same("offsets", where, "ip", offset if as_offset else ip, their[0])
        return
    report.same("addresses", where, "ip", ip, their[0])
    if dso != KERNEL:
        report.same("offsets", where, "dsoff", offset, their[2])


def compare_frames(report, where, our, their, newest):
    if not their and our:
        report.note("chains that perf drops")
        return
    report.same("depths", where, "number of frames", len(our), len(their))
    for index, (a, b) in enumerate(zip(our, their)):
        if a[1] == "[unknown]" and b[1] == KERNEL:
            report.note("frames behind the kernel's mapping")
        elif newest and is_kernels(a[1]) and b[1] == KERNEL != a[1]:
            report.note("frames in a module that covers the kernel")
        elif newest and a[1] == KERNEL and b[1] == "[unknown]":
            report.note("frames in a kernel of all addresses")
        elif a[1] == "[unknown]" and b[1].startswith("/"):
            report.note("frames in what was mapped before an exec")
        else:
            compare_frame(report, f"{where}, frame {index}", a, b, newest)


def compare(perf, path, report):
    reason = left_out(path)
    if reason:
        report.note(f"recordings left out: {reason}")
        return
    b = theirs(perf, path)
    if not b:
        report.note(f"recordings that {perf.name} shows nothing of")
        return
    a = ours(path)
    where = f"{path.name} by {perf.name}"
    if not report.same("samples", where, "number of samples", len(a), len(b)):
        return
    for our, their in zip(a, b):
        here = f"{where}, at {our[3]}"
        report.same("tasks", here, "pid, tid, time", our[1:4], their[1:4])
        if not perf.newest:
            report.same("names", here, "comm", our[0], their[0])
        compare_frames(report, here, our[4], their[4], perf.newest)


def record(perf, recordings):
    path = recordings.dir / f"{perf.name}-frames.data"
    run = perf.run(
        "record",
        "-q",
        "-B",
        "-g",
        "-e",
        "cpu-clock",
        "-F",
        "1999",
        "-o",
        str(path),
        "--",
        "sh",
        "-c",
        TREE,
        timeout=60,
    )
    if run.returncode:
        oracle.skip(f"perf record: {run.stderr.decode(errors='replace')[:200]}")
    return path


def main():
    if not FRAMES.exists():
        oracle.fail(f"there is no {FRAMES}")
    report = oracle.Report()
    recordings = oracle.Recordings()
    first = oracle.system_perf()
    latest = oracle.latest_perf(report)
    for perf in [first] + ([latest] if latest else []):
        compare(perf, record(perf, recordings), report)
        for path in oracle.corpus():
            compare(perf, path, report)
    report.need({"tasks": 300, "frames": 2000, "names": 300})
    return report.finish()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except oracle.Bad as error:
        oracle.fail(str(error))
