"""Names of PyTorch, Keras and NumPy: what each row says to write exists, and nothing else changes."""

import inspect
import pickle
import re
import sys

import numpy as np
import pytest
from helpers.errors import message

import minigluon as mx
from minigluon import autograd, gluon, nd, sym
from minigluon.diagnostics import foreign_names as habits
from minigluon.diagnostics.suggestions import ForeignNameHint, MissingAttributeError
from minigluon.gluon import nn

NET = nn.Sequential(prefix="net_")
PLACES = {"mx": mx, "nd": nd, "nn": nn, "gluon": gluon, "sym": sym, "autograd": autograd, "np": np, "x": nd.ones((1,)),
          "net": NET, "self": NET, "transforms": gluon.data.vision.transforms, "dataset": gluon.data.SimpleDataset([1]),
          "trainer": gluon.Trainer(gluon.ParameterDict(), "sgd")}
TABLES = [habits.ARRAYS, habits.BLOCKS, habits.TRAINERS, *habits.MODULES.values()]


@pytest.mark.once
def test_what_the_rows_say_exists():
    for table in TABLES:
        for row in table.values():
            for path in re.findall(r"\b(?:mx|nd|nn|gluon|sym|autograd|np|x|net|self|transforms|dataset|trainer)"
                                   r"(?:\.[A-Za-z_]\w*)+", row):
                root, *names = path.split(".")
                place = PLACES[root]
                for name in names:
                    if callable(place) and not inspect.ismodule(place) and not hasattr(place, name):
                        break                       # x.asnumpy().tolist() without its calls
                    place = getattr(place, name)


@pytest.mark.once
def test_what_exists_has_no_row():
    shadowed = {name for name in habits.ARRAYS
                if not isinstance(inspect.getattr_static(nd.NDArray, name), ForeignNameHint)}
    assert shadowed <= {"view"}
    assert not [name for name in habits.BLOCKS if hasattr(NET, name)]
    for place, table in habits.MODULES.items():
        assert not [name for name in table if name in vars(sys.modules[place])], place


@pytest.mark.once
def test_protocols():
    x, trainer = nd.ones((2, 3)), PLACES["trainer"]
    for thing, name in (x, "cuda"), (trainer, "zero_grad"), (NET, "eval"), (nn, "Linear"), (nd, "cat"), (mx, "nn"), (
            sym.var("x"), "unsqueeze"):
        assert not hasattr(thing, name)
        assert getattr(thing, name, None) is None
        assert name not in dir(thing)
        assert message(AttributeError, getattr, thing, name).endswith(".")
    assert "reshape" in dir(x)
    assert "step" in dir(trainer)
    assert nn.Dense in vars(nn).values()
    assert list(pickle.loads(pickle.dumps(x)).shape) == [2, 3]
    inspect.getmembers(nd.NDArray)
    inspect.getmembers(x)


@pytest.mark.once
def test_a_name_of_ones_own_is_found():
    class Net(nn.Sequential):
        def train(self):
            return "mine"

    class Array(nd.NDArray):
        def to(self, ctx):
            return ctx

    assert Net().train() == "mine"
    assert Array(nd.ones((1,)).buffer, mx.cpu()).to(3) == 3


@pytest.mark.once
def test_names_that_are_near_are_looked_for_when_they_are_shown():
    with pytest.raises(MissingAttributeError) as caught:
        _ = NET.colect_params
    assert caught.value.name == "colect_params"
    text = ("'Sequential' object has no attribute 'colect_params'. Did you mean 'collect_params', 'save_params', "
            "'load_params'?")
    assert str(caught.value) == text
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), str(copy)) == (AttributeError, text)


@pytest.mark.once
def test_size_is_a_number():
    size = nd.ones((2, 3)).size
    assert (size, size + 1, repr(size), f"{size:3d}", type(pickle.loads(pickle.dumps(size)))) == (6, 7, "6", "  6", int)
    assert nd.zeros(size).shape == (6,)
    assert nd.arange(10)[:size].shape == (6,)
    assert np.zeros(size).shape == (6,)
    assert message(TypeError, size, 0) == (
        "x.size is the number of elements, 6, and no function. Write x.shape[0] for the length of an axis.")


@pytest.mark.parametrize(("left", "right"), [((3,), (3,)), ((2, 3), (3,)), ((2, 3), (3, 4)), ((5, 2, 3), (5, 3, 4))])
def test_the_product_is_that_of_numpy(left, right):
    a, b = (np.random.default_rng(1).normal(size=shape).astype(np.float32) for shape in (left, right))
    x, y = nd.array(a), nd.array(b)
    x.attach_grad()
    with autograd.record():
        out = x @ y
    out.backward()
    np.testing.assert_allclose(out.asnumpy().reshape((a @ b).shape), a @ b, rtol=1e-5)
    ones = np.ones_like(np.atleast_1d(a @ b))
    g = np.outer(ones, b).reshape(left) if len(right) == 1 else ones @ np.swapaxes(b, -1, -2)
    np.testing.assert_allclose(x.grad.asnumpy(), g, rtol=1e-5)
    if min(len(left), len(right)) > 1:
        product = sym.var("x") @ sym.var("y")
        np.testing.assert_allclose(product.eval(x=x, y=y)[0].asnumpy(), a @ b, rtol=1e-5)
    with pytest.raises(TypeError, match="unsupported operand"):
        x @ [1]
