"""Checks that two computations agree: on several devices, hybridized or not, with two optimizers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import autograd, initializer
from .. import ndarray as nd
from ..base import ArgumentError
from ..common.types import DType, Shape
from ..symbol import Symbol
from .arrays import default_context
from .tolerances import assert_almost_equal, compare_ndarray_tuple, get_tols

if TYPE_CHECKING:
    from ..ndarray import NDArray

__all__ = ["check_consistency", "check_gluon_hybridize_consistency", "compare_optimizer", "same_symbol_structure"]


def check_consistency(sym: Symbol, ctx_list: Any, scale: Any = 1.0, grad_req: Any = "write",
                      arg_params: Mapping[str, NDArray] | None = None, aux_params: Mapping[str, NDArray] | None = None,
                      rtol: float | None = None, atol: float | None = None, raise_on_err: bool = True,
                      ground_truth: Any = None, equal_nan: bool = False, use_uniform: bool = False,
                      rand_type: Any = np.float64) -> Any:
    """Raise AssertionError unless a graph has the same results on several devices and in several dtypes.

    sym: a Symbol, or one for each entry of ctx_list.
    ctx_list: arguments of `simple_bind`, such as {'ctx': mx.cpu(), 'data': (2, 3), 'type_dict': {'data': np.float64}}.
    arg_params, aux_params: {name: numpy.ndarray}; by default random numbers of `scale`, and zeros. The reference is the
        most precise entry, or `ground_truth`, {name: array}.
    raise_on_err: False only prints differences.
    grad_req: as in `simple_bind`; with 'null', gradients are not compared.
    rtol, atol: as in `assert_almost_equal`.
    equal_nan: True treats NaN as equal to NaN.
    use_uniform: True draws uniformly instead of normally distributed numbers.
    rand_type: the dtype in which they are drawn.

    Returns the reference.

    >>> devices = [{"ctx": mx.cpu(0), "x": (2, 3)}, {"ctx": mx.cpu(1), "x": (2, 3)}]
    >>> truth = mx.test_utils.check_consistency(sym.square(sym.var("x")), devices)
    """
    if len(ctx_list) < 2:
        raise ArgumentError(f"check_consistency compares at least two entries of ctx_list, found {len(ctx_list)}")
    symbols = [sym] * len(ctx_list) if isinstance(sym, Symbol) else sym
    outputs, arguments = symbols[0].list_outputs(), symbols[0].list_arguments()
    if any((s.list_outputs(), s.list_arguments()) != (outputs, arguments) for s in symbols):
        raise ArgumentError("check_consistency: the symbols must have the same arguments and outputs")
    executors = [s.simple_bind(grad_req=grad_req, **kwargs) for s, kwargs in zip(symbols, ctx_list, strict=True)]
    _fill(executors, arg_params or {}, aux_params or {}, scale, use_uniform, rand_type)
    checker = _Checker(executors, rtol, atol, raise_on_err, equal_nan)

    for executor in executors:
        executor.forward(is_train=False)
    results = [dict(zip(outputs, executor.outputs, strict=True)) for executor in executors]
    checker.check("Predict", results, ground_truth)
    if grad_req != "null":
        for executor in executors:
            executor.forward(is_train=True)
        _backward(executors)
        results = [{**dict(zip(outputs, executor.outputs, strict=True)), **executor.grad_dict}
                   for executor in executors]
        checker.check("Train", results, ground_truth)
    return results[checker.truth] if ground_truth is None else ground_truth


class _Checker:
    """The comparison of executors' results with those of the most precise executor."""

    def __init__(self, executors, rtol, atol, raise_on_err, equal_nan):
        self.dtypes = [np.dtype(executor.outputs[0].dtype) for executor in executors]
        self.truth = max(range(len(executors)), key=lambda i: (self.dtypes[i].itemsize, -i))
        self.rtol, self.atol, self.raise_on_err, self.equal_nan = rtol, atol, raise_on_err, equal_nan

    def check(self, phase, results, ground_truth):
        """Compare {name: array or None} of each executor with ground_truth or, if None, the most precise executor."""
        truth = results[self.truth] if ground_truth is None else ground_truth
        for i, arrays in enumerate(results):
            for name, x in arrays.items():
                if i != self.truth and x is not None and name in truth:
                    self._compare(i, x, truth[name], f"{phase} Err: ctx {i} vs ctx {self.truth} at {name}")

    def _compare(self, i, x, truth, heading):
        """Print or raise the difference between an array of executor i and the reference."""
        try:
            rtol, atol = self.tolerances(i, x, truth)
            assert_almost_equal(x, truth, rtol=rtol, atol=atol, equal_nan=self.equal_nan)
        except AssertionError as error:
            print(heading)
            if self.raise_on_err:
                raise
            print(error)

    def tolerances(self, i, x, truth):
        """Return the tolerances, which are those for the outputs' dtype if it is less precise (float32 gradients of a
        float16 graph).
        """
        less = [np.zeros(1, min(np.dtype(array.dtype), of, key=lambda dtype: dtype.itemsize))
                for array, of in ((x, self.dtypes[i]), (truth, self.dtypes[self.truth]))]
        return get_tols(*less, self.rtol, self.atol)


def _fill(executors, arg_params, aux_params, scale, use_uniform, dtype):
    """Set the same values in all executors."""
    args = {}
    for name, x in sorted(executors[0].arg_dict.items()):
        if name in arg_params:
            args[name] = arg_params[name]
        elif use_uniform:
            args[name] = np.random.uniform(-0.92 * scale, 0.92 * scale, size=x.shape).astype(dtype)
        else:
            args[name] = np.random.normal(size=x.shape, scale=scale).astype(dtype)
    for executor in executors:
        for name, x in executor.arg_dict.items():
            x[:] = args[name]
        for name, x in executor.aux_dict.items():
            x[:] = aux_params.get(name, 0)
        for grad in executor.grad_arrays:
            if grad is not None:
                grad[:] = 0


