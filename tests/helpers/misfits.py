"""Calls of operators, internal ones included, with an input or attribute that does not fit, and what must come of them.

Either an error of ours, before any kernel runs, or what NumPy's reference gives, in the shape and type that was told.
Kernels of the plugin run between fences: one that writes beside its output, or whose result depends on what lies beside
its inputs or was in its output before, is found.
"""

import functools
import math
from collections import Counter

import numpy as np
from op_cases import CASES

from helpers.op_heads import head_grad
from helpers.rows import recorded
from minigluon import autograd, nd
from minigluon.backend import Spec
from minigluon.base import MXNetError
from minigluon.dispatch import infer
from minigluon.ops import REGISTRY

FENCE = 1 << 14         # bytes on either side of an array: more than all the elements of a row
LARGE = 1 << 16         # elements of an output that is not worth the time
DTYPES = ["float32", "float64", "float16", "uint8", "int8", "int32", "int64", "bool"]
LENGTHS = [0, 1, 2, 3, 5, 8, 17]
NUMBERS = [-3, -1, 0, 1, 2, 3, 5, 9]
VALUES = [-1000, -7, -1, -0.0, 0.5, 3, 1000, np.inf, -np.inf, np.nan]
HUGE = [*VALUES, -2.0 ** 31, 2.0 ** 31, 2.0 ** 63, 1e30]        # not for regions, which take as many samples
# What NumPy says of values, which no rule about shapes can refuse.
BY_VALUES = ("out of bounds", "infinity to integer", "NaN to integer", "to indexing result",
             "must have no negative elements",              "Invalid integer data type 'b'")
# Operators with inputs that follow from each other: what comes of other values is not told.
CONSISTENT = {"_pick_largest", "_max_pooling_grad"}


@functools.cache
def valid_calls():
    """{operator class: [(op, its inputs, train)]}: what runs when rows of the table are differentiated twice."""
    found = {}
    for case in CASES:
        arrays = [nd.array(a, dtype=a.dtype) for a in case.inputs("float32")]
        for i in case.grad:
            arrays[i].attach_grad()
        with recorded() as calls, autograd.record(train_mode=case.train):
            outputs = getattr(nd, case.op)(*arrays, **case.attrs)
            outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
            if case.grad:
                differentiate(case, outputs, arrays)
        for op, inputs, train in calls:
            if op.name in REGISTRY and max((a.size for a in inputs), default=0) < LARGE:
                found.setdefault(type(op), {})[op, train, tuple([(a.shape, a.dtype) for a in inputs])] = inputs
    for op, inputs in unreached():
        found.setdefault(type(op), {})[op, False, tuple([(a.shape, a.dtype) for a in inputs])] = inputs
    return {cls: [(op, inputs, train) for (op, train, _), inputs in calls.items()] for cls, calls in found.items()}


def unreached():
    """Calls of operators that plans, optimizers and loops make, and no row: [(op, inputs)]."""
    rng = np.random.default_rng(3)

    def u(*shape):
        return rng.uniform(-1, 1, shape).astype("float32")

    apart = {"kernel": (2, 2), "stride": (2, 2)}
    data, grad = u(2, 3, 4, 6), u(2, 3, 2, 3)
    winners = rng.integers(0, 4, grad.shape).astype("uint8")
    return [(REGISTRY[name](**attributes), inputs) for name, inputs, attributes in [
        ("_copyto", [u(2, 3)], {}),
        ("_make_loss_grad", [u(2, 3)], {}),
        ("_linalg_inner", [u(2, 3, 3), u(2, 3, 3)], {}),
        ("_astype_like", [u(2, 3), u(2, 3).astype("float16")], {}),
        ("_item_weight", [u(2, 3)], {}),
        ("_softmax_output_grad", [u(4, 5), np.array([1, 0, 4, 2], "float32")], {}),
        ("_softmax_output_grad", [u(2, 5, 3), np.ones((2, 3), "float32")], {"multi_output": True}),
        ("_svm_output_grad", [u(4, 5), np.array([1, 0, 4, 2], "float32")], {}),
        ("_fully_connected", [u(4, 2, 3), u(5, 6)], {}),
        ("_fully_connected", [u(4, 2, 3), u(5, 3)], {"flatten": False}),
        ("_sample_multinomial_grad", [u(4, 2), u(4, 3) + 2, rng.integers(0, 3, (4, 2)).astype("int32")], {}),
        ("_max_pooling_winners", [data], apart),
        ("_max_pooling_winners_grad", [grad, winners, data], apart),
    ]]


