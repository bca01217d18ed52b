"""LeNet: shapes layer by layer, training, and the summary that is printed."""

import contextlib
import io

from ._tools import accuracy, fixed, shapes_data


def run(mx, show):
    nd, gluon, autograd, nn = mx.nd, mx.gluon, mx.autograd, mx.gluon.nn
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Conv2D(channels=6, kernel_size=3, padding=1, activation="sigmoid"),
                nn.MaxPool2D(pool_size=2, strides=2),
                nn.Conv2D(channels=8, kernel_size=3, activation="relu"),
                nn.AvgPool2D(pool_size=2),
                nn.Dense(12, activation="tanh"),
                nn.Dense(2))
    net.initialize(init=fixed(mx), ctx=mx.cpu())
    images, labels = shapes_data(mx)
    X = images[:4]
    for layer in net:
        X = layer(X)
        show(layer.name, X.shape)
    show("printed", str(net))
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        net.summary(images)
    show("summary", text.getvalue())
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.3, "momentum": 0.5})
    data = gluon.data.DataLoader(gluon.data.ArrayDataset(images, labels), batch_size=8)
    metric = mx.metric.Accuracy()
    for epoch in range(4):
        total = 0
        metric.reset()
        for X, y in data:
            with autograd.record():
                y_hat = net(X)
                cost = loss(y_hat, y).sum()
            cost.backward()
            trainer.step(8)
            total += cost.asscalar()
            metric.update(y, y_hat)
        show(f"epoch {epoch + 1}", [total / len(labels), metric.get(), accuracy(net, images, labels)])
    show("kernel", net[0].weight.data()[0, 0])
    show("probabilities", nd.softmax(net(images[:3])))
