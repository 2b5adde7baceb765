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
    "src/reflect/emit.h PI_NUMBER_ROOM": "digits of 64 bits",
    "src/schema/schema.h PI_ELEMENT_MAX": "the schema: asserted for each struct",
    "src/session/order/order_queue.c CHUNK_MOST": "the size of a step, not of the whole",
    "ops/filter/filter_scan.c PART_ROOM": "our own notes, of which FILTER_NOTES is the limit",
    "ops/filter/filter_scan.c MOST_COPY": "the size of a step, not of the whole",
    "cli/lib/threads/crew.c MOST_RESULT": "memory that is given back, not refused",
    "ops/gen/random_values.c FEATURE_ROOM": "random values",
    "ops/gen/random_values.c MOST_ITEMS": "random values",
    "ops/gen/gen_random.c MOST_TRIES": "random values",
    "ops/redact/redact_addrs.c LINKED_MOST": "which addresses redact keeps near each other",
    "cli/verbs/corrupt.c MOST_INSERTED": "our own bytes",
    "encode/codec/interpret.c MOST_OF_SECTION": "the codec: sizes of 32 bits",
    "cli/lib/messages/nearest.c LONGEST": "letters of a word that is compared with ours",
    "ops/compare/differ_fields.c MOST_ELEMENTS": "what a message shows",
    "cli/verbs/cmp/cmp.c MOST_SHOWN": "what a message shows",
    "cli/lib/text/json_plain.c MOST_DIGITS": "digits of 64 bits",
    "cli/verbs/split.c MOST_DIGITS": "digits of 64 bits",
    "cli/lib/options.c MOST_OPTIONS": "our own table of options",
    "cli/lib/options.h CLI_MOST_LEVEL": "levels of zstd",
    "src/session/tasks/told.h PI_TOLD_MOST": "the schema: tasks that a record names",
    "cli/lib/symbols/resolve.c most": "which kernel of several an address is near",
    "src/codec/carried.h PI_CARRIED_MOST": "the format: a record has 65,535 bytes",
    "include/perfdata/ops/gen.h PD_GEN_MOST_EVENTS": "in the table, by a static_assert",
    "include/perfdata/ops/gen.h PD_GEN_MOST_CPUS": "in the table, by a static_assert",
    "include/perfdata/ops/gen.h PD_GEN_MOST_TASKS": "in the table, by a static_assert",
    "include/perfdata/ops/gen.h PD_GEN_MOST_DEPTH": "in the table, by a static_assert",
    "include/perfdata/ops/report.h PD_REPORT_MOST_KEYS": "in the table, by a static_assert",
}
WORDS = set(
    "most max maximum largest longest furthest limit limits ahead deepest greatest room cap capacity".split()
)
NAMED = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(?P<macro>\w+)[ \t]+(?P<text>.*)$"
    r"|\b(?P<constant>[A-Z][A-Z0-9_]*)[ \t]*=[ \t]*(?P<enum>[^,;{}\n]*)"
    r"|\bstatic[ \t]+const[ \t]+[\w \t]*?\b(?P<variable>\w+)[ \t]*=[ \t]*(?P<value>[^;]*);"
    r"|\bconst[ \t]+[\w \t]*?\b(?P<local>\w+)[ \t]*=[ \t]*(?P<number>[\dA-Z_(][\dA-Za-fxul_() \t<*+-]*);",
    re.M,
)
SAID = re.compile(
    r'"[^"\n]*(?:(?:at most|no more than|not more than|up to|from \d+ to) \d{2,}|more than \d+ [KMG]iB'
    r'|\d{2,}[^"\n]* at most)[^"\n]*"'
)
# Messages of which the number is no limit of ours.
TOLD = (
    "a percentage is at most 100",
    "perf 6.1 reads up to 128",
    "from 1 to 65535 is needed",
    "have 15 bytes at most",
)
# Comparisons with numbers of more than 1000 that are no limits, by file and number; calls of in_range(), too.
COMPARED = re.compile(
    r"(?:[^-<>][<>]=?[ ]*(?:\(\w+\)[ ]*)?|\bin_range\([^;\n]*[, ])"
    r"(?P<number>0x[0-9a-fA-F]+|\d+)[uUlL]*(?:[ ]*<<[ ]*(?P<shift>\d+))?\b(?![.])"
)
OTHER_COMPARED = {
    "src/container/file.c 4096": "the size of a step, not of the whole",
    "src/container/reader/reader_state.c 65536": "the size of a step, not of the whole",
    "src/reflect/emit.h 10000": "digits of a number",
    "src/reflect/out.c 10000": "digits of a number",
    "src/reflect/out.c 100000000": "digits of a number",
    "ops/convert/rewrite.c 65536": "the size of a step, not of the whole",
    "ops/export/alike.c 16777216": "bits of a key; other samples are ordered one by one",
    "ops/export/branches.c 4096": "which branches AutoFDO takes for duplicates",
    "ops/merge/merge_state.c 65536": "the least of what --memory allows",
    "cli/verbs/edit.c 65535": "the format: 16 bits",
    "cli/lib/text/text.c 4095": "the bits of a file's mode",
}
# Messages that something is too much, with the limit on one of the lines before; others, and why.
TOO_MUCH = re.compile(r'"[^"\n]*\btoo (?:many|long|deep)\b[^"\n]*"')
NEAR = 4
LIMIT = re.compile(r"\b(?:PI_LIMIT|PD_GEN_MOST|PD_REPORT_MOST)_\w")
OTHER_TOO_MUCH = {
    "a name is too long for a record that has a pid": "the format",
    "has a name that is too long for an entry with a pid": "the format",
    "the name is too long": "the room of each kind of name, in the table, or the kernel's for a comm",
    "there is a word too many": "the grammar",
    "is one argument too many": "the grammar",
    "too many records of one time": "what --memory allows",
    "is too long, or too deep": "by pd_expression_new(), with the limits",
    "too many ranges": "they become an expression, which has a limit",
}
TABLE = "src/support/limits.h"


