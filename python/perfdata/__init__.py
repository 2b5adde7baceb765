# SPDX-License-Identifier: MIT
"""Linux perf.data files, read and written by libperfdata.

    import perfdata

    with perfdata.open("perf.data") as recording:
        for record in recording:
            if isinstance(record, perfdata.records.Sample):
                print(record.time, record.ip, record.callchain.ips if record.callchain else ())

    with perfdata.open("perf.data") as recording:
        for batch in recording.columns("ip", "tid", "time", "period"):
            print(batch["period"].sum())

Nothing here is for several threads at once, but readers and writers are independent of each other.
"""

from __future__ import annotations

import os

from . import records
from ._base import Part, Record
from ._lib import (
    Code,
    Damaged,
    Error,
    Failed,
    LimitExceeded,
    OutOfMemory,
    Refused,
    Unsupported,
    ffi,
    lib,
    text,
)
from ._reader import Batch, Event, Reader, Unknown
from ._writer import Writer, filter

__version__: str = text(lib.pd_version_string()) or ""


def open(path: str | os.PathLike[str]) -> Reader:
    """Opens a recording; "-" is standard input."""
    return Reader(path)


__all__ = [
    "Batch",
    "Code",
    "Damaged",
    "Error",
    "Event",
    "Failed",
    "LimitExceeded",
    "OutOfMemory",
    "Part",
    "Reader",
    "Record",
    "Refused",
    "Unknown",
    "Unsupported",
    "Writer",
    "filter",
    "open",
    "records",
]
