"""Names that are going away work and warn at the program's line; none outlives the version that it was to end in."""

import ast
import inspect
import re
import sys
import types
import warnings
from pathlib import Path

import pytest
from helpers.errors import error_of

import minigluon
from minigluon.base import CallError
from minigluon.common.deprecation import deprecated, deprecated_argument, deprecated_names, warn_deprecated

pytestmark = pytest.mark.once

VERSIONS = {"since": "0.2", "until": "0.4"}
ENDS = "is deprecated since minigluon 0.2 and will be removed in 0.4."


@deprecated("util.cut", "util.split", **VERSIONS)
def cut(x, parts=2):
    """Cut x."""
    return x[:parts]


@deprecated("gluon.Old", "gluon.New", **VERSIONS)
class Old:
    def __init__(self, units):
        self.units = units


class Layer:
    @deprecated_argument("size", "units", **VERSIONS)
    @deprecated_argument("unused", None, **VERSIONS)
    def __init__(self, units=1):
        self.units = units


def warned(action):
    """(the value, the one warning) of an action, whose line the warning must name."""
    with pytest.warns(DeprecationWarning, match="is deprecated since") as caught:
        value = action()
    (warning,) = caught
    assert (warning.filename, warning.lineno) == (__file__, action.__code__.co_firstlineno)
    return value, str(warning.message)


def test_a_function():
    assert warned(lambda: cut([1, 2, 3])) == ([1, 2], f"util.cut {ENDS} Use util.split.")
    assert cut.__doc__ == "Cut x."
    assert list(inspect.signature(cut).parameters) == ["x", "parts"]


def test_a_class():
    old, text = warned(lambda: Old(units=3))
    assert text == f"gluon.Old {ENDS} Use gluon.New."
    assert isinstance(old, Old)
    assert old.units == 3


def test_an_argument():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Layer(units=4).units == Layer(4).units == 4
    layer, text = warned(lambda: Layer(size=5))
    assert (layer.units, text) == (5, f"Layer(size=...) {ENDS} Use units=.")
    layer, text = warned(lambda: Layer(unused=7))
    assert (layer.units, text) == (1, f"Layer(unused=...) {ENDS}")


def test_an_argument_by_both_names():
    with pytest.warns(DeprecationWarning, match="is deprecated since"):
        assert error_of(lambda: Layer(size=5, units=6), CallError) == (
            "Layer: size is the old name of units; give one of them")


@pytest.fixture
def package(monkeypatch):
    """A package, whose names importlib asks for inside `from package import name`."""
    module = types.ModuleType("some_package")
    module.__path__ = []
    module.split = 17
    module.__getattr__ = deprecated_names("some_package", {"cut": "split"}, **VERSIONS)
    monkeypatch.setitem(sys.modules, "some_package", module)
    return module


def test_a_name_of_a_module(package):
    assert warned(lambda: package.cut) == (17, f"some_package.cut {ENDS} Use some_package.split.")
    with pytest.raises(AttributeError) as error:
        package.cat                                             # noqa: B018
    assert str(error.value) == "module 'some_package' has no attribute 'cat'"


def test_a_name_that_is_imported(package):
    with pytest.warns(DeprecationWarning, match="is deprecated since") as caught:
        from some_package import cut  # type: ignore[import-not-found]
    assert cut == 17
    assert {warning.filename for warning in caught} == {__file__}


def test_each_line_warns_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            cut([1, 2, 3])
        cut([1])
    assert len(caught) == 2


def test_a_line_of_the_package_is_not_where_it_warns():
    """What the package itself calls is told of at the line of the program that led there."""
    inside = {"__name__": "minigluon.inside", "warn": warn_deprecated}
    exec("def call(): warn('a', None, '0.2', '0.4')", inside)
    assert warned(lambda: inside["call"]()) == (None, f"a {ENDS}")


def uses(tree):
    """The calls of this module's functions in a source that say until when."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and re.search(r"\bdeprecated|deprecated\b", ast.unparse(node.func)):
            yield from (ast.literal_eval(word.value) for word in node.keywords if word.arg == "until")


def numbers(version):
    return [int(part) for part in version.partition("rc")[0].split(".")]


def test_nothing_outlives_its_version():
    assert list(uses(ast.parse("@deprecated('a', None, since='0.2', until='0.4')\ndef f(): pass"))) == ["0.4"]
    for path in Path(minigluon.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for until in uses(ast.parse(text)) if "until=" in text else ():
            assert numbers(until) > numbers(minigluon.__version__), f"{path}: remove what was to end in {until}"
