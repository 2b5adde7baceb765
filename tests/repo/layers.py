#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""layers.py TREE [BUILD]: who may use whom. tests/repo/layers.sh says what is checked, docs/ARCHITECTURE.md
why."""
import collections
import os
import re
import subprocess
import sys

# Each layer, and the layers that it may use besides itself. All names are folders of the tree.
READING = ["src/support", "src/schema", "src/codec", "src/reflect", "src/container", "src/session"]
LIBRARY = READING + ["encode/codec", "encode/container"]
FIRST = ["ops/output", "ops/edit", "ops/redact", "ops/filter"]
SECOND = [f"ops/{name}" for name in "split sort convert gen compare text report export index".split()]
OPERATIONS = FIRST + SECOND + ["ops/repair", "ops/merge"]
LAYERS = {
    "src/support": [],
    "src/schema": READING[:1],
    "src/codec": READING[:2],
    "src/reflect": READING[:3],
    "src/container": READING[:3],
    "src/session": READING[:5],
    "encode/codec": READING[:3],
    "encode/container": READING[:3] + ["src/container", "encode/codec"],
    "ops/output": LIBRARY,
    "ops/edit": LIBRARY + ["ops/output"],
    "ops/redact": LIBRARY + ["ops/output", "ops/edit"],
    "ops/filter": LIBRARY + ["ops/output"],
    "ops/repair": LIBRARY + FIRST + SECOND,
    "ops/merge": LIBRARY + FIRST + SECOND,
    "cli/lib": LIBRARY + OPERATIONS,
    "cli/verbs": LIBRARY + OPERATIONS + ["cli/lib"],
    "cli": LIBRARY + OPERATIONS + ["cli/lib", "cli/verbs"],
}
LAYERS.update({name: LIBRARY + FIRST for name in SECOND})
LAYERS.update({name: LIBRARY + ["ops/output", "ops/filter"] for name in ("ops/export", "ops/index")})

# Public headers, below include/perfdata, by the lowest layer that may include them: the one that has what
# they declare or, of those that give others their types, the one that needs these. They include what this
# layer may, too. perfdata.h includes the whole stable core, for programs alone.
PUBLIC = {
    "src/support": "base constants error names records version",
    "src/schema": "codec",
    "src/codec": "attr feature session/fields session/large_record",
    "src/reflect": "visitor session/compare session/event session/regs session/sample"
    " session/text session/tracepoint",
    "src/container": "reader session/part session/push session/ring",
    "encode/codec": "session/complete",
    "src/session": "session/columns session/mappings session/metadata session/session session/sorter"
    " session/tasks session/visit",
    "encode/container": "writer session/sink",
    "ops/output": "ops/convert",
    "ops/edit": "ops/transform",
    "ops/redact": "ops/redact",
    "ops/filter": "ops/filter ops/expression ops/symbol",
    "ops/convert": "ops/rewrite",
    "ops/compare": "ops/difference ops/hash",
    "ops/export": "ops/export",
    "ops/gen": "ops/gen",
    "ops/index": "ops/index",
    "ops/merge": "ops/merge",
    "ops/repair": "ops/repair",
    "ops/report": "ops/report",
    "ops/sort": "ops/sort",
    "ops/split": "ops/split",
    "ops/text": "ops/parse",
    "cli": "perfdata",
}
PUBLIC = {f"include/perfdata/{name}.h": at for at, names in PUBLIC.items() for name in names.split()}

# Folders of public headers, and those that each may use besides itself.
TIERS = {
    "include/perfdata": [],
    "include/perfdata/session": ["include/perfdata"],
    "include/perfdata/ops": ["include/perfdata", "include/perfdata/session"],
}

# Headers of other libraries, and the layers that may include them.
OTHERS = {
    "zstd.h": ["src/container", "encode/container", "ops/export", "cli/verbs"],
    "zstd_errors.h": ["src/container", "encode/container"],
    "xxhash.h": [
        "src/support",
        "src/session",
        "ops/redact",
        "ops/compare",
        "ops/export",
        "ops/index",
        "ops/merge",
        "cli/lib",
        "cli/verbs",
    ],
    "sodium.h": ["ops/redact"],
    "jansson.h": ["ops/text", "cli", "cli/lib", "cli/verbs"],
    "linux/perf_event.h": ["cli/lib"],
    "libiberty/demangle.h": ["cli/lib"],
    "dwarf.h": ["cli/lib"],
    "elfutils/libdw.h": ["cli/lib"],
}

# Headers of C11 and <strings.h>, which each layer may include; and of these, what public headers may.
USUAL = """assert errno float inttypes limits math setjmp signal stdalign stdarg stdatomic stdbool stddef
stdint stdio stdlib stdnoreturn string strings time""".split()
USUAL = {f"{name}.h" for name in USUAL}
SHOWN = {folder: {"stdbool.h", "stddef.h", "stdint.h"} for folder in TIERS}
SHOWN["include/perfdata/session"] |= {"stdio.h"}  # sink.h, of a FILE

# Headers of the system, and the layers that may include them besides those of the command, which may all.
COMMAND = ["cli/lib", "cli/verbs", "cli"]
SYSTEM = {
    "dirent.h": ["src/container"],
    "dlfcn.h": [],
    "fcntl.h": ["src/container", "src/session", "encode/container"],
    "fnmatch.h": ["ops/filter", "ops/redact"],
    "getopt.h": [],
    "poll.h": ["src/container", "encode/container"],
    "pthread.h": [],
    "sched.h": [],
    "search.h": [],
    "sys/ioctl.h": [],
    "sys/mman.h": ["src/session"],  # PROT_READ and MAP_PRIVATE in mmap records, no call
    "sys/random.h": ["src/support"],  # the key of hash tables
    "sys/resource.h": [],
    "sys/stat.h": ["src/container", "ops/repair"],
    "sys/syscall.h": [],
    "sys/wait.h": [],
    "unistd.h": [
        "src/container",
        "src/session",
        "encode/container",
        "ops/convert",
        "ops/merge",
        "ops/repair",
    ],
}
OTHERS.update({name: layers + COMMAND for name, layers in SYSTEM.items()})


def layer_of(path):
    """The layer of a file; a folder inside a layer belongs to it. The table has that of a public header."""
    if path.startswith("include/"):
        return PUBLIC.get(path, "")
    folder = os.path.dirname(path)
    while folder and folder not in LAYERS:
        folder = os.path.dirname(folder)
    return folder


def list_sources(tree):
    found = []
    for top in ("include", "src", "encode", "ops", "cli"):
        for folder, _, names in os.walk(os.path.join(tree, top)):
            found += [
                os.path.relpath(os.path.join(folder, n), tree)
                for n in names
                if n.endswith((".c", ".h", ".def"))
            ]
    return sorted(found)


def list_includes(text):
    """What is included, in each spelling: #include_next, # include, in digraphs, on several lines, behind
    comments, by a macro."""
    text = text.replace("\\\n", "").replace("%:", "#").replace("??=", "#")
    keep = lambda found: " " if found.group().startswith("/") else found.group()
    # A string may have what looks like a comment, and a comment what looks like a string.
    text = re.sub(
        r'//[^\n]*|/\*.*?\*/|<[\w./+-]+>|"(?:\\.|[^"\\\n])*"|' r"'(?:\\.|[^'\\\n])*'", keep, text, flags=re.S
    )
    named = re.findall(r"^[ \t\f\v]*#[ \t\f\v]*(?:include|include_next|import)\b[ \t]*(\S.*)", text, re.M)
    return [name.strip().strip('"<>') for name in named]


def read_includes(tree, sources):
    """What each file includes of the tree, {file: {file}}, and of what is not in it, {file: {name}}."""
    known, inside, outside = set(sources), {}, {}
    for path in sources:
        with open(os.path.join(tree, path), encoding="utf-8") as file:
            named = list_includes(file.read())
        inside[path], outside[path] = set(), set()
        for name in named:
            places = (os.path.dirname(path), "", "include")
            found = [one for one in (os.path.normpath(os.path.join(p, name)) for p in places) if one in known]
            (inside if found else outside)[path].add(found[0] if found else name)
    return inside, outside


def find_foreign(outside):
    """Includes of headers that are not in the tree's layers, by files that may not have them."""
    wrong = []
    for path, names in sorted(outside.items()):
        own = layer_of(path)
        for name in sorted(names):
            if path.startswith("include/"):
                own = os.path.dirname(path)
                fine = name in SHOWN.get(own, ())
            else:
                fine = name in USUAL or own in OTHERS.get(name, [])
            if not fine:
                wrong.append(f"{path} includes {name}: {own} may not use it")
    return wrong


