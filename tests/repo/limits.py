# limits.py TREE - bounds outside of the table of limits, and rows of the table that nothing uses.
import pathlib
import re
import sys

# Files and names that say "the most" of a number that is no limit for an input. A reason for each.
OTHER = {
    "src/reflect/regs.c MAX_REGS": "bits of a mask",
    "src/container/reader/reader_part.c MOST_SEARCHED": "the format: no record is longer",
    "ops/repair/repair.c MOST_BUILD_ID": "the format: bytes of a build id",
    "ops/repair/find_data.c MOST_ROOM": "the format: a table of 256 features",
    "src/schema/schema.h PD_ELEMENT_MAX": "the schema: asserted for each struct",
    "src/session/order/order_queue.c CHUNK_MOST": "the size of a step, not of the whole",
    "ops/filter/filter_scan.c MOST_COPY": "the size of a step, not of the whole",
    "cli/lib/threads/crew.c MOST_RESULT": "memory that is given back, not refused",
    "ops/gen/random_values.c MOST_ITEMS": "random values",
    "ops/gen/gen_random.c MOST_TRIES": "random values",
    "ops/redact/redact_addrs.c LINKED_MOST": "which addresses redact keeps near each other",
    "ops/gen/gen_text.c MOST_WORDS": "our own lines of text",
    "cli/verbs/corrupt.c MOST_INSERTED": "our own bytes",
    "encode/codec/interpret.c MOST_OF_SECTION": "the codec: sizes of 32 bits",
    "cli/lib/messages/nearest.c LONGEST": "letters of a word that is compared with ours",
    "ops/compare/differ_fields.c MOST_ELEMENTS": "what a message shows",
    "cli/verbs/cmp/cmp.c MOST_SHOWN": "what a message shows",
    "cli/lib/text/json_plain.c MOST_DIGITS": "digits of 64 bits",
    "cli/verbs/split.c MOST_DIGITS": "digits of 64 bits",
    "cli/lib/options.c MOST_OPTIONS": "our own table of options",
    "cli/lib/options.h CLI_MOST_LEVEL": "levels of zstd",
    "src/session/tasks/told.h PD_TOLD_MOST": "the schema: tasks that a record names",
    "src/codec/carried.h PD_CARRIED_MOST": "the format: a record has 65,535 bytes",
    "include/perfdata/ops/gen.h PD_GEN_MOST_EVENTS": "in the table, by a static_assert",
    "include/perfdata/ops/gen.h PD_GEN_MOST_CPUS": "in the table, by a static_assert",
    "include/perfdata/ops/gen.h PD_GEN_MOST_TASKS": "in the table, by a static_assert",
    "include/perfdata/ops/gen.h PD_GEN_MOST_DEPTH": "in the table, by a static_assert",
    "include/perfdata/ops/report.h PD_REPORT_MOST_KEYS": "in the table, by a static_assert",
}
WORDS = {"most", "max", "maximum", "largest", "longest", "furthest", "limit", "limits", "ahead", "deepest"}
NAMED = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(?P<macro>\w+)[ \t]+(?P<text>.*)$"
    r"|\b(?P<constant>[A-Z][A-Z0-9_]*)[ \t]*=[ \t]*(?P<enum>[^,;{}\n]*)"
    r"|\bstatic[ \t]+const[ \t]+[\w \t]*?\b(?P<variable>\w+)[ \t]*=[ \t]*(?P<value>[^;]*);",
    re.M,
)
SAID = re.compile(
    r'"[^"\n]*(?:(?:at most|no more than|not more than|up to|from \d+ to) \d{2,}'
    r'|\d{2,}[^"\n]* at most)[^"\n]*"'
)
# Messages of which the number is no limit of ours.
TOLD = (
    "a percentage is at most 100",
    "perf 6.1 reads up to 128",
    "from 1 to 65535 is needed",
    "have 15 bytes at most",
)
TABLE = "src/support/limits.h"


def sources(tree):
    for top in ("src", "encode", "ops", "cli", "include"):
        for path in sorted((tree / top).rglob("*.[ch]")):
            yield path.relative_to(tree).as_posix(), path.read_text()


tree = pathlib.Path(sys.argv[1])
found, used, code = [], set(), []
for name, text in sources(tree):
    if name == TABLE:
        continue
    code.append(text)
    if name == "include/perfdata/constants.h":  # the kernel's
        continue
    for m in NAMED.finditer(text):
        what = m["macro"] or m["constant"] or m["variable"]
        value = m["text"] or m["enum"] or m["value"] or ""
        value = re.sub(r"/\*.*", "", value)
        if not WORDS & set(what.lower().split("_")) or "PD_LIMIT_" in value or what.startswith("KEY_"):
            continue
        if not re.search(r"\d|INT\d*_MAX|SIZE_MAX", value):
            continue
        if f"{name} {what}" in OTHER:
            used.add(f"{name} {what}")
        else:
            found.append(f"{name}: {what} = {value.strip()}: a bound that is not in {TABLE}")
    for m in SAID.finditer(text):
        if any(told in m[0] for told in TOLD):
            continue
        found.append(f"{name}: {m[0]}: print the limit from {TABLE}")
found += [f"{what} is nowhere: limits.py needs no exception" for what in OTHER if what not in used]
code = "\n".join(code)
rows = re.findall(r"^    X\((\w+),", (tree / TABLE).read_text(), re.M)
found += [f"nothing uses PD_LIMIT_{row}" for row in rows if not re.search(rf"\bPD_LIMIT_{row}\b", code)]
if len(rows) < 50:
    found.append(f"{len(rows)} limits")
print("\n".join(found) or f"{len(rows)} limits")
sys.exit(1 if found else 0)
