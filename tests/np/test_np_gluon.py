"""Gluon after `npx.set_np()`: the layers are those of `nd`, and compute the same numbers on arrays of `mx.np`."""

import numpy as onp
import pytest
from helpers import ROOT
from helpers.imports import Package
from PIL import Image

import minigluon as mx
from minigluon import autograd, gluon, init, nd, np, npx
from minigluon.gluon import loss, nn, rnn

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def no_mode_is_left():
    yield
    npx.reset_np()


class Unrolled(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.cell = rnn.LSTMCell(4)

    def hybrid_forward(self, F, x):
        return self.cell.unroll(3, x, layout="NTC", merge_outputs=True)[0]


LAYERS = {
    "Dense": (lambda: nn.Dense(3, activation="tanh"), [(2, 4)]), "Conv2D": (lambda: nn.Conv2D(2, 3), [(2, 1, 5, 5)]),
    "BatchNorm": (nn.BatchNorm, [(2, 3)]), "LayerNorm": (nn.LayerNorm, [(2, 3)]),
    "GroupNorm": (lambda: nn.GroupNorm(1), [(2, 3, 4)]), "InstanceNorm": (nn.InstanceNorm, [(2, 3, 4)]),
    "MaxPool2D": (lambda: nn.MaxPool2D(2), [(1, 1, 4, 4)]), "PReLU": (nn.PReLU, [(2, 3)]), "GELU": (nn.GELU, [(2, 3)]),
    "Flatten": (nn.Flatten, [(2, 3, 4)]), "LSTM": (lambda: rnn.LSTM(3), [(4, 2, 3)]),
    "LSTMCell": (Unrolled, [(2, 3, 5)]),
    "L2Loss": (loss.L2Loss, [(2, 3), (2, 3)]), "HuberLoss": (loss.HuberLoss, [(2, 3), (2, 3)]),
    "KLDivLoss": (loss.KLDivLoss, [(2, 3), (2, 3)]), "HingeLoss": (loss.HingeLoss, [(2, 3), (2, 3)]),
    "SoftmaxCELoss": (lambda: loss.SoftmaxCELoss(sparse_label=False), [(2, 3), (2, 3)]),
    "SDMLLoss": (loss.SDMLLoss, [(4, 3), (4, 3)]), "TripletLoss": (loss.TripletLoss, [(2, 3)] * 3),
}


def run(make, shapes, is_np, hybridized):
    """Return the result, and the gradients of inputs and parameters."""
    npx.set_np() if is_np else npx.reset_np()
    arrays = [(np.array if is_np else nd.array)(abs(onp.random.RandomState(i).randn(*shape)).astype("float32"))
              for i, shape in enumerate(shapes)]
    net = make()
    mx.random.seed(3)
    net.initialize(init.Uniform(0.5))
    if hybridized:
        net.hybridize()
    for x in arrays:
        x.attach_grad()
    with autograd.record():
        y = net(*arrays)
    autograd.backward([y])
    kind = np.ndarray if is_np else nd.NDArray
    params = net.collect_params().values()
    results = [y, *[x.grad for x in arrays], *[p.data() for p in params], *[p.grad() for p in params if p._grad]]
    assert {type(x) for x in results} == {kind}
    return [x.asnumpy() for x in results]


@pytest.mark.parametrize("name", LAYERS)
def test_layers_and_losses_compute_the_same(name):
    make, shapes = LAYERS[name]
    for hybridized in (False, True):
        for x, y in zip(run(make, shapes, True, hybridized), run(make, shapes, False, hybridized), strict=True):
            onp.testing.assert_array_equal(x, y)


class Perceptron(nn.HybridBlock):
    """Two layers; the activation, the scale and the last product are written with F.np and F.npx."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Dense(8)
        self.weight = self.params.get("weight", shape=(8, 1))

    def hybrid_forward(self, F, x, weight):
        hidden = F.npx.relu(self.hidden(x))
        return F.np.dot(hidden / (1 + F.np.mean(hidden, axis=1, keepdims=True)), weight)


@pytest.mark.parametrize("hybridized", [False, True])
def test_a_regression_trains(hybridized):
    npx.set_np()
    mx.random.seed(1)
    true_w = np.array([2, -3.4])
    features = np.random.normal(0, 1, (200, 2))
    labels = np.dot(features, true_w) + 4.2
    labels += np.random.normal(0, 0.01, labels.shape)
    net = Perceptron()
    net.initialize(init.Normal(sigma=0.5))
    if hybridized:
        net.hybridize()
    batches = gluon.data.DataLoader(gluon.data.ArrayDataset(features, labels), 20, shuffle=True)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
    squared = loss.L2Loss()
    before = squared(net(features), labels).mean().item()
    for _ in range(8):
        for x, y in batches:
            assert type(x) is np.ndarray
            with autograd.record():
                error = squared(net(x), y.reshape(-1, 1))
            error.backward()
            trainer.step(len(x))
    assert squared(net(features), labels).mean().item() < 0.1 * before


def test_regression_from_scratch():
    npx.set_np()
    mx.random.seed(2)
    x = np.random.normal(0, 1, (100, 2))
    y = np.dot(x, np.array([1.5, -2])) + 0.5
    w, b = np.random.normal(0, 0.01, (2, 1)), np.zeros(1)
    for parameter in (w, b):
        parameter.attach_grad()
    for _ in range(60):
        with autograd.record():
            error = ((np.dot(x, w) + b - y.reshape(-1, 1)) ** 2 / 2).sum()
        error.backward()
        for parameter in (w, b):
            parameter[:] = parameter - 0.1 * parameter.grad / 100
    onp.testing.assert_allclose(w.asnumpy().ravel(), [1.5, -2], atol=0.02)


def test_an_initializer_of_the_program_gets_an_array_of_np():
    class Sparse(init.Initializer):
        def _init_weight(self, name, data):
            data[:] = np.random.uniform(-10, 10, data.shape)
            data *= np.abs(data) >= 5

    npx.set_np()
    net = nn.Dense(8)
    net.initialize(Sparse())
    net(np.ones((2, 20)))
    values = abs(net.weight.data().asnumpy())
    assert ((values == 0) | (values >= 5)).all()
    net.weight.set_data(np.ones((8, 20)))
    net.weight.data()[:] += 1
    assert net.weight.data()[0, 0] == 2


def test_unknown_lengths_are_minus_one_and_files_come_back(tmp_path):
    npx.set_np()
    net = nn.Dense(3)
    assert net.weight.shape == (3, -1)
    net.initialize()
    expected = net(np.ones((2, 4)))
    net.save_parameters(str(tmp_path / "net.params"))
    again = nn.Dense(3)
    again.load_parameters(str(tmp_path / "net.params"))
    assert type(again.weight.data()) is np.ndarray
    assert (again(np.ones((2, 4))) == expected).all()


def test_metrics_and_clipping():
    npx.set_np()
    accuracy = mx.metric.Accuracy()
    accuracy.update(np.array([0, 2]), np.array([[1, 0, 0], [0, 0, 1]]))
    assert accuracy.get()[1] == 1
    assert gluon.utils.clip_global_norm([np.ones(4)], 1.0) == 2
    for batch in (np.ones((4, 2), dtype="float64"), onp.ones((4, 2))):
        parts = gluon.utils.split_and_load(batch, [mx.cpu(0), mx.cpu(1)])
        assert [(type(x), x.dtype) for x in parts] == [(np.ndarray, "float64")] * 2


def test_use_np_decorates_classes():
    @mx.util.use_np
    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(2)

        def hybrid_forward(self, F, x):
            return F.np.sum(self.dense(x))

    net = Net()
    net.initialize()
    assert (net(np.ones((1, 3))).shape, npx.is_np_array()) == ((), False)


def test_nothing_below_knows_of_np():
    """Only the package itself imports the modules of mx.np; others ask for a part by name."""
    package = Package(ROOT / "minigluon")
    for path in package.python_files():
        part = path.relative_to(package.root).parts[0]
        if part != "numpy":
            targets = {target[1] for target, _ in package.imported(path) if len(target) > 1}
            assert "numpy" not in targets, path


def test_nets_are_exported_and_imported(tmp_path):
    npx.set_np()
    layers = nn.HybridSequential()
    layers.add(nn.Dense(3), nn.Dense(2))
    for net in (Perceptron(), layers):
        net.initialize()
        net.hybridize()
        expected = net(np.ones((2, 4)))
        net.export(str(tmp_path / "net"))
        files = [str(tmp_path / name) for name in ("net-symbol.json", "net-0000.params")]
        block = gluon.SymbolBlock.imports(files[0], "data", files[1])
        found = block(np.ones((2, 4)))
        assert type(found) is np.ndarray
        assert (found == expected).all()


def test_images_and_what_changes_them_are_arrays_of_np(tmp_path):
    npx.set_np()
    image = mx.image
    pixels = onp.random.RandomState(0).randint(0, 255, (20, 30, 3)).astype("uint8")
    Image.fromarray(pixels).save(tmp_path / "picture.png")
    picture = image.imread(str(tmp_path / "picture.png"))
    assert (picture.asnumpy() == pixels).all()
    floats = picture.astype("float32")
    augmenters = image.CreateAugmenter((3, 8, 8), resize=12, rand_crop=True, rand_mirror=True, mean=True, std=True,
                                       brightness=0.1, contrast=0.1, saturation=0.1, hue=0.1, pca_noise=0.1,
                                       rand_gray=1)
    found = [picture, image.imdecode((tmp_path / "picture.png").read_bytes()), image.imresize(picture, 10, 12),
             image.resize_short(picture, 12), image.fixed_crop(picture, 1, 2, 8, 9, (5, 6)),
             image.center_crop(picture, (8, 9))[0], image.copyMakeBorder(picture, 1, 1, 1, 1),
             image.color_normalize(floats, np.array([1, 2, 3]), np.array([1, 2, 3])),
             image.imrotate(floats.transpose(2, 0, 1), 30), *[augment(floats) for augment in augmenters]]
    assert {type(x) for x in found} == {np.ndarray}
