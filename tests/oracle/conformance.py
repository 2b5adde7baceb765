#!/usr/bin/env python3
"""corpus/conformance: the committed JSON of each file, against second_decoder.py, field by field.

perfdata made the JSON from texts written by hand. Here, the decoder that shares nothing with perfdata checks
that the bytes have the values of the JSON, in both byte orders; tests/cli/damage/conformance.sh checks that
perfdata still gives this JSON. perf does not read all of the files, and prints some only in part; a minimum
number of them must agree with `perf report -D` in everything it prints.
"""

import concurrent.futures
import functools
import json
import shutil
import sys

import oracle
import perf_report_D
import second_decoder
import second_decoder_compare as compare
import second_decoder_names as names

SET = oracle.SOURCE / "corpus" / "conformance"


def expected_of(path):
    """The JSON of a .data file: its own one, or that of the pair."""
    own = path.with_suffix(".json")
    return own if own.exists() else SET / (path.name.removesuffix(".data").removesuffix(".be") + ".json")


def compare_member(name, records, file, data, report):
    """Records of a directory's other files, which use the attrs of `data`."""
    file.data, file.records, file.problems = data, [], []
    file.frame_records(0, len(data))
    report.same("record counts", name, "number of records", len(records), len(file.records))
    for ours, record in zip(records, file.records):
        compare.compare_record(
            f"{name}: offset {ours.offset:#x}",
            ours,
            file.decode(record),
            data[record.offset + 8 : record.end],
            file.order,
            report,
        )


def check(path, report):
    with open(expected_of(path), encoding="utf-8") as text:
        said = json.load(text, object_pairs_hook=oracle.only_once)
    said["order"] = "big" if path.name.endswith(".be.data") else "little"
    lines = said["records"]
    report.counts["files"] += 1
    members = {}
    for line in lines:
        members.setdefault(line.pop("member", "data"), []).append(names.Record(json.dumps(line)))
    damaged = said["status"] == 3
    data = path
    if path.is_dir():
        data, said["container"] = path / "data", "file"
    file = second_decoder.PerfFile(data.read_bytes())
    for event, line in zip(said["events"], [line for line in file.describe() if "attr" in line]):
        for name in names.attr_values(line["attr"]).keys() - {"tail"}:
            event["attr"].setdefault(name, 0)  # zeros are left out
    compare.compare_decoded(file, path.name, members.pop("data", []), said, damaged, report)
    for member, records in members.items():
        compare_member(f"{path.name}/{member}", records, file, (path / member).read_bytes(), report)


ALIKE = {"files alike by perf": 235, "files alike by perf-latest": 165}


def is_alike(perf, path):
    report = oracle.Report()
    report.LIMIT = 0  # for the reasons in the README.md of the set
    raw = path.read_bytes()
    try:
        perf_report_D.compare_file(
            perf, path, report, None, path.name.endswith(".be.data"), raw[8:16].strip(b"\0") == b"\x10"
        )
    except (oracle.Bad, LookupError, ValueError):
        return False
    return report.differences == 0


def main():
    report = oracle.Report()
    paths = sorted(SET.glob("*.data"))
    for path in paths:
        try:
            check(path, report)
        except (oracle.Bad, KeyError, ValueError, TypeError) as error:
            report.differ(path.name, "JSON", repr(error))
    texts = {path.name for path in SET.glob("*.json")}
    unused = sorted(texts - {expected_of(path).name for path in paths})
    report.same("files", "corpus/conformance", "JSON without a file", unused, [])
    need = {"files": 400, "records": 600, "off-cpu samples": 80}
    latest = oracle.latest_perf(report) if shutil.which("perf") else None
    for perf in ([oracle.system_perf()] if shutil.which("perf") else []) + ([latest] if latest else []):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            alike = sum(
                pool.map(functools.partial(is_alike, perf), [path for path in paths if path.is_file()])
            )
        kind = f"files alike by {perf.name}"
        report.counts[kind], need[kind] = alike, ALIKE[kind]
    report.need(need)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
