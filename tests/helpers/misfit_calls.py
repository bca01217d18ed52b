"""An operator called as programs call it: imperatively, with `out=`, bound as a symbol, inside a hybridized block.

`outcome` gives what came of it, an error of ours or arrays. Whatever the way and the backend, it is that of the
imperative call on NumPy.
"""

import contextlib
import math

import numpy as np

import minigluon as mx
from helpers.hybrid_twins import Lambda
from helpers.misfit_checks import CONSISTENT, close
from helpers.misfit_layouts import laid_out
from helpers.op_heads import head_grad
from minigluon import autograd, nd, sym
from minigluon.backend import use_backend
from minigluon.base import MXNetError
from minigluon.ndarray import imperative as imperative_module
from minigluon.ndarray.imperative import invoke
from minigluon.symbol.symbol import compose

__all__ = ["OUTS", "WAYS", "difference", "outcome"]

OUTS = ["fresh", "input", "reshaped input", "shifted input", "part", "other shape", "other type"]


def outcome(way, op, arrays, train, backend, **how):
    """[(name, array)] of what a call gives: outputs, gradients, inputs afterwards; or the text of an error of ours."""
    mx.random.seed(7)
    with use_backend(backend), np.errstate(all="ignore"):
        handles = [nd.NDArray(laid_out(a), mx.cpu()) for a in arrays]
        try:
            return [(name, x if isinstance(x, np.ndarray) else x.asnumpy())
                    for name, x in WAYS[way](op, handles, train, **how)]
        except MXNetError as error:
            return str(error)


# -- ways -----------------------------------------------------------------------------------------------------------

def imperative(op, inputs, train, same=None):
    """same: two places that get one array. A refusal comes before anything is written."""
    def function(*xs):
        before = [x.asnumpy() for x in xs]
        try:
            return invoke(op, xs)
        except MXNetError:
            for x, a in zip(xs, before, strict=True):
                np.testing.assert_array_equal(x.asnumpy(), a, f"{op!r} refused, but changed an input")
            raise
    if same is not None:
        inputs[same[1]] = inputs[same[0]]
    return _differentiated(function, op, inputs, train)


def into(op, inputs, train, out="fresh", place=0, **same):
    """With out=: an array of its own, an input, or memory that it shares with one. Without the tape.

    The direct way into `out` is for large arrays; here it is for all of them.
    """
    shape, dtype = _shape_of_result(op, inputs, train)
    target, inputs = _target(out, place % max(len(inputs), 1), inputs, shape, dtype)
    small, imperative_module.SMALL = imperative_module.SMALL, -1
    try:
        with autograd.train_mode() if train else contextlib.nullcontext():
            result = invoke(op, inputs, out=target)
    finally:
        imperative_module.SMALL = small
    assert result is target or isinstance(result, list), f"{op!r}: out= is not what comes back"
    return [("output 0", target)]


def bound(op, inputs, train, simple=False, between=False):
    """As a symbol, bound to the arrays, or to copies of them that `simple_bind` makes."""
    names = [f"x{k}" for k in range(len(inputs))]
    outputs = sym.Group(_surrounded(sym, op, lambda *xs: compose(op, xs), [sym.var(n) for n in names], between))
    states = outputs.list_auxiliary_states()
    given = dict(zip(names, inputs, strict=True))
    reqs = {n: "write" if n not in states and given[n].dtype in _FLOATS else "null" for n in names}
    reqs = {n: req for n, req in reqs.items() if n not in states}
    if simple and all(x.ndim for x in inputs):      # simple_bind reads () as a shape that is to be inferred
        executor = outputs.simple_bind(mx.cpu(), grad_req=reqs, type_dict={n: x.dtype for n, x in given.items()},
                                       **{n: x.shape for n, x in given.items()})
        for name, target in {**executor.arg_dict, **executor.aux_dict}.items():
            target[...] = given[name]
            given[name] = target
    else:
        executor = outputs.bind(mx.cpu(), {n: x for n, x in given.items() if n not in states}, grad_req=reqs,
                                args_grad={n: nd.zeros_like(given[n]) for n, req in reqs.items() if req == "write"},
                                aux_states={n: given[n] for n in states})
    results = executor.forward(is_train=True)
    heads = [nd.array(head_grad(y.shape, k), dtype=y.dtype) for k, y in enumerate(results)]
    executor.backward(heads)
    return [*[(f"output {k}", y) for k, y in enumerate(results)],
            *[(f"gradient {n}", executor.grad_dict[n]) for n, req in reqs.items() if req == "write"],
            *[(f"input {n}", x) for n, x in given.items()]]


