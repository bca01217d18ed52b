"""Image transforms, as blocks for `dataset.transform_first`.

An image is (H, W, C), a batch is (N, H, W, C), both uint8 with values 0 ... 255 as read from a file. ToTensor converts
an image to a tensor (C, H, W) with values 0 ... 1. Most transforms are HybridBlocks that use the operators in
`nd.image`; all of them also accept a numpy.ndarray. Random choices follow `mx.random.seed`; those that MXNet draws from
Python's `random` or from `np.random` (RandomResizedCrop, RandomCrop, RandomApply, RandomRotation) use these until
`mx.random.seed` has been called.
"""

from .....common.docstrings import share_sentences
from .....diagnostics.argument_kinds import check_class
from ....block import Block
from .color import (
    RandomBrightness,
    RandomColorJitter,
    RandomContrast,
    RandomGray,
    RandomHue,
    RandomLighting,
    RandomSaturation,
)
from .compose import Cast, Compose, HybridCompose, HybridRandomApply, RandomApply
from .image import (
    CenterCrop,
    CropResize,
    Normalize,
    RandomCrop,
    RandomFlipLeftRight,
    RandomFlipTopBottom,
    RandomResizedCrop,
    RandomRotation,
    Resize,
    Rotate,
    ToTensor,
)

__all__ = ["Cast", "CenterCrop", "Compose", "CropResize", "HybridCompose", "HybridRandomApply", "Normalize",
           "RandomApply", "RandomBrightness", "RandomColorJitter", "RandomContrast", "RandomCrop",
           "RandomFlipLeftRight", "RandomFlipTopBottom", "RandomGray", "RandomHue", "RandomLighting",
           "RandomResizedCrop", "RandomRotation", "RandomSaturation", "Resize", "Rotate", "ToTensor"]

for _name in __all__:
    check_class(globals()[_name])

share_sentences(Block, *(globals()[_name] for _name in __all__))
