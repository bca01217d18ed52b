"""Layers for deformable convolutions, whose sampling points are computed by another convolution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...common.docstrings import share_docstring, share_sentences
from ...common.types import Shape
from ...diagnostics.argument_kinds import worded
from ..block import Block
from ..hybrid_block import HybridBlock
from ..nn import Activation
from ..nn.sizes import check_layout, check_length, per_axis

if TYPE_CHECKING:
    from ...initializer import Initializer

__all__ = ["DeformableConvolution", "ModulatedDeformableConvolution"]


class DeformableConvolution(HybridBlock):
    """A convolution whose kernel points are shifted at each position by offsets, which another convolution computes
    from x.

    x (N, in_channels, H, W) | out (N, channels, H', W') as for Conv2D

    channels: the number of output channels.
    kernel_size, strides, padding, dilation: one number or two.
    groups: the number of channel groups that are convolved separately.
    num_deformable_group: the number of channel groups, each of which shares offsets.
    layout: only 'NCHW'.
    use_bias, offset_use_bias: if True, add a bias.
    in_channels: 0 infers it in the first forward pass.
    activation: a name for `Activation`, or None.
    weight_initializer, bias_initializer: None uses the initializer passed to `initialize`.
    offset_weight_initializer, offset_bias_initializer: zeros by default, which results in an ordinary convolution.
    op_name, adj: accepted for old programs but ignored.

    Source: Dai et al. 2017, Deformable Convolutional Networks.

    >>> layer = gluon.contrib.cnn.DeformableConvolution(4, kernel_size=3, padding=1)
    >>> layer.initialize()
    >>> layer(nd.ones((1, 2, 8, 8))).shape, layer.offset_weight.shape
    ((1, 4, 8, 8), (18, 2, 3, 3))
    """

    act: Activation | None

    _numbers = 2                # values computed per kernel point: offsets down and right
    _order = ("offset", "deformable_conv")              # MXNet's order of the parameters

    @worded
    def __init__(self, channels: Any, kernel_size: Shape = (1, 1), strides: Shape = (1, 1), padding: Shape = (0, 0),
                 dilation: Shape = (1, 1), groups: int = 1, num_deformable_group: Any = 1, layout: str = "NCHW",
                 use_bias: bool = True, in_channels: int = 0, activation: str | None = None,
                 weight_initializer: str | Initializer | None = None, bias_initializer: str | Initializer = "zeros",
                 offset_weight_initializer: str = "zeros", offset_bias_initializer: str = "zeros",
                 offset_use_bias: bool = True, op_name: Any = None, adj: Any = None, prefix: str | None = None,
                 params: Any = None) -> None:
        check_layout(self, layout, "NCHW")
        super().__init__(prefix=prefix, params=params)
        check_length(self, "groups", groups)
        kernel = per_axis(self, "kernel_size", kernel_size, 2)
        same = {"kernel": kernel, "stride": per_axis(self, "strides", strides, 2),
                "dilate": per_axis(self, "dilation", dilation, 2), "pad": per_axis(self, "padding", padding, 2),
                "num_group": groups, "layout": layout}
        self._moved = 2 * num_deformable_group * kernel[0] * kernel[1]
        offsets = self._numbers * num_deformable_group * kernel[0] * kernel[1]
        self._offset = {**same, "num_filter": offsets, "no_bias": not offset_use_bias}
        self._kwargs = {**same, "num_filter": channels, "no_bias": not use_bias,
                        "num_deformable_group": num_deformable_group}
        inner = in_channels // groups
        parts = {
            "offset": (offsets, offset_use_bias, offset_weight_initializer, offset_bias_initializer),
            "deformable_conv": (channels, use_bias, weight_initializer, bias_initializer)}
        for name in self._order:
            self._add(name, (inner, *kernel), *parts[name])
        self.act = Activation(activation, prefix=activation + "_") if activation is not None else None

    def _add(self, name, window, count, use_bias, weight_initializer, bias_initializer):
        """Add the parameters of one of the two convolutions, with `count` output channels."""
        setattr(self, f"{name}_weight", self.params.get(f"{name}_weight", shape=(count, *window),
                                                        init=weight_initializer, allow_deferred_init=True))
        setattr(self, f"{name}_bias", self.params.get(f"{name}_bias", shape=(count,), init=bias_initializer,
                                                      allow_deferred_init=True) if use_bias else None)

    def _alias(self):
        return "deformable_conv"

    def hybrid_forward(self, F: Any, x: Any, offset_weight: Any, deformable_conv_weight: Any, offset_bias: Any = None,
                       deformable_conv_bias: Any = None) -> Any:
        """Return the activation of the convolution at the shifted points."""
        offset = F.Convolution(x, offset_weight, offset_bias, name="offset", **self._offset)
        out = self._convolve(F, x, offset, deformable_conv_weight, deformable_conv_bias)
        return out if self.act is None else self.act(out)

    def _convolve(self, F, x, offset, weight, bias):
        return F.contrib.DeformableConvolution(x, offset, weight, bias, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        kwargs, shape = self._kwargs, self.deformable_conv_weight.shape
        parts = [f"{shape[1] or None} -> {shape[0]}", f"kernel_size={kwargs['kernel']}", f"stride={kwargs['stride']}"]
        parts += [f"padding={kwargs['pad']}"] if any(kwargs["pad"]) else []
        parts += [f"dilation={kwargs['dilate']}"] if kwargs["dilate"] != (1, 1) else []
        parts += [f"groups={kwargs['num_group']}"] if kwargs["num_group"] != 1 else []
        parts += ["bias=False"] if kwargs["no_bias"] else []
        parts += [repr(self.act)] if self.act is not None else []
        return f"{type(self).__name__}({', '.join(parts)})"


class ModulatedDeformableConvolution(DeformableConvolution):
    """A DeformableConvolution that also weights each point by 2 sigmoid(m), where m is computed along with the offsets.

    Source: Zhu et al. 2019, Deformable ConvNets v2: More Deformable, Better Results.

    >>> layer = gluon.contrib.cnn.ModulatedDeformableConvolution(4, kernel_size=3, padding=1)
    >>> layer.initialize()
    >>> layer(nd.ones((1, 2, 8, 8))).shape, layer.offset_weight.shape
    ((1, 4, 8, 8), (27, 2, 3, 3))
    """

    _numbers = 3
    _order = ("deformable_conv", "offset")

    def _alias(self):
        return "modulated_deformable_conv"

    def _convolve(self, F, x, offset, weight, bias):
        moved = F.slice_axis(offset, axis=1, begin=0, end=self._moved)
        mask = F.sigmoid(F.slice_axis(offset, axis=1, begin=self._moved, end=None)) * 2
        return F.contrib.ModulatedDeformableConvolution(x, moved, mask, weight, bias, name="fwd", **self._kwargs)


share_sentences(Block, DeformableConvolution)
share_docstring(DeformableConvolution, ModulatedDeformableConvolution)
