"""MXNet's notation of nested arguments and results, as libraries carry it beside an export. The formats are MXNet's."""

import json

import pytest

import minigluon as mx
from minigluon import gluon, nd
from minigluon.base import ArgumentError
from minigluon.gluon.block import _flatten

pytestmark = pytest.mark.once


class Nested(gluon.HybridBlock):
    def hybrid_forward(self, F, x, pair):
        return x + pair[0], [F.split(x, num_outputs=2, axis=1), x * pair[1]]


def leaves(results):
    return [results.asnumpy().tolist()] if isinstance(results, nd.NDArray) else sum(map(leaves, results), [])


def test_flatten():
    x, a = nd.ones(2), mx.sym.var("a")
    two = mx.sym.split(a, num_outputs=2)
    assert _flatten(x, "input") == ([x], 0)
    assert _flatten((x, [x, None], []), "input") == ([x, x, None], [0, [0, -1], []])
    assert _flatten([a, two], "output") == ([a, two], [0, 2])
    with pytest.raises(ArgumentError) as caught:
        _flatten([x, 3], "input")
    assert str(caught.value) == ("the input of a HybridBlock must be NDArrays, Symbols, None or nested lists of them, "
                                 "found 3 of type int")


def test_formats_of_a_block_that_ran():
    net = Nested()
    net.hybridize()
    assert net._in_format is None
    assert net._out_format is None
    net(nd.ones((2, 2)), [nd.ones((2, 2)), nd.ones((2, 2))])
    assert json.dumps(net._in_format) == "[0, [0, 0]]"
    assert json.dumps(net._out_format) == "[0, [[0, 0], 0]]"            # MXNet: [0, [2, 0]], which means the same
    alone = gluon.nn.HybridLambda("relu")
    alone.hybridize()
    alone(nd.ones(2))
    assert (alone._in_format, alone._out_format) == ([0], 0)


@pytest.mark.parametrize("out_format", [[0, [2, 0]], [0, [[0, 0], 0]]])
def test_an_import_takes_the_formats_of_the_export(out_format, tmp_path):
    net = Nested()
    net.hybridize()
    x, pair = nd.array([[1, 2], [3, 4]]), [nd.array([[5, 6], [7, 8]]), nd.ones((2, 2)) * 2]
    expected = net(x, pair)
    net.export(str(tmp_path / "net"))
    block = gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), ["data0", "data1", "data2"])
    assert (block._in_format, block._out_format) == ([0, 0, 0], [0, 0, 0, 0])
    assert len(block(x, *pair)) == 4
    block._in_format, block._out_format = [0, [0, 0]], out_format
    for hybridize in (False, True):
        block.hybridize(hybridize)
        found = block(x, pair)
        assert leaves(found) == leaves(expected)
        assert [type(part) for part in (found, *found, *found[1])] == [list, nd.NDArray, list, list, nd.NDArray]


def test_formats_that_do_not_fit():
    block = gluon.SymbolBlock(mx.sym.var("a") + 1, mx.sym.var("a"))
    with pytest.raises(ArgumentError, match=rf"^SymbolBlock '{block.name}': number of inputs: 1, but nested as 2$"):
        block._in_format = [0, 0]
    with pytest.raises(ArgumentError, match=rf"^SymbolBlock '{block.name}': number of outputs: 1, but nested as 3$"):
        block._out_format = 3
    with pytest.raises(ArgumentError, match="^a format is 0 for an array, -1 for None, a number of outputs or a list "
                                            "of formats, found None$"):
        block._out_format = None
