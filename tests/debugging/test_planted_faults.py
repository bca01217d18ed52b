"""Faults planted in drawn nets: debug mode finds each, and names the operator, the block and the line.

A net is a chain of small blocks, one of which has the fault. All others pass on numbers and gradients that are finite
and not zero.
"""

import inspect
import os
import warnings
from contextlib import nullcontext

import numpy as np
import pytest
from helpers import WIDE

import minigluon as mx
from minigluon import autograd, gluon, init, nd
from minigluon.base import NotFiniteError, OutOfRangeError
from minigluon.gluon import nn

HERE = os.path.relpath(__file__)
WIDTH = 4
SEEDS = 4 if WIDE else 1


class Sound(gluon.HybridBlock):
    """A block without a fault, of one of several kinds."""

    def __init__(self, kind, **kwargs):
        super().__init__(**kwargs)
        self.kind = kind
        with self.name_scope():
            self.dense = nn.Dense(WIDTH, in_units=WIDTH, activation="tanh" if kind == 1 else None)

    def hybrid_forward(self, F, x):
        y = self.dense(x)
        if self.kind == 2:
            y = F.softsign(y) + 0.1 * x
        if self.kind == 3:
            y = F.concat(y, x, dim=1).slice_axis(axis=1, begin=0, end=WIDTH)
        if self.kind == 4:
            y = F.LeakyReLU(y, act_type="elu") * F.sigmoid(x)
        return y


class Faulty(gluon.HybridBlock):
    """A block with one fault. Each stands in a line of its own, marked with its kind."""

    def __init__(self, kind, **kwargs):
        super().__init__(**kwargs)
        self.kind = kind
        with self.name_scope():
            self.embedding = nn.Embedding(3, WIDTH)

    def hybrid_forward(self, F, x):
        positive = F.square(x) + 1
        far = F.zeros_like(x).slice_axis(axis=1, begin=0, end=1).reshape((-1,)) + 7
        return x + {
            "log": lambda: F.log(-positive),                            # mark: log
            "sqrt": lambda: F.sqrt(-positive),                          # mark: sqrt
            "exp": lambda: F.exp(positive * 100),                       # mark: exp
            "broadcast_div": lambda: F.broadcast_div(x, x * 0),         # mark: broadcast_div
            "gammaln": lambda: F.gammaln(0 * x),                        # mark: gammaln
            "take": lambda: F.take(x, far),                             # mark: take
            "Embedding": lambda: self.embedding(far),                   # mark: Embedding
            "pick": lambda: F.expand_dims(F.pick(x, far), axis=1) * F.ones_like(x),     # mark: pick
            "one_hot": lambda: F.one_hot(far, depth=WIDTH),             # mark: one_hot
            "backward of sqrt": lambda: F.sqrt(F.relu(-positive)),      # mark: backward of sqrt
        }[self.kind]()


class Dead(gluon.HybridBlock):
    """A block that lets no gradient through."""

    def __init__(self, kind, **kwargs):
        super().__init__(**kwargs)
        self.kind = kind

    def hybrid_forward(self, F, x):
        return {
            "BlockGrad": lambda: F.BlockGrad(x),            # mark: BlockGrad
            "_mul_scalar": lambda: x * 0 + 1,               # mark: _mul_scalar
            "relu": lambda: F.relu(x - 1000) + 1,           # mark: relu
            "sign": lambda: F.sign(x),                      # mark: sign
            "clip": lambda: F.clip(x, 100, 200),            # mark: clip
            "argmax": lambda: F.broadcast_add(F.argmax(x, axis=1, keepdims=True), F.zeros_like(x)),     # mark: argmax
        }[self.kind]()


def line_of(cls, mark):
    lines, first = inspect.getsourcelines(cls)
    number = next(i for i, text in enumerate(lines) if text.rstrip().endswith(f"# mark: {mark}"))
    return f"  line: {HERE}:{first + number}: "


def drawn_net(rng, fault):
    """(net, place of the fault): a chain of 2 to 5 blocks."""
    net = nn.HybridSequential(prefix="net_")
    place = int(rng.integers(1, 4))
    with net.name_scope():
        for i in range(place + int(rng.integers(1, 3))):
            net.add(fault() if i == place else Sound(int(rng.integers(5))))
    net.initialize(init.Normal(0.5))
    return net, place


FORWARD = ["log", "sqrt", "exp", "broadcast_div", "gammaln"]
INDICES = ["Embedding", "pick", "one_hot"]
BACKWARD = ["backward of sqrt"]


def run(net, hybrid):
    if hybrid:
        net.hybridize()
    x = nd.array(np.random.default_rng(0).uniform(0.5, 1, (3, WIDTH)))
    with autograd.record():
        loss = net(x).sum()
    loss.backward()


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("kind", [*FORWARD, *INDICES, "take", *BACKWARD])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_nan_inf_and_indices(kind, seed, hybrid):
    net, _ = drawn_net(np.random.default_rng(seed), lambda: Faulty(kind))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with np.errstate(all="ignore"), pytest.raises(OutOfRangeError) if kind == "Embedding" else nullcontext():
            run(net, hybrid)                # passes unseen, but in Embedding
        with mx.debug(), pytest.raises((NotFiniteError, OutOfRangeError)) as error:
            run(net, hybrid)
    text = str(error.value)
    assert isinstance(error.value, OutOfRangeError if kind in [*INDICES, "take"] else NotFiniteError)
    operator = kind.removeprefix("backward of ")
    assert f"in the backward pass of: {operator}\n" in text if operator != kind else text.startswith(f"{operator}: ")
    assert line_of(Faulty, kind) in text
    own = "block: Embedding 'net_faulty0_embedding0'" if kind == "Embedding" else "block: Faulty 'net_faulty0'"
    assert ("node: 'net_faulty0_" if hybrid else own) in text


@pytest.mark.once
@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("kind", ["BlockGrad", "_mul_scalar", "relu", "sign", "clip", "argmax"])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_dead_gradients(kind, seed, hybrid):
    net, place = drawn_net(np.random.default_rng(seed), lambda: Dead(kind))
    with mx.debug(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run(net, hybrid)
    texts = [str(warning.message) for warning in caught]
    dead = [name for block in list(net)[:place] for name in block.collect_params()]
    assert sorted(text.split("'")[1] for text in texts) == sorted(dead)
    for text in texts:
        assert f"is zero everywhere: {kind} " in text
        assert line_of(Dead, kind) in text
        assert "'net_dead0_" in text if hybrid else "block: Dead 'net_dead0'" in text
        assert " of Dense 'net_sound" in text


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("seed", range(5 * SEEDS))
def test_nothing_is_found_where_nothing_is_planted(seed, hybrid):
    net, _ = drawn_net(np.random.default_rng(seed), lambda: Sound(seed % 5))
    with mx.debug(), warnings.catch_warnings():
        warnings.simplefilter("error")
        run(net, hybrid)
