"""Momentum, AdaGrad, RMSProp, AdaDelta and Adam written out, each beside the trainer's."""

from ._tools import batches, draw, fixed, squared_loss


def run(mx, show):
    nd, gluon, autograd = mx.nd, mx.gluon, mx.autograd
    features = nd.array(draw(1, 40, 5))
    labels = nd.dot(features, nd.array([1, -2, 3, 0.5, 0])) + nd.array(draw(2, 40, scale=0.1))

    def momentum(params, states, hyper):
        for p, v in zip(params, states):
            v[:] = 0.5 * v + hyper["lr"] * p.grad
            p[:] -= v

    def adagrad(params, states, hyper):
        for p, s in zip(params, states):
            s[:] += p.grad.square()
            p[:] -= hyper["lr"] * p.grad / (s + 1e-6).sqrt()

    def rmsprop(params, states, hyper):
        for p, s in zip(params, states):
            s[:] = 0.9 * s + 0.1 * p.grad.square()
            p[:] -= hyper["lr"] * p.grad / (s + 1e-6).sqrt()

    def adadelta(params, states, hyper):
        for p, (s, delta) in zip(params, states):
            s[:] = 0.9 * s + 0.1 * p.grad.square()
            g = ((delta + 1e-5).sqrt() / (s + 1e-5).sqrt()) * p.grad
            p[:] -= g
            delta[:] = 0.9 * delta + 0.1 * g * g

    def adam(params, states, hyper):
        beta1, beta2, eps = 0.9, 0.999, 1e-6
        for p, (v, s) in zip(params, states):
            v[:] = beta1 * v + (1 - beta1) * p.grad
            s[:] = beta2 * s + (1 - beta2) * p.grad.square()
            v_bias_corr = v / (1 - beta1 ** hyper["t"])
            s_bias_corr = s / (1 - beta2 ** hyper["t"])
            p[:] -= hyper["lr"] * v_bias_corr / (s_bias_corr.sqrt() + eps)
        hyper["t"] += 1

    def train(step, two_states):
        w, b = nd.array(draw(3, 5, 1, scale=0.01)), nd.zeros(1)
        states = [tuple(nd.zeros(p.shape) for _ in range(2)) if two_states else p.zeros_like() for p in (w, b)]
        hyper = {"lr": 0.1, "t": 1}
        w.attach_grad()
        b.attach_grad()
        for X, y in batches(8, features, labels):
            with autograd.record():
                loss = squared_loss(nd.dot(X, w) + b, y).mean()
            loss.backward()
            step([w, b], states, hyper)
        return [w.reshape((-1,)), b, loss.asscalar()]

    for step in (momentum, adagrad, rmsprop, adadelta, adam):
        show(step.__name__, train(step, step in (adadelta, adam)))
    trainers = {"sgd": {"learning_rate": 0.1, "momentum": 0.5}, "nag": {"learning_rate": 0.1, "momentum": 0.9},
                "adagrad": {"learning_rate": 0.1}, "rmsprop": {"learning_rate": 0.1, "gamma1": 0.9},
                "adadelta": {"rho": 0.9}, "adam": {"learning_rate": 0.1}, "adamax": {}, "nadam": {"wd": 0.1},
                "ftrl": {"learning_rate": 0.5}, "signum": {"learning_rate": 0.02},
                "ftml": {"clip_gradient": 0.5}, "dcasgd": {"learning_rate": 0.1}, "lamb": {"learning_rate": 0.05}}
    loss = gluon.loss.L2Loss()
    for name, hyper in trainers.items():
        net = gluon.nn.Dense(1, prefix="net_")
        net.initialize(fixed(mx))
        trainer = gluon.Trainer(net.collect_params(), name, hyper)
        for X, y in batches(8, features, labels):
            with autograd.record():
                cost = loss(net(X), y)
            cost.backward()
            trainer.step(len(X))
        show(f"trainer {name}", [net.weight.data().reshape((-1,)), net.bias.data(), cost.mean().asscalar()])
