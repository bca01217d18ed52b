"""NDArray as an object: how arrays are made, printed, copied, moved, reshaped and shared with other libraries."""

import copy
import pickle

import numpy as np
import pytest

import minigluon as mx
from minigluon import nd
from minigluon.base import ArgumentError, ContextError, DTypeError, MXNetError, ShapeError
from minigluon.common.dtypes import CODES
from minigluon.ndarray.ndarray import WRITES
from minigluon.ndarray.writers import count_writes

DTYPES = [d.name for d in CODES]


def check(x, expected, dtype="float32", ctx=None):
    assert isinstance(x, nd.NDArray)
    assert x.dtype is np.dtype(dtype).type
    assert x.context == (ctx or mx.cpu())
    expected = np.asarray(expected)
    assert x.shape == expected.shape
    np.testing.assert_array_equal(x.asnumpy(), expected.astype(dtype))


# -- making -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("source", "dtype"), [
    ([1, 2], "float32"), ([[1.5, 2], [3, 4]], "float32"), (3, "float32"), ([True, False], "float32"), ([], "float32"),
    ([[], []], "float32"), (np.arange(3), "float32"), (np.arange(3, dtype=np.uint8), "float32"),
    (np.float64(2.5), "float32"), (np.arange(6).reshape(2, 3).T, "float32"), (np.array([True]), "float32"),
    (np.arange(3, dtype=np.uint16), "float32"),
])
def test_array(source, dtype):
    check(nd.array(source), source, dtype)


@pytest.mark.parametrize(("how", "dtype", "numbers"), [
    ((0.9, 6, 1.7), "int32", [0, 1, 2]), ((10, 2, -1.5), "int64", [10, 9, 8, 7, 6, 5]),
    ((0, 5, 0.5), "int32", [0] * 10), ((-1.5, 3), "uint8", [255, 0, 1, 2, 3]),
    ((0.9, 6, 1.7, 2), "int32", [0, 0, 1, 1, 2, 2]), ((2 ** 60, 2 ** 60 + 2), "int64", [2 ** 60, 2 ** 60 + 1]),
])
def test_arange_of_integers(how, dtype, numbers):
    """Start and step are cut off; the count is that of the numbers as they are given."""
    check(nd.arange(*how, dtype=dtype), numbers, dtype)
    named = dict(zip(("start", "stop", "step", "repeat"), how, strict=False))
    if how[0] < 2 ** 53:
        check(mx.sym.arange(**named, dtype=dtype).bind(mx.cpu(), {}).forward()[0], numbers, dtype)


def test_array_of_arrays():
    a = nd.array([1, 2], dtype="int32")
    check(nd.array(a), [1, 2], "int32")         # an NDArray keeps its dtype, all else becomes float32
    check(nd.array(a, dtype="float16", ctx=mx.cpu(1)), [1, 2], "float16", mx.cpu(1))
    check(nd.array([a, a]), [[1, 2], [1, 2]])
    b = nd.array(a)
    b[:] = 0
    check(a, [1, 2], "int32")


@pytest.mark.parametrize("dtype", DTYPES)
def test_all_dtypes(dtype):
    check(nd.array([0, 1, 1], dtype=dtype), [0, 1, 1], dtype)
    check(nd.zeros((2, 3), dtype=dtype), np.zeros((2, 3)), dtype)
    check(nd.ones(3, dtype=np.dtype(dtype)), np.ones(3), dtype)
    check(nd.full((2,), 1, dtype=np.dtype(dtype).type), np.ones(2), dtype)
    assert nd.empty((2, 0), dtype=dtype).dtype is np.dtype(dtype).type


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0, 4), 0])
def test_zero_size(shape):
    x = nd.zeros(shape)
    expected = np.zeros(shape)
    check(x, expected)
    check(x + 1, expected)
    assert x.size == 0
    check(x.reshape(-1), np.zeros(0))


def test_full_and_out():
    check(nd.full((2,), 7.9, dtype="int32"), [7, 7], "int32")
    x = nd.zeros((2, 2))
    assert nd.full((2, 2), 3, out=x) is x
    check(x, np.full((2, 2), 3))
    assert nd.ones((2, 2), out=x) is x
    check(x, np.ones((2, 2)))


