"""Whole programs on mx.gpu(): the tutorials, LeNet step by step as on the CPU, two devices, `minigluon train`."""

import subprocess
import sys

import numpy as np
import pytest
from helpers import (
    gpu_choice,  # noqa: F401 - first: it chooses the GPU, or skips the module
    tutorials,
)
from helpers.gpu_checks import GPU
from helpers.processes import environment, program
from helpers.tutorials import AlexNet, get_net
from minigluon_accel.gpu import driver

import minigluon as mx
import minigluon.autograd as ag
from minigluon import autograd, dispatch, gluon, init, nd
from minigluon.backend.forgetting import forget_kernels
from minigluon.gluon import nn


@pytest.fixture(autouse=True)
def _no_fallback():
    """Nothing of these programs runs on the reference."""
    forget_kernels()
    before = dispatch.declined.copy()
    yield
    assert {key: count for key, count in (dispatch.declined - before).items() if key[1] == "gpu"} == {}


# -- the tutorials ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", tutorials.PROGRAMS)
def test_program_of_a_tutorial(name, monkeypatch, request):
    """With the GPU in place of the CPU: named so, and as the default device."""
    monkeypatch.setattr(mx, "cpu", mx.gpu)
    with GPU:
        tutorials.run(name, request)


@pytest.mark.parametrize("cut", [lambda F, x: x[:, :, 1:, 1:],
                                 lambda F, x: F.slice(x, begin=(None, None, 1, 1), end=(None, None, None, None))])
def test_ways_to_cut_an_array(cut):
    with GPU:
        x = nd.arange(36).reshape((1, 1, 6, 6))
        np.testing.assert_array_equal(cut(nd, x).asnumpy(), x.asnumpy()[:, :, 1:, 1:])


def test_three_ways_to_make_an_array_on_the_gpu():
    a = nd.arange(1, 13).reshape((3, 4))
    b = a.as_in_context(mx.gpu())
    c = nd.array(np.arange(1, 13).reshape(3, 4), ctx=mx.gpu())
    d = nd.arange(1, 13, ctx=mx.gpu()).reshape((3, 4))
    text = "\n[[ 1.  2.  3.  4.]\n [ 5.  6.  7.  8.]\n [ 9. 10. 11. 12.]]\n<NDArray 3x4 @{}>"
    assert str(a) == text.format("cpu(0)")
    assert [str(x) for x in (b, c, d)] == [text.format("gpu(0)")] * 3


def test_gradient_of_an_expression():
    x = nd.arange(1, 13, ctx=mx.gpu()).reshape((3, 4))
    x.attach_grad()
    with autograd.record():
        y = x ** 2 + 4 * x
        z = 2 * y + 3
    z.backward()
    assert str(x.grad) == "\n[[12. 16. 20. 24.]\n [28. 32. 36. 40.]\n [44. 48. 52. 56.]]\n<NDArray 3x4 @gpu(0)>"


def test_a_gpu_is_chosen_where_there_is_one():
    assert tutorials.try_gpu(0) is mx.gpu()


def test_alexnet_forward_with_dropout_in_training():
    net = AlexNet(classes=10, scale=16)
    net.initialize(ctx=mx.gpu(), init=init.Xavier())
    with autograd.record():
        y = net(nd.random.uniform(shape=(1, 3, 227, 227), ctx=mx.gpu()))
    assert (y.shape, y.context) == ((1, 10), mx.gpu())
    assert np.isfinite(y.asnumpy()).all()


def digits(count, size=28):
    """(images (count, size, size, 1) uint8, labels): each class has its own place for a bright patch."""
    rng = np.random.default_rng(0)
    labels = np.arange(count) % 10
    images = rng.normal(20, 20, (count, size, size, 1))
    for image, label in zip(images, labels, strict=True):
        row, column = divmod(label, 5)
        image[3 + 12 * row:13 + 12 * row, 1 + 5 * column:6 + 5 * column] = 235
    return np.clip(images, 0, 255).astype("uint8"), labels.astype("int32")


