"""The measured forward passes in OpenVINO, using `onnx_models`.

They run in the mode that serves one request at a time, and in float32, because the default is bfloat16 on some
processors.
"""

import openvino

from .onnx_models import makers_with, threads

__all__ = ["MODES", "makers", "start"]

MODES = {"openvino": ["latency"]}


def makers(sizes):
    """Return {name: function of a mode that sets up the program and returns the function that runs it once}."""
    return makers_with(start, sizes)


def start(model, inputs):
    config = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    if threads() is not None:
        config["INFERENCE_NUM_THREADS"] = threads()
    request = openvino.Core().compile_model(openvino.Core().read_model(model), "CPU", config).create_infer_request()
    return lambda: request.infer(inputs, share_inputs=True, share_outputs=True)
