"""BatchNorm and its gradient. Data is viewed as (items, channels, positions); vectors have one element per channel."""

import numpy as np

from ....ops.nn.batch_norm import (
    BatchNormWithReLU,
    Normalization,
    _batch_norm_grad,
    _batch_norm_recompute,
    sum_of_products,
)
from ....ops.nn.first_versions import BatchNorm_v1
from ....ops.numeric import sum_along
from ....ops.shapes import around
from ..table import Writer, kernel_for


@kernel_for(Normalization)
def batch_norm(op, inputs, outputs, train):
    """Returns the kernel, whose scratch buffers hold the variance and the factor that scales the data."""
    dtype = inputs[0].dtype
    if dtype != outputs[1].dtype:
        return f"dtype {dtype}, which is computed in a wider type"
    if op.gives_variance:
        return "output_mean_var"
    if op.add_over_processes is not None:
        return "statistics over several processes"
    shape = around(inputs[0].shape, op.axis)
    batch, fix_gamma = train and not op.use_global_stats, op.fix_gamma
    count, eps, momentum, new = (np.array(v, dtype) for v in (
        max(1, shape[0] * shape[2]), op.eps, op.momentum, 1 - dtype.type(op.momentum)))

    def run(inputs, targets):
        x, gamma, beta, moving_mean, moving_var = inputs
        out, mean, inverse, flag, var, scale = targets
        x, out = x.reshape(shape), out.reshape(shape)
        if batch:
            np.divide(sum_along(x, (0, 2), None, mean), count, mean)
            np.subtract(x, mean[:, None], out)
            np.divide(sum_of_products(out, out, var), count, var)
            for moving, statistic in ((moving_mean, mean), (moving_var, var)):
                np.multiply(moving, momentum, moving)
                np.add(moving, np.multiply(statistic, new, scale), moving)
        else:
            mean[...], var = moving_mean, moving_var
            np.subtract(x, mean[:, None], out)
        np.reciprocal(np.sqrt(np.add(var, eps, inverse), inverse), inverse)
        np.multiply(out, (inverse if fix_gamma else np.multiply(inverse, gamma, scale))[:, None], out)
        np.add(out, beta[:, None], out)
        flag.fill(batch)
    return Writer(run, [outputs[1], outputs[1]])


@kernel_for(BatchNorm_v1)
def batch_norm_v1(op, inputs, outputs, train):
    """Returns the kernel. The variance is an output, and the scratch buffer holds the factor that scales the data."""
    normalize, batch = batch_norm(op, inputs, outputs, train), train and not op.use_global_stats
    if isinstance(normalize, str):
        return normalize

    def run(inputs, targets):
        out, mean, var, inverse, flag, scale = targets
        normalize.run(inputs, (out, mean, inverse, flag, var, scale))
        if not batch:
            var[...] = inputs[4]
    return Writer(run, [outputs[1]])


@kernel_for(BatchNormWithReLU)
def batch_norm_with_relu(op, inputs, outputs, train):
    normalize, zero = batch_norm(op, inputs, outputs, train), np.zeros((), inputs[0].dtype)
    if isinstance(normalize, str):
        return normalize

    def run(inputs, targets):
        normalize.run(inputs, targets)
        np.maximum(targets[0], zero, out=targets[0])
    return Writer(run, normalize.scratch)


@kernel_for(_batch_norm_recompute)
def batch_norm_recompute(op, inputs, outputs):
    """Returns the kernel, whose scratch buffer holds the factor that scales the data."""
    dtype = inputs[0].dtype
    if dtype != inputs[1].dtype:
        return f"dtype {dtype}, which is computed in a wider type"
    shape, zero = around(inputs[0].shape, op.axis), np.zeros((), dtype)

    def run(inputs, targets):
        x, gamma, beta, mean, inverse = inputs
        out, scale = targets
        y = out.reshape(shape)
        np.subtract(x.reshape(shape), mean[:, None], y)
        np.multiply(y, (inverse if op.fix_gamma else np.multiply(inverse, gamma, scale))[:, None], y)
        np.add(y, beta[:, None], y)
        if op.relu:
            np.maximum(y, zero, out=y)
    return Writer(run, [inputs[1]])


@kernel_for(_batch_norm_grad)
def batch_norm_grad(op, inputs, outputs):
    """Returns the kernel, whose scratch buffer holds a vector."""
    dtype = inputs[0].dtype
    if dtype != outputs[1].dtype:
        return f"dtype {dtype}, which is computed in a wider type"
    if op.key:
        return "statistics over several processes"
    shape, fix_gamma = around(inputs[0].shape, op.axis), op.fix_gamma
    count = np.array(max(1, shape[0] * shape[2]), dtype)

    def run(inputs, targets):
        g, x, gamma, mean, inverse, batch = inputs
        normal, gamma_grad, beta_grad, vector = targets
        g, x, normal = g.reshape(shape), x.reshape(shape), normal.reshape(shape)
        np.subtract(x, mean[:, None], normal)
        np.multiply(normal, inverse[:, None], normal)
        sum_along(g, (0, 2), None, beta_grad)
        sum_of_products(g, normal, gamma_grad)
        if batch[0]:
            np.multiply(normal, np.divide(gamma_grad, count, vector)[:, None], normal)
            np.add(normal, np.divide(beta_grad, count, vector)[:, None], normal)
            g = np.subtract(g, normal, normal)
        np.multiply(g, (inverse if fix_gamma else np.multiply(inverse, gamma, vector))[:, None], normal)
        if fix_gamma:
            gamma_grad.fill(0)
    return Writer(run, [outputs[1]])
