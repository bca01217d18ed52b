"""Operators on elements at given positions, one (i, j, ...) per column, and on flat indices."""

import math

import numpy as np

from minigluon.backend import Spec

from ....strides import placeholder
from ... import launch
from ...launch import In, Launch, Out, Scratch, Work, blocks, dims, size, types
from ..checks import checked
from ..movement import fill, move, word_of, zeros
from ..registry import kernel_for
from .indexing import FILLING_SOURCE, added, index_defines, kernel, number_type

__all__ = ["scattered"]

MAX_COLUMNS = 2 ** 31   # the maximum number of indices, from which the last one for each slice is chosen


def _columns(indices, shape):
    """Returns (axes, columns, lengths of the axes, elements of a slice) for indices (axes, *B) into a shape."""
    axes = indices.shape[0]
    return axes, math.prod(indices.shape[1:]), shape[:axes], math.prod(shape[axes:])


@kernel_for("gather_nd")
def gather_nd(op, inputs, outputs, device):
    data, indices = inputs
    axes, columns, lengths, inner = _columns(indices, data.shape)
    defines = {**word_of(data.dtype), **index_defines(indices, data, outputs[0])}
    check = checked(op.name, device, indices, In(1), lengths, defines, negative=True)
    if isinstance(check, str) or not size(outputs[0]) or 0 in lengths:
        return check                    # for an empty axis, every index is out of range
    run = kernel("gather", defines, size(outputs[0]), [Out(0), In(0), In(1), size(outputs[0]), inner, axes, columns,
                                                       dims(lengths)])
    return Work(*check.launches, run, scratch=check.scratch)


@kernel_for("_gather_nd_grad")
def gather_nd_grad(op, inputs, outputs, device):
    _, data, indices = inputs
    axes, columns, lengths, inner = _columns(indices, data.shape)
    defines = {**word_of(data.dtype), **index_defines(indices, data)}
    check = checked(op.operator.name, device, indices, In(2), lengths, defines, negative=True)
    if isinstance(check, str):
        return check
    numbers = Scratch(len(check.scratch))
    launches = [kernel("slice_numbers", defines, columns, [numbers, In(2), axes, columns, dims(lengths)])]
    return added(outputs[0], number_type(defines), numbers, launches, check, columns, (1, math.prod(lengths), inner))


def scattered(name, device, start, out, data, source, indices, where, negative=True):
    """Returns the Work that writes slices of `source` to output slices given by indices.

    If several indices are equal, the last slice wins. start: launches that fill the output first. indices: the Spec
    (axes, *B) of operand `where`. name, negative: see `checked`.
    """
    axes, columns, lengths, inner = _columns(indices, out.shape)
    defines = {**word_of(out.dtype), **index_defines(indices, data, out)}
    check = checked(name, device, indices, where, lengths, defines, negative)
    if isinstance(check, str) or not size(data) or 0 in lengths:
        return check if isinstance(check, str) else Work(*check.launches, *start, scratch=check.scratch)
    if columns >= MAX_COLUMNS:
        return f"{columns} indices"
    last = Spec((math.prod(lengths),), np.dtype(np.int32))
    place = Scratch(len(check.scratch))
    marks = kernel("mark_last", defines, columns, [place, where, axes, columns, dims(lengths)])
    puts = kernel("scatter", defines, size(data), [Out(0), source, where, place, size(data), inner, axes, columns,
                                                   dims(lengths)])
    return Work(*check.launches, *start, *fill(np.int32, place, placeholder(last.shape), -1), marks, puts,
                scratch=[*check.scratch, last])


@kernel_for("scatter_nd")
def scatter_nd(op, inputs, outputs, device):
    data, indices = inputs
    return scattered(op.name, device, zeros(outputs[0], Out(0)), outputs[0], data, In(0), indices, In(1))


@kernel_for("_scatter_set_nd")
def scatter_set_nd(op, inputs, outputs, device):
    lhs, rhs, indices = inputs
    if rhs.dtype != lhs.dtype:
        return f"lhs of {lhs.dtype}, rhs of {rhs.dtype}"
    start = move(lhs.dtype, In(0), placeholder(lhs.shape), Out(0), placeholder(lhs.shape))
    return scattered(op.name, device, start, outputs[0], rhs, In(1), indices, In(2))


@kernel_for("_last_writer")
def last_writer(op, inputs, outputs, device):
    grad, indices = inputs
    axes, columns, lengths, _ = _columns(indices, op.shape)
    defines = {**word_of(grad.dtype), **index_defines(indices, grad)}
    check = checked(op.name, device, indices, In(1), lengths, defines, negative=True)
    if isinstance(check, str) or not size(grad) or 0 in lengths:
        return check
    if columns >= MAX_COLUMNS:
        return f"{columns} indices"
    last = Spec((math.prod(lengths),), np.dtype(np.int32))
    place = Scratch(len(check.scratch))
    marks = kernel("mark_last", defines, columns, [place, In(1), axes, columns, dims(lengths)])
    keeps = Launch(FILLING_SOURCE, "keep_last", types(grad.dtype, TM=grad.dtype, TI=indices.dtype),
                   blocks(size(grad)), launch.THREADS, [Out(0), In(0), In(1), place, size(grad), size(grad) // columns,
                                                         axes, columns, dims(lengths)])
    return Work(*check.launches, *fill(np.int32, place, placeholder(last.shape), -1), marks, keeps,
                scratch=[*check.scratch, last])


@kernel_for("_ravel_multi_index")
def ravel(op, inputs, outputs):
    strides = [math.prod(op.shape[axis + 1:]) for axis in range(len(op.shape))]
    return _positions("ravel", inputs[0], size(outputs[0]), strides)


@kernel_for("_unravel_index")
def unravel(op, inputs, outputs):
    return _positions("unravel", inputs[0], size(inputs[0]), op.shape)


def _positions(function, data, columns, numbers):
    if not columns:
        return Work()
    if len(numbers) > launch.MAX_DIMS:
        return f"{len(numbers)} axes"
    return Work(kernel(function, {**word_of(data.dtype), **index_defines(data)}, columns,
                       [Out(0), In(0), columns, len(numbers), dims(numbers)]))
