#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""operators.py - changes one operator of src, encode and ops at a time; a test must notice each change.

usage: operators.py [--count N | --reported] [--only REGEX] [--tests REGEX] [--list] [--hours H] [--jobs N]
                    [--work DIR] [--log FILE]

A comparison takes its bound in or out, or is turned round, `&&` becomes `||`, `+` becomes `-`, `<<` becomes
`>>`, `&` becomes `|`, `!` goes, `true` becomes `false`, each of them and the other way; the two values of a
choice change places. clang's own tree says where such operators stand (Debian's python3-clang-14), in headers
as well; one that is only a part of sources is seen as the first source beside it that includes it sees it.
Operators in macros are left as they are, as are those of what must be constant. All mutants are built at
once, into one copy of the tree, where the variable PERFDATA_MUTANT chooses the one that is alive: so a mutant
costs no compiler's time, and one run of all tests tells which of them come past its place. These are tried
from the shortest on, where a test whose name has to do with the file counts as ten times shorter. A test that
takes ten times as long as usual is ended, with all processes that it started, and has noticed the mutant.
Each processor tries another mutant, or --jobs of them.

--count takes so many mutants of all code, chosen by their names, so that a change elsewhere leaves the choice
as it is; without it all are tried. With --log, what noticed each mutant is appended to FILE, and mutants that
are in it are not tried again, so that a run goes on where it was stopped, at the latest after --hours. Lines
of FILE whose mutants are no more, because the code is another one, are taken out; its head says how many
mutants there are. Survivors, also those in FILE, are printed and make the exit status 1: after a test is
written for one, take its line out of FILE.
tests/mutation/equivalent_operators.txt lists mutants that mean the same, each with its reason.

--reported takes those of tests/mutation/reported.tsv, which no test noticed once; the test that notices each
stands before it, is the only one tried, and must notice it again.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from clang import cindex

SOURCE = pathlib.Path(__file__).resolve().parents[2]
EQUIVALENT = SOURCE / "tests/mutation/equivalent_operators.txt"
REPORTED = SOURCE / "tests/mutation/reported.tsv"
FOLDERS = ("src", "encode", "ops")
OTHER = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "&&": "||",
    "||": "&&",
    "+": "-",
    "-": "+",
    "*": "+",
    "/": "*",
    "%": "/",
    "<<": ">>",
    ">>": "<<",
    "&": "|",
    "|": "&",
    "+=": "-=",
    "-=": "+=",
    "|=": "&=",
    "&=": "|=",
}
NOT_TESTS = r"^(repo|install|bench|load|oracle|faults|inputs|generated)/|_perf$"
SLOWEST = 20  # seconds of one processor, of a test that judges
MEMORY = 8 << 30  # bytes that one may have, and write
Kind = cindex.CursorKind
CHOICE = """#pragma once
/* Which mutant is alive, and which places were passed. */
extern int pi_mutant;
extern unsigned char *pi_mutants_passed;
#define PI_MUTANT(k_) (pi_mutants_passed[k_] = 1, pi_mutant == (k_))
"""
CHOOSER = """#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#define N %d
extern int pi_mutant;
extern unsigned char *pi_mutants_passed;
static unsigned char nowhere[N];
int pi_mutant = -1;
unsigned char *pi_mutants_passed = nowhere;
__attribute__((constructor)) static void choose(void)
{
    const char *number = getenv("PERFDATA_MUTANT"), *path = getenv("PERFDATA_MUTANTS_PASSED");
    const int fd = path ? open(path, O_RDWR) : -1;
    void *p = fd < 0 ? MAP_FAILED : mmap(0, N, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    pi_mutant = number ? atoi(number) : -1;
    if (p != MAP_FAILED)
        pi_mutants_passed = p;
}
"""


class Mutant:
    """One operator of a file: the span of its expression, where it stands, and the expression instead."""

    def __init__(self, file, function, span, at, what, instead):
        self.file, self.function, self.span, self.at = file, function, span, at
        self.what, self.instead = what, instead
        self.number = self.copy = 0
        self.noticed = ""  # the only test that is to judge it
        self.line = 0
        self.code = ""

    def name(self):
        again = f" ({self.copy + 1})" if self.copy else ""
        return f"{self.file}: {self.function}: {self.code}: {self.what}{again}"


