#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Instructions per record, counted by callgrind, are no more than 1 % above those in bench/results.csv.

    instructions.py            compares
    instructions.py --write    writes bench/results.csv anew; the commit says why a number grew
    instructions.py --slower   shows that work of 3 % more instructions would be noticed, whichever it is

The counts are exact, but those of one compiler, C library and kind of processor: elsewhere this is skipped.
How often places of a table meet depends on a key that is drawn, so the least of ten countings is written,
and what is above it is counted up to ten times.
PERFDATA_BUILD is a Release build of this tree; what has changed since is built first.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ.get("PERFDATA_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.path.realpath(os.environ.get("PERFDATA_BUILD", os.path.join(SOURCE, "build", "release")))
FILE = os.path.join(SOURCE, "bench", "results.csv")
MOST = 1.01
SLACK = 0.5  # instructions: of rounding
COUNTINGS = 10


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def environment(said):
    """What the counts depend on. libc chooses its string functions by what the processor can do."""
    flags = re.search(r"^flags\s*:(.*)$", open("/proc/cpuinfo").read(), re.M)
    known = set(flags.group(1).split()) if flags else set()
    kinds = [f for f in ("avx2", "erms", "bmi2") if f in known]
    valgrind = subprocess.run(
        ["valgrind", "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()
    return f"{said}, {os.uname().machine} {' '.join(kinds)}, {valgrind}"


def cached(name):
    cache = open(os.path.join(BUILD, "CMakeCache.txt")).read()
    return re.search(rf"^{name}:\w+=(.*)$", cache, re.M).group(1)


def build_type():
    kind, flags, release = map(cached, ("CMAKE_BUILD_TYPE", "CMAKE_C_FLAGS", "CMAKE_C_FLAGS_RELEASE"))
    return f"{kind} {release} {flags}".strip()


def build():
    """Of the sources as they are: counts of other ones tell nothing of these."""
    tree = cached("CMAKE_HOME_DIRECTORY")
    if not os.path.samefile(tree, SOURCE):
        sys.exit(f"{BUILD} is a build of {tree}, not of {os.path.realpath(SOURCE)}: set PERFDATA_BUILD")
    command = ["cmake", "--build", BUILD, "--target", "perfdata_cli", "bench_instructions"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    git = ["git", "-C", SOURCE, "describe", "--always", "--abbrev=10", "--exclude=*", "--dirty= and changes"]
    commit = subprocess.run(git, capture_output=True, text=True).stdout.strip() or "no commit"
    print(f"{BUILD}, built of {commit}", flush=True)


PROGRAM = os.path.join(BUILD, "bench", "bench_instructions")


def describe():
    """What the counts are of: the program says who compiled it, which takes a moment without valgrind."""
    said = subprocess.run([PROGRAM], capture_output=True, text=True, check=True).stdout
    return environment(said.strip()) + ", " + build_type()


def count():
    with tempfile.TemporaryDirectory() as tmp:
        out = os.path.join(tmp, "out")
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=" + out, PROGRAM],
            capture_output=True,
            text=True,
        )
        if run.returncode:
            sys.exit(f"{PROGRAM}: {run.stdout}{run.stderr}")
        counts = {}
        for name in os.listdir(tmp):
            text = open(os.path.join(tmp, name)).read()
            what = re.search(r"^desc: Trigger: Client Request: (.*)/(\d+)$", text, re.M)
            total = re.search(r"^(?:summary|totals): (\d+)$", text, re.M)
            if what and total:
                counts[what.group(1)] = round(int(total.group(1)) / int(what.group(2)), 1)
        return counts


USUAL = ["--events", "1", "--sample-type", "ip,tid,time,cpu,period"]
INPUTS = {
    "plain": USUAL,
    "chains": [*USUAL[:-1], USUAL[-1] + ",callchain", "--depth", "10"],
    "zstd": [*USUAL, "-z"],
    "branch": ["--preset", "branch"],
    "tracing": ["--preset", "tracing"],
}
VERBS = {
    "info": ["info", "--stats", "IN"],
    "dump": ["dump", "IN"],
    "dump-F": ["dump", "-F", "comm,pid,tid,cpu,time,event", "IN"],
    "check": ["check", "IN"],
    "reencode": ["convert", "-q", "--reencode", "-f", "-o", "OUT", "IN"],
    "filter-time": ["filter", "-q", "--time", "10%-14%", "-f", "-o", "OUT", "IN"],
    "filter-pid": ["filter", "-q", "--pid", "1000", "-f", "-o", "OUT", "IN"],
    "filter-drop": ["filter", "-q", "--exclude-pid", "1000", "-f", "-o", "OUT", "IN"],
    "filter-drop-cpu": ["filter", "-q", "--exclude-cpu", "1", "-f", "-o", "OUT", "IN"],
    "sort": ["sort", "-q", "-f", "-o", "OUT", "IN"],
    "hash": ["hash", "IN"],
    "redact": ["redact", "-q", "-f", "-o", "OUT", "IN"],
    "decode": ["decode", "IN"],
    "encode": ["encode", "-q", "-f", "-o", "OUT", "TEXT"],
    "export": ["export", "-q", "--to", "folded", "-f", "-o", "OUT", "IN"],
    "export-parquet": ["export", "-q", "--to", "parquet", "-f", "-o", "OUT", "IN"],
    "split": ["split", "-q", "--by", "pid", "-f", "-o", "PIECES", "IN"],
    "merge": ["merge", "-q", "-f", "-o", "OUT", "IN", "IN"],
    "report": ["report", "IN"],
    "index": ["index", "-q", "-f", "-o", "OUT", "IN"],
    "repair": ["repair", "-q", "-f", "-o", "OUT", "IN"],
}
VERBS_OF = {  # instead
    "branch": {"export-bolt": ["export", "-q", "--to", "bolt", "-o", "DIR", "IN"]},
    "zstd": {verb: args for verb, args in VERBS.items() if verb != "index"},  # it wants independent frames
    "tracing": {verb: VERBS[verb] for verb in ("redact", "hash", "sort", "merge", "split", "filter-pid")},
}
FEW, MANY = 4000, 24000
FULL = os.environ.get("PERFDATA_TEST_EFFORT") == "full"


def instructions(args, directory):
    out = os.path.join(directory, "count")
    run = subprocess.run(
        [
            "valgrind",
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=" + out,
            os.path.join(BUILD, "perfdata"),
            *args,
        ],
        cwd=directory,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if run.returncode:
        sys.exit(f"{args}: {run.stderr}")
    return int(re.search(r"^summary: (\d+)", open(out).read(), re.M).group(1))


def count_verbs(kinds):
    """Of the command, by what more records take."""
    counts = {}
    with tempfile.TemporaryDirectory() as tmp:
        for kind, how in kinds.items():
            for n in (FEW, MANY):
                subprocess.run(
                    [
                        os.path.join(BUILD, "perfdata"),
                        "gen",
                        "-q",
                        "--seed",
                        "1",
                        "-c",
                        str(n),
                        *how,
                        "-f",
                        "-o",
                        os.path.join(tmp, str(n)),
                    ],
                    check=True,
                )
                subprocess.run(
                    [os.path.join(BUILD, "perfdata"), "decode", "-f", "-o", f"{n}.text", str(n)],
                    check=True,
                    cwd=tmp,
                )
            for verb, args in VERBS_OF.get(kind, VERBS).items():
                names = {"OUT": "out", "DIR": f"{kind}.{{}}", "PIECES": "%d", "IN": "{}", "TEXT": "{}.text"}
                few, many = (
                    instructions([names.get(a, a).format(n) for a in args], tmp) for n in (FEW, MANY)
                )
                counts[f"perfdata {verb} {kind}"] = round((many - few) / (MANY - FEW), 1)
    return counts


def read():
    lines = open(FILE).read().splitlines()
    return lines[0].removeprefix("# "), dict(
        (a, float(b)) for a, b in (line.rsplit(",", 1) for line in lines[2:])
    )


def compare(old, counts):
    """What is wrong with the counts, a line for each."""
    wrong = []
    for name in sorted(old.keys() | counts.keys()):
        if name not in counts or name not in old:
            wrong.append(f"{name}: {'not in bench/results.csv' if name in counts else 'no longer measured'}")
        elif counts[name] > old[name] * MOST + SLACK:
            wrong.append(f"{name}: {counts[name]} instructions a record, bench/results.csv says {old[name]}")
    return wrong


def count_again(kinds, enough):
    """The least of several countings, until `enough` says so."""
    counts = {}
    for _ in range(COUNTINGS):
        more = count()
        if not more:
            skip("built without valgrind/callgrind.h")
        more |= count_verbs(kinds)
        counts = {name: min(n, counts.get(name, n)) for name, n in more.items()}
        if enough(counts):
            break
    return counts


def slower():
    _, old = read()
    missed = [name for name in old if len(compare(old, {**old, name: old[name] * 1.03})) != 1]
    both = {
        kind: {n.split(" ", 1)[1] for n in old if n.startswith(kind + " ")} for kind in ("decode", "encode")
    }
    print(f"{len(old)} counts; 3 % more of these would not be noticed: {missed or 'none'}")
    print(f"decoded but not encoded, or the other way: {both['decode'] ^ both['encode'] or 'nothing'}")
    sys.exit(1 if missed or both["decode"] != both["encode"] or compare(old, old) else 0)


def main():
    if sys.argv[1:] == ["--slower"]:
        slower()
    write = sys.argv[1:] == ["--write"]
    if shutil.which("valgrind") is None:
        skip("there is no valgrind")
    if not os.path.exists(os.path.join(BUILD, "CMakeCache.txt")):
        skip(f"{BUILD} is no build")
    if not build_type().startswith("Release"):
        skip("not a Release build")
    build()
    if not os.path.exists(PROGRAM):
        skip("bench_instructions is not built")
    # Verbs on plain records alone: the work that chains and zstd add is that of the library, all of which is
    # counted.
    kinds = INPUTS if write or FULL else {"plain": INPUTS["plain"]}
    said = describe()
    if not write:
        then, old = read()
        if then != said:
            skip(f"bench/results.csv is of: {then}; this is: {said}")
    if write:
        counts = count_again(kinds, lambda counts: False)
        with open(FILE, "w") as f:
            f.write(f"# {said}\nwork,instructions per record\n")
            f.writelines(f"{name},{counts[name]}\n" for name in sorted(counts))
        return
    old = {
        name: n for name, n in old.items() if not name.startswith("perfdata ") or name.split()[-1] in kinds
    }
    counts = count_again(kinds, lambda counts: not compare(old, counts))
    wrong = compare(old, counts)
    for line in wrong:
        print(line)
    print(
        f"{len(counts)} counts, {len(wrong)} wrong"
        + ("; if that is meant to be: tests/bench/instructions.py --write" if wrong else "")
    )
    sys.exit(1 if wrong else 0)


main()
