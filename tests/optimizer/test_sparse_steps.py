"""Steps with row_sparse gradients: the weights of MXNet 1.9.1 after two of them, and rows that stay untouched."""

import numpy as np
import pytest
from helpers.errors import error_of

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.base import ArgumentError, MXNetError

pytestmark = pytest.mark.once

W = np.arange(1, 11, dtype="float32").reshape(5, 2) / 10
STEPS = [        # optimizer, its options, rows 0 to 4 of the weight
    ("sgd", {"wd": 0.1}, [[-0.10099, -0.20198], [0.3, 0.4], [0.49005, 0.58806], [1.28307, 0.68458], [0.9, 1.0]]),
    ("sgd", {"wd": 0.1, "lazy_update": False},
     [[-0.10099, -0.20198], [0.29403, 0.39204], [0.49005, 0.58806], [1.28307, 0.68458], [0.88209, 0.9801]]),
    ("sgd", {"wd": 0.1, "momentum": 0.9},
     [[-0.19189, -0.38378], [0.3, 0.4], [0.48555, 0.58266], [1.54677, 0.63238], [0.9, 1.0]]),
    ("sgd", {"wd": 0.1, "momentum": 0.9, "lazy_update": False},
     [[-0.19189, -0.38378], [0.29133, 0.38844], [0.48555, 0.58266], [1.54677, 0.63238], [0.87399, 0.9711]]),
    ("adam", {"wd": 0.1}, [[-0.099974, 0.000012], [0.3, 0.4], [0.301187, 0.400882], [0.899992, 0.600048], [0.9, 1.0]]),
    ("adam", {"wd": 0.1, "lazy_update": False},
     [[-0.099974, 0.000012], [0.102965, 0.201743], [0.301187, 0.400882], [0.899992, 0.600048], [0.700478, 0.800411]]),
    ("adam", {"clip_gradient": 0.5}, [[-0.1, 0], [0.3, 0.4], [0.5, 0.6], [0.9, 0.6], [0.9, 1.0]]),
    ("adagrad", {}, [[-0.070711, 0.029289], [0.3, 0.4], [0.5, 0.6], [0.870711, 0.629289], [0.9, 1.0]]),
    ("groupadagrad", {}, [[-0.007967, -0.015933], [0.3, 0.4], [0.5, 0.6], [0.938136, 0.760311], [0.9, 1.0]]),
    ("rmsprop", {}, [[-0.445643, -0.345644], [0.3, 0.4], [0.5, 0.6], [1.245643, 0.254357], [0.9, 1.0]]),
    ("nag", {"momentum": 0.9}, [[-0.361, -0.722], [0.3, 0.4], [0.5, 0.6], [2.083, 0.5695], [0.9, 1.0]]),
]
FTRL = {"default": [[-0.040838, 0.014008], [0, 0], [0, 0], [0.655369, 0.202007], [0, 0]],
        "row_sparse": [[-0.040838, 0.014008], [0.3, 0.4], [0, 0], [0.655369, 0.202007], [0.9, 1.0]]}


def gradient():
    return nd.sparse.row_sparse_array(([[1, 2], [0, 0], [-3, .5]], [0, 2, 3]), shape=(5, 2))


def stepped(name, options, stype):
    optimizer, weight = mx.optimizer.create(name, learning_rate=0.1, **options), nd.array(W).tostype(stype)
    state = optimizer.create_state(0, weight)
    for _ in range(2):
        optimizer.update(0, weight, gradient(), state)
    assert weight.stype == stype
    return weight.asnumpy()


@pytest.mark.parametrize("stype", ["default", "row_sparse"])
@pytest.mark.parametrize(("name", "options", "expected"), STEPS, ids=range(len(STEPS)))
def test_steps(name, options, expected, stype):
    np.testing.assert_allclose(stepped(name, options, stype), expected, rtol=1e-5, atol=5e-6)


@pytest.mark.parametrize("stype", ["default", "row_sparse"])
def test_ftrl_is_lazy_for_row_sparse_weights_alone(stype):
    np.testing.assert_allclose(stepped("ftrl", {"wd": 0.1}, stype), FTRL[stype], rtol=1e-5, atol=1e-6)


