"""Concatenation of quantized arrays."""

import math

from minigluon.backend import Spec

from ...engine import Call, Phase
from ...strides import StridedView
from ..integer_steps import elementwise, not_reals, widen
from ..movement import move
from ..registry import kernel_for, size


@kernel_for("_contrib_quantized_concat")
def quantized_concat(op, inputs, outputs):
    n, out = op.num_args, outputs[0]
    arrays, target, scratch = inputs[:n], len(inputs), len(inputs) + 3
    if reason := not_reals(*inputs[n:]) or ("no elements" if not size(out) else None):
        return reason
    phases = [Phase("join_ranges", None, 1, first=n, count=n, low=target + 1, high=target + 2)]
    view, at = StridedView(out.shape), 0
    for number, data in enumerate(arrays):
        length = data.shape[op.dim]
        place = (slice(None),) * (op.dim % len(out.shape)) + (slice(at, at + length),)
        at += length
        if not length:
            continue
        ends = n + 2 * number, n + 2 * number + 1
        row = widen(out.dtype, target + 1, target + 2)
        phases.append(elementwise(data, out, [row], number, *ends, scratch))
        phases.append(move(1, scratch, target, StridedView(data.shape), view[place]))
    most = max(math.prod(data.shape) for data in arrays)
    return Call(*phases, scratch=[Spec((most,), out.dtype)])
