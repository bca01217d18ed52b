"""Two heads on one body: a Group of outputs, labels made by an iterator around another, a metric for each head."""

import numpy as np

from ._tools import fixed, shapes_data


def build_network(mx):
    data = mx.sym.Variable("data")
    fc1 = mx.sym.FullyConnected(data=mx.sym.Flatten(data), name="fc1", num_hidden=12)
    act1 = mx.sym.Activation(data=fc1, name="relu1", act_type="relu")
    kind = mx.sym.SoftmaxOutput(data=mx.sym.FullyConnected(data=act1, name="fc_kind", num_hidden=2), name="softmax1")
    place = mx.sym.SoftmaxOutput(data=mx.sym.FullyConnected(data=act1, name="fc_place", num_hidden=8),
                                 name="softmax2", grad_scale=0.5)
    return mx.sym.Group([kind, place])


def run(mx, show):
    images, labels = shapes_data(mx)
    places = mx.nd.array([i // 2 % 8 for i in range(len(images))])

    class TwoLabels(mx.io.DataIter):
        def __init__(self, data_iter, places):
            super(TwoLabels, self).__init__()
            self.data_iter, self.places = data_iter, places
            self.batch_size = self.data_iter.batch_size

        @property
        def provide_data(self):
            return self.data_iter.provide_data

        @property
        def provide_label(self):
            provide_label = self.data_iter.provide_label[0]
            return [("softmax1_label", provide_label[1]), ("softmax2_label", provide_label[1])]

        def hard_reset(self):
            self.data_iter.hard_reset()

        def reset(self):
            self.data_iter.reset()

        def next(self):
            batch = self.data_iter.next()
            kind, at = batch.label[0], self.data_iter.cursor
            return mx.io.DataBatch(data=batch.data, label=[kind, self.places[at:at + self.batch_size]],
                                   pad=batch.pad, index=batch.index)

    class MultiAccuracy(mx.metric.EvalMetric):
        def __init__(self, num=None):
            self.num = num
            super(MultiAccuracy, self).__init__("multi-accuracy")

        def reset(self):
            self.num_inst = 0 if self.num is None else [0] * self.num
            self.sum_metric = 0.0 if self.num is None else [0.0] * self.num

        def update(self, labels, preds):
            mx.metric.check_label_shapes(labels, preds)
            for i in range(len(labels)):
                pred_label = mx.nd.argmax_channel(preds[i]).asnumpy().astype("int32")
                label = labels[i].asnumpy().astype("int32")
                self.sum_metric[i] += (pred_label.flat == label.flat).sum()
                self.num_inst[i] += len(pred_label.flat)

        def get(self):
            return zip(*(("%s-task%d" % (self.name, i), float(self.sum_metric[i]) / self.num_inst[i])
                         for i in range(self.num)))

    train = TwoLabels(mx.io.NDArrayIter(images, labels, 8), places)
    model = mx.mod.Module(context=mx.cpu(), symbol=build_network(mx),
                          label_names=("softmax1_label", "softmax2_label"))
    losses = []

    def note(param):
        outputs, batch = model.get_outputs(), param.locals["data_batch"]
        losses.append([float(-np.log(out.asnumpy()[np.arange(8), label.asnumpy().astype(int)]).mean())
                       for out, label in zip(outputs, batch.label)])

    model.fit(train_data=train, eval_data=train, eval_metric=MultiAccuracy(num=2), num_epoch=5,
              optimizer_params=(("learning_rate", 0.1), ("momentum", 0.9), ("wd", 0.00001)),
              initializer=fixed(mx), batch_end_callback=[note, mx.callback.Speedometer(8, 5000)])
    show("losses", losses)
    metric = MultiAccuracy(num=2)
    model.score(train, metric)
    show("accuracy", [list(part) for part in metric.get()])
