"""Nets that the tests of explain, and docs/make_images.py, show."""

from minigluon import gluon
from minigluon.gluon import nn

__all__ = ["Classifier", "Scaled", "deep", "lenet"]


class Scaled(gluon.HybridBlock):
    """Two layers, and a chain of elementwise operators that can be fused."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.hidden = nn.Dense(8, activation="relu")
            self.norm = nn.BatchNorm()
            self.drop = nn.Dropout(0.5)
            self.out = nn.Dense(3)

    def hybrid_forward(self, F, x):
        hidden = self.drop(self.norm(self.hidden(x)))     # a comment, "quoted" & <marked>
        return F.softmax(self.out(F.tanh(hidden * 0.5 + 0.1)))


class Classifier(gluon.HybridBlock):
    """Dense-relu-Dense with a softmax loss."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.hidden = nn.Dense(16, activation="relu")
            self.scores = nn.Dense(4)
            self.loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def hybrid_forward(self, F, x, y):
        return self.loss(self.scores(self.hidden(x)), y)


def lenet():
    net = nn.HybridSequential(prefix="lenet_")
    with net.name_scope():
        net.add(nn.Conv2D(6, 5, activation="relu"), nn.MaxPool2D(2), nn.Conv2D(16, 5, activation="relu"),
                nn.MaxPool2D(2), nn.Dense(32, activation="relu"), nn.Dense(10))
    return net


def deep(layers=100):
    net = nn.HybridSequential(prefix="deep_")
    with net.name_scope():
        for _ in range(layers):
            net.add(nn.Dense(16, activation="relu"))
    return net
