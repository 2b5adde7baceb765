#!/usr/bin/env python3
"""symbols_frames.py RECORDING SYMBOLS [OPTION...]: compares the function and the offset in it of each frame
that perf script with the options prints, with call chains, with those of a file of perfdata symbols; prints
how many frames agree, and those that do not.

symbols_frames.py --walk PROGRAM OUT: instead makes a recording that has a sample at each fourth byte of the
program's code, whose call chain is that byte.

symbols_frames.py --walk-kernel KALLSYMS OUT: the same for the kernel: around each address with several names.

perf 6.1 lets a symbol without a size (_init) go on to the next symbol of the table, so that it overlaps the
linkage tables behind it, whose entries come later; which of both it finds depends on the shape of its tree of
symbols. (Since 6.3 such a symbol ends where the table begins.) There, and only there, objdump judges.
"""
import collections
import re
import struct
import subprocess
import sys

FRAME = re.compile(r"^\t *([0-9a-f]+) (.*) \((.*)\)$")
SECTION = re.compile(r"^ *\[ *\d+\] (\S+) +\S+ +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)", re.M)
SEGMENT = re.compile(r"^ *LOAD +0x([0-9a-f]+) 0x([0-9a-f]+) \S+ 0x([0-9a-f]+) \S+ R E", re.M)
ENTRY = re.compile(r"^([0-9a-f]+) <(.*@plt)>:$", re.M)


def output_of(*command):
    return subprocess.run(command, capture_output=True, check=False, text=True).stdout


def linkage_entries(program):
    """{offset in the file: NAME@plt+0xN} of the entries of its linkage tables."""
    entries = {}
    for name, address, offset, size in SECTION.findall(output_of("readelf", "-SW", program)):
        if not name.startswith(".plt"):
            continue
        address, offset, end = int(address, 16), int(offset, 16), int(address, 16) + int(size, 16)
        labels = [
            (int(at, 16), label)
            for at, label in ENTRY.findall(output_of("objdump", "-d", "-j", name, program))
        ]
        for (at, label), (stop, _) in zip(labels, labels[1:] + [(end, None)]):
            entries.update({i - address + offset: f"{label}+0x{i - at:x}" for i in range(at, stop)})
    return entries


def known_names(symbols):
    known, file = {}, None
    with open(symbols, encoding="utf-8") as lines:
        assert next(lines) == "perfdata-symbols 1\n"
        for line in lines:
            words = line.rstrip("\n").split("\t")
            if words[0] == "file":
                file = words[2]
            else:
                known[file, int(words[0], 16)] = f"{words[2]}+0x{words[1]}"
    return known


def compare(recording, symbols, *options):
    known, linkage = known_names(symbols), {}
    agree, differ = 0, collections.Counter()
    for line in output_of(
        "perf", "script", "--no-inline", "-F", "ip,sym,symoff,dso", "-i", recording, *options
    ).split("\n"):
        frame = FRAME.match(line)
        if not frame:
            continue
        at, said, file = int(frame[1], 16), frame[2], frame[3]
        name = known.get((file, at), "[unknown]")
        if said.startswith("_init+") and name != said:
            if file not in linkage:
                linkage[file] = linkage_entries(file)
            said = linkage[file].get(at, said)
        if name == said:
            agree += 1
        else:
            differ[f"{file}+0x{frame[1]}: perf {said}, perfdata {name}"] += 1
    print(agree, "agree", sum(differ.values()), "differ")
    for text, n in differ.most_common():
        print(n, text)


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def write_recording(out, mode, context, mapping, addresses):
    """A sample of that cpumode at each address, in a file that is mapped: pid, start, size, offset, name."""
    *numbers, name = mapping
    name += bytes(8 - len(name) % 8)
    data = [record(1, mode, struct.pack("<iiQQQ", numbers[0], *numbers) + name)]
    for at in addresses:
        data.append(record(9, mode, struct.pack("<QIIQQQ", at, 7, 7, 2, context, at)))
    attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, 1 | 2 | 32, 0, 0)  # IP, TID, CALLCHAIN
    attr += bytes(128 - len(attr) + 16)
    size = sum(map(len, data))
    header = struct.pack("<8s12Q", b"PERFILE2", 104, 144, 104, 144, 248, size, *[0] * 6)
    with open(out, "wb") as f:
        f.write(header + attr + b"".join(data))


def walk(program, out):
    (offset, address, size), *_ = (
        map(lambda x: int(x, 16), found) for found in SEGMENT.findall(output_of("readelf", "-lW", program))
    )
    mapping = (7, address, -(-size // 4096) * 4096, offset, program.encode())
    write_recording(out, 2, 2**64 - 512, mapping, range(address, address + size, 4))


def walk_kernel(kallsyms, out):
    names = collections.defaultdict(list)
    with open(kallsyms, encoding="utf-8") as lines:
        for address, _, name in (line.split(maxsplit=2) for line in lines):
            names[int(address, 16)].append(name.strip())
    text = next(at for at in names if "_text" in names[at])
    addresses = {at + i for at in names if len(names[at]) > 1 and at >= text for i in (-1, 0, 1, 4096)}
    mapping = (-1, text, max(addresses) + 1 - text, text, b"[kernel.kallsyms]_text")
    write_recording(out, 1, 2**64 - 128, mapping, sorted(addresses - {text - 1}))


if sys.argv[1] == "--walk":
    walk(*sys.argv[2:])
elif sys.argv[1] == "--walk-kernel":
    walk_kernel(*sys.argv[2:])
else:
    compare(*sys.argv[1:])
