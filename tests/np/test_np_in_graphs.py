"""Functions of `mx.np` in hybridized blocks: indexing with arrays, draws, and what NumPy computes on the host."""

import numpy as onp
import pytest

import minigluon as mx
from minigluon import autograd, gluon, np, npx, sym

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def numpy_mode():
    npx.set_np()
    yield
    npx.reset_np()


class Called(gluon.HybridBlock):
    """A block that calls one function with F and its inputs."""

    def __init__(self, function):
        super().__init__()
        self._called = function

    def hybrid_forward(self, F, *args):
        return self._called(F, *args)


def flat(outputs):
    return [y for part in outputs for y in flat(part)] if isinstance(outputs, (list, tuple)) else [outputs]


def run(function, arrays, hybridized):
    """Return the outputs, and the gradients of the inputs of a floating type."""
    net = Called(function)
    if hybridized:
        net.hybridize()
    inputs = [np.array(x) for x in arrays]
    floats = [x for x in inputs if x.dtype.kind == "f"]
    for x in floats:
        x.attach_grad()
    with autograd.record():
        outputs = flat(net(*inputs))
    autograd.backward([y for y in outputs if y.dtype.kind == "f"])
    assert {type(y) for y in outputs} == {np.ndarray}
    return [y.asnumpy() for y in [*outputs, *[x.grad for x in floats]]]


X = onp.arange(24, dtype="float32").reshape(2, 3, 4)
ROWS, GRID = onp.array([1, 0, -1]), onp.array([[0, 2], [1, 1]])
KEYS = {"one": lambda i, j: j % 2, "list": lambda i, j: [1, 0, 1], "two": lambda i, j: (i % 2, i),
        "slice": lambda i, j: (slice(None), i), "last": lambda i, j: (slice(None), slice(1, 3), j),
        "number": lambda i, j: (0, i), "apart": lambda i, j: (i % 2, slice(None), i),
        "ellipsis": lambda i, j: (j % 2, ...),
        "around": lambda i, j: (0, slice(None), i), "mask": lambda i, j: None}


@pytest.mark.parametrize("name", KEYS)
def test_symbols_are_indexed_with_arrays(name):
    def index(F, x, i, j):
        return x[x > 5] if name == "mask" else x[KEYS[name](i, j)]

    expected = X[X > 5] if name == "mask" else X[KEYS[name](ROWS, GRID)]
    arrays = [X, ROWS, GRID]
    graph, plain = (run(index, arrays, hybridized) for hybridized in (True, False))
    onp.testing.assert_array_equal(graph[0], expected)
    for x, y in zip(graph, plain, strict=True):
        onp.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("key", [(0,), (slice(1, None, 2), -1), (None, 1), (..., 0), (1, None, ..., slice(None, None,
-1)),
                                 (slice(5, 9),), (0, 1, 2), (onp.int64(1),)])
def test_symbols_are_indexed_with_numbers_and_slices(key):
    for x, y, expected in zip(*(run(lambda F, x: x[key], [X], hybridized) for hybridized in (True, False)),
                              [X[key], None], strict=True):
        onp.testing.assert_array_equal(x, y)
        if expected is not None:
            onp.testing.assert_array_equal(x, expected)


HOST = {"interp": (lambda F, x: F.np.interp(x, x, x * 2), 1), "sorted": (lambda F, x: F.np.lexsort((x, x)), 1),
        "unique": (lambda F, x: F.np.unique(x, return_counts=True), 2), "nonzero": (lambda F, x: F.npx.nonzero(x), 1),
        "bincount": (lambda F, x: F.np.bincount(x.astype("int64"), minlength=9), 1),
        "partition": (lambda F, x: F.np.partition(x, 2), 1), "isin": (lambda F, x: F.np.isin(x, x[:2]), 1),
        "bits": (lambda F, x: F.np.bitwise_xor(x.astype("int32"), 3), 1), "vander": (lambda F, x: F.np.vander(x, 3), 1)}


