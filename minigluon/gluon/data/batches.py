"""Functions that read a batch sample by sample or, if the result is the same, as a whole.

A batch can be read as a whole if samples are rows of arrays, all transforms accept batches, and the default function
collates it. A `Dataset` supports this with `rows(indices)`, which returns the result of `default_batchify_fn` for these
samples, or None.
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
    """Return the batch that consists of the samples with these indices."""
    if batchify_fn is default_batchify_fn and not autograd.is_recording() and indices:
        rows = getattr(dataset, "rows", None)
        batch = None if rows is None else rows(indices)
        if batch is not None:
            return batch
    return batchify_fn([dataset[i] for i in indices])


def rows_of(array: Any, indices: Any) -> NDArray | None:
    """Return rows of a numpy.ndarray, or of an NDArray on the CPU, as an NDArray; None for anything else.

    If a GPU is the default device, None is also returned for a numpy.ndarray, because transforms receive its samples on
    the CPU.
    """
    if not isinstance(array, NDArray) and current_context().device_type == "gpu":
        return None
    buffer = array.buffer if isinstance(array, NDArray) else array
    if not isinstance(buffer, np.ndarray) or buffer.ndim == 0 or min(indices) < 0 or max(indices) >= len(buffer):
        return None
    return as_batch(np.take(buffer, indices, axis=0), array)


def transforms_batches(transform: Any, rank: Any) -> bool:
    """Return whether transforming a batch of this rank gives the same result as transforming each sample.

    A transform declares this with `rank_of_batches`, 0 for any rank. Hooks rule this out, because they would see a
    batch. A sequence of such transforms also qualifies.
    """
    if getattr(transform, "_forward_hooks", None) or getattr(transform, "_forward_pre_hooks", None):
        return False
    ours = vars(type(transform)).get("rank_of_batches")         # a subclass may behave differently
    if ours is not None:
        return ours in (0, rank)
    return bool(vars(type(transform)).get("is_sequence")) and all(
        transforms_batches(part, rank) for part in transform._children.values())
