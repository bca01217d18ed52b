"""Convolutions with cuDNN: the Work of a plan, or of our own kernels if cuDNN has no plan for an operator."""

import math
import os

import numpy as np

from minigluon.backend import Spec

from ...autotuning import fastest
from ...cudnn import library
from ...cudnn.convolution import Tuning, planned
from ...launch import Enqueue, In, Out, Scratch, Work
from ..gemm import Matrix, finished

__all__ = ["by_cudnn_or"]

# The indices of the inputs that are the library's two operands; its result is Out(0).
OPERANDS = {"Forward": [In(0), In(1)], "BackwardData": [In(1), In(0)], "BackwardFilter": [In(1), In(0)]}


def by_cudnn_or(own, op, way, geometry, specs, device, bias=None, relu=False):
    """Returns cuDNN's Work for a convolution, or own(), the Work of our own kernels; if timing decides, the faster one.

    op: its attributes control cuDNN. way: one of `cudnn.library.WAYS`. specs: data, weight and result of this
    convolution, or of the convolution whose gradient this is. bias, relu: whether they are applied to the sums.
    """
    tuning = Tuning.of(op)
    plans = planned(way, geometry, *specs, device, tuning, whole=bool(bias) and relu)
    if isinstance(plans, str):
        work = own()
        work.note = f"own kernels: {plans}"
        return work
    works = [_work(plan, way, geometry, specs, bias, relu) for plan in plans]
    if not tuning.measures:
        return works[0]
    works.append(own())
    works[-1].note = "own kernels, which are faster here than cuDNN"
    inputs, out = _operands(way, geometry, *specs)
    about = f"{way} {geometry} {specs} {bool(bias)} {relu} {os.environ.get('MINIGLUON_TF32')} {library.version()}"
    return works[fastest(device, works, inputs, out, about)]


def _operands(way, geometry, data, weight, out):
    """Returns (the Specs of In(0), In(1), and a bias as In(2); the Spec of Out(0))."""
    first, second, result = {"Forward": (data, weight, out), "BackwardData": (out, weight, data),
                             "BackwardFilter": (out, data, weight)}[way]
    return [first, second, Spec((result.shape[-1 if geometry.last else 1],), result.dtype)], result


def _work(plan, way, geometry, specs, bias, relu):
    operands, scratch = [*OPERANDS[way], *[bias] * plan.whole, Out(0)], []
    if plan.workspace:
        operands.append(Scratch(0))
        scratch.append(Spec((plan.workspace,), np.dtype("uint8")))
    work = [Enqueue(plan.name, plan.enqueue, operands)]
    if (bias or relu) and not plan.whole:
        work.append(_finish(specs[2 if way == "Forward" else 0], geometry, bias, relu))
    return Work(*work, scratch=scratch, note=plan.name)


def _finish(result, geometry, bias, relu):
    """Returns the Launch that adds a bias to each channel and applies relu."""
    windows = math.prod(geometry.space(result.shape))
    if geometry.last:
        channels = result.shape[-1]
        return finished(result.dtype, result.shape[0] * windows, channels, Matrix(Out(0), channels, 1), added=bias,
                        by="column" if bias else None, relu=relu)
    channels = result.shape[1]
    return finished(result.dtype, channels, windows, Matrix(Out(0), windows, 1, batch=(channels * windows, 0)),
                    result.shape[0], added=bias, by="row" if bias else None, relu=relu)
