"""What ImageDetRecordIter does to images and boxes: its boxes lie where the pixels are, whatever is drawn.

The parts without chance are compared with MXNet's in test_image_iters.
"""

import functools

import numpy as np
import pytest
from helpers.errors import error_of

import minigluon as mx
from minigluon import recordio
from minigluon.base import ArgumentError, FileFormatError
from minigluon.image.records.det_augment import DetAugmentation

pytestmark = pytest.mark.once

COLORS = np.array([[250, 10, 10], [10, 250, 10]])
BOXES = np.float32([[0, 0.125, 0.25, 0.5, 0.75, 7], [1, 0.625, 0.0625, 0.875, 0.5, 8]])      # 7, 8: what else there is
WHOLE = {"resize_mode": "shrink"}                       # with room in data_shape: all pixels are those of the image


def sample_image(rows=64, columns=80):
    """Two colored rectangles on dark blue, exactly in BOXES."""
    image = np.full((rows, columns, 3), (10, 10, 90), np.uint8)
    for box in BOXES:
        left, top, right, bottom = (box[1:5] * [columns, rows, columns, rows]).astype(int)
        image[top:bottom, left:right] = COLORS[int(box[0])]
    return image


def found_at(image, kind):
    """(left, top, right, bottom) in pixels of what has that color, or None."""
    rows, columns = np.nonzero((np.abs(image.astype(int) - COLORS[kind]) < 100).all(-1))
    return np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]) if len(rows) else None


def augmented(seed, height=300, width=300, **parameters):
    return DetAugmentation(**parameters).apply(sample_image(), BOXES, height, width, np.random.default_rng(seed))


CROPS = {"rand_crop_prob": 0.8, "num_crop_sampler": 3, "min_crop_scales": (0.3, 0.2, 0.5), "max_crop_scales": 0.9,
         "min_crop_aspect_ratios": 0.5, "max_crop_aspect_ratios": (2, 1, 2), "min_crop_object_coverages": (0, 0.5, 0),
         "min_crop_overlaps": (0.1, 0, 0.3), "max_crop_trials": 50}
PADS = {"rand_pad_prob": 0.5, "max_pad_scale": 3}


@pytest.mark.parametrize("parameters", [
    WHOLE, {**CROPS, **WHOLE}, {**PADS, **WHOLE}, {"rand_mirror_prob": 1, **WHOLE},
    {**CROPS, **PADS, **WHOLE, "rand_mirror_prob": 0.5, "crop_emit_mode": "overlap"},
    {**CROPS, **PADS, "rand_mirror_prob": 0.5, "inter_method": 0}, {**CROPS, **PADS, "resize_mode": "fit"},
    {**PADS, "rand_mirror_prob": 0.5, "resize": 50},
    {**CROPS, **PADS, "max_random_hue": 9, "random_hue_prob": 0.5, "max_random_contrast": 0.2,
     "random_contrast_prob": 0.5, "max_random_saturation": 20, "random_saturation_prob": 0.5,
     "max_random_illumination": 20, "random_illumination_prob": 0.5},
], ids=["nothing", "crop", "pad", "mirror", "all", "force", "fit", "resize", "colors"])
def test_boxes_are_where_the_pixels_are(parameters):
    seen = set()
    for seed in range(20):
        image, boxes = augmented(seed, **parameters)
        assert image.dtype == np.uint8
        assert max(image.shape) <= 300
        assert 1 <= len(boxes) <= 2
        scale = np.array(image.shape[1::-1] * 2)
        for box in boxes:
            kind = int(box[0])
            assert box[5] == 7 + kind
            # Without resizing, to the pixel; with it, an edge is as wide as the old pixels have become.
            slack = 1e-3 if "shrink" in parameters.values() else 2 + 0.03 * scale.max()
            np.testing.assert_allclose(box[1:5] * scale, found_at(image, kind), atol=slack)
        seen.add((image.shape, boxes.tobytes()))
    assert len(seen) > 5 or "rand_pad_prob" not in parameters


@pytest.mark.parametrize("what", ["sample_coverages", "object_coverages"])
def test_regions_keep_to_what_is_asked(what):
    """The share of the region that one object takes, or of the object that is in the region, counted in pixels."""
    before = [(sample_image() == color).all(-1).sum() for color in COLORS]
    for seed in range(40):
        image, _ = augmented(seed, rand_crop_prob=1, min_crop_scales=0.1, max_crop_scales=0.8, max_crop_trials=500,
                             **{f"min_crop_{what}": 0.4, f"max_crop_{what}": 0.7}, **WHOLE)
        counts = [(image == color).all(-1).sum() for color in COLORS]
        wholes = [image.shape[0] * image.shape[1]] * 2 if what == "sample_coverages" else before
        assert any(0.4 - 1e-6 <= n / whole <= 0.7 + 1e-6 for n, whole in zip(counts, wholes, strict=True))


def test_overlaps():
    """Intersection over union, in pixels."""
    before = [(sample_image() == color).all(-1).sum() for color in COLORS]
    for seed in range(40):
        image, _ = augmented(seed, rand_crop_prob=1, min_crop_scales=0.2, max_crop_trials=500, min_crop_overlaps=0.5,
                             **WHOLE)
        common = [(image == color).all(-1).sum() for color in COLORS]
        unions = [image.shape[0] * image.shape[1] + b - c for b, c in zip(before, common, strict=True)]
        assert any(c / u >= 0.5 - 1e-6 for c, u in zip(common, unions, strict=True))