@pytest.mark.parametrize(("args", "kwargs", "expected"), [
    ((5,), {}, [0, 1, 2, 3, 4]), ((1, 5, 2), {"repeat": 2}, [1, 1, 3, 3]), ((5, None), {}, [0, 1, 2, 3, 4]),
    ((1, 5), {"infer_range": True}, [1, 2, 3, 4]), ((3, 0, -1), {}, [3, 2, 1]), ((0,), {}, []),
    ((0, 1, 0.25), {}, [0, 0.25, 0.5, 0.75]), ((1, 5, 2), {"dtype": "int32"}, [1, 3]),
])
def test_arange(args, kwargs, expected):
    check(nd.arange(*args, **kwargs), expected, kwargs.get("dtype", "float32"))


def test_linspace_and_eye():
    check(nd.linspace(0, 1, 5), [0, 0.25, 0.5, 0.75, 1])
    check(nd.linspace(0, 1, 4, endpoint=False, dtype="float64"), [0, 0.25, 0.5, 0.75], "float64")
    check(nd.eye(3), np.eye(3))
    check(nd.eye(3, 2, 1), np.eye(3, 2, 1))
    check(nd.eye(3, k=-1, M=4, dtype="int8", ctx=mx.cpu(2)), np.eye(3, 4, -1), "int8", mx.cpu(2))
    filled = nd.zeros((2, 3), dtype="int32")
    assert nd.eye(2, 3, out=filled) is filled
    check(filled, np.eye(2, 3), "int32")


def test_ctx_of_with_is_the_default():
    with mx.cpu(3):
        for x in (nd.zeros(1), nd.arange(2), nd.array([1]), nd.empty(1), nd.eye(1), nd.linspace(0, 1, 2)):
            assert x.context == mx.cpu(3)


def test_moveaxis():
    x = np.arange(24).reshape(2, 3, 4)
    for source, destination in [(0, -1), (-1, 0), ((0, 1), (1, 2)), ((0, 1, 2), (2, 0, 1)), ((2,), (0,))]:
        check(nd.moveaxis(nd.array(x), source, destination), np.moveaxis(x, source, destination))


def test_concatenate_split_onehot_histogram():
    a, b = nd.array([[1, 2]]), nd.array([[3, 4], [5, 6]])
    check(nd.concatenate([a, b]), [[1, 2], [3, 4], [5, 6]])
    check(nd.concatenate([a, a], axis=1), [[1, 2, 1, 2]])
    assert nd.concatenate([a], always_copy=False) is a
    for cut, expected in [(3, [[0, 1], [2, 3], [4, 5]]), ((1, 3), [[0], [1, 2], [3, 4, 5]])]:
        for part, values in zip(nd.split_v2(nd.arange(6), cut), expected, strict=True):
            check(part, values)
    parts = nd.split_v2(nd.array(np.eye(2)), 2, axis=1, squeeze_axis=True)
    check(parts[0], [1, 0])
    check(parts[1], [0, 1])
    out = nd.zeros((2, 3))
    assert nd.onehot_encode(nd.array([0, 2]), out) is out
    check(out, [[1, 0, 0], [0, 0, 1]])
    both = nd.histogram(nd.arange(5), bins=2)
    assert type(both) is list
    counts, edges = both
    check(counts, [2, 3])
    check(edges, [0, 2, 4])
    counts, edges = nd.histogram(nd.arange(4, dtype="int32"), bins=2)
    check(counts, [2, 2])
    check(edges, [0, 1.5, 3])
    counts, edges = nd.histogram(nd.arange(5), bins=nd.array([0, 1, 5]))
    check(counts, [1, 4], "int64")
    check(edges, [0, 1, 5])


@pytest.mark.parametrize(("name", "dtype"), [("float", "float64"), ("double", "float64"), ("int", "int64"),
                                             ("half", "float16"), ("f4", "float32"), (float, "float64")])
