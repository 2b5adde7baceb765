# SPDX-License-Identifier: MIT
"""New recordings, and filtered ones."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from typing import Any, Callable, Iterable, Iterator

from . import records
from ._base import AUTO, Part, Record, fill
from ._lib import Code, check, encoded, ffi, lib, ops
from ._reader import Event


def number_of(name: str, value: int | str) -> int:
    """A number, or its names by the set of the schema: "IP|TID"."""
    if isinstance(value, int):
        return value & AUTO
    chosen, out = lib.pd_set_by_id(name.encode()), ffi.new("uint64_t *")
    if not chosen or not lib.pd_set_parse(chosen, value.encode(), len(value.encode()), out):
        raise ValueError(f"{name}: {value!r}")
    return out[0]


class Writer:
    """Writes a recording: first events, then features, then records; complete after close(), or `with`.

    A `with` that ends by an exception leaves a file without an end, like that of an interrupted recording.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        container: str = "file",
        order: str | None = None,
        compress: bool = False,
    ):
        """`container` is "file" or "pipe", `order` "little", "big", or None for that of this machine."""
        error, place = ffi.new("struct pd_error *"), ffi.new("struct pd_writer **")
        options = ffi.new("struct pd_writer_options *")
        options.size = ffi.sizeof("struct pd_writer_options")
        options.order = {"little": lib.PD_LITTLE, "big": lib.PD_BIG}[order or sys.byteorder]
        options.container = {"file": lib.PD_CONTAINER_FILE, "pipe": lib.PD_CONTAINER_PIPE}[container]
        options.compression = lib.PD_RECORD_COMPRESSED2 if compress else 0
        check(lib.pd_writer_create(place, encoded(path), options, error), error, writing=True)
        self._w, self._events = ffi.gc(place[0], lib.pd_writer_close), 0

    def close(self) -> None:
        """Completes the file."""
        if self._w is not None:
            error = ffi.new("struct pd_error *")
            try:
                check(lib.pd_writer_finish(self._w, error), error, writing=True)
            finally:
                self._drop()

    def _drop(self) -> None:
        ffi.release(self._w)
        self._w = None

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        elif self._w is not None:
            self._drop()

    def _open(self) -> Any:
        if self._w is None:
            raise ValueError("the writer is closed")
        return self._w

    def event(
        self,
        like: Event | None = None,
        *,
        name: str | None = None,
        ids: Iterable[int] | None = None,
        **fields: int | str,
    ) -> int:
        """Adds an event and returns its number: fields of perf_event_attr, `like` those of another one.

        Numbers may be given by name: event(type="SOFTWARE", sample_type="IP|TID|TIME"). If one event has a
        `name`, all must have one.
        """
        extra = ("ids", "index", "name", "tail")
        given: dict[str, Any] = {k: v for k, v in (like or {}).items() if k not in extra}
        ids = list(like["ids"] if ids is None and like else ids or [])
        for field, value in fields.items():
            chosen = {"type": "attr_type", "flags": "attr_flags"}.get(field, field)
            given[field] = number_of(chosen, value)
        keep: list[Any] = []
        attr, error = ffi.new("struct pd_attr *"), ffi.new("struct pd_error *")
        fill(attr, given, records.Attr, keep)
        check(
            lib.pd_writer_attr(self._open(), attr, ffi.new("uint64_t[]", ids), len(ids), error), error, True
        )
        if name is not None:
            check(lib.pd_writer_event_name(self._w, self._events, encoded(name), error), error, True)
        self._events += 1
        return self._events - 1

    def feature(self, value: Part | None = None, **fields: Any) -> None:
        """Adds a feature, one that Reader.features has, or made: feature(FeatureHostname(text="here"))."""
        cls: Any = type(value)
        keep: list[Any] = []
        f, error = ffi.new("struct pd_feature *"), ffi.new("struct pd_error *")
        f.id = cls.FEATURE
        fill(getattr(f.u, cls.LAYOUT.removeprefix("feature_")), {**(value or {}), **fields}, cls, keep)
        check(lib.pd_writer_put_feature(self._open(), f, error), error, True)

    def write(self, record: Record, event: int | None = None) -> None:
        """Appends a record, of the event of that number; None: that of the record, or none."""
        c, error = record._c, ffi.new("struct pd_error *")
        before = c.attr_index, c.size
        if event is not None:
            c.attr_index = event
        c.size = 0
        try:
            check(lib.pd_writer_record(self._open(), c, error), error, writing=True)
        finally:
            c.attr_index, c.size = before


