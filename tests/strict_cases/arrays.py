"""Arrays and operators."""

import numpy as np

import minigluon as mx
from minigluon import autograd, nd

from .gradients import gradient
from .table import ERROR, case


@case("one operation on arrays of `cpu(0)`", "ContextError: broadcast_mul: inputs are on different devices: lhs (2,) "
      "on cpu(0), rhs (2,) on cpu(1). Move one with .as_in_context(cpu(0)).", ([50, 108], "cpu(0)", "cpu(1)"))
def two_devices():
    x = nd.array([2, 3], ctx=mx.cpu(1))
    x.attach_grad()
    with autograd.record():
        y = nd.array([5, 6]) * x
        y = y * y / 2
    y.backward()
    return (x.grad * nd.array([1, 1], ctx=mx.cpu(1))).asnumpy().tolist(), str(y.context), str(x.grad.context)


@case("one operation on arrays of `cpu(0)`", "ContextError: where: inputs are on different devices: condition (2,) on "
      "cpu(0), x (2,) on cpu(1), y (2,) on cpu(0). Move one with .as_in_context(cpu(0)).", [1, 4])
def two_devices_of_three_inputs():
    return nd.where(nd.array([1, 0]), nd.array([1, 2], ctx=mx.cpu(1)), nd.array([3, 4])).asnumpy().tolist()


@case("one operation on arrays of `cpu(0)`", "ContextError: add_n: inputs are on different devices: args0 (1,) on "
      "cpu(1), args1 (1,) on cpu(0), args2 (1,) on cpu(0), args3 (1,) on cpu(0). Move one with .as_in_context(cpu(1)).",
      ([10], "cpu(1)"))
def two_devices_of_four_inputs():
    x = nd.add_n(nd.array([1], ctx=mx.cpu(1)), nd.array([2]), nd.array([3]), nd.array([4]))
    return x.asnumpy().tolist(), str(x.context)


@case("one operation on arrays of `cpu(0)`", "ContextError: sgd_mom_update: inputs are on different devices: weight "
      "(1,) on cpu(0), grad (1,) on cpu(0), mom (1,) on cpu(1). Move one with .as_in_context(cpu(0)).", ERROR)
def a_state_on_another_device():
    nd.sgd_mom_update(nd.ones((1,)), nd.ones((1,)), nd.ones((1,), ctx=mx.cpu(1)), lr=1)


@case("`nd.reshape(x, shape=(4, -1))`", "ShapeError: Reshape: data (6,) has 6 elements, but shape=(4, -1) asks for "
      "(4, 1), which has 4\n  inputs: data (6,) float32\n  attributes: shape=(4, -1), reverse=False, target_shape=(), "
      "keep_highest=False\n  remedy: shape=(-1, 1) has 6 elements; -1 stands for the length that follows", ERROR)
def reshape():
    nd.reshape(nd.arange(6), shape=(4, -1))


if np.lib.NumpyVersion(np.__version__) >= "2.0.0":          # NumPy 1 wraps integers round
    OUT_OF_BOUNDS = ("ArgumentError: {}: Python integer 300 out of bounds for uint8. Give a wider dtype, or numbers in "
                     "its range.")

    @case("`nd.array([300]", OUT_OF_BOUNDS.format("array"), [44, 255])
    def integers_out_of_range():
        return nd.array([300, -1], dtype="uint8").asnumpy().tolist()

    @case("`nd.array([300]", OUT_OF_BOUNDS.format("full"), [44, 44])
    def full():
        return nd.full((2,), 300, dtype="uint8").asnumpy().tolist()


@case("arrays of distribution", "ArgumentError: _sample_normal: the standard deviation must not be negative",
      [True, True])
def standard_deviation():
    x = nd.random.normal(nd.array([5, 5]), nd.array([-1e-3, -1e-3])).asnumpy()
    return (abs(x - 5) < 1e-2).tolist()


POSITIONS = ("DTypeError: {}: positions up to 299 do not fit into int8, the dtype of data. Convert with "
             ".astype('int32').")
LAST = np.arange(300) == 299


@case("`argmax` and `argmin`", POSITIONS.format("argmax"), [43])
def argmax():
    return nd.array(LAST, dtype="int8").argmax(axis=0).asnumpy().tolist()


@case("`argmax` and `argmin`", POSITIONS.format("argmin"), [43])
def argmin():
    return nd.array(1 - LAST, dtype="int8").argmin(axis=0).asnumpy().tolist()


@case("`argmax` and `argmin`", "DTypeError: argmax: positions up to 4098 do not fit into float16, the dtype of data. "
      "Convert with .astype('float32').", [4096])
def argmax_of_float16():
    return nd.array(np.arange(4099) == 4098, dtype="float16").argmax(axis=0).asnumpy().tolist()


