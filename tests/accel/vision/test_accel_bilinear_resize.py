"""Images in other sizes: several parts and rests of vectors."""

import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.twin_checks import RNG, check


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("space", [(40, 50), (19, 23), (7, 23), (1, 1), (19, 90)])
def test_other_sizes(space, dtype):
    data, grad = RNG.normal(size=(4, 9, 19, 23)), RNG.normal(size=(4, 9, *space))
    for corners in True, False:
        how = {"height": space[0], "width": space[1], "align_corners": corners}
        check("_contrib_BilinearResize2D", data, dtype=dtype, **how)
        check("_BilinearResize2D_grad", grad, data, dtype=dtype, **how)
    check("_contrib_AdaptiveAvgPooling2D", data, dtype=dtype, output_size=space)
    check("_AdaptiveAvgPooling2D_grad", grad, data, dtype=dtype, output_size=space)
