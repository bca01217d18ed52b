"""Fine-tuning: layers of a trained network, rates by layer, frozen parameters, files, selection by name."""

import os
import tempfile

from ._tools import batches, fixed, images


def run(mx, show):
    np, npx, autograd, gluon, nn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn
    X, y = images(mx, 12)

    class Net(nn.HybridBlock):
        def __init__(self, classes, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.features = nn.HybridSequential()
                self.features.add(nn.Conv2D(4, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"),
                                  nn.MaxPool2D(2), nn.Conv2D(6, 3), nn.BatchNorm(), nn.GlobalAvgPool2D(), nn.Flatten())
                self.output = nn.Dense(classes)

        def hybrid_forward(self, F, x):
            return self.output(self.features(x))

    def step(net, trainer, loss):
        curve = []
        for data, label in batches(6, X, y):
            with autograd.record():
                error = loss(net(data), label)
            error.backward()
            trainer.step(len(label))
            curve.append(error.mean())
        return curve

    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    source = Net(3, prefix="source_")
    source.initialize(fixed(mx))
    source.hybridize()
    trainer = gluon.Trainer(source.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    show("source", [step(source, trainer, loss) for _ in range(2)])
    for hybrid in (False, True):
        net = Net(2, prefix="target_")
        net.features = source.features
        net.output.initialize(fixed(mx))
        net.output.collect_params().setattr("lr_mult", 10)
        if hybrid:
            net.hybridize()
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "wd": 0.001})
        show(f"rates, {hybrid}", [step(net, trainer, loss), net.output.weight.lr_mult, net(X)[:2]])
    frozen = Net(2, prefix="frozen_")
    frozen.initialize(fixed(mx))
    frozen.features.collect_params().setattr("grad_req", "null")
    frozen(X)                       # which gives the parameters their shapes
    before = frozen.features[0].weight.data().copy()
    trainer = gluon.Trainer(frozen.collect_params(".*dense.*"), "adam", {"learning_rate": 0.05})
    show("frozen", [step(frozen, trainer, loss), (before == frozen.features[0].weight.data()).all(),
                    sorted(frozen.collect_params(".*dense.*")), frozen.output.weight.grad()])
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "net.params")
        frozen.save_parameters(file)
        other = Net(2, prefix="other_")
        other.load_parameters(file, ctx=mx.cpu())
        show("loaded", [(other(X) == frozen(X)).all(), (other.output.bias.data() == frozen.output.bias.data()).all()])
        npx.save(file, {"mean": X.mean(axis=0), "count": np.array(len(X))})
        loaded = npx.load(file)
        show("arrays", [loaded["mean"].shape, loaded["count"], sorted(loaded)])
    with autograd.record(train_mode=False):
        features = source.features(X)
    centres = np.stack([features[y == label].mean(axis=0) for label in range(2)])
    nearest = ((np.expand_dims(features, 1) - centres) ** 2).sum(axis=2).argmin(axis=1)
    show("nearest centre", [centres, nearest])
