"""Means of groups of channels in many regions."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.twin_checks import RNG, check


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_means_of_groups(dtype):
    data, corners = RNG.normal(size=(2, 36, 20, 30)), RNG.uniform(-5, 35, (40, 4))
    rois = np.concatenate([RNG.integers(-1, 3, (40, 1)), corners], 1)
    for groups, pooled in ((3, 7), (2, 2)):
        how = {"spatial_scale": 0.7, "output_dim": 36 // groups ** 2, "pooled_size": pooled, "group_size": groups}
        check("_contrib_PSROIPooling", data, rois, dtype=dtype, **how)
        grad = RNG.normal(size=(40, how["output_dim"], pooled, pooled))
        check("_PSROIPooling_grad", grad, data, rois, dtype=dtype, **how)
