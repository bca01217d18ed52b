"""Two devices: parameters copied by hand, gradients summed, a batch split; and a Trainer with two contexts."""

from ._tools import batches, draw, images, scaled, twice


def run(mx, show):
    np, npx, autograd, gluon, nn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn
    devices = [npx.cpu(0), npx.cpu(1)]

    def try_gpu(i=0):
        return npx.gpu(i) if npx.num_gpus() >= i + 1 else npx.cpu()

    show("devices", [str(devices), str(try_gpu()), npx.num_gpus()])
    x = np.array([1, 2, 3])
    y = x.copyto(devices[1])
    show("copies", [str(y.ctx), y, y.as_in_ctx(y.ctx) is y, str(np.ones(2, ctx=devices[1]).ctx),
                    str((y + y).ctx), str(x.as_in_ctx(devices[1]).ctx)])

    def get_params(params, device):
        new_params = [p.copyto(device) for p in params]
        for p in new_params:
            p.attach_grad()
        return new_params

    def allreduce(data):
        for i in range(1, len(data)):
            data[0][:] += data[i].copyto(data[0].ctx)
        for i in range(1, len(data)):
            data[0].copyto(data[i])

    data = [np.ones((1, 2), ctx=device) * (i + 1) for i, device in enumerate(devices)]
    allreduce(data)
    show("reduced", data)
    split = gluon.utils.split_and_load(np.arange(20).reshape(4, 5), devices)
    show("split", [split[1], str(split[1].ctx)])
    X, labels = images(mx, 16, 8)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    W1, b1 = np.array(draw(1, 4, 1, 3, 3, scale=0.3)), np.zeros(4)
    W2, b2 = np.array(draw(2, 36, 2, scale=0.3)), np.zeros(2)

    def lenet(X, params):
        h = npx.convolution(data=X, weight=params[0], bias=params[1], kernel=(3, 3), num_filter=4)
        h = npx.pooling(data=npx.relu(h), pool_type="avg", kernel=(2, 2), stride=(2, 2))
        return np.dot(h.reshape(h.shape[0], -1), params[2]) + params[3]

    device_params = [get_params([W1, b1, W2, b2], d) for d in devices]
    losses = []
    for features, y in batches(8, X, labels):
        Xs, ys = [gluon.utils.split_and_load(part, devices) for part in (features, y)]
        with autograd.record():
            ls = [loss(lenet(X_shard, W), y_shard) for X_shard, y_shard, W in zip(Xs, ys, device_params)]
        for l in ls:
            l.backward()
        for i in range(len(device_params[0])):
            allreduce([device_params[c][i].grad for c in range(len(devices))])
        for params in device_params:
            for p in params:
                p[:] -= 0.1 * p.grad / features.shape[0]
        losses.append(sum(float(l.sum()) for l in ls) / 8)
    npx.waitall()
    ours, theirs = device_params[0][2], device_params[1][2].copyto(devices[0])
    show("scratch", [losses, device_params[1][3], (ours == theirs).all()])

    def make():
        net = nn.HybridSequential()
        net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.GlobalAvgPool2D(), nn.Dense(2))
        net.initialize(scaled(mx), ctx=devices)
        return net

    def use(net):
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
        curve = []
        for _ in range(2):
            for features, y in batches(8, X, labels):
                Xs, ys = [gluon.utils.split_and_load(part, devices) for part in (features, y)]
                with autograd.record():
                    ls = [loss(net(X_shard), y_shard) for X_shard, y_shard in zip(Xs, ys)]
                for l in ls:
                    l.backward()
                trainer.step(8)
                curve.append(sum(float(l.sum()) for l in ls) / 8)
        first = net[0].weight.data(devices[0])
        return [curve, first[0], (first == net[0].weight.data(devices[1]).as_in_ctx(devices[0])).all(),
                [str(w.ctx) for w in net[0].weight.list_data()]]

    twice(mx, show, "trainer", make, use)
