"""A single-shot detector learns to find discs, boxes and crosses (Liu et al., SSD: single shot multibox detector).

Images are generated as needed, each with its shapes' classes and corners. The network looks at an image at two scales.
At each position in each scale, it predicts the class for six anchors and how each anchor must be moved:

    MultiBoxPrior       the anchors of a scale
    MultiBoxTarget      for training: the class of each anchor, and the offsets that lead to its shape
    MultiBoxDetection   for use: offsets back to boxes, keeping only the best of overlapping boxes

The program ends with the mean average precision on new images: the area under the precision-recall curve for each
class, where a box is correct if its overlap with a shape of its class is at least half.
"""

import sys

import numpy as np

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn

SIDE = 48                                               # pixels
CLASSES = ["disc", "box", "cross"]
SCALES = [(0.2, 0.28), (0.4, 0.5)]                      # anchor sizes for each scale, as fractions of SIDE
RATIOS = (1, 2, 0.5)
ANCHORS = len(SCALES[0]) + len(RATIOS) - 1              # per position


def draw(count, rng):
    """Returns (images (count, 3, SIDE, SIDE), labels (count, 2, 5)): class (-1 for none) and corners per shape."""
    images = rng.normal(0, 0.15, (count, 3, SIDE, SIDE)) + rng.uniform(-0.5, 0.5, (count, 3, 1, 1))
    labels = np.full((count, 2, 5), -1.0)
    y, x = np.mgrid[:SIDE, :SIDE]
    for image, label in zip(images, labels, strict=True):
        for number in range(rng.integers(1, 3)):
            # the second shape is drawn in the other half, so that the shapes do not overlap
            width, height = rng.integers(9, 21, 2)
            left, top = rng.integers(number * SIDE // 2, SIDE // 2 + number * SIDE // 2 - width + 1), rng.integers(
                0, SIDE - height + 1)
            kind = rng.integers(len(CLASSES))
            u, v = (x - left + 0.5) / width * 2 - 1, (y - top + 0.5) / height * 2 - 1
            inside = [u * u + v * v <= 1, np.maximum(abs(u), abs(v)) <= 1,
                      (np.maximum(abs(u), abs(v)) <= 1) & (np.minimum(abs(u), abs(v)) < 0.35)][kind]
            image[:, inside] = rng.uniform(0.8, 1.6, (3, 1)) * rng.choice([-1, 1], (3, 1))
            label[number] = kind, left / SIDE, top / SIDE, (left + width) / SIDE, (top + height) / SIDE
    return nd.array(images), nd.array(labels)


def down(channels):
    """Returns a block that halves height and width."""
    block = nn.HybridSequential()
    for _ in range(2):
        block.add(nn.Conv2D(channels, kernel_size=3, padding=1), nn.BatchNorm(), nn.Activation("relu"))
    block.add(nn.MaxPool2D())
    return block


