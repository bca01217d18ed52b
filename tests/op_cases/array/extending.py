"""Rows of the operators in `minigluon/ops/array/extending.py`."""

import numpy as np

from ..case import case, u

case("tile", u(2, 3), reps=(2, 2), expect=lambda x: np.tile(x, (2, 2)))
case("tile", u(3), reps=(2, 2), expect=lambda x: np.tile(x, (2, 2)))
case("tile", u(2, 3, 2), reps=(3,), expect=lambda x: np.tile(x, 3))
case("tile", u(2, 3), reps=(), expect=np.copy)
case("tile", u(1, 3), reps=(2, 1, 3, 1), expect=lambda x: np.tile(x, (2, 1, 3, 1)))
case("repeat", u(2, 3), repeats=2, expect=lambda x: np.repeat(x, 2))
case("repeat", u(2, 3), repeats=3, axis=1, expect=lambda x: np.repeat(x, 3, 1))
case("repeat", u(2, 3, 2), repeats=2, axis=-2, expect=lambda x: np.repeat(x, 2, 1))
case("repeat", u(2, 3), repeats=1, axis=0, expect=np.copy)
_plane = (0, 0, 0, 0, 2, 1, 0, 2)
case("Pad", u(1, 2, 3, 4), mode="constant", pad_width=_plane, constant_value=2.5,
     expect=lambda x: np.pad(x, [(0, 0), (0, 0), (2, 1), (0, 2)], constant_values=2.5))
case("Pad", u(1, 2, 3, 4), mode="edge", pad_width=_plane,
     expect=lambda x: np.pad(x, [(0, 0), (0, 0), (2, 1), (0, 2)], "edge"))
case("Pad", u(1, 2, 3, 4), mode="reflect", pad_width=_plane,
     expect=lambda x: np.pad(x, [(0, 0), (0, 0), (2, 1), (0, 2)], "reflect"))
for _mode in "constant", "edge", "reflect":
    case("Pad", u(1, 1, 2, 3, 2), mode=_mode, pad_width=(0, 0, 0, 0, 1, 1, 2, 0, 0, 1),
         expect=lambda x, m=_mode: np.pad(x, [(0, 0), (0, 0), (1, 1), (2, 0), (0, 1)], m))
case("Pad", u(3), mode="reflect", pad_width=(2, 2), expect=lambda x: np.pad(x, 2, "reflect"),
     oracle="MXNet pads four and five dimensions only")
