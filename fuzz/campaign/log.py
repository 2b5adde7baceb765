#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""log.py - what was fuzzed, added up.

usage: log.py [--write | --gone | LOG [GONE]]

fuzz/log.tsv has a line for each harness of each run: when it ended, the commit that was built, the harness,
what ran it (ENGINES), the seconds it took and those of one processor, executions, edges and features that
the engine counted at the end, and findings. This prints the table of docs/ROBUSTNESS.md that is made of it,
or of LOG; with --write it is put there, between the lines that mark its place.

fuzz/log.gone has the commits of the log that are not in the history: work that was rebased before it was
delivered. What was built then cannot be checked out, so the table tells how much that was. --write makes this
list, too, where git has the history, and --gone says what is wrong in it; without git, or of a history that
is cut off or another one, neither knows, and the list stays.
"""
import csv
import pathlib
import subprocess
import sys

FUZZ = pathlib.Path(__file__).resolve().parents[1]
LOG = FUZZ / "log.tsv"
GONE = FUZZ / "log.gone"
HEAD_OF_GONE = "# Commits of log.tsv that are not in the history (fuzz/campaign/log.py --write)."
DOC = FUZZ.parent / "docs/ROBUSTNESS.md"
COLUMNS = "date commit harness engine seconds cpu executions edges features findings".split()
ENGINES = {
    "asan": "libFuzzer, AddressSanitizer, UBSan",
    "plain": "libFuzzer, assertions alone, comparisons not traced",
    "cmp": "libFuzzer, assertions alone",
    "msan": "libFuzzer, MemorySanitizer",
    "i386": "libFuzzer, AddressSanitizer, UBSan, 32 bits",
    "afl": "AFL++",
    "s390x": "blind changes, big-endian, emulated",
    "armhf": "blind changes, 32 bits, emulated",
    "verbs": "the command itself, on changed recordings, the log does not tell which",
    "verbs-corpus": "the command itself, on changed recordings of corpus/",
    "verbs-real": "the command itself, on changed real recordings (`PERFDATA_CORPUS`)",
}
COUNTED = "asan"  # whose edges are given: each engine, and each kind of build, counts others
BEGIN, END = "<!-- fuzz/campaign/log.py --write -->", "<!-- end -->"


def append(line, path=LOG):
    """`line` is {column: value}."""
    new = not path.exists()
    with open(path, "a", encoding="utf-8") as out:
        if new:
            print(*COLUMNS, sep="\t", file=out)
        print(*[line[column] for column in COLUMNS], sep="\t", file=out)


def read(path=LOG):
    with open(path, encoding="utf-8") as lines:
        table = list(csv.DictReader(lines, delimiter="\t"))
    for number, line in enumerate(table, 2):
        if None in line or None in line.values() or line["engine"] not in ENGINES:
            sys.exit(f"{path}:{number}: not a line of the log")
        for column in COLUMNS[4:]:
            line[column] = float(line[column]) if column in ("seconds", "cpu") else int(line[column])
    return table


def read_gone(path=GONE):
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [line for line in lines if not line.startswith("#")]


def git(*words):
    try:
        run = subprocess.run(["git", "-C", FUZZ, *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return run.stdout.strip() if run.returncode == 0 else None


def find_gone(table):
    """The commits of the log that HEAD does not come from; None: that is not known here."""
    if git("rev-parse", "--is-shallow-repository") != "false":
        return None
    commits = list(dict.fromkeys(line["commit"] for line in table))
    gone = [name for name in commits if git("merge-base", "--is-ancestor", name, "HEAD") is None]
    return gone if len(gone) < len(commits) else None


def hours(seconds):
    return f"{seconds / 3600:.2f}"


def row(name, lines, counted):
    """Edges and features are the most of the runs of COUNTED of its last commit: another tree has others."""
    last = [line for line in lines if counted and line["engine"] == COUNTED and line["edges"]]
    last = [line for line in last if line["commit"] == last[-1]["commit"]]
    return "| {} | {} | {} | {:,} | {} | {} | {} |".format(
        name,
        len(lines),
        hours(sum(line["cpu"] for line in lines)),
        sum(line["executions"] for line in lines),
        max([line["edges"] for line in last], default=""),
        max([line["features"] for line in last], default=""),
        sum(line["findings"] for line in lines) or "",
    )


def text(table, gone):
    head = [
        "| | runs | hours of one processor | executions | edges | features | findings |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    out = [*head]
    for name in sorted({line["harness"] for line in table}):
        lines = [line for line in table if line["harness"] == name]
        out.append(row(f"`{name}`", lines, True))
    out.append(row("all", table, False))
    for name, there in (("of commits in the history", False), ("of commits that are not", True)):
        lines = [line for line in table if (line["commit"] in gone) == there]
        out.append(row(f"of these, {name}", lines, False))
    out += ["", *head]
    for engine, what in ENGINES.items():
        lines = [line for line in table if line["engine"] == engine]
        if lines:
            out.append(row(what, lines, False))
    return "\n".join(out)


def main():
    option = sys.argv[1] if sys.argv[1:2] in (["--write"], ["--gone"]) else None
    paths = [pathlib.Path(path) for path in sys.argv[1:] if not option]
    log = read(*paths[:1])
    gone = read_gone(*paths[1:])
    found = find_gone(log) if option else None
    if option == "--gone":
        wrong = " ".join(sorted(set(gone) ^ set(gone if found is None else found)))
        sys.exit(f"fuzz/log.gone is wrong about {wrong}: fuzz/campaign/log.py --write" if wrong else 0)
    if found is not None and found != gone:
        gone = found
        GONE.write_text("\n".join([HEAD_OF_GONE, *gone, ""]), encoding="utf-8")
    table = text(log, gone)
    if not option:
        print(table)
        return
    before, _, rest = DOC.read_text(encoding="utf-8").partition(BEGIN + "\n")
    _, _, after = rest.partition(END + "\n")
    DOC.write_text(f"{before}{BEGIN}\n{table}\n{END}\n{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
