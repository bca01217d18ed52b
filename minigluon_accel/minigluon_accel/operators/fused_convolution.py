"""Operators that passes put in place of several: a convolution and what is beside it.

Each is a program of operators of the base, which says what it computes; the kernels are in `kernels/nn`.
"""

from minigluon.backend.numpy import forward_for
from minigluon.ops.op import Op

__all__ = ["OPERATORS", "CompositeOp", "ConvPool", "ConvRelu", "PackedConv", "PooledConvDataGrad",
           "PooledConvWeightGrad"]


class CompositeOp(Op):
    """Operators one after the other.

    program: a tuple of (op, operands). An operand k >= 0 is input number k, and -1 - k is the first result of line k.
    The last line's results are the outputs.
    """

    arguments = ("inputs",)
    variadic = True
    fields = {"program": None}
    gradient = None             # gradients are written down before

    @classmethod
    def complete(cls, attributes):
        return attributes

    @property
    def num_outputs(self):
        return self.program[-1][0].num_outputs

    @property
    def shape_only(self):
        """The inputs that matter by their shape alone to each line that has them."""
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

    def _through(self, known, rule):
        results = []
        for op, operands in self.program:
            results.append(getattr(op, rule)(*[known[k] if k >= 0 else results[-1 - k][0] for k in operands])[1])
        return results[-1]

    def results(self, inputs):
        """Of each line a tuple."""
        results = []
        for op, operands in self.program:
            values = [inputs[k] if k >= 0 else results[-1 - k][0] for k in operands]
            made = forward_for(op, *[v.dtype for v in values])(*values)
            results.append((made,) if op.num_outputs == 1 else made)
        return results

    def forward(self, *inputs):
        last = self.results(inputs)[-1]
        return last if self.num_outputs > 1 else last[0]


class ConvRelu(CompositeOp):
    """A convolution, and of its result what is above 0. Inputs: those of `Convolution`."""

    name = "_conv_relu"


class ConvPool(CompositeOp):
    """A convolution, max pooling of its result with windows apart, and relu of that if there is a third line.

    Inputs: those of `Convolution`. Behind the result come the numbers of the winners, if the pooling gives them.
    """

    name = "_conv_pool"

    @property
    def num_outputs(self):
        return self.program[1][0].num_outputs

    def _through(self, known, rule):
        first = getattr(self.program[0][0], rule)(*known)[1]
        return getattr(self.program[1][0], rule)(*first)[1]

    def forward(self, *inputs):
        results = self.results(inputs)
        return results[-1][0] if self.num_outputs == 1 else (results[-1][0], results[1][1])


class PooledConvWeightGrad(CompositeOp):
    """The gradient of the weight of a convolution behind which is a max pooling with windows apart.

    Inputs: the gradient at the pooling's result, the numbers of its winners, the convolution's result (its shape
    matters), data, weight (its shape).
    """

    name = "_pooled_conv_weight_grad"


class PooledConvDataGrad(CompositeOp):
    """The gradient of the data of such a convolution. Inputs: as before, but weight, data (its shape)."""

    name = "_pooled_conv_data_grad"


class PackedConv(CompositeOp):
    """A convolution and what follows it. way: as in `PackFilters` of `kernels/nn/convolution_packed.py`.

    Inputs: those of the program's lines, then what `PackFilters` has made of some of them.
    """

    name = "_packed_conv"
    fields = {"program": None, "way": None, "length": None}
    num_outputs = 1             # the statistics of a BatchNorm are none

    def _through(self, known, rule):
        return super()._through(known, rule)[:1]

    def results(self, inputs):
        """As before; there is no training here."""
        results = []
        for op, operands in self.program:
            values = [inputs[k] if k >= 0 else results[-1 - k][0] for k in operands]
            more = (False,) if op.takes_train else ()
            made = forward_for(op, *[v.dtype for v in values])(*values, *more)
            results.append((made,) if op.num_outputs == 1 else made)
        return results

    def forward(self, *inputs):
        return self.results(inputs)[-1][0]


OPERATORS = (ConvPool, ConvRelu, PackedConv, PooledConvDataGrad, PooledConvWeightGrad)
