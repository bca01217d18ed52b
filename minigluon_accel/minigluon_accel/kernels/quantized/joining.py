"""Concatenation of quantized arrays."""

import math

from ...engine import Call, Phase
from ..integer_steps import elementwise, not_reals, widen
from ..registry import kernel_for, size


@kernel_for("_contrib_quantized_concat")
def quantized_concat(op, inputs, outputs):
    n, out, target = op.num_args, outputs[0], len(inputs)
    if reason := not_reals(*inputs[n:]) or ("no elements" if not size(out) else None):
        return reason
    axis = op.dim % len(out.shape)
    outer, inner = math.prod(out.shape[:axis]), math.prod(out.shape[axis + 1:])
    row = widen(out.dtype, target + 1, target + 2)
    phases, first = [Phase("join_ranges", None, 1, first=n, count=n, low=target + 1, high=target + 2)], 0
    for number, data in enumerate(inputs[:n]):
        length = data.shape[axis] * inner
        if length:
            phases.append(elementwise(data, out, [row], number, n + 2 * number, n + 2 * number + 1, target,
                                      shape=(outer, length), place=(first, out.shape[axis] * inner)))
        first += length
    return Call(*phases)
