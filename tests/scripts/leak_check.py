"""How much memory stays in use after very many small random calls of operators, plans and gradients.

    python tests/scripts/leak_check.py 1000000
"""

import contextlib
import gc
import os
import random
import sys

import minigluon as mx
from minigluon import autograd, nd
from minigluon.gluon import nn

UNARY = ["relu", "exp", "tanh", "sigmoid", "square", "negative", "softmax", "sum", "max", "transpose", "flip"]
BINARY = ["elemwise_add", "elemwise_mul", "broadcast_sub", "broadcast_maximum", "dot"]


def small_calls(rng):
    """Functions that each run something small on one of some shapes."""
    squares = [nd.random.normal(shape=(n, n)) for n in range(1, 12)]
    net = nn.HybridSequential()
    net.add(nn.Conv2D(3, 2, activation="relu"), nn.MaxPool2D(2), nn.Flatten(), nn.Dropout(0.5), nn.Dense(3))
    net.initialize()
    net.hybridize()
    images = [nd.random.normal(shape=(n, 1, 6, 6)) for n in range(1, 5)]
    net(images[0])

    def unary():
        x, name = rng.choice(squares), rng.choice(UNARY)
        getattr(nd, name)(x, axis=0) if name == "flip" else getattr(nd, name)(x)

    def binary():
        x = rng.choice(squares)
        getattr(nd, rng.choice(BINARY))(x, x)

    def written():
        x = rng.choice(squares).copy()
        nd.elemwise_add(x, x, out=x)
        x += 1

    def differentiated():
        x = rng.choice(squares)
        x.attach_grad()
        with autograd.record():
            y = nd.sigmoid(x * x).sum()
        y.backward()

    def forward():
        net(rng.choice(images))

    def trained():
        with autograd.record():
            y = net(rng.choice(images))
        y.backward()

    def refused():
        """Errors on the way: a shape that does not fit."""
        with contextlib.suppress(mx.base.MXNetError):
            nd.elemwise_add(squares[1], squares[2])
    return [unary] * 4 + [binary] * 4 + [written, differentiated, forward, trained, refused]


def used():
    """Bytes of memory that this process holds."""
    gc.collect()
    mx.cpu().empty_cache()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(calls, before=4000):
    """Bytes that so many calls leave in use, after others that have filled all caches."""
    rng = random.Random(0)
    functions = small_calls(rng)
    for _ in range(before):
        rng.choice(functions)()
    start = used()
    for _ in range(calls):
        rng.choice(functions)()
    return used() - start


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    bytes_left = growth(count)
    print(f"{count} calls, backends {', '.join(mx.backend.available())}: memory grew by {bytes_left / 2 ** 10:.0f} KiB")
    sys.exit(bytes_left > 2 ** 22)
