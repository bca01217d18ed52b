"""Fully connected layers with a weight that is packed before, and with what follows them: of plans that only infer.

What is computed for each number of the result, in this order: the product, the bias, another array, an activation. A
BatchNorm of moving statistics is multiplied into the weight before that is packed.
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

TILE, TILE_ROWS = 32, 14    # columns and rows of a tile, of the widest instruction set
LEAST = 2 ** 10             # numbers of a weight: to look whether a smaller one has changed takes as long as to pack it
BLOCK = 8                   # row panels of a part, so that they stay in the second-level cache
MACS = 2 ** 20              # multiplications: a part of some 10 microseconds
READS = 2 ** 15             # numbers of the weight that a part reads for a few rows
SHARE = 2 ** 20             # numbers of the weight that a part reads for many rows, at most
PACKING, START = 3, 2000    # of each number of the depth of a row panel, and of a part, in cycles
BATCH_PANEL = 32            # rows of a share that can lie across: whole panels of all instruction sets and types
ADDITIONS = ("elemwise_add", "broadcast_add")
ACTIVATIONS = [None, "relu", "gelu", "tanh", "sigmoid"]        # as in csrc/nn/matrix_packed.c


def suits(inputs, result):
    """Is there a kernel for such a layer, and a weight that is worth keeping?"""
    return not reals(*inputs, result) and 0 not in inputs[0].shape and math.prod(inputs[1].shape) >= LEAST


def activation_of(op):
    """The activation that an operator is, one of ACTIVATIONS; None: it is none of them."""
    name = op.act_type if op.name in ("Activation", "LeakyReLU") else op.name
    return name if name in ACTIVATIONS else None


# -- packing --------------------------------------------------------------------------------------------------------

class DensePrepack(PrepackOp):
    """The weight of a layer in the order in which a kernel reads it, then the bias, then 1.

    The kernel of a `PackedDense` reads the weight itself where it finds 0 at the end, unless there is a BatchNorm.

    layer: the FullyConnected. norm: the BatchNorm behind it, or None. isa: the instruction set, on which the order
    depends.

    Inputs: the layer's without its data, then the BatchNorm's without its data.
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
    """Inputs: weight, bias if there is one, then gamma, beta, mean, var if there is a BatchNorm."""
    weight, out = inputs[0], len(inputs)
    columns, depth = weight.shape
    bias = -1 if op.layer.no_bias else 1
    if op.norm is None:
        return Call(packing(weight.dtype, columns, depth, weight=0, bias=bias, out=out))
    first = 1 if op.layer.no_bias else 2
    vectors = dict(zip(("gamma", "beta", "mean", "var"), range(first, first + 4), strict=True))
    folded, terms_at = out + 1, columns * depth             # the terms, which become the bias, lie behind the weight
    fold = Phase("fold_filters", weight.dtype, max(1, parts(columns * depth)), filters=columns, size=depth,
                 fix_gamma=op.norm.fix_gamma, eps=op.norm.eps, weight=0, bias=bias, folded=folded, added=folded,
                 added_at=terms_at, **vectors)
    pack = packing(weight.dtype, columns, depth, weight=folded, bias=folded, bias_at=terms_at, out=out)
    return Call(fold, pack, scratch=[Spec((terms_at + columns,), weight.dtype)])


def packed_length(columns, depth):
    """How many numbers a packed weight is, with the bias, and the 1 at the end."""
    return -(-columns // TILE) * TILE * depth + columns + 1


def packing(dtype, columns, depth, weight, bias, out, weight_at=0, bias_at=0, out_at=0):
    """The Phase that packs. weight, bias, out: places, in which they begin at the other three; bias -1: none."""
    return Phase("pack_weight", dtype, max(1, parts(columns * depth)), columns=columns, depth=depth,
                 ready_at=packed_length(columns, depth) - 1, weight=weight, bias=bias, out=out, weight_at=weight_at,
                 bias_at=bias_at, out_at=out_at)


# -- multiplying ----------------------------------------------------------------------------------------------------

class PackedDense(PackedConv):
    """A fully connected layer and what follows it.

    Inputs: those of the program's lines, then what `DensePrepack` has made of weight and bias.
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
    """The Phase for a result of this shape, (rows, columns).

    Places of arrays, and where three of them begin there. weight, bias: of what is not packed yet. other: is added.
    activation: a number in ACTIVATIONS.
    """
    rows, columns = shape
    cuts, shares = _division(rows, columns, depth)
    return Phase("matrix_packed", dtype, cuts * shares, rows=rows, columns=columns, depth=depth, cuts=cuts,
                 shares=shares, ready_at=packed_length(columns, depth) - 1, activation=activation, data=data,
                 weight=weight, bias=bias, packed=packed, other=other, out=out, data_at=data_at, packed_at=packed_at,
                 out_at=out_at)


def added(program):
    """Numbers of the inputs that are added to the product, which is one at most."""
    return [k for op, operands in program[1:] if op.name in ADDITIONS for k in operands if k >= 0]


def _tail(program):
    """What follows the layer and its normalization, as fields."""
    for number in added(program):
        yield "other", number
    for op, _ in program[1:]:
        if op.name not in ("BatchNorm", *ADDITIONS):
            yield "activation", ACTIVATIONS.index(activation_of(op))


def _division(rows, columns, depth):
    """(cuts of the rows, shares of the columns): for a few rows, so that each number of the weight is read once.

    Where rows are a SymbolicDim, they are cut as often as its example, and the more the more there are.
    """
    if rows <= TILE_ROWS:
        return 1, min(parts(columns * depth, READS), -(-columns // TILE))
    example = getattr(rows, "value", rows)
    cuts, shares = division(-(-example // TILE_ROWS), -(-columns // TILE), depth)
    return -(-rows // (-(-example // TILE_ROWS // cuts) * TILE_ROWS)), shares


@lru_cache(1024)
def division(row_panels, column_panels, depth):
    """(cuts of the row panels, shares of the column panels).

    What a part reads again and again stays in caches, its rows in the second-level one, and threads have as much to do
    as each other.
    """
    def time(cuts, shares):
        some = -(-row_panels // cuts)
        return finished(cuts * shares, some * depth * (TILE_ROWS * -(-column_panels // shares) + PACKING) + START)
    least_cuts, least_shares = -(-row_panels // BLOCK), -(-column_panels * TILE * depth // SHARE)
    return min((time(cuts, shares), cuts, shares)
               for cuts in range(least_cuts, min(least_cuts + BLOCK, row_panels) + 1)
               for shares in range(least_shares, min(least_shares + BLOCK, column_panels) + 1))[1:]


def share_of(op, data, weight):
    """How much of the batch a thread takes through this layer and its neighbours; None: the layer is in no chain.

    Threads have enough to do in one layer of much work. A share has rows for two tiles or three: with less, the weight
    is read as often as the batch has shares. data, weight: shapes.
    """
    batch, rows = data[0], layer_rows(op.program[0][0], data)
    if rows * math.prod(weight) >= 4 * MACS:
        return None
    fits = [share for share in range(1, batch) if batch % share == 0
            and TILE_ROWS < share * (rows // batch) <= 3 * TILE_ROWS]
    return BATCH_PANEL if BATCH_PANEL in fits else max(fits, default=None)
