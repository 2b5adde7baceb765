# SPDX-License-Identifier: MIT
"""Records and their parts: fields by name, found by the library's reflection (perfdata/session/fields.h)."""

from __future__ import annotations

import keyword
import sys
from typing import Any, ClassVar, Iterator

from ._lib import Refused, check, encoded, ffi, lib

AUTO = 2**64 - 1  # PD_AUTO of base.h, SIZE_MAX
SIGNED = 1  # PD_SET_SDEC of names.h


def class_of(name: str) -> Any:
    return getattr(sys.modules[__package__ + ".records"], name)


def number(f: Any) -> int:
    value = f.value
    return value - (1 << 64) if f.set.kind == SIGNED and value >> 63 else value


def value_of(it: Any, f: Any, parts: dict[str, str]) -> Any:
    """The Python value of the field `f`, which came from `it`."""
    kind = f.kind
    if kind == lib.PD_FIELD_NUMBER:
        return number(f)
    if kind == lib.PD_FIELD_STRING:
        return ffi.buffer(f.u.str.ptr, f.n)[:].decode(errors="surrogateescape") if f.n else ""
    if kind == lib.PD_FIELD_ARRAY:
        return ffi.buffer(f.u.array, f.n)[:]
    if kind == lib.PD_FIELD_BYTES:
        return ffi.buffer(f.u.bytes.ptr, f.n)[:] if f.n else b""
    if kind == lib.PD_FIELD_VECTOR:
        numbers = ffi.new("uint64_t[]", f.n)
        lib.pd_vec_copy(f.u.vec, 0, f.n, numbers)
        return ffi.unpack(numbers, f.n) if f.n else []
    name = ffi.string(f.name).decode()
    part = class_of(parts[name]) if name in parts else Part
    inner = ffi.new("struct pd_fields *")
    if kind == lib.PD_FIELD_PART:
        lib.pd_fields_enter(inner, it, f)
        return part._of(inner)
    elements, i = [], 0
    while lib.pd_fields_element(inner, it, f, i):
        elements.append(part._of(inner))
        i += 1
    return elements


