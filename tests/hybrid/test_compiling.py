"""What compiling a graph does to the process around it."""

import gc

import pytest

from minigluon import nd, sym
from minigluon.base import MXNetError
from minigluon.hybrid import CachedOp

pytestmark = pytest.mark.once


@pytest.mark.parametrize("enabled", [True, False])
def test_the_search_for_cycles_waits_and_is_as_it_was_afterwards(enabled):
    was = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        CachedOp(sym.relu(sym.var("x")), ["x"])([nd.ones((2, 3))])
        assert gc.isenabled() == enabled
        with pytest.raises(MXNetError):
            CachedOp(sym.dot(sym.var("x"), sym.var("x")), ["x"])([nd.ones((2, 3))])
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was else gc.disable)()
