"""The measured programs in Gluon: the very same code for minigluon and for MXNet 1.9.1."""

from functools import partial


def makers(mx):
    """{name: function that sets a program up and returns the function that runs it once}."""
    return {"small operator": partial(small_operator, mx), "mlp forward": partial(mlp_forward, mx),
            "lenet forward": partial(forward, mx, lenet), "lenet train step": partial(train_step, mx, lenet),
            "alexnet forward": partial(forward, mx, alexnet), "alexnet train step": partial(train_step, mx, alexnet)}


def small_operator(mx):
    a, b = mx.nd.ones((2, 3)), mx.nd.ones((2, 3))

    def run():
        (a + b).wait_to_read()
    return run


def mlp_forward(mx):
    """The net of seed 003: 512-256-256-2, one row."""
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Dense(256, activation="relu"), nn.Dense(256, activation="relu"), nn.Dense(2))
    net.initialize()
    x = mx.nd.random.normal(shape=(1, 512))

    def run():
        net(x).wait_to_read()
    return run


def lenet(mx):
    """The net of seed 002."""
    nn = mx.gluon.nn
    net = nn.Sequential()
    with net.name_scope():
        net.add(nn.Conv2D(channels=20, kernel_size=5, activation="relu"), nn.MaxPool2D(pool_size=2, strides=2),
                nn.Conv2D(channels=50, kernel_size=5, activation="relu"), nn.MaxPool2D(pool_size=2, strides=2),
                nn.Flatten(), nn.Dense(128, activation="relu"), nn.Dense(10))
    net.initialize()
    return net, mx.nd.random.uniform(shape=(64, 1, 28, 28)), mx.nd.array([i % 10 for i in range(64)])


def alexnet(mx):
    """The net of seed 004, without its dropout."""
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Conv2D(64, kernel_size=11, strides=4, padding=2, activation="relu"),
                nn.MaxPool2D(pool_size=3, strides=2), nn.Conv2D(192, kernel_size=5, padding=2, activation="relu"),
                nn.MaxPool2D(pool_size=3, strides=2), nn.Conv2D(384, kernel_size=3, padding=1, activation="relu"),
                nn.Conv2D(256, kernel_size=3, padding=1, activation="relu"),
                nn.Conv2D(256, kernel_size=3, padding=1, activation="relu"), nn.MaxPool2D(pool_size=3, strides=2),
                nn.Flatten(), nn.Dense(4096, activation="relu"), nn.Dense(4096, activation="relu"), nn.Dense(1000))
    net.initialize(mx.init.Xavier())
    return net, mx.nd.random.uniform(shape=(32, 3, 227, 227)), mx.nd.array(range(32))


def forward(mx, make):
    net, x, _ = make(mx)

    def run():
        net(x).wait_to_read()
    return run


def train_step(mx, make):
    net, x, label = make(mx)
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.05})

    def run():
        with mx.autograd.record():
            error = loss(net(x), label)
        error.backward()
        trainer.step(len(label))
        mx.nd.waitall()
    return run
