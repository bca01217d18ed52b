"""Sparse arrays: what MXNet 1.9.1 answers, stypes included, and the elements that dense arrays would have."""

import copy
import pickle
import sys

import numpy as np
import pytest
from helpers.errors import error_of

import minigluon as mx
from minigluon import autograd, nd
from minigluon.base import (
    ArgumentError,
    CallError,
    DTypeError,
    MXNetError,
    NotSupportedForSparseNDArray,
    OutOfRangeError,
    ShapeError,
)
from minigluon.diagnostics import strictness

pytestmark = pytest.mark.once

A = np.array([[0, 1, 0], [2, 0, 3], [0, 0, 0], [0, 4, 0]], "float32")
B = np.array([[0, 0], [1, 2], [0, 0], [3, 4]], "float32")


def csr():
    return nd.array(A).tostype("csr")


def rows():
    return nd.array(B).tostype("row_sparse")


def same(x, expected):
    return x.asnumpy().tolist() == np.asarray(expected, "float32").tolist()


def test_what_they_hold():
    c, r = csr(), rows()
    assert (c.data.asnumpy().tolist(), c.indices.asnumpy().tolist(), c.indptr.asnumpy().tolist()) == (
        [1, 2, 3, 4], [1, 0, 2, 1], [0, 1, 3, 3, 4])
    assert (r.data.asnumpy().tolist(), r.indices.asnumpy().tolist()) == ([[1, 2], [3, 4]], [1, 3])
    assert (c.indices.dtype, c.indptr.dtype, r.indices.dtype) == (np.int64,) * 3
    assert (repr(c), repr(r)) == ("\n<CSRNDArray 4x3 @cpu(0)>", "\n<RowSparseNDArray 4x2 @cpu(0)>")
    assert (c.shape, c.dtype, len(c), c.ndim, c.stype, r.stype) == ((4, 3), np.float32, 4, 2, "csr", "row_sparse")
    assert c.tostype("csr") is c
    for x, dense in ((c, A), (r, B)):
        assert same(x, dense)
        assert same(x.tostype("default"), dense)
        assert x.tostype("default").stype == x.copyto(nd.zeros(x.shape)).stype == "default"
        for twin in (x.copy(), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), x.as_in_context(mx.cpu(1)), nd.array(x),
                     x.copyto(mx.cpu()), nd.array(dense).copyto(nd.sparse.zeros(x.stype, x.shape)),
                     nd.sparse.array(x)):
            assert twin is not x
            assert (twin.stype, twin.dtype) == (x.stype, np.float32)
            assert same(twin, dense)
        assert (x.astype("float64").dtype, x.astype("float64").stype) == (np.float64, x.stype)
    assert r.as_in_context(mx.cpu(1)).data.context == mx.cpu(1)


def test_scipy_and_back():
    sparse = pytest.importorskip("scipy.sparse")
    c = csr().asscipy()
    assert (type(c).__name__, c.toarray().tolist()) == ("csr_matrix", A.tolist())
    for source in (c, c.tocoo(), c.tocsc()):
        assert nd.sparse.csr_matrix(source).stype == nd.array(source).stype == "csr"
        assert same(nd.sparse.array(source), A)
    twice = sparse.csr_matrix((np.ones(2, "f"), [1, 1], [0, 2]), (1, 2))
    assert nd.sparse.csr_matrix(twice).data.asnumpy().tolist() == [2]


def test_without_scipy(monkeypatch):
    """Only asscipy needs it; products run in NumPy."""
    dense = nd.array(np.arange(6).reshape(3, 2))
    with_scipy = [nd.dot(csr(), dense), nd.dot(csr(), nd.ones((4, 2)), transpose_a=True)]
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    without = [nd.dot(csr(), dense), nd.dot(csr(), nd.ones((4, 2)), transpose_a=True)]
    assert [x.asnumpy().tolist() for x in without] == [x.asnumpy().tolist() for x in with_scipy]
    assert error_of(lambda: csr().asscipy(), MXNetError) == (
        'scipy is not installed. Install what asscipy needs with: pip install "minigluon[sparse]"')


