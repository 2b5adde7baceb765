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
               {"event_type": ...}, {"attr": ...} and {"feature": ...}, which
               is decoded
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
    offcpu        of a sample of the event offcpu-time: what is in its raw data
                  (docs/FORMAT.md of the project, "Off-cpu samples")
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
    in a READ record too.  Known words of AUXTRACE_INFO are in "info", the
    others in "priv".  The f64 of EVENT_UPDATE is "scale" (null
    if not finite) and, exactly, "scale_bits".  The half `res` of CPU is
    "cpu_res".  "build_id_pad" are bytes 32 to 35 of record 67 without misc
    bit 15; "mask_pad" and "range_pad" belong to CPU_MAP.  "cut" in a sample
    names a field the kernel pushed out of the record (4.9).  Of a sample with
    unknown sample_type or read_format bits only the fields before READ are
    shown, the others are "rest".  Records of unknown type have empty fields
    and their bytes in "rest".  SPLIT's bytes are "chunk", the name of DSO and
    SYMBOL is "name", the text of DEBUG "text".

    A feature has "fields" and "rest", or "error", as a record.  The one
    string of a feature is "value", TOTAL_MEM "kb", CLN_SIZE "size".  Of
    BPF_PROG_INFO "array_contents" are the arrays by name, as far as they lie
    inside the data.  Messages of protobuf have their fields by name, others
    in "unknown".  Entries of PMU_MAPPINGS behind a count of 0 are
    "uncounted".

Left out on purpose
    Compressed records (81, 83) are shown as they are, because the standard
    library cannot unpack zstd.  Of a directory recording, give the file
    `data`.  The pieces of a SPLIT record are not put together, nor are the
    records of INIT_MAP decoded.
"""

import argparse
import itertools
import json
import math
import re
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
        return bytes(self.data[self.pos - count : self.pos])

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

    def peek(self, count):
        """The next bytes, which must be there; the position stays."""
        raw = self.raw(count)
        self.pos -= count
        return raw

    def cstr(self):
        """A string up to and with its NUL."""
        end = self.data.find(b"\0", self.pos, self.end)
        if end < 0:
            raise Misfit(f"no NUL behind offset {self.pos}")
        return self.string(end + 1 - self.pos)

    def str64(self):
        """perf's string with the length of its slot in front (5.1)."""
        return self.string(self.u32())

    def room(self, count, size):
        """count, if so many things of at least size bytes can be here."""
        if count * size > self.left():
            raise Misfit(
                f"{count} entries of {size} bytes or more wanted at offset {self.pos}, " f"{self.left()} left"
            )
        return count

    def count(self, kind, size):
        return self.room(self.number(kind), size)

    def numbers(self, kind, count):
        # The room is checked before the list is built: counts may be absurd.
        if count * self.WIDTH[kind] > self.left():
            raise Misfit(
                f"{count} entries of {kind} wanted at offset {self.pos}, " f"{self.left()} bytes left"
            )
        return [self.number(kind) for _ in range(count)]

    def objects(self, layout, count):
        """count objects of one layout."""
        if count * layout_size(layout) > self.left():
            raise Misfit(
                f"{count} entries of {layout_size(layout)} bytes wanted "
                f"at offset {self.pos}, {self.left()} left"
            )
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

# The flag word, from logical bit 0 up; the only wider fields have a number. "*24" are 24 flags without a name
# yet, which are put together so that each keeps its logical number.
ATTR_FLAGS = """
    disabled inherit pinned exclusive exclude_user exclude_kernel exclude_hv
    exclude_idle mmap comm freq inherit_stat enable_on_exec task watermark
    precise_ip:2 mmap_data sample_id_all exclude_host exclude_guest
    exclude_callchain_kernel exclude_callchain_user mmap2 comm_exec
    use_clockid context_switch write_backward namespaces ksymbol bpf_event
    aux_output cgroup text_poke build_id inherit_thread remove_on_exec sigtrap
    defer_callchain defer_output reserved*24
""".split()
AUX_ACTION_FLAGS = "aux_start_paused aux_pause aux_resume reserved*29".split()
BRANCH_FLAGS = """
    mispred predicted in_tx abort cycles:16 type:4 spec:2 new_type:4 priv:3
    reserved:31
""".split()


def named_bits(word, names, total, order):
    result, first = {}, 0
    for entry in names:
        name, _, width = entry.replace("*", ":").partition(":")
        width = int(width or 1)
        if "*" in entry:
            result[name] = sum(bits(word, first + i, 1, total, order) << i for i in range(width))
        else:
            result[name] = bits(word, first, width, total, order)
        first += width
    assert first == total
    return result


class Attr:
    """One perf_event_attr with the ids that belong to it."""

    def __init__(self, raw, order, whole=False):
        """raw: all the bytes set apart for the attr, at least 64; whole: whatever size the attr says it
        has."""
        if len(raw) < ATTR_MIN_SIZE:
            raise Misfit(f"an attr of {len(raw)} bytes, the smallest has {ATTR_MIN_SIZE}")
        own_size = int.from_bytes(raw[4:8], order) or ATTR_MIN_SIZE
        limit = len(raw) if whole else min(own_size, len(raw))
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
        return self.values.get(name, 0)  # what is not stored is 0 (2.1)

    def layout_key(self):
        """Equal keys: samples and trailers are laid out alike (4.3, rule 6)."""
        return (
            self.sample_type,
            self.read_format,
            self.get("branch_sample_type"),
            self.get("sample_regs_user"),
            self.get("sample_regs_intr"),
            self.sample_id_all,
        )

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


class UnknownAbi(Misfit):
    """Of what follows an abi that is not known nothing can be told: it is the rest."""

    def __init__(self, abi):
        super().__init__(f"registers of abi {abi:#x}")
        self.likely = abi < 65536 and abi & 3 in (1, 2)


def decode_regs(cursor, mask, into):
    """Registers follow for every abi but 0 (4.8).

    The abi is a bitmap: 1 32-bit, 2 64-bit, 4 with SIMD registers behind the others, whose numbers and widths
    come first.
    """
    abi = into["abi"] = cursor.u64()
    if abi >> 3:
        raise UnknownAbi(abi)
    into["regs"] = cursor.numbers("u64", mask.bit_count()) if abi else []
    if abi & 4:
        simd = into["simd"] = cursor.fields("u16 nr_vectors, u16 vector_qwords, u16 nr_pred, u16 pred_qwords")
        simd["vectors"] = cursor.numbers("u64", simd["nr_vectors"] * simd["vector_qwords"])
        simd["preds"] = cursor.numbers("u64", simd["nr_pred"] * simd["pred_qwords"])
    return into


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


