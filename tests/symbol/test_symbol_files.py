"""Symbol files: the text, letter for letter MXNet's; reading, older versions, damage.

MINIGLUON_MXNET_PYTHON=<interpreter with MXNet 1.9.1> lets the real library read what is written here, too.
"""

import gzip
import json
import os
import subprocess

import numpy as np
import pytest
from helpers import TESTS
from helpers.damage import damage
from helpers.mxnet_arithmetic import with_mxnets_arithmetic
from hypothesis import given, settings
from hypothesis import strategies as st
from records import DATA, MXNET
from records.symbol_cases import OLD, build, names

import minigluon as mx
from minigluon import sym
from minigluon.base import FileFormatError, MXNetError, OpAttributeError
from minigluon.ops import REGISTRY
from minigluon.symbol.internal import is_internal
from minigluon.symbol.json_load import load_own

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("fresh_names")]

RECORDED = json.loads(gzip.decompress((DATA / "mxnet_symbols.json.gz").read_bytes()))
GRAPHS = [name for name in names if not name.startswith("op ")]
NODES = [name for name in names if name.startswith("op ")]

# The outputs of LeakyReLU(act_type="rrelu"): MXNet shows the slopes as a second one.
HIDDEN_HERE = {"op LeakyReLU-8", "op LeakyReLU-9"}


def made(name):
    symbol, shapes = build(mx, name)
    if symbol is None:
        pytest.skip("an operator without a public function")
    return symbol, shapes


def inferred(symbol, shapes):
    """The shapes, or None where they do not follow or contradict each other."""
    known = {n: s for n, s in (shapes or {}).items() if n in symbol.list_inputs()}
    try:
        return [[list(s) for s in group] for group in symbol._require_shape(**known)]
    except MXNetError:
        return None


# -- writing --------------------------------------------------------------------------------------------------------


def test_the_recording_is_whole():
    assert len(RECORDED) == 831
    assert set(GRAPHS) <= set(RECORDED)
    assert len(GRAPHS) == 49
    assert sum(name in RECORDED for name in NODES) == 778


@pytest.mark.parametrize("name", GRAPHS)
def test_the_text_is_mxnets(name):
    text = made(name)[0].tojson()
    arithmetic = name in ("symbols_and_symbols", "scoped", "residual", "layer swish")
    assert (with_mxnets_arithmetic(text) if arithmetic else text) == RECORDED[name][0]


def test_the_text_of_every_operator_is_mxnets():
    different = {name for name in NODES
                 if name in RECORDED and made(name)[0].tojson() != RECORDED[name][0]}
    assert different == HIDDEN_HERE


def test_save_writes_the_text(tmp_path):
    symbol = made("strange_names")[0]
    symbol.save(tmp_path / "net-symbol.json")
    assert (tmp_path / "net-symbol.json").read_bytes() == symbol.tojson().encode()
    assert sym.load(tmp_path / "net-symbol.json").tojson() == symbol.tojson()
    assert os.listdir(tmp_path) == ["net-symbol.json"]


def test_conversions_of_mixed_precision_are_left_out_unless_they_are_results():
    x = sym.amp_cast(sym.amp_cast(sym.var("x"), dtype="float16"), dtype="float32")
    both = sym.amp_multicast(x, sym.var("y"), num_outputs=2)
    symbol = sym.Group([sym.relu(x, name="r"), sym.relu(both[1], name="s"), sym.amp_cast(x, dtype="float16")])

    def operators(**kwargs):
        return [(n["op"], n["inputs"]) for n in json.loads(symbol.tojson(**kwargs))["nodes"]]

    assert operators() == [("null", []), ("relu", [[0, 0, 0]]), ("null", []), ("relu", [[2, 0, 0]]),
                           ("amp_cast", [[0, 0, 0]])]
    assert [op for op, _ in operators(remove_amp_cast=False)] == [
        "null", "amp_cast", "amp_cast", "relu", "null", "amp_multicast", "relu", "amp_cast"]


@pytest.mark.parametrize(("make", "attrs"), [
    (lambda x: sym.sum(x, axis=np.int64(1), keepdims=True), {"axis": "1", "keepdims": "True"}),
    (lambda x: sym.sum(x, (0, np.int32(1))), {"axis": "(0, 1)"}),
    (lambda x: x * np.float32(0.5), {"scalar": "0.5"}),
    (lambda x: x + True, {"scalar": "1"}),
    (lambda x: sym.Cast(x, dtype=np.float16), {"dtype": "float16"}),
    (lambda x: sym.concat(x, x), {"num_args": "2"}),
    (lambda x: sym.Dropout(x, 0.25), {"p": "0.25"}),
    (lambda x: x[1:], {"begin": "(1,)", "end": "(None,)", "step": "(None,)"}),
])
def test_attributes_are_what_the_call_wrote(make, attrs):
    node = make(sym.var("x"))
    assert node.list_attr() == attrs
    assert sym.load_json(node.tojson()).heads[0][0].op is node.heads[0][0].op


