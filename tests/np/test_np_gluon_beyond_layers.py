"""Gluon beyond layers gives the same numbers for arrays of `mx.np` as for NDArrays: the same program runs with both."""

import logging
import random

import numpy as onp
import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd, np, npx
from minigluon.gluon import nn
from minigluon.gluon.contrib import estimator
from minigluon.gluon.data.vision import transforms

pytestmark = pytest.mark.once
RNG = onp.random.default_rng(0)
SCORES, TARGETS = RNG.uniform(-1, 1, (4, 3)).astype("float32"), RNG.uniform(0, 1, (4, 3)).astype("float32")
CLASSES, SIGNS = onp.array([0, 2, 1, 1], "float32"), onp.sign(SCORES)
IMAGE = RNG.integers(0, 255, (12, 10, 3)).astype("uint8")
CHANNELS = (IMAGE / 255).astype("float32").transpose(2, 0, 1).copy()


def flat(value):
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in flat(part)]
    return [value]


def same(program, rtol=1e-5):
    """program(A): A makes an array of a numpy.ndarray."""
    results = []
    for make, cls in ((nd.array, nd.NDArray), (np.array, np.ndarray)):
        mx.random.seed(1)
        onp.random.seed(1)
        random.seed(1)
        if make is np.array:
            npx.set_np()
        try:
            found = flat(program(lambda x, make=make: make(x, dtype=x.dtype)))
        finally:
            npx.reset_np()
        assert all(type(x) is cls for x in found if hasattr(x, "asnumpy"))
        results.append([x.asnumpy() if hasattr(x, "asnumpy") else x for x in found])
    assert len(results[0]) == len(results[1])
    for x, y in zip(*results, strict=True):
        if isinstance(x, onp.ndarray):
            assert x.dtype == y.dtype
            assert x.shape == y.shape or x.size == y.size == 1
        onp.testing.assert_allclose(onp.ravel(x), onp.ravel(y), rtol=rtol, atol=1e-5)