class Detector(gluon.HybridBlock):
    """A network: images -> anchors (1, A, 4), scores (N, A, classes + 1), offsets (N, 4A)."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.stem = nn.HybridSequential()
            self.stem.add(down(12), down(24))
            self.next = down(36)
            for scale in range(len(SCALES)):
                setattr(self, f"classes{scale}", nn.Conv2D(ANCHORS * (len(CLASSES) + 1), kernel_size=3, padding=1))
                setattr(self, f"offsets{scale}", nn.Conv2D(ANCHORS * 4, kernel_size=3, padding=1))

    def hybrid_forward(self, F, x):
        near = self.stem(x)
        anchors, scores, offsets = [], [], []
        for scale, features in enumerate([near, self.next(near)]):
            anchors.append(F.contrib.MultiBoxPrior(features, sizes=SCALES[scale], ratios=RATIOS))
            scores.append(flat(F, getattr(self, f"classes{scale}")(features)))
            offsets.append(flat(F, getattr(self, f"offsets{scale}")(features)))
        scores = F.reshape(F.concat(*scores, dim=1), shape=(0, -1, len(CLASSES) + 1))
        return F.concat(*anchors, dim=1), scores, F.concat(*offsets, dim=1)


def flat(F, prediction):
    """Flattens (N, numbers, h, w) so that the numbers of each position are contiguous."""
    return F.flatten(F.transpose(prediction, axes=(0, 2, 3, 1)))


def average_precision(found, labels):
    """Returns the mean over classes. found (N, A, 6): class, score, corners; labels (N, shapes, 5)."""
    precisions = []
    for kind in range(len(CLASSES)):
        wanted = (labels[:, :, 0] == kind).sum()
        image, row = np.nonzero(found[:, :, 0] == kind)
        order = np.argsort(-found[image, row, 1])
        right, used = np.zeros(len(order)), np.zeros(labels.shape[:2], bool)
        overlaps = nd.contrib.box_iou(nd.array(found[image, row, 2:]), nd.array(labels[:, :, 1:])).asnumpy()
        for place, number in enumerate(order):
            near = overlaps[number, image[number]] * (labels[image[number], :, 0] == kind)
            best = near.argmax()
            if near[best] >= 0.5 and not used[image[number], best]:
                right[place] = used[image[number], best] = 1
        precision = right.cumsum() / np.arange(1, len(order) + 1)
        precisions.append((precision * right).sum() / wanted)
    return float(np.mean(precisions))


def detections(net, images):
    """Returns (N, A, 6): class (-1 for none), score, corners."""
    anchors, scores, offsets = net(images)
    return nd.contrib.MultiBoxDetection(nd.softmax(scores).transpose((0, 2, 1)), offsets, anchors, threshold=0.05,
                                        nms_threshold=0.3).asnumpy()


def main(small):
    mx.random.seed(1)
    rng = np.random.default_rng(1)
    net = Detector()
    net.initialize(mx.init.Xavier())
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 3e-3})
    class_loss, offset_loss = gluon.loss.SoftmaxCrossEntropyLoss(), gluon.loss.L1Loss()
    losses, steps, batch = [], *((90, 16) if small else (300, 32))
    for step in range(steps):
        images, labels = draw(batch, rng)
        with autograd.record():
            anchors, scores, offsets = net(images)
            with autograd.pause():
                targets, mask, classes = nd.contrib.MultiBoxTarget(anchors, labels, scores.transpose((0, 2, 1)),
                                                                   negative_mining_ratio=3)
            counts = nd.expand_dims(classes >= 0, axis=-1)          # -1: background excluded by mining
            loss = (class_loss(scores, nd.relu(classes), counts) * classes.shape[1] / counts.sum() * batch
                    + offset_loss(offsets * mask, targets * mask) * mask.size / mask.sum())
        loss.backward()
        if step == steps * 2 // 3:
            trainer.set_learning_rate(5e-4)
        trainer.step(batch)
        losses.append(loss.mean().asscalar())
        if step % (steps // 5) == 0:
            print(f"step {step:3}: loss {losses[-1]:.3f}")

    images, labels = draw(100, rng)
    found = detections(net, images)
    precision = average_precision(found, labels.asnumpy())
    for kind, score, *corners in found[0][found[0, :, 0] >= 0][:3]:
        print(f"{CLASSES[int(kind)]:5} {score:.2f} at", *(f"{number * SIDE:.0f}" for number in corners))
    print("of   ", *(f"{CLASSES[int(k)]} at {' '.join(f'{n * SIDE:.0f}' for n in box)}" for k, *box in
                     labels[0].asnumpy() if k >= 0), sep="  ")
    print(f"loss {losses[0]:.3f} -> {np.mean(losses[-10:]):.3f}, mean average precision {precision:.3f}")
    assert np.mean(losses[-10:]) < losses[0] / 2
    assert precision > (0.3 if small else 0.9)


if __name__ == "__main__":
    main(small="--small" in sys.argv)