def test_an_attribute_that_a_file_could_not_tell_from_the_operators_is_refused():
    with pytest.raises(OpAttributeError) as error:
        sym.Dropout(sym.var("x"), attr={"group": "a"}, name="d")
    assert str(error.value) == ("Dropout 'd': attribute 'group' in attr= or AttrScope is not one of a program's own, "
                                "which look like '__mark__': write it as '__group__'.")
    with pytest.raises(OpAttributeError) as error:
        sym.Dropout(sym.var("x"), attr={"p": "0.3"}, name="d")
    assert str(error.value) == ("Dropout 'd': attribute 'p' in attr= or AttrScope is not one of a program's own, "
                                "which look like '__mark__': pass p= as a keyword of the operator.")


def test_attributes_are_found_in_both_spellings():
    with mx.AttrScope(ctx_group="dev1"):
        x = sym.var("x", lr_mult=2)
    assert x.list_attr() == {"__ctx_group__": "dev1", "ctx_group": "dev1", "__lr_mult__": "2", "lr_mult": "2"}
    assert [x.attr(key) for key in ("ctx_group", "__ctx_group__", "lr_mult", "wd_mult", "x")] == [
        "dev1", "dev1", "2", None, None]


# -- reading --------------------------------------------------------------------------------------------------------


def same(one, other):
    """Are two graphs equal in all that they hold?"""
    def listed(symbol):
        nodes = symbol.nodes()
        numbers = {node: i for i, node in enumerate(nodes)}
        pairs = [[(numbers[n], i) for n, i in node.inputs] for node in nodes]
        return [(n.op, n.name, n.attrs, n.shape, n.dtype, p) for n, p in zip(nodes, pairs, strict=True)], [
            (numbers[n], i) for n, i in symbol.heads]
    return listed(one) == listed(other)


@pytest.mark.parametrize("name", GRAPHS)
def test_what_is_written_is_read(name):
    symbol, shapes = made(name)
    loaded = sym.load_json(symbol.tojson())
    assert same(loaded, symbol)
    assert loaded.list_outputs() == symbol.list_outputs()
    assert loaded.list_arguments() == symbol.list_arguments()
    assert loaded.list_auxiliary_states() == symbol.list_auxiliary_states()
    assert inferred(loaded, shapes) == inferred(symbol, shapes)


def test_every_operator_is_read_as_it_was_written():
    count = 0
    for name in NODES:
        symbol, shapes = build(mx, name)
        if symbol is not None:
            own = any(node.op is not None and is_internal(node.op.name) for node in symbol.nodes())
            loaded = (load_own if own else sym.load_json)(symbol.tojson(remove_amp_cast=False))
            assert same(loaded, symbol), name
            assert inferred(loaded, shapes) == inferred(symbol, shapes), name
            count += 1
    assert count > 800


def test_mxnets_files_are_read_and_written_back():
    """With MXNet's own operators, elemwise_add for `+`, and the shapes that it infers."""
    for name, (text, shapes) in RECORDED.items():
        if name in OLD:
            continue
        loaded = sym.load_json(text)
        assert loaded.tojson() == text, name
        if shapes is not None and not name.startswith("op _contrib_boolean_mask"):      # decided by values
            assert inferred(loaded, build(mx, name)[1]) == shapes, name


@pytest.mark.parametrize("name", OLD)
def test_old_versions_are_read_as_mxnet_does(name):
    text, shapes = RECORDED[name]
    loaded = sym.load_json(OLD[name])
    # MXNet leaves the version of auxiliary states that it has added at 0.
    assert loaded.tojson().replace("[6, 0, 1], [7, 0, 1]", "[6, 0, 0], [7, 0, 0]") == text
    assert inferred(loaded, {"x": (5, 4)}) == shapes


def test_deep_graphs_are_written_and_read_without_recursion():
    x = sym.var("x")
    for _ in range(5000):
        x = x + 1
    assert len(sym.load_json(x.tojson()).nodes()) == 5001


# -- damage ---------------------------------------------------------------------------------------------------------

