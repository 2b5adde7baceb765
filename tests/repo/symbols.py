# SPDX-License-Identifier: MIT
"""symbols.py [--write]: the maps of symbols name what public headers declare, and nothing else; --write makes
it so. A name pd_X or PD_X stands in a public header; every other begins with pi_ or PI_, and no two structs
have one tag.

A map has a node for each release that added names to it, of which the last takes new ones; a name that is
gone goes from its node.
"""
import glob
import os
import re
import subprocess
import sys

MAPS = {
    "src/perfdata.map.in": ["include/perfdata", "include/perfdata/session"],
    "ops/perfdata-ops.map.in": ["include/perfdata/ops"],
}
NAME = r"^        (pd_\w+);\n"


def list_declared(folders):
    headers = [
        os.path.join(f, name) for f in folders for name in sorted(os.listdir(f)) if name.endswith(".h")
    ]
    named = [
        subprocess.run(
            ["tests/repo/declared", kind, *headers], capture_output=True, text=True, check=True
        ).stdout
        for kind in ("functions", "objects")
    ]
    return set("".join(named).split())


def write_map(path, text, declared):
    text = re.sub(NAME, lambda m: m[0] if m[1] in declared else "", text, flags=re.M)
    last = text.rindex("    global:\n") + len("    global:\n")
    end = re.compile(r"(?:        pd_\w+;\n)*").match(text, last).end()
    names = set(re.findall(NAME, text[last:end], re.M)) | (declared - set(re.findall(NAME, text, re.M)))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text[:last] + "".join(f"        {n};\n" for n in sorted(names)) + text[end:])


SOURCES = ["src", "encode", "ops", "cli"]


def sources_in(folders):
    """Paths and texts."""
    for folder in folders:
        for path in sorted(glob.glob(f"{folder}/**/*.[ch]", recursive=True)):
            with open(path, encoding="utf-8") as file:
                yield path, file.read()


def names_in(folders, expression):
    return {n for _, text in sources_in(folders) for n in re.findall(expression, text)}


def find_misnamed():
    any_name = r"\b{}_\w*[^\W_]\b"  # what ends in _ is a part of one
    public = names_in(["include"], any_name.format("(?:pd|PD)"))
    for name in sorted(names_in(SOURCES, any_name.format("(?:pd|PD)")) - public):
        yield f"{name} stands in no public header: internal names begin with pi_ or PI_"
    # a function may bear the name of a public struct
    call = r"(?<!struct )(?<!enum )(?<!union )\bpd_\w*[^\W_](?=\()"
    for name in sorted(names_in(SOURCES, call) & public - names_in(["include"], call)):
        yield f"{name}() stands in no public header: internal names begin with pi_"
    for name in sorted(names_in(["include"], any_name.format("(?:pi|PI)"))):
        yield f"{name} stands in a public header: public names begin with pd_ or PD_"


def find_twins():
    """Structs of other files under one tag."""
    places = {}
    for path, text in sources_in(SOURCES):
        for tag in re.findall(r"^struct ((?:pi|cli)_\w+) \{$", text, re.M):
            places.setdefault(tag, []).append(path)
    for tag, paths in sorted(places.items()):
        if len(paths) > 1:
            yield f"struct {tag} is defined in {' and '.join(paths)}"


def main(write):
    wrong = False
    for complaint in [*find_misnamed(), *find_twins()]:
        print(complaint, file=sys.stderr)
        wrong = True
    for path, folders in MAPS.items():
        declared = list_declared(folders)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if write:
            write_map(path, text, declared)
            continue
        named = re.findall(NAME, text, re.M)
        for name in sorted(declared ^ set(named)) + sorted({n for n in named if named.count(n) > 1}):
            print(
                f"{path}: {name}: declared {name in declared}, times in the map {named.count(name)}",
                file=sys.stderr,
            )
            wrong = True
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main("--write" in sys.argv[1:]))
