"""Small perf.data files made by hand, in either byte order, from the layouts of the format's documentation.

Nothing here comes from the project's schema: numbers are packed with the struct module, bit fields are placed bit by
bit. make() returns the bytes of a file. Files
of the same arguments but another byte order hold the same values.

Not executable, so that it is not a test itself.
"""

import struct

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU = (1 << bit for bit in range(8))
PERIOD, STREAM_ID, RAW, BRANCH_STACK, REGS_USER, STACK_USER, WEIGHT, DATA_SRC = (1 << bit for bit in range(8, 16))
IDENTIFIER, TRANSACTION, REGS_INTR, PHYS_ADDR, AUX, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE, WEIGHT_STRUCT = (
    1 << bit for bit in range(16, 25))
ENABLED, RUNNING, READ_ID, GROUP, LOST = 1, 2, 4, 8, 16
HW_INDEX, BRANCH_ANY, COUNTERS = 1 << 17, 1 << 3, 1 << 19

# Logical bit and width of the attr flags used here.
ATTR_FLAGS = {"disabled": (0, 1), "inherit": (1, 1), "mmap": (8, 1), "comm": (9, 1), "freq": (10, 1), "task": (13, 1),
              "precise_ip": (15, 2), "sample_id_all": (18, 1), "exclude_guest": (20, 1), "mmap2": (23, 1),
              "comm_exec": (24, 1), "use_clockid": (25, 1), "context_switch": (26, 1), "ksymbol": (29, 1),
              "build_id": (34, 1)}
BRANCH_FLAGS = {"mispred": (0, 1), "predicted": (1, 1), "in_tx": (2, 1), "abort": (3, 1), "cycles": (4, 16),
                "type": (20, 4), "spec": (24, 2), "new_type": (26, 4), "priv": (30, 3)}


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

    def attr(self, size=128, kind=1, config=0, period=1000, sample_type=0, read_format=0, flags=None, wakeup=1,
             bp_type=0, config1=0, config2=0, branch=0, user=0, stack=0, clockid=0, intr=0, aux_watermark=0, max_stack=0,
             aux_size=0, sig=0, config3=0, config4=0, aux_action=None):
        raw = self.u("IIQQQQQIIQQQQIiQIHHIIQQQ", kind, size, config, period, sample_type, read_format,
                     self.bits(ATTR_FLAGS, 64, flags or {}), wakeup, bp_type, config1, config2, branch, user, stack,
                     clockid, intr, aux_watermark, max_stack, 0, aux_size,
                     self.bits({"aux_start_paused": (0, 1), "aux_pause": (1, 1), "aux_resume": (2, 1)}, 32,
                               aux_action or {}), sig, config3, config4)
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
        """attrs: (raw, ids); features: {bit: payload}. The ids come first, then attrs, data, features, as perf has it."""
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
        header = magic + self.u64(104, len(attrs[0][0]) + 16, attrs_at, len(entries), data_at, len(data), 0, 0)
        return header + self.bitmap(features) + out + table + sections

    def pipe(self, attrs, records, features):
        magic = b"PERFILE2" if self.order == "<" else b"2ELIFREP"
        parts = [self.record(64, 0, raw, self.u64(*ids)) for raw, ids in attrs]
        parts += [self.record(80, 0, self.u64(bit), payload) for bit, payload in sorted(features.items())]
        return magic + self.u64(16) + b"".join(parts) + b"".join(records)


def signed(value):
    return value & (1 << 64) - 1


RICH = (IDENTIFIER | IP | TID | TIME | ADDR | ID | STREAM_ID | CPU | PERIOD | READ | CALLCHAIN | RAW | BRANCH_STACK |
        REGS_USER | STACK_USER | WEIGHT_STRUCT | DATA_SRC | TRANSACTION | REGS_INTR | PHYS_ADDR | CGROUP |
        DATA_PAGE_SIZE | CODE_PAGE_SIZE | AUX)
PLAIN = IDENTIFIER | IP | TID | TIME | CPU | PERIOD
SINGLE = IDENTIFIER | IP | TID | TIME | CPU | PERIOD | READ | BRANCH_STACK | REGS_USER | STACK_USER | WEIGHT
TINY = IDENTIFIER | TIME
USER_REGS, INTR_REGS = 0x1c0, 0x1ff


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
        words.append(w.u64(w.bits(BRANCH_FLAGS, 64, {
            "mispred": i & 1, "predicted": ~i & 1, "in_tx": i == 2, "abort": i == 3, "cycles": 0x1234 + i,
            "type": (1 + i) % 16, "spec": i % 4, "new_type": 5 if i == 14 else 0, "priv": 1 + i % 3})))
    if counters:
        words += [w.u64(0x0102030405060708 + i) for i in range(nr)]
    return b"".join(words)