SMALL = {
    "nodes": [{"op": "null", "name": "x", "inputs": []}, {"op": "null", "name": "w", "inputs": []},
              {"op": "FullyConnected", "name": "fc", "attrs": {"num_hidden": "3", "no_bias": "True"},
               "inputs": [[0, 0, 0], [1, 0, 0]]}],
    "arg_nodes": [0, 1], "node_row_ptr": [0, 1, 2, 3], "heads": [[2, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]},
}
AT = "the JSON text is not a readable symbol, at "


def damaged(path, value):
    """SMALL with one member replaced, or removed when value is None."""
    graph = json.loads(json.dumps(SMALL))
    place = graph
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(graph)


@pytest.mark.parametrize(("path", "value", "text"), [
    (["nodes"], None, "the top level: 'nodes' is missing."),
    (["nodes"], 3, "the top level: 'nodes' is 3, expected an array."),
    (["heads"], None, "the top level: 'heads' is missing."),
    (["heads"], [], "the heads: there are none."),
    (["heads", 0], [3, 0, 0], "the heads: head 0 is output 0 of node 3, but only the 3 nodes before may be used: the "
                              "file is damaged, or its graph has a cycle."),
    (["heads", 0], [2, 1, 0], "the heads: head 0 is output 1 of node 2 'fc', which has 1."),
    (["attrs"], {"mxnet_version": "new"}, 'the top level: mxnet_version is "new", expected ["int", 10901] or another '
                                          "number."),
    (["nodes", 0], [], "node 0: it is [], expected an object."),
    (["nodes", 0, "name"], None, "node 0: 'name' is missing."),
    (["nodes", 0, "name"], 7, "node 0: 'name' is 7, expected a string."),
    (["nodes", 0, "name"], "\ud800", "node 0: 'name' is \"\\ud800\", which holds half a character."),
    (["nodes", 0, "inputs"], [[0, 0, 0]], "node 0 'x': input 0 is output 0 of node 0, but only the 0 nodes before may "
                                          "be used: the file is damaged, or its graph has a cycle."),
    (["nodes", 1, "inputs"], [[0, 0, 0]], "node 1 'w': a variable (op 'null') has no inputs, found 1."),
    (["nodes", 1, "attrs"], {"__shape__": "(2, 'a')"}, "node 1 'w': __shape__ is \"(2, 'a')\", expected a tuple of "
                                                       "integers."),
    (["nodes", 1, "attrs"], {"__dtype__": "99"},
     "node 1 'w': __dtype__ is '99', expected one of 0 (float32), 1 (float64), 2 (float16), 3 (uint8), 4 (int32), "
     "5 (int8), 6 (int64), 7 (bool)."),
    (["nodes", 2, "op"], "FullyConected",
     "node 2 'fc': there is no operator 'FullyConected'. Did you mean 'FullyConnected', '_fully_connected'?"),
    (["nodes", 2, "attrs"], [], "node 2 'fc': 'attrs' is [], expected an object."),
    (["nodes", 2, "attrs"], {}, "node 2 'fc': FullyConnected: attribute num_hidden is missing; it has no default."),
    (["nodes", 2, "attrs", "num_hidden"], 3, "node 2 'fc': attribute 'num_hidden' is 3, expected a string."),
    (["nodes", 2, "attrs", "num_hidden"], "many",
     "node 2 'fc': FullyConnected: attribute num_hidden is 'many', expected an integer."),
    (["nodes", 2, "attrs", "num_hiden"], "3",
     "node 2 'fc': FullyConnected has no attribute 'num_hiden'; it has num_hidden, no_bias, flatten. Did you mean "
     "'num_hidden'?"),
    (["nodes", 2, "attrs", "bias_lr_mult"], "3",
     "node 2 'fc': FullyConnected has no attribute 'bias_lr_mult'; it has num_hidden, no_bias, flatten."),
    (["nodes", 2, "attrs", "no_bias"], "False",
     "node 2 'fc': FullyConnected takes 3 inputs (data, weight, bias), found 2."),
    (["nodes", 2, "inputs", 1], [1, 0.5, 0],
     "node 2 'fc': input 1 is [1, 0.5, 0], expected [node, output, version], all integers."),
    (["nodes", 2, "inputs", 1], [-1, 0, 0],
     "node 2 'fc': input 1 is output 0 of node -1, but only the 2 nodes before may be used: the file is damaged, or "
     "its graph has a cycle."),
    (["nodes", 2], {"op": "Concat", "name": "c", "attrs": {"num_args": "3"}, "inputs": [[0, 0, 0]]},
     "node 2 'c': num_args is 3, but there are 1 inputs."),
    (["nodes", 2], {"op": "Concat", "name": "c", "attrs": {"num_args": "0"}, "inputs": []},
     "node 2 'c': Concat takes one input or more, found none."),
])
def test_messages(path, value, text):
    with pytest.raises(FileFormatError) as error:
        sym.load_json(damaged(path, value))
    assert str(error.value) == AT + text


