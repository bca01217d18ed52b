"""Fast paths through the functions of `mx.np`, directly from the arguments to the operators. A row is the slow path.

Each function here returns a fast version for certain arguments. It builds the key of the call from shapes, types and
attributes, and runs the plan that `plans.py` has for this key. If there is no plan, it takes the slow path and counts
the call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as onp

from .. import symbol, tape
from ..base import MXNetError
from ..frontend.arithmetic_table import ARITHMETIC
from ..frontend.binding import Arithmetic
from ..ndarray import register
from ..ndarray.imperative import SMALL
from ..ndarray.ndarray import NDArray
from ..ops import REGISTRY
from ..ops.numeric import integers_of
from ..symbol.symbol import compose
from .array import ndarray, run_operator
from .plans import Plans, run
from .table import Function

__all__ = ["add_fast_path", "of_operands", "taken"]

Call = Callable[..., Any]
_NOTHING, _NUMBERS, _SEQUENCES, _state = object(), {int, float}, {list, tuple}, tape.state
_FLOAT32, _Buffer, _new = onp.dtype("float32"), onp.ndarray, object.__new__
_NAMES = {"less": "lesser", "less_equal": "lesser_equal", "mod": "modulo", "remainder": "modulo"}
_as_float32 = functools.lru_cache(1024)(functools.partial(onp.array, dtype=_FLOAT32))
_take_operator = functools.lru_cache(256)(lambda axis: REGISTRY["take"](axis=axis, mode="wrap"))
_NUMBER: Any = ()                       # the shape of a number; every empty tuple is this same object
_ONLY = (0, ...)                        # selects the only element, with shape (); `reshape` takes longer
_PAIRS = {("a", "b"), ("x1", "x2"), ("a", "indices")}           # the first two parameters of functions of two arrays
_LISTS = {"arrays", "seq", "tup"}       # the first parameter of functions that take a list of arrays
_MANY = {"args", "arys", "condition"}   # the first parameter of other functions that take several arrays
_COMPARISONS = {"equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal", "logical_and", "logical_or",
                "logical_xor"}


def add_fast_path(row: Function, slow_path: Call) -> Call:
    """Return the function of a row with a fast path for its most common arguments.

    slow_path: the row's function without it.
    """
    names = list(row.signature.parameters)
    plans = Plans(row.call, names)
    if tuple(names[:2]) in _PAIRS:
        general = _of_two(slow_path, plans)
    elif names[0] in _LISTS or names[0] in _MANY:
        general = _of_several(slow_path, plans, names[0] in _LISTS)
    else:
        general = _of_one(slow_path, plans, row.any_lengths)
    if row.name in _SHORTER:
        return _SHORTER[row.name](general)
    operands = ARITHMETIC.get(_NAMES.get(row.name, row.name))
    if operands is not None:
        return of_operands(operands, general, general)
    return general if row.operator is None else _floats(row, general)


def _of_one(slow_path, plans, any_lengths):
    """Return a function whose first argument is an array and whose other arguments are attributes."""
    by_key, typed = plans.by_key, plans.typed

    def function(x: Any = _NOTHING, /, *rest: Any, **kwargs: Any) -> Any:
        if x.__class__ is not ndarray:
            return slow_path(**kwargs) if x is _NOTHING else slow_path(x, *rest, **kwargs)
        buffer = x.buffer
        dtype = buffer.dtype            # float32 is not part of the key, because its hash takes time
        key: Any = (buffer.ndim if any_lengths else buffer.shape, None if dtype is _FLOAT32 else dtype, rest)
        if kwargs:
            key = *key, *kwargs, *kwargs.values()
        if typed:
            key = *key, *map(type, rest), *map(type, kwargs.values())
        try:
            plan = by_key.get(key)
        except TypeError:               # an attribute is a list
            return slow_path(x, *rest, **kwargs)
        if plan is None:
            return _count_call(plans, key, slow_path, (x, *rest), kwargs, (*rest, *kwargs.values()))
        op, last, _, _, _ = plan
        if op is None:
            return run(plan, [x])
        result = run_operator(op, (x,))
        if last is None:
            return result
        if last is _NUMBER and result.entry is None and buffer.__class__ is onp.ndarray:
            result.buffer = result.buffer[_ONLY]        # `_finished` inlined
            return result
        return _finished(result, plan)
    return function


def _of_two(slow_path, plans):
    """Return a function of two arrays, or of an array and a number."""
    by_key = plans.by_key

    def function(x: Any = _NOTHING, y: Any = _NOTHING, /, *rest: Any, **kwargs: Any) -> Any:
        if x.__class__ is not ndarray or (y.__class__ is not ndarray and y.__class__ not in _NUMBERS):
            return slow_path(*[arg for arg in (x, y) if arg is not _NOTHING], *rest, **kwargs)
        a = x.buffer
        if y.__class__ is ndarray:
            b, arrays = y.buffer, (x, y)
            dtype, other = a.dtype, b.dtype
            key: Any = (a.shape, b.shape, None if dtype is other is _FLOAT32 else (dtype, other), rest)
        else:                           # the text distinguishes 0.0 from -0.0
            arrays = (x,)
            key = a.shape, y.__class__, a.dtype, y if y else str(y), rest
        if kwargs:
            key = *key, *kwargs, *kwargs.values()
        try:
            plan = by_key.get(key)
        except TypeError:
            return slow_path(x, y, *rest, **kwargs)
        if plan is None:
            return _count_call(plans, key, slow_path, (x, y, *rest), kwargs, (*rest, *kwargs.values()))
        op, last, _, _, _ = plan
        if op is None:
            return run(plan, arrays)
        result = run_operator(op, arrays)
        return result if last is None else _finished(result, plan)
    return function


def _of_several(slow_path, plans, in_list):
    """Return a function of any number of arrays. in_list: whether they are passed as a list, the first argument."""
    by_key = plans.by_key

    def function(*args: Any, **kwargs: Any) -> Any:
        arrays, key = (args[0], [*args[1:]]) if in_list and args else (args, [])
        if arrays.__class__ not in _SEQUENCES:
            return slow_path(*args, **kwargs)
        for x in arrays:
            if x.__class__ is not ndarray:
                return slow_path(*args, **kwargs)
            buffer = x.buffer
            key.append(buffer.shape)
            if buffer.dtype is not _FLOAT32:
                key.append(buffer.dtype.num)        # the hash of a type takes time
        if kwargs:
            key += (*kwargs, *kwargs.values())
        whole = tuple(key)
        try:
            plan = by_key.get(whole)
        except TypeError:
            return slow_path(*args, **kwargs)
        if plan is None:
            return _count_call(plans, whole, slow_path, args, kwargs, key)
        op = plan[0]
        if op is None:
            return run(plan, arrays)
        result = run_operator(op, arrays)
        return result if plan[1] is None else _finished(result, plan)
    return function


def of_operands(row: Arithmetic, general: Call, others: Call) -> Call:
    """Return a function of two operands with a fast path for floats.

    general: the function for two arrays, or an array and a number. others: for all other operands.
    """
    return (_compared if row.name in _COMPARISONS else _computed)(row, general, others)


def _computed(row, general, others):
    """Return an arithmetic function, which runs a single operator on two arrays of the same floating-point type."""
    def function(x1: Any, x2: Any, out: Any = None) -> Any:
        if x1.__class__ is not ndarray or out is not None:
            return others(x1, x2, out)
        dtype = x1.buffer.dtype
        if x2.__class__ is ndarray:
            if x2.buffer.dtype is not dtype or dtype is not _FLOAT32 and dtype.kind != "f":
                return general(x1, x2)
            op, inputs = row.array, (x1, x2)
        elif x2.__class__ in _NUMBERS:
            if dtype is not _FLOAT32 and dtype.kind != "f":
                return general(x1, x2)
            op, inputs = row.with_number(x2), (x1,)
        else:
            return others(x1, x2, out)
        site = x1.device.kernels.get(op)            # `run_operator` inlined
        if site is not None:
            result = site(inputs)
            if result is not None:
                if _state.recording:
                    tape.record_op(op, inputs, (result,))
                return result
        return register.invoke(op, inputs, None, False, ndarray)
    return function


def _compared(row, general, others):
    """Return a comparison, which NumPy computes for small arrays, because an operator and its cast take longer."""
    compare = getattr(onp, row.name.replace("lesser", "less"))

    def function(x1: Any, x2: Any, out: Any = None) -> Any:
        if x1.__class__ is ndarray and out is None:
            left, mask, device = x1.buffer, None, x1.device
            if left.__class__ is _Buffer and left.dtype is _FLOAT32 and left.size <= SMALL:
                try:
                    if x2.__class__ is ndarray:
                        right = x2.buffer
                        if x2.device is device and right.dtype is _FLOAT32 and right.size <= SMALL:
                            mask = compare(left, right)
                    elif x2.__class__ in _NUMBERS:
                        mask = compare(left, _as_float32(x2))
                except (OverflowError, ValueError):
                    pass                # the slow path raises the error
            if mask.__class__ is _Buffer:
                result = _new(ndarray)  # `__init__` inlined
                result.buffer, result.device = mask, device
                if _state.recording:
                    op, inputs = (row.array, (x1, x2)) if x2.__class__ is ndarray else (row.with_number(x2), (x1,))
                    tape.record_op(op, inputs, (result,))
                return result
            if x2.__class__ is ndarray or x2.__class__ in _NUMBERS:
                return general(x1, x2)
        return others(x1, x2, out)
    return function


def _of_indices(general):
    """Return `take` with a fast path for small arrays on the CPU."""
    def function(a: Any, indices: Any, axis: Any = None, mode: str = "raise", out: Any = None) -> Any:
        if a.__class__ is indices.__class__ is ndarray and axis.__class__ is int and mode == "raise" and out is None:
            result = taken(a, indices, axis)
            if result is not None:
                return result
        return general(a, indices, axis, mode, out)
    return function


def _of_choices(general):
    """Return `where` with a fast path for arrays of one shape."""
    op = REGISTRY["where"]()

    def function(condition: Any = None, x: Any = None, y: Any = None) -> Any:
        if condition.__class__ is x.__class__ is y.__class__ is ndarray:
            chosen, a, b = condition.buffer, x.buffer, y.buffer
            if a.dtype is b.dtype is _FLOAT32 and chosen.shape == a.shape == b.shape and chosen.dtype.kind in "bf":
                return run_operator(op, (condition, x, y))
        return general(condition, x, y)
    return function


def _of_list(general, operator):
    """Return a function that joins arrays, with a fast path for non-empty arrays of float32.

    operator: returns the operator that joins a number of arrays along an axis.
    """
    operator = functools.lru_cache(256)(operator)

    def function(arrays: Any = _NOTHING, /, axis: Any = 0, out: Any = None, **kwargs: Any) -> Any:
        if axis.__class__ is int and out is None and arrays.__class__ in _SEQUENCES and not kwargs:
            for x in arrays:
                if x.__class__ is not ndarray or x.buffer.dtype is not _FLOAT32 or not x.buffer.size:
                    break
            else:
                try:
                    return run_operator(operator(len(arrays), axis), arrays)
                except (IndexError, MXNetError):
                    pass                # the slow path raises the error
        return general(*() if arrays is _NOTHING else (arrays,), axis=axis, out=out, **kwargs)
    return function


def taken(x: Any, indices: Any, axis: int = 0) -> Any:
    """Return the elements of a small array with these indices along an axis.

    Returns None for other arrays, and for indices out of range: the caller raises the error.
    """
    data, places = x.buffer, indices.buffer
    kind = places.dtype.kind
    if data.__class__ is not onp.ndarray or data.size > SMALL or indices.device is not x.device or kind not in "iuf":
        return None
    if kind == "f" or _state.recording:         # the tape keeps a copy, so that the program may overwrite the indices
        places = integers_of(places)
    try:
        result = ndarray(data.take(places, axis), x.device)
    except (IndexError, ValueError):
        return None
    if _state.recording:
        tape.record_op(_take_operator(axis), (x, NDArray(places, x.device)), (result,))
    return result


# Functions with a fast path that needs no plan.
_SHORTER = {"take": _of_indices, "where": _of_choices,
            "concatenate": lambda general: _of_list(general, lambda n, axis: REGISTRY["Concat"](num_args=n, dim=axis)),
            "stack": lambda general: _of_list(general, lambda n, axis: REGISTRY["stack"](num_args=n, axis=axis))}


def _finished(result, plan):
    """Return the result of a plan's operator in the shape or type that its second operator gives it.

    Only views and types of results without a gradient need no run of that operator.
    """
    buffer, last, entry = result.buffer, plan[1], result.entry
    if last is _NUMBER and buffer.__class__ is onp.ndarray and (entry is None or entry.__class__ is tape.Entry):
        result.buffer = buffer[_ONLY]
        if entry is not None:
            entry.__class__ = NumberEntry
        return result
    if buffer.__class__ is not onp.ndarray:
        return run_operator(plan.steps[1][0], (result,))
    if last.__class__ is not tuple:
        result.buffer = buffer.astype(last)
        return result
    if entry is None:
        result.buffer = buffer.reshape(last)
        return result
    view = result._view(buffer.reshape(last))
    tape.record_op(plan.steps[1][0], (result,), (view,))
    return view


class NumberEntry(tape.Entry):
    """The entry of an operator whose only result, of shape (1,), has the shape () instead."""

    __slots__ = ()

    @property
    def graph(self) -> Any:
        """The operator and the Reshape that follows it, and the names of the inputs."""
        names = self.op.list_arguments()
        whole = compose(self.op, [symbol.var(name) for name in names])
        return symbol.reshape(whole, shape=()), names

    def gradients(self, F: Any, out_grads: Any, retain: bool, walk: Any = None) -> Any:
        """Return the gradient for each input. out_grads, retain, walk: as for `Entry`."""
        grads = [F.reshape(grad, shape=(1,)) for grad in out_grads]
        if not (self.outputs and _state.recording):
            return super().gradients(F, grads, retain, walk)
        # with create_graph, the gradient also depends on the result, which is on the tape in the shape ()
        number = self.outputs[0]._view(self.outputs[0].buffer[_ONLY])
        number.entry, number.output_index = self, 0
        inputs = [x.as_nd_ndarray() for x in self.inputs]
        gradient = self.op.gradient(F, grads, inputs, [F.reshape(number, shape=(1,))])
        return gradient if isinstance(gradient, (list, tuple)) else [gradient]


def _count_call(plans, key, slow_path, args, kwargs, attributes):
    """Take the slow path, and count the call unless its key would keep an array alive."""
    result = slow_path(*args, **kwargs)
    if not any(isinstance(x, NDArray) for x in attributes):
        plans.count(key, args, kwargs, result)
    return result


def _floats(row, general):
    """Return a function of one array of floats, which its operator computes whatever their shape."""
    op = REGISTRY[row.operator]()

    def function(x: Any, out: Any = None) -> Any:
        if x.__class__ is ndarray and x.buffer.dtype.kind == "f" and out is None:
            return run_operator(op, (x,))
        return general(x) if out is None else general(x, out=out)
    return function
