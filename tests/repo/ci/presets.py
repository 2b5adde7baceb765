#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What tests/run leaves to .ci/full is what CONTRIBUTING.md lists with a reason: for each preset, the tests
that its filter in CMakePresets.json excludes are those of the table's lines; PRESET-all, which .ci/stages/run
tests, has them all."""
import fnmatch, json, os, re, subprocess, sys

SOURCE, BUILD = os.environ["PERFDATA_SOURCE"], os.environ["PERFDATA_BUILD"]


def read(name):
    with open(os.path.join(SOURCE, name)) as f:
        return f.read()


def expand(preset):
    text = preset["filter"]["exclude"]["name"]
    while "$env{" in text:
        text = re.sub(r"\$env\{(\w+)\}", lambda m: preset["environment"][m[1]], text)
    return text


def main():
    listed = subprocess.run(["ctest", "-N"], cwd=BUILD, capture_output=True, text=True, check=True).stdout
    tests = re.findall(r"^ *Test +#\d+: (\S+)", listed, re.M)
    presets = {p["name"]: p for p in json.loads(read("CMakePresets.json"))["testPresets"]}
    table = re.findall(r"^\| (`[^|]*`) \| (`[^|]*`) \| ([^|]+) \|$", read("CONTRIBUTING.md"), re.M)
    stage, run = read(".ci/stages/run"), re.search(r"set -- (.*)", read("tests/run"))[1].split()
    failures = [] if len(tests) > 100 and len(run) == 2 else [f"{len(tests)} tests, tests/run has {run}"]
    for name in run:
        whole = presets[name + "-all"]
        if (
            "filter" in whole
            or whole["configurePreset"] != name
            or not re.search(rf"tests/run.* {name}-all\b", stage)
        ):
            failures.append(f"{name}-all has a filter, another build, or is not in .ci/stages/run")
        excluded = {t for t in tests if re.search(expand(presets[name]), t)}
        written = set()
        for patterns, where, reason in table:
            if f"`{name}`" in where:
                for pattern in re.findall(r"`([^`]*)`", patterns):
                    found = set(fnmatch.filter(tests, pattern))
                    if not found:
                        failures.append(f"CONTRIBUTING.md: there is no test {pattern}")
                    written |= found
        failures += [
            f"{name}: {t} is left out, and CONTRIBUTING.md has no reason" for t in sorted(excluded - written)
        ]
        failures += [
            f"{name}: {t} is run, CONTRIBUTING.md says it is not" for t in sorted(written - excluded)
        ]
        print(f"{name}: {len(tests) - len(excluded)} of {len(tests)} tests")
    print("\n".join("FAILED: " + f for f in failures) or "all have their reasons")
    return 1 if failures else 0


sys.exit(main())
