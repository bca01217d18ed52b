"""Random class indices with given probabilities, equal to those drawn on the CPU, and unique Zipfian numbers."""

import math

import numpy as np

from minigluon.backend import Spec

from ...launch import THREADS, In, Launch, Out, Scratch, SourceFile, Work, blocks, size, types
from ..philox import DRAWS, PER_STREAM, is_supported, take
from ..registry import kernel_for

SOURCE = SourceFile("random/sample.cu")
_INTEGER = np.dtype("int32")        # the dtype of indices for this file's kernels that have no class indices


def _launch(function, defines, threads, arguments):
    return Launch(SOURCE, function, {"D": "int", **defines}, blocks(threads), THREADS, arguments)


@kernel_for("_sample_multinomial")
def multinomial(op, inputs, outputs, rng, device):
    if not is_supported(rng):
        return "another generator"
    data, drawn = inputs[0], outputs[0]
    count, classes, each = size(drawn), data.shape[-1], math.prod(op.shape)
    if not count:
        return Work()
    rows = size(data) // classes
    defines = types(data.dtype, D=drawn.dtype)
    work = Work(take(rng, count, device, wide=True),
                _launch("distribution", defines, rows, [Scratch(1), In(0), rows, classes]),
                _launch("classes_drawn", defines, -(-count // 4),
                        [Out(0), Scratch(1), Scratch(0), count, each, classes]),
                scratch=[DRAWS, Spec(data.shape, np.dtype("float64"))])
    if op.get_prob:
        work.launches.append(_launch("log_probabilities", defines, count,
                                     [Out(1), In(0), Out(0), count, each, classes]))
    return work


@kernel_for("_sample_multinomial_grad")
def multinomial_grad(op, inputs, outputs):
    grad, data, drawn = inputs
    if not size(data):
        return Work()
    classes = data.shape[-1]
    rows = size(data) // classes
    return Work(_launch("multinomial_grad", types(data.dtype, D=drawn.dtype), rows,
                        [Out(0), In(0), In(1), In(2), rows, size(drawn) // rows, classes]))


@kernel_for("_sample_unique_zipfian")
def unique_zipfian(op, inputs, outputs, rng, device):
    if not is_supported(rng):
        return "another generator"
    out = outputs[0]
    samples = out.shape[-1]
    rows = size(out) // samples
    return Work(take(rng, PER_STREAM * THREADS * rows, device), Launch(
        SOURCE, "unique_zipfian", {**types(_INTEGER), "D": "int"}, blocks(rows, 1), THREADS,
        [Out(0), Out(1), Scratch(0), rows, samples, float(op.range_max)]), scratch=[DRAWS])
