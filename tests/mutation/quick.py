# SPDX-License-Identifier: MIT
"""quick.py - kills most mutants for a third of what a build costs.

The golden tests (and `names`), for which the library is compiled in five pieces, and of generated files only
the headers are made. What they do not notice is left to the whole build.
"""
import os
import re
import shutil
import subprocess

# each.h leaves the layouts of these out of the straight-line codec, which knows but two of them: it is not
# compiled again.
TABLES_ONLY = {"rare_records.def", "features.def"}
KNOWN_TO_CODEC = {"build_id", "header_build_id"}
CODEC = ("src/codec/decode.c", "encode/codec/encode.c")
COMPILER = shutil.which("clang") or "cc"  # which is done sooner


class Quick:
    def __init__(self, tree, here, tests, libraries):
        """`tests`: {name: the objects of its program}, those of the library the same for all but `names`."""
        self.tree, self.here, self.libraries = tree, here, libraries
        (here / "perfdata").mkdir(parents=True, exist_ok=True)
        self.flags = [
            "-std=gnu11",
            "-O0",
            "-w",
            "-D_FILE_OFFSET_BITS=64",
            f"-I{here}",
            *[f"-I{tree / name}" for name in ("include", "tests/support", ".")],
        ]
        self.tests = {test: self.source_of(objects[0]) for test, objects in tests.items() if test != "names"}
        self.names_test = self.source_of(tests["names"][0])
        self.texts = {test: (tree / source).read_text() for test, source in self.tests.items()}
        self.pieces = self.write_pieces(map(self.source_of, tests[next(iter(self.tests))][1:]))
        # Whose object is another one when the codec's record is of another size.
        (here / "size.c").write_text("#include <perfdata/codec.h>\nchar size[sizeof(struct pd_record)];\n")

    @staticmethod
    def source_of(part):
        return re.sub(r"^(tests/)?CMakeFiles/\w+\.dir/(.*)\.o$", r"\1\2", part)

    def write_pieces(self, sources):
        """The sources of a directory are compiled at once, but for the codec's."""
        pieces = {}
        for source in sources:
            pieces.setdefault(source if source in CODEC else os.path.dirname(source), []).append(source)
        for piece, parts in pieces.items():
            name = piece.replace("/", "-").removesuffix(".c")
            (self.here / f"{name}.c").write_text("".join(f'#include "{part}"\n' for part in parts))
        return {piece: piece.replace("/", "-").removesuffix(".c") for piece in pieces}

    def prepare(self):
        """With the tree as it is. What notices it, which nothing should."""
        if not self.compile("gen.o", "tools/gen/gen.c") or not self.compile(
            "gen_records.o", "tools/gen/gen_records.c"
        ):
            return "the compiler"
        self.size, self.names_changed = None, True
        by = self.judge("names.def", "", "")
        self.size = self.size_object()
        return by

    def run(self, *command):
        try:
            return (
                subprocess.run(
                    command, cwd=self.here, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60
                ).returncode
                == 0
            )
        except subprocess.TimeoutExpired:
            return False

    def compile(self, out, source, *options):
        return self.run(COMPILER, *self.flags, *options, "-c", "-o", out, self.tree / source)

    def link(self, out, *objects):
        return self.run(COMPILER, "-o", out, *objects)

    def print_header(self, name):
        with open(self.here / "perfdata" / f"{name}.h", "wb") as out:
            return (
                subprocess.run(
                    [self.here / "gen", name], stdout=out, stderr=subprocess.DEVNULL, check=False
                ).returncode
                == 0
            )

    def size_object(self):
        return (self.here / "size.o").read_bytes() if self.compile("size.o", self.here / "size.c") else None

    def generate_constants(self):
        return (
            self.compile("gen_constants.o", "tools/gen/gen_constants.c")
            and self.link("gen", "gen.o", "gen_constants.o")
            and self.print_header("constants")
            and self.compile("names_only.o", "src/schema/names.c", "-DPD_SCHEMA_NO_STRUCTS")
        )

    def constants_are_of(self, file):
        """Generates them when this or the last mutant is one of names.def."""
        changed, self.names_changed = self.names_changed or file == "names.def", file == "names.def"
        return not changed or self.generate_constants()

    def generate_records(self):
        generator = ["gen.o", "gen_constants.o", "gen_records.o", "schema_only.o", "names_only.o"]
        return (
            self.compile("schema_only.o", "src/schema/schema.c", "-DPD_SCHEMA_NO_STRUCTS")
            and self.link("gen", *generator)
            and self.print_header("records")
        )

    def passes(self, *objects):
        return self.link("program", *objects, *self.libraries) and self.run("./program")

    def judge(self, file, block, field):
        """What notices; None when nothing here does. `field` is the name of what was changed."""
        if not self.constants_are_of(file):
            return "the generator"
        if file == "names.def":
            if not self.compile("test.o", self.names_test):
                return "the compiler"
            if not self.passes("test.o", "names_only.o"):
                return "names"
        return self.judge_golden(file, block, field) if self.generate_records() else "the generator"

    def complaints(self, file, parts):
        """What the compiler says of these objects' sources when many mutants are there at once; None: nothing
        could be generated."""
        if not self.constants_are_of(file) or file != "names.def" and not self.generate_records():
            return None
        said = ""
        for source in sorted(map(self.source_of, parts)):
            said += subprocess.run(
                ["gcc", *self.flags, "-fsyntax-only", self.tree / source],
                cwd=self.here,
                env={**os.environ, "LC_ALL": "C"},
                stderr=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                text=True,
                check=False,
            ).stderr
        return said

    def judge_golden(self, file, block, field):
        word = re.compile(rf"\b{re.escape(field)}\b")
        tests = sorted(self.tests, key=lambda test: -len(word.findall(self.texts[test])) if field else 0)
        stays = file in TABLES_ONLY and block not in KNOWN_TO_CODEC and self.size_object() == self.size
        objects = None
        for test in tests:
            if not self.compile("test.o", self.tests[test]):
                return "the compiler"
            objects = objects or self.compile_pieces(stays)
            if not objects:
                return "the compiler"
            if not self.passes("test.o", *objects):
                return test
        return None

    def compile_pieces(self, codec_stays):
        """The objects, or None."""
        objects = []
        for piece, name in self.pieces.items():
            objects.append(
                f"{name}.o" if codec_stays or piece not in CODEC or self.size is None else f"{name}.changed.o"
            )
            if not (codec_stays and piece in CODEC) and not self.compile(
                objects[-1], self.here / f"{name}.c"
            ):
                return None
        return objects
