"""Record what the real MXNet 1.9.1 makes of one image, for tests/gluon/test_vision_data.py.

    python -m records.record_mxnet_transforms        (in an environment with mxnet==1.9.1 and numpy==1.23.5)
"""


import mxnet as mx
import numpy as np
from mxnet import nd
from mxnet.gluon.data.vision import transforms as T

from records import DATA

FACTORS = (0.3, 0.8, 1.0, 1.4)


def record():
    """{name: array}. The names hold the arguments."""
    pixels = np.random.RandomState(0).randint(0, 256, (7, 9, 3)).astype("uint8")
    image = nd.array(pixels, dtype="uint8")
    unit = image.astype("float32") / 255
    out = {"a": pixels}
    for w, h in ((4, 3), (18, 14), (5, 11), (9, 7)):
        for i in range(4):
            out[f"b_{w}_{h}_{i}"] = T.Resize((w, h), interpolation=i)(image)
            out[f"f_{w}_{h}_{i}"] = T.Resize((w, h), interpolation=i)(image.astype("float32"))
    for kind in ("brightness", "contrast", "saturation", "hue"):
        op = getattr(nd.image, "random_" + kind)
        for factor in FACTORS:
            out[f"{kind}_b_{factor}"] = op(image, min_factor=factor, max_factor=factor)
            out[f"{kind}_f_{factor}"] = op(unit, min_factor=factor, max_factor=factor)
    out["lighting_b"] = nd.image.adjust_lighting(image, alpha=(.1, -.2, .3))
    out["lighting_f"] = nd.image.adjust_lighting(unit, alpha=(.1, -.2, .3))
    for w, h in ((5, 3), (12, 4), (6, 20)):
        out[f"center_{w}_{h}"] = T.CenterCrop((w, h))(image)
    out["totensor"] = T.ToTensor()(image)
    out["normalize"] = T.Normalize((.1, .2, .3), (1, 2, 3))(T.ToTensor()(image))
    out["keep_4"] = T.Resize(4, keep_ratio=True)(image)
    out["cropresize"] = T.CropResize(1, 2, 3, 4, (6, 5), 1)(image)
    return {name: x if isinstance(x, np.ndarray) else x.asnumpy() for name, x in out.items()}


if __name__ == "__main__":
    print("MXNet", mx.__version__)
    np.savez_compressed(DATA / "mxnet_transforms.npz", **record())
