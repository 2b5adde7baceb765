#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutate.py - changes one line of the schema at a time; the build or a test must notice each change.

usage: mutate.py [--jobs N] [--every N] [--only REGEX] [--list] [--work DIR] [--log FILE]

For each line of src/schema/*.def: the fields swapped with the next line, another width, the condition turned
round or put on another bit, the line left out, another name, another value; of a record whether sample_id
follows, of a set whether it is of flags; of identity.def that a field says nothing of anybody, of roles.def
another role. A mutant is built as any change of the schema is (`regen`, library, tests), so that generated
files agree with it: what kills it is a test that knows the layout from elsewhere. Survivors are printed and
make the exit status 1. tests/mutation/equivalent.txt lists mutants that mean the same as the original, each
with its reason; such a line that no mutant has is an error.

They are tried in an order that goes evenly over the whole schema again and again. With --log, what noticed
each mutant is appended to FILE, and mutants that something noticed according to it are not tried again: so a
run goes on where it was stopped.
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
LAYOUT_TESTS = [
    "golden_records",
    "golden_sample",
    "golden_attr",
    "golden_tool_records",
    "golden_features",
    "golden_errors",
    "golden_feature_errors",
    "compare",
    "json",
    "print",
    "fields",
    "parse",
    "names",
    "regs",
    "v1",
    "metadata",
    "read",
    "event",
    "feature_bytes",
    "random_values",
    "tracepoint",
    "codec_bytes",
]


def these_first(*tests):
    return [*tests, *[test for test in LAYOUT_TESTS if test not in tests]]


# In order of what notices most, so that most mutants die early.
TESTS = {
    "file.def": these_first("golden_attr", "v1", "reader", "reader_v1"),
    "records.def": LAYOUT_TESTS,
    "tool_records.def": these_first("golden_tool_records"),
    "rare_records.def": these_first("golden_tool_records", "golden_feature_errors", "roles", "offcpu"),
    "features.def": these_first("golden_features", "golden_feature_errors"),
    "names.def": [
        "names",
        "golden_records",
        "golden_sample",
        "golden_attr",
        "golden_tool_records",
        "golden_features",
        "print",
        "json",
        "parse",
        "fields",
    ],
    "regs.def": ["regs", "print", "json", "parse"],
    "identity.def": ["redact", "roles", "merge"],
    "roles.def": ["roles"],
}
NOT_GENERATED = {"regs.def", "identity.def", "roles.def"}
ROUNDS = 29
LIBRARIES = ["-lcmocka", "-ljansson", "-lsodium", "-lxxhash", "-lzstd", "-lpthread"]
OTHER_WIDTH = {
    "U8": "U16",
    "U16": "U32",
    "U32": "U64",
    "U64": "U32",
    "S32": "U16",
    "VEC16": "VEC32",
    "VEC32": "VEC16",
    "STR64": "CSTR",
    "CSTR": "STR64",
}
LINE = re.compile(r"^(\s*)([A-Z][A-Z0-9_]*)(\s*)\(((?:[^()\"]|\"[^\"]*\")*)\)\s*$")
BLOCK_EDGES = {"LAYOUT", "RECORD", "FEATURE", "END", "SET", "ARCH"}
REFERRING = {
    "VEC16",
    "VEC32",
    "VEC64",
    "BYTES",
    "OPT64",
    "LIST",
    "ITEMS",
    "SLOT",
    "ALIAS",
    "REGS",
    "SINCE",
    "UNITS",
    "LOW",
    "LESS",
    "OTHER",
    "ONES",
    "SIZED",
    "WHOLE",
    "ROOMN",
}  # to another field of the block
CONDITIONS = {"WHEN", "UNLESS", "SINCE", "IS", "FROM", "HAS", "LACKS", "MOST"}


class Line:
    """One call of a .def file: its macro and its arguments, the document string apart."""

    def __init__(self, text):
        match = LINE.match(text)
        self.ok = match is not None
        if self.ok:
            self.indent, self.macro, self.space, inner = match.groups()
            parts = re.findall(r'\s*"[^"]*"|[^,]+', inner)
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
    """The block around line `at` with every field `old`, and every line that refers to it, of another name;
    sets keep theirs."""
    first, last = block_of(lines, at)
    new = lines[:]
    for i in range(first + 1, last):
        line = Line(lines[i])
        places = [0] if line.ok and line.macro not in ("WHEN", "UNLESS") else []
        places += [1] if line.ok and line.macro in REFERRING else []
        for place in places:
            if line.args[place] == old:
                line.args[place] = old + "_x"
                new[i] = line.with_()
    return new


def replaced(lines, at, text):
    return lines[:at] + ([] if text is None else [text]) + lines[at + 1 :]


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
        others = sorted(
            {
                other.args[-1]
                for other in map(Line, lines)
                if other.ok and other.macro in CONDITIONS and other.args[0] == line.args[0]
            }
            - {last}
        )
        if is_number(last):
            yield "another number", replaced(
                lines, at, line.with_(args=line.args[:-1] + [number_plus_one(last)])
            )
        elif others:
            yield f"bit {others[0]}", replaced(lines, at, line.with_(args=line.args[:-1] + [others[0]]))
        return
    if (
        following is not None
        and following.ok
        and following.macro not in BLOCK_EDGES | CONDITIONS | {"ALIAS", "DONE"}
        and line.macro != "ALIAS"
    ):
        yield "swapped with the next", lines[:at] + [lines[at + 1], lines[at]] + lines[at + 2 :]
    if line.macro in OTHER_WIDTH:
        yield f"{line.macro} is {OTHER_WIDTH[line.macro]}", replaced(
            lines, at, line.with_(macro=OTHER_WIDTH[line.macro])
        )
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


def mutants_of_edge(lines, at, line):
    """The first line of a record or set."""
    turned = (
        {"TRAILER": "NO_TRAILER", "NO_TRAILER": "TRAILER"}
        if line.macro == "RECORD"
        else {"ENUM": "FLAGS", "FLAGS": "ENUM"}
    )
    for i, arg in enumerate(line.args[:4]):
        if arg in turned and line.macro in ("RECORD", "SET"):
            yield f"{turned[arg]}", replaced(
                lines, at, line.with_(args=line.args[:i] + [turned[arg]] + line.args[i + 1 :])
            )


def mutants_of_identity(lines, at, line):
    """A line of identity.def."""
    if line.args[-1] != "NONE" and line.macro == "IDENTIFIES":
        yield "nothing of anybody", replaced(lines, at, line.with_(args=line.args[:-1] + ["NONE"]))
    yield "left out", replaced(lines, at, None)


def mutants_of_role(lines, at, line):
    """A line of roles.def: each of its words as another line has it."""
    for i in range(1, 5):
        other = next(
            line_.args[i] for line_ in map(Line, lines) if line_.ok and line_.args[i] != line.args[i]
        )
        yield f"{other}", replaced(lines, at, line.with_(args=line.args[:i] + [other] + line.args[i + 1 :]))


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


MAKERS = {
    "names.def": mutants_of_value,
    "regs.def": mutants_of_value,
    "identity.def": mutants_of_identity,
    "roles.def": mutants_of_role,
}


class Mutant(typing.NamedTuple):
    file: str
    line: int
    block: str
    what: str
    text: str
    new: list

    def name(self):
        """As equivalent.txt has it: lines may move, and how many spaces there are is no difference."""
        return " ".join(f"{self.file}: {self.block}: {self.text}: {self.what}".split())

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
            if not line.ok or line.macro in ("END", "DONE"):
                continue
            make = MAKERS.get(file, mutants_of_layout) if line.macro not in BLOCK_EDGES else mutants_of_edge
            block = (
                Line(lines[block_of(lines, at)[0]]).args[0]
                if file not in ("identity.def", "roles.def")
                else line.args[0]
            )
            for what, new in make(lines, at, line):
                yield Mutant(file, at + 1, block, what, text.strip(), new)


def proof_of_member(mutant, lines):
    """How the compiler says that a struct has no such member any more; None if it cannot."""
    field, (first, last) = Line(mutant.text).args[0], block_of(lines, mutant.line - 1)
    if (
        mutant.what == "left out"
        and sum(line.ok and line.args[:1] == [field] for line in map(Line, lines[first + 1 : last])) > 1
    ):
        return None
    block = ("feature_" if Line(lines[first]).macro == "FEATURE" else "") + mutant.block
    return rf"error: '[^']*\bpd_{block}' has no member named '{field}'"


def proof_of_constant(mutant, lines, constants):
    """The same of a constant: that there is none, or that it is another one."""
    constant = constant_of(mutant.line - 1, lines)
    if constants.count(constant) > 1 or mutant.what != "another name" and Line(mutant.text).macro != "VALUE":
        return None
    return (
        rf'static assertion failed: "{constant}"'
        if mutant.what == "another number"
        else rf"error: '{constant}' undeclared"
    )


def constant_of(at, lines):
    prefix = Line(lines[block_of(lines, at)[0]]).args[2]
    return f"PD_{prefix}_{Line(lines[at]).args[0]}".upper()


def groups(todo):
    """Mutants that can be tried at once, because the compiler tells what each took away: file, [(mutant, how
    it tells that)]."""
    for file in [file for file in TESTS if file not in NOT_GENERATED]:
        lines = (SOURCE / SCHEMA / file).read_text().split("\n")
        values = (
            [i for i, text in enumerate(lines) if re.match(r"\s+(VALUE|FIELD)\b", text)]
            if file == "names.def"
            else []
        )
        constants = [constant_of(i, lines) for i in values]
        for what in (
            ("another name", "left out", "another number") if values else ("another name", "left out")
        ):
            some = [
                mutant
                for mutant in todo
                if mutant.file == file
                and mutant.what == what
                and (mutant.line - 1 in values if values else Line(mutant.text).macro not in CONDITIONS)
            ]
            proofs = [
                (
                    mutant,
                    proof_of_constant(mutant, lines, constants) if values else proof_of_member(mutant, lines),
                )
                for mutant in some
            ]
            yield file, [(mutant, proof) for mutant, proof in proofs if proof]


class Worker:
    """A copy of the tree with a build of its own.

    A mutant is built test by test, and of the library only what the test links, so that most mutants die when
    an eighth of it is compiled.
    """

    def __init__(self, directory):
        self.tree = directory / "main"
        self.build = directory / "b"
        files = subprocess.run(
            ["git", "-C", SOURCE, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            check=True,
            capture_output=True,
        ).stdout
        for name in map(os.fsdecode, filter(None, files.split(b"\0"))):
            self.copy(SOURCE / name, self.tree / name)
        self.must(
            "cmake",
            "-S",
            self.tree,
            "-B",
            self.build,
            "-G",
            "Ninja",
            "-DCMAKE_BUILD_TYPE=Debug",
            "-DCMAKE_C_FLAGS_DEBUG=-O0",
            "-DCMAKE_C_FLAGS=-w",
        )
        tests = sorted({test for tests in TESTS.values() for test in tests})
        self.must("ninja", "-C", self.build, "-j2", *[f"test_{test}" for test in tests])
        self.parts = {test: self.parts_of(test) for test in tests}
        quick = {
            test: parts for test, parts in self.parts.items() if test.startswith("golden_") or test == "names"
        }
        self.quick = Quick(self.tree, self.build / "quick", quick, LIBRARIES)
        result = self.judge(tests, regenerate=True) or self.quick.prepare()
        if result:
            sys.exit(f"mutate.py: the tree as it is fails: {result}")

    @staticmethod
    def copy(source, target):
        """What an earlier run left is not built again unless it is another one."""
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink() or not target.exists() or source.read_bytes() != target.read_bytes():
            target.unlink(missing_ok=True)
            shutil.copy(source, target, follow_symlinks=False)

    def must(self, *command):
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    def run(self, *command):
        try:
            return (
                subprocess.run(
                    command, cwd=self.build, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600
                ).returncode
                == 0
            )
        except subprocess.TimeoutExpired:
            return False

    def parts_of(self, test):
        """The objects that a test's program consists of; the linker takes of archives only what is referred
        to."""
        own = next(self.build.glob(f"tests/CMakeFiles/test_{test}.dir/**/{test}.c.o")).relative_to(self.build)
        archives = [
            self.build / name
            for name in ("tests/libperfdata_test_support.a", "libperfdata-ops.a", "libperfdata.a")
        ]
        trace = self.must(
            "cc", "-o", self.build / "traced", self.build / own, *archives, *LIBRARIES, "-Wl,-t,-t"
        )
        parts = [str(own)]
        folders = [
            "tests/CMakeFiles/perfdata_test_support.dir",
            "CMakeFiles/perfdata_ops.dir",
            "CMakeFiles/perfdata_lib.dir",
        ]
        for archive, objects in zip(archives, folders):
            for line in self.must(
                "ninja", "-C", self.build, "-t", "query", archive.relative_to(self.build)
            ).splitlines():
                path = line.strip()
                # Two files of one name (src/codec/attr.c, encode/codec/attr.c) are both compiled; the linker
                # takes its own again.
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
            if not self.run(
                "sh", "-c", "rm -f parts.a; exec ar rcsT parts.a \"$@\"", "ar", *others
            ) or not self.run("cc", "-o", "program", own, "parts.a", *LIBRARIES):
                return "the linker"
            if not self.run("./program"):
                return test
        return None

    def missed(self, file, group):
        """Of mutants that each take a name away or change a number, all made at once: those of which the
        compiler says just that."""
        path = self.tree / SCHEMA / file
        original = path.read_text()
        before = original.split("\n")
        lines = before[:]
        for mutant, _ in group:
            if mutant.what == "left out":
                lines[mutant.line - 1] = ""
            else:
                for i in (i for i, text in enumerate(mutant.new) if text != before[i]):
                    lines[i] = mutant.new[i]
        try:
            path.write_text("\n".join(lines))
            said = self.quick.complaints(file, {part for test in TESTS[file] for part in self.parts[test]})
        finally:
            path.write_text(original)
        if (
            said is None and len(group) > 16
        ):  # some stand in the way of the others; a few are tried one by one
            half = len(group) // 2
            return self.missed(file, group[:half]) + self.missed(file, group[half:])
        return [mutant for mutant, proof in group if re.search(proof, said or "")]

    def try_(self, mutant):
        path = self.tree / SCHEMA / mutant.file
        original = path.read_text()
        try:
            path.write_text("\n".join(mutant.new))
            if mutant.file in NOT_GENERATED:  # but into texts
                return self.judge(TESTS[mutant.file], regenerate=False)
            return self.quick.judge(mutant.file, mutant.block, Line(mutant.text).args[0]) or self.judge(
                TESTS[mutant.file], regenerate=True
            )
        finally:
            path.write_text(original)


