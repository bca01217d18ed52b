"""Reading sequences of digits with CTC: WarpCTC's way with symbols and its best path, and Gluon's loss."""

import numpy as np

from ._tools import draw, fixed

STEPS, BATCH, HIDDEN, CLASSES, LABELS = 8, 4, 6, 6, 3


def net(mx):
    """Unrolled LSTM of symbols, as it was written before cells."""
    data, label = mx.sym.Variable("data"), mx.sym.Variable("label")
    wordvec = mx.sym.SliceChannel(data=data, num_outputs=STEPS, squeeze_axis=1)
    i2h_weight, i2h_bias = mx.sym.Variable("l0_i2h_weight"), mx.sym.Variable("l0_i2h_bias")
    h2h_weight, h2h_bias = mx.sym.Variable("l0_h2h_weight"), mx.sym.Variable("l0_h2h_bias")
    c, h, hidden_all = mx.sym.Variable("l0_init_c"), mx.sym.Variable("l0_init_h"), []
    for seqidx in range(STEPS):
        i2h = mx.sym.FullyConnected(data=wordvec[seqidx], weight=i2h_weight, bias=i2h_bias, num_hidden=HIDDEN * 4,
                                    name="t%d_l0_i2h" % seqidx)
        h2h = mx.sym.FullyConnected(data=h, weight=h2h_weight, bias=h2h_bias, num_hidden=HIDDEN * 4,
                                    name="t%d_l0_h2h" % seqidx)
        gates = mx.sym.SliceChannel(i2h + h2h, num_outputs=4, name="t%d_l0_slice" % seqidx)
        in_gate = mx.sym.Activation(gates[0], act_type="sigmoid")
        in_transform = mx.sym.Activation(gates[1], act_type="tanh")
        forget_gate = mx.sym.Activation(gates[2], act_type="sigmoid")
        out_gate = mx.sym.Activation(gates[3], act_type="sigmoid")
        c = (forget_gate * c) + (in_gate * in_transform)
        h = out_gate * mx.sym.Activation(c, act_type="tanh")
        hidden_all.append(h)
    hidden_concat = mx.sym.Concat(*hidden_all, dim=0)
    pred = mx.sym.FullyConnected(data=hidden_concat, num_hidden=CLASSES, name="pred")
    pred_ctc = mx.sym.Reshape(data=pred, shape=(-4, STEPS, -1, 0))
    loss = mx.sym.contrib.ctc_loss(data=pred_ctc, label=label)
    ctc_loss = mx.sym.MakeLoss(loss)
    softmax_class = mx.symbol.SoftmaxActivation(data=pred)
    softmax_loss = mx.sym.BlockGrad(mx.sym.MakeLoss(softmax_class))
    return mx.sym.Group([softmax_loss, ctc_loss])


def best_path(probabilities):
    """Classes without repeats and blanks, for each of the batch."""
    best = probabilities.reshape((STEPS, BATCH, CLASSES)).argmax(axis=2).T
    return [[int(c) for i, c in enumerate(row) if c != 0 and (i == 0 or c != row[i - 1])] for row in best]


def run(mx, show):
    gluon, autograd, nn = mx.gluon, mx.autograd, mx.gluon.nn
    labels = np.array([[1, 2, 3], [4, 5, 0], [2, 2, 0], [5, 0, 0]], "float32")
    data = draw(3, BATCH, STEPS, CLASSES, scale=0.2)
    for row, digits in enumerate(labels):
        for place, digit in enumerate(digits):
            data[row, 2 * place + 1, int(digit)] += 2

    shapes = [("data", data.shape), ("l0_init_c", (BATCH, HIDDEN)), ("l0_init_h", (BATCH, HIDDEN))]
    batch = mx.io.DataBatch([mx.nd.array(data), mx.nd.zeros((BATCH, HIDDEN)), mx.nd.zeros((BATCH, HIDDEN))],
                            [mx.nd.array(labels)])
    mod = mx.mod.Module(net(mx), data_names=[name for name, _ in shapes], label_names=["label"], context=mx.cpu())
    mod.bind(data_shapes=shapes, label_shapes=[("label", labels.shape)])
    mod.init_params(fixed(mx))
    mod.init_optimizer(optimizer="adam", optimizer_params={"learning_rate": 0.05})
    losses = []
    for _ in range(20):
        mod.forward_backward(batch)
        losses.append(mod.get_outputs()[1].copy())
        mod.update()
    show("losses", losses)
    show("read", best_path(mod.get_outputs()[0].asnumpy()))

    class Reader(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super(Reader, self).__init__(**kwargs)
            with self.name_scope():
                self.lstm = mx.gluon.rnn.LSTM(HIDDEN, layout="NTC", bidirectional=True)
                self.out = nn.Dense(CLASSES, flatten=False)

        def hybrid_forward(self, F, x):
            return self.out(self.lstm(x))

    reader = Reader()
    reader.initialize(fixed(mx))
    reader.hybridize()
    ctc = gluon.loss.CTCLoss(layout="NTC", label_layout="NT")
    trainer = gluon.Trainer(reader.collect_params(), "rmsprop", {"learning_rate": 0.02})
    losses = []
    for _ in range(20):
        with autograd.record():
            loss = ctc(reader(mx.nd.array(data)), mx.nd.array(labels - 1))
        loss.backward()
        trainer.step(BATCH)
        losses.append(loss)
    show("gluon losses", losses)
    show("gluon with lengths", ctc(reader(mx.nd.array(data)), mx.nd.array(labels - 1), mx.nd.array([8, 6, 7, 4]),
                                   mx.nd.array([3, 2, 2, 1])))
