"""Rows of the operators in `minigluon/ops/random/hawkes.py`."""

from ..case import case, fixed, ints, plain, u

case("_contrib_hawkesll", plain(u(3, 2, low=0.3, high=1.5)), plain(u(2, low=0.1, high=0.5)),
     plain(u(2, low=0.5, high=2)), plain(u(3, 2, low=0.1, high=1)), plain(u(3, 4, low=0.2, high=1)),
     ints(3, 4, high=2, dtype="int32"), fixed([1, 4, 0], floating=False), fixed([3, 7, 2], floating=False),
     grad=(0, 1), second=False)
