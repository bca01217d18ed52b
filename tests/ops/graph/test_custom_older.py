"""mx.operator.NumpyOp and NDArrayOp: the classes for operators in Python that CustomOp has replaced.

MXNet 1.9.1 ends with a segmentation fault when it infers a shape of one. Names are those that it gives before that;
the rest follows from what the classes promise.
"""

import warnings

import numpy as np
import pytest
from helpers.errors import error_of

import minigluon as mx
from minigluon import nd, sym
from minigluon.ops.graph.custom import PROPS

KINDS = {"_native": (mx.operator.NumpyOp, np.ndarray), "_ndarray": (mx.operator.NDArrayOp, nd.NDArray)}


@pytest.fixture(autouse=True)
def registered():
    before = dict(PROPS)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*are deprecated. Write a CustomOp")
        yield
    PROPS.clear()
    PROPS.update(before)


def softmax_of(base):
    """A loss of scores and labels, which keeps the types of the arrays that it was given."""
    class Softmax(base):
        def __init__(self):
            super().__init__(need_top_grad=False)
            self.types, self.heads = set(), []

        def list_arguments(self):
            return ["data", "label"]

        def infer_shape(self, in_shape):
            return [in_shape[0], (in_shape[0][0],)], [in_shape[0]]

        def forward(self, in_data, out_data):
            self.types.update(map(type, (*in_data, *out_data)))
            powers = 2 ** in_data[0]
            out_data[0][:] = powers / powers.sum(axis=1).reshape((-1, 1))

        def backward(self, out_grad, in_data, out_data, in_grad):
            self.types.update(map(type, (*in_data, *out_data, *in_grad)))
            self.heads.append(len(out_grad))
            in_grad[0][:] = out_data[0]
            for row, label in enumerate(in_data[1]):
                in_grad[0][row, int(label.item() if hasattr(label, "item") else label.asscalar())] -= 1

    return Softmax()


@pytest.mark.parametrize("hint", KINDS)
def test_a_loss(hint):
    base, array_type = KINDS[hint]
    softmax = softmax_of(base)
    graph = softmax(data=sym.var("x"), name="softmax")
    assert graph.list_arguments() == ["x", "softmax_label"]
    assert graph.list_outputs() == ["softmax_output"]
    assert graph.infer_shape(x=(2, 3))[:2] == ([(2, 3), (2,)], [(2, 3)])
    with mx.name.NameManager():
        assert softmax.get_symbol(sym.var("x")).list_arguments() == ["x", f"{hint}0_label"]
    executor = graph.simple_bind(mx.cpu(), x=(2, 3))
    executor.arg_dict["x"][:] = np.array([[0, 1, 0], [2, 0, 0]])
    executor.arg_dict["softmax_label"][:] = np.array([1, 2])
    y = executor.forward(is_train=True)[0].asnumpy()
    np.testing.assert_allclose(y, [[0.25, 0.5, 0.25], [4 / 6, 1 / 6, 1 / 6]], rtol=1e-6)
    executor.backward()
    np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), y - [[0, 1, 0], [0, 0, 1]], rtol=1e-6)
    assert executor.grad_dict["softmax_label"].asnumpy().tolist() == [0, 0]
    assert softmax.types == {array_type}


def test_a_loss_of_numpy_arrays_gets_no_head_gradients():
    softmax = softmax_of(mx.operator.NumpyOp)
    executor = softmax(sym.var("x"), sym.var("label")).simple_bind(mx.cpu(), x=(1, 3))
    executor.forward(is_train=True)
    executor.backward(nd.ones((1, 3)))
    assert softmax.heads == [0]


@pytest.mark.parametrize("hint", KINDS)
def test_inside_a_graph(hint):
    """Two results, and head gradients; two objects of a class are two operators."""
    class Weighted(KINDS[hint][0]):
        def __init__(self, weight):
            super().__init__()
            self.weight = weight

        def list_outputs(self):
            return ["product", "square"]

        def infer_shape(self, in_shape):
            return in_shape, [in_shape[0], in_shape[0]]

        def forward(self, in_data, out_data):
            out_data[0][:] = self.weight * in_data[0]
            out_data[1][:] = in_data[0] * in_data[0]

        def backward(self, out_grad, in_data, out_data, in_grad):
            in_grad[0][:] = self.weight * out_grad[0] + 2 * in_data[0] * out_grad[1]

    two, three = Weighted(2), Weighted(3)
    x = sym.var("x")
    assert two(x, name="two").list_outputs() == ["two_product", "two_square"]
    graph = two(x)[0] * three(x + 1)[1] + three(x)[0]       # 2x (x + 1)² + 3x
    for again in graph, sym.load_json(graph.tojson()):
        executor = again.bind(mx.cpu(), {"x": nd.array([1, -2])}, {"x": nd.zeros((2,))})
        assert executor.forward(is_train=True)[0].asnumpy().tolist() == [11, -10]
        executor.backward(nd.array([1, 10]))
        assert executor.grad_dict["x"].asnumpy().tolist() == [19, 130]


@pytest.mark.parametrize("hint", KINDS)
def test_as_they_are_they_copy_and_the_gradient_is_ones(hint):
    class Plain(KINDS[hint][0]):
        pass

    block = mx.gluon.SymbolBlock(Plain()(sym.var("x"), name="plain") * 3, sym.var("x"))
    block.hybridize()
    x = nd.array([5, 6])
    x.attach_grad()
    with mx.autograd.record():
        y = block(x)
    y.backward()
    assert y.asnumpy().tolist() == [15, 18]
    assert x.grad.asnumpy().tolist() == [1, 1]


def test_arrays_that_backward_does_not_look_at_are_not_kept():
    seen = []

    class Plain(mx.operator.NDArrayOp):
        def declare_backward_dependency(self, out_grad, in_data, out_data):
            return out_grad

        def backward(self, out_grad, in_data, out_data, in_grad):
            seen.extend([*in_data, *out_data])
            in_grad[0][:] = out_grad[0]

    executor = Plain()(sym.var("x")).simple_bind(mx.cpu(), x=(2,))
    executor.forward(is_train=True)
    executor.backward(nd.ones((2,)))
    assert seen == [None, None]


def test_they_warn_and_tell_mistakes():
    class Plain(mx.operator.NumpyOp):
        def forward(self, in_data, out_data):
            raise ValueError("no")

    with pytest.warns(UserWarning, match="deprecated") as warned:
        plain = Plain()
    assert [str(w.message) for w in warned] == [
        "Plain: mx.operator.PythonOp, NumpyOp and NDArrayOp are deprecated. Write a CustomOp and a CustomOpProp "
        "instead."]
    assert warned[0].filename == __file__
    x = sym.var("x")
    assert f"forward of 'Plain#{id(plain):x}' raised ValueError: no" in error_of(lambda: plain(x).eval(x=nd.ones((1,))))
    assert error_of(lambda: plain(x, y=x)) == f"Custom: 'Plain#{id(plain):x}' has no input 'y'; it has data"
    with pytest.raises(NotImplementedError, match="PythonOp has no get_symbol: derive it from NumpyOp or NDArrayOp"):
        mx.operator.PythonOp()(x)
