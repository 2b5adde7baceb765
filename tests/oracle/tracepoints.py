#!/usr/bin/env python3
"""The fields of tracepoints, as perf hands them to a Python script and as perfdata/session/tracepoint.h finds
them.

perf reads the format files with libtraceevent; print_tracepoints, which stands beside this, with the library.
Every field of every sample is compared, those that all events have too.

What must be known of perf's values (6.1.187 and 7.3.4):
  - an array of one-byte elements, char or not, is a string if all up to its first NUL can be printed, else
    its bytes
  - other fixed arrays are their bytes, too
  - a number without its sign: what tracefs says of its size and sign is applied to it
  - the common fields are left out, but common_pid
"""

import functools
import json
import os
import pathlib
import re
import sys

import oracle
import perf_script
import second_decoder_names

PRINT = pathlib.Path(os.environ.get("PERFDATA_BUILD", ".")) / "tests" / "print_tracepoints"
U64 = oracle.U64

# Run inside perf.
SCRIPT = """
import json

def plain(value):
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": bytes(value).hex()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value

def trace_unhandled(name, context, fields, *more):
    print(json.dumps({"event": name, "fields": {key: plain(value) for key, value in fields.items()}}))
"""

NEEDED = """
sched:sched_switch sched:sched_wakeup sched:sched_process_exec sched:sched_process_fork
sched:sched_process_exit
sched:sched_stat_runtime task:task_newtask task:task_rename irq:softirq_entry raw_syscalls:sys_enter
raw_syscalls:sys_exit
signal:signal_generate""".split()
# Where the kernel has them: pointers, dynamic strings, addresses as arrays, 64-bit numbers with sign.
MORE = """
syscalls:sys_enter_openat syscalls:sys_exit_openat sock:inet_sock_set_state net:net_dev_queue net:net_dev_xmit
tcp:tcp_probe timer:hrtimer_start timer:timer_start kmem:mm_page_alloc workqueue:workqueue_queue_work
writeback:writeback_mark_inode_dirty ipi:ipi_send_cpu ipi:ipi_send_cpumask filelock:posix_lock_inode
power:cpu_idle skb:kfree_skb napi:napi_poll cgroup:cgroup_mkdir""".split()

WORK = """
import fcntl, os, socket, subprocess, sys, tempfile
listening = socket.socket()
listening.bind(("127.0.0.1", 0))
listening.listen()
near = socket.create_connection(listening.getsockname())
far = listening.accept()[0]
for i in range(20):
    near.send(b"x" * 100)
    far.recv(100)
for i in range(5):
    subprocess.run(["sh", "-c", "printf 'a b=3 [0]: x' >/proc/$$/comm; true | cat"])
with tempfile.TemporaryFile() as file:
    fcntl.lockf(file, fcntl.LOCK_EX)
    file.write(bytes(100000))
"""


layouts = functools.cache(perf_script.read_format)


def there(event):
    return any(
        os.path.exists(f"{root}/events/{event.replace(':', '/')}/format")
        for root in ("/sys/kernel/tracing", "/sys/kernel/debug/tracing")
    )


def record(perf, recordings, events):
    path = recordings.dir / f"{perf.name}-tracepoints.data"
    run = perf.run(
        "record",
        "-q",
        "-B",
        "-c",
        "1",
        "-m",
        "1024",
        "-o",
        str(path),
        *[word for event in events for word in ("-e", event)],
        "--",
        sys.executable,
        "-c",
        WORK,
        timeout=60,
    )
    if run.returncode:
        oracle.fail(
            f"{perf.name} record: exit {run.returncode}: {run.stderr.decode(errors='replace').strip()[:500]}"
        )
    return path


def ours(path):
    """Our samples in perf's order: by time, and buffer by buffer where times are equal."""
    run = oracle.subprocess.run(
        [str(PRINT), str(path)], stdout=oracle.subprocess.PIPE, stderr=oracle.subprocess.PIPE
    )
    if run.returncode:
        raise oracle.Bad(
            f"{path}: print_tracepoints: exit {run.returncode}: {run.stderr.decode(errors='replace')}"
        )
    samples = [json.loads(line) for line in run.stdout.splitlines()]
    return sorted(samples, key=lambda one: (one["time"], one["cpu"]))


def theirs(perf, recordings, path):
    script = recordings.dir / "fields.py"
    script.write_text(SCRIPT)
    run = perf.run("script", "-i", str(path), *perf.no_symbols, "-s", str(script), add=perf.python)
    if run.returncode or not run.stdout:
        raise oracle.Bad(
            f"{path.name}: {perf.name} script -s: exit {run.returncode}: "
            f"{run.stderr.decode(errors='replace').strip()[:500]}"
        )
    samples = [json.loads(line) for line in run.stdout.splitlines() if line.startswith(b"{")]
    for one in samples:
        one["time"] = one["fields"]["common_s"] * 10**9 + one["fields"]["common_ns"]
        one["cpu"] = one["fields"]["common_cpu"]
    return sorted(samples, key=lambda one: (one["time"], one["cpu"]))