LOSSES = {
    "L1Loss": (SCORES, TARGETS), "L2Loss": (SCORES, TARGETS), "SigmoidBinaryCrossEntropyLoss": (SCORES, TARGETS),
    "SoftmaxCrossEntropyLoss": (SCORES, CLASSES), "KLDivLoss": (onp.log(TARGETS), TARGETS),
    "HuberLoss": (SCORES, TARGETS), "HingeLoss": (SCORES, SIGNS), "SquaredHingeLoss": (SCORES, SIGNS),
    "LogisticLoss": (SCORES, SIGNS), "TripletLoss": (SCORES, TARGETS, SCORES[::-1].copy()),
    "PoissonNLLLoss": (SCORES, TARGETS), "CosineEmbeddingLoss": (SCORES, TARGETS, SIGNS[:, 0].copy()),
    "SDMLLoss": (SCORES, TARGETS),
    "CTCLoss": (RNG.uniform(-1, 1, (2, 6, 5)).astype("float32"), onp.array([[1, 2], [2, 0]], "float32")),
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses(name):
    def program(A, hybridized):
        loss = getattr(gluon.loss, name)()
        loss.hybridize(hybridized)
        arrays = [A(x) for x in LOSSES[name]]
        arrays[0].attach_grad()
        with autograd.record():
            y = loss(*arrays)
        y.backward()
        return y, arrays[0].grad
    for hybridized in (False, True):
        same(lambda A, hybridized=hybridized: program(A, hybridized))


@pytest.mark.parametrize("name", ["Accuracy", "TopKAccuracy", "Perplexity", "MAE", "MSE", "RMSE", "CrossEntropy",
                                  "NegativeLogLikelihood", "PearsonCorrelation", "PCC", "Loss", "F1", "MCC"])
def test_metrics(name):
    options = {"TopKAccuracy": {"top_k": 2}, "Perplexity": {"ignore_label": None}}.get(name, {})
    chances = TARGETS / TARGETS.sum(1, keepdims=True)

    def program(A):
        metric = getattr(mx.metric, name)(**options)
        labels, outputs = (chances, TARGETS) if name in ("MAE", "MSE", "RMSE", "PearsonCorrelation") else (
            CLASSES % 2, chances[:, :2].copy()) if name in ("F1", "MCC") else (CLASSES, chances)
        metric.update([A(labels)], [A(outputs)])
        metric.update(A(labels), A(outputs))
        return metric.get()[1]
    same(program)


@pytest.mark.parametrize("name", ["Zero", "One", "Uniform", "Normal", "Orthogonal", "Xavier", "MSRAPrelu"])
def test_initializers(name):
    def program(A):
        weight = A(onp.zeros((4, 4), "float32"))
        getattr(mx.init, name)()(mx.init.InitDesc("w_weight"), weight)
        return weight
    same(program)
    constant = onp.arange(6.0, dtype="float32").reshape(3, 2)

    def from_array(A):
        dense = nn.Dense(3, in_units=2, weight_initializer=mx.init.Constant(A(constant)))
        dense.initialize()
        return dense.weight.data()
    same(from_array)


@pytest.mark.parametrize("name", sorted({*mx.optimizer.Optimizer.opt_registry} - {"groupadagrad"}))
def test_optimizers(name, tmp_path):
    def program(A):
        dense = nn.Dense(1, in_units=3)
        dense.initialize(mx.init.Constant(0.1))
        trainer = gluon.Trainer(dense.collect_params(), name, {"learning_rate": 0.1})
        for _ in range(2):
            with autograd.record():
                loss = gluon.loss.L2Loss()(dense(A(SCORES)), A(TARGETS[:, :1].copy()))
            loss.backward()
            trainer.step(4)
        trainer.save_states(str(tmp_path / "states"))
        trainer.load_states(str(tmp_path / "states"))
        return dense.weight.data(), dense.bias.data()
    same(program, 1e-4)


@pytest.mark.parametrize(("name", "args", "image"), [
    ("ToTensor", (), IMAGE), ("Cast", ("float32",), IMAGE), ("Normalize", ((0.1, 0.2, 0.3), 0.5), CHANNELS),
    ("Resize", (6,), IMAGE), ("CenterCrop", (6,), IMAGE), ("CropResize", (1, 1, 5, 5, (4, 4), 1), IMAGE),
    ("RandomCrop", ((6, 6), 2), IMAGE), ("RandomResizedCrop", (6,), IMAGE), ("RandomFlipLeftRight", (), IMAGE),
    ("RandomColorJitter", (0.1, 0.1, 0.1, 0.1), IMAGE), ("RandomGray", (1.0,), IMAGE), ("Rotate", (30,), CHANNELS)])
def test_transforms(name, args, image):
    same(lambda A: [getattr(transforms, name)(*args)(x) for x in (A(image), image)], 1e-3)


@pytest.mark.parametrize(("workers", "threads"), [(0, False), (1, False), (2, True)])
def test_loaders(workers, threads):
    def program(A):
        data = gluon.data.ArrayDataset(A(SCORES), A(CLASSES)).transform(lambda x, y: (x * 2, y + 1))
        return [list(batch) for batch in gluon.data.DataLoader(data, 3, num_workers=workers, thread_pool=threads)]
    same(program)


def test_iterators():
    for last in ("pad", "discard", "roll_over"):
        same(lambda A, last=last: [batch.data + batch.label for batch in mx.io.NDArrayIter(
            A(SCORES), A(CLASSES), 3, last_batch_handle=last)])


def test_utils():
    devices = [mx.cpu(0), mx.cpu(1)]
    same(lambda A: gluon.utils.split_and_load(SCORES, devices))
    same(lambda A: gluon.utils.split_data(A(SCORES), 3, even_split=False))

    def program(A):
        arrays = [A(SCORES), A(TARGETS)]
        return gluon.utils.clip_global_norm(arrays, 0.5), arrays
    same(program)


def test_an_estimator(tmp_path):
    logging.disable(logging.CRITICAL)

    def program(A):
        net = nn.HybridSequential()
        net.add(nn.Dense(8, activation="relu"), nn.Dense(3))
        net.initialize(mx.init.Constant(0.1), ctx=[mx.cpu(0), mx.cpu(1)])
        trained = estimator.Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), train_metrics=mx.metric.Accuracy(),
                                      trainer=gluon.Trainer(net.collect_params(), "sgd"),
                                      context=[mx.cpu(0), mx.cpu(1)])
        loader = gluon.data.DataLoader(gluon.data.ArrayDataset(A(SCORES), A(CLASSES)), 2)
        saver = estimator.CheckpointHandler(str(tmp_path), "net", monitor=trained.train_metrics[0], save_best=True)
        trained.fit(loader, loader, epochs=2, event_handlers=[saver])
        return net[0].weight.data(mx.cpu(0)), trained.train_metrics[0].get()[1]
    try:
        same(program, 1e-4)
    finally:
        logging.disable(logging.NOTSET)


class _Square(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], 2 * in_data[0] * out_grad[0])


@mx.operator.register("np_square")
class _SquareProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, shapes, dtypes):
        return _Square()


def test_an_operator_of_the_program():
    def program(A):
        x = A(SCORES)
        x.attach_grad()
        with autograd.record():
            y = nd.Custom(x, op_type="np_square")
        y.backward()
        return y, x.grad
    same(program)


def test_a_sparse_gradient_stays_sparse():
    npx.set_np()
    try:
        embedding = nn.Embedding(5, 3, sparse_grad=True)
        embedding.initialize()
        with autograd.record():
            y = embedding(np.array([[0, 2]]))
        y.backward()
        assert embedding.weight.list_grad()[0].stype == "row_sparse"
    finally:
        npx.reset_np()


def test_a_net_of_the_model_zoo():
    images = RNG.uniform(0, 1, (1, 3, 32, 32)).astype("float32")

    def program(A):
        net = gluon.model_zoo.vision.mobilenet0_25(classes=5)
        net.initialize(mx.init.Xavier())
        net.hybridize()
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
        with autograd.record():
            loss = gluon.loss.SoftmaxCrossEntropyLoss()(net(A(images)), A(CLASSES[:1]))
        loss.backward()
        trainer.step(1)
        return loss, net(A(images))
    same(program, 1e-3)
