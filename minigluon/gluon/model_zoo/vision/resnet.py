"""Residual networks, versions 1 and 2.

V1: He et al., Deep residual learning for image recognition, 2015. The sum with the shortcut is followed by a relu.
V2: He et al., Identity mappings in deep residual networks, 2016. Normalization and relu precede each convolution, so
shortcuts connect each sum directly to the next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....base import ArgumentError
from ....common.docstrings import share_sentences
from ....common.types import Shape
from ....context import cpu
from ... import nn
from ...hybrid_block import HybridBlock
from .classifier import Classifier, choose, published, stack, with_parameters

if TYPE_CHECKING:
    from ...block import Block

__all__ = ["BasicBlockV1", "BasicBlockV2", "BottleneckV1", "BottleneckV1b", "BottleneckV2", "ResNetV1", "ResNetV2",
           "get_resnet", "resnet101_v1", "resnet101_v1b", "resnet101_v2", "resnet152_v1", "resnet152_v1b",
           "resnet152_v2", "resnet18_v1", "resnet18_v2", "resnet34_v1", "resnet34_v2", "resnet50_v1", "resnet50_v1b",
           "resnet50_v2"]


def _conv3x3(channels, stride=1, in_channels=0):
    return nn.Conv2D(channels, kernel_size=3, strides=stride, padding=1, use_bias=False, in_channels=in_channels)


def _conv1x1(channels, stride=1, in_channels=0):
    return nn.Conv2D(channels, kernel_size=1, strides=stride, use_bias=False, in_channels=in_channels)


# -- version 1 ------------------------------------------------------------------------------------------------------

class BasicBlockV1(HybridBlock):
    """Residual block relu(x + two 3 x 3 convolutions of x).

    x (N, in_channels, H, W) | out (N, channels, H / stride, W / stride)

    channels: the number of output channels.
    stride: the stride of the first convolution.
    downsample: if True, make the shortcut a 1 x 1 convolution, which is required if the shapes of x and out differ.
    in_channels: the number of channels in x, or 0.

    Source: He et al. 2016, Deep Residual Learning for Image Recognition.

    >>> block = gluon.model_zoo.vision.BasicBlockV1(4, stride=2, downsample=True)
    >>> block.initialize()
    >>> block(nd.ones((1, 2, 8, 8))).shape
    (1, 4, 4, 4)
    """

    def __init__(self, channels: Any, stride: Shape, downsample: bool = False, in_channels: int = 0,
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.body = stack(_conv3x3(channels, stride, in_channels), nn.BatchNorm(), nn.Activation("relu"),
                          _conv3x3(channels, in_channels=channels), nn.BatchNorm())
        self.downsample = _shortcut(channels, stride, in_channels) if downsample else None

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return relu(shortcut + body(x))."""
        out = self.body(x)
        shortcut = self.downsample(x) if self.downsample else x
        return F.Activation(shortcut + out, act_type="relu")


