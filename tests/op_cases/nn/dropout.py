"""Rows of the operators in `minigluon/ops/nn/dropout.py`."""

from ..case import case, u

case("Dropout", u(3, 4), expect=lambda x: x)
case("Dropout", u(3, 4), p=0, train=True, expect=lambda x: x)
case("Dropout", u(3, 4), p=0, mode="always", axes=(0,), expect=lambda x: x)
