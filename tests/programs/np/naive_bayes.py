"""Naive Bayes on binary pictures: counts by masks, logarithms of probabilities, and broadcast predictions."""

from ._tools import draw


def run(mx, show):
    np = mx.np
    images = np.array(draw(1, 24, 4, 4) > 0.2).astype("float32")
    labels = np.array([i % 3 for i in range(24)], dtype="int32")
    images[labels == 0, 0] = 1
    images[labels == 2, :, 3] = 0
    n_y = np.zeros(3)
    for y in range(3):
        n_y[y] = (labels == y).sum()
    P_y = n_y / n_y.sum()
    show("classes", [n_y, P_y])
    n_x = np.zeros((3, 4, 4))
    for y in range(3):
        n_x[y] = np.array(images.asnumpy()[labels.asnumpy() == y].sum(axis=0))
    P_xy = (n_x + 1) / (n_y + 2).reshape((3, 1, 1))
    show("pixels", P_xy)
    log_P_xy, log_P_xy_neg, log_P_y = np.log(P_xy), np.log(1 - P_xy), np.log(P_y)

    def bayes_pred(x):
        x = np.expand_dims(x, axis=0)
        p_xy = log_P_xy * x + log_P_xy_neg * (1 - x)
        return p_xy.reshape(3, -1).sum(axis=1) + log_P_y

    def product(x):
        p_xy = P_xy * np.expand_dims(x, axis=0) + (1 - P_xy) * (1 - x)
        return p_xy.reshape(3, -1).prod(axis=1) * P_y

    show("scores", [bayes_pred(images[0]), product(images[1])])
    predictions = [bayes_pred(image).argmax(axis=0).astype("int32") for image in images]
    show("predictions", [int(y) for y in predictions])
    right = [float(a) == float(b) for a, b in zip(predictions, labels)]
    show("accuracy", sum(right) / len(right))
    X = np.stack(list(images[:5]))
    X = np.expand_dims(X, 1)
    all_scores = (X * log_P_xy + (1 - X) * log_P_xy_neg).sum(axis=(2, 3)) + log_P_y
    chosen = all_scores.argmax(axis=1)
    show("several at once", [all_scores, chosen, (chosen.astype("int32") == labels[:5]).sum()])
