#!/usr/bin/env python3
"""annotate.py [--cut] OUT - copies the sources to OUT; with --cut, with the layouts of the straight-line
codec cut into their lines.

A solver cannot follow thirty conditions at once, but one line it can. So behind each line the copy closes the
conditions that are open, has a CUT, and opens them again. In passes that know the conditions (they define
DONE), CUT becomes CUT_HERE: the proof ends the function there and begins another one with the rest. In others
it is nothing.
"""

import pathlib
import re
import subprocess
import sys

LAYOUTS = [f"src/schema/{name}.def" for name in ("file", "records", "tool_records")]
LINE = re.compile(r"\s*([A-Z][A-Z0-9]*)\s*(?:\((.*)\))?\s*$")


def cuts(text):
    """The lines of a .def with CUT(layout, number of lines so far) behind them, and, at the layout's end, the
    last line first, CUT_LINE(layout, number, number before, its conditions and itself)."""
    out, conditions, lines, layout = [], [], [], None
    for line in text.split("\n"):
        match = LINE.match(line)
        kind = match[1] if match else None
        if kind in ("LAYOUT", "RECORD"):
            layout, lines = match[2].split(",")[0].strip(), []
        elif kind == "END":
            out += [f"CUT_END({layout}, {len(lines)})", *reversed(lines)]
        out.append(line)
        if kind in ("WHEN", "UNLESS"):
            conditions.append(f"{kind}({match[2]})")
        elif kind == "DONE":
            conditions.pop()
        elif kind and kind not in ("LAYOUT", "RECORD", "END", "ALIAS"):
            tests = "".join(f"CUT_{condition} " for condition in conditions)
            lines.append(f"CUT_LINE({layout}, {len(lines) + 1}, {len(lines)}, {tests}"
                         f"CUT_{kind}({match[2]}) {'CUT_DONE ' * len(conditions)})")
            out.append(f"{'DONE ' * len(conditions)}CUT({layout}, {len(lines)}) {' '.join(conditions)}")
    return "\n".join(out)


def annotated(name, text, cut):
    if name == "src/schema/names.c":  # Frama-C cannot count bits in a constant; the compiler checks this
        text = re.sub(r"/\* No two sub-fields.*(?=#undef VALUE)", "", text, flags=re.S)
        text = re.sub(r"^_Static_assert.*$", "", text, flags=re.M)
    if not cut:
        return text
    if name == "src/codec/interpret.c":  # WP does not follow pointers to functions
        text = text.replace("op->sub()", "sub_of(op)")
    if name == "src/container/reader/sample_run.h":  # nor bytes that are copied into or out of a struct
        load = "{0}.type = pi_load32({1}, PD_HOST_ORDER), {0}.misc = pi_load16({1} + 4, PD_HOST_ORDER), " \
               "{0}.size = pi_load16({1} + 6, PD_HOST_ORDER);"
        text = text.replace("memcpy(&h, p, sizeof h);", load.format("h", "p"))
        text = text.replace("memcpy(rec, &h, sizeof h);",
                            "rec->type = h.type, rec->misc = h.misc, rec->size = h.size;")
    if name in LAYOUTS:
        return cuts(text)
    if name == "src/schema/passes/each.h":
        kinds = ("CUT", "CUT_LINE", "CUT_END")
        head = "".join(f"#ifndef {kind}\n#define {kind}(...)\n#endif\n" for kind in kinds)
        return head + text + "#undef CUT\n#undef CUT_LINE\n#undef CUT_END\n"
    return re.sub(r"^(#define DONE .*)$", r"\1\n#define CUT CUT_HERE", text, flags=re.M)


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    out = pathlib.Path(sys.argv[-1])
    folders = ["src", "encode", "include", "ops/text", "tests/proof"]
    listed = subprocess.run(["git", "ls-files", *folders], cwd=root, check=True, capture_output=True,
                            text=True)
    names = listed.stdout.split()
    for name in names:
        if pathlib.Path(name).suffix not in (".c", ".h", ".def"):
            continue
        target = out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(annotated(name, (root / name).read_text(), "--cut" in sys.argv))


main()
