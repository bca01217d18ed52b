"""What `mx.operator.get_operator_arguments` says of attributes, against MXNet 1.9.1's texts."""

import json
import re

import pytest
from records import DATA

import minigluon as mx
from minigluon.ops import REGISTRY
from minigluon.ops.argument_types import type_text

pytestmark = pytest.mark.once

MXNET = json.loads((DATA / "mxnet_signatures.json").read_text())

# Element types that only one of the two has, and attributes that are wider here or are no text in MXNet.
DIFFERENT = {"dtype", "out_dtype", "shape", "layout", "forward_stype", "scalar", "range", "stop"}
DIFFERENT_OPERATORS = {"UpSampling", "_contrib_DeformableConvolution", "_cond", "_foreach", "_while_loop"}


def kind(text):
    """The text up to the default; MXNet has two kinds of integers and of floats."""
    text = re.sub(r", ?default=.*", "", text).replace("Shape or None", "Shape(tuple) or None")
    return text.replace("double", "float").replace("real_t", "float").replace("long", "int")


def test_kinds_and_choices_are_mxnets():
    compared, other = 0, []
    for name in MXNET.keys() & REGISTRY.keys() - DIFFERENT_OPERATORS:
        for attribute, text in MXNET[name]["attributes"].items():
            field = REGISTRY[name].fields.get(attribute)
            if field is not None and attribute not in DIFFERENT:
                compared += 1
                if kind(type_text(field)) != kind(text):
                    other.append((name, attribute, type_text(field), text))
    assert other == []
    assert compared > 800


def test_the_arguments_of_some_operators():
    assert mx.operator.get_operator_arguments("Convolution").types == [
        "NDArray-or-Symbol", "NDArray-or-Symbol", "NDArray-or-Symbol", "Shape(tuple), required",
        "Shape(tuple), optional, default=[]", "Shape(tuple), optional, default=[]",
        "Shape(tuple), optional, default=[]", "int (non-negative), required",
        "int (non-negative), optional, default=1", "int (non-negative), optional, default=1024",
        "boolean, optional, default=0", "{None, 'fastest', 'limited_workspace', 'off'},optional, default=None",
        "boolean, optional, default=0",
        "{None, 'NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC', 'NWC'},optional, default=None"]
    assert mx.operator.get_operator_arguments("Activation") == (
        2, ["data", "act_type"],
        ["NDArray-or-Symbol", "{'relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'}, required"])
    assert mx.operator.get_operator_arguments("Dropout").types[1:3] == [
        "float, optional, default=0.5", "{'always', 'training'},optional, default='training'"]
    assert mx.operator.get_operator_arguments("Concat").types[0] == "NDArray-or-Symbol[]"
    assert mx.operator.get_operator_arguments("sum").types[1] == "Shape(tuple) or None, optional, default=None"
