"""Pooling layers and reflection padding. Sizes along the axes are in the order of the layout, such as 'NCHW'."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import ArgumentError, integer_types
from ...common.docstrings import share_docstring
from ...common.types import Shape
from ..hybrid_block import HybridBlock
from .sizes import check_layout, per_axis

__all__ = ["AvgPool1D", "AvgPool2D", "AvgPool3D", "GlobalAvgPool1D", "GlobalAvgPool2D", "GlobalAvgPool3D",
           "GlobalMaxPool1D", "GlobalMaxPool2D", "GlobalMaxPool3D", "MaxPool1D", "MaxPool2D", "MaxPool3D",
           "ReflectionPad2D"]

_LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


class _Pooling(HybridBlock):
    """Base class of pooling layers, which return the largest element or the mean of each window.

    pool_size: size of the window, an integer or one per axis.
    strides: the steps of the window; None uses its size.
    padding: how far windows may extend beyond the edges.
    layout: the order of x's axes.
    ceil_mode: if True, round the output size up, which keeps the last, incomplete window.
    """

    rank: int | None = None
    pool_type: str | None = None
    global_pool: bool = False

    def __init__(self, pool_size: Shape, strides: Shape, padding: Shape, layout: str, ceil_mode: bool = False,
                 count_include_pad: Any = None, **kwargs: Any) -> None:
        check_layout(self, layout, *_LAYOUTS[self.rank])
        super().__init__(**kwargs)
        pool_size = per_axis(self, "pool_size", pool_size, self.rank)
        self._kwargs = {
            "kernel": pool_size,
            "stride": pool_size if strides is None else per_axis(self, "strides", strides, self.rank),
            "pad": per_axis(self, "padding", padding, self.rank),
            "global_pool": self.global_pool, "pool_type": self.pool_type, "layout": layout,
            "pooling_convention": "full" if ceil_mode else "valid"}
        if count_include_pad is not None:
            self._kwargs["count_include_pad"] = count_include_pad

    def _alias(self):
        return "pool"

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return one element for each window of x."""
        return F.Pooling(x, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        k = self._kwargs
        return (f"{type(self).__name__}(size={k['kernel']}, stride={k['stride']}, padding={k['pad']}, "
                f"ceil_mode={k['pooling_convention'] == 'full'}, global_pool={k['global_pool']}, "
                f"pool_type={k['pool_type']}, layout={k['layout']})")


class MaxPool1D(_Pooling):
    """The largest element of each window of a signal, (N, C, W).

    x (N, C, W) | out (N, C, W'), W' = ⌊(W + 2 padding - pool_size) / stride⌋ + 1

    >>> nn.MaxPool1D(2)(nd.array([[[1, 5, 2, 3]]])).asnumpy().tolist()
    [[[5.0, 3.0]]]
    """

    rank, pool_type = 1, "max"

    def __init__(self, pool_size: Shape = 2, strides: Shape | None = None, padding: Shape = 0, layout: str = "NCW",
                 ceil_mode: bool = False, **kwargs: Any) -> None:
        super().__init__(pool_size, strides, padding, layout, ceil_mode, **kwargs)


class MaxPool2D(_Pooling):
    """The largest element of each window of an image, (N, C, H, W).

    x (N, C, H, W) | out (N, C, H', W'), H' = ⌊(H + 2 padding - pool_size) / stride⌋ + 1, W' likewise

    >>> x = nd.arange(16).reshape((1, 1, 4, 4))
    >>> nn.MaxPool2D()(x).asnumpy().tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    """

    rank, pool_type = 2, "max"

    def __init__(self, pool_size: Shape = (2, 2), strides: Shape | None = None, padding: Shape = 0,
                 layout: str = "NCHW", ceil_mode: bool = False, **kwargs: Any) -> None:
        super().__init__(pool_size, strides, padding, layout, ceil_mode, **kwargs)


class MaxPool3D(_Pooling):
    """The largest element of each window of a volume, (N, C, D, H, W).

    x (N, C, D, H, W) | out (N, C, D', H', W'), D' = ⌊(D + 2 padding - pool_size) / stride⌋ + 1, and so on

    >>> nn.MaxPool3D(pool_size=(1, 2, 2))(nd.ones((1, 3, 4, 8, 8))).shape
    (1, 3, 4, 4, 4)
    """

    rank, pool_type = 3, "max"

    def __init__(self, pool_size: Shape = (2, 2, 2), strides: Shape | None = None, padding: Shape = 0,
                 ceil_mode: bool = False, layout: str = "NCDHW", **kwargs: Any) -> None:
        super().__init__(pool_size, strides, padding, layout, ceil_mode, **kwargs)


class AvgPool1D(_Pooling):
    """The mean of each window of a signal, (N, C, W).

    x (N, C, W) | out (N, C, W'), W' = ⌊(W + 2 padding - pool_size) / stride⌋ + 1

    count_include_pad: whether padding counts toward the mean.

    >>> nn.AvgPool1D(2)(nd.array([[[1, 5, 2, 4]]])).asnumpy().tolist()
    [[[3.0, 3.0]]]
    """

    rank, pool_type = 1, "avg"

    def __init__(self, pool_size: Shape = 2, strides: Shape | None = None, padding: Shape = 0, layout: str = "NCW",
                 ceil_mode: bool = False, count_include_pad: bool = True, **kwargs: Any) -> None:
        super().__init__(pool_size, strides, padding, layout, ceil_mode, count_include_pad, **kwargs)


class AvgPool2D(_Pooling):
    """The mean of each window of an image, (N, C, H, W).

    x (N, C, H, W) | out (N, C, H', W'), H' = ⌊(H + 2 padding - pool_size) / stride⌋ + 1, W' likewise

    count_include_pad: whether padding counts toward the mean.

    >>> x = nd.arange(16).reshape((1, 1, 4, 4))
    >>> nn.AvgPool2D()(x).asnumpy().tolist()
    [[[[2.5, 4.5], [10.5, 12.5]]]]
    """

    rank, pool_type = 2, "avg"

    def __init__(self, pool_size: Shape = (2, 2), strides: Shape | None = None, padding: Shape = 0,
                 ceil_mode: bool = False, layout: str = "NCHW", count_include_pad: bool = True, **kwargs: Any) -> None:
        super().__init__(pool_size, strides, padding, layout, ceil_mode, count_include_pad, **kwargs)


class AvgPool3D(_Pooling):
    """The mean of each window of a volume, (N, C, D, H, W).

    x (N, C, D, H, W) | out (N, C, D', H', W'), D' = ⌊(D + 2 padding - pool_size) / stride⌋ + 1, and so on

    count_include_pad: whether padding counts toward the mean.

    >>> nn.AvgPool3D(strides=1)(nd.ones((1, 3, 4, 8, 8))).shape
    (1, 3, 3, 7, 7)
    """

    rank, pool_type = 3, "avg"

    def __init__(self, pool_size: Shape = (2, 2, 2), strides: Shape | None = None, padding: Shape = 0,
                 ceil_mode: bool = False, layout: str = "NCDHW", count_include_pad: bool = True, **kwargs: Any) -> None:
        super().__init__(pool_size, strides, padding, layout, ceil_mode, count_include_pad, **kwargs)


class _GlobalPooling(_Pooling):
    """Base class of global pooling layers, whose only window spans all spatial axes.

    layout: the order of x's axes.
    """

    global_pool: bool = True

    def __init__(self, layout: str, **kwargs: Any) -> None:
        super().__init__(1, None, 0, layout, True, **kwargs)


class GlobalMaxPool1D(_GlobalPooling):
    """The largest element of each channel: (N, C, W) to (N, C, 1).

    >>> nn.GlobalMaxPool1D()(nd.array([[[1, 5, 2, 4]]])).asnumpy().tolist()
    [[[5.0]]]
    """

    rank, pool_type = 1, "max"

    def __init__(self, layout: str = "NCW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)


class GlobalMaxPool2D(_GlobalPooling):
    """The largest element of each channel: (N, C, H, W) to (N, C, 1, 1).

    >>> nn.GlobalMaxPool2D()(nd.arange(16).reshape((1, 1, 4, 4))).item()
    15.0
    """

    rank, pool_type = 2, "max"

    def __init__(self, layout: str = "NCHW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)


class GlobalMaxPool3D(_GlobalPooling):
    """The largest element of each channel: (N, C, D, H, W) to (N, C, 1, 1, 1).

    >>> nn.GlobalMaxPool3D()(nd.ones((1, 3, 4, 8, 8))).shape
    (1, 3, 1, 1, 1)
    """

    rank, pool_type = 3, "max"

    def __init__(self, layout: str = "NCDHW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)


class GlobalAvgPool1D(_GlobalPooling):
    """The mean of each channel: (N, C, W) to (N, C, 1).

    >>> nn.GlobalAvgPool1D()(nd.array([[[1, 5, 2, 4]]])).asnumpy().tolist()
    [[[3.0]]]
    """

    rank, pool_type = 1, "avg"

    def __init__(self, layout: str = "NCW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)


class GlobalAvgPool2D(_GlobalPooling):
    """The mean of each channel: (N, C, H, W) to (N, C, 1, 1).

    >>> nn.GlobalAvgPool2D()(nd.arange(16).reshape((1, 1, 4, 4))).item()
    7.5
    """

    rank, pool_type = 2, "avg"

    def __init__(self, layout: str = "NCHW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)


class GlobalAvgPool3D(_GlobalPooling):
    """The mean of each channel: (N, C, D, H, W) to (N, C, 1, 1, 1).

    >>> nn.GlobalAvgPool3D()(nd.ones((1, 3, 4, 8, 8))).shape
    (1, 3, 1, 1, 1)
    """

    rank, pool_type = 3, "avg"

    def __init__(self, layout: str = "NCDHW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)


class ReflectionPad2D(HybridBlock):
    """Extends an image (N, C, H, W) beyond its edges by reflection.

    padding: an integer for all four edges, or the eight values of `F.pad`: before and after each axis.

    Raises ArgumentError for any other number of values.

    >>> nn.ReflectionPad2D(1)(nd.array([[[[1, 2], [3, 4]]]])).asnumpy().tolist()[0][0]
    [[4.0, 3.0, 4.0, 3.0], [2.0, 1.0, 2.0, 1.0], [4.0, 3.0, 4.0, 3.0], [2.0, 1.0, 2.0, 1.0]]
    """

    def __init__(self, padding: Shape = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        is_one = isinstance(padding, integer_types)
        self._padding = (0,) * 4 + (padding,) * 4 if is_one else tuple(padding) if np.ndim(padding) == 1 else ()
        if len(self._padding) != 8:
            raise ArgumentError(f"ReflectionPad2D: padding is {padding!r}, expected an integer or 8 of them")

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return x with its edges mirrored."""
        return F.pad(x, mode="reflect", pad_width=self._padding)


share_docstring(_Pooling, MaxPool1D, MaxPool2D, MaxPool3D, AvgPool1D, AvgPool2D, AvgPool3D)
share_docstring(_GlobalPooling, GlobalMaxPool1D, GlobalMaxPool2D, GlobalMaxPool3D, GlobalAvgPool1D, GlobalAvgPool2D,
                GlobalAvgPool3D)
