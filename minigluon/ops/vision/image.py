"""`nd.image`: operators on images (H, W, C), batches of images (N, H, W, C), and tensors (C, H, W) or (N, C, H, W).

The computation is in `minigluon.imaging`.
"""

import numpy as np

from ...base import ArgumentError, DTypeError
from ...diagnostics.strictness import refuse
from ...imaging import color, geometry
from ...imaging.resize import RANDOM
from ...imaging.resize import resize as resized
from ..fields import Floats, Shape
from ..op import Op
from ..registry import define, register

__all__ = ["ADJUSTMENTS", "_image_adjust_lighting", "_image_crop", "_image_normalize", "_image_random_color_jitter",
           "_image_random_lighting", "_image_resize", "_image_to_tensor"]


class _Image(Op):
    """Base class of operators on an image or a batch. The result has the same shape and dtype unless stated otherwise.
    """

    keeps = ("shapes",)

    def infer_shape(self, data):
        self.require_rank("data", data, 3, 4)
        return [data], [None if data is None else self.out_shape(*data)]

    def out_shape(self, *shape):
        return shape


@register("data")
class _image_to_tensor(_Image):
    """An image as a tensor of values from 0 to 1: its elements divided by 255, with the channels first.

    data (H, W, C) or (N, H, W, C), of 0 ... 255 | out (C, H, W) or (N, C, H, W), float32

    >>> print(nd.image.to_tensor(nd.array([[[0, 255]]], dtype="uint8")).asnumpy().ravel())
    [0. 1.]
    """

    def out_shape(self, *shape):
        return (*shape[:-3], shape[-1], *shape[-3:-1])

    def infer_dtype(self, data):
        return [data], [np.dtype(np.float32)]

    def forward(self, data):
        return geometry.to_tensor(data)

    def gradient(self, F, out_grads, inputs, outputs):
        return F._to_tensor_grad(out_grads[0], inputs[0])


@register("grad", "data")
class _to_tensor_grad(Op):
    """The adjoint of `_image_to_tensor`: grad (..., C, H, W) / 255, as (..., H, W, C) in the dtype of data."""

    shape_only = ("data",)
    keeps = ("shapes",)

    def infer_shape(self, grad, data):
        self.require_rank("data", data, 3, 4)
        if data is not None:
            grad = self.require("grad", grad, (*data[:-3], data[-1], *data[-3:-1]))
        return [grad, data], [data]

    def infer_dtype(self, grad, data):
        self.require_float("grad", grad)
        return [grad, data], [data]

    def forward(self, grad, data):
        return (np.moveaxis(grad, -3, -1) / np.float32(255)).astype(data.dtype, order="C")

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._image_to_tensor(out_grads[0]), None]


