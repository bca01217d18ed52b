"""Factorizations on the GPU. What is not unique is judged by its meaning."""

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - sets the environment, and skips where there is no GPU backend
from helpers.gpu_checks import GPU, agree
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import launch
from op_cases import CASES

import minigluon as mx
from minigluon import autograd, nd
from minigluon.base import MXNetError
from minigluon.ops import REGISTRY

REAL = ["float32", "float64"]


FACTORS = ["potrf", "potri", "inverse", "syevd", "det", "slogdet", "gelqf", "sumlogdiag"]
PARTS = ["extractdiag", "makediag", "extracttrian", "maketrian"]
NAMES = {f"_linalg_{name}" for name in (*FACTORS, *PARTS)}
SHAPES = [(1, 1), (3, 3), (2, 5, 5), (40, 40), (3, 2, 17, 17), (0, 4, 4), (2, 0, 0), (0, 0)]


@pytest.fixture(autouse=True)
def small_grids(monkeypatch):
    """Fewer blocks than matrices."""
    monkeypatch.setattr(launch, "MAX_BLOCKS", 2)


def square(shape, dtype, seed=0):
    """Well conditioned matrices that ask for exchanges of rows."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, shape)
    if x.size:
        x += 3 * np.sqrt(shape[-1]) * np.eye(shape[-1])[rng.permutation(shape[-1])]
    return x.astype(dtype)


def positive(shape, dtype):
    x = np.random.default_rng(1).uniform(-1, 1, shape)
    return (x @ x.swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1])).astype(dtype)


@pytest.mark.parametrize("case", [c for c in CASES if REGISTRY[c.op].name in NAMES | {"khatri_rao"}],
                         ids=lambda c: c.id)
def test_rows_of_the_table(case):
    for dtype in REAL:
        agree(case.op, *case.inputs(dtype), **case.attrs)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", FACTORS)
def test_shapes(name, shape, dtype):
    if name == "syevd":
        return                          # below: eigenvectors are not unique
    wide = (*shape[:-1], shape[-1] + 2) if name == "gelqf" else shape
    make = positive if name in ("potrf", "sumlogdiag") else square
    array = np.random.default_rng(2).normal(size=wide).astype(dtype) if name == "gelqf" else make(shape, dtype)
    if name == "potri":
        array = (np.tril(array) / 9 + 2 * np.eye(shape[-1])).astype(dtype)
    agree(f"linalg_{name}", array)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("shape", [*SHAPES, (2, 2), (4, 4, 4), (64, 64)])
def test_eigenvectors(shape, dtype):
    rng, n = np.random.default_rng(3), shape[-1]
    A = rng.normal(size=shape).astype(dtype)
    U, values = (x.asnumpy() for x in nd.linalg_syevd(nd.array(A, ctx=GPU, dtype=dtype)))
    lower = np.tril(A) + np.tril(A, -1).swapaxes(-1, -2)        # the upper triangle must not matter
    if not A.size:
        assert (U.shape, values.shape) == (shape, shape[:-1])
        return
    eps = np.finfo(dtype).eps * 8 * n
    size = np.abs(lower).max()
    np.testing.assert_allclose(U.swapaxes(-1, -2) @ (values[..., None] * U), lower, atol=eps * size)
    np.testing.assert_allclose(U @ U.swapaxes(-1, -2), np.broadcast_to(np.eye(n), shape), atol=eps)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(lower.astype("float64")), atol=eps * size)
    largest = np.take_along_axis(U, np.abs(U).argmax(-1)[..., None], -1)
    assert (largest > 0).all()


def test_eigenvectors_of_equal_eigenvalues():
    for A in (np.eye(5), np.zeros((4, 4)), np.ones((6, 6)), np.diag([2.0, 1.0, 2.0])):
        U, values = (x.asnumpy() for x in nd.linalg_syevd(nd.array(A, ctx=GPU, dtype="float64")))
        np.testing.assert_allclose(U.T @ np.diag(values) @ U, A, atol=1e-14)
        np.testing.assert_allclose(U @ U.T, np.eye(len(A)), atol=1e-14)


def test_determinants_of_singular_and_odd_matrices():
    singular = np.array([[1.0, 2, 3], [2, 4, 6], [1, 0, 1]])
    for A in (singular, np.zeros((3, 3)), np.eye(3)[[1, 0, 2]], -np.eye(3), np.full((2, 2), np.nan)):
        agree("linalg_slogdet", A)
        agree("linalg_det", A)


@pytest.mark.parametrize(("name", "array", "message"), [
    ("potrf", [[1.0, 0], [0, -1]], "_linalg_potrf: Matrix is not positive definite"),
    ("potrf", [[[4.0]], [[0.0]]], "_linalg_potrf: Matrix is not positive definite"),
    ("inverse", [[1.0, 2], [2, 4]], "_linalg_inverse: Singular matrix"),
    ("potri", [[1.0, 0], [2, 0]], "_linalg_potri: Singular matrix"),
])
def test_errors_are_the_reference_s(name, array, message):
    for ctx in mx.cpu(), GPU:
        with pytest.raises(MXNetError) as raised:
            getattr(nd, f"linalg_{name}")(nd.array(array, ctx=ctx, dtype="float64")).wait_to_read()
        assert str(raised.value) == message
    assert nd.linalg_inverse(nd.array([[2.0]], ctx=GPU)).asnumpy().tolist() == [[0.5]]     # usable afterwards


def test_nan_passes():
    for name in "potrf", "inverse", "potri":
        assert np.isnan(getattr(nd, f"linalg_{name}")(nd.array([[np.nan]], ctx=GPU)).asnumpy()).all()
    for number in np.nan, np.inf:
        for x in nd.linalg_syevd(nd.array([[1, 0, 0], [number, 2, 0], [0, 0, 1]], ctx=GPU)):
            assert np.isnan(x.asnumpy()).all()


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_sums_and_factors(data):
    dtype = data.draw(st.sampled_from(REAL))
    shape = data.draw(st.sampled_from([(3, 4), (1, 1), (2, 30, 7), (0, 2, 2), (2, 0, 3), (300, 2, 2)]))
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(2, *shape)).astype(dtype)
    agree("_linalg_inner", A, B)
    agree("_linalg_scale", A, rng.normal(size=shape[:-2] or (1,)).astype(dtype))


def gradients(ctx, name, arrays):
    arrays = [nd.array(a, ctx=ctx, dtype="float64") for a in arrays]
    for a in arrays:
        a.attach_grad()
    with autograd.record():
        found = getattr(nd, name)(*arrays)
        found = found if isinstance(found, (list, tuple)) else [found]
        total = sum((y * nd.cos(3 * y)).sum() for y in found)
    total.backward()
    return [a.grad.asnumpy() for a in arrays]


@pytest.mark.parametrize("name", [f"linalg_{name}" for name in FACTORS] + ["khatri_rao"])
def test_gradients(name):
    array = positive((2, 4, 4), "float64") if name.split("_")[-1] in ("potrf", "sumlogdiag", "syevd") else \
        square((2, 4, 4), "float64")
    arrays = [np.random.default_rng(k).normal(size=(3, 2)) for k in range(3)] if name == "khatri_rao" else [array]
    for found, wanted in zip(gradients(GPU, name, arrays), gradients(mx.cpu(), name, arrays), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * max(np.abs(wanted).max(), 1))
