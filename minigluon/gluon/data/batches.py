"""How a loader reads a batch: sample by sample, or at once where that gives the same.

At once is possible where samples lie in arrays, nothing but transforms that take batches is applied to them, and the
default makes the batch. A `Dataset` says so by `rows(indices)`: what `default_batchify_fn` would make of its samples,
or None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import autograd
from ...context import current_context
from ...ndarray import NDArray
from .batchify import as_batch, default_batchify_fn

__all__ = ["read_batch", "rows_of", "transforms_batches"]


def read_batch(dataset: Any, indices: Sequence[int], batchify_fn: Callable[..., Any]) -> Any:
    """The batch of the samples with these indices."""
    if batchify_fn is default_batchify_fn and not autograd.is_recording() and indices:
        rows = getattr(dataset, "rows", None)
        batch = None if rows is None else rows(indices)
        if batch is not None:
            return batch
    return batchify_fn([dataset[i] for i in indices])


def rows_of(array: Any, indices: Any) -> NDArray | None:
    """The rows of a numpy.ndarray, or of an NDArray on the CPU, as an NDArray; None for anything else.

    Where a GPU is the default device it is None for a numpy.ndarray, too: transforms take its samples on the CPU.
    """
    if not isinstance(array, NDArray) and current_context().device_type == "gpu":
        return None
    buffer = array.buffer if isinstance(array, NDArray) else array
    if not isinstance(buffer, np.ndarray) or buffer.ndim == 0 or min(indices) < 0 or max(indices) >= len(buffer):
        return None
    return as_batch(np.take(buffer, indices, axis=0), array)


def transforms_batches(transform: Any, rank: Any) -> bool:
    """Does a transform do with a batch of this rank what it does with each sample?

    A transform says so by `rank_of_batches`, 0 for any rank; hooks would see something else. A sequence of such
    transforms is one.
    """
    if getattr(transform, "_forward_hooks", None) or getattr(transform, "_forward_pre_hooks", None):
        return False
    ours = vars(type(transform)).get("rank_of_batches")         # a subclass may do something else
    if ours is not None:
        return ours in (0, rank)
    return bool(vars(type(transform)).get("is_sequence")) and all(
        transforms_batches(part, rank) for part in transform._children.values())
