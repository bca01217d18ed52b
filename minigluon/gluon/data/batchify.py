"""Functions that collate lists of samples into batches.

`default_batchify_fn` collates samples of equal shape; `Pad` and `Group` collate sequences of different lengths:

    DataLoader(dataset, 32, batchify_fn=batchify.Group(batchify.Pad(val=0), batchify.Stack()))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...backend import backend_for
from ...base import ArgumentError, DTypeError, ShapeError
from ...common.dtypes import CODES
from ...common.types import DType
from ...context import current_context
from ...diagnostics.argument_kinds import worded
from ...diagnostics.keywords import ChecksKeywords
from ...ndarray import NDArray
from ...ndarray.exports import in_current_class

__all__ = ["Append", "AsList", "Group", "Pad", "Stack", "default_batchify_fn", "default_mp_batchify_fn"]


def default_batchify_fn(data: Any) -> Any:
    """Stacks samples along a new first axis.

    data: a list of N samples of the same shape (...): NDArrays; numbers, lists or numpy.ndarrays; or tuples or
        dictionaries of these. A list of strings stays a list.

    Returns an NDArray (N, ...) with the samples' dtype (float64 for Python floats, as in MXNet). For tuples, returns a
    list with one batch per part; for dictionaries, a dictionary with one batch per key.

    Raises ShapeError if shapes differ, and DTypeError for anything that is not a number.

    >>> gluon.data.dataloader.default_batchify_fn([1, 2, 3]).asnumpy().tolist()
    [1, 2, 3]
    >>> data, label = gluon.data.dataloader.default_batchify_fn([(nd.ones((2,)), 0), (nd.zeros((2,)), 1)])
    >>> data.asnumpy().tolist(), label.asnumpy().tolist()
    ([[1.0, 1.0], [0.0, 0.0]], [0, 1])
    >>> batch = gluon.data.dataloader.default_batchify_fn([{"text": "good", "label": 1}, {"text": "bad", "label": 0}])
    >>> batch["text"], batch["label"].asnumpy().tolist()
    (['good', 'bad'], [1, 0])
    """
    first = data[0]
    if isinstance(first, Mapping):
        return {key: default_batchify_fn([sample[key] for sample in data]) for key in _keys(data)}
    if isinstance(first, (str, bytes)):
        return list(data)
    if isinstance(first, tuple):
        return [default_batchify_fn(part) for part in zip(*data, strict=True)]
    if isinstance(first, NDArray):
        return _wrap(_stack([_buffer(sample) for sample in data]), first.context)
    return _wrap(_stack([np.asarray(sample) for sample in data]), current_context())


default_mp_batchify_fn = default_batchify_fn        # MXNet's name for the variant used in worker processes


class Stack(ChecksKeywords):
    """`default_batchify_fn` as an object, for `Group`."""

    def __call__(self, data: Any) -> Any:
        return default_batchify_fn(data)


class Pad(ChecksKeywords):
    """Stacks samples of different lengths, padding each axis at the end to the greatest length.

    val: the padding value. dtype: the dtype of the batch; None keeps the samples' dtype. round_to: lengths are rounded
    up to multiples of this.
    In:  N samples (L_i, ...)    Out: NDArray (N, max L_i, ...)
    """

    @worded
    def __init__(self, val: Any = 0, dtype: DType | None = None, round_to: Any = None) -> None:
        self._val = val
        self._dtype = dtype
        self._round_to = round_to

    @worded
    def __call__(self, data: Any) -> Any:
        arrays = [_buffer(sample) for sample in data]
        ranks = {a.ndim for a in arrays}
        if len(ranks) > 1:
            raise ShapeError(f"Pad: all samples must have as many axes, found {sorted(ranks)}")
        longest = [max(lengths) for lengths in zip(*(a.shape for a in arrays), strict=True)]
        if self._round_to:
            longest = [-(-n // self._round_to) * self._round_to for n in longest]
        batch = np.full((len(arrays), *longest), self._val, self._dtype or arrays[0].dtype)
        for row, a in zip(batch, arrays, strict=True):
            row[tuple(slice(n) for n in a.shape)] = a
        return _wrap(batch, current_context())


class Append(ChecksKeywords):
    """Returns a list with each sample as a separate NDArray: (1, ...) with expand, otherwise (...)."""

    @worded
    def __init__(self, expand: bool = True, batch_axis: int = 0) -> None:
        self._expand = expand
        self._batch_axis = batch_axis

    @worded
    def __call__(self, data: Any) -> Any:
        arrays = [_buffer(sample) for sample in data]
        if self._expand:
            arrays = [np.expand_dims(a, self._batch_axis) for a in arrays]
        return [_wrap(a, current_context()) for a in arrays]


class AsList(ChecksKeywords):
    """Returns a list of the unchanged samples, such as strings or file names."""

    def __call__(self, data: Any) -> Any:
        return list(data)


class Group(ChecksKeywords):
    """Applies one function to each part of a sample: Group(Pad(), Stack()) for tuples (sequence, label)."""

    def __init__(self, fn: Callable[..., Any], *args: Any) -> None:
        self._fns = tuple(fn) if isinstance(fn, (list, tuple)) else (fn, *args)

    def __call__(self, data: Any) -> Any:
        if len(data[0]) != len(self._fns):
            raise ArgumentError(f"Group has {len(self._fns)} functions, but a sample has {len(data[0])} parts")
        return tuple(fn(part) for fn, part in zip(self._fns, zip(*data, strict=True), strict=True))


def _keys(samples):
    """Returns the keys that these dictionaries have in common."""
    keys = list(samples[0])
    for i, sample in enumerate(samples):
        if sample.keys() != samples[0].keys():
            raise ArgumentError(f"cannot batch dictionaries of different keys: sample 0 has {keys}, sample {i} has "
                                f"{list(sample)}. Make them equal in the dataset, or pass a batchify_fn to DataLoader.")
    return keys


def _buffer(sample):
    """Returns a sample as a numpy.ndarray; an NDArray on the CPU is not copied."""
    if isinstance(sample, NDArray):
        buffer = sample.buffer
        return buffer if isinstance(buffer, np.ndarray) else sample.asnumpy()
    return np.asarray(sample)


def _stack(arrays):
    first = arrays[0]
    batch = np.empty((len(arrays), *first.shape), first.dtype)
    # One assignment per sample, because np.stack first creates a view of each sample, which costs four times as much
    # for small samples.
    for i, a in enumerate(arrays):
        if a.shape != first.shape:
            raise ShapeError(
                f"cannot batch samples of different shapes: sample 0 has {first.shape}, sample {i} has {a.shape}. "
                "Make them equal in the dataset (transforms.Resize, CenterCrop), or give DataLoader a batchify_fn "
                "(batchify.Pad, batchify.AsList).")
        batch[i] = a
    return batch


def as_batch(array: Any, source: Any) -> NDArray:
    """Returns a numpy.ndarray as a batch of samples from `source`, an NDArray or a numpy.ndarray."""
    return _wrap(array, source.context if isinstance(source, NDArray) else current_context())


def _wrap(array, ctx):
    if array.dtype not in CODES:
        raise DTypeError(
            f"cannot batch samples of dtype {array.dtype}: an NDArray holds {', '.join(t.name for t in CODES)}. "
            "Convert them in the dataset, or give DataLoader a batchify_fn (batchify.AsList keeps them as they are).")
    return in_current_class(NDArray(backend_for(ctx).from_numpy(array, ctx), ctx))