def decode_sample_once(cursor, attr, hw_idx_if_empty, with_counters, stack_hazard, fields=None):
    """Read a sample under one set of guesses, into fields.

    Returns the fields, and the last field's name and where it begins.
    """
    fields = {} if fields is None else fields
    fields.update(decode_sample_head(cursor, attr))
    body = [
        (READ, "read", lambda: decode_read(cursor, attr.read_format)),
        (CALLCHAIN, "callchain", lambda: decode_chain(cursor)),
        (RAW, "raw", lambda: decode_sized(cursor, "u32")),
        (
            BRANCH_STACK,
            "branch_stack",
            lambda: decode_branch_stack(cursor, attr, hw_idx_if_empty, with_counters),
        ),
        (
            REGS_USER,
            "regs_user",
            lambda: decode_regs(cursor, attr.get("sample_regs_user"), fields.setdefault("regs_user", {})),
        ),
        (STACK_USER, "stack_user", lambda: decode_stack(cursor, stack_hazard)),
        (WEIGHT | WEIGHT_STRUCT, "weight", cursor.u64),
        (DATA_SRC, "data_src", cursor.u64),
        (TRANSACTION, "transaction", cursor.u64),
        (
            REGS_INTR,
            "regs_intr",
            lambda: decode_regs(cursor, attr.get("sample_regs_intr"), fields.setdefault("regs_intr", {})),
        ),
        (PHYS_ADDR, "phys_addr", cursor.u64),
        (CGROUP, "cgroup", cursor.u64),
        (DATA_PAGE_SIZE, "data_page_size", cursor.u64),
        (CODE_PAGE_SIZE, "code_page_size", cursor.u64),
        (AUX, "aux", lambda: decode_sized(cursor, "u64")),  # last, after bits 21 to 23
    ]
    last = None, cursor.pos
    for bit, name, decode in body:
        if attr.sample_type & bit:
            last = (name, cursor.pos)
            fields[name] = decode()
    if attr.sample_type & WEIGHT_STRUCT:
        word = fields["weight"]  # the same shifts for both byte orders (4.10)
        fields["weight_struct"] = {
            "var1_dw": word & 0xFFFFFFFF,
            "var2_w": word >> 32 & 0xFFFF,
            "var3_w": word >> 48,
        }
    if stack_hazard and fields["stack_user"]["size"] != 0:
        raise Misfit("the stack is not empty")
    return fields, last


def decode_chain(cursor):
    nr = cursor.u64()
    return {"nr": nr, "ips": cursor.numbers("u64", nr)}


def decode_sample(cursor, attr, counters_likely):
    """Try the readings FORMAT.md leaves open; the one that ends exactly wins."""
    if attr.sample_type & ~KNOWN_SAMPLE_BITS or (
        attr.sample_type & READ and attr.read_format & ~KNOWN_FORMAT_BITS
    ):
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
                fields["cut"] = name  # its remaining bytes are the rest
                cursor.pos = min(start + begin, end)
                return fields

    unknown = None  # the first form with a likely abi, or else the one that the attr asks for
    for counters, hw_idx in itertools.product(counter_order, [True, False]):
        cursor.pos, fields = start, {}
        try:
            decode_sample_once(cursor, attr, hw_idx, counters, False, fields)
        except UnknownAbi as error:
            if error.likely:
                return fields
            if (hw_idx, counters) == (True, counter_order[0]):
                unknown = (fields, cursor.pos)
        except Misfit:
            pass
    if unknown or inexact:
        fields, cursor.pos = unknown or inexact
        return fields
    cursor.pos = start
    raise first_error


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
    71: "u64 size, u64 offset, u64 reference, u32 idx, u32 tid, u32 cpu, u32 reserved",
    76: "u64 id, u32 cpu, u32 thread, u64 val, u64 ena, u64 run",
    77: "u64 type, u64 time",
    85: "u64 timestamp, u32 cpu, u16 version, raw2 pad, u32 yld_count, u32 array_exp, "
    "u32 sched_count, u32 sched_goidle, u32 ttwu_count, u32 ttwu_local, "
    "u64 rq_cpu_time, u64 run_delay, u64 pcount",
    32771: "u64 addr, u64 len, u64 dso_id, str name",
    32772: "str chunk",
    32778: "u64 time, str text",
}
HEADER_ONLY = {14, 68, 82, 32773}


