"""Linear regression with nothing but arrays and autograd."""

from ._tools import batches, linear_data, sgd, squared_loss


def run(mx, show):
    nd, autograd = mx.nd, mx.autograd
    features, labels = linear_data(mx)
    show("first", [features[0], labels[0], features.shape, len(labels)])
    w, b = nd.array([[0.01], [-0.02]]), nd.zeros(shape=(1,))
    for param in (w, b):
        param.attach_grad()
    for epoch in range(3):
        for X, y in batches(10, features, labels):
            with autograd.record():
                loss = squared_loss(nd.dot(X, w) + b, y)
            loss.backward()
            sgd([w, b], 0.3, 10)
        train = squared_loss(nd.dot(features, w) + b, labels)
        show(f"epoch {epoch + 1}", "epoch %d, loss %.4f" % (epoch + 1, train.mean().asnumpy().item()))
    show("w", w)
    show("b", b)
    show("error", nd.array([2, -3.4]).reshape((2, 1)) - w)
    show("one", [bool(train.mean() < 0.01), (w.grad * 0).sum().asscalar(), w[0], b.asscalar()])