@register("data")
class _image_normalize(_Image):
    """(data - mean) / std for each channel of a tensor.

    data (C, H, W) or (N, C, H, W) | out like data

    mean: one number per channel, or one for all.
    std: one number per channel, or one for all.

    >>> print(nd.image.normalize(nd.array([[[5]], [[8]]]), mean=(1, 2), std=(2, 3)).asnumpy().ravel())
    [2. 2.]
    """

    mean: Floats = (0.0, 0.0, 0.0, 0.0)
    std: Floats = (1.0, 1.0, 1.0, 1.0)

    def out_shape(self, *shape):
        for name, values in zip(("mean", "std"), self.per_channel(), strict=True):
            if shape[-3] not in (None, 1) and len(values) not in (1, shape[-3]):
                raise self.shape_clash(f"{name} has {len(values)} numbers, and data {shape} has {shape[-3]} channels, "
                                       "the first axis of (C, H, W). Put ToTensor before it.", "data")
        return shape

    def infer_dtype(self, data):
        try:
            self.require_float("data", data)
        except DTypeError as error:
            refuse(error)
        return [data], [data]

    def per_channel(self):
        """Returns mean and std as tuples, with one number per channel or one for all."""
        return [values[:1] if values == self.fields[name].default else values
                for name, values in (("mean", self.mean), ("std", self.std))]

    def forward(self, data):
        dtype = data.dtype if data.dtype.kind == "f" else np.dtype("float32")
        mean, std = (np.array(v[:data.shape[-3]], dtype).reshape(-1, 1, 1) for v in self.per_channel())
        out = (data - mean) / std
        # In lenient mode, integers are truncated, and negative values wrap around.
        return out if dtype == data.dtype else out.astype(np.int64).astype(data.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return F._image_normalize(out_grads[0], mean=(0.0,), std=self.std)


@register("data")
class _image_resize(_Image):
    """An image resized to a different number of rows and columns.

    data (H, W, C) or (N, H, W, C) | out (h, w, C) or (N, h, w, C)

    size: (w, h), or one number for both; with keep_ratio, one number is the length of the shorter side.
    keep_ratio: if True and size is one number, keep the aspect ratio.
    interp: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos, 9 depends on the size.

    Raises ArgumentError for a size that is not positive, and for interp=10, which is a random choice.

    >>> nd.image.resize(nd.zeros((4, 8, 3)), size=2, keep_ratio=True).shape
    (2, 4, 3)
    """

    size: Shape = ()
    keep_ratio: bool = False
    interp: int = 1
    gradient = None

    def out_shape(self, *shape):
        if len(self.size) not in (1, 2) or min(self.size) < 1:
            raise ArgumentError(f"{self.name}: size must be (width, height) or a number, found {self.size}")
        if self.interp == RANDOM:
            raise ArgumentError(f"{self.name}: interp=10, a random choice, is for CenterCrop, RandomResizedCrop and "
                                "the functions of mx.image; here it is 0 to 4, or 9")
        rows, columns = shape[-3:-1]
        if len(self.size) == 1 and self.keep_ratio:
            if None in (rows, columns):
                return (*shape[:-3], None, None, shape[-1])
            width, height = geometry.short_side(rows, columns, self.size[0])
        else:
            width, height = self.size[0], self.size[-1]
        return (*shape[:-3], height, width, shape[-1])

    def forward(self, data):
        height, width = self.out_shape(*data.shape)[-3:-1]
        return _own(resized(data, width, height, self.interp), data)


@register("data")
class _image_crop(_Image):
    """The part of an image whose upper left corner is (x, y).

    data (H, W, C) or (N, H, W, C) | out (height, width, C) or (N, height, width, C)

    x: its first column.
    y: its first row.
    width: its number of columns.
    height: its number of rows.

    >>> image = nd.array([[1, 2, 3], [4, 5, 6]]).reshape((2, 3, 1))
    >>> print(nd.image.crop(image, x=1, y=0, width=2, height=1).asnumpy().ravel())
    [2. 3.]
    """

    x: int
    y: int
    width: int
    height: int

    def out_shape(self, *shape):
        if None not in shape[-3:-1]:
            geometry.require_inside(*shape[-3:-1], self.x, self.y, self.width, self.height)
        return (*shape[:-3], self.height, self.width, shape[-1])

    def forward(self, data):
        return geometry.crop(data, self.x, self.y, self.width, self.height).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F._crop_image_grad(out_grads[0], inputs[0], **self.attributes)


@register("grad", "data")
class _crop_image_grad(Op):
    """The adjoint of `_image_crop`: grad at its position, zeros elsewhere."""

    x: int
    y: int
    width: int
    height: int
    shape_only = ("data",)
    keeps = ("shapes",)

    def infer_shape(self, grad, data):
        self.require_rank("data", data, 3, 4)
        if data is not None:
            grad = self.require("grad", grad, (*data[:-3], self.height, self.width, data[-1]))
            if None not in data[-3:-1]:
                geometry.require_inside(*data[-3:-1], self.x, self.y, self.width, self.height)
        return [grad, data], [data]

    def forward(self, grad, data):
        out = np.zeros(data.shape, grad.dtype)
        out[..., self.y:self.y + self.height, self.x:self.x + self.width, :] = grad
        return out

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._image_crop(out_grads[0], **self.attributes), None]


