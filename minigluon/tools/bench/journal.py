"""Results as lines of JSON, each on the disk before the next begins: a program ended at any moment keeps what it had.

A line that was being written at that moment is torn: it has no end. `rows` passes over it, and `mend`, with which a
program begins that goes on with a file, cuts it off. Several processes may add to one file.
"""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any

__all__ = ["add", "mend", "rows"]


def add(path: str, row: Any) -> None:
    """Append a dict as a line. Raises OSError where the disk does not take all of it."""
    line = (json.dumps(row) + "\n").encode()
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        if os.write(file, line) != len(line):       # in one call, so that lines of several processes do not mix
            raise OSError(f"{path}: the disk took only a part of a line")
        os.fsync(file)
    finally:
        os.close(file)


def rows(path: str) -> list[Any]:
    """The dicts in a file; none where there is no file. Raises ValueError for a whole line that is no JSON."""
    path = pathlib.Path(path)
    text = path.read_bytes() if path.exists() else b""
    return [json.loads(line) for line in text[:text.rfind(b"\n") + 1].splitlines()]


def mend(path: str) -> None:
    """Cut off a torn last line."""
    path = pathlib.Path(path)
    if path.exists():
        os.truncate(path, path.read_bytes().rfind(b"\n") + 1)
