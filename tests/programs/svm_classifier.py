"""Support vector machines as last layers, L1 and L2, by FeedForward, the oldest of the interfaces, and by Module."""

import warnings

from ._tools import fixed, shapes_data


def net(mx, use_linear):
    data = mx.symbol.Variable("data")
    fc1 = mx.symbol.FullyConnected(data, name="fc1", num_hidden=8)
    act1 = mx.symbol.Activation(fc1, name="relu1", act_type="relu")
    fc2 = mx.symbol.FullyConnected(act1, name="fc2", num_hidden=2)
    return mx.symbol.SVMOutput(data=fc2, name="svm", margin=1.0, regularization_coefficient=0.7,
                               use_linear=use_linear)


def run(mx, show):
    images, labels = shapes_data(mx)
    images = images.reshape((-1, 64)).asnumpy()
    for use_linear in (True, False):
        train = mx.io.NDArrayIter(images, labels, 8, label_name="svm_label")
        mod = mx.mod.Module(context=mx.cpu(), symbol=net(mx, use_linear), label_names=["svm_label"])
        scores = []
        mod.fit(train, num_epoch=5, initializer=fixed(mx), optimizer_params={"learning_rate": 0.1, "momentum": 0.9,
                                                                            "wd": 0.00001},
                batch_end_callback=lambda param: scores.append(mod.get_outputs()[0].copy()))
        show("Module %s" % use_linear, scores)
        show("accuracy %s" % use_linear, [list(pair) for pair in mod.score(train, mx.metric.Accuracy())])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")                 # it is deprecated
        model = mx.model.FeedForward(ctx=mx.cpu(), symbol=net(mx, False), num_epoch=4, learning_rate=0.1, momentum=0.9,
                                     wd=0.00001, initializer=fixed(mx), numpy_batch_size=8)
    model.fit(X=mx.io.NDArrayIter(images, labels, 8, label_name="svm_label"))
    show("FeedForward", [[name, model.arg_params[name]] for name in sorted(model.arg_params)])
    show("prediction", model.predict(mx.io.NDArrayIter(images, None, 8)))
