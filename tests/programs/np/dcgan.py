"""A GAN of convolutions: blocks that double and halve the picture, leaky rectifiers, batch normalization."""

from ._tools import draw, scaled, twice


def run(mx, show):
    np, autograd, gluon, nn = mx.np, mx.autograd, mx.gluon, mx.gluon.nn

    class G_block(nn.Block):
        def __init__(self, channels, kernel_size=4, strides=2, padding=1, **kwargs):
            super().__init__(**kwargs)
            self.conv2d_trans = nn.Conv2DTranspose(channels, kernel_size, strides, padding, use_bias=False)
            self.batch_norm = nn.BatchNorm()
            self.activation = nn.Activation("relu")

        def forward(self, X):
            return self.activation(self.batch_norm(self.conv2d_trans(X)))

    class D_block(nn.Block):
        def __init__(self, channels, kernel_size=4, strides=2, padding=1, alpha=0.2, **kwargs):
            super().__init__(**kwargs)
            self.conv2d = nn.Conv2D(channels, kernel_size, strides, padding, use_bias=False)
            self.batch_norm = nn.BatchNorm()
            self.activation = nn.LeakyReLU(alpha)

        def forward(self, X):
            return self.activation(self.batch_norm(self.conv2d(X)))

    Y = [nn.LeakyReLU(alpha)(np.arange(-2, 1, 0.5)) for alpha in (0, 0.2, 0.4)]
    show("leaky", Y)
    real, noise = np.array(draw(1, 4, 1, 8, 8)), np.array(draw(2, 4, 6, 1, 1))
    loss = gluon.loss.SigmoidBCELoss()

    def make():
        net_G, net_D, nets = nn.Sequential(), nn.Sequential(), nn.Sequential()
        net_G.add(G_block(6, strides=1, padding=0), nn.Conv2DTranspose(1, kernel_size=4, strides=2, padding=1,
                                                                       use_bias=False, activation="tanh"))
        net_D.add(D_block(4), D_block(6), nn.Conv2D(1, kernel_size=2, use_bias=False))
        nets.add(net_G, net_D)
        nets.initialize(scaled(mx))
        return nets

    def use(nets):
        net_G, net_D = nets
        hyper = {"learning_rate": 0.01, "beta1": 0.5}
        trainers = [gluon.Trainer(net.collect_params(), "adam", hyper) for net in (net_D, net_G)]
        curves, ones, zeros = [], np.ones((4, 1, 1, 1)), np.zeros((4, 1, 1, 1))
        for _ in range(3):
            with autograd.record():
                fake = net_G(noise)
                loss_D = (loss(net_D(real), ones) + loss(net_D(fake.detach()), zeros)) / 2
            loss_D.backward()
            trainers[0].step(4)
            with autograd.record():
                loss_G = loss(net_D(net_G(noise)), ones)
            loss_G.backward()
            trainers[1].step(4)
            curves.append([float(loss_D.mean()), float(loss_G.mean())])
        with autograd.train_mode():     # in MXNet `backward` changes moving means; it does not reach `fake.detach()`
            made = net_G(noise).transpose(0, 2, 3, 1) / 2 + 0.5
        rows = np.concatenate([np.concatenate([made[i * 2 + j] for j in range(2)], axis=1) for i in range(2)], axis=0)
        return [curves, rows.shape, rows[0, :5, 0]]

    twice(mx, show, "dcgan", make, use)
