#!/usr/bin/env python3
# All verbs agree with check on what is damaged: over each damaged recording, exit status 3, and every place
# that check names is named. Damaged are: tests/damaged, the traps of corpus/conformance,
# $PERFDATA_CORPUS/malformed, what `corrupt` makes of recordings of each feature and container with fixed
# seeds, and generated ones whose tracing data is damaged. Where check finds nothing, no verb does. What
# differs, and why, is in agree.exceptions. tests/support/operations.h holds the library's operations to the
# same rule, of recordings of a fuzzer. Checks R12.
import fnmatch
import glob
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

PERFDATA = os.environ["PERFDATA"]
SOURCE = os.environ["PERFDATA_SOURCE"]
CORPUS = os.environ.get("PERFDATA_CORPUS")
DAMAGED, USAGE = 3, 2
SANITIZED = b"__asan_init" in open(PERFDATA, "rb").read()
if SANITIZED and os.environ.get("PERFDATA_TEST_EFFORT") != "full":  # see `hurried` in frame_lib.sh
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
# Of the recordings; with sanitizers a process takes ten times as long.
EVERY = 1 if os.environ.get("PERFDATA_TEST_EFFORT") == "full" else 12 if SANITIZED else 2
MOST_TOLD = 10  # findings of a run that a verb lists (CLI_MOST_FINDINGS)

# Of each verb the ways through it that read differently. IN is the input, OUT and DIR are what is written.
RUNS = """
info IN
info --header-only IN
dump IN
dump -F comm,tid,time,event IN
decode -o OUT IN
filter -o OUT -i IN
filter --pid 1 -o OUT -i IN
filter --sideband=all --limit 5 -o OUT -i IN
sort -o OUT -i IN
sort -m 1K -o OUT -i IN
sort -n -i IN
merge -o OUT IN
merge -a -o OUT IN
convert -o OUT -i IN
convert --to file -o OUT -i IN
convert --to pipe -o OUT -i IN
convert --to dir -o OUT -i IN
convert --endian big -o OUT -i IN
convert --endian little -o OUT -i IN
convert --reencode -o OUT -i IN
convert -z -o OUT -i IN
convert --decompress -o OUT -i IN
edit --set-feature hostname=x -o OUT -i IN
edit --strip callchain -o OUT -i IN
redact -o OUT -i IN
split --chunks 2 -o DIR/%d -i IN
split --by pid -o DIR/%d -i IN
repair -o OUT -i IN
repair --report -i IN
repair --keep-tail -o OUT -i IN
hash IN
cmp IN IN
bench --repeat 1 --only decode IN
extract --feature hostname IN
export --to folded -f -o OUT IN
export --to bolt -f -o DIR/b IN
index -f -o OUT IN
report IN
report --json -s dso IN
""".strip().split(
    "\n"
)

FEW = [r for r in RUNS if r.split()[0] in ("dump", "hash", "sort", "merge", "repair", "split", "filter")]


def offsets(text):
    return {int(n) for n in re.findall(r"at offset (\d+)", text)}


def ranges(text):
    """What repair lost: in there, anything may be damaged."""
    found = re.findall(r"bytes (\d+) to (\d+) are lost", text) + re.findall(
        r"lost: (?:\S+, )?(\d+) to (\d+)", text
    )
    return [(int(a), int(b)) for a, b in found]


