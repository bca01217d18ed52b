"""Activations."""

from typing import Literal

import numpy as np

from .op import Op
from .registry import operator, register

__all__ = ["Activation"]


@register("data")
class Activation(Op):
    """act_type(data) element by element.

    relu max(x, 0) | sigmoid 1 / (1 + e⁻ˣ) | tanh | softrelu log(1 + eˣ) | softsign x / (1 + |x|)
    """

    act_type: Literal["relu", "sigmoid", "tanh", "softrelu", "softsign"]

    @property
    def keeps(self):
        return ("inputs",) if self.act_type == "softsign" else ("outputs",)

    def forward(self, data):
        if self.act_type == "softrelu":
            return np.logaddexp(data, data.dtype.type(0))
        if self.act_type == "softsign":
            return data / (1 + np.abs(data))
        return operator(self.act_type).forward(data)

    def gradient(self, F, out_grads, inputs, outputs):
        g, x, y = out_grads[0], inputs[0], outputs[0]
        if self.act_type == "softrelu":
            return g * (1 - F.exp(-y))
        if self.act_type == "softsign":
            return g / F.square(1 + F.abs(x))
        return operator(self.act_type).derivative(F, g, x, y)
