"""Small graphs that hypothesis draws: elementwise, scalar, reducing, moving, joining operators; values used often."""

import math

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from minigluon import symbol as sym
from minigluon.backend import ReferenceBackend, Spec

SHAPES = [(2, 3), (3, 2), (1, 3), (2, 1), (6,), (2, 3, 1), (1, 2, 3), (4, 2, 2)]
UNARY = ["tanh", "sigmoid", "relu", "sin", "negative", "abs", "softsign", "square", "identity", "BlockGrad", "erf",
         "zeros_like", "ones_like", "Flatten"]
BINARY = ["elemwise_add", "elemwise_sub", "elemwise_mul", "broadcast_maximum", "broadcast_minimum"]
BROADCAST = ["broadcast_add", "broadcast_sub", "broadcast_mul", "broadcast_maximum"]
SCALARS = [lambda x: x + 1.5, lambda x: 2 - x, lambda x: x * 1, lambda x: x * -0.5, lambda x: x / 1, lambda x: x ** 1,
           lambda x: sym.maximum(x, 0.25), lambda x: sym.minimum(x, 0.5), lambda x: x > 0]


class Builder:
    """A graph that grows. Every step takes numbers and finds something possible to do with them."""

    def __init__(self, shapes):
        self.values = []            # (symbol, shape)
        self.shapes = {}            # of the variables
        for shape in shapes:
            self.variable(shape)

    def variable(self, shape):
        name = f"v{len(self.shapes)}"
        self.shapes[name] = shape
        self.values.append((sym.var(name), shape))
        return self.values[-1][0]

    def pick(self, number):
        return self.values[-1 - number % len(self.values)]      # small numbers: what was made last

    def pick_like(self, number, fits):
        """Another value whose shape fits, or a new variable's."""
        found = [value for value in self.values if fits(value[1])]
        return found[-1 - number % len(found)]

    def add(self, symbol):
        _, (shape,), _ = symbol.infer_shape(**{n: self.shapes[n] for n in symbol.list_arguments()})
        self.values.append((symbol, shape))

    def step(self, kind, a, b, c):
        x, shape = self.pick(a)
        getattr(self, kind)(x, shape, b, c)

    def unary(self, x, shape, b, c):
        name = UNARY[b % len(UNARY)]
        self.add(getattr(sym, name)(x) if name != "Flatten" or len(shape) > 1 else sym.tanh(x))

    def scalar(self, x, shape, b, c):
        self.add(SCALARS[b % len(SCALARS)](x))

    def binary(self, x, shape, b, c):
        y, _ = self.pick_like(c, lambda other: other == shape)
        self.add(getattr(sym, BINARY[b % len(BINARY)])(x, y))

    def broadcast(self, x, shape, b, c):
        y, _ = self.pick_like(c, lambda other: len(other) == len(shape) and all(
            m == n or 1 in (m, n) for m, n in zip(shape, other, strict=True)))
        self.add(getattr(sym, BROADCAST[b % len(BROADCAST)])(x, y))

    def reduce(self, x, shape, b, c):
        axis = b % len(shape)
        name = ["sum", "mean", "max"][c % 3]
        self.add(getattr(sym, name)(x, axis=axis, keepdims=len(shape) == 1 or c % 2 == 0))

    def softmax(self, x, shape, b, c):
        self.add(sym.softmax(x, axis=b % len(shape)))

    def transpose(self, x, shape, b, c):
        axes = np.random.default_rng(b).permutation(len(shape))
        self.add(sym.transpose(x) if c % 2 else sym.transpose(x, axes=tuple(int(i) for i in axes)))

    def reshape(self, x, shape, b, c):
        size = math.prod(shape)
        first = [n for n in range(1, size + 1) if size % n == 0]
        first = first[b % len(first)]
        self.add(sym.reshape(x, shape=[(first, -1), (-1,), (1, first, -1), shape][c % 4]))

    def join(self, x, shape, b, c):
        y, _ = self.pick_like(c, lambda other: other == shape)
        self.add(sym.concat(x, y, dim=b % len(shape)))

    def cut(self, x, shape, b, c):
        axis = b % len(shape)
        self.add(sym.slice_axis(x, axis=axis, begin=c % shape[axis], end=None))

    def split(self, x, shape, b, c):
        axis = b % len(shape)
        parts = sym.split(x, num_outputs=shape[axis], axis=axis)
        self.add(parts[c % shape[axis]])
        if c % 3 == 0:
            self.add(parts[0] * 2)

    def allocated(self, x, shape, b, c):
        """By operators that cannot write into given memory."""
        axis = c % len(shape)
        y, _ = self.pick_like(c, lambda other: other == shape)
        self.add([lambda: sym.reverse(x, axis=axis), lambda: sym.cumsum(x, axis=axis),
                  lambda: sym.repeat(x, repeats=2, axis=axis), lambda: sym.where(y > 0.1, x, y),
                  lambda: sym.LeakyReLU(x, act_type="elu", slope=0.5), lambda: sym.clip(x, -0.5, 0.5),
                  lambda: sym.take(x, sym.zeros((2,), dtype="float64"), axis=axis),
                  lambda: sym.argmax(x, axis=axis, keepdims=True) * 0.5][b % 8]())

    def connect(self, x, shape, b, c):
        units = 1 + b % 3
        weight = self.variable((units, math.prod(shape[1:])))
        bias = [] if c % 2 else [self.variable((units,))]
        self.add(sym.FullyConnected(x, weight, *bias, num_hidden=units, no_bias=not bias))

    def pool(self, x, shape, b, c):
        x = sym.reshape(sym.relu(x) if c % 2 else x, shape=(1, 1, -1, shape[-1]))
        x = sym.relu(x) if b % 3 else x
        self.add(sym.Pooling(x, kernel=(1, 1) if shape[-1] == 1 else (1, 2), pool_type=["max", "avg"][b % 2]))

    def drop(self, x, shape, b, c):
        self.add(sym.Dropout(x, p=0.5))         # in predict mode: nothing


