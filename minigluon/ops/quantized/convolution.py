"""Convolutions of integers."""

from typing import Literal

from ..fields import Shape
from ..nn.convolution import Convolution, Layout, Windows
from ..registry import register
from .matrix import LayerOfIntegers

__all__ = []


@register("data", "weight", "bias", "min_data", "max_data", "min_weight", "max_weight", "min_bias", "max_bias",
          name="_contrib_quantized_conv")
class quantized_conv(LayerOfIntegers, Windows):
    """`Convolution` in int32.

    data (N, C, *space), int8 or uint8 | weight (num_filter, C / num_group, *kernel), int8 | bias (num_filter,), int8
    min_data, max_data, min_weight, max_weight, min_bias, max_bias (1,): the ranges; no_bias omits bias and its range
    out  (N, num_filter, *windows), int32; the range (1,), (1,)

    The attributes are those of `Convolution`.

    >>> data, weight = nd.contrib.quantize_v2(nd.array([[[1, 2, 3]]])), nd.contrib.quantize_v2(nd.array([[[1, 1]]]))
    >>> nd.contrib.quantized_conv(data[0], weight[0], *data[1:], *weight[1:], kernel=2, num_filter=1,
    ...                           no_bias=True)[0].asnumpy()
    array([[[16129, 26924]]], dtype=int32)
    """

    kernel: Shape
    stride: Shape = ()
    dilate: Shape = ()
    pad: Shape = ()
    num_filter: int
    num_group: int = 1
    workspace: int = 1024
    no_bias: bool = False
    cudnn_tune: Literal["off", "limited_workspace", "fastest"] | None = None
    cudnn_off: bool = False
    layout: Layout | None = None

    def layer(self):
        """Returns the float32 operator."""
        return Convolution(**self.attributes)

    def infer_shape(self, *shapes):
        return self.with_ranges(self.layer(), shapes)