def macros_of(unit, path):
    """Where macros are used in the file: (from, to, name)."""
    return [
        (c.extent.start.offset, c.extent.end.offset, c.spelling)
        for c in unit.cursor.get_children()
        if c.kind == Kind.MACRO_INSTANTIATION and c.location.file and c.location.file.name == str(path)
    ]


def parse(path):
    """The unit, and what is wrong with it."""
    options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    unit = cindex.Index.create().parse(str(path), args=["-xc", *ARGUMENTS], options=options)
    return unit, [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]


def is_pointer(cursor):
    return cursor.type.get_canonical().kind in (cindex.TypeKind.POINTER, cindex.TypeKind.CONSTANTARRAY)


class File:
    """The mutants of one source."""

    def __init__(self, path):
        self.path, self.name = path, str(path.relative_to(SOURCE))
        self.data = path.read_bytes()
        self.mutants = []
        self.included = re.compile(rb'#include "[^"]*\b%s"' % re.escape(path.name).encode())
        self.source = path  # what is compiled
        unit, wrong = parse(path)
        if wrong and path.suffix == ".h":  # a part of others
            beside = sorted(path.parent.glob("*.c"))
            users = [source for source in beside if self.included.search(source.read_bytes())]
            if not users:
                return
            self.source = users[0]
            unit, wrong = parse(self.source)
        if wrong:
            sys.exit(f"{self.name}: {wrong[0]}")
        self.macros = macros_of(unit, path)
        for cursor in unit.cursor.get_children():
            if (
                cursor.kind == Kind.FUNCTION_DECL
                and cursor.is_definition()
                and cursor.location.file
                and cursor.location.file.name == str(path)
            ):
                self.visit_function(cursor)
        self.finish()

    def in_macro(self, offset, besides=()):
        return any(start <= offset < end and name not in besides for start, end, name in self.macros)

    def visit_function(self, function):
        body = [child for child in function.get_children() if child.kind == Kind.COMPOUND_STMT]
        if not body or self.in_macro(body[0].extent.start.offset):
            return
        self.constants = []
        at = function.location.offset
        made = [self.data[start:end].decode() for start, end, _ in self.macros if start == at]
        own = made[0] if made else function.spelling  # as FN(name), whatever the macro makes of it
        self.visit(body[0], own)
        start, end = body[0].extent.start.offset, body[0].extent.end.offset
        for at, to, name in self.macros:
            if name in ("true", "false") and start < at < end and not self.is_constant(at):
                if not any(s <= at and to <= e and (s, e) != (at, to) for s, e, _ in self.macros):
                    other = "false" if name == "true" else "true"
                    self.add(own, (at, to), at, other, b"0" if name == "true" else b"1")

    def is_constant(self, offset):
        return any(start <= offset < end for start, end in self.constants)

    def visit(self, cursor, function):
        """What must be constant has no mutants."""
        for child in cursor.get_children():
            static = child.kind == Kind.STATIC_ASSERT or (
                child.kind == Kind.VAR_DECL and child.storage_class == cindex.StorageClass.STATIC
            )
            if static or (cursor.kind == Kind.CASE_STMT and child == next(cursor.get_children())):
                self.constants.append((child.extent.start.offset, child.extent.end.offset))
                continue
            self.consider(child, function)
            self.visit(child, function)

    def consider(self, cursor, function):
        children = list(cursor.get_children())
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        if cursor.kind in (Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            left, right = (child.extent for child in children)
            gap = self.data[left.end.offset : right.start.offset].decode()
            op = gap.strip()
            pointers = sum(map(is_pointer, children))
            if op not in OTHER or (op in "+-" and pointers and (pointers > 1 or not is_pointer(children[0]))):
                return
            if self.in_macro(left.end.offset + gap.index(op)) or self.in_macro(start, self.plain(start)):
                return
            instead = self.data[start : left.end.offset] + f" {OTHER[op]} ".encode()
            instead += self.data[right.start.offset : end]
            self.add(function, (start, end), left.end.offset, OTHER[op], instead)
        elif cursor.kind == Kind.UNARY_OPERATOR and self.data[start : start + 1] == b"!":
            if not self.in_macro(start):
                self.add(function, (start, end), start, "!!", b" !! " + self.data[start + 1 : end])
        elif cursor.kind == Kind.CONDITIONAL_OPERATOR and len(children) == 3:
            asked, yes, no = (self.data[c.extent.start.offset : c.extent.end.offset] for c in children)
            at = children[0].extent.end.offset
            if not self.in_macro(at) and not self.in_macro(start, self.plain(start)):
                self.add(function, (start, end), at, "?:", b"%s ? (%s) : (%s)" % (asked, no, yes))

    def plain(self, start):
        """The macros that a span begins with are within it."""
        return [name for at, _, name in self.macros if at == start]

    def add(self, function, span, at, what, instead):
        self.mutants.append(Mutant(self.name, function, span, at, what, instead))

    def finish(self):
        seen, spans = {}, set()
        for mutant in sorted(self.mutants, key=lambda m: (m.span[0], -m.span[1])):
            if (mutant.span, mutant.at) in spans:
                self.mutants.remove(mutant)
                continue
            spans.add((mutant.span, mutant.at))
            mutant.line = self.data[: mutant.at].count(b"\n") + 1
            mutant.code = " ".join(self.data[slice(*mutant.span)].decode().split())
            key = (mutant.function, mutant.code, mutant.what)
            mutant.copy = seen[key] = seen.get(key, -1) + 1
        self.mutants.sort(key=lambda m: (m.span[0], -m.span[1]))

    def render(self, start, end, mutants):
        out, at = [], start
        while mutants:
            first = mutants[0]
            inside = [m for m in mutants[1:] if m.span[1] <= first.span[1]]
            out.append(self.data[at : first.span[0]])
            own = self.render(*first.span, inside) if inside else self.data[slice(*first.span)]
            out.append(b"(PI_MUTANT(%d) ? (%s) : (%s))" % (first.number, first.instead, own))
            at = first.span[1]
            mutants = mutants[1 + len(inside) :]
        return b"".join([*out, self.data[at:end]])

    def text(self):
        first = b'#include "pi_mutant.h"\n#line 1 "%s"\n' % self.name.encode()
        return first + self.render(0, len(self.data), self.mutants)

    def unit(self, text):
        """What is compiled with this text."""
        if self.source == self.path:
            return text
        return self.included.sub(lambda _: text, self.source.read_bytes())


class Tree:
    """A copy of the tree that has all mutants."""

    def __init__(self, work, files):
        self.tree, self.build, self.files = work / "main", work / "b", files
        self.count = max(mutant.number for file in files for mutant in file.mutants) + 1
        self.copy()
        names = "".join(mutant.name() for file in files for mutant in file.mutants)
        self.state = hashlib.sha1(names.encode()).hexdigest()
        flags = f"-O1 -w -I{work}"
        run = ["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None"]
        self.must(*run, f"-DCMAKE_C_FLAGS={flags}", "-DCMAKE_C_COMPILER=clang")
        self.must("ninja", "-C", self.build, "all")

    @staticmethod
    def must(*command):
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout

    @staticmethod
    def put(path, data):
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)

    def copy(self):
        names = self.must("git", "-C", SOURCE, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        for name in filter(None, names.split("\0")):
            if (SOURCE / name).is_file():
                self.put(self.tree / name, (SOURCE / name).read_bytes())
                (self.tree / name).chmod((SOURCE / name).stat().st_mode)
        self.put(self.tree.parent / "pi_mutant.h", CHOICE.encode())
        for file in self.files:
            if file.mutants:
                self.put(self.tree / file.name, self.compilable(file))
        for folder in ("src", "tools/gen"):  # of the library, and of what takes only headers of it
            self.put(self.tree / folder / "pi_mutant.c", (CHOOSER % self.count).encode())

    def compilable(self, file):
        """Without the mutants that the compiler refuses, which are few, and those of the lines around."""
        while True:
            text = file.text()
            folders = [f"-I{self.tree.parent}", f"-I{file.path.parent}"]
            command = ["clang", "-x", "c", "-fsyntax-only", "-w", *ARGUMENTS, *folders, "-"]
            said = subprocess.run(command, input=file.unit(text), capture_output=True).stderr.decode()
            error = re.escape(file.name) + r":(\d+):\d+: (?:fatal )?error:"
            wrong = {int(n) for n in re.findall(error, said)}
            if not wrong:
                return text
            keep = [m for m in file.mutants if not any(abs(m.line - n) < 2 for n in wrong)]
            if len(keep) == len(file.mutants):
                sys.exit(f"{file.name}: {said[:2000]}")
            file.mutants = keep

    def tests(self):
        """{name: its command, folder, environment and limit}."""
        known = json.loads(self.must("ctest", "--test-dir", self.build, "--show-only=json-v1"))["tests"]
        out = {}
        for test in known:
            properties = {p["name"]: p["value"] for p in test["properties"]}
            if "command" in test and not re.search(NOT_TESTS, test["name"]):
                environment = dict(v.split("=", 1) for v in properties.get("ENVIRONMENT", []))
                out[test["name"]] = (test["command"], properties.get("WORKING_DIRECTORY"), environment)
        return out


def run_test(test, limit, **variables):
    """Whether it passes within the limit; what it started is ended with it. And its processor's time."""
    command, folder, environment = test
    child = subprocess.Popen(
        ["prlimit", f"--as={MEMORY}", f"--fsize={MEMORY}", "--core=0", *command],
        cwd=folder,
        env={**os.environ, **environment, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    end, status = time.monotonic() + limit, None
    try:
        while status is None and time.monotonic() < end:
            pid, ended, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                status = child.returncode = os.waitstatus_to_exitcode(ended)
                return status in (0, 77), usage.ru_utime + usage.ru_stime
            time.sleep(0.005)
        return False, limit
    finally:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()


class Judge:
    """Which tests pass which places, and what they say of mutants."""

    def __init__(self, tree, work, options):
        self.tree, self.work, self.lock = tree, work, threading.Lock()
        self.tests = {name: test for name, test in tree.tests().items() if re.search(options.tests, name)}
        self.passed, self.cpu, self.took = {}, {}, {}
        self.known = work / "passed.json"
        known = json.loads(self.known.read_text()) if self.known.exists() else {}
        new = [name for name in self.tests if known.get(name, {}).get("key") != self.key_of(name)]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(lambda name: self.learn(known, name), new))
        for name in list(self.tests):
            self.cpu[name], self.took[name] = known[name]["cpu"], known[name]["took"]
            self.passed[name] = int(known[name]["passed"], 16)
            if not known[name]["good"] or self.cpu[name] > SLOWEST:
                why = "" if known[name]["good"] else ", fails"
                print(f"{name} does not judge: {self.cpu[name]:.0f} s{why}", flush=True)
                del self.tests[name]

    def key_of(self, name):
        """Another one if the test or the code is another one."""
        files = [pathlib.Path(word) for word in self.tests[name][0] if os.path.isfile(word)]
        return f"{self.tree.state} {sorted((str(f), f.stat().st_mtime) for f in files)}"

    def learn(self, known, name):
        entry = {"key": self.key_of(name), **self.try_original(name)}
        with self.lock:
            known[name] = entry
            self.known.write_text(json.dumps(known))

    def try_original(self, name):
        path = self.work / f"passed.{threading.get_ident()}"
        path.write_bytes(bytes(self.tree.count))
        began = time.monotonic()
        good, cpu = self.run(self.tests[name], 600, PERFDATA_MUTANTS_PASSED=str(path))
        passed = sum(1 << n for n, byte in enumerate(path.read_bytes()) if byte)
        path.unlink()
        took = time.monotonic() - began
        return {"good": good, "cpu": cpu, "took": took, "passed": hex(passed)}

    def run(self, test, limit, **variables):
        """In a folder of its own, as what is ended leaves files."""
        place = self.work / f"tmp.{threading.get_ident()}"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        try:
            return run_test(test, limit, TMPDIR=str(place), **variables)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def order(self, mutant):
        """The tests that come past it."""
        words = set(re.findall("[a-z0-9]+", mutant.file.split("/", 1)[1][:-2]))
        near = lambda name: words & set(re.findall("[a-z0-9]+", name.split("/")[1]))
        those = [name for name in self.tests if self.passed[name] >> mutant.number & 1]
        return sorted(those, key=lambda name: self.cpu[name] / (10 if near(name) else 1))

    def notice(self, mutant):
        only = [name for name in self.tests if name == mutant.noticed]
        for name in only if mutant.noticed else self.order(mutant):
            limit = 10 * self.took[name] + 5
            if not self.run(self.tests[name], limit, PERFDATA_MUTANT=str(mutant.number))[0]:
                return name
        return None


def equivalents():
    """{mutant: reason}, from lines `FILE: FUNCTION: CODE: WHAT # reason`, which go on where they begin with
    spaces."""
    known = {}
    for text in re.sub(r"\n +", " ", EQUIVALENT.read_text()).splitlines():
        if text and not text.startswith("#"):
            mutant, _, reason = text.partition(" # ")
            known[" ".join(mutant.split())] = reason.strip()
    return known


ARGUMENTS = ["-std=gnu11", "-D_FILE_OFFSET_BITS=64", f"-I{SOURCE}", f"-I{SOURCE}/include"]


def all_files():
    names = sorted(name for folder in FOLDERS for name in (SOURCE / folder).rglob("*.[ch]"))
    files = [File(path) for path in names]
    number = 0
    for file in files:
        for mutant in file.mutants:
            mutant.number = number
            number += 1
    return files


def reported(files, known, options):
    """Those of reported.tsv that are to be noticed, each with its test, which alone is run."""
    by_name = {mutant.name(): mutant for file in files for mutant in file.mutants}
    some = []
    for name, test in tried(REPORTED).items():
        if name not in by_name or (test == "nothing") != (name in known):
            sys.exit(f"{REPORTED.name}: {name}: " + ("its reason?" if name in by_name else "no such mutant"))
        by_name[name].noticed = test
        some += [by_name[name]] if test != "nothing" else []
    options.tests = "^(" + "|".join(sorted({mutant.noticed for mutant in some})) + ")$"
    for file in files:  # the others need not be built
        file.mutants = [mutant for mutant in file.mutants if mutant in some]
    return some


def tried(path):
    lines = path.read_text().splitlines() if path and path.exists() else []
    return dict(reversed(line.split("\t", 1)) for line in lines if not line.startswith("#"))


def tidy(log, done, names):
    """The head of the log, and of its lines those whose mutants there still are."""
    for name in [name for name in done if name not in names]:
        print(f"{log.name}: no such mutant any more, taken out: {done.pop(name)}\t{name}", flush=True)
    lines = [f"# tried, of {len(names)} mutants", *(f"{by}\t{name}" for name, by in done.items())]
    log.write_text("".join(f"{line}\n" for line in lines))


def judge_all(options, todo, files, known, done):
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    tree = Tree(work, files)
    alive = {mutant.number for file in files for mutant in file.mutants}
    judge = Judge(tree, work, options)
    end = time.monotonic() + options.hours * 3600
    left = [mutant for mutant in reversed(todo) if mutant.number in alive]

    def judge_some():
        while left and time.monotonic() < end:
            try:
                mutant = left.pop()
            except IndexError:
                return
            by = judge.notice(mutant) or "nothing"
            with judge.lock:
                done[mutant.name()] = by
                if options.log:
                    with open(options.log, "a") as log:
                        print(by, mutant.name(), sep="\t", file=log)
                if by == "nothing" and mutant.name() not in known:
                    print(f"line {mutant.line} survived: {mutant.name()}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for judging in [pool.submit(judge_some) for _ in range(options.jobs)]:
            judging.result()
    if left:
        print(f"{len(left)} are left for the next time")


def main():
    parser = argparse.ArgumentParser(description="Changes operators; the tests must notice.")
    parser.add_argument("--count", type=int)
    parser.add_argument("--reported", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--tests", default="")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--hours", type=float, default=1000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    place = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / "perfdata-operators"
    parser.add_argument("--work", type=pathlib.Path, default=place)
    parser.add_argument("--log", type=pathlib.Path)
    options = parser.parse_args()
    files, known, done = all_files(), equivalents(), tried(options.log)
    everything = [mutant for file in files for mutant in file.mutants]
    names = {mutant.name() for mutant in everything}
    stale = [name for name in known if name not in names]
    for name in stale:
        print(f"equivalent_operators.txt: no such mutant: {name}")
    some = reported(files, known, options) if options.reported else everything
    some = [mutant for mutant in some if re.search(options.only, mutant.name())]
    some.sort(key=lambda mutant: hashlib.sha1(mutant.name().encode()).digest())
    some = some[: options.count]
    todo = [mutant for mutant in some if mutant.name() not in done]
    if options.list:
        print(*[f"{mutant.line}: {mutant.name()}" for mutant in todo], sep="\n")
        return 0
    if options.log:
        tidy(options.log, done, names)
    if todo:
        judge_all(options, todo, files, known, done)
    here = {mutant.name() for mutant in some}
    lived = [name for name, by in done.items() if by == "nothing" and name in here and name not in known]
    print(*[f"SURVIVED {name}" for name in lived], sep="\n", end="\n" if lived else "")
    some_done = len(done.keys() & here)
    print(f"{len(here)} mutants of {len(everything)}, {some_done} tried, {len(lived)} survived")
    return 1 if lived or stale else 0


if __name__ == "__main__":
    sys.exit(main())
