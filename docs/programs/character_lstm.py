"""An LSTM reads the chapters of this project letter by letter and learns which letter comes next (Graves, Generating
Sequences With Recurrent Neural Networks, 2013).

The text is divided into rows that are read in parallel, a few letters at a time. The states are carried from one piece
to the next, so that the network remembers more than one piece; `detach` stops the gradients at the boundary (truncated
back-propagation through time). At the end, the program compares the perplexity of a held-out chapter (the exponential
of the mean loss) with that of a model that counts letter pairs.

`--weights FILE` starts with the parameters in the file, or writes the initial parameters to it if the file does not
exist. benchmarks/character_lstm.py runs this program in the real MXNet with the same initial parameters.
"""

import math
import os
import re
import sys
import time
from pathlib import Path

import numpy as np

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn, rnn

CHAPTERS = Path(os.environ.get("CHAPTERS", Path(__file__).parent.parent))
ROWS, STEPS = 32, 32    # how many rows of text run in parallel, and how many letters a step reads


class LanguageModel(gluon.HybridBlock):
    """A network: letter indices (STEPS, ROWS), states -> scores of the next letters (STEPS, ROWS, letters), states."""

    def __init__(self, letters, hidden, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.embedding = nn.Embedding(letters, 48)
            self.lstm = rnn.LSTM(hidden, input_size=48)
            self.scores = nn.Dense(letters, flatten=False, in_units=hidden)

    def hybrid_forward(self, F, x, states):
        output, states = self.lstm(self.embedding(x), states)
        return self.scores(output), states


def read():
    """Returns (training text, held-out text, all letters), without images and with single spaces."""
    texts = [re.sub(r"!\[.*\)\n|  +", " ", path.read_text(encoding="utf-8"))
             for path in sorted(CHAPTERS.glob("[0-9]*.md"))]
    letters = sorted(set("".join(texts)))
    return "".join(texts[:-1]), texts[-1], letters


def pieces(text, letters, rows):
    """Yields (letters, next letters) as arrays (STEPS, rows), in the order of the text."""
    number = {letter: i for i, letter in enumerate(letters)}
    numbers = np.array([number[letter] for letter in text], "float32")
    length = (len(numbers) - 1) // rows
    inputs, following = (numbers[first:first + rows * length].reshape(rows, length).T for first in (0, 1))
    return [(nd.array(inputs[start:start + STEPS]), nd.array(following[start:start + STEPS]))
            for start in range(0, length - STEPS + 1, STEPS)]


def train(net, batches, trainer, loss_of):
    """Trains on the text once; returns its perplexity."""
    states, total = net.lstm.begin_state(batch_size=ROWS), 0.0
    for x, y in batches:
        states = [state.detach() for state in states]
        with autograd.record():
            scores, states = net(x, states)
            loss = loss_of(scores, y).mean()
        loss.backward()
        gluon.utils.clip_global_norm([p.grad() for p in net.collect_params().values()], 1.0)
        trainer.step(1)
        total += loss.asscalar()
    return math.exp(total / len(batches))


def perplexity(net, batches, loss_of):
    """Returns the perplexity of a held-out text."""
    states, total = net.lstm.begin_state(batch_size=batches[0][0].shape[1]), 0.0
    for x, y in batches:
        scores, states = net(x, states)
        total += loss_of(scores, y).mean().asscalar()
    return math.exp(total / len(batches))


def perplexity_of_counts(train, test, letters):
    """Returns the perplexity of a letter-pair model, which counts how often each letter followed the previous one, plus
    one."""
    number = {letter: i for i, letter in enumerate(letters)}
    counts = np.ones((len(letters), len(letters)))
    np.add.at(counts, ([number[a] for a in train[:-1]], [number[a] for a in train[1:]]), 1)
    log = np.log(counts / counts.sum(axis=1, keepdims=True))
    return math.exp(-np.mean([log[number[a], number[b]] for a, b in zip(test[:-1], test[1:])]))


def write(net, letters, beginning, count):
    """Returns text that the network generates, letter by letter."""
    states, text = net.lstm.begin_state(batch_size=1), beginning
    rng = np.random.RandomState(1)
    for place in range(len(beginning) + count - 1):
        scores, states = net(nd.array([[letters.index(text[place])]]), states)
        if place + 1 == len(text):
            chances = nd.softmax(scores[0, 0] / 0.6).asnumpy().astype("float64")
            text += letters[rng.choice(len(letters), p=chances / chances.sum())]
    return text


def main(small, weights):
    mx.random.seed(1)
    text, held_out, letters = read()
    if small:
        text = text[:40000]
    net = LanguageModel(len(letters), 64 if small else 192)
    net.initialize(mx.init.Xavier())
    if weights and os.path.exists(weights):
        net.load_parameters(weights)
    elif weights:
        net.save_parameters(weights)
    net.hybridize()
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 4e-3})
    batches, test = pieces(text, letters, ROWS), pieces(held_out, letters, 8)
    print(f"{len(text)} letters to learn from, {len(letters)} different ones")
    for epoch in range(4 if small else 7):
        start = time.time()
        learned = train(net, batches, trainer, loss_of)
        print(f"epoch {epoch + 1}: perplexity {learned:.3f}, held out {perplexity(net, test, loss_of):.3f} "
              f"({time.time() - start:.1f} s)")

    print(write(net, letters, "The ", 300))
    found, counted = perplexity(net, test, loss_of), perplexity_of_counts(text, held_out, letters)
    print(f"pairs of letters: {counted:.2f}; LSTM: {found:.2f}")
    assert found < counted * (1.1 if small else 0.6)


if __name__ == "__main__":
    where = sys.argv.index("--weights") + 1 if "--weights" in sys.argv else 0
    main(small="--small" in sys.argv, weights=sys.argv[where] if where else None)
