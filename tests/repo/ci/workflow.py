#!/usr/bin/env python3
# The hosted workflow runs scripts of .ci that exist, with the lists of packages that exist, and nothing else
# but what installs git before the checkout: without it, there is no repository in the container, and tests of
# the repository are skipped. It runs all stages of .ci/full, each of which exists.
import os
import pathlib
import re
import sys

root = pathlib.Path(os.environ.get("PERFDATA_SOURCE", pathlib.Path(__file__).parent / "../../.."))
text = (root / ".github/workflows/ci.yml").read_text()
hosted = re.findall(r"^ {10}- ([\w-]+)$", text, re.M)
full = (root / ".ci/full").read_text().replace("\\\n", " ")
stages = re.search(r"set -- ([\w -]+)\n", full)[1].split()
there = sorted(path.name for path in (root / ".ci/stages").rglob("*") if path.is_file())
assert sorted(stages) == there, f".ci/full runs {stages}, .ci/stages has {there}"
assert hosted == stages, f"ci.yml has {hosted}, .ci/full {stages}"
named = sorted(set(re.findall(r"(?<![\w/])\.ci/[\w./-]+", text + full)))
assert ".ci/run" in named and ".ci/full" in named and ".ci/packages" in named, named
for name in named:
    path = root / name
    assert path.exists(), f"there is no {name}"
    assert "packages" in name or os.access(path, os.X_OK), f"{name} cannot be run"
for command in re.findall(r"^ +- run: (.*)$", text, re.M):
    assert command.startswith(".ci/"), f"{command}: only scripts of .ci, which run the same anywhere"
jobs = re.split(r"^  (?=\w+:$)", text.split("\njobs:\n", 1)[1], flags=re.M)[1:]
assert len(jobs) == 2, len(jobs)
for job in jobs:
    before = job.split("uses: actions/checkout", 1)[0]
    assert re.search(r"apt-get install .*\bgit\b", before), "git is not installed before the checkout"
    assert "safe.directory" in before, "git refuses a tree of another owner"
sys.exit(0)
