"""The time of `mx.explain` and the size of its pages, compared with their limits, as Markdown.

    python benchmarks/explain.py                # writes explain-mlp.html ... to the current folder

Each net runs in a separate process. Seconds are elapsed time, from the net to the page, followed by processor time,
including the layout program, which other programs on the machine affect less. Exits with 1 if a limit is exceeded.
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
# net -> (description, maximum seconds, maximum megabytes)
LIMITS = {"mlp": ("perceptron, three layers, training", 3, None),
          "resnet50": ("ResNet-50, one image of 224 x 224, training", 8, 3),
          "lstm": ("LSTM cell over 35 steps, training", 15, 3)}


class WithLoss(gluon.HybridBlock):
    """A net followed by softmax cross-entropy."""

    def __init__(self, net, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.net, self.loss = net, gluon.loss.SoftmaxCrossEntropyLoss()

    def hybrid_forward(self, F, x, y):
        """The loss of each sample."""
        return self.loss(self.net(x), y)


class Language(gluon.HybridBlock):
    """A language model: an LSTM cell over 35 words, and scores for the next words."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.embed, self.cell = nn.Embedding(1000, 64), rnn.LSTMCell(128)
            self.out = nn.Dense(1000, flatten=False)

    def hybrid_forward(self, F, x):
        """x (N, 35) | (N, 35, 1000)"""
        return self.out(self.cell.unroll(35, self.embed(x), layout="NTC", merge_outputs=True)[0])


def make(name):
    """Return (net, inputs) for a name of LIMITS."""
    if name == "mlp":
        net = nn.HybridSequential()
        net.add(nn.Dense(256, activation="relu"), nn.Dense(64, activation="relu"), nn.Dense(10))
        return WithLoss(net), [nd.ones((64, 784)), nd.zeros((64,))]
    if name == "resnet50":
        return WithLoss(vision.resnet50_v1()), [nd.ones((1, 3, 224, 224)), nd.zeros((1,))]
    return WithLoss(Language()), [nd.zeros((8, 35)), nd.zeros((8, 35))]


def measure(name):
    """Write a net's page, and print its cost as JSON."""
    net, inputs = make(name)
    net.initialize()
    worked, start = sum(os.times()[:4]), time.perf_counter()
    page = explain(net, *inputs, path=f"explain-{name}.html", train=True)
    print(json.dumps({"seconds": time.perf_counter() - start, "worked": sum(os.times()[:4]) - worked,
                      "bytes": os.path.getsize(page)}))


def main():
    """Print the table. Returns 1 if a limit is exceeded."""
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
