"""Checks of graphs and blocks: values, gradients against differences of values, agreement of devices and types."""

import time

import numpy as np

from .. import autograd
from .. import ndarray as nd
from ..base import ArgumentError, listed
from ..ndarray import NDArray
from .compare import assert_almost_equal, default_numeric_eps, get_tols
from .setting import default_context

__all__ = ["check_consistency", "check_gluon_hybridize_consistency", "check_numeric_gradient", "check_speed",
           "check_symbolic_backward", "check_symbolic_forward", "compare_optimizer", "numeric_grad", "simple_forward"]


def simple_forward(sym, ctx=None, is_train=False, **inputs):
    """The outputs of a graph as numpy.ndarrays: one, or a list. inputs: numpy.ndarrays by name."""
    ctx = ctx or default_context()
    executor = sym.bind(ctx, {name: nd.array(value, ctx=ctx) for name, value in inputs.items()})
    outputs = [y.asnumpy() for y in executor.forward(is_train=is_train)]
    return outputs[0] if len(outputs) == 1 else outputs


def check_symbolic_forward(sym, location, expected, rtol=None, atol=None, aux_states=None, ctx=None, equal_nan=False,
                           dtype=np.float32):
    """Raise AssertionError unless a graph's outputs are the expected ones. Returns them, NDArrays.

    location: the inputs, a list in the graph's order or a dict. expected: a list, or a dict by the outputs' names.
    aux_states: likewise for auxiliary states. dtype: of the arrays. rtol, atol: by default the dtypes' own.
    """
    executor = _bound(sym, location, aux_states, ctx, dtype)
    outputs = executor.forward(is_train=False)
    for name, wanted, found in zip(sym.list_outputs(), _in_order(expected, sym.list_outputs()), outputs, strict=True):
        if wanted is not None:
            assert_almost_equal(wanted, found, rtol, atol, (f"EXPECTED_{name}", f"FORWARD_{name}"), equal_nan)
    return outputs


def check_symbolic_backward(sym, location, out_grads, expected, rtol=None, atol=None, aux_states=None, grad_req="write",
                            ctx=None, grad_stypes=None, equal_nan=False, dtype=np.float32):
    """Raise AssertionError unless a graph's gradients are the expected ones. Returns {name: gradient}.

    out_grads: of the outputs, a list, a dict by the outputs' names, or None for ones. expected: gradients of inputs, a
    list or a dict; those that are not in the dict are not compared. grad_req: 'write', 'add', 'null', or one for each;
    with 'add' the arrays begin with random numbers, and with 'null' they must keep them. Others as for the forward
    pass.
    """
    names = sym.list_arguments()
    expected = expected if isinstance(expected, dict) else dict(zip(names, expected))
    reqs = dict.fromkeys(names, grad_req) if isinstance(grad_req, str) else \
        grad_req if isinstance(grad_req, dict) else dict(zip(names, grad_req))
    reqs = {name: reqs.get(name, "null") if name in expected else "null" for name in names}
    before = {name: np.random.normal(size=np.shape(_numpy(value))) for name, value in expected.items()}
    executor = _bound(sym, location, aux_states, ctx, dtype, reqs, before)
    outputs = executor.forward(is_train=True)
    given = _in_order(out_grads, sym.list_outputs()) if out_grads is not None else [np.ones(y.shape) for y in outputs]
    executor.backward([nd.array(g if g is not None else np.zeros(y.shape), ctx=y.context, dtype=y.dtype)
                       for g, y in zip(map(_numpy, given), outputs, strict=True)])
    for name, value in expected.items():
        found, value = executor.grad_dict[name] if reqs[name] != "null" else None, _numpy(value)
        if found is None or value is None:
            continue
        if reqs[name] == "add":
            value = value + before[name].astype(found.dtype)
        assert_almost_equal(value, found, rtol, atol, (f"EXPECTED_{name}", f"BACKWARD_{name}"), equal_nan)
    return executor.grad_dict


