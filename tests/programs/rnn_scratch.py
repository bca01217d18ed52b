"""A character RNN and a GRU from one-hot vectors and dot, gradient clipping, perplexity, truncated backpropagation."""

import math

from ._tools import draw

TEXT = "time traveller for so it will be convenient to speak of him was expounding a recondite matter to us"


def run(mx, show):
    nd, gluon, autograd = mx.nd, mx.gluon, mx.autograd
    idx_to_char = sorted(set(TEXT))
    char_to_idx = {char: i for i, char in enumerate(idx_to_char)}
    corpus = [char_to_idx[char] for char in TEXT]
    vocab, hiddens = len(idx_to_char), 8
    show("one_hot", nd.one_hot(nd.array([0, 2]), vocab))

    def consecutive(batch_size, num_steps):
        indices = nd.array(corpus)
        batch_len = len(indices) // batch_size
        indices = indices[0:batch_size * batch_len].reshape((batch_size, batch_len))
        for i in range((batch_len - 1) // num_steps):
            yield (indices[:, i * num_steps:(i + 1) * num_steps],
                   indices[:, i * num_steps + 1:(i + 1) * num_steps + 1])

    def to_onehot(X):
        return [nd.one_hot(x, vocab) for x in X.T]

    def params_of(shapes):
        params = [nd.array(draw(i, *shape, scale=0.3)) for i, shape in enumerate(shapes)]
        for param in params:
            param.attach_grad()
        return params

    def rnn(inputs, state, params):
        W_xh, W_hh, b_h, W_hq, b_q = params
        H, = state
        outputs = []
        for X in inputs:
            H = nd.tanh(nd.dot(X, W_xh) + nd.dot(H, W_hh) + b_h)
            outputs.append(nd.dot(H, W_hq) + b_q)
        return outputs, (H,)

    def gru(inputs, state, params):
        W_xz, W_hz, b_z, W_xr, W_hr, b_r, W_xh, W_hh, b_h, W_hq, b_q = params
        H, = state
        outputs = []
        for X in inputs:
            Z = nd.sigmoid(nd.dot(X, W_xz) + nd.dot(H, W_hz) + b_z)
            R = nd.sigmoid(nd.dot(X, W_xr) + nd.dot(H, W_hr) + b_r)
            H_tilda = nd.tanh(nd.dot(X, W_xh) + nd.dot(R * H, W_hh) + b_h)
            H = Z * H + (1 - Z) * H_tilda
            outputs.append(nd.dot(H, W_hq) + b_q)
        return outputs, (H,)

    def grad_clipping(params, theta):
        norm = nd.array([0])
        for param in params:
            norm += (param.grad ** 2).sum()
        norm = norm.sqrt().asscalar()
        if norm > theta:
            for param in params:
                param.grad[:] *= theta / norm
        return norm

    def predict(prefix, length, model, params):
        state = (nd.zeros((1, hiddens)),)
        output = [char_to_idx[prefix[0]]]
        for t in range(length + len(prefix) - 1):
            X = to_onehot(nd.array([output[-1]]).reshape((1, 1)))
            Y, state = model(X, state, params)
            if t < len(prefix) - 1:
                output.append(char_to_idx[prefix[t + 1]])
            else:
                output.append(int(Y[0].argmax(axis=1).asscalar()))
        return "".join([idx_to_char[i] for i in output])

    gate = [(vocab, hiddens), (hiddens, hiddens), (hiddens,)]
    out = [(hiddens, vocab), (vocab,)]
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    for model, params in ((rnn, params_of(gate + out)), (gru, params_of(gate * 3 + out))):
        for epoch in range(2):
            total, count, norms = 0.0, 0, []
            state = (nd.zeros((2, hiddens)),)
            for X, Y in consecutive(2, 6):
                for s in state:
                    s.detach()
                with autograd.record():
                    outputs, state = model(to_onehot(X), state, params)
                    outputs = nd.concat(*outputs, dim=0)
                    y = Y.T.reshape((-1,))
                    cost = loss(outputs, y).mean()
                cost.backward()
                norms.append(grad_clipping(params, 0.5))
                for param in params:
                    param[:] = param - param.grad
                total += cost.asscalar() * y.size
                count += y.size
            show(f"{model.__name__} {epoch + 1}", ["perplexity %.2f" % math.exp(total / count), norms, state])
        show(f"{model.__name__} text", predict("time", 10, model, params))
        show(f"{model.__name__} params", [params[0][0], params[-1]])
