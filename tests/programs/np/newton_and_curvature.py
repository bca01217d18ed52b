"""Second derivatives: Newton's method, preconditioning by the diagonal, momentum, and a penalty on gradients."""

import math

from ._tools import draw


def run(mx, show):
    np, autograd, gluon, nn = mx.np, mx.autograd, mx.gluon, mx.gluon.nn

    def derivative(f, x):
        x = x.copy()
        x.attach_grad()
        with autograd.record():
            y = f(x)
        y.backward()
        return x.grad.copy()

    c = np.array(0.5)

    def f(x):
        return np.cosh(c * x)

    def newton(eta=1.0):
        x, results = np.array(10.0), [10.0]
        for _ in range(10):
            second = c ** 2 * np.cosh(c * x)
            x = x - eta * derivative(f, x) / second
            results.append(float(x))
        return results

    show("newton", newton())
    show("slower", newton(0.5))

    def f_2d(x1, x2):
        return 0.1 * x1 ** 2 + 2 * x2 ** 2

    def train_2d(step, steps=12):
        x1, x2, s1, s2 = -5.0, -2.0, 0.0, 0.0
        results = [(x1, x2)]
        for _ in range(steps):
            x1, x2, s1, s2 = step(x1, x2, s1, s2)
            results.append((x1, x2))
        return [list(pair) for pair in results]

    show("descent", train_2d(lambda x1, x2, s1, s2: (x1 - 0.4 * 0.2 * x1, x2 - 0.4 * 4 * x2, 0, 0)))
    show("momentum", train_2d(lambda x1, x2, v1, v2: (
        x1 - 0.6 * (0.5 * v1 + 0.2 * x1), x2 - 0.6 * (0.5 * v2 + 4 * x2), 0.5 * v1 + 0.2 * x1, 0.5 * v2 + 4 * x2)))

    def adagrad(x1, x2, s1, s2):
        g1, g2 = 0.2 * x1, 4 * x2
        s1, s2 = s1 + g1 ** 2, s2 + g2 ** 2
        return x1 - 0.4 / math.sqrt(s1 + 1e-6) * g1, x2 - 0.4 / math.sqrt(s2 + 1e-6) * g2, s1, s2

    show("adagrad", train_2d(adagrad))
    grid = np.stack(np.meshgrid(np.arange(-2, 3), np.arange(-1, 2)))
    show("surface", [f_2d(*grid), grid.shape])
    points = np.array(draw(1, 6, 2))
    points.attach_grad()
    with autograd.record():
        y = np.sin(points)
        slopes = autograd.grad(y, [points], create_graph=True, retain_graph=True)[0]
        sharpness = (slopes ** 2).sum(axis=1)
    sharpness.backward()
    show("penalty", [y, slopes.asnumpy(), sharpness.asnumpy(), points.grad])
    X, w = np.array(draw(2, 20, 2)), np.array([2.0, -3.4])
    labels = np.dot(X, w) + 4.2
    net = nn.Dense(1)
    net.initialize(mx.init.Zero())
    loss, curve = gluon.loss.L2Loss(), []
    v = [np.zeros((1, 2)), np.zeros(1)]
    for _ in range(6):
        with autograd.record():
            error = loss(net(X), labels.reshape(-1, 1)).mean()
        error.backward()
        for state, p in zip(v, [net.weight, net.bias]):
            state[:] = 0.5 * state + p.grad()
            p.set_data(p.data() - 0.5 * state)
        curve.append(float(error))
    show("by hand", [curve, net.weight.data(), net.bias.data()])
