"""Operators that passes substitute for several other operators: a convolution and its neighbors.

Each is a program of the base package's operators, which defines its results; the kernels are in `kernels/nn`.
"""

from minigluon.backend.numpy import forward_for
from minigluon.ops.op import Op

__all__ = ["OPERATORS", "CompositeOp", "ConvPool", "ConvRelu", "PackedConv", "PooledConvDataGrad",
           "PooledConvWeightGrad"]


class CompositeOp(Op):
    """Operators executed in sequence.

    program: a tuple of (op, operands). An operand k >= 0 is input k, and -1 - k is the first result of line k. The last
    line's results are the outputs.
    """

    arguments = ("inputs",)
    variadic = True
    fields = {"program": None}
    gradient = None             # gradients have already been added to the graph

    @classmethod
    def complete(cls, attributes):
        return attributes

    @property
    def num_outputs(self):
        return self.program[-1][0].num_outputs

    @property
    def shape_only(self):
        """Returns the inputs whose shapes are all that the lines need."""
        read, all_inputs = set(), set()
        for op, operands in self.program:
            names = op.argument_names(len(operands))
            read.update(k for k, name in zip(operands, names, strict=True) if name not in op.shape_only)
            all_inputs.update(k for k in operands if k >= 0)
        return tuple([f"inputs{k}" for k in sorted(all_inputs - read)])

    def infer_shape(self, *shapes):
        return list(shapes), self._through(shapes, "infer_shape")

    def infer_dtype(self, *dtypes):
        return list(dtypes), self._through(dtypes, "infer_dtype")

    def _through(self, values, rule):
        results = []
        for op, operands in self.program:
            results.append(getattr(op, rule)(*[values[k] if k >= 0 else results[-1 - k][0] for k in operands])[1])
        return results[-1]

    def results(self, inputs):
        """Returns a tuple of shapes per line."""
        results = []
        for op, operands in self.program:
            values = [inputs[k] if k >= 0 else results[-1 - k][0] for k in operands]
            result = forward_for(op, *[v.dtype for v in values])(*values)
            results.append((result,) if op.num_outputs == 1 else result)
        return results

    def forward(self, *inputs):
        last = self.results(inputs)[-1]
        return last if self.num_outputs > 1 else last[0]


class ConvRelu(CompositeOp):
    """A convolution followed by relu. Inputs: those of `Convolution`."""

    name = "_conv_relu"


class ConvPool(CompositeOp):
    """A convolution, max pooling of its result with non-overlapping windows, and, with a third line, relu.

    Inputs: those of `Convolution`. If the pooling returns its argmax indices, they follow the result.
    """

    name = "_conv_pool"

    @property
    def num_outputs(self):
        return self.program[1][0].num_outputs

    def _through(self, values, rule):
        first = getattr(self.program[0][0], rule)(*values)[1]
        return getattr(self.program[1][0], rule)(*first)[1]

    def forward(self, *inputs):
        results = self.results(inputs)
        return results[-1][0] if self.num_outputs == 1 else (results[-1][0], results[1][1])


class PooledConvWeightGrad(CompositeOp):
    """The weight gradient of a convolution followed by max pooling with non-overlapping windows.

    Inputs: the gradient of the pooling's result, its argmax indices, the convolution's result (only its shape), data,
    weight (only its shape).
    """

    name = "_pooled_conv_weight_grad"


class PooledConvDataGrad(CompositeOp):
    """The data gradient of a convolution followed by max pooling with non-overlapping windows.

    Inputs: those of `PooledConvWeightGrad`, but ending in weight, data (only its shape).
    """

    name = "_pooled_conv_data_grad"


class PackedConv(CompositeOp):
    """A convolution and the operators after it. way: as in `FilterPrepack` of `kernels/nn/convolution_packed.py`.

    Inputs: those of the program's lines, then the result of packing some of them.
    """

    name = "_packed_conv"
    fields = {"program": None, "way": None, "length": None}
    num_outputs = 1             # the results do not include a BatchNorm's statistics

    def _through(self, values, rule):
        return super()._through(values, rule)[:1]

    def results(self, inputs):
        """Returns the results as in the base class, because there is no training here."""
        results = []
        for op, operands in self.program:
            values = [inputs[k] if k >= 0 else results[-1 - k][0] for k in operands]
            more = (False,) if op.takes_train else ()
            result = forward_for(op, *[v.dtype for v in values])(*values, *more)
            results.append((result,) if op.num_outputs == 1 else result)
        return results

    def forward(self, *inputs):
        return self.results(inputs)[-1][0]


OPERATORS = (ConvPool, ConvRelu, PackedConv, PooledConvDataGrad, PooledConvWeightGrad)
