"""Linear regression with a data set, a layer, a loss and a trainer."""

from ._tools import fixed, linear_data


def run(mx, show):
    gluon, autograd = mx.gluon, mx.autograd
    features, labels = linear_data(mx)
    data = gluon.data.DataLoader(gluon.data.ArrayDataset(features, labels), batch_size=10, shuffle=False)
    show("batches", [len(data), next(iter(data))])
    net = gluon.nn.Sequential()
    net.add(gluon.nn.Dense(1))
    net.initialize(fixed(mx))
    show("before", [str(net), str(net.collect_params())])
    loss = gluon.loss.L2Loss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.03})
    for epoch in range(1, 4):
        for X, y in data:
            with autograd.record():
                batch_loss = loss(net(X), y)
            batch_loss.backward()
            trainer.step(10)
        if epoch == 1:
            trainer.set_learning_rate(trainer.learning_rate * 5)
        show(f"epoch {epoch}", loss(net(features), labels).mean().asnumpy())
    dense = net[0]
    show("weight", [dense.weight.data(), dense.bias.data(), dense.weight.grad(), trainer.learning_rate])
    show("after", [str(net), str(dense.weight.shape), str(dense.params), repr(trainer.optimizer.__class__.__name__)])
