"""Random programs of recorded operators, views, writes in place and backward: right gradients, or one of the errors.

Beside each NDArray stands a model: a NumPy view with the same memory, and a node that has copies of what its gradient
needs. So the model always knows the right gradient, whatever was overwritten since.
"""

import numpy as np
import pytest
from helpers import WIDE
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from minigluon import MXNetError, autograd, nd
from minigluon.base import DetachedError, GraphFreedError, NotRecordedError, WrittenInPlaceError

pytestmark = pytest.mark.once

SHAPE = (2, 3)


class Node:
    """A place on the model's tape: parents, and for each a function from this gradient to the parent's."""

    def __init__(self, parents=(), pull=()):
        self.parents, self.pull = parents, pull
        self.freed = False              # True after a backward; None where one ended in the middle of the walk

    def reached(self):
        """Itself and all that lead to it."""
        found, todo = set(), [self]
        while todo:
            node = todo.pop()
            if node not in found:
                found.add(node)
                todo += node.parents
        return found


def is_constant(x, model):
    """Does what is recorded next take the array for a constant? After a walk that ended early, the array knows."""
    if model.node is None or not model.node.parents:
        return model.node is None
    return x.entry.versions is None if model.node.freed is None else model.node.freed


class Model:
    """What an NDArray should be: `data`, a view of the memory it should have; its node or None; the variable's grad."""

    def __init__(self, data, node=None, detached=False):
        self.data, self.node, self.detached = data, node, detached
        self.grad = self.req = None


UNARY = {       # name: (operator on NDArrays, NumPy's, derivative from input and output)
    "square": (nd.square, np.square, lambda x, y: 2 * x),
    "tanh": (nd.tanh, np.tanh, lambda x, y: 1 - y * y),
    "sigmoid": (nd.sigmoid, lambda x: 1 / (1 + np.exp(-x)), lambda x, y: y * (1 - y)),
    "relu": (nd.relu, lambda x: np.maximum(x, 0), lambda x, y: (x > 0) * 1.0),
    "halved": (lambda x: x / 2, lambda x: x / 2, lambda x, y: np.full_like(x, 0.5)),
    "one_less": (lambda x: x - 1, lambda x: x - 1, lambda x, y: np.ones_like(x)),
    "sin": (nd.sin, np.sin, lambda x, y: np.cos(x)),
}
BINARY = {      # name: (operator, NumPy's, derivative for each input)
    "add": (lambda a, b: a + b, np.add, lambda a, b: (np.ones_like(a), np.ones_like(b))),
    "multiply": (lambda a, b: a * b, np.multiply, lambda a, b: (b, a)),
    "subtract": (lambda a, b: a - b, np.subtract, lambda a, b: (np.ones_like(a), -np.ones_like(b))),
    "maximum": (nd.maximum, np.maximum, lambda a, b: ((a >= b) * 1.0, (a < b) * 1.0)),
}
VIEWS = {       # name: (view of an NDArray, of NumPy's array); all keep the shape
    "reshaped": (lambda x: x.reshape((3, 2)).reshape(SHAPE), lambda x: x.reshape((3, 2)).reshape(SHAPE)),
    "whole": (lambda x: x[0:2], lambda x: x[0:2]),
}


