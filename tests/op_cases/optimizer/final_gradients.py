"""Rows of the operator in `minigluon/ops/optimizer/final_gradients.py`."""

from ..case import case, u
from .multi_tensor import nothing

case("_final_gradients", u(3), u(3), u(3), u(2, 4), u(2, 4), u(2, 4), num_weights=2, expect=nothing, grad=(),
     oracle="not an operator of MXNet; tests/hybrid/test_final_gradients.py compares the copies")
