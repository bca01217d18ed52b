"""Steps of optimizers on one weight. Numbers that change with each step are arguments, so nothing is compiled anew."""

import numpy as np

from ...launch import THREADS, In, Launch, Out, SourceFile, Work, blocks, size, types
from ..registry import kernel_for

__all__ = ["step_types"]

# Small differences of large numbers, as in rmspropalex, and steps that run for months: each operation rounds as the
# reference's. Such kernels wait for memory, so that fma would save no time.
ADAPTIVE_SOURCE = SourceFile("optimizer/update_adaptive.cu", fmad=False)
SOURCE = SourceFile("optimizer/update.cu", fmad=False)
FLOATS = ("float16", "float32", "float64")
_COMMON = ("rescale_grad", "clip_gradient", "lr", "wd")


def step_types(out, weight, grad, states, **others):
    """The defines of optimizer/update.cuh for arrays of these dtypes, or a text: why there is no kernel for them."""
    for dtype in (out, weight, grad, *states):
        if dtype.name not in FLOATS:
            return f"weights of dtype {dtype}"
    if any(dtype != weight for dtype in states):
        return f"states of another dtype than {weight}"
    return types(weight, W=out, G=grad, **others)


def step(op, inputs, outputs, numbers, kernel=None, source=ADAPTIVE_SOURCE):
    """The Work of a step. numbers: arguments behind the count of elements."""
    names = op.list_arguments()
    mixed = "weight32" in names
    weight = names.index("weight32") if mixed else 0
    last = [k for k, name in enumerate(names) if name in ("r1", "r2", "rescale_grad")]
    states = [k for k in range(2, len(names)) if k != weight and k not in last]
    defines = step_types(outputs[0].dtype, inputs[weight].dtype, inputs[1].dtype, [inputs[k].dtype for k in states],
                         R=inputs[last[0]].dtype if last else np.dtype("float64"))
    if isinstance(defines, str):
        return defines
    if mixed:
        defines["MIXED"] = 1
    elif inputs[0].dtype != outputs[0].dtype:
        return f"a weight of dtype {inputs[0].dtype} and a result of dtype {outputs[0].dtype}"
    count = size(inputs[0])
    if not count:
        return Work()
    arguments = [Out(0), In(weight), In(1), *map(In, states), *map(In, last), count]
    arguments += [value if isinstance(value, np.generic) else float(value) for value in numbers]
    return Work(Launch(source, kernel or op.name, defines, blocks(count), THREADS, arguments))


def attributes(op, *names):
    return [getattr(op, name) for name in names]


@kernel_for("sgd_update", "mp_sgd_update", "sgd_mom_update", "mp_sgd_mom_update", "nag_mom_update",
            "mp_nag_mom_update")
def sgd(op, inputs, outputs):
    numbers = attributes(op, *_COMMON, *(["momentum"] if "mom" in op.mutates else []))
    return step(op, inputs, outputs, numbers, op.name.removeprefix("mp_"), SOURCE)


@kernel_for("signsgd_update")
def signsgd(op, inputs, outputs):
    return step(op, inputs, outputs, attributes(op, "lr", "wd"), source=SOURCE)


@kernel_for("signum_update")
def signum(op, inputs, outputs):
    return step(op, inputs, outputs, attributes(op, *_COMMON, "momentum", "wd_lh"), source=SOURCE)


@kernel_for("adam_update")
def adam(op, inputs, outputs):
    return step(op, inputs, outputs, attributes(op, *_COMMON, "beta1", "beta2", "epsilon"))


@kernel_for("rmsprop_update")
def rmsprop(op, inputs, outputs):
    return step(op, inputs, outputs, attributes(op, *_COMMON, "gamma1", "epsilon", "clip_weights"))


@kernel_for("rmspropalex_update")
def rmspropalex(op, inputs, outputs):
    return step(op, inputs, outputs, attributes(op, *_COMMON, "gamma1", "gamma2", "epsilon", "clip_weights"))


@kernel_for("ftrl_update")
def ftrl(op, inputs, outputs):
    return step(op, inputs, outputs, attributes(op, *_COMMON, "lamda1", "beta"))


@kernel_for("ftml_update")
def ftml(op, inputs, outputs):
    numbers = attributes(op, "rescale_grad", "clip_grad", "wd", "beta1", "beta2", "epsilon")
    return step(op, inputs, outputs, [*numbers, (1 - op.beta1 ** op.t) / op.lr, 1 - op.beta2 ** op.t])


@kernel_for("lamb_update_phase1", "mp_lamb_update_phase1")
def lamb_direction(op, inputs, outputs):
    if op.bias_correction and op.t < 1:
        return f"t={op.t}"
    corrections = (1 - op.beta1 ** op.t, 1 - op.beta2 ** op.t) if op.bias_correction else (1, 1)
    numbers = attributes(op, "rescale_grad", "clip_gradient", "wd", "beta1", "beta2", "epsilon")
    return step(op, inputs, outputs, [*numbers, *corrections, np.bool_(op.bias_correction)], "lamb_update_phase1")


@kernel_for("lamb_update_phase2", "mp_lamb_update_phase2")
def lamb_step(op, inputs, outputs):
    return step(op, inputs, outputs, attributes(op, "lr", "lower_bound", "upper_bound"), "lamb_update_phase2")


@kernel_for("_adamw_update", "_mp_adamw_update")
def adamw(op, inputs, outputs):
    numbers = attributes(op, "clip_gradient", "lr", "wd", "beta1", "beta2", "epsilon", "eta")
    return step(op, inputs, outputs, numbers, "adamw_update")
