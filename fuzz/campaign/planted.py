# SPDX-License-Identifier: MIT
"""planted.py - first inputs of harnesses that take recordings: those of corpus/conformance, small ones of
each feature and trap of the format, behind options that follow from their names. The same ones each time."""
import hashlib
import pathlib
import struct
import sys

CONFORMANCE = pathlib.Path(__file__).resolve().parents[2] / "corpus/conformance"
LARGEST = 16 << 10  # of an input
# Bytes of options before the recordings, how many recordings, and with how many different options each.
FRONTS = {
    "file": (0, 1, 1),
    "stream": (8, 1, 1),
    "export": (4, 1, 6),
    "pipeline": (12, 1, 3),
    "ops": (8, 2, 6),
}


def options(n, *names):
    return hashlib.sha512(" ".join(map(str, names)).encode()).digest()[:n]


def recordings():
    """By their byte order: two of different orders have nothing in common."""
    files = sorted(path for path in CONFORMANCE.glob("*.data") if path.is_file())
    for big in (False, True):
        yield [path for path in files if path.name.endswith(".be.data") == big]


def put(harness, folder, front, parts):
    if harness == "ops":  # the sizes of the first two; the third is the rest
        front += struct.pack("<II", len(parts[0]), 0)
    data = front + b"".join(parts)
    if len(data) <= LARGEST:
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


MERGE, REPAIR = 1, 4  # of the first byte of "ops"


def chosen(operation, at, value, *names):
    """Options of one operation, in which a byte has a value."""
    front = bytearray(options(8, *names))
    front[0], front[at] = operation, value
    return bytes(front)


def plant_pairs(folder, files):
    """What needs two recordings of one kind: a merge, and a repair with what another one has."""
    for path in files:
        data = path.read_bytes()
        put("ops", folder, chosen(MERGE, 1, 0, path.name), [data, data])
        if data[8:16] in ((16).to_bytes(8, "little"), (16).to_bytes(8, "big")):
            continue  # a stream
        for lost in ((0, 104), (104, 232), (104, 512)):
            damaged = data[: lost[0]] + bytes(lost[1] - lost[0]) + data[lost[1] :]
            put("ops", folder, chosen(REPAIR, 6, 1, path.name, *lost), [damaged, data])


def plant(harness, folder):
    n_options, n_parts, times = FRONTS.get(harness, (0, 0, 0))
    folder.mkdir(parents=True, exist_ok=True)
    for files in recordings():
        if harness == "ops":
            plant_pairs(folder, files)
        for i, path in enumerate(files):
            for k in range(times):
                front = options(n_options, path.name, k)
                others = [files[(i + k * k * 7 + 1) % len(files)] for _ in range(n_parts - 1)]
                put(harness, folder, front, [part.read_bytes() for part in [path, *others]])


if __name__ == "__main__":
    plant(sys.argv[1], pathlib.Path(sys.argv[2]))
