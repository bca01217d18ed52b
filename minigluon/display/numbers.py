"""The elements of an array that a display shows, selected as in NumPy: along a long axis, only the first and last."""

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

__all__ = ["edges", "matrices", "texts"]

WHOLE = 8           # axes with at most this many elements are shown in full
EDGE = 3            # the number of elements shown at each end of a longer axis
SLICES = 3          # the maximum number of matrices shown for an array with more than two axes
DIGITS = 4          # digits after the decimal point; `print` uses NumPy's eight

Read = Callable[[tuple[Any, ...]], Any]


def edges(length: int, edge: int = EDGE, whole: int = WHOLE) -> list[slice]:
    """Return the parts of an axis that are shown.

    >>> edges(5), edges(100)
    ([slice(0, 5, None)], [slice(0, 3, None), slice(97, 100, None)])
    """
    return [slice(0, length)] if length <= whole else [slice(0, edge), slice(length - edge, length)]


def matrices(read: Read, shape: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Yield (index, the elements at the edges of x[index] as a numpy.ndarray) for the shown matrices of an array x.

    read(key): the part of x that integers and slices select, as a numpy.ndarray; only the parts shown are read.
    """
    for index in _indices(shape[:-2]):
        parts = [edges(length) for length in shape[-2:]]
        if len(parts) == 2:
            yield index, np.block([[read((*index, rows, columns)) for columns in parts[1]] for rows in parts[0]])
        else:
            yield index, np.concatenate([np.atleast_1d(read(key)) for key in product(*parts)])


def _indices(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the indices of the matrices shown: all of them, or the first few and the last."""
    count = math.prod(shape)
    numbers = range(count) if count <= SLICES else [*range(SLICES - 1), count - 1]
    return [tuple(int(i) for i in np.unravel_index(number, shape)) if shape else () for number in numbers]


def texts(elements: Any) -> Any:
    """Return the elements as strings in a common format, with as many digits as any element needs, up to DIGITS."""
    flat = elements.reshape(-1)
    precision = np.get_printoptions()["precision"]         # the program's setting; None means all digits
    digits = DIGITS if precision is None else min(DIGITS, precision)
    text = np.array2string(flat, precision=digits, separator="\x1f", threshold=flat.size + 1, max_line_width=2 ** 31)
    strings = np.array(text[1:-1].split("\x1f"), object)
    return strings.reshape(elements.shape)