def test_other_names_of_element_types(name, dtype):
    """What MXNet passes on to NumPy: old programs write x.astype('int')."""
    check(nd.array([1, 2], dtype=name), [1, 2], dtype)
    check(nd.zeros((2,), dtype=name), [0, 0], dtype)
    check(nd.array([1, 2]).astype(name), [1, 2], dtype)
    check(nd.one_hot(nd.array([1]), 2, dtype=name), [[0, 1]], dtype)
    written = [mx.sym.cast(mx.sym.var("x"), dtype=text, name="y").tojson() for text in (name, dtype)]
    assert written[0] == written[1]


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy 1 wraps integers round")
def test_integers_out_of_range():
    with pytest.raises(ArgumentError) as caught:
        nd.array([1, 300], dtype="uint8")
    assert str(caught.value) == ("array: Python integer 300 out of bounds for uint8. Give a wider dtype, or numbers in "
                                 "its range.")


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda: nd.array("abc"), DTypeError, "array: cannot make an array of float32 from 'abc'. Expected numbers in "
     "nested lists of equal lengths, or a numpy.ndarray."),
    (lambda: nd.array([[1, 2], [3]]), DTypeError, "array: cannot make an array of float32 from [[1, 2], [3]]. Expected "
     "numbers in nested lists of equal lengths, or a numpy.ndarray."),
    (lambda: nd.ones((2, 3)).reshape((4, 2)), ValueError, "Reshape: data (2, 3) has 6 elements, but shape=(4, 2) asks "
     "for (4, 2), which has 8\n  inputs: data (2, 3) float32\n  attributes: shape=(4, 2), reverse=False, "
     "target_shape=(), keep_highest=False\n  remedy: shape=(-1, 2) has 6 elements; -1 stands for the length that "
     "follows"),
    (lambda: nd.array([1], dtype="complex64"), DTypeError, "unknown dtype 'complex64'; expected one of float32, "
     "float64, float16, uint8, int32, int8, int64, bool."),
    (lambda: nd.zeros((2,), dtype="flaot32"), DTypeError, "unknown dtype 'flaot32'; expected one of float32, float64, "
     "float16, uint8, int32, int8, int64, bool. Did you mean 'float32'?"),
    (lambda: nd.zeros("ab"), MXNetError, "shape is 'ab', expected an integer or a tuple of integers"),
    (lambda: nd.zeros((2.5, 3)), MXNetError, "shape is (2.5, 3), expected an integer or a tuple of integers"),
    (lambda: nd.eye(2, out=nd.zeros((3, 3))), MXNetError, "_eye: out has shape (3, 3), but the result has shape (2, "
     "2)"),
    (lambda: nd.eye(2, size=3), MXNetError, "_eye: unknown attribute 'size'; it has N, M, k, ctx, dtype."),
    (lambda: nd.zeros((2, 3)).transpose(axis=(1, 0)), MXNetError, "transpose: unknown attribute 'axis'; it has axes. "
     "Did you mean 'axes'?"),
    (lambda: nd.ones((1,)).copyto(nd.zeros((3,))), ShapeError, "copyto: an array of shape (1,) cannot be copied to one "
     "of shape (3,); the shapes must be equal. other[:] = x broadcasts."),
    (lambda: nd.zeros((2, -1)), ShapeError, "shape (2, -1) has a negative length"),
    (lambda: nd.arange(0, 1, 0), MXNetError, "arange: step must not be 0"),
    (lambda: nd.moveaxis(nd.zeros((2, 3)), 2, 0), ShapeError, "moveaxis: axis 2 is out of range for 2 dimensions"),
    (lambda: nd.moveaxis(nd.zeros((2, 3)), (0, 1), 0), MXNetError, "moveaxis: 2 axes to move, but 1 positions"),
    (lambda: nd.moveaxis(nd.zeros((2, 3)), (0, -2), (0, 1)), MXNetError, "moveaxis: an axis is named twice"),
    (lambda: nd.split_v2(nd.zeros((5,)), 2), ShapeError, "split_v2: axis 0 of length 5 cannot be split into 2 equal "
     "parts"),
    (lambda: nd.zeros((2,)).attach_grad(stype="rows"), MXNetError, "unknown storage type 'rows'; there are "
     "'default', 'row_sparse' and 'csr'"),
    (lambda: nd.zeros((2,)).tostype("csr"), ShapeError, "csr arrays have two axes, found shape (2,). 'row_sparse' "
     "arrays have any number."),
    (lambda: nd.zeros((2,)).asscalar(), MXNetError, "asscalar needs an array of one element, found shape (2,). "
     "Choose one, x[0], or reduce it, x.mean(); asnumpy() gives all."),
    (lambda: nd.zeros((2,)).copyto(3), MXNetError, "copyto needs an NDArray or a Context, found int"),
    (lambda: nd.sparse.nothing, AttributeError, "nd.sparse has no function 'nothing'."),
    (lambda: nd.contrib.nothing, AttributeError, "nd.contrib has no function 'nothing'."),
    (lambda: nd.zeros((2, 3)).reshape((7,)), ShapeError, "Reshape: data (2, 3) has 6 elements, but shape=(7,) asks for "
     "(7,), which has 7\n  inputs: data (2, 3) float32\n  attributes: shape=(7,), reverse=False, target_shape=(), "
     "keep_highest=False\n  remedy: the lengths must have the product 6; -1 stands for one that follows from the "
     "others"),
    (lambda: nd.zeros((2, 3)).reshape(), ShapeError, "reshape: no shape was given"),
    (lambda: nd.from_numpy([1]), MXNetError, "from_numpy needs a numpy.ndarray, found list. Use nd.array for lists."),
    (lambda: nd.from_numpy(np.zeros((2, 3), np.float32).T), ArgumentError, "from_numpy needs a C-contiguous array. Use "
     "numpy.ascontiguousarray(x), or nd.array(x)."),
    (lambda: nd.from_numpy(np.zeros(2, np.complex64)), DTypeError, "unknown dtype dtype('complex64'); expected one of "
     "float32, float64, float16, uint8, int32, int8, int64, bool."),
    (lambda: nd.moveaxis(nd.zeros((2, 3)), 0, 2), ShapeError, "moveaxis: axis 2 is out of range for 2 dimensions"),
    (lambda: nd.moveaxis(nd.zeros((2, 3)), (0, 0), (0, 1)), ArgumentError, "moveaxis: an axis is named twice"),
    (lambda: nd.moveaxis(nd.zeros((2, 3)), (0, 1), 1), ArgumentError, "moveaxis: 2 axes to move, but 1 positions"),
    (lambda: nd.from_dlpack(np.zeros((2, 3)).T), MXNetError, "from_dlpack needs C-contiguous memory, found strides "
     "(8, 24) for shape (3, 2). Make the array contiguous first."),
])
def test_message(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


def test_gpu_without_a_backend_says_what_to_install():
    from minigluon.backend import available
    if any("gpu" in b.device_types for b in available().values()):
        pytest.skip("an installed backend serves GPUs")
    for make in (lambda: nd.zeros((2,), ctx=mx.gpu()), lambda: nd.array([1], ctx=mx.gpu()),
                 lambda: nd.zeros((2,)).as_in_context(mx.gpu())):
        with pytest.raises(ContextError) as caught:
            make()
        assert str(caught.value) == (
            f"gpu(0) is not available: no installed backend serves 'gpu' (installed: {', '.join(available())}). "
            "Install one with: pip install ./minigluon_accel && python -m minigluon_accel.gpu.install, or use "
            "mx.cpu(). `minigluon info` says what is missing.")

    def try_gpu():
        try:
            ctx = mx.gpu()
            _ = nd.array([0], ctx=ctx)
        except mx.base.MXNetError:
            ctx = mx.cpu()
        return ctx
    assert try_gpu() == mx.cpu()


# -- printing: what MXNet 1.9.1 prints --------------------------------------------------------------------------------


@pytest.mark.parametrize(("x", "text"), [
    (nd.ones((1,)), "\n[1.]\n<NDArray 1 @cpu(0)>"),
    (nd.array(3), "\n3.0\n<NDArray  @cpu(0)>"),
    (nd.array([]), "\n[]\n<NDArray 0 @cpu(0)>"),
    (nd.array([[], []]), "\n[]\n<NDArray 2x0 @cpu(0)>"),
    (nd.ones((2, 2), dtype="int32"), "\n[[1 1]\n [1 1]]\n<NDArray 2x2 @cpu(0)>"),
    (nd.ones((2,), dtype="bool"), "\n[ True  True]\n<NDArray 2 @cpu(0)>"),
    (nd.array([1.5, float("nan"), float("inf")]), "\n[1.5 nan inf]\n<NDArray 3 @cpu(0)>"),
    (nd.arange(2000), "\n[0.000e+00 1.000e+00 2.000e+00 ... 1.997e+03 1.998e+03 1.999e+03]\n<NDArray 2000 @cpu(0)>"),
    (nd.ones((1, 1, 1, 1)), "\n[[[[1.]]]]\n<NDArray 1x1x1x1 @cpu(0)>"),
    (nd.ones((2,), ctx=mx.cpu(3)), "\n[1. 1.]\n<NDArray 2 @cpu(3)>"),
    (nd.zeros((1, 1), dtype="float16"), "\n[[0.]]\n<NDArray 1x1 @cpu(0)>"),
    (nd.array([1e10, 1e-10]), "\n[1.e+10 1.e-10]\n<NDArray 2 @cpu(0)>"),
    (nd.ones((2, 2, 2), dtype="uint8"), "\n[[[1 1]\n  [1 1]]\n\n [[1 1]\n  [1 1]]]\n<NDArray 2x2x2 @cpu(0)>"),
])
def test_repr(x, text):
    assert repr(x) == str(x) == text


# -- what it is ---------------------------------------------------------------------------------------------------


def test_attributes():
    x = nd.zeros((2, 3, 4))
    assert (x.shape, x.size, x.ndim, len(x), x.stype, x.grad) == ((2, 3, 4), 24, 3, 2, "default", None)
    assert x.ctx is x.context is mx.cpu()
    assert x.T.shape == (4, 3, 2)
    assert x.tostype("default") is x
    assert x.as_nd_ndarray() is x


def test_one_element():
    x = nd.array([[2.5]])
    assert x.asscalar() == 2.5
    assert isinstance(x.asscalar(), np.float32)
    assert isinstance(x.item(), float)
    assert (float(x), int(x), bool(x)) == (2.5, 2, True)
    assert ["a", "b", "c"][nd.array([1], dtype="int32")] == "b"
    with pytest.raises(TypeError, match="only an integer array of one element can be an index"):
        ["a"][nd.array([0])]
    with pytest.raises(ValueError, match="the truth value of an array of shape"):
        bool(nd.zeros((2,)))
    assert bool(nd.zeros((0, 2))) is False


def test_all_and_any_of_numpy():
    x = nd.array([[1, 0, np.nan], [2, 3, -1]])
    check(np.all(x), [0])
    check(np.any(x), [1])
    check(np.all(x, axis=1), [0, 1])
    check(np.any(nd.zeros((2, 256), dtype="int8"), axis=1, keepdims=True), [[0], [0]])
    check(np.all(nd.ones((2, 256), dtype="int8"), axis=1), [1, 1])
    check(np.all(nd.zeros((0, 2))), [1])
    check(np.any(nd.zeros((0, 2))), [0])
    out = nd.zeros((3,))
    assert np.any(x, axis=0, out=out) is out
    check(out, [1, 1, 1])


def test_to_numpy():
    x = nd.array([[1, 2], [3, 4]])
    a = x.asnumpy()
    a[:] = 0
    check(x, [[1, 2], [3, 4]])
    assert np.asarray(x).dtype == np.float32
    assert np.asarray(x, np.int64).tolist() == [[1, 2], [3, 4]]
    assert np.sum(x.asnumpy()) == 10


def test_copies_are_independent():
    x = nd.array([1, 2], ctx=mx.cpu(1), dtype="int8")
    for y in (x.copy(), copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), x.copyto(mx.cpu(1)),
              x.as_in_context(mx.cpu(2)).as_in_ctx(mx.cpu(1)), x.astype("int8"),
              x.copyto(nd.zeros((2,), mx.cpu(1), "int8"))):
        y[:] = 0
        assert (y.dtype, y.context) == (np.int8, mx.cpu(1))
    check(x, [1, 2], "int8", mx.cpu(1))
    assert x.as_in_context(mx.cpu(1)) is x
    assert x.astype("int8", copy=False) is x