def check_numeric_gradient(sym, location, aux_states=None, numeric_eps=None, rtol=None, atol=None, grad_nodes=None,
                           use_forward_train=True, ctx=None, grad_stype_dict=None, dtype=np.float32):
    """Raise AssertionError unless a graph's gradients are what differences of its values say.

    The outputs are weighted with random numbers and added up. location, aux_states, ctx, dtype: as for
    `check_symbolic_forward`. numeric_eps: the step, by default the dtype's. grad_nodes: the names of the inputs to look
    at, by default all. use_forward_train: in training mode, or not.
    """
    names = sym.list_arguments()
    wanted = names if grad_nodes is None else list(grad_nodes)
    executor = _bound(sym, location, aux_states, ctx, dtype,
                      {name: "write" if name in wanted else "null" for name in names})
    eps = default_numeric_eps()[np.dtype(dtype)] if numeric_eps is None else numeric_eps
    outputs = executor.forward(is_train=use_forward_train)
    weights = [np.random.uniform(0.1, 1.1, size=y.shape) * np.random.choice([-1, 1], size=y.shape) for y in outputs]
    executor.backward([nd.array(w, ctx=y.context, dtype=y.dtype) for w, y in zip(weights, outputs, strict=True)])
    found = {name: executor.grad_dict[name].asnumpy() for name in wanted}
    for name in wanted:
        numeric = _differences(executor, executor.arg_dict[name], weights, eps, use_forward_train)
        tolerances = get_tols(numeric.astype(dtype), found[name], 1e-2 if rtol is None else rtol,
                              eps if atol is None else atol)
        assert_almost_equal(numeric, found[name], *tolerances, names=(f"NUMERICAL_{name}", f"BACKWARD_{name}"))


def numeric_grad(executor, location, aux_states=None, eps=1e-4, use_forward_train=True, dtype=np.float32):
    """{name: gradient} of the sum of an executor's first output, from differences of its values.

    location: {name: numpy.ndarray}, the inputs to differentiate at.
    """
    for name, value in {**location, **(aux_states or {})}.items():
        (executor.arg_dict if name in executor.arg_dict else executor.aux_dict)[name][:] = nd.array(value, dtype=dtype)
    shape = executor.forward(is_train=use_forward_train)[0].shape
    weights = [np.ones(shape)]
    return {name: _differences(executor, executor.arg_dict[name], weights, eps, use_forward_train).astype(dtype)
            for name in location}


def _differences(executor, array, weights, eps, train):
    """The gradient of the weighted sum of the outputs, element by element, in float64."""
    states = [state.copy() for state in executor.aux_arrays]

    def value():
        for state, kept in zip(executor.aux_arrays, states, strict=True):
            state[:] = kept                     # moving means begin where they were
        outputs = executor.forward(is_train=train)
        return sum((y.asnumpy().astype("float64") * w).sum() for y, w in zip(outputs, weights, strict=False))

    values = array.asnumpy().astype("float64")
    gradient = np.zeros(array.shape)
    for index in np.ndindex(*array.shape):
        ends = []
        for sign in (1, -1):
            moved = values.copy()
            moved[index] += sign * eps / 2
            array[:] = nd.array(moved, dtype=array.dtype)
            ends.append((value(), array.asnumpy().astype("float64")[index]))
        gradient[index] = (ends[0][0] - ends[1][0]) / (ends[0][1] - ends[1][1])    # the step that the type allows
    array[:] = nd.array(values, dtype=array.dtype)
    return gradient


