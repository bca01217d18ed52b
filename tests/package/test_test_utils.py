"""`mx.test_utils`: checks that pass where they should and fail where they should, with MXNet 1.9.1's words."""

import functools
import os
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from helpers import errors

import minigluon as mx
from minigluon import nd, sym
from minigluon import test_utils as tu
from minigluon.base import ArgumentError, FileFormatError, MXNetError

pytestmark = pytest.mark.once

RAMP = np.arange(30, dtype=np.float32).reshape(5, 6)


message = functools.partial(errors.message, AssertionError)


# -- comparing ---------------------------------------------------------------------------------------------------------


def test_messages_and_printed_lines_are_mxnets(capsys):
    assert message(tu.assert_almost_equal, RAMP, RAMP + 0.5, names=("x", "y")).startswith(
        "\nItems are not equal:\nError 476.190430 exceeds tolerance rtol=1.000000e-04, atol=1.000000e-03 (mismatch at "
        "least 36.666667%).\nLocation of maximum error: (0, 0), x=0.00000000, y=0.50000000\n ACTUAL: array([[ 0.,  1.,")
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == ["", "*** Maximum errors for vector of size 30:  rtol=0.0001, atol=0.001", "",
                         "  1: Error 476.190430  Location of error: (0, 0), x=0.00000000, y=0.50000000"]
    assert lines[12] == " 10: Error 256.410278  Location of error: (1, 3), x=9.00000000, y=9.50000000"
    assert len(lines) == 13
    assert "(mismatch 6.666667%)" in message(tu.assert_almost_equal, nd.array(RAMP), nd.array(RAMP + (RAMP > 27)))
    assert "(mismatch 50.000000%)" in message(tu.assert_almost_equal, np.array([1, np.nan]), np.array([1, np.nan]))
    assert message(tu.assert_almost_equal, 1.0, 2.0).startswith(
        "\nItems are not equal:\nError 50000.000000 exceeds tolerance rtol=1.000000e-05, atol=1.000000e-20.\n")
    assert message(tu.assert_almost_equal, RAMP, RAMP[:2], use_broadcast=False).startswith(
        "\nItems are not equal: a.shape = (5, 6) and b.shape = (2, 6) are not equal\n ACTUAL: array([[ 0.,")


def test_what_counts_as_equal():
    tu.assert_almost_equal(RAMP, RAMP * (1 + 5e-5))
    tu.assert_almost_equal(nd.array(RAMP), RAMP.astype(np.float16))         # the tolerance of the less exact one
    tu.assert_almost_equal(np.array([np.inf, np.nan]), np.array([np.inf, np.nan]), equal_nan=True)
    tu.assert_almost_equal(np.array([True]), np.array([True]))
    tu.assert_allclose(nd.array([1, 2]), np.array([1, 2], np.float32))
    tu.assert_almost_equal_ignore_nan(np.array([1, np.nan]), np.array([1, 2.0]))
    tu.assert_almost_equal_with_err(RAMP, RAMP + (RAMP > 28), etol=0.1)
    assert "(mismatch 13.333333%)" in message(tu.assert_almost_equal_with_err, RAMP, RAMP + (RAMP > 25), etol=0.1)
    message(tu.assert_almost_equal, np.array([True]), np.array([False]))
    message(tu.assert_almost_equal, np.array([1], np.uint8), np.array([2], np.uint8))
    message(tu.compare_ndarray_tuple, (nd.ones(2), nd.ones(1)), (nd.ones(2), nd.zeros(1)))
    assert tu.almost_equal(RAMP, RAMP)
    assert tu.same(nd.array(RAMP), RAMP)
    assert not tu.same(RAMP, RAMP + 1)
    x = nd.ones((2, 2))
    assert (tu.same_array(x, x.reshape((4,)).reshape((2, 2))), tu.same_array(x, x.copy())) == (True, False)
    assert tu.get_tols(np.zeros(1, np.float16), 1.0, None, {np.dtype("float16"): 7}) == (1e-2, 7)
    assert (tu.get_rtol(), tu.get_atol(3), tu.get_etol()) == (1e-5, 3, 0)


