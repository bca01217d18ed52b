"""The measured programs in Gluon, with exactly the same code for minigluon and MXNet 1.9.1."""

from collections import namedtuple
from functools import partial

from . import convolutional_gluon, transformers_gluon
from .names import programs_of

__all__ = ["MODES", "Program", "makers"]

# Arguments of hybridize(); None means that it is not called.
ARGUMENTS = {"imperative": None, "hybridized": {}, "static": {"static_alloc": True, "static_shape": True},
             "recompute": {"recompute": True}, "one call": {}}

# minigluon accepts `static_alloc` and `static_shape`, but its plans are static without them.
# "one call": a training step as a gluon.TrainStep.
MODES = {"minigluon": ["imperative", "hybridized", "recompute", "one call"],
         "reference": ["imperative", "hybridized", "recompute"],
         "mxnet": ["imperative", "hybridized", "static"]}

# run: runs the program once. blocks: the blocks that are hybridized in the hybrid modes, or their TrainStep.
# gradient_bytes: the size of the parameters' gradients, which exist before the first run.
Program = namedtuple("Program", ["run", "blocks", "gradient_bytes"], defaults=[0])


def makers(mx, sizes):
    """Return {name: function of a mode that sets up the program and returns a Program}.

    sizes: see `minigluon.tools.bench.nets.SIZES`.
    """
    return {
        **programs_of(NETS, sizes, partial(forward, mx), partial(train_step, mx)),
        "mlp forward": partial(forward, mx, mlp, sizes),
        "lenet forward": partial(forward, mx, lenet, sizes),
        "lenet256 forward": partial(forward, mx, lenet, large(sizes)),
        "lenet256 train step": partial(train_step, mx, lenet, large(sizes)),
        "alexnet forward": partial(forward, mx, alexnet, sizes),
        "resnet forward": partial(forward, mx, resnet, sizes),
        "deep mlp forward": partial(forward, mx, deep_mlp, sizes),
        "deep mlp train step": partial(train_step, mx, deep_mlp, sizes),
        **{f"{net} forward": partial(forward, mx, partial(text, net), sizes) for net in ("lstm", "gru")},
        **{f"{net} train step": partial(train_step, mx, partial(text, net), sizes) for net in ("lstm", "gru")},
        **{f"{net} layers train step": partial(train_step, mx, partial(text_layers, net), sizes)
           for net in ("lstm", "gru")},
        "chain forward": partial(chain_forward, mx, sizes),
        "chain forward and backward": partial(chain_backward, mx, sizes),
    }


# -- nets: each returns the net, a batch and its labels ---------------------------------------------------------------


def mlp(mx, sizes):
    """Return a perceptron, 512-256-256-2, applied to one row."""
    net = sequential(mx, lambda nn: [nn.Dense(256, activation="relu"), nn.Dense(256, activation="relu"), nn.Dense(2)])
    return net, mx.nd.random.normal(shape=(1, 512)), mx.nd.zeros((1,))


def lenet(mx, sizes):
    """Return the LeNet of LeCun, Bottou, Bengio, Haffner 1998, with ReLU and max pooling, as in textbooks on Gluon."""
    batch = sizes["lenet_batch"]
    net = sequential(mx, lambda nn: [
        nn.Conv2D(channels=20, kernel_size=5, activation="relu"), nn.MaxPool2D(pool_size=2, strides=2),
        nn.Conv2D(channels=50, kernel_size=5, activation="relu"), nn.MaxPool2D(pool_size=2, strides=2),
        nn.Flatten(), nn.Dense(128, activation="relu"), nn.Dense(10)])
    return net, mx.nd.random.uniform(shape=(batch, 1, 28, 28)), mx.nd.array([i % 10 for i in range(batch)])


def large(sizes):
    return {**sizes, "lenet_batch": sizes["lenet256_batch"]}


