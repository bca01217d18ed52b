"""Rows of the operators in `minigluon/ops/math/special.py`."""

from ..case import case, u

case("_polygamma", u(3, 4, low=0.3, high=20.0), n=0, oracle="internal")
case("_polygamma", u(4, low=-3.9, high=-3.1), n=1, oracle="internal")