def test_copyto_converts():
    y = nd.zeros((2,), mx.cpu(1), "int32")
    assert nd.array([1.9, -1.9]).copyto(y) is y
    check(y, [1, -1], "int32", mx.cpu(1))


# -- shapes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("args", "kwargs", "shape"), [
    ((6,), {}, (6,)), (((3, 2),), {}, (3, 2)), ((3, -1), {}, (3, 2)), ((), {"shape": (1, 6)}, (1, 6)),
    (((0, -1),), {}, (2, 3)), (((-2,),), {}, (2, 3)), (((-3,),), {}, (6,)), (((-4, 1, 2, 0),), {}, (1, 2, 3)),
    (((-1, 0),), {"reverse": True}, (2, 3)), (([1, 2, 3],), {}, (1, 2, 3)),
])
def test_reshape_shares_memory(args, kwargs, shape):
    x = nd.arange(6).reshape((2, 3))
    y = x.reshape(*args, **kwargs)
    check(y, np.arange(6).reshape(shape))
    y[:] = 9
    check(x, np.full((2, 3), 9))


def test_other_shapes_are_copies():
    x = nd.array(np.arange(6).reshape(1, 6))
    for y in (x.expand_dims(0), x.squeeze(), x.flatten(), x.T, x.transpose(), x.transpose(1, 0), x.transpose((1, 0)),
              x.broadcast_to((1, 6)), x.reshape_like(nd.zeros((6,)))):
        y[:] = -1
    check(x, [np.arange(6)])
    for y, shape in [(x.expand_dims(0, inplace=True), (1, 1, 6)), (x.squeeze(inplace=True), (6,)),
                     (x.flatten(inplace=True), (1, 6))]:
        assert y.shape == shape
        y += 1
    check(x, [np.arange(6) + 3])


