"""The concise recurrent network of the books: rnn.RNN, GRU and LSTM under a Dense, states detached, text predicted."""

import math

from ._tools import fixed

TEXT = "time traveller for so it will be convenient to speak of him was expounding a recondite matter to us"


def run(mx, show):
    nd, gluon, autograd = mx.nd, mx.gluon, mx.autograd
    nn, rnn = gluon.nn, gluon.rnn
    idx_to_char = sorted(set(TEXT))
    char_to_idx = {char: i for i, char in enumerate(idx_to_char)}
    corpus = [char_to_idx[char] for char in TEXT]
    vocab, hiddens = len(idx_to_char), 8

    class RNNModel(nn.Block):
        def __init__(self, rnn_layer, vocab_size, **kwargs):
            super().__init__(**kwargs)
            self.rnn = rnn_layer
            self.vocab_size = vocab_size
            self.dense = nn.Dense(vocab_size)

        def forward(self, inputs, state):
            X = nd.one_hot(inputs.T, self.vocab_size)
            Y, state = self.rnn(X, state)
            return self.dense(Y.reshape((-1, Y.shape[-1]))), state

        def begin_state(self, *args, **kwargs):
            return self.rnn.begin_state(*args, **kwargs)

    def consecutive(batch_size, num_steps):
        indices = nd.array(corpus)
        batch_len = len(indices) // batch_size
        indices = indices[0:batch_size * batch_len].reshape((batch_size, batch_len))
        for i in range((batch_len - 1) // num_steps):
            yield (indices[:, i * num_steps:(i + 1) * num_steps],
                   indices[:, i * num_steps + 1:(i + 1) * num_steps + 1])

    def predict(prefix, length, model):
        state = model.begin_state(batch_size=1, ctx=mx.cpu())
        output = [char_to_idx[prefix[0]]]
        for t in range(length + len(prefix) - 1):
            Y, state = model(nd.array([output[-1]]).reshape((1, 1)), state)
            if t < len(prefix) - 1:
                output.append(char_to_idx[prefix[t + 1]])
            else:
                output.append(int(Y.argmax(axis=1).asscalar()))
        return "".join([idx_to_char[i] for i in output])

    layer = rnn.RNN(hiddens)
    layer.initialize()
    state = layer.begin_state(batch_size=2)
    show("state", state)
    Y, state_new = layer(nd.zeros((3, 2, vocab)), state)
    show("shapes", [str(Y.shape), len(state_new), str(state_new[0].shape)])
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    for kind in (rnn.RNN, rnn.GRU, rnn.LSTM):
        model = RNNModel(kind(hiddens), vocab, prefix=f"{kind.__name__.lower()}_")
        model.initialize(fixed(mx), force_reinit=True, ctx=mx.cpu())
        trainer = gluon.Trainer(model.collect_params(), "sgd", {"learning_rate": 1, "momentum": 0, "wd": 0})
        for epoch in range(2):
            total, count = 0.0, 0
            state = model.begin_state(batch_size=2, ctx=mx.cpu())
            for X, Y in consecutive(2, 6):
                for s in state:
                    s.detach()
                with autograd.record():
                    output, state = model(X, state)
                    y = Y.T.reshape((-1,))
                    cost = loss(output, y).mean()
                cost.backward()
                params = [p.data() for p in model.collect_params().values()]
                norm = gluon.utils.clip_global_norm([p.grad for p in params], 0.5)
                trainer.step(1)
                total += cost.asscalar() * y.size
                count += y.size
            show(f"{kind.__name__} {epoch + 1}", ["perplexity %.2f" % math.exp(total / count), float(norm), *state])
        show(f"{kind.__name__} text", predict("time", 10, model))
        show(f"{kind.__name__} params", [str(model.rnn), *model.collect_params().keys()])