def hybridized(op, inputs, train, between=False, static=False):
    """In a hybridized block, which runs twice: the plan is made in one call, and used again in the other."""
    def function(F, *xs):
        return _surrounded(F, op, lambda *ys: compose(op, ys) if F is sym else invoke(op, ys), xs, between)
    net = Lambda(function)
    net.hybridize(static_alloc=static, static_shape=static)
    first = _differentiated(net, op, [x.copy() for x in inputs], train)
    mx.random.seed(7)
    second = _differentiated(net, op, inputs, train)
    for (name, x), (_, y) in zip(first, second, strict=True):
        np.testing.assert_array_equal(x.asnumpy(), y.asnumpy(), f"{op!r}: the second call's {name}")
    return second


WAYS = {"imperative": imperative, "into": into, "bound": bound, "hybridized": hybridized}

_FLOATS = np.float16, np.float32, np.float64


def _surrounded(F, op, function, xs, between):
    """The outputs as a list; `between` puts operators before each input that is not overwritten, and behind outputs."""
    names = op.argument_names(len(xs))
    outputs = function(*[F.identity(x) * 1 if between and name not in op.mutates else x
                         for name, x in zip(names, xs, strict=True)])
    outputs = list(outputs) if isinstance(outputs, (list, tuple, sym.Symbol)) else [outputs]
    return [F.identity(y) * 1 for y in outputs] if between else outputs


def _differentiated(function, op, inputs, train):
    names = op.argument_names(len(inputs))
    places = [k for k, x in enumerate(inputs) if x.dtype in _FLOATS and names[k] not in op.mutates]
    for k in places:
        inputs[k].attach_grad()
    with autograd.record(train_mode=train):
        outputs = function(*inputs)
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    heads = [(y, nd.array(head_grad(y.shape, k), dtype=y.dtype)) for k, y in enumerate(outputs) if y.entry is not None]
    if heads:
        autograd.backward(*map(list, zip(*heads, strict=True)))
    return [*[(f"output {k}", y) for k, y in enumerate(outputs)],
            *[(f"gradient x{k}", inputs[k].grad) for k in places if heads],
            *[(f"input x{k}", x) for k, x in enumerate(inputs)]]


def _shape_of_result(op, inputs, train):
    with autograd.train_mode() if train else contextlib.nullcontext():
        result = invoke(op, [x.copy() for x in inputs])
    result = result[0] if isinstance(result, list) else result
    return result.shape, result.dtype


def _target(out, place, inputs, shape, dtype):
    """(the array for out=, the inputs)."""
    inputs = list(inputs)
    size = math.prod(shape)
    if out == "other shape":
        return nd.zeros((*shape, 2), dtype=dtype), inputs
    if out == "other type":
        return nd.zeros(shape, dtype="float64" if dtype is not np.float64 else "int32"), inputs
    if out == "part":
        return nd.zeros((size + 3,), dtype=dtype)[1:size + 1].reshape(shape) if size else nd.zeros(shape), inputs
    if inputs and out == "input":
        return inputs[place], inputs
    if inputs and out == "reshaped input" and size and inputs[place].size == size:
        return inputs[place].reshape((-1,)).reshape(shape), inputs
    if inputs and out == "shifted input" and size and inputs[place].size:
        x = inputs[place]
        memory = nd.zeros((max(size, x.size) + 1,), dtype=x.dtype)
        memory[:x.size] = x.reshape((-1,))
        inputs[place] = memory[:x.size].reshape(x.shape)
        return memory[1:size + 1].reshape(shape), inputs
    return nd.zeros(shape, dtype=dtype), inputs


# -- what must come of it -------------------------------------------------------------------------------------------

def difference(op, arrays, found, wanted, what):
    """In words, or None: an error where the reference has one, else equal arrays where both have them."""
    if isinstance(wanted, str) or isinstance(found, str):
        if isinstance(wanted, str) != isinstance(found, str):
            shown = [x if isinstance(x, str) else "no error" for x in (found, wanted)]
            return f"{what}: {shown[0]!r}, but the imperative call on NumPy: {shown[1]!r}"
        return None
    wanted = dict(wanted)
    for name, x in found:
        if name in wanted and op.name not in CONSISTENT:
            try:
                close(x, wanted[name].astype(x.dtype, copy=False), arrays, f"{what}: {name}")
            except AssertionError as error:
                return str(error)
    return None
