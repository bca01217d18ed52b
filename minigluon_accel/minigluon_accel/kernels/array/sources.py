"""Arrays of one value, copies, and conversions between types."""

import math

import numpy as np

from minigluon.ops.numeric import cast

from ...engine import Call, Phase
from ..registry import kernel_for, parts, size

__all__ = ["copy", "fill", "fill_phase"]

CASTS = {np.dtype(name) for name in ("float32", "float64", "uint8", "int8", "int32", "int64")}


def fill(out, value, inputs=0):
    """The Call that sets an array, which comes after so many inputs, to one value, converted as NumPy does."""
    return Call(fill_phase(out, value, inputs))


def fill_phase(out, value, target):
    """The Phase of it, for an array that is operand number `target`."""
    bits = cast(np.array(value, np.float64), out.dtype).tobytes()
    count = size(out)
    return Phase("fill", None, parts(count), size=count, item=out.dtype.itemsize,
                 value=int.from_bytes(bits, "little", signed=True), target=target)


def copy(inputs, out):
    """The Call that copies the elements of the first input, in their order."""
    if inputs[0].dtype != out.dtype:
        return f"from {inputs[0].dtype} to {out.dtype}"
    count = size(out)
    return Call(Phase("copy", None, parts(count), size=count, item=out.dtype.itemsize, target=len(inputs)))


@kernel_for("_zeros", "_ones", "_full")
def filled(op, inputs, outputs):
    return fill(outputs[0], op.value)


@kernel_for("Flatten", "Reshape", "expand_dims", "reshape_like", "squeeze")
def in_another_shape(op, inputs, outputs):
    return copy(inputs, outputs[0])


@kernel_for("_mean_weight")
def mean_weight(op, inputs, outputs):
    return fill(outputs[0], size(inputs[1]) / max(size(inputs[0]), 1), 2)


@kernel_for("_item_weight")
def item_weight(op, inputs, outputs):
    return fill(outputs[0], 1 / max(1, math.prod(inputs[0].shape[1:])), 1)


@kernel_for("_make_loss_grad")
def make_loss_grad(op, inputs, outputs):
    if op.normalization == "valid":
        return "the divisor depends on the values"
    return fill(outputs[0], op.value(inputs[0].shape, np.dtype("float64")), 1)


@kernel_for("Cast", "_cast_like", "amp_cast")
def converted(op, inputs, outputs):
    data, out = inputs[0], outputs[0]
    if data.dtype == out.dtype:
        return copy(inputs, out)
    if data.dtype not in CASTS or out.dtype not in CASTS and out.dtype != bool:
        return f"from {data.dtype} to {out.dtype}"
    return Call(Phase(f"{data.dtype}_to_{out.dtype}", None, parts(size(out)), size=size(out), target=len(inputs)))