# -- mirrored ---------------------------------------------------------------------------------------------------------


class _Flip(_Image):
    """Base class of operators that mirror `axis`: -2 exchanges left and right, -3 exchanges top and bottom."""

    axis = -2

    def forward(self, data):
        return np.ascontiguousarray(geometry.flip(data, self.axis)) if data.shape[self.axis] > 1 else data.copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return getattr(F, self.name)(out_grads[0])


class _RandomFlip(_Flip):
    gradient = None

    def draw(self, rng):
        """Returns whether the image is mirrored."""
        return rng.random() < 0.5

    def forward(self, data, rng):
        return super().forward(data) if self.draw(rng) else data.copy()


for _way, _axis, _doc, _out in (("left_right", -2, "left and right", "[2, 1, 4, 3]"),
                                ("top_bottom", -3, "top and bottom", "[3, 4, 1, 2]")):
    define(f"_image_flip_{_way}", ["data"], _Flip, f"""Image with {_doc} swapped.

    data (H, W, C) or (N, H, W, C) | out like data

    >>> image = nd.array([[1, 2], [3, 4]], dtype="uint8").reshape((2, 2, 1))
    >>> nd.image.flip_{_way}(image).asnumpy().ravel().tolist()
    {_out}
    """, axis=_axis)
    define(f"_image_random_flip_{_way}", ["data"], _RandomFlip, f"""Image with {_doc} swapped, with probability 1/2.

    data (H, W, C) or (N, H, W, C) | out like data

    >>> image = nd.array([[1, 2], [3, 4]], dtype="uint8").reshape((2, 2, 1))
    >>> nd.image.random_flip_{_way}(image).asnumpy().ravel().tolist() in ([1, 2, 3, 4], {_out})
    True
    """, axis=_axis)


# -- colors ----------------------------------------------------------------------------------------------------------


class _Color(_Image):
    """Base class of operators on pixels with one or three channels."""

    gradient = None

    def out_shape(self, *shape):
        if shape[-1] not in (None, 1, 3):
            raise self.shape_clash(f"data {shape} must have 1 or 3 channels, the last axis", "data")
        return shape


class _RandomFactor(_Color):
    """`adjust(image, factor)` with a factor drawn from min_factor ... max_factor.

    min_factor: the minimum factor.
    max_factor: the maximum factor.
    """

    min_factor: float
    max_factor: float
    adjust = None

    def draw(self, rng):
        """Returns the factor."""
        if not self.min_factor <= self.max_factor:
            raise ArgumentError(f"{self.name}: min_factor={self.min_factor} must not be above "
                                f"max_factor={self.max_factor}")
        return rng.uniform(self.min_factor, self.max_factor)

    def forward(self, data, rng):
        return _own(self.adjust(data, self.draw(rng)), data)


def _own(out, data):
    """Returns the result in its own memory, because `adjust` may return a one-channel image unchanged."""
    return out.copy() if out is data else out


# name: (function, description, the result for two pixels with the factor 0.5)
ADJUSTMENTS = {
    "brightness": (color.brightness, "All values times a random factor.",
                   "[10, 0, 0], [20, 20, 20] -> [5, 0, 0, 10, 10, 10]"),
    "contrast": (color.contrast, "The distance from the image's mean grey, times a random factor.",
                 "[10, 10, 10], [30, 30, 30] -> [15, 15, 15, 25, 25, 25]"),
    "saturation": (color.saturation, "The distance from each pixel's grey, times a random factor.",
                   "[100, 0, 0], [20, 20, 20] -> [65, 15, 15, 20, 20, 20]"),
    "hue": (color.hue, "The color circle rotated by a random factor of full turns: 1 changes nothing.",
            "[10, 20, 30], [20, 20, 20] -> [30, 20, 10, 20, 20, 20]"),
}


