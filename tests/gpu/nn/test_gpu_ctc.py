"""CTC on the GPU: drawn sequences, more places than threads, lengths that are too large."""

import numpy as np
import pytest
from helpers.gpu_checks import GPU, Twin
from helpers.numeric import numbers
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import launch

from minigluon import nd
from minigluon.base import ArgumentError
from minigluon.ops import REGISTRY


@st.composite
def sequences(draw):
    """(attributes, arrays) of CTCLoss."""
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    frames, batch, classes = draw(st.integers(1, 8)), draw(st.integers(1, 3)), draw(st.integers(2, 5))
    length = draw(st.integers(0, frames))
    attributes = {"blank_label": draw(st.sampled_from(["first", "last"])), "use_data_lengths": draw(st.booleans()),
                  "use_label_lengths": draw(st.booleans())}
    low, high = (0, classes) if attributes["blank_label"] == "first" else (-1, classes - 1)
    arrays = [2 * rng.standard_normal((frames, batch, classes)), rng.integers(low, high, (batch, length))]
    if attributes["use_data_lengths"]:
        arrays.append(rng.integers(1, frames + 1, batch))
    if attributes["use_label_lengths"]:
        arrays.append(rng.integers(0, length + 1, batch))
    return attributes, [a.astype(draw(st.sampled_from(["float32", "int32"])) if i else "float32")
                        for i, a in enumerate(arrays)]


@settings(deadline=None, max_examples=25)
@given(sequences())
def test_ctc(drawn_sequences):
    attributes, arrays = drawn_sequences
    assert Twin(REGISTRY["CTCLoss"](**attributes), arrays).check()
    grad = np.linspace(1, 2, len(arrays[1]), dtype="float32")
    assert Twin(REGISTRY["_ctc_loss_grad"](**attributes), [grad, *arrays]).check()


def test_ctc_with_more_places_than_threads(monkeypatch):
    monkeypatch.setattr(launch, "MAX_BLOCKS", 2)
    rng = np.random.default_rng(0)
    data, labels = rng.standard_normal((160, 3, 6)), rng.integers(1, 6, (3, 150))
    arrays = [data.astype("float64"), labels.astype("float32")]
    assert Twin(REGISTRY["CTCLoss"](), arrays).check()
    assert Twin(REGISTRY["_ctc_loss_grad"](), [np.ones(3), *arrays]).check()


def test_lengths_that_are_too_large():
    data, label = nd.array(numbers((4, 2, 3), "float32"), ctx=GPU), nd.array([[1, 2], [1, 1]], ctx=GPU)
    with pytest.raises(ArgumentError) as caught:
        nd.CTCLoss(data, label, nd.array([4, 5], ctx=GPU), use_data_lengths=True).asnumpy()
    assert str(caught.value) == "CTCLoss: data_lengths must lie between 1 and 4, found [4.0, 5.0]"
