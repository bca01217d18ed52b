"""A small GPT reads the chapters of this project letter by letter, learns which letter comes next, and writes text.

It is GPT2Model from the model zoo with other sizes: a vocabulary of letters, two layers, 64 positions (Radford et al.,
Language Models are Unsupervised Multitask Learners, 2019). It is trained on random pieces of the text and predicts the
next letter at each position. Then GPT2Decoder generates text with a cache of keys and values, so that each letter
requires computing only one position instead of all of them. The program checks that the cache changes nothing: the best
letters equal those that the net predicts when it rereads everything for each letter.
"""

import math
import re
import sys
import time
from pathlib import Path

import numpy as np

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon.model_zoo import text

CHAPTERS = Path(__file__).parent.parent
POSITIONS, BATCH = 64, 16


def read():
    """Returns (training text, held-out text, all letters), without images and with single spaces."""
    texts = [re.sub(r"!\[.*\)\n|  +", " ", path.read_text(encoding="utf-8"))
             for path in sorted(CHAPTERS.glob("[0-9]*.md"))]
    return "".join(texts[:-1]), texts[-1], sorted(set("".join(texts)))


def pieces(numbers, rng, count):
    """Returns letters (count, POSITIONS), and the letter that follows each of them."""
    starts = rng.randint(0, len(numbers) - POSITIONS - 1, count)[:, None] + np.arange(POSITIONS)
    return nd.array(numbers[starts]), nd.array(numbers[starts + 1])


def train(net, numbers, steps, rate, loss_of):
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": rate})
    rng, total, start = np.random.RandomState(0), 0.0, time.time()
    for step in range(1, steps + 1):
        x, y = pieces(numbers, rng, BATCH)
        trainer.set_learning_rate(rate * min(1, step / 20, 1.2 - step / steps))
        with autograd.record():
            loss = loss_of(net(x)[0], y).mean()
        loss.backward()
        trainer.step(1)
        total += loss.asscalar()
        if step % (steps // 4) == 0:
            print(f"step {step}: perplexity {math.exp(4 * total / steps):.2f} ({time.time() - start:.1f} s)")
            total = 0.0


def write(decoder, letters, beginning, count, **how):
    """Returns the letters that `GPT2Decoder.generate` adds to the beginning."""
    prompt = nd.array([[letters.index(letter) for letter in beginning]])
    return "".join(letters[i] for i in decoder.generate(prompt, count, **how).asnumpy()[0])


def write_without_cache(net, letters, beginning, count):
    """Returns the best letters, reading the whole text again for each letter."""
    words = [letters.index(letter) for letter in beginning]
    for _ in range(count):
        words.append(int(net(nd.array([words]))[0][0, -1].argmax(axis=0).asscalar()))
    return "".join(letters[i] for i in words)


def main(small):
    mx.random.seed(1)
    learned, held_out, letters = read()
    numbers, others = (np.array([letters.index(letter) for letter in part[:200000]]) for part in (learned, held_out))
    width = 32 if small else 128
    net = text.GPT2Model(units=width, vocab_size=len(letters), max_length=POSITIONS, num_layers=2, num_heads=4)
    net.initialize(mx.init.Normal(0.05))
    net.hybridize()
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    print(f"{len(numbers)} letters to learn from, {len(letters)} different ones")
    train(net, numbers, *((200, 5e-3) if small else (1200, 1e-3)), loss_of)

    x, y = pieces(others, np.random.RandomState(1), 32)
    found = math.exp(loss_of(net(x)[0], y).mean().asscalar())
    decoder = text.GPT2Decoder(net)
    decoder.hybridize()
    print(write(decoder, letters, "The ", POSITIONS - 4, temperature=0.8, top_k=20, top_p=0.95))
    best = write(decoder, letters, "An array ", 40, top_k=1)
    assert best == write_without_cache(net, letters, "An array ", 40)
    print(f"perplexity of a chapter that it has not read: {found:.2f}")
    assert found < (25 if small else 7)


if __name__ == "__main__":
    main(small="--small" in sys.argv)
