"""`nd.image` on the GPU: whole numbers are the reference's, to the last one; random operators draw what it draws."""

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - first: it chooses the GPU, or skips the module
from helpers.gpu_checks import GPU, agree

import minigluon as mx
from minigluon import dispatch, nd

RNG = np.random.default_rng(0)
DTYPES = ["uint8", "int32", "float32"]


def images(dtype, *shape):
    values = RNG.integers(0, 256, shape)
    return (values / 256 if np.dtype(dtype).kind == "f" else values).astype(dtype)


@pytest.mark.parametrize("interp", [0, 1, 2, 3, 4, 9])
@pytest.mark.parametrize("dtype", DTYPES)
def test_resize(dtype, interp):
    """Smaller, half as large, larger, in one direction alone, to one pixel; a batch, and an image of one channel."""
    for size in (5, 4), (6, 4), (18, 14), (5, 14), (12, 3), (1, 1):
        agree("_image_resize", images(dtype, 2, 8, 12, 3), size=size, interp=interp)
    agree("_image_resize", images(dtype, 5, 4, 1), size=7, interp=interp)


@pytest.mark.parametrize("name", ["random_flip_left_right", "random_flip_top_bottom", "random_brightness",
                                  "random_contrast", "random_saturation", "random_hue", "random_lighting",
                                  "random_color_jitter"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_random_operators(dtype, name):
    """From one seed, the CPU's results."""
    if name == "random_color_jitter":
        arguments = {"brightness": 0.5, "contrast": 0.5, "saturation": 0.5, "hue": 0.5}
    elif "flip" in name:
        arguments = {}
    else:
        arguments = {"alpha_std": 0.5} if name == "random_lighting" else {"min_factor": 0.3, "max_factor": 1.7}
    before = dispatch.declined.copy()
    for shape in (7, 9, 3), (2, 5, 6, 3), (5, 4, 1), (0, 5, 4, 3):
        x, results = images(dtype, *shape), []
        for ctx in mx.cpu(), GPU:
            mx.random.seed(4, ctx=ctx)
            on_device = nd.array(x, ctx=ctx, dtype=dtype)
            results.append([getattr(nd.image, name)(on_device, **arguments).asnumpy() for _ in range(3)])
        for wanted, found in zip(*results, strict=True):
            np.testing.assert_allclose(found, wanted, atol=0 if x.dtype.kind == "i" or dtype == "uint8" else 1e-6)
    assert [key for key in dispatch.declined - before if key[1] == "gpu"] == []


@pytest.mark.parametrize(("call", "message"), [
    (lambda x: nd.image.random_brightness(x, 1, 0.5), "_image_random_brightness: min_factor=1.0 must not be above "
                                                      "max_factor=0.5"),
    (lambda x: nd.image.random_lighting(x, -1), "_image_random_lighting: alpha_std=-1.0 must not be negative"),
    (lambda x: nd.image.adjust_lighting(x, (1, 2)), "_image_adjust_lighting: alpha must have three numbers, found "
                                                    "(1.0, 2.0)"),
    (lambda x: nd.image.resize(x, 2, False, 7), "resize: interpolation must be 0 (nearest), 1 (linear), 2 (cubic), 3 "
                                                "(area), 4 (Lanczos), 9 (by size) or 10 (random), found 7")])
def test_errors(call, message):
    """The reference's, and the next call works."""
    x = nd.ones((4, 4, 3), ctx=GPU)
    with pytest.raises(mx.MXNetError) as caught:
        call(x)
    assert str(caught.value) == message
    assert x.sum().asscalar() == 48