def find_tiers(includes):
    """Public headers that include what is less stable, or not public."""
    wrong = []
    for path in sorted(path for path in includes if path.startswith("include/")):
        own = os.path.dirname(path)
        for used in sorted(includes[path]):
            if os.path.dirname(used) not in TIERS.get(own, []) + [own]:
                wrong.append(f"{path} includes {used}: {own} may not use {os.path.dirname(used)}")
    return wrong


def find_verbs(includes):
    """Verbs of the command that use another verb: each is a file, or a folder."""
    verb = lambda path: re.match(r"cli/verbs/([^/.]*)", path)
    return [
        f"{path} includes {used}: no verb uses another"
        for path in sorted(includes)
        for used in sorted(includes[path])
        if verb(path) and verb(used) and verb(path).group(1) != verb(used).group(1)
    ]


def read_calls(build, sources):
    """Which source's object needs a symbol of which: {file: {file}}, and the names: {(file, file):
    {symbol}}."""
    defined, needed, known = {}, collections.defaultdict(set), set(sources)
    for folder, _, names in os.walk(build):
        place = re.search(r"CMakeFiles/perfdata_(?:lib|ops|cli)\.dir/(.*)$", folder + "/")
        for name in names if place else []:
            path = os.path.normpath(os.path.join(place.group(1), name[:-2]))
            if not name.endswith(".o") or path not in known:
                continue
            listed = subprocess.run(
                ["nm", "-P", os.path.join(folder, name)], capture_output=True, text=True, check=True
            )
            for symbol, kind in (line.split()[:2] for line in listed.stdout.splitlines()):
                if kind in "TDBRVW":
                    defined[symbol] = path
                elif kind == "U":
                    needed[path].add(symbol)
    edges, why = collections.defaultdict(set), collections.defaultdict(set)
    for path, symbols in needed.items():
        for symbol in symbols:
            of = defined.get(symbol, path)
            if of != path:
                edges[path].add(of)
                why[path, of].add(symbol)
    return edges, why


