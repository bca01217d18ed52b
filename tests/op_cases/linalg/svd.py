"""Rows of the operator in `minigluon/ops/linalg/svd.py`."""

from ..case import case, u

case("_linalg_svd", u(3, 3))
case("_linalg_svd", u(2, 4))
case("_linalg_svd", u(2, 4, 3))
