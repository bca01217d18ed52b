"""A recurrent network from scratch: one-hot vectors, states, clipped gradients, perplexity, prediction of a text."""

import math

from ._text import corpus, sequential
from ._tools import draw


def run(mx, show):
    np, npx, autograd, gluon = mx.np, mx.npx, mx.autograd, mx.gluon
    indices, vocab = corpus(300)
    X, H = np.array(draw(1, 3, 1)), np.array(draw(2, 3, 4))
    W_xh, W_hh = np.array(draw(3, 1, 4)), np.array(draw(4, 4, 4))
    show("products", [np.dot(X, W_xh) + np.dot(H, W_hh),
                      np.dot(np.concatenate((X, H), 1), np.concatenate((W_xh, W_hh), 0))])
    show("one hot", [npx.one_hot(np.array([0, 2]), 5), npx.one_hot(np.arange(6).reshape((2, 3)).T, 8).shape])

    def get_params(vocab_size, num_hiddens):
        params = [np.array(draw(5, vocab_size, num_hiddens, scale=0.1)),
                  np.array(draw(6, num_hiddens, num_hiddens, scale=0.1)), np.zeros(num_hiddens),
                  np.array(draw(7, num_hiddens, vocab_size, scale=0.1)), np.zeros(vocab_size)]
        for param in params:
            param.attach_grad()
        return params

    def init_state(batch_size, num_hiddens):
        return (np.zeros((batch_size, num_hiddens)),)

    def rnn(inputs, state, params):
        W_xh, W_hh, b_h, W_hq, b_q = params
        H, = state
        outputs = []
        for X in inputs:
            H = np.tanh(np.dot(X, W_xh) + np.dot(H, W_hh) + b_h)
            outputs.append(np.dot(H, W_hq) + b_q)
        return np.concatenate(outputs, axis=0), (H,)

    class RNNModelScratch:
        def __init__(self, vocab_size, num_hiddens):
            self.vocab_size, self.num_hiddens = vocab_size, num_hiddens
            self.params = get_params(vocab_size, num_hiddens)

        def __call__(self, X, state):
            X = npx.one_hot(X.T, self.vocab_size)
            return rnn(X, state, self.params)

        def begin_state(self, batch_size):
            return init_state(batch_size, self.num_hiddens)

    def predict(prefix, num_preds, net):
        state = net.begin_state(1)
        outputs = [vocab[prefix[0]]]

        def get_input():
            return np.array([outputs[-1]]).reshape((1, 1))

        for y in prefix[1:]:
            _, state = net(get_input(), state)
            outputs.append(vocab[y])
        for _ in range(num_preds):
            y, state = net(get_input(), state)
            outputs.append(int(y.argmax(axis=1).reshape(1)))
        return "".join([vocab.idx_to_token[i] for i in outputs])

    def grad_clipping(params, theta):
        norm = math.sqrt(sum((p.grad ** 2).sum() for p in params))
        if norm > theta:
            for param in params:
                param.grad[:] *= theta / norm
        return norm

    net = RNNModelScratch(len(vocab), 16)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    perplexities, norms, state = [], [], None
    for _ in range(3):
        total, tokens = 0.0, 0
        for X, Y in sequential(np, indices, 8, 6):
            if state is None:
                state = net.begin_state(X.shape[0])
            else:
                for s in state:
                    s.detach()
            y = Y.T.reshape(-1)
            with autograd.record():
                y_hat, state = net(X, state)
                l = loss(y_hat, y).mean()
            l.backward()
            norms.append(grad_clipping(net.params, 1))
            for param in net.params:
                param[:] -= 0.5 * param.grad
            total, tokens = total + float(l) * y.size, tokens + y.size
        state = None
        perplexities.append(math.exp(total / tokens))
    show("training", [perplexities, norms, net.params[2]])
    show("text", len(predict("the ship", 10, net)))
