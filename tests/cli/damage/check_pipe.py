#!/usr/bin/env python3
# perfdata check of a pipe has the status and the notes that it has of the file: of corpus/conformance, all
# files, among them those whose records are unknown, odd or of no event, and of recordings of PERFDATA_CORPUS.
# A file whose attrs come behind its records is the only kind that cannot be read from a pipe: no verb takes
# it for damaged (3), each refuses it (2) or copies it first. Checks R6.
import glob
import json
import os
import subprocess
import sys

PERFDATA = os.environ["PERFDATA"]
CONFORMANCE = os.environ["PERFDATA_SOURCE"] + "/corpus/conformance/"
CORPUS = os.environ.get("PERFDATA_CORPUS", "/nonexistent")
SANITIZED = b"__asan_init" in open(PERFDATA, "rb").read()
FULL = os.environ.get("PERFDATA_TEST_EFFORT") == "full"
EVERY = 1 if FULL or not SANITIZED else 8
LARGEST = 1 << 30 if FULL else 600_000
CANNOT = ("container-attrs-last.", "trap-attrs-behind-data.")
TOLD = b"attrs that do not stand before the data, in an input that cannot seek"
VERBS = """
check
info
dump
decode
hash
report
convert -f -o /dev/null
edit --time-shift 1 -f -o /dev/null
filter -f -o /dev/null
redact -f -o /dev/null
repair -f -o /dev/null
sort -f -o /dev/null
extract --feature hostname
""".strip()
CHECK = [PERFDATA, "check", "--strict", "--json"]


def of_files(paths):
    out = subprocess.run([*CHECK, *paths], stdout=subprocess.PIPE, check=False).stdout
    return [json.loads(line) for line in out.decode(errors="replace").splitlines()]


def of_pipe(path):
    with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as cat:
        return subprocess.run([*CHECK, "-"], stdin=cat.stdout, capture_output=True, check=False)


def notes(result):
    return [finding for finding in result["findings"] if finding["kind"] == "note"]


def refusals():
    """What verbs say of attrs behind the data that is not right, and how many refuse them."""
    wrong, refused = [], 0
    for words in VERBS.split("\n"):
        path = CONFORMANCE + CANNOT[0] + "data"
        with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as cat:
            words_of = [PERFDATA, *words.split(), "-"]
            run = subprocess.run(words_of, stdin=cat.stdout, capture_output=True, check=False)
        status = 2 if TOLD in run.stderr else 0
        refused += status == 2
        if run.returncode != status:
            wrong.append(f"{words}: status {run.returncode}: {run.stderr.decode(errors='replace')}")
    return wrong, refused


def main():
    corpus = [path for path in sorted(glob.glob(CORPUS + "/*.data")) if os.path.getsize(path) < LARGEST]
    paths = sorted(glob.glob(CONFORMANCE + "*.data")) + corpus[:: 1 if FULL else 4]
    paths = [path for path in paths if os.path.isfile(path)][::EVERY]
    failures, verbs = refusals()
    compared, told, refused = 0, 0, 0
    for path, seeks in zip(paths, of_files(paths), strict=True):
        run = of_pipe(path)
        if TOLD in run.stderr:
            refused += 1
            if not os.path.basename(path).startswith(CANNOT) or run.returncode != 2:
                failures.append(f"{path}: refused from a pipe, status {run.returncode}")
            continue
        pipe = json.loads(run.stdout)
        compared += 1
        told += len(notes(pipe))
        told_of = [(seeks["status"], notes(seeks)), (run.returncode, notes(pipe))]
        if told_of[0] != told_of[1]:
            failures.append(f"{path}: {told_of[0]}, from a pipe {told_of[1]}")
    print(f"{compared} recordings, {told} notes, {refused} refused; {verbs} verbs refuse")
    print("\n".join(failures[:40]))
    few = compared < 400 // EVERY or told < 20 // EVERY or verbs < 5
    sys.exit(bool(failures) or few or (EVERY == 1 and refused != 4))


if __name__ == "__main__":
    main()
