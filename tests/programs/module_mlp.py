"""Module.fit of a perceptron: optimizers, one device and several, log lines, prediction, parameters in and out."""

import logging

from ._tools import draw


class Lines(logging.Handler):
    """Keeps what is logged, without the times."""

    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        text = record.getMessage()
        self.lines.append("Time cost" if "Time cost" in text else text)


def logger():
    found = logging.Logger("module")
    found.lines = Lines()
    found.addHandler(found.lines)
    return found


def perceptron(mx):
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=12, name="fc1")
    net = mx.sym.Activation(net, act_type="tanh", name="act")
    net = mx.sym.FullyConnected(net, num_hidden=3, name="fc2")
    return mx.sym.SoftmaxOutput(net, name="softmax")


def first_values(mx):
    nd = mx.nd
    return {"fc1_weight": nd.array(draw(1, 12, 6, scale=0.3)), "fc1_bias": nd.array(draw(2, 12, scale=0.1)),
            "fc2_weight": nd.array(draw(3, 3, 12, scale=0.3)), "fc2_bias": nd.zeros(3)}


def data(mx, batch_size=10):
    x = draw(4, 44, 6)
    return mx.io.NDArrayIter(x, x[:, :3].argmax(1).astype("float32"), batch_size)


def run(mx, show):
    optimizers = [("sgd", {"learning_rate": 0.2, "momentum": 0.9, "wd": 0.01}), ("adam", {"learning_rate": 0.02}),
                  ("rmsprop", {"learning_rate": 0.01}), ("adagrad", {"learning_rate": 0.1}),
                  ("sgd", {"learning_rate": 0.3, "lr_scheduler": mx.lr_scheduler.FactorScheduler(3, 0.5)})]
    for number, (name, arguments) in enumerate(optimizers):
        for devices in (1, 2, 3) if number == 0 else (2,):
            context = [mx.cpu(i) for i in range(devices)]
            log, batches = logger(), []
            mod = mx.mod.Module(perceptron(mx), context=context, logger=log)
            mod.fit(data(mx), eval_data=data(mx, 8), eval_metric=["acc", "ce"], optimizer=name,
                    optimizer_params=dict(arguments), arg_params=first_values(mx), num_epoch=2,
                    batch_end_callback=lambda p, to=batches: to.append([p.epoch, p.nbatch, p.eval_metric.get()[1][0]]))
            label = f"{name}{number} on {devices}"
            args, states = mod.get_params()
            show(label, [args[key] for key in sorted(args)])
            if number == 0:
                show(f"{label}: lines", [line.rpartition("=")[0] or line for line in log.lines.lines])
                show(f"{label}: values", [float(line.rpartition("=")[2]) for line in log.lines.lines if "=" in line])
                show(f"{label}: batches", batches)
                show(f"{label}: outputs", mod.predict(data(mx, 9)))
                show(f"{label}: score", [list(pair) for pair in mod.score(data(mx), ["acc", "ce"])])
                show(f"{label}: shapes", [mod.output_shapes, mod.data_shapes, mod.label_shapes, mod.data_names,
                                          mod.label_names, mod.output_names])
                show(f"{label}: rescale", mod._optimizer.rescale_grad)
