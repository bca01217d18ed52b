"""Calls of operators, internal ones included, with inputs or attributes that do not fit.

A call is one that runs when a row of the table of operators is differentiated twice; `changes` says what is done to it.
Both are JSON, so that a campaign can keep them. `misfit_checks` says what must come of them.
"""

import functools
import random

import numpy as np
from op_cases import CASES

from helpers.misfit_layouts import LAYOUTS
from helpers.op_heads import head_grad
from helpers.rows import recorded
from minigluon import autograd, nd
from minigluon.ops import REGISTRY

__all__ = ["LARGE", "applied", "calls_of", "case", "changes", "drawn", "fewer", "row_names", "unreached", "valid_calls"]

LARGE = 1 << 16         # elements of an array that is not worth the time
DTYPES = ["float32", "float64", "float16", "uint8", "int8", "int32", "int64", "bool"]
LENGTHS = [0, 1, 2, 3, 5, 8, 17]
NUMBERS = [-3, -1, 0, 1, 2, 3, 5, 9]
VALUES = [-1000, -7, -1, -0.0, 0.5, 3, 1000, np.inf, -np.inf, np.nan]
HUGE = [*VALUES, -2.0 ** 31, 2.0 ** 31, 2.0 ** 63, 1e30]        # not for regions, which take as many samples


# -- calls that fit -------------------------------------------------------------------------------------------------

@functools.cache
def row_names():
    """{name: numbers of its rows}; a number from len(CASES) on is one of `unreached`."""
    found = {}
    for number, name in enumerate([*[case.op for case in CASES], *[op.name for op, _ in unreached()]]):
        found.setdefault(name, []).append(number)
    return found


@functools.lru_cache(maxsize=2000)
def calls_of(row):
    """The calls of one row: [(op, its inputs, train)], each once."""
    if row >= len(CASES):
        return [(*unreached()[row - len(CASES)], False)]
    case = CASES[row]
    arrays = [nd.array(a, dtype=a.dtype) for a in case.inputs("float32")]
    for i in case.grad:
        arrays[i].attach_grad()
    with recorded() as calls, autograd.record(train_mode=case.train):
        outputs = getattr(nd, case.op)(*arrays, **case.attrs)
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        if case.grad:
            differentiate(case, outputs, arrays)
    once = {(op, train, tuple([(a.shape, a.dtype) for a in inputs])): inputs for op, inputs, train in calls
            if op.name in REGISTRY and max((a.size for a in inputs), default=0) < LARGE}
    return [(op, inputs, train) for (op, train, _), inputs in once.items()]


def valid_calls():
    """{operator class: calls} of all rows."""
    found = {}
    for rows in row_names().values():
        for call in [call for row in rows for call in calls_of(row)]:
            found.setdefault(type(call[0]), []).append(call)
    return found


@functools.cache
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
        ("_batch_norm_recompute", [data, *[u(3) for _ in range(4)]], {}),
        ("_max_pooling_argmax", [data], apart),
        ("_max_pooling_argmax_grad", [grad, winners, data], apart),
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


# -- changes --------------------------------------------------------------------------------------------------------

def drawn(draw):
    """(row, number of a call of it, the call): every operator of the table is as likely as any other."""
    calls = []
    while not calls:
        row = draw.choice(row_names()[draw.choice(list(row_names()))])
        calls = calls_of(row)
    names = sorted({op.name for op, _, _ in calls})
    name = draw.choice(names)
    number = draw.choice([k for k, call in enumerate(calls) if call[0].name == name])
    return row, number, calls[number]


def changes(draw, op, arrays):
    """What is wrong with a call: a list of changes, mostly one, each a list of its kind and numbers."""
    found = [change(draw, op, arrays) for _ in range(draw.choice([1, 1, 1, 2, 3]))]
    return [one for one in found if one is not None]