def _backward(executors):
    """Use the first executor's outputs, in the least precise dtype, as the head gradients of all executors."""
    heads = []
    for outputs in zip(*(executor.outputs for executor in executors), strict=True):
        least = min((np.dtype(y.dtype) for y in outputs), key=lambda dtype: dtype.itemsize)
        heads.append(outputs[0].asnumpy().astype(least))
    for executor in executors:
        executor.backward([nd.array(head, executor._ctx, y.dtype)
                           for head, y in zip(heads, executor.outputs, strict=True)])


class _GivenInitializer(initializer.Initializer):
    """An initializer with given values by name."""

    def __init__(self, values):
        super().__init__()
        self._values = values

    def __call__(self, desc, arr):
        arr[:] = self._values[str(desc)]


def check_gluon_hybridize_consistency(net_builder: Any, data_l: Any, numpy_func: Any = None, test_grad: bool = True,
                                      rtol: float = 1E-4, atol: float = 1E-4) -> None:
    """Raise AssertionError unless a net has the same results and gradients whether or not it is hybridized or recorded.

    net_builder: a function that takes `prefix` and returns a HybridBlock without random operators.
    data_l: the net's inputs, NDArrays.
    numpy_func: a function that maps numpy.ndarrays to the net's expected results.
    test_grad: False does not compare gradients.
    rtol, atol: as in `assert_almost_equal`.

    >>> def make(prefix=None):
    ...     return nn.Dense(2, in_units=3, prefix=prefix)
    >>> mx.test_utils.check_gluon_hybridize_consistency(make, [nd.ones((4, 3))])
    """
    first, first_grads, values = None, None, None
    for hybridize in (False, True):
        for record in (False, True)[:1 + test_grad]:
            net = net_builder(prefix="net_")
            net.initialize(_GivenInitializer(values) if values is not None else initializer.Uniform())
            if hybridize:
                net.hybridize()
            data = [x.copy() for x in data_l]
            out = _recorded(net, data) if record else net(*data)
            if values is None:
                values = {name: p.data().asnumpy() for name, p in net.collect_params().items()}
                first = out.asnumpy()
            assert_almost_equal(out.asnumpy(), first, rtol=rtol, atol=atol)
            if record:
                grads = [x.grad.asnumpy() for x in data]
                first_grads = first_grads or grads
                for grad, want in zip(grads, first_grads, strict=True):
                    assert_almost_equal(grad, want, rtol=rtol, atol=atol)
    if numpy_func is not None:
        assert_almost_equal(first, numpy_func(*[x.asnumpy() for x in data_l]), rtol=rtol, atol=atol)


def _recorded(net, data):
    for x in data:
        x.attach_grad()
    with autograd.record():
        out = net(*data)
    out.backward(out)
    return out


def compare_optimizer(opt1: Any, opt2: Any, shape: Shape, dtype: DType, w_stype: str = "default",
                      g_stype: str = "default", rtol: float = 1e-4, atol: float = 1e-5, compare_states: bool = True,
                      ntensors: Any = 1) -> None:
    """Raise AssertionError unless two optimizers take the same step and have the same states.

    shape: the shape of the weight, or a list of `ntensors` shapes, which opt2 updates in one call.
    opt1, opt2: the Optimizers.
    dtype: the dtype of the weight.
    w_stype, g_stype: 'default'; others raise an error.
    rtol, atol: as in `assert_almost_equal`.
    compare_states: False compares only the weights.

    >>> first, second = mx.optimizer.SGD(momentum=0.9), mx.optimizer.SGD(momentum=0.9)
    >>> mx.test_utils.compare_optimizer(first, second, shape=(3, 4), dtype="float32")
    """
    if w_stype != "default" or g_stype != "default":
        raise ArgumentError(f"compare_optimizer: arrays are dense here, found {w_stype!r} and {g_stype!r}")
    several = isinstance(shape, list)
    shapes = shape if several else [shape]
    drawn = [[nd.random.uniform(shape=s, ctx=default_context(), dtype=dtype) for s in shapes] for _ in range(2)]
    w1, g1 = drawn
    w2, g2 = ([x.copy() for x in arrays] for arrays in drawn)
    state2 = [opt2.create_state_multi_precision(i if not several else 0, w) for i, w in enumerate(w2)]
    if several:
        opt2.update_multi_precision(list(range(ntensors)), w2, g2, state2)
    else:
        opt2.update_multi_precision(0, w2[0], g2[0], state2[0])
    for i, w in enumerate(w1):
        state1 = opt1.create_state_multi_precision(i, w)
        opt1.update_multi_precision(i, w, g1[i], state1)
        if compare_states:
            compare_ndarray_tuple(state1, state2[i], rtol, atol)
        assert_almost_equal(w, w2[i], rtol=rtol, atol=atol)


def same_symbol_structure(sym1: Any, sym2: Any) -> Any:
    """Return whether two graphs have the same operators in the same order.

    sym1, sym2: the Symbols.

    >>> mx.test_utils.same_symbol_structure(sym.var("x") + 1, sym.var("y") + 1)
    True
    """
    operators = [[node["op"] for node in json.loads(sym.tojson())["nodes"]] for sym in (sym1, sym2)]
    return operators[0] == operators[1]
