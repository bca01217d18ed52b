"""Dropout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....ops.nn.dropout import Dropout
from ....ops.shapes import Spec
from ..table import Writer, kernel_for


@kernel_for(Dropout)
def dropout(op, inputs, outputs, train, rng):
    """Returns the kernel, whose scratch buffer holds the random numbers if the mask has a different type."""
    if not op.draws(train):
        return passed
    least, scale = op.p, np.array(1 / (1 - op.p) if op.p < 1 else 0, inputs[0].dtype)
    numbers = Spec(outputs[1].shape, np.dtype(np.float32))

    def run(inputs, targets):
        out, mask, numbers = targets[0], targets[1], targets[-1]
        rng.random(None, np.float32, numbers)
        np.greater_equal(numbers, least, mask)
        np.multiply(mask, scale, mask)
        np.multiply(inputs[0], mask, out)
    return Writer(run, [numbers] if numbers != outputs[1] else [])


def passed(inputs: Sequence[Spec], targets: Sequence[np.ndarray[Any, Any]]) -> None:
    """Copies the data; nothing is dropped."""
    np.copyto(targets[0], inputs[0])
    targets[1].fill(1)
