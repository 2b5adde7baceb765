#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command when the system fails it. Checks R3, R10, R11, R16.

Every verb is run again and again on small recordings with shim.c preloaded, which makes the Nth call of a
kind fail:
  malloc   no memory, at that call alone and from there on: exit status 2 to 4 and a sentence, or all as
  without the fault;
           every allocation is given back
  read     EIO, once and from there on: exit status 4, a sentence and no output, what was there being
  untouched with -f, too; or all
           as without. EINTR, fewer bytes than asked for: as without the fault
  input    EIO, EMFILE, EACCES where something is opened to be read, be it a recording, a file of a directory
  or a list: as read write    ENOSPC, EPIPE: exit status 4 and no output, half or whole. EINTR, fewer bytes:
  as without the fault print    the same of standard output; EPIPE says nothing of what is written besides,
  which is whole open, place, close   making, naming and closing the output: exit status 2 to 4;
  with -f, where a file cannot be placed, at each name the old one or a whole new one
  cut      the input becomes half as long while it is read: exit status 3, or all as without
  kill     SIGKILL before the Nth of any of these calls: the old output is there, or the whole new one

All N up to FAULTS_MOST calls of a kind (default 3, with PERFDATA_TEST_EFFORT=full 8), beyond that the first
ones, the last ones and some between, drawn by FAULTS_SEED; FAULTS_MOST=0: every one. Arguments: only cases
whose names contain one of them. A failure is printed when it is found, and with FAULTS_MOST=0 each case when
it is through.
"""
import concurrent.futures, errno, os, random, re, shutil, signal, subprocess, sys, tempfile, time

PERFDATA = os.environ["PERFDATA"]
SHIM = os.path.join(os.environ["PERFDATA_BUILD"], "tests", "libfaults.so")
MOST = int(os.environ.get("FAULTS_MOST") or (8 if os.environ.get("PERFDATA_TEST_EFFORT") == "full" else 3))
SEED = int(os.environ.get("FAULTS_SEED", "1"))
TIMEOUT = 60

READERS = [
    ("info", ["info", "IN"]),
    ("info-I", ["info", "-I", "IN"]),
    ("info-tasks", ["info", "--tasks", "--mmaps", "--json", "IN"]),
    ("dump", ["dump", "IN"]),
    ("dump-json", ["dump", "--json", "IN"]),
    ("dump-F", ["dump", "-F", "comm,tid,time,event", "IN"]),
    ("check", ["check", "IN"]),
    ("hash", ["hash", "--sections", "IN"]),
    ("decode", ["decode", "IN"]),
    ("cmp", ["cmp", "IN", "SECOND"]),
    ("hash-list", ["hash", "-c", "LIST"]),
    ("sort-n", ["sort", "-n", "IN"]),
    ("build-ids", ["extract", "--build-ids", "IN"]),
    ("bench", ["bench", "--only", "read,hops,memcpy,frame,plan,decode,encode", "--repeat", "1", "IN"]),
    ("decode-j", ["decode", "-j", "2", "IN"]),
    ("dump-j", ["dump", "-j", "2", "IN"]),
    ("dump-F-j", ["dump", "-F", "comm,time,event", "-j", "2", "IN"]),
]
WRITERS = [
    ("decode-o", ["decode", "-o", "OUT", "IN"]),
    ("decode-o-j", ["decode", "-j", "2", "-o", "OUT", "IN"]),
    ("convert", ["convert", "-o", "OUT", "IN"]),
    ("convert-z", ["convert", "-z", "-o", "OUT", "IN"]),
    ("convert-plain", ["convert", "--decompress", "--to", "file", "-o", "OUT", "IN"]),
    ("convert-big", ["convert", "--endian", "big", "--reencode", "-o", "OUT", "IN"]),
    ("convert-pipe", ["convert", "--to", "pipe", "-o", "OUT", "IN"]),
    ("convert-dir", ["convert", "--to", "dir", "-o", "OUT", "IN"]),
    ("filter", ["filter", "--every", "2", "-o", "OUT", "IN"]),
    ("filter-time", ["filter", "--time", "10%-60%", "--exclude-comms", "none", "-o", "OUT", "IN"]),
    ("edit", ["edit", "--set-feature", "hostname=other", "--drop-feature", "cmdline", "-o", "OUT", "IN"]),
    ("extract", ["extract", "--feature", "cmdline", "-o", "OUT", "IN"]),
    ("sort", ["sort", "-o", "OUT", "IN"]),
    ("merge", ["merge", "-o", "OUT", "IN", "SECOND"]),
    ("repair", ["repair", "-o", "OUT", "IN"]),
    ("repair-like", ["repair", "--like", "SECOND", "--keep-tail", "-o", "OUT", "IN"]),
    ("filter-dsos", ["filter", "--dsos", "none,[kernel.kallsyms]", "-o", "OUT", "IN"]),
    ("corrupt", ["corrupt", "-E", "0.01", "--unknown-record", "-o", "OUT", "IN"]),
    (
        "redact",
        ["redact", "--unknown", "drop", "--map", "map.tsv", "--prove", "not-in-it", "-o", "OUT", "IN"],
    ),
    (
        "redact-key",
        [
            "redact",
            "--unknown",
            "drop",
            "--comms",
            "hash",
            "--key",
            "KEY",
            "--prove",
            "@STRINGS",
            "-o",
            "OUT",
            "IN",
        ],
    ),
    ("edit-file", ["edit", "--set-feature", "cmdline=@VALUE", "-o", "OUT", "IN"]),
    ("filter-file", ["filter", "--comms", "file://NAMES", "-o", "OUT", "IN"]),
    ("split", ["split", "--json", "--chunks", "3", "-o", "OUT-%d", "IN"]),
    ("repair-report", ["repair", "--report", "--json", "-o", "OUT", "IN"]),
    ("export", ["export", "--to", "folded", "-s", "comm,cgroup", "-o", "OUT", "IN"]),
    ("export-pprof", ["export", "--to", "pprof", "-m", "1K", "-o", "OUT", "IN"]),
    ("export-firefox", ["export", "--to", "firefox", "-o", "OUT", "IN"]),
    ("export-bolt", ["export", "--to", "bolt", "-o", "OUT", "IN"]),
    ("index", ["index", "--block", "2K", "-o", "OUT", "IN"]),
    ("split-by", ["split", "--by", "cpu", "-z", "-o", "OUT-%d", "IN"]),
]
# What is written to standard output as a file goes through a temporary file; FROM is standard input.
STREAMS = [
    ("convert-spooled", ["convert", "--to", "file", "-o", "-", "-"]),
    ("filter-stream", ["filter", "--every", "2", "-o", "-", "-"]),
    ("dump-F-stream", ["dump", "-F", "comm,time", "-"]),
    ("info-stream", ["info", "-"]),
]
failures = []


def run(args, directory, stdin=None, **fault):
    env = dict(
        os.environ,
        LD_PRELOAD=SHIM,
        TMPDIR=os.path.join(directory, "tmp"),
        FAULT_REPORT=os.path.join(directory, "report"),
    )
    env.update({"FAULT_" + k.upper(): str(v) for k, v in fault.items()})
    source = subprocess.PIPE if stdin is not None else subprocess.DEVNULL
    p = subprocess.Popen(
        [PERFDATA] + args,
        env=env,
        cwd=directory,
        stdin=source,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        out, err = p.communicate(stdin, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        p.kill()
        p.communicate()
        return "hangs", b"", b"", (0, 0, 0)
    try:
        with open(os.path.join(directory, "report")) as f:
            report = tuple(map(int, f.read().split()))
        os.unlink(os.path.join(directory, "report"))
    except (FileNotFoundError, ValueError):
        report = (0, 0, 0)
    return p.returncode, out, err, report


def content(path):
    """What is at a path: None, bytes, or a dictionary."""
    if os.path.isdir(path):
        return {name: content(os.path.join(path, name)) for name in sorted(os.listdir(path))}
    try:
        with open(path, "rb") as f:
            return f.read()
    except FileNotFoundError:
        return None


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.unlink(path)


def numbers(total, rng, most=None):
    most = MOST if most is None else most
    if MOST == 0 or total <= most:
        return list(range(1, total + 1))
    chosen = set(range(1, most // 3 + 1)) | set(range(total - most // 4, total + 1))
    return sorted(chosen | set(rng.sample(range(1, total + 1), most - most // 3 - most // 4)))


class Case:
    def __init__(self, name, args, source, directory):
        self.name = name
        self.tried = 0
        self.rng = random.Random(f"{SEED} {name}")
        self.dir = os.path.join(directory, name)
        os.makedirs(os.path.join(self.dir, "tmp"))
        self.source = source
        self.file = os.path.join(self.dir, "in")
        self.restore()
        self.second = os.path.join(self.dir, "second")
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, self.second)
        self.make_lists(args)
        own = {"IN": "in", "SECOND": "second", "LIST": "list"}
        self.args = [
            own.get(a)
            or a.replace("OUT", "out")
            .replace("@STRINGS", "@strings")
            .replace("@VALUE", "@value")
            .replace("//NAMES", "//names")
            .replace("KEY", "key")
            for a in args
        ]
        self.writes = self.args != args and "-o" in args
        self.spools = args[-1] == "-"
        self.stdin = content(source) if self.spools else None
        status, out, self.err, report = self.run(call="malloc")
        self.calls = report[0]
        self.reference = (status, self.text(out), self.outputs())
        self.writes = (
            self.writes and self.reference[2] is not None
        )  # not what it refuses, as a share of the time where there is none
        self.kept = (
            report[2] if name.startswith("info-I") or "-j@" in name else 0
        )  # the C library's time zone, and of its threads
        self.verdict(
            "without a fault", report, status in (0, 1, 3), f"exit status {status}: {self.err.decode()}"
        )

    def restore(self):
        remove(self.file)
        (shutil.copytree if os.path.isdir(self.source) else shutil.copy)(self.source, self.file)

    def make_lists(self, args):
        """Files that options name."""
        for name, text in ("strings", "not-in-it\n"), ("names", "cc1\nperf\n"), ("key", "0123456789abcdef"):
            with open(os.path.join(self.dir, name), "w") as f:
                f.write(text)
        subprocess.run(
            [PERFDATA, "extract", "--feature", "cmdline", "-qfo", "value", "in"],
            cwd=self.dir,
            stderr=subprocess.DEVNULL,
        )
        if "LIST" in args:
            with open(os.path.join(self.dir, "list"), "wb") as f:
                subprocess.run([PERFDATA, "hash", "in", "second"], cwd=self.dir, stdout=f, check=True)

    def outputs(self):
        """What the verb made: None, or what is at each name."""
        own = ("in", "second", "list", "strings", "names", "value", "key", "tmp", "report")
        return {
            n: content(os.path.join(self.dir, n))
            for n in sorted(os.listdir(self.dir))
            if n not in own and not n.startswith(".perfdata")
        } or None

    def text(self, out):
        """Standard output, of bench without the times and counters, of which the machine may have none."""
        return re.sub(rb"(?:[0-9. ]|n/a)+", b" ", out) if self.args[0] == "bench" else out

    def same_as_without(self, status, out):
        return (status, self.text(out), self.outputs()) == self.reference

    def run(self, **fault):
        for name in self.outputs() or ():
            remove(os.path.join(self.dir, name))
        return run(self.args, self.dir, self.stdin, **fault)

    def verdict(self, what, report, ok, why):
        if ok and report[2] > self.kept:
            ok, why = False, f"{report[2]} allocations were not given back"
        left = [n for n in os.listdir(self.dir) if n.startswith(".perfdata")] + os.listdir(
            os.path.join(self.dir, "tmp")
        )
        if ok and left:
            ok, why = False, f"left behind: {left}"
        for n in left:
            remove(os.path.join(self.dir, n))
        if not ok:
            failures.append(f"{self.name}: {what}: {why}")
            print(f"FAILED (FAULTS_SEED={SEED}): {failures[-1]}", flush=True)
        self.tried += 1
        return ok

    def count(self, call):
        return self.run(call=call)[3][0]

    def run_over(self, old, **fault):
        """With -f, what is there before being `old`."""
        self.put_old(old)
        self.args.insert(1, "-f")
        result = run(self.args, self.dir, self.stdin, **fault)
        self.args.remove("-f")
        return result

    def expect(self, what, fault, statuses, same_ok=True, quiet=False, old=None):
        """The fault ends in one of the statuses, without output, or with `old` there; or, if same_ok,
        everything is as without."""
        status, out, err, report = self.run_over(old, **fault) if old else self.run(**fault)
        now = self.outputs()
        if (
            old
            and now
            and all(n in self.reference[2] and now[n] == old for n in now)
            and len(now) == len(self.reference[2])
        ):
            now = None
        never = (
            report[0] < fault["from"]
        )  # a stream is flushed when its input pauses: another time there are more calls
        if (same_ok or never) and self.same_as_without(status, out):
            return self.verdict(what, report, True, "")
        if self.args[0] == "bench":  # a case that fails is a finding
            statuses += (1,)
        if status not in statuses:
            return self.verdict(
                what,
                report,
                False,
                f"exit status {status}, "
                f"{'the same' if now == self.reference[2] else 'other'} output: {err[-300:].decode()}",
            )
        if now is not None:
            return self.verdict(
                what, report, False, f"exit status {status} and an output: {err[-300:].decode()}"
            )
        findings = out if self.args[0] == "check" else b""
        return self.verdict(what, report, quiet or bool(err or findings), "no message")

    def memory(self):
        for n in numbers(self.calls, self.rng, 3 * MOST):
            for hits in (1, 0):
                self.expect(
                    f"allocation {n} {'and all after it' if hits == 0 else ''}",
                    dict(call="malloc", **{"from": n}, hits=hits, do=errno.ENOMEM),
                    (2, 3, 4),
                )

    def has_files(self):
        return self.writes and all(isinstance(b, bytes) for b in self.reference[2].values())

    def inputs(self):
        """Everything that is opened to be read fails, for each reason."""
        for n in numbers(self.count("input"), self.rng):
            ways = [(e, hits, None) for e in (errno.EIO, errno.EMFILE, errno.EACCES) for hits in (1, 0)]
            if self.has_files():
                ways.append((errno.EMFILE, 0, b"the old file"))
            self.fail("input", n, ways)

    def fail(self, call, n, ways):
        """One of the ways is tried, or with FAULTS_MOST=0 each."""
        for e, hits, old in self.rng.sample(ways, 1) if MOST else ways:
            self.expect(
                f"{call} {n}: {errno.errorcode[e]}{'' if hits else ' from there on'}"
                + (', with -f' if old else ''),
                dict(call=call, **{"from": n}, hits=hits, do=e),
                (4,),
                old=old,
            )

    def reads(self):
        for n in numbers(self.count("read"), self.rng):
            self.fail(
                "read",
                n,
                [(errno.EIO, 1, None), (errno.EIO, 0, None)]
                + [(errno.EIO, 0, b"the old file")] * self.has_files(),
            )
            self.same(f"read {n}: EINTR", dict(call="read", **{"from": n}, hits=3, do=errno.EINTR))
            self.same(f"read {n}: short", dict(call="read", **{"from": n}, do="short"))
        self.same("all reads short", dict(call="read", **{"from": 1}, hits=5000, do="short"))

    def same(self, what, fault):
        status, out, err, report = self.run(**fault)
        ok = self.same_as_without(status, out)
        self.verdict(what, report, ok, f"exit status {status}, not as without: {err[-300:].decode()}")

    def output(self):
        for call in ("write", "print"):
            for n in numbers(self.count(call), self.rng):
                self.expect(
                    f"{call} {n}: ENOSPC",
                    dict(call=call, **{"from": n}, hits=0, do=errno.ENOSPC),
                    (4,),
                    same_ok=False,
                )
                if call == "print" and self.writes:
                    self.closed(n)
                else:
                    self.expect(
                        f"{call} {n}: EPIPE",
                        dict(call=call, **{"from": n}, hits=0, do=errno.EPIPE),
                        (4,),
                        same_ok=False,
                        quiet=True,
                    )
                self.same(f"{call} {n}: EINTR", dict(call=call, **{"from": n}, hits=3, do=errno.EINTR))
                self.same(f"{call} {n}: short", dict(call=call, **{"from": n}, do="short"))
            self.same(f"all {call}s short", dict(call=call, **{"from": 1}, hits=5000, do="short"))
        for call in ("open", "place", "close"):
            for n in numbers(self.count(call), self.rng):
                self.expect(f"{call} {n}: EIO", dict(call=call, **{"from": n}, do=errno.EIO), (2, 3, 4))

    def replaced(self):
        """With -f, what cannot be placed leaves at each name the old file or a whole new one: a file that was
        replaced does not come back, so the new one stays."""
        old = b"the old file"
        for n in range(1, self.count("place") + 1) if self.has_files() else ():
            status, out, err, report = self.run_over(old, call="place", **{"from": n}, do=errno.EIO)
            what = f"place {n}: EIO, with -f"
            ok = status in (2, 3, 4) or self.same_as_without(status, out)
            self.verdict(what, report, ok, f"exit status {status}: {err[-300:].decode()}")
            self.old_or_new(what, old)

    def closed(self, n):
        """Who reads standard output has enough: quietly, and the files are as without."""
        status, out, err, report = self.run(call="print", **{"from": n}, hits=0, do=errno.EPIPE)
        ok = (
            self.outputs() == self.reference[2]
            and status in (self.reference[0], 4)
            and b"standard output" not in err
            and b"pipe" not in err
        )
        self.verdict(
            f"print {n}: EPIPE",
            report,
            ok,
            f"exit status {status}, outputs not as without, or told: {err[-300:].decode()}",
        )

    def cut(self):
        if os.path.isdir(self.file):
            return
        for n in numbers(self.count("read"), self.rng):
            self.restore()
            status, out, err, report = self.run(call="read", **{"from": n}, do="cut", file=self.file)
            said = err or self.args[0] == "check"
            ok = self.same_as_without(status, out) or (
                said and status in ((1, 3) if self.args[0] == "bench" else (3,))
            )
            self.verdict(f"cut at read {n}", report, ok, f"exit status {status}: {err[-300:].decode()}")
        self.restore()

    def forget_temporary(self):  # what SIGKILL leaves, never the output
        for name in os.listdir(self.dir):
            if name.startswith(".perfdata"):
                remove(os.path.join(self.dir, name))

    def put_old(self, old):
        for name in self.reference[2]:
            remove(os.path.join(self.dir, name))
            with open(os.path.join(self.dir, name), "wb") as f:
                f.write(old)

    def old_or_new(self, what, old):
        now = self.outputs() or {}
        ok = now.keys() == self.reference[2].keys() and all(
            now[n] in (old, self.reference[2][n]) for n in now
        )
        self.verdict(what, (0, 0, 0), ok, "neither the old file nor the new one")

    def kill(self):
        old = b"the old file"
        self.args.insert(1, "-f")
        for n in numbers(self.count("any"), self.rng, 4 * MOST):
            self.put_old(old)
            status = run(self.args, self.dir, self.stdin, call="any", **{"from": n}, do="kill")[0]
            what = f"killed before call {n}"
            self.forget_temporary()
            self.verdict(
                what,
                (0, 0, 0),
                status == -signal.SIGKILL or self.outputs() == self.reference[2],
                f"exit status {status}",
            )
            self.old_or_new(what, old)
        for n in range(MOST or 40):  # and at any moment
            self.put_old(old)
            p = subprocess.Popen(
                [PERFDATA] + self.args,
                cwd=self.dir,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(self.rng.uniform(0, 0.006))
            p.kill()
            p.wait()
            self.forget_temporary()
            self.old_or_new(f"killed, number {n}", old)
        self.args.remove("-f")


def examine(case):
    case.memory()
    case.reads()
    case.inputs()
    case.output()
    case.replaced()
    if not case.spools:
        case.cut()
    if case.writes and all(
        isinstance(b, bytes) for b in case.reference[2].values()
    ):  # two renames put a directory in place of another
        case.kill()
    if MOST == 0:
        print(f"{case.name}: {case.tried} runs", flush=True)
    return case


def make_inputs(directory):
    def make(name, *args):
        subprocess.run(
            [PERFDATA]
            + [os.path.join(directory, a[1:]) if a.startswith("@") else a for a in args]
            + ["-q", "-o", os.path.join(directory, name)],
            check=True,
        )

    make("workload", "gen", "-c", "60", "--size", "6K")
    make("random", "gen", "--random", "-c", "25", "-t", "ALL", "--features", "all", "--seed", str(SEED))
    make("zip", "convert", "-z", "@workload")
    make("pipe", "convert", "--to", "pipe", "-z", "@random")
    make("dir", "convert", "--to", "dir", "@workload")
    copy = os.path.join(directory, "members")  # several of them
    shutil.copytree(os.path.join(directory, "dir"), copy)
    for n in range(1, 4):
        shutil.copy(os.path.join(copy, "data.0"), os.path.join(copy, f"data.{n}"))
    make("text", "decode", "@workload")
    make("long", "gen", "-c", "5000")
    make("long-text", "decode", "@long")
    make("short-text", "decode", "--short", "@random")


def main():
    if not os.path.exists(SHIM):
        print(
            f"skipped: {SHIM} is not built: sanitizers and emulators have their own ways with allocations "
            "and preloading"
        )
        return 77
    directory = tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    try:
        make_inputs(directory)
        table = [
            (f"{verb}@{kind}", args, kind)
            for kind in ("workload", "random", "zip", "pipe", "dir", "members")
            for verb, args in READERS + WRITERS + STREAMS
            if not (
                kind in ("dir", "members")
                and (args[-1] == "-" or verb in ("corrupt", "decode-o", "decode-o-j", "bench"))
            )
            and not (kind == "random" and verb == "extract")
            and not (kind not in ("workload", "random") and verb == "index")
            and not (kind in ("random", "pipe") and verb == "edit-file")
            and not (kind in ("random", "pipe") and verb == "filter-time")
            and not (  # samples have no time, so there is no share of it
                kind in ("random", "pipe") and verb.startswith("split")
            )
        ]  # AUX data cannot be cut
        table += [
            (f"{verb}@long", args, "long") for verb, args in READERS + WRITERS if verb.endswith("-j")
        ]  # several batches
        table += [
            ("encode@text", ["encode", "-o", "OUT", "IN"], "text"),
            ("encode-j@long-text", ["encode", "-j", "2", "-o", "OUT", "IN"], "long-text"),
            ("encode@short-text", ["encode", "-o", "OUT", "IN"], "short-text"),
            ("gen@nothing", ["gen", "-c", "50", "-o", "OUT"], "workload"),
            (
                "gen-random@nothing",
                ["gen", "--random", "-z", "-c", "20", "-t", "ALL", "--to", "pipe", "-o", "OUT"],
                "workload",
            ),
        ]
        if len(sys.argv) > 1:
            table = [t for t in table if any(a in t[0] for a in sys.argv[1:])]
        elif MOST:  # not each verb with each container
            few = random.Random(SEED)
            table = [
                t
                for t in table
                if not t[0].endswith(("@zip", "@pipe", "@dir", "@members")) or few.random() < 0.3
            ]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(
                pool.map(lambda t: examine(Case(t[0], t[1], os.path.join(directory, t[2]), directory)), table)
            )
    finally:
        shutil.rmtree(directory)
    print(f"{len(table)} cases, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