@pytest.mark.parametrize("mode", ["center", "overlap"])
def test_which_objects_stay(mode):
    for seed in range(60):
        image, boxes = augmented(seed, rand_crop_prob=1, min_crop_scales=0.3, max_crop_scales=0.7, crop_emit_mode=mode,
                                 emit_overlap_thresh=0.6, min_crop_aspect_ratios=0.5, max_crop_aspect_ratios=2, **WHOLE)
        before = [(sample_image() == color).all(-1).sum() for color in COLORS]
        left = [(image == color).all(-1).sum() / n for color, n in zip(COLORS, before, strict=True)]
        kept = set(boxes[:, 0].astype(int))
        if mode == "overlap":
            assert kept == {i for i in (0, 1) if left[i] > 0.6}
        else:                                           # what has its centre here has a quarter here at least
            assert all(left[i] > 0.2 for i in kept)


def test_regions_have_scale_and_proportions():
    for seed in range(40):
        image, _ = augmented(seed, rand_crop_prob=1, min_crop_scales=0.5, max_crop_scales=0.500001,
                             min_crop_aspect_ratios=2, max_crop_aspect_ratios=2, **WHOLE)
        rows, columns = image.shape[:2]
        assert abs(rows * columns / (64 * 80) - 0.25) < 0.02
        assert abs(columns / rows - 2) < 0.1


def test_an_image_without_a_region_stays():
    image, boxes = augmented(0, rand_crop_prob=1, min_crop_scales=0.1, max_crop_scales=0.2, max_crop_trials=20,
                             min_crop_overlaps=0.9, **WHOLE)
    np.testing.assert_array_equal(image, sample_image())
    np.testing.assert_array_equal(boxes, BOXES)


def test_pads_are_of_the_fill_value():
    image, _ = augmented(3, rand_pad_prob=1, max_pad_scale=4, fill_value=77, **WHOLE)
    assert image.shape[0] > 70
    assert (image == 77).all(-1).sum() == image.shape[0] * image.shape[1] - 64 * 80


def test_colors_change_with_their_probability():
    plain = sample_image()
    for name, strength in (("hue", 60), ("saturation", 90), ("illumination", 90), ("contrast", 0.5)):
        changed = [not np.array_equal(augmented(seed, **{f"max_random_{name}": strength, f"random_{name}_prob": 0.5},
                                                **WHOLE)[0], plain) for seed in range(60)]
        assert 15 <= sum(changed) <= 45, name


@pytest.fixture
def record(tmp_path):
    writer = recordio.MXRecordIO(tmp_path / "x.rec", "w")
    for i in range(5):
        label = np.float32([4, 6, 50, 60, *BOXES[:1 + i % 2].ravel()])
        writer.write(recordio.pack_img((0, label, i, 0), sample_image()[..., ::-1], 3, ".png"))
    writer.close()
    return str(tmp_path / "x.rec")


def test_batches(record):
    """As an SSD program asks for them; the same for any number of threads."""
    def batches(threads):
        it = mx.io.ImageDetRecordIter(record, (3, 40, 50), 2, shuffle=True, seed=3, label_pad_width=30,
                                      preprocess_threads=threads, mean_r=10, std_r=2, rand_mirror_prob=0.5, **CROPS,
                                      **PADS)
        return [(b.data[0].asnumpy(), b.label[0].asnumpy()) for b in it]
    first = batches(3)
    for (x, y), (u, v) in zip(first, batches(1), strict=True):
        np.testing.assert_array_equal(x, u)
        np.testing.assert_array_equal(y, v)
    for x, y in first:
        assert (x.shape, y.shape) == ((2, 3, 40, 50), (2, 34))
        for image, label in zip(x, y, strict=True):
            count = int(label[3])
            assert label[:3].tolist() == [3, 40, 50]
            assert count in (4 + 6, 4 + 12)
            assert label[4:8].tolist() == [4, 6, 50, 60]
            assert (label[4 + count:] == -1).all()
            pixels = image.transpose(1, 2, 0) * [2, 1, 1] + [10, 0, 0]
            for box in label[8:4 + count].reshape(-1, 6):
                np.testing.assert_allclose(box[1:5] * [50, 40, 50, 40], found_at(pixels, int(box[0])), atol=3)


text_of = functools.partial(error_of, kind=ArgumentError)


@pytest.mark.parametrize(("more", "text"), [
    ({"resize_mode": "crop"}, "resize_mode must be one of 'force', 'shrink', 'fit', found 'crop'"),
    ({"crop_emit_mode": "middle"}, "crop_emit_mode must be one of 'center', 'overlap', found 'middle'"),
    ({"num_crop_sampler": 3, "min_crop_overlaps": (0.1, 0.3)},
     "min_crop_overlaps must be one number, or num_crop_sampler=3 of them, found (0.1, 0.3)"),
    ({"min_crop_scales": 0.5, "max_crop_scales": 0.5},
     "min_crop_scales=(0.5,) and max_crop_scales=(0.5,) must have 0 <= minimum < maximum <= 1"),
    ({"min_crop_overlaps": 1.5},
     "min_crop_overlaps=(1.5,) and max_crop_overlaps=(1.0,) must have 0 <= minimum <= maximum"),
    ({"rand_mirror": True}, "unknown parameter 'rand_mirror'. Did you mean 'rand_mirror_prob', 'rand_crop_prob'?"),
    ({"label_pad_width": 9}, "label_pad_width=9 is smaller than the longest label of {record}, which has 16 numbers"),
])
def test_refusals(record, more, text):
    assert text_of(lambda: mx.io.ImageDetRecordIter(record, (3, 40, 50), 2, **more)) == (
        "ImageDetRecordIter: " + text.format(record=record))


def test_labels_of_another_width(record):
    it = mx.io.ImageDetRecordIter(record, (3, 40, 50), 2, label_width=16)
    assert text_of(it.next, kind=FileFormatError) == (
        f"ImageDetRecordIter: record 0 of {record} has 10 labels, expected label_width=16")
