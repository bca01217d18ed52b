"""Programs whose arrays may not fit: loops and branches, operators in Python, steps of optimizers.

Each is a function (F, *arrays) or a function of arrays; `ran` gives what comes of one, an error of ours or arrays.
"""

import numpy as np

import minigluon as mx
from helpers.hybrid_twins import Lambda
from helpers.op_heads import head_grad
from minigluon import autograd, nd, sym
from minigluon.backend import use_backend
from minigluon.base import MXNetError

__all__ = ["BODIES", "CUSTOM", "LOOPS", "OPTIMIZERS", "ran", "stepped"]

BODIES = {
    "add": lambda F, x, s: x + s,
    "broadcast": lambda F, x, s: F.broadcast_add(x, s),
    "dot": lambda F, x, s: F.dot(x, s),
    "grow": lambda F, x, s: F.concat(s, x, dim=0),
    "narrow": lambda F, x, s: F.cast(x * s, dtype="float16"),
    "slice": lambda F, x, s: F.slice_axis(s, axis=0, begin=0, end=2) * F.sum(x),
    "like": lambda F, x, s: F.broadcast_like(F.sum(x, keepdims=True), s),
}


def _foreach(F, body, data, state):
    def step(x, s):
        y = BODIES[body](F, x, s)
        return y, y
    outs, last = F.contrib.foreach(step, data, state)
    return [outs, last]


def _while_loop(F, body, data, state):
    outs, after = F.contrib.while_loop(
        lambda i, x, s: F.sum(i) < 3, lambda i, x, s: (s, [i + 1, x, BODIES[body](F, x, s)]),
        [F.sum(data) * 0, data, state], max_iterations=4)
    outs = outs if isinstance(outs, (list, tuple)) else [outs]
    return [*outs, *after]


def _cond(F, body, data, state):
    result = F.contrib.cond(F.sum(data) > 0, lambda: BODIES[body](F, data, state), lambda: state * 2)
    return [result]


LOOPS = {"foreach": _foreach, "while_loop": _while_loop, "cond": _cond}

OPTIMIZERS = sorted(set(mx.optimizer.Optimizer.opt_registry) - {"test"})


class Liar(mx.operator.CustomOp):
    """Doubles its input, and writes one thing otherwise than its property has said."""

    def __init__(self, lie):
        super().__init__()
        self.lie = lie

    def forward(self, is_train, req, in_data, out_data, aux):
        result = in_data[0] * 2
        if self.lie == "forward shape":
            result = nd.concat(result, result, dim=0)
        if self.lie == "forward type":
            result = result.astype("float64")
        if self.lie == "forward input":
            in_data[0][...] = 7
        if self.lie == "forward fails":
            raise ValueError("on purpose")
        self.assign(out_data[0], req[0], result)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        result = out_grad[0] * 2
        if self.lie == "backward shape":
            result = nd.concat(result, result, dim=0)
        if self.lie == "backward fails":
            raise KeyError("on purpose")
        self.assign(in_grad[0], req[0], result)


@mx.operator.register("misfit_liar")
class LiarProp(mx.operator.CustomOpProp):
    """lie: what does not fit, one of CUSTOM."""

    def __init__(self, lie=""):
        super().__init__()
        self.lie = lie

    def infer_shape(self, in_shape):
        out = {"shape": [*in_shape[0], 2], "rank": 5, "negative": [-3], "unknown": None}.get(self.lie, in_shape[0])
        return (in_shape * 2 if self.lie == "inputs" else in_shape), [out] * (2 if self.lie == "count" else 1), []

    def infer_type(self, in_type):
        out = {"type": np.int8, "no type": "nothing"}.get(self.lie, in_type[0])
        return in_type, [out], []

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Liar(self.lie)


CUSTOM = ["", "shape", "rank", "negative", "unknown", "inputs", "count", "type", "no type", "forward shape",
          "forward type", "forward input", "forward fails", "backward shape", "backward fails"]


def ran(program, arrays, way, backend):
    """{name: array} of outputs and gradients, or the text of an error of ours.

    program: a function (F, *arrays) -> list. way: "imperative", "hybridized", "bound".
    """
    mx.random.seed(7)
    with use_backend(backend), np.errstate(all="ignore"):
        try:
            return {name: x.asnumpy() for name, x in _WAYS[way](program, [nd.array(a, dtype=a.dtype) for a in arrays])}
        except MXNetError as error:
            return str(error)


def _imperative(program, inputs):
    return _differentiated(lambda *xs: program(nd, *xs), inputs)


def _hybridized(program, inputs):
    net = Lambda(program)
    net.hybridize()
    net(*[x.copy() for x in inputs])                # the plan is made here, and used again below
    return _differentiated(net, inputs)


def _bound(program, inputs):
    names = [f"x{k}" for k in range(len(inputs))]
    outputs = sym.Group(program(sym, *[sym.var(name) for name in names]))
    executor = outputs.bind(mx.cpu(), dict(zip(names, inputs, strict=True)), args_grad={
        name: nd.zeros_like(x) for name, x in zip(names, inputs, strict=True) if x.dtype in (np.float32, np.float64)})
    results = executor.forward(is_train=True)
    executor.backward([nd.array(head_grad(y.shape, k), dtype=y.dtype) for k, y in enumerate(results)])
    return [*[(f"output {k}", y) for k, y in enumerate(results)],
            *[(f"gradient {k}", executor.grad_dict[name]) for k, name in enumerate(names)
              if executor.grad_dict.get(name) is not None]]


def _differentiated(function, inputs):
    wanted = [x for x in inputs if x.dtype in (np.float32, np.float64)]
    for x in wanted:
        x.attach_grad()
    with autograd.record():
        outputs = function(*inputs)
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    heads = [(y, nd.array(head_grad(y.shape, k), dtype=y.dtype)) for k, y in enumerate(outputs) if y.entry is not None]
    if heads:
        autograd.backward(*map(list, zip(*heads, strict=True)))
    return [*[(f"output {k}", y) for k, y in enumerate(outputs)],
            *[(f"gradient {k}", x.grad) for k, x in enumerate(inputs) if x.grad is not None]]


_WAYS = {"imperative": _imperative, "hybridized": _hybridized, "bound": _bound}


def stepped(name, weight, grad, other, multi_precision, backend):
    """{name: array} after two steps of an optimizer, or the text of an error of ours and whether the weight is changed.

    other: of the shape for which the state is made; the type is the weight's, which decides what states there are.
    """
    other = other.astype(weight.dtype)
    mx.random.seed(7)
    with use_backend(backend), np.errstate(all="ignore"):
        w, g, o = (nd.array(a, dtype=a.dtype) for a in (weight, grad, other))
        try:
            optimizer = mx.optimizer.create(name, learning_rate=0.1, wd=0.01, multi_precision=multi_precision)
            state = optimizer.create_state_multi_precision(0, o)
            for _ in range(2):
                optimizer.update_multi_precision(0, w, g, state)
        except MXNetError as error:
            same = np.array_equal(w.asnumpy(), nd.array(weight, dtype=weight.dtype).asnumpy(), equal_nan=True)
            return str(error) if same else f"CHANGED {error}"
        return {"weight": w.asnumpy()}
