"""NDArray as HTML: shape, dtype and device, and the elements at its edges."""

import math
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from ..backend import backend_for
from .numbers import WHOLE, edges, matrices, texts
from .page import badge, code, count_text, dim, framed, table

__all__ = ["array_html", "array_parts", "elements_html"]

GAP, GAP_DOWN = "⋯", "⋮"
STORED = 4          # the number of stored elements shown at each end of a csr array


def array_html(x: Any) -> str:
    """Return the display of an NDArray, dense or sparse. Only the elements shown are read from the device."""
    head = f"<b>{type(x).__name__}</b> {code(x.shape)} {code(x.dtype.__name__)} {dim(f'on {x.device}')}"
    marks = " " + badge("gradient attached") if x.grad is not None else ""
    return framed(f"<div>{head}{marks}</div>", array_parts(x))


def array_parts(x: Any) -> str:
    """Return the display of the elements only."""
    if not x.size:
        return f"<div>{dim('no elements')}</div>"
    if x.stype == "default":
        return elements_html(x)
    return (_rows if x.stype == "row_sparse" else _entries)(x.buffer)


def elements_html(x: Any, rows: Sequence[int] | None = None) -> str:
    """Return the edges of a dense array as a table, or several tables if it has more than two axes.

    rows: the row numbers to show along the first axis.
    """
    backend = backend_for(x.device)
    slices = list(matrices(lambda key: backend.to_numpy(x.buffer[key]), x.shape))
    cell_texts = texts(np.concatenate([matrix.reshape(-1) for _, matrix in slices]))
    parts, start = [], 0
    for index, matrix in slices:
        cells = cell_texts[start:start + matrix.size].reshape(matrix.shape)
        start += matrix.size
        caption = f"<div>{code(list(index))}</div>" if index else ""
        parts.append(f"<div>{caption}{_matrix(cells, x.shape[-2:], rows)}</div>")
        if index and len(slices) < math.prod(x.shape[:-2]) and len(parts) == len(slices) - 1:
            parts.append(f"<div>{dim(GAP)}</div>")
    return f'<div class="mg-row">{"".join(parts)}</div>'


def _matrix(cells: Any, shape: tuple[int, ...], row_numbers: Sequence[int] | None) -> str:
    """Return the table of a vector or matrix.

    If parts are omitted, the row and column headers give the indices that are shown.
    """
    *_, length = shape or (1,)
    columns = _visible_indices(length)
    lines = [_with_gap([escape(cell) for cell in row], length) for row in np.atleast_2d(cells)]
    if max(shape, default=0) <= WHOLE and row_numbers is None:
        return table((), lines, kind="mg-numbers")
    heads = ["" if number is None else str(number) for number in columns]
    if len(shape) < 2:
        return table(heads, lines, kind="mg-numbers")
    lines = _with_gap(lines, shape[0], [GAP_DOWN] * len(columns))
    numbers = _visible_indices(shape[0])
    if row_numbers is not None:
        numbers = [None if number is None else row_numbers[number] for number in numbers]
    lines = [[dim("" if number is None else number), *line] for number, line in zip(numbers, lines, strict=True)]
    return table(["", *heads], lines, kind="mg-numbers")


def _visible_indices(length: int) -> list[int | None]:
    """Return the indices shown along an axis, with None for the omitted part."""
    numbers: list[int | None] = [i for part in edges(length) for i in range(part.start, part.stop)]
    return _with_gap(numbers, length, None)


def _with_gap(items: list[Any], length: int, gap: Any = GAP) -> list[Any]:
    middle = len(items) // 2
    return items if len(items) == length else [*items[:middle], gap, *items[middle:]]


# -- sparse arrays --------------------------------------------------------------------------------------------------


def _rows(storage: Any) -> str:
    """Return the display of a RowSparseStorage: the number of stored rows, and the first and last of them."""
    summary = f"<div>{dim(f'{len(storage.rows):,} of {storage.shape[0]:,} rows stored')}</div>"
    if not storage.values.size:
        return summary
    return summary + elements_html(storage.values, storage.rows if storage.values.ndim == 2 else None)


def _entries(storage: Any) -> str:
    """Return the display of a CSRStorage: the number of stored elements, and the first and last of them."""
    count = len(storage.columns)
    stored = count_text(count, "element")
    summary = f"<div>{dim(f'{stored} of {math.prod(storage.shape):,} stored')}</div>"
    if not count:
        return summary
    positions = np.concatenate([np.arange(part.start, part.stop) for part in edges(count, STORED, 2 * STORED)])
    rows = np.searchsorted(storage.starts, positions, side="right") - 1
    columns = storage.columns[positions]
    values = np.concatenate([backend_for(storage.values.device).to_numpy(storage.values.buffer[part])
                             for part in edges(count, STORED, 2 * STORED)])
    lines = [[str(row), str(column), escape(value)]
             for row, column, value in zip(rows, columns, texts(values), strict=True)]
    return summary + table(["row", "column", "value"], _with_gap(lines, count, [GAP_DOWN] * 3), right=(0, 1, 2))
