"""Programs of Gluon's tutorials and comparisons that run on any device: test_seeds.py runs them on the CPU.

test_gpu_programs.py runs them on the GPU, which then is what `mx.cpu` says.
"""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, gluon, init, nd
from minigluon.gluon import nn


def lenet():
    net = nn.Sequential()
    with net.name_scope():
        net.add(nn.Conv2D(channels=20, kernel_size=5, activation="relu"))
        net.add(nn.MaxPool2D(pool_size=2, strides=2))
        net.add(nn.Conv2D(channels=50, kernel_size=5, activation="relu"))
        net.add(nn.MaxPool2D(pool_size=2, strides=2))
        net.add(nn.Flatten())
        net.add(nn.Dense(128, activation="relu"))
        net.add(nn.Dense(10))
    return net


def sequential_can_be_written_by_hand():
    class Sequential(nn.Block):
        def add(self, block):
            self._children[str(len(self._children))] = block

        def forward(self, x):
            for block in self._children.values():
                x = block(x)
            return x

    net = Sequential()
    with net.name_scope():
        net.add(nn.Dense(4, activation="relu"))
        net.add(nn.Dense(2))
    net.initialize()
    assert net(nd.ones((3, 5))).shape == (3, 2)


def a_parameter_alone():
    my_param = gluon.Parameter("my_params", shape=(3, 3))
    my_param.initialize()
    assert abs(my_param.data().asnumpy()).max() <= 0.07
    assert (my_param.grad().asnumpy() == 0).all()
    params = gluon.ParameterDict(prefix="custom_layer_name")
    params.get("custom_layer_param1", shape=(3, 3))
    assert repr(params) == ("custom_layer_name (\n"
                            "  Parameter custom_layer_namecustom_layer_param1 (shape=(3, 3), dtype=float32)\n)")


