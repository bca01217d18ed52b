"""Small cases of the kernels whose threads wait for each other or share what they write, against the CPU.

test_gpu_hard.py runs it in the emulator's hard mode, in a process of its own: a race leaves the device unusable. Sizes
are the least at which several blocks, tiles and rounds take part.
"""

import sys

import numpy as np
from minigluon_accel.gpu import launch

import minigluon as mx
from minigluon import autograd, nd

__all__ = ["CASES", "main"]

random = np.random.default_rng(0)


def numbers(*shape, dtype="float32"):
    return random.normal(size=shape).astype(dtype)


def positive(n):
    """Matrices that have a Cholesky factor."""
    a = numbers(2, n, n)
    return a @ a.transpose(0, 2, 1) + n * np.eye(n, dtype="float32")


def boxes(count):
    corner, size = random.random((2, count, 2)).astype("float32")
    return np.concatenate([corner, corner + size * 0.5], 1)


def scored_boxes(count):
    return np.concatenate([random.random((count, 1)).astype("float32"), boxes(count)], 1)[None]


def mask_target(anchors, objects):
    """Anchors, labels (class and box) and predictions of a detector."""
    label = np.concatenate([np.arange(objects, dtype="float32")[:, None] % 2, boxes(objects)], 1)
    return [boxes(anchors)[None], label[None], numbers(1, 3, anchors)]


def eigenvectors(a):
    """And the values. A vector's sign is a convention of each library."""
    vectors, values = nd.linalg_syevd(a)
    return [nd.abs(vectors), values]


def trained(x, w, labels):
    """Losses and parameters of a small net that is hybridized: from the second step on its graph runs."""
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(12, in_units=x.shape[1]), mx.gluon.nn.BatchNorm(in_channels=12),
            mx.gluon.nn.Dense(3, in_units=12))
    net.initialize(ctx=x.context)
    net.hybridize()
    net[0].weight.set_data(w)
    net[2].weight.set_data(w[:3, :12])
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    loss, losses = mx.gluon.loss.SoftmaxCrossEntropyLoss(), []
    for _ in range(4):
        with autograd.record():
            out = loss(net(x), labels)
        out.backward()
        trainer.step(x.shape[0])
        losses.append(out)
    return [*losses, *[p.data() for p in net.collect_params().values()]]


def copied(x):
    """Arrays from the host, one after the other, of one size: each keeps its own numbers."""
    return [nd.array(np.full((700,), k, "float32"), ctx=x.context) + 1 for k in range(12)]


def unique(most):
    """How many numbers are drawn, and how many of them differ."""
    drawn = nd._internal._sample_unique_zipfian(int(most.asscalar()), shape=(2, 150), ctx=most.context)[0].asnumpy()
    return [nd.array([drawn.size, sum(len(set(row)) for row in drawn)], ctx=most.context)]


def attention(query, key, value, mask):
    """The result, and the gradients."""
    arrays = query, key, value
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        out = nd._internal._attention(*arrays, mask, masking="where", fill=-1e4, scale=0.3)
        loss = out * out
    loss.backward()
    return [out, *[array.grad for array in arrays]]


CASES = {
    "products": (lambda a, b, c: [nd.dot(a, b), nd.dot(a, c), nd.dot(b, c, transpose_a=True)],
                 [numbers(70, 90), numbers(90, 265), numbers(90, 1)]),
    "sums": (lambda x: [nd.sum(x, axis=0), nd.sum(x, axis=1), nd.max(x, axis=0)], [numbers(300, 40)]),
    "long-sums": (lambda x: [nd.sum(x), nd.sum(x, axis=0)], [numbers(3000, 2)]),
    "transposition": (lambda x: [nd.transpose(x)], [numbers(40, 70)]),
    "sort": (lambda x: [nd.sort(x), nd.argsort(x), nd.topk(x, k=3)], [numbers(3, 2100)]),
    "mask": (lambda x, m: [nd.contrib.boolean_mask(x, m)],
             [numbers(2500, 2), (random.random(2500) < 0.5).astype("float32")]),
    "convolution": (lambda x, w, b: [nd.Convolution(x, w, b, kernel=(3, 3), num_filter=5, pad=(1, 1))],
                    [numbers(2, 9, 9, 8), numbers(5, 9, 3, 3), numbers(5)]),
    "attention": (attention, [numbers(2, 70, 8), numbers(2, 67, 8), numbers(2, 67, 8),
                              (random.random((2, 1, 70, 67)) < 0.6).astype("float32")]),
    "ctc": (lambda x, labels: [nd.CTCLoss(x, labels)],
            [numbers(9, 3, 5), np.array([[1, 2, 3], [2, 2, 0], [4, 0, 0]], "float32")]),
    "factors": (lambda a: [nd.linalg_potrf(a), nd.linalg_inverse(a), nd.linalg_det(a),
                           nd.linalg_potri(nd.linalg_potrf(a)), nd.linalg_gelqf(a)[1]], [positive(12)]),
    "diagonals": (lambda a: [nd.linalg_sumlogdiag(a)], [np.concatenate([positive(5)] * 6)]),
    "eigenvectors": (eigenvectors, [positive(9)]),
    "detections": (lambda x: [nd.contrib.box_nms(x, overlap_thresh=0.2, coord_start=1, score_index=0, id_index=-1)],
                   [scored_boxes(300)]),
    "matching": (lambda x: nd.contrib.bipartite_matching(x, threshold=0.1),
                 [random.random((1, 20, 15)).astype("float32")]),
    "targets": (lambda *arrays: nd.contrib.MultiBoxTarget(*arrays, negative_mining_ratio=2.0,
                                                          negative_mining_thresh=0.3), mask_target(300, 4)),
    "histogram": (lambda x: list(nd.histogram(x, bins=6, range=(-2, 2))), [numbers(2000)]),
    "places": (lambda x, i: [nd.take(x, i), nd.scatter_nd(nd.take(x, i), nd.reshape(i, (1, -1)), shape=(50, 3))],
               [numbers(50, 3), np.arange(49, -1, -1).astype("float32") // 2]),
    "unique-numbers": (unique, [np.array([2000], "float32")]),
    "training": (trained, [numbers(20, 15), numbers(12, 15) * 0.3, np.arange(20).astype("float32") % 3]),
    "copies": (copied, [numbers(1)]),
}


def main():
    launch.MAX_BLOCKS = 3               # so that blocks go on to further rows and tiles
    wrong = []
    for name, (function, arrays) in CASES.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        found, wanted = [[y.asnumpy() for y in function(*[nd.array(a, ctx=ctx, dtype=a.dtype) for a in arrays])]
                         for ctx in (mx.gpu(), mx.cpu())]
        for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
            if not np.allclose(one, other, rtol=2e-3, atol=2e-4):
                wrong.append(f"{name}: result {number} differs by {np.abs(one - other).max()}")
    print("\n".join(wrong) or "right")


if __name__ == "__main__":
    main()