def _random_factor(name, adjust, doc, numbers):
    """Registers a row of the table."""
    pixels, out = numbers.split(" -> ")
    define(f"_image_random_{name}", ["data"], _RandomFactor, f"""{doc}

    data (H, W, C) or (N, H, W, C), C is 1 or 3 | out like data

    >>> image = nd.array([[{pixels}]])
    >>> nd.image.random_{name}(image, min_factor=0.5, max_factor=0.5).asnumpy().round().ravel().astype(int).tolist()
    {out}
    """, adjust=adjust)


for _name, _row in ADJUSTMENTS.items():
    _random_factor(_name, *_row)


@register("data")
class _image_random_color_jitter(_Color):
    """Random brightness, contrast, saturation and hue in random order; a strength of 0 omits the adjustment.

    data (H, W, C) or (N, H, W, C), C is 1 or 3 | out like data

    Each factor is drawn from max(0, 1 - strength) ... 1 + strength.

    brightness: the strength of random_brightness.
    contrast: the strength of random_contrast.
    saturation: the strength of random_saturation.
    hue: the strength of random_hue.

    >>> image = nd.array([[[10, 20, 30]]])
    >>> print(nd.image.random_color_jitter(image, brightness=0, contrast=0, saturation=0, hue=0).asnumpy())
    [[[10. 20. 30.]]]
    """

    brightness: float
    contrast: float
    saturation: float
    hue: float

    def draw(self, rng):
        """Returns [(index in ADJUSTMENTS, factor)] in the order of application."""
        chosen = [(kind, strength) for kind, strength in enumerate(self.attributes.values()) if strength > 0]
        return [(kind, rng.uniform(max(0.0, 1 - strength), 1 + strength))
                for kind, strength in (chosen[i] for i in rng.permutation(len(chosen)))]

    def forward(self, data, rng):
        out, adjustments = data.copy(), list(ADJUSTMENTS.values())
        for kind, factor in self.draw(rng):
            out = adjustments[kind][0](out, factor)
        return out


class _Lighting(_Color):
    """Base class of operators that add numbers to the colors, which must not be booleans."""

    def infer_dtype(self, data):
        self.require_numbers(data)
        return super().infer_dtype(data)


@register("data")
class _image_adjust_lighting(_Lighting):
    """data + alpha₁ λ₁ v₁ + alpha₂ λ₂ v₂ + alpha₃ λ₃ v₃, where λᵢ and vᵢ are the principal components of ImageNet's
    colors.

    data (H, W, C) or (N, H, W, C), C is 1 or 3 | out like data

    alpha: three numbers.

    Source: Krizhevsky, Sutskever and Hinton, NIPS 2012.

    >>> print(nd.image.adjust_lighting(nd.ones((1, 1, 3)), alpha=(0, 0, 0)).asnumpy())
    [[[1. 1. 1.]]]
    """

    alpha: Floats

    def draw(self):
        """Returns alpha."""
        if len(self.alpha) != 3:
            raise ArgumentError(f"{self.name}: alpha must have three numbers, found {self.alpha}")
        return self.alpha

    def forward(self, data):
        return _own(color.lighting(data, self.draw()), data)


@register("data")
class _image_random_lighting(_Lighting):
    """`adjust_lighting` with alpha drawn from a normal distribution.

    data (H, W, C) or (N, H, W, C), C is 1 or 3 | out like data

    alpha_std: the standard deviation.

    >>> print(nd.image.random_lighting(nd.ones((1, 1, 3)), alpha_std=0).asnumpy())
    [[[1. 1. 1.]]]
    """

    alpha_std: float = 0.05

    def draw(self, rng):
        """Returns alpha."""
        if not self.alpha_std >= 0:
            raise ArgumentError(f"{self.name}: alpha_std={self.alpha_std} must not be negative")
        return rng.normal(0, self.alpha_std, 3)

    def forward(self, data, rng):
        return _own(color.lighting(data, self.draw(rng)), data)
