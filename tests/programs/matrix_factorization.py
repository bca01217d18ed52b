"""Matrix factorization as Module programs wrote it: an iterator of one's own, embeddings, a custom metric."""

import math

import numpy as np

from ._tools import draw, fixed


def get_net(mx, factor_size, num_hidden, max_user, max_item):
    user = mx.symbol.Variable("user")
    item = mx.symbol.Variable("item")
    score = mx.symbol.Variable("score")
    user = mx.symbol.Embedding(data=user, input_dim=max_user, output_dim=factor_size)
    user = mx.symbol.Activation(data=user, act_type="relu")
    user = mx.symbol.FullyConnected(data=user, num_hidden=num_hidden)
    item = mx.symbol.Embedding(data=item, input_dim=max_item, output_dim=factor_size)
    item = mx.symbol.Activation(data=item, act_type="relu")
    item = mx.symbol.FullyConnected(data=item, num_hidden=num_hidden)
    pred = user * item
    pred = mx.symbol.sum_axis(data=pred, axis=1)
    pred = mx.symbol.Flatten(data=pred)
    return mx.symbol.LinearRegressionOutput(data=pred, label=score)


class Batch:
    def __init__(self, data_names, data, label_names, label):
        self.data, self.label = data, label
        self.data_names, self.label_names = data_names, label_names

    @property
    def provide_data(self):
        return [(n, x.shape) for n, x in zip(self.data_names, self.data)]

    @property
    def provide_label(self):
        return [(n, x.shape) for n, x in zip(self.label_names, self.label)]


def run(mx, show):
    class DataIter(mx.io.DataIter):
        def __init__(self, ratings, batch_size):
            super(DataIter, self).__init__()
            self.batch_size, self.data = batch_size, ratings
            self.provide_data = [("user", (batch_size,)), ("item", (batch_size,))]
            self.provide_label = [("score", (batch_size,))]

        def __iter__(self):
            for k in range(len(self.data) // self.batch_size):
                rows = self.data[k * self.batch_size:(k + 1) * self.batch_size]
                users, items, scores = (mx.nd.array([row[i] for row in rows]) for i in range(3))
                yield Batch(["user", "item"], [users, items], ["score"], [scores])

        def reset(self):
            self.data = self.data[3:] + self.data[:3]

    def rmse(label, pred):
        ret, n = 0.0, 0.0
        pred = pred.flatten()
        for i in range(len(label)):
            ret += (label[i] - pred[i]) * (label[i] - pred[i])
            n += 1.0
        return math.sqrt(ret / n)

    taste, quality = draw(1, 8, 2), draw(2, 6, 2)
    ratings = [(u, i, float(np.dot(taste[u], quality[i])) + 3) for u in range(8) for i in range(6)]
    train = DataIter(ratings, 8)
    model = mx.mod.Module(symbol=get_net(mx, 4, 5, 8, 6), context=[mx.cpu(0)], data_names=["user", "item"],
                          label_names=["score"])
    steps = []

    def note(param):
        steps.append(param.eval_metric.get()[1])
        param.eval_metric.reset()

    model.fit(train, eval_data=train, num_epoch=4, eval_metric=mx.metric.CustomMetric(rmse), optimizer="sgd",
              optimizer_params={"learning_rate": 0.05, "momentum": 0.5, "wd": 0.0001}, initializer=fixed(mx),
              batch_end_callback=[note, mx.callback.Speedometer(8, 20000)])
    show("rmse", steps)
    args, _ = model.get_params()
    show("parameters", [[name, args[name]] for name in sorted(args)])
