"""Small perf.data files made by hand, in either byte order, from the layouts of the format's documentation.

Nothing here comes from the project's schema: numbers are packed with the struct module, bit fields are placed
bit by bit. make() returns the bytes of a file. Files of the same arguments but another byte order hold the
same values.

Not executable, so that it is not a test itself.
"""

import random
import struct

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU = (1 << bit for bit in range(8))
PERIOD, STREAM_ID, RAW, BRANCH_STACK, REGS_USER, STACK_USER, WEIGHT, DATA_SRC = (
    1 << bit for bit in range(8, 16)
)
IDENTIFIER, TRANSACTION, REGS_INTR, PHYS_ADDR, AUX, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE, WEIGHT_STRUCT = (
    1 << bit for bit in range(16, 25)
)
ENABLED, RUNNING, READ_ID, GROUP, LOST = 1, 2, 4, 8, 16
HW_INDEX, BRANCH_ANY, COUNTERS = 1 << 17, 1 << 3, 1 << 19

# Logical bit and width of the attr flags used here.
ATTR_FLAGS = {
    "disabled": (0, 1),
    "inherit": (1, 1),
    "mmap": (8, 1),
    "comm": (9, 1),
    "freq": (10, 1),
    "task": (13, 1),
    "precise_ip": (15, 2),
    "sample_id_all": (18, 1),
    "exclude_guest": (20, 1),
    "mmap2": (23, 1),
    "comm_exec": (24, 1),
    "use_clockid": (25, 1),
    "context_switch": (26, 1),
    "ksymbol": (29, 1),
    "build_id": (34, 1),
}
BRANCH_FLAGS = {
    "mispred": (0, 1),
    "predicted": (1, 1),
    "in_tx": (2, 1),
    "abort": (3, 1),
    "cycles": (4, 16),
    "type": (20, 4),
    "spec": (24, 2),
    "new_type": (26, 4),
    "priv": (30, 3),
}


