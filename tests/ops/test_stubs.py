"""What editors and help() show of the functions of `nd` and `sym`."""

import ast
import inspect
import pydoc

import pytest

from minigluon import nd, sym
from minigluon.frontend.arithmetic_table import ARITHMETIC
from minigluon.ops import REGISTRY
from minigluon.tools import stubs

pytestmark = pytest.mark.once


@pytest.mark.parametrize("path", stubs.FILES, ids=lambda path: "/".join(path.parts[-2:]))
def test_stubs_are_fresh(path):
    text = path.read_text(encoding="utf-8")
    assert text == stubs.FILES[path](), "operators or annotations changed: run `python -m minigluon.tools.stubs`"


@pytest.mark.parametrize("package", stubs.PACKAGES, ids=lambda p: p.__name__)
def test_stubs_are_python_and_complete(package):
    tree = ast.parse(stubs.stub(package))
    found = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    by_table = {n for n in REGISTRY if not n.startswith("_") and hasattr(getattr(package, n), "op")}
    assert found == by_table | set(ARITHMETIC) - {"power"}       # which is by hand
    assert len(found) > 150


def test_a_stub_says_types_and_defaults():
    text = stubs.stub(nd)
    assert ("def FullyConnected(data: NDArray, weight: NDArray | None = None, bias: NDArray | None = None, *, "
            "num_hidden: int, no_bias: bool = False, flatten: bool = True, out: NDArray | list[NDArray] | None = None, "
            "name: str | None = None) -> NDArray:\n") in text
    assert "def concat(*data: NDArray, dim: int = 1, out:" in text
    assert "act_type: Literal['relu', 'sigmoid', 'tanh', 'softrelu', 'softsign']" in text
    assert "-> Symbol:" in stubs.stub(sym)


@pytest.mark.parametrize("package", [nd, sym])
def test_help_and_source(package):
    text = pydoc.render_doc(package.FullyConnected, renderer=pydoc.plaintext)
    assert "FullyConnected(data, weight=None, bias=None, *, num_hidden, no_bias=False, flatten=True, " in text
    assert "weight (num_hidden, K)" in text
    assert 'class FullyConnected(Op):' in inspect.getsource(package.FullyConnected)
    assert package.FullyConnected.op is REGISTRY["FullyConnected"]


@pytest.mark.parametrize("package", [nd, sym])
def test_signatures_show_the_types_that_programs_pass(package):
    def types(name):
        return {p.name: p.annotation for p in inspect.signature(getattr(package, name)).parameters.values()}

    assert types("sum")["axis"] == int | tuple[int, ...] | None
    assert types("slice")["begin"] == tuple[int | None, ...]
    assert not [n for n in REGISTRY if "ops.fields" in str(types(n)) and not n.startswith("_")]


@pytest.mark.parametrize("package", [nd, sym])
def test_every_function_leads_to_source(package):
    for name in REGISTRY:
        if not name.startswith("_") and hasattr(getattr(package, name), "op"):
            assert "class " in inspect.getsource(getattr(package, name))
