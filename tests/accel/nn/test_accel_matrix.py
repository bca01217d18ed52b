"""Matrix products by compiled kernels: sizes around those of tiles and vectors, transposes, few rows."""

import numpy as np
import pytest
from helpers import WIDE
from helpers.numeric import numbers

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import BACKEND, ISAS, Twin, configured
from helpers.rows import bound
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.kernels.nn.matrix import layer

from minigluon.backend import Spec
from minigluon.ops import REGISTRY

dtypes = st.sampled_from(["float32", "float64"])
flags = st.booleans()
# Around one and two vectors, tiles of 6, 12 and 14 rows, and squares; then sizes of several tiles.
sides = st.one_of(st.integers(0, 40), st.sampled_from([63, 64, 65, 100]))
depths = st.one_of(st.integers(0, 40), st.sampled_from([64, 255, 256, 257, 600]))


def check(name, *arrays, **attrs):
    twin = Twin(bound(name, arrays, attrs), list(arrays))
    assert twin.check(), f"{name} declines {[a.shape for a in arrays]}, {attrs}: {twin.declined}"


@settings(max_examples=30)
@given(sides, sides, depths, flags, flags, dtypes)
def test_dot(rows, columns, depth, transpose_a, transpose_b, dtype):
    a = numbers((depth, rows) if transpose_a else (rows, depth), dtype)
    b = numbers((columns, depth) if transpose_b else (depth, columns), dtype, 1)
    check("dot", a, b, transpose_a=transpose_a, transpose_b=transpose_b)


@settings(max_examples=30)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 70), flags, flags, dtypes)
def test_dot_of_few_rows_and_columns(rows, columns, depth, transpose_a, transpose_b, dtype):
    a = numbers((depth, rows) if transpose_a else (rows, depth), dtype)
    b = numbers((columns, depth) if transpose_b else (depth, columns), dtype, 1)
    check("dot", a, b, transpose_a=transpose_a, transpose_b=transpose_b)


@settings(max_examples=20)
@given(st.integers(2, 9), st.integers(1, 9), st.sampled_from([15, 64, 129]), flags, flags, flags, dtypes)
def test_batches_of_few_rows_or_columns(batches, few, depth, tall, transpose_a, transpose_b, dtype):
    """As in attention of one step over what is kept. Parts have whole products."""
    rows, columns = (130, few) if tall else (few, 130)
    a = numbers((batches, depth, rows) if transpose_a else (batches, rows, depth), dtype)
    b = numbers((batches, columns, depth) if transpose_b else (batches, depth, columns), dtype, 1)
    check("batch_dot", a, b, transpose_a=transpose_a, transpose_b=transpose_b)


@settings(max_examples=30)
@given(sides, sides, depths, flags, flags, dtypes)
def test_gradients_of_dot(rows, columns, depth, transpose_a, transpose_b, dtype):
    attrs = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    grad = numbers((rows, columns), dtype, 2)
    a = numbers((depth, rows) if transpose_a else (rows, depth), dtype)
    b = numbers((columns, depth) if transpose_b else (depth, columns), dtype, 1)
    check("_dot_lhs_grad", grad, a, b, **attrs)
    check("_dot_rhs_grad", grad, a, b, **attrs)


@pytest.mark.parametrize(("lhs", "rhs", "attrs"), [
    ((3, 4, 5), (5, 6), {}), ((3, 4, 5), (5, 2, 6), {}), ((5,), (5,), {}), ((3, 5), (5,), {}), ((5,), (5, 3), {}),
    ((5, 3, 4), (6, 2, 5), {"transpose_a": True, "transpose_b": True}),
])
def test_dot_of_other_ranks(lhs, rhs, attrs):
    a, b = numbers(lhs, "float32"), numbers(rhs, "float32", 1)
    check("dot", a, b, **attrs)
    twin = Twin(bound("dot", [a, b], attrs), [a, b])
    grad = numbers(twin.outputs[0].shape, "float32", 2)
    if grad.ndim > 1 or a.ndim > 1:
        check("_dot_lhs_grad", grad, a, b, **attrs)
        check("_dot_rhs_grad", grad, a, b, **attrs)


@settings(max_examples=30)
@given(sides, sides, depths, flags, dtypes)
def test_fully_connected(rows, columns, depth, no_bias, dtype):
    bias = [] if no_bias else [numbers(columns, dtype, 2)]
    data, weight = numbers((rows, depth), dtype), numbers((columns, depth), dtype, 1)
    check("FullyConnected", data, weight, *bias, num_hidden=columns, no_bias=no_bias)


@settings(max_examples=30)
@given(sides, sides, depths, dtypes)
def test_gradients_of_fully_connected(rows, columns, depth, dtype):
    data, weight = numbers((rows, depth), dtype), numbers((columns, depth), dtype, 1)
    grad = numbers((rows, columns), dtype, 2)
    check("_fully_connected", data, weight)
    check("_fully_connected_data_grad", grad, weight, data)
    check("_fully_connected_weight_grad", grad, data)


