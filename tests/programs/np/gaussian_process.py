"""Linear algebra: a Gaussian process, principal axes, a normal distribution, least squares by hand."""

import math

from ._tools import draw


def run(mx, show):
    np, autograd = mx.np, mx.autograd

    def rbf(x1, x2, ls=1.0, amplitude=1.0):
        dist = x1.reshape(-1, 1) - x2.reshape(1, -1)
        return amplitude * np.exp(-0.5 * dist ** 2 / ls ** 2)

    train_x = np.linspace(0, 4, 9)
    train_y = np.sin(train_x) + 0.3 * np.cos(3 * train_x)
    test_x = np.array([0.3, 1.7, 3.3])
    noise = 0.1
    K = rbf(train_x, train_x) + noise * np.eye(9)
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(K, train_y.reshape(-1, 1))
    k_star = rbf(test_x, train_x)
    mean = np.dot(k_star, alpha).reshape(-1)
    variance = rbf(test_x, test_x) - np.dot(np.dot(k_star, np.linalg.inv(K)), k_star.T)
    logdet = 2 * np.sum(np.log(np.diag(L)))
    sign, value = np.linalg.slogdet(K)
    show("posterior", [mean, np.diag(variance), np.round(logdet, 3), sign, np.round(value, 3),
                       np.linalg.det(K / K[0, 0])])
    evidence = -0.5 * np.dot(train_y, alpha.reshape(-1)) - 0.5 * logdet - 4.5 * math.log(2 * math.pi)
    show("evidence", np.round(evidence, 3))

    length = np.array([0.7])
    length.attach_grad()
    curve = []
    for _ in range(4):
        with autograd.record():
            K = np.exp(-0.5 * (train_x.reshape(-1, 1) - train_x.reshape(1, -1)) ** 2 / length ** 2) + noise * np.eye(9)
            inverse = np.linalg.inv(K)
            nll = 0.5 * np.dot(np.dot(train_y, inverse), train_y) + np.sum(np.log(np.diag(np.linalg.cholesky(K))))
        nll.backward()
        length[:] = length - 0.02 * length.grad
        curve.append([float(nll), float(length)])
    show("length scale", curve)

    data = np.array(draw(1, 30, 3)) * np.array([3, 1, 0.3])
    centred = data - data.mean(axis=0)
    covariance = np.dot(centred.T, centred) / (len(data) - 1)
    values, vectors = np.linalg.eigh(covariance)
    show("axes", [covariance, values, np.abs(vectors), np.linalg.eigvalsh(covariance)])
    rebuilt = np.dot(vectors * values, vectors.T)
    show("rebuilt", float(np.abs(rebuilt - covariance).max()) < 1e-4)
    w = np.linalg.solve(np.dot(data.T, data), np.dot(data.T, data.sum(axis=1)))
    show("least squares", np.round(w, 3))

    def normal(x, mu, sigma):
        return 1 / math.sqrt(2 * math.pi * sigma ** 2) * np.exp(-0.5 / sigma ** 2 * (x - mu) ** 2)

    x = np.arange(-7, 7, 2)
    show("normal", [normal(x, mu, sigma) for mu, sigma in ((0, 1), (0, 2), (3, 1))])
    show("norms", [np.linalg.norm(data), np.linalg.norm(data, axis=1)[:3], np.linalg.norm(data, ord=1, axis=0),
                   np.linalg.norm(data[:3], ord="fro"), np.trace(covariance), np.tril(covariance)])
    u = np.array([3.0, -4.0])
    angle = np.arccos(np.dot(u, np.array([1.0, 0.0])) / np.linalg.norm(u))
    show("angle", [np.linalg.norm(u), np.abs(u).sum(), angle, np.tensordot(data[:2], data[:3], axes=([1], [1]))])