class Writer:
    def __init__(self, order, word=8):
        self.order, self.word = order, word

    def u(self, kinds, *values):
        """Numbers one after the other without padding: kinds of the struct module."""
        return struct.pack(self.order + kinds, *values)

    def u64(self, *values):
        return self.u("Q" * len(values), *values)

    def bits(self, layout, width, values):
        """A C bit field: big-endian machines count from the top of the word."""
        word = 0
        for name, value in values.items():
            low, size = layout[name]
            assert value >> size == 0
            word |= value << (low if self.order == "<" else width - low - size)
        return word

    def record(self, kind, misc, *parts):
        body = b"".join(parts)
        return self.u("IHH", kind, misc, 8 + len(body)) + body

    def text(self, text, tail=b""):
        """A NUL-terminated string padded to 8, with `tail` as left-overs behind the NUL."""
        raw = text.encode() + b"\0" + tail
        return raw + bytes(-len(raw) % 8)

    def attr(
        self,
        size=128,
        kind=1,
        config=0,
        period=1000,
        sample_type=0,
        read_format=0,
        flags=None,
        wakeup=1,
        bp_type=0,
        config1=0,
        config2=0,
        branch=0,
        user=0,
        stack=0,
        clockid=0,
        intr=0,
        aux_watermark=0,
        max_stack=0,
        aux_size=0,
        sig=0,
        config3=0,
        config4=0,
        aux_action=None,
    ):
        raw = self.u(
            "IIQQQQQIIQQQQIiQIHHIIQQQ",
            kind,
            size,
            config,
            period,
            sample_type,
            read_format,
            self.bits(ATTR_FLAGS, 64, flags or {}),
            wakeup,
            bp_type,
            config1,
            config2,
            branch,
            user,
            stack,
            clockid,
            intr,
            aux_watermark,
            max_stack,
            0,
            aux_size,
            self.bits(
                {"aux_start_paused": (0, 1), "aux_pause": (1, 1), "aux_resume": (2, 1)}, 32, aux_action or {}
            ),
            sig,
            config3,
            config4,
        )
        assert len(raw) == 144
        return raw[:size] + bytes(range(1, 1 + max(0, size - 144)))

    def str64(self, text):
        raw = text.encode() + b"\0"
        raw += bytes(-len(raw) % 64)
        return self.u("I", len(raw)) + raw

    def bitmap(self, features):
        words = [0] * (32 // self.word)
        for feature in features:
            words[feature // (8 * self.word)] |= 1 << feature % (8 * self.word)
        return self.u(("Q" if self.word == 8 else "I") * len(words), *words)

    def file(self, attrs, records, features):
        """attrs: (raw, ids); features: {bit: payload}. The ids come first, then attrs, data, features, as
        perf has it."""
        out, at, entries = b"", 104, b""
        for raw, ids in attrs:
            entries += raw + self.u64(at + len(out), 8 * len(ids))
            out += self.u64(*ids)
        attrs_at = at + len(out)
        out += entries
        data_at, data = at + len(out), b"".join(records)
        out += data
        feature_at = at + len(out) + 16 * len(features)
        table, sections = b"", b""
        for _, payload in sorted(features.items()):
            table += self.u64(feature_at + len(sections), len(payload))
            sections += payload
        magic = b"PERFILE2" if self.order == "<" else b"2ELIFREP"
        header = magic + self.u64(
            104, len(attrs[0][0]) + 16, attrs_at, len(entries), data_at, len(data), 0, 0
        )
        return header + self.bitmap(features) + out + table + sections

    def pipe(self, attrs, records, features):
        magic = b"PERFILE2" if self.order == "<" else b"2ELIFREP"
        parts = [self.record(64, 0, raw, self.u64(*ids)) for raw, ids in attrs]
        parts += [self.record(80, 0, self.u64(bit), payload) for bit, payload in sorted(features.items())]
        return magic + self.u64(16) + b"".join(parts) + b"".join(records)


def signed(value):
    return value & U64


U64 = (1 << 64) - 1


RICH = (
    IDENTIFIER
    | IP
    | TID
    | TIME
    | ADDR
    | ID
    | STREAM_ID
    | CPU
    | PERIOD
    | READ
    | CALLCHAIN
    | RAW
    | BRANCH_STACK
    | REGS_USER
    | STACK_USER
    | WEIGHT_STRUCT
    | DATA_SRC
    | TRANSACTION
    | REGS_INTR
    | PHYS_ADDR
    | CGROUP
    | DATA_PAGE_SIZE
    | CODE_PAGE_SIZE
    | AUX
)
PLAIN = IDENTIFIER | IP | TID | TIME | CPU | PERIOD
SINGLE = IDENTIFIER | IP | TID | TIME | CPU | PERIOD | READ | BRANCH_STACK | REGS_USER | STACK_USER | WEIGHT
TINY = IDENTIFIER | TIME
USER_REGS, INTR_REGS = 0x1C0, 0x1FF


def trailer(w, sample_type, pid, tid, time, event, stream, cpu):
    parts = b""
    if sample_type & TID:
        parts += w.u("II", pid, tid)
    if sample_type & TIME:
        parts += w.u64(time)
    if sample_type & ID:
        parts += w.u64(event)
    if sample_type & STREAM_ID:
        parts += w.u64(stream)
    if sample_type & CPU:
        parts += w.u("II", cpu, 0)
    if sample_type & IDENTIFIER:
        parts += w.u64(event)
    return parts


def branches(w, nr, hw_idx, counters=False):
    words = [w.u64(nr)]
    if hw_idx is not None:
        words.append(w.u64(hw_idx))
    for i in range(nr):
        words.append(w.u64(0x401000 + 16 * i, 0x402000 + 16 * i))
        words.append(
            w.u64(
                w.bits(
                    BRANCH_FLAGS,
                    64,
                    {
                        "mispred": i & 1,
                        "predicted": ~i & 1,
                        "in_tx": i == 2,
                        "abort": i == 3,
                        "cycles": 0x1234 + i,
                        "type": (1 + i) % 16,
                        "spec": i % 4,
                        "new_type": 5 if i == 14 else 0,
                        "priv": 1 + i % 3,
                    },
                )
            )
        )
    if counters:
        words += [w.u64(0x0102030405060708 + i) for i in range(nr)]
    return b"".join(words)


def rich_sample(w, i, event, for_perf):
    """All fields at once, in the kernel's order. perf expects hw_idx even behind nr 0, where the kernel has
    none."""
    raw = bytes([i]) * (8 * (i % 3) + 4)
    stack = bytes(range(8 * (i % 4)))
    regs = [signed(0x7F00_0000_0000 + 100 * i + n) for n in range(USER_REGS.bit_count())]
    intr = [signed(-4096 + 100 * i + n) for n in range(INTR_REGS.bit_count())]
    chain = [signed(-128), 0xFFFFFFFF81000000 + i, signed(-512), 0x401000 + i, 0x402000 + i][: 2 + i % 4]
    parts = [
        w.u64(event, 0x401000 + i),
        w.u("II", 100 + i, 200 + i),
        w.u64(1_000_000_000 + 1000 * i),
        w.u64(0x7FFF_0000_1000 + i, event, event + 1000),
        w.u("II", i % 2, 0),
        w.u64(7 + i),
    ]
    # READ: a group of two with times, id and lost
    parts += [w.u64(2, 5_000_000 + i, 4_000_000 + i, 11 + i, 10, i, 22 + i, 20, 2 * i)]
    parts += [
        w.u64(len(chain), *chain),
        w.u("I", len(raw)),
        raw,
        branches(w, i % 4, signed(-1) if i % 4 or for_perf else None),
    ]
    parts += [w.u64(2, *regs) if i % 5 else w.u64(0)]
    parts += [w.u64(len(stack)), stack, w.u64(len(stack) - i % 3) if stack else b""]
    # WEIGHT_STRUCT is defined so that a plain swap is right, and so is DATA_SRC
    parts += [
        w.u64(0x1111 + i | 0x2222 << 32 | 0x3333 << 48),
        w.u64(0x1E05080021 + i),
        w.u64(1 << i % 8 | 0xABCD << 32),
    ]
    parts += [
        w.u64(2 if i % 2 else 1, *intr),
        w.u64(0x123456000 + i),
        w.u64(77 + i),
        w.u64(4096),
        w.u64(2 << 20),
    ]
    aux = bytes(range(100, 100 + 8 * (i % 3)))
    parts += [w.u64(len(aux)), aux]
    return w.record(9, 0x4002 if i % 2 else 1, *parts)


def plain_sample(w, i, event):
    return w.record(
        9,
        2,
        w.u64(event, 0x401100 + i),
        w.u("II", 300 + i, 300 + i),
        w.u64(2_000_000_000 + 1000 * i),
        w.u("II", i % 2, 0),
        w.u64(1 + i),
    )


def single_sample(w, i, event):
    """READ of the single form; branches without HW_INDEX; no user registers, no stack every other time."""
    parts = [
        w.u64(event, 0x401200 + i),
        w.u("II", 400 + i, 401 + i),
        w.u64(3_000_000_000 + 1000 * i),
        w.u("II", i % 2, 0),
        w.u64(5),
        w.u64(99 + i, 1000 + i, 900 + i, event, i),
        branches(w, 16 if i == 0 else i, None),
    ]
    if i % 2:
        parts += [w.u64(0), w.u64(0)]
    else:
        parts += [w.u64(2, 1, 2, 3), w.u64(16), b"0123456789abcdef", w.u64(9)]
    return w.record(9, 2, *parts, w.u64(0x123456789 + i))


def side_band(w, sample_type, event, time):
    """A record of each kernel type, each with a trailer of its own time."""
    for n, (kind, misc, body) in enumerate(
        (
            (1, 0x2002, w.u("II", 100, 101) + w.u64(0x400000, 0x2000, 0x1000) + w.text("/bin/tool x")),
            (
                10,
                2,
                w.u("II", 100, 101)
                + w.u64(0x500000, 0x3000, 0x2000)
                + w.u("II", 8, 0x11)
                + w.u64(123456, 7)
                + w.u("II", 5, 2)
                + w.text("/lib/libone.so", b"left-over"),
            ),
            (
                10,
                0x4002,
                w.u("II", 100, 101)
                + w.u64(0x600000, 0x4000, 0x3000)
                + w.u("BBH", 20, 0, 0)
                + bytes(range(1, 21))
                + w.u("II", 3, 1)
                + w.text("/lib/libtwo.so"),
            ),
            (2, 0, w.u64(10, 345)),
            (3, 0x2000, w.u("II", 100, 100) + w.text("tool")),
            (3, 0, w.u("II", 100, 101) + w.text("worker b")),
            (7, 0, w.u("IIII", 500, 100, 501, 101) + w.u64(time + 6)),
            (4, 0, w.u("IIII", 500, 100, 501, 101) + w.u64(time + 7)),
            (5, 0, w.u64(time + 8, 10, 1010)),
            (6, 0, w.u64(time + 9, 10, 1010)),
            (11, 0, w.u64(0x10000, 0x2000, 0x103)),
            (12, 0, w.u("II", 100, 101)),
            (13, 0, w.u64(17)),
            (14, 0x6000, b""),
            (15, 0x2000, w.u("II", 600, 601)),
            (
                16,
                0,
                w.u("II", 100, 100) + w.u64(7, *[word for k in range(7) for word in (4, 0xF0000000 + k)]),
            ),
            (17, 0, w.u64(0xFFFFFFFFC0001000) + w.u("IHH", 0x40, 1, 1) + w.text("bpf_prog_abc")),
            (18, 0, w.u("HHI", 1, 0, 55) + bytes(range(8))),
            (19, 0, w.u64(4242) + w.text("/system.slice")),
            (20, 1, w.u64(0xFFFFFFFF81000100) + w.u("HH", 5, 3) + bytes(range(8)) + bytes(4)),
            (21, 0, w.u64(0x1122334455)),
            (22, 2, w.u64(0xC0FFEE, 2, 0x401000, 0x402000)),
        )
    ):
        yield w.record(
            kind, misc, body, trailer(w, sample_type, 100, 101, time + n, event, event + 1000, n % 2)
        )


NEWER = (22,)  # types at which perf 6.1 stops


NAMES = ["cpu-clock", "instructions", "dummy", "raw 0x1a2b"]


def make(order, word=8, pipe=False, size=128, for_perf=False):
    """
    A file with four events of different sample_type, and every kernel record under each of them. for_perf:
    without records that perf cannot read.
    """
    w = Writer(order, word)
    common = {
        "sample_id_all": 1,
        "mmap": 1,
        "comm": 1,
        "task": 1,
        "mmap2": 1,
        "comm_exec": 1,
        "exclude_guest": 1,
    }
    attrs = [
        (
            w.attr(
                size, sample_type=PLAIN, read_format=READ_ID, flags=dict(common, freq=1), clockid=1, config=0
            ),
            [30, 31],
        ),
        (
            w.attr(
                size,
                kind=0,
                config=1,
                sample_type=SINGLE,
                read_format=ENABLED | RUNNING | READ_ID | LOST,
                flags={"sample_id_all": 1},
                branch=BRANCH_ANY,
                user=USER_REGS,
                stack=16,
                bp_type=3,
                config1=0x1122334455,
                config2=0x66778899,
                aux_watermark=0x01020304,
                max_stack=127,
                aux_size=0x1234,
            ),
            [40],
        ),
        (
            w.attr(
                size,
                kind=1,
                config=9,
                sample_type=TINY,
                read_format=READ_ID,
                flags={"sample_id_all": 1, "precise_ip": 2},
                sig=0xABCDEF0123456789,
                config3=3,
                config4=4,
                clockid=11,
                aux_action={"aux_pause": 1} if size > 128 else {},
            ),
            [50],
        ),
    ]
    attrs.append(
        (
            w.attr(
                size,
                kind=4,
                config=0x1A2B,
                sample_type=RICH,
                read_format=ENABLED | RUNNING | READ_ID | GROUP | LOST,
                flags={"sample_id_all": 1},
                branch=BRANCH_ANY | HW_INDEX,
                user=USER_REGS,
                stack=32,
                intr=INTR_REGS,
                aux_size=16,
            ),
            [10, 20],
        )
    )
    records = []
    for n, (sample_type, event) in enumerate(((PLAIN, 30), (SINGLE, 40), (TINY, 50), (RICH, 10))):
        for record in side_band(w, sample_type, event, 500_000_000 + 1000 * n):
            if not for_perf or struct.unpack(order + "I", record[:4])[0] not in NEWER:
                records.append(record)
    records.append(
        w.record(
            8,
            0,
            w.u("II", 400, 401),
            w.u64(77, 66, 55, 40, 3),
            trailer(w, SINGLE, 400, 401, 510_000_000, 40, 0, 1),
        )
    )
    records.append(
        w.record(
            8,
            0,
            w.u("II", 400, 402),
            w.u64(2, 66, 55, 1, 10, 3, 2, 20, 4),
            trailer(w, RICH, 400, 402, 510_000_001, 10, 1010, 1),
        )
    )
    records += [rich_sample(w, i, 10 + 10 * (i % 2), for_perf) for i in range(12)]
    records += [plain_sample(w, i, 30 + i % 2) for i in range(6)]
    records += [single_sample(w, i, 40) for i in range(5)]
    records += [w.record(9, 2, w.u64(50, 4_000_000_000 + i)) for i in range(3)]
    records.append(w.record(68, 0))
    records.append(w.record(82, 0))
    features = {3: w.str64("example"), 5: w.str64("6.1"), 6: w.str64("x86_64"), 7: w.u("II", 2, 2)}
    if pipe and for_perf:  # perf does not swap it in a pipe
        del features[7]
    return (w.pipe if pipe else w.file)(attrs, records, features)


def make_counters(order):
    """Branch counters (bit 19 of branch_sample_type, attr of 136 bytes), found by the record's size alone."""
    w = Writer(order)
    sample_type = IDENTIFIER | IP | TID | TIME | BRANCH_STACK | WEIGHT
    attrs = [
        (
            w.attr(
                136,
                kind=4,
                config=0xC4,
                sample_type=sample_type,
                read_format=READ_ID,
                flags={"sample_id_all": 1},
                branch=BRANCH_ANY | HW_INDEX | COUNTERS,
            ),
            [60],
        )
    ]
    records = [
        w.record(
            9,
            2,
            w.u64(60, 0x401000 + i),
            w.u("II", 7, 7),
            w.u64(1000 + i),
            branches(w, i, signed(-1) if i else None, counters=True),
            w.u64(8 + i),
        )
        for i in range(5)
    ]
    return w.file(attrs, records, {3: w.str64("example"), 6: w.str64("x86_64"), 7: w.u("II", 2, 2)})


# ----------------------------------------------------------------------------------------------------
# Every record of perf itself and of simpleperf, and every feature, in all their forms, with random values
# ----------------------------------------------------------------------------------------------------


class Random:
    """Random values; the same ones for every byte order."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def below(self, limit):
        return self.random.randrange(limit)

    def u(self, width):
        """A random number of so many bytes, often a small or a large one."""
        top = 1 << 8 * width
        return self.random.choice([self.below(top), self.below(100), top - 1, 1 << self.below(8 * width)])

    def raw(self, count):
        return bytes(self.below(256) for _ in range(count))

    def text(self, most=40):
        """A text without NUL; now and then one that is no UTF-8."""
        letters = [b"a", b"Z", b"0", b"/", b"-", b" ", b"\"", b"\\", b"\xc3\xbc", b"\t", b"_"] + [b"\xff"] * (
            self.below(8) == 0
        )
        text = b"".join(self.random.choice(letters) for _ in range(self.below(most + 1)))
        return text[:most]


class ToolWriter(Writer):
    """A writer with a random value for every field."""

    def __init__(self, order, seed):
        super().__init__(order)
        self.r = Random(seed)

    def some(self, kinds):
        """Random numbers of these kinds of the struct module."""
        return self.u(kinds, *[self.r.u(struct.calcsize("=" + kind)) for kind in kinds])

    def slot(self, text, step):
        """NUL-terminated, padded to a multiple of step."""
        raw = text + b"\0"
        return raw + bytes(-len(raw) % step)

    def fixed(self, text, size):
        """A string in a slot of so many bytes; it may fill it."""
        return text[:size] + bytes(size - len(text[:size]))

    def string(self, text=None, form=None):
        """perf's feature string: padded to 64, to 8, not at all, without NUL, or empty."""
        text = self.r.text() if text is None else text
        form = self.r.below(8) if form is None else form
        if form == 5:
            raw = self.slot(text, 8)
        elif form == 6:
            raw = text  # without NUL
        elif form == 7:
            raw = self.slot(text, 64)[:-1] + b"x" if len(text) % 64 < 62 else text
        else:
            raw = self.slot(text, 64)
        return self.u("I", len(raw)) + raw

    def cpu_set(self, form):
        """What CPU_MAP and EVENT_UPDATE have from `type` on."""
        r = self.r
        if form == "any":
            return self.u("HHH", 0, 1, 0xFFFF)
        if form == "cpus":
            nr = r.below(6)
            return self.u("HH", 0, nr) + self.some("H" * nr)
        if form == "mask4":
            nr = r.below(4)
            return self.u("HHH", 1, nr, 4) + self.some("I" * nr)
        if form == "mask8":
            nr = r.below(4)
            return self.u("HHH", 1, nr, 8) + bytes(4) + self.some("Q" * nr)
        if form == "range":
            return self.u("HBBHH", 2, r.below(2), 0, r.u(2), r.u(2))
        return self.u("H", 7) + r.raw(6)

    def build_id_record(self, kind, misc, step, pid=True, left_over=False):
        r = self.r
        body = self.u("I", r.u(4)) if pid else b""
        body += r.raw(20)
        body += self.u("BBH", 20, 0, 0) if misc & 0x8000 else r.raw(4) if left_over else bytes(4)
        return self.record(kind, misc, body, self.slot(r.text(), step))


CPU_SETS = ["any", "cpus", "mask4", "mask8", "range", "other"]
TOOL_TRAILER = IDENTIFIER | TID | TIME | CPU


def tool_trailer(w):
    r = w.r
    return w.u("IIQIIQ", r.u(4), r.u(4), r.u(8), r.below(8), 0, 30)


def aux_info(w):
    """AUXTRACE_INFO: every kind in every form."""
    r = w.r
    for count in range(9, 17):  # 11 to 13 are between two forms
        yield 1, w.some("Q" * count)
    for more in (0, 1, 3):
        yield 1, w.some("Q" * 16) + w.u64(0) + w.some("Q" * more)
    for text in (b"filter 0x400000/0x1000", b"1234567", b"12345678"):
        for more in (0, 1, 2):
            yield 1, w.some("Q" * 16) + w.u64(len(text)) + w.slot(text, 8) + w.some("Q" * more)
    yield 2, w.some("Q" * 6)
    yield 2, w.some("Q" * 8)
    v3, v4, ete = 0x3030303030303030, 0x4040404040404040, 0x5050505050505050
    for magic, count in ((v3, 4), (v4, 7)):
        for cpus in (0, 1, 3):
            yield 3, w.u64(0, r.u(4) << 32 | cpus) + w.some("Q") + b"".join(
                w.u64(magic, cpu) + w.some("Q" * count) for cpu in range(cpus)
            )
    for version in (1, 2):
        for magic, count in ((v3, 4), (v4, 7), (v4, 8), (ete, 8), (ete, 9)):
            cpus = r.below(4)
            yield 3, w.u64(version, r.u(4) << 32 | cpus) + w.some("Q") + b"".join(
                w.u64(magic, cpu, count) + w.some("Q" * count) for cpu in range(cpus)
            )
    # Other numbers of parameters than today's, and words behind the last cpu.
    for count in (0, 3, 12):
        yield 3, w.u64(1, r.u(4) << 32 | 2, 0) + b"".join(
            w.u64(v4, cpu, count) + w.some("Q" * count) for cpu in range(2)
        )
    yield 3, w.u64(0, 1, 0, v3, 0) + w.some("QQQQ") + w.u64(v3, 1)
    yield 3, w.u64(1, 1, 0, ete, 7, 2) + w.some("QQQQQ")
    yield 4, w.some("QQ")
    for count in (0, 3, 4, 9):
        cpus = r.below(4)
        yield 4, w.u64(2, 4, r.u(8), cpus) + b"".join(
            w.u64(0x1010101010101010, cpu, count) + w.some("Q" * count) for cpu in range(cpus)
        )
    yield 5, b""
    yield 5, w.some("QQQ")
    yield 6, w.some("Q")
    yield 4, w.u64(2, 4, 8, 1, 0x1010101010101010, 0, 1) + w.some("QQQ")
    yield 4, w.u64(3, 6, 8, 1) + w.some("QQ") + w.u64(0x1010101010101010, 0, 1) + w.some("Q")
    yield 7, w.some("Q")
    yield 7, w.some("QQ")
    yield 0, w.some("Q")
    yield 0, w.some("Q") + r.raw(3)
    yield 99, w.some("QQQQQ")


def short_aux_info(w):
    """AUXTRACE_INFO without some required words."""
    yield 1, w.some("Q" * 8)
    yield 1, w.some("Q" * 16) + w.u64(100) + w.some("Q")
    yield 2, w.some("Q" * 5)
    yield 3, w.u64(1, 0)
    yield 3, w.u64(1, 2, 0, 0x4040404040404040, 0, 1, 5)
    yield 3, w.u64(0, 1, 0, 0x4040404040404040, 0, 1, 2, 3, 4, 5, 6)
    yield 3, w.u64(1, 1, 0, 0x4040404040404040, 0, 9, 1, 2, 3)
    yield 4, w.u64(1)
    yield 4, w.u64(1, 2, 3)
    yield 4, w.u64(2, 4, 8, 1, 0x1010101010101010, 0)
    yield 4, w.u64(2, 4, 8, 1, 0x1010101010101010, 0, 4, 5)
    yield 6, b""
    yield 7, b"1234567"


def tool_records(w, simpleperf=True):
    """One after another every record of type 65 and up that is not compressed, in each form."""
    r = w.r
    for text in (b"cycles", b"12345678", b"instructions:u"):
        yield w.record(65, 0, w.some("Q"), w.slot(text, 8)[: -(-len(text) // 8) * 8])
    for size in (0, 3, 64, 70):  # more than 64 bytes are not a name
        yield w.record(65, 0, w.some("Q"), b"n" * size)
    for misc, step, left_over in (
        (1, 64, False),
        (2, 64, True),
        (0x8001, 8, False),
        (0x8002, 8, False),
        (4, 64, False),
        (0x8005, 8, False),
    ):
        record = w.build_id_record(67, misc, step, left_over=left_over)
        yield record if len(record) % 8 else w.record(67, misc, record[8:] + bytes(4))
    for misc in (0x8001, 0x8002):
        body = w.build_id_record(67, misc, 8)[8:]
        yield w.record(67, misc, body + bytes(-len(body) % 8), tool_trailer(w))
    yield w.record(68, 0)
    for nr in (0, 1, 3):
        yield w.record(69, 0, w.u64(nr), w.some("QQQQ" * nr))
        if nr:
            yield w.record(69, 0, w.u64(nr), w.some("QQQQ" * nr), w.some("QQ" * nr))
    for kind, words in aux_info(w):
        yield w.record(70, 0, w.u("II", kind, 0), words)
    for size in (0, 8, 64):
        yield w.record(71, 0, w.u64(size), w.some("QQIII"), w.u("I", 0)) + r.raw(size)
    for text in (b"", b"short", b"overflow packet at 0x400000"):
        yield w.record(72, 0, w.u("I", 1), w.some("IIII"), w.u("I", 0), w.some("Q"), w.slot(text, 8))
        for fmt in (1, 2):
            yield w.record(72, 0, w.u("I", 1), w.some("IIII"), w.u("I", fmt), w.some("QQ"), w.slot(text, 8))
        yield w.record(
            72, 0, w.u("I", 1), w.some("IIII"), w.u("I", 2), w.some("QQ"), w.fixed(text, 64), w.some("II")
        )
    yield w.record(72, 0, w.u("I", 7), w.some("IIII"), w.u("I", 2), w.some("QQ"), b"x" * 64, w.some("II"))
    for size in (0, 5, 63, 64, 68, 71, 72, 80):  # the text may end with the record
        yield w.record(
            72,
            0,
            w.u("I", 1),
            w.some("IIII"),
            w.u("I", 2),
            w.some("QQ"),
            b"lost the rest"[:size],
            b"\0" * max(0, min(size, 64) - 13),
            w.u("I", 0x0500_0005) * (max(0, size - 64) // 4),
            b"z" * (size % 4),
        )
    for nr in (0, 1, 3):
        yield w.record(73, 0, w.u64(nr), *[w.some("Q") + w.fixed(r.text(16), 16) for _ in range(nr)])
    yield w.record(73, 0, w.u64(1, U64), b"0123456789abcdef")
    for form in CPU_SETS:
        for _ in range(2):
            body = w.cpu_set(form)
            yield w.record(74, 0, body, bytes(-len(body) % 8))
    # One word more than nr says, which is not a field: it is the same in both byte orders.
    yield w.record(74, 0, w.u("HHH", 1, 1, 4), w.some("I"), w.u("I", 0x5000_0050))
    yield w.record(74, 0, w.u("HHHH", 0, 2, 0, 1), bytes(4))  # 4.16: 20 bytes
    yield w.record(75, 0, w.u64(5, 0, r.below(10), 1, r.u(8), 2, 1, 3, r.u(8), 9, r.u(8)))
    yield w.record(75, 0, w.u64(0))
    for _ in range(3):
        yield w.record(76, 0, w.some("QIIQQQ"))
        yield w.record(77, 0, w.u64(r.below(3)), w.some("Q"))
    for kind in (0, 2):
        for text in (b"", b"msec", b"12345678", b"cpu-clock"):
            yield w.record(78, 0, w.u64(kind), w.some("Q"), w.slot(text, 8))
            yield w.record(78, 0, w.u64(kind), w.some("Q"), w.slot(text, 8), bytes(16))
    for scale in (0.0, 1e-6, -1.5, 2.0**80, 1 / 3):
        bits = struct.unpack("<Q", struct.pack("<d", scale))[0]
        yield w.record(78, 0, w.u64(1), w.some("Q"), w.u64(bits), bytes(r.below(3) * 8))
    for form in CPU_SETS:
        body = w.cpu_set(form)
        yield w.record(78, 0, w.u64(3), w.some("Q"), body, bytes(-len(body) % 8))
    yield w.record(78, 0, w.u64(9), w.some("Q"), r.raw(8))
    yield w.record(79, 0, w.some("QQQ"))
    yield w.record(79, 0, w.some("QQQQQ"), r.raw(2), bytes(6))
    yield w.record(82, 0)
    for nr in (0, 1, 2):
        yield w.record(
            84,
            0,
            w.fixed(r.text(), 512),
            w.u64(nr),
            *[w.fixed(r.text(), 64) + w.fixed(r.text(90), 256) for _ in range(nr)],
            tool_trailer(w),
        )
    for version in (15, 16, 17):
        yield w.record(85, 0, w.some("QI"), w.u("HH", version, 0), w.some("IIIIIIQQQ"))
        counters = 45 if version == 17 else 36
        yield w.record(
            86,
            0,
            w.some("QI"),
            w.u("HH", version, r.below(8)),
            w.some("I" * counters),
            bytes(208 - 24 - 4 * counters),
        )
    yield w.record(86, 0, w.some("QI"), w.u("HH", 14, 1), r.raw(184))
    if simpleperf:
        yield from simpleperf_records(w)
    yield w.record(200, 0, r.raw(24))


def simpleperf_records(w):
    r = w.r
    for size in (0, 5, 8, 20):
        text = b"ffffffff81000000 T _text\n" * 2
        yield w.record(32769, 0, w.u("I", size), text[:size], bytes(-size % 8))
        yield w.record(32777, 0, w.u("I", size), text[:size], bytes(-size % 64))
    for kind in range(6):  # old writers have no min_vaddr: bytes that could be text are the name
        low = r.random.choice((0, 1, 0x1F, 0x7F, 0x80, 0xFF))
        yield w.record(32770, 0, w.u64(kind, r.u(8), r.u(8) >> 8 << 8 | low), w.slot(r.text(), 8))
    for name in (
        b"",
        b"[vdso]",
        b"1234567",
        b"12345678",
        b" bcdefg~",
        b"~bcdefg hijk",
        b"[kernel.kallsyms]",
        b"/data/local/tmp/lib.so",
    ):
        yield w.record(32770, 0, w.u64(r.below(6), r.u(8)), w.slot(name, 8))
    yield w.record(32771, 0, w.some("QQQ"), w.slot(r.text(), 8))
    for nr in (0, 1, 3):
        yield w.record(32774, 0, w.u64(nr), w.some("QQ" * nr))
        yield w.record(32775, 0, w.some("II"), w.u64(r.below(5)), w.some("Q"), w.u64(nr), w.some("QQ" * nr))
    result = w.some("QQQQQQ")
    for more in (
        b"",
        w.u64(2, 0x105) + w.some("QQQ") + w.u64(0),
        w.u64(0, 0x3) + w.some("QQ") + w.u64(16) + r.raw(16) + w.some("Q"),
        w.u64(1, 0) + w.u64(0) + w.u64(2) + w.some("QQQQ"),
        w.u64(2, 1) + w.some("Q") + w.u64(8) + r.raw(8) + w.u64(8) + w.u64(1) + w.some("QQ"),
    ):
        yield w.record(32776, 0, result, more)
    yield w.record(32778, 0, w.some("Q"), w.slot(r.text(), 8))
    # One of 70,000 bytes, in pieces: its own header has the size in two halves.
    whole = (
        w.u("IHH", 32777, (12 + 70016) >> 16, (12 + 70016) & 0xFFFF)
        + w.u("I", 70000)
        + bytes(range(250)) * 280
        + bytes(16)
    )
    for at in range(0, len(whole), 65527):
        yield w.record(32772, 0, whole[at : at + 65527])
    yield w.record(32773, 0)


OLD_TRACING = ("0.5", "0.10", "0.59", "0.0")


def tracing_blob(r, version, big, long_size):
    """Tracing data of 5.9; its numbers have their own byte order."""
    newer = version not in OLD_TRACING
    w = Writer(">" if big else "<")
    text = lambda: r.text(30)
    sized = lambda raw, kind="Q": w.u(kind, len(raw)) + raw
    parts = [
        b"\x17\x08\x44tracing",
        version.encode() + b"\0",
        w.u("BBI", big, long_size, 4096),
        b"header_page\0",
        sized(text()),
        b"header_event\0",
        sized(text()),
    ]
    ftrace = r.below(3)
    parts += [w.u("I", ftrace)] + [sized(text()) for _ in range(ftrace)]
    systems = r.below(4)
    parts.append(w.u("I", systems))
    for i in range(systems):
        events = r.below(3)
        parts += [b"system%d\0" % i, w.u("I", events)] + [sized(text()) for _ in range(events)]
    parts += [sized(text(), "I"), sized(text(), "I")]
    if newer:
        parts.append(sized(text()))
    return b"".join(parts)


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def proto(*fields):
    """A protobuf message of (number, value): an integer, or bytes."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


BPF_INFO_SIZES = (0, 3, 8, 30, 48, 74, 86, 104, 139, 192, 208, 218, 230, 232, 248)


def bpf_info(w, length, data):
    """bpf_prog_info of 5.8, and the data its offsets point into, as far as `length` has them."""
    r = w.r
    raw = (
        w.some("II")
        + r.raw(8)
        + w.u("IIQQ", 24, 16, 0, 24)
        + w.some("QI")
        + w.u("IQ", 2, 40)
        + w.fixed(r.text(15), 16)
    )
    raw += (
        w.some("I")
        + w.u("I", w.bits({"gpl_compatible": (0, 1)}, 32, {"gpl_compatible": r.below(2)}))
        + w.some("QQ")
    )
    raw += (
        w.u("IIQQ", 2, 2, 48, 64)
        + w.some("I")
        + w.u("IQII", 8, 72, 1, 1)
        + w.u("QQIIII", 80, 96, 2, 16, 8, 1)
    )
    raw += w.u("Q", 112) + w.some("QQQIII") + w.u("I", 0)
    assert len(raw) == 232
    return (raw + r.raw(16))[:length]


def feature_forms(w, cpus=4):
    """(bit, payload) of every feature in all forms; NRCPUS says `cpus`."""
    r = w.r
    listed = lambda count, make: w.u("I", count) + b"".join(make() for _ in range(count))
    for version, big, long_size in (
        ("0.5", 0, 8),
        ("0.5", 1, 4),
        ("0.6", 0, 8),
        ("0.6", 1, 8),
        ("0.7", 0, 4),
        ("0.10", 0, 8),
        ("0.59", 0, 8),
        ("0.60", 1, 8),
        ("1.0", 0, 8),
        ("0.65", 1, 4),
    ):
        yield 1, tracing_blob(r, version, big, long_size)
    yield 2, b"".join(
        w.build_id_record(kind, misc, step, left_over=left)
        for kind, misc, step, left in (
            (0, 1, 64, False),
            (0, 0x8002, 8, False),
            (2, 2, 8, False),
            (67, 2, 64, True),
            (0, 0x8004, 8, False),
        )
    )
    old = lambda misc, text: w.record(0, misc, r.raw(20), bytes(4), w.slot(text, 64))
    yield 2, old(1, b"[kernel.kallsyms]") + old(2, b"/bin/tool") + old(4, b"[guest.kernel.kallsyms]")
    for bit in (3, 4, 5, 6, 8, 9):
        for form in (0, 5, 6, 7):
            yield bit, w.string(form=form)
    yield 3, w.u("I", 0)
    yield 7, w.u("II", cpus, cpus - 1)
    yield 10, w.some("Q")
    for nr in (0, 1, 4):
        yield 11, listed(nr, w.string)
    for size in (64, 66, 72, 76, 95, 104, 110, 128, 142, 144, 152):
        yield 12, w.u("II", 2, size) + b"".join(
            w.attr(
                size,
                kind=1,
                config=r.u(8),
                period=r.u(8),
                sample_type=TINY,
                flags={"precise_ip": 2, "inherit": 1},
            )
            + w.u("I", nr)
            + w.string()
            + w.some("Q" * nr)
            for nr in (0, 3)
        )
    yield 12, w.u("II", 0, 128)
    for size, own in ((128, 96), (104, 144), (64, 128), (128, 0), (80, 78), (144, 117)):
        raw = w.attr(
            size,
            config=r.u(8),
            sample_type=TINY,
            clockid=7,
            branch=0x1234,
            user=5,
            stack=6,
            intr=9,
            aux_watermark=3,
        )
        yield 12, w.u("II", 1, size) + raw[:4] + w.u("I", own) + raw[8:] + w.u("I", 1) + w.string() + w.some(
            "Q"
        )
    for sockets, cores, dies in ((1, 2, None), (2, 4, "cpus"), (1, 2, 0), (2, 4, 2)):
        body = listed(sockets, w.string) + listed(cores, w.string)
        if dies is not None:
            body += w.some("II" * cpus)
        if isinstance(dies, int):
            body += listed(dies, w.string) + w.some("I" * cpus)
        yield 13, body
    for nr in (0, 1, 3):
        yield 14, listed(nr, lambda: w.some("IQQ") + w.string())
        if nr:
            yield 16, listed(nr, lambda: w.some("I") + w.string())
        yield 17, listed(nr, lambda: w.string(b"{anon_group}") + w.some("II"))
        yield 20, w.u("I", 1) + listed(nr, lambda: w.some("IIII") + w.string() + w.string() + w.string())
        yield 28, listed(nr, lambda: w.string() + w.string())
        yield 30, listed(nr, lambda: w.string() + w.string())
        yield 31, listed(nr, lambda: listed(r.below(3), lambda: w.string() + w.string()) + w.string())
        yield 26, listed(nr, lambda: w.some("I") + w.u("I", 7) + r.raw(7))
        yield 18, w.u64(nr) + w.some("QQ" * nr)
        if nr:
            yield 18, w.some("QQ" * nr)
        yield 22, w.u64(1, 1 << 27, nr) + b"".join(
            w.some("Q") + w.u64(bits, bits) + w.some("Q" * (-(-bits // 64))) for bits in (0, 64, 65)[:nr]
        )
    pmus = w.u("I", 0) + w.u("I", 4) + w.string(b"cpu", 0) + w.u("I", 1) + w.string(b"software", 0)
    # Lists that go to the end of the section, with less behind them than an entry begins with.
    for stray in (b"", b"x", b"1234", b"1234567"):
        yield 16, pmus + stray
        yield 16, w.u("I", 0) + stray
        yield 32, w.u("II", 17, 1) + w.u("IIII", 0, 1, 0, 0) + w.u("II", 0, 0) + stray
        yield 2, w.build_id_record(0, 2, 64) + stray
        yield 18, w.some("QQQQ") + stray
        yield 18, w.some("QQQQ") + w.u("I", 7) + stray[:3]
        yield 18, w.u64(1) + w.some("QQ") + stray
        yield 128, w.u("I", 18) + b"/\0" + w.u("IQI", 2, 5, 0) + stray[:3]
        yield 132, w.u("I", 3) + proto((1, b"/")) + stray[:3]
    yield 15, b""
    yield 19, b""
    yield 21, w.some("QQ")
    yield 23, w.some("Q")
    for version in (0, 1):
        yield 24, w.u64(version)
    yield 25, w.u("I", 0)
    for length in BPF_INFO_SIZES:
        data = r.raw(120)
        yield 25, w.u("I", 2) + (
            w.u("IIQ", length, len(data), 0x1FF)
            + bpf_info(w, length, data)
            + data
            + w.u("IIQ", length, 0, 0)
            + bpf_info(w, length, b"")
        )
    yield 27, w.u("IIIII", 0, 1, r.u(4), r.u(4), r.u(4))
    yield 29, w.u("II", 1, r.below(12)) + w.some("QQ")
    for version in (15, 17):
        domain = lambda: w.some("I") + (w.string() if version >= 17 else b"") + w.string() + w.string()
        for count in (0, 1, 3):
            yield 32, w.u("II", version, 3) + b"".join(
                w.u("I", cpu) + listed(r.below(3), domain) for cpu in range(count)
            )
    yield 33, w.some("II")
    yield 34, w.some("I")
    yield from simpleperf_features(w)
    yield 99, r.raw(20)


def simpleperf_features(w):
    r = w.r
    path = lambda: r.text().replace(b"\xff", b"") + b"\0"
    files = []
    for kind in range(6):
        for newer in (False, True):
            nr = r.below(3)
            body = (
                path()
                + w.u("I", kind)
                + w.some("Q")
                + w.u("I", nr)
                + b"".join(w.some("QI") + path() for _ in range(nr))
            )
            if kind == 3:
                body += w.u("I", 2) + w.some("QQ")
            elif newer and kind in (1, 2):
                body += w.some("Q")
            files.append(w.u("I", len(body)) + body)
    yield 128, b"".join(files)
    yield 129, b"".join(
        key + b"\0" + path() for key in (b"simpleperf_version", b"clockid", b"event_type_info")
    )
    yield 130, proto(*[(1, proto((1, path()[:-1]), (2, r.u(8)))) for _ in range(3)])
    yield 131, r.raw(30)
    messages = []
    for last in (
        (5, proto((1, r.u(8)), (1, 7))),
        (5, proto((1, varint(300) + varint(7)))),
        (6, proto((1, r.u(8)))),
        (7, proto((1, 4096))),
    ):
        symbol = lambda: proto((1, r.u(8)), (2, r.u(4)), (3, path()[:-1]))
        messages.append(
            proto((1, path()[:-1]), (2, last[0] % 4), (3, r.u(8)), (4, symbol()), (4, symbol()), last)
        )
    yield 132, b"".join(w.u("I", len(message)) + message for message in messages)
    # Numbers of fixed size are little-endian in protobuf, whatever the file is.
    for _ in range(3):
        branch = proto((1, r.raw(r.below(5))), (2, r.below(40)), (3, r.u(8)))
        binary = proto(
            (1, path()[:-1]),
            (2, b"0123abcd"),
            (3, proto((1, r.u(8)), (2, branch), (2, b""), (2, branch), (7, r.u(4)))),
            (4, r.below(3)),
            (5, proto((1, r.u(8)))),
            (6, b"new"),
        )
        sample = proto((3, proto((4, r.u(8)), (3, r.u(8)), (2, 1), (1, 2))), (2, r.u(8)), (1, 1))
        yield 133, proto(
            (1, b"simpleperf:EtmBranchList"),
            (2, binary),
            (2, proto((1, b"/bin/x"), (3, b""), (2, r.u(8)))),
            (3, proto((1, sample), (1, b""), (2, proto((1, b"/y"), (2, b"ff"))))),
        ) + varint(9 << 3 | 1) + struct.pack("<Q", r.u(8)) + varint(10 << 3 | 5) + struct.pack("<I", r.u(4))
    yield 134, bytes(range(64))


def tool_attrs(w):
    return [
        (w.attr(128, sample_type=TOOL_TRAILER, read_format=READ_ID, flags={"sample_id_all": 1}), [30, 31])
    ]


def make_tools(order, seed, pipe):
    """Every tool record; in a pipe also those that belong there, with every feature that fits into a
    record."""
    w = ToolWriter(order, seed)
    attrs = tool_attrs(w)
    if not pipe:
        return w.file(attrs, list(tool_records(w)), {})
    attrs += [
        (w.attr(size, sample_type=TOOL_TRAILER, flags={"sample_id_all": 1}), [100 + size] * (size % 5))
        for size in (64, 67, 72, 80, 91, 96, 100, 104, 112, 120, 136, 141, 144, 152)
    ]
    zero = w.attr(64, sample_type=TOOL_TRAILER, flags={"sample_id_all": 1})
    attrs.append((zero[:4] + bytes(4) + zero[8:], [7]))
    records = [w.record(80, 0, w.u64(bit), payload) for bit, payload in feature_forms(w) if payload]
    records += [w.record(80, 0, w.u64(35)), w.record(80, 0, w.u64(32))]
    for version, short in (("0.6", False), ("0.5", True)):
        blob = tracing_blob(w.r, version, 0, 8)
        blob += bytes(-len(blob) % 8)
        records.append(w.record(66, 0, w.u("I", len(blob)), b"" if short else bytes(4)) + blob)
    blob = tracing_blob(w.r, "0.5", 0, 8)
    records.append(w.record(66, 0, w.u("I", len(blob)), blob, bytes(-len(blob) % 64)))
    return w.pipe(attrs, records + list(tool_records(w, simpleperf=False)), {})


def make_features(order, seed, cpus=4):
    """Files whose feature sections have every form; as many as there are forms of one."""
    w = ToolWriter(order, seed)
    attrs = tool_attrs(w)
    forms = {}
    for bit, payload in feature_forms(w, cpus):
        forms.setdefault(bit, []).append(payload)
    files = []
    for n in range(max(len(found) for found in forms.values())):
        features = {bit: found[n % len(found)] for bit, found in forms.items()}
        files.append(w.file(attrs, [w.record(68, 0)], features))
    return files


def damaged(w, raw):
    """The same bytes cut off, made longer, or with other numbers in them."""
    r = w.r
    for _ in range(1 + r.below(2)):
        way, at = r.below(5), r.below(len(raw) + 1)
        if way == 0:
            raw = raw[:at]
        elif way == 1:
            raw += r.raw(1 + r.below(20))
        else:
            kind = r.random.choice("BHIQ")
            width = struct.calcsize("=" + kind)
            at = at // width * width if r.below(2) else at
            value = r.random.choice((r.below(4), r.below(300), r.u(width), (1 << 8 * width) - 1))
            raw = raw[:at] + w.u(kind, value % (1 << 8 * width)) + raw[at + width :]
    return raw


def make_damaged(order, seed, files=6):
    """Files and pipes whose tool records and features are nearly all damaged."""
    w = ToolWriter(order, seed)
    result = []
    for _ in range(files):
        records = [w.record(70, 0, w.u("II", kind, 0), words) for kind, words in short_aux_info(w)]
        for record in tool_records(w):
            kind, misc, _ = struct.unpack(order + "IHH", record[:8])
            if kind not in (66, 71, 200):
                records.append(w.record(kind, misc, damaged(w, record[8:])[:65000]))
        forms = {}
        for bit, payload in feature_forms(w):
            forms.setdefault(bit, []).append(payload)
        features = {bit: damaged(w, w.r.random.choice(found)) for bit, found in forms.items() if bit != 7}
        features[7] = w.u("II", 4, 3)
        result.append(w.file(tool_attrs(w), records, features))
        features = {bit: payload for bit, payload in features.items() if 0 < len(payload) < 65000}
        result.append(w.pipe(tool_attrs(w), records, features))
    return result


def make_perf_tools(order, seed):
    """The tool records that `perf report -D` prints values of, with values it accepts."""
    w = ToolWriter(order, seed)
    r = w.r
    sets = [w.u("HHHH", 0, 1, 0xFFFF, 0)]
    for _ in range(3):
        cpus = sorted(r.random.sample(range(200), r.below(5) + 1))
        sets.append(w.u("HH", 0, len(cpus)) + w.u("H" * len(cpus), *cpus))
        sets.append(w.u("HHHI", 1, 1, 4, 1 << r.below(32) | 6))
        sets.append(w.u("HHH", 1, 2, 8) + bytes(4) + w.u64(r.u(8) | 9, 1 << r.below(64)))
        first = r.below(100)
        sets.append(w.u("HBBHH", 2, 0, 0, first, first + r.below(100)))
    records = [w.record(74, 0, one, bytes(-len(one) % 8)) for one in sets]
    records += [w.record(78, 0, w.u64(3), w.some("Q"), one, bytes(-len(one) % 8)) for one in sets]
    for kind in (0, 2):
        for text in (b"msec", b"12345678", b"cpu-clock"):
            records.append(w.record(78, 0, w.u64(kind), w.some("Q"), w.slot(text, 8), bytes(8 * r.below(3))))
    for scale in (1e-6, -1.5, r.random.uniform(-1e9, 1e9)):
        records.append(
            w.record(78, 0, w.u64(1), w.some("Q"), w.u64(struct.unpack("<Q", struct.pack("<d", scale))[0]))
        )
    for nr in (1, 3):
        records.append(
            w.record(73, 0, w.u64(nr), *[w.some("Q") + w.fixed(r.text(15), 16) for _ in range(nr)])
        )
        records.append(w.record(75, 0, w.u64(3, 0, r.below(8), 1, r.u(4), 2, r.below(2))))
        records += [w.record(76, 0, w.some("QIIQQQ")), w.record(77, 0, w.u64(r.below(2)), w.some("Q"))]
        records += [w.record(79, 0, w.some("QQQ")), w.record(79, 0, w.some("QQQQQ"), r.raw(2), bytes(6))]
        records.append(
            w.record(
                69,
                0,
                w.u64(nr),
                *[w.u64(30 + i % 2, r.u(4), r.below(64), r.below(1 << 22)) for i in range(nr)],
            )
        )
    for fmt in (1, 2):
        records.append(w.record(72, 0, w.u("IIIIII", 1, 5, 0, 7, 7, fmt), w.some("QQ"), w.slot(b"lost", 8)))
    records.append(
        w.record(72, 0, w.u("IIIIII", 1, 5, 0, 7, 7, 2), w.some("QQ"), w.fixed(b"lost", 64), w.some("II"))
    )
    return w.file(tool_attrs(w), records, {3: w.str64("example"), 6: w.str64("x86_64"), 7: w.u("II", 2, 2)})