def test_broadcast_to_adds_axes():
    check(nd.array([1, 2]).broadcast_to((3, 2)), [[1, 2]] * 3)
    check(nd.array([[1], [2]]).broadcast_to((2, 2)), [[1, 1], [2, 2]])


# -- shared memory ------------------------------------------------------------------------------------------------


def test_from_numpy_shares():
    a = np.arange(3, dtype=np.int64)
    x = nd.from_numpy(a)
    check(x, [0, 1, 2], "int64")
    x[:] = 7
    assert a.tolist() == [7, 7, 7]
    assert not a.flags.writeable
    b = np.ones(2, np.float32)
    y = nd.from_numpy(b, zero_copy=False)
    y[:] = 0
    assert b.tolist() == [1, 1]
    assert b.flags.writeable


def test_from_numpy_shares_what_is_read_only():
    a = np.arange(4.0)
    x = nd.from_numpy(a)
    y = nd.from_numpy(a)
    x[0], y[1] = 9, 8
    assert a.tolist() == x.asnumpy().tolist() == y.asnumpy().tolist() == [9, 8, 2, 3]
    assert not a.flags.writeable
    del a, x
    assert y.asnumpy().tolist() == [9, 8, 2, 3]
    check(nd.from_numpy(np.broadcast_to(np.float32(2), (1,))), [2])


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != "bool"])
def test_dlpack_with_numpy(dtype):
    x = nd.array([[1, 2], [3, 4]], dtype=dtype)
    a = np.from_dlpack(x)
    assert a.dtype == np.dtype(dtype)
    x[:] = 5
    assert (a == 5).all()
    source = np.array([[1, 2, 3]], dtype)
    y = nd.from_dlpack(source)
    y[:] = 6
    assert (source == 6).all()
    z = nd.from_dlpack(x)
    z[:] = 8
    check(x, [[8, 8], [8, 8]], dtype)


