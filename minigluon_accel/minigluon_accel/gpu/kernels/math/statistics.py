"""Positions of extremes, norms, mean and variance, and running sums."""

import numpy as np

from minigluon.backend import Spec
from minigluon.ops.shapes import around

from ...launch import THREADS, TYPES, In, Launch, Out, Scratch, SourceFile, Work, blocks, size
from ..reductions import ctype, reduce, steps_of, stepwise, wide
from ..registry import kernel_for

SOURCE = SourceFile("math/statistics.cu")
LONG, CHUNK = 4096, 256     # the minimum number of rows in a line that is divided, and in each of its parts
# How many parts keep a large device busy: parts of one thread each, and parts of one block, whose 32 threads read
# together.
PARTS, TILE_PARTS = 2 ** 17, 2 ** 14
FEW, SHORT = 32, 64         # the number of chunks that one thread adds; the number of rows that one thread reads


@kernel_for("argmax", "argmin", "argmax_channel")
def arg(op, inputs, outputs):
    data = inputs[0]
    if not size(outputs[0]):
        return Work()
    op.require_room(data)
    lines = op.lines(data.shape)
    defines = {"T": ctype(data.dtype), "TO": ctype(outputs[0].dtype), "A": TYPES[data.dtype.name][1]}
    launches, scratch = stepwise(SOURCE, defines, [lines], 16, [int(op.name == "argmin")], prefix="arg")
    return Work(*launches, scratch=scratch)


@kernel_for("norm")
def norm(op, inputs, outputs):
    data = inputs[0]
    # Squares are summed in float64, because in float32 their sum might overflow even if its root does not.
    among = wide(data.dtype) if data.dtype.kind == "f" and op.ord == 1 else np.float64
    take, finish = ("size", "kept") if op.ord == 1 else ("squared", "root")
    return reduce(data, op.axes(len(data.shape)), outputs[0], "sum", take, finish, among=among)


@kernel_for("moments")
def moments(op, inputs, outputs):
    data = inputs[0]
    if not size(outputs[0]):
        return Work()
    axes = {a % len(data.shape) for a in op.axes or range(len(data.shape))}
    among = wide(data.dtype)
    defines = {"T": ctype(data.dtype), "TO": ctype(outputs[0].dtype), "A": ctype(among)}
    launches, scratch = stepwise(SOURCE, defines, steps_of(data.shape, axes), 3 * among.itemsize,
                                 [Out(0), Out(1)], prefix="moments")
    return Work(*launches, scratch=scratch)


@kernel_for("_np_cumsum", "_cumsum_backwards")
def running_sums(op, inputs, outputs):
    data, out = inputs[0], outputs[0]
    if not size(out):
        return Work()
    outer, rows, inner = (1, size(data), 1) if op.axis is None else around(data.shape, op.axis)
    lines, among = outer * inner, TYPES[out.dtype.name][1]
    tiles, parts = ("_tiles", TILE_PARTS) if inner == 1 and rows > SHORT else ("", PARTS)
    length = rows
    if rows >= LONG and 4 * lines <= parts:
        length = max(CHUNK, _multiple(-(-rows * lines // parts), CHUNK))
    chunks = -(-rows // length)
    defines = {"T": ctype(data.dtype), "TO": ctype(out.dtype), "A": among}
    shape = [outer, rows, inner, chunks, length, int(op.backwards)]
    many = blocks(-(-lines * chunks // 32), 1) if tiles else blocks(lines * chunks)

    def launch(function, grid, *operands):
        return Launch(SOURCE, function, defines, grid, THREADS, [*operands, *shape])
    if chunks == 1:
        return Work(launch(f"running_sums{tiles}", many, In(0), Out(0), In(0)))
    before = launch("sums_before_chunks", blocks(lines), Scratch(0)) if chunks <= FEW else launch(
        "sums_before_many_chunks", blocks(lines, 1), Scratch(0))
    return Work(launch(f"sums_of_chunks{tiles}", many, In(0), Scratch(0)), before,
                launch(f"running_sums{tiles}", many, In(0), Out(0), Scratch(0)),
                scratch=[Spec((lines * chunks,), np.dtype("float32" if among == "float" else "float64"))])


def _multiple(n, of):
    return -(-n // of) * of
