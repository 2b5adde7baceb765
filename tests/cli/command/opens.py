#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What each verb opens, makes, runs and sends, as strace sees it. Checks R14, R15, R16.

Each way through the verbs (fuzz/verbs/lines, and the ones below) runs over recordings of each container,
with the paths and build ids of real programs in them. It opens what its words name, temporary files of its
own, and what the command opens to begin with (`perfdata version` does): nothing else, not even in vain. It
writes to nothing but what an option names and its temporary files. It runs no program and makes no socket,
though $DEBUGINFOD_URLS is set. `symbols` and branch profiles may read programs, those that the recording
names and what debuggers have of them, and only read them; `symbols` has that variable in one run, in which
the socket must be seen. The name of a branch profile has plain characters alone.
"""
import collections
import concurrent.futures
import ctypes.util
import os
import re
import shutil
import subprocess
import sys
import tempfile

PERFDATA = os.environ["PERFDATA"]
SOURCE = os.environ["PERFDATA_SOURCE"]
FULL = os.environ.get("PERFDATA_TEST_EFFORT") == "full"
SERVER = "http://127.0.0.1:9"
# Ways that the runs on damaged recordings lack, as they tell nothing of damage, or name files of users.
MORE = """
help
version
hash -c LIST
filter -c file://NAMES -o OUT -i IN
edit --set-feature cmdline=@NAMES -o OUT -i IN
redact --key NAMES --prove @NAMES -o OUT -i IN
report --symbols SYMS IN
export --to folded --symbols SYMS -o OUT IN
export --to firefox -o OUT IN
export --to parquet -m 64K -o OUT IN
export --to profgen -f -o DIR IN
export --to autofdo -f -o DIR IN
symbols --inline -o OUT IN
convert -o OUT -i - < OTHER
filter --every 2 -o - -i IN
"""
READ = "open openat openat2 stat newfstatat statx lstat access faccessat2 readlink readlinkat chdir".split()
READ += "getcwd statfs faccessat".split()
MAY_WRITE = re.compile(r"O_(WRONLY|RDWR|CREAT|TRUNC)")
NETWORK = re.compile(r"^(socket|connect|bind|listen|accept|send|recv|getsockopt|setsockopt|getpeername)")
TEMPORARY = re.compile(r"(DIR/)?\.perfdata-\w{6}(/.*)?$")
# Keys of hash tables, of libjansson; the user's time zone; whether glibc's free() must unmap the end of a
# thread's memory, which it asks when it first gives one back: not in each run, as threads differ.
ALWAYS = re.compile(
    r"/dev/urandom$|/etc/localtime$|/usr/share/zoneinfo/UTC0$|/proc/sys/vm/overcommit_memory$"
)
# Which program `bench` is, which it begins through a shell, and where.
OF_BENCH = {"/proc/self/exe", PERFDATA}
CALL = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(\w+)\((.*)")
failures = []


def reads_programs(words):
    return words[0] == "symbols" or re.search(r"--to (bolt|profgen|autofdo)", " ".join(words))


def runs_itself(arguments, words):
    """As `bench` does, through a shell; or what its words say."""
    shell = re.match(r'"/bin/sh", \["sh", "-c", "(.*?)"\]', arguments)
    program = shell[1].split()[0].strip("'") if shell else arguments.split(",")[0].strip('"')
    return program == PERFDATA or f"x={program}" in words


# What debuggers have of programs, by build id or name; the running kernel's build id; libraries that
# `symbols` loads, and the maps of just-in-time code.
DEBUG = re.compile(rf"{re.escape(os.path.expanduser('~'))}/\.debug/|/usr/lib/debug/")
OF_SYMBOLS = re.compile(
    r"/sys/kernel/notes$|/etc/ld\.so\.cache$|/tmp/perf-\d+\.map$"
    r"|(/usr)?/lib/[\w-]+/lib[\w.+-]+\.so[\d.]*$"
)


class Place:
    """A folder for one way over one recording."""

    def __init__(self, recording, other):
        self.path = tempfile.mkdtemp()
        self.named = None
        os.mkdir(f"{self.path}/DIR")
        os.mkdir(f"{self.path}/tmp")
        for name, source in ("IN", recording), ("OTHER", other):
            (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, f"{self.path}/{name}")
        for name, text in ("NAMES", "perf\nls\nabcdefghijklmnop\n"), ("SYMS", ""), ("LIST", ""):
            with open(f"{self.path}/{name}", "w") as f:
                f.write(text)
        for name, *words in ("LIST", "hash", "IN"), ("SYMS", "symbols", "OTHER"):
            with open(f"{self.path}/{name}", "w") as f:
                subprocess.run([PERFDATA, *words], cwd=self.path, stdout=f, stderr=subprocess.DEVNULL)

    def programs(self):
        """The files that its recordings name."""
        if self.named is None:
            texts = [
                subprocess.run([PERFDATA, "dump", name], cwd=self.path, capture_output=True).stdout
                for name in ("IN", "OTHER")
            ]
            self.named = set(re.findall(r"filename: (.*)", b"".join(texts).decode(errors="replace")))
        return self.named

    def run(self, words, url=SERVER):
        """The calls of a run, and its status."""
        env = dict(os.environ, TMPDIR=f"{self.path}/tmp", TZ="UTC0", LC_ALL="C", DEBUGINFOD_URLS=url)
        env["PWD"] = self.path
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # which ptrace does not allow
        env["DEBUGINFOD_CACHE_PATH"] = f"{self.path}/tmp/cache"
        if not url:
            del env["DEBUGINFOD_URLS"]
        source = subprocess.DEVNULL
        if "<" in words:
            source = open(f"{self.path}/{words[-1]}", "rb")
            words = words[: words.index("<")]
        trace = f"{self.path}/tmp/trace"
        command = ["strace", "-f", "-y", "--seccomp-bpf", "-qq", "-s", "4096", "-e", "signal=none"]
        command += ["-e", "trace=%file,%network,execve,execveat,fork,vfork", "-o", trace, PERFDATA, *words]
        done = subprocess.run(command, cwd=self.path, env=env, stdin=source, capture_output=True)
        with open(trace, errors="replace") as f:
            calls = [m.groups() for m in map(CALL.match, f) if m]
        return calls, done


def paths(call, arguments):
    """The paths in a call's arguments: strings, but those that it answers with, and not of what is open."""
    found = re.findall(r'(?:\w+<([^>]*)>, )?"((?:[^"\\]|\\.)*)"', arguments.split(" = ")[0])
    found = found[:1] if call in ("readlink", "readlinkat", "getcwd", "execve") else found
    return [os.path.join(folder, path) for folder, path in found if path]


