"""CTC: labels that do not fit, long sequences, and the messages."""

import numpy as np
import pytest
from helpers.errors import message
from helpers.small_arrays import gradient

from minigluon import nd
from minigluon.base import ShapeError
from minigluon.ops import REGISTRY

SHAPE_MESSAGES = [
    ("CTCLoss", {}, [(2, 3, 4), (3, 5)],
     "CTCLoss: label (3, 5) is longer than data (2, 3, 4): 5 labels in 2 frames"),
    ("CTCLoss", {}, [(5, 3, 4), (2, 5)], "CTCLoss: label has shape (2,), expected (3,)"),
]


@pytest.mark.parametrize(("name", "attributes", "shapes", "text"), SHAPE_MESSAGES)
def test_messages_of_shape_rules(name, attributes, shapes, text):
    assert message(ShapeError, REGISTRY[name](**attributes).infer_shape, *shapes) == text


def test_ctc_label_that_does_not_fit_costs_nothing_and_has_no_gradient():
    """Two equal labels need a blank between them: three frames."""
    x = np.random.default_rng(2).standard_normal((2, 2, 3))
    y, grad = gradient(nd.CTCLoss, x, [[1, 1], [1, 2]])
    assert y[0] == 0
    assert y[1] > 0
    assert not grad[:, 0].any()
    np.testing.assert_allclose(grad[:, 1].sum(-1), 0, atol=1e-12)


def test_ctc_loss_survives_long_sequences():
    """1,000 frames: probabilities underflow, their logarithms do not. No frame's gradients add up to anything."""
    x = np.random.default_rng(2).standard_normal((1000, 2, 6)) * 3
    y, grad = gradient(nd.CTCLoss, x, np.random.default_rng(3).integers(1, 6, (2, 80)))
    assert (y > 300).all()
    assert np.isfinite(y).all()
    np.testing.assert_allclose(grad.sum(-1), 0, atol=1e-9)
