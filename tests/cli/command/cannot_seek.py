#!/usr/bin/env python3
# A recording gives the same through a pipe as from a file: the same text, content and status. Of intact
# recordings of corpus/ and $PERFDATA_CORPUS, and of generated ones, also compressed or damaged, by verbs that
# read or write differently. What needs the end of the input first is an error that says so. Checks R6.
import glob
import os
import subprocess
import sys
import tempfile

PERFDATA = os.environ["PERFDATA"]
SOURCE = os.environ["PERFDATA_SOURCE"]
CORPUS = os.environ.get("PERFDATA_CORPUS")
SANITIZED = b"__asan_init" in open(PERFDATA, "rb").read()
FULL = os.environ.get("PERFDATA_TEST_EFFORT") == "full"
EVERY = 1 if FULL else 40 if SANITIZED else 12  # of the recordings of a corpus
TOLD = b"in an input that cannot seek"
# Raw data of an event whose name comes behind it is taken for an off-cpu sample's, which is changed by field.
EXCEPTIONS = (("redact", "sample-offcpu."),)

WRITES = """
convert --endian big
convert --endian little
convert --decompress
convert --frames 8K
convert --to file
convert --to pipe
convert -z --attr-size 136
filter --sideband all --every 3
sort
merge
redact
edit --time-shift 5 --set-feature hostname=x
repair
""".strip().split("\n")
PRINTS = """
decode
dump -F comm,tid,time,event
dump
info --stats
report
export --to folded
""".strip().split("\n")


def run(words, path=None):
    """Of a path, what is behind a pipe."""
    cat = path and subprocess.Popen(["cat", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    result = subprocess.run(
        [PERFDATA, *words],
        stdin=cat.stdout if cat else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=120,
    )
    if cat:
        cat.stdout.close()
        cat.wait()
    return result


def content(path):
    """Its hash without SAMPLE_TIME, which is written before what it is about is known; b"": there is none."""
    if not os.path.exists(path):
        return b""
    run(["edit", "-q", "-f", "--drop-feature", "SAMPLE_TIME", "-o", path + ".timeless", path])
    return run(["hash", path + ".timeless"]).stdout.split(b" ")[0]


def compare(work, words, writes, path):
    """What differs; None: nothing."""
    out = [os.path.join(work, name) for name in ("seeks", "piped")]
    for left in glob.glob(os.path.join(work, "seeks*")) + glob.glob(os.path.join(work, "piped*")):
        os.unlink(left)
    seeks = run(words + (["-f", "-o", out[0]] if writes else []) + [path])
    piped = run(words + (["-f", "-o", out[1]] if writes else []) + ["-"], path)
    if piped.returncode and TOLD in piped.stderr:
        return "refused, but written" if os.path.exists(out[1]) else None
    if seeks.returncode and piped.returncode and writes and not any(map(os.path.exists, out)):
        return None  # damage behind the reason why nothing is written is not known yet
    if seeks.returncode != piped.returncode:
        told = seeks.stderr[-500:] + piped.stderr[-500:]
        return f"status {seeks.returncode} and {piped.returncode}: {told}"
    if writes:
        return None if content(out[0]) == content(out[1]) else "other content"
    same = seeks.stdout.replace(path.encode(), b"standard input") == piped.stdout
    return None if same or TOLD in piped.stderr else "other text"


def generated(work):
    """Each kind plain and compressed."""
    for kind in ("--preset server", "--preset tracing --endian big", "-t ALL", "--preset dwarf --to pipe"):
        for zipped in ("", "-z1", "-z9 --compressed2"):
            path = os.path.join(work, "".join(kind.split() + zipped.split()))
            run(f"gen -q -f -c 300 --seed 2 {kind} {zipped} -o {path}".split())
            yield path


def damaged(paths):
    """Bytes changed by chance, and a record in the middle that has no size."""
    for path in paths:
        data = bytearray(open(path, "rb").read())
        for seed in range(1, 9 if FULL else 2):
            to = f"{path}.{seed}"
            run(["corrupt", "-q", "-f", "-E", str(3 / len(data)), "--seed", str(seed), "-o", to, path])
            yield to
        order = "little" if data.startswith(b"PERFILE2") else "big"
        first = int.from_bytes(data[8:16], order)
        at = first if first == 16 else int.from_bytes(data[40:48], order)
        for _ in range(20):
            at += int.from_bytes(data[at + 6 : at + 8], order)
        data[at + 6 : at + 8] = b"\0\0"
        open(path + ".stops", "wb").write(data)
        yield path + ".stops"


def recordings():
    found = glob.glob(SOURCE + "/corpus/conformance/*.data")
    found += [p for p in glob.glob((CORPUS or "/nonexistent") + "/*") if os.path.getsize(p) < 4 << 20]
    own = sorted(glob.glob(SOURCE + "/corpus/*.data"))
    return own + [path for path in sorted(found) if os.path.isfile(path)][::EVERY]


def main():
    failures, runs, files = [], 0, 0
    with tempfile.TemporaryDirectory() as work:
        made = list(generated(work))
        intact = [path for path in made + recordings() if run(["check", path]).returncode == 0]
        for path in intact + list(damaged(made)):
            files += 1
            for line in WRITES + PRINTS:
                if any(line == verb and name in path for verb, name in EXCEPTIONS):
                    continue
                wrong = compare(work, line.split(), line in WRITES, path)
                runs += 1
                if wrong:
                    failures.append(f"{line}: {path}: {wrong}")
    print(f"{runs} runs of {files} recordings")
    print("\n".join(failures[:40]))
    sys.exit(bool(failures) or runs < 200)


if __name__ == "__main__":
    main()
