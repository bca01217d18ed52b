"""mx.operator: a program's errors, requests, dependencies, files, blocks, and what cannot be differentiated.

What such operators compute, beside MXNet, is in tests/programs/custom_operators.py.
"""

import numpy as np
import pytest
from helpers.errors import error_of, unplaced

import minigluon as mx
from minigluon import autograd, gluon, nd, sym
from minigluon.base import MXNetError
from minigluon.ops.graph.custom import PROPS


class Square(mx.operator.CustomOp):
    requests = []

    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.requests.append((list(req), [x is None for x in out_data]))
        self.assign(in_grad[0], req[0], 2 * in_data[0] * out_grad[0])


class SquareProp(mx.operator.CustomOpProp):
    operator = Square

    def declare_backward_dependency(self, out_grad, in_data, out_data):
        return [*out_grad, *in_data]

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return self.operator()


@pytest.fixture(autouse=True)
def registered():
    before = dict(PROPS)
    mx.operator.register("square_in_python")(SquareProp)
    Square.requests.clear()
    yield
    PROPS.clear()
    PROPS.update(before)


def define(name, base=Square, **members):
    """An operator that differs from Square in some methods, and its registration."""
    operator = type(name, (base,), members)
    mx.operator.register(name)(type(name + "Prop", (SquareProp,), {"operator": operator}))


def square(x):
    return nd.Custom(x, op_type="square_in_python")


def test_only_what_is_declared_is_kept():
    x = nd.array([1, -3])
    x.attach_grad()
    with autograd.record():
        y = square(x)
    y[:] = 0                                # nothing that backward has declared
    y.backward(nd.array([1, 2]))
    assert x.grad.asnumpy().tolist() == [2, -12]
    assert Square.requests == [(["write"], [True])]
    with autograd.record():
        y = square(x)
    x[:] = 0
    assert "operator Custom 'square_in_python' had recorded it" in error_of(y.backward)


def test_inputs_without_a_gradient():
    class Product(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0] * in_data[1])

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            Square.requests.append(req)
            self.assign(in_grad[0], req[0], in_data[1] * out_grad[0])
            self.assign(in_grad[1], req[1], in_data[0] * out_grad[0])

    @mx.operator.register("product_in_python")
    class ProductProp(SquareProp):
        operator = Product

        def list_arguments(self):
            return ["a", "b"]

    a, b = nd.array([1, 2]), nd.array([3, 4])
    b.attach_grad()
    with autograd.record():
        y = nd.Custom(b=b, a=a, op_type="product_in_python")
    y.backward()
    assert (Square.requests, b.grad.asnumpy().tolist()) == ([["null", "write"]], [1, 2])
    assert error_of(lambda: nd.Custom(a, op_type="product_in_python")) == (
        "Custom(op_type='product_in_python') takes 2 inputs (a, b): b missing.")
    assert error_of(lambda: nd.Custom(a, b, c=a, op_type="product_in_python")) == (
        "Custom: 'product_in_python' takes the arrays a, b, but also found c")
    assert error_of(lambda: nd.Custom(a, [1], op_type="product_in_python")) == (
        "Custom: b of 'product_in_python' must be an NDArray, found list")


def test_errors_of_the_program_come_with_their_traceback():
    def fails(self, *args, **kwargs):
        raise KeyError("my table")

    define("fails_forward", forward=fails)
    define("fails_backward", backward=fails)
    x = nd.array([1])
    text = error_of(lambda: nd.Custom(x, op_type="fails_forward"))
    assert text.startswith("Custom: forward of 'fails_forward' raised KeyError: 'my table'\nTraceback (most recent")
    assert "in fails\n    raise KeyError(\"my table\")" in text
    x.attach_grad()
    with autograd.record():
        y = nd.Custom(x, op_type="fails_backward")
    assert error_of(y.backward).startswith("Custom: backward of 'fails_backward' raised KeyError: 'my table'\n")
    define("assigns", forward=lambda self, req, out_data, **_: self.assign(out_data[0], "wirte", 0))
    assert "assign: req is 'wirte', expected one of 'null', 'write', 'inplace', 'add'" in error_of(
        lambda: nd.Custom(x, op_type="assigns"))


def test_names_and_options():
    x = nd.array([1])
    assert error_of(lambda: nd.Custom(x)) == (
        "Custom: attribute op_type is missing: the name given to mx.operator.register")
    text = error_of(lambda: nd.Custom(x, op_type="square_in_pyton"))
    assert text.startswith("Custom: no operator 'square_in_pyton' is registered; there are ")
    assert " Did you mean 'square_in_python'" in text
    assert "SquareProp: unknown argument 'scale'; it has need_top_grad." in error_of(
        lambda: nd.Custom(x, op_type="square_in_python", scale=2))
    assert error_of(lambda: mx.operator.register("x")(int)) == (
        "mx.operator.register takes a class derived from CustomOpProp, found <class 'int'>")
    assert {"Custom", "FullyConnected"} <= set(mx.operator.get_all_registered_operators())
    assert mx.operator.get_operator_arguments("exp") == (1, ["data"], ["NDArray-or-Symbol"])


