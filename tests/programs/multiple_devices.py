"""Data parallelism on two contexts: all-reduce written out, and the trainer's."""

from ._tools import draw, fixed, shapes_data, squared_loss


def run(mx, show):
    nd, gluon, autograd, nn = mx.nd, mx.gluon, mx.autograd, mx.gluon.nn
    ctx = [mx.cpu(0), mx.cpu(1)]
    features, labels = nd.array(draw(1, 8, 3)), nd.array(draw(2, 8))

    def get_params(params, ctx):
        new_params = [p.copyto(ctx) for p in params]
        for p in new_params:
            p.attach_grad()
        return new_params

    def allreduce(data):
        for i in range(1, len(data)):
            data[0][:] += data[i].copyto(data[0].context)
        for i in range(1, len(data)):
            data[0].copyto(data[i])

    data = [nd.ones((1, 2), ctx=ctx[i]) * (i + 1) for i in range(2)]
    allreduce(data)
    show("allreduce", [data, str([d.context for d in data])])
    batch = nd.arange(24).reshape((6, 4))
    show("split", gluon.utils.split_and_load(batch, ctx))
    show("uneven", [part.shape for part in gluon.utils.split_data(batch[:5], 2, even_split=False)])
    params = [nd.array(draw(3, 3, 1)), nd.zeros(1)]
    device_params = [get_params(params, c) for c in ctx]
    for _ in range(3):
        Xs, ys = [gluon.utils.split_and_load(a, ctx) for a in (features, labels)]
        with autograd.record():
            losses = [squared_loss(nd.dot(X, w) + b, y) for X, y, (w, b) in zip(Xs, ys, device_params)]
        for loss in losses:
            loss.backward()
        for i in range(len(device_params[0])):
            allreduce([device_params[c][i].grad for c in range(len(ctx))])
        for group in device_params:
            for p in group:
                p[:] = p - 0.1 * p.grad / features.shape[0]
        nd.waitall()
    show("scratch", [device_params, [loss.sum().asscalar() for loss in losses]])

    images, labels = shapes_data(mx, 16)
    for kvstore in ("device", "local", None):     # None leaves it to the program to sum gradients
        net = nn.Sequential(prefix="net_")
        with net.name_scope():
            net.add(nn.Conv2D(2, 3), nn.BatchNorm(), nn.Activation("relu"), nn.Dense(2))
        net.initialize(init=fixed(mx), ctx=ctx)
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.2, "momentum": 0.9}, kvstore=kvstore)
        loss = gluon.loss.SoftmaxCrossEntropyLoss()
        for begin in range(0, 16, 8):
            Xs = gluon.utils.split_and_load(images[begin:begin + 8], ctx)
            ys = gluon.utils.split_and_load(labels[begin:begin + 8], ctx_list=ctx)
            with autograd.record():
                ls = [loss(net(X), y) for X, y in zip(Xs, ys)]
            autograd.backward(ls)
            trainer.step(8)
        weights = [net[3].weight.data(c) for c in ctx]
        show(f"trainer {kvstore}", [weights, [w.context == c for w, c in zip(weights, ctx)]])
        show(f"first layer {kvstore}", [net[0].weight.list_data(), [nd.concat(*ls[0:1], dim=0).mean().asscalar()]])
    try:
        net(nd.ones((1, 1, 8, 8), ctx=mx.cpu(2)))
    except (RuntimeError, mx.base.MXNetError) as error:
        show("not there", isinstance(error, RuntimeError))
    with mx.Context("cpu", 1):
        show("current", [str(mx.current_context()), str(nd.zeros(1).context), net[0].bias.data()])
    net.collect_params().reset_ctx(mx.cpu(0))
    show("moved", str(net[0].weight.list_ctx()))