# (what is made of c, r, d (4, 2) ones, e (4, 3) ones, w (3, 2) ones, and its stype in MXNet)
KEPT = {
    "row_sparse": [
        lambda v: nd.abs(v.r), lambda v: v.r * 2, lambda v: 2 * v.r, lambda v: v.r / 2, lambda v: -v.r,
        lambda v: v.r - 0, lambda v: v.r + v.r, lambda v: v.r - v.r, lambda v: v.r * v.r, lambda v: v.r * v.d,
        lambda v: v.r != 0, lambda v: nd.elemwise_mul(v.d, v.r), lambda v: nd.elemwise_mul(v.r, v.d),
        lambda v: nd.clip(v.r, 0, 1), lambda v: nd.zeros_like(v.r), lambda v: nd.add_n(v.r, v.r, v.r),
        lambda v: nd.relu(v.r), lambda v: nd.square(v.r), lambda v: v.r.sqrt(), lambda v: nd.BlockGrad(v.r),
        lambda v: nd.dot(v.c, v.d, transpose_a=True), lambda v: nd.dot(v.c, v.r, transpose_a=True),
        lambda v: nd.sparse.retain(v.r, nd.array([0, 1])), lambda v: v.r.retain(nd.array([3])), lambda v: v.r[:],
        lambda v: nd._internal._square_sum(v.r, axis=1, keepdims=True)],
    "csr": [
        lambda v: v.c * 2, lambda v: v.c + v.c, lambda v: v.c - v.c * 2, lambda v: v.c * v.c, lambda v: v.c * v.e,
        lambda v: v.c / (v.e * 2), lambda v: v.c * nd.array([[1, 2, 3]]),
        lambda v: v.c / nd.array([[1], [2], [3], [4]]),
        lambda v: v.c > 0, lambda v: nd.elemwise_mul(v.c, v.e), lambda v: nd.dot(v.d.T, v.c),
        lambda v: nd.dot(v.w.T, v.c, transpose_b=True), lambda v: nd.concat(v.c, v.c, dim=0),
        lambda v: nd.slice(v.c, begin=(1, 0), end=(3, 2)), lambda v: nd.take(v.c, nd.array([3, 1, 3])),
        lambda v: nd.zeros_like(v.c), lambda v: v.c[1:3], lambda v: v.c[-1], lambda v: v.c[1], lambda v: nd.sin(v.c)],
    "default": [
        lambda v: nd.exp(v.r), lambda v: v.c + 1, lambda v: 2 / (v.r + 1), lambda v: v.r ** 2,
        lambda v: v.r / (v.r + 1),
        lambda v: v.r + v.d, lambda v: v.d + v.r, lambda v: v.d * v.r, lambda v: v.e - v.c, lambda v: v.c - v.e,
        lambda v: v.c + nd.array([1, 2, 3]), lambda v: v.c == v.c, lambda v: v.c < 1, lambda v: 1 - v.c,
        lambda v: nd.elemwise_add(v.r, v.d), lambda v: nd.dot(v.c, v.w),
        lambda v: nd.dot(v.c, v.w.tostype("row_sparse")),
        lambda v: nd.dot(v.c, v.c, transpose_b=True), lambda v: nd.dot(v.r, nd.ones((2, 2))), lambda v: v.c.T,
        lambda v: nd.dot(v.c, v.d, transpose_a=True, forward_stype="default"),
        lambda v: nd.dot(v.c, v.w.T, transpose_b=True),
        lambda v: nd.sum(v.c), lambda v: nd.sum(v.c, axis=0), lambda v: nd.sum(v.c, axis=1, keepdims=True),
        lambda v: nd.sum(v.r, axis=0), lambda v: nd.mean(v.c, axis=0), lambda v: nd.norm(v.c), lambda v: v.r.norm(),
        lambda v: nd._internal._square_sum(v.r, axis=1), lambda v: nd.concat(v.c, v.c, dim=1), lambda v: v.c.max(),
        lambda v: nd.slice_axis(v.c, axis=0, begin=1, end=3), lambda v: nd.take(v.r, nd.array([1, 3])),
        lambda v: nd.ones_like(v.c), lambda v: nd.add_n(v.r, v.d), lambda v: nd.where(v.c, v.e, v.e * 2),
        lambda v: v.c.expand_dims(0), lambda v: nd.softmax(v.c), lambda v: nd.maximum(v.r, 1), lambda v: nd.add(v.r, 1),
        lambda v: nd.FullyConnected(v.c, nd.ones((5, 3)), nd.zeros(5), num_hidden=5), lambda v: nd.subtract(2, v.r),
        lambda v: nd.Embedding(nd.array([3, 1, 0]), v.r, input_dim=4, output_dim=2), lambda v: nd.Cast(v.c, "float64")],
}


