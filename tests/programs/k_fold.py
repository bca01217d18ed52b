"""House prices: standardized features, log RMSE, and k-fold cross-validation of a linear model."""

import numpy as np

from ._tools import draw, fixed


def run(mx, show):
    nd, gluon, autograd = mx.nd, mx.gluon, mx.autograd
    table = np.concatenate([draw(1, 40, 3) * 7 + 3, (draw(2, 40, 2) > 0).astype("float32")], axis=1)
    table[:, :3] = (table[:, :3] - table[:, :3].mean(0)) / table[:, :3].std(0)
    features = nd.array(table)
    labels = nd.array(np.exp(draw(3, 40) * 0.2 + 5)).reshape((-1, 1))
    loss = gluon.loss.L2Loss()

    def log_rmse(net, features, labels):
        clipped = nd.clip(net(features), 1, float("inf"))
        return nd.sqrt(2 * loss(clipped.log(), labels.log()).mean()).asscalar()

    def train(train_features, train_labels, num_epochs=3):
        net = gluon.nn.Sequential()
        net.add(gluon.nn.Dense(1))
        net.initialize(fixed(mx))
        data = gluon.data.DataLoader(gluon.data.ArrayDataset(train_features, train_labels), 8)
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 5, "wd": 0.1})
        found = []
        for _ in range(num_epochs):
            for X, y in data:
                with autograd.record():
                    cost = loss(net(X), y)
                cost.backward()
                trainer.step(8)
            found.append(log_rmse(net, train_features, train_labels))
        return net, found

    def fold(k, i):
        size = features.shape[0] // k
        parts = [(features[j * size:(j + 1) * size, :], labels[j * size:(j + 1) * size]) for j in range(k)]
        held_out = parts.pop(i)
        return [nd.concat(*[part[n] for part in parts], dim=0) for n in (0, 1)], held_out

    k, sums = 4, []
    for i in range(k):
        train_part, valid_part = fold(k, i)
        net, found = train(*train_part)
        sums.append(log_rmse(net, *valid_part))
        show(f"fold {i}", [found, sums[-1]])
    show("average", sum(sums) / k)
    show("predictions", net(features[:3]).asnumpy().reshape(1, -1)[0])
