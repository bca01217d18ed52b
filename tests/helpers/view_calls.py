"""An operator in a graph whose inputs are views: of a variable, of a computed value, of another view, or of a result.

A kernel that refuses its values while a plan runs leaves the node to the reference, which must find the arrays that the
kernel was given. `outcome` gives what came of each way to run the graph; `wanted` gives that of the plain call.
"""

import contextlib
import math

import numpy as np

import minigluon as mx
from helpers.hybrid_twins import Lambda
from helpers.op_heads import head_grad
from minigluon import autograd, gluon, nd, sym
from minigluon.backend import use_backend
from minigluon.base import MXNetError
from minigluon.gluon import nn
from minigluon.ndarray.imperative import invoke
from minigluon.ops.optimizer.multi_tensor import InPlaceMultiUpdate
from minigluon.symbol.symbol import compose

__all__ = ["KINDS", "SOURCES", "VIEWS", "WAYS", "outcome", "wanted"]

FLOATS = np.float16, np.float32, np.float64


def _begins_with_one(shape):
    return shape[0] == 1 and len(shape) > 1


# How a variable in another shape becomes the input: {name: (the variable's shape, the view)}.
VIEWS = {
    "none": (lambda shape: shape, lambda F, x, shape: x),
    "reshape": (lambda shape: (math.prod(shape),), lambda F, x, shape: F.reshape(x, shape=shape)),
    "expand_dims": (lambda shape: shape[1:] if _begins_with_one(shape) else shape,
                    lambda F, x, shape: F.expand_dims(x, axis=0) if _begins_with_one(shape) else F.identity(x)),
    "squeeze": (lambda shape: (1, *shape), lambda F, x, shape: F.squeeze(x, axis=0)),
    "flatten": (lambda shape: (*shape, 1),
                lambda F, x, shape: F.Flatten(x) if len(shape) == 2 else F.squeeze(x, axis=-1)),
    "twice": (lambda shape: (1, math.prod(shape)),
              lambda F, x, shape: F.reshape(F.BlockGrad(F.reshape(x, shape=(-1,))) if not shape else F.expand_dims(
                  F.reshape(x, shape=shape), axis=0), shape=shape)),
    "identity": (lambda shape: shape, lambda F, x, shape: F.identity(x)),
}
# What the view is of: the variable itself, a value of the plan, one that its kernel has allocated.
SOURCES = {
    "variable": lambda F, x: x,
    "planned": lambda F, x: F.negative(F.negative(x)),
    "allocated": lambda F, x: F.reverse(F.reverse(x, axis=0), axis=0),
}
KINDS = [(view, source) for view in VIEWS for source in SOURCES]


def can_view(op, name, array):
    """Return whether this input may be a view: what is overwritten is a variable, and 0 has a meaning of its own."""
    return array.size and array.ndim and name not in op.mutates and array.dtype in FLOATS


def outcome(way, op, arrays, train, kinds, results):
    """[(name, array)], or the text of an error of ours. kinds: of each input. results: are the views results, too?"""
    names = op.argument_names(len(arrays))
    kinds = [kind if can_view(op, name, a) else ("none", "variable")
             for kind, name, a in zip(kinds, names, arrays, strict=True)]
    given = [a.reshape(VIEWS[view][0](a.shape)) for a, (view, _) in zip(arrays, kinds, strict=True)]

    def function(F, *xs):
        seen = [VIEWS[view][1](F, SOURCES[source](F, x), a.shape)
                for x, a, (view, source) in zip(xs, arrays, kinds, strict=True)]
        outputs = compose(op, seen) if F is sym else invoke(op, seen)
        outputs = list(outputs) if isinstance(outputs, (list, tuple, sym.Symbol)) else [outputs]
        shown = [y for y, (view, source) in zip(seen, kinds, strict=True) if (view, source) != ("none", "variable")]
        return outputs + (shown if results else [])
    return _tried(lambda: WAYS[way](function, op, given, train), arrays)


def wanted(way, op, arrays, train, backend):
    """The same of the plain imperative call, without gradients if the way has none."""
    def function(F, *xs):
        outputs = invoke(op, xs)
        return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]

    def only_forward():
        with autograd.train_mode() if train else autograd.predict_mode():
            outputs = function(nd, *[nd.array(a, dtype=a.dtype) for a in arrays])
        return [(f"output {k}", y) for k, y in enumerate(outputs[:op.num_visible_outputs])]
    with use_backend(backend):
        return _tried(only_forward if way == "forward" else lambda: _imperative(function, op, arrays, train), arrays)


def _tried(function, arrays):
    mx.random.seed(7)
    with np.errstate(all="ignore"):
        try:
            found = function()
        except MXNetError as error:
            return str(error)
    shape_of = {f"gradient x{k}": a.shape for k, a in enumerate(arrays)}
    return {name: x.asnumpy().reshape(shape_of.get(name, x.shape)) for name, x in found}


# -- ways -----------------------------------------------------------------------------------------------------------

def _differentiated(op, arrays):
    names = op.argument_names(len(arrays))
    return [k for k, a in enumerate(arrays) if a.dtype in FLOATS and names[k] not in op.mutates]


def _imperative(function, op, arrays, train):
    return _recorded(lambda *xs: function(nd, *xs), op, arrays, train)


