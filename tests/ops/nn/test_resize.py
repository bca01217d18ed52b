"""The messages of UpSampling."""

import pytest
from helpers.errors import message

from minigluon.base import ShapeError
from minigluon.ops import REGISTRY

SHAPE_MESSAGES = [
    ("UpSampling", {"scale": 0, "sample_type": "nearest"}, [(1, 1, 2, 2)], "UpSampling: scale=0 must be at least 1"),
    ("UpSampling", {"scale": 2, "sample_type": "nearest"}, [(1, 1, 2, 2), (1, 1, 3, 3)],
     "UpSampling: arg1 (1, 1, 3, 3) cannot be repeated to the space (4, 4)"),
    ("UpSampling", {"scale": 2, "sample_type": "nearest", "multi_input_mode": "sum"}, [(1, 1, 2, 2), (1, 2, 2, 2)],
     "UpSampling: arg1 has shape (2,), expected (1,)"),
]


@pytest.mark.parametrize(("name", "attributes", "shapes", "text"), SHAPE_MESSAGES)
def test_messages_of_shape_rules(name, attributes, shapes, text):
    assert message(ShapeError, REGISTRY[name](**attributes).infer_shape, *shapes) == text
