"""The arrays of `mx.np`: faces of NDArrays, with NumPy's shapes, types, indices and text."""

import gc
import pickle
import weakref

import numpy as onp
import pytest
from helpers.errors import message

import minigluon as mx
from minigluon import autograd, nd, np, npx

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def numpy_mode():
    npx.set_np()
    yield
    npx.reset_np()


def test_a_face_shares_memory_and_the_place_on_the_tape():
    x = np.array([1, 2])
    y = x.as_nd_ndarray()
    assert type(y) is nd.NDArray
    assert isinstance(x, nd.NDArray)
    y[0] = 7
    x += 1
    assert y.asnumpy().tolist() == x.asnumpy().tolist() == [8, 3]
    assert y.as_np_ndarray().as_nd_ndarray() is y
    x.attach_grad()
    with autograd.record():
        z = (x.as_nd_ndarray() * 2).as_np_ndarray() * x
    z.backward()
    assert x.grad.tolist() == [32, 12]
    assert type(x.grad) is np.ndarray


def test_mixtures_are_refused_in_words():
    x, y = np.ones(2), nd.ones((2,))
    words = ("expected arrays of mx.np, found NDArray. Convert it with x.as_np_ndarray(), which shares its memory, or "
             "the others with x.as_nd_ndarray().")
    assert message(TypeError, lambda: x + y) == f"add: {words}"
    assert message(TypeError, lambda: y + x) == f"add: {words}"
    assert message(TypeError, lambda: np.sum(y)) == f"np.sum: {words}"
    assert message(TypeError, lambda: npx.relu(y)) == f"npx.relu: {words}"
    assert message(TypeError, lambda: nd.dot(x, y)) == f"dot: {words}"
    assert message(TypeError, lambda: x + onp.ones(2)) == (
        "add: expected arrays of mx.np, found ndarray. Convert it with np.array(...).")
    for wrong in (None, [1, 2], "x"):
        assert issubclass(type(pytest.raises(TypeError, lambda other=wrong: x == other).value), mx.MXNetError)


def test_types_of_new_arrays():
    assert {np.array(v).dtype for v in (1, True, [1, 2], [True])} == {onp.dtype("float32")}
    assert np.array(onp.ones(1)).dtype == "float64"
    assert np.array([1], dtype=int).dtype == "int64"
    assert {a.dtype for a in (np.zeros(1), np.arange(3), np.full(1, 7), np.eye(2))} == {onp.dtype("float32")}
    assert np.asarray(np.ones(2)).dtype == "float32"


@pytest.mark.parametrize(("code", "expected", "dtype"), [
    ("i + f", [1.5, 3.5], "float32"), ("i / i", [1, 1], "float32"), ("i * 0.5", [0, 0], "int32"),
    ("i + 1.5", [2, 3], "int32"), ("7 / i", [7, 3.5], "float32"), ("i // 2", [0, 1], "int32"),
    ("i - l", [0, 0], "int64"), ("t + 1", [2, 1], "int64"), ("t + t", [True, False], "bool"),
    ("-t", [-1, 0], "int64"), ("~t", [False, True], "bool"), ("i > 1.5", [False, True], "bool"),
    ("np.sqrt(i)", [1, 1], "int32"), ("np.mean(i)", 1.5, "float32"), ("(i > 0).sum()", 2, "int64"),
    ("i ** 2", [1, 4], "int32"), ("h + f", [1.5, 2.5], "float32"), ("i & 1", [1, 0], "int32"),
    ("f.argmax()", 1, "int64"), ("divmod(i, 2)[1]", [1, 0], "int32"), ("abs(-f)", [.5, 1.5], "float32"),
])
def test_types_of_results(code, expected, dtype):
    names = {"np": np, "i": np.array([1, 2], dtype="int32"), "l": np.array([1, 2], dtype="int64"),
             "f": np.array([.5, 1.5]), "h": np.ones(2, dtype="float16"), "t": np.array([True, False], dtype=bool)}
    result = eval(code, names)
    assert (result.tolist(), result.dtype) == (expected, dtype)


