"""Layers and parameters of one's own: access, sharing, initializers, deferred shapes, files."""

import os
import tempfile

from ._tools import draw, fixed, twice


def run(mx, show):
    np, npx, init, nn = mx.np, mx.npx, mx.init, mx.gluon.nn

    class CenteredLayer(nn.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)

        def forward(self, X):
            return X - X.mean()

    class MyDense(nn.Block):
        def __init__(self, units, in_units, **kwargs):
            super().__init__(**kwargs)
            self.weight = self.params.get("weight", shape=(in_units, units))
            self.bias = self.params.get("bias", shape=(units,))

        def forward(self, x):
            linear = np.dot(x, self.weight.data(ctx=x.ctx)) + self.bias.data(ctx=x.ctx)
            return npx.relu(linear)

    class HybridDense(nn.HybridBlock):
        def __init__(self, units, in_units, **kwargs):
            super().__init__(**kwargs)
            self.weight = self.params.get("weight", shape=(in_units, units))
            self.bias = self.params.get("bias", shape=(units,), init="zeros")

        def hybrid_forward(self, F, x, weight, bias):
            return F.npx.relu(F.np.dot(x, weight) + bias)

    layer = CenteredLayer()
    show("centred", layer(np.array([1, 2, 3, 4, 5])))
    dense = MyDense(3, in_units=5)
    dense.initialize(fixed(mx))
    show("dense", [dense(np.array(draw(1, 2, 5))), sorted(dense.params.keys()), dense.weight.shape])
    X = np.array(draw(2, 2, 6))

    def make():
        net = nn.Sequential()
        shared = nn.Dense(8, activation="relu")
        net.add(nn.Dense(8, activation="relu"), shared, nn.Dense(8, activation="relu", params=shared.params),
                HybridDense(4, 8), nn.Dense(2))
        net.initialize(fixed(mx))
        return net

    def use(net):
        shapes = [net[0].weight.shape, net[3].weight.shape]
        out = net(X)
        net[1].weight.data()[0, 0] = 100
        same = net[1].weight.data()[0] == net[2].weight.data()[0]
        return [shapes, net[0].weight.shape, out, same, net(X), list(net.collect_params().keys()),
                net[4].bias.data(), net[0].weight.grad().sum()]

    twice(mx, show, "net", make, use)

    class MyInit(init.Initializer):
        def _init_weight(self, name, data):
            data[:] = np.array(draw(5, *data.shape, scale=10))
            data *= np.abs(data) >= 5

    net = make()
    net(X)
    net.initialize(MyInit(), force_reinit=True)
    show("own", [net[0].weight.data()[:2], str(net)])
    net[0].weight.data()[:] += 1
    net[0].weight.data()[0, 0] = 42
    show("changed", net[0].weight.data()[0])
    net.initialize(init=init.Constant(1), force_reinit=True)
    net[4].weight.initialize(init=fixed(mx, 1), force_reinit=True)
    show("constant", [net[0].weight.data()[0], net[4].weight.data()])
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "file")
        npx.save(file, X)
        show("one array", npx.load(file))
        npx.save(file, [X, np.zeros(4)])
        x2, y2 = npx.load(file)
        show("two", [x2, y2])
        npx.save(file, {"x": X, "y": np.ones(())})
        loaded = npx.load(file)
        show("dict", [sorted(loaded), loaded["y"], loaded["x"][0]])
        net.save_parameters(file)
        clone = make()
        clone.load_parameters(file)
        show("clone", [clone(X) == net(X), clone[0].weight.data()[0]])
