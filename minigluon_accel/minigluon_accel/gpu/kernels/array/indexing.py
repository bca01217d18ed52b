"""Operators that look up elements by index, and their gradients, which write or accumulate at these indices."""

import numpy as np

from minigluon.backend import Spec
from minigluon.ops.shapes import around

from ... import launch
from ...expressions import elementwise
from ...launch import In, Launch, Out, Scratch, SourceFile, Work, blocks, limit_of_32_bits, size, types
from ..checks import checked
from ..movement import word_of, zeros
from ..registry import kernel_for
from .ordering import sort_launches

__all__ = ["added", "index_defines", "kernel", "number_type"]

SOURCE = SourceFile("array/indexing.cu")
SUMS_SOURCE = SourceFile("array/indexing_sums.cu")
FILLING_SOURCE = SourceFile("array/indexing_filling.cu")
MODES = {"clip": 0, "wrap": 1, "raise": 0}      # as in indices.cuh; with 'raise', indices are known to be in range
SMALL = limit_of_32_bits(2 ** 31)        # with fewer elements, 32-bit indices are used
SUMS = {"float": np.dtype("float32"), "double": np.dtype("float64"), "long long": np.dtype("int64")}
CHUNK = 32              # the number of items that one thread adds before the next thread continues


def index_defines(indices, *arrays):
    """Returns the defines for indices of a dtype into arrays with these sizes."""
    large = max(map(size, (indices, *arrays))) >= SMALL
    count = {"INDEX": "long long", "N": "long long"} if large else {"INDEX": "unsigned", "N": "int"}
    return {"TI": types(indices.dtype)["T"], **count}


def number_type(defines):
    """Returns the dtype of slice indices."""
    return np.dtype(np.int32 if defines["N"] == "int" else np.int64)


def kernel(function, defines, total, arguments):
    """Returns the launch of a kernel in array/indexing.cu for a number of elements."""
    return Launch(SOURCE, function, defines, blocks(total), launch.THREADS, arguments)


# -- slices -----------------------------------------------------------------------------------------------------------


@kernel_for("take")
def take(op, inputs, outputs, device):
    array, indices = inputs
    defines = {**word_of(array.dtype), **index_defines(indices, array, outputs[0])}
    check = Work()
    if op.mode == "raise":
        check = checked(op.name, device, indices, In(1), [array.shape[op.axis]], defines)
    return _take(defines, In(0), In(1), size(indices), around(array.shape, op.axis), op.mode, outputs[0], check)


@kernel_for("Embedding")
def embedding(op, inputs, outputs):
    indices, weight = inputs
    defines = {**word_of(weight.dtype), **index_defines(indices, weight, outputs[0])}
    return _take(defines, In(1), In(0), size(indices), around(weight.shape, 0), "clip", outputs[0], Work())


def _take(defines, source, where, index_count, places, mode, out, check):
    _, count, inner = places
    if not size(out):
        return check
    run = kernel("take", defines, size(out), [Out(0), source, where, size(out), count, inner, index_count, MODES[mode]])
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


def _added(defines, where, index_count, places, mode, out, check):
    """Returns the gradient of slices that were taken at the indices `where` along the middle axis of `places`."""
    numbers = Scratch(len(check.scratch))
    launches = [kernel("numbers_within", defines, index_count, [numbers, where, index_count, places[1], MODES[mode]])]
    return added(out, number_type(defines), numbers, launches, check, index_count, places)


def added(out, number, numbers, launches, check, index_count, places):
    """Returns the Work that accumulates slices of the first input (outer, index_count, inner) at their indices.

    number: the dtype of operand `numbers`, which `launches` fill. check: a Work that runs first. places:
    (outer, count, inner), the output.
    """
    outer, count, inner = places
    before = [*check.launches, *zeros(out, Out(0))]
    if not size(out) or not index_count:
        return Work(*before, scratch=check.scratch)
    first = numbers.number + 1
    order = sort_launches(number, numbers, 1, index_count, 1, first=first)
    columns, chunks = outer * inner, -(-index_count // CHUNK)
    partial_sums = Scratch(first + len(order.scratch))
    defines = {**types(out.dtype), **({"WIDE": "1"} if "WIDE" in order.defines else {})}
    sums = [Launch(SUMS_SOURCE, "add_chunks", defines, blocks(chunks * columns), launch.THREADS,
                   [Out(0), partial_sums, In(0), order.items, index_count, count, inner, columns, CHUNK])]
    if chunks > 1:
        sums.append(Launch(SUMS_SOURCE, "add_rests", defines, blocks(chunks * columns), launch.THREADS,
                           [Out(0), partial_sums, order.items, index_count, count, inner, columns, CHUNK]))
    scratch = [*check.scratch, Spec((index_count,), number), *order.scratch,
               Spec((chunks * columns,), SUMS[defines["A"]])]
    return Work(*before, *launches, *order.launches, *sums, scratch=scratch)


# -- one element per line ---------------------------------------------------------------------------------------------


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
    """Returns the Work of a function that processes lines of `data` along an axis.

    index: the Spec of operand `where`, with one index per line.
    """
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


@kernel_for("where")
def where(op, inputs, outputs):
    return elementwise(op, inputs, outputs)
