#!/usr/bin/env python3
"""export_read.py FORMAT FILE: a profile of pprof, speedscope or the Firefox Profiler as lines of folded
stacks, in order. Reads by the documents of these formats, and checks what they demand: sizes of columns,
numbers that refer to something, the sum of a profile. To stderr: files with their build ids, what of them
pprof takes for mapped, types of samples or profiles with their units and sums."""
import collections
import gzip
import json
import sys

lines = collections.Counter()


def emit(event, head, frames, value):
    lines[";".join([event, *head, *frames])] += value


# ---- pprof


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """The fields of a message: {number: [value]}."""
    at, found = 0, collections.defaultdict(list)
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        else:
            assert tag & 7 == 2, tag
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        found[tag >> 3].append(value)
    return found


def numbers(values):
    """Of a repeated number, packed or not."""
    out = []
    for value in values:
        at = 0
        while isinstance(value, bytes) and at < len(value):
            number, at = varint(value, at)
            out.append(number)
        if isinstance(value, int):
            out.append(value)
    return out


def one(message, field, default=0):
    return message[field][-1] if message[field] else default


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def read_pprof(path):
    profile = fields(gzip.open(path).read())
    strings = [s.decode("utf-8") for s in profile[6]]
    assert strings[0] == "", strings[0]
    types = [strings[one(fields(t), 1)] for t in profile[1]]
    units = {strings[one(fields(t), 2)] for t in profile[1]}
    told.extend(f"type {strings[one(fields(t), 1)]} {strings[one(fields(t), 2)]}" for t in profile[1])
    assert units <= {"count", "nanoseconds", "samples"}, units
    mappings, locations, functions = {}, {}, {}
    for raw in profile[5]:
        function = fields(raw)
        functions[one(function, 1)] = strings[one(function, 2)]
    for raw in profile[3]:
        m = fields(raw)
        mappings[one(m, 1)] = m
    told.extend(f"first {strings[one(m, 5)]}" for m in list(mappings.values())[:1])
    for raw in profile[4]:
        location = fields(raw)
        address, name = one(location, 3), "[unknown]"
        if one(location, 2):
            m = mappings[one(location, 2)]
            start, limit = one(m, 2), one(m, 3)
            assert location[4] or start <= address < limit or limit == (1 << 64) - 1, (start, address, limit)
            name = strings[one(m, 5)]
            ids.add((name, strings[one(m, 6)]))
            base = start - one(m, 4)  # of byte 0 of the file; else it goes by address
            if base >= 1 << 32 and base % (1 << 32) == 0 and base < 1 << 48:
                address -= base
            ranges.add(f"range {name} {one(m, 4):#x} {limit - start:#x}")
        assert one(location, 1) not in locations
        locations[one(location, 1)] = f"{name}+0x{address:x}"
        if location[4]:
            (line,) = location[4]
            assert one(m, 7) == 1
            locations[one(location, 1)] = functions[one(fields(line), 1)]
    for raw in profile[2]:
        sample = fields(raw)
        labels = {}
        for label in map(fields, sample[3]):
            text = strings[one(label, 2)] if label[2] else str(signed(one(label, 3)))
            labels[strings[one(label, 1)]] = text
        head = [labels["comm"]] + [f"{key} {labels[key]}" for key in ("pid", "tid")]
        frames = [locations[i] for i in reversed(numbers(sample[1]))]
        values = numbers(sample[2])
        assert len(values) == len(types)
        for event, value in zip(types, values):
            if value:
                emit(event, head, frames, value)


# ---- speedscope


def heads(name, event):
    """The event, and what stands before the frames, from the name of a profile."""
    if ": " in name and event is None:
        event, name = name.split(": ", 1)
    comm, pid, tid = name[: name.rindex(" pid ")], *name[name.rindex(" pid ") + 1 :].split(" tid ")
    return event or "", [comm, pid, "tid " + tid]


def read_speedscope(path):
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    assert profile["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    names = [frame["name"] for frame in profile["shared"]["frames"]]
    assert len(set(names)) == len(names)
    for p in profile["profiles"]:
        assert p["type"] == "sampled" and p["unit"] in ("none", "nanoseconds"), p
        assert len(p["samples"]) == len(p["weights"]) > 0
        told.append(f"profile {p['name']} {p['unit']} {p['endValue']}")
        assert p["startValue"] == 0 and p["endValue"] == sum(p["weights"])
        event, head = heads(p["name"], None)
        for sample, weight in zip(p["samples"], p["weights"]):
            emit(event, head, [names[i] for i in sample], weight)


# ---- Firefox Profiler


def check_columns(table):
    for name, column in table.items():
        assert not isinstance(column, list) or len(column) == table["length"], name


def read_firefox(path):
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    assert profile["meta"]["preprocessedProfileVersion"] == 48
    for thread in profile["threads"]:
        for table in thread.values():
            if isinstance(table, dict):
                check_columns(table)
        stacks, samples = thread["stackTable"], thread["samples"]
        paths = []
        for prefix, frame in zip(stacks["prefix"], stacks["frame"]):
            function = thread["frameTable"]["func"][frame]
            name = thread["stringArray"][thread["funcTable"]["name"][function]]
            paths.append((paths[prefix] if prefix is not None else []) + [name])
        assert len({tuple(path) for path in paths}) == len(paths), "a stack twice"
        event, head = heads(thread["name"], None)
        assert head[1] == f"pid {thread['pid']}" and head[2] == f"tid {thread['tid']}", head
        assert samples["time"] == sorted(samples["time"])
        for stack, weight in zip(samples["stack"], samples["weight"]):
            emit(event, head, paths[stack] if stack is not None else [], weight)


ids, ranges, told = set(), set(), []
{"pprof": read_pprof, "speedscope": read_speedscope, "firefox": read_firefox}[sys.argv[1]](sys.argv[2])
for line, total in sorted(lines.items()):
    print(line.lstrip(";") if sys.argv[1] != "pprof" else line, total)
for name, build_id in sorted(ids):
    print(f"{build_id or '-'} {name}", file=sys.stderr)
for text in told + sorted(ranges):
    print(text, file=sys.stderr)