@pytest.mark.parametrize("flatten", [True, False])
def test_fully_connected_of_many_axes(flatten):
    data = numbers((3, 4, 5), "float32")
    weight, bias = numbers((7, 20 if flatten else 5), "float32", 1), numbers(7, "float32", 2)
    check("FullyConnected", data, weight, bias, num_hidden=7, flatten=flatten)
    grad = numbers((3, 7) if flatten else (3, 4, 7), "float32", 3)
    check("_fully_connected_data_grad", grad, weight, data, flatten=flatten)
    check("_fully_connected_weight_grad", grad, data, flatten=flatten)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=2), st.integers(1, 40), st.integers(1, 40), st.integers(0, 40),
       flags, flags, st.sampled_from([1.0, -0.5, 0.0]), dtypes)
def test_batches(batch, rows, columns, depth, transpose_a, transpose_b, alpha, dtype):
    a = numbers((*batch, depth, rows) if transpose_a else (*batch, rows, depth), dtype)
    b = numbers((*batch, columns, depth) if transpose_b else (*batch, depth, columns), dtype, 1)
    c = numbers((*batch, rows, columns), dtype, 2)
    attrs = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    check("batch_dot", a, b, **attrs)
    check("_linalg_gemm2", a, b, alpha=alpha, **attrs)
    check("_linalg_gemm", a, b, c, alpha=alpha, beta=0.5, **attrs)


BLOCKS = [(500, 700, 300), (32, 1000, 1500), (1500, 20, 700), (2, 3000, 900), (3000, 3, 900), (900, 1100, 20)]


@pytest.mark.parametrize(("rows", "columns", "depth", "transpose_a", "transpose_b"), [
    (*sizes, transpose_a, transpose_b) for number, sizes in enumerate(BLOCKS)
    for transpose_a in (False, True) for transpose_b in (False, True)
    if WIDE or (transpose_a == transpose_b) == (number % 2 == 0)])
def test_blocks(rows, columns, depth, transpose_a, transpose_b):
    a = numbers((depth, rows) if transpose_a else (rows, depth), "float32")
    b = numbers((columns, depth) if transpose_b else (depth, columns), "float32", 1)
    check("dot", a, b, transpose_a=transpose_a, transpose_b=transpose_b)


@pytest.mark.parametrize("shape", [      # batches, rows, columns, depth
    (1, 500, 700, 300), (1, 60, 3000, 1200), (1, 3000, 60, 300), (1, 900, 2100, 40), (1, 1700, 30, 900),
    (3, 300, 300, 300), (5, 700, 700, 40), (7, 130, 400, 600), (33, 100, 110, 90)])
@pytest.mark.parametrize("transpose_a", [False, True])
def test_the_division_of_a_product_changes_no_bit(shape, transpose_a):
    """Parts are as few as keep the threads busy, and blocks are such that little is packed."""
    batches, rows, columns, depth = shape
    a = numbers((batches, depth, rows) if transpose_a else (batches, rows, depth), "float32")
    b = numbers((batches, depth, columns), "float32", 1)
    found = []
    for threads in 1, 2, 3, 5:
        with configured(threads=threads):
            op, specs = REGISTRY["batch_dot"](transpose_a=transpose_a), [Spec(x.shape, x.dtype) for x in (a, b)]
            found += BACKEND.prepare(op, specs, [Spec((batches, rows, columns), a.dtype)], False, None).run([a, b])
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def test_many_columns_of_little_depth_with_a_bias():
    """Columns are packed a piece at a time, and each piece has its part of the bias."""
    data, weight, bias = numbers((20, 1), "float32"), numbers((5000, 1), "float32", 1), numbers(5000, "float32", 2)
    check("FullyConnected", data, weight, bias, num_hidden=5000)


@pytest.mark.parametrize(("rows", "columns"), [(1, 40), (40, 1), (20, 40)])
def test_nan_and_infinity_stay_where_they_belong(rows, columns):
    data, weight = numbers((rows, 37), "float32"), numbers((columns, 37), "float32", 1)
    bias = np.zeros(columns, "float32")
    data[0, 36], weight[-1, 0], bias[0] = np.nan, np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        check("FullyConnected", data, weight, bias, num_hidden=columns)
        check("dot", data.T.copy(), weight.T.copy(), transpose_a=True)


@pytest.mark.parametrize("rows", [1, 5, 20, 100])
@pytest.mark.parametrize("isa", ISAS)
def test_relu_that_follows(rows, isa):
    data, weight, bias = (numbers(s, "float32", i) for i, s in enumerate([(rows, 50), (33, 50), (33,)]))
    data[0, 0] = np.nan
    op = REGISTRY["FullyConnected"](num_hidden=33)
    out = np.empty((rows, 33), "float32")
    with configured(isa):
        call = layer(op, [Spec(a.shape, a.dtype) for a in (data, weight, bias)], relu=True)
        call.outputs = (Spec(out.shape, out.dtype),)
        call([data, weight, bias], [out])
    np.testing.assert_allclose(out, np.maximum(data @ weight.T + bias, 0), 1e-5, 1e-5)


@pytest.mark.parametrize(("name", "arrays", "attrs", "why"), [
    ("dot", [np.ones((2, 2), "int32")] * 2, {}, "dtype int32"),
    ("_linalg_gemm2", [np.ones((2, 3, 2), "float32"), np.ones((2, 3, 2), "float32")], {"axis": 0}, "rows along axis 0"),
])
def test_declined(name, arrays, attrs, why):
    assert Twin(bound(name, arrays, attrs), arrays).declined == why
    assert BACKEND.name == "accel"
