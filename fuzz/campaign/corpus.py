# SPDX-License-Identifier: MIT
"""corpus.py - the inputs that are kept from one session to the next, fuzz/corpus/HARNESS.tar.xz: those that
together reach what was ever reached, the smallest first, as far as there is room. The same inputs give the
same archive."""
import hashlib
import io
import lzma
import pathlib
import tarfile

KEPT = pathlib.Path(__file__).resolve().parents[1] / "corpus"
MOST = 8 << 20  # bytes of all archives
SHARE = 600 << 10  # and of one
LARGEST = 32 << 10  # of an input


def path_of(harness):
    return KEPT / f"{harness}.tar.xz"


def unpack(harness, folder):
    """Into a folder, under names that libFuzzer gives them."""
    folder.mkdir(parents=True, exist_ok=True)
    if not path_of(harness).exists():
        return
    with tarfile.open(path_of(harness)) as archive:
        for member in archive:
            data = archive.extractfile(member).read()
            (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def archived(inputs):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for data in inputs:
            member = tarfile.TarInfo(hashlib.sha1(data).hexdigest())
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return lzma.compress(out.getvalue(), preset=9)


def pack(harness, folder):
    """The inputs of a folder, whose archive replaces the harness's. Returns how many there was room for."""
    inputs = {path.read_bytes() for path in folder.iterdir() if path.stat().st_size <= LARGEST}
    inputs = sorted(inputs, key=lambda data: (len(data), data))
    n = len(inputs)
    while len(packed := archived(inputs[:n])) > SHARE:
        n = min(n - 1, n * SHARE // len(packed))
    KEPT.mkdir(exist_ok=True)
    path_of(harness).write_bytes(packed)
    return n
