"""The Khatri-Rao product and its gradients: one launch per matrix."""

import math

import numpy as np

from ...launch import THREADS, In, Launch, Out, Scratch, SourceFile, Work, blocks, size, types
from ..registry import kernel_for

SOURCE = SourceFile("linalg/khatri_rao.cu")


def _products(out, first, matrices, spec, rows):
    """Returns launches that write the product to `out`.

    first: an initial operand, or None. matrices: [(operand, index)].
    """
    launches, count = [], size(spec)
    for matrix, number in matrices:
        launches.append(Launch(SOURCE, "times_matrix", types(spec.dtype), blocks(count), THREADS, [
            out, out if first is None else first, matrix, count, spec.shape[-1], rows[number],
            math.prod(rows[number + 1:]), np.bool_(first is None)]))
        first = out
    return launches


@kernel_for("khatri_rao")
def khatri_rao(op, inputs, outputs):
    if not size(outputs[0]):
        return Work()
    rows = [spec.shape[0] for spec in inputs]
    return Work(*_products(Out(0), None, [(In(k), k) for k in range(len(inputs))], outputs[0], rows))


@kernel_for("_khatri_rao_grad")
def khatri_rao_grad(op, inputs, outputs):
    grad, *matrices = inputs
    out, rows = outputs[0], [spec.shape[0] for spec in matrices]
    if not size(out):
        return Work()
    others = [(In(1 + k), k) for k in range(len(matrices)) if k != op.index]
    launches = _products(Scratch(0), In(0), others, grad, rows) if size(grad) else []
    launches.append(Launch(SOURCE, "sum_others", types(out.dtype), blocks(size(out), 1), THREADS, [
        Out(0), Scratch(0) if others else In(0), *out.shape, math.prod(rows[:op.index]),
        math.prod(rows[op.index + 1:])]))
    return Work(*launches, scratch=[grad])
