"""Convolutions and their gradients: products of unrolled windows, a few images at a time
(`ops/nn/convolution_kernels`).

NumPy has no fast float16 product, and sums in float16 lose their low bits: `forward` computes it in float32.
"""

import numpy as np

from ....ops.nn.convolution import (
    Convolution,
    Deconvolution,
    _conv,
    _conv_data_grad,
    _conv_weight_grad,
    add_bias,
    fitted,
)
from ....ops.nn.convolution_kernels import Blocks
from ....ops.shapes import Spec
from ..table import Writer, kernel_for

_DECLINED = "dtype float16"


def _blocks(geometry, data, out):
    """Returns the blocks for data and results with these Specs, or None."""
    if data.dtype == np.float16:
        return None
    return Blocks(geometry, data.shape, out.shape[-1 if geometry.last else 1], geometry.space(out.shape))


def _writer(blocks, run, dtype, weights=False):
    """Returns a Writer for run(inputs, targets), with scratch memory after the output unless windows have one element.

    weights: whether to compute the weight gradient, which always needs scratch memory.
    """
    needs_none = blocks.geometry.is_pointwise and not weights
    return Writer(run, [] if needs_none else [Spec((blocks.size(weights),), dtype)])


@kernel_for(Convolution)
def convolution(op, inputs, outputs):
    blocks, biased = _blocks(op.geometry(), inputs[0], outputs[0]), not op.no_bias
    if blocks is None:
        return _DECLINED

    def run(inputs, targets):
        blocks.convolve(inputs[0], inputs[1], inputs[2] if biased else None, targets[0], targets[-1])
    return _writer(blocks, run, outputs[0].dtype)


@kernel_for(Deconvolution)
def deconvolution(op, inputs, outputs):
    """Computes the data gradient of the convolution that maps the output's shape to data's shape."""
    geometry, axis = op.geometry(), op.channel_axis
    if any(op.target_shape):
        geometry = fitted(geometry, geometry.space(outputs[0].shape), geometry.space(inputs[0].shape))
    blocks = _blocks(geometry, outputs[0], inputs[0])
    if blocks is None:
        return _DECLINED

    def run(inputs, targets):
        blocks.data_gradient(inputs[0], inputs[1], targets[0], targets[-1])
        add_bias(targets[0], None if op.no_bias else inputs[2], axis)
    return _writer(blocks, run, outputs[0].dtype)


def _adjoint_blocks(op, data, grad):
    return _blocks(op.fitted(data.shape, grad.shape), data, grad)


@kernel_for(_conv)
def conv(op, inputs, outputs):
    blocks = _adjoint_blocks(op, inputs[0], inputs[2])
    if blocks is None:
        return _DECLINED
    return _writer(blocks, lambda inputs, targets: blocks.convolve(inputs[0], inputs[1], None, targets[0], targets[-1]),
                   outputs[0].dtype)


@kernel_for(_conv_data_grad)
def conv_data_grad(op, inputs, outputs):
    blocks = _adjoint_blocks(op, inputs[2], inputs[0])
    if blocks is None:
        return _DECLINED
    return _writer(blocks, lambda inputs, targets: blocks.data_gradient(*inputs[:2], targets[0], targets[-1]),
                   outputs[0].dtype)


@kernel_for(_conv_weight_grad)
def conv_weight_grad(op, inputs, outputs):
    blocks = _adjoint_blocks(op, inputs[1], inputs[0])
    if blocks is None:
        return _DECLINED
    return _writer(blocks, lambda inputs, targets: blocks.weight_gradient(*inputs[:2], *targets), outputs[0].dtype,
                   weights=True)
