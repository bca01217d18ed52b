"""`nd.contrib.foreach`, `while_loop`, `cond`: Python loops and branches, recorded step by step on the tape.

The functions in `sym.contrib` with the same names create a graph node instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..base import ArgumentError
from ..common.nest import regroup
from ..diagnostics.strictness import refuse
from ..frontend.control_flow import flat_leaves, loop_variables, most_iterations, nested, pair, same_count
from ..ops import REGISTRY
from ..tape import state as tape_state
from .creation import zeros
from .ndarray import NDArray
from .register import make_function

__all__ = ["cond", "foreach", "while_loop"]

_concat, _split, _stack = (make_function(REGISTRY[name]) for name in ("Concat", "SliceChannel", "stack"))


def foreach(body: Callable[..., Any], data: Sequence[NDArray], init_states: Sequence[NDArray]) -> Any:
    """Runs `out, states = body(data[i], states)` for each i along axis 0. Returns (outs stacked on axis 0, states).

    data, init_states: an NDArray or nested lists of NDArrays; [] for no states. `body` receives slices nested like data
    and returns outs, whose nesting must be the same at every step.

    If axis 0 has length 0, the body is called once, with zeros and in prediction mode, to determine the shapes of outs;
    its states are not used.

    >>> outs, states = nd.contrib.foreach(lambda x, s: (x + s, x + s), nd.array([[1], [2], [3]]), nd.zeros((1,)))
    >>> outs.asnumpy().ravel().tolist()             # the cumulative sums
    [1.0, 3.0, 6.0]
    """
    arrays, structure = flat_leaves(data, NDArray, "foreach: data")
    flat_leaves(init_states, NDArray, "foreach: init_states")
    length = _length(arrays)
    states, steps, nesting = init_states, [], None
    for slices in zip(*[_slices(x if x.shape[0] == length else x[:length]) for x in arrays], strict=True):
        outs, states = pair(body(regroup(slices, structure), states), "foreach: body")
        outs, nesting = _same_nesting(outs, steps, nesting, "foreach: the output of body")
        steps.append(outs)
    if length == 0:
        return _no_step(body, arrays, structure, init_states), init_states
    return regroup([_stacked("foreach", outs) for outs in zip(*steps, strict=True)], nesting), states


def while_loop(cond: Any, func: Any, loop_vars: Any, max_iterations: Any = None):
    """Runs `outs, loop_vars = func(*loop_vars)` while `cond(*loop_vars)` is not 0, at most max_iterations times.

    Returns (outs stacked on axis 0 and padded with zeros to length max_iterations, loop variables). If no step runs,
    outs is [], because the results of func are unknown. func may return None or [] for outs.

    >>> outs, (i, total) = nd.contrib.while_loop(lambda i, t: i <= 5, lambda i, t: (t, [i + 1, t + i]),
    ...                                          [nd.array([1]), nd.array([0])], max_iterations=10)
    >>> total.item()                            # 1 + 2 + 3 + 4 + 5
    15.0
    """
    iterations = most_iterations(max_iterations)
    variables, single = loop_variables(loop_vars, NDArray)
    flat_leaves(variables, NDArray, "while_loop: loop_vars")
    steps, nesting = [], None
    while len(steps) < iterations and truth(cond(*variables), "while_loop: what cond returns"):
        outs, after = pair(func(*variables), "while_loop: func")
        outs = [] if outs is None else outs
        outs, nesting = _same_nesting(outs, steps, nesting, "while_loop: the output of func")
        after = [] if after is None else list(after) if isinstance(after, (list, tuple)) else [after]
        same_count("while_loop: loop_vars of func", len(after), len(variables))
        flat_leaves(after, NDArray, "while_loop: loop_vars that func returns")
        variables = after
        steps.append(outs)
    stacked = [_filled_up(_stacked("while_loop", outs), iterations) for outs in zip(*steps, strict=True)]
    return regroup(stacked, nesting) if steps else [], variables[0] if single else variables


def cond(pred: Any, then_func: Any, else_func: Any) -> Any:
    """Returns `then_func()` if `pred`, a number or an NDArray with one element, is not 0, otherwise `else_func()`.

    >>> nd.contrib.cond(nd.array([1]) > 0, lambda: nd.array([5]), lambda: nd.array([7])).item()
    5.0
    """
    return then_func() if truth(pred, "cond: pred") else else_func()


def truth(value: NDArray, what: str) -> bool:
    """Returns whether a number, or an array's only element, is not 0. The errors for other values begin with `what`."""
    if isinstance(value, NDArray):
        if value.size != 1:
            raise ArgumentError(f"{what} must have one element, found an array of shape {value.shape}")
        return bool(value.item())
    if isinstance(value, (list, tuple)) or value is None:
        raise ArgumentError(f"{what} must be an NDArray of one element or a number, found {type(value).__name__}")
    return bool(value)


def _length(arrays):
    """Returns the common length of axis 0 or, in lenient mode, the length of the first array if it is the shortest."""
    if not arrays:
        raise ArgumentError("foreach: data is empty; there must be one array, or more")
    shapes = [x.shape for x in arrays]
    if () in shapes or len({shape[0] for shape in shapes}) > 1:
        clash = ArgumentError("foreach: axis 0 of all data must have one length, one step for each, found shapes "
                              f"{', '.join(map(str, shapes))}")
        if () in shapes or min(shape[0] for shape in shapes) < shapes[0][0]:
            raise clash
        refuse(clash)
    return shapes[0][0]


def _slices(x):
    """Returns x[0], x[1], ... as results of one operator, so that the gradient is one join instead of a sum of parts.
    """
    length = x.shape[0]
    if length < 2:
        return [x[i] for i in range(length)]
    return _split(x, num_outputs=length, axis=0, squeeze_axis=True)


def _same_nesting(outs, steps, nesting, what):
    """Returns (flat list, structure). The structure must be the same as in the previous steps."""
    flat, structure = flat_leaves(outs, NDArray, what)
    if steps and structure != nesting:
        raise ArgumentError(f"{what} is {nested(nesting)} at step {len(steps) - 1} and {nested(structure)} at step "
                            f"{len(steps)}, but outputs are stacked and must be alike")
    return flat, structure


def _stacked(loop, outs):
    shapes = [y.shape for y in outs]
    if len(set(shapes)) > 1:
        step = next(i for i, shape in enumerate(shapes) if shape != shapes[0])
        raise ArgumentError(f"{loop}: an output has shape {shapes[0]} at step 0 and {shapes[step]} at step {step}, but "
                            "they are stacked and must have one")
    return _stack(*outs, axis=0)


def _filled_up(stacked, length):
    missing = length - stacked.shape[0]
    if missing == 0:
        return stacked
    blank = zeros((missing, *stacked.shape[1:]), stacked.context, stacked.dtype)
    return _concat(stacked, stacked._to_own_class(blank), dim=0)


def _no_step(body, arrays, structure, init_states):
    """Returns empty outs whose shapes are those that the body returns for zeros."""
    blank = [x._to_own_class(zeros(x.shape[1:] or (1,), x.context, x.dtype)) for x in arrays]
    before = tape_state.training
    tape_state.training = False             # the zeros must not affect the moving mean of a BatchNorm
    try:
        outs, _ = pair(body(regroup(blank, structure), init_states), "foreach: body")
    finally:
        tape_state.training = before
    outs, nesting = flat_leaves(outs, NDArray, "foreach: the output of body")
    return regroup([y.expand_dims(axis=0)[0:0] for y in outs], nesting)