def writes(call, arguments):
    return call not in READ and call != "execve" or bool(MAY_WRITE.search(arguments))


class Judge:
    def __init__(self, place, words, usual):
        self.place, self.words, self.usual = place, words, collections.Counter(usual)
        self.out = {b for a, b in zip(words, words[1:]) if a in ("-o", "--map")}
        self.named = {place.path, ".", *words}  # what the user writes, behind @ and file:// too
        self.named |= {word.split("//")[-1].split("@")[-1] or "." for word in words}
        self.named |= {os.path.dirname(name) for name in self.out if "/" in name}
        if "LIST" in words:  # which names it
            self.named.add("IN")

    def is_own(self, path, names):
        """One of these, or a file of a directory, or made of a pattern."""
        for name in names:
            made = re.escape(name).replace("%d", r"\d+")
            if re.fullmatch(rf"{made}(/.*)?", path):
                return True
        return False

    def is_program(self, path):
        """What `symbols` and branch profiles may read."""
        if not reads_programs(self.words):
            return False
        folder = os.path.dirname(path).removesuffix("/.debug")
        beside = path.endswith(".debug") and any(os.path.dirname(p) == folder for p in self.place.programs())
        of_symbols = self.words[0] == "symbols" and OF_SYMBOLS.match(path)
        return DEBUG.match(path) or of_symbols or beside or path in self.place.programs()

    def wrong(self, call, arguments):
        if NETWORK.match(call):
            return "network"
        if call in ("fork", "vfork", "execve", "execveat"):
            begins = call == "execve" and self.usual.pop("execve", 0)
            own = self.words[0] == "bench" and (call != "execve" or runs_itself(arguments, self.words))
            return None if begins or own else "runs something"
        for path in paths(call, arguments):
            inside = path.replace(self.place.path + "/", "").removeprefix("./").rstrip("/")
            if TEMPORARY.match(inside) or path.startswith(f"{self.place.path}/tmp"):
                continue
            if writes(call, arguments):
                beside = {f"{name}.pdi" for name in self.named} if self.words[0] == "index" else set()
                if not self.is_own(inside, self.out | beside):
                    return "writes"
            elif self.is_own(inside, self.named | {f"{name}.pdi" for name in self.named}):
                continue
            elif ALWAYS.match(path) or (self.words[0] == "bench" and path in OF_BENCH):
                continue
            elif path.endswith("/..") and "O_PATH" in arguments:
                continue  # upwards from the output, which must not be within the input
            elif self.usual[call, path] > 0:
                self.usual[call, path] -= 1
            elif not self.is_program(path):
                return "opens"
        return None


