"""The chapter on arrays: making, printing, indexing, broadcasting, in place, NumPy, types of scalars."""

import copy
import pickle

import numpy as np

from ._tools import draw


def run(mx, show):
    nd = mx.nd
    x = nd.arange(12)
    X = x.reshape((3, 4))
    Y = nd.array([[2, 1, 4, 3], [1, 2, 3, 4], [4, 3, 2, 1]])
    show("printed", [str(x), repr(X), str(nd.zeros((2, 3, 4))), str(nd.array([5])), str(nd.ones((1, 1), dtype="int32")),
                     str(nd.array([1e-8, 1, 1e8])), str(nd.array([0.1, -2.5e-5])), str(nd.array([np.nan, np.inf]))])
    show("long", str(nd.arange(2000)))
    show("formatted", "x: %s, sum: %f, item: {:.3f}".format(X[1, 2].asscalar()) % (x[:2], x.sum().asscalar()))
    show("properties", [x.shape, X.size, X.ndim, str(X.dtype), str(X.context), len(X), X.stype,
                        type(X.shape[0]).__name__])
    show("arithmetic", [X + Y, X - Y, X * Y, X / Y, Y.exp(), nd.dot(X, Y.T), X ** 2, 2 ** Y, -X, X % 3, 7 % Y, 1 / Y])
    show("compared", [X == Y, X < Y, X >= 5, X != Y, 3 > Y, nd.maximum(X, Y), nd.minimum(X, 4)])
    show("joined", [nd.concat(X, Y, dim=0), nd.concat(X, Y, dim=1), nd.stack(X, Y).shape, nd.split(X, 2, axis=1)])
    a, b = nd.arange(3).reshape((3, 1)), nd.arange(2).reshape((1, 2))
    show("broadcast", [a + b, a * b - 1, (a < b), nd.broadcast_to(a, (3, 4))])
    show("indexed", [X[1:3], X[-1], X[:, 1], X[..., ::2], X[1, 2], X[nd.array([2, 0])], X[[0, 2], [1, 3]],
                     X[None].shape])
    X[1, 2] = 9
    X[0:2, :] = 12
    X[:, -1] = nd.array([7, 8, 9])
    X[2] += 1
    show("assigned", X)
    before = id(Y)
    Y += X
    Z = Y.zeros_like()
    Z[:] = X + Y
    nd.elemwise_add(X, Y, out=Z)
    show("in place", [id(Y) == before, Y, Z])
    P = np.ones((2, 3))
    D = nd.array(P)
    show("numpy", [D.asnumpy(), P.dtype.name, np.float32(2) * D, D + np.float64(1), D * np.int64(3),
                   np.mean(D.asnumpy())])
    show("scalars", [type(v).__name__ for v in (D.asscalar() if D.size == 1 else D.sum().asscalar(),
                                                D.astype("int32").sum().asscalar(), D.sum().asnumpy()[0])])
    show("truth", [bool(nd.array([0])), bool(nd.array([2])), 1 if (D.sum() > 5) else 0, not nd.zeros(1)])
    show("sum of list", [sum([D, D, D]), sum(D[0]), max(nd.array([3, 1])).asscalar(),
                         [row.sum().asscalar() for row in D]])
    show("reductions", [X.sum(axis=0), X.mean(axis=1, keepdims=True), X.max(), X.min(axis=-1), X.argmax(axis=1),
                        X.norm(), X.sum(axis=(0, 1)), nd.prod(nd.array([1, 2, 3])), X.sum(axis=1, exclude=True)])
    integers = nd.array([1, 2, 3, 250], dtype="uint8")
    show("integers", [integers + integers, integers.astype("float32") / 255, integers.sum(), integers > 2,
                      nd.array([7, -7], dtype="int32") / 2, nd.array([1.7, -1.7]).astype("int32"),
                      nd.arange(3, dtype="int64").mean(), nd.array([3], dtype="int32") ** 2])
    half = nd.array(draw(1, 2, 2), dtype="float16")
    show("half", [str(half.dtype), half * 2, half.sum(), half.astype("float64").dtype == np.float64])
    show("reshaped", [X.reshape((0, -1)).shape, X.reshape(-1).shape, X.reshape((2, -1)), X.T.shape, X.flatten().shape,
                      nd.zeros((2, 3, 4)).reshape((-3, 0)).shape, nd.zeros((2, 6)).reshape((0, -4, 2, -1)).shape,
                      X.expand_dims(0).shape, nd.zeros((1, 2, 1)).squeeze().shape, X.swapaxes(0, 1).shape,
                      nd.transpose(nd.zeros((2, 3, 4)), axes=(2, 0, 1)).shape])
    show("chosen", [nd.where(X > 8, X, -X), X.clip(8, 10), nd.pick(X, nd.array([0, 1, 3])),
                    nd.take(x, nd.array([1, 5])),
                    nd.one_hot(nd.array([1, 0]), 3), X.tile((1, 2)).shape, nd.repeat(nd.array([1, 2]), 2),
                    nd.flip(nd.array([[1, 2]]), axis=1)])
    twin = pickle.loads(pickle.dumps(X))
    other = copy.deepcopy(X)
    other[:] = 0
    show("copies", [twin, X.copy() is X, other, X.copyto(mx.cpu(1)), str(X.as_in_context(mx.cpu(1)).context),
                    X.as_in_context(mx.cpu()) is X])
    show("made", [nd.full((2,), 7), nd.eye(2), nd.linspace(0, 1, 5), nd.arange(1, 2, 0.25), nd.array([[]]).shape,
                  nd.empty((2, 3)).shape, nd.ones((2,), dtype="int8"), nd.array((1, 2)), nd.arange(3, repeat=2)])
    mx.random.seed(7)
    first = nd.random.normal(0, 1, shape=(3, 4))
    mx.random.seed(7)
    show("random", [(first == nd.random.normal(0, 1, shape=(3, 4))).sum(), nd.random.uniform(shape=(2, 3)).shape,
                    nd.random.randint(0, 5, shape=(2,)).dtype == np.int32, nd.random.shuffle(nd.arange(5)).sum()])
    for name, wrong in (("shapes", lambda: nd.ones((2, 3)) + nd.ones((4,))), ("dot", lambda: nd.dot(X, X)),
                        ("reshape", lambda: X.reshape((5, 5))), ("list", lambda: nd.ones(2) + [1, 2])):
        try:
            wrong()
            show(f"wrong {name}", "accepted")
        except (mx.base.MXNetError, TypeError) as error:
            show(f"wrong {name}", isinstance(error, mx.base.MXNetError) or type(error).__name__)
    nd.waitall()
