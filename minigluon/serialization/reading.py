"""Functions that open and read untrusted files, in which every problem is an OSError or a FileFormatError.

An impossible name or a file that does not fit in memory raises an OSError, like a missing file, with the problem in
`strerror`. A reader therefore needs only one `except OSError`.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..base import ArgumentError, FileFormatError

__all__ = ["MAX_LINE", "content_of", "lines_of", "numbered", "opened", "refuse_pointer",
           "require_name", "within_memory"]

POINTER = b"version https://git-lfs.github.com/spec/v1"
MAX_POINTER = 1024          # the maximum number of bytes of a pointer, according to its specification
MAX_LINE = 1 << 26          # in characters; enough for a row of 8 million numbers


def opened(path: str, encoding: str | None = None) -> Any:
    """Open a file for reading bytes, or text in an encoding.

    Raises OSError, or ArgumentError for an unknown encoding.
    """
    require_name(path)
    file = _opened(path, encoding)
    try:
        if 0 < os.fstat(file.fileno()).st_size <= MAX_POINTER:         # a size of 0 may also mean a pipe
            refuse_pointer((file if encoding is None else file.buffer).peek(len(POINTER)), os.fspath(path))
    except BaseException:
        file.close()
        raise
    return file


def _opened(path, encoding):
    try:
        return open(path, "rb") if encoding is None else open(path, encoding=encoding)
    except LookupError:
        raise ArgumentError(f"encoding is {encoding!r}, which Python does not know; expected for example 'utf-8' or "
                            "'latin-1'") from None


def refuse_pointer(content: Any, source: str) -> None:
    """Raise FileFormatError if these first bytes are those of a Git LFS pointer.

    content: bytes or text.
    source: the name of the file, for the message.
    """
    if content[:len(POINTER)] in (POINTER, POINTER.decode()):
        raise FileFormatError(
            f"{source} is a Git LFS pointer, a text of a few lines in place of the file, which was not downloaded with "
            "its repository. Run `git lfs pull` in a clone of it, or download the file by itself.")


def require_name(path: str) -> None:
    """Raise OSError for an impossible path, for which Python's functions raise ValueError."""
    if "\0" in os.fsdecode(path):
        raise OSError(errno.EINVAL, "a path cannot contain the character '\\0'. Check where the path comes from")


def content_of(path: Path | str) -> bytes | str:
    """Return all bytes of a file. Raises OSError."""
    with opened(path) as file, within_memory(file):
        return file.read()


@contextlib.contextmanager
def within_memory(file):
    """Context manager that turns a MemoryError while reading this file into an OSError with the file's size."""
    try:
        yield
    except MemoryError:
        size = os.fstat(file.fileno()).st_size
        raise OSError(errno.ENOMEM, f"its {size:,} bytes do not fit into memory. Use a machine with more memory, or "
                                    "find out why the file is so long") from None


def lines_of(path: str, encoding: str = "utf-8") -> Iterator[Any]:
    """Yield (number, line) for each line of a text file. Raises OSError, or FileFormatError for a wrong encoding."""
    number = 0
    with opened(path, encoding) as file, within_memory(file):
        try:
            for number, line in numbered(file, path):
                yield number, line
        except UnicodeError as error:
            raise FileFormatError(f"{os.fspath(path)} is not text in the encoding {encoding!r}, after line {number}: "
                                  f"{getattr(error, 'reason', error)}. Convert the file, or name its encoding where "
                                  "the reader takes one.") from error


def numbered(file: Any, path: str) -> Iterator[Any]:
    """Yield (number, line) for each line of an open file. Raises FileFormatError for a line longer than MAX_LINE."""
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise FileFormatError(f"{os.fspath(path)}: line {number} is longer than {MAX_LINE:,} characters. The file "
                                  "is damaged, or not text.")
        yield number, line
