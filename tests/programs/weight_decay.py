"""Weight decay by the trainer for weights and not for biases, with two trainers and with wd_mult."""

from ._tools import draw, fixed


def run(mx, show):
    nd, gluon, autograd = mx.nd, mx.gluon, mx.autograd
    features = nd.array(draw(1, 20, 30))
    labels = nd.dot(features, nd.ones((30, 1)) * 0.01) + 0.05
    loss = gluon.loss.L2Loss()

    def fit(net, trainers):
        for _ in range(5):
            with autograd.record():
                cost = loss(net(features), labels)
            cost.backward()
            for trainer in trainers:
                trainer.step(20)
        return [net[0].weight.data().norm().asscalar(), net[0].bias.data(), loss(net(features), labels).mean()]

    for wd in (0, 3):
        net = gluon.nn.Sequential()
        net.add(gluon.nn.Dense(1))
        net.initialize(fixed(mx))
        weights = gluon.Trainer(net.collect_params(".*weight"), "sgd", {"learning_rate": 0.03, "wd": wd})
        biases = gluon.Trainer(net.collect_params(".*bias"), "sgd", {"learning_rate": 0.03})
        show(f"two trainers, wd {wd}", fit(net, [weights, biases]))
    net = gluon.nn.Sequential(prefix="decayed_")
    with net.name_scope():
        net.add(gluon.nn.Dense(1, in_units=30))
    net.initialize(fixed(mx))
    net.collect_params(".*bias").setattr("wd_mult", 0.0)
    net[0].weight.lr_mult = 0.5
    optimizer = mx.optimizer.SGD(learning_rate=0.03, wd=3, momentum=0.5)
    show("wd_mult", fit(net, [gluon.Trainer(net.collect_params(), optimizer)]))
    show("names", [sorted(net.collect_params(".*weight|.*bias")), list(net.collect_params("other.*"))])
