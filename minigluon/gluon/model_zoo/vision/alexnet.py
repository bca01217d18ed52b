"""AlexNet. Krizhevsky, One weird trick for parallelizing convolutional neural networks, 2014."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....context import cpu
from ... import nn
from .classifier import Classifier, stack, with_parameters

if TYPE_CHECKING:
    from ....context import Context

__all__ = ["AlexNet", "alexnet"]


class AlexNet(Classifier):
    """A network of five convolutions and three dense layers.

    x (N, 3, H, W), designed for 224 x 224 | out: scores (N, classes)

    classes: number of scores.

    Source: Krizhevsky, Sutskever and Hinton 2012, ImageNet Classification with Deep Convolutional Neural Networks.

    >>> len(gluon.model_zoo.vision.AlexNet(classes=10).features)
    13
    """

    def __init__(self, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = stack(
                nn.Conv2D(64, kernel_size=11, strides=4, padding=2, activation="relu"),
                nn.MaxPool2D(pool_size=3, strides=2),
                nn.Conv2D(192, kernel_size=5, padding=2, activation="relu"),
                nn.MaxPool2D(pool_size=3, strides=2),
                nn.Conv2D(384, kernel_size=3, padding=1, activation="relu"),
                nn.Conv2D(256, kernel_size=3, padding=1, activation="relu"),
                nn.Conv2D(256, kernel_size=3, padding=1, activation="relu"),
                nn.MaxPool2D(pool_size=3, strides=2),
                nn.Flatten(),
                nn.Dense(4096, activation="relu"), nn.Dropout(0.5),
                nn.Dense(4096, activation="relu"), nn.Dropout(0.5))
            self.output = nn.Dense(classes)


def alexnet(pretrained: bool = False, ctx: Context = cpu(), root: str | None = None,      # noqa: B008
            **kwargs: Any) -> AlexNet:
    """Return an AlexNet.

    kwargs: arguments of the class `AlexNet`: classes, prefix, params.

    >>> len(gluon.model_zoo.vision.alexnet().collect_params(".*weight"))        # layers
    8
    """
    return with_parameters(AlexNet(**kwargs), "alexnet", pretrained, ctx, root)
