"""Softmax regression: softmax, cross-entropy and accuracy written out, on flattened images."""

from ._tools import batches, draw, sgd, shapes_data


def run(mx, show):
    nd, autograd = mx.nd, mx.autograd
    images, labels = shapes_data(mx)
    W, b = nd.array(draw(5, 64, 2, scale=0.01)), nd.zeros(2)
    W.attach_grad()
    b.attach_grad()

    def softmax(X):
        X_exp = X.exp()
        return X_exp / X_exp.sum(axis=1, keepdims=True)

    def net(X):
        return softmax(nd.dot(X.reshape((-1, 64)), W) + b)

    def cross_entropy(y_hat, y):
        return -nd.pick(y_hat, y).log()

    X = nd.array([[1, 2, 3], [4, 5, 6]])
    show("sums", [X.sum(axis=0, keepdims=True), X.sum(axis=1, keepdims=True), softmax(X), softmax(X).sum(axis=1)])
    show("picked", nd.pick(nd.array([[0.1, 0.3, 0.6], [0.3, 0.2, 0.5]]), nd.array([0, 2], dtype="int32")))
    for epoch in range(5):
        total, right, count = 0.0, 0.0, 0
        for X, y in batches(8, images, labels):
            with autograd.record():
                y_hat = net(X)
                loss = cross_entropy(y_hat, y).sum()
            loss.backward()
            sgd([W, b], 0.5, 8)
            y = y.astype("float32")
            total += loss.asscalar()
            right += (y_hat.argmax(axis=1) == y).sum().asscalar()
            count += y.size
        show(f"epoch {epoch + 1}", [total / count, right / count])
    show("params", [W[:5], b, nd.log_softmax(nd.dot(images[0].reshape((1, -1)), W) + b)])