def differentiate(case, outputs, arrays):
    """The gradient, and where there is one, that of its squares."""
    heads = [nd.array(head_grad(y.shape, i), dtype=y.dtype) for i, y in enumerate(outputs)]
    inputs = [arrays[i] for i in case.grad]
    if not case.second:
        autograd.backward(outputs, heads)
        return
    grads = autograd.grad(outputs, inputs, heads, create_graph=True)
    tracked = [g * g for g in grads if g.entry is not None]
    if tracked:
        autograd.backward(tracked)


def misfit(rng, op, arrays):
    """(op, arrays) with one thing changed: the shape, type or values of an input, rarely an attribute."""
    numbers = [name for name, value in op.attributes.items() if _numbers(value)]
    if numbers and (not arrays or rng.random() < 0.2):
        return with_attribute(rng, op, str(rng.choice(numbers))), arrays
    if not arrays:
        return op, arrays
    arrays = list(arrays)
    place = rng.integers(len(arrays))
    array, what = arrays[place], rng.random()
    if what < 0.15:
        with np.errstate(all="ignore"):
            arrays[place] = array.astype(rng.choice(DTYPES))
    elif what < 0.25 and array.size:
        arrays[place] = array.copy()
        values = VALUES if "rois" in op.argument_names(len(arrays)) else HUGE
        with np.errstate(all="ignore"):
            arrays[place].flat[rng.integers(array.size)] = np.array(rng.choice(values)).astype(array.dtype)
    else:
        shape = other_shape(rng, array.shape)
        arrays[place] = np.resize(array, shape) if array.size else np.ones(shape, array.dtype)
        assert arrays[place].dtype == array.dtype
    return op, arrays


def other_shape(rng, shape):
    """One length changed, or an axis more or less, or the axes in another order."""
    shape = list(shape)
    what = rng.random()
    if not shape or what < 0.15:
        shape.insert(rng.integers(len(shape) + 1), int(rng.choice(LENGTHS)))
    elif what < 0.3:
        shape.pop(rng.integers(len(shape)))
    elif what < 0.4:
        rng.shuffle(shape)
    else:
        axis = rng.integers(len(shape))
        shape[axis] = int(rng.choice([*LENGTHS, shape[axis] + 1, max(shape[axis] - 1, 0), 2 * shape[axis]]))
    return tuple(shape)


def _numbers(value):
    values = value if isinstance(value, tuple) else [value]
    return bool(values) and all(type(v) in (int, float) for v in values)


def with_attribute(rng, op, name):
    """The operator with another number for an attribute, or for one of its numbers. Raises MXNetError."""
    value = op.attributes[name]
    kind = type(value[0] if isinstance(value, tuple) else value)
    number = kind(rng.choice(NUMBERS))
    if isinstance(value, tuple):
        place = rng.integers(len(value))
        number = value[:place] + (number,) + value[place + 1:]
    return type(op)(**{**op.attributes, name: number})


def draw(seed, cls, backend, count):
    """Draw `count` calls of an operator class and check them: {what came of it: how often}. Raises AssertionError."""
    rng = np.random.default_rng([seed, *cls.name.encode()])
    calls, came = valid_calls()[cls], Counter()
    for _ in range(count):
        op, arrays, train = calls[rng.integers(len(calls))]
        try:
            op, arrays = misfit(rng, op, arrays)
        except MXNetError:
            came["refused"] += 1            # an attribute that no such operator has
            continue
        came[check(op, arrays, train, backend)] += 1
    return came