def _recorded(call, op, arrays, train, again=False):
    """Outputs and gradients. again: after a second backward pass on the same tape."""
    inputs = [nd.array(a, dtype=a.dtype) for a in arrays]
    places = _differentiated(op, arrays)
    for k in places:
        inputs[k].attach_grad()
    with autograd.record(train_mode=train):
        outputs = call(*inputs)
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    count = op.num_visible_outputs
    heads = [(y, _head(y.shape, k, y.dtype)) for k, y in enumerate(outputs[:count]) if y.entry is not None]
    for keep in (True, False) if again else (False,):
        if heads:
            autograd.backward(*map(list, zip(*heads, strict=True)), retain_graph=keep)
    return [*[(f"output {k}", y) for k, y in enumerate(outputs[:count])],
            *[(f"gradient x{k}", inputs[k].grad) for k in places if heads]]


def _head(shape, k, dtype):
    return nd.array(head_grad(shape, k), dtype=dtype)


def forward(function, op, arrays, train):
    """A hybridized block, after a run with other values, and twice."""
    net = Lambda(function)
    net.hybridize()
    inputs = [nd.array(a, dtype=a.dtype) for a in arrays]
    with contextlib.suppress(MXNetError):       # ones may not fit
        net(*[nd.ones_like(x) for x in inputs])
    with autograd.train_mode() if train else autograd.predict_mode():
        for _ in range(2):
            mx.random.seed(7)
            outputs = net(*[x.copy() for x in inputs])
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    return [(f"output {k}", y) for k, y in enumerate(outputs[:op.num_visible_outputs])]


def recorded(function, op, arrays, train):
    """The same with gradients."""
    net = Lambda(function)
    net.hybridize()
    return _recorded(net, op, arrays, train)


def again(function, op, arrays, train):
    """The same with two backward passes."""
    net = Lambda(function)
    net.hybridize()
    return _recorded(net, op, arrays, train, again=True)


def bound(function, op, arrays, train):
    """An executor."""
    names = [f"x{k}" for k in range(len(arrays))]
    graph = sym.Group(function(sym, *[sym.var(name) for name in names]))
    given = {name: nd.array(a, dtype=a.dtype) for name, a in zip(names, arrays, strict=True)}
    states, places = graph.list_auxiliary_states(), _differentiated(op, arrays)
    reqs = {n: "write" if k in places else "null" for k, n in enumerate(names) if n not in states}
    executor = graph.bind(mx.cpu(), {n: x for n, x in given.items() if n not in states}, grad_req=reqs,
                          args_grad={n: nd.zeros_like(given[n]) for n, req in reqs.items() if req == "write"},
                          aux_states={n: given[n] for n in states})
    outputs = executor.forward(is_train=train)
    count = op.num_visible_outputs
    found = [(f"output {k}", y.copy()) for k, y in enumerate(outputs[:count])]
    if train:
        executor.backward([_head(y.shape, k, y.dtype) if k < count else nd.zeros_like(y)
                           for k, y in enumerate(outputs)])
        found += [(f"gradient x{k}", executor.grad_dict[f"x{k}"]) for k in places]
    return found


class _Loss(gluon.HybridBlock):
    def __init__(self, function, arrays, places, count, **kwargs):
        super().__init__(**kwargs)
        self.function, self.places, self.count = function, places, count
        for k in places:
            value = nd.array(arrays[k], dtype=arrays[k].dtype)
            param = self.params.get(f"w{k}", shape=value.shape, dtype=value.dtype, init=mx.init.Constant(0))
            param.initialize()
            param.set_data(value)
            setattr(self, f"w{k}", param)

    def hybrid_forward(self, F, *xs, **params):
        xs = list(xs)
        for k in self.places:
            xs.insert(k, params[f"w{k}"])
        heads, xs = xs[len(xs) - self.count:], xs[:len(xs) - self.count]
        outputs = self.function(F, *xs)
        loss = sum(F.sum(F.cast(y, "float32") * head) for y, head in zip(outputs, heads, strict=False))
        for param in params.values():           # a step wants to depend on all weights
            loss = loss + F.sum(param) * 0
        return loss


def step(function, op, arrays, train):
    """A TrainStep whose weights are the inputs: it takes the gradient from them."""
    places = _differentiated(op, arrays)
    if any(arrays[k].dtype != np.float32 for k in places) or not places or isinstance(op, InPlaceMultiUpdate):
        return recorded(function, op, arrays, train)
    others = [nd.array(a, dtype=a.dtype) for k, a in enumerate(arrays) if k not in places]
    plain = Lambda(function)
    outputs = plain(*[nd.array(a, dtype=a.dtype) for a in arrays])
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    count = op.num_visible_outputs
    heads = [_head(y.shape, k, "float32") for k, y in enumerate(outputs[:count])]
    net, loss = nn.HybridLambda(lambda F, x: x), _Loss(function, arrays, places, count)
    net.hybridize()
    loss.hybridize()
    trainer = gluon.Trainer(loss.collect_params(), "sgd", {"learning_rate": 1.0, "wd": 0})
    train_step = gluon.TrainStep(net, _Second(loss), trainer)
    train_step(nd.zeros((1,)), [*others, *heads], batch_size=1)
    assert train_step.reason is None, train_step.reason
    return [(f"step x{k}", getattr(loss, f"w{k}").data()) for k in places]


class _Second(gluon.HybridBlock):
    """The loss, which does not read what the net gives but takes it."""

    def __init__(self, loss, **kwargs):
        super().__init__(**kwargs)
        self.loss = loss
        self.hybridize()

    def hybrid_forward(self, F, x, *args):
        return self.loss(*args)


WAYS = {"forward": forward, "recorded": recorded, "again": again, "bound": bound, "step": step}