class BottleneckV1(HybridBlock):
    """Residual block relu(x + three convolutions of x: 1 x 1 to a quarter of the channels, 3 x 3, 1 x 1 back).

    As in MXNet, the 1 x 1 convolutions have biases, and the first one applies the stride.

    >>> block = gluon.model_zoo.vision.BottleneckV1(8, stride=2, downsample=True)
    >>> block.initialize()
    >>> block(nd.ones((1, 2, 8, 8))).shape
    (1, 8, 4, 4)
    """

    def __init__(self, channels: Any, stride: Shape, downsample: bool = False, in_channels: int = 0,
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        inner = channels // 4
        self.body = stack(nn.Conv2D(inner, kernel_size=1, strides=stride), nn.BatchNorm(), nn.Activation("relu"),
                          _conv3x3(inner, in_channels=inner), nn.BatchNorm(), nn.Activation("relu"),
                          nn.Conv2D(channels, kernel_size=1), nn.BatchNorm())
        self.downsample = _shortcut(channels, stride, in_channels) if downsample else None

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return relu(body(x) + shortcut)."""
        out = self.body(x)
        shortcut = self.downsample(x) if self.downsample else x
        return F.Activation(out + shortcut, act_type="relu")


class BottleneckV1b(HybridBlock):
    """Residual block relu(x + three convolutions of x), with the stride in the 3 x 3 convolution.

    This is the block of torchvision's and timm's ResNet-50 to 152, and of GluonCV's. MXNet's zoo does not have it. None
    of the convolutions has biases.

    >>> block = gluon.model_zoo.vision.BottleneckV1b(8, stride=2, downsample=True)
    >>> block.initialize()
    >>> block(nd.ones((1, 2, 8, 8))).shape
    (1, 8, 4, 4)
    """

    def __init__(self, channels: Any, stride: Shape, downsample: bool = False, in_channels: int = 0,
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        inner = channels // 4
        self.body = stack(_conv1x1(inner, in_channels=in_channels), nn.BatchNorm(), nn.Activation("relu"),
                          _conv3x3(inner, stride, inner), nn.BatchNorm(), nn.Activation("relu"),
                          _conv1x1(channels, in_channels=inner), nn.BatchNorm())
        self.downsample = _shortcut(channels, stride, in_channels) if downsample else None

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return relu(body(x) + shortcut)."""
        out = self.body(x)
        shortcut = self.downsample(x) if self.downsample else x
        return F.Activation(out + shortcut, act_type="relu")


def _shortcut(channels, stride, in_channels):
    return stack(_conv1x1(channels, stride, in_channels), nn.BatchNorm())


# -- version 2 ------------------------------------------------------------------------------------------------------

class BasicBlockV2(HybridBlock):
    """Residual block x + two convolutions of x, each after a normalization and relu.

    Source: He et al. 2016, Identity Mappings in Deep Residual Networks.

    >>> block = gluon.model_zoo.vision.BasicBlockV2(4, stride=1)
    >>> block.initialize()
    >>> block(nd.ones((1, 4, 8, 8))).shape
    (1, 4, 8, 8)
    """

    def __init__(self, channels: Any, stride: Shape, downsample: bool = False, in_channels: int = 0,
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.bn1 = nn.BatchNorm()
        self.conv1 = _conv3x3(channels, stride, in_channels)
        self.bn2 = nn.BatchNorm()
        self.conv2 = _conv3x3(channels, in_channels=channels)
        self.downsample = _conv1x1(channels, stride, in_channels) if downsample else None

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return residual plus shortcut; a convolutional shortcut starts after the first relu."""
        active = F.Activation(self.bn1(x), act_type="relu")
        shortcut = self.downsample(active) if self.downsample else x
        out = self.conv1(active)
        out = self.conv2(F.Activation(self.bn2(out), act_type="relu"))
        return out + shortcut


class BottleneckV2(HybridBlock):
    """Residual block x + three convolutions of x, each after a normalization and relu.

    stride: the stride of the 3 x 3 convolution.

    >>> block = gluon.model_zoo.vision.BottleneckV2(8, stride=1)
    >>> block.initialize()
    >>> block(nd.ones((1, 8, 8, 8))).shape
    (1, 8, 8, 8)
    """

    def __init__(self, channels: Any, stride: Shape, downsample: bool = False, in_channels: int = 0,
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        inner = channels // 4
        self.bn1 = nn.BatchNorm()
        self.conv1 = _conv1x1(inner)
        self.bn2 = nn.BatchNorm()
        self.conv2 = _conv3x3(inner, stride, inner)
        self.bn3 = nn.BatchNorm()
        self.conv3 = _conv1x1(channels)
        self.downsample = _conv1x1(channels, stride, in_channels) if downsample else None

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return residual plus shortcut; a convolutional shortcut starts after the first relu."""
        active = F.Activation(self.bn1(x), act_type="relu")
        shortcut = self.downsample(active) if self.downsample else x
        out = self.conv1(active)
        out = self.conv2(F.Activation(self.bn2(out), act_type="relu"))
        out = self.conv3(F.Activation(self.bn3(out), act_type="relu"))
        return out + shortcut


share_sentences(BasicBlockV1, BottleneckV1, BottleneckV1b, BasicBlockV2, BottleneckV2)

# -- networks -------------------------------------------------------------------------------------------------------

class ResNetV1(Classifier):
    """Stages of residual blocks, each of which adds its result to its input.

    x (N, 3, H, W), designed for 224 x 224 | out: scores (N, classes)

    block: the class of the residual blocks.
    layers: the number of blocks in each stage; each stage except the first halves height and width.
    channels: the number of channels before the first stage and in each stage.
    classes: number of scores.
    thumbnail: if True, the net is for small images and begins with a 3 x 3 convolution of stride 1.

    Raises ArgumentError unless channels has one more element than layers.

    Source: He et al. 2016, Deep Residual Learning for Image Recognition.

    >>> from minigluon.gluon.model_zoo import vision
    >>> net = vision.ResNetV1(vision.BasicBlockV1, [1, 1], [4, 4, 8], classes=10, thumbnail=True)
    >>> net.initialize()
    >>> net(nd.ones((1, 3, 8, 8))).shape
    (1, 10)
    """

    def __init__(self, block: Block, layers: Any, channels: Any, classes: int = 1000, thumbnail: bool = False,
                 **kwargs: Any) -> None:
        _check_stages("ResNetV1", layers, channels)
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = stack(*_first_layers(channels[0], thumbnail), *_stages(block, layers, channels),
                                  nn.GlobalAvgPool2D())
            self.output = nn.Dense(classes, in_units=channels[-1])


class ResNetV2(Classifier):
    """Stages of residual blocks that normalize first, after a normalization of the image's channels.

    Source: He et al. 2016, Identity Mappings in Deep Residual Networks.

    >>> from minigluon.gluon.model_zoo import vision
    >>> net = vision.ResNetV2(vision.BasicBlockV2, [1, 1], [4, 4, 8], classes=10, thumbnail=True)
    >>> net.initialize()
    >>> net(nd.ones((1, 3, 8, 8))).shape
    (1, 10)
    """

    def __init__(self, block: Block, layers: Any, channels: Any, classes: int = 1000, thumbnail: bool = False,
                 **kwargs: Any) -> None:
        _check_stages("ResNetV2", layers, channels)
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = stack(nn.BatchNorm(scale=False, center=False), *_first_layers(channels[0], thumbnail),
                                  *_stages(block, layers, channels), nn.BatchNorm(), nn.Activation("relu"),
                                  nn.GlobalAvgPool2D(), nn.Flatten())
            self.output = nn.Dense(classes, in_units=channels[-1])


share_sentences(ResNetV1, ResNetV2)


def _check_stages(name, layers, channels):
    if len(layers) != len(channels) - 1:
        raise ArgumentError(f"{name}: layers has {len(layers)} stages and channels {len(channels)} numbers, expected "
                            "one number more than stages.")


def _first_layers(channels, thumbnail):
    if thumbnail:
        return [_conv3x3(channels)]
    return [nn.Conv2D(channels, kernel_size=7, strides=2, padding=3, use_bias=False), nn.BatchNorm(),
            nn.Activation("relu"), nn.MaxPool2D(pool_size=3, strides=2, padding=1)]


def _stages(block, layers, channels):
    for i, count in enumerate(layers):
        yield _stage(block, count, channels[i], channels[i + 1], stride=1 if i == 0 else 2, number=i + 1)


def _stage(block, count, in_channels, channels, stride, number):
    stage = nn.HybridSequential(prefix=f"stage{number}_")
    with stage.name_scope():
        stage.add(block(channels, stride, channels != in_channels, in_channels=in_channels, prefix=""))
        for _ in range(count - 1):
            stage.add(block(channels, 1, False, in_channels=channels, prefix=""))
    return stage


# Number of layers with parameters on the main path -> (blocks of each stage, channels).
resnet_spec = {18: ("basic_block", [2, 2, 2, 2], [64, 64, 128, 256, 512]),
               34: ("basic_block", [3, 4, 6, 3], [64, 64, 128, 256, 512]),
               50: ("bottle_neck", [3, 4, 6, 3], [64, 256, 512, 1024, 2048]),
               101: ("bottle_neck", [3, 4, 23, 3], [64, 256, 512, 1024, 2048]),
               152: ("bottle_neck", [3, 8, 36, 3], [64, 256, 512, 1024, 2048])}

resnet_net_versions: list[Any] = [ResNetV1, ResNetV2]
resnet_block_versions: list[dict[str, Any]] = [{"basic_block": BasicBlockV1, "bottle_neck": BottleneckV1},
                                               {"basic_block": BasicBlockV2, "bottle_neck": BottleneckV2}]


def get_resnet(version, num_layers, pretrained=False, ctx=cpu(), root=None, **kwargs):      # noqa: B008
    """Return a residual network of a published size.

    version: 1 or 2.
    num_layers: 18, 34, 50, 101 or 152.
    kwargs: arguments of the class `ResNetV1` or `ResNetV2`: classes, thumbnail, prefix, params.

    >>> gluon.model_zoo.vision.get_resnet(version=1, num_layers=18, classes=10).output.weight.shape
    (10, 512)
    """
    kind, layers, channels = choose("ResNet: num_layers", num_layers, resnet_spec)
    net_class, blocks = choose("ResNet: version", version, dict(zip([1, 2], zip(resnet_net_versions,
                                                                               resnet_block_versions))))
    net = net_class(blocks[kind], layers, channels, **kwargs)
    return with_parameters(net, f"resnet{num_layers}_v{version}", pretrained, ctx, root)


def _of_size(version: int, num_layers: int, weights: int) -> Callable[..., HybridBlock]:
    """Return a constructor. weights: the number of layers with weights, including shortcuts, which num_layers does not
    count.
    """
    name = f"resnet{num_layers}_v{version}"
    return published(name, get_resnet, version, num_layers, doc=f"""\
Return a ResNet V{version} of {num_layers} layers. Arguments: see `get_model`.

    >>> len(gluon.model_zoo.vision.{name}().collect_params(".*weight"))    # layers, also those of shortcuts
    {weights}
    """)


resnet18_v1: Callable[..., HybridBlock] = _of_size(1, 18, weights=21)
resnet34_v1: Callable[..., HybridBlock] = _of_size(1, 34, weights=37)
resnet50_v1: Callable[..., HybridBlock] = _of_size(1, 50, weights=54)
resnet101_v1: Callable[..., HybridBlock] = _of_size(1, 101, weights=105)
resnet152_v1: Callable[..., HybridBlock] = _of_size(1, 152, weights=156)
resnet18_v2: Callable[..., HybridBlock] = _of_size(2, 18, weights=21)
resnet34_v2: Callable[..., HybridBlock] = _of_size(2, 34, weights=37)
resnet50_v2: Callable[..., HybridBlock] = _of_size(2, 50, weights=54)
resnet101_v2: Callable[..., HybridBlock] = _of_size(2, 101, weights=105)
resnet152_v2: Callable[..., HybridBlock] = _of_size(2, 152, weights=156)


def _get_resnet_v1b(num_layers: int, pretrained: bool = False, ctx: Any = cpu(), root: str | None = None,     # noqa: B008
                    **kwargs: Any) -> ResNetV1:
    net = ResNetV1(BottleneckV1b, *resnet_spec[num_layers][1:], **kwargs)
    return with_parameters(net, f"resnet{num_layers}_v1b", pretrained, ctx, root)


def _v1b_of_size(num_layers: int, weights: int) -> Callable[..., HybridBlock]:
    name = f"resnet{num_layers}_v1b"
    return published(name, _get_resnet_v1b, num_layers, doc=f"""\
Return the ResNet-{num_layers} of torchvision and timm, see `BottleneckV1b`. Arguments: see `get_model`.

    >>> len(gluon.model_zoo.vision.{name}().collect_params(".*weight"))    # layers, also those of shortcuts
    {weights}
    """)


resnet50_v1b: Callable[..., HybridBlock] = _v1b_of_size(50, weights=54)
resnet101_v1b: Callable[..., HybridBlock] = _v1b_of_size(101, weights=105)
resnet152_v1b: Callable[..., HybridBlock] = _v1b_of_size(152, weights=156)
