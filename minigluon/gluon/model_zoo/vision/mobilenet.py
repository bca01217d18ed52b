"""MobileNets: depthwise convolutions, and 1 x 1 convolutions that mix the channels.

V1: Howard et al., MobileNets: Efficient convolutional neural networks for mobile vision applications, 2017.
V2: Sandler et al., Inverted residuals and linear bottlenecks, 2018.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....common.docstrings import share_sentences
from ....context import cpu
from ... import nn
from ...hybrid_block import HybridBlock
from .classifier import Classifier, published, stack, with_parameters

if TYPE_CHECKING:
    from ....context import Context

__all__ = ["MobileNet", "MobileNetV2", "get_mobilenet", "get_mobilenet_v2", "mobilenet0_25", "mobilenet0_5",
           "mobilenet0_75", "mobilenet1_0", "mobilenet_v2_0_25", "mobilenet_v2_0_5", "mobilenet_v2_0_75",
           "mobilenet_v2_1_0"]


class RELU6(HybridBlock):
    """The activation min(max(x, 0), 6)."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return x clipped to 0 ... 6."""
        return F.clip(x, 0, 6, name="relu6")


def _convolution(channels, kernel=1, stride=1, groups=1, active=None):
    """Return a convolution, its normalization and, if `active` is given, the activation that `active` returns."""
    layers = [nn.Conv2D(channels, kernel, stride, kernel // 2, groups=groups, use_bias=False), nn.BatchNorm()]
    return [*layers, active()] if active else layers


def _relu():
    return nn.Activation("relu")


# -- version 1 ------------------------------------------------------------------------------------------------------

# Channels and stride for each pair of a depthwise and a 1 x 1 convolution.
_PAIRS = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]


class MobileNet(Classifier):
    """Alternating depthwise and 1 x 1 convolutions.

    x (N, 3, H, W), designed for 224 x 224 | out: scores (N, classes)

    multiplier: the factor that scales every channel count, truncated to an integer.
    classes: number of scores.

    Source: Howard et al. 2017, MobileNets.

    >>> net = gluon.model_zoo.vision.MobileNet(multiplier=0.25, classes=10)
    >>> net.initialize()
    >>> net(nd.ones((1, 3, 32, 32))).shape
    (1, 10)
    """

    def __init__(self, multiplier: Any = 1.0, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            channels = int(32 * multiplier)
            self.features = stack(*_convolution(channels, kernel=3, stride=2, active=_relu))
            for out, stride in _PAIRS:
                self.features.add(*_convolution(channels, kernel=3, stride=stride, groups=channels, active=_relu))
                channels = int(out * multiplier)
                self.features.add(*_convolution(channels, active=_relu))
            self.features.add(nn.GlobalAvgPool2D(), nn.Flatten())
            self.output = nn.Dense(classes)


# -- version 2 ------------------------------------------------------------------------------------------------------

class LinearBottleneck(HybridBlock):
    """Expansion to more channels, depthwise convolution, and projection to fewer channels. Adds x if the shapes agree.

    t: the expansion factor for the channels.
    stride: the stride of the depthwise convolution.
    """

    def __init__(self, in_channels: int, channels: int, t: Any, stride: int, **kwargs: Any):
        super().__init__(**kwargs)
        self.use_shortcut: bool = stride == 1 and in_channels == channels
        inner = in_channels * t
        with self.name_scope():
            self.out = nn.HybridSequential()
            self.out.add(*_convolution(inner, active=RELU6),
                         *_convolution(inner, kernel=3, stride=stride, groups=inner, active=RELU6),
                         *_convolution(channels))

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the bottleneck's output, plus x if the shapes agree."""
        out = self.out(x)
        return F.elemwise_add(out, x) if self.use_shortcut else out


# t, channels, number of bottlenecks, stride of the first one: Table 2 of the paper.
_BOTTLENECKS = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                (6, 320, 1, 1)]


class MobileNetV2(Classifier):
    """Inverted bottlenecks: expansion, depthwise convolution, projection, with shortcuts between the projections.

    x (N, 3, H, W), designed for 224 x 224 | out: scores (N, classes)

    multiplier: the factor that scales every channel count, truncated to an integer; for the last convolution, only if
        it is above one.
    classes: number of scores.

    Source: Sandler et al. 2018, MobileNetV2: Inverted Residuals and Linear Bottlenecks.

    >>> gluon.model_zoo.vision.MobileNetV2(multiplier=0.5).features[0].weight.shape[0]
    16
    """

    def __init__(self, multiplier: Any = 1.0, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            channels = int(32 * multiplier)
            self.features = nn.HybridSequential(prefix="features_")
            with self.features.name_scope():
                self.features.add(*_convolution(channels, kernel=3, stride=2, active=RELU6))
                for t, out, count, first_stride in _BOTTLENECKS:
                    for stride in [first_stride] + [1] * (count - 1):
                        in_channels, channels = channels, int(out * multiplier)
                        self.features.add(LinearBottleneck(in_channels, channels, t, stride))
                self.features.add(*_convolution(max(1280, int(1280 * multiplier)), active=RELU6))
                self.features.add(nn.GlobalAvgPool2D())
            self.output = nn.HybridSequential(prefix="output_")
            with self.output.name_scope():
                self.output.add(nn.Conv2D(classes, 1, use_bias=False, prefix="pred_"), nn.Flatten())


# -- constructors ---------------------------------------------------------------------------------------------------

def _suffix(multiplier):
    """Return the multiplier in the form used in file names: '1.0', '0.75', '0.5', '0.25'."""
    text = f"{multiplier:.2f}"
    return text[:-1] if text in ("1.00", "0.50") else text


def get_mobilenet(multiplier: float, pretrained: bool = False, ctx: Context = cpu(), root: str | None = None,        # noqa: B008
                  **kwargs: Any) -> MobileNet:
    """Return a MobileNet with `multiplier` times the channels.

    kwargs: arguments of the class `MobileNet`: classes, prefix, params.

    >>> gluon.model_zoo.vision.get_mobilenet(0.5).features[0].weight.shape[0]
    16
    """
    return with_parameters(MobileNet(multiplier, **kwargs), f"mobilenet{_suffix(multiplier)}", pretrained, ctx, root)


def get_mobilenet_v2(multiplier: float, pretrained: bool = False, ctx: Context = cpu(), root: str | None = None,     # noqa: B008
                     **kwargs: Any) -> MobileNetV2:
    """Return a MobileNet V2 with `multiplier` times the channels.

    kwargs: arguments of the class `MobileNetV2`: classes, prefix, params.

    >>> gluon.model_zoo.vision.get_mobilenet_v2(0.5).features[0].weight.shape[0]
    16
    """
    return with_parameters(MobileNetV2(multiplier, **kwargs), f"mobilenetv2_{_suffix(multiplier)}", pretrained, ctx,
                           root)


share_sentences(MobileNet, get_mobilenet)
share_sentences(MobileNetV2, get_mobilenet_v2)


def _of_width(name: str, factory: Callable[..., HybridBlock], multiplier: float) -> Callable[..., HybridBlock]:
    what = "MobileNet" if factory is get_mobilenet else "MobileNet V2"
    return published(name, factory, multiplier, doc=f"""\
Return a {what} with {multiplier} times the channels. Arguments: see `get_model`.

    >>> gluon.model_zoo.vision.{name}().features[0].weight.shape[0]      # channels of the first convolution
    {int(32 * multiplier)}
    """)


mobilenet1_0: Callable[..., HybridBlock] = _of_width("mobilenet1_0", get_mobilenet, 1.0)
mobilenet0_75: Callable[..., HybridBlock] = _of_width("mobilenet0_75", get_mobilenet, 0.75)
mobilenet0_5: Callable[..., HybridBlock] = _of_width("mobilenet0_5", get_mobilenet, 0.5)
mobilenet0_25: Callable[..., HybridBlock] = _of_width("mobilenet0_25", get_mobilenet, 0.25)
mobilenet_v2_1_0: Callable[..., HybridBlock] = _of_width("mobilenet_v2_1_0", get_mobilenet_v2, 1.0)
mobilenet_v2_0_75: Callable[..., HybridBlock] = _of_width("mobilenet_v2_0_75", get_mobilenet_v2, 0.75)
mobilenet_v2_0_5: Callable[..., HybridBlock] = _of_width("mobilenet_v2_0_5", get_mobilenet_v2, 0.5)
mobilenet_v2_0_25: Callable[..., HybridBlock] = _of_width("mobilenet_v2_0_25", get_mobilenet_v2, 0.25)
