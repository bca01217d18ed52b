"""Every operator against its row in `op_cases`: values, shape rule, gradients, second order, inputs untouched."""

import functools

import numpy as np
import pytest
from helpers.numeric import numeric_gradient
from helpers.op_heads import head_grad
from helpers.rows import every_other
from op_cases import CASES

import minigluon as mx
from minigluon import autograd, nd
from minigluon import symbol as sym
from minigluon.frontend import binding
from minigluon.ops import REGISTRY

by_id = pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
with_grad = pytest.mark.parametrize("case", [c for c in CASES if c.grad], ids=lambda c: c.id)
with_second = pytest.mark.parametrize("case", every_other([c for c in CASES if c.grad and c.second]),
                                      ids=lambda c: c.id)


def call(case, arrays):
    """All visible outputs of a case, as a list of NDArrays."""
    outputs = getattr(nd, case.op)(*arrays, **case.attrs)
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def as_nd(arrays):
    return [nd.array(a, dtype=a.dtype) for a in arrays]


@functools.lru_cache(64)
def head(shape, dtype, index):
    """A head gradient as an array: numeric gradients multiply with the same ones for each element."""
    return nd.array(head_grad(shape, index), dtype=dtype)


def loss(case, arrays):
    """A scalar function of the inputs: the outputs weighted with the fixed head gradients."""
    outputs = call(case, arrays)
    return sum((nd.sum(y * head(y.shape, y.dtype, i)) for i, y in enumerate(outputs)),
               start=nd.zeros((1,), dtype=outputs[0].dtype))


def test_every_operator_has_a_case():
    tested = {REGISTRY[c.op] for c in CASES}
    untested = sorted({cls.name for cls in REGISTRY.values() if cls not in tested and not cls.name.startswith("_")})
    assert not untested, f"operators without a row in tests/op_cases: {untested}"


@by_id
def test_forward(case):
    for dtype, tol in (("float32", 1e-5), ("float64", 1e-10)):
        check_forward(case, dtype, tol)


def check_forward(case, dtype, tol):
    inputs = case.inputs(dtype)
    before = [a.copy() for a in inputs]
    arrays = as_nd(inputs)
    with autograd.train_mode() if case.train else autograd.predict_mode():
        outputs = call(case, arrays)
    op, _ = binding.bind(REGISTRY[case.op], arrays, dict(case.attrs), lambda a: isinstance(a, nd.NDArray))
    for name, array, was in zip(op.argument_names(len(arrays)), arrays, before, strict=True):
        if name not in op.mutates:
            np.testing.assert_array_equal(array.asnumpy(), was, err_msg="an input was modified")
    for y in outputs:
        for x in arrays:
            assert not np.shares_memory(y.buffer, x.buffer), "an output shares memory with an input"
    if case.expect is not None:
        expected = case.expect(*before)
        expected = expected if isinstance(expected, (tuple, list)) else (expected,)
        for y, e in zip(outputs, expected, strict=True):
            assert y.shape == np.shape(e)
            np.testing.assert_allclose(y.asnumpy(), e, rtol=tol, atol=tol, err_msg=dtype)


@by_id
def test_infer_shape_and_dtype(case):
    inputs = case.inputs("float32")
    arrays = as_nd(inputs)
    op, _ = binding.bind(REGISTRY[case.op], arrays, dict(case.attrs), lambda a: isinstance(a, nd.NDArray))
    in_shapes, out_shapes = op.infer_shape(*[a.shape for a in inputs])
    assert [tuple(s) for s in in_shapes] == [a.shape for a in inputs]
    _, out_dtypes = op.infer_dtype(*[a.dtype for a in inputs])
    with autograd.train_mode() if case.train else autograd.predict_mode():
        outputs = call(case, arrays)
    for y, shape, dtype in zip(outputs, out_shapes, out_dtypes, strict=False):
        assert y.shape == tuple(shape) or op.dynamic and mx.ops.shapes.merge(y.shape, tuple(shape)) == y.shape
        assert y.dtype == np.dtype(dtype).type


