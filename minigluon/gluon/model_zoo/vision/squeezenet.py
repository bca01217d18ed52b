"""SqueezeNet. Iandola et al., SqueezeNet: AlexNet-level accuracy with 50x fewer parameters, 2016. They also published
version 1.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....context import cpu
from ... import nn
from ...contrib.nn import HybridConcurrent
from .classifier import Classifier, choose, stack, with_parameters

if TYPE_CHECKING:
    from ....context import Context
    from ...hybrid_block import HybridBlock

__all__ = ["SqueezeNet", "squeezenet1_0", "squeezenet1_1"]

# The first convolution's channels and kernel, then poolings and fire modules, the latter with the channels of their
# squeeze layers.
_POOL = "pool"
_LAYERS = {"1.0": (96, 7, [_POOL, 16, 16, 32, _POOL, 32, 48, 48, 64, _POOL, 64]),
           "1.1": (64, 3, [_POOL, 16, 16, _POOL, 32, 32, _POOL, 48, 48, 64, 64])}


class SqueezeNet(Classifier):
    """1 x 1 convolutions that reduce the number of channels, followed by convolutions that expand it again. Scores are
    means over the image, without a dense layer.

    x (N, 3, 224, 224) | out: scores (N, classes)

    version: '1.0' or '1.1', which needs less than half as many multiplications.
    classes: number of scores.

    Source: Iandola et al. 2016, SqueezeNet.

    >>> gluon.model_zoo.vision.SqueezeNet("1.1").features[0].weight.shape[0]
    64
    """

    def __init__(self, version: Any, classes: int = 1000, **kwargs: Any) -> None:
        channels, kernel, layers = choose("SqueezeNet: version", version, _LAYERS)
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = stack(nn.Conv2D(channels, kernel_size=kernel, strides=2), nn.Activation("relu"))
            for layer in layers:
                self.features.add(nn.MaxPool2D(3, strides=2, ceil_mode=True) if layer == _POOL else _fire(layer))
            self.features.add(nn.Dropout(0.5))
            self.output = stack(nn.Conv2D(classes, kernel_size=1), nn.Activation("relu"), nn.AvgPool2D(13),
                                nn.Flatten())


def _fire(squeezed):
    """Return a fire module: a 1 x 1 convolution to few channels, then parallel 1 x 1 and 3 x 3 convolutions to four
    times as many channels each.
    """
    squeeze = _convolution(squeezed, 1)
    expand = HybridConcurrent(axis=1, prefix="")
    expand.add(_convolution(4 * squeezed, 1), _convolution(4 * squeezed, 3, padding=1))
    return stack(squeeze, expand)


def _convolution(channels, kernel, padding=0):
    return stack(nn.Conv2D(channels, kernel, padding=padding), nn.Activation("relu"))


def get_squeezenet(version: Any, pretrained: bool = False, ctx: Context = cpu(), root: str | None = None,      # noqa: B008
                   **kwargs: Any) -> SqueezeNet:
    """Return a SqueezeNet.

    version: '1.0' or '1.1'.
    kwargs: arguments of the class `SqueezeNet`: classes, prefix, params.
    """
    return with_parameters(SqueezeNet(version, **kwargs), f"squeezenet{version}", pretrained, ctx, root)


def squeezenet1_0(**kwargs: Any) -> HybridBlock:
    """Return a SqueezeNet 1.0. Arguments: see `get_model`.

    >>> len(gluon.model_zoo.vision.squeezenet1_0().collect_params(".*weight"))        # layers
    26
    """
    return get_squeezenet("1.0", **kwargs)


def squeezenet1_1(**kwargs: Any) -> HybridBlock:
    """Return a SqueezeNet 1.1. Arguments: see `get_model`.

    >>> len(gluon.model_zoo.vision.squeezenet1_1().collect_params(".*weight"))        # layers
    26
    """
    return get_squeezenet("1.1", **kwargs)