def test_dlpack_capsules():
    x = nd.array([1, 2, 3])
    for capsule in (x.to_dlpack_for_read(), nd.to_dlpack_for_read(x), nd.to_dlpack_for_write(x)):
        assert type(capsule).__name__ == "PyCapsule"
        y = nd.from_dlpack(capsule)
        y += 1
        del capsule
    check(x, [4, 5, 6])
    before = x._version
    x.to_dlpack_for_write()
    assert x._version == before + 1      # the tape sees that it may have been written
    check(nd.from_dlpack(nd.zeros((0, 3))), np.zeros((0, 3)))


def test_dlpack_keeps_the_memory_alive():
    y = nd.from_dlpack(np.full(100_000, 3, np.float32))
    np.full(100_000, 4, np.float32)
    check(y, np.full(100_000, 3))


def test_dlpack_with_torch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    x = nd.array([[1, 2], [3, 4]])
    t = torch.from_dlpack(x)
    t[0, 0] = 9
    assert x.asnumpy()[0, 0] == 9
    y = nd.from_dlpack(t)
    y[:] = 2
    assert t.sum() == 8
    z = nd.from_dlpack(torch.utils.dlpack.to_dlpack(torch.arange(3)))
    check(z, [0, 1, 2], "int64")
    assert torch.utils.dlpack.from_dlpack(x.to_dlpack_for_write()).tolist() == [[2, 2], [2, 2]]


