"""Fully connected layers with weights of 8 or 4 bits: see `csrc/quantized/weights_words.c`, and `weights.c` for
float64 and for processors without AVX2."""

import math

import numpy as np

from minigluon.backend import Spec

from ... import engine
from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size

PADDED = 128            # arranged rows of data have a multiple of this many elements
READS = 2 ** 15         # the number of integers that a part reads
WORD_ISAS = {"avx2", "avx512"}          # instruction sets that multiply pairs of 16-bit integers


@kernel_for("_contrib_weight_only_fully_connected")
def weight_only_fully_connected(op, inputs, outputs):
    data, weight = inputs[:2]
    if reason := reals(data, *outputs):
        return reason
    if inputs[2].dtype != np.float32:
        return f"scales of {inputs[2].dtype}"
    if not size(data) or not size(weight):
        return "no elements"
    rows, depth = math.prod(data.shape[:-1]), data.shape[-1]
    fields = {"rows": rows, "depth": depth, "columns": op.num_hidden, "group": op.group_size, "is_half": op.bits == 4,
              "has_bias": not op.no_bias}
    in_words = data.dtype == np.float32 and engine.isa() in WORD_ISAS
    arrange, dots = ("arrange_words", "weight_word_dots") if in_words else ("arrange_rows", "weight_only_dots")
    width = -(-depth // PADDED) * PADDED
    if in_words:
        width = width * 3 // 4          # two bytes for each element, and eight for every eight of them
    return Call(Phase(arrange, data.dtype, min(max(parts(rows * depth), 1), rows), **fields),
                Phase(dots, data.dtype, parts(rows * op.num_hidden * depth, READS), **fields),
                scratch=[Spec((rows, width), data.dtype)])
