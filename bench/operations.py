# SPDX-License-Identifier: MIT
"""What bench/run says of operations on whole recordings: beside `cp`, the last release and perf."""

import os
import subprocess

IO = " {plain} -i {in} -o {out}"
# Name: the arguments, and what they may take: times of `cp`, or MB of recording a second ("150 MB/s").
OPERATIONS = {
    "filter, all kept": ("filter -q --time 0," + IO, 1.5),
    "filter --pid": ("filter -q --pid {pid}" + IO, 1.5),
    "filter --exclude-pid": ("filter -q --exclude-pid {pid}" + IO, 1.5),
    "filter --tid": ("filter -q --tid {tid}" + IO, 1.5),
    "filter --comms": ("filter -q --comms {comm}" + IO, 1.5),
    "filter --exclude-comms": ("filter -q --exclude-comms {comm}" + IO, 1.5),
    "filter --cpu": ("filter -q --cpu 1" + IO, 1.5),
    "filter --exclude-cpu": ("filter -q --exclude-cpu 1" + IO, 1.5),
    "filter -e": ("filter -q -e {event}" + IO, 1.5),
    "filter --time": ("filter -q --time 30%-60%" + IO, 1.5),
    "split --by pid": ("split -q -f --by pid {plain} -i {in} -o {out}.%d", 1.8),
    "sort": ("sort -q" + IO, 2.2),
    "redact": ("redact -q -i {in} -o {out}", 2),
    "hash": ("hash {in} > /dev/null", 2),
    "merge of two": ("merge -q -f {plain} -o {out} {halves}", 2.5),
    "decode": ("decode {in} > {out}", "400 MB/s"),
    "encode": ("encode -q -f -i {text} -o {out}", "150 MB/s"),
    "convert -z": ("convert -q -z -i {in} -o {out}", None),
    "convert --decompress": ("convert -q --decompress -i {in} -o {out}", None),
    "index": ("index -q -f -o {out} {in}", None),
}
# What a program for nothing else takes (write_yardstick.c): it reads twice, with names three times, goes from
# header to header, and writes what it reads or chooses, where that is needed by time.
LIMITS = {
    "filter, all kept": "{limit} {in} {out}",
    "filter --pid": "{limit} {in} {out} keep {pid}",
    "filter --exclude-pid": "{limit} {in} {out} drop {pid}",
    "filter --comms": "{limit} {in} {out} keep-comm {comm}",
    "filter --exclude-comms": "{limit} {in} {out} drop-comm {comm}",
    "redact": "{limit} {in} {out}",
    "sort": "{limit} {in} {out} order",
    "merge of two": "{limit} {in} {out} copy",
    "split --by pid": "rm -rf {out}.d; mkdir {out}.d && {limit} {in} {out}.d order-pid",
}
LINES = ("op ", "old ", "limit ")  # how the names of these cases begin
# Lines of bench/run's own table that show the same work by perf.
PERF = {"filter": "perf inject", "fields": "perf script -F comm,pid,tid,cpu,time,event"}
MOST_COMPRESSED = 1.15  # times inflating and the same of what is not compressed
# How often an operation reads, and so inflates, its input: names are known behind the last record, the tasks
# that chosen samples need only then, and what is out of order before the first record can be written.
READINGS = {"filter": 2, "filter --comms": 3, "filter --exclude-comms": 3, "sort": 2, "split --by pid": 2,
            "merge of two": 2}


