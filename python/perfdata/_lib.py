# SPDX-License-Identifier: MIT
"""The shared library, and its errors as exceptions."""

from __future__ import annotations

import functools
import os
from typing import Any

from . import _ffi
from ._code import Code
from ._version import SOVERSION

ffi: Any = _ffi.ffi
lib: Any = ffi.dlopen(f"libperfdata.so.{SOVERSION}")
NOWHERE = 2**64 - 1


@functools.cache
def ops() -> Any:
    """libperfdata-ops, which only filter() needs."""
    return ffi.dlopen(f"libperfdata-ops.so.{SOVERSION}")


class Error(Exception):
    """An error of the library: `code`, and where it is, None where that is not known."""

    def __init__(self, error: Any):
        room = ffi.new("char[1024]")
        lib.pd_error_text(error, room, len(room))
        super().__init__(text(room))
        known = lambda number: None if number == NOWHERE else number
        self.code = Code(error.code)
        #: of the record in the input
        self.offset: int | None = known(error.offset)
        self.record_index: int | None = known(error.record_index)
        #: of the field in the record
        self.record_offset: int = error.record_offset
        self.record_type: int = error.record_type
        self.found: int = error.found
        self.expected: int = error.expected
        self.field: str | None = text(error.field)
        #: the feature that the field is in
        self.section: str | None = text(error.section)
        #: of what cannot be written: "events[1].attr.size"
        self.path: str | None = text(error.path) or None


class Damaged(Error):
    """The input is not as it should be; what is intact can still be read."""


class Unsupported(Error):
    """A form that is known, but not handled, or a type that is not known."""


class LimitExceeded(Error):
    """More than a stated limit."""


class Refused(Error, ValueError):
    """An argument, or a value that cannot be written."""


class Failed(Error, OSError):
    """The machine failed: reading, writing or opening; `errno` tells how."""

    def __init__(self, error: Any):
        Error.__init__(self, error)
        self.errno = error.found
        self.strerror = os.strerror(error.found) if error.found < 4096 else ""

    __str__ = Exception.__str__


class OutOfMemory(Error, MemoryError):
    """There was no memory."""


CLASSES = {
    Code.EIO: Failed,
    Code.EOUT: Failed,
    Code.ETEMP: Failed,
    Code.EMISSING: Failed,
    Code.ENOMEM: OutOfMemory,
    Code.EARG: Refused,
    Code.ESPACE: Refused,
    Code.ELIMIT: LimitExceeded,
    Code.EUNSUP: Unsupported,
    Code.EUNKNOWN: Unsupported,
}


def text(chars: Any) -> str | None:
    """Characters of C as text, bytes that are not UTF-8 as surrogates."""
    return ffi.string(chars).decode(errors="surrogateescape") if chars else None


def encoded(value: str | bytes | os.PathLike[str]) -> bytes:
    """The reverse."""
    value = os.fspath(value)
    return value if isinstance(value, bytes) else value.encode(errors="surrogateescape")


def failure(error: Any, writing: bool = False) -> Error:
    """The exception for a struct pd_error *; what a writer refuses is the caller's."""
    return CLASSES.get(error.code, Refused if writing else Damaged)(error)


def check(code: int, error: Any, writing: bool = False) -> None:
    """Raises what is not PD_OK."""
    if code:
        raise failure(error, writing)
