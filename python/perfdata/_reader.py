# SPDX-License-Identifier: MIT
"""Recordings: records one after another, and samples as columns."""

from __future__ import annotations

import os
from typing import Any, Iterator

import numpy as np

from . import records
from ._base import Part, Record, all_of
from ._lib import NOWHERE, Code, check, encoded, failure, ffi, lib, text


FIRST = 1 << 16  # rows of arrays() before their number is estimated


class Unknown(Record):
    """A record of a type that is not known."""

    __slots__ = ()


class Event(Part):
    """An event: the fields of its attr, `ids`, `index`, and `name` where the recording tells it."""

    PARTS = records.Attr.PARTS


class Batch(dict):
    """Columns of samples, numpy arrays of the same length, by path. `present`: which samples have a field."""

    def __init__(self, columns: dict[str, np.ndarray], present: dict[str, np.ndarray]):
        super().__init__(columns)
        self.present = present

    @property
    def rows(self) -> int:
        return len(next(iter(self.values())))

    def cut(self, rows: int) -> Batch:
        """The first rows."""
        return Batch(
            {path: array[:rows] for path, array in self.items()},
            {path: array[:rows] for path, array in self.present.items()},
        )

    def grow(self, rows: int) -> None:
        """Room for more rows, behind those that are there."""
        for arrays in (self, self.present):
            for path, array in arrays.items():
                arrays[path] = np.empty(rows, array.dtype)
                arrays[path][: len(array)] = array


class Columns:
    """Fills numpy arrays from a reader."""

    def __init__(self, paths: tuple[str, ...], masks: bool):
        names = [ffi.new("char[]", encoded(path)) for path in paths]
        error, place = ffi.new("struct pd_error *"), ffi.new("struct pd_columns **")
        if not paths:
            raise ValueError("no columns")
        code = lib.pd_columns_new(place, ffi.new("char *[]", names), len(names), ffi.NULL, error)
        if code == Code.EARG:
            raise ValueError(f"samples have no number {paths[error.found]!r}")
        check(code, error)
        self.c, self.paths, self.masks = ffi.gc(place[0], lib.pd_columns_free), paths, masks
        self.types = [
            np.dtype(f"{'i' if lib.pd_columns_signed(self.c, i) else 'u'}{lib.pd_columns_width(self.c, i)}")
            for i in range(len(paths))
        ]

    def room(self, rows: int) -> Batch:
        """Arrays of that many rows, not filled yet."""
        values = {path: np.empty(rows, kind) for path, kind in zip(self.paths, self.types)}
        return Batch(values, {path: np.empty(rows, np.bool_) for path in self.paths} if self.masks else {})

    def read(self, reader: Any, room: Batch, start: int, rows: int) -> tuple[int, Any]:
        """Fills rows from `start` on: how many, and what ended them early (struct pd_error *), or None."""
        error, n = ffi.new("struct pd_error *"), ffi.new("size_t *")
        at = lambda array: array.ctypes.data + start * array.itemsize
        places = ffi.new("void *[]", [ffi.cast("void *", at(room[path])) for path in self.paths])
        present = ffi.NULL
        if self.masks:
            present = ffi.new("uint8_t *[]", [ffi.cast("uint8_t *", at(room.present[p])) for p in self.paths])
        code = lib.pd_columns_read(self.c, reader, places, present, rows, n, error)
        return n[0], error if code not in (Code.OK, Code.END) else None

    def read_on(self, reader: Any, room: Batch, start: int, rows: int, skip_damaged: bool) -> tuple[int, Any]:
        """The same; with skip_damaged, goes on behind damage."""
        n, error = self.read(reader, room, start, rows)
        while error is not None and skip_damaged and n < rows and not lib.pd_reader_failure(reader, ffi.NULL):
            more, error = self.read(reader, room, start + n, rows - n)
            n += more
        return n, error


