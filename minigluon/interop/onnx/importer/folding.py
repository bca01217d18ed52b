"""Constant folding: nodes whose inputs are all known, mostly shape arithmetic, are computed while the file is read.

Arrays of numbers are processed by ONNX's own reference implementation. Symbolic dimensions (see `values`) are handled
by a few functions here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ops.symbolic_dimensions import SymbolicDim
from .budget import require_simple
from .table import NotRepresentableError

if TYPE_CHECKING:
    from .call import Call

__all__ = ["fold"]

LEFT = {"If", "Loop", "Scan", "Constant", "RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike",
        "Multinomial", "Bernoulli", "Dropout", "SequenceMap"}
LARGE = 1 << 10         # the maximum number of elements of a result
SMALL = 256             # the maximum number of elements in a parameter that is folded and is then no longer a parameter


def fold(call: Call,
         budget: Any) -> list[np.ndarray[Any, Any]] | None:
    """Returns the arrays of a node's outputs if they depend only on known numbers, otherwise None."""
    if call.type == "Shape" and call.value(0).shape is not None:
        return [_shape(call)]
    if call.type == "Size" and call.value(0).shape is not None:
        return [_as_array(np.array(math.prod(call.shape()), object))]
    if call.type in LEFT or not call.inputs or any(v is not None and v.array is None for v in call.inputs):
        return None
    arrays = [None if v is None else v.array for v in call.inputs]
    if call.type == "Identity" and not (call.inputs[0].parameter and arrays[0].size > SMALL):
        return arrays[:1]
    if any(a is not None and a.dtype == object for a in arrays):
        return _with_lengths(call, budget, arrays)
    if call.type not in SIZES or any(v.parameter and v.array.size > SMALL for v in call.inputs if v is not None):
        return None
    count = SIZES[call.type](call, *arrays)
    if count > LARGE and call.type in ("ConstantOfShape", "Expand", "Tile"):
        return None                     # an operator of the graph computes it at run time
    budget.take(count)
    return _evaluated(call, arrays)


def _with_lengths(call, budget, arrays):
    """Returns the output of a node whose inputs contain open lengths, or None if no function here supports them."""
    function = OPEN.get(call.type)
    if function is None:
        return None
    count = (_broadcast if call.type in ARITHMETIC else _same)(call, *arrays)
    if call.type in ARITHMETIC or call.type == "ReduceProd":
        count *= math.prod(max(map(_terms, array.ravel()), default=1) for array in arrays if array is not None)
    budget.take(count, 512)         # a length is a dict, and its arithmetic visits all pairs of terms
    result = _as_array(function(call, *arrays))
    require_simple(list(result.ravel()))
    return [result]


def _evaluated(call, arrays):
    """Returns the outputs of one node, computed by ONNX's reference implementation."""
    from onnx import helper
    from onnx.reference import ReferenceEvaluator
    named = {name: array for name, array in zip(call.node.input, arrays, strict=True) if name}
    graph = helper.make_graph(
        [call.node], "folded",
        [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in named.items()],
        [helper.make_empty_tensor_value_info(name) for name in call.outputs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid(call.node.domain, call.opset)])
    try:
        with np.errstate(all="ignore"):
            return [np.asarray(out) for out in ReferenceEvaluator(model).run(None, named)]
    except Exception as error:      # the errors that ONNX's functions raise for invalid inputs
        raise NotRepresentableError(f"its known inputs do not fit: {type(error).__name__} {error}") from error


# -- number of elements in a node's result ---------------------------------------------------------------------------

def _same(call, *arrays):
    return sum(a.size for a in arrays if a is not None)


def _broadcast(call, *arrays):
    return math.prod(np.broadcast_shapes(*[a.shape for a in arrays if a is not None]))


def _product(call, shape, *rest):
    return math.prod(max(int(n), 0) for n in shape.ravel())


def _expanded(call, data, shape, *rest):
    return max(1, data.size) * math.prod(max(int(n), 1) for n in shape.ravel())


def _range(call, start, limit, delta):
    if not delta.item():
        raise NotRepresentableError("delta is 0")
    return max(0, math.ceil((limit.item() - start.item()) / delta.item()))


def _gathered(call, data, indices):
    axis = call.attribute("axis", 0)
    return data.size // max(1, data.shape[axis]) * indices.size


def _gathered_elements(call, data, indices):
    length = data.shape[call.axis(call.attribute("axis", 0))] if data.ndim else 0
    if indices.dtype.kind != "i" or (indices.size and not -length <= indices.min() <= indices.max() < length):
        # ONNX's implementation adds the length to an index until the index is not negative
        raise NotRepresentableError(f"its indices must be integers from {-length} to {length - 1}")
    return data.size + indices.size


def _padded(call, data, pads=None, *rest):
    if pads is None:
        return data.size
    return data.size + math.prod(n + abs(int(pads.min(initial=0))) + int(pads.max(initial=0)) * 2 for n in data.shape)


def _largest(call, data, count, *rest):
    length = data.shape[call.axis(call.attribute("axis", -1))] if data.ndim else 1
    return data.size + data.size // max(1, length) * max(0, int(count.max(initial=0)))


def _one_hot(call, indices, depth, values):
    return indices.size * max(0, int(depth.item() if depth.ndim == 0 else depth[0]))


