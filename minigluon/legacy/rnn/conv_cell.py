"""Cells with convolutions instead of matrix products, whose states are images. (`gluon.contrib.rnn` has more cells.)

Shi et al., Convolutional LSTM Network, arXiv:1506.04214.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ... import symbol
from ...base import ArgumentError
from ...common.docstrings import share_sentences
from ...common.types import Shape
from ...diagnostics.argument_kinds import worded
from .base_cell import BaseRNNCell
from .rnn_cell import GatedCell, GRUCell, LSTMCell, RNNCell

if TYPE_CHECKING:
    from ...initializer import Initializer

__all__ = ["BaseConvRNNCell", "ConvGRUCell", "ConvLSTMCell", "ConvRNNCell"]

_LEAKY = partial(symbol.LeakyReLU, act_type="leaky", slope=0.2)


class BaseConvRNNCell(GatedCell):
    """Base class of the convolutional cells.

    The states have the same spatial size as the convolved inputs. The convolution of a state preserves its size, so
    h2h_kernel must be odd, and the padding follows from it.

    input_shape: the shape of one step, with an arbitrary batch size.
    num_hidden: the number of channels in a state.
    i2h_kernel, i2h_stride, i2h_pad, i2h_dilate: the attributes of the inputs' convolution, as in `sym.Convolution`.
    h2h_kernel, h2h_dilate: the attributes of a state's convolution.
    i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer: initializers.
    activation: a name, or a function of symbols.
    prefix: the prefix of its nodes' names.
    params: an RNNParams, shared by cells that share weights; None creates one.
    conv_layout: 'NCHW' or 'NHWC', also for input_shape.

    >>> isinstance(mx.rnn.ConvRNNCell((1, 3, 8, 8), num_hidden=4), mx.rnn.BaseConvRNNCell)
    True
    """

    @worded
    def __init__(self, input_shape: Shape, num_hidden: int, h2h_kernel: Shape, h2h_dilate: Shape, i2h_kernel: Shape,
                 i2h_stride: Shape, i2h_pad: Shape, i2h_dilate: Shape, i2h_weight_initializer: str | Initializer,
                 h2h_weight_initializer: str | Initializer, i2h_bias_initializer: str | Initializer,
                 h2h_bias_initializer: str | Initializer, activation: str, prefix: str = "", params: Any = None,
                 conv_layout: str = "NCHW") -> None:
        BaseRNNCell.__init__(self, prefix=prefix, params=params)
        if not isinstance(h2h_kernel, (tuple, list)) or [size % 2 for size in h2h_kernel] != [1, 1]:
            raise ArgumentError(f"{type(self).__name__}: h2h_kernel is {h2h_kernel}, expected two odd numbers, so "
                                "that a state keeps its size")
        self._num_hidden, self._activation, self._state_layout = num_hidden, activation, conv_layout
        channels = conv_layout.find("C")
        self._slicing = {} if channels == 1 else {"axis": channels}
        self._how = {"i2h": {"kernel": i2h_kernel, "stride": i2h_stride, "pad": i2h_pad, "dilate": i2h_dilate},
                     "h2h": {"kernel": h2h_kernel, "stride": (1, 1), "dilate": h2h_dilate,
                             "pad": tuple(d * (k - 1) // 2 for k, d in zip(h2h_kernel, h2h_dilate, strict=True))}}
        inits = {"i2h": (i2h_weight_initializer, i2h_bias_initializer),
                 "h2h": (h2h_weight_initializer, h2h_bias_initializer)}
        self._variables = [[self._params.get(f"{group}_{kind}", init=init) for kind, init in zip(
            ("weight", "bias"), inits[group], strict=True)] for group in ("i2h", "h2h")]
        result = symbol.Convolution(symbol.var("data"), num_filter=num_hidden, layout=conv_layout, **self._how["i2h"])
        self._shape = (0, *result._require_shape(data=tuple(input_shape))[1][0][1:])

    def products(self, inputs: Any, state: Any, prefix: str) -> Any:
        """Return the two convolutions."""
        filters = self._num_hidden * len(self._gate_names)
        return [symbol.Convolution(x, weight, bias, num_filter=filters, layout=self._state_layout, **self._how[group],
                                   name=f"{prefix}{group}")
                for x, (weight, bias), group in zip((inputs, state), self._variables, ("i2h", "h2h"), strict=True)]


class ConvRNNCell(BaseConvRNNCell, RNNCell):
    """`RNNCell` with convolutions.

    >>> cell = mx.rnn.ConvRNNCell((1, 3, 8, 8), num_hidden=4)
    >>> outputs, states = cell.unroll(2, [sym.var("x0", shape=(1, 3, 8, 8)), sym.var("x1", shape=(1, 3, 8, 8))])
    >>> outputs[1].infer_shape()[1]
    [(1, 4, 8, 8)]
    """

    def __init__(self, input_shape: Shape, num_hidden: int, h2h_kernel: Shape = (3, 3), h2h_dilate: Shape = (1, 1),
                 i2h_kernel: Shape = (3, 3), i2h_stride: Shape = (1, 1), i2h_pad: Shape = (1, 1),
                 i2h_dilate: Shape = (1, 1), i2h_weight_initializer: str | Initializer | None = None,
                 h2h_weight_initializer: str | Initializer | None = None,
                 i2h_bias_initializer: str | Initializer = "zeros", h2h_bias_initializer: str | Initializer = "zeros",
                 activation: str = _LEAKY, prefix: str = "ConvRNN_", params: Any = None,
                 conv_layout: str = "NCHW") -> None:
        super().__init__(input_shape, num_hidden, h2h_kernel, h2h_dilate, i2h_kernel, i2h_stride, i2h_pad, i2h_dilate,
                         i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer,
                         activation, prefix, params, conv_layout)


class ConvLSTMCell(BaseConvRNNCell, LSTMCell):
    """`LSTMCell` with convolutions.

    >>> cell = mx.rnn.ConvLSTMCell((1, 3, 8, 8), num_hidden=4)
    >>> outputs, states = cell.unroll(2, [sym.var("x0", shape=(1, 3, 8, 8)), sym.var("x1", shape=(1, 3, 8, 8))])
    >>> outputs[1].infer_shape()[1], len(states)
    ([(1, 4, 8, 8)], 2)
    """

    def __init__(self, input_shape: Shape, num_hidden: int, h2h_kernel: Shape = (3, 3), h2h_dilate: Shape = (1, 1),
                 i2h_kernel: Shape = (3, 3), i2h_stride: Shape = (1, 1), i2h_pad: Shape = (1, 1),
                 i2h_dilate: Shape = (1, 1), i2h_weight_initializer: str | Initializer | None = None,
                 h2h_weight_initializer: str | Initializer | None = None,
                 i2h_bias_initializer: str | Initializer = "zeros", h2h_bias_initializer: str | Initializer = "zeros",
                 activation: str = _LEAKY, prefix: str = "ConvLSTM_", params: Any = None,
                 conv_layout: str = "NCHW") -> None:
        super().__init__(input_shape, num_hidden, h2h_kernel, h2h_dilate, i2h_kernel, i2h_stride, i2h_pad, i2h_dilate,
                         i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer,
                         activation, prefix, params, conv_layout)
        self._slicing = {"axis": conv_layout.find("C")}


class ConvGRUCell(BaseConvRNNCell, GRUCell):
    """`GRUCell` with convolutions.

    >>> cell = mx.rnn.ConvGRUCell((1, 3, 8, 8), num_hidden=4)
    >>> outputs, states = cell.unroll(2, [sym.var("x0", shape=(1, 3, 8, 8)), sym.var("x1", shape=(1, 3, 8, 8))])
    >>> outputs[1].infer_shape()[1], len(states)
    ([(1, 4, 8, 8)], 1)
    """

    _mark = ""

    def __init__(self, input_shape: Shape, num_hidden: int, h2h_kernel: Shape = (3, 3), h2h_dilate: Shape = (1, 1),
                 i2h_kernel: Shape = (3, 3), i2h_stride: Shape = (1, 1), i2h_pad: Shape = (1, 1),
                 i2h_dilate: Shape = (1, 1), i2h_weight_initializer: str | Initializer | None = None,
                 h2h_weight_initializer: str | Initializer | None = None,
                 i2h_bias_initializer: str | Initializer = "zeros", h2h_bias_initializer: str | Initializer = "zeros",
                 activation: str = _LEAKY, prefix: str = "ConvGRU_", params: Any = None,
                 conv_layout: str = "NCHW") -> None:
        super().__init__(input_shape, num_hidden, h2h_kernel, h2h_dilate, i2h_kernel, i2h_stride, i2h_pad, i2h_dilate,
                         i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer,
                         activation, prefix, params, conv_layout)


share_sentences(BaseConvRNNCell, ConvRNNCell, ConvLSTMCell, ConvGRUCell)
