"""`mx.np_shape`: the switch itself, and what it changes. The numbers are those of MXNet 1.9.1."""

import json
import threading

import numpy as np
import pytest
from helpers.errors import message

import minigluon as mx
from minigluon import MXNetError, autograd, gluon, nd, sym

pytestmark = pytest.mark.once


@pytest.fixture
def on():
    with mx.np_shape():
        yield


# -- the switch -------------------------------------------------------------------------------------------------------


def test_it_is_off_at_first_and_says_what_it_was():
    assert mx.is_np_shape() is False
    assert [mx.set_np_shape(active) for active in (True, False, 1, 0)] == [False, True, False, True]
    assert mx.is_np_shape() is False
    for name in ("np_shape", "set_np_shape", "use_np_shape", "is_np_shape"):
        assert getattr(mx, name) is getattr(mx.util, name)
    mx.util.set_np(shape=True, array=False)
    assert mx.is_np_shape()
    mx.util.reset_np()
    assert not mx.is_np_shape()


def test_a_block_leaves_it_as_it_was():
    with mx.np_shape():
        with mx.np_shape(False):
            assert not mx.is_np_shape()
        assert mx.is_np_shape()
    with pytest.raises(KeyError), mx.np_shape():
        raise KeyError
    assert not mx.is_np_shape()
    twice = mx.np_shape()
    with twice, twice:
        pass
    assert not mx.is_np_shape()


def test_each_thread_has_its_own(on):
    seen = []
    thread = threading.Thread(target=lambda: seen.append(mx.is_np_shape()))
    thread.start()
    thread.join()
    assert seen == [False]
    assert mx.is_np_shape()


def test_a_decorated_function():
    @mx.use_np_shape
    def asked(x, *, more=0):
        "What it says."
        return mx.is_np_shape(), x, more

    assert asked(3, more=4) == (True, 3, 4)
    assert (asked.__name__, asked.__doc__) == ("asked", "What it says.")
    assert not mx.is_np_shape()
    assert message(TypeError, mx.use_np_shape, 3) == "use_np_shape decorates functions and classes, found int 3"


def test_a_decorated_class():
    class Base:
        def inherited(self):
            return mx.is_np_shape()

    @mx.use_np_shape
    class Asked(Base):
        "What it says."
        number = 3

        def __init__(self):
            self.made, self.told = mx.is_np_shape(), None

        def method(self):
            return mx.is_np_shape()

        @staticmethod
        def static():
            return mx.is_np_shape()

        @classmethod
        def of_class(cls):
            return cls is Asked and mx.is_np_shape()

        @property
        def attribute(self):
            "An attribute."
            return mx.is_np_shape()

        @attribute.setter
        def attribute(self, value):
            self.told = value, mx.is_np_shape()

    asked = Asked()
    asked.attribute = 5
    assert asked.made
    assert asked.told == (5, True)
    assert asked.method()
    assert asked.inherited()
    assert asked.static()
    assert Asked.of_class()
    assert asked.attribute
    assert (Asked.__name__, Asked.__doc__, Asked.number, Asked.attribute.__doc__) == (
        "Asked", "What it says.", 3, "An attribute.")
    assert not Base().inherited()


# -- unknown shapes ---------------------------------------------------------------------------------------------------


X = sym.var("x")


def test_unknown_lengths_are_minus_one_and_0_is_a_length(on):
    assert sym.transpose(X, axes=(2, 1, 0)).infer_shape_partial(x=(-1, 3, 8)) == ([(-1, 3, 8)], [(8, 3, -1)], [])
    assert sym.relu(X).infer_shape_partial() == ([None], [None], [])
    assert sym.relu(X).infer_shape(x=(0, 3)) == ([(0, 3)], [(0, 3)], [])
    assert sym.relu(X).infer_shape(x=()) == ([()], [()], [])
    conv = sym.Convolution(X, num_filter=64, kernel=(7, 7), name="conv")
    assert conv.infer_shape_partial(x=(-1, -1, 28, 28)) == (
        [(-1, -1, 28, 28), (64, -1, 7, 7), (64,)], [(-1, 64, 22, 22)], [])
    with pytest.warns(UserWarning, match="^the shapes of x do not follow from the given ones$"):
        assert sym.relu(X).infer_shape(x=(-1, 3)) == (None, None, None)


