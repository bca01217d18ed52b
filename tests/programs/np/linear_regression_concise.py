"""Linear regression with Gluon: a data loader, a Dense layer, L2Loss and a Trainer."""

from ._tools import draw, fixed, twice


def run(mx, show):
    np, autograd, gluon, nn = mx.np, mx.autograd, mx.gluon, mx.gluon.nn
    true_w, true_b = np.array([2, -3.4]), 4.2
    features = np.array(draw(1, 50, 2))
    labels = (np.dot(features, true_w) + true_b + np.array(draw(2, 50, scale=0.01))).reshape(-1, 1)

    def load_array(data_arrays, batch_size, is_train=True):
        dataset = gluon.data.ArrayDataset(*data_arrays)
        return gluon.data.DataLoader(dataset, batch_size, shuffle=is_train)

    data_iter = load_array((features, labels), 10, False)
    show("batch", next(iter(data_iter)))
    loss = gluon.loss.L2Loss()

    def make():
        net = nn.Sequential()
        net.add(nn.Dense(1))
        net.initialize(fixed(mx, 0.01))
        return net

    def use(net):
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        epochs = []
        for _ in range(3):
            for X, y in data_iter:
                with autograd.record():
                    l = loss(net(X), y)
                l.backward()
                trainer.step(10)
            epochs.append(loss(net(features), labels).mean().item())
        w, b = net[0].weight.data(), net[0].bias.data()
        return [epochs, true_w - w.reshape(true_w.shape), true_b - b, net[0].weight.grad(), str(net[0].weight)]

    twice(mx, show, "training", make, use)