KEYS = [0, -1, (0, 1), (0, 1, 2), (..., 0), (slice(None), None), (slice(None), slice(None, None, 2)), slice(1, None),
        [0, 1], ([0, 1], [2, 0]), (slice(None), [2, 0, 0]), (1, [0, 2]), ([0], [1], [2]), (), ..., None,
        onp.array([True, False]), (slice(None), onp.array([True, False, True])), (slice(None), slice(5, None)),
        (1, ..., 2)]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_indices(key):
    values = onp.arange(24, dtype="float32").reshape(2, 3, 4)
    x, ours = np.array(values), tuple(np.array(k, dtype=k.dtype) if isinstance(k, onp.ndarray) else k for k in (
        key if isinstance(key, tuple) else (key,)))
    ours = ours if isinstance(key, tuple) else ours[0]
    found, expected = x[ours], values[key]
    assert (found.shape, found.tolist()) == (expected.shape, expected.tolist())
    x.attach_grad()
    with autograd.record():
        y = x[ours]
    assert (type(y), y.shape) == (np.ndarray, expected.shape)
    y.backward()
    count = onp.zeros_like(values)
    onp.add.at(count, key, 1)
    assert x.grad.tolist() == count.tolist()
    x[ours] = 5
    values[key] = 5
    assert x.tolist() == values.tolist()


def test_numbers_rows_and_text():
    x = np.array([[1, 2], [3, 4]])
    s = x.sum()
    assert (s.shape, float(s), int(s), bool(s), s.item(), x.item(1, 0)) == ((), 10, 10, True, 10, 3)
    assert [row.tolist() for row in x] == x.tolist()
    assert (3 in x, 7 in x) == (True, False)
    assert message(TypeError, lambda: len(s)) == "len() of unsized object"
    assert message(ValueError, lambda: bool(x)).startswith("The truth value of an ndarray with multiple elements")
    assert (repr(x[0]), str(s), f"{s:.2f}") == ("array([1., 2.])", "10.0", "10.00")
    assert repr(np.zeros((0, 2), dtype="int32")) == "array([], shape=(0, 2), dtype=int32)"
    assert repr(np.zeros((0, 2), dtype="float64")) == "array([], shape=(0, 2), dtype=float64)"
    assert repr(np.zeros((0, 2))) == "array([], shape=(0, 2))"
    assert repr(np.zeros(0, "float16")) == "array([], dtype=float16)"
    assert repr(np.array([True], dtype=bool)) == "array([ True])"


def test_copies_pickles_and_numpys_functions():
    x = np.array([[1, 4], [9, 16]])
    again = pickle.loads(pickle.dumps(x))
    assert (type(again), again.tolist()) == (np.ndarray, x.tolist())
    for result in (onp.sqrt(x), onp.concatenate([x, x]), onp.mean(x), onp.linalg.norm(x), onp.float64(2) * x):
        assert type(result) is np.ndarray
    assert type(onp.asarray(x)) is onp.ndarray
    assert message(AttributeError, lambda: x.exp).startswith("an array of mx.np has no attribute 'exp'")
    x.attach_grad()
    with autograd.record():
        kind = type(pytest.raises(mx.MXNetError, np.nanmedian, x).value)
    assert kind is mx.base.AutogradError
    assert np.median(x).item() == 6.5


def test_writes_into_arrays():
    i = np.array([1, 2], dtype="int32")
    i *= 2
    assert i.tolist() == [2, 4]
    assert "float32 cannot be written into an array of dtype int32" in message(TypeError, lambda: i.__itruediv__(2))
    out = np.empty(2)
    assert np.exp(np.zeros(2), out=out) is out
    x = np.ones(2)
    x.attach_grad()
    with autograd.record():
        y = np.zeros(2)
        y[:] = x * 2
        assert "inside autograd.record()" in message(mx.MXNetError, lambda: x.__iadd__(1))
    y.backward()
    assert x.grad.tolist() == [2, 2]


