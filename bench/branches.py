# SPDX-License-Identifier: MIT
"""Branches as a processor would have recorded them in a program that is here, for `perfdata encode`.

objdump knows where the program's branches are and where they lead; a walk by chance goes along them, with a
fixed seed. So perf2bolt finds in the program what the recording says.
"""

import bisect
import collections
import json
import random
import re
import subprocess

DEPTH = 32  # branches of a sample
SAMPLE = 832  # bytes of one
ROUND = 320  # samples, 260 KB
ANEW = 1 / 1000  # how often the walk goes elsewhere, as it might turn in a circle
TASK = {"pid": 4242, "tid": 4242}
BASE = 0x555555554000  # of a program that may lie anywhere
LINE = re.compile(r"^ +([0-9a-f]+):\t(\S+)(?: +(\*?)(?:([0-9a-f]+) <([^>]*)>)?)?")
Branch = collections.namedtuple("Branch", "at next kind to taken")


def kind_of(word):
    if word in ("call", "ret", "jmp"):
        return word
    return "if" if word.startswith("j") else None


def branches_of(program, chance):
    """The program's branches in order; where each conditional one likes to go is drawn."""
    command = ["objdump", "-d", "--no-show-raw-insn", "-j", ".text", program]
    found, open_one = [], None
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as objdump:
        for line in objdump.stdout:
            match = LINE.match(line)
            if not match:
                continue
            at, word, indirect, to, name = match.groups()
            if open_one:
                found.append(Branch(open_one[0], int(at, 16), *open_one[1:]))
                open_one = None
            kind = kind_of(word)
            if kind and not indirect and (kind == "ret" or (to and "@plt" not in name)):
                open_one = (int(at, 16), kind, int(to or "0", 16), chance.choice((0.01, 0.03, 0.5, 0.97)))
    return found


def walk(branches, chance):
    """(from, to) for ever; now and then, and where the way is not known, it begins anew, at a call."""
    places = [b.at for b in branches]
    inside = range(places[0], places[-1] + 1)
    calls = [b for b in branches if b.kind == "call" and b.to in inside]
    chance.shuffle(calls)
    pc, back = 0, []
    while True:
        if pc not in inside or chance.random() < ANEW:
            pc, back = calls[int(chance.random() ** 8 * len(calls))].at, []  # some far more often
        b = branches[bisect.bisect_left(places, pc)]
        pc = b.next
        if b.kind == "call":
            if len(back) < 40:
                back.append(pc)
                pc = b.to
                yield b.at, pc
        elif b.kind == "ret":
            pc = back.pop() if back else 0
            if pc:
                yield b.at, pc
        elif b.kind == "jmp" or chance.random() < b.taken:
            pc = b.to
            yield b.at, pc


def mapping_of(program):
    """(address, offset, length) of the program's code, and what its addresses are raised by."""
    headers = subprocess.run(["readelf", "-hlW", program], check=True, capture_output=True, text=True).stdout
    base = BASE if re.search(r"^ +Type: +DYN", headers, re.M) else 0
    code = re.search(r"^ +LOAD +(0x\S+) (0x\S+) \S+ \S+ (0x\S+) R E", headers, re.M)
    offset, address, length = (int(word, 16) for word in code.groups())
    low = address % 4096
    return base, (base + address - low, offset - low, (length + low + 4095) // 4096 * 4096)


def beginning(program, start, offset, length):
    """The lines before the samples."""
    attr = {
        "type": "HARDWARE",
        "config": 0,
        "sample_type": "IDENTIFIER|IP|TID|TIME|CPU|PERIOD|BRANCH_STACK",
        "branch_sample_type": "USER|ANY",
        "sample_period": "1009",
        "flags": "sample_id_all|exclude_kernel|mmap|mmap2|comm",
    }
    sample_id = {**TASK, "time": "1", "cpu": 0, "identifier": "71"}
    place = {"addr": str(start), "len": str(length), "pgoff": str(offset), "filename": program}
    file = {"maj": 8, "min": 1, "ino": "1", "ino_generation": "0", "prot": 5, "flags": 2}
    comm = {"type": "COMM", "misc": "comm_exec", "comm": {**TASK, "comm": "program"}}
    mmap2 = {"type": "MMAP2", "misc": "cpumode=USER", "mmap2": {**TASK, **place, **file}}
    yield {"header": {"container": "file"}}
    yield {"attr": attr, "ids": ["71"]}
    for record in (comm, mmap2):
        yield {"record": {**record, "sample_id": sample_id}}


def sample_of(n, last):
    """The line of a sample, its newest branch first; json.dumps() would take most of the time."""
    entries = ",".join(
        f'{{"from":"{at:#x}","to":"{to:#x}","flags":"{"predicted" if at % 7 else "mispred"}"}}'
        for at, to in last
    )
    task = f'"identifier":"71","pid":{TASK["pid"]},"tid":{TASK["tid"]}'
    return (
        f'{{"record":{{"type":"SAMPLE","misc":"cpumode=USER","sample":{{{task},'
        f'"ip":"{last[0][1]:#x}","time":"{1000 + n}","cpu":0,"period":"1009",'
        f'"branch_stack":{{"entries":[{entries}]}}}}}}}}\n'
    )


def write_text(program, samples, text):
    """The recording of so many samples, as text for `perfdata encode`."""
    chance = random.Random(1)
    base, code = mapping_of(program)
    way = walk(branches_of(program, chance), chance)
    text.writelines(json.dumps(line) + "\n" for line in beginning(program, *code))
    for n in range(samples):
        branches = [next(way) for _ in range(DEPTH)]
        text.write(sample_of(n, [(base + at, base + to) for at, to in reversed(branches)]))
        if n % ROUND == ROUND - 1:
            text.write('{"record":{"type":"FINISHED_ROUND"}}\n')
