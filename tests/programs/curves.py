"""Polynomial fitting, numerical descent with NumPy in the loop, and plain helpers that programs carry with them."""

import math

import numpy as np

from ._tools import draw


def run(mx, show):
    nd, gluon, autograd = mx.nd, mx.gluon, mx.autograd
    n_train, true_w, true_b = 20, [1.2, -3.4, 5.6], 5
    features = nd.array(draw(1, 40, 1))
    poly = nd.concat(features, nd.power(features, 2), nd.power(features, 3))
    labels = true_w[0] * poly[:, 0] + true_w[1] * poly[:, 1] + true_w[2] * poly[:, 2] + true_b
    labels += nd.array(draw(2, *labels.shape, scale=0.1))
    show("data", [features[:2], poly[:2], labels[:2]])

    def fit_and_plot(train_features, test_features, train_labels, test_labels):
        net = gluon.nn.Sequential()
        net.add(gluon.nn.Dense(1))
        net.initialize(mx.init.Constant(0.1))
        batch_size = min(10, train_labels.shape[0])
        train_iter = gluon.data.DataLoader(gluon.data.ArrayDataset(train_features, train_labels), batch_size)
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
        loss, train_ls, test_ls = gluon.loss.L2Loss(), [], []
        for _ in range(4):
            for X, y in train_iter:
                with autograd.record():
                    cost = loss(net(X), y)
                cost.backward()
                trainer.step(batch_size)
            train_ls.append(loss(net(train_features), train_labels).mean().asscalar())
            test_ls.append(loss(net(test_features), test_labels).mean().asscalar())
        return [train_ls, test_ls, net[0].weight.data().asnumpy(), net[0].bias.data().asnumpy()]

    show("cubic", fit_and_plot(poly[:n_train, :], poly[n_train:, :], labels[:n_train], labels[n_train:]))
    show("linear", fit_and_plot(features[:n_train, :], features[n_train:, :], labels[:n_train], labels[n_train:]))
    show("few", fit_and_plot(poly[0:2, :], poly[n_train:, :], labels[0:2], labels[n_train:]))

    def gd(eta):
        x, results = nd.array([10.0]), []
        x.attach_grad()
        for _ in range(5):
            with autograd.record():
                y = x * nd.cos(0.15 * math.pi * x)
            y.backward()
            x[:] -= eta * x.grad
            results.append(x.asscalar())
        return results

    show("descent", [gd(0.1), gd(2), [float(v) for v in np.array(gd(0.5)).round(3)]])

    def train_2d(step):
        x1, x2, s1, s2 = -5, -2, 0, 0
        results = [(x1, x2)]
        for _ in range(5):
            x1, x2, s1, s2 = step(x1, x2, s1, s2)
            results.append((x1, x2))
        return results

    show("two variables", train_2d(lambda x1, x2, s1, s2: (x1 - 0.1 * 2 * x1, x2 - 0.1 * 4 * x2, 0, 0)))

    def data_iter(batch_size, features, labels):
        indices = list(range(len(features)))
        for i in range(0, len(indices), batch_size):
            j = nd.array(indices[i: min(i + batch_size, len(indices))])
            yield features.take(j), labels.take(j)

    show("taken", [[X.shape, y.sum().asscalar()] for X, y in data_iter(16, poly, labels)])

    def evaluate_accuracy(batches):
        acc_sum, n = nd.array([0]), 0
        for X, y in batches:
            y = y.astype("float32")
            acc_sum += (X.argmax(axis=1) == y).sum()
            n += y.size
            acc_sum.wait_to_read()
        return acc_sum.asscalar() / n

    logits = nd.array(draw(3, 6, 3))
    answers = nd.array([0, 1, 2, 0, 1, 2], dtype="int32")
    show("accuracy", float(evaluate_accuracy([(logits[:4], answers[:4]), (logits[4:], answers[4:])])))
    centers = logits[:2]
    for _ in range(2):                                  # k-means
        distances = ((logits.expand_dims(1) - centers.expand_dims(0)) ** 2).sum(axis=2)
        member = nd.one_hot(distances.argmin(axis=1), 2)
        centers = nd.dot(member.T, logits) / member.sum(axis=0).reshape((-1, 1))
    show("means", [centers, member.sum(axis=0)])
    gram = nd.dot(logits.T, logits) + nd.eye(3)
    factor = nd.linalg.potrf(gram)
    show("solved", [factor, nd.linalg.sumlogdiag(factor), nd.linalg.trsm(factor, nd.ones((3, 1))),
                    nd.dot(nd.linalg.inverse(gram), gram).round()])
    mean, covariance = logits.mean(axis=0), nd.dot((logits - logits.mean(axis=0)).T, logits) / (len(logits) - 1)
    show("statistics", [mean, covariance, nd.moments(logits, axes=0), nd.histogram(logits, bins=4, range=(-2, 2))[0]])