def check_consistency(sym, ctx_list, scale=1.0, grad_req="write", arg_params=None, aux_params=None, rtol=None,
                      atol=None, raise_on_err=True, ground_truth=None, equal_nan=False, use_uniform=False,
                      rand_type=np.float64):
    """Raise AssertionError unless a graph computes the same on several devices, or in several types.

    ctx_list: a dict for each: 'ctx', shapes by name, 'type_dict' with dtypes by name. The most exact one is what the
    others are compared with; its outputs and gradients are returned, by the names of outputs and inputs. scale: of the
    random inputs. arg_params, aux_params: inputs and states by name, in place of random ones. ground_truth: what to
    compare with instead.
    """
    symbols = sym if isinstance(sym, (list, tuple)) else [sym] * len(ctx_list)
    executors = [s.simple_bind(grad_req=grad_req, **entry) for s, entry in zip(symbols, ctx_list, strict=True)]
    values = dict(arg_params or {})
    for name, array in executors[0].arg_dict.items():
        if name not in values:
            draw = np.random.uniform(-scale, scale, array.shape) if use_uniform else \
                np.random.normal(size=array.shape, scale=scale)
            values[name] = draw.astype(rand_type)
    for executor in executors:
        for name, array in executor.arg_dict.items():
            array[:] = nd.array(_numpy(values[name]), ctx=array.context, dtype=array.dtype)
        for name, array in executor.aux_dict.items():
            array[:] = nd.array(_numpy((aux_params or {}).get(name, np.zeros(array.shape))), dtype=array.dtype)
    names = symbols[0].list_outputs()
    found = [_run(executor, names, grad_req != "null") for executor in executors]
    exact = max(range(len(found)), key=lambda i: executors[i].outputs[0].dtype(0).itemsize)
    truth = ground_truth or found[exact]
    for number, results in enumerate(found):
        for name, value in results.items():
            if number != exact and value is not None:
                try:
                    assert_almost_equal(value, truth[name], rtol, atol, (f"ctx_{number}_{name}", f"ctx_{exact}_{name}"),
                                        equal_nan)
                except AssertionError as error:
                    if raise_on_err:
                        raise
                    print(f"Predict Err: ctx {number} vs ctx {exact} at {name}: {error}")
    return truth


def _run(executor, names, with_gradients):
    """{name: numpy.ndarray} of the outputs, and of the inputs' gradients where the outputs arrive as gradients."""
    outputs = executor.forward(is_train=with_gradients)
    results = dict(zip(names, outputs, strict=True))
    if with_gradients:
        executor.backward([y.copy() for y in outputs])
        results.update({name: grad for name, grad in executor.grad_dict.items() if grad is not None})
    return {name: value.asnumpy() for name, value in results.items()}


def check_gluon_hybridize_consistency(net_builder, data_l, numpy_func=None, test_grad=True, rtol=1e-4, atol=1e-4):
    """Raise AssertionError unless a block computes the same imperative and hybridized, gradients included.

    net_builder: a function that makes the block. data_l: its inputs, NDArrays. numpy_func: computes the same in NumPy.
    """
    expected, saved = None, None
    for hybridize in (False, True):
        net = net_builder()
        net.initialize()
        if hybridize:
            net.hybridize()
        inputs = [data.copy() for data in data_l]
        net(*inputs)
        if saved is None:
            saved = [param.data() for param in net.collect_params().values()]
        for param, value in zip(net.collect_params().values(), saved, strict=True):
            param.set_data(value)
        for data in inputs:
            data.attach_grad()
        with autograd.record(train_mode=test_grad):
            output = net(*inputs)
        if test_grad:
            output.backward()
        params = [p for p in net.collect_params().values() if p.grad_req != "null"]
        found = [output, *([x.grad for x in inputs] + [p.grad() for p in params] if test_grad else [])]
        if numpy_func is not None:
            assert_almost_equal(output, numpy_func(*[data.asnumpy() for data in inputs]), rtol, atol)
        for one, other in zip(found, expected or found, strict=True):
            assert_almost_equal(one, other, rtol, atol)
        expected = expected or [x.copy() for x in found]


def check_speed(sym, location=None, ctx=None, N=20, grad_req=None, typ="whole", **kwargs):
    """Seconds of a run of a graph, the mean of N. typ: 'whole' with gradients, or 'forward'. kwargs: shapes by name."""
    if typ not in ("whole", "forward"):
        raise ArgumentError(f"check_speed: typ is {typ!r}, expected 'whole' or 'forward'")
    ctx = ctx or default_context()
    shapes = kwargs if location is None else {name: np.shape(value) for name, value in location.items()}
    executor = sym.simple_bind(ctx, grad_req=grad_req or "write", **shapes)
    for name, array in executor.arg_dict.items():
        array[:] = np.random.normal(size=array.shape) if location is None else nd.array(location[name])

    def run():
        outputs = executor.forward(is_train=typ == "whole")
        if typ == "whole":
            executor.backward(outputs)
        nd.waitall()
    run()
    begin = time.perf_counter()
    for _ in range(N):
        run()
    return (time.perf_counter() - begin) / N


