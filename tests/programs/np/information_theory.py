"""Entropy, mutual information and divergences: sums that skip NaN, logarithms to base 2, and losses."""


def run(mx, show):
    np, npx, autograd, gluon = mx.np, mx.npx, mx.autograd, mx.gluon

    def nansum(x):
        return x[~np.isnan(x)].sum()

    def entropy(p):
        return nansum(-p * np.log2(p))

    def joint_entropy(p_xy):
        return nansum((-p_xy * np.log2(p_xy)).reshape(-1))

    def conditional_entropy(p_xy, p_x):
        p_y_given_x = p_xy / p_x
        return nansum((-p_xy * np.log2(p_y_given_x)).flatten())

    def mutual_information(p_xy, p_x, p_y):
        p = p_xy / (p_x * p_y)
        return nansum((p_xy * np.log2(p)).reshape(-1))

    def kl_divergence(p, q):
        kl = p * np.log2(p / q)
        out = nansum(kl)
        return np.abs(out)

    show("entropy", [entropy(np.array([0.1, 0.5, 0.1, 0.3])), entropy(np.array([0.0, 1.0])),
                     -np.log2(np.array(1 / 64))])
    p_xy = np.array([[0.1, 0.5], [0.1, 0.3]])
    show("joint", [joint_entropy(p_xy), conditional_entropy(p_xy, np.array([0.2, 0.8]))])
    show("mutual", mutual_information(p_xy, np.array([0.2, 0.8]), np.array([[0.75, 0.25]])))
    p, q = np.array([0.1, 0.4, 0.5]), np.array([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]])
    show("divergence", [kl_divergence(p, q[0]), kl_divergence(q[1], p), kl_divergence(p, p)])
    labels, preds = np.array([0, 2]), np.array([[0.3, 0.6, 0.1], [0.2, 0.3, 0.5]])

    def cross_entropy(y_hat, y):
        ce = -np.log(y_hat[range(len(y_hat)), y])
        return ce.mean()

    show("cross entropy", cross_entropy(preds, labels))
    one_hot = npx.one_hot(labels, 3)
    show("likelihood", [-(one_hot * np.log(preds)).sum() / len(labels), npx.pick(np.log(preds), labels)])
    scores = np.log(preds)
    scores.attach_grad()
    with autograd.record():
        probability = npx.softmax(scores, axis=-1)
        loss = -(probability * np.log(probability)).sum(axis=1)
    loss.backward()
    show("gradient of an entropy", [loss, scores.grad])
    loss = gluon.loss.SoftmaxCrossEntropyLoss(sparse_label=False)
    show("loss", [loss(scores, one_hot), loss(scores, np.array([[0.5, 0.5, 0], [0.1, 0.2, 0.7]]))])
