# SPDX-License-Identifier: MIT
"""Every field of recordings as `perfdata decode` prints it, and columns as the records have them."""

import itertools
import json
import subprocess

import numpy as np
import pytest
from conftest import COMMAND

import perfdata
from perfdata import records

MOST = 1500  # records of each recording
FIRST_OF_TOOLS = 64  # records of this type or more are perf's own


def decoded(path, most=MOST):
    """The first records that the command prints."""
    with subprocess.Popen(
        [COMMAND, "decode", str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as command:
        lines = (json.loads(line) for line in command.stdout)
        yield from itertools.islice((line["record"] for line in lines if "record" in line), most)
        command.stdout.close()
        command.kill()


def opened(path):
    try:
        return perfdata.open(path)
    except perfdata.Error as why:
        pytest.skip(str(why))


def following(reader, inner=False):
    """Its records, up to damage; the command leaves those inside of compressed ones where they are."""
    try:
        yield from (record for record in reader if inner or not record.inner)
    except perfdata.Damaged:
        return


def same_text(printed, value):
    if isinstance(printed, dict):
        return bytes.fromhex(printed["hex"]) == value.encode(errors="surrogateescape")
    return printed == value


def compare(record, path, printed, value):
    if isinstance(value, dict):
        names = [name for name in printed if name in value or not name.endswith("_pad")]
        # An empty tail is left out.
        assert sorted(names) == sorted(n for n in value if value[n] != b"" or n in printed), path
        for name in names:
            compare(record, f"{path}.{name}", printed[name], value[name])
    elif isinstance(value, list):
        assert len(printed) == len(value), path
        for i, element in enumerate(value):
            compare(record, f"{path}[{i}]", printed[i], element)
    elif isinstance(value, bytes):
        assert printed == value.hex(), path
    elif isinstance(value, str):
        assert same_text(printed, value), path
    elif isinstance(printed, int):
        assert printed == value, path
    elif printed[0] == "-" or printed[0].isdigit():
        assert int(printed, 0) == value, path
    else:
        assert printed == record.text(path), path


def test_values(recording):
    with opened(recording) as reader:
        for printed, record in zip(decoded(recording), following(reader)):
            assert int(printed["offset"]) == record.offset
            assert printed["size"] == record.size
            assert printed.get("attr") == record.event
            assert record.decoded == ("raw" not in printed)
            if not record.decoded:
                assert bytes.fromhex(printed["raw"]) == record.raw[8:]
                continue
            fields = record.fields()
            trailer, rest = fields.pop("sample_id", None), fields.pop("rest", b"")
            assert printed.get("rest", "") == rest.hex()
            if isinstance(record, perfdata.Unknown):
                assert not fields
            else:
                compare(record, type(record).LAYOUT, printed.get(type(record).LAYOUT, {}), dict(fields))
            assert ("sample_id" in printed) == (trailer is not None)
            if trailer is not None:
                compare(record, "sample_id", printed["sample_id"], trailer)


def test_compressed(recording, tmp_path):
    """What is inside of compressed records is what the command writes without compression."""
    with opened(recording) as reader:
        ours = [r.raw for r in itertools.islice(following(reader, True), MOST) if r.type < FIRST_OF_TOOLS]
    with opened(recording) as reader:
        inner = any(r.inner for r in itertools.islice(following(reader, True), MOST))
    if not inner:
        pytest.skip("not compressed")
    plain = tmp_path / "plain.data"
    subprocess.run([COMMAND, "convert", "--decompress", str(recording), "-o", str(plain)], check=True)
    with perfdata.open(plain) as reader:
        kernels = (r.raw for r in following(reader) if r.type < FIRST_OF_TOOLS)
        theirs = list(itertools.islice(kernels, len(ours)))
    assert ours == theirs


def test_as_many(recording):
    with opened(recording) as reader:
        ours = sum(1 for _ in itertools.islice(following(reader), MOST))
    if ours < MOST:
        assert ours == sum(1 for _ in decoded(recording))


PATHS = (
    "ip",
    "pid",
    "tid",
    "time",
    "addr",
    "period",
    "cpu",
    "data_src",
    "callchain.nr",
    "callchain.ips[1]",
    "read.value",
    "header.misc",
)


def test_columns(recording):
    """Batches of sizes that do not divide the number of samples."""
    with opened(recording) as reader:
        batches = reader.columns(*PATHS, "event", batch=97, masks=True, skip_damaged=True)
        batches = list(itertools.islice(batches, 12))
    with opened(recording) as reader:
        samples = (r for r in following(reader, True) if isinstance(r, records.Sample) and r.decoded)
        for batch in batches:
            assert 0 < batch.rows <= 97
            for row, sample in zip(range(batch.rows), samples):
                assert batch["event"][row] == (2**32 - 1 if sample.event is None else sample.event)
                for path in PATHS:
                    value = sample.misc if path == "header.misc" else sample.get(path)
                    assert batch.present[path][row] == (value is not None), path
                    assert batch[path][row] == (value or 0), path


def test_arrays(recording):
    with opened(recording) as reader:
        whole = reader.arrays("ip", "tid", skip_damaged=True)
    with opened(recording) as reader:
        parts = list(reader.columns("ip", "tid", batch=1000, skip_damaged=True))
    assert whole["ip"].dtype == np.uint64 and whole["tid"].dtype == np.int32
    assert whole.rows == sum(batch.rows for batch in parts)
    if parts:
        assert (whole["ip"] == np.concatenate([batch["ip"] for batch in parts])).all()
