#!/usr/bin/env python3
"""same_command.py OLD NEW [FILE...] - compares the messages and outputs of two builds of the command.

Runs every verb of both, but for bench, which measures, over each recording (by default those of corpus/,
corpus/conformance, tests/damaged and $PERFDATA_CORPUS that have at most MOST bytes) and compares exit status,
standard output, standard error and all files written. Prints the runs that differ, with the difference, and
a summary by verb; exit status 1 if any does. For changes that should not change results: --only VERB,... and
--most BYTES make it quicker.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent

# IN is the recording; what is written goes to OUT or below DIR, in a folder of its own.
RUNS = """
info IN
info --json IN
info -I --tasks --mmaps IN
info --header-only IN
check IN
check --strict --json IN
dump IN
dump --json IN
dump -x --limit 20 IN
dump -F comm,pid,tid,time,event,ip,period IN
decode -o OUT IN
decode --short -o OUT IN
filter -o OUT -i IN
filter --pid 1 -o OUT -i IN
filter --exclude-pid 1 -o OUT -i IN
filter --comms perf,sh,work.sh -o OUT -i IN
filter --exclude-comms perf -o OUT -i IN
filter --time 10%-60% -o OUT -i IN
filter --cpu 0 -o OUT -i IN
filter --sideband=all --limit 5 -o OUT -i IN
filter --every 3 -o OUT -i IN
sort -o OUT -i IN
sort -m 1K -o OUT -i IN
sort -n -i IN
merge -o OUT IN
merge -o OUT IN IN
merge -a -o OUT IN
convert -o OUT -i IN
convert --to file -o OUT -i IN
convert --to pipe -o OUT -i IN
convert --to dir -o OUT -i IN
convert --endian big -o OUT -i IN
convert --endian little -o OUT -i IN
convert --reencode -o OUT -i IN
convert --attr-size 128 -o OUT -i IN
convert -z -o OUT -i IN
convert --decompress -o OUT -i IN
edit --set-feature hostname=x -o OUT -i IN
edit --strip callchain -o OUT -i IN
edit --time-shift 5 -o OUT -i IN
redact -o OUT -i IN
redact --addrs drop --paths hash -o OUT -i IN
split --chunks 2 -o DIR/%d -i IN
split --by pid -o DIR/%d -i IN
split --time 1s -o DIR/%d -i IN
repair -o OUT -i IN
repair --report -i IN
repair --report --json -i IN
repair --keep-tail -o OUT -i IN
repair --drop-unknown -o OUT -i IN
hash --sections IN
cmp IN IN
corrupt -E 0.001 --seed 1 -o OUT IN
extract --feature hostname IN
extract --build-ids IN
decode IN | encode -o OUT
gen --seed 1 -c 100 -o OUT
report IN
report -s comm,pid,dso IN
index -o OUT IN
symbols -o OUT IN
export --to folded -o OUT IN
export --to pprof -o OUT IN
export --to speedscope -o OUT IN
export --to firefox -o OUT IN
export --to parquet -o OUT IN
export --to bolt -o DIR/bolt IN
export --to profgen -o DIR/profgen IN
export --to autofdo -o DIR/autofdo IN
""".strip().split(
    "\n"
)


def content(path):
    """{name: hash or kind} of all that is below a folder."""
    found = {}
    for file in sorted(path.rglob("*")):
        name = str(file.relative_to(path))
        if file.is_symlink():
            found[name] = f"link to {os.readlink(file)}"
        elif file.is_file():
            found[name] = hashlib.sha256(file.read_bytes()).hexdigest()
        else:
            found[name] = "folder"
    return found


def words_of(command, run, path):
    names = {"IN": str(path), "OUT": "out/x"}
    return [str(command)] + [names.get(word, word.replace("DIR", "out")) for word in shlex.split(run)]


def execute(command, run, path):
    """Of a run of two commands with a pipe between them, all that the second one does."""
    *before, last = [words_of(command, part, path) for part in run.split(" | ")]
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/out")
        how = {"cwd": folder, "capture_output": True, "timeout": 120}
        try:
            given = subprocess.run(before[0], stdin=subprocess.DEVNULL, **how).stdout if before else b""
            done = subprocess.run(last, input=given, **how)
        except subprocess.TimeoutExpired:
            return {"time": "too long"}
        return {
            "status": done.returncode,
            "stdout": done.stdout,
            "stderr": done.stderr,
            **content(pathlib.Path(folder, "out")),
        }


def compare(old, new, run, path):
    a, b = execute(old, run, path), execute(new, run, path)
    return [what for what in sorted(a.keys() | b.keys()) if a.get(what) != b.get(what)], a, b


def first_difference(a, b):
    if not isinstance(a, bytes) or not isinstance(b, bytes):
        return f"{a} | {b}"
    for x, y in zip(a.splitlines() + [b""], b.splitlines() + [b""]):
        if x != y:
            return f"{x[:150].decode(errors='replace')!r} | {y[:150].decode(errors='replace')!r}"
    return "longer"


def recordings(most):
    folders = [SOURCE / "corpus", SOURCE / "corpus/conformance", SOURCE / "tests/damaged"]
    if os.environ.get("PERFDATA_CORPUS"):
        corpus = pathlib.Path(os.environ["PERFDATA_CORPUS"])
        folders += [corpus] + sorted(folder for folder in corpus.iterdir() if folder.is_dir())
    for folder in folders:
        for path in sorted(folder.glob("*")):
            if path.suffix in (".json", ".md", ".jsonl", ".py", ".sh", ".txt") or path.name in (
                "MANIFEST",
                "make",
                "names",
                "run",
            ):
                continue
            if path.is_file() and path.stat().st_size <= most or path.is_dir() and (path / "data").exists():
                yield path.resolve()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--most", type=int, default=300000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    old, new = options.old.resolve(), options.new.resolve()
    runs = [run for run in RUNS if not options.only or run.split()[0] in options.only.split(",")]
    paths = [path.resolve() for path in options.files] or list(recordings(options.most))
    different = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tasks = {(run, path): pool.submit(compare, old, new, run, path) for path in paths for run in runs}
        for (run, path), task in tasks.items():
            whats, a, b = task.result()
            if whats:
                different[run] += 1
                print(
                    f"{run} {path.name}: {', '.join(whats)}: "
                    + first_difference(a.get(whats[0]), b.get(whats[0]))
                )
    print(f"{len(tasks)} runs over {len(paths)} recordings, {sum(different.values())} differ")
    for run, n in different.most_common():
        print(f"{n:6} {run}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
