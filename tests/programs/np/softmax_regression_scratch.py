"""Softmax regression from scratch: exp and sums, cross-entropy by advanced indexing, accuracy."""

from ._tools import batches, draw, images


def run(mx, show):
    np, autograd = mx.np, mx.autograd
    X, y = images(mx, 24, 6)
    show("sums", [X[0, 0].sum(0, keepdims=True), X[0, 0].sum(1, keepdims=True)])

    def softmax(X):
        X_exp = np.exp(X)
        return X_exp / X_exp.sum(1, keepdims=True)

    def net(X):
        return softmax(np.dot(X.reshape((-1, W.shape[0])), W) + b)

    def cross_entropy(y_hat, y):
        return - np.log(y_hat[range(len(y_hat)), y])

    def accuracy(y_hat, y):
        if len(y_hat.shape) > 1 and y_hat.shape[1] > 1:
            y_hat = y_hat.argmax(axis=1)
        cmp = y_hat.astype(y.dtype) == y
        return float(cmp.astype(y.dtype).sum())

    W, b = np.array(draw(4, 36, 2, scale=0.01)), np.zeros(2)
    W.attach_grad()
    b.attach_grad()
    y_hat = np.array([[0.1, 0.3, 0.6], [0.3, 0.2, 0.5]])
    show("small", [y_hat[[0, 1], [0, 2]], cross_entropy(y_hat, np.array([0, 2])), softmax(np.array(draw(5, 2, 5)))])
    losses, rates = [], []
    for _ in range(4):
        for features, labels in batches(8, X, y):
            with autograd.record():
                l = cross_entropy(net(features), labels)
            l.backward()
            for param in (W, b):
                param[:] -= 0.3 * param.grad / len(labels)
            losses.append(float(l.sum()) / len(labels))
        rates.append(accuracy(net(X), y) / len(y))
    show("training", [losses, rates, W[:3], b])
