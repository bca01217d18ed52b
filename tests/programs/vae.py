"""A variational autoencoder as a HybridBlock whose noise is an input, with the KL term, and nn.HybridLambda."""

from ._tools import draw, fixed, shapes_data


def run(mx, show):
    nd, gluon, autograd, nn = mx.nd, mx.gluon, mx.autograd, mx.gluon.nn

    class VAE(gluon.HybridBlock):
        def __init__(self, n_hidden=12, n_latent=2, n_layers=1, n_output=64, act_type="relu", **kwargs):
            self.soft_zero = 1e-10
            self.n_latent = n_latent
            self.output = None
            super(VAE, self).__init__(**kwargs)
            with self.name_scope():
                self.encoder = nn.HybridSequential(prefix="encoder")
                for _ in range(n_layers):
                    self.encoder.add(nn.Dense(n_hidden, activation=act_type))
                self.encoder.add(nn.Dense(n_latent * 2, activation=None))
                self.decoder = nn.HybridSequential(prefix="decoder")
                self.decoder.add(nn.Dense(n_hidden, activation=act_type))
                self.decoder.add(nn.Dense(n_output, activation="sigmoid"))

        def hybrid_forward(self, F, x, eps):
            h = self.encoder(x)
            mu_lv = F.split(h, axis=1, num_outputs=2)
            mu, lv = mu_lv[0], mu_lv[1]
            z = mu + F.exp(0.5 * lv) * eps
            y = self.decoder(z)
            self.output = y
            KL = 0.5 * F.sum(1 + lv - mu * mu - F.exp(lv), axis=1)
            logloss = F.sum(x * F.log(y + self.soft_zero) + (1 - x) * F.log(1 - y + self.soft_zero), axis=1)
            return -logloss - KL

    images, _ = shapes_data(mx, 16)
    X = (images.reshape((16, -1)) > 0.5)
    show("data", X[0])
    net = VAE(prefix="vae_")
    net.collect_params().initialize(fixed(mx))
    show("printed", [str(net), str(net.collect_params())])
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
    for epoch in range(5):
        eps = nd.array(draw(epoch, 16, 2))
        with autograd.record():
            loss = net(X, eps)
        loss.backward()
        trainer.step(X.shape[0])
        show(f"epoch {epoch + 1}", nd.mean(loss).asscalar())
    show("output", [net.output[0, :8], net.decoder(nd.zeros((1, 2)))[0, :8], str(net.collect_params())])
    net.hybridize()
    show("hybridized", net(X, eps)[:3])
    lambdas = nn.HybridSequential()
    lambdas.add(nn.HybridLambda(lambda F, x: F.concat(x, x * 2, dim=1)), nn.HybridLambda("tanh"))
    show("lambdas", [lambdas(nd.array([[0.5]])), str(lambdas[1])])
