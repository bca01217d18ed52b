"""Fast paths through the functions of `mx.np`, directly from the arguments to the operators. A row is the slow path.

Each function here returns a fast version for certain arguments. It builds the key of the call from shapes, types and
attributes, and runs the plan that `plans.py` has for this key. If there is no plan, it takes the slow path and counts
the call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp

from .. import symbol, tape
from ..frontend.arithmetic_table import ARITHMETIC
from ..frontend.binding import Arithmetic
from ..ndarray.ndarray import NDArray
from ..ops import REGISTRY
from ..symbol.symbol import compose
from .array import ndarray, run_operator
from .plans import Plans, run
from .table import Function

__all__ = ["add_fast_path"]

Call = Callable[..., Any]
_NOTHING, _NUMBERS = object(), {int, float}
_FLOAT32 = onp.dtype("float32")
_NAMES = {"broadcast_sub": "subtract", "broadcast_mul": "multiply", "broadcast_div": "divide",
          "broadcast_mod": "modulo"}     # operators whose rows in the arithmetic table have another name
_NUMBER: Any = ()                       # the shape of a number; every empty tuple is this same object
_ONLY = (0, ...)                        # selects the only element, with shape (); `reshape` takes longer
_PAIRS = {("a", "b"), ("x1", "x2"), ("a", "indices")}           # the first two parameters of functions of two arrays
_LISTS = {"arrays", "seq", "tup"}       # the first parameter of functions that take a list of arrays
_MANY = {"args", "arys", "condition"}   # the first parameter of other functions that take several arrays


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
    if row.operator is None:
        return general
    return _floats(row, general) if len(REGISTRY[row.operator].arguments) == 1 else _two_floats(row, general)


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
        arrays = args
        key: list[Any] = []
        if in_list and args:
            arrays, key = args[0], [*args[1:]]
            if arrays.__class__ is not list and arrays.__class__ is not tuple:
                return slow_path(*args, **kwargs)
        for x in arrays:
            if x.__class__ is not ndarray:
                return slow_path(*args, **kwargs)
            buffer = x.buffer
            key.append(buffer.shape)
            if buffer.dtype is not _FLOAT32:
                key.append(buffer.dtype)
        if kwargs:
            key += kwargs
            key += kwargs.values()
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


def _finished(result, plan):
    """Return the result of a plan's operator in the shape or type that its second operator gives it.

    Only views and types of results without a gradient need no run of that operator.
    """
    buffer, last = result.buffer, plan.last
    if buffer.__class__ is not onp.ndarray:
        return run_operator(plan.steps[1][0], (result,))
    if last.__class__ is not tuple:
        result.buffer = buffer.astype(last)
        return result
    part = buffer[_ONLY] if last is _NUMBER else buffer.reshape(last)
    if result.entry is None:
        result.buffer = part
        return result
    if last is _NUMBER and result.entry.__class__ is tape.Entry and "outputs" not in plan.op.keeps:
        result.buffer, result.entry.__class__ = part, NumberEntry
        return result
    view = result._view(part)
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
        return super().gradients(F, [F.reshape(grad, shape=(1,)) for grad in out_grads], retain, walk)


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


def _two_floats(row, general):
    """Return a function of two arrays of the same floating-point type, or of an array and a number."""
    op = REGISTRY[row.operator]()
    numbers: Arithmetic = ARITHMETIC[_NAMES.get(row.operator, row.operator.removeprefix("broadcast_"))]

    def function(x1: Any, x2: Any, out: Any = None) -> Any:
        if x1.__class__ is ndarray and out is None:
            dtype = x1.buffer.dtype
            if dtype.kind == "f":
                if x2.__class__ is ndarray:
                    if dtype is x2.buffer.dtype:
                        return run_operator(op, (x1, x2))
                elif x2.__class__ in _NUMBERS:
                    return run_operator(numbers.with_number(x2), (x1,))
        return general(x1, x2) if out is None else general(x1, x2, out=out)
    return function