@pytest.mark.parametrize(("text", "message"), [
    ("", "the JSON text is damaged or not JSON: Expecting value, line 1, column 1."),
    ('{"nodes": [}', "the JSON text is damaged or not JSON: Expecting value, line 1, column 12."),
    ("[]", AT + "the top level: it is [], expected an object."),
    ("[" * 100_000, "the JSON text is damaged: it has too many brackets or digits to be a symbol."),
    (b"{}", "load_json takes a string, found bytes. A file is read by symbol.load."),
])
def test_messages_about_the_text(text, message):
    with pytest.raises(MXNetError) as error:
        sym.load_json(text)
    assert str(error.value) == message


def test_messages_about_files(tmp_path):
    with pytest.raises(MXNetError) as error:
        sym.load(tmp_path / "none.json")
    assert str(error.value) == (f"cannot read {str(tmp_path / 'none.json')!r}: No such file or directory. "
                                f"The folder {str(tmp_path)!r} has: nothing")
    with pytest.raises(FileFormatError) as error:
        sym.load(DATA / "mxnet_list.params")
    assert str(error.value).endswith("is not a symbol file: it is not UTF-8 text. A .params file is read by nd.load.")
    with pytest.raises(MXNetError) as error:
        sym.var("x").save(tmp_path / "no" / "x.json")
    assert str(error.value) == (f"cannot write {str(tmp_path / 'no' / 'x.json')!r}: No such file or directory. "
                                f"There is no folder {str(tmp_path / 'no')!r}")


SEEDS = [json.loads(RECORDED[name][0]) for name in ("convolutions", "shared_statistics", "pieces", "joined")]
JUNK = st.one_of(st.none(), st.booleans(), st.integers(-3, 12), st.floats(), st.text(max_size=4), st.just([]),
                 st.just({}), st.lists(st.integers(-1, 9), max_size=4), st.sampled_from(sorted(REGISTRY)),
                 st.sampled_from(["None", "True", "(1, 2)", "(" * 500, "9" * 5000, "1e999", "()", "(0,)", "cpu(0)"]))


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_damaged_graphs_are_refused_or_whole(data):
    """Whatever stands in a file: a symbol that can be written again, or an MXNetError."""
    graph = json.loads(json.dumps(data.draw(st.sampled_from(SEEDS))))
    damage(data, graph, JUNK)
    _load_or_refuse(json.dumps(graph))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(SEEDS), st.data())
def test_damaged_texts_are_refused_or_whole(graph, data):
    text = json.dumps(graph)
    start = data.draw(st.integers(0, len(text)))
    _load_or_refuse(text[:start] + data.draw(st.text(max_size=3)) + text[start + data.draw(st.integers(0, 9)):])


def _load_or_refuse(text):
    try:
        symbol = sym.load_json(text)
    except MXNetError:
        return
    assert same(sym.load_json(symbol.tojson()), symbol)


# -- the real library -----------------------------------------------------------------------------------------------


@pytest.mark.skipif(not MXNET, reason="MINIGLUON_MXNET_PYTHON does not name a Python with MXNet 1.9.1")
def test_mxnet_reads_what_is_written_here(tmp_path):
    """Text and shapes come back the same; where arithmetic broadcasts, too."""
    written = {}
    for name in names:
        symbol, shapes = build(mx, name)
        if symbol is not None and name in RECORDED:
            written[name] = [symbol.tojson(), shapes, inferred(symbol, shapes)]
    (tmp_path / "graphs.json").write_text(json.dumps({n: w[:2] for n, w in written.items()}))
    done = subprocess.run([MXNET, "-m", "records.record_mxnet_symbols", "check", tmp_path / "graphs.json"],
                          cwd=TESTS, capture_output=True, text=True, check=True)
    answers = json.loads(done.stdout.splitlines()[-1])
    assert set(answers) == set(written)
    for name, (text, shapes) in answers.items():
        assert text == written[name][0], name
        if shapes is not None and written[name][2] is not None:
            assert shapes == written[name][2], name
    assert sum(shapes is not None for _, shapes in answers.values()) > 750


@pytest.mark.parametrize("shape", [np.array([3, -1]), (np.int64(3), -1), [3, -1], range(3, 4)])
def test_shapes_that_numpy_has_computed_are_written_as_numbers(shape):
    text = sym.reshape(sym.var("x"), shape=shape).tojson()
    assert sym.load_json(text).tojson() == text
    assert "array" not in text
    assert "np." not in text
