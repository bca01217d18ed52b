"""Operators on sparse arrays: `run` is the counterpart of `invoke`, which handles dense arrays.

A rule computes an operator on Storages and keeps the result sparse if MXNet does; it returns None for inputs that it
does not support. If there is no rule, or if the rule declines, the sparse inputs are made dense and the operator runs
as usual. Rules therefore affect memory and time but never the elements of the result.

The tape records the operator with its sparse inputs. Its gradient uses `nd` functions, which call this module again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...common.memory import enough_memory
from ...tape import Scope, record_op, state
from ..imperative import invoke
from ..ndarray import NDArray
from .storage import Storage, wrap

if TYPE_CHECKING:
    from ...ops.op import Op

__all__ = ["is_sparse", "rule", "run", "run_any", "step_rule"]

_rules = {}         # operator's name -> function(op, inputs) that returns a Storage, an NDArray or None
_step_rules = {}    # the same for optimizer steps -> function(op, inputs, out) that writes to out, if given


def rule(*names: str) -> Callable[..., Any]:
    """Decorator that registers a rule for these operators."""
    def enter(function):
        _rules.update(dict.fromkeys(names, function))
        return function
    return enter


def step_rule(*names: str) -> Callable[..., Any]:
    """Decorator that registers a rule for these optimizer steps."""
    def enter(function):
        _step_rules.update(dict.fromkeys(names, function))
        return function
    return enter


def is_sparse(x: Any) -> bool:
    """Returns whether an object is a RowSparseNDArray or a CSRNDArray."""
    return isinstance(x.buffer, Storage)


def run_any(op: Op, inputs: Sequence[Any], out: Any = None, hidden: bool = False) -> Any:
    """Runs an operator on arrays of any storage type; arrays of a front end such as `mx.np` run it themselves."""
    others = [x for x in inputs if x.__class__ is not NDArray]
    if not others:
        return invoke(op, inputs, out, hidden)
    if any(map(is_sparse, others)):
        return run(op, inputs, out, hidden)
    return others[0]._run(op, inputs, out, hidden)


@enough_memory("an operator on sparse arrays")
def run(op: Op, inputs: Sequence[Any], out: Any = None, hidden: bool = False) -> Any:
    """Runs an operator on arrays, some of which are sparse. The arguments and errors are the same as for `invoke`."""
    by_rule = None
    if any(x.device is not inputs[0].device for x in inputs):
        return _run_dense(op, inputs, out, hidden)          # `invoke` raises the error
    with Scope(False, None):
        if op.name in _step_rules:
            by_rule = _step_rules[op.name](op, inputs, out)
        elif op.name in _rules:
            by_rule = _rules[op.name](op, inputs)
    if by_rule is None:
        return _run_dense(op, inputs, out, hidden)
    result = by_rule if isinstance(by_rule, NDArray) else wrap(by_rule, inputs[0].device)
    if out is not None and out is not result:
        out._forbid_write_on_tape()
        with Scope(False, None):
            out[...] = result
        result = out
    if state.recording:
        record_op(op, inputs, (result,))
    return result


def _run_dense(op, inputs, out, hidden):
    """Makes the sparse inputs dense and runs the operator on the dense arrays, which replace them on the tape."""
    dense = [_dense(x) if is_sparse(x) else x for x in inputs]
    result = invoke(op, dense, out, hidden)
    names = op.argument_names(len(inputs))
    for x, y, name in zip(inputs, dense, names, strict=True):
        if x is not y and name in op.mutates:
            x._overwrite(y.buffer)
    return result


def _dense(x):
    dense = x.buffer.dense()
    dense.entry, dense.output_index = x.entry, x.output_index
    return dense
