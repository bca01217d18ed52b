"""Sums, means, minima and maxima along axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..... import symbol as sym
from ..table import operator

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


def _axes(call):
    """Returns the axes counted from the front, None for all axes, or () for none."""
    axes = call.integers("axes", 1)
    if not axes:
        if axes == [] and not call.attribute("noop_with_empty_axes", 0):
            axes = None
        elif call.attribute("noop_with_empty_axes", 0):
            return ()
    if axes is None:
        return None
    return tuple(sorted({call.axis(axis) for axis in axes}))


def _reduced(call, function, before=None, after=None):
    x, axes = call.data(), _axes(call)
    if before is not None:
        x = before(x)
    if axes != () and not call.value(0).scalar:
        keep = bool(call.attribute("keepdims", 1))
        x = function(x, axes, keep)
        if not keep and (axes is None or len(axes) == call.rank()):
            call.scalar(x)
    return after(x) if after is not None else x


def _by(function):
    return lambda x, axes, keep: function(x, axis=axes, keepdims=keep)


@operator("ReduceSum")
def reduce_sum(call: Call) -> Any:
    return _reduced(call, _by(sym.sum))


@operator("ReduceMean")
def reduce_mean(call: Call) -> Any:
    return _reduced(call, _by(sym.mean))


@operator("ReduceProd")
def reduce_prod(call: Call) -> Any:
    return _reduced(call, _by(sym.prod))


def _of_bool(call, function):
    if call.is_bool():
        return _reduced(call, function, lambda x: sym.cast(x, dtype="uint8"), lambda x: sym.cast(x, dtype="bool"))
    return _reduced(call, function)


@operator("ReduceMax")
def reduce_max(call: Call) -> Any:
    return _of_bool(call, _by(sym.max))


@operator("ReduceMin")
def reduce_min(call: Call) -> Any:
    return _of_bool(call, _by(sym.min))


@operator("ReduceL1")
def reduce_l1(call: Call) -> Any:
    return _reduced(call, _by(sym.sum), sym.abs)


@operator("ReduceL2")
def reduce_l2(call: Call) -> Any:
    return _reduced(call, _by(sym.sum), sym.square, sym.sqrt)


@operator("ReduceSumSquare")
def reduce_sum_square(call: Call) -> Any:
    return _reduced(call, _by(sym.sum), sym.square)


@operator("ReduceLogSum")
def reduce_log_sum(call: Call) -> Any:
    return _reduced(call, _by(sym.sum), None, sym.log)


@operator("ReduceLogSumExp")
def reduce_log_sum_exp(call: Call) -> Any:
    """Computes log Σ exp(x - m) + m, where m is the maximum along the axes, to avoid overflow."""
    def function(x, axes, keep):
        most = sym.stop_gradient(sym.max(x, axis=axes, keepdims=True))
        total = sym.log(sym.sum(sym.exp(sym.broadcast_sub(x, most)), axis=axes, keepdims=True))
        total = sym.broadcast_add(total, most)
        return total if keep else sym.sum(total, axis=axes)
    return _reduced(call, function)


@operator("ArgMax", "ArgMin")
def argmax(call: Call) -> Symbol:
    """Returns int64 indices; the operator computes them as float32, which is exact up to length 2^24."""
    x, axis, keep = call.data(), call.axis(call.attribute("axis", 0)), bool(call.attribute("keepdims", 1))
    function = sym.argmax if call.type == "ArgMax" else sym.argmin
    last = call.attribute("select_last_index", 0)
    indices = function(sym.reverse(x, axis=axis) if last else x, axis=axis, keepdims=keep)
    if last:
        indices = call.length(axis) - 1 - indices
    indices = sym.cast(indices, dtype="int64")
    return call.scalar(indices) if call.rank() <= 1 and not keep else indices


@operator("CumSum")
def cumulative_sum(call: Call) -> Any:
    axis = call.axis(int(call.constant(1).item()))
    x, backwards = call.data(), call.attribute("reverse", 0)
    if backwards:
        x = sym.reverse(x, axis=axis)
    sums = sym.cumsum(x, axis=axis)
    if call.attribute("exclusive", 0):
        sums = sums - x
    return sym.reverse(sums, axis=axis) if backwards else sums


@operator("CumProd")
def cumulative_product(call: Call) -> Symbol:
    """Translates a cumulative product to a loop along the axis."""
    axis, x = call.axis(int(call.constant(1).item())), call.data()
    backwards, before = call.attribute("reverse", 0), call.attribute("exclusive", 0)
    x = sym.swapaxes(x, dim1=0, dim2=axis) if axis else x
    if call.rank() == 1:
        x = sym.expand_dims(x, axis=1)
    if backwards:
        x = sym.reverse(x, axis=0)

    def step(row, states):
        product = states[0] * row
        return states[0] if before else product, [product]
    ones = sym.ones_like(sym.reshape(sym.slice_axis(x, axis=0, begin=0, end=1), shape=(-3, -2)))
    products, _ = sym.contrib.foreach(step, x, [ones])
    if backwards:
        products = sym.reverse(products, axis=0)
    if call.rank() == 1:
        return sym.reshape(products, shape=(-1,))
    return sym.swapaxes(products, dim1=0, dim2=axis) if axis else sym.identity(products)
