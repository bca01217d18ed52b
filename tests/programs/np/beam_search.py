"""Beam search over a decoder's probabilities: topk of flat scores, the remainder as the word, lengths, penalties."""

import math

from ._tools import draw, fixed


def run(mx, show):
    np, npx, nn, rnn = mx.np, mx.npx, mx.gluon.nn, mx.gluon.rnn
    words, hidden, k = 7, 6, 3

    class Decoder(nn.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.embedding, self.rnn = nn.Embedding(words, 5), rnn.GRU(hidden, 2)
            self.dense = nn.Dense(words, flatten=False)

        def forward(self, X, state):
            output, state = self.rnn(self.embedding(X).swapaxes(0, 1), state)
            return self.dense(output).swapaxes(0, 1), state

    net = Decoder()
    net.initialize(fixed(mx, 0.8))
    state = [np.array(draw(1, 2, 1, hidden))]
    logits, state = net(np.array([[1]]), state)
    log_probs = npx.log_softmax(logits[:, -1], axis=-1)
    scores, tokens = npx.topk(log_probs[0], k=k, ret_typ="both")
    sequences = np.concatenate((np.ones((k, 1)), tokens.reshape(-1, 1)), axis=1)
    states = [s.repeat(k, axis=1) for s in state]
    show("first", [scores, tokens, sequences, states[0].shape])
    for _ in range(4):
        logits, states = net(sequences[:, -1:], states)
        log_probs = npx.log_softmax(logits[:, -1], axis=-1)
        total = (scores.reshape(-1, 1) + log_probs).reshape(-1)
        scores, flat = npx.topk(total, k=k, ret_typ="both")
        beam, token = np.floor(flat / words).astype("int32"), (flat % words)
        sequences = np.concatenate((sequences[beam], token.reshape(-1, 1)), axis=1)
        states = [np.take(s, beam, axis=1) for s in states]
    show("beams", [scores, sequences, states[0]])
    alpha, rows = 0.75, []
    for score, row in zip(scores, sequences):
        rows.append((float(score) / math.pow(len(row), alpha), [int(w) for w in row]))
    show("ranked", [list(pair) for pair in sorted(rows, reverse=True)])
    logits, greedy, state = np.array([[1]]), [], [np.array(draw(1, 2, 1, hidden))]
    X = np.array([[1]])
    for _ in range(5):
        Y, state = net(X, state)
        X = Y.argmax(axis=2)
        greedy.append(X.squeeze(axis=0).astype("int32").item())
    show("greedy", greedy)
    Y = npx.softmax(np.array(draw(7, 3, words)))
    show("nucleus", [(np.cumsum(np.sort(Y, axis=1)[:, ::-1], axis=1) < 0.8).sum(axis=1),
                     npx.topk(Y, axis=1, k=2), npx.topk(Y, axis=1, k=2, ret_typ="value"),
                     npx.topk(Y, axis=1, k=2, ret_typ="mask", is_ascend=True)])