def equivalents():
    """{mutant: reason} of tests/mutation/equivalent.txt: `FILE: BLOCK: LINE: WHAT # reason`.

    A line that begins with spaces goes on the one before.
    """
    path = SOURCE / "tests/mutation/equivalent.txt"
    known = {}
    for text in re.sub(r"\n +", " ", path.read_text()).splitlines() if path.exists() else []:
        if text and not text.startswith("#"):
            mutant, _, reason = text.partition(" # ")
            known[" ".join(mutant.split())] = reason.strip()
    return known


def noticed(log):
    """The mutants that something noticed, according to a file of lines "what noticed<TAB>mutant"."""
    if not log or not os.path.exists(log):
        return set()
    with open(log) as lines:
        return {mutant for by, mutant in (line.rstrip("\n").split("\t") for line in lines) if by != "nothing"}


class Run:
    def __init__(self, options, known, todo):
        self.options, self.known, self.todo = options, known, todo
        self.killed, self.survived = {}, 0
        self.workers = []
        self.local, self.lock = threading.local(), threading.Lock()

    def worker(self):
        if not hasattr(self.local, "worker"):
            with self.lock:
                number = len(self.workers)
                self.workers.append(None)
            self.local.worker = Worker(pathlib.Path(self.options.work).resolve() / str(number))
        return self.local.worker

    def note(self, mutant, by):
        if self.options.log:
            with open(self.options.log, "a") as log:
                print(by or "nothing", mutant, sep="\t", file=log)
        if by is None and mutant.name() not in self.known:
            self.survived += 1
            print(f"SURVIVED {mutant}", flush=True)
        else:
            by = by or "equivalent"
            self.killed[by] = self.killed.get(by, 0) + 1

    def try_all(self):
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            done = self.try_together(pool) if shutil.which("gcc") else set()  # whose words are looked for
            rest = [mutant for mutant in self.todo if str(mutant) not in done]
            for n, (mutant, by) in enumerate(
                zip(rest, pool.map(lambda mutant: self.worker().try_(mutant), rest)), 1
            ):
                self.note(mutant, by)
                if n % 50 == 0:
                    print(f"… {n} of {len(rest)}", file=sys.stderr, flush=True)

    def try_together(self, pool):
        done = set()
        for file, group in groups(self.todo):
            for mutant in (
                pool.submit(lambda file=file, group=group: self.worker().missed(file, group)).result()
                if group
                else ()
            ):
                self.note(mutant, "the compiler")
                done.add(str(mutant))
        print(f"… {len(done)} together", file=sys.stderr, flush=True)
        return done


