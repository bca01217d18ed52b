"""A layer of a quantized network and the operators after it, for inference plans (see `passes/prepack_quantized.py`).

Images may have their channels last: (batch, height, width, channels). Then the bytes of a window are adjacent.
"""

import numpy as np

from minigluon.backend.numpy import forward_for
from minigluon.ops import REGISTRY
from minigluon.ops.op import Op

from .blocked_images import PassOnlyOp
from .fused_convolution import CompositeOp

__all__ = ["OPERATORS", "ChannelsFirst", "ChannelsLast", "PackedIntegers", "RealsPlusIntegers",
           "channels_first", "channels_last"]


def channels_last(shape):
    """Returns the shape of an image after its channels have moved to the end. shape: (batch, channels, *space)."""
    return shape[0], *shape[2:], shape[1]


def channels_first(shape):
    """Returns the inverse of `channels_last`."""
    return shape[0], shape[-1], *shape[1:-1]


class ChannelsLast(PassOnlyOp):
    """(batch, channels, *space) -> (batch, *space, channels)."""

    name = "_channels_last"

    def infer_shape(self, shape):
        return [shape], [channels_last(shape)]

    def forward(self, data):
        return np.ascontiguousarray(np.moveaxis(data, 1, -1))


class ChannelsFirst(PassOnlyOp):
    """The inverse of `ChannelsLast`."""

    name = "_channels_first"

    def infer_shape(self, shape):
        return [shape], [channels_first(shape)]

    def forward(self, data):
        return np.ascontiguousarray(np.moveaxis(data, -1, 1))


class RealsPlusIntegers(Op):
    """Real numbers plus integers that are converted to real numbers first: data, integers, their range -> float32."""

    name = "_reals_plus_integers"
    arguments = ("data", "integers", "min_range", "max_range")
    gradient = None

    @classmethod
    def complete(cls, attributes):
        return attributes

    def infer_shape(self, data, integers, *ranges):
        return [data, integers, *ranges], [data]

    def infer_dtype(self, data, *others):
        return [data, *others], [data]

    def forward(self, data, integers, *ranges):
        return data + REGISTRY["_contrib_dequantize"]().forward(integers, *ranges)


class PackedIntegers(CompositeOp):
    """A quantized layer and the operators after it.

    program: a tuple of (op, operands). An operand k >= 0 is input k, and (k, i) is result i of line k. The last line's
    results are the outputs.
    last: indices of the inputs that are images with channels last. out_last: whether the first output is one.

    Inputs: those of the program's lines, then the result of packing some of them.
    """

    name = "_packed_integers"
    fields = {"program": None, "last": (), "out_last": False}

    @property
    def num_outputs(self):
        return self.program[-1][0].num_outputs

    @property
    def shape_only(self):
        return ()

    def _through(self, values, rule):
        results = []
        for op, operands in self.program:
            results.append(getattr(op, rule)(*[results[k[0]][k[1]] if isinstance(k, tuple) else values[k]
                                               for k in operands])[1])
        return results[-1]

    def infer_shape(self, *shapes):
        first = [channels_first(shape) if k in self.last else shape for k, shape in enumerate(shapes)]
        out, *ranges = self._through(first, "infer_shape")
        return list(shapes), [channels_last(out) if self.out_last else out, *ranges]

    def forward(self, *inputs):
        inputs = [np.moveaxis(x, -1, 1) if k in self.last else x for k, x in enumerate(inputs)]
        results = []
        for op, operands in self.program:
            values = [results[k[0]][k[1]] if isinstance(k, tuple) else inputs[k] for k in operands]
            result = forward_for(op, *[v.dtype for v in values])(*[np.ascontiguousarray(v) for v in values])
            results.append((result,) if op.num_outputs == 1 else result)
        out, *ranges = results[-1][:self.num_outputs]
        out = np.ascontiguousarray(np.moveaxis(out, 1, -1)) if self.out_last else out
        return (out, *ranges) if ranges else out


OPERATORS = (ChannelsFirst, ChannelsLast, PackedIntegers, RealsPlusIntegers)
