"""Rows of the operators in `minigluon/ops/array/sources.py`."""

import numpy as np

from ..case import case

case("_zeros", shape=(2, 3), expect=lambda: np.zeros((2, 3)))
case("_ones", shape=(2,), named={"dtype": "int32"}, expect=lambda: np.ones(2, "int32"))
case("_full", shape=(2, 1), value=3.7, named={"dtype": "uint8"}, expect=lambda: np.full((2, 1), 3))
case("_eye", N=2, expect=lambda: np.eye(2))
case("_eye", N=3, M=4, k=-1, named={"dtype": "float64"}, expect=lambda: np.eye(3, 4, -1))
case("_arange", start=5, expect=lambda: np.arange(5))
case("_arange", start=1, stop=8, step=2.5, repeat=2, expect=lambda: np.array([1, 1, 3.5, 3.5, 6, 6]))
case("_arange", start=4, stop=-1, step=-2, named={"dtype": "int64"}, expect=lambda: np.array([4, 2, 0]))
for _how, _numbers in ((0.9, 6, 1.7), [0, 1, 2]), ((10, 2, -1.5), [10, 9, 8, 7, 6, 5]), ((0, 5, 0.5), [0] * 10), (
        (-1.5, 3, 1), [-1, 0, 1, 2, 3]):
    case("_arange", start=_how[0], stop=_how[1], step=_how[2], named={"dtype": "int32"},
         expect=lambda numbers=_numbers: np.array(numbers), note="cut off")
case("_linspace", start=1, stop=2, num=5, expect=lambda: np.array([1, 1.25, 1.5, 1.75, 2]))
case("_linspace", start=0, stop=1, num=4, endpoint=False, expect=lambda: np.array([0, 0.25, 0.5, 0.75]))
