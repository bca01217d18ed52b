"""Multi-head attention, positions, and a transformer whose decoder keeps what it has seen."""

import math

from ._tools import draw, fixed, twice


def run(mx, show):
    np, npx, autograd, gluon, nn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn

    def masked_softmax(X, valid_lens):
        if valid_lens is None:
            return npx.softmax(X)
        shape = X.shape
        valid_lens = valid_lens.repeat(shape[1]) if valid_lens.ndim == 1 else valid_lens.reshape(-1)
        X = npx.sequence_mask(X.reshape(-1, shape[-1]), valid_lens, True, value=-1e6, axis=1)
        return npx.softmax(X).reshape(shape)

    class DotProductAttention(nn.Block):
        def __init__(self, dropout, **kwargs):
            super().__init__(**kwargs)
            self.dropout = nn.Dropout(dropout)

        def forward(self, queries, keys, values, valid_lens=None):
            d = queries.shape[-1]
            scores = npx.batch_dot(queries, keys, transpose_b=True) / math.sqrt(d)
            self.attention_weights = masked_softmax(scores, valid_lens)
            return npx.batch_dot(self.dropout(self.attention_weights), values)

    def transpose_qkv(X, num_heads):
        X = X.reshape(X.shape[0], X.shape[1], num_heads, -1).transpose(0, 2, 1, 3)
        return X.reshape(-1, X.shape[2], X.shape[3])

    def transpose_output(X, num_heads):
        X = X.reshape(-1, num_heads, X.shape[1], X.shape[2]).transpose(0, 2, 1, 3)
        return X.reshape(X.shape[0], X.shape[1], -1)

    class MultiHeadAttention(nn.Block):
        def __init__(self, num_hiddens, num_heads, dropout, use_bias=False, **kwargs):
            super().__init__(**kwargs)
            self.num_heads = num_heads
            self.attention = DotProductAttention(dropout)
            self.W_q, self.W_k, self.W_v, self.W_o = [
                nn.Dense(num_hiddens, use_bias=use_bias, flatten=False) for _ in range(4)]

        def forward(self, queries, keys, values, valid_lens):
            queries, keys, values = [transpose_qkv(W(X), self.num_heads) for W, X in (
                (self.W_q, queries), (self.W_k, keys), (self.W_v, values))]
            if valid_lens is not None:
                valid_lens = valid_lens.repeat(self.num_heads, axis=0)
            output = self.attention(queries, keys, values, valid_lens)
            return self.W_o(transpose_output(output, self.num_heads))

    class PositionalEncoding(nn.Block):
        def __init__(self, num_hiddens, dropout, max_len=50):
            super().__init__()
            self.dropout = nn.Dropout(dropout)
            self.P = np.zeros((1, max_len, num_hiddens))
            X = np.arange(max_len).reshape(-1, 1) / np.power(10000, np.arange(0, num_hiddens, 2) / num_hiddens)
            self.P[:, :, 0::2] = np.sin(X)
            self.P[:, :, 1::2] = np.cos(X)

        def forward(self, X):
            X = X + self.P[:, :X.shape[1], :].as_in_ctx(X.ctx)
            return self.dropout(X)

    class AddNorm(nn.Block):
        def __init__(self, dropout, **kwargs):
            super().__init__(**kwargs)
            self.dropout = nn.Dropout(dropout)
            self.ln = nn.LayerNorm()

        def forward(self, X, Y):
            return self.ln(self.dropout(Y) + X)

    def ffn(ffn_num_hiddens, num_hiddens):
        net = nn.HybridSequential()
        net.add(nn.Dense(ffn_num_hiddens, flatten=False, activation="relu"), nn.Dense(num_hiddens, flatten=False))
        return net

    class EncoderBlock(nn.Block):
        def __init__(self, num_hiddens, ffn_num_hiddens, num_heads, dropout, **kwargs):
            super().__init__(**kwargs)
            self.attention = MultiHeadAttention(num_hiddens, num_heads, dropout)
            self.addnorm1 = AddNorm(dropout)
            self.ffn = ffn(ffn_num_hiddens, num_hiddens)
            self.addnorm2 = AddNorm(dropout)

        def forward(self, X, valid_lens):
            Y = self.addnorm1(X, self.attention(X, X, X, valid_lens))
            return self.addnorm2(Y, self.ffn(Y))

    class DecoderBlock(nn.Block):
        def __init__(self, num_hiddens, ffn_num_hiddens, num_heads, dropout, i, **kwargs):
            super().__init__(**kwargs)
            self.i = i
            self.attention1 = MultiHeadAttention(num_hiddens, num_heads, dropout)
            self.attention2 = MultiHeadAttention(num_hiddens, num_heads, dropout)
            self.addnorm1, self.addnorm2, self.addnorm3 = AddNorm(dropout), AddNorm(dropout), AddNorm(dropout)
            self.ffn = ffn(ffn_num_hiddens, num_hiddens)

        def forward(self, X, state):
            enc_outputs, enc_valid_lens = state[0], state[1]
            key_values = X if state[2][self.i] is None else np.concatenate((state[2][self.i], X), axis=1)
            state[2][self.i] = key_values
            if autograd.is_training():
                batch_size, num_steps, _ = X.shape
                dec_valid_lens = np.tile(np.arange(1, num_steps + 1, ctx=X.ctx), (batch_size, 1))
            else:
                dec_valid_lens = None
            Y = self.addnorm1(X, self.attention1(X, key_values, key_values, dec_valid_lens))
            Z = self.addnorm2(Y, self.attention2(Y, enc_outputs, enc_outputs, enc_valid_lens))
            return self.addnorm3(Z, self.ffn(Z)), state

    class Transformer(nn.Block):
        def __init__(self, vocab_size, num_hiddens, num_layers):
            super().__init__()
            self.num_hiddens, self.num_layers = num_hiddens, num_layers
            self.source, self.target = nn.Embedding(vocab_size, num_hiddens), nn.Embedding(vocab_size, num_hiddens)
            self.positions = PositionalEncoding(num_hiddens, 0)
            self.encoder, self.decoder = nn.Sequential(), nn.Sequential()
            for i in range(num_layers):
                self.encoder.add(EncoderBlock(num_hiddens, 12, 2, 0))
                self.decoder.add(DecoderBlock(num_hiddens, 12, 2, 0, i))
            self.dense = nn.Dense(vocab_size, flatten=False)

        def encode(self, X, valid_lens):
            X = self.positions(self.source(X) * math.sqrt(self.num_hiddens))
            for blk in self.encoder:
                X = blk(X, valid_lens)
            return [X, valid_lens, [None] * self.num_layers]

        def decode(self, X, state):
            X = self.positions(self.target(X) * math.sqrt(self.num_hiddens))
            for blk in self.decoder:
                X, state = blk(X, state)
            return self.dense(X), state

        def forward(self, source, target, valid_lens):
            return self.decode(target, self.encode(source, valid_lens))[0]

    attention = MultiHeadAttention(8, 4, 0.5)
    attention.initialize(fixed(mx))
    X, Y = np.array(draw(1, 2, 4, 8)), np.array(draw(2, 2, 6, 8))
    show("attention", attention(X, Y, Y, np.array([3, 2])))
    positions = PositionalEncoding(8, 0)
    positions.initialize()
    show("positions", positions(np.zeros((1, 5, 8))))
    causal = masked_softmax(np.array(draw(3, 1, 4, 4)), np.arange(1, 5).reshape(1, -1))
    show("causal", causal)

    source = np.array([[1, 5, 3, 2, 0], [4, 3, 2, 0, 0], [6, 2, 0, 0, 0], [7, 1, 3, 5, 2]])
    lens, target = np.array([4, 3, 2, 5]), np.array([[1, 4, 3], [2, 5, 3], [6, 7, 3], [4, 1, 2]])
    loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def make():
        net = Transformer(9, 8, 2)
        net.initialize(fixed(mx))
        return net

    def use(net):
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
        losses = []
        for _ in range(5):
            dec_input = np.concatenate([np.full((4, 1), 8), target[:, :-1]], axis=1)
            with autograd.record():
                l = loss(net(source, dec_input, lens), target)
            l.backward()
            trainer.step(4)
            losses.append(float(l.mean()))
        state, token, steps = net.encode(source[:1], lens[:1]), np.array([[8]]), []
        for _ in range(3):
            scores, state = net.decode(token, state)
            token = scores.argmax(axis=2)
            steps.append(scores[0, 0])
        weights = [blk.attention2.attention.attention_weights for blk in net.decoder]
        return [losses, np.stack(steps), np.concatenate(weights, 0).reshape((2, -1, 2, 1, 5))[0, 0], token.dtype.name]

    twice(mx, show, "transformer", make, use)