def change(draw, op, arrays):
    """One change, or None where there is nothing to change."""
    numbers = [name for name, value in op.attributes.items() if _numbers(value)]
    if numbers and (not arrays or draw.random() < 0.2):
        return with_number(draw, op, draw.choice(numbers))
    if not arrays:
        return None
    place = draw.randrange(len(arrays))
    array, what = arrays[place], draw.random()
    if what < 0.1:
        return ["type", place, draw.choice(DTYPES)]
    if what < 0.2:
        return ["types", draw.choice(DTYPES)]
    if what < 0.3 and array.size:
        values = VALUES if "rois" in op.argument_names(len(arrays)) else HUGE
        return ["value", place, draw.randrange(array.size), draw.choice(values)]
    if what < 0.4:
        return ["layout", place, draw.choice(LAYOUTS)]
    if what < 0.55 and array.ndim:
        return ["length", draw.choice(array.shape), draw.choice(LENGTHS)]
    return ["shape", place, other_shape(draw, array.shape)]


def other_shape(draw, shape):
    """One length changed, or an axis more or less, or the axes in another order."""
    shape = list(shape)
    what = draw.random()
    if not shape or what < 0.15:
        shape.insert(draw.randrange(len(shape) + 1), draw.choice(LENGTHS))
    elif what < 0.3:
        shape.pop(draw.randrange(len(shape)))
    elif what < 0.4:
        draw.shuffle(shape)
    else:
        axis = draw.randrange(len(shape))
        shape[axis] = draw.choice([*LENGTHS, shape[axis] + 1, max(shape[axis] - 1, 0), 2 * shape[axis]])
    return shape


def _numbers(value):
    values = value if isinstance(value, tuple) else [value]
    return bool(values) and all(type(v) in (int, float) for v in values)


def with_number(draw, op, name):
    """Another number for an attribute, or for one of its numbers."""
    value = op.attributes[name]
    number = draw.choice(NUMBERS)
    if isinstance(value, tuple):
        place = draw.randrange(len(value))
        return ["attribute", name, [*value[:place], type(value[place])(number), *value[place + 1:]]]
    return ["attribute", name, type(value)(number)]


def applied(op, arrays, changes):
    """(op, arrays, {place: layout}) after the changes. Raises MXNetError for an attribute that no such operator has."""
    arrays, layouts = list(arrays), {}
    for kind, *more in changes:
        if kind == "attribute":
            name, value = more
            op = type(op)(**{**op.attributes, name: tuple(value) if isinstance(value, list) else value})
        elif kind == "layout":
            layouts[more[0]] = more[1]
        elif kind in ("types", "length"):
            arrays = [retyped(a, more[0]) if kind == "types" and a.dtype.kind == "f" else
                      resized(a, [more[1] if n == more[0] else n for n in a.shape]) if kind == "length" else a
                      for a in arrays]
        else:
            place = more[0]
            how = {"type": retyped, "shape": resized, "value": revalued}[kind]
            arrays[place] = how(arrays[place], *more[1:])
    return op, arrays, layouts


def retyped(array, dtype):
    """The array in another type, what it cannot hold in whatever way."""
    with np.errstate(all="ignore"):
        return array.astype(dtype)


def resized(array, shape):
    """The array in another shape, its elements repeated or left out."""
    changed = np.resize(array, shape) if array.size else np.ones(shape, array.dtype)
    assert changed.dtype == array.dtype
    return changed


def revalued(array, element, value):
    """The array with another value for one element, if it still has so many."""
    array = array.copy()
    if element < array.size:
        with np.errstate(all="ignore"):
            array.flat[element] = np.array(value).astype(array.dtype)
    return array


def case(seed):
    """For a campaign: a call of a row, and what is changed in it, as a dict that JSON can hold."""
    draw = random.Random(seed)
    row, number, (op, arrays, _) = drawn(draw)
    return {"operator": op.name, "row": row, "call": number, "changes": changes(draw, op, arrays)}


def fewer(case):
    """Cases with one change less, for a campaign that makes its finding small."""
    for place in range(len(case["changes"])):
        if len(case["changes"]) > 1:
            yield {**case, "changes": case["changes"][:place] + case["changes"][place + 1:]}
