"""Densities of distributions."""

import math

import numpy as np

from ...launch import THREADS, In, Launch, Out, SourceFile, Work, blocks, size, types
from ..registry import kernel_for

SOURCE = SourceFile("random/pdf.cu")
_LAWS = {"uniform": "Uniform", "normal": "Normal", "gamma": "Gamma", "exponential": "Exponential",
         "poisson": "Poisson", "negative_binomial": "NegativeBinomial",
         "generalized_negative_binomial": "GeneralizedNegativeBinomial"}


def _launch(function, dtype, law, grid, arguments):
    return Work(Launch(SOURCE, function, {**types(dtype), "LAW": law}, grid, THREADS, arguments))


@kernel_for(*[f"_random_pdf_{name}" for name in _LAWS])
def density(op, inputs, outputs):
    sample, parameter = inputs[0], inputs[1]
    count = size(sample)
    if not count:
        return Work()
    return _launch("density", sample.dtype, _LAWS[op.name.removeprefix("_random_pdf_")], blocks(count),
                   [Out(0), In(0), In(1), In(len(inputs) - 1), count, count // size(parameter), np.bool_(op.is_log)])


@kernel_for("_random_pdf_dirichlet")
def dirichlet(op, inputs, outputs):
    alpha, count, length = inputs[1], size(outputs[0]), inputs[0].shape[-1]
    if not count:
        return Work()
    return _launch("dirichlet", alpha.dtype, "Normal", blocks(count),
                   [Out(0), In(0), In(1), count, count // math.prod(alpha.shape[:-1]), length, np.bool_(op.is_log)])


@kernel_for("_pdf_spread")
def spread(op, inputs, outputs):
    parameter, out = inputs[0], outputs[0]
    if not size(out):
        return Work()
    length = math.prod(parameter.shape[len(parameter.shape) - op.event:])
    return _launch("spread", out.dtype, "Normal", blocks(size(out)),
                   [Out(0), In(0), size(out), size(out) // size(parameter), length])


@kernel_for("_pdf_collect")
def collect(op, inputs, outputs):
    grad, out = inputs[0], outputs[0]
    if not size(out):
        return Work()
    length = math.prod(out.shape[len(out.shape) - op.event:])
    return _launch("collect", out.dtype, "Normal", blocks(size(out), 1),
                   [Out(0), In(0), size(out), size(grad) // size(out), length])
