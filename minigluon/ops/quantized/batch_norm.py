"""Batch normalization of quantized arrays, with moving statistics."""

import numpy as np

from ...base import OpAttributeError
from ..nn.batch_norm import BatchNorm
from ..registry import register
from .ranges import FLOAT32, INT8, STEPS, Quantized, both_ends, magnitude, nearest, real_steps

__all__ = []


@register("data", "gamma", "beta", "moving_mean", "moving_var", "min_data", "max_data",
          name="_contrib_quantized_batch_norm")
class quantized_batch_norm(Quantized):
    """(data - moving_mean) / √(moving_var + eps) · gamma + beta as int8 with the calibrated range.

    data (..., C, ...) with C at `axis`, int8 or uint8 | gamma, beta, moving_mean, moving_var (C,), float32
    min_data, max_data (1,) | out like data, int8; the range (1,), (1,)

    eps: added to the variance.
    axis: the axis of the channels.
    momentum, use_global_stats, output_mean_var, cudnn_off: no effect.
    fix_gamma: no effect, as in MXNet; gamma is always applied. `quantize_model` writes ones into a fixed gamma.
    min_calib_range, max_calib_range: the range of the output, from calibration. Without it, OpAttributeError is raised.

    >>> data, one, zero = nd.contrib.quantize_v2(nd.array([[1], [-4]])), nd.ones(1), nd.zeros(1)
    >>> values, low, high = nd.contrib.quantized_batch_norm(data[0], one, zero, zero, one, *data[1:], eps=0,
    ...                                                     min_calib_range=-4, max_calib_range=4)
    >>> values.asnumpy().T
    array([[  32, -128]], dtype=int8)
    """

    eps: float = 1e-3
    momentum: float = 0.9
    fix_gamma: bool = True
    use_global_stats: bool = False
    output_mean_var: bool = False
    axis: int = 1
    cudnn_off: bool = False
    min_calib_range: float | None = None
    max_calib_range: float | None = None
    mutates = ("moving_mean", "moving_var")         # never actually overwritten; this makes them auxiliary states

    def infer_shape(self, *shapes):
        if self.min_calib_range is None or self.max_calib_range is None:
            raise OpAttributeError(f"{self.name}: min_calib_range and max_calib_range are missing. Quantize the "
                                   "network with calib_mode='naive' or 'entropy', or exclude the operator BatchNorm.")
        inputs, (data, *_) = BatchNorm(axis=self.axis).infer_shape(*shapes[:5])
        return [*inputs, *self.require_ranges(self.arguments[5:], shapes[5:])], [data, (1,), (1,)]

    def infer_dtype(self, data, *others):
        data = self.require_bytes("data", data)
        return [data, *self.require_reals(self.arguments[1:], others)], [INT8, FLOAT32, FLOAT32]

    def forward(self, data, gamma, beta, moving_mean, moving_var, min_data, max_data):
        low, high = np.float32(self.min_calib_range), np.float32(self.max_calib_range)
        m = np.maximum(np.abs(low), np.abs(high))
        if data.dtype != INT8:          # MXNet halves uint8 first
            data = nearest(data.astype(np.float32) * (STEPS[INT8] / STEPS[data.dtype]), INT8)
        factor = gamma / np.sqrt(moving_var + np.float32(self.eps))
        along = [1] * data.ndim
        along[self.axis] = -1
        x = data.astype(np.float32) * real_steps(INT8, magnitude(min_data, max_data)) - moving_mean.reshape(along)
        with np.errstate(all="ignore"):
            values = nearest((x * factor.reshape(along) + beta.reshape(along)) * (STEPS[INT8] / m), INT8)
        return values, *both_ends(low, high), None, None
