"""Activations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ops.nn.activation import Activation, LeakyReLU, _along_channels, channel_shape
from ....ops.registry import operator
from ..blocks import by_blocks, elementwise
from ..math.elementwise import unary
from ..table import forward_of, kernel_for

if TYPE_CHECKING:
    from ....common.types import DType
    from ....ops.op import Op


@forward_of(Activation)
def activation_forward(op: Op, dtype: DType) -> Callable[..., Any]:
    if op.act_type != "relu":
        return op.forward
    zero = np.zeros((), dtype)          # converting the number 0 takes as long as comparing 256 elements
    return lambda data: np.maximum(data, zero)


@kernel_for(Activation)
def activation(op, inputs, outputs):
    zero = np.zeros((), inputs[0].dtype)
    if op.act_type == "relu":
        return lambda inputs, targets: np.maximum(inputs[0], zero, out=targets[0])
    if op.act_type in ("sigmoid", "tanh"):
        return unary(operator(op.act_type)(), inputs, outputs)
    if op.act_type == "softsign" or inputs[0].dtype.kind != "f":
        return elementwise(op, inputs, outputs)
    return lambda inputs, targets: np.logaddexp(inputs[0], zero, targets[0])


@kernel_for(LeakyReLU)
def leaky_relu(op, inputs, outputs):
    return by_blocks(op.forward) if op.elementwise else f"act_type {op.act_type}"


@kernel_for(_along_channels)
def stretched_along_channels(op, inputs, outputs):
    shape = channel_shape(inputs[0].shape, inputs[1].shape)
    return lambda inputs, targets: np.copyto(targets[0], inputs[0].reshape(shape))
