"""Rows of the operators in `minigluon/ops/array/slicing.py`."""

import numpy as np

from ..case import case, u

case("slice", u(3, 4), begin=(1,), end=(3,), expect=lambda x: x[1:3])
case("slice", u(3, 4), begin=(None, 1), end=(None, -1), expect=lambda x: x[:, 1:-1])
case("slice", u(5, 4), begin=(None, 3), end=(None, None), step=(2, -2), expect=lambda x: x[::2, 3::-2])
case("slice", u(5, 4), begin=(4,), end=(0,), step=(-3,), expect=lambda x: x[4:0:-3])
case("slice", u(2, 3, 4), begin=(0, -2, 1), end=(9, 3, 3), expect=lambda x: x[0:9, -2:3, 1:3])
case("slice_axis", u(3, 4), axis=1, begin=1, end=None, expect=lambda x: x[:, 1:])
case("slice_axis", u(3, 4), axis=-2, begin=-2, end=-1, expect=lambda x: x[1:2])
case("slice_like", u(3, 4), u(2, 3), grad=(0,), expect=lambda x, y: x[:2, :3])
case("slice_like", u(3, 4, 2), u(2, 3), grad=(0,), axes=(1,), expect=lambda x, y: x[:, :3])
case("slice_like", u(3, 4), u(1, 2), grad=(0,), axes=(-1,), expect=lambda x, y: x[:, :2])
case("Crop", u(1, 2, 4, 5), offset=(1, 2), h_w=(2, 3), expect=lambda x: x[:, :, 1:3, 2:5],
     oracle="MXNet requires num_args to be given")
case("Crop", u(1, 2, 5, 4), u(1, 1, 2, 2), grad=(0,), center_crop=True, expect=lambda x, y: x[:, :, 1:3, 1:3],
     oracle="MXNet crops float32 only")
_overlay = {"begin": (1, 0), "end": (3, None), "step": (1, 2)}


def _overlaid(x, y):
    return np.array([x[0], [y[0, 0], x[1, 1], y[0, 1], x[1, 3]], [y[1, 0], x[2, 1], y[1, 1], x[2, 3]]])


case("_slice_assign", u(3, 4), u(2, 2), grad=(), expect=_overlaid, **_overlay)
case("_slice_assign", u(3, 4), u(2, 2), expect=_overlaid, oracle="MXNet has no gradient for it", **_overlay)
case("_slice_assign_scalar", u(3, 2), scalar=7, begin=(1,), end=(2,), grad=(),
     expect=lambda x: np.array([x[0], [7, 7], x[2]]))
case("_slice_assign_scalar", u(3, 2), scalar=7, begin=(1,), end=(2,),
     expect=lambda x: np.array([x[0], [7, 7], x[2]]), oracle="MXNet has no gradient for it")
case("diag", u(3), expect=np.diag)
case("diag", u(2), k=-1, expect=lambda x: np.diag(x, -1))
case("diag", u(3, 4), expect=np.diag)
case("diag", u(3, 4), k=2, expect=lambda x: np.array([x[0, 2], x[1, 3]]))
case("diag", u(4, 3), k=-1, expect=lambda x: np.array([x[1, 0], x[2, 1], x[3, 2]]))
case("diag", u(2, 3, 4), axis1=1, axis2=2, k=1, expect=lambda x: np.diagonal(x, 1, 1, 2))
case("diag", u(2, 3, 4), axis1=-1, axis2=0, expect=lambda x: np.diagonal(x, 0, 2, 0))
