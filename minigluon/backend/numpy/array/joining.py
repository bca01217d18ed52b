"""Kernels that join or split arrays along an axis."""

import itertools

import numpy as np

from ....ops.array.joining import _concat_grad, _Join, _Split, stack
from ..table import kernel_for


@kernel_for(_Join)
def joined(op, inputs, outputs):
    return lambda inputs, targets: np.concatenate(inputs, op.dim, out=targets[0])


@kernel_for(stack)
def stacked(op, inputs, outputs):
    return lambda inputs, targets: np.stack(inputs, op.axis, targets[0])


@kernel_for(_concat_grad)
def concat_grad(op, inputs, outputs):
    axis = op.dim % len(inputs[0].shape)
    return _parts([spec.shape[axis] for spec in outputs], axis)


@kernel_for(_Split)
def split(op, inputs, outputs):
    shape = inputs[0].shape
    axis = op.axis % len(shape)
    cuts = [0, *op.cuts(shape[axis]), shape[axis]]
    return _parts([b - a for a, b in itertools.pairwise(cuts)], axis)


def _parts(lengths, axis):
    """Returns a kernel for consecutive parts with these lengths along an axis."""
    ends = [0, *itertools.accumulate(lengths)]
    keys = [(*(slice(None),) * axis, slice(a, b)) for a, b in itertools.pairwise(ends)]

    def run(inputs, targets):
        for target, key in zip(targets, keys, strict=True):
            np.copyto(target, inputs[0][key].reshape(target.shape))
    return run