SIZES = {
    **dict.fromkeys([
        "Cast", "CastLike", "Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose",
        "Concat", "Slice", "Split", "Neg", "Abs", "Ceil", "Floor", "Round", "Sqrt", "Exp", "Log",
        "Reciprocal", "Not", "ReduceProd", "ReduceSum", "ReduceMin", "ReduceMax", "ReduceMean",
        "ArgMax", "ArgMin", "NonZero", "Sign", "CumSum", "Cos", "Sin", "Tanh", "Sigmoid", "Relu",
        "Trilu", "Clip", "IsNaN", "IsInf", "Erf", "Size",
        "ScatterND", "ScatterElements", "Compress", "Unique", "Softplus", "Pow"], _same),
    **dict.fromkeys(["Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Equal", "Less", "LessOrEqual", "Greater", "Pow",
                     "GreaterOrEqual", "And", "Or", "Xor", "Where", "Sum", "Mean"], _broadcast),
    **dict.fromkeys(["ConstantOfShape", "HannWindow", "HammingWindow", "BlackmanWindow"], _product),
    "GatherND": lambda call, data, indices: max(1, data.size) * max(1, indices.size),
    "Expand": _expanded, "Tile": _expanded, "Range": _range, "Gather": _gathered, "GatherElements": _gathered_elements,
    "Pad": _padded, "OneHot": _one_hot, "TopK": _largest,
}


# -- arrays of symbolic dimensions -----------------------------------------------------------------------------------

def _as_array(value):
    """Returns an array, with dtype int64 if it no longer contains a symbolic dimension."""
    value = np.asarray(value)
    if value.dtype == object and not any(isinstance(n, SymbolicDim) for n in value.ravel()):
        return value.astype(bool if value.size and isinstance(value.ravel()[0], (bool, np.bool_)) else np.int64)
    return value


def _shape(call):
    shape = call.shape()
    lengths = np.empty(len(shape), object)
    lengths[:] = shape
    start, end = call.attribute("start", 0), call.attribute("end", None)
    return _as_array(lengths[start:end])


def _terms(length):
    return len(length.terms) if isinstance(length, SymbolicDim) else 1


def _arithmetic(function):
    def compute(call, a, b):
        shape = np.broadcast_shapes(a.shape, b.shape)
        a, b = np.broadcast_to(a, shape), np.broadcast_to(b, shape)
        result = np.empty(shape, object)
        for index in np.ndindex(*shape):
            result[index] = function(a[index], b[index])
        return result
    return compute


def _axes(call, index):
    return tuple(call.integers("axes", index, []))


def _slice(call, data, *rest):
    starts, ends = call.integers("starts", 1), call.integers("ends", 2)
    steps = call.integers("steps", 4) or [1] * len(starts)
    axes = call.integers("axes", 3) or range(len(starts))
    key = [slice(None)] * data.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        key[axis] = slice(start, end if end > -1 << 31 else None, step)
    return data[tuple(key)]


def _cast(call, data, *rest):
    if call.attribute("to", 7) not in (6, 7):
        raise NotRepresentableError("lengths that the file leaves open would become fractions")
    return data


def _reduce_prod(call, data, *rest):
    if data.ndim != 1:
        raise NotRepresentableError("a product of open lengths over some axes only")
    total = math.prod(data)
    result = np.empty((1,) if call.attribute("keepdims", 1) else (), object)
    result[...] = total
    return result


def _where(call, condition, a, b):
    shape = np.broadcast_shapes(condition.shape, a.shape, b.shape)
    result = np.empty(shape, object)
    condition, a, b = (np.broadcast_to(part, shape) for part in (condition, a, b))
    for index in np.ndindex(*shape):
        result[index] = a[index] if condition[index] else b[index]
    return result


def _unequal(a, b):
    """Returns whether a and b differ; numbers such as -1 never equal a length."""
    if isinstance(a, SymbolicDim) and isinstance(b, SymbolicDim):
        return a.terms == b.terms
    return False if isinstance(a, SymbolicDim) or isinstance(b, SymbolicDim) else a == b


ARITHMETIC = {"Add", "Sub", "Mul", "Div", "Mod", "Equal", "Where"}
OPEN = {
    "Identity": lambda call, data: data, "Cast": _cast, "CastLike": _cast,
    "Gather": lambda call, data, indices: _gather(data, indices, call.attribute("axis", 0)),
    "Slice": _slice, "Where": _where, "ReduceProd": _reduce_prod,
    "Concat": lambda call, *parts: np.concatenate([part.astype(object) for part in parts], call.attribute("axis")),
    "Unsqueeze": lambda call, data, *rest: np.expand_dims(data, _axes(call, 1)),
    "Squeeze": lambda call, data, *rest: np.squeeze(data, _axes(call, 1) or None),
    "Reshape": lambda call, data, shape: data.reshape([int(n) for n in shape]),
    "Add": _arithmetic(lambda a, b: a + b), "Sub": _arithmetic(lambda a, b: a - b),
    "Mul": _arithmetic(lambda a, b: a * b), "Div": _arithmetic(lambda a, b: a // b),
    "Mod": _arithmetic(lambda a, b: a % b), "Equal": _arithmetic(_unequal),
}


def _gather(data, indices, axis):
    items = np.take(data, indices.astype(np.int64), axis)
    result = np.empty(indices.shape if data.ndim == 1 else np.shape(items), object)
    result[...] = items
    return result

