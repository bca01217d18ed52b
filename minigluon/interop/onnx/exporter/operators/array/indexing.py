"""take, Embedding, pick, one_hot, where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ......ops.symbolic_dimensions import SymbolicDim
from ...table import translates
from ...values import UntranslatableError
from ..nn.softmax import positions

if TYPE_CHECKING:
    from ...values import Builder, Value

__all__ = ["bounded", "integers"]


def integers(g: Builder, x: Value) -> Value:
    """Returns indices as int64, rounded toward 0."""
    return g.cast(x, np.int64)


def bounded(g: Builder, indices: Any, length: int, mode: Any) -> Any:
    """Applies clip or wrap to the indices along an axis; in mode raise, the runtime rejects indices out of range."""
    if mode == "raise" or _is_within(g, indices, length):
        return indices
    last = g.length(length) - 1 if isinstance(length, SymbolicDim) else g.constant(np.array(length - 1, np.int64))
    if mode == "clip":
        return g.Max(g.Min(indices, last), 0)
    count = g.length(length) if isinstance(length, SymbolicDim) else g.constant(np.array(length, np.int64))
    return g.Mod(indices, count)


def _is_within(g, indices, length):
    """Returns whether an imported file already limits the indices in the form that `bounded` writes."""
    if isinstance(length, SymbolicDim):
        return False
    if indices.array is not None:
        return bool(indices.array.size and indices.array.min() >= 0 and indices.array.max() < length)
    below = _operand_of(g, indices, "Max", 0)
    return _operand_of(g, indices, "Mod", length) is not None or (
        below is not None and _operand_of(g, below, "Min", length - 1) is not None)


def _operand_of(g, value, op_type, number):
    """Returns the Value from which an operator with this constant computed `value`, or None."""
    call = next((call for call in reversed(g.calls) if any(output is value for output in call.outputs)), None)
    if call is None or call.op_type != op_type:
        return None
    first, second = call.inputs
    return first if second.array is not None and second.array.size == 1 and second.array.item() == number else None


@translates("take")
def take(g, op, a, indices):
    axis = op.axis % a.rank
    return g.Gather(a, bounded(g, integers(g, indices), a.shape[axis], op.mode), axis=axis)


@translates("Embedding")
def embedding(g, op, data, weight):
    return g.Gather(weight, bounded(g, integers(g, data), op.input_dim, "clip"), axis=0)


@translates("pick")
def pick(g, op, data, index):
    """Picks one element along an axis for each position in the other axes."""
    if op.axis is None:
        raise UntranslatableError("pick with axis=None")
    axis = op.axis % data.rank
    places = bounded(g, integers(g, index), data.shape[axis], op.mode)
    small = tuple([1 if i == axis else n for i, n in enumerate(data.shape)])
    picked = g.GatherElements(data, g.reshape(places, small), axis=axis, shape=small)
    return g.reshape(picked, g.specs[0][0])


@translates("batch_take")
def batch_take(g, op, a, indices):
    places = bounded(g, integers(g, indices), a.shape[1], "clip")
    elements = g.GatherElements(a, g.unsqueeze(places, 1), axis=1, shape=(a.shape[0], 1))
    return g.squeeze(elements, 1)


@translates("fill_element_0index")
def fill_element(g, op, lhs, mhs, rhs):
    places = g.unsqueeze(bounded(g, integers(g, rhs), lhs.shape[1], "clip"), 1)
    return g.ScatterElements(lhs, places, g.cast(g.unsqueeze(mhs, 1), lhs.dtype), axis=1)


@translates("one_hot")
def one_hot(g, op, indices):
    """Writes one-hot rows; an out-of-range index yields a row without a 1."""
    places = g.constant(np.arange(op.depth, dtype=np.int64))
    hot = g.Equal(g.unsqueeze(integers(g, indices), indices.rank), places)
    on, off = (g.constant(np.array(value).astype(op.dtype)) for value in (op.on_value, op.off_value))
    return g.where(hot, on, off)


@translates("where")
def where(g, op, condition, x, y):
    shape = (*condition.shape, *(1,) * (x.rank - condition.rank))
    return g.where(g.is_true(g.reshape(condition, shape)), x, y)


@translates("_contrib_index_copy")
def index_copy(g, op, old, index, new):
    return g.ScatterND(old, g.unsqueeze(integers(g, index), 1), g.cast(new, old.dtype))


@translates("_sparse_retain")
def sparse_retain(g, op, data, indices):
    hot = g.Equal(g.unsqueeze(positions(g, data.shape[0]), 1), g.unsqueeze(integers(g, indices), 0))
    mask = g.reduce("Max", g.cast(hot, data.dtype), [1])
    return data * g.reshape(mask, (data.shape[0], *(1,) * (data.rank - 1)))


@translates("_contrib_boolean_mask")
def boolean_mask(g, op, data, index):
    return g.Compress(data, g.is_true(index), axis=op.axis % data.rank)
