"""Softmax regression with Gluon, and a loader of datasets with a transform."""

from ._tools import batches, fixed, images, train, twice


def run(mx, show):
    np, gluon, nn = mx.np, mx.gluon, mx.gluon.nn
    X, y = images(mx, 24, 6)
    pixels = (X.transpose(0, 2, 3, 1) * 100).clip(0, 255).astype("uint8")
    dataset = gluon.data.ArrayDataset(pixels, y).transform_first(gluon.data.vision.transforms.ToTensor())
    loader = gluon.data.DataLoader(dataset, 8, num_workers=0)
    for features, labels in loader:
        break
    show("batch", [type(features).__name__, features.dtype.name, features.shape, features[0], labels])
    loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def make():
        net = nn.Sequential()
        net.add(nn.Dense(2))
        net.initialize(fixed(mx, 0.01))
        return net

    def use(net):
        losses = train(mx, net, loss, batches(8, X, y), epochs=4, learning_rate=0.3)
        y_hat = net(X)
        right = (y_hat.argmax(axis=1).astype(y.dtype) == y).sum()
        return [losses, float(right) / len(y), y_hat[:3]]

    twice(mx, show, "training", make, use)
    show("loss", loss(np.array([[0.1, 0.3, 0.6], [2, 1, 0]]), np.array([2, 0])))
