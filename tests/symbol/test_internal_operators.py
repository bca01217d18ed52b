"""A symbol file names operators of MXNet's alone: it may come from a stranger."""

import json
import pickle

import pytest
from helpers.errors import error_of
from records import DATA

from minigluon import gluon, nd, sym
from minigluon.base import FileFormatError
from minigluon.ops import REGISTRY
from minigluon.symbol.internal import is_internal

pytestmark = pytest.mark.once

MXNET = set(json.loads((DATA / "mxnet_signatures.json").read_text()))
# Names that the recording lacks, of operators that programs call: they may stand in files.
CALLED = {"_np_negative", "_np_cumsum", "_npx_squeeze", "_contrib_isnan", "_contrib_isinf", "_contrib_isfinite",
          "_contrib_adamw_update", "_contrib_cached_attention", "_contrib_mp_adamw_update",
          "_contrib_calibrate_entropy", "_contrib_dequantize", "_contrib_quantize", "_contrib_quantize_v2",
          "_contrib_quantized_act", "_contrib_quantized_batch_norm", "_contrib_quantized_concat",
          "_contrib_quantized_conv", "_contrib_quantized_elemwise_add", "_contrib_quantized_elemwise_mul",
          "_contrib_quantized_embedding", "_contrib_quantized_flatten", "_contrib_quantized_fully_connected",
          "_contrib_quantized_pooling", "_contrib_requantize", "_contrib_weight_only_fully_connected",
          "_contrib_group_adagrad_update", "_linalg_svd", "_sg_mkldnn_conv", "_sg_mkldnn_fully_connected",
          "_sparse_adagrad_update", "_sparse_retain"}
ATTACK = ('{"nodes": [{"op": "null", "name": "a", "inputs": []}, {"op": "null", "name": "b", "inputs": []}, '
          '{"op": "_slice_grad", "name": "g", "attrs": {"begin": "(0, 0)", "end": "(1, 1)"}, "inputs": [[0, 0, 0], '
          '[1, 0, 0]]}], "heads": [[2, 0, 0]]}')
REFUSAL = ("{} is not a readable symbol, at node 2 'g': operator '_slice_grad' is internal: gradients and "
           "optimizers are made of it, and files must not name it. Load the graph that was differentiated, and call "
           "its method gradient.")


def test_internal_are_all_that_mxnet_does_not_have():
    """A new operator for gradients is on one of the two lists: here it says on which."""
    own = {name for name in REGISTRY if name.startswith("_") and name not in MXNET}
    assert {name for name in own if is_internal(name)} == own - CALLED
    assert not [name for name in MXNET if is_internal(name)]


def test_a_text_that_names_one_is_refused():
    assert error_of(lambda: sym.load_json(ATTACK), FileFormatError) == REFUSAL.format("the JSON text")


def test_a_file_that_names_one_is_refused(tmp_path):
    path = tmp_path / "net-symbol.json"
    path.write_text(ATTACK)
    for load in sym.load, lambda name: gluon.SymbolBlock.imports(name, ["a", "b"]):
        assert error_of(lambda load=load: load(str(path)), FileFormatError) == REFUSAL.format(path)


def test_a_subgraph_that_names_one_is_refused():
    a = sym.var("a")
    out, _ = sym.contrib.foreach(lambda x, s: (x + 1, s), a, [])
    text = out.tojson().replace('"_plus_scalar"', '"_relu_grad"')
    assert "_relu_grad" in text
    assert "operator '_relu_grad' is internal" in error_of(lambda: sym.load_json(text), FileFormatError)


def test_a_graph_of_gradients_is_pickled_and_not_loaded_from_text():
    slope = sym.slice(sym.var("a"), begin=(0,), end=(2,)).gradient("a")
    copy = pickle.loads(pickle.dumps(slope))
    assert copy.eval(a=nd.array([1, 2, 3]))[0].asnumpy().tolist() == [1, 1, 0]
    assert "is internal" in error_of(lambda: sym.load_json(slope.tojson()), FileFormatError)
