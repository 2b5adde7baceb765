#!/usr/bin/env python3
"""symbols_frames.py RECORDING SYMBOLS: compares the function and the offset in it of each frame that perf
script prints, with call chains, with those of a file of perfdata symbols; prints how many frames agree, and
those that do not."""
import collections
import re
import subprocess
import sys

FRAME = re.compile(r"^\t *([0-9a-f]+) (.*) \((.*)\)$")


def main(recording, symbols):
    known, file = {}, None
    with open(symbols, encoding="utf-8") as lines:
        assert next(lines) == "perfdata-symbols 1\n"
        for line in lines:
            words = line.rstrip("\n").split("\t")
            if words[0] == "file":
                file = words[2]
            else:
                known[file, int(words[0], 16)] = f"{words[2]}+0x{words[1]}"
    command = ["perf", "script", "--no-inline", "-F", "ip,sym,symoff,dso", "-i", recording]
    agree, differ = 0, collections.Counter()
    for line in subprocess.run(command, capture_output=True, check=False, text=True).stdout.split("\n"):
        frame = FRAME.match(line)
        if not frame:
            continue
        name = known.get((frame[3], int(frame[1], 16)), "[unknown]")
        if name == frame[2]:
            agree += 1
        else:
            differ[f"{frame[3]}+0x{frame[1]}: perf {frame[2]}, perfdata {name}"] += 1
    print(agree, "agree", sum(differ.values()), "differ")
    for text, n in differ.most_common():
        print(n, text)


main(*sys.argv[1:])
