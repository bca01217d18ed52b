"""Results as lines of JSON.

Each result is written to disk before the next one begins, so a killed program does not lose any of them.

A line that was being written when the program was killed is incomplete, because it does not end with a newline. `rows`
ignores this line, and `mend`, which a program calls before it continues writing to a file, removes it. Several
processes may append to one file.
"""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any

__all__ = ["add", "mend", "rows"]


def add(path: str, row: Any) -> None:
    """Append a dict as a line. Raises OSError if it cannot be written in full."""
    line = (json.dumps(row) + "\n").encode()
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        if os.write(file, line) != len(line):       # in one call, so that lines from several processes are not mixed
            raise OSError(f"{path}: only part of a line was written to the disk")
        os.fsync(file)
    finally:
        os.close(file)


def rows(path: str) -> list[Any]:
    """Return the dicts in a file, or an empty list if the file does not exist.

    Raises ValueError for a complete line that is not JSON.
    """
    path = pathlib.Path(path)
    text = path.read_bytes() if path.exists() else b""
    return [json.loads(line) for line in text[:text.rfind(b"\n") + 1].splitlines()]


def mend(path: str) -> None:
    """Cut off an incomplete last line."""
    path = pathlib.Path(path)
    if path.exists():
        os.truncate(path, path.read_bytes().rfind(b"\n") + 1)
