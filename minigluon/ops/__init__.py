"""Operators, each as a class: signature, shape rule, NumPy forward and gradient.

To add an operator, write a class like those in this package and a row in `tests/op_cases`:

    from minigluon.ops import Op, register

    @register("data")
    class square(Op):
        "data² element by element."
        def forward(self, data):
            return data * data
        def gradient(self, F, out_grads, inputs, outputs):
            return 2 * inputs[0] * out_grads[0]
"""

# Importing a category fills the registry.
from . import array, graph, linalg, math, nn, optimizer, quantized, random, rnn, vision
from .op import Op
from .registry import REGISTRY, register

__all__ = ["REGISTRY", "Op", "register"]
