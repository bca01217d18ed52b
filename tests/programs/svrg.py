"""SVRG: regression whose steps are corrected by gradients over all data, by fit and in a loop of one's own."""

import importlib

import numpy as np

from ._tools import draw, fixed


def run(mx, show):
    svrg = importlib.import_module(mx.__name__ + ".contrib.svrg_optimization.svrg_module")
    features = draw(1, 32, 3)
    labels = (features @ np.array([2, -3.4, 4.2], "float32") + draw(2, 32, scale=0.1)).reshape(-1, 1)
    train = mx.io.NDArrayIter(features, labels, batch_size=8, label_name="label")
    hidden = mx.sym.FullyConnected(data=mx.sym.Variable("data"), num_hidden=1, name="fc1")
    symbol = mx.sym.LinearRegressionOutput(data=hidden, label=mx.symbol.Variable("label"), name="lro")

    mod = svrg.SVRGModule(symbol=symbol, data_names=["data"], label_names=["label"], update_freq=5)
    errors = []

    def note(param):
        errors.append(float(param.eval_metric.get()[1]))
        param.eval_metric.reset()

    mod.fit(train, eval_metric="mse", optimizer="sgd", optimizer_params=(("learning_rate", 0.1),), num_epoch=5,
            initializer=fixed(mx), batch_end_callback=note, kvstore="local")
    show("errors of fit", errors)

    mod = svrg.SVRGModule(symbol=symbol, data_names=["data"], label_names=["label"], update_freq=5)
    mod.bind(data_shapes=train.provide_data, label_shapes=train.provide_label)
    mod.init_params(initializer=fixed(mx), allow_missing=False, force_init=False, allow_extra=False)
    mod.init_optimizer(kvstore="local", optimizer="sgd", optimizer_params=(("learning_rate", 0.05),))
    metric, errors = mx.metric.create("mse"), []
    for epoch in range(5):
        if epoch % mod.update_freq == 0:
            mod.update_full_grads(train)
        train.reset()
        for batch in train:
            mod.forward_backward(data_batch=batch)
            mod.update()
            metric.reset()
            mod.update_metric(metric, batch.label)
            errors.append(float(metric.get()[1]))
    show("errors of a loop", errors)
    args, _ = mod.get_params()
    show("weights", [args["fc1_weight"], args["fc1_bias"]])