def all_of(it: Any, parts: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """Names and values of the remaining fields of `it`."""
    f = ffi.new("struct pd_field *")
    while lib.pd_fields_next(it, f):
        yield ffi.string(f.name).decode(), value_of(it, f, parts)


def plain_name(name: str) -> str:
    """A name of the schema from one of Python: `from_` is "from", and `raw_` is "raw"."""
    plain = name[:-1] if name.endswith("_") else name
    return plain if keyword.iskeyword(plain) or hasattr(Record, plain) or hasattr(Part, plain) else name


class Part(dict):
    """Fields that belong together: a dict of those that are present, which are attributes, too."""

    LAYOUT: ClassVar[str] = ""
    PARTS: ClassVar[dict[str, str]] = {}

    @classmethod
    def _of(cls, it: Any) -> Part:
        return cls(all_of(it, cls.PARTS))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        name = plain_name(name)
        if name not in self and name not in known_names(type(self)):
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        return self.get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self[plain_name(name)] = value


def known_names(cls: type) -> set[str]:
    """The fields that the schema gives a class."""
    if "_names" not in cls.__dict__:
        cls._names = {  # type: ignore[attr-defined]
            plain_name(name)
            for base in cls.__mro__
            for name in base.__dict__.get("__annotations__", {})
            if not name.isupper()
        }
    return cls._names  # type: ignore[attr-defined]


# ---- Values of Python as C structs. `keep` holds what they point to.


def fill_list(place: Any, value: Any, layout: str, keep: list) -> None:
    structs = ffi.new(f"struct pd_{layout}[]", len(value))
    for i, element in enumerate(value):
        fill(structs[i], element, class_of_layout(layout), keep)
    keep.append(structs)
    place.ptr, place.n, place.form = structs, len(value), lib.PD_FORM_STRUCT
    place.stride, place.when = ffi.sizeof(f"struct pd_{layout}"), 2**32 - 1


def fill_view(place: Any, kind: str, value: Any, keep: list) -> bool:
    """A view of text, bytes or numbers; False: it is of another kind."""
    if kind == "struct pd_vec":
        held = ffi.new("uint64_t[]", [v & AUTO for v in value])
        place.width, place.form = 8, lib.PD_FORM_STRUCT
    elif kind in ("struct pd_str", "struct pd_bytes"):
        value = encoded(value)
        held = ffi.new("uint8_t[]" if kind == "struct pd_bytes" else "char[]", value)
    else:
        return False
    keep.append(held)
    place.ptr = held
    if kind == "struct pd_str":
        place.len, place.size = len(value), AUTO
    else:
        place.n = len(value)
    return True


def fill_member(struct: Any, name: str, value: Any, cls: Any, keep: list) -> None:
    c_type: Any = dict(ffi.typeof(struct).fields).get(name) if ffi.typeof(struct).kind == "struct" else None
    kind = c_type.type.cname if c_type else ""
    place = getattr(struct, name)
    if kind == "struct pd_list":
        fill_list(place, value, class_of(cls.PARTS[name]).LAYOUT, keep)
    elif kind.startswith("struct ") and not fill_view(place, kind, value, keep):
        fill(place, value, class_of(cls.PARTS[name]), keep)
    elif kind.startswith("uint8_t["):
        ffi.memmove(place, value, min(len(value), ffi.sizeof(place)))
    elif not kind.startswith("struct "):
        wraps = isinstance(value, int) and value < 0 and kind.startswith("uint")
        bits = 8 * ffi.sizeof(c_type.type) if wraps else 0
        setattr(struct, name, value + (1 << bits) if bits and value >= -(1 << (bits - 1)) else value)


def fill(struct: Any, values: dict, cls: type, keep: list) -> None:
    """Members of a C struct from a dict, parts and lists in it as dicts and lists."""
    for name, value in values.items():
        if value is None:
            continue
        try:
            fill_member(struct, plain_name(name), value, cls, keep)
        except AttributeError:
            raise TypeError(f"{cls.__name__} has no field {name!r}") from None


def class_of_layout(layout: str) -> Any:
    return class_of("".join(word.capitalize() for word in layout.split("_")))


class Record:
    """A record: its header, and fields by name; None for those that it lacks.

    `Sample(ip=1, pid=2)` makes one; parts are dicts or Parts: `Sample(callchain={"ips": [1, 2]})`. Numbers of
    any record can be set, `record.ip = 5`; what it points to, texts and lists, cannot.
    """

    TYPE: ClassVar[int] = 0
    LAYOUT: ClassVar[str] = ""
    PARTS: ClassVar[dict[str, str]] = {}
    _ENVELOPE = {"sample_id": "SampleId"}
    __slots__ = ("_c", "_keep")

    #: trailer
    sample_id: Any
    #: bytes behind the known fields
    rest: bytes | None

    def __init__(self, *, misc: int = 0, sample_id: dict | None = None, **fields: Any):
        c = ffi.new("struct pd_record *")
        keep: list = []
        c.type, c.misc, c.attr_index = self.TYPE, misc, 2**32 - 1
        if fields:
            fill(getattr(c.u, self.LAYOUT), fields, type(self), keep)
        if sample_id is not None:
            c.has_id = True
            fill(c.id, sample_id, class_of("SampleId"), keep)
        object.__setattr__(self, "_c", c)
        object.__setattr__(self, "_keep", keep)

    @property
    def type(self) -> int:
        return self._c.type

    @property
    def misc(self) -> int:
        return self._c.misc

    @property
    def size(self) -> int:
        """Bytes with the header; 0 of a record that was made here."""
        return self._c.size

    @property
    def offset(self) -> int:
        """Of the record in the file or stream."""
        return self._c.offset

    @property
    def index(self) -> int:
        return self._c.index

    @property
    def event(self) -> int | None:
        """The number of its event in Reader.events."""
        return None if self._c.attr_index == 2**32 - 1 else self._c.attr_index

    @property
    def inner(self) -> bool:
        """From inside of a compressed record, whose offset it has."""
        return self._c.depth == 1

    @property
    def raw(self) -> bytes:
        """Its bytes; none of a record that was made here."""
        return ffi.buffer(self._c.raw, self._c.size)[:] if self._c.raw else b""

    @property
    def decoded(self) -> bool:
        """False: it has no fields, but bytes. Of records that are damaged, or of unknown events."""
        return bool(self._c.decoded)

    def get(self, path: str) -> Any:
        """A field by its path, "callchain.ips[2]", "sample_id.time"; None: there is no such field."""
        it, f = ffi.new("struct pd_fields *"), ffi.new("struct pd_field *")
        lib.pd_fields_of_record(it, self._c)
        if not lib.pd_fields_find(it, path.encode(), f):
            return None
        return value_of(it, f, {**self.PARTS, **self._ENVELOPE})

    def text(self, path: str) -> str | None:
        """A number as the library writes it: the names of an enumeration or of flags."""
        it, f = ffi.new("struct pd_fields *"), ffi.new("struct pd_field *")
        lib.pd_fields_of_record(it, self._c)
        if not lib.pd_fields_find(it, path.encode(), f) or f.kind != lib.PD_FIELD_NUMBER:
            return None
        room = ffi.new("char[]", 4096)
        lib.pd_set_format(f.set, f.value, room, len(room))
        return ffi.string(room).decode()

    def fields(self) -> Part:
        """All fields that are present."""
        it = ffi.new("struct pd_fields *")
        lib.pd_fields_of_record(it, self._c)
        return Part(all_of(it, {**self.PARTS, **self._ENVELOPE}))

    def __getattr__(self, name: str) -> Any:
        value = self.get(plain_name(name))
        if value is None and plain_name(name) not in known_names(type(self)):
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        return value

    def __setattr__(self, name: str, value: int) -> None:
        if hasattr(Record, name):
            raise AttributeError(f"{name} of a record cannot be set")
        self.set(plain_name(name), value)

    def set(self, path: str, value: int) -> None:
        """Sets a number, by its path."""
        error = ffi.new("struct pd_error *")
        check(lib.pd_record_set(self._c, path.encode(), value & AUTO, error), error, writing=True)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.fields().items())
        return f"{type(self).__name__}({shown})"


__all__ = ["Part", "Record", "Refused"]
