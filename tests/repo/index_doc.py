#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""index_doc.py [--write]: the tables of docs/INDEX.md are those of ops/index/index.def."""
import os
import re
import sys

SOURCE = os.environ.get("PERFDATA_SOURCE", ".")
DOC = os.path.join(SOURCE, "docs/INDEX.md")
WORD = 8


def tables():
    """The lines of the table of each part, by its name."""
    parts = {}
    for line in open(os.path.join(SOURCE, "ops/index/index.def"), encoding="utf-8"):
        if part := re.match(r"#ifdef INDEX_(\w+)", line):
            rows = parts.setdefault(part[1].lower(), ["| offset | field | meaning |", "| ---: | --- | --- |"])
        elif field := re.match(r'FIELD\((\w+), "(.*)"\)$', line):
            meaning = field[2].replace('\\"', '"')
            rows.append(f"| {(len(rows) - 2) * WORD} | `{field[1]}` | {meaning} |")
    return parts


def main():
    """Compares, or writes."""
    text = open(DOC, encoding="utf-8").read()
    for name, rows in tables().items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        before, rest = text.split(begin)
        text = before + begin + "\n".join(rows) + "\n" + end + rest.split(end)[1]
    if "--write" in sys.argv:
        open(DOC, "w", encoding="utf-8").write(text)
    elif text != open(DOC, encoding="utf-8").read():
        sys.exit("docs/INDEX.md has other tables than ops/index/index.def: tests/repo/index_doc.py --write")


main()
