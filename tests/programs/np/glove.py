"""Word vectors from global counts: a weighted squared loss of logarithms, with biases of words and contexts."""

import collections
import math

from ._text import TEXT, Vocab
from ._tools import fixed, twice


def run(mx, show):
    np, gluon, autograd, nn = mx.np, mx.gluon, mx.autograd, mx.gluon.nn
    words = TEXT.split()
    vocab = Vocab(words)
    counts = collections.Counter()
    for i, word in enumerate(words):
        for j in range(max(0, i - 3), min(len(words), i + 4)):
            if i != j:
                counts[vocab[word], vocab[words[j]]] += 1 / abs(i - j)
    pairs = sorted(counts)[:120]
    centers, contexts = np.array([a for a, _ in pairs]), np.array([b for _, b in pairs])
    x = np.array([counts[pair] for pair in pairs])
    weights = np.where(x < 3, (x / 3) ** 0.75, np.ones_like(x))
    show("weights", weights[:10])

    class GloVe(nn.HybridBlock):
        def __init__(self, size, **kwargs):
            super().__init__(**kwargs)
            self.center, self.context = nn.Embedding(len(vocab), size), nn.Embedding(len(vocab), size)
            self.center_bias, self.context_bias = nn.Embedding(len(vocab), 1), nn.Embedding(len(vocab), 1)

        def hybrid_forward(self, F, i, j):
            product = F.np.sum(self.center(i) * self.context(j), axis=-1, keepdims=True)
            return F.np.squeeze(product + self.center_bias(i) + self.context_bias(j), axis=-1)

    def make():
        net = GloVe(6)
        net.initialize(fixed(mx))
        return net

    def use(net):
        trainer = gluon.Trainer(net.collect_params(), "adagrad", {"learning_rate": 0.1})
        losses = []
        for _ in range(6):
            with autograd.record():
                l = weights * (net(centers, contexts) - np.log(x)) ** 2
            l.backward()
            trainer.step(len(x))
            losses.append(math.sqrt(float(l.mean())))
        vectors = net.center.weight.data() + net.context.weight.data()
        return [losses, vectors[:2], np.linalg.norm(vectors, axis=1)[:4]]

    twice(mx, show, "training", make, use)
