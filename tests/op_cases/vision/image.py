"""Rows of the operators in `minigluon/ops/vision/image.py`."""

import numpy as np

from ..case import case, u


def image(*shape):
    """An image of 0 ... 255 in floating point."""
    return u(*shape, low=0, high=255)


def normal(x, mean, std):
    return (x - np.reshape(mean, (-1, 1, 1))) / np.reshape(std, (-1, 1, 1))


def lit(x, alpha):
    vectors = np.array([[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]])
    return x + vectors @ (np.array(alpha) * [55.46, 4.794, 1.148])


# float32 is the result's dtype, whatever goes in, so differences in float64 are not to be had.
case("_image_to_tensor", image(4, 5, 3), grad=(),
     expect=lambda x: x.astype("float32").transpose(2, 0, 1) / np.float32(255))
case("_image_to_tensor", image(2, 4, 3, 1), grad=(),
     expect=lambda x: x.astype("float32").transpose(0, 3, 1, 2) / np.float32(255))
case("_to_tensor_grad", u(3, 4, 5), u(4, 5, 3), grad=(), expect=lambda g, x: g.transpose(1, 2, 0) / 255,
     oracle="not in MXNet", dtype="float32")
case("_image_normalize", u(3, 4, 5), mean=(0.5, 0.25, 0.125), std=(2, 0.5, 4),
     expect=lambda x: normal(x, (0.5, 0.25, 0.125), (2, 0.5, 4)))
case("_image_normalize", u(2, 1, 4, 3), mean=(0.5,), std=(2,), expect=lambda x: normal(x, 0.5, 2))
case("_image_normalize", u(3, 2, 2), expect=lambda x: x, oracle="its own default of four numbers is refused")
case("_image_resize", image(4, 6, 3), size=(6, 4), interp=1, grad=(), expect=lambda x: x)
case("_image_resize", image(4, 6, 3), size=(3, 2), interp=0, grad=(), expect=lambda x: x[::2, ::2])
case("_image_resize", image(2, 4, 6, 1), size=(3, 2), interp=3, grad=(),
     expect=lambda x: x.reshape(2, 2, 2, 3, 2, 1).mean((2, 4)))
case("_image_resize", image(4, 6, 3), size=2, keep_ratio=True, grad=())
case("_image_crop", u(5, 6, 3), x=1, y=2, width=3, height=2, expect=lambda x: x[2:4, 1:4])
case("_image_crop", u(2, 5, 6, 1), x=0, y=0, width=6, height=1, expect=lambda x: x[:, :1])
case("_crop_image_grad", u(2, 3, 1), u(5, 6, 1), x=1, y=2, width=3, height=2, grad=(0,), oracle="not in MXNet",
     expect=lambda g, x: np.pad(g, ((2, 1), (1, 2), (0, 0))))
case("_image_flip_left_right", image(4, 6, 3), grad=(), expect=lambda x: x[:, ::-1])
case("_image_flip_top_bottom", image(4, 6, 3), grad=(), expect=lambda x: x[::-1])
# MXNet leaves the middle row or column as the memory was, takes no batches, and does not mirror the gradient.
case("_image_flip_left_right", image(4, 5, 3), expect=lambda x: x[:, ::-1], oracle="the middle column, the gradient")
case("_image_flip_top_bottom", image(2, 5, 4, 1), expect=lambda x: x[:, ::-1], oracle="batches, the gradient")
for _way in ("left_right", "top_bottom"):
    case(f"_image_random_flip_{_way}", image(4, 5, 3), grad=(), oracle="random")
# A factor from an interval of length 0 leaves no choice, so there is something to compare with.
case("_image_random_brightness", image(4, 5, 3), min_factor=0.5, max_factor=0.5, grad=(), expect=lambda x: x / 2)
case("_image_random_contrast", u(4, 5, 3, low=0), min_factor=1.5, max_factor=1.5, grad=(),
     expect=lambda x: 1.5 * x - 0.5 * (x @ [0.299, 0.587, 0.114]).mean())
case("_image_random_saturation", image(4, 5, 3), min_factor=0.5, max_factor=0.5, grad=(),
     oracle="its grey is 0.114 of blue", expect=lambda x: x / 2 + 0.5 * (x @ [0.299, 0.587, 0.114])[..., None])
case("_image_random_hue", u(4, 5, 3, low=0.1, high=0.9), min_factor=1, max_factor=1, grad=(), expect=lambda x: x)
case("_image_random_color_jitter", image(4, 5, 3), brightness=0, contrast=0, saturation=0, hue=0, grad=(),
     expect=lambda x: x, oracle="the result is uninitialized memory")
case("_image_random_color_jitter", image(4, 5, 3), brightness=0.2, contrast=0.2, saturation=0.2, hue=0.1, grad=(),
     oracle="random")
case("_image_adjust_lighting", image(4, 5, 3), alpha=(0.1, -0.2, 0.3), grad=(),
     expect=lambda x: lit(x, (0.1, -0.2, 0.3)))
case("_image_random_lighting", image(4, 5, 3), alpha_std=0, grad=(), expect=lambda x: x)
