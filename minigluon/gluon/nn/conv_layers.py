"""Convolutions and transposed convolutions in one, two and three dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...common.docstrings import share_docstring
from ...common.types import Shape
from ..hybrid_block import HybridBlock
from .activations import Activation
from .sizes import check_layout, check_length, per_axis

if TYPE_CHECKING:
    from ...initializer import Initializer
    from ..parameter import Parameter

__all__ = ["Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose"]

_LAYOUTS = {1: ("NCW",), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


class _Conv(HybridBlock):
    """Base class of convolutions: act(x ∗ weight + bias).

    channels: the number of output channels.
    kernel_size, strides, padding, dilation: an integer, or one per axis. The padding consists of zeros on both sides;
    dilation is the distance between the elements that a kernel covers.
    groups: the number of channel groups that are convolved separately.
    layout: the order of x's axes; if C is last, the weight's inner channels are also last.
    activation: a name for `Activation`, or None.
    use_bias: if True, add a bias to each channel.
    weight_initializer, bias_initializer: None uses the initializer passed to `initialize`.
    in_channels: the number of channels in x; 0 infers it in the first forward pass.
    """

    rank: int | None = None
    op_name: str = "Convolution"
    weight: Parameter
    act: Activation | None

    def __init__(self, channels: Any, kernel_size: Shape, strides: Shape, padding: Shape, dilation: Shape, groups: int,
                 layout: str, in_channels: int = 0, activation: str | None = None, use_bias: bool = True,
                 weight_initializer: str | Initializer | None = None, bias_initializer: str | Initializer = "zeros",
                 adj: Any = None, **kwargs: Any) -> None:
        check_layout(self, layout, *_LAYOUTS[self.rank])
        super().__init__(**kwargs)
        check_length(self, "channels", channels)
        check_length(self, "groups", groups)
        self._channels, self._in_channels = channels, in_channels
        self._kwargs = {
            "kernel": per_axis(self, "kernel_size", kernel_size, self.rank),
            "stride": per_axis(self, "strides", strides, self.rank),
            "dilate": per_axis(self, "dilation", dilation, self.rank),
            "pad": per_axis(self, "padding", padding, self.rank),
            "num_filter": channels, "num_group": groups, "no_bias": not use_bias, "layout": layout}
        if adj is not None:
            self._kwargs["adj"] = per_axis(self, "output_padding", adj, self.rank)
        with self.name_scope():
            self.weight = self.params.get("weight", shape=self._weight_shape(), init=weight_initializer,
                                          allow_deferred_init=True)
            self.bias: Any = self.params.get("bias", shape=(channels,), init=bias_initializer,
                                        allow_deferred_init=True) if use_bias else None
            self.act = Activation(activation, prefix=activation + "_") if activation is not None else None

    def _weight_shape(self):
        """Return (outer channels, inner channels per group, *kernel); the kernel is in the middle if the layout ends in
        C. """
        outer, inner = self._channels, self._in_channels
        if self.op_name == "Deconvolution":
            outer, inner = inner, outer
        inner //= self._kwargs["num_group"]
        kernel = self._kwargs["kernel"]
        return (outer, inner, *kernel) if self._kwargs["layout"][1] == "C" else (outer, *kernel, inner)

    def _alias(self):
        return "conv"

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        """Return act(x ∗ weight + bias)."""
        out = getattr(F, self.op_name)(x, weight, bias, name="fwd", **self._kwargs)
        return out if self.act is None else self.act(out)

    def __repr__(self) -> str:
        k = self._kwargs
        parts = [f"{self.weight.shape[1] or None} -> {self.weight.shape[0]}", f"kernel_size={k['kernel']}",
                 f"stride={k['stride']}"]
        if any(k["pad"]):
            parts.append(f"padding={k['pad']}")
        if k["dilate"] != (1,) * self.rank:
            parts.append(f"dilation={k['dilate']}")
        if k["num_group"] != 1:
            parts.append(f"groups={k['num_group']}")
        if self.bias is None:
            parts.append("bias=False")
        if self.act:
            parts.append(repr(self.act))
        return f"{type(self).__name__}({', '.join(parts)})"


class Conv1D(_Conv):
    """Convolution of a signal, (N, C, W): the sum of products of each window with the weight.

    x (N, in_channels, W) | weight (channels, in_channels / groups, k) | bias (channels,)
    out (N, channels, W'), W' = ⌊(W + 2 padding - dilation (k - 1) - 1) / stride⌋ + 1

    >>> differences = nn.Conv1D(1, kernel_size=2, use_bias=False, in_channels=1)
    >>> differences.initialize()
    >>> differences.weight.set_data(nd.array([[[-1, 1]]]))
    >>> differences(nd.array([[[1, 4, 9, 16]]])).asnumpy().tolist()
    [[[3.0, 5.0, 7.0]]]
    """

    rank = 1

    def __init__(self, channels: int, kernel_size: Shape, strides: Shape = 1, padding: Shape = 0, dilation: Shape = 1,
                 groups: int = 1, layout: str = "NCW", activation: str | None = None, use_bias: bool = True,
                 weight_initializer: str | Initializer | None = None, bias_initializer: str | Initializer = "zeros",
                 in_channels: int = 0, **kwargs: Any) -> None:
        super().__init__(channels, kernel_size, strides, padding, dilation, groups, layout, in_channels,
                         activation, use_bias, weight_initializer, bias_initializer, **kwargs)


class Conv2D(_Conv):
    """Convolution of an image, (N, C, H, W): the sum of products of each window with the weight.

    x (N, in_channels, H, W) | weight (channels, in_channels / groups, *kernel_size) | bias (channels,)
    out (N, channels, H', W'), H' = ⌊(H + 2 padding - dilation (kernel - 1) - 1) / stride⌋ + 1, W' likewise

    >>> layer = nn.Conv2D(4, kernel_size=3, strides=2, padding=1, activation="relu")
    >>> layer.initialize()
    >>> layer(nd.ones((1, 3, 8, 8))).shape, layer.weight.shape
    ((1, 4, 4, 4), (4, 3, 3, 3))
    """

    rank = 2

    def __init__(self, channels: int, kernel_size: Shape, strides: Shape = (1, 1), padding: Shape = (0, 0),
                 dilation: Shape = (1, 1), groups: int = 1, layout: str = "NCHW", activation: str | None = None,
                 use_bias: bool = True, weight_initializer: str | Initializer | None = None,
                 bias_initializer: str | Initializer = "zeros", in_channels: int = 0, **kwargs: Any) -> None:
        super().__init__(channels, kernel_size, strides, padding, dilation, groups, layout, in_channels,
                         activation, use_bias, weight_initializer, bias_initializer, **kwargs)


class Conv3D(_Conv):
    """Convolution of a volume, (N, C, D, H, W): the sum of products of each window with the weight.

    x (N, in_channels, D, H, W) | weight (channels, in_channels / groups, *kernel_size) | bias (channels,)
    out (N, channels, D', H', W'), D' = ⌊(D + 2 padding - dilation (kernel - 1) - 1) / stride⌋ + 1, and so on

    >>> layer = nn.Conv3D(2, kernel_size=(1, 3, 3), padding=(0, 1, 1))
    >>> layer.initialize()
    >>> layer(nd.ones((1, 3, 4, 8, 8))).shape
    (1, 2, 4, 8, 8)
    """

    rank = 3

    def __init__(self, channels: int, kernel_size: Shape, strides: Shape = (1, 1, 1), padding: Shape = (0, 0, 0),
                 dilation: Shape = (1, 1, 1), groups: int = 1, layout: str = "NCDHW", activation: str | None = None,
                 use_bias: bool = True, weight_initializer: str | Initializer | None = None,
                 bias_initializer: str | Initializer = "zeros", in_channels: int = 0, **kwargs: Any) -> None:
        super().__init__(channels, kernel_size, strides, padding, dilation, groups, layout, in_channels,
                         activation, use_bias, weight_initializer, bias_initializer, **kwargs)


class _ConvTranspose(_Conv):
    """Base class of transposed convolutions, which enlarge x: the gradient of a convolution with respect to its input.

    output_padding: extra size on one side of the output; it selects one of the sizes that a convolution would reduce to
    that of x.
    """

    op_name: str = "Deconvolution"

    def __init__(self, channels: Any, kernel_size: Shape, strides: Shape, padding: Shape, output_padding: Shape,
                 *args: Any, **kwargs: Any) -> None:
        super().__init__(channels, kernel_size, strides, padding, *args,
                         adj=per_axis(self, "output_padding", output_padding, self.rank), **kwargs)
        self.outpad = self._kwargs["adj"]


class Conv1DTranspose(_ConvTranspose):
    """Transposed convolution of a signal, (N, C, W): each element of x adds the weight times itself to out.

    x (N, in_channels, W) | weight (in_channels, channels / groups, k) | bias (channels,)
    out (N, channels, W'), W' = (W - 1) stride - 2 padding + dilation (k - 1) + output_padding + 1

    >>> layer = nn.Conv1DTranspose(1, kernel_size=2, strides=2, in_channels=1)
    >>> layer.initialize(init.One())
    >>> layer(nd.array([[[1, 2, 3]]])).asnumpy().tolist()
    [[[1.0, 1.0, 2.0, 2.0, 3.0, 3.0]]]
    """

    rank = 1

    def __init__(self, channels: int, kernel_size: Shape, strides: Shape = 1, padding: Shape = 0,
                 output_padding: Shape = 0, dilation: Shape = 1, groups: int = 1, layout: str = "NCW",
                 activation: str | None = None, use_bias: bool = True,
                 weight_initializer: str | Initializer | None = None, bias_initializer: str | Initializer = "zeros",
                 in_channels: int = 0, **kwargs: Any) -> None:
        super().__init__(channels, kernel_size, strides, padding, output_padding, dilation, groups, layout, in_channels,
                         activation, use_bias, weight_initializer, bias_initializer, **kwargs)


class Conv2DTranspose(_ConvTranspose):
    """Transposed convolution of an image, (N, C, H, W): each element of x adds the weight times itself to out.

    x (N, in_channels, H, W) | weight (in_channels, channels / groups, *kernel_size) | bias (channels,)
    out (N, channels, H', W'), H' = (H - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1, W' likewise

    >>> layer = nn.Conv2DTranspose(4, kernel_size=4, strides=2, padding=1)
    >>> layer.initialize()
    >>> layer(nd.ones((1, 3, 8, 8))).shape, layer.weight.shape
    ((1, 4, 16, 16), (3, 4, 4, 4))
    """

    rank = 2

    def __init__(self, channels: int, kernel_size: Shape, strides: Shape = (1, 1), padding: Shape = (0, 0),
                 output_padding: Shape = (0, 0), dilation: Shape = (1, 1), groups: int = 1, layout: str = "NCHW",
                 activation: str | None = None, use_bias: bool = True,
                 weight_initializer: str | Initializer | None = None, bias_initializer: str | Initializer = "zeros",
                 in_channels: int = 0, **kwargs: Any) -> None:
        super().__init__(channels, kernel_size, strides, padding, output_padding, dilation, groups, layout, in_channels,
                         activation, use_bias, weight_initializer, bias_initializer, **kwargs)


class Conv3DTranspose(_ConvTranspose):
    """Transposed convolution of a volume, (N, C, D, H, W): each element of x adds the weight times itself to out.

    x (N, in_channels, D, H, W) | weight (in_channels, channels / groups, *kernel_size) | bias (channels,)
    out (N, channels, D', H', W'), D' = (D - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1, ...

    >>> layer = nn.Conv3DTranspose(2, kernel_size=2, strides=2)
    >>> layer.initialize()
    >>> layer(nd.ones((1, 3, 4, 4, 4))).shape
    (1, 2, 8, 8, 8)
    """

    rank = 3

    def __init__(self, channels: int, kernel_size: Shape, strides: Shape = (1, 1, 1), padding: Shape = (0, 0, 0),
                 output_padding: Shape = (0, 0, 0), dilation: Shape = (1, 1, 1), groups: int = 1, layout: str = "NCDHW",
                 activation: str | None = None, use_bias: bool = True,
                 weight_initializer: str | Initializer | None = None, bias_initializer: str | Initializer = "zeros",
                 in_channels: int = 0, **kwargs: Any) -> None:
        super().__init__(channels, kernel_size, strides, padding, output_padding, dilation, groups, layout, in_channels,
                         activation, use_bias, weight_initializer, bias_initializer, **kwargs)


share_docstring(_Conv, _ConvTranspose, Conv1D, Conv2D, Conv3D)
share_docstring(_ConvTranspose, Conv1DTranspose, Conv2DTranspose, Conv3DTranspose)
