"""Loops and branches that minigluon and MXNet 1.9.1 both compute, on arrays and as graphs.

A case is a function of F and its arguments, which returns a list; `arguments(name)` makes arrays for it.
"""

import numpy as np

__all__ = ["CASES", "arguments"]


def running_sum(F, x, s):
    outs, s = F.contrib.foreach(lambda x, s: (s + x, s + x), x, s)
    return [outs, s]


def only_outputs(F, x):
    return [F.contrib.foreach(lambda x, s: (x * 2, s), x, [])[0]]


def only_states(F, x, s):
    return [F.contrib.foreach(lambda x, s: ([], [s[0] * x]), x, [s])[1][0]]


def vector(F, x, s):
    outs, s = F.contrib.foreach(lambda x, s: (x * s, s + x), x, s)
    return [outs, s]


def several(F, x, y, s, t):
    def body(data, states):
        (x, y), (s, t) = data, states
        return [x + s, y * t, s], [s + x, t * y]

    outs, states = F.contrib.foreach(body, [x, y], [s, t])
    return outs + states


def passed_through(F, x, s, t, z):
    outer = F.exp(z)
    outs, states = F.contrib.foreach(lambda x, s: ([x, outer, s[1]], [s[0], x]), x, [s, t])
    return outs + states


def recurrent(F, x, h, w, r, b):
    def step(x, h):
        h = F.tanh(F.FullyConnected(x, w, b, num_hidden=3, name="i2h")
                   + F.FullyConnected(h, r, no_bias=True, num_hidden=3))
        return h, h

    outs, h = F.contrib.foreach(step, x, h, **({} if hasattr(F, "NDArray") else {"name": "rnn"}))
    return [outs, h]


def closure_of_parts(F, x, p):
    parts = F.split(p, num_outputs=2, axis=0)
    outs, s = F.contrib.foreach(lambda x, s: (x * parts[1] + parts[0], s + parts[1]), x, parts[1])
    return [outs, s, parts[0]]


def nested(F, x, s):
    def outer(row, s):
        double = row * 2
        return F.contrib.foreach(lambda e, t: (e + t + F.sum(double), t * e), row, s)

    outs, s = F.contrib.foreach(outer, x, s)
    return [outs, s]


def counting(F, i, t):
    outs, variables = F.contrib.while_loop(lambda i, t: i <= 3, lambda i, t: (t * 2, (i + 1, t * t + t)), [i, t],
                                           max_iterations=3)
    return [outs, *variables]


def while_outer(F, i, t, w):
    outer = F.exp(w)
    outs, variables = F.contrib.while_loop(lambda i, t: F.sum(i + w) < 100, lambda i, t: ([t * w, i], [i * 2, outer]),
                                           [i, t], max_iterations=4)
    return [*outs, *variables]


def while_single(F, i):
    outs, i = F.contrib.while_loop(lambda i: i < 50, lambda i: ([], i * i + 1), i, max_iterations=2)
    return [i]


def branch(F, a, b):
    return [F.contrib.cond(F.sum(a * b) < 5, lambda: (a + 5) * (b + 5), lambda: (a - 5) * (b - 5))]


def branches_of_two(F, a, w):
    outer = F.exp(w)
    out = F.contrib.cond(a > 0, lambda: [outer + w, w], lambda: [w * w, outer])
    return [*out, outer]


def branch_in_loop(F, x, s):
    def body(x, s):
        y = F.contrib.cond(F.sum(x) > 0, lambda: x * s, lambda: x + s)
        return y, y

    outs, s = F.contrib.foreach(body, x, s)
    return [outs, s]


# Shapes of the arguments; numbers are given as they are.
CASES = {
    running_sum: [(4, 2, 3), (2, 3)], only_outputs: [(3, 2)], only_states: [(3, 2), (2,)], vector: [(4,), (1,)],
    several: [(3, 2), (3, 1, 2), (2,), (1, 2)], passed_through: [(3, 2), (2,), (2,), (2,)],
    recurrent: [(4, 2, 5), (2, 3), (3, 5), (3, 3), (3,)], closure_of_parts: [(3, 1, 2), (2, 2)],
    nested: [(3, 4), (1,)], counting: [[1.0], (2,)], while_outer: [[1.0], (1,), (1,)], while_single: [[2.0]],
    branch: [(1,), (1,)], branches_of_two: [[-1.0], (3,)], branch_in_loop: [(5, 1), (1,)],
}
CASES = {function.__name__: (function, shapes) for function, shapes in CASES.items()}


def arguments(name):
    """[(argument name, array)]"""
    function, shapes = CASES[name]
    random = np.random.RandomState(len(name))
    names = function.__code__.co_varnames[1:function.__code__.co_argcount]
    return [(n, np.array(s, "float32") if isinstance(s, list) else random.uniform(-1, 1, s).astype("float32"))
            for n, s in zip(names, shapes)]
