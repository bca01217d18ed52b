"""Rows of the operators in `minigluon/ops/linalg/triangular.py`."""

import numpy as np

from ..case import case, u
from ..matrices import t, tri

for right in (False, True):
    for transpose in (False, True):
        for lower in (True, False):
            def op(a, lower=lower, transpose=transpose):
                a = np.tril(a) if lower else np.triu(a)
                return t(a) if transpose else a

            shape = (2, 4, 3) if right else (2, 3, 4)
            flags = {"rightside": right, "transpose": transpose, "lower": lower, "alpha": 1.5}
            case("linalg_trmm", tri(2, 3, 3), u(*shape), **flags,
                 expect=lambda a, b, op=op, right=right: 1.5 * (b @ op(a) if right else op(a) @ b))
            case("linalg_trsm", tri(2, 3, 3), u(*shape), **flags,
                 expect=lambda a, b, op=op, right=right: 1.5 * (b @ np.linalg.inv(op(a)) if right else
                                                                np.linalg.inv(op(a)) @ b))
case("linalg_trmm", tri(3, 3), u(3, 2), expect=lambda a, b: np.tril(a) @ b)
case("linalg_trsm", tri(3, 3), u(3, 2), expect=lambda a, b: np.linalg.inv(np.tril(a)) @ b)
