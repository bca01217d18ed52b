"""Operators that look elements up by number, and their gradients, which put or add them up at those numbers."""

import math

import numpy as np

from minigluon.backend import Spec
from minigluon.ops.shapes import around

from ....geometry import ghost
from ... import launch
from ...expressions import elementwise
from ...launch import In, Launch, Out, Scratch, SourceFile, Work, blocks, dims, size, types
from ..checks import checked
from ..movement import fill, move, word_of, zeros
from ..registry import kernel_for
from .ordering import sort_launches

__all__ = ["index_defines", "scattered"]

SOURCE = SourceFile("array/indexing.cu")
SUMS_SOURCE = SourceFile("array/indexing_sums.cu")
FILLING_SOURCE = SourceFile("array/filling.cu")
MODES = {"clip": 0, "wrap": 1, "raise": 0}      # as in indices.cuh; what 'raise' lets pass is in range
SMALL = 2 ** 31         # elements: below, they are counted in 32 bits
MAX_COLUMNS = 2 ** 31   # indices, of which the last one of each slice is looked for
SUMS = {"float": np.dtype("float32"), "double": np.dtype("float64"), "long long": np.dtype("int64")}
CHUNK = 32              # items that one thread adds up before another goes on


def index_defines(indices, *arrays):
    """The defines for indices of a dtype, where the elements of the arrays are counted and numbered."""
    large = max(map(size, (indices, *arrays))) >= SMALL
    count = {"INDEX": "long long", "N": "long long"} if large else {"INDEX": "unsigned", "N": "int"}
    return {"TI": types(indices.dtype)["T"], **count}


def _number(defines):
    """The dtype of slices' numbers."""
    return np.dtype(np.int32 if defines["N"] == "int" else np.int64)


def kernel(function, defines, total, arguments):
    """The launch of a kernel of array/indexing.cu for so many elements."""
    return Launch(SOURCE, function, defines, blocks(total), launch.THREADS, arguments)


# -- slices -----------------------------------------------------------------------------------------------------------


@kernel_for("take")
def take(op, inputs, outputs, device):
    array, indices = inputs
    defines = {**word_of(array.dtype), **index_defines(indices, array, outputs[0])}
    check = Work()
    if op.mode == "raise":
        check = checked(op.name, device, indices, In(1), [array.shape[op.axis]], defines)
    return _taken(defines, In(0), In(1), size(indices), around(array.shape, op.axis), op.mode, outputs[0], check)


@kernel_for("Embedding")
def embedding(op, inputs, outputs):
    indices, weight = inputs
    defines = {**word_of(weight.dtype), **index_defines(indices, weight, outputs[0])}
    return _taken(defines, In(1), In(0), size(indices), around(weight.shape, 0), "clip", outputs[0], Work())


def _taken(defines, source, where, taken, places, mode, out, check):
    _, count, inner = places
    if not size(out):
        return check
    run = kernel("take", defines, size(out), [Out(0), source, where, size(out), count, inner, taken, MODES[mode]])
    return Work(*check.launches, run, scratch=check.scratch)


@kernel_for("_take_grad")
def take_grad(op, inputs, outputs, device):
    _, array, indices = inputs
    defines, check = {**word_of(array.dtype), **index_defines(indices, array)}, Work()
    if op.mode == "raise":
        check = checked(op.operator.name, device, indices, In(2), [array.shape[op.axis]], defines)
    return _added(defines, In(2), size(indices), around(array.shape, op.axis), op.mode, outputs[0], check)


@kernel_for("_Embedding_grad")
def embedding_grad(op, inputs, outputs):
    _, indices, weight = inputs
    defines = {**word_of(weight.dtype), **index_defines(indices, weight)}
    return _added(defines, In(1), size(indices), around(weight.shape, 0), "clip", outputs[0], Work())


def _added(defines, where, taken, places, mode, out, check):
    """The gradient of slices that were taken at the indices `where` along the middle of `places`."""
    numbers = Scratch(len(check.scratch))
    made = [kernel("numbers_within", defines, taken, [numbers, where, taken, places[1], MODES[mode]])]
    return added(out, _number(defines), numbers, made, check, taken, places)