@pytest.mark.parametrize("name", HOST)
def test_functions_that_numpy_computes_are_nodes(name):
    function, count = HOST[name]
    x = np.array([3, 1, 2, 1, 5])
    net = Called(lambda F, x: function(F, x))
    expected = flat(net(x))
    net.hybridize()
    outputs = flat(net(x))
    assert len(outputs) == count
    for found, wanted in zip(outputs, expected, strict=True):
        assert type(found) is np.ndarray
        assert found.dtype == wanted.dtype
        onp.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles_may_be_symbols(method):
    x, q = onp.random.default_rng(0).uniform(0, 1, (3, 6)), onp.array([[0, 0.3], [0.55, 1]])
    graph, plain = (run(lambda F, x, q: F.np.quantile(x, q, axis=1, interpolation=method), [x, q], hybridized)
                    for hybridized in (True, False))
    onp.testing.assert_allclose(graph[0], onp.quantile(x, q, axis=1, method=method), 1e-12)
    onp.testing.assert_allclose(graph[1], plain[1], 1e-12)


def test_masks_are_combined_in_a_plan():
    a = sym.var("a").as_np_ndarray()
    graph = ((a > 1) & (a < 4) | ~(a < 5)) ^ (a == 7)
    assert "_npi_bitwise_and" in graph.tojson()
    executor = graph.bind(mx.cpu(), {"a": np.arange(9)})
    assert executor.forward()[0].asnumpy().nonzero()[0].tolist() == [2, 3, 5, 6, 8]
    assert '"op": "_npi_bitwise' not in executor.get_optimized_symbol().tojson()
    assert (a.astype("int32") & 3).eval(a=np.arange(6))[0].asnumpy().tolist() == [0, 1, 2, 3, 0, 1]


def test_what_follows_such_a_node_is_computed():
    net = Called(lambda F, x: F.npx.softmax(F.np.sort(F.np.unique(x) * 2)))
    x = np.array([3, 1, 2, 1, 5])
    expected = net(x)
    net.hybridize()
    onp.testing.assert_allclose(net(x).asnumpy(), expected.asnumpy())


def test_loops_with_functions_of_np_are_unrolled():
    graph = sym.contrib.foreach(lambda row, state: (row, sym.np.cumsum((row + state).as_np_ndarray()).as_nd_ndarray()),
                                sym.var("a"), sym.var("s"))[1]
    executor = graph.bind(mx.cpu(), {"a": mx.nd.array([[1, 2], [3, 4]]), "s": mx.nd.array([0, 1])})
    assert executor.forward()[0].asnumpy().tolist() == [4, 12]
    assert '"op": "_foreach"' not in executor.get_optimized_symbol().tojson()


def loop(F, x):
    return F.contrib.foreach(lambda row, state: (F.np.tanh(row + state), F.np.maximum(state, row)), x, x[0])


def branch(F, x):
    return F.contrib.cond(F.np.sum(x) > 100, lambda: F.np.exp(x), lambda: F.np.cumsum(x, axis=0))


def repetition(F, x):
    outputs, variables = F.contrib.while_loop(lambda i, s: F.np.sum(i) < 2, lambda i, s: (s + i, [i + 1, F.np.sqrt(s)]),
                                              [F.np.zeros((1,)), x], max_iterations=3)
    return outputs, variables[1]


@pytest.mark.parametrize("function", [loop, branch, repetition])
def test_loops_and_branches(function):
    graph, plain = (run(function, [X[0] / 5], hybridized) for hybridized in (True, False))
    for x, y in zip(graph, plain, strict=True):
        onp.testing.assert_allclose(x, y, 1e-6)