def find_loops(edges):
    """Groups of files each of which reaches all others of its group (Tarjan)."""
    number, low, stack, loops = {}, {}, [], []
    sys.setrecursionlimit(100000)

    def visit(v):
        number[v] = low[v] = len(number)
        stack.append(v)
        for w in sorted(edges.get(v, ())):
            if w not in number:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], number[w])
        if low[v] == number[v]:
            at = stack.index(v)
            group = stack[at:]
            del stack[at:]
            if len(group) > 1:
                loops.append(sorted(group))

    for v in sorted(edges):
        if v not in number:
            visit(v)
    return sorted(loops)


def find_upward(edges, verb, why=None):
    wrong = []
    for path in sorted(edges):
        for used in sorted(edges[path]):
            own, other = layer_of(path), layer_of(used)
            if own and other and own != other and other not in LAYERS[own]:
                names = " (" + ", ".join(sorted(why[path, used])[:4]) + ")" if why else ""
                wrong.append(f"{path} {verb} {used}{names}: {own} may not use {other}")
    return wrong


def main(tree, build=None):
    sources = list_sources(tree)
    public = lambda path: path.startswith("include/")
    lost = {path if public(path) else os.path.dirname(path) for path in sources if not layer_of(path)}
    wrong = [f"{path} is in no layer" for path in sorted(lost)]
    wrong += [f"{path} is in the table, but not there" for path in sorted(set(PUBLIC) - set(sources))]
    includes, outside = read_includes(tree, sources)
    wrong += find_upward(includes, "includes") + find_foreign(outside)
    wrong += find_tiers(includes) + find_verbs(includes)
    wrong += ["include each other: " + " ".join(loop) for loop in find_loops(includes)]
    if build:
        calls, why = read_calls(build, sources)
        if not calls:
            wrong.append(f"no objects in {build}")
        wrong += find_upward(calls, "calls", why)
        wrong += ["call each other: " + " ".join(loop) for loop in find_loops(calls)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
