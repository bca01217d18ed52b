"""LayerNorm and related operators: the mean and deviation over some axes, followed by scale and offset."""

import numpy as np

from ....ops.nn.normalization import Moments
from ....ops.numeric import sum_along
from ....ops.shapes import Spec
from ..table import Writer, kernel_for
from .softmax import block_spec, row_spec


@kernel_for(Moments)
def moments(op, inputs, outputs):
    """Returns the kernel. Its scratch memory holds the squares of a few items."""
    dtype = inputs[0].dtype
    if dtype != np.promote_types(dtype, np.float32):
        return f"dtype {dtype}, which is computed in a wider type"
    shape, axis, vector = op.arranged(inputs[0].shape)
    small = row_spec(Spec(shape, dtype), axis).shape
    count, eps = np.array(max(1, shape[axis]), dtype), np.array(op.eps, dtype)

    def run(inputs, targets):
        data, out, mean, std = (a.reshape(s) for a, s in zip((inputs[0], *targets), (shape, shape, small, small),
                                                             strict=False))
        squares = targets[3]
        np.divide(sum_along(data, axis, None, mean, True), count, mean)
        np.subtract(data, mean, out)
        step = max(1, len(squares))
        for start in range(0, len(out), step):
            part = out[start:start + step]
            sum_along(np.square(part, squares[:len(part)]), axis, None, std[start:start + step], True)
        np.sqrt(np.add(np.divide(std, count, std), eps, std), std)
        np.divide(out, std, out)
        np.multiply(out, inputs[1].reshape(vector), out)
        np.add(out, inputs[2].reshape(vector), out)
    return Writer(run, [block_spec(Spec(shape, dtype), axis)])
