"""GRU and LSTM from scratch: gates of four and three sets of weights, trained with clipped gradients."""

import math

from ._text import corpus, sequential
from ._tools import draw


def run(mx, show):
    np, npx, autograd, gluon = mx.np, mx.npx, mx.autograd, mx.gluon
    indices, vocab = corpus(200)
    size, hidden = len(vocab), 8
    loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def get_params(gates):
        params = []
        for gate in range(gates):
            params += [np.array(draw(3 * gate, size, hidden, scale=0.3)),
                       np.array(draw(3 * gate + 1, hidden, hidden, scale=0.3)), np.zeros(hidden)]
        params += [np.array(draw(99, hidden, size, scale=0.3)), np.zeros(size)]
        for param in params:
            param.attach_grad()
        return params

    def gru(inputs, state, params):
        W_xz, W_hz, b_z, W_xr, W_hr, b_r, W_xh, W_hh, b_h, W_hq, b_q = params
        H, = state
        outputs = []
        for X in inputs:
            Z = npx.sigmoid(np.dot(X, W_xz) + np.dot(H, W_hz) + b_z)
            R = npx.sigmoid(np.dot(X, W_xr) + np.dot(H, W_hr) + b_r)
            H_tilda = np.tanh(np.dot(X, W_xh) + np.dot(R * H, W_hh) + b_h)
            H = Z * H + (1 - Z) * H_tilda
            outputs.append(np.dot(H, W_hq) + b_q)
        return np.concatenate(outputs, axis=0), (H,)

    def lstm(inputs, state, params):
        W_xi, W_hi, b_i, W_xf, W_hf, b_f, W_xo, W_ho, b_o, W_xc, W_hc, b_c, W_hq, b_q = params
        H, C = state
        outputs = []
        for X in inputs:
            I = npx.sigmoid(np.dot(X, W_xi) + np.dot(H, W_hi) + b_i)
            F = npx.sigmoid(np.dot(X, W_xf) + np.dot(H, W_hf) + b_f)
            O = npx.sigmoid(np.dot(X, W_xo) + np.dot(H, W_ho) + b_o)
            C_tilda = np.tanh(np.dot(X, W_xc) + np.dot(H, W_hc) + b_c)
            C = F * C + I * C_tilda
            H = O * np.tanh(C)
            outputs.append(np.dot(H, W_hq) + b_q)
        return np.concatenate(outputs, axis=0), (H, C)

    for cell, gates, states in ((gru, 3, 1), (lstm, 4, 2)):
        params, losses = get_params(gates), []
        for X, Y in sequential(np, indices, 4, 7):
            state = tuple(np.zeros((X.shape[0], hidden)) for _ in range(states))
            with autograd.record():
                y_hat, state = cell(npx.one_hot(X.T, size), state, params)
                l = loss(y_hat, Y.T.reshape(-1)).mean()
            l.backward()
            norm = math.sqrt(sum((p.grad ** 2).sum() for p in params))
            for param in params:
                if norm > 1:
                    param.grad[:] *= 1 / norm
                param[:] -= param.grad
            losses.append(float(l))
        show(cell.__name__, [losses, params[2], state[-1]])
