"""LeNet on MNIST as in textbooks on Gluon (batch 64, sgd with learning rate 0.5), with seconds per epoch.

    python benchmarks/lenet_mnist.py FOLDER [--library minigluon|mxnet] [--hybridize] [--until 0.988] [--seed 2]

FOLDER contains MNIST's four original *-ubyte.gz files. The same file runs in the real MXNet with --library mxnet;
lenet_mnist_torch.py is the same program in PyTorch. `--until` stops the training after the epoch that reaches this
accuracy.
"""

import argparse
import importlib
import time


def transform(data, label):
    return data.astype("float32") / 255, label.astype("float32")


def lenet(mx):
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Conv2D(channels=20, kernel_size=5, activation="relu"))
        net.add(nn.MaxPool2D(pool_size=2, strides=2))
        net.add(nn.Conv2D(channels=50, kernel_size=5, activation="relu"))
        net.add(nn.MaxPool2D(pool_size=2, strides=2))
        net.add(nn.Flatten())
        net.add(nn.Dense(128, activation="relu"))
        net.add(nn.Dense(10))
    return net


def accuracy(mx, output, label):
    return mx.nd.mean(output.argmax(axis=1) == label).asscalar()


def evaluate(mx, net, batches):
    total = sum(accuracy(mx, net(data.transpose((0, 3, 1, 2))), label) for data, label in batches)
    return total / len(batches)


def train_epoch(mx, net, batches, loss, trainer, batch_size):
    """Train an epoch. Returns the mean loss."""
    total = 0
    for data, label in batches:
        data = data.transpose((0, 3, 1, 2))
        with mx.autograd.record():
            error = loss(net(data), label)
        error.backward()
        trainer.step(batch_size)
        total += mx.nd.mean(error).asscalar()
    return total / len(batches)


def program(mx, args):
    """Return (name, sizes of the sets, function that trains an epoch, function that evaluates)."""
    gluon, batch_size = mx.gluon, 64
    mx.random.seed(args.seed)
    importlib.import_module("numpy").random.seed(args.seed)      # the order of the training images
    sets = [gluon.data.vision.MNIST(root=args.folder, train=train, transform=transform) for train in (True, False)]
    batches, test = (gluon.data.DataLoader(s, batch_size=batch_size, shuffle=i == 0) for i, s in enumerate(sets))
    net, loss = lenet(mx), gluon.loss.SoftmaxCrossEntropyLoss()
    net.initialize()
    if args.hybridize:
        net.hybridize()
        loss.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    name = f"{args.library} {mx.__version__}" + (", hybridized" if args.hybridize else "")
    return (name, list(map(len, sets)), lambda: train_epoch(mx, net, batches, loss, trainer, batch_size),
            lambda: evaluate(mx, net, test))


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=5, help="at most")
    parser.add_argument("--until", type=float, default=1.01, metavar="ACCURACY")
    return parser


def run(args, begin, program, *how):
    """Train and print the results. begin: the program's start time, before it loaded anything."""
    name, sizes, train, evaluate = program(*how)
    print(f"{name}: {sizes[0]} training and {sizes[1]} test images, batch 64, seed {args.seed}")
    score = 0
    for epoch in range(args.epochs):
        start = time.perf_counter()
        mean_loss = train()
        seconds = time.perf_counter() - start
        score = evaluate()
        print(f"Epoch {epoch}, test accuracy: {score:.4f}, average loss: {mean_loss:.4f}, training: {seconds:.1f} s, "
              f"evaluation: {time.perf_counter() - start - seconds:.1f} s", flush=True)
        if score >= args.until:
            break
    print(f"whole program: {time.perf_counter() - begin:.1f} s")


def main():
    begin = time.perf_counter()
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--library", default="minigluon", choices=["minigluon", "mxnet"])
    parser.add_argument("--hybridize", action="store_true")
    args = parser.parse_args()
    run(args, begin, program, importlib.import_module(args.library), args)


if __name__ == "__main__":
    main()
