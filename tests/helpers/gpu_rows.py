"""Rows of the operators' table on the GPU: what runs in their forward and backward passes, and the reference."""

import numpy as np
from op_cases import CASES

from helpers.gpu_checks import Twin, prepared
from helpers.op_heads import head_grad
from helpers.rows import recorded
from minigluon import autograd, nd
from minigluon.base import DTypeError

__all__ = ["cases_of", "check_case", "operators_of"]


def cases_of(*names):
    """The rows for these operators, as nd calls them."""
    return [case for case in CASES if case.op in names]


def operators_of(case, dtype):
    """What runs in a forward and backward pass of a row: [(op, its inputs, train)]. [] where the dtype is refused."""
    inputs = [a if a.dtype.kind != "f" or i not in case.grad and not _floating(case, i) else a.astype(dtype)
              for i, a in enumerate(case.inputs())]
    arrays = [nd.array(a, dtype=a.dtype) for a in inputs]
    differentiable = np.dtype(dtype).kind == "f"
    for i in case.grad if differentiable else ():
        arrays[i].attach_grad()
    with recorded() as calls:
        try:
            with autograd.record(train_mode=case.train):
                outputs = getattr(nd, case.op)(*arrays, **case.attrs)
        except DTypeError:
            return []
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        if case.grad and differentiable:
            autograd.backward(outputs, [nd.array(head_grad(y.shape, i), dtype=y.dtype)
                                        for i, y in enumerate(outputs)])
    return calls


def _floating(case, index):
    return getattr(case.makers[index], "floating", True)


def check_case(case, dtype, leave=(), only=None):
    """Compare every operator of a row, and of its gradient, with the reference. Fails where one is declined.

    leave: names of operators to pass over. only: names of all that are looked at.
    """
    seen = set()
    for op, arrays, train in operators_of(case, dtype):
        key = op, train, tuple((a.shape, a.dtype) for a in arrays)
        if key in seen or op.name in leave or op.name not in (prepared() if only is None else only):
            continue
        seen.add(key)
        twin = Twin(op, arrays, train)
        if op.dynamic:
            continue
        assert twin.declined is None, f"{op!r} on {twin.inputs}: declined: {twin.declined}"
        with np.errstate(all="ignore"):
            assert twin.check()
