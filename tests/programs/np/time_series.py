"""Predictions of a series: windows of the past as features, one step ahead, and many steps from predictions."""

from ._tools import batches, draw, fixed, train, twice


def run(mx, show):
    np, gluon, nn = mx.np, mx.gluon, mx.gluon.nn
    T, tau, n_train = 80, 4, 50
    time = np.arange(1, T + 1, dtype="float32")
    x = np.sin(0.1 * time) + np.array(draw(1, T, scale=0.1))
    features = np.zeros((T - tau, tau))
    for i in range(tau):
        features[:, i] = x[i: T - tau + i]
    labels = x[tau:].reshape((-1, 1))
    show("windows", [features[:2], labels[:2], features.shape])
    dataset = gluon.data.ArrayDataset(features[:n_train], labels[:n_train])
    loader = gluon.data.DataLoader(dataset, 16, shuffle=False, last_batch="keep")
    show("batches", [[X.shape, str(y.asnumpy().dtype)] for X, y in loader])

    def make():
        net = nn.HybridSequential()
        net.add(nn.Dense(10, activation="relu"), nn.Dense(1))
        net.initialize(fixed(mx))
        return net

    def use(net):
        losses = train(mx, net, gluon.loss.L2Loss(), batches(16, features[:n_train], labels[:n_train]), epochs=3,
                       learning_rate=0.05)
        onestep = net(features)
        many = np.zeros(T)
        many[: n_train + tau] = x[: n_train + tau]
        for i in range(n_train + tau, T):
            many[i] = net(many[i - tau:i].reshape((1, -1)))
        steps = 5
        wide = np.zeros((T - tau - steps + 1, tau + steps))
        for i in range(tau):
            wide[:, i] = x[i: i + T - tau - steps + 1]
        for i in range(tau, tau + steps):
            wide[:, i] = net(wide[:, i - tau: i]).reshape(-1)
        return [losses, onestep[-3:], many[-4:], wide[-1], ((wide[:, tau] - x[tau: T - steps + 1]) ** 2).mean()]

    twice(mx, show, "forecast", make, use)
