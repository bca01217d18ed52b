"""Inception V3. Szegedy et al., Rethinking the Inception architecture for computer vision, 2015."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....context import cpu
from ... import nn
from ...contrib.nn import HybridConcurrent
from .classifier import Classifier, stack, with_parameters

if TYPE_CHECKING:
    from ....context import Context

__all__ = ["Inception3", "inception_v3"]


class Inception3(Classifier):
    """Inception V3 without the paper's auxiliary classifier, as in MXNet.

    x (N, 3, 299, 299) | out: scores (N, classes)

    classes: number of scores.

    Source: Szegedy et al. 2016, Rethinking the Inception Architecture for Computer Vision.

    >>> gluon.model_zoo.vision.Inception3(classes=10).output.weight.shape[0]
    10
    """

    def __init__(self, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = stack(
                _unit(32, 3, strides=2), _unit(32, 3), _unit(64, 3, padding=1), nn.MaxPool2D(pool_size=3, strides=2),
                _unit(80, 1), _unit(192, 3), nn.MaxPool2D(pool_size=3, strides=2),
                _mixed("A1_", _a, 32), _mixed("A2_", _a, 64), _mixed("A3_", _a, 64),
                _mixed("B_", _b),
                _mixed("C1_", _c, 128), _mixed("C2_", _c, 160), _mixed("C3_", _c, 160), _mixed("C4_", _c, 192),
                _mixed("D_", _d),
                _mixed("E1_", _e), _mixed("E2_", _e),
                nn.AvgPool2D(pool_size=8), nn.Dropout(0.5))
            self.output = nn.Dense(classes)


def _unit(channels, kernel_size, strides=1, padding=0):
    return stack(nn.Conv2D(channels, kernel_size, strides, padding, use_bias=False), nn.BatchNorm(epsilon=0.001),
                 nn.Activation("relu"))


def _mixed(prefix, branches, *args):
    """Return parallel branches named after `prefix`. branches: a function; branches(*args) yields the branches."""
    out = HybridConcurrent(axis=1, prefix=prefix)
    with out.name_scope():
        out.add(*branches(*args))
    return out


def _branch(*units, first=()):
    """Return the layers in `first` followed by units, given as arguments for `_unit`."""
    return stack(*first, *[_unit(*arguments) for arguments in units])


def _average():
    return [nn.AvgPool2D(pool_size=3, strides=1, padding=1)]


def _halved():
    return _branch(first=[nn.MaxPool2D(pool_size=3, strides=2)])


# The paper's figures, as tuples (channels, kernel, strides, padding). "Wide" is 1 x 7, "tall" 7 x 1.

def _wide(channels):
    return channels, (1, 7), 1, (0, 3)


def _tall(channels):
    return channels, (7, 1), 1, (3, 0)


def _a(pooled):
    """Yield the branches of Figure 5, at 35 x 35. pooled: the number of channels after pooling."""
    yield _branch((64, 1))
    yield _branch((48, 1), (64, 5, 1, 2))
    yield _branch((64, 1), (96, 3, 1, 1), (96, 3, 1, 1))
    yield _branch((pooled, 1), first=_average())


def _b():
    """Yield the branches that reduce 35 x 35 to 17 x 17."""
    yield _branch((384, 3, 2))
    yield _branch((64, 1), (96, 3, 1, 1), (96, 3, 2))
    yield _halved()


def _c(inner):
    """Yield the branches of Figure 6, at 17 x 17. inner: the number of channels between the long kernels."""
    yield _branch((192, 1))
    yield _branch((inner, 1), _wide(inner), _tall(192))
    yield _branch((inner, 1), _tall(inner), _wide(inner), _tall(inner), _wide(192))
    yield _branch((192, 1), first=_average())


def _d():
    """Yield the branches that reduce 17 x 17 to 8 x 8."""
    yield _branch((192, 1), (320, 3, 2))
    yield _branch((192, 1), _wide(192), _tall(192), (192, 3, 2))
    yield _halved()


def _e():
    """Yield the branches of Figure 7, at 8 x 8. Two of them end in parallel 1 x 3 and 3 x 1 convolutions."""
    yield _branch((320, 1))
    yield stack(_branch((384, 1)), _split())
    yield stack(_branch((448, 1), (384, 3, 1, 1)), _split())
    yield _branch((192, 1), first=_average())


def _split():
    out = HybridConcurrent(axis=1, prefix="")
    out.add(_branch((384, (1, 3), 1, (0, 1))), _branch((384, (3, 1), 1, (1, 0))))
    return out


def inception_v3(pretrained: bool = False, ctx: Context = cpu(), root: str | None = None,     # noqa: B008
                 **kwargs: Any) -> Inception3:
    """Return an Inception V3.

    kwargs: arguments of the class `Inception3`: classes, prefix, params.

    >>> len(gluon.model_zoo.vision.inception_v3().collect_params(".*weight"))        # layers
    95
    """
    return with_parameters(Inception3(**kwargs), "inceptionv3", pretrained, ctx, root)
