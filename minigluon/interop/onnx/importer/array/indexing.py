"""Gathering and scattering elements by index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import symbol as sym
from ..shaping import transposed
from ..table import operator

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


@operator("Gather")
def gather(call: Call) -> Symbol:
    axis, x = call.axis(call.attribute("axis", 0)), call.data(0)
    shape, indices = call.shape(0), call.value(1)
    if indices.array is not None and indices.array.ndim == 0 and indices.array.dtype != object:
        index = int(indices.array.item())
        piece = sym.slice_axis(x, axis=axis, begin=index, end=index + 1 if index != -1 else None)
        return _without(call, piece, axis)
    if indices.array is not None and isinstance(shape[axis], int) and indices.array.dtype != object:
        places = call.parameter(indices.array % shape[axis], "indices") \
            if (indices.array < 0).any() else call.data(1)
    else:
        places = call.data(1)
    is_bool = call.is_bool()
    if is_bool:
        x = sym.cast(x, dtype="uint8")
    result = sym.take(x, places, axis=axis, mode="clip" if indices.array is not None else "wrap")
    if is_bool:
        result = sym.cast(result, dtype="bool")
    return _without(call, result, axis) if indices.scalar else result


def _without(call, x, axis):
    """Returns x without an axis of length 1."""
    if call.rank(0) == 1:
        return call.scalar(sym.reshape(x, shape=(1,)))
    return sym.squeeze(x, axis=axis)


def _grid(x, rank, axis):
    """Returns the index of each element along an axis, as a symbol that broadcasts to an array of this rank."""
    around = tuple(-1 if i == axis else 1 for i in range(rank))
    return sym.cast(sym.reshape(sym.contrib.arange_like(x, axis=axis), shape=around), dtype="int64")


def _places(call, indices, axis, length):
    """Returns the indices, one row per axis, of the elements that GatherElements and ScatterElements address."""
    rank = call.rank(1)
    indices = sym.cast(indices, dtype="int64")
    indices = indices + length * sym.cast(indices < 0, dtype="int64")
    rows = [indices if i == axis else sym.broadcast_like(_grid(indices, rank, i), indices) for i in range(rank)]
    return sym.stack(*rows, axis=0)


@operator("GatherElements")
def gather_elements(call: Call) -> Symbol:
    axis = call.axis(call.attribute("axis", 0))
    return sym.gather_nd(call.data(0), _places(call, call.data(1), axis, call.length(axis)))


@operator("GatherND")
def gather_nd(call: Call) -> Symbol:
    """Gathers by index tuples; batch axes get grids as their indices."""
    indices, rank = call.data(1), call.rank(1)
    last, batch = call.length(-1, 1), call.attribute("batch_dims", 0)
    if not 0 <= batch < rank:
        raise call.refuse(f"batch_dims={batch} of indices with {rank} axes")
    rows = transposed(indices, (rank - 1, *range(rank - 1)))
    if rank == 1 and last == call.rank(0):
        return call.scalar(sym.reshape(sym.gather_nd(call.data(0), sym.reshape(rows, shape=(last, 1))), shape=(1,)))
    if batch:
        like = sym.slice_axis(rows, axis=0, begin=0, end=1)
        grids = [sym.broadcast_like(sym.expand_dims(_grid(indices, rank - 1, i), axis=0), like) for i in range(batch)]
        rows = sym.concat(*grids, rows, dim=0)
    return sym.gather_nd(call.data(0), rows)


@operator("ScatterND")
def scatter_nd(call: Call) -> Any:
    rank = call.rank(1)
    rows = sym.transpose(sym.cast(call.data(1), dtype="int64"), axes=(rank - 1, *range(rank - 1))) \
        if rank > 1 else sym.cast(call.data(1), dtype="int64")
    return _scattered(call, rows, call.data(2))


@operator("ScatterElements", "Scatter")
def scatter_elements(call: Call) -> Any:
    axis = call.axis(call.attribute("axis", 0))
    return _scattered(call, _places(call, call.data(1), axis, call.length(axis)), call.data(2))


@operator("TensorScatter")
def tensor_scatter(call: Call) -> Any:
    """Writes new rows to a cache, starting at a different position for each item of the batch."""
    axis, rank, update = call.axis(call.attribute("axis", -2)), call.rank(1), call.data(1)
    places = _grid(update, rank, axis)
    if call.has(2):
        first = sym.reshape(sym.cast(call.data(2), dtype="int64"), shape=(-1, *[1] * (rank - 1)))
        places = sym.broadcast_add(first, places)
    if call.choice("mode", "linear", "circular") == "circular":
        places = places % call.length(axis)
    rows = _places(call, sym.broadcast_like(places, update), axis, call.length(axis))
    return sym._internal._scatter_set_nd(call.data(0), update, rows, shape=call.static_shape(0))


def _scattered(call, rows, updates):
    x, reduction = call.data(0), call.choice("reduction", "none", "add", "mul", "max", "min")
    shape = call.static_shape(0)
    if reduction == "none":
        return sym._internal._scatter_set_nd(x, updates, rows, shape=shape)
    if reduction == "add":
        return x + sym._internal._gather_nd_grad(updates, x, rows)
    return _one_by_one(x, rows, updates, shape, call.length(-1, 1) if call.type == "ScatterND" else len(shape),
                       COMBINED[reduction])


COMBINED = {"mul": sym.broadcast_mul, "max": sym.broadcast_maximum, "min": sym.broadcast_minimum}


def _one_by_one(x, rows, updates, shape, axes, combine):
    """Returns x updated at the indices in rows (axes, ...), using a loop because an index may occur several times."""
    places = sym.transpose(sym.reshape(rows, shape=(axes, -1)), axes=(1, 0))
    updates = sym.reshape(updates, shape=(-1, 1, *shape[axes:]))

    def step(part, states):
        place = sym.reshape(part[0], shape=(axes, 1))
        changed = combine(sym.gather_nd(states[0], place), part[1])
        return [], [sym._internal._scatter_set_nd(states[0], changed, place, shape=shape)]
    _, states = sym.contrib.foreach(step, [places, updates], [x])
    return sym.identity(states[0])


@operator("Compress")
def compress(call: Call) -> Symbol:
    keep = np.flatnonzero(call.constant(1))
    x, axis = call.data(0), call.attribute("axis", None)
    if axis is None:
        x, axis = sym.reshape(x, shape=(-1,)), 0
    length = call.shape()[axis] if call.attribute("axis", None) is not None else None
    if not len(keep) or (isinstance(length, int) and keep[-1] >= length):
        raise call.refuse("the result would be empty")
    return sym.take(x, call.parameter(keep.astype(np.int64), "kept"), axis=call.axis(axis) if length else 0)
