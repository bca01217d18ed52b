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

import importlib
from types import ModuleType

# Importing a category fills the registry. The categories `quantized` and `vision` are imported on demand.
from . import array, graph, linalg, math, nn, optimizer, random, rnn
from .on_demand import MODULES
from .op import Op
from .registry import REGISTRY, register

__all__ = ["REGISTRY", "Op", "register"]


def __getattr__(name: str) -> ModuleType:
    if name in MODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