def check(op, arrays, train, backend):
    """Run a call by NumPy's `forward` and by the backend's kernel. Raises AssertionError; returns what came of it."""
    inputs = [Spec(a.shape, a.dtype) for a in arrays]
    what = f"{op!r} on {inputs}"
    try:
        outputs = infer(op, inputs)
    except MXNetError:
        return "refused"
    if op.dynamic or op.random:
        return "not compared"
    if sum(math.prod(spec.shape) for spec in outputs) > LARGE:
        return "too large"
    try:
        kernel = backend.prepare(op, inputs, outputs, train, None)
    except MXNetError:
        return "refused"
    try:
        wanted = forward(op, arrays, train)
    except MXNetError:
        wanted = None           # such as an index that is out of range
    except Exception as error:
        if not any(text in str(error) for text in BY_VALUES):
            raise AssertionError(f"{what}: it passed inference, but NumPy says: {error!r}") from error
        wanted = "anything"
    if isinstance(wanted, list):
        found = [Spec(a.shape, a.dtype) for a in wanted[:len(outputs)]]
        assert found == outputs, f"{what}: NumPy gives {found}, inferred were {outputs}"
    if isinstance(kernel, str) or kernel.write is None:
        return "by the reference"
    results = [beside(op, kernel, arrays, outputs, fill, what) for fill in (0x5a, 0xff)]
    if wanted is None:
        assert results == [None, None], f"{what}: NumPy refuses its values, the kernel does not"
        return "refused for its values"
    if wanted == "anything":
        return "inside its memory"
    assert None not in results, f"{what}: the kernel refuses its values, NumPy does not"
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other, f"{what}: the result depends on what was in memory")
    if op.name not in CONSISTENT:
        for place, (found, right) in enumerate(zip(results[0], complete(op, wanted, arrays), strict=True)):
            close(found, right, arrays, f"{what}: result {place}")
    return "equal"


def forward(op, arrays, train):
    """[outputs, then the new values of what it overwrites or None], of NumPy."""
    how = {"train": train} if op.takes_train else {}
    with np.errstate(all="ignore"):
        results = op.forward(*[a.copy() for a in arrays], **how)
    results = list(results) if isinstance(results, (tuple, list)) else [results]
    return [None if r is None else np.asarray(r) for r in results]


def complete(op, results, arrays):
    """The outputs and all inputs afterwards, as a kernel leaves them."""
    names = list(op.argument_names(len(arrays)))
    after = dict(zip(op.mutates, results[op.num_outputs:], strict=False))
    return results[:op.num_outputs] + [a if after.get(n) is None else after[n]
                                       for n, a in zip(names, arrays, strict=True)]


def beside(op, kernel, arrays, outputs, fill, what):
    """[outputs, then inputs afterwards] of a kernel with memory full of one byte around and in its buffers.

    None where it refuses the values.
    """
    specs = [*[Spec(a.shape, a.dtype) for a in arrays], *outputs, *kernel.scratch]
    memory, buffers = zip(*[fenced(spec, fill) for spec in specs], strict=True) if specs else ((), ())
    for buffer, array in zip(buffers, arrays, strict=False):
        buffer[...] = array
    count = len(arrays)
    try:
        kernel.write(list(buffers[:count]), list(buffers[count:]))
    except MXNetError:
        return None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:      # which dispatch makes MXNetErrors of
        if not any(text in str(error) for text in BY_VALUES):
            raise AssertionError(f"{what}: the kernel says {error!r}") from error
        return None
    finally:
        for spec, block in zip(specs, memory, strict=True):
            behind = FENCE + math.prod(spec.shape) * spec.dtype.itemsize
            fences = np.concatenate([block[:FENCE], block[behind:]])
            assert (fences == fill).all(), f"{what}: written beside {spec}"
    return [b.copy() for b in (*buffers[count:count + len(outputs)], *buffers[:count])]


def fenced(spec, fill):
    """(bytes, an array in the middle of them)."""
    size = math.prod(spec.shape) * spec.dtype.itemsize
    block = np.full(FENCE + size + FENCE, fill, np.uint8)
    array = block[FENCE:FENCE + size].view(spec.dtype).reshape(spec.shape)
    if spec.dtype.kind == "b":
        array[...] = fill == 0xff
    return block, array


def close(found, wanted, arrays, what):
    """Equal but for rounding, and for what NaN, infinity and huge numbers make of it: other tests look at these."""
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), what
    floats = [a for a in (*arrays, wanted) if a.dtype.kind == "f"]
    if any(not (np.abs(a) < 1e4).all() for a in floats):
        return
    eps = max([float(np.finfo(a.dtype).eps) for a in floats], default=0)
    scale = max([float(np.max(np.abs(a), initial=1)) for a in floats], default=0)
    atol = 1000 * eps * scale if found.dtype.kind == "f" else 1 if floats else 0
    np.testing.assert_allclose(found.astype("f8"), wanted.astype("f8"), rtol=1000 * eps, atol=atol, err_msg=what)