class Tape(RuleBasedStateMachine):
    """All arrays have one shape, so that any two go together."""

    pick = st.integers(0, 11)
    mostly = st.sampled_from([True, True, True, True, False])

    @initialize(seed=st.integers(0, 99))
    def start(self, seed):
        rng = np.random.default_rng(seed)
        self.pairs, self.variables = [], []
        self.wrote = self.freed = False
        for req in ("write", "add"):
            self.add(nd.array(rng.uniform(-1, 1, SHAPE), dtype="float64"))
            self.attach(len(self.pairs) - 1, req)
        self.add(nd.array(rng.uniform(-1, 1, SHAPE), dtype="float64"))

    def add(self, x, model=None):
        self.pairs.append((x, model or Model(x.asnumpy())))

    def tracked(self, i):
        """Mostly an array computed on the tape: others have little to get wrong."""
        found = [pair for pair in self.pairs if pair[1].node is not None and pair[1].node.parents]
        return found[-1 - i % len(found)] if found and i < 10 else self.at(i)

    def at(self, i):
        return self.pairs[-1 - i % len(self.pairs)]         # small numbers, drawn more often, are the newest

    def record(self, recording, make, pairs, data, pulls, shares=False):
        """Run `make` on the tape or not, and put its result next to the model's."""
        tracked = [(m.node, pull) for (x, m), pull in zip(pairs, pulls, strict=True) if not is_constant(x, m)]
        with autograd.record() if recording else autograd.pause():
            x = make()
        node = Node(*zip(*tracked, strict=True)) if recording and tracked else None
        self.add(x, Model(data if shares else np.array(data), node))

    @rule(i=pick, name=st.sampled_from(sorted(UNARY)), recording=mostly)
    def unary(self, i, name, recording):
        x, m = self.tracked(i)
        operator, function, derivative = UNARY[name]
        y = function(m.data)
        slope = derivative(m.data.copy(), y.copy())
        self.record(recording, lambda: operator(x), [(x, m)], y, [lambda g: g * slope])

    @rule(i=pick, j=pick, name=st.sampled_from(sorted(BINARY)), recording=mostly)
    def binary(self, i, j, name, recording):
        (a, m), (b, n) = self.tracked(i), self.at(j)
        operator, function, derivative = BINARY[name]
        left, right = derivative(m.data.copy(), n.data.copy())
        self.record(recording, lambda: operator(a, b), [(a, m), (b, n)], function(m.data, n.data),
                    [lambda g: g * left, lambda g: g * right])

    @rule(i=pick, name=st.sampled_from(sorted(VIEWS)), recording=st.booleans())
    def view(self, i, name, recording):
        x, m = self.at(i)
        operator, function = VIEWS[name]
        self.record(recording, lambda: operator(x), [(x, m)], function(m.data), [lambda g: g], shares=True)

    @rule(i=pick)
    def detach(self, i):
        x, m = self.at(i)
        self.add(x.detach(), Model(m.data, None, True))

    @rule(i=pick, value=st.floats(-1, 1), row=st.sampled_from([slice(None), 0, 1]))
    def write(self, i, value, row):
        """Outside of record: always allowed."""
        x, m = self.at(i)
        x[row] = value
        m.data[row] = value
        self.wrote = True

    @rule(i=pick, how=st.sampled_from(["add", "multiply", "out", "assign"]))
    def write_while_recording(self, i, how):
        """Inside of record: refused for an array on the tape, unless its graph was freed."""
        x, m = self.at(i)
        constant = is_constant(x, m)
        try:
            with autograd.record():
                if how == "add":
                    x += 0.25
                elif how == "multiply":
                    x *= 0.5
                elif how == "out":
                    nd.square(x, out=x)
                else:
                    x[:] = 0.75
        except MXNetError:
            assert not constant
            return
        assert constant
        m.data[...] = {"add": m.data + 0.25, "multiply": m.data * 0.5, "out": m.data ** 2, "assign": 0.75}[how]
        self.wrote = True

    @rule(i=pick, req=st.sampled_from(["write", "add"]))
    def attach(self, i, req):
        x, m = self.at(i)
        x.attach_grad(req)
        m.node, m.grad, m.req = Node(), np.zeros(SHAPE), req
        self.variables = [(y, n) for y, n in self.variables if y is not x] + [(x, m)]

    @rule(i=pick, retain=st.sampled_from([True, True, False]), seed=st.one_of(st.none(), st.floats(-2, 2)))
    def backward(self, i, retain, seed):
        x, m = self.tracked(i)
        try:
            x.backward(None if seed is None else nd.full(SHAPE, seed, dtype="float64"), retain_graph=retain)
        except NotRecordedError:
            assert m.node is None
            return
        except DetachedError:
            assert m.node is None
            assert m.detached
            return
        except GraphFreedError:
            assert self.freed
            self.ended_early(m.node, retain)
            return
        except WrittenInPlaceError:
            assert self.wrote
            self.ended_early(m.node, retain)
            return
        assert m.node is not None
        self.freed = self.freed or not retain
        for node in m.node.reached() if not retain else ():
            node.freed = True
        for node, grad in self.gradients(m.node, np.full(SHAPE, 1.0 if seed is None else seed)).items():
            for _, variable in self.variables:
                if variable.node is node:
                    variable.grad = variable.grad + grad if variable.req == "add" else grad

    def ended_early(self, head, retain):
        """Entries that were visited before the walk ended are freed; which, the model does not know."""
        self.freed = True
        for node in head.reached() if not retain else ():
            node.freed = node.freed or None

    @staticmethod
    def gradients(head, grad):
        """{node without parents: gradient}, by the chain rule along every path, parents after all their children."""
        order, seen = [], set()

        def visit(node):
            if id(node) not in seen:
                seen.add(id(node))
                for parent in node.parents:
                    visit(parent)
                order.append(node)

        visit(head)
        grads, leaves = {id(head): grad}, {}
        for node in reversed(order):
            found = grads[id(node)]
            if not node.parents:
                leaves[node] = found
            for parent, pull in zip(node.parents, node.pull, strict=True):
                grads[id(parent)] = grads.get(id(parent), 0) + pull(found)
        return leaves

    @invariant()
    def values_and_gradients_are_right(self):
        for x, m in getattr(self, "pairs", ()):
            np.testing.assert_allclose(x.asnumpy(), m.data, rtol=1e-12, atol=1e-12)
        for x, m in getattr(self, "variables", ()):
            if x.grad is not None:
                np.testing.assert_allclose(x.grad.asnumpy(), m.grad, rtol=1e-9, atol=1e-9)


TestTape = Tape.TestCase
TestTape.settings = settings(max_examples=200 if WIDE else 60, stateful_step_count=50, deadline=None,
                             database=None, derandomize=True)
