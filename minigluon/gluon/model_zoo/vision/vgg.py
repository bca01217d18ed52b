"""VGG. Simonyan and Zisserman, Very deep convolutional networks for large-scale image recognition, 2014."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....base import ArgumentError
from ....context import cpu
from ....initializer import Xavier
from ... import nn
from .classifier import Classifier, choose, stack, with_parameters

if TYPE_CHECKING:
    from ....context import Context
    from ...hybrid_block import HybridBlock

__all__ = ["VGG", "get_vgg", "vgg11", "vgg11_bn", "vgg13", "vgg13_bn", "vgg16", "vgg16_bn", "vgg19", "vgg19_bn"]

_CHANNELS = [64, 128, 256, 512, 512]

# Number of layers with parameters -> (convolutions of each of the five blocks, their channels).
vgg_spec: dict[int, tuple[list[int], list[int]]] = {11: ([1, 1, 2, 2, 2], _CHANNELS),
                                                    13: ([2, 2, 2, 2, 2], _CHANNELS),
                                                    16: ([2, 2, 3, 3, 3], _CHANNELS),
                                                    19: ([2, 2, 4, 4, 4], _CHANNELS)}


class VGG(Classifier):
    """Blocks of 3 x 3 convolutions, each followed by pooling, and three dense layers.

    x (N, 3, H, W), designed for 224 x 224 | out: scores (N, classes)

    layers, filters: the number of convolutions in each block, and their number of channels.
    classes: number of scores.
    batch_norm: if True, normalize after each convolution.

    Raises ArgumentError if layers and filters differ in length.

    Source: Simonyan and Zisserman 2015, Very Deep Convolutional Networks for Large-Scale Image Recognition.

    >>> net = gluon.model_zoo.vision.VGG(layers=[1, 2], filters=[4, 8], classes=10)
    >>> len(net.collect_params(".*weight"))
    6
    """

    def __init__(self, layers: Any, filters: Any, classes: int = 1000, batch_norm: bool = False, **kwargs: Any) -> None:
        if len(layers) != len(filters):
            raise ArgumentError(f"VGG: layers has {len(layers)} blocks and filters {len(filters)}, expected as many.")
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = stack()
            for count, channels in zip(layers, filters, strict=True):
                for _ in range(count):
                    self.features.add(*_convolution(channels, batch_norm))
                self.features.add(nn.MaxPool2D(strides=2))
            for _ in range(2):
                self.features.add(_dense(4096, activation="relu"), nn.Dropout(0.5))
            self.output = _dense(classes)


def _convolution(channels, batch_norm):
    init = Xavier(rnd_type="gaussian", factor_type="out", magnitude=2)
    yield nn.Conv2D(channels, kernel_size=3, padding=1, weight_initializer=init)
    if batch_norm:
        yield nn.BatchNorm()
    yield nn.Activation("relu")


def _dense(units, **kwargs):
    return nn.Dense(units, weight_initializer="normal", **kwargs)


def get_vgg(num_layers: int, pretrained: bool = False, ctx: Context = cpu(), root: str | None = None,      # noqa: B008
            **kwargs: Any) -> VGG:
    """Return a VGG with num_layers layers that have parameters.

    num_layers: 11, 13, 16 or 19.
    kwargs: arguments of the class `VGG`: classes, batch_norm, prefix, params.

    >>> len(gluon.model_zoo.vision.get_vgg(16, batch_norm=True).collect_params(".*weight"))
    16
    """
    layers, filters = choose("VGG: num_layers", num_layers, vgg_spec)
    name = f"vgg{num_layers}" + ("_bn" if kwargs.get("batch_norm") else "")
    return with_parameters(VGG(layers, filters, **kwargs), name, pretrained, ctx, root)


def vgg11(**kwargs: Any) -> HybridBlock:
    """Return a VGG with 11 layers. Arguments: see `get_model`.

    >>> len(gluon.model_zoo.vision.vgg11().collect_params(".*weight"))        # layers
    11
    """
    return get_vgg(11, **kwargs)


def vgg13(**kwargs: Any) -> HybridBlock:
    """Return a VGG with 13 layers. Arguments: see `get_model`.

    >>> len(gluon.model_zoo.vision.vgg13().collect_params(".*weight"))        # layers
    13
    """
    return get_vgg(13, **kwargs)


def vgg16(**kwargs: Any) -> HybridBlock:
    """Return a VGG with 16 layers. Arguments: see `get_model`.

    >>> len(gluon.model_zoo.vision.vgg16().collect_params(".*weight"))        # layers
    16
    """
    return get_vgg(16, **kwargs)


def vgg19(**kwargs: Any) -> HybridBlock:
    """Return a VGG with 19 layers. Arguments: see `get_model`.

    >>> len(gluon.model_zoo.vision.vgg19().collect_params(".*weight"))        # layers
    19
    """
    return get_vgg(19, **kwargs)


def vgg11_bn(**kwargs: Any) -> HybridBlock:
    """Return a VGG with 11 layers and batch normalization. Arguments: see `get_model`.

    >>> len(gluon.model_zoo.vision.vgg11_bn().collect_params(".*weight"))        # layers
    11
    """
    return get_vgg(11, **{**kwargs, "batch_norm": True})


def vgg13_bn(**kwargs: Any) -> HybridBlock:
    """Return a VGG with 13 layers and batch normalization. Arguments: see `get_model`.

    >>> len(gluon.model_zoo.vision.vgg13_bn().collect_params(".*weight"))        # layers
    13
    """
    return get_vgg(13, **{**kwargs, "batch_norm": True})


def vgg16_bn(**kwargs: Any) -> HybridBlock:
    """Return a VGG with 16 layers and batch normalization. Arguments: see `get_model`.

    >>> len(gluon.model_zoo.vision.vgg16_bn().collect_params(".*weight"))        # layers
    16
    """
    return get_vgg(16, **{**kwargs, "batch_norm": True})


def vgg19_bn(**kwargs: Any) -> HybridBlock:
    """Return a VGG with 19 layers and batch normalization. Arguments: see `get_model`.

    >>> len(gluon.model_zoo.vision.vgg19_bn().collect_params(".*weight"))        # layers
    19
    """
    return get_vgg(19, **{**kwargs, "batch_norm": True})
