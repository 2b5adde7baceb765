#!/usr/bin/env python3
"""addr2line.py SYMBOLS...: the functions and offsets that perfdata symbols tells of addresses in files that
are here are those of eu-addr2line; of several names of a function, one that eu-readelf lists there."""
import os
import re
import subprocess
import sys


def lines(*command):
    run = subprocess.run(command, capture_output=True, check=True, text=True, errors="replace")
    return run.stdout.split("\n")


def segments(path):
    """(offset, address, size) of what is loaded."""
    for line in lines("eu-readelf", "-l", path):
        if m := re.match(r" +LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)", line):
            yield tuple(int(n, 16) for n in m.groups())


def debug_file(path):
    """Where the rest of its symbols are, if they are installed."""
    ids = [m[1] for line in lines("eu-readelf", "-n", path) if (m := re.search(r"Build ID: (\w+)", line))]
    return [f"/usr/lib/debug/.build-id/{i[:2]}/{i[2:]}.debug" for i in ids]


def names(path):
    found = {}
    all_files = [path] + [f for f in debug_file(path) if os.path.exists(f)]
    for line in (line for file in all_files for line in lines("eu-readelf", "-s", file)):
        if m := re.match(r" *\d+: ([0-9a-f]{16}) +\d+ \w+ +\w+ +\w+ +\w+ (\S+)", line):
            found.setdefault(int(m[1], 16), set()).add(m[2].split("@")[0])
    return found


def compare(path, told):
    loaded, known = list(segments(path)), names(path)
    addresses = [next(o - s + at for s, at, n in loaded if s <= o < s + n) for o, _, _ in told]
    answers = lines("eu-addr2line", "-S", "-e", path, *map(hex, addresses))[::2]
    agree = 0
    for address, (_, offset, name), answer in zip(addresses, told, answers):
        m = re.fullmatch(r"(.*?)(?:\+0x([0-9a-f]+))?", answer)
        start = address - int(m[2] or "0", 16)
        if answer == "??" or m[1].startswith((".", "(")) or name.endswith("@plt"):
            continue  # the name of a section, or of what the linker has made
        same = known.get(start, set()) | {m[1]}
        # Names of C++ are told as their source has them.
        alike = name.split("@")[0] in {n.split("@")[0] for n in same} or any(n.startswith("_Z") for n in same)
        if int(offset, 16) != address - start or not alike:
            sys.exit(f"FAILED: {path} {address:#x}: eu-addr2line {answer}, perfdata {name}+0x{offset}")
        agree += 1
    print(f"{path}: {agree} of {len(told)} addresses")
    return agree


agree = 0
for symbols in sys.argv[1:]:
    files, path = {}, None
    with open(symbols, encoding="utf-8") as text:
        for line in text:
            words = line.rstrip("\n").split("\t")
            if words[0] == "file":
                path = words[2]
            elif path and os.path.isabs(path) and os.path.isfile(path) and not path.endswith(".map"):
                files.setdefault(path, []).append((int(words[0], 16), words[1], words[2]))
    agree += sum(compare(path, told) for path, told in files.items())
if agree < 20:
    sys.exit(f"FAILED: only {agree} addresses")
