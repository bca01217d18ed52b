"""Access, initialization, sharing and gradients of parameters."""

from ._tools import draw, fixed


def run(mx, show):
    nd, gluon, autograd, init, nn = mx.nd, mx.gluon, mx.autograd, mx.init, mx.gluon.nn
    net = nn.Sequential()
    net.add(nn.Dense(4, activation="relu"), nn.Dense(2))
    net.initialize(init=fixed(mx))
    try:
        net[0].weight.data()
    except gluon.parameter.DeferredInitializationError as error:
        show("deferred", [isinstance(error, mx.base.MXNetError), type(error).__name__])
    X = nd.array(draw(1, 2, 3))
    show("output", net(X))
    show("params", [str(net[0].params), str(net[0].params["dense0_weight"]), str(net[0].weight), net[1].bias.data(),
                    str(net.collect_params(".*weight"))])
    show("names", [(name, param.shape, param.grad_req) for name, param
                   in net.collect_params().items()])
    show("gradient", net[0].weight.grad())
    for kind in (init.Constant(0.25), init.One(), init.Zero(), "ones"):
        net.initialize(init=kind, force_reinit=True)
        show(f"init {kind if isinstance(kind, str) else kind.dumps()}", net[0].weight.data()[0])
    net[0].weight.initialize(init=fixed(mx), force_reinit=True)
    net[0].weight.set_data(net[0].weight.data() + 1)
    net[1].weight.data()[:] += 1
    net[1].weight.data()[0, 0] = 42
    show("changed", [net[0].weight.data(), net[1].weight.data(), net(X)])

    calls = []

    class MyInit(init.Initializer):
        def _init_weight(self, name, data):
            calls.append(f"Init {name} {data.shape}")
            data[:] = nd.array(draw(3, *data.shape) * 6)
            data *= data.abs() >= 5

    net = nn.Sequential()
    net.add(nn.Dense(6, activation="relu"), nn.Dense(3, weight_initializer=MyInit(), bias_initializer="ones"))
    net.initialize(MyInit())
    net(X)
    show("MyInit", [calls, net[0].weight.data(), net[1].bias.data()])

    net = nn.Sequential()
    shared = nn.Dense(3, activation="relu")
    net.add(nn.Dense(3, activation="relu"), shared, nn.Dense(3, activation="relu", params=shared.params), nn.Dense(2))
    net.initialize(fixed(mx))
    with autograd.record():
        y = net(X).sum()
    y.backward()
    show("shared", [net[1].weight.data()[0] == net[2].weight.data()[0], net[1].weight.grad(),
                    list(net.collect_params())])
    show("same", net[1].weight is net[2].weight)
    weight = gluon.Parameter("weight", shape=(2, 2), init=init.One(), lr_mult=0.5)
    weight.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    weight.zero_grad()
    show("alone", [weight.name, weight.list_data(), weight.list_grad(), str(weight.list_ctx()), weight.lr_mult])
    weight.grad_req = "add"
    for _ in range(2):
        with autograd.record():
            y = (weight.data(mx.cpu(1)) * 3).sum()
        y.backward()
    show("added", weight.list_grad())
    owned = gluon.ParameterDict("block_")
    owned.get("a", shape=(2,))
    owned.update(gluon.ParameterDict("block_", shared=owned))
    show("dict", [str(owned), list(owned.keys()), owned.get("a") is owned["block_a"]])
