#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutate.py - changes one line of the schema at a time; the build or a test must notice each change.

usage: mutate.py [--jobs N] [--every N] [--only REGEX] [--list] [--work DIR] [--log FILE]

For each line of src/schema/*.def: the fields swapped with the next line, another width, the condition turned round or
put on another bit, the line left out, another name, another value. A mutant is built as any change of the schema is
(`regen`, library, tests), so that generated files agree with it: what kills it is a test that knows the layout from
elsewhere. Survivors are printed and make the exit status 1. tests/mutation/equivalent.txt lists mutants that mean the
same as the original, each with its reason; such a line that no mutant has is an error.

They are tried in an order that goes evenly over the whole schema again and again. With --log, what noticed each mutant is
appended to FILE, and mutants that something noticed according to it are not tried again: so a run goes on where it was stopped.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import typing

from quick import Quick

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = "src/schema"
LAYOUT_TESTS = ["golden_records", "golden_sample", "golden_attr", "golden_tool_records", "golden_features", "golden_errors",
                "golden_feature_errors", "compare", "json", "print", "fields", "parse", "names", "regs", "v1", "metadata", "read", "event",
                "feature_bytes", "random_values", "tracepoint", "codec_bytes"]


def these_first(*tests):
    return [*tests, *[test for test in LAYOUT_TESTS if test not in tests]]


# In order of what notices most, so that most mutants die early.
TESTS = {
    "file.def": these_first("golden_attr", "v1"),
    "records.def": LAYOUT_TESTS,
    "tool_records.def": these_first("golden_tool_records"),
    "rare_records.def": these_first("golden_tool_records", "golden_feature_errors"),
    "features.def": these_first("golden_features", "golden_feature_errors"),
    "names.def": ["names", "golden_records", "golden_sample", "golden_attr", "golden_tool_records", "golden_features", "print",
                  "json", "parse", "fields"],
    "regs.def": ["regs", "print", "json", "parse"],
}
VALUES = {"names.def", "regs.def"}
ROUNDS = 29
LIBRARIES = ["-lcmocka", "-ljansson", "-lsodium", "-lxxhash", "-lzstd", "-lpthread"]
OTHER_WIDTH = {"U8": "U16", "U16": "U32", "U32": "U64", "U64": "U32", "S32": "U16", "VEC16": "VEC32", "VEC32": "VEC16",
               "STR64": "CSTR", "CSTR": "STR64"}
LINE = re.compile(r"^(\s*)([A-Z][A-Z0-9_]*)(\s*)\(((?:[^()\"]|\"[^\"]*\")*)\)\s*$")
BLOCK_EDGES = {"LAYOUT", "RECORD", "FEATURE", "END", "SET", "ARCH"}
CONDITIONS = {"WHEN", "UNLESS", "SINCE", "IS", "FROM", "HAS", "LACKS"}


class Line:
    """One call of a .def file: its macro and its arguments, the document string apart."""

    def __init__(self, text):
        match = LINE.match(text)
        self.ok = match is not None
        if self.ok:
            self.indent, self.macro, self.space, inner = match.groups()
            parts = re.findall(r'"[^"]*"|[^,]+', inner)
            self.args = [part.strip() for part in parts if part.strip()]

    def with_(self, macro=None, args=None):
        return f"{self.indent}{macro or self.macro}({', '.join(args or self.args)})"


def block_of(lines, at):
    """The first and last line of the block that line `at` stands in."""
    first = last = at
    while first > 0 and Line(lines[first]).macro not in BLOCK_EDGES if Line(lines[first]).ok else first > 0:
        first -= 1
    while last < len(lines) - 1 and not lines[last].startswith("END("):
        last += 1
    return first, last


def rename(lines, at, old):
    """The block around line `at` with every use of the name `old` changed."""
    first, last = block_of(lines, at)
    word = re.compile(rf"\b{re.escape(old)}\b(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)")
    new = lines[:]
    for i in range(first + 1, last):
        new[i] = word.sub(old + "_x", lines[i])
    return new


def replaced(lines, at, text):
    return lines[:at] + ([] if text is None else [text]) + lines[at + 1:]


def number_plus_one(text):
    value = int(text, 0) + 1
    return hex(value) if text.lower().startswith("0x") else str(value)


def is_number(text):
    return re.fullmatch(r"0[xX][0-9a-fA-F]+|\d+", text) is not None


def mutants_of_layout(lines, at, line):
    following = Line(lines[at + 1]) if at + 1 < len(lines) else None
    if line.macro in CONDITIONS:
        turned = {"WHEN": "UNLESS", "UNLESS": "WHEN", "HAS": "LACKS", "LACKS": "HAS"}.get(line.macro)
        if turned:
            yield "condition turned round", replaced(lines, at, line.with_(macro=turned))
        last = line.args[-1]
        others = sorted({other.args[-1] for other in map(Line, lines)
                         if other.ok and other.macro in CONDITIONS and other.args[0] == line.args[0]} - {last})
        if is_number(last):
            yield "another number", replaced(lines, at, line.with_(args=line.args[:-1] + [number_plus_one(last)]))
        elif others:
            yield f"bit {others[0]}", replaced(lines, at, line.with_(args=line.args[:-1] + [others[0]]))
        return
    if following is not None and following.ok and following.macro not in BLOCK_EDGES | CONDITIONS | {"ALIAS", "DONE"} \
            and line.macro != "ALIAS":
        yield "swapped with the next", lines[:at] + [lines[at + 1], lines[at]] + lines[at + 2:]
    if line.macro in OTHER_WIDTH:
        yield f"{line.macro} is {OTHER_WIDTH[line.macro]}", replaced(lines, at, line.with_(macro=OTHER_WIDTH[line.macro]))
    if line.macro in ("B32", "B64"):
        yield "not a bit field", replaced(lines, at, line.with_(macro="U" + line.macro[1:]))
    numbers = [i for i, arg in enumerate(line.args) if i and is_number(arg)]
    if numbers and line.macro not in OTHER_WIDTH:
        args = line.args[:]
        args[numbers[0]] = number_plus_one(args[numbers[0]])
        yield "another number", replaced(lines, at, line.with_(args=args))
    yield "left out", replaced(lines, at, None)
    if re.fullmatch(r"[a-z_0-9]+", line.args[0]):
        yield "another name", rename(lines, at, line.args[0])


def mutants_of_value(lines, at, line):
    """A line of names.def or regs.def: VALUE, FIELD, UNAME, MACHINE, REG."""
    names = [i for i, arg in enumerate(line.args) if re.fullmatch(r'[A-Za-z_]\w*', arg)]
    numbers = [i for i, arg in enumerate(line.args) if is_number(arg)]
    if numbers:
        args = line.args[:]
        args[numbers[0]] = number_plus_one(args[numbers[0]])
        yield "another number", replaced(lines, at, line.with_(args=args))
    if line.macro in ("VALUE", "FIELD", "REG") and names:
        args = line.args[:]
        args[names[0]] += "_X" if args[names[0]].isupper() else "_x"
        yield "another name", replaced(lines, at, line.with_(args=args))
    yield "left out", replaced(lines, at, None)


class Mutant(typing.NamedTuple):
    file: str
    line: int
    block: str
    what: str
    text: str
    new: list

    def name(self):
        """As equivalent.txt has it: lines may move."""
        return f"{self.file}: {self.block}: {self.text}: {self.what}"

    def __str__(self):
        return f"{self.file}:{self.line}: {self.block}: {self.text}: {self.what}"


def mutants():
    for file in TESTS:
        lines = (SOURCE / SCHEMA / file).read_text().split("\n")
        in_comment = False
        for at, text in enumerate(lines):
            in_comment = in_comment or text.lstrip().startswith("/*")
            if in_comment:
                in_comment = "*/" not in text
                continue
            line = Line(text)
            if not line.ok or line.macro in BLOCK_EDGES or line.macro == "DONE":
                continue
            make = mutants_of_value if file in VALUES else mutants_of_layout
            block = Line(lines[block_of(lines, at)[0]]).args[0]
            for what, new in make(lines, at, line):
                yield Mutant(file, at + 1, block, what, text.strip(), new)


