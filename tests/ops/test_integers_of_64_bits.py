"""Integers beyond 2⁵³, of which float64 loses the last digits: operators, iterators and files that take them."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import nd
from minigluon.backend import available, use_backend
from minigluon.base import FileFormatError

B = 2 ** 53 + 1
LARGE = [B, -B, B + 2, 2 ** 62 + 1, -2 ** 62 - 1, 7]
X = np.array(LARGE)


def of(*numbers):
    return nd.array(list(numbers), dtype="int64")


def filled(key):
    y = nd.zeros((2,), dtype="int64")
    y[key] = B
    return y


# what is computed, and the integers that are right
ROWS = {
    "clip": (lambda x: nd.clip(x, -2 ** 62 - 1, 2 ** 62 + 1), X),
    "clip between": (lambda x: nd.clip(x, 0, B), np.clip(X, 0, B)),
    "clip at fractions": (lambda x: nd.clip(of(5, 6, -5, -6), -5.5, 5.5), [5, 5, -5, -5]),
    "clip at infinity": (lambda x: nd.clip(x, -np.inf, np.inf), X),
    "clip above": (lambda x: nd.clip(x, B, np.inf), np.maximum(X, B)),
    "x + number": (lambda x: x + B, X + B), "number - x": (lambda x: B - x, B - X),
    "x - number": (lambda x: x - B, X - B),
    "x * number": (lambda x: of(3) * (2 ** 60 + 1), [3 * (2 ** 60 + 1)]),
    "number / x": (lambda x: (2 ** 62 + 1) / of(3), [(2 ** 62 + 1) // 3]),
    "number % x": (lambda x: B % x, B % X), "x % number": (lambda x: x % B, X % B),
    "maximum": (lambda x: nd.maximum(x, B), np.maximum(X, B)),
    "minimum": (lambda x: nd.minimum(x, B), np.minimum(X, B)),
    "equal": (lambda x: x == B, X == B), "not equal": (lambda x: x != B, X != B), "greater": (lambda x: x > B, X > B),
    "lesser equal": (lambda x: x <= B, X <= B), "in place": (lambda x: x.copy().__iadd__(B), X + B),
    "in a symbol": (lambda x: (mx.sym.var("a") + B).eval(a=x)[0], X + B),
    "from a file": (lambda x: mx.sym.load_json((mx.sym.var("a") - B).tojson()).eval(a=x)[0], X - B),
    "as text": (lambda x: nd._internal._plus_scalar(x, scalar=str(B)), X + B),
    "power": (lambda x: of(3, -3, 2, 7, 1, -1, 2, 0) ** of(35, 35, 62, 20, -1, -3, -1, 0),
              [3 ** 35, -3 ** 35, 2 ** 62, 7 ** 20, 1, -1, 0, 1]),
    "x ** number": (lambda x: of(3, -3, 7) ** 21, [3 ** 21, -3 ** 21, 7 ** 21]),
    "number ** x": (lambda x: 3 ** of(35, 20), [3 ** 35, 3 ** 20]),
    "mean": (lambda x: nd.mean(of(2 ** 62, 2 ** 62 + 1, 2 ** 62 + 2)), [2 ** 62 + 1]),
    "mean, negative": (lambda x: nd.mean(nd.array([[-B, -B - 1], [3, 4], [-3, -4]], dtype="int64"), axis=1),
                       [-B, 3, -3]),
    "norm": (lambda x: nd.norm(of(B, -2), ord=1), [B + 2]), "sum": (nd.sum, [X.sum()]), "max": (nd.max, [X.max()]),
    "sort": (nd.sort, np.sort(X)), "prod": (lambda x: nd.prod(of(3 ** 17, 3 ** 17)), [3 ** 34]),
    "one_hot": (lambda x: nd.one_hot(nd.array([1]), 2, on_value=B, off_value=-B, dtype="int64"), [[-B, B]]),
    "pad": (lambda x: nd.pad(of(B).reshape((1, 1, 1, 1)), mode="constant", constant_value=B,
                             pad_width=(0, 0, 0, 0, 0, 0, 0, 1)), [[[[B, B]]]]),
    "SequenceMask": (lambda x: nd.SequenceMask(of(B, 1).reshape((2, 1)), of(1), use_sequence_length=True, value=B),
                     [[B], [B]]),
    "full": (lambda x: nd.full((1,), B, dtype="int64"), [B]),
    "arange": (lambda x: nd.arange(B, B + 3, dtype="int64"), np.arange(B, B + 3)),
    "item": (lambda x: filled(0), [B, 0]), "slice": (lambda x: filled(slice(None)), [B, B]),
    "take": (lambda x: nd.take(x, of(1, 3)), X[[1, 3]]), "abs": (nd.abs, np.abs(X)), "rint": (nd.rint, X),
}


@pytest.mark.parametrize("backend", [name for name in ("numpy", "accel") if name in available()])
@pytest.mark.parametrize("name", ROWS)
def test_operators(name, backend):
    function, right = ROWS[name]
    with use_backend(backend):
        found = function(nd.array(LARGE, dtype="int64")).asnumpy()
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, np.array(right, "int64"))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
def test_clip_of_smaller_types(dtype):
    x = nd.array([0, 3, 100], dtype=dtype)
    np.testing.assert_array_equal(nd.clip(x, 1, 1000).asnumpy(), [1, 3, 100])
    np.testing.assert_array_equal(nd.clip(x, -1000, 50).asnumpy(), [0, 3, 50])
    np.testing.assert_array_equal(nd.clip(x, 5, 2).asnumpy(), [2, 2, 2])            # the upper bound has the last word


def test_csv_files(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(f"{n},{n - 1}" for n in LARGE) + "\n1.9,-1e3\n")
    rows = [[n, n - 1] for n in LARGE] + [[1, -1000]]
    batch = mx.io.CSVIter(data_csv=str(path), data_shape=(2,), label_csv=str(path), label_shape=(2,), batch_size=7,
                          dtype="int64").next()
    np.testing.assert_array_equal(batch.data[0].asnumpy(), rows)
    np.testing.assert_array_equal(batch.label[0].asnumpy(), rows)
    for text in ("nan", "inf", str(2 ** 63), "1e19"):
        path.write_text(f"{text},1\n")
        with pytest.raises(FileFormatError, match="int64 cannot represent"):
            mx.io.CSVIter(data_csv=str(path), data_shape=(2,), batch_size=1, dtype="int64")


def test_files_and_loaders(tmp_path):
    x = nd.array(LARGE, dtype="int64")
    nd.save(str(tmp_path / "x"), [x])
    np.savez(tmp_path / "x.npz", x=X)
    loader = mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(X), batch_size=6)
    iterator = mx.io.NDArrayIter(x, batch_size=6)
    for found in (nd.load(str(tmp_path / "x"))[0], nd.load(str(tmp_path / "x.npz"))["x"], next(iter(loader)),
                  iterator.next().data[0]):
        np.testing.assert_array_equal(found.asnumpy(), X)
