"""Rules for optimizer steps with a row_sparse gradient, which change only the rows that the gradient contains.

Rows of the weight and the states are gathered, updated by the dense step, and scattered back. Rows without a gradient
keep their weight and states, without weight decay or momentum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base import ArgumentError
from ..imperative import invoke
from .operators import is_sparse, step_rule
from .storage import RowSparseStorage

if TYPE_CHECKING:
    from ...ops.op import Op

__all__ = []


@step_rule("sgd_update", "sgd_mom_update", "adam_update")
def lazy(op: Op, inputs: Any, out: Any) -> Any:
    """Takes a lazy step. With lazy_update=False, the gradient is made dense and every row is updated."""
    return _step(op, inputs, out) if op.lazy_update else None


@step_rule("ftrl_update")
def lazy_if_all_sparse(op: Op, inputs: Any, out: Any) -> Any:
    """Takes a lazy step only for a row_sparse weight, as in MXNet."""
    return _step(op, inputs, out) if is_sparse(inputs[0]) else None


@step_rule("_sparse_adagrad_update", "_contrib_group_adagrad_update")
def always_lazy(op: Op, inputs: Any, out: Any) -> Any:
    """Takes a lazy step without weight decay, which would have to change every row."""
    if is_sparse(inputs[1]) and getattr(op, "wd", 0):
        raise ArgumentError(f"{op.name}: with a row_sparse gradient there is no weight decay, as the rows that it "
                            f"lacks keep their values. Set wd=0, found {op.wd}.")
    return _step(op, inputs, out)


def _step(op, inputs, out):
    """Returns the new weight in `out`, or as a new array; None for unsupported storage types."""
    weight, grad, *states = inputs
    if not isinstance(grad.buffer, RowSparseStorage) or not all(map(_has_all_rows, (weight, *states))):
        return None
    target = weight.copy() if out is None else out
    if target is not weight and out is not None:
        target[:] = weight
    rows = grad.buffer.rows
    if len(rows):
        weight_rows, *state_rows = [_dense(x)[rows] for x in (weight, *states)]
        invoke(op, [weight_rows, grad.buffer.values, *state_rows], out=weight_rows)
        for x, new in zip((target, *states), (weight_rows, *state_rows), strict=True):
            _dense(x)[rows] = new
            if is_sparse(x):
                x._count_write()
    return target


def _has_all_rows(x):
    return not is_sparse(x) or isinstance(x.buffer, RowSparseStorage) and x.buffer.is_full


def _dense(x):
    """Returns a dense array with all rows: x itself, or its values."""
    return x.buffer.values if is_sparse(x) else x