def test_declared_shapes(on):
    assert sym.var("v", shape=(0, 3)).infer_shape() == ([(0, 3)], [(0, 3)], [])
    unknown = sym.var("v", shape=(-1, 3))
    assert unknown.list_attr() == {"__shape__": "(-1, 3)"}
    assert sym.relu(unknown).infer_shape_partial() == ([(-1, 3)], [(-1, 3)], [])
    assert sym.relu(sym.var("v", shape=())).infer_shape() == ([()], [()], [])


def test_arrays_that_a_graph_makes(on):
    assert (sym.zeros(shape=(-1, 3)) + X).infer_shape(x=(2, 3)) == ([(2, 3)], [(2, 3)], [])
    assert sym.zeros(shape=()).infer_shape() == ([], [()], [])
    with pytest.raises(MXNetError, match="^broadcast_add: shapes \\(0, 3\\) of lhs and \\(2, 3\\)"):
        (sym.zeros(shape=(0, 3)) + X).infer_shape(x=(2, 3))


def test_executors(on):
    assert sym.relu(X).simple_bind(mx.cpu(), x=(0, 3)).forward()[0].shape == (0, 3)
    assert sym.relu(X).simple_bind(mx.cpu(), x=()).forward()[0].shape == ()


def test_parameters():
    net = gluon.nn.Dense(3)
    assert net.weight.shape == (3, 0)
    with mx.np_shape():
        assert net.weight.shape == (3, -1)
        assert str(net.weight).endswith("(shape=(3, -1), dtype=float32)")
        net.initialize()
        assert net(nd.ones((2, 5))).shape == (2, 3)
        assert net.weight.shape == (3, 5)
        assert net(nd.ones((0, 5))).shape == (0, 3)
    shapes = None, (), (0, 2), (-1, 2)
    assert [gluon.utils.shape_is_known(shape) for shape in shapes] == [False] * 4
    with mx.np_shape():
        assert [gluon.utils.shape_is_known(shape) for shape in shapes] == [False, True, True, False]


@pytest.mark.parametrize("hybridize", [False, True])
def test_layers_train(on, hybridize):
    """MXNet cannot make a convolution that does not know its channels yet."""
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Conv2D(3, 3), gluon.nn.BatchNorm(), gluon.nn.Flatten(), gluon.nn.Dense(2))
    layer = gluon.rnn.LSTM(4)
    for block, x, shape in (net, nd.ones((2, 1, 5, 5)), (2, 2)), (layer, nd.ones((3, 2, 5)), (3, 2, 4)):
        block.initialize()
        if hybridize:
            block.hybridize()
        with autograd.record():
            y = block(x)
        y.backward()
        assert y.shape == shape
        gluon.Trainer(block.collect_params(), "sgd").step(2)


# -- arrays -----------------------------------------------------------------------------------------------------------


def test_elements_are_numbers(on):
    x = nd.array([[1, 2], [3, 4], [5, 6]])
    shapes = [part.shape for part in (x[0, 0], x[0][1], x[-1, -1], x[np.int64(0), 1], x[0], x[1:1])]
    assert shapes == [(), (), (), (), (2,), (0, 2)]
    assert [float(number.asscalar()) for number in x[1]] == [3, 4]
    assert [number.shape for number in x[1]] == [(), ()]
    assert x[0].sum().shape == nd.ones(()).sum().shape == (1,)
    assert nd.take(x[0], nd.zeros(())).shape == ()
    assert nd.ones(())[()].shape == ()


def test_elements_that_are_numbers_are_written_and_differentiated(on):
    x = nd.array([1, 2, 3])
    x[1] = nd.array(7)
    x[0] = 5
    x[2][()] = 4
    assert x.asnumpy().tolist() == [5, 7, 4]
    x.attach_grad()
    with autograd.record():
        y = x[1] * x[0]
    assert y.shape == ()
    y.backward()
    assert x.grad.asnumpy().tolist() == [7, 5, 0]


