"""Programs that name mx.gpu() in place of mx.cpu(): modules, stores, custom operators, an estimator, a profile.

What they compute on the CPU is in the tests of each. Two devices are emulated ones, in a process of its own.
"""

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - first: it chooses the GPU, or skips the module
from helpers.gpu_checks import GPU
from helpers.processes import program
from minigluon_accel.gpu import driver

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn
from minigluon.gluon.contrib import rnn as contrib_rnn
from minigluon.gluon.contrib.estimator import Estimator
from minigluon.gluon.data import ArrayDataset, DataLoader
from minigluon.gluon.data.vision import transforms

two_gpus = pytest.mark.skipif(not driver.emulated() and mx.context.num_gpus() < 2, reason="there is only one GPU here")


# -- modules and stores -----------------------------------------------------------------------------------------------

# fit, score, predict and checkpoints on a device or several: [parameters and predictions].
MODULE = """
import numpy as np
def graph(batch_size=None):
    x = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), num_filter=3, name="conv")
    x = mx.sym.FullyConnected(mx.sym.Activation(x, act_type="relu"), num_hidden=2, name="fc")
    return mx.sym.SoftmaxOutput(x, name="softmax")
def trained(context, kvstore, path):
    mx.random.seed(1)
    np.random.seed(1)
    data = np.random.RandomState(0).randn(12, 1, 5, 5).astype("float32")
    it = mx.io.NDArrayIter(data, (data.mean((1, 2, 3)) > 0).astype("float32"), 4, label_name="softmax_label")
    mod = mx.mod.Module(graph(), context=context)
    mod.fit(it, num_epoch=2, kvstore=kvstore, optimizer="adam", initializer=mx.init.Xavier(),
            monitor=mx.mon.Monitor(100, pattern="fc_weight"))
    mod.save_checkpoint(path, 2, save_optimizer_states=True)
    other = mx.mod.Module.load(path, 2, context=mx.cpu())
    other.bind(it.provide_data, it.provide_label, for_training=False)
    predicted = mod.predict(it)
    assert predicted.context.device_type == mod._context[0].device_type
    np.testing.assert_allclose(other.predict(it).asnumpy(), predicted.asnumpy(), rtol=1e-4, atol=1e-5)
    assert abs(other.score(it, "acc")[0][1] - mod.score(it, "acc")[0][1]) < 1e-6
    return [predicted.asnumpy(), *[x.asnumpy() for x in mod.get_params()[0].values()]]
def close(found, wanted):
    for ours, theirs in zip(found, wanted):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)
"""


def test_a_module(tmp_path):
    names = {"mx": mx, "nd": nd}
    exec(compile(MODULE, __file__, "exec"), names)
    found, wanted = [names["trained"](ctx, "local", str(tmp_path / "m")) for ctx in (GPU, mx.cpu())]
    names["close"](found, wanted)


@two_gpus
def test_modules_and_stores_on_two_gpus(tmp_path):
    lines = program(MODULE + """
path, both = PATH, [mx.gpu(0), mx.gpu(1)]
close(trained(both, "device", path), trained(mx.cpu(), "local", path))

def words(length):
    x = mx.sym.mean(mx.sym.Embedding(mx.sym.var("data"), input_dim=9, output_dim=4, name="e"), axis=1)
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(x, num_hidden=2, name="fc"), name="softmax"), ("data",), (
        "softmax_label",)
def batch(length):
    return mx.io.DataBatch([nd.ones((4, length))], [nd.zeros((4,))], bucket_key=length,
                           provide_data=[("data", (4, length))], provide_label=[("softmax_label", (4,))])
results = []
for context in both, mx.cpu():
    mod = mx.mod.BucketingModule(words, default_bucket_key=6, context=context)
    mod.bind([("data", (4, 6))], [("softmax_label", (4,))])
    mod.init_params(mx.init.One())
    mod.init_optimizer()
    for length in (6, 3, 6):
        mod.forward_backward(batch(length))
        mod.update()
    results.append(mod.get_outputs()[0].asnumpy())
np.testing.assert_allclose(*results, rtol=1e-5)

for name in "local", "device":
    store = mx.kv.create(name)
    store.init(3, nd.ones((2,), ctx=mx.gpu(0)))
    store.push(3, [nd.ones((2,), ctx=ctx) * (1 + ctx.device_id) for ctx in both])
    outs = [nd.zeros((2,), ctx=ctx) for ctx in (*both, mx.cpu())]
    store.pull(3, out=outs)
    print([(str(x.context), x.asnumpy().tolist()) for x in outs])
""".replace("PATH", repr(str(tmp_path / "m"))), MINIGLUON_GPU_COUNT="2")
    assert lines == ["[('gpu(0)', [3.0, 3.0]), ('gpu(1)', [3.0, 3.0]), ('cpu(0)', [3.0, 3.0])]"] * 2