def compare_optimizer(opt1, opt2, shape, dtype, w_stype="default", g_stype="default", rtol=1e-4, atol=1e-5,
                      compare_states=True, ntensors=1):
    """Raise AssertionError unless two optimizers make the same step. Raises ArgumentError for sparse arrays."""
    if (w_stype, g_stype) != ("default", "default"):
        raise ArgumentError(f"compare_optimizer: w_stype is {w_stype!r} and g_stype {g_stype!r}, but all arrays are "
                            "dense")
    shapes = shape if isinstance(shape, list) else [shape] * ntensors
    for number, one_shape in enumerate(shapes):
        weight = nd.array(np.random.uniform(-1, 1, one_shape), dtype=dtype)
        grad = nd.array(np.random.uniform(-1, 1, one_shape), dtype=dtype)
        results = []
        for optimizer in (opt1, opt2):
            its_weight, its_grad = weight.copy(), grad.copy()
            state = optimizer.create_state_multi_precision(number, its_weight)
            optimizer.update_multi_precision(number, its_weight, its_grad, state)
            results.append((its_weight, state))
        assert_almost_equal(results[0][0], results[1][0], rtol, atol)
        if compare_states:
            for one, other in zip(_flat(results[0][1]), _flat(results[1][1]), strict=True):
                assert_almost_equal(one, other, rtol, atol)


def _flat(state):
    if state is None or isinstance(state, NDArray):
        return [] if state is None else [state]
    return [x for part in state for x in _flat(part)]


# -- arguments --------------------------------------------------------------------------------------------------------


def _bound(sym, location, aux_states, ctx, dtype, grad_req="null", gradients=None):
    """An executor with these inputs. Raises ArgumentError for names that the graph does not have."""
    ctx = ctx or default_context()
    args = _arrays("location", location, sym.list_arguments(), ctx, dtype)
    aux = _arrays("aux_states", aux_states, sym.list_auxiliary_states(), ctx, dtype) if aux_states is not None else {}
    shapes = {name: array.shape for name, array in args.items()}
    if sym.list_auxiliary_states() and not aux:
        found = dict(zip(sym.list_auxiliary_states(), sym.infer_shape(**shapes)[2], strict=True))
        aux = {name: nd.zeros(shape, ctx, dtype) for name, shape in found.items()}
    grads = None
    if grad_req != "null":
        reqs = grad_req
        first = {**{name: np.zeros(array.shape) for name, array in args.items()}, **(gradients or {})}
        grads = {name: nd.array(first[name], ctx=ctx, dtype=args[name].dtype)
                 for name, req in reqs.items() if req != "null"}
    return sym.bind(ctx, args, args_grad=grads, grad_req=grad_req, aux_states=aux)


def _arrays(kind, values, names, ctx, dtype):
    """{name: NDArray} from a list in this order, or a dict."""
    if not isinstance(values, dict):
        if len(values) != len(names):
            raise ArgumentError(f"{kind} has {len(values)} arrays, and the graph {len(names)}: {listed(names)}")
        values = dict(zip(names, values, strict=True))
    if set(values) != set(names):
        raise ArgumentError(f"{kind} has the names {listed(sorted(values))}, and the graph {listed(sorted(names))}")
    return {name: nd.array(_numpy(value), ctx=ctx,
                           dtype=dtype if dtype is not None and np.issubdtype(_numpy(value).dtype, np.floating)
                           else _numpy(value).dtype) for name, value in values.items()}


def _in_order(values, names):
    """A list, from a list or from a dict by names."""
    return [values.get(name) for name in names] if isinstance(values, dict) else list(values)


def _numpy(value):
    return value.asnumpy() if isinstance(value, NDArray) else value if value is None else np.asarray(value)
