"""Optimizer steps on many weights at once."""

import numpy as np

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size

_MANY = {"preloaded_multi_sgd_update": "sgd_many", "preloaded_multi_sgd_mom_update": "sgd_mom_many",
         "_sgd_steps": "sgd_many", "_sgd_mom_steps": "sgd_mom_many", "_adam_steps": "adam_many"}


@kernel_for(*_MANY)
def many(op, inputs, outputs):
    """Returns the Call for steps on many weights, with learning rates and decays in arrays."""
    group, in_place = len(op.group), op.name.startswith("_")
    weights, rates = inputs[:op.num_weights * group], inputs[op.num_weights * group:]
    sizes = [size(spec) for spec in weights[::group]]
    if op.clip_gradient != op.clip_gradient:
        return "a limit that is NaN"
    if not weights:
        return "no weights"
    if any(spec.dtype != rates[0].dtype or spec.dtype.itemsize not in (4, 8) for spec in rates):
        return "types of the learning rates"
    return reals(*weights) or reals(rates[0]) or Call(Phase(
        _MANY[op.name], np.dtype(weights[0].dtype), parts(sum(sizes)), weights=op.num_weights, group=group,
        in_place=in_place, rate_bytes=rates[0].dtype.itemsize, clip_gradient=op.clip_gradient,
        momentum=getattr(op, "momentum", 0), beta1=getattr(op, "beta1", 0), beta2=getattr(op, "beta2", 0),
        epsilon=getattr(op, "epsilon", 0), rescale_grad=getattr(op, "rescale_grad", 1), sizes=sizes))
