"""What MXNet's and our `mx.image` are asked to do with one small image: the calls are the same."""

import json
import random

import numpy as np

__all__ = ["BORDERS", "augmented", "dumped", "functions", "results", "sample_image"]

BORDERS = {0: (1, 2, 3), 1: (0,), 2: (0,), 3: (0,), 4: (0,), 16: (9, 8, 7), 17: (0,)}
BOXES = [[0, 0.1, 0.1, 0.4, 0.5], [1, 0.5, 0.3, 0.9, 0.95], [2, 0.05, 0.6, 0.2, 0.7]]


def sample_image():
    """(23, 31, 3) uint8: smooth in two channels, steep in the third."""
    y, x = np.mgrid[:23, :31]
    planes = [128 + 100 * np.sin(x / 7), 128 + 100 * np.cos(y / 5), (x * 4 + y * 3) % 256]
    return np.stack(planes, -1).astype("uint8")


def results(mx):
    """{name: numpy.ndarray} of everything."""
    return {**functions(mx), **augmented(mx)}


def functions(mx):
    image, pixels = mx.nd.array(sample_image(), dtype="uint8"), sample_image()
    tensor = mx.nd.array(pixels.transpose(2, 0, 1) / 255, dtype="float32")
    out = {"short": mx.image.resize_short(image, 12), "short_9": mx.image.resize_short(image, 12, 9),
           "center": mx.image.center_crop(image, (21, 18))[0], "center_large": mx.image.center_crop(image, (9, 40))[0],
           "fixed": mx.image.fixed_crop(image, 3, 4, 20, 10, (9, 8), 1),
           "beyond": mx.image.fixed_crop(image, 25, 20, 9, 9),
           "normal": mx.image.color_normalize(image.astype("float32"), mx.nd.array([1, 2, 3]), mx.nd.array([2, 3, 4])),
           "batch": mx.image.imrotate(mx.nd.stack(tensor, tensor * 2), mx.nd.array([20, 40]))}
    for kind, values in BORDERS.items():
        out[f"border_{kind}"] = mx.image.copyMakeBorder(image, 2, 1, 3, 4, kind, values=values)
    for interp in range(5):
        out[f"resize_{interp}"] = mx.image.imresize(image, 47, 11, interp=interp)
        out[f"half_{interp}"] = mx.image.imresize(image[:22, :30], 15, 11, interp=interp)
        out[f"float_{interp}"] = mx.image.imresize(image.astype("float32"), 13, 35, interp=interp)
    for degrees, zoom in ((30, ()), (-75, ()), (30, ("zoom_in",)), (190, ("zoom_out",)), (90, ("zoom_in",))):
        out[f"rotate_{degrees}_{'_'.join(zoom)}"] = mx.image.imrotate(tensor, degrees, **dict.fromkeys(zoom, True))
    return {name: value.asnumpy() for name, value in out.items()}


def augmenters(mx):
    """The two lists with nearly everything in them."""
    colors = {"mean": True, "std": True, "brightness": 0.2, "contrast": 0.2, "saturation": 0.2, "hue": 0.2,
               "pca_noise": 0.1, "rand_gray": 0.5, "rand_mirror": True, "inter_method": 1}
    plain = mx.image.CreateAugmenter((3, 12, 14), resize=20, rand_crop=True, rand_resize=True, **colors)
    detection = mx.image.CreateDetAugmenter((3, 14, 15), resize=22, rand_crop=0.7, rand_pad=0.7, area_range=(0.1, 3.0),
                                            min_object_covered=[0.1, 0.5, 0.9], **colors)
    return plain, detection


def dumped(mx):
    """What both lists say of themselves, as a JSON text."""
    return json.dumps([[augmenter.dumps() for augmenter in each] for each in augmenters(mx)])


def augmented(mx):
    """Random choices, from the seeds that MXNet takes them from."""
    out = {}
    plain, detection = augmenters(mx)
    image, label = (lambda: mx.nd.array(sample_image(), dtype="uint8")), (lambda: np.array(BOXES, "float32"))

    def seeded(number):
        random.seed(number)
        np.random.seed(number)

    for n in range(6):
        for name, draw in {
            "crop": lambda: mx.image.random_crop(image(), (12, 15)),
            "crop_large": lambda: mx.image.random_crop(image(), (40, 15), interp=9),
            "size_crop": lambda: mx.image.random_size_crop(image(), (12, 15), (0.1, 0.9), (0.7, 1.4), interp=10),
            "det_crop": lambda: mx.image.DetRandomCropAug(0.3, (0.5, 2.0), (0.1, 0.9))(image(), label()),
            "det_pad": lambda: mx.image.DetRandomPadAug((0.5, 2.0), (1.1, 4), 50, (1, 2, 3))(image(), label()),
        }.items():
            seeded(n)
            pixels, place = draw()
            out[f"{name}_{n}"], out[f"{name}_{n}_place"] = pixels.asnumpy(), np.array(place)
        seeded(n)
        # MXNet shuffles lists in place, and so the next ones begin in another order: here as well.
        x = image()
        for augmenter in plain:
            x = augmenter(x)
        out[f"list_{n}"] = x.asnumpy()
        x, boxes = image(), label()
        for augmenter in detection:
            x, boxes = augmenter(x, boxes)
        out[f"det_list_{n}"], out[f"det_list_{n}_place"] = x.asnumpy(), boxes
    seeded(3)
    batch = mx.nd.array(sample_image().transpose(2, 0, 1)[None] / 255, dtype="float32")
    out["random_rotate"] = mx.image.random_rotate(batch, (-40, 40), True).asnumpy()
    return out