def main():
    parser = argparse.ArgumentParser(description="Changes each line of the schema; the tests must notice.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--every", type=int, default=1, help="only each Nth mutant")
    parser.add_argument("--only", default="", help="only mutants whose description fits this expression")
    parser.add_argument("--list", action="store_true", help="print the mutants, try none")
    parser.add_argument(
        "--log", help="append to this file what noticed each mutant; leave out what it says was noticed"
    )
    parser.add_argument("--work", default=os.environ.get("TMPDIR", "/tmp") + "/perfdata-mutants")
    options = parser.parse_args()

    known = equivalents()
    everything = list(mutants())
    stale = sorted(set(known) - {mutant.name() for mutant in everything})
    for name in stale:
        print(f"equivalent.txt: no such mutant: {name}")
    done = noticed(options.log)
    todo = [m for m in everything if re.search(options.only, str(m))][:: options.every]
    todo = [m for start in range(ROUNDS) for m in todo[start::ROUNDS] if str(m) not in done]
    if options.list:
        print(*todo, sep="\n")
        return 0

    run = Run(options, known, todo)
    run.try_all()
    for by, count in sorted(run.killed.items(), key=lambda item: -item[1]):
        print(f"{count:6}  {by}")
    print(f"{len(todo)} mutants, {run.survived} survived")
    return 1 if run.survived or stale else 0


if __name__ == "__main__":
    sys.exit(main())
