"""Files named by an iterator's option: one file, several, or a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ..base import ArgumentError, FileFormatError
from ..serialization.atomic_write import unreadable
from ..serialization.reading import lines_of

__all__ = ["BYTE_ORDER_MARK", "files_of", "filled_lines"]

BYTE_ORDER_MARK = "\ufeff"


def files_of(paths: Any) -> list[str]:
    """Return the files named by an option: 'a.csv;b.csv' names two files; a folder names all its files, sorted by name.

    paths: one path, or several separated by ';'.

    >>> from minigluon.io.files import files_of
    >>> files_of("a.csv;b.csv")
    ['a.csv', 'b.csv']
    """
    if not isinstance(paths, (str, os.PathLike)) or not os.fspath(paths):
        raise ArgumentError(f"a file or a folder is named by a path, found {paths!r}")
    text = os.fspath(paths)
    parts = [text] if os.path.exists(text) else [part for part in text.split(";") if part] or [text]
    files = []
    for part in parts:
        inside = [os.path.join(part, name) for name in sorted(os.listdir(part))] if os.path.isdir(part) else [part]
        files += [file for file in inside if not os.path.isdir(file)]
    if not files:
        raise ArgumentError(f"the folder {text!r} contains no files; name a file, or a folder of files")
    return files


def filled_lines(paths: Any, expected: str) -> Iterator[tuple[str, int, str]]:
    """Yield (file, line number, line) for each line that is not empty, with any byte order mark removed.

    paths: as for `files_of`.
    expected: the kind of file, for error messages.

    Raises FileFormatError for a file that cannot be read.
    """
    for file in files_of(paths):
        try:
            for number, line in lines_of(file):
                line = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
                if line.strip():
                    yield file, number, line
        except OSError as error:
            raise FileFormatError(str(unreadable(file, error, expected))) from error
