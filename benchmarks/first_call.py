"""The first call of a hybridized net with a large graph: tracing, inference, gradients, passes, memory, kernels.

    python benchmarks/first_call.py                 # chains of 1,000 to 8,000 nodes, LSTM cells over 20 to 120 steps
    python benchmarks/first_call.py --rounds 5

Prints the processor time of the first recorded call with its backward pass, the same per node of the traced graph, and
the time of the second call. Each round creates new nets; the median counts.
"""

import argparse
import statistics
import time

import minigluon as mx
from minigluon import autograd, gluon, nd, sym


def chain(nodes):
    """Return (net, input): alternating relu and addition."""
    x = y = sym.var("data")
    for _ in range(nodes // 2):
        y = sym.relu(sym.broadcast_add(y, x))
    return gluon.SymbolBlock(y, [x]), nd.ones((2, 3)), nodes


def cells(steps):
    """Return (net, input): two unrolled LSTM cells."""
    class Unrolled(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.cell = gluon.rnn.HybridSequentialRNNCell()
                for _ in range(2):
                    self.cell.add(gluon.rnn.LSTMCell(8, input_size=8))

        def hybrid_forward(self, F, x):
            outputs, _ = self.cell.unroll(steps, x, merge_outputs=True)
            return outputs

    net, x = Unrolled(), nd.ones((2, steps, 8))
    net.initialize()
    net.hybridize()
    return net, x, len(net(sym.var("data")).get_internals().list_outputs())


def call(net, x):
    x.attach_grad()
    begin = time.process_time()
    with autograd.record():
        y = net(x)
    y.backward()
    mx.nd.waitall()
    return 1e3 * (time.process_time() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    print(f"minigluon {mx.__version__}, backend {mx.backend.backend_for(mx.cpu()).name}, {rounds} rounds")
    print("| graph | first call, ms | for a node, µs | second call, ms |\n|---|---|---|---|")
    for make, size in [*[(chain, n) for n in (1000, 2000, 4000, 8000)], *[(cells, n) for n in (20, 60, 120)]]:
        times = []
        for _ in range(rounds):
            net, x, nodes = make(size)
            times.append((call(net, x), call(net, x)))
        first, second = [statistics.median(column) for column in zip(*times, strict=True)]
        each = f"{1e3 * first / nodes:.0f}" if nodes else ""
        print(f"| {make.__name__} {size} | {first:.0f} | {each} | {second:.2f} |", flush=True)


if __name__ == "__main__":
    main()