def wrong_names(place, words):
    """Files of the directory of branch profiles that are not named so."""
    found = re.search(r"--to (bolt|profgen|autofdo).* -o (\S+)", " ".join(words))
    folder = f"{place.path}/{found[2]}" if found else place.path
    names = os.listdir(folder) if found and os.path.isdir(folder) else []
    return [n for n in names if not re.fullmatch(rf"index|(\d+-[\w.-]*|[0-9a-f]+)\.{found[1]}", n, re.A)]


def usual_calls(place):
    calls, _ = place.run(["version"])
    return collections.Counter((c, p) for c, a in calls for p in paths(c, a) if c != "execve")


def times(usual, words):
    """`bench` begins again and again."""
    return collections.Counter({call: n * (1000 if words[0] == "bench" else 1) for call, n in usual.items()})


def try_way(line, recording, other, usual):
    place = Place(recording, other)
    statuses = []
    for part in line.replace("SEED", "7").split(" ; "):
        words = part.split()
        calls, done = place.run(words, "" if words[0] == "symbols" else SERVER)
        judge = Judge(place, words, times(usual, words) + collections.Counter(["execve"]))
        for call, arguments in calls:
            what = judge.wrong(call, arguments)
            if what:
                failures.append(f"{os.path.basename(recording)}: {part}: {what}: {call}({arguments}")
        failures.extend(f"{part}: makes {name}" for name in wrong_names(place, words))
        if not any(call == "execve" for call, _ in calls):
            failures.append(f"{part}: strace saw nothing")
        statuses.append((words[0], done.returncode))
    shutil.rmtree(place.path)
    return statuses


def make_recordings(folder):
    real = f"{SOURCE}/corpus/callgraph.data"
    made = {
        "pipe": ["convert", "--to", "pipe", "-z", "-i", real],
        "dir": ["convert", "--to", "dir", "-i", f"{SOURCE}/corpus/aslr.data"],
        "branch": ["gen", "-c", "300", "--preset", "branch"],
        "tracing": ["gen", "-c", "300", "--preset", "tracing", "--features", "all"],
        "any": ["gen", "-t", "ALL", "-c", "300", "--features", "all", "--endian", "big"],
    }
    for name, words in made.items():
        subprocess.run([PERFDATA, *words, "-q", "-o", f"{folder}/{name}"], check=True)
    return [real, f"{SOURCE}/corpus/two-events.data", *[f"{folder}/{name}" for name in made]]


def verbs():
    said = subprocess.run([PERFDATA, "help"], capture_output=True, text=True).stdout
    return set(re.findall(r"^  ([a-z]+) {2,}", said, re.M))


def sees_a_socket(recording):
    """Where a server is named, `symbols` asks it, which the trace must show."""
    place = Place(recording, recording)
    calls, _ = place.run(["symbols", "--root", "DIR", "-o", "OUT", "IN"])
    shutil.rmtree(place.path)
    return any(NETWORK.match(call) for call, _ in calls)


def main():
    program = open(PERFDATA, "rb").read()
    if program.startswith(b"#!") or re.search(rb"__[amt]san_init", program):
        print("skipped: an emulator or a sanitizer opens files of its own")
        return 77
    if subprocess.run("strace -f --seccomp-bpf true", shell=True, capture_output=True).returncode:
        print("skipped: strace cannot trace here")
        return 77
    lines = [line.strip() for line in open(f"{SOURCE}/fuzz/verbs/lines")] + MORE.splitlines()
    lines = [line for line in lines if line and not line.startswith("#")]
    workers = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    with tempfile.TemporaryDirectory() as folder, workers as pool:
        recordings = make_recordings(folder)
        place = Place(recordings[0], recordings[0])
        usual = usual_calls(place)
        shutil.rmtree(place.path)
        # Each way over a real recording, and one or all of the others.
        runs = []
        for i, line in enumerate(lines):
            others = recordings[1:] if FULL else [recordings[1 + i % (len(recordings) - 1)]]
            runs += [pool.submit(try_way, line, r, recordings[1], usual) for r in [recordings[0], *others]]
        statuses = collections.defaultdict(list)
        for run in runs:
            for verb, status in run.result():
                statuses[verb].append(status)
        if ctypes.util.find_library("debuginfod") and not sees_a_socket(recordings[0]):
            failures.append("symbols: no socket seen, though $DEBUGINFOD_URLS is set")
    for verb in sorted(verbs() ^ set(statuses)):
        failures.append(f"{verb}: never run" if verb not in statuses else f"{verb}: no such verb")
    for verb, seen in statuses.items():
        if not any(status in (0, 1) for status in seen):
            failures.append(f"{verb}: never went well: {seen}")
    print(*sorted(failures), sep="\n", file=sys.stderr)
    print(f"{sum(map(len, statuses.values()))} runs of {len(statuses)} verbs")
    return bool(failures)


sys.exit(main())
