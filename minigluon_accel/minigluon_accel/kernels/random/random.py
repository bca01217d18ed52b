"""Random numbers drawn from distributions."""

import numpy as np

from ...engine import Call, Phase
from ..philox import DRAW, DRAWS, state_of
from ..registry import kernel_for, parts, size


@kernel_for("_random_uniform")
def random_uniform(op, inputs, outputs, rng):
    out = outputs[0]
    if out.dtype != np.float32:
        return f"dtype {out.dtype}"
    if op.low > op.high:
        return "low above high, which the reference refuses"
    state = state_of(rng)
    if isinstance(state, str):
        return state
    count, width = size(out), np.subtract(op.high, op.low)
    return Call(Phase("take_numbers", out.dtype, state=state, count=count, place=1),
                Phase("random_uniform", out.dtype, parts(DRAW * count), size=count, low=op.low, width=width),
                scratch=[DRAWS])
