# SPDX-License-Identifier: MIT
"""New recordings, filtered ones, and what goes wrong."""

import inspect
import json
import os
import re
import subprocess
import sys

import pytest
from conftest import COMMAND, SOURCE, recordings

import perfdata
from perfdata import _base, records
from perfdata.__main__ import main as perfdata_main
from perfdata._lib import ffi, lib

TWO = SOURCE / "corpus" / "two-events.data"
GRAPH = SOURCE / "corpus" / "callgraph.data"


def command(*arguments):
    line = [COMMAND, *map(str, arguments)]
    return subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True).stdout


@pytest.mark.parametrize("container", ["file", "pipe"])
@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("compress", [False, True])
def test_made_by_hand(tmp_path, container, order, compress):
    path = tmp_path / "new.data"
    with perfdata.Writer(path, container=container, order=order, compress=compress) as writer:
        first = writer.event(
            type="SOFTWARE",
            config=0,
            sample_period=7,
            name="first",
            sample_type="IP|TID|TIME|CALLCHAIN|IDENTIFIER|REGS_USER",
            sample_regs_user=5,
        )
        second = writer.event(type="HARDWARE", config=1, name="second", sample_type="IP|TID|TIME|IDENTIFIER")
        writer.feature(records.FeatureHostname(text="här"))
        writer.write(records.Comm(pid=7, tid=8, comm="näme\udcff"))
        writer.write(
            records.Mmap2(misc=2, pid=7, tid=8, addr=0x400000, len=4096, filename="/bin/x", prot=5), first
        )
        writer.write(
            records.Sample(
                ip=0x400123,
                pid=7,
                tid=-1,
                time=5,
                callchain={"ips": [2**64 - 512, 0x400123]},
                regs_user={"abi": 2, "regs": [1, 2**63]},
            ),
            first,
        )
        writer.write(records.Sample(ip=1, pid=7, tid=8, time=6), second)
        spaces = [{"dev": 3, "inode": 4}, {"dev": 5, "inode": 6}]
        writer.write(records.Namespaces(pid=7, tid=8, namespaces=spaces), first)
    command("check", "-q", path)
    with perfdata.open(path) as reader:
        found = [r for r in reader if r.type < 64]
        assert (reader.container, reader.order) == (container, order)
        assert [event.name for event in reader.events] == ["first", "second"]
        assert reader.events[0].sample_period == 7
        assert reader.features["hostname"].text == "här"
    comm, mapping, sample, other, spaces = found
    assert (comm.pid, comm.tid, comm.comm, comm.event) == (7, 8, "näme\udcff", 0)
    assert (mapping.filename, mapping.addr, mapping.misc, mapping.prot) == ("/bin/x", 0x400000, 2, 5)
    assert (sample.ip, sample.tid, sample.event) == (0x400123, -1, 0)
    assert sample.callchain.nr == 2 and sample.callchain.ips == [2**64 - 512, 0x400123]
    assert sample.regs_user.regs == [1, 2**63]
    assert (other.ip, other.event, other.callchain, other.addr) == (1, 1, None, None)
    assert spaces.namespaces[1].inode == 6 and isinstance(spaces.namespaces[1], records.NamespaceEntry)


def test_copy(recording, tmp_path):
    """Events and records of a recording that are written again have the same bytes."""
    path = tmp_path / "copy.data"
    try:
        with perfdata.open(recording) as reader:
            container = "pipe" if reader.container == "pipe" else "file"
            if container == "pipe":
                pytest.skip("its events are records")
            with perfdata.Writer(path, container=container, order=reader.order) as writer:
                for event in reader.events:
                    writer.event(event, name=None)
                kept = []
                for record, _ in zip(reader, range(1500)):
                    if record.type < 64 and record.decoded:
                        writer.write(record)
                        kept.append(record.raw)
    except perfdata.Refused as why:
        assert "attr_index" in str(why) or "attrs[" in str(why)  # of an event that readers would not find
        pytest.skip(str(why))
    except perfdata.Error as why:
        pytest.skip(str(why))
    with perfdata.open(path) as reader:
        assert [record.raw for record in reader] == kept


def test_changed(tmp_path):
    path = tmp_path / "new.data"
    with perfdata.open(TWO) as reader, perfdata.Writer(path) as writer:
        for event in reader.events:
            writer.event(event)
        for record in reader:
            if isinstance(record, records.Sample):
                record.period = record.period * 2
                record.set("tid", -1)
                writer.write(record)
    with perfdata.open(TWO) as reader:
        before = reader.arrays("period", "ip")
    with perfdata.open(path) as reader:
        after = reader.arrays("period", "ip", "tid")
    assert (after["period"] == before["period"] * 2).all() and (after["ip"] == before["ip"]).all()
    assert (after["tid"] == -1).all()