def test_files(tmp_path):
    file = str(tmp_path / "a.params")
    npx.save(file, {"a": np.array(3), "b": np.zeros((0, 2), dtype="int64")})
    found = npx.load(file)
    assert {name: (x.shape, str(x.dtype)) for name, x in found.items()} == {
        "a": ((), "float32"), "b": ((0, 2), "int64")}
    npx.reset_np()
    assert message(ValueError, npx.load, file) == "npx.load: call npx.set_np() first; nd.load returns NDArrays"


def test_a_step_leaves_no_cycles():
    x = np.array([0.5, 1])
    x.attach_grad()

    class Doubled(autograd.Function):
        def forward(self, x):
            return 2 * x

        def backward(self, dy):
            assert type(dy) is np.ndarray
            return 2 * dy

    def step():
        with autograd.record():
            h = np.exp(x[:1] * x) + np.dot(x, x)
            y = Doubled()(h).sum()
        y.backward()
        return weakref.ref(h), weakref.ref(y)

    gc.collect()
    gc.disable()
    try:
        step()
        assert [reference() for reference in step()] == [None, None]
    finally:
        gc.enable()


def test_reshape_with_codes():
    x = np.ones((2, 3, 4, 5))
    for codes, shape in [((-2, -2, 20), (2, 3, 20)), ((-4,), (2, 3, 4, 5)), ((-5, 4, 5), (6, 4, 5)),
                         ((-6, 1, 2, -4), (1, 2, 3, 4, 5)), ((-6, -1, 2, -4), (1, 2, 3, 4, 5)),
                         ((2, -1, 5), (2, 12, 5))]:
        assert npx.reshape(x, codes).shape == shape
    assert npx.reshape(np.ones((1, 2, 3)), (-3, -4)).shape == (2, 3)
    assert message(ValueError, npx.reshape, x, (-3, 3, 4, 5)) == (
        "npx.reshape: -3 drops a length of 1, found 2 in (2, 3, 4, 5)")


def test_random_draws_repeat_and_have_numpys_shapes():
    mx.random.seed(3)
    first = np.random.normal(size=(2, 3))
    np.random.seed(3)
    assert (np.random.normal(size=(2, 3)) == first).all()
    assert (np.random.uniform().shape, np.random.normal(np.zeros(2), np.ones((3, 1))).shape) == ((), (3, 2))
    assert (np.random.randint(5, size=3).dtype, np.random.choice(5, 3).shape) == (onp.dtype("int64"), (3,))
    x = np.arange(5)
    np.random.shuffle(x)
    assert sorted(x.tolist()) == [0, 1, 2, 3, 4]
    for name in ("beta", "gamma", "exponential", "laplace", "weibull"):
        args = (1., 2.)[:2 if name == "beta" else 1]
        assert getattr(np.random, name)(*args, size=4).shape == (4,)


def test_where_of_a_condition():
    places = np.where(np.array([[0, 1], [2, 0]]) > 0)
    assert [(x.dtype, x.tolist()) for x in places] == [(onp.dtype("int64"), [0, 1]), (onp.dtype("int64"), [1, 0])]
    assert message(TypeError, np.where, np.ones(2), np.ones(2)).startswith("np.where: expected x and y, or neither")


def test_draws_have_gradients_for_their_parameters():
    """As in MXNet 1.9.1; both operands of the draws may be arrays."""
    scale = np.array([1.0, 2.0])
    for name, own in (("exponential", (scale,)), ("rayleigh", (scale,)), ("normal", (0, scale)),
                      ("laplace", (np.zeros(2, dtype="float64"), scale))):
        scale.attach_grad()
        with autograd.record():
            drawn = getattr(np.random, name)(*own, size=(5, 2))
        drawn.backward()
        assert onp.allclose((drawn / scale).sum(0).asnumpy(), scale.grad.asnumpy(), rtol=1e-4)


