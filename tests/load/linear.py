#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""linear.py [SCALE [KIND|VERB]...] - the cost of large files grows with their size. Checks R3.

Recordings with many attrs, long records, many threads, mappings and ids, and a long line of ancestors, are
made at three sizes, each ten times the one before, the instructions that every verb takes are counted by
valgrind, and what a tenfold file takes must be less than 20 times as much, beyond what an empty one takes
(and a fifth of that, which counts as nothing). The same holds of ids, tids, names and cookies made to collide
in hash tables (same-...). Some kinds are pairs of files that have little in common, for merge: build-ids,
event-types, half-named and waiting. SCALE 100 (the default without arguments is 1, of two sizes): 65,536
attrs, 1,000 records of 65,528 bytes, 100,000 threads, 1,000,000 mappings and ids; those that print every
field have a tenth of that.
"""
import os, re, shutil, struct, subprocess, sys, tempfile

PERFDATA = os.environ["PERFDATA"]
LIMIT = 20
IP, TID, TIME, CALLCHAIN, ID, RAW = 1, 2, 4, 1 << 5, 1 << 6, 1 << 10
SAMPLE_ID_ALL, DEFER_CALLCHAIN = 1 << 18, 1 << 38
USER_DEFERRED = (1 << 64) - 640
LARGEST = {
    "attrs": 65536,
    "records": 1000,
    "threads": 100000,
    "mappings": 1000000,
    "ids": 1000000,
    "same-ids": 100000,
    "same-tids": 50000,
    "same-tasks": 50000,
    "same-names": 10000,
    "same-cookies": 100000,
    "build-ids": 100000,
    "event-types": 100000,
    "half-named": 65536,
    "waiting": 100000,
    "chain": 100000,
}
VERBS = {
    "info": ["info", "IN"],
    "tasks": ["info", "--tasks", "IN"],
    "check": ["check", "IN"],
    "dump": ["dump", "IN"],
    "fields": ["dump", "-F", "comm,tid,time,event", "IN"],
    "filter": ["filter", "--exclude-comms", "none", "-f", "-o", "OUT", "IN"],
    "hash": ["hash", "IN"],
    "decode": ["decode", "IN"],
    "convert": ["convert", "--to", "pipe", "-f", "-o", "OUT", "IN"],
    "merge": ["merge", "-f", "-o", "OUT", "IN", "OTHER"],
    "sort": ["sort", "-f", "-o", "OUT", "IN"],
    "split": ["split", "--chunks", "3", "-f", "-o", "OUT-%d", "IN"],
    "repair": ["repair", "-f", "-o", "OUT", "IN"],
    "edit": ["edit", "--rename-comm", "one=two", "--time-shift", "1", "-f", "-o", "OUT", "IN"],
    "redact": ["redact", "--unknown", "drop", "-f", "-o", "OUT", "IN"],
    "cmp": ["cmp", "IN", "IN"],
    "select": ["filter", "--every", "2", "--tid", "7,1000,1007", "-f", "-o", "OUT", "IN"],
}
FEW = ("dump", "fields", "decode")  # print every field: a tenth suffices
USUAL = ("info", "filter", "fields")  # one of them of each kind; all with full effort
FULL = os.environ.get("PERFDATA_TEST_EFFORT") == "full"
SMALL = {
    "attrs": 150,
    "records": 10,
    "threads": 200,
    "mappings": 500,
    "ids": 1000,
    "same-ids": 400,
    "same-tids": 400,
    "same-tasks": 1600,
    "same-names": 200,
    "same-cookies": 400,
    "build-ids": 400,
    "event-types": 400,
    "half-named": 400,
    "waiting": 400,
    "chain": 400,
}


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def attr(config, sample_type, flags=SAMPLE_ID_ALL):
    head = struct.pack("<IIQQQQQ", 1, 128, config, 1000, sample_type, 0, flags)
    return head + bytes(128 - len(head))


def string(text):
    body = text.encode() + b"\0"
    return body + bytes(-len(body) % 8)


def trailer(kind, tid, time, event):
    out = struct.pack("<IIQ", tid, tid, time)
    return out + (struct.pack("<Q", event) if kind & ID else b"")


def sample(kind, tid, time, event, raw=None):
    body = struct.pack("<QIIQ", 0x401000, tid, tid, time)
    body += struct.pack("<Q", event) if kind & ID else b""
    if kind & RAW:
        body += struct.pack("<I", len(raw)) + raw
    return record(9, 2, body)


def fork(kind, child, parent, time):
    return record(
        7, 0, struct.pack("<IIIIQ", child, parent, child, parent, time) + trailer(kind, parent, time, 0)
    )


def recording(attrs, n_ids, kind, records, features=(), flags=SAMPLE_ID_ALL, config=lambda i: i):
    """A file: header, ids, attrs, data, features."""
    at, sections, ids, event = 104, bytearray(), bytearray(), 1
    for i in range(attrs):
        sections += attr(config(i), kind, flags) + struct.pack("<QQ", at + len(ids), 8 * n_ids)
        ids += struct.pack(f"<{n_ids}Q", *range(event, event + n_ids))
        event += n_ids
    data_at = at + len(ids) + len(sections)
    word = sum(1 << number for number, _ in features)
    header = b"PERFILE2" + struct.pack(
        "<QQQQQQQQ4Q", 104, 144, at + len(ids), len(sections), data_at, len(records), 0, 0, word, 0, 0, 0
    )
    table, content, place = bytearray(), bytearray(), data_at + len(records) + 16 * len(features)
    for _, body in features:
        table += struct.pack("<QQ", place + len(content), len(body))
        content += body
    return header + ids + sections + records + table + content


def event_desc(n, name_of="event-{}".format, config=lambda i: i):
    """EVENT_DESC: a name for each of n events, or none where it is None."""
    out = bytearray(struct.pack("<II", n, 128))
    for i in range(n):
        name = b"" if name_of(i) is None else name_of(i).encode() + b"\0"
        name += bytes(-len(name) % 64)
        out += (
            attr(config(i), IP | TID | TIME | ID)
            + struct.pack("<II", 1, len(name))
            + name
            + struct.pack("<Q", i + 1)
        )
    return (12, out)


def group_desc(n):
    """GROUP_DESC: n groups of two."""
    out = bytearray(struct.pack("<I", n))
    for i in range(n):
        name = f"group-{i}".encode() + b"\0"
        name += bytes(-len(name) % 64)
        out += struct.pack("<I", len(name)) + name + struct.pack("<II", 2 * i, 2)
    return (17, out)


def attrs(n):
    kind = IP | TID | TIME | ID
    return recording(
        n,
        1,
        kind,
        b"".join(sample(kind, 7, i, 1 + i * 7919 % n) for i in range(n)),
        [event_desc(n), group_desc(n // 4)],
    )


def records(n):
    kind = IP | TID | TIME | RAW
    raw = bytes(range(256)) * 256
    return recording(1, 0, kind, b"".join(sample(kind, 7, i, 0, raw[: 65528 - 8 - 24 - 4]) for i in range(n)))


def threads(n):
    kind = IP | TID | TIME
    out = []
    for i in range(n):
        tid, time = 1000 + i, 3 * i
        out.append(fork(kind, tid, tid - 1, time))
        out.append(
            record(
                3,
                0,
                struct.pack("<II", tid, tid)
                + string(f"thread-{i % 99999}")
                + trailer(kind, tid, time + 1, 0),
            )
        )
        out.append(sample(kind, tid, time + 2, 0))
    return recording(1, 0, kind, b"".join(out))


def chain(n):
    """Every task is forked before its parent is."""
    kind = IP | TID | TIME
    return recording(
        1, 0, kind, b"".join(fork(kind, 1000 + i, 1001 + i, i) for i in range(n)) + sample(kind, 1000, n, 0)
    )


def mappings(n):
    kind = IP | TID | TIME
    out = [
        record(
            10,
            1 << 14 if i % 2 else 0,
            struct.pack("<IIQQQ", 7, 7, i << 12, 4096, 0)
            + (
                struct.pack("<B3x20s", 20, struct.pack("<Q", i))
                if i % 2
                else struct.pack("<IIQQ", 8, 1, i, 0)
            )
            + struct.pack("<II", 5, 2)
            + string(f"/usr/lib/lib{i}.so")
            + trailer(kind, 7, i, 0),
        )
        for i in range(n)
    ]
    return recording(1, 0, kind, b"".join(out) + sample(kind, 7, n, 0))


def ids(n):
    """Of at least two events; a record of a stream holds 8174 of one at most."""
    kind, events = IP | TID | TIME | ID, max(2, n // 8000 + 1)
    each = n // events or 1
    return recording(
        events,
        each,
        kind,
        b"".join(sample(kind, 7, i, 1 + i * 7919 % (events * each)) for i in range(n // 10 + 1)),
    )


# ---- What is made to have one place in a table: of hash functions without a key, those that this program
# once had. A file that finds such numbers for the functions of today has to know the keys, which are drawn
# anew in every run.


def undo(value, bits, *steps):
    """The number that some steps, `x ^= x >> n` or `x *= n` modulo 2^bits, made this value of."""
    for kind, n in reversed(steps):
        if kind == "*":
            value = value * pow(n, -1, 1 << bits) % (1 << bits)
        else:
            out = value
            for _ in range(bits // n):
                out = value ^ out >> n
            value = out
    return value


def same_ids(n):
    """Ids times the golden ratio are small numbers, of which the middle bits are 0; of several events, as in
    ids()."""
    kind, events = IP | TID | TIME | ID, n // 8000 + 1
    each = n // events
    event = [undo(1 + i, 64, ("*", 0x9E3779B97F4A7C15)) for i in range(events * each)]
    samples = b"".join(sample(kind, 7, i, event[i * 7919 % len(event)]) for i in range(n // 10 + 1))
    whole = recording(events, each, kind, samples)
    return whole[:104] + struct.pack(f"<{len(event)}Q", *event) + whole[104 + 8 * len(event) :]


def same_tids(n):
    """Four places in a table of 2^18."""
    kind, out = IP | TID | TIME, []
    for i in range(n):
        tid = undo(
            (i // 4) << 18 | i % 4,
            32,
            (">>", 16),
            ("*", 0x85EBCA6B),
            (">>", 13),
            ("*", 0xC2B2AE35),
            (">>", 16),
        )
        out.append(
            record(3, 0, struct.pack("<II", tid, tid) + string("one") + trailer(kind, tid, i, 0))
            + sample(kind, tid, i, 0)
        )
    return recording(1, 0, kind, b"".join(out))


def same_tasks(n):
    """One place in a table of 2^18, as `info --tasks` had it."""
    tids = [undo(i << 18, 32, ("*", 2654435769)) for i in range(n)]
    return recording(
        1,
        0,
        IP | TID | TIME,
        b"".join(
            record(3, 0, struct.pack("<II", tid, tid) + string("one") + trailer(IP | TID | TIME, tid, i, 0))
            for i, tid in enumerate(tids)
        ),
    )


def same_names(n):
    """The first 32nd of a table of 2^15 places, found by trying: FNV-1a."""
    kind, out, number = IP | TID | TIME, [], 0
    while len(out) < n:
        number += 1
        name, h = f"{number:x}", 0xCBF29CE484222325
        for byte in name.encode():
            h = (h ^ byte) * 0x100000001B3 % (1 << 64)
        if (h ^ h >> 32) % (1 << 15) < 1 << 10:
            out.append(record(3, 0, struct.pack("<II", 7, 7) + string(name) + trailer(kind, 7, len(out), 0)))
    return recording(1, 0, kind, b"".join(out) + sample(kind, 7, n, 0))


def same_cookies(n):
    """Samples whose call chains come later, by cookies of one place."""
    kind, out = IP | TID | TIME | CALLCHAIN, []
    for i in range(n):
        cookie = undo(
            i << 20,
            64,
            (">>", 31),
            ("*", 0x7FB5D329728EA185),
            (">>", 27),
            ("*", 0x81DADEF4BC2DD44D),
            (">>", 33),
        )
        body = struct.pack("<QIIQQQQ", 0x401000, 0, 0, i, 2, USER_DEFERRED, cookie)
        out.append(
            record(9, 2, body)
            + record(22, 2, struct.pack("<QQQ", cookie, 1, 0x401000) + trailer(kind, 0, i, 0))
        )
    return recording(1, 0, kind, b"".join(out), flags=SAMPLE_ID_ALL | DEFER_CALLCHAIN)


# ---- Pairs, for merge.


def build_ids(n):
    """BUILD_ID of n files, which the other recording does not have."""

    def one(letter):
        entries = (
            struct.pack("<IHHi20sI", 0, 2, 56, -1, struct.pack("<Q", i), 20)
            + f"/{letter}{i}".encode().ljust(20, b"\0")
            for i in range(n)
        )
        return recording(1, 0, IP | TID | TIME, sample(IP | TID | TIME, 7, 1, 0), [(2, b"".join(entries))])

    return one("a"), one("b")


def event_types(n):
    """Names of events by number, in the section of old files. The other recording has other numbers."""

    def one(first):
        whole = recording(1, 0, IP | TID | TIME, sample(IP | TID | TIME, 7, 1, 0))
        types = b"".join(struct.pack("<Q64s", first + i, f"event-{first + i}".encode()) for i in range(n))
        return whole[:56] + struct.pack("<QQ", len(whole), len(types)) + whole[72:] + types

    return one(0), one(n)


def half_named(n):
    """Groups of two of equal attrs, of which one recording names but the leaders, and the other names all,
    its leaders otherwise."""

    def one(name_of):
        config, kind, events = lambda i: 0, IP | TID | TIME | ID, max(2, n & ~1)
        return recording(
            events,
            1,
            kind,
            sample(kind, 7, 1, 1),
            [event_desc(events, name_of, config), group_desc(events // 2)],
            config=config,
        )

    return one(lambda i: None if i % 2 else f"a{i}"), one(lambda i: "x" if i % 2 else f"b{i}")


def waiting(n):
    """Samples, while what the other recording says of tasks waits for its first one."""

    def comm(tid, time):
        return record(3, 0, struct.pack("<II", tid, tid) + string("one") + trailer(kind, tid, time, 0))

    kind = IP | TID | TIME
    return (
        recording(1, 0, kind, b"".join(sample(kind, 7, 1 + 10 * i, 0) for i in range(n + 1))),
        recording(
            1,
            0,
            kind,
            comm(5, 2) + b"".join(comm(1000 + i, 0) for i in range(n)) + sample(kind, 9, 20 * n, 0),
        ),
    )


KINDS = {
    "attrs": attrs,
    "records": records,
    "threads": threads,
    "mappings": mappings,
    "ids": ids,
    "same-ids": same_ids,
    "same-tids": same_tids,
    "same-tasks": same_tasks,
    "same-names": same_names,
    "same-cookies": same_cookies,
    "build-ids": build_ids,
    "event-types": event_types,
    "half-named": half_named,
    "waiting": waiting,
    "chain": chain,
}
PAIRS = ("build-ids", "event-types", "half-named", "waiting")
USUAL_OF = {**dict.fromkeys(PAIRS, ("merge",)), "same-tasks": ("tasks",), "chain": ("split",)}


def arguments(directory, verb, name):
    other = name + "-other" if os.path.exists(os.path.join(directory, name + "-other")) else name
    return [{"IN": name, "OTHER": other, "OUT": "out"}.get(a, a) for a in VERBS[verb]]


def instructions(directory, verb, name):
    args = arguments(directory, verb, name)
    p = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", PERFDATA]
        + args,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    found = re.search(r"I\s+refs:\s+([\d,]+)", p.stderr)
    if p.returncode not in (0, 1) or not found:  # 1: no task has the name that filter is given
        sys.exit(f"FAILED: {verb} {name}: exit status {p.returncode}: {p.stderr[-500:]}")
    return int(found.group(1).replace(",", ""))


def is_same_twice(directory, verb, name):
    """Is the output the same whatever the keys of tables are?"""
    made = []
    for _ in range(2):
        args = arguments(directory, verb, name)
        p = subprocess.run([PERFDATA] + args, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True)
        out = b""
        if "OUT" in VERBS[verb]:
            with open(os.path.join(directory, "out"), "rb") as f:
                out = f.read()
        made.append((p.returncode, p.stdout, out))
    return made[0] == made[1]


def main():
    scale = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    chosen = sys.argv[2:]
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return 77
    with open(PERFDATA, "rb") as f:
        program = f.read()
    if (
        program[:4] != b"\x7fELF"
        or b"__asan_init" in program
        or b"__msan_init" in program
        or b"__ubsan" in program
    ):
        print("skipped: neither an emulator nor a sanitizer runs below valgrind")
        return 77
    directory = tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    failed, empty = 0, {}
    try:
        for number, (kind, make) in enumerate(KINDS.items()):
            one = USUAL if FULL else USUAL[number % len(USUAL) :][:1]
            if not set(chosen) <= set(VERBS) and kind not in chosen:
                continue
            sizes = (
                [SMALL[kind], 10 * SMALL[kind]]
                if scale == 1
                else [LARGEST[kind] * scale // by for by in (10000, 1000, 100)]
            )
            for name, n in [("empty", 1)] + [
                (f"{kind}-{n}", n) for n in {n // by for n in sizes for by in (1, 10)}
            ]:
                for end, content in (
                    zip(("", "-other"), make(n) if kind in PAIRS else (make(n),)) if n else ()
                ):
                    with open(os.path.join(directory, name + end), "wb") as f:
                        f.write(content)
            for verb in VERBS:
                usual = USUAL_OF.get(kind, ("filter",) if kind.startswith("same-") else one)
                if (set(chosen) & set(VERBS) and verb not in chosen) or (
                    scale == 1 and not chosen and verb not in usual
                ):
                    continue
                mine = [n // 10 for n in sizes if n > 10] if verb in FEW and scale > 1 else sizes
                if verb not in empty or kind in PAIRS:  # next to the same of all kinds
                    empty[verb] = instructions(directory, verb, "empty")
                least = empty[verb]
                took = [instructions(directory, verb, f"{kind}-{n}") for n in mine]
                ratios = [(b - least) / max(a - least, least // 5) for a, b in zip(took, took[1:])]
                bad = any(r >= LIMIT for r in ratios)
                if kind.startswith("same-") and not is_same_twice(directory, verb, f"{kind}-{mine[-1]}"):
                    bad = True
                    print("another output the second time:")
                failed += bad
                print(
                    f"{'FAILED: ' if bad else ''}{verb:8} {kind:9}",
                    " ".join(f"{n}: {t / 1e6:.1f}M" for n, t in zip(mine, took)),
                    "ratios",
                    " ".join(f"{r:.1f}" for r in ratios),
                    flush=True,
                )
            for name in os.listdir(directory):
                os.unlink(os.path.join(directory, name))
    finally:
        shutil.rmtree(directory)
    return 1 if failed else 0


sys.exit(main())
