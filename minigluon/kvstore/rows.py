"""Sums of row_sparse arrays over processes: each process sends the rows that it has to all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .collectives import Steps, others_of

__all__ = ["Rows", "add_rows", "gather_rows", "saves_bytes"]

Rows = tuple[Any, Any]      # sorted indices: int64, (count,); values: (count, ...)


def saves_bytes(counts: Any, shape: Sequence[int], itemsize: int) -> bool:
    """Return whether rows take fewer bytes than the all-reduce of the whole array. counts: the number of rows of each
    process."""
    of_row = itemsize * int(np.prod(shape[1:]))
    return int(counts.sum()) * (of_row + 8) < 2 * shape[0] * of_row


def gather_rows(comm: Any, own: Sequence[Rows], parts: Sequence[Sequence[Rows]], tag: int) -> Steps:
    """Send this process's rows of several arrays to all others. parts: for each process, the memory for its rows."""
    others = others_of(comm)
    yield ([comm.Isend(x, dest=other, tag=tag) for other in others for rows in own for x in rows]
           + [comm.Irecv(x, source=other, tag=tag) for other in others for rows in parts[other] for x in rows])


def add_rows(parts: Sequence[Rows], dtype: Any) -> Rows:
    """Return the sums of the rows of all processes, in their order, so that all get the same bits."""
    places = np.unique(np.concatenate([indices for indices, _ in parts]))
    sums = np.zeros((len(places), *parts[0][1].shape[1:]), dtype)
    for indices, values in parts:
        sums[np.searchsorted(places, indices)] += values
    return places, sums
