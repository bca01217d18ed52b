"""A generator and a discriminator of points on a line, trained in turns."""

from ._tools import batches, draw, fixed, twice


def run(mx, show):
    np, autograd, gluon, nn = mx.np, mx.autograd, mx.gluon, mx.gluon.nn
    A, b = np.array([[1, 2], [-0.1, 0.5]]), np.array([1, 2])
    data = np.dot(np.array(draw(1, 40, 2)), A) + b
    noise = np.array(draw(2, 40, 2, scale=0.5))
    show("covariance", np.dot(A.T, A))
    loss = gluon.loss.SigmoidBCELoss()

    def update_D(X, Z, net_D, net_G, loss, trainer_D):
        batch_size = X.shape[0]
        ones, zeros = np.ones((batch_size,), ctx=X.ctx), np.zeros((batch_size,), ctx=X.ctx)
        with autograd.record():
            real_Y, fake_X = net_D(X), net_G(Z)
            fake_Y = net_D(fake_X.detach())
            loss_D = (loss(real_Y, ones) + loss(fake_Y, zeros)) / 2
        loss_D.backward()
        trainer_D.step(batch_size)
        return float(loss_D.sum())

    def update_G(Z, net_D, net_G, loss, trainer_G):
        batch_size = Z.shape[0]
        ones = np.ones((batch_size,), ctx=Z.ctx)
        with autograd.record():
            fake_X = net_G(Z)
            fake_Y = net_D(fake_X)
            loss_G = loss(fake_Y, ones)
        loss_G.backward()
        trainer_G.step(batch_size)
        return float(loss_G.sum())

    def make():
        nets = nn.Sequential()
        net_G, net_D = nn.Sequential(), nn.Sequential()
        net_G.add(nn.Dense(2))
        net_D.add(nn.Dense(5, activation="tanh"), nn.Dense(3, activation="tanh"), nn.Dense(1))
        nets.add(net_G, net_D)
        nets.initialize(fixed(mx))
        return nets

    def use(nets):
        net_G, net_D = nets
        trainer_D = gluon.Trainer(net_D.collect_params(), "adam", {"learning_rate": 0.05})
        trainer_G = gluon.Trainer(net_G.collect_params(), "adam", {"learning_rate": 0.01})
        curves = []
        for _ in range(3):
            for X, Z in batches(8, data, noise):
                curves.append([update_D(X, Z, net_D, net_G, loss, trainer_D),
                               update_G(Z, net_D, net_G, loss, trainer_G)])
        return [curves, net_G(noise)[:3]]

    twice(mx, show, "gan", make, use)
