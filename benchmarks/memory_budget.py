"""Time against memory: train steps under several budgets, `hybridize(memory=...)`, as Markdown.

    python benchmarks/memory_budget.py [--rounds 5]

A ResNet-50 on 4 images of 224 x 224, and a transformer encoder of 12 layers, 256 units and 4 heads on 8 texts of 128
words. Processor time of the forward and backward pass, the budgets in turns; the median over the rounds.
"""

import argparse
import datetime
import statistics
import time
import warnings

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.common import hardware as machine
from minigluon.gluon import nn

BUDGETS = [None, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4]


class Layer(gluon.HybridBlock):
    """Attention, then two Dense layers, each after a LayerNorm and added to its input."""

    def __init__(self, units=256, heads=4):
        super().__init__()
        self.heads = heads
        with self.name_scope():
            self.norms = nn.HybridSequential()
            self.norms.add(nn.LayerNorm(), nn.LayerNorm())
            self.projections = nn.HybridSequential()
            self.projections.add(*[nn.Dense(units, flatten=False) for _ in range(4)])
            self.wide = nn.HybridSequential()
            self.wide.add(nn.Dense(4 * units, flatten=False), nn.GELU(), nn.Dense(units, flatten=False))

    def hybrid_forward(self, F, x):
        y = self.norms[0](x)
        query, key, value = (
            self.projections[i](y).reshape((0, 0, self.heads, -1)).transpose((0, 2, 1, 3)).reshape((-3, 0, 0))
            for i in range(3))
        shares = F.softmax(F.batch_dot(query, key, transpose_b=True) * 0.125)
        y = F.batch_dot(shares, value).reshape((-4, -1, self.heads, 0, 0)).transpose((0, 2, 1, 3)).reshape((0, 0, -3))
        x = x + self.projections[3](y)
        return x + self.wide(self.norms[1](x))


def resnet():
    return gluon.model_zoo.vision.resnet50_v1(), nd.random.uniform(shape=(4, 3, 224, 224))


def transformer():
    net = nn.HybridSequential()
    net.add(*[Layer() for _ in range(12)])
    return net, nd.random.normal(shape=(8, 128, 256))


def prepared(make, budget):
    """Return (a function that makes a step, bytes of its plan, the number of recomputed operators)."""
    mx.random.seed(1)
    net, x = make()
    net.initialize(mx.init.Xavier())
    net(x)
    net.hybridize(**({} if budget is None else {"memory": budget}))

    def step():
        with autograd.record():
            y = net(x)
        y.backward()
        y.wait_to_read()
    step()
    plan = net.block_graphs[True].compiled.last_plan
    return step, plan.memory.peak, sum("_again" in s.node.name for s in plan.steps)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    warnings.simplefilter("ignore", UserWarning)        # about too small budgets: the table shows the actual use
    print(f"{datetime.date.today()}, {machine.processor()}, {machine.cores()} cores; minigluon {mx.__version__}")
    for name, make in (("ResNet-50, batch 4", resnet), ("transformer, 12 layers, batch 8", transformer)):
        runs = [prepared(make, budget) for budget in BUDGETS]
        seconds = [[] for _ in runs]
        for _ in range(rounds):
            for (step, _, _), found in zip(runs, seconds, strict=True):
                start = time.process_time()
                step()
                found.append(time.process_time() - start)
        print(f"\n| {name}: budget | plan | of all | steps computed again | time |\n|---|---|---|---|---|")
        for budget, (_, size, again), found in zip(BUDGETS, runs, seconds, strict=True):
            ratio = statistics.median([a / b for a, b in zip(found, seconds[0], strict=True)])
            print(f"| {budget or 'none'} | {size / 2 ** 20:.0f} MB | {size / runs[0][1]:.2f} | {again} | {ratio:.2f} |",
                  flush=True)


if __name__ == "__main__":
    main()
