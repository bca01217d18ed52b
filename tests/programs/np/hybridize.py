"""Hybrid blocks with F: what F is, export and import of layers, saved parameters, a printed summary."""

import os
import tempfile

from ._tools import draw, fixed


def run(mx, show):
    np, npx, gluon, nn = mx.np, mx.npx, mx.gluon, mx.gluon.nn

    def get_net():
        with mx.name.NameManager():
            net = nn.HybridSequential()
            net.add(nn.Dense(6, activation="relu"), nn.BatchNorm(), nn.Dense(4, activation="tanh"), nn.Dropout(0.5),
                    nn.Dense(2))
            net.initialize(fixed(mx))
        return net

    x = np.array(draw(1, 3, 8))
    net = get_net()
    show("imperative", net(x))
    net.hybridize()
    show("hybridized", net(x))
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "net")
        net.export(file)
        show("files", sorted(os.listdir(folder)))
        block = gluon.SymbolBlock.imports(f"{file}-symbol.json", ["data"], f"{file}-0000.params")
        show("imported", block(x))
        net.save_parameters(file)
        other = get_net()
        other.load_parameters(file, ctx=npx.cpu())
        show("loaded", other(x))

    class HybridNet(nn.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.hidden, self.output = nn.Dense(4), nn.Dense(2)
            self.kinds = []

        def hybrid_forward(self, F, x):
            self.kinds.append([F.__name__.rpartition(".")[2], type(x).__name__])
            x = F.npx.relu(self.hidden(x))
            return self.output(x)

    net = HybridNet()
    net.initialize(fixed(mx))
    results = [net(x)]
    net.hybridize()
    results += [net(x), net(x)]
    show("kinds", [net.kinds, results])

    class Several(nn.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.weight = self.params.get("weight", shape=(8, 4))
                self.scale = self.params.get_constant("scale", np.array([0.5, 1, 1.5, 2]))

        def hybrid_forward(self, F, x, mask=None, weight=None, scale=None):
            y = F.np.dot(x, weight) * scale
            y = F.np.where(y > 0, y, 0.1 * y) - F.np.mean(y, axis=-1, keepdims=True)
            if mask is not None:
                y = y * F.np.expand_dims(mask, axis=1)
            top = F.npx.topk(y, k=2, axis=-1, ret_typ="value")
            return F.np.concatenate([y, top], axis=1), F.np.sum(y ** 2) / 2, F.np.max(y, axis=0)

    for inputs in ([x], [x, np.array([1, 0, 1])]):
        for hybrid in (False, True):
            with mx.name.NameManager():
                net = Several()
            net.initialize(fixed(mx))
            if hybrid:
                net.hybridize(static_alloc=True, static_shape=True)
            show(f"several {len(inputs)} {hybrid}", [list(net(*inputs)), list(net(*inputs))])
