#!/usr/bin/env python3
# header_examples.py [TREE] - the examples in comments of public headers are C that compiles. An example is a
# block of lines that a comment indents by four more, of which one ends a statement; an empty line, or the end
# of the comment, follows it. … stands for statements of the reader; alone on a line, it ends a function.
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# What examples use without declaring it: in many of them, and in those of one header.
COMMON = """
struct pd_error error;
struct pd_reader *reader, *again, *a, *b;
struct pd_sink sink;
struct pd_source source;
struct pd_plan plan;
struct pd_record rec;
struct pd_attr attr;
enum pd_order order;
enum pd_code code;
char bytes[512];
size_t i, n, size;
"""
OWN = {
    "ops/difference.h": "bool print_it(void *user, const struct pd_difference *what);",
    "ops/export.h": "struct pd_export *export;",
    "ops/index.h": """struct pd_index *index; struct pd_time_range *ranges; struct pd_filter_stats stats;
                      struct pd_filter_options options;""",
    "ops/merge.h": "struct pd_merge_stats stats;",
    "ops/redact.h": "struct pd_convert_stats stats; void print(void *user, const struct pd_redacted *what);",
    "ops/repair.h": """struct pd_repair_stats stats;
                       void on_lost(void *user, const struct pd_lost_range *lost);""",
    "ops/split.h": """struct pd_pieces_stats stats;
                      int open_piece(void *user, const struct pd_piece *piece, struct pd_sink *sink);
                      int close_piece(void *user, const struct pd_piece *piece, struct pd_sink *sink);""",
    "session/complete.h": "uint64_t ips[3];",
    "session/large_record.h": "struct pd_large_record large;",
    "session/part.h": """struct { uint64_t begin, end, to, records; enum pd_code code; } *part;
                         struct pd_reader *r;""",
    "session/push.h": "struct pd_push *push; int fd; char buf[4096];",
    "session/ring.h": """struct pd_attr_table *table; struct pd_ring_memory memory; struct pd_ring *ring;
                         void *map; size_t mapped; uint64_t id;""",
    "session/session.h": """struct pd_sorter *sorter; struct pd_session *session;
                            const struct pd_mapping *map;""",
    "session/tasks.h": """struct pd_tasks *tasks; struct pd_moment when; struct pd_task task;
                          uint32_t pid, tid;""",
    "session/text.h": "bool write_it(struct pd_out *out, size_t want);",
    "session/tracepoint.h": "struct pd_feature feature;",
}


def find_blocks(text):
    block = []
    for line in text.split("\n"):
        if line.startswith(" *     ") or (block and line == " *"):
            block.append(line[7:])
            continue
        if block:
            yield block, line
        block = []


def find_faults(header, block, behind):
    if block[-1] and re.match(r" \* \S", behind):
        return f"no empty line before: {behind}"
    if not any(re.search(r";\s*(//.*)?$", line) for line in block):
        return None
    source.write_text(make_program(header, block))
    return subprocess.run([*command, str(source)], stderr=subprocess.PIPE, text=True).stderr


def make_program(header, block):
    outside = []
    if "…" in block and block[0].startswith("static "):
        cut = block.index("…")
        outside, block = block[:cut], block[cut + 1 :]
    own = ["{", OWN.get(header, "")]
    text = "\n".join([includes, COMMON, *outside, "void example(void)", *own, "{", *block, "}", "}", ""])
    return text.replace("…", ";")


tree = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else os.environ["PERFDATA_SOURCE"])
include = tree / "include"
headers = [path.relative_to(include).as_posix() for path in sorted(include.rglob("*.h"))]
includes = "".join(f"#include <{name}>\n" for name in ["inttypes.h", "stdio.h", "unistd.h", *headers])
compiler = shutil.which("gcc") or "clang"
command = [compiler, "-std=gnu11", "-Wall", "-Wno-empty-body", "-Werror", "-fsyntax-only", f"-I{include}"]
faults, n = [], 0
with tempfile.TemporaryDirectory() as scratch:
    source = pathlib.Path(scratch) / "example.c"
    for name in headers:
        for block, behind in find_blocks((include / name).read_text()):
            n += 1
            fault = find_faults(name.removeprefix("perfdata/"), block, behind)
            if fault:
                faults.append(f"an example of {name}: {fault}")
print("\n".join(faults) or f"{n} examples")
sys.exit(1 if faults or n < 25 else 0)
