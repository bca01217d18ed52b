"""Attention by scores: masked softmax of one, two and three axes, several heads, sines and cosines of positions."""

import math

from ._tools import draw, fixed, train, twice


def run(mx, show):
    np, npx, gluon, nn = mx.np, mx.npx, mx.gluon, mx.gluon.nn

    def masked_softmax(X, valid_lens):
        if valid_lens is None:
            return npx.softmax(X)
        shape = X.shape
        if valid_lens.ndim == 1:
            valid_lens = valid_lens.repeat(shape[1])
        else:
            valid_lens = valid_lens.reshape(-1)
        X = npx.sequence_mask(X.reshape(-1, shape[-1]), valid_lens, True, value=-1e6, axis=1)
        return npx.softmax(X).reshape(shape)

    scores = np.array(draw(1, 2, 2, 4))
    show("masked", [masked_softmax(scores, np.array([2, 3])), masked_softmax(scores, np.array([[1, 3], [2, 4]])),
                    masked_softmax(scores, None)])

    class DotProductAttention(nn.Block):
        def __init__(self, dropout, **kwargs):
            super().__init__(**kwargs)
            self.dropout = nn.Dropout(dropout)

        def forward(self, queries, keys, values, valid_lens=None):
            d = queries.shape[-1]
            scores = npx.batch_dot(queries, keys, transpose_b=True) / math.sqrt(d)
            self.attention_weights = masked_softmax(scores, valid_lens)
            return npx.batch_dot(self.dropout(self.attention_weights), values)

    class AdditiveAttention(nn.Block):
        def __init__(self, num_hiddens, **kwargs):
            super().__init__(**kwargs)
            self.W_k = nn.Dense(num_hiddens, use_bias=False, flatten=False)
            self.W_q = nn.Dense(num_hiddens, use_bias=False, flatten=False)
            self.w_v = nn.Dense(1, use_bias=False, flatten=False)

        def forward(self, queries, keys, values, valid_lens):
            queries, keys = self.W_q(queries), self.W_k(keys)
            features = np.tanh(np.expand_dims(queries, axis=2) + np.expand_dims(keys, axis=1))
            scores = np.squeeze(self.w_v(features), axis=-1)
            self.attention_weights = masked_softmax(scores, valid_lens)
            return npx.batch_dot(self.attention_weights, values)

    queries, keys = np.array(draw(2, 2, 1, 20)), np.ones((2, 10, 2))
    values = np.arange(40).reshape(1, 10, 4).repeat(2, axis=0)
    valid_lens = np.array([2, 6])
    additive = AdditiveAttention(8)
    additive.initialize(fixed(mx))
    show("additive", [additive(queries, keys, values, valid_lens), additive.attention_weights])
    dot = DotProductAttention(0.5)
    dot.initialize()
    show("dot product", [dot(np.array(draw(3, 2, 1, 2)), keys, values, valid_lens),
                         dot.attention_weights.reshape(2, 10)])

    def split_heads(X, num_heads):
        X = X.reshape(X.shape[0], X.shape[1], num_heads, -1).transpose(0, 2, 1, 3)
        return X.reshape(-1, X.shape[2], X.shape[3])

    def join_heads(X, num_heads):
        X = X.reshape(-1, num_heads, X.shape[1], X.shape[2]).transpose(0, 2, 1, 3)
        return X.reshape(X.shape[0], X.shape[1], -1)

    X = np.array(draw(4, 2, 4, 6))
    show("heads", [split_heads(X, 3), (join_heads(split_heads(X, 3), 3) == X).all()])
    P = np.zeros((1, 6, 8))
    angles = np.arange(6).reshape(-1, 1) / np.power(10000, np.arange(0, 8, 2) / 8)
    P[:, :, 0::2] = np.sin(angles)
    P[:, :, 1::2] = np.cos(angles)
    show("positions", P)

    class Classifier(nn.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.qkv = nn.Dense(18, flatten=False, use_bias=False)
            self.attention, self.norm, self.out = DotProductAttention(0), nn.LayerNorm(), nn.Dense(2)

        def forward(self, X):
            q, k, v = np.split(self.qkv(X + P[:, :X.shape[1], :6]), 3, axis=-1)
            heads = [split_heads(part, 2) for part in (q, k, v)]
            lens = np.array([4, 3]).repeat(2 * len(X) // 2)
            return self.out(self.norm(X + join_heads(self.attention(*heads, lens), 2)).mean(axis=1))

    def make():
        net = Classifier()
        net.initialize(fixed(mx))
        return net

    twice(mx, show, "trained", make, lambda net: train(
        mx, net, gluon.loss.SoftmaxCrossEntropyLoss(), [[X, np.array([0, 1])]], epochs=4, learning_rate=0.3))
