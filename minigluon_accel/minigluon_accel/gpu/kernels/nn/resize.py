"""UpSampling: 'nearest' repeats elements, and its gradient sums them; 'bilinear' is a Deconvolution."""

import itertools
import math

import numpy as np

from minigluon.ops import REGISTRY

from ....strides import placeholder
from ...launch import In, Out, Work
from ..array.extending import add_copies, summed
from ..movement import move
from ..registry import find, kernel_for

__all__ = []


def _blocks(whole, channels, shape):
    """Returns a placeholder for some channels of the large array: H is split into (h, repeats), and W into (w,
    repeats)."""
    n, _, h, w = shape
    height, width = whole.shape[2:]
    divided = placeholder((n, whole.shape[1], h, height // max(h, 1), w, width // max(w, 1)))
    return divided[:, channels]


def _channels(op, shapes):
    """Returns the range of the result's channels for each input."""
    if op.multi_input_mode == "sum":
        return [slice(0, shape[1]) for shape in shapes]
    ends = [0, *itertools.accumulate(shape[1] for shape in shapes)]
    return [slice(a, b) for a, b in itertools.pairwise(ends)]


@kernel_for("UpSampling")
def up_sampling(op, inputs, outputs, train, rng, device):
    if op.sample_type == "bilinear":
        filters = REGISTRY["Deconvolution"](num_filter=op.num_filter, no_bias=True, **op.window)
        return find(filters, inputs, outputs, train, rng, device)
    out, launches = outputs[0], []
    if not math.prod(out.shape):
        return Work()
    if any(spec.dtype != out.dtype for spec in inputs):
        return f"inputs of {', '.join(str(spec.dtype) for spec in inputs)}"
    for number, (spec, channels) in enumerate(zip(inputs, _channels(op, [s.shape for s in inputs]), strict=True)):
        target = _blocks(placeholder(out.shape), channels, spec.shape)
        view = np.broadcast_to(placeholder(spec.shape)[:, :, :, None, :, None], target.shape)
        put = add_copies if number and op.multi_input_mode == "sum" else move
        launches += put(out.dtype, In(number), view, Out(0), target)
    return Work(*launches)


@kernel_for("_upsampling_grad")
def up_sampling_grad(op, inputs, outputs):
    grad, launches = inputs[0], []
    for number, (spec, channels) in enumerate(zip(outputs, _channels(op, [s.shape for s in outputs]), strict=True)):
        view = _blocks(placeholder(grad.shape), channels, spec.shape)
        launches += summed(spec.dtype, In(0), view, [3, 5], Out(number))
    return Work(*launches)