@case("`argmax` and `argmin`", "ShapeError: argsort: positions up to 299 do not fit into dtype='uint8'. Choose "
      "dtype='int32'.\n  inputs: data (300,) float32\n  attributes: axis=-1, is_ascend=False, dtype='uint8'",
      [43, 42, 0, 255, 0])
def argsort():
    return nd.arange(300).argsort(is_ascend=False, dtype="uint8").asnumpy()[[0, 1, 43, 44, -1]].tolist()


@case("`argmax` and `argmin`", "ShapeError: topk: positions up to 4099 do not fit into dtype='float16'. Choose "
      "dtype='int32'.\n  inputs: data (4100,) float32\n  attributes: axis=-1, k=3, ret_typ='indices', is_ascend=False, "
      "dtype='float16'", [4100, 4096, 4096])
def topk():
    return nd.arange(4100).topk(k=3, dtype="float16").asnumpy().tolist()


NORMALIZE = ("DTypeError: _image_normalize: data is {}, expected a floating-point dtype. Convert with "
             ".astype('float32').")
PIXELS = np.arange(12).reshape(3, 2, 2) * 20


@case("`nd.image.normalize`", NORMALIZE.format("uint8"), [[[254, 97], [197, 41]], [[9, 75], [142, 209]],
                                                          [[143, 193], [243, 37]]])
def normalize():
    x = nd.array(PIXELS, dtype="uint8")
    return nd.image.normalize(x, mean=(0.5, 0.4, 0.3), std=(0.2, 0.3, 0.4)).asnumpy().tolist()


@case("`nd.image.normalize`", NORMALIZE.format("int32"), [[[-502, -402], [-302, -202]], [[-67, -1], [65, 131]],
                                                          [[149, 199], [249, 299]]])
def normalize_below_zero():
    x = nd.array(PIXELS - 100, dtype="int32")
    return nd.image.normalize(x, mean=(0.5, 0.4, 0.3), std=(0.2, 0.3, 0.4)).asnumpy().tolist()


VECTOR = ("ShapeError: L2Normalization: data has shape (4,), expected at least 2 dimensions with mode='instance'\n  "
          "inputs: data (4,) float32\n  attributes: eps=1e-10, mode='instance'")


@case("`L2Normalization` of a vector", VECTOR, [1, -1, 0, 1])
def l2_normalization():
    return nd.L2Normalization(nd.array([3, -4, 0, 2])).asnumpy().tolist()


@case("`L2Normalization` of a vector", VECTOR, [200000, 0, 0, 0])
def gradient_of_l2_normalization():
    return gradient(lambda x: 2 * nd.L2Normalization(x), [0, 1, 2, 3])


LENGTHS = ("ArgumentError: foreach: axis 0 of all data must have one length, one step for each, found shapes ({},), "
           "({},)")


def sums(*lengths):
    outs, _ = nd.contrib.foreach(lambda xs, s: (xs[0] + xs[1], s), [nd.arange(n) for n in lengths], nd.zeros((1,)))
    return outs.asnumpy().tolist()


@case("data of different lengths", LENGTHS.format(2, 3), [[0], [2]])
def foreach():
    return sums(2, 3)


@case("data of different lengths", LENGTHS.format(3, 2), ERROR)
def foreach_beyond_the_second():
    return sums(3, 2)


@case("`row_sparse_array` with a duplicate index", "ArgumentError: row_sparse_array: an index occurs twice, and one of "
      "its rows would not count", [[0, 0], [3, 4], [0, 0]])
def an_index_twice():
    return nd.sparse.row_sparse_array(([[1, 2], [3, 4]], [1, 1]), shape=(3, 2)).asnumpy().tolist()


@case("indices and `indptr` of a sparse array", "MXNetError: csr of shape (2, 3): indices must have 2 numbers "
      "from 0 to 2, a column for each value, found [0, 5]", ERROR)
def a_column_that_is_not_there():
    nd.sparse.csr_matrix(([1.0, 2.0], [0, 5], [0, 1, 2]), shape=(2, 3))


@case("indices and `indptr` of a sparse array", "MXNetError: csr of shape (2, 3): indptr must have 3 numbers that "
      "rise from 0 to 2, the number of values, found [0, 1, 3]", ERROR)
def values_that_are_not_there():
    nd.sparse.csr_matrix(([1.0, 2.0], [0, 1], [0, 1, 3]), shape=(2, 3))


@case("an out-of-range index in `Embedding`", "OutOfRangeError: Embedding: data has 3 at (1,), expected 0 to 2; 2 of 4 "
      "are out of range. The layer's input_dim is the number of rows, one more than the largest index.", [0, 2, 0, 0])
def an_index_without_a_row():
    return nd.Embedding(nd.array([0, 3, -2, -1]), nd.array([[0], [1], [2]]), input_dim=3, output_dim=1).reshape(
        (-1,)).asnumpy().tolist()
