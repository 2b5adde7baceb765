#!/usr/bin/env python3
"""A second, independent decoder for perf.data files.

What this is
    A small program that prints the records of a perf.data file as JSON Lines.
    It was written from FORMAT.md alone; numbers such as "4.7.1" in the
    comments are sections of that document.  It prefers being easy to check
    against the document to being fast.

Why it must stay on its own
    The tests compare its output with the library's.  Such a comparison only
    means something while the two sides cannot share a mistake.  Therefore
    this file imports nothing but the Python standard library, and no table
    in it may be generated from, or copied out of, the project's schema or C
    sources.  When the two disagree, read FORMAT.md and the bytes; do not
    make one side follow the other.

Usage
    second_decoder.py [--attrs] [--types 1,9,10] [--limit N] FILE

    --attrs    first print the container: one line {"header": ...}, then lines
               {"event_type": ...}, {"attr": ...} and {"feature": ...}
    --types    print only records of these type numbers
    --limit    print at most N records

    Exit status 0: the file was read to its end.  3: something is damaged; the
    intact part has been printed and each last line is {"problem": text,
    "offset": n}.  2: wrong usage, or the file cannot be opened.

One line per record, in file order
    {"offset", "type", "misc", "size", "fields", "trailer", "rest",
     "payload_size"}
    fields        the values under the names of FORMAT.md.  A record that does
                  not fit its layout has "error": text in place of fields.
    trailer       the sample_id fields of section 4.14, when there are any
    rest          hex of the bytes no field accounts for (before the trailer)
    payload_size  for types 66 and 71: bytes following the record that its
                  own size does not count; they are skipped

    Numbers are JSON integers, also above 2**53.  Raw bytes are lower-case
    hex.  A string is {"text": up to the first NUL, as Latin-1, "slot": hex of
    all the bytes the string may use, padding included}.

Names FORMAT.md leaves open
    An array without a name is "entries"; the second array of ID_INDEX is
    "machine_entries".  Two reserved fields in a row are "reserved_1" and
    "reserved_2".  Padding that FORMAT.md makes part of the layout is "pad"
    (types 20, 66, 74, 78, 83, 85, 86) and so not in "rest".  Where an attr
    field has several names the first one is used.  READ values are in "read",
    in a READ record too.  The words of AUXTRACE_INFO are in "priv"; those
    with names once more in "info".  The f64 of EVENT_UPDATE is "scale" (null
    if not finite) and, exactly, "scale_bits".  The half `res` of CPU is
    "cpu_res".  "build_id_pad" are bytes 32 to 35 of record 67 without misc
    bit 15; "mask_pad" and "range_pad" belong to CPU_MAP.  "cut" in a sample
    names a field the kernel pushed out of the record (4.9).  Of a sample with
    unknown sample_type or read_format bits only the fields before READ are
    shown, the others are "rest".  Records of unknown type have empty fields
    and their bytes in "rest"; so have simpleperf's (type 32768 and above).

Left out on purpose
    Compressed records (81, 83) are shown as they are, because the standard
    library cannot unpack zstd.  Of a directory recording, give the file
    `data`.  Feature sections are located, not decoded.
"""

import argparse
import itertools
import json
import math
import signal
import struct
import sys

# ---------------------------------------------------------------------------
# Reading bytes
# ---------------------------------------------------------------------------


class Misfit(Exception):
    """The bytes at hand are fewer than the layout asks for."""


class Damage(Exception):
    """The container cannot be read beyond this point."""

    def __init__(self, text, offset):
        super().__init__(text)
        self.offset = offset


class Cursor:
    """Takes values one after another from data[pos:end]."""

    WIDTH = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "s32": 4}

    def __init__(self, data, pos, end, order):
        self.data, self.pos, self.end, self.order = data, pos, end, order

    def left(self):
        return self.end - self.pos

    def raw(self, count):
        if count > self.left():
            raise Misfit(f"{count} bytes wanted at offset {self.pos}, {self.left()} left")
        self.pos += count
        return bytes(self.data[self.pos - count:self.pos])

    def number(self, kind):
        signed = kind.startswith("s")
        return int.from_bytes(self.raw(self.WIDTH[kind]), self.order, signed=signed)

    def u16(self):
        return self.number("u16")

    def u32(self):
        return self.number("u32")

    def u64(self):
        return self.number("u64")

    def hex(self, count):
        return self.raw(count).hex()

    def string(self, count=None):
        """A string in a slot of count bytes, or in everything that is left."""
        slot = self.raw(self.left() if count is None else count)
        return {"text": slot.split(b"\0")[0].decode("latin-1"), "slot": slot.hex()}

    def numbers(self, kind, count):
        # The room is checked before the list is built: counts may be absurd.
        if count * self.WIDTH[kind] > self.left():
            raise Misfit(f"{count} entries of {kind} wanted at offset {self.pos}, "
                         f"{self.left()} bytes left")
        return [self.number(kind) for _ in range(count)]

    def objects(self, layout, count):
        """count objects of one layout."""
        if count * layout_size(layout) > self.left():
            raise Misfit(f"{count} entries of {layout_size(layout)} bytes wanted "
                         f"at offset {self.pos}, {self.left()} left")
        return [self.fields(layout) for _ in range(count)]

    def fields(self, layout):
        """Read a layout such as "u32 pid, raw8 tag, str16 comm, str path".

        rawN is N bytes, strN a string in N bytes, str one up to the end.
        """
        result = {}
        for kind, name in split_layout(layout):
            if kind in self.WIDTH:
                result[name] = self.number(kind)
            elif kind == "str":
                result[name] = self.string()
            elif kind.startswith("str"):
                result[name] = self.string(int(kind[3:]))
            else:
                result[name] = self.hex(int(kind[3:]))
        return result


def split_layout(layout):
    return [tuple(part.split()) for part in layout.split(",")]


def layout_size(layout):
    return sum(Cursor.WIDTH.get(kind) or int(kind[3:]) for kind, _ in split_layout(layout))


def bits(word, first, width, total, order):
    """A C bitfield that starts at logical bit `first` (2.4, 4.7.3).

    Little-endian machines count from the low end of the word, big-endian
    ones from the high end; inside the field the value is a plain number.
    """
    shift = first if order == "little" else total - first - width
    return (word >> shift) & ((1 << width) - 1)


