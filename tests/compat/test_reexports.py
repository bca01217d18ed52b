"""Functions stand in MXNet's modules, too."""

import pytest

import minigluon as mx
from minigluon.interop.mxnet.reexports import FUNCTIONS

pytestmark = pytest.mark.once


@pytest.mark.parametrize("place", FUNCTIONS)
def test_a_module_has_the_functions_of_its_package(place):
    package, module = place.split(".")
    around = getattr(mx, package)
    for name in FUNCTIONS[place]:
        assert getattr(getattr(around, module), name) is getattr(around, name)


def test_a_program_imports_them():
    from minigluon.ndarray.ndarray import NDArray, maximum, zeros
    from minigluon.symbol.symbol import Variable, hypot
    assert isinstance(maximum(zeros(2), 3), NDArray)
    assert hypot(Variable("a"), Variable("b")).list_arguments() == ["a", "b"]
