"""Matrix products on the GPU: sizes around those of tiles, all transposes and dtypes, parts of the depth, batches."""

import numpy as np
import pytest
from helpers import gpu_checks
from helpers.gpu_checks import Twin, agree, backend, bound, own_kernels
from helpers.numeric import numbers
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import cublas, launch
from minigluon_accel.gpu.buffer import Buffer
from minigluon_accel.gpu.compile import Runner, prepare
from minigluon_accel.gpu.kernels import gemm, gemm_library
from minigluon_accel.gpu.kernels.gemm import Matrix, product
from minigluon_accel.gpu.launch import In, Out, Scratch

from minigluon.base import MXNetError

dtypes = st.sampled_from(["float32", "float64", "int32", "int64", "uint8", "int8"])
flags = st.booleans()
# around the tiles of 32, 64 and 128, and the steps of the depth
sides = st.one_of(st.integers(0, 20), st.sampled_from([31, 32, 33, 63, 64, 65, 127, 129, 140]))
depths = st.one_of(st.integers(0, 20), st.sampled_from([31, 33, 64, 100]))


def factors(rows, columns, depth, transpose_a, transpose_b, dtype):
    return (numbers((depth, rows) if transpose_a else (rows, depth), dtype),
            numbers((columns, depth) if transpose_b else (depth, columns), dtype, 1))


@pytest.fixture
def many_processors(monkeypatch):
    """A device that wants many blocks, so that products are cut into parts."""
    monkeypatch.setattr(gemm, "processors", lambda device: 64)
    monkeypatch.setattr(gemm, "MIN_DEPTH", 8)


@settings(max_examples=25)
@given(sides, sides, depths, flags, flags, dtypes)
def test_dot(rows, columns, depth, transpose_a, transpose_b, dtype):
    a, b = factors(rows, columns, depth, transpose_a, transpose_b, dtype)
    agree("dot", a, b, transpose_a=transpose_a, transpose_b=transpose_b)


@settings(max_examples=12)
@given(sides, sides, depths, flags, flags, st.sampled_from(["float32", "float64"]))
def test_gradients_of_dot(rows, columns, depth, transpose_a, transpose_b, dtype):
    attrs = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    a, b = factors(rows, columns, depth, transpose_a, transpose_b, dtype)
    grad = numbers((rows, columns), dtype, 2)
    agree("_dot_lhs_grad", grad, a, b, **attrs)
    agree("_dot_rhs_grad", grad, a, b, **attrs)


@pytest.mark.parametrize(("lhs", "rhs", "attrs"), [
    ((3, 4, 5), (5, 6), {}), ((3, 4, 5), (5, 2, 6), {}), ((5,), (5,), {}), ((3, 5), (5,), {}), ((5,), (5, 3), {}),
    ((5, 3, 4), (6, 2, 5), {"transpose_a": True, "transpose_b": True}),
])
def test_dot_of_other_ranks(lhs, rhs, attrs):
    a, b = numbers(lhs, "float32"), numbers(rhs, "float32", 1)
    agree("dot", a, b, **attrs)
    grad = numbers(Twin(bound("dot", [a, b], attrs), [a, b]).outputs[0].shape, "float32", 2)
    if grad.ndim > 1 or a.ndim > 1:
        agree("_dot_lhs_grad", grad, a, b, **attrs)
        agree("_dot_rhs_grad", grad, a, b, **attrs)


@pytest.mark.parametrize(("rows", "columns", "depth"), [
    (3, 5, 7), (40, 20, 33), (16, 16, 16), (1, 70, 30), (90, 1, 40)])
def test_float16(rows, columns, depth):
    for transpose_a, transpose_b in (False, True), (True, False):
        a, b = factors(rows, columns, depth, transpose_a, transpose_b, "float16")
        agree("dot", a, b, transpose_a=transpose_a, transpose_b=transpose_b)


@settings(max_examples=15)
@given(sides, sides, depths, flags, dtypes)
def test_fully_connected(rows, columns, depth, no_bias, dtype):
    bias = [] if no_bias else [numbers(columns, dtype, 2)]
    data, weight = numbers((rows, depth), dtype), numbers((columns, depth), dtype, 1)
    agree("FullyConnected", data, weight, *bias, num_hidden=columns, no_bias=no_bias)


