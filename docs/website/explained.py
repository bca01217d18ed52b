"""Pages of `mx.explain` for five nets, and a page with links to them."""

import inspect
import sys

import minigluon as mx
from minigluon import gluon, nd
from minigluon.gluon import nn
from minigluon.gluon.model_zoo import vision

__all__ = ["write_explained"]


def lenet():
    """LeNet, forward: how simplify and fuse change convolutions and their activations."""
    net = nn.HybridSequential(prefix="lenet_")
    with net.name_scope():
        net.add(nn.Conv2D(6, 5, activation="relu"), nn.MaxPool2D(2), nn.Conv2D(16, 5, activation="relu"),
                nn.MaxPool2D(2), nn.Dense(32, activation="relu"), nn.Dense(10))
    return net, [nd.ones((8, 1, 28, 28))], False


class Classifier(gluon.HybridBlock):
    """Two dense layers and their loss."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.hidden, self.scores = nn.Dense(16, activation="relu"), nn.Dense(4)
            self.loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def hybrid_forward(self, F, x, y):
        """Compute the loss for each row."""
        return self.loss(self.scores(self.hidden(x)), y)


def classifier():
    """A perceptron with its loss, forward and backward: the pass that builds the gradients."""
    return Classifier(prefix="net_"), [nd.ones((8, 5)), nd.zeros((8,))], True


class Gelu(gluon.HybridBlock):
    """A Gaussian error linear unit, in its tanh form."""

    def hybrid_forward(self, F, x):
        """Compute GELU for any shape."""
        return 0.5 * x * (1 + F.tanh(0.79788456 * (x + 0.044715 * x ** 3)))


def gelu():
    """A chain of elementwise operators, forward and backward: it becomes one kernel."""
    return Gelu(prefix="gelu_"), [nd.ones((100, 100))], True


class Unrolled(gluon.HybridBlock):
    """A cell over five steps."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.cell = gluon.rnn.LSTMCell(16)

    def hybrid_forward(self, F, x):
        """x (N, 5, features) | out (N, 5, 16)"""
        return self.cell.unroll(5, x, merge_outputs=True)[0]


def lstm():
    """An LSTM over five steps: each step reuses memory of the previous one."""
    return Unrolled(prefix="lstm_"), [nd.ones((2, 5, 8))], False


def residual():
    """A block of ResNet, forward: batch normalization and a value that two operators read."""
    return vision.BasicBlockV1(16, 1, in_channels=16, prefix="block_"), [nd.ones((2, 16, 8, 8))], False


NETS = {"lenet": lenet, "classifier": classifier, "gelu": gelu, "lstm": lstm, "residual": residual}

INTRODUCTION = """# What hybridize makes of a net

`mx.explain(net, x)` writes one page about a net: the source of `hybrid_forward`, the traced graph before and after each
pass of the compiler, the memory plan, the steps with their times, and the imperative run compared with the hybridized
one. `minigluon explain` does the same from the command line. These pages were generated together with the site, with
the NumPy backend; [chapter 9](../docs/9-hybridize.md) explains them.
"""


def write_explained(folder):
    """Write the nets' pages to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with mx.backend.use_backend("numpy"):
        for name, make in NETS.items():
            net, inputs, train = make()
            net.initialize()
            mx.explain(net, *inputs, path=folder / f"{name}.html", train=train)


def text():
    """Return the Markdown of the page with links to these pages."""
    parts = [INTRODUCTION]
    for name, make in NETS.items():
        classes = [cls for cls in (Classifier, Gelu, Unrolled) if cls.__name__ in inspect.getsource(make)]
        shown = inspect.getsource(classes[0] if classes else make).rstrip()
        what, _, why = inspect.getdoc(make).partition(": ")
        parts.append(f"\n## {what}\n\n{why[0].upper()}{why[1:]} [Open the page](site:explained/{name}.html).\n\n"
                     f"```python\n{shown}\n```\n")
    return "".join(parts)


if __name__ == "__main__":
    from pathlib import Path
    write_explained(Path(sys.argv[1]))
