"""Networks for images. Their parameters have MXNet's names, so that either library can load the other's files.

    net = vision.resnet18_v1(classes=10)                            # a new one
    net = vision.get_model("resnet18_v1", pretrained=True)          # with the parameters of a file

Trained networks expect RGB images with values 0 ... 1, normalized with mean (0.485, 0.456, 0.406) and standard
deviation (0.229, 0.224, 0.225), with sides of at least 224 pixels; Inception V3 expects 299.
"""

from __future__ import annotations

from typing import Any

from ....common.docstrings import share_sentences
from ...block import Block
from ...hybrid_block import HybridBlock
from . import alexnet as _alexnet
from . import classifier, densenet, inception, mobilenet, nasnet, resnet, squeezenet, vgg
from .alexnet import *
from .classifier import choose as _choose
from .densenet import *
from .inception import *
from .mobilenet import *
from .nasnet import *
from .resnet import *
from .squeezenet import *
from .vgg import *

__all__ = ["get_model", *_alexnet.__all__, *densenet.__all__, *inception.__all__, *mobilenet.__all__, *nasnet.__all__,
           *resnet.__all__, *squeezenet.__all__, *vgg.__all__]

# The names that `get_model` accepts: the constructors' names, but with dots in numbers.
_MODELS = {
    "alexnet": _alexnet.alexnet,
    **{f"densenet{n}": getattr(densenet, f"densenet{n}") for n in densenet.densenet_spec},
    "inceptionv3": inception.inception_v3,
    **{f"mobilenet{m}": getattr(mobilenet, f"mobilenet{m}".replace(".", "_")) for m in ("1.0", "0.75", "0.5", "0.25")},
    **{f"mobilenetv2_{m}": getattr(mobilenet, f"mobilenet_v2_{m}".replace(".", "_"))
       for m in ("1.0", "0.75", "0.5", "0.25")},
    "nasnet_a_mobile": nasnet.nasnet_a_mobile,
    **{f"resnet{n}_v{v}": getattr(resnet, f"resnet{n}_v{v}") for v in (1, 2) for n in resnet.resnet_spec},
    **{f"resnet{n}_v1b": getattr(resnet, f"resnet{n}_v1b") for n in (50, 101, 152)},
    "squeezenet1.0": squeezenet.squeezenet1_0,
    "squeezenet1.1": squeezenet.squeezenet1_1,
    **{f"vgg{n}{bn}": getattr(vgg, f"vgg{n}{bn}") for bn in ("", "_bn") for n in vgg.vgg_spec},
}


def get_model(name: str, **kwargs: Any) -> HybridBlock:
    """Return a network by name.

    name: 'resnet18_v1', 'mobilenet0.5', ...
    pretrained: load the parameters published by MXNet's authors.
    ctx: the device or devices for the parameters.
    root: the folder that contains the files; for None, see `model_store`.
    classes: number of scores, by default 1000.
    kwargs: pretrained, ctx, root, classes, and other arguments of the network's class, such as prefix and params.

    Raises ArgumentError for an unknown name.

    >>> net = gluon.model_zoo.vision.get_model("mobilenet0.25", classes=10)
    >>> net.initialize()
    >>> net(nd.ones((1, 3, 32, 32))).shape
    (1, 10)
    """
    return _choose("get_model: the model", name.lower(), _MODELS)(**kwargs)


share_sentences(Block, *(globals()[_name] for _name in __all__ if isinstance(globals()[_name], type)))
share_sentences(get_model, *(globals()[_name] for _name in __all__ if not isinstance(globals()[_name], type)))
