"""The cost of a call at a new shape, compared with a call at a known one, and an imperative call.

    python benchmarks/new_shapes.py            prints milliseconds and ratios, medians
    python benchmarks/new_shapes.py --train    with autograd.record() and backward()

The three programs: twelve layers of Dense with an activation and LayerNorm at changing lengths; a block of a
transformer at changing lengths; and decoding, where each call appends to a cache of keys and values, so that every
call has a new shape. `new` is the first call at a length, from the fourth length on; `second` is the call that creates
the symbolic plan. Each number is the median over five nets, one after another, because the calls of the first net also
touch new memory for the first time.
"""

import argparse
import statistics
import time

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn

ROUNDS, NETS = 40, 5


class Block(gluon.HybridBlock):
    """A block of a transformer: attention of several heads, then two layers, each with LayerNorm and a sum."""

    def __init__(self, units=128, heads=4, **kwargs):
        super().__init__(**kwargs)
        self.heads, self.scale = heads, (units // heads) ** -0.5
        self.query, self.key, self.value, self.out = (
            nn.Dense(units, flatten=False, in_units=units) for _ in range(4))
        self.first, self.second = (nn.LayerNorm(in_channels=units) for _ in range(2))
        self.wide = nn.Dense(4 * units, flatten=False, in_units=units)
        self.gelu, self.narrow = nn.GELU(), nn.Dense(units, flatten=False, in_units=4 * units)

    def split(self, F, x):
        """Return (batch, length, units) as (batch * heads, length, units / heads)."""
        return F.transpose(x.reshape((0, 0, self.heads, -1)), axes=(0, 2, 1, 3)).reshape((-3, 0, 0))

    def joined(self, F, x):
        """Reverse `split`."""
        return F.transpose(x.reshape((-4, -1, self.heads, 0, 0)), axes=(0, 2, 1, 3)).reshape((0, 0, -3))

    def attend(self, F, q, k, v):
        """Softmax attention for heads."""
        return F.batch_dot(F.softmax(F.batch_dot(q, k, transpose_b=True) * self.scale), v)

    def hybrid_forward(self, F, x):
        y = self.first(x)
        heads = [self.split(F, f(y)) for f in (self.query, self.key, self.value)]
        x = x + self.out(self.joined(F, self.attend(F, *heads)))
        return x + self.narrow(self.gelu(self.wide(self.second(x))))


class Decoder(Block):
    """A block for one new position, which it appends to keys and values (heads, length, units / heads)."""

    def hybrid_forward(self, F, x, keys, values):
        y = self.first(x)
        keys = F.concat(keys, self.split(F, self.key(y)), dim=1)
        values = F.concat(values, self.split(F, self.value(y)), dim=1)
        x = x + self.out(self.joined(F, self.attend(F, self.split(F, self.query(y)), keys, values)))
        return x + self.narrow(self.gelu(self.wide(self.second(x)))), keys, values


def layers(units=128):
    """Return a net of twelve layers of Dense and LayerNorm."""
    net = nn.HybridSequential()
    for _ in range(12):
        net.add(nn.Dense(units, activation="relu", flatten=False, in_units=units), nn.LayerNorm(in_channels=units))
    return net


def of_length(length):
    """Return the data of the first two programs."""
    return [nd.ones((1, length, 128))]


def with_cache(length):
    """Return a new position, and the cache of the earlier ones."""
    return [nd.ones((1, 1, 128)), nd.ones((4, length, 32)), nd.ones((4, length, 32))]


PROGRAMS = {"12 layers": (layers, of_length, 32), "transformer block": (Block, of_length, 32),
            "decoding": (Decoder, with_cache, 64)}


def milliseconds(net, arrays, train):
    """Return the time of one call."""
    start = time.perf_counter()
    if train:
        with autograd.record():
            outputs = net(*arrays)
        autograd.backward(list(outputs) if isinstance(outputs, (list, tuple)) else [outputs])
    else:
        net(*arrays)
    return 1e3 * (time.perf_counter() - start)


def measured(make, data, first, train):
    """Return ({name: milliseconds}, new / seen): medians of NETS nets, and the imperative net."""
    slow = imperative(make, data, first, train)         # before all others, because operators remember shapes
    nets = [hybridized(make, data, first, train) for _ in range(NETS)]
    found = {what: statistics.median(net[what] for net in nets) for what in nets[0]}
    return {**found, **slow}, statistics.median(net["new"] / net["seen"] for net in nets)


def hybridized(make, data, first, train):
    """Return {name: milliseconds} of one net."""
    net = initialized(make)
    net.hybridize()
    found = {what: milliseconds(net, data(first + number), train)
             for number, what in enumerate(("first", "second", "third"))}
    return {**found, **new_and_seen(net, data, first, train, ("new", "seen"))}


def imperative(make, data, first, train):
    """Return the same without hybridize()."""
    milliseconds(initialized(make), data(first), train)         # loads operators that do not need a graph
    return new_and_seen(initialized(make), data, first, train, ("imperative", "imperative, seen"))


def initialized(make):
    net = make()
    net.initialize()
    return net


def new_and_seen(net, data, first, train, names):
    """Return {name: milliseconds} of two rounds of calls at the same lengths."""
    lengths = range(first + 3, first + 3 + ROUNDS)
    return {name: statistics.median(milliseconds(net, data(length), train) for length in lengths) for name in names}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", action="store_true", help="record and differentiate each call")
    given = parser.parse_args()
    mx.random.seed(0)
    print(f"{'':18}{'first':>9}{'second':>9}{'third':>9}{'new':>9}{'seen':>9}{'imper.':>9}{'seen':>9}"
          f"{'new/seen':>11}{'new/imper.':>11}")
    for name, (make, data, first) in PROGRAMS.items():
        found, ratio = measured(make, data, first, given.train)
        print(f"{name:18}" + "".join(f"{value:9.3f}" for value in found.values())
              + f"{ratio:11.2f}{found['new'] / found['imperative']:11.2f}")


if __name__ == "__main__":
    main()
