"""A stacked autoencoder: each layer learns alone with an executor and an updater, then all together."""

import numpy as np

from ._tools import draw


class Layer:
    """One pair of encoder and decoder around a code, as its own network."""

    def __init__(self, mx, number, inputs, units, values):
        self.mx, self.number = mx, number
        self.names = ["%s_%d_%s" % (side, number, kind) for side in ("encoder", "decoder")
                      for kind in ("weight", "bias")]
        shapes = [(units, inputs), (units,), (inputs, units), (inputs,)]
        for seed, (name, shape) in enumerate(zip(self.names, shapes)):
            drawn = draw(10 * number + seed, *shape, scale=0.3)
            values[name] = mx.nd.array(drawn if len(shape) > 1 else np.zeros(shape))
        self.units, self.inputs = units, inputs

    def encode(self, x, act=True):
        weight, bias = [self.mx.sym.Variable(name) for name in self.names[:2]]
        x = self.mx.sym.FullyConnected(data=x, weight=weight, bias=bias, num_hidden=self.units)
        return self.mx.sym.Activation(data=x, act_type="relu") if act else x

    def decode(self, x, act=True):
        weight, bias = [self.mx.sym.Variable(name) for name in self.names[2:]]
        x = self.mx.sym.FullyConnected(data=x, weight=weight, bias=bias, num_hidden=self.inputs)
        return self.mx.sym.Activation(data=x, act_type="relu") if act else x


def solve(mx, symbol, values, batches, rate):
    """Steps of sgd on a symbol with inputs data and label; its losses. Values are trained in place."""
    names = [name for name in symbol.list_arguments() if name not in ("data", "data_label")]
    grads = {name: mx.nd.zeros(values[name].shape) for name in names}
    args = dict({name: values[name] for name in names}, data=mx.nd.empty(batches[0].shape),
                data_label=mx.nd.empty(batches[0].shape))
    executor = symbol.bind(mx.cpu(), args, args_grad=grads, grad_req={
        name: "write" if name in grads else "null" for name in symbol.list_arguments()})
    optimizer = mx.optimizer.create("sgd", learning_rate=rate, momentum=0.9, rescale_grad=1.0 / len(batches[0]),
                                    wd=1e-4, lr_scheduler=mx.lr_scheduler.FactorScheduler(10, 0.5))
    optimizer.idx2name = dict(enumerate(names))
    updater = mx.optimizer.get_updater(optimizer)
    losses = []
    for batch in batches:
        executor.arg_dict["data"][:] = batch
        executor.arg_dict["data_label"][:] = batch
        executor.forward(is_train=True)
        executor.backward()
        for i, name in enumerate(names):
            updater(i, grads[name], values[name])
        losses.append(float(np.square(executor.outputs[0].asnumpy() - batch.asnumpy()).mean()))
    return losses


def run(mx, show):
    hidden = draw(1, 40, 3)
    data = np.maximum(hidden @ draw(2, 3, 10), 0)
    data = data.reshape((5, 8, 10))
    values, batches = {}, [mx.nd.array(batch) for _ in range(4) for batch in data]
    layers = [Layer(mx, 0, 10, 6, values), Layer(mx, 1, 6, 3, values)]
    loss = lambda out: mx.sym.LinearRegressionOutput(data=out, label=mx.sym.Variable("data_label"))
    source = mx.sym.Variable("data")

    show("first layer", solve(mx, loss(layers[0].decode(layers[0].encode(source))), values, batches, 0.02))
    inner = layers[0].encode(source)
    coder = inner.bind(mx.cpu(), {name: values[name] for name in layers[0].names[:2]} | {"data": batches[0]})
    codes = []
    for batch in batches:
        coder.forward(is_train=False, data=batch)
        codes.append(coder.outputs[0].copy())
    show("second layer", solve(mx, loss(layers[1].decode(layers[1].encode(source, act=False))), values, codes, 0.02))
    whole = layers[1].encode(layers[0].encode(source), act=False)
    whole = layers[0].decode(layers[1].decode(whole), act=False)
    show("all", solve(mx, loss(whole), values, batches, 0.02))
    show("values", [[name, values[name]] for name in sorted(values)])