class Reader:
    """A recording. Iterating over it gives its records from here on: Sample, Mmap2, … of perfdata.records.

    Records stay valid. One that is damaged, but has its place, comes with `decoded` false; damage that ends
    the records is raised as Damaged.
    """

    def __init__(self, path: str | os.PathLike[str]):
        """Opens a file or a directory; "-" is standard input."""
        error, place = ffi.new("struct pd_error *"), ffi.new("struct pd_reader **")
        check(lib.pd_reader_open(place, encoded(path), ffi.NULL, error), error)
        self._r = ffi.gc(place[0], lib.pd_reader_close)
        place = ffi.new("struct pd_metadata **")
        check(lib.pd_metadata_open(place, self._r, ffi.NULL, error), error)
        self._metadata = ffi.gc(place[0], lib.pd_metadata_close)

    def close(self) -> None:
        if self._r is not None:
            ffi.release(self._metadata)
            ffi.release(self._r)
            self._r = self._metadata = None

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> Any:
        if self._r is None:
            raise ValueError("the reader is closed")
        return self._r

    def rewind(self) -> None:
        """Back to the first record; Unsupported where the input cannot seek."""
        error = ffi.new("struct pd_error *")
        check(lib.pd_reader_rewind(self._open(), error), error)

    @property
    def container(self) -> str:
        """ "file", "pipe" or "directory"."""
        return ("file", "pipe", "directory")[lib.pd_reader_info(self._open()).container]

    @property
    def order(self) -> str:
        """ "little" or "big", as for int.from_bytes()."""
        return "big" if lib.pd_reader_info(self._open()).order == lib.PD_BIG else "little"

    @property
    def events(self) -> list[Event]:
        """Those that are known so far: in a stream they come with the records."""
        r = self._open()
        return [self._event(lib.pd_reader_attr(r, i), i) for i in range(lib.pd_reader_n_attrs(r))]

    def _event(self, c: Any, i: int) -> Event:
        it = ffi.new("struct pd_fields *")
        lib.pd_fields_of_attr(it, ffi.addressof(c, "attr"))
        event = Event(all_of(it, Event.PARTS))
        event["ids"] = ffi.unpack(c.ids, c.n_ids) if c.n_ids else []
        event["index"] = i
        event["name"] = text(lib.pd_metadata_event_name(self._metadata, self._r, i))
        return event

    @property
    def features(self) -> dict[str, Part]:
        """Data about the machine and the recording that is known so far, by the names of features."""
        self._open()
        found = {}
        for i in range(lib.pd_metadata_n_features(self._metadata)):
            f = lib.pd_metadata_feature_at(self._metadata, i)
            it = ffi.new("struct pd_fields *")
            lib.pd_fields_of_feature(it, f)
            found[text(lib.pd_feature_name(f.id)) or str(f.id)] = records.FEATURES.get(f.id, Part)._of(it)
        return found

    def _next(self, rec: Any, error: Any) -> bool:
        code = lib.pd_reader_next_decoded(self._open(), rec, error)
        if code == Code.END:
            check(lib.pd_metadata_finish(self._metadata, self._r, error), error)
            return False
        check(code, error)
        if rec.type != lib.PD_RECORD_SAMPLE:
            check(lib.pd_metadata_add(self._metadata, self._r, rec, error), error)
        return True

    def __iter__(self) -> Iterator[Record]:
        rec, error = ffi.new("struct pd_record *"), ffi.new("struct pd_error *")
        copy = ffi.new("struct pd_record **")
        free = lambda c: lib.pd_record_free(c, ffi.NULL)
        while self._next(rec, error):
            check(lib.pd_record_copy(copy, rec, ffi.NULL, error), error)
            cls = records.RECORDS.get(rec.type, Unknown)
            record = cls.__new__(cls)
            object.__setattr__(record, "_c", ffi.gc(copy[0], free))
            yield record

    def counts(self) -> dict[str, int]:
        """The records from here on, by the name of their type."""
        rec, error = ffi.new("struct pd_record *"), ffi.new("struct pd_error *")
        numbers: dict[int, int] = {}
        while self._next(rec, error):
            numbers[rec.type] = numbers.get(rec.type, 0) + 1
        types = lib.pd_set_by_id(b"record_type")
        name = lambda n: text(lib.pd_set_name(types, n)) or str(n)
        return {name(n): numbers[n] for n in sorted(numbers)}

    def columns(
        self, *paths: str, batch: int = 1 << 16, masks: bool = False, skip_damaged: bool = False
    ) -> Iterator[Batch]:
        """The samples from here on, `batch` at a time: an array of numbers for each path.

        Paths are those of perfdata/session/columns.h: "ip", "callchain.ips[1]", "event" (the number of the
        event, 2**32-1 if it is not known). Fields that a sample lacks are 0; with `masks`, Batch.present
        tells them. What is damaged is raised behind the samples before it, or, with skip_damaged, left out.
        """
        columns = Columns(paths, masks)
        while True:
            room = columns.room(batch)
            n, error = columns.read_on(self._open(), room, 0, batch, skip_damaged)
            if n:
                yield room.cut(n)
            if error is not None:
                raise failure(error)
            if n < batch:
                return

    def arrays(self, *paths: str, masks: bool = False, skip_damaged: bool = False) -> Batch:
        """The same for all samples at once."""
        columns = Columns(paths, masks)
        room, n, rows, begin = columns.room(FIRST), 0, FIRST, lib.pd_reader_offset(self._open())
        while True:
            more, error = columns.read_on(self._r, room, n, rows - n, skip_damaged)
            n += more
            if error is not None:
                raise failure(error)
            if n < rows:
                return room.cut(n)
            rows = self._guess_rows(n, begin)
            room.grow(rows)

    def _guess_rows(self, n: int, begin: int) -> int:
        """How many samples there will be if the rest is like the first n, and some more."""
        info, here = lib.pd_reader_info(self._r), lib.pd_reader_offset(self._r)
        if info.data_end == NOWHERE or not begin < here <= info.data_end:
            return 2 * n
        return n + n * (info.data_end - here) // (here - begin) * 33 // 32 + FIRST
