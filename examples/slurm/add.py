#!/usr/bin/env python3
"""add.py FILE... - adds up folded stacks: lines of a stack, a space and a number."""
import collections
import sys

sums = collections.Counter()
for name in sys.argv[1:]:
    with open(name, "rb") as file:
        for line in file:
            stack, number = line.rsplit(b" ", 1)
            sums[stack] += int(number)
for stack in sorted(sums):
    sys.stdout.buffer.write(b"%s %d\n" % (stack, sums[stack]))
