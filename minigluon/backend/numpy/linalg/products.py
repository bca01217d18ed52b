"""Products of batches of matrices. `linalg_gemm`, which adds a third matrix, uses `forward`."""

import numpy as np

from ....ops.linalg.products import _linalg_gemm2, batch_dot, transposed
from ..table import kernel_for


@kernel_for(batch_dot)
def batched(op, inputs, outputs):
    return _product(op)


@kernel_for(_linalg_gemm2)
def gemm2(op, inputs, outputs):
    return _product(op, op.alpha) if inputs[0].dtype.kind == "f" else f"dtype {inputs[0].dtype}"


def _product(op, alpha=1):
    """Returns a kernel for alpha · op(A) · op(B)."""
    if op.row_axis != -2:
        return f"rows along axis {op.row_axis}"
    turn_a, turn_b = op.transpose_a, op.transpose_b

    def run(inputs, targets):
        A, B = inputs[0], inputs[1]
        np.matmul(transposed(A) if turn_a else A, transposed(B) if turn_b else B, targets[0])
        if alpha != 1:
            np.multiply(targets[0], alpha, targets[0])
    return run
