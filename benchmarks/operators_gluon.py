"""Single operators at common sizes, forward or forward and backward: the same code for minigluon and MXNet 1.9.1."""

from functools import partial

SIZE = (64, 512)


def makers(mx, sizes):
    """Return {name: function of a mode (ignored) that sets up a program and returns its runner}."""
    nd = mx.nd
    return {
        "small operator": partial(small_operator, mx),
        "add, 64 x 512": partial(forward, mx, lambda x: x + x, SIZE),
        "row sums, 64 x 512": partial(forward, mx, lambda x: nd.sum(x, axis=1), SIZE),
        "normal numbers, 64 x 512": partial(forward, mx, lambda x: nd.random.normal(shape=SIZE), (1,)),
        "column x[:, 2]": partial(forward, mx, lambda x: x[:, 2], SIZE),
        "LayerNorm step": partial(layer_step, mx, lambda nn: nn.LayerNorm(), SIZE),
        "BatchNorm inference": partial(layer_forward, mx, lambda nn: nn.BatchNorm(), (32, 64, 28, 28)),
        "BatchNorm step": partial(layer_step, mx, lambda nn: nn.BatchNorm(), (32, 64, 28, 28)),
        "Conv2D 64 to 64 step": partial(layer_step, mx, lambda nn: nn.Conv2D(64, 3, padding=1), (16, 64, 28, 28)),
        "MaxPool2D step": partial(layer_step, mx, lambda nn: nn.MaxPool2D(2), (32, 64, 28, 28)),
        "Embedding step": partial(embedding_step, mx),
        "cross entropy step": partial(cross_entropy_step, mx),
    }


def small_operator(mx, mode):
    a, b = mx.nd.ones((2, 3)), mx.nd.ones((2, 3))

    def run():
        (a + b).wait_to_read()
    return run


def forward(mx, function, shape, mode):
    x = mx.nd.random.normal(shape=shape)

    def run():
        function(x).wait_to_read()
    return run


def layer_forward(mx, make, shape, mode):
    layer, x = make(mx.gluon.nn), mx.nd.random.normal(shape=shape)
    layer.initialize()
    return lambda: layer(x).wait_to_read()


def layer_step(mx, make, shape, mode):
    """Forward and backward to the input and the parameters, under a head gradient of ones."""
    layer, x = make(mx.gluon.nn), mx.nd.random.normal(shape=shape)
    layer.initialize()
    x.attach_grad()

    def run():
        with mx.autograd.record():
            y = layer(x)
        y.backward()
        x.grad.wait_to_read()
    return run


def embedding_step(mx, mode):
    layer = mx.gluon.nn.Embedding(10_000, 128)
    layer.initialize()
    x = mx.nd.random.randint(0, 10_000, shape=(64, 35)).astype("float32")

    def run():
        with mx.autograd.record():
            y = layer(x)
        y.backward()
        layer.weight.grad().wait_to_read()
    return run


def cross_entropy_step(mx, mode):
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    x, label = mx.nd.random.normal(shape=(64, 1000)), mx.nd.array(range(64))
    x.attach_grad()

    def run():
        with mx.autograd.record():
            y = loss(x, label)
        y.backward()
        x.grad.wait_to_read()
    return run
