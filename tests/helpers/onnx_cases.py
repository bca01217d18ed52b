"""Running a model of ONNX's own tests through the importer."""

import numpy as np
import onnx
from minigluon.onnx.importer import ImportProblems
from minigluon.onnx.importer.model import import_file
from onnx import numpy_helper

from minigluon import nd

ORDINARY = {1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13}       # element types that NumPy has, without complex ones


def is_ordinary(model):
    """Are all inputs and outputs arrays of NumPy's types?"""
    for entry in [*model.graph.input, *model.graph.output]:
        if not entry.type.HasField("tensor_type") or entry.type.tensor_type.elem_type not in ORDINARY:
            return False
    return all(entry.domain in ("", "ai.onnx") for entry in model.opset_import)


def run_model(content, inputs):
    """(outputs, names of the inputs that were given as constants) of a serialized model."""
    model = onnx.load_model_from_string(content)
    given = {tensor.name for tensor in model.graph.initializer}
    names = [entry.name for entry in model.graph.input if entry.name not in given]
    arrays = dict(zip(names, inputs, strict=False))
    constants = {}
    while True:
        try:
            imported = import_file(content, constants)
            break
        except ImportProblems as problem:
            new = [name for name in problem.inputs if name in arrays and name not in constants]
            if not new:
                raise
            constants.update({name: arrays[name] for name in new})
    values = {name: nd.array(array, dtype=array.dtype)
              for name, array in {**imported.arguments, **imported.auxiliary}.items()}
    for name in imported.inputs:
        array = np.asarray(arrays[name])
        values[name] = nd.array(array.reshape(array.shape or (1,)), dtype=array.dtype)
    outputs = [out.asnumpy() for out in imported.symbol.eval(**values)]
    outputs = [out.reshape(()) if scalar else out for out, scalar in zip(outputs, imported.scalars, strict=True)]
    return outputs, list(constants)


def difference(found, expected, rtol, atol):
    """What is wrong with an output, or None."""
    expected = np.asarray(expected)
    if found.shape != expected.shape:
        return f"shape {found.shape}, expected {expected.shape}"
    if found.dtype != expected.dtype:
        return f"dtype {found.dtype}, expected {expected.dtype}"
    try:
        if expected.dtype.kind in "biu":
            np.testing.assert_array_equal(found, expected)
        else:
            np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)
    except AssertionError as error:
        return "numbers: " + " ".join(str(error).split())[:300]
    return None


def array_of(item):
    """The array of a TensorProto, or what is one already."""
    return numpy_helper.to_array(item) if isinstance(item, onnx.TensorProto) else item
