"""Optimization algorithms from scratch: on functions of two numbers, and in a regression by hand."""

from ._tools import batches, draw


def run(mx, show):
    np, autograd = mx.np, mx.autograd

    def train_2d(trainer, steps=10):
        x1, x2, s1, s2, results = -5, -2, 0, 0, [(-5, -2)]
        for _ in range(steps):
            x1, x2, s1, s2 = trainer(x1, x2, s1, s2)
            results.append((float(x1), float(x2)))
        return results

    def gd(x1, x2, s1, s2):
        return x1 - 0.1 * 2 * x1, x2 - 0.1 * 4 * x2, 0, 0

    def momentum_2d(x1, x2, v1, v2):
        v1, v2 = 0.5 * v1 + 0.2 * x1, 0.5 * v2 + 4 * x2
        return x1 - 0.4 * v1, x2 - 0.4 * v2, v1, v2

    show("2d", [train_2d(gd), train_2d(momentum_2d)])
    x1, x2 = np.meshgrid(np.arange(-2.0, 1.0, 1.0), np.arange(-2.0, 2.0, 1.0), indexing="ij")
    show("surface", x1 ** 2 + 2 * x2 ** 2)
    c = np.array(0.5)
    f, f_grad, f_hess = (lambda x: np.cosh(c * x)), (lambda x: c * np.sinh(c * x)), (lambda x: c**2 * np.cosh(c * x))
    x, results = 8.0, []
    for _ in range(6):
        x = x - f_grad(x) / f_hess(x)
        results.append(float(f(x)))
    show("newton", [results, type(x).__name__])

    features = np.array(draw(1, 60, 4))
    labels = np.dot(features, np.array([1, -2, 3, 0.5])) + 0.3 + np.array(draw(2, 60, scale=0.1))

    def sgd(params, states, hyper):
        for p in params:
            p[:] -= hyper["lr"] * p.grad

    def momentum(params, states, hyper):
        for p, v in zip(params, states):
            v[:] = 0.5 * v + p.grad
            p[:] -= hyper["lr"] * v

    def adagrad(params, states, hyper):
        eps = 1e-6
        for p, s in zip(params, states):
            s[:] += np.square(p.grad)
            p[:] -= hyper["lr"] * p.grad / np.sqrt(s + eps)

    def rmsprop(params, states, hyper):
        gamma, eps = 0.9, 1e-6
        for p, s in zip(params, states):
            s[:] = gamma * s + (1 - gamma) * np.square(p.grad)
            p[:] -= hyper["lr"] * p.grad / np.sqrt(s + eps)

    def adadelta(params, states, hyper):
        rho, eps = 0.9, 1e-5
        for p, (s, delta) in zip(params, states):
            s[:] = rho * s + (1 - rho) * np.square(p.grad)
            g = (np.sqrt(delta + eps) / np.sqrt(s + eps)) * p.grad
            p[:] -= g
            delta[:] = rho * delta + (1 - rho) * g * g

    def adam(params, states, hyper):
        beta1, beta2, eps = 0.9, 0.999, 1e-6
        for p, (v, s) in zip(params, states):
            v[:] = beta1 * v + (1 - beta1) * p.grad
            s[:] = beta2 * s + (1 - beta2) * np.square(p.grad)
            v_bias_corr = v / (1 - beta1 ** hyper["t"])
            s_bias_corr = s / (1 - beta2 ** hyper["t"])
            p[:] -= hyper["lr"] * v_bias_corr / (np.sqrt(s_bias_corr) + eps)
        hyper["t"] += 1

    def yogi(params, states, hyper):
        beta1, beta2, eps = 0.9, 0.999, 1e-3
        for p, (v, s) in zip(params, states):
            v[:] = beta1 * v + (1 - beta1) * p.grad
            s[:] = s + (1 - beta2) * np.sign(np.square(p.grad) - s) * np.square(p.grad)
            p[:] -= hyper["lr"] * v / (1 - beta1 ** hyper["t"]) / (np.sqrt(s / (1 - beta2 ** hyper["t"])) + eps)
        hyper["t"] += 1

    for step in (sgd, momentum, adagrad, rmsprop, adadelta, adam, yogi):
        w, b = np.array(draw(3, 4, 1, scale=0.01)), np.zeros(1)
        pairs = step in (adadelta, adam, yogi)
        states = [(np.zeros(p.shape), np.zeros(p.shape)) if pairs else np.zeros_like(p) for p in (w, b)]
        hyper, losses = {"lr": 0.1, "t": 1}, []
        w.attach_grad()
        b.attach_grad()
        for X, y in batches(10, features, labels):
            with autograd.record():
                l = ((np.dot(X, w) + b - y.reshape(-1, 1)) ** 2 / 2).mean()
            l.backward()
            step([w, b], states, hyper)
            losses.append(l.item())
        show(step.__name__, [losses, w.reshape(-1), b])
