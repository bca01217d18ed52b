"""Symbol files with functions of `mx.np`: those of the real MXNet 1.9.1 are written and read character for character.

`tests/scripts/np_graphs.py` runs all of them, in both directions; here all texts are compared, and some nets run.
"""

import gzip
import json
import re

import numpy as onp
import pytest
from records import DATA
from records import np_graph_cases as cases

import minigluon as mx
from minigluon import gluon, np, npx, sym

pytestmark = pytest.mark.once
RECORDED = json.loads(gzip.decompress((DATA / "mxnet_np_graphs.json.gz").read_bytes()))
WHOLE = ("perceptron", "attention", "convolutions", "losses")
RUN = [*WHOLE, *list(RECORDED)[20::14]]


@pytest.fixture(autouse=True)
def numpy_mode():
    npx.set_np()
    yield
    npx.reset_np()


def flat(outputs):
    return [y for part in outputs for y in flat(part)] if isinstance(outputs, (list, tuple)) else [outputs]


def without_names(text):
    """Return the text with the names of operators left out: MXNet counts `pad` twice, and LayerNorm is `layer_norm`."""
    return re.sub(r'"name": "[^"]*_([a-z_]+)\d*"', lambda match: match[0] if match[1] == "data" else '"name": ""', text)


def traced(name):
    """Return the text of the graph of a net without parameters."""
    count = len(cases.inputs_of(name))
    with mx.name.NameManager():
        net = cases.build(mx, name)
        inputs = [sym.var(f"data{i}" if count > 1 else "data").as_np_ndarray() for i in range(count)]
        return sym.Group(flat(net(*inputs))).tojson()


def test_texts_are_those_of_mxnet():
    for name, (text, _) in RECORDED.items():
        if name not in WHOLE:
            assert without_names(traced(name)) == without_names(text), name
        assert sym.load_json(text).tojson() == text, name
    assert len(RECORDED) > 400


@pytest.mark.parametrize("name", RUN)
def test_nets_of_mxnet_run(name, tmp_path):
    """A net of the file and one that is made here compute what MXNet computes, in its types, and have the same text."""
    text, expected = RECORDED[name]
    with mx.name.NameManager():
        net = cases.build(mx, name)
    net.initialize()
    net.hybridize()
    inputs = [np.array(x) for x in cases.inputs_of(name)]
    net(*inputs)
    parameters = net.collect_params()
    for key, parameter in parameters.items():
        parameter.set_data(np.array(cases.values(key, parameter.shape)))
    outputs = flat(net(*inputs))
    net.export(str(tmp_path / "net"))
    assert without_names((tmp_path / "net-symbol.json").read_text()) == without_names(text)
    symbol = sym.load_json(text)
    names = sorted(key for key in symbol.list_inputs() if key not in parameters)
    block = gluon.SymbolBlock(symbol, [sym.var(key) for key in names], params=parameters)
    for found in (outputs, flat(block(*inputs))):
        assert [[str(y.dtype), list(y.shape)] for y in found] == [item[:2] for item in expected]
        assert {type(y) for y in found} == {np.ndarray}
        for y, (dtype, shape, elements) in zip(found, expected, strict=True):
            if name not in cases.DRAWN:
                onp.testing.assert_allclose(y.asnumpy(), onp.array(elements, dtype).reshape(shape), 2e-5, 2e-6)


def test_a_file_of_mxnet_makes_integers_float64():
    """MXNet's hybridized nets do, its arrays do not; here neither does, but a file computes what MXNet computed."""
    text, expected = RECORDED["j * 0.5"]
    x = np.array([[1, 2]], dtype="int32")
    assert (x * 0.5).dtype == np.int32
    assert sym.load_json(text).infer_type(data="int32")[1] == [onp.float64] == [getattr(onp, expected[0][0])]
    assert sym.load_json(text).eval(data=x)[0].asnumpy().tolist() == [[0.5, 1.0]]


OWN = {"floor_divide": lambda F, a, b: F.floor_divide(a, 2), "logical_and": lambda F, a, b: F.logical_and(a, b),
       "newaxis": lambda F, a, b: a[..., None, 0], "median": lambda F, a, b: F.median(a, axis=1),
       "repeat": lambda F, a, b: F.repeat(a, [1, 0, 2], axis=1), "index": lambda F, a, b: a[[0, 1, 1], 1:],
       "cross": lambda F, a, b: F.cross(a, b), "clip": lambda F, a, b: F.clip(a, b, None)}


@pytest.mark.parametrize("name", OWN)
def test_functions_that_mxnet_lacks_come_back_from_a_file(name):
    a, b = (sym.var(key).as_np_ndarray() for key in "ab")
    made = OWN[name](sym.np, a, b)
    again = sym.load_json(made.tojson())
    assert again.tojson() == made.tojson()
    assert "_minigluon_np_" in made.tojson()
    given = {key: np.array(onp.random.default_rng(i).uniform(0, 3, (2, 3))) for i, key in enumerate("ab")}
    given = {key: x for key, x in given.items() if key in made.list_inputs()}
    expected = OWN[name](np, *[given.get(key) for key in "ab"])
    onp.testing.assert_array_equal(again.eval(**given)[0].asnumpy(), expected.asnumpy())


@pytest.mark.parametrize(("operator", "attrs", "problem"), [
    ("_npi_mean", {"axes": "1"}, "_npi_mean does not have 1 inputs with axes='1'"),
    ("_npi_mean", {"keepdims": "perhaps"}, "attribute keepdims is 'perhaps', expected True or False"),
    ("_npi_mean", {"axis": "__import__('os')"}, "attribute axis is \"__import__('os')\", expected a number or a tuple"),
    ("_npi_mean", {"axis": "(" * 5000}, "an attribute has 5000 characters, expected at most 4096"),
    ("_npi_full_like", {"fill_value": "(1, 2)"}, "attribute fill_value is '(1, 2)', expected a number"),
    ("_npi_sum", {}, "there is no operator '_npi_sum'"),
    ("_np_sum", {"axis": "<input 0>"}, "attribute axis is '<input 0>', expected a number or a tuple"),
    ("_npi_absolutely", {}, "there is no operator '_npi_absolutely'"),
    ("_npi_hsplit", {"sections": "1000000000", "indices": "[]"}, "_npi_hsplit has 1000000000 outputs, more than"),
    ("_npi_add_scalar", {"scalar": "two"}, "_npi_add_scalar does not have 1 inputs with scalar='two'"),
    ("_minigluon_np_kron", {"a": "<input 0>", "b": "<input 7>"}, "np.kron(a, b) does not have 1 inputs with a, b"),
    ("_minigluon_np_nothing", {}, "there is no operator '_minigluon_np_nothing'")])
def test_other_files_are_refused(operator, attrs, problem):
    nodes = [{"op": "null", "name": "x", "inputs": []},
             {"op": operator, "name": "y", "attrs": attrs, "inputs": [[0, 0, 0]]}]
    text = json.dumps({"nodes": nodes, "arg_nodes": [0], "heads": [[1, 0, 0]]})
    assert problem in str(pytest.raises(mx.base.FileFormatError, sym.load_json, text).value)


def test_arguments_of_a_wrong_kind_are_named():
    graph = sym.np.sum(sym.var("a").as_np_ndarray(), axis="first")
    with pytest.raises(mx.MXNetError, match="axis must be an integer, found 'first'"):
        graph.infer_shape(a=(2, 3))
    with pytest.raises(mx.base.CallError, match="np.roll.*TypeError"):
        sym.np.roll(sym.var("a").as_np_ndarray(), 1.5).infer_shape(a=(2, 3))
