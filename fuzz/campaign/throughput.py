#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""throughput.py - executions a processor second of the harnesses, of an older tree and of this one.

usage: fuzz/campaign/throughput.py [--before REV] [--runs N] [--write] [HARNESS...]

Builds the harnesses of REV, by default those of the commit before the first one that made fuzzing faster, and
of this tree, each by its own fuzz/build.sh, with libFuzzer, AddressSanitizer and UBSan. Both begin with the
same inputs, those of fuzz/corpus, and go on from there, with the options of their own fuzz/run, until each
has N executions (default 20,000), in turns: twice a half, each with the same seed. An input at which one of
them stops is left out first, as the table tells; where the older tree stops later, at a defect that is mended
now, it begins again with another seed. Options at the front of an input meant something else in older trees,
where a harness has them: they read the same bytes as other options. Prints the table of docs/ROBUSTNESS.md;
with --write it is put there.
"""
import argparse
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FUZZ = pathlib.Path(__file__).resolve().parents[1]
loader = importlib.machinery.SourceFileLoader("run", str(FUZZ / "run"))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
loader.exec_module(run)

BEFORE = "577f4778"  # its successor a5c6f7ad says: "ten times as fast"
HARNESSES = "pipeline file stream text build record attr feature tracing zstd".split()
BEGIN, END = "<!-- fuzz/campaign/throughput.py --write -->", "<!-- end of throughput -->"
TURNS = 2


class Tree:
    """A tree, its harnesses and how it runs them."""

    def __init__(self, source, out):
        self.source, self.out = source, out
        text = (source / "fuzz/run").read_text()
        options = re.findall(r"(?<![\w-])(-(?:max_len|timeout|rss_limit_mb|entropic))=(\d+)", text)
        self.options = [f"{name}={value}" for name, value in dict(reversed(options)).items()]
        asan = re.search(r'^SANITIZERS = "(.*?)"', text, re.M)
        self.environment = {**run.FUZZING, "ASAN_OPTIONS": asan.group(1) if asan else ""}

    def build(self, harnesses):
        environment = {**os.environ, "OUT": str(self.out), "WORK": str(self.out / "work")}
        command = [self.source / "fuzz/build.sh", "asan", *harnesses]
        subprocess.run(command, env=environment, check=True, stdout=sys.stderr)

    def program(self, harness):
        return self.out / f"fuzz_{harness}"

    def stops_at(self, harness, paths):
        """Those of `paths` at which it stops."""
        found = set()
        while paths:
            some = paths[:1000]
            command = [self.program(harness), *self.options, f"-artifact_prefix={self.out}/", *some]
            said, status = run.Ran("asan", harness).call(command, 3600, self.environment)
            ran = re.findall(r"^Running: (.*)$", said, re.M)
            if status:
                found.add(ran[-1])
            paths = paths[len(ran) :] if status else paths[len(some) :]
        return found

    def go(self, ran, executions, folder, seed):
        """Until so many are done; the harness begins again where it stops."""
        options = [*self.options, f"-dict={self.program(ran.harness)}.dict", f"-artifact_prefix={self.out}/"]
        done = 0
        while done < executions:
            command = [self.program(ran.harness), *options, f"-seed={seed}", f"-runs={executions - done}"]
            with tempfile.TemporaryDirectory() as learnt:
                said, status = ran.call(
                    [*command, "-print_final_stats=1", learnt, folder], 3600, self.environment
                )
            before, seed = ran.executions, seed + 1000
            ran.read_counts(said)
            done += ran.executions - before
            if status and ran.executions == before:
                sys.exit(f"{command[0]} does not run:\n{said[-2000:]}")


def measure(harness, trees, runs, place):
    """The row of the table."""
    folder = place / harness
    folder.mkdir()
    run.corpus.unpack(harness, folder)
    paths = [str(path) for path in sorted(folder.iterdir())]
    stopped = set().union(*(tree.stops_at(harness, paths) for tree in trees))
    for path in stopped:
        os.unlink(path)
    rans = [run.Ran("asan", harness) for _ in trees]
    for turn in range(TURNS):
        for tree, ran in zip(trees, rans):
            tree.go(ran, runs // TURNS, folder, turn + 1)
    before, now = (ran.executions / ran.cpu for ran in rans)
    print(f"{harness}: {[(ran.executions, ran.edges) for ran in rans]}", file=sys.stderr, flush=True)
    inputs = f"{len(paths) - len(stopped):,} of {len(paths):,}"
    return f"| `{harness}` | {inputs} | {before:,.0f} | {now:,.0f} | {now / before:.1f} |"


def write(table):
    doc = run.log.DOC
    before, _, rest = doc.read_text(encoding="utf-8").partition(BEGIN + "\n")
    _, _, after = rest.partition(END + "\n")
    doc.write_text(f"{before}{BEGIN}\n{table}\n{END}\n{after}", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--before", default=BEFORE)
    parser.add_argument("--runs", type=int, default=20000)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("harness", nargs="*", default=HARNESSES)
    options = parser.parse_args()
    rows = ["| | inputs | before | now | times |", "| --- | ---: | ---: | ---: | ---: |"]
    with tempfile.TemporaryDirectory(prefix="throughput-") as name:
        place = pathlib.Path(name)
        git = ["git", "-C", FUZZ, "worktree"]
        add = [*git, "add", "--detach", place / "before", options.before]
        subprocess.run(add, check=True, stdout=sys.stderr)
        try:
            trees = [Tree(place / "before", place / "out"), Tree(FUZZ.parent, run.OUT / "asan")]
            for tree in trees:
                tree.build(options.harness)
            rows += [measure(harness, trees, options.runs, place) for harness in options.harness]
        finally:
            subprocess.run([*git, "remove", "--force", place / "before"], check=True)
    table = "\n".join(rows)
    print(table)
    if options.write:
        write(table)


if __name__ == "__main__":
    main()
