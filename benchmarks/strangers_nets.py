"""The nets of `strangers.py`: which nets there are, and how a net is built."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests" / "libraries"))

__all__ = ["built", "gluoncv_models", "nets_in_turn", "reasons"]

GROUPS = "classification", "segmentation", "pose"
SIZES = {"cifar": (32, 32), "inceptionv3": (299, 299), "xception": (299, 299), "nasnet_7_1920": (331, 331),
         "nasnet_6_4032": (331, 331), "icnet": (256, 256), "fastscnn": (256, 256), "fcn": (240, 240), "psp": (240, 240),
         "deeplab": (240, 240), "danet": (240, 240), "simple_pose": (256, 192), "mobile_pose": (256, 192),
         "alpha_pose": (256, 192)}          # (height, width), by how names begin; others 224 x 224


def gluoncv_models():
    """Returns {name: the function that builds the net}, empty without GluonCV."""
    from gluoncv_zoo import load_library
    try:
        _, gluoncv = load_library()
    except ImportError:
        return {}
    return gluoncv.model_zoo.model_zoo._models


def zoo_models():
    from minigluon.gluon.model_zoo import vision
    return vision._MODELS


def reasons():
    """Returns {name: the reason to leave the net out, or None} for each net of both zoos."""
    from gluoncv_zoo import group_of
    others = {"detection": "a detector; tests/libraries/gluoncv_onnx.py compares these",
              **dict.fromkeys(("videos", "int8", "other"), "for videos, depth, tracking or integers")}
    found = dict.fromkeys(zoo_models())
    for name, make in gluoncv_models().items():
        if name not in found:
            group = group_of(make)
            found[name] = None if group in GROUPS else others[group]
    return found


def nets_in_turn():
    """Returns the names of all nets that are measured, one of each family in turn, small ones first."""
    from gluoncv_zoo import in_turn
    makers, wanted = {**gluoncv_models(), **zoo_models()}, reasons()
    return in_turn({name: make for name, make in makers.items() if wanted[name] is None})


def size_of(name):
    return next((size for start, size in SIZES.items() if name.startswith(start)), (224, 224))


def built(name, batch):
    """Returns a hybridized net with random parameters that was never called, and its input."""
    from both import set_parameters
    if name in zoo_models():
        import minigluon as mx
        net = mx.gluon.model_zoo.vision.get_model(name)
    else:
        mx, net = of_gluoncv(name)
    images = mx.nd.random.uniform(shape=(batch, 3, *size_of(name)))
    net.initialize(mx.init.Zero())
    net.infer_shape(images)
    set_parameters(mx, net)
    net.hybridize()
    return net, images


def of_gluoncv(name):
    """Returns (the module `mxnet`, the net)."""
    from gluoncv_zoo import arguments_of, load_library, segmentation_size
    mx, gluoncv = load_library()
    arguments = arguments_of(name, gluoncv.model_zoo.model_zoo._models[name])
    if segmentation_size(name) is not None:
        arguments["crop_size"] = arguments["base_size"] = size_of(name)[0]
    return mx, gluoncv.model_zoo.get_model(name, **arguments)