def a_dense_layer_of_ones_own():
    class MyDense(nn.Block):
        def __init__(self, units, in_units, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.weight = self.params.get("weight", shape=(in_units, units))
                self.bias = self.params.get("bias", shape=(units,))

        def forward(self, x):
            return nd.relu(nd.dot(x, self.weight.data()) + self.bias.data())

    layer = MyDense(5, in_units=10, prefix="o_my_dense_")
    assert repr(layer.params) == ("o_my_dense_ (\n  Parameter o_my_dense_weight (shape=(10, 5), dtype=float32)\n"
                                  "  Parameter o_my_dense_bias (shape=(5,), dtype=float32)\n)")
    layer.initialize()
    x = nd.random.uniform(shape=(3, 10))
    expected = x.asnumpy() @ layer.weight.data().asnumpy() + layer.bias.data().asnumpy()
    np.testing.assert_allclose(layer(x).asnumpy(), np.maximum(expected, 0), rtol=1e-5, atol=1e-6)


def get_net(cls=nn.Sequential):
    net = cls()
    with net.name_scope():
        net.add(nn.Dense(4, activation="relu"))
        net.add(nn.Dense(2))
    return net


def parameters_of_a_net():
    with mx.name.NameManager():
        net = get_net()
    assert repr(net.collect_params()) == (
        "sequential0_ (\n"
        "  Parameter sequential0_dense0_weight (shape=(4, 0), dtype=float32)\n"
        "  Parameter sequential0_dense0_bias (shape=(4,), dtype=float32)\n"
        "  Parameter sequential0_dense1_weight (shape=(2, 0), dtype=float32)\n"
        "  Parameter sequential0_dense1_bias (shape=(2,), dtype=float32)\n)")
    with pytest.raises(RuntimeError, match="has not been initialized"):
        net(nd.ones((3, 4)))
    net.initialize()
    assert net.collect_params()["sequential0_dense0_weight"].shape == (4, 0)
    net(nd.random.normal(shape=(3, 4)))
    params = net.collect_params()
    assert str(params["sequential0_dense0_weight"]) == \
        "Parameter sequential0_dense0_weight (shape=(4, 4), dtype=float32)"
    assert params.get("dense0_bias").data().shape == (4,)
    assert net[0].weight.data().shape == net[0].weight.grad().shape == (4, 4)
    with pytest.raises(mx.MXNetError, match="expected"):
        net(nd.ones((3, 5)))
    net.initialize(init=mx.init.Xavier(), force_reinit=True)
    assert abs(net[0].weight.data().asnumpy()).max() > 0.07


def parameters_in_a_file(tmp_path):
    net, x = get_net(), nd.random.normal(shape=(3, 4))
    net.initialize()
    y = net(x)
    filename = str(tmp_path / "mynet.params")
    net.save_params(filename)
    net2 = get_net()
    net2.load_params(filename, mx.cpu())
    np.testing.assert_array_equal(net2(x).asnumpy(), y.asnumpy())


def f_is_nd_for_arrays_and_sym_for_symbols(capsys):
    class HybridNet(nn.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.fc1 = nn.Dense(10)
                self.fc2 = nn.Dense(2)

        def hybrid_forward(self, F, x):
            print(F.__name__, x if F is mx.sym else x.shape)
            x = F.relu(self.fc1(x))
            print(x if F is mx.sym else x.shape)
            return self.fc2(x)

    with mx.name.NameManager():
        net = HybridNet()
    net.initialize()
    x = nd.random.normal(shape=(1, 4))
    y = net(x)
    assert y.shape == (1, 2)
    assert capsys.readouterr().out == "minigluon.ndarray (1, 4)\n(1, 10)\n"
    out = net(mx.sym.var("data"))
    assert capsys.readouterr().out == "minigluon.symbol <Symbol data>\n<Symbol hybridnet0_relu0>\n"
    assert out.list_arguments() == ["data", "hybridnet0_dense0_weight", "hybridnet0_dense0_bias",
                                    "hybridnet0_dense1_weight", "hybridnet0_dense1_bias"]
    net.hybridize()
    for printed in ("minigluon.symbol <Symbol data>\n<Symbol hybridnet0_relu0>\n", ""):     # traced once
        np.testing.assert_array_equal(net(x).asnumpy(), y.asnumpy())
        assert capsys.readouterr().out == printed


def a_function_for_python_and_for_arrays():
    def fancy(a, b, c, d):
        return (a + b) + (c + d)

    assert fancy(1, 2, 3, 4) == 10
    assert fancy(*[nd.array([i]) for i in (1, 2, 3, 4)]).asscalar() == 10


def blocks_hold_blocks_and_symbols_pass_through():
    class RecMLP(nn.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.net = nn.HybridSequential()
            with self.name_scope():
                self.net.add(nn.Dense(256, activation="relu"))
                self.net.add(nn.Dense(128, activation="relu"))
                self.net.add(nn.Dense(64, activation="relu", weight_initializer=mx.init.Normal()))

        def hybrid_forward(self, F, x):
            return self.net(x)

    net = RecMLP()
    assert net(mx.sym.var("x")).infer_shape(x=(2, 5))[1] == [(2, 64)]
    net.initialize()
    assert net(nd.ones((2, 5))).shape == (2, 64)


def methods_of_arrays_work_on_symbols():
    class Shapes(nn.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.scale = self.params.get("scale", shape=(1, 0), allow_deferred_init=True)

        def hybrid_forward(self, F, x, scale):
            x = x.reshape((0, -1)).expand_dims(1).swapaxes(0, 1).mean(axis=0)
            return F.broadcast_mul(F.dot(x, x, transpose_b=True).astype("float32"), F.FullyConnected(
                x.transpose(), scale, no_bias=True, num_hidden=1).sum().reshape((1, 1)))

    net = Shapes()
    net.initialize()
    assert net(nd.ones((2, 3, 4))).shape == (2, 2)
    assert net.scale.shape == (1, 2)


def try_gpu(number=99):
    """The tutorial's, with a GPU that no machine has: test_gpu_programs.py runs these programs on one."""
    try:
        ctx = mx.gpu(number)
        nd.zeros((1,), ctx=ctx)
    except mx.MXNetError:
        ctx = mx.cpu()
    return ctx


class AlexNet(nn.Block):
    def __init__(self, classes=1000, verbose=False, scale=1, **kwargs):
        super().__init__(**kwargs)
        self.verbose = verbose
        with self.name_scope():
            self.features = nn.Sequential(prefix="")
            with self.features.name_scope():
                self.features.add(nn.Conv2D(64 // scale, kernel_size=11, strides=4, padding=2, activation="relu"))
                self.features.add(nn.MaxPool2D(pool_size=3, strides=2))
                self.features.add(nn.Conv2D(192 // scale, kernel_size=5, padding=2, activation="relu"))
                self.features.add(nn.MaxPool2D(pool_size=3, strides=2))
                self.features.add(nn.Conv2D(384 // scale, kernel_size=3, padding=1, activation="relu"))
                self.features.add(nn.Conv2D(256 // scale, kernel_size=3, padding=1, activation="relu"))
                self.features.add(nn.Conv2D(256 // scale, kernel_size=3, padding=1, activation="relu"))
                self.features.add(nn.MaxPool2D(pool_size=3, strides=2))
                self.features.add(nn.Flatten())
                self.features.add(nn.Dense(4096 // scale, activation="relu"))
                self.features.add(nn.Dropout(0.5))
                self.features.add(nn.Dense(4096 // scale, activation="relu"))
                self.features.add(nn.Dropout(0.5))
            self.output = nn.Dense(classes)

    def forward(self, x):
        for i, block in enumerate(self.features):
            x = block(x)
            if self.verbose:
                print(f"features[{i + 1}]: {x.shape}")
        return self.output(x)


def alexnet_tells_every_layers_shape(capsys):
    net = AlexNet(classes=10, verbose=True, scale=16)       # a sixteenth of the channels, so that it is quick
    ctx = try_gpu()
    net.initialize(ctx=ctx, init=init.Xavier())
    assert net(nd.random.uniform(shape=(2, 3, 227, 227), ctx=ctx)).shape == (2, 10)
    shapes = [(2, 4, 56, 56), (2, 4, 27, 27), (2, 12, 27, 27), (2, 12, 13, 13), (2, 24, 13, 13), (2, 16, 13, 13),
              (2, 16, 13, 13), (2, 16, 6, 6), (2, 576), (2, 256), (2, 256), (2, 256), (2, 256)]
    assert capsys.readouterr().out == "".join(f"features[{i}]: {s}\n" for i, s in enumerate(shapes, 1))


def the_trainer_of_the_comparison():
    net = nn.Dense(2, in_units=3)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9, "wd": 1e-4})
    with autograd.record():
        loss = net(nd.ones((4, 3))).sum()
    loss.backward()
    before = net.bias.data().asnumpy()
    trainer.step(4)
    np.testing.assert_allclose(net.bias.data().asnumpy(), before - 0.1, rtol=1e-6)


PROGRAMS = {function.__name__: function for function in (
    sequential_can_be_written_by_hand, a_parameter_alone, a_dense_layer_of_ones_own, parameters_of_a_net,
    parameters_in_a_file, f_is_nd_for_arrays_and_sym_for_symbols, a_function_for_python_and_for_arrays,
    blocks_hold_blocks_and_symbols_pass_through, methods_of_arrays_work_on_symbols,
    alexnet_tells_every_layers_shape, the_trainer_of_the_comparison)}


def run(name, request):
    """Run a program with the fixtures that it names; request: pytest's."""
    function = PROGRAMS[name]
    fixtures = function.__code__.co_varnames[:function.__code__.co_argcount]
    function(*[request.getfixturevalue(fixture) for fixture in fixtures])
