"""Weight decay: the penalty from scratch, and `wd` with and without the bias."""

from ._tools import batches, draw, fixed


def run(mx, show):
    np, npx, autograd, gluon, nn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn
    num_inputs = 20
    true_w, true_b = np.ones((num_inputs, 1)) * 0.01, 0.05
    features = np.array(draw(1, 30, num_inputs))
    labels = np.dot(features, true_w) + true_b + np.array(draw(2, 30, 1, scale=0.01))
    train_data, test_data = batches(5, features[:20], labels[:20]), (features[20:], labels[20:])

    def l2_penalty(w):
        return (w ** 2).sum() / 2

    def scratch(lambd):
        w, b = np.array(draw(3, num_inputs, 1)), np.zeros(1)
        w.attach_grad()
        b.attach_grad()
        for _ in range(3):
            for X, y in train_data:
                with autograd.record():
                    l = (np.dot(X, w) + b - y) ** 2 / 2 + lambd * l2_penalty(w)
                l.backward()
                for param in (w, b):
                    param[:] = param - 0.02 * param.grad / 5
        test = ((np.dot(test_data[0], w) + b - test_data[1]) ** 2 / 2).mean()
        return [float(l.mean()), float(test), np.linalg.norm(w).item(), w[:3], b]

    def concise(wd):
        with mx.name.NameManager():
            net = nn.Sequential()
            net.add(nn.Dense(1))
            net.initialize(fixed(mx, 1))
        loss = gluon.loss.L2Loss()
        net(features)
        net.collect_params(".*bias").setattr("wd_mult", 0)
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.02, "wd": wd})
        curve = []
        for _ in range(3):
            for X, y in train_data:
                with autograd.record():
                    l = loss(net(X), y)
                l.backward()
                trainer.step(5)
            curve.append(float(loss(net(test_data[0]), test_data[1]).mean()))
        return [curve, np.linalg.norm(net[0].weight.data()).item(), net[0].bias.data()]

    for lambd in (0, 3):
        show(f"scratch {lambd}", scratch(lambd))
        show(f"concise {lambd}", concise(lambd))
    show("norms", [np.linalg.norm(features), np.linalg.norm(features[0]), np.abs(features).sum(axis=1)[:3]])
    npx.waitall()
