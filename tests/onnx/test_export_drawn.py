"""Operators whose attributes are drawn, as ONNX files. More of each: tests/scripts/onnx_export.py --parts operators."""

import numpy as np
import pytest
from helpers.onnx_files import close, flat, run_file
from helpers.operator_draws import OPERATORS
from helpers.random_attributes import DRAWS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minigluon as mx
from minigluon import nd

pytestmark = pytest.mark.once

PARAMETERS = "weight", "bias", "parameters"


def agrees(symbol, arrays, opset, path):
    """Does onnxruntime compute the same, with the first length of what goes in left open?"""
    params = {name: nd.array(a) for name, a in arrays.items() if name in PARAMETERS}
    told = [arrays[name] for name in symbol.list_inputs() if name in arrays and name not in params]
    shapes = [(None, *a.shape[1:]) if a.ndim and a.shape[0] > 1 else a.shape for a in told]
    mx.onnx.export_model(symbol, params, [a.shape for a in told], np.float32, path, dynamic=True,
                         dynamic_input_shapes=shapes, opset_version=opset)
    return close(run_file(path, told), flat(symbol.eval(**{name: nd.array(a) for name, a in arrays.items()})))


@pytest.mark.parametrize("kind", OPERATORS)
def test_layers_of_networks(kind, tmp_path):
    @settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
    @given(OPERATORS[kind](), st.sampled_from([13, 17, 23]))
    def run(drawn, opset):
        assert agrees(*drawn, opset, str(tmp_path / "net.onnx"))
    run()


@pytest.mark.parametrize("kind", DRAWS)
def test_shapes_and_broadcasting(kind, tmp_path):
    rng = np.random.default_rng(0)
    for opset in (13, 17, 18, 23):
        assert agrees(*DRAWS[kind](rng), opset, str(tmp_path / "net.onnx"))
