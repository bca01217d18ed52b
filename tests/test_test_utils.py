"""mx.test_utils. Numbers and texts are those of MXNet 1.9.1 on the same calls."""

import os

import numpy as np
import pytest

import minigluon as mx
from minigluon import gluon, nd
from minigluon import test_utils as tools

A = np.arange(12).reshape(3, 4).astype("float32")
B = A.copy()
B[1, 2] += 1
B[2, 3] -= 0.5
TEXT = ("\nItems are not equal:\nError {} exceeds tolerance rtol={}, atol={} (mismatch 16.666667%).\n"
        "Location of maximum error: (1, 2), {}=6.00000000, {}=7.00000000\n"
        " ACTUAL: array([[ 0.,  1.,  2.,  3.],\n       [ 4.,  5.,  6.,  7.],\n       [ 8.,  9., 10., 11.]], "
        "dtype=float32)\n DESIRED: array([[ 0. ,  1. ,  2. ,  3. ],\n       [ 4. ,  5. ,  7. ,  7. ],\n"
        "       [ 8. ,  9. , 10. , 10.5]], dtype=float32)")


def message(function, *args, kind=AssertionError, **kwargs):
    with pytest.raises(kind) as caught:
        function(*args, **kwargs)
    return str(caught.value)


# -- comparing ------------------------------------------------------------------------------------------------------


def test_where_arrays_differ():
    assert message(tools.assert_almost_equal, A, B) == TEXT.format("588.235294", "1.000000e-04", "1.000000e-03", *"ab")
    assert message(tools.assert_almost_equal, nd.array(A), B, rtol=0.01, names=("x", "y")) == \
        TEXT.format("14.084507", "1.000000e-02", "1.000000e-03", *"xy")
    assert message(tools.assert_allclose, A, B) == TEXT.format("1428571.428571", "1.000000e-07", "0.000000e+00", *"ab")
    assert message(tools.assert_almost_equal_with_err, A, B, etol=0.1) == message(tools.assert_almost_equal, A, B)
    tools.assert_almost_equal_with_err(A, B, etol=0.5)
    assert message(tools.assert_almost_equal, A, A[:2], use_broadcast=False).startswith(
        "\nItems are not equal: a.shape = (3, 4) and b.shape = (2, 4) are not equal\n ACTUAL: ")


def test_equality():
    unknown = np.array([np.nan, 1])
    assert message(tools.assert_almost_equal, unknown, unknown).startswith("\nItems are not equal:\nError inf exceeds")
    tools.assert_almost_equal(unknown, unknown, equal_nan=True)
    tools.assert_almost_equal_ignore_nan(unknown, np.array([3.0, 1]))
    assert (tools.almost_equal(A, B), tools.almost_equal(A, A), tools.almost_equal(A, B, atol=2)) == (False, True, True)
    assert not tools.almost_equal(A, A[:1], use_broadcast=False)
    x = nd.array(A)
    assert (tools.same(x, A), tools.same_array(x, x[:]), tools.same_array(x, x.copy())) == (True, True, False)
    assert tools.same(x, A)
    tools.compare_ndarray_tuple((x, (None, x)), (x, (x, x)))
    assert message(tools.compare_ndarray_tuple, (x,), (nd.array(B),)).startswith("\nItems are not equal")


def test_tolerances():
    assert tools.get_tols(A, A.astype("float16"), None, None) == (1e-2, 1e-1)
    assert tools.get_tols(A, A, {np.dtype("float32"): 0.5}, 3) == (0.5, 3)
    assert (tools.get_rtol(), tools.get_atol(), tools.get_etol(), tools.get_rtol(0.1)) == (1e-5, 1e-20, 0, 0.1)
    assert tools.default_numeric_eps()[np.dtype("float32")] == 2.0 ** -9
    assert tools.default_rtols()[np.dtype("int32")] == tools.default_atols()[np.dtype("uint8")] == 0