def added(out, number, numbers, made, check, taken, places):
    """The Work that adds slices of the first input (outer, taken, inner) up at their numbers.

    number: the dtype of operand `numbers`, which the launches `made` fill. check: Work that comes first.
    places: (outer, count, inner), the output.
    """
    outer, count, inner = places
    before = [*check.launches, *zeros(out, Out(0))]
    if not size(out) or not taken:
        return Work(*before, scratch=check.scratch)
    first = numbers.number + 1
    done = sort_launches(number, numbers, 1, taken, 1, first=first)
    columns, chunks = outer * inner, -(-taken // CHUNK)
    rest = Scratch(first + len(done.scratch))
    defines = {**types(out.dtype), **({"WIDE": "1"} if "WIDE" in done.defines else {})}
    sums = [Launch(SUMS_SOURCE, "add_chunks", defines, blocks(chunks * columns), launch.THREADS,
                   [Out(0), rest, In(0), done.items, taken, count, inner, columns, CHUNK])]
    if chunks > 1:
        sums.append(Launch(SUMS_SOURCE, "add_rests", defines, blocks(chunks * columns), launch.THREADS,
                           [Out(0), rest, done.items, taken, count, inner, columns, CHUNK]))
    scratch = [*check.scratch, Spec((taken,), number), *done.scratch, Spec((chunks * columns,), SUMS[defines["A"]])]
    return Work(*before, *made, *done.launches, *sums, scratch=scratch)


# -- one element of each line -----------------------------------------------------------------------------------------


@kernel_for("pick")
def pick(op, inputs, outputs):
    return _one_of_each("pick", inputs[0], inputs[1], In(1), outputs[0], op.axis, op.mode)


@kernel_for("batch_take")
def batch_take(op, inputs, outputs):
    return _one_of_each("pick", inputs[0], inputs[1], In(1), outputs[0], 1, "clip")


@kernel_for("_pick_grad")
def pick_grad(op, inputs, outputs):
    return _one_of_each("pick_grad", outputs[0], inputs[2], In(2), outputs[0], op.axis, op.mode)


@kernel_for("_batch_take_grad")
def batch_take_grad(op, inputs, outputs):
    return _one_of_each("pick_grad", outputs[0], inputs[2], In(2), outputs[0], 1, "clip")


def _one_of_each(function, data, index, where, out, axis, mode):
    """The Work of a function on lines of `data` along an axis. index: the Spec of operand `where`, one a line."""
    if not size(out):
        return Work()
    _, count, inner = around(data.shape, axis)
    defines = {**word_of(out.dtype), **index_defines(index, data)}
    return Work(kernel(function, defines, size(out), [Out(0), In(0), where, size(out), count, inner, MODES[mode]]))


@kernel_for("fill_element_0index")
def fill_element(op, inputs, outputs):
    lhs, mhs, rhs = inputs
    if not size(lhs):
        return Work()
    defines = types(lhs.dtype, TM=mhs.dtype, TI=rhs.dtype)
    return Work(Launch(FILLING_SOURCE, "fill_element", defines, blocks(size(lhs)), launch.THREADS,
                       [Out(0), In(0), In(1), In(2), size(lhs), lhs.shape[1]]))


@kernel_for("one_hot")
def one_hot(op, inputs, outputs):
    indices, out = inputs[0], outputs[0]
    if not size(out):
        return Work()
    with np.errstate(all="ignore"):
        on, off = (np.array([value]).astype(out.dtype).view(f"u{out.dtype.itemsize}")[0]
                   for value in (op.on_value, op.off_value))
    return Work(kernel("one_hot", {**word_of(out.dtype), **index_defines(indices, out)}, size(out),
                       [Out(0), In(0), size(out), op.depth, on, off]))


# -- positions --------------------------------------------------------------------------------------------------------


def _columns(indices, shape):
    """(axes, columns, lengths of the axes, elements of a slice) for indices (axes, *B) into an array of a shape."""
    axes = indices.shape[0]
    return axes, math.prod(indices.shape[1:]), shape[:axes], math.prod(shape[axes:])


@kernel_for("gather_nd")
def gather_nd(op, inputs, outputs, device):
    data, indices = inputs
    axes, columns, lengths, inner = _columns(indices, data.shape)
    defines = {**word_of(data.dtype), **index_defines(indices, data, outputs[0])}
    check = checked(op.name, device, indices, In(1), lengths, defines, negative=True)
    if isinstance(check, str) or not size(outputs[0]):
        return check
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
    made = [kernel("slice_numbers", defines, columns, [numbers, In(2), axes, columns, dims(lengths)])]
    return added(outputs[0], _number(defines), numbers, made, check, columns, (1, math.prod(lengths), inner))


def scattered(name, device, start, out, data, source, indices, where, negative=True):
    """The Work that puts slices of operand `source` to the slices of the output that indices name, the last one wins.

    start: launches that fill the output before. indices (axes, *B): the Spec of operand `where`. name, negative: as
    `checked` takes them.
    """
    axes, columns, lengths, inner = _columns(indices, out.shape)
    defines = {**word_of(out.dtype), **index_defines(indices, data, out)}
    check = checked(name, device, indices, where, lengths, defines, negative)
    if isinstance(check, str) or not size(data):
        return check if isinstance(check, str) else Work(*check.launches, *start, scratch=check.scratch)
    if columns >= MAX_COLUMNS:
        return f"{columns} indices"
    last = Spec((math.prod(lengths),), np.dtype(np.int32))
    place = Scratch(len(check.scratch))
    marks = kernel("mark_last", defines, columns, [place, where, axes, columns, dims(lengths)])
    puts = kernel("scatter", defines, size(data), [Out(0), source, where, place, size(data), inner, axes, columns,
                                                   dims(lengths)])
    return Work(*check.launches, *start, *fill(np.int32, place, ghost(last.shape), -1), marks, puts,
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
    start = move(lhs.dtype, In(0), ghost(lhs.shape), Out(0), ghost(lhs.shape))
    return scattered(op.name, device, start, outputs[0], rhs, In(1), indices, In(2))


@kernel_for("_last_writer")
def last_writer(op, inputs, outputs, device):
    grad, indices = inputs
    axes, columns, lengths, _ = _columns(indices, op.shape)
    defines = {**word_of(grad.dtype), **index_defines(indices, grad)}
    check = checked(op.name, device, indices, In(1), lengths, defines, negative=True)
    if isinstance(check, str) or not size(grad):
        return check
    if columns >= MAX_COLUMNS:
        return f"{columns} indices"
    last = Spec((math.prod(lengths),), np.dtype(np.int32))
    place = Scratch(len(check.scratch))
    marks = kernel("mark_last", defines, columns, [place, In(1), axes, columns, dims(lengths)])
    keeps = Launch(FILLING_SOURCE, "keep_last", types(grad.dtype, TM=grad.dtype, TI=indices.dtype),
                   blocks(size(grad)), launch.THREADS, [Out(0), In(0), In(1), place, size(grad), size(grad) // columns,
                                                         axes, columns, dims(lengths)])
    return Work(*check.launches, *fill(np.int32, place, ghost(last.shape), -1), marks, keeps,
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


@kernel_for("where")
def where(op, inputs, outputs):
    return elementwise(op, inputs, outputs)
