"""Attributes of a program's own: `lr_mult=0` and its like as keywords, where a key is given twice, who obeys them."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import nd, sym
from minigluon.base import OpAttributeError

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("fresh_names")]


def own(symbol):
    """{node: the program's own attributes under their plain names}."""
    return {name: {key: text for key, text in attrs.items() if key in ("lr_mult", "ctx_group", "__mark__")}
            for name, attrs in symbol.attr_dict().items()}


def test_keywords_are_kept_at_the_node_and_at_the_variables_that_the_call_makes():
    x = sym.var("x")
    symbol = sym.FullyConnected(x, num_hidden=3, name="f", lr_mult=np.float32(0.5), wd_mult=2, ctx_group="g",
                                __mark__=7, force_mirroring=True, mirror_stage=1)
    expected = {"num_hidden": "3", "__mark__": "7"}
    for key, text in (("lr_mult", "0.5"), ("wd_mult", "2"), ("ctx_group", "g"), ("force_mirroring", "True"),
                      ("mirror_stage", "1")):
        expected |= {key: text, f"__{key}__": text}
    assert symbol.attr_dict() == {"f_weight": expected, "f_bias": expected, "f": expected}
    assert symbol.list_attr() == expected
    as_attr = sym.FullyConnected(x, num_hidden=3, name="f", attr={
        "lr_mult": "0.5", "wd_mult": "2", "ctx_group": "g", "__mark__": "7", "force_mirroring": "True",
        "mirror_stage": "1"})
    written = symbol.tojson()
    assert written == as_attr.tojson()
    assert '"__lr_mult__"' in written
    assert '"lr_mult"' not in written


@pytest.mark.parametrize("make", [
    lambda x, **own: sym.relu(x, name="n", **own),
    lambda x, **own: x.sum(name="n", **own),
    lambda x, **own: sym.concat(x, x, name="n", **own),
    lambda x, **own: sym.contrib.box_iou(x, x, name="n", **own),
    lambda x, **own: sym.zeros(shape=(2,), name="n", **own),
    lambda x, **own: sym.random.uniform(shape=(2,), name="n", **own),
], ids=["without attributes", "method", "many inputs", "contrib", "no inputs", "random"])
def test_every_function_takes_them(make):
    assert own(make(sym.var("x"), lr_mult=2, __mark__="a")) == {"n": {"lr_mult": "2", "__mark__": "a"}}


@mx.operator.register("keeps_its_options")
class KeepsItsOptions(mx.operator.CustomOpProp):
    options = None

    def __init__(self, **options):
        super().__init__()
        type(self).options = options


def test_an_operator_in_python_does_not_get_them_as_options():
    symbol = sym.Custom(sym.var("x"), op_type="keeps_its_options", name="n", a=4, lr_mult=1, __mark__=3)
    assert symbol.list_attr() == {"a": "4", "__mark__": "3", "lr_mult": "1", "__lr_mult__": "1",
                                  "op_type": "keeps_its_options"}
    assert KeepsItsOptions.options == {"a": "4"}


@pytest.mark.parametrize(("scope", "attr", "keyword", "wins"), [
    ({}, {}, "0", "0"), ({}, {"lr_mult": "1"}, "0", "1"), ({"lr_mult": "5"}, {}, "0", "5"),
    ({"lr_mult": "5"}, {"lr_mult": "1"}, "0", "1"),
])
def test_attr_comes_before_a_scope_and_a_scope_before_a_keyword(scope, attr, keyword, wins):
    with mx.AttrScope(**scope):
        symbol = sym.FullyConnected(sym.var("x"), num_hidden=3, name="f", attr=attr, lr_mult=keyword)
    assert [own(symbol)[name]["lr_mult"] for name in ("f_weight", "f")] == [wins, wins]


def test_any_other_keyword_is_still_refused():
    with pytest.raises(OpAttributeError, match="FullyConnected: unknown attribute 'lr_mullt'"):
        sym.FullyConnected(sym.var("x"), num_hidden=3, lr_mullt=0)
    with pytest.raises(OpAttributeError, match="FullyConnected: unknown attribute 'lr_mult'"):
        nd.FullyConnected(nd.ones((1, 2)), nd.ones((3, 2)), nd.ones(3), num_hidden=3, lr_mult=0)


def test_an_optimizer_of_a_module_obeys():
    hidden = sym.FullyConnected(sym.var("x"), num_hidden=3, name="f", lr_mult=0, wd_mult=0.5)
    out = sym.LinearRegressionOutput(sym.FullyConnected(hidden, num_hidden=1, name="h"), name="lro")
    module = mx.mod.Module(out, data_names=["x"], label_names=["lro_label"])
    module.bind([("x", (2, 3))], [("lro_label", (2, 1))])
    module.init_params(mx.init.One())
    module.init_optimizer(optimizer="sgd", optimizer_params={"learning_rate": 0.1, "wd": 0.1})
    module.forward(mx.io.DataBatch([nd.ones((2, 3))], [nd.zeros((2, 1))]))
    module.backward()
    module.update()
    after, _ = module.get_params()
    assert module._optimizer.lr_mult == {"f_weight": 0.0, "f_bias": 0.0}
    assert module._optimizer.wd_mult == {"f_bias": 0.5, "h_bias": 0.0, "f_weight": 0.5}
    assert after["f_weight"].asnumpy().tolist() == np.ones((3, 3)).tolist()
    assert after["f_bias"].asnumpy().tolist() == [0, 0, 0]
    np.testing.assert_allclose(after["h_weight"].asnumpy(), np.full((1, 3), -1.71), rtol=1e-6)      # MXNet's numbers
    np.testing.assert_allclose(after["h_bias"].asnumpy(), [-0.9], rtol=1e-6)


def test_children_of_several_outputs_of_one_node_are_its_inputs_once():
    x, y = sym.var("x"), sym.split(sym.var("y"), num_outputs=3, name="s")
    assert y.get_children().list_outputs() == ["y"]
    assert sym.Group([y[0], x * 2, y[1]]).get_children().list_outputs() == ["y", "x"]
    assert sym.Group([x + x, y]).get_children().list_outputs() == ["x", "x", "y"]
    assert x.get_children() is None
