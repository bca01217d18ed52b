"""softmax and its relatives, the operators that end a network with it, and pick."""

import math

from minigluon.backend import Spec

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size

INDEX_TYPES = {"float32": 0, "float64": 1, "int32": 2, "int64": 3, "uint8": 4}
EXP = 4         # what exp costs beside an addition


def _split(shape, axis):
    """(outer, count, inner) around an axis."""
    axis %= len(shape)
    return math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1:])


def _phase(kernel, spec, shape, logarithm=False, factor=1.0):
    outer, count, inner = shape
    rows = outer if inner == 1 else outer * inner
    return Phase(kernel, spec.dtype, min(parts(EXP * size(spec)), rows), outer=outer, count=count, inner=inner,
                 logarithm=logarithm, factor=factor)


@kernel_for("softmax", "softmin", "log_softmax")
def softmax(op, inputs, outputs):
    declined = reals(*inputs[:1], *outputs)
    if declined or op.use_length:
        return declined or "use_length"
    factor = op.sign / (op.temperature or 1)
    if not 0 < abs(factor) < math.inf:
        return f"temperature {op.temperature}"
    return Call(_phase("softmax", inputs[0], _split(inputs[0].shape, op.axis), op.name == "log_softmax", factor))


@kernel_for("_softmax_grad", "_log_softmax_grad")
def softmax_grad(op, inputs, outputs):
    return reals(*inputs, *outputs) or Call(_phase(
        "softmax_grad", outputs[0], _split(outputs[0].shape, op.axis), op.name == "_log_softmax_grad"))


@kernel_for("SoftmaxActivation")
def softmax_activation(op, inputs, outputs):
    return reals(*inputs) or Call(_phase("softmax", inputs[0], _split(op.flat_shape(inputs[0].shape), 1)))


@kernel_for("SoftmaxOutput")
def softmax_output(op, inputs, outputs):
    return reals(inputs[0], outputs[0]) or Call(_phase("softmax_output", inputs[0], op.rows_shape(inputs[0].shape)))


@kernel_for("_softmax_output_grad")
def softmax_output_grad(op, inputs, outputs):
    declined = reals(*inputs, *outputs)
    if declined:
        return declined
    if inputs[0].shape == inputs[1].shape:
        return "label of probabilities"
    items, classes, places = op.rows_shape(inputs[0].shape)
    divided = 1 if op.normalization == "valid" else places * (items if op.normalization == "batch" else 1)
    return Call(Phase(
        "softmax_output_grad", inputs[0].dtype, min(parts(size(inputs[0])), items), items=items, classes=classes,
        places=places, use_ignore=op.use_ignore, valid=op.normalization == "valid", ignore=op.ignore_label,
        scale=op.grad_scale / max(divided, 1), hit=1 - op.smooth_alpha, miss=op.smooth_alpha / max(1, classes - 1)))


@kernel_for("softmax_cross_entropy")
def softmax_cross_entropy(op, inputs, outputs):
    declined = reals(*inputs, *outputs)
    rows, classes = inputs[0].shape
    if declined or not classes:
        return declined or "no classes"
    return Call(Phase("cross_entropy_rows", inputs[0].dtype, min(parts(EXP * rows * classes), rows), rows=rows,
                      classes=classes),
                Phase("cross_entropy_sum", inputs[0].dtype, 1, rows=rows, classes=classes),
                scratch=[Spec((rows,), inputs[0].dtype)])


def _pick_call(kernel, op, data, index, divided):
    declined = reals(data)
    if declined or index.dtype.name not in INDEX_TYPES:
        return declined or f"index of {index.dtype}"
    outer, count, inner = _split(data.shape, op.axis)
    if not outer * count * inner:
        return "no elements"
    return Call(Phase(kernel, data.dtype, divided(outer), outer=outer, count=count, inner=inner,
                      index_type=INDEX_TYPES[index.dtype.name], wrap=op.mode == "wrap"))


@kernel_for("pick")
def pick(op, inputs, outputs):
    return _pick_call("pick", op, *inputs, lambda outer: parts(size(outputs[0])))


@kernel_for("_pick_grad")
def pick_grad(op, inputs, outputs):
    return _pick_call("pick_grad", op, *inputs[1:], lambda outer: min(parts(size(outputs[0])), outer))
