"""Blocks in a list, tuple or dict that nobody has registered: MXNet warns, and so does this package."""

import warnings
from collections import namedtuple

import pytest

from minigluon.gluon import Block, nn

pytestmark = pytest.mark.once

Pair = namedtuple("Pair", "first second")


class Net(Block):
    def __init__(self, fill):
        super().__init__(prefix="net_")
        with self.name_scope():
            fill(self)


def with_a_list(net):
    net.layers = [nn.Dense(2), nn.Dense(3)]


def deep(net):
    net.layers = {"x": [1, (nn.Dense(2),)]}


def in_a_named_tuple(net):
    net.layers = Pair(None, nn.Dense(2))


def in_a_child(net):
    net.inner = nn.Sequential()
    net.inner.layers = [nn.Dense(2)]


def in_two(net):
    net.layers, net.others = [nn.Dense(2)], (nn.Dense(2),)


def registered(net):
    with_a_list(net)
    for layer in net.layers:
        net.register_child(layer)


def registered_further_in(net):
    net.body = nn.Sequential()
    net.body.add(nn.Dense(2))
    net.layers = [net.body[0]]


def around(net):
    net.inner = Net(lambda inner: setattr(inner, "outer", [net]))


def a_set(net):
    net.layers = {nn.Dense(2)}


def within_itself(net):
    net.numbers = [1, 2]
    net.numbers.append(net.numbers)


def warned(action):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        action()
    assert all(w.category is UserWarning and w.filename == __file__ for w in found)
    return [str(w.message).partition(", which is")[0] for w in found]


@pytest.mark.parametrize(("fill", "expected"), [
    (with_a_list, ["Net.layers holds Dense 'net_dense0'"]), (deep, ["Net.layers holds Dense 'net_dense0'"]),
    (in_a_named_tuple, ["Net.layers holds Dense 'net_dense0'"]),
    (in_a_child, ["Sequential.layers holds Dense 'net_dense0'"]),
    (in_two, ["Net.layers holds Dense 'net_dense0'", "Net.others holds Dense 'net_dense1'"]),
    (registered, []), (registered_further_in, []), (around, []), (a_set, []), (within_itself, [])],
    ids=lambda value: getattr(value, "__name__", ""))
def test_one_warning_for_each_attribute_with_a_block_that_is_lost(fill, expected):
    net = Net(fill)
    assert warned(net.collect_params) == expected
    assert warned(net.initialize) == expected
    assert warned(lambda: net.collect_params(".*weight")) == expected


def test_a_block_around_is_not_lost_either():
    net = Net(around)
    assert warned(net.inner.collect_params) == []
    assert warned(Net(lambda inner: setattr(inner, "outer", [net])).collect_params) == ["Net.outer holds Net 'net'"]


def test_the_warning_says_what_follows_and_what_to_do():
    with pytest.warns(UserWarning, match="^Net.layers") as found:
        Net(with_a_list).initialize()
    assert str(found[0].message) == (
        "Net.layers holds Dense 'net_dense0', which is no child of a block here: its parameters are neither "
        "initialized, trained nor saved. A list, tuple or dict registers nothing: call register_child(block), or put "
        "the layers into an nn.Sequential.")


def test_by_default_a_line_of_the_program_is_shown_once():
    net = Net(with_a_list)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for _ in range(3):
            net.collect_params()
    assert len(found) == 1
