"""Values that name places which are not there: indices, winners, regions, masks. Kernels stay inside their arrays.

The campaign's front `gpu_operators` found these among drawn calls.
"""

import numpy as np
import pytest
from helpers import (
    gpu_choice,  # noqa: F401 - first: it chooses the GPU, or skips the module
    misfit_gpu,
)

from minigluon.ops.registry import REGISTRY

DRAW = np.random.RandomState(0)
WINDOW = {"pooled_size": (2, 2), "spatial_scale": 1.0}
LIMITS = {"lstm_state_clip_min": 1.0, "lstm_state_clip_max": 0.2}       # the wrong way round


def floats(*shape, dtype="float32"):
    return (DRAW.rand(*shape) + 0.1).astype(dtype)


def whole(*numbers, shape=(-1,), dtype="int32"):
    return np.array(numbers, dtype).reshape(shape)


def events(**dtypes):
    """The arrays of the Hawkes process, some in another type."""
    arrays = {"lda": floats(3, 2), "alpha": floats(2), "beta": floats(2), "state": floats(3, 2), "lags": floats(3, 4),
              "marks": np.zeros((3, 4), "int32"), "valid_length": floats(3), "max_time": floats(3) + 9}
    return [x.astype(dtypes.get(name, x.dtype)) for name, x in arrays.items()]


CALLS = {
    "drawn classes": ("_sample_multinomial_grad", {}, lambda: [
        floats(4, 2), floats(4, 3), whole(0, 1, 2, 3, -1, 0, 9, 1000, shape=(4, 2))], "inside its memory"),
    "chosen boxes": ("_box_nms_chosen", {}, lambda: [floats(5, 5), whole(0, 5, -1, 9, 2)], "inside its memory"),
    "boxes back": ("_box_nms_grad", {}, lambda: [floats(5, 5), whole(0, 5, -1, 9, 2)], "inside its memory"),
    "mask": ("_boolean_mask_grad", {"axis": 0}, lambda: [floats(1, 2), floats(3, 2), np.ones(3, "float32")],
             "equal"),
    "winners": ("_roi_pooling_chosen", WINDOW, lambda: [
        floats(1, 1, 3, 6), whole(0, 17, 18, 1000, shape=(1, 1, 2, 2)), floats(1, 5)], "equal"),
    "winners back": ("_roi_pooling_grad", WINDOW, lambda: [
        floats(1, 1, 2, 2), whole(0, 17, 18, 1000, shape=(1, 1, 2, 2)), floats(1, 1, 3, 6), floats(1, 5)], "equal"),
    "image of a region": ("_roi_pooling_chosen", WINDOW, lambda: [
        floats(3, 1, 3, 6), whole(*range(12), shape=(3, 1, 2, 2)),
        whole(7, 0, 0, 3, 3, -0.5, 0, 0, 3, 3, np.nan, 0, 0, 3, 3, shape=(3, 5), dtype="float32")], "equal"),
    "limits of a cell": ("RNN", {"state_size": 2, "num_layers": 1, "mode": "lstm", "state_outputs": True, **LIMITS},
                         lambda: [floats(3, 2, 3), floats(56) - 0.6, floats(1, 2, 2) - 1, floats(1, 2, 2) - 1],
                         "equal"),
    "filled caches": ("_contrib_cached_attention", {"heads": 1}, lambda: [
        floats(4, 2, 6), floats(4, 1, 5, 2), floats(4, 1, 5, 2), whole(-9, 4, 99, 2 ** 31 - 1)], "equal"),
    "caches filled with NaN": ("_contrib_cached_attention", {"heads": 1}, lambda: [
        floats(3, 2, 6), floats(3, 1, 5, 2), floats(3, 1, 5, 2), whole(np.nan, np.inf, 1e30, dtype="float32")],
        "inside its memory"),
    "one float64": ("_contrib_hawkesll", {}, lambda: events(alpha="float64"), "refused"),
    "the last float64": ("_contrib_hawkesll", {}, lambda: events(max_time="float64"), "refused"),
    "truth values": ("_to_tensor_grad", {}, lambda: [np.ones((3, 4, 5), bool), floats(4, 5, 3)], "refused"),
}


@pytest.mark.parametrize("case", CALLS)
def test_kernels_stay_inside(case):
    name, attributes, arrays, outcome = CALLS[case]
    assert misfit_gpu.check(REGISTRY[name](**attributes), arrays(), False, {}) == outcome
