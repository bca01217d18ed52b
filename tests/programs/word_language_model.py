"""A language model of words: layers of LSTM with tied weights, truncated back-propagation, a clipped gradient."""

import math

from ._tools import draw, fixed


def run(mx, show):
    gluon, autograd, nn, rnn = mx.gluon, mx.autograd, mx.gluon.nn, mx.gluon.rnn

    class WordModel(gluon.Block):
        def __init__(self, words_known, width, size, layers, dropout=0.0, tie_weights=False, **kwargs):
            super(WordModel, self).__init__(**kwargs)
            with self.name_scope():
                self.drop = nn.Dropout(dropout)
                self.encoder = nn.Embedding(words_known, width, weight_initializer=fixed(mx))
                self.rnn = rnn.LSTM(size, layers, dropout=dropout, input_size=width)
                if tie_weights:
                    self.decoder = nn.Dense(words_known, in_units=size, params=self.encoder.params)
                else:
                    self.decoder = nn.Dense(words_known, in_units=size)
                self.size = size

        def forward(self, inputs, hidden):
            emb = self.drop(self.encoder(inputs))
            output, hidden = self.rnn(emb, hidden)
            output = self.drop(output)
            decoded = self.decoder(output.reshape((-1, self.size)))
            return decoded, hidden

        def begin_state(self, *args, **kwargs):
            return self.rnn.begin_state(*args, **kwargs)

    def in_columns(data, batch_size):
        rows = data.shape[0] // batch_size
        return data[:rows * batch_size].reshape((batch_size, rows)).T

    def piece(source, i, bptt):
        seq_len = min(bptt, source.shape[0] - 1 - i)
        return source[i:i + seq_len], source[i + 1:i + 1 + seq_len].reshape((-1,))

    def detach(hidden):
        if isinstance(hidden, (tuple, list)):
            hidden = [i.detach() for i in hidden]
        else:
            hidden = hidden.detach()
        return hidden

    context, vocabulary, bptt = mx.cpu(), 11, 5
    words = (draw(5, 180).astype("float64") * 4).round().astype("int") % vocabulary
    train_data = in_columns(mx.nd.array(words), 4).as_in_context(context)
    for tied in (False, True):
        model = WordModel(vocabulary, 6, 6, 2, tie_weights=tied, prefix="model_")
        model.initialize(fixed(mx), ctx=context)
        trainer = gluon.Trainer(model.collect_params(), "sgd", {"learning_rate": 2, "momentum": 0, "wd": 0})
        loss, losses, norms = gluon.loss.SoftmaxCrossEntropyLoss(), [], []
        for epoch in range(3):
            total = 0.0
            hidden = model.begin_state(func=mx.nd.zeros, batch_size=4, ctx=context)
            for i in range(0, train_data.shape[0] - 1, bptt):
                data, target = piece(train_data, i, bptt)
                hidden = detach(hidden)
                with autograd.record():
                    output, hidden = model(data, hidden)
                    L = loss(output, target)
                L.backward()
                grads = [i.grad(context) for i in model.collect_params().values()]
                norms.append(gluon.utils.clip_global_norm(grads, 0.2 * bptt * 4))
                trainer.step(bptt * 4)
                losses.append(mx.nd.mean(L).asscalar())
                total += mx.nd.sum(L).asscalar()
            show(f"tied {tied} epoch {epoch}", math.exp(total / train_data.size))
        show(f"tied {tied} losses", losses)
        show(f"tied {tied} norms", norms)
        show(f"tied {tied} names", sorted(model.collect_params()))
