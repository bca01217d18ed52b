"""Fully connected layers with weights of 8 or 4 bits (see `csrc/quantized/weight_only.c`)."""

import math

from minigluon.backend import Spec

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size

PADDED = 128            # arranged rows of data are a multiple of this long
READS = 2 ** 15         # the number of integers that a part reads


@kernel_for("_contrib_weight_only_fully_connected")
def weight_only_fully_connected(op, inputs, outputs):
    data, weight = inputs[:2]
    if reason := reals(data, *outputs):
        return reason
    if not size(data) or not size(weight):
        return "no elements"
    rows, depth = math.prod(data.shape[:-1]), data.shape[-1]
    fields = {"rows": rows, "depth": depth, "columns": op.num_hidden, "group": op.group_size, "is_half": op.bits == 4,
              "has_bias": not op.no_bias}
    width = -(-depth // PADDED) * PADDED
    return Call(Phase("arrange_rows", data.dtype, min(max(parts(rows * depth), 1), rows), **fields),
                Phase("weight_only_dots", data.dtype, parts(rows * op.num_hidden * depth, READS), **fields),
                scratch=[Spec((rows, width), data.dtype)])
