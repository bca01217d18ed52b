"""Sequences of different lengths (see `csrc/array/sequence.c`)."""

import math

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size


@kernel_for("SequenceMask")
def sequence_mask(op, inputs, outputs):
    if not op.use_sequence_length:
        return "a copy"
    rows, columns, *rest = inputs[0].shape
    return reals(*inputs) or Call(Phase(
        "sequence_mask", inputs[0].dtype, min(parts(size(inputs[0])), rows), rows=rows, columns=columns,
        inner=math.prod(rest), by_row=int(op.axis == 0), value=op.value))
