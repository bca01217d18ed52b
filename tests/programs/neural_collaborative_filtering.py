"""Neural collaborative filtering: a factorized and a deep path, with sampled negatives."""

import numpy as np

from ._tools import fixed


def get_model(mx, kind, size, users, items, layers=(8, 4)):
    user, item = mx.sym.Variable("user"), mx.sym.Variable("item")
    label = mx.sym.Variable("softmax_label")
    embedded = lambda data, count, width, name: mx.sym.Embedding(data=data, input_dim=count, output_dim=width,
                                                                 weight=mx.sym.Variable(name, init=mx.init.One())
                                                                 if kind == "gmf" else mx.sym.Variable(name),
                                                                 name=name[:-7])
    paths = []
    if kind in ("gmf", "neumf"):
        paths.append(embedded(user, users, size, "embed_user_weight")
                     * embedded(item, items, size, "embed_item_weight"))
    if kind in ("mlp", "neumf"):
        deep = mx.sym.concat(embedded(user, users, layers[0] // 2, "deep_user_weight"),
                             embedded(item, items, layers[0] // 2, "deep_item_weight"), dim=1, name="concat")
        for i, units in enumerate(layers):
            deep = mx.sym.FullyConnected(data=deep, num_hidden=units, name="fc_%d" % i)
            deep = mx.sym.Activation(data=deep, act_type="relu", name="relu_%d" % i)
        paths.append(deep)
    both = paths[0] if len(paths) == 1 else mx.sym.concat(*paths, dim=1)
    return mx.sym.LogisticRegressionOutput(data=mx.sym.FullyConnected(data=both, num_hidden=1, name="fc_final"),
                                           label=label, name="softmax")


def run(mx, show):
    chance, users, items, negatives, batch_size = np.random.RandomState(2), 9, 12, 3, 32
    liked = [(u, i) for u in range(users) for i in range(items) if (u + i) % 3 == 0]
    rows = [(u, i, 1) for u, i in liked]
    for u, _ in liked:
        rows += [(u, int(i), 0) for i in chance.randint(0, items, negatives) if (u, i) not in liked]
    rows = np.array(rows, "float32")[chance.permutation(len(rows))]
    train = mx.io.NDArrayIter({"user": rows[:, 0], "item": rows[:, 1]}, {"softmax_label": rows[:, 2:]}, batch_size,
                              last_batch_handle="discard")

    def cross_entropy(label, pred, eps=1e-12):
        pred = np.clip(pred, eps, 1.0 - eps)
        return -np.mean(label * np.log(pred) + (1 - label) * np.log(1 - pred))

    for kind in ("gmf", "mlp", "neumf"):
        mod = mx.mod.Module(get_model(mx, kind, 4, users, items), context=mx.cpu(), data_names=["item", "user"],
                            label_names=["softmax_label"])
        losses = []

        def note(param):
            losses.append(float(param.eval_metric.get()[1]))
            param.eval_metric.reset()

        train.reset()
        mod.fit(train, num_epoch=6, eval_metric=mx.metric.create(cross_entropy), optimizer="adam",
                optimizer_params={"learning_rate": 0.02}, initializer=fixed(mx), batch_end_callback=note)
        show(kind, losses[:20])
        scores = []
        for u in range(users):
            candidates = mx.io.NDArrayIter({"user": np.full(items, u, "float32"),
                                            "item": np.arange(items, dtype="float32")},
                                           {"softmax_label": np.zeros((items, 1), "float32")}, items)
            scores.append(mod.predict(candidates).reshape((1, -1)))
        show(kind + " scores", mx.nd.concat(*scores, dim=0))
