"""How long `mx.explain` takes, and how large its pages are, beside the limits that were set; as Markdown.

    python benchmarks/explain.py                # in the folder where the pages shall lie: explain-mlp.html ...

Each net in a process of its own. Seconds are those of a watch, from the net to the page; beside them those that
processors worked for it, its layout program included, which other programs on the machine lengthen less. Ends with 1 if
a limit is exceeded.
"""

import json
import os
import subprocess
import sys
import time

from minigluon import explain, gluon, nd
from minigluon.gluon import nn, rnn
from minigluon.gluon.model_zoo import vision

MEGABYTE = 1e6
# net -> (what it is, seconds at most, megabytes at most)
LIMITS = {"mlp": ("perceptron, three layers, training", 3, None),
          "resnet50": ("ResNet-50, one image of 224 x 224, training", 8, 3),
          "lstm": ("LSTM cell over 35 steps, training", 15, 3)}


class WithLoss(gluon.HybridBlock):
    """A net, and the softmax cross-entropy of what it returns."""

    def __init__(self, net, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.net, self.loss = net, gluon.loss.SoftmaxCrossEntropyLoss()

    def hybrid_forward(self, F, x, y):
        """The loss of each sample."""
        return self.loss(self.net(x), y)


class Language(gluon.HybridBlock):
    """Words, an LSTM cell over 35 of them, and the next ones' scores."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.embed, self.cell = nn.Embedding(1000, 64), rnn.LSTMCell(128)
            self.out = nn.Dense(1000, flatten=False)

    def hybrid_forward(self, F, x):
        """x (N, 35) | (N, 35, 1000)"""
        return self.out(self.cell.unroll(35, self.embed(x), layout="NTC", merge_outputs=True)[0])


def make(name):
    """(net, inputs) of a name of LIMITS."""
    if name == "mlp":
        net = nn.HybridSequential()
        net.add(nn.Dense(256, activation="relu"), nn.Dense(64, activation="relu"), nn.Dense(10))
        return WithLoss(net), [nd.ones((64, 784)), nd.zeros((64,))]
    if name == "resnet50":
        return WithLoss(vision.resnet50_v1()), [nd.ones((1, 3, 224, 224)), nd.zeros((1,))]
    return WithLoss(Language()), [nd.zeros((8, 35)), nd.zeros((8, 35))]


def measure(name):
    """Write a net's page; print what it took as JSON."""
    net, inputs = make(name)
    net.initialize()
    worked, start = sum(os.times()[:4]), time.perf_counter()
    page = explain(net, *inputs, path=f"explain-{name}.html", train=True)
    print(json.dumps({"seconds": time.perf_counter() - start, "worked": sum(os.times()[:4]) - worked,
                      "bytes": os.path.getsize(page)}))


def main():
    """The table. Returns 1 if a limit is exceeded."""
    print("| net | seconds | at most | processor seconds | MB | at most |\n|---|---|---|---|---|---|")
    exceeded = False
    for name, (what, seconds, megabytes) in LIMITS.items():
        done = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True, check=True)
        found = json.loads(done.stdout.splitlines()[-1])
        size = found["bytes"] / MEGABYTE
        cells = (what, f"{found['seconds']:.1f}", seconds, f"{found['worked']:.1f}", f"{size:.2f}", megabytes or "")
        print("|", " | ".join(map(str, cells)), "|")
        exceeded |= found["seconds"] > seconds or (megabytes is not None and size > megabytes)
    load = f"; load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"\n{os.cpu_count()} processors{load}")
    return int(exceeded)


if __name__ == "__main__":
    sys.exit(measure(sys.argv[1]) if sys.argv[1:] else main())
