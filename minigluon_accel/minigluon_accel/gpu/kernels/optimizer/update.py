"""Functions shared by the optimizer steps on one weight.

Values that change with each step are arguments, so nothing is recompiled.
"""

import numpy as np

from ...launch import THREADS, In, Launch, Out, SourceFile, Work, blocks, size, types

# Steps contain small differences between large numbers, as in rmspropalex, and may be repeated for months, so each
# operation rounds as in the reference. Kernels like these are memory-bound, so fma would not save time.
ADAPTIVE_SOURCE = SourceFile("optimizer/update_adaptive.cu", fmad=False)
PLAIN_SOURCE = SourceFile("optimizer/update.cu", fmad=False)
FLOATS = ("float16", "float32", "float64")
COMMON = ("rescale_grad", "clip_gradient", "lr", "wd")        # parameters that nearly all steps have


def step_types(out, weight, grad, states, **others):
    """Returns the defines for optimizer/update.cuh for these dtypes, or a string that says why there is no kernel."""
    for dtype in (out, weight, grad, *states):
        if dtype.name not in FLOATS:
            return f"weights of dtype {dtype}"
    if any(dtype != weight for dtype in states):
        return f"states of another dtype than {weight}"
    return types(weight, W=out, G=grad, **others)


def step(op, inputs, outputs, numbers, kernel=None, source=ADAPTIVE_SOURCE):
    """Returns the Work of a step. numbers: the arguments after the number of elements."""
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
