"""Rows of the operators in `minigluon/ops/array/contrib.py`."""

import numpy as np

from ..case import case, fixed, u

_mask = fixed([0, 1, 3], floating=False)
case("_contrib_arange_like", u(2, 3), grad=(), expect=lambda x: np.arange(6).reshape(2, 3))
case("_contrib_arange_like", u(2, 3), grad=(), start=1, step=2, axis=-1, expect=lambda x: np.array([1, 3, 5]))
case("_contrib_arange_like", u(2, 3), grad=(), repeat=2, expect=lambda x: np.array([[0, 0, 1], [1, 2, 2]]))
case("_contrib_index_array", u(2, 3), grad=(), expect=lambda x: np.moveaxis(np.indices((2, 3)), 0, -1))
case("_contrib_index_array", u(2, 3, 2), grad=(), axes=(2, 0),
     expect=lambda x: np.stack([np.indices((2, 3, 2))[2], np.indices((2, 3, 2))[0]], -1))
case("_contrib_index_copy", u(3, 2), fixed([2, 0], "int32", floating=False), u(2, 2),
     expect=lambda old, i, new: np.array([new[1], old[1], new[0]]))
case("_contrib_div_sqrt_dim", u(2, 4), expect=lambda x: x / 2)
case("_contrib_boolean_mask", u(3, 2), _mask, expect=lambda x, i: x[1:])
case("_contrib_boolean_mask", u(2, 3), _mask, axis=1, expect=lambda x, i: x[:, 1:], oracle="MXNet masks axis 0 only")
case("_contrib_boolean_mask", u(2, 3), fixed([0, 0], floating=False), expect=lambda x, i: x[:0], second=False)
_data = fixed([0, 1, 1.5, 2, 4.9, 5, -1, 6], floating=False)
case("_histogram", _data, bin_cnt=3, range=(0, 5), expect=lambda x: (
    np.array([3, 1, 2]), np.array([0, 5 / 3, 10 / 3, 5])))
case("_histogram", _data, fixed([0, 2, 5], floating=False), expect=lambda x, b: (np.array([3, 3]), b))
