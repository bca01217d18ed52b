"""BatchNorm and its gradient: first the moments of each channel, in one or two steps, then all elements.

Data is [before][C][after]. The first step reduces the contiguous axis, `after`, and the next step reduces `before`.
cuDNN is not used: on an H200, it took 1.0 to 3.4 times as long for the layers of ResNet-18, and if the mean is far from
0, it computes the variance as the difference of two large numbers.
"""

import numpy as np

from minigluon.backend import Spec
from minigluon.ops.shapes import around

from ...launch import THREADS, In, Launch, Out, Scratch, SourceFile, Work, blocks, limit_of_32_bits, size
from ..movement import inverse
from ..reductions import ctype, filled, steps_of, stepwise, wide
from ..registry import kernel_for

SOURCE = SourceFile("nn/batch_norm.cu")
SMALL = limit_of_32_bits(2 ** 31)        # with fewer elements, 32-bit indices are used
BYTES = 16              # the number of bytes that a thread reads and writes at once


def _defines(data):
    return {"T": ctype(data.dtype), "A": ctype(wide(data.dtype)), "INDEX": "unsigned" if size(data) < SMALL else
            "long long"}


def _steps(shape):
    return steps_of(shape, (0, 2))


def _by_channels(function, data, channels, after, operands, more):
    """Returns the launch of a kernel that processes all elements of [before][C][after]."""
    width, count = BYTES // data.dtype.itemsize, size(data)
    pieces = count // width if (channels if after == 1 else after) % width == 0 else 0
    return Launch(SOURCE, function, _defines(data), blocks(pieces or count), THREADS,
                  [*operands, count, pieces, _divisor(after), _divisor(channels), *more])


def _divisor(n):
    """Returns struct Divisor of nn/batch_norm.cu."""
    factor, shift = inverse(n) if n < SMALL else (0, 0)
    return np.frombuffer(np.int64(n).tobytes() + np.uint32([factor, shift]).tobytes(), np.uint8)


@kernel_for("BatchNorm", "_contrib_BatchNormWithReLU", "_contrib_SyncBatchNorm")
def batch_norm(op, inputs, outputs, train):
    if op.add_over_processes is not None:
        return "statistics over several processes"
    data = inputs[0]
    shape = _, channels, after = around(data.shape, op.axis)
    batch, defines, scratch = train and not op.use_global_stats, _defines(data), []
    if not channels:
        return filled(outputs[3], float(batch), Out(3))
    if batch:
        more = [Out(1), Out(2), In(3), In(4), Out(3), float(op.momentum), float(op.eps)]
        launches, scratch = stepwise(SOURCE, defines, _steps(shape), 3 * wide(data.dtype).itemsize, more,
                                     prefix="statistics")
    else:
        launches = [Launch(SOURCE, "moving_statistics", defines, blocks(channels), THREADS,
                           [In(3), In(4), Out(1), Out(2), Out(3), channels, float(op.eps)])]
    if size(data):
        launches.append(_by_channels("normalize_channels", data, channels, after,
                                     [In(0), Out(0), Out(1), Out(2), In(1), In(2)],
                                     [int(op.fix_gamma), int(op.name == "_contrib_BatchNormWithReLU")]))
    if op.gives_variance:
        launches.append(Launch(SOURCE, "variances", defines, blocks(channels), THREADS,
                               [Out(2), channels, float(op.eps)]))
    return Work(*launches, scratch=scratch)


@kernel_for("_batch_norm_recompute")
def batch_norm_recompute(op, inputs, outputs):
    data = inputs[0]
    _, channels, after = around(data.shape, op.axis)
    if not size(data):
        return Work()
    return Work(_by_channels("normalize_channels", data, channels, after, [In(0), Out(0), In(3), In(4), In(1), In(2)],
                             [int(op.fix_gamma), int(op.relu)]))


@kernel_for("_batch_norm_grad")
def batch_norm_grad(op, inputs, outputs):
    if op.key:
        return "statistics over several processes"
    data = inputs[1]
    shape = before, channels, after = around(data.shape, op.axis)
    if not channels:
        return Work()
    defines, among = _defines(data), wide(data.dtype)
    means = Scratch(0)
    more = [In(1), In(0), In(3), In(4), In(5), Out(1), Out(2), means, channels, max(1, before * after),
            int(op.fix_gamma)]
    launches, scratch = stepwise(SOURCE, defines, _steps(shape), 2 * among.itemsize, more, scratch=1,
                                 prefix="gradient")
    if size(data):
        launches.append(_by_channels("data_gradient", data, channels, after,
                                     [In(1), In(0), Out(0), In(3), In(4), In(2), means], [int(op.fix_gamma)]))
    return Work(*launches, scratch=[Spec((2 * channels,), np.dtype(among)), *scratch])
