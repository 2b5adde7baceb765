#!/usr/bin/env python3
# The hosted workflow runs all stages of .ci/full, each of which exists, and installs git before the checkout:
# without it, there is no repository in the container, and tests of the repository are skipped.
import os
import pathlib
import re
import sys

root = pathlib.Path(os.environ.get("PERFDATA_SOURCE", pathlib.Path(__file__).parent / "../.."))
text = (root / ".github/workflows/ci.yml").read_text()
hosted = re.findall(r"^ {10}- ([\w-]+)$", text, re.M)
full = (root / ".ci/full").read_text().replace("\\\n", " ")
stages = re.search(r"set -- ([\w -]+)\n", full)[1].split()
there = sorted(path.name for path in (root / ".ci/stages").iterdir())
assert sorted(stages) == there, f".ci/full runs {stages}, .ci/stages has {there}"
assert hosted == stages, f"ci.yml has {hosted}, .ci/full {stages}"
jobs = re.split(r"^  (?=\w+:$)", text.split("\njobs:\n", 1)[1], flags=re.M)[1:]
assert len(jobs) == 2, len(jobs)
for job in jobs:
    before = job.split("uses: actions/checkout", 1)[0]
    assert re.search(r"apt-get install .*\bgit\b", before), "git is not installed before the checkout"
    assert "safe.directory" in before, "git refuses a tree of another owner"
sys.exit(0)