def test_the_training_program_of_a_tutorial():
    """Its lines as they are written there, on few images and with a smaller rate."""
    def transform(data, label):
        return data.astype("float32") / 255, label.astype("float32")

    images, labels = digits(20)
    batch_size = 10
    train_data = gluon.data.DataLoader(gluon.data.ArrayDataset(nd.array(images), labels).transform(transform),
                                       shuffle=True, batch_size=batch_size)
    test_data = gluon.data.DataLoader(gluon.data.ArrayDataset(nd.array(images), labels).transform(transform),
                                      shuffle=False, batch_size=batch_size)
    num_examples = len(train_data)
    lenet = tutorials.lenet()
    lenet.initialize(init.Xavier(), ctx=mx.gpu())
    softmax_loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(lenet.collect_params(), "sgd", {"learning_rate": 0.2})

    def accuracy(output, label):
        return nd.mean(output.argmax(axis=1) == label).asscalar()

    def evaluate_accuracy(net, data_iter):
        acc = 0
        for data, label in data_iter:
            data = data.transpose((0, 3, 1, 2))
            data = data.as_in_context(mx.gpu())
            label = label.as_in_context(mx.gpu())
            output = net(data)
            acc += accuracy(output, label)
        return acc / len(data_iter)

    losses = []
    for _ in range(5):
        total_loss = 0
        for data, label in train_data:
            data = data.transpose((0, 3, 1, 2))
            data = data.as_in_context(mx.gpu())
            label = label.as_in_context(mx.gpu())
            with ag.record():
                output = lenet(data)
                loss = softmax_loss(output, label)
            loss.backward()
            trainer.step(batch_size)
            total_loss += nd.mean(loss).asscalar()
        losses.append(total_loss / num_examples)
    assert losses[-1] < 0.5 * losses[0]
    assert evaluate_accuracy(lenet, test_data) > 0.5


def test_parameters_go_from_the_gpu_to_a_file_and_to_the_cpu(tmp_path):
    x = nd.random.normal(shape=(3, 4), ctx=mx.gpu())
    net, other = get_net(), get_net()
    net.initialize(ctx=mx.gpu())
    y = net(x)
    net.save_params(str(tmp_path / "mynet.params"))
    other.load_params(str(tmp_path / "mynet.params"), mx.cpu())
    np.testing.assert_allclose(other(x.as_in_context(mx.cpu())).asnumpy(), y.asnumpy(), rtol=1e-5, atol=1e-6)


# -- LeNet, step by step ----------------------------------------------------------------------------------------------


def lenet():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(channels=6, kernel_size=5, activation="relu"), nn.MaxPool2D(pool_size=2, strides=2),
            nn.Conv2D(channels=10, kernel_size=5, activation="relu"), nn.MaxPool2D(pool_size=2, strides=2),
            nn.Flatten(), nn.Dense(32, activation="relu"), nn.Dense(10))
    return net


def losses_of(ctx, how, hybridized, optimizer, arguments, steps=6, parameters=None):
    """The mean loss of each training step; parameters: a file that the net begins with."""
    images, labels = digits(8)
    x = nd.array(images.transpose(0, 3, 1, 2) / 255, ctx=ctx)
    label, net, loss = nd.array(labels, ctx=ctx), lenet(), gluon.loss.SoftmaxCrossEntropyLoss()
    net.load_parameters(parameters, ctx=ctx)
    if hybridized:
        net.hybridize()
        loss.hybridize()
    trainer = gluon.Trainer(net.collect_params(), optimizer, arguments)
    step = gluon.TrainStep(net, loss, trainer) if how == "TrainStep" else None
    losses = []
    for _ in range(steps):
        if step is not None:
            error = step(x, label)
        else:
            with autograd.record():
                error = loss(net(x), label)
            error.backward()
            trainer.step(len(labels))
        losses.append(float(error.mean().asscalar()))
    return losses


@pytest.fixture(scope="module")
def parameters(tmp_path_factory):
    """A file with the values that all of these nets begin with."""
    net, path = lenet(), str(tmp_path_factory.mktemp("lenet") / "start.params")
    mx.random.seed(5)
    net.initialize(init.Xavier())
    net(nd.ones((1, 1, 28, 28)))
    net.save_parameters(path)
    return path


