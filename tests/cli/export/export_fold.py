#!/usr/bin/env python3
"""export_fold.py FILE [OPTION...]: the stacks that perf script prints of a recording, one a line with the
sum of their periods, as `perfdata export --to folded` writes them for one
event: COMM;DSO+0xOFFSET;... SUM. Knows nothing of perfdata. Two recordings compared by their lines are
compared frame by frame: in a call chain perf prints the offset in the file; of a sample without a call
chain it prints the address, so its frame has no offset here."""
import collections
import re
import subprocess
import sys

HEAD = re.compile(rb"^ *(.*?) +(-?\d+) +(\d+) +(\S*): *(?:[0-9a-f]+ \((.*)\))?$")
FRAME = re.compile(rb"^\t *([0-9a-f]+) \((.*)\)$")


def shown(name):
    """A name as folded text has it."""
    text = name.decode("utf-8", "surrogateescape").replace(";", ":")
    bad = lambda c: ord(c) < 32 or 127 <= ord(c) < 160 or 0xDC80 <= ord(c) <= 0xDCFF
    return "".join(f"\\x{ord(c) & 255:02x}" if bad(c) else c for c in text)


def main(path, *options):
    command = ["perf", "script", "--no-inline", "--max-stack", "8192", "-F", "comm,tid,period,event,ip,dso"]
    got = subprocess.run([*command, *options, "-i", path], capture_output=True, check=False)
    sums, stack, events, period = collections.Counter(), None, set(), 0

    def finish():
        if stack:
            sums[";".join([stack[0]] + stack[:0:-1])] += period

    for line in got.stdout.split(b"\n"):
        head, frame = HEAD.match(line), FRAME.match(line)
        if frame and stack:
            stack.append(f"{shown(frame[2])}+0x{int(frame[1], 16):x}")
        elif head:
            finish()
            comm, period = head[1], int(head[3])
            stack = [shown(comm)] + ([shown(head[5])] if head[5] else [])
            events.add(head[4])
        elif line:
            sys.exit(f"{path}: perf printed {line!r}")
    finish()
    if len(events) > 1:
        sys.exit(77)
    for text, total in sorted(sums.items()):
        print(text, total)


if __name__ == "__main__":
    main(*sys.argv[1:])
