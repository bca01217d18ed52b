"""Noise contrastive estimation: the label and drawn words embedded, scored against the context, a weight for each."""

import numpy as np

from ._tools import draw, fixed

WORDS, SIZE, NUM_LABEL, NEARBY = 15, 5, 4, 3


def nce_loss(mx, data, label, label_weight, embed_weight):
    label_embed = mx.sym.Embedding(data=label, input_dim=WORDS, weight=embed_weight, output_dim=SIZE,
                                   name="label_embed")
    data = mx.sym.Reshape(data=data, shape=(-1, 1, SIZE))
    pred = mx.sym.broadcast_mul(data, label_embed)
    pred = mx.sym.sum(data=pred, axis=2)
    return mx.sym.LogisticRegressionOutput(data=pred, label=label_weight)


def get_word_net(mx):
    data, label, label_weight = mx.sym.Variable("data"), mx.sym.Variable("label"), mx.sym.Variable("label_weight")
    embed_weight = mx.sym.Variable("embed_weight")
    data_embed = mx.sym.Embedding(data=data, input_dim=WORDS, weight=embed_weight, output_dim=SIZE, name="data_embed")
    datavec = mx.sym.SliceChannel(data=data_embed, num_outputs=NEARBY, squeeze_axis=True, name="data_slice")
    pred = datavec[0]
    for i in range(1, NEARBY):
        pred = pred + datavec[i]
    return nce_loss(mx, pred, label, label_weight, embed_weight)


def run(mx, show):
    chance = np.random.RandomState(4)
    text = (np.abs(draw(3, 200)) * 9).astype(int) % WORDS

    class NceAuc(mx.metric.EvalMetric):
        def __init__(self):
            super(NceAuc, self).__init__("nce-auc")

        def update(self, labels, preds):
            label_weight = labels[1].asnumpy()
            pairs = sorted(zip(preds[0].asnumpy().ravel(), label_weight.ravel()), key=lambda pair: pair[0])
            rank, positive = 0.0, float(label_weight.sum())
            for place, (_, true) in enumerate(pairs):
                rank += place + 1 if true else 0
            negative = len(pairs) - positive
            self.sum_metric += (rank - positive * (positive + 1) / 2) / (positive * negative)
            self.num_inst += 1

    class LanguageIter(mx.io.DataIter):
        def __init__(self, batch_size):
            super(LanguageIter, self).__init__(batch_size)
            self.provide_data = [("data", (batch_size, NEARBY))]
            self.provide_label = [("label", (batch_size, NUM_LABEL)), ("label_weight", (batch_size, NUM_LABEL))]
            self.rows = []
            for i in range(NEARBY - 1, 195):
                data = [text[i - 2], text[i - 1], text[i + 1]]
                self.rows.append((data, [text[i]] + list(chance.randint(0, WORDS, NUM_LABEL - 1)), [1.0] + [0.0] * 3))

        def __iter__(self):
            for k in range(len(self.rows) // self.batch_size):
                rows = self.rows[k * self.batch_size:(k + 1) * self.batch_size]
                data, label, weight = [mx.nd.array([row[i] for row in rows]) for i in range(3)]
                yield mx.io.DataBatch([data], [label, weight])

        def reset(self):
            pass

    model = mx.mod.Module(symbol=get_word_net(mx), context=[mx.cpu()], data_names=["data"],
                          label_names=["label", "label_weight"])
    losses, auc = [], []

    def note(param):
        pred, weight = model.get_outputs()[0].asnumpy(), param.locals["data_batch"].label[1].asnumpy()
        losses.append(float(-np.log(np.where(weight > 0, pred, 1 - pred)).mean()))
        auc.append(float(param.eval_metric.get()[1]))

    model.fit(train_data=LanguageIter(16), num_epoch=2, eval_metric=NceAuc(), batch_end_callback=note,
              optimizer="sgd", optimizer_params={"learning_rate": 0.3, "momentum": 0.9, "wd": 0.0},
              initializer=fixed(mx))
    show("losses", losses)
    show("auc", auc)
    show("embedding", model.get_params()[0]["embed_weight"])
