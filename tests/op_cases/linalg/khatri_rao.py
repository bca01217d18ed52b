"""Rows of the operators in `minigluon/ops/linalg/khatri_rao.py`."""

import numpy as np

from ..case import case, u

case("khatri_rao", u(2, 3), u(4, 3), u(2, 3), second=False, oracle="no gradient there", note="gradient",
     expect=lambda a, b, c: np.einsum("ik,jk,lk->ijlk", a, b, c).reshape(16, 3))
case("khatri_rao", u(2, 3), u(4, 3), u(2, 3), grad=(),
     expect=lambda a, b, c: np.einsum("ik,jk,lk->ijlk", a, b, c).reshape(16, 3))
