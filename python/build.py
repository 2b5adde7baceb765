#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes _ffi.py and _code.py of the headers: what cffi and type checkers have to know of the shared library.

    build.py HEADERS OUT VERSION COMPILER...

HEADERS is the folder that contains perfdata/; the module is completed in OUT/perfdata. No compiled code is
made: the result works with any Python and the shared library of that version.
"""

import contextlib
import pathlib
import re
import shutil
import subprocess
import sys

import cffi

USED = [
    "perfdata",
    "session/columns",
    "session/compare",
    "session/event",
    "session/fields",
    "session/metadata",
    "session/sample",
    "ops/filter",
]
FUNCTION_BODY = re.compile(r"^static inline [^{;]*\{.*?^\}", re.M | re.S)
LINE_MARK = re.compile(r'^# \d+ "(.*?)"')


def declarations(headers, compiler):
    """What the headers declare, without what they include of the system."""
    source = "".join(f"#include <perfdata/{name}.h>\n" for name in USED)
    text = subprocess.run(
        [*compiler, "-E", "-x", "c", f"-I{headers}", "-"],
        input=source,
        text=True,
        check=True,
        stdout=subprocess.PIPE,
    ).stdout
    ours, lines = False, []
    for line in text.splitlines():
        mark = LINE_MARK.match(line)
        if mark:
            ours = "/perfdata/" in mark[1]
        elif ours and not line.startswith("#"):
            lines.append(line)
    text = FUNCTION_BODY.sub("", "\n".join(lines))
    return re.sub(r"__attribute__\(\(.*?\)\)\)", "", text)


def constants(headers):
    """Constants that are macros with a number."""
    text = (headers / "perfdata" / "constants.h").read_text()
    found = re.findall(r"^#define (PD_\w+)\s+(0x[0-9a-f]+|\d+)u?l*\b", text, re.M)
    return "".join(f"#define {name} {value}\n" for name, value in found)


CODE = '''import enum


class Code(enum.IntEnum):
    """What went wrong: enum pd_code of perfdata/error.h, without PD_."""

'''


def codes(ffi):
    """The enumeration written out: type checkers do not run what makes one."""
    members = sorted(ffi.typeof("enum pd_code").elements.items())
    return CODE + "".join(f"    {name[3:]} = {value}\n" for value, name in members)


def main():
    headers, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    version, compiler = sys.argv[3], sys.argv[4:]
    package = pathlib.Path(__file__).parent / "perfdata"
    (out / "perfdata").mkdir(parents=True, exist_ok=True)
    for source in [*package.glob("*.py"), package / "py.typed"]:
        shutil.copyfile(source, out / "perfdata" / source.name)
    ffi = cffi.FFI()
    ffi.cdef(constants(headers) + declarations(headers, compiler))
    ffi.set_source("perfdata._ffi", None)
    with contextlib.redirect_stdout(None):
        ffi.emit_python_code(str(out / "perfdata" / "_ffi.py"))
    (out / "perfdata" / "_code.py").write_text(codes(ffi))
    (out / "perfdata" / "_version.py").write_text(f'SOVERSION = "{version}"\n')


if __name__ == "__main__":
    main()