class Worker:
    """A copy of the tree with a build of its own.

    A mutant is built test by test, and of the library only what the test links, so that most mutants die when an eighth
    of it is compiled.
    """

    def __init__(self, directory):
        self.tree = directory / "main"
        self.build = directory / "b"
        shutil.rmtree(directory, ignore_errors=True)
        files = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                               check=True, capture_output=True).stdout
        for name in map(os.fsdecode, filter(None, files.split(b"\0"))):
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCE / name, self.tree / name, follow_symlinks=False)
        self.must("cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                  "-DCMAKE_C_FLAGS_DEBUG=-O0", "-DCMAKE_C_FLAGS=-w")
        tests = sorted({test for tests in TESTS.values() for test in tests})
        self.must("ninja", "-C", self.build, "-j2", *[f"test_{test}" for test in tests])
        self.parts = {test: self.parts_of(test) for test in tests}
        quick = {test: parts for test, parts in self.parts.items() if test.startswith("golden_") or test == "names"}
        self.quick = Quick(self.tree, self.build / "quick", quick, LIBRARIES)
        result = self.judge(tests, regenerate=True) or self.quick.prepare()
        if result:
            sys.exit(f"mutate.py: the tree as it is fails: {result}")

    def must(self, *command):
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    def run(self, *command):
        try:
            return subprocess.run(command, cwd=self.build, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  timeout=600).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def parts_of(self, test):
        """The objects that a test's program consists of; the linker takes of archives only what is referred to."""
        own = next(self.build.glob(f"tests/CMakeFiles/test_{test}.dir/*/{test}.c.o")).relative_to(self.build)
        archives = [self.build / "tests/libperfdata_test_support.a", self.build / "libperfdata.a"]
        trace = self.must("cc", "-o", self.build / "traced", self.build / own, *archives, *LIBRARIES, "-Wl,-t,-t")
        parts = [str(own)]
        for archive, objects in zip(archives, ("tests/CMakeFiles/perfdata_test_support.dir", "CMakeFiles/perfdata_lib.dir")):
            for line in self.must("ninja", "-C", self.build, "-t", "query", archive.relative_to(self.build)).splitlines():
                path = line.strip()
                # Two files of one name (src/attr.c, encode/attr.c) are both compiled; the linker takes its own again.
                if path.startswith(objects) and f"({archive}){os.path.basename(path)}" in trace.splitlines():
                    parts.append(path)
        return parts

    def judge(self, tests, regenerate):
        """What notices: None when nothing does."""
        if regenerate and not self.run("ninja", "regen"):
            return "the generator"
        for test in tests:
            if not self.run("ninja", "-j1", *self.parts[test]):
                return "the compiler"
            own, *others = self.parts[test]
            if not self.run("sh", "-c", "rm -f parts.a; exec ar rcsT parts.a \"$@\"", "ar", *others) \
                    or not self.run("cc", "-o", "program", own, "parts.a", *LIBRARIES):
                return "the linker"
            if not self.run("./program"):
                return test
        return None

    def try_(self, mutant):
        path = self.tree / SCHEMA / mutant.file
        original = path.read_text()
        try:
            path.write_text("\n".join(mutant.new))
            if mutant.file == "regs.def": # of which nothing is made that is compiled
                return self.judge(TESTS[mutant.file], regenerate=False)
            return self.quick.judge(mutant.file, mutant.block, Line(mutant.text).args[0]) or self.judge(TESTS[mutant.file], regenerate=True)
        finally:
            path.write_text(original)


def equivalents():
    """{mutant: reason} of tests/mutation/equivalent.txt: lines `FILE: BLOCK: LINE: WHAT # reason`."""
    path = SOURCE / "tests/mutation/equivalent.txt"
    known = {}
    for text in path.read_text().splitlines() if path.exists() else []:
        if text and not text.startswith("#"):
            mutant, _, reason = text.partition(" # ")
            known[mutant.strip()] = reason.strip()
    return known


def noticed(log):
    """The mutants that something noticed, according to a file of lines "what noticed<TAB>mutant"."""
    if not log or not os.path.exists(log):
        return set()
    with open(log) as lines:
        return {mutant for by, mutant in (line.rstrip("\n").split("\t") for line in lines) if by != "nothing"}


def main():
    parser = argparse.ArgumentParser(description="Changes each line of the schema; the tests must notice.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--every", type=int, default=1, help="only each Nth mutant")
    parser.add_argument("--only", default="", help="only mutants whose description fits this expression")
    parser.add_argument("--list", action="store_true", help="print the mutants, try none")
    parser.add_argument("--log", help="append to this file what noticed each mutant; leave out what it says was noticed")
    parser.add_argument("--work", default=os.environ.get("TMPDIR", "/tmp") + "/perfdata-mutants")
    options = parser.parse_args()

    known = equivalents()
    everything = list(mutants())
    stale = sorted(set(known) - {mutant.name() for mutant in everything})
    for name in stale:
        print(f"equivalent.txt: no such mutant: {name}")
    done = noticed(options.log)
    todo = [m for m in everything if re.search(options.only, str(m))][::options.every]
    todo = [m for start in range(ROUNDS) for m in todo[start::ROUNDS] if str(m) not in done]
    if options.list:
        print(*todo, sep="\n")
        return 0

    local = threading.local()
    numbers = iter(range(options.jobs))
    lock = threading.Lock()
    killed, survivors, counted = {}, [], 0

    def one(mutant):
        if not hasattr(local, "worker"):
            with lock:
                number = next(numbers)
            local.worker = Worker(pathlib.Path(options.work) / str(number))
        return local.worker.try_(mutant)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for mutant, by in zip(todo, pool.map(one, todo)):
            counted += 1
            if options.log:
                with open(options.log, "a") as log:
                    print(by or "nothing", mutant, sep="\t", file=log)
            if by is None and mutant.name() not in known:
                survivors.append(mutant)
                print(f"SURVIVED {mutant}", flush=True)
            else:
                by = by or "equivalent"
                killed[by] = killed.get(by, 0) + 1
            if counted % 50 == 0:
                print(f"… {counted} of {len(todo)}", file=sys.stderr, flush=True)

    for by, count in sorted(killed.items(), key=lambda item: -item[1]):
        print(f"{count:6}  {by}")
    print(f"{counted} mutants, {len(survivors)} survived")
    return 1 if survivors or stale else 0


if __name__ == "__main__":
    sys.exit(main())