@pytest.mark.parametrize("flatten", [True, False])
def test_fully_connected_of_many_axes(flatten):
    data = numbers((3, 4, 5), "float32")
    weight, bias = numbers((7, 20 if flatten else 5), "float32", 1), numbers(7, "float32", 2)
    agree("FullyConnected", data, weight, bias, num_hidden=7, flatten=flatten)
    agree("_fully_connected", data, weight, flatten=flatten)
    grad = numbers((3, 7) if flatten else (3, 4, 7), "float32", 3)
    agree("_fully_connected_data_grad", grad, weight, data, flatten=flatten)
    agree("_fully_connected_weight_grad", grad, data, flatten=flatten)


@pytest.mark.parametrize(("rows", "columns"), [(1, 80), (80, 1), (20, 40)])
def test_nan_and_infinity_stay_where_they_belong(rows, columns):
    data, weight = numbers((rows, 37), "float32"), numbers((columns, 37), "float32", 1)
    bias = np.zeros(columns, "float32")
    data[0, 36], weight[-1, 0], bias[0] = np.nan, np.inf, -np.inf
    agree("FullyConnected", data, weight, bias, num_hidden=columns)
    agree("dot", data.T.copy(), weight.T.copy(), transpose_a=True)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_parts_of_the_depth(many_processors, dtype):
    for rows, columns, depth in (5, 7, 300), (70, 66, 129), (1, 10, 100):
        for transposes in (False, True), (True, False):
            a, b = factors(rows, columns, depth, *transposes, dtype)
            attrs = dict(zip(("transpose_a", "transpose_b"), transposes, strict=True))
            with own_kernels():
                assert len(agree("dot", a, b, **attrs)._prepare()[0].kernels) == 2


def test_more_than_one_grid(monkeypatch):
    monkeypatch.setattr(launch, "MAX_BLOCKS", 2)
    for rows, columns, transpose in (300, 1, False), (300, 1, True), (1, 300, False), (1, 300, True):
        a, b = factors(rows, columns, 20, transpose, transpose, "float32")
        agree("dot", a, b, transpose_a=transpose, transpose_b=transpose)


def test_arrays_so_large_that_places_take_64_bits(monkeypatch):
    monkeypatch.setattr(gemm, "INT_MAX", 0)
    monkeypatch.setattr(gemm, "MIN_DEPTH", 8)
    for rows, columns, depth in (40, 70, 33), (100, 1, 20), (3, 3, 100):
        agree("dot", *factors(rows, columns, depth, False, True, "float32"), transpose_b=True)


def numbers_type(rows, depth):
    """What kernels count in for a product of a matrix and a vector."""
    return gemm._number(rows, 1, depth, (1, 1), Matrix(In(0), depth, 1), Matrix(In(1), 1, depth), Matrix(Out(0), 1, 1))


def test_numbers_of_32_bits_do_not_wrap_behind_the_last_row():
    """A grid goes on in steps: the last one ends behind the rows, by as many as all its threads have."""
    step = launch.MAX_BLOCKS * 32               # of gemv_across, whose blocks have 32 rows
    assert numbers_type(2 ** 31 - 1 - step, 1) == "long long"
    assert numbers_type(2 ** 30, 1) == "int"


def test_more_tiles_than_a_grid_can_have(monkeypatch):
    monkeypatch.setattr(gemm, "MAX_GRID", 1)
    agree("dot", *factors(70, 200, 20, False, False, "float32"))


# -- the kernels themselves -------------------------------------------------------------------------------------------

def computed(work, *arrays, out):
    """The result of a Work on arrays, in memory that holds NaN before."""
    device = backend().device
    buffers = [gpu_checks.to_gpu(a) for a in (*arrays, out)]
    buffers += [device.memory.empty(spec.shape, spec.dtype) for spec in work.scratch]
    places = {In: 0, Out: len(arrays), Scratch: len(arrays) + 1}
    Runner(device, [prepare(device, one, places) for one in work.launches], len(buffers)).run(buffers)
    return buffers[len(arrays)].numpy()


@pytest.mark.parametrize("tiles", [
    gemm.BIG, gemm.MEDIUM, gemm.SMALL, gemm.FLAT, gemm.WIDE, gemm.WIDE_FLAT])
