# SPDX-License-Identifier: MIT
"""What the tests read: the recordings of corpus/, and of the folder PERFDATA_CORPUS, if it is set."""

import os
import pathlib

SOURCE = pathlib.Path(__file__).parents[2]
COMMAND = os.environ.get("PERFDATA", "perfdata")


def recordings():
    folders = [SOURCE / "corpus"]
    if os.environ.get("PERFDATA_CORPUS"):
        folders.append(pathlib.Path(os.environ["PERFDATA_CORPUS"]))
    return sorted(
        path
        for folder in folders
        for path in folder.iterdir()
        if path.name not in ("INDEX.tsv", "README.md", "names", "record.sh", "malformed")
    )


def pytest_generate_tests(metafunc):
    if "recording" in metafunc.fixturenames:
        metafunc.parametrize("recording", recordings(), ids=lambda path: path.name)