def run(*args):
    r = subprocess.run(
        [PERFDATA, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )
    return r.returncode, r.stdout.decode("latin1"), r.stderr.decode("latin1")


class Exceptions:
    """Lines: what differs, the verb with its options, the file, the reason; the first three are patterns.

    A line that begins with spaces goes on the one before.
    """

    def __init__(self, path):
        self.lines = []
        for line in re.sub(r"\n +", " ", open(path).read()).splitlines():
            if line.strip() and not line.startswith("#"):
                what, verb, name, reason = [part.strip() for part in line.split("|")]
                self.lines.append([what, verb, name, reason, 0])

    def covers(self, what, verb, name):
        for line in self.lines:
            if line[0] == what and fnmatch.fnmatch(verb, line[1]) and fnmatch.fnmatch(name, line[2]):
                line[4] += 1
                return True
        return False


class Comparison:
    def __init__(self, work, exceptions):
        self.work, self.exceptions = work, exceptions
        self.failures, self.runs, self.damaged, self.files = [], 0, 0, 0

    def differ(self, what, verb, path, text):
        name = os.path.basename(path)
        if not self.exceptions.covers(what, verb, name):
            self.failures.append("%s: %s: %s: %s" % (what, verb, name, text.strip()[:1000]))

    def verb(self, verb, path, damaged, places):
        out = os.path.join(self.work, "out")
        for left in glob.glob(out + "*"):
            shutil.rmtree(left) if os.path.isdir(left) else os.unlink(left)
        os.mkdir(out + ".d")
        words = {"IN": path, "OUT": out}
        status, stdout, stderr = run(*[words.get(w, w.replace("DIR", out + ".d")) for w in verb.split()])
        told = stderr + stdout if verb.split()[0] in ("repair", "hash") else stderr
        self.runs += 1
        if status not in (0, 1, USAGE, DAMAGED):
            self.failures.append("status %d: %s: %s" % (status, verb, path))
        if (
            status == USAGE and damaged
        ):  # it refuses for another reason: nothing is said of what it did not read
            if os.path.exists(out):
                self.failures.append("refused, but written: %s: %s" % (verb, path))
            return
        if damaged and status != DAMAGED:
            self.differ("status", verb, path, "status %d; check names %s" % (status, sorted(places)))
        if not damaged and status == DAMAGED:
            self.differ("more", verb, path, "status 3, check finds nothing: " + told)
        told = "\n".join(
            line for line in told.split("\n") if "so it must not pass" not in line
        )  # redact refuses what is intact, too
        lost = ranges(told)
        missing = {p for p in places if p not in offsets(told) and not any(a <= p <= b for a, b in lost)}
        stopped = (
            "cannot be sorted" in told
            or "the attrs are gone" in told
            or ("OUT" in verb and not os.path.exists(out))
        )  # it read no more than it has told
        if damaged and status == DAMAGED and missing and len(places) <= MOST_TOLD and not stopped:
            self.differ("missing", verb, path, "%s; it says: %s" % (sorted(missing), told))
        if damaged and offsets(told) - places and not lost:
            self.differ("extra", verb, path, "%s; it says: %s" % (sorted(offsets(told) - places), told))
        if os.path.exists(out) and verb.split()[0] not in ("decode", "export", "index"):
            self.output(verb, path, status, out)

    def output(self, verb, path, status, out):
        code = run("check", "-q", out)[0]
        if code == DAMAGED and status != DAMAGED:
            self.failures.append("damaged output without a word: %s: %s" % (verb, path))
        if code == DAMAGED and verb.startswith("repair"):
            self.differ("output", verb, path, "the repaired recording is damaged")

    def file(self, path, verbs=RUNS):
        status, stdout, stderr = run("check", path)
        if status not in (0, DAMAGED):
            return
        lines = [line for line in (stdout + stderr).split("\n") if ": note: " not in line]
        self.files += 1
        self.damaged += status == DAMAGED
        for verb in verbs:
            self.verb(verb, path, status == DAMAGED, offsets("\n".join(lines)))


def corrupted(work):
    """Recordings of each kind, with some bytes changed."""
    paths = sorted(
        glob.glob(SOURCE + "/corpus/conformance/feature-*.data")
        + glob.glob(SOURCE + "/corpus/conformance/container-*.data")
    )
    for number, path in enumerate(p for p in paths if not os.path.isdir(p)):
        out = os.path.join(work, "corrupted-%d-%s" % (number, os.path.basename(path)))
        run("corrupt", "-q", "-f", "-E", "0.01", "--seed", str(number), "-o", out, path)
        yield out


def generated(work):
    """Records of all types, some of which carry tracing data; `merge` and `sort -m 1` of this wrote it with
    status 0."""
    good, bad = os.path.join(work, "all-types.data"), os.path.join(
        work, "generated-damaged-tracing-data.data"
    )
    run("gen", "--random", "-c", "300", "-t", "ALL", "--features", "all", "--seed", "1", "-o", good)
    for seed in range(200):
        run("corrupt", "-q", "-f", "-E", "0.0003", "--seed", str(seed), "-o", bad, good)
        damage = [line for line in run("check", bad)[1].split("\n") if ": damage: " in line]
        if "feature tracing_data" in "".join(damage) and all(", feature " in line for line in damage):
            return [good, bad]
    sys.exit("the tracing data of %s was to be damaged" % bad)


def main():
    exceptions = Exceptions(os.path.join(os.path.dirname(os.path.abspath(__file__)), "agree.exceptions"))
    with tempfile.TemporaryDirectory() as work:
        c = Comparison(work, exceptions)
        traps = glob.glob(SOURCE + "/corpus/conformance/trap-*.data")
        malformed = glob.glob(CORPUS + "/malformed/*") if CORPUS else []
        for path in (
            sorted(glob.glob(SOURCE + "/tests/damaged/*") + traps + malformed, key=os.path.basename)
            + generated(work)
        )[::EVERY]:
            c.file(path)
        for path in itertools.islice(corrupted(work), 0, None, EVERY):
            c.file(path, FEW)
    print("%d runs over %d recordings, %d of them damaged" % (c.runs, c.files, c.damaged))
    for line in exceptions.lines:
        if line[4] == 0 and CORPUS and EVERY == 1:
            c.failures.append("agree.exceptions: nothing differs like this: " + " | ".join(line[:3]))
    for failure in c.failures:
        print("FAILED: " + failure)
    sys.exit(1 if c.failures else 0)


main()
