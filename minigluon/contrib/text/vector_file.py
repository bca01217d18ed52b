"""The reader for word vector files, in which each line contains a token and its numbers."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from ...base import ArgumentError, FileFormatError
from ...diagnostics import strictness
from ...serialization.reading import lines_of

__all__ = ["VectorFileError", "read_vectors"]


class VectorFileError(FileFormatError, AssertionError, ValueError):
    """Raised for an invalid file. MXNet's reader raises AssertionErrors and ValueErrors, which programs catch."""


def read_vectors(path: str, elem_delim: Any, encoding: str, unknown_token: Any) -> Any:
    """Return (the unknown token's vector or None, {token: row}, rows) from a file. rows (N, length), float64.

    The first line of fastText's files contains the number of tokens and the number of elements. Such a line, with only
    one number after the token, is skipped with a warning, and so is a second vector for a token. Raises VectorFileError
    for any other line that is not a token and its numbers, and ArgumentError for an unreadable file.
    """
    unknown, row_of, numbers, length = None, {}, array("d"), None     # one flat buffer, with 8 bytes for each number
    for number, (token, elements) in _lines(path, elem_delim, encoding):
        where = f"{path}, line {number}"
        if not elements:
            raise VectorFileError(f"{where}: expected a token and its numbers, separated by {elem_delim!r}, "
                                  f"found {token!r}")
        if token == unknown_token and unknown is None:
            unknown = _numbers(elements, where)
        elif token in row_of:
            strictness.warn(f"{where}: a second vector of {token!r} is ignored")
            continue
        elif len(elements) == 1:
            strictness.warn(f"{where}: {token!r} with one number is treated as a header and skipped")
            continue
        else:
            row_of[token] = len(row_of)
            numbers.extend(_numbers(elements, where))
        if length not in (None, len(elements)):
            raise VectorFileError(f"{where}: {token!r} has {len(elements)} numbers, but earlier tokens have "
                                  f"{length}")
        length = len(elements)
    if length is None:
        raise VectorFileError(f"{path}: the file has no line with a token and its numbers")
    return unknown, row_of, np.frombuffer(numbers).reshape(-1, length) if row_of else np.empty((0, length))


def _lines(path, elem_delim, encoding):
    """Yield (line number, (token, its elements as strings)) for each line."""
    try:
        for number, line in lines_of(path, encoding):
            token, *elements = line.rstrip().split(elem_delim)
            yield number, (token, elements)
    except OSError as error:
        raise ArgumentError(f"cannot read the word vectors in {path!r}: {error.strerror}") from error


def _numbers(elements, where):
    try:
        return array("d", map(float, elements))
    except ValueError as error:
        raise VectorFileError(f"{where}: {error}") from error