def fill_texts(lists: Any, name: str, values: Iterable[str], keep: list) -> None:
    held = [ffi.new("char[]", encoded(value)) for value in values]
    pointers = ffi.new("char *[]", held)
    keep += [held, pointers]
    setattr(lists, name, pointers)
    setattr(lists, "n_" + name, len(held))


def fill_lists(lists: Any, chosen: dict[str, Any], keep: list) -> None:
    """A struct pd_filter_lists from a dict by the names of its members."""
    for name, values in chosen.items():
        if name in ("comms", "dsos", "cgroups"):
            fill_texts(lists, name, values, keep)
            continue
        if name not in ("pids", "tids", "events", "types", "cpus", "times"):
            raise TypeError(f"filter() selects nothing by {name!r}")
        kind = {"cpus": "struct pd_cpu_range", "times": "struct pd_time_range"}.get(name, "uint32_t")
        held = ffi.new(kind + "[]", [(v, v) if name == "cpus" and isinstance(v, int) else v for v in values])
        keep.append(held)
        setattr(lists, name, held)
        setattr(lists, "n_" + name, len(held))


def predicate_of(predicate: Callable[[records.Sample], bool], raised: list[BaseException]) -> Any:
    """A callback that shows samples as records; what it raises is raised by filter()."""

    def call(_: Any, rec: Any) -> bool:
        error, copy = ffi.new("struct pd_error *"), ffi.new("struct pd_record **")
        if raised:
            return False
        lib.pd_record_decode_framed(rec.plan, rec, error)
        record = records.Sample.__new__(records.Sample)
        try:
            check(lib.pd_record_copy(copy, rec, ffi.NULL, error), error)
            object.__setattr__(record, "_c", ffi.gc(copy[0], lambda c: lib.pd_record_free(c, ffi.NULL)))
            return bool(predicate(record))
        except BaseException as why:  # C is between here and filter()
            raised.append(why)
            return False

    return ffi.callback("bool(void *, struct pd_record *)", call)


@contextlib.contextmanager
def replaced(target: str | os.PathLike[str]) -> Iterator[bytes]:
    """A name beside the target, whose file becomes the target unless an exception comes."""
    real = os.path.realpath(encoded(target))
    if os.path.exists(real) and not os.path.isfile(real):
        yield real  # a device, or a folder, is refused
        return
    path = os.path.join(os.path.dirname(real), f".perfdata-{secrets.token_hex(6)}".encode())
    try:
        yield path
        os.replace(path, real)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise


def filter(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    keep: dict[str, Any] | None = None,
    drop: dict[str, Any] | None = None,
    all_user: bool = False,
    all_kernel: bool = False,
    every: int = 0,
    limit: int = 0,
    sideband: str = "needed",
    with_children: bool = False,
    predicate: Callable[[records.Sample], bool] | None = None,
) -> dict[str, int]:
    """Writes selected samples with the records that they need, as `perfdata filter`; returns counts.

    The target, which may be the source, is replaced when all is written; an error leaves it as it was.

    `keep` and `drop` are dicts of lists by pids, tids, comms, cpus (numbers or pairs), events (numbers),
    times (pairs of nanoseconds), types, dsos, cgroups; see perfdata/ops/filter.h. `predicate` is asked for
    each sample that is left, more than once, and must answer alike.
    """
    held: list[Any] = []
    raised: list[BaseException] = []
    error = ffi.new("struct pd_error *")
    options, stats = ffi.new("struct pd_filter_options *"), ffi.new("struct pd_filter_stats *")
    options.size = ffi.sizeof("struct pd_filter_options")
    fill_lists(options.keep, keep or {}, held)
    fill_lists(options.drop, drop or {}, held)
    options.all_user, options.all_kernel, options.with_children = all_user, all_kernel, with_children
    options.every, options.limit = every, limit
    options.sideband = getattr(lib, "PD_SIDEBAND_" + sideband.upper())
    if predicate is not None:
        options.predicate = callback = predicate_of(predicate, raised)
        held.append(callback)
    reader, sink = ffi.new("struct pd_reader **"), ffi.new("struct pd_sink *")
    check(lib.pd_reader_open(reader, encoded(source), ffi.NULL, error), error)
    try:
        with replaced(target) as path:
            check(lib.pd_sink_open(sink, encoded(path), ffi.NULL, error), error, writing=True)
            code = ops().pd_filter(reader[0], sink, options, stats, error)
            closing = lib.pd_sink_close(sink, error if code == Code.OK else ffi.NULL)
            if raised:
                raise raised[0]
            check(code or closing, error)
    finally:
        lib.pd_reader_close(reader[0])
    return {name: getattr(stats, name) for name, _ in ffi.typeof("struct pd_filter_stats").fields}
