"""Arrays: creation, arithmetic, types, indexing, memory, conversion, printing, matrices and tensors."""

from ._tools import draw


def run(mx, show):
    np, npx = mx.np, mx.npx
    x = np.arange(12)
    show("range", [x, x.shape, x.size, str(x), repr(x.reshape(3, 4))])
    X = x.reshape(3, 4)
    show("shapes", [X.reshape(-1, 6), np.zeros((2, 3, 4)), np.ones((2, 3)), np.full((2,), 7), np.eye(3, 4, k=1),
                    np.linspace(0, 1, 5), np.array([[2, 1, 4, 3], [1, 2, 3, 4]])])
    a, b = np.array([1, 2, 4, 8]), np.array([2, 2, 2, 2])
    show("arithmetic", [a + b, a - b, a * b, a / b, a ** b, np.exp(a), -a, 1 / a, 2 - a, a % 3, 2 ** a, abs(-a)])
    Y = np.array([[2, 1, 4, 3], [1, 2, 3, 4], [4, 3, 2, 1]])
    show("joined", [np.concatenate([X, Y], axis=0), np.concatenate([X, Y], axis=1), X == Y, X < Y, X.sum()])
    c, d = np.arange(3).reshape(3, 1), np.arange(2).reshape(1, 2)
    show("broadcast", [c + d, (c * d).shape, np.broadcast_to(c, (3, 4))])
    show("indexing", [X[-1], X[1:3], X[1, 2], X[:, 1], X[::2, ::-1], X[X > 5], X[[0, 2]], X[[0, 2], [1, 3]],
                      X[None].shape, X[..., 0], X[np.array([2, 0], dtype="int32")]])
    Z = X.copy()
    Z[1, 2], Z[0:2, :] = 9, 12
    Z[2, Z[2] > 9] = -1
    Z[[0, 1], [3, 3]] = np.array([5, 6])
    show("written", Z)
    before = id(Z)
    Z += Y
    Z[:] = Z * 2
    Z -= 1
    show("in place", [id(Z) == before, Z])
    view = X[1]
    view[:] = 100
    show("views", [X, X.reshape(-1)[:5], X.T[0]])
    host = X.asnumpy()
    back = np.array(host)
    one = np.array([3.5])
    show("conversion", [type(host).__name__, type(back).__name__, one, one.item(), float(one), int(one), X.tolist(),
                        X.astype("int32").dtype.name, np.array(host.astype("int64")).dtype.name])
    A = np.arange(20).reshape(5, 4)
    show("matrices", [A.T, A * A, A.sum(axis=0), A.sum(axis=[0, 1]), A.mean(), A.sum() / A.size, A.mean(axis=0),
                      A.sum(axis=1, keepdims=True), A / A.sum(axis=1, keepdims=True), A.cumsum(axis=0),
                      A.max(axis=1), A.min(), A.argmax(axis=1), A.argmax(), A.std(axis=0), A.var()])
    v = np.array(draw(1, 4))
    show("products", [np.dot(A, v), np.dot(A.T, A), np.dot(v, v), np.sum(v * v), np.outer(v, v)[0], A @ v])
    show("more", [np.stack([v, v], axis=1), np.split(A.T, 2), np.tile(v, (2, 2)), np.repeat(v, 2), np.expand_dims(v, 0),
                  np.squeeze(v.reshape(1, 4, 1)), np.swapaxes(A, 0, 1).shape, np.flip(v), np.sort(v), np.argsort(v),
                  np.maximum(v, 0), np.minimum(v, 0), np.clip(v, -0.5, 0.5), np.sign(v), np.where(v > 0, v, 0 * v),
                  np.unique(np.array([3, 1, 3])), np.square(v), np.sqrt(np.abs(v)), np.log(np.abs(v)),
                  np.meshgrid(v[:2], v)])
    show("numbers", [np.sin(np.pi / 2), np.float32, npx.one_hot(np.array([1, 0]), 3), npx.softmax(v), npx.relu(v),
                     npx.sigmoid(v), npx.topk(v, k=2), npx.pick(A, np.array([0, 1, 2, 3, 0])), npx.batch_flatten(
                         A.reshape(1, 5, 4)).shape, (v > 0).sum().dtype.name, bool(v.sum() > 100)])
    for row in A[:2]:
        show(f"row {float(row[0])}", row)
    show("length", [len(A), A.ndim, A.dtype.name, str(A.ctx)])
    npx.waitall()
