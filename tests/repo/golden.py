#!/usr/bin/env python3
# Every record of the schema has a case in tests/golden: bytes that were written by hand.
import os
import pathlib
import re
import sys

root = pathlib.Path(os.environ.get("PERFDATA_SOURCE", pathlib.Path(__file__).parent / "../.."))
cases = "\n".join(path.read_text() for path in sorted((root / "tests/golden").glob("*.c")))
schema = "\n".join(path.read_text() for path in sorted((root / "src/schema").rglob("*.def")))
types = schema.split("SET(record_type", 1)[1].split("\nEND", 1)[0]
numbers = dict(re.findall(r"^\s+VALUE\((\w+),\s*(\d+),", types, re.M))
tried = set(re.findall(r"\.type = (?:PD_RECORD_)?(\w+)", cases))
records = re.findall(r"^RECORD\(\w+,\s*(\w+),", schema, re.M)
missing = [name for name in records if name not in tried and numbers[name] not in tried]
for name in missing:
    print(f"{name}, type {numbers[name]}, has no case in tests/golden", file=sys.stderr)
assert len(records) > 40, records
sys.exit(1 if missing else 0)
