"""BatchNorm at inference, LayerNorm, InstanceNorm, GroupNorm, L2Normalization, LRN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...helpers import size_of
from ...table import translates

if TYPE_CHECKING:
    from ...values import Builder, Value

__all__ = []


@translates("BatchNorm", "_contrib_SyncBatchNorm", "_contrib_BatchNormWithReLU", note="at inference")
def batch_norm(g, op, data, gamma, beta, moving_mean, moving_var):
    """Writes BatchNormalization with the moving statistics; channels are moved to axis 1 if they are elsewhere."""
    axis = op.axis % data.rank
    order = [0, axis, *(i for i in range(1, data.rank) if i != axis)] if axis else [1, 0, *range(2, data.rank)]
    if data.rank == 1:
        order = [0]
    wide = np.promote_types(data.dtype, np.float32)
    x = g.transpose(g.cast(data, wide), order)
    scale = g.constant(np.ones(gamma.shape, wide)) if op.fix_gamma else gamma
    y = g.BatchNormalization(x, scale, beta, moving_mean, moving_var, epsilon=op.eps, shape=x.shape)
    if op.relu:
        y = g.Relu(y)
    y = g.cast(g.transpose(y, np.argsort(order).tolist()), data.dtype)
    return [y, moving_mean, moving_var if op.gives_variance else 1.0 / g.Sqrt(moving_var + op.eps)]


@translates("BatchNorm_v1", note="at inference")
def batch_norm_v1(g, op, data, gamma, beta, moving_mean, moving_var):
    results = batch_norm(g, op, data, gamma, beta, moving_mean, moving_var)
    return [results[0], moving_mean, moving_var]


def moments(g: Builder, data: Value, axes: Sequence[int], eps: Any) -> tuple[Any, Value, Any]:
    """Returns (data - mean, mean, √(var + eps)), with the reduced axes kept as length 1."""
    mean = g.reduce("Mean", data, axes, keepdims=True)
    centered = data - mean
    return centered, mean, g.Sqrt(g.reduce("Mean", centered * centered, axes, keepdims=True) + eps)


@translates("LayerNorm", note="LayerNormalization since opset 17 along the last axis, otherwise its formula")
def layer_norm(g, op, data, gamma, beta):
    axis = op.axis % data.rank
    wide = np.promote_types(data.dtype, np.float32)
    x = g.cast(data, wide)
    centered, mean, std = moments(g, x, [axis], op.eps)
    if g.opset >= 17 and axis == data.rank - 1 and data.dtype == wide:
        y = g.LayerNormalization(data, gamma, beta, axis=-1, epsilon=op.eps)
    else:
        shape = [-1 if i == axis else 1 for i in range(data.rank)]
        vectors = [g.cast(v, wide) if axis == data.rank - 1 else g.Reshape(g.cast(v, wide), g.sizes(shape))
                   for v in (gamma, beta)]
        y = centered / std * vectors[0] + vectors[1]
    return [g.cast(value, data.dtype) for value in (y, mean, std)]


@translates("InstanceNorm")
def instance_norm(g, op, data, gamma, beta):
    _, mean, std = moments(g, data, range(2, data.rank), op.eps)
    return [g.InstanceNormalization(data, gamma, beta, epsilon=op.eps), mean, std]


@translates("GroupNorm")
def group_norm(g, op, data, gamma, beta):
    """Writes InstanceNormalization with groups as channels, because gamma and beta are per group."""
    batch, *inner_shape = data.shape
    grouped = g.reshape(data, (batch, op.num_groups, size_of(inner_shape) // op.num_groups))
    _, mean, std = moments(g, grouped, [2], op.eps)
    y = g.InstanceNormalization(grouped, gamma, beta, epsilon=op.eps, shape=grouped.shape)
    return [g.reshape(y, data.shape), g.squeeze(mean, 2), g.squeeze(std, 2)]


@translates("L2Normalization")
def l2_normalization(g, op, data):
    norm = g.Sqrt(g.reduce("SumSquare", data, op.axes(data.rank), keepdims=True) + op.eps)
    return [data / norm, norm]


@translates("LRN")
def lrn(g, op, data):
    """Writes LRN over the same number of channels on either side, so that the total is odd."""
    size = (op.nsize - 1) // 2 * 2 + 1
    x = data if data.rank == 4 else g.reshape(data, (*data.shape[:2], size_of(data.shape[2:]), 1))
    y = g.LRN(x, size=size, alpha=op.alpha * size / op.nsize, beta=op.beta, bias=op.knorm, shape=x.shape)
    return g.reshape(y, data.shape)
