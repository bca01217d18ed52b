"""The measured forward passes in onnxruntime, using `onnx_models`, with all optimizations (its default)."""

import onnxruntime

from .onnx_models import makers_with, threads

__all__ = ["MODES", "makers", "start"]

MODES = {"onnxruntime": ["session"]}


def makers(sizes):
    """Return {name: function of a mode that sets up the program and returns the function that runs it once}."""
    return makers_with(start, sizes)


def start(model, inputs):
    options = onnxruntime.SessionOptions()
    if threads() is not None:
        options.intra_op_num_threads = threads()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, inputs)