def first_of(perfdata, path):
    """What is known of the first sample of a task that is not the idle one."""
    command = [perfdata, "dump", "-F", "comm,pid,tid,event", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as dump:
        for line in dump.stdout:
            comm, task, event = line.split()[:3]
            pid, tid = task.split("/")
            if pid != "0":
                dump.kill()
                return {"comm": comm, "pid": pid, "tid": tid, "event": event.rstrip(":")}
    raise ValueError(f"{path}: no task but the idle one")


def prepare(perfdata, path, compressed):
    """What stands in the braces of OPERATIONS; makes two halves and the text of a recording."""
    folder = path + ".more"
    os.mkdir(folder)
    halves = os.path.join(folder, "%d.data")
    subprocess.run([perfdata, "split", "-q", "--chunks", "2", "-i", path, "-o", halves], check=True)
    text = os.path.join(folder, "text")
    with open(text, "wb") as out:
        subprocess.run([perfdata, "decode", path], stdout=out, check=True)
    first = first_of(perfdata, path)
    return {
        **first,
        "halves": " ".join(os.path.join(folder, f"{n}.data") for n in range(2)),
        "text": text,
        "folder": folder,
        "plain": "--decompress" if compressed else "",  # what writes does not compress
    }


def filled(text, known):
    """The text with what is known in its braces."""
    for key, value in known.items():
        text = text.replace("{" + key + "}", value)
    return text


def commands(perfdata, known, previous):
    """(name of the line, command) for `perfdata bench --command`."""
    found = []
    limit = os.path.join(os.path.dirname(perfdata), "bench", "bench_write_yardstick")
    if os.path.exists(limit) and not known["plain"]:
        limits = {**known, "limit": limit}
        found += [("limit " + name, filled(shell, limits)) for name, shell in LIMITS.items()]
    for name, (arguments, _) in OPERATIONS.items():
        arguments = filled(arguments, known)
        found.append(("op " + name, f"{perfdata} {arguments}"))
        if previous:
            found.append(("old " + name, f"{previous} {arguments}"))
    return found


def print_table(name, cases):
    """Of one recording."""
    if "op sort" not in cases:
        return
    unit = cases["cp"]["task_clock_ns"]
    old = any(c.startswith("old ") for c in cases)
    print(f"\n### {name}: operations, `cp` taking {unit / 1e6:.0f} ms\n")
    print("| operation | ms | MB/s | times `cp` | limit | may take |" + (" last release |" if old else ""))
    print("| --- | ---: | ---: | ---: | ---: | ---: |" + (" ---: |" if old else ""))
    shown = [(n, "op " + n, most) for n, (_, most) in OPERATIONS.items()]
    for line, case, most in shown + [(label, "perf " + c, None) for c, label in PERF.items()]:
        if case not in cases:
            continue
        taken = cases[case]["task_clock_ns"]
        speed = cases[case]["bytes"] / taken * 1e3
        met = "" if most is None else most if isinstance(most, str) else f"{most:.1f}"
        before = cases.get("old " + line)
        limit = f"{cases['limit ' + line]['task_clock_ns'] / unit:.2f}" if "limit " + line in cases else ""
        print(f"| {line} | {taken / 1e6:.0f} | {speed:.0f} | {taken / unit:.2f} | {limit} | {met} |"
              + (f" {before['task_clock_ns'] / unit:.2f} |" if before else " |" if old else ""))


def print_compressed(plain, packed):
    """Operations on a compressed recording, beside the same records that are not, and inflating alone."""
    inflate = packed["inflate"]["task_clock_ns"]
    print(f"\n### Compressed: times of inflating ({inflate / 1e6:.0f} ms) and the plain recording's\n")
    print("| operation | ms | plain, ms | times both | may take | readings | times these |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in OPERATIONS:
        a, b = packed.get("op " + name), plain.get("op " + name)
        if a is None or b is None or name.startswith(("convert", "decode", "encode", "redact")):
            continue
        a, b = a["task_clock_ns"], b["task_clock_ns"]
        n = READINGS.get(name, READINGS["filter"] if name.startswith("filter") else 1)
        print(f"| {name} | {a / 1e6:.0f} | {b / 1e6:.0f} | {a / (b + inflate):.2f} | {MOST_COMPRESSED} "
              f"| {n} | {a / (b + n * inflate):.2f} |")
