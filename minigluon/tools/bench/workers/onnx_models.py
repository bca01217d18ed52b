"""Forward passes as ONNX models for inference engines, exported from the nets in PyTorch."""

import io
import os
from functools import partial

import torch

from . import programs_torch

__all__ = ["makers_with", "threads"]


def makers_with(start, sizes):
    """Return {name: maker} for all forward passes. start(model, inputs): returns the runner. inputs: {name: array}."""
    makers = {name: maker.args for name, maker in programs_torch.makers(sizes).items()
              if maker.func is programs_torch.forward}
    return {name: partial(_forward, start, make, sizes_of_it) for name, (make, sizes_of_it) in makers.items()}


def _forward(start, make, sizes, mode):
    net, x, _ = make(sizes)
    return start(*exported(net, x))


def exported(net, x):
    """Return (bytes of the model, {name of an input: NumPy array})."""
    inputs, file = x if isinstance(x, tuple) else (x,), io.BytesIO()
    names = [f"input{i}" for i in range(len(inputs))]
    with torch.inference_mode():
        torch.onnx.export(net.eval(), inputs, file, dynamo=False, opset_version=17, input_names=names)
    return file.getvalue(), {name: value.numpy() for name, value in zip(names, inputs)}


def threads():
    """Return the number of threads that `peers` sets for the libraries; None leaves it to the engine."""
    number = os.environ.get("OMP_NUM_THREADS")
    return None if number is None else int(number)