# -- arrays ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "make", "expected"), [
    (1, lambda: tu.random_arrays((2, 2)), [[1.6243454, -0.6117564], [-0.5281718, -1.0729686]]),
    (2, lambda: (*tu.rand_shape_2d(), *tu.rand_shape_3d(5), *tu.rand_shape_nd(4, 9)), (9, 9, 4, 3, 9, 8, 3, 2, 6)),
    (3, lambda: tu.random_uniform_arrays((2,), low=3)[0], [1.8984042, 1.5837044]),
    (4, lambda: tu.rand_ndarray((2, 2)).asnumpy(), [[0.05056171, 0.49995133], [-0.9959089, 0.6935985]]),
    (5, lambda: tu.new_matrix_with_real_eigvals_nd((1, 2, 2)), [[[1.94717839, 1.05584007], [0.59372892, 0.05592265]]]),
    (6, lambda: tu.new_sym_matrix_with_real_eigvals_2d(2), [[-1.39152313, -0.67958704], [-0.67958704, 0.36401894]]),
    (7, lambda: tu.random_sample([1, 2, 3, 4], 3), [3, 2, 1]),
])
def test_seeds_give_mxnets_numbers(seed, make, expected):
    np.random.seed(seed)
    np.testing.assert_allclose(make(), expected, rtol=1e-6)


def test_patterns():
    assert tu.create_2d_tensor(2, 3).asnumpy().tolist() == [[0, 0, 0], [1, 1, 1]]
    assert tu.create_vector(3).dtype == np.int64
    assert tu.get_identity_mat_batch(2).shape == (2, 2, 2)
    assert tu.assign_each(RAMP, lambda v: v + 1).tolist() == (RAMP + 1).tolist()
    assert tu.assign_each2(RAMP, RAMP, lambda v, w: v * w).tolist() == (RAMP * RAMP).tolist()
    assert tu.np_reduce(RAMP, (0,), True, np.sum).shape == (1, 6)
    assert tu.np_reduce(RAMP, None, False, np.max) == 29
    assert tu.collapse_sum_like(np.ones((4, 2, 3)), (2, 1)).tolist() == [[12], [12]]
    q = tu.new_orthonormal_matrix_2d(3)
    np.testing.assert_allclose(q @ q.T, np.eye(3), atol=1e-12)
    assert [tu.rand_coord_2d(1, 2, 5, 6), list(tu.rand_shape_nd(2, 0, allow_zero_size=True))] == [(1, 5), [0, 0]]


def test_the_default_context():
    try:
        tu.set_default_context(mx.cpu(3))
        assert tu.default_context() == mx.current_context() == nd.ones(1).context == mx.cpu(3)
        with mx.cpu(1):
            tu.set_default_context(mx.cpu(2))
            assert mx.current_context() == mx.cpu(2)
        assert mx.current_context() == mx.cpu(3)
    finally:
        tu.set_default_context(mx.cpu(0))
    assert tu.default_dtype() is np.float32


# -- graphs ------------------------------------------------------------------------------------------------------------

A, B = np.array([[1.0, 2], [3, 4]]), np.array([[5.0, 6], [7, 8]])


def dot():
    return sym.dot(sym.var("a"), sym.var("b"))


class Doubled(mx.autograd.Function):
    def forward(self, x):
        return x * 2

    def backward(self, dy):
        return dy


def test_forward_and_backward_against_given_numbers():
    assert tu.simple_forward(dot(), a=A, b=B).tolist() == (A @ B).tolist()
    outputs = tu.check_symbolic_forward(dot(), [A, B], [A @ B])
    assert outputs[0].asnumpy().tolist() == (A @ B).tolist()
    product = dot()
    tu.check_symbolic_forward(product, {"b": B, "a": A}, {product.list_outputs()[0]: A @ B})
    head = np.ones((2, 2))
    for req in ("write", "add", "null", {"a": "add", "b": "null"}, ["write", "add"]):
        grads = tu.check_symbolic_backward(dot(), [A, B], [head], [head @ B.T, A.T @ head], grad_req=req, rtol=1e-4,
                                           atol=1e-4)
    assert grads["a"].asnumpy().tolist() == (head @ B.T).tolist()
    assert f"EXPECTED_{product.list_outputs()[0]}=" in message(tu.check_symbolic_forward, product, [A, B], [A])
    message(tu.check_symbolic_backward, dot(), [A, B], [head], [A, A])


def test_numeric_gradients():
    tu.check_numeric_gradient(dot(), [A, B])
    tu.check_numeric_gradient(dot(), {"a": A, "b": B}, grad_nodes=["a"], dtype=np.float64, numeric_eps=1e-4)
    tu.check_numeric_gradient(dot(), [A, B], grad_nodes={"a": "add", "b": "null"})
    net = sym.BatchNorm(sym.var("x"), fix_gamma=False, name="bn")
    tu.check_numeric_gradient(net, [np.random.normal(size=(4, 2)), np.ones(2), np.zeros(2)], [np.zeros(2), np.ones(2)],
                              rtol=0.05, atol=0.01)
    a = sym.var("a")
    wrong = sym.BlockGrad(a) * 2 + a
    message(tu.check_numeric_gradient, wrong, [A])
    executor = dot().bind(mx.cpu(), {"a": nd.array(A), "b": nd.array(B)})
    grads = tu.numeric_grad(executor, {"a": A, "b": B}, eps=0.5)
    np.testing.assert_allclose(grads["a"], np.ones((2, 2)) @ B.T)


