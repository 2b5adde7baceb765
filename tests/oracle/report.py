#!/usr/bin/env python3
"""The rows of `perfdata report` and of perf report, by task, file and cpu: samples and periods of each.

perf prints them exactly with -F sample,period. What must be known of perf 6.1:
  - the samples of the recording's groups stand side by side; --no-group puts events one after the other
  - it makes up names that are not recorded, with modifiers (cycles:HG) that depend on its version and on what
    wrote the recording: they do not count
  - simpleperf notes the names of its events, of which perf does not know: its cpu-cycles are cycles
  - names are cut at their column's width, which -w makes wide enough
  - the kernel is shown by its vmlinux where there is one; modules by their path's last part
  - a task that exec'd keeps mappings that no new one covers, see frames.py
  - call chains do not matter with --no-children, branch records not with --no-branch-stack; branch records of
    call stacks and AUX traces become samples of their own: such recordings are left out
  - samples of a task before its first name are rows of that name, where script calls them :TID
  - samples of guests have no row of their own, unless --guest, but are part of a row that others have
  - once it has loaded the kernel's symbols, it forgets a mapping of all addresses (simpleperf's), and calls
    the samples that follow [unknown]
"""

import collections
import json
import re
import subprocess
import sys

import oracle

KEYS = ["comm", "comm,dso", "cpu"]
EVENT = re.compile(r"^# Samples: .* of events? '(.*)'$")
PERIODS = re.compile(r"^# Event count \(approx\.\): (\d+)$")
MODULE = re.compile(r"^(.*?)\.ko(\.[a-z0-9]+)?$")
PLACES = """
for i in 1 2 3; do
  ( exec sh -c "seq 1 40000 | sort -rn | tail -n 1; ls -lR /usr/share/doc" >/dev/null ) &
done
wait
"""


def dso_of(name):
    module = MODULE.match(name)
    if module:
        return "[" + module.group(1).replace("-", "_") + "]"
    return "[kernel.kallsyms]" if name in ("[kernel.vmlinux]", "vmlinux") else name


def event_of(name):
    return re.sub(r":[ukhGHpP]+$", "", name.replace("cpu-cycles", "cycles"))


def row_of(keys, values):
    return tuple(dso_of(v) if k == "dso" else str(int(v)) if k == "cpu" else v for k, v in zip(keys, values))


