"""Batches of examples for calibration, from the iterators of MXNet's `io` or from Gluon's DataLoader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...base import ArgumentError
from ...io import DataIter

__all__ = ["batches_of"]


def batches_of(data: Any, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield {input: array} for each batch, without the padding in the last batch.

    data: a DataIter, which is reset first, or an iterable of batches, such as a DataLoader.
    names: the inputs' names; if a batch has more arrays, such as labels, only the first ones are used.
    """
    if isinstance(data, DataIter):
        data.reset()
        for batch in data:
            pad = batch.pad or 0
            arrays = [x[:len(x) - pad] if pad else x for x in batch.data]
            described = [desc[0] for desc in data.provide_data]
            yield dict(zip(described if set(names) <= set(described) else names, arrays, strict=False))
        return
    for batch in data:
        arrays = list(batch) if isinstance(batch, list | tuple) else [batch]
        if len(arrays) < len(names):
            raise ArgumentError(f"calibration: a batch has {len(arrays)} arrays, but the network has the inputs "
                                f"{', '.join(names)}")
        yield dict(zip(names, arrays, strict=False))