@pytest.mark.parametrize("splits", [1, 3])
def test_every_tile_is_the_twin(monkeypatch, tiles, splits):
    monkeypatch.setattr(gemm, "tiles_for", lambda *args: tiles)
    monkeypatch.setattr(gemm, "cut", lambda *args: (splits, 32 // tiles.depth * tiles.depth if splits > 1 else 70))
    (outer, inner), (rows, columns, depth) = (2, 3), (tiles.rows + 1, tiles.columns - 1, 70)
    dtype = "float64" if tiles in (gemm.WIDE, gemm.WIDE_FLAT) else "float32"
    # the inner axis of the batch lies between rows and columns
    a, b = numbers((outer, rows, inner, depth), dtype), numbers((outer, depth, inner, columns), dtype, 1)
    c = numbers((outer, rows, inner, columns), dtype, 2)
    how = [Matrix(operand, inner * n, 1, (m * inner * n, n)) for operand, m, n in (
        (In(0), rows, depth), (In(1), depth, columns), (Out(0), rows, columns))]
    results = [computed(product(dtype, rows, columns, depth, *how, backend().device, batches=(outer, inner),
                                added=In(2), by="matrix", alpha=-0.5, beta=2.0, relu=True, way=way),
                        a, b, c, out=np.full_like(c, np.nan)) for way in ("tiles", "plain")]
    np.testing.assert_allclose(*results, 1e-5, 1e-5)
    wanted = np.maximum(-0.5 * np.einsum("aibk,akbj->aibj", a, b) + 2 * c, 0)
    np.testing.assert_allclose(results[0], wanted, 1e-5, 1e-5)


@pytest.mark.parametrize(("dtype", "mma"), [("float16", 16), ("float32", 8)])
def test_tensor_cores_are_the_twin(monkeypatch, dtype, mma):
    """The emulated instruction, whose lanes hold fragments as NVIDIA documents. Whole numbers, so that all is exact."""
    for tiles, rows, columns in (gemm.Tiles(64, 64, 16, mma=mma), 70, 40), (gemm.Tiles(128, 128, 16, mma=mma), 50, 129):
        monkeypatch.setattr(gemm, "tiles_for", lambda *args, tiles=tiles: tiles)
        a, b = (numbers(shape, "int8", len(shape)).astype(dtype) % 9 for shape in ((rows, 33), (33, columns)))
        how = Matrix(In(0), 33, 1), Matrix(In(1), columns, 1), Matrix(Out(0), columns, 1)
        found = [computed(product(dtype, rows, columns, 33, *how, backend().device, way=way), a, b,
                          out=np.full((rows, columns), np.nan, dtype)) for way in ("tiles", "plain")]
        np.testing.assert_array_equal(*found)
        np.testing.assert_array_equal(found[0], a.astype("float64") @ b.astype("float64"))


def test_tf32_keeps_ten_bits(monkeypatch):
    monkeypatch.setenv("MINIGLUON_TF32", "1")
    a, b = np.full((16, 16), 1 + 2 ** -11, "float32"), np.eye(16, dtype="float32")
    tiles = gemm.tiles_for("float32", 16, 16, 16, 1, backend().device)
    if backend().device.capability < (8, 0):
        pytest.skip("the card has no tensor cores for tf32")
    assert tiles.mma == 8
    how = Matrix(In(0), 16, 1), Matrix(In(1), 16, 1), Matrix(Out(0), 16, 1)
    found = computed(product("float32", 16, 16, 16, *how, backend().device), a, b, out=np.zeros_like(a))
    np.testing.assert_array_equal(found, np.full_like(a, 1 + 2 ** -10))      # a tie goes away from 0


def test_the_same_bits_each_time(many_processors):
    a, b = factors(20, 30, 500, False, False, "float32")
    how = Matrix(In(0), 500, 1), Matrix(In(1), 30, 1), Matrix(Out(0), 30, 1)
    work = product("float32", 20, 30, 500, *how, backend().device)
    first, second = (computed(work, a, b, out=np.zeros((20, 30), "float32")) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(("how", "wanted"), [
    (("float32", 4096, 4096, 4096), gemm.BIG), (("float32", 64, 200704, 576), gemm.MEDIUM),      # ResNet's first stage
    (("float32", 20, 36864, 25), gemm.FLAT), (("float32", 64, 10, 128), gemm.SMALL),
    (("float64", 512, 512, 512), gemm.WIDE), (("float64", 6, 36864, 25), gemm.WIDE_FLAT),
    (("float16", 4096, 4096, 64), gemm.Tiles(128, 128, 16, mma=16)), (("float16", 64, 64, 8), gemm.SMALL)])
def test_tiles_follow_the_shape(monkeypatch, how, wanted):
    monkeypatch.setattr(gemm, "processors", lambda device: 108)

    class Card:
        capability = (8, 0)
    assert gemm.tiles_for(*how, 1, Card()) == wanted


def test_shapes_that_clash():
    with pytest.raises(MXNetError, match="the product runs over both, so they must be equal"):
        agree("dot", numbers((3, 4), "float32"), numbers((5, 6), "float32"))


# -- cuBLAS, of which a stand-in in NumPy is asked ---------------------------------------------------------------------

class StandIn:
    """What gemm.py asks of `cublas`, computed on the host. calls: what it was asked for."""

    def __init__(self):
        self.calls = []

    def available(self):
        return None

    def product(self, device, dtype, m, n, k, transpose_a, transpose_b, batch, strides):
        self.calls.append((m, n, k, transpose_a, transpose_b, batch, strides))

        def enqueue(stream, pointers):
            def part(which, number, shape):
                at = pointers[which] + number * strides[which] * np.dtype(dtype).itemsize
                return Buffer(at, shape, np.dtype(dtype), None, device)
            for number in range(batch):
                a = part(0, number, (k, m) if transpose_a else (m, k)).numpy()
                b = part(1, number, (n, k) if transpose_b else (k, n)).numpy()
                result = (a.T if transpose_a else a) @ (b.T if transpose_b else b)
                device.memory.upload(result, part(2, number, (m, n)))
        return cublas.Product(enqueue, lambda offsets: None, None)


@pytest.fixture
def stand_in(monkeypatch):
    found = StandIn()
    monkeypatch.setattr(gemm_library, "cublas", found)
    monkeypatch.setattr(gemm_library, "LARGE", 0)
    monkeypatch.setenv("MINIGLUON_CUBLASLT", "0")           # a card's would be asked first
    return found


@pytest.mark.parametrize(("transpose_a", "transpose_b"), [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize(("batches", "more"), [
    ((1, 1), {}), ((3, 1), {"alpha": -2.0}), ((1, 3), {"relu": True}), ((1, 1), {"added": In(2), "by": "column"}),
    ((2, 1), {"added": In(2), "by": "row", "relu": True})])
def test_large_products_go_to_cublas(stand_in, transpose_a, transpose_b, batches, more):
    rows, columns, depth, count = 5, 7, 3, batches[0] * batches[1]
    a = numbers((count, depth, rows) if transpose_a else (count, rows, depth), "float32")
    b = numbers((count, columns, depth) if transpose_b else (count, depth, columns), "float32", 1)
    bias = numbers((columns if more.get("by") == "column" else rows,), "float32", 2)
    left = Matrix(In(0), 1, rows) if transpose_a else Matrix(In(0), depth, 1)
    right = Matrix(In(1), 1, depth) if transpose_b else Matrix(In(1), columns, 1)
    matrices = [m._replace(batch=(step, step)) for m, step in (
        (left, rows * depth), (right, depth * columns), (Matrix(Out(0), columns, 1), rows * columns))]
    out = np.full((count, rows, columns), np.nan, "float32")
    found, wanted = (computed(product("float32", rows, columns, depth, *matrices, backend().device, batches=batches,
                                      way=way, **more), a, b, bias, out=out) for way in (None, "plain"))
    np.testing.assert_allclose(found, wanted, 1e-5, 1e-5)
    assert stand_in.calls == [(rows, columns, depth, transpose_a, transpose_b, count, (15, 21, 35))]


def test_cublas_is_not_asked_for_matrices_with_gaps_nor_for_sums_in_place(stand_in):
    a, b = numbers((4, 2, 6), "float32"), numbers((6, 5), "float32", 1)
    gaps = Matrix(In(0), 12, 1), Matrix(In(1), 5, 1), Matrix(Out(0), 5, 1)
    found = computed(product("float32", 4, 5, 6, *gaps, backend().device), a, b, out=np.zeros((4, 5), "float32"))
    np.testing.assert_allclose(found, a[:, 0] @ b, 1e-5, 1e-5)
    whole = Matrix(In(0), 6, 1), Matrix(In(1), 5, 1), Matrix(Out(0), 5, 1)
    product("float32", 4, 5, 6, *whole, backend().device, added=In(2), by="matrix")
    assert stand_in.calls == []
