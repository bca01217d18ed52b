"""What the programs share: fixed numbers instead of random ones, and training that returns each loss."""

import zlib

import numpy as onp


def draw(seed, *shape, scale=1.0):
    """Normal numbers, the same in every version of NumPy."""
    return (onp.random.RandomState(seed).randn(*shape) * scale).astype("float32")


def fixed(mx, scale=0.3):
    """An initializer whose weights follow from the parameter's name."""
    class Fixed(mx.init.Initializer):
        def _init_weight(self, name, data):
            data[:] = mx.np.array(draw(zlib.crc32(str(name).encode()), *data.shape, scale=scale))

    return Fixed()


def scaled(mx):
    """An initializer like `fixed`, with smaller weights for more inputs."""
    class Scaled(mx.init.Initializer):
        def _init_weight(self, name, data):
            inputs = max(1, int(onp.prod(data.shape[1:])))
            data[:] = mx.np.array(draw(zlib.crc32(str(name).encode()), *data.shape, scale=(2 / inputs) ** 0.5))

    return Scaled()


def batches(size, *arrays):
    """Consecutive batches, the last one perhaps smaller."""
    return [[a[i:i + size] for a in arrays] for i in range(0, len(arrays[0]), size)]


def images(mx, count=16, size=8, channels=1):
    """Images (count, channels, size, size) of bars that stand (label 0) or lie (label 1), and their labels."""
    values = draw(3, count, channels, size, size, scale=0.1)
    labels = onp.arange(count) % 2
    for i, label in enumerate(labels):
        place = i // 2 % size
        if label:
            values[i, :, place] += 1
        else:
            values[i, :, :, place] += 1
    return mx.np.array(values), mx.np.array(labels.astype("int32"))


def train(mx, net, loss, data, optimizer="sgd", epochs=1, **hyper):
    """Train with a Trainer; each batch is inputs and a label. Returns the loss of each step."""
    trainer = mx.gluon.Trainer(net.collect_params(), optimizer, hyper)
    losses = []
    for _ in range(epochs):
        for *inputs, y in data:
            with mx.autograd.record():
                error = loss(net(*inputs), y)
            error.backward()
            trainer.step(len(y))
            losses.append(float(error.mean()))
    return losses


def twice(mx, show, label, make, use):
    """Show what `use(net)` returns for a net that runs imperatively, and for one that is hybridized."""
    for mode in ("imperative", "hybridized"):
        with mx.name.NameManager():
            net = make()
            if mode == "hybridized":
                net.hybridize()
            show(f"{label}, {mode}", use(net))
