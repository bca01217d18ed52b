"""What the bare NumPy calls of two programs cost: the floor for anything that runs on NumPy."""

import numpy as np


def makers():
    """{name: function that sets a program up and returns the function that runs it once}."""
    return {"small operator": small_operator, "mlp forward": mlp_forward}


def small_operator():
    a, b = np.ones((2, 3), "float32"), np.ones((2, 3), "float32")
    return lambda: np.add(a, b)


def mlp_forward():
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