@pytest.mark.parametrize(
    "ours, theirs",
    [
        ({"keep": {"comms": ["perf-exec", "name1"]}}, ["--comms", "perf-exec,name1"]),
        ({"keep": {"times": [(0, 1), (1000, 2**63)]}}, ["--time", "0.0,0.000000001 0.000001,"]),
        ({"every": 3, "limit": 5}, ["--every", "3", "--limit", "5"]),
        ({"drop": {"tids": [22746]}}, ["--exclude-tid", "22746"]),
        ({"keep": {"events": [1]}, "sideband": "all"}, ["--event", "page-faults", "--sideband", "all"]),
    ],
)
def test_filter(tmp_path, ours, theirs):
    mine, wanted = tmp_path / "mine.data", tmp_path / "wanted.data"
    counts = perfdata.filter(TWO, mine, **ours)
    subprocess.run([COMMAND, "filter", "-q", *theirs, str(TWO), "-o", str(wanted)], check=False)
    assert mine.read_bytes() == wanted.read_bytes()
    assert counts["kept_samples"] == len([1 for r in perfdata.open(mine) if isinstance(r, records.Sample)])


def test_predicate(tmp_path):
    with perfdata.open(GRAPH) as reader:
        wanted = [r.raw for r in reader if isinstance(r, records.Sample) and r.ip % 2 and r.callchain]
    perfdata.filter(GRAPH, tmp_path / "odd.data", predicate=lambda r: r.ip % 2 and r.callchain)
    with perfdata.open(tmp_path / "odd.data") as reader:
        assert wanted and wanted == [r.raw for r in reader if isinstance(r, records.Sample)]
    with pytest.raises(ZeroDivisionError):
        perfdata.filter(GRAPH, tmp_path / "none.data", predicate=lambda r: 1 // 0)
    assert [path.name for path in tmp_path.iterdir()] == ["odd.data"]


def test_filter_replaces(tmp_path):
    path, other = tmp_path / "a.data", tmp_path / "b.data"
    before = TWO.read_bytes()
    path.write_bytes(before)
    with pytest.raises(ZeroDivisionError):
        perfdata.filter(path, path, predicate=lambda r: 1 // 0)
    with pytest.raises(OSError):
        perfdata.filter(path, tmp_path)
    with pytest.raises(perfdata.Failed):
        perfdata.filter(path, tmp_path / "none" / "a.data")
    assert path.read_bytes() == before and len(list(tmp_path.iterdir())) == 1
    perfdata.filter(TWO, other, every=2)
    perfdata.filter(path, path, every=2)
    assert path.read_bytes() == other.read_bytes() != before


# ---- Errors


def test_no_such_file(tmp_path):
    with pytest.raises(perfdata.Failed) as caught:
        perfdata.open(tmp_path / "nothing")
    assert isinstance(caught.value, OSError) and caught.value.errno == 2
    with pytest.raises(perfdata.Failed):
        perfdata.Writer(tmp_path / "no" / "folder")


def test_no_recording(tmp_path):
    (tmp_path / "text").write_text("text " * 100)
    with pytest.raises(perfdata.Damaged) as caught:
        perfdata.open(tmp_path / "text")
    assert caught.value.code == perfdata.Code.EMAGIC


def test_cut(tmp_path):
    """The records before the cut, then Damaged with the place; the same with columns."""
    whole = TWO.read_bytes()
    (tmp_path / "cut").write_bytes(whole[:6000])
    with perfdata.open(tmp_path / "cut") as reader:
        seen = []
        with pytest.raises(perfdata.Damaged) as caught:
            seen += iter(seen.append(r) or r for r in reader)
    assert caught.value.code == perfdata.Code.ETRUNC
    assert caught.value.offset and caught.value.offset > 5000 and caught.value.record_index
    with perfdata.open(tmp_path / "cut") as reader, pytest.raises(perfdata.Damaged) as again:
        reader.arrays("ip")
    assert again.value.offset == caught.value.offset
    with perfdata.open(tmp_path / "cut") as reader:
        some = reader.arrays("ip", skip_damaged=True).rows
    with perfdata.open(TWO) as reader:
        assert 0 < some < reader.arrays("ip").rows


def test_refused(tmp_path):
    with perfdata.Writer(tmp_path / "new.data") as writer:
        event = writer.event(type=1, sample_type="IP|TID")
        with pytest.raises(perfdata.Refused) as caught:
            writer.write(records.Sample(ip=1, cpu=3), event)
        assert caught.value.field == "cpu" and isinstance(caught.value, ValueError)
        with pytest.raises(perfdata.Refused):
            writer.write(records.Sample(ip=1), 5)
        with pytest.raises(ValueError):
            writer.event(sample_type="NONSENSE")
        with pytest.raises(TypeError):
            records.Sample(nonsense=1)
        with pytest.raises((OverflowError, TypeError)):
            records.Sample(ip="text")
        with pytest.raises(perfdata.Refused):
            records.Comm(pid=1).set("comm", 1)
    with pytest.raises(ValueError):
        writer.write(records.Comm())
    with pytest.raises(TypeError):
        perfdata.filter(TWO, tmp_path / "x", keep={"nonsense": [1]})


def test_columns_refused():
    with perfdata.open(TWO) as reader:
        with pytest.raises(ValueError, match="comm"):
            next(reader.columns("ip", "comm"))
        with pytest.raises(ValueError):
            next(reader.columns())
        assert reader.arrays("ip").rows and not reader.arrays("ip").rows
        reader.rewind()
        assert reader.arrays("ip").rows
    with pytest.raises(ValueError):
        reader.arrays("ip")
    with pytest.raises(AttributeError):
        records.Sample().nonsense


def test_interrupted(tmp_path):
    with pytest.raises(KeyError), perfdata.Writer(tmp_path / "new.data") as writer:
        writer.write(records.Comm(pid=1, tid=1, comm="x"), writer.event(type=1, sample_type="TID"))
        raise KeyError
    header = json.loads(command("decode", tmp_path / "new.data").splitlines()[0])
    assert header["header"]["data"]["size"] == "0"


def test_records_outlive():
    with perfdata.open(GRAPH) as reader:
        kept = list(reader)
    with perfdata.open(GRAPH) as reader:
        assert all(old.fields() == new.fields() for old, new in zip(kept, reader))


# ---- Types


def layouts():
    return [c for c in vars(records).values() if inspect.isclass(c) and c.__module__ == records.__name__]


def test_types_are_the_schema():
    """Each field that the library has is typed in its class, and there are no others."""
    assert len(layouts()) > 150
    attr, it, f = ffi.new("struct pd_attr *"), ffi.new("struct pd_fields *"), ffi.new("struct pd_field *")
    for cls in layouts():
        assert lib.pd_fields_of_struct(it, cls.LAYOUT.encode(), ffi.NULL), cls.LAYOUT
        known = _base.known_names(cls)
        while lib.pd_fields_next(it, f):
            assert ffi.string(f.name).decode() in known, cls.LAYOUT
        members = {name for name, _ in ffi.typeof(f"struct pd_{cls.LAYOUT}").fields if name} - {"none"}
        assert members <= known | {"sample_id", "rest"}, cls.LAYOUT
    assert attr


def test_no_field_is_hidden():
    """What is typed is what an attribute gives: no class it comes from has something of that name."""
    for cls in layouts():
        assert not [name for name in vars(cls).get("__annotations__", {}) if hasattr(cls.__base__, name)], cls
    event = records.BpfEvent(type=2, flags=0, id=7)
    assert (event.type, event.type_, event.get("type")) == (18, 2, 2)
    event.type_ = 1
    assert (event.type, event.type_) == (18, 1)
    with pytest.raises(AttributeError):
        event.type = 3


def test_whole_package_is_typed():
    for name in ("open", "filter"):
        hints = inspect.signature(getattr(perfdata, name))
        assert hints.return_annotation and all(p.annotation is not p.empty for p in hints.parameters.values())
    for cls in (perfdata.Reader, perfdata.Writer, perfdata.Record):
        for name, method in inspect.getmembers(cls, inspect.isfunction):
            hints = inspect.signature(method)
            if not name.startswith("_"):
                assert hints.return_annotation is not hints.empty, name
                assert all(
                    p.annotation is not p.empty or n == "self" for n, p in hints.parameters.items()
                ), name
    folder = os.path.dirname(perfdata.__file__)
    assert os.path.exists(os.path.join(folder, "py.typed"))


# ---- python3 -m perfdata


def test_info(monkeypatch, capsys):
    for path in recordings():
        monkeypatch.setattr(sys, "argv", ["perfdata", "info", str(path)])
        status, said = perfdata_main(), capsys.readouterr()
        if status:
            assert said.err.startswith("perfdata: ")
            continue
        if path.is_dir() or "COMPRESSED" in said.out or path.stat().st_size > 1 << 20:
            continue
        kinds = re.findall(r'^\{"record":\{"type":"?(\w+)', command("decode", path), re.M)
        counts = dict(re.findall(r"^(\w+): (\d+)$", said.out, re.M))
        assert {kind: str(kinds.count(kind)) for kind in set(kinds)} == {
            kind: counts[kind] for kind in counts if kind in set(kinds)
        }


def test_info_by_name():
    command_line = [sys.executable, "-m", "perfdata", "info", "/nothing"]
    said = subprocess.run(
        command_line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False
    )
    assert (said.returncode, said.stdout) == (1, "") and said.stderr.startswith("perfdata: /nothing: ")
