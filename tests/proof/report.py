#!/usr/bin/env python3
"""report.py wp LOG PART FUNCTIONS SECONDS | eva LOG PART ALARMS SECONDS - the line of a part of the proof;
status 1: it fails.
report.py control LOG NAME LIMIT | mutant LOG NAME - the line of a function as it is, or of a mutant; status
1: the function is not proved, or its slowest goal takes more than a quarter of the limit; the mutant is
proved; 2: nothing was tried.

ALARMS has a line for each alarm of Eva that another argument discharges: file, what is in doubt, reason,
between tabs. An alarm is of such a line if its file is that, and its text begins with that, where … is the
rest of a word."""

import re
import sys


def goals_of(text):
    """How many goals, and how many are left: WP ran twice over the same ones, then over those left."""
    runs = [(int(a), int(b)) for a, b in re.findall(r"Proved goals:\s+(\d+) / (\d+)", text)]
    return (runs[0][1], runs[-1][1] - runs[-1][0]) if runs else (0, 0)


def wp(log, part, functions, seconds):
    text = open(log).read()
    goals, unproved = goals_of(text)
    if goals == 0:
        print(f"{part}: nothing was tried")
        return 1
    print(f"{part}: {functions} functions, {goals} goals, {unproved} unproved, {seconds} s")
    first, _, last = text.rpartition("Running WP plugin")
    for goal in re.findall(r"\[(?:Failed|Timeout|Unknown|Stepout)\] Goal (\S+)", last) if unproved else []:
        print(f"  unproved: {goal}")
    return unproved > 0


def control(log, name, limit):
    text = open(log).read()
    goals, unproved = goals_of(text)
    if goals == 0:
        print(f"  control {name}: nothing was tried")
        return 2
    times = re.findall(r"^  (?:CVC4|Z3) .*?\((?:[\d.]+m?s-)*([\d.]+)(m?)s\)", text, flags=re.M)
    slowest = max((float(n) / (1000 if milli else 1) for n, milli in times), default=0)
    print(f"  control {name}: {goals} goals, {unproved} unproved, slowest {slowest:g} s of {limit}")
    return unproved > 0 or slowest > int(limit) / 4


def mutant(log, name):
    goals, unproved = goals_of(open(log).read())
    if goals == 0:
        print(f"  mutant {name}: nothing was tried")
        return 2
    print(f"  mutant {name}: {goals} goals, {unproved} unproved")
    return unproved == 0


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


KINDS = {"wp": wp, "eva": eva, "control": control, "mutant": mutant}
sys.exit(KINDS[sys.argv[1]](*sys.argv[2:]))
