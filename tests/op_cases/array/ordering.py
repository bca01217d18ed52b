"""Rows of the operators in `minigluon/ops/array/ordering.py`."""

import numpy as np

from ..case import case, distinct, fixed

_x = distinct(3, 5)
_ties = fixed([[1, 3, 1, 2], [0, 0, 0, 5]], floating=False)
case("sort", _x, axis=-1, expect=lambda x: np.sort(x))
case("sort", _x, axis=-1, is_ascend=False, expect=lambda x: -np.sort(-x))
case("sort", _x, axis=0, expect=lambda x: np.sort(x, 0))
case("sort", _x, axis=None, expect=lambda x: np.sort(x, None), oracle="MXNet crashes in the gradient")
case("argsort", _x, grad=(), expect=lambda x: np.argsort(x))
case("argsort", _x, grad=(), axis=0, is_ascend=False, named={"dtype": "int32"}, note="int32",
     expect=lambda x: np.argsort(-x, 0))
case("argsort", _ties, is_ascend=False, expect=lambda x: np.array([[1, 3, 0, 2], [3, 0, 1, 2]]))
case("argsort", _ties, axis=None, expect=lambda x: np.array([4, 5, 6, 0, 2, 3, 1, 7]))
case("topk", _x, grad=(), expect=lambda x: x.argmax(-1)[:, None])
case("topk", _x, grad=(), k=3, is_ascend=True, axis=-2, expect=lambda x: np.argsort(x, 0)[:3])
case("topk", _ties, k=3, expect=lambda x: np.array([[1, 3, 0], [3, 0, 1]]))
case("topk", _x, k=2, ret_typ="value", expect=lambda x: -np.sort(-x)[:, :2])
case("topk", _x, k=2, ret_typ="value", axis=0, is_ascend=True, expect=lambda x: np.sort(x, 0)[:2])
case("topk", _x, k=0, ret_typ="value", expect=lambda x: -np.sort(-x))
case("topk", _x, k=4, ret_typ="value", axis=None, expect=lambda x: -np.sort(-x, None)[:4],
     oracle="MXNet crashes in the gradient")
case("topk", _x, grad=(), k=2, ret_typ="both", named={"dtype": "int64"}, expect=lambda x: (
    -np.sort(-x)[:, :2], np.argsort(-x)[:, :2]))
case("topk", _x, grad=(), k=2, ret_typ="mask", expect=lambda x: x > np.sort(x)[:, 2:3])
case("topk", _x, grad=(), k=6, ret_typ="mask", axis=None, expect=lambda x: x > np.sort(x, None)[8])
