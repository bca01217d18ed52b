"""Rows of the operators in `minigluon/ops/array/joining.py`."""

import numpy as np

from ..case import case, u

case("Concat", u(2, 3), u(2, 1), u(2, 2), expect=lambda *a: np.concatenate(a, 1))
case("Concat", u(2, 3), u(4, 3), dim=0, expect=lambda *a: np.concatenate(a, 0))
case("Concat", u(2, 3, 1), u(2, 3, 4), dim=-1, expect=lambda *a: np.concatenate(a, -1))
case("Concat", u(2, 3), expect=np.copy)
case("Concat", u(3), u(5), dim=0, expect=lambda *a: np.concatenate(a))
case("_rnn_param_concat", u(3), u(5), dim=0, expect=lambda *a: np.concatenate(a))
case("stack", u(2, 3), u(2, 3), expect=lambda *a: np.array(a))
case("stack", u(2, 3), u(2, 3), u(2, 3), axis=-1, expect=lambda *a: np.stack(a, -1))
case("stack", u(2, 3), u(2, 3), axis=1, expect=lambda *a: np.stack(a, 1))
case("stack", u(2), expect=lambda x: x[None])
case("SliceChannel", u(2, 6), num_outputs=3, expect=lambda x: (x[:, :2], x[:, 2:4], x[:, 4:]))
case("SliceChannel", u(4, 3), num_outputs=2, axis=0, expect=lambda x: (x[:2], x[2:]))
case("SliceChannel", u(2, 3, 2), num_outputs=2, axis=-1, squeeze_axis=True, expect=lambda x: (x[..., 0], x[..., 1]))
case("SliceChannel", u(2, 3), num_outputs=1, expect=np.copy)
case("SliceChannel", u(2, 1), num_outputs=1, squeeze_axis=True, expect=lambda x: x[:, 0])
case("_split_v2", u(7, 2), indices=(0, 2, 3), axis=0, expect=lambda x: (x[:2], x[2:3], x[3:]))
case("_split_v2", u(2, 6), indices=(), sections=2, expect=lambda x: (x[:, :3], x[:, 3:]))
case("_split_v2", u(3, 2), indices=(0, 1, 2), axis=0, squeeze_axis=True, expect=lambda x: (x[0], x[1], x[2]))
