"""Generative adversarial nets: a line of points, and transposed convolutions, one trainer for each side."""

from ._tools import draw, fixed


def run(mx, show):
    nd, gluon, autograd, nn = mx.nd, mx.gluon, mx.autograd, mx.gluon.nn
    loss = gluon.loss.SigmoidBinaryCrossEntropyLoss()
    A, b = nd.array([[1, 2], [-0.1, 0.5]]), nd.array([1, 2])
    data = nd.dot(nd.array(draw(1, 32, 2)), A) + b

    def update_D(X, Z, net_D, net_G, trainer_D):
        batch_size = X.shape[0]
        ones, zeros = nd.ones((batch_size,), ctx=X.context), nd.zeros((batch_size,), ctx=X.context)
        with autograd.record():
            real_Y, fake_X = net_D(X), net_G(Z)
            fake_Y = net_D(fake_X.detach())
            loss_D = (loss(real_Y, ones) + loss(fake_Y, zeros)) / 2
        loss_D.backward()
        trainer_D.step(batch_size)
        return float(loss_D.sum().asscalar())

    def update_G(Z, net_D, net_G, trainer_G):
        batch_size = Z.shape[0]
        with autograd.record():
            loss_G = loss(net_D(net_G(Z)), nd.ones((batch_size,), ctx=Z.context))
        loss_G.backward()
        trainer_G.step(batch_size)
        return float(loss_G.sum().asscalar())

    net_G = nn.Sequential()
    net_G.add(nn.Dense(2))
    net_D = nn.Sequential()
    net_D.add(nn.Dense(5, activation="tanh"), nn.Dense(3, activation="tanh"), nn.Dense(1))
    net_D.initialize(fixed(mx), force_reinit=True)
    net_G.initialize(fixed(mx), force_reinit=True)
    trainer_D = gluon.Trainer(net_D.collect_params(), "adam", {"learning_rate": 0.05})
    trainer_G = gluon.Trainer(net_G.collect_params(), "adam", {"learning_rate": 0.005, "beta1": 0.5})
    for step in range(4):
        X, Z = data[step * 8:step * 8 + 8], nd.array(draw(step + 9, 8, 2))
        losses = [update_D(X, Z, net_D, net_G, trainer_D), update_G(Z, net_D, net_G, trainer_G)]
        show(f"step {step}", losses)
    show("points", net_G(nd.array([[0, 0], [1, -1]])))

    class G_block(nn.Block):
        def __init__(self, channels, kernel_size=4, strides=2, padding=1, **kwargs):
            super(G_block, self).__init__(**kwargs)
            self.conv2d_trans = nn.Conv2DTranspose(channels, kernel_size, strides, padding, use_bias=False)
            self.batch_norm = nn.BatchNorm()
            self.activation = nn.Activation("relu")

        def forward(self, X):
            return self.activation(self.batch_norm(self.conv2d_trans(X)))

    class D_block(nn.Block):
        def __init__(self, channels, kernel_size=4, strides=2, padding=1, alpha=0.2, **kwargs):
            super(D_block, self).__init__(**kwargs)
            self.conv2d = nn.Conv2D(channels, kernel_size, strides, padding, use_bias=False)
            self.batch_norm = nn.BatchNorm()
            self.activation = nn.LeakyReLU(alpha)

        def forward(self, X):
            return self.activation(self.batch_norm(self.conv2d(X)))

    net_G, net_D = nn.Sequential(), nn.Sequential()
    net_G.add(G_block(4, strides=1, padding=0), G_block(3),
              nn.Conv2DTranspose(1, kernel_size=4, strides=2, padding=1, use_bias=False, activation="tanh"))
    net_D.add(D_block(3), D_block(4), nn.Conv2D(1, kernel_size=4, use_bias=False))
    net_D.initialize(fixed(mx))
    net_G.initialize(fixed(mx))
    Z = nd.array(draw(5, 4, 6, 1, 1))
    show("shapes", [net_G(Z).shape, net_D(net_G(Z)).shape, net_G[0](Z).shape])
    trainers = [gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01, "beta1": 0.5})
                for net in (net_D, net_G)]
    real = nd.tanh(nd.array(draw(6, 4, 1, 16, 16)))
    show("images", [update_D(real, Z, net_D, net_G, trainers[0]), update_G(Z, net_D, net_G, trainers[1])])
    with autograd.train_mode():
        show("after", [net_G(Z)[0, 0, :2], net_D(real).reshape((-1,)), str(net_G), str(net_D)])
    x = nd.arange(-2, 1.1, 0.5)
    show("leaky", [nn.LeakyReLU(alpha)(x) for alpha in (0, 0.2, 1)])