class Arrays:
    def __init__(self, sparse):
        self.c, self.r = (csr(), rows()) if sparse else (nd.array(A), nd.array(B))
        self.d, self.e, self.w = nd.ones((4, 2)), nd.ones((4, 3)), nd.ones((3, 2))


@pytest.mark.parametrize(("stype", "number"), [(s, i) for s, calls in KEPT.items() for i in range(len(calls))])
def test_operators(stype, number, monkeypatch):
    """The stype is MXNet's, the elements are those of dense arrays."""
    call = KEPT[stype][number]
    found = call(Arrays(sparse=True))
    assert found.stype == stype
    monkeypatch.setattr(nd.NDArray, "retain", lambda x, i: nd.sparse.retain(x, i), raising=False)
    dense = call(Arrays(sparse=False)).asnumpy()
    np.testing.assert_allclose(found.asnumpy(), dense.reshape(found.shape), rtol=1e-6)


def test_in_place():
    c, r, view = csr(), rows(), rows()
    before = view.detach()
    c += c
    r *= 2
    view[:] = nd.ones((4, 2))
    assert (c.stype, r.stype) == ("csr", "row_sparse")
    assert same(c, 2 * A)
    assert same(r, 2 * B)
    assert same(before, np.ones((4, 2)))
    dense = held = nd.ones((4, 3))
    dense += csr()
    dense -= csr()
    dense[:2] = csr()[:2]
    assert dense is held
    assert same(dense, np.concatenate([A[:2], np.ones((2, 3))]))
    r[:] = 5
    assert same(r, np.full((4, 2), 5))
    r[:] = 0
    assert r.data.shape == (0, 2)
    c[:] = A
    assert same(c, A)