@pytest.mark.parametrize(("optimizer", "arguments"), [
    ("sgd", {"learning_rate": 0.1, "momentum": 0.9, "wd": 1e-4}), ("adam", {"learning_rate": 0.003})])
@pytest.mark.parametrize(("how", "hybridized"), [("Trainer", False), ("Trainer", True), ("TrainStep", True)])
def test_lenet_learns_step_by_step_as_on_the_cpu(how, hybridized, optimizer, arguments, parameters):
    found = losses_of(mx.gpu(), how, hybridized, optimizer, arguments, parameters=parameters)
    wanted = losses_of(mx.cpu(), how, hybridized, optimizer, arguments, parameters=parameters)
    # Rounding differs between devices, and training carries it on from step to step.
    np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-5)
    assert found[-1] < 0.9 * found[0]


def test_a_hybridized_step_is_the_imperative_one(parameters):
    runs = [losses_of(mx.gpu(), how, hybridized, "sgd", {"learning_rate": 0.1}, parameters=parameters)
            for how, hybridized in (("Trainer", False), ("Trainer", True), ("TrainStep", True))]
    np.testing.assert_allclose(runs[1], runs[0], rtol=1e-5)
    np.testing.assert_allclose(runs[2], runs[0], rtol=1e-5)


# -- several devices --------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not driver.emulated() and mx.context.num_gpus() < 2, reason="there is only one GPU here")
def test_data_parallel_training_on_two_gpus():
    """Gradients of two halves of a batch, summed by the Trainer, are those of the whole batch."""
    lines = program("""
        import numpy as np
        from minigluon import autograd, gluon
        data = np.random.default_rng(0).normal(size=(8, 5)).astype("float32")
        print(mx.context.num_gpus())
        def trained(contexts):
            net = gluon.nn.HybridSequential()
            net.add(gluon.nn.Dense(7, activation="tanh", in_units=5), gluon.nn.Dense(1, in_units=7))
            net.initialize(mx.init.Constant(0.1), ctx=contexts)
            net.hybridize()
            trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
            for _ in range(3):
                parts = gluon.utils.split_and_load(data, contexts)
                with autograd.record():
                    losses = [(net(part) ** 2).sum() for part in parts]
                autograd.backward(losses)
                trainer.step(8)
            return [[p.data(ctx).asnumpy() for p in net.collect_params().values()] for ctx in contexts]
        both = trained([mx.gpu(0), mx.gpu(1)])
        (alone,) = trained([mx.cpu()])
        for found in both:
            for ours, theirs in zip(found, alone):
                np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
        print("equal")
    """, MINIGLUON_GPU_COUNT="2")
    assert lines == ["2", "equal"]


@pytest.mark.skipif(not driver.emulated() and mx.context.num_gpus() < 2, reason="there is only one GPU here")
def test_arrays_of_two_gpus():
    lines = program("""
        x = nd.arange(6, ctx=mx.gpu(0)).reshape((2, 3))
        y = x.as_in_context(mx.gpu(1))
        print(y.context, y.asnumpy().tolist())
        y[:] = 7
        print(x.asnumpy().tolist())
        x[:] = y.as_in_context(mx.gpu(0))[0, 0]
        print(x.asnumpy().sum())
        try:
            x + y
        except mx.MXNetError as error:
            print("gpu(0)" in str(error), "gpu(1)" in str(error))
    """, MINIGLUON_GPU_COUNT="2")
    assert lines == ["gpu(1) [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]", "[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]", "42.0",
                     "True True"]


# -- the command line -------------------------------------------------------------------------------------------------


def test_minigluon_train_on_the_gpu(tmp_path):
    if driver.emulated():
        pytest.skip("on an emulated GPU test_gpu_cli.py trains")
    found = {name: value for name, value in environment().items() if name != driver.ASKED}
    done = subprocess.run([sys.executable, "-W", "error", "-m", "minigluon", "train", "--net", "mlp", "--epochs", "1",
                           "--ctx", "gpu", "--hybridize"], cwd=tmp_path,
                          env=found, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0].endswith("gpu(0), hybridized")
    assert (tmp_path / "minigluon-out").is_dir()
