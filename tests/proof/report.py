#!/usr/bin/env python3
"""report.py wp LOG PART FUNCTIONS SECONDS | eva LOG PART ALARMS SECONDS - the line of a part of the proof;
status 1: it fails.

ALARMS has a line for each alarm of Eva that another argument discharges: file, what is in doubt, reason,
between tabs. An alarm is of such a line if its file is that, and its text begins with that, where … is the
rest of a word."""

import re
import sys


def wp(log, part, functions, seconds):
    """WP ran twice over the same goals, the second time over those that were left."""
    text = open(log).read()
    runs = [(int(a), int(b)) for a, b in re.findall(r"Proved goals:\s+(\d+) / (\d+)", text)]
    if not runs or runs[0][1] == 0:
        print(f"{part}: nothing was tried")
        return 1
    goals = runs[0][1]
    unproved = runs[-1][1] - runs[-1][0]
    print(f"{part}: {functions} functions, {goals} goals, {unproved} unproved, {seconds} s")
    first, _, last = text.rpartition("Running WP plugin")
    for goal in re.findall(r"\[(?:Failed|Timeout|Unknown|Stepout)\] Goal (\S+)", last) if unproved else []:
        print(f"  unproved: {goal}")
    return unproved > 0


def begins(said, text):
    return re.match(r"\w*".join(map(re.escape, text.split("…"))), said) is not None


def eva(log, part, list_name, seconds):
    text = open(log).read()
    alarms = set()
    for name, said in re.findall(r"\[eva:alarm\] (\S+?):\d+: Warning:\s*((?:.*\n)(?:  .*\n)*)", text):
        said = re.sub(r"\s+", " ", said).strip()
        if not re.search(r"postcondition got status unknown|^assertion got status unknown", said):
            alarms.add((name, said))  # of contracts: WP proves these
    reasons = [line.split("\t") for line in open(list_name).read().splitlines() if line and line[0] != "#"]
    used, status = set(), 0
    for name, said in sorted(alarms):
        match = [i for i, reason in enumerate(reasons) if name == reason[0] and begins(said, reason[1])]
        used.update(match)
        if not match:
            print(f"  no reason: {name}: {said}")
            status = 1
    for i, reason in enumerate(reasons):
        if i not in used:
            print(f"  no such alarm: {reason[0]}: {reason[1]}")
            status = 1
    covered = re.search(r"(\d+) functions analyzed", text)
    print(f"{part}: {covered[1] if covered else '?'} functions, {len(alarms)} alarms, "
          f"{'not ' if status else ''}all with a reason, {seconds} s")
    return status


sys.exit(wp(*sys.argv[2:]) if sys.argv[1] == "wp" else eva(*sys.argv[2:]))
