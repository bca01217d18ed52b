"""Steps of optimizers on one weight."""

import numpy as np

from minigluon.backend.wide import is_narrow, widened

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size
from ..wide import converted

_LIMITS = ("clip_gradient", "clip_grad", "clip_weights")


def step(kernel, op, inputs, **more):
    """The Call of a step on one weight: the attributes of the operator, and what else the kernel takes."""
    if any(limit != limit for limit in (getattr(op, name, 0) for name in _LIMITS)):
        return "a limit that is NaN"
    count = size(inputs[0])
    return reals(*inputs) or Call(Phase(kernel, inputs[0].dtype, parts(count), size=count, **more))


def chosen(op, *names):
    """{name: attribute}"""
    return {name: getattr(op, name) for name in names}


@kernel_for("sgd_update", "signsgd_update")
def sgd(op, inputs, outputs):
    return step(op.name.removeprefix("mp_"), op, inputs, **chosen(op, "lr", "wd", "rescale_grad", "clip_gradient"))


@kernel_for("sgd_mom_update", "nag_mom_update")
def momentum(op, inputs, outputs):
    return step(op.name.removeprefix("mp_"), op, inputs,
                **chosen(op, "lr", "momentum", "wd", "rescale_grad", "clip_gradient"))


@kernel_for("signum_update")
def signum(op, inputs, outputs):
    return step(op.name, op, inputs, **chosen(op, "lr", "momentum", "wd", "rescale_grad", "clip_gradient", "wd_lh"))


@kernel_for("adam_update")
def adam(op, inputs, outputs):
    return step(op.name, op, inputs, **chosen(op, "lr", "beta1", "beta2", "epsilon", "wd", "rescale_grad",
                                              "clip_gradient"))


@kernel_for("rmsprop_update", "rmspropalex_update")
def rmsprop(op, inputs, outputs):
    return step(op.name, op, inputs, lr=op.lr, gamma1=op.gamma1, gamma2=getattr(op, "gamma2", 0),
                **chosen(op, "epsilon", "wd", "rescale_grad", "clip_gradient", "clip_weights"))


@kernel_for("ftrl_update")
def ftrl(op, inputs, outputs):
    return step(op.name, op, inputs, **chosen(op, "lr", "lamda1", "beta", "wd", "rescale_grad", "clip_gradient"))


@kernel_for("ftml_update")
def ftml(op, inputs, outputs):
    return step(op.name, op, inputs, rate=(1 - op.beta1 ** op.t) / op.lr, correction=1 - op.beta2 ** op.t,
                **chosen(op, "beta1", "beta2", "epsilon", "wd", "rescale_grad", "clip_grad"))


@kernel_for("lamb_update_phase1")
def lamb1(op, inputs, outputs):
    if op.bias_correction and op.t < 1:
        return f"t={op.t}"
    corrections = (1 - op.beta1 ** op.t, 1 - op.beta2 ** op.t) if op.bias_correction else (1, 1)
    return step(op.name, op, inputs, **chosen(op, "beta1", "beta2", "epsilon"), correction1=corrections[0],
                correction2=corrections[1], **chosen(op, "wd", "rescale_grad", "clip_gradient"))


@kernel_for("lamb_update_phase2")
def lamb2(op, inputs, outputs):
    return step(op.name, op, inputs, **chosen(op, "lr", "lower_bound", "upper_bound"))


@kernel_for("_adamw_update")
def adamw(op, inputs, outputs):
    return step("adamw_update", op, inputs, **chosen(op, "lr", "beta1", "beta2", "epsilon", "wd", "eta",
                                                     "clip_gradient"))


@kernel_for("mp_sgd_update", "mp_sgd_mom_update", "mp_nag_mom_update")
def mixed(op, inputs, outputs):
    """The step for float32 on the float32 copy, and its result in the narrow type."""
    weight, grad, *states = inputs
    if not is_narrow(weight.dtype) or any(spec.dtype != np.float32 for spec in states):
        return "not a narrow weight with states of float32"
    prepare = sgd if op.name == "mp_sgd_update" else momentum
    copy = len(inputs) - 1                              # numbers of operands
    out, wide_grad = len(inputs), len(inputs) + 1
    call = prepare(op, [widened(weight), widened(grad), *states[:-1]], [widened(weight)])
    if isinstance(call, str):
        return call
    return Call(converted(grad, 1, wide_grad), *[phase.on([copy, wide_grad, *range(2, copy), copy])
                                                 for phase in call.phases],
                converted(states[-1], copy, out, weight.dtype), scratch=[widened(grad)])
