"""Checks of graphs: outputs and gradients against expected values, and gradients against finite differences."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import ndarray as nd
from .. import symbol as sym_module
from ..base import ArgumentError
from ..common.types import Contexts, DType
from .arrays import default_context, default_dtype
from .tolerances import assert_almost_equal, default_numeric_eps, get_tolerance

if TYPE_CHECKING:
    from ..symbol import Symbol

__all__ = ["check_numeric_gradient", "check_speed", "check_symbolic_backward", "check_symbolic_forward",
           "numeric_grad", "simple_forward"]

_PROJECTION = "__random_proj"


def simple_forward(sym: Symbol, ctx: Contexts | None = None, is_train: bool = False, **inputs: Any) -> Any:
    """Return the output of a graph as a numpy.ndarray, or several outputs as a list. inputs: {name: numpy.ndarray}.

    sym: the Symbol.
    ctx: the device; the current one if None.
    is_train: True runs it in training mode.

    >>> mx.test_utils.simple_forward(sym.var("x") * 2, x=np.array([1.0, 2.0])).tolist()
    [2.0, 4.0]
    """
    executor = sym.bind(ctx or default_context(), args={name: nd.array(x) for name, x in inputs.items()})
    outputs = [y.asnumpy() for y in executor.forward(is_train=is_train)]
    return outputs[0] if len(outputs) == 1 else outputs


def check_symbolic_forward(sym: Symbol, location: Any, expected: Any, rtol: float | None = None,
                           atol: float | None = None, aux_states: Any = None, ctx: Contexts | None = None,
                           equal_nan: bool = False, dtype: DType = np.float32) -> Any:
    """Raise AssertionError unless the graph has the expected outputs. Returns the outputs, NDArrays.

    location, aux_states, expected: numpy.ndarrays, in lists or by name.
    dtype: the dtype of all of them, or 'asnumpy' to keep the dtype of each.
    sym: the Symbol.
    rtol, atol, equal_nan: as in `assert_almost_equal`.
    ctx: the device; the current one if None.

    >>> x = np.array([1.0, 3.0])
    >>> outputs = mx.test_utils.check_symbolic_forward(sym.square(sym.var("x")), [x], [x ** 2])
    """
    ctx = ctx or default_context()
    executor = sym.bind(ctx, args=_named(sym.list_arguments(), location, ctx, dtype, "location"),
                        aux_states=_named(sym.list_auxiliary_states(), aux_states, ctx, dtype, "aux_states"))
    outputs = executor.forward(is_train=False)
    names = sym.list_outputs()
    if isinstance(expected, dict):
        expected = [expected[name] for name in names]
    for name, want, got in zip(names, expected, outputs, strict=False):
        assert_almost_equal(want, got, rtol, atol, (f"EXPECTED_{name}", f"FORWARD_{name}"), equal_nan=equal_nan)
    return outputs


def check_symbolic_backward(sym: Symbol, location: Any, out_grads: Any, expected: Any, rtol: float | None = None,
                            atol: float | None = None, aux_states: Any = None, grad_req: Any = "write",
                            ctx: Contexts | None = None, grad_stypes: Any = None, equal_nan: bool = False,
                            dtype: DType = np.float32) -> Any:
    """Raise AssertionError unless the graph has the expected gradients. Returns the gradients, {name: NDArray}.

    out_grads: the head gradients, in a list or by name.
    grad_req: one for all gradients, a list, or a dict by name.
    grad_stypes: no effect; gradients are dense.
    sym, location, aux_states, ctx, dtype, rtol, atol, equal_nan: as in `check_symbolic_forward`.

    >>> x, ones = np.array([1.0, 3.0]), np.ones(2)
    >>> grads = mx.test_utils.check_symbolic_backward(sym.square(sym.var("x")), [x], [ones], [2 * x])
    """
    ctx, arguments = ctx or default_context(), sym.list_arguments()
    if isinstance(expected, (list, tuple)):
        expected = dict(zip(arguments, expected, strict=False))
    before = {name: np.random.normal(size=x.shape) for name, x in sorted(expected.items())}
    grads = {name: nd.array(x, ctx, _dtype(expected[name], dtype)) for name, x in before.items()}
    reqs = _requests(grad_req, arguments)
    executor = sym.bind(ctx, args=_named(arguments, location, ctx, dtype, "location"), args_grad=grads, grad_req=reqs,
                        aux_states=_named(sym.list_auxiliary_states(), aux_states, ctx, dtype, "aux_states"))
    executor.forward(is_train=True)
    if isinstance(out_grads, dict):
        out_grads = [out_grads[name] for name in sym.list_outputs()]
    executor.backward(out_grads and [_array(g, ctx, dtype) for g in out_grads])
    for name, want in expected.items():
        _compare_gradient(name, reqs[name], want, grads[name], before[name], rtol, atol, "EXPECTED", equal_nan)
    return grads


def check_numeric_gradient(sym: Symbol, location: Any, aux_states: Any = None, numeric_eps: Any = None,
                           rtol: float | None = None, atol: float | None = None, grad_nodes: Any = None,
                           use_forward_train: bool = True, ctx: Contexts | None = None, grad_stype_dict: Any = None,
                           dtype: DType = np.float32) -> None:
    """Raise AssertionError unless the gradients of a graph with one output agree with finite differences.

    The differentiated value is the sum of the outputs, each multiplied by a random number, so that errors do not cancel
    out.
    grad_nodes: names of the variables, or {name: grad_req}; by default all variables. numeric_eps: the step.
    use_forward_train: whether finite differences run in training mode, as the gradient does.
    grad_stype_dict: no effect; gradients are dense.

    sym, location, aux_states, ctx, dtype, rtol, atol: as in `check_symbolic_forward`.

    >>> x = np.array([1.0, 3.0])
    >>> mx.test_utils.check_numeric_gradient(sym.square(sym.var("x")), [x], numeric_eps=1e-3, rtol=1e-2)
    """
    ctx, arguments = ctx or default_context(), sym.list_arguments()
    args = _named(arguments, location, ctx, dtype, "location")
    aux = _named(sym.list_auxiliary_states(), aux_states, ctx, dtype, "aux_states")
    reqs = dict(grad_nodes) if isinstance(grad_nodes, dict) else dict.fromkeys(grad_nodes or arguments, "write")
    shapes = sym._require_shape(**{name: x.shape for name, x in args.items()})[1]
    if len(shapes) != 1:
        raise ArgumentError(f"check_numeric_gradient: the graph must have one output, found {sym.list_outputs()}")
    loss = sym_module.make_loss(sym * sym_module.var(_PROJECTION))
    inputs = {**args, _PROJECTION: nd.array(np.random.rand(*shapes[0]) + 0.1, ctx, dtype)}
    before = {name: np.random.normal(0, 0.01, size=inputs[name].shape) for name in [*reqs, _PROJECTION]}
    grads = {name: nd.array(x, ctx, dtype) for name, x in before.items()}
    executor = loss.bind(ctx, args=inputs, args_grad=grads, grad_req=reqs, aux_states=aux)
    eps = get_tolerance(executor.forward(is_train=True)[0], numeric_eps, default_numeric_eps())
    executor.backward()
    analytic = {name: grads[name].copy() for name in reqs}
    numeric = numeric_grad(executor, {name: x.asnumpy() for name, x in args.items()},
                           {name: x.asnumpy() for name, x in (aux or {}).items()}, eps, use_forward_train, dtype)
    for name, req in reqs.items():
        _compare_gradient(name, req, numeric[name], analytic[name], before[name], rtol, atol, "NUMERICAL", False)


def numeric_grad(executor: Any, location: Any, aux_states: Any = None, eps: float = 1e-4,
                 use_forward_train: bool = True, dtype: DType = np.float32) -> Any:
    """Return {name: numpy.ndarray}: the gradients of the sum of the executor's first output, by central differences.

    location, aux_states: {name: numpy.ndarray}, the point at which to differentiate. Each array element needs two
    forward passes, so
        this is only for small arrays.
    eps: the step.
    use_forward_train: True runs the forward passes in training mode.
    dtype: the dtype of the perturbed values.

    >>> executor = sym.square(sym.var("x")).simple_bind(mx.cpu(), x=(2,))
    >>> grads = mx.test_utils.numeric_grad(executor, {"x": np.array([1.0, 3.0], "float32")}, eps=2 ** -7)
    >>> grads["x"].round(2).tolist()
    [2.0, 6.0]
    """
    def total():
        for name, value in (aux_states or {}).items():      # training mode changes these arrays
            executor.aux_dict[name][:] = nd.array(value, dtype=dtype)
        return executor.forward(is_train=use_forward_train)[0].asnumpy()

    for name, x in location.items():
        executor.arg_dict[name][:] = nd.array(x, dtype=dtype)
    grads = {name: np.zeros(np.shape(x), dtype) for name, x in location.items()}
    for name, x in location.items():
        if np.asarray(x).dtype.kind != "f":
            continue
        moved = np.array(x, order="C")
        for i, value in enumerate(np.array(moved).flat):
            sums = []
            for step in (eps / 2, -eps / 2):
                moved.flat[i] = value + step
                executor.arg_dict[name][:] = nd.array(moved, dtype=dtype)
                sums.append(total())
            moved.flat[i] = value
            grads[name].flat[i] = (sums[0] - sums[1]).sum() / eps
        executor.arg_dict[name][:] = nd.array(x, dtype=dtype)
    return grads


def check_speed(sym: Symbol, location: Any = None, ctx: Contexts | None = None, N: Any = 20, grad_req: Any = None,
                typ: str = "whole", **kwargs: Any) -> Any:
    """Return the seconds for a forward and backward pass (typ='whole') or a forward pass (typ='forward'), averaged over
    N runs.

    location: {name: numpy.ndarray}; by default random numbers with the shapes in kwargs.
    sym: the Symbol.
    ctx: the device; the current one if None.
    grad_req: as in `simple_bind`; 'write' if None.

    >>> mx.test_utils.check_speed(sym.square(sym.var("x")), N=2, x=(2, 3)) > 0
    True
    """
    if typ not in ("whole", "forward"):
        raise ArgumentError(f"check_speed: typ must be 'whole' or 'forward', found {typ!r}")
    shapes = kwargs if location is None else {name: x.shape for name, x in location.items()}
    executor = sym.simple_bind(ctx or default_context(), grad_req or "write", **shapes)
    for name, x in executor.arg_dict.items():
        x[:] = np.random.normal(size=x.shape) if location is None else location[name]

    def run():
        outputs = executor.forward(is_train=typ == "whole")
        if typ == "whole":
            executor.backward(out_grads=outputs)

    run()
    nd.waitall()
    start = time.perf_counter()
    for _ in range(N):
        run()
    nd.waitall()
    return (time.perf_counter() - start) / N


def _named(names, values, ctx, dtype, what):
    """Return {name: NDArray} in the order of names, from a list or a dict of arrays; None stays None."""
    if values is None:
        return None
    if not isinstance(values, dict):
        values = dict(zip(names, values, strict=False))
    if set(values) != set(names):
        raise ArgumentError(f"{what} must have an array for each of {', '.join(names) or 'no names'}; found "
                            f"{', '.join(values) or 'none'}")
    return {name: _array(values[name], ctx, dtype) for name in sorted(names)}


def _array(x, ctx, dtype):
    return x if isinstance(x, nd.NDArray) else nd.array(x, ctx, _dtype(x, dtype))


def _dtype(x, dtype):
    return getattr(x, "dtype", default_dtype()) if isinstance(dtype, str) and dtype == "asnumpy" else dtype


def _requests(grad_req, names):
    if isinstance(grad_req, str):
        return dict.fromkeys(names, grad_req)
    return dict(grad_req) if isinstance(grad_req, dict) else dict(zip(names, grad_req, strict=False))


def _compare_gradient(name, req, want, got, before, rtol, atol, what, equal_nan):
    """Compare a gradient. got: the current contents of its array; before: the earlier contents."""
    if req not in ("write", "add", "null"):
        raise ArgumentError(f"grad_req of {name!r} must be 'write', 'add' or 'null', found {req!r}")
    if req == "add":
        got = got.asnumpy() - before
    elif req == "null":
        want = before
    assert_almost_equal(want, got, rtol, atol, (f"{what}_{name}", f"BACKWARD_{name}"), equal_nan=equal_nan)
