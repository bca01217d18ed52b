"""Convolution and Deconvolution. Layouts that end in C are transposed, because ONNX supports channels only at axis 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...helpers import permuted
from ...table import translates
from ...values import UntranslatableError

if TYPE_CHECKING:
    from ......ops.op import Op
    from ...values import Builder, Value

__all__ = []


def channels_first(g: Builder, op: Op, x: Value) -> Value:
    """Returns x with its channels at axis 1. op: an operator with `layout`, or None."""
    return g.transpose(x, [0, x.rank - 1, *range(1, x.rank - 1)]) if is_last(op) else x


def as_before(g: Builder, op: Op, x: Value, like: Any) -> Value:
    """Returns the result in the operator's own layout. like: a Value with the same rank."""
    return g.transpose(x, [0, *range(2, like.rank), 1]) if is_last(op) else x


def is_last(op: Op) -> Any:
    """Returns whether channels are the last axis."""
    return op.layout is not None and op.layout[-1] == "C"


def _windows(op, dims):
    """Returns the attributes that both operators have."""
    return {"kernel_shape": list(op.kernel), "strides": list(op.stride or (1,) * dims),
            "dilations": list(op.dilate or (1,) * dims), "group": op.num_group}


@translates("Convolution")
def convolution(g, op, data, weight, bias=None):
    dims = len(op.kernel)
    x, w = channels_first(g, op, data), channels_first(g, op, weight)
    y = g.Conv(x, w, bias, pads=list(op.pad or (0,) * dims) * 2, **_windows(op, dims))
    y.shape = permuted(g.specs[0][0], [0, dims + 1, *range(1, dims + 1)]) if is_last(op) else g.specs[0][0]
    return as_before(g, op, y, data)


@translates("Deconvolution")
def deconvolution(g, op, data, weight, bias=None):
    dims = len(op.kernel)
    x, w = channels_first(g, op, data), channels_first(g, op, weight)
    pad, adj = list(op.pad or (0,) * dims), list(op.adj or (0,) * dims)
    if any(op.target_shape):
        pad, adj = _fitting(op, x.shape[2:])
    y = g.ConvTranspose(x, w, bias, pads=pad * 2, output_padding=adj if any(adj) else None, **_windows(op, dims))
    y.shape = permuted(g.specs[0][0], [0, dims + 1, *range(1, dims + 1)]) if is_last(op) else g.specs[0][0]
    return as_before(g, op, y, data)


def _fitting(op, space):
    """Returns MXNet's (pad, adj) for target_shape."""
    geometry = op.geometry()
    pad, adj = [], []
    for n, k, s, d, size in zip(space, geometry.kernel, geometry.stride, geometry.dilate, op.target_shape,
                                strict=True):
        if not isinstance(n, int):
            raise UntranslatableError("target_shape needs a size that is not left open")
        excess = s * (n - 1) + d * (k - 1) + 1 - size
        pad.append((excess + 1) // 2)
        adj.append(excess % 2)
    return pad, adj