def test_structure_of_graphs():
    def graph(name, hidden):
        return mx.sym.relu(mx.sym.FullyConnected(mx.sym.var(name), num_hidden=hidden))
    assert tools.same_symbol_structure(graph("x", 3), graph("y", 3))
    assert not tools.same_symbol_structure(graph("x", 3), graph("x", 4))


# -- checks of graphs -------------------------------------------------------------------------------------------------

X = mx.sym.var("x")
GRAPH = X * mx.sym.var("y") + mx.sym.exp(X)
VALUES = {"x": np.random.RandomState(0).rand(2, 3), "y": np.random.RandomState(1).rand(2, 3)}
GRADIENTS = {"x": VALUES["y"] + np.exp(VALUES["x"]), "y": VALUES["x"]}
FORWARD = VALUES["x"] * VALUES["y"] + np.exp(VALUES["x"])


def test_values_of_a_graph():
    outputs = tools.check_symbolic_forward(GRAPH, VALUES, [FORWARD])
    np.testing.assert_allclose(outputs[0].asnumpy(), FORWARD, rtol=1e-6)
    name = GRAPH.list_outputs()[0]
    tools.check_symbolic_forward(GRAPH, list(VALUES.values()), {name: FORWARD}, dtype=np.float64)
    assert f"EXPECTED_{name}=" in message(tools.check_symbolic_forward, GRAPH, VALUES, [VALUES["x"]])
    np.testing.assert_allclose(tools.simple_forward(GRAPH, **VALUES), FORWARD, rtol=1e-6)
    assert message(tools.check_symbolic_forward, GRAPH, [VALUES["x"]], [FORWARD], kind=ValueError) == \
        "location has 1 arrays, and the graph 2: x, y"
    assert message(tools.check_symbolic_forward, GRAPH, {"x": 1, "z": 2}, [FORWARD], kind=ValueError) == \
        "location has the names x, z, and the graph x, y"


@pytest.mark.parametrize("req", ["write", "add", {"x": "write", "y": "null"}])
def test_gradients_of_a_graph(req):
    grads = tools.check_symbolic_backward(GRAPH, VALUES, [np.ones((2, 3))], GRADIENTS, grad_req=req)
    if req == "write":
        np.testing.assert_allclose(grads["x"].asnumpy(), GRADIENTS["x"], rtol=1e-6)
    tools.check_symbolic_backward(GRAPH, VALUES, None, {"y": VALUES["x"]})
    wrong = message(tools.check_symbolic_backward, GRAPH, VALUES, None, {"x": VALUES["x"]}, grad_req=req)
    assert "EXPECTED_x=" in wrong


def test_gradients_against_differences():
    tools.check_numeric_gradient(GRAPH, VALUES)
    tools.check_numeric_gradient(GRAPH, VALUES, dtype=np.float64, rtol=1e-6, atol=1e-8, grad_nodes=["x"])
    normalized = mx.sym.BatchNorm(X, name="bn", fix_gamma=False)
    tools.check_numeric_gradient(normalized, [VALUES["x"], np.ones(3), np.zeros(3)], [np.zeros(3), np.ones(3)],
                                 dtype=np.float64, rtol=1e-4)
    wrong = mx.sym.BlockGrad(X) + 0 * X
    assert "NUMERICAL_x=" in message(tools.check_numeric_gradient, wrong, [VALUES["x"]])
    executor = GRAPH.bind(mx.cpu(), {name: nd.array(value) for name, value in VALUES.items()})
    found = tools.numeric_grad(executor, VALUES, eps=1e-2)
    for name, expected in GRADIENTS.items():
        np.testing.assert_allclose(found[name], expected, rtol=1e-3)


