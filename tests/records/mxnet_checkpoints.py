"""Checkpoints of Module that go to MXNet and come back: `python mxnet_checkpoints.py PACKAGE write|read PREFIX`.

write: make a step and save. read: load, make the next step, and write the parameters to PREFIX-next.npz.
"""

import importlib
import sys

import numpy as np


def perceptron(mx):
    net = mx.sym.BatchNorm(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=5, name="fc1"), name="bn",
                           fix_gamma=False)
    net = mx.sym.FullyConnected(mx.sym.Activation(net, act_type="relu", name="act"), num_hidden=3, name="fc2")
    return mx.sym.SoftmaxOutput(net, name="softmax")


def step(mx, mod):
    numbers = np.random.RandomState(1)
    batch = mx.io.DataBatch([mx.nd.array(numbers.randn(6, 4))], [mx.nd.array([0, 1, 2, 0, 1, 2])])
    mod.forward_backward(batch)
    mod.update()
    mx.nd.waitall()         # MXNet's BatchNorm writes its statistics in backward, and get_params does not wait for it


def bind(mod):
    mod.bind([("data", (6, 4))], [("softmax_label", (6,))])
    if not mod.params_initialized:
        numbers = np.random.RandomState(0)
        mx = sys.modules[type(mod).__module__.partition(".")[0]]
        shapes = {"fc1_weight": (5, 4), "fc1_bias": (5,), "bn_gamma": (5,), "bn_beta": (5,), "fc2_weight": (3, 5),
                  "fc2_bias": (3,)}
        args = {name: mx.nd.array(numbers.rand(*shape)) for name, shape in shapes.items()}
        mod.init_params(arg_params=args, aux_params={"bn_moving_mean": mx.nd.zeros(5),
                                                     "bn_moving_var": mx.nd.ones(5)})
    mod.init_optimizer(optimizer_params={"learning_rate": 0.2})


def run(mx, what, prefix):
    if what == "write":
        mod = mx.mod.Module(perceptron(mx))
        bind(mod)
        step(mx, mod)
        mod.save_checkpoint(prefix, 1)
        return
    mod = mx.mod.Module.load(prefix, 1)
    bind(mod)
    step(mx, mod)
    args, states = mod.get_params()
    np.savez(prefix + "-next.npz", **{name: x.asnumpy() for name, x in {**args, **states}.items()})


if __name__ == "__main__":
    run(importlib.import_module(sys.argv[1]), *sys.argv[2:])