def test_slice_assign():
    x = nd.ones((2, 3))
    check(x.slice_assign(nd.zeros((1, 3)), (0, 0), (1, 3), (1, 1)), [[0, 0, 0], [1, 1, 1]])
    check(x.slice_assign_scalar(7, (0, 0), (1, 3), (1, 1)), [[7, 7, 7], [1, 1, 1]])
    check(x, np.ones((2, 3)))
    check(nd.arange(4).split_v2(2)[1], [2, 3])


def test_all_methods_of_mxnet_exist():
    from minigluon.ndarray.methods import LEFT_OUT, METHODS
    missing = [name for name in METHODS if not hasattr(nd.NDArray, name)]
    assert missing == []
    assert not [name for name in LEFT_OUT if hasattr(nd.NDArray, name)]


def test_creation_knows_its_arguments():
    assert nd.zeros((2,), None, "int32", "default").dtype == np.int32
    assert nd.power(base=nd.array([2]), exp=3).asscalar() == 8
    out = nd.zeros((2,))
    assert nd.ones((2,), out=out) is out
    for create in (nd.zeros, nd.empty):
        assert create((2, 2), stype="csr").stype == "csr"
    with pytest.raises(TypeError):
        nd.zeros((2, 2), typo=1)


@pytest.mark.parametrize("mistake", [lambda x: x.asscalar(), lambda x: x["a"], lambda x: x[1.0]])
def test_mistakes_that_programs_catch_as_value_errors(mistake):
    with pytest.raises(ValueError, match="element|cannot be indexed") as caught:
        mistake(nd.ones((2,)))
    assert isinstance(caught.value, MXNetError)


# -- large results go straight into out= ------------------------------------------------------------------------------

LARGE = (64, 100)


@pytest.mark.parametrize("shape", [(2, 3), LARGE])
def test_out_that_shares_memory_with_an_input(shape):
    """Small results are copied into out, large ones written there; no one can tell from the values."""
    start = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    rows = nd.array(np.concatenate([start, start + 1]))
    shifted = rows[1:shape[0] + 1]
    nd.elemwise_add(rows[:shape[0]], shifted, out=shifted)
    both = np.concatenate([start, start + 1])
    both[1:shape[0] + 1] = both[:shape[0]] + both[1:shape[0] + 1]
    np.testing.assert_array_equal(rows.asnumpy(), both)


