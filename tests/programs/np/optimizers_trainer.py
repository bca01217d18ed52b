"""Each algorithm of a Trainer on one small network, imperative and hybridized."""

from ._tools import batches, draw, fixed, train, twice


def run(mx, show):
    np, gluon, nn = mx.np, mx.gluon, mx.gluon.nn
    features = np.array(draw(1, 40, 4))
    labels = np.dot(features, np.array([1, -2, 3, 0.5])) + np.array(draw(2, 40, scale=0.1))
    trainers = {"sgd": {"learning_rate": 0.1}, "momentum": {"learning_rate": 0.05, "momentum": 0.9},
                "adagrad": {"learning_rate": 0.1}, "rmsprop": {"learning_rate": 0.02, "gamma1": 0.9},
                "adadelta": {"rho": 0.9}, "adam": {"learning_rate": 0.05},
                "nag": {"learning_rate": 0.05, "momentum": 0.9}, "adamax": {},
                "nadam": {"wd": 0.1}, "ftrl": {"learning_rate": 0.5}, "signum": {"learning_rate": 0.02}}
    loss = gluon.loss.L2Loss()

    def make():
        net = nn.HybridSequential()
        net.add(nn.Dense(6, activation="tanh"), nn.Dense(1))
        net.initialize(fixed(mx))
        return net

    for name, hyper in trainers.items():
        twice(mx, show, name, make,
              lambda net: [train(mx, net, loss, batches(10, features, labels), "sgd" if name == "momentum" else name,
                                 epochs=2, **hyper), net[0].weight.data()[0]])
