"""Networks that minigluon and MXNet 1.9.1 both make, export and import: `build(mx, name)` with either as mx.

`record_mxnet_exports.py` asks MXNet; `test_interoperation.py` compares.
"""

import numpy as np

from records import gluon_cases

__all__ = ["LARGE", "NAMES", "build", "fill", "inputs_of", "values"]


def _sequential(nn, layers, prefix):
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(*layers(nn))
    return net


def lenet(mx):
    return _sequential(mx.gluon.nn, lambda nn: [
        nn.Conv2D(20, kernel_size=5, activation="relu"), nn.MaxPool2D(2, 2), nn.Conv2D(50, 5, activation="relu"),
        nn.MaxPool2D(2, 2), nn.Flatten(), nn.Dense(500, activation="relu"), nn.Dense(10)], "lenet_")


def narrow_lenet(mx):
    return _sequential(mx.gluon.nn, lambda nn: [
        nn.Conv2D(4, kernel_size=5, activation="relu"), nn.MaxPool2D(2, 2), nn.Conv2D(6, 3, activation="tanh"),
        nn.MaxPool2D(2, 2), nn.Flatten(), nn.Dense(12, activation="relu"), nn.Dense(10)], "lenet_")


def _alexnet(scale, classes):
    def layers(nn):
        return [nn.Conv2D(64 // scale, 11, strides=4, padding=2, activation="relu"), nn.MaxPool2D(3, strides=2),
                nn.Conv2D(192 // scale, 5, padding=2, activation="relu"), nn.MaxPool2D(3, strides=2),
                nn.Conv2D(384 // scale, 3, padding=1, activation="relu"),
                nn.Conv2D(256 // scale, 3, padding=1, activation="relu"),
                nn.Conv2D(256 // scale, 3, padding=1, activation="relu"), nn.MaxPool2D(3, strides=2), nn.Flatten(),
                nn.Dense(4096 // scale, activation="relu"), nn.Dropout(0.5),
                nn.Dense(4096 // scale, activation="relu"), nn.Dropout(0.5), nn.Dense(classes)]
    return lambda mx: _sequential(mx.gluon.nn, layers, "alexnet_")


def residual(mx):
    """Convolutions with BatchNorm, a shortcut with a convolution and one without."""
    nn = mx.gluon.nn

    class Residual(mx.gluon.HybridBlock):
        def __init__(self, channels, shortcut, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.body = nn.HybridSequential()
                self.body.add(nn.Conv2D(channels, 3, padding=1, use_bias=False), nn.BatchNorm(), nn.Activation("relu"),
                              nn.Conv2D(channels, 3, padding=1, use_bias=False), nn.BatchNorm())
                self.shortcut = nn.Conv2D(channels, 1) if shortcut else None

        def hybrid_forward(self, F, x):
            straight = x if self.shortcut is None else self.shortcut(x)
            return F.relu(self.body(x) + straight)

    net = nn.HybridSequential(prefix="resnet_")
    with net.name_scope():
        net.add(nn.BatchNorm(scale=False, center=False), nn.Conv2D(4, 3, padding=1), Residual(4, False),
                Residual(6, True), nn.GlobalAvgPool2D(), nn.Dense(3))
    return net


EVERY_LAYER = [name for name in gluon_cases.LAYERS if name != "lambda"]     # which is not hybrid


def every_layer(mx):
    """Every layer of gluon.nn, each with an input and an output of its own."""
    nn = mx.gluon.nn

    class Every(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.layers = nn.HybridSequential()
                self.layers.add(*[eval(gluon_cases.LAYERS[name][0], {"nn": nn}) for name in EVERY_LAYER])

        def hybrid_forward(self, F, *args):
            return [layer(x) for layer, x in zip(self.layers, args)]

    return Every(prefix="every_")


def shared(mx):
    """Two layers with the same parameters, and one layer that is used twice."""
    nn = mx.gluon.nn

    class Shared(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.first = nn.Dense(5, in_units=5, activation="tanh")
                self.second = nn.Dense(5, in_units=5, params=self.first.params)
                self.norm = nn.BatchNorm(in_channels=5)

        def hybrid_forward(self, F, x):
            return self.norm(self.first(x)) * self.norm(self.second(x)) + self.first(x)

    return Shared(prefix="shared_")


def several_outputs(mx):
    """Two inputs, outputs in nested lists, an output that is an input of another, an operator with three outputs."""
    nn = mx.gluon.nn

    class Several(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.dense = nn.Dense(6)
                self.scale = self.params.get("scale", shape=(1, 6), init="ones")

        def hybrid_forward(self, F, x, y, scale):
            hidden = F.broadcast_mul(self.dense(x), scale)
            parts = F.split(hidden, num_outputs=3, axis=1)
            return hidden, [parts[0], [parts[2] * 2, F.dot(y, parts[1])]], F.softmax(y, axis=0)

    return Several(prefix="several_")


def loops(mx):
    """A recurrent layer in a foreach, with a branch at each step, and a while_loop after it."""
    nn = mx.gluon.nn

    class Loops(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                # MXNet infers no shapes through a while_loop, so the sizes are given.
                self.input = nn.Dense(4, flatten=False, in_units=3)
                self.hidden = nn.Dense(4, use_bias=False, flatten=False, in_units=4)
                self.scale = self.params.get("scale", shape=(1, 4), init="ones")

        def hybrid_forward(self, F, x, h, scale):
            def step(x, h):
                h = F.tanh(self.input(x) + self.hidden(h))
                return F.broadcast_mul(h, scale), h

            def grow(i, h):
                return F.sum(h), [i + 1, F.broadcast_mul(h, scale)]

            outs, last = F.contrib.foreach(step, x, h)
            sums, (count, grown) = F.contrib.while_loop(lambda i, h: i < 3, grow, [F.zeros((1,)), last], 3)
            chosen = F.contrib.cond(F.sum(outs) > 0, lambda: last * 2, lambda: last + h)
            return outs, [grown, sums], count, chosen

    return Loops(prefix="loops_")


def recurrent(mx):
    """Layers and cells, whose first states have a batch size that the graph finds."""
    nn, rnn = mx.gluon.nn, mx.gluon.rnn

    class Recurrent(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.lstm = rnn.LSTM(4, 2, bidirectional=True, layout="NTC")
                self.gru = rnn.GRU(3, layout="NTC")
                self.cell = rnn.LSTMCell(5)
                self.output = nn.Dense(2, flatten=False)

        def hybrid_forward(self, F, x):
            outputs, states = self.cell.unroll(4, self.gru(self.lstm(x)), merge_outputs=True)
            return self.output(outputs), states

    return Recurrent(prefix="recurrent_")


_CASES = {
    "recurrent": (recurrent, [(3, 4, 2)]),
    "narrow_lenet": (narrow_lenet, [(2, 1, 18, 18)]), "narrow_alexnet": (_alexnet(64, 10), [(2, 3, 127, 127)]),
    "residual": (residual, [(2, 3, 7, 6)]), "every_layer": (every_layer, None), "shared": (shared, [(4, 5)]),
    "several_outputs": (several_outputs, [(3, 4), (2, 3)]), "loops": (loops, [(5, 2, 3), (2, 4)]),
    "lenet": (lenet, [(2, 1, 28, 28)]), "alexnet": (_alexnet(1, 1000), [(1, 3, 224, 224)]),
}
LARGE = ("lenet", "alexnet")            # whose files are not kept
NAMES = [name for name in _CASES if name not in LARGE]


def build(mx, name):
    """The network, not initialized."""
    return _CASES[name][0](mx)


def inputs_of(name):
    """float32 arrays."""
    shapes = _CASES[name][1]
    if shapes is None:
        return [gluon_cases.layer_input(layer) for layer in EVERY_LAYER]
    rng = np.random.default_rng(sum(map(ord, name)))
    return [rng.normal(size=shape).astype("float32") for shape in shapes]


def values(name, shape):
    """A value for a parameter, by its name: positive for what is a variance or a scale."""
    rng = np.random.default_rng(sum(map(ord, name)))
    if name.endswith(("var", "gamma")):
        return rng.uniform(0.5, 1.5, shape).astype("float32")
    width = np.sqrt(3 / max(1, np.prod(shape[1:]))) if len(shape) > 1 else 0.5
    return rng.uniform(-width, width, shape).astype("float32")


def fill(mx, net):
    """Give every parameter its value."""
    for name, param in net.collect_params().items():
        param.set_data(mx.nd.array(values(name, param.shape)))


def flat(outputs):
    """Nested lists of arrays as one list."""
    if isinstance(outputs, (list, tuple)):
        return [array for item in outputs for array in flat(item)]
    return [outputs]
