"""Kernels for the operators in `minigluon_accel.operators.fused_convolution`."""

import math

from minigluon.backend import Spec

from ...engine import Call, Phase
from ..registry import kernel_for
from .convolution import Axes, forward, goes_by_winograd, reason_against, window_numbers

__all__ = ["suits_pooled", "suits_pooling"]

MAX_ELEMENTS = 2 ** 16  # the maximum number of elements of the weight, and of an image's windows as rows, so that both
                        # stay in the second-level cache
WORK = 2 ** 20          # the number of multiplications in a part


@kernel_for("_conv_relu")
def conv_relu(op, inputs, outputs):
    conv = op.program[0][0]
    data, weight = inputs[:2]
    return reason_against(conv, inputs) or forward(
        conv.geometry(), data, weight, outputs[0], bias=-1 if conv.no_bias else 2, out=len(inputs), relu=1)


def suits_pooling(pool, conv, specs, between):
    """Returns None if a convolution should absorb the max pooling after it; otherwise, the reason.

    between: the convolution's result.
    """
    geometry = conv.geometry()
    if len(geometry.kernel) != 2 or pool.last:
        return "not images"
    if goes_by_winograd(geometry, *specs[:2], between):
        return "Winograd's way"
    return reason_against(conv, specs)


@kernel_for("_conv_pool")
def conv_pool(op, inputs, outputs):
    conv, pool = op.program[0][0], op.program[1][0]
    data, weight = inputs[:2]
    between = Spec(conv.infer_shape(*[spec.shape for spec in inputs])[1][0], data.dtype)
    reason = suits_pooling(pool, conv, inputs, between)
    if reason:
        return reason
    out, stride = len(inputs), pool.stride or (1, 1)
    pooling = {"pools_z": outputs[0].shape[2], "pools_x": outputs[0].shape[3], "pool_z": pool.kernel[0],
               "pool_x": pool.kernel[1], "pool_z_step": stride[0], "pool_x_step": stride[1],
               "winners": out + 1 if len(outputs) > 1 else -1}
    return forward(conv.geometry(), data, weight, between, bias=-1 if conv.no_bias else 2, out=out,
                   relu=int(len(op.program) > 2), pooling=pooling, scratch=out + len(outputs))


def suits_pooled(pool, conv, like, data, weight):
    """Returns None if the kernels below can compute the gradients of this convolution and pooling, or else a reason."""
    geometry = conv.geometry()
    if len(geometry.kernel) != 2 or geometry.groups != 1 or pool.last:
        return "not images in groups of one"
    if geometry.stride[1] != 1 or geometry.dilate[1] != 1 or conv.fit:
        return f"stride {geometry.stride}, dilate {geometry.dilate}"
    row = -(-math.prod(weight.shape[1:]) // 16) * 16
    if not data.shape[0] or max(row * math.prod(like.shape[2:]), row * weight.shape[0]) > MAX_ELEMENTS:
        return "too large for the cache"
    return reason_against(conv, (data, weight))


@kernel_for("_pooled_conv_weight_grad")
def pooled_conv_weight_grad(op, inputs, outputs):
    grad, _, like, data, weight = inputs
    (pool, _), (conv, _) = op.program
    reason = suits_pooled(pool, conv, like, data, weight)
    if reason:
        return reason
    row, fields = pooled_fields(pool, conv, grad, like, data, weight)
    images = -(-data.shape[0] // parts_of(grad, row, 8))
    blocks = -(-data.shape[0] // images)
    filters = weight.shape[0]
    fields.update(images=images, grad=0, winners=1, other=3, out=5, stash=6)
    return Call(Phase("pooled_weight_grad", data.dtype, blocks, **fields),
                Phase("pooled_weight_sum", data.dtype, min(filters, blocks), **fields),
                scratch=[Spec((blocks * filters * row,), data.dtype)])


@kernel_for("_pooled_conv_data_grad")
def pooled_conv_data_grad(op, inputs, outputs):
    grad, _, like, weight, data = inputs
    (pool, _), (conv, _) = op.program
    reason = suits_pooled(pool, conv, like, data, weight)
    if reason:
        return reason
    row, fields = pooled_fields(pool, conv, grad, like, data, weight)
    images = -(-data.shape[0] // parts_of(grad, row, 16))
    fields.update(images=images, grad=0, winners=1, other=3, out=5, stash=6)
    return Call(Phase("pooled_filters", data.dtype, 1, **fields),
                Phase("pooled_data_grad", data.dtype, -(-data.shape[0] // images), **fields),
                scratch=[Spec((weight.shape[0] * row,), data.dtype)])


def parts_of(grad, row, most):
    """Returns the number of parts of the batch: a power of 2, so that two threads can share the parts evenly."""
    return 2 ** int(math.log2(max(1, min(most, grad.shape[0], math.prod(grad.shape) * row // WORK))))


def pooled_fields(pool, conv, grad, like, data, weight):
    """Returns (length of a window's row, the fields before the division into parts)."""
    axes = Axes(conv.geometry(), data.shape[2:], like.shape[2:]).forward()
    kernel, stride = pool.kernel, pool.stride or (1, 1)
    fields = {"windows": window_numbers(axes), "batch": data.shape[0], "filters": weight.shape[0],
              "channels": weight.shape[1], "pools_z": grad.shape[2], "pools_x": grad.shape[3],
              "pool_width": kernel[1], "pool_step_z": stride[0], "pool_step_x": stride[1]}
    return -(-math.prod(weight.shape[1:]) // 16) * 16, fields
