"""Sentences with a sentiment: a bidirectional LSTM and a convolutional network on padded indices."""

from ._text import Vocab
from ._tools import batches, draw, fixed, twice

REVIEWS = [("a good film with a fine end", 1), ("the worst hour of the year", 0), ("good actors and good light", 1),
           ("a bad and dull film", 0), ("fine music good story", 1), ("dull story bad end", 0),
           ("a fine hour with good actors", 1), ("bad light and the worst music", 0)]


def run(mx, show):
    np, npx, autograd, gluon, nn, rnn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn, mx.gluon.rnn
    lines = [text.split() for text, _ in REVIEWS]
    vocab = Vocab(lines, reserved=["<pad>"])

    def truncate_pad(line, num_steps):
        return line[:num_steps] if len(line) > num_steps else line + [vocab["<pad>"]] * (num_steps - len(line))

    features = np.array([truncate_pad(vocab[line], 7) for line in lines])
    labels = np.array([label for _, label in REVIEWS])

    class BiRNN(nn.Block):
        def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, **kwargs):
            super().__init__(**kwargs)
            self.embedding = nn.Embedding(vocab_size, embed_size)
            self.encoder = rnn.LSTM(num_hiddens, num_layers=num_layers, bidirectional=True, input_size=embed_size)
            self.decoder = nn.Dense(2)

        def forward(self, inputs):
            embeddings = self.embedding(inputs.T)
            outputs = self.encoder(embeddings)
            return self.decoder(np.concatenate((outputs[0], outputs[-1]), axis=1))

    def corr1d(X, K):
        w = K.shape[0]
        Y = np.zeros(X.shape[0] - w + 1)
        for i in range(Y.shape[0]):
            Y[i] = (X[i: i + w] * K).sum()
        return Y

    def corr1d_multi_in(X, K):
        return sum(corr1d(x, k) for x, k in zip(X, K))

    class TextCNN(nn.Block):
        def __init__(self, vocab_size, embed_size, kernel_sizes, num_channels, **kwargs):
            super().__init__(**kwargs)
            self.embedding = nn.Embedding(vocab_size, embed_size)
            self.constant_embedding = nn.Embedding(vocab_size, embed_size)
            self.dropout = nn.Dropout(0)
            self.decoder = nn.Dense(2)
            self.pool = nn.GlobalMaxPool1D()
            self.convs = nn.Sequential()
            for c, k in zip(num_channels, kernel_sizes):
                self.convs.add(nn.Conv1D(c, k, activation="relu"))

        def forward(self, inputs):
            embeddings = np.concatenate((self.embedding(inputs), self.constant_embedding(inputs)), axis=2)
            embeddings = embeddings.transpose(0, 2, 1)
            encoding = np.concatenate([np.squeeze(self.pool(conv(embeddings)), axis=-1) for conv in self.convs], axis=1)
            return self.decoder(self.dropout(encoding))

    X, K = np.array([0, 1, 2, 3, 4, 5, 6]), np.array([1, 2])
    show("corr1d", [corr1d(X, K), corr1d_multi_in(np.stack((X, X + 1, X + 2)), np.stack((K, K + 2, -K)))])
    vectors = np.array(draw(1, len(vocab), 6, scale=0.5))

    def use(net):
        net.embedding.weight.set_data(vectors)
        frozen = getattr(net, "constant_embedding", net.embedding)
        frozen.weight.set_data(vectors)
        frozen.collect_params().setattr("grad_req", "null")
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
        loss, losses = gluon.loss.SoftmaxCrossEntropyLoss(), []
        for _ in range(4):
            for X, y in batches(4, features, labels):
                with autograd.record():
                    l = loss(net(X), y)
                l.backward()
                trainer.step(4)
                losses.append(float(l.mean()))
        sequence = np.array(vocab["a good story".split()], ctx=npx.cpu())
        scores = net(sequence.reshape((1, -1)))
        return [losses, scores, "positive" if np.argmax(scores, axis=1) == 1 else "negative"]

    for name, build in (("BiRNN", lambda: BiRNN(len(vocab), 6, 6, 2)),
                        ("TextCNN", lambda: TextCNN(len(vocab), 6, [2, 3], [4, 4]))):
        def make():
            net = build()
            net.initialize(fixed(mx))
            return net

        twice(mx, show, name, make, use)
