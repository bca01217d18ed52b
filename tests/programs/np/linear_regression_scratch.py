"""Linear regression from scratch: data, a model, a loss and a step of gradient descent of one's own."""

import random

from ._tools import draw


def run(mx, show):
    np, autograd = mx.np, mx.autograd

    def synthetic_data(w, b, num_examples):
        X = np.array(draw(1, num_examples, len(w)))
        y = np.dot(X, w) + b
        y += np.array(draw(2, *y.shape, scale=0.01))
        return X, y.reshape((-1, 1))

    def data_iter(batch_size, features, labels):
        indices = list(range(len(features)))
        random.Random(7).shuffle(indices)
        for i in range(0, len(features), batch_size):
            batch = np.array(indices[i: min(i + batch_size, len(features))])
            yield features[batch], labels[batch]

    def linreg(X, w, b):
        return np.dot(X, w) + b

    def squared_loss(y_hat, y):
        return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2

    def sgd(params, lr, batch_size):
        for param in params:
            param[:] = param - lr * param.grad / batch_size

    true_w, true_b = np.array([2, -3.4]), 4.2
    features, labels = synthetic_data(true_w, true_b, 50)
    show("data", [features[0], labels[0], str(labels[:3].round())])
    w, b = np.array(draw(3, 2, 1, scale=0.01)), np.zeros(1)
    w.attach_grad()
    b.attach_grad()
    epochs = []
    for _ in range(3):
        for X, y in data_iter(10, features, labels):
            with autograd.record():
                l = squared_loss(linreg(X, w, b), y)
            l.backward()
            sgd([w, b], 0.1, len(X))
        epochs.append(float(squared_loss(linreg(features, w, b), labels).mean()))
    show("loss", epochs)
    show("error", [true_w - w.reshape(true_w.shape), true_b - b, w.grad, b.grad])