def test_adagrad_takes_no_decay():
    assert error_of(lambda: stepped("adagrad", {"wd": 0.1}, "default"), ArgumentError) == (
        "_sparse_adagrad_update: with a row_sparse gradient there is no weight decay, as the rows that it lacks keep "
        "their values. Set wd=0, found 0.1.")


def test_an_updater_steps_all_kinds_together():
    updater = mx.optimizer.get_updater(mx.optimizer.create("adam", learning_rate=0.1))
    weights = [nd.array(W), nd.array(W).tostype("row_sparse"), nd.array(W)]
    for _ in range(2):
        updater([0, 1, 2], [gradient(), gradient(), gradient().tostype("default")], weights)
    assert weights[0].asnumpy().tolist() == weights[1].asnumpy().tolist() == weights[2].asnumpy().tolist()


# -- stores -----------------------------------------------------------------------------------------------------------


def test_row_sparse_pull():
    store, out = mx.kv.create("local"), nd.sparse.zeros("row_sparse", (5, 2))
    store.init("w", nd.array(W).tostype("row_sparse"))
    store.row_sparse_pull("w", out=out, row_ids=nd.array([3, 1, 3]))
    assert (out.indices.asnumpy().tolist(), out.data.asnumpy().tolist()) == ([1, 3], W[[1, 3]].tolist())
    store.row_sparse_pull("w", out=out, row_ids=nd.array([[1, 2], [0, 1]]))
    assert out.indices.asnumpy().tolist() == [0, 1, 2]
    before = out.asnumpy().tolist()
    store.push("w", gradient())
    store.pull("w", out=out)
    assert out.asnumpy().tolist() == before
    store.pull("w", out=out, ignore_sparse=False)
    assert out.asnumpy().tolist() == gradient().asnumpy().tolist()


def test_a_store_that_steps():
    store, outs = mx.kv.create("local"), [nd.sparse.zeros("row_sparse", (5, 2)) for _ in range(2)]
    store.init("w", nd.array(W).tostype("row_sparse"))
    store.set_optimizer(mx.optimizer.SGD(learning_rate=0.1))
    store.push("w", [gradient(), gradient()])
    store.row_sparse_pull("w", out=outs, row_ids=[nd.array([0, 1]), nd.array([3])])
    np.testing.assert_allclose(outs[0].data.asnumpy(), [[-0.1, -0.2], [0.3, 0.4]], rtol=1e-6)
    np.testing.assert_allclose(outs[1].data.asnumpy(), [[1.3, 0.7]], rtol=1e-6)


# -- Gluon ------------------------------------------------------------------------------------------------------------


class Summed(gluon.Block):
    def __init__(self, embedding, **kwargs):
        super().__init__(**kwargs)
        self.embedding, self.out = embedding, gluon.nn.Dense(1)

    def forward(self, x):
        return self.out(self.embedding(x).sum(axis=1))


@pytest.mark.parametrize("make", [gluon.contrib.nn.SparseEmbedding, lambda *sizes: gluon.nn.Embedding(
    *sizes, sparse_grad=True)])
def test_embeddings(make, tmp_path):
    """The losses are MXNet's."""
    net = Summed(make(10, 4))
    net.initialize(mx.init.One())
    trainer, losses = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9}), []
    for _ in range(3):
        with autograd.record():
            value = (net(nd.array([[1, 2], [3, 1]])) ** 2).sum()
        value.backward()
        trainer.step(2)
        losses.append(value.asscalar())
    np.testing.assert_allclose(losses, [128, 7.3728032, 972.52789], rtol=1e-5)
    weight = net.embedding.weight
    assert (weight.grad().stype, weight.grad().indices.asnumpy().tolist()) == ("row_sparse", [1, 2, 3])
    assert weight.data().asnumpy()[[0, 4, 9]].tolist() == np.ones((3, 4)).tolist()
    net.save_parameters(str(tmp_path / "x.params"))
    assert nd.load(str(tmp_path / "x.params"))["embedding.weight"].stype == weight.stype
    other = Summed(make(10, 4))
    other.load_parameters(str(tmp_path / "x.params"))
    assert (other(nd.array([[1, 9]])) == net(nd.array([[1, 9]]))).asscalar()