def test_another_operator_under_the_same_name():
    """As when a cell of a notebook is run again."""
    graph = sym.Custom(sym.var("x"), op_type="square_in_python")
    define("square_in_python", forward=lambda self, req, in_data, out_data, **_: self.assign(out_data[0], "write", 7))
    assert nd.Custom(nd.array([3]), op_type="square_in_python").asscalar() == 7
    assert graph.eval(x=nd.array([3]))[0].asscalar() == 9


def test_shapes_that_do_not_fit():
    members = {"infer_shape": lambda self, shapes: ([(2, 2)], [(2, 2)], [])}
    mx.operator.register("fixed")(type("FixedProp", (SquareProp,), members))
    assert error_of(lambda: nd.Custom(nd.ones((3,)), op_type="fixed")).startswith(
        "Custom: data has shape (3,), expected (2, 2)")
    members = {"infer_shape": lambda self, shapes: (shapes, [(2,), (2,)])}
    mx.operator.register("many")(type("ManyProp", (SquareProp,), members))
    assert error_of(lambda: nd.Custom(nd.ones((3,)), op_type="many")).startswith(
        "Custom: infer_shape of 'many' returned 2 items for the outputs, expected 1")


def test_a_file_with_an_operator_of_the_program():
    graph = sym.Custom(sym.exp(sym.var("x")), op_type="square_in_python", name="square")
    again = sym.load_json(graph.tojson())
    assert again.tojson() == graph.tojson()
    assert again.eval(x=nd.zeros(2))[0].asnumpy().tolist() == [1, 1]
    del PROPS["square_in_python"]
    assert "no operator 'square_in_python' is registered" in error_of(lambda: sym.load_json(graph.tojson()),
                                                                      mx.base.FileFormatError)


class Net(gluon.HybridBlock):
    def __init__(self):
        super().__init__(prefix="net_")
        with self.name_scope():
            self.first, self.norm = gluon.nn.Dense(4), gluon.nn.BatchNorm()

    def hybrid_forward(self, F, x):
        return F.Custom(self.norm(self.first(x)), op_type="square_in_python") * 2


def test_hybridized_as_without(tmp_path):
    """Deferred shapes pass through the operator, and the exported graph has it."""
    results = []
    for hybridize in (False, True):
        mx.random.seed(3)
        net = Net()
        net.initialize(mx.init.Normal(1))
        if hybridize:
            net.hybridize()
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        for _ in range(2):
            with autograd.record():
                loss = net(nd.arange(6).reshape((2, 3))).sum()
            loss.backward()
            trainer.step(2)
        results.append([net(nd.ones((2, 3))), *[p.data() for p in net.collect_params().values()]])
    for one, other in zip(*results, strict=True):
        assert np.allclose(one.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-6)
    net.export(str(tmp_path / "net"))
    block = gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params"))
    assert np.allclose(block(nd.ones((2, 3))).asnumpy(), results[1][0].asnumpy(), rtol=1e-5)


def test_an_autograd_function_needs_arrays():
    """A graph would keep its forward and forget its backward."""
    class Halved(autograd.Function):
        def forward(self, x):
            return x / 2

        def backward(self, dy):
            return dy * 10

    class Block(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return Halved()(x)

    x = nd.array([4])
    x.attach_grad()
    block = Block()
    with autograd.record():
        block(x).backward()
    assert x.grad.asscalar() == 10
    block.hybridize()
    assert error_of(lambda: block(x)) == (
        "Halved is an autograd.Function, which takes arrays and was given a Symbol: a hybridized block cannot hold it. "
        "Write it as an mx.operator.CustomOp, or leave the block imperative.")


def test_what_cannot_be_differentiated():
    x = nd.array([3])
    x.attach_grad()
    with autograd.record():
        y = square(x)
        assert error_of(lambda: autograd.grad(y, x, create_graph=True)) == (
            "Custom 'square_in_python' is written in Python: its backward is not recorded, so grad with "
            "create_graph=True cannot go through it")
    graph = sym.Custom(sym.var("x"), op_type="square_in_python", name="squared")
    with pytest.raises(MXNetError) as error:
        graph.gradient("x")
    assert unplaced(error.value) == (
        "Custom: the gradient of 'square_in_python' is written in Python, so Symbol.gradient cannot write it down. "
        "Bind the graph and call backward on the executor.\n  node: 'squared'")
    executor = graph.simple_bind(mx.cpu(), x=(1,))
    executor.forward(is_train=True)
    assert "is not a loss, so out_grads must hold its gradient" in error_of(executor.backward)
