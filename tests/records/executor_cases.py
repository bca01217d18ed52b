"""Graphs of `symbol_cases` with values for their variables, to bind and run here and in MXNet 1.9.1."""

import numpy as np

from records import symbol_cases

__all__ = ["NAMES", "build", "head", "requirements", "value"]

LEFT_OUT = {
    "drawn at random": ("dropout", "lenet", "layer dropout"),
    "without inputs, or with a type of its own for each": ("sources", "strange_names", "variables", "spelled"),
    "moving statistics that are read or updated twice: MXNet updates them in backward, here it is in forward":
        ("shared_statistics", "statistics_read_afterwards"),
    "MXNet's gradients are wrong: of SELU; of a variable that 17 operators use; of PReLU beside other uses of x":
        ("layer selu", "methods", "left_out_inputs"),
}
NAMES = [n for n in symbol_cases.names if not n.startswith("op ")
         and not any(n in names for names in LEFT_OUT.values())]

INDICES = {("layer embedding", "data")}     # which MXNet refuses to differentiate
LABELS = {("losses", "y")}                  # whose gradients MXNet leaves uninitialized, as those of "..._label"
LIFTED = ("var", "variance", "moving_var", "gamma")         # must be positive


def build(mx, name):
    """(symbol, shapes to bind it with); the images are smaller than those of `symbol_cases`."""
    symbol, shapes = symbol_cases.build(mx, name)
    known = {n: tuple(s) for n, s in (shapes or {}).items() if n in symbol.list_inputs()}
    small = (2, 6, 5, 8) if name == "layer dense_no_bias" else (2, 6, 5, 4)
    return symbol, {n: small if s == (2, 6, 8, 8) else s for n, s in known.items()}


def requirements(graph, arguments):
    """grad_req by name: written and added in turn."""
    return {name: "null" if (graph, name) in INDICES | LABELS or name.endswith("label") else "add" if i % 2 else "write"
            for i, name in enumerate(arguments)}


def value(graph, name, shape):
    """A float32 array for a variable."""
    rng = np.random.default_rng(sum(map(ord, graph + name)))
    if name.endswith(LIFTED):
        return rng.uniform(0.5, 1.5, shape).astype("float32")
    if (graph, name) in INDICES or name.endswith("label"):
        return rng.integers(0, 2, shape).astype("float32")
    low, high = (0.2, 1.5) if graph.startswith("symbols_and") else (-1, 1)      # for powers and quotients
    return rng.uniform(low, high, shape).astype("float32")


def head(index, shape):
    """The gradient that arrives at output number `index`."""
    return np.random.default_rng(index).uniform(-1, 1, shape).astype("float32")
