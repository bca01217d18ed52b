"""Module.fit of a small LeNet with BatchNorm: moving statistics, on one device and two."""

import zlib

from ._tools import draw, shapes_data


def lenet(mx):
    net = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), num_filter=4, name="conv1")
    net = mx.sym.BatchNorm(net, fix_gamma=False, momentum=0.8, name="bn1")
    net = mx.sym.Pooling(mx.sym.Activation(net, act_type="relu"), kernel=(2, 2), stride=(2, 2), pool_type="max")
    net = mx.sym.FullyConnected(mx.sym.Flatten(net), num_hidden=6, name="fc1")
    net = mx.sym.BatchNorm(net, name="bn2")
    net = mx.sym.FullyConnected(mx.sym.Activation(net, act_type="tanh"), num_hidden=2, name="fc2")
    return mx.sym.SoftmaxOutput(net, name="softmax")


class Fixed:
    """Weights follow from the name; everything else is initialized as usual."""

    def __new__(cls, mx):
        class ByName(mx.init.Initializer):
            def _init_weight(self, name, data):
                data[:] = draw(zlib.crc32(str(name).encode()), *data.shape, scale=0.3)

        return ByName()


def run(mx, show):
    images, labels = shapes_data(mx)
    for devices, workload in ((1, None), (2, None), (2, [3, 1])):
        batches = mx.io.NDArrayIter(images, labels, 8)
        mod = mx.mod.Module(lenet(mx), context=[mx.cpu(i) for i in range(devices)], work_load_list=workload)
        mod.fit(batches, optimizer="nag", optimizer_params={"learning_rate": 0.05, "momentum": 0.9},
                initializer=Fixed(mx), num_epoch=2)
        args, states = mod.get_params()
        label = f"{devices} devices, workload {workload}"
        show(label, [args[key] for key in sorted(args)])
        show(f"{label}: states", [states[key] for key in sorted(states)])
        show(f"{label}: prediction", mod.predict(batches))