@pytest.mark.parametrize("shape", [(2, 3), LARGE])
def test_out_of_another_dtype(shape):
    x = nd.array(np.arange(np.prod(shape)).reshape(shape))
    wide = nd.zeros(shape, dtype="float64")
    assert nd.square(x, out=wide) is wide
    assert wide.dtype == np.float64
    np.testing.assert_array_equal(wide.asnumpy(), x.asnumpy() ** 2)


@pytest.mark.parametrize("shape", [(2, 3), LARGE])
def test_out_counts_as_a_write(shape):
    x, y = nd.ones(shape), nd.ones(shape)
    x.attach_grad()
    with mx.autograd.record():
        z = (x * y).sum()
    nd.elemwise_add(y, y, out=y)
    with pytest.raises(mx.base.WrittenInPlaceError):
        z.backward()


@pytest.mark.parametrize("shape", [(2, 3), LARGE])
def test_out_of_another_shape_is_refused(shape):
    with pytest.raises(mx.MXNetError, match="out has shape"):
        nd.square(nd.ones(shape), out=nd.ones((1, *shape)))


def test_a_step_of_an_optimizer_writes_weight_and_state_in_place():
    weight, grad, mom = (nd.random.normal(shape=LARGE) for _ in range(3))
    expected = nd.sgd_mom_update(weight, grad, mom.copy(), lr=0.1, momentum=0.9, wd=0.01)
    moved = mom.copy()
    nd.sgd_mom_update(weight.copy(), grad, moved, lr=0.1, momentum=0.9, wd=0.01)
    memory = weight.buffer, mom.buffer
    assert nd.sgd_mom_update(weight, grad, mom, out=weight, lr=0.1, momentum=0.9, wd=0.01) is weight
    assert weight.buffer is memory[0]
    assert mom.buffer is memory[1]
    np.testing.assert_array_equal(weight.asnumpy(), expected.asnumpy())
    np.testing.assert_array_equal(mom.asnumpy(), moved.asnumpy())


def test_out_is_written_whole_or_not_at_all():
    fits, other = nd.zeros((2, 2)), nd.zeros((2, 3))
    with pytest.raises(mx.MXNetError, match="out has shape"):
        nd.split(nd.ones((2, 4)), num_outputs=2, out=[fits, other])
    assert not fits.asnumpy().any()


def test_older_names_of_writing_a_box():
    x = nd.zeros((2, 3))
    check(nd._internal._crop_assign(x, nd.ones((1, 2)), begin=(0, 0), end=(1, 2)), [[1, 1, 0], [0, 0, 0]])
    check(nd._internal._crop_assign_scalar(x, scalar=4, begin=(0, 0), end=(1, 2)), [[4, 4, 0], [0, 0, 0]])


def test_the_state_of_an_array_is_its_record():
    """The bytes are those that real MXNet 1.9.1 gave. An array of a GPU comes to the CPU where there is none."""
    state = nd.array([1, 2]).__getstate__()
    record = (b"\xc9\xfa\x93\xf9\0\0\0\0\x01\0\0\0\x02\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0"
              b"\0\0\x80?\0\0\0@")
    assert state == {"handle": bytearray(record)}
    x = nd.zeros((3, 1), dtype="int8")
    x.__setstate__(state)
    check(x, [1, 2])
    x.__setstate__({"handle": bytearray(record[:20] + b"\x02\0\0\0\x63" + record[25:])})      # gpu(99)
    check(x, [1, 2])


@pytest.mark.parametrize("write", [lambda x: x[:1].__setitem__(0, 5), lambda x: x.__iadd__(1),
                                   lambda x: count_writes([x]), lambda x: nd.relu(x, out=x),
                                   lambda x: x.__setitem__(nd.array([1]), 2)],
                         ids=["of_a_part", "in_place", "by_an_optimizer", "out", "at_indices"])
def test_a_write_is_seen_by_who_asks_for_any(write):
    x = nd.array([1, 2])
    write(x)                            # the second time the kernel is there
    before, version = WRITES.last, x._version
    write(x)
    assert WRITES.last != before
    assert x._version > version