# name: (function of F, mean, standard deviation)
DRAWS = {
    "uniform": (lambda F: F.np.random.uniform(1, 3, 4000), 2, 0.577),
    "rand": (lambda F: F.np.random.rand(40, 100), 0.5, 0.289),
    "normal": (lambda F: F.np.random.normal(1, 2, (4000,)), 1, 2), "randn": (lambda F: F.np.random.randn(4000), 0, 1),
    "randint": (lambda F: F.np.random.randint(0, 5, 4000), 2, 1.414),
    "exponential": (lambda F: F.np.random.exponential(2, 4000), 2, 2),
    "gamma": (lambda F: F.np.random.gamma(3, 2, 4000), 6, 3.464),
    "beta": (lambda F: F.np.random.beta(2, 3, 4000), 0.4, 0.2),
    "chisquare": (lambda F: F.np.random.chisquare(3, 4000), 3, 2.449),
    "gumbel": (lambda F: F.np.random.gumbel(1, 2, 4000), 2.154, 2.565),
    "logistic": (lambda F: F.np.random.logistic(1, 1, 4000), 1, 1.814),
    "laplace": (lambda F: F.np.random.laplace(1, 2, 4000), 1, 2.828),
    "lognormal": (lambda F: F.np.random.lognormal(0, 0.5, 4000), 1.133, 0.604),
    "pareto": (lambda F: F.np.random.pareto(5, 4000), 0.25, 0.3227),
    "power": (lambda F: F.np.random.power(2, 4000), 0.667, 0.236),
    "rayleigh": (lambda F: F.np.random.rayleigh(2, 4000), 2.507, 1.31),
    "weibull": (lambda F: F.np.random.weibull(2, 4000), 0.886, 0.463),
    "choice": (lambda F: F.np.random.choice(5, 4000), 2, 1.414),
    "bernoulli": (lambda F: F.npx.random.bernoulli(0.3, size=4000), 0.3, 0.458),
    "uniform_n": (lambda F: F.npx.random.uniform_n(1, 3, batch_shape=(4000,)), 2, 0.577),
    "normal_n": (lambda F: F.npx.random.normal_n(1, 2, batch_shape=(4000,)), 1, 2),
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws_in_graphs(name):
    function, mean, deviation = DRAWS[name]
    net = Called(lambda F, x: function(F) + 0 * x)
    net.hybridize()
    mx.random.seed(3)
    first, second = net(np.zeros(1)).asnumpy(), net(np.zeros(1)).asnumpy()
    mx.random.seed(3)
    onp.testing.assert_array_equal(net(np.zeros(1)).asnumpy(), first)
    mx.random.seed(3)
    onp.testing.assert_array_equal(Called(lambda F, x: function(F) + 0 * x)(np.zeros(1)).asnumpy(), first)
    assert (first != second).any()
    assert abs(first.mean() - mean) < 0.15 * deviation
    assert abs(first.std() / deviation - 1) < 0.15


def test_parameters_of_draws_may_be_symbols():
    def draw(F, loc, p):
        random = F.np.random
        return (random.normal(loc, 0.01), random.uniform(loc, loc + 0.1), random.gamma(1000 * loc, 0.001),
        random.choice(3, 50, p=p),
                random.choice(3, 3, replace=False), random.multinomial(20, p), F.npx.random.bernoulli(prob=p),
                random.choice(loc, 5), random.permutation(loc), random.multivariate_normal(loc, 0.0001 * F.np.eye(3)))

    net = Called(draw)
    net.hybridize()
    loc, p = np.array([1.0, 2, 3]), np.array([0.0, 0.5, 0.5])
    normal, uniform, gamma, choice, chosen, counts, bits, part, order, joint = (y.asnumpy() for y in net(loc, p))
    for near in (normal, uniform - 0.05, gamma, joint):
        onp.testing.assert_allclose(near, [1, 2, 3], atol=0.5)
    assert set(choice) == {1, 2}
    assert sorted(chosen) == [0, 1, 2]
    assert counts.dtype == onp.int64
    assert (counts[0], counts.sum()) == (0, 20)
    assert bits[0] == 0
    assert set(part) <= {1, 2, 3}
    assert sorted(order) == [1, 2, 3]


def test_draws_have_gradients_for_their_parameters():
    net = Called(lambda F, loc, scale: F.np.random.normal(loc, scale))
    net.hybridize()
    loc, scale = np.zeros(500), np.ones(500)
    loc.attach_grad()
    scale.attach_grad()
    with autograd.record():
        y = net(loc, scale)
    y.backward()
    assert (loc.grad == 1).all()
    onp.testing.assert_allclose(scale.grad.asnumpy(), y.asnumpy(), rtol=1e-6)
