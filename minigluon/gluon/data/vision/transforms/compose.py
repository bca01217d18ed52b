"""Compositions of transforms, and Cast."""

from __future__ import annotations

from typing import Any

from .....base import ArgumentError
from .....common import generators as rng
from .....common.dtypes import as_dtype
from .....common.types import DType
from .....diagnostics.argument_kinds import worded
from ....block import Block
from ....hybrid_block import HybridBlock
from ....nn import HybridSequential, Lambda, Sequential
from .base import HybridTransform, as_array

__all__ = ["Cast", "Compose", "HybridCompose", "HybridRandomApply", "RandomApply"]


class Compose(Sequential):
    """Applies transforms in sequence. transforms: blocks or other functions that take one array.

    MXNet hybridizes consecutive HybridBlocks. Here, call `hybridize()` if needed: for images of many sizes, compiling
    for each size costs more than it saves.

    >>> from minigluon.gluon.data.vision import transforms
    >>> transform = transforms.Compose([transforms.Resize(4), transforms.ToTensor()])
    >>> transform(nd.full((8, 6, 3), 255, dtype="uint8")).shape
    (3, 4, 4)
    """

    is_sequence = True

    @worded
    def __init__(self, transforms: Any) -> None:
        super().__init__()
        self.add(*[t if isinstance(t, Block) else Lambda(t) for t in transforms])

    def forward(self, x: Any) -> Any:
        return super().forward(as_array(x))


class HybridCompose(HybridSequential):
    """Applies HybridBlocks in sequence, hybridized."""

    is_sequence = True

    @worded
    def __init__(self, transforms: Any) -> None:
        super().__init__()
        for transform in transforms:
            if not isinstance(transform, HybridBlock):
                raise ArgumentError(f"HybridCompose takes HybridBlocks, found {type(transform).__name__}; use Compose")
        self.add(*transforms)
        self.hybridize()

    def __call__(self, x: Any) -> Any:
        return super().__call__(as_array(x))


class RandomApply(Sequential):
    """Applies transforms with probability p. transforms: a block or a list of blocks.

    >>> from minigluon.gluon.data.vision import transforms
    >>> transforms.RandomApply(transforms.Cast("float64"), p=1)(nd.ones((2,))).dtype
    <class 'numpy.float64'>
    """

    def __init__(self, transforms: Any, p: float = 0.5) -> None:
        super().__init__()
        if not callable(transforms) and not isinstance(transforms, (list, tuple)):
            raise ArgumentError(f"RandomApply: transforms is {transforms!r}, expected a block or a list of blocks")
        self.transforms: Compose = Compose(transforms) if isinstance(transforms, (list, tuple)) else transforms
        self.p = p

    def forward(self, x: Any) -> Any:
        return as_array(x) if self.p < rng.python_compatible_rng().random() else self.transforms(x)


class HybridRandomApply(HybridSequential):
    """Applies a HybridBlock with probability p. The block must preserve shape and dtype."""

    def __init__(self, transforms: Any, p: float = 0.5) -> None:
        super().__init__()
        if not isinstance(transforms, HybridBlock):
            raise ArgumentError(f"HybridRandomApply takes a HybridBlock, found {type(transforms).__name__}; use "
                                "RandomApply")
        self.transforms = transforms
        self.p = p

    def __call__(self, x: Any) -> Any:
        return super().__call__(as_array(x))

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.contrib.cond(F.random.uniform() < self.p, lambda: self.transforms(x), lambda: x)


class Cast(HybridTransform):
    """Casts to a different dtype.

    >>> gluon.data.vision.transforms.Cast("float64")(nd.ones((2,))).dtype
    <class 'numpy.float64'>
    """

    rank_of_batches = 0

    def __init__(self, dtype: DType = "float32") -> None:
        super().__init__()
        self._dtype = as_dtype(dtype).name

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.cast(x, dtype=self._dtype)
