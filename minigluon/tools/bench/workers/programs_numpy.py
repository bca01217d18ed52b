"""The cost of the bare NumPy calls in some programs, which is a lower bound for anything that runs on NumPy."""

from functools import partial

import numpy as np

__all__ = ["MODES", "makers"]

MODES = {"numpy": ["raw"]}


def makers(sizes):
    """Return {name: function of a mode that sets up the program and returns the function that runs it once}."""
    return {"mlp forward": mlp_forward, "chain forward": partial(chain_forward, sizes)}


def mlp_forward(mode):
    rng = np.random.default_rng(0)
    sizes = [(256, 512), (256, 256), (2, 256)]
    weights = [rng.normal(size=s).astype("float32") for s in sizes]
    biases = [np.zeros(s[0], "float32") for s in sizes]
    x = rng.normal(size=(1, 512)).astype("float32")

    def run():
        h = np.maximum(np.dot(x, weights[0].T) + biases[0], 0)
        h = np.maximum(np.dot(h, weights[1].T) + biases[1], 0)
        return np.dot(h, weights[2].T) + biases[2]
    return run


def chain_forward(sizes, mode):
    x = np.random.default_rng(0).normal(size=sizes["chain_elements"]).astype("float32")
    return lambda: x * (np.tanh((x + x * x * x * 0.044715) * 0.7978845608) + 1) * 0.5
