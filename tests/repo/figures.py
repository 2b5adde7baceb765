#!/usr/bin/env python3
"""docs/ROBUSTNESS.md and what its figures are taken from: the table of figures is that of tests/coverage.tsv
(which tests/coverage writes), of the logs in tests/mutation and of the mutants that there are; figures in
its text are those of the stages, of fuzz/log.tsv and log.gone, tests/coverage and tests/repo/limits.tsv.
`--write` writes the table."""

import csv
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("PERFDATA_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
DOC = ROOT / "docs/ROBUSTNESS.md"
BEGIN, END = "<!-- tests/repo/figures.py --write -->\n", "<!-- end of figures -->\n"


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def mutants(path):
    """What noticed each mutant of a log of operators.py; the code of each must still be there."""
    noticed, gone, texts = [], [], {}
    for line in read(path).splitlines():
        if line.startswith("#"):
            continue
        by, mutant = line.split("\t", 1)
        file, function, code = mutant.rsplit(": ", 1)[0].split(": ", 2)
        if file not in texts:
            texts[file] = " ".join(read(file).split()) if (ROOT / file).exists() else ""
        if f"{function}(" not in texts[file] or code not in texts[file]:
            gone.append(mutant)
        noticed.append(by)
    if gone:
        sys.exit("\n".join(f"{path}: no such mutant any more, take it out: {mutant}" for mutant in gone))
    return noticed


def share(run, of):
    return f"{int(run):,} of {int(of):,}, **{100 * int(run) / int(of):.1f} %**"


def table():
    lines = csv.DictReader(read("tests/coverage.tsv").splitlines(), delimiter="\t")
    covered = {row["what"]: row for row in lines}
    rows = []
    for what, name in (("tests", "that the tests run"), ("inputs", "that the fuzzers' inputs reach")):
        row = covered[what]
        rows.append((f"lines {name}", share(row["lines run"], row["lines"])))
        if row["branches"]:
            rows.append((f"branches {name}", share(row["branches run"], row["branches"])))
    listed = [ROOT / "tests/mutation/mutate.py", "--list"]
    schema = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.splitlines()
    tried, reported = (mutants(f"tests/mutation/{name}.tsv") for name in ("operators", "reported"))
    operators = re.match(r"# tried, of (\d+) mutants\n", read("tests/mutation/operators.tsv"))
    rows.append(("mutants of the schema", f"{len(schema):,}"))
    rows.append(("mutants of operators, when they were last counted", f"{int(operators[1]):,}"))
    rows.append(("of these, that were tried", f"{len(tried):,}"))
    rows.append(("of these, that mean the same", f"{tried.count('nothing'):,}"))
    rows.append(("mutants of an earlier list, which no test noticed then", f"{len(reported):,}"))
    rows.append(("of these, that mean the same", f"{reported.count('nothing'):,}"))
    return "".join(f"| {what} | {figure} |\n" for what, figure in [("", ""), ("---", "---:"), *rows])


def sentences():
    """What the text says, with figures of other files in it."""
    log = list(csv.DictReader(read("fuzz/log.tsv").splitlines(), delimiter="\t"))
    found = sum(int(line["findings"]) for line in log if line["harness"] == "verbs")
    runs = int(re.search(r"verbs/run (\d+)", read(".ci/stages/verbs"))[1])
    seconds = int(re.search(r"fuzz/run \$\(\((\d+) /", read(".ci/stages/fuzz"))[1])
    chosen = re.search(r"--count (\d+)", read(".ci/stages/operators"))[1]
    least = re.search(r'"\$\{2-(\d+)\}" "\$\{3-(\d+)\}"', read("tests/coverage"))
    reach = re.search(r"tests/coverage build/reach (\d+) 0", read(".ci/stages/reach"))[1]
    assert seconds == 3600, seconds
    tests = [line.split("\t")[1] for line in read("tests/repo/limits.tsv").splitlines()]
    lowered = sum(test.startswith("tests/limits/") for test in tests)
    gone = sum(not line.startswith("#") for line in read("fuzz/log.gone").splitlines())
    return [
        f"{gone} commits of the log are not in the history",
        f"the {found} findings of the log",
        f"`.ci/full` does {runs:,} runs",
        "`.ci/full` fuzzes for an hour in all",
        f"`.ci/full` tries {chosen},",
        f"`tests/coverage` requires {least[1]} % of the lines and {least[2]} % of the branches",
        f"the stage fails below {reach} %",
        f"each of the {len(tests)} limits has one; {lowered} of them are in `tests/limits`",
    ]


def main():
    doc = DOC.read_text(encoding="utf-8")
    before, begin, rest = doc.partition(BEGIN)
    there, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{DOC}: no table of figures")
    if sys.argv[1:] == ["--write"]:
        DOC.write_text(before + BEGIN + table() + END + after, encoding="utf-8")
        return
    text = " ".join(doc.split())
    wrong = [sentence for sentence in sentences() if sentence not in text]
    if there != table():
        wrong.append(f"another table (tests/repo/figures.py --write):\n{table()}")
    if wrong:
        sys.exit("\n".join(f"docs/ROBUSTNESS.md has not: {what}" for what in wrong))


if __name__ == "__main__":
    main()
