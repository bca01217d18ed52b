"""float16 and bfloat16: an operator that has no kernel for these types runs the float32 kernel between conversions.

Storage is narrow, and computation is wide: inputs are converted to float32 in scratch buffers, which are part of a
plan's memory, and the results are converted back. So each result is rounded once, and an operator needs no second
kernel.
"""

import numpy as np

from minigluon.backend.wide import is_narrow, widened

from ..engine import Call, Phase
from .registry import parts, size

__all__ = ["between_conversions", "converted", "is_narrow"]


def between_conversions(find, op, inputs, outputs):
    """Returns the Call for an operator with some narrow arrays, or a string that says why there is none.

    find: `find(inputs, outputs)` -> the Call for other Specs, or a reason.
    """
    if any(spec.dtype == np.float64 for spec in (*inputs, *outputs)):
        return "float64 beside a narrower type"         # the result would be rounded twice, first to float32
    call = find([widened(spec) for spec in inputs], [widened(spec) for spec in outputs])
    if isinstance(call, str):
        return call
    names = op.argument_names(len(inputs))
    targets = [names.index(name) for name in op.mutates] if call.writes_inputs else []
    read = [k for k, spec in enumerate(inputs) if is_narrow(spec.dtype) and names[k] not in op.shape_only]
    results = [len(inputs) + k for k, spec in enumerate(outputs) if is_narrow(spec.dtype)]
    specs = [*inputs, *outputs]
    place = list(range(len(specs)))                     # the index of each operand of the float32 kernel
    scratch = []
    for k in [*read, *results]:
        place[k] = len(specs) + len(scratch)
        scratch.append(widened(specs[k]))
    place += range(len(specs) + len(scratch), len(specs) + len(scratch) + len(call.scratch))
    before = [converted(specs[k], k, place[k]) for k in read]
    after = [converted(widened(specs[k]), place[k], k, specs[k].dtype) for k in [*results, *targets] if place[k] != k]
    return Call(*before, *[phase.on(place) for phase in call.phases], *after, scratch=[*scratch, *call.scratch],
                writes_inputs=call.writes_inputs)


def converted(spec, source, target, dtype=None):
    """Returns the Phase that converts a narrow dtype to float32 or, if `dtype` is set, float32 to this narrow dtype."""
    count = size(spec)
    name = f"{dtype}_narrowed" if dtype is not None else f"{spec.dtype}_widened"
    return Phase(name, None, parts(count), size=count, source=source, target=target)
