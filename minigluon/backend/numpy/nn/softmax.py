"""Softmax, related operators, and their gradients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....ops.nn.softmax import SoftmaxActivation, _Softmax, _SoftmaxGrad, log_softmax, write_normalized
from ....ops.numeric import sum_along
from ....ops.shapes import Spec
from ..blocks import BLOCK
from ..table import Writer, kernel_for


def row_spec(data: Spec, axis: int) -> Spec:
    """Returns the Spec of the sums along an axis, which is kept with length 1."""
    axis %= len(data.shape)
    return Spec((*data.shape[:axis], 1, *data.shape[axis + 1:]), data.dtype)


def block_spec(data: Any, axis: int) -> Spec:
    """Returns the Spec of a block of data's items, or of all items if the sums run over the items."""
    items, item = data.shape[0], math.prod(data.shape[1:])
    few = items if axis % len(data.shape) == 0 else min(items, max(1, BLOCK // max(1, item)))
    return Spec((few, *data.shape[1:]), data.dtype)


def not_plain(inputs: Sequence[Spec], outputs: Sequence[Spec]) -> str | None:
    """Returns the reason to decline, or None if there are elements, all of one float type with at least 32 bits."""
    dtype = inputs[0].dtype
    if dtype != outputs[0].dtype or dtype.itemsize < 4 or dtype.kind != "f":
        return f"dtype {dtype} to {outputs[0].dtype}"
    return None if math.prod(inputs[0].shape) else "no elements"


@kernel_for(_Softmax)
def softmax(op, inputs, outputs):
    """Returns the kernel, whose scratch buffer holds the largest element and then the sum of each row."""
    return _scaled(op, inputs, outputs, write_normalized, [row_spec(outputs[0], op.axis)])


@kernel_for(log_softmax)
def logarithmic(op, inputs, outputs):
    """Returns the kernel, whose scratch buffers are that of softmax and another for the exponentials of a few items."""
    return _scaled(op, inputs, outputs, write_log_normalized,
                   [row_spec(outputs[0], op.axis), block_spec(outputs[0], op.axis)])


def _scaled(op, inputs, outputs, write, scratch):
    """Returns a Writer that calls write(x, axis, out, *scratch) on the data divided by the temperature."""
    if op.use_length:
        return "use_length"
    factor, axis = op.factor, op.axis
    factor = None if factor == 1 else np.array(factor, inputs[0].dtype)

    def run(inputs, targets):
        x = inputs[0] if factor is None else np.multiply(inputs[0], factor, targets[0])
        write(x, axis, *targets)
    return not_plain(inputs, outputs) or Writer(run, scratch)


def write_log_normalized(x: Any, axis: int, out: Any, row: Any, block: Any) -> None:
    """Writes `ops.nn.softmax.log_normalized` into memory that may be the memory of x."""
    np.maximum.reduce(x, axis, None, row, True)
    np.subtract(x, row, out)
    step = len(block)
    for start in range(0, len(out), step):
        part = out[start:start + step]
        sum_along(np.exp(part, block[:len(part)]), axis, None, row[start:start + step], True)
    np.log(row, row)
    np.subtract(out, row, out)


@kernel_for(_SoftmaxGrad)
def softmax_grad(op, inputs, outputs):
    """Returns the kernel, whose scratch buffer holds the sum of each row."""
    return not_plain(inputs, outputs) or Writer(
        lambda inputs, targets: op.write(*inputs, op.axis, *targets), [row_spec(outputs[0], op.axis)])


@kernel_for(SoftmaxActivation)
def softmax_activation(op, inputs, outputs):
    shape = op.flat_shape(inputs[0].shape)

    def run(inputs, targets):
        write_normalized(inputs[0].reshape(shape), 1, targets[0].reshape(shape), targets[1])
    return not_plain(inputs, outputs) or Writer(run, [row_spec(Spec(shape, inputs[0].dtype), 1)])