@two_gpus
def test_files_and_an_estimator_on_two_gpus(tmp_path):
    """Parameters go from two devices to one, to another and back; the Trainer's states too."""
    lines = program("""
import logging
import numpy as np
from minigluon import autograd, gluon
from minigluon.gluon.contrib.estimator import Estimator
logging.disable()
path, both = PATH, [mx.gpu(0), mx.gpu(1)]
def net_on(ctx, load=True):
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(4, in_units=3), gluon.nn.BatchNorm(in_channels=4), gluon.nn.Dense(2, in_units=4))
    net.load_parameters(path, ctx=ctx) if load else net.initialize(ctx=ctx)
    net.hybridize()
    return net
net, x = net_on(both, load=False), nd.arange(6).reshape((2, 3))
trainer = gluon.Trainer(net.collect_params(), "adam")
for _ in range(2):
    with autograd.record():
        losses = [net(x.as_in_context(ctx)).sum() for ctx in both]
    autograd.backward(losses)
    trainer.step(4)
    trainer.save_states(path + ".states")
    trainer.load_states(path + ".states")
first, second = [w.asnumpy() for w in net[0].weight.list_data()]
print((first == second).all())
net.save_parameters(path)
wanted = net(x.as_in_context(mx.gpu(1))).asnumpy()
for ctx in mx.cpu(), mx.gpu(1), [mx.gpu(1), mx.cpu()]:
    ctx, other = ctx[0] if isinstance(ctx, list) else ctx, net_on(ctx)
    np.testing.assert_allclose(other(x.as_in_context(ctx)).asnumpy(), wanted, rtol=1e-4, atol=1e-5)
other.collect_params().reset_ctx(mx.gpu(0))
print(other(x.as_in_context(mx.gpu(0))).context)

loader = gluon.data.DataLoader(gluon.data.ArrayDataset(np.ones((8, 3), "float32"), np.zeros(8)), 4, pin_memory=True)
estimator = Estimator(net, gluon.loss.SoftmaxCELoss(), train_metrics=mx.metric.Accuracy(),
                      trainer=gluon.Trainer(net.collect_params(), "adam"), context=both)
estimator.fit(loader, epochs=1)
print(estimator.train_metrics[0].get()[0])
""".replace("PATH", repr(str(tmp_path / "net.params"))), MINIGLUON_GPU_COUNT="2")
    assert lines == ["True", "gpu(0)", "training accuracy"]


# -- operators of the program's own -----------------------------------------------------------------------------------


class Sigmoid(mx.operator.CustomOp):
    """On arrays of the device, or through NumPy."""

    def __init__(self, through_numpy):
        self.through_numpy = through_numpy

    def forward(self, is_train, req, in_data, out_data, aux):
        x = in_data[0]
        assert x.context is GPU
        y = nd.array(1 / (1 + np.exp(-x.asnumpy()))) if self.through_numpy else 1 / (1 + nd.exp(-x))
        self.assign(out_data[0], req[0], y)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        y = out_data[0]
        self.assign(in_grad[0], req[0], out_grad[0] * y * (1 - y))


@mx.operator.register("sigmoid_of_two_ways")
class SigmoidProp(mx.operator.CustomOpProp):
    def __init__(self, through_numpy="False"):
        super().__init__(need_top_grad=True)
        self.through_numpy = through_numpy == "True"

    def create_operator(self, ctx, shapes, dtypes):
        assert ctx is GPU
        return Sigmoid(self.through_numpy)


class CustomLayer(gluon.HybridBlock):
    def __init__(self, through_numpy):
        super().__init__()
        self.through_numpy = through_numpy

    def hybrid_forward(self, F, x):
        return F.Custom(x * 1, op_type="sigmoid_of_two_ways", through_numpy=self.through_numpy) * 2


class SigmoidFunction(autograd.Function):
    def forward(self, x):
        y = 1 / (1 + nd.exp(-x))
        self.save_for_backward(y)
        return y

    def backward(self, dy):
        (y,) = self.saved_tensors
        return dy * y * (1 - y)


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("through_numpy", [False, True])
def test_a_custom_operator(through_numpy, hybridize):
    layer, x = CustomLayer(through_numpy), nd.array([[-1, 0.5, 2]], ctx=GPU)
    layer.hybridize(hybridize)
    x.attach_grad()
    for _ in range(3):
        with autograd.record():
            y = layer(x)
        y.backward()
    s = 1 / (1 + np.exp(-x.asnumpy()))
    assert y.context is x.grad.context is GPU
    np.testing.assert_allclose(y.asnumpy(), 2 * s, rtol=1e-6)
    np.testing.assert_allclose(x.grad.asnumpy(), 2 * s * (1 - s), rtol=1e-5)


def test_a_function():
    x = nd.array([-1, 0.5, 2], ctx=GPU)
    x.attach_grad()
    with autograd.record():
        y = SigmoidFunction()(x)
    y.backward()
    s = 1 / (1 + np.exp(-x.asnumpy()))
    np.testing.assert_allclose(x.grad.asnumpy(), s * (1 - s), rtol=1e-5)


