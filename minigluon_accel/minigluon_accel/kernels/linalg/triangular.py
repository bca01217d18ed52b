"""Systems of equations with triangular matrices (see `csrc/linalg/triangular.c`)."""

import math

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size


@kernel_for("_linalg_trsm")
def trsm(op, inputs, outputs):
    a, b = inputs
    batch, n, m = math.prod(a.shape[:-2]), a.shape[-1], b.shape[-2 if op.rightside else -1]
    return reals(a, b) or Call(Phase(
        "trsm", a.dtype, min(parts(n * size(b), 2 ** 17), batch * m), batch=batch, n=n, m=m, lower=int(op.lower),
        transpose=int(op.transpose), rightside=int(op.rightside), alpha=op.alpha))