def rich_sample(w, i, event, for_perf):
    """All fields at once, in the kernel's order. perf expects hw_idx even behind nr 0, where the kernel has none."""
    raw = bytes([i]) * (8 * (i % 3) + 4)
    stack = bytes(range(8 * (i % 4)))
    regs = [signed(0x7f00_0000_0000 + 100 * i + n) for n in range(USER_REGS.bit_count())]
    intr = [signed(-4096 + 100 * i + n) for n in range(INTR_REGS.bit_count())]
    chain = [signed(-128), 0xffffffff81000000 + i, signed(-512), 0x401000 + i, 0x402000 + i][:2 + i % 4]
    parts = [w.u64(event, 0x401000 + i), w.u("II", 100 + i, 200 + i), w.u64(1_000_000_000 + 1000 * i),
             w.u64(0x7fff_0000_1000 + i, event, event + 1000), w.u("II", i % 2, 0), w.u64(7 + i)]
    # READ: a group of two with times, id and lost
    parts += [w.u64(2, 5_000_000 + i, 4_000_000 + i, 11 + i, 10, i, 22 + i, 20, 2 * i)]
    parts += [w.u64(len(chain), *chain), w.u("I", len(raw)), raw, branches(w, i % 4, signed(-1) if i % 4 or for_perf else None)]
    parts += [w.u64(2, *regs) if i % 5 else w.u64(0)]
    parts += [w.u64(len(stack)), stack, w.u64(len(stack) - i % 3) if stack else b""]
    # WEIGHT_STRUCT is defined so that a plain swap is right, and so is DATA_SRC
    parts += [w.u64(0x1111 + i | 0x2222 << 32 | 0x3333 << 48), w.u64(0x1e05080021 + i), w.u64(1 << i % 8 | 0xabcd << 32)]
    parts += [w.u64(2 if i % 2 else 1, *intr), w.u64(0x123456000 + i), w.u64(77 + i), w.u64(4096), w.u64(2 << 20)]
    aux = bytes(range(100, 100 + 8 * (i % 3)))
    parts += [w.u64(len(aux)), aux]
    return w.record(9, 0x4002 if i % 2 else 1, *parts)


def plain_sample(w, i, event):
    return w.record(9, 2, w.u64(event, 0x401100 + i), w.u("II", 300 + i, 300 + i), w.u64(2_000_000_000 + 1000 * i),
                    w.u("II", i % 2, 0), w.u64(1 + i))


def single_sample(w, i, event):
    """READ of the single form; branches without HW_INDEX; no user registers, no stack every other time."""
    parts = [w.u64(event, 0x401200 + i), w.u("II", 400 + i, 401 + i), w.u64(3_000_000_000 + 1000 * i),
             w.u("II", i % 2, 0), w.u64(5), w.u64(99 + i, 1000 + i, 900 + i, event, i), branches(w, 16 if i == 0 else i, None)]
    if i % 2:
        parts += [w.u64(0), w.u64(0)]
    else:
        parts += [w.u64(2, 1, 2, 3), w.u64(16), b"0123456789abcdef", w.u64(9)]
    return w.record(9, 2, *parts, w.u64(0x123456789 + i))


def side_band(w, sample_type, event, time):
    """A record of each kernel type, each with a trailer of its own time."""
    for n, (kind, misc, body) in enumerate((
            (1, 0x2002, w.u("II", 100, 101) + w.u64(0x400000, 0x2000, 0x1000) + w.text("/bin/tool x")),
            (10, 2, w.u("II", 100, 101) + w.u64(0x500000, 0x3000, 0x2000) + w.u("II", 8, 0x11) + w.u64(123456, 7) +
             w.u("II", 5, 2) + w.text("/lib/libone.so", b"left-over")),
            (10, 0x4002, w.u("II", 100, 101) + w.u64(0x600000, 0x4000, 0x3000) + w.u("BBH", 20, 0, 0) +
             bytes(range(1, 21)) + w.u("II", 3, 1) + w.text("/lib/libtwo.so")),
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
            (16, 0, w.u("II", 100, 100) + w.u64(7, *[word for k in range(7) for word in (4, 0xf0000000 + k)])),
            (17, 0, w.u64(0xffffffffc0001000) + w.u("IHH", 0x40, 1, 1) + w.text("bpf_prog_abc")),
            (18, 0, w.u("HHI", 1, 0, 55) + bytes(range(8))),
            (19, 0, w.u64(4242) + w.text("/system.slice")),
            (20, 1, w.u64(0xffffffff81000100) + w.u("HH", 5, 3) + bytes(range(8)) + bytes(4)),
            (21, 0, w.u64(0x1122334455)),
            (22, 2, w.u64(0xc0ffee, 2, 0x401000, 0x402000)))):
        yield w.record(kind, misc, body, trailer(w, sample_type, 100, 101, time + n, event, event + 1000, n % 2))