def test_without_it_elements_keep_an_axis():
    x = nd.array([[1, 2], [3, 4]])
    assert [part.shape for part in (x[0, 0], x[0][1], x[-1, -1])] == [(1,)] * 3


def test_arrays_without_elements(on):
    assert (nd.zeros(()).shape, nd.ones((0, 2)).shape) == ((), (0, 2))
    assert nd.concat(nd.ones((0, 2)), nd.ones((3, 2)), dim=0).shape == (3, 2)
    assert nd.one_hot(nd.zeros((0,)), 4).shape == (0, 4)
    assert nd.contrib.boolean_mask(nd.ones((3, 2)), nd.zeros((3,))).shape == (0, 2)
    for call in (lambda: nd.min(nd.zeros((0,))), lambda: nd.max(nd.zeros((0, 2)), axis=0)):
        with pytest.raises(MXNetError, match="has no element"):
            call()


# -- files ------------------------------------------------------------------------------------------------------------


def test_symbol_files_say_it():
    plain = sym.relu(sym.var("v", shape=(0, 3)))
    off = plain.tojson()
    assert json.loads(off)["attrs"] == {"mxnet_version": ["int", 10901]}
    with mx.np_shape():
        written = sym.relu(sym.var("v", shape=(-1, 0))).tojson()
        assert json.loads(written)["attrs"] == {"is_np_shape": ["int", 1], "mxnet_version": ["int", 10901]}
        assert list(json.loads(written)["attrs"])[0] == "is_np_shape"
        assert sym.load_json(written).infer_shape_partial() == ([(-1, 0)], [(-1, 0)], [])
        assert sym.load_json(written).tojson() == written
        # Without the key 0 is unknown.
        assert sym.load_json(off).infer_shape_partial() == ([(-1, 3)], [(-1, 3)], [])
        assert json.loads(plain.tojson())["nodes"][0]["attrs"] == {"__shape__": "(-1, 3)"}
    assert sym.load_json(written).infer_shape_partial() == ([(0, 0)], [(0, 0)], [])
    assert plain.tojson() == off


def test_a_damaged_switch_in_a_symbol_file():
    text = sym.relu(X).tojson().replace('"mxnet_version"', '"is_np_shape": ["int", "on"], "mxnet_version"')
    assert message(MXNetError, sym.load_json, text) == (
        'the JSON text is not a readable symbol, at the top level: is_np_shape is ["int", "on"], expected '
        '["int", 1] or another number.')


ARRAYS = [np.ones((2, 0, 1)), np.zeros((0,)), np.array(3.0), np.ones((2, 1))]


@pytest.mark.parametrize("active", [False, True])
def test_files_of_arrays_come_back_in_the_same_position(tmp_path, active):
    with mx.np_shape(active):
        nd.save(tmp_path / "x", [nd.array(a) for a in ARRAYS])
        assert [x.shape for x in nd.load(tmp_path / "x")] == [a.shape for a in ARRAYS]
        assert [x.shape for x in nd.load_frombuffer((tmp_path / "x").read_bytes())] == [a.shape for a in ARRAYS]
    with mx.np_shape(not active), pytest.raises(MXNetError) as error:
        nd.load(tmp_path / "x")
    assert str(error.value) == (
        f"{tmp_path / 'x'}: array 0 of 4 has shape (2, 0, 1) and was written with mx.np_shape({active}), under which 0 "
        f"means something else. Read it `with mx.np_shape({active}):`.")


def test_files_of_other_arrays_are_read_in_both_positions(tmp_path):
    """MXNet refuses all of them."""
    for active, word in ((False, b"\xc9\xfa\x93\xf9"), (True, b"\xca\xfa\x93\xf9")):
        with mx.np_shape(active):
            nd.save(tmp_path / "x", {"a": nd.ones((2,))})
        assert (tmp_path / "x").read_bytes()[24:28] == word
        with mx.np_shape(not active):
            assert nd.load(tmp_path / "x")["a"].shape == (2,)