def test_a_bool_as_an_index_adds_an_axis():
    """As an integer, True would be 1."""
    host = onp.arange(12.0).reshape(4, 3)
    x = np.array(host)
    for key in (True, False, onp.True_, onp.False_, np.array(True, dtype="bool")):
        plain = key.asnumpy() if isinstance(key, np.ndarray) else key
        assert x[key].asnumpy().tolist() == host[plain].tolist()
        assert x[key].shape == host[plain].shape
        y, written = x.copy(), host.copy()
        y[key], written[plain] = 5, 5
        assert y.tolist() == written.tolist()
    x.attach_grad()
    with autograd.record():
        (x[True] * 2).backward()
    assert x.grad.tolist() == onp.full((4, 3), 2).tolist()


def test_the_format_of_an_array_without_axes_is_that_of_its_element():
    for host in (onp.float32(0.1), onp.int32(3), onp.bool_(True), onp.float64(1e-8)):
        x = np.array(host)
        assert f"{x}" == f"{onp.array(host)}" == f"{host.item()}"
    assert f"{np.array(0.1)}, {np.array(0.1):.2f}, {np.array([0.1])}" == "0.10000000149011612, 0.10, [0.1]"


def test_a_number_in_place_of_an_array_is_named():
    words = "expected arrays of mx.np, found int. Convert it with np.array(...)."
    assert message(TypeError, lambda: np.dot(np.ones((2, 2)), 2)) == f"np.dot: {words}"
    assert message(TypeError, lambda: np.matmul(np.ones((2, 2)), 2)) == f"np.matmul: {words}"


def test_equal_parts_are_the_results_of_one_operator():
    host = onp.arange(24.0).reshape(4, 6)
    x = np.array(host)
    x.attach_grad()
    for _ in range(20):                 # the row, and then the plan
        with autograd.record():
            parts = np.split(x, 3, axis=1)
            total = (parts[0] * 2).sum() + parts[2].sum()
        total.backward()
        assert type(parts) is list
        assert [p.tolist() for p in parts] == [p.tolist() for p in onp.split(host, 3, axis=1)]
        assert parts[0].entry is parts[1].entry
        assert x.grad.tolist() == [[2, 2, 0, 0, 1, 1]] * 4
        assert [p.shape for p in np.array_split(x, 4, axis=1)] == [(4, 2), (4, 2), (4, 1), (4, 1)]


def test_an_axis_that_is_given_twice():
    x = np.ones((2, 3))
    for name in ("sum", "prod", "max", "mean", "all", "std"):
        assert issubclass(pytest.raises(ValueError, lambda name=name: getattr(np, name)(x, axis=(0, -2))).type,
                          mx.MXNetError)
    assert message(ValueError, lambda: x.sum(axis=(0, 0))) == "np.sum: axis (0, 0) contains an axis twice"


def test_the_product_in_place():
    x = np.array([[1, 2], [3, 4]])
    y = x
    y @= np.array([[0, 1], [1, 0]])
    assert y is x
    assert x.tolist() == [[2, 1], [4, 3]]


def test_a_view_in_another_shape():
    x = np.arange(6)
    view = x.reshape_view((2, -1))
    view[1, 0] = 9
    assert (type(view), view.shape, x.tolist()) == (np.ndarray, (2, 3), [0, 1, 2, 9, 4, 5])
    x.attach_grad()
    with autograd.record():
        y = (x.reshape_view(3, 2) * 2).sum()
    y.backward()
    assert x.grad.tolist() == [2] * 6


def test_functions_of_two_numbers():
    assert (np.add(1, 2), np.maximum(1, 2.5), np.less(1, 2), np.divide(1, 2)) == (3, 2.5, True, 0.5)
    assert message(TypeError, lambda: np.add([1], 2)) == (
        "np.add: expected an array of mx.np, found list [1]. Convert it with np.array(...).")


def test_an_empty_array_of_booleans_names_its_type():
    assert repr(np.zeros((0, 2)) > 1) == "array([], shape=(0, 2), dtype=bool)"
    assert (repr(np.zeros(0)), repr(np.ones(2) > 1)) == ("array([])", "array([False, False])")
