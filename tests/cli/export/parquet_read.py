#!/usr/bin/env python3
"""parquet_read.py FILE [COLUMN]...: the rows of a Parquet file, with tabs between, behind the names of their
columns; \\N is a missing value, [1,2] a list. Reads by the documents of apache/parquet-format and Thrift's
compact protocol, and checks what they demand: sizes, counts, and that the least and the greatest value of
each group are what the values have. To stderr: the groups, with their rows and times."""
import ctypes
import struct
import sys

zstd = ctypes.CDLL("libzstd.so.1")
zstd.ZSTD_decompress.restype = ctypes.c_size_t


class Thrift:
    """Structures as {field: value}; lists as lists; binaries as bytes."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def zigzag(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self.byte()
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            size = self.varint()
            self.at += size
            assert self.at <= len(self.data)
            return bytes(self.data[self.at - size : self.at])
        if kind == 9:
            head = self.byte()
            size = self.varint() if head >> 4 == 15 else head >> 4
            return [self.value(head & 15) for _ in range(size)]
        assert kind == 12, kind
        return self.struct()

    def struct(self):
        found, field = {}, 0
        while (head := self.byte()) != 0:
            field = field + (head >> 4) if head >> 4 else self.zigzag()
            found[field] = self.value(head & 15)
        return found


def hybrid(data, width, n):
    """n numbers of `width` bits: runs, and groups of eight."""
    reader, out = Thrift(data), []
    while len(out) < n:
        head = reader.varint()
        size = width * (head >> 1) if head & 1 else (width + 7) // 8
        number = int.from_bytes(data[reader.at : reader.at + size], "little")
        assert reader.at + size <= len(data)
        reader.at += size
        if head & 1:
            out += [number >> width * i & (1 << width) - 1 for i in range(8 * (head >> 1))]
        else:
            out += [number] * (head >> 1)
    assert len(out) - n < 8 and not any(out[n:]) and reader.at == len(data)
    return out[:n]


def plain(data, n, leaf):
    if leaf["type"] == 6:
        out, at = [], 0
        for _ in range(n):
            (size,) = struct.unpack_from("<I", data, at)
            out.append(data[at + 4 : at + 4 + size].decode())
            at += 4 + size
        assert at == len(data)
        return out
    letter = {1: "i", 2: "q"}[leaf["type"]]
    return list(struct.unpack(f"<{n}{letter if leaf['signed'] else letter.upper()}", data))


def leaves(schema):
    """Each column with its type and depth."""
    assert schema[0][5] == sum(1 for e in schema[1:] if b"list" != e[4] and b"element" != e[4])
    found, at = [], 1
    while at < len(schema):
        e = schema[at]
        is_list = 5 in e
        if is_list:
            assert e[6] == 3 and schema[at + 1][3] == 2 and schema[at + 2][3] == 0
            at += 2
        last = schema[at]
        integer = last[10].get(10, {2: False})
        assert (last[1] == 6) == (1 in last[10]) and integer.get(1, 64) == {1: 32, 2: 64, 6: 64}[last[1]]
        assert e[3] == 1 and last.get(6) == (0 if last[1] == 6 else None if integer[2] else 12 + last[1])
        found.append({"name": e[4].decode(), "type": last[1], "signed": integer[2], "list": is_list})
        at += 1
    return found


def pages(data, meta):
    """Yields each page's head and bytes."""
    at, end = meta.get(11, meta[9]), meta.get(11, meta[9]) + meta[7]
    size = 0
    while at < end:
        head = Thrift(data, at)
        page = head.struct()
        packed = data[head.at : head.at + page[3]]
        raw = ctypes.create_string_buffer(page[2] + 1)
        sizes = [ctypes.c_size_t(n) for n in (page[2], len(packed))]
        assert zstd.ZSTD_decompress(raw, sizes[0], packed, sizes[1]) == page[2]
        size += page[2] + head.at - at
        at = head.at + page[3]
        yield page, raw.raw[: page[2]]
    assert at == end and size == meta[6]


def levels(data, at, n, width):
    (size,) = struct.unpack_from("<I", data, at)
    return hybrid(data[at + 4 : at + 4 + size], width, n), at + 4 + size


def column(data, meta, leaf):
    """The values of a column in a group."""
    entries, out = None, []
    for page, raw in pages(data, meta):
        if page[1] == 2:
            entries = plain(raw, page[7][1], leaf)
            continue
        n, encoding, at = page[5][1], page[5][2], 0
        repeated = [0] * n
        if leaf["list"]:
            repeated, at = levels(raw, at, n, 1)
        depth, at = levels(raw, at, n, 2 if leaf["list"] else 1)
        most = 2 if leaf["list"] else 1
        there = sum(d == most for d in depth)
        if encoding == 8:
            values = [entries[i] for i in hybrid(raw[at + 1 :], raw[at], there)]
        else:
            assert encoding == 0
            values = plain(raw[at:], there, leaf)
        assert n == meta[5] and encoding in meta[2]
        check_range(meta, leaf, values, n - there)
        values = iter(values)
        for again, d in zip(repeated, depth):
            if not leaf["list"]:
                out.append(next(values) if d else None)
            elif again:
                out[-1].append(next(values))
            else:
                out.append([next(values)] if d == 2 else [] if d else None)
    return out


def check_range(meta, leaf, values, missing):
    statistics = meta[12]
    assert statistics[3] == missing, (leaf, statistics)
    if values and 5 in statistics:
        told = [statistics[6], statistics[5]]
        told = [t.decode() for t in told] if leaf["type"] == 6 else plain(b"".join(told), 2, leaf)
        key = str.encode if leaf["type"] == 6 else None
        assert told == [min(values, key=key), max(values, key=key)], (leaf, told)
    else:
        assert not values or leaf["type"] == 6, leaf


def text(value):
    if value is None:
        return "\\N"
    return "[" + ",".join(map(str, value)) + "]" if isinstance(value, list) else str(value)


def main(path, wanted):
    data = open(path, "rb").read()
    assert data[:4] == data[-4:] == b"PAR1"
    (size,) = struct.unpack("<I", data[-8:-4])
    reader = Thrift(data[: len(data) - 8], len(data) - 8 - size)
    footer = reader.struct()
    assert reader.at == len(data) - 8 and footer[1] == 1 and footer[6] == b"perfdata"
    columns = leaves(footer[2])
    names = [c["name"] for c in columns]
    assert footer[7] == [{1: {}}] * len(columns)
    wanted = [names.index(w) for w in wanted] or range(len(names))
    print(*(names[i] for i in wanted), sep="\t")
    rows, end = 0, 4
    for group in footer[4]:
        assert len(group[1]) == len(columns)
        values = []
        for chunk, leaf in zip(group[1], columns):
            meta = chunk[3]
            assert meta[4] == 6 and meta[1] == leaf["type"] and meta[3][0].decode() == leaf["name"]
            assert chunk[2] == meta.get(11, meta[9]) == end
            end += meta[7]
            values.append(column(data, meta, leaf))
        assert all(len(v) == group[3] for v in values)
        times = [t for t in values[names.index("time")] if t is not None]
        print(f"group of {group[3]}:", min(times, default="-"), max(times, default="-"), file=sys.stderr)
        rows += group[3]
        for row in zip(*(values[i] for i in wanted)):
            print(*map(text, row), sep="\t")
    assert rows == footer[3] and end == len(data) - 8 - size


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