KINDS = ["unary", "unary", "scalar", "scalar", "binary", "binary", "binary", "broadcast", "reduce", "softmax",
         "transpose", "reshape", "reshape", "join", "cut", "split", "allocated", "allocated", "connect", "pool", "drop"]


@st.composite
def graphs(draw, most=14):
    """(graph, {variable name: NumPy array}, names of the variables that want a gradient)"""
    builder = Builder(draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3)))
    numbers = st.integers(0, 40)
    for step in draw(st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 5), numbers, numbers), min_size=1,
                              max_size=most)):
        builder.step(*step)
    results = [builder.pick(i)[0] for i in draw(st.lists(st.integers(0, 8), min_size=1, max_size=3))]
    graph = sym.Group(results)
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    values = {name: rng.uniform(-1, 1, shape) for name, shape in builder.shapes.items()}
    assume(not is_delicate(graph, values))
    wanted = [name for name in values if draw(st.integers(0, 4)) and name in graph.list_inputs()]
    return graph, values, wanted


# -- what the numbers of a graph are -----------------------------------------------------------------------------------


def evaluate(graph, values):
    """{(node, output): NumPy array} of a graph: the reference kernels on whole arrays, one node after the other."""
    found = {}
    for node in graph.nodes():
        if node.op is None:
            found[node, 0] = values[node.name] if node.name in values else np.zeros(node.shape, node.dtype)
            continue
        inputs = [found[pair] for pair in node.inputs]
        # Outputs are told only where a kernel must round to float16; these graphs are of float32 and float64.
        kernel = ReferenceBackend().prepare(node.op, [Spec(x.shape, x.dtype) for x in inputs], [], False,
                                            np.random.default_rng(0))
        found.update({(node, i): y for i, y in enumerate(kernel.run(inputs)[:node.op.num_outputs])})
    return found


# Operators with a kink or a jump, and how far their inputs are from it.
KINKS = {
    "relu": lambda op, x: x, "abs": lambda op, x: x, "clip": lambda op, x: np.abs(x) - 0.5,
    "_maximum_scalar": lambda op, x: x - op.scalar, "_minimum_scalar": lambda op, x: x - op.scalar,
    "_greater_scalar": lambda op, x: x - op.scalar, "LeakyReLU": lambda op, x: x,
    "broadcast_maximum": lambda op, x, y: x - y, "broadcast_minimum": lambda op, x, y: x - y,
    "max": lambda op, x: np.diff(np.sort(x, axis=None)), "argmax": lambda op, x: np.diff(np.sort(x, axis=None)),
    "Pooling": lambda op, x: np.diff(x, axis=-1)}


def is_delicate(graph, values):
    """Is something a rounding error away from a kink? Then another order of additions gives another gradient."""
    found = evaluate(graph, values)
    for node in graph.nodes():
        if node.op is not None and node.op.name in KINKS:
            distance = np.abs(KINKS[node.op.name](node.op, *[found[pair] for pair in node.inputs]))
            if ((distance > 0) & (distance < 1e-9)).any():
                return True
    return False