def test_creation():
    make, rsp = nd.sparse.csr_matrix, nd.sparse.row_sparse_array
    assert same(make(([1, 2, 3], [0, 2, 1], [0, 1, 2, 3]), shape=(3, 4)), [[1, 0, 0, 0], [0, 0, 2, 0], [0, 3, 0, 0]])
    assert make(([1, 2, 3], [0, 2, 1], [0, 1, 2, 3])).shape == (3, 3)
    assert same(make(([1, 2, 3], ([2, 0, 0], [0, 1, 1])), shape=(3, 2)), [[0, 5], [0, 0], [1, 0]])
    assert (make((3, 4)).shape, make(A).stype, make(np.eye(2)).dtype, make([[1, 0]]).dtype) == (
        (3, 4), "csr", np.float64, np.float32)
    assert make(([1], [0], [0, 1]), dtype="int32").dtype == np.int32
    assert same(rsp(([[1, 2], [3, 4]], [4, 1]), shape=(6, 2)), [[0, 0], [3, 4], [0, 0], [0, 0], [1, 2], [0, 0]])
    assert (rsp((3, 4, 5)).shape, rsp(([[1, 2], [3, 4]], [1, 4])).shape, rsp((3, 4)).shape) == ((3, 4, 5), (5, 2),
        (3, 4))
    assert same(nd.sparse.zeros("csr", (2, 3)), np.zeros((2, 3)))
    assert (nd.sparse.zeros("default", (2,)).stype, nd.sparse.empty("row_sparse", (2, 3)).stype) == ("default",
        "row_sparse")
    assert nd.cast_storage(nd.array(B), "row_sparse").indices.asnumpy().tolist() == [1, 3]
    stored = rsp(([[0, 0], [3, 4]], [1, 4]), shape=(6, 2))
    assert nd.sparse.retain(stored, nd.array([1, 2])).data.asnumpy().tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize(("call", "error", "text"), [
    (lambda: nd.sparse.array(np.eye(2)), ArgumentError, "sparse.array takes sparse arrays, found ndarray. Use "
     "nd.array for dense ones, and .tostype('csr') or .tostype('row_sparse') to make them sparse."),
    (lambda: nd.sparse.zeros("coo", (2, 2)), ArgumentError,
     "unknown storage type 'coo'; there are 'default', 'row_sparse' and 'csr'"),
    (lambda: nd.sparse.csr_matrix((1, 2, 3, 4)), ArgumentError,
     "csr_matrix takes (data, indices, indptr), (data, (row, col)) or (M, N), found a tuple of length 4"),
    (lambda: nd.sparse.csr_matrix(A, shape=(3, 3)), ShapeError, "csr_matrix: the source has shape (4, 3), but "
     "shape=(3, 3)"),
    (lambda: nd.sparse.csr_matrix(rows()), ArgumentError, "csr_matrix takes no row_sparse array. Make it dense first: "
     ".tostype('default')."),
    (lambda: nd.sparse.csr_matrix(([1, 2], [0, 9], [0, 1, 2]), shape=(2, 2)), MXNetError,
     "csr of shape (2, 2): indices must have 2 numbers from 0 to 1, a column for each value, found [0, 9]"),
    (lambda: nd.sparse.csr_matrix(([1, 2], [0, 1], [0, 1, 5]), shape=(2, 2)), MXNetError,
     "csr of shape (2, 2): indptr must have 3 numbers that rise from 0 to 2, the number of values, found [0, 1, 5]"),
    (lambda: nd.sparse.csr_matrix(([1] * 9, range(1, 10), [0, 9]), shape=(1, 9)), MXNetError,
     "csr of shape (1, 9): indices must have 9 numbers from 0 to 8, a column for each value, found 9 numbers that "
     "begin with [1, 2, 3, 4, 5, 6]"),
    (lambda: nd.sparse.csr_matrix(([1], ([0], [9])), shape=(2, 2)), ArgumentError,
     "csr_matrix: a place lies outside of the shape (2, 2)"),
    (lambda: nd.sparse.csr_matrix(([1.0], [0.5], [0, 1])), DTypeError, "indices must be integers, found float64"),
    (lambda: nd.sparse.row_sparse_array(([[1, 2], [3, 4]], [1, 1]), shape=(6, 2)), ArgumentError,
     "row_sparse_array: an index occurs twice, and one of its rows would not count"),
    (lambda: nd.sparse.row_sparse_array(([[1, 2], [3, 4]], [1, 9]), shape=(6, 2)), MXNetError,
     "indices must be distinct, in rising order, from 0 to 5, found [1, 9]"),
    (lambda: nd.sparse.row_sparse_array(([[1, 2]], [1]), shape=(6, 3)), ShapeError,
     "row_sparse_array: rows of shape (2,) do not fit the shape (6, 3)"),
    (lambda: csr()[::2], ArgumentError, "a CSRNDArray is sliced without a step, found 2"),
    (lambda: csr()[4], OutOfRangeError, "index 4 is out of bounds for axis 0 with size 4"),
    (lambda: csr()[1, 2], ArgumentError, "a CSRNDArray is indexed by a row number or a slice of rows, found (1, "
     "2). For others make it dense: x.tostype('default')."),
    (lambda: rows()[0], CallError, "a RowSparseNDArray is read as a whole, x[:], found the key 0. Choose rows with "
     "x.retain(numbers), or make it dense: x.tostype('default')."),
    (lambda: csr().__setitem__(0, 1), CallError, "CSRNDArray only supports [:] for assignment, found the key 0"),
    (lambda: csr().__setitem__(slice(None), 1), DTypeError, "cannot write int to a CSRNDArray; expected an array"),
    (lambda: rows().__setitem__(slice(None), nd.ones((2, 2))), ShapeError,
     "cannot write an array of shape (2, 2) to a RowSparseNDArray of shape (4, 2)"),
    (lambda: csr().tostype("row_sparse"), ArgumentError, "cast_storage from csr to row_sparse is not supported. "
     "Go through a dense array: .tostype('default').tostype('row_sparse')."),
    (lambda: csr().copyto(nd.sparse.zeros("row_sparse", (4, 3))), CallError,
     "copyto: csr cannot be copied to row_sparse; the target must be dense or csr"),
    (lambda: csr().reshape((3, 4)), NotSupportedForSparseNDArray,
    "CSRNDArray has no reshape: it would need all elements in "
     "one piece of memory. Make it dense first: x.tostype('default')."),
    (lambda: rows().retain(nd.array([4])), ArgumentError,
     "retain: the row numbers lie in 4 ... 4, but the array has 4 rows"),
    (lambda: nd.sparse.retain(csr(), nd.array([1])), ArgumentError,
     "retain takes a row_sparse array, found storage 'csr'"),
    (lambda: nd.dot(csr(), nd.ones((4, 2))), ShapeError, None),
])
def test_messages(call, error, text):
    found = error_of(call, error)
    assert text is None or found == text


