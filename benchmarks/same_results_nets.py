"""The nets of `same_results`: those of `minigluon bench` in small sizes, and some with other layers."""

from functools import partial

import minigluon as mx
from minigluon import gluon, nd
from minigluon.gluon import nn
from minigluon.tools.bench.nets import QUICK
from minigluon.tools.bench.workers import programs_gluon as measured

__all__ = ["NETS", "OPTIMIZERS", "small_mlp"]

SIZES = {**QUICK, "lenet_batch": 16, "lenet256_batch": 256, "alexnet_units": 256, "resnet_image": 64, "deep_batch": 16,
         "text_words": 50, "text_units": 24, "text_batch": 4, "text_steps": 6}

# The first word is the optimizer's name.
OPTIMIZERS = {"sgd": {}, "sgd momentum": {"momentum": 0.9, "wd": 0.01}, "sgd clipped": {"clip_gradient": 0.1},
              "nag": {"momentum": 0.9}, "adam": {}, "adagrad": {}, "rmsprop": {},
              "rmsprop centered": {"centered": True}, "adadelta": {}, "adamax": {}, "nadam": {}, "ftrl": {}, "ftml": {},
              "signsgd": {}, "signum": {}, "lamb": {}, "dcasgd": {}, "lars": {}, "lbsgd": {}, "sgld": {}}


def stack(*layers):
    """Return a sequence of the layers that these functions create."""
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(*[layer() for layer in layers])
    return net


class Attention(gluon.HybridBlock):
    """One encoder layer with two heads: (length, batch, 16) to a row of numbers for each item of the batch."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.project = nn.Dense(48, flatten=False)
            self.norm, self.after = nn.LayerNorm(), nn.LayerNorm()
            self.wide, self.narrow = nn.Dense(32, flatten=False), nn.Dense(16, flatten=False)
            self.drop, self.gelu, self.head = nn.Dropout(0.2), nn.GELU(), nn.Dense(10)

    def hybrid_forward(self, F, x):
        parts = self.project(x)
        scores = F.contrib.interleaved_matmul_selfatt_qk(parts, heads=2)
        mixed = F.contrib.interleaved_matmul_selfatt_valatt(parts, self.drop(F.softmax(scores)), heads=2)
        x = self.norm(x + mixed)
        x = self.after(x + self.narrow(self.gelu(self.wide(x))))
        return self.head(F.transpose(x, axes=(1, 0, 2)))


def bench_net(make):
    """Return a net of `minigluon bench` as `make() -> net, batch, labels, loss`."""
    def build():
        return *make(mx, SIZES), gluon.loss.SoftmaxCrossEntropyLoss()
    return build


def initialized(make, *shape, loss=gluon.loss.SoftmaxCrossEntropyLoss):
    """Return the same for a net of this file or the zoo, with a batch of this shape."""
    def build():
        net = make()
        net.initialize(mx.init.Xavier())
        batch = shape[1] if make is Attention else shape[0]
        return net, nd.random.normal(shape=shape), nd.array([i % 3 for i in range(batch)]), loss()
    return build


def chain():
    """Return a net of nine elementwise operators after a layer."""
    net = stack(lambda: nn.Dense(64), lambda: measured.chain(mx))
    net.initialize()
    return net, nd.random.normal(shape=(40, 25)), nd.random.normal(shape=(40, 64)), gluon.loss.L2Loss()


def normalized():
    """Return a net of convolutions with each kind of normalization, activation and pooling."""
    return stack(lambda: nn.Conv2D(8, 3, padding=1, use_bias=False), nn.BatchNorm, lambda: nn.Activation("relu"),
                 lambda: nn.MaxPool2D(2, 2), lambda: nn.Conv2D(8, 3, padding=1, groups=8), nn.InstanceNorm, nn.PReLU,
                 lambda: nn.AvgPool2D(2, 2), lambda: nn.Conv2DTranspose(6, 3, 2), lambda: nn.GroupNorm(2),
                 lambda: nn.LeakyReLU(0.1), lambda: nn.Dropout(0.3), nn.SELU, nn.Swish, nn.GlobalAvgPool2D,
                 lambda: nn.Dense(12), nn.LayerNorm, lambda: nn.Dropout(0.5), lambda: nn.Dense(3))


def channels_last():
    """Return a net with channels last, as in image files."""
    return stack(lambda: nn.Conv2D(8, 3, padding=1, layout="NHWC"), lambda: nn.BatchNorm(axis=-1),
                 lambda: nn.Activation("relu"), lambda: nn.MaxPool2D(2, 2, layout="NHWC"), nn.Flatten,
                 lambda: nn.Dense(3))


def small_mlp():
    """Return a perceptron on eight rows, for the optimizers."""
    net = stack(lambda: nn.Dense(12, activation="relu"), lambda: nn.Dropout(0.5),
                lambda: nn.Dense(7, activation="tanh"), lambda: nn.Dense(3))
    return initialized(lambda: net, 8, 10)()


# name -> make() -> net, batch, labels, loss
NETS = {
    **{name: bench_net(getattr(measured, name)) for name in ("mlp", "lenet", "alexnet", "resnet", "deep_mlp")},
    "lenet256": bench_net(lambda mx, sizes: measured.lenet(mx, measured.large(sizes))),
    **{kind: bench_net(partial(measured.text, kind)) for kind in ("lstm", "gru")},
    **{f"{kind} layers": bench_net(partial(measured.text_layers, kind)) for kind in ("lstm", "gru")},
    "chain": chain,
    "normalized": initialized(normalized, 4, 3, 16, 16),
    "channels last": initialized(channels_last, 4, 8, 8, 3),
    "attention": initialized(Attention, 5, 4, 16),
    "mobilenet": initialized(partial(gluon.model_zoo.vision.mobilenet_v2_0_25, classes=10), 2, 3, 64, 64),
    "resnet v2": initialized(partial(gluon.model_zoo.vision.resnet18_v2, classes=10), 1, 3, 64, 64),
}