def decode_offcpu(raw, order):
    """The raw data of an off-cpu sample, in the given order or the other; None: it has another form."""
    for tried in order, "big" if order == "little" else "little":
        cursor = Cursor(raw, 0, len(raw), tried)
        try:
            fields = cursor.fields("u32 pid, u32 tid, u64 period, u64 nr")
            fields["ips"] = cursor.numbers("u64", fields["nr"])
            fields["cgroup"] = cursor.u64()
        except Misfit:
            continue
        if cursor.left() < 8:  # padding up to the next multiple of 8, the u32 before included
            fields["padding"] = cursor.hex(cursor.left())
            return fields
    return None


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
        fields.update(cursor.fields("u8 build_id_size, u8 reserved_1, u16 reserved_2, raw20 build_id"))
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
    attr, size = split_attr_record(cursor.data[cursor.pos : cursor.end], cursor.order)
    cursor.pos += size
    return {"attr": attr.to_json(), "ids": cursor.numbers("u64", cursor.left() // 8)}


def decode_event_type(cursor):
    return dict(cursor.fields("u64 event_id"), name=cursor.string(min(64, cursor.left())))


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


# The words of Intel PT as they came in over time: a later group is only there behind all of the earlier ones.
PT_GROUPS = [
    names.split()
    for names in (
        """pmu_type time_shift time_mult time_zero cap_user_time_zero tsc_bit
    noretcomp_bit have_sched_switch snapshot_mode""",
        "per_cpu_mmaps",
        "mtc_bit mtc_freq_bits tsc_ctc_n tsc_ctc_d",
        "cyc_bit",
        "max_nonturbo_ratio",
        "filter_str_len",
    )
]
BTS_NAMES = """
    pmu_type time_shift time_mult time_zero cap_user_time_zero snapshot_mode
""".split()
ETM_V4_NAMES = """
    TRCCONFIGR TRCTRACEIDR TRCIDR0 TRCIDR1 TRCIDR2 TRCIDR8 TRCAUTHSTATUS
""".split()
# magic: the names of the parameters of a version 0 block, whose number is fixed
ETM_OLD_BLOCKS = {
    0x3030303030303030: "ETMCR ETMTRACEIDR ETMCCER ETMIDR".split(),
    0x4040404040404040: ETM_V4_NAMES,
}


def decode_auxtrace_info(cursor):
    """Known words are in "info"; "priv" are the whole words behind them."""
    fields = cursor.fields("u32 type, u32 reserved")
    decode = AUXTRACE_KINDS.get(fields["type"])
    if decode:
        fields["info"] = decode(cursor)
    fields["priv"] = cursor.numbers("u64", cursor.left() // 8)
    return fields


def words(cursor, names):
    return dict(zip(names, cursor.numbers("u64", len(names))))


def decode_pt_info(cursor):
    """Intel PT: the one kind with text among its words."""
    info = words(cursor, PT_GROUPS[0])
    for group in PT_GROUPS[1:]:
        if cursor.left() < 8 * len(group):
            return info
        info.update(words(cursor, group))
    if info["filter_str_len"]:
        info["filter"] = cursor.string(round_up(info["filter_str_len"] + 1, 8))
    if cursor.left() >= 8:
        info["cap_event_trace"] = cursor.u64()
    return info


def decode_etm_info(cursor):
    info = {"header_version": cursor.u64()}
    word = cursor.u64()
    info.update(pmu_type=word >> 32, nr_cpus=word & 0xFFFFFFFF, snapshot=cursor.u64(), cpus=[])
    for _ in range(cursor.room(info["nr_cpus"], 16)):
        block = words(cursor, ["magic", "cpu"])
        if info["header_version"] == 0:
            block.update(words(cursor, ETM_OLD_BLOCKS.get(block["magic"], [])))
        else:
            block["nr_params"] = cursor.u64()
            block["params"] = cursor.numbers("u64", block["nr_params"])
        info["cpus"].append(block)
    return info


def decode_spe_info(cursor):
    if cursor.left() < 24:  # version 1: exactly 2 words
        return words(cursor, ["pmu_type", "per_cpu_mmaps"])
    info = words(cursor, ["version", "header_size", "pmu_type", "nr_cpus"])
    if info["header_size"] < 4:
        raise Misfit("a header of fewer words than it has")
    info["more"] = cursor.numbers("u64", info["header_size"] - 4)
    info["cpus"] = []
    for _ in range(cursor.room(info["nr_cpus"], 24)):
        block = words(cursor, ["magic", "cpu", "nr_params"])
        block["params"] = cursor.numbers("u64", block["nr_params"])
        info["cpus"].append(block)
    return info


AUXTRACE_KINDS = {
    1: decode_pt_info,
    2: lambda cursor: words(cursor, BTS_NAMES),
    3: decode_etm_info,
    4: decode_spe_info,
    6: lambda cursor: words(cursor, ["pmu_type"]),
    7: lambda cursor: words(cursor, ["pmu_type"]),
}


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
            return fields  # FORMAT.md knows no other width: the rest
    elif fields["type"] == 2:
        fields.update(cursor.fields("u8 any_cpu, u8 range_pad, u16 start_cpu, u16 end_cpu"))
    else:
        return fields  # unknown form: its bytes are the rest
    fields["pad"] = cursor.hex(cursor.left())
    return fields


def decode_stat_config(cursor):
    nr = cursor.u64()
    return {"nr": nr, "entries": cursor.objects("u64 tag, u64 val", nr)}


def decode_event_update(cursor):
    fields = cursor.fields("u64 type, u64 id")
    if fields["type"] == 0:
        fields["unit"], fields["pad"] = cursor.cstr(), cursor.hex(cursor.left())
    elif fields["type"] == 1:
        word = cursor.u64()
        number = struct.unpack("=d", struct.pack("=Q", word))[0]
        fields["scale"] = number if math.isfinite(number) else None
        fields["scale_bits"] = word
        fields["pad"] = cursor.hex(cursor.left())
    elif fields["type"] == 2:
        fields["name"], fields["pad"] = cursor.cstr(), cursor.hex(cursor.left())
    elif fields["type"] == 3:
        fields["cpus"] = decode_cpu_map(cursor)
    return fields


def decode_time_conv(cursor):
    fields = cursor.fields("u64 time_shift, u64 time_mult, u64 time_zero")
    if cursor.left() >= 24:  # record size 56: the long form
        fields.update(
            cursor.fields(
                "u64 time_cycles, u64 time_mask, u8 cap_user_time_zero, "
                "u8 cap_user_time_short, raw6 reserved"
            )
        )
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
# Tracing data (5.9)
# ---------------------------------------------------------------------------


def decode_tracing_blob(blob):
    """(fields, bytes behind the last part).  The blob states its own byte order."""
    cursor = Cursor(blob, 0, len(blob), "little")
    if cursor.raw(3) != b"\x17\x08\x44" or cursor.raw(7) != b"tracing":
        raise Misfit("tracing data without its magic number")
    fields = {"version": cursor.cstr()}
    fields.update(cursor.fields("u8 bigendian, u8 long_size"))
    cursor.order = "big" if fields["bigendian"] else "little"
    fields["page_size"] = cursor.u32()

    def sized(kind="u64"):
        return cursor.hex(cursor.number(kind))

    for name in ("header_page", "header_event"):
        if cursor.cstr()["text"] != name:
            raise Misfit(f"tracing data without {name}")
        fields[name] = sized()
    fields["ftrace_formats"] = [sized() for _ in range(cursor.count("u32", 8))]
    fields["systems"] = []
    for _ in range(cursor.count("u32", 5)):
        system = {"name": cursor.cstr()}
        system["formats"] = [sized() for _ in range(cursor.count("u32", 8))]
        fields["systems"].append(system)
    fields["kallsyms"] = sized("u32")
    fields["printk_formats"] = sized("u32")
    # The version is a decimal fraction: "0.10" is an old one.
    version = re.match(r"[0-9]+\.[0-9]+", fields["version"]["text"])
    if not version:
        raise Misfit("tracing data without a version number")
    if float(version.group()) >= 0.6:
        fields["saved_cmdlines"] = sized()
    return fields, cursor.hex(cursor.left())


# ---------------------------------------------------------------------------
# Feature sections (section 5), also the payload of HEADER_FEATURE
# ---------------------------------------------------------------------------


def strings(cursor, nr):
    return [cursor.str64() for _ in range(cursor.room(nr, 4))]


def feature_string(cursor, context):
    return {"value": cursor.str64()}


def plain_feature(layout):
    return lambda cursor, context: cursor.fields(layout)


def counted_feature(name, layout, nr="nr", head=""):
    """A count and as many objects; "str64 x" is the string of 5.1 here."""
    smallest = sum(
        4 if kind == "s64" else Cursor.WIDTH[kind] for kind, _ in split_layout(layout.replace("str64", "s64"))
    )

    def decode(cursor, context):
        fields = cursor.fields(head) if head else {}
        fields[nr] = cursor.u32()
        fields[name] = [feature_object(cursor, layout) for _ in range(cursor.room(fields[nr], smallest))]
        return fields

    return decode


def feature_object(cursor, layout):
    result = {}
    for kind, name in split_layout(layout):
        result[name] = cursor.str64() if kind == "str64" else cursor.number(kind)
    return result


def feature_cmdline(cursor, context):
    nr = cursor.u32()
    return {"nr": nr, "args": strings(cursor, nr)}


def feature_event_desc(cursor, context):
    fields = cursor.fields("u32 nr, u32 attr_size")
    fields["events"] = []
    for _ in range(cursor.room(fields["nr"], fields["attr_size"] + 8)):
        attr = Attr(cursor.raw(fields["attr_size"]), cursor.order, whole=True)
        event = {"attr": attr.to_json(), "nr_ids": cursor.u32(), "name": cursor.str64()}
        event["ids"] = cursor.numbers("u64", event["nr_ids"])
        fields["events"].append(event)
    return fields


def feature_build_id(cursor, context):
    """Records of type 67, which say so in their header or not (5.4)."""
    start, found, without_pid = cursor.pos, [], False
    for attempt in (False, True):
        cursor.pos = start
        found = []
        while cursor.left() >= 8:
            at = cursor.pos
            head = cursor.fields("u32 type, u16 misc, u16 size")
            if head["size"] < 8 or head["size"] - 8 > cursor.left():
                raise Misfit(f"a build id record of size {head['size']} at offset {at}")
            body = Cursor(cursor.data, cursor.pos, at + head["size"], cursor.order)
            cursor.pos = at + head["size"]
            if bytes(cursor.data[at + 36 : at + 49]) == b"nel.kallsyms]":
                without_pid = True
            found.append(dict(head, fields=decode_build_id(body, head["misc"], attempt)))
        if not without_pid:
            break
    return {"entries": found}


def feature_cpu_topology(cursor, context):
    fields = {"nr_sockets": cursor.u32()}
    fields["sockets"] = strings(cursor, fields["nr_sockets"])
    fields["nr_cores"] = cursor.u32()
    fields["cores"] = strings(cursor, fields["nr_cores"])
    cpus = context.get("nr_cpus_avail")
    if not cpus or cursor.left() < 8 * cpus:
        return fields
    fields["cpus"] = cursor.objects("u32 core_id, u32 socket_id", cpus)
    if cursor.left() >= 4:
        fields["nr_dies"] = cursor.u32()
        fields["dies"] = strings(cursor, fields["nr_dies"])
        fields["die_id"] = cursor.numbers("u32", cpus)
    return fields


def feature_pmu_mappings(cursor, context):
    """A count of 0 with entries behind it: an old pipe's (7.4)."""
    layout = "u32 type, str64 name"
    fields = {"nr": cursor.u32()}
    fields["pmus"] = [feature_object(cursor, layout) for _ in range(cursor.room(fields["nr"], 8))]
    if fields["nr"] == 0:
        fields["uncounted"] = []
        while cursor.left() >= 4:  # less cannot be a type
            fields["uncounted"].append(feature_object(cursor, layout))
    return fields


def feature_auxtrace(cursor, context):
    """An odd number of words has the count in front, an even one (simpleperf's) none."""
    fields = {}
    if cursor.left() // 8 % 2:
        fields["nr"] = nr = cursor.u64()
    else:
        nr = cursor.left() // 16
    fields["entries"] = cursor.objects("u64 file_offset, u64 sz", nr)
    return fields


def feature_mem_topology(cursor, context):
    fields = cursor.fields("u64 version, u64 block_size_bytes, u64 nr")
    fields["nodes"] = []
    for _ in range(cursor.room(fields["nr"], 24)):
        node = cursor.fields("u64 node, u64 size, u64 bits")
        node["words"] = cursor.numbers("u64", -(-node["bits"] // 64))
        fields["nodes"].append(node)
    return fields


# name, offset, kind of bpf_prog_info (5.8)
BPF_INFO = """
    0 type u32, 4 id u32, 8 tag raw8, 16 jited_prog_len u32, 20 xlated_prog_len u32,
    24 jited_prog_insns u64, 32 xlated_prog_insns u64, 40 load_time u64, 48 created_by_uid u32,
    52 nr_map_ids u32, 56 map_ids u64, 64 name str16, 80 ifindex u32, 84 gpl_word u32,
    88 netns_dev u64, 96 netns_ino u64, 104 nr_jited_ksyms u32, 108 nr_jited_func_lens u32,
    112 jited_ksyms u64, 120 jited_func_lens u64, 128 btf_id u32, 132 func_info_rec_size u32,
    136 func_info u64, 144 nr_func_info u32, 148 nr_line_info u32, 152 line_info u64,
    160 jited_line_info u64, 168 nr_jited_line_info u32, 172 line_info_rec_size u32,
    176 jited_line_info_rec_size u32, 180 nr_prog_tags u32, 184 prog_tags u64, 192 run_time_ns u64,
    200 run_cnt u64, 208 recursion_misses u64, 216 verified_insns u32, 220 attach_btf_obj_id u32,
    224 attach_btf_id u32, 228 pad u32
"""
# bit: name, count field, size of one (a field or a number), field with the offset, words of so many bytes
BPF_ARRAYS = [
    ("jited_insns", "jited_prog_len", 1, "jited_prog_insns", 1),
    ("xlated_insns", "xlated_prog_len", 1, "xlated_prog_insns", 1),
    ("map_ids", "nr_map_ids", 4, "map_ids", 4),
    ("jited_ksyms", "nr_jited_ksyms", 8, "jited_ksyms", 8),
    ("jited_func_lens", "nr_jited_func_lens", 4, "jited_func_lens", 4),
    ("func_info", "nr_func_info", "func_info_rec_size", "func_info", 1),
    ("line_info", "nr_line_info", "line_info_rec_size", "line_info", 1),
    ("jited_line_info", "nr_jited_line_info", "jited_line_info_rec_size", "jited_line_info", 1),
    ("prog_tags", "nr_prog_tags", 8, "prog_tags", 1),
]


def decode_bpf_info(raw, order):
    cursor, info = Cursor(raw, 0, len(raw), order), {}
    for entry in BPF_INFO.split(","):
        offset, name, kind = entry.split()
        if int(offset) + layout_size(f"{kind} {name}") > len(raw):
            break
        assert cursor.pos == int(offset), name
        info.update(cursor.fields(f"{kind} {name}"))
    if "gpl_word" in info:
        word = info.pop("gpl_word")
        info["gpl_compatible"] = bits(word, 0, 1, 32, order)
        info["gpl_pad"] = named_bits(word, ["gpl", "pad*31"], 32, order)["pad"]
    if cursor.left():
        info["tail"] = cursor.hex(cursor.left())
    return info


def bpf_arrays(mask, info, data, order):
    """The arrays whose bits are set, by name, as far as they lie inside data."""
    result = {}
    for bit, (name, nr, size, at, word) in enumerate(BPF_ARRAYS):
        size = info.get(size, 0) if isinstance(size, str) else size
        start, length = info.get(at, 0), info.get(nr, 0) * size
        if mask >> bit & 1 and start + length <= len(data):
            part = Cursor(data, start, start + length, order)
            result[name] = part.hex(length) if word == 1 else part.numbers(f"u{8 * word}", length // word)
    return result


def feature_bpf_prog_info(cursor, context):
    fields = {"count": cursor.u32(), "programs": []}
    for _ in range(cursor.room(fields["count"], 16)):
        program = cursor.fields("u32 info_len, u32 data_len, u64 arrays")
        program["info"] = decode_bpf_info(cursor.raw(program["info_len"]), cursor.order)
        data = cursor.raw(program["data_len"])
        program["data"] = data.hex()
        program["array_contents"] = bpf_arrays(program["arrays"], program["info"], data, cursor.order)
        fields["programs"].append(program)
    return fields


def feature_bpf_btf(cursor, context):
    fields = {"count": cursor.u32(), "entries": []}
    for _ in range(cursor.room(fields["count"], 8)):
        entry = cursor.fields("u32 id, u32 data_size")
        entry["data"] = cursor.hex(entry["data_size"])
        fields["entries"].append(entry)
    return fields


def feature_pmu_caps(cursor, context):
    fields = {"nr_pmu": cursor.u32(), "pmus": []}
    for _ in range(cursor.room(fields["nr_pmu"], 8)):
        pmu = counted_feature("caps", "str64 name, str64 value", "nr_caps")(cursor, context)
        pmu["pmu_name"] = cursor.str64()
        fields["pmus"].append(pmu)
    return fields


def feature_cpu_domain_info(cursor, context):
    """The number of CPUs is not stored: the section's end is the bound (5.10)."""
    fields = cursor.fields("u32 schedstat_version, u32 max_sched_domains")
    fields["cpus"] = []
    while cursor.left() >= 8:
        cpu = cursor.fields("u32 cpu, u32 nr_domains")
        cpu["domains"] = []
        for _ in range(cursor.room(cpu["nr_domains"], 12)):
            layout = "u32 domain, " + "str64 dname, " * (fields["schedstat_version"] >= 17)
            cpu["domains"].append(feature_object(cursor, layout + "str64 cpumask, str64 cpulist"))
        fields["cpus"].append(cpu)
    return fields


def feature_tracing_data(cursor, context):
    fields, rest = decode_tracing_blob(cursor.raw(cursor.left()))
    cursor.pos -= len(rest) // 2
    return fields


# -- simpleperf's (8.3)

DEX_FILE, ELF_FILE, KERNEL_MODULE = 3, 2, 1


def feature_file(cursor, context):
    found = []
    while cursor.left() >= 4:
        size = cursor.u32()
        part = Cursor(cursor.data, cursor.pos, cursor.pos + len(cursor.peek(size)), cursor.order)
        cursor.pos += size
        file = {"size": size, "path": part.cstr()}
        file.update(part.fields("u32 type, u64 min_vaddr, u32 symbol_count"))
        file["symbols"] = []
        for _ in range(part.room(file["symbol_count"], 13)):
            file["symbols"].append(dict(part.fields("u64 vaddr, u32 len"), name=part.cstr()))
        if file["type"] == DEX_FILE:
            file["dex_count"] = part.u32()
            file["dex_file_offset"] = part.numbers("u64", file["dex_count"])
        elif file["type"] == ELF_FILE and part.left() >= 8:
            file["file_offset_of_min_vaddr"] = part.u64()
        elif file["type"] == KERNEL_MODULE and part.left() >= 8:
            file["memory_offset_of_min_vaddr"] = part.u64()
        if part.left():
            file["tail"] = part.hex(part.left())
        found.append(file)
    return {"files": found}


def feature_meta_info(cursor, context):
    found = []
    while cursor.left():
        found.append({"key": cursor.cstr(), "value": cursor.cstr()})
    return {"entries": found}


def varint(cursor):
    value, shift = 0, 0
    while True:
        byte = cursor.number("u8")
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            # Readers of protobuf take both; who must write the same bytes again cannot.
            if byte == 0 and shift > 7 or value >> 64:
                raise Misfit("a varint that is longer than its number needs, or has more than 64 bits")
            return value
        if shift >= 70:
            raise Misfit("a varint of more than ten bytes")


def protobuf(raw):
    """The fields of a message as [(number, wire type, value)], in their order."""
    cursor, found = Cursor(raw, 0, len(raw), "little"), []
    while cursor.left():
        key = varint(cursor)
        number, wire = key >> 3, key & 7
        if number == 0 or wire > 5:
            raise Misfit(f"no protobuf: field {number} of wire type {wire}")
        if wire == 0:
            value = varint(cursor)
        elif wire == 2:
            value = cursor.raw(varint(cursor))
        elif wire in (3, 4):  # the marks of a group have no value
            value = None
        else:
            value = cursor.number("u64" if wire == 1 else "u32")
        found.append((number, wire, value))
    return found


def packed(raw):
    cursor, found = Cursor(raw, 0, len(raw), "little"), []
    while cursor.left():
        found.append(varint(cursor))
    return found


def message(raw, layout):
    """A message by a layout {number: (name, kind)}; kind: u, str, bytes, or another layout.

    A name that ends with * may be repeated.  Fields that are not in the layout are in "unknown".
    """
    result = {name.rstrip("*"): [] for name, _ in layout.values() if name.endswith("*")}
    for number, wire, value in protobuf(raw):
        name, kind = layout.get(number, (None, None))
        key = name and name.rstrip("*")
        if kind == "u" and wire == 2 and name.endswith("*"):
            result[key].extend(packed(value))
            continue
        if kind == "u" and wire == 0:
            pass
        elif kind == "str" and wire == 2:
            value = {"text": value.decode("latin-1"), "slot": value.hex()}
        elif kind == "bytes" and wire == 2:
            value = value.hex()
        elif isinstance(kind, dict) and wire == 2:
            value = message(value, kind)
        else:
            value = value.hex() if isinstance(value, bytes) else value
            result.setdefault("unknown", []).append({"field": number, "wire": wire, "value": value})
            continue
        if name.endswith("*"):
            result[key].append(value)
        else:
            result[key] = value
    return result


FILE_FEATURE = {
    1: ("path", "str"),
    2: ("type", "u"),
    3: ("min_vaddr", "u"),
    4: ("symbol*", {1: ("vaddr", "u"), 2: ("len", "u"), 3: ("name", "str")}),
    5: ("dex_file", {1: ("dex_file_offset*", "u")}),
    6: ("elf_file", {1: ("file_offset_of_min_vaddr", "u")}),
    7: ("kernel_module", {1: ("memory_offset_of_min_vaddr", "u")}),
}
ETM_ADDRESS = {
    1: ("addr", "u"),
    2: ("branches*", {1: ("branch", "bytes"), 2: ("branch_size", "u"), 3: ("count", "u")}),
}
LBR_BRANCH = {
    1: ("from_binary_id", "u"),
    2: ("to_binary_id", "u"),
    3: ("from_vaddr_in_file", "u"),
    4: ("to_vaddr_in_file", "u"),
}
BRANCH_LIST = {
    1: ("magic", "str"),
    2: (
        "etm_data*",
        {
            1: ("path", "str"),
            2: ("build_id", "str"),
            3: ("addrs*", ETM_ADDRESS),
            4: ("type", "u"),
            5: ("kernel_info", {1: ("kernel_start_addr", "u")}),
        },
    ),
    3: (
        "lbr_data",
        {
            1: ("samples*", {1: ("binary_id", "u"), 2: ("vaddr_in_file", "u"), 3: ("branches*", LBR_BRANCH)}),
            2: ("binaries*", {1: ("path", "str"), 2: ("build_id", "str")}),
        },
    ),
}
DEBUG_UNWIND = {1: ("file*", {1: ("path", "str"), 2: ("size", "u")})}


def feature_debug_unwind(cursor, context):
    return message(cursor.raw(cursor.left()), DEBUG_UNWIND)


def feature_debug_unwind_file(cursor, context):
    return {"data": cursor.hex(cursor.left())}


def feature_file2(cursor, context):
    found = []
    while cursor.left() >= 4:
        size = cursor.u32()
        found.append(dict(message(cursor.raw(size), FILE_FEATURE), size=size))
    return {"files": found}


def feature_etm_branch_list(cursor, context):
    return message(cursor.raw(cursor.left()), BRANCH_LIST)


def feature_init_map(cursor, context):
    return {"data": cursor.hex(cursor.left())}


FEATURE_DECODERS = {
    1: feature_tracing_data,
    2: feature_build_id,
    7: plain_feature("u32 nr_avail, u32 nr_online"),
    10: plain_feature("u64 kb"),
    11: feature_cmdline,
    12: feature_event_desc,
    13: feature_cpu_topology,
    14: counted_feature("nodes", "u32 node, u64 mem_total, u64 mem_free, str64 cpus"),
    15: lambda cursor, context: {},
    16: feature_pmu_mappings,
    17: counted_feature("groups", "str64 name, u32 leader_idx, u32 nr_members", "nr_groups"),
    18: feature_auxtrace,
    19: lambda cursor, context: {},
    20: counted_feature(
        "caches",
        "u32 level, u32 line_size, u32 sets, u32 ways, str64 type, " "str64 size, str64 map",
        head="u32 version",
    ),
    21: plain_feature("u64 first_ns, u64 last_ns"),
    22: feature_mem_topology,
    23: plain_feature("u64 resolution"),
    24: plain_feature("u64 version"),
    25: feature_bpf_prog_info,
    26: feature_bpf_btf,
    27: plain_feature("u32 version, u32 type, u32 level, u32 ratio, u32 mmap_len"),
    28: counted_feature("caps", "str64 name, str64 value"),
    29: plain_feature("u32 version, u32 clockid, u64 wall_clock_ns, u64 clockid_ns"),
    30: counted_feature("pmus", "str64 pmu_name, str64 cpus"),
    31: feature_pmu_caps,
    32: feature_cpu_domain_info,
    33: plain_feature("u32 e_machine, u32 e_flags"),
    34: plain_feature("u32 size"),
    128: feature_file,
    129: feature_meta_info,
    130: feature_debug_unwind,
    131: feature_debug_unwind_file,
    132: feature_file2,
    133: feature_etm_branch_list,
    134: feature_init_map,
}
for string_feature in (3, 4, 5, 6, 8, 9):
    FEATURE_DECODERS[string_feature] = feature_string


def decode_feature(bit, cursor, context):
    """{"fields", "rest"} or {"error"}: as for records.  None: not recorded (a size of 0), or unknown."""
    if bit not in FEATURE_DECODERS or (cursor.left() == 0 and bit not in (15, 19)):
        return None
    try:
        result = {"fields": FEATURE_DECODERS[bit](cursor, context)}
    except Misfit as error:
        return {"error": str(error)}
    if cursor.left():
        result["rest"] = cursor.hex(cursor.left())
    return result


# ---------------------------------------------------------------------------
# simpleperf's records (8.2)
# ---------------------------------------------------------------------------


def decode_kernel_symbol(cursor):
    size = cursor.u32()
    return {"size": size, "data": cursor.hex(size), "pad": cursor.hex(cursor.left())}


def decode_dso(cursor):
    """Old writers have no min_vaddr: then nothing but a name of one word, or the beginning of a longer one,
    is here."""
    fields = cursor.fields("u64 dso_type, u64 dso_id")
    old = cursor.left() == 8
    if cursor.left() > 8:
        at = cursor.pos
        old = chr(cursor.u64() & 0xFF) in PRINTABLE
        cursor.pos = at
    if not old:
        fields["min_vaddr"] = cursor.u64()
    return dict(fields, name=cursor.string())


PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))


def decode_event_id(cursor):
    count = cursor.u64()
    return {"count": count, "entries": cursor.objects("u64 attr_index, u64 event_id", count)}


def decode_simpleperf_callchain(cursor):
    fields = cursor.fields("u32 pid, u32 tid, u64 chain_type, u64 time, u64 nr")
    fields["ips"] = cursor.numbers("u64", fields["nr"])
    fields["sps"] = cursor.numbers("u64", fields["nr"])
    return fields


def decode_unwinding_result(cursor):
    fields = cursor.fields(
        "u64 time, u64 used_time, u64 error_code, u64 error_addr, " "u64 stack_start, u64 stack_end"
    )
    if cursor.left() < 24:
        return fields  # the old form
    fields.update(cursor.fields("u64 abi, u64 reg_mask"))
    fields["regs"] = cursor.numbers("u64", fields["reg_mask"].bit_count())
    fields["stack_size"] = cursor.u64()
    if fields["stack_size"]:
        fields["stack"] = cursor.hex(fields["stack_size"])
        fields["dyn_size"] = cursor.u64()
    if cursor.left() >= 8:
        fields["n"] = cursor.u64()
        fields["ips"] = cursor.numbers("u64", fields["n"])
        fields["sps"] = cursor.numbers("u64", fields["n"])
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
EVENT_UPDATE_RECORD = 78
BPF_METADATA_RECORD = 84
FIRST_TOOL_RECORD = 64
FIRST_SIMPLEPERF_RECORD = 32768

NRCPUS, EVENT_DESC = 7, 12

FEATURE_NAMES = {
    1: "TRACING_DATA",
    2: "BUILD_ID",
    3: "HOSTNAME",
    4: "OSRELEASE",
    5: "VERSION",
    6: "ARCH",
    7: "NRCPUS",
    8: "CPUDESC",
    9: "CPUID",
    10: "TOTAL_MEM",
    11: "CMDLINE",
    12: "EVENT_DESC",
    13: "CPU_TOPOLOGY",
    14: "NUMA_TOPOLOGY",
    15: "BRANCH_STACK",
    16: "PMU_MAPPINGS",
    17: "GROUP_DESC",
    18: "AUXTRACE",
    19: "STAT",
    20: "CACHE",
    21: "SAMPLE_TIME",
    22: "MEM_TOPOLOGY",
    23: "CLOCKID",
    24: "DIR_FORMAT",
    25: "BPF_PROG_INFO",
    26: "BPF_BTF",
    27: "COMPRESSED",
    28: "CPU_PMU_CAPS",
    29: "CLOCK_DATA",
    30: "HYBRID_TOPOLOGY",
    31: "PMU_CAPS",
    32: "CPU_DOMAIN_INFO",
    33: "E_MACHINE",
    34: "CLN_SIZE",
    128: "FILE",
    129: "META_INFO",
    130: "DEBUG_UNWIND",
    131: "DEBUG_UNWIND_FILE",
    132: "FILE2",
    133: "ETM_BRANCH_LIST",
    134: "INIT_MAP",
}


class Record:
    def __init__(self, offset, type_, misc, size):
        self.offset, self.type, self.misc, self.size = offset, type_, misc, size
        self.payload_size = None  # bytes after the record (66 and 71)
        self.old_feature = False  # see PerfFile.google_features

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
        self.features = []  # (bit, offset, size)
        self.records = []
        self.problems = []
        self.owner_of_id = {}
        self.event_names = []  # (from where in the file on, event id or None, number of the attr, name)
        self.early_mmap2 = False
        self.context = {}
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
        self.header = {
            "container": "pipe" if self.pipe else "file",
            "magic": magic.decode("ascii"),
            "byte_order": self.order,
            "size": size,
        }
        if self.pipe:
            data_start, data_end = 16, len(data)
        else:
            data_start, data_end = self.read_file_header(size)
        self.frame_records(data_start, data_end)
        if self.pipe:
            self.collect_pipe_attrs()
        self.map_ids()
        self.learn_update_names()
        self.early_mmap2 = self.is_early_mmap2()
        self.context = self.feature_context()
        self.build_id_without_pid = any(
            record.type == BUILD_ID_RECORD
            and data[record.offset + 36 : record.offset + 49] == b"nel.kallsyms]"
            for record in self.records
        )

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
            self.problem(f"the data section ends at {start + length}, the file at {len(data)}", len(data))
            return min(start, len(data)), len(data)
        if start < size:
            self.problem("the data section begins inside the header", 40)
            return len(data), len(data)
        if header["unfinished"]:
            return start, len(data)  # to the end of the file, no features (1.6)
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
                word |= int.from_bytes(bitmap[index : index + step], "big") << 8 * index
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
        for at in range(section["offset"], section["offset"] + section["size"] - attr_size + 1, attr_size):
            if at + attr_size > len(self.data):
                self.problem("the attrs section runs past the end of the file", at)
                return
            attr = Attr(bytes(self.data[at : at + attr_size - 16]), self.order)
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
                self.problem("the event_types section runs past the end of the file", section["offset"])
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
        taken = sorted((offset, offset + size, bit) for bit, offset, size in self.features if size)
        for (_, end, bit), (offset, _, other) in zip(taken, taken[1:]):
            if offset < end:
                self.problem(f"feature sections {bit} and {other} overlap", offset)

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
                record.size += record.misc << 16  # 8.1
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
                    self.problem(
                        f"{record.payload_size} bytes should follow the record, " f"{end - at} do",
                        record.offset,
                    )
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
                payload = bytes(self.data[record.offset + 8 : record.end])
                try:
                    attr, size = split_attr_record(payload, self.order)
                except Misfit:
                    continue  # the record itself is printed as an error
                attr.ids = Cursor(payload, size, len(payload), self.order).numbers(
                    "u64", (len(payload) - size) // 8
                )
                self.attrs.append(attr)

    def map_ids(self):
        for attr in self.attrs:
            for event_id in attr.ids:
                self.owner_of_id.setdefault(event_id, attr)
        # EVENT_DESC repeats the ids; it fills in those the attrs lack.
        sources = [(offset, offset + size) for bit, offset, size in self.features if bit == EVENT_DESC]
        sources += [
            (record.offset + 16, record.end)
            for record in self.records
            if record.type == FEATURE_RECORD
            and record.size > 16
            and self.cursor(record.offset + 8, record.end).u64() == EVENT_DESC
        ]
        for start, end in sources:
            if end <= len(self.data):
                self.map_event_desc(self.cursor(start, end))

    def map_event_desc(self, cursor):
        try:
            nr, attr_size = cursor.u32(), cursor.u32()
            for index in range(nr):
                cursor.raw(attr_size)
                nr_ids = cursor.u32()
                name = cursor.string(cursor.u32())["text"]
                self.event_names.append((cursor.pos if self.pipe else 0, None, index, name))
                for event_id in cursor.numbers("u64", nr_ids):
                    if index < len(self.attrs):
                        self.owner_of_id.setdefault(event_id, self.attrs[index])
        except Misfit:
            pass  # what was read so far is as good as any

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
                # Every form without a trailer is 4 mod 8, and the name in front of a trailer has its NUL.
                size = trailer_size(self.owner(record))
                if record.size % 8 != 0 or self.data.find(b"\0", record.offset + 36, record.end - size) < 0:
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
            name = bytes(self.data[record.offset + 64 : record.end - size])
            length = name.find(b"\0")
            # A prot in this place would be a byte or two and a NUL.
            if record.misc & 0x4000 or length < 1 or name[0] < 0x20 or len(name) != round_up(length + 1, 8):
                return False
            seen = True
        return seen

    def learn_update_names(self):
        for record in self.records:
            if record.type == EVENT_UPDATE_RECORD:
                try:
                    fields = decode_event_update(self.cursor(record.offset + 8, record.end))
                except Misfit:
                    continue
                if fields["type"] == 2:
                    self.event_names.append((record.end, fields["id"], None, fields["name"]["text"]))

    def name_at(self, offset, attr):
        """What the recording has called an event by a place: EVENT_UPDATE, of these the last, else
        EVENT_DESC."""
        said = [one for one in self.event_names if one[0] <= offset]
        updates = [name for _, event_id, _, name in said if event_id is not None and event_id in attr.ids]
        described = [
            name
            for _, _, index, name in said
            if index is not None and self.attrs[index : index + 1] == [attr]
        ]
        return (updates[-1:] or described[-1:] or [None])[0]

    def offcpu(self, record, fields):
        """What a sample of the event offcpu-time has in its raw data; None: it is no such sample."""
        attr = self.owner(record)
        if record.type != SAMPLE_RECORD or "raw" not in fields or attr is None:
            return None
        bpf_output = attr.get("type") == 1 and attr.get("config") == 10
        name = self.name_at(record.offset, attr)
        if not bpf_output or name not in ("offcpu-time", None):
            return None
        found = decode_offcpu(bytes.fromhex(fields["raw"]["data"]), self.order)
        marked = found and found["ips"][:1] and found["ips"][0] >= 2**64 - 4095
        return found if name or marked else None

    # -- decoding one record -------------------------------------------------

    def decode(self, record):
        result = {"offset": record.offset, "type": record.type, "misc": record.misc, "size": record.size}
        try:
            attr, size = self.trailer_of(record)
            if size > record.size - 8:
                raise Misfit(f"{record.size - 8} bytes cannot hold a trailer of {size}")
            cursor = self.cursor(record.offset + 8, record.end - size)
            result["fields"] = self.decode_fields(record, cursor, attr)
            if size:
                trailer = self.cursor(record.end - size, record.end)
                result["trailer"] = decode_trailer(trailer, attr)
            offcpu = self.offcpu(record, result["fields"])
            if offcpu is not None:
                result["offcpu"] = offcpu
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
            counters_likely = any(other.get("branch_sample_type") & BRANCH_COUNTERS for other in self.attrs)
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

    # -- features ------------------------------------------------------------

    def feature_context(self):
        """What some features need of others (5.11); only what comes before the record counts for one in a
        pipe."""
        for bit, offset, size in self.features:
            if bit == NRCPUS and size >= 8 and offset + size <= len(self.data):
                return {"nr_cpus_avail": self.cursor(offset, offset + size).u32()}
        for record in self.records:
            start = record.offset + (8 if record.old_feature else 16)
            if (
                record.old_feature
                and record.type == 66 + NRCPUS
                or (
                    record.type == FEATURE_RECORD
                    and record.size >= 24
                    and self.cursor(record.offset + 8, record.end).u64() == NRCPUS
                )
            ):
                return {"nr_cpus_avail": self.cursor(start, record.end).u32()}
        return {}

    def decode_feature_section(self, bit, offset, size):
        if offset + size > len(self.data):
            return None
        return decode_feature(bit, self.cursor(offset, offset + size), self.context)

    def decode_feature_record(self, record):
        """The feature inside HEADER_FEATURE, or one of Google's old pipes."""
        if record.old_feature:
            return decode_feature(record.type - 66, self.cursor(record.offset + 8, record.end), self.context)
        cursor = self.cursor(record.offset + 8, record.end)
        return decode_feature(cursor.u64(), cursor, self.context) if record.size >= 16 else None

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
            line = {"feature": bit, "name": FEATURE_NAMES.get(bit), "offset": offset, "size": size}
            line.update(self.decode_feature_section(bit, offset, size) or {})
            yield line


OTHER_DECODERS = {
    16: decode_namespaces,
    20: decode_text_poke,
    22: decode_callchain_deferred,
    64: decode_header_attr,
    65: decode_event_type,
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
    32769: decode_kernel_symbol,
    32770: decode_dso,
    32774: decode_event_id,
    32775: decode_simpleperf_callchain,
    32776: decode_unwinding_result,
    32777: decode_kernel_symbol,
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
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `... | head` is no error
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