def test_a_row_that_is_given_twice_in_a_lenient_run():
    strictness.be_lenient()
    try:
        with pytest.warns(strictness.LenientWarning, match="an index occurs twice"):
            x = nd.sparse.row_sparse_array(([[1, 2], [5, 6], [3, 4]], [1, 0, 1]), shape=(2, 2))
    finally:
        strictness.be_strict()
    assert same(x, [[5, 6], [3, 4]])


# -- gradients ---------------------------------------------------------------------------------------------------------


def test_gradient_of_a_product_has_the_rows_of_the_columns():
    for stype in ("default", "row_sparse"):
        w = nd.ones((3, 2)).tostype(stype)
        w.attach_grad(stype="row_sparse")
        narrow = csr()[0:1]
        with autograd.record():
            y = nd.dot(narrow, w) * 2
        y.backward()
        assert (w.grad.stype, w.grad.indices.asnumpy().tolist(), w.grad.data.asnumpy().tolist()) == (
            "row_sparse", [1], [[2, 2]])


@pytest.mark.parametrize("grad_req", ["write", "add"])
def test_gradient_of_an_embedding(grad_req):
    w = nd.arange(10).reshape((5, 2))
    w.attach_grad(grad_req, stype="row_sparse")
    for numbers in ([3, 1, 3], [1, 4]):
        with autograd.record():
            y = nd.Embedding(nd.array(numbers), w, input_dim=5, output_dim=2, sparse_grad=True)
            z = (y * y).sum()
        z.backward()
    found = w.grad.indices.asnumpy().tolist(), w.grad.data.asnumpy().tolist()
    assert found == {"write": ([1, 4], [[4, 6], [16, 18]]),
                     "add": ([1, 3, 4], [[8, 12], [24, 28], [16, 18]])}[grad_req]


def test_a_dense_gradient_array_gets_what_is_row_sparse():
    w = nd.arange(10).reshape((5, 2))
    w.attach_grad()
    with autograd.record():
        y = nd.Embedding(nd.array([3, 1, 3]), w, input_dim=5, output_dim=2, sparse_grad=True).sum() + (w * w).sum()
    y.backward()
    assert same(w.grad, 2 * w.asnumpy() + np.array([[0, 0], [1, 1], [0, 0], [2, 2], [0, 0]]))


def test_second_order_is_dense():
    w = nd.array([[1, 2], [3, 4]])
    w.attach_grad()
    with autograd.record():
        y = (nd.Embedding(nd.array([1, 1]), w, input_dim=2, output_dim=2, sparse_grad=True) ** 3).sum()
        g, = autograd.grad(y, [w], create_graph=True)
        z = (g * g).sum()
    z.backward()
    assert same(w.grad, [[0, 0], [2 * 54 * 36, 2 * 96 * 48]])


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_gradients_of_sparse_variables_are_those_of_dense_ones(stype):
    x = np.random.default_rng(0).normal(size=(4, 3)).astype("float32") * (A != 0)
    other = nd.array(np.random.default_rng(1).normal(size=(4, 3)))

    def gradient(stype):
        v = nd.array(x).tostype(stype)
        v.attach_grad()
        with autograd.record():
            y = nd.sin(v) * 3 + v * v - v * other + nd.exp(v) / (1 + nd.square(v))
        y.backward()
        return v.grad
    found, expected = gradient(stype), gradient("default")
    assert found.stype == stype
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)
