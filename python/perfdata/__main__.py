# SPDX-License-Identifier: MIT
"""`python3 -m perfdata info FILE...`: what recordings are made of."""

from __future__ import annotations

import argparse
import sys

from . import Error, open


def show(path: str) -> None:
    with open(path) as recording:
        counts = recording.counts()
        print(f"container: {recording.container}")
        print(f"order: {recording.order}")
        for name, feature in recording.features.items():
            if len(feature) == 1 and isinstance(next(iter(feature.values())), str):
                print(f"{name}: {next(iter(feature.values()))}")
        for event in recording.events:
            print(f"event {event.index}: {event.name or f'type {event.type}, config {event.config:#x}'}")
        for name, number in counts.items():
            print(f"{name}: {number}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m perfdata", description="Shows Linux perf.data files.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    info = verbs.add_parser("info", help="container, features, events and the number of records")
    info.add_argument("files", nargs="+", metavar="FILE")
    status = 0
    for path in parser.parse_args().files:
        try:
            show(path)
        except Error as why:
            print(f"perfdata: {path}: {why}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
