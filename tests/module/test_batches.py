"""What a module takes for a batch, and one module for batches of several lengths."""

from collections import namedtuple

import numpy as np
import pytest

import minigluon as mx
from minigluon import nd
from minigluon.io import DataBatch

DATA, LABEL = [("data", (4, 3))], [("softmax_label", (4,))]
Data = namedtuple("Data", "data")
Keyed = namedtuple("Keyed", "data bucket_key")
Labelled = namedtuple("Labelled", "data label")


def graph():
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc"), name="softmax")


def bound(symbol, label_shapes, **options):
    mod = mx.mod.Module(symbol, label_names=[name for name, _ in label_shapes or []])
    mod.bind(DATA, label_shapes, **options)
    mod.init_params(arg_params={"fc_weight": nd.array([[1, 2, 3], [-1, 0, 1]]), "fc_bias": nd.array([0, 1])})
    return mod


def inputs(size):
    numbers = np.random.RandomState(size)
    return [nd.array(numbers.randn(size, 3))], [nd.array(numbers.randint(0, 2, size))]


def pairs():
    """One module for each of the two: what a program made itself, and a DataBatch."""
    return (bound(graph(), LABEL), Labelled), (bound(graph(), LABEL), DataBatch)


@pytest.mark.parametrize(("symbol", "label_shapes"), [(graph(), LABEL), (graph().get_children()[0], None)],
                         ids=["with a label", "without"])
def test_a_batch_is_whatever_has_data(symbol, label_shapes):
    mod = bound(symbol, label_shapes, for_training=False)
    for size in (4, 2, 6):
        data, _ = inputs(size)
        mod.forward(Data(data))
        found = mod.get_outputs()[0].asnumpy()
        assert mod.data_shapes[0].shape == (size, 3)
        mod.forward(DataBatch(data))
        assert found.shape == (size, 2)
        np.testing.assert_array_equal(found, mod.get_outputs()[0].asnumpy())


def test_such_a_batch_may_have_labels_and_trains():
    weights = []
    for module, kind in pairs():
        module.init_optimizer(optimizer_params={"learning_rate": 0.3})
        for size in (4, 2):
            module.forward_backward(kind(*inputs(size)))
            module.update()
        assert module.label_shapes[0].shape == (2,)
        weights.append(module.get_params()[0]["fc_weight"].asnumpy())
    np.testing.assert_array_equal(*weights)


def test_a_batch_may_say_its_shape_in_a_pair_and_leave_the_labels_out():
    mod = bound(graph(), LABEL)
    mod.forward(DataBatch([nd.ones((5, 3))], provide_data=[("data", (5, 3))]))
    assert mod.get_outputs()[0].shape == (5, 2)


def test_a_batch_without_a_list_is_refused():
    with pytest.raises(mx.MXNetError, match=r"^DataBatch: data must be a list of NDArrays, found NDArray. Write "
                                            r"data=\[array\].$"):
        bound(graph(), LABEL).forward(Data(nd.ones((4, 3))))


def test_a_chain_and_buckets_take_such_batches():
    chain = mx.mod.SequentialModule()
    first = mx.mod.Module(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="first"), label_names=None)
    chain.add(first).add(mx.mod.Module(graph()), take_labels=True, auto_wiring=True)
    chain.bind(DATA, LABEL)
    chain.init_params()
    chain.forward(Data([nd.ones((4, 3))]), is_train=False)
    assert chain.get_outputs()[0].shape == (4, 2)
    buckets = bucketing()
    buckets.forward(Keyed([nd.ones((2, 10, 4))], 10), is_train=False)
    assert buckets.get_outputs()[0].shape == (2, 2)


# -- buckets --------------------------------------------------------------------------------------------------------


def bucketing():
    """Of two layers without names."""
    def sym_gen(key):
        hidden = mx.sym.FullyConnected(mx.sym.mean(mx.sym.var("data"), axis=1), num_hidden=3)
        scores = mx.sym.FullyConnected(hidden, num_hidden=2)
        return mx.sym.SoftmaxOutput(scores, mx.sym.var("softmax_label"), name="softmax"), ["data"], ["softmax_label"]
    mod = mx.mod.BucketingModule(sym_gen, 10)
    mod.bind([("data", (2, 10, 4))], [("softmax_label", (2,))])
    mod.init_params(arg_params={
        "fullyconnected0_weight": nd.arange(12).reshape((3, 4)) / 10, "fullyconnected0_bias": nd.zeros(3),
        "fullyconnected1_weight": nd.array([[1, 0, -1], [0.5, -0.5, 0.25]]), "fullyconnected1_bias": nd.zeros(2)},
        aux_params={})
    return mod


def test_layers_without_names_are_the_same_in_all_buckets():
    """The numbers are those of MXNet 1.9.1."""
    mod, outputs = bucketing(), []
    mod.init_optimizer(optimizer_params={"learning_rate": 0.5})
    for length in (10, 5, 10, 5):
        data = nd.arange(2 * length * 4).reshape((2, length, 4)) / 50
        mod.forward_backward(DataBatch([data], [nd.array([0, 1])], bucket_key=length,
                                       provide_data=[("data", data.shape)], provide_label=[("softmax_label", (2,))]))
        assert mod.symbol.list_arguments()[1] == "fullyconnected0_weight"
        outputs.append(mod.get_outputs()[0].asnumpy().ravel())
        mod.update()
    np.testing.assert_allclose(outputs, [
        [0.212654, 0.787346, 0.018182, 0.981818], [0.66451, 0.33549, 0.658262, 0.341738],
        [0.302092, 0.697908, 0.028219, 0.971781], [0.696997, 0.303003, 0.604753, 0.395247]], atol=2e-6)
    np.testing.assert_allclose(mod.get_params()[0]["fullyconnected1_bias"].asnumpy(), [0.203583, -0.203583], atol=2e-6)


def test_names_outside_count_on():
    with mx.name.NameManager():
        first = mx.sym.relu(mx.sym.var("x")).name
        bucketing()
        assert [first, mx.sym.relu(mx.sym.var("x")).name] == ["relu0", "relu1"]
