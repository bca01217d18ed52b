"""Positions of extremes, mean and variance, running sums."""

from ..launch import THREADS, TYPES, In, Launch, Out, Work, blocks, size
from .reduce import ctype, lines_of, steps_of, stepwise, wide
from .registry import kernel_for


@kernel_for("argmax", "argmin", "argmax_channel")
def arg(op, inputs, outputs):
    data = inputs[0]
    if not size(outputs[0]):
        return Work()
    axis = 1 if op.name == "argmax_channel" else op.axis
    lines = (1, size(data), 1) if axis is None else lines_of(data.shape, axis)
    defines = {"T": ctype(data.dtype), "TO": ctype(outputs[0].dtype), "A": TYPES[data.dtype.name][1]}
    launches, scratch = stepwise("statistics.cu", defines, [lines], 16, [int(op.name == "argmin")], prefix="arg")
    return Work(*launches, scratch=scratch)


@kernel_for("moments")
def moments(op, inputs, outputs):
    data = inputs[0]
    if not size(outputs[0]):
        return Work()
    axes = {a % len(data.shape) for a in op.axes or range(len(data.shape))}
    among = wide(data.dtype)
    defines = {"T": ctype(data.dtype), "TO": ctype(outputs[0].dtype), "A": ctype(among)}
    launches, scratch = stepwise("statistics.cu", defines, steps_of(data.shape, axes), 3 * among.itemsize,
                                 [Out(0), Out(1)], prefix="moments")
    return Work(*launches, scratch=scratch)


@kernel_for("_np_cumsum", "_cumsum_backwards")
def running_sums(op, inputs, outputs):
    data, out = inputs[0], outputs[0]
    if not size(out):
        return Work()
    outer, rows, inner = (1, size(data), 1) if op.axis is None else lines_of(data.shape, op.axis)
    defines = {"T": ctype(data.dtype), "TO": ctype(out.dtype), "A": TYPES[out.dtype.name][1]}
    return Work(Launch("statistics.cu", "running_sums", defines, blocks(outer * inner), THREADS,
                       [In(0), Out(0), outer, rows, inner, int(op.backwards)]))
