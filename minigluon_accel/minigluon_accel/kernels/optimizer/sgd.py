"""Gradient descent steps: plain, with momentum, and with Nesterov momentum."""

import numpy as np

from minigluon.backend.wide import is_narrow, widened

from ...engine import Call
from ..registry import kernel_for
from ..wide import converted
from .update import chosen, step


@kernel_for("sgd_update")
def sgd(op, inputs, outputs):
    return step(op.name.removeprefix("mp_"), op, inputs, **chosen(op, "lr", "wd", "rescale_grad", "clip_gradient"))


@kernel_for("sgd_mom_update", "nag_mom_update")
def momentum(op, inputs, outputs):
    return step(op.name.removeprefix("mp_"), op, inputs,
                **chosen(op, "lr", "momentum", "wd", "rescale_grad", "clip_gradient"))


@kernel_for("mp_sgd_update", "mp_sgd_mom_update", "mp_nag_mom_update")
def mixed(op, inputs, outputs):
    """Returns the Call of the float32 step on the float32 copy, with its result in the narrow dtype."""
    weight, grad, *states = inputs
    if not is_narrow(weight.dtype) or any(spec.dtype != np.float32 for spec in states):
        return "not a narrow weight with states of float32"
    prepare = sgd if op.name == "mp_sgd_update" else momentum
    copy = len(inputs) - 1                              # indices of operands
    out, wide_grad = len(inputs), len(inputs) + 1
    call = prepare(op, [widened(weight), widened(grad), *states[:-1]], [widened(weight)])
    if isinstance(call, str):
        return call
    return Call(converted(grad, 1, wide_grad), *[phase.on([copy, wide_grad, *range(2, copy), copy])
                                                 for phase in call.phases],
                converted(states[-1], copy, out, weight.dtype), scratch=[widened(grad)])
