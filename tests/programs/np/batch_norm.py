"""Batch normalization from scratch, with moving means that the program writes, and the layer."""

from ._tools import batches, images, scaled, train, twice


def run(mx, show):
    np, npx, autograd, gluon, init, nn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.init, mx.gluon.nn

    def batch_norm(X, gamma, beta, moving_mean, moving_var, eps, momentum):
        if not autograd.is_training():
            X_hat = (X - moving_mean) / np.sqrt(moving_var + eps)
        else:
            assert len(X.shape) in (2, 4)
            if len(X.shape) == 2:
                mean = X.mean(axis=0)
                var = ((X - mean) ** 2).mean(axis=0)
            else:
                mean = X.mean(axis=(0, 2, 3), keepdims=True)
                var = ((X - mean) ** 2).mean(axis=(0, 2, 3), keepdims=True)
            X_hat = (X - mean) / np.sqrt(var + eps)
            moving_mean = momentum * moving_mean + (1.0 - momentum) * mean
            moving_var = momentum * moving_var + (1.0 - momentum) * var
        Y = gamma * X_hat + beta
        return Y, moving_mean, moving_var

    class BatchNorm(nn.Block):
        def __init__(self, num_features, num_dims, **kwargs):
            super().__init__(**kwargs)
            shape = (1, num_features) if num_dims == 2 else (1, num_features, 1, 1)
            self.gamma = self.params.get("gamma", shape=shape, init=init.One())
            self.beta = self.params.get("beta", shape=shape, init=init.Zero())
            self.moving_mean = np.zeros(shape)
            self.moving_var = np.ones(shape)

        def forward(self, X):
            if self.moving_mean.ctx != X.ctx:
                self.moving_mean = self.moving_mean.copyto(X.ctx)
                self.moving_var = self.moving_var.copyto(X.ctx)
            Y, self.moving_mean, self.moving_var = batch_norm(
                X, self.gamma.data(), self.beta.data(), self.moving_mean, self.moving_var, eps=1e-12, momentum=0.9)
            return Y

    X, y = images(mx, 16, 12)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def make(first, second):
        def build():
            net = nn.Sequential()
            net.add(nn.Conv2D(4, kernel_size=5), first(), nn.Activation("sigmoid"), nn.AvgPool2D(2, 2),
                    nn.Dense(8), second(), nn.Activation("sigmoid"), nn.Dense(2))
            net.initialize(scaled(mx))
            return net
        return build

    def use(net):
        losses = train(mx, net, loss, batches(8, X, y), epochs=4, learning_rate=0.5)
        gamma, beta = net[1].gamma.data(), net[1].beta.data()
        return [losses, gamma.reshape(-1,), beta.reshape(-1,), net(X[:3])]

    twice(mx, show, "scratch", make(lambda: BatchNorm(4, num_dims=4), lambda: BatchNorm(8, num_dims=2)), use)
    twice(mx, show, "layer", make(nn.BatchNorm, nn.BatchNorm),
          lambda net: [*use(net), net[1].running_mean.data(), net[5].running_var.data()])
    npx.waitall()