@pytest.mark.parametrize(("call", "text"), [
    (lambda: tu.check_symbolic_forward(dot(), {"a": A}, [A]),
     "location must have an array for each of a, b; found a"),
    (lambda: tu.check_speed(dot(), typ="back"), "check_speed: typ must be 'whole' or 'forward', found 'back'"),
    (lambda: tu.check_numeric_gradient(sym.Group([sym.var("a"), sym.var("b")]), [A, B]),
     "check_numeric_gradient: the graph must have one output, found ['a', 'b']"),
    (lambda: tu.check_consistency(dot(), [{}]),
     "check_consistency compares at least two entries of ctx_list, found 1"),
    (lambda: tu.random_sample([1], 2), "random_sample: k must be in 0 ... 1, found 2"),
    (lambda: tu.retry(0), "retry: n must be at least 1, found 0"),
    (lambda: tu.environment("A").__enter__(), "environment takes a dict, or a name and a value"),
])
def test_wrong_arguments(call, text):
    with pytest.raises(ArgumentError) as caught:
        call()
    assert str(caught.value) == text


def test_sparse_arrays_are_refused():
    with pytest.raises(MXNetError) as caught:
        tu.rand_ndarray((2, 2), "csr")
    assert str(caught.value) == "rand_ndarray: sparse arrays ('csr') are not here; use rand_ndarray(shape)"
    for make in (tu.rand_sparse_ndarray, tu.create_sparse_array, tu.create_sparse_array_zd):
        with pytest.raises(MXNetError, match="are not here; use rand_ndarray"):
            make((2, 2), "row_sparse")


def test_speed():
    assert tu.check_speed(dot(), N=2, a=(2, 2), b=(2, 2)) > 0
    assert tu.check_speed(dot(), {"a": A, "b": B}, N=2, typ="forward") > 0


def test_consistency(capsys):
    net = sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc")
    field = [{"ctx": mx.cpu(i), "x": (2, 4), "type_dict": {"x": dtype}} for i, dtype in enumerate(
        (np.float32, np.float64, np.float16))]
    truth = tu.check_consistency(net, field, scale=0.5)
    assert truth["fc_output"].dtype == np.float64
    tu.check_consistency(net, field[:2], grad_req="null", use_uniform=True)
    with pytest.raises(AssertionError):
        tu.check_consistency([net, sym.FullyConnected(sym.var("x") + 1, num_hidden=3, name="fc")], field[:2])
    assert "Predict Err: ctx 0 vs ctx 1 at fc_output" in capsys.readouterr().out
    wrong = {"fc_output": nd.zeros((2, 3))}
    tu.check_consistency(net, field[:2], raise_on_err=False, ground_truth=wrong)
    assert "Predict Err: ctx 0 vs ctx 1 at fc_output" in capsys.readouterr().out


