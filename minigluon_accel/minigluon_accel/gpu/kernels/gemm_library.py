"""Matrix products with cuBLAS and cuBLASLt: which of the products in gemm.py they compute, and how."""

import numpy as np

from minigluon.backend import Spec

from .. import cublas, cublaslt
from ..launch import THREADS, Enqueue, Scratch, Work, blocks

__all__ = ["by_library"]

# The minimum number of multiplications for which a library is used. On an H200, cuBLAS took 3 to 8 us for small
# products. Our own kernels took as long for 2^18 multiplications, and twice as long for 2^21 (measured in loops of
# individual products; no script in the repository repeats these measurements).
LARGE = 2 ** 16
ALIGNED = 16                # in bytes; operands that begin at multiples of this size are used in place


def by_library(call, device, scratch):
    """Returns the Work of a large product of contiguous matrices, or a string that says why our own kernels compute it.

    call: a product as in gemm.py. scratch: the index of the Work's first scratch buffer.
    """
    rows, columns, depth, (outer, inner) = call.rows, call.columns, call.depth, call.batches
    count, factors = outer * inner, (call.a, call.b, call.out)
    turned = [_turned(m, *shape) for m, shape in zip(factors, ((rows, depth), (depth, columns), (rows, columns)),
                                                     strict=True)]
    steps = tuple(m.batch[0 if inner == 1 else 1] for m in factors)
    reason = cublas.available()
    if reason is not None:
        return reason
    if rows * columns * depth * count < LARGE:
        return f"fewer than {LARGE} multiplications"
    if (None in turned or turned[2] or 1 not in call.batches or (count > 1 and steps[2] != rows * columns)
            or call.by == "matrix"):
        return "the matrices have gaps, or are added to"
    if count == call.alpha == 1 and (call.by == "column" or (call.relu and not call.by)):
        with_epilogue = _with_epilogue(call, device, turned, scratch)
        if with_epilogue is not None:
            return with_epilogue
    function = cublas.product(device, call.dtype, rows, columns, depth, *turned[:2], batch=count, strides=steps)
    if isinstance(function, str):
        return function
    work = [_enqueued("cuBLAS product", function, [(m.operand, m.offset) for m in factors], call.dtype)]
    if call.by or call.relu or call.alpha != 1:
        work.append(call.launch("gemm_finish", blocks(rows * columns * count), THREADS))
    return Work(*work, note="cuBLAS" + (", and an own kernel for what follows" if len(work) > 1 else ""))


def _with_epilogue(call, device, turned, scratch):
    """Returns the Work of a product with relu or a bias per column in the same kernel, or None."""
    biased = call.by == "column"
    plan = cublaslt.product(device, call.dtype, call.rows, call.columns, call.depth, *turned[:2], bias=biased,
                            relu=call.relu)
    if isinstance(plan, str):
        return None
    (a, b, out), bias = [(m.operand, m.offset) for m in (call.a, call.b, call.out)], [(call.added, 0)] * biased
    more = [(Scratch(scratch), 0)] if plan.workspace else []
    return Work(_enqueued(plan.name, plan, [a, b, *bias, out, *more], call.dtype), note=plan.name,
                scratch=[Spec((plan.workspace,), np.dtype("uint8"))] if more else [])


def _enqueued(name, plan, operands, dtype):
    """Returns the Enqueue of a library's Product or Plan. operands: (operand, index of its first element)."""
    offsets = [first * np.dtype(dtype).itemsize for _, first in operands]

    def enqueue(stream, pointers):
        plan.enqueue(stream, [p + offset for p, offset in zip(pointers, offsets, strict=True)])
    calls = () if any(offset % ALIGNED for offset in offsets) else plan.calls(offsets) or ()
    return Enqueue(name, enqueue, [operand for operand, _ in operands], calls=calls, failed=plan.failed)


def _turned(matrix, rows, columns):
    """Returns whether a contiguous matrix is stored as its transpose. Returns None if it is not contiguous."""
    if matrix.column == 1 and matrix.row == columns:
        return False
    return True if matrix.row == 1 and matrix.column == rows else None