def test_a_row_sparse_parameter():
    p = gluon.Parameter("w", shape=(4, 2), stype="row_sparse", grad_stype="row_sparse", init=mx.init.Zero())
    p.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    p.set_data(nd.array([[0, 0], [1, 2], [0, 0], [3, 4]]))
    assert p.data(mx.cpu(0)).indices.asnumpy().tolist() == [0, 1, 2, 3]         # rows of zeros, too
    rows = p.row_sparse_data(nd.array([3, 0], ctx=mx.cpu(1)))
    assert (rows.stype, rows.context, rows.indices.asnumpy().tolist()) == ("row_sparse", mx.cpu(1), [0, 3])
    assert [x.context for x in p.list_row_sparse_data(nd.array([1]))] == [mx.cpu(0), mx.cpu(1)]
    with autograd.record():
        y = (p.row_sparse_data(nd.array([3, 0])) * 2).sum()
    y.backward()
    assert p.grad(mx.cpu(0)).indices.asnumpy().tolist() == [0, 3]
    p.zero_grad()
    assert p.grad(mx.cpu(0)).data.shape == (0, 2)


# -- executors --------------------------------------------------------------------------------------------------------


def product(stype):
    return mx.sym.dot(mx.sym.var("x", stype="csr"), mx.sym.var("w", stype=stype))


@pytest.mark.parametrize("stype", ["default", "row_sparse"])
def test_executors_have_the_storage_that_variables_declare(stype):
    executor = product(stype).simple_bind(mx.cpu(), x=(2, 5), w=(5, 2), grad_req={"w": "write"})
    assert [x.stype for x in (*executor.arg_arrays, executor.grad_dict["w"])] == ["csr", stype, "row_sparse"]
    executor.copy_params_from({"w": nd.array(W)})
    x = nd.sparse.csr_matrix(([2, 3], [1, 4], [0, 1, 2]), shape=(2, 5))
    assert executor.forward(is_train=True, x=x)[0].asnumpy().tolist() == nd.dot(x, nd.array(W)).asnumpy().tolist()
    executor.backward(nd.ones((2, 2)))
    grad = executor.grad_dict["w"]
    assert (grad.indices.asnumpy().tolist(), grad.data.asnumpy().tolist()) == ([1, 4], [[2, 2], [3, 3]])
    smaller = executor.reshape(x=(1, 5), w=(5, 2))
    assert smaller.forward(x=x[1:2])[0].asnumpy().tolist() == nd.dot(x, nd.array(W)).asnumpy()[1:].tolist()


def test_storage_that_is_given_or_unknown():
    net = mx.sym.var("x") * 2
    assert net.simple_bind(mx.cpu(), x=(2, 4), stype_dict={"x": "csr"}).arg_arrays[0].stype == "csr"
    assert error_of(lambda: net.simple_bind(mx.cpu(), x=(2, 4), stype_dict={"x": "coo"}), MXNetError) == (
        "simple_bind: stype_dict has 'coo' for 'x', expected one of 'default', 'row_sparse', 'csr'")
    assert error_of(lambda: mx.sym.var("x", stype="coo"), ArgumentError) == (
        "variable 'x': stype is 'coo', expected one of 'default', 'row_sparse', 'csr'")
    assert [mx.sym.var("x", stype=s).attr("__storage_type__") for s in ("default", "row_sparse", "csr")] == [
        "0", "1", "2"]


def test_a_hybridized_block_of_sparse_arrays():
    """Each storage has a trace of its own."""
    net = gluon.nn.HybridLambda("dot")
    net.hybridize()
    x, w = nd.sparse.csr_matrix(([2, 3], [1, 4], [0, 1, 2]), shape=(2, 5)), nd.array(W)
    w.attach_grad(stype="row_sparse")
    for data, rows in ((x, [1, 4]), (x.tostype("default"), [1, 4]), (x, [1, 4])):
        with autograd.record():
            y = net(data, w)
        y.backward()
        assert y.asnumpy().tolist() == nd.dot(x, w).asnumpy().tolist()
        assert w.grad.indices.asnumpy().tolist() == rows
