"""Kernels that look at images through points, windows and regions, and triangular systems, where sizes are no longer a
handful: several parts, strips and rests of vectors. The reference agrees, and 1, 2 and 3 threads give the same bits."""

import itertools

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import Twin

from minigluon import nd
from minigluon.base import ArgumentError
from minigluon.ops import REGISTRY

RNG = np.random.default_rng(0)


def check(name, *arrays, dtype="float32", **attributes):
    assert Twin(REGISTRY[name](**attributes), [np.asarray(x, dtype) for x in arrays]).check()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [(1, 1, 1), (2, 37, 70), (1, 6, 300)])
def test_triangular_systems(size, dtype):
    batch, n, m = size
    a = RNG.uniform(-1, 1, (batch, n, n)) / n + 2 * np.eye(n)
    for lower, transpose, rightside in itertools.product([False, True], repeat=3):
        b = RNG.normal(size=(batch, m, n) if rightside else (batch, n, m))
        check("_linalg_trsm", a, b, dtype=dtype, lower=lower, transpose=transpose, rightside=rightside, alpha=1.5)


def test_a_zero_on_the_diagonal_is_the_reference_s_error():
    a = np.eye(9)
    a[5, 5] = 0
    with pytest.raises(ArgumentError, match="linalg_trsm: Singular matrix"):
        nd.linalg.trsm(nd.array(a), nd.ones((9, 3))).asnumpy()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_erfinv_up_to_the_last_number_below_one(dtype):
    near = 1 - np.exp(-np.linspace(0, 40, 3000))            # from 0 on, ever nearer to 1
    x = np.concatenate([near, -near, np.linspace(-1, 1, 3001), [np.nextafter(np.dtype(dtype).type(1), 0), 1.5, np.nan]])
    check("erfinv", x, dtype=dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_samplers(dtype):
    data, grid = RNG.normal(size=(3, 5, 19, 23)), RNG.uniform(-1.3, 1.3, (3, 2, 60, 50))
    grad, loc = RNG.normal(size=(3, 5, 60, 50)), RNG.uniform(-1, 1, (3, 6))
    how = {"target_shape": (60, 50), "transform_type": "affine"}
    check("BilinearSampler", data, grid, dtype=dtype)
    check("_bilinear_sampler_data_grad", grad, data, grid, dtype=dtype)
    check("_bilinear_sampler_grid_grad", grad, data, grid, dtype=dtype)
    check("SpatialTransformer", data, loc, dtype=dtype, sampler_type="bilinear", **how)
    check("GridGenerator", loc, dtype=dtype, **how)
    check("_affine_grid_grad", grid, dtype=dtype, target_shape=(60, 50))


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


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_means_of_groups(dtype):
    data, corners = RNG.normal(size=(2, 36, 20, 30)), RNG.uniform(-5, 35, (40, 4))
    rois = np.concatenate([RNG.integers(-1, 3, (40, 1)), corners], 1)
    for groups, pooled in ((3, 7), (2, 2)):
        how = {"spatial_scale": 0.7, "output_dim": 36 // groups ** 2, "pooled_size": pooled, "group_size": groups}
        check("_contrib_PSROIPooling", data, rois, dtype=dtype, **how)
        grad = RNG.normal(size=(40, how["output_dim"], pooled, pooled))
        check("_PSROIPooling_grad", grad, data, rois, dtype=dtype, **how)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("form", ["corner", "center"])
def test_many_boxes(form, dtype):
    boxes, others = RNG.normal(size=(150, 4)), RNG.normal(size=(3, 11, 4))
    check("_contrib_box_iou", boxes, others, dtype=dtype, format=form)
    offsets, anchors = RNG.normal(size=(3, 701, 4)), RNG.uniform(size=(1, 701, 4))
    for clip in -1.0, 0.3:
        check("_contrib_box_decode", offsets, anchors, dtype=dtype, format=form, clip=clip, std0=0.1, std2=0.2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_many_anchors_shall_find(dtype):
    """Objects that several anchors overlap by the same, more objects than anchors, images without any."""
    for anchors, objects in ((500, 9), (6, 20)):
        corners = np.sort(RNG.integers(0, 9, (4, anchors + objects, 2, 2)) / 8, 2).reshape(4, -1, 4)
        label = np.concatenate([RNG.integers(-1, 30, (4, objects, 1)), corners[:, anchors:]], 2)
        label[0, :, 0] = 3
        for threshold in 0.5, -1.0:
            check("_contrib_MultiBoxTarget", corners[:1, :anchors], label, np.zeros((4, 2, anchors)), dtype=dtype,
                  overlap_threshold=threshold)
    boxes, samples = np.cumsum(RNG.uniform(size=(3, 701, 4)), -1), RNG.uniform(size=(3, 701))
    check("_contrib_box_encode", samples, RNG.integers(-2, 14, (3, 701)), boxes, boxes[:, :11] * 2, RNG.normal(size=4),
          RNG.uniform(1, 2, 4), dtype=dtype)
