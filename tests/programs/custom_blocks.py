"""Blocks of one's own: nested, with control flow, a constant, a layer with parameters, a container."""

from ._tools import draw, fixed


def run(mx, show):
    nd, nn = mx.nd, mx.gluon.nn

    class MLP(nn.Block):
        def __init__(self, **kwargs):
            super(MLP, self).__init__(**kwargs)
            self.hidden = nn.Dense(6, activation="relu")
            self.output = nn.Dense(4)

        def forward(self, x):
            return self.output(self.hidden(x))

    class MySequential(nn.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)

        def add(self, block):
            self._children[block.name] = block

        def forward(self, x):
            for block in self._children.values():
                x = block(x)
            return x

    class FancyMLP(nn.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.rand_weight = self.params.get_constant("rand_weight", nd.array(draw(1, 5, 5)))
            self.dense = nn.Dense(5, activation="relu")

        def forward(self, x):
            x = self.dense(x)
            x = nd.relu(nd.dot(x, self.rand_weight.data()) + 1)
            x = self.dense(x)
            while x.norm().asscalar() > 1:
                x /= 2
            if x.norm().asscalar() < 0.8:
                x *= 10
            return x.sum()

    class CenteredLayer(nn.Block):
        def forward(self, x):
            return x - x.mean()

    class MyDense(nn.Block):
        def __init__(self, units, in_units, **kwargs):
            super().__init__(**kwargs)
            self.weight = self.params.get("weight", shape=(in_units, units))
            self.bias = self.params.get("bias", shape=(units,))

        def forward(self, x):
            return nd.relu(nd.dot(x, self.weight.data()) + self.bias.data())

    X = nd.array(draw(2, 2, 5))
    for make in (MLP, FancyMLP, CenteredLayer, lambda: MyDense(3, in_units=5)):
        net = make()
        net.initialize(fixed(mx, 0.5))
        show(type(net).__name__, [net(X), str(net), list(net.collect_params())])
    net = MySequential()
    net.add(nn.Dense(5, activation="relu"))
    net.add(CenteredLayer())
    net.add(MyDense(3, 5))
    net.initialize(fixed(mx))
    show("MySequential", [net(X), list(net.collect_params()), str(net)])

    class NestMLP(nn.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.net = nn.Sequential()
            self.net.add(nn.Dense(6, activation="relu"), nn.Dense(3, activation="relu"))
            self.dense = nn.Dense(5, activation="relu")

        def forward(self, x):
            return self.dense(self.net(x))

    net = nn.Sequential()
    net.add(NestMLP(), nn.Dense(5), FancyMLP())
    net.initialize(fixed(mx))
    show("nested", [net(X), str(net), list(net.collect_params()), net[0].net[1].name, net[0].dense.weight.shape])
    fancy = net[2]
    show("constant", [fancy.rand_weight.data()[0], fancy.rand_weight.grad_req, fancy.collect_params(".*rand.*").keys()])