def has_python(perf, recordings, path):
    try:
        theirs(perf, recordings, path)
    except oracle.Bad as error:
        if re.search(
            r"not (supported|compiled)|invalid language|unsupported|No module named 'encodings'",
            str(error),
            re.I,
        ):
            return False
        raise
    return True


def number(value):
    return int(value, 0) & U64 if isinstance(value, str) else value & U64


def packed(value, size):
    """An array of numbers as its bytes."""
    width = size // len(value)
    return b"".join((number(one) & (1 << 8 * width) - 1).to_bytes(width, sys.byteorder) for one in value)


def with_sign(value, size, signed):
    value &= (1 << 8 * size) - 1
    return value - (1 << 8 * size) if signed and value >> 8 * size - 1 else value


def alike(our, their, layout):
    """(kind, ours, theirs) in forms that can be compared."""
    if isinstance(their, dict):
        content = bytes.fromhex(their["bytes"])
        if isinstance(our, list):
            return "arrays", packed(our, len(content)) if our else b"", content
        return (
            "bytes",
            our,
            content.hex() if our == content.hex() else content.split(b"\0")[0].decode(errors="replace"),
        )
    if isinstance(their, str):
        if isinstance(our, list):  # of bytes
            content = bytes(number(one) for one in our)
            return "arrays", content.split(b"\0")[0].decode(errors="replace"), their
        return "strings", our, their
    if isinstance(their, list):
        return "arrays", [number(one) for one in our], [number(one) for one in their]
    _, size, signed, _ = layout
    return "numbers", int(our, 0) if isinstance(our, str) else our, with_sign(their, size, signed)


def compare_sample(report, where, our, their):
    report.same("events", where, "event", our["event"].replace(":", "__"), their["event"])
    fields = {name: value for name, value in our["fields"].items() if not name.startswith("common_")}
    others = {name: value for name, value in their["fields"].items() if not name.startswith("common_")}
    if not report.same("names", where, "names of the fields", list(fields), list(others)):
        return
    layout = layouts(our["event"])
    for name, value in fields.items():
        kind, a, b = alike(value, others[name], layout.get(name))
        report.same(kind, where, name, a, b)
    report.same("numbers", where, "common_pid", our["fields"]["common_pid"], their["fields"]["common_pid"])


def compare_dump(path, samples, report):
    """What `perfdata dump --json` has of the same samples: all fields but those that every tracepoint has."""
    records, _ = second_decoder_names.dump(path)
    dumped = sorted(
        ((one.fields["time"], one.fields["cpu"], one.trace) for one in records if one.type == 9),
        key=lambda one: one[:2],
    )
    report.same("samples", path.name, "number of samples in dump", len(samples), len(dumped))
    for index, (our, (_, _, trace)) in enumerate(zip(samples, dumped)):
        fields = {name: value for name, value in our["fields"].items() if not name.startswith("common_")}
        report.same("dump --json", f"{path.name}: sample {index}, {our['event']}", "fields", trace, fields)


def compare(perf, recordings, path, report):
    a, b = ours(path), theirs(perf, recordings, path)
    where = f"{path.name} by {perf.name}"
    compare_dump(path, a, report)
    if not report.same("samples", where, "number of samples", len(a), len(b)):
        return
    for index, (our, their) in enumerate(zip(a, b)):
        compare_sample(report, f"{where}: sample {index}, {our['event']}", our, their)
    report.counts["kinds of events"] += len({one["event"] for one in a})


def main():
    if not PRINT.exists():
        oracle.fail(f"there is no {PRINT}")
    report = oracle.Report()
    recordings = oracle.Recordings()
    first = oracle.system_perf()
    latest = oracle.latest_perf(report)
    events = NEEDED + [event for event in MORE if there(event)]
    for perf in [first] + ([latest] if latest else []):
        path = record(perf, recordings, events)
        if not has_python(perf, recordings, path):
            report.skip(f"{perf.name} has no Python")
            continue
        compare(perf, recordings, path, report)
    if not report.counts:
        oracle.skip("no perf here runs Python scripts")
    report.need(
        {
            "samples": 1,
            "dump --json": 500,
            "events": 500,
            "kinds of events": 10,
            "strings": 300,
            "numbers": 2000,
            "arrays": 100,
        }
    )
    return report.finish()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except oracle.Bad as error:
        oracle.fail(str(error))
