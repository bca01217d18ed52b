"""DenseNet-BC. Huang et al., Densely connected convolutional networks, 2016."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....context import cpu
from ... import nn
from ...contrib.nn import HybridConcurrent, Identity
from .classifier import Classifier, choose, stack, with_parameters

if TYPE_CHECKING:
    from ....context import Context
    from ...hybrid_block import HybridBlock

__all__ = ["DenseNet", "densenet121", "densenet161", "densenet169", "densenet201"]


class DenseNet(Classifier):
    """DenseNet, in which each layer in a block takes the outputs of all earlier layers.

    x (N, 3, 224, 224) | out: scores (N, classes)

    num_init_features: the number of channels in the first convolution.
    growth_rate: the number of channels that a layer adds.
    block_config: the number of layers in each block.
    bn_size: the 1 x 1 convolution of a layer has bn_size * growth_rate channels.
    dropout: the dropout rate after each layer.
    classes: number of scores.

    Source: Huang et al. 2017, Densely Connected Convolutional Networks.

    >>> net = gluon.model_zoo.vision.DenseNet(8, growth_rate=4, block_config=[2, 2], classes=10)
    >>> len(net.collect_params(".*weight"))                # first, two for each layer, one between the blocks, last
    11
    """

    def __init__(self, num_init_features: Any, growth_rate: int, block_config: Any, bn_size: Any = 4,
                 dropout: float = 0, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = stack(
                nn.Conv2D(num_init_features, kernel_size=7, strides=2, padding=3, use_bias=False),
                nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(pool_size=3, strides=2, padding=1))
            channels = num_init_features
            for number, layers in enumerate(block_config, 1):
                if number > 1:
                    channels //= 2
                    self.features.add(_transition(channels))
                self.features.add(_block(number, layers, growth_rate, bn_size, dropout))
                channels += layers * growth_rate
            self.features.add(nn.BatchNorm(), nn.Activation("relu"), nn.AvgPool2D(pool_size=7), nn.Flatten())
            self.output = nn.Dense(classes)


def _block(number, layers, growth_rate, bn_size, dropout):
    block = nn.HybridSequential(prefix=f"stage{number}_")
    with block.name_scope():
        for _ in range(layers):
            block.add(_layer(growth_rate, bn_size, dropout))
    return block


def _layer(growth_rate, bn_size, dropout):
    """Return a layer that computes growth_rate channels from its input and appends them to it."""
    added = stack(nn.BatchNorm(), nn.Activation("relu"),
                  nn.Conv2D(bn_size * growth_rate, kernel_size=1, use_bias=False),
                  nn.BatchNorm(), nn.Activation("relu"),
                  nn.Conv2D(growth_rate, kernel_size=3, padding=1, use_bias=False))
    if dropout:
        added.add(nn.Dropout(dropout))
    out = HybridConcurrent(axis=1, prefix="")
    out.add(Identity(), added)
    return out


def _transition(channels):
    """Return the layers between two blocks, which reduce the number of channels and halve height and width."""
    return stack(nn.BatchNorm(), nn.Activation("relu"), nn.Conv2D(channels, kernel_size=1, use_bias=False),
                 nn.AvgPool2D(pool_size=2, strides=2))


# Number of layers with parameters -> (num_init_features, growth_rate, block_config).
densenet_spec: dict[int, tuple[int, int, list[int]]] = {121: (64, 32, [6, 12, 24, 16]),
                                                        161: (96, 48, [6, 12, 36, 24]),
                                                        169: (64, 32, [6, 12, 32, 32]),
                                                        201: (64, 32, [6, 12, 48, 32])}


def get_densenet(num_layers: int, pretrained: bool = False, ctx: Context = cpu(), root: str | None = None,     # noqa: B008
                 **kwargs: Any) -> DenseNet:
    """Return a DenseNet-BC with num_layers layers that have parameters.

    num_layers: 121, 161, 169 or 201.
    kwargs: arguments of the class `DenseNet`: bn_size, dropout, classes, prefix, params.
    """
    net = DenseNet(*choose("DenseNet: num_layers", num_layers, densenet_spec), **kwargs)
    return with_parameters(net, f"densenet{num_layers}", pretrained, ctx, root)


def densenet121(**kwargs: Any) -> HybridBlock:
    """Return a DenseNet-BC with 121 layers. Arguments: see `get_model`.

    >>> len(gluon.model_zoo.vision.densenet121().collect_params(".*weight"))        # layers
    121
    """
    return get_densenet(121, **kwargs)


def densenet161(**kwargs: Any) -> HybridBlock:
    """Return a DenseNet-BC with 161 layers. Arguments: see `get_model`.

    >>> len(gluon.model_zoo.vision.densenet161().collect_params(".*weight"))        # layers
    161
    """
    return get_densenet(161, **kwargs)


def densenet169(**kwargs: Any) -> HybridBlock:
    """Return a DenseNet-BC with 169 layers. Arguments: see `get_model`.

    >>> len(gluon.model_zoo.vision.densenet169().collect_params(".*weight"))        # layers
    169
    """
    return get_densenet(169, **kwargs)


def densenet201(**kwargs: Any) -> HybridBlock:
    """Return a DenseNet-BC with 201 layers. Arguments: see `get_model`.

    >>> len(gluon.model_zoo.vision.densenet201().collect_params(".*weight"))        # layers
    201
    """
    return get_densenet(201, **kwargs)