def alexnet(mx, sizes):
    """Return AlexNet (arXiv:1404.5997) without dropout, because some libraries would spend most of the time drawing
    masks.
    """
    batch, units = sizes["alexnet_batch"], sizes["alexnet_units"]
    net = sequential(mx, lambda nn: [
        nn.Conv2D(64, kernel_size=11, strides=4, padding=2, activation="relu"), nn.MaxPool2D(pool_size=3, strides=2),
        nn.Conv2D(192, kernel_size=5, padding=2, activation="relu"), nn.MaxPool2D(pool_size=3, strides=2),
        nn.Conv2D(384, kernel_size=3, padding=1, activation="relu"),
        nn.Conv2D(256, kernel_size=3, padding=1, activation="relu"),
        nn.Conv2D(256, kernel_size=3, padding=1, activation="relu"), nn.MaxPool2D(pool_size=3, strides=2),
        nn.Flatten(), nn.Dense(units, activation="relu"), nn.Dense(units, activation="relu"), nn.Dense(1000)],
        mx.init.Xavier())
    return net, mx.nd.random.uniform(shape=(batch, 3, 227, 227)), mx.nd.array(range(batch))


def resnet(mx, sizes):
    """Return ResNet-18: He et al., "Deep Residual Learning for Image Recognition" (arXiv:1512.03385), table 1."""
    nn, batch, image = mx.gluon.nn, sizes["resnet_batch"], sizes["resnet_image"]

    class Residual(mx.gluon.HybridBlock):
        """relu(body(x) + x); if the number of channels doubles, a 1 x 1 convolution is applied to x."""

        def __init__(self, before, channels, stride, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.body, self.shortcut = nn.HybridSequential(), nn.HybridSequential()
                self.body.add(nn.Conv2D(channels, 3, stride, 1, use_bias=False), nn.BatchNorm(), nn.Activation("relu"),
                              nn.Conv2D(channels, 3, 1, 1, use_bias=False), nn.BatchNorm())
                if before != channels:
                    self.shortcut.add(nn.Conv2D(channels, 1, stride, use_bias=False), nn.BatchNorm())

        def hybrid_forward(self, F, x):
            return F.relu(self.body(x) + self.shortcut(x))

    net = sequential(mx, lambda nn: [
        nn.Conv2D(64, 7, 2, 3, use_bias=False), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(3, 2, 1),
        *[Residual(channels if number or channels == 64 else channels // 2, channels,
                   1 if number or channels == 64 else 2) for channels in (64, 128, 256, 512) for number in range(2)],
        nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(1000)],
        mx.init.Xavier(rnd_type="gaussian", factor_type="in", magnitude=2))
    return net, mx.nd.random.uniform(shape=(batch, 3, image, image)), mx.nd.array(range(batch))


def deep_mlp(mx, sizes):
    """Return 100 layers, 784-71-...-71-10, on images of digits, with as many rows as `lenet` has images.

    Depth and width are those of the plain nets in Srivastava, Greff and Schmidhuber, "Training Very Deep Networks"
    (arXiv:1507.06228): 71 units, about 5000 parameters in each layer. He's initialization preserves the size of the
    activations over 100 layers. With the default initialization, they would shrink to denormal numbers, which make
    processors many times slower.
    """
    batch, width, layers = sizes["deep_batch"], sizes["deep_width"], sizes["deep_layers"]
    net = sequential(mx, lambda nn: [
        *[nn.Dense(width, activation="relu") for _ in range(layers - 1)], nn.Dense(10)],
        mx.init.Xavier(rnd_type="gaussian", factor_type="in", magnitude=2))
    return net, mx.nd.random.uniform(shape=(batch, 784)), mx.nd.array([i % 10 for i in range(batch)])


def text(kind, mx, sizes):
    """Return a language model that predicts the next of 10,000 words.

    It processes 20 sequences of 35 steps with two layers of 650 units. It is the "medium" model of Zaremba, Sutskever
    and Vinyals, "Recurrent Neural Network Regularization" (arXiv:1409.2329), without its dropout, for the same reason
    as in `alexnet`; it is also available with GRU.
    """
    words, units, batch, steps = (sizes[f"text_{name}"] for name in ("words", "units", "batch", "steps"))

    class Rows(mx.gluon.HybridBlock):
        """Reshape (steps, batch, words) to (steps · batch, words), with one row per label."""

        def hybrid_forward(self, F, x):
            return x.reshape((-3, -1))

    net = sequential(mx, lambda nn: [nn.Embedding(words, units), recurrent(mx, kind, units),
                                     nn.Dense(words, flatten=False), Rows()])
    numbers = [i * 7 % words for i in range(steps * batch)]
    return net, mx.nd.array(numbers).reshape((steps, batch)), mx.nd.array(numbers[1:] + numbers[:1])


def text_layers(kind, mx, sizes):
    """Return only the recurrent layers of `text`, with units in place of words."""
    units, batch, steps = (sizes[f"text_{name}"] for name in ("units", "batch", "steps"))

    class Layers(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.layers = recurrent(mx, kind, units)

        def hybrid_forward(self, F, x):
            return self.layers(x).reshape((-3, -1))

    net = Layers()
    net.initialize(mx.init.Uniform())
    x = mx.nd.random.normal(shape=(steps, batch, units))
    return net, x, mx.nd.array([i % units for i in range(steps * batch)])


def recurrent(mx, kind, units):
    return {"lstm": mx.gluon.rnn.LSTM, "gru": mx.gluon.rnn.GRU}[kind](units, 2, input_size=units)


def sequential(mx, layers, init=None):
    net = mx.gluon.nn.HybridSequential()
    with net.name_scope():
        net.add(*layers(mx.gluon.nn))
    net.initialize(init or mx.init.Uniform())
    return net


def chain(mx):
    """Return the tanh form of GELU (Hendrycks and Gimpel 2016), which consists of nine elementwise operators."""
    class Chain(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return x * (F.tanh((x + x * x * x * 0.044715) * 0.7978845608) + 1) * 0.5
    return Chain()


# net -> its constructor, and the name of its batch size, for nets whose forward passes run at several batch sizes
NETS = {"lenet": (lenet, "lenet_batch"), "alexnet": (alexnet, "alexnet_batch"), "resnet": (resnet, "resnet_batch"),
        **convolutional_gluon.NETS, **transformers_gluon.NETS}


# -- running the programs ---------------------------------------------------------------------------------------------


def hybridize(mode, *blocks):
    """Hybridize as the mode requires. Returns the blocks that are now hybridized."""
    if ARGUMENTS[mode] is None:
        return []
    for block in blocks:
        block.hybridize(**ARGUMENTS[mode])
    return list(blocks)


def forward(mx, make, sizes, mode):
    net, x, _ = make(mx, sizes)
    inputs = x if isinstance(x, tuple) else (x,)

    def run():
        outputs = net(*inputs)
        (outputs[0] if isinstance(outputs, (list, tuple)) else outputs).wait_to_read()
    run()           # creates the parameters, so that they do not count as memory that the first run uses
    return Program(run, hybridize(mode, net))


def loss_of(mx, label):
    """Return the loss for labels that are a class per row or per pixel, or otherwise values to reproduce."""
    loss = mx.gluon.loss
    return {1: loss.SoftmaxCrossEntropyLoss(), 2: loss.L2Loss(), 3: loss.SoftmaxCrossEntropyLoss(axis=1)}[label.ndim]


def train_step(mx, make, sizes, mode):
    net, x, label = make(mx, sizes)
    loss = loss_of(mx, label)
    loss(net(x), label).wait_to_read()
    # The rate is small because the same batch is used thousands of times, and the values must stay finite.
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.001})

    def run():
        with mx.autograd.record():
            error = loss(net(x), label)
        error.backward()
        trainer.step(len(label))
        mx.nd.waitall()
    blocks = hybridize(mode, net, loss)
    if mode == "one call":          # the step does not store gradients, so their memory is never touched
        step = mx.gluon.TrainStep(net, loss, trainer)
        return Program(lambda: step(x, label), [step])
    params = net.collect_params()
    params.zero_grad()
    gradients = sum(param.grad().size for param in params.values() if param.grad_req != "null")
    return Program(run, blocks, gradients * 4)


def chain_forward(mx, sizes, mode):
    net, x = chain(mx), mx.nd.random.normal(shape=(sizes["chain_elements"],))

    def run():
        net(x).wait_to_read()
    return Program(run, hybridize(mode, net))


def chain_backward(mx, sizes, mode):
    net, x = chain(mx), mx.nd.random.normal(shape=(sizes["chain_elements"],))
    x.attach_grad()

    def run():
        with mx.autograd.record():
            y = net(x)
        y.backward()
        x.grad.wait_to_read()
    return Program(run, hybridize(mode, net))
