#!/usr/bin/env python3
"""What a branch profile for perf2bolt must hold, from what perf script prints of a recording.

    export_branches_read.py want RECORDING [kernel]    of mappings and branch stacks
    export_branches_read.py got DIRECTORY...           of what `perfdata export --to bolt` wrote

Prints the sums, a line each, of files with a path and of the kernel: "FILE B|T FROM TO [END] N WRONG".
"""
import collections
import re
import subprocess
import sys

KERNEL = 0xFFFF800000000000
PLACE = r"\[(?:0x)?([0-9a-f]+)\(0x([0-9a-f]+)\) @ (\S+).*?\]: (\S+) (.*)$"
MMAP = re.compile(r"PERF_RECORD_MMAP2? (-?\d+)/-?\d+: " + PLACE)
FORK = re.compile(r"PERF_RECORD_FORK\((-?\d+):-?\d+\):\((-?\d+):-?\d+\)")
sums = collections.Counter()
told = collections.defaultdict(lambda: [0, 0])


def is_told(name):
    """Not memory without a file, whose addresses perf looks up in perf-PID.map."""
    return name.startswith("[kernel.") or re.match(r"/(?!/|tmp/perf-\d+\.map)|\[\w+\]$", name)


def kernel_name(name):
    """As perf names the kernel and its modules."""
    module = re.match(r"/lib/modules/.*/([^/]+)\.ko", name)
    return f"[{module[1].replace('-', '_')}]" if module else re.sub(r"\].*", "]", name)


def find(maps, pid, address):
    """The file of an address and the offset in it, which for the kernel itself is the address."""
    for start, end, offset, name in reversed(maps[-1 if address >= KERNEL else pid]):
        if start <= address < end:
            return name, address if name.startswith("[kernel.") else address - start + offset
    return None, 0


def add(kind, name, *rest):
    if name and is_told(name):
        sums[" ".join([name, kind, *rest[:-1]]), rest[-1]] += 1


def count(maps, pid, entries, kernel):
    newer = None, 0
    for source, target, wrong in entries:
        if not kernel and max(source, target) >= KERNEL:
            continue
        (a, at), (b, to) = find(maps, pid, source), find(maps, pid, target)
        if a != b:
            add("B", a, f"{at:x}", "0", wrong)
        end = newer[1] if b and newer[0] == b else None
        begin = f"{at:x}" if a == b else "0"
        add("B" if end is None else "T", b, begin, f"{to:x}", *([] if end is None else [f"{end:x}"]), wrong)
        newer = a, at


def want(recording, kernel):
    command = ["perf", "script", "-F", "pid,tid,brstack", "--show-mmap-events", "--show-task-events", "-i"]
    lines = subprocess.run([*command, recording], capture_output=True, text=True, errors="replace")
    maps = collections.defaultdict(list)
    for line in lines.stdout.splitlines():
        if m := MMAP.search(line):
            start, n, offset = int(m[2], 16), int(m[3], 16), int(m[4].rstrip("]"), 0)
            if "x" in m[5]:
                name = kernel_name(m[6]) if m[1] == "-1" else m[6]
                maps[int(m[1])].append((start, start + n, offset, name))
        elif m := FORK.search(line):
            if m[1] != m[2]:
                maps[int(m[1])] = list(maps[int(m[2])])
        elif m := re.match(r" *(-?\d+)/-?\d+ +(0x.*)", line):
            entries = [e.split("/") for e in m[2].split()]
            count(maps, int(m[1]), [(int(e[0], 16), int(e[1], 16), e[2] == "M") for e in entries], kernel)
    # How often, and how often wrong; of traces the wrong predictions are told with branches.
    for (key, wrong), n in sums.items():
        told[key][0] += n
        if wrong:
            parts = key.rsplit(" T ", 1)
            key = parts[0] + " B " + " ".join(parts[1].split()[:2]) if len(parts) > 1 else key
            told[key][1] += n


def got(directory):
    with open(f"{directory}/index", encoding="utf-8") as index:
        for line in index:
            file, _, _, path = line.rstrip("\n").split("\t")
            if not is_told(path):
                continue
            with open(f"{directory}/{file}", encoding="utf-8") as profile:
                for text in profile:
                    kind, *rest = text.split()
                    numbers = rest[-2:] if kind == "B" else [rest[-1], 0]
                    key = " ".join([path, kind, *(rest[:-2] if kind == "B" else rest[:-1])])
                    told[key][0] += int(numbers[0])
                    told[key][1] += int(numbers[1])


if sys.argv[1] == "want":
    want(sys.argv[2], len(sys.argv) > 3)
else:
    for profiles in sys.argv[2:]:
        got(profiles)
for one in sorted(told):
    print(one, *told[one])