def test_gradients_from_another_device():
    """A head gradient is refused; what an executor or a Function is given, they copy, as in MXNet."""
    net, x = nn.HybridLambda(lambda F, x: F.square(x)), nd.array([[1, 2]], ctx=GPU)
    net.hybridize()
    x.attach_grad()
    with autograd.record():
        y = net(x)
    with pytest.raises(mx.base.ContextError) as caught:
        y.backward(nd.ones((1, 2)))
    assert str(caught.value) == ("a head on gpu(0) has a head gradient on cpu(0). Move it with "
                                 ".as_in_context(gpu(0)).")

    class ThroughNumPy(autograd.Function):
        def forward(self, x):
            return x * 2

        def backward(self, dy):
            return nd.array(dy.asnumpy() * 2)

    with autograd.record():
        y = ThroughNumPy()(net(x))
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [[4, 8]])

    executor = mx.sym.square(mx.sym.var("x")).simple_bind(GPU, x=(1, 2))
    executor.forward(is_train=True, x=nd.array([[1, 2]]))
    executor.backward(nd.array([[1, 2]]))
    np.testing.assert_array_equal(executor.grad_dict["x"].asnumpy(), [[2, 8]])


# -- what goes around a net -------------------------------------------------------------------------------------------


def test_an_estimator():
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="relu"), nn.Dense(2))
    net.initialize(ctx=GPU)
    net.hybridize()
    loader = DataLoader(ArrayDataset(np.ones((8, 3), "float32"), np.zeros(8)), 4)
    estimator = Estimator(net, gluon.loss.SoftmaxCELoss(), train_metrics=mx.metric.Accuracy(),
                          trainer=gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1}), context=GPU)
    estimator.fit(loader, val_data=loader, epochs=3)
    assert estimator.train_metrics[0].get()[1] > 0.5
    assert net[0].weight.data().context is GPU


def test_a_monitor():
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    executor, monitor = net.simple_bind(GPU, data=(2, 3)), mx.mon.Monitor(1, sort=True)
    monitor.install(executor)
    monitor.tic()
    executor.forward(is_train=True, data=nd.ones((2, 3)))
    assert [(name, text) for _, name, text in monitor.toc()] == [
        ("data", "1.0\t"), ("fc_bias", "0.0\t"), ("fc_output", "0.0\t"), ("fc_weight", "0.0\t")]


def test_a_profile(tmp_path):
    """One line for each operator, with the time until the GPU was done."""
    x = nd.ones((2, 3), ctx=GPU)
    net = nn.Dense(4)
    net.initialize(ctx=GPU)
    net.hybridize()
    mx.profiler.set_config(profile_all=True, aggregate_stats=True, filename=str(tmp_path / "profile.json"))
    mx.profiler.set_state("run")
    net(x).wait_to_read()
    mx.profiler.set_state("stop")
    lines = [line.split() for line in mx.profiler.dumps(reset=True).splitlines()]
    (line,) = [line for line in lines if line and line[0] == "FullyConnected"]
    assert int(line[1]) == 1
    assert float(line[2]) > 0


@pytest.mark.parametrize("make", [
    lambda: (contrib_rnn.Conv1DLSTMCell((3, 6), 4, 3, 3, i2h_pad=1), (2, 3, 3, 6)),
    lambda: (contrib_rnn.LSTMPCell(6, 3), (2, 3, 4)),
    lambda: (gluon.rnn.BidirectionalCell(gluon.rnn.GRUCell(3), gluon.rnn.LSTMCell(3)), (2, 3, 4)),
    lambda: (gluon.rnn.ResidualCell(gluon.rnn.RNNCell(4)), (2, 3, 4))])
def test_cells(make, tmp_path):
    cell, shape = make()
    cell.initialize(mx.init.Uniform(0.5))
    rng = np.random.default_rng(0)
    values, results = rng.uniform(-1, 1, shape), []
    for ctx in mx.cpu(), GPU:
        cell.collect_params().reset_ctx(ctx)
        cell.hybridize()
        x = nd.array(values, ctx=ctx)
        x.attach_grad()
        with autograd.record():
            y, _ = cell.unroll(3, x, merge_outputs=True)
        y.backward()
        assert y.context is ctx
        results.append([y.asnumpy(), x.grad.asnumpy()])
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("transform", [
    transforms.ToTensor(), transforms.Resize(4), transforms.Resize((5, 7)), transforms.CenterCrop(4),
    transforms.CropResize(1, 2, 4, 3, (6, 5), 2), transforms.RandomFlipLeftRight(), transforms.RandomBrightness(0.5),
    transforms.RandomContrast(0.5), transforms.RandomSaturation(0.5), transforms.RandomHue(0.5),
    transforms.RandomColorJitter(0.5, 0.5, 0.5, 0.5), transforms.RandomLighting(0.5),
    transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1, 0.2, 0.3), 0.5)])], ids=repr)
def test_transforms(transform):
    """What a seed gives on the GPU, it gives on the CPU."""
    image = np.random.default_rng(0).integers(0, 256, (6, 8, 3)).astype("uint8")
    results = []
    for ctx in mx.cpu(), GPU:
        mx.random.seed(5, ctx=ctx)
        y = transform(nd.array(image, ctx=ctx, dtype="uint8"))
        assert y.context is ctx
        results.append(y.asnumpy())
    np.testing.assert_allclose(*results, rtol=1e-6)
