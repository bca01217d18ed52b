"""Batch normalization written out, in a Block with its own moving averages, beside nn.BatchNorm."""

from ._tools import draw, fixed, shapes_data


def run(mx, show):
    nd, gluon, autograd, nn = mx.nd, mx.gluon, mx.autograd, mx.gluon.nn

    def batch_norm(X, gamma, beta, moving_mean, moving_var, eps, momentum):
        if not autograd.is_training():
            X_hat = (X - moving_mean) / nd.sqrt(moving_var + eps)
        else:
            assert len(X.shape) in (2, 4)
            if len(X.shape) == 2:
                mean = X.mean(axis=0)
                var = ((X - mean) ** 2).mean(axis=0)
            else:
                mean = X.mean(axis=(0, 2, 3), keepdims=True)
                var = ((X - mean) ** 2).mean(axis=(0, 2, 3), keepdims=True)
            X_hat = (X - mean) / nd.sqrt(var + eps)
            moving_mean = momentum * moving_mean + (1.0 - momentum) * mean
            moving_var = momentum * moving_var + (1.0 - momentum) * var
        return gamma * X_hat + beta, moving_mean, moving_var

    class BatchNorm(nn.Block):
        def __init__(self, num_features, num_dims, **kwargs):
            super(BatchNorm, self).__init__(**kwargs)
            shape = (1, num_features) if num_dims == 2 else (1, num_features, 1, 1)
            self.gamma = self.params.get("gamma", shape=shape, init=mx.init.One())
            self.beta = self.params.get("beta", shape=shape, init=mx.init.Zero())
            self.moving_mean = nd.zeros(shape)
            self.moving_var = nd.ones(shape)

        def forward(self, X):
            if self.moving_mean.context != X.context:
                self.moving_mean = self.moving_mean.copyto(X.context)
                self.moving_var = self.moving_var.copyto(X.context)
            Y, self.moving_mean, self.moving_var = batch_norm(
                X, self.gamma.data(), self.beta.data(), self.moving_mean, self.moving_var, eps=1e-5, momentum=0.9)
            return Y

    def net_of(norm_4, norm_2):
        net = nn.Sequential(prefix="net_")
        with net.name_scope():
            net.add(nn.Conv2D(4, kernel_size=3), norm_4, nn.Activation("sigmoid"), nn.MaxPool2D(2, 2),
                    nn.Dense(6), norm_2, nn.Activation("sigmoid"), nn.Dense(2))
        return net

    images, labels = shapes_data(mx, 16)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    for kind, norms in (("scratch", (BatchNorm(4, num_dims=4), BatchNorm(6, num_dims=2))),
                        ("gluon", (nn.BatchNorm(), nn.BatchNorm()))):
        net = net_of(*norms)
        net.initialize(fixed(mx))
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})
        losses = []
        for i in range(4):
            X, y = images[i * 4:i * 4 + 4], labels[i * 4:i * 4 + 4]
            with autograd.record():
                cost = loss(net(X), y).mean()
            cost.backward()
            trainer.step(1)
            losses.append(cost.asscalar())
        norm = net[1]
        show(kind, [losses, norm.gamma.data().reshape((-1,)), norm.beta.data().reshape((-1,)), net(images[:2])])
    show("running", [norm.running_mean.data(), norm.running_var.data()])
    x = nd.array(draw(9, 4, 3))
    layers = [nn.LayerNorm(), nn.BatchNorm(axis=-1, momentum=0.5, scale=True, center=False),
              nn.BatchNorm(use_global_stats=True)]
    for i, layer in enumerate(layers):
        layer.initialize()
        with autograd.record():
            y = layer(x)
        y.backward()
        show(f"layer {i}", [y, layer(x), str(layer)])
    with autograd.record(train_mode=False):
        show("predict mode", layers[1](x))
    with autograd.train_mode():
        show("train mode", layers[1](x))
    image_norms = [nn.InstanceNorm(), nn.GroupNorm(num_groups=2)]
    for layer in image_norms:
        layer.initialize()
        show(type(layer).__name__, [layer(nd.array(draw(2, 2, 4, 2, 2))), repr(layer)])
