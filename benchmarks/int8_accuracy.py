"""Accuracy in 8-bit integers: a small network trained on MNIST and FashionMNIST, quantized in each mode.

    python benchmarks/int8_accuracy.py FOLDER [--sets mnist fashion-mnist] [--epochs 1] [--examples 10000]

FOLDER contains a folder for each set, with its four original *-ubyte.gz files. Prints the share of correct answers on
the test images, and for each mode the error of each layer: the root of the mean square of the difference from float32,
divided by that of the layer's output in float32.
"""

import argparse
from pathlib import Path

from lenet_int8 import accuracy, first_channels

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.contrib.quantization import quantize_net, quantize_weights
from minigluon.gluon import nn

SETS = {"mnist": gluon.data.vision.MNIST, "fashion-mnist": gluon.data.vision.FashionMNIST}


def made():
    """Return a network of two convolutions and two dense layers."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(16, 5, activation="relu"), nn.MaxPool2D(), nn.Conv2D(32, 5, activation="relu"), nn.MaxPool2D(),
            nn.Flatten(), nn.Dense(128, activation="relu"), nn.Dense(10))
    return net


def trained(data, epochs, seed):
    """Return a network after some epochs."""
    mx.random.seed(seed)
    net, loss = made(), gluon.loss.SoftmaxCrossEntropyLoss()
    net.initialize(mx.init.Xavier())
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-3})
    for _ in range(epochs):
        for images, labels in gluon.data.DataLoader(data, 64, shuffle=True):
            with autograd.record():
                total = loss(net(images), labels).mean()
            total.backward()
            trainer.step(1)
    return net


def copied(net, images):
    """Return a network with the same parameters."""
    other = made()
    other.initialize()
    other(images)
    for mine, theirs in zip(net.collect_params().values(), other.collect_params().values(), strict=True):
        theirs.set_data(mine.data())
    return other


def layer_errors(net, small, images):
    """Return {name of a layer: relative error of its output} of layers that both networks have.

    small: a network of `quantize_net` with calib_mode='none', whose graph keeps the layers separate.
    """
    float_nodes = {n.name: n for n in net(mx.sym.var("data")).nodes() if n.op is not None}
    whole = mx.sym.Group([mx.sym.Symbol([(node, 0)]) for node in float_nodes.values()])
    values = {name: p.data() for name, p in net.collect_params().items()}
    outputs = dict(zip(float_nodes, whole.eval(data=images, **values), strict=True))
    graph = small(mx.sym.var("data"))
    found = {}
    values = {name: p.data() for name, p in small.collect_params().items()}
    for node in graph.nodes():
        name = node.name.removeprefix("requantize_")
        if node.op is not None and name in outputs and node.op.name == "_contrib_requantize":
            real = mx.sym.contrib.dequantize(*[mx.sym.Symbol([(node, i)]) for i in range(3)])
            needed = {n: values[n] for n in real.list_inputs() if n in values}
            error = real.eval(data=images, **needed)[0] - outputs[name]
            found[name] = float(((error ** 2).mean() / (outputs[name] ** 2).mean()).sqrt().asscalar())
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--examples", type=int, default=10000)
    parser.add_argument("--calibrate", type=int, default=500)
    parser.add_argument("--seed", type=int, default=2)
    args = parser.parse_args()
    for name in args.sets:
        train, test = (SETS[name](str(args.folder / name), train=t, transform=first_channels) for t in (True, False))
        batches = list(gluon.data.DataLoader(test.take(args.examples), 500))
        calibration = gluon.data.DataLoader(train.take(args.calibrate), 100)
        net = trained(train, args.epochs, args.seed)
        print(f"{name}\n  float32: {100 * accuracy(net, batches)[0]:.2f} %", flush=True)
        for mode in ("none", "naive", "entropy"):
            small = quantize_net(net, calib_mode=mode, calib_data=None if mode == "none" else calibration, logger=None)
            small.hybridize()
            print(f"  int8, calib_mode={mode!r}: {100 * accuracy(small, batches)[0]:.2f} %", flush=True)
            if mode == "none":
                errors = layer_errors(net, small, nd.array(batches[0][0]))
        for bits in (8, 4):
            other = copied(net, batches[0][0])
            quantize_weights(other, bits=bits)
            print(f"  weights of dense layers in {bits} bits: {100 * accuracy(other, batches)[0]:.2f} %", flush=True)
        print("  error of each layer, calib_mode='none': "
              + ", ".join(f"{layer} {100 * error:.2f} %" for layer, error in errors.items()), flush=True)


if __name__ == "__main__":
    main()
