"""Names of `mx.np` and `mx.npx`: those that are not here have a reason, and `npx.image` works on arrays of `mx.np`."""

import io

import numpy as onp
import pytest
from helpers import ROOT
from helpers.errors import message
from scripts import np_calls, np_probes

import minigluon as mx
from minigluon import np, npx
from minigluon.numpy.unsupported import NOT_YET

pytestmark = pytest.mark.once


@pytest.fixture
def numpy_mode():
    npx.set_np()
    yield
    npx.reset_np()


def test_a_missing_name_has_a_reason():
    assert sum(map(len, NOT_YET.values())) == 10
    for space, module in (("np", np), ("npx", npx)):
        for name, reason in NOT_YET[space].items():
            assert not hasattr(module, name)
            assert reason in message(AttributeError, lambda module=module, name=name: getattr(module, name))
    assert np.multiarray.ndarray is np.ndarray
    assert np.linalg.fallback_linalg.qr is np.linalg.qr


def test_the_rows_of_the_probes_are_in_the_docs():
    text = (ROOT / "docs/np.md").read_text(encoding="utf-8")
    for row in {row for row, *_ in np_probes.ROWS} - {"runs here"} | np_calls.ROWS.keys():
        assert f"\n| {row} |" in text, row


def test_a_constraint():
    assert npx.constraint_check(np.array([1, 2]) > 0, "negative").item() is True
    assert message(ValueError, lambda: npx.constraint_check(np.array([1, -2]) > 0, "negative")) == "negative"


def test_images_are_arrays_of_np(numpy_mode):
    pytest.importorskip("PIL")
    from PIL import Image
    file = io.BytesIO()
    Image.fromarray(onp.arange(8 * 9 * 3, dtype="uint8").reshape(8, 9, 3)).save(file, "PNG")
    image = npx.image.imdecode(file.getvalue())
    assert (type(image), image.dtype, image.shape) == (np.ndarray, "uint8", (8, 9, 3))
    results = [npx.image.resize_short(image, 4), npx.image.fixed_crop(image, 1, 1, 4, 4, (3, 3)),
               npx.image.center_crop(image, (4, 4))[0], npx.image.to_tensor(image), npx.image.resize(image, (4, 5)),
               npx.image.color_normalize(image, np.ones(3), np.ones(3)), npx.image.flip_left_right(image)]
    for augment in npx.image.CreateAugmenter((3, 4, 4), resize=6, rand_crop=True, rand_mirror=True, mean=True, std=True,
                                             brightness=0.1, hue=0.1, pca_noise=0.1, rand_gray=0.5):
        image = augment(image)
        results.append(image)
    label = onp.array([[0, 0.1, 0.1, 0.5, 0.5]])
    for augment in npx.image.CreateDetAugmenter((3, 4, 4), rand_crop=1, rand_pad=1, rand_mirror=True):
        results.append(augment(image, label)[0])
    assert {type(x) for x in results} == {np.ndarray}
    assert "imread" in dir(npx.image)
    assert message(AttributeError, lambda: npx.image.imreed).endswith("Did you mean 'imread', 'imresize'?")
    assert mx.image.imdecode(file.getvalue()).shape == (8, 9, 3)
