"""Attention: additive and scaled dot product with masks, an encoder of embeddings, a masked loss for sequences."""

from ._tools import draw, fixed


def run(mx, show):
    nd, gluon, autograd, nn = mx.nd, mx.gluon, mx.autograd, mx.gluon.nn

    def attention_model(attention_size):
        model = nn.Sequential()
        model.add(nn.Dense(attention_size, activation="tanh", use_bias=False, flatten=False),
                  nn.Dense(1, use_bias=False, flatten=False))
        return model

    def attention_forward(model, enc_states, dec_state):
        dec_states = nd.broadcast_axis(dec_state.expand_dims(0), axis=0, size=enc_states.shape[0])
        e = model(nd.concat(enc_states, dec_states, dim=2))
        alpha = nd.softmax(e, axis=0)
        return (alpha * enc_states).sum(axis=0), alpha

    model = attention_model(10)
    model.initialize(fixed(mx))
    states, query = nd.array(draw(1, 5, 3, 4)), nd.array(draw(2, 3, 4))
    states.attach_grad()
    with autograd.record():
        context, alpha = attention_forward(model, states, query)
    context.backward()
    show("additive", [context, alpha.reshape((5, 3)), states.grad[0], model[0].weight.grad()[:2]])

    def masked_softmax(X, valid_len):
        if valid_len is None:
            return X.softmax()
        shape = X.shape
        valid_len = valid_len.repeat(shape[1], axis=0) if valid_len.ndim == 1 else valid_len.reshape((-1,))
        X = nd.SequenceMask(X.reshape((-1, shape[-1])), valid_len, True, axis=1, value=-1e6)
        return X.softmax().reshape(shape)

    class DotProductAttention(nn.Block):
        def __init__(self, dropout, **kwargs):
            super(DotProductAttention, self).__init__(**kwargs)
            self.dropout = nn.Dropout(dropout)

        def forward(self, query, key, value, valid_len=None):
            d = query.shape[-1]
            scores = nd.batch_dot(query, key, transpose_b=True) / (d ** 0.5)
            return nd.batch_dot(self.dropout(masked_softmax(scores, valid_len)), value)

    class MultiHead(nn.Block):
        def __init__(self, num_hiddens, num_heads, **kwargs):
            super().__init__(**kwargs)
            self.num_heads = num_heads
            self.attention = DotProductAttention(0.5)
            self.W_q, self.W_k, self.W_v, self.W_o = [
                nn.Dense(num_hiddens, use_bias=False, flatten=False) for _ in range(4)]

        def split(self, X):
            X = X.reshape((0, 0, self.num_heads, -1)).transpose((0, 2, 1, 3))
            return X.reshape((-1, 0, 0), reverse=True)

        def forward(self, query, key, value, valid_len):
            query, key, value = self.split(self.W_q(query)), self.split(self.W_k(key)), self.split(self.W_v(value))
            valid_len = nd.concat(*[valid_len.expand_dims(1)] * self.num_heads, dim=1).reshape((-1,))
            output = self.attention(query, key, value, valid_len)
            output = output.reshape((-1, self.num_heads, 0, 0), reverse=True).transpose((0, 2, 1, 3))
            return self.W_o(output.reshape((0, 0, -1)))

    show("masked", masked_softmax(nd.array(draw(3, 2, 2, 4)), nd.array([2, 3])))
    keys, values = nd.ones((2, 10, 2)), nd.arange(40).reshape((1, 10, 4)).repeat(2, axis=0)
    dot = DotProductAttention(dropout=0.5)
    show("dot", dot(nd.ones((2, 1, 2)), keys, values, nd.array([2, 6])))
    cell = MultiHead(8, 4)
    cell.initialize(fixed(mx))
    X = nd.array(draw(4, 2, 3, 5))
    show("heads", [cell(X, X, X, nd.array([2, 3])), str(cell)])

    position = nd.zeros((1, 6, 4))
    rows = nd.arange(0, 6).reshape((-1, 1)) / nd.power(10000, nd.arange(0, 4, 2) / 4)
    position[:, :, 0::2] = nd.sin(rows)
    position[:, :, 1::2] = nd.cos(rows)
    show("position", position)

    class MaskedSoftmaxCELoss(gluon.loss.SoftmaxCELoss):
        def forward(self, pred, label, valid_length):
            weights = nd.ones_like(label).expand_dims(axis=-1)
            weights = nd.SequenceMask(weights, valid_length, True, axis=1)
            return super(MaskedSoftmaxCELoss, self).forward(pred, label, weights)

    loss = MaskedSoftmaxCELoss()
    show("sequence loss", loss(nd.ones((3, 4, 10)), nd.ones((3, 4)), nd.array([4, 2, 0])))
    show("sequence", [nd.SequenceLast(states, nd.array([1, 3, 5]), True), nd.SequenceReverse(states[:, 0, :2])])