@by_id
def test_symbol_infers_what_nd_computes(case):
    """The same call with F=sym: shapes and types inferred over the graph are those that F=nd computes."""
    cls = REGISTRY[case.op]
    inputs = case.inputs("float32")
    variables = [sym.var(f"in{i}", dtype=a.dtype) for i, a in enumerate(inputs)]
    graph = getattr(sym, case.op)(*variables, **case.attrs, name="node")
    with autograd.train_mode() if case.train else autograd.predict_mode():
        outputs = call(case, as_nd(inputs))
    assert len(graph) == len(outputs)
    if getattr(cls, "dynamic", False):
        return
    known = {f"in{i}": a for i, a in enumerate(inputs) if f"in{i}" in graph.list_inputs()}     # no output, no graph
    assert graph.infer_shape(**{name: a.shape for name, a in known.items()})[1] == [y.shape for y in outputs]
    assert graph.infer_type(**{name: a.dtype for name, a in known.items()})[1] == [y.dtype for y in outputs]


@with_grad
def test_gradient(case):
    """`gradient` against central differences in float64."""
    inputs = case.inputs("float64")
    mode = autograd.record(train_mode=case.train)
    arrays = as_nd(inputs)
    for i in case.grad:
        arrays[i].attach_grad()
    with mode:
        y = loss(case, arrays)
    y.backward(train_mode=case.train)

    def value(values):
        with autograd.train_mode() if case.train else autograd.predict_mode():
            return float(loss(case, as_nd(values)).asscalar())
    for i in case.grad:
        np.testing.assert_allclose(arrays[i].grad.asnumpy(), numeric_gradient(value, inputs, i), rtol=1e-5, atol=1e-7,
                                   err_msg=f"gradient of input {i}")


@with_second
def test_second_order(case):
    """The gradient of a gradient against central differences of the first gradient."""
    inputs = case.inputs("float64")

    def grad_loss(values, create_graph):
        arrays = as_nd(values)
        for i in case.grad:
            arrays[i].attach_grad()
        variables = [arrays[i] for i in case.grad]
        with autograd.record(train_mode=case.train):
            y = loss(case, arrays)
            grads = autograd.grad([y], variables, create_graph=create_graph, retain_graph=True, train_mode=case.train)
            total = sum((nd.sum(g * head(g.shape, g.dtype, 7 + i)) for i, g in enumerate(grads)),
                        start=nd.zeros((1,), dtype="float64"))
        return total, arrays

    total, arrays = grad_loss(inputs, True)
    total.backward(train_mode=case.train)
    for i in case.grad:
        numeric = numeric_gradient(lambda values: float(grad_loss(values, False)[0].asscalar()), inputs, i)
        np.testing.assert_allclose(arrays[i].grad.asnumpy(), numeric, rtol=1e-4, atol=1e-6,
                                   err_msg=f"second-order gradient of input {i}")


def models_of(case):
    op, _ = binding.bind(REGISTRY[case.op], as_nd(case.inputs()), dict(case.attrs),
                                lambda a: isinstance(a, nd.NDArray))
    return op.shape_only


@pytest.mark.parametrize("case", [c for c in CASES if models_of(c)], ids=lambda c: c.id)
def test_of_a_model_no_element_matters(case):
    """A plan passes an array of one stretched element in its place."""
    arrays = case.inputs()
    op, _ = binding.bind(REGISTRY[case.op], as_nd(arrays), dict(case.attrs), lambda a: isinstance(a, nd.NDArray))
    stretched = [np.broadcast_to(np.full((), 7, a.dtype), a.shape) if name in op.shape_only else a
                 for name, a in zip(op.argument_names(len(arrays)), arrays, strict=True)]
    for y, expected in zip(call(case, as_nd(stretched)), call(case, as_nd(arrays)), strict=True):
        np.testing.assert_array_equal(y.asnumpy(), expected.asnumpy())


# They take any shapes, since only gradients give them theirs.
UNCHECKED = {"_spread_like", "_stretch_like"}


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value", "ignore:divide by zero")
def test_an_empty_batch():
    """No batch, no result, or an error that says that there must be one; never a NumPy error about a reshape."""
    seen, broken = set(), []
    for case in CASES:
        arrays = case.inputs("float32")
        if not arrays or not arrays[0].ndim or case.op in UNCHECKED:
            continue
        length = arrays[0].shape[0]
        arrays = as_nd([a[:0] if a.ndim and a.shape[0] == length else a for a in arrays])
        seen.add(case.op)
        for i in case.grad:
            arrays[i].attach_grad()
        try:
            with autograd.record(train_mode=case.train):
                outputs = call(case, arrays)
            if case.grad:
                autograd.backward(outputs)
        except mx.MXNetError as error:
            broken += [f"{case.id}: {error}"] if "cannot be computed" in str(error) else []
    assert len(seen) > 300
    assert broken == []
