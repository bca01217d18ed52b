"""RNN, GRU and LSTM as layers in a language model: one layer, two layers, both directions."""

import math

from ._text import corpus, sequential
from ._tools import draw, fixed, twice


def run(mx, show):
    np, npx, autograd, gluon, nn, rnn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn, mx.gluon.rnn
    indices, vocab = corpus(200)

    class RNNModel(nn.Block):
        def __init__(self, rnn_layer, vocab_size, **kwargs):
            super().__init__(**kwargs)
            self.rnn = rnn_layer
            self.vocab_size = vocab_size
            self.dense = nn.Dense(vocab_size)

        def forward(self, inputs, state):
            X = npx.one_hot(inputs.T, self.vocab_size)
            Y, state = self.rnn(X, state)
            output = self.dense(Y.reshape(-1, Y.shape[-1]))
            return output, state

        def begin_state(self, *args, **kwargs):
            return self.rnn.begin_state(*args, **kwargs)

    layer = rnn.RNN(8)
    layer.initialize(fixed(mx))
    state = layer.begin_state(batch_size=2)
    Y, state_new = layer(np.array(draw(1, 5, 2, 6)), state)
    show("layer", [len(state), state[0].shape, Y.shape, len(state_new), state_new[0]])
    loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def use(net):
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1})
        perplexities, state = [], None
        for _ in range(2):
            total, tokens = 0.0, 0
            for X, Y in sequential(np, indices, 4, 8):
                if state is None:
                    state = net.begin_state(batch_size=X.shape[0], ctx=X.ctx)
                else:
                    state = [s.detach() for s in state]
                y = Y.T.reshape(-1)
                with autograd.record():
                    y_hat, state = net(X, state)
                    l = loss(y_hat, y).mean()
                l.backward()
                gluon.utils.clip_global_norm([p.grad().as_nd_ndarray() for p in net.collect_params().values()], 1)
                trainer.step(1)
                total, tokens = total + float(l) * y.size, tokens + y.size
            state = None
            perplexities.append(math.exp(total / tokens))
        return [perplexities, y_hat[0]]

    layers = {"RNN": lambda: rnn.RNN(8), "RNN relu": lambda: rnn.RNN(8, activation="relu"), "GRU": lambda: rnn.GRU(8),
              "LSTM": lambda: rnn.LSTM(8), "two LSTM": lambda: rnn.LSTM(8, 2),
              "both directions": lambda: rnn.LSTM(4, bidirectional=True)}
    for name, build in layers.items():
        def make():
            net = RNNModel(build(), len(vocab))
            net.initialize(fixed(mx))
            return net

        twice(mx, show, name, make, use)