NEWER = (22,)                   # types that perf 6.1 gives up at


NAMES = ["cpu-clock", "instructions", "dummy", "raw 0x1a2b"]


def make(order, word=8, pipe=False, size=128, for_perf=False):
    """
    A file with four events of different sample_type, and every kernel record under each of them. for_perf: without what
    perf cannot read.
    """
    w = Writer(order, word)
    common = {"sample_id_all": 1, "mmap": 1, "comm": 1, "task": 1, "mmap2": 1, "comm_exec": 1, "exclude_guest": 1}
    attrs = [
        (w.attr(size, sample_type=PLAIN, read_format=READ_ID, flags=dict(common, freq=1), clockid=1, config=0), [30, 31]),
        (w.attr(size, kind=0, config=1, sample_type=SINGLE, read_format=ENABLED | RUNNING | READ_ID | LOST,
                flags={"sample_id_all": 1}, branch=BRANCH_ANY, user=USER_REGS, stack=16, bp_type=3, config1=0x1122334455,
                config2=0x66778899, aux_watermark=0x01020304, max_stack=127, aux_size=0x1234), [40]),
        (w.attr(size, kind=1, config=9, sample_type=TINY, read_format=READ_ID, flags={"sample_id_all": 1, "precise_ip": 2},
                sig=0xabcdef0123456789, config3=3, config4=4, clockid=11,
                aux_action={"aux_pause": 1} if size > 128 else {}), [50]),
    ]
    attrs.append((w.attr(size, kind=4, config=0x1a2b, sample_type=RICH,
                         read_format=ENABLED | RUNNING | READ_ID | GROUP | LOST, flags={"sample_id_all": 1},
                         branch=BRANCH_ANY | HW_INDEX, user=USER_REGS, stack=32, intr=INTR_REGS, aux_size=16), [10, 20]))
    records = []
    for n, (sample_type, event) in enumerate(((PLAIN, 30), (SINGLE, 40), (TINY, 50), (RICH, 10))):
        for record in side_band(w, sample_type, event, 500_000_000 + 1000 * n):
            if not for_perf or struct.unpack(order + "I", record[:4])[0] not in NEWER:
                records.append(record)
    records.append(w.record(8, 0, w.u("II", 400, 401), w.u64(77, 66, 55, 40, 3), trailer(w, SINGLE, 400, 401, 510_000_000, 40, 0, 1)))
    records.append(w.record(8, 0, w.u("II", 400, 402), w.u64(2, 66, 55, 1, 10, 3, 2, 20, 4),
                            trailer(w, RICH, 400, 402, 510_000_001, 10, 1010, 1)))
    records += [rich_sample(w, i, 10 + 10 * (i % 2), for_perf) for i in range(12)]
    records += [plain_sample(w, i, 30 + i % 2) for i in range(6)]
    records += [single_sample(w, i, 40) for i in range(5)]
    records += [w.record(9, 2, w.u64(50, 4_000_000_000 + i)) for i in range(3)]
    records.append(w.record(68, 0))
    records.append(w.record(82, 0))
    features = {3: w.str64("example"), 5: w.str64("6.1"), 6: w.str64("x86_64"), 7: w.u("II", 2, 2)}
    if pipe and for_perf:               # perf does not swap it in a pipe
        del features[7]
    return (w.pipe if pipe else w.file)(attrs, records, features)


def make_counters(order):
    """Branch counters (bit 19 of branch_sample_type, attr of 136 bytes): only the record's size tells they are there."""
    w = Writer(order)
    sample_type = IDENTIFIER | IP | TID | TIME | BRANCH_STACK | WEIGHT
    attrs = [(w.attr(136, kind=4, config=0xc4, sample_type=sample_type, read_format=READ_ID, flags={"sample_id_all": 1},
                     branch=BRANCH_ANY | HW_INDEX | COUNTERS), [60])]
    records = [w.record(9, 2, w.u64(60, 0x401000 + i), w.u("II", 7, 7), w.u64(1000 + i),
                        branches(w, i, signed(-1) if i else None, counters=True), w.u64(8 + i)) for i in range(5)]
    return w.file(attrs, records, {3: w.str64("example"), 6: w.str64("x86_64"), 7: w.u("II", 2, 2)})
