"""Recurrent cells whose matrix products are convolutions, so that states are images.

Shi et al., "Convolutional LSTM Network: A Machine Learning Approach for Precipitation Nowcasting", 2015.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....base import ArgumentError, integer_types
from ....common.docstrings import share_docstring, share_sentences
from ....common.types import Shape
from ....diagnostics.argument_kinds import worded
from ...block import Block
from ...rnn.recurrent import HybridRecurrentCell
from ...rnn.rnn_cell import GRUCell, LSTMCell, RNNCell

if TYPE_CHECKING:
    from ....initializer import Initializer

__all__ = ["Conv1DGRUCell", "Conv1DLSTMCell", "Conv1DRNNCell", "Conv2DGRUCell", "Conv2DLSTMCell", "Conv2DRNNCell",
           "Conv3DGRUCell", "Conv3DLSTMCell", "Conv3DRNNCell"]


class _ConvCell:
    """Mixin that replaces a cell's parameters and matrix products.

    input_shape: the shape of one item, such as (3, 32, 32), in the order of conv_layout.
    hidden_channels: the number of channels in the states.
    i2h_kernel, h2h_kernel: kernel sizes, one number or one per axis. h2h_kernel must be odd so that states keep their
        size.
    i2h_pad, i2h_dilate, h2h_dilate: padding of the input, and dilation of the kernels.
    i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer: the initializers of W,
    R, b and d.
    conv_layout: 'NCW', 'NCHW', 'NCDHW', or one of these with C at the end.
    activation: a name, or a block.

    Source: Shi et al. 2015, Convolutional LSTM Network.
    """

    _rank = None

    @worded
    def __init__(self, input_shape: Shape, hidden_channels: Any, i2h_kernel: Shape, h2h_kernel: Shape,
                 i2h_pad: Shape = 0, i2h_dilate: Shape = 1, h2h_dilate: Shape = 1,
                 i2h_weight_initializer: str | Initializer | None = None,
                 h2h_weight_initializer: str | Initializer | None = None,
                 i2h_bias_initializer: str | Initializer = "zeros", h2h_bias_initializer: str | Initializer = "zeros",
                 conv_layout: Any = None, activation: str = "tanh", prefix: str | None = None,
                 params: Any = None) -> None:
        HybridRecurrentCell.__init__(self, prefix=prefix, params=params)
        self._activation, self._recurrent_activation = activation, "sigmoid"
        self._layout = conv_layout or "NC" + "DHW"[3 - self._rank:]
        self._slice_axis = self._layout.find("C")
        self._slicing = {"axis": self._slice_axis}
        self._i2h_kernel, self._h2h_kernel = self._numbers(i2h_kernel), self._numbers(h2h_kernel)
        self._i2h_pad, self._i2h_dilate = self._numbers(i2h_pad), self._numbers(i2h_dilate)
        self._h2h_dilate = self._numbers(h2h_dilate)
        if any(k % 2 == 0 for k in self._h2h_kernel):
            raise ArgumentError(f"{type(self).__name__}: h2h_kernel is {h2h_kernel}, expected odd numbers: others "
                                "would change the size of the states")
        self._channels = hidden_channels
        self._set_sizes(tuple(input_shape))
        rows = self._gates * hidden_channels
        for name, shape, init in (
                ("i2h_weight", self._ordered(rows, self._in_channels, self._i2h_kernel), i2h_weight_initializer),
                ("h2h_weight", self._ordered(rows, hidden_channels, self._h2h_kernel), h2h_weight_initializer),
                ("i2h_bias", (rows,), i2h_bias_initializer), ("h2h_bias", (rows,), h2h_bias_initializer)):
            setattr(self, name, self.params.get(name, shape=shape, init=init, allow_deferred_init=True))

    def _set_sizes(self, input_shape):
        """Set the number of input channels and the size of the states."""
        if len(input_shape) != self._rank + 1:
            raise ArgumentError(f"{type(self).__name__}: input_shape is {input_shape}, expected {self._rank + 1} "
                                f"numbers, one for each letter of {self._layout} except N")
        place = self._slice_axis - 1
        self._in_channels = input_shape[place]
        sizes = input_shape[:place] + input_shape[place + 1:]
        self._sizes = tuple(n + 2 * p - d * (k - 1) for n, p, d, k in
                            zip(sizes, self._i2h_pad, self._i2h_dilate, self._i2h_kernel, strict=True))

    def _numbers(self, value):
        """Return one number per axis."""
        found = (value,) * self._rank if isinstance(value, integer_types) else tuple(value)
        if len(found) != self._rank or not all(isinstance(number, integer_types) for number in found):
            raise ArgumentError(f"{type(self).__name__}: found {value!r}, expected an integer or {self._rank} of them")
        return found

    def _ordered(self, first, channels, sizes):
        """Return a shape with its axes in the order of the layout."""
        return (first, channels, *sizes) if self._slice_axis == 1 else (first, *sizes, channels)

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the state info, (N, hidden_channels, *sizes) with axes in the order of the layout."""
        info = {"shape": self._ordered(batch_size, self._channels, self._sizes), "__layout__": self._layout}
        return [dict(info) for _ in range(self._states)]

    def products(self, F: Any, inputs: Any, state: Any, i2h_weight: Any, h2h_weight: Any, i2h_bias: Any,
                 h2h_bias: Any) -> Any:
        """Return (W * x + b, R * h + d, prefix of this step's nodes)."""
        rows, prefix = self._gates * self._channels, f"t{self._counter}_"
        h2h_pad = tuple(d * (k - 1) // 2 for d, k in zip(self._h2h_dilate, self._h2h_kernel, strict=True))
        i2h = F.Convolution(inputs, i2h_weight, i2h_bias, kernel=self._i2h_kernel, pad=self._i2h_pad,
                            dilate=self._i2h_dilate, num_filter=rows, layout=self._layout, name=prefix + "i2h")
        h2h = F.Convolution(state, h2h_weight, h2h_bias, kernel=self._h2h_kernel, pad=h2h_pad,
                            dilate=self._h2h_dilate, num_filter=rows, layout=self._layout, name=prefix + "h2h")
        return i2h, h2h, prefix

    def _squashed(self, F, value, name):
        return self._get_activation(F, value, self._activation, name=name)

    def _alias(self):
        return f"conv_{super()._alias()}"

    def __repr__(self) -> str:
        rows = self.i2h_weight.shape[0]
        return f"{type(self).__name__}({self._in_channels} -> {rows}, {self._activation}, {self._layout})"


class _ConvRNNCell(_ConvCell, RNNCell):
    """Convolutional cell h = activation(W * x + b + R * h + d)."""

    _states = 1


class _ConvLSTMCell(_ConvCell, LSTMCell):
    """LSTMCell with convolutions. States: h, c."""

    _states = 2


class _ConvGRUCell(_ConvCell, GRUCell):
    """GRUCell with convolutions."""

    _states = 1


class Conv1DRNNCell(_ConvRNNCell):
    """RNNCell with convolutions over one axis: (N, C, W), states (N, hidden_channels, W).

    >>> cell = gluon.contrib.rnn.Conv1DRNNCell((2, 8), hidden_channels=4, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((5, 2, 8)), cell.begin_state(batch_size=5))
    >>> output.shape, len(states)
    ((5, 4, 8), 1)
    """

    _rank = 1


class Conv2DRNNCell(_ConvRNNCell):
    """RNNCell with convolutions over two axes: (N, C, H, W), states (N, hidden_channels, H, W).

    >>> cell = gluon.contrib.rnn.Conv2DRNNCell((2, 8, 8), hidden_channels=4, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((5, 2, 8, 8)), cell.begin_state(batch_size=5))
    >>> output.shape, len(states)
    ((5, 4, 8, 8), 1)
    """

    _rank = 2


class Conv3DRNNCell(_ConvRNNCell):
    """RNNCell with convolutions over three axes: (N, C, D, H, W), states (N, hidden_channels, D, H, W).

    >>> cell = gluon.contrib.rnn.Conv3DRNNCell((2, 8, 8, 8), hidden_channels=4, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((5, 2, 8, 8, 8)), cell.begin_state(batch_size=5))
    >>> output.shape, len(states)
    ((5, 4, 8, 8, 8), 1)
    """

    _rank = 3


class Conv1DLSTMCell(_ConvLSTMCell):
    """LSTMCell with convolutions over one axis: (N, C, W), states (N, hidden_channels, W).

    >>> cell = gluon.contrib.rnn.Conv1DLSTMCell((2, 8), hidden_channels=4, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((5, 2, 8)), cell.begin_state(batch_size=5))
    >>> output.shape, len(states)
    ((5, 4, 8), 2)
    """

    _rank = 1


class Conv2DLSTMCell(_ConvLSTMCell):
    """LSTMCell with convolutions over two axes: (N, C, H, W), states (N, hidden_channels, H, W).

    >>> cell = gluon.contrib.rnn.Conv2DLSTMCell((2, 8, 8), hidden_channels=4, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((5, 2, 8, 8)), cell.begin_state(batch_size=5))
    >>> output.shape, len(states)
    ((5, 4, 8, 8), 2)
    """

    _rank = 2


class Conv3DLSTMCell(_ConvLSTMCell):
    """LSTMCell with convolutions over three axes: (N, C, D, H, W), states (N, hidden_channels, D, H, W).

    >>> cell = gluon.contrib.rnn.Conv3DLSTMCell((2, 8, 8, 8), hidden_channels=4, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((5, 2, 8, 8, 8)), cell.begin_state(batch_size=5))
    >>> output.shape, len(states)
    ((5, 4, 8, 8, 8), 2)
    """

    _rank = 3


class Conv1DGRUCell(_ConvGRUCell):
    """GRUCell with convolutions over one axis: (N, C, W), states (N, hidden_channels, W).

    >>> cell = gluon.contrib.rnn.Conv1DGRUCell((2, 8), hidden_channels=4, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((5, 2, 8)), cell.begin_state(batch_size=5))
    >>> output.shape, len(states)
    ((5, 4, 8), 1)
    """

    _rank = 1


class Conv2DGRUCell(_ConvGRUCell):
    """GRUCell with convolutions over two axes: (N, C, H, W), states (N, hidden_channels, H, W).

    >>> cell = gluon.contrib.rnn.Conv2DGRUCell((2, 8, 8), hidden_channels=4, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((5, 2, 8, 8)), cell.begin_state(batch_size=5))
    >>> output.shape, len(states)
    ((5, 4, 8, 8), 1)
    """

    _rank = 2


class Conv3DGRUCell(_ConvGRUCell):
    """GRUCell with convolutions over three axes: (N, C, D, H, W), states (N, hidden_channels, D, H, W).

    >>> cell = gluon.contrib.rnn.Conv3DGRUCell((2, 8, 8, 8), hidden_channels=4, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((5, 2, 8, 8, 8)), cell.begin_state(batch_size=5))
    >>> output.shape, len(states)
    ((5, 4, 8, 8, 8), 1)
    """

    _rank = 3


share_sentences(Block, _ConvCell)
share_docstring(_ConvCell, Conv1DRNNCell, Conv2DRNNCell, Conv3DRNNCell, Conv1DLSTMCell, Conv2DLSTMCell, Conv3DLSTMCell,
                Conv1DGRUCell, Conv2DGRUCell, Conv3DGRUCell)