def test_hybridized_nets_and_optimizers():
    tu.check_gluon_hybridize_consistency(
        lambda prefix: mx.gluon.nn.Dense(3, activation="relu", prefix=prefix), [nd.array(A)])

    class Moody(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return x * (2 if F is sym else 1)
    message(tu.check_gluon_hybridize_consistency, lambda prefix: Moody(prefix=prefix), [nd.array(A)])
    message(tu.check_gluon_hybridize_consistency, lambda prefix: mx.gluon.nn.Activation("relu", prefix=prefix),
            [nd.array(A)], lambda x: x + 1)
    make = mx.optimizer.create
    tu.compare_optimizer(make("adam"), make("adam"), (2, 3), "float32")
    message(tu.compare_optimizer, make("sgd"), make("sgd", learning_rate=3), (2, 3), "float32")
    assert tu.same_symbol_structure(dot(), dot())
    assert not tu.same_symbol_structure(dot(), dot() + 1)


# -- generators --------------------------------------------------------------------------------------------------------


def test_generators():
    stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
    normal = lambda n: np.random.normal(1, 2, n)
    buckets, probs = tu.gen_buckets_probs_with_ppf(lambda p: stats.norm.ppf(p, 1, 2), 5)
    assert [tu.mean_check(normal, mu, 2, 10_000) for mu in (1, 2)] == [True, False]
    assert [tu.var_check(normal, sigma, 10_000) for sigma in (2, 3)] == [True, False]
    p, observed, expected = tu.chi_square_check(normal, buckets, probs, 10_000)
    assert p > 0.01
    assert (observed.sum(), expected.tolist()) == (10_000, [2000] * 5)
    tu.verify_generator(lambda n: np.random.randint(0, 3, n), [0, 1, 2], [1 / 3] * 3, 9_000, 2)
    message(tu.verify_generator, lambda n: np.random.randint(0, 2, n), [0, 1, 2], [1 / 3] * 3, 9_000, 2)


# -- running -----------------------------------------------------------------------------------------------------------


def test_environment_and_exceptions(monkeypatch):
    monkeypatch.setenv("MX_A", "old")
    monkeypatch.delenv("MX_B", raising=False)
    with tu.environment({"MX_A": None, "MX_B": "x"}):
        assert (os.environ.get("MX_A"), os.environ["MX_B"]) == (None, "x")
    assert (os.environ["MX_A"], os.environ.get("MX_B")) == ("old", None)
    with pytest.raises(KeyError), tu.environment("MX_A", "new"):
        raise KeyError
    assert os.environ["MX_A"] == "old"
    tu.assert_exception(int, ValueError, "x")
    assert message(tu.assert_exception, int, ValueError, "3") == "int raised no ValueError"


def test_retry():
    left = [2]

    @tu.retry(3)
    def flaky():
        left[0] -= 1
        assert left[0] < 0
        return "done"
    assert flaky() == "done"
    left[0] = 9
    message(flaky)
    assert left == [6]


def test_discard_stderr(monkeypatch):
    code = ("import os, sys; from minigluon import test_utils\n"
            "with test_utils.discard_stderr(): os.write(2, b'hidden'); print('hidden', file=sys.stderr)\n"
            "os.write(2, b'seen')")
    done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, check=True)
    assert done.stderr == "seen"
    monkeypatch.setattr(sys, "stderr", None)
    with tu.discard_stderr():
        pass


def test_dummy_iterator():
    it = tu.DummyIter(mx.io.NDArrayIter(np.arange(4), np.arange(4), 2))
    assert [next(it).data[0].asnumpy().tolist() for _ in range(5)] == [[0, 1]] * 5
    assert (list(tu.list_gpus()), tu.has_tvm_ops(), tu.is_op_runnable()) == (list(range(mx.num_gpus())), False, True)


# -- files -------------------------------------------------------------------------------------------------------------


def write_mnist(folder):
    folder.mkdir(exist_ok=True)
    for part in ("train", "t10k"):
        images = struct.pack(">4i", 2051, 3, 28, 28) + bytes([255]) * (3 * 784)
        (folder / f"{part}-images-idx3-ubyte").write_bytes(images)
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 2049, 3) + bytes([1, 2, 3]))


def test_mnist_from_files_that_are_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_mnist(tmp_path / "data")
    mnist = tu.get_mnist()
    assert (mnist["train_data"].shape, mnist["train_data"].dtype, mnist["train_data"].max()) == (
        (3, 1, 28, 28), np.float32, 1)
    assert (mnist["test_label"].tolist(), mnist["test_label"].dtype) == ([1, 2, 3], np.int8)
    train, test = tu.get_mnist_iterator(3, (784,))
    assert train.next().data[0].shape == (3, 784)
    assert tu.get_mnist_iterator(1, (1, 28, 28))[1].next().data[0].shape == (1, 1, 28, 28)


def test_downloads(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    calls = []

    def fetch(url, path, overwrite, retries):
        calls.append(url)
        if "cifar" in url:
            raise MXNetError("no network")
        with zipfile.ZipFile(path, "w") as archive:
            for name in os.listdir(tmp_path / "source"):
                archive.write(tmp_path / "source" / name, name)
        return path
    monkeypatch.setattr("minigluon.test_utils.files.utils.download", fetch)
    write_mnist(tmp_path / "source")
    tu.get_mnist_ubyte()
    tu.get_mnist_ubyte()
    assert calls == ["http://data.mxnet.io/mxnet/data/mnist.zip"]
    assert len(tu.get_mnist()["train_label"]) == 3
    assert tu.download("http://x/mnist.zip", dirname="data") == os.path.join("data", "mnist.zip")
    with pytest.raises(MXNetError) as caught:
        tu.get_cifar10()
    assert str(caught.value) == ("no network\nWithout a download, put cifar/train.rec, cifar/test.rec, "
                                 f"cifar/train.lst, cifar/test.lst into {tmp_path / 'data'}.")
    (tmp_path / "data" / "bad.zip").write_bytes(b"PK")
    with pytest.raises(FileFormatError, match="bad.zip is not a zip archive, or is cut off"):
        tu.get_zip_data("data", "http://x/bad.zip", "bad.zip")
