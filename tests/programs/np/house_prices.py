"""A regression with standardized columns, folds of the data, errors of logarithms, and the best of several."""

from ._tools import batches, draw, fixed


def run(mx, show):
    np, autograd, gluon, nn = mx.np, mx.autograd, mx.gluon, mx.gluon.nn
    raw = np.array(draw(1, 24, 5)) * np.array([1, 10, 100, 1, 0.1]) + np.array([0, 5, 50, 1, 0])
    features = (raw - raw.mean(axis=0)) / raw.std(axis=0)
    features = np.nan_to_num(features)
    labels = np.exp(features[:, :2].sum(axis=1) * 0.2 + 1).reshape(-1, 1)
    loss = gluon.loss.L2Loss()

    def get_net(hybridized):
        with mx.name.NameManager():
            net = nn.Sequential()
            net.add(nn.Dense(6, activation="relu"), nn.Dense(1))
            net.initialize(fixed(mx))
            if hybridized:
                net.hybridize()
        return net

    def log_rmse(net, features, labels):
        clipped_preds = np.clip(net(features), 1, float("inf"))
        return np.sqrt(2 * loss(np.log(clipped_preds), np.log(labels)).mean())

    def get_k_fold_data(k, i, X, y):
        fold_size = X.shape[0] // k
        X_train, y_train = None, None
        for j in range(k):
            idx = slice(j * fold_size, (j + 1) * fold_size)
            X_part, y_part = X[idx, :], y[idx]
            if j == i:
                X_valid, y_valid = X_part, y_part
            elif X_train is None:
                X_train, y_train = X_part, y_part
            else:
                X_train, y_train = np.concatenate((X_train, X_part), axis=0), np.concatenate((y_train, y_part), axis=0)
        return X_train, y_train, X_valid, y_valid

    for hybridized in (False, True):
        train_sum, valid_sum, curve = 0, 0, []
        for i in range(3):
            X_train, y_train, X_valid, y_valid = get_k_fold_data(3, i, features, labels)
            net = get_net(hybridized)
            trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1, "wd": 0.01})
            for _ in range(3):
                for X, y in batches(8, X_train, y_train):
                    with autograd.record():
                        l = loss(net(X), y)
                    l.backward()
                    trainer.step(8)
                curve.append([float(log_rmse(net, X_train, y_train)), float(log_rmse(net, X_valid, y_valid))])
            train_sum, valid_sum = train_sum + curve[-1][0], valid_sum + curve[-1][1]
        preds = net(features[:4]).reshape(1, -1)[0]
        show(f"folds, {'hybridized' if hybridized else 'imperative'}", [train_sum / 3, valid_sum / 3, curve, preds])
    matrix = np.power(np.arange(4).reshape(-1, 1), np.arange(5).reshape(1, -1))
    show("polynomials", [matrix, matrix / np.array([1.0, 1.0, 2.0, 6.0, 24.0])])