def round_up(value, step):
    return -(-value // step) * step


# ---------------------------------------------------------------------------
# perf_event_attr (section 2)
# ---------------------------------------------------------------------------

# (offset, kind, name); a union has the first of its names.
ATTR_FIELDS = [
    (0, "u32", "type"),
    (4, "u32", "size"),
    (8, "u64", "config"),
    (16, "u64", "sample_period"),
    (24, "u64", "sample_type"),
    (32, "u64", "read_format"),
    (40, "u64", "flag_word"),
    (48, "u32", "wakeup_events"),
    (52, "u32", "bp_type"),
    (56, "u64", "bp_addr"),
    (64, "u64", "bp_len"),
    (72, "u64", "branch_sample_type"),
    (80, "u64", "sample_regs_user"),
    (88, "u32", "sample_stack_user"),
    (92, "s32", "clockid"),
    (96, "u64", "sample_regs_intr"),
    (104, "u32", "aux_watermark"),
    (108, "u16", "sample_max_stack"),
    (110, "u16", "reserved_2"),
    (112, "u32", "aux_sample_size"),
    (116, "u32", "aux_action"),
    (120, "u64", "sig_data"),
    (128, "u64", "config3"),
    (136, "u64", "config4"),
]
ATTR_KNOWN_SIZE = 144
ATTR_MIN_SIZE = 64

# The flag word, from logical bit 0 up; the only wider fields have a number.
ATTR_FLAGS = """
    disabled inherit pinned exclusive exclude_user exclude_kernel exclude_hv
    exclude_idle mmap comm freq inherit_stat enable_on_exec task watermark
    precise_ip:2 mmap_data sample_id_all exclude_host exclude_guest
    exclude_callchain_kernel exclude_callchain_user mmap2 comm_exec
    use_clockid context_switch write_backward namespaces ksymbol bpf_event
    aux_output cgroup text_poke build_id inherit_thread remove_on_exec sigtrap
    defer_callchain defer_output reserved:24
""".split()
AUX_ACTION_FLAGS = "aux_start_paused aux_pause aux_resume reserved:29".split()
BRANCH_FLAGS = """
    mispred predicted in_tx abort cycles:16 type:4 spec:2 new_type:4 priv:3
    reserved:31
""".split()


def named_bits(word, names, total, order):
    result, first = {}, 0
    for entry in names:
        name, _, width = entry.partition(":")
        width = int(width or 1)
        result[name] = bits(word, first, width, total, order)
        first += width
    assert first == total
    return result


class Attr:
    """One perf_event_attr with the ids that belong to it."""

    def __init__(self, raw, order):
        """raw: all the bytes set apart for the attr, at least 64."""
        if len(raw) < ATTR_MIN_SIZE:
            raise Misfit(f"an attr of {len(raw)} bytes, the smallest has {ATTR_MIN_SIZE}")
        own_size = int.from_bytes(raw[4:8], order) or ATTR_MIN_SIZE
        limit = min(own_size, len(raw))
        self.ids = []
        self.values = {}
        used = 0
        for offset, kind, name in ATTR_FIELDS:
            end = offset + Cursor.WIDTH[kind]
            if end > limit:
                break
            self.values[name] = Cursor(raw, offset, end, order).number(kind)
            used = end
        flag_word = self.get("flag_word")
        self.flags = named_bits(flag_word, ATTR_FLAGS, 64, order)
        self.aux_action = None
        if "aux_action" in self.values:
            self.aux_action = named_bits(self.values["aux_action"], AUX_ACTION_FLAGS, 32, order)
        self.tail = raw[used:]

        self.sample_type = self.get("sample_type")
        self.read_format = self.get("read_format")
        self.sample_id_all = self.flags["sample_id_all"] == 1

    def get(self, name):
        return self.values.get(name, 0)          # what is not stored is 0 (2.1)

    def layout_key(self):
        """Equal keys: samples and trailers are laid out alike (4.3, rule 6)."""
        return (self.sample_type, self.read_format, self.get("branch_sample_type"),
                self.get("sample_regs_user"), self.get("sample_regs_intr"),
                self.sample_id_all)

    def to_json(self):
        result = dict(self.values)
        result["flags"] = self.flags
        if self.aux_action is not None:
            result["aux_action_flags"] = self.aux_action
        result["tail"] = self.tail.hex()
        return result


# sample_type bits (2.7)
IP, TID, TIME, ADDR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
READ, CALLCHAIN, ID, CPU = 1 << 4, 1 << 5, 1 << 6, 1 << 7
PERIOD, STREAM_ID, RAW, BRANCH_STACK = 1 << 8, 1 << 9, 1 << 10, 1 << 11
REGS_USER, STACK_USER, WEIGHT, DATA_SRC = 1 << 12, 1 << 13, 1 << 14, 1 << 15
IDENTIFIER, TRANSACTION, REGS_INTR, PHYS_ADDR = 1 << 16, 1 << 17, 1 << 18, 1 << 19
AUX, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE = 1 << 20, 1 << 21, 1 << 22, 1 << 23
WEIGHT_STRUCT = 1 << 24
KNOWN_SAMPLE_BITS = (1 << 25) - 1

# read_format bits (2.9)
FORMAT_ENABLED, FORMAT_RUNNING, FORMAT_ID, FORMAT_GROUP, FORMAT_LOST = 1, 2, 4, 8, 16
KNOWN_FORMAT_BITS = 31

# the branch_sample_type bits that change the layout (2.8)
BRANCH_HW_INDEX = 1 << 17
BRANCH_COUNTERS = 1 << 19

# ---------------------------------------------------------------------------
# The sample_id trailer (4.14)
# ---------------------------------------------------------------------------

TRAILER = [
    (TID, "u32 pid, u32 tid"),
    (TIME, "u64 time"),
    (ID, "u64 id"),
    (STREAM_ID, "u64 stream_id"),
    (CPU, "u32 cpu, u32 cpu_res"),
    (IDENTIFIER, "u64 identifier"),
]


def trailer_room(attr):
    """Size of the trailer this sample_type makes, wanted or not."""
    return 8 * sum(1 for bit, _ in TRAILER if attr.sample_type & bit)


def trailer_size(attr):
    return trailer_room(attr) if attr is not None and attr.sample_id_all else 0


def decode_trailer(cursor, attr):
    result = {}
    for bit, layout in TRAILER:
        if attr.sample_type & bit:
            result.update(cursor.fields(layout))
    return result


# ---------------------------------------------------------------------------
# SAMPLE (section 4)
# ---------------------------------------------------------------------------

# The fields before READ, all of 8 bytes, in the order of 4.1.
SAMPLE_HEAD = [
    (IDENTIFIER, "u64 identifier"),
    (IP, "u64 ip"),
    (TID, "u32 pid, u32 tid"),
    (TIME, "u64 time"),
    (ADDR, "u64 addr"),
    (ID, "u64 id"),
    (STREAM_ID, "u64 stream_id"),
    (CPU, "u32 cpu, u32 cpu_res"),
    (PERIOD, "u64 period"),
]


def decode_read(cursor, read_format):
    """READ values (4.4)."""
    result = {}
    group = read_format & FORMAT_GROUP
    result["nr" if group else "value"] = cursor.u64()
    if read_format & FORMAT_ENABLED:
        result["time_enabled"] = cursor.u64()
    if read_format & FORMAT_RUNNING:
        result["time_running"] = cursor.u64()
    per_value = []
    if read_format & FORMAT_ID:
        per_value.append("u64 id")
    if read_format & FORMAT_LOST:
        per_value.append("u64 lost")
    if group:
        result["values"] = cursor.objects(", ".join(["u64 value"] + per_value), result["nr"])
    elif per_value:
        result.update(cursor.fields(", ".join(per_value)))
    return result


def decode_branch_stack(cursor, attr, hw_idx_if_empty, with_counters):
    """BRANCH_STACK (4.7); the last two arguments are guesses to be tried."""
    result = {"nr": cursor.u64()}
    nr = result["nr"]
    if attr.get("branch_sample_type") & BRANCH_HW_INDEX and (nr or hw_idx_if_empty):
        result["hw_idx"] = cursor.u64()
    result["entries"] = cursor.objects("u64 from, u64 to, u64 flags", nr)
    for entry in result["entries"]:
        entry["flags"] = named_bits(entry["flags"], BRANCH_FLAGS, 64, cursor.order)
    if with_counters and nr:
        result["counters"] = cursor.numbers("u64", nr)
    return result


def decode_regs(cursor, mask):
    """Registers follow for every abi but 0 (4.8)."""
    abi = cursor.u64()
    return {"abi": abi, "regs": cursor.numbers("u64", mask.bit_count()) if abi else []}


def decode_stack(cursor, dyn_size_if_empty):
    result = {"size": cursor.u64()}
    result["data"] = cursor.hex(result["size"])
    if result["size"] or dyn_size_if_empty:
        result["dyn_size"] = cursor.u64()
    return result


def decode_sized(cursor, size_kind):
    size = cursor.number(size_kind)
    return {"size": size, "data": cursor.hex(size)}


def decode_sample_head(cursor, attr):
    fields = {}
    for bit, layout in SAMPLE_HEAD:
        if attr.sample_type & bit:
            fields.update(cursor.fields(layout))
    return fields


def decode_sample_once(cursor, attr, hw_idx_if_empty, with_counters, stack_hazard):
    """Read a sample under one set of guesses.

    Returns the fields, and the last field's name and where it begins.
    """
    fields = decode_sample_head(cursor, attr)
    body = [
        (READ, "read", lambda: decode_read(cursor, attr.read_format)),
        (CALLCHAIN, "callchain", lambda: decode_chain(cursor)),
        (RAW, "raw", lambda: decode_sized(cursor, "u32")),
        (BRANCH_STACK, "branch_stack", lambda: decode_branch_stack(
            cursor, attr, hw_idx_if_empty, with_counters)),
        (REGS_USER, "regs_user", lambda: decode_regs(cursor, attr.get("sample_regs_user"))),
        (STACK_USER, "stack_user", lambda: decode_stack(cursor, stack_hazard)),
        (WEIGHT | WEIGHT_STRUCT, "weight", cursor.u64),
        (DATA_SRC, "data_src", cursor.u64),
        (TRANSACTION, "transaction", cursor.u64),
        (REGS_INTR, "regs_intr", lambda: decode_regs(cursor, attr.get("sample_regs_intr"))),
        (PHYS_ADDR, "phys_addr", cursor.u64),
        (CGROUP, "cgroup", cursor.u64),
        (DATA_PAGE_SIZE, "data_page_size", cursor.u64),
        (CODE_PAGE_SIZE, "code_page_size", cursor.u64),
        (AUX, "aux", lambda: decode_sized(cursor, "u64")),     # last, after bits 21 to 23
    ]
    last = None, cursor.pos
    for bit, name, decode in body:
        if attr.sample_type & bit:
            last = (name, cursor.pos)
            fields[name] = decode()
    if attr.sample_type & WEIGHT_STRUCT:
        word = fields["weight"]             # the same shifts for both byte orders (4.10)
        fields["weight_struct"] = {"var1_dw": word & 0xffffffff,
                                   "var2_w": word >> 32 & 0xffff,
                                   "var3_w": word >> 48}
    if stack_hazard and fields["stack_user"]["size"] != 0:
        raise Misfit("the stack is not empty")
    return fields, last


def decode_chain(cursor):
    nr = cursor.u64()
    return {"nr": nr, "ips": cursor.numbers("u64", nr)}


def decode_sample(cursor, attr, counters_likely):
    """Try the readings FORMAT.md leaves open; the one that ends exactly wins."""
    if attr.sample_type & ~KNOWN_SAMPLE_BITS or (
            attr.sample_type & READ and attr.read_format & ~KNOWN_FORMAT_BITS):
        # A field of unknown place and size (2.7): only the head is certain.
        return decode_sample_head(cursor, attr)

    start, end = cursor.pos, cursor.end
    counter_order = [True, False] if counters_likely else [False, True]
    inexact, first_error = None, None
    for hw_idx, counters in itertools.product([False, True], counter_order):
        cursor.pos = start
        try:
            fields, _ = decode_sample_once(cursor, attr, hw_idx, counters, False)
        except Misfit as error:
            first_error = first_error or error
            continue
        if cursor.pos == end:
            return fields
        if inexact is None:
            inexact = (fields, cursor.pos)

    # 4.9: an empty stack with its dyn_size all the same.  The record then
    # lacks its last 8 bytes, so let the reading run 8 bytes over the end.
    if attr.sample_type & STACK_USER:
        padded = bytes(cursor.data[start:end]) + bytes(8)
        for hw_idx, counters in itertools.product([False, True], counter_order):
            trial = Cursor(padded, 0, len(padded), cursor.order)
            try:
                fields, (name, begin) = decode_sample_once(trial, attr, hw_idx, counters, True)
            except Misfit:
                continue
            if trial.left() == 0 and name != "stack_user":
                for key in (name, name + "_struct"):
                    fields.pop(key, None)
                fields["cut"] = name        # its remaining bytes are the rest
                cursor.pos = min(start + begin, end)
                return fields

    if inexact is None:
        cursor.pos = start
        raise first_error
    fields, cursor.pos = inexact
    return fields


# ---------------------------------------------------------------------------
# The other kernel records (3.4) and perf's own (3.6)
# ---------------------------------------------------------------------------

SIMPLE_LAYOUTS = {
    1: "u32 pid, u32 tid, u64 addr, u64 len, u64 pgoff, str filename",
    2: "u64 id, u64 lost",
    3: "u32 pid, u32 tid, str comm",
    4: "u32 pid, u32 ppid, u32 tid, u32 ptid, u64 time",
    5: "u64 time, u64 id, u64 stream_id",
    6: "u64 time, u64 id, u64 stream_id",
    7: "u32 pid, u32 ppid, u32 tid, u32 ptid, u64 time",
    11: "u64 aux_offset, u64 aux_size, u64 flags",
    12: "u32 pid, u32 tid",
    13: "u64 lost",
    15: "u32 next_prev_pid, u32 next_prev_tid",
    17: "u64 addr, u32 len, u16 ksym_type, u16 flags, str name",
    18: "u16 type, u16 flags, u32 id, raw8 tag",
    19: "u64 id, str path",
    21: "u64 hw_id",
    65: "u64 event_id, str name",
    71: "u64 size, u64 offset, u64 reference, u32 idx, u32 tid, u32 cpu, u32 reserved",
    76: "u64 id, u32 cpu, u32 thread, u64 val, u64 ena, u64 run",
    77: "u64 type, u64 time",
    85: "u64 timestamp, u32 cpu, u16 version, raw2 pad, u32 yld_count, u32 array_exp, "
        "u32 sched_count, u32 sched_goidle, u32 ttwu_count, u32 ttwu_local, "
        "u64 rq_cpu_time, u64 run_delay, u64 pcount",
}
HEADER_ONLY = {14, 68, 82}


def decode_read_record(cursor, attr):
    if attr is None:
        raise Misfit("no attr tells the read_format")
    fields = cursor.fields("u32 pid, u32 tid")
    if not attr.read_format & ~KNOWN_FORMAT_BITS:
        fields["read"] = decode_read(cursor, attr.read_format)
    return fields


def decode_mmap2(cursor, misc, early):
    fields = cursor.fields("u32 pid, u32 tid, u64 addr, u64 len, u64 pgoff")
    if misc & 0x4000:
        fields.update(cursor.fields(
            "u8 build_id_size, u8 reserved_1, u16 reserved_2, raw20 build_id"))
    else:
        fields.update(cursor.fields("u32 maj, u32 min, u64 ino, u64 ino_generation"))
    if not early:
        fields.update(cursor.fields("u32 prot, u32 flags"))
    fields["filename"] = cursor.string()
    return fields


def decode_namespaces(cursor):
    fields = cursor.fields("u32 pid, u32 tid, u64 nr")
    fields["entries"] = cursor.objects("u64 dev, u64 inode", fields["nr"])
    return fields


def decode_text_poke(cursor):
    fields = cursor.fields("u64 addr, u16 old_len, u16 new_len")
    old_len, new_len = fields["old_len"], fields["new_len"]
    fields["old"] = cursor.hex(old_len)
    fields["new"] = cursor.hex(new_len)
    fields["pad"] = cursor.hex(-(4 + old_len + new_len) % 8)
    return fields


def decode_callchain_deferred(cursor):
    fields = cursor.fields("u64 cookie")
    fields.update(decode_chain(cursor))
    return fields


def split_attr_record(payload, order):
    """The attr of a HEADER_ATTR payload and the number of bytes it takes."""
    if len(payload) < ATTR_MIN_SIZE:
        raise Misfit(f"HEADER_ATTR with {len(payload)} bytes, the smallest attr has 64")
    size = int.from_bytes(payload[4:8], order) or ATTR_MIN_SIZE
    if size > len(payload):
        raise Misfit(f"HEADER_ATTR with {len(payload)} bytes for an attr of {size}")
    return Attr(payload[:size], order), size


def decode_header_attr(cursor):
    attr, size = split_attr_record(cursor.data[cursor.pos:cursor.end], cursor.order)
    cursor.pos += size
    return {"attr": attr.to_json(), "ids": cursor.numbers("u64", cursor.left() // 8)}


def decode_tracing_data(cursor):
    """The blob follows the record, unless old simpleperf put it inside (3.6)."""
    fields = cursor.fields("u32 data_size")
    if cursor.left() == 4:
        fields["pad"] = cursor.u32()
    elif cursor.left() > 4:
        fields["data"] = cursor.hex(fields["data_size"])
        fields["pad"] = cursor.hex(cursor.left())
    return fields


def decode_build_id(cursor, misc, without_pid):
    if without_pid:
        return cursor.fields("raw24 build_id, str filename")
    fields = cursor.fields("s32 pid, raw20 build_id")
    if misc & 0x8000:
        fields.update(cursor.fields("u8 size, u8 reserved_1, u16 reserved_2"))
    else:
        fields.update(cursor.fields("raw4 build_id_pad"))
    fields["filename"] = cursor.string()
    return fields


def decode_id_index(cursor):
    nr = cursor.u64()
    fields = {"nr": nr, "entries": cursor.objects("u64 id, u64 idx, u64 cpu, u64 tid", nr)}
    if nr and cursor.left() >= 16 * nr:
        fields["machine_entries"] = cursor.objects("u64 machine_pid, u64 vcpu", nr)
    return fields


PT_NAMES = """
    pmu_type time_shift time_mult time_zero cap_user_time_zero tsc_bit
    noretcomp_bit have_sched_switch snapshot_mode per_cpu_mmaps mtc_bit
    mtc_freq_bits tsc_ctc_n tsc_ctc_d cyc_bit max_nonturbo_ratio filter_str_len
""".split()
BTS_NAMES = """
    pmu_type time_shift time_mult time_zero cap_user_time_zero snapshot_mode
""".split()
ETM_V4_NAMES = """
    TRCCONFIGR TRCTRACEIDR TRCIDR0 TRCIDR1 TRCIDR2 TRCIDR8 TRCAUTHSTATUS
""".split()
# magic: (names of the parameters, how many of them a version 0 block has)
ETM_BLOCKS = {
    0x3030303030303030: ("ETMCR ETMTRACEIDR ETMCCER ETMIDR".split(), 4),
    0x4040404040404040: (ETM_V4_NAMES + ["TS_SOURCE"], 7),
    0x5050505050505050: (ETM_V4_NAMES + ["TRCDEVARCH", "TS_SOURCE"], None),
}
SPE_NAMES = "MIDR pmu_type min_interval event_filter".split()


def decode_auxtrace_info(cursor):
    fields = cursor.fields("u32 type, u32 reserved")
    if fields["type"] == 1:
        fields.update(decode_pt_info(cursor))
        return fields
    words = cursor.numbers("u64", cursor.left() // 8)
    fields["priv"] = words
    info = None
    if fields["type"] == 2:
        info = dict(zip(BTS_NAMES, words))
    elif fields["type"] == 3:
        info = name_etm_words(words)
    elif fields["type"] == 4:
        info = name_spe_words(words)
    elif fields["type"] in (6, 7):
        info = dict(zip(["pmu_type"], words))
    if info:
        fields["info"] = info
    return fields


def decode_pt_info(cursor):
    """Intel PT: the one kind with text among its words."""
    words = cursor.numbers("u64", min(len(PT_NAMES), cursor.left() // 8))
    info = dict(zip(PT_NAMES, words))
    result = {"priv": words, "info": info}
    text_length = info.get("filter_str_len", 0)
    if text_length:
        info["filter"] = cursor.string(round_up(text_length + 1, 8))
    after = cursor.numbers("u64", cursor.left() // 8)
    if text_length:
        result["priv_after_filter"] = after
    else:
        words.extend(after)
    if after:
        info["cap_event_trace"] = after[0]
    return result


def name_etm_words(words):
    if len(words) < 3:
        return None
    version = words[0]
    info = {"header_version": version, "pmu_type": words[1] >> 32,
            "nr_cpus": words[1] & 0xffffffff, "snapshot": words[2], "cpus": []}
    at = 3
    while at + 2 <= len(words) and words[at] in ETM_BLOCKS:
        block = {"magic": words[at], "cpu": words[at + 1]}
        names, count = ETM_BLOCKS[words[at]]
        at += 2
        if version >= 1:
            if at == len(words):
                break
            count = block["nr_params"] = words[at]
            at += 1
        if count is None or count > len(words) - at:
            break
        block.update(zip(names, words[at:at + count]))
        info["cpus"].append(block)
        at += count
    return info


def name_spe_words(words):
    if len(words) == 2:
        return dict(zip(["pmu_type", "per_cpu_mmaps"], words))
    if len(words) < 4:
        return None
    info = dict(zip(["version", "header_size", "pmu_type", "nr_cpus"], words), cpus=[])
    at = info["header_size"]
    while at + 3 <= len(words):
        magic, cpu, count = words[at:at + 3]
        at += 3
        if magic != 0x1010101010101010 or count > len(words) - at:
            break
        block = {"magic": magic, "cpu": cpu, "nr_params": count}
        block.update(zip(SPE_NAMES, words[at:at + count]))
        info["cpus"].append(block)
        at += count
    return info


def decode_auxtrace_error(cursor):
    record_size = 8 + cursor.left()
    fields = cursor.fields("u32 type, u32 code, u32 cpu, u32 pid, u32 tid, u32 fmt, u64 ip")
    if fields["fmt"] == 0:
        fields["msg"] = cursor.string()
        return fields
    fields["time"] = cursor.u64()
    fields["msg"] = cursor.string(min(64, cursor.left()))
    if fields["fmt"] >= 2 and record_size >= 120:
        fields.update(cursor.fields("u32 machine_pid, u32 vcpu"))
    return fields


def decode_thread_map(cursor):
    nr = cursor.u64()
    return {"nr": nr, "entries": cursor.objects("u64 pid, str16 comm", nr)}


def decode_cpu_map(cursor):
    """Also the CPUS form of EVENT_UPDATE.  Always counts by nr, never by size."""
    fields = {"type": cursor.u16()}
    if fields["type"] == 0:
        fields["nr"] = cursor.u16()
        fields["cpu"] = cursor.numbers("u16", fields["nr"])
    elif fields["type"] == 1:
        fields.update(cursor.fields("u16 nr, u16 long_size"))
        if fields["long_size"] == 8:
            fields["mask_pad"] = cursor.hex(4)
            fields["mask"] = cursor.numbers("u64", fields["nr"])
        elif fields["long_size"] == 4:
            fields["mask"] = cursor.numbers("u32", fields["nr"])
        else:
            raise Misfit(f"CPU mask words of {fields['long_size']} bytes")
    elif fields["type"] == 2:
        fields.update(cursor.fields("u8 any_cpu, u8 range_pad, u16 start_cpu, u16 end_cpu"))
    else:
        return fields                       # unknown form: its bytes are the rest
    fields["pad"] = cursor.hex(cursor.left())
    return fields


def decode_stat_config(cursor):
    nr = cursor.u64()
    return {"nr": nr, "entries": cursor.objects("u64 tag, u64 val", nr)}


def decode_event_update(cursor):
    fields = cursor.fields("u64 type, u64 id")
    if fields["type"] == 0:
        fields["unit"] = cursor.string()
    elif fields["type"] == 1:
        word = cursor.u64()
        number = struct.unpack("=d", struct.pack("=Q", word))[0]
        fields["scale"] = number if math.isfinite(number) else None
        fields["scale_bits"] = word
        fields["pad"] = cursor.hex(cursor.left())
    elif fields["type"] == 2:
        fields["name"] = cursor.string()
    elif fields["type"] == 3:
        fields["cpus"] = decode_cpu_map(cursor)
    return fields


def decode_time_conv(cursor):
    fields = cursor.fields("u64 time_shift, u64 time_mult, u64 time_zero")
    if cursor.left() >= 24:                 # record size 56: the long form
        fields.update(cursor.fields("u64 time_cycles, u64 time_mask, u8 cap_user_time_zero, "
                                    "u8 cap_user_time_short, raw6 reserved"))
    return fields


def decode_header_feature(cursor):
    return {"feat_id": cursor.u64(), "data": cursor.hex(cursor.left())}


def decode_compressed2(cursor):
    size = cursor.u64()
    return {"data_size": size, "data": cursor.hex(size), "pad": cursor.hex(cursor.left())}


def decode_bpf_metadata(cursor):
    fields = cursor.fields("str512 prog_name, u64 nr_entries")
    fields["entries"] = cursor.objects("str64 key, str256 value", fields["nr_entries"])
    return fields


DOMAIN_BLOCK_15 = "count balanced failed imbalance gained hot_gained nobusyq nobusyg".split()
DOMAIN_BLOCK_17 = """
    count balanced failed imbalance_load imbalance_util imbalance_task
    imbalance_misfit gained hot_gained nobusyq nobusyg
""".split()
DOMAIN_REST = {
    "alb": ["count", "failed", "pushed"],
    "sbe": ["count", "balanced", "pushed"],
    "sbf": ["count", "balanced", "pushed"],
    "ttwu": ["wake_remote", "move_affine", "move_balance"],
}
DOMAIN_VERSIONS = {
    15: ("idle busy newidle".split(), DOMAIN_BLOCK_15),
    16: ("busy idle newidle".split(), DOMAIN_BLOCK_15),
    17: ("busy idle newidle".split(), DOMAIN_BLOCK_17),
}


def decode_schedstat_domain(cursor):
    fields = cursor.fields("u64 timestamp, u32 cpu, u16 version, u16 domain")
    if fields["version"] in DOMAIN_VERSIONS:
        blocks, names = DOMAIN_VERSIONS[fields["version"]]
        groups = {block: names for block in blocks}
        groups.update(DOMAIN_REST)
        for group, members in groups.items():
            fields[group] = {name: cursor.u32() for name in members}
        fields["pad"] = cursor.hex(cursor.left())
    return fields


# ---------------------------------------------------------------------------
# The file
# ---------------------------------------------------------------------------

SAMPLE_RECORD = 9
MMAP2_RECORD = 10
LOST_SAMPLES_RECORD = 13
HEADER_ATTR_RECORD = 64
TRACING_DATA_RECORD = 66
BUILD_ID_RECORD = 67
AUXTRACE_RECORD = 71
FEATURE_RECORD = 80
BPF_METADATA_RECORD = 84
FIRST_TOOL_RECORD = 64
FIRST_SIMPLEPERF_RECORD = 32768

EVENT_DESC = 12

FEATURE_NAMES = {
    1: "TRACING_DATA", 2: "BUILD_ID", 3: "HOSTNAME", 4: "OSRELEASE", 5: "VERSION",
    6: "ARCH", 7: "NRCPUS", 8: "CPUDESC", 9: "CPUID", 10: "TOTAL_MEM", 11: "CMDLINE",
    12: "EVENT_DESC", 13: "CPU_TOPOLOGY", 14: "NUMA_TOPOLOGY", 15: "BRANCH_STACK",
    16: "PMU_MAPPINGS", 17: "GROUP_DESC", 18: "AUXTRACE", 19: "STAT", 20: "CACHE",
    21: "SAMPLE_TIME", 22: "MEM_TOPOLOGY", 23: "CLOCKID", 24: "DIR_FORMAT",
    25: "BPF_PROG_INFO", 26: "BPF_BTF", 27: "COMPRESSED", 28: "CPU_PMU_CAPS",
    29: "CLOCK_DATA", 30: "HYBRID_TOPOLOGY", 31: "PMU_CAPS", 32: "CPU_DOMAIN_INFO",
    33: "E_MACHINE", 34: "CLN_SIZE",
    128: "FILE", 129: "META_INFO", 130: "DEBUG_UNWIND", 131: "DEBUG_UNWIND_FILE",
    132: "FILE2", 133: "ETM_BRANCH_LIST", 134: "INIT_MAP",
}


class Record:
    def __init__(self, offset, type_, misc, size):
        self.offset, self.type, self.misc, self.size = offset, type_, misc, size
        self.payload_size = None            # bytes after the record (66 and 71)
        self.old_feature = False            # see PerfFile.google_features

    @property
    def end(self):
        return self.offset + self.size


class PerfFile:
    """Reads the container at once; decode() then does one record at a time."""

    def __init__(self, data):
        self.data = data
        self.order = None
        self.pipe = False
        self.header = {}
        self.event_types = []
        self.attrs = []
        self.features = []                  # (bit, offset, size)
        self.records = []
        self.problems = []
        self.owner_of_id = {}
        self.early_mmap2 = False
        self.build_id_without_pid = False
        try:
            self.read_container()
        except Damage as damage:
            self.problem(str(damage), damage.offset)

    def problem(self, text, offset):
        self.problems.append({"problem": text, "offset": offset})

    def cursor(self, start, end):
        return Cursor(self.data, start, end, self.order)

    # -- header ------------------------------------------------------------

    def read_container(self):
        data = self.data
        if len(data) < 16:
            raise Damage("shorter than the smallest header", 0)
        magic = bytes(data[:8])
        if magic == b"PERFILE2":
            self.order = "little"
        elif magic == b"2ELIFREP":
            self.order = "big"
        elif magic == b"PERFFILE":
            self.order = self.version_1_order()
        else:
            raise Damage("no perf.data magic number", 0)
        size = self.cursor(8, 16).u64()
        self.pipe = size == 16
        self.header = {"container": "pipe" if self.pipe else "file",
                       "magic": magic.decode("ascii"),
                       "byte_order": self.order, "size": size}
        if self.pipe:
            data_start, data_end = 16, len(data)
        else:
            data_start, data_end = self.read_file_header(size)
        self.frame_records(data_start, data_end)
        if self.pipe:
            self.collect_pipe_attrs()
        self.map_ids()
        self.early_mmap2 = self.is_early_mmap2()
        self.build_id_without_pid = any(
            record.type == BUILD_ID_RECORD
            and data[record.offset + 36:record.offset + 49] == b"nel.kallsyms]"
            for record in self.records)

    def version_1_order(self):
        """The magic of version 1 does not tell the byte order (1.10)."""
        for order in ("little", "big"):
            if int.from_bytes(self.data[8:16], order) == 16:
                return order
        for order in ("little", "big"):
            if int.from_bytes(self.data[16:24], order) in (80, 88, 96, 112, 120):
                return order
        raise Damage("version 1 header whose attr_size no byte order explains", 16)

    def read_file_header(self, size):
        data, header = self.data, self.header
        if size != 72 and size < 104:
            raise Damage(f"a header size of {size}", 8)
        if len(data) < size:
            raise Damage(f"the header of {size} bytes is cut", len(data))
        cursor = self.cursor(16, size)
        attr_size = header["attr_size"] = cursor.u64()
        for name in ("attrs", "data", "event_types"):
            header[name] = cursor.fields("u64 offset, u64 size")
        feature_bits = []
        if size >= 104:
            bitmap = cursor.raw(32)
            header["adds_features"] = bitmap.hex()
            feature_bits, header["bitmap_word_bits"] = self.read_bitmap(bitmap)
            header["extra"] = cursor.raw(cursor.left()).hex()
        header["features"] = feature_bits

        self.read_attrs(attr_size, header["attrs"])
        self.read_event_types(header["event_types"])

        start, length = header["data"]["offset"], header["data"]["size"]
        header["unfinished"] = length == 0
        header["truncated"] = start + length > len(data)
        if header["truncated"]:
            self.problem(f"the data section ends at {start + length}, the file at {len(data)}",
                         len(data))
            return min(start, len(data)), len(data)
        if start < size:
            self.problem("the data section begins inside the header", 40)
            return len(data), len(data)
        if header["unfinished"]:
            return start, len(data)         # to the end of the file, no features (1.6)
        self.read_feature_table(start + length, feature_bits)
        return start, start + length

    def read_bitmap(self, bitmap):
        """The set bits, and the word width chosen for a big-endian file (1.4)."""
        if self.order == "little":
            word = int.from_bytes(bitmap, "little")
            return [bit for bit in range(256) if word >> bit & 1], None
        readings = []
        for width in (64, 32):
            step = width // 8
            word = 0
            for index in range(0, 32, step):
                word |= int.from_bytes(bitmap[index:index + step], "big") << 8 * index
            found = [bit for bit in range(256) if word >> bit & 1]
            unknown = sum(1 for bit in found if bit not in FEATURE_NAMES)
            readings.append((unknown, sum(found), found, width))
        best = min(readings, key=lambda reading: reading[:2])
        return best[2], best[3]

    def read_attrs(self, attr_size, section):
        if attr_size < ATTR_MIN_SIZE + 16:
            if section["size"]:
                self.problem(f"attr entries of {attr_size} bytes", 16)
            return
        for at in range(section["offset"], section["offset"] + section["size"] - attr_size + 1,
                        attr_size):
            if at + attr_size > len(self.data):
                self.problem("the attrs section runs past the end of the file", at)
                return
            attr = Attr(bytes(self.data[at:at + attr_size - 16]), self.order)
            own_size = attr.get("size") or ATTR_MIN_SIZE
            # 1.3: the pair is at the end of the entry, or right after the attr
            places = [attr_size - 16]
            if ATTR_MIN_SIZE <= own_size <= attr_size - 16:
                places.append(own_size)
            for place in places:
                pair = self.cursor(at + place, at + attr_size).fields("u64 offset, u64 size")
                end = pair["offset"] + pair["size"]
                if end <= len(self.data) and pair["size"] % 8 == 0:
                    attr.ids = self.cursor(pair["offset"], end).numbers("u64", pair["size"] // 8)
                    attr.ids_pair = dict(pair, at=place)
                    break
            else:
                self.problem("the ids of an attr lie outside the file", at)
            self.attrs.append(attr)

    def read_event_types(self, section):
        end = section["offset"] + section["size"]
        if end > len(self.data):
            if section["size"]:
                self.problem("the event_types section runs past the end of the file",
                             section["offset"])
            return
        cursor = self.cursor(section["offset"], end)
        while cursor.left() >= 72:
            self.event_types.append(cursor.fields("u64 event_id, str64 name"))

    def read_feature_table(self, table, feature_bits):
        for index, bit in enumerate(feature_bits):
            at = table + 16 * index
            if at + 16 > len(self.data):
                self.problem("the feature table runs past the end of the file", at)
                return
            pair = self.cursor(at, at + 16).fields("u64 offset, u64 size")
            self.features.append((bit, pair["offset"], pair["size"]))
            if pair["size"] and pair["offset"] + pair["size"] > len(self.data):
                self.problem(f"feature section {bit} lies outside the file", at)

    # -- finding the records -----------------------------------------------

    def frame_records(self, start, end):
        """Cut the data into records (3.6 and 7.2 for the bytes outside them)."""
        google = self.pipe and self.google_features(start, end)
        at = start
        while at < end:
            if end - at < 8:
                self.problem(f"{end - at} bytes after the last record", at)
                return
            fields = self.cursor(at, at + 8).fields("u32 type, u16 misc, u16 size")
            record = Record(at, fields["type"], fields["misc"], fields["size"])
            if record.type >= FIRST_SIMPLEPERF_RECORD:
                record.size += record.misc << 16                        # 8.1
            if record.size < 8:
                self.problem(f"a record of size {record.size}", at)
                return
            if record.end > end:
                self.problem(f"a record of size {record.size} with {end - at} bytes left", at)
                return
            if record.type == HEADER_ATTR_RECORD:
                google = False
            record.old_feature = google and 69 <= record.type <= 80
            at = record.end
            if not record.old_feature:
                record.payload_size = self.outside_payload(record)
            self.records.append(record)
            if record.payload_size:
                if record.payload_size > end - at:
                    self.problem(f"{record.payload_size} bytes should follow the record, "
                                 f"{end - at} do", record.offset)
                    return
                at += record.payload_size

    def outside_payload(self, record):
        cursor = self.cursor(record.offset + 8, record.end)
        if record.type == AUXTRACE_RECORD and record.size >= 48:
            return cursor.u64()
        if record.type == TRACING_DATA_RECORD and 12 <= record.size <= 16:
            return cursor.u32()
        return None

    def google_features(self, start, end):
        """Does the pipe begin with features under the types 69 to 80 (1.7)?"""
        if end - start < 12:
            return False
        first = self.cursor(start, end)
        head = first.fields("u32 type, u16 misc, u16 size, u32 length")
        return head["type"] == 69 and 12 + head["length"] == head["size"]

    # -- attrs of a pipe, and which attr a record belongs to ----------------

    def collect_pipe_attrs(self):
        for record in self.records:
            if record.type == HEADER_ATTR_RECORD:
                payload = bytes(self.data[record.offset + 8:record.end])
                try:
                    attr, size = split_attr_record(payload, self.order)
                except Misfit:
                    continue                # the record itself is printed as an error
                attr.ids = Cursor(payload, size, len(payload), self.order).numbers(
                    "u64", (len(payload) - size) // 8)
                self.attrs.append(attr)

    def map_ids(self):
        for attr in self.attrs:
            for event_id in attr.ids:
                self.owner_of_id.setdefault(event_id, attr)
        # EVENT_DESC repeats the ids; it fills in those the attrs lack.
        sources = [(offset, offset + size) for bit, offset, size in self.features
                   if bit == EVENT_DESC]
        sources += [(record.offset + 16, record.end) for record in self.records
                    if record.type == FEATURE_RECORD and record.size > 16
                    and self.cursor(record.offset + 8, record.end).u64() == EVENT_DESC]
        for start, end in sources:
            if end <= len(self.data):
                self.map_event_desc(self.cursor(start, end))

    def map_event_desc(self, cursor):
        try:
            nr, attr_size = cursor.u32(), cursor.u32()
            for index in range(nr):
                cursor.raw(attr_size)
                nr_ids = cursor.u32()
                cursor.string(cursor.u32())
                for event_id in cursor.numbers("u64", nr_ids):
                    if index < len(self.attrs):
                        self.owner_of_id.setdefault(event_id, self.attrs[index])
        except Misfit:
            pass                            # what was read so far is as good as any

    def event_id(self, record, first):
        """The event id inside a record, or None (4.3)."""
        sample_type = first.sample_type
        if record.type == SAMPLE_RECORD:
            if sample_type & IDENTIFIER:
                word = 0
            elif sample_type & ID:
                word = (sample_type & (IP | TID | TIME | ADDR)).bit_count()
            else:
                return None
            at = record.offset + 8 + 8 * word
        else:
            if sample_type & IDENTIFIER:
                word = 1
            elif sample_type & ID:
                word = 1 + (sample_type & (CPU | STREAM_ID)).bit_count()
            else:
                return None
            at = record.end - 8 * word
        if at < record.offset + 8 or at + 8 > record.end:
            return None
        return self.cursor(at, at + 8).u64()

    def owner(self, record):
        """The attr that tells a record's layout, or None (4.3)."""
        if not self.attrs:
            return None
        first = self.attrs[0]
        if len(self.attrs) == 1:
            return first
        if record.type != SAMPLE_RECORD and not first.sample_id_all:
            return first
        event_id = self.event_id(record, first)
        if event_id == 0:
            return first
        if event_id in self.owner_of_id:
            return self.owner_of_id[event_id]
        if record.type != SAMPLE_RECORD:
            return first
        alike = all(attr.layout_key() == first.layout_key() for attr in self.attrs)
        return first if alike else None

    def trailer_of(self, record):
        """(attr, size in bytes) of the record's trailer; size 0 means none."""
        if record.type == SAMPLE_RECORD or not self.attrs or record.old_feature:
            return None, 0
        if record.type == LOST_SAMPLES_RECORD and not self.attrs[0].sample_id_all:
            # made by perf, which appends the ids whatever sample_id_all says
            candidates = [self.owner_of_id.get(self.event_id(record, self.attrs[0]))]
            for attr in candidates + self.attrs:
                if attr is not None and record.size == 16 + trailer_room(attr):
                    return attr, trailer_room(attr)
        if record.type >= FIRST_TOOL_RECORD:
            if record.type == BUILD_ID_RECORD:
                if record.size % 8 != 0:    # every form without a trailer is 4 mod 8
                    return None, 0
            elif record.type != BPF_METADATA_RECORD:
                return None, 0
        attr = self.owner(record)
        return attr, trailer_size(attr)

    def is_early_mmap2(self):
        """3.4: do all MMAP2 names begin at 64, where prot should be?"""
        seen = False
        for record in self.records:
            if record.type != MMAP2_RECORD:
                continue
            _, size = self.trailer_of(record)
            name = bytes(self.data[record.offset + 64:record.end - size])
            length = name.find(b"\0")
            # A prot in this place would be a byte or two and a NUL.
            if (record.misc & 0x4000 or length < 1 or name[0] < 0x20
                    or len(name) != round_up(length + 1, 8)):
                return False
            seen = True
        return seen

    # -- decoding one record -------------------------------------------------

    def decode(self, record):
        result = {"offset": record.offset, "type": record.type, "misc": record.misc,
                  "size": record.size}
        try:
            attr, size = self.trailer_of(record)
            if size > record.size - 8:
                raise Misfit(f"{record.size - 8} bytes cannot hold a trailer of {size}")
            cursor = self.cursor(record.offset + 8, record.end - size)
            result["fields"] = self.decode_fields(record, cursor, attr)
            if size:
                trailer = self.cursor(record.end - size, record.end)
                result["trailer"] = decode_trailer(trailer, attr)
            if cursor.left():
                result["rest"] = cursor.hex(cursor.left())
        except Misfit as error:
            result.pop("fields", None)
            result["error"] = str(error)
        if record.payload_size is not None:
            result["payload_size"] = record.payload_size
        return result

    def decode_fields(self, record, cursor, attr):
        kind = record.type
        if record.old_feature:
            return {"feat_id": kind - 66, "data": cursor.hex(cursor.left())}
        if kind == SAMPLE_RECORD:
            attr = self.owner(record)
            if attr is None:
                raise Misfit("no attr is known to own this sample")
            counters_likely = any(other.get("branch_sample_type") & BRANCH_COUNTERS
                                  for other in self.attrs)
            return decode_sample(cursor, attr, counters_likely)
        if kind in SIMPLE_LAYOUTS:
            return cursor.fields(SIMPLE_LAYOUTS[kind])
        if kind in HEADER_ONLY:
            return {}
        if kind == 8:
            return decode_read_record(cursor, attr or self.owner(record))
        if kind == MMAP2_RECORD:
            return decode_mmap2(cursor, record.misc, self.early_mmap2)
        if kind == BUILD_ID_RECORD:
            return decode_build_id(cursor, record.misc, self.build_id_without_pid)
        if kind == 81:
            return {"data": cursor.hex(cursor.left())}
        if kind in OTHER_DECODERS:
            return OTHER_DECODERS[kind](cursor)
        return {}

    # -- --attrs ---------------------------------------------------------------

    def describe(self):
        yield {"header": self.header}
        for entry in self.event_types:
            yield {"event_type": entry}
        for index, attr in enumerate(self.attrs):
            line = {"attr": attr.to_json(), "index": index, "ids": attr.ids}
            if hasattr(attr, "ids_pair"):
                line["ids_section"] = attr.ids_pair
            yield line
        for bit, offset, size in self.features:
            yield {"feature": bit, "name": FEATURE_NAMES.get(bit), "offset": offset, "size": size}


OTHER_DECODERS = {
    16: decode_namespaces,
    20: decode_text_poke,
    22: decode_callchain_deferred,
    64: decode_header_attr,
    66: decode_tracing_data,
    69: decode_id_index,
    70: decode_auxtrace_info,
    72: decode_auxtrace_error,
    73: decode_thread_map,
    74: decode_cpu_map,
    75: decode_stat_config,
    78: decode_event_update,
    79: decode_time_conv,
    80: decode_header_feature,
    83: decode_compressed2,
    84: decode_bpf_metadata,
    86: decode_schedstat_domain,
}


def main():
    parser = argparse.ArgumentParser(description="Print a perf.data file as JSON Lines.")
    parser.add_argument("file")
    parser.add_argument("--attrs", action="store_true", help="print the container first")
    parser.add_argument("--types", help="comma-separated record types to print")
    parser.add_argument("--limit", type=int, help="print at most this many records")
    options = parser.parse_args()
    try:
        wanted = {int(word) for word in options.types.split(",")} if options.types else None
    except ValueError:
        parser.error("--types takes numbers separated by commas")
    try:
        with open(options.file, "rb") as stream:
            data = stream.read()
    except OSError as error:
        parser.error(str(error))

    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)       # `... | head` is no error
    perf_file = PerfFile(data)
    if options.attrs:
        for line in perf_file.describe():
            print(json.dumps(line))
    chosen = (record for record in perf_file.records if wanted is None or record.type in wanted)
    for record in itertools.islice(chosen, options.limit):
        print(json.dumps(perf_file.decode(record)))
    for problem in perf_file.problems:
        print(json.dumps(problem))
    return 3 if perf_file.problems else 0


if __name__ == "__main__":
    sys.exit(main())
