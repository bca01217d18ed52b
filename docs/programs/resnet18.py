"""ResNet-18 from the model zoo learns to classify clothes: Fashion-MNIST, shop photographs of ten types of items.

    python docs/programs/resnet18.py --data FOLDER          # the folder of Fashion-MNIST's four files

Without a folder it learns scikit-learn's digits, which require no download. The network is the one designed for
photographs of 224 pixels, with random initial weights. It sees each image in gray, shifted by a pixel, and mirrored if
mirroring preserves the class, which is true for clothes but not for digits.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

import minigluon as mx
from minigluon import gluon, nd
from minigluon.gluon.model_zoo import vision

BATCH = 50
MOVED = 1           # pixels, at most
SHOWN = 6000        # how many of the 60000 clothing images to use: enough for a minute of training


def load(folder):
    """Returns (images (N, 1, H, W) from -1 to 1, labels (N,)) to train and test, and whether mirroring is allowed."""
    if folder:
        parts = [gluon.data.vision.FashionMNIST(str(Path(folder)), train=train) for train in (True, False)]
        images = [part._data.asnumpy().transpose(0, 3, 1, 2) / 127.5 - 1 for part in parts]
        return (images[0], parts[0]._label), (images[1], parts[1]._label), True
    digits = load_digits()
    images = np.kron(digits.images[:, None], np.ones((1, 1, 2, 2))) / 8 - 1
    order = np.random.RandomState(0).permutation(len(images))
    train, test = order[:-400], order[-400:]
    return (images[train], digits.target[train]), (images[test], digits.target[test]), False


def batches(images, labels, random, mirrored):
    """Yields batches of shuffled, shifted and mirrored images as NDArrays."""
    for chosen in np.split(random.permutation(len(images))[:len(images) // BATCH * BATCH], len(images) // BATCH):
        x = np.roll(images[chosen], random.randint(-MOVED, MOVED + 1, 2), axis=(2, 3))
        if mirrored and random.rand() < 0.5:
            x = x[..., ::-1]
        yield nd.array(x), nd.array(labels[chosen])


def accuracy(net, images, labels):
    right = 0
    for i in range(0, len(images), 500):
        right += int((net(nd.array(images[i:i + 500])).argmax(axis=1).asnumpy() == labels[i:i + 500]).sum())
    return right / len(images)


def main(small, folder=None):
    mx.random.seed(0)
    (images, labels), test, mirrored = load(folder)
    if folder:
        images, labels = images[:SHOWN], labels[:SHOWN]
    if small:           # a narrow network, with one block per stage
        net = vision.ResNetV1(vision.BasicBlockV1, [1, 1, 1, 1], [16, 16, 32, 64, 128], classes=10)
    else:
        net = vision.resnet18_v1(classes=10)
    net.initialize(mx.init.Xavier())
    net.hybridize()
    epochs = 2 if folder else 3 if small else 8
    steps = epochs * (len(images) // BATCH)
    schedule = mx.lr_scheduler.CosineScheduler(steps, base_lr=2e-3, warmup_steps=steps // 10)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 2e-3, "lr_scheduler": schedule})
    step = gluon.TrainStep(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer)
    random, begin = np.random.RandomState(0), time.perf_counter()
    for epoch in range(epochs):
        loss = np.mean([step(x, y).mean().asscalar() for x, y in batches(images, labels, random, mirrored)])
        print(f"epoch {epoch + 1}: loss {loss:.3f}, {time.perf_counter() - begin:.0f} s", flush=True)
    found = accuracy(net, *test)
    print(f"of {len(test[0])} images that it has not seen, it knows {found:.1%}")
    assert found > (0.7 if small else 0.78 if folder else 0.95)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--data", metavar="FOLDER")
    args = parser.parse_args()
    main(args.small, args.data)
