"""The order of modules in networks of torchvision and timm, for `.safetensors` files, which do not keep it.

Sorted by name, bn1 comes before conv1, and layer 10 before layer 2. Networks are matched by structure,
which needs the order in which modules were created.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

__all__ = ["in_module_order"]

# The beginnings of names of children, in the order of any module that has several of them.
_CHILDREN = {
    "alexnet": "features classifier",
    "densenet": "features conv0 norm0 norm1 conv1 norm2 conv2 denseblock1 transition1 denseblock2 transition2 "
                "denseblock3 transition3 denseblock4 norm5 norm conv classifier",
    "inceptionv3": "Conv2d_ Mixed_ conv bn branch1x1 branch5x5 branch3x3 branch3x3dbl_ branch7x7 branch7x7dbl_ "
                   "branch7x7x3_ branch_pool fc",
    "mobilenetv2": "conv_stem conv_pw bn1 blocks conv_dw conv_head bn2 conv_pwl bn3 features classifier",
    "resnet": "conv1 bn1 conv2 bn2 conv3 bn3 downsample layer fc",
    "squeezenet": "features squeeze expand1x1 expand3x3 classifier",
    "vgg": "features pre_logits fc1 fc2 classifier head",
}
_ARRAYS = ["weight", "bias", "running_mean", "running_var"]


def in_module_order(net: str, state: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays in the order of the modules if they are sorted by name; otherwise their order is kept.

    net: the name of the network, such as 'resnet18_v1'.
    """
    names = list(state)
    if names != sorted(names):
        return dict(state)
    family = next(family for family in _CHILDREN if net.startswith(family))
    children = _CHILDREN[family].split()
    return {name: state[name] for name in sorted(names, key=lambda name: [
        _rank(part, children) for part in _usual_block(name).split(".")])}


def _rank(part, children):
    """Return a key that sorts the parts of names: numbers by value, children by the table, arrays of a layer."""
    if part in _ARRAYS:
        return 0, _ARRAYS.index(part), []
    fitting = [child for child in children if part.startswith(child)]
    child = max(fitting, key=len, default="")
    place = children.index(child) if fitting else len(children)
    rest = [(int(word), "") if word.isdigit() else (-1, word) for word in re.findall(r"\d+|\D+", part[len(child):])]
    return 1, 0 if part.isdigit() else place, rest


def _usual_block(name):
    """Return the name as if timm's first block of MobileNet V2 had an expansion like the others."""
    for theirs, usual in (("bn2", "bn3"), ("conv_pw", "conv_pwl"), ("bn1", "bn2")):
        name = re.sub(rf"^blocks\.0\.0\.{theirs}\.", f"blocks.0.0.{usual}.", name)
    return name
