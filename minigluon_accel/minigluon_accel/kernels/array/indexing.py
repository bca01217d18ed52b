"""Slices by index: take, Embedding, one_hot, and the gradients of the first two.

An array is viewed as (outer, count, inner), where the middle axis is the one along which slices are taken.
"""

import sys

import numpy as np

from minigluon.ops.shapes import around

from ...engine import Call, Phase
from ..loops import loops, single_loop
from ..registry import kernel_for, parts, reals, size

__all__ = []

INDEX_TYPES = {"float32": 0, "float64": 1, "int32": 2, "int64": 3, "uint8": 4}
MODES = {"clip": 0, "wrap": 1, "raise": 2}
COLUMNS = 64        # the number of columns to which a part of a gradient adds: whole cache lines, but few enough to
                    # divide small tables


@kernel_for("take")
def take(op, inputs, outputs):
    return _take(inputs[0], inputs[1], op.axis, op.mode, data=0, index=1)


@kernel_for("Embedding")
def embedding(op, inputs, outputs):
    return _take(inputs[1], inputs[0], 0, "clip", data=1, index=0, takes_filling=1)


@kernel_for("_take_grad")
def take_grad(op, inputs, outputs):
    return _added(inputs[0], inputs[2], outputs[0], op.axis, op.mode, index=2)


@kernel_for("_Embedding_grad")
def embedding_grad(op, inputs, outputs):
    return _added(inputs[0], inputs[1], outputs[0], 0, "clip", index=1)


@kernel_for("one_hot")
def one_hot(op, inputs, outputs):
    if inputs[0].dtype.name not in INDEX_TYPES or outputs[0].dtype.itemsize not in (1, 2, 4, 8):
        return f"index of {inputs[0].dtype}, values of {outputs[0].dtype}"
    rows = size(inputs[0])
    return Call(Phase("one_hot", None, min(parts(size(outputs[0])), rows), rows=rows, depth=op.depth,
                      item=outputs[0].dtype.itemsize, on=_bits(op.on_value, outputs[0].dtype),
                      off=_bits(op.off_value, outputs[0].dtype), index_type=INDEX_TYPES[inputs[0].dtype.name]))


def _bits(value, dtype):
    """Returns the integer that has the same bits as a number."""
    return int.from_bytes(np.array(value).astype(dtype).tobytes(), sys.byteorder, signed=True)


def _take(array, numbers, axis, mode, takes_filling=0, **places):
    if numbers.dtype.name not in INDEX_TYPES:
        return f"index of {numbers.dtype}"
    outer, count, inner = around(array.shape, axis)
    if not count:
        return "no elements to take"
    index_count = size(numbers)
    fields = dict(outer=outer, count=count, bytes=inner * array.dtype.itemsize, taken=index_count,
                  index_type=INDEX_TYPES[numbers.dtype.name], mode=MODES[mode], **places, out=2,
                  takes_filling=takes_filling)
    work = outer * index_count * inner
    check = [Phase("check_indexes", None, parts(index_count), **fields)] if mode == "raise" else []
    return Call(*check, Phase("take", None, min(parts(work), outer * index_count), **fields))


def _added(grad, numbers, out, axis, mode, **places):
    reason = reals(grad, out)
    if reason or numbers.dtype.name not in INDEX_TYPES or mode == "raise":
        return reason or (f"index of {numbers.dtype}" if mode != "raise" else "mode raise")
    outer, count, inner = around(out.shape, axis)
    wide = min(COLUMNS, max(inner, 1))
    units = outer * -(-inner // wide) if count else 0
    return Call(Phase("add_rows", grad.dtype, min(parts(size(grad) + size(out)), units), outer=outer, count=count,
                      inner=inner, taken=size(numbers), wide=wide, index_type=INDEX_TYPES[numbers.dtype.name],
                      mode=MODES[mode], grad=0, **places, out=3))


def _pick_call(kernel, op, data, index, divided):
    reason = reals(data)
    if reason or index.dtype.name not in INDEX_TYPES:
        return reason or f"index of {index.dtype}"
    outer, count, inner = around(data.shape, op.axis)
    if not outer * count * inner:
        return "no elements"
    return Call(Phase(kernel, data.dtype, divided(outer), outer=outer, count=count, inner=inner,
                      index_type=INDEX_TYPES[index.dtype.name], wrap=op.mode == "wrap"))


@kernel_for("pick")
def pick(op, inputs, outputs):
    return _pick_call("pick", op, *inputs, lambda outer: parts(size(outputs[0])))


@kernel_for("_pick_grad")
def pick_grad(op, inputs, outputs):
    return _pick_call("pick_grad", op, *inputs[1:], lambda outer: min(parts(size(outputs[0])), outer))


loops({"where": "where"})


@kernel_for("where")
def where(op, inputs, outputs):
    condition, x, _ = inputs
    if condition.dtype == bool and condition.shape == x.shape and x.dtype == outputs[0].dtype:
        return Call(Phase("choose", None, parts(size(x)), size=size(x), item=x.dtype.itemsize))
    return single_loop(op, inputs, outputs)
