"""Data sets of one's own, transforms, samplers, batches of several forms."""

import numpy as np

from ._tools import draw


def run(mx, show):
    nd, gluon = mx.nd, mx.gluon
    data, transforms = gluon.data, gluon.data.vision.transforms

    class Squares(data.Dataset):
        def __init__(self, count):
            self._count = count

        def __getitem__(self, idx):
            if idx >= self._count:
                raise IndexError(idx)
            return nd.array([idx, idx ** 2]), np.float32(idx % 2)

        def __len__(self):
            return self._count

    def shown(loader):
        return [list(batch) if isinstance(batch, (list, tuple)) else batch for batch in loader]

    squares = Squares(5)
    show("custom", shown(data.DataLoader(squares, batch_size=2)))
    for last_batch in ("keep", "discard", "rollover"):
        loader = data.DataLoader(squares, 2, shuffle=False, last_batch=last_batch)
        show(last_batch, [len(loader), [len(y) for _, y in loader], [len(y) for _, y in loader]])
    show("first", shown(data.DataLoader(squares.transform_first(lambda x: x / 2), 5)))
    show("both", shown(data.DataLoader(squares.transform(lambda x, y: (x.sum(), y + np.float32(1)), lazy=False), 3)))
    pixels = (np.abs(draw(1, 4, 6, 6, 3)) * 60).clip(0, 255).astype("uint8")
    labels = np.arange(4, dtype="int32")
    images = data.ArrayDataset(nd.array(pixels, dtype="uint8"), labels)
    augment = transforms.Compose([transforms.Resize(4), transforms.ToTensor(),
                                  transforms.Normalize([0.5, 0.4, 0.3], [0.2, 0.2, 0.1])])
    X, y = next(iter(data.DataLoader(images.transform_first(augment), batch_size=4, shuffle=False, num_workers=0)))
    show("image type", [X.shape, str(X.dtype), y])
    X, y = next(iter(data.DataLoader(images.transform_first(transforms.ToTensor()), batch_size=4)))
    show("tensor", [X[0, 0], X.max(), X.shape])
    crop = transforms.CenterCrop(4)
    show("crop", [crop(images[0][0])[:, :, 0], transforms.Cast("float32")(images[1][0]).mean()])
    always = [transforms.RandomFlipLeftRight(), transforms.RandomFlipTopBottom()]
    show("flips", [t(nd.ones((2, 2, 3))).sum() for t in always])
    show("samplers", [list(data.SequentialSampler(4)), sorted(data.RandomSampler(4)),
                      list(data.BatchSampler(data.SequentialSampler(5), 2, "keep"))])
    sampler = data.BatchSampler(data.SequentialSampler(4), 3, "discard")
    show("sampler", shown(data.DataLoader(squares, batch_sampler=sampler)))

    class EveryOther(data.Sampler):
        def __init__(self, length):
            self._length = length

        def __iter__(self):
            return iter(range(0, self._length, 2))

        def __len__(self):
            return (self._length + 1) // 2

    show("every other", shown(data.DataLoader(squares, 2, sampler=EveryOther(5))))
    show("views", [len(squares.filter(lambda item: item[1] == 1)), [y for _, y in squares.take(2)],
                   [len(squares.shard(2, i)) for i in range(2)]])
    show("lists", shown(data.DataLoader(data.SimpleDataset([1, 2, 3]), 2)))
    show("nested", shown(data.DataLoader([(1, [2.0, 3.0]), (4, [5.0, 6.0])], 2)))
    show("threads", shown(data.DataLoader(data.ArrayDataset(np.arange(4.0)), 2, num_workers=2, thread_pool=True)))
    show("mixed", shown(data.DataLoader(data.ArrayDataset(nd.arange(4), np.arange(4), [5, 6, 7, 8]), 4)))
    show("lengths", [len(images), images[1][1], type(images[0][0]).__name__])
    total = 0
    for i, (X, y) in enumerate(data.DataLoader(images, batch_size=2, shuffle=True)):
        total += (i + 1) * 0 + y.sum().asscalar()
    show("shuffled", total)
