"""Fully connected layers with a prepacked weight, and the operators fused after them, for inference plans.

Each element of the result is computed in this order: the product, the bias, another array, an activation. A BatchNorm
with moving statistics is folded into the weight before packing.
"""

import math
from functools import lru_cache

import numpy as np

from minigluon.hybrid.parameter_constants import PrepackOp
from minigluon.ops.shapes import Spec

from ...engine import Call, Phase
from ...operators.fused_convolution import PackedConv
from ...strides import layer_rows
from ..registry import finished, kernel_for, parts, reals

__all__ = ["ADDITIONS", "BATCH_PANEL", "DensePrepack", "PackedDense", "activation_of", "added", "multiplying",
           "packed_length", "packing", "share_of", "suits"]

TILE, TILE_ROWS = 32, 14    # columns and rows of a tile in the widest instruction set
LEAST = 2 ** 10  # minimum number of elements: packing a smaller weight is as fast as checking whether it has changed
BLOCK = 8                   # the number of row panels in a part, so that they stay in the second-level cache
MACS = 2 ** 20              # the number of multiplications in a part, which takes about 10 microseconds
READS = 2 ** 15             # the number of weight elements that a part reads for a few rows
SHARE = 2 ** 20             # the maximum number of weight elements that a part reads for many rows
PACKING, START = 3, 2000    # the cost per unit of depth of a row panel, and the cost per part, in cycles
BATCH_PANEL = 32            # rows in a share that can be transposed: whole panels in all instruction sets and dtypes
ADDITIONS = ("elemwise_add", "broadcast_add")
ACTIVATIONS = [None, "relu", "gelu", "tanh", "sigmoid"]        # as in csrc/nn/matrix_packed.c


def suits(inputs, result):
    """Returns whether a fully connected layer has a kernel and a weight that is worth packing."""
    return not reals(*inputs, result) and 0 not in inputs[0].shape and math.prod(inputs[1].shape) >= LEAST


def activation_of(op):
    """Returns the name of an operator's activation in ACTIVATIONS, or None."""
    name = op.act_type if op.name in ("Activation", "LeakyReLU") else op.name
    return name if name in ACTIVATIONS else None


# -- packing --------------------------------------------------------------------------------------------------------

class DensePrepack(PrepackOp):
    """The weight of a layer in the order in which a kernel reads it, then the bias, then 1.

    The kernel of a `PackedDense` reads the original weight if it finds 0 at the end, unless there is a BatchNorm.

    layer: the FullyConnected. norm: the BatchNorm after it, or None. isa: the instruction set, which determines the
    order.

    Inputs: those of the layer except its data, then those of the BatchNorm except its data.
    """

    name = "_pack_dense"
    fields = dict.fromkeys(("layer", "norm", "isa"))

    @property
    def deferrable(self):
        return self.norm is None

    def skip_packed(self, result):
        result[-1] = 0

    def infer_shape(self, *shapes):
        return list(shapes), [(packed_length(shapes[0][0], math.prod(shapes[0][1:])),)]

    def forward(self, *inputs):
        result = np.empty(self.infer_shape(*[x.shape for x in inputs])[1][0], inputs[0].dtype)
        call = pack_dense(self, [Spec(x.shape, x.dtype) for x in inputs], [Spec(result.shape, result.dtype)])
        call(list(inputs), [result, *[np.empty(*spec) for spec in call.scratch]])
        return result


@kernel_for("_pack_dense")
def pack_dense(op, inputs, outputs):
    """Packs a weight. Inputs: weight, bias if there is one, then gamma, beta, mean and var if there is a BatchNorm."""
    weight, out = inputs[0], len(inputs)
    columns, depth = weight.shape
    bias = -1 if op.layer.no_bias else 1
    if op.norm is None:
        return Call(packing(weight.dtype, columns, depth, weight=0, bias=bias, out=out))
    first = 1 if op.layer.no_bias else 2
    vectors = dict(zip(("gamma", "beta", "mean", "var"), range(first, first + 4), strict=True))
    folded, terms_at = out + 1, columns * depth             # the added terms, which become the bias, follow the weight
    fold = Phase("fold_filters", weight.dtype, max(1, parts(columns * depth)), filters=columns, size=depth,
                 fix_gamma=op.norm.fix_gamma, eps=op.norm.eps, weight=0, bias=bias, folded=folded, added=folded,
                 added_at=terms_at, **vectors)
    pack = packing(weight.dtype, columns, depth, weight=folded, bias=folded, bias_at=terms_at, out=out)
    return Call(fold, pack, scratch=[Spec((terms_at + columns,), weight.dtype)])


