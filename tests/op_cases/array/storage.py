"""Rows of the operators in `minigluon/ops/array/storage.py`."""

import numpy as np

from ..case import case, fixed, u

case("cast_storage", u(3, 4), stype="csr", expect=lambda x: x, oracle="sparse arrays only there")
case("_sparse_retain", u(5, 2), fixed([3, 0, 3], "int64", floating=False), oracle="sparse arrays only there",
     expect=lambda x, i: np.isin(np.arange(5), i)[:, None] * x)
