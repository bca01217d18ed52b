"""Word vectors by skip-gram with negative sampling, trained on a text that every machine has: the manual pages that
Python's `help()` shows (Mikolov et al., Distributed representations of words and phrases, 2013).

A word's vector is trained to distinguish the words near it from random words. Words that occur in similar contexts
receive similar vectors, so a word and its plural end up close to each other. The program checks this at the end.
"""

import re
import sys
from collections import Counter
from pydoc_data.topics import topics

import numpy as np

import minigluon as mx
from minigluon import gluon, nd
from minigluon.gluon import nn

SIZE, WINDOW, NEGATIVES, BATCH = 32, 5, 5, 2048
PAIRS = [(word, word + "s") for word in (
    "argument", "attribute", "expression", "function", "keyword", "method", "module", "name", "object", "operator",
    "parameter", "statement", "type", "value")]


class SkipGram(gluon.HybridBlock):
    """A network: word indices center (N,), others (N, K) -> scores (N, K) of whether the others are near the center."""

    def __init__(self, words, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.center, self.other = nn.Embedding(words, SIZE), nn.Embedding(words, SIZE)

    def hybrid_forward(self, F, center, others):
        return F.sum(F.expand_dims(self.center(center), axis=1) * self.other(others), axis=2)


def read(least):
    """Returns (the words that occur often enough, the text as indices of words)."""
    text = re.findall("[a-z]+", " ".join(topics.values()).lower())
    words = [word for word, count in Counter(text).most_common() if count >= least]
    number = {word: i for i, word in enumerate(words)}
    return words, np.array([number[word] for word in text if word in number])


def neighbours(text, random):
    """Returns (M, 2): each word with each of its neighbors; very frequent words are randomly left out."""
    share = np.bincount(text)[text] / len(text)
    text = text[random.rand(len(text)) < np.sqrt(1e-3 / share)]
    pairs = [np.stack([text[distance:], text[:-distance]], axis=1) for distance in range(1, WINDOW + 1)]
    pairs = np.concatenate([*pairs, *[pair[:, ::-1] for pair in pairs]])
    return pairs[random.permutation(len(pairs))]


def similarity(vectors, number, pairs):
    """Returns the mean cosine between the two words of each pair."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return float(np.mean([unit[number[a]] @ unit[number[b]] for a, b in pairs]))


def main(small):
    mx.random.seed(0)
    random = np.random.RandomState(0)
    words, text = read(least=20 if small else 5)
    number = {word: i for i, word in enumerate(words)}
    pairs = [(a, b) for a, b in PAIRS if a in number and b in number]
    others = [(a, words[i]) for (a, _), i in zip(pairs * 20, random.randint(50, len(words), 20 * len(pairs)))]
    frequency = np.bincount(text) ** 0.75
    frequency /= frequency.sum()
    net = SkipGram(len(words))
    net.initialize(mx.init.Uniform(0.5 / SIZE))
    loss = gluon.loss.SigmoidBinaryCrossEntropyLoss()
    net.hybridize()
    loss.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    label = nd.concat(nd.ones((BATCH, 1)), nd.zeros((BATCH, NEGATIVES)), dim=1)
    print(f"{len(text)} words of a text, {len(words)} different ones")
    for epoch in range(2 if small else 10):
        near = neighbours(text, random)
        drawn = random.choice(len(words), (len(near), NEGATIVES), p=frequency)
        errors = []
        for i in range(0, len(near) - BATCH + 1, BATCH):
            seen = np.concatenate([near[i:i + BATCH, 1:], drawn[i:i + BATCH]], axis=1)
            with mx.autograd.record():
                error = loss(net(nd.array(near[i:i + BATCH, 0]), nd.array(seen)), label)
            error.backward()
            trainer.step(BATCH)
            errors.append(error.mean())
        print(f"epoch {epoch + 1}: loss {np.mean([e.asscalar() for e in errors]):.4f}", flush=True)
    vectors = net.center.weight.data().asnumpy()
    for word in ("method", "file", "integer"):
        if word in number:
            cosine = vectors @ vectors[number[word]] / np.linalg.norm(vectors, axis=1)
            print(f"{word}: {', '.join(words[i] for i in np.argsort(-cosine)[1:7])}")
    close, far = similarity(vectors, number, pairs), similarity(vectors, number, others)
    print(f"cosine of {len(pairs)} words with their plurals {close:.2f}, with others {far:.2f}")
    assert close > far + (0.15 if small else 0.2)


if __name__ == "__main__":
    main(small="--small" in sys.argv)