def packed_length(columns, depth):
    """Returns the number of elements of a packed weight, including the bias and the 1 at the end."""
    return -(-columns // TILE) * TILE * depth + columns + 1


def packing(dtype, columns, depth, weight, bias, out, weight_at=0, bias_at=0, out_at=0):
    """Returns the Phase that packs the weight.

    weight, bias, out: array indices (bias -1: none); the other arguments are offsets in these arrays.
    """
    return Phase("pack_weight", dtype, max(1, parts(columns * depth)), columns=columns, depth=depth,
                 ready_at=packed_length(columns, depth) - 1, weight=weight, bias=bias, out=out, weight_at=weight_at,
                 bias_at=bias_at, out_at=out_at)


# -- multiplying ----------------------------------------------------------------------------------------------------

class PackedDense(PackedConv):
    """A fully connected layer and the operators after it.

    Inputs: those of the program's lines, then the result of `DensePrepack` for weight and bias.
    """

    name = "_packed_dense"
    fields = {"program": None}


@kernel_for("_packed_dense")
def packed_dense(op, inputs, outputs):
    layer = op.program[0][0]
    columns, depth = inputs[1].shape
    return Call(multiplying(inputs[0].dtype, (layer_rows(layer, inputs[0].shape), columns), depth, data=0, weight=1,
                            bias=-1 if layer.no_bias else 2, packed=len(inputs) - 1, out=len(inputs),
                            **dict(_tail(op.program))))


def multiplying(dtype, shape, depth, data, packed, out, weight=-1, bias=-1, other=-1, activation=0, data_at=0,
                packed_at=0, out_at=0):
    """Returns the Phase for a result of this shape, (rows, columns).

    The arguments are array indices and, for three of them, offsets. weight, bias: the unpacked arrays.
    other: an addend.
    activation: an index in ACTIVATIONS.
    """
    rows, columns = shape
    cuts, shares = _division(rows, columns, depth)
    return Phase("matrix_packed", dtype, cuts * shares, rows=rows, columns=columns, depth=depth, cuts=cuts,
                 shares=shares, ready_at=packed_length(columns, depth) - 1, activation=activation, data=data,
                 weight=weight, bias=bias, packed=packed, other=other, out=out, data_at=data_at, packed_at=packed_at,
                 out_at=out_at)


def added(program):
    """Returns the indices of the inputs that are added to the product: at most one."""
    return [k for op, operands in program[1:] if op.name in ADDITIONS for k in operands if k >= 0]


def _tail(program):
    """Returns the fields that describe the operators after the layer and its normalization."""
    for number in added(program):
        yield "other", number
    for op, _ in program[1:]:
        if op.name not in ("BatchNorm", *ADDITIONS):
            yield "activation", ACTIVATIONS.index(activation_of(op))


def _division(rows, columns, depth):
    """Returns (pieces of the rows, shares of the columns): with few rows, each element of the weight is read once.

    If rows are a SymbolicDim, there are as many pieces as for its example value, and proportionally more for larger
    sizes.
    """
    if rows <= TILE_ROWS:
        return 1, min(parts(columns * depth, READS), -(-columns // TILE))
    example = getattr(rows, "value", rows)
    cuts, shares = division(-(-example // TILE_ROWS), -(-columns // TILE), depth)
    return -(-rows // (-(-example // TILE_ROWS // cuts) * TILE_ROWS)), shares


@lru_cache(1024)
def division(row_panels, column_panels, depth):
    """Returns (pieces of the row panels, shares of the column panels).

    The data that a part reads repeatedly stays in caches (its rows in the second-level cache), and all threads get the
    same amount of work.
    """
    def time(cuts, shares):
        some = -(-row_panels // cuts)
        return finished(cuts * shares, some * depth * (TILE_ROWS * -(-column_panels // shares) + PACKING) + START)
    least_cuts = -(-row_panels // BLOCK)
    least_shares = min(-(-column_panels * TILE * depth // SHARE), column_panels)    # a share has at least one panel
    return min((time(cuts, shares), cuts, shares)
               for cuts in range(least_cuts, min(least_cuts + BLOCK, row_panels) + 1)
               for shares in range(least_shares, min(least_shares + BLOCK, column_panels) + 1))[1:]


def share_of(op, data, weight):
    """Returns how much of the batch a thread takes through this layer and its neighbors, or None if the layer is not in
    a chain.

    A layer with a lot of work keeps all threads busy without a chain. A share has enough rows for two or three tiles,
    because the weight is read once per share. data, weight: shapes.
    """
    batch, rows = data[0], layer_rows(op.program[0][0], data)
    if rows * math.prod(weight) >= 4 * MACS:
        return None
    fits = [share for share in range(1, batch) if batch % share == 0
            and TILE_ROWS < share * (rows // batch) <= 3 * TILE_ROWS]
    return BATCH_PANEL if BATCH_PANEL in fits else max(fits, default=None)