def sources(tree):
    for top in ("src", "encode", "ops", "cli", "include"):
        for path in sorted((tree / top).rglob("*.[ch]")):
            yield path.relative_to(tree).as_posix(), path.read_text()


EXCEPTIONS = [*OTHER, *OTHER_COMPARED, *OTHER_TOO_MUCH]
tree = pathlib.Path(sys.argv[1])
found, used, code = [], set(), []
for name, text in sources(tree):
    if name == TABLE:
        continue
    code.append(text)
    if name == "include/perfdata/constants.h":  # the kernel's
        continue
    for m in NAMED.finditer(text):
        what = m["macro"] or m["constant"] or m["variable"] or m["local"]
        value = m["text"] or m["enum"] or m["value"] or m["number"] or ""
        value = re.sub(r"/\*.*", "", value)
        if not WORDS & set(what.lower().split("_")) or "PI_LIMIT_" in value or what.startswith("KEY_"):
            continue
        if not re.search(r"\d|INT\d*_MAX|SIZE_MAX", value):
            continue
        if f"{name} {what}" in OTHER:
            used.add(f"{name} {what}")
        else:
            found.append(f"{name}: {what} = {value.strip()}: a bound that is not in {TABLE}")
    bare = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
    for m in COMPARED.finditer(bare) if not name.startswith("include/") else ():
        digits = m["number"]
        base = 16 if digits.startswith("0x") else 8 if digits.startswith("0") else 10
        number = int(digits, base) << int(m["shift"] or 0)
        if f"{name} {number}" in OTHER_COMPARED:
            used.add(f"{name} {number}")
        elif number > 1000:
            found.append(f"{name}: {m[0].strip()}: a bound that is not in {TABLE}")
    lines = bare.split("\n")
    for at, line in enumerate(lines):
        for said in TOO_MUCH.findall(line):
            other = [told for told in OTHER_TOO_MUCH if told in said]
            used.update(other)
            if not other and not LIMIT.search("\n".join(lines[max(0, at - NEAR) : at + 1])):
                found.append(f"{name}: {said}: by no limit of {TABLE}")
    for m in SAID.finditer(text):
        if any(told in m[0] for told in TOLD):
            continue
        found.append(f"{name}: {m[0]}: print the limit from {TABLE}")
found += [f"{what} is nowhere: limits.py needs no exception" for what in EXCEPTIONS if what not in used]
code = "\n".join(code)
rows = re.findall(r"^    X\((\w+),", (tree / TABLE).read_text(), re.M)
found += [f"nothing uses PI_LIMIT_{row}" for row in rows if not re.search(rf"\bPI_LIMIT_{row}\b", code)]
if len(rows) < 50:
    found.append(f"{len(rows)} limits")
print("\n".join(found) or f"{len(rows)} limits")
sys.exit(1 if found else 0)