def ours(path, keys):
    """{event: {row: [samples, period]}}, or None: not readable."""
    run = subprocess.run(
        [oracle.PERFDATA, "report", "-q", "--json", "-s", ",".join(keys), str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=300,
    )
    if run.returncode not in (0, 3) or not run.stdout:
        return None
    found = {}
    for event in json.loads(run.stdout)["events"]:
        rows = found.setdefault(event_of(event["name"]), collections.defaultdict(lambda: [0, 0]))
        for row in event["rows"]:
            sums = rows[row_of(keys, [row["keys"][key] for key in keys])]
            sums[0] += row["samples"]
            sums[1] += int(row["period"])
    return found


def theirs(perf, path, keys):
    """The same, or None; and {event: the sum of its periods}, that of rows which are not shown included."""
    widths = ",".join(["30", "30"] + ["300"] * len(keys))
    run = perf.run(
        "report",
        "-f",
        "--stdio",
        "--no-children",
        "--no-branch-stack",
        "--no-group",
        "-F",
        "sample,period," + ",".join(keys),
        "-t",
        "\x01",
        "-w",
        widths,
        "-i",
        str(path),
        timeout=300,
    )
    found, rows, name = {}, None, ""
    periods = collections.Counter()
    for line in run.stdout.decode(errors="replace").splitlines():
        event = EVENT.match(line)
        if event:
            name = event_of(event.group(1))
            rows = found.setdefault(name, collections.defaultdict(lambda: [0, 0]))
        told = PERIODS.match(line)
        periods[name] += int(told.group(1)) if told else 0
        cells = [cell.strip() for cell in line.split("\x01")]
        if rows is None or line.startswith("#") or len(cells) != 2 + len(keys):
            continue
        sums = rows[row_of(keys, cells[2:])]
        sums[0] += int(cells[0])
        sums[1] += int(cells[1])
    return found if run.returncode == 0 else None, periods


def left_out(path):
    run = subprocess.run(
        [oracle.PERFDATA, "info", "--json", str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    if run.returncode not in (0, 1, 3) or not run.stdout:
        return "cannot be read"
    about = json.loads(run.stdout)
    for event in about.get("events", []):
        if "CALL_STACK" in event["attr"].get("branch_sample_type", ""):
            return "call stacks of branch records"
        if event["name"] == "offcpu-time":
            return "off-cpu"
    return "AUX traces" if "auxtrace" in about["features"] else None


def folded(rows, change):
    """Rows that become one another are one."""
    found = collections.defaultdict(lambda: [0, 0])
    for row, sums in rows.items():
        place = found[change(row)]
        place[0] += sums[0]
        place[1] += sums[1]
    return dict(found)


def without_kernel(row):
    """The kernel is as unknown as what is nowhere."""
    return tuple("[unknown]" if value == "[kernel.kallsyms]" else value for value in row)


def loses_names(our, their):
    """True if rows of ours without a task's name are part of rows with one."""
    only = our.keys() - their.keys()
    return (
        any(re.fullmatch(r":\d+", row[0]) for row in only)
        and folded(our, lambda row: row[1:]) == folded(their, lambda row: row[1:])
        and all(a <= b for row in our.keys() & their.keys() for a, b in zip(our[row], their[row]))
    )


def loses_guests(our, their, period):
    """True if it is rows of nothing known that are not shown, though their periods count."""
    left = {row: sums for row, sums in our.items() if row in their or row[-1] != "[unknown]"}
    return left != our and left == dict(their) and sum(sums[1] for sums in our.values()) == period


def compare_rows(report, where, keys, our, their, period):
    if our != their and folded(our, without_kernel) == folded(their, without_kernel):
        report.note("reports in which the kernel's mapping gets lost")
        return
    if keys[0] == "comm" and loses_names(our, their):
        report.note("reports in which a task's first name is that of earlier samples")
        return
    if keys[-1] == "dso" and loses_guests(our, their, period):
        report.note("reports without the rows of guests")
        return
    report.same("rows", where, "rows", sorted(our), sorted(their))
    for row in our.keys() & their.keys():
        report.same("samples", f"{where}, {row}", "samples", our[row][0], their[row][0])
        report.same("periods", f"{where}, {row}", "period", our[row][1], their[row][1])


def compare(perf, path, report):
    reason = left_out(path)
    if reason:
        report.note(f"recordings left out: {reason}")
        return
    for keys in KEYS:
        a = ours(path, keys.split(","))
        b, periods = theirs(perf, path, keys.split(","))
        if not b:
            report.note(f"reports that {perf.name} does not make")
            continue
        where = f"{path.name}, {keys}"
        b = {name: rows for name, rows in b.items() if rows}
        report.same("events", where, "events", sorted(a or {}), sorted(b))
        for name in (a or {}).keys() & b.keys():
            compare_rows(report, f"{where}, {name}", keys.split(","), a[name], b[name], periods[name])


def record(perf, recordings, name, *options):
    path = recordings.dir / f"report-{name}.data"
    run = perf.run("record", "-q", "-o", str(path), *options, "--", "sh", "-c", PLACES, timeout=60)
    if run.returncode:
        oracle.skip(f"perf record: {run.stderr.decode(errors='replace')[:200]}")
    return path


def main():
    report = oracle.Report()
    recordings = oracle.Recordings()
    perf = oracle.system_perf()
    paths = [
        record(perf, recordings, "plain", "-B", "-e", "cpu-clock", "-F", "1999"),
        record(perf, recordings, "group", "-B", "-e", "{cpu-clock,page-faults}:S"),
        record(perf, recordings, "count", "-B", "-e", "page-faults", "-c", "3"),
        record(perf, recordings, "fixed", "-B", "-e", "cpu-clock", "-c", "1000000"),
    ]
    for path in paths + list(oracle.corpus()):
        compare(perf, path, report)
    report.need({"events": 30, "rows": 30, "samples": 150, "periods": 150})
    return report.finish()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except oracle.Bad as error:
        oracle.fail(str(error))