def test_consistency():
    def entry(dtype):
        return {"ctx": mx.cpu(), "x": (2, 3), "y": (2, 3), "type_dict": {"x": dtype, "y": dtype}}
    truth = tools.check_consistency(GRAPH, [entry(np.float32), entry(np.float64)], scale=0.5)
    assert sorted(truth) == [GRAPH.list_outputs()[0], "x", "y"]
    assert truth["x"].dtype == np.float64
    assert "ctx_0_" in message(tools.check_consistency, [GRAPH, GRAPH * 2], [entry(np.float32), entry(np.float64)])
    assert tools.check_speed(GRAPH, VALUES, N=2) > 0
    assert tools.check_speed(GRAPH, typ="forward", N=2, x=(2, 3), y=(2, 3)) > 0


def test_hybridized_blocks():
    def dense():
        return gluon.nn.Dense(3, activation="relu")

    class Wrong(gluon.nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return x * (2 if F is nd else 3)
    tools.check_gluon_hybridize_consistency(dense, [nd.random.normal(shape=(2, 4))])
    text = message(tools.check_gluon_hybridize_consistency, Wrong, [nd.ones((2, 3))])
    assert text.startswith("\nItems are not equal")


def test_optimizers():
    tools.compare_optimizer(mx.optimizer.Adam(), mx.optimizer.Adam(), (3, 4), "float32", ntensors=2)
    slow, fast = mx.optimizer.Adam(0.1), mx.optimizer.Adam(0.2)
    assert "not equal" in message(tools.compare_optimizer, slow, fast, (3,), "float32")
    assert message(tools.compare_optimizer, slow, fast, (3,), "float32", w_stype="row_sparse", kind=ValueError) == (
        "compare_optimizer: w_stype is 'row_sparse' and g_stype 'default', but all arrays are dense")


# -- random arrays ----------------------------------------------------------------------------------------------------


def test_random_shapes_and_arrays():
    for _ in range(20):
        assert all(1 <= n <= 4 for n in tools.rand_shape_nd(3, 4))
        assert all(0 <= n <= m for n, m in zip(tools.rand_shape_2d(2, 5, allow_zero_size=True), (2, 5), strict=True))
        x, y = tools.rand_coord_2d(0, 3, 4, 8)
        assert 0 <= x < 3
        assert 4 <= y < 8
    one, (two, three) = tools.random_arrays((2, 3)), tools.random_arrays((4,), ())
    assert (one.shape, two.shape, three.shape, one.dtype) == ((2, 3), (4,), (), np.float32)
    assert tools.rand_ndarray((2, 2), dtype="float64").dtype == np.float64
    assert (tools.rand_ndarray((2, 2), modifier_func=abs) >= 0).min() == 1
    assert sorted(tools.random_sample([1, 2, 3], 3)) == [1, 2, 3]
    assert tools.random_uniform_arrays((50,), low=2, high=3)[0].min() >= 2
    text = "stype is 'csr', but sparse arrays are not available, all arrays are dense. Use rand_ndarray(shape)."
    assert message(tools.rand_ndarray, (2, 2), "csr", kind=mx.MXNetError) == text
    assert message(tools.create_sparse_array, (2, 2), "csr", kind=mx.MXNetError) == text


def test_small_arrays():
    assert tools.create_2d_tensor(2, 3).asnumpy().tolist() == [[0, 0, 0], [1, 1, 1]]
    assert tools.create_vector(3).dtype == np.int64
    assert tools.get_identity_mat_batch(2).shape == (2, 2, 2)
    np.testing.assert_allclose(np.linalg.eigvalsh(tools.new_sym_matrix_with_real_eigvals_nd((2, 3, 3))[1]), [1, 2, 3])
    assert tools.np_reduce(A, (0, 1), True, np.sum).tolist() == [[66]]
    assert tools.np_reduce(A, 1, False, np.max).tolist() == [3, 7, 11]
    assert tools.collapse_sum_like(A, (1, 4)).tolist() == [[12, 15, 18, 21]]
    assert tools.assign_each2([1, 2], [3, 4], lambda a, b: a * b).tolist() == [3, 8]


def test_generators():
    random = np.random.RandomState(3)
    buckets, probabilities = tools.gen_buckets_probs_with_ppf(lambda x: x, 4)
    assert buckets == [(0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1)]
    tools.verify_generator(random.rand, buckets, probabilities, nsamples=2000, nrepeat=4)
    text = message(tools.verify_generator, lambda n: random.rand(n) ** 2, buckets, probabilities, 2000, nrepeat=2)
    assert text.startswith("the samples are of another distribution: 0 of 2 tests have p > 0.05, expected")
    assert tools.mean_check(lambda n: nd.array(random.normal(2, 1, n)), 2, 1, nsamples=2000)
    assert not tools.mean_check(lambda n: random.normal(2, 1, n), 3, 1, nsamples=2000)
    assert tools.var_check(lambda n: random.normal(0, 2, n), 2, nsamples=2000)
    assert tools.chi_square_check(lambda n: random.randint(0, 2, n), [0, 1], [0.5, 0.5], 1000)[0] > 1e-4


# -- surroundings -----------------------------------------------------------------------------------------------------


def test_environment(monkeypatch):
    monkeypatch.setenv("MINIGLUON_TEST_A", "1")
    with tools.environment({"MINIGLUON_TEST_A": None, "MINIGLUON_TEST_B": 2}):
        assert ("MINIGLUON_TEST_A" in os.environ, os.environ["MINIGLUON_TEST_B"]) == (False, "2")
    with tools.environment("MINIGLUON_TEST_A", "3"):
        assert os.environ["MINIGLUON_TEST_A"] == "3"
    assert (os.environ["MINIGLUON_TEST_A"], "MINIGLUON_TEST_B" in os.environ) == ("1", False)


def test_devices():
    assert tools.default_context() == mx.cpu()
    tools.set_default_context(mx.cpu(1))
    assert tools.default_context() == mx.cpu(1)
    tools.setting._default.clear()
    assert list(tools.list_gpus()) == list(range(mx.num_gpus()))
    assert message(tools.set_default_context, "cpu", kind=ValueError) == \
        "set_default_context: ctx is 'cpu', expected a device such as mx.cpu()"


def test_tries_and_exceptions(capfd):
    tried = []

    @tools.retry(3)
    def fails_twice():
        tried.append(1)
        assert len(tried) == 3
    fails_twice()
    assert len(tried) == 3
    assert message(tools.retry(1)(lambda: tools.assert_exception(int, ValueError, "3"))) == \
        "int did not raise ValueError"
    tools.assert_exception(int, ValueError, "x")
    with tools.discard_stderr():
        os.write(2, b"nothing")
    os.write(2, b"something")
    assert capfd.readouterr().err == "something"


def test_mnist(tmp_path, monkeypatch):
    class Few:
        def __init__(self, root, train):
            self._data = nd.full((6 if train else 4, 28, 28, 1), 51, dtype="uint8")
            self._label = np.arange(6 if train else 4, dtype="int32")
    monkeypatch.setattr(tools.data, "MNIST", Few)
    mnist = tools.get_mnist("folder")
    assert (mnist["train_data"].shape, mnist["test_data"].shape) == ((6, 1, 28, 28), (4, 1, 28, 28))
    assert (mnist["train_data"].dtype, mnist["train_data"].max()) == (np.float32, np.float32(0.2))
    train, test = tools.get_mnist_iterator(2, (784,), num_parts=3, part_index=1, path="folder")
    assert sorted(np.concatenate([batch.label[0].asnumpy() for batch in train]).tolist()) == [1, 4]
    assert [batch.data[0].shape for batch in test] == [(2, 784)] * 2
    assert message(tools.get_mnist_iterator, 2, (28,), kind=ValueError) == (
        "get_mnist_iterator: input_shape is (28,) with 28 numbers, and an image has 784")
    again = tools.DummyIter(mx.io.NDArrayIter(np.ones((4, 2)), batch_size=2))
    assert next(again) is next(again)
