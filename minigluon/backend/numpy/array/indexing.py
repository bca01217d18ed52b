"""Elements and rows selected by indices, which are converted to int64 in a scratch buffer.

If an out-of-range index is an error, `forward` is used. In its default mode, NumPy's `take` checks the indices and
writes to a buffer of its own; with "clip" and indices that are already in range, it writes directly to the output.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ops.array.indexing import Embedding, one_hot, pick, take
from ....ops.shapes import Spec
from ..table import Writer, adjoint_kernel_for, flat, kernel_for

if TYPE_CHECKING:
    from ....ops.op import Op


def indices_like(shape: Sequence[int]) -> Spec:
    return Spec(shape, np.dtype(np.int64))


@kernel_for(take)
def take_along(op, inputs, outputs):
    limit, axis, wrap = inputs[0].shape[op.axis], op.axis, op.mode == "wrap"
    if op.mode == "raise" or not limit:
        return "indices that may be out of range"

    def run(inputs, targets):
        out, indices = targets
        np.copyto(indices, inputs[1], casting="unsafe")
        if wrap:
            np.remainder(indices, limit, indices)
        inputs[0].take(indices, axis, out, "clip")
    return Writer(run, [indices_like(inputs[1].shape)])


@kernel_for(Embedding)
def embedding(op, inputs, outputs):
    if not op.input_dim:
        return "indices that may be out of range"

    def run(inputs, targets):
        out, indices = targets
        np.copyto(indices, inputs[0], casting="unsafe")
        op.require_rows(indices)
        inputs[1].take(indices, 0, out, "clip")
    return Writer(run, [indices_like(inputs[0].shape)])


@kernel_for(pick)
def picked(op, inputs, outputs):
    if not math.prod(inputs[0].shape):
        return "nothing to pick from"
    fill = positions_in_flat(op, *inputs)

    def run(inputs, targets):
        out, positions = targets
        fill(inputs[1], positions)
        np.take(flat(inputs[0]), positions, out=flat(out), mode="clip")
    return Writer(run, [indices_like((math.prod(inputs[1].shape),))])


@adjoint_kernel_for(pick)
def pick_grad(op, inputs, outputs):
    if not math.prod(inputs[1].shape):
        return "nothing to pick from"
    fill = positions_in_flat(op, *inputs[1:])

    def run(inputs, targets):
        out, positions = targets
        fill(inputs[2], positions)
        out.fill(0)
        flat(out)[positions] = flat(inputs[0])
    return Writer(run, [indices_like((math.prod(inputs[2].shape),))])


def positions_in_flat(op: Op, data: Any, index: int) -> Callable[..., Any]:
    """Returns a function that fills an int64 buffer with the picked elements' positions in the flat data."""
    axis = op.normalize_axis(op.axis, len(data.shape))
    limit, step = data.shape[axis], math.prod(data.shape[axis + 1:])
    first = np.arange(math.prod(data.shape)).reshape(-1, limit, step)[:, :1].ravel()

    def fill(index, out):
        np.copyto(out, index.reshape(out.shape), casting="unsafe")
        if op.mode == "wrap":
            np.remainder(out, limit, out)
        else:
            np.minimum(np.maximum(out, 0, out=out), limit - 1, out=out)
        np.add(np.multiply(out, step, out), first, out)
    return fill


@kernel_for(one_hot)
def ones_at(op, inputs, outputs):
    if (op.on_value, op.off_value) != (1, 0):
        return "values other than 1 and 0"
    classes = np.arange(op.depth)

    def run(inputs, targets):
        out, indices = targets
        np.copyto(indices, inputs[0][..., None], casting="unsafe")
        np.equal(indices, classes, out)
    return Writer(run, [indices_like((*inputs[0].shape, 1))])
