"""Dropout: a single pass draws the mask and applies it."""

import math

import numpy as np

from ...engine import Call, Phase
from ..philox import DRAW, DRAWS, state_of
from ..registry import kernel_for, parts, reals, size

__all__ = ["drawn", "dropping", "keep_factor"]


def keep_factor(p):
    """Returns the factor by which elements that are not dropped are multiplied."""
    return 1 / (1 - p) if p < 1 else 0.0


def drawn(dtype, state, p, count, draws):
    """Returns (the Phase that draws `count` numbers, the fields of a kernel that uses them to drop elements).

    draws: index in io.
    """
    return Phase("take_numbers", dtype, state=state, count=count, place=draws), {
        "draws": draws, "least": math.ceil(float(np.float32(p)) * 2 ** 24), "factor": keep_factor(p)}


def dropping(dtype, state, p, count, data, out, mask, draws, data_first=0, mask_first=0):
    """Returns the Phases that draw `count` numbers and drop elements; data, out, mask, draws: indices in io."""
    take, draw_fields = drawn(dtype, state, p, count, draws)
    return take, Phase("dropout", dtype, parts(DRAW * count), data=data, out=out, mask=mask, data_first=data_first,
                       mask_first=mask_first, size=count, **draw_fields)


@kernel_for("Dropout")
def dropout(op, inputs, outputs, train, rng):
    data, mask = inputs[0], outputs[1]
    reason = reals(*inputs, *outputs)
    if reason:
        return reason
    count = size(data)
    if not op.draws(train):
        return Call(Phase("dropout_pass", data.dtype, max(parts(count), 1), size=count, ones=size(mask)))
    state = state_of(rng)
    if isinstance(state, str) or mask.shape != data.shape:
        return state if isinstance(state, str) else "axes"
    return Call(*dropping(data.dtype, state, op.p, count, data=0, out=1, mask=2, draws=3), scratch=[DRAWS])
