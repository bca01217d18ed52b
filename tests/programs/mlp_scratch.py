"""A perceptron with hidden layers, dropout and weight decay written out."""

import numpy as np

from ._tools import batches, draw, sgd, shapes_data


def run(mx, show):
    nd, autograd = mx.nd, mx.autograd
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    images, labels = shapes_data(mx)
    params = [nd.array(draw(1, 64, 16, scale=0.1)), nd.zeros(16), nd.array(draw(2, 16, 2, scale=0.1)), nd.zeros(2)]
    for param in params:
        param.attach_grad()
    W1, b1, W2, b2 = params
    masks = np.random.RandomState(4)

    def relu(X):
        return nd.maximum(X, 0)

    def dropout(X, drop_prob):
        assert 0 <= drop_prob <= 1
        keep_prob = 1 - drop_prob
        if keep_prob == 0:
            return X.zeros_like()
        mask = nd.array(masks.uniform(size=X.shape)) < keep_prob
        return mask * X / keep_prob

    def net(X):
        hidden = relu(nd.dot(X.reshape((-1, 64)), W1) + b1)
        if autograd.is_training():
            hidden = dropout(hidden, 0.2)
        return nd.dot(hidden, W2) + b2

    def l2_penalty(w):
        return (w ** 2).sum() / 2

    show("dropout", [dropout(nd.arange(8).reshape((2, 4)), p) for p in (0, 0.5, 1)])
    for epoch in range(4):
        total = nd.zeros((1,))
        for X, y in batches(8, images, labels):
            with autograd.record():
                cost = loss(net(X), y) + 0.01 * l2_penalty(W1)
            cost.backward()
            sgd(params, 0.5, 8)
            total += cost.sum()
        show(f"epoch {epoch + 1}", [total.asscalar() / len(labels), (net(images).argmax(axis=1) == labels).mean()])
    show("norms", [W1.norm().asscalar(), nd.norm(W2), l2_penalty(b1)])
    show("activations", [nd.sigmoid(nd.arange(-3, 3, 1.5)), nd.tanh(nd.arange(-3, 3, 1.5)), relu(nd.arange(-2, 2))])
